"""The planted errors of `make mutants` can be planted: each line stands once in its file, each test is there. Those of
`make mutants-random` are drawn by a seed, change what runs and nothing else."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.mutants.__main__ import ROOT, Mutant, planted
from tests.mutants.operators import sites
from tests.mutants.random import drawn, equivalents, is_equivalent
from tests.mutants.reach import _on_import, turns


@pytest.mark.parametrize("mutant", planted(), ids=lambda mutant: mutant.name)
def test_an_error_has_its_place(mutant: Mutant) -> None:
    assert (ROOT / mutant.file).read_text(encoding="utf-8").count(mutant.old) == 1 and mutant.old != mutant.new
    assert all((ROOT / test.partition("::")[0]).exists() for test in mutant.tests)


def _variants(text: str) -> set[str]:
    source = text.encode()
    return {site.planted(source).decode() for site in sites("x.py", source)}


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("a < b", "(a <= b)"),
        ("a < b", "(a >= b)"),
        ("a - b", "(a + b)"),
        ("a - b", "(b - a)"),
        ("-a", "(a)"),
        ("a and b", "(a or b)"),
        ("a and b and c", "(a and b)"),
        ("x = 3", "x = 4"),
        ("x = 0.5", "x = 1.0"),
        ("x = True", "x = False"),
        ("x[1:]", "(x[:])"),
        ("max(x)", "(min)(x)"),
        ("f(a, b)", "(f(b, a))"),
        ("A.T @ b", "(A) @ b"),
        ("[k for k in x if k]", "([k for k in x])"),
        ("a if c else b", "(b if c else a)"),
        ("f'{a} of {b}'", "(f'{b} of {b}')"),
        ("f(x)", "pass"),
        ("α = β - 1", "α = (β + 1)"),
        ("x.reshape(3, -1)", "x.reshape(3, (1))"),
        ("x = reals(2 * n + 3)", "x = (reals(2 * n + 3 - 1))"),
    ],
)
def test_an_operator_makes_its_slip(text: str, changed: str) -> None:
    assert changed in _variants(text)


@pytest.mark.parametrize(
    "text",
    [
        '"""A - b."""',
        "from a import b",
        "x: list[-1]",
        "def f(x: A | B) -> C | D: ...",
        "max",
        "y = zip(x, strict=True)",
    ],
)
def test_what_does_not_run_is_left(text: str) -> None:
    assert not _variants(text) - {"(min)"}


def test_memory_is_short_of_one_and_what_is_left_is_no_number() -> None:
    assert _variants("x = reals(8)") == {"x = (reals(8 - 1))"}
    assert not {text for text in _variants("x.reshape(3, -1)") if "-2" in text}


def test_a_seed_draws_the_same_lines_and_each_can_be_planted() -> None:
    chosen = drawn(7, 25, "pages")
    assert chosen == drawn(7, 25, "pages") != drawn(8, 25, "pages")
    assert {site.file for site in drawn(7, 5, "ik/path.py")} == {"manipula/ik/path.py"}
    for site in chosen:
        source = (ROOT / site.file).read_bytes()
        assert source[site.start : site.end].decode() == site.old
        assert ast.dump(ast.parse(site.planted(source))) != ast.dump(ast.parse(source))


def test_draws_of_one_property_take_turns_with_those_of_others() -> None:
    tests = {"a.py::f[1]", "a.py::f[2]", "b.py::g", "c.py::h[0]"}
    seconds = {"a.py::f[1]": 0.2, "a.py::f[2]": 0.1, "b.py::g": 3.0, "c.py::h[0]": 0.5}
    assert turns(tests, seconds) == ["a.py::f[2]", "c.py::h[0]", "b.py::g", "a.py::f[1]"]


def test_what_notices_a_planted_error_runs_at_every_commit() -> None:
    """No test that is named beside one takes turns; of a named file `make mutants` leaves out those that do."""
    for name in {name for mutant in planted() for name in mutant.tests if "::" in name}:
        file, _, test = name.partition("::")
        tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
        named = [x for x in tree.body if isinstance(x, ast.FunctionDef) and x.name == test.partition("[")[0]]
        assert named and not [x for x in named if "pytest.mark.turn" in map(ast.unparse, x.decorator_list)], name


@pytest.mark.parametrize("key", sorted(equivalents()), ids=lambda key: f"{key[0]}: {key[2]} → {key[3]}"[:100])
def test_an_equivalent_has_its_place_and_a_reason(key: tuple[str, str, str, str, str]) -> None:
    file, line, old, new, after = key
    source = (ROOT / file).read_bytes()
    lines = source.decode().splitlines()
    found = [s for s in sites(file, source) if lines[s.line - 1].strip() == line and (s.old, s.new) == (old, new)]
    known = [s for s in found if source[: s.start].endswith(after.encode())]
    assert known and all(is_equivalent(s, source) for s in known)
    assert not after or len(found) > len(known)
    assert len(equivalents()[key].split()) >= 4


def test_what_runs_on_import_is_known(tmp_path: Path) -> None:
    text = """WIDTH = 3


@decorated(4)
def f(
    x=5,
):
    return x + 6


class Case:
    size: int = 7

    def grow(self):
        return self.size + 8
"""
    file = tmp_path / "x.py"
    file.write_text(text, encoding="utf-8")
    loaded = [line for line, content in enumerate(text.splitlines(), 1) if content and _on_import(file, line)]
    assert {1, 4, 6, 12} <= set(loaded)
    assert not {8, 15} & set(loaded)
