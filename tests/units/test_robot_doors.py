"""Robots from arguments, formulas and files: what each door refuses in one sentence, and small laws of its reading."""

from __future__ import annotations

import math
import re
import warnings
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.drawing.record import drawing_of
from manipula.mechanics.drawing.skeleton import rows_of
from manipula.mechanics.robot.description import Frame
from manipula.mechanics.robot.exact import Formula
from manipula.mechanics.robot.formats.arguments import given_friction, given_steps, given_tensor
from manipula.mechanics.robot.formats.conversion.document import _toml_value
from manipula.mechanics.robot.formats.dh.joints import refuse_other_units
from manipula.mechanics.robot.formats.dh.read import lost_from_robot as lost_in_tables
from manipula.mechanics.robot.formats.dh.read import robot_from_rows
from manipula.mechanics.robot.formats.mjcf.settings import MOST
from manipula.mechanics.robot.formats.par.write import lost_from_robot as lost_in_par
from manipula.mechanics.robot.formats.units import parameter_from_raw
from manipula.mechanics.robot.formats.urdf.write import lost_from_robot as lost_in_urdf
from manipula.mechanics.robot.formats.urdf.write import urdf_from_robot
from manipula.mechanics.robot.precise import values_of
from manipula.mechanics.robot.topology import road_of
from manipula.mechanics.robot.values.parameter import Deg, Name, Num, fold, parameter_from_text
from manipula.mechanics.robot.values.terms import Units
from manipula.mechanics.spatial.dual import Paired
from manipula.mechanics.spatial.inertia import Wrench
from manipula.mechanics.spatial.vector import Vec3
from tests.units.test_mjcf import BODY, body, file
from tests.units.test_par import NEW

WEIGHT = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'


def told(sentence: str) -> Any:
    """The whole sentence, from its first to its last letter."""
    return pytest.raises(mp.ManipulaError, match=f"^{re.escape(sentence)}$")


# arguments


def test_an_inertia_is_six_entries_by_name() -> None:
    assert given_tensor({"xx": 1, "yz": 2}, "I") == {**dict.fromkeys(("xy", "xz", "yy", "zz"), Num(Fraction(0))),
                                                     "xx": Num(Fraction(1)), "yz": Num(Fraction(2))}  # fmt: skip
    with pytest.raises(mp.UnknownNameError, match="no inertia entry is called 'xq'"):
        given_tensor({"xx": 1, "xq": 2}, "I")
    named = [["a", "b", 0], ["b", "c", 0], [0, 0, "d"]]
    assert given_tensor(named, "I")["xy"] == Name("b")
    named[0][1] = "e"
    with told("I: found an array that is not symmetric, expected entry 01 to be entry 10"):
        given_tensor(named, "I")


def test_friction_of_two_numbers_wants_both_where_one_divides() -> None:
    found = given_friction({"stribeck": {"velocity": 0.1}, "viscous": 2}, "friction")
    assert found == {"fs": Num(Fraction(0)), "vs": Num(Fraction("0.1")), "fv": Num(Fraction(2))}
    with pytest.raises(mp.InputError, match=r"^friction\.stribeck: velocity is missing, .*/s"):
        given_friction({"stribeck": {"torque": 1}}, "friction")


def test_a_pose_is_four_rows_of_four_numbers() -> None:
    pose: list[list[Any]] = [[1, 0, 0, 0.1], [0, 1, 0, 0.2], [0, 0, 1, 0.3], [0, 0, 0, 1]]
    assert [step.kind for step in given_steps("tool", pose, (0, 0, 0))] == ["tx", "ty", "tz"]
    with told("tool: found a 4×4 pose and rpy, expected one of the two"):
        given_steps("tool", pose, (0, 0, 1))
    with told("tool: expected xyz and rpy, three numbers each, or a 4×4 pose"):
        given_steps("tool", [row[:3] for row in pose], (0, 0, 0))
    for k in range(4):
        for wrong in (pose[k][:3], 7, "row"):
            with told("tool: expected xyz and rpy, three numbers each, or a 4×4 pose"):
                given_steps("tool", [*pose[:k], wrong, *pose[k + 1 :]], (0, 0, 0))
    pose[1][3] = "l"
    with pytest.raises(mp.InputError, match=r"^tool\[1\]\[3\]: found .*, expected numbers in a 4×4 pose$"):
        given_steps("tool", pose, (0, 0, 0))


