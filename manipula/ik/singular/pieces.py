"""Which determinants say where an arm is singular.

Up to three joints: of the Jacobian's rows that are not zero, if there are as many as joints (a planar arm: x, y and its
angle); else of the rows of the tool's position; if there are more of these than joints, det JᵀJ. Four and five joints:
where there are as many such rows (a SCARA: x, y, z and its angle). Six joints of which the last three meet in a point
W:

    det J = det J11 · det J22        J11: velocity of W by joints 1–3, J22: the axes of joints 4–6

Source: Siciliano, Sciavicco, Villani, Oriolo, "Robotics: Modelling, Planning and Control" (2009), section 3.3.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from manipula.algebra.expr.field import FieldMaths, value_of
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Expr, Graph
from manipula.errors import InputError
from manipula.generation.structure import ArmStructure
from manipula.mechanics.models.kinematics.determinant import determinant
from manipula.mechanics.models.kinematics.jacobian import jacobian
from manipula.mechanics.models.kinematics.manipulability import upright
from manipula.mechanics.robot.tree import Tree, in_series
from manipula.mechanics.spatial.placement import HERE, Placement
from manipula.mechanics.spatial.vector import Vector, column, cross, dot, sub
from manipula.messages import Message, joined

DRAWS = ("one", "other")
WORDS = ("x", "y", "z", Message("angle about x"), Message("angle about y"), Message("angle about z"))
_FEW = 3


@dataclass(frozen=True)
class Piece:
    """A determinant as a function of the joints, and what it is of."""

    name: str  # J, J11, J22
    says: str
    function: Function
    names: tuple[str, ...] = ()  # of a singularity in it: of what moves the last joint alone, and of any other


@dataclass(frozen=True)
class Pieces:
    """`rows` are those of the Jacobian, on the first joint's axes, that lose rank with the determinants."""

    structure: ArmStructure
    rows: tuple[int, ...]
    pieces: tuple[Piece, ...]

    def matrix(self, chain: Tree, q: Sequence[float]) -> list[list[float]]:
        """Those rows of an arm in numbers."""
        J: Any = jacobian(upright(chain), q)
        return [J[row] for row in self.rows]


def pieces_of(structure: ArmStructure) -> Pieces:
    """The determinants of an arm; `InputError` where there is no rule for it."""
    robot = structure.robot
    moving = [row for row in range(6) if not all(_zeros(structure, seed, row) for seed in DRAWS)]
    if robot.dof <= _FEW or robot.dof == len(moving) < 6:
        return _few(structure, moving)
    centre = _centre(structure) if robot.dof == 6 else None
    if centre is None:
        raise InputError(
            "{name}: singular configurations are written out for arms of up to three joints, for four or five that "
            "move the tool in as many ways, as those of a SCARA do, and for six joints of which the last three meet in "
            "a point; this one has {dof}{apart}. mp.Arm(robot).manipulability(q) is a number anywhere",
            robot.name,
            robot.dof,
            Message(", and they do not") if robot.dof == 6 else "",
        )
    return _wrist(structure, centre)


class _Drawn:
    """The arm over expressions, its joints' symbols, and functions of them."""

    def __init__(self, structure: ArmStructure) -> None:
        self.graph = Graph()
        self.maths = ExprMaths(self.graph)
        self.letters = structure.symbols(self.graph.symbol)
        self.chain = upright(structure.merged(self.maths, self.letters))
        self.q = [self.graph.symbol(f"q{i + 1}", online=True) for i in range(self.chain.dof)]

    def function(self, name: str, value: Any) -> Function:
        root = value if isinstance(value, Expr) else self.graph.const(value)
        inputs = (Input("q", tuple(self.q)), Input("p", tuple(self.letters.values()), role="parameter"))
        return Function(f"det {name}", self.graph, inputs, (Output(f"det {name}", (), (root,)),))


# as many rows as joints, or few joints


