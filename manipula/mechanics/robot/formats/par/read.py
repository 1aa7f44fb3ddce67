"""SYMORO `.par` text → Robot.

The file holds one list per column: `Sigma = {0,0,1}`, `Alpha = {0,pi/2,…}`. A row is
Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r), inertias are about the link frame's origin with first moments, and
gravity G is given in frame 0. External wrenches, joint rates and torques in the file are inputs of a computation, not
properties of the robot: they are not read.

Rows 1 … NL are links with their joints, each on the row that `Ant` names. In a closed robot (Type 2) rows NL+1 … NJ are
the joints at which loops are cut, row i + NJ − NL is the frame on the other side of the cut at row i, and `Mu` names
the motors. Where the base moves (`is_mobile`: its motion is given, `is_floating`: it is solved for), the lists of
inertial parameters begin with link 0. An entry such as `t7-t2+pi/2` in another joint's row is a joint that follows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from fractions import Fraction

from manipula.errors import RobotFileError, caution
from manipula.mechanics.robot.actuator import actuator_from
from manipula.mechanics.robot.coordinates import Coordinate
from manipula.mechanics.robot.description import (
    AXES,
    BASE,
    SIX,
    Body,
    Cell,
    Frame,
    Joint,
    JointKind,
    Mounted,
    Origin,
    RobotDescription,
    Step,
    Steps,
)
from manipula.mechanics.robot.exact import Formula, is_zero, parameter_of, placement_from_steps, without_zeros
from manipula.mechanics.robot.formats.checks import warn_about
from manipula.mechanics.robot.formats.entry_checks import refuse_bad_names, refuse_heavy, told_apart
from manipula.mechanics.robot.formats.par.entries import (
    ACTUATOR,
    AT_REST,
    IDENTITY,
    ONE,
    SETTINGS,
    UNREAD,
    coordinate_from_entry,
    is_variable,
    split_variable,
)
from manipula.mechanics.robot.formats.par.table import ParTable
from manipula.mechanics.robot.formats.rows import steps_from_placement
from manipula.mechanics.robot.formats.snap_to_exact import Structure, finish_reading
from manipula.mechanics.robot.formats.source import (
    checked_text,
    errors_of,
    refuse_too_many,
    unknown_words,
    unread_words,
)
from manipula.mechanics.robot.loops import ClosedLoop
from manipula.mechanics.robot.precise import MP, PRECISE, precise, rpy_of
from manipula.mechanics.robot.precise import angle as angle_from_number
from manipula.mechanics.robot.suffixes import row_names, suffixes
from manipula.mechanics.robot.values.parameter import (
    ZERO,
    Num,
    names_of,
)
from manipula.mechanics.spatial.vector import Matrix, matmul, rotate, transpose
from manipula.messages import Message


def robot_from_par(text: str, file: str = "", exact: bool = False) -> RobotDescription:
    """The robot of a SYMORO file; `exact` keeps angles and lengths as written (see `structure`)."""
    structure = Structure(exact)
    with errors_of(file):
        robot = told_apart(_Reader(checked_text(text)).robot(file))
        refuse_heavy(robot)
        refuse_bad_names(robot)
        robot = finish_reading(robot, structure)
        warn_about(robot)
    structure.warn(file)
    return robot


class _Reader(ParTable):
    def robot(self, file: str) -> RobotDescription:
        self.refuse_structure()
        refuse_too_many(self.every)
        self.count_rows()
        self.refuse_lengths()
        self.note_unread()
        own = [*range(1, self.links + 1), *(row for row in self.cuts if self.is_driven(row))]
        kinds = {row: self.kind(row) for row in range(1, self.every + 1)}
        self.find_variables(kinds)
        self.names = dict(zip(own, row_names((kinds[row], None) for row in own)))
        moving = [("fixed" if row in self.followers else kinds[row], self.names[row], ()) for row in own]
        ends = suffixes(moving, 0, [""] if self.moving else ())
        joints = {row: self.joint(row, kinds[row], self.names[row], end) for row, end in zip(own, ends.rows)}
        base, turn = self.base()
        frames, loops = self.cut_loops(kinds)
        origin = Origin("par", "modified", "rad", "m", file, "", tuple(self.notes))
        robot = RobotDescription(
            self.name, tuple(joints[row] for row in self.parents_first(own)), self.gravity(turn), base, origin=origin,
            frames=frames, loops=loops, moving=self.moving,
            ground=tuple(Mounted((), self.base_body(end)) for end in ends.ground),
        )  # fmt: skip
        self.refuse_coupled(robot)
        if not loops:
            return robot
        driven = {self.names[row] for row in own if self.is_driven(row)}
        return replace(robot, motors=tuple(name for name in robot.joint_names if name in driven))

    def refuse_coupled(self, robot: RobotDescription) -> None:
        """A joint's variable may stand in its own row, and in those of joints that follow it."""
        for name in robot.names():
            if name in self.variables:
                raise RobotFileError(
                    "{name}, the variable of this joint, stands in another entry too",
                    name,
                    where=Message("joint {name}", self.variables[name]),
                    hint="coupled joints cannot be read",
                )

    def cut_loops(self, kinds: Mapping[int, JointKind]) -> tuple[tuple[Frame, ...], tuple[ClosedLoop, ...]]:
        """The two frames of every cut. A cut joint with a motor stays a joint, on a link without mass; its frame is
        welded to the other."""
        frames, loops = list[Frame](), list[ClosedLoop]()
        for number, row in enumerate(self.cuts, 1):
            twin = row + self.joints - self.links
            ends = [self.cut_frame(row, kinds[row]), self.cut_frame(twin, kinds[twin])]
            frames += ends
            free = {"revolute": "z", "prismatic": "slide z"}.get("" if row in self.names else kinds[row], "")
            loops.append(ClosedLoop(f"loop{number}", (ends[0].name, ends[1].name), free))
        return tuple(frames), tuple(loops)

    def cut_frame(self, row: int, kind: JointKind) -> Frame:
        """The frame of a row that has no link, by the number the file gives it."""
        name, end = f"frame{row}", f"_frame{row}"
        if row in self.names:
            return Frame(name, self.names[row])
        steps, at = self.whole_way(row, kind, end), self.on(row)
        seen = [row]
        while at > self.joints:  # one frame may stand on another
            if at in seen:
                raise RobotFileError(
                    "its antecedents lead round in a circle", where=Message("joint {name}", row), field="Ant",
                    hint="every joint stands on the base, through others",
                )  # fmt: skip
            seen.append(at)
            steps, at = self.whole_way(at, "fixed", f"_frame{at}") + steps, self.on(at)
        return Frame(name, self.names[at] if at else BASE, without_zeros(steps))

    def whole_way(self, row: int, kind: JointKind, end: str) -> Steps:
        """What a row places, less the motion of its joint."""
        theta, r = self.cell("theta", row, f"theta{end}"), self.cell("r", row, f"d{end}")
        turn = (Step("rz", theta),) if kind != "revolute" else ()
        return self.before(row, end) + turn + ((Step("tz", r),) if kind != "prismatic" else ())

    def base_body(self, end: str) -> Body:
        found = self.body(0, "revolute", end)
        assert found is not None
        return found

    def note_unread(self) -> None:
        """One note on what is no part of the models, one warning on settings that are not known."""
        there = [key for key in UNREAD if any(entry != "0" for entry in self.entries(key))]
        passive = any(mu == "0" and sigma != "2" for mu, sigma in zip(self.entries("mu"), self.entries("sigma")))
        if passive and self.type != "2":
            there.append("mu")  # every joint that moves is taken to have a motor
        there += [key for key in AT_REST if any(entry != "0" for entry in self.entries(key))]
        self.notes += unread_words(there)
        known = {key.lower(): key for key in SETTINGS}
        odd = [key for key in self.settings if key not in known]
        near = [known[word] for key in odd for word in get_close_matches(key, known, n=1)]
        for sentence in unknown_words(odd, near):
            caution(sentence)

    def joint(self, row: int, kind: JointKind, name: str, end: str) -> Joint:
        theta, r = self.cell("theta", row, f"theta{end}"), self.cell("r", row, f"d{end}")
        offset, direction, coordinate = Cell(f"offset{end}", ZERO), 1, None
        moving = theta if kind == "revolute" else r
        if row in self.followers:
            follows = self.followers[row]
            coordinate = Coordinate(tuple((self.names[lead], factor) for lead, factor in follows.terms.items()))
            offset = Cell(moving.name, follows.constant)
        elif kind != "fixed":
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
            parent=self.parent(row),
            coordinate=coordinate,
        )

    def parent(self, row: int) -> str | None:
        """Nothing said where it is the row before, as in a serial arm."""
        on = self.on(row)
        return None if on == row - 1 else self.names[on] if on else BASE

    def find_variables(self, kinds: Mapping[int, JointKind]) -> None:
        """Which joints have a variable of their own, and which follow others."""
        entries = {
            row: self.cell("theta" if kinds[row] == "revolute" else "r", row, "").parameter
            for row in range(1, self.joints + 1) if kinds[row] != "fixed"
        }  # fmt: skip
        own = {
            name: row
            for row, entry in entries.items()
            for name in names_of(entry)
            if is_variable(name, row, kinds[row])
        }
        for row, entry in entries.items():
            follows = coordinate_from_entry(entry, row, own)
            if follows is not None:
                self.followers[row] = follows

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
        """gamma and b only where the file uses them: a serial arm does not need them."""
        extra = (Step("rz", self.cell("gamma", row, f"gamma{end}")), Step("tz", self.cell("b", row, f"b{end}")))
        return (
            *without_zeros(extra),
            Step("rx", self.cell("alpha", row, f"alpha{end}")),
            Step("tx", self.cell("d", row, f"a{end}")),
        )

    def body(self, row: int, kind: JointKind, end: str) -> Body | None:
        absent = ZERO if kind == "fixed" or row > self.links else None  # a cut joint has no link
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


def _refuse_skewed(R: Matrix) -> None:
    """A rotation, to the digits people write."""
    square = matmul(R, transpose(R))
    error = max(MP.fabs(square[i][j] - (i == j)) for i in range(3) for j in range(3))
    if error > PRECISE.number(Fraction(1, 10**6)) or MP.det(MP.matrix([list(row) for row in R])) < 0:
        raise RobotFileError("its first three columns are not a rotation", field="Z", hint="orthonormal, right-handed")
