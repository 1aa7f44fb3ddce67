"""`manipula identify` and the page of what was found: tables, files, exit codes, and bad recordings in one line."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import manipula as mp
from manipula.cli.app import app
from manipula.identification.joint_model import JointModel
from tests.emitted import array, shared
from tests.golden.sentences import Sentences
from tests.random_robots import random_robot
from tests.recordings import recording, two_joints
from tests.units.test_cli import as_json, done, folder, refused

pytestmark = pytest.mark.usefixtures("kept_functions")

__all__ = ["folder"]  # each test in an empty folder
ARM = two_joints()
PLAIN = ("--model", "viscous,coulomb,offset,motor_inertia", "--filter", "none")


@pytest.fixture
def files(folder: Path) -> Path:
    mp.save(ARM, "two.toml")
    for name, seed in (("a", 3), ("b", 5), ("v", 9)):
        recording(ARM, seed, seconds=6, noise=0.02).save(f"{name}.csv")
    return folder


class Reader(HTMLParser):
    """Which tags there are, which stay open, and what is fetched from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.fetched: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.fetched += [str(value) for name, value in attrs if name in ("src", "href")]
        if tag not in ("meta", "line", "polyline", "path"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def check_page(text: str) -> None:
    """Whole, alone, and without a number that is none."""
    reader = Reader()
    reader.feed(text)
    assert not reader.open and not reader.fetched and "<script" not in text
    assert not re.search(r"url\((?!#)", text)  # gradients of the picture are its own
    assert not re.search(r"(?<![a-z])(nan|inf)(?![a-z])", re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL))


def test_robot_page_and_table_are_written(files: Path) -> None:
    text = done(
        "identify",
        "two.toml",
        "a.csv",
        "b.csv",
        "--validate",
        "v.csv",
        "--out",
        "found.toml",
        "--report",
        "r.html",
        *PLAIN,
    )
    assert "2 recordings" in text and "v.csv" in text and "physically consistent" in text and "± sigma" in text
    logs = [mp.read_log(f"{name}.csv", ARM) for name in "ab"]
    own = mp.identify(ARM, logs, model=JointModel(), filter=None)
    read = mp.load("found.toml").standard_parameters
    assert read == pytest.approx(own.robot.standard_parameters, rel=1e-9, abs=1e-12)
    page = (files / "r.html").read_text()
    check_page(page)
    for head in ("Verdict", "Errors", "Torques, training", "Torques, validation", "Base parameters", "Conditioning"):
        assert f"<h2>{head}</h2>" in page


@pytest.mark.turn
def test_a_bound_is_an_exit_code(files: Path) -> None:
    words = ["identify", "two.toml", "a.csv", "--validate", "v.csv", *PLAIN]
    assert CliRunner().invoke(app, [*words, "--bound", "50"]).exit_code == 0
    failed = CliRunner().invoke(app, [*words, "--bound", "0.01"])
    assert failed.exit_code == 1 and "v.csv: the error is" in failed.stderr and "--bound" in failed.stderr
    other = recording(ARM.with_payload(mass=30, com=[0.3, 0.2, 0.1]), 9, seconds=6)
    other.save("heavy.csv")
    told = CliRunner().invoke(app, ["identify", "two.toml", "a.csv", "--validate", "heavy.csv", *PLAIN])
    assert told.exit_code == 1 and "at home" in told.stderr


def test_json_has_all_of_it(files: Path) -> None:
    told = as_json("identify", "two.toml", "a.csv", "--validate", "v.csv", "--method", "wls", "--prior", "none", *PLAIN)
    assert told["method"] == "wls" and told["prior"] is None and len(told["validation"]) == 1
    assert told["failed"] == [] and {row["family"] for row in told["parameters"]} > {"viscous", "coulomb", "offset"}


@pytest.mark.turn
def test_units_and_columns_are_said(files: Path) -> None:
    log = mp.read_log("a.csv", ARM)
    heads = "time,alpha,beta,one,two"
    np.savetxt(
        "odd.csv", np.column_stack([log.t, np.degrees(log.q), log.tau]), delimiter=",", header=heads, comments=""
    )
    said = ("--column", "q=alpha,beta", "--column", "tau=one,two", "--unit", "q=deg")
    told = as_json("identify", "two.toml", "odd.csv", *said, "--model", "viscous,coulomb,offset,motor_inertia")
    plain = mp.identify(ARM, replace(log, qd=None, qdd=None), model=JointModel())
    assert told["train"]["whole"] == pytest.approx(plain.train.whole, rel=1e-6)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--method", "magic"), "magic"),
        (("--prior", "cubes"), "cubes"),
        (("--model", "viscos"), "viscous"),
        (("--model", "harmonics:x"), "harmonics"),
        (("--filter", "low"), "--filter"),
        (("--filter", "-3"), "cut-off"),
        (("--bound", "-1"), "above 0"),
        (("--bound", "5"), "--validate"),
        (("--validate", "none.csv"), "none.csv"),
        (("--unit", "deg"), "NAME=VALUE"),
        (("--out", "found.xyz"), "xyz"),
    ],
)
def test_wrong_words_are_one_line(files: Path, words: tuple[str, ...], sentence: str, whole: Sentences) -> None:
    said = refused("identify", "two.toml", "a.csv", *words)
    assert sentence in said
    whole.compare(said)


@pytest.mark.turn
@pytest.mark.drawn("joints")
@pytest.mark.parametrize("joints", ["R", "P", "FRP"])
def test_pages_of_any_arm(joints: str, folder: Path) -> None:
    """Slides, one joint, a first joint that is fixed, words that are markup."""
    robot = random_robot(len(joints) + 40, joints=joints)
    log = recording(robot, 2, seconds=4, noise=0.05)
    found = mp.identify(robot, log, model=JointModel(), filter=None, prior=None, method="wls", validate=[log, log])
    check_page(found.report("page.html").read_text())
    odd = replace(found, warnings=("<b>1 < 2 & 3</b>",))
    assert "&lt;b&gt;1 &lt; 2 &amp; 3&lt;/b&gt;" in odd.report("page.html").read_text()


@pytest.mark.turn
def test_saved_read_again_and_emitted_it_is_what_was_predicted(folder: Path) -> None:
    """Without friction, whose sign is smooth in the fit and sharp in C."""
    log = recording(ARM, 3, seconds=4, noise=0.02)
    rigid = JointModel(friction=(), offset=False)
    found = mp.identify(ARM, log, model=rigid, filter=None)
    assert not found.extra
    again = mp.load(mp.save(mp.Robot.of(found.robot), "found.toml"))
    source = next(path for path in mp.generate(again, "inverse_dynamics").emit("c", "out") if path.name.endswith("s.c"))
    function, own = getattr(shared(source.absolute()), source.stem), array([0.0, 0.0])
    predicted = found.predict(log)
    assert log.qd is not None and log.qdd is not None
    for k in range(0, len(log.t), 20):
        function(array(log.q[k]), array(log.qd[k]), array(log.qdd[k]), own)
        assert np.abs(np.array(own) - predicted[k]).max() < 1e-12 * np.abs(predicted).max()
