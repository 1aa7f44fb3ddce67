"""What is requested, one way to make it, and what follows from it.

It is worked out once and handed on: nothing downstream derives it from the robot again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from manipula.algebra.expr.function import Function
from manipula.algebra.expr.node import Expr
from manipula.algebra.expr.provenance import Answered
from manipula.algebra.optimise.price import Aim, price_named
from manipula.algebra.optimise.prove import is_decidable_root
from manipula.errors import InputError, UnknownNameError, some_of
from manipula.generation.arm_structure import ArmStructure, numeric_chain
from manipula.mechanics.models.catalogue import MODELS
from manipula.mechanics.models.dynamics.choices import (
    FRAMES,
    TIP,
    UNIT,
    Answer,
    Answers,
    Question,
    Topic,
    changes_to_try,
    default_answers,
    field_questions,
    questions,
)
from manipula.mechanics.models.dynamics.elements import add_elements
from manipula.mechanics.models.entry import (
    ALSO_CALLED,
    AUTOMATIC,
    BODIES,
    FIELD,
    ON_JOINTS,
    TOOL,
    Given,
    Method,
    ModelEntry,
    Outputs,
)
from manipula.mechanics.models.floating.forms import floating_form
from manipula.mechanics.models.floating.frames import ROWS, Hold, about_frames, refuse_still
from manipula.mechanics.models.ports import PORTS, PortSizes
from manipula.mechanics.robot.bind import Symbolic
from manipula.mechanics.robot.default_values import meanings
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.reduce import PAIRS
from manipula.mechanics.robot.subject import subject_of
from manipula.mechanics.robot.suffixes import identifier_from_name
from manipula.mechanics.robot.topology import (
    frame_meant,
    frame_of,
    refuse_elements,
    refuse_loops,
    road_of,
    serial_fault,
    with_frame,
)
from manipula.mechanics.robot.tree import Tree
from manipula.support.text import spell_greek, without_accents

if TYPE_CHECKING:
    from manipula.generation.column_ranking import Ranking


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
    """What is requested."""

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


@dataclass(frozen=True, eq=False)
class Prepared:
    """A request and what follows from it. Each part is made when it is first read: what is known already needs few."""

    request: Request
    structure: ArmStructure  # shared by requests about one robot
    _questions: dict[str, list[Question]] = field(default_factory=dict, repr=False)

    @property
    def robot(self) -> RobotDescription:
        return self.request.robot

    @property
    def parameters(self) -> tuple[str, ...]:
        """The robot's parameters that stay symbols."""
        return self.structure.free

    def with_request(self, **changes: Any) -> Prepared:
        """Another question about the same robot and symbols."""
        request = replace(self.request, **changes)
        same = _with_frame_meant(request) is self.robot and request.frames == self.request.frames
        return Prepared(request, self.structure) if same else prepare(request)

    @cached_property
    def model(self) -> ModelEntry:
        """The model as it is for this robot; an entry that depends on the arm's class is completed."""
        model = model_named(self.request.model)
        if self.request.frames:
            refuse_loops(self.robot, model.name)
            refuse_elements(self.robot, model.name)
            return about_frames(model, self.robot, self.request.hold)
        if self.robot.elements and (self.robot.moving or self.robot.loops):
            model = add_elements(model, self.robot, closed=True)
        if self.robot.moving and self.robot.loops:
            from manipula.mechanics.models.floating.closed import close_floating

            return close_floating(model, self.robot, self.structure.closure)
        if self.robot.moving:
            form = floating_form(model, self.robot)
            return _keep_independent(form, self.structure.column_ranking) if form.ranked else form
        if self.robot.loops:
            return self._closed_model(model)
        if follows := self.robot.coordinates.followers:
            from manipula.mechanics.models.derivatives.couplings import couple_model

            model = couple_model(model, self.robot.name)
        if self.robot.elements:
            model = add_elements(model, self.robot)
        if model.ranked or any(PORTS[port].size == "base" for port in model.inputs):
            return _keep_independent(model, self.structure.column_ranking)
        if model.inverts:
            return model.inverts(model, self.structure.plan)
        return model if model.planned is None or follows else model.planned(model, numeric_chain(self.robot))

    def _closed_model(self, model: ModelEntry) -> ModelEntry:
        """Of a robot with loops: positions of all joints in, rates and torques of its motors."""
        from manipula.mechanics.models.closure.closed_models import close_model

        closed = close_model(model, self.robot.name, self.structure.closure)
        return _keep_independent(closed, self.structure.column_ranking) if closed.ranked else closed

    @cached_property
    def methods(self) -> tuple[str, ...]:
        """The methods that the request leaves open; of a robot that branches, those that are right on trees."""
        model, wanted, fault = self.model, self.request.method, serial_fault(self.robot)
        if wanted != "best":
            self._refuse_unfit(wanted)
            if fault and model.structure(wanted) == "chain":
                raise InputError(
                    "{name}: the method {wanted!r} of {name2} wants a serial arm, and {serial_fault}; use one of "
                    "best, {trees}",
                    self.robot.name,
                    wanted,
                    model.name,
                    fault,
                    ", ".join(model.trees),
                )
            return (wanted,)
        best = model.candidates or tuple(model.methods)[:1]
        best += model.further if self.request.optimise == "max" else ()
        fit = tuple(method for method in best if not fault or model.structure(method) == "tree")
        return fit or model.trees[1:] or model.trees

    def _refuse_unfit(self, method: str) -> None:
        """A method of the catalogue that this robot's model does not have: it exists, and the robot is in its way."""
        fit, names = self.model.method_names, self.robot.coordinates.followers
        if names and method not in fit and method in model_named(self.request.model).method_names:
            raise InputError(
                "{name}: the method {method!r} of {name2} does not take joints that follow others ({some_of}); "
                "use one of best, {fit}",
                self.robot.name,
                method,
                self.model.name,
                some_of(names),
                ", ".join(fit),
            )

    @cached_property
    def inputs(self) -> dict[str, list[str]]:
        """Port → symbol names: q → q1 … qn, wrench → fx … nz."""
        pushed = ("wrenches",) if self.request.frames and self.model.takes_wrench else ()
        names = (*self.model.inputs, *(("wrench",) if self.request.wrench else ()), *pushed)
        return {name: PORTS[name].entries(self.sizes) for name in names}

    @property
    def name(self) -> str:
        """robot_model, as code may write it; what is about a frame by name has that name, too."""
        entry = model_named(self.request.model)  # closed form or not
        about = (entry.needs & TOOL and not entry.framed) or self.request.wrench
        frame = identifier_from_name(frame_of(self.robot)) if about else ""
        several = "".join(f"_{identifier_from_name(name)}" for name in self.request.frames)
        return self.function_name(self.request.model) + (f"_{frame}" if frame else "") + several

    @property
    def sizes(self) -> PortSizes:
        """What of the robot decides the sizes of ports."""
        held, frames = sum(ROWS[kind] for kind, _ in self.request.hold), len(self.request.frames)
        base = lambda: len(self.structure.column_ranking.names)  # noqa: E731
        driven = self.robot.motor_coordinates if self.robot.loops else None
        return PortSizes(self.robot.dof, base, self._columns, driven, frames, held)

    def _columns(self) -> int:
        """How many columns the model's regressor has."""
        names = self.model.columns
        return 0 if names is None else len(names(self.structure.in_floats("columns")))

    def function_name(self, what: str) -> str:
        return f"{robot_word(self.robot.name)}_{what}"

    @cached_property
    def aim(self) -> Aim:
        """What a search is to make small, and by which of the arm's lengths it may divide."""
        return Aim(price_named(self.request.price), tuple(self.structure.lengths))

    # formulation

    def questions(self, method: str) -> list[Question]:
        """What formulation leaves open for this robot, model and method."""
        if method not in self._questions:
            self._questions[method] = self._open_questions(method)
        return self._questions[method]

    def _open_questions(self, method: str) -> list[Question]:
        chain = self.structure.on_joints
        asked = questions(chain, self.model.needs, self.request.parameters == "base")
        own = [Question(FRAMES, ("joints",))] if method in ON_JOINTS else []
        own += field_questions(chain) if method in (FIELD, AUTOMATIC) else []
        asked = [_decidable(x, chain) for x in asked if x.topic not in {y.topic for y in own}] + own
        # the wrench and a base's motion are given in metres, and so are the pivot of a closure and a spring's length
        metres = bool(self.request.wrench or self.robot.loops or self.robot.moving or self.request.frames)
        metres = bool(metres or self.robot.elements)
        return [x for x in asked if x.topic != UNIT or not metres]

    def plain(self, method: str) -> Formulation:
        """The method as the file has the robot; some want their frames on the joints."""
        return self.default(method) if method in ON_JOINTS else Formulation(method)

    def default(self, method: str) -> Formulation:
        """Answers that are rarely bad, at no cost of search."""
        answers = dict(default_answers(self.structure.on_joints, self.questions(method)))
        if method in BODIES:
            answers |= self.structure.slides
        return Formulation(method, tuple(answers.items()))

    def changes_to_try(self, method: str) -> list[Answers]:
        """Changes of the default answers that often pay."""
        return changes_to_try(self.structure.on_joints, self.questions(method))


