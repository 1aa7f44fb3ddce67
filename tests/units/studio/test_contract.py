"""One contract of the page: its types are written from the server's, every task keeps to them, registries fill them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula import api
from manipula.algebra.emit import backend
from manipula.mechanics.robot.formats import registry
from manipula.studio.store import Folder
from manipula.studio.tasks import JOBS, QUICK, replies
from manipula.studio.tasks.descriptions import export, read
from manipula.studio.tasks.motion import start
from tests.browser.robots import recorded
from tests.golden.figures import assert_golden
from tests.units.studio.conftest import Live
from tests.units.studio.contract import FILE, conform, reply_of, text_of_types
from tests.units.studio.test_tasks import said

ROBOTS = ("planar2r", "rp", "scara", "stanford3")
MOTION = {"kind": "quintic", "duration": 0.4}
CASES: dict[str, dict[str, Any]] = {
    "start": {},
    "read": {"format": "toml"},
    "draw": {},
    "convert": {"convention": "modified", "length": "mm"},
    "export": {"format": "dh"},
    "toml": {},
    "module": {"models": ["pose", "inverse_kinematics"], "optimise": "none"},
    "equations": {"model": "gravity", "optimise": "none"},
    "counts": {"models": ["gravity", "lagrange_terms", "inverse_kinematics"]},
    "inverse": {},
    "derivation": {"topic": "pose"},
    "check": {},
    "base": {},
    "code": {"models": ["gravity"], "language": "rust", "optimise": "none"},
    "zip": {"models": ["gravity"], "language": "c", "optimise": "none"},
    "motion": {"motion": MOTION},
    "seam": {"motion": MOTION, "max_step": 0.1},
    "simulate": {"reference": MOTION, "law": "pd_gravity", "until": 0.1},
    "identify": {},
    "report": {"hidden": ["equations", "inverse", "counts", "check", "base", "motion", "code"]},
    "looks": {},
    "studies": {},
    "study": {"study": "tolerances", "settings": {"count": [2]}},
}


def test_the_types_of_the_page_are_those_of_the_server() -> None:
    """`python -m tests.units.studio.contract` writes them."""
    assert FILE.read_text(encoding="utf-8") == text_of_types()


def test_every_task_has_a_case() -> None:
    assert set(CASES) == set(QUICK | JOBS)


UNLIKE = ("start", "report", "zip")  # with times, pictures of the machine's own, or an archive
# others tell their pace, or what is made but once
ALIKE = ("base", "check", "code", "inverse", "looks", "motion", "seam")
ROBOTS_OF = {"identify": ("planar2r",), "start": ("planar2r",), "report": ("rp",)}  # recordings are of one arm


@pytest.mark.parametrize(("task", "name"), [(task, ROBOTS_OF.get(task, ROBOTS[:3])[-1]) for task in CASES])
def test_a_reply_is_of_its_type_and_the_golden_reply(task: str, name: str, tmp_path: Path, update: bool) -> None:
    told, result = replied(task, name, tmp_path)
    if task not in UNLIKE:
        hidden = {re.escape(f"{tmp_path}/"): "FOLDER/", "/files/[0-9a-f]+/": "/files/…/"}
        lines = [line["tell"] for line in told] if task in ALIKE else []
        assert_golden(f"studio/{task}", [("", result), ("told", lines)], update, hidden)


@pytest.mark.drawn("name")
@pytest.mark.parametrize("task", [task for task in CASES if task not in ROBOTS_OF])
@pytest.mark.parametrize("name", ROBOTS[:2])
def test_a_reply_about_another_robot_is_of_its_type(task: str, name: str, tmp_path: Path) -> None:
    replied(task, name, tmp_path)


def replied(task: str, name: str, tmp_path: Path) -> tuple[list[Any], Any]:
    """What a task tells, and its result, both of their types."""
    robot = mp.load(name)
    given: dict[str, Any] = {"document": api.document(robot), "outbox": str(tmp_path), **CASES[task]}
    (tmp_path / "arm.toml").write_text(api.to_text(robot), encoding="utf-8")
    if task == "read":
        given["text"] = api.to_text(robot)
    elif task == "looks":
        given |= {"path": str(tmp_path / "arm.toml"), "root": str(tmp_path)}
    elif task == "identify":
        robot = robot.with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
        log = recorded(robot, 1.0).save(tmp_path / "run.csv")
        given |= {"logs": [str(log)], "validate": [str(log)], "document": api.document(robot)}
    *told, last = said(task, **given)
    assert "result" in last, last
    conform(last["result"], reply_of(task))
    for line in told:
        conform(line, TELLING)
    return told, last["result"]


TELLING = dict[str, str | replies.Figures | None]


def test_mistakes_in_a_table_are_of_their_type() -> None:
    document = api.document("planar2r")
    document["rows"][1]["a"] = "90º"
    found = said("draw", document=document)[-1]["result"]
    conform(found, replies.Faults)
    assert [fault["row"] for fault in found["errors"]] == [1]
    conform(said("equations", document=document, model="gravity")[-1]["error"], replies.Failure)
    conform(said("no such task", document=document)[-1]["error"], replies.Failure)


def test_the_server_answers_by_its_types(live: Live) -> None:
    document = api.document("planar2r")
    live.post("/api/draft", name="page-1", document=document, base=None, file=None)
    saved = live.post("/api/save", name="typed.toml", document=document, base=None)
    conflict = live.client.post("/api/save", json={"name": "typed.toml", "document": document, "base": "0" * 32})
    assert conflict.status_code == 409
    conform(conflict.json(), replies.ConflictAnswer)
    assert conflict.json()["theirs"]["digest"] == saved["base"]
    for address, kind in (("start", replies.Start), ("files", replies.FilesAnswer), ("jobs", replies.JobsAnswer)):
        conform(live.client.get(f"/api/{address}").json(), kind)
    job = live.post("/api/base", document=document)["job"]
    for event, data in live.events(job):
        conform(data, {"progress": replies.ProgressLine, "result": replies.BaseAnswer}[event])
    conform(live.client.get(f"/api/jobs/{job}").json(), replies.JobState)
    for address in ("/api/jobs/none", "/api/nowhere", "/files/0/x"):
        conform(live.client.get(address).json(), replies.ErrorAnswer)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({"job": "a", "more": 1}, replies.JobAnswer),
        ({}, replies.JobAnswer),
        ({"job": None}, replies.JobAnswer),
        ({"name": "a", "url": 1, "size": 1, "changed": 0.5, "digest": ""}, replies.FileEntry),
        ({"name": "a", "size": 1.5, "changed": 0.5, "digest": ""}, replies.FileEntry),
        ({"name": "a", "size": True, "changed": 0.5, "digest": ""}, replies.FileEntry),
        ({"kind": "html", "text": ""}, replies.DerivedLine),
        ({"q": ["rad"], "tau": "N·m"}, replies.JointUnits),
        ({"text": "", "digest": "", "document": {"format": 2}}, replies.Theirs),
    ],
)
def test_a_reply_of_another_shape_is_noticed(value: Any, kind: Any) -> None:
    with pytest.raises((AssertionError, mp.ManipulaError)):
        conform(value, kind)


# registries


def test_a_format_of_the_registry_is_known_to_the_studio(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Read by its ending and by its sign, listed among files, offered for saving, with no other change."""
    table = registry.FORMATS["dh"]
    odd = registry.Format(
        "odd", "ODD", (".odd", ".od2"), table.reader, table.writer, registry.TABLE, sign=r"^theta", losing=table.losing
    )
    monkeypatch.setitem(registry.FORMATS, "odd", odd)
    (entry,) = [x for x in start({}, _silent)["formats"] if x["name"] == "odd"]
    assert entry == {"name": "odd", "label": "ODD", "endings": [".odd", ".od2"], "written": True, "visuals": ""}
    arm = {"document": api.document("planar2r")}
    written = export(arm | {"format": "odd"}, _silent)
    assert written["name"] == "planar2r.odd"
    assert [x["message"] for x in written["warnings"]] == [
        x["message"].replace("csv ", "odd ") for x in export(arm | {"format": "dh"}, _silent)["warnings"]
    ]
    signed = "theta,d,a,alpha\n0,0,0.5,0\n"
    for given in ({"ending": ".od2"}, {"format": "odd"}, {}):
        assert read({"text": signed, **given}, _silent)["format"] == "odd"
    (tmp_path / "arm.odd").write_text(signed)
    assert [file["name"] for file in Folder(tmp_path).files()] == ["arm.odd"]
    path, _ = Folder(tmp_path).read("arm.odd")
    assert read({"path": str(path)}, _silent)["format"] == "odd"


def test_a_language_of_the_registry_is_known_to_the_studio(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(backend.BACKENDS, "odd", backend.BACKENDS["c"])
    monkeypatch.setitem(backend.OPTIONS, "odd", ("batch",))
    known = start({}, _silent)
    assert known["languages"][-1] == "odd" and known["options"]["odd"] == ["batch", "prefix"]


@pytest.mark.parametrize("seed", range(6))
def test_a_text_is_read_in_its_own_format(seed: int) -> None:
    """Whatever it is called: by its ending, or by what stands in it."""
    rng = np.random.default_rng(seed)
    robot = mp.load(ROBOTS[seed % len(ROBOTS)])
    names = [name for name, form in registry.FORMATS.items() if form.writer and (name != "par" or seed % 2)]
    for name in names:
        form = registry.FORMATS[name]
        text = export({"document": api.document(api.with_stand_ins(robot)[0]), "format": name}, _silent)["text"]
        ending = str(rng.choice(["", *form.endings, form.endings[0].upper(), ".json"]))
        assert read({"text": text, "ending": ending, "convention": "standard"}, _silent)["format"] == name, ending


def _silent(text: str, figures: Any = None) -> None:
    """Progress that nobody hears."""
