"""A number means the same as a number and as text, through every door: drawn sums against their value, computed beside
the text while it is drawn."""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from typing import Any, Literal

import pytest

import manipula as mp
from manipula import api
from manipula.api.assignments import assignments, places_of
from manipula.errors import InputError, ManipulaWarning, RobotFileError
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.formats.units import parameter_from_raw, text_in_units
from manipula.mechanics.robot.values.parameter import Deg, Name, Num, Parameter, float_of, floats_of, fold
from manipula.mechanics.robot.values.terms import Quantity, Units

SIZE = {"deg": math.pi / 180, "rad": 1.0, "m": 1.0, "cm": 0.01, "mm": 0.001}
WORDS = {"deg": ("deg", "°", " deg", " °", " degrees", " graus"), "rad": (" rad", "rad"), "m": (" m", "m", " metros")}
NAMES = {"L1": 0.37, "k": 2.5, "beta": -0.8}
FILES = [Units(angle, length) for angle in ("deg", "rad") for length in ("m", "mm")]  # type: ignore[arg-type]
COLUMNS: dict[str, Quantity] = {"theta": "angle", "d": "length", "a": "length", "alpha": "angle"}


def number(rng: random.Random) -> tuple[str, float]:
    """As people write one; what is not negative."""
    x, y = rng.choice((90, 45, 7.5, 0.25, 30, 1.5)), rng.choice((2, 3, 4))
    way = rng.randrange(6)
    if way == 0:
        return f"{x}/{y}", x / y
    if way == 1:
        return f"{y}{rng.choice(('*', ' × ', ' · '))}{x}", x * y
    if way == 2:
        return f"({x})", x
    if way == 3:
        return str(x).replace(".", ","), x
    return (f"{x:.3e}", x) if way == 4 else (str(x), x)


def term(rng: random.Random, unit: str, pi: bool, names: bool) -> tuple[str, float]:
    """One term and its value in SI: a number alone, one with its unit, a part of pi, a name with a factor."""
    text, value = number(rng)
    way = rng.randrange(4 if pi else 3)
    if way == 0 and names:
        name = rng.choice(list(NAMES))
        shapes = [(name, 1.0), (f"{text}*{name}", value), (f"{name}/4", 0.25), (f"3·{name}", 3.0), (f"({name})", 1.0)]
        if unit not in ("deg", "rad"):
            shapes.append((f"2*({name} + {text} cm)", 2 + 2 * value * 0.01 / NAMES[name]))
        shape, factor = rng.choice(shapes)
        return shape, factor * NAMES[name]
    if way == 1:
        own = rng.choice(("deg", "rad") if unit in ("deg", "rad") else ("m", "cm", "mm"))
        return text + rng.choice(WORDS.get(own, (f" {own}", own))), value * SIZE[own]
    if way == 3:
        return rng.choice((("pi/2", 0.5), ("2π/3", 2 / 3), ("π", 1), (r"\frac{\pi}{6}", 1 / 6), ("pi/4 rad", 0.25)))  # type: ignore[return-value]
    return text, value * SIZE[unit]


def drawn(rng: random.Random, unit: str, names: bool = True) -> tuple[str, float]:
    """A sum. Parts of pi stand beside no bare degrees: that is refused."""
    pi = unit == "rad"
    text, total = "", 0.0
    for place in range(rng.randint(1, 3)):
        part, value = term(rng, unit, pi, names)
        value = math.pi * value if pi and ("pi" in part or "π" in part) else value
        minus = rng.random() < 0.4
        sign = rng.choice("-−") if minus else "+" if place else ""
        blank = rng.choice(("", " ")) if place else ""
        text, total = f"{text}{blank}{sign}{blank}{part}", total - value if minus else total + value
    if rng.random() < 0.2:
        return f"({text})/2", total / 2
    if rng.random() < 0.2:
        function, turn = rng.choice((math.sin, math.cos)), rng.choice((0, 30, 60, 90, 180, 270, -90, 450))
        return f"({text})*{function.__name__}({turn}°)", total * function(math.radians(turn))
    return text, total


# doors: each gives the robot of one row with this text in a column


