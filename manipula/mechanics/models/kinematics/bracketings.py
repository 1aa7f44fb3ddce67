"""The orders in which a product of n matrices can be bracketed: Catalan(n−1) binary trees, as trees and as text.

A tree is the number of a factor (1…n) or a pair of trees. `"((1 2)(3 4))(5 6)"` is (((1, 2), (3, 4)), (5, 6)).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from manipula.errors import InputError

Brackets = int | tuple["Brackets", "Brackets"]
_TOKEN = re.compile(r"[()]|\d+|\s+|,|(?P<odd>.)", re.DOTALL)


def bracketings(n: int) -> Iterator[Brackets]:
    """Every bracketing of factors 1…n (42 for n = 6), from right-nested to left-nested."""
    return _between(1, n)


def _between(first: int, last: int) -> Iterator[Brackets]:
    if first == last:
        yield first
    for cut in range(first, last):
        for left in _between(first, cut):
            for right in _between(cut + 1, last):
                yield (left, right)


def text_from_bracketing(tree: Brackets) -> str:
    """`"((1 2)(3 4))(5 6)"`; `parse_bracketing` reads it back."""
    if isinstance(tree, int):
        return str(tree)
    left, right = (text_from_bracketing(part) for part in tree)
    left, right = (text if isinstance(part, int) else f"({text})" for part, text in zip(tree, (left, right)))
    return f"{left} {right}" if isinstance(tree[0], int) and isinstance(tree[1], int) else f"{left}{right}"


def parse_bracketing(text: str, n: int) -> Brackets:
    """The tree of a text over factors 1…n, each once and in order. Raises `InputError` that says what is wrong."""
    tree = _group(text, _tokens(text), nested=False)
    found = list(_leaves(tree))
    if found != list(range(1, n + 1)):
        wanted = " ".join(map(str, range(1, n + 1)))
        have = " ".join(map(str, found))
        raise InputError(
            "the bracketing {text!r} multiplies {have}; this arm needs {wanted}, in this order", text, have, wanted
        )
    return tree


def _tokens(text: str) -> list[str]:
    """Numbers and parentheses, last first, so that `pop` reads them."""
    tokens = []
    for match in _TOKEN.finditer(text):
        if match["odd"]:
            raise InputError(
                "the bracketing {text!r} holds {match!r}; only numbers and parentheses are allowed", text, match["odd"]
            )
        if match[0].strip(", \t\r\n"):
            tokens.append(match[0])
    return tokens[::-1]


def _group(text: str, tokens: list[str], *, nested: bool) -> Brackets:
    """What stands between two parentheses, or in the whole text: one factor, or two to multiply."""
    items: list[Brackets] = []
    while tokens and tokens[-1] != ")":
        token = tokens.pop()
        items.append(_group(text, tokens, nested=True) if token == "(" else int(token))
    if bool(tokens) != nested:
        raise InputError(
            (
                "the bracketing {text!r} has a parenthesis that is never closed"
                if nested
                else "the bracketing {text!r} has a parenthesis that was never opened"
            ),
            text,
        )
    if nested:
        tokens.pop()
    return _one_or_two(text, items)


def _one_or_two(text: str, items: list[Brackets]) -> Brackets:
    match items:
        case [only]:
            return only
        case [left, right]:
            return left, right
    raise InputError(
        "the bracketing {text!r} multiplies {count} factors at once; a parenthesis holds exactly two, "
        "as in '((1 2)(3 4))(5 6)'",
        text,
        len(items),
    )


def _leaves(tree: Brackets) -> Iterator[int]:
    if isinstance(tree, int):
        yield tree
    else:
        for part in tree:
            yield from _leaves(part)
