"""Quarter turns however they are written, in every format: the same robot, with the warning that is due."""

from __future__ import annotations

import math
import random
import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import ManipulaWarning
from manipula.generation.arm_structure import numeric_chain
from manipula.mechanics.models.dynamics.torque import inverse_dynamics
from manipula.mechanics.models.inverse.classify import classify
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.description import SIX
from manipula.mechanics.robot.formats.rows import FIELDS, Row, row_from_joint
from manipula.mechanics.robot.formats.snap_to_exact import LIKELY, QUARTER, SURE, Structure
from manipula.mechanics.robot.formats.toml.write import convention_of
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.values.parameter import Deg, Num, Parameter, float_of, text_of
from manipula.mechanics.spatial.floats import FLOATS
from tests.random_robots import random_robot, random_state

Spelling = Callable[[Fraction], Any]
ARMS = [name for name in mp.robots() if not mp.load(name).names()]

# degrees → what somebody writes in a table of radians, and whether a warning is due
RADIANS: dict[str, tuple[Spelling, bool]] = {
    "pi": (lambda degrees: f"{degrees}/180*pi" if degrees else 0, False),
    "float": (math.radians, False),
    "computed": (lambda degrees: math.acos(0.0) * float(degrees / 90), False),
    "four decimals": (lambda degrees: round(math.radians(degrees), 4), True),
    "six decimals": (lambda degrees: round(math.radians(degrees), 6), True),
    "cut": (lambda degrees: int(math.radians(degrees) * 10**4) / 10**4, True),
}


def quarter_turns(name: str) -> mp.Robot:
    """A library arm, every angle of its table the nearest quarter turn: then no spelling may change it."""
    robot = mp.load(name)

    def near(value: Parameter | None) -> Parameter | None:
        return Deg(Fraction(90 * round(float_of(value, {}) / (math.pi / 2)))) if isinstance(value, Deg) else value

    def plain(steps: Any) -> Any:
        return tuple(replace(s, amount=replace(s.amount, value=near(s.amount.value))) for s in steps)

    joints = tuple(
        replace(j, before=plain(j.before), after=plain(j.after), offset=replace(j.offset, value=near(j.offset.value)))
        for j in robot.joints
    )
    return replace(robot, joints=joints, base=(), tool=())


def rows_of(robot: mp.Robot) -> tuple[str, list[Row]]:
    convention = convention_of(robot)
    found = [row_from_joint(joint, convention) for joint in robot.joints]
    return convention, [row for row in found if row is not None]


def cells(row: Row, spell: Spelling) -> dict[str, Any]:
    """The row as somebody writes it: angles spelled, lengths as decimals."""
    angles = {f: row[f].parameter.value for f in ("theta", "alpha") if isinstance(row[f].parameter, Num | Deg)}
    lengths = {f: float(row[f].parameter.value) for f in ("d", "a") if isinstance(row[f].parameter, Num)}
    return {**{f: spell(value) for f, value in angles.items()}, **lengths}


def geometry(robot: mp.Robot) -> list[Any]:
    """What the models see of it; names and notes aside."""
    return [(j.kind, [(s.kind, _plain(s.amount.value)) for s in (*j.before, *j.after)], _plain(j.offset.value))
            for j in robot.joints]  # fmt: skip


def _plain(value: Parameter | None) -> Any:
    return Fraction(0) if isinstance(value, Deg) and not value.value else getattr(value, "value", value)


def by_rows(robot: mp.Robot, spell: Spelling) -> mp.Robot:
    convention, rows = rows_of(robot)
    tables = [{**cells(row, spell), "type": joint.kind} for row, joint in zip(rows, robot.joints)]
    return mp.Robot.from_dh(tables, convention)  # type: ignore[arg-type]


def by_toml(robot: mp.Robot, spell: Spelling) -> mp.Robot:
    convention, rows = rows_of(robot)
    head = f'format = 1\nname = "x"\nconvention = "{convention}"\nangle = "rad"\n'
    for row, joint in zip(rows, robot.joints):
        written = {field: f'"{value}"' if isinstance(value, str) else repr(value) for field, value in
                   cells(row, spell).items()}  # fmt: skip
        head += f'[[joint]]\ntype = "{joint.kind}"\n' + "".join(f"{f} = {v}\n" for f, v in written.items())
    return mp.Robot.from_text(head)


def by_table(robot: mp.Robot, spell: Spelling) -> mp.Robot:
    convention, rows = rows_of(robot)
    lines = ["type;" + ";".join(FIELDS)]
    for row, joint in zip(rows, robot.joints):
        written = cells(row, spell)
        lines.append(";".join([joint.kind, *(str(written[field]) for field in FIELDS)]))
    return mp.Robot.from_text("\n".join(lines), "dh", convention=convention, angle="rad")


