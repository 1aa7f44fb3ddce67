"""Arms of choices behind a branch: the same bits as without, whoever stands beside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from manipula.algebra.expr.evaluate import ARRAYS
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.llvm import order
from manipula.algebra.llvm.order import LEAST, seldom_wanted
from manipula.algebra.run.compiled_function import compile_tape
from manipula.algebra.tape import Tape, tape_from_function

ROWS = 37


def choosing(
    seed: int, read_elsewhere: bool = False, sine: bool = False, twice: bool = False, around: bool = False
) -> Function:
    """y = x₁ < x₂ ? much : little, and what follows from it; `much` reads what others read, too."""
    dice, graph = np.random.default_rng(seed), Graph()
    maths, x = ExprMaths(graph), [graph.symbol(f"x{i}", online=True) for i in range(4)]
    common = x[2] * x[3] + x[0]
    much: list[Expr] = [common, x[1] * common]
    for _ in range(2 * LEAST):
        a, b = (much[i] for i in dice.integers(max(0, len(much) - 6), len(much), 2))
        much.append(
            a * int(dice.integers(2, 9)) / 16 + b if dice.random() < 0.5 else b - a * x[int(dice.integers(4))] / 8
        )
    last = maths.sin(much[-1]) if sine else much[-1]
    wanted = maths.less(x[0], x[1])
    chosen = [maths.select(wanted, last, x[2]), maths.select(wanted, much[-2], 0)]
    if twice:
        chosen[1] = maths.select(wanted, chosen[0] * much[-2], x[3])
    if around:  # by way of something that others read, too
        made = chosen[0] + x[2]
        chosen[1] = maths.select(wanted, made * much[-2], made)
    after = [chosen[0] * x[3] + chosen[1], common + chosen[1], *([much[-1]] if read_elsewhere else [])]
    outputs = (Output("y", (2,), tuple(chosen), "", ""), Output("z", (len(after),), tuple(after), "", ""))
    return Function("choosing", graph, (Input("x", tuple(x), "", "", "variable"),), outputs)


def part_of(tape: Tape) -> order.Seldom | None:
    return seldom_wanted(tape.online, {slot for port in tape.outputs for slot in port.slots})


def rows(seed: int, share: float) -> Any:
    """A part of the rows want it; some are NaN."""
    x = np.random.default_rng(seed).uniform(-1, 1, (ROWS, 4))
    x[:, 1] = x[:, 0] + np.where(np.random.default_rng(seed + 1).random(ROWS) < share, 0.5, -0.5)
    x[5, 0] = x[9, 1] = x[11, 2] = np.nan
    return x


@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_a_row_has_the_same_bits_whoever_stands_beside(seed: int, share: float) -> None:
    function = choosing(seed)
    tape, x = tape_from_function(function), rows(seed, share)
    part = part_of(tape)
    assert part is not None and len(part.lines) >= LEAST and len(part.choices) == 2
    for dtype in ("float64", "float32"):
        f = compile_tape(tape, dtype=dtype)
        given = x.astype(dtype)
        many = f(given)
        for row in range(ROWS):
            one = f(given[row])
            assert all(a[row].tobytes() == b.tobytes() for a, b in zip(many, one))
    true = tape.evaluate({"x": list(x.T)}, ARRAYS)
    for found, port in zip(compile_tape(tape)(x), tape.outputs):
        expected = np.broadcast_to(np.array([np.broadcast_to(y, ROWS) for y in true[port.name]]).T, found.shape)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


def test_the_branch_changes_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    tape, x = tape_from_function(choosing(7)), rows(7, 0.2)
    behind = compile_tape(tape)(x)
    monkeypatch.setenv("MANIPULA_CACHE", "off")
    monkeypatch.setattr(order, "LEAST", 10**9)
    assert part_of(tape) is None
    for a, b in zip(behind, compile_tape(tape)(x)):
        assert a.tobytes() == b.tobytes()


def test_what_is_read_elsewhere_or_waits_for_itself_stays_where_it_is() -> None:
    for wrong in ({"read_elsewhere": True}, {"sine": True}, {"twice": True}, {"around": True}):
        tape = tape_from_function(choosing(3, **wrong))
        part = part_of(tape)
        if part is not None:  # a smaller arm may still be one
            arm = {line.slot for line in part.lines}
            readers = [line for line in tape.online if not arm.isdisjoint(line.args) and line.slot not in arm]
            assert {line.slot for line in readers} <= {line.slot for line in part.choices}
        x = rows(3, 0.3)
        f = compile_tape(tape)
        many = f(x)
        plain = compile_tape(tape, "numpy")(x)
        assert all(np.allclose(a, b, rtol=1e-9, atol=1e-9, equal_nan=True) for a, b in zip(many, plain, strict=True))
        assert all(many[0][row].tobytes() == f(x[row])[0].tobytes() for row in range(ROWS))
