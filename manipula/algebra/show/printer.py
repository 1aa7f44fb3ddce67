"""Trees into lines of text. What the styles share: signs, brackets, fractions; a style says how each part looks."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from manipula.algebra.expr.function import Function
from manipula.algebra.simplify import tree as formula
from manipula.support.text import exact_text, tiny_power

# Names people recognise: how the symbols of a model are read and set.

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "theta": "θ", "kappa": "κ",
    "lambda": "λ", "mu": "μ", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "psi": "ψ", "omega": "ω", "pi": "π",
}  # fmt: skip
NameParts = tuple[str, str, int]  # a letter, its index, the dots above it
_SPLIT = re.compile(r"([A-Za-z]+)(\d*)(?:_([A-Za-z0-9]{1,2}))?")
_INSIDE = re.compile(r"([A-Za-z])(\d+[a-z]{1,2})")  # I2y
_OF_ANGLES = re.compile(r"[cs]_?m?\d+(_?m\d+|_\d+)+")  # c12m4, s1_12: sums and differences of angles
_WORDS = re.compile(r"((?!q)[A-Za-z]{2,}_[A-Za-z]+)(\d*)")  # gravity_g1: words joined, not a letter and its axis
_GREEK = re.compile(r"([A-Za-z]+)_([A-Za-z]+\d*)")  # theta_fixed2: the letter with a word below
_WANTED = re.compile(r"(q)(d{0,2})_ref(\d+)")  # what a law is to follow
_RATES = re.compile(r"(q)(d{1,2})")
# a letter and its index: I, L, K with their axes, centres r, first moments m, gravity g, motor inertia Ia, friction f
_INDEXED = re.compile(r"([IKL])([xyza]{1,2})|([rmg])([xyz])|(f)([a-z][pm]?)")


def split_name(name: str) -> NameParts:
    """(letter, index, dots): Ixx2 → (I, xx2, 0), qdd1 → (q, 1, 2), w3_x → (w, 3x, 0)"""
    if _OF_ANGLES.fullmatch(name):
        return name[0], re.sub(r"_?m", "-", name[1:]).replace("_", ","), 0
    greek = _GREEK.fullmatch(name)
    if greek and greek[1] in GREEK:
        return greek[1], greek[2], 0
    words = _WORDS.fullmatch(name)
    if words:
        return words[1], words[2], 0
    wanted = _WANTED.fullmatch(name)
    if wanted:
        return wanted[1], f"ref{wanted[3]}", len(wanted[2])
    inside = _INSIDE.fullmatch(name)
    if inside:
        return inside[1], inside[2], 0
    match = _SPLIT.fullmatch(name)
    if match is None:
        return name, "", 0
    word, digits, suffix = match[1], match[2], match[3] or ""
    rate = _RATES.fullmatch(word)
    if rate:
        return rate[1], digits + suffix, len(rate[2])
    indexed = _INDEXED.fullmatch(word)
    if indexed:
        letter, axes = (part for part in indexed.groups() if part)
        return letter, axes + digits + suffix, 0
    return word, digits + suffix, 0


def trig_name(tree: formula.Trig) -> str:
    """c2 for cos(q2), s23 for sin(q2 + q3), c2m3 for cos(q2 − q3); c1_12 past nine joints; else nothing."""
    parts: list[tuple[int, int]] = []
    for leaf, times in tree.angle:
        match = re.fullmatch(r"q(\d+)", leaf.name) if isinstance(leaf, formula.Symbol) and abs(times) == 1 else None
        if match is None:
            return ""
        parts.append((int(match[1]), times))
    parts.sort()
    joiner = "_" if len(parts) > 1 and parts[-1][0] > 9 else ""
    return tree.op[0] + joiner.join(("m" if times < 0 else "") + str(joint) for joint, times in parts)


def entry_names(function: Function) -> frozenset[str]:
    """As outputs without and with one index are written: v, or tau1, tau2, …; entries of a matrix have brackets."""
    names = {port.name for port in function.outputs if not port.shape}
    vectors = (port for port in function.outputs if len(port.shape) == 1)
    return frozenset(names.union(f"{port.name}{i}" for port in vectors for i in range(1, port.shape[0] + 1)))


def book_names(
    letters: Sequence[str], taken: frozenset[str], offsets: frozenset[str] = frozenset()
) -> dict[str, NameParts]:
    """θ1 for q1, ḋ3 for qd3, by the letter of each; one whose name a parameter has already stays as it is. θ̇ for
    thetad, all of them together. Of `offsets`, theta1 gives way: the angle that a table adds to θ1 is θ01."""
    rates = {letter + "d" * dots: (letter, "", dots) for letter in letters for dots in (1, 2)}
    names: dict[str, NameParts] = {name: parts for name, parts in rates.items() if name not in taken}
    for number, letter in enumerate(letters, 1):
        own = f"{letter}{number}"
        used = taken.intersection(letter + "d" * dots + str(number) for dots in range(3))
        if used == {own} & offsets and f"{letter}0{number}" not in taken:
            names |= dict.fromkeys(used, (letter, f"0{number}", 0))
            used = frozenset()
        if not used:
            names |= {f"q{'d' * dots}{number}": (letter, str(number), dots) for dots in range(3)}
    return names


NO_ALIASES: Mapping[str, NameParts] = MappingProxyType({})
SUM, PRODUCT, POWER = 1, 2, 3  # how strongly a form binds


def _bottom(tree: formula.FormulaTree) -> formula.FormulaTree | None:
    """What is under the stroke of 1/x or its power."""
    match tree:
        case formula.Inverse(bottom):
            return bottom
        case formula.Power(formula.Inverse(bottom), exponent):
            return formula.power_of(bottom, exponent)
    return None


def _bare(condition: str) -> str:
    """A comparison without its brackets, where they belong together."""
    depth = 0
    for at, letter in enumerate(condition):
        depth += (letter == "(") - (letter == ")")
        if not depth:
            # (a) < (b) also begins and ends with brackets, which are not one pair
            return condition[1:-1] if at and at == len(condition) - 1 else condition
    return condition


class Printer:
    """The ASCII style, and the base of the others. `taken` are names that c2, s23 may not use."""

    times, minus, plus, sign = "*", " - ", " + ", "-"

    def __init__(self, taken: Collection[str] = (), aliases: Mapping[str, NameParts] = NO_ALIASES) -> None:
        self.taken = frozenset(taken)
        self.aliases = aliases

    def parts(self, name: str) -> NameParts:
        """Letter, index and dots of a name, or of what it is called here."""
        return self.aliases.get(name) or split_name(name)

    # parts a style may change

    def name(self, text: str) -> str:
        if text not in self.aliases:
            return text
        letter, index, dots = self.aliases[text]
        return letter + "d" * dots + index

    def number(self, value: Fraction) -> str:
        power = tiny_power(value)
        return f"1e-{power}" if power else exact_text(value)

    def degrees(self, value: Fraction) -> str:
        return "pi" if value == 180 else f"{self.number(value / 180)}*pi"

    def short_trig(self, text: str) -> str:
        return text

    def long_trig(self, op: str, inner: str) -> str:
        return f"{op}({inner})"

    def call(self, op: str, args: Sequence[str]) -> str:
        match op:
            case "less":
                return self.bracket(f"{args[0]} < {args[1]}")
            case "select":
                return self.bracket(f"{args[1]} if {_bare(args[0])} else {args[2]}")
        return f"{op}({', '.join(args)})"

    def power(self, base: str, exponent: int) -> str:
        return f"{base}^{exponent}"

    def bracket(self, text: str) -> str:
        return f"({text})"

    def entry(self, name: str, index: Sequence[int]) -> str:
        """An output: tau1, A[1,2]"""
        if len(index) == 1:
            return self.name(f"{name}{index[0]}")
        return self.name(name) + (f"[{','.join(map(str, index))}]" if index else "")

    def elsewhere(self, name: str, index: Sequence[int]) -> str:
        """Any entry of a matrix: A[i,j]"""
        return f"{self.name(name)}[{','.join([*map(str, index), 'i', 'j'])}]"

    def remark(self, text: str, words: str) -> str:
        """A formula, then words."""
        return f"{text} {words}"

    def name_with_unit(self, port: str, unit: str) -> str:
        """An input or output and its unit: tau [N·m]"""
        return f"{self.name(port)} [{unit}]"

    def brackets(self, rows: int) -> list[tuple[str, str]]:
        """What is at both sides of each row of a matrix."""
        return [("[", "]")] * rows

    # trees

    def text(self, tree: formula.FormulaTree) -> str:
        return self._text(tree)[0]

    def at_least(self, tree: formula.FormulaTree, strength: int) -> str:
        text, own = self._text(tree)
        return text if own >= strength else self.bracket(text)

    def _text(self, tree: formula.FormulaTree) -> tuple[str, int]:
        match tree:
            case formula.FormulaNumber(value):
                text = self.number(value)
                # −2 and 1/2 need brackets under a power, 2 does not
                return text, SUM if value < 0 else PRODUCT if "/" in text else POWER + 1
            case formula.Symbol(name, _):
                return self.name(name), POWER + 1
            case formula.Degrees(value):
                return self.degrees(value), PRODUCT
            case formula.Trig():
                return self.trig(tree), POWER + 1
            case formula.FormulaCall(op, args):
                return self.call(op, [self.text(arg) for arg in args]), POWER + 1
            case formula.Power(base, exponent) if not isinstance(base, formula.Inverse):
                return self.power(self.at_least(base, POWER + 1), exponent), POWER
            case formula.Sum(terms):
                return self.sum_text(terms), SUM
        return self._product(tree)

    def summands(self, tree: formula.FormulaTree) -> list[str]:
        """The texts of a sum's terms, each with the sign before it: what `text` is made of."""
        return self._summands(terms) if len(terms := formula.terms_of(tree)) > 1 else [self.text(tree)]

    def sum_text(self, terms: Sequence[formula.FormulaTree]) -> str:
        return "".join(self._summands(terms))

    def _summands(self, terms: Sequence[formula.FormulaTree]) -> list[str]:
        parts: list[str] = []
        for term in terms:
            negative, positive = formula.without_sign(term)
            lead = (self.sign if negative else "") if not parts else (self.minus if negative else self.plus)
            parts.append(lead + self.at_least(positive, PRODUCT))
        return parts

    def _product(self, tree: formula.FormulaTree) -> tuple[str, int]:
        """A product, its inverse factors gathered under a stroke."""
        negative, positive = formula.without_sign(tree)
        if negative:
            return self.sign + self.at_least(positive, PRODUCT), SUM
        factors = tree.factors if isinstance(tree, formula.FormulaProduct) else (tree,)
        below = [_bottom(factor) for factor in factors]
        over = [factor for factor, bottom in zip(factors, below) if bottom is None]
        under = [bottom for bottom in below if bottom is not None]
        if under:
            return self.quotient(formula.product_of(over or [formula.ONE]), formula.product_of(under)), PRODUCT
        return self.times.join(self.at_least(factor, PRODUCT) for factor in over), PRODUCT

    def quotient(self, top: formula.FormulaTree, bottom: formula.FormulaTree) -> str:
        return f"{self.at_least(top, PRODUCT)}/{self.at_least(bottom, POWER)}"

    def trig(self, tree: formula.Trig) -> str:
        """c23 where that is unmistakable, else cos(…)"""
        short = trig_name(tree)
        if short and short not in self.taken:
            return self.short_trig(short)
        return self.long_trig(tree.op, self.angle(tree.angle))

    def angle(self, angle: formula.Angle) -> str:
        return self.sum_text(
            [formula.product_of([formula.FormulaNumber(Fraction(times)), leaf]) for leaf, times in angle]
        )


