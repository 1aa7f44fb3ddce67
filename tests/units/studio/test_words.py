"""What the studio says in Portuguese: every entry of the catalogue is a sentence that it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from manipula import api
from manipula.cli.terminal import tongue
from manipula.errors import RobotFileError
from manipula.pages.report.parts import CHOSEN
from manipula.studio.store import Conflict
from manipula.studio.tasks.faults import error_of
from manipula.studio.workers import QUICK
from tests.units.studio.test_documents import told

WEB = Path(__file__).parents[3] / "web" / "src" / "studio"
TYPED = (
    ("a", ""), ("alpha", ""), ("d", ""), ("a", "90º"), ("theta", "q7"), ("a", "+".join(["x"] * 10_000)),
    ("type", "hinge"), ("name", "theta2"), ("limits", ["", "1"]), ("limits", ["2", "1"]), ("a", "import os"),
)  # fmt: skip


def said() -> list[str]:
    """Mistakes in cells, files that are somebody else's, and what workers say."""
    sentences = [str(Conflict("arm.toml", *rest)) for rest in (("x", "1", "2"), ("x", "1", None), (None, None, "2"))]
    sentences += [error_of(RecursionError())["message"], "the process that computed this has ended; ask again"]
    sentences.append(f"this took longer than {QUICK:g} s and was given up")
    for column, text in TYPED:
        document = api.document("planar2r")
        document["rows"][0][column] = text
        error = told(api.from_document, document)
        assert isinstance(error, RobotFileError), (column, text)
        sentences.append(str(error))
    return sentences


def test_every_sentence_is_told_and_every_entry_is_said() -> None:
    sentences, entries = said(), tongue.sections("pt")["studio"]
    shapes = {english: tongue._shape(english) for english in entries}
    assert [english for english, shape in shapes.items() if not any(map(shape.fullmatch, sentences))] == []
    for sentence in sentences:
        assert tongue.told_in(sentence, "pt") != sentence
        assert tongue.told_in(sentence, "en") == sentence == tongue.told_in(sentence, "xx")


@pytest.mark.parametrize("entry", tongue.sections("pt")["studio"])
def test_places_are_on_both_sides(entry: str) -> None:
    other = tongue.sections("pt")["studio"][entry]
    assert sorted(tongue._PLACE.findall(entry)) == sorted(tongue._PLACE.findall(other))


def test_what_can_be_hidden_in_a_shared_file_is_a_part_of_reports() -> None:
    text = (WEB / "dialogs" / "sharing.tsx").read_text(encoding="utf-8")
    offered = re.search(r"const PANELS = \[([^\]]+)\]", text)
    assert offered and set(re.findall(r'"(\w+)"', offered[1])) == set(CHOSEN) - {"arm"}
