"""What the program form refuses, word for word, and what it makes of whole numbers that are known."""

from __future__ import annotations

import math
import random
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from manipula.algebra.expr.evaluate import ARRAYS
from manipula.algebra.program import tree
from manipula.algebra.program.expressions import BINARY
from manipula.algebra.program.primitives import ALL, DECIDING, max_of, min_of
from manipula.algebra.program.reader import program
from manipula.algebra.run.routines import compile_text
from manipula.errors import InputError
from manipula.scalar import OPS
from tests.emitted import module_from

HEAD = """from typing import Annotated, Any
import numpy as np
from manipula.algebra.program.primitives import *
from tests.random_texts import Store, bump, spun, difference, PRIMES, WEIGHTS, SHAPE

class Places:
    FIRST, SECOND = 0, 5
    TEXT = "no number"

class Empty:
    pass

def nothing(k: Ints) -> None:
    k[0] = 1

"""
GIVEN = "n: int, x: Reals, k: Ints, w: Words, z: Complexes, s: Store"
MEANT = "word(x), int(x) or float(x) says which is meant"

# the last line of a text, the part of it that is refused, why
REFUSED = [
    ("return nowhere", "nowhere", "a name is a variable, a number or a tuple of numbers around the text"),
    ("return s.height", "s.height", "Store has count, level, seed, own, marks, table, match, double"),
    ("return x.height", "x.height", "x is no struct, and no class with a number of this name"),
    ("return Places.THIRD", "Places.THIRD", "Places is no struct, and no class with a number of this name"),
    ("return Places.TEXT", "Places.TEXT", "Places is no struct, and no class with a number of this name"),
    ("return n[0]", "n", "only arrays have entries"),
    ("return s.count[0]", "s.count", "only arrays have entries"),
    ("return x[-1]", "-1", "entries are counted from the front"),
    ("return x[1 - 2]", "1 - 2", "entries are counted from the front"),
    ("return x[w[0]]", "w[0]", "an index is a whole number"),
    ("return x[x[0]]", "x[0]", "an index is a whole number"),
    ("return x", "return x", "an array of reals where a real number is needed"),
    ("return s", "return s", "a struct Store where a real number is needed"),
    ("return z[0]", "return z[0]", f"a complex where a real number is needed: {MEANT}"),
    ("return w[0]", "return w[0]", f"a word where a real number is needed: {MEANT}"),
    ("return nothing(k)", "return nothing(k)", "nothing where a real number is needed"),
    ("n = 0.5", "n = 0.5", f"a real number where a whole number is needed: {MEANT}"),
    ("k[0] = w[0]", "k[0] = w[0]", f"a word where a whole number is needed: {MEANT}"),
    ("w[0] = n", "w[0] = n", f"a whole number where a word is needed: {MEANT}"),
    ("w[0] = -1", "w[0] = -1", f"a whole number where a word is needed: {MEANT}"),
    ("return x + 1.0", "x + 1.0", "an array of reals is no number"),
    ("return 1.0 * nothing(k)", "1.0 * nothing(k)", "nothing is no number"),
    ("return s < 1", "s < 1", "a struct Store is no number"),
    ("return x[0] // 2", "x[0] // 2", "of whole numbers only"),
    ("return n % 2.0", "n % 2.0", "of whole numbers only"),
    ("return x[0] & 1", "x[0] & 1", "of whole numbers only"),
    ("return ~x[0]", "~x[0]", "of whole numbers only"),
    ("return quotient(x[0], 2)", "quotient(x[0], 2)", "of whole numbers only"),
    ("return n << 64", "n << 64", "a whole number is shifted by 0 to 63 bits"),
    ("return n >> 64", "n >> 64", "a whole number is shifted by 0 to 63 bits"),
    ("return n << -1", "n << -1", "a whole number is shifted by 0 to 63 bits"),
    ("return x[0] << 1", "x[0] << 1", "a whole number is shifted by 0 to 63 bits"),
    ("return n << 1.0", "n << 1.0", f"a real number where a whole number is needed: {MEANT}"),
    ("return 1 // 0", "1 // 0", "a division by zero"),
    ("return 7 % 0", "7 % 0", "a division by zero"),
    ("return quotient(3, 0)", "quotient(3, 0)", "a division by zero"),
    ("return remainder(3, 0)", "remainder(3, 0)", "a division by zero"),
    ("return 4 * 4611686018427387904", "4 * 4611686018427387904", "the number has more than 64 bits"),
    ("return -9223372036854775807 - 1", "-9223372036854775807 - 1", "the number has more than 64 bits"),
    ("return -w[0]", "-w[0]", f"a word has no sign; {MEANT}"),
    ("return z[0] < z[1]", "z[0] < z[1]", "complex numbers are not compared"),
    ("return 1.0 if z[0] else 0.0", "z[0]", "complex numbers are not compared"),
    ("return max(z[0], 1.0)", "max(z[0], 1.0)", "complex numbers are not compared"),
    ("return min(1, z[0])", "min(1, z[0])", "complex numbers are not compared"),
    ("return n or x[0]", "n or x[0]", "as a value, `and` and `or` join comparisons"),
    ("return n > 1 and n", "n > 1 and n", "as a value, `and` and `or` join comparisons"),
    ("return bump(k, 0, 1) in (1, 2)", "bump(k, 0, 1) in (1, 2)", "give what is called a name first"),
    ("return 1 + bump(k, 0, 1) not in (1, 2)", "1 + bump(k, 0, 1) not in (1, 2)", "give what is called a name first"),
    ("return int(z[0])", "int(z[0])", "int of a complex"),
    ("return float(x)", "float(x)", "float of an array of reals"),
    ("return abs(k)", "abs(k)", "abs of an array of ints"),
    ("w[0] = word(x[0])", "word(x[0])", "a word is made of a whole number"),
    ("w[0] = high(n, w[0])", "high(n, w[0])", f"a whole number where a word is needed: {MEANT}"),
    ("return sqrt(z[0])", "sqrt(z[0])", f"a complex where a real number is needed: {MEANT}"),
    ("return bump(k, 0)", "bump(k, 0)", "bump takes k, i, by"),
    ("return bump(x, 0, 1)", "bump(x, 0, 1)", "an array of reals where an array of ints is needed"),
    ("SHAPE(x, x)", "SHAPE(x, x)", "main of SHAPE takes 4 arrays of reals"),
    ("SHAPE(x, k, x, x)", "SHAPE(x, k, x, x)", "main of SHAPE takes 4 arrays of reals"),
    ("SHAPE.prepare(x)", "SHAPE.prepare(x)", "prepare of SHAPE takes 3 arrays of reals"),
    ("SHAPE.prepare(x, x, k)", "SHAPE.prepare(x, x, k)", "prepare of SHAPE takes 3 arrays of reals"),
    ("SHAPE(x, x, WEIGHTS, x)", "SHAPE(x, x, WEIGHTS, x)", "WEIGHTS is a table of constants"),
    ("SHAPE(x, x, x, WEIGHTS)", "SHAPE(x, x, x, WEIGHTS)", "WEIGHTS is a table of constants"),
    ("SHAPE.prepare(x, x, WEIGHTS)", "SHAPE.prepare(x, x, WEIGHTS)", "WEIGHTS is a table of constants"),
    ("WEIGHTS[1] = 2.0", "WEIGHTS[1]", "WEIGHTS is a table of constants"),
    ("return sin(x[0], 1.0)", "sin(x[0], 1.0)", "sin takes 1"),
    ("return atan2(x[0])", "atan2(x[0])", "atan2 takes 2"),
    ("return select(n > 0, 1.0)", "select(n > 0, 1.0)", "select takes 3"),
    ("return sin(reals(3))", "reals(3)", "an array has a name"),
    ("print(n)", "print(n)", "only texts, proved straight lines and the words of `primitives` are called"),
    ("np.sum(x)", "np.sum(x)", "only texts, proved straight lines and the words of `primitives` are called"),
    ("n.prepare(x)", "n.prepare(x)", "only texts, proved straight lines and the words of `primitives` are called"),
    ("y = reals(3); y = reals(4)", "reals(4)", "y is another array already"),
    ("y = reals(3); y = integers(3)", "integers(3)", "y is another array already"),
    ("x = reals(3)", "reals(3)", "x is another array already"),
    ("y = reals(0)", "reals(0)", "an array has a fixed number of entries"),
    ("y = reals(2.0)", "reals(2.0)", "an array has a fixed number of entries"),
    ("x[bump(k, 0, 1)] += 1.0", "x[bump(k, 0, 1)] += 1.0", "the index would be computed twice"),
    ("s.own = 1.0", "s.own", "numbers are assigned, not arrays"),
    ("x[1:] = 1.0", "x[1:]", "numbers are assigned, not arrays"),
    ("y = x", "y", "numbers are assigned, not arrays"),
    ("y = s", "y", "numbers are assigned, not arrays"),
    ("y = nothing(k)", "y", "numbers are assigned, not arrays"),
    ("y = reals(2); y = 3", "y", "numbers are assigned, not arrays"),
    ("for i in range(0, n, 0): x[i] = 1.0", "range(0, n, 0)", "the step is a number, not zero"),
    ("for i in range(0, 9, n): x[i] = 1.0", "range(0, 9, n)", "the step is a number, not zero"),
    ("for n in range(3): x[n] = 1.0", "range(3)", "n is taken by what is around the loop"),
    ("for i in range(x[0]): pass", None, f"a real number where a whole number is needed: {MEANT}"),
    ("x[bump(k, 0, 1)] = 1.0", "x[bump(k, 0, 1)] = 1.0",
     "give what is called a name first: it changes arrays that stand beside it"),
    ("return 1.0 if n > 3 and bump(k, 0, 1) + k[0] > 2 else 0.0", None,
     "give what is called a name first: it changes arrays that stand beside it"),
    ("del n", "del n", ""),
    ("return x[0:2]", "0:2", ""),
    ("return +x[0]", "+x[0]", ""),
    ("return 0 < n < 3", "0 < n < 3", ""),
    ("return bump(k, 0, by=1)", "bump(k, 0, by=1)", ""),
]  # fmt: skip


