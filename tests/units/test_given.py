"""Every `with_…` with every kind of value: a robot with that value, or one sentence; never a raw Python error."""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy

import manipula as mp
from manipula.errors import InputError
from manipula.mechanics.robot.description import SIX
from manipula.mechanics.robot.precise import placement

MPF: Callable[[float], Any] = mpmath.mpf
SPELLED: list[Callable[[float], Any]] = [
    float, np.float64, np.float32, np.array, Fraction, Decimal, sympy.Rational, sympy.Float, repr,
    lambda x: f"1*({x!r})", lambda x: np.array(x, dtype=object), np.float16, np.longdouble, MPF,
]  # fmt: skip
HELD: list[Callable[[Any], Any]] = [list, tuple, np.array, lambda x: np.array(x, dtype=np.float32), lambda x: [*x]]
BAD = [math.nan, math.inf, -math.inf, np.nan, np.float32("inf"), None, True, [], [1, 2], {}, "", "1+", "x y", "1/0",
       "lambda: 1", "__import__('os')", b"1", 1j, object(), np.zeros(2), np.zeros((3, 3, 3)), "q1", "1e999", 1e301,
       Fraction(10) ** 400, sympy.I, sympy.nan, sympy.oo, range(9), {"xx": "1+"}, Decimal("NaN"),
       np.clongdouble(1), np.longdouble("nan")]  # fmt: skip
ARM = mp.load("puma560")


def three(rng: random.Random) -> list[float]:
    return [rng.choice((0.25, -0.5, 0.125, 2.0)) for _ in range(3)]


@pytest.mark.parametrize("seed", range(40))
def test_numbers_of_every_library_mean_the_same(seed: int) -> None:
    rng = random.Random(seed)
    spell, hold = rng.choice(SPELLED), rng.choice(HELD)
    x, xyz, six = rng.choice((0.25, 0.5, 2.0)), three(rng), [0.5, 0.0, 0.0, 0.5, 0.0, 0.5]
    full = np.array([[six[0], six[1], six[2]], [six[1], six[3], six[4]], [six[2], six[4], six[5]]])
    tensor = rng.choice((full, full.tolist(), six, tuple(six), np.array(six), dict(zip(SIX, six))))
    assert ARM.with_parameters(a2=spell(x), m3=spell(x)) == ARM.with_parameters(a2=x, m3=x)
    assert ARM.with_payload(spell(x), hold(xyz), tensor) == ARM.with_payload(x, xyz, dict(zip(SIX, six)))
    assert ARM.with_gravity(hold(xyz)) == ARM.with_gravity(*map(spell, xyz)) == ARM.with_gravity(*xyz)
    assert ARM.with_tool(hold(xyz), [spell(part) for part in xyz]) == ARM.with_tool(xyz, xyz)
    assert ARM.with_base(xyz=hold(xyz)) == ARM.with_base(xyz, np.zeros(3))


METHODS: dict[str, Callable[[Any], mp.Robot]] = {
    "parameter": lambda x: ARM.with_parameters(a2=x),
    "name": lambda x: mp.load("planar2r").with_parameters(l1=x),
    "mass": ARM.with_payload,
    "com": lambda x: ARM.with_payload(1, com=x),
    "com entry": lambda x: ARM.with_payload(1, com=[0, x, 0]),
    "inertia": lambda x: ARM.with_payload(1, inertia=x if x is not None and not isinstance(x, dict) else 7),
    "inertia entry": lambda x: ARM.with_payload(1, inertia={"xx": x}),
    "inertia list": lambda x: ARM.with_payload(1, inertia=[x] * 6),
    "gravity": ARM.with_gravity,
    "gravity entry": lambda x: ARM.with_gravity(0, 0, x),
    "tool": ARM.with_tool,
    "tool rpy": lambda x: ARM.with_tool(rpy=x),
    "tool pose": lambda x: ARM.with_tool([[1, 0, 0, x], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]),
    "base": ARM.with_base,
    "base entry": lambda x: ARM.with_base([0, 0, 0], [0, 0, x]),
}


