"""What an installed manipula must do: run by the Python of a fresh environment, in an empty folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np

import manipula as mp


def check_installed() -> None:
    """The package is the installed one, and holds the built pages."""
    home = Path(mp.__file__).parent
    assert home.is_relative_to(sys.prefix), f"{home} is not in {sys.prefix}"
    missing = [
        name for name in ("studio/index.html", "report.js", "widget.js") if not (home / "pages/static" / name).exists()
    ]
    assert not missing, f"the wheel lacks {missing}"
    assert (home / "py.typed").exists()


def check_models() -> None:
    """Jacobian against differences of the pose, dynamics there and back, poses reached by every solution."""
    arm, draw, small = mp.Arm("puma560"), np.random.default_rng(0), 1e-6
    q, qd, qdd = draw.uniform(-1, 1, (3, 6))
    slopes = [(arm.pose(q + small * e)[:3, 3] - arm.pose(q - small * e)[:3, 3]) / (2 * small) for e in np.eye(6)]
    np.testing.assert_allclose(arm.jacobian(q)[:3], np.transpose(slopes), atol=1e-8)
    tau = arm.inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(arm.forward_dynamics(q, qd, tau), qdd, rtol=1e-9, atol=1e-9)
    solutions = arm.inverse_kinematics(arm.pose(q)).q
    assert len(solutions), "no solution of a pose that is reached"
    for found in solutions:
        np.testing.assert_allclose(arm.pose(found), arm.pose(q), atol=1e-9)


def check_code() -> None:
    """Emitted C passes its own test where there is a compiler."""
    files = mp.generate("planar2r", "inverse_dynamics", optimise="fast").emit("c", "code")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        print("no C compiler: emitted C is written and not run")
        return
    sources = [str(path) for path in files if path.suffix == ".c"]
    subprocess.run([compiler, "-std=c99", "-Wall", "-Werror", "-Icode", *sources, "-lm", "-o", "selftest"], check=True)
    subprocess.run([str(Path("selftest").resolve())], check=True)


if __name__ == "__main__":
    for check in (check_installed, check_models, check_code):
        check()
        print(f"{check.__name__}: {(check.__doc__ or '').strip()}")
