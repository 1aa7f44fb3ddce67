"""Messages in Portuguese: the catalogue is used to its last entry, its places agree, and nothing else changes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from manipula import api
from manipula.cli import app as program
from manipula.cli.app import COMMANDS, app, load_command, take_option
from manipula.cli.terminal import language, screen
from manipula.mechanics.identities import IDENTITIES
from manipula.mechanics.robot.formats.conversion.tables import tables_of
from manipula.messages import Message
from manipula.robot import Robot
from tests.laws.test_motor_loads import GEARS, MOTORS, PENDULUM
from tests.templates import templates
from tests.units.test_cli import folder

__all__ = ["folder"]

VALUES = ["--set", "l1=1", "--set", "l2=1"]
NUMBERS = [*VALUES, "--set", "m1=1", "--set", "m2=1", "--set", "g=9.81"]
BROKEN = 'format = 1\nname = "x"\nconvention = "standard"\nangle = "deg"\n[[joint]]\ntype = "revolute"\nd = 0\na = 1\n'
NOT_OURS = ("Install completion", "Show completion", "entropic wls ols", "manipula ")
NO_INERTIA = "com = [0, 0, 0]\ninertia = {xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0}\n"
SPOKEN = [
    ["robots"],
    ["robots", "--kind", "XYZ"],
    ["new", "arm", "--joints", "RR"],
    ["new", "arm", "--joints", "RR"],
    ["new", "other"],
    ["show", "planar2r"],
    ["show", "planar2r", "--tip", "x"],
    ["show", "nobody"],
    ["show", "heavy.toml"],
    ["show", "lost.toml"],
    ["show", "odd.toml"],
    ["logs", "lost.csv"],
    ["robots"],
    ["show", "arm"],
    ["show", "panda"],
    ["show", "puma560"],
    ["edit", "arm", "a1=0.4"],
    ["edit", "arm", "a1"],
    ["edit", "arm", "a1=1+"],
    ["generate", "planar2r", "-m", "xyzzy"],
    ["generate", "planar2r", "-l", "cobol"],
    ["equations", "planar2r", "gravity", "--form", "flat"],
    ["equations", "planar2r", "gravity", "--style", "flat"],
    ["ik", "planar2r", *VALUES, "--q", "1"],
    ["show", "planar2r", "--set", "zz=1"],
    ["control", "planar2r"],
    ["control", "planar2r", "nolaw"],
    ["simulate", "planar2r", "--until", "0.1"],
    ["simulate", "planar2r", *NUMBERS],
    ["simulate", "planar2r", "--to", "1"],
    ["simulate", "planar2r", "--to", "here"],
    ["simulate", "planar2r", "pid", "--gain", "kp"],
    ["loads", "planar2r"],
    ["identify", "planar2r", "run.csv", "--bound", "5"],
    ["robots", "--lang", "xx"],
]
SLOWER = [
    ["show", "planar2r", "--picture", "arm.svg"],
    ["generate", "planar2r", "-m", "gravity"],
    ["count", "planar2r", "-m", "gravity"],
    ["check", "planar2r"],
    ["base-parameters", "planar2r"],
    ["ik", "scara"],
    ["ik", "planar2r"],
    ["singularities", "planar2r"],
    ["reach", "planar2r", *VALUES],
    ["ik", "planar2r", *VALUES, "--position", "1,1"],
    ["simulate", "planar2r", *NUMBERS, "--until", "0.01"],
    ["simulate", "planar2r", *NUMBERS, "computed_torque", "--to", "1 -0.5", "--csv", "run.csv"],
    ["logs", "run.csv"],
    ["logs", "bare.csv"],
    ["identify", "planar2r", *NUMBERS, "run.csv", "--validate", "run.csv", "--model", "viscous", "--out", "found.toml"],
    ["identify", "planar2r", *NUMBERS, "run.csv", "--model", "viscous", "--method", "ols", "--prior", "none"],
    ["excite", "planar2r", *NUMBERS, "--seconds", "2", "--seeds", "1"],
    ["check", "planar2r", *NUMBERS],
    ["check", "light.toml"],
    ["loads", "puma560", "--to", "1 -0.5 0.6 0 0.4 0"],
    ["loads", "lift.toml", "--to", "1", "--motors", "motors.csv", "--gears", "gears.csv"],
    ["control"],
    ["ik", "puma560", "--q", "0.1 0.2 0.3 0.4 0.5 0.6"],
    ["count", "puma560_symbolic", "-m", "pose"],
    ["demo"],
]


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in COMMANDS:
        load_command(name)  # a module imported later would keep the ear of a test in place of `translate`
    monkeypatch.delenv(language.VARIABLE, raising=False)
    yield
    language.speak("")


def keys_of(text: str) -> Iterator[str]:
    """Under what a catalogue looks a text up, and what stands in its places."""
    yield text.template if isinstance(text, Message) else text
    for part in text.fields.values() if isinstance(text, Message) else ():
        yield from keys_of(part)


@pytest.mark.turn
def test_every_help_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands and options; Typer's own words and a list of names are left."""
    heard: dict[str, None] = {}

    def hear(text: str) -> str:
        heard[text] = None
        return text

    for place in (program, language):
        monkeypatch.setattr(place, "translate", hear)
    for words in (["--help"], *([name, "--help"] for name in COMMANDS)):
        CliRunner().invoke(app, words)
    left = [text for text in heard if " " in text and not text.startswith(NOT_OURS)]
    assert len(left) > 150
    assert [text for text in left if text not in language.catalogue("pt").written] == []


