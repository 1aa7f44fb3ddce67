"""Closed loops on a GPU, whole rollouts in one kernel: python bench/gpu_rollouts.py [--folder F] [--write]

Computed torque along a quintic, semi-implicit Euler, 1 ms; the plant holds a load (mass, and distance along the tool's
axis: run-time parameters) that the law does not know. 1,048,576 rollouts × 100 steps; what is read is the final state.
Steps per second of all rollouts together, best of some launches, timed by the device; beside them the largest
difference from the same rollouts on the processor.

A program in CUDA C++ is written into the folder, compiled by nvcc and run; with --write it is only written, for a
machine with a GPU and without this package: `nvcc -O3 -arch=sm_90 rollouts.cu -o rollouts && ./rollouts`.
"""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np
from simulation import LOAD, loop_of

import manipula as mp
from manipula.algebra.emit.names import Namer
from manipula.algebra.emit.split import split

ROBOTS = ("puma560", "panda")
ROLLOUTS, STEPS, LAUNCHES, COMPARED = 1 << 20, 100, 10, 256
MUST = {("puma560", "double"): 6, ("panda", "double"): 3, ("puma560", "float"): 15, ("panda", "float"): 7.5}  # 1e9/s
DIFFERENCE = {"double": 1e-10, "float": 1e-3}  # after all steps, of the largest entry

MAIN = """
#include <cmath>
#include <cstdio>
#include <vector>
%(includes)s

#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { \\
    std::printf("%%s\\n", cudaGetErrorString(e)); return 1; } } while (0)

static const long long ROLLOUTS = %(rollouts)d, STEPS = %(steps)d, COMPARED = %(compared)d;

/* where rollout i starts: every one elsewhere */
static double start_of(long long i, int j) { return 0.3*std::sin(0.7*(double)(i %% 4096) + 1.9*j); }
%(functions)s

int main()
{
    int bad = 0;
    std::printf("%%-10s %%-8s %%14s %%10s %%12s\\n", "", "", "steps/s, 1e9", "asked for", "difference");
%(calls)s
    std::printf(bad ? "NOT all hold\\n" : "all hold\\n");
    return bad;
}
"""

FUNCTION = """
template <typename Real>
static int %(robot)s(const char* kind, double wanted, double allowed)
{
%(numbers)s
    static const double known[COMPARED][%(size)d] = {%(known)s};
    %(name)s_work<Real> work;
    std::vector<Real> q((size_t)(%(dof)d*ROLLOUTS)), found((size_t)(%(dof)d*ROLLOUTS));
    Real *dq, *dqd, *dclock;
    float best = 1e30f;

    if (%(name)s_prepare<Real>(%(given)s, work.k) != 0) return 1;
    for (long long i = 0; i < ROLLOUTS; i++)
        for (int j = 0; j < %(dof)d; j++) q[(size_t)(j*ROLLOUTS + i)] = (Real)start_of(i, j);
    CHECK(cudaMalloc(&dq, q.size()*sizeof(Real)));
    CHECK(cudaMalloc(&dqd, q.size()*sizeof(Real)));
    CHECK(cudaMalloc(&dclock, (size_t)ROLLOUTS*sizeof(Real)));
    for (int launch = 0; launch < %(launches)d; launch++) {
        cudaEvent_t a, b;
        float spent;
        CHECK(cudaMemcpy(dq, q.data(), q.size()*sizeof(Real), cudaMemcpyHostToDevice));
        CHECK(cudaMemset(dqd, 0, q.size()*sizeof(Real)));
        CHECK(cudaMemset(dclock, 0, (size_t)ROLLOUTS*sizeof(Real)));
        CHECK(cudaEventCreate(&a));
        CHECK(cudaEventCreate(&b));
        CHECK(cudaEventRecord(a));
        CHECK((%(name)s_launch_rollout<Real>(ROLLOUTS, STEPS, %(states)s, work)));
        CHECK(cudaEventRecord(b));
        CHECK(cudaEventSynchronize(b));
        CHECK(cudaEventElapsedTime(&spent, a, b));
        best = spent < best ? spent : best;
    }
    CHECK(cudaMemcpy(found.data(), dq, found.size()*sizeof(Real), cudaMemcpyDeviceToHost));
    double worst = 0, largest = 0;
    for (long long i = 0; i < COMPARED; i++)
        for (int j = 0; j < %(dof)d; j++) {
            const double off = std::fabs((double)found[(size_t)(j*ROLLOUTS + i)] - known[i][j]);
            worst = (off > worst || off != off) ? off : worst;
            largest = std::fabs(known[i][j]) > largest ? std::fabs(known[i][j]) : largest;
        }
    const double rate = (double)ROLLOUTS*(double)STEPS/(best*1e-3)/1e9;
    const bool holds = rate >= wanted && worst <= allowed*largest;
    std::printf("%%-10s %%-8s %%14.2f %%10.1f ", "%(robot)s", kind, rate, wanted);
    std::printf("%%12.1e%%s\\n", worst/largest, holds ? "" : "  NO");
    CHECK(cudaFree(dq));
    CHECK(cudaFree(dqd));
    CHECK(cudaFree(dclock));
    return !holds;
}
"""