def by_rows(column: str, text: Any, units: Units) -> mp.Robot:
    row = {"theta": 0, "d": 0, "a": 1, "alpha": 0, "type": "fixed" if column in ("theta", "d") else "R"} | {
        column: text
    }
    rows = [row, {"theta": 0, "d": 0, "a": 1, "alpha": 0, "type": "R"}]
    return mp.Robot.from_dh(rows, angle=units.angle, length=units.length)


def by_file(column: str, text: Any, units: Units) -> mp.Robot:
    kind = "fixed" if column in ("theta", "d") else "revolute"
    cells = {"theta": "0", "d": "0", "a": "1", "alpha": "0"}
    cells[column] = "'" + text + "'" if isinstance(text, str) else repr(text)
    lines = ["format = 1", 'name = "x"', 'convention = "standard"', f'angle = "{units.angle}"']
    lines += [f'length = "{units.length}"', "[values]", *(f"{name} = {x}" for name, x in NAMES.items())]
    lines += ["[[joint]]", f'type = "{kind}"', *(f"{key} = {entry}" for key, entry in cells.items())]
    plain = ["[[joint]]", 'type = "revolute"', "theta = 0", "d = 0", "a = 1", "alpha = 0"]
    return mp.Robot.from_text("\n".join([*lines, *plain]))


def by_table(column: str, text: Any, units: Units) -> mp.Robot:
    cells = {"theta": "0", "d": "0", "a": "1", "alpha": "0"} | {column: str(text)}
    angle, length = f"({units.angle})", f"({units.length})"
    header = f"type; theta {angle}; d {length}; a {length}; alpha {angle}"
    values = "".join(f"# {name} = {x}\n" for name, x in NAMES.items())
    kind = "F" if column in ("theta", "d") else "R"
    rows = f"{kind}; {'; '.join(cells.values())}\nR; 0; 0; 1; 0\n"
    return mp.Robot.from_text(f"{values}{header}\n{rows}", "dh", convention="standard")


def by_cells(column: str, text: Any, units: Units) -> mp.Robot:
    document = api.document(by_rows(column, 0, units))
    document["rows"][0][column] = str(text)
    document["values"] = [{"name": name, "value": str(x)} for name, x in NAMES.items()]
    return api.from_document(document)


def by_command(column: str, text: Any, units: Units) -> mp.Robot:
    robot = by_rows(column, 0.125, units)
    name = f"{column}_fixed1" if column in ("theta", "d") else f"{column}1"
    name = name if name in robot.parameters else next(x for x in robot.parameters if x.startswith(column))
    [change] = assignments([f"{name}={text}"], robot)
    return robot.with_parameters(**{change.name: change.value})


DOORS: list[Callable[[str, Any, Units], mp.Robot]] = [by_rows, by_file, by_table, by_cells, by_command]


@contextmanager
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManipulaWarning)
        yield


def value_in(robot: RobotDescription, column: str) -> float:
    joint = robot.joints[0]
    steps = (*joint.before, *joint.after)
    kinds = {"theta": "rz", "d": "tz", "a": "tx", "alpha": "rx"}
    known = floats_of(dict(robot.values)) | NAMES
    return float_of(next(x for x in steps if x.kind == kinds[column]).amount.parameter, known)


@pytest.mark.parametrize("seed", range(300))
def test_a_sum_has_the_value_that_was_drawn(seed: int) -> None:
    rng = random.Random(seed)
    units = rng.choice(FILES)
    quantity: Quantity = rng.choice(("angle", "length"))
    text, value = drawn(rng, units.of(quantity))
    read = parameter_from_raw(text, quantity, units)
    assert float_of(read, NAMES) == pytest.approx(value, rel=1e-12, abs=1e-13), text
    for other in FILES:  # whatever unit it is written in, it reads back
        written = text_in_units(read, quantity, other)
        assert float_of(parameter_from_raw(written, quantity, other), NAMES) == pytest.approx(value, rel=1e-12), written


SEEDS = [*range(10), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(10, 200))]


@pytest.mark.parametrize("seed", SEEDS)
def test_every_door_reads_the_same(seed: int) -> None:
    rng = random.Random(1000 + seed)
    units, column = rng.choice(FILES), rng.choice(list(COLUMNS))
    text, value = drawn(rng, units.of(COLUMNS[column]))
    with quiet():
        for door in DOORS:
            assert value_in(door(column, text, units), column) == pytest.approx(value, rel=1e-9, abs=1e-12), (
                door,
                text,
            )


