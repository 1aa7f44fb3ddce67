"""A report of a robot: its content as plain data; its parts as HTML; the one file that holds them all."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from itertools import groupby

from manipula.pages.derivation import STYLE
from manipula.pages.page import built_file
from manipula.support.text import html_table

# The content of a report as plain data: the page is made without knowing robots.

Table = tuple[str, Sequence[str], Sequence[Sequence[str]]]  # title, heads, rows


@dataclass(frozen=True)
class ReportFormula:
    """A model's equations as LaTeX and as Typst, or why there are none."""

    title: str
    about: str
    latex: str = ""
    why_not: str = ""
    typst: str = ""
    running: Sequence[str] = ()  # equation by equation, in formulas of Typst that break where a row is too wide
    auxiliary: Sequence[str] = ()  # operation by operation, where there is no other form


@dataclass(frozen=True)
class Count:
    """Operations of one method; `source` names who published it, "" is ours."""

    model: str
    method: str
    total: int
    mul: int | None = None  # None where a source has the sum alone
    add: int | None = None
    trig: int | None = None
    source: str = ""


@dataclass(frozen=True)
class ReportVerdict:
    name: str
    sentence: str
    how: str
    passed: bool
    detail: str = ""


@dataclass(frozen=True)
class Story:
    """The whole of a report. A part that is None was left out, by wish or since it cannot be had."""

    name: str
    about: str
    drawing: dict[str, object]
    module: str = ""  # the robot's JavaScript, all models; paper does without
    picture: str = ""  # SVG, shown until the script runs and where it does not
    tables: Sequence[Table] = ()
    formulas: Sequence[ReportFormula] = ()
    derivation: str = ""  # of inverse kinematics, as HTML
    derivation_typst: str = ""
    no_derivation: str = ""
    steps: Sequence[tuple[str, str]] = ()  # derivations step by step: as HTML, as Typst
    counts: Sequence[Count] = ()
    verdicts: Sequence[ReportVerdict] = ()
    base: Table | None = None
    no_base: str = ""
    code: Sequence[tuple[str, str]] = ()  # name, text
    hidden: Sequence[str] = ()
    version: str = ""
    remarks: Sequence[str] = field(default=())


# The parts of a report as HTML. Whatever a user wrote is text, never markup.

FOLDED = 1500  # characters of LaTeX from which an equation waits behind a click
LONGEST = 60_000  # of LaTeX that a browser sets within a second or two
DIGITS = 7
LONG_NUMBER = re.compile(rf"-?(?=(?:\.?[0-9]){{{DIGITS + 2},}})[0-9]+\.[0-9]+")
LONG_CODE = 300_000  # characters of all files together


def arm(story: Story) -> str:
    return (
        f'<div class="stand"><div id="arm-view" class="arm">{story.picture}</div>'
        '<div id="controls" class="controls"><noscript>The arm moves where scripts may run.</noscript></div></div>'
    )


def table(story: Story) -> str:
    parts = [
        wide(html_table(heads, [list(map(short, row)) for row in rows], title)) for title, heads, rows in story.tables
    ]
    return "\n".join([*parts, *(f'<p class="note">{escape(remark)}</p>' for remark in story.remarks)])


def short(cell: str) -> str:
    """A number of the file in as many digits as can be read; computations take it from the file."""
    return f"{float(cell):.{DIGITS}g}" if LONG_NUMBER.fullmatch(cell) else cell


def equations(story: Story) -> str:
    return "\n".join(map(formula, story.formulas))


def formula(one: ReportFormula) -> str:
    """Short ones are open; of a very long one the page gives the length alone."""
    head = f"{escape(one.title)} <small>{escape(one.about)}</small>"
    if not one.latex or len(one.latex) > LONGEST:
        why = one.why_not or (
            f"The equations are {len(one.latex):,} characters long: more than a page can show. "
            "They can be had as code, or entry by entry from Python."
        )
        return f'<div class="formula"><h3>{head}</h3><p class="note">{escape(why)}</p></div>'
    opened = " open" if len(one.latex) <= FOLDED else ""
    block = f'<div class="tex" data-display="1" tabindex="0" role="group" aria-label="{escape(one.title)}">'
    return f"<details{opened}><summary>{head}</summary>{block}{escape(one.latex)}</div></details>"


def inverse(story: Story) -> str:
    branches = '<div id="branches"></div>'
    if not story.derivation:
        return f'{branches}<p class="note">{escape(story.no_derivation)}</p>'
    return f"{branches}<style>{STYLE}</style>{story.derivation}"


def steps(story: Story) -> str:
    """Derivations, each behind its title."""
    return f"<style>{STYLE}</style>" + "\n".join(html for html, _ in story.steps)


def counts(story: Story) -> str:
    """A bar for each method; published figures beside ours."""
    groups = [(model, list(rows)) for model, rows in groupby(story.counts, key=lambda row: row.model)]
    words = "Multiplications and additions of every method before optimisation, each proved equal to the others."
    return f"<p>{words}</p>" + "\n".join(bars(model, rows) for model, rows in groups)


def bars(model: str, rows: Sequence[Count]) -> str:
    most = max((row.total for row in rows), default=1) or 1
    return wide(
        f'<table class="bars"><caption>{escape(model.replace("_", " "))}</caption>'
        '<tr><th scope="col">method</th><th scope="col">mul</th><th scope="col">add</th><th scope="col">sin, cos</th>'
        f'<th scope="col">total</th></tr>{"".join(bar(row, most) for row in rows)}</table>'
    )


