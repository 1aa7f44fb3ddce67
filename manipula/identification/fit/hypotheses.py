"""Slips of a recording as hypotheses: signs, order, zeros, units, mounting, coupled motors. The best one explains.

Where a possible arm leaves much of the torque unexplained, every slip is tried as what would undo it, on the recording
at a low rate. What the entropic fit leaves, every joint counted alike, is compared. A slip is believed when it leaves
far less; two of them may be needed. Nothing is changed here: `identify(repair=True)` takes what is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from manipula.identification.columns import COUPLING, inertial_of
from manipula.identification.conversion import Conversion
from manipula.identification.data import Data, Grams, gather
from manipula.identification.estimators.prior import Prior, prior_from
from manipula.identification.fit.comparison import (
    FINER,
    NO_FIT,
    POOR,
    WEIGHT,
    Left,
    left_by,
    left_out,
    low_rate,
    with_negated_torques,
)  # fmt: skip
from manipula.identification.joint_model import JointModel
from manipula.mechanics.robot.description import Cell, RobotDescription
from manipula.mechanics.robot.formats.snap_to_exact import size_of
from manipula.mechanics.robot.values.parameter import number
from manipula.messages import Message, in_a_row

Array = NDArray[np.float64]
Pairs = Mapping[tuple[str, str], float]  # joints whose motors turn together, and the factor
BETTER = 0.6  # of what is left, at most, when the right cause is found
FAR_LESS = 0.3  # of what is left, where what remains is still much
HELPS = 0.95  # of what is left, when one of two causes is found
BOTH = 0.45  # of what is left when both are
SURPRISED = 4.0  # of bodies that are far from those of the file
BELIEVED = 1 / 3  # of that surprise, at most, when the right unit is found
SIMPLER = 1.1  # times what a later kind of slip leaves: the earlier kind is believed
FOUND = 0.4  # of what is left: such a slip ends the search among later kinds
SUBSETS = 4  # joints of which all sets of signs are tried
BLOCKS_BETTER = 0.7  # of the blocks left out that coupled motors must explain better
FIRST = 3  # coupled motors that are judged on blocks left out


@dataclass(frozen=True)
class RecordingSlip:
    """A fault of the recording in words, and what undoes it."""

    fault: Message
    undone: Message
    conversion: Conversion
    gravity: Array | None = None
    coupling: Pairs = field(default_factory=dict)


@dataclass(frozen=True)
class Explanation:
    """Slips that together explain a poor fit, and what is left before and after, in parts of the torque."""

    slips: tuple[RecordingSlip, ...]
    before: Left
    after: Left

    @property
    def conversion(self) -> Conversion:
        found = Conversion.identity(len(self.slips[0].conversion.q0))
        for slip in self.slips:
            found = found.then(slip.conversion)
        return found

    @property
    def gravity(self) -> Array | None:
        return next((slip.gravity for slip in self.slips if slip.gravity is not None), None)

    @property
    def coupling(self) -> dict[tuple[str, str], float]:
        return {pair: factor for slip in self.slips for pair, factor in slip.coupling.items()}

    @property
    def convinces(self) -> bool:
        """A term that the model lacks makes a wrong zero look better, too, and quiet joints are often left unexplained:
        what is left must be little, or far less; of coupled motors, which add columns, less of all torques."""
        ratio = self.after.balanced / max(self.before.balanced, 1e-300)
        if self.coupling and self.after.whole < BETTER**0.5 * self.before.whole:
            return True
        return not self.after.poor or (ratio < FAR_LESS and self.after.whole < BETTER * self.before.whole)

    @property
    def by_belief(self) -> bool:
        """Does it explain the bodies rather than the torques?"""
        return not self.after.balanced < BETTER * self.before.balanced

    @property
    def figures(self) -> tuple[float, float]:
        """% left after and before: of all torques, or of each joint's own where a quiet joint is the matter."""
        if self.after.whole < BETTER * self.before.whole:
            return 100 * self.after.whole, 100 * self.before.whole
        return 100 * self.after.balanced, 100 * self.before.balanced

    def warning_message(self) -> Message:
        """What seems to be wrong, what would be left without it, and how it is taken."""
        hint = self._hint()
        if self.by_belief:
            return Message(
                "{fault}: {undone}, the bodies found are near those of the robot's file, and far from them now; {hint}",
                in_a_row([slip.fault for slip in self.slips]), in_a_row([slip.undone for slip in self.slips]), hint,
            )  # fmt: skip
        return Message(
            "{fault}: {undone}, {after:.3g} % of the torque is left unexplained, not {before:.3g}; {hint}",
            in_a_row([slip.fault for slip in self.slips]), in_a_row([slip.undone for slip in self.slips]),
            *self.figures, hint,
        )  # fmt: skip

    def note(self) -> Message:
        """The same where it was taken."""
        return Message(
            "repaired: {fault}; {undone}, {after:.3g} % of the torque is left unexplained, not {before:.3g}",
            in_a_row([slip.fault for slip in self.slips]),
            in_a_row([slip.undone for slip in self.slips]),
            *self.figures,
        )

    def _hint(self) -> Message:
        for (first, second), factor in self.coupling.items():
            return Message(
                'coupling={{("{first}", "{second}"): {factor:g}}} (--coupling {first},{second}={factor:g}) corrects '
                "it, as repair=True (--repair) does",
                first, second, factor,
            )  # fmt: skip
        return Message("repair=True (--repair) corrects it")

    def apply_to(self, robot: RobotDescription) -> RobotDescription:
        return robot if self.gravity is None else under_gravity(robot, self.gravity)


