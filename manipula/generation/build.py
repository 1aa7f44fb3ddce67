"""Robot × model × choices → Function: the only place where mechanics meets algebra.

The robot is bound to expressions, reduced where the model allows, and the model's own text is run on it. The proof runs
the same robot, unreduced, through the model's plain text over the prime field, once a second text of the robot's
description has confirmed every entry of the arm there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from manipula.algebra.expr.condition import conditions_of, lengths_read
from manipula.algebra.expr.function import Function, Input, Output, flatten_nested, is_online
from manipula.algebra.expr.maths import ExprMaths, gradient, topological
from manipula.algebra.expr.node import Expr, Graph, restore, state_of
from manipula.algebra.expr.provenance import Provenance
from manipula.algebra.optimise.passes import run_passes
from manipula.algebra.optimise.price import price_named
from manipula.algebra.optimise.prove import ProofSample, Reference
from manipula.errors import InputError, ProofError, UnknownNameError, caution
from manipula.generation.arm_structure import ArmStructure
from manipula.generation.prepare import Formulation, Prepared, model_named
from manipula.mechanics.models.dynamics.choices import Answers, apply_choices, field_choices
from manipula.mechanics.models.entry import AUTOMATIC, ENERGY, FIELD, TORQUES, Method, ModelEntry
from manipula.mechanics.models.kinematics.pose_ways import way_from_name
from manipula.mechanics.models.ports import PORTS, PortSizes
from manipula.mechanics.robot.bind import Symbolic
from manipula.mechanics.robot.bodies import refuse_ambiguous
from manipula.mechanics.robot.description import Frame, RobotDescription
from manipula.mechanics.robot.independent_reading import pairs
from manipula.mechanics.robot.reduce import frames_on_joints
from manipula.mechanics.robot.topology import road_joints
from manipula.mechanics.robot.tree import BASE, Tree
from manipula.mechanics.spatial.inertia import RigidBody
from manipula.messages import Message

NO_ANSWERS: Answers = {}


def check_request(asked: Prepared) -> None:
    request, model = asked.request, asked.model
    if request.wrench and not model.takes_wrench:
        raise InputError("{name} has no use for a tool wrench; drop wrench=True", model.name)
    if request.parameters not in ("full", "base"):
        raise UnknownNameError("parameter set", request.parameters, ("full", "base"))
    price_named(request.price)
    _caution_about_springs(asked)
    _caution_about_strains(asked)
    if model.columns is not None:
        refuse_ambiguous(request.robot)
    for method in asked.methods:
        method_named(model, method, len(road_joints(request.robot)))


def _caution_about_springs(asked: Prepared) -> None:
    """A model whose torques or energies lack what a counterbalance bears."""
    hung = [joint.name for joint in asked.robot.joints if joint.springs]
    if hung and asked.model.needs & (TORQUES | ENERGY) and asked.model.name not in ("inertia_matrix", "coriolis"):
        caution(
            "{name}: {name2} leaves out the springs of joint {hung}",
            asked.robot.name,
            asked.model.name,
            ", ".join(map(repr, hung)),
        )


def _caution_about_strains(asked: Prepared) -> None:
    """Forces of joints that loops may strain against each other."""
    if asked.model.name == "joint_wrenches" and asked.robot.loops:
        from manipula.mechanics.models.closure.bearing_loads import undetermined_names

        names = undetermined_names(asked.robot, asked.structure.closure.loose)
        if names:
            caution("{name}: its loops do not determine {names}: these are NaN", asked.robot.name, "; ".join(names))


def method_named(model: ModelEntry, name: str, factors: int, answers: Answers = NO_ANSWERS) -> Method:
    """A method by name. Besides the texts of the catalogue there are three kinds that a plain entry cannot hold: the
    recursion that works each link out as the answers say, and so alone reads them; the derivative of another model's
    function, whose text is that model's; any bracketing of a pose, one factor a joint of the road: too many to list
    """
    if name in model.methods:
        return model.methods[name]
    if name == FIELD and model.field is not None:
        field = model.field
        return lambda chain, x: field(chain, x, field_choices(answers, chain.dof))
    if name == AUTOMATIC and model.differentiates:
        return method_named(model_named(model.differentiates), FIELD, factors)  # the text it differentiates
    if model.name == "pose":
        way = way_from_name(name, factors)
        return lambda chain, x: {"T": way(chain.road(), chain.along_road(x["q"])).rows()}
    raise UnknownNameError(Message("method of {name}", model.name), name, ["best", *model.method_names])


class Ground:
    """What every formulation of a request starts from: a graph, the letters, the arm bound to them."""

    def __init__(self, asked: Prepared) -> None:
        self.graph = graph = Graph()
        self.parameters = asked.structure.symbols(graph.symbol)
        self.given = {
            port: [graph.symbol(name, online=is_online(PORTS[port].role)) for name in names]
            for port, names in asked.inputs.items()
        }
        refuse_clash(self.parameters, self.given, asked.robot)
        self.arm = asked.structure.over(ExprMaths(graph), self.parameters)
        self._state = state_of(graph)

    def clear(self) -> Ground:
        """For the next draft, which comes out as on a ground of its own; none made before is built on any more."""
        restore(self.graph, self._state)
        self.arm = _clear_cached(self.arm)
        return self

    @property
    def inputs(self) -> tuple[Input, ...]:
        ports = [input_of(port, symbols) for port, symbols in self.given.items()]
        if self.parameters:
            ports.append(Input("p", tuple(self.parameters.values()), "SI", "parameters", role="parameter"))
        return tuple(ports)


def _clear_cached(arm: Tree) -> Tree:
    """The same arm, its bodies without what they have worked out of themselves: that is of an earlier draft."""

    def body(held: RigidBody) -> RigidBody:
        return replace(held, second=replace(held.second))

    links = [
        replace(x, inertia=body(x.inertia), parts=tuple(replace(y, inertia=body(y.inertia)) for y in x.parts))
        for x in arm.links
    ]
    parts = tuple(replace(x, inertia=body(x.inertia)) for x in arm.ground_parts)
    return replace(arm, links=tuple(links), ground=body(arm.ground), ground_parts=parts)


def build_function(asked: Prepared, choice: Formulation, ground: Ground | None = None) -> Function:
    """The model's text run on expressions, or the derivative of another's function."""
    model = asked.model
    if choice.method == AUTOMATIC and model.differentiates:
        return _differentiate(asked, choice)
    ground = ground or Ground(asked)
    graph, chain = ground.graph, apply_choices(ground.arm, dict(choice.answers))
    method = method_named(model, choice.method, len(road_joints(asked.robot)), dict(choice.answers))
    found = method(chain, ground.given)
    outputs = tuple(_output(graph, name, found[name], *model.outputs[name]) for name in found)
    columns = () if model.columns is None else tuple(model.columns(chain))
    joints = tuple(asked.robot.joint_names)
    origin = Provenance(asked.robot.name, model.name, choice.method, choice.words, joints, columns)
    return Function(asked.name, graph, ground.inputs, outputs, provenance=origin)


def _differentiate(asked: Prepared, choice: Formulation) -> Function:
    """Reverse through the optimised function: ∂result/∂input, a matrix an input."""
    model = asked.model
    inner = asked.with_request(model=model.differentiates)
    found = run_passes(build_function(inner, Formulation(FIELD, choice.answers)))
    ports = {port.name: port for port in found.inputs if port.name in inner.model.inputs}
    rows = [gradient(root, [symbol for port in ports.values() for symbol in port.symbols]) for root in found.roots]
    columns = iter(zip(*rows))
    matrices = {f"d{name}": [next(columns) for _ in port.symbols] for name, port in ports.items()}
    outputs = [
        _output(found.graph, name, [list(row) for row in zip(*matrices[name])], *model.outputs[name])
        for name in model.outputs
    ]
    origin = replace(found.provenance, model=model.name, method=choice.method, answers=choice.words)
    return replace(found, name=asked.name, outputs=tuple(outputs), provenance=origin)


def input_of(port: str, symbols: Sequence[Expr]) -> Input:
    """An input of one of the kinds in the table of ports."""
    kind = PORTS[port]
    return Input(port, tuple(symbols), kind.unit, kind.doc, kind.role)


def refuse_clash(parameters: Iterable[str], given: Mapping[str, Sequence[Expr]], robot: RobotDescription) -> None:
    variables = {str(symbol.data) for port in given.values() for symbol in port}
    clash = sorted(variables & set(parameters))
    if clash:
        raise InputError(
            "{name}: parameter {clash!r} is called like an input; rename it in the file", robot.name, clash[0]
        )


def reference(asked: Prepared) -> Reference:
    """The plain model of the unreduced robot over a sample, where the arm is held against its description, too."""
    plain, structure = next(iter(asked.model.methods.values())), asked.structure

    def run(maths: ProofSample, symbol: Callable[[str], Any]) -> Mapping[str, Any]:
        inputs = {port: [symbol(name) for name in names] for port, names in asked.inputs.items()}
        return plain(_audit_arm(structure, maths, symbol), inputs)

    return run


def _audit_arm(structure: ArmStructure, maths: ProofSample, symbol: Callable[[str], Any]) -> Tree:
    """The arm at one sample, held against its description: once, however many calls of a joined function ask for it."""
    if maths not in structure.samples:
        symbols = structure.symbols(symbol)
        chain = structure.over(maths, symbols)
        for wrong in misread(structure.robot, chain, symbols, structure.symbolic, maths, structure.marks):
            raise ProofError("{name}: {wrong} is not as the robot's description has it", structure.robot.name, wrong)
        structure.samples[maths] = chain
    return structure.samples[maths]


def misread(
    robot: RobotDescription,
    chain: Tree,
    symbols: Mapping[str, Any],
    symbolic: Symbolic,
    maths: ProofSample,
    marks: Sequence[Frame] = (),
) -> Iterator[str]:
    """What of a bound and merged chain is not as the description has it, by a second text of what that means."""
    q = [maths.symbol(name) for name in PORTS["q"].entries(PortSizes(chain.dof))]
    for what, found, meant in pairs(robot, chain, symbols, symbolic, q, marks):
        if maths.differs(found, meant):
            yield what


def add_conditions(function: Function, structure: ArmStructure) -> Function:
    """The function with its conditions: what it divides by beside the arm's size, the sum of the lengths it reads."""
    graph = function.graph
    chain = frames_on_joints(structure.over(ExprMaths(graph), structure.symbols(graph.symbol)))
    placements = [*(link.before for link in chain.links if link.parent != BASE), chain.tool]
    levers = [x for at in placements for x in at.p if isinstance(x, Expr)]
    lengths = lengths_read(function.roots, levers)
    labels = {**function.labels, lengths.size: lengths.word} if lengths.size is not None else function.labels
    return replace(function, conditions=conditions_of(function.roots, lengths), labels=labels)


def used_parameters(function: Function) -> Function:
    """Without the parameters that nothing in the function reads; its provenance keeps all their names."""
    read = set(topological(function.roots))
    names = tuple(name for port in function.inputs if port.role == "parameter" for name in port.names)
    ports = [
        replace(port, symbols=tuple(x for x in port.symbols if x in read)) if port.role == "parameter" else port
        for port in function.inputs
    ]
    kept = tuple(port for port in ports if port.role != "parameter" or port.symbols)
    return replace(function, inputs=kept, provenance=replace(function.provenance, parameters=names))


def _output(graph: Graph, name: str, value: object, unit: str, doc: str) -> Output:
    shape, flat = flatten_nested(value)
    return Output(name, shape, tuple(graph.expr(item) for item in flat), unit, doc)
