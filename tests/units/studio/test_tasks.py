"""What the panels show is what the library says: tasks as a worker does them, with the messages that travel."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula import api
from manipula.errors import SizeError
from manipula.studio.tasks import models, replies
from manipula.studio.tasks.motion import seam
from manipula.studio.worker import _work, pack_message, read
from tests.formula_data import worth
from tests.golden.sentences import Sentences
from tests.units.studio.contract import conform, reply_of

VALUES = {"l1": 0.5, "l2": 0.4, "m1": 3, "m2": 2, "g": 9.81}
RP = {"m1": 3, "m2": 2, "l": 0.3, "g": 9.81} | {f"I{k}{x}": 0.1 * k for k in (1, 2) for x in "xyz"}
MODELS = ["gravity", "pose"]
READY = np.array([0.3, -0.6, 0.4, 0.5, 0.7, 0.2])
FLAT = mp.load("planar2r").with_parameters(**VALUES)
SLIDING = mp.load("rp").with_parameters(**RP)


def said(task: str, **given: Any) -> list[dict[str, Any]]:
    """Every message of a worker, the last one its answer."""
    answers = io.BytesIO()
    _work({"task": task, "given": given}, answers)
    answers.seek(0)
    messages = list(iter(lambda: read(answers), None))
    assert all(set(message) in ({"tell", "figures"}, {"first"}) for message in messages[:-1])
    return messages


def result(task: str, robot: Any = FLAT, **given: Any) -> Any:
    answer = said(task, document=api.document(robot), **given)[-1]
    assert "result" in answer, answer
    conform(answer["result"], reply_of(task))
    return answer["result"]


def error(task: str, robot: Any = FLAT, **given: Any) -> str:
    return str(said(task, document=api.document(robot), **given)[-1]["error"]["message"])


def test_messages_travel_as_they_are_and_no_path_of_the_server_with_them() -> None:
    message = {"a": [1, 2.5, None, True], "é\ud800": "…\n", "path": "/tmp/x/run.csv: '/tmp/x/run.csv'"}
    stream = io.BytesIO(pack_message(message) + pack_message(message, {"/tmp/x/run.csv": 'my "run".csv'}))
    assert read(stream) == message
    assert read(stream) == message | {"path": 'my "run".csv: \'my "run".csv\''}
    assert read(stream) is None
    with pytest.raises(ValueError, match="JSON"):
        pack_message(float("nan"))


@pytest.mark.parametrize("robot", [FLAT, SLIDING], ids=["turning", "sliding"])
@pytest.mark.parametrize("kind", ["quintic", "trapezoid", "spline"])
def test_a_motion_is_that_of_the_library(kind: str, robot: mp.Robot) -> None:
    start, goal, arm = [0.2, 0.3], [0.5, 0.6], mp.Arm(robot)
    points = [start, [0.4, 0.2], goal]
    ref = {
        "quintic": mp.trajectory.quintic(start, goal, 1.5),
        "trapezoid": mp.trajectory.trapezoid(start, goal, 1.5),
        "spline": mp.trajectory.spline(points, [0, 0.75, 1.5]),
    }[kind]
    asked = {"kind": kind, "duration": 1.5, "from": start, "to": goal, "points": points}
    found = result("motion", robot, motion=asked)
    t = np.array(found["t"])
    q, qd, qdd = ref(t)
    assert t[0] == 0 and t[-1] == 1.5 and len(t) == 401
    for name, wanted in {
        "q": q, "qd": qd, "qdd": qdd, "tau": arm.inverse_dynamics(q, qd, qdd), "tool": arm.pose(q)[:, :3, 3],
        "power": arm.inverse_dynamics(q, qd, qdd) * qd, "manipulability": np.ravel(arm.manipulability(q)),
    }.items():  # fmt: skip
        np.testing.assert_allclose(found[name], wanted, rtol=1e-12, atol=1e-12, err_msg=name)
    kinetic = np.einsum("ni,nij,nj->n", qd, arm.inertia_matrix(q), qd) / 2
    np.testing.assert_allclose(found["energy"]["kinetic"], kinetic, atol=1e-12)
    work = np.gradient(np.add(found["energy"]["kinetic"], found["energy"]["potential"]), t)[5:-5]
    if kind == "quintic":
        np.testing.assert_allclose(work, np.sum(found["power"], 1)[5:-5], atol=2e-2 * np.abs(work).max())
    second = ("rad", "N·m") if robot is FLAT else ("m", "N")
    assert found["units"] == {"q": ["rad", second[0]], "tau": ["N·m", second[1]]}
    assert found["joints"] == list(robot.joint_names) and found["stand_ins"] == {}


@pytest.mark.turn
def test_a_line_is_one_of_the_tool() -> None:
    arm, goal = mp.load("puma560"), READY + 0.1
    found = result("motion", arm, motion={"kind": "line", "from": READY.tolist(), "to": goal.tolist(), "duration": 1})
    ends = mp.Arm(arm).pose([READY, goal])[:, :3, 3]
    along = (np.array(found["tool"]) - ends[0]) @ (ends[1] - ends[0]) / np.sum((ends[1] - ends[0]) ** 2)
    np.testing.assert_allclose(found["tool"], ends[0] + along[:, None] * (ends[1] - ends[0]), atol=1e-6)
    assert along[0] == pytest.approx(0, abs=1e-9) and along[-1] == pytest.approx(1) and np.all(np.diff(along) >= 0)


@pytest.mark.turn
def test_a_run_is_that_of_the_library() -> None:
    motion = {"from": [0, 0.1], "to": [0.3, 0.4], "duration": 0.3}
    push = {"from": 0.1, "to": 0.2, "force": [0, 30, 0]}
    gains = {"kp": 80.0, "kd": [9, 8]}
    asked = {"reference": motion, "until": 0.4, "step": 1e-3, "law": "computed_torque", "gains": gains, "sample": 2e-3,
             "payload": 0.7, "push": push, "friction": "none"}  # fmt: skip
    found = result("simulate", **asked)
    law = mp.controller(FLAT, "computed_torque", sample=2e-3, **gains)
    plant = mp.Plant(FLAT.with_payload(0.7), friction="none", effort=None)
    events = [mp.Event(0.1, wrench=[0, 30, 0, 0, 0, 0]), mp.Event(0.2, wrench=[0] * 6)]
    run = mp.simulate(plant, law, mp.trajectory.quintic([0, 0.1], [0.3, 0.4], 0.3), until=0.4, step=1e-3, events=events)
    for name in ("t", "q", "qd", "tau", "error"):
        np.testing.assert_allclose(found[name], getattr(run, name), rtol=1e-9, atol=1e-9, err_msg=name)
    np.testing.assert_allclose(found["ref"], run.ref.q, rtol=1e-12)
    assert found["whole"] and found["joints"] == list(FLAT.joint_names) and len(found["t"]) == 401
    long = result("simulate", until=3.0, start=[0.1, 0.2], step=1e-3)
    assert len(long["t"]) == 1501 and long["t"][1] == pytest.approx(2e-3) and long["ref"] is None
    assert np.ptp(long["tau"]) == 0  # it falls, without a law


def test_code_is_what_emit_writes_and_its_archive_the_same_bytes_every_time(tmp_path: Path) -> None:
    asked = {"models": MODELS, "language": "c", "optimise": "none"}
    shown = result("code", **asked)
    made = {name: mp.generate(api.from_document(api.document(FLAT)), name, optimise="none") for name in MODELS}
    for model in made.values():
        model.emit("c", tmp_path / "files")
    files = {path.relative_to(tmp_path / "files").as_posix(): path for path in (tmp_path / "files").rglob("*")}
    assert {one["name"]: one["text"] for one in shown["files"]} == {name: x.read_text() for name, x in files.items()}
    urls = {result("zip", outbox=str(tmp_path / "out"), **asked)["url"] for _ in range(2)}
    (url,) = urls
    assert url.endswith("/planar2r_c.zip") and url.startswith("/files/")
    with zipfile.ZipFile(tmp_path / "out" / url.removeprefix("/files/")) as archive:
        assert {one.filename: archive.read(one).decode() for one in archive.infolist()} == {
            one["name"]: one["text"] for one in shown["files"]
        }
        assert {(one.external_attr, one.date_time[0]) for one in archive.infolist()} == {(0o644 << 16, 1980)}
    single = result("code", **asked, options={"single_file": True, "prefix": "my", "batch": False})
    assert len(single["files"]) < len(shown["files"]) and all("my_" in one["text"] for one in single["files"][:1])


def test_counts_are_those_of_the_library_and_models_that_are_not_there_are_told() -> None:
    found = result("counts", models=["gravity", "pose", "no_such"])
    assert found["rows"] == [row.as_dict() for row in api.count(FLAT, ["gravity", "pose"], optimise="none")]
    assert [one["model"] for one in found["missing"]] == ["no_such"] and "'no_such'" in found["missing"][0]["why"]
    assert found["published"] == api.published_counts("planar2r")


def test_a_long_model_is_shown_as_it_runs_until_its_book_form_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """And for good where the book form is too long."""
    monkeypatch.setattr(models, "AT_ONCE", 0)
    given = {"document": api.document(FLAT), "model": "gravity", "optimise": "none"}
    messages = said("equations", **given)
    firsts = [message["first"] for message in messages if "first" in message]
    conform(firsts, list[replies.EquationsAnswer])
    assert [first["form"] for first in firsts] == ["auxiliary"] and messages[-1]["result"]["form"] == "factored"
    assert messages[-1]["result"]["text"] == str(
        mp.generate(FLAT, "gravity", optimise="none").equations("factored", units=True)
    )
    assert not any("first" in message for message in said("equations", form="auxiliary", **given))
    printed = models._printed

    def too_long(made: Any, form: str, *rest: Any) -> Any:
        if form != "auxiliary":
            raise SizeError("too long")
        return printed(made, form, *rest)

    monkeypatch.setattr(models, "_printed", too_long)
    found = said("equations", **given)[-1]["result"]
    assert found["lines"] == firsts[0]["lines"] and "factored form is too long" in found["remark"]


def test_equations_are_those_of_the_library() -> None:
    robot = mp.load("planar2r")
    found = result("equations", robot, model="gravity", optimise="none")
    made = mp.generate(robot, "gravity", optimise="none")
    shown = made.equations("factored", "text", units=True)
    rights = ["".join(term["text"] for term in one["terms"]) for one in found["lines"]]
    assert list(zip([one["name"] for one in found["lines"]], rights)) == shown.texts("text")
    assert found["count"] == made.cost.as_dict() and found["model"] == "gravity"
    assert made.provenance.proof.endswith(f" 1e{found['error_exponent']}") and found["error_exponent"] < -20
    texts = [one["left"] + term["tex"] for one in found["lines"] for term in one["terms"]]
    assert not any(r"\left(" in text or r"\right)" in text for text in texts)
    few = result("equations", robot, model="gravity", optimise="none", entries=["g[2]"])
    assert few["lines"][-1]["name"] == found["lines"][-1]["name"]


@pytest.mark.parametrize("form", ["factored", "expanded", "auxiliary"])
@pytest.mark.parametrize("names", ["file", "book"])
@pytest.mark.parametrize("name", ["planar2r", "rp", "scara"])
def test_terms_are_worth_what_the_model_computes(name: str, names: str, form: str) -> None:
    """The trees that travel are the formulas: computed here by other means, at a drawn place, they give the output."""
    robot, _ = api.with_stand_ins(mp.load(name))
    rng = np.random.default_rng(len(name) + 7 * len(form))
    q, qd, qdd = rng.uniform(-1, 1, (3, robot.dof))
    values = {f"{kind}{i + 1}": x for kind, row in (("q", q), ("qd", qd), ("qdd", qdd)) for i, x in enumerate(row)}
    values |= {key: float(value) for key, value in robot.parameters.items()}
    found = result(
        "equations", robot, model="inverse_dynamics", optimise="none", form=form, names=names, symbolic="all"
    )
    for line in found["lines"]:
        values[line["name"]] = sum(worth(term["tree"], values) for term in line["terms"])
    wanted = mp.Arm(robot).inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose([values[f"tau{i + 1}"] for i in range(robot.dof)], wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.turn
@pytest.mark.filterwarnings("ignore:.*breaks the triangle inequality")  # of the source's own numbers
def test_a_robot_in_other_conventions_and_files() -> None:
    arm = mp.load("puma560")
    for convention in ("standard", "modified"):
        found = api.from_document(result("convert", arm, convention=convention, angle="deg", length="mm")["document"])
        assert (found.origin.convention, found.origin.angle, found.origin.length) == (convention, "deg", "mm")
        q = np.linspace(-1, 1, 6)
        np.testing.assert_allclose(mp.Arm(found).pose(q), mp.Arm(arm).pose(q), atol=1e-12)
    for form, ending in (("toml", ".toml"), ("urdf", ".urdf"), ("dh", ".csv")):
        told = result("export", arm, format=form)
        assert told["name"] == f"puma560{ending}" and told["text"] == api.to_text(arm, form)
        again = said("read", text=told["text"], format=form, name="again", convention=arm.origin.convention)[-1]
        assert api.from_document(again["result"]["document"]).dof == 6
    lost = [one["message"] for one in result("export", arm, format="dh")["warnings"]]
    assert lost and all(text.startswith("csv cannot hold the ") for text in lost)


@pytest.mark.parametrize(
    ("task", "given"),
    [
        ("simulate", {"push": {"from": 0.3, "to": 0.2, "force": [1, 0, 0]}}),
        ("simulate", {"until": 600.0, "step": 1e-5}),
        ("simulate", {"law": "pidd"}),
        ("simulate", {"law": "pid", "gains": {"kq": 1}}),
        ("motion", {"motion": {"kind": "spline", "points": [[0, 0]]}}),
        ("motion", {"motion": {"kind": "spline", "points": [[0, 0], [1]]}}),
        ("motion", {"motion": {"duration": 601}}),
        ("code", {"models": []}),
        ("zip", {"language": "cobol"}),
        ("equations", {"model": "gravty"}),
        ("identify", {"logs": [], "validate": []}),
    ],
)
def test_what_cannot_be_is_a_sentence(task: str, given: dict[str, Any], whole: Sentences) -> None:
    whole.compare(error(task, **given))


def test_the_sample_is_of_its_own_arm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever robot is open: the recording that comes along is identified as one of the PUMA 560."""
    seen: list[Any] = []

    def identify(robot: mp.Robot, logs: list[mp.Log], **more: Any) -> None:
        seen.append((robot.name, [log.source for log in logs], [log.source for log in more["validate"]]))
        raise mp.InputError("seen")

    monkeypatch.setattr(api, "identify", identify)
    said("identify", document=api.document(FLAT), sample=True, logs=[], validate=[], outbox=str(tmp_path))
    assert seen == [("puma560", ["sample:puma560"], ["sample:puma560-check"])]


