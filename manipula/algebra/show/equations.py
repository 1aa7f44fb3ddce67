"""Equations: a function as lines `left = right`, in one of three forms and four styles.

auxiliary   one operation a line, shared intermediates named: what is computed
factored    each output separately, with brackets, as short as the simplifier finds
expanded    each output separately, a sum of products
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from itertools import product as indices
from textwrap import wrap
from typing import Literal, get_args

from manipula.algebra.expr.function import Function
from manipula.algebra.expr.maths import topological
from manipula.algebra.show.choices import in_cases, simplify_choices, written_anew
from manipula.algebra.show.layout import COLUMNS, Line, auxiliary_lines, draw_lines, legend_lines
from manipula.algebra.show.paper import PAGES, Latex, Running, Setting, Typst, displays, legend_rows, typeset_rows
from manipula.algebra.show.printer import NameParts, Printer, Unicode, book_names, entry_names, trig_name
from manipula.algebra.simplify import Tell, expand_function, factor_function, silent
from manipula.algebra.simplify.tree import FormulaData, Symbol, Trig, data_from_tree, leaves, operations, terms_of
from manipula.errors import InputError, SizeError, UnknownNameError
from manipula.scalar import APART

Form = Literal["auxiliary", "factored", "expanded"]
Style = Literal["text", "unicode", "latex", "typst"]
_STYLES: dict[str, type[Printer]] = {"text": Printer, "unicode": Unicode, "latex": Latex, "typst": Typst}


BOOK_UNITS, PER = {"theta": "rad", "d": "m"}, ("", "/s", "/s²")
SHORT = 24  # lines that a prompt may show unasked


@dataclass(frozen=True, repr=False)
class Equations:
    """Prints itself in `style`; iterates over (left, right) texts; shows itself set in a notebook.

    An output with two axes is printed as a matrix where that is not too wide; iterated over, it is its entries.
    """

    form: str
    style: str
    lines: tuple[Line, ...]
    taken: frozenset[str] = field(default=frozenset(), repr=False)  # names of symbols, not to be used for sines
    aliases: Mapping[str, NameParts] = field(default_factory=dict)  # variables under another name: q1 is θ₁
    units: tuple[tuple[str, str], ...] = ()  # of inputs and outputs, printed at the end
    columns: tuple[str, ...] = ()  # of a regressor: the parameter each belongs to
    told: Callable[[str], str] = field(default=str, repr=False, compare=False)  # translates the words between formulas
    relation: str = ""  # how the outputs belong together; printed below, in text

    @property
    def operations(self) -> int:
        """Binary operators as written; leading signs are free."""
        return sum(operations(right) for _, right in self.lines)

    @property
    def where(self) -> tuple[Trig, ...]:
        """The sines and cosines written short, such as c23."""
        # a parameter called c1 keeps its name: the cosine is then written out
        short = [x for x in leaves(right for _, right in self.lines) if isinstance(x, Trig)]
        return tuple(x for x in short if trig_name(x) and trig_name(x) not in self.taken)

    def texts(self, style: str) -> list[tuple[str, str]]:
        """(left, right) of every line."""
        printer = self._printer(style)
        return [(printer.entry(*left), printer.text(right)) for left, right in self.lines]

    def summands(self, style: str) -> list[tuple[str, list[str]]]:
        """(left, right) of every line, the right side cut into its terms; joined they are that of `texts`."""
        printer = self._printer(style)
        return [(printer.entry(*left), printer.summands(right)) for left, right in self.lines]

    def terms(self) -> list[list[FormulaData]]:
        """The same terms as data, to be computed with: names are those of the inputs, whatever they are called here."""
        return [[data_from_tree(x) for x in terms_of(right)] for _, right in self.lines]

    def legend(self, style: str) -> list[tuple[str, str]]:
        """(c23, cos(q2 + q3)) …"""
        return self._legend(self._printer(style))

    def _legend(self, printer: Printer) -> list[tuple[str, str]]:
        return [(printer.trig(x), printer.long_trig(x.op, printer.angle(x.angle))) for x in self.where]

    def _printer(self, style: str) -> Printer:
        return _STYLES[style](self.taken, self.aliases)

    def as_dict(self) -> dict[str, object]:
        """The lines as texts in the style requested, and what its short names stand for."""
        pairs = [{"left": left, "right": right} for left, right in self.texts(self.style)]
        # in the auxiliary form every sine has a line of its own
        legend = {} if self.form == "auxiliary" else dict(self.legend(self.style))
        said = {"form": self.form, "style": self.style, "operations": self.operations}
        about = {"relation": self.relation} if self.relation else {}
        return {**said, "equations": pairs, "where": legend, "units": dict(self.units), **about}

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.texts(self.style))

    def __len__(self) -> int:
        return len(self.lines)

    def __str__(self) -> str:
        printer = self._printer(self.style)
        if isinstance(printer, Setting):
            return printer.align_rows(self._rows(printer))
        lines = draw_lines(self.lines, printer)
        lines += legend_lines([f"{short} = {long}" for short, long in self.legend(self.style)], self.told("with"))
        lines += legend_lines(self._columns(printer), self.told("columns"))
        lines += legend_lines(self._units(printer), self.told("in"))
        return "\n".join(lines + wrap(self.told(self.relation), COLUMNS))

    def _columns(self, printer: Printer) -> list[str]:
        """1: Lzz1_R, 2: mx1_R, …"""
        return [f"{number}: {printer.name(name)}" for number, name in enumerate(self.columns, 1)]

    def _units(self, printer: Printer) -> list[str]:
        """tau [N·m], …"""
        return [printer.name_with_unit(port, unit) for port, unit in self.units]

    def __repr__(self) -> str:
        """Itself, where that is short."""
        # counting operations is cheap; writing pages to find that they are too long is not
        few = len(self.lines) <= 2 * SHORT and self.operations <= 20 * SHORT  # else not even tried
        text = str(self) if few else ""
        return text if text and text.count("\n") < SHORT and len(text) <= 80 * SHORT else self._summary_text()

    def _summary_text(self) -> str:
        every = dict.fromkeys(left for (left, index), _ in self.lines if index or self.form != "auxiliary")
        names = ", ".join([*every][:8]) + (", …" if len(every) > 8 else "")
        return f"<{len(self)} equations, {self.form}: {names}; {self.operations} operations; print(…) writes them out>"

    def latex(self) -> str:
        r"""An `aligned` block, for a display; matrices are `bmatrix`."""
        return str(replace(self, style="latex"))

    def typst(self) -> str:
        """The same as a display of Typst's."""
        return str(replace(self, style="typst"))

    @property
    def inline_rows(self) -> list[str]:
        """Every equation as a formula of Typst's among words, then its short names: for lines that must break."""
        printer = Running(self.taken, self.aliases)
        rows = [f"{printer.entry(*left)} = {printer.text(right)}" for left, right in self.lines]
        return rows + [f"{short} = {long}" for short, long in self._legend(printer)]

    def _rows(self, printer: Setting) -> list[str]:
        rows = typeset_rows(self.lines, printer)
        rows += legend_rows([f"{short} = {long}" for short, long in self._legend(printer)], self.told("with"), printer)
        rows += legend_rows(self._columns(printer), self.told("columns"), printer, each=8)
        return rows + legend_rows(self._units(printer), self.told("in"), printer)

    @property
    def _latex_rows(self) -> list[str]:
        return self._rows(Latex(self.taken, self.aliases))

    # Jupyter takes HTML before LaTeX: there is HTML only in place of formulas, where they would fill pages

    def _repr_latex_(self) -> str | None:
        rows = self._latex_rows
        return displays(rows) if sum(map(len, rows)) <= PAGES else None

    def _repr_html_(self) -> str | None:
        return None if sum(map(len, self._latex_rows)) <= PAGES else f"<p>{escape(self._summary_text())}</p>"