@pytest.mark.parametrize("body, part, why", REFUSED, ids=[row[0] for row in REFUSED])
def test_a_refusal_names_the_line_the_part_and_the_reason(
    body: str, part: str | None, why: str, tmp_path: Path
) -> None:
    lines = "\n    ".join(body.split("; "))
    module = module_from(f"{HEAD}def refused({GIVEN}) -> float:\n    {lines}\n", "refused_texts", tmp_path)
    at = (HEAD + lines).count("\n") + 2
    with pytest.raises(InputError) as caught:
        program(module.refused)
    said, reason = str(caught.value), f": {why}" if why else ""
    if part is None:
        assert said.startswith(f"refused_texts.py:{at}: refused: ") and said.endswith(reason)
    else:
        assert said == f"refused_texts.py:{at}: refused: no translation for {part!r}{reason}"


HEADS = [
    ("def refused(n) -> int:\n    return n", "n", "a parameter is a number, an array or a struct, and says so"),
    ("def refused(n: 'far') -> int:\n    return n", "n: 'far'",
     "a parameter is a number, an array or a struct, and says so"),
    ("def refused(n: int) -> Reals:\n    return n", "Reals", "a text returns a number or nothing"),
    ("def refused(n: int) -> str:\n    return n", "str", "a text returns a number or nothing"),
    ("def refused(é: int) -> int:\n    return 1", "é: int", "é has letters that other languages do not know"),
    ("def refused(n: int) -> int:\n    ω = n\n    return 1", "n: int",
     "ω has letters that other languages do not know"),
]  # fmt: skip


