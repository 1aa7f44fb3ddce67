"""The study panel's server side: forms that run as they stand, sentences at their field, files that give the same."""

from __future__ import annotations

import json
import random
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula import api
from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.robot.default_values import Limits
from manipula.studies.catalogue.entry import cells_of, initial_cells, setting_meant, settings_from
from manipula.studies.catalogue.registry import READY
from manipula.studies.study_file import study_of_file, study_text
from manipula.studio.tasks.requests import FieldError, error_of
from manipula.studio.tasks.studies import studies, study
from tests.browser.test_studio import recorded
from tests.golden.sentences import Sentences
from tests.units.studio.conftest import Live

WORDS = Path(__file__).parents[3] / "web" / "src" / "shared" / "portuguese.json"
SLIDER = mp.Robot.from_dh([(0, "d2", 0, 0, "P")], name="one")
BOX = [-0.7, 0.7, -0.7, 0.7, 0, 0]  # said, so that no reach is searched for
QUICK = {
    "workspace": {"voxels": [4], "box": BOX},
    "tolerances": {"count": [3]},
    "gains": {"levels": [2]},
    "tune": {"generations": [1], "members": [5]},
    "payload": {},
    "design": {"count": [4]},
}


def silent(*said: Any) -> None:
    """Progress that nobody hears."""


def asked(robot: Any, name: str, place: Path, **typed: Any) -> dict[str, Any]:
    """The form as a page sends it, untouched but for what was typed."""
    document = api.document(robot)
    (form,) = [x for x in studies({"document": document}, silent)["studies"] if x["name"] == name]
    words = {field["name"]: field["value"] for field in form["fields"]}
    settings = {
        field["name"]: {row["name"]: [row["low"], row["high"]] for row in field["ranges"][words[field["by"]]]}
        if field["kind"] == "ranges"
        else field["value"]
        for field in form["fields"]
        if field["kind"] != "logs"
    }
    return {"document": document, "study": name, "settings": settings | typed, "outbox": str(place)}


def taken(found: dict[str, Any], kind: str, outbox: Path) -> bytes:
    """A file, as the page downloads it."""
    address: str = found["files"][kind]
    return (outbox / address.removeprefix("/files/")).read_bytes()


@pytest.mark.parametrize("name", QUICK)
def test_a_form_runs_as_it_stands_and_its_file_gives_the_same_bytes(name: str, tmp_path: Path) -> None:
    lines: list[Any] = []
    found = study(asked("planar2r", name, tmp_path, **QUICK[name]), lambda *line: lines.append(line))
    assert found["count"] > 1 and found["failed"] == 0 and found["stand_ins"]  # planar2r is made of letters
    assert found["rows"] and found["parts"]
    for curve in found["curves"]:
        assert np.all(np.diff(curve["x"]) > 0) and np.all(np.diff(curve["share"]) > 0) and curve["share"][-1] == 1
    assert found["curves"] and {curve["name"] for curve in found["curves"]} <= {row[0] for row in found["rows"]}
    assert all("style=" not in part and "<script" not in part for part in found["parts"])
    figures = lines[-2][1]
    assert lines[-1][0] == "writing" and figures["done"] == figures["count"] == found["count"]
    file = tmp_path / "again" / "asked.toml"
    file.parent.mkdir()
    file.write_bytes(taken(found, "toml", tmp_path))
    again, _ = study_of_file(file)
    for kind in ("npz", "csv"):
        assert again.save(tmp_path / f"again.{kind}").read_bytes() == taken(found, kind, tmp_path), kind
    assert again.report(tmp_path / "again.html").read_bytes() == taken(found, "html", tmp_path)


