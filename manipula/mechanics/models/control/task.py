"""What laws of the tool have in common: the motion wanted, the error of position and orientation, the task's Jacobian.

The task is the whole pose, or the position of the tool alone. x_ref is the position, then the quaternion (e0, e1, e2,
e3) of the orientation wanted; its length does not matter. With R_ref and R the orientations wanted and measured, and
(η, ε) the unit quaternion of R_ref Rᵀ with η ≥ 0, the error of the orientation is 2ε: for small angles the vector of
the turn that is left, world axes, and zero nowhere else than at the goal.

Near a singularity least squares are damped (`damped`), more the nearer.

Source: Siciliano, Sciavicco, Villani, Oriolo, "Robotics: Modelling, Planning and Control" (2009), section 3.7.3
(orientation error by angle and axis, and by the unit quaternion); Chiaverini, Siciliano, Egeland, "Review of the damped
least-squares inverse kinematics with experiments on an industrial robot manipulator", IEEE Transactions on Control
Systems Technology 2(2), 1994 (the damping that begins at a smallest singular value).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from manipula.errors import InputError
from manipula.mechanics.models.dynamics.inertia_inverse import InertiaSolver, least
from manipula.mechanics.models.entry import Block, Given, ModelCall, Result, variables
from manipula.mechanics.models.kinematics.orientation import matrix_from_quaternion, quaternion_from_matrix
from manipula.mechanics.models.ports import EFFORT, SMOOTHING, PortKind
from manipula.mechanics.spatial.vector import Vec3, dot, matmul, transpose
from manipula.messages import Message
from manipula.scalar import Maths, Scalar, Tolerance

Rows = list[list[Scalar]]
LawText = Callable[["Task", Maths[Scalar], ModelCall, Given], dict[str, Any]]
NULL_SPACE = PortKind("null", "1/s", "how fast motions that do not move the tool are braked", role="setting", default=1)
SHARE = Result("1", "share of the damping at work: 0 away from singularities, 1 in them")
HAIR = Tolerance("1e-9", "1e-4")
_AXES, _TURNS = ("x", "y", "z"), ("rx", "ry", "rz")


@dataclass(frozen=True)
class Task:
    """Which freedoms of the tool a law rules: three of its position, and three of its orientation or none."""

    name: str
    axes: tuple[str, ...]

    @property
    def size(self) -> int:
        return len(self.axes)

    @property
    def references(self) -> tuple[PortKind, ...]:
        """x_ref, xd_ref, xdd_ref"""
        turned = ("e0_ref", "e1_ref", "e2_ref", "e3_ref") if self.size > len(_AXES) else ()
        what = "position of the tool, then the quaternion of its orientation" if turned else "position of the tool"
        place = (*(f"{axis}_ref" for axis in _AXES), *turned)
        how = "velocity of the tool, linear, then angular, world axes" if turned else "velocity of the tool"
        return (
            PortKind("x_ref", "m, 1" if turned else "m", f"{what} wanted", place),
            PortKind("xd_ref", "m/s, rad/s", f"{how} wanted", tuple(f"{axis}d_ref" for axis in self.axes)),
            PortKind("xdd_ref", "m/s², rad/s²", "its rate wanted", tuple(f"{axis}dd_ref" for axis in self.axes)),
        )

    def gains(self, name: str, unit: str, doc: str) -> PortKind:
        """A setting of three axes, and of all turns together: so a spring of the orientation has a potential."""
        names = (*_AXES, "turn") if self.size > len(_AXES) else _AXES
        return PortKind(name, unit, doc, tuple(f"{name}_{axis}" for axis in names), "setting")


POSE, POSITION = Task("pose", (*_AXES, *_TURNS)), Task("position", _AXES)
TASKS = {task.name: task for task in (POSE, POSITION)}


class Tool(NamedTuple):
    """The tool at one moment: its Jacobian, its velocity, and how far it is from what is wanted."""

    J: Rows
    v: list[Scalar]
    error: list[Scalar]
    lag: list[Scalar]  # ẋ_ref − ẋ


def task_named(name: object) -> Task:
    if not isinstance(name, str) or name not in TASKS:
        raise InputError("task: expected 'pose' or 'position', found {name!r:.60}", name)
    return TASKS[name]


def tool(maths: Maths[Scalar], call: ModelCall, x: Given, task: Task) -> Tool:
    """What a law of the tool starts from."""
    J = [list(row) for row in call("jacobian", q=x["q"])["J"][: task.size]]
    v = [dot(row, x["qd"]) for row in J]
    lag = [fast - now for fast, now in zip(x["xd_ref"], v, strict=True)]
    return Tool(J, v, _error(maths, call("pose", q=x["q"])["T"], x["x_ref"]), lag)


def refuse_few(law: str, joints: int, task: Task) -> None:
    """Raises where joints are fewer than the freedoms that a law must rule all."""
    if joints < task.size:
        found = Message("1 joint") if joints == 1 else Message("{joints} joints", joints)
        raise InputError(
            (
                "{law}: {found} cannot follow a {task}, which has {size} freedoms"
                if task is POSITION
                else (
                    "{law}: {found} cannot follow a {task}, which has {size} freedoms; "
                    "task='position' asks for three, impedance for any number"
                )
            ),
            law,
            found,
            task.name,
            task.size,
        )


def _error(maths: Maths[Scalar], T: Sequence[Sequence[Scalar]], wanted: Sequence[Scalar]) -> list[Scalar]:
    place = [there - row[3] for there, row in zip(wanted, T[:3])]
    if len(wanted) == len(place):
        return place
    # R_ref of the quaternion over its length, (η, ε) of R_ref Rᵀ
    long = 1 / maths.sqrt(dot(wanted[3:], wanted[3:]))
    x, y, z = (Vec3(row[:3]) for row in T[:3])
    turn = matmul(matrix_from_quaternion([long * e for e in wanted[3:]]), transpose((x, y, z)))
    return place + [2 * e for e in quaternion_from_matrix(turn, maths)[1:]]


class Open(NamedTuple):
    """What a law of the tool still has to bring about, its joints braked by themselves."""

    tool: Tool
    still: list[Scalar]  # q̈₀ = −null q̇: what the task leaves open is braked
    left: list[Scalar]  # a − J̇ q̇ − J q̈₀,  a = ẍ_ref + kd (ẋ_ref − ẋ) + kp x̃


def left_open(law: str, task: Task, maths: Maths[Scalar], call: ModelCall, x: Given) -> Open:
    """What the accelerations of the joints, or forces on the tool, are to give."""
    refuse_few(law, len(x["q"]), task)
    at = tool(maths, call, x, task)
    bias = call("tool_bias", q=x["q"], qd=x["qd"])["a"][: task.size]
    still = [-k * rate for k, rate in zip(x["null"], x["qd"], strict=True)]
    ask = [far + push - b for far, push, b in zip(x["xdd_ref"], pull(x, at, task), bias, strict=True)]
    return Open(at, still, [want - given for want, given in zip(ask, times(at.J, still), strict=True)])


def tool_law(
    name: str, doc: str, task: Task, ports: Sequence[PortKind], text: LawText, calls: Sequence[str] = ()
) -> Block:
    """A law that rules all freedoms of a task; `ports` are what it damps singularities by, `calls` what it asks
    besides."""
    gains = task.gains("kp", "1/s²", "proportional gains of the tool"), task.gains("kd", "1/s", "its derivative gains")
    inputs = (*variables("q", "qd"), *task.references, *gains, NULL_SPACE, *ports, SMOOTHING)
    outputs = {"tau": Result(EFFORT, "joint torques"), "damped": SHARE}
    models = ("pose", "jacobian", "tool_bias", *calls, "inverse_dynamics_smooth")
    return Block(name, doc, inputs, outputs, partial(text, task), models)


def spread(gains: Sequence[Scalar], task: Task) -> list[Scalar]:
    """One gain an axis of the task."""
    return [*gains[:3], *[gains[3]] * (task.size - 3)] if task.size > len(_AXES) else list(gains)


def pull(x: Given, at: Tool, task: Task) -> list[Scalar]:
    """kd (ẋ_ref − ẋ) + kp x̃"""
    rows = zip(spread(x["kp"], task), at.error, spread(x["kd"], task), at.lag, strict=True)
    return [p * e + d * v for p, e, d, v in rows]


class Damped(NamedTuple):
    """The system A y = right, and how much of its damping is at work: 0 away from singularities, 1 in them."""

    solve: InertiaSolver
    share: Scalar


def damp_matrix(maths: Maths[Scalar], A: Rows, threshold: Scalar, most: Scalar) -> Damped:
    """A + share · most · 1, A symmetric and positive, its smallest eigenvalue known by 1/tr A⁻¹.

    share = max(0, 1 − σ²/σ₀²), so that nothing is damped where A is large enough; the trace is taken of A and a hair
    more, for in a singularity there is no inverse.
    """
    hair = threshold * maths.number(HAIR)
    share = maths.maximum(1 - least(_add_to_diagonal(A, hair)) * (1 / threshold), 0)
    return Damped(InertiaSolver(_add_to_diagonal(A, share * most)), share)


def _add_to_diagonal(A: Rows, by: Scalar) -> Rows:
    return [[x + by if i == j else x for j, x in enumerate(row)] for i, row in enumerate(A)]


def gram(rows: Sequence[Sequence[Scalar]], others: Sequence[Sequence[Scalar]]) -> Rows:
    """The symmetric matrix of the products of rows with others: one half is computed."""
    lower = [[dot(rows[i], others[j]) for j in range(i + 1)] for i in range(len(rows))]
    return [[lower[max(i, j)][min(i, j)] for j in range(len(rows))] for i in range(len(rows))]


def times(J: Rows, q: Sequence[Scalar]) -> list[Scalar]:
    """J q̇"""
    return [dot(row, q) for row in J]


def transpose_times(J: Rows, f: Sequence[Scalar]) -> list[Scalar]:
    """Jᵀ f"""
    return [dot(column, f) for column in zip(*J)]
