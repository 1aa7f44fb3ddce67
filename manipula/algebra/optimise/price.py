"""What an operation costs, as data: the search minimises this sum over the on-line operations."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from manipula.algebra.expr.function import Function, moved_to
from manipula.algebra.expr.maths import copy_node, topological
from manipula.algebra.expr.node import Expr, Graph
from manipula.errors import UnknownNameError
from manipula.scalar import OPS

# Short paths: long sums and products joined in the order in which their parts are ready.
#
# A processor works on several operations at once, but no result comes before the longest chain of them below it.
# Joining
# the two parts that are ready first, again and again, is the best order for one sum; the number of operations stays.
# What is shared (used twice, or an output) stays a node of its own, and so does an angle below a sine.

# cycles until a result can be used, by what the operation is counted as; a change of sign costs nothing
CYCLES = {"add": 4, "mul": 4, "div": 14, "sqrt": 18, "trig": 40, "other": 3}
SUM, PRODUCT = ("add", "sub"), ("mul",)


Ready = dict[Expr, int]  # the cycle in which a value is known


def longest_path(function: Function) -> int:
    """Cycles from the inputs to the last output, with as many units at work as wanted."""
    ready: Ready = {}
    return max((_when(root, ready) for root in function.roots), default=0)


def _when(node: Expr, ready: Ready) -> int:
    """What depends on parameters alone is ready at the start."""
    stack = [node]
    while stack:
        x = stack[-1]
        below = [arg for arg in x.args if arg not in ready] if x.online else []
        stack.extend(below)
        if not below:
            spent = CYCLES.get(OPS[x.op].counted_as, 0) if x.online and x.args else 0
            ready[x] = spent + max((ready[arg] for arg in x.args), default=0) if x.online else 0
            stack.pop()
    return ready[node]


def balance_function(function: Function) -> Function:
    """The function with shorter paths, in a new graph; itself where that cannot be had."""
    nodes = topological(function.roots)
    uses = Counter(arg for node in nodes for arg in node.args) + Counter(function.roots)
    angles = set(topological(arg for node in nodes if node.op in ("sin", "cos") for arg in node.args))
    graph, done, ready = Graph(), dict[Expr, Expr](), Ready()
    for node in nodes:
        kind = SUM if node.op in SUM else PRODUCT if node.op in PRODUCT else ()
        if kind and node.online and node not in angles:
            op, parts = _parts(node, kind, uses)
            done[node] = _join_by_readiness(op, [(sign, done[x]) for sign, x in parts], ready)
        else:
            done[node] = copy_node(node, tuple(done[arg] for arg in node.args), graph)
    # ports alone: the old roots would bring their ways along, and a graph holds one way for each value
    ports = moved_to(function.with_roots([node.graph.zero for node in function.roots]), graph)
    labels = {done[x]: text for x, text in function.labels.items() if x in done}
    better = ports.with_roots([done[root] for root in function.roots], labels=labels)
    # balancing may undo what two sums share, and then costs operations
    shorter = longest_path(better) < longest_path(function) and better.cost.total <= function.cost.total
    return better if shorter else function


def _parts(node: Expr, kind: tuple[str, ...], uses: Counter[Expr]) -> tuple[str, list[tuple[int, Expr]]]:
    """The terms of a sum, or the factors of a product, with their signs."""
    parts: list[tuple[int, Expr]] = []
    stack = [(1, node)]
    while stack:
        sign, part = stack.pop()
        if part.op == "neg" and uses[part] == 1:
            stack.append((-sign, part.args[0]))
        elif part.op in kind and (part is node or uses[part] == 1):
            left, right = part.args
            stack += [({"add": sign, "sub": -sign, "mul": 1}[part.op], right), (sign, left)]
        else:
            parts.append((sign, part))
    return kind[0], parts


def _join_by_readiness(op: str, parts: list[tuple[int, Expr]], ready: Ready) -> Expr:
    """The two that are ready first, again and again; parameters meet parameters before anything else."""
    # the number i decides ties, so the expressions behind it are never compared
    heap = [(_when(x, ready), x.online, i, sign, x) for i, (sign, x) in enumerate(parts)]
    heapify(heap)
    for i in range(len(parts), 2 * len(parts) - 1):
        (*_, s, x), (*_, t, y) = heappop(heap), heappop(heap)
        # −x ± y is made as −(x ∓ y): the sign waits for the end
        sign, made = (s * t, x * y) if op == "mul" else (s, x + y if s == t else x - y)
        heappush(heap, (_when(made, ready), made.online, i, sign, made))
    *_, sign, whole = heap[0]
    return whole if sign == 1 else -whole


@dataclass(frozen=True)
class Price:
    """Whole numbers. `fused` is what a sum saves when one of its terms is a product that serves nothing else.

    `path` is the price of a cycle on the longest path: the search itself counts operations, and of what it finds the
    sums and products are balanced.
    """

    name: str
    add: int = 1
    mul: int = 1
    div: int = 1
    fused: int = 0
    trig: int = 0
    sqrt: int = 0
    other: int = 0
    path: int = 0
    unit: int = 1  # what a typical move is worth: temperatures are measured by it

    def of(self, kind: str) -> int:
        """By the name the operation table counts it under; a change of sign is free."""
        return int(getattr(self, kind, 0))

    def total(self, function: Function) -> int:
        """The price of a function."""
        nodes = [node for node in topological(function.roots) if node.online and node.args]
        uses: dict[Expr, int] = {}
        for user in [*(arg for node in nodes for arg in node.args if node.op != "neg"), *function.roots]:
            # a change of sign is free, so a product behind one is still swallowed
            bare = user.args[0] if user.op == "neg" else user
            uses[bare] = uses.get(bare, 0) + 1
        plain = sum(self.of(OPS[node.op].counted_as) for node in nodes)
        swallowed = self.fused * sum(_swallows(node, uses) for node in nodes)
        return plain - swallowed + (self.path * longest_path(function) if self.path else 0)

    def arrange(self, function: Function) -> Function:
        """The function in the order of work this price asks for."""
        return balance_function(function) if self.path else function


def _swallows(node: Expr, uses: dict[Expr, int]) -> bool:
    """Is this a sum with a product of its own?"""
    return node.op in ("add", "sub") and any(arg.op == "mul" and arg.online and uses[arg] == 1 for arg in node.args)


CLASSICAL = Price("classical")  # a product and a sum are one operation each
MULTIPLICATIONS = Price("multiplications", mul=4, div=4, unit=3)  # sums count a little, or they would grow without end
FUSED = Price("fused", fused=1)  # what a processor with a fused multiply-add issues
LATENCY = Price("latency", path=1)  # one call on a processor with units to spare: cycles on the longest path


@dataclass(frozen=True)
class Aim:
    """What a search is to make small, and by which parameters it may divide, so that scales can wander from sum to sum.

    Numbers always may become denominators.
    """

    price: Price = CLASSICAL
    divisors: tuple[str, ...] = ()


CLASSICAL_AIM = Aim()
PRICES = {price.name: price for price in (CLASSICAL, MULTIPLICATIONS, FUSED, LATENCY)}


def price_named(name: str) -> Price:
    if name not in PRICES:
        raise UnknownNameError("price", name, PRICES)
    return PRICES[name]
