"""Slips of a recording, each tried as what would undo it: signs, order, zeros, units, mounting, coupled motors.

Every one is tried on the recording at a low rate; what the entropic fit leaves, every joint counted alike, is compared.
The factor of coupled motors is fitted: first one of `FACTORS`, then the least between its neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from manipula.errors import InputError
from manipula.identification.columns import COUPLING, inertial_of
from manipula.identification.conversion import Conversion
from manipula.identification.data import Data, Grams, gather
from manipula.identification.estimators.prior import INERTIAL, Prior, prior_from
from manipula.identification.fit.comparison import (
    CERTAIN,
    FINER,
    NO_FIT,
    WEIGHT,
    Left,
    balanced_by_any,
    left_by,
    left_out,
    low_rate,
    with_negated_torques,
)
from manipula.identification.joint_model import JointModel
from manipula.mechanics.robot.description import Cell, RobotDescription
from manipula.mechanics.robot.formats.snap_to_exact import size_of
from manipula.mechanics.robot.values.parameter import number
from manipula.messages import Message, in_a_row

Array = NDArray[np.float64]
Pairs = Mapping[tuple[str, str], float]  # joints whose motors turn together, and the factor
LEAST = 0.025  # of the torque: less is nothing to explain
IMPOSSIBLE = 2.2  # times what least squares leaves: the bodies that it finds cannot be
FEWER = 0.5  # of the rows in motion, at least, that a slip must leave
FOUND = 0.4  # of what is left: such a slip ends the search among later kinds
SUBSETS = 4  # joints of which all sets of signs are tried
BLOCKS_BETTER = 0.7  # of the blocks left out that coupled motors must explain better
MANY = 8  # joints: of more, as of two arms on one base, those near each other alone are exchanged
FIRST = 3  # coupled motors that are judged on blocks left out
FITTED = 2  # angles of motors of which the factor is fitted
FACTORS = (1.0, -1.0, 0.5, -0.5, 2.0, -2.0)  # of coupled motors, tried first
WIDE = 0.6  # of the logarithm of a factor, on each side of one that was tried
LAG, BAND, LONGEST, MOST = 0.6, 20, 2.0, 20  # of a period of the cut-off; samples of one nobody said; s; steps
EVEN = 1.05  # times the least that a factor of ±1 leaves, where it is believed: wrists have such gears


@dataclass(frozen=True)
class RecordingSlip:
    """A fault of the recording in words, and what undoes it."""

    fault: Message
    undone: Message
    conversion: Conversion
    gravity: Array | None = None
    coupling: Pairs = field(default_factory=dict)


def join_slips(
    slips: Sequence[RecordingSlip], joints: int
) -> tuple[Conversion, Array | None, dict[tuple[str, str], float]]:
    """What undoes all of them, one after the other: numbers of the recording, gravity, coupled motors."""
    conversion = Conversion.identity(joints)
    for slip in slips:
        conversion = conversion.then(slip.conversion)
    gravity = next((slip.gravity for slip in slips if slip.gravity is not None), None)
    return conversion, gravity, {pair: factor for slip in slips for pair, factor in slip.coupling.items()}


def under_gravity(robot: RobotDescription, gravity: Array) -> RobotDescription:
    x, y, z = (Cell(cell.name, number(float(g))) for cell, g in zip(robot.gravity, gravity))
    return replace(robot, gravity=(x, y, z))


class Search:
    """Every slip, tried on a recording at a low rate."""

    def __init__(self, data: Data, model: JointModel, kind: str | None) -> None:
        self.certain = CERTAIN
        self.robot, self.names = data.robot, data.robot.joint_names
        self.turns = np.array(data.robot.coordinates.turns, bool)
        self.model = replace(model, gains=None if isinstance(model.gains, Mapping) else model.gains)
        self.logs, self.cutoff = low_rate(data)
        self.kind = kind or "spheres"
        own = self.gather_with(Conversion.identity(len(self.names)), None, {})
        bodies = np.array([column.family == INERTIAL for column in own.columns])
        self.of_file = kind == "robot" and bool(np.isfinite(own.file_values[bodies]).all())
        self.first, self.rows = left_by(own.fit, self._own_prior(own)), own.fit.rows.sum()

    def gather_with(self, change: Conversion, gravity: Array | None, coupling: Pairs) -> Data:
        robot = self.robot if gravity is None else under_gravity(self.robot, gravity)
        model = replace(self.model, coupling={**self.model.coupling, **coupling})
        cutoff = None if self.cutoff is None else self.cutoff / change.pace
        return gather(robot, [change.apply_within(log) for log in self.logs], model, cutoff)

    def left_with(self, robot: RobotDescription, certain: float = CERTAIN) -> Left:
        """What another robot would leave; everything where its geometry has no numbers."""
        model = replace(self.model, coupling={} if robot.joint_names != self.names else self.model.coupling)
        try:
            data = gather(robot, self.logs, model, self.cutoff)
        except InputError:
            return NO_FIT
        return left_by(data.fit, self._own_prior(data), certain)

    def finer(self, slips: Sequence[RecordingSlip]) -> Left:
        """As `left`, of a fit that trusts the torques more."""
        data = self.gather_with(*join_slips(slips, len(self.names)))
        return left_by(data.fit, self._own_prior(data), FINER)

    def contradicts(self, slips: Sequence[RecordingSlip]) -> bool:
        """Do possible bodies leave far more than any numbers would? A small motion in the wrong order or direction is
        explained by bodies that cannot be, and leaves little."""
        data = self.gather_with(*join_slips(slips, len(self.names)))
        left = left_by(data.fit, self._own_prior(data), FINER).balanced
        return left > LEAST and left > IMPOSSIBLE * balanced_by_any(data.fit)

    def best(self, before: Sequence[RecordingSlip]) -> list[tuple[RecordingSlip, Left]]:
        """The slips tried beside those taken already, kind by kind until one explains, with what each leaves."""
        start, gravity, coupling = join_slips(before, len(self.names))
        own = self.gather_with(start, gravity, coupling)
        enough = FOUND * left_by(own.fit, self._own_prior(own), self.certain).balanced
        found: list[tuple[RecordingSlip, Left]] = []
        for kind in self._kinds(own, start, gravity, coupling):
            found += kind
            if any(left.balanced < enough and not left.poor for _, left in found):
                break
        return found

    def of_couplings(self, more: Sequence[Data]) -> tuple[Left, list[tuple[RecordingSlip, Left]]]:
        """What is left of this recording and others together, and what coupled motors leave of it."""
        self.logs = [*self.logs, *(log for data in more for log in low_rate(data)[0])]
        one = Conversion.identity(len(self.names))
        own = self.gather_with(one, None, {})
        return left_by(own.fit, self._own_prior(own), self.certain), list(self._couplings(own, one, None))

    def of_units(self) -> list[tuple[RecordingSlip, Left]]:
        return [(slip, self._of(slip.conversion, None, {})) for slip in self._units()]

    def _kinds(
        self, own: Data, start: Conversion, gravity: Array | None, coupling: Pairs
    ) -> Iterator[Iterator[tuple[RecordingSlip, Left]]]:
        """The simplest first."""
        yield self._signs(own)
        for slips in (self._directions, self._units, self._scales, self._orders, self._zeros):
            yield ((slip, self._of(start.then(slip.conversion), gravity, coupling)) for slip in slips())
        if gravity is None:
            yield ((slip, self._of(start, slip.gravity, coupling)) for slip in self._mountings())
        if not coupling:
            yield self._couplings(own, start, gravity)
        yield self._motor_angles(start, gravity, coupling)
        if start.is_identity:
            yield self._delays(gravity, coupling)

    def _of(self, change: Conversion, gravity: Array | None, coupling: Pairs) -> Left:
        data = self.gather_with(change, gravity, coupling)
        if data.fit.rows.sum() < FEWER * self.rows:  # what hardly moves is explained by anything
            return NO_FIT
        return left_by(data.fit, self._own_prior(data), self.certain)

    def _own_prior(self, data: Data) -> Prior:
        """With sizes of the torques as they are: other joints have other ones."""
        known = {c.name: float(x) for c, x in zip(data.columns, data.file_values) if np.isfinite(x)}
        return prior_from(data.columns, data.fit, self.kind, known, size_of(data.robot)).with_weight(WEIGHT)

    # the slips

    def _slip(self, fault: Message, undone: Message, **changed: Array) -> RecordingSlip:
        """`changed`: Q, q0 and T, where they are not those of a right recording."""
        same = Conversion.identity(len(self.names))
        Q, q0, T = (changed.get(name, getattr(same, name)) for name in ("Q", "q0", "T"))
        return RecordingSlip(fault, undone, Conversion(Q, q0, T))

    def _signs(self, data: Data) -> Iterator[tuple[RecordingSlip, Left]]:
        """Of torques alone: Gram matrices tell without the recording."""
        count = len(self.names)
        prior = self._own_prior(data)
        sizes = range(1, count + 1) if count <= SUBSETS else (1, 2, count - 1, count)
        for joints in (x for size in sizes for x in combinations(range(count), size)):
            signs = np.ones(count)
            signs[list(joints)] = -1.0
            if len(joints) == count > 1:
                fault = Message("all torques seem to have the wrong sign")
                undone = Message("with the sign of all torques turned")
            else:
                fault = Message("the torque of {list} seems to have the wrong sign", self._list(joints))
                undone = Message("with its sign turned")
            turned = with_negated_torques(data.fit, joints)
            yield self._slip(fault, undone, T=np.diag(signs)), left_by(turned, prior, self.certain)

    def _directions(self) -> Iterator[RecordingSlip]:
        """Joints counted the other way: positions alone, or torques with them."""
        count = len(self.names)
        sets = [*((j,) for j in range(count)), tuple(range(count))] if count > 1 else [(0,)]
        for joints in sets:
            signs = np.ones(count)
            signs[list(joints)] = -1.0
            listed = self._list(joints)
            yield self._slip(
                Message("the positions of {list} seem to have the wrong sign", listed),
                Message("with their sign turned"),
                Q=np.diag(signs),
            )
            yield self._slip(
                Message("all joints seem to be counted in the other direction")
                if len(joints) > 1
                else Message("{list} seems to be counted in the other direction", listed),
                Message("with positions and torques turned"),
                Q=np.diag(signs), T=np.diag(signs),
            )  # fmt: skip

    def _units(self) -> Iterator[RecordingSlip]:
        for word, factor in (("degrees", np.pi / 180), ("radians", 180 / np.pi)):
            scale = np.diag(np.where(self.turns, factor, 1.0))
            yield self._slip(
                Message("positions seem to be in {unit}", Message(word)), Message("with them converted"), Q=scale
            )

    def _scales(self) -> Iterator[RecordingSlip]:
        """Counts of an encoder that is read at both edges, or a rate that was not the recorder's."""
        undone = Message("with them scaled")
        for factor in (2.0, 0.5):
            fault = Message("positions seem to be {factor:g} times as large as they were", factor)
            yield self._slip(fault, undone, Q=np.eye(len(self.names)) / factor)
            fault = Message("times seem to be {factor:g} times as long as they were", factor)
            yield RecordingSlip(fault, undone, replace(Conversion.identity(len(self.names)), pace=1 / factor))

    def _orders(self) -> Iterator[RecordingSlip]:
        count = len(self.names)
        for a, b in combinations(range(count), 2):
            if count > MANY and b - a > 2:
                continue
            order = list(range(count))
            order[a], order[b] = b, a
            P, listed = np.eye(count)[order], self._list((a, b))
            exchanged = Message("exchanged")
            for what, changed in (("torques", {"T": P}), ("positions", {"Q": P}), ("columns", {"Q": P, "T": P})):
                fault = Message("the {what} of {list} seem to be swapped", Message(what), listed)
                yield self._slip(fault, exchanged, **changed)
        for fault, P in self._cycles(count):
            yield self._slip(fault, Message("in the robot's order"), Q=P, T=P)

    def _cycles(self, count: int) -> Iterator[tuple[Message, Array]]:
        if count > 2:
            yield Message("the joints seem to be recorded from the tool to the base"), np.eye(count)[::-1]
            for shift in (1, -1):
                yield (
                    Message("the joints seem to be recorded shifted by {shift} columns", shift),
                    np.roll(np.eye(count), shift, axis=0),
                )

    def _zeros(self) -> Iterator[RecordingSlip]:
        for j in np.flatnonzero(self.turns):
            for degrees in (90, -90, 180):
                shift = np.zeros(len(self.names))
                shift[j] = np.deg2rad(degrees)
                fault = Message("the zero of {joint} seems to be off by {angle:g}°", self.names[j], degrees)
                yield self._slip(fault, Message("moved by that"), q0=shift)

    def _mountings(self) -> Iterator[RecordingSlip]:
        down = inertial_of(self.robot).gravity
        size, unit = float(np.linalg.norm(down)), Conversion.identity(len(self.names))
        for k, axis in enumerate("xyz" if size > 0 else ""):
            for sign, way in ((1.0, "+"), (-1.0, "−")):
                other = sign * size * np.eye(3)[k]
                if other @ down > 0.99 * size**2:
                    continue
                fault = Message("gravity seems to point along {axis} of the base", f"{way}{axis}")
                if other @ down < -0.99 * size**2:
                    fault = Message("the arm seems to be mounted upside down")
                yield RecordingSlip(fault, Message("with gravity in that direction"), unit, other)

    def _motor_angles(
        self, start: Conversion, gravity: Array | None, coupling: Pairs
    ) -> Iterator[tuple[RecordingSlip, Left]]:
        """Positions and torques of motors, of which one turns with two joints, taken for those of joints."""

        def of(slip: RecordingSlip) -> Left:
            return self._of(start.then(slip.conversion), gravity, coupling)

        places = [(a, a + 1, what) for a in range(len(self.names) - 1) for what in ("positions", "torques", "columns")]
        ones = [factor for factor in FACTORS if abs(factor) == 1]
        tried = {place: [(factor, of(self._motor_angle(*place, factor))) for factor in ones] for place in places}

        def best_places(count: int) -> list[tuple[int, int, str]]:
            return sorted(places, key=lambda place: _least(tried[place])[1].balanced)[:count]

        for place in best_places(FIRST):  # where one turn for one explains most, other gears may explain more
            other = [factor for factor in FACTORS if factor not in ones and factor * _least(tried[place])[0] > 0]
            tried[place] += [(factor, of(self._motor_angle(*place, factor))) for factor in other]
        for place, row in tried.items():
            yield from ((self._motor_angle(*place, factor), left) for factor, left in row)
        for place in best_places(FITTED):
            factor, left = self._factor(lambda c: of(self._motor_angle(*place, c)), tried[place])  # noqa: B023
            yield self._motor_angle(*place, factor), left

    def _delays(self, gravity: Array | None, coupling: Pairs) -> Iterator[tuple[RecordingSlip, Left]]:
        """Two clocks, positions by one and torques by the other: where steps of an eighth of the fastest period leave
        least, and then between them."""
        one = Conversion.identity(len(self.names))
        step = LAG / (self.cutoff or min(log.rate for log in self.logs) / BAND)
        count = min(int(min(LONGEST, min(log.duration for log in self.logs) / 4) / step), MOST)

        def of(seconds: float) -> Left:
            return self._of(replace(one, delay=seconds), gravity, coupling)

        tried = [(k * step, of(k * step)) for k in range(-count, count + 1) if k]
        if not tried:
            return
        near = _least(tried)[0]
        ends = (near - step, near + step)
        found = minimize_scalar(lambda x: of(x).balanced, bounds=ends, method="bounded", options={"maxiter": 14})
        seconds, left = _least([(float(found.x), of(float(found.x))), _least(tried)])
        way = Message("later" if seconds > 0 else "earlier")
        fault = Message("torques seem to be recorded {ms:.3g} ms {way} than positions", 1e3 * abs(seconds), way)
        yield RecordingSlip(fault, Message("moved by that"), replace(one, delay=seconds)), left

    def _motor_angle(self, a: int, b: int, what: str, factor: float) -> RecordingSlip:
        K = np.eye(len(self.names))
        K[b, a] = factor  # the motor of b turns with q_b + c·q_a
        back = np.asarray(np.linalg.inv(K), float)
        changed = {"positions": {"Q": back}, "torques": {"T": K.T}, "columns": {"Q": back, "T": K.T}}[what]
        fault = Message(
            "the {what} of {first} seem to be those of a motor that turns with {second} too", Message(what),
            self.names[b], self.names[a],
        )  # fmt: skip
        return self._slip(fault, Message("decoupled by {factor:+g}", factor), **changed)

    def _factor(self, left: Callable[[float], Left], tried: Sequence[tuple[float, Left]]) -> tuple[float, Left]:
        """The factor that leaves the least, beside the best that was tried; ±1 where that leaves hardly more."""
        one, best = _least([row for row in tried if abs(row[0]) == 1]), _least(tried)
        sign, near = np.sign(best[0]), np.log(abs(best[0]))
        found = minimize_scalar(
            lambda x: left(float(sign * np.exp(x))).balanced, bounds=(near - WIDE, near + WIDE), method="bounded",
            options={"xatol": 0.01, "maxiter": 14},
        )  # fmt: skip
        factor = float(f"{sign * np.exp(found.x):.2g}")
        fitted = _least([best, (factor, left(factor))])
        return one if one[1].balanced <= EVEN * fitted[1].balanced else fitted

    def _couplings(self, own: Data, start: Conversion, gravity: Array | None) -> Iterator[tuple[RecordingSlip, Left]]:
        """The motor of one joint turns with another. Columns are added: the best are judged on blocks left out. A pair
        has the same columns in both orders, with the factor c or 1/c: the motor is taken for that of the outer joint,
        which is driven from further in."""
        count = len(self.names)
        near = [(self.names[a], self.names[b]) for a, b in combinations(range(count), 2) if b - a <= 2]
        pairs = [pair for pair in near if pair not in self.model.coupling and pair[::-1] not in self.model.coupling]
        tried: dict[tuple[str, str], list[tuple[float, Left]]] = {pair: [] for pair in pairs}
        for factor in FACTORS if pairs else ():
            for pair, left, *_ in self._coupled(start, gravity, pairs, factor):
                tried[pair].append((factor, left))
        before = left_out(own.fit, self._own_prior(own))
        for pair in sorted(pairs, key=lambda pair: _least(tried[pair])[1].balanced)[:FIRST]:
            one = partial(self._coupled, start, gravity, [pair])
            factor, _ = self._factor(lambda c: next(one(c))[1], tried[pair])  # noqa: B023
            _, left, grams, prior = next(one(factor))
            if float((left_out(grams, prior) < before).mean()) >= BLOCKS_BETTER:
                fault = Message("the motor of {second} seems to turn with {first} too", pair[1], pair[0])
                more = Message("with motors coupled by {factor:+g}", factor)
                undone = Message("with coupled motors") if factor == 1 else more
                yield RecordingSlip(fault, undone, Conversion.identity(count), None, {pair: factor}), left

    def _coupled(
        self, start: Conversion, gravity: Array | None, pairs: Sequence[tuple[str, str]], factor: float
    ) -> Iterator[tuple[tuple[str, str], Left, Grams, Prior]]:
        """Of every pair, coupled by the factor, what it leaves: all columns are gathered at once."""
        data = self.gather_with(start, gravity, dict.fromkeys(pairs, factor))
        prior = self._own_prior(data)
        places = np.flatnonzero([column.family == COUPLING for column in data.columns])[-3 * len(pairs) :]
        rest = np.setdiff1d(np.arange(len(data.columns)), places)
        for pair, more in zip(pairs, places.reshape(len(pairs), -1)):
            kept = np.concatenate([rest, more])
            grams, own = data.fit.subset(kept), prior.subset(kept)
            yield pair, left_by(grams, own, self.certain), grams, own

    def _list(self, joints: Sequence[int]) -> Message:
        if len(joints) == len(self.names) > 2:
            return Message("all joints")
        return Message("{joints}", in_a_row([self.names[j] for j in joints]))


def _least(tried: Sequence[tuple[float, Left]]) -> tuple[float, Left]:
    return min(tried, key=lambda row: row[1].balanced)