@pytest.mark.parametrize("text, part, why", HEADS, ids=[row[0] for row in HEADS])
def test_the_head_of_a_text_is_refused_with_its_reason(text: str, part: str, why: str, tmp_path: Path) -> None:
    module = module_from(f"{HEAD}{text}\n", "refused_heads", tmp_path)
    with pytest.raises(InputError) as caught:
        program(module.refused)
    at = HEAD.count("\n") + 1
    assert str(caught.value) == f"refused_heads.py:{at}: refused: no translation for {part!r}: {why}"


def test_texts_that_differ_in_their_annotations_alone_are_read_apart(tmp_path: Path) -> None:
    """As in a cell of a notebook that is corrected and run again."""
    kinds = []
    for note in ("int", "float", "bool"):
        (tmp_path / note).mkdir()
        text = f"def same(n: {note}) -> {note}:\n    return n\n"
        kinds.append(program(module_from(HEAD + text, "same_texts", tmp_path / note).same)[-1].returns)
    assert kinds == ["int", "real", "flag"]


def test_a_struct_says_what_its_members_may_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = ["bool", "str", "None", "Annotated[Reals, 0]", "Annotated[float, 3]", "Annotated[Reals, 2.5]", "list[int]"]
    text = HEAD + "".join(
        f"class S{i}:\n    a: int\n    b: {note}\n\ndef t{i}(s: S{i}) -> int:\n    return s.a\n\n"
        for i, note in enumerate(notes)
    )
    text += "def bare(s: Empty) -> int:\n    return 1\n"
    module = module_from("from __future__ import annotations\n" + text, "struct_texts", tmp_path)
    monkeypatch.setitem(sys.modules, "struct_texts", module)
    for i, note in enumerate(notes):
        with pytest.raises(InputError) as caught:
            program(getattr(module, f"t{i}"))
        assert str(caught.value) == (
            f"S{i}.b: found {note!r}; a member is int, float, Word, an array (Reals, Complexes, Ints, Words) "
            "or an array with its length, Annotated[Reals, 6]"
        )
    with pytest.raises(InputError) as caught:
        program(module.bare)
    assert str(caught.value) == "Empty: a struct is a class with annotated members, e.g. `q: Annotated[Reals, 6]`"


