"""Forms for paper: the mathematics of LaTeX and of Typst, words, matrices, rows of equations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from manipula.algebra.show.layout import Line, Matrix, blocks, entry_texts, width
from manipula.algebra.show.printer import GREEK, Printer
from manipula.algebra.simplify.tree import MINUS, FormulaProduct, FormulaTree, Sum, product_of
from manipula.scalar import OPS
from manipula.support.text import decimal, tiny_power

# What a style for paper says beside trees: words, matrices and rows of equations, aligned at their `&`.


class Setting(Printer):
    """The base of LaTeX and Typst."""

    gap = ""  # a wide space
    comma = ", "  # between two formulas of a row

    def name(self, text: str) -> str:
        return self._with_places(text, ())

    def letter_with_index(self, letter: str, index: str, dots: int = 0) -> str:
        raise NotImplementedError

    def index(self, text: str) -> str:
        """What is below a letter; nothing below it where it is missing."""
        raise NotImplementedError

    def short_trig(self, text: str) -> str:
        return self.name(text)

    def entry(self, name: str, index: Sequence[int]) -> str:
        return self._with_places(name, [str(place) for place in index])

    def elsewhere(self, name: str, index: Sequence[int]) -> str:
        return self._with_places(name, [*map(str, index), "i", "j"])

    def _with_places(self, name: str, places: Sequence[str]) -> str:
        # the index of a name and that of an entry stand below together: A₂ entry 1,3 is A_{2,1,3}
        letter, own, dots = self.parts(name)
        return self.letter_with_index(letter, ",".join([own, *places] if own else places), dots)

    def words_text(self, text: str) -> str:
        """Words among formulas."""
        raise NotImplementedError

    def matrix(self, rows: Sequence[Sequence[str]]) -> str:
        raise NotImplementedError

    def align_rows(self, rows: Sequence[str]) -> str:
        """Rows `left &= right` as one block."""
        raise NotImplementedError


# LaTeX: c_{23}, \ddot{q}_{1}, I_{xx2}

_DOTS = ("{}", r"\dot{{{}}}", r"\ddot{{{}}}")


class Latex(Setting):
    times, gap, comma = r"\,", r"\quad ", r",\quad "

    def letter_with_index(self, letter: str, index: str, dots: int = 0) -> str:
        if letter in GREEK:
            letter = "\\" + letter
        elif len(letter) > 1:
            # several letters in italics would read as a product
            letter = r"\mathrm{" + letter.replace("_", r"\_") + "}"
        return _DOTS[dots].format(letter) + self.index(index)

    def index(self, text: str) -> str:
        return f"_{{{text}}}" if text else ""

    def number(self, value: Fraction) -> str:
        sign, power = "-" if value < 0 else "", tiny_power(value)
        if power:
            return f"10^{{-{power}}}"
        return decimal(value) or rf"{sign}\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"

    def degrees(self, value: Fraction) -> str:
        return self.number(value) + r"^{\circ}"

    def long_trig(self, op: str, inner: str) -> str:
        return rf"\{op}{self.bracket(inner)}"

    def call(self, op: str, args: Sequence[str]) -> str:
        match op:
            case "sqrt":
                return rf"\sqrt{{{args[0]}}}"
            case "abs":
                return rf"\left|{args[0]}\right|"
            case "less":
                return self.bracket(f"{args[0]} < {args[1]}")
            case "select":
                return rf"\begin{{cases}} {args[1]} & {args[0]} \\ {args[2]} & \text{{else}} \end{{cases}}"
            case "pow":
                return rf"{{{self.bracket(args[0])}}}^{{{args[1]}}}"
            case "sign":
                return r"\operatorname{sign}" + self.bracket(args[0])
        return OPS[op].words.get("latex", rf"\operatorname{{{op}}}") + self.bracket(", ".join(args))

    def power(self, base: str, exponent: int) -> str:
        return f"{base}^{{{exponent}}}"

    def quotient(self, top: FormulaTree, bottom: FormulaTree) -> str:
        return rf"\frac{{{self.text(top)}}}{{{self.text(bottom)}}}"

    def bracket(self, text: str) -> str:
        return rf"\left({text}\right)"

    def remark(self, text: str, words: str) -> str:
        return rf"{text} \text{{ {words}}}"

    def name_with_unit(self, port: str, unit: str) -> str:
        return rf"{self.name(port)}\ [\text{{{unit}}}]"

    def words_text(self, text: str) -> str:
        return rf"\text{{{text}}}"

    def matrix(self, rows: Sequence[Sequence[str]]) -> str:
        entries = " \\\\\n".join(" & ".join(row) for row in rows)
        return f"\\begin{{bmatrix}}\n{entries}\n\\end{{bmatrix}}"

    def align_rows(self, rows: Sequence[str]) -> str:
        return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"


# Typst's mathematics: c_(23), dot.double(q)_(1), I_(italic("xx2")); https://typst.app/docs/reference/math/
#
# A word of several letters would be a variable of Typst's there, and a comma a new argument: what is no letter and no
# number is quoted.

_TYPST_DOTS = ("{}", "dot({})", "dot.double({})")
_KNOWN = {
    "sin": "sin",
    "cos": "cos",
    "tan": "tan",
    "exp": "exp",
    "log": "ln",
    "tanh": "tanh",
    "min": "min",
    "max": "max",
}


def typst_string(text: str) -> str:
    """A string of Typst's, whatever is in it."""
    clean = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{clean}"'


