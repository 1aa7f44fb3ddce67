"""Linkages of an MJCF beside MuJoCo: its mass matrix, its weight and the Jacobian of its equalities give those of the
motors. Rods on balls, welds that turn, tendons, files in parts, loops between branches of a base that moves."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import InputError, ManipulaWarning

mujoco = pytest.importorskip("mujoco")

BODY = '<inertial pos="{0}" mass="{1}" fullinertia="0.02 0.022 0.03 0.001 0.002 -0.001"/>'


def ankle(rod: str, base: str = "", head: str = "", closing: str = "connect") -> str:
    """A foot on two hinges, turned by two cranks with rods: `rod` are the joints between crank and rod."""

    def crank(side: str, y: float) -> str:
        return (
            f'<body name="crank{side}" pos="-0.02 {y} 0.3"><joint name="m{side}" axis="0 1 0"/>'
            f'{BODY.format("0.02 0 0", 0.3)}<body name="rod{side}" pos="-0.06 0 0">{rod.replace("?", side)}'
            f'{BODY.format("0 0 -0.15", 0.2)}<site name="end{side}" pos="0 0 -0.3"/></body></body>'
        )

    ends = "".join(f'<{closing} name="{s}" site1="end{s}" site2="lug{s}"/>' for s in "lr")
    if closing == "weld":
        ends = ends.replace("/>", ' torquescale="0"/>')
    return (
        f'<mujoco model="ankle">{head}<worldbody><body name="shank" pos="0 0 1">{base}{BODY.format("0 0 0.2", 3)}'
        f'{crank("l", 0.05)}{crank("r", -0.05)}<body name="foot"><joint name="pitch" axis="0 1 0"/>'
        f'<joint name="roll" axis="1 0 0"/>{BODY.format("0.03 0 -0.05", 1.2)}<site name="lugl" pos="-0.08 0.05 0"/>'
        f'<site name="lugr" pos="-0.08 -0.05 0"/></body></body></worldbody><equality>{ends}</equality>'
        '<actuator><motor joint="ml"/><motor joint="mr"/></actuator></mujoco>'
    )


HINGES = '<joint name="x?" axis="1 0 0"/><joint name="y?" axis="0 1 0"/>'
BALL = '<joint name="b?" type="ball"/>'
STILL = {"bl_z": 0.0, "br_z": 0.0}
SCISSORS = f"""<mujoco model="scissors"><compiler angle="radian"/><option gravity="0 -9.81 0"/>
<default><default class="hidden"><equality active="false"/></default></default><worldbody>
<body name="a1"><joint name="a1"/>{BODY.format("0.1 0 0", 1)}<body name="b2" pos="1 0.5 0"><joint name="b2"/>
{BODY.format("0.1 0 0", 1)}</body></body><body name="foot" pos="1 0 0"><joint name="slide" type="slide" axis="1 0 0"/>
{BODY.format("0 0 0", 1)}<body name="b1"><joint name="b1"/>{BODY.format("0.1 0 0", 1)}<body name="a2" pos="-1 0.5 0">
<joint name="a2"/>{BODY.format("0.1 0 0", 1)}</body></body></body></worldbody><tendon><fixed name="t">
<joint joint="slide" coef="2"/></fixed></tendon><equality><connect body1="a1" body2="b1" anchor="0.5 0.25 0"/>
<connect body1="a2" body2="b2" anchor="0.5 0.25 0"/><weld class="hidden" body1="a1" body2="b2"/></equality>
<actuator><position name="lift" tendon="t"/></actuator></mujoco>"""


def load(text: str, folder: Path, **options: object) -> mp.Robot:
    path = folder / "linkage.xml"
    path.write_text(text)
    return mp.load(path, loops=path, **options)


class Oracle:
    """What MuJoCo says of the motors: M, the weight, at positions of all joints by name."""

    def __init__(self, text: str, robot: mp.Robot) -> None:
        self.m = mujoco.MjModel.from_xml_string(text)
        self.m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
        self.d, self.robot = mujoco.MjData(self.m), robot
        self.dof = [self.m.jnt_dofadr[self.m.joint(name).id] for name in robot.joint_names]

    def motors(self, q: Any, R: Any = None) -> tuple[Any, Any]:
        m, d, nv = self.m, self.d, self.m.nv
        base = [i for i in range(6) if self.robot.moving]
        d.qpos[:] = m.qpos0
        d.qpos[[m.jnt_qposadr[m.dof_jntid[i]] for i in self.dof]] = q
        if base:
            mujoco.mju_mat2Quat(d.qpos[3:7], R.ravel())
        mujoco.mj_forward(m, d)
        held = [i for i in range(d.nefc) if d.efc_type[i] == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
        J, column, M = np.zeros((len(held), nv)), np.zeros(d.nefc), np.zeros((nv, nv))
        for row, i in enumerate(held):
            column[:] = 0
            column[i] = 1
            mujoco.mj_mulJacTVec(m, d, J[row], column)
        for i in range(nv):
            mujoco.mj_mulM(m, d, M[i], np.eye(nv)[i])
        driven = [*base, *(self.dof[c] for c in self.robot.motor_coordinates)]
        passive = [i for i in range(nv) if i not in driven]
        G = np.zeros((nv, len(driven)))
        G[driven, range(len(driven))] = 1
        G[passive] = -np.linalg.lstsq(J[:, passive], J[:, driven], rcond=1e-9)[0]
        if base:  # MuJoCo has the base's velocity in world axes
            G[:, :3] = G[:, :3] @ R
        assert np.abs(J @ G).max() < 1e-9 and np.abs(d.efc_pos[held]).max() < 1e-11
        return G.T @ M @ G, G.T @ d.qfrc_bias


@pytest.mark.drawn("base")
@pytest.mark.parametrize("base", ["", "<freejoint/>"])
@pytest.mark.parametrize("closing", ["connect", "weld"])
def test_an_ankle_with_two_rods(base: str, closing: str, tmp_path: Path) -> None:
    """A weld without torque holds points together: it is a ball, as `connect`."""
    text = ankle(HINGES, base, closing=closing)
    robot = load(text, tmp_path)
    assert robot.motors == ("ml", "mr") and {loop.free for loop in robot.loops} == {"ball"}
    R = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0], [0.48, 0.64, 0.6]])
    oracle = Oracle(ankle(HINGES, base), robot)
    arm, rng = mp.Arm(robot, optimise="none"), np.random.default_rng(0)
    for motors in rng.uniform(-0.3, 0.3, (3, 2)):
        q = robot.close(motors).q
        M, weight = oracle.motors(q, R)
        np.testing.assert_allclose(arm.inertia_matrix(q), M, atol=1e-12)
        np.testing.assert_allclose(arm.gravity(q, base=R) if base else arm.gravity(q), weight, atol=1e-11)


@pytest.mark.turn
def test_rods_on_balls_are_those_on_hinges(tmp_path: Path) -> None:
    """A rod between two balls spins freely: it is refused by name, until its spin is held."""
    with pytest.raises(
        InputError, match=r"bl_z, br_z can move .* name 2 of these as motors too, or hold them by locked="
    ):
        load(ankle(BALL), tmp_path).close([0.1, 0.2])
    balls, hinges = load(ankle(BALL), tmp_path, locked=STILL), load(ankle(HINGES), tmp_path)
    assert any("three hinges each, about x, y and z: bl, br" in note for note in balls.origin.notes)
    q = hinges.close([0.1, -0.2])
    np.testing.assert_allclose(balls.close([0.1, -0.2]).q, q.q, atol=1e-12)
    torques = (mp.Arm(x, optimise="none").inverse_dynamics(q, [0.3, 0.4], [0.5, -0.6]) for x in (balls, hinges))
    np.testing.assert_allclose(next(torques), next(torques), atol=1e-12)


def test_scissors_lifted_through_a_tendon(tmp_path: Path) -> None:
    robot = load(SCISSORS, tmp_path)
    assert robot.motors == ("slide",) and len(robot.loops) == 2
    arm, oracle = mp.Arm(robot, optimise="none"), Oracle(SCISSORS, robot)
    q = robot.close([0.07]).q
    M, weight = oracle.motors(q)
    np.testing.assert_allclose(arm.inertia_matrix(q), M, rtol=1e-12)
    np.testing.assert_allclose(arm.gravity(q), weight, rtol=1e-12)
    with pytest.warns(ManipulaWarning, match="no motors are made of actuators that pull at no joint: lift"):
        both = load(SCISSORS.replace("</fixed>", '<joint joint="a1" coef="1"/></fixed>'), tmp_path)
    assert both.motors == ()


def test_motors_may_be_named_and_files_may_be_in_parts(tmp_path: Path) -> None:
    head, body = ankle(HINGES).split("<worldbody>")
    inside, tail = body.split("</worldbody>")
    (tmp_path / "part.xml").write_text(f"<mujocoinclude>{inside}</mujocoinclude>")
    text = f'{head}<worldbody><include file="part.xml"/></worldbody>{tail}'
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot = load(text, tmp_path, motors=["roll", "pitch"])
    assert robot.motors == ("pitch", "roll")
    at = robot.close({"pitch": 0.1, "roll": -0.1})
    np.testing.assert_allclose(load(text, tmp_path).close(at.q[[0, 1]]).q, at.q, atol=1e-9)
    assert load(text, tmp_path, motors="roll").motors == ("roll",)
    with pytest.raises(InputError, match="'knee'"):
        load(text, tmp_path, motors=["knee"])


def legs(base: str, equality: str) -> str:
    """Two legs of two hinges below a trunk, bent; on one a pad that is fixed; a plate stands on the ground."""

    def leg(side: str, y: float, end: str) -> str:
        return (
            f'<body name="thigh{side}" pos="0 {y} 0" euler="0 20 0"><joint name="hip{side}" axis="0 1 0"/>'
            f'{BODY.format("0 0 -.1", 1)}<body name="shin{side}" pos="0 0 -.3" euler="0 -50 0">'
            f'<joint name="knee{side}" axis="0 1 0"/>{BODY.format("0 0 -.1", 0.5)}{end}</body></body>'
        )

    pad = f'<body name="pad" pos="0 0.02 -0.3" euler="20 10 0">{BODY.format("0 0 0", 0.1)}</body>'
    return (
        f'<mujoco model="legs"><worldbody><body name="trunk">{base}{BODY.format("0 0 0", 5)}{leg("a", 0.1, pad)}'
        f'{leg("b", -0.1, "")}</body><body name="floor" pos="0 0 -1" euler="10 20 30"><body name="plate" pos="1 2 3"/>'
        f'</body></worldbody><equality>{equality}</equality><actuator><motor joint="hipa"/><motor joint="kneea"/>'
        '<motor joint="hipb"/></actuator></mujoco>'
    )


@pytest.mark.parametrize("base", ["", "<freejoint/>"])
def test_loops_between_branches_may_hold_bodies_that_are_fixed(base: str, tmp_path: Path) -> None:
    """A pad on a shin; on the ground a plate on a turned floor, where the base stands still."""
    R = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0], [0.48, 0.64, 0.6]])
    text = legs(base, '<connect body1="pad" body2="shinb" anchor="0 0.01 -0.02"/>')
    robot = load(text, tmp_path, motors=["hipa", "kneea"])
    q = robot.close([0.1, -0.2]).q
    M, weight = Oracle(text, robot).motors(q, R)
    arm = mp.Arm(robot, optimise="none")
    np.testing.assert_allclose(arm.inertia_matrix(q), M, atol=1e-12)
    np.testing.assert_allclose(arm.gravity(q, base=R) if base else arm.gravity(q), weight, atol=1e-11)


def test_a_foot_on_the_ground_is_no_loop_of_a_base_that_moves(tmp_path: Path) -> None:
    """Its trunk is no ground: such a foot is held by hold=."""
    for ground in ('body2="plate"', ""):
        equality = f'<connect body1="pad" {ground} anchor="0 0 0"/>'
        with pytest.raises(InputError, match=r"is no body of the robot .*held to the ground by hold="):
            load(legs("<freejoint/>", equality), tmp_path)
        robot = load(legs("", equality), tmp_path, motors=["hipb", "kneeb"])
        oracle = Oracle(legs("", equality), robot)
        assert [frame.on for frame in robot.frames if frame.name.endswith("_second")] == [""]
        oracle.motors([0.0] * 4)  # its equality holds there
        assert robot.loops[0].free == "ball"
