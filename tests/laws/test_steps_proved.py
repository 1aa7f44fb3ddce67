"""Every step of a derivation is proved, of arms of every kind; a wrong one is refused, whichever it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

import manipula as mp
from manipula.algebra.simplify.tree import MINUS, ONE, ZERO, FormulaTree, product_of, sum_of
from manipula.pages.derivation import Derivation
from manipula.pages.steps import Equation, LessonStep
from tests.book.test_derivations import craig3r
from tests.random_robots import random_robot

TENSOR = ("xx", "xy", "xz", "yy", "yz", "zz")
TOPICS = ("pose", "jacobian", "dynamics", "newton-euler", "ik", "singularities")


def dh(kinds: str, name: str, **columns: list[object]) -> mp.Robot:
    """Rows of the standard convention with point masses at the far ends."""
    rows = []
    for i, kind in enumerate(kinds):
        row = {key: columns.get(key, [0] * len(kinds))[i] for key in ("theta", "d", "a", "alpha")}
        point = {"mass": f"m{i + 1}", "com": [0, 0, 0], "inertia": dict.fromkeys(TENSOR, 0)}
        sense = columns.get("direction", [1] * len(kinds))[i]
        rows.append(row | point | {"type": "prismatic" if kind == "P" else "revolute", "direction": sense})
    return mp.Robot.from_dh(rows, angle="deg", name=name)


ARMS = {
    "planar2r": lambda: mp.load("planar2r"),
    "rp": lambda: mp.load("rp"),
    "craig3r": craig3r,
    "planar3r": lambda: dh("RRR", "planar3r", a=["l1", "l2", "l3"]),
    "cylindrical": lambda: dh("RPP", "cylindrical", d=["d1", 0, 0], alpha=[0, -90, 0]),
    "spherical": lambda: dh("RRP", "spherical", d=["h", 0, 0], alpha=[-90, 90, 0]),
    "cartesian": lambda: dh("PPP", "cartesian", alpha=[-90, 90, 0], theta=[0, 90, 0]),
    "articulated": lambda: dh("RRR", "articulated", d=["h", 0, 0], a=[0, "l2", "l3"], alpha=[90, 0, 0]),
    "one joint": lambda: dh("R", "pendulum", a=["l1"], alpha=[0]),
    "one slide": lambda: dh("P", "slide"),
    "negative": lambda: dh("RR", "negative", a=["l1", "l2"], direction=[-1, 1]),
    "offset": lambda: dh("RRP", "offset", a=["l1", 0, 0], d=["d1", "d2", 0], theta=[30, 90, 0], alpha=[90, 90, 0]),
    "scara": lambda: mp.load("scara"),
    "stanford3": lambda: mp.load("stanford3"),
}  # fmt: skip
MANY = ("stanford", "puma560")


def derived(robot: mp.Robot, topic: str) -> Derivation:
    if topic == "newton-euler":
        return mp.derive(robot, "dynamics", method=topic)
    return mp.derive(robot, topic)


@pytest.mark.drawn("arm")
@pytest.mark.parametrize("topic", TOPICS)
@pytest.mark.parametrize("arm", ARMS)
def test_every_step_of_an_arm_is_proved(arm: str, topic: str) -> None:
    found = derived(ARMS[arm](), topic)
    assert found.proof.startswith("Proved: ")
    assert found.prove()
    if topic != "ik":  # where definitions and roots are followed in numbers
        assert all(x.check is not None for _, x in found.equations() if x.result is not None)


@pytest.mark.drawn("arm")
@pytest.mark.parametrize("arm", MANY)
@pytest.mark.parametrize("topic", ["pose", "jacobian", "ik", "singularities"])
def test_arms_of_six_joints(arm: str, topic: str) -> None:
    assert derived(mp.load(arm), topic).proof


@pytest.mark.slow
@pytest.mark.parametrize("topic", ["dynamics", "newton-euler"])
@pytest.mark.parametrize("arm", MANY)
def test_long_dynamics_end_and_are_proved(arm: str, topic: str) -> None:
    assert derived(mp.load(arm), topic).proof


@pytest.mark.parametrize("topic", ["pose", "jacobian", "dynamics", "newton-euler"])
@pytest.mark.parametrize("seed", range(6))
def test_random_arms(seed: int, topic: str) -> None:
    kinds, shape = ("R", "RP", "PR", "RR", "PP", "RPR")[seed], ("standard", "modified", "urdf")[seed % 3]
    robot = mp.Robot.of(random_robot(seed, joints=kinds, convention=shape, surroundings=False))  # type: ignore[arg-type]
    assert derived(robot, topic).proof


def test_a_short_time_leaves_results_out_and_says_so() -> None:
    found = mp.derive("stanford3", "dynamics", seconds=1e-6)
    assert "left out" in str(found)
    assert found.proof


# wrong steps


def planted(derivation: Derivation) -> Iterator[tuple[Equation, Derivation]]:
    """The derivation with one of its results changed, for each of them."""

    def changed(steps: tuple[LessonStep, ...], target: Equation, wrong: Equation) -> tuple[LessonStep, ...]:
        return tuple(
            replace(step, equations=tuple(wrong if x is target else x for x in step.equations),
                    substeps=changed(step.substeps, target, wrong)) for step in steps
        )  # fmt: skip

    for _, equation in derivation.equations():
        if equation.result is not None and equation.check is not None:
            wrong = replace(equation, result=spoilt(equation.result))
            yield equation, replace(derivation, steps=changed(derivation.steps, equation, wrong))


def spoilt(result: object) -> object:
    """The first entry with its sign turned; one more where it is zero."""
    if isinstance(result, tuple):
        (first, *row), *rows = result
        return ((spoilt(first), *row), *rows)
    assert isinstance(result, FormulaTree)
    return ONE if result == ZERO else sum_of([product_of([MINUS, result]), ONE])


@pytest.mark.parametrize("topic", TOPICS)
def test_every_wrong_step_is_refused(topic: str) -> None:
    found = derived(mp.load("planar2r"), topic)
    count = 0
    for equation, wrong in planted(found):
        count += 1
        with pytest.raises(mp.ProofError):
            wrong.prove()
            pytest.fail(f"{equation.left} was not refused")
    assert count >= (1 if topic == "singularities" else 8)


def test_a_wrong_step_is_named() -> None:
    found = mp.derive("planar2r", "dynamics")
    last = found.steps[-1]
    wrong = replace(last, equations=tuple(replace(x, result=ONE) for x in last.equations))
    with pytest.raises(mp.ProofError, match="step 13"):
        replace(found, steps=(*found.steps[:-1], wrong)).prove()


@pytest.mark.parametrize("name", ["s₂", "θ₁", "θ₂"])
def test_a_wrong_branch_is_refused(name: str) -> None:
    """A sign that a square does not see: the elbow's root with a factor, an angle turned round."""
    found = mp.derive("planar2r", "ik")
    script = found.script("text")

    def turned(x: Equation) -> Equation:
        if script.notation(x.left) != name or x.result is None:
            return x
        assert isinstance(x.result, FormulaTree)
        return replace(x, result=product_of([MINUS, x.result]) if name != "s₂" else sum_of([x.result, x.result]))

    steps = tuple(replace(step, equations=tuple(map(turned, step.equations))) for step in found.steps)
    with pytest.raises(mp.ProofError):
        replace(found, steps=steps).prove()


@pytest.mark.drawn("arm")
@pytest.mark.parametrize("arm", ["planar2r", "cylindrical", "cartesian", "one slide", "articulated"])
def test_a_jacobian_ends_with_its_rows_that_are_not_zero(arm: str) -> None:
    last = derived(ARMS[arm](), "jacobian").steps[-1]
    J, *short = [equation.result for equation in last.equations]
    assert isinstance(J, tuple) and len(J) == 6
    kept = tuple(row for row in J if any(x != ZERO for x in row))
    assert short == ([kept] if len(kept) < 6 else [])
    assert len(last.says) == 1 + len(short)
