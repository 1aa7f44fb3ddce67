"""Questions about an arm, with their solutions taken from derivations that are proved."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import degrees, pi, radians
from random import Random
from typing import Any

from manipula.algebra.expr.maths import ExprMaths, free_symbols
from manipula.algebra.expr.node import Graph
from manipula.algebra.show.notation import Letter, Notation
from manipula.algebra.simplify.tree import FormulaNumber, FormulaTree, Symbol, evaluate_tree, leaves
from manipula.derivations.topics import derivation_by_topic
from manipula.errors import InputError, ManipulaError, UnknownNameError
from manipula.generation.arm_structure import ArmStructure
from manipula.mechanics.models.kinematics.pose import pose
from manipula.mechanics.spatial.floats import FLOATS
from manipula.messages import Message
from manipula.pages.derivation import Derivation
from manipula.pages.steps import Equation, Quoted, Sentence, sentence
from manipula.robot import Robot
from manipula.worksheets.answers import AnswerVerdict, check_formula, check_number
from manipula.worksheets.arms import numbers_of

EACH = 3  # questions of a topic
NEAR = 0.005  # of a number: three digits
CLOSE = 2e-3  # m: of a point that joints shall reach
SAMPLES = 24  # points at which a page compares an answer


@dataclass(frozen=True)
class WorksheetQuestion:
    """What is asked, how the answer is called, and the solution: a formula, a number, or joints that reach a point."""

    key: str  # 1a, 1b, 2a, …
    topic: str
    asks: Sentence
    left: Notation
    solution: Any = field(repr=False)  # a tree, a float, or lists of joints
    kind: str = "formula"  # or "number", "joints"
    names: tuple[str, ...] = ()  # that the answer may use
    given: tuple[tuple[str, float], ...] = ()  # numbers that the question states
    target: tuple[float, ...] = ()


@dataclass(frozen=True)
class ArmQuestions:
    """The questions about one arm and the derivations that answer them."""

    robot: Robot
    questions: tuple[WorksheetQuestion, ...]
    derivations: tuple[Derivation, ...]

    def question(self, key: str) -> WorksheetQuestion:
        known = {one.key: one for one in self.questions}
        if key not in known:
            raise UnknownNameError("question", key, known)
        return known[key]

    @cached_property
    def weights(self) -> set[str]:
        """The parameters that do not place the tool: masses, inertias, gravity."""
        structure, graph = ArmStructure(self.robot, "all"), Graph()
        chain = structure.bound_tree(ExprMaths(graph), structure.symbols(graph.symbol))
        q = [graph.symbol(f"q{i}", online=True) for i in range(1, chain.dof + 1)]
        entries = [graph.expr(x) for row in pose(chain, q).rows() for x in row]
        return {*structure.free} - {str(x.data) for x in free_symbols(entries)}

    def check(self, key: str, text: str) -> AnswerVerdict:
        """One answer."""
        one = self.question(key)
        if one.kind == "number":
            return check_number(one.solution, text, NEAR)
        if one.kind == "joints":
            return check_joints(self.robot, dict(one.given), one.target, text)
        aliases = self.derivations[0].aliases if self.derivations else {}
        return check_formula(one.solution, text, one.names, self.robot.dof, aliases)


def check_joints(robot: Robot, numbers: dict[str, float], target: Sequence[float], text: str) -> AnswerVerdict:
    """Joints in the order of the arm, angles in degrees: whichever of the solutions they are."""
    chain = ArmStructure(robot, "all").bound_tree(FLOATS, numbers)
    try:
        given = numbers_in_list(text, robot.dof)
    except ValueError:
        return AnswerVerdict(False, Message("{text} is not a list of numbers", text.strip()))
    if len(given) != robot.dof:
        return AnswerVerdict(False, Message("expected {dof} numbers, found {count}", robot.dof, len(given)))
    q = [radians(x) if link.kind.turns else x for x, link in zip(given, chain.links, strict=True)]
    got: Any = pose(chain, q).p
    off: float = max(abs(a - b) for a, b in zip(got, target, strict=True))
    if off <= CLOSE * max(1.0, *map(abs, target)):
        return AnswerVerdict(True, Message("Right."))
    return AnswerVerdict(
        False, Message("These joints bring the tool to ({x:.3f}, {y:.3f}, {z:.3f}), off by {off:.3f} m.", *got, off)
    )


LIST_NOISE = r"[A-Za-zθϑ_₀-₉0-9]*\s*=|[()[\]{}°]|\b(?:m|deg)\b"  # q1 = 30°, d3 = 0.2 m
LIST_GAPS = (r"[\s;]+|,(?!\d)", r"[\s;,]+")  # 30,5; 20 has decimal commas, 30,20 is two numbers


def numbers_in_list(text: str, count: int) -> list[float]:
    """As many numbers as are wanted, if one reading of the commas gives them."""
    plain = re.sub(LIST_NOISE, " ", text).replace("−", "-")
    first, second = ([x.replace(",", ".") for x in re.split(gap, plain) if x] for gap in LIST_GAPS)
    return [float(x) for x in (second if len(first) != count == len(second) else first)]


Solved = dict[str, Derivation]  # topic → its derivation; inverse kinematics may lack it


def solve(robot: Robot, topics: Sequence[str]) -> Solved | None:
    """The derivations that answer the questions; nothing where a topic has no question but for numbers."""
    found: Solved = {}
    for topic in topics:
        try:
            found[topic] = derive_topic(robot, topic)
        except ManipulaError:
            if topic != "ik":  # joints for a point that was drawn can be found without a closed form
                return None
            continue
        if topic != "ik" and not any(_asked(topic, Random(0), found[topic])):
            return None
    return found if found else None


def derive_topic(robot: Robot, topic: str) -> Derivation:
    task = "position" if topic == "ik" else None
    return derivation_by_topic(robot, topic, symbolic="all", task=task, seconds=20.0)


def ask(robot: Robot, topics: Sequence[str], rng: Random, numeric: bool, solved: Solved | None = None) -> ArmQuestions:
    """The questions, numbered by topic: 1a, 1b, 2a, …"""
    known = solved if solved is not None else solve(robot, topics)
    if known is None:
        raise InputError("{name}: nothing to ask about {topics}", robot.name, ", ".join(topics))
    numbers = numbers_of(robot, rng)
    questions: list[WorksheetQuestion] = []
    for place, topic in enumerate(topics, 1):
        every = list(_asked(topic, rng, known[topic])) if topic in known else []
        for letter, (asks, left, tree) in zip("abcdefgh", every):
            one = WorksheetQuestion(f"{place}{letter}", topic, asks, left, tree, names=_names(robot, tree))
            questions.append(_with_numbers(one, robot, numbers, rng) if numeric else one)
        if topic == "ik":
            questions.append(_reaching(f"{place}{'abcdefgh'[len(every)]}", robot, numbers, rng))
    return ArmQuestions(robot, tuple(questions), tuple(known.values()))


def _names(robot: Robot, tree: FormulaTree) -> tuple[str, ...]:
    """Every parameter, and the letters of the target where the solution has them."""
    own = [x.name for x in leaves([tree]) if isinstance(x, Symbol) and not x.name.startswith("q")]
    return tuple(dict.fromkeys([*ArmStructure(robot, "all").free, *own]))


Asked = tuple[Sentence, Notation, FormulaTree]


def _asked(topic: str, rng: Random, derivation: Derivation) -> Iterator[Asked]:
    """Entries that are formulas, at most `EACH` of them."""
    every = [x for x in _entries(topic, derivation) if not isinstance(x[2], FormulaNumber)]
    chosen = sorted(rng.sample(range(len(every)), min(EACH, len(every))))
    for k in chosen:
        yield every[k]


def _entries(topic: str, derivation: Derivation) -> Iterator[Asked]:
    script = derivation.script("text")
    for _, x in derivation.equations():
        left = script.notation(x.left)
        match topic:
            case "pose" if left == "p":
                yield from _matrix(x, "p", Message("Find {left}, a coordinate of the tool's origin in the base frame."))
            case "pose" if left in ("n", "o"):
                yield from _matrix(x, left, _AXES[left])
            case "jacobian" if left == "J":
                yield from _matrix(
                    x,
                    "J",
                    Message("Find {left}, an entry of the Jacobian of the tool (linear velocity above angular)."),
                )
            case "dynamics" if isinstance(x.left, Letter) and isinstance(x.result, FormulaTree):
                if x.left.letter == "m" or (x.left.letter == "g" and x.left.below != "0"):
                    yield sentence(_DYNAMICS[x.left.letter], x.left), x.left, x.result
            case "ik" if left == "c₂" and isinstance(x.result, FormulaTree):
                wrist = any(isinstance(y, Symbol) and y.name == "xw" for y in leaves([x.result]))
                asks = sentence(_WRIST if wrist else _POINT, x.left)
                yield asks, x.left, x.result
            case "singularities" if left == "det J" and isinstance(x.result, FormulaTree):
                yield (
                    sentence("Find {left}, the determinant of the Jacobian's rows that are not zero.", x.left),
                    x.left,
                    x.result,
                )


_AXES = {
    "n": Message("Find {left}, a component of n, the x axis of the tool, in the base frame."),
    "o": Message("Find {left}, a component of o, the y axis of the tool, in the base frame."),
}
_POINT = Message("Find {left} from the position (x, y) of the tool.")
_WRIST = Message("Find {left} from the position (xw, yw) of joint 3.")
_DYNAMICS = {
    "m": Message("Find {left}, an entry of the inertia matrix."),
    "g": Message("Find {left}, the torque of gravity (the force, where the joint slides)."),
}


def _matrix(x: Equation, letter: str, template: str) -> Iterator[Asked]:
    assert isinstance(x.result, tuple)
    for i, row in enumerate(x.result, 1):
        for j, tree in enumerate(row, 1):
            below = "xyz"[i - 1] if len(row) == 1 and i <= 3 and letter != "J" else f"{i}{j}"
            left = Letter(letter, below)
            yield sentence(template, left), left, tree


def _with_numbers(one: WorksheetQuestion, robot: Robot, numbers: dict[str, float], rng: Random) -> WorksheetQuestion:
    """At a configuration that is drawn: angles in steps of 15°, slides in steps of 5 cm."""
    chain = ArmStructure(robot, "all").bound_tree(FLOATS, numbers)
    q, stated = {}, []
    for i, link in enumerate(chain.links, 1):
        value = rng.randrange(-8, 9) * 15.0 if link.kind.turns else rng.randrange(2, 13) * 0.05
        q[f"q{i}"] = radians(value) if link.kind.turns else value
        stated.append((f"q{i}", round(value, 3)))
    extra = {x.name: 0.3 for x in leaves([one.solution]) if isinstance(x, Symbol) and x.name in ("x", "y", "xw", "yw")}
    value = float(evaluate_tree(one.solution, {**numbers, **q, **extra}, FLOATS))
    asks = Sentence(one.asks.template, one.asks.parts)
    return WorksheetQuestion(
        one.key, one.topic, asks, one.left, value, "number", given=(*stated, *numbers.items(), *extra.items())
    )


def _reaching(key: str, robot: Robot, numbers: dict[str, float], rng: Random) -> WorksheetQuestion:
    """Joints for a point that the arm reaches."""
    chain = ArmStructure(robot, "all").bound_tree(FLOATS, numbers)
    q = [
        radians(rng.randrange(-8, 9) * 10 + 5) if link.kind.turns else rng.randrange(2, 13) * 0.05
        for link in chain.links
    ]
    point: Any = pose(chain, q).p
    target = tuple(round(float(x), 4) for x in point)
    shown = [round(degrees(x), 4) if link.kind.turns else round(x, 4) for x, link in zip(q, chain.links, strict=True)]
    asks = sentence(
        "Find joints that bring the tool to {point}, in m; angles in degrees. Any solution is right.",
        Quoted("(" + ", ".join(f"{x:g}" for x in target) + ")"),
    )
    return WorksheetQuestion(key, "ik", asks, "q", shown, "joints", given=tuple(numbers.items()), target=target)


def samples_of(one: WorksheetQuestion, dof: int, rng: Random) -> list[tuple[dict[str, float], float]]:
    """Points and values at which a page compares a formula: the formula itself is not in the page."""
    points: list[tuple[dict[str, float], float]] = []
    while len(points) < SAMPLES:
        values = {name: round(rng.uniform(0.3, 1.7), 6) for name in one.names}
        for rate in ("q", "qd", "qdd"):
            values |= {f"{rate}{i}": round(rng.uniform(-pi, pi), 6) for i in range(1, dof + 1)}
        points.append((values, float(evaluate_tree(one.solution, values, FLOATS))))
    return points
