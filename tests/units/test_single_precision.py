"""What counts as nothing follows the precision: inverse kinematics in float finds what it finds in double."""

from __future__ import annotations

import ctypes
import pickle
import re
import subprocess
from copy import copy, deepcopy
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula
from manipula.algebra.emit.backend import emit
from manipula.algebra.expr.evaluate import ARRAYS
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Graph
from manipula.algebra.tape import tape_from_function
from manipula.scalar import Tolerance
from tests.emitted import CC, needs_cc, written
from tests.random_expressions import function_of, graph_symbols

NEAR = 0.01  # rad or m
STRETCHED = [0.1, 0.5, -1.5237, 0.1, 0.2, 0.3]


def arms(*names: str, slow: tuple[str, ...]) -> list[Any]:
    return [*names, *(pytest.param(name, marks=pytest.mark.slow) for name in slow)]


def states(name: str, count: int, seed: int = 1) -> np.ndarray[Any, Any]:
    """Configurations away from singularities and from the ends of what the arm reaches."""
    robot = manipula.load(name)
    rng = np.random.default_rng(seed)
    q = rng.uniform(-3.1, 3.1, size=(count, robot.dof))
    slides = [joint.kind == "prismatic" for joint in robot.joints if joint.kind != "fixed"]
    q[:, slides] = rng.uniform(0.2, 0.8, size=(count, sum(slides)))
    J = manipula.generate(robot, "jacobian").compile()(q)
    apart = np.linalg.svd(J, compute_uv=False)[:, -1] > 0.02
    assert apart.mean() > 0.5
    return q[apart]


