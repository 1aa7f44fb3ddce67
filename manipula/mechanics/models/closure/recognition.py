"""Which loops of a robot a formula closes, and on which branch, seen in floats where the loops are closed.

Loop by loop: what is known grows by what the last formula gave. Axes must lie as the formula wants them at every closed
position found; the signs of its roots are those that give the position that is meant. Derived here from the conditions
at the head of each formula.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import pi

import numpy as np

from manipula.errors import InputError, some_of
from manipula.mechanics.models.closure.assembly import Array, NumericLinkage
from manipula.mechanics.models.closure.closed_forms import (
    ClosedForm,
    RingFormulas,
    close_in_formulas,
    reverse,
    walk_around,
)
from manipula.mechanics.models.closure.constraint import sides
from manipula.mechanics.robot.tree import LoopCut

ALIGNED = 1e-9  # of 1, and of the size: axes that are parallel, cross or meet
MISSED = 1e-6  # rad, and of the size: formulas that do not close the loops


def closed_forms(
    linkage: NumericLinkage, given: Sequence[int], meant: Array, others: Sequence[Array]
) -> tuple[ClosedForm, ...]:
    """The formulas that give all coordinates from those given, loop by loop; branches are those of the closed position
    that is meant. `others` are positions at which what was recognised must hold, too."""
    known, forms, left = set(given), list[ClosedForm](), list(range(len(linkage.tree.cuts)))
    while len(known) < linkage.n:
        found = next((f for k in left if (f := _recognised(linkage, k, known, meant, others)) is not None), None)
        if found is None:
            names = linkage.of.names
            missing = some_of([names[c] for c in range(linkage.n) if c not in known])
            raise InputError(
                "{robot}: no formula gives the positions of {missing} from those of {given}: name more joints in "
                "positions=, or leave it out and close the loops by robot.close",
                linkage.robot, missing, some_of([names[c] for c in sorted(known)]),
            )  # fmt: skip
        forms.append(found)
        left.remove(found.cut)
        known |= set(found.coordinates)
    _refuse_far(linkage, given, tuple(forms), meant, others)
    return tuple(forms)


def _refuse_far(
    linkage: NumericLinkage, given: Sequence[int], forms: tuple[ClosedForm, ...], meant: Array, others: Sequence[Array]
) -> None:
    """The formulas must give the position from which they were read, and close the loops at others, if they can."""
    texts = "; ".join(map(str, forms))

    def solved(q: Array) -> Array:
        found: Array = np.array(close_in_formulas(linkage.tree, forms, {c: float(q[c]) for c in given}).q, dtype=float)
        return found

    error = float(np.abs((solved(meant) - meant) / linkage.units[1]).max())
    if not error < MISSED:
        raise InputError(
            "{robot}: the formulas of its loops ({forms}) miss the closed position by {error:.2g}: it is too near a "
            "singular one to tell the branch; give near= another pose", linkage.robot, texts, error,
        )  # fmt: skip
    gaps = [linkage.gap(q) for q in map(solved, others) if np.isfinite(q).all()]
    if max(gaps, default=0.0) > MISSED * max(linkage.size, 1.0):
        raise InputError(
            "{robot}: the formulas of its loops ({forms}) leave a gap of {gap:.2g} m or rad: its loops are only nearly "
            "those of the formulas", linkage.robot, texts, max(gaps),
        )  # fmt: skip


def _recognised(
    linkage: NumericLinkage, number: int, known: set[int], meant: Array, others: Sequence[Array]
) -> ClosedForm | None:
    tree, cut = linkage.tree, linkage.tree.cuts[number]
    for back in (False, True):
        if back and len(cut.joint.turns) + (cut.joint.pair is not None) > 0:
            return None  # only a ball is the same from both sides
        way = reverse(cut) if back else cut
        inward, outward = sides(tree, way)
        order = [*reversed(inward), *outward]
        moved = _moved(linkage, order, known)
        if moved is None or not moved:
            return None
        joints = tuple(i for i in order if i in moved)
        kinds = "".join("R" if tree.links[i].kind.pivots else "P" if tree.links[i].kind.slides else "?" for i in joints)
        form = ClosedForm(
            cut.name, number, "", tuple(moved[i] for i in joints), joints,
            tuple(linkage.of.names[moved[i]] for i in joints), (), (), back,
        )  # fmt: skip
        word = _word(kinds, cut)
        if word and all(_fits(linkage, replace(form, word=word), q) for q in (meant, *others)):
            plane = int(np.argmin(np.abs(_numbers_of(linkage, form, meant)[0][0])))
            return _on_branch(linkage, replace(form, word=word, across=plane), meant)
    return None


def _moved(linkage: NumericLinkage, order: Sequence[int], known: set[int]) -> dict[int, int] | None:
    """Joint → coordinate of those not known; None where a coordinate moves several joints of the loop, or in part."""
    found: dict[int, int] = {}
    for i in order:
        terms = [(c, k) for c, k in linkage.of.rows[i].terms if c not in known]
        if len(terms) > 1 or any(abs(k) != 1 or c in found.values() for c, k in terms):
            return None
        found.update((i, c) for c, _ in terms)
    return found


def _word(kinds: str, cut: LoopCut) -> str:
    if len(cut.joint.lines) < 3:
        return "RR" if kinds == "RR" else ""
    if cut.joint.pair is not None or len(cut.joint.turns) == 3:
        return ""
    ball = not cut.joint.turns
    return {"RR": "RRR", "RP": "RP", "PR": "PR", "R": "R", **({"RRP": "UPS"} if ball else {})}.get(kinds, "")


def _numbers_of(linkage: NumericLinkage, form: ClosedForm, q: Array) -> list[tuple[Array, Array]]:
    """Axis and point of every joint of a form, with those joints at 0."""
    cut = linkage.tree.cuts[form.cut]
    q_joints = linkage.of.spread(_at_zero(form, q))
    passed, _ = walk_around(linkage.tree, reverse(cut) if form.back else cut, q_joints, form.joints)
    return [(np.array(x.z, dtype=float), np.array(x.foot, dtype=float)) for x in passed]


def _at_zero(form: ClosedForm, q: Array) -> list[float]:
    """A position with the joints of a form at 0."""
    return [0.0 if c in form.coordinates else float(x) for c, x in enumerate(q)]


def _fits(linkage: NumericLinkage, form: ClosedForm, q: Array) -> bool:
    """Whether its axes lie as the formula wants them: parallel turns, slides across them, a cross in a leg."""
    found = _numbers_of(linkage, form, q)
    axes = [z for z, _ in found]
    if form.word == "UPS":
        (z1, p1), (z2, p2), _ = found
        apart = abs(float(np.dot(p2 - p1, np.cross(z1, z2))))
        return abs(float(np.dot(z1, z2))) < ALIGNED and apart < ALIGNED * linkage.size
    turning = [z for z, i in zip(axes, form.joints) if linkage.tree.links[i].kind.pivots]
    sliding = [z for z, i in zip(axes, form.joints) if not linkage.tree.links[i].kind.pivots]
    joint = linkage.tree.cuts[form.cut].joint
    pins = list[Array]()
    if len(joint.turns) == 2:  # a pin, whose axis is that of the first frame
        pins = [np.eye(3)[({0, 1, 2} - set(joint.turns)).pop()]]
    if form.word == "RR":
        sliding.append(np.eye(3)[({0, 1, 2} - set(joint.lines)).pop()])
        if not any(np.abs(np.abs(turning[0]) - e).max() < ALIGNED for e in np.eye(3)):
            return False  # the axes of the cut's frame must lie in the plane
    first = turning[0]
    parallel = all(np.abs(np.cross(first, z)).max() < ALIGNED for z in (*turning[1:], *pins))
    return parallel and all(abs(float(np.dot(first, z))) < ALIGNED for z in sliding)


def _on_branch(linkage: NumericLinkage, form: ClosedForm, q: Array) -> ClosedForm | None:
    """With the signs and quarter turns of a closed position: those with which the formula gives it."""
    roots = {"R": 0, "UPS": 2}.get(form.word, 1)
    quarters = tuple(
        round(float(q[c]) / (pi / 2)) if linkage.tree.links[i].kind.pivots else 0
        for c, i in zip(form.coordinates, form.joints, strict=True)
    )
    best: tuple[float, ClosedForm] | None = None
    for signs in product((1, -1), repeat=roots):
        tried = replace(form, signs=signs, quarters=quarters)
        found = RingFormulas(linkage.tree, tried, _at_zero(form, q)).solve()
        error = max(
            abs(float(x) - float(q[c])) / linkage.units[1][c] for c, x in zip(form.coordinates, found.q, strict=True)
        )
        if not np.isnan(error) and (best is None or error < best[0]):
            best = error, tried
    return None if best is None else best[1]