def under_gravity(robot: RobotDescription, gravity: Array) -> RobotDescription:
    x, y, z = (Cell(cell.name, number(float(g))) for cell, g in zip(robot.gravity, gravity))
    return replace(robot, gravity=(x, y, z))


def explain(data: Data, model: JointModel, kind: str | None, tell: Callable[[str], None]) -> Explanation | None:
    """The slips that explain what a fit leaves; None where it leaves little, or nothing explains it."""
    search = Search(data, model, kind)
    before = search.first
    if before == NO_FIT:  # the estimator refuses such torques in a sentence
        return None
    if not before.poor:
        return _units_by_belief(search, before) if kind == "robot" else None
    tell("much of the torque is left unexplained: looking for a cause")
    tried = search.best(())
    best = _simplest(tried)
    chain: tuple[RecordingSlip, ...] = ()
    if best is not None and best[1].balanced < BETTER * before.balanced:
        chain, after = (best[0],), best[1]
        more = _simplest(search.best(chain)) if after.poor else None
        if more is not None and more[1].balanced < BETTER * after.balanced:
            chain, after = (*chain, more[0]), more[1]
    else:
        helping = sorted(tried, key=lambda pair: pair[1].balanced)[:FIRST]
        pairs = [
            ((first, more[0]), more[1])
            for first, left in helping
            if left.balanced < HELPS * before.balanced and (more := _simplest(search.best((first,))))
        ]
        chain, after = min(pairs, key=lambda pair: pair[1].balanced, default=((), before))
        if not after.balanced < BOTH * before.balanced:
            return None
    found = Explanation(chain, *(search.finer(slips) for slips in ((), chain)))
    return found if found.before != NO_FIT and found.convinces else None


def _units_by_belief(search: Search, before: Left) -> Explanation | None:
    """Positions in other units leave little of a small motion unexplained, but ask for bodies of another kind."""
    if not before.surprise > SURPRISED:
        return None
    tried = search.of_units()
    slip, after = min(tried, key=lambda pair: pair[1].surprise)
    explains = after.surprise < BELIEVED * before.surprise and after.balanced < SIMPLER * before.balanced + POOR / 2
    return Explanation((slip,), before, after) if explains else None


def _simplest(tried: Sequence[tuple[RecordingSlip, Left]]) -> tuple[RecordingSlip, Left] | None:
    """The first, in the order of kinds, of those that leave nearly the least."""
    least = min((left.balanced for _, left in tried), default=0.0)
    return next((pair for pair in tried if pair[1].balanced <= SIMPLER * least), None)