def _few(structure: ArmStructure, moving: list[int]) -> Pieces:
    linear, n = [row for row in moving if row < 3], structure.robot.dof
    rows = moving if len(moving) == n else linear
    drawn = _Drawn(structure)
    J: Any = jacobian(drawn.chain, drawn.q)
    J = [J[row] for row in rows]
    square = len(rows) == n
    A = J if square else [[dot(one, other) for other in zip(*J)] for one in zip(*J)]
    said = Message("the tool's {ways}", joined(", ", (WORDS[row] for row in rows)))
    name = "J" if square else "JᵀJ"
    found = determinant(A) if len(rows) >= n else 0
    piece = Piece(name, said, drawn.function(name, found))
    if len(rows) < n or all(_vanishes(piece.function, seed) for seed in DRAWS):
        raise InputError(
            "{name}: its {n} joints move {said} in fewer ways than they are",
            structure.robot.name,
            n,
            said or Message("nothing"),
        )
    return Pieces(structure, tuple(rows), (piece,))


def _zeros(structure: ArmStructure, seed: str, row: int) -> bool:
    maths = FieldMaths(f"rows {seed}")
    chain = upright(structure.merged(maths, structure.symbols(maths.symbol)))
    J: Any = jacobian(chain, [maths.symbol(f"joint {i}") for i in range(chain.dof)])
    return all(_nothing(x) for x in J[row])


def _vanishes(function: Function, seed: str) -> bool:
    maths = FieldMaths(f"determinant {seed}")
    names = [name for port in function.inputs for name in port.names]
    [found] = function({name: maths.symbol(name) for name in names}, maths).values()
    return _nothing(found[0])


def _nothing(x: Any) -> bool:
    return (x if isinstance(x, int) else value_of(x)) == 0


# three axes that meet


def _wrist(structure: ArmStructure, centre: int) -> Pieces:
    drawn = _Drawn(structure)
    chain, q = drawn.chain, drawn.q
    still = [0 for _ in range(3)]
    point = _feet(replace(chain, links=in_series(chain.links[3:])), still)[centre].p
    arm = replace(chain, links=chain.links[:3], tool=Placement(p=point), tip=None)
    hand = replace(chain, links=in_series(chain.links[3:]), tip=None)
    J11: Any = jacobian(arm, q[:3])[:3]
    J22: Any = jacobian(upright(hand), q[3:])[3:]
    turning = all(link.kind.pivots for link in chain.links[:3])
    names = ("elbow", "shoulder") if turning else ("arm", "arm")
    return Pieces(structure, tuple(range(6)), (
        Piece("J11", "the point where the last three axes meet, by joints 1 to 3",
              drawn.function("J11", determinant(J11)), names),
        Piece("J22", "the axes of joints 4 to 6", drawn.function("J22", determinant(J22)), ("wrist", "wrist")),
    ))  # fmt: skip


def _centre(structure: ArmStructure) -> int | None:
    """The joint behind the third, counted from 0, whose foot lies on all three axes; None where there is none."""
    found = [_meeting(structure, seed) for seed in DRAWS]
    both = [k for k in range(3) if all(k in one for one in found)]
    return both[0] if both else None


def _meeting(structure: ArmStructure, seed: str) -> set[int]:
    maths = FieldMaths(f"wrist {seed}")
    chain = structure.merged(maths, structure.symbols(maths.symbol))
    links = chain.links[3:]
    if not all(link.kind.pivots for link in links):
        return set()
    feet = _feet(replace(chain, links=in_series(links)), [maths.symbol(f"joint {i}") for i in range(3)])
    return {k for k, foot in enumerate(feet) if all(_on_axis(foot.p, other) for other in feet)}


def _feet(hand: Tree, q: Sequence[Any]) -> list[Placement]:
    """Where the joints of the last three links stand, seen from the third link."""
    found, at = [], HERE
    for link, motion in zip(hand.links, hand.motions(q), strict=True):
        found.append(at @ link.before)
        at = found[-1] @ motion @ link.after
    return found


def _on_axis(p: Vector, foot: Placement) -> bool:
    return all(_nothing(x) for x in cross(sub(p, foot.p), column(foot.R, 2)))