@pytest.mark.parametrize(
    ("name", "typed", "field", "told"),
    [
        ("workspace", {"voxels": ["many"], "box": BOX}, "voxels", "found 'many'"),
        ("workspace", {"voxels": [2.5], "box": BOX}, "voxels", "found 2.5"),
        ("workspace", {"voxels": [10**9], "box": BOX}, "voxels", "1000000 or fewer along a side"),
        ("workspace", {"directions": [3]}, "directions", "leave directions out"),
        ("workspace", {"box": [1, 0, 0, 1, 0, 1]}, "box", "from low to high"),
        ("workspace", {"box": [None, 1, 0, 1, 0, 1]}, "box", "fill in all of them, or none"),
        ("tolerances", {"count": [0]}, "count", "found 0"),
        ("tolerances", {"length": [-1]}, "length", "zero or more"),
        ("payload", {"goal": [None, None]}, "goal", "where the motion ends"),
        ("payload", {"goal": ["x", 1]}, "goal", "one a joint"),
        ("payload", {"limits": [None, None]}, "limits", "has no effort_limit"),
        ("payload", {"payloads": [5, 0, 3]}, "payloads", "reversed"),
        ("payload", {"speeds": [1, 2, 1.5]}, "speeds", "found 1.5"),
        ("gains", {"gains": {"kp": [400, 25], "kd": [5, 80]}}, "gains", "reversed"),
        ("gains", {"gains": {"kp": [25, None], "kd": [5, None]}}, "gains", "not all can be held"),
        ("gains", {"gains": {"kp": [None, 25], "kd": [5, 80]}}, "gains", "fill in"),
        ("gains", {"duration": [0]}, "duration", "above zero"),
        ("design", {"vary": "l1 = [0.2,"}, "vary", "this is no TOML"),
        ("design", {"vary": "[tasks]"}, "vary", "found those of 'tasks'"),
        ("design", {"vary": "vary = 3"}, "vary", "expected ranges by name"),
        ("design", {"vary": "vary.l9 = [1, 2]"}, "vary", "l9"),
        ("design", {"tasks": "[[tasks]]\nplaces = [0.1, 0.1]"}, "tasks", "expected three numbers"),
        ("design", {"vary": "x" * 30_000}, "vary", "20000 letters at most"),
        ("design", {"vary": ["l1"]}, "vary", "expected lines of a study file"),
    ],
)
def test_what_cannot_be_is_told_at_its_field(
    name: str, typed: dict[str, Any], field: str, told: str, tmp_path: Path, whole: Sentences
) -> None:
    with whole.raises(FieldError) as found:
        study(asked("planar2r", name, tmp_path, **typed), silent)
    assert told in str(found.value)
    assert error_of(found.value) == {"message": str(found.value), "row": None, "column": field}


def test_a_text_may_have_as_many_letters_as_the_sentence_says(tmp_path: Path) -> None:
    spaces = " " * (20_000 - len("vary = 3"))
    for text, told in (
        (f"vary = 3{spaces}", "expected ranges by name"),
        (f"vary = 3 {spaces}", "20000 letters at most"),
    ):
        with pytest.raises(FieldError, match=told):
            study(asked("planar2r", "design", tmp_path, vary=text), silent)


@pytest.mark.turn
def test_names_are_text_in_what_the_page_shows(tmp_path: Path) -> None:
    """The pieces go into the page as they are: no name in them is markup."""
    document = api.document("planar2r") | {"name": '<img src=x onerror="x">'}
    typed = {"count": [2], "vary": "[vary]\nl1 = [0.2, 0.4]", "tasks": '[[tasks]]\nname = "<b>"\nplaces = [9, 9, 9]'}
    found = study({**asked("planar2r", "design", tmp_path, **typed), "document": document}, silent)
    shown = "".join(found["parts"])
    assert "&lt;b&gt;" in shown and "<b>" not in shown and "<img" not in shown and "onerror" not in shown
    assert "<img" not in taken(found, "html", tmp_path).decode()


@pytest.mark.parametrize("seed", [-1, 0.5, "x", True, 1e300])
def test_a_seed_that_is_none_is_told_at_its_field(seed: Any, tmp_path: Path) -> None:
    with pytest.raises(FieldError) as found:
        study(asked("planar2r", "workspace", tmp_path) | {"seed": seed}, silent)
    assert error_of(found.value)["column"] == "seed"


