"""What is written and drawn of small cases, what is read of files, and what is said meanwhile: digests and texts. See
`figures.py`; `pytest -n 0 tests/golden/test_files.py --update` accepts what they are now: read the diff first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula import api
from tests.design_arms import FLAT
from tests.golden.figures import EXACT, assert_golden, digest, said
from tests.golden.test_figures import ARM, BENT, SCARA, SEARCHED, Results
from tests.golden.test_pages import artists
from tests.log_tables import arm as table_arm
from tests.log_tables import motion as table_motion
from tests.log_tables import plain_columns
from tests.log_tables import table as table_text
from tests.log_tables import written as file_written
from tests.random_robots import random_robot
from tests.recordings import recording

pytestmark = pytest.mark.usefixtures("without_search")


# what is written: a digest a file, and a piece of it


def written() -> Results:
    solution = mp.generate(SCARA, "inverse_kinematics")
    law = mp.controller(
        FLAT.with_parameters(l1=0.45, l2=0.4), "pid", kp=80, ki=9, kd=12, tracking=5, limit=30, filter=0.01, sample=1e-3
    )
    for language in ("c", "rust", "fortran", "javascript"):
        yield f"solution in {language}", _digests(lambda place: solution.emit(language, place))  # noqa: B023
    for language in ("c", "cuda", "rust"):
        yield f"law in {language}", _digests(lambda place: law.emit(language, place))  # noqa: B023
    module = mp.robot_module(SCARA, models=["pose", "inverse_kinematics"], optimise="none")
    yield "module", _pieces("module", module)


def _digests(write: Callable[[str], Any]) -> dict[str, str]:
    with TemporaryDirectory() as place:
        write(place)
        files = sorted(path for path in Path(place).rglob("*") if path.is_file())
        return {
            piece: digest
            for path in files
            for piece, digest in _pieces(path.relative_to(place).as_posix(), path.read_text(encoding="utf-8")).items()
        }


def _pieces(name: str, text: str) -> dict[str, str]:
    """A few pieces of a text, so that a change is found."""
    rows = text.splitlines()
    size = max(-(-len(rows) // 8), 40)
    parts = {f"{name}:{first + 1}": "\n".join(rows[first : first + size]) for first in range(0, len(rows), size)}
    return {piece: digest(part) for piece, part in parts.items()}


def generated() -> Results:
    """A model as it is read: its equations in every form, its costs, what is said of it."""
    for name, model in (("gravity", mp.generate(FLAT, "gravity")), ("jacobian", mp.generate(BENT, "jacobian"))):
        for form in ("auxiliary", "factored", "expanded") if name == "gravity" else ("auxiliary",):
            yield f"{name} {form}", said(lambda: [str(model.equations(form=form)), str(model.latex(form=form))])  # noqa: B023
        costs = (model.cost, model.tree_cost, str(model), repr(model), model.conditions)
        yield name, costs


def files() -> Results:
    """Robots in every format that is written, read again and written once more; what is lost is said."""
    odd = (
        mp.Robot.of(random_robot(5, joints="RPRR"))
        .with_payload(1.5, com=(0.1, 0, 0.2))
        .with_tool((0.1, 0.2, 0), (0.3, 0, 1))
    )
    robots = [mp.load(name) for name in ("puma560", "scara", "stanford3", "planar2r")] + [ARM, BENT, odd]
    for robot in robots:
        yield f"{robot.name} document", api.document(robot)
        for convention in ("standard", "modified"):
            yield f"{robot.name} {convention}", said(lambda: api.to_text(mp.convert(robot, convention)))  # noqa: B023
        for format in dict.fromkeys(x.name for x in api.formats().values() if x.writer):
            yield f"{robot.name} {format}", said(lambda: _to_and_fro(robot, format))  # noqa: B023


def _to_and_fro(robot: mp.Robot, format: str) -> tuple[str, str]:
    text = api.to_text(robot, format)
    return text, api.to_text(mp.Robot.from_text(text, format))


# recordings as loggers write them: what is read, what is repaired, what is said, what is refused


def recorded_files() -> Results:
    names = ["shoulder", "elbow"]
    robot, data = table_arm(names), table_motion(2)
    t, q, qd, tau = (data[name] for name in ("t", "q", "qd", "tau"))
    jumps = np.where(np.arange(len(t)) == 30, 9.0, 0.0)[:, None]
    late = np.where(np.arange(len(t)) > 40, 0.4, 0.0)
    changes: dict[str, dict[str, Any]] = {
        "plain": {}, "degrees": {"q": np.degrees(q), "qd": np.degrees(qd)}, "milliseconds": {"t": 1e3 * t},
        "wrong sign": {"qd": -qd}, "stuck": {"tau": np.where(np.abs(tau) > 4, np.sign(tau) * 4, tau)},
        "jump": {"q": q + jumps}, "gap": {"t": t + late}, "still": {"q": 0 * q}, "late": {"tau": np.roll(tau, 3, 0)},
        "wrapped": {"q": np.remainder(4 * q + np.pi, 2 * np.pi) - np.pi, "qd": 4 * qd},
        "twice": {"t": np.repeat(t[::2], 2)}, "few": {"t": t[:3], "q": q[:3], "qd": qd[:3], "tau": tau[:3]},
        "lost": {"tau": np.where(np.arange(len(t))[:, None] % 17 == 0, np.nan, tau)},
    }  # fmt: skip
    with TemporaryDirectory() as place:
        for name, change in changes.items():
            path = file_written(Path(place) / f"{name}.csv", table_text(plain_columns({**data, **change})))
            yield name, _read(path, robot)
        heads = {
            "named": {"time [ms]": 1e3 * t, **{f"{x}_pos (deg)": np.degrees(q[:, j]) for j, x in enumerate(names)},
                      **{f"{x}_torque_Nm": tau[:, j] for j, x in enumerate(names)}},
            "foreign": {"Zeit_s": t, "q[0]": q[:, 0], "q[1]": q[:, 1], "effort.0": tau[:, 0], "effort.1": tau[:, 1]},
            "unknown": {"t": t, "a": q[:, 0], "b": q[:, 1]}, "without torque": {"t": t, "q1": q[:, 0], "q2": q[:, 1]},
            "three": {"t": t, **{f"q{k}": q[:, 0] for k in (1, 2, 3)}, **{f"tau{k}": q[:, 0] for k in (1, 2, 3)}},
        }  # fmt: skip
        for name, columns in heads.items():
            for separator, decimal in ((",", "."), (";", ","), ("\t", ".")):
                path = file_written(Path(place) / f"{name}.csv", table_text(columns, separator, decimal))
                yield f"{name} by {separator!r}", _read(path, robot)


def _read(path: Path, robot: mp.Robot) -> Any:
    made, heard = said(lambda: mp.read_log(path, robot))
    return made if isinstance(made, str) else (made, str(made), made.rate), heard


def plots() -> Results:
    """Every line, label and limit of the figures of results."""
    arm = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=2, m2=1, g=9.81)
    yield "excite", artists(mp.excite(arm, seconds=3, harmonics=2, seeds=1).plot()).splitlines()
    log = recording(ARM, 3, seconds=0.5)
    for degrees in (False, True):
        yield f"log in degrees {degrees}", artists(log.plot(degrees=degrees)).splitlines()
    law = mp.controller(ARM, "pd_gravity", kp=400, kd=40)
    ref = mp.trajectory.quintic([0.1, -0.4], [0.9, 0.5], 0.1)
    run = mp.simulate(mp.Plant(ARM, effort=None), law, ref, until=0.1)
    for degrees in (False, True):
        yield f"run in degrees {degrees}", artists(run.plot(degrees=degrees)).splitlines()
    yield "ellipsoid", artists(mp.Arm(BENT).plot_ellipsoid([0.1, 0.5, -0.4])).splitlines()
    yield "workspace", artists(mp.Arm(BENT).plot_workspace(200)).splitlines()


CASES: dict[str, Callable[[], Results]] = {
    case.__name__: case for case in (written, generated, files, recorded_files, plots)
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_written_is_the_golden_text(case: str, update: bool) -> None:
    digits = SEARCHED if case == "plots" else EXACT
    assert_golden(case, CASES[case](), update, {r"\S*/tmp\w*/": "FOLDER/"}, digits)
