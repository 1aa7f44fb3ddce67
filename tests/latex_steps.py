"""Reading a derivation back from its LaTeX alone: lines `left &= right`, computed in the order they are printed.

A line whose left side is new gives it a value; any other is an equation, checked at the end. c_{23} is the cosine of
θ2 + θ3 as soon as these are known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import cos, sin
from typing import Any

import numpy as np

from tests.latex_reader import Reader

GREEK = {r"\gamma": "G", r"\theta": "H", r"\kappa": "K", r"\mu": "M", r"\sigma": "S", r"\psi": "P", r"\alpha": "A"}
LINE = re.compile(r"^(.+?) &= (.+?)(?: \\\\)?$", re.MULTILINE)


class Values(dict[str, Any]):
    """Sines and cosines of known angles come by themselves."""

    def __missing__(self, name: str) -> Any:
        match = re.fullmatch(r"([cs])_\{(\d+)\}", name)
        if match is None:
            raise KeyError(name)
        angle = sum(self[f"H_{{{digit}}}"] for digit in match[2])
        return np.float64(cos(angle) if match[1] == "c" else sin(angle))


def values_from_latex(latex: str, given: Mapping[str, float], signs: Sequence[int]) -> tuple[Values, list[float]]:
    """Every name → its value, for one choice of signs; and how far the equations are from true."""
    values = Values({name: np.float64(value) for name, value in given.items()})
    pending: list[tuple[str, str]] = []
    flow = iter(signs)
    for step in re.split(r"^(?=\d+\. )", latex, flags=re.MULTILINE):
        sign = next(flow) if re.match(r".*\(\w+ \$\\pm\$\)", step) else 0
        for left, right in LINE.findall(step):
            left, right = plain(left, sign), plain(right, sign)
            try:
                if left in values or not re.fullmatch(r"[A-Za-z]_\{\w+\}", left):
                    raise KeyError(left)
                values[left] = Reader(right, values).sum()
            except KeyError:
                pending.append((left, right))
    misses = [float(abs(Reader(a, values).sum() - Reader(b, values).sum())) for a, b in pending]
    return values, misses


def plain(text: str, sign: int) -> str:
    """In the letters the reader knows: one for each Greek one, + or − for ±, products for squares."""
    for command, letter in GREEK.items():
        text = text.replace(command, letter)
    up, down = ("+", "-") if sign > 0 else ("-", "+")
    text = text.replace(r"\left", "").replace(r"\right", "")
    text = re.sub(r"(?<=[\w)}]) \\(pm|mp) +", lambda m: f" {up if m[1] == 'pm' else down} ", text)
    text = re.sub(r"\\(pm|mp) ", lambda m: {"+": "", "-": "-"}[up if m[1] == "pm" else down], text)
    return re.sub(r"([A-Za-z]_\{\w+\})\^\{2\}", r"\1\\,\1", text)


def assert_well_formed(latex: str) -> None:
    """Braces, dollars, environments and growing brackets all close."""
    depth = 0
    for brace in re.findall(r"(?<!\\)[{}]", latex):
        depth += 1 if brace == "{" else -1
        assert depth >= 0
    assert depth == 0
    assert latex.count("$") % 2 == 0
    for opened, closed in ((r"\begin{aligned}", r"\end{aligned}"), (r"\[", r"\]"), (r"\left", r"\right")):
        assert latex.count(opened) == latex.count(closed)
    assert latex.isascii()
