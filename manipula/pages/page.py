"""A page that stands alone: one HTML file with its pictures and tables inside; it asks nobody for anything."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from manipula.errors import ManipulaError
from manipula.messages import Message
from manipula.pages.charts import Chart
from manipula.support.text import html_table

LANGUAGE = Message("en")  # of a page; a catalogue has the tag of its own language there
PRINTED = 9  # columns that fit on paper; more are set smaller
STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 1000px; padding: 0 1rem; color: #222; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
table { border-collapse: collapse; } th, td { padding: .25rem .7rem; border-bottom: 1px solid #ddd; text-align: right; }
th:first-child, td:first-child { text-align: left; } caption { text-align: left; color: #666; padding-bottom: .3rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(440px, 1fr)); gap: .5rem 1rem; }
svg { width: 100%; height: auto; } .wide { overflow-x: auto; margin: .6rem 0; }
.warning { border-left: 4px solid #c60; padding: .2rem .8rem; background: #fff4e5; margin: .4rem 0; }
@media (max-width: 520px) { .charts { grid-template-columns: 1fr; } body { margin: 1rem auto; } }
@media (prefers-color-scheme: dark) {
  body { background: #16181a; color: #ddd; } th, td { border-color: #444; } caption { color: #aaa; }
  .warning { background: #3a2a10; } svg line[stroke="#e4e4e4"] { stroke: #3a3d40; }
}
@media print {
  body { margin: 0; max-width: none; font-size: 11px; } svg, tr { break-inside: avoid; } h2 { break-after: avoid; }
  .wide { overflow: visible; font-size: min(1em, 9em / var(--columns, 9)); }
  th, td { padding: .15rem .3rem; } .charts { grid-template-columns: 1fr 1fr; }
}
"""
# text, tables and drawings: no script runs on such a page, whatever the names in it are
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def table(caption: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Cells are text; nothing in them is read as markup."""
    many = f' style="--columns:{len(heads)}"' if len(heads) > PRINTED else ""
    return f'<div class="wide"{many}>{html_table(heads, rows, caption)}</div>'


def charts(found: Sequence[Chart]) -> str:
    return '<div class="charts">' + "\n".join(chart.svg() for chart in found) + "</div>"


def section(title: str, *parts: str) -> str:
    return f"<h2>{escape(title)}</h2>\n" + "\n".join(parts)


def paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def warning_paragraph(text: str) -> str:
    return f'<p class="warning">{escape(text)}</p>'


def page(title: str, parts: Sequence[str]) -> str:
    """The whole file."""
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{escape(title)}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n{body}\n</body>\n</html>\n"
    )


# Where the built front end lies: the studio's page, the report's script and sheet, the notebook's widget.
#
# Vite writes them from `web/`; a wheel holds them, a fresh checkout does not.

STATIC = Path(__file__).parent / "static"


def built_file(name: str) -> Path:
    """The file or folder `name` of the built front end: "studio", "report.js", "report.css", "widget.js"."""
    found = STATIC / name
    if not found.exists():
        raise ManipulaError(
            "the page is not built ({name} is missing): run `make web` in the checkout, or install the "
            "wheel, which holds it",
            name,
        )
    return found
