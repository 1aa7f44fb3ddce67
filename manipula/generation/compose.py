"""Several models of a robot in one function: side by side, or joined by the text of a block and proved call by call.

The text of a block runs three times. On expressions, where `call` puts the optimised function of a model in place: all
calls share one graph, so what they have in common is computed once. Over degrees, to know how many points the proof
takes. And over the prime field, at fresh random points, where every call is a cut:

    the values that the text hands over      are those that the joined function computes there,
    the plain model on these values          gives what the joined function goes on with,
    and the outputs of the text              are the outputs of the function that leaves.

So an error in a part is found at its call, one in the wiring at the call it reaches, and nothing is compared with what
it was made of. The degrees are those of the whole composition, so the bound holds for the joined function itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from manipula.algebra.expr.evaluate import evaluate
from manipula.algebra.expr.function import Function, Input, Output, flatten_nested, is_online, moved_to, nest_flat
from manipula.algebra.expr.maths import ExprMaths, free_symbols, rebuilt
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.expr.provenance import Provenance
from manipula.algebra.optimise.passes import run_passes
from manipula.algebra.optimise.prove import ProofSample, Reference, prove
from manipula.errors import InputError, ProofError, UnknownNameError
from manipula.generation.build import add_conditions, reference, refuse_clash, used_parameters
from manipula.generation.labels import with_joint_units, without_doubles
from manipula.generation.massless_joints import motionless, zero_divisor
from manipula.generation.pipeline import generate_function, with_proof
from manipula.generation.prepare import Prepared
from manipula.mechanics.models.catalogue import MODELS
from manipula.mechanics.models.control.user_law import Ports, RobotLaw, UserLaw, bind_law
from manipula.mechanics.models.entry import Block
from manipula.mechanics.models.ports import PortSizes
from manipula.mechanics.robot.topology import INSTEAD, LAWS_FOR_LOOPS, refuse_loops
from manipula.messages import Message
from manipula.support.progress import Tell, seldom_collecting, silent

# A block that calls no model, as a proved function: a reference, which needs no robot but the number of its joints.


def generate_formula(block: Block, dof: int) -> Function:
    """The text on expressions, optimised, and compared with the text itself over the prime field."""
    graph, sizes = Graph(), PortSizes(dof)
    inputs = tuple(
        Input(kind.name, tuple(graph.symbol(x, online=is_online(kind.role)) for x in kind.entries(sizes)), *about)
        for kind in block.inputs
        for about in [(kind.unit, kind.doc, kind.role)]
    )
    found = block.text(ExprMaths(graph), no_model, {port.name: port.symbols for port in inputs})
    outputs = tuple(output_of(graph, block, name, found[name]) for name in block.outputs)
    origin = Provenance("", block.name, "the formula as it stands")
    whole = run_passes(Function(block.name, graph, inputs, outputs, provenance=origin))
    proof = prove(whole, _plain(block, sizes))
    return replace(whole, provenance=replace(whole.provenance, proof=str(proof)))


def no_model(model: str, /, **inputs: Sequence[object]) -> dict[str, Any]:
    """What a formula without a robot is given to call."""
    raise InputError("{model} is a model of a robot, and no robot is given here", model)


def _plain(block: Block, sizes: PortSizes) -> Reference:
    def run(maths: ProofSample, symbol: Callable[[str], Any]) -> dict[str, Any]:
        given = {kind.name: [symbol(x) for x in kind.entries(sizes)] for kind in block.inputs}
        found = block.text(maths, no_model, given)
        return {name: found[name] for name in block.outputs}

    return run


def output_of(graph: Graph, block: Block, name: str, value: object) -> Output:
    """A value of the block's text as the output of that name."""
    shape, flat = flatten_nested(value)
    about = block.outputs[name]
    return Output(name, shape, tuple(map(graph.expr, flat)), about.unit, about.doc, about.gives)


Named = Sequence[Any] | Mapping[str, Any]
LONGEST = 40  # letters of a name: Fortran takes 63, the robot's among them
Values = dict[str, Any]  # output → values in their shape


@dataclass(frozen=True)
class Part:
    """What a block may call: a function proved alone, and the plain model it is compared with again."""

    function: Function
    plain: Reference

    @property
    def variables(self) -> tuple[Input, ...]:
        return tuple(port for port in self.function.inputs if port.role != "parameter")


