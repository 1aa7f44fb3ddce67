"""A report of a robot: its content as plain data; its parts as HTML; the one file that holds them all."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from html import escape
from itertools import groupby

from manipula.messages import Message, in_language
from manipula.pages.derivation import STYLE, Derivation, same
from manipula.pages.page import LANGUAGE, built_file
from manipula.pages.steps import Told
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
    """The whole of a report. A part that is None was left out, by wish or since it cannot be had.

    Words are messages, and what a user wrote is a text: `told_story` puts the first alone into a language.
    """

    name: str
    about: str
    drawing: dict[str, object]
    module: str = ""  # the robot's JavaScript, all models; paper does without
    picture: str = ""  # SVG, shown until the script runs and where it does not
    tables: Sequence[Table] = ()
    given: Sequence[Table] = ()  # tables that an exercise states where they are hidden
    formulas: Sequence[ReportFormula] = ()
    inverse: Derivation | None = None
    no_inverse: str = ""
    steps: Sequence[Derivation] = ()
    counts: Sequence[Count] = ()
    verdicts: Sequence[ReportVerdict] = ()
    base: Table | None = None
    no_base: str = ""
    code: Sequence[tuple[str, str]] = ()  # name, text
    hidden: Sequence[str] = ()
    version: str = ""
    remarks: Sequence[str] = field(default=())


WORDS = ("about", "tables", "given", "formulas", "counts", "verdicts", "base", "no_base", "no_inverse", "remarks")


def told_story(story: Story, told: Told) -> Story:
    """The same with its messages in another language; derivations are translated where they are set."""
    return replace(story, **{name: in_language(getattr(story, name), told) for name in WORDS})


# The parts of a report as HTML. Whatever a user wrote is text, never markup.

FOLDED = 1500  # characters of LaTeX from which an equation waits behind a click
LONGEST = 60_000  # of LaTeX that a browser sets within a second or two
DIGITS = 7
LONG_NUMBER = re.compile(rf"-?(?=(?:\.?[0-9]){{{DIGITS + 2},}})[0-9]+\.[0-9]+")
LONG_CODE = 300_000  # characters of all files together


def arm(story: Story, told: Told) -> str:
    still = _noscript(told("The arm moves where scripts may run."))
    return (
        f'<div class="stand"><div id="arm-view" class="arm">{story.picture}</div>'
        f'<div id="controls" class="controls">{still}</div></div>'
    )


def _noscript(words: str) -> str:
    return f"<noscript>{escape(words)}</noscript>"


def _note(words: str) -> str:
    return f'<p class="note">{escape(words)}</p>'


def table(story: Story, told: Told) -> str:
    parts = [
        wide(html_table(heads, [list(map(short, row)) for row in rows], title), told)
        for title, heads, rows in story.tables
    ]
    return "\n".join([*parts, *map(_note, story.remarks)])


def short(cell: str) -> str:
    """A number of the file in as many digits as can be read; computations take it from the file."""
    return f"{float(cell):.{DIGITS}g}" if LONG_NUMBER.fullmatch(cell) else cell


def equations(story: Story, told: Told) -> str:
    return "\n".join(formula(one, told) for one in story.formulas)


def formula(one: ReportFormula, told: Told) -> str:
    """Short ones are open; of a very long one the page gives the length alone."""
    head = f"{escape(one.title)} <small>{escape(one.about)}</small>"
    if not one.latex or len(one.latex) > LONGEST:
        long = Message(
            "The equations are {count:,} characters long: more than a page can show. Generate code, or print them "
            "entry by entry in Python.",
            len(one.latex),
        )
        return f'<div class="formula"><h3>{head}</h3>{_note(one.why_not or told(long))}</div>'
    opened = " open" if len(one.latex) <= FOLDED else ""
    block = f'<div class="tex" data-display="1" tabindex="0" role="group" aria-label="{escape(one.title)}">'
    return f"<details{opened}><summary>{head}</summary>{block}{escape(one.latex)}</div></details>"


def inverse(story: Story, told: Told) -> str:
    branches = '<div id="branches"></div>'
    if story.inverse is None:
        return branches + _note(story.no_inverse)
    return f"{branches}<style>{STYLE}</style>{story.inverse.html(told, 3)}"


def steps(story: Story, told: Told) -> str:
    """Derivations, each behind its title."""
    return f"<style>{STYLE}</style>" + "\n".join(one.html(told, 3) for one in story.steps)


COUNTED = Message("Multiplications and additions of every method before optimisation, each proved equal to the others.")


def counts(story: Story, told: Told) -> str:
    """A bar for each method; published figures beside ours."""
    return f"<p>{escape(told(COUNTED))}</p>" + "\n".join(bars(*group, told) for group in counts_by_model(story))


def counts_by_model(story: Story) -> list[tuple[str, list[Count]]]:
    return [(model, list(rows)) for model, rows in groupby(story.counts, key=lambda row: row.model)]


def bars(model: str, rows: Sequence[Count], told: Told) -> str:
    most = max((row.total for row in rows), default=1) or 1
    columns = ("method", "mul", "add", "sin, cos", "total")
    heads = "".join(f'<th scope="col">{escape(told(head))}</th>' for head in columns)
    return wide(
        f'<table class="bars"><caption>{escape(model)}</caption><tr>{heads}</tr>'
        f"{''.join(bar(row, most) for row in rows)}</table>",
        told,
    )


def bar(row: Count, most: int) -> str:
    share, kind = 100 * row.total / most, "theirs" if row.source else "ours"
    name = escape(row.method) + (f" <small>{escape(row.source)}</small>" if row.source else "")
    drawn = f'<span class="bar {kind}" style="width:{share:.1f}%"></span>'
    cells = "".join(f"<td>{'' if cell is None else cell}</td>" for cell in (row.mul, row.add, row.trig))
    return f'<tr><th scope="row">{name}</th>{cells}<td class="total">{drawn}<span>{row.total}</span></td></tr>'


def check(story: Story, told: Told) -> str:
    rows = [(one.name, told(word_of(one)), f"{one.sentence} {one.detail}".strip()) for one in story.verdicts]
    laws = [one for one in story.verdicts if one.how != "noted"]
    failed = sum(not one.passed for one in laws)
    words = Message("All {count} laws hold for this robot.", len(laws))
    if failed:
        words = Message("{failed} of {count} laws fail.", failed, len(laws))
    heads = [told(head) for head in ("law", "found", "in words")]
    return f"<p>{escape(told(words))}</p>" + wide(html_table(heads, rows), told)


def word_of(one: ReportVerdict) -> str:
    if one.how == "noted":
        return Message("a note")
    return Message("holds, {how}", Message(one.how)) if one.passed else Message("FAILS")


def base(story: Story, told: Told) -> str:
    if story.base is None:
        return _note(story.no_base)
    title, heads, rows = story.base
    return wide(html_table(heads, rows, title), told)


def motion(story: Story, told: Told) -> str:
    return f'<div id="motion-view">{_noscript(told("The torques are computed where scripts may run."))}</div>'


def code(story: Story, told: Told) -> str:
    """Files one below the other, as far as there is room for them."""
    parts, room = [], LONG_CODE
    for name, text in story.code:
        room -= len(text)
        if room < 0:
            left_out = Message("{name} is {count:,} characters long and is left out here.", name, len(text))
            parts.append(_note(told(left_out)))
            continue
        lines = Message("{count:,} lines", text.count("\n") + 1)
        parts.append(
            f"<details><summary>{escape(name)} <small>{escape(told(lines))}</small></summary>"
            f'<div class="file" data-name="{escape(name)}"><pre tabindex="0"><code>{escape(text)}</code></pre></div>'
            "</details>"
        )
    return "\n".join(parts)


def exercise(story: Story, told: Told) -> str:
    """The questions; what they need of a table that is hidden stands above them."""
    given = table(replace(story, tables=story.given, remarks=()), told)
    return f'{given}<div id="exercise-view">{_noscript(told("Answers are checked where scripts may run."))}</div>'


def wide(inside: str, told: Told) -> str:
    return f'<div class="wide" tabindex="0" role="group" aria-label="{escape(told("table"))}">{inside}</div>'


ASKED = {"equations", "inverse", "motion"}  # what an exercise asks for, if it is hidden
# name of a part → its heading, its HTML, is there something to tell?
PARTS: dict[str, tuple[Message, Callable[[Story, Told], str], Callable[[Story], bool]]] = {
    "arm": (Message("Arm"), arm, lambda story: True),
    "table": (Message("Table"), table, lambda story: bool(story.tables)),
    "equations": (Message("Equations"), equations, lambda story: bool(story.formulas)),
    "inverse": (Message("Inverse kinematics"), inverse, lambda story: True),
    "steps": (Message("Step by step"), steps, lambda story: bool(story.steps)),
    "motion": (Message("Torques of a motion"), motion, lambda story: True),
    "counts": (Message("Operation counts"), counts, lambda story: bool(story.counts)),
    "check": (Message("Laws checked"), check, lambda story: bool(story.verdicts)),
    "base": (Message("Base parameters"), base, lambda story: True),
    "code": (Message("Code in C"), code, lambda story: bool(story.code)),
    "exercise": (Message("Exercise"), exercise, lambda story: bool(ASKED & set(story.hidden))),
}
CHOSEN = tuple(name for name in PARTS if name != "exercise")  # what may be hidden
MADE_BY = "Made by manipula {version}."


# The one file of a report: it asks nobody for anything, and a content security policy holds it to that.

# the script is named by its digest; the robot's module is imported from a blob of its text
POLICY = (
    "default-src 'none'; script-src 'sha256-{digest}' blob:; style-src 'unsafe-inline'; img-src data: blob:; "
    "font-src data:; base-uri 'none'; form-action 'none'"
)


def report_page(story: Story, told: Told = same) -> str:
    """The whole HTML of a report."""
    story = told_story(story, told)
    script = built_file("report.js").read_text(encoding="utf-8").replace("</script", "<\\/script")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    shown = {
        name: (told(title), draw(story, told))
        for name, (title, draw, has) in PARTS.items()
        if name not in story.hidden and has(story)
    }
    data = {"name": story.name, "drawing": story.drawing, "hidden": list(story.hidden)}
    made_by = told(Message(MADE_BY, story.version))
    return (
        f'<!doctype html>\n<html lang="{escape(told(LANGUAGE))}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY.format(digest=digest))}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="icon" href="data:,">\n'
        f"<title>{escape(story.name)}</title>\n"
        f"<style>{built_file('report.css').read_text(encoding='utf-8')}</style>\n</head>\n<body>\n"
        f"{_head(story, {name: title for name, (title, _) in shown.items()}, told)}\n<main>\n"
        + "\n".join(_section(name, title, body) for name, (title, body) in shown.items())
        + f"\n</main>\n<footer><p>{escape(made_by)}</p></footer>\n"
        + _data("report", "application/json", json.dumps(data, allow_nan=False).replace("<", "\\u003c"))
        + _data("module", "text/plain", story.module.replace("</script", "<\\/script").replace("<!--", "<\\!--"))
        + f"<script>{script}</script>\n</body>\n</html>\n"
    )


def _head(story: Story, titles: dict[str, str], told: Told) -> str:
    links = " ".join(f'<a href="#{name}">{escape(title)}</a>' for name, title in titles.items())
    return (
        f"<header><h1>{escape(story.name)}</h1><p>{escape(story.about)}</p>"
        f'<nav aria-label="{escape(told("parts of this report"))}">{links}</nav></header>'
    )


def _section(name: str, title: str, body: str) -> str:
    heading = f"part-{name}"
    return (
        f'<section id="{name}" aria-labelledby="{heading}"><h2 id="{heading}">{escape(title)}</h2>\n{body}\n</section>'
    )


def _data(name: str, kind: str, text: str) -> str:
    return f'<script type="{kind}" id="{name}-data">{text}</script>\n'
