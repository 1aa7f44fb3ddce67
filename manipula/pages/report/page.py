"""The one file of a report: it asks nobody for anything, and a content security policy holds it to that."""

from __future__ import annotations

import json
from base64 import b64encode
from hashlib import sha256
from html import escape

from manipula.pages.built import built
from manipula.pages.report.data import Story
from manipula.pages.report.parts import PARTS

# the script is named by its digest; the robot's module is imported from a blob of its text
POLICY = (
    "default-src 'none'; script-src 'sha256-{digest}' blob:; style-src 'unsafe-inline'; img-src data: blob:; "
    "font-src data:; base-uri 'none'; form-action 'none'"
)


def report_page(story: Story) -> str:
    """The whole HTML of a report."""
    script = built("report.js").read_text(encoding="utf-8").replace("</script", "<\\/script")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    shown = {
        name: (title, draw(story))
        for name, (title, draw, has) in PARTS.items()
        if name not in story.hidden and has(story)
    }
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY.format(digest=digest))}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="icon" href="data:,">\n'
        f"<title>{escape(story.name)}</title>\n"
        f"<style>{built('report.css').read_text(encoding='utf-8')}</style>\n</head>\n<body>\n"
        f"{_head(story, {name: title for name, (title, _) in shown.items()})}\n<main>\n"
        + "\n".join(_section(name, title, body) for name, (title, body) in shown.items())
        + f"\n</main>\n<footer><p>Made by manipula {escape(story.version)}.</p></footer>\n"
        + _data("report", "application/json", json.dumps(_handed(story), allow_nan=False).replace("<", "\\u003c"))
        + _data("module", "text/plain", story.module.replace("</script", "<\\/script").replace("<!--", "<\\!--"))
        + f"<script>{script}</script>\n</body>\n</html>\n"
    )


def _handed(story: Story) -> dict[str, object]:
    return {"name": story.name, "drawing": story.drawing, "hidden": list(story.hidden)}


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
