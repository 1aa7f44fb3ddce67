"""Robot[Parameter] → Tree[S]: every cell becomes a scalar, every convention ends here.

Which cells stay symbols is decided by `symbolic`; the maker of symbols is handed in, so nothing here knows algebra.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.robot.coordinates import Coordinate, Coordinates
from manipula.mechanics.robot.description import Body, Cell, Frame, Joint, Mounted, RobotDescription, Step, Steps
from manipula.mechanics.robot.elements import TwoPointElement
from manipula.mechanics.robot.exact import axis_of, inverse_of, quarter_steps
from manipula.mechanics.robot.joints import KINDS, JointKind
from manipula.mechanics.robot.loops import ClosedLoop
from manipula.mechanics.robot.suffixes import element_suffixes, suffixes_of
from manipula.mechanics.robot.tree import BASE, ElementLine, FileBody, Link, LoopCut, Mark, Tree
from manipula.mechanics.robot.values.angles import Angles
from manipula.mechanics.robot.values.parameter import (
    ZERO,
    Deg,
    Name,
    Num,
    Parameter,
    is_plain_number,
    names_of,
    scalar_from_parameter,
)
from manipula.mechanics.spatial.inertia import (
    NOTHING,
    InertiaTensor,
    RigidBody,
    body_from_com,
    tensor_from_second_moments,
)
from manipula.mechanics.spatial.placement import HERE, Placement, shift_along, turn_about
from manipula.mechanics.spatial.vector import scale, symmetric
from manipula.scalar import Maths, Scalar

Symbolic = Literal["auto", "all", "none"] | Collection[str]


def free_parameters(robot: RobotDescription, symbolic: Symbolic = "auto") -> dict[str, Parameter | None]:
    """The names that stay symbols, in the file's order, each with its value if the file gives one."""
    values = dict(robot.values)
    choose = chooser(robot, symbolic)
    free: dict[str, Parameter | None] = {}
    for cell in robot.cells():
        if choose.cell(cell):
            free.setdefault(cell.name, cell.value)
        for name in names_of(cell.parameter) if not choose.cell(cell) else ():
            for inner in _symbols_of_name(name, values, choose.name):
                free.setdefault(inner, values.get(inner))
    return free


def bind(
    robot: RobotDescription, maths: Maths[Any], symbols: Mapping[str, Scalar], symbolic: Symbolic = "auto"
) -> Tree:
    """The chain over S; `symbols` holds a scalar for every free parameter."""
    return Binding(robot, symbolic).over(maths, symbols)


class Chooser:
    """Which cells and which names stay symbols."""

    def __init__(self, cell: Callable[[Cell], bool], name: Callable[[str], bool]) -> None:
        self.cell, self.name = cell, name


def chooser(robot: RobotDescription, symbolic: Symbolic) -> Chooser:
    values = dict(robot.values)
    if symbolic == "auto":
        return Chooser(lambda cell: False, lambda name: name not in values)
    if symbolic == "none":
        missing = [name for name in robot.names() if name not in values]
        if missing:
            listed = ", ".join(missing)
            raise InputError(
                "{name}: symbolic='none' needs a value for every parameter; {listed} have no value", robot.name, listed
            )
        return Chooser(lambda cell: False, lambda name: False)
    if symbolic == "all":
        return Chooser(lambda cell: is_plain_number(cell.value), lambda name: True)
    if isinstance(symbolic, str):
        raise InputError(
            "symbolic: expected 'auto', 'none', 'all' or a list of names, found {symbolic!r:.60}", symbolic
        )
    return _chooser_by_names(robot, symbolic, values)


def _chooser_by_names(robot: RobotDescription, names: Collection[str], values: Mapping[str, Parameter]) -> Chooser:
    # in the order of the file: a sentence lists them
    known = dict.fromkeys([*robot.names(), *values, *(cell.name for cell in robot.cells())])
    for name in names:
        if name not in known:
            raise UnknownNameError("parameter", name, [*known])
    return Chooser(
        lambda cell: cell.name in names and isinstance(cell.value, Num | Deg),
        lambda name: name in names or name not in values,
    )


