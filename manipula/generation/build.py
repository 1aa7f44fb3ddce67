"""Robot × model × choices → Function: the only place where mechanics meets algebra.

The robot is bound to expressions, reduced where the model allows, and the model's own text is run on it. The proof runs
the same robot, unreduced, through the model's plain text over the prime field; no expression is involved there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from manipula.algebra.expr.condition import conditions_of, lengths_read
from manipula.algebra.expr.derive import gradient
from manipula.algebra.expr.function import Function, Input, Output, flattened, is_online
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.expr.walk import topological
from manipula.algebra.optimise.passes import optimised
from manipula.algebra.optimise.price import price_named
from manipula.algebra.optimise.prove import Reference, Sample, is_decidable_root
from manipula.errors import InputError, ProofError, UnknownNameError
from manipula.generation.ranking import Ranking, ranking
from manipula.generation.structure import numeric_chain, plan_of, slides_of
from manipula.mechanics.models.catalogue import BODIES, MODELS, ON_JOINTS
from manipula.mechanics.models.choices import (
    Formulation,
    Question,
    field_choices,
    field_questions,
    likely,
    prepared,
    questions,
    usual,
)
from manipula.mechanics.models.entry import AUTOMATIC, FIELD, Given, Method, Model
from manipula.mechanics.models.kinematics.pose_ways import way_from_name
from manipula.mechanics.models.ports import PORTS, Sizes
from manipula.mechanics.robot.audit import pairs
from manipula.mechanics.robot.bind import Symbolic, bind, free_parameters
from manipula.mechanics.robot.description import Robot
from manipula.mechanics.robot.reduce.chains import frames_on_joints, merge_fixed
from manipula.mechanics.robot.reduce.tip import PAIRS
from manipula.mechanics.robot.standard import refuse_ambiguous
from manipula.mechanics.robot.tree import BASE, Tree

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Choice:
    """One way to build a model: a method, and answers to the free questions of formulation."""

    method: str
    answers: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return "; ".join([self.method, *(f"{question}: {answer}" for question, answer in self.answers)])


@dataclass(frozen=True)
class Request:
    """What is asked for."""

    robot: Robot
    model: str
    method: str = "best"
    symbolic: Symbolic = "auto"
    optimise: str = "fast"
    wrench: bool = False
    parameters: str = "base"
    price: str = "classical"


def model_named(name: str) -> Model:
    if name not in MODELS:
        raise UnknownNameError("model", name, MODELS)
    return MODELS[name]


def model_for(request: Request) -> Model:
    """The model as it is for this robot; an entry that depends on the arm's class is completed."""
    model = model_named(request.model)
    if model.ranked:
        return _narrowed(model, ranking(request.robot, request.symbolic))
    if model.inverts:
        return model.inverts(model, plan_of(request.robot, request.symbolic))
    return model if model.planned is None else model.planned(model, numeric_chain(request.robot))


def _narrowed(model: Model, found: Ranking) -> Model:
    """A regressor with its independent columns only, under their names as base parameters."""

    def only(method: Method) -> Method:
        return lambda chain, x: {name: [found.columns(row) for row in rows] for name, rows in method(chain, x).items()}

    methods = {name: only(method) for name, method in model.methods.items()}
    return replace(model, methods=methods, columns=lambda chain: list(found.names))


def check_request(request: Request) -> None:
    model = model_for(request)
    if request.wrench and not model.takes_wrench:
        raise InputError(f"{model.name} has no use for a tool wrench; drop wrench=True")
    if request.parameters not in ("full", "base"):
        raise UnknownNameError("parameter set", request.parameters, ("full", "base"))
    price_named(request.price)
    if model.columns is not None:
        refuse_ambiguous(request.robot)
    for method in methods_of(request):
        method_named(model, method, request.robot.dof)


def methods_of(request: Request) -> tuple[str, ...]:
    """The methods `request.method` leaves open."""
    model = model_for(request)
    best = model.candidates or tuple(model.methods)[:1]
    best += model.further if request.optimise == "max" else ()
    return best if request.method == "best" else (request.method,)


def method_named(model: Model, name: str, dof: int) -> Callable[[Tree, Given, Formulation], dict[str, Any]]:
    """A method by name; a pose may also be asked for by a bracketing."""
    if name in model.methods:
        return lambda chain, x, answers: model.methods[name](chain, x)
    if name == FIELD and model.field is not None:
        field = model.field
        return lambda chain, x, answers: field(chain, x, field_choices(answers, chain.dof))
    if name == AUTOMATIC and model.differentiates:
        return method_named(model_named(model.differentiates), FIELD, dof)  # the text it differentiates
    if model.name == "pose":
        way = way_from_name(name, dof)
        return lambda chain, x, answers: {"T": way(chain.road(), chain.along_road(x["q"])).rows()}
    raise UnknownNameError(f"method of {model.name}", name, ["best", *model.method_names])


