"""The studio as its page speaks to it: a real server on loopback, with its workers."""

from __future__ import annotations

import asyncio
import copy
import io
import random
import zipfile
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

import manipula as mp
from manipula import api
from manipula.mechanics.drawing.skeleton import poses_of
from manipula.studio.store import digest_of
from tests.units.studio.conftest import Live
from tests.units.studio.files import file_from_document
from tests.units.studio.test_documents import KINDS, TEXTS, cells, told

TABLE = "i\ttheta (deg)\td (m)\ta (m)\talpha (deg)\n1\tq1\t0,4\t0\t90\n2\tq2\t0\t0,5\t0\n3\tq3\t0\t0,4\t0\n"
SCRIPT = "<script>alert(1)</script>"


def document(name: str = "planar2r") -> dict[str, Any]:
    return copy.deepcopy(api.document(name))


def another(live: Live) -> httpx.AsyncClient:
    """A client beside the fixture's, for many requests at once."""
    headers = {"Origin": live.origin}
    return httpx.AsyncClient(base_url=live.origin, headers=headers, cookies=live.client.cookies, timeout=60)


def test_it_starts_with_what_a_page_needs(live: Live) -> None:
    start = live.client.get("/api/start").json()
    assert {robot["name"] for robot in start["library"]} == set(mp.robots())
    assert {model["name"] for model in start["models"]} == set(mp.models()) == set(start["methods"])
    assert start["languages"] == mp.languages()
    assert {law["name"] for law in start["laws"]} == set(api.laws())
    assert start["version"] == mp.__version__
    assert "studio" in live.client.get("/").text


def test_a_newcomers_path(live: Live, tmp_path: Path) -> None:
    """Paste a table, see the arm, read the torque, take the C, save the robot and find it again."""
    read = live.post("/api/read", text=TABLE, name="mine", convention="standard")
    assert [row["a"] for row in read["document"]["rows"]] == ["0", "0.5", "0.4"]
    drawn = live.post("/api/draw", document=read["document"])
    assert (drawn["errors"], drawn["dof"], len(drawn["drawing"]["joints"])) == ([], 3, 3)
    assert mp.Robot.from_text(drawn["toml"]).dof == 3
    made = live.result("/api/module", document=drawn["document"], optimise="none", models=["pose", "jacobian"])
    module = live.client.get(made["url"])
    assert module.headers["content-type"].startswith("text/javascript")
    assert "export function pose(" in module.text
    gravity = live.result("/api/equations", document=drawn["document"], model="gravity", form="factored")
    assert [line["name"] for line in gravity["lines"]] == ["g1", "g2", "g3"]
    assert all(r"\left" not in term["tex"] for line in gravity["lines"] for term in line["terms"])
    assert gravity["proof"].startswith("identical")
    archive = live.result("/api/zip", document=drawn["document"], language="c", models=["gravity"])
    answer = live.client.get(archive["url"])
    assert answer.headers["content-disposition"].startswith("attachment")
    names = zipfile.ZipFile(io.BytesIO(answer.content)).namelist()
    assert any(name.endswith("_test.c") for name in names)
    saved = live.post("/api/save", name="mine.toml", document=drawn["document"], base=None)
    again = live.post("/api/read", file="mine.toml")
    assert again["base"] == saved["base"] == digest_of((live.folder / "mine.toml").read_bytes())
    assert again["document"]["rows"] == drawn["document"]["rows"]


@pytest.mark.parametrize("seed", range(8))
def test_the_editor_says_what_the_file_reader_says(live: Live, seed: int, tmp_path: Path) -> None:
    rng = random.Random(1000 + seed)
    edited = document(rng.choice(("planar2r", "scara", "panda")))
    owner, key, _, _ = rng.choice(cells(edited))
    owner[key] = rng.choice(KINDS if key == "type" else TEXTS)
    path = tmp_path / "robot.toml"
    path.write_text(file_from_document(edited), encoding="utf-8")
    by_file, answer = told(mp.load, path), live.post("/api/draw", document=edited)
    if isinstance(by_file, mp.RobotFileError):
        first = answer["errors"][0]
        assert f"{path}: {first['message']}" == str(by_file)
        assert (first["row"], first["column"]) == (None if by_file.row is None else by_file.row - 1, by_file.field)
    else:
        assert answer["errors"] == []


def test_an_expression_without_end_is_refused_at_its_cell(live: Live) -> None:
    edited = document()
    edited["rows"][1]["alpha"] = "+".join(f"x{k}" for k in range(10_000))
    (error,) = live.post("/api/draw", document=edited)["errors"]
    assert (error["row"], error["column"]) == (1, "alpha")
    assert "too long" in error["message"]
    failed, data = live.job("/api/equations", document=edited, model="pose")
    assert (failed, data["error"]["row"]) == ("failed", 1)


