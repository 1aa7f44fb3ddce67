"""States of a moving base in the orders of other engines: round trips, and the engines themselves where they are."""

from __future__ import annotations

import numpy as np
import pytest

import manipula as mp
from manipula.simulation import states
from tests.floating_robots import near, rotation, run

ENGINES = ("pinocchio", "mujoco", "drake", "rbdl")


def some_state(seed: int, lead: tuple[int, ...] = (), joints: int = 3) -> states.BaseState:
    rng = np.random.default_rng(seed)
    e = rng.normal(size=(*lead, 4))
    e /= np.linalg.norm(e, axis=-1, keepdims=True)
    p0, v0, w0 = rng.normal(size=(3, *lead, 3))
    q, qd = rng.normal(size=(2, *lead, joints))
    return states.BaseState(p0, e, v0, w0, q, qd)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("lead", [(), (4,), (2, 3)])
def test_there_and_back_is_the_same_state(engine: str, lead: tuple[int, ...]) -> None:
    there, back = getattr(states, f"to_{engine}"), getattr(states, f"from_{engine}")
    state = some_state(1, lead)
    for one, other in zip(back(*there(state)), state, strict=True):
        near(one, other, 1e-14)
    q, v = there(state)
    assert q.shape == (*lead, 10) and v.shape == (*lead, 9)


@pytest.mark.parametrize("engine", ENGINES)
def test_joints_are_put_into_the_robots_order(engine: str) -> None:
    robot = mp.Robot.from_dh([("q1", 0, 1, 0), ("q2", 0, 1, 0), ("q3", 0, 1, 0)])
    there, back = getattr(states, f"to_{engine}"), getattr(states, f"from_{engine}")
    state, order = some_state(2), ["joint3", "joint1", "joint2"]
    q, v = there(state, joints=order, robot=robot)
    straight = there(state)[1]
    near(v[6:], straight[6:][[2, 0, 1]])
    again = back(q, v, joints=order, robot=robot)
    near(again.q, state.q)
    near(again.qd, state.qd)


@pytest.mark.parametrize("seed", range(7))
def test_a_quaternion_of_a_matrix_makes_the_matrix(seed: int) -> None:
    R = rotation(np.random.default_rng(seed))
    near(states.rotation(states.quaternion(R)), R, 1e-14)
    for half in (np.diag([1.0, -1, -1]), np.diag([-1.0, 1, -1]), np.diag([-1.0, -1, 1]), np.eye(3)):
        near(states.rotation(states.quaternion(half @ R)), half @ R, 1e-14)


def test_the_orders_are_those_of_the_engines() -> None:
    """A base that goes along the world's x while it is turned by 90° about z."""
    half = np.sqrt(0.5)
    state = states.BaseState(*map(np.array, ([1.0, 2, 3], [half, 0, 0, half], [0.0, -5, 0], [0.0, 0, 7], [4.0], [6.0])))
    e = [half, 0, 0, half]
    wanted = {
        "pinocchio": ([1, 2, 3, *e[1:], half, 4], [0, -5, 0, 0, 0, 7, 6]),
        "mujoco": ([1, 2, 3, *e, 4], [5, 0, 0, 0, 0, 7, 6]),
        "drake": ([*e, 1, 2, 3, 4], [0, 0, 7, 5, 0, 0, 6]),
        "rbdl": ([1, 2, 3, *e[1:], 4, half], [5, 0, 0, 0, 0, 7, 6]),
    }
    for engine, (q, v) in wanted.items():
        found = getattr(states, f"to_{engine}")(state)
        near(found[0], q, 1e-15)
        near(found[1], v, 1e-14)


def test_the_energy_in_pinocchio_and_mujoco_is_the_same() -> None:
    from tests.peers.test_floating_pinocchio import DOG, quadruped

    pin, mujoco = pytest.importorskip("pinocchio"), pytest.importorskip("mujoco")
    text = quadruped(3)
    model, robot = pin.buildModelFromXML(text, pin.JointModelFreeFlyer()), mp.Robot.from_text(text, "urdf", base="free")
    state = some_state(5, joints=12)
    Q, v = states.to_pinocchio(state, joints=list(model.names)[2:], robot=robot)
    near(_kinetic(robot, state), pin.computeKineticEnergy(model, model.createData(), Q, v))
    dog = mp.Robot.from_text(DOG, "mjcf")
    other, state = mujoco.MjModel.from_xml_string(DOG), some_state(6, joints=2)
    other.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    data = mujoco.MjData(other)
    data.qpos[:], data.qvel[:] = states.to_mujoco(state)
    mujoco.mj_forward(other, data)
    mujoco.mj_energyVel(other, data)
    near(_kinetic(dog, state), data.energy[1])


def _kinetic(robot: mp.Robot, state: states.BaseState) -> float:
    given = {**state._asdict(), "T0": state.T0.ravel()}
    return float(run(robot, "energy", given)["kinetic"])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: states.from_pinocchio(np.zeros(8), np.zeros(7)), "quaternion: its length is 0, expected 1"),
        (lambda: states.from_drake(np.full(8, np.nan), np.zeros(7)), "quaternion: its length is nan, expected 1"),
        (lambda: states.from_mujoco(np.zeros(7), np.zeros(7)), r"found shapes \(7,\) and \(7,\)"),
        (lambda: states.rotation([1, 0, 0]), r"quaternion: expected four entries, found shape \(3,\)"),
        (lambda: states.quaternion(np.eye(4)), r"expected a matrix \(…, 3, 3\), found shape \(4, 4\)"),
        (lambda: states.to_rbdl(some_state(1), joints=["a"]), "joints and robot are given together"),
        (lambda: states.to_rbdl(some_state(1), joints=["a"], robot="planar2r"), "joint of the engine"),
    ],
)
def test_what_is_no_state_is_refused(call: object, said: str) -> None:
    with pytest.raises(mp.ManipulaError, match=said):
        call()  # type: ignore[operator]
