"""Passes: named rewrites of a whole function, each leaving its value unchanged.

A graph holds one way to compute each value, so a pass builds the better ways in a new graph. Every result is proved by
the caller (`prove`); a pass that does not lower the cost is dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from manipula.algebra.expr.function import Function, moved_to
from manipula.algebra.expr.maths import copy_node, topological
from manipula.algebra.expr.node import Expr, Graph, angle_terms

# Common factors: a·b ± a·c → a·(b ± c), where neither product is needed elsewhere.
#
# Long sums are opened into their terms first, so that terms that are not neighbours meet; the factor that serves most
# terms is taken out, again and again. What is shared (used twice, or an output) stays a node of its own. So does an
# angle
# that is more than a sum of joint positions, q + h·q̇: the field knows its point by its terms.

Term = tuple[int, Expr]  # sign and node


def factor_sums(function: Function) -> Function:
    """The function with common factors taken out of every sum, in a new graph."""
    nodes = topological(function.roots)
    # an output is a use: what is returned stays whole
    uses = Counter(arg for node in nodes for arg in node.args) + Counter(function.roots)
    graph = Graph()
    done: dict[Expr, Expr] = {}
    angles = _computed_angles(nodes)
    for node in nodes:
        if node.op in ("add", "sub") and node.online and node not in angles:
            done[node] = _sum(_terms(node, uses), uses, done, graph)
        else:
            done[node] = copy_node(node, tuple(done[arg] for arg in node.args), graph)
    # ports alone: the old roots would bring their ways along, and a graph holds one way for each value
    ports = moved_to(function.with_roots([node.graph.zero for node in function.roots]), graph)
    labels = {done[x]: text for x, text in function.labels.items() if x in done}
    return ports.with_roots([done[root] for root in function.roots], labels=labels)


def _computed_angles(nodes: Sequence[Expr]) -> set[Expr]:
    """Every sum inside a sine or cosine of something computed on line."""
    sums: set[Expr] = set()
    for node in nodes:
        if node.op in ("sin", "cos") and any(x.online and x.args for x, _ in angle_terms(node.args[0])):
            stack = [node.args[0]]
            while stack:
                part = stack.pop()
                if part.op in ("add", "sub", "neg", "mul") and part not in sums:
                    sums.add(part)
                    stack += part.args if part.op != "mul" or part.args[0].op == "const" else ()
    return sums


def _terms(node: Expr, uses: Counter[Expr]) -> list[Term]:
    """The sum opened through inner sums that serve nobody else."""
    terms: list[Term] = []
    stack: list[Term] = [(1, node)]
    while stack:
        sign, part = stack.pop()
        if part.op in ("add", "sub") and (part is node or uses[part] == 1):
            left, right = part.args
            stack += [(sign if part.op == "add" else -sign, right), (sign, left)]
        else:
            terms.append((sign, part))
    return terms


def _factors(term: Term, uses: Counter[Expr]) -> tuple[Expr, ...]:
    """The two factors of a product that serves only this sum."""
    node = term[1]
    return node.args if node.op == "mul" and uses[node] == 1 else ()


def _sum(terms: list[Term], uses: Counter[Expr], done: dict[Expr, Expr], graph: Graph) -> Expr:
    """Take out the factor shared by most terms while there is one; add the rest in order."""
    parts: list[tuple[int, Expr]] = []
    terms = list(terms)
    while True:
        shared = Counter(factor for term in terms for factor in set(_factors(term, uses)))
        # among equals a parameter, for the rest may become free; the key makes the choice reproducible
        best = max(shared, key=lambda x: (shared[x], not x.online, x.key), default=None)
        if best is None or shared[best] < 2:
            break
        inside = [term for term in terms if best in _factors(term, uses)]
        terms = [term for term in terms if best not in _factors(term, uses)]
        cofactors = [(sign, _other(node, best)) for sign, node in inside]
        parts.append((1, done[best] * _add_terms([(sign, done[x]) for sign, x in cofactors], graph)))
    return _add_terms([*((sign, done[node]) for sign, node in terms), *parts], graph)


def _other(product: Expr, factor: Expr) -> Expr:
    left, right = product.args
    return right if left is factor else left


def _add_terms(terms: Sequence[tuple[int, Expr]], graph: Graph) -> Expr:
    """Positive terms first, so that no leading sign is left."""
    total = graph.zero
    for sign, node in sorted(terms, key=lambda term: -term[0]):
        total = total + node if sign > 0 else total - node
    return total


Pass = Callable[[Function], Function]

PASSES: dict[str, Pass] = {
    "factor": factor_sums  # a·b ± a·c → a·(b ± c)
}


def run_passes(function: Function) -> Function:
    """The function after all passes, repeated while they pay."""
    improving = True
    while improving:
        improving = False
        for rewrite in PASSES.values():
            better = rewrite(function)
            if better.cost.total < function.cost.total:
                function, improving = better, True
    return function
