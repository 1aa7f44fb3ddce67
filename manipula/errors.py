"""The exception tree. Everything manipula raises on purpose hangs from `ManipulaError`.

ManipulaError
├── InputError            what the user gave cannot be used: a file, a table, an argument
│   ├── RobotFileError    a robot description is wrong; names file, joint, field, and what would be right
│   ├── SingularError     a joint feels no inertia, so no acceleration can be told; names the joint
│   └── UnknownNameError  no such robot, model, method, parameter; lists what there is
├── SizeError             the answer would be too large to be of use; says what to ask for instead
├── DivergenceError       a simulated arm runs away; names the joint and the time
├── ProofError            an optimised function is not the model it claims to be; never ignore it
└── ConditionError        a parameter value breaks a condition the function was derived under

ManipulaWarning           (a UserWarning) something looks wrong but can be used
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from difflib import get_close_matches

_PASSED = (__name__.partition(".")[0], "contextlib")  # the package, and what decorates its functions


class ManipulaError(Exception):
    """Root of the tree."""


class InputError(ManipulaError, ValueError):
    """What the user gave cannot be used."""


class RobotFileError(InputError):
    """A robot description is wrong. The message reads `file: joint: field: found … ; expected …`."""

    def __init__(self, problem: str, *, file: str = "", where: str = "", field: str = "", hint: str = "") -> None:
        self.file, self.where, self.field, self.problem, self.hint = file, where, field, problem, hint
        place = ": ".join(part for part in (file, where, field) if part)
        super().__init__((f"{place}: " if place else "") + problem + (f" ({hint})" if hint else ""))


class SingularError(InputError):
    """A joint of the robot feels no inertia, and the model divides by it."""


class UnknownNameError(InputError, KeyError):
    """A name that is not there. Says what there is, and what was probably meant."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = list(known)
        near = get_close_matches(str(name), names, n=1)
        guess = f"; did you mean {near[0]!r}?" if near else "."
        self.message = f"no {kind} is called {name!r}{guess} Known: {', '.join(names)}."
        super().__init__(self.message)

    def __str__(self) -> str:  # KeyError would show the repr
        return self.message


class SizeError(ManipulaError):
    """The answer would be too large to be of use."""


class DivergenceError(ManipulaError):
    """A simulation whose numbers run away. Names the joint and the time."""


class ProofError(ManipulaError):
    """An optimised function differs from the plain model of the robot."""


class ConditionError(ManipulaError, ValueError):
    """A parameter value breaks a condition under which the function was derived."""


class ManipulaWarning(UserWarning):
    """Something in the input looks wrong but can be used."""


def caution(text: str) -> None:
    """A `ManipulaWarning` that points at the caller's line: the first one outside the package.

    A frame is known by its module, not by its file: the methods that `dataclass` writes are in none.
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] in _PASSED:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, ManipulaWarning, stacklevel=level)