def test_a_motor_inertia_is_not_negative() -> None:
    with told("joint 1 'theta1': motor_inertia: is negative: -0.2 (expected zero or more)"):
        mp.load("planar2r").with_motor_inertia(theta1=-0.2)
    assert mp.load("planar2r").with_motor_inertia(theta1=0).joints[0].actuator.motor_inertia.value == Num(Fraction(0))


# numbers and formulas


@pytest.mark.parametrize(
    "text, sentence",
    [
        ("a**0.5", "'a**0.5': an exponent must be a whole number of at most 100"),
        ("a**b", "'a**b': an exponent must be a whole number of at most 100"),
        ("a**101", "'a**101': an exponent must be a whole number of at most 100"),
        ("a/0", "'a/0' divides by zero"),
        ("0**-1", "'0**-1' divides by zero"),
        ("10**100**2", "'10**100**2': an exponent must be a whole number of at most 100"),
    ],
)
def test_a_formula_that_has_no_value(text: str, sentence: str) -> None:
    with told(sentence):
        parameter_from_text(text)


def test_numbers_and_angles_fold() -> None:
    """Each operation on numbers, angles and both, against fractions."""
    for x in map(Fraction, (3, -2, "0.4")):
        for y in map(Fraction, (5, -7, "0.3")):
            for op, value in (("+", x + y), ("-", x - y)):
                assert fold(op, Num(x), Num(y)) == Num(value) and fold(op, Deg(x), Deg(y)) == Deg(value)
            assert fold("*", Num(x), Num(y)) == Num(x * y) and fold("/", Num(x), Num(y)) == Num(x / y)
            assert fold("*", Deg(x), Num(y)) == fold("*", Num(y), Deg(x)) == Deg(x * y)
            assert fold("/", Deg(x), Num(y)) == Deg(x / y) and fold("/", Deg(x), Deg(y)) == Num(x / y)
            quotient = Formula(Deg(x)) / Formula(Num(y))
            assert quotient.parameter == Deg(x / y)
    assert fold("/", Deg(Fraction(1)), Deg(Fraction(0))) not in (Num(Fraction(0)), Deg(Fraction(0)))


def test_texts_that_are_no_formula() -> None:
    with pytest.raises(mp.RobotFileError, match=r"^the expression is too long"):
        parameter_from_raw("(" * 150 + "a" + "+1)" * 150, "any", Units())
    with pytest.raises(mp.RobotFileError, match=r"^found .*, which is not a name or an arithmetic expression"):
        parameter_from_raw("a ? b " * 20, "any", Units())


def test_values_that_need_themselves() -> None:
    robot = mp.Robot.from_dh([("q1", 0, "a", 0)])
    circular = replace(robot, values=(("a", Name("b")), ("b", Name("a"))))
    with pytest.raises(mp.InputError, match=r"^the values of [ab] are defined by themselves$"):
        values_of(circular, "a test", [Name("a")])


def test_a_value_of_toml() -> None:
    for value, text in (
        (True, "true"),
        (False, "false"),
        (3, "3"),
        ([1, False], "[1, false]"),
        ({"a": 1}, "{ a = 1 }"),
    ):
        assert _toml_value(value) == text


@pytest.mark.parametrize("field, unit", [("d", "deg"), ("a", "rad"), ("theta", "mm"), ("alpha", "m")])
def test_a_column_of_lengths_is_not_in_degrees(field: str, unit: str) -> None:
    refuse_other_units({"d": "mm", "a": "m", "theta": "deg", "alpha": "rad", "beta": ""})
    kind = "a length" if unit in ("deg", "rad") else "an angle"
    with told(f"{field}: found a value in {unit} (expected {kind})"):
        refuse_other_units({field: unit})


