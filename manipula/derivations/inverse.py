"""Inverse kinematics as steps.

A planar arm of two or three joints is solved by the law of cosines, with both elbows:

    c2 = (x² + y² − l1² − l2²)/(2 l1 l2)      s2 = ±√(1 − c2²)      θ2 = atan2(s2, c2)
    θ1 = atan2(y, x) − atan2(l2 s2, l1 + l2 c2)                     θ3 = φ − θ1 − θ2

Source: Craig, "Introduction to Robotics", 3rd ed. (2005), eqs. (4.14)–(4.28). Every other arm has the steps of its
closed form, as `ik.derivation` records them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from manipula.algebra.expr.maths import rebuilt
from manipula.algebra.expr.node import Expr
from manipula.algebra.show.notation import SIGN, Letter, Script
from manipula.algebra.simplify.tree import (
    ZERO,
    FormulaCall,
    FormulaNumber,
    FormulaTree,
    Inverse,
    Symbol,
    Trig,
    evaluate_tree,
    leaves,
    power_of,
    product_of,
    sum_of,
    symbol_names,
)
from manipula.derivations.board import DerivationBoard
from manipula.derivations.branches import with_branches_followed
from manipula.derivations.proof import Reference
from manipula.ik.derivation import derivation_of
from manipula.ik.derivation.derivation import COLUMNS
from manipula.ik.derivation.printer import DerivationStep, InverseLine, InverseSentence, fill_places
from manipula.mechanics.models.kinematics.pose import frames, pose
from manipula.mechanics.spatial.placement import HERE
from manipula.messages import Message
from manipula.pages.derivation import Derivation
from manipula.pages.steps import Equation, LessonStep, Quoted, Sentence, Told, sentence
from manipula.scalar import Scalar


def inverse_derivation(
    board: DerivationBoard, task: str | None = None, axes: Sequence[str] = ("n", "o", "a")
) -> Derivation:
    links = _planar_links(board) if task in (None, "position") else None
    return _planar(board, links) if links else _closed_form(board, task, axes)


# A planar arm.


def _planar_links(board: DerivationBoard) -> list[Scalar] | None:
    """l1, l2 (and l3, or 0) of an arm whose tool is at l1 c1 + l2 c12 + l3 c123; nothing of any other arm."""
    chain, n = board.chain, board.dof
    if n not in (2, 3) or any(link.kind.name != "revolute" for link in chain.links) or chain.base != HERE:
        return None
    if {"x", "y", "phi", "xw", "yw", "k1", "k2"} & set(board.taken):
        return None
    at, graph, maths = pose(chain, board.q), board.graph, board.maths
    angles = [board.q[0]]
    for q in board.q[1:]:
        angles.append(angles[-1] + q)
    zero, half_turn = graph.degrees(Fraction(0)), graph.degrees(Fraction(180))

    def straight(*turns: Expr) -> Any:
        return graph.expr(rebuilt([graph.expr(at.p[0])], graph, dict(zip(board.q, turns, strict=True)))[0])

    # l1 + l2 + l3 stretched; the links beyond a joint turned back count with a minus
    whole = straight(*([zero] * n))
    back = [straight(*[half_turn if k == joint else zero for k in range(n)]) for joint in range(1, n)]
    tails = [(whole - x) / 2 for x in back]  # of the links from joint 2 on, from joint 3 on
    lengths = [whole - tails[0], *(a - b for a, b in pairwise(tails)), tails[-1]]
    x = sum((length * maths.cos(angle) for length, angle in zip(lengths, angles)), graph.zero)
    y = sum((length * maths.sin(angle) for length, angle in zip(lengths, angles)), graph.zero)
    off = (graph.expr(at.p[0]) - x, graph.expr(at.p[1]) - y, graph.expr(at.p[2]))
    fits = off[0].value == 0 and off[1].value == 0 and not off[2].online
    return lengths if fits and all(length.value != 0 for length in lengths[:2]) else None


def _planar(board: DerivationBoard, lengths: Sequence[Scalar]) -> Derivation:
    trees = [board.write(length) for length in lengths]
    l1, l2 = trees[0], trees[1]
    assert l1 is not None and l2 is not None
    n, q = board.dof, [board.symbol(i) for i in range(board.dof)]
    at = pose(board.chain, board.q)
    board.given |= {"x": board.graph.expr(at.p[0]), "y": board.graph.expr(at.p[1])}
    x, y = Symbol("x", True), Symbol("y", True)
    steps, px, py = [], lambda r: r.frames[-1][0][3], lambda r: r.frames[-1][1][3]
    position = [board.equation(x, None, at.p[0], px), board.equation(y, None, at.p[1], py)]
    steps.append(LessonStep(sentence("The tool's position"), (), tuple(position)))
    if n == 3:
        total = board.q[0] + board.q[1] + board.q[2]
        board.given["phi"] = total
        phi = Symbol("phi", True)
        says = [
            sentence(
                "{phi} is the wanted angle of the last link: {sum}.", phi, (q[0], " + ", q[1], " + ", q[2], " = ", phi)
            )
        ]
        lines: list[Equation] = []
        if trees[2] is not None and trees[2] != ZERO:
            says.append(
                sentence(
                    "Joint 3 stands before the tool by {l} along that link: the first two joints reach the point {w}.",
                    trees[2],
                    ("(", Letter("x", "w"), ", ", Letter("y", "w"), ")"),
                )
            )
            for axis, known, op in (("x", x, "cos"), ("y", y, "sin")):
                name, part = f"{axis}w", product_of([FormulaNumber(Fraction(-1)), trees[2], Trig(op, ((phi, 1),))])
                board.aliases[name] = (axis, "w", 0)
                row = 0 if axis == "x" else 1
                lines.append(
                    Equation(
                        Symbol(name, True), None, sum_of([known, part]), lambda r, row=row: _wrist(r)[row], (name,)
                    )
                )
            x, y = Symbol("xw", True), Symbol("yw", True)
        steps.append(LessonStep(sentence("The wrist"), tuple(says), tuple(lines)))
    steps += [_cosines(x, y, l1, l2, q[1]), _first_angle(board, x, y, l1, l2, q[0], q[1])]
    if n == 3:
        minus = [product_of([FormulaNumber(Fraction(-1)), one]) for one in q[:2]]
        last = Equation(q[2], None, sum_of([Symbol("phi", True), *minus]), lambda r: r.q[2])
        steps.append(LessonStep(sentence("The third angle"), (), (last,)))
    title = sentence("{robot}: inverse kinematics by the law of cosines", Quoted(board.robot.name))
    wanted = sentence("Wanted: the joint angles that bring the tool to {p}.", ("(x, y)",))
    found = Derivation(board.robot.name, "ik", title, (wanted,), tuple(steps), {})
    return with_branches_followed(board, board.finish(found), 1)


def _wrist(r: Reference) -> tuple[Scalar, Scalar]:
    """The origin of joint 3: where the frame before it stands."""
    foot = frames(r.chain, r.q)[1] @ r.chain.links[2].before
    return foot.p[0], foot.p[1]


def _cosines(x: Symbol, y: Symbol, l1: FormulaTree, l2: FormulaTree, q2: Symbol) -> LessonStep:
    """x² + y² = l1² + l2² + 2 l1 l2 c2"""
    c2, s2 = Trig("cos", ((q2, 1),)), Trig("sin", ((q2, 1),))
    squares = sum_of([power_of(x, 2), power_of(y, 2)])
    twice = product_of([FormulaNumber(Fraction(2)), l1, l2])
    right = sum_of([power_of(l1, 2), power_of(l2, 2), product_of([twice, c2])])
    off = [product_of([FormulaNumber(Fraction(-1)), power_of(one, 2)]) for one in (l1, l2)]
    cosine = product_of([sum_of([squares, *off]), Inverse(twice)])
    root = FormulaCall(
        "sqrt", (sum_of([FormulaNumber(Fraction(1)), product_of([FormulaNumber(Fraction(-1)), power_of(c2, 2)])]),)
    )
    lines = (
        Equation(squares, None, right, _reach),
        Equation(c2, None, cosine, lambda r: r.maths.cos(r.q[1])),
        Equation(
            s2,
            None,
            product_of([Symbol(SIGN, True), root]),
            lambda r: r.maths.sin(r.q[1]) * r.maths.sin(r.q[1]),
            kind="square",
        ),
        Equation(q2, None, FormulaCall("atan2", (s2, c2)), lambda r: 0, kind="angle"),
    )
    says = (
        sentence(
            "Squared and added, the two equations are the law of cosines in the triangle of the two links; "
            "only {q} is left.",
            q2,
        ),
        sentence(
            "The point is reachable where {c}. Both signs are solutions: + and − are the two elbows; "
            "they meet where the arm is "
            "stretched or folded.",
            ("−1 ≤ ", c2, " ≤ 1"),
        ),
    )
    return LessonStep(sentence("The elbow"), says, lines)


def _reach(r: Reference) -> Scalar:
    """x² + y² of the point that two links reach."""
    if r.chain.dof == 2:
        x, y = r.frames[-1][0][3], r.frames[-1][1][3]
    else:
        x, y = _wrist(r)
    return x * x + y * y


def _first_angle(
    board: DerivationBoard, x: Symbol, y: Symbol, l1: FormulaTree, l2: FormulaTree, q1: Symbol, q2: Symbol
) -> LessonStep:
    """x = k1 c1 − k2 s1, y = k1 s1 + k2 c1"""
    c1, s1 = Trig("cos", ((q1, 1),)), Trig("sin", ((q1, 1),))
    c2, s2 = Trig("cos", ((q2, 1),)), Trig("sin", ((q2, 1),))
    k1, k2 = Symbol("k1", True), Symbol("k2", True)
    board.aliases |= {"k1": ("k", "1", 0), "k2": ("k", "2", 0)}

    def turned_back(r: Reference) -> tuple[Scalar, Scalar]:
        px, py = (r.frames[-1][0][3], r.frames[-1][1][3]) if r.chain.dof == 2 else _wrist(r)
        c, s = r.maths.cos(r.q[0]), r.maths.sin(r.q[0])
        return c * px + s * py, c * py - s * px

    minus = FormulaNumber(Fraction(-1))
    lines = (
        Equation(k1, None, sum_of([l1, product_of([l2, c2])]), lambda r: turned_back(r)[0], ("k1",)),
        Equation(k2, None, product_of([l2, s2]), lambda r: turned_back(r)[1], ("k2",)),
        Equation(x, None, sum_of([product_of([k1, c1]), product_of([minus, k2, s1])]), lambda r: _target(r)[0]),
        Equation(y, None, sum_of([product_of([k1, s1]), product_of([k2, c1])]), lambda r: _target(r)[1]),
        Equation(
            q1,
            None,
            sum_of([FormulaCall("atan2", (y, x)), product_of([minus, FormulaCall("atan2", (k2, k1))])]),
            lambda r: 0,
            kind="angle",
        ),
    )
    says = (
        sentence(
            "{k} is the bent arm seen from link 1; turned by {q} it points to the target.", ("(", k1, ", ", k2, ")"), q1
        ),
    )
    return LessonStep(sentence("The first angle"), says, lines)


def _target(r: Reference) -> tuple[Scalar, Scalar]:
    return (r.frames[-1][0][3], r.frames[-1][1][3]) if r.chain.dof == 2 else _wrist(r)


# Every other arm: the steps of its closed form.


PRIVATE = 0xE000  # letters that no style touches


class Said(Sentence):
    """A sentence of `ik.derivation`, whose places are numbered."""

    def sentence(self, script: Script, told: Told) -> str:
        return _in_words(self, script, told, lambda words: words)


def _in_words(one: Sentence, script: Script, told: Told, labelled: Callable[[Message], Message]) -> str:
    """Translated first, then set, then filled with formulas: a sign that a style escapes would hide the sentence from
    its catalogue. In English it stays a message, which a page translates."""
    formulas = one.values(script, told)
    marks = [chr(PRIVATE + k) for k in range(len(formulas))]
    bare = labelled(fill_places(one.template, marks, str))
    said = told(bare)
    if said == bare:
        return script.prose(told(labelled(fill_places(one.template, formulas, script.words))))
    words = script.words(said)
    for mark, text in zip(marks, formulas, strict=True):
        words = words.replace(mark, text)
    return script.prose(words)


class Capital(Sentence):
    """A remark of `ik.derivation` as a sentence: capital letter and full stop in every language."""

    def sentence(self, script: Script, told: Told) -> str:
        words = told(Message(self.template)).rstrip(".")
        return script.words(f"{words[:1].upper()}{words[1:]}.")


def _said(x: InverseSentence) -> Said:
    return Said(x.words, x.parts)


def _closed_form(board: DerivationBoard, task: str | None, axes: Sequence[str]) -> Derivation:
    found = derivation_of(board.robot, board.structure.symbolic, task)
    board.aliases |= {name: (x.letter, x.place.replace("m", "-"), 0) for name, x in found.labels.items()}
    # q is a joint variable here: the tool's position is t
    called = dict(zip(COLUMNS, (*axes, "t"), strict=True))
    board.aliases |= {f"{letter}{axis}": (name, axis, 0) for letter, name in called.items() for axis in "xyz"}
    at = pose(board.chain, board.q).rows()
    for j, letter in enumerate(COLUMNS):
        board.given |= {f"{letter}{axis}": board.graph.expr(at[i][j]) for i, axis in enumerate("xyz")}
    # the arm angle of a redundant arm may be any; what contains it is written and not compared
    board.given["psi"] = board.graph.symbol("q1", online=True)
    definitions: dict[str, FormulaTree] = {}
    opaque: set[str] = {SIGN, "psi"} | {f"q{i}" for i in range(board.dof + 1, board.dof + 8)}
    steps = tuple(_closed_step(step, definitions, opaque) for step in found.steps)
    say: list[Sentence] = [Capital(x) for x in (found.why, found._branches(), *found.few())]
    if found.task == "position":
        say.append(sentence("{t} is the tool's position, in the world.", "t"))
    else:
        say.append(sentence("{n}, {o}, {a} are the tool's axes and {t} its position, in the world.", *axes, "t"))
    title = sentence("{robot}: inverse kinematics, {kind}", Quoted(board.robot.name), Quoted(found.title))
    whole = Derivation(board.robot.name, "ik", title, tuple(say), steps, {})
    whole = board.finish(whole)
    if found.given or found.added:  # the free parameter of a redundant arm, or axes that the arm has not
        return whole
    return with_branches_followed(board, whole, len(found.roles), [bool(step.role) for step in found.steps], found.task)


def _closed_step(step: DerivationStep, definitions: dict[str, FormulaTree], opaque: set[str]) -> LessonStep:
    says: list[Sentence] = []
    lines: list[Equation] = []
    below: list[LessonStep] = []  # behind words that stand between equations
    for line in step.lines:
        if isinstance(line, InverseLine):
            one = _closed_line(line, definitions, opaque)
            if below:
                below[-1] = replace(below[-1], equations=(*below[-1].equations, one))
            else:
                lines.append(one)
        elif lines or below:
            below.append(LessonStep(_Between(line.words, line.parts)))
        else:
            says.append(_said(line))
    labels = (("Roots: {says}.", step.roots), ("Singular: {says}.", step.singular))
    remarks = [Labelled(word, phrase.words, phrase.parts) for word, phrase in labels if phrase is not None]
    return LessonStep(_Heading(step), tuple(says), tuple(lines), tuple(below), remarks=tuple(remarks))


class _Between(Said):
    """Words between equations as the heading of those below them."""

    def sentence(self, script: Script, told: Told) -> str:
        words = super().sentence(script, told).rstrip(",:")
        return words[:1].upper() + words[1:]


class _Heading(Said):
    """θ₂ (elbow ±). Across the parallel axes …: what the step finds, and how."""

    def __init__(self, step: DerivationStep) -> None:
        super().__init__(step.title.words, step.title.parts)
        object.__setattr__(self, "step", step)

    def sentence(self, script: Script, told: Told) -> str:
        words, step = super().sentence(script, told), self.step  # type: ignore[attr-defined]
        if step.finds is None:
            return words
        role = script.words(f" ({told(Message(step.role))} ±)") if step.role else ""
        return f"{script.inline(script.notation(step.finds))}{role}. {words}"


class Labelled(Sentence):
    """A remark behind its word."""

    def __init__(self, label: str, template: str, parts: tuple[Any, ...]) -> None:
        super().__init__(template, parts)
        object.__setattr__(self, "label", label)

    def sentence(self, script: Script, told: Told) -> str:
        return _in_words(self, script, told, lambda words: Message(self.label, words))  # type: ignore[attr-defined]


def _closed_line(line: InverseLine, definitions: dict[str, FormulaTree], opaque: set[str]) -> Equation:
    names = symbol_names([line.left, line.right])
    hidden = bool(names & opaque)
    calls = [x for x in leaves([line.left, line.right]) if isinstance(x, FormulaCall)]
    if line.kind == "definition" and isinstance(line.left, Symbol):
        definitions[line.left.name] = line.right
        opaque |= {line.left.name} if hidden or calls else set()
        return Equation(line.left, None, line.right, None, (line.left.name,))
    if hidden or any(x.op != "atan2" for x in calls):
        return Equation(line.left, None, line.right, None)
    if calls:  # on every branch the arguments point along the angle, or against it
        return Equation(line.left, None, line.right, lambda r: 0, kind="angle")
    known = dict(definitions)
    return Equation(line.left, None, line.right, lambda r: evaluate_tree(line.left, _Env(r, known), r.maths))


class _Env(dict[str, Scalar]):
    """Names of a derivation over the scalar of a proof: the pose, the joints, and definitions when they are met."""

    def __init__(self, r: Reference, definitions: Mapping[str, FormulaTree]) -> None:
        super().__init__(r.symbols)
        self.update({f"q{i}": x for i, x in enumerate(r.q, 1)})
        self.update({f"{c}{axis}": r.frames[-1][i][j] for j, c in enumerate(COLUMNS) for i, axis in enumerate("xyz")})
        self.definitions, self.maths = definitions, r.maths

    def __missing__(self, name: str) -> Any:
        self[name] = value = evaluate_tree(self.definitions[name], self, self.maths)
        return value
