"""Closed-loop rollouts on a GPU: `python bench/gpu_rollouts.py FOLDER` writes the program, and runs it where nvcc is.

One thread a rollout, the state in registers: computed torque, the arm with a payload that the law does not know, and a
reference of two sines a joint, as one proved function; semi-implicit Euler, with noisy sensors too, and RK4, double and
float. It prints
steps per second (best, median, worst of nine launches) and the error of the final states against the processor.
Elsewhere: copy the folder, then `nvcc -O3 -std=c++17 -arch=native rollouts.cu -o rollouts && ./rollouts`.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

import manipula as mp

DRIVER = Path(__file__).parent / "drivers" / "rollouts.cu.in"
GIVEN, STEPS, STEP, SEED = 64, 100, 1e-3, 7
MASS, PLACE = 2.3, 0.1  # kg, m: what the arm holds and the law does not know
METHODS = {"semi-implicit": "Euler", "rk4": "RK4"}


def loop(name: str, method: str, noisy: bool = False) -> mp.System:
    robot = mp.load(name).without("friction")
    law = mp.controller(robot, "computed_torque", kp=400, kd=40, sample=STEP)
    n = robot.dof
    ref = mp.trajectory.fourier(np.full((2, n), 0.2), np.full((2, n), 0.1), 2.0)
    sensors = mp.Sensors(noise={"q": 1e-5, "qd": 1e-3}) if noisy else None
    made = mp.closed_loop(robot.with_payload("mL", (0, 0, "rL")), law, ref, method=method, sensors=sensors)
    return replace(made, function=replace(made.function, name=f"{name}_{METHODS[method].lower()}{'_noisy' * noisy}"))


def numbers(values: object) -> str:
    return ", ".join(repr(float(x)) for x in np.asarray(values, float).ravel())


def calls(system: mp.System, title: str) -> str:
    """The lines of the driver for one loop: parameters, starts, what the processor finds, the measurements."""
    draw = np.random.default_rng(0)
    n = len(system.inputs["q"])
    state = system.start(q=draw.uniform(-0.3, 0.3, (GIVEN, n)), qd=np.zeros((GIVEN, n)))
    known = {"mL": MASS, "rL": PLACE}
    p = {name: known[name] for name in system.inputs.get("p", ())}
    final = system.run(state, STEPS, p=p, every=0, seed=SEED).state
    start, expected = (np.concatenate(x, axis=-1) for x in (state, final))
    name, size = system.name, start.shape[1]
    ports = [port for port in system.function.inputs if port.role in ("setting", "parameter")]
    values = {**system.settings, "p": list(p.values())}
    lines = [f"static double {name}_start[] = {{{numbers(start)}}}, {name}_expected[] = {{{numbers(expected)}}};"]
    lines += [f"static double {name}_{port.name}[] = {{{numbers(values[port.name])}}};" for port in ports]
    noise = f", {SEED}, numbers(n, {GIVEN}), 0" if any(x.role == "noise" for x in system.function.inputs) else ""
    for real in ("double", "float"):
        copies = " ".join(
            f"{real} {port.name}_[{len(port.names)}]; for (int i = 0; i < {len(port.names)}; i++) "
            f"{port.name}_[i] = ({real}){name}_{port.name}[i];"
            for port in ports
        )
        handed = ", ".join(f"{port.name}_" for port in ports)
        lines.append(f"{{ {copies} {name}_work<{real}> work; {name}_prepare<{real}>({handed}, work.k);")
        lines.append(
            f'for (long long n : {{MANY, 4096ll}}) measured<{real}>("{title}", "{real}", '
            f"[&](long long n, {real} *states) {{ {name}_rollouts<{real}, false><<<(unsigned)((n + 63)/64), 64>>>("
            f"n, STEPS, 1, NEVER, states, nullptr, 0, 0, 0, work, nullptr, nullptr{noise}); }}, "
            f"{size}, {GIVEN}, {name}_start, {name}_expected, n); }}"
        )
    return "\n".join(lines)


def main(folder: Path) -> int:
    includes, bodies = [], []
    for robot, title in (("puma560", "PUMA 560"), ("panda", "Panda")):
        for method, short in METHODS.items():
            system = loop(robot, method)
            system.emit("cuda", folder)
            includes.append(f'#include "{system.name}_rollouts.cuh"')
            bodies.append(calls(system, f"{title}, {short} + computed torque"))
            print(f"{title}, {short}: {system.cost}", flush=True)
        system = loop(robot, "semi-implicit", noisy=True)
        system.emit("cuda", folder)
        includes.append(f'#include "{system.name}_rollouts.cuh"')
        bodies.append(calls(system, f"{title}, Euler + noise"))
    text = DRIVER.read_text().replace("@INCLUDES@", "\n".join(includes)).replace("@CALLS@", "\n".join(bodies))
    (folder / "rollouts.cu").write_text(text)
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        print(f"no nvcc here: copy {folder} to a machine with a GPU and build rollouts.cu there")
        return 0
    subprocess.run([nvcc, "-O3", "-std=c++17", "-arch=native", "rollouts.cu", "-o", "rollouts"], cwd=folder, check=True)
    return subprocess.run([str(folder.resolve() / "rollouts")], check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "rollouts")))
