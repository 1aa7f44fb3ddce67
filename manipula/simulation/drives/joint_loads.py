"""What every joint must carry and every motor give along a motion: peak and rms torque, speed, power, and the force and
moment between two links, which size bearings and housings; where the robot says its gears, their motors' side as well.

Peaks are looked for between samples, too: the motion is evaluated ever more finely around the largest sample. A
reference is a formula; between the samples of a run the joints move along the polynomials of degree 5 through their
positions, velocities and accelerations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from manipula.errors import InputError
from manipula.mechanics.models.motion.ports import Motion
from manipula.mechanics.robot.description import Joint, RobotDescription
from manipula.mechanics.robot.topology import refuse_loops
from manipula.mechanics.robot.values.parameter import float_of, floats_of, names_of
from manipula.messages import Message
from manipula.simulation.drives.motor_loads import (
    RPM,
    JointDemand,
    MotorLoad,
    cubic_mean,
    motor_load,
    motor_torque,
)
from manipula.simulation.stepping import Array, Functions, Limits
from manipula.support.text import html_table, text_table

PIECES = 2000  # in which a reference is looked at first
FINER, ROUNDS = 32, 3  # a bracket of two pieces is divided so often, so many times: 2/32³ of a piece is left
MOVES = 1e-3  # of its largest speed: below it a joint counts as resting
AXES = ("x", "y", "z")


@dataclass(frozen=True)
class JointLoad:
    """Of one joint, SI. `torque` is a force where the joint slides; `force` and `moment` are the largest that link i−1
    exerts on link i, at the joint's origin; their entries are along the axes of link i as the file has it.

    `power` is the largest, `power_mean` the mean of |torque·speed|, the mechanical power at the joint either way.
    `torque_gear` is the cubic mean of the torque at the gear's output, without the motor's own inertia. `load_inertia`
    is the largest along the motion that the joint accelerates, all others at rest; `inertia_ratio` is that over the
    motor's inertia as the joint feels it. `motor` is None where the robot does not say the gear.
    """

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
    torque_gear: float
    load_inertia: float
    inertia_ratio: float | None
    motor: MotorLoad | None

    @property
    def torque_use(self) -> float | None:
        """Of the effort limit, if there is one."""
        return None if self.effort_limit is None else self.torque / self.effort_limit


@dataclass(frozen=True)
class Loads:
    """Joint by joint; prints itself as a table. `demands` are the samples from which motors and gears are chosen."""

    robot: str
    duration: float
    joints: tuple[JointLoad, ...]
    demands: tuple[JointDemand, ...] = field(default=(), repr=False, compare=False)

    def __repr__(self) -> str:
        return f"<loads of {self.robot}: {len(self.joints)} joints along {self.duration:g} s>"

    def __iter__(self) -> Iterator[JointLoad]:
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

    def as_dict(self) -> dict[str, object]:
        return {"robot": self.robot, "duration": self.duration, "joints": [asdict(x) for x in self.joints]}

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Heads with their units, and rows of text."""
        effort, speeds = self._unit("N·m", "N"), Message("speed [{unit}]", self._unit("rad/s", "m/s"))
        heads = ("joint", f"torque [{effort}]", "at [s]", Message("rms [{unit}]", effort), speeds, "power [W]",
                 "mean |power| [W]", "force [N]", "moment [N·m]", "duty", "of limit")  # fmt: skip
        told = any(x.torque_use is not None for x in self.joints)
        kept = len(heads) if told else -1
        return heads[:kept], [_cells(x)[:kept] for x in self.joints]

    def motor_table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """The same of the motors' side; no rows where the robot says neither gears nor motor inertia."""
        heads = ("motor of", "gear", "speed [rpm]", "rms [rpm]", "torque [N·m]", "rms [N·m]", "power [W]", "in [J]",
                 "back [J]", "inertia ratio", Message("gear mean [{unit}]", self._unit("N·m", "N")))  # fmt: skip
        told = any(x.motor is not None or x.inertia_ratio is not None for x in self.joints)
        return heads, [_motor_cells(x) for x in self.joints] if told else []

    def _unit(self, turning: str, sliding: str) -> str:
        kinds = {x.turns for x in self.joints}
        return ", ".join(unit for turns, unit in ((True, turning), (False, sliding)) if turns in kinds)

    def __str__(self) -> str:
        tables = [text_table(heads, rows, right=range(1, len(heads))) for heads, rows in self._tables()]
        return f"{self.robot}, {self.duration:g} s\n" + "\n\n".join(tables)

    def _repr_html_(self) -> str:
        return "".join(html_table(heads, rows, self.robot) for heads, rows in self._tables())

    def _tables(self) -> list[tuple[tuple[str, ...], list[tuple[str, ...]]]]:
        return [self.table(), *([self.motor_table()] if self.motor_table()[1] else [])]


def _cells(x: JointLoad) -> tuple[str, ...]:
    numbers = (x.torque, x.torque_at, x.torque_rms, x.speed, x.power, x.power_mean, x.force, x.moment)
    use = "" if x.torque_use is None else f"{100 * x.torque_use:.0f} %"
    return (x.joint, *(f"{y:.4g}" for y in numbers), f"{100 * x.duty:.0f} %", use)


