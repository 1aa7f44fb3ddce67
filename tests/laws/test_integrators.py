"""Integrators: one step over any scalar, of the order the book says; and from rates to next states."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import cos, factorial, log2, sin
from typing import Any, get_type_hints

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.optimise.prove import prove
from manipula.algebra.tape import tape_from_function
from manipula.cli import simulation
from manipula.errors import InputError, ProofError, UnknownNameError
from manipula.generation.compose import _part, asked_of, call_by_call, join
from manipula.generation.prepare import Request, prepare
from manipula.generation.results.system import System
from manipula.mechanics.models.control.laws import LAWS
from manipula.mechanics.models.entry import Block, Given, ModelCall, Result, states, variables
from manipula.mechanics.models.integrate import runge_kutta
from manipula.mechanics.models.integrate.discretisation import INTEGRATORS, SOLVED, discretise
from manipula.mechanics.models.integrate.discretisation import METHODS as STEPS
from manipula.mechanics.models.integrate.motion import MOTION
from manipula.mechanics.models.integrate.runge_kutta import A, B, Rates, State, add, rk8
from manipula.mechanics.spatial.floats import FLOATS, FloatMaths
from manipula.scalar import APART, Maths, Rate
from manipula.simulation.plant import arm_function
from manipula.simulation.task import METHODS
from manipula.support.progress import silent
from tests.random_robots import random_robot

pytestmark = pytest.mark.usefixtures("without_search")

ORDER = {"euler": 1, "semi-implicit": 1, "rk4": 4, "gauss4": 4, "rk8": 8}


def pendulum(x: State) -> State:
    """q̈ = −sin q, beside a state that is no position: ẇ = q̇ w"""
    return {"q": x["qd"], "qd": [-sin(x["q"][0])], "w": [x["qd"][0] * x["w"][0]]}


STIFF = [[0, 1, 0], [0, 0, 0], [0, 0, 0]]  # of its slopes: neither weight nor what multiplies w


def stepped(method: str, rate: Rates, slopes: Any, x: State, h: Any) -> State:
    if method in SOLVED:
        return SOLVED[method](FLOATS, rate, slopes, x, h, add).state
    return INTEGRATORS[method](rate, x, h, add)


def ended(method: str, steps: int) -> np.ndarray[Any, Any]:
    x: State = {"q": [1.0], "qd": [0.3], "w": [2.0]}
    for _ in range(steps):
        x = stepped(method, pendulum, STIFF, x, 1.0 / steps)
    return np.array([x["q"][0], x["qd"][0], x["w"][0]])


SHORT = [method for method in STEPS if method != "rk8"]  # whose error is not that of rounding in these steps


@pytest.mark.parametrize("method", SHORT)
def test_halving_the_step_divides_the_error_by_two_to_the_order(method: str) -> None:
    true = ended("rk4", 4000)
    assert abs(true[2] - 2 * np.exp(true[0] - 1)) < 1e-12  # w = w₀ exp(q − q₀)
    coarse, fine = (np.abs(ended(method, n) - true).max() for n in (40, 80))
    assert abs(log2(coarse / fine) - ORDER[method]) < 0.2


def test_semi_implicit_moves_with_the_new_velocity_and_keeps_the_energy_of_a_spring() -> None:
    x: State = {"q": [1.0], "qd": [0.0]}
    h = Fraction(1, 10)
    new = INTEGRATORS["semi-implicit"](lambda x: {"q": x["qd"], "qd": [-x["q"][0]]}, {"q": [1], "qd": [0]}, h, add)
    assert new == {"q": [1 - h * h], "qd": [-h]}
    for _ in range(10_000):
        x = INTEGRATORS["semi-implicit"](lambda x: {"q": x["qd"], "qd": [-x["q"][0]]}, x, 0.1, add)
    assert abs(x["q"][0] ** 2 + x["qd"][0] ** 2 - 1) < 0.11  # explicit Euler: e¹⁰⁰⁰ times as much


@pytest.mark.parametrize("method", [method for method in INTEGRATORS if method != "rk8"])
def test_one_step_over_fractions_is_exact(method: str) -> None:
    """ẋ = x for one state: the Taylor polynomial of the order."""
    found = INTEGRATORS[method](lambda x: {"y": x["y"]}, {"y": [Fraction(1)]}, Fraction(1, 3), add)
    assert found == {"y": [taylor(Fraction(1, 3), ORDER[method])]}


def taylor(h: Fraction, order: int) -> Fraction:
    return sum((h**k / factorial(k) for k in range(order + 1)), Fraction(0))


# rk8


def test_the_error_of_rk8_falls_with_the_eighth_power_of_the_step() -> None:
    """By what stays: w = w₀ exp(q − q₀) and the energy of the pendulum."""

    def lost(steps: int) -> float:
        x: State = {"q": [1.0], "qd": [0.3], "w": [2.0]}
        for _ in range(steps):
            x = rk8(pendulum, x, 6.0 / steps, add)
        energy = x["qd"][0] ** 2 / 2 - cos(x["q"][0]) - (0.3**2 / 2 - cos(1.0))
        return max(abs(energy), abs(x["w"][0] - 2 * np.exp(x["q"][0] - 1.0)))

    found = [log2(lost(n) / lost(2 * n)) for n in (6, 8, 10)]
    assert min(found) > 7.5 and max(found) < 10, found


def test_the_coefficients_of_order_8_keep_what_the_book_asks_of_them() -> None:
    """Σ b = 1, Σ_i b_i c_i^k = 1/(k + 1) for k < 8; Σ_j a_ij c_j = c_i²/2; and for ẋ = x Taylor's polynomial to z⁸."""
    near = Fraction(1, 10**25)
    c = [Fraction(0), *(sum(row.values(), Fraction(0)) for row in A)]
    for k in range(8):
        assert abs(sum(b * c[i - 1] ** k for i, b in B.items()) - Fraction(1, k + 1)) < near
    for row, at in list(zip(A, c[1:]))[1:]:  # not of the second stage
        assert abs(sum(a * c[j - 1] for j, a in row.items()) - at**2 / 2) < near
    power: dict[int, list[Fraction]] = {0: [Fraction(1)] * 12}  # Aᵏ 1, stage by stage
    for k in range(1, 8):
        rows = [{}, *A]
        power[k] = [sum((a * power[k - 1][j - 1] for j, a in row.items()), Fraction(0)) for row in rows]
        assert abs(sum(b * power[k][i - 1] for i, b in B.items()) - Fraction(1, factorial(k + 1))) < near


