"""A report as Typst's text. Whatever a user wrote stands in strings, never as markup."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import resources
from typing import Any

from manipula.algebra.show.paper import typst_string
from manipula.errors import InputError
from manipula.messages import Message
from manipula.pages import report
from manipula.pages.derivation import same
from manipula.pages.page import LANGUAGE
from manipula.pages.report import Count, ReportFormula, Story, Table
from manipula.pages.steps import Told

LONGEST = 20_000  # signs of one model's formulas: some four pages
MOST_STEPS = 700  # auxiliary equations of one model: some four pages
TOO_WIDE = Message("A row of these formulas is too wide for paper. The HTML page shows it; generated code computes it.")
TALL, BESIDE = 12, 4  # rows from which a table of two columns is laid out in so many parts side by side


def source_of(story: Story, told: Told = same) -> str:
    """The whole document."""
    story = report.told_story(story, told)
    frame = resources.files(__package__).joinpath("frame.typ").read_text(encoding="utf-8")
    parts = {name: part(story, told) for name, part in PARTS.items() if name not in story.hidden}
    title = f"#set document(title: {typst_string(story.name)})\n#set text(lang: {typst_string(told(LANGUAGE))})\n"
    sections = (_section(name, body, told) for name, body in parts.items() if body)
    return frame + title + _head(story) + "\n".join(sections) + _foot(story, told)


def _head(story: Story) -> str:
    words = f"#text(size: 22pt, weight: 600, {typst_string(story.name)})\n\n#{typst_string(story.about)}\n"
    words += "".join(f"\n#emph({typst_string(remark)})\n" for remark in story.remarks)
    if not story.picture or "arm" in story.hidden:
        return words
    image = f'image(bytes({typst_string(story.picture)}), format: "svg", width: 6.2cm)'
    return f"#grid(columns: (1fr, auto), gutter: 1em, align: (left + horizon, right), [{words}], {image})\n"


def _foot(story: Story, told: Told) -> str:
    made_by = told(Message(report.MADE_BY, story.version))
    return f"\n#v(1em)\n#text(size: 8pt, fill: gray, {typst_string(made_by)})\n"


def _section(name: str, body: str, told: Told) -> str:
    return f"#heading(level: 2, {typst_string(told(report.PARTS[name][0]))})\n{body}\n"


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


def tables(story: Story, told: Told) -> str:
    return "".join(map(table, story.tables))


def equations(story: Story, told: Told) -> str:
    return "\n".join(formula(one, told) for one in story.formulas)


def formula(one: ReportFormula, told: Told) -> str:
    """As a book has it; where a row is too wide for paper in lines that break; where it is too long in auxiliary
    equations, as it is computed."""
    head = f"#heading(level: 3, {typst_string(one.title)})\n"
    lines = len(one.auxiliary)
    if one.typst and len(one.typst) <= LONGEST:
        wide = told(TOO_WIDE)
        otherwise = _in_lines(one) or _in_steps(one) or f"#emph({typst_string(wide)})"
        return f"{head}#fitted([\n{one.typst}\n], otherwise: [{otherwise}])\n"
    long = Message(
        "The equations are {count:,} characters long: more than paper should hold.", max(len(one.typst), lines)
    )
    return f"{head}{_in_steps(one) or f'#emph({typst_string(one.why_not or told(long))})'}\n"


def _in_lines(one: ReportFormula) -> str:
    """Equation by equation, over as many lines as each takes."""
    return f"#in_lines({', '.join(f'${line}$' for line in one.running)})" if one.running else ""


def _in_steps(one: ReportFormula) -> str:
    """One operation a line; nothing where that would fill pages."""
    if not one.auxiliary or len(one.auxiliary) > MOST_STEPS:
        return ""
    return f"#in_steps({', '.join(f'${line}$' for line in one.auxiliary)})"


def inverse(story: Story, told: Told) -> str:
    if story.inverse is not None:
        return story.inverse.typst(told, 3)
    return f"#emph({typst_string(story.no_inverse)})" if story.no_inverse else ""


def steps(story: Story, told: Told) -> str:
    return "\n\n".join(one.typst(told, 3) for one in story.steps)


def counts(story: Story, told: Told) -> str:
    """A bar for each method; published figures beside ours."""
    groups = "".join(bars(*group) for group in report.counts_by_model(story))
    return f"#{typst_string(told(report.COUNTED))}\n{groups}" if groups else ""


def bars(model: str, rows: Sequence[Count]) -> str:
    most = max(row.total for row in rows) or 1
    cells = ", ".join(
        f"{typst_string(row.method + (f' ({row.source})' if row.source else ''))}, {typst_string(str(row.total))}, "
        f"bar({row.total / most:.4f}, {'false' if row.source else 'true'})"
        for row in rows
    )
    title = f"#heading(level: 3, {typst_string(model)})\n"
    layout = "columns: (1fr, auto, 5.2cm), gutter: 0.5em, align: (left, right, left + horizon)"
    return f"{title}#text(size: 8.5pt, grid({layout}, {cells}))\n"


def check(story: Story, told: Told) -> str:
    rows = [(told(report.word_of(one)), one.name, f"{one.sentence} {one.detail}".strip()) for one in story.verdicts]
    heads = tuple(told(head) for head in ("found", "law", "in words"))
    return table(("", heads, rows), "auto, auto, 1fr") if rows else ""


def base(story: Story, told: Told) -> str:
    if story.base is None:
        return f"#emph({typst_string(story.no_base)})" if story.no_base else ""
    return table(story.base, "auto, 1fr, auto")


PARTS: dict[str, Callable[[Story, Told], str]] = {
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


FINE = 288  # dots an inch of a PNG: four for a point


def picture_bytes(svg: str, kind: str, size: tuple[float, float]) -> bytes:
    """An SVG of so many points as a PDF or a PNG of its size."""
    width, height = (f"{x:g}pt" for x in size)
    page = f"#set page(width: {width}, height: {height}, margin: 0pt, fill: none)\n"
    source = f'{page}#image(bytes({typst_string(svg)}), format: "svg", width: {width}, height: {height})\n'
    return bytes(compiler().compile(source.encode(), format=kind, ppi=FINE))