def test_poses_by_name() -> None:
    drawing = drawing_of(mp.load("puma560"))
    drawing["poses"] = {"ready": [0.1] * 6}
    assert rows_of(drawing, "ready").tolist() == [0.1] * 6
    with pytest.raises(mp.UnknownNameError, match="no pose of puma560 is called 'redy'; did you mean 'ready'"):
        rows_of(drawing, "redy")


# three numbers, wrenches, pairs of rates


def test_vectors_add_subtract_and_scale_entry_by_entry() -> None:
    a: Any = Vec3((1, -2, 5))
    b: Any = (7, 3, -4)
    assert a + b == b + a == (8, 1, 1) and a - b == (-6, -5, 9) and b - a == (6, 5, -9)
    assert -a == (-1, 2, -5) and a * 3 == (3, -6, 15)
    wrench = -Wrench((1, 2, 3), (4, 5, -6))
    assert wrench.f == (-1, -2, -3) and wrench.n == (-4, -5, 6)


def test_pairs_of_rates_are_divided_by_what_has_none() -> None:
    x = Paired(6, (2, 4))
    for found in (x / 2, x / Paired(2)):
        assert found.value == 3 and found.rates == (1, 2)
    assert (6 / Paired(3)).value == 2 and (x / 4.0).value == 1.5
    assert repr(x) == "Paired(6, (2, 4))" and (3 - x).value == -3 and (3 - x).rates == (-2, -4)


# files


def test_one_joint_locked_or_held_in_a_file_of_mujoco() -> None:
    """An equality that is switched off couples nothing; one of a polynomial, or that holds a joint, needs a lock."""
    inner = f'<body name="c"><joint name="k"/>{WEIGHT}</body>'
    text = body(f'<joint name="j"/>{inner}')[:-9]
    off = text + '<equality><joint joint1="k" joint2="j" active="false"/></equality></mujoco>'
    assert mp.Robot.from_text(off, "mjcf").joint_names == ("j", "k")
    for given, said in (
        ('joint2="j" polycoef="0 1 2 0 0"', "an equality couples it to joint 'j' by a polynomial"),
        ("", "an equality holds it"),
    ):
        held = text + f'<equality><joint joint1="k" {given}/></equality></mujoco>'
        with pytest.raises(mp.RobotFileError, match=f"joint 'k': equality: {said}.*locked="):
            mp.Robot.from_text(held, "mjcf")
        assert mp.Robot.from_text(held, "mjcf", locked={"k": 0.2}).joint_names == ("j",)


