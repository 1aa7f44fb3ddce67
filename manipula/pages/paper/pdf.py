"""Typst's text into a PDF, by the wheel `typst`: no TeX, and nothing is fetched."""

from __future__ import annotations

from typing import Any

from manipula.errors import InputError


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