@dataclass(frozen=True)
class Cut:
    """One call in a joined function: what it is given and what it gives, flat, by name."""

    model: str
    inputs: Mapping[str, tuple[Expr, ...]]
    outputs: Mapping[str, tuple[Expr, ...]]

    @property
    def exprs(self) -> list[Expr]:
        return [x for side in (self.inputs, self.outputs) for port in side.values() for x in port]


@dataclass(frozen=True)
class Joined:
    """A block as a function, not yet proved, and its cuts as they were before anything was optimised."""

    function: Function
    cuts: tuple[Cut, ...]


@seldom_collecting()
def generate_together(requests: Sequence[Prepared], tell: Tell = silent) -> Function:
    """Several models of one robot in one function: what they have in common is computed once."""
    graph = Graph()
    parts = [moved_to(generate_function(asked, tell), graph) for asked in requests]
    name = requests[0].function_name(_name_of([asked.request.model for asked in requests]))
    whole = run_passes(beside(name, graph, parts))
    return with_proof(add_conditions(whole, requests[0].structure), _plain_models(requests))


def beside(name: str, graph: Graph, parts: Sequence[Function]) -> Function:
    """Functions in one graph as one function, its outputs named after their models."""
    outputs = [
        replace(output, name=f"{part.provenance.model}_{output.name}") for part in parts for output in part.outputs
    ]
    origins = [part.provenance for part in parts]
    read = tuple(dict.fromkeys(name for origin in origins for name in origin.parameters or ()))
    origin = Provenance(origins[0].robot, joints=origins[0].joints, parameters=read, parts=tuple(origins))
    labels = without_doubles({node: text for part in reversed(parts) for node, text in part.labels.items()})
    return Function(name, graph, _shared_inputs(parts), tuple(outputs), labels, origin)


def _name_of(models: Sequence[str]) -> str:
    """gravity_jacobian; of many models a name that every compiler takes."""
    joined = "_".join(models)
    return joined if len(joined) <= LONGEST else "models"


def _shared_inputs(parts: Sequence[Function]) -> tuple[Input, ...]:
    """Every variable port once; the parameters merged into one port."""
    ports = {port.name: port for part in parts for port in part.inputs}
    merged = dict.fromkeys(x for part in parts for port in part.inputs if not port.online for x in port.symbols)
    variables = [port for port in ports.values() if port.online]
    return (*variables, *([replace(ports["p"], symbols=tuple(merged))] if merged else []))


def _plain_models(requests: Sequence[Prepared]) -> Reference:
    references = {asked.request.model: reference(asked) for asked in requests}

    def run(maths: ProofSample, symbol: Callable[[str], Any]) -> dict[str, Any]:
        found = {model: plain(maths, symbol) for model, plain in references.items()}
        return {f"{model}_{name}": values for model, outs in found.items() for name, values in outs.items()}

    return run


@seldom_collecting()
def generate_block(
    block: Block,
    asked: Prepared,
    tell: Tell = silent,
    others: Mapping[str, Prepared] = MappingProxyType({}),
) -> Function:
    """A block around the models of a robot: built, optimised as one, proved. The request's own model is not read.

    `others` are further robots by the names that stand before their models, "law:gravity": what a law believes of the
    arm that it drives.
    """
    if not block.closed:
        refuse_loops(asked.robot, block.name, INSTEAD.get(block.name, LAWS_FOR_LOOPS))
    parts = {name: _part(asked_of(name, asked, others), tell) for name in block.calls}
    try:
        made = join(block, asked, parts)
        whole = run_passes(made.function)
    except ZeroDivisionError as error:  # what a block divides by is what joints feel of inertia
        raise motionless(asked.structure) or zero_divisor(asked.robot, block.name) from error
    whole = add_conditions(with_joint_units(used_parameters(whole), asked.robot), asked.structure)
    tell(f"{block.name}: proof")
    proof = replace(prove(whole, call_by_call(block, asked, parts, made.cuts)), calls=len(made.cuts))
    return replace(whole, provenance=replace(whole.provenance, proof=str(proof)))