def _symbols_of_name(name: str, values: Mapping[str, Parameter], stays: Callable[[str], bool]) -> list[str]:
    """The symbols a name stands for: itself, or those inside its value; each name is opened once."""
    found: dict[str, None] = {}
    seen, waiting = set[str](), [name]
    while waiting:
        inner = waiting.pop()
        if inner in seen:
            continue
        seen.add(inner)
        if stays(inner) or inner not in values:
            found[inner] = None
        else:
            waiting.extend(reversed(list(names_of(values[inner]))))
    return list(found)


def _forwards(joint: Joint) -> tuple[Joint, Literal[1, -1]]:
    """A joint about −x, −y or −z of its frame as one about the axis itself, and −1, the sense in which its offset then
    counts: axes that point against each other are parallel, which saves products, and a sign costs nothing."""
    turn, (axis, sense) = axis_of(joint)
    if sense == 1:
        return joint, 1
    there = quarter_steps((axis, 1), turn[0].amount.name)
    before, after = (*joint.before[:-1], *there), (*inverse_of(there), *joint.after[1:])
    return replace(joint, before=before, after=after, direction=1 if joint.direction == -1 else -1), -1


class Binding:
    """What is the same whatever the scalar: which cells stay symbols, the names in use, the angles collected."""

    def __init__(self, robot: RobotDescription, symbolic: Symbolic = "auto", marks: Sequence[Frame] = ()) -> None:
        self.robot, self.values, self.names, self.marks = robot, dict(robot.values), robot.names(), marks
        self.choose = chooser(robot, symbolic)
        self.angles = Angles({name: x for name, x in self.values.items() if not self.choose.name(name)})

    def over(self, maths: Maths[Any], symbols: Mapping[str, Scalar]) -> Tree:
        """See `bind`."""
        return _Binder(self, maths, symbols).chain()


