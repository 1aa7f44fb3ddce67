"""Reports and worksheets in another language: no sentence stays English, no formula and no number changes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, partial
from html import unescape

import pytest

import manipula as mp
from manipula.api.robot_verbs import robot_from
from manipula.api.robot_story import paper_story
from manipula.cli.terminal.language import catalogue, told_in
from manipula.pages.page import STATIC
from manipula.pages.paper import source_of
from manipula.pages.report import Story, report_page
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
OTHERS = ("planar2r", "scara", "tree3", "tree8", "puma560", "panda", "spong_cylindrical")


def words_of(page: str) -> list[str]:
    """What a page says between its formulas, text by text."""
    return [unescape(text).strip() for text in re.split(r"\n|\0", NO_WORDS.sub("\0", page)) if text.strip()]


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