def questions_of(request: Request, method: str) -> list[Question]:
    """What formulation leaves open for this robot, model and method."""
    model, chain = model_for(request), _plain_chain(request)
    asked = questions(chain, model.needs, request.parameters == "base")
    own = [Question("frames", ("joints",))] if method in ON_JOINTS else []
    own += field_questions(chain) if method in (FIELD, AUTOMATIC) else []
    asked = [_decidable(x, chain) for x in asked if x.name not in {y.name for y in own}] + own
    return [x for x in asked if x.name != "unit" or not request.wrench]  # the wrench is given in metres


def plain_choice(request: Request, method: str) -> Choice:
    """The method as the file has the robot; some want their frames on the joints."""
    return usual_choice(request, method) if method in ON_JOINTS else Choice(method)


def _decidable(question: Question, chain: Tree) -> Question:
    """The tip is turned by no angle whose root a proof could not follow: the root of a number, or of a square."""
    if question.name != "tip":
        return question
    body = chain.links[chain.leaves[-1]].inertia
    pairs = {name: PAIRS[name](body) for name in question.answers if name in PAIRS}
    squares = {name: x * x + y * y for name, (x, y) in pairs.items()}
    undecided = {name for name, x in squares.items() if not (isinstance(x, Expr) and is_decidable_root(x))}
    return replace(question, answers=tuple(answer for answer in question.answers if answer not in undecided))


def usual_choice(request: Request, method: str) -> Choice:
    """Answers that are rarely bad, at no cost of search."""
    asked = questions_of(request, method)
    answers = dict(usual(_plain_chain(request), asked))
    if method in BODIES:
        answers |= slides_of(request.robot, request.symbolic)
    return Choice(method, tuple(answers.items()))


def likely_changes(request: Request, method: str) -> list[Formulation]:
    """Changes of the usual answers that often pay."""
    return likely(_plain_chain(request), questions_of(request, method))


def lengths_of(request: Request) -> list[str]:
    """Parameters by which a search may divide: the lengths between the joints."""
    levers = [x for link in _plain_chain(request).links for x in link.before.p]
    bare = (x.args[0] if isinstance(x, Expr) and x.op == "neg" else x for x in levers)
    return [str(x.data) for x in bare if isinstance(x, Expr) and x.op == "symbol"]


def _plain_chain(request: Request) -> Tree:
    """The chain over expressions, for its structure alone; frames on the joints."""
    wish = request.symbolic
    return _structure(request.robot, wish if isinstance(wish, str) else tuple(wish))


@lru_cache(maxsize=4)
def _structure(robot: Robot, symbolic: str | tuple[str, ...]) -> Tree:
    graph = Graph()
    symbols = {name: graph.symbol(name) for name in free_parameters(robot, symbolic)}
    return frames_on_joints(merge_fixed(bind(robot, ExprMaths(graph), symbols, symbolic)))


def built(request: Request, choice: Choice) -> Function:
    """The model's text run on expressions, or the derivative of another's function."""
    model, graph = model_for(request), Graph()
    if choice.method == AUTOMATIC and model.differentiates:
        return _differentiated(request, model, choice)
    maths = ExprMaths(graph)
    parameters = {name: graph.symbol(name) for name in free_parameters(request.robot, request.symbolic)}
    given = {
        port: [graph.symbol(name, online=is_online(PORTS[port].role)) for name in names]
        for port, names in input_names(request).items()
    }
    _refuse_clash(parameters, given, request.robot)
    chain = prepared(merge_fixed(bind(request.robot, maths, parameters, request.symbolic)), dict(choice.answers))
    found = method_named(model, choice.method, request.robot.dof)(chain, given, dict(choice.answers))
    inputs = [input_of(port, symbols) for port, symbols in given.items()]
    if parameters:
        inputs.append(Input("p", tuple(parameters.values()), "SI", "parameters", role="parameter"))
    outputs = tuple(_output(graph, name, found[name], *model.outputs[name]) for name in found)
    notes = {"robot": request.robot.name, "model": model.name, "method": str(choice)}
    notes["joints"] = ", ".join(request.robot.joint_names)
    if model.columns is not None:
        notes["columns"] = " ".join(model.columns(chain))
    return Function(function_name(request), graph, tuple(inputs), outputs, notes=notes)


def _differentiated(request: Request, model: Model, choice: Choice) -> Function:
    """Reverse through the optimised function: ∂result/∂input, a matrix an input."""
    found = optimised(built(replace(request, model=model.differentiates), Choice(FIELD, choice.answers)))
    ports = {port.name: port for port in found.inputs if port.name in model_named(model.differentiates).inputs}
    rows = [gradient(root, [symbol for port in ports.values() for symbol in port.symbols]) for root in found.roots]
    columns = iter(zip(*rows))
    matrices = {f"d{name}": [next(columns) for _ in port.symbols] for name, port in ports.items()}
    outputs = [
        _output(found.graph, name, [list(row) for row in zip(*matrices[name])], *model.outputs[name])
        for name in model.outputs
    ]
    notes = {**found.notes, "model": model.name, "method": str(choice)}
    return replace(found, name=function_name(request), outputs=tuple(outputs), notes=notes)


