"""What every joint must carry and every motor give along a motion: peak and rms torque, speed, power, and the force and
moment between two links, which size bearings and housings.

Peaks are looked for between samples, too: the motion is evaluated ever more finely around the largest sample. A
reference is a formula; between the samples of a run the joints move along the polynomials of degree 5 through their
positions, velocities and accelerations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from manipula.errors import InputError
from manipula.mechanics.models.motion.ports import Motion
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.topology import refuse_loops
from manipula.messages import Message
from manipula.simulation.stepping import Array, Functions, Limits
from manipula.support.text import html_table, text_table

PIECES = 2000  # in which a reference is looked at first
FINER, ROUNDS = 32, 3  # a bracket of two pieces is divided so often, so many times: 2/32³ of a piece is left
MOVES = 1e-3  # of its largest speed: below it a joint counts as resting
AXES = ("x", "y", "z")


@dataclass(frozen=True)
class JointLoad:
    """Of one joint, SI. `torque` is a force where the joint slides; `force` and `moment` are the largest that link i−1
    exerts on link i, at the joint's origin; their entries are along the axes of link i as the file has it."""

    joint: str
    turns: bool
    torque: float
    torque_at: float
    torque_rms: float
    speed: float
    power: float
    power_mean: float
    force: float
    moment: float
    forces: tuple[float, float, float]
    moments: tuple[float, float, float]
    duty: float  # the share of the time in which it moves
    effort_limit: float | None
    velocity_limit: float | None

    @property
    def torque_use(self) -> float | None:
        """Of the effort limit, if there is one."""
        return None if self.effort_limit is None else self.torque / self.effort_limit