def test_stages_apart_are_the_same_numbers_with_another_proof() -> None:
    """What stands apart is gone from the tape, and a wrong weight does not pass."""
    robot = ARMS["two links"]
    function = arm_function(robot, "rk8")
    assert "12 calls" in function.provenance.proof and not any(
        x.op == APART for x in tape_from_function(function).lines
    )
    system = System(function, None, settings={"sample": (0.01,)}, sample=0.01)
    state, _ = system.step(system.start(q=[0.3, -0.5]), np.zeros(2))
    acceleration = mp.Arm(robot).forward_dynamics

    def rate(x: State) -> State:
        return {"q": list(x["qd"]), "qd": list(acceleration(x["q"], x["qd"], [0.0, 0.0]))}

    plain = rk8(rate, {"q": [0.3, -0.5], "qd": [0.0, 0.0]}, 0.01, add)
    np.testing.assert_allclose(np.concatenate(state), [*plain["q"], *plain["qd"]], rtol=1e-14, atol=1e-15)


def test_a_wrong_weight_in_one_of_twelve_stages_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """The text that joins and the text that proves are one; a function that was joined by another must not pass."""
    asked = prepare(Request(ARMS["two links"], "inverse_dynamics"))
    block = discretise(MOTION, method="rk8")
    parts = {name: _part(asked_of(name, asked, {}), silent) for name in block.calls}
    made = join(block, asked, parts)
    prove(made.function, call_by_call(block, asked, parts, made.cuts))
    wrong = {**B, 9: B[9] + Fraction(1, 10**9)}
    monkeypatch.setattr(runge_kutta, "B", wrong)
    with pytest.raises(ProofError, match="differs"):
        prove(made.function, call_by_call(block, asked, parts, made.cuts))


