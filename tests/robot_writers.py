"""The robots of `robot_plans` as people write them: tables, placements, robot files, URDF, MJCF, SYMORO, Python rows.

No writer is the package's. Each hands out a `Writing`: the text, how it is read, the plan without what the format
cannot say. Frames of links are drawn anew where a format lets its user choose them, so that the same axis stands along
±x, ±y, ±z or askew in the file. URDF and MJCF are in `robot_xml`.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import atan2, degrees, hypot, radians
from typing import Any

import numpy as np

import manipula as mp
from tests.robot_plans import DOWN, NONE, Array, Mass, Plan, Row, place_of, placed, shift, tensor_of, turn

WORD = {"R": "revolute", "P": "prismatic", "H": "helical", "F": "fixed"}
PAIRS = ("xx", "xy", "xz", "yy", "yz", "zz")
AT = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


@dataclass(frozen=True)
class Writing:
    """`named`: names of joints are kept; `bounded`: which of limits, velocity, effort are."""

    label: str
    text: str
    read: Callable[[], mp.Robot]
    plan: Plan
    named: bool = True
    bounded: tuple[str, ...] = ()


# numbers


def number(x: Fraction | float) -> str:
    """A terminating decimal as such, anything else to the last digit of a float."""
    if isinstance(x, Fraction) and 10**12 % x.denominator == 0:
        whole, rest = divmod(abs(x.numerator) * (10**12 // x.denominator), 10**12)
        text = f"{whole}.{rest:012d}".rstrip("0").rstrip(".")
        return f"-{text}" if x < 0 else text
    return repr(float(x))


def angle_texts(x: Fraction | float) -> tuple[str, ...]:
    """Of degrees, with units."""
    return f"{number(x)} deg", f"{number(x)}°", f"{radians(float(x))!r} rad"


PER_METRE = {"m": 1, "cm": 100, "mm": 1000}


def length_texts(x: Fraction | float) -> tuple[str, ...]:
    """Of metres, with units."""
    return f"{number(x)} m", f"{number(x * 100)} cm", f"{number(x * 1000)} mm"


class Pen:
    """Writes entries of a robot file in drawn units, as numbers, texts or names; `exact` once an angle that was
    computed is so near a quarter turn that a reader would ask whether that is meant."""

    def __init__(self, rng: random.Random) -> None:
        self.rng, self.exact, self.values = rng, False, dict[str, str]()
        self.angle_unit = rng.choice(("deg", "rad"))
        self.length_unit = rng.choice(("m", "cm", "mm"))
        self.style = rng.choice(("number", "text", "name"))

    def angle(self, x: Fraction | float) -> str:
        """Of degrees."""
        self.look(float(x))
        bare = number(x) if self.angle_unit == "deg" else repr(radians(float(x)))
        if self.style == "number" or not x or self.rng.random() < 0.5:
            return bare
        turned = f"{number(x)}*pi/180"
        if self.style == "name":
            return f'"{self.named("A", turned)}"'
        return f'"{self.rng.choice((bare, turned, *angle_texts(x)))}"'

    def length(self, x: Fraction | float) -> str:
        """Of metres; names are SI, a number beside one has the unit of its column."""
        bare = number(x * PER_METRE[self.length_unit])
        if self.style == "number" or not x or self.rng.random() < 0.5:
            return bare
        if self.style == "text":
            return f'"{self.rng.choice((bare, *length_texts(x)))}"'
        whole, half = Fraction(x), Fraction(x) / 2
        rest = half * PER_METRE[self.length_unit]
        choices = (("{}", whole), ("2*{}", half), ("{} + " + number(rest), half))
        text, value = self.rng.choice(choices)
        return f'"{text.format(self.named("L", number(value)))}"'

    def plain(self, x: Fraction | float) -> str:
        """Of any SI unit."""
        if self.style == "name" and x and self.rng.random() < 0.1:
            return f'"{self.named("U", number(x))}"'
        return number(x)

    def motion(self, row: Row, x: Fraction | float) -> str:
        return self.angle(x) if row.turns else self.length(x)

    def rate(self, row: Row, x: Fraction) -> str:
        """Of radians or metres per second."""
        unit = self.angle_unit if row.turns else self.length_unit
        bare = repr(degrees(x)) if unit == "deg" else number(x * PER_METRE.get(unit, 1))
        said = (f"{number(x)} rad/s", f"{degrees(x)!r} deg/s") if row.turns else (f"{number(x)} m/s",)
        return bare if self.style != "text" else f'"{self.rng.choice((bare, *said))}"'

    def named(self, letter: str, value: str) -> str:
        name = f"{letter}_{len(self.values) + 1}"
        self.values[name] = f'"{value}"' if "pi" in value else value
        return name

    def look(self, degrees: float) -> None:
        apart = abs((degrees + 45) % 90 - 45)
        self.exact = self.exact or 1e-9 < apart < 0.02

    def vector(self, items: Any, write: Callable[[Any], str]) -> str:
        return f"[{', '.join(map(write, items))}]"

    def place(self, six: Any) -> str:
        return f"xyz = {self.vector(six[:3], self.length)}\nrpy = {self.vector(six[3:], self.angle)}\n"


def six_of(T: Array) -> tuple[float, ...]:
    """x y z, and roll, pitch, yaw in degrees."""
    R = T[:3, :3]
    across = hypot(R[0, 0], R[1, 0])
    pitch = atan2(-R[2, 0], across)
    roll, yaw = (atan2(R[2, 1], R[2, 2]), atan2(R[1, 0], R[0, 0])) if across > 1e-6 else (0.0, atan2(-R[0, 1], R[1, 1]))
    return (*map(float, T[:3, 3]), *(degrees(x) if abs(x) > 1e-15 else 0.0 for x in (roll, pitch, yaw)))


def seen_from(body: Mass, T: Array) -> Mass:
    """A body of a frame that stands at T."""
    R = T[:3, :3]
    tensor = R @ tensor_of(body) @ R.T
    com = T[:3, 3] + R @ np.array(body.com, float)
    return replace(body, com=tuple(map(float, com)), tensor=tuple(float(tensor[i, j]) for i, j in AT))  # type: ignore[arg-type]


# robot files


def body_lines(pen: Pen, body: Mass) -> str:
    """About the centre of mass or the origin; first or second moments."""
    exact = all(isinstance(x, Fraction) for x in (*body.com, *body.tensor))
    m, c, I = body.mass, body.com, dict(zip(PAIRS, body.tensor))
    about = pen.rng.choice(("com", "com", "origin", "second"))
    if about != "com":
        kind: Callable[[Any], Any] = Fraction if exact else float
        for (i, j), pair in zip(AT, PAIRS):
            steiner = (sum(x * x for x in c) if i == j else 0) - c[i] * c[j]
            I[pair] = kind(I[pair]) + kind(m) * kind(steiner)
    lines = f"mass = {pen.plain(m)}\n"
    if pen.rng.random() < 0.5:
        lines += f"com = {pen.vector(c, pen.length)}\n"
    else:
        lines += f"first_moment = {pen.vector([m * x if exact else float(m) * x for x in c], pen.plain)}\n"
    if about == "second":
        half = (I["xx"] + I["yy"] + I["zz"]) / 2
        I = {pair: half - x if pair[0] == pair[1] else -x for pair, x in I.items()}
    key = "second_moment" if about == "second" else "inertia"
    lines += f"{key} = {{ {', '.join(f'{pair} = {pen.plain(x)}' for pair, x in I.items())} }}\n"
    return lines + ('inertia_about = "origin"\n' if about == "origin" else "")


def drive_lines(pen: Pen, row: Row) -> str:
    lines = f'type = "{WORD[row.kind]}"\n'
    if row.kind == "H":
        lines += f"pitch = {pen.length(row.pitch)}\n"
    if row.follow is not None:
        lines += f'coordinate = "{follow_text(pen, row)}"\n'
    if row.limits is not None:
        lines += f"limits = {pen.vector(row.limits, lambda x: pen.motion(row, x))}\n"
    if row.velocity is not None:
        lines += f"velocity_limit = {pen.rate(row, row.velocity)}\n"
    if row.effort is not None:
        lines += f"effort_limit = {pen.plain(row.effort)}\n"
    if row.motor:
        lines += f"motor_inertia = {pen.plain(row.motor)}\n"
    laws = {"viscous": row.viscous, "coulomb": row.coulomb, "offset": row.constant}
    given = ", ".join(f"{law} = {pen.plain(x)}" for law, x in laws.items() if x)
    return lines + (f"friction = {{ {given} }}\n" if given else "")


def follow_text(pen: Pen, row: Row) -> str:
    """The constant is in the unit of the joint's coordinate, or has its own."""
    assert row.follow is not None
    factor, c = row.follow.factor, row.follow.constant
    text = f"{number(factor)}*{row.follow.lead}" if factor != 1 else row.follow.lead
    if row.turns:
        choices = (
            repr(degrees(c)) if pen.angle_unit == "deg" else number(c),
            f"{number(c)} rad",
            f"{degrees(c)!r} deg",
        )
    else:
        choices = (number(c * PER_METRE[pen.length_unit]), *length_texts(c))
    return f"{text} + {pen.rng.choice(choices)}".replace("+ -", "- ") if c else text


