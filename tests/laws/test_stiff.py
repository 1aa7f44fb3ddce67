"""Laws and springs that are stiff: the slopes of a loop, and steps of gauss4 where explicit ones run away."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import DivergenceError, InputError, ManipulaWarning
from manipula.mechanics.models.control.laws import law_block
from manipula.mechanics.models.entry import Block, about
from manipula.mechanics.models.integrate.discretisation import helpers, slopes
from manipula.mechanics.models.integrate.driven_arm import drive_block
from manipula.mechanics.models.ports import PortSizes
from manipula.mechanics.spatial.floats import FLOATS
from manipula.simulation.plant import stepping_of
from tests.control_laws import arm_of

pytestmark = pytest.mark.usefixtures("without_search")

PLANAR = mp.load("planar2r").with_parameters(l1=1, l2=0.7, m1=2, m2=1, g=9.81)
HIGH = 1e7  # of all that could be stiff: what is left out of the slopes is a millionth of it


class Called:
    """The models of a robot, as a text asks for them: compiled, on floats."""

    def __init__(self, robot: mp.Robot) -> None:
        self._robot, self._made = robot, dict[str, Any]()

    def __call__(self, model: str, /, **inputs: Any) -> Any:
        name = model.rpartition(":")[2]
        if name not in self._made:
            self._made[name] = mp.generate(self._robot, name, optimise="none")
        made = self._made[name]
        code = made.compile()
        found = code(*(np.array(inputs[port.name], float) for port in code.inputs))
        parts = found if isinstance(found, tuple) else (found,)
        return {port.name: np.asarray(x).tolist() for port, x in zip(code.outputs, parts)}


def loop_block(robot: mp.Robot, law: str, **options: Any) -> Block:
    """Law and arm in continuous time: rates of all states."""
    motion = stepping_of(robot, "rk4").arm
    return drive_block(about("law", law_block(law, sampled=False, options=options)), motion, step=lambda block: block)


def differences(block: Block, call: Any, x: dict[str, list[float]], names: list[str]) -> Any:
    flat = np.array([v for name in names for v in x[name]])
    sizes = np.cumsum([0, *(len(x[name]) for name in names)])

    def rates(y: Any) -> Any:
        told = block.text(FLOATS, call, {**x, **{n: y[a:b].tolist() for n, a, b in zip(names, sizes, sizes[1:])}})
        return np.array([v for name in names for v in told[block.rates[name]]])

    e = 1e-7 * np.eye(len(flat))
    return np.stack([(rates(flat + d) - rates(flat - d)) / 2e-7 for d in e], axis=-1)


@pytest.mark.parametrize(
    "kinds, law, options",
    [
        ("P", "pid", {}), ("RP", "computed_torque", {}), ("RR", "impedance", {"task": "pose"}),
        *(pytest.param(*x, marks=pytest.mark.slow) for x in (
            ("RR", "pd_gravity", {}), ("RP", "pid", {}), ("PRR", "computed_torque", {}),
            ("RRRRRR", "impedance", {"task": "pose"}), ("RPR", "impedance", {"task": "position"}),
            ("RRR", "operational_space", {"task": "position"}), ("RRP", "resolved_acceleration", {"task": "position"}),
        )),
    ],
)  # fmt: skip
def test_slopes_of_a_loop_are_those_of_its_rates_as_far_as_they_are_stiff(kinds: str, law: str, options: Any) -> None:
    robot, rng = arm_of(len(kinds), kinds).without("friction"), np.random.default_rng(len(law))
    block, call = loop_block(robot, law, **options), Called(robot)
    sizes = {port.name: len(port.entries(robot_sizes(robot))) for port in block.inputs}
    x = {name: rng.uniform(-0.4, 0.4, size).tolist() for name, size in sizes.items()}
    x |= {port.name: [HIGH] * sizes[port.name] for port in block.inputs if port.role == "setting"}
    x |= {name: [1.0] * size for name, size in sizes.items() if name in ("filter", "damping", "heaviest", "null")}
    if "x_ref" in x:  # near where the tool is: pulled far, a tool's weight by its place is stiff, too, and left out
        T = np.array(call("pose", q=x["q"])["T"])
        x["x_ref"][:3] = (T[:3, 3] + 1e-7).tolist()
        x["xd_ref"], x["qd"] = [0.0] * sizes["xd_ref"], [0.0] * sizes["qd"]
        x["x_ref"][3:] = quaternion(T[:3, :3])[: sizes["x_ref"] - 3]
    elif "q_ref" in x:
        x["q_ref"], x["qd_ref"] = x["q"], x["qd"]
        x = {name: [0.0] * len(v) if name in ("integral", "error") else v for name, v in x.items()}
    found = np.array(slopes(FLOATS, block, call, x, list(block.states)), float)
    true = differences(block, call, x, list(block.states))
    assert np.abs(true).max() > 1e4
    np.testing.assert_allclose(found, true, rtol=0, atol=2e-4 * np.abs(true).max())


def robot_sizes(robot: mp.Robot) -> Any:
    return PortSizes(robot.dof, lambda: 0)


def quaternion(R: Any) -> list[float]:
    w = np.sqrt(max(0.0, 1 + np.trace(R))) / 2
    return [w, *(np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * w))]


def test_helpers_are_asked_of_the_robot_whose_model_it_is() -> None:
    asked = helpers(("forward_dynamics", "law:inverse_dynamics_smooth", "law:pose", "law:gravity"))
    assert asked == ("inertia_matrix", "law:inertia_matrix", "law:jacobian")


# steps


def near(robot: mp.Robot, law: mp.Law, start: Any, until: float, step: float, **more: Any) -> float:
    """How far gauss4 is from rk4 in steps a hundred times as short, once the first swing from a start that is off has
    gone: no step of such a length can follow that. In these steps rk4 runs away."""
    ref = mp.trajectory.quintic(np.zeros(robot.dof), np.full(robot.dof, 0.3), 0.2)
    task = {"start": start, "until": until, "step": step, **more}
    plant = mp.Plant(robot, effort=None, stops=False)
    with pytest.raises(DivergenceError):
        mp.simulate(plant, law, ref, method="rk4", **task)
    found = mp.simulate(plant, law, ref, method="gauss4", **task)
    true = mp.simulate(plant, law, ref, **{**task, "step": step / 100}, every=100)
    assert not found.unsettled and np.abs(found.q - true.q).max() < 2 * np.abs(start).max() + 1e-3
    return float(np.abs(found.q - true.q)[found.t > until / 2].max())


@pytest.mark.turn
@pytest.mark.filterwarnings("ignore:energy in")
def test_a_stiff_pd_is_held_by_gauss4_in_steps_in_which_rk4_runs_away() -> None:
    """kp 1e5, kd 2e3: rates of the loop beyond 5e3 1/s, steps of 5 ms."""
    law = mp.controller(PLANAR, "pd_gravity", kp=1e5, kd=2e3, sample=None)
    assert near(PLANAR, law, [1e-3, -1e-3], 0.3, 5e-3) < 2e-4


@pytest.mark.turn
@pytest.mark.filterwarnings("ignore:energy in")
@pytest.mark.parametrize("kinds", ["P", "RP"])
def test_other_arms_and_laws_with_memory_are_held_too(kinds: str) -> None:
    robot = arm_of(4, kinds).without("friction")
    law = mp.controller(robot, "pid", kp=1e6, kd=3e4, ki=1e5, filter=2e-3, tracking=1.0, limit=1e15, sample=None)
    assert near(robot, law, np.zeros(robot.dof), 0.3, 5e-3) < 5e-5


@pytest.mark.turn
@pytest.mark.filterwarnings("ignore:energy in")
def test_stiff_springs_are_no_hindrance() -> None:
    """Motors on springs of 1e6 N·m/rad, steps of 2 ms: refused by rk4; near to the arm without springs by gauss4."""
    robot = PLANAR.with_motor_inertia(dict.fromkeys(PLANAR.joint_names, 0.1))
    plant = mp.Plant(robot, elastic=1e6, effort=None, stops=False)
    task = {"start": [0.3, -0.2], "until": 0.1, "step": 2e-3}
    with pytest.raises(InputError, match="swings faster than 'rk4'"):
        mp.simulate(plant, method="rk4", **task)
    found = mp.simulate(plant, method="gauss4", **task)
    rigid = mp.simulate(mp.Plant(robot, effort=None, stops=False), method="dop853", **task)
    assert not found.unsettled and np.abs(found.q - rigid.q).max() < 1e-4


def test_stages_that_are_not_solved_are_told() -> None:
    """A swing in steps of a quarter of a second."""
    with pytest.warns(ManipulaWarning) as told:
        run = mp.simulate(mp.Plant(PLANAR, effort=None), start=[1.5, 1.0], until=2, step=0.25, method="gauss4")
    assert run.unsettled and any("stages of gauss4" in str(x.message) for x in told)