def test_scripts_in_names_are_only_names(live: Live) -> None:
    """They come back as data, in JSON that no browser takes for a page, and name no file."""
    edited = document()
    edited["name"] = SCRIPT
    edited["rows"][0]["name"] = "</script><img src=x onerror=alert(1)>"
    answer = live.client.post("/api/draw", json={"document": edited})
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["drawing"]["name"] == SCRIPT
    archive = live.result("/api/zip", document=edited, language="python", models=["gravity"])
    assert all(sign not in archive["url"] for sign in "<>'\"&")
    exported = live.post("/api/export", document=edited, format="toml")
    assert all(sign not in exported["name"] for sign in "<>/'\"")
    assert mp.Robot.from_text(exported["text"]).name == SCRIPT


@pytest.mark.parametrize(
    "path",
    ["/../secret", "/%2e%2e/secret", "/..%2fsecret", "/assets/../../secret", "/files/../secret", "/files/%2e%2e/x",
     f"/files/{'0' * 32}/..%2f..%2fx", "/models/..%2f..%2fsecret.mjs", f"/models/{'0' * 32}.mjs", "/%00", "/C:/secret",
     "/api/jobs/..%2f..", "/api/nothing"],
)  # fmt: skip
def test_no_address_leads_outside(live: Live, path: str) -> None:
    (live.folder.parent / "secret").write_text("secret")
    url = httpx.URL(live.origin).copy_with(raw_path=path.encode())
    answer = live.client.get(url)
    assert answer.status_code in (400, 404) or answer.headers["location"].startswith(f"{live.origin}/")
    assert "secret" not in answer.text


def test_no_name_in_a_request_leads_outside(live: Live) -> None:
    (live.folder.parent / "secret.toml").write_text("secret")
    for name in (
        "../secret.toml",
        "/etc/passwd",
        "..\\secret.toml",
        "a/../../secret.toml",
        "C:\\x.toml",
        "x\x00.toml",
        3,
    ):
        assert "error" in live.post("/api/read", 400, file=name)
        assert "error" in live.post("/api/save", 400, name=name, document=document(), base=None)
        assert "error" in live.post("/api/draft", 400, name=name, document=document())
    assert "error" in live.post("/api/read", 400, library="../secret")
    assert "error" in live.post("/api/read", 400, path=str(live.folder.parent / "secret.toml"))
    job = live.post("/api/module", document=document(), optimise="none", models=["pose"], outbox="/nowhere")["job"]
    assert [event for event, _ in live.events(job)][-1] == "result"
    assert not Path("/nowhere").exists()


def test_bad_requests_get_a_sentence(live: Live) -> None:
    for body in (b"", b"{", b"[]", b"null", b'{"document": NaN}', b"[" * 100_000, b"\xff", b'{"a": "\\ud800"}'):
        answer = live.client.post("/api/draw", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 400, body[:20]
        assert answer.json()["error"]["message"]
    assert live.client.post("/api/draw", content=b"{}").status_code == 400  # a form of another site could send it
    assert live.client.get("/api/draw").status_code in (404, 405)
    assert live.client.get("/api/jobs/none/events").status_code == 404
    odd: list[dict[str, Any]] = [
        {"model": 3}, {"model": "nothing"}, {"model": "pose", "form": "odd"}, {"model": "pose", "method": "odd"},
        {"model": "pose", "entries": "T"}, {"model": "pose", "values": [1]}, {"model": "pose", "values": {"l1": "x"}},
    ]  # fmt: skip
    for given in odd:
        event, data = live.job("/api/equations", document=document(), **given)
        assert event == "failed" and "should not happen" not in data["error"]["message"], data


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("motion", {"motion": {"to": [1]}}), ("motion", {"motion": {"duration": 0}}), ("motion", {"motion": []}),
        ("motion", {"motion": {"kind": "spline", "points": [[0, 0]]}}), ("motion", {"motion": {"to": [1, "x"]}}),
        ("simulate", {"law": "nothing"}), ("simulate", {"law": "pd_gravity", "gains": {"nothing": 1}}),
        ("simulate", {"step": 1e-9}), ("simulate", {"until": 1e9}), ("simulate", {"friction": "odd"}),
        ("simulate", {"push": {"from": 1, "to": 0}}), ("code", {"models": []}), ("code", {"language": "odd"}),
        ("code", {"models": ["pose"], "options": {"dtype": "odd"}}), ("simulate", {"law": "pid", "gains": {"kp": "x"}}),
        ("report", {"hidden": "all"}), ("inverse", {"symbolic": "odd"}), ("module", {"models": ["odd"]}),
    ],
)  # fmt: skip
def test_odd_wishes_get_a_sentence(live: Live, kind: str, given: dict[str, Any]) -> None:
    event, data = live.job(f"/api/{kind}", document=document(), **given)
    assert event == "failed"
    assert "should not happen" not in data["error"]["message"], data


def test_every_panel_has_its_answer(live: Live) -> None:
    arm = document()
    counts = live.result("/api/counts", document=arm, models=["pose", "gravity"])
    assert {row["model"] for row in counts["rows"]} == {"pose", "gravity"}
    inverse = live.result("/api/inverse", document=arm)
    assert inverse["derivation"] and inverse["arm_class"] and inverse["singularities"]
    assert live.result("/api/check", document=arm)["passed"]
    base = live.result("/api/base", document=arm)
    assert len(base["rows"]) == base["count"] == 6
    code = live.result("/api/code", document=arm, language="python", models=["pose"])
    assert any("def " in file["text"] for file in code["files"])


