"""A second text of what a description means: the bound and merged chain is held against it at every proof.

It shares no line with `bind`, `reduce`, `spatial`; of `angles` it takes what is collected, and holds its value against
that of what is written. A frame is three columns and an origin, moved by one elementary step
after another; a body is its pseudo-inertia

    J = ∫ (r, 1)(r, 1)ᵀ dm = [[K, s], [sᵀ, m]]        J_a = T_ab J_b T_abᵀ

so that no tensor, no rule of Steiner and no product of placements occurs. What is fixed to a link is added up on it,
in its frame; what is before the first moving joint belongs to the ground, in the base frame.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from manipula.mechanics.robot.description import Body, Cell, Joint, RobotDescription, Steps
from manipula.mechanics.robot.description import Frame as NamedFrame
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.robot.values.angles import Angles
from manipula.mechanics.robot.values.parameter import ZERO, Deg, Name, Num, Parameter, ParameterOp
from manipula.scalar import Scalar

Frame = list[list[Scalar]]  # columns x, y, z and the origin, in the frame it is seen from
Pseudo = list[list[Scalar]]  # 4×4
THREE, HALF = range(3), Fraction(1, 2)


class Pair(NamedTuple):
    """One quantity: what the chain has, and what the description says."""

    what: str
    found: Scalar
    meant: Scalar


def pairs(
    robot: RobotDescription,
    chain: Tree,
    symbols: Mapping[str, Scalar],
    symbolic: object,
    q: Sequence[Scalar],
    frames_asked: Sequence[NamedFrame] = (),
) -> Iterator[Pair]:
    """Everything a model reads of a chain, at joint coordinates q; `symbols` has a scalar for each free parameter."""
    marks = {frame.name: frame for frame in frames_asked}
    moving = [joint for joint in robot.joints if joint.kind != "fixed"]
    if [(link.name, link.kind.name) for link in chain.links] != [(joint.name, joint.kind) for joint in moving]:
        yield Pair("the list of moving joints", 1, 0)
        return
    read = _Reader(robot, chain.maths, symbols, symbolic)
    yield from _each("gravity", chain.gravity, [read.cell(cell) for cell in robot.gravity])
    for link, joint in zip(chain.links, moving):
        found, cells = link.actuator.parameters_by_letter(), joint.actuator.parameters_by_letter()
        if list(map(type, link.actuator.laws)) != list(map(type, joint.actuator.laws)) or list(found) != list(cells):
            yield Pair(f"the friction laws of {joint.name}", 1, 0)
            return
        yield from _each(f"the actuator of {joint.name}", list(found.values()), list(map(read.cell, cells.values())))
    frames, bodies, parts = read.walk_links(q)
    places = [chain.base, *chain.elementary(q), chain.tool]
    names = ["the base", *(f"the frame of {joint.name}" for joint in moving), "the tool"]
    for name, place, frame in zip(names, places, frames, strict=True):
        yield from _each(name, [*_columns(place.R), place.p], frame)
    for joint, row in zip(moving, chain.coordinates.rows, strict=True):
        yield from _each(f"the coordinate of {joint.name}", list(map(list, row.terms)), read.terms(joint))
    stands = [-1, *(link.parent for link in chain.links), chain.holder]
    for name, on, below in zip(names, stands, [-1, *read.movers(), read.mover(read.tool_row())], strict=True):
        yield Pair(f"what {name} stands on", on, below)
    held = [chain.ground, *(link.inertia for link in chain.links)]
    owners = ["what is fixed to the base", *(f"what is fixed to {joint.name}" for joint in moving)]
    for name, inertia, body in zip(owners, held, bodies, strict=True):
        yield from _each(name, _pseudo(inertia.m, inertia.s, _second(inertia.I)), body)
    for joint, link, held_parts in zip(moving, chain.links, parts[1:]):
        yield from _parts(f"a body on {joint.name}", link.parts, held_parts)
    for cut, ends in zip(chain.cuts, read.loop_ends, strict=True):
        for on, at, (below, frame) in zip(cut.on, cut.at, ends, strict=True):
            yield Pair(f"what loop {cut.name} stands on", on, below)
            yield from _each(f"loop {cut.name}", [*_columns(at.R), at.p], frame)
    for line, element, ends in zip(chain.elements, robot.elements, read.element_ends, strict=True):
        yield from _each(f"element {element.name}", line.element.values, list(map(read.cell, element.values)))
        for on, at, (below, frame) in zip(line.on, line.at, ends, strict=True):
            yield Pair(f"what element {element.name} stands on", on, below)
            yield from _each(f"element {element.name}", [*_columns(at.R), at.p], frame)
    if chain.moving != robot.moving:
        yield Pair("whether the base moves", 1, 0)
    if robot.moving:
        yield from _parts("a body of the base", chain.ground_parts, parts[0])
    for mark in chain.marks:
        owner, frame = read.read_mark(marks[mark.name])
        yield Pair(f"what frame {mark.name} stands on", mark.on, owner - 1)
        yield from _each(f"frame {mark.name}", [*_columns(mark.at.R), mark.at.p], frame)
    for collected, written in read.collected:
        yield Pair("an angle", collected, written)


def neighbour_frames(
    robot: RobotDescription, maths: object, symbols: Mapping[str, Scalar], symbolic: object, q: Sequence[Scalar]
) -> list[list[list[Scalar]]]:
    """The base, every moving link's frame in that of the one before, the tool: 4×4 matrices, row by row."""
    frames, _, _ = _Reader(robot, maths, symbols, symbolic).walk_links(q)
    return [[[*(frame[k][i] for k in range(4))] for i in THREE] + [[0, 0, 0, 1]] for frame in frames]


