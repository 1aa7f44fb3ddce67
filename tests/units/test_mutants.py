"""The planted errors of `make mutants` can be planted: each line stands once in its file, each test is there."""

from __future__ import annotations

import pytest

from tests.mutants.__main__ import ROOT, Mutant, planted


@pytest.mark.parametrize("mutant", planted(), ids=lambda mutant: mutant.name)
def test_an_error_has_its_place(mutant: Mutant) -> None:
    assert (ROOT / mutant.file).read_text(encoding="utf-8").count(mutant.old) == 1 and mutant.old != mutant.new
    assert all((ROOT / test.partition("::")[0]).exists() for test in mutant.tests)
