"""Limits of the studio's folder, drafts and recordings, exactly met: one more is refused or left out."""

from __future__ import annotations

import asyncio
import io
import json
import os
import stat
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from starlette.datastructures import FormData, Headers, UploadFile

from manipula.errors import InputError
from manipula.studio import requests, store
from manipula.studio.app import Studio
from manipula.studio.requests import Recordings
from manipula.studio.store import Drafts, Folder, digest_of


def names(folder: Folder) -> list[str]:
    return [entry["name"] for entry in folder.files()]


def test_a_list_of_files_ends_where_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for k in range(5):
        (tmp_path / f"{k}.toml").write_text(f"{k}")
    monkeypatch.setattr(store, "LISTED", 3)
    assert names(Folder(tmp_path)) == ["0.toml", "1.toml", "2.toml"]
    monkeypatch.setattr(store, "LISTED", 5)
    assert len(names(Folder(tmp_path))) == 5


def test_a_file_of_the_largest_size_is_one_and_a_larger_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "LARGEST", 2**20)
    (tmp_path / "most.toml").write_bytes(b"x" * 2**20)
    (tmp_path / "more.toml").write_bytes(b"x" * (2**20 + 1))
    folder = Folder(tmp_path)
    assert names(folder) == ["most.toml"]
    assert folder.read("most.toml")[1] == digest_of(b"x" * 2**20)
    with pytest.raises(InputError) as caught:
        folder.read("more.toml")
    assert str(caught.value) == "more.toml: the file is too large: at most 1 MB"
    with pytest.raises(InputError) as caught:
        folder.read("none.toml")
    assert str(caught.value) == "none.toml: cannot be read: No such file or directory"


def test_folders_are_looked_into_as_deep_as_it_says_and_as_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, want = tmp_path, []
    for depth in range(store.DEEP + 1):
        (place / "arm.toml").write_text("x")
        want.append("d/" * depth + "arm.toml")
        place = place / "d"
        place.mkdir()
    assert sorted(names(Folder(tmp_path))) == sorted(want[: store.DEEP])
    monkeypatch.setattr(store, "LOOKED_AT", 1)  # arm.toml, and nothing after it
    assert names(Folder(tmp_path)) == ["arm.toml"]
    monkeypatch.setattr(store, "LOOKED_AT", 4)  # arm.toml, d, d/arm.toml, d/d
    assert len(names(Folder(tmp_path))) == 2


def test_hidden_files_links_and_other_endings_are_not_listed(tmp_path: Path) -> None:
    for name in (".hidden.toml", "arm.toml", "arm.txt2", "table.csv", "odd|name.toml"):
        (tmp_path / name).write_text("x")
    os.symlink(tmp_path / "arm.toml", tmp_path / "link.toml")
    found = {entry["name"]: entry for entry in Folder(tmp_path).files()}
    assert list(found) == ["arm.toml", "table.csv"]
    assert found["arm.toml"]["digest"] == digest_of(b"x") and found["table.csv"]["digest"] == ""
    assert found["arm.toml"]["size"] == 1 and found["arm.toml"]["changed"] == (tmp_path / "arm.toml").stat().st_mtime


def test_a_digest_is_read_once_for_every_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, read = tmp_path / "arm.toml", list[str]()
    path.write_text("first")
    folder = Folder(tmp_path)

    def digest(data: bytes) -> str:
        read.append(data.decode())
        return digest_of(data)

    monkeypatch.setattr(store, "digest_of", digest)
    folder.files()
    folder.files()
    assert read == ["first"]
    path.write_text("second")
    assert folder.files()[0]["digest"] == digest_of(b"second") and read == ["first", "second"]
    monkeypatch.setattr(
        store, "LISTED", 0
    )  # all are forgotten when there are more than four times as many as are listed
    path.write_text("a third")
    folder.files()
    assert len(folder._digests) == 1