def by_par(robot: mp.Robot, spell: Spelling) -> mp.Robot:
    from manipula.mechanics.robot.formats.par.write import par_from_robot

    text = par_from_robot(mp.convert(robot.without("payload"), "modified"))
    return mp.Robot.from_text(_respelled(text, spell), "par")


def _respelled(text: str, spell: Spelling) -> str:
    """Every multiple of pi in the text written otherwise."""
    multiple = r"(-?)(?:([0-9]+)\*)?pi(?:/([0-9]+))?"

    def degrees(found: re.Match[str]) -> Fraction:
        return Fraction(int(found[2] or 1), int(found[3] or 1)) * (-180 if found[1] else 180)

    return re.sub(multiple, lambda found: str(spell(degrees(found))), text)


def by_urdf(robot: mp.Robot, spell: Spelling) -> mp.Robot:
    from manipula.mechanics.robot.formats.urdf.write import urdf_from_robot

    def angles(found: re.Match[str]) -> str:
        numbers = [float(x) for x in found[1].split()]
        quarters = [Fraction(90 * round(x / (math.pi / 2))) for x in numbers]
        spelled = [spell(quarter) for quarter in quarters]
        return 'rpy="' + " ".join(repr(math.radians(q)) if isinstance(x, str) else repr(float(x))
                                  for q, x in zip(quarters, spelled)) + '"'  # fmt: skip

    text = re.sub(r"<inertial>.*?</inertial>", "", urdf_from_robot(robot), flags=re.DOTALL)
    return mp.Robot.from_text(re.sub(r'rpy="([^"]*)"', angles, text), "urdf")


FORMATS = {"rows": by_rows, "toml": by_toml, "table": by_table, "par": by_par, "urdf": by_urdf}


@pytest.mark.drawn("spelling", few=10)
@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("spelling", RADIANS)
def test_library_arms_are_the_same_however_their_angles_are_written(form: str, spelling: str) -> None:
    spell, warned = RADIANS[spelling]
    for name in random.Random(f"{form} {spelling}").sample(ARMS, 4):
        robot = quarter_turns(name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ManipulaWarning)
            plain = FORMATS[form](robot, RADIANS["pi"][0])
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            found = FORMATS[form](robot, spell)
        about = [str(w.message) for w in told if "multiples of 90°" in str(w.message)]
        turns = [value for _, steps, _ in geometry(plain) for kind, value in steps if kind[0] == "r"]
        turns += [offset for kind, _, offset in geometry(plain) if kind == "revolute"]
        assert geometry(found) == geometry(plain), name
        assert len(about) == (1 if warned and any(turns) else 0), (name, about)
        assert all(w.filename == __file__ for w in told if "multiples of 90°" in str(w.message))


@pytest.mark.drawn("name", few=1)
@pytest.mark.parametrize("name", ["puma560", "ur5e"])
def test_operations_base_parameters_and_class_are_the_same(name: str) -> None:
    robot = quarter_turns(name)
    found = []
    for spelling in ("pi", "float", "four decimals"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ManipulaWarning)
            arm = by_rows(robot, RADIANS[spelling][0])
        model = mp.generate(arm, "pose", optimise="none")
        base = mp.base_parameters(arm)
        found.append((model.cost, tuple(base.names), classify(numeric_chain(arm)).sentence))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("seed", range(60))
def test_how_far_is_near(seed: int) -> None:
    rng = random.Random(seed)
    quarters, far = rng.randint(-4, 4), 10 ** rng.uniform(-13, -1)
    angle = quarters * math.pi / 2 + far * rng.choice((-1, 1))
    structure = Structure()
    read = structure.angle(Num(Fraction(repr(angle))), "here")
    is_quarter = read in (Deg(Fraction(90 * quarters)), Num(Fraction(0)))
    apart = abs(angle - quarters * math.pi / 2)
    assert is_quarter == (apart <= LIKELY)
    assert bool(structure.doubtful) == (SURE < apart <= LIKELY)
    assert bool(structure.notes) == is_quarter
    kept = Structure(exact=True)
    assert kept.angle(Num(Fraction(repr(angle))), "here") == Num(Fraction(repr(angle)))
    assert not kept.notes + kept.doubtful + kept.kept


