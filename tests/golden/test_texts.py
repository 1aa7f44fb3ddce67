"""Texts with loops of inverse kinematics, routine by routine: each runs in Python as in machine code, and its C changes
only when that is meant (`pytest tests/golden/test_texts.py --update`; the golden file has a digest a routine)."""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.emit.c.program import program_text
from manipula.algebra.program.reader import program
from manipula.generation.arm_structure import numeric_chain
from manipula.ik.descent import Descent, descend
from manipula.ik.general6r.solutions import solve_poses, study
from manipula.ik.general6r.solver import General6R, solve_poses_dense
from manipula.ik.module.step import stepped_towards
from manipula.ik.numeric.arrays import jacobian_of, limit_rows, pose_of, wound
from manipula.ik.numeric.branches import wind_each
from tests.laws.test_general6r import ARMS

FILE = Path(__file__).with_name("texts.txt")


def by_python_6r() -> None:
    chain = numeric_chain(mp.Robot.from_dh(ARMS["all non-zero"][0], convention="standard", angle="deg", name="arm"))
    solver, pose = General6R(chain), pose_of(chain)(np.array([[0.3, -0.7, 0.5, 1.1, -0.4, 0.9]]))
    found = solve_poses_dense(solver.tables, pose)
    q, about, report = (np.zeros(x.shape[1:]).astype(x.dtype) for x in found)
    solve_poses(1, *solver.tables, pose.ravel(), q.reshape(-1), about.reshape(-1), report)
    assert report.tolist() == found.report[0].tolist() and report[0] > 0
    np.testing.assert_allclose(q[: report[0]], found.q[0, : report[0]], atol=1e-9)


def by_python_descent() -> None:
    chain = numeric_chain(mp.load("puma560"))
    low, high = np.full(6, -2.5), np.full(6, 2.5)
    starts, T = np.full((1, 6), 0.2), pose_of(chain)(np.array([0.4, -0.3, 0.6, 0.1, 0.7, -0.2]))
    for task in ("pose", "position", "axis", "direction"):
        one, other = (Descent(chain, low, high, run)(starts, T, task, bounded=True) for run in (descend, None))
        np.testing.assert_allclose(one.q, other.q, atol=1e-7)


def by_python_step() -> None:
    """A step towards a target comes nearer to it."""
    chain = numeric_chain(mp.load("puma560"))
    q, goal = np.array([0.1, -0.5, 0.4, 0.2, 0.6, 0.1]), np.array([0.2, -0.4, 0.3, 0.1, 0.7, 0.0])
    target = pose_of(chain)(goal)
    rows = [np.concatenate([T[:3, :3].ravel(), T[:3, 3]]) for T in (pose_of(chain)(q), target)]
    kinds, bounds = np.ones(6, np.int64), np.full(6, 3.0)
    misses = []
    for _ in range(8):
        end = pose_of(chain)(q)
        J = np.ascontiguousarray(jacobian_of(chain)(q)).ravel()
        here = np.concatenate([end[:3, :3].ravel(), end[:3, 3]])
        misses.append(stepped_towards(6, 1.0, J, here, rows[1], kinds, -bounds, bounds, q))
    assert misses[-1] < 1e-6 * misses[0] and np.abs(pose_of(chain)(q) - target).max() < 1e-3


def by_python_turns() -> None:
    turning, low, high = np.array([True, False, True]), np.array([-7.0, -9.0, -1.0]), np.array([7.0, 9.0, 1.0])
    q, seed = np.array([[0.2, 1.0, 3.0], [-0.2, 2.0, 0.5]]), np.array([6.0, 0.0, 0.0])
    for near in (None, seed):
        plain = q.copy()
        wind_each(2, 3, plain.reshape(-1), near is not None, seed, limit_rows(turning, low, high))
        np.testing.assert_allclose(plain, wound(q, turning, low, high, near), atol=1e-15)


TEXTS: dict[str, tuple[tuple[Callable[..., Any], ...], Callable[[], None]]] = {
    "6R": ((solve_poses, study), by_python_6r),
    "descent": ((descend,), by_python_descent),
    "step": ((stepped_towards,), by_python_step),
    "turns": ((wind_each,), by_python_turns),
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_in_python_and_c(name: str, request: pytest.FixtureRequest) -> None:
    entries, run = TEXTS[name]
    run()
    whole = re.sub(r"/\*.*?\*/|//[^\n]*", "", program_text(program(*entries)), flags=re.DOTALL)
    digests = {}
    for routine in re.split(r"\n(?=\w)", whole):
        title = re.sub(r"\W+", "_", routine.partition("(")[0]).strip("_")[:60]
        digests[f"{name} {title}"] = sha256(" ".join(routine.split()).encode()).hexdigest()[:16]
    golden = (
        dict(line.rsplit(" ", 1) for line in FILE.read_text(encoding="utf-8").splitlines()) if FILE.exists() else {}
    )
    if request.config.getoption("--update"):
        golden = {key: x for key, x in golden.items() if not key.startswith(f"{name} ")} | digests
        FILE.write_text("".join(f"{key} {golden[key]}\n" for key in sorted(golden)), encoding="utf-8", newline="\n")
    own = {key: x for key, x in golden.items() if key.startswith(f"{name} ")}
    assert digests == own, "if the change is meant: --update"
