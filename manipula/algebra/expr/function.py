"""`Function`: named, shaped inputs and outputs over one graph, with labels and provenance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from math import prod
from typing import Any

from manipula.algebra.expr.condition import Condition, ConditionWords
from manipula.algebra.expr.evaluate import evaluate
from manipula.algebra.expr.maths import copy_node, rebuilt, topological
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.expr.provenance import NOWHERE, Provenance
from manipula.errors import InputError, UnknownNameError
from manipula.scalar import OPS, Maths, Next, Rate, Role

# What a function costs: operations counted by the rule of the operation table.
#
# A product or square is one multiplication, a sum or difference one addition; a change of sign is free (reported as
# `neg`); `trig` counts sines and cosines. What depends on parameters alone is off-line and counted apart.


@dataclass(frozen=True)
class Cost:
    """Operations on line; `offline` holds those that depend on parameters alone."""

    mul: int = 0
    add: int = 0
    neg: int = 0
    div: int = 0
    sqrt: int = 0
    trig: int = 0
    other: int = 0
    offline: Cost | None = field(default=None, repr=False)

    @property
    def total(self) -> int:
        """mul + add + div"""
        return self.mul + self.add + self.div

    @property
    def grand_total(self) -> int:
        """On line and off line together, the rule of older literature."""
        return self.total + (self.offline.total if self.offline else 0)

    def as_dict(self) -> dict[str, object]:
        own: dict[str, Any] = {name: getattr(self, name) for name in _FIELDS} | {"total": self.total}
        return own | ({"offline": self.offline.as_dict()} if self.offline else {})

    def __str__(self) -> str:
        extra = [f"{getattr(self, name)} {name}" for name in ("div", "sqrt", "other") if getattr(self, name)]
        return ", ".join([f"{self.mul}× + {self.add}+ = {self.total}", f"{self.trig} sin/cos", *extra])


_FIELDS = ("mul", "add", "neg", "div", "sqrt", "trig", "other")


def _cost(counts: Counter[str], offline: Cost | None = None) -> Cost:
    return Cost(**{name: counts[name] for name in _FIELDS}, offline=offline)


def cost_of(roots: Iterable[Expr]) -> Cost:
    """Every node once: what the function costs with its auxiliary equations."""
    counts: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for node in topological(roots):
        if node.args:
            counts[node.online][OPS[node.op].counted_as] += 1
    return _cost(counts[True], _cost(counts[False]))


def tree_cost_of(roots: Iterable[Expr]) -> Cost:
    """After full substitution: a node counts as often as it is written, a sine or cosine once."""
    roots = list(roots)
    uses: Counter[Expr] = Counter(roots)
    counts: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for node in reversed(topological(roots)):
        kind = OPS[node.op].counted_as if node.args else ""
        counts[node.online][kind] += 1 if kind == "trig" else uses[node]
        for arg in node.args:
            # the argument of a sine is computed once, since the sine itself is
            uses[arg] += uses[node] if kind != "trig" else 1
    return _cost(counts[True], _cost(counts[False]))


def is_online(role: Role) -> bool:
    return role in ("variable", "state", "noise")


@dataclass(frozen=True)
class Input:
    """A vector of symbols, and what it is for: a variable (q, q̇, …), a parameter, a setting, a state."""

    name: str
    symbols: tuple[Expr, ...]
    unit: str = ""
    doc: str = ""
    role: Role = "variable"

    @property
    def online(self) -> bool:
        """Is it other in every call? What parameters and settings alone decide is computed off line."""
        return is_online(self.role)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(str(symbol.data) for symbol in self.symbols)


@dataclass(frozen=True)
class Output:
    """An array of expressions, row-major; an empty shape is a scalar. `gives`: a state's rate or next value."""

    name: str
    shape: tuple[int, ...]
    exprs: tuple[Expr, ...]
    unit: str = ""
    doc: str = ""
    gives: Rate | Next | None = None

    def __post_init__(self) -> None:
        assert prod(self.shape) == len(self.exprs), (self.name, self.shape, len(self.exprs))