# gauss4


def test_gauss_gives_the_book_s_stability_function() -> None:
    """R(z) = (1 + z/2 + z²/12)/(1 − z/2 + z²/12): what is linear and known is solved by the first iteration."""
    for z in (Fraction(1, 3), Fraction(-2), Fraction(5, 2), Fraction(-1000)):
        one = {"y": [Fraction(1)]}
        new, left = runge_kutta.gauss4(EXACT, lambda x, z=z: {"y": [z * x["y"][0]]}, [[z]], one, Fraction(1), add)
        assert abs(new["y"][0] - (1 + z / 2 + z**2 / 12) / (1 - z / 2 + z**2 / 12)) < Fraction(1, 10**12)
        assert left < Fraction(1, 10**40)


class Exact(FloatMaths):
    """Of fractions: what a step asks of `Maths` besides arithmetic."""

    def abs(self, x: Any) -> Any:
        return abs(x)


EXACT: Any = Exact()


def growth(method: str, z: complex) -> float:
    """Of a mode: as a real pair, so that sizes can be compared."""
    a, b = z.real, z.imag

    def rate(x: State) -> State:
        return {"y": [a * x["y"][0] - b * x["y"][1], b * x["y"][0] + a * x["y"][1]]}

    new = stepped(method, rate, [[a, -b], [b, a]], {"y": [1.0, 0.0]}, 1.0)
    return float(np.hypot(*new["y"]))


def test_gauss_is_stable_wherever_the_mode_is_and_rk4_is_not() -> None:
    rng = np.random.default_rng(5)
    for size in 10.0 ** rng.uniform(-2, 5, 40):
        z = complex(-size * np.exp(1j * rng.uniform(-1.5, 1.5)))
        assert growth("gauss4", z) <= 1 + 1e-9
        assert abs(growth("gauss4", 1j * size) - 1) < 1e-6  # an oscillator keeps its amplitude
        assert size < 5 or growth("rk4", z) > 1


def test_more_sweeps_than_one_to_an_order_solve_the_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    """The solved stages are symmetric: a step back undoes a step. Fewer sweeps leave the error that the text says, and
    the last one tells how far it went."""
    start: State = {"q": [1.0], "qd": [0.3], "w": [2.0]}

    def left(sweeps: int, h: float) -> float:
        monkeypatch.setattr(runge_kutta, "SWEEPS", sweeps)
        back = stepped("gauss4", pendulum, STIFF, stepped("gauss4", pendulum, STIFF, start, h), -h)
        return max(abs(back[name][0] - start[name][0]) for name in start)

    assert left(40, 0.2) < 1e-15
    for sweeps in (2, 3, 4):
        assert log2(left(sweeps, 0.2) / left(sweeps, 0.1)) > sweeps + 1.6
        told = [runge_kutta.gauss4(FLOATS, pendulum, STIFF, start, h, add).unsolved for h in (0.2, 0.1)]
        assert log2(told[0] / told[1]) > sweeps + 0.4 and told[1] > left(sweeps, 0.1) / 2


# arms


ARMS = {
    "two links": mp.load("planar2r").with_parameters(l1=1, l2=0.7, m1=2, m2=1, g=9.81),
    "slide and hinge": mp.Robot.of(random_robot(7, joints="PR", actuators=False)),
    "hinges in space": mp.Robot.of(random_robot(3, joints="RR", actuators=False)),
}


@cache
def loop_of(arm: str, method: str) -> mp.System:
    law = mp.controller(ARMS[arm], "pd_gravity", kp=30, kd=8, sample=None)
    return mp.closed_loop(ARMS[arm], law, method=method, step=1.0)


def driven(arm: str, method: str, steps: int, until: float = 0.2) -> np.ndarray[Any, Any]:
    loop = loop_of(arm, method)
    ref = ([0.5, 0.2], [0.0, 0.0])
    end = loop.run(loop.start(q=[0.3, -0.5]), steps, *ref, p={"sample": until / steps}, every=0)
    return np.concatenate(end.state)


