"""Seams solved as a whole, beside other ways: python bench/seams.py [--poses N] [--seams N] [--spin] [arm …]

Twenty industrial arms on lines, circles and ways through a straight wrist. With `--spin` the tool's turn about its z
axis is free, with `--tool` the arms have a tool, too.

  lost        poses that no configuration inside the limits reaches
  jumps       steps above max_step
  least       jumps that no way avoids: another search, over the branches of every pose, without turns and limits
  greedy      jumps of the way that takes at every pose the solution nearest to the one before (`--greedy`)
  untold      steps above max_step that the seam does not name: must be 0
  µs          processor time of `arm.follow` a pose, compiled before
  far ms      the same a pose of a seam that is out of reach
  C           seams without a jump that the emitted `…_follow` solves from the same start: within 1e-9 everywhere; the
              same poses by other joints; ended where only the whole seam shows a way
"""

from __future__ import annotations

import argparse
import ctypes
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tables import table

import manipula as mp
from manipula.ik.numeric.arrays import principal
from tests.emitted import CC, shared

ARMS = (
    "puma560", "ur3", "ur3e", "ur5", "ur5e", "ur10", "ur10e", "irb120", "irb140", "kr5", "kr6", "kr10", "lrmate200id",
    "stanford", "cobra600", "iiwa14", "lwr4", "panda", "sawyer", "xarm7",
)  # fmt: skip
KINDS = ("line", "circle", "wrist")
MAX_STEP = 0.3
Floats = NDArray[np.float64]


def seams(arm: mp.Arm, kind: str, count: int, poses: int) -> list[Floats]:
    """Poses about random configurations inside the limits."""
    rng = np.random.default_rng(7)
    low, high = np.array(arm.limits).T
    low, high = np.maximum(low, -np.pi), np.minimum(high, np.pi)
    s = np.linspace(0.0, 1.0, poses)
    made = []
    for _ in range(count):
        q = rng.uniform(0.8 * low + 0.2 * high, 0.2 * low + 0.8 * high)
        if kind == "wrist":
            # joints move straight through θ5 = 0
            to = q + rng.uniform(-0.4, 0.4, arm.dof)
            q[4], to[4] = 0.3, -0.3
            made.append(arm.pose(q + s[:, None] * (to - q)))
            continue
        T = np.repeat(arm.pose(q)[None], poses, axis=0)
        along, across = np.linalg.qr(rng.normal(size=(3, 2)))[0].T
        if kind == "line":
            T[:, :3, 3] += 0.3 * s[:, None] * along
        else:
            T[:, :3, 3] += 0.1 * (
                (np.cos(2 * np.pi * s) - 1)[:, None] * along + np.sin(2 * np.pi * s)[:, None] * across
            )
        made.append(T)
    return made


def greedy_jumps(arm: mp.Arm, poses: Floats) -> int:
    """Of the way that takes the nearest solution at every pose, from the first solution there is."""
    last, jumps = None, 0
    for T in poses:
        found = arm.inverse_kinematics(T, last)
        if len(found.q):
            jumps += last is not None and bool(np.abs(found.q[0] - last).max() > MAX_STEP)
            last = found.q[0]
    return jumps


def least_jumps(arm: mp.Arm, poses: Floats) -> int:
    """Of any way through the branches, whatever the turns; poses without one are left out."""
    batch = arm.inverse_kinematics_batch(poses)
    turning = arm.inverse_solver.turning
    before: Floats | None = None
    jumps = np.zeros(1)
    for q, valid in zip(batch.q, batch.valid, strict=True):
        if not valid.any():
            continue
        here = q[valid]
        if before is None:
            jumps = np.zeros(len(here))
        else:
            step = np.abs(principal(here[:, None] - before[None], turning)).max(-1)
            jumps = np.minimum(np.where(step <= MAX_STEP, jumps, np.inf).min(-1), jumps.min() + 1)
        before = here
    return int(jumps.min())


