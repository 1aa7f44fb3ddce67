"""Loops that are parallelograms become joints that follow: the same motion and torques as of the loop, which `exact`
keeps; crossed ones and others stay loops."""

from __future__ import annotations

import random
from math import cos, pi, sin

import numpy as np
import pytest

import manipula as mp
from tests.linkages import Linkage, Point, three_cranks

# An arm whose elbow is driven through a parallelogram from the shoulder, as OpenSYMORO has its SR400.
ARM = """(* Robotname = 'SR400' *)
NL = 8
NJ = 9
NF = 10
Type = 2
ant = {0,1,2,3,4,5,1,7,8,3}
sigma = {0,0,0,0,0,0,0,0,0,2}
d = {0,D2,D3,D4,0,0,D2,D8,D3,-D8}
r = {0,0,0,RL4,0,0,0,0,0,0}
gamma = {0,0,0,0,0,0,0,0,0,pi/2}
alpha = {0,-pi/2,0,-pi/2,pi/2,-pi/2,-pi/2,0,0,0}
mu = {1,1,0,1,1,1,1,0,0,0}
theta = {th1,th2,th3,th4,th5,th6,th7,th8,th9,0}
G = {0,0,G3}
"""


def parallelogram(seed: int, free: str = "z", crossed: bool = False, longer: float = 0.0) -> Linkage:
    """A crank, a coupler and a rocker somewhere in a plane."""
    x = Linkage("parallelogram", seed)
    rng = random.Random(seed)
    a, b, phi, psi = rng.uniform(0.2, 0.5), rng.uniform(0.6, 0.9), rng.uniform(0, 6), rng.uniform(0.6, 2.2)
    z = [round(rng.uniform(-0.1, 0.1), 3) for _ in range(3)]

    def point(k: int, *ways: tuple[float, float]) -> Point:
        return (
            round(sum(r * cos(t) for r, t in ways), 12), round(sum(r * sin(t) for r, t in ways), 12), z[k],
        )  # fmt: skip

    O, C = point(0), point(2, (b, phi))
    A, B = point(1, (a, phi + psi)), point(1, (a, phi + psi), (b, phi))
    if crossed:  # mirrored at the diagonal from A to C
        line = complex(C[0] - A[0], C[1] - A[1])
        back = (complex(B[0] - A[0], B[1] - A[1]) / line).conjugate() * line
        B = (round(A[0] + back.real, 12), round(A[1] + back.imag, 12), z[1])
    if longer:
        B = (B[0] + longer, B[1], B[2])
    x.joint("crank", "base", O, motor=True)
    x.joint("coupler", "crank", A)
    if free:
        x.joint("rocker", "base", C)
        x.loop("pin", "coupler", "rocker", B, free)
    else:
        x.joint("pin", "coupler", B)
        x.loop("foot", "base", "pin", C, "z")
    return x


def same(loop: mp.Robot, chain: mp.Robot, seed: int, home: float | list[float] = 0.0) -> None:
    rng = np.random.default_rng(seed)
    names = [name for name in loop.joint_names if name in loop.motors]
    assert chain.joint_names == tuple(names)
    one, other = mp.Arm(loop, optimise="none"), mp.Arm(chain, optimise="none")
    for _ in range(3):
        motors, *rates = rng.uniform(-0.3, 0.3, size=(3, len(names)))  # bars in line are 0.6 rad away
        motors = motors + home
        at = loop.close(motors)
        assert at.ok
        joints = chain.coordinates
        S, c = joints.affine
        own = [list(joints.joints).index(name) for name in loop.joint_names]
        turn = (S @ motors + c)[own] - at.q
        np.testing.assert_allclose(np.exp(1j * turn), 1, atol=1e-9)
        np.testing.assert_allclose(
            other.inverse_dynamics(motors, *rates), one.inverse_dynamics(at, *rates), rtol=1e-8, atol=1e-9
        )


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("free", ["z", "ball", ""])
def test_joints_that_follow_are_the_closed_loop(free: str, seed: int) -> None:
    x = parallelogram(seed, free)
    chain = x.robot()
    assert not chain.loops
    same(x.robot(exact=True), chain, seed)
    assert chain.close([0.2]).ok


@pytest.mark.parametrize("seed", range(4))
def test_a_redundant_crank_is_no_trouble(seed: int) -> None:
    same(three_cranks(seed), three_cranks(seed, exact=False), seed)


@pytest.mark.parametrize("seed", range(4))
def test_crossed_bars_and_unequal_ones_stay_loops(seed: int) -> None:
    assert parallelogram(seed, crossed=True).robot().loops
    assert parallelogram(seed, longer=1e-4).robot().loops


def test_an_arm_of_letters_has_six_coordinates_and_39_base_parameters() -> None:
    robot = mp.Robot.from_text(ARM, "par")
    assert robot.joint_names == ("joint1", "joint2", "joint4", "joint5", "joint6", "joint7")
    assert len(robot.base_parameters) == 39
    assert "parallelogram" in robot.origin.notes[-1]


@pytest.mark.turn
def test_an_arm_in_numbers_has_the_torques_of_its_loop() -> None:
    text = ARM
    for name, value in {"D2": "0.4", "D3": "0.8", "D4": "-0.2", "D8": "1.0", "RL4": "1.0", "G3": "-9.81"}.items():
        text = text.replace(name, value)
    rng = random.Random(0)
    bodies = {key: [round(rng.uniform(0.1, 0.3), 3) for _ in range(8)] for key in ("MX", "MY", "MZ", "M")}
    bodies |= {key: [round(rng.uniform(3, 4), 3) for _ in range(8)] for key in ("XX", "YY", "ZZ")}
    bodies |= {key: [round(rng.uniform(-0.1, 0.1), 3) for _ in range(8)] for key in ("XY", "XZ", "YZ")}
    text += "".join(f"{key} = {{{','.join(map(str, row))}}}\n" for key, row in bodies.items())
    chain, loop = mp.Robot.from_text(text, "par"), mp.Robot.from_text(text, "par", exact=True)
    loop = loop.with_poses(closed=[0, -pi / 2, pi, 0, 0, 0, 0, -pi / 2])
    same(loop, chain, 0, [0, -pi / 2, 0, 0, 0, 0])
    assert len(loop.base_parameters) == len(chain.base_parameters) == 39


def test_too_few_and_too_many_motors_are_still_told() -> None:
    few = ARM.replace("mu = {1,1,0,1,1,1,1,0,0,0}", "mu = {1,1,0,1,1,1,0,0,0,0}")
    many = ARM.replace("mu = {1,1,0,1,1,1,1,0,0,0}", "mu = {1,1,1,1,1,1,1,1,0,0}")
    assert mp.Robot.from_text(few, "par").loops and mp.Robot.from_text(many, "par").loops