def bar(row: Count, most: int) -> str:
    share, kind = 100 * row.total / most, "theirs" if row.source else "ours"
    name = escape(row.method) + (f" <small>{escape(row.source)}</small>" if row.source else "")
    drawn = f'<span class="bar {kind}" style="width:{share:.1f}%"></span>'
    cells = "".join(f"<td>{'' if cell is None else cell}</td>" for cell in (row.mul, row.add, row.trig))
    return f'<tr><th scope="row">{name}</th>{cells}<td class="total">{drawn}<span>{row.total}</span></td></tr>'


def check(story: Story) -> str:
    rows = [(one.name, _word(one), f"{one.sentence} {one.detail}".strip()) for one in story.verdicts]
    laws = [one for one in story.verdicts if one.how != "noted"]
    failed = sum(not one.passed for one in laws)
    words = f"{failed} of {len(laws)} laws fail." if failed else f"All {len(laws)} laws hold for this robot."
    return f"<p>{words}</p>" + wide(html_table(("law", "found", "in words"), rows))


def _word(one: ReportVerdict) -> str:
    if one.how == "noted":
        return "a note"
    return f"holds, {one.how}" if one.passed else "FAILS"


def base(story: Story) -> str:
    if story.base is None:
        return f'<p class="note">{escape(story.no_base)}</p>'
    title, heads, rows = story.base
    return wide(html_table(heads, rows, title))


def motion(story: Story) -> str:
    return '<div id="motion-view"><noscript>The torques are computed where scripts may run.</noscript></div>'


def code(story: Story) -> str:
    """Files one below the other, as far as there is room for them."""
    parts, room = [], LONG_CODE
    for name, text in story.code:
        room -= len(text)
        if room < 0:
            parts.append(f'<p class="note">{escape(name)} is {len(text):,} characters long and is left out here.</p>')
            continue
        parts.append(
            f"<details><summary>{escape(name)} <small>{text.count(chr(10)) + 1:,} lines</small></summary>"
            f'<div class="file" data-name="{escape(name)}"><pre tabindex="0"><code>{escape(text)}</code></pre></div>'
            "</details>"
        )
    return "\n".join(parts)


def exercise(story: Story) -> str:
    return '<div id="exercise-view"><noscript>Answers are checked where scripts may run.</noscript></div>'


def wide(inside: str) -> str:
    return f'<div class="wide" tabindex="0" role="group" aria-label="table">{inside}</div>'


# name of a part → its heading, its HTML, is there something to tell?
PARTS: dict[str, tuple[str, Callable[[Story], str], Callable[[Story], bool]]] = {
    "arm": ("Arm", arm, lambda story: True),
    "table": ("Table", table, lambda story: bool(story.tables)),
    "equations": ("Equations", equations, lambda story: bool(story.formulas)),
    "inverse": ("Inverse kinematics", inverse, lambda story: True),
    "steps": ("Step by step", steps, lambda story: bool(story.steps)),
    "motion": ("Torques of a motion", motion, lambda story: True),
    "counts": ("Operation counts", counts, lambda story: bool(story.counts)),
    "check": ("Laws checked", check, lambda story: bool(story.verdicts)),
    "base": ("Base parameters", base, lambda story: True),
    "code": ("Code in C", code, lambda story: bool(story.code)),
    "exercise": ("Exercise", exercise, lambda story: bool(story.hidden)),
}
CHOSEN = tuple(name for name in PARTS if name != "exercise")  # what may be hidden


# The one file of a report: it asks nobody for anything, and a content security policy holds it to that.

# the script is named by its digest; the robot's module is imported from a blob of its text
POLICY = (
    "default-src 'none'; script-src 'sha256-{digest}' blob:; style-src 'unsafe-inline'; img-src data: blob:; "
    "font-src data:; base-uri 'none'; form-action 'none'"
)


def report_page(story: Story) -> str:
    """The whole HTML of a report."""
    script = built_file("report.js").read_text(encoding="utf-8").replace("</script", "<\\/script")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    shown = {
        name: (title, draw(story))
        for name, (title, draw, has) in PARTS.items()
        if name not in story.hidden and has(story)
    }
    data = {"name": story.name, "drawing": story.drawing, "hidden": list(story.hidden)}
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY.format(digest=digest))}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="icon" href="data:,">\n'
        f"<title>{escape(story.name)}</title>\n"
        f"<style>{built_file('report.css').read_text(encoding='utf-8')}</style>\n</head>\n<body>\n"
        f"{_head(story, {name: title for name, (title, _) in shown.items()})}\n<main>\n"
        + "\n".join(_section(name, title, body) for name, (title, body) in shown.items())
        + f"\n</main>\n<footer><p>Made by manipula {escape(story.version)}.</p></footer>\n"
        + _data("report", "application/json", json.dumps(data, allow_nan=False).replace("<", "\\u003c"))
        + _data("module", "text/plain", story.module.replace("</script", "<\\/script").replace("<!--", "<\\!--"))
        + f"<script>{script}</script>\n</body>\n</html>\n"
    )


def _head(story: Story, titles: dict[str, str]) -> str:
    links = " ".join(f'<a href="#{name}">{escape(title)}</a>' for name, title in titles.items())
    return (
        f"<header><h1>{escape(story.name)}</h1><p>{escape(story.about)}</p>"
        f'<nav aria-label="parts of this report">{links}</nav></header>'
    )


def _section(name: str, title: str, body: str) -> str:
    heading = f"part-{name}"
    return (
        f'<section id="{name}" aria-labelledby="{heading}"><h2 id="{heading}">{escape(title)}</h2>\n{body}\n</section>'
    )


def _data(name: str, kind: str, text: str) -> str:
    return f'<script type="{kind}" id="{name}-data">{text}</script>\n'
