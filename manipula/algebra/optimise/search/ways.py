"""Function ↔ State: the expressions of a function as flat arrays, and the ways the search chose as expressions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, get_args

from manipula.algebra.expr.field import P
from manipula.algebra.expr.function import Function, function_from_content, nest_flat
from manipula.algebra.expr.maths import copy_node, topological
from manipula.algebra.expr.node import LEAVES, Expr, Graph
from manipula.algebra.expr.provenance import provenance_from_dict
from manipula.algebra.optimise.price import Price
from manipula.algebra.optimise.prove import Reference
from manipula.algebra.optimise.search.table import HALF, ONE, OUTSIDE, SCRATCH, Kind, Now, Priced, State
from manipula.errors import ManipulaError, ProofError
from manipula.scalar import OPS, Role, Tolerance

SUMS = ("add", "sub")
CAPACITY_AT_LEAST = 1 << 14


@dataclass
class Ways:
    """A function being searched: the state, what each leaf and fixed node is, and the outputs."""

    function: Function
    state: State
    exprs: list[Expr]  # by `origin`

    @property
    def roots(self) -> list[int]:
        """References of the outputs, then of the scales, which are kept at hand but cost nothing."""
        s = self.state
        return s.more[s.left[OUTSIDE] : s.left[OUTSIDE] + s.right[OUTSIDE]].tolist()  # type: ignore[no-any-return]


def ways_from_function(
    function: Function, price: Price, capacity: int = CAPACITY_AT_LEAST, divisors: Sequence[str] = ()
) -> Ways:
    """The ways of the function as it is. `capacity`: nodes before the dead are swept out."""
    from manipula.algebra.optimise.search.run import begin  # who reads a text back needs no search

    scales = _scales(function, divisors)
    nodes = _nodes(function, scales)
    # with less room the dead would be swept out every few moves
    while capacity < 8 * len(nodes) + 2 * SCRATCH:
        capacity *= 2
    number = {node: i for i, node in enumerate(nodes, ONE)}
    kept = [*function.roots, *scales]
    state = State(capacity, sum(len(node.args) for node in nodes) + len(kept))
    ways = Ways(function, state, nodes)
    _fill_numbers(state, price, capacity, len(nodes))
    frozen = _angles(nodes)
    listed = 0
    for node, i in number.items():
        kind = Kind.FIXED if node in frozen else _kind(node)
        refs = _references(node, number, kind)
        if kind == Kind.FIXED:
            state.more[listed : listed + len(refs)] = refs
            refs, listed = [listed, len(refs)], listed + len(refs)
        state.left[i], state.right[i] = refs or (0, 0)
        state.kind[i], state.value[i], state.offline[i] = kind, min(node.value, P - node.value), not node.online
        state.origin[i] = i - ONE
        state.weight[i] = price.of(OPS[node.op].counted_as) if node.online and node.args else 0
        _enter(state, i)
    state.offline[OUTSIDE] = 1  # so does the number zero, which has no node of its own
    state.kind[OUTSIDE], state.left[OUTSIDE], state.right[OUTSIDE] = Kind.FIXED, listed, len(kept)
    state.more[listed : listed + len(kept)] = [_reference(root, number) for root in kept]
    begin(state)
    return ways


def _scales(function: Function, divisors: Sequence[str]) -> list[Expr]:
    """1/k of every parameter-only factor k of an on-line product that may be divided by."""
    products = [node for node in topological(function.roots) if node.online and node.op == "mul"]
    factors = dict.fromkeys(x for node in products for x in node.args if not x.online)
    return [function.graph.one / x for x in factors if _divides(x, divisors)]


def _divides(x: Expr, names: Sequence[str]) -> bool:
    """A number, a parameter by one of these names, or a product of such."""
    if x.op == "mul":
        return all(_divides(arg, names) for arg in x.args)
    return x.op == "const" or (x.op == "symbol" and x.data in names)


def _nodes(function: Function, scales: Sequence[Expr]) -> list[Expr]:
    """The number one, then all that have a value of their own, arguments first."""
    graph = function.graph
    # look-ups find only what has a node: these numbers often make 2·x or x/2 of what is there
    handy = [graph.one, *(graph.const(number) for number in (2, 3, 4)), graph.one / 2]
    nodes = topological([*handy, *scales, *function.roots])
    return [node for node in nodes if node.op != "neg" and node.value != 0]


def _fill_numbers(state: State, price: Price, capacity: int, count: int) -> None:
    from manipula.algebra.optimise.search.kernel import SHARES

    state.now[Now.COUNT], state.now[Now.CAPACITY], state.now[Now.MASK] = count + ONE, capacity, len(state.table) - 1
    state.price[Priced.ADD], state.price[Priced.MUL], state.price[Priced.FUSED] = price.add, price.mul, price.fused
    state.menu[:] = [move for move, share in SHARES.items() for _ in range(share)]


def _angles(nodes: Iterable[Expr]) -> set[Expr]:
    """On-line sums below a sine or cosine: computed otherwise they would not be seen as angles."""
    stack = [arg for node in nodes if node.op in ("sin", "cos") for arg in node.args]
    below: set[Expr] = set()
    while stack:
        node = stack.pop()
        if node not in below:
            below.add(node)
            stack += node.args
    return {node for node in below if node.args and node.online}


def _kind(node: Expr) -> int:
    return (
        Kind.LEAF
        if node.op in LEAVES
        else Kind.ADD
        if node.op in SUMS
        else Kind.MUL
        if node.op == "mul"
        else Kind.FIXED
    )


def _reference(node: Expr, number: dict[Expr, int]) -> int:
    """Of v and −v the number means the smaller; 0 stands for the number zero."""
    bare = node.args[0] if node.op == "neg" else node
    return 2 * number[bare] + (node.value > HALF) if node.value else 0


def _references(node: Expr, number: dict[Expr, int], kind: int) -> list[int]:
    refs = [_reference(arg, number) for arg in node.args]
    if kind in (Kind.ADD, Kind.MUL):
        turned = int(node.value > HALF)
        refs[0] ^= turned
        refs[1] ^= (turned if kind == Kind.ADD else 0) ^ (node.op == "sub")
    return refs


def _enter(state: State, node: int) -> None:
    mask = int(state.now[Now.MASK])
    slot = int(state.value[node]) & mask
    # linear probing, as the kernel has it: both read one table
    while state.table[slot]:
        slot = (slot + 1) & mask
    state.table[slot] = node


def function_from_ways(ways: Ways, best: bool) -> Function:
    """The function by its best ways, or by those at hand, in a new graph: the first way made is the one kept."""
    s, graph = ways.state, Graph()
    kind, left, right = (s.best_kind, s.best_left, s.best_right) if best else (s.kind, s.left, s.right)
    columns = [x[: s.now[Now.COUNT]].tolist() for x in (kind, left, right)]
    function = ways.function
    inputs = tuple(
        replace(port, symbols=tuple(graph.symbol(str(x.data), online=x.online) for x in port.symbols))
        for port in function.inputs
    )
    done = _Builder(ways, graph, columns).build()
    flow = iter(ways.roots)
    outputs = tuple(
        replace(port, exprs=tuple(_signed_node(done, graph, next(flow)) for _ in port.exprs))
        for port in function.outputs
    )
    # a node is its value, so a label finds its node again in the new graph
    labels = {graph.table[x.value]: text for x, text in function.labels.items() if x.value in graph.table}
    return replace(function, graph=graph, inputs=inputs, outputs=outputs, labels=labels)


def reference_from_function(function: Function) -> Reference:
    """A function as the plain model to compare with."""
    names = [str(x.data) for port in function.inputs for x in port.symbols]
    shapes = {port.name: port.shape for port in function.outputs}

    def run(maths: Any, symbol: Callable[[str], Any]) -> dict[str, Any]:
        values = function({name: symbol(name) for name in names}, maths)
        return {name: nest_flat(flat, shapes[name]) for name, flat in values.items()}

    return run


def _signed_node(done: dict[int, Expr], graph: Graph, r: int) -> Expr:
    if r == 0:
        return graph.zero
    return -done[r >> 1] if r & 1 else done[r >> 1]


class _Builder:
    """Nodes → expressions, arguments first."""

    def __init__(self, ways: Ways, graph: Graph, columns: list[list[int]]) -> None:
        self.ways, self.graph = ways, graph
        self.kind, self.left, self.right = columns
        self.more: list[int] = ways.state.more.tolist()
        self.done: dict[int, Expr] = {}

    def build(self) -> dict[int, Expr]:
        stack: list[tuple[int, bool]] = [(r >> 1, False) for r in reversed(self.ways.roots) if r]
        begun: set[int] = set()
        while stack:
            node, ready = stack.pop()
            if node in self.done:
                continue
            if ready:
                self.done[node] = self.one(node)
            else:
                if node in begun:  # it waits for itself; without this line it would wait for ever
                    raise ProofError("the search chose ways that use each other in a circle")
                begun.add(node)
                stack.append((node, True))
                stack.extend((r >> 1, False) for r in reversed(self.below(node)) if r)
        return self.done

    def below(self, node: int) -> list[int]:
        if self.kind[node] == Kind.FIXED:
            return self.more[self.left[node] : self.left[node] + self.right[node]]
        return [] if self.kind[node] == Kind.LEAF else [self.left[node], self.right[node]]

    def one(self, node: int) -> Expr:
        args = tuple(_signed_node(self.done, self.graph, r) for r in self.below(node))
        if self.kind[node] in (Kind.ADD, Kind.MUL):
            return self.graph.apply("add" if self.kind[node] == Kind.ADD else "mul", *args)
        pattern = self.ways.exprs[self.ways.state.origin[node]]
        copy = copy_node(pattern, args, self.graph)
        return -copy if pattern.value > HALF else copy


# Results as text, so that they can ship as data: JSON, one line a node.
#
# Generation proves again what is read back: a text that is damaged, or wrong, is refused.

FORMAT = 2  # changes with the text below
# shorter than the 4300 digits at which Python refuses to convert a text
_RATIO = re.compile(r"-?[0-9]{1,4000}(/[0-9]{1,4000})?", re.ASCII)


def text_from_function(function: Function) -> str:
    """Nodes, one a line: operation, arguments, data, on line."""
    name, code, inputs, outputs, labels, provenance, conditions = function.content()
    rows = ",\n".join(json.dumps([op, args, _plain(data), int(online)]) for op, args, data, online in code)
    rest = {"inputs": inputs, "outputs": outputs, "labels": labels, "provenance": provenance.as_dict()}
    rest["conditions"] = conditions
    tail = ",\n".join(f"{json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in rest.items())
    return f'{{"format": {FORMAT}, "name": {json.dumps(name)}, "code": [\n{rows}\n],\n{tail}}}\n'


def function_from_text(text: str) -> Function:
    """The inverse; any mistake in the text is a ValueError."""
    raw = json.loads(text)
    try:
        if raw["format"] != FORMAT:
            raise ValueError(f"format {raw['format']} is not {FORMAT}")
        code = [(op, tuple(args), _exact(op, data), bool(online)) for op, args, data, online in raw["code"]]
        inputs = [(name, ids, unit, doc, _role(role)) for name, ids, unit, doc, role in raw["inputs"]]
        outputs = [(name, tuple(shape), *rest) for name, shape, *rest in raw["outputs"]]
        rest = raw["labels"], provenance_from_dict(raw["provenance"]), tuple(raw["conditions"])
        return function_from_content((raw["name"], code, inputs, outputs, *rest))
    except (KeyError, TypeError, IndexError, AttributeError, AssertionError, ManipulaError, ZeroDivisionError) as error:
        raise ValueError(f"not a stored function: {error}") from error


def _role(told: Any) -> Role:
    if told not in get_args(Role):
        raise ValueError(f"{told!r} is no role of an input")
    role: Role = told
    return role


def _plain(data: object) -> str | list[str] | None:
    if isinstance(data, Tolerance):
        return [str(Fraction(data)), str(data.single)]
    return None if data is None else str(data)


def _exact(op: str, data: Any) -> Any:
    if op == "tolerance":
        return Tolerance(*map(_number, data))
    return _number(data or "0") if op in ("const", "angle") else data


def _number(text: str) -> Fraction:
    """A ratio of whole numbers of sensible length: no powers of ten that take all day."""
    if not _RATIO.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is no number")
    return Fraction(text)