def _motor_cells(x: JointLoad) -> tuple[str, ...]:
    m = x.motor
    known = () if m is None else (m.gear, m.speed * RPM, m.speed_rms * RPM, m.torque, m.torque_rms, m.power, m.energy,
                                  m.braking_energy)  # fmt: skip
    cells = [f"{y:.4g}" for y in known] or [""] * 8
    return (x.joint, *cells, "" if x.inertia_ratio is None else f"{x.inertia_ratio:.4g}", f"{x.torque_gear:.4g}")


# What the robot says of its drives.


class DriveValues:
    """Joint by joint: motor inertia at the joint; gear and efficiency, None where the file has no number."""

    def __init__(self, robot: RobotDescription, parameters: Mapping[str, Any] | None) -> None:
        self._known = floats_of(dict(robot.values)) | {
            name: float(value) for name, value in (parameters or {}).items() if np.ndim(value) == 0
        }
        rows = [joint for joint in robot.joints if joint.name in robot.joint_names]
        self.inertia = np.array([self._number(joint, "motor_inertia") or 0.0 for joint in rows])
        self.gear = [self._number(joint, "gear") for joint in rows]
        self.efficiency = [self._number(joint, "efficiency") or 1.0 for joint in rows]

    def _number(self, joint: Joint, key: str) -> float | None:
        cell = getattr(joint.actuator, key)
        unknown = cell is None or any(name not in self._known for name in names_of(cell.parameter))
        return None if unknown else float_of(cell.parameter, self._known)

    def motor(self, load: Array, qd: Array, qdd: Array) -> Values:
        """Torque and power at the motors' shafts, (time, n); of a joint whose gear is not known, as if it had none."""
        gear = [gear or 1.0 for gear in self.gear]
        torque = np.stack(
            [
                motor_torque(load[..., j], qd[..., j], qdd[..., j], N, self.inertia[j] / N**2, self.efficiency[j])
                for j, N in enumerate(gear)
            ],
            axis=-1,
        )
        return {"motor_torque": torque, "motor_power": torque * qd * np.array(gear)}


def loads_of(
    robot: RobotDescription, source: Any, wrench: object = None, parameters: Mapping[str, Any] | None = None
) -> Loads:
    """`source` is a reference, which the arm follows exactly, or a run, whose torques are those of its motors."""
    refuse_loops(robot, "loads")
    functions, drives = Functions(robot, parameters), DriveValues(robot, parameters)
    if getattr(source, "dof", robot.dof) != robot.dof or (hasattr(source, "q") and source.q.shape[-1] != robot.dof):
        raise InputError("loads: the motion is not one of {dof} joints, as {name} has", robot.dof, robot.name)
    push = None if wrench is None else _six(wrench)
    if hasattr(source, "qdd") and hasattr(source, "tau"):
        rows = [_of_run(functions, drives, source, row, push) for row in np.ndindex(source.q.shape[:-2])]
        return _worst(robot, drives, float(source.t[-1] - source.t[0]), rows)
    if not callable(source) or not hasattr(source, "duration"):
        raise InputError("loads: expected a run or a trajectory, found {source!r:.60}", source)
    if not np.isfinite(source.duration) or source.duration <= 0:
        raise InputError("loads: expected a motion that takes time, found {duration!r} s", source.duration)
    return _worst(robot, drives, float(source.duration), [_of_motion(functions, drives, source, push)])


def _six(wrench: object) -> Array:
    try:
        found = np.asarray(wrench, dtype=float)
    except (TypeError, ValueError):
        found = np.empty(0)
    if found.shape != (6,) or not np.isfinite(found).all():
        raise InputError("wrench: expected a force and a moment, six numbers, found {wrench!r:.60}", wrench)
    return found


Values = dict[str, Array]  # quantity → (time, n), or (time, n, 3)


def _of_motion(
    functions: Functions, drives: DriveValues, ref: Callable[[Array], Motion], push: Array | None
) -> dict[str, object]:
    """A motion that is followed exactly."""

    def at(t: Array) -> Values:
        motion = Motion(*map(np.asarray, ref(t)))
        tau = functions("inverse_dynamics", *motion, wrench=_along(push, t))
        return {
            "torque": tau, "speed": motion.qd, "power": tau * motion.qd, **_wrenches(functions, motion, push, t),
            **_inertias(functions, drives, motion.q),
            **drives.motor(tau - drives.inertia * motion.qdd, motion.qd, motion.qdd),
        }  # fmt: skip

    t = np.linspace(0.0, float(ref.duration), PIECES + 1)  # type: ignore[attr-defined]
    values, motion = at(t), Motion(*map(np.asarray, ref(t)))
    demand = {"demand": (t, values["torque"] - drives.inertia * motion.qdd, motion.qd, motion.qdd)}
    return _peaks_and_means(t, values, at) | demand