def bind_user_law(law: UserLaw, asked: Prepared, tell: Tell = silent) -> RobotLaw:
    """A law of one's own on a robot: which models it calls and what it gives, found on letters."""
    graph = Graph()

    def ports(model: str) -> Ports:
        made = generate_function(asked_of(model, asked, {}), tell)
        inputs = {x.name: len(x.symbols) for x in made.inputs if x.role != "parameter"}
        return inputs, {x.name: x.shape for x in made.outputs}

    return bind_law(law, asked.robot.joint_names, asked.sizes.base, ExprMaths(graph), graph.symbol, ports)


def asked_of(name: str, asked: Prepared, others: Mapping[str, Prepared]) -> Prepared:
    who, _, model = name.rpartition(":")
    return (others[who] if who else asked).with_request(model=model, method="best", wrench=False)


def _part(asked: Prepared, tell: Tell) -> Part:
    return Part(generate_function(asked, tell), reference(asked))


def join(block: Block, asked: Prepared, parts: Mapping[str, Part]) -> Joined:
    """The text of the block on expressions."""
    graph, entries = Graph(), _entries(block, asked, parts)
    parameters = {name: graph.symbol(name) for name in _parameters(asked, parts)}
    inputs = [
        Input(kind.name, tuple(graph.symbol(x, online=is_online(kind.role)) for x in entries[kind.name]), *about)
        for kind in block.inputs
        for about in [(kind.unit, kind.doc, kind.role)]
    ]
    refuse_clash(parameters, {port.name: port.symbols for port in inputs}, asked.robot)
    cuts: list[Cut] = []

    def call(model: str, /, **named: Named) -> Values:
        part = parts[model]
        given = _by_place(block, model, part, named)
        _check_inputs(block, model, part, given)
        handed = {port: tuple(map(graph.expr, values)) for port, values in given.items()}
        found = _placed(part.function, graph, handed, parameters)
        cuts.append(Cut(model, handed, found))
        return _shape_outputs(part, found)

    found = block.text(ExprMaths(graph), call, {port.name: port.symbols for port in inputs})
    outputs = tuple(output_of(graph, block, name, found[name]) for name in block.outputs)
    if parameters:
        inputs.append(Input("p", tuple(parameters.values()), "SI", "parameters", "parameter"))
    origin = _provenance(block, asked, [part.function.provenance for part in parts.values()])
    function = Function(asked.function_name(block.name), graph, tuple(inputs), outputs, provenance=origin)
    return Joined(function, tuple(cuts))


def _placed(
    function: Function, graph: Graph, given: Mapping[str, tuple[Expr, ...]], parameters: Mapping[str, Expr]
) -> dict[str, tuple[Expr, ...]]:
    """The outputs of a function whose inputs are these expressions, its parameters those of the graph."""
    ports = [(port, given.get(port.name)) for port in function.inputs]
    flat = {x: y for port, values in ports if values is not None for x, y in zip(port.symbols, values, strict=True)}
    flat |= {x: parameters[str(x.data)] for port, values in ports if values is None for x in port.symbols}
    flow = iter(rebuilt(function.roots, graph, flat))
    return {output.name: tuple(next(flow) for _ in output.exprs) for output in function.outputs}


def call_by_call(block: Block, asked: Prepared, parts: Mapping[str, Part], cuts: Sequence[Cut]) -> Reference:
    """The text over a sample; each call goes on with the joined function's own values, held to the plain model."""
    entries = _entries(block, asked, parts)
    exprs = [x for cut in cuts for x in cut.exprs]
    names = [str(x.data) for x in free_symbols(exprs)]

    def run(maths: ProofSample, symbol: Callable[[str], Any]) -> Values:
        flow = iter(evaluate(exprs, {name: symbol(name) for name in names}, maths))
        left = iter([(cut, _take_values(flow, cut.inputs), _take_values(flow, cut.outputs)) for cut in cuts])

        def call(model: str, /, **named: Named) -> Values:
            given = _by_place(block, model, parts[model], named)
            cut, own, back = next(left, (None, {}, {}))
            if cut is None:
                raise ProofError("{name}: the text makes more calls than the joined function has", block.name)
            where = Message("{block}: call {index}, of {model}", block.name, cuts.index(cut) + 1, model)
            if cut.model != model or own.keys() != given.keys():
                raise ProofError(
                    "{where}: the joined function calls {model} with {own} here", where, cut.model, ", ".join(own)
                )
            for port, values in given.items():
                _agree(
                    maths, own[port], values, Message("{where}: {port} is not what the text hands over", where, port)
                )
            true = parts[model].plain(maths, _symbols_at_cut(parts[model], own, symbol))
            for output, values in back.items():
                _agree(
                    maths,
                    values,
                    flatten_nested(true[output])[1],
                    Message("{where}: {output} differs from the plain model", where, output),
                )
            return _shape_outputs(parts[model], back)

        found = block.text(maths, call, {port: [symbol(name) for name in entries[port]] for port in entries})
        if next(left, None) is not None:
            raise ProofError("{name}: the joined function has calls that the text does not make", block.name)
        return {name: found[name] for name in block.outputs}

    return run


