"""The page of docstrings names every public name of the package by itself: verbs, nouns, trajectories, errors."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

import manipula as mp

PAGE = "reference/docstrings.md"
KINDS: dict[str, Callable[[Any], bool]] = {
    "Verbs": inspect.isroutine,
    "Trajectories": inspect.ismodule,
    "Errors": lambda it: inspect.isclass(it) and issubclass(it, (Exception, Warning)),
    "Nouns": inspect.isclass,
}


def kind_of(thing: Any) -> str:
    """The first kind that fits; what is none of them is said last."""
    return next((kind for kind, fits in KINDS.items() if fits(thing)), "More")


def path_of(name: str, thing: Any) -> str:
    """Where griffe finds it: at its home, since the package hands nouns out when they are first asked for."""
    if isinstance(thing, ModuleType):
        return thing.__name__
    home, own = getattr(thing, "__module__", None), getattr(thing, "__qualname__", name)
    return f"{home}.{own}" if isinstance(home, str) and home.startswith("manipula.") else f"manipula.{name}"


def sections() -> Iterator[str]:
    """The text below the head of the page."""
    public = {name: getattr(mp, name) for name in sorted(mp.__all__, key=str.lower) if not name.startswith("__")}
    for kind in ("Verbs", "Nouns", "Trajectories", "Errors", "More"):
        names = [name for name, thing in public.items() if kind_of(thing) == kind]
        if names:
            yield f"\n## {kind}\n"
            yield from (f"\n::: {path_of(name, public[name])}\n" for name in names)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The event of mkdocs."""
    return markdown + "".join(sections()) if page.file.src_uri == PAGE else markdown
