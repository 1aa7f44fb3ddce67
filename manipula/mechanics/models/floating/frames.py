"""Several frames at once: their Jacobians and biases, wrenches on them, and motion while some of them are held.

A frame that is held gives rows of J: the velocity of its origin (point), that and its angular velocity (pose), or the
velocity of the point in which a ball or an upright wheel of radius r touches level ground (rolling):

    point  v        pose  v, ω        rolling  v − r ω×ẑ

With v the rates of the base and the joints, λ the forces that hold, and h all that is not M v̇,

    M v̇ + h = τ + Jᵀλ        J v̇ + J̇v = −kd J v − kp e        Λ λ = −kd J v − kp e − J̇v − J M⁻¹(τ − h),  Λ = J M⁻¹ Jᵀ

e is how far the rows have drifted; kp and kd pull them back. On a base that moves τ has no part on the base.

Source: Featherstone, "Rigid Body Dynamics Algorithms" (2008), chapters 8.3 and 8.4; Baumgarte, "Stabilization of
constraints and integrals of motion in dynamical systems", Computer Methods in Applied Mechanics and Engineering 1
(1972).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import isfinite
from numbers import Real
from typing import Any

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.models.dynamics import composite
from manipula.mechanics.models.dynamics.friction import NO_FORWARD, refuse_loaded
from manipula.mechanics.models.dynamics.inertia_inverse import InertiaSolver, mobility
from manipula.mechanics.models.dynamics.newton_euler import NOTHING, Loaded, Moving, load, together
from manipula.mechanics.models.dynamics.torque import actuator_torque, inverse_dynamics
from manipula.mechanics.models.entry import TOOL, TORQUES, Given, Method, ModelEntry, Outputs
from manipula.mechanics.models.floating import dynamics, kinematics
from manipula.mechanics.models.floating.forms import floating_form
from manipula.mechanics.models.kinematics import jacobian as fixed
from manipula.mechanics.robot.description import BASE as BASE_ROW
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.topology import frame_meant
from manipula.mechanics.robot.tree import BASE, Mark, Tree
from manipula.mechanics.spatial.inertia import Wrench
from manipula.mechanics.spatial.vector import NULL, Matrix, Vec3, cross, dot, neg, sub, unrotate
from manipula.messages import Message
from manipula.scalar import Scalar

Rows = list[list[Scalar]]
Hold = tuple[str, Fraction]  # how a frame is held; the radius of what rolls
ROWS = {"point": 3, "pose": 6, "rolling": 3}  # that are held


def about_frames(model: ModelEntry, robot: RobotDescription, hold: Sequence[Hold]) -> ModelEntry:
    """The model of the frames that a request names."""
    if robot.coordinates.followers:
        raise InputError("{robot}: {name} is not made for robots in which joints follow others", robot.name, model.name)
    form = floating_form(model, robot) if robot.moving else model
    if model.framed and (model.name == "constrained_dynamics") != bool(hold):
        raise InputError(
            "{name} takes {word}=: {meaning}",
            model.name,
            *(("frames", Message("names of frames")) if hold else ("hold", Message("frames and how each is held"))),
        )
    if model.framed:
        return replace(form, methods={name: _held(method, hold) for name, method in form.methods.items()})
    if not model.takes_wrench or model.name != "inverse_dynamics":
        raise InputError("{name} has no use for several frames", model.name)
    methods = {name: _pushed(method) for name, method in form.methods.items()}
    field = None if form.field is None else _pushed(form.field)
    return replace(form, methods=methods, field=field, takes_wrench=True)


def frames_asked(
    robot: RobotDescription, frames: Sequence[str], hold: Mapping[str, object] | None
) -> tuple[tuple[str, ...], tuple[Hold, ...]]:
    """The frames of a request, by name, and how each is held."""
    if hold is not None:
        return holds_from(robot, hold)
    if isinstance(frames, str) or not all(isinstance(name, str) for name in frames):
        raise InputError("frames: expected a list of names, found {frames!r}", frames)
    return tuple(frames), ()


def holds_from(robot: RobotDescription, hold: Mapping[str, object]) -> tuple[tuple[str, ...], tuple[Hold, ...]]:
    """The frames and how each is held, from {"FL_FOOT": "point", "WHEEL": ("rolling", 0.1)}."""
    if not isinstance(hold, Mapping) or not hold:
        raise InputError(
            'hold: expected frames and how each is held, such as {{"foot": "point"}}, found {hold!r}', hold
        )
    found = tuple(_hold(name, how) for name, how in hold.items())
    rows, freedoms = sum(ROWS[kind] for kind, _ in found), robot.dof + (6 if robot.moving else 0)
    if rows > freedoms:
        raise InputError("{name}: {rows} rows are held, and it has {freedoms} freedoms", robot.name, rows, freedoms)
    return tuple(hold), found


def _hold(name: str, how: object) -> Hold:
    kind, *rest = how if isinstance(how, tuple | list) else (how,)
    if kind not in list(ROWS):
        raise UnknownNameError(Message("way to hold frame {name!r}", name), str(kind), ROWS)
    radius = rest[0] if rest else 0
    number = isinstance(radius, Real) and not isinstance(radius, bool) and isfinite(radius)
    if len(rest) > 1 or not number or (kind == "rolling") != (radius > 0):
        raise InputError('hold: {name}: expected "point", "pose" or ("rolling", radius), found {how!r}', name, how)
    return str(kind), Fraction(repr(float(radius)))


def refuse_still(robot: RobotDescription, names: Sequence[str]) -> None:
    """A frame that nothing moves cannot be held or pushed."""
    for name in () if robot.moving else names:
        if frame_meant(robot, name).on == BASE_ROW:
            raise InputError("{name}: frame {frame!r} stands on a base that does not move", robot.name, name)


def _held(method: Callable[..., Outputs], hold: Sequence[Hold]) -> Method:
    return (lambda chain, x: method(chain, x, hold)) if hold else method


# wrenches on frames


def push_torques(chain: Tree, q: Sequence[Scalar], wrenches: Sequence[Scalar]) -> tuple[list[Scalar], list[Scalar]]:
    """−Jᵀ·wrench of every frame: on the joints, and on the base, at its origin and in its axes."""
    motions, held = chain.motions(q), dict[int, Wrench]()
    for k, mark in enumerate(chain.marks):
        force, moment = Vec3(wrenches[6 * k : 6 * k + 3]), Vec3(wrenches[6 * k + 3 : 6 * k + 6])
        way = [(chain.links[i], motions[i]) for i in chain.support(mark.on)]
        first = [] if chain.moving else [chain.base.R]
        for R in [*first, *(R for link, m in way for R in (link.before.R, m.R, link.after.R))]:
            force, moment = unrotate(R, force), unrotate(R, moment)
        push = Wrench(neg(force), -(moment + cross(mark.at.p, force)))
        held[mark.on] = held[mark.on] + push if mark.on in held else push
    own = held.pop(BASE, NOTHING)
    rows = [(link, motion, NULL, NULL) for link, motion in zip(chain.links, motions)]
    loads = chain.inward(load, rows, {i: Loaded(NOTHING, NOTHING, push) for i, push in held.items()})
    tau = [link.along_z(link.kind.effort(x.joint.f, x.joint.n)) for link, x in zip(chain.links, loads)]
    whole = together(own, chain.on_base(loads))
    return tau, [*whole.f, *whole.n]


def _pushed(method: Callable[..., Mapping[str, Any]]) -> Callable[..., Outputs]:
    """Inverse dynamics with wrenches on frames."""

    def made(chain: Tree, x: Given, *choices: object) -> Outputs:
        refuse_loaded(chain, NO_FORWARD)
        found = method(chain, x, *choices)
        tau, base = push_torques(chain, x["q"], x["wrenches"])
        pushes = {"tau": tau, "base_wrench": base}
        return {name: [a + b for a, b in zip(value, pushes[name])] for name, value in found.items()}

    return made


# Jacobians and biases


def _turn(x: Given) -> Matrix:
    return dynamics.matrix_from(x["R0"])


def frame_jacobians(chain: Tree, x: Given) -> list[Rows]:
    """Of every frame, world axes; of a base that moves its six columns first."""
    if chain.moving:
        return [kinematics.jacobian(kinematics.at_frame(chain, mark), x["q"], _turn(x)) for mark in chain.marks]
    return [fixed.jacobian(kinematics.at_frame(chain, mark), x["q"]) for mark in chain.marks]


def frame_biases(chain: Tree, x: Given) -> Rows:
    """J̇·v of every frame, world axes."""

    def bias(mark: Mark) -> list[Scalar]:
        there = kinematics.at_frame(chain, mark)
        if chain.moving:
            return kinematics.bias(there, x["q"], x["qd"], _turn(x), dynamics.at_constant_rates(x))
        return fixed.tool_bias(there, x["q"], x["qd"])

    return [bias(mark) for mark in chain.marks]


# frames that are held


def held_rows(six: Sequence[Any], hold: Hold) -> list[Any]:
    """Of six rows, linear then angular, those that are held; a row may be a number or a list of them."""
    kind, radius = hold
    if kind == "pose":
        return list(six)
    linear = list(six[:3])
    if kind == "rolling":
        # v − r ω×ẑ = v − r (ω_y, −ω_x, 0)
        linear[0] = _combine(linear[0], six[4], -radius)
        linear[1] = _combine(linear[1], six[3], radius)
    return linear


def _combine(a: object, b: Any, factor: Fraction) -> Any:
    if isinstance(a, list):
        return [_combine(x, y, factor) for x, y in zip(a, b, strict=True)]
    return a if isinstance(b, int) and b == 0 else a + _times(b, factor)


def _times(x: Any, factor: Fraction) -> Any:
    return float(factor) * x if isinstance(x, float) else factor * x


def constrained_dynamics(chain: Tree, x: Given, hold: Sequence[Hold] = ()) -> Outputs:
    """Accelerations and the forces that hold, row by row."""
    refuse_loaded(chain, NO_FORWARD)
    kinds = hold or [("point", Fraction(0))] * len(chain.marks)
    J = [row for rows, how in zip(frame_jacobians(chain, x), kinds) for row in held_rows(rows, how)]
    bias = [b for rows, how in zip(frame_biases(chain, x), kinds) for b in held_rows(rows, how)]
    M, right, rates = _equations(chain, x)
    solve, (kp, kd) = InertiaSolver(M), x["baumgarte"]
    free = solve(right)
    wanted = [
        -(kd * dot(row, rates) + kp * e) - b - dot(row, free) for row, b, e in zip(J, bias, x["drift"], strict=True)
    ]
    forces = InertiaSolver(mobility(J, M))(wanted)
    moved = solve([sum((row[k] * f for row, f in zip(J, forces)), 0) for k in range(len(M))])
    found = [a + b for a, b in zip(free, moved)]
    base = {"base_acceleration": found[:6]} if chain.moving else {}
    return {"qdd": found[len(found) - chain.dof :], **base, "forces": forces}


def _equations(chain: Tree, x: Given) -> tuple[Rows, list[Scalar], list[Scalar]]:
    """M, τ − h, and the rates."""
    still = [0] * chain.dof
    if not chain.moving:
        h = inverse_dynamics(chain, x["q"], x["qd"], still)
        return composite.inertia_matrix(chain, x["q"]), [t - b for t, b in zip(x["tau"], h)], list(x["qd"])
    at = dynamics.at_constant_rates(x)
    weighed = Moving(at.w, at.wd, sub(at.vd, unrotate(_turn(x), chain.gravity)))
    tau, wrench = dynamics.plain_forces(chain, x["q"], x["qd"], still, weighed)
    motors = actuator_torque(chain, x["qd"], still, tau)
    right = [*(-w for w in wrench), *(t - a - b for t, a, b in zip(x["tau"], tau, motors))]
    return dynamics.inertia_composite(chain, x["q"]), right, [*x["v0"], *x["w0"], *x["qd"]]


HELD = ("drift", "baumgarte")
OUTPUTS: Mapping[str, tuple[str, str]] = {
    "qdd": ("rad/s² or m/s²", "joint accelerations"),
    "forces": ("N, N·m", "that hold the frames, on the robot: row by row, world axes"),
}
ABOUT_FRAMES = (
    ModelEntry(
        "frame_jacobians", "velocity of every frame per joint velocity, world axes", ("q",),
        {"Js": ("m/rad or 1", "a matrix a frame: linear rows, then angular")},
        {"columns": lambda c, x: {"Js": frame_jacobians(c, x)}}, TOOL, trees=("columns",), floating="frames",
        framed=True,
    ),
    ModelEntry(
        "frame_biases", "acceleration of every frame at constant rates, world axes", ("q", "qd"),
        {"biases": ("m/s², rad/s²", "a row a frame: linear, then angular")},
        {"columns": lambda c, x: {"biases": frame_biases(c, x)}}, TOOL, trees=("columns",), floating="frames",
        framed=True,
    ),
    ModelEntry(
        "constrained_dynamics", "accelerations under given torques while frames are held, and the forces that hold",
        ("q", "qd", "tau", *HELD), OUTPUTS, {"inertia-matrix": constrained_dynamics}, TORQUES | TOOL,
        trees=("inertia-matrix",), wants="independent freedoms of the frames that are held", floating="frames",
        framed=True,
    ),
)  # fmt: skip
_MOVING = {
    "frame_jacobians": ("q", "R0"),
    "frame_biases": ("q", "qd", "R0", "v0", "w0"),
    "constrained_dynamics": ("q", "qd", "tau", *HELD, "R0", "v0", "w0"),
}
FORMS = {entry.name: replace(entry, inputs=_MOVING[entry.name]) for entry in ABOUT_FRAMES}
FORMS["constrained_dynamics"] = replace(
    FORMS["constrained_dynamics"],
    outputs={
        "qdd": OUTPUTS["qdd"],
        "base_acceleration": ("m/s², rad/s²", "rates of v0 and w0, base axes"),
        "forces": OUTPUTS["forces"],
    },
)
