"""How the pages of a dossier look: tables, matrices, lists of terms, the account of operations, C text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from manipula.algebra.emit.about import fill_template, ports
from manipula.algebra.emit.c import comment_lines
from manipula.algebra.emit.c.spelling import HELPERS, declare_argument, language, prototype, results, sources
from manipula.algebra.emit.ports import Argument, Namer, Split, ascii_text, split
from manipula.algebra.emit.section import Section, SectionPlan, Statement, section
from manipula.algebra.tape import Tape

# A tape as numbered auxiliary equations D[1], D[2], … and the terms they lead to.

PREFIX = "aux"  # of the helper functions sign, min, max


class Numbered:
    """Inputs keep their names, sines and cosines too (c1, s23); the rest is counted: D[1], D[2], …"""

    def __init__(self, tape: Tape, reserved: set[str]) -> None:
        words = Namer(reserved).names(tape.names)
        plain = {slot for port in tape.inputs for slot in port.slots}
        trig = {line.slot for line in tape.lines if line.op in ("sin", "cos")}
        # a sine of something computed has no short name and is numbered like the rest
        known = {slot for slot in trig if not re.fullmatch(r"D\d+", tape.names[slot])}
        self.own = {slot: words[slot] for slot in plain | known}
        self.count = 0

    def name(self, slot: int) -> str:
        if slot in self.own:
            return self.own[slot]
        self.count += 1
        return f"D[{self.count}]"

    def anonymous(self, slot: int) -> bool:
        return slot not in self.own


@dataclass(frozen=True)
class DossierEquations:
    """A model as it is printed."""

    tape: Tape
    arguments: Split
    section: Section
    auxiliary: int  # how many D there are

    @property
    def inputs(self) -> tuple[Argument, ...]:
        return self.arguments.variables + self.arguments.parameters

    @property
    def blocks(self) -> int:
        """How many 4×4 matrices the outputs hold."""
        return sum(len(output.port.slots) for output in self.arguments.outputs) // 16

    def entries(self, output: Argument) -> list[str]:
        """The expressions of an output, flat."""
        at = {statement.name: statement.text for statement in self.section.stores}
        return [at[target] for target, _ in results([output])]

    def counts(self, online: bool) -> Counter[str]:
        """Lines by operation, in one half."""
        return Counter(line.op for line in (self.tape.online if online else self.tape.offline))

    def to_read(self) -> list[str]:
        """The auxiliary equations as plain lines."""
        return [plain(statement) for statement in self.section.body]


def plain(statement: Statement) -> str:
    return f"{statement.name} = {statement.text}"


def equations(tape: Tape) -> DossierEquations:
    """Both sections of the tape in one list."""
    c = language(PREFIX)
    arguments = split(tape, Namer({*c.reserved, "D"}))
    names = Numbered(tape, {*c.reserved, "D", *arguments.names})
    inputs = sources(arguments.variables + arguments.parameters)
    written = section(SectionPlan(inputs, tape.lines, results(arguments.outputs)), c.constants(tape), c, names)
    return DossierEquations(tape, arguments, written, names.count)


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
    """Titles, each underlined, with what is below them."""
    lines: list[str] = []
    for title, body in parts:
        title = ascii_text(title)
        lines += [title, "-" * len(title), *(body or ["none"]), ""]
    return lines


def matrices(model: DossierEquations, caption: Callable[[int], str] = lambda position: "T") -> list[str]:
    """Every 4×4 block of the one output: as a matrix when it fits the page, else entry by entry."""
    (output,) = model.arguments.outputs
    # a rotation matrix of 1.0 and 0.0 is hard to read
    entries = [text.removesuffix(".0") for text in model.entries(output)]
    lines: list[str] = []
    for position in range(model.blocks):
        lines += [*_matrix(caption(position), entries[16 * position : 16 * position + 16]), ""]
    return lines[:-1]


def _matrix(caption: str, entries: Sequence[str]) -> list[str]:
    rows = grid([entries[i : i + 4] for i in range(0, 16, 4)])
    # a matrix wider than the page would be broken by the printer, and unreadable
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
    parts = [declare_argument(x) for x in model.inputs] + [
        declare_argument(x, const=False) for x in model.arguments.outputs
    ]
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
    return fill_template(__package__, "function.jinja", context)


def c_statements(title: Sequence[str], model: DossierEquations) -> str:
    """The auxiliary equations alone, to be read or included where the inputs are known by their names."""
    lines = [f" * {line}".rstrip() for line in comment_lines(title)]
    # one more than there are: D is counted from 1
    wanted = f" * They expect double D[{model.auxiliary + 1}] and the inputs under their names."
    return "\n".join(["/*", *lines, wanted, " */", *(c_line(x) for x in model.section.body)]) + "\n"


def c_line(statement: Statement) -> str:
    return f"{'' if statement.name.startswith('D[') else 'const double '}{plain(statement)};"
