"""Reports and worksheets in another language: no sentence stays English, no formula and no number changes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache, partial
from html import unescape

import pytest

import manipula as mp
from manipula.api.robot_story import paper_story
from manipula.api.robot_verbs import robot_data, robot_from, robot_module
from manipula.cli.terminal.language import catalogue, told_in
from manipula.pages.documents import TYPST_HEAD
from manipula.pages.page import STATIC
from manipula.pages.paper import source_of
from manipula.pages.report import Story, report_page, told_story
from manipula.support.progress import silent
from tests.random_robots import random_tree
from tests.templates import has_words

portuguese = partial(told_in, name="pt")
# words of sentences; names of methods, links and files are not among them
ENGLISH = re.compile(
    r"\b(?:the|of|and|where|which|with|from|is|are|each|every|not|that|this|joint|joints|link|axes|table|found|law|laws"
    r"|holds|symbolic|revolute|prismatic|mass|value|worksheet|check)\b",
    re.IGNORECASE,
)
NO_WORDS = re.compile(
    r"<(script|style|math|pre)\b.*?</\1>|<div class=\"tex\".*?</div>|<[^>]*>|data-question=\"[^\"]*\"", re.DOTALL
)
FORMULAS = re.compile(r"<math>.*?</math>|<div class=\"tex\"[^>]*>(.*?)</div>", re.DOTALL)
# formulas, commands, names and the picture of a text of Typst or LaTeX
PAPER_MARKUP = re.compile(
    r'bytes\("(?:[^"\\]|\\.)*"\)|\$[^$]*\$|\\\[.*?\\\]|\\begin\{tabular\}\{l*\}|#table\(|\\[a-z]+\*?', re.DOTALL
)
OTHERS = ("planar2r", "scara", "tree3", "tree8", "puma560", "panda", "spong_cylindrical")


def words_of(page: str) -> list[str]:
    """What a page says between its formulas, text by text."""
    return [unescape(text).strip() for text in re.split(r"\n|\0", NO_WORDS.sub("\0", page)) if text.strip()]


def question_words(page: str, key: str) -> list[str]:
    """What the page says of an answer to this question."""
    data = re.search(rf'data-question="([^"]*)"><p><b>{key}</b>', page)
    assert data is not None
    return list(json.loads(unescape(data[1]))["words"].values())


def formulas_of(page: str) -> list[str]:
    return [x[1] or x[0] for x in FORMULAS.finditer(page)]


@cache
def story(name: str) -> Story:
    robot = robot_from(random_tree(int(name[4:]))) if name.startswith("tree") else mp.load(name)
    return paper_story(robot, (), silent, str)


def sentences_of_catalogue() -> Iterator[str]:
    """Whole sentences, which are long enough to be nobody's name."""
    return (text for text in catalogue("pt").written if has_words(text) and "{" not in text and len(text) > 12)


@pytest.mark.skipif(not (STATIC / "report.js").exists(), reason="the page is not built (`make web`)")
@pytest.mark.parametrize("name", ["rp", *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)])
def test_a_report_in_portuguese_has_no_english_sentence(name: str) -> None:
    english, other = report_page(story(name)), report_page(story(name), portuguese)
    assert '<html lang="pt">' in other and '<html lang="en">' in english
    said = words_of(other)
    assert len(said) > 100 and [text for text in said if ENGLISH.search(text)] == []
    known = set(sentences_of_catalogue())
    told = {text for text in words_of(english) if text in known}
    assert len(told) > 20 and not told & set(said)
    assert formulas_of(other) == formulas_of(english) != []
    paper = PAPER_MARKUP.sub(" ", source_of(story(name), portuguese).partition("#set document")[2])
    assert len(paper) > 1000 and [line for line in paper.splitlines() if ENGLISH.search(line)] == []


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("name", ["rp", pytest.param("planar2r", marks=pytest.mark.slow)])
def test_a_worksheet_in_portuguese_has_no_english_sentence(name: str, numbers: bool) -> None:
    topics = ["pose", "jacobian", "dynamics", "ik", "singularities"]
    sheet = mp.worksheet(name, topics, numbers=numbers).sheet(1)
    page = sheet.html(True, portuguese)
    assert '<html lang="pt">' in page
    found = [text for text in words_of(page) if ENGLISH.search(text)]
    found += [text for one in sheet.questions for text in question_words(page, one.key) if ENGLISH.search(text)]
    assert found == []
    for text in (sheet.latex(True, portuguese), sheet.typst(True, portuguese)):
        assert [
            line for line in PAPER_MARKUP.sub(" ", text.removeprefix(TYPST_HEAD)).splitlines() if ENGLISH.search(line)
        ] == []


def test_a_name_of_a_user_is_no_word(name: str = "table") -> None:
    """What a catalogue has as a word, a user may have as a name."""
    robot = mp.Robot.from_dh([{"d": 0, "a": 1, "alpha": 0, "name": name}, {"d": 0, "a": 1, "alpha": 0}], name="arm")
    story = paper_story(robot, ("equations", "inverse", "counts", "check", "base"), silent, str)
    rows = [row for _, _, rows in told_story(story, portuguese).tables for row in rows]
    assert portuguese(name) != name and any(name in row for row in rows)
    assert not any(portuguese(name) in row for row in rows)


def test_a_module_says_in_portuguese_what_its_parameters_are() -> None:
    data = robot_data(robot_module("planar2r", models=["gravity"], optimise="none", told=portuguese))
    assert {"massa: elo theta1", "gravidade ao longo de y"} <= {one["about"] for one in data["parameters"]}
