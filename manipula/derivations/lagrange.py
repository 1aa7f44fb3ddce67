"""Lagrange's equations of an arm: energies link by link, L, its derivatives, Christoffel symbols, M, C and g.

    d/dt ∂L/∂q̇_i − ∂L/∂q_i = τ_i        m_ij = ∂²T/∂q̇_i∂q̇_j
    c_ijk = ½(∂m_kj/∂q_i + ∂m_ki/∂q_j − ∂m_ij/∂q_k)        c_kj = Σ_i c_ijk q̇_i

Sources: Spong, Hutchinson, Vidyasagar, "Robot Modeling and Control" (2006), eqs. (7.51)–(7.64); Craig, "Introduction to
Robotics", 3rd ed. (2005), section 6.9. Velocities are time derivatives of positions here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from manipula.algebra.expr.maths import gradient, jacobian, tangents
from manipula.algebra.expr.node import Expr
from manipula.algebra.show.notation import Grid, Letter, Notation, Over
from manipula.derivations.board import LONGEST, DerivationBoard
from manipula.derivations.bodies import Bodies, column, has_friction, is_zero
from manipula.derivations.kinematics import joint_axes
from manipula.derivations.proof import Reference
from manipula.mechanics.models.kinematics.pose import frames
from manipula.mechanics.spatial.inertia import half
from manipula.mechanics.spatial.vector import NULL, Vec3, add, dot, rotate, scale, unrotate
from manipula.pages.derivation import Derivation
from manipula.pages.steps import Equation, LessonStep, Quoted, sentence
from manipula.scalar import Scalar

HALF: Notation = "½ "
QD, QDD, QDD_J = Letter("q", dots=1), Letter("q", dots=2), Letter("q", "j", dots=2)
QD_I, QD_J, QD_K = (Letter("q", index, dots=1) for index in "ijk")
SUM_I, SUM_J, SUM_JK = (Letter("Σ", index) for index in ("i", "j", "jk"))


def lagrange_derivation(board: DerivationBoard) -> Derivation:
    """Step by step to M(q) q̈ + C(q, q̇) q̇ + g(q) = τ."""
    return _Lagrange(board).run()


class _Lagrange:
    def __init__(self, board: DerivationBoard) -> None:
        self.board, self.n = board, board.dof
        self.bodies = Bodies(board, board.chain.links)
        *self.links, _ = frames(board.chain, board.q)
        self.z, _, _ = joint_axes(board)
        self.T: dict[int, Scalar] = {}
        self.V: dict[int, Scalar] = {}
        self.motors = [i for i, link in enumerate(board.chain.links) if not is_zero(link.motor_inertia, board)]

    def run(self) -> Derivation:
        board = self.board
        energies = [self.centres(), self.kinetic(), self.potential(), self.lagrangian()]
        motion = [self.inertia(), *self.slopes(), self.motion()]
        matrices = [self.christoffel(), self.coriolis(), self.gravity(), self.whole()]
        steps = [*energies, *motion, *matrices]
        says = [sentence("Coordinates: {q}.", _listed([board.symbol(i) for i in range(self.n)]))]
        if any(has_friction(link, board) for link in board.chain.links):
            says.append(sentence("Friction is left out: it is added to the torques at the end."))
        title = sentence("{robot}: the dynamics by Lagrange's equations", Quoted(board.robot.name))
        return board.finish(Derivation(board.robot.name, "dynamics", title, tuple(says), tuple(steps), {}))

    # energies

    def centres(self) -> LessonStep:
        """p_c, its time derivative and ω, all in the world but ω, which is in the link's own axes."""
        board, substeps = self.board, []
        self.v: dict[int, Vec3] = {}
        self.w: dict[int, Vec3] = {}
        seeds = dict(zip(board.q, board.qd, strict=True))
        for i in self.bodies.heavy:
            at, number = self.links[i], str(i + 1)
            p = add(at.p, rotate(at.R, self.bodies.c[i]))
            self.v[i] = Vec3(tangents([board.graph.expr(x) for x in p], seeds))
            lines = [
                board.equation(Letter("p", f"c{number}"), None, column(p), lambda r, i=i: column(r.centre(i))),
                board.equation(
                    Letter("v", f"c{number}"),
                    Letter("p", f"c{number}", dots=1),
                    column(self.v[i]),
                    lambda r, i=i: column(r.centre_velocity(i)),
                ),
            ]
            spin: Any = NULL
            for j in range(i + 1):
                turn = board.chain.links[j].kind.turn(1)
                spin = add(spin, scale(board.qd[j], scale(turn, self.z[j])))
            self.w[i] = unrotate(at.R, spin)
            if not self.bodies.is_point(i):
                lines.append(
                    board.equation(
                        Letter("omega", number), None, column(self.w[i]), lambda r, i=i: column(r.twist(i).w)
                    )
                )
            substeps.append(LessonStep(sentence("Link {i}", Quoted(number)), (), tuple(lines)))
        says = sentence(
            "{p} is the centre of mass of link i and {v} its velocity, in the world; {w} is the angular "
            "velocity of the link, in the link's own axes.",
            Letter("p", "ci"),
            Letter("v", "ci"),
            Letter("omega", "i"),
        )
        return LessonStep(sentence("Centres of mass and velocities"), (says,), substeps=tuple(substeps))

    def kinetic(self) -> LessonStep:
        board, lines = self.board, []
        for i in self.bodies.heavy:
            number, m, I = str(i + 1), self.bodies.m[i], self.bodies.I[i]
            T = half(m * dot(self.v[i], self.v[i]))
            v = Letter("v", f"c{number}")
            formula: tuple[Notation, ...] = (HALF, Letter("m", number), v, "ᵀ", v)
            if not self.bodies.is_point(i):
                w = Letter("omega", number)
                T = T + half(dot(self.w[i], rotate(I, self.w[i])))
                formula += (" + ", HALF, w, "ᵀ", Letter("I", number), w)
            self.T[i] = T
            lines.append(board.equation(Letter("T", number), formula, T, lambda r, i=i: r.kinetic(i)))
        for i in self.motors:
            Ia, rate = board.chain.links[i].motor_inertia, board.qd[i]
            self.T[-1 - i] = half(Ia * rate * rate)
            lines.append(
                board.equation(
                    Letter("T", f"m{i + 1}"),
                    (HALF, Letter("I", f"a{i + 1}"), board.symbol(i, 1), "²"),
                    self.T[-1 - i],
                    lambda r, i=i: half(r.chain.links[i].motor_inertia * r.qd[i] * r.qd[i]),
                )
            )
        self.total_T: Scalar = _sum(self.T.values())
        says = [
            sentence(
                "{m} is the mass of link i and {I} its inertia tensor about the centre of mass.",
                Letter("m", "i"),
                Letter("I", "i"),
            )
        ]
        says += [sentence("The last terms are the motors: rotor inertia seen at the joint.")] if self.motors else []
        return LessonStep(sentence("Kinetic energy of each link"), tuple(says), tuple(lines))

    def potential(self) -> LessonStep:
        board, lines = self.board, []
        for i in self.bodies.heavy:
            number, at = str(i + 1), self.links[i]
            p = add(at.p, rotate(at.R, self.bodies.c[i]))
            self.V[i] = -(self.bodies.m[i] * dot(board.chain.gravity, p))
            formula = ("−", Letter("m", number), Letter("g", "0", "T"), Letter("p", f"c{number}"))
            lines.append(board.equation(Letter("V", number), formula, self.V[i], lambda r, i=i: r.potential(i)))
        self.total_V: Scalar = _sum(self.V.values())
        g = board.equation(Letter("g", "0"), None, column(board.chain.gravity), lambda r: column(r.chain.gravity))
        return LessonStep(sentence("Potential energy of each link"), (), (g, *lines))

    def lagrangian(self) -> LessonStep:
        L = self.total_T - self.total_V
        self.L: Expr = self.board.graph.expr(L)
        names = (
            [Letter("T", str(i + 1) if i >= 0 else f"m{-i}") for i in self.T],
            [Letter("V", str(i + 1)) for i in self.V],
        )
        formula = (*_joined(names[0], " + "), *(x for one in names[1] for x in (" − ", one)))
        line = self.board.equation("L", formula or "0", self.L, lambda r: r.lagrangian)
        return LessonStep(sentence("The Lagrangian"), (), (line,))

    # M and the equations of motion

    def inertia(self) -> LessonStep:
        board, n = self.board, self.n
        momenta = gradient(board.graph.expr(self.total_T), board.qd)
        self.M = [list(row) for row in jacobian(momenta, board.qd)] if n else []
        lines = []
        for i in range(n):
            for j in range(i, n):
                second = Over(("∂²T",), ("∂", board.symbol(i, 1), "∂", board.symbol(j, 1)))
                check = lambda r, i=i, j=j: r.inertia[i][j]  # noqa: E731
                lines.append(board.equation(_entry("m", i, j), second, self.M[i][j], check, longest=LONGEST))
        says = sentence(
            "The kinetic energy is a quadratic form of the rates: {T}. M is symmetric.", ("T = ", HALF, QD, "ᵀM", QD)
        )
        M = board.matrix("M", self.M, lambda r: r.inertia)
        head = M or Equation("M", Grid(tuple(tuple(_entry("m", *sorted((i, j))) for j in range(n)) for i in range(n))))
        entries = LessonStep(sentence("Its entries"), (), tuple(lines), folded=M is not None)
        return LessonStep(sentence("The inertia matrix"), (says,), (head,), (entries,))

    def slopes(self) -> list[LessonStep]:
        board, n = self.board, self.n
        q, qd, qdd = board.q, board.qd, board.qdd
        self.by_rate = gradient(self.L, qd)
        seeds = dict(zip([*q, *qd], [*qd, *qdd], strict=True))
        self.in_time = tangents(self.by_rate, seeds)
        self.by_position = gradient(self.L, q)
        first, second, third = [], [], []
        for i in range(n):
            dq, dqd = ("∂L", ("∂", board.symbol(i))), ("∂L", ("∂", board.symbol(i, 1)))
            sums = (SUM_J, " ", Letter("m", f"{i + 1}j"), QD_J)
            first.append(board.equation(Over(*dqd), sums, self.by_rate[i], lambda r, i=i: r.energy_slopes[n + i]))
            rates = (
                SUM_J,
                " ",
                Letter("m", f"{i + 1}j"),
                QDD_J,
                " + ",
                SUM_JK,
                " ",
                _change_of_entry(f"{i + 1}j", "k"),
                " ",
                QD_J,
                QD_K,
            )
            second.append(
                board.equation(
                    (Over("d", "dt"), " ", Over(*dqd)),
                    rates,
                    self.in_time[i],
                    lambda r, i=i: r.torques[i] + r.energy_slopes[i],
                )
            )
            squares = (
                HALF,
                SUM_JK,
                " ",
                Over(("∂", Letter("m", "jk")), ("∂", board.symbol(i))),
                " ",
                QD_J,
                QD_K,
                " − ",
                Over("∂V", ("∂", board.symbol(i))),
            )
            third.append(board.equation(Over(*dq), squares, self.by_position[i], lambda r, i=i: r.energy_slopes[i]))
        return [
            LessonStep(sentence("Derivatives of L by the rates"), (), tuple(first)),
            LessonStep(sentence("Their derivatives by time"), (), tuple(second)),
            LessonStep(sentence("Derivatives of L by the coordinates"), (), tuple(third)),
        ]

    def motion(self) -> LessonStep:
        board, lines = self.board, []
        for i in range(self.n):
            tau = self.in_time[i] - self.by_position[i]
            formula = (
                Over("d", "dt"),
                " ",
                Over("∂L", ("∂", board.symbol(i, 1))),
                " − ",
                Over("∂L", ("∂", board.symbol(i))),
            )
            lines.append(board.equation(Letter("tau", str(i + 1)), formula, tau, lambda r, i=i: r.torques[i]))
        return LessonStep(sentence("The equations of motion"), (), tuple(lines))

    def christoffel(self) -> LessonStep:
        board, n = self.board, self.n
        dM = [[tangents(row, {q: board.graph.one}) for row in self.M] for q in board.q]  # [k][i][j]
        self.c = {}
        lines, zeros = [], []
        for k in range(n):
            for i in range(n):
                for j in range(i, n):
                    value = half(dM[i][k][j] + dM[j][k][i] - dM[k][i][j])
                    self.c[i, j, k] = self.c[j, i, k] = value
                    left = Letter("c", f"{i + 1}{j + 1}{k + 1}")
                    if is_zero(value, board):
                        zeros.append(left)
                        continue
                    formula = (
                        HALF,
                        "(",
                        _slope(board, k, j, i),
                        " + ",
                        _slope(board, k, i, j),
                        " − ",
                        _slope(board, i, j, k),
                        ")",
                    )
                    lines.append(
                        board.equation(
                            left, formula, value, lambda r, i=i, j=j, k=k: r.christoffel[k][i][j], longest=LONGEST
                        )
                    )
        says = [
            sentence(
                "{c}; it is the same for ijk and jik.",
                (
                    Letter("c", "ijk"),
                    " = ",
                    HALF,
                    "(",
                    *_joined([_change_of_entry("kj", "i"), _change_of_entry("ki", "j")], " + "),
                    " − ",
                    _change_of_entry("ij", "k"),
                    ")",
                ),
            )
        ]
        if zeros:
            says.append(sentence("Zero: {list}.", _listed(zeros)))
        steps = tuple(LessonStep(sentence("Symbol {c}", line.left), (), (line,)) for line in lines)
        return LessonStep(sentence("Christoffel symbols"), tuple(says), substeps=steps)

    def coriolis(self) -> LessonStep:
        board, n = self.board, self.n
        C = [[_sum(self.c[i, j, k] * board.qd[i] for i in range(n)) for j in range(n)] for k in range(n)]
        says = sentence(
            "{c}. With these entries the matrix {N} is skew-symmetric.",
            (Letter("C", "kj"), " = ", SUM_I, " ", Letter("c", "ijk"), QD_I),
            (Letter("M", dots=1), " − 2C"),
        )

        def entry(r: Reference, k: int, j: int) -> Any:
            return _sum(r.christoffel[k][i][j] * r.qd[i] for i in range(n))

        whole = board.matrix("C", C, lambda r: [[entry(r, k, j) for j in range(n)] for k in range(n)])
        if whole:
            return LessonStep(sentence("The Coriolis matrix"), (says,), (whole,))
        letters = [["0" if is_zero(C[k][j], board) else _entry("C", k, j) for j in range(n)] for k in range(n)]
        rows = [
            board.equation(_entry("C", k, j), None, C[k][j], partial(entry, k=k, j=j))
            for k in range(n)
            for j in range(n)
            if letters[k][j] != "0"
        ]
        shown = [x for x in rows if x.result is not None]
        head = Equation("C", Grid(tuple(map(tuple, letters))))
        return LessonStep(sentence("The Coriolis matrix"), (says,), (head, *shown))

    def gravity(self) -> LessonStep:
        board = self.board
        g = gradient(board.graph.expr(self.total_V), board.q)
        lines = [
            board.equation(
                Letter("g", str(i + 1)),
                Over("∂V", ("∂", board.symbol(i))),
                g[i],
                lambda r, i=i: -r.lagrange.GRA[i],
                longest=LONGEST,
            )
            for i in range(self.n)
        ]
        self.g = g
        return LessonStep(sentence("Gravity"), (), tuple(lines))

    def whole(self) -> LessonStep:
        board, n = self.board, self.n
        says = (
            sentence("Row i of {equation}.", ("M", QDD, " + C", QD, " + g = ", Letter("tau"))),
            sentence(
                "In the names of the model lagrange_terms: {A} is M, {COR} and {CEN} hold the Christoffel symbols, "
                "{GRA} is −g.",
                Letter("A"),
                Letter("COR"),
                Letter("CEN"),
                Letter("GRA"),
            ),
        )
        lines = []
        for k in range(n):
            value = _sum(self.M[k][j] * board.qdd[j] for j in range(n)) + self.g[k]
            value = value + _sum(self.c[i, j, k] * board.qd[i] * board.qd[j] for i in range(n) for j in range(n))
            formula = (
                SUM_J,
                " ",
                Letter("m", f"{k + 1}j"),
                QDD_J,
                " + ",
                SUM_J,
                " ",
                Letter("C", f"{k + 1}j"),
                QD_J,
                " + ",
                Letter("g", str(k + 1)),
            )
            lines.append(board.equation(Letter("tau", str(k + 1)), formula, value, lambda r, k=k: r.torques[k]))
        return LessonStep(sentence("The model in matrices"), says, tuple(lines))


def _entry(letter: str, i: int, j: int) -> Letter:
    return Letter(letter, f"{i + 1}{j + 1}")


def _slope(board: DerivationBoard, i: int, j: int, k: int) -> Notation:
    low, high = sorted((i, j))
    return Over(("∂", Letter("m", f"{low + 1}{high + 1}")), ("∂", board.symbol(k)))


def _change_of_entry(entry: str, joint: str) -> Notation:
    """∂m_kj/∂q_i"""
    return Over(("∂", Letter("m", entry)), ("∂", Letter("q", joint)))


def _sum(values: Any) -> Scalar:
    total: Scalar = 0
    for value in values:
        total = value if isinstance(total, int) and total == 0 else total + value
    return total


def _joined(parts: Sequence[Notation], between: str) -> tuple[Notation, ...]:
    return tuple(x for k, part in enumerate(parts) for x in ((between, part) if k else (part,)))


def _listed(parts: Sequence[Notation]) -> tuple[Notation, ...]:
    return _joined(parts, ", ")
