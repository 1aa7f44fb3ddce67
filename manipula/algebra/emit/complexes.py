"""Complex numbers for languages that have none: the functions of pairs, in an arithmetic that all languages share."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pair:
    """A function of complex numbers: its parameters (x is real), a number computed first, the result's parts."""

    parameters: str
    first: tuple[str, str] | None
    result: tuple[str, ...]


PAIRS = {
    "number": Pair("re im", None, ("re", "im")),
    "add": Pair("a b", None, ("a.re + b.re", "a.im + b.im")),
    "sub": Pair("a b", None, ("a.re - b.re", "a.im - b.im")),
    "mul": Pair("a b", None, ("(a.re * b.re) - (a.im * b.im)", "(a.re * b.im) + (a.im * b.re)")),
    "div": Pair(
        "a b", ("d", "(b.re * b.re) + (b.im * b.im)"),
        ("((a.re * b.re) + (a.im * b.im)) / d", "((a.im * b.re) - (a.re * b.im)) / d"),
    ),
    "scale": Pair("x a", None, ("x * a.re", "x * a.im")),
    "neg": Pair("a", None, ("-a.re", "-a.im")),
    "abs": Pair("a", None, ("sqrt((a.re * a.re) + (a.im * a.im))",)),
    "sin": Pair(
        "a", ("e", "exp(a.im)"), ("sin(a.re) * 0.5 * (e + (1.0 / e))", "cos(a.re) * 0.5 * (e - (1.0 / e))")
    ),
    "cos": Pair(
        "a", ("e", "exp(a.im)"), ("cos(a.re) * 0.5 * (e + (1.0 / e))", "-sin(a.re) * 0.5 * (e - (1.0 / e))")
    ),
}  # fmt: skip
