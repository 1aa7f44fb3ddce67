"""Errors and warnings in Portuguese: every sentence of the source has one, and what it says stays the same."""

from __future__ import annotations

import random
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import manipula as mp
from manipula import api
from manipula.cli.terminal import tongue
from manipula.cli.terminal.sentences import PLACE, Catalogue
from manipula.errors import ManipulaError, ManipulaWarning, RobotFileError, RowLabel
from tests.sentences import collected, told

FILES = tongue.files("pt")
ENGLISH = re.compile(r"\b(the|is|are|of|and|with|not|which|expected|found|must|has|have|its|it|an)\b")
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`|<[^>]*>|\[\[?\w+\]?\]|[\w.]*[=(]\S*|--\w+|\w+(?:\.\w+)+")


# the catalogue


def test_every_sentence_has_a_translation() -> None:
    """`python -m tests.sentences` prints those that have none, to be written into a file of cli/terminal/words/pt."""
    assert len(collected.sentences()) > 1000
    assert told.missing() == {}


def test_every_entry_is_said() -> None:
    assert told.unsaid() == []


@pytest.mark.parametrize("file", FILES)
def test_both_sides_say_the_same(file: str) -> None:
    """The same places, side by side where they are; the same numbers; no copy; no English."""
    for english, other in told.of_file(file).items():
        assert sorted(PLACE.findall(english)) == sorted(PLACE.findall(other)), english
        assert sorted(re.findall(r"\}\{", english)) == sorted(re.findall(r"\}\{", other)), english
        assert numbers(PLACE.sub("", english)) == numbers(PLACE.sub("", other)), english
        assert english != other
        assert not ENGLISH.search(PLACE.sub("", QUOTED.sub("", other))), other


def test_no_two_entries_have_one_form() -> None:
    forms = Counter(told.form(english) for file in FILES for english in told.of_file(file))
    assert [form for form, count in forms.items() if count > 1] == []


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
    monkeypatch.setenv(tongue.VARIABLE, "pt")
    rng, heard = random.Random(7), set[str]()
    for _ in range(60):
        for error in said(broken(rng, form), form):
            english, other = str(error), tongue.told_error(error)
            heard.add(other)
            assert kept(english) == kept(other), (english, other)
            assert not ENGLISH.search(QUOTED.sub("", without_odd(other))), (english, other)
            if isinstance(error, RobotFileError):
                assert not error.field or f"{error.field}: " in other
                assert error.row is None or str(error.row) in other
    assert len(heard) > 10


@pytest.mark.parametrize("file", ["joint 2.toml", "is missing (found it): expected.toml", "it's.toml", "the link.toml"])
def test_the_name_of_the_file_stays(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(tongue.VARIABLE, "pt")
    error = RobotFileError(
        "is missing", file=file, where=RowLabel("joint 2 ('is empty')", 2), field="a", hint="keep one"
    )
    assert tongue.told_error(error) == f"{file}: junta 2 ('is empty'): a: falta (deixe um só)"


# how sentences are read


def test_what_is_not_known_stays() -> None:
    assert tongue.told_in("arm.toml: format: is missing", "pt") == "arm.toml: format: falta"
    for text in ("", "x", "a: b (c)", "(", "joint", "'", "{0} {name}", "q" * 100_000, "a: " * 3000, "é: ("):
        assert tongue.told_in(text, "pt") == text or text == "joint"
        assert tongue.told_in(text, "xx") == tongue.told_in(text, "en") == text


def test_places_are_whole_words_are_told_and_the_fullest_reading_counts() -> None:
    words = {"found {x}": "há {x}", "{x} is {Y}": "{x} é {Y}", "red": "vermelho", "found {x} in {y}": "em {y} há {x}"}
    known = Catalogue(words, parted=True)
    assert known.told("found red") == "há red"
    assert known.told("it is red") == "it é vermelho"
    assert known.told("found 'a in b' in c") == "em c há 'a in b'"
    assert known.told("found 'a cut off") == "há 'a cut off"
    assert known.told("a.toml: red: it is red") == "a.toml: red: it é vermelho"
    assert known.told("a.toml: it is red (found x)") == "a.toml: it é vermelho (há x)"
    assert Catalogue(words, parted=False).told("a: it is red") == "a: it é vermelho"
    assert Catalogue(words, parted=False).told("red (found x)") == "red (found x)"


# how sentences are collected

SOURCE = """
from manipula.errors import InputError, RobotFileError, caution
WHY = {"a": "too long here", "b": "bare"}
def check(name, x):
    told = f"{name} is {'not ' * x}here"
    if x:
        raise InputError(f"{told}; {WHY[x]}")
    raise _wrong("a sentence of a caller", where=f"row {x}")
def _wrong(text, where):
    return RobotFileError(f"so: {text} said", where=where, hint="numbers")
def look(log):
    caution(f"{log.name!r}: {_reason(log)}")
    raise InputError(str(log), log)
def _reason(log) -> str:
    return f"of {log.n} entries" if log else "a"
"""


def test_sentences_are_found_where_they_are_made(tmp_path: Path) -> None:
    (tmp_path / "some.py").write_text(SOURCE, encoding="utf-8")
    assert set(map(told.form, collected.sentences(tmp_path))) == {
        "{} is here; {}", "{} is not here; {}", "too long here", "a sentence of a caller", "so: {} said", "row {}",
        "numbers", "of {} entries",
    }  # fmt: skip
