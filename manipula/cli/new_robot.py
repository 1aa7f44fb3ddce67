"""`new`: a robot file of one's own, from a template or from a table."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from manipula import api
from manipula.cli.terminal import options
from manipula.cli.terminal.command import Chosen, command
from manipula.cli.terminal.screen import say, say_json
from manipula.errors import InputError
from manipula.messages import Message
from manipula.support.files import write_text

if TYPE_CHECKING:
    from manipula.robot import Robot


# The commented robot file that `new` starts a person with. It loads as it is: every length a symbol.

_KINDS = {"R": "revolute", "P": "prismatic", "F": "fixed"}

_HEAD = """\
# A robot for manipula. Change the rows below, then: manipula show {name}
# A number is in the units named here, also in text ("L1 + 20"); units may be written ("90 deg", "40 cm"), pi is in
# radians ("pi/2"), names have SI values ("a2", "2*L1").
# A name without a value stays a symbol in the equations.
format = 1
name = "{name}"
convention = "{convention}"      # {meaning}
angle = "deg"                # of theta, alpha, rpy and revolute limits; or "rad"
length = "m"                 # of a, d, com, xyz and prismatic limits; or "cm", "mm"
gravity = [0, 0, -9.81]      # m/s², world frame, z up
inertia_about = "com"        # inertias about the centre of mass; or "origin": of the link frame
description = ""
source = ""                  # where the numbers come from

# [values]                   # values of names, SI
# a1 = 0.4

