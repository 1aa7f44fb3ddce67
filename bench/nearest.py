"""The emitted nearest solution against known ones: python bench/nearest.py [--poses N] [--language L] [arm …]

C, C++ and Rust in double and single precision, JavaScript in double. N poses in all (102,000 unless said otherwise), of
twenty arms: at clear and singular configurations and 1e-13 to 1e-2 rad beside them, with the present joints 1 mrad or
some rad away; along ways through singular configurations, each solution handed on as q_now; poses of 3 to 6 decimals.

  false     success with a pose that is wrong by more than 1e-12 of the arm's size in double, 1e-6 in single precision
            (fewer than six freedoms: 4e-6 and 1e-5)
  jumps     success (status 0) more than 0.1 rad further from the present joints than a known solution: the
            configuration that the pose was made from, or Python's nearest solution of a rounded pose; on ways, a step
            beyond max_step
  refused   no solution, although one is known
  warned    status -1
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
from tables import table

import manipula as mp
from tests.nearest import Answers, Draw, Floats, Subject, draws, languages

ARMS = (
    "puma560", "ur3", "ur3e", "ur5", "ur5e", "ur10", "ur10e", "irb120", "irb140", "kr5", "kr6", "kr10", "lrmate200id",
    "pucrio", "stanford", "j2s6s200", "cobra600", "panda", "iiwa14", "xarm7",
)  # fmt: skip
JUMP = 0.1  # rad, m


def known_solutions(subject: Subject, draw: Draw) -> Floats:
    """A solution of every pose: where it was made from, of a rounded one Python's nearest."""
    if draw.decimals is None:
        return draw.q
    found = draw.q.copy()
    for i, (T, now) in enumerate(zip(draw.T, draw.now, strict=True)):
        given = {"parameter": draw.parameter[i]} if subject.solver.parameter.exists else {}
        answers = subject.arm.inverse_kinematics(T, seed=now, **given).q
        found[i] = answers[0] if len(answers) else np.nan
    return found


def counted(answers: Answers, known: Floats) -> Counter[str]:
    """What became of the poses."""
    there = np.isfinite(known).all(-1)
    jumps = answers.further(known) > JUMP
    if answers.draw.start is not None:
        jumps = np.abs(answers.q - answers.now).max(-1) > answers.draw.max_step + 1e-6
    return Counter(
        poses=len(known), false=int(answers.false_success.sum()),
        jumps=int((there & jumps & (answers.status == 0)).sum()), refused=int((there & (answers.status > 0)).sum()),
        warned=int((answers.status == -1).sum()),
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("arms", nargs="*", default=ARMS)
    parser.add_argument("--poses", type=int, default=102_000)
    parser.add_argument("--language", choices=[x for x, _ in languages()])
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # rounded poses
    began = time.process_time()
    targets = [x for x in languages() if options.language in (None, x[0])]
    total: dict[tuple[str, str], Counter[str]] = {target: Counter() for target in targets}
    by_kind: dict[str, Counter[str]] = {}
    worst = dict.fromkeys(targets, 0.0)
    each = max(8, options.poses // (8 * len(options.arms)))  # poses of one kind; there are eight
    for name in options.arms:
        with tempfile.TemporaryDirectory() as folder:
            subject = Subject(mp.Arm(name), Path(folder))
            drawn = [(draw, known_solutions(subject, draw)) for draw in draws(subject, each, options.seed)]
            for target in targets:
                for draw, known in drawn:
                    answers = subject.run(*target, draw)
                    result = counted(answers, known)
                    total[target] += result
                    by_kind[draw.kind] = by_kind.get(draw.kind, Counter()) + result
                    worst[target] = max(worst[target], float(answers.pose_error[answers.status <= 0].max(initial=0)))
                    if result["false"] or result["jumps"]:
                        print(f"{name}, {' '.join(target)}, {draw.kind}: {dict(result)}")
    heads = ("poses", "false", "jumps", "refused", "warned")
    rows = [[" ".join(key), *(str(x[head]) for head in heads), f"{worst[key]:.1e}"] for key, x in total.items()]
    table("every arm", ["", *heads, "worst pose error"], rows)
    table("every language", ["", *heads], [[key, *(str(x[head]) for head in heads)] for key, x in by_kind.items()])
    print(f"\n{time.process_time() - began:.0f} s of CPU in Python")


if __name__ == "__main__":
    main()
