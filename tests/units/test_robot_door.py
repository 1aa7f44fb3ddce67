"""Whatever takes a robot takes its name, its file, a robot, an arm, a plant, what `identify` or `calibrate` found."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.robot import as_robot
from tests.recordings import recording, two_joints

pytestmark = pytest.mark.usefixtures("without_search")

ARM = two_joints()
Q, RATE = [0.1, 0.2], [1.0, 0.5]
# each a verb or class, and what of its answer tells the robots apart
TAKERS: dict[str, Callable[[Any], Any]] = {
    "Arm": lambda x: mp.Arm(x).robot,
    "Plant": lambda x: mp.Plant(x, effort=None).robot,
    "OnlineEstimator": lambda x: mp.OnlineEstimator(x).robot,
    "PayloadEstimator": lambda x: mp.PayloadEstimator(x).robot,
    "generate": lambda x: str(mp.generate(x, "gravity", optimise="none").equations("factored")),
    "controller": lambda x: mp.controller(x, "pd_gravity", kp=100, kd=20, sample=1e-3).request.robot,  # type: ignore[union-attr]
    "simulate": lambda x: mp.simulate(x, start=(Q, RATE), until=0.002).q.tolist(),
    "closed_loop": lambda x: mp.closed_loop(x, None).inputs,
    "loads": lambda x: mp.loads(x, mp.trajectory.quintic(Q, RATE, 1.0)).as_dict(),
    "time_optimal": lambda x: mp.trajectory.time_optimal(x, [Q, RATE], velocity=1, acceleration=1).duration,
    "tables": lambda x: [str(table) for table in mp.tables(x)],
    "base_parameters": lambda x: mp.base_parameters(x).as_dict(),
}

LIGHT = ("Arm", "Plant", "time_optimal", "tables")


@pytest.fixture(scope="module")
def found() -> Any:
    """With nothing beside the robot."""
    return mp.identify(ARM, recording(ARM, 3, noise=0.01), model=mp.JointModel(), filter=None)


@pytest.mark.parametrize("who", TAKERS)
def test_the_same_from_whatever_stands_for_the_robot(who: str, found: Any, tmp_path: Path) -> None:
    robot, answer = found.robot, TAKERS[who]
    wanted = answer(robot)
    assert answer(found) == wanted
    if who in LIGHT:
        for given in (mp.Arm(robot), mp.Plant(robot, effort=None)):
            assert answer(given) == wanted
        file = str(mp.save(found, tmp_path / "two.toml"))
        again = answer(mp.load(file))  # of another origin
        for given in (file, Path(file)):
            assert answer(given) == again


def test_every_verb_says_so() -> None:
    """All of them go through one door: a verb that takes a robot has its type."""
    takers = {}
    for name in mp.__all__:
        verb = getattr(mp, name)
        first = next(iter(inspect.signature(verb).parameters.values()), None) if inspect.isfunction(verb) else None
        if first is not None and first.name in ("robot", "plant"):
            takers[name] = str(first.annotation)
    assert len(takers) > 20 and {name for name, kind in takers.items() if "RobotLike" not in kind} == set()


def test_names_of_the_library() -> None:
    assert mp.Plant("pucrio", effort=None).robot == mp.load("pucrio")  # type: ignore[arg-type]
    assert isinstance(mp.Plant("pucrio", effort=None).robot, mp.Robot)  # type: ignore[arg-type]
    assert mp.Arm(mp.Arm("pucrio")).robot == mp.load("pucrio")


@pytest.mark.parametrize(
    "given", [3, None, [1, 2], object(), np.zeros(2)], ids=["number", "none", "list", "object", "array"]
)
def test_anything_else_is_answered(given: Any) -> None:
    for call in (as_robot, mp.Plant, mp.Arm, mp.PayloadEstimator, lambda x: mp.generate(x, "pose")):
        with pytest.raises(mp.InputError, match="expected the name of a library robot or a file, a robot, an arm, or"):
            call(given)