def file_text(plan: Plan, pen: Pen, convention: str, base: Any, tool: Any, rows: list[str]) -> str:
    """A robot file; `rows` are the joints' lines."""
    body = "".join(f"[[joint]]\n{row}" for row in rows)
    on = f'on = "{plan.rows[plan.tip].name}"\n' if not plan.is_chain or pen.rng.random() < 0.3 else ""
    parts = f"[base]\n{pen.place(base)}" if any(base) else ""
    parts += f"[tool]\n{on}{pen.place(tool) if any(tool) else ''}" if any(tool) or on else ""
    parts += f"[[payload]]\n{body_lines(pen, plan.load)}" if plan.load is not None else ""
    head = f'format = 1\nname = "{plan.name}"\nconvention = "{convention}"\nangle = "{pen.angle_unit}"\n'
    head += f'length = "{pen.length_unit}"\n' if pen.length_unit != "m" or pen.rng.random() < 0.5 else ""
    head += f"gravity = {pen.vector(plan.gravity, pen.plain)}\n" + ("exact = true\n" if pen.exact else "")
    values = "".join(f"{name} = {value}\n" for name, value in pen.values.items())
    return head + (f"[values]\n{values}" if values else "") + parts + body


def parent_line(plan: Plan, i: int, pen: Pen) -> str:
    parent = plan.rows[i].parent
    if parent == i - 1 and pen.rng.random() < 0.8:
        return ""
    return f'parent = "{plan.rows[parent].name if parent >= 0 else "base"}"\n'