def prepare(request: Request) -> Prepared:
    """A request with all that follows from it."""
    robot = _with_frame_meant(request)
    marks = tuple(frame_meant(robot, name) for name in request.frames)
    asked = request if robot is request.robot else replace(request, robot=robot)
    return Prepared(asked, ArmStructure(robot, request.symbolic, marks))


def _with_frame_meant(request: Request) -> RobotDescription:
    """The robot with the frame the model is about; inverse kinematics moves the joints on the road to it alone."""
    model, robot = model_named(request.model), request.robot
    if model.inverts:
        return road_of(with_frame(robot))
    if model.framed and not request.frames:
        raise InputError("{name} is about several frames; name them", model.name)
    if request.frames:
        refuse_still(robot, request.frames)
        return robot
    return with_frame(robot) if request.wrench or model.needs & TOOL else robot


def model_named(name: str) -> ModelEntry:
    if name not in MODELS:
        raise UnknownNameError("model", name, MODELS, ALSO_CALLED)
    return MODELS[name]


def _keep_independent(model: ModelEntry, found: Ranking) -> ModelEntry:
    """A regressor with its independent columns only, under their names as base parameters."""
    base = [port for port in model.inputs if PORTS[port].size == "base"]
    rows = [port for port in model.inputs if port in model.ranked]

    def only(method: Method) -> Method:
        def independent_columns(chain: Tree, x: Given) -> Outputs:
            wide = {port: found.candidates(x[port]) for port in base} | {
                port: _to_candidates(found, x[port]) for port in rows
            }
            outputs: Mapping[str, Any] = method(chain, {**x, **wide})
            return {name: _columns(found, y) if name in model.ranked else y for name, y in outputs.items()}

        return independent_columns

    methods = {name: only(method) for name, method in model.methods.items()}
    return replace(model, methods=methods, columns=lambda chain: list(found.names))