# [tool]                     # the tool frame seen from the last link; [base] likewise, seen from the world
# xyz = [0, 0, 0.1]
# rpy = [0, 0, 0]
"""

_JOINT = """
[[joint]]
name = "{name}"
type = "{kind}"
theta = 0                    # {theta}
d = 0                        # {d}
a = "a{end}"                     # {a}
alpha = 0                    # {alpha}
{moves}# mass = 1.0                 # kg; {absent}
# com = [0, 0, 0]            # centre of mass in the link frame
# inertia = {{ xx = 0.01, yy = 0.01, zz = 0.01, xy = 0, xz = 0, yz = 0 }}   # kg·m²
"""

_MOVES = """\
# limits = {limits:<18}# lowest and highest q
# motor_inertia = 0          # {unit}, seen at the joint
# friction = {{ viscous = 0, coulomb = 0, offset = 0 }}
"""

_MEANING = {
    "standard": 'row i: theta and d about z(i-1), then a and alpha about x(i); or "modified"',
    "modified": 'row i: alpha and a of x(i-1) first, then theta and d of z(i); or "standard"',
}


def template(name: str, joints: str, convention: str) -> str:
    """The file for joints such as "RRP"."""
    if convention not in _MEANING:
        raise InputError("--convention must be standard or modified, not {convention!r}", convention)
    wrong = [letter for letter in joints.upper() if letter not in _KINDS]
    if wrong or not joints:
        raise InputError("--joints {joints!r}: expected letters R (revolute), P (prismatic), F (fixed), such as RRP",
                         joints)  # fmt: skip
    head = _HEAD.format(name=name, convention=convention, meaning=_MEANING[convention])
    return head + "".join(
        _joint(name, end, letter, convention) for (name, end), letter in zip(_names(joints.upper()), joints.upper())
    )


def _names(letters: str) -> Iterator[tuple[str, str]]:
    """Each row's name, and what its cells' names end in: numbers count the joints that move."""
    moving = fixed = 0
    for letter in letters:
        moving, fixed = moving + (letter != "F"), fixed + (letter == "F")
        yield (f"fixed{fixed}", f"_fixed{fixed}") if letter == "F" else (f"joint{moving}", str(moving))


def _joint(name: str, end: str, letter: str, convention: str) -> str:
    kind = _KINDS[letter]
    before = "(i-1)" if convention == "modified" else ""
    turning = "offset of the joint angle: theta + q" if letter == "R" else "constant angle about z"
    sliding = "offset of the joint displacement: d + q" if letter == "P" else "offset along z"
    moves = "" if letter == "F" else _moves(letter)
    absent = f"absent inertial entries are symbols: m{end}, rx{end}, Ixx{end}, …"
    absent = absent if letter != "F" else "without this and the next two the row is a frame alone, without mass"
    return _JOINT.format(
        name=name, end=end, kind=kind, absent=absent, theta=turning, d=sliding, moves=moves,
        a=f"length of the link along x{before}: a number, or a name", alpha=f"twist about x{before}",
    )  # fmt: skip


def _moves(letter: str) -> str:
    turns = letter == "R"
    return _MOVES.format(limits="[-180, 180]" if turns else "[0, 0.5]", unit="kg·m²" if turns else "kg")


@command()
def new(
    name: str, *, joints: str = "", convention: str = "", table: str = "", angle: str = "", length: str = "",
    output: Path | None = None, catalogue: bool = False, force: bool = False, as_json: bool = False,
) -> None:  # fmt: skip
    """Make a robot file: a commented template, or a table you have.

    \b
    Examples:
      manipula new my_arm --joints RRPRRR
      manipula new my_arm --joints RRR --convention modified -o arms/my_arm.toml
      manipula new my_arm --from table.csv --angle deg
      manipula new my_arm --from -          then paste the table and end with Ctrl-D

    Args:
        name: The robot's name.
        joints: One letter a joint: R, P or F (fixed).
        convention (standard|modified): Denavit-Hartenberg convention.
        table (--from FILE): A table or robot file to start from; - reads a pasted table.
        angle (deg|rad): Unit of a table's bare angles.
        length (m|cm|mm): Unit of a table's bare lengths.
        catalogue: Keep it in your catalogue, for every folder.
    """
    path = _path(name, output, catalogue)
    options.refuse_existing(path, force)
    if bool(joints) == bool(table):
        raise InputError("say either --joints RRR for a template or --from FILE for a table")
    if table:
        robot = replace(_read(table, convention, angle, length), name=name)
        api.save(_tabular(robot) if path.suffix.lower() == ".toml" else robot, path)
    else:
        write_text(path, template(name, joints, convention or "standard"))
    made = api.load(path)
    if as_json:
        say_json({"name": made.name, "file": str(path), "dof": made.dof, "kind": made.kind})
        return
    say(Message("{path}: {freedoms}. Next: manipula show {path}, manipula edit {path}", path, made.freedoms))


def _path(name: str, output: Path | None, catalogue: bool) -> Path:
    if not re.fullmatch(r"[^\W_][\w.+-]*", name):
        raise InputError("{name!r} cannot name a robot; use letters, digits, _ and -", name)
    if output is not None:
        return output / f"{name}.toml" if output.is_dir() else output
    if options.in_library(name):
        raise InputError("{name!r} is a library robot; choose another name", name)
    return (options.needed_catalogue() if catalogue else Path()) / f"{name}.toml"


def _read(table: str, convention: str, angle: str, length: str) -> Robot:
    given = {"convention": convention, "angle": angle, "length": length}
    settings: Chosen = {key: value for key, value in given.items() if value}
    if table == "-":
        from manipula.robot import Robot

        return Robot.from_text(sys.stdin.read(), "dh", file="the pasted table", **settings)
    file = api.formats().get(Path(table).suffix.lower())
    if file is not None and file.takes("columns"):
        return api.load(table, **settings)
    if settings:
        raise InputError("{table}: --{iter} is for tables (.csv .txt); this file says its own",
                         table, next(iter(settings)))  # fmt: skip
    return options.find(table)


def _tabular(robot: Robot) -> Robot:
    """A TOML file holds a Denavit–Hartenberg table; other robots are converted to one."""
    return api.convert(robot, "standard") if robot.origin.convention == "urdf" else robot