def test_every_law_is_told() -> None:
    told = language.sections("pt")["laws"]
    named = {law.sentence for law in IDENTITIES} | set(api.laws().values())
    assert named <= set(told)


def test_no_two_texts_of_the_catalogue_are_one() -> None:
    every = language.sections("pt")
    texts = [english for section in every.values() for english in section]
    assert len(texts) == len(set(texts))


@pytest.mark.turn
@pytest.mark.parametrize(
    ("lines", "titles"),
    [
        (SPOKEN, ["commands", "options"]),
        pytest.param([*SPOKEN, *SLOWER], list(language.sections("pt")), marks=pytest.mark.slow),
    ],
    ids=["quick", "whole"],
)
def test_every_entry_is_said_somewhere(
    lines: list[list[str]], titles: list[str], monkeypatch: pytest.MonkeyPatch, folder: Path
) -> None:
    """English is spoken all through, and what passes the screen, and the templates of the source, are held against the
    catalogue."""
    heard: list[str] = []
    kept = language.translate

    def hear(text: str) -> str:
        heard.append(text)
        return kept(text)

    for place in (screen, program, language):
        monkeypatch.setattr(place, "translate", hear)
    monkeypatch.setattr(language, "_chosen", ["en"])
    (folder / "bare.csv").write_text(
        "t,q1,tau1\n" + "".join(f"{i / 100},{i / 50},1\n" for i in range(99)), encoding="utf-8"
    )
    for name, text in {"lift.toml": PENDULUM, "motors.csv": MOTORS, "gears.csv": GEARS}.items():
        (folder / name).write_text(text, encoding="utf-8")
    for words in lines:
        CliRunner().invoke(app, words)
        (folder / "light.toml").write_text(BROKEN + "alpha = 0\nmass = 0\n" + NO_INERTIA, encoding="utf-8")
        (folder / "heavy.toml").write_text(BROKEN + "alpha = 0\nmass = -2\n", encoding="utf-8")
        (folder / "odd.toml").write_text(BROKEN + "alpha = 1.5708\n", encoding="utf-8")
    for words in (["--help"], *([name, "--help"] for name in COMMANDS)):
        CliRunner().invoke(app, words)
    every = language.sections("pt")
    said = {key for text in heard for key in keys_of(text)} | {one.key for one in templates()}
    assert {english for title in titles for english in every[title]} - said == set()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["robots", "--kind", "XYZ", "--lang", "pt"], "As juntas de nenhum robô começam com XYZ; há PP, "),
        (["--lang=pt", "show", "planar2r"], "junta  nome "),
        (["show", "planar2r", "--lang", "pt_BR"], "Símbolos, sem valor: l1, m1, l2, m2, g"),
        (["generate", "planar2r", "-m", "gravty", "--lang", "pt"], "modelo com o nome 'gravty'; quis dizer 'gravity'?"),
        (["ik", "planar2r", "--position", "1,1", "--lang", "pt"], "um valor para l1, l2; --set l1=VALOR dá um"),
        (["check", "planar2r", "--lang", "pt"], "A matriz de inércia é simétrica."),
        (["control", "--lang", "pt"], "PID de cada junta"),
        (["simulate", "planar2r", "--to", "1", "--lang", "pt"], "--to: esperavam-se 2 números, um por junta, há 1"),
        (["--lang", "pt", "--help"], "Lista os robôs da biblioteca"),
        (["--lang", "pt", "ik", "scara"], "Por quê: os eixos 1, 2 e 4 são paralelos, 3 desliza ao longo deles."),
        (["--lang", "pt", "singularities", "planar2r"], "planar2r: singular onde det J = 0"),
        (["--lang", "pt", "show", "panda"], "Parâmetros de Denavit-Hartenberg, convenção modificada"),
        (["show", "--help", "--lang", "pt"], "Exemplos:"),
        (["--help"], "List the library's robots"),
        (["show", "planar2r", "--lang", "en"], "Symbols, without a value"),
        (["show", "planar2r", "--lang", "klingon"], "no language of messages is called 'klingon'. Known: en, pt."),
    ],
)  # fmt: skip
def test_what_is_said(words: list[str], told: str) -> None:
    ran = CliRunner().invoke(app, words)
    assert told in " ".join(ran.output.split("\n")) or told in ran.output


