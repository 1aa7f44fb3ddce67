"""Conversions between conventions keep the pose of the tool and the torques, with symbols and with numbers."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Literal
from xml.etree import ElementTree

import pytest

import manipula as mp
from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.robot.actuator import actuator_from
from manipula.mechanics.robot.description import (
    Cell,
    CentreKind,
    InertiaKind,
    Joint,
    JointKind,
    RobotDescription,
    Step,
    Steps,
    cell_with_value,
    unknown_body,
)
from manipula.mechanics.robot.exact import Formula, cos_sin, gather_steps, is_zero, parameter_of, with_values
from manipula.mechanics.robot.formats.conversion.conventions import (
    convert,
    to_modified,
    to_standard,
    to_urdf,
    weld_fixed_rows,
)
from manipula.mechanics.robot.formats.rows import row_from_joint
from manipula.mechanics.robot.formats.toml.read import robot_from_toml, toml_from_robot
from manipula.mechanics.robot.formats.urdf import read as urdf_read
from manipula.mechanics.robot.formats.urdf.read import robot_from_urdf
from manipula.mechanics.robot.formats.urdf.write import urdf_from_robot
from manipula.mechanics.robot.values.parameter import ZERO, Deg, Name, Num, Parameter, ParameterOp, names_of, text_of
from tests.arm_numbers import assert_same_arm
from tests.random_robots import random_robot, random_tree

GRAVITY = (cell_with_value("gx"), cell_with_value("gy"), Cell("gz"))


def symbolic_joint(
    row: int, alpha: Parameter, prismatic: bool = False, about: InertiaKind = "com", centre: CentreKind = "com"
) -> Joint:
    """A standard row in which everything but the twist is a symbol."""
    theta, d, a = Cell(f"theta{row}"), Cell(f"d{row}"), Cell(f"a{row}")
    ahead: Steps = (Step("tx", a), Step("rx", Cell(f"alpha{row}", alpha)))
    before, offset, after = ((Step("rz", theta),), d, ahead) if prismatic else ((), theta, (Step("tz", d), *ahead))
    drive = actuator_from(lambda letters: Cell(f"{letters}{row}"))
    body = unknown_body(str(row), about, centre)
    kind: JointKind = "prismatic" if prismatic else "revolute"
    direction: Literal[1, -1] = 1 if row != 2 else -1
    placed = {"before": before, "offset": offset, "direction": direction, "after": after}
    return Joint(name=f"joint{row}", kind=kind, body=body, actuator=drive, **placed)  # type: ignore[arg-type]


def symbolic_arm() -> RobotDescription:
    """Quarter turns, any numeric twist, a symbolic twist; all forms of a body."""
    joints = (
        symbolic_joint(1, Deg(Fraction(-90))),
        symbolic_joint(2, Deg(Fraction(30)), prismatic=True, about="origin", centre="first_moment"),
        symbolic_joint(3, Name("twist"), about="second_moment", centre="first_moment"),
        symbolic_joint(4, ZERO, about="com", centre="first_moment"),
        symbolic_joint(5, Deg(Fraction(90)), about="origin"),
    )
    return RobotDescription("symbols", joints, GRAVITY)


def test_standard_to_modified_keeps_every_symbol() -> None:
    arm = symbolic_arm()
    modified = to_modified(arm)
    assert_same_arm(arm, modified)
    assert set(modified.names()) == set(arm.names())
    assert modified.origin.convention == "modified"
    rows = [row_from_joint(joint, "modified") for joint in modified.joints]
    assert [row.alpha.value for row in rows if row][:4] == [ZERO, Deg(Fraction(-90)), Deg(Fraction(30)), Name("twist")]
    assert [row.a.parameter for row in rows if row] == [ZERO, *(Name(f"a{i}") for i in (1, 2, 3, 4))]
    assert [step.amount.parameter for step in modified.tool] == [Name("a5"), Deg(Fraction(90))]


def test_quarter_turns_and_shifts_of_a_body_are_written_shortly() -> None:
    first, *_ = to_modified(symbolic_arm()).joints
    assert first.body is not None
    # alpha = −90°: x stays and is shifted by a, y becomes the old z, z the old −y
    assert [cell.parameter for cell in first.body.centre] == [
        ParameterOp("+", (Name("rx1"), Name("a1"))), Name("rz1"), ParameterOp("neg", (Name("ry1"),)),
    ]  # fmt: skip
    assert [cell.parameter for cell in first.body.inertia] == [
        Name("Ixx1"), Name("Ixz1"), ParameterOp("neg", (Name("Ixy1"),)), Name("Izz1"),
        ParameterOp("neg", (Name("Iyz1"),)), Name("Iyy1"),
    ]  # fmt: skip


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_a_second_step_of_a_kind_in_a_placement_is_numbered(convention: Literal["standard", "modified"]) -> None:
    """x, x2, x3 in the order of the steps; a and alpha of a last row keep their names, to be known again."""
    row = {"theta": 0, "d": "h", "a": "l", "alpha": "tilt"}
    arm = mp.Robot.from_dh([row] * 2, convention=convention, name="placed")
    arm = arm.with_base(["bx", 0, "bz"], ["br", "bp", 0]).with_tool(["tx", "ty", 0], ["tr", 0, "tw"])
    words = {"tx": "x", "ty": "y", "tz": "z", "rx": "roll", "ry": "pitch", "rz": "yaw"}
    there = (to_modified if convention == "standard" else to_standard)(arm)
    assert_same_arm(arm, there)
    for place, steps, mark in (("base", there.base, ""), ("tool", there.tool, "tool_a tool_alpha")):
        seen = Counter[str]()
        for step in steps:
            seen[step.kind] += 1
            number = "" if seen[step.kind] == 1 else str(seen[step.kind])
            assert step.amount.name in (f"{place}_{words[step.kind]}{number}", *mark.split())
        if place == ("tool" if convention == "standard" else "base"):
            assert max(seen.values()) > 1
    names = [cell.name for cell in there.cells()]
    assert len(names) == len(set(names))


def test_there_and_back() -> None:
    arm = symbolic_arm()
    assert_same_arm(arm, to_standard(to_modified(arm)))
    third = symbolic_joint(3, Deg(Fraction(90)), prismatic=True, centre="first_moment")
    quarters = replace(arm, joints=(symbolic_joint(1, Deg(Fraction(-90))), symbolic_joint(2, ZERO), third))
    assert to_standard(to_modified(quarters)) == quarters


def test_the_first_modified_row_goes_to_the_base_and_returns() -> None:
    modified = to_modified(symbolic_arm())
    first = modified.joints[0]
    tilted = replace(first, before=(Step("rx", Cell("alpha1", Deg(Fraction(90)))), Step("tx", Cell("a1", Name("l0")))))
    arm = replace(modified, joints=(tilted, *modified.joints[1:4]), tool=())
    standard = to_standard(arm)
    assert [step.amount.parameter for step in standard.base] == [Deg(Fraction(90)), Name("l0")]
    assert_same_arm(arm, standard)
    assert_same_arm(arm, to_modified(standard))
    assert to_modified(standard).base == ()


def test_already_there_is_untouched() -> None:
    arm = symbolic_arm()
    assert to_standard(arm) == arm


@pytest.mark.parametrize("seed", range(18))
@pytest.mark.parametrize("target", ["standard", "modified", "urdf"])
def test_random_arms_of_every_shape(seed: int, target: Literal["standard", "modified", "urdf"]) -> None:
    """Revolute, prismatic and fixed rows, any placements, base, tool, payload, carried bodies, directions."""
    arm = random_robot(seed)
    other = convert(arm, target)
    assert_same_arm(arm, other, seed)
    assert other.origin.convention == target
    if target != "urdf":
        assert all(row_from_joint(joint, target) for joint in other.joints)
        assert_same_arm(arm, robot_from_toml(toml_from_robot(other)), seed)


@pytest.mark.parametrize("seed", range(6))
def test_urdf_to_tables(seed: int) -> None:
    """By common normals, actuators untouched."""
    arm = robot_from_urdf(urdf_from_robot(random_robot(seed, convention="urdf")), exact=True)
    for table in (to_standard(arm), to_modified(arm), to_modified(to_standard(arm))):
        assert_same_arm(arm, table, seed)
        moving = [joint for joint in arm.joints if joint.kind != "fixed"]
        for mine, theirs in zip(moving, table.joints, strict=True):
            assert (mine.name, mine.limits, mine.actuator["fv"], mine.actuator["fc"]) == (
                theirs.name, theirs.limits, theirs.actuator["fv"], theirs.actuator["fc"],
            )  # fmt: skip


def axis_arm(*rows: tuple[str, str, str]) -> RobotDescription:
    """A URDF arm of revolute joints: (xyz, rpy, axis)."""
    parts = ['<robot name="arm"><link name="l0"/>']
    for i, (xyz, rpy, axis) in enumerate(rows):
        ends = f'<parent link="l{i}"/><child link="l{i + 1}"/>'
        at = f'<origin xyz="{xyz}" rpy="{rpy}"/><axis xyz="{axis}"/>'
        parts.append(f'<link name="l{i + 1}"/><joint name="j{i + 1}" type="continuous">{ends}{at}</joint>')
    return robot_from_urdf("".join(parts) + "</robot>")


def table_of(arm: RobotDescription) -> list[tuple[Parameter, ...]]:
    rows = [row_from_joint(joint, "standard") for joint in to_standard(arm).joints]
    return [tuple(row[name].parameter for name in ("theta", "d", "a", "alpha")) for row in rows if row]


def test_an_elbow_arm_has_the_table_of_the_textbooks() -> None:
    """Vertical, then two parallel horizontal axes, then one across them: zeros and quarter turns are exact."""
    arm = axis_arm(
        ("0 0 0", "0 0 0", "0 0 1"), ("0 0 0.3", "0 0 0", "0 1 0"), ("0.4 0 0", "0 0 0", "0 1 0"),
        ("0.2 0 0", "0 0 0", "1 0 0"),
    )  # fmt: skip
    right = Deg(Fraction(90))
    rows = table_of(arm)
    assert [row[3] for row in rows[:2]] == [Deg(Fraction(-90)), ZERO]
    assert [row[2] for row in rows] == [ZERO, Num(Fraction(2, 5)), ZERO, ZERO]
    assert rows[0][1] == Num(Fraction(3, 10))
    assert {abs(row[3].value) for row in rows if isinstance(row[3], Deg)} == {right.value}
    assert_same_arm(arm, to_standard(arm))


@pytest.mark.parametrize(
    "second",
    [
        ("0 0 0.5", "0 0 0", "0 0 1"),  # the same axis continued
        ("0 0 0.5", "3.14159265359 0 0", "0 0 1"),  # the same axis, opposite
        ("-0.4 0.3 0.2", "0 0 0", "0 0 -1"),  # parallel
        ("0 0 0", "0 0 0", "1 0 0"),  # meeting at a right angle
        ("0.1 0.2 0.3", "0 0 0", "0.6 0 0.8"),  # skew
    ],
)
def test_every_position_of_two_axes(second: tuple[str, str, str]) -> None:
    arm = axis_arm(("0.1 0 0", "0 0 0", "0 0 1"), second, ("0.1 0.2 0.3", "0.4 0.5 0.6", "0.1 0.2 -0.3"))
    for table in (to_standard(arm), to_modified(arm)):
        assert_same_arm(arm, table)


def test_fixed_rows_are_welded() -> None:
    arm = random_robot(3, joints="FRFPFF")
    assert [joint.kind for joint in weld_fixed_rows(arm).joints] == ["revolute", "prismatic"]
    assert_same_arm(arm, weld_fixed_rows(arm))


def test_names_that_cannot_be_converted() -> None:
    arm = symbolic_arm()
    lifted = replace(arm.joints[1], before=(Step("ty", Cell("y2")), *arm.joints[1].before))
    with pytest.raises(InputError, match=r"a Denavit–Hartenberg table of this robot needs numbers.*: .*y2"):
        to_modified(replace(arm, joints=(arm.joints[0], lifted)))
    with pytest.raises(UnknownNameError, match="standard, modified, urdf"):
        convert(arm, "khalil")


# The trees in which symbols travel


def test_trees_fold() -> None:
    x, y = Formula(Name("x")), Formula(Name("y"))
    assert parameter_of(x + y - x) == Name("y")
    assert parameter_of(x - x) == ZERO
    assert parameter_of(0 * x + 1 * y) == Name("y")
    assert parameter_of(-Formula(ParameterOp("neg", (Name("x"),)))) == Name("x")
    assert parameter_of(-(x - y)) == ParameterOp("-", (Name("y"), Name("x")))
    assert parameter_of((-x) * (-y)) == ParameterOp("*", (Name("x"), Name("y")))
    assert parameter_of((Formula(Num(Fraction(1))) + Fraction(1, 2)) / 3) == Num(Fraction(1, 2))


def test_operands_are_written_in_the_order_they_were_given() -> None:
    x = Formula(Name("x"))
    found = [x + 2, 2 + x, x - 2, 2 - x, x * 2, 2 * x, x / 2, 2 / x, x + Fraction(1, 2), Fraction(1, 2) * x, -x]
    texts = ["x+2", "2+x", "x-2", "2-x", "x*2", "2*x", "x/2", "2/x", "x+0.5", "0.5*x", "-x"]
    assert [text_of(parameter_of(formula)) for formula in found] == texts


def test_cosines_of_quarter_turns_are_exact() -> None:
    found = [tuple(parameter_of(part) for part in cos_sin(Deg(Fraction(90 * k)))) for k in range(-3, 4)]
    assert found == [tuple(Num(Fraction(x)) for x in pair) for pair in (
        (0, 1), (-1, 0), (0, -1), (1, 0), (0, 1), (-1, 0), (0, -1))]  # fmt: skip


def test_steps_there_and_back_are_gone() -> None:
    a, d = Cell("a", Name("a")), Cell("d", Name("d"))
    steps = (Step("tx", a), Step("rz", d), Step("tz", d), Step("rz", Cell("d", ParameterOp("neg", (Name("d"),)))))
    assert [step.kind for step in gather_steps(steps)] == ["tx", "tz"]


def test_values_are_put_in() -> None:
    tree = ParameterOp(
        "+",
        (
            ParameterOp("**", (Name("a"), Num(Fraction(2)))),
            ParameterOp("*", (ParameterOp("cos", (Name("b"),)), Name("c"))),
        ),
    )
    filled = with_values(tree, {"a": Name("e"), "e": Num(Fraction(3)), "b": Deg(Fraction(90))})
    assert filled.parameter == Num(Fraction(9))
    assert is_zero(with_values(ParameterOp("sin", (Name("b"),)), {"b": Deg(Fraction(180))}).parameter)
    assert set(names_of(with_values(tree, {}).parameter)) == {"a", "b", "c"}


# to URDF without a file between


@pytest.mark.parametrize("seed", range(12))
def test_a_conversion_in_memory_is_the_one_through_a_file(seed: int) -> None:
    """Number for number; what URDF has no place for stays with the robot, which a file would lose."""
    convention = ("standard", "modified", "urdf")[seed % 3]
    robot = random_tree(seed) if seed % 4 == 3 else random_robot(seed, convention=convention)  # type: ignore[arg-type]
    converted, read = to_urdf(robot), robot_from_urdf(urdf_from_robot(robot), exact=True)
    assert [x.name for x in converted.joints] == [x.name for x in read.joints]
    for one, other in zip(converted.joints, read.joints):
        plain = replace(other, actuator=one.actuator)
        assert _cells_aside(one) == _cells_aside(plain), one.name
    assert [step.amount.value for step in converted.tool] == [step.amount.value for step in read.tool]


def _cells_aside(joint: Joint) -> list[object]:
    """Kinds and values; names of cells may be told apart."""
    steps = [(step.kind, step.amount.value) for step in (*joint.before, *joint.after)]
    body = [] if joint.body is None else [x.value for x in (joint.body.mass, *joint.body.centre, *joint.body.inertia)]
    return [joint.kind, joint.direction, joint.offset.value, joint.limits, joint.parent, *steps, *body]


def test_to_urdf_writes_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*given: object) -> None:
        raise AssertionError("text is written or read")

    for module, name in ((ElementTree, "tostring"), (ElementTree, "fromstring"), (urdf_read, "urdf_from_text")):
        monkeypatch.setattr(module, name, refuse)
    assert to_urdf(random_robot(3)).origin.convention == "urdf"
