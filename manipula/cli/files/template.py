"""The commented robot file that `new` starts a person with. It loads as it is: every length a symbol."""

from __future__ import annotations

from collections.abc import Iterator

from manipula.errors import InputError

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
        raise InputError(
            "--joints {joints!r}: expected letters R (revolute), P (prismatic), F (fixed), such as RRP", joints
        )
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
