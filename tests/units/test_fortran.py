"""Fortran's own rules: capitals do not count, names and lines end, two operators may not touch, columns come first."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from pathlib import Path

import pytest

from manipula.algebra.emit.backend import emit
from manipula.algebra.emit.fortran import LONGEST_LINE, LONGEST_NAME, FortranNamer, break_statement
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Graph
from manipula.algebra.tape import Tape, tape_from_function
from tests.golden import planar
from tests.languages import in_every_language, self_tested
from tests.units.test_every_op import SEEDS, random_tape
from tests.units.test_names import named_tape

LONG = "a_parameter_whose_name_is_far_longer_than_any_compiler_of_this_language_reads_"


def clashing_tape() -> Tape:
    """Names that differ in capitals alone, that are too long, or that end alike; a number no float holds."""
    graph = Graph()
    maths = ExprMaths(graph)
    words = ("a", "A", "d1", "D1", "D2", f"{LONG}1", f"{LONG}2", "IF", "Sin", "wp", "K", "P", "Tau", "tau_out")
    p = tuple(graph.symbol(word) for word in words)
    q = tuple(graph.symbol(word, online=True) for word in ("q1", "Q1", "x"))
    total = graph.const(Fraction(1, 10**40)) * q[0]
    for i, symbol in enumerate(p):
        total = total + maths.exp(-(symbol * symbol) * q[i % 3]) * (i + 2) / (symbol + 3)
    cube = tuple(maths.cos(q[i % 3] + i) * p[i % 5] for i in range(24))
    inputs = (Input("q", q), Input("p", p, role="parameter"))
    outputs = (Output("tau", (), (total,)), Output("Q", (2, 3, 4), cube), Output(f"{LONG}out", (24,), cube[::-1]))
    return tape_from_function(Function(f"{LONG}model", graph, inputs, outputs))


TAPES = {
    "clashing": clashing_tape, "planar": planar.torque, "named": named_tape,
    **{f"random {seed}": (lambda seed=seed: random_tape(seed)) for seed in SEEDS[:4]},
}  # fmt: skip


@pytest.mark.parametrize("case", TAPES)
def test_the_rules_of_the_text(case: str) -> None:
    files = emit(TAPES[case](), "fortran", "1")
    for name, text in files.items():
        assert text.isascii() and (not name.endswith(".f90") or max(map(len, text.splitlines())) <= LONGEST_LINE), name
    text = next(text for text in files.values() if "pure subroutine" in text)
    for part in text.split("end subroutine")[:-1]:
        names = [
            x for line in re.findall(r"real\(wp\).*?:: (.*)", part) for x in re.sub(r"\(.*?\)", "", line).split(", ")
        ]
        assert len(names) == len({x.lower() for x in names}), "two names that differ in capitals alone"
        assert max(map(len, names)) <= LONGEST_NAME
    code = re.sub(r"\d(?:e[+-]\d+)?_[wd]p|!.*|\"[^\"]*\"", "1", text)
    assert not re.search(r"[-+*/]\s*(?:&\n\s*)?-", code), "two operators touch"


@pytest.mark.parametrize("language", in_every_language(["fortran"]))
@pytest.mark.parametrize("case", ["clashing", *(f"random {seed}" for seed in SEEDS[:2])])
def test_it_runs_in_either_precision(case: str, language: str, tmp_path: Path) -> None:
    done = self_tested(language, emit(TAPES[case](), language, "1"), tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout


def test_long_statements_are_broken_between_words() -> None:
    dice = random.Random(1)
    words = ("alpha*", "beta + ", "gamma(", "delta, ", "12345.678e-05_wp", ") - ", '"in words, (one *text"', "x/")
    for _ in range(200):
        text = "y = " + "".join(dice.choices(words, k=dice.randint(1, 90))) + "z"
        lines = break_statement(text, dice.choice([4, 8])).splitlines()
        assert max(map(len, lines)) <= LONGEST_LINE
        assert all(line.endswith(" &") for line in lines[:-1])
        joined = "".join(line.removesuffix(" &").strip() for line in lines)
        assert joined.replace(" ", "") == text.replace(" ", "")
        assert all(line.count('"') % 2 == 0 for line in lines), "a text is broken"


def test_names_leave_room_for_what_is_put_behind_them() -> None:
    namer = FortranNamer({"sin"}, room=10)
    names = [namer.name(word) for word in ("Sin", "SIN", "x" * 70, "X" * 80, "x" * 53, "y")]
    assert names[0] == "Sin_2" and names[1] == "SIN_3" and names[-1] == "y"
    assert len({name.lower() for name in names}) == len(names)
    assert max(map(len, names)) <= LONGEST_NAME - 10
