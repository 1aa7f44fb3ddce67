"""Kinds of joint and friction laws have one place each: nothing that computes names one of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import manipula
from manipula.mechanics.robot.friction import LAWS
from manipula.mechanics.robot.joints import KINDS

ROOT = Path(manipula.__file__).parent
ROOMS = ("mechanics/models", "mechanics/robot/reduce", "parameters", "generation", "simulation", "identification")
LOOPS = "mechanics/models/inverse"  # closed forms are made for joints that turn or slide, and say which
WORDS = [*(name for name in KINDS if name != "fixed"), *(law.key for law in LAWS if law.key != "load")]


def sources() -> list[Path]:
    found = [path for room in ROOMS for path in (ROOT / room).rglob("*.py")]
    return [path for path in found if not str(path.relative_to(ROOT)).startswith(LOOPS)]


@pytest.mark.parametrize("word", WORDS)
def test_no_text_that_computes_names_it(word: str) -> None:
    wanted = re.compile(rf"[\"']{word}[\"']")
    assert sources() and not [str(path.relative_to(ROOT)) for path in sources() if wanted.search(path.read_text())]
