"""`x.pt.md` is `x.md` in Portuguese: the chooser in a page's head leads there and back, its frame speaks it."""

from __future__ import annotations

import re
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

MARK = ".pt.md"
HINT = re.compile(r'<link rel="alternate"[^>]*>')
NAMES = {"en": "English", "pt-BR": "Português"}


def sources(source: str) -> dict[str, str]:
    """Language → source of the same page in it, whether it is written or not."""
    english = source.replace(MARK, ".md")
    return {"en": english, "pt-BR": english.removesuffix(".md") + MARK}


def alternates(page: Page, files: Files) -> list[dict[str, str]]:
    """Entries of the chooser; a page that is not translated leads to the beginning in the other language."""
    same = {lang: files.get_file_from_path(uri) for lang, uri in sources(page.file.src_uri).items()}
    starts = {lang: files.get_file_from_path(uri) for lang, uri in sources("index.md").items()}
    found = {lang: file or starts[lang] for lang, file in same.items()}
    return [{"name": NAMES[lang], "link": file.url, "lang": lang} for lang, file in found.items() if file]


def on_page_context(context: dict[str, Any], page: Page, config: MkDocsConfig, nav: Navigation) -> dict[str, Any]:
    """The event of mkdocs, page by page, before it is written."""
    config.theme["language"] = "pt-BR" if page.file.src_uri.endswith(MARK) else "en"
    config.extra["alternate"] = alternates(page, FILES[0])
    return context


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """The event of mkdocs: for these hints the theme's script would fetch a site map, which a disk refuses; the theme's
    dialog for the search has no name for those who hear the page."""
    name = "Buscar" if page.file.src_uri.endswith(MARK) else "Search"
    return HINT.sub("", output).replace('role="dialog">', f'role="dialog" aria-label="{name}">')


FILES: list[Files] = []


def on_env(env: Any, config: MkDocsConfig, files: Files) -> Any:
    """The event of mkdocs: all files are known from here on."""
    FILES[:] = [files]
    return env