@pytest.mark.parametrize("quarters", range(-5, 6))
def test_a_note_says_what_was_written_in_its_unit_and_what_was_read(quarters: int) -> None:
    """A thousandth of a degree beside each multiple of 90°, in both units and to both sides; then 15° as floats are."""
    for side in (-1, 1):
        degrees, turn = 90 * quarters + Fraction(side, 1000), quarters * QUARTER + side * 1e-5
        for written, said in (
            (Deg(degrees), f"{float(degrees):.12g} degrees"),
            (Num(Fraction(turn)), f"{turn:.12g} rad"),
        ):
            structure = Structure()
            assert structure.angle(written, "here") == (Deg(Fraction(90 * quarters)) if quarters else Num(Fraction(0)))
            assert [*map(str, structure.notes)] == [f"here {said} read as {90 * quarters}°"]
            assert [*map(str, structure.doubtful)] == [f"here {said} as {90 * quarters}°"]
        structure, steps = Structure(), 6 * quarters + side
        assert structure.angle(Num(Fraction(steps * math.pi / 12)), "there") == Deg(Fraction(15 * steps))
        assert [*map(str, structure.notes)] == [f"there {steps * math.pi / 12:.12g} rad read as {15 * steps}°"]
        assert not structure.doubtful + structure.kept
        off = Num(Fraction(steps * math.pi / 12 + 3e-12))
        assert structure.angle(off, "there") == off
    assert Structure().angle(far := Num(Fraction(10_001)), "here") == far


def test_an_axis_loses_what_is_small_beside_its_largest_part() -> None:
    for k, size in product(range(3), (Fraction(1), Fraction(-1, 50))):
        for share, read, doubtful in ((LIKELY, True, True), (1.1 * LIKELY, False, False), (SURE, True, False)):
            axis = [Fraction(0), Fraction(0), Fraction(0)]
            axis[k], axis[k - 1] = size, -size * Fraction(share)
            x, y, z = axis
            structure = Structure()
            found = structure.axis((x, y, z), "elbow")
            assert found == tuple(size if i == k else 0 if read else axis[i] for i in range(3))
            assert (bool(structure.notes), bool(structure.doubtful)) == (read, doubtful)
            assert Structure(exact=True).axis((x, y, z), "elbow") == (x, y, z)
            if read:
                texts = (" ".join(f"{float(part):g}" for part in way) for way in (axis, found))
                assert str(structure.notes[0]) == "elbow: axis {} read as {}".format(*texts)


@pytest.mark.parametrize("count", [1, 8, 9, 11])
def test_a_warning_names_eight_angles_at_most(count: int) -> None:
    structure = Structure()
    for k in range(count):
        structure.angle(Num(Fraction("1.5708")), f"joint {k}")
        structure.angle(Num(Fraction("1.57")), f"wrist {k}")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        structure.warn("arm.toml")
    read, kept = (str(x.message) for x in caught)
    more = f"; and {count - 8} more" if count > 8 else ""
    shown = "; ".join(f"joint {k} 1.5708 rad as 90°" for k in range(min(count, 8)))
    assert f"arm.toml: near multiples of 90°, so read as such: {shown}{more} (exact=True" in read
    shown = "; ".join(f"wrist {k} 1.57 rad beside 90°" for k in range(min(count, 8)))
    assert f"arm.toml: kept as written, though a quarter turn may be meant: {shown}{more} (write pi/2" in kept


@pytest.mark.parametrize(
    ("written", "kept"),
    [("1.57", True), ("-1.57", True), ("3.14", True), ("4.71", True), ("6.28", True), ("1.571", True), ("3.142", True),
     ("1.5709", True), ("1.6", False), ("3.15", False), ("0.01", False), ("0.0005", False), ("1.5711234567", False),
     ("1.2", False), ("2.35", False)],
)  # fmt: skip
def test_two_digits_are_kept_with_a_question(written: str, kept: bool) -> None:
    structure = Structure()
    assert structure.angle(Num(Fraction(written)), "here") == Num(Fraction(written))
    assert bool(structure.kept) == kept


@pytest.mark.parametrize("seed", range(30))
def test_lengths_of_nothing_are_none(seed: int) -> None:
    """2e-11 m beside an arm of a metre, and the same beside one of a millimetre or a kilometre."""
    rng = random.Random(seed)
    scale = 10 ** rng.uniform(-4, 4)
    tiny = scale * 10 ** rng.uniform(-16, -7) * rng.choice((-1, 1))
    rows: list[dict[str, Any]] = [
        {"theta": 0, "d": 0, "a": scale, "alpha": 90, "type": rng.choice("RP")} for _ in range(3)
    ]
    rows[rng.randrange(3)][rng.choice("da")] = tiny
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManipulaWarning)
        robot, exact = (mp.Robot.from_dh(rows, angle="deg", exact=flag) for flag in (False, True))
    size = sum(abs(row[field]) for row in rows for field in "da")
    read = [float_of(c.parameter, {}) for row in rows_of(robot)[1] for c in (row.d, row.a)]
    written = [float_of(c.parameter, {}) for row in rows_of(exact)[1] for c in (row.d, row.a)]
    assert written == [row[field] for row in rows for field in "da"]
    assert read == [0.0 if abs(x) <= SURE * size else x for x in written]
    assert any("read as 0" in note for note in robot.origin.notes) == (abs(tiny) <= SURE * size)