def _symbols_at_cut(part: Part, own: Mapping[str, Sequence[Any]], symbol: Callable[[str], Any]) -> Callable[[str], Any]:
    """Symbol name → scalar, as the plain model asks: inputs are the values at the cut, parameters the robot's."""
    values = {name: x for port in part.variables for name, x in zip(port.names, own[port.name], strict=True)}
    return lambda name: values[name] if name in values else symbol(name)


def _agree(maths: ProofSample, own: Sequence[object], true: Sequence[object], message: str) -> None:
    if len(own) != len(true) or any(maths.differs(x, y) for x, y in zip(own, true)):
        raise ProofError(message)


def _take_values(flow: Iterator[Any], ports: Mapping[str, Sequence[Expr]]) -> dict[str, list[Any]]:
    return {name: [next(flow) for _ in entries] for name, entries in ports.items()}


def _by_place(block: Block, model: str, part: Part, named: Mapping[str, Named]) -> dict[str, Sequence[Any]]:
    """Inputs in their order; those given by the names of columns put in place, the others nothing."""
    columns, found = part.function.provenance.columns, dict[str, Sequence[Any]]()
    for port, values in named.items():
        if not isinstance(values, Mapping):
            found[port] = values
            continue
        for name in values:
            if name not in columns:
                raise UnknownNameError(Message("parameter of {name} ({model})", block.name, model), name, columns)
        found[port] = [values.get(column, 0) for column in columns]
    return found


def _shape_outputs(part: Part, found: Mapping[str, Sequence[Any]]) -> Values:
    columns = part.function.provenance.columns
    return ({"columns": columns} if columns else {}) | {
        output.name: nest_flat(found[output.name], output.shape) for output in part.function.outputs
    }


def _entries(block: Block, asked: Prepared, parts: Mapping[str, Part]) -> dict[str, list[str]]:
    """Port → the names of its entries, for this robot; base parameters are those of the robot that a model is asked of,
    which may be another one."""
    origins = [part.function.provenance for part in parts.values()]
    found = [origin.columns for origin in origins if MODELS[origin.model].ranked]
    sizes = PortSizes(asked.robot.dof, lambda: len(found[0])) if found else asked.sizes
    return {kind.name: kind.entries(sizes) for kind in block.inputs}


def _parameters(asked: Prepared, parts: Mapping[str, Part]) -> list[str]:
    """The parameters of the robot, and of another one that a part is of, read or not: each once."""
    functions = [part.function for part in parts.values()]
    known = [name for x in functions for name in x.provenance.parameters or ()]
    read = [name for x in functions for port in x.inputs if port.role == "parameter" for name in port.names]
    return list(dict.fromkeys([*asked.parameters, *known, *read]))


def _check_inputs(block: Block, model: str, part: Part, given: Mapping[str, Sequence[Any]]) -> None:
    wanted = {port.name: len(port.symbols) for port in part.variables}
    found = {port: len(values) for port, values in given.items()}
    if found != wanted:
        raise InputError(
            "{name}: calls {model} with {listed}; it takes {listed2}",
            block.name,
            model,
            _ports_text(found),
            _ports_text(wanted),
        )


def _ports_text(ports: Mapping[str, int]) -> str:
    return ", ".join(f"{port}[{size}]" for port, size in ports.items()) or Message("nothing")


def _provenance(block: Block, asked: Prepared, parts: Sequence[Provenance]) -> Provenance:
    method = "" if parts else "the formula as it stands"
    return Provenance(asked.robot.name, block.name, method, joints=tuple(asked.robot.joint_names), parts=tuple(parts))
