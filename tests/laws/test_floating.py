"""A base that moves: every model against a robot on six joints more that carry the base, and the laws of mechanics."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.generation.prepare import Request, prepare
from manipula.mechanics.models.catalogue import MODELS
from manipula.mechanics.robot.description import RobotDescription
from manipula.parameters.base import base_parameters_of
from manipula.parameters.base_numeric import base_agreement
from tests.floating_robots import Array, State, floating_robot, floats, near, on_base, run, tree_of
from tests.random_robots import random_robot, random_tree
from tests.world_frame import World

KINDS = ("R", "P", "PR", "RRP", "FRPR", "RFRRP", "RRRRRR", "FFPRR")
FLOATING = [name for name, model in MODELS.items() if model.floating]


def carried(carrier: RobotDescription, robot: RobotDescription) -> RobotDescription:
    """One robot with a base that stands still: the arm's rows on the carrier's last, which holds the base's bodies."""
    joints = [replace(joint, name=f"carrier {joint.name}") for joint in carrier.joints]
    joints[-1] = replace(joints[-1], carries=(*joints[-1].carries, *robot.ground))
    return replace(robot, joints=(*joints, *robot.joints), ground=(), moving="", base=())


class OnCarrier:
    """A robot and the same on six joints, at one state: `rates` and `rises` are those of all its joints."""

    def __init__(self, seed: int) -> None:
        carrier = random_robot(seed + 50, joints="RPRPRR", surroundings=False, bodies=False, actuators=False)
        plain = random_robot(seed, joints=KINDS[seed % len(KINDS)], surroundings=False, actuators=False)
        self.robot = on_base(replace(plain, base=()), seed)
        self.world, ground = World(carried(carrier, self.robot)), World(carrier)
        rng = np.random.default_rng(seed)
        x, xd, xdd = rng.normal(size=(3, 6))
        T, J = ground.at(x).tool, ground.jacobian(x)
        speed, rise = J @ xd, J @ xdd + ground.jacobian_dot(x, xd) @ xd
        back = T[:3, :3].T
        self.state = State(self.robot, seed)
        self.state |= {
            "T0": T.ravel(), "R0": T[:3, :3].ravel(), "v0": back @ speed[:3], "w0": back @ speed[3:],
            "wd0": back @ rise[3:], "a0": back @ (rise[:3] - self.world.g),
        }  # fmt: skip
        self.q, self.rates, self.rises = (np.r_[a, self.state[k]] for a, k in ((x, "q"), (xd, "qd"), (xdd, "qdd")))
        n = len(self.q) - 6
        # (v0, w0, qd) = B · rates
        self.B = np.block([[np.kron(np.eye(2), back) @ J, np.zeros((6, n))], [np.zeros((n, 6)), np.eye(n)]])


@pytest.mark.parametrize("seed", range(len(KINDS)))
def test_torques_and_wrench_are_those_of_a_robot_that_is_carried(seed: int) -> None:
    x = OnCarrier(seed)
    found = run(x.robot, "inverse_dynamics", x.state)
    near(x.B.T @ np.r_[found["base_wrench"], found["tau"]], x.world.mechanism(x.q, x.rates, x.rises))


@pytest.mark.parametrize("seed", range(len(KINDS)))
def test_inertia_gravity_and_energy_are_those_of_a_robot_that_is_carried(seed: int) -> None:
    x = OnCarrier(seed)
    still, still_rates = np.zeros_like(x.q), np.zeros_like(x.q)
    g = x.world.mechanism(x.q, still_rates, still)
    M = np.transpose([x.world.mechanism(x.q, still_rates, e) - g for e in np.eye(len(x.q))])
    for method in ("composite", "composite-runs"):
        near(x.B.T @ run(x.robot, "inertia_matrix", x.state, method)["M"] @ x.B, M)
    near(x.B.T @ run(x.robot, "gravity", x.state)["g"], g)
    energy = run(x.robot, "energy", x.state)
    near(energy["kinetic"], x.rates @ M @ x.rates / 2)
    com = run(x.robot, "centre_of_mass", x.state)["com"]
    mass = run(x.robot, "inertia_matrix", x.state)["M"][0, 0]
    near(energy["potential"], -mass * x.world.g @ com)