@pytest.mark.parametrize("seed", range(8))
def test_a_number_means_the_same_as_text(seed: int) -> None:
    rng = random.Random(seed)
    units, column = rng.choice(FILES), rng.choice(list(COLUMNS))
    x = round(rng.uniform(-200, 200), rng.randint(0, 3))
    wanted = x * SIZE[units.of(COLUMNS[column])]
    with quiet():
        for entry in (x, str(x), f"{2 * x}/2", f"({x})", f"{x} {units.of(COLUMNS[column])}"):
            for door in DOORS[:2] if not isinstance(entry, str) else DOORS:
                assert value_in(door(column, entry, units), column) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize(
    ("column", "text", "units", "told"),
    [
        ("alpha", "pi/2 + 90", Units("deg"), "pi is in radians, 90 in degrees"),
        ("alpha", "90 - pi/2", Units("deg"), "pi is in radians, 90 in degrees"),
        ("alpha", "beta*pi/180 + 30", Units("deg"), "pi is in radians, 30 in degrees"),
        ("alpha", "90*sin(pi/6)", Units("deg"), "pi is in radians"),
        ("alpha", "pi*cos(60)", Units("deg"), "pi is in radians, 60 in degrees"),
        ("alpha", "pi/2 deg", Units("rad"), "pi is in radians, not in degrees"),
        ("alpha", "40 mm", Units("deg"), "a value in mm"),
        ("a", "90 deg", Units(), "a value in deg"),
        ("a", "90°", Units(), "a value in deg"),
        ("a", "2 kg", Units(), "a value in kg"),
        ("a", "L1 mm", Units(), "is not a name or an arithmetic expression"),
        ("a", "L1/2 mm", Units(), "the unit mm stands behind a name"),
        ("a", "40 %", Units(), "not '%'"),
        ("a", "4 in", Units(), "4*in"),
        ("a", "20*mm", Units(), "'mm' is a unit"),
        ("a", "L1*(1 + k)", Units("deg", "mm"), "the unit of 1 is not clear"),
        ("a", "2·45", Units(), "a decimal one or a product"),
        ("a", "0 · 3", Units(), "a decimal one or a product"),
        ("a", "20 mm mm", Units(), ""),
        ("a", "20 @ mm", Units(), "is not a name or an arithmetic expression"),
    ],
)
def test_what_could_mean_two_things_is_refused(column: str, text: str, units: Units, told: str) -> None:
    for door in DOORS:
        with quiet(), pytest.raises(RobotFileError) as caught:
            door(column, text, units)
        assert told in str(caught.value), (door, str(caught.value))


@pytest.mark.parametrize(
    ("column", "text", "units", "value"),
    [
        ("a", "0·3", Units(), 0.3),
        ("a", "0·3·L1", Units(), 0.3 * 0.37),
        ("a", "2 · 45", Units("deg", "mm"), 0.09),
        ("a", "L1·2", Units("deg", "mm"), 0.74),
        ("a", "L1·k", Units("deg", "mm"), 0.37 * 2.5),
        ("a", "(L1 + 20)*cos(60)", Units("deg", "mm"), 0.195),
        ("a", "20*cos(pi/3)", Units("rad", "mm"), 0.01),
        ("a", "cos(60)*20", Units("deg", "mm"), 0.01),
        ("alpha", "cos(60)", Units("deg"), math.pi / 360),
        ("alpha", "2*cos(60)", Units("deg"), math.pi / 180),
        ("alpha", "pi*cos(60°)", Units("deg"), math.pi / 2),
        ("alpha", "-sin(pi/6)", Units("deg"), -0.5),
        ("a", "1e3 mm", Units(), 1.0),
        ("a", "(2 + 3) cm", Units("deg", "mm"), 0.05),
        ("a", "L1*((1 m) + k)", Units("deg", "mm"), 0.37 * 3.5),
        ("d", "sqrt(4)", Units("deg", "mm"), 0.002),
        ("alpha", "pi/2 + 90°", Units("deg"), math.pi),
        ("alpha", "pi/2 + 1", Units("rad"), math.pi / 2 + 1),
        ("alpha", "beta*pi/180", Units("deg"), -0.8 * math.pi / 180),
        ("alpha", "2*45°", Units("rad"), math.pi / 2),
        ("alpha", "2pi rad", Units("deg"), 2 * math.pi),
    ],
)
def test_each_term_has_its_unit(column: str, text: str, units: Units, value: float) -> None:
    with quiet():
        for door in DOORS:
            assert value_in(door(column, text, units), column) == pytest.approx(value, rel=1e-12), (door, text)