def function(robot: str, loop: mp.System) -> str:
    """The rollouts of one robot, with the numbers of its settings, and what the processor makes of some of them."""
    ports = split(loop.tape, Namer(())).parameters
    values = {**loop.settings, "p": tuple(LOAD[name] for name in loop.inputs["p"])}
    numbers = [f"    const Real {x.name}[] = {{{_listed(values[x.port.name])}}};" for x in ports]
    dof = len(loop.inputs["q"])
    starts = [[0.3 * np.sin(0.7 * i + 1.9 * j) for j in range(dof)] for i in range(COMPARED)]
    known = loop.run(loop.start(q=starts), STEPS, p=load_of(loop), every=0).state.q
    states = {"q": "dq", "qd": "dqd", "clock": "dclock"}
    return FUNCTION % {
        "robot": robot,
        "name": loop.name,
        "numbers": "\n".join(numbers),
        "known": ",\n".join(f"{{{_listed(row)}}}" for row in known),
        "size": dof,
        "dof": dof,
        "given": ", ".join(x.name for x in ports),
        "states": ", ".join(states[port.name] for port in loop.function.states),
        "launches": LAUNCHES,
    }


def load_of(loop: mp.System) -> dict[str, float]:
    return {name: LOAD[name] for name in loop.inputs["p"]}


def _listed(values: Any) -> str:
    return ", ".join(repr(float(x)) for x in values)


def write(folder: Path) -> Path:
    loops = {robot: loop_of(robot, "semi-implicit") for robot in ROBOTS}
    for loop in loops.values():
        loop.emit("cuda", folder)
    calls = [
        f'    bad |= {robot}<{kind}>("{kind}", {MUST[robot, kind]}, {DIFFERENCE[kind]});'
        for robot in ROBOTS
        for kind in ("double", "float")
    ]
    text = MAIN % {
        "includes": "\n".join(f'#include "{loop.name}_rollout.cuh"' for loop in loops.values()),
        "rollouts": ROLLOUTS,
        "steps": STEPS,
        "compared": COMPARED,
        "functions": "".join(function(robot, loop) for robot, loop in loops.items()),
        "calls": "\n".join(calls),
    }
    (folder / "rollouts.cu").write_text(text)
    return folder / "rollouts.cu"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=Path("out/gpu"))
    parser.add_argument("--write", action="store_true", help="do not compile and run")
    asked = parser.parse_args()
    source = write(asked.folder)
    print(source)
    if asked.write:
        return 0
    nvcc = which("nvcc")
    if nvcc is None:
        print("left out: no nvcc")
        return 0
    program = source.with_suffix("")
    subprocess.run([nvcc, "-O3", "-arch=native", str(source), "-o", str(program)], check=True)
    return subprocess.run([str(program.resolve())], check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
