"""The text of a law of one's own: what it must not do, and the line of it that an error is about.

A law computes and remembers nothing but its states. What its instructions show is refused before it runs: writing a
name of a module, an attribute, a name of the function around it; printing, reading, running other text.

Derived here: no algorithm; the instructions are those of Python's module `dis`.
"""

from __future__ import annotations

import dis
import traceback
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np

from manipula.errors import InputError, ManipulaError, ProofError
from manipula.mechanics.models.control.law_arrays import REFUSALS
from manipula.messages import Message

_HERE = str(Path(__file__).resolve().parents[3])  # the package, whose lines are not the user's
_NUMPY = str(Path(np.__file__).resolve().parent)
# a run writes only what it has made: instructions that write elsewhere
_WRITES = dict.fromkeys(("STORE_GLOBAL", "DELETE_GLOBAL"), Message("a global name")) | {
    "STORE_ATTR": Message("an attribute")
}
# of Python's own functions those that do more than compute: emitted code would not
_EFFECTS = frozenset(("print", "open", "input", "exec", "eval", "setattr", "delattr", "breakpoint"))


def refuse_effects(text: Callable[..., Any]) -> None:
    """No instruction does what outlives a run."""
    _refuse_instructions(text, text.__code__, frozenset(text.__code__.co_freevars))


def _refuse_instructions(text: Callable[..., Any], code: CodeType, outside: frozenset[str]) -> None:
    for step in dis.get_instructions(code):
        line = getattr(step.positions, "lineno", None) or code.co_firstlineno
        what = _WRITES.get(step.opname)
        if step.opname == "STORE_DEREF" and step.argval in outside:
            what = Message("a name of the function around it")
        if what:
            raise InputError(
                "{file}:{line}: {name}: writes {what} ({target}): a law remembers nothing but its states=",
                code.co_filename, line, text.__name__, what, step.argval,
            )  # fmt: skip
        is_pythons = step.opname == "LOAD_GLOBAL" and step.argval not in text.__globals__
        if is_pythons and step.argval in _EFFECTS:
            raise InputError(
                "{file}:{line}: {name}: calls {function}: a law computes and does nothing else",
                code.co_filename, line, text.__name__, step.argval,
            )  # fmt: skip
    for part in code.co_consts:
        if isinstance(part, CodeType):
            _refuse_instructions(text, part, outside)


class Located:
    """Errors raised inside name the line of the user's text: that of the innermost frame that is his.

    `refuse` makes errors that name the law alone, where no text of it runs.
    """

    def __init__(self, name: str, refuse: Callable[[str], InputError] | None = None) -> None:
        self.name, self.refuse = name, refuse

    def __enter__(self) -> None:
        self._token = REFUSALS.set([])

    def __exit__(self, kind: object, error: BaseException | None, trace: Any) -> None:
        refusals = REFUSALS.get()
        REFUSALS.reset(self._token)
        if isinstance(error, ProofError) or not isinstance(error, Exception | None):
            return
        own = _user_frames(trace)
        if refusals:
            # hidden by an `except` of the text; or by NumPy, which then says something else of its own
            error, own = refusals[0], _user_frames(refusals[0].__traceback__) or own
        if error is None:
            return
        problem = error.message if isinstance(error, ManipulaError) else f"{type(error).__name__}: {error}"
        if self.refuse is not None:
            raise self.refuse(problem) from error
        if own:
            raise InputError(
                "{file}:{line}: {name}: {problem}", own[-1].filename, own[-1].lineno, self.name, problem
            ) from error
        if refusals:
            raise error


def _user_frames(trace: Any) -> list[traceback.FrameSummary]:
    return [x for x in traceback.extract_tb(trace) if not x.filename.startswith((_HERE, _NUMPY, "<__array"))]