@pytest.mark.parametrize("unit", ["deg", "rad"])
@pytest.mark.parametrize("turn", [-450, -90, 0, 90, 180, 270, 360])
def test_the_sine_of_a_quarter_turn_is_a_number(turn: int, unit: Literal["deg", "rad"]) -> None:
    """In an angle, too, which is then proved as any other."""
    argument = {"deg": f"{turn}", "rad": f"{turn}°"}[unit]
    for function in (math.sin, math.cos):
        text, factor = f"{function.__name__}({argument})", round(function(math.radians(turn)))
        row = {"theta": f"30 deg*{text}", "d": 0, "a": 1, "alpha": 0, "type": "R"}
        x, y, _ = mp.Arm(mp.Robot.from_dh([row], angle=unit)).pose([0.0])[:3, 3]
        assert math.atan2(y, x) == pytest.approx(factor * math.pi / 6, abs=1e-12), text
        if not factor:
            for quotient in (f"60/{text}", f"60*{text}**-1", f"k/({text}*2)"):
                with pytest.raises(InputError, match="divides by zero"):
                    by_rows("alpha", quotient, Units(unit))


# limits, masses, values, places of joints


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "helical"])
def test_limits_are_in_the_unit_of_their_joint(kind: str) -> None:
    turns = kind != "prismatic"
    row = {"theta": 0, "d": 0, "a": "1 m", "alpha": 0, "type": kind} | (
        {"pitch": "0.5 cm"} if kind == "helical" else {}
    )
    low, high, speed = ("-30", "45°", "0.5 rad/s") if turns else ("-2*15", "4.5 cm", "500")
    robot = mp.Robot.from_dh([row | {"limits": [low, high], "velocity_limit": speed}], angle="deg", length="mm")
    assert robot.joints[0].limits is not None and robot.joints[0].velocity_limit is not None
    found = [float_of(x, {}) for x in (*robot.joints[0].limits, robot.joints[0].velocity_limit)]
    assert found == pytest.approx([-math.pi / 6, math.pi / 4, 0.5] if turns else [-0.03, 0.045, 0.5])
    if kind == "helical":
        assert float_of(robot.joints[0].of_kind[0].parameter, {}) == 0.005
    with pytest.raises(RobotFileError, match=r"joint 1 'joint1': limits\[2\]: found '(3 cm|3 deg)', a value in"):
        mp.Robot.from_dh([row | {"limits": [0, "3 cm" if turns else "3 deg"]}])
    with pytest.raises(RobotFileError, match=r"velocity_limit: found .* \(expected a speed, as in 2"):
        mp.Robot.from_dh([row | {"velocity_limit": "3 rad" if turns else "3 m"}])


def test_masses_and_inertias_are_si() -> None:
    row = {"theta": 0, "d": 0, "a": "1 m", "alpha": 0, "mass": "2 kg", "com": ["10", "1 cm", 0.01]}
    body = mp.Robot.from_dh([row], length="mm").joints[0].body
    assert body is not None
    assert [float_of(x.parameter, {}) for x in (body.mass, *body.centre)] == pytest.approx([2, 0.01, 0.01, 1e-5])
    for field, entry in (("mass", "400 g"), ("mass", "2 m"), ("inertia", {"xx": "2 kg"}), ("motor_inertia", "2 m")):
        with pytest.raises(RobotFileError, match=f"joint 1: {field}"):
            mp.Robot.from_dh([row | {field: entry}])


