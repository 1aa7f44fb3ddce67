"""Closed forms of arms in letters: whatever the letters are called and whatever values they take, a branch that is
called valid reaches the pose. Forward kinematics is written out again, from the table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.expr.maths import topological
from manipula.errors import ConditionError, InputError
from manipula.generation.arm_structure import plan_of
from manipula.mechanics.models.inverse.plan import ArmKind, Plan, branches
from manipula.mechanics.robot.bind import bind, free_parameters
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.spatial.floats import FLOATS
from tests.few_arms import pose_from_table

Rows = list[dict[str, Any]]
EXACT = 1e-9
# names of which many fell together in a table of 997 places: (d4, l8), (d3, r8), (d2, b2), (L7, h2)
NAMES = ["d4", "l8", "d3", "r8", "d2", "b2", "L7", "h2", "a1", "a2", "a3", "L1", "L2", "off", "w", "k3", "p9", "x_1"]


def row(alpha: float, a: Any = 0, d: Any = 0, kind: str = "revolute", theta: float = 0) -> dict[str, Any]:
    return {"theta": theta, "d": d, "a": a, "alpha": alpha, "type": kind}


def letters(rng: np.random.Generator) -> Any:
    """Makes lengths: a name, a difference of two, a sum, a multiple; never the same name first."""
    names = list(rng.permutation(NAMES))

    def length() -> str:
        first, second = names.pop(), str(rng.choice(NAMES))
        return [first, f"{first}-{second}", f"2*{first}", f"{first}+0.1", f"{first}*3-{second}"][rng.integers(5)]

    return length


# every class, its lengths letters
WRIST = [row(-90), row(90), row(0)]


def spherical(L: Any) -> Rows:
    return [row(-90, d=L()), row(0, L(), L()), row(90, L()), row(-90, d=L()), row(90), row(0, d=L())]


def offset_wrist(L: Any) -> Rows:
    return [row(-90), row(0, L(), L()), row(90, L()), row(-90, L(), L()), row(90), row(0)]


def universal(L: Any) -> Rows:
    return [row(90, d=L()), row(0, L()), row(0, L()), row(90, d=L()), row(-90, d=L()), row(0, d=L())]


def stanford(L: Any) -> Rows:
    return [row(-90, d=L()), row(90, d=L()), row(0, kind="prismatic"), *WRIST]


def gantry(L: Any) -> Rows:
    return [row(-90, L(), kind="prismatic"), row(90, L(), kind="prismatic", theta=90), row(0, kind="prismatic"), *WRIST]


def scara(L: Any) -> Rows:
    return [row(0, L(), L()), row(180, L()), row(0, d=0, kind="prismatic"), row(0, d=L())]


def planar(L: Any) -> Rows:
    return [row(0, L()), row(0, L()), row(0, L())]


def planar_slide(L: Any) -> Rows:
    return [row(0, L()), row(90, L()), row(0, L(), kind="prismatic")]


def leg(L: Any) -> Rows:
    return [row(90, L(), L()), row(0, L()), row(0, L())]


def four(L: Any) -> Rows:
    return [row(90, d=L()), row(0, L()), row(90, L()), row(0, d=L())]


def four_crossing(L: Any) -> Rows:
    return [row(90, d=L()), row(-90, d=L()), row(90, d=L()), row(0, L(), L())]


def five(L: Any) -> Rows:
    return [row(90, L(), L()), row(0, L()), row(0, L()), row(90), row(0, d=L())]


def five_padded(L: Any) -> Rows:
    return [row(-90, d=L()), row(0, L(), L()), row(90, L()), row(-90, d=L()), row(90, d=0)]


def four_parallel(L: Any) -> Rows:
    return [row(0, L()), row(0, L()), row(0, L()), row(0, L())]


def arm_angle(L: Any) -> Rows:
    return [row(-90, d=L()), row(90), row(90, d=L()), row(-90), row(-90, d=L()), row(90), row(0, d=L())]


def seven_held(L: Any) -> Rows:
    return [row(-90, d=L()), row(90), row(90, L(), L()), row(-90, L()), row(-90, d=L()), row(90), row(0, L(), L())]


def slides_inside(L: Any) -> Rows:
    """Slides before and between two parallel axes, the inner one along them."""
    return [row(90, L(), kind="prismatic"), row(0, L(), L()), row(0, L(), kind="prismatic", theta=90), row(0, L(), L())]


ARMS = [
    spherical, offset_wrist, universal, stanford, gantry, scara, planar, planar_slide, leg, four, four_crossing, five,
    five_padded, four_parallel, arm_angle, seven_held, slides_inside,
]  # fmt: skip


def drawn_values(rng: np.random.Generator, special: bool) -> dict[str, float]:
    """Lengths; special ones are equal, zero or each other's opposite."""
    if special:
        return {name: float(rng.choice([0.0, 0.25, -0.25, 0.5])) for name in NAMES}
    return {name: float(rng.uniform(0.1, 0.6)) for name in NAMES}


