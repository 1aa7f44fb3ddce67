"""Why a fit leaves much of the torque: the slips of a recording that explain it, or another robot.

Where a possible arm leaves much of the torque unexplained, every slip is tried as what would undo it (`slips`). A slip
is believed when it leaves far less; two of them may be needed, or three. Nothing is changed here:
`identify(repair=True)` takes what is found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from manipula.identification.conversion import Conversion
from manipula.identification.data import Data
from manipula.identification.fit.comparison import FINER, NO_FIT, POOR, Left
from manipula.identification.fit.slips import RecordingSlip, Search, join_slips, under_gravity
from manipula.identification.joint_model import JointModel
from manipula.mechanics.robot.description import RobotDescription
from manipula.messages import Message, in_a_row

Array = NDArray[np.float64]
Chain = tuple[RecordingSlip, ...]
BETTER = 0.6  # of what is left, at most, when the right cause is found
FAR_LESS = 0.3  # of what is left, where what remains is still much
HELPS = 0.95  # of what is left, when one of two causes is found
BOTH = 0.45  # of what is left when both are
BEAM = 4  # slips that are tried with a second one beside them
QUIET_BEAM = 2  # the same where quiet joints alone are left unexplained: they often are without any slip
ENOUGH = 0.2  # of what is left: two slips that end the search
COUPLED = 0.75  # of what is left, where a validation asks for coupled motors
MUCH = 0.05  # of the torque, left by a fit that trusts the torques: slips are looked for among such fits
QUIET = 0.1  # of one joint's own torque, where little of all is left: coupled motors are looked for
SURPRISED = 4.0  # of bodies that are far from those of the file
UNLIKE = 0.3  # of bodies, where slips explain the torques: those of another robot are
BELIEVED = 1 / 3  # of that surprise, at most, when the right unit is found
SIMPLER = 1.1  # times what a later kind of slip leaves: the earlier kind is believed


@dataclass(frozen=True)
class Explanation:
    """Slips that together explain a poor fit, and what is left before and after, in parts of the torque."""

    slips: tuple[RecordingSlip, ...]
    before: Left
    after: Left
    by_validation: bool = False
    of_file: bool = False  # are the bodies compared with those of the robot's file?

    @property
    def conversion(self) -> Conversion:
        return join_slips(self.slips, len(self.slips[0].conversion.q0))[0]

    @property
    def gravity(self) -> Array | None:
        return join_slips(self.slips, len(self.slips[0].conversion.q0))[1]

    @property
    def coupling(self) -> dict[tuple[str, str], float]:
        return join_slips(self.slips, len(self.slips[0].conversion.q0))[2]

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
                in_a_row([slip.fault for slip in self.slips]), self._undone, hint,
            )  # fmt: skip
        return Message(
            "{fault}: {undone}, {after:.3g} % of the torque is left unexplained, not {before:.3g}; {hint}",
            in_a_row([slip.fault for slip in self.slips]), self._undone, *self.figures,
            Message(
                "{hint}, but the bodies found are still unlike those of the robot's file. {other}", hint,
                Message("Is it a recording of this robot?"),
            ) if self.of_file and self.after.surprise > UNLIKE else hint,
        )  # fmt: skip

    def note(self) -> Message:
        """The same where it was taken."""
        return Message(
            "repaired: {fault}; {undone}, {after:.3g} % of the torque is left unexplained, not {before:.3g}",
            in_a_row([slip.fault for slip in self.slips]),
            self._undone,
            *self.figures,
        )

    @property
    def _undone(self) -> str:
        """What undoes the slips; two of one kind are undone in the same words."""
        return in_a_row(list(dict.fromkeys(slip.undone for slip in self.slips)))

    def _hint(self) -> Message:
        for (first, second), factor in self.coupling.items():
            if self.by_validation:  # a repair looks at the training alone
                return Message(
                    'coupling={{("{first}", "{second}"): {factor:g}}} (--coupling {first},{second}={factor:g}) '
                    "corrects it", first, second, factor,
                )  # fmt: skip
            return Message(
                'coupling={{("{first}", "{second}"): {factor:g}}} (--coupling {first},{second}={factor:g}) corrects '
                "it, as repair=True (--repair) does",
                first, second, factor,
            )  # fmt: skip
        return Message("repair=True (--repair) corrects it")

    def apply_to(self, robot: RobotDescription) -> RobotDescription:
        return robot if self.gravity is None else under_gravity(robot, self.gravity)


def explain(data: Data, model: JointModel, kind: str | None, tell: Callable[[str], None]) -> Explanation | None:
    """The slips that explain what a fit leaves; None where it leaves little, or nothing explains it."""
    search = Search(data, model, kind)
    if search.first == NO_FIT:  # the estimator refuses such torques in a sentence
        return None
    if search.first.poor:
        tell("much of the torque is left unexplained: looking for a cause")
        return _convincing(search, _chain(search, (), search.first)[0])
    units = _units_by_belief(search, search.first) if kind == "robot" else None
    start = () if units is None else units.slips
    if not search.finer(start).whole > MUCH and not search.contradicts(start):
        return units or _quiet_coupling(search)
    tell("more of the torque is left unexplained than a good recording leaves: looking for a cause")
    search.certain = FINER  # what is left is little: fits that trust the torques more tell it apart
    found, _ = _chain(search, start, search.finer(start), two_at_once=False)  # finer fits take longer
    return (_convincing(search, found) if len(found) > len(start) else None) or units


def _quiet_coupling(search: Search) -> Explanation | None:
    """Motors of a wrist that turn together: their friction is much of light joints, and little of the whole."""
    before = search.finer(())
    if not before.worst > QUIET:
        return None
    best = _simplest(search.of_couplings(())[1])
    after = NO_FIT if best is None else search.finer((best[0],))
    return Explanation((best[0],), before, after) if best and after.balanced < BETTER * before.balanced else None


def explain_by_coupling(data: Data, more: Sequence[Data], model: JointModel, kind: str | None) -> Explanation | None:
    """Coupled motors as the cause of what other recordings show: a joint that is predicted worse than by zero."""
    before, tried = Search(data, model, kind).of_couplings(more)
    best = _simplest(tried)
    if best is None or not best[1].balanced < COUPLED * before.balanced:
        return None
    return Explanation((best[0],), before, best[1], by_validation=True)


def _convincing(search: Search, chain: Chain) -> Explanation | None:
    """The slips with figures of a finer fit, where these convince."""
    if not chain:
        return None
    found = Explanation(chain, search.finer(()), search.finer(chain), of_file=search.of_file)
    return found if found.before != NO_FIT and found.convinces else None


def _chain(search: Search, start: Chain, before: Left, two_at_once: bool = True) -> tuple[Chain, Left]:
    """Slips beside those known: one that leaves little, or the best two, or a third behind them; none where neither
    leaves far less."""
    tried = search.best(start)
    single = _simplest(tried)
    chain, after = start, before
    if single is not None and single[1].balanced < BETTER * before.balanced:
        chain, after = (*start, single[0]), single[1]
        if not after.poor:
            return chain, after
    if not two_at_once:
        return chain, after
    pairs = _pairs(search, start, before, tried)
    two = min(pairs, key=lambda pair: pair[1].balanced, default=None)
    if two is None or not two[1].balanced < (
        BETTER * after.balanced if len(chain) > len(start) else BOTH * before.balanced
    ):
        return chain, after
    chain, after = two
    third = _simplest(search.best(chain)) if after.poor else None
    if third is not None and third[1].balanced < BETTER * after.balanced:
        return (*chain, third[0]), third[1]
    return chain, after


def _pairs(
    search: Search, start: Chain, before: Left, tried: Sequence[tuple[RecordingSlip, Left]]
) -> list[tuple[Chain, Left]]:
    """Each of the slips that help most alone, with the best one beside it."""
    helping = sorted(tried, key=lambda pair: pair[1].balanced)[: BEAM if before.whole > POOR else QUIET_BEAM]
    found: list[tuple[Chain, Left]] = []
    for first, left in helping:
        if left.balanced < HELPS * before.balanced and (more := _simplest(search.best((*start, first)))):
            found.append(((*start, first, more[0]), more[1]))
            if not more[1].poor and more[1].balanced < ENOUGH * before.balanced:
                break
    return found


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
