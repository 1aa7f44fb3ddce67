"""Texts as functions of a module, with what they call hidden: a text's own words are no names of the module."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from manipula.algebra.emit.backend import emit_program
from manipula.algebra.program.reader import program


def enclosed(*texts: Callable[..., Any]) -> str:
    """const { judge } = (() => { … return { judge }; })();"""
    names = ", ".join(text.__name__ for text in texts)
    inner = emit_program(program(*texts), "javascript").strip("\n")
    return f"const {{ {names} }} = (() => {{\n{inner}\n\nreturn {{ {names} }};\n}})();\n"
