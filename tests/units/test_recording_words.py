"""Heads of columns as words: units with their SI values, quantities, joints, and what is left over."""

from __future__ import annotations

from math import pi

import pytest

import manipula as mp
from manipula.recordings.words import (
    head_of,
    joints_in,
    known_unit,
    label,
    meaning_of,
    own_heads,
    robots_name,
    said_unit,
    si_unit,
    unit_of,
    unknown_unit,
    without,
    words_of,
)
from tests.golden.sentences import Sentences

# SI values from the definitions of the units: 1 lb = 0.45359237 kg, 1 ft = 12 in = 0.3048 m, g = 9.80665 m/s²
FOOT_POUND, INCH_POUND, INCH_OUNCE = 1.3558179483314004, 0.1129848290276167, 0.00706155181422604
UNITS: dict[str, dict[str, tuple[float, bool | None]]] = {
    "t": {
        "s": (1.0, None), "ms": (1e-3, None), "µs": (1e-6, None), "us": (1e-6, None), "ns": (1e-9, None),
        "min": (60.0, None), "Seconds": (1.0, None), "msec": (1e-3, None), "nanosec": (1e-9, None),
    },
    "q": {
        "rad": (1.0, True), "mrad": (1e-3, True), "deg": (pi / 180, True), "°": (pi / 180, True),
        "rev": (2 * pi, True), "turns": (2 * pi, True), "m": (1.0, False), "cm": (1e-2, False), "mm": (1e-3, False),
        "µm": (1e-6, False), "metres": (1.0, False),
    },
    "qd": {
        "rad/s": (1.0, True), "deg/s": (pi / 180, True), "rpm": (pi / 30, True), "rev/s": (2 * pi, True),
        "mm/s": (1e-3, False), "mrad/ms": (1.0, True), "Deg_per_Sec": (pi / 180, True), "rad·s^-1": (1.0, True),
        "m s⁻¹": (1.0, False), "deg per second": (pi / 180, True),
    },
    "qdd": {
        "rad/s²": (1.0, True), "deg/s^2": (pi / 180, True), "rad/s/s": (1.0, True), "mm/s2": (1e-3, False),
        "mrad/ms2": (1e3, True), "rad s^-2": (1.0, True), "m/ms²": (1e6, False), "rad s⁻²": (1.0, True),
        "rad/sec2": (1.0, True),
    },
    "tau": {
        "N·m": (1.0, True), "Nm": (1.0, True), "mNm": (1e-3, True), "kNm": (1e3, True), "Ncm": (1e-2, True),
        "Nmm": (1e-3, True), "kgf·m": (9.80665, True), "kgf·cm": (0.0980665, True), "kg-cm": (0.0980665, True),
        **dict.fromkeys(("lbf·ft", "ft-lbf", "lb-ft", "ft·lb"), (FOOT_POUND, True)),
        **dict.fromkeys(("lbf·in", "in-lbf", "lb-in", "in·lb"), (INCH_POUND, True)),
        **dict.fromkeys(("oz-in", "in·oz"), (INCH_OUNCE, True)),
        "N": (1.0, False), "newton": (1.0, False), "kN": (1e3, False), "mN": (1e-3, False),
        "lbf": (4.4482216152605, False), "kgf": (9.80665, False),
    },
}  # fmt: skip


@pytest.mark.parametrize("quantity", UNITS)
def test_a_unit_is_so_many_of_si_and_of_angles_or_lengths(quantity: str) -> None:
    for word, (factor, turns) in UNITS[quantity].items():
        unit = unit_of(quantity, word)
        assert unit is not None, word
        assert unit.factor == pytest.approx(factor, rel=1e-14), word
        assert (unit.turns, unit.asked) == (turns, ""), word
        assert said_unit(f"{quantity}_ref" if quantity in ("q", "qd", "qdd") else quantity, word, "here") == unit
        assert known_unit(word)


@pytest.mark.parametrize(
    "quantity, word, factor, asked",
    [
        ("tau", "A", 1.0, "ampere"), ("tau", "mA", 1e-3, "ampere"), ("tau", "V", 1.0, "volt"), ("tau", "%", 1.0, "%"),
        ("tau", " mV ", 1e-3, "volt"), ("q", "counts", 1.0, "count"), ("qd", "ticks/s", 1.0, "count"),
        ("qdd", "inc/ms2", 1e6, "count"),
    ],
)  # fmt: skip
def test_a_unit_that_needs_a_factor_says_of_what(quantity: str, word: str, factor: float, asked: str) -> None:
    unit = unit_of(quantity, word)
    assert unit is not None and unit.turns is None
    assert (unit.factor, unit.asked) == (pytest.approx(factor), asked)