class Search:
    """Every slip, tried on a recording at a low rate."""

    def __init__(self, data: Data, model: JointModel, kind: str | None) -> None:
        self.robot, self.names = data.robot, data.robot.joint_names
        self.turns = np.array(data.robot.coordinates.turns, bool)
        self.model = replace(model, gains=None if isinstance(model.gains, Mapping) else model.gains)
        self.logs, self.cutoff = low_rate(data)
        self.kind = kind or "spheres"
        own = self.gather_with(Conversion.identity(len(self.names)), None, {})
        self.first = left_by(own.fit, self._own_prior(own))

    def gather_with(self, change: Conversion, gravity: Array | None, coupling: Pairs) -> Data:
        robot = self.robot if gravity is None else under_gravity(self.robot, gravity)
        model = replace(self.model, coupling={**self.model.coupling, **coupling})
        return gather(robot, [change.apply(log) for log in self.logs], model, self.cutoff)

    def finer(self, slips: Sequence[RecordingSlip]) -> Left:
        """As `left`, of a fit that trusts the torques more."""
        data = self.gather_with(*self._together(slips))
        return left_by(data.fit, self._own_prior(data), FINER)

    def best(self, before: Sequence[RecordingSlip]) -> list[tuple[RecordingSlip, Left]]:
        """The slips tried beside those taken already, kind by kind until one explains, with what each leaves."""
        start, gravity, coupling = self._together(before)
        own = self.gather_with(start, gravity, coupling)
        enough = FOUND * left_by(own.fit, self._own_prior(own)).balanced
        found: list[tuple[RecordingSlip, Left]] = []
        for kind in self._kinds(own, start, gravity, coupling):
            found += kind
            if any(left.balanced < enough and not left.poor for _, left in found):
                break
        return found

    def of_units(self) -> list[tuple[RecordingSlip, Left]]:
        return [(slip, self._of(slip.conversion, None, {})) for slip in self._units()]

    def _kinds(
        self, own: Data, start: Conversion, gravity: Array | None, coupling: Pairs
    ) -> Iterator[Iterator[tuple[RecordingSlip, Left]]]:
        """The simplest first."""
        yield self._signs(own)
        for slips in (self._directions, self._units, self._orders, self._zeros):
            yield ((slip, self._of(start.then(slip.conversion), gravity, coupling)) for slip in slips())
        if gravity is None:
            yield ((slip, self._of(start, slip.gravity, coupling)) for slip in self._mountings())
        if not coupling:
            yield self._couplings(own, start, gravity)
        yield ((slip, self._of(start.then(slip.conversion), gravity, coupling)) for slip in self._motor_angles())

    def _together(
        self, slips: Sequence[RecordingSlip]
    ) -> tuple[Conversion, Array | None, Mapping[tuple[str, str], float]]:
        if not slips:
            return Conversion.identity(len(self.names)), None, {}
        whole = Explanation(tuple(slips), self.first, self.first)
        return whole.conversion, whole.gravity, whole.coupling

    def _of(self, change: Conversion, gravity: Array | None, coupling: Pairs) -> Left:
        data = self.gather_with(change, gravity, coupling)
        return left_by(data.fit, self._own_prior(data))

    def _own_prior(self, data: Data) -> Prior:
        """With sizes of the torques as they are: other joints have other ones."""
        known = {c.name: float(x) for c, x in zip(data.columns, data.file_values) if np.isfinite(x)}
        return prior_from(data.columns, data.fit, self.kind, known, size_of(data.robot)).with_weight(WEIGHT)

    # the slips

    def _slip(self, fault: Message, undone: Message, **changed: Array) -> RecordingSlip:
        return RecordingSlip(fault, undone, replace(Conversion.identity(len(self.names)), **changed))

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
            yield self._slip(fault, undone, T=np.diag(signs)), left_by(with_negated_torques(data.fit, joints), prior)

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
                Message("{list} seems to be counted in the other direction", listed),
                Message("with positions and torques turned"),
                Q=np.diag(signs), T=np.diag(signs),
            )  # fmt: skip

    def _units(self) -> Iterator[RecordingSlip]:
        for word, factor in (("degrees", np.pi / 180), ("radians", 180 / np.pi)):
            scale = np.diag(np.where(self.turns, factor, 1.0))
            yield self._slip(
                Message("positions seem to be in {unit}", Message(word)), Message("with them converted"), Q=scale
            )

    def _orders(self) -> Iterator[RecordingSlip]:
        count = len(self.names)
        for a, b in combinations(range(count), 2):
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

    def _motor_angles(self) -> Iterator[RecordingSlip]:
        """Positions and torques of motors, of which one turns with two joints, taken for those of joints."""
        one = np.eye(len(self.names))
        for a, b in zip(range(len(self.names) - 1), range(1, len(self.names))):
            for factor in (1.0, -1.0):
                K = one.copy()
                K[b, a] = factor  # the motor of b turns with q_b + c·q_a
                back, joint = np.linalg.inv(K), (self.names[b], self.names[a])
                both = {"Q": back, "T": K.T}
                for what, changed in (("positions", {"Q": back}), ("torques", {"T": K.T}), ("columns", both)):
                    fault = Message(
                        "the {what} of {first} seem to be those of a motor that turns with {second} too", Message(what),
                        *joint,
                    )  # fmt: skip
                    yield self._slip(fault, Message("decoupled by {factor:+g}", factor), **changed)

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

    def _couplings(self, own: Data, start: Conversion, gravity: Array | None) -> Iterator[tuple[RecordingSlip, Left]]:
        """The motor of one joint turns with another. Columns are added: the best are judged on blocks left out. With a
        factor of ±1 a pair has the same columns in both orders: the motor is taken for that of the outer joint, which
        is driven from further in."""
        count = len(self.names)
        pairs = [(self.names[a], self.names[b]) for a, b in combinations(range(count), 2) if b - a <= 2]
        tried: list[tuple[RecordingSlip, Left, Grams, Prior]] = []
        for factor in (1.0, -1.0) if pairs else ():
            data = self.gather_with(start, gravity, dict.fromkeys(pairs, factor))
            prior = self._own_prior(data)
            places = np.flatnonzero([column.family == COUPLING for column in data.columns]).reshape(len(pairs), -1)
            rest = np.setdiff1d(np.arange(len(data.columns)), places)
            for pair, more in zip(pairs, places):
                kept = np.concatenate([rest, more])
                grams, own_prior = data.fit.subset(kept), prior.subset(kept)
                fault = Message("the motor of {second} seems to turn with {first} too", pair[1], pair[0])
                slip = RecordingSlip(
                    fault, Message("with coupled motors"), Conversion.identity(count), None, {pair: factor}
                )
                tried.append((slip, left_by(grams, own_prior), grams, own_prior))
        before = left_out(own.fit, self._own_prior(own))
        for slip, left, grams, prior in sorted(tried, key=lambda row: row[1].balanced)[:FIRST]:
            if float((left_out(grams, prior) < before).mean()) >= BLOCKS_BETTER:
                yield slip, left

    def _list(self, joints: Sequence[int]) -> Message:
        if len(joints) == len(self.names) > 2:
            return Message("all joints")
        return Message("{joints}", in_a_row([self.names[j] for j in joints]))
