"""The smallest motor and gear of tables that hold along a motion, joint by joint.

A pair holds where every share below is at most 1:

    rms torque of the motor / its rated torque          largest torque / its peak torque
    mean speed of the motor / its rated speed           largest speed / its maximum speed
    inertia ratio / the limit given, if one is          and of the gear:
    cubic mean torque at the output / its rated torque  largest torque at the output / its peak torque
    largest input speed / its maximum                   mean input speed / its limit, where the table has one

Torque and speed are those of `motor_loads`, with the pair's own inertia and efficiency. The point (mean speed, rms
torque) is the one that makers set beside the curve of continuous operation: the heat of a cycle shorter than the
winding's time constant is that of its rms current.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from manipula.errors import InputError, UnknownNameError
from manipula.messages import Message
from manipula.pages.plots import COLOURS, blank, plainly
from manipula.simulation.drives.drive_tables import Gear, Motor, gears_from_table, motors_from_table
from manipula.simulation.drives.joint_loads import Loads
from manipula.simulation.drives.motor_loads import (
    RPM,
    Array,
    JointDemand,
    MotorLoad,
    cubic_mean,
    motor_load,
    motor_torque,
    time_mean,
)
from manipula.simulation.plots import save_figure
from manipula.support.text import html_table, text_table

SIZES = ("power", "mass", "price")
CRITERIA = (
    Message("rms torque"), Message("mean speed"), Message("peak torque"), Message("largest speed"),
    Message("inertia ratio"), Message("gear mean torque"), Message("gear peak torque"), Message("gear input speed"),
    Message("gear mean input speed"),
)  # fmt: skip


@dataclass(frozen=True)
class ChosenDrive:
    """Of one joint: the pair that was chosen, or where nothing holds the nearest to it, what it does along the motion,
    and the share that it uses of each criterion; `gear` is None where the robot's own was kept."""

    joint: str
    holds: bool
    motor: Motor
    gear: Gear | None
    load: MotorLoad
    shares: Mapping[str, float]
    pairs: int
    demand: JointDemand

    @property
    def worst(self) -> str:
        """The criterion that decides."""
        return max(self.shares, key=lambda name: self.shares[name])

    @property
    def name(self) -> str:
        return self.motor.name if self.gear is None else f"{self.motor.name} + {self.gear.name}"

    @property
    def refusal(self) -> Message | None:
        """By how much nothing holds."""
        if self.holds:
            return None
        return Message(
            "joint {joint!r}: none of {count} pairs holds; the nearest, {name}, uses {share:.3g} times its {criterion}",
            self.joint, self.pairs, self.name, self.shares[self.worst], Message(self.worst),
        )  # fmt: skip

    def as_dict(self) -> dict[str, object]:
        gear = None if self.gear is None else asdict(self.gear)
        return {"joint": self.joint, "holds": self.holds, "motor": asdict(self.motor), "gear": gear,
                "load": asdict(self.load), "shares": dict(self.shares)}  # fmt: skip