@pytest.mark.parametrize("method", METHODS)
def test_what_is_no_number_is_refused_with_a_sentence(method: str) -> None:
    for bad in BAD:
        with pytest.raises(InputError) as caught:
            METHODS[method](bad)
        assert "\n" not in str(caught.value)


def test_poses_are_told_from_other_arrays() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        R *= np.linalg.det(R)
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = R, rng.normal(size=3)
        arm = mp.load("scara")
        at = placement(arm.with_base(T).base, {})
        assert np.allclose(np.array(at.rows(), dtype=float), T, atol=1e-14)
        for wrong in (T[:3], T * 1.01, T[:, ::-1], np.diag([1, 1, -1, 1.0]) @ T, T.T):
            with pytest.raises(InputError):
                arm.with_tool(wrong)
    with pytest.raises(InputError, match="one of the two"):
        ARM.with_tool(np.eye(4), [0, 0, 1])


def test_edits_are_held_to_what_files_are_held_to() -> None:
    for bad in (-3, np.float64(-1e-9), "-1", Fraction(-1, 3)):
        with pytest.raises(InputError, match="mass: is negative"):
            ARM.with_payload(bad)
        with pytest.raises(InputError, match=r"joint 3 .*: mass: is negative"):
            ARM.with_parameters(m3=bad)
    with pytest.raises(InputError, match="no body has this inertia"):
        ARM.with_payload(1, inertia=-np.eye(3))
    with pytest.raises(InputError, match="not symmetric"):
        ARM.with_payload(1, inertia=np.arange(9).reshape(3, 3))
    with pytest.warns(mp.ManipulaWarning, match="triangle inequality") as told:
        ARM.with_payload(1, inertia=np.diag([1, 1, 3]))
    assert told[0].filename == __file__
    with pytest.raises(InputError, match="defined through itself"):
        mp.load("planar2r").with_parameters(l1="l2", l2="l1")


def test_what_was_odd_before_is_not_told_again() -> None:
    """The file's own doubts were told when it was read."""
    text = 'format=1\nname="x"\nconvention="standard"\nangle="deg"\ninertia_default=0\n[[joint]]\ntype="revolute"\n' \
           'theta=0\nd=0\na=1\nalpha=0\nmass=1\ninertia={ xx = 1, yy = 1, zz = 3 }\n'  # fmt: skip
    with pytest.warns(mp.ManipulaWarning, match="triangle"):
        robot = mp.Robot.from_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robot.with_gravity(0, 0, -1.62).with_tool([0, 0, 0.1]).with_parameters(a1=2).with_payload(1)


def test_the_note_of_a_robot_without_mass_comes_and_goes() -> None:
    empty = {"mass": 0, "com": [0, 0, 0], "inertia": dict.fromkeys(SIX, 0)}
    robot = mp.Robot.from_dh([{"theta": 0, "d": 0, "a": 1, "alpha": 0, **empty}])
    assert any("no link has a mass" in note for note in robot.origin.notes)
    assert not any("no link has a mass" in note for note in robot.with_payload(1).origin.notes)
    assert not any("no link has a mass" in note for note in robot.with_parameters(m1=1).origin.notes)


@pytest.mark.parametrize("seed", range(20))
def test_a_fitted_angle_stays_and_a_float_quarter_turn_is_one(seed: int) -> None:
    rng = random.Random(seed)
    arm = mp.load("puma560")
    quarters, off = rng.choice((-1, 1, 2)), 10 ** rng.uniform(-8.5, -2) * rng.choice((-1, 1))
    exact = arm.with_parameters(alpha4=quarters * math.pi / 2)
    assert exact == arm.with_parameters(alpha4=f"{quarters}*pi/2")
    assert arm.with_parameters(alpha4=quarters * math.pi / 2 + off).parameters["alpha4"] == quarters * math.pi / 2 + off