def function_name(request: Request) -> str:
    """robot_model, as code may write it."""
    return f"{_identifier(request.robot.name)}_{request.model}"


def input_names(request: Request) -> dict[str, list[str]]:
    """Port → symbol names: q → q1 … qn, wrench → fx … nz."""
    model = model_for(request)
    sizes = Sizes(request.robot.dof, lambda: len(ranking(request.robot, request.symbolic).names))
    return {name: PORTS[name].entries(sizes) for name in (*model.inputs, *(("wrench",) if request.wrench else ()))}


def input_of(port: str, symbols: Sequence[Expr]) -> Input:
    """An input of one of the kinds in the table of ports."""
    kind = PORTS[port]
    return Input(port, tuple(symbols), kind.unit, kind.doc, kind.role)


def _refuse_clash(parameters: Mapping[str, Any], given: Mapping[str, Sequence[Expr]], robot: Robot) -> None:
    variables = {str(symbol.data) for port in given.values() for symbol in port}
    clash = sorted(variables & set(parameters))
    if clash:
        raise InputError(f"{robot.name}: parameter {clash[0]!r} is called like a joint variable; rename it in the file")


def reference(request: Request) -> Reference:
    """The plain model of the unreduced robot over a sample, where the arm is held against its description, too."""
    plain, robot = plain_model(request), request.robot

    def run(maths: Sample, symbol: Callable[[str], Any]) -> dict[str, Any]:
        symbols = {name: symbol(name) for name in free_parameters(robot, request.symbolic)}
        chain = merge_fixed(bind(robot, maths, symbols, request.symbolic))
        for wrong in misread(robot, chain, symbols, request.symbolic, maths):
            raise ProofError(f"{robot.name}: {wrong} is not as the robot's description has it")
        return plain(chain, symbol)

    return run


def plain_model(request: Request) -> Callable[[Tree, Callable[[str], Any]], dict[str, Any]]:
    """The first method of the model over any scalar: (the merged chain, symbol name → scalar) → outputs."""
    plain = next(iter(model_for(request).methods.values()))
    ports = input_names(request)

    def run(chain: Tree, symbol: Callable[[str], Any]) -> dict[str, Any]:
        return plain(chain, {port: [symbol(name) for name in symbols] for port, symbols in ports.items()})

    return run


def misread(robot: Robot, chain: Tree, symbols: Mapping[str, Any], symbolic: Symbolic, maths: Sample) -> Iterator[str]:
    """What of a bound and merged chain is not as the description has it, by a second text of what that means."""
    q = [maths.symbol(name) for name in PORTS["q"].entries(Sizes(chain.dof))]
    for what, found, meant in pairs(robot, chain, symbols, symbolic, q):
        if maths.differs(found, meant):
            yield what


def guarded(function: Function, request: Request) -> Function:
    """The function with its conditions: what it divides by beside the arm's size, the sum of the lengths it reads."""
    symbols = {name: function.graph.symbol(name) for name in free_parameters(request.robot, request.symbolic)}
    chain = frames_on_joints(merge_fixed(bind(request.robot, ExprMaths(function.graph), symbols, request.symbolic)))
    placements = [*(link.before for link in chain.links if link.parent != BASE), chain.tool]
    levers = [x for at in placements for x in at.p if isinstance(x, Expr)]
    lengths = lengths_read(function.roots, levers)
    labels = {**function.labels, lengths.size: lengths.word} if lengths.size is not None else function.labels
    return replace(function, conditions=conditions_of(function.roots, lengths), labels=labels)


def used_parameters(function: Function) -> Function:
    """Without the parameters that nothing in the function reads; the notes keep all their names."""
    read = set(topological(function.roots))
    names = [name for port in function.inputs if not port.online for name in port.names]
    ports = [p if p.online else replace(p, symbols=tuple(x for x in p.symbols if x in read)) for p in function.inputs]
    kept = tuple(port for port in ports if port.online or port.symbols)
    return replace(function, inputs=kept, notes={**function.notes, "parameters": " ".join(names)})


def _output(graph: Graph, name: str, value: Any, unit: str, doc: str) -> Output:
    shape, flat = flattened(value)
    return Output(name, shape, tuple(graph.expr(item) for item in flat), unit, doc)


def _identifier(name: str) -> str:
    text = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in name).strip("_")
    return text if text[:1].isalpha() else f"robot_{text}"
