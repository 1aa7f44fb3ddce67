"""Files of others: what they ask for stays in their folder, what is broken in them is a sentence with their name."""

from __future__ import annotations

import random
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import manipula as mp
from manipula import api
from manipula.cli.app import app
from manipula.errors import ManipulaWarning
from manipula.pages.page import POLICY
from manipula.studies.study_file import study_of_file
from manipula.support.text import toml_tables
from tests import study_functions as functions
from tests.golden.sentences import Sentences
from tests.recordings import recording, two_joints

ROBOT = """format = 1
name = "one"
convention = "standard"
angle = "rad"
inertia_default = 0
[[joint]]
type = "revolute"
theta = 0
d = 0
a = 1
alpha = 0
mass = 1
"""
SCENARIO = 'format = 1\nrobot = "one.toml"\n[plant]\neffort = "none"\n[run]\nuntil = 0.01\n[output]\n'
STUDY = 'format = 1\nfunction = "tests.study_functions:slow"\n[cases]\na = [1, 2]\n[output]\n'
KINDS = {"scenario": (SCENARIO, "log", ".csv"), "study": (STUDY, "results", ".csv")}


def run(kind: str, file: Path, **options: Any) -> list[Path]:
    return (api.simulate_file if kind == "scenario" else study_of_file)(file, **options)[1]


def written(folder: Path, kind: str, name: str) -> Path:
    text, key, _ = KINDS[kind]
    folder.mkdir(exist_ok=True)
    (folder / "one.toml").write_text(ROBOT)
    (folder / "it.toml").write_text(f'{text}{key} = "{name}"\n')
    return folder / "it.toml"


# what a file asks for


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "name", ["../x", "a/../../x", "/x", "//x", "link/x", "a/../link/x", "..\\\\..\\\\x", "\\u0000x"]
)
def test_no_file_is_written_outside_the_folder(kind: str, name: str, tmp_path: Path) -> None:
    ending = KINDS[kind][2]
    outside = tmp_path / "outside"
    outside.mkdir()
    file = written(tmp_path / "given", kind, f"{tmp_path}{name}{ending}" if name == "/x" else f"{name}{ending}")
    (file.parent / "link").symlink_to(outside)
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    try:
        (found,) = run(kind, file, force=True)
    except mp.InputError as error:
        assert str(error).startswith(f"{file}: output: {KINDS[kind][1]}: ") and "leads out of the folder" in str(error)
        assert {path for path in tmp_path.rglob("*") if path.is_file()} == before
    else:
        assert "\\" in name and found.resolve().parent == file.parent.resolve()  # a letter like any other here


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_exists_stays_unless_forced(kind: str, tmp_path: Path) -> None:
    """It is refused before the run; a second run of the same file needs the word as well."""
    file = written(tmp_path, kind, f"deep/x{KINDS[kind][2]}")
    (path,) = run(kind, file)
    assert path == tmp_path / "deep" / f"x{KINDS[kind][2]}"
    right = path.read_bytes()
    path.write_bytes(b"of another")
    with pytest.raises(mp.InputError, match=r"exists; name another file, or replace it: --force") as refused:
        run(kind, file)
    assert str(path) in str(refused.value) and path.read_bytes() == b"of another"
    command = ["simulate" if kind == "scenario" else "study", str(file)]
    shell = CliRunner().invoke(app, command)
    assert (shell.exit_code, path.read_bytes()) == (2, b"of another")
    assert CliRunner().invoke(app, [*command, "--force"]).exit_code == 0
    assert path.read_bytes() == right
    path.unlink()
    path.symlink_to(tmp_path / "nowhere.csv")
    assert run(kind, file, force=True) == [path]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ending", ["", ".toml", ".csv"])
