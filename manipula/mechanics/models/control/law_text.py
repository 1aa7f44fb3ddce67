"""The text of a law of one's own: what it must not do, and the line of it that an error is about.

A law computes and remembers nothing but its states. What its instructions show is refused before it runs: writing a
name of a module, an attribute, a name of the function around it; printing, reading, running other text.

Derived here: no algorithm; the instructions are those of Python's module `dis`.
"""

from __future__ import annotations

import dis
import sysconfig
import traceback
from collections.abc import Callable
from contextvars import ContextVar
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

from manipula.errors import InputError, ManipulaError, ProofError
from manipula.messages import Message

_HERE = str(Path(__file__).resolve().parents[3])  # the package, whose lines are not the user's
_NUMPY = str(Path(np.__file__).resolve().parent)
_LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})
# a run writes only what it has made: instructions that write elsewhere
_WRITES = dict.fromkeys(("STORE_GLOBAL", "DELETE_GLOBAL"), Message("a global name")) | {
    "STORE_ATTR": Message("an attribute")
}
# of Python's own functions those that do more than compute: emitted code would not
_EFFECTS = frozenset(("print", "open", "input", "exec", "eval", "setattr", "delattr", "breakpoint", "globals", "vars"))
_STORES = frozenset(dis.opmap[name] for name in ("STORE_SUBSCR", "STORE_SLICE") if name in dis.opmap)
# what is written in place of functions that have no form
_SOLVED = Message("the text writes a small system out; arm.forward_dynamics(q, qd, tau) solves with the inertia matrix")
_EQUAL = Message("abs(a - b) < d compares within d")
_ROUNDED = Message("np.floor(x + 0.5) rounds halves up")
_IN_PLACE = {
    "equal": _EQUAL, "not_equal": _EQUAL, "linalg.solve": _SOLVED, "linalg.inv": _SOLVED, "linalg.pinv": _SOLVED,
    "round": _ROUNDED, "rint": _ROUNDED,
    "sort": Message("np.minimum and np.maximum compare two values"),
}  # fmt: skip

# what the text of the law that is run was refused: `except` in the text, or NumPy, may have hidden it
REFUSALS: ContextVar[list[InputError]] = ContextVar("REFUSALS")


def keep_refusal(error: InputError) -> InputError:
    """The error, kept for the end of the run."""
    REFUSALS.get([]).append(error)
    return error


def number_refused(asking: FrameType | None) -> InputError:
    """A number was asked of a value of the law; by an array of plain numbers, where the instruction stores an entry."""
    if asking is not None and asking.f_code.co_code[asking.f_lasti] in _STORES:
        return keep_refusal(
            InputError(
                "an array of plain numbers holds no value that is known only when the law runs: "
                "np.zeros_like(q), or with another shape np.zeros_like(q, shape=(2, 3)), holds them"
            )
        )
    return keep_refusal(
        InputError(
            "the text asks for the number behind a value that is known only when the law runs "
            "(float, int, range, an index, a key, a text, math.sin); NumPy's functions take the value itself: np.sin"
        )
    )


def no_form(function: str) -> InputError:
    """A function of NumPy's that no law has, with what is written in its place."""
    if function in _IN_PLACE:
        return InputError("np.{function} has no form in a law: {instead}", function, _IN_PLACE[function])
    return InputError("np.{function} has no form in a law", function)


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
    """Those of the text and of what it calls; of a library's only where the text is in a library."""
    frames = [x for x in traceback.extract_tb(trace) if not x.filename.startswith((_HERE, _NUMPY, "<__array"))]
    return [x for x in frames if not x.filename.startswith(_LIBRARIES)] or frames
