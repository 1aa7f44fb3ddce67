"""`manipula control`: the list of the laws, a law as source code, and what is wrong in words."""

from __future__ import annotations

import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import manipula as mp
from manipula import api
from manipula.cli.simulation import BaseOptions
from manipula.cli.terminal import screen
from tests.golden.sentences import Sentences
from tests.units.test_cli import as_json, done, folder, refused

pytestmark = pytest.mark.usefixtures("kept_functions")

__all__ = ["folder"]  # each test in an empty folder
PLANAR = ("control", "planar2r", "computed_torque")


def test_laws_are_listed_with_their_settings() -> None:
    text = done("control")
    assert all(name in text for name in api.laws()) and "kp kd smoothing" in text
    told = as_json("control")
    assert list(told) == list(api.laws()) and "0.01 unless given" in told["computed_torque"]["settings"]["smoothing"]


def test_a_law_is_written_with_its_gains_left_open(folder: Path) -> None:
    text = done(*PLANAR, "-l", "c,python", "-o", "code")
    assert "Proof of computed_torque: identical" in text and "planar2r_computed_torque_prepare takes kp, kd" in text
    assert {"planar2r_computed_torque.c", "planar2r_computed_torque.py"} <= {
        x.name for x in (folder / "code").iterdir()
    }
    assert "pid_init takes kp, ki" in done("control", "planar2r", "pid", "--out", "code")


def test_settings_and_parameters_go_where_they_belong() -> None:
    gains = ("--set", "kp=400,250", "--set", "kd=[40, 25]", "--set", "delay=2", "--set", "limit=60")
    told = as_json(*PLANAR, *gains, "--set", "m1=2", "--set", "l1=0.5", "--sample", "1e-3", "-o", "code")
    assert told["settings"]["kp"] == [400.0, 250.0] and told["settings"]["kd"] == [40.0, 25.0]
    assert told["settings"]["limit"] == [60.0, 60.0] and told["sample"] == 1e-3
    assert "m1" not in told["inputs"]["p"] and "m2" in told["inputs"]["p"]
    open_one = as_json("control", "planar2r", "impedance", "--set", "task=position", "--continuous", "-o", "code")
    assert open_one["inputs"]["x_ref"] == ["x_ref", "y_ref", "z_ref"]


