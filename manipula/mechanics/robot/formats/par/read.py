"""SYMORO `.par` text → Robot.

The file holds one list per column: `Sigma = {0,0,1}`, `Alpha = {0,pi/2,…}`. A row is
Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r), inertias are about the link frame's origin with first moments, and
gravity G is given in frame 0. External wrenches, joint rates and torques in the file are inputs of a computation, not
properties of the robot: they are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from fractions import Fraction

from manipula.errors import InputError, RobotFileError, caution
from manipula.mechanics.robot import joints
from manipula.mechanics.robot.actuator import actuator_from
from manipula.mechanics.robot.description import (
    AXES,
    SIX,
    Body,
    Cell,
    Joint,
    JointKind,
    Origin,
    RobotDescription,
    Step,
    Steps,
)
from manipula.mechanics.robot.exact import Formula, is_zero, opposite, parameter_of, placement_from_steps, without_zeros
from manipula.mechanics.robot.formats.check_numbers import refuse_heavy
from manipula.mechanics.robot.formats.checks import warn_about
from manipula.mechanics.robot.formats.name_checks import refuse_bad_names, told_apart
from manipula.mechanics.robot.formats.rows import steps_from_placement
from manipula.mechanics.robot.formats.snap_to_exact import Structure, finish_reading
from manipula.mechanics.robot.formats.source import (
    checked_text,
    errors_of,
    refuse_too_many,
    unknown_words,
    unread_words,
)
from manipula.mechanics.robot.precise import MP, PRECISE, precise, rpy_of
from manipula.mechanics.robot.precise import angle as angle_from_number
from manipula.mechanics.robot.suffixes import row_names, suffixes
from manipula.mechanics.robot.values.parameter import (
    ZERO,
    Name,
    Num,
    Parameter,
    ParameterOp,
    names_of,
    parameter_from_text,
    text_of,
)
from manipula.mechanics.spatial.vector import Matrix, matmul, rotate, transpose
from manipula.messages import Message

# The joint variable inside an entry of a SYMORO table: `t2`, `th2 + pi/2`, `-q3`, and what is constant beside it.

_LETTERS: dict[JointKind, str] = {"revolute": "t|th|theta|q", "prismatic": "r|q|l|rl"}
_FIELD: dict[JointKind, str] = {"revolute": "Theta", "prismatic": "R"}


def split_variable(entry: Parameter, row: int, kind: JointKind, notes: list[str]) -> tuple[Parameter, int]:
    """(offset, direction): the entry is offset + direction · q."""
    if isinstance(entry, Name):
        return ZERO, 1
    terms = list(_terms(entry, 1))
    moving = [(term, sign) for term, sign in terms if isinstance(term, Name) and is_variable(term.name, row, kind)]
    if len(moving) == 1:
        rest = [Formula(term if sign == 1 else opposite(term)) for term, sign in terms if (term, sign) != moving[0]]
        return sum(rest, start=Formula(ZERO)).parameter, moving[0][1]
    if moving or any(True for _ in names_of(entry)):
        raise RobotFileError(
            "found {text_of!r}, in which the joint variable is not clear",
            text_of(entry),
            where=Message("joint {name}", row),
            field=_FIELD[kind],
            hint=Message(
                ("write it as t{row} plus a constant" if kind == "revolute" else "write it as r{row} plus a constant"),
                row,
            ),
        )
    notes.append(
        Message(
            "joint {row}: the constant {field} = {text_of} is read as the joint's offset",
            row,
            _FIELD[kind],
            text_of(entry),
        )
    )
    return entry, 1


def is_variable(name: str, row: int, kind: JointKind) -> bool:
    return re.fullmatch(rf"({_LETTERS[kind]})_?0*{row}", name, re.IGNORECASE) is not None


def _terms(entry: Parameter, sign: int) -> list[tuple[Parameter, int]]:
    match entry:
        case ParameterOp("+", (left, right)):
            return _terms(left, sign) + _terms(right, sign)
        case ParameterOp("-", (left, right)):
            return _terms(left, sign) + _terms(right, -sign)
        case ParameterOp("neg", (inner,)):
            return _terms(inner, -sign)
    return [(entry, sign)]


GEOMETRY = ("ant", "sigma", "b", "d", "r", "gamma", "alpha", "mu", "theta")
INERTIA = tuple(pair.upper() for pair in SIX)
DYNAMICS = (*INERTIA, "MX", "MY", "MZ", "M", "IA", "FV", "FS")
WRENCH = ("FX", "FY", "FZ", "CX", "CY", "CZ")
AT_REST = ("W0", "WP0", "V0", "VP0")
ACTUATOR = {"Ia": "IA", "fv": "FV", "fc": "FS"}  # the letters of what the format can hold of an actuator
UNREAD = (*WRENCH, "QP", "QDP", "GAM", "K")  # inputs of a computation, and the springs of elastic joints
SETTINGS = ("NL", "NJ", "NF", "Type", "is_mobile", "is_floating")
KNOWN = {key.lower(): key for key in (*GEOMETRY, *DYNAMICS, *AT_REST, *UNREAD, "eta", "Z", "G")}
KINDS: dict[str, JointKind] = {
    kind.formats["par"]: kind.name for kind in joints.KINDS.values() if "par" in kind.formats
}
IDENTITY = "1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1"
ONE = Num(Fraction(1))
STRUCTURES = {"1": Message("a tree"), "2": Message("a closed loop")}


def robot_from_par(text: str, file: str = "", exact: bool = False) -> RobotDescription:
    """The serial arm of a SYMORO file; `exact` keeps angles and lengths as written (see `structure`)."""
    structure = Structure(exact)
    with errors_of(file):
        robot = told_apart(_Reader(checked_text(text)).robot(file))
        refuse_heavy(robot)
        refuse_bad_names(robot)
        robot = finish_reading(robot, structure)
        warn_about(robot)
    structure.warn(file)
    return robot


class _Reader:
    def __init__(self, text: str) -> None:
        named = re.search(r"\(\*\s*+Robotname\s*+=\s*+'([^'\n]*+)'", text)
        self.name = named[1].strip() if named and named[1].strip() else "robot"
        plain = _without_comments(text)
        self.lists = dict(_lists(plain))
        found = (re.fullmatch(r"(\w++)\s*+=\s*+(\w++)", line.strip()) for line in plain.splitlines())
        self.settings = {match[1].lower(): match[2] for match in found if match}
        self.notes: list[str] = []
        self.variables: dict[str, int] = {}  # name → the joint it moves

    def robot(self, file: str) -> RobotDescription:
        self.refuse_structure()
        count = len(self.entries("sigma"))
        refuse_too_many(count)
        self.refuse_lengths(count)
        self.note_unread()
        kinds = [self.kind(row) for row in range(1, count + 1)]
        names = row_names((kind, None) for kind in kinds)
        ends = suffixes(((kind, name, ()) for kind, name in zip(kinds, names)), 0).rows
        joints = tuple(self.joint(row, *each) for row, each in enumerate(zip(kinds, names, ends), 1))
        base, turn = self.base()
        origin = Origin("par", "modified", "rad", "m", file, "", tuple(self.notes))
        robot = RobotDescription(self.name, joints, self.gravity(turn), base, origin=origin)
        self.refuse_coupled(robot)
        return robot

    def refuse_coupled(self, robot: RobotDescription) -> None:
        """A joint's variable may stand in its own row alone."""
        for name in robot.names():
            if name in self.variables:
                raise RobotFileError(
                    "{name}, the variable of this joint, stands in another entry too",
                    name,
                    where=Message("joint {name}", self.variables[name]),
                    hint="coupled joints cannot be read",
                )

    def refuse_structure(self) -> None:
        if "sigma" not in self.lists:
            raise RobotFileError("the list Sigma is missing", field="Sigma", hint="a SYMORO file has Sigma = {0,0,…}")
        kind = self.settings.get("type", "0")
        if kind != "0":
            found = STRUCTURES.get(kind, Message("structure {kind!r}", kind))
            raise RobotFileError(
                "found Type = {kind}: {found}", kind, found, field="Type", hint="only serial arms, Type = 0"
            )
        for flag in ("is_mobile", "is_floating"):
            if self.settings.get(flag, "0").lower() in ("1", "true"):
                raise RobotFileError("found {text}", flag, field=flag, hint="only arms on a fixed base can be read")
        ant = self.entries("ant") if "ant" in self.lists else ()
        for row, before in enumerate(ant, 1):
            if before != str(row - 1):
                raise RobotFileError(
                    "found antecedent {before}: the joints form a tree",
                    before,
                    where=Message("joint {name}", row),
                    field="Ant",
                    hint=Message("a serial arm has {row} here", row - 1),
                )
        for key in ("eta", *AT_REST):
            for place, entry in enumerate(self.entries(key), 1):
                if not is_zero(self.parameter(entry, key, place)):
                    raise RobotFileError(
                        ("found {entry}: an elastic joint" if key == "eta" else "found {entry}: a moving base"),
                        entry,
                        field=key,
                        hint="only zeros can be read here",
                    )

    def refuse_lengths(self, count: int) -> None:
        if count == 0:
            raise RobotFileError("the robot has no joint", field="Sigma", hint="one entry for each joint")
        if all(entry == "2" for entry in self.entries("sigma")):
            raise RobotFileError("no joint moves", field="Sigma", hint="a robot needs a revolute or prismatic joint")
        for name in ("NJ", "NL", "NF"):
            if self.settings.get(name.lower(), str(count)) != str(count):
                raise RobotFileError(
                    "found {settings}, but Sigma has {count} entries",
                    self.settings[name.lower()],
                    count,
                    field=name,
                    hint="in a serial arm NL, NJ and NF are all the number of joints",
                )
        for key in (*GEOMETRY, *DYNAMICS):
            found = len(self.entries(key))
            if key.lower() in self.lists and found != count:
                raise RobotFileError(
                    "found {found} entries", found, field=key, hint=Message("Sigma has {count}, so {count} here", count)
                )

    def note_unread(self) -> None:
        """One note on what is no part of the models, one warning on settings that are not known."""
        there = [key for key in UNREAD if any(entry != "0" for entry in self.entries(key))]
        if any(mu == "0" and sigma != "2" for mu, sigma in zip(self.entries("mu"), self.entries("sigma"))):
            there.append("mu")  # every joint that moves is taken to have a motor
        self.notes += unread_words(there)
        known = {key.lower(): key for key in SETTINGS}
        odd = [key for key in self.settings if key not in known]
        near = [known[word] for key in odd for word in get_close_matches(key, known, n=1)]
        for sentence in unknown_words(odd, near):
            caution(sentence)

    def entries(self, key: str) -> tuple[str, ...]:
        return self.lists.get(key.lower(), ())

    def parameter(self, text: str, key: str, row: int) -> Parameter:
        try:
            return parameter_from_text(re.sub(r"\b(Pi|PI)\b", "pi", text))
        except InputError as error:
            raise RobotFileError(error.message, where=Message("joint {name}", row), field=key) from error

    def cell(self, key: str, row: int, name: str, otherwise: Parameter | None = ZERO) -> Cell:
        entries = self.entries(key)
        return Cell(name, self.parameter(entries[row - 1], key, row) if entries else otherwise)

    def kind(self, row: int) -> JointKind:
        sigma = self.entries("sigma")[row - 1]
        if sigma not in KINDS:
            raise RobotFileError(
                "found {text}",
                sigma,
                where=Message("joint {name}", row),
                field="Sigma",
                hint="0 revolute, 1 prismatic, 2 fixed",
            )
        return KINDS[sigma]

    def joint(self, row: int, kind: JointKind, name: str, end: str) -> Joint:
        theta, r = self.cell("theta", row, f"theta{end}"), self.cell("r", row, f"d{end}")
        offset, direction = Cell(f"offset{end}", ZERO), 1
        if kind != "fixed":
            moving = theta if kind == "revolute" else r
            value, direction = split_variable(moving.parameter, row, kind, self.notes)
            offset = Cell(moving.name, value)
            self.note_variables(row, set(names_of(moving.parameter)) - set(names_of(value)))
        before = self.before(row, end)
        before += (Step("rz", theta),) if kind != "revolute" else ()
        before += (Step("tz", r),) if kind != "prismatic" else ()
        return Joint(
            name=name,
            kind=kind,
            before=before,
            offset=offset,
            direction=1 if direction == 1 else -1,
            after=(),
            body=self.body(row, kind, end),
            actuator=actuator_from(lambda letters: self.actuator_cell(row, letters, end)),
        )

    def actuator_cell(self, row: int, letters: str, end: str) -> Cell:
        name = f"{letters}{end}"
        return self.cell(ACTUATOR[letters], row, name) if letters in ACTUATOR else Cell(name, ZERO)

    def note_variables(self, row: int, names: set[str]) -> None:
        for name in names:
            if self.variables.setdefault(name, row) != row:
                raise RobotFileError(
                    "its variable {name} is that of joint {variables}",
                    name,
                    self.variables[name],
                    where=Message("joint {name}", row),
                    hint="coupled joints cannot be read",
                )

    def before(self, row: int, end: str) -> Steps:
        """gamma and b only where the file uses them: a serial arm has none."""
        extra = (Step("rz", self.cell("gamma", row, f"gamma{end}")), Step("tz", self.cell("b", row, f"b{end}")))
        return (
            *without_zeros(extra),
            Step("rx", self.cell("alpha", row, f"alpha{end}")),
            Step("tx", self.cell("d", row, f"a{end}")),
        )

    def body(self, row: int, kind: JointKind, end: str) -> Body | None:
        absent = ZERO if kind == "fixed" else None
        x, y, z = (self.cell(f"M{axis.upper()}", row, f"m{axis}{end}", absent) for axis in AXES)
        xx, xy, xz, yy, yz, zz = (self.cell(pair.upper(), row, f"L{pair}{end}", absent) for pair in SIX)
        body = Body(
            self.cell("M", row, f"m{end}", absent), (x, y, z), "first_moment", (xx, xy, xz, yy, yz, zz), "origin"
        )
        empty = all(is_zero(cell.value) for cell in (body.mass, *body.centre, *body.inertia))
        return None if empty and kind == "fixed" else body

    def base(self) -> tuple[Steps, Matrix]:
        """Frame 0 in the world, from the 4×4 matrix Z: any position, a rotation of numbers."""
        entries = self.entries("z") or tuple(IDENTITY.split(","))
        if len(entries) != 16:
            raise RobotFileError(
                "found {found} entries", len(entries), field="Z", hint="the 16 of a 4×4 matrix, by rows"
            )
        Z = [self.parameter(entry, "Z", 0) for entry in entries]
        try:
            a, b, c = (tuple(precise(x, {}) for x in Z[start : start + 3]) for start in (0, 4, 8))
        except KeyError as error:
            raise RobotFileError("found the name {error} in a rotation", error, field="Z", hint="numbers") from error
        if [self.parameter(entry, "Z", 0) for entry in entries[12:]] != [ZERO, ZERO, ZERO, ONE]:
            raise RobotFileError("its last row is {entries}", " ".join(entries[12:]), field="Z", hint="0 0 0 1")
        R: Matrix = ((a[0], a[1], a[2]), (b[0], b[1], b[2]), (c[0], c[1], c[2]))
        _refuse_skewed(R)
        roll, pitch, yaw = map(angle_from_number, rpy_of(R))
        parts = zip(("x", "y", "z", "roll", "pitch", "yaw"), (Z[3], Z[7], Z[11], roll, pitch, yaw))
        steps = without_zeros(steps_from_placement({way: Cell(f"base_{way}", value) for way, value in parts}))
        return steps, placement_from_steps(steps).R

    def gravity(self, turn: Matrix) -> tuple[Cell, Cell, Cell]:
        """G is in frame 0, gravity in the world."""
        entries = self.entries("g")
        if entries and len(entries) != 3:
            raise RobotFileError("found {found} entries", len(entries), field="G", hint="three: G = {0,0,G3}")
        given = [self.parameter(entry, "G", 0) for entry in entries] or [ZERO, ZERO, Num(Fraction("-9.81"))]
        x, y, z = rotate(turn, (Formula(given[0]), Formula(given[1]), Formula(given[2])))
        return (Cell("gx", parameter_of(x)), Cell("gy", parameter_of(y)), Cell("gz", parameter_of(z)))