EVERY = ("limits", "velocity", "effort")


def toml_modified(plan: Plan, rng: random.Random) -> Iterator[Writing]:
    """Rows as drawn."""
    if plan.rows[0].dh is None:
        return
    pen, rows = Pen(rng), []
    for i, row in enumerate(plan.rows):
        assert row.dh is not None
        alpha, a, theta, d = row.dh
        cells = f"alpha = {pen.angle(alpha)}\na = {pen.length(a)}\ntheta = {pen.angle(theta)}\nd = {pen.length(d)}\n"
        rows.append(_joint_lines(plan, pen, i, cells, row.direction, row.body))
    text = file_text(plan, pen, "modified", plan.base, plan.tool, rows)
    yield Writing("toml modified", text, lambda: mp.Robot.from_text(text), plan, bounded=EVERY)


def _joint_lines(plan: Plan, pen: Pen, i: int, cells: str, direction: int, body: Mass | None) -> str:
    row = plan.rows[i]
    way = f"direction = {direction}\n" if direction == -1 else ""
    lines = f'name = "{row.name}"\nlink_name = "{row.link}"\n{parent_line(plan, i, pen)}{cells}{way}'
    return lines + drive_lines(pen, row) + (body_lines(pen, body) if body is not None else "")


@dataclass(frozen=True)
class Standard:
    """A serial arm's rows (theta, d, a, alpha), the base and bodies that go with them."""

    base: tuple[float, ...]
    rows: list[tuple[Fraction, ...]]
    bodies: list[Mass | None]