class Typst(Setting):
    times, gap, comma = " thin ", "quad ", ", quad "

    def letter_with_index(self, letter: str, index: str, dots: int = 0) -> str:
        known = letter in GREEK or (len(letter) == 1 and letter.isascii() and letter.isalpha())
        return _TYPST_DOTS[dots].format(letter if known else typst_string(letter)) + self.index(index)

    def index(self, text: str) -> str:
        if not text:
            return ""
        return f"_({text})" if text.isascii() and text.isdigit() else f"_(italic({typst_string(text)}))"

    def number(self, value: Fraction) -> str:
        sign, power = "-" if value < 0 else "", tiny_power(value)
        if power:
            return f"10^(-{power})"
        return decimal(value) or f"{sign}frac({abs(value.numerator)}, {value.denominator})"

    def degrees(self, value: Fraction) -> str:
        return f"{self.number(value)}°"

    def long_trig(self, op: str, inner: str) -> str:
        return f"{op}({inner})"

    def call(self, op: str, args: Sequence[str]) -> str:
        match op:
            case "sqrt" | "abs" | "floor":
                return f"{op}({args[0]})"
            case "less":
                return self.bracket(f"{args[0]} < {args[1]}")
            case "select":
                return f'cases({args[1]} & {args[0]}, {args[2]} & "else")'
            case "pow":
                return f"{self.bracket(args[0])}^({args[1]})"
        # a bare comma would begin a new argument of Typst's function
        listed = " comma ".join(args)
        return f"{_KNOWN[op]}({listed})" if op in _KNOWN else f'op("{OPS[op].name}") ({listed})'

    def power(self, base: str, exponent: int) -> str:
        return f"{base}^({exponent})"

    def quotient(self, top: FormulaTree, bottom: FormulaTree) -> str:
        return f"frac({self.text(top)}, {self.text(bottom)})"

    def remark(self, text: str, words: str) -> str:
        return f"{text} {self.words_text(' ' + words)}"

    def name_with_unit(self, port: str, unit: str) -> str:
        return f"{self.name(port)} {typst_string(f' [{unit}]')}"

    def words_text(self, text: str) -> str:
        return typst_string(text)

    def matrix(self, rows: Sequence[Sequence[str]]) -> str:
        return 'mat(delim: "[", ' + "; ".join(", ".join(row) for row in rows) + ")"

    def align_rows(self, rows: Sequence[str]) -> str:
        return "$ " + " \\\n  ".join(rows) + " $"


class Running(Typst):
    """For formulas among words, which break at the end of a line: never between brackets that belong together."""

    def bracket(self, text: str) -> str:
        return rf"\( {text} \)"


# Equations on paper: rows of an aligned block, matrices as matrices; displays of LaTeX that MathJax can hold.