def test_a_name_longer_than_a_file_may_have_is_refused(ending: str, kind: str, tmp_path: Path) -> None:
    """As the robot, and as what is written."""
    name = "x" * 5000 + ending
    with pytest.raises(mp.InputError):
        mp.load(name)
    file = written(tmp_path, kind, name)
    with pytest.raises(mp.InputError):
        run(kind, file)
    of_robot = {
        "scenario": SCENARIO.replace("one.toml", name),
        "study": f'format=1\nstudy="workspace"\nrobot="{name}"\n',
    }
    file.write_text(of_robot[kind], encoding="utf-8")
    with pytest.raises(mp.InputError):
        run(kind, file)


def test_a_folder_of_designs_that_holds_something_is_not_written_to(tmp_path: Path) -> None:
    file = tmp_path / "it.toml"
    file.write_text('format = 1\nstudy = "design"\nrobot = "planar2r"\n[output]\ndesigns = "robots"\n')
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots" / "mine.toml").write_text("mine")
    with pytest.raises(mp.InputError, match=r"output: designs: .*robots exists"):
        study_of_file(file)


# numbers and tables without end

LONG = {
    "a whole number": "7" * 5000,
    "a hexadecimal one": "0x" + "f" * 5000,
    "a short hexadecimal one": "0x" + "f" * 1200,
    "an octal one": "0o" + "7" * 5000,
    "a binary one": "0b" + "1" * 20_000,
    "a negative one": "-" + "7" * 400,
    "lists": "[" * 300 + "]" * 300,
    "many lists": "[" * 100_000 + "]" * 100_000,
    "tables": "{a=" * 150 + "1" + "}" * 150,
    "dotted keys": None,
}


@pytest.mark.parametrize("what", LONG)
def test_a_number_or_a_table_without_end_is_refused_by_every_reader(what: str, tmp_path: Path) -> None:
    value = LONG[what]
    line = f"format = {value}\n" if value else "[" + ".".join("a" * 5000) + "]\nb = 1\n"
    file = tmp_path / "x.toml"
    file.write_text(line)
    for read in (api.simulate_file, study_of_file, mp.load):
        with pytest.raises(mp.InputError, match=r"too many digits|nested deeper|too large") as refused:
            read(file)
        assert str(refused.value).startswith(f"{file}: ") and len(str(refused.value)) < 300
    for command in ("simulate", "study", "show"):
        done = CliRunner().invoke(app, [command, str(file)])
        assert (done.exit_code, done.stderr.count("\n")) == (2, 1) and str(file) in done.stderr


@pytest.mark.parametrize("seed", range(30))
def test_what_is_not_too_long_is_read_as_it_is(seed: int) -> None:
    rng = random.Random(seed)
    number = rng.choice((-1, 1)) * rng.getrandbits(rng.choice((8, 64, 990)))
    depth = rng.randint(0, 95)
    found: Any = toml_tables(f"a = {'[' * depth}{rng.choice((str, hex))(abs(number))}{']' * depth}")["a"]
    for _ in range(depth):
        (found,) = found
    assert found == abs(number)


# results of a study


def damaged(data: bytes, rng: random.Random) -> bytes:
    found = bytearray(data)
    kind = rng.choice(("bit", "bit", "bit", "byte", "cut", "zeros", "twice"))
    place = rng.randrange(len(found))
    if kind == "bit":
        found[place] ^= 1 << rng.randrange(8)
    elif kind == "byte":
        found[place] = rng.choice((0, 1, 2, 127, 128, 255))
    elif kind == "cut":
        del found[place:]
    elif kind == "zeros":
        found[place : place + 40] = bytes(40)
    else:
        found[place:place] = found[place : place + 40]
    return bytes(found)


