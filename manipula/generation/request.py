"""What is asked for, and one way to make it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from manipula.algebra.expr.function import Function
from manipula.algebra.expr.provenance import Answered
from manipula.mechanics.models.dynamics.choices import Answer, Topic
from manipula.mechanics.models.floating.frames import Hold
from manipula.mechanics.robot.bind import Symbolic
from manipula.mechanics.robot.default_values import meanings
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.subject import subject_of


@dataclass(frozen=True)
class Formulation:
    """One way to build a model: a method, and answers to the free questions of formulation."""

    method: str
    answers: tuple[tuple[Topic, Answer], ...] = ()

    @property
    def words(self) -> tuple[Answered, ...]:
        """The answers as a function's provenance has them."""
        return tuple(Answered(topic.kind, topic.link, str(answer)) for topic, answer in self.answers)


LEVEL_NAMES = ("none", "fast", "max")  # how hard to try


@dataclass(frozen=True)
class Request:
    """What is asked for."""

    robot: RobotDescription
    model: str
    method: str = "best"
    symbolic: Symbolic = "auto"
    optimise: str = "fast"
    wrench: bool = False
    parameters: str = "base"
    price: str = "classical"
    frames: tuple[str, ...] = ()  # those that a model of several is about, by name
    hold: tuple[Hold, ...] = ()  # of each of them, how it is held

    def describe(self, function: Function) -> Function:
        """The function, whose provenance says what the robot is. Done last: what is cached knows no file."""
        subject = subject_of(self.robot, self.symbolic)
        return replace(function, provenance=replace(function.provenance, subject=subject))

    @property
    def meanings(self) -> dict[str, tuple[str, str]]:
        """Of the robot's parameters: name → unit and meaning."""
        return {name: (meaning.unit, meaning.about) for name, meaning in meanings(self.robot).items()}

    @property
    def letters(self) -> tuple[str, ...]:
        """Of the variables in books: theta where a joint turns, d where it slides."""
        fields = {joint.name: KINDS[joint.kind].field for joint in self.robot.joints}
        return tuple(fields[name] for name in self.robot.joint_names)