def test_plugins_and_deformable_bodies_are_named() -> None:
    plugged = body('<joint/><plugin plugin="mujoco.pid"/><plugin instance="one"/>')
    soft = file()[:-9] + '<deformable><flex name="cloth"/><flex/></deformable></mujoco>'
    for text, said in (
        (plugged, "not read: plugins of bodies: mujoco.pid, one"),
        (soft, "not read: forces of deformable bodies: cloth, flex"),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            robot = mp.Robot.from_text(text, "mjcf")
        notes = " ".join([*(str(x.message) for x in caught), *map(str, robot.origin.notes)])
        assert said in notes


def test_masses_are_scaled_to_the_total_and_kept_above_the_least() -> None:
    second = '<body name="c"><joint/><inertial pos="0 0 0" mass="2" diaginertia="5 5 4"/></body>'
    two = f'<body name="b"><joint/><inertial pos="0.1 0 0" mass="3" diaginertia="2 2 3"/>{second}</body>'
    plain = mp.Robot.from_text(file(two), "mjcf").parameters
    total = mp.Robot.from_text(file(two, '<compiler settotalmass="17.5"/>'), "mjcf").parameters
    for name in ("m1", "m2", "Ixx1", "Izz1", "Izz2"):
        assert total[name] == pytest.approx(3.5 * plain[name], rel=1e-15), name
    assert total["rx1"] == plain["rx1"] == 0.1
    least = mp.Robot.from_text(file(two, '<compiler boundmass="2.5"/>'), "mjcf").parameters
    assert (least["m1"], least["m2"]) == (3, 2.5) and least["Izz2"] == 4
    unknown = file('<body name="b"><joint/><geom mesh="m"/></body>', '<compiler settotalmass="7"/>')
    with pytest.raises(mp.RobotFileError, match="its mass would come from the mesh 'm'"):
        mp.Robot.from_text(unknown, "mjcf")


def moments(kind: str, sizes: tuple[float, ...], said: str = "") -> np.ndarray[Any, Any]:
    """Mass and principal moments of a shape, kg and kg·m²."""
    text = f'<body name="b"><joint/><geom type="{kind}" size="{" ".join(map(repr, sizes))}" {said}/></body>'
    found = mp.Robot.from_text(file(text), "mjcf", exact=True).parameters
    return np.array([found[name] for name in ("m1", "Ixx1", "Iyy1", "Izz1")], dtype=float)


@pytest.mark.parametrize(
    "kind, sizes, grows",
    [
        ("sphere", (0.3,), (1,)),
        ("box", (0.2, 0.3, 0.5), (1, 1, 1)),
        ("cylinder", (0.2, 0.5), (1, 1)),
        ("capsule", (0.2, 0.5), (1, 0)),
    ],
)
def test_a_shell_is_what_a_solid_gains_when_all_its_surface_moves_out(
    kind: str, sizes: tuple[float, ...], grows: tuple[int, ...]
) -> None:
    """d/dt ∫_V f dV = ∮ f dA where every point of the surface moves along its normal at 1 m/s."""
    h = 1e-4
    outer, inner = (tuple(x + way * h * y for x, y in zip(sizes, grows)) for way in (1, -1))
    slope = (moments(kind, outer) - moments(kind, inner)) / (2 * h)
    np.testing.assert_allclose(moments(kind, sizes, 'shellinertia="true"'), slope, rtol=1e-6)
    np.testing.assert_allclose(
        moments(kind, sizes, 'shellinertia="true" mass="2"'), 2 * slope / slope[0], rtol=1e-6
    )  # the same shape, whatever it weighs


def test_a_shell_that_is_not_computed() -> None:
    with pytest.raises(mp.RobotFileError, match="a shape that is not computed, of type 'ellipsoid'"):
        moments("ellipsoid", (0.1, 0.2, 0.3), 'shellinertia="true"')
    with pytest.raises(mp.RobotFileError, match="a shape that is not computed, of type 'sdf'"):
        moments("sdf", (0.1,))


def test_a_capsule_of_length_nothing_is_a_sphere_and_a_long_one_a_cylinder() -> None:
    np.testing.assert_allclose(moments("capsule", (0.2, 1e-12)), moments("sphere", (0.2,)), rtol=1e-9)
    long = moments("capsule", (1e-3, 100.0)) / moments("cylinder", (1e-3, 100.0))
    np.testing.assert_allclose(long, 1, rtol=1e-4)
    assert math.isclose(
        moments("capsule", (0.2, 0.5))[0] - moments("cylinder", (0.2, 0.5))[0], moments("sphere", (0.2,))[0]
    )


def test_a_base_of_symoro_is_turned_by_numbers() -> None:
    with pytest.raises(mp.RobotFileError, match=r"^Z: found the name 'c1' in a rotation \(numbers\)$"):
        mp.Robot.from_text(re.sub(r"\nZ = \{[^}]*\}", "\nZ = {c1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1}", NEW), "par")
    idle = mp.Robot.from_text(NEW.replace("mu = {1,1,1}", "mu = {1,0,1}"), "par")
    assert any("mu" in str(note) for note in idle.origin.notes)


def test_urdf_holds_one_leader_a_mass_and_every_name_once() -> None:
    fixed = '<fixed name="t" armature="1"><joint joint="j" coef="1"/><joint joint="k" coef="-2"/></fixed>'
    inner = f'<body name="c"><joint name="k"/>{WEIGHT}</body>'
    spans = mp.Robot.from_text(body(f'<joint name="j"/>{inner}')[:-9] + f"<tendon>{fixed}</tendon></mujoco>", "mjcf")
    with told("robot: joint 't' follows several joints; URDF knows one"):
        urdf_from_robot(spans)
    row = {"theta": 0, "d": 0, "a": 0.4, "alpha": 0}
    none = dict.fromkeys(("xx", "yy", "zz", "xy", "xz", "yz"), 0)
    light = mp.Robot.from_dh([{**row, "mass": 0, "first_moment": [0.1, 0, 0], "second_moment": none}])
    with pytest.raises(mp.InputError, match=r"has first moments but no mass, which URDF cannot hold$"):
        urdf_from_robot(light)


def test_a_macro_inside_an_inertia_is_refused() -> None:
    text = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
    <xacro:box_inertia/></inertial></link><joint name="j" type="revolute"><parent link="a"/><child link="b"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""
    with pytest.raises(mp.RobotFileError, match="xacro"):
        mp.Robot.from_text(text, "urdf")


def test_a_tool_that_no_joint_moves_has_no_road() -> None:
    still = mp.Robot.from_dh(
        [{"type": "fixed", "theta": 0, "d": 0.1, "a": 0, "alpha": 0}, ("q1", 0, 0.5, 0)], name="mast"
    )
    with told("mast: no joint moves its tool"):
        road_of(replace(still, tool_on=still.joints[0].name))


@pytest.mark.parametrize("said", [False, True])
@pytest.mark.parametrize("kind", ["R", "P"])
@pytest.mark.parametrize("column", ["theta", "d", "a", "alpha"])
def test_a_name_of_another_column_in_a_bare_row_is_asked_about(column: str, kind: str, said: bool) -> None:
    """Unless somebody said the order; a joint variable is refused even then, but for q of a joint that slides."""
    fields = ("theta", "d", "a", "alpha")
    for name, owner in {"theta1": "theta", "q1": "theta", "d1": "d", "a1": "a", "alpha1": "alpha"}.items():
        cells: dict[str, Any] = {"theta": 0.1, "d": 0.2, "a": 0.3, "alpha": 0.4} | {column: name}
        order = fields[::-1] if said else fields
        place = "d" if name == "q1" and kind == "P" else owner  # q is the variable of any joint
        wrong = column != place and (owner == "theta" or not said)
        try:
            mp.Robot.from_dh([(*(cells[x] for x in order), kind)], columns=order if said else None)
            found = ""
        except mp.RobotFileError as error:
            found = str(error)
        reads = "a joint variable" if owner == "theta" else f"an entry of the column {owner}"
        assert (f"joint 1: {column}: found '{name}', which reads like {reads}" in found) == wrong, (name, found)
        assert ("reads like" in found) == wrong


def test_files_named_in_a_file_of_mujoco_are_each_there_once_below_its_folder(tmp_path: Path) -> None:
    """Whole sentences: what was found, then what to do."""
    (tmp_path / "model" / "parts").mkdir(parents=True)
    (tmp_path / "outside.xml").write_text("<mujoco/>", encoding="utf-8")
    main, where = tmp_path / "model" / "arm.xml", "<include>: file: found"
    for k in range(MOST + 1):
        (main.parent / "parts" / f"{k}.xml").write_text("<mujocoinclude/>", encoding="utf-8")
    (main.parent / "parts" / "arm.xml").write_text(f"<mujocoinclude>{BODY}</mujocoinclude>", encoding="utf-8")

    def refusal(*names: str) -> str:
        inside = "".join(f'<include file="{name}"/>' for name in names)
        main.write_text(f"<mujoco><worldbody>{inside}</worldbody></mujoco>", encoding="utf-8")
        with pytest.raises(mp.RobotFileError) as told:
            mp.load(main)
        return str(told.value).partition("arm.xml: ")[2]

    twice = refusal("parts/arm.xml", "parts/0.xml", "parts/arm.xml")
    assert twice == f"{where} 'parts/arm.xml' a second time (each file stands in a model once)"
    beyond = refusal("../outside.xml")
    assert (
        beyond == f"{where} '../outside.xml', which is outside the folder of the model (put the file below that folder)"
    )
    assert refusal("parts/none.xml") == f"{where} 'parts/none.xml', which is not there (in {main.parent})"
    many = refusal(*(f"parts/{k}.xml" for k in range(MOST + 1)))
    assert many == f"{where} more than {MOST} files (join some of them)"


ROW = {"theta": 0, "d": 0.1, "a": 0.2, "alpha": 0.3}
LIMITS = (["joint limits"], [], ["limits"])
LOST: list[tuple[dict[str, Any], tuple[list[str], list[str], list[str]]]] = [
    ({}, ([], [], [])),
    ({"limits": [-1, 1]}, LIMITS),
    ({"velocity_limit": 2}, LIMITS),
    ({"effort_limit": 3}, LIMITS),
    ({"motor_inertia": 0.2}, ([], ["motor inertia 0.2 of joint joint1"], ["motors and friction"])),
    ({"friction": {"viscous": 0.2}}, ([], [], ["motors and friction"])),
    ({"friction": {"coulomb": 0.2}}, ([], [], ["motors and friction"])),
    ({"friction": {"load": 0}}, ([], [], [])),
    ({"name": "elbow"}, (["names of joints"], [], [])),
]


def losses(robot: Any) -> tuple[list[str], list[str], list[str]]:
    return lost_in_par(robot), lost_in_urdf(robot), lost_in_tables(robot)


@pytest.mark.parametrize("given, lost", LOST)
def test_what_a_format_has_no_place_for_is_named_alone(
    given: dict[str, Any], lost: tuple[list[str], list[str], list[str]]
) -> None:
    """Each entry of a joint by itself, on the first and on the last row; SYMORO, URDF, a table."""
    assert losses(mp.Robot.from_dh([{**ROW, **given}, ROW])) == lost
    last = tuple([said.replace("joint1", "joint2") for said in part] for part in lost)
    assert losses(mp.Robot.from_dh([ROW, {**ROW, **given}])) == last


@pytest.mark.parametrize("key, value", [("gear", 50), ("efficiency", 0.75), ("stiffness", 100), ("backlash", 0.01)])
def test_a_drive_that_a_format_has_no_place_for(key: str, value: float) -> None:
    par, urdf, _ = losses(mp.Robot.from_dh([ROW, {**ROW, key: value}]))
    assert par == [f"{key} of joint joint2"] and urdf == [f"{key} {value} of joint joint2"]


def test_what_is_lost_of_a_whole_robot() -> None:
    plain = mp.Robot.from_dh([ROW, ROW])
    assert (
        losses(plain.with_gravity(0, 0, -1.62))[2] == ["gravity"] and losses(plain.with_gravity(0, 0, -1.62))[0] == []
    )
    assert losses(plain.with_gravity(0, 0, -1.62))[1][0].startswith("gravity ")
    assert losses(plain.with_base((0, 0, 1))) == ([], [], ["base"])
    assert losses(plain.with_tool((0, 0, 0.1)))[2] == ["tool"] and losses(plain.with_tool((0, 0, 0.1)))[0] == []
    assert losses(plain.with_payload(2))[2] == ["payload"]
    weighs = {"mass": 2, "com": [0, 0, 0], "inertia": dict.fromkeys(("xx", "yy", "zz", "xy", "xz", "yz"), 0)}
    assert losses(mp.Robot.from_dh([{**ROW, **weighs}, {**ROW, **weighs}])) == ([], [], ["masses"])
    framed = replace(plain, frames=(Frame("camera", "joint2", ()),))
    assert losses(framed)[0] == losses(framed)[2] == ["frames"]
    posed = robot_from_rows([ROW, ROW], poses={"home": [0, 0]})
    assert losses(posed) == (["poses"], ["pose home"], ["poses"])
    offset = losses(mp.Robot.from_dh([{**ROW, "friction": {"offset": 0.3}}, ROW]))
    assert offset[0][0].lower().endswith("offset of joint joint1") and offset[1][0].endswith(" 0.3 of joint joint1")


def doubts(**given: Any) -> list[str]:
    """Of an arm of one link: what is odd about its body."""
    inertia = dict.fromkeys(("xx", "yy", "zz", "xy", "xz", "yz"), 0) | given.pop("inertia", {"xx": 1, "yy": 1, "zz": 1})
    row = {**ROW, "mass": 2, "com": [0, 0, 0], "inertia": inertia}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mp.Robot.from_dh([{**row, **given}])
    return [str(x.message) for x in caught]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("axis", range(3))
def test_a_body_that_is_odd_is_doubted_and_one_at_the_limit_is_not(axis: int, sign: int) -> None:
    """A centre in millimetres; moments against the triangle inequality; nothing left about the centre of mass."""
    far, near = [0.0] * 3, [0.0] * 3
    far[axis], near[axis] = sign * 150.0, sign * 0.15
    assert any(f"com: {sign * 150} m looks like millimetres" in x for x in doubts(com=far)) and doubts(com=near) == []
    keys = ("xx", "yy", "zz")
    largest = dict.fromkeys(keys, 1.0) | {keys[axis]: 2.0}
    assert doubts(inertia=largest) == []  # a plate: 2 = 1 + 1
    largest[keys[axis]] = 2.1
    assert any(
        "breaks the triangle inequality: principal moments 1, 1, 2.1 kg·m²" in x for x in doubts(inertia=largest)
    )
    assert doubts(inertia={keys[axis]: 1.0}) == []  # of a planar arm, alone
    with pytest.raises(mp.RobotFileError, match="no body has this inertia: it is not positive"):
        doubts(inertia=largest | {keys[axis - 1]: -0.1})
    # I_com = I − m c² across the axis: 1 − 2 c²
    for c, odd in ((0.8, True), (0.7, False)):
        centre = [0.0] * 3
        centre[axis] = sign * c
        said = doubts(com=centre, inertia_about="origin")
        assert any("leaves no positive inertia about the centre of mass" in x for x in said) == odd, (c, said)
        assert doubts(com=centre) == []


def test_frames_in_frames_place_shapes_bodies_and_sites_alike() -> None:
    """Outer first: (1, 0, 0) turned by 90° about z, then (0, 2, 0) turned by 90° about x; the inner class counts."""
    inner = '<geom size="0.1" mass="2" pos="0 0 3"/><site name="end" pos="0 0 3"/>'
    tip = f'<body name="c" pos="0 0 3"><joint name="k"/>{WEIGHT}</body>'
    frames = '<frame pos="1 0 0" euler="0 0 90"><frame pos="0 2 0" euler="90 0 0" childclass="{}">{}</frame></frame>'
    arm = file(f'<body name="b"><joint name="j"/>{frames.format("main", inner)}</body>')
    found = mp.Robot.from_text(arm, "mjcf", tip="end")
    assert [found.parameters.get(x, 0) for x in ("rx1", "ry1", "rz1")] == [2, 0, 0] and found.parameters["m1"] == 2
    expected = [[0, 0, 1, 2], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]]
    np.testing.assert_allclose(mp.Arm(found, optimise="none").pose([0.0]), expected, atol=1e-15)
    held = file(f'<body name="b"><joint name="j"/>{WEIGHT}{frames.format("main", tip)}</body>')
    np.testing.assert_allclose(
        mp.Arm(mp.Robot.from_text(held, "mjcf"), optimise="none").pose([0.0, 0.0]), expected, atol=1e-15
    )
    classes = '<default><default class="light"><geom density="100"/></default></default>'
    light, plain = (
        mp.Robot.from_text(
            file(f'<body name="b"><joint/>{frames.format(chosen, shape)}</body>', classes), "mjcf"
        ).parameters["m1"]
        for chosen in ("light", "main")
        for shape in ['<geom size="0.1"/>']
    )
    assert light == pytest.approx(plain / 10)