def equations(
    function: Function,
    form: str = "auxiliary",
    style: str = "text",
    plain: Function | None = None,
    *,
    letters: Sequence[str] = (),
    units: bool = False,
    tell: Tell = silent,
) -> Equations:
    """The function in print. `SizeError` where the form would be too long to be of use.

    `plain` computes the same by the formulas of a book: forms for people are written from it and proved equal.
    `letters` are those of q1, q2, … in a book, one each; `units` are printed at the end, on request. `tell`
    hears of every entry that is written.
    """
    if style not in _STYLES:
        raise UnknownNameError("style of equations", style, _STYLES)
    if form in _STYLES:
        raise InputError(
            "{form!r} is a style of equations, which comes after their form: equations('factored', {form!r})", form
        )
    if form not in get_args(Form):
        raise UnknownNameError("form of equations", form, get_args(Form))
    taken = entry_names(function).union(name for port in function.inputs for name in port.names)
    lines = auxiliary_lines(function) if form == "auxiliary" else _write_lines(function, form, plain or function, tell)
    shown = _told_apart(lines, function)
    lines = [((shown.get(name, name), index), right) for (name, index), right in lines]
    aliases = book_names(letters, taken)
    unit_list = _units(function, shown, aliases) if units else ()
    return Equations(form, style, tuple(lines), taken, aliases, unit_list, _columns(function))