def standard(plan: Plan) -> Standard:
    """Of a serial arm of Denavit–Hartenberg rows: row i takes a and alpha of the next one, the base the first ones."""
    dh = [row.dh or () for row in plan.rows]
    alpha, a = dh[0][:2]
    base = placed(plan.base) @ turn((1, 0, 0), float(alpha)) @ shift(float(a), 0, 0)
    after = [*(row[:2] for row in dh[1:]), (Fraction(0), Fraction(0))]
    rows = [(row[2], row[3], a, alpha) for row, (alpha, a) in zip(dh, after)]
    frames = [shift(float(a), 0, 0) @ turn((1, 0, 0), float(alpha)) for alpha, a in after]
    bodies = [x.body and (seen_from(x.body, np.linalg.inv(T)) if any(two) else x.body)
              for x, T, two in zip(plan.rows, frames, after)]  # fmt: skip
    return Standard(six_of(base) if alpha or a else plan.base, rows, bodies)  # type: ignore[arg-type]


def toml_standard(plan: Plan, rng: random.Random) -> Iterator[Writing]:
    if plan.rows[0].dh is None or not plan.is_chain:
        return
    found, pen, rows = standard(plan), Pen(rng), []
    for i, (theta, d, a, alpha) in enumerate(found.rows):
        cells = f"theta = {pen.angle(theta)}\nd = {pen.length(d)}\na = {pen.length(a)}\nalpha = {pen.angle(alpha)}\n"
        rows.append(_joint_lines(plan, pen, i, cells, plan.rows[i].direction, found.bodies[i]))
    text = file_text(plan, pen, "standard", found.base, plan.tool, rows)
    yield Writing("toml standard", text, lambda: mp.Robot.from_text(text), plan, bounded=EVERY)


def gauge(rng: random.Random, shifted: bool) -> Array:
    """A frame of a link seen from its joint's: turned by quarters or askew, sometimes beside the axis."""
    T = np.eye(4)
    for axis in np.eye(3):
        angle = rng.choice((0, 0, 90, -90, 180)) if rng.random() < 0.8 else rng.randint(20, 70)
        T = T @ turn(axis, angle)
    z = T[2, :3]
    if any(1e-12 < abs(x) < 1e-2 for x in z):
        return gauge(rng, shifted)
    T[np.abs(T) < 1e-15] = 0
    return T @ shift(*(rng.randint(-300, 300) / 1000 for _ in range(3))) if shifted and rng.random() < 0.4 else T


def between(plan: Plan, gauges: list[Array], i: int, at: Array) -> Array:
    """The frame of row i at rest, seen from its parent's, both as written; `at` is the joint's in the parent's own."""
    parent = plan.rows[i].parent
    found: Array = (np.eye(4) if parent < 0 else np.linalg.inv(gauges[parent])) @ at @ gauges[i]
    return found


def axis_in(G: Array) -> list[float]:
    return [float(x) if abs(x) > 1e-15 else 0.0 for x in G[2, :3]]


def axis_text(pen: Pen, axis: list[float]) -> str:
    """Three numbers, or the turns about z and y that bring z there."""
    if pen.rng.random() < 0.8:
        return str(axis)
    x, y, z = axis
    return f"{{ lean = {pen.angle(degrees(atan2(y, x)))}, tilt = {pen.angle(degrees(atan2(hypot(x, y), z)))} }}"