@dataclass(frozen=True)
class DriveChoice:
    """Joint by joint; prints itself as a table. `refusals` are sentences, one for a joint that nothing holds."""

    robot: str
    joints: tuple[ChosenDrive, ...]

    @property
    def holds(self) -> bool:
        return all(x.holds for x in self.joints)

    @property
    def refusals(self) -> tuple[Message, ...]:
        return tuple(told for x in self.joints if (told := x.refusal) is not None)

    def __iter__(self) -> Iterator[ChosenDrive]:
        return iter(self.joints)

    def __getitem__(self, joint: int | str) -> ChosenDrive:
        if isinstance(joint, int):
            return self.joints[joint]
        found = next((x for x in self.joints if x.joint == joint), None)
        if found is None:
            raise UnknownNameError("joint", joint, [x.joint for x in self.joints])
        return found

    def as_dict(self) -> dict[str, object]:
        return {"robot": self.robot, "holds": self.holds, "joints": [x.as_dict() for x in self.joints],
                "refusals": [str(x) for x in self.refusals]}  # fmt: skip

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Heads with their units, and rows of text."""
        heads = ("drive of", "motor", "gear", "ratio", "speed [rpm]", "mean [rpm]", "torque [N·m]", "rms [N·m]",
                 "back [J]", "inertia ratio", "use", "decided by")  # fmt: skip
        return heads, [_cells(x) for x in self.joints]

    def __repr__(self) -> str:
        return f"<drives of {self.robot}: {sum(x.holds for x in self.joints)} of {len(self.joints)} joints>"

    def __str__(self) -> str:
        heads, rows = self.table()
        told = [text_table(heads, rows, right=range(3, 11)), *map(str, self.refusals)]
        return f"{self.robot}\n" + "\n".join(told)

    def _repr_html_(self) -> str:
        heads, rows = self.table()
        return html_table(heads, rows, self.robot)

    def plot(self) -> Any:
        """A figure of matplotlib, which is not shown: of every joint the motor's torque over its speed along the
        motion, inside the limits of the motor."""
        return _figure(self)

    def save_plot(self, path: str | Path) -> Path:
        """Write the figure of `plot`: .png, .svg, .pdf. Returns its path."""
        return save_figure(self.plot(), Path(path))


def _cells(x: ChosenDrive) -> tuple[str, ...]:
    m, gear = x.load, "" if x.gear is None else x.gear.name
    numbers = (m.gear, m.speed * RPM, m.speed_mean * RPM, m.torque, m.torque_rms, m.braking_energy)
    ratio = "" if m.inertia_ratio is None else f"{m.inertia_ratio:.4g}"
    use = f"{100 * x.shares[x.worst]:.0f} %"
    return (x.joint, x.motor.name, gear, *(f"{y:.4g}" for y in numbers), ratio, use, x.worst)


# The choice.


class GearSide(NamedTuple):
    """A gear before a joint: the table's, or the robot's own, whose limits are not known."""

    gear: Gear | None
    ratio: float
    efficiency: float
    inertia: float


def choose_from_tables(
    loads: Loads, motors: str | Path, gears: str | Path | None, inertia_ratio: float | None, by: str
) -> DriveChoice:
    """Of every joint the smallest pair that holds."""
    if not isinstance(loads, Loads):
        raise InputError("choose_drives: expected the loads of mp.loads(robot, motion), found {loads!r:.60}", loads)
    if by not in SIZES:
        raise UnknownNameError("size to choose by", str(by), SIZES)
    own = motors_from_table(motors)
    rows = None if gears is None else gears_from_table(gears)
    refuse_sizes(own, rows, motors, gears, by)
    limit = ratio_limit(inertia_ratio)
    return DriveChoice(
        loads.robot,
        tuple(
            _choose(x.joint, demand, own, gear_sides(x.joint, x.turns, _own_side(x.motor), rows, gears), limit, by)
            for x, demand in zip(loads.joints, loads.demands, strict=True)
        ),
    )


def ratio_limit(given: object) -> float:
    """Infinite where none is given."""
    if given is None:
        return np.inf
    if isinstance(given, bool) or not isinstance(given, int | float | np.number) or not float(given) > 0:
        raise InputError("inertia_ratio: expected a number above 0, found {given!r:.60}", given)
    return float(given)


def refuse_sizes(
    motors: Sequence[Motor], gears: Sequence[Gear] | None, path: object, gear_path: object, by: str
) -> None:
    """Refuses tables that do not say by what is to be chosen."""
    for rows, place in ((motors, path), (gears or (), gear_path)):
        for row in rows:
            if getattr(row, by, None) is None and not (by == "power" and isinstance(row, Gear)):
                raise InputError("{path}: {name!r} has no {by}, by which to choose", place, row.name, by)


def _own_side(own: MotorLoad | None) -> GearSide | None:
    return None if own is None else GearSide(None, own.gear, own.efficiency, 0.0)


def gear_sides(
    joint: str, turns: bool, own: GearSide | None, gears: Sequence[Gear] | None, path: object
) -> list[GearSide]:
    """The gears that may stand before a joint: those of the table that fit, without one the robot's own."""
    if gears is not None:
        found = [GearSide(x, x.ratio, x.efficiency, x.inertia) for x in gears if x.turns == turns]
        if not found:
            word = "ratio" if turns else "lead"
            kind = Message("turns") if turns else Message("slides")
            raise InputError("{path}: joint {joint!r} {kind}, and no gear has a {word}", path, joint, kind, word)
        return found
    if own is None:
        raise InputError(
            "joint {joint!r} has no gear in the robot's file; write gear = … there (1 without a gear), or give a table "
            "of gears", joint,
        )  # fmt: skip
    return [own]


def _choose(
    joint: str, demand: JointDemand, motors: Sequence[Motor], sides: Sequence[GearSide], limit: float, by: str
) -> ChosenDrive:
    shares = np.stack([pair_shares(demand, motors, side, limit) for side in sides], axis=1)  # (motors, sides, criteria)
    worst = shares.max(axis=-1)
    pairs = [(i, k) for i in range(len(motors)) for k in range(len(sides))]
    holding = [pair for pair in pairs if worst[pair] <= 1]
    chosen = min(holding, key=lambda x: pair_size(motors[x[0]], sides[x[1]], by)) if holding else min(
        pairs, key=lambda x: float(worst[x])
    )  # fmt: skip
    motor, side = motors[chosen[0]], sides[chosen[1]]
    used: dict[str, float] = {
        name: float(x) for name, x in zip(CRITERIA, shares[chosen]) if x > 0 or name in CRITERIA[:4]
    }
    load = motor_load(demand, side.ratio, motor.inertia + side.inertia, side.efficiency)
    return ChosenDrive(joint, bool(holding), motor, side.gear, load, used, len(pairs), demand)


