"""The navigation of the site is the list of docs/index.md: a page is listed once, there.

A section (`##`) is a tab, a line that ends with a colon heads a group, and every link to a page is an entry.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig

INDEX = Path(__file__).resolve().parents[1] / "index.md"
LINE = re.compile(
    r"^## (?P<section>[^:\n]+).*|^(?P<group>[^\n\[]+):$|\]\((?P<page>[^)#:\s]+\.(?:md|ipynb))\)", re.MULTILINE
)
START = "Home"


def navigation(text: str) -> list[dict[str, Any]]:
    """Tab → pages and groups of pages, as mkdocs.yml would have them. A page is where it is first named."""
    tabs: dict[str, list[Any]] = {START: ["index.md"]}
    tab = place = tabs[START]
    seen = {"index.md"}
    for found in LINE.finditer(text):
        if found["section"]:
            tab = place = tabs.setdefault(found["section"].strip(), [])
        elif found["group"]:
            place = []
            tab.append({found["group"]: place})
        elif (page := found["page"].replace(".ipynb", ".md")) not in seen and not page.startswith(".."):
            seen.add(page)
            place.append(page)
    return [{title: pages} for title, pages in tabs.items() if pages]


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The event of mkdocs."""
    config.nav = navigation(INDEX.read_text(encoding="utf-8"))
    return config
