"""Errors and warnings in Portuguese: every sentence of the source has one, and what it says stays the same."""

from __future__ import annotations

import ast
import random
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator

import pytest

import manipula as mp
from manipula import api
from manipula.cli.terminal import language
from manipula.errors import ManipulaError, ManipulaWarning, RobotFileError, RowLabel
from manipula.messages import Message, places_of
from tests.templates import ERRORS, calls, has_words, missing, speaker_of, spoken, templates

FILES = language.files("pt")
ELSEWHERE = ("screen", "words", "derivation", "finished", "lessons")
PLACE = re.compile(r"\{(\w+)\}")
# templates that classes of errors have themselves
INHERITED = {
    "no {kind} is called {name}; none is defined",
    "no {kind} is called {name}. Known: {names}.",
    "no {kind} is called {name}; did you mean {near}?",
    "no {kind} is called {name}; did you mean {near}? Known: {names}.",
    "{problem}; {also}robot.with_parameters({missing}=…) gives one",
    "{path}: cannot be written: {strerror}",
}
ENGLISH = re.compile(r"\b(the|is|are|of|and|with|not|which|expected|found|must|has|have|its|it|an)\b")
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`|<[^>]*>|\[\[?\w+\]?\]|[\w.]*[=(]\S*|--\w+|\w+(?:\.\w+)+")


# the catalogue


def test_every_template_has_a_translation() -> None:
    """`python -m tests.templates` prints those that have none, to be written into a file of cli/terminal/words/pt."""
    assert len({one.key for one in templates()}) > 1500
    assert missing() == {}


def test_every_entry_is_said() -> None:
    """Those of the screen are heard in test_tongue; derivations, words of tables and other libraries' are not here."""
    said = {one.key for one in templates()} | INHERITED
    every = {english for file in FILES if file not in ELSEWHERE for english in language.entries("pt", file)}
    assert every - said == set()


@pytest.mark.parametrize("file", FILES)
def test_both_sides_say_the_same(file: str) -> None:
    """The same places; the same numbers; no copy; no English."""
    for english, other in language.entries("pt", file).items():
        assert {x.lower() for x in PLACE.findall(other)} == {x.lower() for x in PLACE.findall(english)}, english
        assert numbers(PLACE.sub("", english)) == numbers(PLACE.sub("", other)), english
        assert english != other or not has_words(english) or file == "screen"
        assert not ENGLISH.search(PLACE.sub("", QUOTED.sub("", other))), other


def test_no_template_is_translated_twice() -> None:
    every = Counter(english for file in FILES for english, other in set(language.entries("pt", file).items()))
    several = {english for english, count in every.items() if count > 1}
    assert {x for x in several if len({language.entries("pt", file).get(x, "") for file in FILES} - {""}) > 1} == set()


# the source


def test_every_place_is_given_its_value() -> None:
    wrong = [one for one in templates() if one.values and one.values != len(places_of(one.template))]
    assert wrong == []


def test_errors_are_given_templates() -> None:
    """A text that is finished before an error has it cannot be told in another language."""
    finished = (ast.JoinedStr, ast.BinOp)
    wrong = [
        f"{place}: {ast.unparse(argument)}"
        for call, place in calls()
        if speaker_of(call) in (*ERRORS, "Message", "UnknownNameError", "UnsetError")
        for argument, _ in spoken(call)
        if isinstance(argument, finished)
    ]
    assert wrong == []


def numbers(text: str) -> Counter[str]:
    return Counter(re.findall(r"\d+", text))


# sentences of the reader


ARM = mp.Robot.from_dh([(0, 0.1, 0.2, 90, "R"), (30, 0, 0.3, 0, "P")], name="arm", angle="deg")
URDF = """<robot name="arm">
<link name="base"/>
<link name="upper">
<inertial><mass value="1"/><origin xyz="0 0 0.1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
</link>
<link name="hand"/>
<joint name="shoulder" type="revolute">
<parent link="base"/>
<child link="upper"/>
<axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="5" velocity="2"/>
</joint>
<joint name="wrist" type="prismatic"><parent link="upper"/>
<child link="hand"/><axis xyz="0 1 0"/><limit lower="0" upper="1" effort="5" velocity="2"/>
</joint>
</robot>"""
MJCF = """<mujoco model="arm">
<compiler angle="degree" eulerseq="xyz"/>
<default><default class="x"><joint damping="1"/></default></default>
<worldbody>
<body name="upper" pos="0 0 0">
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<joint name="shoulder" type="hinge" axis="0 0 1" range="-90 90"/>
<body name="hand" pos="1 0 0" euler="0 90 0">
<inertial pos="0 0 0" mass="1" fullinertia="1 1 1 0 0 0"/>
<joint name="wrist" type="slide" axis="0 1 0"/>
</body>
</body>
</worldbody>
</mujoco>"""
TEXTS = {
    "toml": api.to_text(mp.load("scara")), "urdf": URDF, "mjcf": MJCF, "par": api.to_text(ARM, "par"),
    "dh": api.to_text(ARM, "dh"),
}  # fmt: skip
KEYS = ("theta", "a", "alpha", "mass", "com", "inertia", "limits", "type", "name", "convention", "angle", "friction")
ODD = (
    '"90°"', '"q7"', '""', "-1.5", "[1, 2]", "{}", "true", "nan", "1e400", '"is missing"', '"a b"',
    '"joint 2: found x"',
    '"import os"', '"x (expected 3)"', "[2, -2]", '"x/0"', "7", '"it\'s"', "{viscous = -2}", '["1", "nan"]', "0 0 0",
)  # fmt: skip


def broken(rng: random.Random, form: str) -> str:
    """A robot file with something wrong in it."""
    lines = TEXTS[form].splitlines()
    for at in rng.sample(range(len(lines)), 2):
        key, equals, _ = lines[at].partition(" = ")
        word = rng.choice(re.findall(r"[\w.+-]+", lines[at]) or [lines[at]])
        ways = ["", f"{lines[at]}\n{lines[at]}", lines[at].replace(word, rng.choice(ODD).strip('"')), key]
        odd = [f"{key} = {rng.choice(ODD)}", f"{key}x{equals}1", f"{rng.choice(KEYS)} = {rng.choice(ODD)}"]
        lines[at] = rng.choice([*ways, *(odd if equals else []), lines[at]])
    return "\n".join(lines)


def said(text: str, form: str) -> Iterator[Exception]:
    """The errors and warnings of a robot file."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            mp.Robot.from_text(text, form)
        except RobotFileError as error:
            yield from (error, *error.others)
        except ManipulaError as error:
            yield error
    yield from (x.message for x in caught if isinstance(x.message, ManipulaWarning))


def kept(text: str) -> Counter[str]:
    """What no language changes: numbers and what stands in quotes."""
    return numbers(text) + Counter(re.findall(r"'[^']*'|\"[^\"]*\"", text))


def without_odd(text: str) -> str:
    """What was put into the file is no English of ours."""
    for odd in ODD:
        text = text.replace(odd.strip('"'), "") if " " in odd else text
    return text


@pytest.mark.parametrize("form", TEXTS)
def test_broken_files_are_told_with_the_same_names_and_numbers(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(language.VARIABLE, "pt")
    rng, heard = random.Random(7), set[str]()
    for _ in range(60):
        for error in said(broken(rng, form), form):
            english, other = str(error), language.told_error(error)
            heard.add(other)
            assert kept(english) == kept(other), (english, other)
            assert not ENGLISH.search(QUOTED.sub("", without_odd(other))), (english, other)
            if isinstance(error, RobotFileError):
                assert not error.field or f"{error.field}: " in other
                assert error.row is None or str(error.row) in other
    assert len(heard) > 10


@pytest.mark.parametrize("file", ["joint 2.toml", "is missing (found it): expected.toml", "it's.toml", "the link.toml"])
def test_the_name_of_the_file_stays(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(language.VARIABLE, "pt")
    error = RobotFileError(
        "is missing",
        file=file,
        where=RowLabel(Message("joint {row} {name!r}", 2, "is empty"), 2),
        field="a",
        hint="keep one",
    )
    assert language.told_error(error) == f"{file}: junta 2 'is empty': a: falta (deixe um só)"


# what is raised, room by room


def raised(wrong: Callable[[], object]) -> ManipulaError:
    with pytest.raises(ManipulaError) as caught:
        wrong()
    return caught.value


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: mp.load("pumma560"),
        lambda: mp.load("no/such/file.toml"),
        lambda: mp.generate("planar2r", "gravty"),
        lambda: mp.generate("planar2r", "gravity").emit("cobol"),
        lambda: mp.generate("planar2r", "gravity", method="best of all"),
        lambda: mp.Arm("planar2r").pose([0, 0]),
        lambda: mp.Arm("puma560").pose([0, 0]),
        lambda: mp.Arm("puma560").inverse_kinematics([1, 2, 3]),
        lambda: mp.controller("puma560", "pidd"),
        lambda: mp.simulate("puma560", until=-1),
        lambda: mp.simulate("puma560", until=1, step=2),
        lambda: mp.trajectory.quintic([0, 0], [1], 1),
        lambda: mp.read_log("no.csv"),
        lambda: mp.study("nothing", {"x": [1]}),
        lambda: mp.Robot.from_dh([(0, 0, "1e999", 0)]),
        lambda: mp.Robot.from_dh([(0, 0, 1, 0, "X")]),
    ],
)
def test_nothing_of_what_is_raised_stays_english(wrong: Callable[[], object]) -> None:
    error = raised(wrong)
    other = language.told_in(error.message, "pt")
    assert other != error.message
    assert not ENGLISH.search(QUOTED.sub("", other)), other
    assert language.told_in(error.message, "en") == language.told_in(error.message, "xx") == str(error)