def test_the_variable_chooses_unless_the_line_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(language.VARIABLE, "pt_BR.UTF-8")
    assert language.translate("name") == "nome"
    language.speak("en")
    assert language.translate("name") == "name"
    monkeypatch.setenv(language.VARIABLE, "fr")
    language.speak("")
    assert language.translate("name") == "name"  # a language we lack is English, not an error: nobody asked us alone


def test_one_call_does_not_colour_the_next() -> None:
    CliRunner().invoke(app, ["show", "planar2r", "--lang", "pt"])
    assert "joint " in CliRunner().invoke(app, ["show", "planar2r"]).stdout
    assert "Examples:" in CliRunner().invoke(app, ["show", "--help"]).stdout
    assert load_command("show").help.startswith("Show a robot")


def test_data_speak_no_language() -> None:
    english, other = (CliRunner().invoke(app, ["show", "puma560", "--json", "--lang", lang]) for lang in ("en", "pt"))
    assert json.loads(english.stdout) == json.loads(other.stdout)


def test_headings_of_tables_stay_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(language.VARIABLE, "pt")
    assert tables_of(Robot.from_dh([(0, 0, 1, 0)]))[0].columns[0] == "joint"


@pytest.mark.parametrize(
    ("line", "found", "rest"),
    [
        ("show a --lang pt", "pt", "show a"),
        ("--lang=pt show a", "pt", "show a"),
        ("show a", "", "show a"),
        ("show -- --lang pt", "", "show -- --lang pt"),
        ("show --lang", " ", "show"),
        ("show --lang=", " ", "show"),
        ("show --lang -- x", " ", "show -- x"),
    ],
)
def test_the_option_is_taken_from_anywhere(line: str, found: str, rest: str) -> None:
    words = line.split()
    assert (take_option(words, "--lang"), " ".join(words)) == (found, rest)
