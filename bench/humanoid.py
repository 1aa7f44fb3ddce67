"""An arm of four joints that carries a humanoid: seconds of processor to read it and to make seven models.

MANIPULA_CACHE=off PYTHONPATH=. python bench/humanoid.py
"""

from __future__ import annotations

import random
from time import process_time

import manipula as mp
from tests.units.test_urdf_light import humanoid

MODELS = ("pose", "jacobian", "inertia_matrix", "gravity", "coriolis", "inverse_dynamics", "forward_dynamics")


def main() -> None:
    for limbs, fixed in ((0, 0), (124, 0), (0, 124)):
        text, tip = humanoid(random.Random(1), 4, limbs, fixed), f"a{3 + fixed}"
        start = process_time()
        robot = mp.Robot.from_text(text, "urdf", tip=tip)
        read = process_time()
        for model in MODELS:
            mp.generate(robot, model, optimise="none").compile()
        made = process_time()
        print(f"{limbs:4} limbs, {fixed:4} fixed joints: read {read - start:.2f} s, models {made - read:.2f} s")


if __name__ == "__main__":
    main()