def constants(pairs: list[str], folder: Path) -> list[Any]:
    """What each of these expressions of known numbers is read as."""
    text = "".join(f"def t{i}(n: int) -> None:\n    y = {pair}\n\n" for i, pair in enumerate(pairs))
    module: ModuleType = module_from(HEAD + text, "constant_texts", folder)
    made = [program(getattr(module, f"t{i}"))[-1].body[0] for i in range(len(pairs))]
    return [x.value for x in made if isinstance(x, tree.Set)]


@pytest.mark.turn
def test_known_whole_numbers_are_computed_as_python_does(tmp_path: Path) -> None:
    dice, most = random.Random(3), ALL // 2
    ends = (0, 1, 2, 3, 7, -1, -2, -5, 63, most, most - 1, -most, most // 2, -most // 2, 2**32, 3**20)
    wanted: dict[str, int] = {}
    for op in ("+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>"):
        for _ in range(30):
            a, b = dice.choice(ends), dice.choice(ends)
            if (op in ("//", "%") and b == 0) or (op in ("<<", ">>") and not 0 <= b < 64):
                continue
            value = int(eval(f"({a}) {op} ({b})"))
            if -most <= value <= ALL:
                wanted[f"({a}) {op} ({b})"] = value
    wanted |= {"3 * 6148914691236517205": ALL, "-9223372036854775807": -most, "~5": -6, "-(-4)": 4, "abs(-4)": 4}
    wanted |= {"quotient(17, 5)": 3, "remainder(17, 5)": 2, "Places.SECOND + 1": 6}
    found = constants(list(wanted), tmp_path)
    kinds = ["word" if value > most else "int" for value in wanted.values()]
    assert found == [tree.Const(kind, value) for kind, value in zip(kinds, wanted.values(), strict=True)]
    assert len(wanted) > 120 and len(BINARY) == 11


def test_known_words_keep_64_bits(tmp_path: Path) -> None:
    top = ALL // 2 + 1
    wanted = {
        f"{top} + {top}": 0, f"{top} - {top + 1}": ALL, f"{top} * 3": top, f"{ALL} << 1": ALL - 1, f"{ALL} >> 63": 1,
        f"{top} | 5": top + 5, f"{ALL} % 10": ALL % 10, f"{ALL} // {top}": 1, "word(5) - word(6)": ALL,
        "word(-1)": ALL, "word(7)": 7, f"{ALL} & 12": 12, f"12 & {ALL}": 12,
    }  # fmt: skip
    assert constants(list(wanted), tmp_path) == [tree.Const("word", value) for value in wanted.values()]


def test_known_numbers_change_their_kind(tmp_path: Path) -> None:
    wanted = {
        "float(3)": ("real", 3.0), "abs(-2.5)": ("real", 2.5), "True": ("flag", True), "-True": ("int", -1),
        "float(True)": ("real", 1.0), "imag(2.5)": ("real", 0.0), "real(2)": ("real", 2.0), "abs(True)": ("int", 1),
    }  # fmt: skip
    found = constants(list(wanted), tmp_path)
    assert [(x.kind, x.value, type(x.value)) for x in found] == [(k, v, type(v)) for k, v in wanted.values()]


WHOLE = (
    "n", "m", "n + m", "n - m", "n * m", "abs(n)", "abs(n) + abs(m)", "abs(n) - 3", "n & 7", "n & m", "n | m", "n ^ m",
    "7 | n", "n >> 2", "min(n, 3)", "max(n, 0)", "max(n, m)", "min(abs(n), abs(m))", "(n if m > 0 else 2)",
    "select(m > 0, 3, n)", "select(m > 0, abs(n), 2)", "int(x)", "int(n > m)", "-5", "8", "k[0]", "k[1] & 3", "~n",
    "n // 2", "abs(n) // 2", "n % 3", "abs(n) % 3", "(n > 1) + 2", "up", "down", "both", "late", "least - 1",
    "quotient(abs(n), 2)", "remainder(abs(m), 3)", "int(word(n) & 15)", "-abs(n)",
)  # fmt: skip
DIVISORS = ("3", "-3", "1 + abs(m)", "m * 2 + 1", "7 - 20")


@pytest.mark.turn
def test_quotients_round_down_whatever_the_signs(tmp_path: Path) -> None:
    """Where a machine would round towards zero as well as where a sign is known from how a number is made."""
    rows = [(a, b) for a in WHOLE for b in DIVISORS]
    lines = [
        f"    out[{2 * i}] = ({a}) // ({b})\n    out[{2 * i + 1}] = ({a}) % ({b})" for i, (a, b) in enumerate(rows)
    ]
    text = f"{HEAD}def divided(n: int, m: int, x: float, k: Ints, out: Ints) -> None:\n"
    text += "    up = 0\n    down = 0\n    both = 4\n    late = 1\n    least = 0\n"
    text += "    for i in range(3):\n        up += i\n        down -= i\n        both = late\n        late = n\n"
    text += "\n".join(lines) + "\n"
    module = module_from(text, "divided_texts", tmp_path)
    run = compile_text(module.divided)
    for n in (-7, -3, -1, 0, 2, 5, 8):
        for m in (-4, -1, 0, 3, 6):
            k = [n - 1, m]
            plain, native = [0] * (2 * len(rows)), np.zeros(2 * len(rows), dtype=np.int64)
            module.divided(n, m, n * 0.7, k, plain)
            run(n, m, n * 0.7, np.array(k), native)
            wrong = [
                (rows[i // 2], a, b) for i, (a, b) in enumerate(zip(plain, native.tolist(), strict=True)) if a != b
            ]
            assert not wrong, (n, m, wrong[:5])


def test_the_variable_of_a_loop_downwards_may_be_negative(tmp_path: Path) -> None:
    """range(a, b, -1) ends above b: where b is -1 it stays a number that is not negative, below it does not."""
    text = "".join(
        f"def t{i}(m: int, out: Ints) -> None:\n    at = 0\n    for i in range({ends}):\n"
        "        out[at] = i // 2\n        out[at + 1] = i % 3\n        at += 2\n\n"
        for i, ends in enumerate(("3, -1, -1", "3, -4, -1", "3, -5, -2", "4, m, -1", "m, 4", "-3, 3", "5, 0, -2"))
    )
    module = module_from(HEAD + text, "downward_texts", tmp_path)
    for i in range(7):
        for m in (-3, -1, 0):
            plain, native = [0] * 32, np.zeros(32, dtype=np.int64)
            getattr(module, f"t{i}")(m, plain)
            compile_text(getattr(module, f"t{i}"))(m, native)
            assert plain == native.tolist(), (i, m)


@pytest.mark.parametrize("name", DECIDING)
def test_a_deciding_text_is_the_operation_of_the_table(name: str) -> None:
    """Of every pair of signs, infinities and NaN; plain and compiled."""
    values = (-math.inf, -2.5, -0.0, 0.0, 1.5, 2.5, math.inf, math.nan)
    text, operation = DECIDING[name], OPS[name]
    run, count = compile_text(text), text.__code__.co_argcount
    for first in values:
        for second in values if count > 1 else (0.0,):
            given = (first, second, -7.0)[:count]
            want = float(operation.value(ARRAYS, *map(np.float64, given)))
            for way in (text, run):
                np.testing.assert_equal(float(way(*given)), want)


def test_the_smaller_and_the_larger_of_equals_are_theirs() -> None:
    assert (min_of(2.0, 2.0), max_of(2.0, 2.0), min_of(1.0, 2.0), max_of(1.0, 2.0)) == (2.0, 2.0, 1.0, 2.0)
