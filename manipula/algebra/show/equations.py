"""Equations: a function as lines `left = right`, in one of three forms and three styles.

auxiliary   one operation a line, shared intermediates named: what is computed
factored    each output by itself, with brackets, as short as the simplifier finds
expanded    each output by itself, a sum of products
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from itertools import product as indices
from typing import Any, Literal, get_args

from manipula.algebra.expr.function import Function
from manipula.algebra.expr.walk import topological
from manipula.algebra.show.auxiliary import auxiliary_lines
from manipula.algebra.show.latex import Latex
from manipula.algebra.show.names import trig_name
from manipula.algebra.show.printer import Printer
from manipula.algebra.show.unicode import Unicode
from manipula.algebra.simplify import expanded, factored
from manipula.algebra.simplify.tree import Tree, Trig, leaves, operations
from manipula.errors import SizeError, UnknownNameError
from manipula.scalar import APART

Form = Literal["auxiliary", "factored", "expanded"]
Style = Literal["text", "unicode", "latex"]
Left = tuple[str, tuple[int, ...]]  # an output and the index of its entry, from 1; or a name and ()
_STYLES: dict[str, type[Printer]] = {"text": Printer, "unicode": Unicode, "latex": Latex}


@dataclass(frozen=True)
class Equations:
    """Prints itself in `style`; iterates over (left, right) texts; shows itself set in a notebook."""

    form: str
    style: str
    lines: tuple[tuple[Left, Tree], ...]
    taken: frozenset[str] = field(default=frozenset(), repr=False)  # names of symbols, not to be used for sines

    @property
    def operations(self) -> int:
        """Binary operators as written; leading signs are free."""
        return sum(operations(right) for _, right in self.lines)

    @property
    def where(self) -> tuple[Trig, ...]:
        """The sines and cosines written short, such as c23."""
        short = [x for x in leaves(right for _, right in self.lines) if isinstance(x, Trig)]
        return tuple(x for x in short if trig_name(x) and trig_name(x) not in self.taken)

    def texts(self, style: str) -> list[tuple[str, str]]:
        """(left, right) of every line."""
        printer = _STYLES[style](self.taken)
        return [(printer.entry(*left), printer.text(right)) for left, right in self.lines]

    def legend(self, style: str) -> list[tuple[str, str]]:
        """(c23, cos(q2 + q3)) …"""
        printer = _STYLES[style](self.taken)
        return [(printer.trig(x), printer.long_trig(x.op, printer.angle(x.angle))) for x in self.where]

    def as_dict(self) -> dict[str, Any]:
        """The lines as texts in the style asked for, and what its short names stand for."""
        pairs = [{"left": left, "right": right} for left, right in self.texts(self.style)]
        legend = {} if self.form == "auxiliary" else dict(self.legend(self.style))
        said = {"form": self.form, "style": self.style, "operations": self.operations}
        return {**said, "equations": pairs, "where": legend}

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return iter(self.texts(self.style))

    def __len__(self) -> int:
        return len(self.lines)

    def __str__(self) -> str:
        if self.style == "latex":
            return self.latex
        lines = [f"{left} = {right}" for left, right in self]
        legend = ", ".join(f"{short} = {long}" for short, long in self.legend(self.style))
        return "\n".join([*lines, *([f"with {legend}"] if legend else [])])

    @property
    def latex(self) -> str:
        r"""An `aligned` block, for a display."""
        rows = " \\\\\n".join(rf"{left} &= {right}" for left, right in self.texts("latex"))
        return "\\begin{aligned}\n" + rows + "\n\\end{aligned}"

    def _repr_latex_(self) -> str:
        return f"$$\n{self.latex}\n$$"

    def _repr_html_(self) -> str:
        """A table, readable where no LaTeX is at hand."""
        cells = [f"<td style='text-align:{side}'>{{}}</td>" for side in ("right", "left")]
        row = "<tr>" + "".join(cells) + "</tr>"
        rows = (row.format(escape(left), "= " + escape(right)) for left, right in self.texts("unicode"))
        return f"<table>{''.join(rows)}</table>"


def equations(function: Function, form: str = "auxiliary", style: str = "text") -> Equations:
    """The function in print. `SizeError` where the form would be too long to be of use."""
    if style not in _STYLES:
        raise UnknownNameError("style of equations", style, _STYLES)
    if form not in get_args(Form):
        raise UnknownNameError("form of equations", form, get_args(Form))
    taken = frozenset(name for port in function.inputs for name in port.names)
    lines = auxiliary_lines(function) if form == "auxiliary" else _written(function, form)
    return Equations(form, style, tuple(lines), taken)


def _written(function: Function, form: str) -> list[tuple[Left, Tree]]:
    if any(node.op == APART for node in topological(function.roots)):  # so long that it was proved in parts
        raise SizeError(f"the {form} form of {function.name} would be endless; ask for the form 'auxiliary' instead")
    written = (expanded if form == "expanded" else factored)(function)
    return [
        ((output.name, index), tree)
        for output in function.outputs
        for index, tree in zip(entries(output.shape), written[output.name], strict=True)
    ]


def entries(shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Every index of an array, row-major, from 1."""
    return list(indices(*(range(1, size + 1) for size in shape)))
