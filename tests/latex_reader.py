"""Reading an emitted LaTeX document back: every equation between dollar signs, computed in the order it is printed."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from manipula.algebra.expr.evaluate import ARRAYS
from manipula.scalar import OPS

FUNCTIONS = {op.words.get("latex", rf"\operatorname{{{op.name}}}"): op.name for op in OPS.values()}
FUNCTIONS |= {r"\sqrt": "sqrt", r"\frac": "div"}
TOKEN = re.compile(
    r"\s*(?P<function>\\(?:operatorname\{\w+\}|(?!cdot\b)[a-z]+))"
    r"|\s*(?P<times>\\,|\\cdot)"
    r"|\s*(?P<number>\d[\d.]*)"
    r"|\s*(?P<name>[A-Za-z](?:_\{\w+\})?'*)"
    r"|\s*(?P<sign>[-+(){},^])"
)


class Reader:
    """Sums of products of atoms, as the writer makes them."""

    def __init__(self, text: str, values: Mapping[str, Any]) -> None:
        self.tokens = [(str(m.lastgroup), str(m[str(m.lastgroup)])) for m in TOKEN.finditer(text)]
        assert "".join(word for _, word in self.tokens) == re.sub(r"\s", "", text), text
        self.values, self.at = values, 0

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def take(self) -> tuple[str, str]:
        self.at += 1
        return self.tokens[self.at - 1]

    def sum(self) -> Any:
        value = self.signed()
        while self.peek() in ("+", "-"):
            _, sign = self.take()
            right = self.product()
            value = value + right if sign == "+" else value - right
        return value

    def signed(self) -> Any:
        if self.peek() == "-":
            self.take()
            return -self.signed()
        return self.product()

    def product(self) -> Any:
        value = self.atom()
        while self.peek() in (r"\,", r"\cdot"):
            self.take()
            value = value * self.atom()
        return value

    def atom(self) -> Any:
        kind, word = self.take()
        if kind == "function":
            return OPS[FUNCTIONS[word]].value(ARRAYS, *self.arguments())
        if kind == "name":
            return self.values[word]
        if kind == "number":
            return self.powered(np.float64(word))
        assert word == "(", word
        value = self.sum()
        assert self.take()[1] == ")"
        return value

    def powered(self, base: Any) -> Any:
        """10^{-5}"""
        if self.peek() != "^":
            return base
        self.take()
        assert self.take()[1] == "{"
        exponent = self.signed()
        assert self.take()[1] == "}"
        return base**exponent

    def arguments(self) -> list[Any]:
        """(a, b) or {a}{b}"""
        found: list[Any] = []
        while self.peek() in ("(", "{"):
            _, left = self.take()
            found.append(self.sum())
            while self.peek() == ",":
                self.take()
                found.append(self.sum())
            assert self.take()[1] == {"(": ")", "{": "}"}[left]
            if left == "(":
                break
        return found


def symbols_from_latex(text: str) -> dict[str, list[str]]:
    """Of each input its symbols, as the document lists them."""
    part = text.partition(r"\section*{Inputs}")[2].partition(r"\section")[0]
    return {line.split()[0].rstrip(",:"): re.findall(r"\$([^$\\]+)\$", line) for line in part.splitlines() if line}


def state_from_latex(text: str) -> dict[str, list[Any]]:
    """The numbers of the state to check, by input and output."""
    lines = text.partition(r"\section*{A state to check}")[2].splitlines()
    named = (line.split(": ") for line in lines if ": " in line)
    odd = {r"\mathrm{NaN}": np.nan, r"\infty": np.inf, r"-\infty": -np.inf}
    return {
        name: [odd[x] if x in odd else Reader(x, {}).sum() for x in re.findall(r"\$([^$]+)\$", numbers)]
        for name, numbers in named
    }


def values_from_latex(text: str, inputs: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Left-hand side → value, of every equation."""
    values: dict[str, Any] = {}
    for port, symbols in symbols_from_latex(text).items():
        values |= {symbol: np.float64(x) for symbol, x in zip(symbols, inputs[port], strict=True)}
    with np.errstate(all="ignore"):
        for left, right in re.findall(r"^\$(\S+) = (.*)\$$", text, re.MULTILINE):
            values[left] = Reader(right, values).sum()
    return values
