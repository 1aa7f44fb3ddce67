"""How links look, by way of the running studio: meshes of the user's folder, and nothing outside it."""

from __future__ import annotations

import pytest

from tests.units.studio.conftest import Live
from tests.units.test_meshes import FILES, LOOKS


def looked(live: Live, name: str) -> tuple[str, dict[str, object]]:
    *_, last = live.events(live.post("/api/looks", file=name)["job"])
    return last


def test_meshes_of_the_folder_are_read(live: Live) -> None:
    place = live.folder / "looks" / "urdf"
    place.mkdir(parents=True)
    (place / "r.urdf").write_text(LOOKS)
    (live.folder / "looks" / "meshes").mkdir()
    event, before = looked(live, "looks/urdf/r.urdf")
    assert event == "result" and any("a.stl" in str(note) for note in before["notes"])
    (live.folder / "looks" / "meshes" / "a.stl").write_bytes(FILES["a.stl"])
    _, found = looked(live, "looks/urdf/r.urdf")  # the same question, another answer: the file has come
    shown = live.client.get(str(found["url"])).json()
    assert set(shown["shapes"]) == {"", "turn"} and shown["paints"]["#ff8000"] == "#ff8000"
    assert len(found["notes"]) == 2


def test_nothing_outside_the_folder_is_read(live: Live) -> None:
    """Though the robot's own package would reach there."""
    outside = live.folder.parent / "meshes"
    outside.mkdir(exist_ok=True)
    (outside / "a.stl").write_bytes(FILES["a.stl"])
    (live.folder.parent / "package.xml").write_text("<package/>")
    (live.folder / "r.urdf").write_text(LOOKS.replace("package://bot/", "../"))
    event, found = looked(live, "r.urdf")
    (live.folder.parent / "package.xml").unlink()
    assert event == "result" and "is not in the folder" in str(found["notes"])
    for name in ("../r.urdf", "/etc/passwd", "a.stl", "..", "", 7, ["r.urdf"]):
        for call in ("/api/looks", "/api/report"):
            answer = live.client.post(call, json={"file": name, "path": "/etc/passwd", "document": {}})
            assert answer.status_code == 400, (call, name)


@pytest.mark.parametrize("text", ["<robot", "", '<!DOCTYPE a [<!ENTITY b "c">]><robot name="r"/>'])
def test_a_spoilt_file_is_a_sentence(live: Live, text: str) -> None:
    (live.folder / "spoilt.urdf").write_text(text)
    event, told = looked(live, "spoilt.urdf")
    assert event == "failed" and "should not happen" not in str(told), told