def _columns(function: Function) -> tuple[str, ...]:
    """Of a regressor, whole: its columns are numbered in print, and belong to parameters."""
    names = function.provenance.columns
    return names if any(len(port.shape) > 1 and port.shape[-1] == len(names) for port in function.outputs) else ()


def _told_apart(lines: Sequence[Line], function: Function) -> dict[str, str]:
    """An output whose entry c2 is also what the user calls a length is out_c2; my1 = my1 says one thing and stays."""
    inputs = {name for port in function.inputs for name in port.names}
    alike = set()
    for (name, index), right in lines:
        # as it is printed: entry 2 of c is c2
        written = f"{name}{index[0] if len(index) == 1 else ''}"
        if written in inputs and not (isinstance(right, Symbol) and right.name == written):
            alike.add(name)
    return {name: f"out_{name}" for name in alike}


def _units(
    function: Function, shown: Mapping[str, str], aliases: Mapping[str, NameParts]
) -> tuple[tuple[str, str], ...]:
    """Of what goes out and what goes in, under the names they have here; parameters are in SI."""
    pairs = [(shown.get(port.name, port.name), port.unit) for port in function.outputs]
    for port in function.inputs:
        pairs += (_by_letters(port.names, aliases) or [(port.name, port.unit)]) if port.online else []
    return tuple((name, unit) for name, unit in pairs if unit not in ("", "1"))


def _by_letters(names: Sequence[str], aliases: Mapping[str, NameParts]) -> list[tuple[str, str]]:
    """theta [rad], d [m] in place of q [rad, joint 3: m], where every one of a port has such a name."""
    if not all(name in aliases for name in names):
        return []
    letters = dict.fromkeys((letter, dots) for letter, _, dots in map(aliases.__getitem__, names))
    return [(letter + "d" * dots, BOOK_UNITS[letter] + PER[dots]) for letter, dots in letters]


def _write_lines(function: Function, form: str, plain: Function, tell: Tell) -> list[Line]:
    if any(node.op == APART for node in topological(function.roots)):  # so long that it was proved in parts
        raise SizeError(
            "the {form} form of {name} would be endless; ask for the form 'auxiliary' instead", form, function.name
        )
    write = expand_function if form == "expanded" else factor_function
    written = written_anew(write(plain, function, tell), plain, write)
    return [
        ((output.name, index), simplify_choices(in_cases(tree)))
        for output in function.outputs
        for index, tree in zip(entries(output.shape), written[output.name], strict=True)
    ]


def entries(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Every index of an array, row-major, from 1."""
    return list(indices(*(range(1, size + 1) for size in shape)))
