"""The laws of mechanics hold: over floats to rounding, over a prime field exactly; and each law can fail."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from manipula.algebra.expr.field import FieldMaths
from manipula.mechanics import identities
from manipula.mechanics.identities import IDENTITIES, Identity, MotionState
from manipula.mechanics.models.dynamics import composite, newton_euler, torque
from manipula.mechanics.models.dynamics.friction import friction
from manipula.mechanics.models.dynamics.inertia_inverse import InertiaSolver
from manipula.mechanics.models.lagrange import jacobian_dynamics
from manipula.mechanics.models.linear import regressor
from manipula.mechanics.models.linear.regressor_carried import regressor_carried, shared_columns
from manipula.mechanics.robot.actuator import IDLE
from manipula.mechanics.robot.bind import bind, free_parameters
from manipula.mechanics.robot.reduce import massless, merge_fixed, without_actuators
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.dual import Dual, DualMaths, Paired, partial, value_of, variables
from manipula.mechanics.spatial.floats import FLOATS
from tests.random_robots import random_robot, random_state

BY_NAME = {law.name: law for law in IDENTITIES}


def float_arm(seed: int, **kind: Any) -> tuple[Tree, MotionState]:
    robot = random_robot(seed, **kind)
    return merge_fixed(bind(robot, FLOATS, {})), MotionState(*random_state(robot, seed))


def field_arm(seed: int, draw: str, **kind: Any) -> tuple[Tree, MotionState]:
    """All parameters and the whole state symbols, each a random element."""
    robot, maths = random_robot(seed, **kind), FieldMaths(draw)
    names = free_parameters(robot, "all")
    chain = merge_fixed(bind(robot, maths, {name: maths.symbol(name) for name in names}, "all"))
    q, qd, qdd = ([maths.symbol(f"{name}{i}") for i in range(chain.dof)] for name in ("q", "qd", "qdd"))
    return chain, MotionState(q, qd, qdd, [maths.symbol(f"wrench{i}") for i in range(6)])


def misses(law: Identity, chain: Tree, state: MotionState) -> list[Any]:
    """The residuals that are not zero in the field."""
    return [x for x in law.residuals(chain, state) if (x if isinstance(x, int) else x.value)]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("law", IDENTITIES, ids=lambda law: law.name)
def test_floats(law: Identity, seed: int) -> None:
    for left, right in law.sides(*float_arm(seed)):
        assert left == pytest.approx(right, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("law", IDENTITIES, ids=lambda law: law.name)
def test_prime_field(law: Identity, seed: int) -> None:
    """A theorem about each of these arms, whatever its parameters."""
    assert misses(law, *field_arm(seed, f"draw {seed}", joints=3)) == []


@pytest.mark.slow
@pytest.mark.parametrize("law", IDENTITIES, ids=lambda law: law.name)
def test_prime_field_long_arms(law: Identity) -> None:
    for seed in range(20):
        assert misses(law, *field_arm(seed, f"draw {seed}")) == []


@pytest.mark.parametrize("law", IDENTITIES, ids=lambda law: law.name)
def test_massless_links_divide_nothing(law: Identity) -> None:
    """Links without mass, motors only: exact scalars must not meet m in a denominator."""
    assert misses(law, *with_motors(field_arm(3, "massless", joints="RPR", bodies=False))) == []


@pytest.mark.parametrize("convention", ["standard", "modified", "urdf"])
def test_columns_that_neighbours_share(convention: str) -> None:
    """Whatever the frames and the joints, the regressor is the same with the shared columns carried over."""
    for seed in range(4):
        chain, state = field_arm(seed, f"shared {seed}", joints=4, convention=convention)
        given = chain, state.q, state.qd, state.qdd
        rows = zip(regressor.regressor(*given), regressor_carried(*given), strict=True)
        gaps = [x - y for plain, carried in rows for x, y in zip(plain, carried, strict=True)]
        assert not any(x if isinstance(x, int) else x.value for x in gaps)


def test_a_modified_table_shares_columns_at_every_revolute_joint() -> None:
    chain, _ = float_arm(3, joints="RPRR", convention="modified")
    assert [len(shared_columns(link)) for link in chain.links] == [2, 0, 2, 2]


def with_motors(arm: tuple[Tree, MotionState]) -> tuple[Tree, MotionState]:
    chain, state = arm
    links = (
        replace(link, actuator=link.actuator.with_entries({"Ia": state.wrench[i]}))
        for i, link in enumerate(chain.links)
    )
    return replace(chain, links=tuple(links)), state


SPOILED = {
    # law → (module or class, function): the function whose result is doubled
    "inertia symmetric": (composite, "mechanism_inertia"),
    "parts": (torque, "gravity"),
    "gravity": (torque, "gravity"),
    "regressor": (regressor, "parameter_vector"),
    "Newton–Euler ≡ jacobian": (jacobian_dynamics, "gravity_jacobian"),
    "Coriolis matrix": (torque, "coriolis"),
    "forward ∘ inverse": (InertiaSolver, "__call__"),
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_model_is_caught(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module, function = SPOILED[name]
    plain = getattr(module, function)

    def spoiled(*args: Any) -> Any:
        return [[2 * y for y in x] if isinstance(x, list) else 2 * x for x in plain(*args)]

    chain, state = field_arm(1, "spoiled", joints="RRP", convention="urdf")
    assert misses(BY_NAME[name], chain, state) == []
    monkeypatch.setattr(module, function, spoiled)
    assert misses(BY_NAME[name], chain, state)


def test_a_wrong_sign_in_the_recursion_breaks_energy_and_symmetry(monkeypatch: pytest.MonkeyPatch) -> None:
    chain, state = field_arm(4, "sign", joints="RRR", convention="urdf")
    plain = newton_euler.euler
    monkeypatch.setattr(newton_euler, "euler", lambda body, x: plain(replace(body, s=tuple(-s for s in body.s)), x))
    for name in ("power balance", "parts", "inertia symmetric", "gravity"):
        assert misses(BY_NAME[name], chain, state), name


def test_inertia_matrix_is_positive_definite() -> None:
    for seed in range(30):
        chain, state = float_arm(seed)
        assert min(identities.inertia_pivots(chain, state.q)) > 0
        assert np.linalg.eigvalsh(np.array(composite.inertia_matrix(chain, state.q))).min() > 0


def test_friction_is_emitted_only_where_it_is() -> None:
    """sign(0) = 0; a joint without dry friction asks for no sign at all."""

    class NoSign:
        def __getattr__(self, name: str) -> Any:
            raise AssertionError(f"{name} was asked for")

    chain, _ = float_arm(2, joints="RR")
    links = (
        replace(chain.links[0], actuator=IDLE.with_entries({"fv": 2.0, "fc": 3.0, "fo": 0.5})),
        replace(chain.links[1], actuator=IDLE),
    )
    spoken = replace(chain, links=links)
    assert friction(spoken, [0.0, 1.0]) == [0.5, 0]
    assert friction(spoken, [-1.0, 1.0]) == [-4.5, 0]
    assert friction(replace(without_actuators(chain), maths=NoSign()), [1.0, 1.0]) == [0, 0]


def test_a_massless_arm_weighs_nothing() -> None:
    chain, state = float_arm(5)
    empty = without_actuators(massless(chain))
    assert all(x == 0 for x in torque.inverse_dynamics(empty, state.q, state.qd, state.qdd))


def test_regressor_names_its_columns() -> None:
    chain, _ = float_arm(3, joints="RPR")
    names = regressor.columns(chain)
    riders = [name for name in names if "_" in name]
    assert riders == [f"{x}{riders[0].removeprefix('Lxx')}" for x in regressor.BODY_NAMES]
    assert names[:14] == [
        "Lxx1",
        "Lxy1",
        "Lxz1",
        "Lyy1",
        "Lyz1",
        "Lzz1",
        "mx1",
        "my1",
        "mz1",
        "m1",
        "Ia1",
        "fv1",
        "fc1",
        "fo1",
    ]
    assert names[-4:] == ["Ia3", "fv3", "fc3", "fo3"]
    assert len(names) == len(regressor.parameter_vector(chain)) == 42 + 10
    assert dict(zip(names, regressor.parameter_vector(chain)))["m2"] == chain.links[1].inertia.m


def test_finite_differences_come_close() -> None:
    for seed in range(12):
        chain, state = float_arm(seed)
        near = jacobian_dynamics.coriolis_finite_difference(chain, state.q, state.qd, 1e-5)
        assert near == pytest.approx(torque.coriolis(chain, state.q, state.qd), rel=1e-6, abs=1e-6)


class TestDualNumbers:
    maths = DualMaths(FLOATS)

    @pytest.mark.parametrize(
        "f",
        [
            lambda m, x, y: x * y - 3 / x + y / x - (2 - x),
            lambda m, x, y: m.sin(x * y) * m.cos(x - y),
            lambda m, x, y: m.sqrt(x * x + y) + m.abs(x - 2 * y),
            lambda m, x, y: m.atan2(x, y) * m.number(Fraction(3, 2)) + m.degrees(Fraction(90)) * x,
            lambda m, x, y: m.minimum(x, y) * m.maximum(2 * x, y) + m.select(m.less(x, y), x * x, y) + m.sign(x),
        ],
    )  # fmt: skip
    def test_slopes(self, f: Any) -> None:
        """Against central differences."""
        x, y, h = 0.7, 1.3, 1e-6
        found = f(self.maths, *variables([x, y]))
        assert value_of(found) == pytest.approx(f(FLOATS, x, y))
        assert partial(found, 0) == pytest.approx((f(FLOATS, x + h, y) - f(FLOATS, x - h, y)) / (2 * h), rel=1e-7)
        assert partial(found, 1) == pytest.approx((f(FLOATS, x, y + h) - f(FLOATS, x, y - h)) / (2 * h), rel=1e-7)

    def test_a_number_shows_its_value_and_its_slopes(self) -> None:
        assert [repr(x) for x in (Dual(2.5, (1, 0)), Dual(3))] == ["Dual(2.5, (1, 0))", "Dual(3, ())"]
        assert [repr(x) for x in (Paired(4, (1, 5)), Paired(6))] == ["Paired(4, (1, 5))", "Paired(6, ())"]

    def test_two_rates_at_once_are_those_of_each_alone(self) -> None:
        """(x; a, b) over exact numbers: sums, quotients and signs act on each rate, a product pairs them."""
        x, y, k = Paired(2, (3, 5)), Paired(7, (11, 13)), 4
        found = [x + y, x - y, k - x, x * k, x / k, Paired(k) / Paired(8), -x, x + k, y * x]
        wanted = [
            (9, (14, 18)), (-5, (-8, -8)), (2, (-3, -5)), (8, (12, 20)),
            (Fraction(1, 2), (Fraction(3, 4), Fraction(5, 4))),
            (Fraction(1, 2), ()), (-2, (-3, -5)), (6, (3, 5)), (14 + 3 * 13 + 5 * 11, (2 * 11 + 7 * 3, 2 * 13 + 7 * 5)),
        ]  # fmt: skip
        assert [(z.value, z.rates) for z in found] == wanted

    def test_constants_have_no_slope(self) -> None:
        assert partial(Dual(3.0), 0) == partial(4, 1) == 0
        assert (1 / Dual(4, (1,))).partials == (Fraction(-1, 16),)