def test_more_cases_than_a_page_can_hold_are_refused_before_the_first(tmp_path: Path) -> None:
    with pytest.raises(FieldError, match="expected 2000000 or fewer"):
        study(asked("planar2r", "workspace", tmp_path, voxels=[5000], box=BOX), silent)


def test_only_a_form_brings_files(tmp_path: Path) -> None:
    """A path in a setting would be read from this machine's disk."""
    with pytest.raises(FieldError, match="no setting of the form is called 'logs'"):
        study(asked("planar2r", "bootstrap", tmp_path, logs=["/etc/passwd"]), silent)
    with pytest.raises(FieldError, match="expected recordings"):
        study(asked("planar2r", "bootstrap", tmp_path), silent)


@pytest.mark.parametrize("name", ["rp", "scara", "puma560", "gen3"])
def test_forms_begin_inside_the_limits_with_a_cell_a_joint(name: str) -> None:
    robot, _ = api.with_stand_ins(api.load(name))
    for entry in READY.values():
        for setting in entry.form:
            first, cells = initial_cells(setting, robot), cells_of(setting, robot)
            if cells:
                assert len(first) == len(cells)
            if setting.kind == "joints":
                known = Limits(robot)
                assert np.all((known.lower <= first) & (first <= known.upper)) and len(cells) == robot.dof
                assert {cell.unit for cell in cells} <= {"rad", "m"}


def test_every_setting_and_result_is_told_in_both_languages() -> None:
    """Whoever adds a study writes its form."""
    portuguese = json.loads(WORDS.read_text(encoding="utf-8"))
    for entry in READY.values():
        assert {setting.name for setting in entry.form} == set(entry.settings), entry.name
        told = [entry.name, entry.line, *(x.about for x in entry.form if x.kind != "written")]
        told += [column.about for column in entry.columns.values()]
        assert [text for text in told if text not in portuguese] == []


def test_a_written_study_is_read_as_it_was_meant(tmp_path: Path) -> None:
    """Names, numbers and tables of any kind, drawn at random."""
    draw = random.Random(5)
    odd = ["", "a", "'''", '"', "\\", "\n", "é\x7f\t", "[x]", "#", "日本", "=", "1e5"]

    def any_value(depth: int = 0) -> Any:
        kinds = [lambda: draw.choice(odd), lambda: draw.uniform(-1e9, 1e9) * 10 ** draw.randint(-300, 290),
                 lambda: draw.randint(-(2**53), 2**53), lambda: draw.random() < 0.5]  # fmt: skip
        if depth < 2:
            kinds += [lambda: [any_value(depth + 1) for _ in range(draw.randint(0, 3))]]
            kinds += [lambda: {draw.choice(odd): any_value(depth + 1) for _ in range(draw.randint(0, 3))}]
        return draw.choice(kinds)()

    for k in range(60):
        settings = {f"{draw.choice(odd)}{i}": any_value() for i in range(4)}
        robot = SLIDER if k % 2 else mp.Robot.from_dh([(0, 0, 0.3, 0)], name=f"it's '''{draw.choice(odd)}{k}")
        read = tomllib.loads(study_text("gains", robot, settings, k))
        assert (read["settings"], read["seed"], read["study"]) == (settings, k, "gains")
        assert api.to_text(mp.Robot.from_text(read["robot"])) == api.to_text(robot)


def test_a_setting_that_no_form_has_is_refused() -> None:
    form = READY["workspace"].form
    with pytest.raises(UnknownNameError, match="voxles"):
        settings_from(form, {"voxles": [3]})
    with pytest.raises(UnknownNameError):
        settings_from(READY["tolerances"].form, {"q": [[0, 0]]})  # is written, not typed
    for bad in ("x", {"a": 1}, [[1]], None):
        with pytest.raises(InputError, match="voxels"):
            settings_from(form, {"voxels": bad})
    assert settings_from(form, {"voxels": [None], "box": [None] * 6}) == {}
    assert settings_from(form, {"box": [0, 1, 2, 3, 4, 5]}) == {"box": [[0, 1], [2, 3], [4, 5]]}


