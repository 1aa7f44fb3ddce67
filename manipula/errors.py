"""The exception tree. Everything manipula raises on purpose hangs from `ManipulaError`.

ManipulaError
├── InputError            what the user gave cannot be used: a file, a table, an argument
│   ├── RobotFileError    a robot description is wrong; names file, joint, field, and what would be right
│   ├── UnwritableError   a file cannot be written (an OSError too); names it and the reason
│   ├── SingularError     a joint feels no inertia, so its acceleration is undefined; names the joint
│   ├── UnsetError        a parameter of the robot needs a value; names them
│   └── UnknownNameError  no such robot, model, method, parameter; lists the known names
├── SizeError             the answer would be too large to be of use; says what to ask for instead
├── DivergenceError       a simulated arm runs away; names the joint and the time
├── ProofError            an optimised function is not the model it claims to be; never ignore it
└── ConditionError        a parameter value breaks a condition the function was derived under

ManipulaWarning           (a UserWarning) something looks wrong but can be used
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from manipula.messages import Message, in_front

# the package, and what calls its functions in a user's name: decorators, properties, copies with a change
_PASSED = (__name__.partition(".")[0], "contextlib", "functools", "dataclasses")


class ManipulaError(Exception):
    """Root of the tree: `InputError("{path}: no such file", path)`, or a `Message` that is there already."""

    def __init__(self, template: str, /, *values: object) -> None:
        super().__init__(Message(template, *values))

    @property
    def message(self) -> Message:
        """What `str(error)` says."""
        found: Message = self.args[0]
        return found

    def __reduce__(self) -> tuple[object, ...]:
        """What other processes and copies have: the sentence as it is, whatever a subclass makes it of."""
        return _remade, (type(self), self.message, vars(self))


def _remade(kind: type[ManipulaError], message: Message, state: Mapping[str, object]) -> ManipulaError:
    error = kind.__new__(kind, message)
    error.args = (message,)
    for name, value in state.items():
        setattr(error, name, value)
    return error


class InputError(ManipulaError, ValueError):
    """What the user gave cannot be used."""


class RowLabel(Message):
    """How messages call a row of a robot's table, and which row it is, counted from 1: an editor marks the cell."""

    row: int

    def __new__(cls, text: str, row: int) -> RowLabel:
        said = Message(text)
        label: RowLabel = super().__new__(cls, said.template, *said.fields.values())  # type: ignore[assignment]
        label.row = row
        return label

    def __reduce__(self) -> tuple[object, ...]:
        return RowLabel, (Message(self.template, *self.fields.values()), self.row)

    @staticmethod
    def inside(where: str, part: str) -> str:
        """A part of what is there, of the same row."""
        text = in_front(where, part)
        return RowLabel(text, where.row) if isinstance(where, RowLabel) else text


class RobotFileError(InputError):
    """A robot description is wrong. The message reads `file: joint: field: found … ; expected …`.

    `field` is the path of the entry: "theta", "limits[2]", "inertia.xx". `others` are further mistakes found with it.
    """

    def __init__(
        self, problem: str, /, *values: object, file: str = "", where: str = "", field: str = "", hint: str = "",
        others: Sequence[RobotFileError] = (),
    ) -> None:  # fmt: skip
        self.file, self.where, self.field = file, where, field
        self.problem, self.hint = Message(problem, *values), Message(hint)
        self.others = tuple(others)
        self.row = where.row if isinstance(where, RowLabel) else None  # of the table, from 1
        self.column = field  # of the cell: `field`, unless that is the name of a parameter
        told = Message("{problem} ({hint})", self.problem, self.hint) if hint else self.problem
        for part in (field, where, file):
            told = in_front(part, told)
        super().__init__(told)

    def in_file(self, file: str) -> RobotFileError:
        """The same, naming the file."""
        others = [other.in_file(file) for other in self.others]
        told = {"where": self.where, "field": self.field, "hint": self.hint}
        return RobotFileError(self.problem, file=file, **told, others=others)

    def at_cell(self, row: int, column: str) -> RobotFileError:
        """The same, at a cell that its words do not tell."""
        self.row, self.column = row, column
        return self