def pair_size(motor: Motor, side: GearSide, by: str) -> tuple[float, ...]:
    """Between equals the motor of less power, then the gear of less torque, then the order of the tables."""
    rated = 0.0 if side.gear is None else side.gear.rated_torque
    if by == "power":
        return (motor.power, rated)
    return (getattr(motor, by) + getattr(side.gear, by, 0.0), motor.power, rated)


def pair_shares(demand: JointDemand, motors: Sequence[Motor], side: GearSide, limit: float) -> Array:
    """(motors, criteria): what each motor with this gear uses of each limit; 0 without a limit."""
    t, T, qd, qdd = demand[:4]
    inertia = np.array([motor.inertia for motor in motors]) + side.inertia
    # by motor: of two linear pieces in the inertia, so that a table of hundreds costs two passes over the samples each
    tau = motor_torque(T, qd, qdd, side.ratio, inertia[:, None, None], side.efficiency)
    n = np.abs(side.ratio * qd)
    rms = np.sqrt(time_mean(t, tau**2)).max(axis=-1)
    mean, largest = time_mean(t, n).max(), n.max()
    rated, peak, slow, fast = np.array([(x.rated_torque, x.peak_torque, x.rated_speed, x.max_speed) for x in motors]).T
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = demand.inertia / side.ratio**2 / inertia / limit  # a limit that is not given is infinite
    gear = _gear_shares(demand, side, float(mean), float(largest))
    ratios = np.nan_to_num(ratios, posinf=np.inf)
    found = np.stack([rms / rated, mean / slow, np.abs(tau).max(axis=(1, 2)) / peak, largest / fast, ratios], axis=-1)
    return np.concatenate([found, np.broadcast_to(gear, (len(motors), len(gear)))], axis=-1)


def _gear_shares(demand: JointDemand, side: GearSide, mean: float, largest: float) -> Array:
    gear = side.gear
    if gear is None:
        return np.zeros(4)
    borne = cubic_mean(demand.t, demand.torque, demand.speed)
    return np.array(
        [
            borne / gear.rated_torque,
            float(np.abs(demand.torque).max()) / gear.peak_torque,
            largest / gear.max_speed,
            0.0 if gear.mean_speed is None else mean / gear.mean_speed,
        ]
    )


# The picture.

COLUMNS = 3


def _figure(choice: DriveChoice) -> Any:
    wide = min(len(choice.joints), COLUMNS)
    rows = -(-len(choice.joints) // wide)
    figure = blank("choose_drives: a plot", (4.2 * wide + 0.4, 3.3 * rows + 0.9))
    places = figure.subplots(rows, wide, squeeze=False).ravel()
    for place, x in zip(places, choice.joints):
        _draw(place, x)
    for place in places[len(choice.joints) :]:
        place.set_visible(False)
    known = {label: line for place in places for line, label in zip(*place.get_legend_handles_labels())}
    figure.legend(known.values(), known.keys(), loc="outside lower center", ncols=3, fontsize=8)
    figure.suptitle(plainly(f"{choice.robot}: motors along the motion"), fontsize=11)
    return figure


def _draw(place: Any, x: ChosenDrive) -> None:
    """Torque over speed, both without their signs; a mirrored figure would show the same limits four times."""
    d, m, motor = x.demand, x.load, x.motor
    tau = motor_torque(d.torque, d.speed, d.acceleration, m.gear, m.inertia, m.efficiency)
    n, braking = np.abs(m.gear * d.speed) * RPM, tau * m.gear * d.speed < 0
    top, fast = motor.peak_torque, motor.max_speed * RPM
    place.plot([0, fast, fast], [top, top, 0], color="#000000", linewidth=1.4, label="peak torque, largest speed")
    place.fill_between([0, motor.rated_speed * RPM], 0, motor.rated_torque, color=COLOURS[2], alpha=0.18, linewidth=0,
                       label="continuous operation")  # fmt: skip
    for chosen, colour, label in ((~braking, COLOURS[0], "driving"), (braking, COLOURS[4], "braking")):
        place.plot(n[chosen], np.abs(tau[chosen]), ".", color=colour, markersize=3, label=label)
    place.plot(
        [m.speed_mean * RPM], [m.torque_rms], "D", color=COLOURS[1], markersize=6, label="mean speed, rms torque"
    )
    if x.gear is not None and x.gear.max_speed < motor.max_speed:
        place.axvline(
            x.gear.max_speed * RPM, color="#777777", linestyle="--", linewidth=1, label="largest speed of the gear"
        )
    place.set_xlim(0, 1.08 * max(fast, float(n.max())))
    place.set_ylim(0, 1.12 * max(top, float(np.abs(tau).max())))
    place.set_xlabel("motor speed [rpm]")
    place.set_ylabel("motor torque [N·m]")
    place.set_title(
        plainly(f"{x.joint}: {x.name}" if x.holds else f"{x.joint}: nothing holds; nearest {x.name}"), fontsize=9
    )
    place.grid(alpha=0.3)
