"""Emitted text, byte for byte. `pytest tests/golden --update` accepts what is emitted now; read the diff first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from manipula.algebra.emit.backend import emit
from manipula.algebra.emit.dossier import dossier_files
from tests.golden import planar

FILES = Path(__file__).parent / "files"

EMITTED: dict[str, Callable[[], dict[str, str]]] = {
    "c with parameters": lambda: emit(planar.torque(), "c", planar.VERSION),
    "c without": lambda: emit(planar.tip(), "c", planar.VERSION),
    "c with states": lambda: emit(planar.servo(), "c", planar.VERSION),
    "javascript with states": lambda: emit(planar.servo(), "javascript", planar.VERSION),
    "python with states": lambda: emit(planar.servo(), "python", planar.VERSION),
    "fortran with parameters": lambda: emit(planar.torque(), "fortran", planar.VERSION),
    "fortran with states": lambda: emit(planar.servo(), "fortran", planar.VERSION),
    "fortran without": lambda: emit(planar.tip(), "fortran", planar.VERSION),
    "python with parameters": lambda: emit(planar.torque(), "python", planar.VERSION),
    "python without": lambda: emit(planar.tip(), "python", planar.VERSION),
    "dossier": lambda: dossier_files(planar.dossier()),
}


@pytest.mark.parametrize("case", list(EMITTED))
def test_emitted_text_is_the_golden_text(case: str, update: bool) -> None:
    files = EMITTED[case]()
    if update:
        FILES.mkdir(exist_ok=True)
        for name, text in files.items():
            (FILES / f"{name}.txt").write_text(text, encoding="utf-8", newline="\n")
    golden = {name: (FILES / f"{name}.txt").read_bytes().decode() for name in files}
    assert files == golden, "if the change is meant: make golden, and read the diff"


def test_no_golden_file_is_left_over() -> None:
    names = {f"{name}.txt" for files in EMITTED.values() for name in files()}
    assert {path.name for path in FILES.iterdir()} == names
