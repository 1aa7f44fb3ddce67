"""Files and drafts: nothing outside the folder, nothing lost, nobody overwritten."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from manipula.errors import InputError
from manipula.studio.store import DRAFTS, LARGEST, Conflict, Drafts, Folder, digest_of

OUTSIDE = (
    "../secret.toml", "..\\secret.toml", "a/../../secret.toml", "/etc/secret.toml", "//host/secret.toml",
    "C:secret.toml", "C:\\secret.toml", "C:/secret.toml", "\\\\host\\share\\secret.toml", "a//b.toml",
    "./secret.toml", "a/./b.toml", "..", "", ".", "/", "secret\u0000.toml", "x.toml\u0000.png", "\u0000",
    "a\nb.toml", ".hidden.toml", ".git/config.toml", "con.toml", "NUL.toml", "a/lpt1.toml", "x.toml.", "x.toml ",
    " x.toml", "x.toml/", "x.py", "x", "x.toml.exe", "a:b.toml", "a|b.toml", "a*b.toml", "a?.toml",
    "x" * 300 + ".toml", "…/../../secret.toml", "out/secret.toml", "link.toml",
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A folder with a secret beside it, and links that lead there."""
    root = tmp_path / "robots"
    (root / "a").mkdir(parents=True)
    (tmp_path / "secret.toml").write_text("secret")
    os.symlink(tmp_path, root / "out")
    os.symlink(tmp_path / "secret.toml", root / "link.toml")
    return Folder(root)


def everything(place: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in place.rglob("*") if path.is_file()}


@pytest.mark.parametrize("name", [*OUTSIDE, None, 3, ["x.toml"], {"name": "x.toml"}])
def test_no_name_leads_outside(folder: Folder, name: object) -> None:
    before = everything(folder.root.parent)
    with pytest.raises(InputError):
        folder.read(name)
    for base in (None, digest_of(b"secret")):
        with pytest.raises(InputError):
            folder.save(name, "mine", base)
    assert everything(folder.root.parent) == before


@pytest.mark.parametrize("seed", range(20))
def test_any_name_is_inside_or_refused(folder: Folder, seed: int) -> None:
    rng = random.Random(seed)
    pieces = (
        "..",
        ".",
        "/",
        "\\",
        "a",
        "x.toml",
        "%2e%2e",
        "%2f",
        ":",
        "~",
        "out",
        "link",
        "\x00",
        " ",
        "é",
        "/..",
        "C:",
        "$HOME",
    )
    for _ in range(50):
        name = "".join(rng.choices(pieces, k=rng.randint(1, 5))) + rng.choice(("", ".toml"))
        try:
            found = folder.path(name)
        except InputError:
            continue
        assert found.is_relative_to(folder.root.resolve()), name


def test_names_that_are_good(folder: Folder) -> None:
    for name in ("arm.toml", "a/arm.toml", "braço 2.toml", "new folder/x.toml", "%2e%2e.toml", "~x.toml"):
        folder.save(name, name, None)
        assert folder.read(name)[1] == digest_of(name.encode())
    listed = [entry["name"] for entry in folder.files()]
    assert listed == sorted(["arm.toml", "a/arm.toml", "braço 2.toml", "new folder/x.toml", "%2e%2e.toml", "~x.toml"])
    with pytest.raises(InputError, match="endings"):
        folder.save("arm.urdf", "x", None)


@pytest.mark.skipif(sys.platform != "linux", reason="the file system takes no such name")
def test_names_that_are_no_text_are_passed_over(folder: Folder) -> None:
    with open(os.fsencode(folder.root) + b"/\xff.toml", "wb"):
        pass
    (folder.root / "table.csv").write_text("x")
    assert [(entry["name"], entry["digest"]) for entry in folder.files()] == [("table.csv", "")]


def test_somebody_elses_change_is_not_overwritten(folder: Folder) -> None:
    base, _ = folder.save("arm.toml", "one", None)
    with pytest.raises(Conflict, match="there already"):
        folder.save("arm.toml", "two", None)
    (folder.root / "arm.toml").write_text("theirs")
    with pytest.raises(Conflict, match="changed") as conflict:
        folder.save("arm.toml", "two", base)
    assert conflict.value.theirs == "theirs"
    assert (folder.root / "arm.toml").read_text() == "theirs"
    assert conflict.value.digest is not None
    folder.save("arm.toml", "two", conflict.value.digest)
    (folder.root / "arm.toml").unlink()
    with pytest.raises(Conflict, match="gone") as conflict:
        folder.save("arm.toml", "three", digest_of(b"two"))
    assert conflict.value.theirs is None
    folder.save("arm.toml", "three", None)


def test_a_file_that_is_too_large_is_not_read(folder: Folder) -> None:
    with (folder.root / "big.toml").open("wb") as file:
        file.truncate(LARGEST + 1)
    assert folder.files() == []
    with pytest.raises(InputError, match="too large"):
        folder.read("big.toml")
    with pytest.raises(InputError, match="cannot be read"):
        folder.read("none.toml")


SAVING = """
import sys
from pathlib import Path
from manipula.studio.store import Folder, digest_of
folder, base = Folder(Path(sys.argv[1])), None
print("ready", flush=True)
for turn in range(10**6):
    base, _ = folder.save("arm.toml", str(turn % 10) * 200_000, base)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no process can be killed so here")
def test_killed_while_it_saves_the_file_is_whole(tmp_path: Path) -> None:
    for turn in range(3):
        place = tmp_path / str(turn)
        place.mkdir()
        process = subprocess.Popen([sys.executable, "-c", SAVING, str(place)], stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(0.03 + 0.017 * turn)
        process.kill()
        process.wait()
        process.stdout.close()
        text = (place / "arm.toml").read_text() if (place / "arm.toml").exists() else "0" * 200_000
        assert text == text[0] * 200_000
        assert [entry["name"] for entry in Folder(place).files()] in ([], ["arm.toml"])  # no leavings are shown


def test_drafts_come_back_and_are_few(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path / "drafts")
    assert drafts.all() == []
    for number in range(DRAFTS + 3):
        drafts.save(f"page-{number}", {"document": {"name": number}, "base": None, "file": None})
        os.utime(tmp_path / "drafts" / f"page-{number}.json", (number, number))
    found = drafts.all()
    assert len(found) <= DRAFTS + 1
    assert found[0]["document"] == {"name": DRAFTS + 2}
    (tmp_path / "drafts" / "page-5.json").write_text("{ cut off")
    (tmp_path / "drafts" / "list.json").write_text("[]")
    assert all(draft["name"] not in ("page-5", "list") for draft in drafts.all())
    drafts.save(found[0]["name"], None)
    assert found[0]["name"] not in [draft["name"] for draft in drafts.all()]
    for name in (*OUTSIDE[:20], "a b", "x.json", None, 3):
        with pytest.raises(InputError):
            drafts.save(name, {"document": {}})
    assert {path.parent for path in tmp_path.rglob("*.json")} == {tmp_path / "drafts"}


@pytest.mark.skipif(os.name != "posix", reason="no such permissions here")
def test_drafts_are_for_their_user_alone(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path / "drafts")
    drafts.save("page", {"document": {"name": "a"}, "base": None, "file": None})
    assert (tmp_path / "drafts").stat().st_mode & 0o777 == 0o700