def _columns(found: Ranking, value: Sequence[Any]) -> list[Any]:
    """Of one row, or of all rows of a matrix."""
    matrix = isinstance(value[0], list | tuple)
    return [found.columns(row) for row in value] if matrix else found.columns(value)


def _to_candidates(found: Ranking, entries: Sequence[Any]) -> list[Any]:
    """A matrix of the base parameters' columns, row by row → of the candidates'."""
    count = len(found.names)
    rows = [entries[start : start + count] for start in range(0, len(entries), count)]
    return [x for row in rows for x in found.candidates(row)]


def _decidable(question: Question, chain: Tree) -> Question:
    """The tip is turned by no angle whose root a proof could not follow: the root of a number, or of a square."""
    if question.topic != TIP:
        return question
    body = chain.links[chain.leaves[-1]].inertia
    pairs = {name: pair(body) for name, pair in PAIRS.items() if name in question.answers}
    squares = {name: x * x + y * y for name, (x, y) in pairs.items()}
    undecided = {name for name, x in squares.items() if not (isinstance(x, Expr) and is_decidable_root(x))}
    return replace(question, answers=tuple(answer for answer in question.answers if answer not in undecided))


def robot_word(name: str) -> str:
    """A robot's name as the names of its functions begin with it."""
    plain = without_accents(spell_greek(name))
    text = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in plain).strip("_")
    return text if text[:1].isalpha() else f"robot_{text}"