# a seam


def _seam(**given: Any) -> Any:
    return seam({"document": api.document("puma560"), **given}, lambda *told: None)


def test_a_table_of_poses_is_a_seam() -> None:
    arm, q = mp.Arm("puma560"), np.array([0.2, 0.3, -0.2, 0.4, 0.8, -0.1])
    ways = q + np.linspace(0, 0.3, 7)[:, None] * [1, -1, 1, -1, 1, -1]
    poses = arm.pose(ways)
    poses[3, 2, 3] += 9
    table = "\n".join(",".join(map(repr, T.ravel().tolist())) for T in poses)
    answer = _seam(table=table, start=q.tolist(), max_step=0.5)
    assert answer["poses"] == [0, 1, 2, 4, 5, 6]
    np.testing.assert_allclose(answer["q"], np.delete(ways, 3, axis=0), atol=1e-9)
    assert [(x["kind"], x["first"]) for x in answer["reasons"]] == [("out of reach", 3)]
    assert len(answer["csv"].splitlines()) == 8
    with pytest.raises(mp.InputError, match="poses: row 2: expected 6 columns, found 2"):
        _seam(table="1,2,3,4,5,6\n1,2")
    with pytest.raises(mp.InputError, match=r"max_step: expected 1e-06 to 3\.14, found 9"):
        _seam(max_step=9)


def test_without_a_table_the_line_between_the_ends_is_the_seam() -> None:
    arm = mp.Arm("puma560")
    ends = [[0.2, 0.3, -0.2, 0.4, 0.8, -0.1], [0.4, 0.3, -0.1, 0.4, 0.7, -0.1]]
    answer = _seam(motion={"from": ends[0], "to": ends[1]}, start=ends[0])
    assert answer["jumps"] == []
    np.testing.assert_allclose([answer["q"][0], answer["q"][-1]], ends, atol=1e-9)
    way = arm.pose(np.array(answer["q"]))[:, :3, 3]
    along = way - way[0]
    np.testing.assert_allclose(np.cross(along, along[-1]), 0, atol=1e-9)