@dataclass(frozen=True, eq=False, repr=False)
class Function:
    """Immutable. Two functions are equal when their content is: ports, nodes, labels."""

    name: str
    graph: Graph
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    labels: Mapping[Expr, str] = field(default_factory=dict)  # readable names of intermediates
    provenance: Provenance = NOWHERE  # robot, method, proof
    conditions: tuple[Condition, ...] = ()  # |d4| > 1e-6·size: where what it divides by is large enough

    def __post_init__(self) -> None:
        states = {port.name: len(port.symbols) for port in self.inputs if port.role == "state"}
        for output in self.outputs:
            if output.gives is not None:
                assert states.get(output.gives.state) == len(output.exprs), (output.name, output.gives, states)

    def __repr__(self) -> str:
        ports = (", ".join(port.name for port in side) for side in (self.inputs, self.outputs))
        return f"<function {self.name}: {' → '.join(ports)}; {self.cost}>"

    @property
    def states(self) -> tuple[Input, ...]:
        """What is remembered between calls."""
        return tuple(port for port in self.inputs if port.role == "state")

    @property
    def roots(self) -> list[Expr]:
        return [expr for output in self.outputs for expr in output.exprs]

    @property
    def cost(self) -> Cost:
        return cost_of(self.roots)

    @property
    def tree_cost(self) -> Cost:
        return tree_cost_of(self.roots)

    def __call__(self, symbols: Mapping[str, object], maths: Maths[Any]) -> dict[str, list[Any]]:
        """The reference evaluation: output name → flat list of values."""
        values = iter(evaluate(self.roots, symbols, maths))
        return {output.name: [next(values) for _ in output.exprs] for output in self.outputs}

    def with_roots(self, roots: Sequence[Expr], **changes: Any) -> Function:
        """The same ports with other expressions (of the same graph)."""
        flow: Iterator[Expr] = iter(roots)
        outputs = tuple(replace(output, exprs=tuple(next(flow) for _ in output.exprs)) for output in self.outputs)
        return replace(self, outputs=outputs, **changes)

    # content: equality, digest, pickling

    def content(self) -> tuple[Any, ...]:
        """Everything, flat and free of the graph: the same on every run and every machine."""
        symbols = [symbol for port in self.inputs for symbol in port.symbols]
        bounds = [side for x in self.conditions for side in (x.divisor, x.bound)]
        # symbols first: the numbering then does not depend on which of them are read
        nodes = topological([*symbols, *self.roots, *bounds])
        index = {node: i for i, node in enumerate(nodes)}
        code = tuple((x.op, tuple(index[arg] for arg in x.args), x.data, x.online) for x in nodes)
        inputs = tuple((p.name, tuple(index[x] for x in p.symbols), p.unit, p.doc, p.role) for p in self.inputs)
        outputs = tuple(
            (p.name, p.shape, tuple(index[x] for x in p.exprs), p.unit, p.doc, _plain(p.gives)) for p in self.outputs
        )
        labels = tuple(sorted((index[x], text) for x, text in self.labels.items() if x in index))
        conditions = tuple((index[x.divisor], index[x.bound], x.words.side, x.words.scale) for x in self.conditions)
        return (self.name, code, inputs, outputs, labels, self.provenance, conditions)

    def digest(self) -> str:
        # a representation, not Python's hash: that one is salted in every process
        return blake2b(repr(self.content()).encode(), digest_size=16).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Function) and self.content() == other.content()

    def __hash__(self) -> int:
        return hash(self.digest())

    def __reduce__(self) -> tuple[object, ...]:
        return function_from_content, (self.content(),)


GIVES: dict[str, type[Rate] | type[Next]] = {"rate": Rate, "next": Next}


def _plain(gives: Rate | Next | None) -> tuple[str, str] | None:
    """("rate" or "next", the state)"""
    return None if gives is None else ("rate" if isinstance(gives, Rate) else "next", gives.state)


def function_from_content(content: tuple[Any, ...]) -> Function:
    """The inverse of `Function.content`, in a graph of its own."""
    name, code, inputs, outputs, labels, provenance, conditions = content
    graph = Graph()
    nodes: list[Expr] = []
    for op, args, data, online in code:
        # only a pattern for `copy_node`: values are computed anew, never believed from a file
        blank = Expr(graph, op, (), 0, data, online)
        nodes.append(copy_node(blank, tuple(nodes[i] for i in args), graph))
    return Function(
        name,
        graph,
        tuple(Input(n, tuple(nodes[i] for i in ids), unit, doc, role) for n, ids, unit, doc, role in inputs),
        tuple(
            Output(n, shape, tuple(nodes[i] for i in ids), unit, doc, GIVES[gives[0]](gives[1]) if gives else None)
            for n, shape, ids, unit, doc, gives in outputs
        ),
        {nodes[i]: text for i, text in labels},
        provenance,
        tuple(Condition(nodes[i], nodes[j], ConditionWords(*words)) for i, j, *words in conditions),
    )


