"""The recursion of Newton and Euler as a blackboard has it: velocities outward, forces inward, link by link.

Each vector is in the axes of its link; b is the axis of the joint there, p the lever to the link's origin.

    ω = Rᵀω' + q̇ b                ω̇ = Rᵀω̇' + Rᵀω' × q̇ b + q̈ b
    v̇_c = v̇ + ω̇ × c + ω × (ω × c)        F = m v̇_c        N = I ω̇ + ω × I ω
    f = F + R f''                  n = N + c × F + R n'' + p'' × R f''            τ = b·n, or b·f

Sources: Luh, Walker, Paul, ASME J. Dyn. Syst. Meas. Control 102 (1980), for frames at the far end of a link; Craig,
"Introduction to Robotics", 3rd ed. (2005), eqs. (6.45)–(6.53), for frames on the joints. A component too long to read
gets a name, under which later lines use it.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from manipula.algebra.show.notation import Letter, Notation
from manipula.algebra.simplify.tree import operations
from manipula.derivations.board import LONGEST, DerivationBoard
from manipula.derivations.bodies import Bodies, column, has_friction, is_zero
from manipula.derivations.proof import Reference
from manipula.mechanics.models.dynamics.newton_euler import NewtonEuler
from manipula.mechanics.robot.reduce import frames_on_joints
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.placement import HERE
from manipula.mechanics.spatial.vector import Vec3, add, cross, dot, neg, rotate, scale, sub, unrotate
from manipula.pages.derivation import Derivation
from manipula.pages.steps import Equation, LessonStep, Quoted, sentence
from manipula.scalar import Scalar

NAMED = 14  # operations above which a component is called by its name afterwards
SMALL = 2  # joints of an arm whose results are all written out
AXES = "xyz"


def newton_euler_derivation(board: DerivationBoard) -> Derivation:
    return _Recursion(board).run()


class _Recursion:
    def __init__(self, board: DerivationBoard) -> None:
        self.board, self.n = board, board.dof
        # frames at the far end of their links, or on the joints; where a table mixes both, they are put on the joints
        self.far = all(link.before == HERE for link in board.chain.links)
        self.moved = not self.far and any(link.after != HERE for link in board.chain.links)
        self.chain: Tree = frames_on_joints(board.chain) if self.moved else board.chain
        self.bodies = Bodies(board, self.chain.links)
        self.placements = self.chain.elementary(board.q)
        self.R = [at.R for at in self.placements]
        # the joint's axis in the axes of its link, with its sense
        axes = [unrotate(link.after.R, (0, 0, 1)) for link in self.chain.links]
        self.b = [a if link.direction == 1 else neg(a) for a, link in zip(axes, self.chain.links, strict=True)]

    def reference(self, r: Reference) -> NewtonEuler:
        return r.recursion_on_joints if self.moved else r.recursion

    def run(self) -> Derivation:
        board = self.board
        outward, inward = self.outward(), self.inward()
        says = [
            sentence(
                "Vectors of link i are in its own axes; {R} turns from link i into link i − 1, {p} leads from the "
                "origin "
                "of link i − 1 to that of link i, {b} is the axis of joint i.",
                Letter("R", "i"),
                Letter("p", "i"),
                Letter("b", "i"),
            ),
            sentence(
                "The base is at rest, {w}, and gravity enters as its acceleration, {v}.",
                (Letter("omega", "0"), " = ", Letter("omega", "0", dots=1), " = 0"),
                (Letter("v", "0", dots=1), " = −", Letter("g", "0")),
            ),
        ]
        if self.moved:
            says.append(sentence("Link frames are put on the joints."))
        if any(has_friction(link, board) for link in board.chain.links):
            says.append(sentence("Friction is left out: it is added to the torques at the end."))
        title = sentence("{robot}: the dynamics by Newton and Euler", Quoted(board.robot.name))
        steps = (self.start(), outward, inward)
        return board.finish(Derivation(board.robot.name, "dynamics", title, tuple(says), steps, {}))

    # writing

    def vector(
        self, letter: str, below: str, dots: int, formula: Notation | None, value: Any, check: Any, at: str
    ) -> tuple[Equation, Vec3]:
        """The line, and the vector for the lines after it: components that are long by their names."""
        trees = [self.board.write(x, LONGEST) for x in value]
        long = [tree is not None and operations(tree) > NAMED and self.n > SMALL for tree in trees]
        kept: list[Scalar] = list(value)
        names: list[str] = []
        for k, axis in enumerate(AXES):
            name = f"{at}{'.' * dots}{below}{axis}"
            names.append(name)
            if long[k]:
                self.board.aliases[name] = (letter, f"{below}{axis}", dots)
                kept[k] = self.board.graph.symbol(name, online=True)
        line = self.board.equation(
            Letter(letter, below, dots=dots), formula, [[x] for x in value], check, names, LONGEST
        )
        return line, Vec3(kept)

    def start(self) -> LessonStep:
        board, lines = self.board, []
        for i in range(self.n):
            at, number = self.placements[i], str(i + 1)
            R, p = [list(row) for row in at.R], unrotate(at.R, at.p) if self.far else at.p
            frame = partial(self._elementary, i)
            lines.append(
                board.equation(
                    Letter("R", number), None, R, lambda r, f=frame: [list(x) for x in f(r).R], longest=LONGEST
                )
            )
            lines.append(
                board.equation(
                    Letter("p", number),
                    None,
                    column(p),
                    lambda r, f=frame: column(unrotate(f(r).R, f(r).p) if self.far else f(r).p),
                    longest=LONGEST,
                )
            )
            lines.append(
                board.equation(Letter("b", number), None, column(self.b[i]), lambda r, i=i: column(self._axis(r, i)))
            )
        own, other = "{p} is in the axes of link i.", "{p} is in the axes of link i − 1."
        says = sentence(own if self.far else other, Letter("p", "i"))
        g = board.equation(Letter("g", "0"), None, column(board.chain.gravity), lambda r: column(r.chain.gravity))
        return LessonStep(sentence("Geometry"), (says,), (g, *lines), folded=True)

    def _elementary(self, i: int, r: Reference) -> Any:
        return (r.on_joints if self.moved else r.chain).elementary(r.q)[i]

    def _axis(self, r: Reference, i: int) -> Any:
        link = (r.on_joints if self.moved else r.chain).links[i]
        z = link.after.R[2]  # Rᵀ z is the third row
        return [x if link.direction == 1 else -x for x in z]

    # outward

    def outward(self) -> LessonStep:
        board, substeps = self.board, []
        w: Vec3 = Vec3((0, 0, 0))
        wd: Vec3 = Vec3((0, 0, 0))
        vd: Vec3 = unrotate(self.chain.base.R, neg(board.chain.gravity))
        self.F: dict[int, Vec3] = {}
        self.N: dict[int, Vec3] = {}
        for i in range(self.n):
            w, wd, vd, step = self.link_outward(i, w, wd, vd)
            substeps.append(step)
        says = sentence(
            "From the base to the tip: angular velocity, angular acceleration, acceleration of the origin and of "
            "the centre of mass; then the force and moment that move the link."
        )
        where = sentence(
            "{r} leads from the origin of link i to its centre of mass, and {I} is the inertia tensor about it.",
            _centre_letter("i"),
            Letter("I", "i"),
        )
        return LessonStep(sentence("Outward"), (says, where), substeps=tuple(substeps))

    def link_outward(self, i: int, w0: Vec3, wd0: Vec3, vd0: Vec3) -> tuple[Vec3, Vec3, Vec3, LessonStep]:
        board, link, R, b = self.board, self.chain.links[i], self.R[i], self.b[i]
        here, before, q = str(i + 1), str(i), i
        turn, slide = link.kind.turn(1), link.kind.slide(1)
        Rt = (Letter("R", here, above="T"),)
        seen, spin = unrotate(R, w0), scale(turn, scale(board.qd[q], b))
        gain: tuple[Notation, ...] = (" + ", board.symbol(i, 1), Letter("b", here)) if turn else ()
        lines: list[Equation] = []

        def line(letter: str, dots: int, formula: Any, value: Any, check: Any, below: str = here, at: str = "") -> Vec3:
            made, kept = self.vector(
                letter, below, dots, formula, value, lambda r: column(check(self.reference(r), r)), at or letter
            )
            lines.append(made)
            return kept

        w = line("omega", 0, (*Rt, Letter("omega", before), *gain), add(seen, spin), lambda x, r: x.motion[i].w)
        extra: tuple[Notation, ...] = (
            (
                " + ",
                *Rt,
                Letter("omega", before),
                " × ",
                board.symbol(i, 1),
                Letter("b", here),
                " + ",
                board.symbol(i, 2),
                Letter("b", here),
            )
            if turn
            else ()
        )
        value = add(unrotate(R, wd0), add(cross(seen, spin), scale(turn, scale(board.qdd[q], b))))
        wd = line("omega", 1, (*Rt, Letter("omega", before, dots=1), *extra), value, lambda x, r: x.motion[i].wd)
        vd = line("v", 1, *self._acceleration(i, w0, wd0, vd0, w, wd, b, turn, slide), lambda x, r: x.motion[i].vd)
        if i in self.bodies.heavy:
            c, m, I, arm = self.bodies.c[i], self.bodies.m[i], self.bodies.I[i], _centre_letter(here)
            at_origin = all(is_zero(x, board) for x in c)
            formula: Notation = Letter("v", here, dots=1)
            vc = vd
            if not at_origin:
                lines.append(board.equation(arm, None, column(c), lambda r: column(self._centre(r, i))))
                lever = (
                    Letter("omega", here, dots=1),
                    " × ",
                    arm,
                    " + ",
                    Letter("omega", here),
                    " × (",
                    Letter("omega", here),
                    " × ",
                    arm,
                    ")",
                )
                formula = (Letter("v", here, dots=1), " + ", *lever)
                value = add(vd, add(cross(wd, c), cross(w, cross(w, c))))
                vc = line("v", 1, formula, value, lambda x, r: self._centre_acceleration(x, r, i), f"c{here}", "vc")
            mass = (Letter("m", here), Letter("v", here if at_origin else f"c{here}", dots=1))
            self.F[i] = line("F", 0, mass, scale(m, vc), lambda x, r: x.F[i])
            if not self.bodies.is_point(i):
                Iw = (Letter("I", here), Letter("omega", here))
                lines.append(
                    board.equation(Letter("I", here), None, [list(row) for row in I], lambda r: self._tensor(r, i))
                )
                formula = (Letter("I", here), Letter("omega", here, dots=1), " + ", Letter("omega", here), " × ", *Iw)
                value = add(rotate(I, wd), cross(w, rotate(I, w)))
                self.N[i] = line("N", 0, formula, value, lambda x, r: self._moment(x, r, i))
        return w, wd, vd, LessonStep(sentence("Link {i}", Quoted(here)), (), tuple(lines))

    def _acceleration(
        self, i: int, w0: Vec3, wd0: Vec3, vd0: Vec3, w: Vec3, wd: Vec3, b: Any, turn: Scalar, slide: Scalar
    ) -> tuple[Notation, Vec3]:
        """v̇ of the origin: the lever moves with link i where frames stand at the far end, else with link i − 1."""
        board, at, R = self.board, self.placements[i], self.R[i]
        here, before = str(i + 1), str(i)
        Rt, p = Letter("R", here, above="T"), Letter("p", here)
        far = self.far
        k, base = (here, p) if far else (before, p)
        lever = (
            Letter("omega", k, dots=1),
            " × ",
            base,
            " + ",
            Letter("omega", k),
            " × (",
            Letter("omega", k),
            " × ",
            base,
            ")",
        )
        slid: tuple[Notation, ...] = ()
        extra: Vec3 = Vec3((0, 0, 0))
        if not is_zero(slide, board):
            rate, force = scale(slide, scale(board.qd[i], b)), scale(slide, scale(board.qdd[i], b))
            # the velocity along the axis, in a frame that turns with ω: 2 ω × ḋ b + d̈ b
            spin_seen = unrotate(R, w0) if turn else w
            extra = add(scale(2, cross(spin_seen, rate)), force)
            slid = (
                " + 2",
                Letter("omega", here if not turn else before),
                " × ",
                board.symbol(i, 1),
                Letter("b", here),
                " + ",
                board.symbol(i, 2),
                Letter("b", here),
            )
        if far:
            arm = unrotate(R, at.p)
            value = add(unrotate(R, vd0), add(cross(wd, arm), cross(w, cross(w, arm))))
            return (Rt, Letter("v", before, dots=1), " + ", *lever, *slid), add(value, extra)
        inside = add(vd0, add(cross(wd0, at.p), cross(w0, cross(w0, at.p))))
        return (Rt, "(", Letter("v", before, dots=1), " + ", *lever, ")", *slid), add(unrotate(R, inside), extra)

    # inward

    def inward(self) -> LessonStep:
        board, substeps = self.board, []
        f_next: Vec3 | None = None
        n_next: Vec3 | None = None
        for i in reversed(range(self.n)):
            here, after = str(i + 1), str(i + 2)
            f: Any = self.F.get(i, Vec3((0, 0, 0)))
            n: Any = self.N.get(i, Vec3((0, 0, 0)))
            f_formula: list[Notation] = [Letter("F", here)] if i in self.F else []
            n_formula: list[Notation] = [Letter("N", here)] if i in self.N else []
            if i in self.F and not all(is_zero(x, board) for x in self.bodies.c[i]):
                n = add(n, cross(self.bodies.c[i], self.F[i]))
                n_formula += [" + " if n_formula else "", _centre_letter(here), " × ", Letter("F", here)]
            if f_next is not None and n_next is not None:
                R, p = self.R[i + 1], self.placements[i + 1].p
                carried = rotate(R, f_next)
                f, n = add(f, carried), add(n, add(rotate(R, n_next), cross(p, carried)))
                Rf: tuple[Notation, ...] = (Letter("R", after), Letter("f", after))
                f_formula += [" + " if f_formula else "", *Rf]
                lever: tuple[Notation, ...] = (
                    (Letter("R", after), Letter("p", after)) if self.far else (Letter("p", after),)
                )
                n_formula += [
                    " + " if n_formula else "",
                    Letter("R", after),
                    Letter("n", after),
                    " + ",
                    *lever,
                    " × ",
                    *Rf,
                ]
            f_line, f_next = self.vector(
                "f", here, 0, tuple(f_formula) or "0", f, lambda r, i=i: column(self.reference(r).loads[i].own.f), "f"
            )
            n_line, n_next = self.vector(
                "n", here, 0, tuple(n_formula) or "0", n, lambda r, i=i: column(self.reference(r).loads[i].own.n), "n"
            )
            substeps.append(
                LessonStep(sentence("Link {i}", Quoted(here)), (), (f_line, n_line, self.torque(i, f_next, n_next)))
            )
        says = sentence(
            "From the tip to the base: {f} and {n} are the force and the moment that link i − 1 exerts on link i, at "
            "the origin of link i; the torque is their part along the joint's axis.",
            Letter("f", "i"),
            Letter("n", "i"),
        )
        return LessonStep(sentence("Inward"), (says,), substeps=tuple(substeps))

    def torque(self, i: int, f: Vec3, n: Vec3) -> Equation:
        board, link, here = self.board, self.chain.links[i], str(i + 1)
        turn, slide = link.kind.turn(1), link.kind.slide(1)
        b, arm = self.b[i], unrotate(self.R[i], self.placements[i].p) if self.far else Vec3((0, 0, 0))
        value: Scalar = 0
        formula: list[Notation] = []
        if turn:
            moment = add(n, cross(arm, f)) if self.far else n
            value = dot(b, moment)
            inside: tuple[Notation, ...] = (
                "(",
                Letter("n", here),
                " + ",
                Letter("p", here),
                " × ",
                Letter("f", here),
                ")",
            )
            formula += [Letter("b", here, above="T"), *(inside if self.far else (Letter("n", here),))]
        if not is_zero(slide, board):
            value = value + slide * dot(b, f) if turn else dot(b, f)
            formula += [" + h" if turn else "", Letter("b", here, above="T"), Letter("f", here)]
        Ia = board.chain.links[i].motor_inertia
        if not is_zero(Ia, board):
            value = value + Ia * board.qdd[i]
            formula += [" + ", Letter("I", f"a{here}"), board.symbol(i, 2)]
        return board.equation(Letter("tau", here), tuple(formula), value, lambda r: r.torques[i], longest=LONGEST)

    # the same of a proof

    def _body(self, r: Reference, i: int) -> Any:
        return (r.on_joints if self.moved else r.chain).links[i].inertia

    def _centre(self, r: Reference, i: int) -> Any:
        body = self._body(r, i)
        return [x / body.m for x in body.s]

    def _centre_acceleration(self, x: NewtonEuler, r: Reference, i: int) -> Any:
        return [part / self._body(r, i).m for part in x.F[i]]

    def _tensor(self, r: Reference, i: int) -> Any:
        """I − (s·s 1 − s sᵀ)/m"""
        body = self._body(r, i)
        if i not in self.bodies.heavy or is_zero(self.bodies.m[i], self.board):
            return [list(row) for row in body.I]
        s, m = body.s, body.m
        whole = dot(s, s)
        return [[body.I[a][k] - ((whole if a == k else 0) - s[a] * s[k]) / m for k in range(3)] for a in range(3)]

    def _moment(self, x: NewtonEuler, r: Reference, i: int) -> Any:
        """N about the centre: that about the origin less c × F"""
        if is_zero(self.bodies.m[i], self.board):
            return x.N[i]
        return sub(x.N[i], cross(self._centre(r, i), x.F[i]))


def _centre_letter(link: str) -> Letter:
    """r_ci, from the frame to the centre of mass: c_i is the cosine of θ_i."""
    return Letter("r", f"c{link}")
