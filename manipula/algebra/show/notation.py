"""Notation of books beside trees: letters with indices on all sides, fractions, matrices, operators; and MathML.

A piece of notation is a text of operators (` × `, ` = `, `∂`), a `Letter`, an `Over`, a `Grid`, a tree, or a tuple of
these, one after another. A style sets it for a terminal, LaTeX, Typst or a page; letters of trees are the style's own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import Union

from manipula.algebra.show.paper import Latex, Setting, Typst
from manipula.algebra.show.printer import GREEK, PRODUCT, SUBSCRIPTS, SUM, NameParts, Printer, Unicode
from manipula.algebra.simplify.tree import FormulaProduct, FormulaTree, Symbol, product_of, without_sign

SIGN = "±"  # the symbol of a free choice of sign
DIGITS = 6  # of a number in print; proofs have all of them
_PM = Symbol(SIGN, online=True)


@dataclass(frozen=True)
class Letter:
    """θ̇ with an index: `before` is above and in front (⁰T), `above` a power or a mark, `dots` time derivatives."""

    letter: str
    below: str = ""
    above: str = ""
    before: str = ""
    dots: int = 0


@dataclass(frozen=True)
class Over:
    """A fraction."""

    top: Notation
    bottom: Notation


@dataclass(frozen=True)
class Grid:
    """A matrix in brackets."""

    rows: tuple[tuple[Notation, ...], ...]


Notation = Union[str, Letter, Over, Grid, FormulaTree, tuple["Notation", ...]]  # noqa: UP007 (it names itself)


_RUNS = re.compile(r"[A-Za-z]+|[^A-Za-z]+")
FUNCTIONS = ("sin", "cos", "det", "exp")


class Signed(Printer):
    """The base of the styles: ± before terms."""

    plus_minus, minus_plus = "±", "∓"

    def _split_sign(self, tree: FormulaTree) -> tuple[str, FormulaTree]:
        """(± or ∓ or nothing, the rest)"""
        negative, positive = without_sign(tree)
        factors = positive.factors if isinstance(positive, FormulaProduct) else (positive,)
        if _PM not in factors:
            return "", tree
        rest = product_of(factor for factor in factors if factor != _PM)
        return self.minus_plus if negative else self.plus_minus, rest

    def _text(self, tree: FormulaTree) -> tuple[str, int]:
        sign, rest = self._split_sign(tree)
        return (sign + self.at_least(rest, PRODUCT), SUM) if sign else super()._text(tree)

    def _summands(self, terms: Sequence[FormulaTree]) -> list[str]:
        parts: list[str] = []
        for term in terms:
            sign, rest = self._split_sign(term)
            if sign:
                parts.append((f" {sign} " if parts else sign) + self.at_least(rest, PRODUCT))
                continue
            negative, positive = without_sign(term)
            lead = (self.sign if negative else "") if not parts else (self.minus if negative else self.plus)
            parts.append(lead + self.at_least(positive, PRODUCT))
        return parts


class Script(Signed):
    """A style that sets notation, too: ½ as a fraction, numbers in as many digits as can be read."""

    half = "1/2"
    operators: Mapping[str, str] = {}

    def number(self, value: Fraction) -> str:
        if abs(value) == Fraction(1, 2):
            return (self.sign if value < 0 else "") + self.half
        text = super().number(value)
        return text if len(text) <= DIGITS + 3 else super().number(Fraction(f"{float(value):.{DIGITS}g}"))

    def notation(self, piece: Notation) -> str:
        match piece:
            case str():
                return self.signs(piece)
            case tuple():
                return "".join(map(self.notation, piece))
            case Letter():
                return self.letter(piece)
            case Over(top, bottom):
                return self.over(self.notation(top), self.notation(bottom))
            case Grid(rows):
                return self.grid([[self.notation(entry) for entry in row] for row in rows])
        return self.text(piece)

    def signs(self, text: str) -> str:
        """Operators, and words: cos, sin, det are functions, other letters stand for themselves."""
        return "".join(
            self.word(run) if run.isalpha() and run.isascii() else self.sign_text(run) for run in _RUNS.findall(text)
        )

    def sign_text(self, run: str) -> str:
        return "".join(self.operators.get(sign, sign) for sign in run)

    def word(self, run: str) -> str:
        return run

    def letter(self, x: Letter) -> str:
        raise NotImplementedError

    def over(self, top: str, bottom: str) -> str:
        return f"{top}/{bottom}"

    def grid(self, rows: Sequence[Sequence[str]]) -> str:
        return "[" + "; ".join(", ".join(row) for row in rows) + "]"

    def words(self, text: str) -> str:
        """What a user wrote, outside formulas."""
        return text

    def prose(self, text: str) -> str:
        """A sentence whose formulas are set already."""
        return text

    def inline(self, text: str) -> str:
        """A formula among words."""
        return text


_RAISED = str.maketrans("0123456789-+T", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ᵀ")
_LOWERED = SUBSCRIPTS | str.maketrans("ijkn−", "ᵢⱼₖₙ₋")
_MARKS = ("", "\u0307", "\u0308")


class TerminalScript(Script, Unicode):
    half = "½"

    def letter(self, x: Letter) -> str:
        body = GREEK.get(x.letter, x.letter) + _MARKS[x.dots]
        return x.before.translate(_RAISED) + body + x.below.translate(_LOWERED) + x.above.translate(_RAISED)

    def call(self, op: str, args: Sequence[str]) -> str:
        return f"√({args[0]})" if op == "sqrt" else super().call(op, args)


_TEX = {
    "×": r" \times ",
    "−": "-",
    "·": r" \cdot ",
    "∂": r"\partial ",
    "Σ": r"\sum ",
    "½": r"\tfrac{1}{2}",
    "ᵀ": r"^{\mathsf T}",
    "≠": r" \ne ",
    "≤": r" \le ",
    "→": r" \to ",
    "…": r" \dots ",
    "±": r" \pm ",
    "²": "^{2}",
    "√": r"\surd ",
    "⇒": r" \;\Rightarrow\; ",
}
_TEX_DOTS = ("{}", r"\dot{{{}}}", r"\ddot{{{}}}")
_TEX_WORDS = str.maketrans(
    {c: rf"\{c}" for c in "_&%#$"} | {"±": r"$\pm$", "≤": r"$\le$", "≠": r"$\ne$", "√": r"$\surd$", "−": "$-$"}
)


class LatexScript(Script, Latex):
    plus_minus, minus_plus, half, operators = r"\pm ", r"\mp ", r"\frac{1}{2}", _TEX

    def letter(self, x: Letter) -> str:
        greek = "\\" + x.letter if x.letter in GREEK else ""
        body = greek or self.operators.get(x.letter) or (x.letter if len(x.letter) == 1 else rf"\mathrm{{{x.letter}}}")
        below = f"_{{{x.below.replace('−', '-')}}}" if x.below else ""
        above = rf"^{{{x.above.replace('T', chr(92) + 'mathsf T')}}}" if x.above else ""
        before = f"{{}}^{{{x.before}}}" if x.before else ""
        return before + _TEX_DOTS[x.dots].format(body) + below + above

    def word(self, run: str) -> str:
        return rf"\{run} " if run in FUNCTIONS else run

    def over(self, top: str, bottom: str) -> str:
        return rf"\frac{{{top}}}{{{bottom}}}"

    def grid(self, rows: Sequence[Sequence[str]]) -> str:
        return self.matrix(rows)

    def prose(self, text: str) -> str:
        return text.replace("−", "$-$")  # no formula has this minus

    def words(self, text: str) -> str:
        return text.translate(_TEX_WORDS)

    def inline(self, text: str) -> str:
        return f"${text}$"


_TYPST_SIGNS = {"Σ": "sum ", "½": "1/2 ", "ᵀ": '^(upright("T"))', "·": " dot ", "²": "^2 ", "∂": " partial "}
_TYPST_DOTS = ("{}", "dot({})", "dot.double({})")


class TypstScript(Script, Typst):
    plus_minus, minus_plus, half, operators = "plus.minus ", "minus.plus ", "1/2", _TYPST_SIGNS

    def letter(self, x: Letter) -> str:
        sign = self.operators.get(x.letter, "").strip()
        plain = x.letter in GREEK or len(x.letter) == 1
        body = _TYPST_DOTS[x.dots].format(sign or (x.letter if plain else f'upright("{x.letter}")'))
        below, above = (part if part.isdigit() or not part else f'italic("{part}")' for part in (x.below, x.above))
        if x.before:
            return f" attach({body}, tl: {x.before}{f', b: {below}' if below else ''})"
        # letters that touch would be one name of Typst's
        return f" {body}" + (f"_({below})" if below else "") + (f"^({above})" if above else "") + " "

    def word(self, run: str) -> str:
        return f" {run} " if run in FUNCTIONS else f" {' '.join(run)} "

    def over(self, top: str, bottom: str) -> str:
        return f"frac({top}, {bottom})"

    def grid(self, rows: Sequence[Sequence[str]]) -> str:
        return self.matrix(rows)

    def words(self, text: str) -> str:
        return "".join(rf"\{c}" if c in r"\#$*_`<>@[]~=+-/" else c for c in text)

    def inline(self, text: str) -> str:
        return f"${text.strip()}$"  # with a blank inside it would be a display


# MathML, which browsers set by themselves: no script and nothing loaded.

_HTML_DOTS = ("", "˙", "¨")
_COMMA = "<mo>,</mo>"
_THIN = '<mspace width="0.17em"/>'


def _tag(name: str, inside: str, more: str = "") -> str:
    return f"<{name}{more}>{inside}</{name}>"


def _indices(text: str) -> str:
    """Digits and letters apart: an index of both is set letter by letter."""
    kind = "mn" if text.isdigit() else "mi" if len(text) == 1 else "mtext"
    return _tag(kind, escape(text))


class MathML(Setting):
    times, sign = "<mo>&#8290;</mo>", '<mo form="prefix">−</mo>'
    minus, plus = '<mo form="infix">−</mo>', '<mo form="infix">+</mo>'
    comma, gap = _COMMA, '<mspace width="1em"/>'

    def letter_with_index(self, letter: str, index: str, dots: int = 0) -> str:
        body = _tag("mi", escape(GREEK.get(letter, letter)))
        body = _tag("mover", body + _tag("mo", _HTML_DOTS[dots]), ' accent="true"') if dots else body
        return _tag("msub", body + _indices(index)) if index else body

    def index(self, text: str) -> str:
        return _indices(text)

    def number(self, value: Fraction) -> str:
        text = Printer().number(abs(value))
        top, _, bottom = text.partition("/")
        body = _tag("mfrac", _tag("mn", top) + _tag("mn", bottom)) if bottom else _tag("mn", text)
        return (self.sign if value < 0 else "") + body

    def degrees(self, value: Fraction) -> str:
        return self.number(value) + "<mo>°</mo>"

    def long_trig(self, op: str, inner: str) -> str:
        return _tag("mi", op) + "<mo>&#8289;</mo>" + self.bracket(inner)

    def call(self, op: str, args: Sequence[str]) -> str:
        if op == "sqrt":
            return _tag("msqrt", args[0])
        return _tag("mi", escape(op)) + "<mo>&#8289;</mo>" + self.bracket(self.comma.join(args))

    def power(self, base: str, exponent: int) -> str:
        if base.startswith("<msub>") and base.count("<msub>") == 1 and base.endswith("</msub>"):
            return _tag("msubsup", base[len("<msub>") : -len("</msub>")] + _tag("mn", str(exponent)))
        return _tag("msup", _tag("mrow", base) + _tag("mn", str(exponent)))

    def quotient(self, top: FormulaTree, bottom: FormulaTree) -> str:
        return _tag("mfrac", _tag("mrow", self.text(top)) + _tag("mrow", self.text(bottom)))

    def bracket(self, text: str) -> str:
        return _tag("mrow", f"<mo>(</mo>{text}<mo>)</mo>")

    def words_text(self, text: str) -> str:
        return _tag("mtext", escape(text))

    def matrix(self, rows: Sequence[Sequence[str]]) -> str:
        body = "".join(_tag("mtr", "".join(_tag("mtd", entry) for entry in row)) for row in rows)
        return _tag("mtable", body)  # the sheet draws its brackets: not every font has tall ones

    def align_rows(self, rows: Sequence[str]) -> str:
        return "".join(f"<div>{_tag('math', row.replace('&', ''))}</div>" for row in rows)


class PageScript(Script, MathML):
    plus_minus, minus_plus = "<mo>±</mo>", "<mo>∓</mo>"
    half = "<mfrac><mn>1</mn><mn>2</mn></mfrac>"

    def number(self, value: Fraction) -> str:
        if abs(value) == Fraction(1, 2):
            return (self.sign if value < 0 else "") + self.half
        shown = Fraction(f"{float(value):.{DIGITS}g}") if len(Printer().number(value)) > DIGITS + 3 else value
        return MathML.number(self, shown)

    def signs(self, text: str) -> str:
        """sin θ cos α: a thin gap where a function touches what is beside it without brackets."""
        if text.strip() not in FUNCTIONS:
            return super().signs(text)
        before, after = (_THIN if blank else "" for blank in (text.startswith(" "), text.endswith(" ")))
        return before + self.word(text.strip()) + after

    def word(self, run: str) -> str:
        return _tag("mi", run) + "<mo>&#8289;</mo>" if run in FUNCTIONS else "".join(_tag("mi", one) for one in run)

    def sign_text(self, run: str) -> str:
        marks = {"½": self.half, "ᵀ": "<mtext>ᵀ</mtext>", "²": "<mtext>²</mtext>", " ": ""}
        return "".join(marks[c] if c in marks else _tag("mn" if c.isdigit() else "mo", escape(c)) for c in run)

    def letter(self, x: Letter) -> str:
        body = self.letter_with_index(x.letter, "", x.dots) if x.letter != "Σ" else "<mo>Σ</mo>"
        if x.before:
            below = _indices(x.below) if x.below else "<mrow/>"
            return _tag("mmultiscripts", f"{body}{below}<mrow/><mprescripts/><mrow/>{_indices(x.before)}")
        if x.below and x.above:
            return _tag("msubsup", body + _indices(x.below) + _indices(x.above))
        if x.above:
            return _tag("msup", body + _indices(x.above))
        return _tag("msub", body + _indices(x.below)) if x.below else body

    def over(self, top: str, bottom: str) -> str:
        return _tag("mfrac", _tag("mrow", top) + _tag("mrow", bottom))

    def grid(self, rows: Sequence[Sequence[str]]) -> str:
        return self.matrix(rows)

    def words(self, text: str) -> str:
        return escape(text)

    def inline(self, text: str) -> str:
        """A list is as many formulas: a browser breaks a line between two, and never inside one."""
        return ", ".join(_tag("math", part) for part in _at_commas(text))


_TAG = re.compile(r"<(/?)\w+[^>]*?(/?)>")


def _at_commas(text: str) -> list[str]:
    """The parts between commas that stand in no element."""
    parts, start, depth = [], 0, 0
    for tag in _TAG.finditer(text):
        if not depth and text.startswith(_COMMA, tag.start()):
            parts.append(text[start : tag.start()])
            start = tag.start() + len(_COMMA)
        depth += 0 if tag[2] else -1 if tag[1] else 1
    return [*parts, text[start:]]


SCRIPTS: dict[str, type[Script]] = {
    "text": TerminalScript,
    "latex": LatexScript,
    "typst": TypstScript,
    "html": PageScript,
}


def script_of(style: str, taken: Sequence[str], aliases: Mapping[str, NameParts]) -> Script:
    return SCRIPTS[style](frozenset(taken), aliases)
