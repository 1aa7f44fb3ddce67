"""Sentences of errors as they are read, whole: a table of tests names the part that matters, `sentences.txt` has every
field of the sentence at its place. `pytest -n 0 FILE --update` adds what is said now; read the diff first."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

FILE = Path(__file__).with_name("sentences.txt")
PLAINLY = {  # what differs from run to run, from version to version, or with every robot and law that is added
    r"\bnp\.\w+\(([^()]*)\)": r"\1",
    r"(array\([^()]*), shape=\([\d, ]+\)\)": r"\1)",
    r" at 0x[0-9a-f]+": " at 0x…",
    r"(this is not (?:valid TOML|well-formed XML): )[^(]*[^( ]": r"\1…",
    r"((?:[\w:/.]+, ){3})(?:[\w:/.]+, ){8,}[\w:/.]+": r"\1…",
}


@dataclass(frozen=True)
class Sentences:
    """`folder`: the test's own, another in every run."""

    folder: Path
    update: bool

    def compare(self, said: str) -> str:
        sentence = said.replace(f"{self.folder}{os.sep}", "FOLDER/").strip()
        for pattern, shown in PLAINLY.items():
            sentence = re.sub(pattern, shown, sentence)
        golden = set(FILE.read_text(encoding="utf-8").splitlines())
        if self.update:
            golden.add(sentence)
            FILE.write_text("".join(f"{line}\n" for line in sorted(golden)), encoding="utf-8", newline="\n")
        assert sentence in golden, "if the change is meant: --update, and read the diff"
        return said

    @contextmanager
    def raises(
        self, kind: type[Exception] | tuple[type[Exception], ...], match: str | None = None
    ) -> Iterator[pytest.ExceptionInfo[Exception]]:
        with pytest.raises(kind, match=match) as error:
            yield error
        self.compare(str(error.value))