@pytest.mark.turn
def test_an_arm_in_time(live: Live) -> None:
    """The torques are the arm's; letters get stand-ins, which are told."""
    arm, values = document(), {"l1": 0.5, "l2": 0.4}
    moved = live.result(
        "/api/motion", document=arm, motion={"kind": "quintic", "to": [1, 0.5], "duration": 1}, values=values
    )
    assert set(moved["stand_ins"]) == {"m1", "m2", "g"}
    numbers = values | moved["stand_ins"]
    wanted = mp.Arm(mp.load("planar2r").with_parameters(**numbers))
    tau = wanted.inverse_dynamics(moved["q"][200], moved["qd"][200], moved["qdd"][200])
    assert moved["tau"][200] == pytest.approx(tau.tolist(), rel=1e-12)
    run = live.result(
        "/api/simulate", document=arm, law="computed_torque", reference={"to": [1, 0.5], "duration": 0.5}, until=0.5,
        push={"from": 0.1, "to": 0.2, "force": [0, -5, 0]}, payload=0.2, values=values,
    )  # fmt: skip
    assert len(run["t"]) == len(run["q"]) == len(run["tau"]) == len(run["ref"])
    assert run["whole"] and run["balance"] < 1e-3
    assert run["warnings"] == []


def test_the_same_arm_in_other_words(live: Live) -> None:
    arm = document("stanford")
    other = live.post("/api/convert", document=arm, convention="modified", angle="rad", length="mm")["document"]
    assert (other["convention"], other["angle"], other["length"]) == ("modified", "rad", "mm")
    q = [0.1, -0.5, 0.3, 0.2, 0.4, -0.1]
    before, after = (poses_of(api.drawing(told(api.from_document, each)), q) for each in (arm, other))
    assert np.allclose(before[-1], after[-1], atol=1e-12)


# long work


def test_a_job_is_heard_again_by_who_comes_later(live: Live) -> None:
    job = live.post("/api/counts", document=document("rp"), models=["pose"])["job"]
    first, second = list(live.events(job)), list(live.events(job))
    assert first == second
    assert (first[0][0], first[-1][0]) == ("progress", "result")
    assert live.client.get(f"/api/jobs/{job}").json()["state"] == "done"
    assert live.post("/api/counts", document=document("rp"), models=["pose"])["job"] == job


def test_a_cancelled_job_ends_and_its_process_with_it(live: Live) -> None:
    """Another answer comes while it runs; the next job finds a process."""
    job = live.post("/api/counts", document=document("panda"))["job"]
    events = live.events(job)
    assert next(events)[0] == "progress"
    before = set(live.workers())
    assert job in [entry["job"] for entry in live.client.get("/api/jobs").json()["jobs"]]
    live.post(f"/api/jobs/{job}/cancel")
    assert list(events)[-1] == ("cancelled", {})
    assert live.client.get(f"/api/jobs/{job}").json()["state"] == "cancelled"
    assert live.result("/api/check", document=document("rp"))["passed"]
    assert not before or len(before - set(live.workers())) == 1


@pytest.mark.turn
def test_fifty_pages_at_once(live: Live) -> None:
    """All are answered, and those who draw get their own arm."""

    async def page(client: httpx.AsyncClient, number: int) -> None:
        arm = document()
        arm["rows"][0]["a"] = f"0.{number + 100}"
        for _ in range(2):
            for path in ("/api/files", "/api/jobs"):
                assert (await client.get(path)).status_code == 200
        if number % 5:
            return
        drawn = (await client.post("/api/draw", json={"document": arm})).json()
        assert drawn["document"]["rows"][0]["a"] == str(float(arm["rows"][0]["a"]))

    async def pages() -> None:
        limits = httpx.Limits(max_connections=50)
        async with httpx.AsyncClient(
            base_url=live.origin,
            headers={"Origin": live.origin},
            cookies=live.client.cookies,
            timeout=60,
            limits=limits,
        ) as client:
            await asyncio.gather(*(page(client, number) for number in range(50)))

    asyncio.run(pages())


def test_a_heavy_table_holds_nobody_up(live: Live) -> None:
    """It is read beside the server's process: another page is answered before it is drawn."""
    arm = document()
    arm["rows"] = [{**arm["rows"][0], "name": f"joint {number}"} for number in range(150)]
    arm["dynamics"] = arm["dynamics"][:1] * 150

    async def both() -> tuple[bool, dict[str, Any]]:
        async with another(live) as client:
            heavy = asyncio.create_task(client.post("/api/draw", json={"document": arm}))
            await asyncio.sleep(0.05)
            for _ in range(3):
                assert (await client.get("/api/jobs")).status_code == 200
            early = not heavy.done()
            return early, (await heavy).json()

    early, drawn = asyncio.run(both())
    assert early
    assert drawn["dof"] == 150
