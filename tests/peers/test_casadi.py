"""Models as functions of CasADi, and as C that `casadi.external` loads: values and Jacobians are ours."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.emit.backend import emit
from manipula.algebra.tape import Line, Port, Tape
from manipula.errors import InputError, ProofError
from tests.emitted import CC, needs_cc
from tests.random_robots import random_robot

casadi = pytest.importorskip("casadi", reason="no casadi in this Python: functions of CasADi are not run")
CATALOGUE = (
    "pose", "jacobian", "jacobian_dot", "inertia_matrix", "coriolis", "coriolis_matrix", "gravity", "energy",
    "inverse_dynamics", "forward_dynamics", "regressor", "frames",
)  # fmt: skip


def stacked(value: Any) -> Any:
    """An array as CasADi has it: a column, or a matrix whose columns are the last axis."""
    array = np.asarray(value)
    return array.reshape(-1, array.shape[-1] if array.ndim > 1 else 1)


def drawn_inputs(model: mp.Model, seed: int = 0) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [rng.uniform(0.3, 1.4, len(names)) for names in model.inputs.values()]


def close(x: Any, y: Any, to: float = 1e-12) -> bool:
    x, y = np.asarray(x), np.asarray(y)
    return x.shape == y.shape and bool(np.all(abs(x - y) <= to * (1 + abs(y).max(initial=0))))


def loaded(model: mp.Model, folder: Path) -> Any:
    model.emit("casadi", folder)
    library = folder / f"{model.name}.so"
    words = [str(CC), "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    subprocess.run([*words, folder / f"{model.name}_casadi.c", "-lm", "-o", library], check=True)
    return casadi.external(model.name, str(library))


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("model", ["inverse_dynamics", "forward_dynamics"])
def test_dynamics_and_their_jacobians_are_ours(model: str, seed: int) -> None:
    robot = random_robot(seed)
    made, derived = mp.generate(robot, model), mp.generate(robot, f"{model}_derivatives").compile()
    function, x = made.casadi(), drawn_inputs(made, seed)
    assert close(function(*x), stacked(made.compile()(*x)))
    blocks = function.jacobian()(*x, np.zeros(robot.dof))
    for ours, theirs in zip(derived(*x), blocks, strict=True):
        assert close(theirs, ours)


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_smooth_model(name: str) -> None:
    made = mp.generate("puma560", name)
    function, x = made.casadi(), drawn_inputs(made)
    found = function(*x)
    ours = made.compile()(*x)
    several = len(made.outputs) > 1
    for a, b in zip(found if several else [found], ours if several else [ours], strict=True):
        assert close(a, stacked(b))
    assert function.name_in() == list(made.inputs)
    assert function.name_out() == list(made.outputs)


def test_parameters_are_inputs() -> None:
    made = mp.generate("planar2r", "inverse_dynamics", symbolic="all")
    function, x = made.casadi(), drawn_inputs(made)
    assert function.name_in()[-1] == "p"
    by_parameter = function.jacobian()(*x, np.zeros(2))[-1]
    h = 1e-6
    for i in range(len(x[-1])):
        step = h * np.eye(len(x[-1]))[i]
        difference = (function(*x[:-1], x[-1] + step) - function(*x[:-1], x[-1] - step)) / (2 * h)
        assert close(by_parameter[:, i], difference, 1e-7)


def test_casadi_expands_differentiates_and_generates_code() -> None:
    function = mp.generate("puma560", "inverse_dynamics").casadi()
    x = [casadi.MX.sym(name, 6) for name in "abc"]
    outer = casadi.Function("outer", x, [casadi.jacobian(function(*x), x[0])])
    at = [np.linspace(0.3, 0.4, 6), np.linspace(0.5, -0.6, 6), np.linspace(0.7, 0.8, 6)]
    assert close(outer(*at), function.jacobian()(*at, 0)[0])
    assert close(outer.expand()(*at), outer(*at))
    generator = casadi.CodeGenerator("outer.c")
    generator.add(outer)
    assert "CASADI_SYMBOL_EXPORT int outer(" in generator.dump()


NAN = float("nan")
POINTS = [(0.0, 0.0, 0.0), (-0.0, 1.0, 1.0), (NAN, 1.0, 1.0), (1.0, NAN, NAN), (-2.0, 0.5, 2.0), (2.0, 2.0, 0.0)]


@pytest.mark.parametrize("op", ["sign", "min", "max", "less", "select", "pow", "atan2", "abs", "floor", "sqrt", "log"])
def test_an_operation_means_the_same(op: str) -> None:
    from manipula.algebra.expr.evaluate import ARRAYS
    from manipula.algebra.run.casadi_function import SymbolMaths
    from manipula.scalar import OPS

    symbols = [casadi.SX.sym(name) for name in "xyz"][: OPS[op].arity]
    function = casadi.Function("f", symbols, [OPS[op].value(SymbolMaths(casadi), *symbols)])
    for point in POINTS:
        x = [np.float64(value) for value in point][: OPS[op].arity]
        with np.errstate(all="ignore"):
            want = float(OPS[op].value(ARRAYS, *x))
        np.testing.assert_equal(float(function(*x)) + 0.0, want + 0.0)  # the sign of a zero is nobody's promise


# C for casadi.external


@needs_cc
@pytest.mark.parametrize(
    ("robot", "model"), [("puma560", "forward_dynamics"), ("planar2r", "jacobian"), ("planar2r", "energy")]
)
def test_the_external_function_has_our_values_and_derivatives(robot: str, model: str, tmp_path: Path) -> None:
    made = mp.generate(robot, model)
    ours, external, x = made.casadi(), loaded(made, tmp_path), drawn_inputs(made)
    rest = [np.zeros(shape) for shape in (ours.size_out(i) for i in range(ours.n_out()))]
    assert external.name_in() == ours.name_in()
    assert external.name_out() == ours.name_out()
    for a, b in zip(external.call(x), ours.call(x), strict=True):
        assert close(a, b)
    for a, b in zip(external.jacobian().call([*x, *rest]), ours.jacobian().call([*x, *rest]), strict=True):
        assert close(a, b)
    seeds = [np.arange(1.0, 1 + len(v)) for v in x]
    for a, b in zip(external.forward(1).call([*x, *rest, *seeds]), ours.forward(1).call([*x, *rest, *seeds])):
        assert close(a, b)
    weights = [np.cos(np.arange(v.size)).reshape(v.shape) for v in rest]
    for a, b in zip(external.reverse(1).call([*x, *rest, *weights]), ours.reverse(1).call([*x, *rest, *weights])):
        assert close(a, b)


@needs_cc
def test_a_solver_of_casadi_uses_the_external_function(tmp_path: Path) -> None:
    """The torque whose acceleration is wanted: Newton on forward dynamics finds inverse dynamics."""
    made = mp.generate("puma560", "forward_dynamics")
    external = loaded(made, tmp_path)
    tau, wanted = casadi.MX.sym("tau", 6), np.linspace(0.4, -0.7, 6)
    q, qd = np.linspace(0.3, 0.9, 6), np.linspace(0.2, -0.1, 6)
    residual = casadi.Function("residual", [tau], [external(q, qd, tau) - wanted])
    found = casadi.rootfinder("solve", "newton", residual)(np.zeros(6))
    assert close(found, stacked(mp.generate("puma560", "inverse_dynamics").compile()(q, qd, wanted)), 1e-9)


def test_a_wrong_derivative_is_not_emitted(monkeypatch: pytest.MonkeyPatch) -> None:
    from manipula.algebra.emit.casadi import derivatives

    def turned(roots: Any, symbols: Any) -> Any:
        return [[-x for x in row] for row in right(roots, symbols)]

    right = derivatives.jacobian
    monkeypatch.setattr(derivatives, "jacobian", turned)
    with pytest.raises(ProofError, match="is not the derivative of"):
        mp.generate("planar2r", "gravity").casadi()


def test_what_has_no_derivative_is_a_sentence() -> None:
    tape = Tape("odd", (Port("q", (1,), (0,), names=("q1",)),), ((1, NAN),), (), (Line(2, "add", (0, 1)),),
                (Port("y", (1,), (2,)),), ("q1", "D1", "D2"))  # fmt: skip
    with pytest.raises(InputError, match="odd: its results contain NaN or infinity"):
        emit(tape, "casadi", "1")


def test_a_solver_with_loops_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    made = mp.generate("planar2r", "gravity")
    monkeypatch.setattr(type(made), "_has_loops", True)  # as that of a general arm with six joints
    with pytest.raises(InputError, match="planar2r_gravity is a solver with loops"):
        made.casadi()


def test_a_missing_casadi_is_named_with_its_pip_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "casadi", None)
    with pytest.raises(InputError, match=r"pip install 'manipula\[casadi\]'"):
        mp.generate("planar2r", "gravity").casadi()