class _Binder:
    def __init__(self, binding: Binding, maths: Maths[Scalar], symbols: Mapping[str, Scalar]) -> None:
        self.robot, self.values, self.maths = binding.robot, binding.values, maths
        self.choose, self.angles, self.marks = binding.choose, binding.angles, binding.marks
        self.symbols: dict[str, Scalar] = dict(symbols)
        for name in binding.names:
            self.look_up(name)

    def look_up(self, name: str) -> Scalar:
        """The scalar of a name: a symbol, or its value's."""
        if name not in self.symbols:
            if name not in self.values:
                raise InputError("{name}: parameter {name2!r} has no value", self.robot.name, name)
            for inner in names_of(self.values[name]):
                self.look_up(inner)
            self.symbols[name] = self._value(self.angles.inside(self.values[name]))
        return self.symbols[name]

    def scalar(self, cell: Cell) -> Scalar:
        if self.choose.cell(cell):
            return self.symbols[cell.name]
        return self._structure(self.angles.inside(cell.parameter))

    def angle(self, cell: Cell) -> Scalar:
        """The scalar of what is turned by, its terms collected."""
        if self.choose.cell(cell):
            return self.symbols[cell.name]
        return self._structure(self.angles.collect(cell.parameter))

    def _structure(self, parameter: Parameter) -> Scalar:
        match parameter:
            case Num(value) if value.denominator == 1 and abs(value) <= 1:
                return int(value)  # structure: 0 and ±1
        return self._value(parameter)

    def _value(self, parameter: Parameter) -> Scalar:
        return scalar_from_parameter(parameter, self.symbols, self.maths)

    def placement(self, steps: Steps) -> Placement:
        """The product of the steps; those that are exactly nothing are left out."""
        at = HERE
        for step in steps:
            if step.amount.value not in (Num(Fraction(0)), Deg(Fraction(0))):
                at = self.step(step) if at is HERE else at @ self.step(step)
        return at

    def step(self, step: Step) -> Placement:
        axis = step.kind[1]
        if step.kind[0] == "t":
            return shift_along(axis, self.scalar(step.amount))
        return turn_about(axis, *self.cos_sin(step.amount))

    def cos_sin(self, cell: Cell) -> tuple[Scalar, Scalar]:
        """Exact 0 and ±1 at quarter turns, whatever the scalar."""
        value = self._angle_value(cell)
        if value is not None and value % 90 == 0:
            quarter = int(value / 90) % 4
            return ((1, 0), (0, 1), (-1, 0), (0, -1))[quarter]
        angle = self.angle(cell)
        return self.maths.cos(angle), self.maths.sin(angle)

    def _angle_value(self, cell: Cell) -> Fraction | None:
        """Degrees, when the cell is a plain exact angle that stays numeric."""
        match None if self.choose.cell(cell) else self.angles.collect(cell.parameter):
            case Deg(value):
                return value
            case Num(value) if value == 0:
                return value
        return None

    def _resolve_cell(self, cell: Cell) -> Parameter | None:
        """The contents of the cell, through names that have values; None where it stays a symbol."""
        parameter = None if self.choose.cell(cell) else cell.parameter
        while isinstance(parameter, Name) and not self.choose.name(parameter.name):
            parameter = self.values.get(parameter.name)
        return None if isinstance(parameter, Name) else parameter

    def _is_zero(self, cell: Cell) -> bool:
        """Zero as the file has it: what has no first moment may have no mass to divide it by."""
        return self._resolve_cell(cell) == ZERO

    def _is_number(self, cell: Cell) -> bool:
        """A plain number that stays numeric."""
        return isinstance(self._resolve_cell(cell), Num)

    def body(self, body: Body | None) -> RigidBody:
        if body is None:
            return RigidBody()
        m = self.scalar(body.mass)
        x, y, z = (self.scalar(cell) for cell in body.centre)
        xx, xy, xz, yy, yz, zz = (self.scalar(cell) for cell in body.inertia)
        tensor = symmetric(xx, xy, xz, yy, yz, zz)
        first = (x, y, z) if body.centre_is == "first_moment" else scale(m, (x, y, z))
        match body.inertia_is, body.centre_is:
            case "com", "com":
                return body_from_com(m, (x, y, z), tensor)
            case "com", "first_moment":
                cx, cy, cz = (0 if self._is_zero(cell) else s / m for cell, s in zip(body.centre, (x, y, z)))
                return body_from_com(m, (cx, cy, cz), tensor)
            case "second_moment", _:
                return RigidBody(m, first, tensor_from_second_moments(tensor))
        return RigidBody(m, first, InertiaTensor(tensor))

    def parts(self, suffixes: Sequence[str], held: Sequence[Mounted]) -> list[FileBody]:
        """Bodies where they are held."""
        return [FileBody(end, self.placement(x.at), self.body(x.body)) for end, x in zip(suffixes, held, strict=True)]

    def link(self, joint: Joint, suffix: str, carried: Sequence[str], parent: int) -> Link:
        joint, sense = _forwards(joint)
        before = self.placement(joint.before)
        inertia = self.body(joint.body)
        own = [] if joint.body is None and joint.kind == "fixed" else [FileBody(suffix, HERE, inertia)]
        held = self.parts(carried, joint.carries)
        for part in held:
            inertia = inertia + part.inertia.seen_from(part.at)
        kind = replace(KINDS[joint.kind], parameters=tuple(map(self.scalar, joint.of_kind)))
        offset = sense * (self.angle(joint.offset) if kind.turns else self.scalar(joint.offset))
        apart = kind.turns and (kind.slides or self._is_number(joint.offset))
        if apart and joint.offset.value != ZERO:
            # a bare number of radians has no exact sine: it stands as a constant turn, not inside sums of angles;
            # and where the coordinate makes a joint advance, the offset does not
            c, s = self.cos_sin(joint.offset)
            before, offset = before @ turn_about("z", c, sense * s), 0
        if joint.coordinate is not None:
            degrees = joint.direction * joint.coordinate.degrees
            if degrees and kind.pivots:  # inside sums of angles, where parallel axes take each other's turns back
                offset = offset + self.angle(Cell("", Deg(degrees)))
            before = before @ self.constant(joint.coordinate, joint.direction, kind)
        return Link(
            name=joint.name,
            kind=kind,
            before=before,
            offset=offset,
            direction=joint.direction,
            after=self.placement(joint.after),
            inertia=inertia,
            actuator=joint.actuator.map_entries(self.scalar),
            parts=(*own, *held),
            parent=parent,
        )

    def constant(self, coordinate: Coordinate, direction: int, kind: JointKind) -> Placement:
        """Where a joint that follows others stands when they are at zero, but for degrees of a pivot."""
        at, degrees = HERE, direction * coordinate.degrees
        if coordinate.constant:
            at = kind.motion(self.maths.number(direction * coordinate.constant), self.maths)
        if degrees and not kind.pivots:
            at = at @ kind.motion(self.maths.degrees(degrees), self.maths)
        return at

    def couplings(self) -> Coordinates | None:
        """Over the scalar, the offsets left to placements."""
        if not self.robot.coordinates.followers:
            return None
        found = self.robot.coordinates.map_factors(lambda k: k if isinstance(k, int) else self.maths.number(k))
        return replace(found, rows=tuple(row._replace(offset=0.0) for row in found.rows))

    def ends(self, joins: tuple[str, str]) -> tuple[tuple[int, int], tuple[Placement, Placement]]:
        """Two frames where they stand: one of the robot's, a link's by its joint, or the base."""
        rows = {joint.name: row for row, joint in enumerate(self.robot.joints)}
        frames = {frame.name: (rows.get(frame.on, BASE), frame.at) for frame in self.robot.frames}
        (a, to_a), (b, to_b) = (frames.get(name, (rows.get(name, BASE), ())) for name in joins)
        return (a, b), (self.placement(to_a), self.placement(to_b))

    def cut(self, loop: ClosedLoop) -> LoopCut:
        on, at = self.ends(loop.joins)
        return LoopCut(loop.name, on, at, loop.cut)

    def element(self, element: TwoPointElement[Cell], suffix: str) -> ElementLine:
        on, at = self.ends(element.joins)
        return ElementLine(suffix, on, at, element.map_entries(self.scalar))

    def chain(self) -> Tree:
        ends = suffixes_of(self.robot)
        links = list(map(self.link, self.robot.joints, ends.rows, ends.carried, self.robot.parents))
        tool, tip = self.placement(self.robot.tool), self.robot.tool_row
        loads = [FileBody(end, tool, self.body(body)) for end, body in zip(ends.payload, self.robot.payload)]
        held = sum((part.inertia for part in loads), RigidBody()).seen_from(tool)
        if loads and tip != BASE:
            links[tip] = replace(links[tip], inertia=links[tip].inertia + held, parts=(*links[tip].parts, *loads))
        x, y, z = (self.scalar(cell) for cell in self.robot.gravity)
        base = self.placement(self.robot.base)
        ground = held if loads and tip == BASE else NOTHING
        still = self.parts(ends.ground, self.robot.ground)
        for part in still:
            ground = ground + part.inertia.seen_from(part.at)
        tip_link = None if self.robot.tool_on is None else tip
        cuts = tuple(map(self.cut, self.robot.loops))
        arm = Tree(tuple(links), (x, y, z), self.maths, base, tool, ground, tip_link, self.couplings(), cuts)
        if self.robot.elements:
            arm = replace(arm, elements=tuple(map(self.element, self.robot.elements, element_suffixes(self.robot))))
        if self.robot.moving:
            riders = (*still, *(loads if tip == BASE else ()))
            arm = replace(arm, moving=self.robot.moving, ground_parts=riders)
        return replace(arm, marks=tuple(map(self.mark, self.marks))) if self.marks else arm

    def mark(self, frame: Frame) -> Mark:
        rows = {"": BASE} | {joint.name: row for row, joint in enumerate(self.robot.joints)}
        return Mark(frame.name, rows[frame.on], self.placement(frame.at))