def shifted(rows: Rows) -> Rows:
    """The same arm for the modified convention, but for what stands behind the last joint: a and α one row later."""
    before = [{"a": 0, "alpha": 0}, *rows[:-1]]
    return [own | {"a": last["a"], "alpha": last["alpha"]} for own, last in zip(rows, before, strict=True)]


def valid_branches(plan: Plan, robot: mp.Robot, values: dict[str, float], T: Any, parameter: Any) -> tuple[Any, float]:
    """The branches that are called valid, and `calm`."""
    chain = merge_fixed(bind(robot, FLOATS, {name: values.get(name, 1.0) for name in free_parameters(robot)}))
    try:
        found = branches(plan, chain, T.ravel().tolist(), parameter)
    except ZeroDivisionError:  # where compiled code has an infinity, which no branch survives
        return [], 1.0
    return [q for q, valid in zip(found.q, found.valid, strict=True) if valid == 1], found.calm(FLOATS)


@pytest.mark.drawn("convention")
@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("make", ARMS)
def test_valid_is_true_for_any_names_and_any_values(make: Any, convention: str) -> None:
    """Where two branches meet, half of the digits are left: the root of rounding."""
    rng = np.random.default_rng([ARMS.index(make), convention == "standard"])
    solved = 0
    for _ in range(3):
        rows = make(letters(rng)) if convention == "standard" else shifted(make(letters(rng)))
        robot = mp.Robot.from_dh(rows, convention=convention, angle="deg", name="arm")
        plan = plan_of(robot)
        for special in (False, False, True, True, True) if plan.has_closed_form else ():
            values, q = drawn_values(rng, special), rng.uniform(-3, 3, len(rows))
            T = pose_from_table(rows, q, convention, values)
            parameter = (
                None if not plan.parameter else float(q[plan.fixed_joint]) if plan.fixed_joint is not None else 0.3
            )
            found, calm = valid_branches(plan, robot, values, T, parameter)
            for x in found:
                away = np.abs(pose_from_table(rows, x, convention, values) - T).max()
                assert away < (EXACT if calm > 1e-12 else 1e-7)
            solved += special or any(np.abs(np.cos(np.subtract(x, q)) - 1).max() < 1e-9 for x in found)
        assert plan.has_closed_form or "elimination" in plan.sentence or "numeric" in plan.sentence, plan
    assert solved >= 3 or make is offset_wrist


@pytest.mark.parametrize("make", [slides_inside, gantry, planar_slide, stanford])
def test_a_formula_computes_nothing_from_numbers_alone(make: Any) -> None:
    """Axes at right angles have whole numbers as directions: no root of 1, no quotient by it."""
    robot = mp.Robot.from_dh(make(letters(np.random.default_rng(0))), angle="deg", name="arm")
    made = mp.generate(robot, "inverse_kinematics", symbolic="all", optimise="none").function
    assert made is not None
    nodes = topological([root for port in made.outputs for root in port.exprs])
    numbers = [x for x in nodes if x.args and all(arg.op == "const" for arg in x.args)]
    assert {x.op for x in numbers} <= {"neg"}, numbers


