"""Which outputs of a function can be written in a form for people, known before any is written."""

from __future__ import annotations

from dataclasses import dataclass

from manipula.algebra.expr.cost import tree_cost_of
from manipula.algebra.expr.function import Function
from manipula.algebra.expr.node import Expr
from manipula.algebra.simplify.limits import (
    CALLS,
    EXPANDED_TERMS,
    FACTORED_TERMS,
    SHORT_TERMS,
    WRITTEN_OPERATIONS,
    rounded,
)
from manipula.algebra.simplify.simplifier import Simplifier
from manipula.errors import SizeError


@dataclass(frozen=True)
class Lengths:
    """Terms of every output when multiplied out; `reason`: why some are not known."""

    terms: dict[Expr, int]
    reason: str

    def __str__(self) -> str:
        return self.reason or f"{rounded(sum(self.terms.values()))} terms"


def refuse_nested(function: Function, form: str) -> None:
    """Functions in functions are written as often as they are read: no sum collects them."""
    found = tree_cost_of(function.roots)
    calls = sum(x.sqrt + x.other for x in (found, found.offline) if x is not None)
    if calls > CALLS:
        raise _too_long(function, form, f"{rounded(calls)} roots, choices and the like ({CALLS:,} at most)")


def refuse_long(function: Function, simplifier: Simplifier) -> None:
    """Of the expanded form."""
    found = _measured(function, simplifier)
    if found.reason or sum(found.terms.values()) > EXPANDED_TERMS:
        raise _too_long(function, "expanded", f"{found} ({EXPANDED_TERMS:,} at most)")


def bracketed_roots(function: Function, simplifier: Simplifier) -> set[Expr]:
    """The outputs whose factored form keeps the brackets of the graph: the longest, past what can be searched."""
    found = _measured(function, simplifier)
    kept = set(function.roots) - _shortest_first(found.terms, FACTORED_TERMS)
    _refuse_bracketed(function, kept, found)
    short = {root: len(simplifier.terms(root)[0]) for root in found.terms if root not in kept}
    kept |= set(short) - _shortest_first(short, SHORT_TERMS)
    _refuse_bracketed(function, kept, found)
    return kept


def _measured(function: Function, simplifier: Simplifier) -> Lengths:
    terms: dict[Expr, int] = {}
    reason = ""
    for root in dict.fromkeys(function.roots):
        try:
            terms[root] = simplifier.length(root)
        except SizeError as error:
            reason = reason or str(error)
    return Lengths(terms, reason)


def _shortest_first(lengths: dict[Expr, int], limit: int) -> set[Expr]:
    """As many as fit."""
    fit: set[Expr] = set()
    for root in sorted(lengths, key=lambda root: lengths[root]):
        limit -= lengths[root]
        if limit < 0:
            break
        fit.add(root)
    return fit


def _refuse_bracketed(function: Function, kept: set[Expr], found: Lengths) -> None:
    size = sum(tree_cost_of([root]).grand_total for root in kept)
    if size > WRITTEN_OPERATIONS:
        told = f"{found} ({FACTORED_TERMS:,} at most), or {rounded(size)} operations as it is computed"
        raise _too_long(function, "factored", told)


def _too_long(function: Function, form: str, told: str) -> SizeError:
    some = " or some of its entries" if len(function.roots) > 1 else ""
    return SizeError(
        f"{function.name}: too long for the {form} form: {told}; ask for the form 'auxiliary'{some} instead"
    )
