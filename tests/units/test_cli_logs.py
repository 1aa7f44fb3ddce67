"""`manipula logs`: what was understood, as text and as JSON, and failures in one line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import manipula as mp
from manipula.cli.app import app
from tests.golden.sentences import Sentences


@pytest.fixture
def file(tmp_path: Path) -> Path:
    t = np.arange(300) * 4e-3
    rows = np.column_stack([1000 * t, np.sin(t), np.cos(t), 5 * np.sin(t), 3 * np.cos(t)])
    rows[150:, 0] += 5000
    np.savetxt(tmp_path / "run.csv", rows, delimiter=";", header="time_ms;a;b;c;d", comments="")
    return tmp_path / "run.csv"


SAID = [
    "--robot",
    "planar2r",
    "--column",
    "q=a,b",
    "--column",
    "tau=3,4",
    "--unit",
    "tau=mNm",
    "--scale",
    "tau=1000,-1",
]


def test_what_was_understood_is_told(file: Path) -> None:
    done = CliRunner().invoke(app, ["logs", str(file), *SAID])
    assert done.exit_code == 0, done.output
    assert "2 joints, 300 samples, 6.196 s, 250 Hz, 2 parts" in done.stdout
    assert "time_ms" in done.stdout and "a … b" in done.stdout and "assumed" in done.stdout
    assert "- a gap of 5.004 s after 0.596 s" in done.stdout


@pytest.mark.turn
def test_the_same_as_json_and_files(file: Path) -> None:
    again, picture = file.parent / "again.npz", file.parent / "run.png"
    done = CliRunner().invoke(app, ["logs", str(file), *SAID, "--json", "--save", str(again), "--plot", str(picture)])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert told["joints"] == ["theta1", "theta2"] and told["samples"] == 300
    assert told["columns"][0] == {"quantity": "t", "columns": "time_ms", "unit": "ms", "said": True}
    np.testing.assert_allclose(mp.read_log(again).tau[0], [0.0, -0.003])
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        ([], "no column of positions"),
        (["--column", "q"], "--column: expected NAME=VALUE, found 'q'"),
        ([*SAID, "--scale", "tau=x"], "--scale tau: expected numbers"),
        ([*SAID, "--column", "q=none"], "no column of positions"),
        ([*SAID, "--robot", "puma560"], "columns: q: expected 6 columns, found 2"),
    ],
)
def test_failures_are_one_line(arguments: list[str], sentence: str, file: Path, whole: Sentences) -> None:
    done = CliRunner().invoke(app, ["logs", str(file), *arguments])
    assert done.exit_code == 2 and done.stdout == ""
    assert sentence in done.stderr and len(done.stderr.splitlines()) == 1
    whole.compare(done.stderr)


@pytest.mark.parametrize(
    ("scale", "factors"), [("tau=2", [2, 2]), ("tau=1000,-1", [1000, -1]), ("tau=-0.5, 3", [-0.5, 3])]
)
def test_one_factor_is_for_all_joints_and_several_are_one_each(scale: str, factors: list[float], file: Path) -> None:
    plain, again = file.parent / "plain.npz", file.parent / "again.npz"
    words = ["--robot", "planar2r", "--column", "q=a,b", "--column", "tau=3,4", "--unit", "tau=Nm", "--save"]
    for path, more in ((plain, []), (again, ["--scale", scale])):
        done = CliRunner().invoke(app, ["logs", str(file), *words, str(path), *more])
        assert done.exit_code == 0, done.output
    np.testing.assert_allclose(mp.read_log(again).tau, mp.read_log(plain).tau * factors)
