"""Control laws: what a cycle costs, and what an adaptive one gains: python bench/laws.py [--quick]

A cycle is one call of the law's compiled function, as a controller calls it. Times are processor time of the thread,
best and median of many short samples, laws in turn. The runs follow two waves a joint for 20 s from 0.05 rad off, in
steps of 0.5 ms of order 8 with the law in every stage, the plant holding 2.3 kg that no law knows. On a busy machine
compare the ratios.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from statistics import median
from typing import Any

import numpy as np
from clock import STATES, Loop
from scipy.interpolate import make_interp_spline
from tables import claim, machine, verdict

import manipula as mp

QUICK = "--quick" in sys.argv
SAMPLES, SECONDS, HORIZON, STEP = (20 if QUICK else 200), 1e-3, (4.0 if QUICK else 20.0), 5e-4
ADAPT = {"lam": 10.0, "kd": [60.0, 60.0, 30.0, 6.0, 6.0, 3.0]}
LAWS: dict[str, dict[str, Any]] = {
    "pd_gravity": {"kp": 100, "kd": 20},
    "computed_torque": {"kp": 100, "kd": 20},
    "slotine_li": {"lam": 10, "kd": 20, "gamma": 1},
    "dynamic_adaptive": {"lam": 10, "kd": 20, "gamma_load": 1},
    "craig": {"kp": 100, "kd": 20, "psi": 5, "gamma": 1, "filter": 1e-3},
    "mrac": {"frequency": 10, "zeta": 1, "inertia": 1, "k0": 1, "k1": 0.1, "gamma": 1},
}


def timed(contenders: dict[str, Callable[[int], Any]]) -> dict[str, tuple[float, float]]:
    """Seconds a call, best and median, of samples in turn."""
    counts = {name: _count(run) for name, run in contenders.items()}
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(SAMPLES):
        for name, run in contenders.items():
            begun = time.thread_time()
            run(counts[name])
            taken[name].append((time.thread_time() - begun) / counts[name])
    return {name: (min(x), median(x)) for name, x in taken.items()}


def _count(run: Callable[[int], Any]) -> int:
    run(1000)
    begun = time.thread_time()
    run(1000)
    return max(1, round(1000 * SECONDS / max(time.thread_time() - begun, 1e-9)))


def cycle(model: mp.Model, settings: dict[str, float] | None = None) -> Callable[[int], Any]:
    """The machine code of one configuration, called through its address as from C, on one state after the other."""
    rng, code = np.random.default_rng(1), model.compile()
    x = [rng.uniform(-1, 1, (STATES, len(port.symbols))) for port in model.function.inputs if port.online]
    kept, outputs = code.kept(settings), [np.empty(port.shape) for port in code.outputs]
    ends = [kept.ctypes.data, *(y.ctypes.data for y in outputs)]
    rows = [[*(y[k].ctypes.data for y in x), *ends] for k in range(STATES)]
    address = code.address_of_one
    assert address is not None, "no compiler here"
    return Loop(len(rows[0])).of(address, rows, x, kept, outputs, code)


def cycles(name: str) -> None:
    robot = mp.load(name).without("friction", "motor_inertia")
    laws = {law: mp.controller(robot, law, sample=STEP, **gains) for law, gains in LAWS.items()}
    models: dict[str, mp.Model] = {"inverse_dynamics": mp.generate(robot, "inverse_dynamics"), **laws}
    base = ("base_regressor", "two_velocity_regressor", "two_velocity_products")
    models |= {model: mp.generate(robot, model) for model in base}
    found = timed({x: cycle(y, getattr(y, "_set", None) or None) for x, y in models.items()})
    print(f"\n{name}: operations, ns a cycle (best, median), over computed torque")
    unit = found["computed_torque"][0]
    for law, (best, middle) in found.items():
        told = f"{best * 1e9:8.1f} {middle * 1e9:8.1f} {best / unit:7.2f}"
        print(f"  {law:24}{models[law].cost.total:7}  {told}")
    ratio = models["computed_torque"].cost.total / models["inverse_dynamics"].cost.total
    beside = unit / found["inverse_dynamics"][0]
    print(f"  computed torque over inverse dynamics: {beside:.2f} in time, {ratio:.2f} in operations")
    claim(f"{name}: a cycle of computed torque over inverse dynamics", beside, 1.15)
    claim(f"{name}: a cycle of Slotine and Li over computed torque", found["slotine_li"][0] / unit, 8)


def reference() -> Any:
    """Two waves a joint, as velocities."""
    a, b = np.zeros((5, 6)), np.zeros((5, 6))
    amplitude = np.array([0.6, 0.4, 0.5, 0.6, 0.5, 0.6])
    for joint in range(6):
        a[joint % 3, joint] = 1.2 * amplitude[joint]
        b[2 + joint % 3, joint] = 1.5 * amplitude[joint]
    return mp.trajectory.fourier(a, b, 1.1)


def adaptive() -> None:
    robot = mp.load("puma560").without("friction")
    plant, ref = robot.with_payload(2.3, (0, 0, 0.1)), reference()
    theta = np.array([float(x) for x in robot.base_parameters.values() if x is not None])
    true = np.array([float(x) for x in plant.base_parameters.values() if x is not None])
    gamma = 40 * np.maximum(np.abs(theta), 0.1) ** 2
    laws = {
        "computed_torque": mp.controller(robot, "computed_torque", kp=100, kd=20),
        "slotine_li": mp.controller(robot, "slotine_li", **ADAPT, gamma=gamma),
        "dynamic_adaptive": mp.controller(
            robot, "dynamic_adaptive", **ADAPT, gamma_load=[0.02] * 6 + [0.5] * 3 + [5.0]
        ),
    }
    first = ref(0.0)
    errors = {}
    print(f"\npuma560 with 2.3 kg that no law knows, {HORIZON:g} s: rms error (rad), first and last fifth")
    for name, law in laws.items():
        loop = mp.closed_loop(plant, law, ref, method="rk8", step=STEP)
        made = loop.run(loop.start(q=first.q + 0.05, qd=first.qd), round(HORIZON / STEP))
        t = STEP * np.arange(round(HORIZON / STEP))
        e = made.states.q - ref(t).q
        fifth = len(e) // 5
        errors[name] = np.sqrt((e[-fifth:] ** 2).mean())
        share = errors[name] / errors["computed_torque"]
        print(f"  {name:20}{np.sqrt((e[:fifth] ** 2).mean()):10.1e}{errors[name]:10.1e}{share:10.4f}")
        if name == "slotine_li":
            balance(plant, made.states, ref(t), true, gamma, e)
            if not QUICK:  # the last fifth of four seconds is no end
                claim("puma560: error of Slotine and Li over computed torque, unknown load", share, 1 / 20)


def balance(plant: mp.Robot, x: Any, wanted: Any, true: Any, gamma: Any, e: Any) -> None:
    """V + ∫ sᵀK_D s, V = ½ sᵀM s + ½ ãᵀΓ⁻¹ã"""
    s = x.qd - wanted.qd + ADAPT["lam"] * e
    M, lost = mp.Arm(plant).inertia_matrix(x.q), x.theta - true
    V = 0.5 * np.einsum("ti,tij,tj->t", s, M, s) + 0.5 * (lost * lost / gamma).sum(axis=1)
    spent = (np.array(ADAPT["kd"]) * s * s).sum(axis=1)
    t = STEP * np.arange(len(spent))
    far = float(np.abs((V + make_interp_spline(t, spent, k=7).antiderivative()(t)) / V[0] - 1).max())
    print(f"  V {V[0]:.4g} → {V[-1]:.4g}; V + ∫ sᵀK_D s constant to {far:.1e}")
    claim("puma560: V + ∫ sᵀK_D s of Slotine and Li, over V(0), constant to", far, 1e-7)


def main() -> int:
    print(machine())
    for name in ("puma560", "panda"):
        cycles(name)
    adaptive()
    return verdict()


if __name__ == "__main__":
    raise SystemExit(main())