# The terminal's style: q̈₁, c₂₃, d₂², ·, −

SUBSCRIPTS = str.maketrans("0123456789-", "₀₁₂₃₄₅₆₇₈₉₋")
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_DOTS = ("", "\u0307", "\u0308")  # combining: dot above, two dots above


class Unicode(Printer):
    times, minus, sign = "·", " − ", "−"

    def name(self, text: str) -> str:
        letter, index, dots = self.parts(text)
        return GREEK.get(letter, letter) + _DOTS[dots] + index.translate(SUBSCRIPTS)

    def short_trig(self, text: str) -> str:
        return self.name(text)

    def number(self, value: Fraction) -> str:
        return super().number(value).replace("-", self.sign)

    def degrees(self, value: Fraction) -> str:
        return f"{self.number(value)}°"

    def power(self, base: str, exponent: int) -> str:
        return base + str(exponent).translate(_SUPERSCRIPTS)

    def entry(self, name: str, index: Sequence[int]) -> str:
        if len(index) < 2:
            return super().entry(name, index)
        # A₁₁ is plain, A₁₁₁ could be entry 1,11 or 11,1
        joiner = "" if max(index) < 10 else ","
        return self.name(name) + joiner.join(map(str, index)).translate(SUBSCRIPTS)

    def elsewhere(self, name: str, index: Sequence[int]) -> str:
        return self.name(name) + "".join(map(str, index)).translate(SUBSCRIPTS) + "ᵢⱼ"

    def brackets(self, rows: int) -> list[tuple[str, str]]:
        return [("⎡", "⎤"), *[("⎢", "⎥")] * (rows - 2), ("⎣", "⎦")] if rows > 1 else [("[", "]")]