@dataclass(frozen=True)
class Loads:
    """Joint by joint; prints itself as a table."""

    robot: str
    duration: float
    joints: tuple[JointLoad, ...]

    def __repr__(self) -> str:
        return f"<loads of {self.robot}: {len(self.joints)} joints along {self.duration:g} s>"

    def __iter__(self) -> Any:
        return iter(self.joints)

    def __getitem__(self, joint: int | str) -> JointLoad:
        if isinstance(joint, int):
            return self.joints[joint]
        found = next((x for x in self.joints if x.joint == joint), None)
        if found is None:
            raise InputError(
                "no joint is called {joint!r}; there are {joints}", joint, ", ".join(x.joint for x in self.joints)
            )
        return found

    def as_dict(self) -> dict[str, Any]:
        return {"robot": self.robot, "duration": self.duration, "joints": [asdict(x) for x in self.joints]}

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Heads with their units, and rows of text."""
        kinds = [x.turns for x in self.joints]
        effort, speed = (("N·m",) if any(kinds) else ()), (("rad/s",) if any(kinds) else ())
        effort, speed = (x if all(kinds) else (*x, y) for x, y in ((effort, "N"), (speed, "m/s")))
        speeds = Message("speed [{unit}]", ", ".join(speed))
        heads = ("joint", f"torque [{', '.join(effort)}]", "at [s]", "rms", speeds, "power [W]",
                 "mean [W]", "force [N]", "moment [N·m]", "duty", "of limit")  # fmt: skip
        told = any(x.torque_use is not None for x in self.joints)
        kept = len(heads) if told else -1
        return heads[:kept], [_cells(x)[:kept] for x in self.joints]

    def __str__(self) -> str:
        heads, rows = self.table()
        return f"{self.robot}, {self.duration:g} s\n" + text_table(heads, rows, right=range(1, len(heads)))

    def _repr_html_(self) -> str:
        heads, rows = self.table()
        return html_table(heads, rows, self.robot)


def _cells(x: JointLoad) -> tuple[str, ...]:
    numbers = (x.torque, x.torque_at, x.torque_rms, x.speed, x.power, x.power_mean, x.force, x.moment)
    use = "" if x.torque_use is None else f"{100 * x.torque_use:.0f} %"
    return (x.joint, *(f"{y:.4g}" for y in numbers), f"{100 * x.duty:.0f} %", use)


def loads_of(
    robot: RobotDescription, source: Any, wrench: Any = None, parameters: Mapping[str, Any] | None = None
) -> Loads:
    """`source` is a reference, which the arm follows exactly, or a run, whose torques are those of its motors."""
    refuse_loops(robot, "loads")
    functions = Functions(robot, parameters)
    if getattr(source, "dof", robot.dof) != robot.dof or (hasattr(source, "q") and source.q.shape[-1] != robot.dof):
        raise InputError("loads: the motion is not one of {dof} joints, as {name} has", robot.dof, robot.name)
    push = None if wrench is None else _six(wrench)
    if hasattr(source, "qdd") and hasattr(source, "tau"):
        rows = [_of_run(functions, source, row, push) for row in np.ndindex(source.q.shape[:-2])]
        return _worst(robot, float(source.t[-1] - source.t[0]), rows)
    if not callable(source) or not hasattr(source, "duration"):
        raise InputError("loads: expected a run or a trajectory, found {source!r:.60}", source)
    if not np.isfinite(source.duration) or source.duration <= 0:
        raise InputError("loads: expected a motion that takes time, found {duration!r} s", source.duration)
    return _worst(robot, float(source.duration), [_of_motion(functions, source, push)])


def _six(wrench: object) -> Array:
    try:
        found = np.asarray(wrench, dtype=float)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape != (6,) or not np.isfinite(found).all():
        raise InputError("wrench: expected a force and a moment, six numbers, found {wrench!r:.60}", wrench)
    return found


Values = dict[str, Array]  # quantity → (time, n), or (time, n, 3)


def _of_motion(functions: Functions, ref: Callable[[Array], Motion], push: Array | None) -> dict[str, Any]:
    """A motion that is followed exactly."""

    def at(t: Array) -> Values:
        motion = Motion(*map(np.asarray, ref(t)))
        tau = functions("inverse_dynamics", *motion, wrench=_along(push, t))
        return {"torque": tau, "speed": motion.qd, "power": tau * motion.qd, **_wrenches(functions, motion, push, t)}

    t = np.linspace(0.0, float(ref.duration), PIECES + 1)  # type: ignore[attr-defined]
    return _peaks_and_means(t, at(t), at)


def _of_run(functions: Functions, run: Any, row: tuple[int, ...], push: Array | None) -> dict[str, Any]:
    """One arm of a run: its own torques, held from sample to sample."""
    from scipy.interpolate import BPoly

    t, tau = np.asarray(run.t), run.tau[row]
    q, qd, qdd = run.q[row], run.qd[row], run.qdd[row]
    motor = run.state["motor_rate"][row] if "motor_rate" in run.state else qd  # whose power it is
    way = BPoly.from_derivatives(t, np.stack([q, qd, qdd], axis=1))
    rate, turn = way.derivative(), way.derivative(2)

    def at(times: Array) -> Values:
        motion = Motion(way(times), rate(times), turn(times))
        return {"speed": motion.qd, **_wrenches(functions, motion, push, times)}

    found = _peaks_and_means(
        t, {"torque": tau, "power": tau * motor, "speed": qd, **_wrenches(functions, Motion(q, qd, qdd), push, t)}, at
    )
    if run.about.get("sample") is None:
        return found
    # a torque that is held meets the speed of both ends of its step
    ends = np.maximum(np.abs(tau[:-1] * motor[:-1]), np.abs(tau[:-1] * motor[1:]))
    return {**found, "power": ends.max(axis=0)}


def _along(push: Array | None, t: Array) -> Array | None:
    return None if push is None else np.broadcast_to(push, (len(t), 6))


def _wrenches(functions: Functions, motion: Motion, push: Array | None, t: Array) -> Values:
    found = functions("joint_wrenches", *motion, wrench=_along(push, t))
    force, moment = found[..., :3], found[..., 3:]
    sizes = {"force": np.linalg.norm(force, axis=-1), "moment": np.linalg.norm(moment, axis=-1)}
    return (
        sizes
        | {f"f{a}": force[..., i] for i, a in enumerate(AXES)}
        | {f"m{a}": moment[..., i] for i, a in enumerate(AXES)}
    )


def _peaks_and_means(t: Array, values: Values, at: Callable[[Array], Values]) -> dict[str, Any]:
    """Peaks by quantity, (n,), and what is read over the whole time."""
    from scipy.integrate import simpson

    found: dict[str, Any] = {}
    for name, y in values.items():
        peaks = [_peak(t, y, name, j, at) for j in range(y.shape[1])]
        found[name] = np.array([value for value, _ in peaks])
        if name == "torque":
            found["torque_at"] = np.array([when for _, when in peaks])
    span = t[-1] - t[0]
    found["torque_rms"] = np.sqrt(simpson(values["torque"] ** 2, x=t, axis=0) / span)
    found["power_mean"] = simpson(np.abs(values["power"]), x=t, axis=0) / span
    found["duty"] = (np.abs(values["speed"]) > MOVES * found["speed"]).mean(axis=0)
    return found


def _peak(t: Array, y: Array, name: str, joint: int, at: Callable[[Array], Values]) -> tuple[float, float]:
    """(largest |y|, its time), looked for ever more finely around the largest sample."""
    k = int(np.abs(y[:, joint]).argmax())
    best, when = float(np.abs(y[k, joint])), float(t[k])
    left, right = float(t[max(k - 1, 0)]), float(t[min(k + 1, len(t) - 1)])
    for _ in range(ROUNDS):
        times = np.linspace(left, right, FINER + 1)
        fine = at(times).get(name)
        if fine is None:  # known at its samples alone
            break
        k = int(np.abs(fine[:, joint]).argmax())
        if abs(fine[k, joint]) > best:
            best, when = float(abs(fine[k, joint])), float(times[k])
        left, right = float(times[max(k - 1, 0)]), float(times[min(k + 1, FINER)])
    return best, when


def _worst(robot: RobotDescription, duration: float, rows: list[dict[str, Any]]) -> Loads:
    """Over all rows of a batch, joint by joint."""
    limits, found = Limits(robot), []
    for j, (name, turns) in enumerate(zip(robot.joint_names, robot.coordinates.turns)):
        most = {key: max(float(row[key][j]) for row in rows) for key in rows[0]}
        worst = max(rows, key=lambda row: float(row["torque"][j]))
        scalars = ("torque", "torque_rms", "speed", "power", "power_mean", "force", "moment", "duty")
        x, y, z = (most[f"f{axis}"] for axis in AXES)
        a, b, c = (most[f"m{axis}"] for axis in AXES)
        found.append(
            JointLoad(
                joint=name, turns=turns, torque_at=float(worst["torque_at"][j]), forces=(x, y, z),
                moments=(a, b, c), effort_limit=_finite(limits.effort[j]), velocity_limit=_finite(limits.velocity[j]),
                **{key: most[key] for key in scalars},
            )
        )  # fmt: skip
    return Loads(robot.name, duration, tuple(found))


def _finite(x: float) -> float | None:
    return float(x) if np.isfinite(x) else None