class UnwritableError(InputError, OSError):
    """A file cannot be written: a full disk, a folder of another user. Names the file; `errno` is the system's."""

    def __init__(self, path: object, cause: OSError) -> None:
        super().__init__("{path}: cannot be written: {strerror}", path, cause.strerror or cause)
        self.errno, self.filename = cause.errno, str(path)

    def __str__(self) -> str:  # OSError would show the number
        return self.message

    def __reduce__(self) -> tuple[object, ...]:  # `errno` is not one of its `vars`
        return type(self), (self.filename, OSError(self.errno, self.message.fields["strerror"])), vars(self)


class SingularError(InputError):
    """A joint of the robot feels no inertia, and the model divides by it."""


class UnsetError(InputError):
    """Numbers are asked of a robot some of whose parameters lack a value. Says how they are given, to whom it may help:
    the text is for Python, `in_shell` for the command line."""

    def __init__(self, problem: str, missing: Sequence[str], also: str = "") -> None:
        self.problem, self.missing = Message(problem), tuple(missing)
        template = "{problem}; {also}robot.with_parameters({missing}=…) gives one"
        super().__init__(template, self.problem, Message(also), self.missing[0])

    @property
    def in_shell(self) -> Message:
        return Message("{problem}; --set {missing}=VALUE gives one", self.problem, self.missing[0])

    @property
    def in_page(self) -> Message:
        return Message("{problem}; give {missing} a value", self.problem, self.missing[0])


def some_of(names: Sequence[str]) -> str:
    """The first of them, with commas: nobody reads fifty."""
    return ", ".join(names[:8]) + (", …" if len(names) > 8 else "")


LONG_LIST = 11  # names: the models, the laws and the library have more


class UnknownNameError(InputError, KeyError):
    """An unknown name: what was probably meant, and the known ones; a long list only where nothing is like the name.
    `meant` has words that others use."""

    def __init__(self, kind: str, name: str, known: Iterable[str], meant: Mapping[str, str] | None = None) -> None:
        names = list(known)
        near = near_name(str(name), names, meant or {})
        listed = ", ".join(names)
        if near and len(names) > LONG_LIST:
            super().__init__("no {kind} is called {name!r}; did you mean {near!r}?", Message(kind), name, near)
        elif near:
            told = "no {kind} is called {name!r}; did you mean {near!r}? Known: {names}."
            super().__init__(told, Message(kind), name, near, listed)
        elif names:
            super().__init__("no {kind} is called {name!r}. Known: {names}.", Message(kind), name, listed)
        else:
            super().__init__("no {kind} is called {name!r}; none is defined", Message(kind), name)

    def __str__(self) -> str:  # KeyError would show the repr
        return self.message


def near_name(name: str, names: Sequence[str], meant: Mapping[str, str]) -> str | None:
    """The known name that one with a slip, another case or other signs between its words stands for."""
    plain = _plain(name)
    if plain in meant:
        return meant[plain]
    by_plain = {_plain(known): known for known in reversed(names)}
    near = get_close_matches(name, names, n=1) or get_close_matches(plain, by_plain, n=1)
    begun = [known for known in by_plain if len(plain) > 2 and known.startswith(plain)]
    found = near or begun[-1:]
    return by_plain.get(found[0], found[0]) if found else None


def _plain(name: str) -> str:
    return re.sub(r"[^\w+]+", "_", name.strip().casefold())


class SizeError(ManipulaError):
    """The answer would be too large to be of use."""


class DivergenceError(ManipulaError):
    """A simulation whose numbers run away. Names the joint and the time."""


class ProofError(ManipulaError):
    """An optimised function differs from the plain model of the robot."""


class UnprovableError(ProofError):
    """A function whose degree is too large for random points to tell it from a wrong one."""


class ConditionError(ManipulaError, ValueError):
    """A parameter value breaks a condition under which the function was derived."""


class ManipulaWarning(UserWarning):
    """Something in the input looks wrong but can be used. `row` and `column` are of the table's cell it is about."""

    row: int | None = None
    column: str = ""


def caution(template: str, /, *values: object, where: str = "", field: str = "") -> None:
    """A `ManipulaWarning` that points at the caller's line: the first one outside the package.

    `where` and `field` are those of a `RobotFileError`; the template says them already.

    A frame is known by its module, not by its file: the methods that `dataclass` writes are in none.
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] in _PASSED:
        frame, level = frame.f_back, level + 1
    said = ManipulaWarning(Message(template, *values))
    said.row, said.column = where.row if isinstance(where, RowLabel) else None, field
    warnings.warn(said, stacklevel=level)