@pytest.mark.parametrize("seed", range(8))
def test_the_equations_of_motion_add_up(seed: int) -> None:
    robot = floating_robot(seed)
    x = State(robot, seed)
    M, c, g = (run(robot, name, x)[y] for name, y in (("inertia_matrix", "M"), ("coriolis", "c"), ("gravity", "g")))
    friction = run(robot, "inverse_dynamics", x)["tau"] - run(replace_actuators(robot), "inverse_dynamics", x)["tau"]
    motors = np.diag(M)[6:] - np.diag(run(replace_actuators(robot), "inertia_matrix", x)["M"])[6:]
    found = run(robot, "inverse_dynamics", x)
    rubbed = np.r_[np.zeros(6), friction - motors * x["qdd"]]
    near(M @ x.rise + c + g + rubbed, np.r_[found["base_wrench"], found["tau"]])
    near(M, M.T)
    assert np.linalg.eigvalsh(M).min() > 0
    near(run(robot, "momentum", x)["momentum"], M @ x.rate)
    near(run(robot, "momentum", x, "newton-euler")["momentum"], M @ x.rate)


def replace_actuators(robot: RobotDescription) -> RobotDescription:
    return mp.Robot.of(robot).without("friction", "motor_inertia")


@pytest.mark.parametrize("seed", range(8))
def test_forward_dynamics_undoes_inverse_dynamics(seed: int) -> None:
    robot = floating_robot(seed)
    x = State(robot, seed)
    wanted = run(robot, "forward_dynamics", x)
    vd0, wd0 = wanted["base_acceleration"][:3], wanted["base_acceleration"][3:]
    a0 = vd0 + np.cross(x["w0"], x["v0"]) - x.R.T @ x.g
    back = run(robot, "inverse_dynamics", {**x, "qdd": wanted["qdd"], "wd0": wd0, "a0": a0})
    near(back["tau"], x["tau"], 1e-8)
    near(back["base_wrench"], np.zeros(6), 1e-7)
    other = run(robot, "forward_dynamics", x, "inertia-matrix")
    near(other["qdd"], wanted["qdd"], 1e-7)
    near(other["base_acceleration"], wanted["base_acceleration"], 1e-7)


@pytest.mark.parametrize("seed", range(6))
def test_a_base_whose_motion_is_given(seed: int) -> None:
    robot = floating_robot(seed, moving="given")
    x = State(robot, seed)
    tau = run(robot, "inverse_dynamics", x)["tau"]
    for method in ("articulated", "inertia-matrix"):
        near(run(robot, "forward_dynamics", {**x, "tau": tau}, method)["qdd"], x["qdd"], 1e-8)


@pytest.mark.parametrize("seed", range(8))
def test_momentum_changes_by_the_weight_alone(seed: int) -> None:
    """ḣ = A v̇ + bias: under joint torques the weight at the centre of mass is the only force from outside."""
    robot = floating_robot(seed)
    x = State(robot, seed)
    found, moved = run(robot, "centroidal_momentum", x), run(robot, "forward_dynamics", x)
    mass = run(robot, "inertia_matrix", x)["M"][0, 0]
    rate = found["A"] @ np.r_[moved["base_acceleration"], moved["qdd"]] + found["bias"]
    near(rate, np.r_[mass * x.R.T @ x.g, 0, 0, 0], 1e-8)
    near(found["h"], found["A"] @ x.rate)
    J = run(robot, "centre_of_mass_jacobian", x)["J"]
    near(mass * J, x.R @ found["A"][:3])


@pytest.mark.parametrize("seed", range(4))
def test_the_momentum_of_a_fixed_base_is_that_of_its_centre_of_mass(seed: int) -> None:
    tree = tree_of(random_tree(seed, 4))
    q, qd, qdd = np.random.default_rng(seed).normal(size=(3, tree.dof))

    def momentum(q: Array, qd: Array) -> dict[str, Array]:
        found = MODELS["centroidal_momentum"].methods["composite"](tree, {"q": list(q), "qd": list(qd)})
        return {name: floats(x) for name, x in found.items()}

    found, h = momentum(q, qd), 1e-5
    later, earlier = (momentum(q + s * h * qd + h * h / 2 * qdd, qd + s * h * qdd)["h"] for s in (1, -1))
    near((later - earlier) / (2 * h), found["A"] @ qdd + found["bias"], 1e-6)
    J = floats(MODELS["centre_of_mass_jacobian"].methods["first-moments"](tree, {"q": list(q)})["J"])
    mass = float(tree.ground.m) + sum(float(link.inertia.m) for link in tree.links)
    near(found["h"][:3], mass * J @ qd)