@pytest.mark.turn
@pytest.mark.drawn("convention")
@pytest.mark.parametrize("convention", ["standard", "modified"])
@pytest.mark.parametrize("joints", [1, 2, 3, 4, 5])
def test_arms_of_any_structure_in_letters_have_a_class_and_true_branches(joints: int, convention: str) -> None:
    """Axes on the coordinate axes have whole numbers in their Jacobian, and letters beside them."""
    rng = np.random.default_rng([joints, convention == "standard"])
    for _ in range(8):
        names = iter(rng.permutation(NAMES))
        rows = [
            row(rng.choice([0, 90, -90, 180]), *(rng.choice([0, next(names)]) for _ in "ad"), theta=rng.choice([0, 90]))
            for _ in range(joints)
        ]
        rows = [{key: x.item() if isinstance(x, np.generic) else x for key, x in each.items()} for each in rows]
        rows = [each | {key: 0 for key in "ad" if each[key] == "0"} for each in rows]
        robot = mp.Robot.from_dh(rows, convention=convention, angle="deg", name="arm")
        plan, values, q = plan_of(robot), drawn_values(rng, special=False), rng.uniform(-3, 3, joints)
        if not plan.has_closed_form:
            continue
        T = pose_from_table(rows, q, convention, values)
        found, calm = valid_branches(
            plan, robot, values, T, None if plan.fixed_joint is None else float(q[plan.fixed_joint])
        )
        assert found or calm < 1e-12
        for x in found:
            assert np.abs(pose_from_table(rows, x, convention, values) - T).max() < (EXACT if calm > 1e-12 else 1e-7)


@pytest.mark.parametrize("names", [("d4", "l8"), ("d3", "r8"), ("L7", "h2"), ("p9", "k3")])
def test_a_wrist_that_is_spherical_for_equal_lengths_only_has_no_closed_form(names: tuple[str, str]) -> None:
    """Whatever the names: the first three pairs once fell together in a table of made-up numbers."""
    rows = [row(-90), row(0, "a2", "d2"), row(90, "a3"), row(-90, "-".join(names), "d5"), row(90), row(0)]
    robot = mp.Robot.from_dh(rows, angle="deg", convention="standard", name="arm")
    assert plan_of(robot).kind is ArmKind.SIX
    with pytest.raises(InputError, match=r"no closed form here \(no three neighbouring axes meet, .* needs a value"):
        mp.generate(robot, "inverse_kinematics")


def test_numbers_that_agree_by_chance_are_no_structure_of_letters() -> None:
    """A wrist whose offset is 0.1 − 0.1 is spherical; with every number a letter it is not."""
    rows = [row(-90), row(0, 0.4, 0.1), row(90, 0.05), row(-90, "u-v", 0.4), row(90), row(0)]
    robot = mp.Robot.from_dh(rows, angle="deg", convention="standard", name="arm").with_parameters(u=0.1, v=0.1)
    assert plan_of(robot).title == "spherical wrist"
    assert plan_of(robot, "all").kind is plan_of(robot, ["u"]).kind is ArmKind.SIX
    assert plan_of(robot, ["a2"]).title == "spherical wrist"


@pytest.mark.turn
@pytest.mark.drawn("make")
@pytest.mark.parametrize("make", [spherical, five, four_crossing, four_parallel])
def test_the_compiled_form_of_letters_is_the_same_text(make: Any) -> None:
    rng = np.random.default_rng(3)
    rows = make(letters(rng))
    robot = mp.Robot.from_dh(rows, angle="deg", convention="standard", name="arm")
    plan, model = plan_of(robot), mp.generate(robot, "inverse_kinematics", optimise="none")
    compiled = model.compile()
    for special in (False, True, True):
        values, q = drawn_values(rng, special), rng.uniform(-3, 3, len(rows))
        T = pose_from_table(rows, q, "standard", values)
        given = [T.reshape(16)] if plan.fixed_joint is None else [T.reshape(16), q[[plan.fixed_joint]]]
        try:
            found = compiled(*given, p={name: values[name] for name in model.inputs["p"]})
        except ConditionError:
            assert special
            continue
        for x, valid in zip(found.q, found.valid, strict=True):
            assert valid != 1 or np.abs(pose_from_table(rows, x, "standard", values) - T).max() < 1e-7
        assert special or (found.valid == 1).any()
