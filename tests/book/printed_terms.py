"""Printed formulas as sums of products: what a book prints and what is printed here, compared term by term.

c2, s23, c12m4 are letters like any other: `c1*c2 - s1*s2` is not `c12`. So two formulas agree when, brackets worked
out, they have the same terms, in any order; that they have the same values is not enough.
"""

from __future__ import annotations

import re
from typing import Any

import sympy

import manipula as mp


def terms(text: str) -> Any:
    """The formula with its brackets worked out."""
    names = {name: sympy.Symbol(name) for name in re.findall(r"[A-Za-z]\w*", text)}
    return sympy.expand(sympy.sympify(text.replace("^", "**"), locals=names))


def printed(model: mp.Model, form: str, names: str = "file") -> dict[str, Any]:
    """Entry → its terms as printed."""
    return {left: terms(right) for left, right in model.equations(form, names=names)}


def assert_printed(model: mp.Model, book: dict[str, str], names: str = "file") -> None:
    """Factored and expanded, the entries of the book's page and no other terms."""
    for form in ("expanded", "factored"):
        found = printed(model, form, names)
        for entry, text in book.items():
            assert found[entry] == terms(text), f"{form} {entry}: {found[entry]} is not {terms(text)}"