def test_named_values_and_sums_are_read_too() -> None:
    head = 'format = 1\nname = "x"\nconvention = "standard"\nangle = "rad"\n[values]\n'
    joint = '[[joint]]\ntype = "revolute"\ntheta = "phi + 1.5707963267948966"\nd = "slip"\na = 1\nalpha = "twist"\n'
    text = head + "twist = 1.5707963267948966\nslip = 1e-13\n" + joint
    robot = mp.Robot.from_text(text)
    assert dict(robot.values) == {"twist": Deg(Fraction(90)), "slip": Num(Fraction(0))}
    assert text_of(robot.joints[0].offset.parameter) == "phi+(0.5*pi)"
    assert dict(mp.Robot.from_text(text, exact=True).values)["slip"] == Num(Fraction("1e-13"))


@pytest.mark.parametrize("seed", range(8))
def test_exact_keeps_every_number(seed: int) -> None:
    """What is written comes back, in every format that can say it."""
    robot = mp.Robot.of(random_robot(seed, convention="standard", surroundings=False))
    noisy = by_rows_exact(robot, random.Random(seed))
    for angle, value in noisy:
        assert math.isclose(angle, value, rel_tol=0, abs_tol=1e-16)


def by_rows_exact(robot: mp.Robot, rng: random.Random) -> list[tuple[float, float]]:
    """(written, read) of angles a little off the quarter turns."""
    written = [math.pi / 2 * rng.randint(-2, 2) + 10 ** rng.uniform(-15, -4) for _ in robot.joints]
    rows = [{"theta": 0, "d": 0, "a": 1, "alpha": angle} for angle in written]
    read = mp.Robot.from_dh(rows, exact=True)
    return [(angle, float_of(row.alpha.parameter, {})) for angle, row in zip(written, rows_of(read)[1])]


@pytest.mark.parametrize("seed", range(10))
def test_an_exact_robot_is_saved_as_one(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    rng = random.Random(seed)
    angles = [math.pi / 2 + 10 ** rng.uniform(-14, -3) for _ in range(3)]
    rows = [{"theta": 0, "d": rng.choice((0, 1e-12)), "a": 0.5, "alpha": angle} for angle in angles]
    exact = mp.Robot.from_dh(rows, exact=True)
    path = mp.save(exact, tmp_path_factory.mktemp("saved") / "arm.toml")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mp.load(path) == exact


@pytest.mark.parametrize("seed", [2, 6, 10, 16, 17, 21])
def test_base_parameters_give_the_torque_or_are_refused(seed: int) -> None:
    """However the quarter turns are kept: no combination divides by what should be zero."""
    rng = random.Random(seed)

    def row() -> dict[str, Any]:
        com, (xx, yy, zz) = [rng.uniform(-0.3, 0.3) for _ in range(3)], [rng.uniform(0.5, 0.9) for _ in range(3)]
        geometry = {"theta": rng.choice((0, QUARTER)), "d": rng.choice((0, 0.3)), "a": rng.choice((0, 0.4)),
                    "alpha": rng.choice((0, QUARTER, -QUARTER)), "type": rng.choice("RRRP")}  # fmt: skip
        body = {"mass": 1 + rng.random(), "com": com, "inertia": dict(zip(SIX, (xx, 0.01, 0, yy, 0.02, zz)))}
        return {**geometry, **body}

    rows = [row() for _ in range(rng.randint(2, 4))]
    for exact in (False, True):
        robot = mp.Robot.from_dh(rows, exact=exact)
        try:
            base = mp.base_parameters(robot)
        except mp.InputError as error:
            assert exact
            assert "would divide by" in str(error)
            continue
        q, qd, qdd, _ = random_state(robot, seed)
        Y = mp.generate(robot, "base_regressor", optimise="none").compile()(q, qd, qdd)
        tau = inverse_dynamics(merge_fixed(bind(robot, FLOATS, {})), q, qd, qdd)
        values = [value for value in base.values if value is not None]
        assert np.allclose(Y @ np.array(values), np.array(tau, dtype=float), rtol=1e-9, atol=1e-9)
        assert max(map(abs, values)) < 1e3
