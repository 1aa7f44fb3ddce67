"""A report as Typst's text. Whatever a user wrote stands in strings, never as markup."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import resources
from itertools import groupby
from typing import Any

from manipula.algebra.show.paper import typst_string
from manipula.errors import InputError
from manipula.pages.report import Count, ReportFormula, Story, Table

LONGEST = 20_000  # signs of one model's formulas: some four pages
MOST_STEPS = 700  # auxiliary equations of one model: some four pages
TALL, BESIDE = 12, 4  # rows from which a table of two columns is laid out in so many parts side by side


def source_of(story: Story) -> str:
    """The whole document."""
    frame = resources.files(__package__).joinpath("frame.typ").read_text(encoding="utf-8")
    parts = {name: part(story) for name, part in PARTS.items() if name not in story.hidden}
    title = f"#set document(title: {typst_string(story.name)})\n"
    return frame + title + _head(story) + "\n".join(text for text in parts.values() if text) + _foot(story)


def _head(story: Story) -> str:
    words = f"#text(size: 22pt, weight: 600, {typst_string(story.name)})\n\n#{typst_string(story.about)}\n"
    words += "".join(f"\n#emph({typst_string(remark)})\n" for remark in story.remarks)
    if not story.picture or "arm" in story.hidden:
        return words
    image = f'image(bytes({typst_string(story.picture)}), format: "svg", width: 6.2cm)'
    return f"#grid(columns: (1fr, auto), gutter: 1em, align: (left + horizon, right), [{words}], {image})\n"


def _foot(story: Story) -> str:
    return f"\n#v(1em)\n#text(size: 8pt, fill: gray, {typst_string(f'Made by manipula {story.version}.')})\n"


def section(title: str, body: str) -> str:
    return f"#heading(level: 2, {typst_string(title)})\n{body}\n"


def table(found: Table, widths: str = "") -> str:
    """A table; `widths` of its columns, where one of them holds words that break."""
    title, heads, rows = found
    if len(heads) == 2 and len(rows) > TALL:
        each = -(-len(rows) // BESIDE)
        parts = [_table_call(("", heads, rows[i : i + each])) for i in range(0, len(rows), each)]
        head = f"#block(below: 0.5em, above: 1em, text(size: 9pt, emph({typst_string(title)})))\n"
        return f"{head}#grid(columns: {len(parts)}, gutter: 1em, {', '.join(parts)})\n"
    return f"#{_table_call(found, widths)}\n"


def _table_call(found: Table, widths: str = "") -> str:
    title, heads, rows = found
    cells = ", ".join(f"({', '.join(map(typst_string, row))},)" for row in rows)
    wide = f", widths: ({widths})" if widths else ""
    return f"told({typst_string(title)}, ({', '.join(map(typst_string, heads))},), ({cells},){wide})"


def tables(story: Story) -> str:
    return section("Table", "".join(map(table, story.tables))) if story.tables else ""


def equations(story: Story) -> str:
    return section("Equations", "\n".join(map(formula, story.formulas))) if story.formulas else ""


def formula(one: ReportFormula) -> str:
    """As a book has it; where a row is too wide for paper in lines that break; where it is too long in auxiliary
    equations, as it is computed."""
    head = f"#heading(level: 3, {typst_string(one.title)})\n"
    lines = len(one.auxiliary)
    if one.typst and len(one.typst) <= LONGEST:
        wide = "A row of these formulas is too wide for paper; the page in HTML shows it, code computes it."
        otherwise = _in_lines(one) or _in_steps(one) or f"#emph({typst_string(wide)})"
        return f"{head}#fitted([\n{one.typst}\n], otherwise: [{otherwise}])\n"
    long = f"The equations are {max(len(one.typst), lines):,} signs long: more than paper should hold."
    return f"{head}{_in_steps(one) or f'#emph({typst_string(one.why_not or long)})'}\n"


def _in_lines(one: ReportFormula) -> str:
    """Equation by equation, over as many lines as each takes."""
    return f"#in_lines({', '.join(f'${line}$' for line in one.running)})" if one.running else ""


def _in_steps(one: ReportFormula) -> str:
    """One operation a line; nothing where that would fill pages."""
    if not one.auxiliary or len(one.auxiliary) > MOST_STEPS:
        return ""
    return f"#in_steps({', '.join(f'${line}$' for line in one.auxiliary)})"


def inverse(story: Story) -> str:
    told = story.derivation_typst or (f"#emph({typst_string(story.no_derivation)})" if story.no_derivation else "")
    return section("Inverse kinematics", told) if told else ""


def steps(story: Story) -> str:
    return section("Step by step", "\n\n".join(typst for _, typst in story.steps)) if story.steps else ""


def counts(story: Story) -> str:
    """A bar for each method; published figures beside ours."""
    groups = [bars(model, list(rows)) for model, rows in groupby(story.counts, key=lambda row: row.model)]
    words = "Multiplications and additions of every method before optimisation, each proved equal to the others."
    return section("Operation counts", f"#{typst_string(words)}\n" + "".join(groups)) if groups else ""


def bars(model: str, rows: Sequence[Count]) -> str:
    most = max(row.total for row in rows) or 1
    cells = ", ".join(
        f"{typst_string(row.method + (f' ({row.source})' if row.source else ''))}, {typst_string(str(row.total))}, "
        f"bar({row.total / most:.4f}, {'false' if row.source else 'true'})"
        for row in rows
    )
    title = f"#heading(level: 3, {typst_string(model.replace('_', ' '))})\n"
    layout = "columns: (1fr, auto, 5.2cm), gutter: 0.5em, align: (left, right, left + horizon)"
    return f"{title}#text(size: 8.5pt, grid({layout}, {cells}))\n"


def check(story: Story) -> str:
    if not story.verdicts:
        return ""
    rows = [
        ("holds" if one.passed else "FAILS", one.how, one.name, f"{one.sentence} {one.detail}".strip())
        for one in story.verdicts
    ]
    return section("Laws checked", table(("", ("", "how", "law", "in words"), rows), "auto, auto, auto, 1fr"))


def base(story: Story) -> str:
    if story.base is None:
        return section("Base parameters", f"#emph({typst_string(story.no_base)})") if story.no_base else ""
    return section("Base parameters", table(story.base, "auto, 1fr, auto"))


PARTS: dict[str, Callable[[Story], str]] = {
    "table": tables,
    "equations": equations,
    "inverse": inverse,
    "steps": steps,
    "counts": counts,
    "check": check,
    "base": base,
}


# Typst's text into a PDF, by the wheel `typst`: no TeX, and nothing is fetched.


def compiler() -> Any:
    """The module; refused in a sentence where it is not installed."""
    try:
        import typst
    except ImportError:
        raise InputError('a PDF is set by Typst, which is not installed; pip install "manipula[pdf]"') from None
    return typst


def pdf_of(source: str) -> bytes:
    """The pages."""
    return bytes(compiler().compile(source.encode(), format="pdf"))