def test_names_have_si_values_and_may_have_units() -> None:
    robot = mp.Robot.from_dh([("q1", 0, "L1", "A"), ("q2", 0, 100, 0)], angle="deg", length="mm")
    robot = robot.with_parameters(L1="40 cm", A="90°")
    assert (robot.parameters["L1"], robot.parameters["A"]) == pytest.approx((0.4, math.pi / 2))
    [one, two] = assignments(["L1=430 mm", "a2=430"], robot)
    assert (one.value, two.value) == ("0.43", "0.43")
    assert robot.with_parameters(L1="25 cm", a2="0.25").parameters["a2"] == 0.25
    assert places_of(["q1=90", "joint2=pi/2"], robot) == {"q1": "0.5*pi", "joint2": "0.5*pi"}
    with pytest.raises(InputError, match="q2: found '20 mm', a value in mm"):
        robot.locked(q2="20 mm")


# the joint variable


@pytest.mark.parametrize("seed", range(30))
def test_another_joints_variable_is_refused_through_every_door(seed: int) -> None:
    rng = random.Random(seed)
    column = rng.choice(("theta", "d", "a", "alpha"))
    name = rng.choice(("theta", "θ", "teta", "q")) + (str(rng.choice((2, 5))) if column == "theta" else "1")
    text = rng.choice(("{}", "{}+90", "-{}", "2*{}", "sin({})", "90 - {}")).format(name)
    told = ("the variable of another joint", "reads like a joint variable")
    for door in DOORS[:4]:
        with quiet(), pytest.raises(RobotFileError) as caught:
            door(column, text, Units("deg"))
        assert any(sentence in str(caught.value) for sentence in told), (door, str(caught.value))
    with quiet():
        kept = by_file(column, text.replace(name, f"(x_{name[-1]})"), Units("deg"))
    assert kept.joints[0].kind == ("fixed" if column in ("theta", "d") else "revolute")


@pytest.mark.parametrize(("text", "row"), [("θ1+90", 1), ("theta3", 1), ("-q2", 0), ("90 − teta_2", 0), ("th2", 0)])
def test_a_row_that_moves_by_another_joints_variable_is_refused(text: str, row: int) -> None:
    rows = [{"theta": text if i == row else f"q{i + 1}", "d": 0, "a": 1, "alpha": 0} for i in range(3)]
    lines = [f"{x['theta']}; 0; 1; 0" for x in rows]
    document = api.document(mp.Robot.from_dh([(0, 0, 1, 0)] * 3))
    document["rows"][row]["theta"] = text
    head = 'format = 1\nname = "x"\nconvention = "standard"\nangle = "deg"\n'
    file = "".join(f'[[joint]]\ntype = "revolute"\ntheta = "{x["theta"]}"\nd = 0\na = 1\nalpha = 0\n' for x in rows)
    doors: list[Callable[[], Any]] = [
        lambda: mp.Robot.from_dh(rows, angle="deg"),
        lambda: mp.Robot.from_text("\n".join(["theta; d; a; alpha", *lines]), "dh", convention="standard", angle="deg"),
        lambda: mp.Robot.from_text(head + file),
        lambda: api.from_document(document),
    ]
    for door in doors:
        with pytest.raises(RobotFileError, match=rf"the variable of another joint \(expected \w+{row + 1}\)") as caught:
            door()
        assert f"joint {row + 1}" in str(caught.value) and caught.value.field == "theta"


@pytest.mark.parametrize("name", ["theta1", "theta2", "theta", "q", "Teta3"])
@pytest.mark.parametrize("field", ["a", "alpha"])
def test_such_a_parameter_in_another_cell_is_written_in_parentheses(name: str, field: str, tmp_path: Any) -> None:
    row = {"theta": 0, "d": 0, "a": 1, "alpha": 0, "type": "R"} | {field: f"2*sin(({name}))"}
    robot = mp.Robot.from_dh([row], angle="deg")
    for file in ("arm.toml", "arm.csv"):
        assert mp.load(mp.save(robot, tmp_path / file)).joints == robot.joints


