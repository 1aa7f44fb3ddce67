"""Drive gains: a joint whose torque is recorded too small is named with its factor; a file of other masses is none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import manipula as mp
from manipula.identification.data import Data, gather
from manipula.identification.fit.gains import gain_doubts
from manipula.identification.fit.identification import fit_of
from manipula.identification.joint_model import JointModel
from manipula.mechanics.robot.bodies import with_standard
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.values.parameter import number
from tests.random_robots import random_robot
from tests.recordings import recording, two_joints

pytestmark = pytest.mark.usefixtures("without_search")

ARM = two_joints()
LOG = recording(ARM, 3, noise=0.02)


def drawn(seed: int) -> RobotDescription:
    return random_robot(seed, joints=1 + seed % 3, surroundings=False)


def said(robot: RobotDescription, log: mp.Log, factors: list[float], filter: str | None = None) -> list[str]:
    assert log.tau is not None
    data = gather(robot, replace(log, tau=log.tau * factors), JointModel(), filter)
    return list(gain_doubts(data, fit_of(data, "robot").time))


@pytest.mark.parametrize("seed", range(6))
def test_the_joint_is_named_with_its_factor(seed: int) -> None:
    robot = drawn(seed)
    log = recording(robot, seed, noise=0.02)
    assert not said(robot, log, [1.0] * robot.dof)
    for j, name in enumerate(robot.joint_names):
        factors = [1.0] * robot.dof
        factors[j] = 0.85 if seed % 2 else 1.2
        (text,) = said(robot, log, factors)
        assert text.startswith(f"{name}:")
        assert float(text.split(" times")[0].split()[-1]) == pytest.approx(factors[j], abs=0.01)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("size", [1e-3, 0.08, 5.0, 1e3])
def test_torques_in_another_unit_are_named_as_such(seed: int, size: float) -> None:
    """Currents of drives that differ by a third, N·mm, torques of motors: what is proposed brings the joints near the
    file. Among joints that agree, a factor of one joint is its drive's."""
    robot = random_robot(seed, joints=2 + seed % 2, surroundings=False)
    log = recording(robot, seed, noise=0.02)
    factors = [size * (1 + k / 6) for k in range(robot.dof)]
    (text,) = said(robot, log, factors)
    assert text.startswith("torques are ") and "N·m" in text
    proposed = text.split("'tau': ")[1].split("}")[0].strip("[]").split(", ")
    assert len(proposed) in (1, robot.dof)
    for factor, scale in zip(factors, proposed if len(proposed) > 1 else proposed * robot.dof):
        assert float(scale) * factor == pytest.approx(1, rel=0.1 if len(proposed) > 1 else 0.3)
    if robot.dof > 1:
        assert not any(x.startswith("torques are") for x in said(robot, log, [size, *[1.0] * (robot.dof - 1)]))


def heavier(data: Data, seed: int) -> RobotDescription:
    """The same arm in a file whose links weigh more or less, each by its own factor."""
    factors = np.random.default_rng(seed).uniform(0.7, 1.3, data.robot.dof)
    own = [(column, value) for column, value in zip(data.columns, data.file_values) if column.link is not None]
    return with_standard(data.robot, {c.name: number(float(x * factors[c.link or 0])) for c, x in own})


@pytest.mark.parametrize("seed", range(4))
def test_other_masses_are_no_gains(seed: int) -> None:
    """Joints that bear the same bodies agree about their masses: no drive is to blame."""
    wrong = heavier(gather(ARM, LOG, JointModel(), None), seed)
    assert not said(wrong, LOG, [1.0, 1.0])


@pytest.mark.parametrize("factors", [[0.85, 1.0], [1.0, 0.85], [1.0, 1.0]])
def test_identify_says_it(factors: list[float]) -> None:
    assert LOG.tau is not None
    log = replace(LOG, tau=LOG.tau * factors)
    warned = [text for text in mp.identify(ARM, log, model=JointModel()).warnings if "drive gain" in text]
    assert [text.split(":")[0] for text in warned] == [f"joint{j + 1}" for j in range(2) if factors[j] != 1]
    for j in range(2):
        if factors[j] != 1:  # what the sentence proposes takes the doubt away
            given = JointModel(gains={f"joint{j + 1}": 1 / factors[j]})
            assert not any("drive gain" in text for text in mp.identify(ARM, log, model=given).warnings)


def test_nothing_is_said_without_masses_or_of_noise() -> None:
    assert LOG.tau is not None
    bare = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, g=9.81)
    assert not said(bare, LOG, [1.0, 0.85])
    shuffled = replace(LOG, q=LOG.q + np.random.default_rng(1).normal(size=LOG.q.shape), qd=None, qdd=None)
    assert not said(ARM, shuffled, [1.0, 0.85])
