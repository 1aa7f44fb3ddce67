"""A fenced block with a file name behind its language has the name as its title."""

from __future__ import annotations

import re

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page

NAMED = re.compile(r"^(```\w+) ([^\s=]+)$", re.MULTILINE)


def titled(text: str) -> str:
    """
    >>> titled("```toml arm.toml")
    '```toml title="arm.toml"'
    """
    return NAMED.sub(r'\1 title="\2"', text)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The event of mkdocs."""
    return titled(markdown)