def test_a_sentence_without_a_field_is_of_the_whole_form() -> None:
    assert setting_meant(READY["workspace"].form, "arm: joint 'x' slides; box= says where to look") == "box"
    assert setting_meant(READY["gains"].form, "gains: goal: expected where the motion ends") == "goal"
    assert setting_meant(READY["payload"].form, "planar2r: something else") == ""


def test_a_study_is_followed_left_and_found_again(live: Live) -> None:
    """Its progress has figures; a page that is loaded again hears all of it; cancelled, it ends."""
    document = api.document("planar2r")
    forms = live.result("/api/studies", document=document)["studies"]
    assert [form["name"] for form in forms] == list(READY)
    motion = {"goal": [1, 1], "limits": [50, 50]}
    wanted = {"document": document, "study": "payload", "settings": motion | {"speeds": [1, 2, 4]}, "seed": 3}
    job = live.post("/api/study", **wanted)["job"]
    first, second = list(live.events(job)), list(live.events(job))
    assert first == second and first[-1][0] == "result" and first[-1][1]["count"] == 44
    assert live.post("/api/study", **wanted)["job"] == job
    assert [line for event, line in first if event == "progress" and "figures" in line][-1]["figures"]["done"] == 44
    npz = live.client.get(first[-1][1]["files"]["npz"])
    assert npz.headers["content-disposition"] == 'attachment; filename="planar2r_payload.npz"'
    many = motion | {"payloads": [0, 5, 200_000]}
    long = live.post("/api/study", document=document, study="payload", settings=many)["job"]
    for _, line in live.events(long):
        if line.get("figures"):
            break
    live.post(f"/api/jobs/{long}/cancel")
    assert list(live.events(long))[-1] == ("cancelled", {})


def test_a_bad_study_is_told_over_the_wire(live: Live) -> None:
    document = api.document("planar2r")
    event, told = live.job("/api/study", document=document, study="workspace", settings={"voxels": ["x"]})
    assert event == "failed" and told["error"]["column"] == "voxels" and "found 'x'" in told["error"]["message"]
    event, told = live.job("/api/study", document=document, study="none", settings={})
    assert event == "failed" and "workspace" in told["error"]["message"]
    event, told = live.job("/api/study", document=document, study="bootstrap", settings={}, logs=["/etc/passwd"])
    assert event == "failed" and "expected recordings" in told["error"]["message"]


@pytest.mark.slow
def test_recordings_come_with_a_form_and_the_file_calls_them_by_their_names(live: Live, tmp_path: Path) -> None:
    robot = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    recorded(robot, 1.0).save(tmp_path / "run (2).csv")
    settings = {"count": [2], "windows": [3]}
    rest = {"study": "bootstrap", "settings": settings, "seed": 1, "recordings": ["../run (2).csv"], "logs": ["/etc/x"]}
    form = {"document": json.dumps(api.document(robot)), "asked": json.dumps(rest)}
    files = [("logs", ("run (2).csv", (tmp_path / "run (2).csv").read_bytes()))]
    *_, (event, found) = live.events(live.client.post("/api/study", data=form, files=files).json()["job"])
    assert event == "result" and found["count"] == 2 and found["failed"] == 0, found
    (tmp_path / "asked.toml").write_bytes(live.client.get(found["files"]["toml"]).content)
    assert 'settings.logs = ["run (2).csv"]' in (tmp_path / "asked.toml").read_text(encoding="utf-8")
    again, _ = study_of_file(tmp_path / "asked.toml")
    assert again.save(tmp_path / "again.npz").read_bytes() == live.client.get(found["files"]["npz"]).content
