"""A chunk of the study `gains` on a GPU: `python bench/gpu_study.py FOLDER` writes the program, and runs it by nvcc.

The loop, the gains and the motion are those that `mp.studies.gains(…, device="cuda")` hands to a worker, every step
recorded: as many rows of gains as its memory is meant for, in one launch. It prints rollouts per second, and compares
rms errors and largest torques with the processor's; a row is to have the bits of its twins in other places.
Elsewhere: copy the folder, then `nvcc -O3 -std=c++17 -arch=native study.cu -o study && ./study`.
Where CuPy is, the study itself runs on both devices and is compared, too.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import manipula as mp
from manipula.algebra.run.repeated import complete_options
from manipula.studies.catalogue import gains

DRIVER = Path(__file__).parent / "drivers" / "study.cu.in"
GIVEN, NONE = 64, 77  # rows that are compared; what a program ends with that finds no device
WORDS: dict[str, Any] = {
    "gains": {"kp": [50, 2000], "kd": [5, 200]}, "goal": [0.5, -0.5, 0.5, 0.3, 0.2, 0.1], "duration": 0.3,
    "settle": 0.1, "payload": 2.0,
}  # fmt: skip


def numbers(values: Any) -> str:
    return ", ".join(repr(float(x)).replace("nan", "NAN") for x in np.asarray(values, float).ravel())


def places(ports: Any) -> dict[str, int]:
    """Where every port begins in a record."""
    found, at = {}, 0
    for port in ports:
        found[port.name] = at
        at += int(np.prod(port.shape))
    return {**found, "": at}


def program(robot: mp.Robot, folder: Path) -> str:
    plan = gains.plan(robot, count=GIVEN, **WORDS)
    columns = plan.cases.columns(0, GIVEN)
    expected = gains.rollout_cases({**plan.shared, **columns}, None)
    subject = gains._subject(robot, plan.shared["law"], plan.shared["settings"], plan.shared["motion"])
    loop, code = subject.loop, subject.loop.compile()
    loop.emit("cuda", folder)
    begin = np.repeat(subject.start[None], GIVEN, axis=0)
    state = loop.start(q=begin, qd=np.zeros_like(begin))
    rows = {name: np.repeat(columns[name][:, None], subject.dof, axis=1) for name in plan.shared["gains"]}
    p = {**loop._set, **loop._by_entry(rows)}
    task = code.task(state, subject.steps, (), 1, complete_options({"p": p, "every": 1}))
    kept, at = task.kept[..., 0], places((*code.memory.states, *code.memory.outputs))
    told = {
        "NAME": loop.name, "STEPS": subject.steps, "GIVEN": GIVEN, "SIZE": task.states.shape[1], "KEPT": kept.shape[1],
        "WIDTH": at[""], "DOF": subject.dof, "Q": at["q"], "REF": at["q_ref"], "TAU": at["tau"],
        "START": numbers(task.states), "KEPT_ROWS": numbers(kept), "ERROR": numbers(expected["error"]),
        "TORQUE": numbers(expected["torque"]),
    }  # fmt: skip
    text = DRIVER.read_text()
    for name, value in told.items():
        text = text.replace(f"@{name}@", str(value))
    return text


def compared(robot: mp.Robot) -> int:
    """The study itself, on both devices."""
    near, far = (mp.studies.gains(robot, count=4096, device=device, **WORDS) for device in ("cpu", "cuda"))
    off = max(float(np.nanmax(np.abs(far.table[x] / near.table[x] - 1))) for x in ("error", "torque"))
    print(f"mp.studies.gains, 4096 rows: cuda {far.seconds:.2f} s, cpu {near.seconds:.2f} s, {off:.1e} apart")
    return int(off > 1e-9)


def main(folder: Path) -> int:
    robot = mp.load("puma560").without("friction")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.cu").write_text(program(robot, folder))
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        print(f"no nvcc here: copy {folder} to a machine with a GPU and build study.cu there")
        return 0
    subprocess.run([nvcc, "-O3", "-std=c++17", "-arch=native", "study.cu", "-o", "study"], cwd=folder, check=True)
    failed = subprocess.run([str(folder.resolve() / "study")], check=False).returncode
    if failed == NONE:
        print(f"no GPU here: copy {folder} to a machine with one")
        return 0
    return failed or (compared(robot) if find_spec("cupy") else 0)


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1] if len(sys.argv) > 1 else "study")))
