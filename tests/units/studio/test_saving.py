"""Files, drafts and recordings by way of the running studio; what a stranger gets of it."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import httpx
import numpy as np
import pytest

import manipula as mp
from manipula import api
from manipula.studio.requests import FILE, plain_name
from manipula.studio.store import digest_of
from manipula.studio.tasks import descriptions, motion
from tests.units.studio.conftest import Live
from tests.units.studio.test_documents import told
from tests.units.studio.test_server import another, document


def test_two_pages_on_one_robot(live: Live) -> None:
    """Of two that save what they have read, one is told of the other's, and has it to look at."""
    base = live.post("/api/save", name="shared.toml", document=document(), base=None)["base"]
    ours, theirs = document(), document()
    ours["description"], theirs["description"] = "ours", "theirs"

    async def both() -> list[httpx.Response]:
        async with another(live) as client:
            wanted = ({"name": "shared.toml", "document": each, "base": base} for each in (ours, theirs))
            return list(await asyncio.gather(*(client.post("/api/save", json=each) for each in wanted)))

    won, lost = sorted(asyncio.run(both()), key=lambda answer: answer.status_code)
    assert (won.status_code, lost.status_code) == (200, 409)
    told = lost.json()
    assert told["theirs"]["digest"] == won.json()["base"]
    assert told["theirs"]["document"]["description"] in ("ours", "theirs")
    assert "nothing was written" in told["error"]["message"]
    assert digest_of((live.folder / "shared.toml").read_bytes()) == won.json()["base"]


def test_a_robot_with_mistakes_is_not_saved(live: Live) -> None:
    edited = document()
    edited["rows"][0]["a"] = "90º"
    error = live.post("/api/save", 400, name="wrong.toml", document=edited, base=None)["error"]
    assert (error["row"], error["column"]) == (0, "a")
    assert not (live.folder / "wrong.toml").exists()


def test_a_file_with_mistakes_can_be_opened(live: Live) -> None:
    text = re.sub(r"^alpha = .*$", 'alpha = "import os"', api.to_text(mp.load("rp")), count=1, flags=re.MULTILINE)
    (live.folder / "slip.toml").write_text(text, encoding="utf-8")
    read = live.post("/api/read", file="slip.toml")
    assert live.post("/api/draw", document=read["document"])["errors"][0]["column"] == "alpha"


def test_comments_that_cannot_be_kept_are_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """None that is known of; this is for files that the package for comments does not understand."""
    for text, kept in (("", True), ("# by hand\n", False), ('notes = ["# no comment"]\n', True), ("# x\r\n", False)):
        (tmp_path / "noted.toml").write_text(text + api.to_text(mp.load("rp")), encoding="utf-8")
        assert descriptions.unkept(tmp_path / "noted.toml") == []
        with monkeypatch.context() as patch:
            patch.setattr(descriptions, "edit_file", lambda *given: "")
            told = [x["message"] for x in descriptions.unkept(tmp_path / "noted.toml")]
        assert any("comments are not kept" in x for x in told) is not kept


def test_sentences_are_in_the_language_of_the_page(live: Live) -> None:
    """The fixture's studio was started without a catalogue; what is not known stays English and harmless."""
    for language in ("pt", "xx", "<script>", "../../etc"):
        answer = live.client.post("/api/read", json={"library": "none"}, headers={"X-Language": language})
        assert answer.status_code == 400
        assert "expected one of" in answer.json()["error"]["message"]


def test_a_draft_is_kept_right_or_wrong(live: Live) -> None:
    edited = document()
    edited["rows"][0]["a"] = "not yet"
    live.post("/api/draft", name="tab-1", document=edited, base=None, file="arm.toml")
    (found,) = [draft for draft in live.client.get("/api/start").json()["drafts"] if draft["name"] == "tab-1"]
    assert (found["document"], found["file"]) == (edited, "arm.toml")
    live.post("/api/draft", name="tab-1", document=None)
    assert "tab-1" not in [draft["name"] for draft in live.client.get("/api/start").json()["drafts"]]