@pytest.mark.parametrize(
    "quantity, word",
    [
        ("t", "rad"), ("t", "h"), ("q", "rad/s"), ("q", "rpm"), ("q", "s"), ("qd", "rad"), ("qd", "rad/s2"),
        ("qd", "rad/min"), ("qdd", "rad/s"), ("qdd", "rpm"), ("qdd", "rad/ms"), ("tau", "rad"), ("tau", "a"),
        ("qd", "s/s"), ("q", ""), ("tau", "counts"),
    ],
)  # fmt: skip
def test_a_unit_of_something_else_is_refused(quantity: str, word: str, whole: Sentences) -> None:
    assert unit_of(quantity, word) is None
    with whole.raises(mp.InputError, match=rf"a\.csv: units: '{word}' is no unit of {quantity}; such are"):
        said_unit(quantity, word, "a.csv: units")


def test_a_unit_that_is_no_text_is_refused() -> None:
    with pytest.raises(mp.InputError, match="here: 3 is no unit of q_ref; such are rad, deg, m, mm"):
        said_unit("q_ref", 3, "here")
    assert not known_unit("furlong") and not known_unit("")


def test_si_units_of_turning_and_sliding_joints() -> None:
    names = ("q", "qd", "qdd", "tau", "q_ref", "qd_ref", "qdd_ref")
    assert [si_unit(name, True) for name in names] == ["rad", "rad/s", "rad/s²", "N·m", "rad", "rad/s", "rad/s²"]
    assert [si_unit(name, False) for name in names] == ["m", "m/s", "m/s²", "N", "m", "m/s", "m/s²"]


@pytest.mark.parametrize(
    "heads, own",
    [
        (["t [s]", "q1 [rad]"], True), (["t [s]", "tau1 [N]", "q1 [m]"], True), (["q1 [rad]", "t [s]"], False),
        (["t [s]", "q1 [deg]"], False), (["t", "q1 [rad]"], False), ([], False), (["t [s]"], False),
    ],
)  # fmt: skip
def test_heads_of_tables_that_are_written_here(heads: list[str], own: bool) -> None:
    assert own_heads(heads) is own


@pytest.mark.parametrize(
    "text, words",
    [
        ("jointPos1", ("joint", "pos", "1")), ("q_dot_1", ("qd", "1")), ("q_ddot[3]", ("qdd", "3")),
        ("q_dot_dot_2", ("qdd", "2")), ("theta_dot 4", ("qd", "4")), ("thetaDdot4", ("qdd", "4")), ("τ_3", ("τ", "3")),
        ("UR10ePose", ("ur", "10", "e", "pose")), ("dot_1", ("dot", "1")), ("q_dd1", ("qdd", "1")), ("", ()),
        ("pos_dot", ("pos", "dot")), ("load%", ("load", "%")),
    ],
)  # fmt: skip
def test_words_of_a_head(text: str, words: tuple[str, ...]) -> None:
    assert words_of(text) == words


@pytest.mark.parametrize(
    "text, words, unit",
    [
        ("q1 [rad]", ("q", "1"), "rad"), ("joint1.pos (deg)", ("joint", "1", "pos"), "deg"),
        (' "vel 2 {deg/s}" ', ("vel", "2"), "deg/s"), ("pos_1 in deg", ("pos", "1"), "deg"),
        ("torque3 / Nm", ("torque", "3"), "Nm"), ("tau[3]", ("tau", "3"), ""), ("q1 [N]", ("q", "1", "n"), ""),
        ("elbow [deg]", ("elbow",), "deg"), ("elbow [mass]", ("elbow", "mass"), ""),
        ("i1 [A]", ("i", "1"), "A"), ("time <ms>", ("time",), "ms"), ("q1", ("q", "1"), ""),
        ("pos vel [deg/s]", ("pos", "vel"), "deg/s"), ("'q 1'", ("q", "1"), ""),
    ],
)  # fmt: skip
def test_a_head_and_its_unit(text: str, words: tuple[str, ...], unit: str) -> None:
    assert head_of(text) == (text, words, unit)