@pytest.mark.parametrize("seed", range(8))
def test_the_jacobian_is_the_rate_of_the_pose(seed: int) -> None:
    robot = floating_robot(seed)
    x = State(robot, seed)
    J = run(robot, "jacobian", x)["J"]
    h, columns = 1e-6, []
    for k in range(6 + len(x["q"])):
        there, back = (_pose(robot, x, k, s * h) for s in (1, -1))
        slope = (there - back) / (2 * h)
        turned = slope[:3, :3] @ _pose(robot, x, k, 0)[:3, :3].T
        columns.append([*slope[:3, 3], turned[2, 1], turned[0, 2], turned[1, 0]])
    near(J, np.transpose(columns), 1e-8)
    near(run(robot, "tool_velocity", x)["v"], J @ x.rate)
    near(run(robot, "tool_bias", x)["a"], run(robot, "tool_bias", x, "summed")["a"])
    turn = run(robot, "pose", x)["T"][:3, :3]
    near(np.kron(np.eye(2), turn) @ run(robot, "jacobian_tool", x)["J"], J)


def _pose(robot: RobotDescription, x: State, k: int, change: float) -> Array:
    """The tool, the k-th coordinate moved a little."""
    T, q = x["T0"].reshape(4, 4).copy(), x["q"].copy()
    if k >= 6:
        q[k - 6] += change
    elif k < 3:
        T[:3, 3] += T[:3, k] * change
    else:
        i, j = (k - 2) % 3, (k - 1) % 3
        turn = np.eye(3)
        turn[i, i] = turn[j, j] = np.cos(change)
        turn[j, i], turn[i, j] = np.sin(change), -np.sin(change)
        T[:3, :3] = T[:3, :3] @ turn
    return run(robot, "pose", {"q": q, "T0": T.ravel()})["T"]


@pytest.mark.parametrize("seed", range(6))
def test_the_regressor_times_the_parameters_is_the_wrench_and_the_torques(seed: int) -> None:
    robot = mp.Robot.of(floating_robot(seed))
    x = State(robot, seed)
    found, standard = run(robot, "inverse_dynamics", x), robot.standard_parameters
    Y = run(robot, "regressor", x)["Y"]
    near(Y @ np.array(list(standard.values())), np.r_[found["base_wrench"], found["tau"]])
    other = robot.with_standard_parameters({"m_trunk": 7, "mx_box": 0.5})
    assert other.standard_parameters == {**standard, "m_trunk": 7.0, "mx_box": 0.5}


@pytest.mark.usefixtures("without_search")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", FLOATING)
def test_every_method_is_proved(name: str, seed: int) -> None:
    robot = floating_robot(seed, joints=3)
    robot = mp.Robot.of(replace(robot, frames=()))
    from manipula.mechanics.models.floating.forms import floating_form

    methods = floating_form(MODELS[name], robot).method_names
    for method in methods:
        assert "identical" in mp.generate(robot, name, method=method, optimise="none").function.provenance.proof


@pytest.mark.usefixtures("without_search")
def test_a_joint_that_follows_others_on_a_base_that_moves() -> None:
    text = FOLLOWER.format(coordinate="")
    free, tied = mp.Robot.from_text(text), mp.Robot.from_text(FOLLOWER.format(coordinate='coordinate = "-2*hip"'))
    S = np.array([[1.0], [-2.0]])
    rng = np.random.default_rng(1)
    q, qd, qdd, base = rng.normal(size=1), rng.normal(size=1), rng.normal(size=1), tuple(rng.normal(size=(3, 3)))
    one, other = (mp.Arm(robot, optimise="none") for robot in (free, tied))
    wanted, found = (
        one.inverse_dynamics(S @ q, S @ qd, S @ qdd, base=base),
        other.inverse_dynamics(q, qd, qdd, base=base),
    )
    near(found.base_wrench, wanted.base_wrench)
    near(found.tau, S.T @ wanted.tau)
    wide = np.block([[np.eye(6), np.zeros((6, 1))], [np.zeros((2, 6)), S]])
    near(other.inertia_matrix(q), wide.T @ one.inertia_matrix(S @ q) @ wide)
    with pytest.raises(mp.InputError, match="forward_dynamics is not made for robots in which joints follow others"):
        other.forward_dynamics(q, qd, qd, base=(np.eye(3), base[0], base[1]))