@pytest.mark.parametrize("name", ["theta1", "theta2", "theta", "d1", "t1"])
def test_a_parameter_of_that_name_is_kept_in_parentheses(name: str, tmp_path: Any) -> None:
    kind, field = ("P", "d") if name.startswith("d") else ("R", "theta")
    row = {"theta": 0, "d": 0, "a": 1, "alpha": 0, "type": kind} | {field: f"({name})"}
    robot = mp.Robot.from_dh([row])
    assert robot.joints[0].offset.parameter == parameter_from_raw(name, "si", Units())
    for file in ("arm.toml", "arm.csv"):
        assert mp.load(mp.save(robot, tmp_path / file)).joints == robot.joints
    assert api.from_document(api.document(robot)).joints == robot.joints
    text = (tmp_path / "arm.toml").read_text(encoding="utf-8").replace(f'"({name})"', f'"{name}"')
    valued = mp.Robot.from_text(text.replace("[[joint]]", f"[values]\n{name} = 0.2\n[[joint]]"))
    assert valued.joints[0].offset.parameter == robot.joints[0].offset.parameter


def test_a_row_without_its_variable_among_marked_rows_is_refused() -> None:
    with pytest.raises(RobotFileError, match="joint 2: theta: no entry is marked as the joint variable"):
        mp.Robot.from_dh([("theta1", "d1", "a1", 0), (0, "d2", 0, 0)])
    robot = mp.Robot.from_dh([("theta1", "d1", "a1", 0), (0, "d2", 0, 0, "P")])
    assert [joint.kind for joint in robot.joints] == ["revolute", "prismatic"]


# robots as they are written


@pytest.mark.parametrize("seed", range(12))
def test_a_robot_reads_back_in_any_units(seed: int, tmp_path: Any) -> None:
    """Names, sums and sines in every cell, saved under each pair of units."""
    rng = random.Random(seed)
    units = rng.choice(FILES)
    rows = []
    for i in range(1, 3):
        cells = {column: drawn(rng, units.of(quantity))[0] for column, quantity in COLUMNS.items()}
        limits = ["-2000 rad", drawn(rng, units.angle, names=False)[0]]
        rows.append({**cells, "type": "R", "limits": limits, "name": f"j{i}"})
    with quiet():
        robot = mp.Robot.from_dh(rows, angle=units.angle, length=units.length, exact=True)
        for other in FILES:
            written = replace(robot, origin=replace(robot.origin, angle=other.angle, length=other.length))
            for file in ("arm.toml", "arm.csv"):
                again = mp.load(mp.save(written, tmp_path / file))
                assert list(amounts(again)) == pytest.approx(list(amounts(robot)), rel=1e-12, abs=1e-14)
            limits = [x for joint in mp.load(tmp_path / "arm.toml").joints for x in joint.limits or ()]
            assert [float_of(x, NAMES) for x in limits] == pytest.approx(
                [float_of(x, NAMES) for joint in robot.joints for x in joint.limits or ()]
            )


def amounts(robot: RobotDescription) -> Iterator[float]:
    for joint in robot.joints:
        for cell in (joint.offset, *(step.amount for step in (*joint.before, *joint.after))):
            yield float_of(cell.parameter, NAMES)


def tree(rng: random.Random, depth: int) -> Parameter:
    """Any parameter that arithmetic makes, in SI."""
    leaves = (Num(Fraction(rng.randint(-9, 9), rng.randint(1, 4))), Deg(Fraction(rng.choice((30, 45, -90)))))
    if depth == 0 or rng.random() < 0.2:
        return rng.choice((*leaves, Name("L1"), Name("k")))
    op = rng.choice(("+", "-", "*", "*", "/", "neg", "sin", "cos", "**"))
    first = tree(rng, depth - 1)
    if op in ("neg", "sin", "cos"):
        return fold(op, first)
    second = Num(Fraction(2)) if op == "**" else tree(rng, depth - 1)
    return fold(op, first, Name("k") if op == "/" else second)


@pytest.mark.parametrize("seed", range(300))
def test_any_parameter_is_written_so_that_it_reads_back(seed: int) -> None:
    """Also one that nobody could type without units: products of sums with names, sines of radians in degrees."""
    rng = random.Random(seed)
    parameter = tree(rng, 4)
    for units in (*FILES, Units("deg", "cm")):
        for quantity in ("angle", "length", "angle rate", "mass", "any", "si"):
            text = text_in_units(parameter, quantity, units)  # type: ignore[arg-type]
            again = parameter_from_raw(text, quantity, units)  # type: ignore[arg-type]
            assert float_of(again, NAMES) == pytest.approx(float_of(parameter, NAMES), rel=1e-9, abs=1e-12), text
