"""Rollouts as CUDA text, compiled for the host, thread after thread: they go the way of the machine code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.emit.backend import emit
from manipula.algebra.run.repeated import Rolling, complete_options
from tests.languages import CXX, SHIM, host_text, sh

pytestmark = pytest.mark.skipif(CXX is None, reason="no C++ compiler")
ROWS, STEPS, EVERY = 67, 7, 3
PID = {"kp": 100.0, "ki": 50.0, "kd": 20.0, "limit": 40.0, "tracking": 5.0, "filter": 2e-3}


def loop(memory: bool, noisy: bool = False) -> Any:
    robot = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    gains = PID if memory else {"kp": 100.0, "kd": 20.0}
    law = mp.controller(robot, "pid" if memory else "computed_torque", sample=1e-3, **gains)
    sensors = mp.Sensors(noise={"q": 1e-3, "qd": 1e-2}) if noisy else None
    return mp.closed_loop(robot.with_payload("mL", ("rL", 0, 0)), law, method="euler", sensors=sensors)


def array(values: Any) -> str:
    flat = np.asarray(values, float).ravel()
    return "{" + ", ".join(float(x).hex() for x in flat) + "}"


def main(name: str, task: Any, width: int, noisy: bool) -> str:
    """A program that runs the kernel thread by thread and prints states, then records."""
    held = task.held[:, None] if task.along is None else task.along
    drive = held.transpose(1, 2, 0)
    own, kept = len(task.kept) > 1, task.kept[..., 0]
    samples = -(-task.steps // task.every)
    noise = f", {task.noise.seed}, rollouts, {task.first}" if noisy else ""
    strides = (drive[0].size if len(drive) > 1 else 0, drive.shape[2], 1 if drive.shape[2] > 1 else 0)
    return f"""
#include "{name}_rollouts.cuh"
#include <cstdio>
static double states[] = {array(task.states.T)};
static double drive[] = {array(drive)};
static double kept[] = {array(kept.T)};
static long long rollouts[] = {{{", ".join(map(str, task.noise.rollouts.ravel()))}}};
static double record[{samples * width * task.rows}];
int main()
{{
    {name}_work<double> work = {{{array(kept[0])}}};
    every_thread({-(-task.rows // 64)}, 64, [&] {{
        {name}_rollouts<double, {"true" if own else "false"}>({task.rows}, {task.steps}, {task.every}, 0, states, drive,
            {strides[0]}, {strides[1]}, {strides[2]}, work, kept, record{noise});
    }});
    for (double x : states) std::printf("%a\\n", x);
    for (double x : record) std::printf("%a\\n", x);
}}
"""


@pytest.mark.turn
@pytest.mark.drawn("memory", "own", "moving", "noisy")
@pytest.mark.parametrize(
    ("memory", "own", "moving", "noisy"),
    [(True, True, False, True), (False, False, True, True), (True, False, False, False), (False, True, True, False)],
)
def test_rollouts_go_the_way_of_the_processor(
    memory: bool, own: bool, moving: bool, noisy: bool, tmp_path: Path
) -> None:
    system, draw = loop(memory, noisy), np.random.default_rng(0)
    code = system.compile()
    state = system.start(q=draw.uniform(-1, 1, (ROWS, 2)), qd=draw.uniform(-1, 1, (ROWS, 2)))
    masses = draw.uniform(0, 2, ROWS) if own else 1.5
    p = {**system._set, "mL": masses, "rL": np.full(ROWS, 0.1) if own else 0.1}
    names = [port.name for port in code.inputs if port.role == "variable"]
    shape = (STEPS, 2) if moving else (2,)
    given = [draw.uniform(-1, 1, shape) for _ in names]
    along = names if moving else ()
    chance: Rolling = {"seed": 7, "rollout": draw.integers(0, 2**32, ROWS), "first": 2**33 + 5} if noisy else {}
    want = code.run(state, STEPS, *given, p=p, every=EVERY, along=along, **chance)

    task = code.task(state, STEPS, given, 1, complete_options({"p": p, "every": EVERY, "along": along, **chance}))
    files = emit(system.tape, "cuda", "1")
    for name, text in files.items():
        (tmp_path / name).write_text(host_text(text))
    outputs = [*want.states, want.outputs] if not isinstance(want.outputs, tuple) else [*want.states, *want.outputs]
    width = sum(x.shape[-1] for x in outputs)
    (tmp_path / "shim.hpp").write_text(SHIM)
    (tmp_path / "main.cu").write_text(main(system.name, task, width, noisy))
    words = ("-std=c++17", "-pthread", "-ffp-contract=off", "-include", "shim.hpp", "-x", "c++", "main.cu")
    made = sh(tmp_path, str(CXX), *words, "-o", "main")
    assert made.returncode == 0, made.stderr
    printed = [float.fromhex(x) for x in sh(tmp_path, tmp_path / "main").stdout.split()]
    size = task.states.size
    final = np.array(printed[:size]).reshape(-1, ROWS).T
    np.testing.assert_allclose(final, np.concatenate(want.state, axis=-1), rtol=1e-12, atol=1e-13)
    record = np.array(printed[size:]).reshape(-1, width, ROWS).transpose(2, 0, 1)
    np.testing.assert_allclose(record, np.concatenate(outputs, axis=-1), rtol=1e-12, atol=1e-12)