@pytest.mark.parametrize(
    "words, told",
    [
        (("control", "planar2r"), "planar2r: which control law?"),
        (("control", "planar2r", "computed_torqe"), "did you mean 'computed_torque'"),
        (("control", "nobody", "pid"), "no robot is called 'nobody'"),
        ((*PLANAR, "--set", "kp=400"), "give --sample, or --continuous"),
        ((*PLANAR, "--sample", "1e-3"), "no value for kp"),
        ((*PLANAR, "--sample", "0"), "sample: expected the time of a step"),
        ((*PLANAR, "--sample", "1e-3", "--continuous"), "exclude each other"),
        ((*PLANAR, "--set", "kp=1,x", "--sample", "1e-3"), "found '1,x'"),
        ((*PLANAR, "--set", "kp=nan", "--set", "kd=1", "--sample", "1e-3"), "kp: expected .* found NaN"),
        ((*PLANAR, "--set", "kp=1,2,3", "--set", "kd=1", "--sample", "1e-3"), "a number or 2 numbers"),
        ((*PLANAR, "--set", "kp=4e6", "--set", "kd=1", "--sample", "1e-2"), "joint 'theta1': .* unstable"),
        ((*PLANAR, "--set", "kq=1"), "no parameter is called 'kq'"),
        ((*PLANAR, "--set", "delay=1.5"), "delay: expected whole samples"),
        (("control", "planar2r", "impedance", "--set", "task=dance"), "expected 'pose' or 'position'"),
        ((*PLANAR, "-l", "cobol"), "no language is called 'cobol'"),
    ],
)
def test_what_is_wrong_is_told(words: tuple[str, ...], told: str, whole: Sentences) -> None:
    said = refused(*words)
    assert re.search(told, said)
    whole.compare(said)


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_the_list_of_laws_keeps_every_word_at_any_width(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(screen, "_PIPE_WIDTH", columns)
    text = done("control")
    assert max(map(len, text.splitlines())) <= columns
    words = " ".join(text.split())
    for name, told in as_json("control").items():
        assert f"\n{name} " in text and told["says"] in words and " ".join(told["settings"]) in words


def test_a_law_takes_the_options_of_emitted_code(folder: Path) -> None:
    short = ("--dtype", "float32", "--single-file", "--prefix", "axis_", "--sincos", "--no-batch")
    text = done("control", "planar2r", "pid", *short, "-o", "code")
    assert "axis_pid_init takes kp" in text and "planar2r" not in "".join(x.name for x in Path("code").iterdir())
    header = Path("code/axis_pid.h").read_text(encoding="utf-8")
    assert "axis_pid_init(" in header and "float" in header and "double" not in header and "_batch" not in header
    plain = done("control", "planar2r", "pid", "-o", "plain")
    assert "planar2r_pid_init takes kp" in plain and "_batch" in Path("plain/planar2r_pid.h").read_text("utf-8")
    law = ("control", "planar2r", "pid", "-o", "code")
    assert "float16" in refused(*law, "--dtype", "float16")
    assert "prefix: expected letters" in refused(*law, "--prefix", "1 x")
    assert "python" in refused(*law, "-l", "python", "--single-file")


@pytest.mark.parametrize("version", ["3.0", "2.0"])
def test_a_law_as_a_unit(version: str, folder: Path) -> None:
    """Sources alone: no compiler is asked for. The screen says what has a binary."""
    law = ("control", "puma560", "computed_torque", "--set", "kp=400", "--set", "kd=40", "--sample", "1e-3")
    given = (*law, "--fmi", version, "--platforms", "none", "-o", "code")
    text = done(*given, "-l", "fmu")
    assert "binaries for no platform" in text and "_prepare takes" not in text
    with zipfile.ZipFile("code/puma560_computed_torque.fmu") as packed:
        assert f'fmiVersion="{version}"' in packed.read("modelDescription.xml").decode()
    told = as_json(*given, "-l", "FMU,c")
    assert told["platforms"] == [] and {Path(x).suffix for x in told["files"]} >= {".fmu", ".c", ".h"}


@pytest.mark.parametrize(
    "more, sentence",
    [
        (("-l", "fmu"), "needs its gains and --sample"),
        (("-l", "c", "--fmi", "2.0"), "--fmi and --platforms are for a co-simulation unit"),
        (("-l", "c", "--platforms", "here"), "--fmi and --platforms are for a co-simulation unit"),
        (("-l", "fmu", "--set", "kp=1", "--set", "kd=1", "--continuous"), "goes in steps"),
        (("-l", "fmu", "--set", "kp=1", "--set", "kd=1", "--sample", "1e-3"), "or --set on the command line"),
    ],
)
def test_what_a_unit_cannot_be(more: tuple[str, ...], sentence: str, folder: Path) -> None:
    assert sentence in " ".join(refused("control", "planar2r", "computed_torque", "-o", "code", *more).split())
    assert not Path("code").exists()


@pytest.mark.parametrize("option", [("--base-pose", "0 0 1"), ("--twist", "0 0 0 0 0 1"), ("--hold", "tool=point")])
def test_options_of_a_moving_base_are_refused_where_it_stands(option: tuple[str, str]) -> None:
    said = refused("simulate", "planar2r", "--start", "0 0", *option)
    assert said == "manipula: planar2r: its base stands still: drop --base-pose, --twist and --hold"


@pytest.mark.parametrize(
    "options, told",
    [
        ({"pose": "1 2"}, "--base-pose: expected 3 / 7 numbers, found 2"),
        ({"twist": "1 2 3"}, "--twist: expected 6 numbers, found 3"),
        ({"hold": ["foot"]}, "--hold: expected FRAME=HOW, such as foot=point, found 'foot'"),
        ({"hold": ["=point"]}, "--hold: expected FRAME=HOW, such as foot=point, found '=point'"),
    ],
)
def test_wrong_words_about_a_moving_base_name_their_option(options: dict[str, Any], told: str) -> None:
    base = BaseOptions(**options)
    robot = replace(mp.load("planar2r"), moving=True)
    with pytest.raises(mp.InputError) as said:
        base.start(robot, None), base.frames()
    assert str(said.value) == told


def test_a_moving_base_starts_where_it_is_said_to() -> None:
    robot, joints = replace(mp.load("planar2r"), moving=True), [0.1, 0.2]
    pose, twist = "1 2 3 1 0 0 0", "4 5 6 7 8 9"
    whole = {"p0": [1, 2, 3], "quaternion": [1, 0, 0, 0], "v0": [4, 5, 6], "w0": [7, 8, 9], "q": joints}
    assert BaseOptions(pose, twist).start(robot, joints) == whole
    assert BaseOptions("1 2 3").start(robot, None) == {"p0": [1, 2, 3]}
    assert BaseOptions().start(mp.load("planar2r"), joints) == joints
    held = BaseOptions(hold=["foot=point", "wheel=rolling:0.1"]).frames()
    assert held == {"foot": "point", "wheel": ("rolling", 0.1)}