def toml_placed(plan: Plan, rng: random.Random) -> Iterator[Writing]:
    """Placements and axes in frames drawn anew; an axis turned round takes offset and direction with it."""
    pen, gauges, rows = Pen(rng), [gauge(rng, shifted=True) for _ in plan.rows], []
    for i, row in enumerate(plan.rows):
        six = six_of(between(plan, gauges, i, place_of(row)))
        anchor = np.linalg.inv(gauges[i])[:3, 3]
        sign, size, cells = rng.choice((1, -1)), rng.choice((1.0, 0.5, 3.0)), pen.place(six)
        if row.kind != "F":
            cells += f"axis = {axis_text(pen, [sign * size * x for x in axis_in(gauges[i])])}\n"
            cells += f"{'theta' if row.turns else 'd'} = {pen.motion(row, sign * row.offset)}\n" if row.offset else ""
            cells += f"anchor = {pen.vector(map(float, anchor), pen.length)}\n" if any(anchor) else ""
        body = None if row.body is None else seen_from(row.body, np.linalg.inv(gauges[i]))
        rows.append(_joint_lines(plan, pen, i, cells, sign * row.direction if row.kind != "F" else 1, body))
    tool = six_of(np.linalg.inv(gauges[plan.tip]) @ placed(plan.tool))
    text = file_text(plan, pen, "urdf", plan.base, tool, rows)
    yield Writing("toml placements", text, lambda: mp.Robot.from_text(text), plan, bounded=EVERY)


# Python rows and pasted tables


def bare_geometry(plan: Plan, base: Any) -> Plan:
    """Without tool, masses and drives, seen from `base`, which a table leaves out."""
    nothing = Fraction(0)
    silent = {"body": None, "motor": nothing, "viscous": nothing, "coulomb": nothing, "constant": nothing}
    seen: Any = six_of(np.linalg.inv(placed(base)) @ placed(plan.base)) if base != plan.base else NONE
    return replace(plan.rows_with(lambda row: silent), base=seen, tool=NONE, load=None, gravity=DOWN)


def weightless(robot: mp.Robot) -> mp.Robot:
    return robot.with_parameters(**{name: 0 for name, value in robot.parameters.items() if value is None})


def is_plain_table(plan: Plan) -> bool:
    return plan.rows[0].dh is not None and plan.is_chain and not any(x.kind == "H" or x.follow for x in plan.rows)


def python_rows(plan: Plan, rng: random.Random) -> Iterator[Writing]:
    """Tuples of the standard convention, numbers of several sorts, units behind some of them."""
    if not is_plain_table(plan):
        return
    found, angle, length = standard(plan), rng.choice(("deg", "rad")), rng.choice(("m", "cm", "mm"))

    def turned(x: Fraction) -> Any:
        plain = float(x) if angle == "deg" else radians(x)
        return rng.choice((plain, np.float64(plain), repr(plain), *angle_texts(x), f"{number(x)}*pi/180"))

    def slid(x: Fraction) -> Any:
        plain = float(x * PER_METRE[length])
        return rng.choice((plain, np.float64(plain), repr(plain), *length_texts(x)))

    rows = list[Any]()
    for (theta, d, a, alpha), x in zip(found.rows, plan.rows):
        row = (turned(theta), slid(d), slid(a), turned(alpha), rng.choice((x.kind, WORD[x.kind])))
        named = dict(zip(("theta", "d", "a", "alpha", "type"), row))
        rows.append(named | {"direction": -1} if x.direction == -1 else row)
    text = f"{angle} {length} {rows}"
    make = lambda: weightless(mp.Robot.from_dh(rows, angle=angle, length=length))  # noqa: E731
    yield Writing("python rows", text, make, bare_geometry(plan, found.base), named=False)