@pytest.mark.parametrize(
    "head, meaning",
    [
        ("q1 [deg]", ("q", "deg", "q", ("1",))), ("joint_2_velocity", ("qd", "", "velocity", ("joint", "2"))),
        ("shoulder_pos_deg", ("q", "deg", "pos", ("shoulder",))),
        ("vel_deg_per_s_3", ("qd", "deg per s", "vel", ("3",))),
        ("vel_deg_s_3", ("qd", "deg per s", "vel", ("3",))), ("acc_rad_s2_1", ("qdd", "rad per s2", "acc", ("1",))),
        ("acc_2_rad_s2", ("qdd", "rad per s2", "acc", ("2",))), ("time_ms", ("t", "ms", "time", ())),
        ("time_s", ("t", "s", "time", ())), ("pos_m", ("q", "", "pos", ("m",))),
        ("q_1_ref", ("q_ref", "", "q", ("1", "ref"))),
        ("target_qd_1", ("qd_ref", "", "qd", ("target", "1"))), ("current_pos_1", ("q", "", "pos", ("current", "1"))),
        ("motor current 1", ("tau", "", "current", ("motor", "1"))), ("i1 [A]", ("tau", "A", "current", ("i", "1"))),
        ("i1 [mA]", ("tau", "mA", "current", ("i", "1"))), ("i [A]", None), ("i1", None), ("pos_vel_1", None),
        ("tool_pos_1", None), ("q_error_1", None), ("elbow", None),
        ("joint torque torques 1", ("tau", "", "torque torques", ("joint", "1"))),
        ("force_n_1", ("tau", "", "force", ("n", "1"))), ("torque_nm_1", ("tau", "nm", "torque", ("1",))),
    ],
)  # fmt: skip
def test_what_a_head_means(head: str, meaning: tuple[object, ...] | None) -> None:
    found = head_of(head)
    assert meaning_of(found.words, found.unit) == meaning


@pytest.mark.parametrize(
    "text, unit",
    [
        ("q1 [Grad]", ""), ("q1 [Strich]", "Strich"),
            ("q1 [rad]", ""), ("q [1]", ""), ("q1 [measured]", ""), ("q (elbow)", ""), ("q1", ""),
        ("q1 (target)", ""), ("tau in poundal", "poundal"), ("q [knee]", "knee"), ("'tau (dyn cm)'", "dyn cm"),
    ],
)  # fmt: skip
def test_a_unit_that_nobody_knows(text: str, unit: str) -> None:
    assert unknown_unit(text, ["elbow_joint", "wrist"]) == unit


NAMES = ("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "joint_4")


@pytest.mark.parametrize(
    "words, found",
    [
        ("shoulder pan joint pos", [("shoulder_pan_joint", ("pos",))]), ("pos elbow", [("elbow_joint", ("pos",))]),
        ("pos elbow joint 1", [("elbow_joint", ("pos", "1"))]), ("joint 4", [("joint_4", ())]), ("pos 4", []),
        ("pan shoulder", []), ("elbow shoulder lift", [("shoulder_lift_joint", ("elbow",))]), ("", []),
    ],
)  # fmt: skip
def test_joints_named_by_words(words: str, found: list[tuple[str, tuple[str, ...]]]) -> None:
    assert joints_in(words.split(), NAMES) == found


def test_a_name_of_a_file_as_the_robot_has_it() -> None:
    assert robots_name("Elbow", NAMES) == "elbow_joint"
    assert robots_name("joint_4", NAMES) == "joint_4"
    assert robots_name("wrist", NAMES) == "wrist"
    assert robots_name("elbow", ("elbow_joint", "joint_elbow")) == "elbow"  # either may be meant


@pytest.mark.parametrize(
    "words, part, rest",
    [("a b c", "b", ("a", "c")), ("a b c", "b c", ("a",)), ("a b", "a b", ()), ("a b", "b a", None), ("a", "a b", None),
     ("a b", "", None), ("a b a b", "a b", ("a", "b"))],
)  # fmt: skip
def test_words_without_others(words: str, part: str, rest: tuple[str, ...] | None) -> None:
    assert without(words.split(), part.split()) == rest


def test_what_is_left_names_the_joint() -> None:
    assert label(("left", "knee", "measured", "ref")) == "left_knee"
