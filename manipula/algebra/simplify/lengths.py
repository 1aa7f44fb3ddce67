"""Which outputs of a function can be written in a form for people, known before any is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

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
from manipula.messages import Message


@dataclass(frozen=True)
class Lengths:
    """Terms of every output when multiplied out, why some are not known, and whether every one was measured."""

    terms: dict[Expr, int]
    lost: dict[Expr, str]
    whole: bool

    @property
    def reason(self) -> str:
        return next(iter(self.lost.values()), "")

    def __str__(self) -> str:
        return self.reason or f"{rounded(sum(self.terms.values()))} terms{self.more}"

    @property
    def more(self) -> str:
        return "" if self.whole else " and more"


def refuse_nested(function: Function, form: str) -> None:
    """Functions in functions are written as often as they are read: no sum collects them."""
    found = tree_cost_of(function.roots)
    calls = sum(x.sqrt + x.other for x in (found, found.offline) if x is not None)
    if calls > CALLS:
        raise _too_long(
            function, form, Message("{rounded} roots, choices and the like ({calls:,} at most)", rounded(calls), CALLS)
        )


def refuse_long(function: Function, simplifier: Simplifier) -> None:
    """Of the expanded form."""
    found = _measured(function, simplifier, _never_expanded)
    if _never_expanded(found):
        raise _too_long(function, "expanded", Message("{measured} ({expanded_terms:,} at most)", found, EXPANDED_TERMS))


def bracketed_roots(function: Function, simplifier: Simplifier) -> set[Expr]:
    """The outputs whose factored form keeps the brackets of the graph: the longest, past what can be searched."""
    found = _measured(function, simplifier, _never_bracketed)
    if not found.whole:
        raise _bracketed_too_long(function, _never_searched(found), found)
    kept = set(function.roots) - _shortest_first(found.terms, FACTORED_TERMS)
    _refuse_bracketed(function, kept, found)
    short = {root: len(simplifier.terms(root)[0]) for root in found.terms if root not in kept}
    kept |= set(short) - _shortest_first(short, SHORT_TERMS)
    _refuse_bracketed(function, kept, found)
    return kept


def _measured(function: Function, simplifier: Simplifier, past_hope: Callable[[Lengths], bool]) -> Lengths:
    """One output after the other, no further than it takes to know that all of them are too long."""
    found = Lengths({}, {}, whole=False)
    for root in dict.fromkeys(function.roots):
        if past_hope(found):
            return found
        try:
            found.terms[root] = simplifier.length(root)
        except SizeError as error:
            found.lost[root] = str(error)
    return replace(found, whole=True)


def _never_expanded(found: Lengths) -> bool:
    return bool(found.lost) or sum(found.terms.values()) > EXPANDED_TERMS


def _never_bracketed(found: Lengths) -> bool:
    """Are those that keep the graph's brackets for certain too long already?"""
    return _written_size(_never_searched(found)) > WRITTEN_OPERATIONS


def _never_searched(found: Lengths) -> list[Expr]:
    """The outputs each of which is by itself too long to search."""
    return [*(root for root, length in found.terms.items() if length > FACTORED_TERMS), *found.lost]


def _written_size(roots: Iterable[Expr]) -> int:
    return sum(tree_cost_of([root]).grand_total for root in roots)


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
    if _written_size(kept) > WRITTEN_OPERATIONS:
        raise _bracketed_too_long(function, kept, found)


def _bracketed_too_long(function: Function, kept: Iterable[Expr], found: Lengths) -> SizeError:
    return _too_long(
        function,
        "factored",
        Message(
            "{found} ({factored_terms:,} at most), or {rounded} operations{more} as it is computed",
            found,
            FACTORED_TERMS,
            rounded(_written_size(kept)),
            found.more,
        ),
    )


def _too_long(function: Function, form: str, told: str) -> SizeError:
    return SizeError(
        (
            (
                "{name}: too long for the {form} form: {told}; ask for the form "
                "'auxiliary' or some of its entries instead"
            )
            if len(function.roots) > 1
            else ("{name}: too long for the {form} form: {told}; ask for the form 'auxiliary' instead")
        ),
        function.name,
        form,
        told,
    )