WIDE = 110  # signs, written as plain text, that a page has room for
BUFFER = 4000  # signs of LaTeX in one display: MathJax gives up at 5 × 1024
PAGES = 40_000  # signs of LaTeX that are still to be read in a notebook


def typeset_rows(lines: Iterable[Line], printer: Setting) -> list[str]:
    """Rows `left &= right`; a sum too long for a page goes on in the next row."""
    plain = Printer(printer.taken, printer.aliases)
    rows: list[str] = []
    for block in blocks(lines):
        if not isinstance(block, Matrix):
            rows += _sum_rows(block, printer, plain)
        elif _fits(block, plain):
            entries = [[printer.text(tree) for _, tree in row] for row in block.rows]
            rows.append(f"{printer.entry(*block.left)} &= {printer.matrix(entries)}")
        else:
            rows += _entry_rows(block, printer, plain)
    return rows


def _fits(matrix: Matrix, plain: Printer) -> bool:
    columns = zip(*matrix.rows, strict=True)
    return sum(2 + max(width(plain.text(tree)) for _, tree in column) for column in columns) <= WIDE


def _entry_rows(matrix: Matrix, printer: Setting, plain: Printer) -> Iterator[str]:
    """Entry by entry, what is written already only named."""
    trees = {printer.entry(*left): (left, tree) for row in matrix.rows for left, tree in row}
    for left, right in entry_texts(matrix, printer):
        if left in trees and right == printer.text(trees[left][1]):
            yield from _sum_rows(trees[left], printer, plain)
        else:
            yield f"{left} &= {right}"


def _sum_rows(line: Line, printer: Setting, plain: Printer) -> list[str]:
    left, tree = line
    # LaTeX is measured by its plain text: commands and braces take no room on paper
    if width(plain.text(tree)) <= WIDE:
        return [f"{printer.entry(*left)} &= {printer.text(tree)}"]
    first, *more = (printer.sum_text(part) for part in sum_parts(tree, plain))
    lead = ("" if text.startswith("-") else "+ " for text in more)
    return [f"{printer.entry(*left)} &= {first}", *(f"&{printer.gap}{sign}{text}" for sign, text in zip(lead, more))]


def sum_parts(tree: FormulaTree, plain: Printer) -> list[list[FormulaTree]]:
    """The terms of a sum, row by row."""
    parts: list[list[FormulaTree]] = [[]]
    room = WIDE
    for term in _terms(tree):
        size = width(plain.text(term)) + 3
        if size > room and parts[-1]:
            parts.append([])
            room = WIDE
        parts[-1].append(term)
        room -= size
    return parts


def _terms(tree: FormulaTree) -> Sequence[FormulaTree]:
    """Of a sum, or of one with its sign before the brackets."""
    match tree:
        case Sum(terms):
            return terms
        case FormulaProduct((sign, Sum(terms))) if sign == MINUS:
            return [product_of([MINUS, term]) for term in terms]
    return (tree,)


def legend_rows(items: Sequence[str], word: str, printer: Setting, each: int = 4) -> list[str]:
    r"""&\text{with } c_{1} = \cos(q_1), …"""
    rows = [printer.comma.join(items[i : i + each]) for i in range(0, len(items), each)]
    lead, gap = f"&{printer.words_text(f'{word} ')} ", f"&{printer.gap}"
    return [(lead if i == 0 else gap) + row + ("," if i + 1 < len(rows) else "") for i, row in enumerate(rows)]


def displays(rows: Sequence[str]) -> str:
    """Displays one after another, each small enough for MathJax; a row that no display can hold says so."""
    pieces: list[list[str]] = [[]]
    for row in rows:
        row = row if len(row) < BUFFER else _too_long(row)
        # MathJax drops the whole display past its buffer, without a word
        if pieces[-1] and sum(map(len, pieces[-1])) + len(row) > BUFFER:
            pieces.append([])
        pieces[-1].append(row)
    return "\n".join(f"$$\n{Latex().align_rows(piece)}\n$$" for piece in pieces)


def _too_long(row: str) -> str:
    left, _, _ = row.partition("&=")
    return rf"{left}&= \text{{(a formula of {len(row)} signs, too long to be set: print it)}}"