def _of_run(
    functions: Functions, drives: DriveValues, run: Any, row: tuple[int, ...], push: Array | None
) -> dict[str, object]:
    """One arm of a run: its own torques, held from sample to sample."""
    from scipy.interpolate import BPoly

    t, tau = np.asarray(run.t), run.tau[row]
    q, qd, qdd = run.q[row], run.qd[row], run.qdd[row]
    motor = run.state["motor_rate"][row] if "motor_rate" in run.state else qd  # whose power it is
    # of a motor behind a spring the run does not keep the acceleration
    spin = np.gradient(motor, t, axis=0) if "motor_rate" in run.state else qdd
    load = tau - drives.inertia * spin
    way = BPoly.from_derivatives(t, np.stack([q, qd, qdd], axis=1))
    rate, turn = way.derivative(), way.derivative(2)

    def at(times: Array) -> Values:
        motion = Motion(way(times), rate(times), turn(times))
        wrenches = _wrenches(functions, motion, push, times)
        return {"speed": motion.qd, **wrenches, **_inertias(functions, drives, motion.q)}

    values = {
        "torque": tau, "power": tau * motor, "speed": qd, **_wrenches(functions, Motion(q, qd, qdd), push, t),
        **_inertias(functions, drives, q), **drives.motor(load, motor, spin),
    }  # fmt: skip
    found = _peaks_and_means(t, values, at) | {"demand": (t, load, motor, spin)}
    if run.about.get("sample") is None:
        return found
    # a torque that is held meets the speed of both ends of its step
    ends = np.maximum(np.abs(tau[:-1] * motor[:-1]), np.abs(tau[:-1] * motor[1:]))
    return {**found, "power": ends.max(axis=0)}


def _along(push: Array | None, t: Array) -> Array | None:
    return None if push is None else np.broadcast_to(push, (len(t), 6))


def _inertias(functions: Functions, drives: DriveValues, q: Array) -> Values:
    """What each joint has to accelerate, the others at rest: the diagonal of M, without motors."""
    M = functions("inertia_matrix", q)
    return {"load_inertia": np.diagonal(M, axis1=-2, axis2=-1) - drives.inertia}


def _wrenches(functions: Functions, motion: Motion, push: Array | None, t: Array) -> Values:
    found = functions("joint_wrenches", *motion, wrench=_along(push, t))
    force, moment = found[..., :3], found[..., 3:]
    sizes = {"force": np.linalg.norm(force, axis=-1), "moment": np.linalg.norm(moment, axis=-1)}
    return (
        sizes
        | {f"f{a}": force[..., i] for i, a in enumerate(AXES)}
        | {f"m{a}": moment[..., i] for i, a in enumerate(AXES)}
    )


def _peaks_and_means(t: Array, values: Values, at: Callable[[Array], Values]) -> dict[str, object]:
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


def _worst(robot: RobotDescription, drives: DriveValues, duration: float, rows: list[dict[str, Any]]) -> Loads:
    """Over all rows of a batch, joint by joint."""
    limits, found, demands = Limits(robot), [], []
    samples = [row.pop("demand") for row in rows]
    for j, (name, turns) in enumerate(zip(robot.joint_names, robot.coordinates.turns)):
        most = {key: max(float(row[key][j]) for row in rows) for key in rows[0]}
        worst = max(rows, key=lambda row: float(row["torque"][j]))
        scalars = ("torque", "torque_rms", "speed", "power", "power_mean", "force", "moment", "duty", "load_inertia")
        x, y, z = (most[f"f{axis}"] for axis in AXES)
        a, b, c = (most[f"m{axis}"] for axis in AXES)
        T, qd, qdd = (np.stack([sample[k][:, j] for sample in samples]) for k in (1, 2, 3))
        demand = JointDemand(samples[0][0], T, qd, qdd, most["load_inertia"])
        demands.append(demand)
        found.append(
            JointLoad(
                joint=name, turns=turns, torque_at=float(worst["torque_at"][j]), forces=(x, y, z),
                moments=(a, b, c), effort_limit=_finite(limits.effort[j]), velocity_limit=_finite(limits.velocity[j]),
                torque_gear=cubic_mean(demand.t, T, qd), motor=_own_motor(drives, j, demand, most),
                inertia_ratio=most["load_inertia"] / drives.inertia[j] if drives.inertia[j] > 0 else None,
                **{key: most[key] for key in scalars},
            )
        )  # fmt: skip
    return Loads(robot.name, duration, tuple(found), tuple(demands))


def _own_motor(drives: DriveValues, j: int, demand: JointDemand, most: Mapping[str, float]) -> MotorLoad | None:
    """Of the gear that the robot says, with peaks between samples."""
    gear = drives.gear[j]
    if gear is None:
        return None
    found = motor_load(demand, gear, drives.inertia[j] / gear**2, drives.efficiency[j])
    return replace(found, torque=max(found.torque, most["motor_torque"]), power=max(found.power, most["motor_power"]))


def _finite(x: float) -> float | None:
    return float(x) if np.isfinite(x) else None