def test_drafts_are_for_their_user_alone_and_the_oldest_goes(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path / "kept" / "drafts")
    assert drafts.all() == []
    for k in range(store.DRAFTS + 1):
        drafts.save(f"draft-{k}", {"document": {"k": k}})  # type: ignore[typeddict-item]
        os.utime(drafts.place / f"draft-{k}.json", (1000 + k, 1000 + k))
    assert stat.S_IMODE(drafts.place.stat().st_mode) == 0o700
    (drafts.place / "odd.json").write_text("{")
    os.utime(drafts.place / "odd.json", (10, 10))
    kept = drafts.all()
    assert [draft["name"] for draft in kept] == [f"draft-{k}" for k in range(store.DRAFTS, 0, -1)]
    assert kept[0]["saved"] == 1000 + store.DRAFTS and kept[0]["document"] == {"k": store.DRAFTS}
    drafts.save("draft-1", None)
    drafts.save("draft-1", None)
    assert len(drafts.all()) == store.DRAFTS - 1
    with pytest.raises(InputError) as caught:
        drafts.save("a/b", None)
    assert str(caught.value) == "name: expected letters, digits, - and _ for a draft, found 'a/b'"
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError) as caught:
        Drafts(tmp_path / "file").save("one", {"document": {}})  # type: ignore[typeddict-item]
    assert str(caught.value).startswith(f"the draft cannot be kept in {tmp_path / 'file'}: ")


class Form:
    """A request with a form, as starlette has it."""

    headers = Headers({"content-type": "multipart/form-data; boundary=x"})

    def __init__(self, *fields: tuple[str, Any]) -> None:
        self.fields = FormData(fields)

    def form(self, **limits: Any) -> Form:
        return self

    async def __aenter__(self) -> FormData:
        return self.fields

    async def __aexit__(self, *error: object) -> None:
        return None


def upload(name: str, data: bytes) -> UploadFile:
    return UploadFile(io.BytesIO(data), filename=name)


def test_a_form_is_read_whole_and_the_oldest_recordings_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "KEPT", 2)
    recordings = Recordings(tmp_path)
    asked = json.dumps({"task": "identify", "method": "ols"})
    form = Form(
        ("document", json.dumps({"a": 1})), ("method", "wls"), ("asked", asked),
        ("logs", upload("C:\\data\\first.csv", b"1")), ("logs", upload("second.csv", b"2")),
        ("validate", upload("third.csv", b"3")),
    )  # fmt: skip
    given = asyncio.run(recordings.of(form))  # type: ignore[arg-type]
    assert (given["document"], given["method"], given["task"]) == ({"a": 1}, "ols", "identify")
    logs, validate, called = given["logs"], given["validate"], given["called"]
    assert isinstance(logs, list) and isinstance(validate, list) and isinstance(called, dict)
    assert [called[path] for path in (*logs, *validate)] == ["first.csv", "second.csv", "third.csv"]
    assert [Path(path).exists() for path in (*logs, *validate)] == [False, True, True]
    assert Path(validate[0]).read_bytes() == b"3" and recordings.paths == [Path(logs[1]), Path(validate[0])]


def test_what_is_no_form_or_no_file_is_refused(tmp_path: Path) -> None:
    plain = SimpleNamespace(headers=Headers({"content-type": "application/json"}))
    with pytest.raises(InputError, match=r"^the request is no form with recordings$"):
        asyncio.run(Recordings(tmp_path).of(plain))  # type: ignore[arg-type]
    for odd, said in (("text", "'text'"), (upload("", b"1"), "''")):
        with pytest.raises(InputError) as caught:
            asyncio.run(Recordings(tmp_path).of(Form(("document", "{}"), ("logs", odd))))  # type: ignore[arg-type]
        assert str(caught.value) == f"expected a recording with a name, found {said}"


def test_the_language_is_that_of_the_page_else_of_its_stream_else_of_the_studio() -> None:
    studio: Any = SimpleNamespace(language="pt")
    cases = (({"x-language": "en"}, {"lang": "de"}, "en"), ({}, {"lang": "de"}, "de"), ({"x-language": ""}, {}, "pt"))
    for headers, asked, language in cases:
        request: Any = SimpleNamespace(headers=headers, query_params=asked)
        assert Studio._tongue(studio, request) == language
