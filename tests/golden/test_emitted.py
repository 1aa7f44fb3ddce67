"""Emitted text, byte for byte. `pytest tests/golden --update` accepts what is emitted now; read the diff first."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from manipula.algebra.emit.backend import emit, languages
from manipula.algebra.emit.dossier import dossier_files
from manipula.algebra.tape import Tape
from tests.golden import planar

FILES = Path(__file__).parent / "files"


def _emitted(language: str, make: Callable[[], Tape]) -> dict[str, str]:
    return emit(make(), language, planar.VERSION)


TAPES = {"with parameters": planar.torque, "without": planar.tip, "with states": planar.servo}
EMITTED: dict[str, Callable[[], dict[str, str]]] = {
    f"{language} {case}": partial(_emitted, language, make) for language in languages() for case, make in TAPES.items()
}
EMITTED["dossier"] = lambda: dossier_files(planar.dossier())


@pytest.mark.parametrize("case", list(EMITTED))
def test_emitted_text_is_the_golden_text(case: str, update: bool) -> None:
    files = EMITTED[case]()
    if update:
        for name, text in files.items():
            place = FILES / f"{name}.txt"
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8", newline="\n")
    golden = {name: (FILES / f"{name}.txt").read_bytes().decode() for name in files}
    assert files == golden, "if the change is meant: make golden, and read the diff"


def test_no_golden_file_is_left_over() -> None:
    names = {f"{name}.txt" for files in EMITTED.values() for name in files()}
    assert {path.relative_to(FILES).as_posix() for path in FILES.rglob("*") if path.is_file()} == names