def _without_comments(text: str) -> str:
    """Without `(* … *)`; one that never ends is left as it is."""
    parts, start = [], 0
    while (opened := text.find("(*", start)) >= 0 and (closed := text.find("*)", opened + 2)) >= 0:
        parts.append(text[start:opened])
        start = closed + 2
    return "".join([*parts, text[start:]])


def _lists(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every `Key = {…}`, over any number of lines."""
    seen: set[str] = set()
    for key, inside in re.findall(r"\b(\w++)\s*+=\s*+\{([^{}]*+)\}", text):
        low = key.lower()
        if low not in KNOWN or low in seen:
            raise RobotFileError(
                ("the list is there twice" if low in seen else "found an unknown list"),
                field=key,
                hint=Message("known: {names}", ", ".join(KNOWN.values())),
            )
        seen.add(low)
        yield low, tuple(entry.strip() for entry in inside.split(",")) if inside.strip() else ()
    opened, closed = text.count("{"), text.count("}")
    if opened != closed:
        raise RobotFileError(
            "found {count} opening and {count2} closing braces", opened, closed, hint="every list ends with }"
        )


def _refuse_skewed(R: Matrix) -> None:
    """A rotation, to the digits people write."""
    square = matmul(R, transpose(R))
    error = max(MP.fabs(square[i][j] - (i == j)) for i in range(3) for j in range(3))
    if error > PRECISE.number(Fraction(1, 10**6)) or MP.det(MP.matrix([list(row) for row in R])) < 0:
        raise RobotFileError("its first three columns are not a rotation", field="Z", hint="orthonormal, right-handed")
