"""Another robot as the cause of a poor fit: a recording that belongs to another arm of the library, or of the file.

Where no slip of the recording explains what a fit leaves, the arms with as many joints are tried on it at a low rate:
those of the library whose geometry has numbers, and the chains to other tips of the file that the robot was read from.
Bodies and friction are fitted for each, so that geometry decides. The best one is named, with what it would leave;
nothing is changed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from manipula.errors import ManipulaError, ManipulaWarning
from manipula.identification.data import Data
from manipula.identification.fit.comparison import FINER, NO_FIT, Left
from manipula.identification.fit.hypotheses import Explanation, explain
from manipula.identification.fit.slips import Search
from manipula.identification.joint_model import JointModel
from manipula.mechanics.robot import library
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.formats.registry import FORMATS, robot_from_source
from manipula.messages import Message

LEFT = 0.05  # of the torque: what another robot is looked for
BETTER = 0.6  # of what the robot itself leaves, at most
FAR_LESS = 0.3  # where what remains is still much


@dataclass(frozen=True)
class OtherRobot:
    """A robot that explains the recording better: in words, and what is left of the torque with this one and that."""

    said: Message
    before: Left
    after: Left

    @property
    def convinces(self) -> bool:
        ratio = self.after.balanced / max(self.before.balanced, 1e-300)
        return ratio < (FAR_LESS if self.after.poor else BETTER)

    def warning_message(self) -> Message:
        return Message(
            "another robot explains the recording better: with {robot} {after:.3g} % of the torque is left "
            "unexplained, not {before:.3g}; is it a recording of that robot?",
            self.said,
            100 * self.after.whole,
            100 * self.before.whole,
        )


def find_cause(
    data: Data, model: JointModel, kind: str | None, tell: Callable[[str], None]
) -> Explanation | OtherRobot | None:
    """Slips of the recording; two of them, or one that leaves much, are less likely than another robot that explains
    more."""
    slips = explain(data, model, kind, tell)
    if slips is None or len(slips.slips) > 1 or slips.after.whole > LEFT:
        return find_other_robot(data, model, kind, tell, None if slips is None else slips.after) or slips
    return slips


def find_other_robot(
    data: Data, model: JointModel, kind: str | None, tell: Callable[[str], None], slips: Left | None = None
) -> OtherRobot | None:
    """The robot with as many joints that explains the recording best, and far better than what `slips` leave; None
    where the robot's own fit is good, or no other does."""
    search = Search(data, model, kind)
    before = search.left_with(data.robot, FINER)
    if search.first == NO_FIT or not before.whole > LEFT:
        return None
    tell("much of the torque is left unexplained: trying other robots")
    tried = [(said, robot, search.left_with(robot)) for said, robot in _candidates(data.robot)]
    if not tried:
        return None
    said, robot, _ = min(tried, key=lambda row: row[2].balanced)
    found = OtherRobot(said, before, search.left_with(robot, FINER))
    beaten = slips is None or found.after.balanced < BETTER * slips.balanced
    return found if found.convinces and beaten else None


def _candidates(robot: RobotDescription) -> Iterator[tuple[Message, RobotDescription]]:
    """In words, other arms with as many joints."""
    for tip, other in _other_tips(robot):
        yield Message("the chain to {tip} (tip={tip2!r})", tip, tip), other
    for name in library.names():
        arm = _read(name)
        if arm is not None and arm.dof == robot.dof and name != robot.name:
            yield Message("{name} of the library", name), arm


def _other_tips(robot: RobotDescription) -> Iterator[tuple[str, RobotDescription]]:
    """Chains of the same file to its other ends."""
    path, form = robot.origin.path, FORMATS.get(robot.origin.format)
    if form is None or not form.takes("tip") or not path or not Path(path).is_file():
        return
    whole = _read(path)
    for frame in () if whole is None else whole.frames:
        other = _read(path, tip=frame.name)
        if other is not None and other.dof == robot.dof and other.joint_names != robot.joint_names:
            yield frame.name, other


def _read(source: str, **options: str) -> RobotDescription | None:
    """A robot without a word; None of one that cannot be read so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManipulaWarning)
        try:
            found: RobotDescription = robot_from_source(source, **options)
        except ManipulaError:
            return None
    return found