def test_damaged_results_are_a_sentence_or_the_right_numbers(tmp_path: Path) -> None:
    whole = mp.study(functions.mixed, {"a": range(30)}, resume=tmp_path / "s")
    right = {name: np.array(whole.table[name]) for name in whole.table}
    data, refused = whole.path.read_bytes(), 0
    rng = random.Random(3)
    for _ in range(150):
        whole.path.write_bytes(damaged(data, rng))
        try:
            again = mp.study(functions.mixed, {"a": range(30)}, resume=tmp_path / "s")
            found = {name: np.array(again.table[name]) for name in again.table}
            assert again.why == whole.why
        except mp.InputError as error:
            refused += 1
            assert str(error).startswith(f"{whole.path}: is damaged: ") and "\n" not in str(error)
            assert str(error).endswith("delete it, and the same call computes the study again")
        else:
            assert found.keys() == right.keys()
            for name, values in right.items():
                np.testing.assert_array_equal(found[name], values)
    assert refused > 100
    whole.path.unlink()
    assert mp.study(functions.mixed, {"a": range(30)}, resume=tmp_path / "s").path.read_bytes() == data


@pytest.mark.parametrize("foreign", [{"x": np.zeros(3)}, {"a": np.arange(30), "failed": np.zeros(0, int)}, {}])
def test_a_foreign_archive_in_the_place_of_results_is_refused(foreign: dict[str, Any], tmp_path: Path) -> None:
    path = mp.study(functions.mixed, {"a": range(30)}, resume=tmp_path / "s").path
    np.savez(path, **foreign)
    with pytest.raises(mp.InputError, match=r"results.npz: is damaged: no column "):
        _ = mp.study(functions.mixed, {"a": range(30)}, resume=tmp_path / "s").table


def test_results_of_another_length_are_refused(tmp_path: Path, whole: Sentences) -> None:
    found = mp.study(functions.mixed, {"a": range(30)}, resume=tmp_path / "s")
    with np.load(found.path) as arrays:
        held = dict(arrays)
    np.savez(found.path, **{**held, "a": np.arange(29)})
    with whole.raises(mp.InputError, match=r"a has shape \(29,\), and there are 30 cases"):
        _ = mp.study(functions.mixed, {"a": range(30)}, resume=tmp_path / "s").table["a"]


def test_a_damaged_part_is_computed_again(tmp_path: Path) -> None:
    whole = mp.study(functions.mixed, {"a": range(30)}, resume=tmp_path / "s")
    right = {name: np.array(whole.table[name]) for name in whole.table}
    rng, parts = random.Random(7), tmp_path / "s" / "parts"
    kept = np.setdiff1d(np.arange(30), list(whole.why))
    results = {f"result.{name}": right[name][kept] for name in whole.results}
    np.savez(tmp_path / "part.npz", case=kept, failed=np.zeros(0, int), why=np.zeros(0, "U1"), **results)
    data = (tmp_path / "part.npz").read_bytes()
    for _ in range(15):
        whole.path.unlink()
        parts.mkdir(exist_ok=True)
        (parts / "000000000000-1-0.npz").write_bytes(damaged(data, rng))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ManipulaWarning)
            again = mp.study(functions.mixed, {"a": range(30)}, resume=tmp_path / "s")
        for name, values in right.items():
            np.testing.assert_array_equal(again.table[name], values)


# pages

HOSTILE = "</title><script>alert(1)</script><img src=x onerror=alert(1)>"


def test_pages_of_runs_studies_and_fits_allow_no_script(tmp_path: Path) -> None:
    """Whatever the names in them: a policy at their head forbids every script and every request."""
    arm = replace(two_joints(), name=HOSTILE)
    run = mp.simulate(mp.Plant(arm, effort=None), until=0.01)
    study = mp.study(functions.mixed, {"a": range(8)})
    fit = mp.identify(arm, recording(arm, 3, seconds=4, noise=0.01), method="ols")
    for name, made in (("run", run), ("study", study), ("fit", fit)):
        text = made.report(tmp_path / f"{name}.html").read_text(encoding="utf-8")
        head = text.partition("</head>")[0]
        assert head.index("Content-Security-Policy") < head.index("<title>")
        assert f'content="{POLICY}"' in head and "script-src" not in POLICY and "default-src 'none'" in POLICY
        assert "<script" not in text and "onerror=alert(1)>" not in text
