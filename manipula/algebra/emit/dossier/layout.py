"""How the pages of a dossier look: tables, matrices, lists of terms, the account of operations, C text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from manipula.algebra.emit.about import ports
from manipula.algebra.emit.c import comment_lines
from manipula.algebra.emit.c.prototypes import declared, prototype
from manipula.algebra.emit.c.spelling import HELPERS
from manipula.algebra.emit.dossier.equations import PREFIX, DossierEquations, plain
from manipula.algebra.emit.names import ascii_text
from manipula.algebra.emit.section import Statement
from manipula.algebra.emit.split import Argument
from manipula.algebra.emit.templates import filled

WIDE = 110


class Table(Protocol):
    """Rows of text under their headings."""

    @property
    def title(self) -> str: ...
    @property
    def columns(self) -> tuple[str, ...]: ...
    @property
    def rows(self) -> tuple[tuple[str, ...], ...]: ...


def table_lines(table: Table) -> tuple[str, list[str]]:
    """The title and the table lined up."""
    return table.title, grid([table.columns, *table.rows])


def grid(rows: Iterable[Sequence[str]]) -> list[str]:
    """Columns lined up."""
    plain_rows = [[ascii_text(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*plain_rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in plain_rows]


def report(parts: Iterable[tuple[str, Sequence[str]]]) -> list[str]:
    """Titles, each underlined, with what stands below them."""
    lines: list[str] = []
    for title, body in parts:
        title = ascii_text(title)
        lines += [title, "-" * len(title), *(body or ["none"]), ""]
    return lines


def matrices(model: DossierEquations, caption: Callable[[int], str] = lambda position: "T") -> list[str]:
    """Every 4×4 block of the one output: as a matrix when it fits the page, else entry by entry."""
    (output,) = model.arguments.outputs
    entries = [text.removesuffix(".0") for text in model.entries(output)]
    lines: list[str] = []
    for position in range(model.blocks):
        lines += [*_matrix(caption(position), entries[16 * position : 16 * position + 16]), ""]
    return lines[:-1]


def _matrix(caption: str, entries: Sequence[str]) -> list[str]:
    rows = grid([entries[i : i + 4] for i in range(0, 16, 4)])
    if max(map(len, rows)) <= WIDE:
        return [f"{caption} =", *(f"    {row}" for row in rows)]
    return [f"{caption}[{i // 4}][{i % 4}] = {text}" for i, text in enumerate(entries)]


def _entries(output: Argument, model: DossierEquations) -> list[str]:
    texts = model.entries(output)
    marks = ["".join(f"[{k}]" for k in output.entry(i)) for i in range(len(texts))]
    return [f"{output.name}{mark} = {text}" for mark, text in zip(marks, texts, strict=True)]


def terms(model: DossierEquations) -> list[tuple[str, list[str]]]:
    """One part a standard name, with its meaning."""
    parts = []
    for output in model.arguments.outputs:
        meaning = f": {output.port.doc}" if output.port.doc else ""
        parts.append((output.name + meaning, _entries(output, model)))
    return parts


def count_lines(model: DossierEquations) -> list[str]:
    """The account: on line, parameters alone, together (older literature counts them together)."""
    on, off = model.counts(online=True), model.counts(online=False)
    rows: list[tuple[str, ...]] = [("", "on line", "parameters alone", "together")]
    kinds = {"multiplications": ["mul"], "additions": ["add"], "subtractions": ["sub"], "divisions": ["div"]}
    kinds |= {"total": ["mul", "add", "sub", "div"], "sines and cosines": ["sin", "cos"]}
    for word, ops in kinds.items():
        here, before = (sum(half[op] for op in ops) for half in (on, off))
        rows.append((word, str(here), str(before), str(here + before)))
    return [*grid(rows), f"auxiliary equations: {model.auxiliary}"]


# C text


def c_function(title: Sequence[str], name: str, model: DossierEquations) -> str:
    """A whole function, ready for `cc -x c`."""
    used = {line.op for line in model.tape.lines}
    parts = [declared(x) for x in model.inputs] + [declared(x, const=False) for x in model.arguments.outputs]
    read = {arg for line in model.tape.lines for arg in line.args} | {s for p in model.tape.outputs for s in p.slots}
    context = {
        "about": comment_lines([*title, "", *ports(model.arguments)]),
        "helpers": [(f"{PREFIX}_{op}", HELPERS[op]) for op in HELPERS if op in used],
        "prototype": prototype(name, parts),
        "auxiliary": model.auxiliary,
        "unused": [x.name for x in model.inputs if read.isdisjoint(x.port.slots)],
        "loads": [c_line(x) for x in model.section.loads],
        "body": [c_line(x) for x in model.section.body],
        "stores": [plain(x) + ";" for x in model.section.stores],
    }
    return filled(__package__, "function.jinja", context)


def c_statements(title: Sequence[str], model: DossierEquations) -> str:
    """The auxiliary equations alone, to be read or included where the inputs are known by their names."""
    lines = [f" * {line}".rstrip() for line in comment_lines(title)]
    wanted = f" * They expect double D[{model.auxiliary + 1}] and the inputs under their names."
    return "\n".join(["/*", *lines, wanted, " */", *(c_line(x) for x in model.section.body)]) + "\n"


def c_line(statement: Statement) -> str:
    return f"{'' if statement.name.startswith('D[') else 'const double '}{plain(statement)};"