def _parts(what: str, found: Sequence[Any], meant: Sequence[tuple[Frame, Pseudo]]) -> Iterator[Pair]:
    """The bodies as the file gives them, one by one: where they are held, and in their own frames."""
    if len(found) != len(meant):
        yield Pair(what, 1, 0)
        return
    for part, (frame, body) in zip(found, meant):
        yield from _each(what, [*_columns(part.at.R), part.at.p], frame)
        yield from _each(what, _pseudo(part.inertia.m, part.inertia.s, _second(part.inertia.I)), body)


def _each(what: str, found: Sequence[Any], meant: Sequence[Any]) -> Iterator[Pair]:
    """Entry by entry, through nested rows."""
    for x, y in zip(found, meant, strict=True):
        if isinstance(y, list):
            yield from _each(what, x, y)
        else:
            yield Pair(what, x, y)


class _Reader:
    """The description, read cell by cell."""

    def __init__(self, robot: RobotDescription, maths: Any, symbols: Mapping[str, Scalar], symbolic: Any) -> None:
        self.robot, self.maths, self.symbols, self.symbolic = robot, maths, symbols, symbolic
        self.values, self.known = dict(robot.values), dict[str, Scalar]()
        self.angles = Angles({name: x for name, x in self.values.items() if not self.stays(name)})
        self.collected: list[tuple[Scalar, Scalar]] = []  # angles, beside what is written

    # numbers

    def cell(self, cell: Cell) -> Scalar:
        if cell.value is None:
            return self.value_of_name(cell.name)
        return self.symbols[cell.name] if self.is_symbol(cell) else self.value(cell.value)

    def is_symbol(self, cell: Cell) -> bool:
        """Does a number stay a symbol of its own name? Of "all", not 0, ±1 and quarter turns; else those listed."""
        match cell.value:
            case Num(x):
                return x not in (0, 1, -1) if self.symbolic == "all" else self.is_listed(cell.name)
            case Deg(x):
                return x % 90 != 0 if self.symbolic == "all" else self.is_listed(cell.name)
        return False

    def is_listed(self, name: str) -> bool:
        return not isinstance(self.symbolic, str) and name in self.symbolic

    def value_of_name(self, name: str) -> Scalar:
        if name not in self.known:
            self.known[name] = self.symbols[name] if self.stays(name) else self.value(self.values[name])
        return self.known[name]

    def stays(self, name: str) -> bool:
        return name not in self.values or self.symbolic == "all" or self.is_listed(name)

    def turn(self, cell: Cell) -> Scalar:
        """The cell of an angle."""
        return self.cell(cell) if cell.value is None or self.is_symbol(cell) else self.angle(cell.value)

    def angle(self, x: Parameter) -> Scalar:
        self.collected.append((self.value(self.angles.collect(x)), self.value(x)))
        return self.collected[-1][0]

    def value(self, x: Parameter) -> Any:
        match x:
            case Num(number):
                return self.maths.number(number)
            case Deg(angle):
                return self.maths.degrees(angle)
            case Name(name):
                return self.value_of_name(name)
            case ParameterOp("**", (base, Num(power))):
                return self.power(self.value(base), int(power))
            case ParameterOp("neg", (a,)):
                return -self.value(a)
            case ParameterOp(function, (a,)):
                return getattr(self.maths, function)(self.value(a) if function == "sqrt" else self.angle(a))
            case ParameterOp(sign, (a, b)):
                return _ARITHMETIC[sign](self.value(a), self.value(b))
        raise AssertionError(x)

    def power(self, base: Scalar, power: int) -> Scalar:
        if power < 0:
            return 1 / self.power(base, -power)
        return base * self.power(base, power - 1) if power > 1 else base if power else 1

    # the walk

    def walk_links(self, q: Sequence[Scalar]) -> tuple[list[Frame], list[Pseudo], list[list[tuple[Frame, Pseudo]]]]:
        """The base, every moving link's frame in that of the one before, the tool; and what the base and the links
        carry, together and body by body."""
        robot, coordinates = self.robot, iter(q)
        self.parts: list[list[tuple[Frame, Pseudo]]] = [[]]
        frame = _here()
        self.step(frame, robot.base)
        frames, bodies = [frame], [_empty()]
        stands: list[tuple[int, Frame]] = []  # of every row: the body it is part of, and where
        for mounted in robot.ground:
            self.hold(bodies, 0, _here(), mounted.at, mounted.body)
        for body in robot.payload if self.tool_row() < 0 else ():
            self.hold(bodies, 0, _here(), robot.tool, body)
        for row, joint in enumerate(robot.joints):
            owner, frame = self.under(stands, self.below(row))
            self.step(frame, joint.before)
            if joint.kind != "fixed":
                x = next(coordinates)
                if joint.coordinate is not None:
                    x = x + self.maths.number(joint.coordinate.constant)
                    x = x + self.maths.degrees(joint.coordinate.degrees)
                self.joint(frame, joint, x if joint.direction == 1 else -x)
            self.step(frame, joint.after)
            if joint.kind != "fixed":
                frames.append(frame)
                bodies.append(_empty())
                self.parts.append([] if joint.body else [(_here(), _empty())])  # a link has a body, if of nothing
                owner, frame = len(bodies) - 1, _here()
            stands.append((owner, frame))
            self.hold(bodies, owner, frame, (), joint.body)
            for mounted in joint.carries:
                self.hold(bodies, owner, frame, mounted.at, mounted.body)
            for body in robot.payload if row == self.tool_row() else ():
                self.hold(bodies, owner, frame, robot.tool, body)
        self.stands = stands
        owner, frame = self.under(stands, self.tool_row())
        self.step(frame, robot.tool)
        self.loop_ends = [[self.loop_end(stands, name) for name in loop.joins] for loop in robot.loops]
        self.element_ends = [[self.loop_end(stands, name) for name in element.joins] for element in robot.elements]
        return [*frames, frame], bodies, self.parts

    def read_mark(self, frame: NamedFrame) -> tuple[int, Frame]:
        """The body a frame by name is on, 0 the base, and where it is in that body's frame."""
        owner, at = self.under(self.stands, self.row_of(frame.on) if frame.on else -1)
        self.step(at, frame.at)
        return owner, at

    def loop_end(self, stands: list[tuple[int, Frame]], name: str) -> tuple[int, Frame]:
        """The link that an end of a loop or an element is on, and where: a frame by name, a joint's or the base."""
        named = [x for x in self.robot.frames if x.name == name]
        row = self.row_of(named[0].on if named else name)
        frame = self.under(stands, row)[1]
        self.step(frame, named[0].at if named else ())
        return self.mover(row), frame

    def terms(self, joint: Joint) -> list[list[Scalar]]:
        """The coordinates a joint moves by, by their numbers."""
        free = [x.name for x in self.robot.joints if x.kind != "fixed" and x.coordinate is None]
        terms = joint.coordinate.terms if joint.coordinate else ((joint.name, Fraction(1)),)
        return [[free.index(name), self.maths.number(factor)] for name, factor in terms]

    def mover(self, row: int) -> int:
        """The moving joint, counted among these, that a row is part of; −1 the base."""
        moving = [k for k, joint in enumerate(self.robot.joints) if joint.kind != "fixed"]
        while row >= 0 and row not in moving:
            row = self.below(row)
        return moving.index(row) if row >= 0 else -1

    def movers(self) -> list[int]:
        rows = [k for k, joint in enumerate(self.robot.joints) if joint.kind != "fixed"]
        return [self.mover(self.below(row)) for row in rows]

    def below(self, row: int) -> int:
        """The row a row stands on."""
        parent = self.robot.joints[row].parent
        return row - 1 if parent is None else self.row_of(parent)

    def tool_row(self) -> int:
        on = self.robot.tool_on
        return len(self.robot.joints) - 1 if on is None else self.row_of(on)

    def row_of(self, name: str) -> int:
        return next((row for row, joint in enumerate(self.robot.joints) if joint.name == name), -1)

    def under(self, stands: list[tuple[int, Frame]], row: int) -> tuple[int, Frame]:
        """What is on a row, −1 the base, begins there: a frame of its own to be moved."""
        owner, frame = stands[row] if row >= 0 else (0, _here())
        return owner, list(frame)

    def joint(self, frame: Frame, joint: Joint, along: object) -> None:
        """Turn by offset + q, or shift by it; a pitch adds a shift by pitch·q."""
        if joint.turns:
            self.move(frame, "rz", self.turn(joint.offset) + along)
        else:
            self.move(frame, "tz", self.cell(joint.offset) + along)
        for pitch in joint.of_kind:
            self.move(frame, "tz", along * self.cell(pitch))

    def step(self, frame: Frame, steps: Steps) -> None:
        for step in steps:
            if step.amount.value not in (Num(ZERO.value), Deg(ZERO.value)):
                self.move(frame, step.kind, (self.turn if step.kind[0] == "r" else self.cell)(step.amount))

    def move(self, frame: Frame, kind: str, amount: object) -> None:
        """A turn about axis k mixes the columns after it; a shift along it moves the origin."""
        k = "xyz".index(kind[1])
        if kind[0] == "t":
            frame[3] = [p + amount * e for p, e in zip(frame[3], frame[k])]
            return
        i, j, c, s = (k + 1) % 3, (k + 2) % 3, self.maths.cos(amount), self.maths.sin(amount)
        ahead, aside = frame[i], frame[j]
        frame[i] = [c * x + s * y for x, y in zip(ahead, aside)]
        frame[j] = [c * y - s * x for x, y in zip(ahead, aside)]

    def hold(self, bodies: list[Pseudo], owner: int, frame: Frame, at: Steps, body: Body | None) -> None:
        """Add a body that is held at some steps from a frame to those of its owner."""
        if body is None:
            return
        place, total = list(frame), bodies[owner]
        self.step(place, at)
        J = self.pseudo(body)
        self.parts[owner].append((place, J))
        T = [[place[k][i] for k in range(4)] for i in THREE] + [[0, 0, 0, 1]]
        half = [[_dot(row, column) for column in zip(*J)] for row in T]
        for i in range(4):
            total[i] = [x + _dot(half[i], row) for x, row in zip(total[i], T)]

    def pseudo(self, body: Body) -> Pseudo:
        """As the table gives it: about the centre of mass, K = K_c + s sᵀ/m."""
        m, centre = self.cell(body.mass), [self.cell(cell) for cell in body.centre]
        s = [m * x for x in centre] if body.centre_is == "com" else centre
        xx, xy, xz, yy, yz, zz = (self.cell(cell) for cell in body.inertia)
        K = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
        if body.inertia_is != "second_moment":
            K = _second(K)
        if body.inertia_is == "com" and body.mass.value != ZERO and any(cell.value != ZERO for cell in body.centre):
            arm = centre if body.centre_is == "com" else [x / m for x in s]
            K = [[K[i][j] + s[i] * arm[j] for j in THREE] for i in THREE]
        return _pseudo(m, s, K)


_ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


def _here() -> Frame:
    return [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]]


def _empty() -> Pseudo:
    return [[0] * 4 for _ in range(4)]


def _columns(R: Sequence[Sequence[Scalar]]) -> list[Sequence[Scalar]]:
    return list(zip(*R))


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """Σ a b, nothing added for structural zeros."""
    return sum(x * y for x, y in zip(a, b) if not (_is_nothing(x) or _is_nothing(y)))


def _is_nothing(x: object) -> bool:
    return isinstance(x, int) and x == 0


def _second(I: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    """K_xx = ½(I_yy + I_zz − I_xx), K_xy = −I_xy"""
    K = [[-I[i][j] for j in THREE] for i in THREE]
    for i in THREE:
        j, k = (i + 1) % 3, (i + 2) % 3
        K[i][i] = (I[j][j] + I[k][k] - I[i][i]) * HALF
    return K


def _pseudo(m: object, s: Sequence[Scalar], K: Sequence[Sequence[Any]]) -> Pseudo:
    return [[*K[i], s[i]] for i in THREE] + [[*s, m]]
