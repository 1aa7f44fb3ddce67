"""Whatever takes a robot takes its name, its file, a robot, an arm, a plant, what `identify` or `calibrate` found."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula import api, studies
from manipula.robot import as_robot
from tests.recordings import recording

pytestmark = pytest.mark.usefixtures("without_search")

ARM = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
ARM = ARM.with_friction(theta1={"viscous": 0.8, "coulomb": 1.2}, theta2={"viscous": 0.3, "coulomb": 0.5})
Q, RATE, GOAL = [0.1, 0.2], [1.0, 0.5], [0.4, 0.6]
MEASURED = np.random.default_rng(1).uniform(-1, 1, (12, 2))
MOTIONS = np.random.default_rng(2).uniform(-1, 1, (3, 8, 2))


def _log() -> mp.Log:
    return recording(ARM, 3, seconds=2, noise=0.01)


def _read(robot: Any) -> Any:
    with TemporaryDirectory() as folder:
        path = _log().save(Path(folder) / "log.csv")
        return mp.read_log(path, robot).q.tolist()


def _measured(robot: Any) -> Any:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        path.write_text("q1,q2,x,y,z\n0.1,0.2,1,2,3\n")
        return [x if isinstance(x, str) else x.tolist() for x in api.read_measured(robot, path)]


def _saved(robot: Any) -> str:
    with TemporaryDirectory() as folder:
        return mp.save(robot, Path(folder) / "two.toml").read_text()


def _files(robot: Any) -> list[str]:
    with TemporaryDirectory() as folder:
        return [path.read_text() for path in mp.dossier(robot, folder)]


def _study(robot: Any) -> Any:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "study.toml"
        path.write_text('format = 1\nstudy = "tolerances"\nrobot = "planar2r"\n[settings]\ncount = 2\n')
        return _rows(studies.study_of_file(path, robot)[0])


def _looks(robot: Any) -> str:
    with pytest.raises(mp.InputError) as refused:
        api.looks(robot)
    return str(refused.value)


def _rows(found: Any) -> str:
    return repr(list(found.rows))  # NaN is equal to itself in a text


GAINS: dict[str, Any] = {
    "law": "pd_gravity",
    "gains": {"kp": [10, 20], "kd": [1, 2]},
    "goal": GOAL,
    "duration": 0.1,
}
WORDS = ("robot", "robots", "plant", "arm")  # parameters that are one
RESULTS = ("Run",)  # hold a robot that somebody gave a verb
# every public verb and class that takes a robot, and what of its answer tells robots apart
TAKERS: dict[str, Callable[[Any], Any]] = {
    "Arm": lambda x: mp.Arm(x).robot,
    "OnlineEstimator": lambda x: mp.OnlineEstimator(x).robot,
    "PayloadEstimator": lambda x: mp.PayloadEstimator(x).robot,
    "Plant": lambda x: mp.Plant(x, effort=None).robot,
    "base_parameters": lambda x: mp.base_parameters(x).as_dict(),
    "calibrate": lambda x: mp.calibrate(x, MEASURED, mp.Arm(ARM).pose(MEASURED), parameters=["a1"]).parameters[0].value,
    "check": lambda x: [one.passed for one in mp.check(x).verdicts],
    "check_base_parameters": lambda x: mp.check_base_parameters(x).as_dict(),
    "closed_loop": lambda x: mp.closed_loop(x, None).function,
    "controller": lambda x: mp.controller(x, "pd_gravity", kp=100, kd=20, sample=1e-3).request.robot,
    "convert": lambda x: mp.convert(x, "modified"),
    "count": lambda x: str(mp.count(x, ["pose"])),
    "count_orders": lambda x: str(mp.count_orders(x)),
    "dossier": _files,
    "drawing": mp.drawing,
    "excite": lambda x: mp.excite(x, seconds=2, harmonics=2, seeds=1).condition,
    "generate": lambda x: mp.generate(x, "gravity", optimise="none").function,
    "identify": lambda x: mp.identify(x, _log(), model=mp.JointModel(), filter=None).theta.tolist(),
    "check_answer": lambda x: str(mp.check_answer(x, "T14 = 0")),
    "derive": lambda x: str(mp.derive(x, "pose")),
    "worksheet": lambda x: str(mp.worksheet(x, ["pose"]).as_dict()),
    "inverse_derivation": lambda x: str(mp.inverse_derivation(x)),
    "loads": lambda x: mp.loads(x, mp.trajectory.quintic(Q, RATE, 1.0)).as_dict(),
    "picture": mp.picture,
    "reach": lambda x: str(mp.reach(x)),
    "read_log": _read,
    "report": lambda x: mp.report(
        x, optimise="none", hidden=("equations", "inverse", "counts", "check", "base", "code")
    ),
    "robot_module": lambda x: mp.robot_module(x, models=["pose"], optimise="none"),
    "save": _saved,
    "significance": lambda x: mp.significance(x, mp.Motions(*MOTIONS)).as_dict(),
    "screws": lambda x: mp.screws(x).as_dict(),
    "simulate": lambda x: mp.simulate(x, start=(Q, RATE), until=0.002).q.tolist(),
    "singularities": lambda x: str(mp.singularities(x)),
    "closed_forms": mp.closed_forms,
    "tables": lambda x: [str(table) for table in mp.tables(x)],
    "trajectory.circle": lambda x: mp.trajectory.circle(x, Q, [0, 0, 0], [0, 0, 1], 0.3, 1.0, turning=True)(0.5)[
        0
    ].tolist(),
    "trajectory.line": lambda x: mp.trajectory.line(x, Q, mp.Arm(ARM).pose(GOAL)[:3, 3], 1.0, task="position")(0.5)[
        0
    ].tolist(),
    "trajectory.time_optimal": lambda x: mp.trajectory.time_optimal(x, [Q, RATE], velocity=1, acceleration=1).duration,
    "studies.arm": lambda x: studies.arm(x).robot,
    "studies.bootstrap": lambda x: _rows(studies.bootstrap(x, logs=_log(), count=1, windows=4, model=mp.JointModel())),
    "studies.design": lambda x: _rows(studies.design(x, count=2)),
    "studies.gains": lambda x: _rows(studies.gains(x, **GAINS, count=1)),
    "studies.operations": lambda x: repr(studies.operations(x, "gravity", seeds=1, moves=1).table["total"]),
    "studies.payload": lambda x: _rows(
        studies.payload(x, goal=GOAL, duration=0.5, limits=[80, 30], payloads=[1.0], speeds=[1.0])
    ),
    "studies.study_of_file": _study,
    "studies.tolerances": lambda x: _rows(studies.tolerances(x, count=1)),
    "studies.tune": lambda x: studies.tune(x, **GAINS, searches=1, generations=1, members=5).gains,
    "studies.workspace": lambda x: _rows(studies.workspace(x, voxels=2, directions=1)),
    "api.best_known": lambda x: api.best_known(x, "gravity"),
    "api.count_steps": lambda x: api.count_steps(x, ["pose"]),
    "api.document": api.document,
    "api.law_model": lambda x: api.law_model(x, "pd_gravity").function,
    "api.looks": _looks,
    "api.module_file": api.module_file,
    "api.optimise": lambda x: api.optimise(x, "gravity", search=True, moves=1).function,
    "api.parameter_facts": api.parameter_facts,
    "api.read_measured": _measured,
    "api.refuse_search": lambda x: api.refuse_search(
        x, "gravity", method="best", symbolic="auto", parameters="base", price="classical"
    ),
    "api.remember": lambda x: api.remember(x, "gravity", api.search(x, "gravity", moves=1).text).function,
    "api.search": lambda x: api.search(x, "gravity", moves=1).text,
    "api.to_text": api.to_text,
    "api.with_stand_ins": api.with_stand_ins,
}


@pytest.fixture(scope="module")
def found() -> Any:
    """With nothing beside the robot."""
    return mp.identify(ARM, recording(ARM, 3, noise=0.01), model=mp.JointModel(), filter=None)


# searches and studies: they come in by the same door as the others
LONG = ("api.optimise", "api.remember", "api.search", "report", "studies.bootstrap", "studies.design",
        "studies.operations", "studies.workspace")  # fmt: skip


@pytest.mark.drawn("stands_for")
@pytest.mark.parametrize("stands_for", ["what was found", "an arm", "a file"])
@pytest.mark.parametrize("who", [pytest.param(x, marks=[pytest.mark.turn] * (x in LONG)) for x in TAKERS])
def test_the_same_from_whatever_stands_for_the_robot(who: str, stands_for: str, found: Any, tmp_path: Path) -> None:
    robot, given = found.robot, found
    if stands_for == "an arm":
        given = mp.Arm(robot)
    elif stands_for == "a file":
        given = str(mp.save(found, tmp_path / "two.toml"))
        robot = mp.load(given)
    assert TAKERS[who](given) == TAKERS[who](robot)


def test_a_plant_and_a_path_stand_for_a_robot(tmp_path: Path) -> None:
    file = mp.save(ARM, tmp_path / "two.toml")
    for given in (mp.Plant(ARM, effort=None), file):
        assert as_robot(given).standard_parameters == ARM.standard_parameters
        assert mp.generate(given, "gravity").cost == mp.generate(ARM, "gravity").cost


def test_every_one_of_them_is_asked() -> None:
    """Whatever is public and takes a robot stands in the table above."""
    takers = {}
    for space, names in {
        mp: mp.__all__,
        api: api.__all__,
        mp.trajectory: dir(mp.trajectory),
        studies: dir(studies),
    }.items():
        prefix = space.__name__.rpartition(".")[2] + "."
        for name in names:
            taker = getattr(space, name)
            if (
                not (inspect.isfunction(taker) or inspect.isclass(taker))
                or name in RESULTS
                or name.endswith(("Error", "Warning"))
            ):
                continue
            kinds = {x.name: str(x.annotation) for x in inspect.signature(taker).parameters.values()}
            takers |= {prefix.removeprefix("manipula.") + name: kinds[word] for word in kinds if word in WORDS}
    own = {name.removeprefix("api.") for name in TAKERS}
    assert {name.removeprefix("api.") for name in takers} == own


def test_every_verb_has_the_type_of_the_door() -> None:
    takers = {}
    for name in mp.__all__:
        verb = getattr(mp, name)
        first = next(iter(inspect.signature(verb).parameters.values()), None) if inspect.isfunction(verb) else None
        if first is not None and first.name in ("robot", "plant"):
            takers[name] = str(first.annotation)
    assert len(takers) > 20 and {name for name, kind in takers.items() if "RobotLike" not in kind} == set()


def test_names_of_the_library() -> None:
    assert mp.Plant("pucrio", effort=None).robot == mp.load("pucrio")  # type: ignore[arg-type]
    assert isinstance(mp.Plant("pucrio", effort=None).robot, mp.Robot)  # type: ignore[arg-type]
    assert mp.Arm(mp.Arm("pucrio")).robot == mp.load("pucrio")


@pytest.mark.parametrize(
    "given", [3, None, [1, 2], object(), np.zeros(2)], ids=["number", "none", "list", "object", "array"]
)
def test_anything_else_is_answered(given: Any) -> None:
    for call in (as_robot, mp.Plant, mp.Arm, mp.PayloadEstimator, lambda x: mp.generate(x, "pose")):
        with pytest.raises(mp.InputError, match="expected the name of a library robot or a file, a robot, an arm, or"):
            call(given)