def poses(name: str, q: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return manipula.generate(name, "pose").compile()(q).reshape(-1, 16)  # type: ignore[no-any-return]


def missed(name: str, q: np.ndarray[Any, Any], found: Any, valid: Any) -> int:
    """How many configurations are not among the valid answers."""
    kinds = [joint.kind for joint in manipula.load(name).joints if joint.kind != "fixed"]
    off = np.abs(found.astype(float) - q[:, None, :])
    turns = [kind == "revolute" for kind in kinds]
    off[..., turns] = np.abs((off[..., turns] + np.pi) % (2 * np.pi) - np.pi)
    return int((~((off.max(axis=-1) < NEAR) & (valid != 0)).any(axis=1)).sum())


@pytest.mark.turn
@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", arms("puma560", "cobra600", slow=("kr5", "lrmate200id", "ur5", "stanford", "irb140")))
def test_compiled_inverse_kinematics_finds_every_configuration_in_float32(name: str) -> None:
    q = states(name, 4000)
    T = poses(name, q)
    solve = manipula.generate(name, "inverse_kinematics")
    double, single = (solve.compile(dtype=dtype)(T.astype(dtype)) for dtype in ("float64", "float32"))
    assert missed(name, q, double.q, double.valid) == 0
    assert missed(name, q, single.q, single.valid) == 0
    assert (single.valid != double.valid).mean() < 1e-3  # poses at the very end of an arm's reach may go either way


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_stretched_arm_has_its_eight_answers(dtype: str) -> None:
    T = poses("puma560", np.array([STRETCHED])).astype(dtype)
    found = manipula.generate("puma560", "inverse_kinematics").compile(dtype=dtype)(T)
    assert found.valid.sum() == 8
    again = poses("puma560", found.q[0].astype(float))
    np.testing.assert_allclose(again, np.broadcast_to(T, (8, 16)), atol=1e-7 if dtype == "float64" else 2e-3)


def c_solver(name: str, folder: Path) -> Any:
    """The batch function of emitted C in single precision."""
    model = f"{name}_inverse_kinematics"
    written(emit(manipula.generate(name, "inverse_kinematics").tape, "c", "1"), folder)
    library = folder / f"{model}.so"
    words = [str(CC), "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-DMANIPULA_FLOAT", "-shared", "-fPIC"]
    subprocess.run([*words, str(folder / f"{model}.c"), "-o", str(library), "-lm"], check=True)
    return ctypes.CDLL(str(library))[f"{model}_batch_f32"]


@pytest.mark.turn
@pytest.mark.drawn("name")
@needs_cc
@pytest.mark.parametrize("name", arms("puma560", "cobra600", slow=("ur5", "kr6")))
def test_emitted_c_finds_every_configuration_in_float(name: str, tmp_path: Path) -> None:
    q = states(name, 3000, seed=2)
    if name == "puma560":
        q = np.vstack([q, STRETCHED])
    n, solve = len(q), c_solver(name, tmp_path)
    outputs = manipula.generate(name, "inverse_kinematics").outputs
    T = np.ascontiguousarray(poses(name, q).astype(np.float32).T)
    found = {key: np.empty((int(np.prod(shape)), n), dtype=np.float32) for key, shape in outputs.items()}
    solve(ctypes.c_size_t(n), *(ctypes.c_void_p(x.ctypes.data) for x in (T, *found.values())))
    answers = found["q"].T.reshape(n, *outputs["q"])
    if name == "puma560":
        assert found["valid"].T[-1].sum() == 8
        q, answers, found["valid"] = q[:-1], answers[:-1], found["valid"][:, :-1]
    assert missed(name, q, answers, found["valid"].T) == 0


@pytest.mark.parametrize("name", ["puma560", "cobra600", "iiwa14"])
def test_no_number_vanishes_in_single_precision(name: str) -> None:
    """Every number of emitted C that float cannot hold is the first of a pair."""
    text = emit(manipula.generate(name, "inverse_kinematics").tape, "c", "1")[f"{name}_inverse_kinematics.c"]
    assert re.search(r"TOLERANCE\(-1e-12, -1e-05\)", text)
    plain = [abs(float(x)) for x in re.findall(r"\bR\((-?[\d.]+(?:e[+-]?\d+)?)\)", text)]
    assert plain
    assert min(x for x in plain if x) > 1e-30


def test_a_tolerance_is_not_the_constant_of_its_value() -> None:
    graph = Graph()
    s, maths = graph_symbols(graph), ExprMaths(graph)
    limit = maths.number(Tolerance("1/8", "1/2"))
    assert limit is not maths.number(Tolerance("1/8", "1/4"))
    assert limit is maths.number(Tolerance("1/8", "1/2"))
    tape = tape_from_function(function_of(graph, maths.less(s["x"], limit * 2) + maths.number(limit.data * 1)))
    assert sorted(value for _, value in tape.constants) == [0.125, 0.25]
    assert [value for _, value in tape.single] == [1.0]
    given = {"x": [0.5, 0.0, 0.0], "p": [1.0, 1.0]}
    assert tape.evaluate(given, ARRAYS)["u"] == [0.125]


def test_copies_of_a_tolerance_are_the_same_pair() -> None:
    limit = Tolerance("-1e-12", "-1e-5")
    for again in (copy(limit), deepcopy(limit), pickle.loads(pickle.dumps(limit)), deepcopy([limit])[0]):
        assert (again, again.single) == (Fraction(-1, 10**12), Fraction(-1, 10**5))
    assert float(limit) == -1e-12


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_callables_choose_by_their_precision(backend: str) -> None:
    graph = Graph()
    s, maths = graph_symbols(graph), ExprMaths(graph)
    model = manipula.Model(function_of(graph, maths.less(s["x"], maths.number(Tolerance("1e-12", "1e-5"))) + s["y"]))
    for dtype, wanted in (("float64", 0), ("float32", 1)):
        assert model.compile(backend, dtype)([1e-8, 0.0, 0.0], p=[1, 1]) == wanted


CHOOSING = {
    "c": "TOLERANCE(1e-12, 1e-05)", "cpp": "tolerance<Real>(1e-12, 1e-05)", "cuda": "_tolerance<Real>(1e-12, 1e-05)",
    "rust": "M::tolerance(1e-12, 1e-05)", "jax": "(1e-12 if precise else 1e-05)",
}  # fmt: skip


@pytest.mark.parametrize(("language", "text"), CHOOSING.items())
def test_emitted_code_chooses_by_its_precision(language: str, text: str) -> None:
    graph = Graph()
    s, maths = graph_symbols(graph), ExprMaths(graph)
    root = maths.less(s["x"], maths.number(Tolerance("1e-12", "1e-5")))
    files = emit(tape_from_function(function_of(graph, root)), language, "1")
    assert any(text in source for source in files.values())
