"""Which determinants say where an arm is singular.

Up to three joints: of the Jacobian's rows that are not zero, if there are as many as joints (a planar arm: x, y and its
angle); else of the rows of the tool's position, of its orientation where no position is moved (a wrist), or of all; if
there are more of these than joints, det JᵀJ. Four and five joints:
where there are as many such rows (a SCARA: x, y, z and its angle). Six joints of which the last three meet in a point
W:

    det J = det J11 · det J22        J11: velocity of W by joints 1–3, J22: the axes of joints 4–6

Source: Siciliano, Sciavicco, Villani, Oriolo, "Robotics: Modelling, Planning and Control" (2009), section 3.3.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from manipula.algebra.expr.field import FieldMaths, value_of
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.simplify.tree import (
    MINUS,
    ONE,
    ZERO,
    Angle,
    FormulaCall,
    FormulaNumber,
    FormulaProduct,
    FormulaTree,
    Inverse,
    Power,
    Sum,
    Symbol,
    Trig,
    leaves,
    power_of,
    product_of,
    sum_of,
)
from manipula.errors import InputError
from manipula.generation.arm_structure import ArmStructure
from manipula.mechanics.models.kinematics.jacobian import determinant, jacobian, upright
from manipula.mechanics.robot.tree import Tree, in_series
from manipula.mechanics.spatial.placement import HERE, Placement
from manipula.mechanics.spatial.vector import Vector, column, cross, dot, sub
from manipula.messages import Message, join_messages

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
    # in the field: exact, where a sample in floats would have to guess what is zero
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
        self.chain = upright(structure.bound_tree(self.maths, self.letters))
        self.q = [self.graph.symbol(f"q{i + 1}", online=True) for i in range(self.chain.dof)]

    def function(self, name: str, value: Any) -> Function:
        root = value if isinstance(value, Expr) else self.graph.const(value)
        inputs = (Input("q", tuple(self.q)), Input("p", tuple(self.letters.values()), role="parameter"))
        return Function(f"det {name}", self.graph, inputs, (Output(f"det {name}", (), (root,)),))


# as many rows as joints, or few joints


def _few(structure: ArmStructure, moving: list[int]) -> Pieces:
    """Of as many rows as joints, else of the position, of the orientation (a wrist), of all rows: the first that do not
    lose rank everywhere."""
    n = structure.robot.dof
    linear, angular = [row for row in moving if row < 3], [row for row in moving if row >= 3]
    drawn = _Drawn(structure)
    J: Any = jacobian(drawn.chain, drawn.q)
    for rows in [moving] if len(moving) == n else [linear, angular, moving]:
        if len(rows) < n:
            continue
        some = [J[row] for row in rows]
        square = len(rows) == n
        name = "J" if square else "JᵀJ"
        A = some if square else [[dot(one, other) for other in zip(*some)] for one in zip(*some)]
        function = drawn.function(name, determinant(A))
        if not all(_vanishes(function, seed) for seed in DRAWS):
            said = Message("the tool's {ways}", join_messages(", ", (WORDS[row] for row in rows)))
            return Pieces(structure, tuple(rows), (Piece(name, said, function),))
    raise InputError(
        "{name}: singular in every configuration: its {n} joints never move the tool in {n} independent ways",
        structure.robot.name,
        n,
    )


def _zeros(structure: ArmStructure, seed: str, row: int) -> bool:
    maths = FieldMaths(f"rows {seed}")
    chain = upright(structure.bound_tree(maths, structure.symbols(maths.symbol)))
    J: Any = jacobian(chain, [maths.symbol(f"joint {i}") for i in range(chain.dof)])
    return all(_nothing(x) for x in J[row])


def _vanishes(function: Function, seed: str) -> bool:
    maths = FieldMaths(f"determinant {seed}")
    names = [name for port in function.inputs for name in port.names]
    [outputs] = function({name: maths.symbol(name) for name in names}, maths).values()
    return _nothing(outputs[0])


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
    """The joint behind the third, counted from 0, whose foot lies on all three axes; None where it is missing."""
    draws = [_meeting_axes(structure, seed) for seed in DRAWS]
    # two draws: letters may meet by chance at one
    both = [k for k in range(3) if all(k in one for one in draws)]
    return both[0] if both else None


def _meeting_axes(structure: ArmStructure, seed: str) -> set[int]:
    maths = FieldMaths(f"wrist {seed}")
    chain = structure.bound_tree(maths, structure.symbols(maths.symbol))
    links = chain.links[3:]
    if not all(link.kind.pivots for link in links):
        return set()
    feet = _feet(replace(chain, links=in_series(links)), [maths.symbol(f"joint {i}") for i in range(3)])
    return {k for k, foot in enumerate(feet) if all(_on_axis(foot.p, other) for other in feet)}


def _feet(hand: Tree, q: Sequence[Any]) -> list[Placement]:
    """Where the joints of the last three links stand, seen from the third link."""
    feet, at = [], HERE
    for link, motion in zip(hand.links, hand.motions(q), strict=True):
        feet.append(at @ link.before)
        at = feet[-1] @ motion @ link.after
    return feet


def _on_axis(p: Vector, foot: Placement) -> bool:
    return all(_nothing(x) for x in cross(sub(p, foot.p), column(foot.R, 2)))


# Where a factor of a determinant is zero, solved for an angle or a shift where that is one formula.
#
# sin x = 0: x = 0, π            cos x = 0: x = ±π/2            A cos x + B sin x = 0: x = atan2(−A, B), + π
# cos x = r: x = ±atan2(√(1 − r²), r)            sin x = r: x = y, π − y with y = atan2(r, √(1 − r²))
# A cos x + B sin x + C = 0: x = atan2(B, A) ± atan2(√(A² + B² − C²), −C)            A q + C = 0: q = −C/A

Solved = tuple[FormulaTree, tuple[FormulaTree, ...]]  # what is solved for, and its values
PI = Symbol("pi", False)
_HALF = product_of([FormulaNumber(Fraction(1, 2)), PI])


def variables(tree: FormulaTree) -> list[str]:
    """The joints it depends on, each once."""
    names: dict[str, None] = {}
    for leaf in leaves([tree]):
        inner = leaves(x for x, _ in leaf.angle) if isinstance(leaf, Trig) else [leaf]
        names |= {x.name: None for x in inner if isinstance(x, Symbol) and x.online}
    return list(names)


def solve_factor(factor: FormulaTree) -> Solved | None:
    """The zeros of a factor; None where they are no single formula, and the equation itself is the answer."""
    if isinstance(factor, Power):
        return solve_factor(factor.base)
    if isinstance(factor, Symbol) and factor.online:
        return factor, (ZERO,)
    parts = _parts(factor)
    if parts is None:
        return None
    unknown, (A, B, C), turns = parts
    return unknown, _angles(A, B, C) if turns else (_over(product_of([MINUS, C]), A),)


def _angles(A: FormulaTree, B: FormulaTree, C: FormulaTree) -> tuple[FormulaTree, ...]:
    """The zeros of A cos x + B sin x + C."""
    # the plain cases first: a reader expects 0, π and ±π/2, not their arc tangents
    if C == ZERO and A == ZERO:
        return ZERO, PI
    if C == ZERO and B == ZERO:
        return _HALF, product_of([MINUS, _HALF])
    if C == ZERO:
        first = FormulaCall("atan2", (product_of([MINUS, A]), B))
        return first, sum_of([first, PI])
    if ZERO in (A, B):
        part = _over(C, B if A == ZERO else A)
        ratio = product_of([MINUS, part])  # the sine, or the cosine
        other = _root([ONE, product_of([MINUS, power_of(part, 2)])])
        if A == ZERO:
            first = FormulaCall("atan2", (ratio, other))
            return first, sum_of([PI, product_of([MINUS, first])])
        first = FormulaCall("atan2", (other, ratio))
        return first, product_of([MINUS, first])
    lead = FormulaCall("atan2", (B, A))
    squares = [power_of(A, 2), power_of(B, 2), product_of([MINUS, power_of(C, 2)])]
    apart = FormulaCall("atan2", (_root(squares), product_of([MINUS, C])))
    return sum_of([lead, apart]), sum_of([lead, product_of([MINUS, apart])])


def _over(top: FormulaTree, bottom: FormulaTree) -> FormulaTree:
    """A number below is a factor: z3, not z3/1."""
    return product_of([top, FormulaNumber(1 / bottom.value) if isinstance(bottom, FormulaNumber) else Inverse(bottom)])


def _root(terms: list[FormulaTree]) -> FormulaTree:
    """√ of a sum in which numbers are one number."""
    number = sum((x.value for x in terms if isinstance(x, FormulaNumber)), Fraction(0))
    return FormulaCall(
        "sqrt", (sum_of([FormulaNumber(number), *(x for x in terms if not isinstance(x, FormulaNumber))]),)
    )


def _parts(factor: FormulaTree) -> tuple[FormulaTree, tuple[FormulaTree, FormulaTree, FormulaTree], bool] | None:
    """x and (A, B, C) of A cos x + B sin x + C, or of A x + C where it is no angle; None of anything else."""
    terms = factor.terms if isinstance(factor, Sum) else (factor,)
    split = [_term(term) for term in terms]
    unknowns = {_unknown(leaf) for leaf, _ in split if leaf is not None}
    if len(unknowns) != 1 or any(variables(rest) for _, rest in split):
        return None
    turns = {isinstance(leaf, Trig) for leaf, _ in split if leaf is not None}
    if len(turns) != 1:
        return None
    sines = sum_of(rest for leaf, rest in split if isinstance(leaf, Trig) and leaf.op == "sin")
    others = sum_of(rest for leaf, rest in split if leaf is not None and getattr(leaf, "op", "cos") == "cos")
    rest = sum_of(rest for leaf, rest in split if leaf is None)
    return next(iter(unknowns)), (others, sines, rest), turns.pop()


def _term(term: FormulaTree) -> tuple[FormulaTree | None, FormulaTree]:
    """(the sine, the cosine or the shift in it, what it is multiplied by)"""
    factors = term.factors if isinstance(term, FormulaProduct) else (term,)
    moving = [x for x in factors if variables(x)]
    if len(moving) != 1 or not isinstance(moving[0], Trig | Symbol):
        return None, term
    return moving[0], product_of([ONE, *(x for x in factors if x is not moving[0])])


def _unknown(leaf: FormulaTree) -> FormulaTree:
    return angle_tree(leaf.angle) if isinstance(leaf, Trig) else leaf


def angle_tree(angle: Angle) -> FormulaTree:
    """q2 + q3 of the angle of a sine."""
    return sum_of(product_of([FormulaNumber(Fraction(times)), leaf]) for leaf, times in angle)


def without_number(tree: FormulaTree) -> tuple[Fraction, FormulaTree]:
    """(the number in front, the rest)"""
    factors = tree.factors if isinstance(tree, FormulaProduct) else (tree,)
    numbers = [x.value for x in factors if isinstance(x, FormulaNumber)]
    value = Fraction(1)
    for x in numbers:
        value *= x
    return value, product_of([ONE, *(x for x in factors if not isinstance(x, FormulaNumber))])


def moving_factors(factors: Iterator[tuple[FormulaTree, int]]) -> tuple[FormulaTree, list[FormulaTree]]:
    """(the product of all, the factors that the joints change, each once)"""
    whole, moving = list[FormulaTree](), list[FormulaTree]()
    for tree, times in factors:
        value, bare = without_number(tree)
        whole.append(product_of([FormulaNumber(value**times), power_of(bare, times)]))
        inner = bare.factors if isinstance(bare, FormulaProduct) else (bare,)
        moving += [x.base if isinstance(x, Power) else x for x in inner if variables(x)]
    return product_of(whole), list(dict.fromkeys(moving))
