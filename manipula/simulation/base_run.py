"""A robot on a base that moves freely, in time: its base's pose and twist beside its joints, in flight or on frames
that are held.

One proved function of a step is repeated (`integrate.flight`). What was recorded is then read with the models: joint
accelerations, energies and their balance, momentum about the centre of mass, which in flight the weight alone changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any

import numpy as np

from manipula.errors import DivergenceError, InputError, UnknownNameError, caution
from manipula.generation.results.system import Law, System
from manipula.ik.arm.numeric_arm import NumericArm
from manipula.mechanics.models.floating.frames import holds_from
from manipula.mechanics.models.motion.ports import Motion
from manipula.recordings.log import Log
from manipula.robot import Robot
from manipula.simulation.balance import energies, error_of
from manipula.simulation.inputs import RUNAWAY, torques_from
from manipula.simulation.loop import Sensors, loop_system
from manipula.simulation.run import Run
from manipula.simulation.states import BaseState, rotation
from manipula.simulation.stepping import Array, Drive, Functions, Limits, Marched, refuse_unknown, run_steps
from manipula.simulation.task import numbers, refuse_reference, steps_of
from manipula.support.progress import Tell

UNITS = {"p0": "m", "quaternion": "1", "v0": "m/s", "w0": "rad/s", "drift": "m, rad"}  # of the base's states
REFERENCES = ("q_ref", "qd_ref", "qdd_ref")
CLOSE = 1e-9  # m/s, rad/s: held frames move slower than this when a run begins, relative to its velocities


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class BaseRun(Run):
    """A run of a robot whose base moves: `state` has p0, quaternion, v0 and w0 beside what a law remembered.

    `energy` (…, time, 2) is kinetic and potential energy, `momentum` (…, time, 6) linear and angular momentum about the
    centre of mass, world axes. `forces` (…, time, rows) hold the frames of `hold`, world axes, on the robot, and
    `state["drift"]` is how far their rows have moved; both are empty in flight.
    """

    energy: Array
    momentum: Array
    forces: Array

    @property
    def base(self) -> BaseState:
        """The states as `mp.states` has them, every field (…, time, size)."""
        x = self.state
        return BaseState(x["p0"], x["quaternion"], x["v0"], x["w0"], self.q, self.qd)

    def log(self) -> Log:
        """What was recorded, without the rest."""
        units = {name: unit for name, unit in UNITS.items() if name in self.state}
        return replace(super().log(), state_units=units)

    def _picture(self, parameters: Mapping[str, float] | None) -> tuple[Run, Callable[[Array], Any]]:
        arm = NumericArm(self.robot, optimise="none")

        def frames(x: Array) -> Array:
            """Poses of the base, the links and the tool from p0, quaternion and q side by side."""
            e = x[:, 3:7] / np.linalg.norm(x[:, 3:7], axis=1, keepdims=True)
            T0 = BaseState(x[:, :3], e, x[:, :3], x[:, :3], x, x).T0
            return np.concatenate([T0[:, None], arm.frames(x[:, 7:], base=T0)], axis=1)

        together = np.concatenate([self.state["p0"], self.state["quaternion"], self.q], axis=-1)
        return replace(self, q=together), frames

    def as_dict(self) -> dict[str, object]:
        from manipula.support.text import plain

        arrays: dict[str, object] = plain({"energy": self.energy, "momentum": self.momentum, "forces": self.forces})
        return super().as_dict() | arrays


def run_base(
    robot: Robot, law: object, ref: Any, *, start: object, until: float | None, step: float, method: str,
    hold: Mapping[str, object] | None, sensors: Sensors | None, every: int, threads: int, seed: int, tell: Tell,
) -> BaseRun:  # fmt: skip
    """`law`: torques, held or a row a step, a function (t, state) → torques, a law that needs no model, or None."""
    refuse_unknown(robot, [name for name in robot.parameters if robot.parameters[name] is None])
    refuse_reference(robot, ref)
    steps = steps_of(ref, until, step)
    if not isinstance(every, int) or isinstance(every, bool) or not 1 <= every <= steps:
        raise InputError("every: expected a whole number, 1 to {steps}, found {every!r}", steps, every)
    if ref is not None and not isinstance(law, Law):
        raise InputError("ref: a robot without a law of mp.controller follows nothing")
    _caution_rubbing(robot)
    driver = law if isinstance(law, Law) else None
    inside = ref if driver is not None and driver.sample is None and getattr(ref, "block", None) is not None else None
    system = loop_system(robot, driver, inside, method=method, step=step, sensors=sensors, hold=hold, tell=tell)
    times = step * np.arange(steps + 1, dtype=np.float64)
    state = _begin(robot, system, start, ref)
    _refuse_moving_frames(robot, state, hold)
    # all steps are read, so that the balance is exact; the run keeps some of them
    along, drive = _inputs(robot, system, law, ref, state, times)
    went = run_steps(
        system, state, steps, along, drive, {}, every=1, threads=threads, seed=seed,
        tell=lambda done: tell(f"{done} of {steps} steps"),
    )  # fmt: skip
    times = times[: went.steps + 1]
    _refuse_runaway(robot, went, times, method)
    about = {
        "method": method,
        "step": step,
        "law": getattr(law, "law", None),
        "hold": None if hold is None else [*hold],
    }
    held = driver is None or driver.sample is not None
    wanted = None if ref is None else Motion(*(np.asarray(x)[..., ::every, :] for x in ref(times)))
    run = _read(robot, system, went, times, hold, held, every)
    _caution_limits(robot, run)
    return replace(run, ref=wanted, whole=went.steps == steps, about=about)


# where it begins


def _begin(robot: Robot, system: System, start: object, ref: Any) -> Any:
    """A named tuple of states: given by name, as a `BaseState`, or as q or (q, qd)."""
    known = ("p0", "quaternion", "v0", "w0", "q", "qd")
    if isinstance(start, BaseState):
        given: dict[str, Any] = start._asdict()
    elif isinstance(start, Mapping):
        given = dict(start)
    elif start is None:
        given = {} if ref is None else dict(zip(("q", "qd"), ref(0.0)))
    else:
        pair = isinstance(start, tuple) and len(start) == 2 and np.ndim(start[0]) > 0
        both: Any = start if pair else (start,)
        given = dict(zip(("q", "qd"), both))
    for name in given:
        if name not in known:
            raise UnknownNameError("state of the robot", str(name), known)
    sizes = {"p0": 3, "quaternion": 4, "v0": 3, "w0": 3}
    found = {name: _state(name, value, sizes.get(name, robot.dof)) for name, value in given.items()}
    if "quaternion" in found:
        rotation(found["quaternion"])  # of another length than 1 it is refused
    return system.start(**found)


def _state(name: str, value: object, size: int) -> Array:
    found = numbers(f"start: {name}", value)
    if found.shape[-1:] != (size,):
        raise InputError("start: {name}: expected shape (…, {size}), found {shape}", name, size, str(found.shape))
    return found


def _refuse_moving_frames(robot: Robot, state: Any, hold: Mapping[str, object] | None) -> None:
    """What is held does not move when the run begins."""
    if hold is None:
        return
    from manipula.mechanics.models.floating.frames import held_rows

    names, how = holds_from(robot, hold)
    J = NumericArm(robot, optimise="none").frame_jacobians(state.q, names, base=rotation(state.quaternion))
    v = np.concatenate(np.broadcast_arrays(*(x for x in (state.v0, state.w0))), -1)
    lead = np.broadcast_shapes(v.shape[:-1], state.qd.shape[:-1])
    rates = np.concatenate([np.broadcast_to(x, (*lead, x.shape[-1])) for x in (v, state.qd)], -1)
    six = np.einsum("...kij,...j->...ki", J, rates)
    for k, (name, kind) in enumerate(zip(names, how)):
        speed = max(float(np.abs(x).max()) for x in held_rows(list(np.moveaxis(six[..., k, :], -1, 0)), kind))
        if speed > CLOSE * max(1.0, float(np.abs(rates).max())):
            raise InputError(
                "start: frame {name!r} is held and moves at {speed:.3g}: give velocities that leave it at rest",
                name, speed,
            )  # fmt: skip


# what drives it


def _inputs(
    robot: Robot, system: System, law: object, ref: Any, state: Any, times: Array
) -> tuple[dict[str, Array], Drive | None]:
    """Variables along time, and the function in Python, if there is one."""
    n, count = robot.dof, len(times)
    if isinstance(law, Law):
        here = np.broadcast_to(state.q[..., None, :], (*state.q.shape[:-1], count, n))
        still = np.zeros((count, n))
        wanted = (here, still, still) if ref is None else tuple(map(np.asarray, ref(times)))
        names = [port.name for port in system.function.inputs if port.role == "variable"]
        return {name: x for name, x in zip(REFERENCES, wanted) if name in names}, None
    limits = Limits(robot).effort
    if callable(law):
        return {}, _drive(law, times, n, limits)
    if isinstance(law, str):
        raise InputError("law: found {law!r:.60}; mp.controller(robot, {law!r:.60}, …) makes a law of its name", law)
    tau = np.zeros(n) if law is None else numbers("law", law)
    if tau.shape[-1:] != (n,) or (tau.ndim > 1 and tau.shape[-2] not in (count - 1, count)):
        raise InputError(
            "{what}: expected shape ({size},) or ({steps}, {size}), one row a step, found {shape}",
            "law", n, count - 1, str(tau.shape),
        )  # fmt: skip
    tau = np.clip(tau, -limits, limits)
    if tau.ndim == 1:
        return {"tau": np.broadcast_to(tau, (count, n))}, None
    return {"tau": tau[..., np.minimum(np.arange(count), tau.shape[-2] - 1), :]}, None


def _drive(law: Callable[..., object], times: Array, n: int, limits: Array) -> Drive:
    """A function (t, state) → torques, or (t, q, qd) as for an arm, asked at every step."""
    whole = _takes(law, 2)
    if not whole and not _takes(law, 3):
        raise InputError("law: expected a function (t, state) or (t, q, qd), found {law!r:.60}", law)

    def drive(k: int, state: Any) -> Array:
        base = BaseState(*(np.array(getattr(state, name)) for name in BaseState._fields))
        wild = not max(np.abs(x).max() for x in base) < RUNAWAY
        seen = (base,) if whole else (base.q, base.qd)
        tau = torques_from(law(float(times[k]), *seen), n, float(times[k]), wild)
        return np.broadcast_to(np.clip(tau, -limits, limits), state.q.shape)

    return drive


def _takes(law: Callable[..., object], count: int) -> bool:
    """Whether so many arguments fit; of a function that cannot say, they do."""
    try:
        signature(law).bind(*range(count))
    except TypeError:
        return False
    except ValueError:
        return True
    return True


# what became of it


def _read(
    robot: Robot, system: System, went: Marched, t: Array, hold: Mapping[str, object] | None, held: bool, every: int
) -> BaseRun:
    states, tau = went.states, went.outputs["tau"]
    base = BaseState(*(states[name] for name in BaseState._fields))
    arm, R = NumericArm(robot, optimise="none"), base.R0
    stored = arm.energy(base.q, base.qd, base=(base.T0, base.v0, base.w0))
    friction = Functions(replace(robot, moving=""))("friction", base.q, base.qd, np.sign(base.qd))
    parts = energies(lambda *_: stored, t, base.q, base.qd, tau, None, np.asarray(friction), held)
    h = arm.centroidal_momentum(base.q, base.qd, base=(base.v0, base.w0)).h
    momentum = np.concatenate([np.einsum("...ij,...j->...i", R, h[..., k : k + 3]) for k in (0, 3)], -1)
    motion = (R, base.v0, base.w0)
    if hold is None:
        moved, forces = arm.forward_dynamics(base.q, base.qd, tau, base=motion), np.zeros((*t.shape, 0))
    else:
        kp, kd = system.settings["baumgarte"]
        moved = arm.constrained_dynamics(base.q, base.qd, tau, hold, base=motion, kp=kp, kd=kd, drift=states["drift"])
        forces = moved.forces
    energy = np.stack([stored.kinetic, stored.potential], -1)
    kept = slice(None, None, every)
    few = {name: x[..., kept, :] for name, x in states.items() if name not in ("q", "qd")}
    return BaseRun(
        robot=robot, t=t[kept], q=base.q[..., kept, :], qd=base.qd[..., kept, :], qdd=moved.qdd[..., kept, :],
        tau=tau[..., kept, :], ref=None, state=few, balance=error_of([parts]), whole=True, about={},
        energy=energy[..., kept, :], momentum=momentum[..., kept, :], forces=forces[..., kept, :],
    )  # fmt: skip


def _refuse_runaway(robot: Robot, went: Marched, t: Array, method: str) -> None:
    for name in BaseState._fields:
        wild = ~(np.abs(went.states[name]) < RUNAWAY)
        if wild.any():
            k = int(np.argwhere(wild.any(axis=-1).reshape(-1, wild.shape[-2]).any(axis=0))[0, 0])
            raise DivergenceError(
                "{robot}: {state} runs away at {t:g} s; take a shorter step than {step:g} s, another method than "
                "{method!r}, or other torques", robot.name, name, t[k], t[1] - t[0], method,
            )  # fmt: skip


def _caution_rubbing(robot: Robot) -> None:
    """Dry friction is the sign of the velocity here."""
    from manipula.simulation.plant import Plant

    dry = [name for name in robot.joint_names if name in Plant(replace(robot, moving=""), effort=None).dry]
    if dry:
        caution(
            "{robot}: where the base moves, dry friction of joint {joint!r} does not stick: it changes its sign with "
            "the velocity, step by step", robot.name, dry[0],
        )  # fmt: skip


def _caution_limits(robot: Robot, run: BaseRun) -> None:
    """Joints do not stop at their limits."""
    limits = Limits(robot)
    outside = (run.q < limits.lower - 1e-9) | (run.q > limits.upper + 1e-9)
    if outside.any():
        k, j = (int(i) for i in np.argwhere(outside.reshape(-1, *outside.shape[-2:]).any(axis=0))[0])
        caution(
            "{robot}: joint {joint!r} leaves its limits at {t:g} s: where the base moves, joints do not stop",
            robot.name, robot.joint_names[j], run.t[k],
        )  # fmt: skip
