"""The emitted nearest solution on many poses, in every language that has it: programs that read poses and write joints.

Poses are drawn where inverse kinematics is hard: at singular configurations, beside them, along ways through them, with
few decimals. Each is the pose of a configuration inside the limits, so that no nearest solution is further from the
present joints than that one.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import manipula as mp
from manipula.ik.controller.emission import exact_of
from manipula.ik.numeric.poses import checked_poses
from tests.emitted import CC
from tests.languages import CXX

Floats = Any

# A record: T, the parameter of a redundant arm, q_now, whether the last solution takes its place, max_step. The answer:
# the status and q, which is q_now where the status is positive.
C_DRIVER = """
#include "{name}.h"
#include <stdio.h>
int main(void)
{{
    double given[{record}], taken[{dof} + 1];
    manipula_real T[4][4], q[{dof}] = {{0}}, parameter[1] = {{0}};
    while (fread(given, sizeof(double), {record}, stdin) == {record}) {{
        for (int i = 0; i < 16; i++) T[i / 4][i % 4] = (manipula_real)given[i];
        parameter[0] = (manipula_real)given[16];
        for (int i = 0; i < {dof} && given[{dof} + 17] == 0; i++) q[i] = (manipula_real)given[17 + i];
        (void)parameter;
        taken[0] = {name}(T, {parameter}q, (manipula_real)given[{dof} + 18], q);
        for (int i = 0; i < {dof}; i++) taken[i + 1] = q[i];
        fwrite(taken, sizeof(double), {dof} + 1, stdout);
    }}
    return 0;
}}
"""
CPP_DRIVER = """
#include "{name}.hpp"
#include <cstdio>
int main()
{{
    double given[{record}], taken[{dof} + 1];
    std::array<std::array<{real}, 4>, 4> T;
    std::array<{real}, {dof}> q{{}};
    while (std::fread(given, sizeof(double), {record}, stdin) == {record}) {{
        for (int i = 0; i < 16; i++) T[i / 4][i % 4] = static_cast<{real}>(given[i]);
        const std::array<{real}, 1> parameter{{static_cast<{real}>(given[16])}};
        (void)parameter;
        for (int i = 0; i < {dof} && given[{dof} + 17] == 0; i++) q[i] = static_cast<{real}>(given[17 + i]);
        taken[0] = manipula::{name}(T, {parameter}q, static_cast<{real}>(given[{dof} + 18]), q);
        for (int i = 0; i < {dof}; i++) taken[i + 1] = q[i];
        std::fwrite(taken, sizeof(double), {dof} + 1, stdout);
    }}
}}
"""
RUST_DRIVER = """
use std::io::{{Read, Write}};
fn main() {{
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).unwrap();
    let all: Vec<f64> = bytes.chunks(8).map(|x| f64::from_le_bytes(x.try_into().unwrap())).collect();
    let (mut q, mut out) = ([0.0 as {real}; {dof}], Vec::new());
    for given in all.chunks({record}) {{
        let mut pose = [[0.0 as {real}; 4]; 4];
        for i in 0..16 {{ pose[i / 4][i % 4] = given[i] as {real}; }}
        let parameter = [given[16] as {real}];
        let _ = parameter;
        for i in 0..{dof} {{ if given[{dof} + 17] == 0.0 {{ q[i] = given[17 + i] as {real}; }} }}
        let now = q;
        let status = {crate}::{module}::nearest(&pose, {parameter}&now, given[{dof} + 18] as {real}, &mut q);
        out.extend((status as f64).to_le_bytes());
        for x in q {{ out.extend((x as f64).to_le_bytes()); }}
    }}
    std::io::stdout().write_all(&out).unwrap();
}}
"""
JAVASCRIPT_DRIVER = """
import {{ readFileSync, writeSync }} from "node:fs";
import {{ {name} }} from "./{name}.mjs";
const bytes = readFileSync(0);
const all = new Float64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
const q = new Float64Array({dof});
const out = [];
for (let at = 0; at < all.length; at += {record}) {{
  const parameter = [all[at + 16]];
  if (all[at + {dof} + 17] === 0) q.set(all.subarray(at + 17, at + 17 + {dof}));
  out.push({name}(all.subarray(at, at + 16), {parameter}q, all[at + {dof} + 18], q), ...q);
}}
const made = new Uint8Array(Float64Array.from(out).buffer);
for (let done = 0; done < made.length; ) done += writeSync(1, made, done);
"""
DRIVERS = {"c": C_DRIVER, "cpp": CPP_DRIVER, "rust": RUST_DRIVER, "javascript": JAVASCRIPT_DRIVER}
TYPES = {"float64": "double", "float32": "float"}


def languages() -> list[tuple[str, str]]:
    """Language and number type of what this machine can run."""
    tools = {"c": CC, "cpp": CXX, "rust": shutil.which("rustc"), "javascript": shutil.which("node")}
    types = {"javascript": ("float64",)}
    return [(x, dtype) for x, tool in tools.items() if tool for dtype in types.get(x, tuple(TYPES))]


@dataclass(frozen=True)
class Subject:
    """An arm with the programs of its nearest solution in a folder."""

    arm: mp.Arm
    folder: Path

    @cached_property
    def solver(self) -> Any:
        return self.arm.inverse_solver

    @cached_property
    def model(self) -> mp.Model:
        return mp.generate(self.arm.robot, "inverse_kinematics")

    def program(self, language: str, dtype: str) -> list[str]:
        """Emitted and compiled once; the command that runs it."""
        name, folder = f"{self.model.name}_nearest", self.folder / language
        made = folder / f"driver_{dtype}"
        if not folder.exists():
            self.model.emit(language, folder)
        if not made.exists():
            self._compile(language, dtype, name, folder, made)
        return ["node", str(folder / "driver.mjs")] if language == "javascript" else [str(made)]

    def _compile(self, language: str, dtype: str, name: str, folder: Path, made: Path) -> None:
        rust = {"float64": ("f64", "double"), "float32": ("f32", "single")}[dtype]
        real = rust[0] if language == "rust" else TYPES[dtype]
        words = {"rust": "&parameter, "}.get(language, "parameter, ") if self.solver.parameter.exists else ""
        text = DRIVERS[language].format(
            name=name, dof=self.arm.dof, record=self.arm.dof + 19, parameter=words, real=real, crate=name.lower(),
            module=rust[1],
        )  # fmt: skip
        suffix = {"c": "c", "cpp": "cpp", "rust": "rs", "javascript": "mjs"}[language]
        source = folder / f"driver.{suffix}"
        source.write_text(text)
        flags = ["-DMANIPULA_FLOAT"] if dtype == "float32" else []
        commands = {
            "c": [[CC, "-std=c99", "-O2", *flags, source, folder / f"{name}.c", "-lm", "-o", made]],
            "cpp": [[CXX, "-std=c++17", "-O2", source, "-o", made]],
            "rust": [
                ["rustc", "--edition=2021", "-O", "--crate-type=rlib", f"--crate-name={name.lower()}",
                 folder / name / "src/lib.rs", "-o", folder / f"lib{name.lower()}.rlib"],
                ["rustc", "--edition=2021", "-O", source, "-L", folder, "--extern",
                 f"{name.lower()}={folder / f'lib{name.lower()}.rlib'}", "-o", made],
            ],
            "javascript": [],
        }[language]  # fmt: skip
        for command in commands:
            done = subprocess.run(list(map(str, command)), check=False, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr

    def run(self, language: str, dtype: str, draw: Draw) -> Answers:
        """Statuses, joints, and the inputs as they were rounded to the number type."""
        n, dof = draw.now.shape
        follow = np.zeros((n, 1)) if draw.start is None else (np.arange(n) % draw.start != 0).astype(float)[:, None]
        steps = np.full((n, 1), draw.max_step)
        parts = [draw.T.reshape(n, 16), draw.parameter.reshape(n, 1), draw.now, follow, steps]
        given = np.ascontiguousarray(np.hstack(parts))
        done = subprocess.run(self.program(language, dtype), input=given.tobytes(), capture_output=True, check=True)
        taken = np.frombuffer(done.stdout).reshape(n, dof + 1)
        status, q = taken[:, 0].astype(int), taken[:, 1:]
        now = draw.now.astype(dtype).astype(float)
        if draw.start is not None:
            before = np.vstack([now[:1], q[:-1]])
            now = np.where(follow > 0, before, now)
        return Answers(self, dtype, draw, status, q, now)


@dataclass(frozen=True)
class Draw:
    """Poses T of the configurations q, present joints, the parameter of each; `start`: every so many begins a way."""

    kind: str
    q: Floats
    T: Floats
    now: Floats
    parameter: Floats
    start: int | None = None
    max_step: float = 0.0
    decimals: int | None = None


@dataclass(frozen=True)
class Answers:
    """What a program found."""

    subject: Subject
    dtype: str
    draw: Draw
    status: Any
    q: Floats
    now: Floats

    @cached_property
    def pose_error(self) -> Floats:
        """The largest entry of |FK − T|, by the size of the arm; T as the program had it, with its nearest rotation."""
        T = checked_poses(self.draw.T.astype(self.dtype).astype(float), 1e-3)
        error: Floats = np.abs(self.subject.arm.pose(self.q) - T).max((-1, -2)) / self.subject.solver.size
        return error

    @property
    def false_success(self) -> Any:
        """Where a solution does not meet its pose."""
        exact = exact_of(self.subject.solver)[self.dtype == "float32"]
        return (self.status <= 0) & ~(self.pose_error <= exact)

    def further(self, q: Floats) -> Floats:
        """By how much more than q a solution is away from the present joints, rad and m."""
        more: Floats = np.linalg.norm(self.q - self.now, axis=-1) - np.linalg.norm(q - self.now, axis=-1)
        return more


def determinant_roots(arm: mp.Arm, q: Floats, joint: int) -> Floats:
    """Where along a joint the determinant of the Jacobian changes its sign."""
    low, high = np.linspace(-np.pi, np.pi, 25)[:-1], np.linspace(-np.pi, np.pi, 25)[1:]

    def values(x: Floats) -> Floats:
        way = np.repeat(q[None], len(x), 0)
        way[:, joint] = x
        return np.linalg.det(arm.jacobian(way))

    first = values(low)
    change = first * values(high) < 0
    low, high, first = low[change], high[change], first[change]
    for _ in range(60 if len(low) else 0):
        middle = (low + high) / 2
        same = values(middle) * first > 0
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return low


def singular_configurations(arm: mp.Arm, count: int, rng: Any, low: Floats, high: Floats) -> tuple[Floats, Any]:
    """Configurations at which six joints lose a freedom, and the joint that was turned there.

    Of a redundant arm, or one with few joints: some with a joint at zero.
    """
    q, joints = rng.uniform(low, high, (count, arm.dof)), rng.integers(0, arm.dof, count)
    if arm.dof != 6:
        joints = np.full(count, arm.dof - 2)
        q[:, arm.dof - 2] = np.clip(0.0, low[-2], high[-2])
        return q, joints
    for i in range(count):
        found = np.empty(0)
        while not found.size:
            q[i], joint = rng.uniform(low, high), int(rng.integers(0, 6))
            found = determinant_roots(arm, q[i], joint)
            found = found[(found > low[joint]) & (found < high[joint])]
        q[i, joint], joints[i] = rng.choice(found), joint
    return q, joints


def draws(subject: Subject, count: int, seed: int) -> Iterator[Draw]:
    """Some `count` poses of every kind, near the present joints and far from them."""
    arm, solver, rng = subject.arm, subject.solver, np.random.default_rng(seed)
    room = np.minimum(0.25, (solver.high - solver.low) / 8)
    low, high = np.maximum(solver.low + room, -3.0), np.minimum(solver.high - room, 3.0)

    def draw(kind: str, q: Floats, now: Floats, decimals: int | None = None, **more: Any) -> Draw:
        values = np.array([solver.parameter_of(x) if solver.parameter.exists else 0.0 for x in q])
        T = arm.pose(q)
        T = T if decimals is None else T.round(decimals)
        return Draw(kind, q, T, now, values, decimals=decimals, **more)

    def near(q: Floats, by: float = 1e-3) -> Floats:
        return q + by * rng.normal(size=q.shape)

    q, far = rng.uniform(low, high, (2, count, arm.dof))
    singular, joints = singular_configurations(arm, count, rng, low, high)
    off = np.zeros_like(singular)
    off[np.arange(count), joints] = 10.0 ** rng.uniform(-13, -2, count)
    yield draw("clear", q, near(q))
    yield draw("clear, far", q, far)
    yield draw("singular", singular, near(singular))
    yield draw("singular, far", singular, far)
    yield draw("beside", singular + off, near(singular))
    yield draw("beside, far", singular + off, far)
    steps = 40
    ways = max(1, count // steps)
    way = 0.8 * room * rng.uniform(-1, 1, (ways, 1, arm.dof)) * np.linspace(-1, 1, steps + 1)[None, :, None]
    along = (singular[:ways, None] + way).reshape(-1, arm.dof)
    yield draw("way through singular", along, along, start=steps + 1, max_step=0.3)
    if solver.freedoms == 6:
        for decimals in (3, 4, 5, 6):
            part = q[: max(1, count // 4)]
            yield draw(f"{decimals} decimals", part, near(part), decimals=decimals)