def pasted_table(plan: Plan, rng: random.Random) -> Iterator[Writing]:
    """In either convention, the columns in any order, separated in any way."""
    if not is_plain_table(plan):
        return
    found, modified = standard(plan), rng.random() < 0.5
    angle, length, united = rng.choice(("deg", "rad")), rng.choice(("m", "cm", "mm")), rng.random() < 0.5
    mark = rng.choice((",", ";", "\t", " | ", " & "))
    before = "(i-1)" if modified else ""
    heads = {"joint": "joint", "type": "type", "theta": f"theta ({angle})", "d": f"d ({length})"}
    heads |= {"a": f"a{before} ({length})", "alpha": f"alpha{before} ({angle})", "direction": "direction"}
    order = rng.sample(list(heads), len(heads))
    lines = [mark.join(heads[key] for key in order)]
    for i, (row, (theta, d, a, alpha)) in enumerate(zip(plan.rows, found.rows), 1):
        alpha, a, theta, d = row.dh if modified and row.dh else (alpha, a, theta, d)
        angles, lengths = {"theta": theta, "alpha": alpha}, {"d": d, "a": a}
        turns = {key: number(x) if angle == "deg" else repr(radians(x)) for key, x in angles.items()}
        slides = {key: number(x * PER_METRE[length]) for key, x in lengths.items()}
        if united:
            turns = {key: rng.choice((turns[key], *angle_texts(x))) for key, x in angles.items()}
            slides = {key: rng.choice((slides[key], *length_texts(x))) for key, x in lengths.items()}
        cells = {"joint": str(i), "type": row.kind, "direction": str(row.direction), **turns, **slides}
        lines.append(mark.join(cells[key] for key in order))
    text, way = "\n".join(lines) + "\n", "modified" if modified else "standard"
    make = lambda: weightless(mp.Robot.from_text(text, "dh", convention=way))  # noqa: E731
    yield Writing(f"table {way}", text, make, bare_geometry(plan, plan.base if modified else found.base), named=False)


def symoro(plan: Plan, rng: random.Random) -> Iterator[Writing]:
    """Serial arms; gravity in frame 0, the base as a matrix, first moments, tensors about the origin."""
    if not is_plain_table(plan):
        return

    def angle(x: Fraction) -> str:
        if x and x % 90 == 0:
            return f"{x // 90}*pi/2" if rng.random() < 0.5 else repr(radians(x))
        return repr(radians(x)) if rng.random() < 0.5 and x else f"{number(x)}*pi/180" if x else "0"

    def marked(row: Row, variable: str, text: str) -> str:
        sign = "-" if row.direction == -1 else ""
        return sign + variable + ("" if text == "0" else f" + {text}".replace("+ -", "- "))

    lists: dict[str, list[str]] = {key: [] for key in ("ant", "sigma", "b", "d", "r", "gamma", "alpha", "theta")}
    lists |= {key: [] for key in (*(x.upper() for x in PAIRS), "MX", "MY", "MZ", "M", "IA", "FV", "FS")}
    for i, row in enumerate(plan.rows, 1):
        alpha, a, theta, d = row.dh or ()
        turned, slid = angle(theta), number(d)
        own = {"ant": str(i - 1), "sigma": str("RPF".index(row.kind)), "b": "0", "d": number(a), "gamma": "0"}
        own |= {"alpha": angle(alpha), "theta": marked(row, f"th{i}", turned) if row.kind == "R" else turned}
        own["r"] = marked(row, f"r{i}", slid) if row.kind == "P" else slid
        m, c, six = (row.body.mass, row.body.com, row.body.tensor) if row.body else (Fraction(0), NONE[:3], NONE)
        for (k, j), pair, x in zip(AT, PAIRS, six):
            own[pair.upper()] = number(x + m * ((sum(y * y for y in c) if k == j else 0) - c[k] * c[j]))
        own |= {"M": number(m), **{f"M{axis}": number(m * x) for axis, x in zip("XYZ", c)}}
        own |= {"IA": number(row.motor), "FV": number(row.viscous), "FS": number(row.coulomb)}
        for key, value in own.items():
            lists[key].append(value)
    base = placed(plan.base)
    lists["Z"] = [repr(float(x)) for x in base.ravel()]
    lists["G"] = [repr(float(x)) for x in base[:3, :3].T @ np.array(plan.gravity, float)]
    count = len(plan.rows)
    text = f"(* Robotname = '{plan.name}' *)\nNL = {count}\nNJ = {count}\nNF = {count}\nType = 0\n"
    text += "".join(f"{key} = {{{','.join(items)}}}\n" for key, items in lists.items())
    held = replace(plan.rows_with(lambda row: {"constant": Fraction(0)}), tool=NONE, load=None)
    yield Writing("par", text, lambda: mp.Robot.from_text(text, "par"), held, named=False)


TABLES = (toml_modified, toml_standard, toml_placed, python_rows, pasted_table, symoro)