@pytest.mark.drawn("arm")
@pytest.mark.parametrize("arm", ["two links", "slide and hinge"])
@pytest.mark.parametrize("method", SHORT)
def test_a_loop_in_continuous_time_has_the_order_of_its_integrator(method: str, arm: str) -> None:
    """The law acts in every stage; the truth is of another integrator."""
    true = driven(arm, "gauss4" if method == "rk4" else "rk4", 800)
    coarse, fine = (np.abs(driven(arm, method, n) - true).max() for n in (20, 40))
    assert abs(log2(coarse / fine) - ORDER[method]) < 0.3


@pytest.mark.drawn("arm", few=1)
@pytest.mark.parametrize("arm", ["two links", "slide and hinge"])
def test_a_loop_of_order_8_takes_few_steps_for_ten_digits(arm: str) -> None:
    """A second of it: halving divides by 256, and forty steps are as good as thousands."""
    true = driven(arm, "rk4", 20_000, 1.0)
    coarse, fine, many = (np.abs(driven(arm, "rk8", n, 1.0) - true).max() for n in (10, 20, 40))
    assert 7 < log2(coarse / fine) < 10 and many < 1e-10


@pytest.mark.turn
@pytest.mark.parametrize("arm", ["two links", pytest.param("hinges in space", marks=pytest.mark.slow)])
def test_an_arm_that_swings_for_long_keeps_its_energy_better_by_gauss4_than_by_rk4(arm: str) -> None:
    robot, energy = ARMS[arm], mp.Arm(ARMS[arm]).energy
    drift = {}
    for method in ("rk4", "gauss4"):
        run = mp.simulate(robot, start=[0.3, -0.5], until=20, step=0.01, method=method)
        whole = np.sum(energy(run.q, run.qd), axis=0)
        drift[method] = abs(whole[-200:].mean() - whole[0])  # what swings around the start is no drift
    assert drift["gauss4"] < 0.1 * drift["rk4"]


@pytest.mark.parametrize("method", METHODS)
def test_every_list_of_methods_names_it(method: str) -> None:
    """The terminal and the docstrings are there before anything is loaded that could tell them."""
    shown = get_type_hints(simulation.simulate, include_extras=True)["method"].__metadata__[0].help
    assert sorted(shown.rstrip(".").replace(" or ", ", ").split(", ")) == sorted(METHODS)
    for verb in (mp.simulate, mp.closed_loop):
        assert f'"{method}"' in (verb.__doc__ or "") or (method == "dop853" and verb is mp.closed_loop)


# from rates to next states


def _clock(maths: Maths[Any], call: ModelCall, x: Given) -> dict[str, Any]:
    return {"seen": [maths.cos(x["q"][0])], "q_rate": [x["qd"][0]]}


CLOCK = Block(
    "clock", "", (*states("q"), *variables("qd")), {"seen": Result("", ""), "q_rate": Result("", "", Rate("q"))}, _clock
)


def test_outputs_are_those_at_the_start_of_the_step() -> None:
    def none(model: str, /, **inputs: Any) -> Any:
        raise AssertionError

    fixed, free = discretise(CLOCK, Fraction(1, 8)), discretise(CLOCK)
    assert [port.name for port in fixed.inputs] == ["q", "qd"] and free.inputs[-1].role == "setting"
    found = fixed.text(FLOATS, none, {"q": [0.5], "qd": [2.0]})
    assert found == {"seen": [cos(0.5)], "q_next": [0.75]}
    assert free.text(FLOATS, none, {"q": [0.5], "qd": [2.0], "sample": [0.125]}) == found
    assert free.outputs["q_next"].gives is not None and free.outputs["q_next"].gives.state == "q"


def test_what_cannot_be_discretised_says_so() -> None:
    with pytest.raises(UnknownNameError, match="rk5"):
        discretise(MOTION, method="rk5")
    with pytest.raises(InputError, match="computed_torque"):
        discretise(LAWS["computed_torque"].continuous)
    with pytest.raises(InputError, match="pid"):
        discretise(LAWS["pid"].sampled)