def test_options_and_rows_that_are_none() -> None:
    row: Any = [(0, 0, 1, 0)]
    none: Any = None
    calls: list[Callable[[], mp.Robot]] = [
        lambda: mp.Robot.from_dh(none), lambda: mp.Robot.from_dh(row, columns=3),  # type: ignore[arg-type]
        lambda: mp.Robot.from_dh(row, columns=[1, 2, 3, 4]),  # type: ignore[list-item]
        lambda: mp.Robot.from_text("x", "urdf", foot="a"), lambda: mp.Robot.from_text("x", "toml", tip="a"),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(InputError):
            call()


@pytest.mark.parametrize(
    "door",
    [
        lambda: mp.load("puma560", tip="tool0"),
        lambda: mp.load("puma560", columns="theta d a alpha"),
        lambda: mp.load(None),  # type: ignore[arg-type]
        lambda: mp.load(5),  # type: ignore[arg-type]
        lambda: mp.Robot.from_text(5),  # type: ignore[arg-type]
        lambda: mp.Robot.from_text(b"format = 1"),  # type: ignore[arg-type]
        lambda: mp.Robot.from_text("format = 1", ["toml"]),  # type: ignore[arg-type]
        lambda: ARM.without(["tool"]),  # type: ignore[arg-type]
        lambda: ARM.without(5),  # type: ignore[arg-type]
        lambda: ARM.without("weight"),  # type: ignore[arg-type]
    ],
)
def test_what_a_door_cannot_use_is_said(door: Callable[[], mp.Robot]) -> None:
    with pytest.raises(InputError):
        door()


def test_exact_is_heard_for_library_robots_too() -> None:
    assert mp.load("puma560", exact=True).joint_names == ARM.joint_names


def test_motor_inertia_of_some_joints() -> None:
    robot = mp.load("puma560")
    first, *others = robot.joint_names
    changed = robot.with_motor_inertia({first: 0.5}).with_motor_inertia(**{others[-1]: "Jm"})
    before, after = robot.standard_parameters, changed.standard_parameters
    assert after["Ia1"] == 0.5
    assert after["Ia6"] is None
    assert "Jm" in changed.parameters
    assert {name: x for name, x in after.items() if name not in ("Ia1", "Ia6")} == {
        name: x for name, x in before.items() if name not in ("Ia1", "Ia6")
    }
    for wrong in ({"elbo": 1}, {first: -1}, {first: float("nan")}, {first: [1, 2]}, {first: None}):
        with pytest.raises(mp.ManipulaError):
            robot.with_motor_inertia(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("verb", ["with_friction", "with_motor_inertia", "with_poses", "locked"])
@pytest.mark.parametrize("one_for_all", [0.1, [0.1] * 6, np.full(6, 0.1), "elbow", {3: 0.1}, {"": 0.1}])
def test_what_goes_by_joint_wants_names(verb: str, one_for_all: Any) -> None:
    with pytest.raises(mp.InputError, match="expected a dict by name"):
        getattr(mp.load("puma560"), verb)(one_for_all)


@pytest.mark.parametrize("degrees", [90, -45.0, 720, "30"])
def test_angles_that_look_like_degrees_are_doubted(degrees: Any) -> None:
    robot = mp.load("planar2r")
    with pytest.warns(mp.ManipulaWarning, match="theta2.* turns; if degrees are meant"):
        robot.locked(q2=degrees)
    with pytest.warns(mp.ManipulaWarning, match="poses.home.*theta2"):
        robot.with_poses(home=[0, degrees])


@pytest.mark.parametrize("meant", ["pi/2", 3 * np.pi, -12.5, "beta"])
def test_angles_of_a_turn_or_two_and_letters_are_not(meant: Any) -> None:
    mp.load("planar2r").locked(q2=meant)  # a warning would be an error


def test_a_long_slide_is_no_angle() -> None:
    robot = mp.Robot.from_dh([(0, 0, 1, 0), {"type": "prismatic", "theta": 0, "d": 0, "a": 1, "alpha": 0}])
    assert robot.locked(q2=90).dof == 1