def moved_to(function: Function, graph: Graph, names: Mapping[str, str] | None = None) -> Function:
    """The same function in another graph; what `names` has is called otherwise there."""
    called, own = names or {}, [x for port in function.inputs for x in port.symbols]
    symbols = {x: graph.symbol(called.get(str(x.data), str(x.data)), online=x.online) for x in own}
    bounds = [side for x in function.conditions for side in (x.divisor, x.bound)]
    # conditions move along: their divisors may be no part of the outputs any more
    nodes = topological([*function.roots, *bounds])
    moved = dict(zip(nodes, rebuilt(nodes, graph, symbols), strict=True))
    inputs = tuple(replace(p, symbols=tuple(symbols[x] for x in p.symbols)) for p in function.inputs)
    outputs = tuple(replace(p, exprs=tuple(moved[x] for x in p.exprs)) for p in function.outputs)
    labels = {moved[x]: text for x, text in function.labels.items() if x in moved}
    conditions = tuple(Condition(moved[x.divisor], moved[x.bound], x.words) for x in function.conditions)
    return replace(function, graph=graph, inputs=inputs, outputs=outputs, labels=labels, conditions=conditions)


def flatten_nested(value: object) -> tuple[tuple[int, ...], list[Any]]:
    """Nested sequences → (shape, flat list), row-major."""
    if not isinstance(value, list | tuple):
        return (), [value]
    parts = [flatten_nested(item) for item in value]
    shape = parts[0][0] if parts else ()
    return (len(parts), *shape), [item for _, flat in parts for item in flat]


def nest_flat(flat: Sequence[object], shape: tuple[int, ...]) -> Any:
    """The inverse: a flat sequence as nested lists of a shape; a scalar's only value for an empty one."""
    if not shape:
        return flat[0]
    size = prod(shape[1:])
    return [nest_flat(flat[i * size : (i + 1) * size], shape[1:]) for i in range(shape[0])]


# Parts of a function: some of its outputs, or what can be computed before the variables are known.


def output_named(function: Function, name: str) -> Output:
    """A whole output, "A", or one entry of it, counted from 1: "A[1,2]"."""
    head, _, index = name.partition("[")
    outputs = {output.name: output for output in function.outputs}
    if head not in outputs:
        raise UnknownNameError("output", head, outputs)
    output = outputs[head]
    if not index:
        return output
    parts = index.replace(" ", "").removesuffix("]").replace("][", ",").split(",")
    if len(parts) != len(output.shape) or not all(
        part.isdecimal() and 1 <= int(part) <= size for part, size in zip(parts, output.shape)
    ):
        last = ",".join(map(str, output.shape))
        raise InputError(
            "no entry {name!r}: the last one of {head} is {head2}", name, head, (f"{head}[{last}]" if last else head)
        )
    flat = 0
    for size, part in zip(output.shape, parts):
        flat = flat * size + int(part) - 1
    return Output(head + "".join(parts), (), (output.exprs[flat],), output.unit, output.doc)


def split(function: Function) -> tuple[Function, Function]:
    """(off-line, on-line): what depends on parameters alone, and the rest, which takes it as its parameters.

    The cut is where off-line nodes feed on-line ones.
    """
    nodes = topological(function.roots)
    read = {arg for node in nodes if node.online for arg in node.args} | set(function.roots)
    # numbers need no place in k: each half has its own
    kept = [x for x in nodes if x in read and not x.online and x.op not in ("const", "angle", "tolerance")]
    return _offline(function, kept), _online(function, kept)


def _offline(function: Function, kept: Sequence[Expr]) -> Function:
    inputs = tuple(port for port in function.inputs if not port.online)
    output = Output("k", (len(kept),), tuple(kept), "SI", "what depends on parameters alone")
    return replace(function, name=f"{function.name}_prepare", inputs=inputs, outputs=(output,))


def _online(function: Function, kept: Sequence[Expr]) -> Function:
    graph = Graph()
    symbols: Mapping[Expr, Expr] = {
        x: graph.symbol(str(x.data) if x.op == "symbol" else f"k{i + 1}") for i, x in enumerate(kept)
    }
    roots = rebuilt(function.roots, graph, symbols)
    variables = tuple(
        replace(port, symbols=tuple(graph.symbol(name, online=True) for name in port.names))
        for port in function.inputs
        if port.online
    )
    inputs = (*variables, Input("p", tuple(symbols.values()), "SI", "from the off-line part", role="parameter"))
    bare = replace(function, graph=graph, inputs=inputs, labels={}, conditions=())
    return bare.with_roots(roots)
