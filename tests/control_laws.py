"""What the tests of control laws share: laws with drawn settings, arms, and loops written by hand."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

import manipula as mp
from manipula.mechanics.models.control.laws import law_block
from tests.random_robots import random_robot

KINDS = ("R", "P", "RP", "PRR", "RRR", "RPRR", "RRRRR", "RRPRRR", "RRRRRRR")
FEW = {"resolved_acceleration", "operational_space"}  # whose pose takes six joints: of these the position is asked
H = 1e-3


def arm_of(seed: int, kinds: str, **about: Any) -> mp.Robot:
    return mp.Robot.of(random_robot(seed, joints=kinds, **about))


def settings_of(law: str, robot: mp.Robot, seed: int, sample: float | None = H, **more: Any) -> dict[str, Any]:
    """A value for every setting that has none of its own."""
    rng, block = np.random.default_rng(seed), law_block(law, sampled=sample is not None)
    if law in FEW:
        more, block = {"task": "position", **more}, law_block(law, sampled=True, options={"task": "position"})
    ports = [port for port in block.inputs if port.role == "setting" and port.default is None and port.name != "sample"]
    found = {port.name: float(rng.uniform(0.4, 1.2)) for port in ports}
    return found | ({"ki": 0.1} if "ki" in found else {}) | more  # ki < kp kd, else no sample holds an arm


def law_of(
    law: str, robot: mp.Robot, seed: int = 0, sample: float | None = H, optimise: str = "fast", **more: Any
) -> mp.Law:
    given = settings_of(law, robot, seed, sample, **more)
    return mp.controller(robot, law, sample=sample, optimise=optimise, **given)


def drawn(law: mp.Law, seed: int) -> dict[str, Any]:
    """A value of every variable and state."""
    rng = np.random.default_rng(seed)
    return {port.name: rng.uniform(-1, 1, len(port.symbols)) for port in law.function.inputs if port.online}


def outputs(law: mp.Law, x: Mapping[str, Any], p: Mapping[str, float]) -> dict[str, Any]:
    found = law._code(*x.values(), p={**law._set, **p} or None)
    return found._asdict() if hasattr(found, "_asdict") else {law.function.outputs[0].name: found}


def parts_for(drives: bool, sample: float | None) -> dict[str, Any]:
    """An observer has no torque to limit or to delay."""
    return ({"limit": 7.0} | ({"delay": 2} if sample else {})) if drives else {}


def numbers(law: mp.Law) -> dict[str, Any]:
    return {name: np.array(values) for name, values in law.settings.items()}


def rub(arm: mp.Arm, bare: mp.Arm, qd: Any, way: Any) -> Any:
    """fv q̇ + fc way + fo, from the friction at the rate and just off rest."""
    still, hair = np.zeros_like(qd), np.full_like(qd, 1e-300)

    def f(rate: Any) -> Any:
        return arm.inverse_dynamics(still, rate, still) - bare.inverse_dynamics(still, rate, still)

    return f(qd) - f(hair * np.sign(qd)) + f(still) + way * (f(hair) - f(-hair)) / 2


@cache
def damped_arm() -> mp.Robot:
    """Two joints, one of them sliding, with viscous friction: what has a sign no law can know exactly."""
    robot = arm_of(11, "RP")
    return robot.without("friction").with_friction(**{name: {"viscous": 0.4} for name in robot.joint_names})


def ridden(law: mp.Law, arm: mp.Arm, x: dict[str, Any], wanted: Any, h: float, steps: int) -> list[dict[str, Any]]:
    """The law in continuous time and the arm by Runge and Kutta, stage by stage; `wanted(t)` gives the references."""
    states = [port.name for port in law.function.inputs if port.role == "state"]
    names = [port.name for port in law.function.inputs if port.online]

    def rate(t: float, x: dict[str, Any]) -> dict[str, Any]:
        given = {**x, **wanted(t)}
        out = outputs(law, {name: given[name] for name in names}, {})
        own = {name: out[f"{name}_rate"] for name in states}
        return {"q": x["qd"], "qd": arm.forward_dynamics(x["q"], x["qd"], out["tau"]), **own}

    def along(x: dict[str, Any], h: float, k: dict[str, Any]) -> dict[str, Any]:
        return {name: x[name] + h * k[name] for name in x}

    found = [x]
    for i in range(steps):
        k1 = rate(i * h, x)
        k2 = rate((i + 0.5) * h, along(x, h / 2, k1))
        k3 = rate((i + 0.5) * h, along(x, h / 2, k2))
        k4 = rate((i + 1) * h, along(x, h, k3))
        x = along(x, h / 6, {name: k1[name] + 2 * k2[name] + 2 * k3[name] + k4[name] for name in x})
        found.append(x)
    return found


@cache
def plain_arm() -> mp.Arm:
    return mp.Arm(damped_arm(), optimise="none")


def run(loop: mp.System, state: Any, refs: Any) -> list[Any]:
    found = [state]
    for ref in refs:
        state = loop.step(state, *ref).state
        found.append(state)
    return found


def sines(t: float, n: int) -> tuple[Any, Any, Any]:
    w, phase = 1.3 + 0.4 * np.arange(n), np.arange(n)
    return 0.3 * np.sin(w * t + phase), 0.3 * w * np.cos(w * t + phase), -0.3 * w**2 * np.sin(w * t + phase)
