"""A derivation of inverse kinematics followed in numbers: for every choice of signs its lines, one after another, give
joints, and these bring the tool to the target.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import atan2, cos, isnan, pi, sin
from random import Random
from typing import Any

from manipula.algebra.show.notation import SIGN
from manipula.algebra.simplify.tree import (
    FormulaCall,
    FormulaNumber,
    FormulaProduct,
    FormulaTree,
    Inverse,
    Power,
    Sum,
    Symbol,
    Trig,
    evaluate_tree,
    leaves,
)
from manipula.derivations.board import DerivationBoard
from manipula.errors import ProofError
from manipula.ik.derivation.derivation import COLUMNS
from manipula.mechanics.models.kinematics.pose import pose
from manipula.mechanics.spatial.floats import FLOATS
from manipula.messages import Message
from manipula.pages.derivation import Derivation
from manipula.pages.steps import Equation

TRIES = 4  # configurations at which every branch is followed
FREE = 6  # joints that any pose needs
CLOSE = 1e-7  # of a metre or radian


def with_branches_followed(
    board: DerivationBoard,
    derivation: Derivation,
    choices: int,
    chosen: Sequence[bool] | None = None,
    task: str = "position",
) -> Derivation:
    before = derivation.prover

    def run(one: Derivation) -> str:
        said = before(one) if before else ""
        whole = follow_branches(board, one, choices, chosen, task)
        return Message(
            "{said} Every branch reaches the target in numbers, at {tries} configurations."
            if whole
            else "{said} In numbers, at {tries} configurations, a branch reaches the target; others have its position "
            "or its orientation alone.",
            said,
            TRIES,
        )

    return replace(derivation, prover=run).with_proof()


def follow_branches(
    board: DerivationBoard, derivation: Derivation, choices: int, chosen: Sequence[bool] | None, task: str
) -> bool:
    """`ProofError` where no branch leads back to the joints, or one that has numbers misses the target. Of an arm of
    few joints, which reaches few poses, a branch may have the position or the orientation alone: False."""
    rng, whole = Random(7), True
    for _ in range(TRIES):
        numbers = {name: rng.uniform(0.2, 0.9) for name in board.structure.free}
        chain = board.structure.bound_tree(FLOATS, numbers)
        q = [rng.uniform(-2.5, 2.5) if link.kind.turns else rng.uniform(0.2, 0.8) for link in chain.links]
        target = pose(chain, q).rows()
        hits = 0
        for signs in product((1.0, -1.0), repeat=choices):
            angles = _branch(board, derivation, target, numbers, signs, chosen, sum(q))
            if angles is None:
                continue
            got = pose(chain, angles).rows()
            misses = [
                any(abs(got[i][j] - target[i][j]) > CLOSE for i in range(3) for j in columns)
                for columns in ([(3,)] if task == "position" else [(3,), (0, 1, 2)])
            ]
            whole = whole and not any(misses)
            if all(misses) or (any(misses) and board.dof >= FREE):
                raise ProofError("{name}: a branch of the derivation misses the target", board.robot.name)
            hits += all(_same(a, b, link.kind.turns) for a, b, link in zip(angles, q, chain.links, strict=True))
        if not hits:
            raise ProofError("{name}: no branch of the derivation leads back to the joints", board.robot.name)
    return whole


def _same(a: float, b: float, turns: bool) -> bool:
    off = a - b
    return abs((off + pi) % (2 * pi) - pi if turns else off) < CLOSE


def _branch(
    board: DerivationBoard, derivation: Derivation, target: Any, numbers: Mapping[str, float], signs: Sequence[float],
    chosen: Sequence[bool] | None, total: float,
) -> list[float] | None:  # fmt: skip
    """The joints of one choice of signs; nothing where a root has no real value."""
    env: dict[str, float] = dict(numbers) | {"x": target[0][3], "y": target[1][3], "phi": total}
    env |= {f"{c}{axis}": target[i][j] for j, c in enumerate(COLUMNS) for i, axis in enumerate("xyz")}
    parts: dict[tuple[str, Any], float] = {}
    sums: list[tuple[Any, float]] = []
    named: dict[str, Any] = {}
    flow = iter(signs)
    for place, step in enumerate(derivation.steps):
        lines = [x for part in (step, *step.substeps) for x in part.equations]
        takes = chosen[place] if chosen is not None else any(map(_has_sign, lines))
        env[SIGN] = next(flow) if takes else 0.0
        for x in lines:
            if x.result is None or isinstance(x.result, tuple):
                continue
            try:
                _take(x, env, parts, sums, named)
            except KeyError:  # an equation that the next lines solve
                continue
            except (ValueError, ZeroDivisionError):
                return None
    found = [env.get(f"q{i + 1}") for i in range(board.dof)]
    return None if any(x is None or isnan(x) for x in found) else [float(x) for x in found if x is not None]


def _has_sign(x: Equation) -> bool:
    return any(isinstance(y, Symbol) and y.name == SIGN for y in leaves(x.entries))


def _take(
    x: Equation, env: dict[str, float], parts: dict[tuple[str, Any], float], sums: list[tuple[Any, float]],
    named: dict[str, Any],
) -> None:  # fmt: skip
    """What one line makes known: a name, a cosine and a sine, an angle, a sum of angles of which one is unknown."""
    assert isinstance(x.result, FormulaTree)
    if isinstance(x.left, Symbol) and x.names and x.left.name.startswith("theta"):
        named[x.left.name] = _angle_of(x.result)
        return
    value = _number(x.result, env, parts)
    if isinstance(x.left, Trig):
        parts[x.left.op, x.left.angle] = value
        c, s = parts.get(("cos", x.left.angle)), parts.get(("sin", x.left.angle))
        if c is not None and s is not None:
            _settle(x.left.angle, atan2(s, c), env, sums)
    elif isinstance(x.left, Symbol):
        if x.left.name in named:
            env[x.left.name] = value
            _settle(named[x.left.name], value, env, sums)
        elif x.names or (x.left.name.startswith("q") and x.left.name[1:].isdigit()):
            env.setdefault(x.left.name, value)
            _settle(((x.left, 1),), value, env, sums)


def _angle_of(tree: FormulaTree) -> Any:
    terms = tree.terms if isinstance(tree, Sum) else (tree,)
    return tuple((t.factors[-1], -1) if isinstance(t, FormulaProduct) else (t, 1) for t in terms)


def _settle(angle: Any, value: float, env: dict[str, float], sums: list[tuple[Any, float]]) -> None:
    names = [(leaf.name, times) for leaf, times in angle if isinstance(leaf, Symbol)]
    if len(names) == 1:
        env.setdefault(names[0][0], value * names[0][1])
    else:
        sums.append((angle, value))


def _number(tree: FormulaTree, env: dict[str, float], parts: Mapping[tuple[str, Any], float]) -> float:
    """A sine or cosine that a line above gives is taken from there: its angle may not be known yet."""

    def value(x: FormulaTree) -> float:
        match x:
            case Trig(op, angle) if (op, angle) in parts:
                return parts[op, angle]
            case Trig(op, angle):
                total = sum(times * value(leaf) for leaf, times in angle)
                return cos(total) if op == "cos" else sin(total)
        return float(evaluate_tree(_replaced(x, value), env, FLOATS))

    found = value(tree)
    if isnan(found):
        raise ValueError
    return found


def _replaced(x: FormulaTree, value: Callable[[FormulaTree], float]) -> FormulaTree:
    """Sines and cosines as numbers."""
    match x:
        case Trig():
            return FormulaNumber(Fraction(value(x)))
        case Sum(terms):
            return Sum(tuple(_replaced(t, value) for t in terms))
        case FormulaProduct(factors):
            return FormulaProduct(tuple(_replaced(t, value) for t in factors))
        case Power(base, exponent):
            return Power(_replaced(base, value), exponent)
        case Inverse(bottom):
            return Inverse(_replaced(bottom, value))
        case FormulaCall(op, args):
            return FormulaCall(op, tuple(_replaced(t, value) for t in args))
    return x
