"""Random arms for the tests: every feature of a description, short exact decimals, the same arm for the same seed."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

from manipula.mechanics.robot.description import (
    AXES,
    BASE,
    SIX,
    Body,
    Cell,
    CentreKind,
    Frame,
    InertiaKind,
    Joint,
    JointKind,
    Mounted,
    Origin,
    RobotDescription,
    Step,
    StepKind,
    Steps,
    actuator_of,
    centre_letter,
    tensor_letter,
)
from manipula.mechanics.robot.friction import LAWS, FrictionLaw
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.suffixes import row_names, suffixes, suffixes_of
from manipula.mechanics.robot.values.parameter import ZERO, Deg, Num, Parameter

Convention = Literal["standard", "modified", "urdf"]
KIND_OF: dict[str, JointKind] = {"R": "revolute", "P": "prismatic", "F": "fixed", "H": "helical"}


def random_robot(
    seed: int,
    *,
    joints: int | str | None = None,
    convention: Convention | None = None,
    surroundings: bool = True,
    actuators: bool = True,
    bodies: bool = True,
    screws: bool = False,
) -> RobotDescription:
    """An arm with at least one moving joint.

    `joints`: how many (1-8), or their kinds as text such as "RRPF". `convention`: the shape of the rows ("urdf" is any
    placement before and after). `surroundings`: base, tool, payload, locked branches, tilted gravity (else gravity
    is (0, 0, −9.81) alone). `actuators`: motor inertia and friction. `bodies`: False leaves the links without mass.
    `screws`: some of the moving joints, one at least, are helical.
    """
    rng = random.Random(seed)
    kinds = _screwed(seed, _kinds(rng, joints)) if screws else _kinds(rng, joints)
    drawn: Convention = rng.choice(("standard", "modified", "urdf"))
    shape: Convention = drawn if convention is None else convention
    names = row_names((kind, None) for kind in kinds)
    ends = suffixes(((kind, name, ()) for kind, name in zip(kinds, names)), 0).rows
    given = (shape, surroundings, actuators, bodies)
    rows = [_joint(rng, name, end, kind, *given) for name, end, kind in zip(names, ends, kinds)]
    if not surroundings:
        return RobotDescription(f"random{seed}", tuple(rows), _gravity(None), origin=Origin(convention=shape))
    payload = (_body(rng, "_payload"),) if bodies and rng.random() < 0.5 else ()
    base, tool = _maybe_placement(rng, "base"), _maybe_placement(rng, "tool")
    origin = Origin(convention=shape)
    return RobotDescription(f"random{seed}", tuple(rows), _gravity(rng), base, tool, payload, origin=origin)


def with_laws(robot: RobotDescription, seed: int, keys: Sequence[str] | None = None) -> RobotDescription:
    """The arm with further friction laws on some joints, on one at least; `keys` says which, None is any."""
    rng, ends = random.Random(f"friction {seed}"), suffixes_of(robot).rows
    pool = [law for law in LAWS if not law.always and (law.key in keys if keys else not law.loaded)]
    moving = [row for row, joint in enumerate(robot.joints) if joint.kind != "fixed"]
    sure, joints = rng.choice(moving), list(robot.joints)
    for row in moving:
        drawn = [law for law in pool if row == sure or rng.random() < 0.6]
        laws = tuple(_law(rng, law, ends[row]) for law in drawn)
        actuator = joints[row].actuator
        joints[row] = replace(joints[row], actuator=replace(actuator, laws=(*actuator.laws, *laws)))
    return replace(robot, joints=tuple(joints))


def _law(rng: random.Random, law: type[FrictionLaw[Any]], end: str) -> FrictionLaw[Cell]:
    """Positive values; where nothing need be there, sometimes nothing is."""
    shy = [x.bound != "positive" and len(law.entries) > 1 and rng.random() < 0.2 for x in law.entries]
    return law(tuple(Cell(f"{x.letters}{end}", ZERO if zero else _positive(rng)) for x, zero in zip(law.entries, shy)))


def random_tree(seed: int, joints: int | str | None = None, **kind: Any) -> RobotDescription:
    """A robot that branches anywhere: at the base, at fixed rows, in the middle; its tool on any row, other frames too.

    The rows are those of `random_robot`; parents come first, branches in no order. Some tips have no mass.
    """
    rng = random.Random(f"tree {seed}")
    robot = random_robot(seed, joints=joints or rng.randint(2, 8), **kind)
    names = [joint.name for joint in robot.joints]
    parents = [rng.choice((None, None, BASE, *names[:row])) for row in range(len(names))]
    rows = [replace(joint, parent=parent) for joint, parent in zip(robot.joints, parents)]
    bare = {row for row in range(len(rows)) if row not in replace(robot, joints=tuple(rows)).parents}
    light = [replace(x, body=None) if i in bare and rng.random() < 0.3 else x for i, x in enumerate(rows)]
    frames = tuple(Frame(f"frame {i}", rng.choice(names), _placement(rng, f"frame{i}")) for i in range(2))
    return replace(robot, joints=tuple(light), frames=frames, tool_on=rng.choice((None, BASE, *names, *names)))


def random_state(robot: RobotDescription, seed: int) -> tuple[list[float], list[float], list[float], list[float]]:
    """(q, q̇, q̈, wrench on the tool), floats of three decimals; only moving joints have entries."""
    rng = random.Random(seed)
    moving = [joint.kind for joint in robot.joints if joint.kind != "fixed"]
    q = [round(rng.uniform(-3.1, 3.1) if KINDS[kind].turns else rng.uniform(-0.8, 0.8), 3) for kind in moving]
    qd, qdd = ([round(rng.uniform(-2, 2), 3) for _ in moving] for _ in range(2))
    return q, qd, qdd, [round(rng.uniform(-5, 5), 3) for _ in range(6)]


def _kinds(rng: random.Random, joints: int | str | None) -> list[JointKind]:
    if isinstance(joints, str):
        return [KIND_OF[letter] for letter in joints]
    count = joints or rng.randint(1, 8)
    letters = rng.choices("RPF", weights=(6, 3, 1), k=count)
    if set(letters) == {"F"}:
        letters[rng.randrange(count)] = "R"
    return [KIND_OF[letter] for letter in letters]


def _screwed(seed: int, kinds: list[JointKind]) -> list[JointKind]:
    """Drawn apart: without screws the arms of all seeds stay."""
    rng = random.Random(f"screws {seed}")
    moving = [row for row, kind in enumerate(kinds) if kind != "fixed"]
    sure = rng.choice(moving)
    return ["helical" if row == sure or (row in moving and rng.random() < 0.4) else x for row, x in enumerate(kinds)]


def _joint(
    rng: random.Random,
    name: str,
    row: str,
    kind: JointKind,
    shape: Convention,
    surroundings: bool,
    actuators: bool,
    bodies: bool,
) -> Joint:
    before, offset, after = {"standard": _standard, "modified": _modified, "urdf": _free}[shape](rng, row, kind)
    massless = not bodies or (kind == "fixed" and rng.random() < 0.3)
    body = None if massless else _body(rng, row)
    branch = surroundings and not massless and rng.random() < 0.15
    held = f"held_{name}"
    carries = (Mounted(_placement(rng, held), _body(rng, f"_{held}"), held),) if branch else ()
    extras = [_positive(rng) if actuators and kind != "fixed" and rng.random() < 0.7 else ZERO for _ in range(4)]
    actuator = actuator_of(row, **dict(zip(("Ia", "fv", "fc", "fo"), extras)))
    return Joint(
        name=name,
        kind=kind,
        before=before,
        offset=offset,
        direction=rng.choice((1, 1, -1)),
        after=after,
        body=body,
        actuator=actuator,
        carries=carries,
        of_kind=tuple(Cell(f"{x.letters}{row}", _decimal(rng, -0.3, 0.3, 2)) for x in KINDS[kind].entries),
    )


# The three shapes of a row: (before, offset, after).


def _standard(rng: random.Random, row: str, kind: JointKind) -> tuple[Steps, Cell, Steps]:
    """Rz(theta) Tz(d) Tx(a) Rx(alpha), the moving one of the first two being the joint."""
    theta, d, a, alpha = _dh(rng, row)
    tail = (Step("tx", a), Step("rx", alpha))
    if KINDS[kind].field == "theta":
        return (), theta, (Step("tz", d), *tail)
    if KINDS[kind].field == "d":
        return (Step("rz", theta),), d, tail
    return (Step("rz", theta), Step("tz", d), *tail), Cell(f"offset{row}", ZERO), ()


def _modified(rng: random.Random, row: str, kind: JointKind) -> tuple[Steps, Cell, Steps]:
    """Rx(alpha) Tx(a) Rz(theta) Tz(d); turn and shift about one axis commute."""
    theta, d, a, alpha = _dh(rng, row)
    head = (Step("rx", alpha), Step("tx", a))
    if KINDS[kind].field == "theta":
        return (*head, Step("tz", d)), theta, ()
    if KINDS[kind].field == "d":
        return (*head, Step("rz", theta)), d, ()
    return (*head, Step("rz", theta), Step("tz", d)), Cell(f"offset{row}", ZERO), ()


def _free(rng: random.Random, row: str, kind: JointKind) -> tuple[Steps, Cell, Steps]:
    """Any placement before, and sometimes one after."""
    offset = ZERO if kind == "fixed" else _angle(rng) if KINDS[kind].turns else _length(rng)
    return _placement(rng, f"before{row}"), Cell(f"offset{row}", offset), _maybe_placement(rng, f"after{row}")


def _dh(rng: random.Random, row: str) -> tuple[Cell, Cell, Cell, Cell]:
    return (
        Cell(f"theta{row}", _angle(rng)),
        Cell(f"d{row}", _length(rng)),
        Cell(f"a{row}", _length(rng)),
        Cell(f"alpha{row}", _angle(rng)),
    )


def _maybe_placement(rng: random.Random, name: str) -> Steps:
    return _placement(rng, name) if rng.random() < 0.5 else ()


def _placement(rng: random.Random, name: str) -> Steps:
    """A shift, then roll-pitch-yaw about fixed axes, as robot files give placements."""
    shifts: tuple[StepKind, ...] = ("tx", "ty", "tz")
    turns: tuple[StepKind, ...] = ("rz", "ry", "rx")
    steps = [Step(kind, Cell(f"{name}_{kind}", _length(rng))) for kind in shifts]
    return (*steps, *(Step(kind, Cell(f"{name}_{kind}", _angle(rng))) for kind in turns))


def _gravity(rng: random.Random | None) -> tuple[Cell, Cell, Cell]:
    values: Sequence[Parameter] = (ZERO, ZERO, Num(Fraction("-9.81")))
    if rng is not None and rng.random() < 0.7:
        values = [_decimal(rng, -9, 9, 1) for _ in range(3)]
    x, y, z = (Cell(f"g{axis}", value) for axis, value in zip(AXES, values))
    return x, y, z


def _body(rng: random.Random, row: str) -> Body:
    """A physical body: its second moments about the centre of mass are A Aᵀ."""
    mass = _decimal(rng, 0.4, 6, 1).value
    centre = [_decimal(rng, -0.3, 0.3, 2).value for _ in range(3)]
    spans = [[(0.1, 0.4) if i == j else (-0.2, 0.2) for j in range(3)] for i in range(3)]
    A = [[_decimal(rng, *span, 2).value for span in row_spans] for row_spans in spans]
    K = [[sum((x * y for x, y in zip(a, b)), Fraction(0)) for b in A] for a in A]
    centre_is: CentreKind = rng.choice(("com", "first_moment"))
    inertia_is: InertiaKind = rng.choice(("com", "origin", "second_moment"))
    first = [mass * x if centre_is == "first_moment" else x for x in centre]
    six = _six(mass, centre, K, inertia_is)
    letters = centre_letter(centre_is), tensor_letter(inertia_is)
    x, y, z = (Cell(f"{letters[0]}{axis}{row}", Num(v)) for axis, v in zip(AXES, first))
    xx, xy, xz, yy, yz, zz = (Cell(f"{letters[1]}{pair}{row}", Num(v)) for pair, v in zip(SIX, six))
    return Body(Cell(f"m{row}", Num(mass)), (x, y, z), centre_is, (xx, xy, xz, yy, yz, zz), inertia_is)


def _six(mass: Fraction, centre: list[Fraction], K: list[list[Fraction]], inertia_is: InertiaKind) -> list[Fraction]:
    """xx xy xz yy yz zz: second moments or tensor, about the centre of mass or the origin."""
    if inertia_is != "com":
        K = [[K[i][j] + mass * centre[i] * centre[j] for j in range(3)] for i in range(3)]
    pairs = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
    if inertia_is == "second_moment":
        return [K[i][j] for i, j in pairs]
    trace = K[0][0] + K[1][1] + K[2][2]
    return [(trace if i == j else 0) - K[i][j] for i, j in pairs]


def _decimal(rng: random.Random, low: float, high: float, digits: int) -> Num:
    return Num(Fraction(rng.randint(round(low * 10**digits), round(high * 10**digits)), 10**digits))


def _positive(rng: random.Random) -> Num:
    return _decimal(rng, 0.1, 2, 2)


def _length(rng: random.Random) -> Num:
    return ZERO if rng.random() < 0.3 else _decimal(rng, -0.6, 0.6, 2)


def _angle(rng: random.Random) -> Parameter:
    """A quarter turn, any angle in degrees, or radians."""
    pick = rng.random()
    if pick < 0.5:
        return Deg(Fraction(rng.choice((0, 0, 90, -90, 180))))
    return _decimal(rng, -3, 3, 2) if pick < 0.65 else Deg(_decimal(rng, -170, 170, 1).value)