def test_what_is_no_recording_is_told(live: Live) -> None:
    form = {"document": json.dumps(document())}
    for name, data in (("run.csv", b"no numbers"), ("run.npz", bytes(10)), ("run.csv", b"")):
        job = live.client.post("/api/identify", data=form, files=[("logs", (name, data))]).json()["job"]
        *_, (event, told) = live.events(job)
        assert event == "failed" and "should not happen" not in told["error"]["message"], told
    for name, status in (("../../run.csv", 200), ("/etc/run.csv", 200), ("run (2).csv", 200), ("..", 400), ("…", 400)):
        answer = live.client.post("/api/identify", data=form, files=[("logs", (name, b"x"))])
        assert answer.status_code == status, name
    assert not list(live.folder.parent.glob("*.csv"))
    assert live.client.post("/api/identify", json={"document": document()}).status_code == 400
    assert (
        live.client.post("/api/identify", data={"document": "{"}, files=[("logs", ("a.csv", b""))]).status_code == 400
    )


def test_recordings_are_kept_under_plain_names() -> None:
    kept = {
        "run (2).csv": "run_2_.csv",
        "C:\\logs\\a b.npz": "a_b.npz",
        "../../x.csv": "x.csv",
        "medição.csv": "medição.csv",
    }
    assert {name: plain_name(name) for name in kept} == kept
    letters = np.random.default_rng(4).choice(list("ab1 ./\\\0\n<\"'é…-_\u202e"), (400, 9))
    for name in ("".join(row) for row in letters):
        assert not plain_name(name) or FILE.fullmatch(plain_name(name)), name
    assert FILE.fullmatch(plain_name("x" * 300 + ".csv")) and plain_name("x" * 300 + ".csv").endswith(".csv")


def test_a_peak_of_the_residual_is_among_the_points_of_a_plot() -> None:
    robot, t = mp.load("rp"), np.linspace(0.0, 30.0, 5003)
    measured, predicted = np.sin(t)[:, None] * [1.0, 2.0], np.sin(t)[:, None] * [1.0, 2.0]
    measured[2341] += (3.0, -7.0)
    course = SimpleNamespace(clock=t, measured=measured, predicted=predicted, residual=measured - predicted)
    found = [motion._joint_course(course, j, robot) for j in range(2)]
    assert [(joint["joint"], joint["unit"]) for joint in found] == list(zip(robot.joint_names, ["N·m", "N"]))
    for joint, peak in zip(found, (3.0, -7.0)):
        left = np.subtract(joint["measured"], joint["predicted"])
        assert len(joint["t"]) == motion.POINTS and np.all(np.diff(joint["t"]) > 0)
        assert left.sum() == pytest.approx(peak) and joint["t"][int(np.abs(left).argmax())] == t[2341]


@pytest.mark.slow
def test_a_recording_is_identified(live: Live, tmp_path: Path) -> None:
    robot = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    law = mp.controller(robot, "computed_torque", kp=400, kd=40, sample=1e-3)
    motion = mp.trajectory.fourier([[0.9, 0.7], [0.5, 1.1]], [[0.2, 0.4], [0.8, 0.3]], 1.5)
    mp.simulate(mp.Plant(robot, effort=None), law, motion).save(tmp_path / "run.csv")
    form = {"document": json.dumps(api.document(robot))}
    files = [("logs", ("run.csv", (tmp_path / "run.csv").read_bytes()))]
    job = live.client.post("/api/identify", data=form, files=files).json()["job"]
    *_, (event, found) = live.events(job)
    assert event == "result", found
    assert found["errors"][0]["percent"] < 2
    assert found["consistent"]
    assert told(api.from_document, found["document"]).dof == 2
    assert "<html" in live.client.get(found["report"]).text


def test_the_real_server_refuses_too(live: Live) -> None:
    """What the guard does, through uvicorn and its own limits."""
    with httpx.Client(base_url=live.origin) as stranger:
        assert stranger.get("/api/start").status_code == 401
        assert stranger.get(live.url + "x").status_code == 401
        assert stranger.get("/", headers={"Host": "evil.example"}).status_code == 421
        assert stranger.post("/api/save", headers={"Origin": "http://evil.example"}).status_code == 403
    json_type = {"content-type": "application/json"}
    answer = live.client.post("/api/draw", content=(bytes(2**20) for _ in range(100)), headers=json_type)
    assert answer.status_code == 413
    assert "x-frame-options" in answer.headers


def test_it_needs_no_more_than_is_installed() -> None:
    """Without the extra the command says which one it is."""
    block = (
        "import sys; sys.modules['uvicorn'] = None; sys.argv[1:] = ['studio']; from manipula.cli import main; main()"
    )
    found = subprocess.run([sys.executable, "-c", block], capture_output=True, text=True, check=False)
    assert found.returncode == 2
    assert "manipula[studio]" in found.stderr
    assert "Traceback" not in found.stderr
