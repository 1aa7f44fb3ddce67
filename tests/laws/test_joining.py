"""Joining: one function of several, right on random arms, and what is wrong in any part or wire is found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.expr.function import Function
from manipula.algebra.expr.maths import rebuilt, topological
from manipula.algebra.expr.node import Expr
from manipula.algebra.optimise.prove import prove
from manipula.algebra.run.compiled_function import Compiled, compile_tape
from manipula.algebra.tape import tape_from_function
from manipula.errors import InputError, ProofError, UnknownNameError
from manipula.generation.build import reference
from manipula.generation.compose import Part, call_by_call, generate_block, join
from manipula.generation.pipeline import generate_function
from manipula.generation.prepare import Prepared, Request, prepare
from manipula.mechanics.models.catalogue import MODELS
from manipula.mechanics.models.control.laws import LAWS
from manipula.mechanics.models.entry import Block, Given, ModelCall, Result, variables, wire_blocks
from manipula.mechanics.models.integrate import discretisation
from manipula.mechanics.models.integrate.discretisation import INTEGRATORS, METHODS, discretise
from manipula.mechanics.models.integrate.motion import MOTION
from manipula.mechanics.models.integrate.runge_kutta import Advance, Rates, State, Step, over
from manipula.mechanics.models.ports import PortKind
from manipula.mechanics.spatial.floats import FLOATS
from manipula.scalar import Maths, Next
from tests.laws.test_trees import TREES, heavy
from tests.random_robots import random_robot, random_tree

RNG = np.random.default_rng(2026)
TORQUES = "inverse_dynamics_smooth"


def loop(law: str, arm: Block | None = None) -> Block:
    """A sampled law and the arm, the torque held over the step."""
    blocks = {"law": LAWS[law].sampled, "arm": arm or discretise(MOTION)}
    return wire_blocks("loop", "a law and the arm it drives", blocks, {"arm.tau": "law.tau"})


def asked_of(robot: Any) -> Prepared:
    return prepare(Request(robot, "pose"))


@cache
def planar() -> Prepared:
    return asked_of(mp.load("planar2r"))


def compiled(function: Function) -> Compiled:
    return compile_tape(tape_from_function(function), "numpy")


def drawn(function: Function, rows: int = 5) -> tuple[dict[str, Any], dict[str, float]]:
    """Variables and states in rows, parameters and settings by name."""
    live = {port.name: RNG.uniform(-1, 1, size=(rows, len(port.symbols))) for port in function.inputs if port.online}
    fixed = {name: RNG.uniform(0.3, 1.2) for port in function.inputs if not port.online for name in port.names}
    return live, fixed


def by_port(function: Function, fixed: Mapping[str, float]) -> dict[str, Any]:
    return {p.name: np.array([fixed[name] for name in p.names]) for p in function.inputs if not p.online}


def plain(asked: Prepared, model: str, fixed: Mapping[str, float]) -> Callable[..., Any]:
    """A model of the robot by its plain text on floats: no expression, no optimiser."""
    text = next(iter(MODELS[model].methods.values()))
    tree = asked.structure.bound_tree(FLOATS, {name: fixed[name] for name in asked.parameters})
    return lambda **given: np.array(next(iter(text(tree, {k: list(map(float, v)) for k, v in given.items()}).values())))


def pid_step(x: Mapping[str, Any], s: Mapping[str, Any]) -> dict[str, Any]:
    """Written anew, in vectors."""
    e = x["q_ref"] - x["q"]
    slope = (x["q"] - x["filtered"]) / (s["filter"] + s["sample"])
    v = s["kp"] * e + x["integral"] + s["kd"] * (x["qd_ref"] - slope)
    tau = np.clip(v, -s["limit"], s["limit"])
    integral = x["integral"] + s["sample"] * (s["ki"] * e + s["tracking"] * (tau - v))
    return {"tau": tau, "integral_next": integral, "filtered_next": x["filtered"] + s["sample"] * slope}


def rk4_step(f: Callable[..., Any], q: Any, qd: Any, tau: Any, h: float) -> tuple[Any, Any]:
    """Written anew, in vectors."""
    x, n = np.concatenate([q, qd]), len(q)

    def rate(x: Any) -> Any:
        return np.concatenate([x[n:], f(q=x[:n], qd=x[n:], tau=tau)])

    k1 = rate(x)
    k2 = rate(x + h / 2 * k1)
    k3 = rate(x + h / 2 * k2)
    k4 = rate(x + h * k3)
    new = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return new[:n], new[n:]


def row(live: Mapping[str, Any], i: int) -> dict[str, Any]:
    return {name: values[i] for name, values in live.items()}


# right, on any arm


@pytest.mark.parametrize("seed", range(14))
def test_pid_of_any_arm(seed: int) -> None:
    """1 to 7 joints, turning and sliding."""
    function = generate_block(LAWS["pid"].sampled, asked_of(random_robot(seed, joints=1 + seed % 7)))
    live, fixed = drawn(function)
    got = compiled(function)(*live.values(), p=fixed)
    for i in range(5):
        for name, true in pid_step(row(live, i), by_port(function, fixed)).items():
            np.testing.assert_allclose(getattr(got, name)[i], true, rtol=1e-13, atol=1e-14)


@pytest.mark.turn
def test_an_integral_at_the_limit_is_led_back() -> None:
    """Held at its limit the integral settles where v is the limit plus ki e / k_t; k_t = 0 winds up."""
    function = generate_block(LAWS["pid"].sampled, asked_of(random_robot(3, joints="P")))
    f = compiled(function)
    settings = {"kp1": 2.0, "ki1": 30.0, "kd1": 0.0, "limit1": 1.0, "filter": 0.01, "sample": 0.001}
    ended = {}
    for tracking in (0.0, 40.0):
        integral, low = np.zeros(1), np.zeros(1)
        for _ in range(2000):
            tau, integral, low = f([0.0], [1.0], [0.0], integral, low, p={**settings, "tracking1": tracking})
        ended[tracking] = (tau[0], integral[0])
    assert ended[0.0] == (1.0, pytest.approx(60.0))
    assert ended[40.0] == (1.0, pytest.approx(1.0 + 30 / 40 - 2.0))


@pytest.mark.parametrize("law, model", [("computed_torque", TORQUES), ("pd_gravity", "gravity")])
@pytest.mark.parametrize("seed", range(3))
def test_laws_with_models_inside(law: str, model: str, seed: int) -> None:
    asked = asked_of(random_robot(seed, joints=("RP", "PRR", "R")[seed]))
    function = generate_block(LAWS[law].sampled, asked)
    live, fixed = drawn(function)
    got = compiled(function)(*live.values(), p=fixed)
    s, f = by_port(function, fixed), plain(asked, model, fixed)
    for i in range(5):
        x = row(live, i)
        push = s["kp"] * (x["q_ref"] - x["q"]) + s["kd"] * (x["qd_ref"] - x["qd"])
        if model == "gravity":
            true = push + f(q=x["q"])
        else:
            true = f(q=x["q"], qd=x["qd"], qdd=x["qdd_ref"] + push, slip=x["qd_ref"] / s["smoothing"])
        np.testing.assert_allclose(got[i], true, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("kinds", ["R", "PR", "RRP"])
def test_a_law_and_the_arm_it_drives_in_one_step(kinds: str) -> None:
    asked = asked_of(random_robot(len(kinds) + 20, joints=kinds))
    function = generate_block(loop("pid"), asked)
    live, fixed = drawn(function)
    fixed["sample"] = 0.01
    got = compiled(function)(*live.values(), p=fixed)
    s, f = by_port(function, fixed), plain(asked, "forward_dynamics", fixed)
    for i in range(5):
        x = row(live, i)
        law = pid_step(x, s)
        q, qd = rk4_step(f, x["q"], x["qd"], law["tau"], 0.01)
        for name, true in {**law, "q_next": q, "qd_next": qd}.items():
            np.testing.assert_allclose(getattr(got, name)[i], true, rtol=1e-9, atol=1e-10)


@pytest.mark.turn
def test_what_calls_have_in_common_is_computed_once() -> None:
    """Stiffness and weight both ask for gravity: the second time is free. And M⁻¹(M a) is a, without dividing."""
    asked = planar()

    def twice(maths: Maths[Any], call: ModelCall, x: Given) -> dict[str, Any]:
        return {"tau": [a + b for a, b in zip(call("gravity", q=x["q"])["g"], call("gravity", q=x["q"])["g"])]}

    block = replace(LAWS["pd_gravity"].sampled, inputs=LAWS["pd_gravity"].sampled.inputs[:1], text=twice)
    alone = generate_function(asked.with_request(model="gravity"))
    assert generate_block(block, asked).cost.total <= alone.cost.total + 2
    closed = generate_block(loop("computed_torque", discretise(MOTION, method="euler")), asked)
    parts = [generate_function(asked.with_request(model=model)) for model in ("inverse_dynamics", "forward_dynamics")]
    assert closed.cost.total < sum(part.cost.total for part in parts)


# wrong, and found


@cache
def parts_of(*models: str) -> dict[str, Part]:
    asked = [planar().with_request(model=model) for model in models]
    return {x.request.model: Part(generate_function(x), reference(x)) for x in asked}


def proved(built: Block, meant: Block, parts: Mapping[str, Part]) -> None:
    """Build one block, prove it by the text of another."""
    made = join(built, planar(), parts)
    prove(made.function, call_by_call(meant, planar(), parts, made.cuts))


def changed(function: Function, node: Expr, by: Callable[[Expr], Expr]) -> Function:
    return function.with_roots(rebuilt(function.roots, function.graph, {node: by(node)}))


def test_what_is_right_is_proved() -> None:
    for law, models in (("pid", ["forward_dynamics"]), ("computed_torque", [TORQUES, "forward_dynamics"])):
        proved(loop(law), loop(law), parts_of(*models))


@pytest.mark.parametrize("model", [TORQUES, "forward_dynamics"])
def test_an_error_in_a_part_is_found_at_its_call(model: str) -> None:
    parts = parts_of(TORQUES, "forward_dynamics")
    function = parts[model].function
    for node in topological(function.roots)[-9::4]:
        wrong = {**parts, model: replace(parts[model], function=changed(function, node, lambda x: x + 1))}
        with pytest.raises(ProofError, match=f"of {model}: .* differs from the plain model"):
            proved(loop("computed_torque"), loop("computed_torque"), wrong)


def crossed(block: Block, *ports: str) -> Block:
    """The same block with two of its inputs exchanged."""
    a, b = ports

    def text(maths: Maths[Any], call: ModelCall, x: Given) -> dict[str, Any]:
        return block.text(maths, call, {**x, a: x[b], b: x[a]})

    return replace(block, text=text)


@pytest.mark.parametrize("ports", [("q", "qd"), ("tau", "qd"), ("tau", "q")])
def test_two_wires_exchanged_are_found(ports: tuple[str, str]) -> None:
    arm, parts = discretise(MOTION), parts_of("forward_dynamics")
    with pytest.raises(ProofError, match=r"call 1, of forward_dynamics: \w+ is not what the text hands over"):
        proved(loop("pid", crossed(arm, *ports)), loop("pid", arm), parts)


def test_a_wire_in_a_wrong_place_inside_the_law_is_found_too() -> None:
    law = LAWS["pid"].sampled
    wrong = wire_blocks(
        "loop", "", {"law": crossed(law, "kp", "ki"), "arm": discretise(MOTION)}, {"arm.tau": "law.tau"}
    )
    with pytest.raises(ProofError, match="hands over"):
        proved(wrong, loop("pid"), parts_of("forward_dynamics"))


def nearly_rk4(stage: Fraction, weight: Fraction) -> Step:
    def step(rate: Rates, x: State, h: Any, advance: Advance) -> State:
        k1 = rate(x)
        k2 = rate(advance(x, over(h * stage, k1)))
        k3 = rate(advance(x, over(h * Fraction(1, 2), k2)))
        k4 = rate(advance(x, over(h, k3)))
        total = {n: [a + 2 * (b + c) + d for a, b, c, d in zip(k1[n], k2[n], k3[n], k4[n])] for n in x}
        return advance(x, over(h * weight, total))

    return step


@pytest.mark.parametrize("stage, weight", [("501/1000", "1/6"), ("1/2", "1/5"), ("0", "1/6")])
def test_an_integrator_that_is_a_little_off_is_found(monkeypatch: pytest.MonkeyPatch, stage: str, weight: str) -> None:
    parts, right = parts_of("forward_dynamics"), discretise(MOTION)
    monkeypatch.setattr(discretisation, "METHODS", (*METHODS, "nearly"))
    monkeypatch.setitem(INTEGRATORS, "nearly", nearly_rk4(Fraction("1/2"), Fraction("1/6")))
    proved(discretise(MOTION, method="nearly"), right, parts)
    monkeypatch.setitem(INTEGRATORS, "nearly", nearly_rk4(Fraction(stage), Fraction(weight)))
    with pytest.raises(ProofError):
        proved(discretise(MOTION, method="nearly"), right, parts)


def test_another_integrator_makes_other_calls() -> None:
    parts = parts_of("forward_dynamics")
    with pytest.raises(ProofError, match="calls that the text does not make"):
        proved(discretise(MOTION), discretise(MOTION, method="euler"), parts)
    with pytest.raises(ProofError, match="makes more calls"):
        proved(discretise(MOTION, method="euler"), discretise(MOTION), parts)


def test_an_error_anywhere_in_the_function_that_leaves_is_found() -> None:
    """After the cuts were taken: as an optimiser would make it."""
    parts, block = parts_of("forward_dynamics"), loop("pid")
    made = join(block, planar(), parts)
    truth = call_by_call(block, planar(), parts, made.cuts)
    nodes = [x for x in topological(made.function.roots) if x.args]
    for node in [nodes[int(i)] for i in np.linspace(0, len(nodes) - 1, 12)]:
        with pytest.raises(ProofError):
            prove(changed(made.function, node, lambda x: x + x.graph.const(3)), truth)


# refused


def test_wires_must_have_ends_and_no_circle() -> None:
    law, arm = LAWS["pid"].sampled, discretise(MOTION)
    with pytest.raises(UnknownNameError, match=r"law\.torque"):
        wire_blocks("loop", "", {"law": law, "arm": arm}, {"arm.tau": "law.torque"})
    with pytest.raises(UnknownNameError, match=r"arm\.force"):
        wire_blocks("loop", "", {"law": law, "arm": arm}, {"arm.force": "law.tau"})
    with pytest.raises(InputError, match="circle"):
        wire_blocks("loop", "", {"law": law, "arm": arm}, {"arm.tau": "law.tau", "law.q": "arm.q_next"})
    with pytest.raises(InputError, match=r"law2\.tau"):
        wire_blocks("loop", "", {"law": law, "law2": law}, {})
    stiff = replace(arm, inputs=(*arm.inputs[:-1], replace(arm.inputs[0], name="kp")))
    with pytest.raises(InputError, match="kp"):
        wire_blocks("loop", "", {"law": law, "arm": stiff}, {})


def test_a_wire_between_other_sizes_and_a_parameter_called_like_a_port_are_refused() -> None:
    def short(maths: Maths[Any], call: ModelCall, x: Given) -> dict[str, Any]:
        return {"tau": call("gravity", q=x["q"][:1])["g"]}

    with pytest.raises(InputError, match=r"calls gravity with q\[1\]; it takes q\[2\]"):
        join(replace(LAWS["pd_gravity"].sampled, text=short), planar(), parts_of("gravity"))
    robot = mp.Robot.from_dh([("0", 0, "kp1", 0)], name="spring")
    with pytest.raises(InputError, match="kp1"):
        generate_block(LAWS["pd_gravity"].sampled, asked_of(robot))


# other robots, other sizes


@pytest.mark.turn
@pytest.mark.parametrize("seed", TREES[:1])
def test_a_robot_that_branches_is_driven_like_any_other(seed: int) -> None:
    robot = mp.Robot.of(heavy(random_tree(seed, 3, surroundings=False, actuators=False)))
    law = mp.controller(robot, "computed_torque", kp=9, kd=6, sample=1e-2)
    loop = mp.closed_loop(robot, law, method="semi-implicit")
    live, _ = drawn(loop.function, rows=1)
    x = row(live, 0)
    new, tau = loop.step(loop.start(q=x["q"], qd=x["qd"]), x["q_ref"], x["qd_ref"], x["qdd_ref"])
    a = x["qdd_ref"] + 6 * (x["qd_ref"] - x["qd"]) + 9 * (x["q_ref"] - x["q"])
    asked = asked_of(robot)
    np.testing.assert_allclose(tau, plain(asked, "inverse_dynamics", {})(q=x["q"], qd=x["qd"], qdd=a), rtol=1e-9)
    np.testing.assert_allclose(new.qd, x["qd"] + 1e-2 * a, rtol=1e-9)
    np.testing.assert_allclose(new.q, x["q"] + 1e-2 * new.qd, rtol=1e-12)


def _gradient(maths: Maths[Any], call: ModelCall, x: Given) -> dict[str, Any]:
    """θ⁺ = θ + γ Yᵀ (τ − Y θ)"""
    Y = call("base_regressor", q=x["q"], qd=x["qd"], qdd=x["qdd"])["Y"]
    e = [tau - sum(y * t for y, t in zip(line, x["theta"])) for tau, line in zip(x["tau"], Y)]
    step = [x["gamma"][0] * sum(line[i] * each for line, each in zip(Y, e)) for i in range(len(x["theta"]))]
    return {"theta_next": [t + d for t, d in zip(x["theta"], step)]}


@pytest.mark.drawn("kinds", few=1)
@pytest.mark.parametrize("kinds", ["R", "RP"])
def test_a_state_may_have_an_entry_for_every_base_parameter(kinds: str) -> None:
    """An estimator of the parameters that torques can tell: how many there are is the robot's."""
    theta = PortKind("theta", "SI", "base parameters", "base", "state")
    gamma = PortKind("gamma", "", "rate", ("gamma",), "setting")
    block = Block(
        "gradient", "", (*variables("q", "qd", "qdd", "tau"), theta, gamma),
        {"theta_next": Result("SI", "", Next("theta"))}, _gradient, ("base_regressor",),
    )  # fmt: skip
    robot = mp.Robot.of(random_robot(5, joints=kinds))
    function = generate_block(block, asked_of(robot))
    size = len(robot.base_parameters)
    assert size > 1 and {len(port.symbols) for port in function.states} == {size}
    live, fixed = drawn(function, rows=1)
    x = row(live, 0)
    Y = mp.Arm(robot).base_regressor(x["q"], x["qd"], x["qdd"])
    want = x["theta"] + fixed["gamma"] * Y.T @ (x["tau"] - Y @ x["theta"])
    np.testing.assert_allclose(compiled(function)(*(v[0] for v in live.values()), p=fixed), want, rtol=1e-10)