FOLLOWER = """
format = 1
name = "leg"
convention = "urdf"
angle = "rad"
inertia_default = 0
[base]
moving = "free"
mass = 4
inertia = {{ xx = 0.1, yy = 0.2, zz = 0.3 }}
[[joint]]
name = "hip"
type = "revolute"
xyz = [0.1, 0.2, 0]
axis = [0, 1, 0]
mass = 1
com = [0, 0.1, -0.2]
inertia = {{ xx = 0.01, yy = 0.02, zz = 0.03 }}
[[joint]]
name = "knee"
type = "revolute"
{coordinate}
xyz = [0, 0, -0.4]
axis = [0, 1, 0]
mass = 0.5
com = [0, 0, -0.2]
inertia = {{ xx = 0.01, yy = 0.02, zz = 0.03 }}
"""


# base parameters


def symbolic_leg() -> Any:
    """Lengths and inertias of the leg as letters."""
    text = FOLLOWER.format(coordinate="")
    for number, letter in (("-0.4", '"-l1"'), ("mass = 4", 'mass = "m0"'), ("mass = 0.5", 'mass = "m2"')):
        text = text.replace(number, letter)
    return mp.Robot.from_text(text)


@pytest.mark.parametrize("seed", range(6))
def test_base_parameters_give_wrench_and_torques(seed: int) -> None:
    robot = floating_robot(seed, 2)
    found, x = base_parameters_of(robot), State(robot, seed)
    form = prepare(Request(robot, "base_regressor")).model
    given = {name: list(map(float, x[name])) for name in form.inputs}
    Y = [form.methods[name](tree_of(robot), given)["Y"] for name in ("newton-euler", "field")]
    near(floats(Y[0]), floats(Y[1]))
    felt = run(robot, "inverse_dynamics", x)
    near(floats(Y[0]) @ np.array(found.values, dtype=float), np.r_[felt["base_wrench"], felt["tau"]])
    assert base_agreement(robot, found).passed


def test_a_free_base_feels_ten_and_every_turning_link_seven() -> None:
    found = base_parameters_of(mp.Robot.from_text(FOLLOWER.format(coordinate="")))
    assert len(found) == 10 + 7 + 7 and not found.of_class("not identifiable")
    assert "m_base_R" in found.names and found.by_name["m_base_R"] == pytest.approx(5.5)


def test_base_parameters_with_letters_are_formulas_of_them() -> None:
    robot = symbolic_leg()
    found = base_parameters_of(robot)
    told = dict(found.equations())
    assert told["m_base_R"] == "m1 + m2 + m_base" and "l1" in told["Kzz1_R"]
    assert found.by_name["m_base_R"] is None and base_agreement(robot, found).passed


def test_a_joint_that_follows_has_no_parameters_apart() -> None:
    robot = mp.Robot.from_text(FOLLOWER.format(coordinate='coordinate = "-2*hip"'))
    found = base_parameters_of(robot)
    assert base_agreement(robot, found).passed


@pytest.mark.parametrize("verb", [mp.excite, mp.significance])
def test_what_wants_a_fixed_base_says_so(verb: Any) -> None:
    robot = mp.Robot.from_text(FOLLOWER.format(coordinate=""))
    given = [] if verb is mp.excite else [[]]
    with pytest.raises(
        mp.InputError, match=f"its base moves, and {verb.__name__} is made for a base that stands still"
    ):
        verb(robot, *given)


@pytest.mark.parametrize("seed", [0, 2, 3, 4])  # of 1 a joint without a motor carries no mass
def test_derivatives_on_a_base_whose_motion_is_given_are_differences(seed: int) -> None:
    robot = floating_robot(seed, 2, "given", actuators=False)
    x, step = State(robot, seed), 1e-6
    found = {name: run(robot, "forward_dynamics_derivatives", x, name) for name in ("dual", "inertia-matrix")}
    for output, ports in (("dq", ("q",)), ("dqd", ("w0", "qd")), ("dtau", ("tau",)), ("dbase", ("a0", "wd0"))):
        near(found["dual"][output], found["inertia-matrix"][output], 1e-9)
        columns = []
        for port in ports:
            for k in range(len(x[port])):
                up, down = ({**x, port: x[port] + sign * step * np.eye(len(x[port]))[k]} for sign in (1, -1))
                ends = [run(robot, "forward_dynamics", state)["qdd"] for state in (up, down)]
                columns.append((ends[0] - ends[1]) / (2 * step))
        near(found["dual"][output], np.array(columns).T, 1e-6)
