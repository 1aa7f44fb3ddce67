"""What the studio says in Portuguese: the reader's sentence at its cell in both languages, warnings too."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from manipula import api
from manipula.cli.terminal import language
from manipula.errors import RobotFileError
from manipula.messages import Message, as_data, in_language, with_messages
from manipula.pages.report import CHOSEN
from manipula.studio.jobs import QUICK
from manipula.studio.store import Conflict
from manipula.studio.tasks.descriptions import draw
from manipula.studio.tasks.models import base, check, inverse
from manipula.studio.tasks.requests import error_of
from tests.units.studio.test_documents import told

WEB = Path(__file__).parents[3] / "web" / "src" / "studio"
TYPED = (
    ("a", ""), ("alpha", ""), ("d", ""), ("a", "90º"), ("theta", "q7"), ("a", "+".join(["x"] * 10_000)),
    ("type", "hinge"), ("name", "theta2"), ("limits", ["", "1"]), ("limits", ["2", "1"]), ("a", "import os"),
    ("a", "is missing"), ("mass", "-1"), ("a", "1e999"), ("name", "the joint"), ("type", "fixed"),
)  # fmt: skip


def portuguese(text: str) -> str:
    return language.told_in(text, "pt")


def document(column: str, text: object) -> dict[str, object]:
    found = api.document("planar2r")
    found["rows"][0][column] = text
    return found


@pytest.mark.parametrize(("column", "text"), TYPED, ids=[f"{column}-{str(text)[:12]}" for column, text in TYPED])
def test_a_cell_says_the_sentence_of_the_reader_in_both_languages(column: str, text: object) -> None:
    answer = draw({"document": document(column, text)}, lambda step: None)
    if not answer.get("errors"):
        assert (column, text) in (("type", "fixed"), ("name", "the joint"))  # which are no mistakes
        return
    error = told(api.from_document, document(column, text))
    assert isinstance(error, RobotFileError)
    english, other = in_language(answer, str), in_language(answer, portuguese)
    first, same = english["errors"][0], other["errors"][0]
    assert first["message"] == str(error) != same["message"] == language.told_in(str(error), "pt")
    assert (first["row"], first["column"]) == (same["row"], same["column"]) == ((error.row or 0) - 1, error.column)


@pytest.mark.parametrize(
    "sentence",
    [
        *(str(Conflict("arm.toml", *rest)) for rest in (("x", "1", "2"), ("x", "1", None), (None, None, "2"))),
        error_of(RecursionError())["message"],
        error_of(ZeroDivisionError("x"))["message"],
        Message("the process that computed this has ended; ask again"),
        Message("this took longer than {quick:g} s and was given up", QUICK),
    ],
)
def test_what_the_studio_itself_says(sentence: str) -> None:
    assert language.told_in(sentence, "pt") != sentence
    assert language.told_in(sentence, "en") == sentence == language.told_in(sentence, "xx")


def test_messages_are_told_and_the_rest_stays() -> None:
    missing = Message("{field}: {problem}", "a", Message("is missing"))
    found = {
        "document": {"name": "is missing"},
        "warnings": [{"message": missing, "row": 1}, Message("is missing")],
        "error": [0.1, 0.2],  # of a simulation
    }
    told = in_language({"result": with_messages(json.loads(json.dumps(as_data(found))))}, portuguese)["result"]
    assert told["warnings"] == [{"message": "a: falta", "row": 1}, "falta"]
    assert {key: told[key] for key in ("document", "error")} == {key: found[key] for key in ("document", "error")}


def test_what_can_be_hidden_in_a_shared_file_is_a_part_of_reports() -> None:
    text = (WEB / "dialogs" / "sharing.tsx").read_text(encoding="utf-8")
    offered = re.search(r"const PANELS = \[([^\]]+)\]", text)
    assert offered and set(re.findall(r'"(\w+)"', offered[1])) == set(CHOSEN) - {"arm"}


@pytest.mark.parametrize("name", ["planar2r", "scara", "stanford3", "stanford"])
def test_a_derivation_is_told_in_portuguese_to_its_last_word(name: str) -> None:
    """Class, steps, remarks, singular positions: what stands outside formulas has no English word."""
    answer = inverse({"document": api.document(name)}, lambda step: None)
    told = in_language(answer, portuguese)
    steps = [x for step in told["derivation"] for x in (step["title"], step["roots"], step["singular"])]
    lines = [line["text"] for step in told["derivation"] for line in step["lines"] if line["kind"] == "text"]
    pieces = [piece["says"] for piece in (told["singularities"] or {"pieces": []})["pieces"]]
    words = " ".join([told["arm_class"], told["why"], told["letters"], *steps, *lines, *pieces])
    left = re.findall(r"\b(?:the|of|and|axis|axes|is|are|where|what|which|tool's)\b", re.sub(r"\$[^$]*\$", "", words))
    assert not left, words
    formulas = [[line for line in step["lines"] if line["kind"] == "tex"] for step in answer["derivation"]]
    assert [[x for x in step["lines"] if x["kind"] == "tex"] for step in told["derivation"]] == formulas


def test_a_warning_tells_a_page_nothing_about_python() -> None:
    said = draw({"document": document("alpha", "1.5708") | {"angle": "rad"}}, lambda step: None)["warnings"]
    told = [warning["message"] for warning in said if "multiples of 90" in warning["message"]]
    assert told and not [text for text in told if "exact=" in text]


def test_laws_and_proofs_are_told_in_portuguese() -> None:
    told = in_language(check({"document": api.document("planar2r")}, lambda step: None), portuguese)
    assert "A matriz de inércia é simétrica" in " ".join(verdict["sentence"] for verdict in told["verdicts"])
    found = base({"document": api.document("planar2r")}, lambda step: None)
    assert found["error_exponent"] < -15 and found["proof"].endswith(f" 1e{found['error_exponent']}")
    assert "chance de erro" in in_language(found, portuguese)["proof"]