class Controller:
    """The emitted `…_follow`; None where it cannot be emitted."""

    def __init__(self, arm: mp.Arm, folder: Path) -> None:
        model = mp.generate(arm.robot, "inverse_kinematics")
        model.emit("c", folder, batch=False)
        self.arm = arm
        source = folder / f"{model.name}_nearest.c"
        self.function: Any = shared(source)[f"{model.name}_follow"] if source.exists() else None

    def follow(self, poses: Floats, start: Floats) -> Floats:
        """The joints as far as it comes."""
        q, count = np.full((len(poses), self.arm.dof), np.nan), ctypes.c_int(0)
        arrays = [np.ascontiguousarray(x) for x in (poses, start, q)]
        T, begin, found = (ctypes.c_void_p(x.ctypes.data) for x in arrays)
        self.function(len(poses), T, begin, ctypes.c_double(MAX_STEP), found, ctypes.byref(count))
        return arrays[2][: count.value]


def seconds_of(arm: mp.Arm, poses: Floats, free: str | None) -> tuple[Any, float]:
    begin = time.process_time()
    path = arm.follow(poses, free=free, max_step=MAX_STEP)
    return path, time.process_time() - begin


def row_of(title: str, arm: mp.Arm, kind: str, controller: Controller | None, given: Any) -> list[str]:
    free = "spin" if given.spin else None
    least: int | None = None if free or arm.inverse_solver.parameter.exists else 0
    jumps = greedy = untold = lost = 0
    compared = np.zeros(3, dtype=int)
    seconds = 0.0
    drawn = seams(arm, kind, given.seams, given.poses)
    arm.follow(drawn[0][:3], free=free)
    for poses in drawn:
        path, spent = seconds_of(arm, poses, free)
        seconds += spent
        q = path.q[path.reached]
        steps = int((np.abs(np.diff(q, axis=0)).max(-1) > MAX_STEP).sum()) if len(q) else 0
        told = {reason.first for reason in path.reasons}
        untold += steps - sum(i in told for i in path.jumps)
        jumps, lost = jumps + len(path.jumps), lost + len(path.unreached)
        greedy += greedy_jumps(arm, poses) if given.greedy else 0
        least = None if least is None else least + least_jumps(arm, poses)
        if controller and controller.function and not free and not path.jumps and path.reached.all():
            found = controller.follow(poses, path.q[0])
            same = len(found) == len(q) and bool(np.abs(found - q).max() <= 1e-9)
            compared[0 if same else 1 if len(found) == len(q) else 2] += 1
    away = drawn[0].copy()
    away[:, 0, 3] += 10.0
    _, far = seconds_of(arm, away, free)
    each = 1e6 * seconds / (given.seams * given.poses)
    counts = (lost, jumps, "" if least is None else least, greedy if given.greedy else "", untold)
    c = " ".join(map(str, compared)) if compared.any() else ""
    return [title, kind, *map(str, counts), f"{each:.1f}", f"{1e3 * far / given.poses:.3f}", c]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--poses", type=int, default=1000)
    parser.add_argument("--seams", type=int, default=17, help="of each kind")
    parser.add_argument("--spin", action="store_true")
    parser.add_argument("--tool", action="store_true", help="with a tool, too")
    parser.add_argument("--greedy", action="store_true", help="count the jumps of the greedy way, too: slow")
    parser.add_argument("arms", nargs="*", default=ARMS)
    given = parser.parse_args()
    rows = []
    for name in given.arms:
        robot = mp.load(name)
        arms = {name: mp.Arm(robot)}
        if given.tool:
            arms[f"{name} + tool"] = mp.Arm(robot.with_tool(xyz=(0.05, 0.0, 0.15)))
        for title, arm in arms.items():
            with tempfile.TemporaryDirectory() as folder:
                controller = Controller(arm, Path(folder)) if CC and not arm.inverse_solver.parameter.exists else None
                # fewer joints have no wrist to pass
                for kind in KINDS if arm.dof > 4 else KINDS[:2]:
                    rows.append(row_of(title, arm, kind, controller, given))
                    print(" ".join(rows[-1]), flush=True)
    head = ("arm", "seams", "lost", "jumps", "least", "greedy", "untold", "µs", "far ms", "C same, other, ended")
    table("Seams", head, rows)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
