"""Programs as users write them, under strict type checkers; and what the checker is told of inverse kinematics."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from shutil import copy, which

import numpy as np
import pytest

import manipula as mp
from manipula.ik.answers import InverseBatch, InverseResult

PROGRAM = """
from pathlib import Path

import numpy as np

import manipula as mp


def cycle(arm: mp.Arm, q: np.ndarray, qd: np.ndarray, dt: float) -> np.ndarray:
    torque = arm.inverse_dynamics(q, qd, np.zeros_like(q))
    return q + dt * qd + 0.0 * torque


def answers(arm: mp.Arm, q: np.ndarray) -> list[float]:
    pose = arm.pose(q)
    found = arm.inverse_kinematics(pose, seed=q)
    print(found.nearest.reason, found.nearest.distance, len(found.q), found.branch)
    return [float(x) for x in found.q[0]]


def many(arm: mp.Arm, poses: np.ndarray) -> int:
    found = arm.inverse_kinematics_batch(poses)
    return int(found.valid.any(axis=-1).sum())


def main() -> None:
    robot = mp.load("puma560").with_payload(1.5, (0, 0, 0.1))
    arm = mp.Arm(robot)
    q = np.full(arm.dof, 0.3)
    print(answers(arm, cycle(arm, q, q, 1e-3)), many(arm, np.stack([arm.pose(q), arm.pose(-q)])))
    model = mp.generate(robot, "gravity")
    paths: list[Path] = model.emit("c", Path("out"))
    print(model.cost.total, [path.name for path in paths], robot.digest)
    law = mp.controller(robot, "pd_gravity", kp=100, kd=20, sample=1e-3)
    print(law.step(law.start(), q, q, q, q).outputs, law.settings["kp"])


if __name__ == "__main__":
    main()
"""


@pytest.mark.slow
@pytest.mark.skipif(find_spec("mypy") is None, reason="no mypy: a user's program is not checked")
def test_a_users_program_is_clean_under_strict_mypy(tmp_path: Path) -> None:
    (tmp_path / "user.py").write_text(
        PROGRAM.replace("np.ndarray", "np.ndarray[tuple[int, ...], np.dtype[np.float64]]")
    )
    words = ("--strict", "--cache-dir", str(tmp_path / "cache"), "--python-executable", sys.executable)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *words, "user.py"], cwd=tmp_path, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


PROGRAMS = Path(__file__).parents[1] / "typing"
ROOT = Path(mp.__file__).parents[1]
WRONG = "import manipula as mp\n\nfound = mp.Arm('puma560').inverse_kinematics_batch([])\nprint(found.nearest)\n"


def checked(folder: Path) -> subprocess.CompletedProcess[str]:
    """The cache beside the package's own is warm from the second run on."""
    words = (
        "--strict",
        "--config-file=",
        "--follow-imports=silent",
        "--cache-dir",
        str(ROOT / ".mypy_cache" / "users"),
    )
    names = sorted(path.name for path in folder.glob("*.py"))
    return subprocess.run(
        [sys.executable, "-m", "mypy", *words, *names], cwd=folder, check=False, capture_output=True, text=True
    )


@pytest.mark.slow
@pytest.mark.skipif(find_spec("mypy") is None, reason="no mypy: users' programs are not checked")
def test_ten_programs_are_clean_under_strict_mypy(tmp_path: Path) -> None:
    assert len(list(PROGRAMS.glob("*.py"))) == 10
    done = checked(PROGRAMS)
    assert done.returncode == 0, done.stdout
    (tmp_path / "wrong.py").write_text(WRONG)
    assert '"InverseBatch" has no attribute "nearest"' in checked(tmp_path).stdout


def pyright(folder: Path) -> subprocess.CompletedProcess[str]:
    settings = {"include": ["."], "extraPaths": [str(ROOT)], "typeCheckingMode": "strict"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    words = ("-p", str(folder), "--pythonpath", sys.executable)
    return subprocess.run(["pyright", *words], cwd=folder, check=False, capture_output=True, text=True)


@pytest.mark.slow
@pytest.mark.skipif(which("pyright") is None, reason="no pyright (npm): users' programs are not checked by it")
def test_ten_programs_are_clean_under_strict_pyright(tmp_path: Path) -> None:
    for path in PROGRAMS.glob("*.py"):
        copy(path, tmp_path)
    done = pyright(tmp_path)
    assert done.returncode == 0 and "0 errors, 0 warnings" in done.stdout, done.stdout
    (tmp_path / "wrong.py").write_text(WRONG)
    assert 'Cannot access attribute "nearest" for class "InverseBatch"' in pyright(tmp_path).stdout


@pytest.mark.slow
def test_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(PROGRAM, "user.py", "exec"), {"__name__": "__main__"})
    assert "reached" in capsys.readouterr().out


def test_one_pose_and_many_have_their_own_types() -> None:
    for name, kind in (("inverse_kinematics", InverseResult), ("inverse_kinematics_batch", InverseBatch)):
        assert inspect.signature(getattr(mp.Arm, name)).return_annotation == kind.__name__
    arm = mp.Arm("puma560")
    poses = arm.pose(np.linspace(-0.5, 0.5, 12).reshape(2, 6))
    one, batch = arm.inverse_kinematics(poses[0]), arm.inverse_kinematics_batch(poses)
    assert isinstance(one, InverseResult)
    assert isinstance(batch, InverseBatch)
    assert np.array_equal(batch.q, arm.inverse_kinematics(poses).q, equal_nan=True)
    with pytest.raises(mp.InputError, match="expected many targets, found one"):
        arm.inverse_kinematics_batch(poses[0])
