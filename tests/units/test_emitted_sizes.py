"""Arguments of a wrong size are refused by every emitted module, never answered; a pose may be a matrix or flat."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manipula.algebra.emit.backend import emit
from manipula.algebra.emit.reference import POSE
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.node import Graph
from manipula.algebra.tape import Tape, tape_from_function
from tests.emitted import module_from
from tests.golden import planar
from tests.languages import sh, written

SIZES = {"q": 2, "qd": 2, "qdd": 2, "P": 2, "p": 5}
LANGUAGES = [
    "python",
    pytest.param("jax", marks=pytest.mark.skipif(find_spec("jax") is None, reason="no jax: emitted JAX is not run")),
]


def carried() -> Tape:
    """A pose and a vector in, both out: every entry can be seen."""
    graph = Graph()
    T = tuple(graph.symbol(name, online=True) for name in POSE)
    q = tuple(graph.symbol(f"q{i}", online=True) for i in (1, 2, 3))
    outputs = (Output("A", (4, 4), tuple(x + q[0] for x in T)), Output("b", (3,), q))
    return tape_from_function(Function("carried", graph, (Input("T", T), Input("q", q)), outputs))


@cache
def imported(language: str, make: Callable[[], Tape]) -> ModuleType:
    """The emitted module, in double precision."""
    if language == "jax":
        import jax

        jax.config.update("jax_enable_x64", True)
    tape = make()
    name = tape.name + ("_jax" if language == "jax" else "")
    with TemporaryDirectory() as folder:
        return module_from(emit(tape, language, "1")[f"{name}.py"], name, Path(folder))


@pytest.mark.parametrize("language", LANGUAGES)
@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_a_wrong_last_axis_is_refused_by_name(language: str, data: st.DataObject) -> None:
    run = imported(language, planar.torque).planar_torque
    wrong = data.draw(st.sampled_from(list(SIZES)))
    rows = tuple(data.draw(st.lists(st.integers(1, 3), max_size=2)))
    size = data.draw(st.integers(0, 9).filter(lambda n: n != SIZES[wrong]))
    inputs: dict[str, Any] = {name: np.ones(n) for name, n in SIZES.items()}
    inputs[wrong] = np.ones((*rows, size))
    found = re.escape(str((*rows, size)))
    with pytest.raises(
        ValueError, match=rf"planar_torque: {wrong} needs shape \(\.\.\., {SIZES[wrong]}\), found {found}"
    ):
        run(*inputs.values())
    inputs[wrong] = 0.5
    with pytest.raises(ValueError, match=rf"{wrong} needs shape"):
        run(*inputs.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wrong_size_is_refused_where_it_is_traced_or_prepared(language: str) -> None:
    module, two, five = imported(language, planar.torque), np.ones(2), np.ones(5)
    if language == "jax":
        import jax

        many = jax.vmap(module.planar_torque, (0, None, None, None, None))
        with pytest.raises(ValueError, match="qdd needs shape"):
            jax.jit(module.planar_torque)(two, two, np.ones(1), two, five)
        with pytest.raises(ValueError, match="q needs shape"):  # a row too many is a state more, not a joint
            many(np.ones((4, 3)), two, two, two, five)
        got = many(np.ones((4, 2)), two, two, two, five)
        assert got.shape == (4, 2)
    with pytest.raises(ValueError, match="p needs shape"):
        module.planar_torque_prepare(np.ones(6))
    k = module.planar_torque_prepare(five)
    for wrong in (k[:-1], (*k, 1.0)):
        with pytest.raises(ValueError, match=f"k needs the {len(k)} entries of planar_torque_prepare"):
            module.planar_torque_prepared(two, two, two, two, wrong)


def test_a_state_of_a_wrong_size_does_not_start(tmp_path: Path) -> None:
    servo = module_from(emit(planar.servo(), "python", "1")["planar_servo.py"], "planar_servo", tmp_path)
    sizes = {port.name: len(port.slots) for port in planar.servo().inputs if port.role == "state" or not port.online}
    given_ = {name: np.ones(size) for name, size in sizes.items()}
    servo.planar_servo_init(*given_.values())
    for name, size in sizes.items():
        with pytest.raises(ValueError, match=f"{name} needs shape"):
            servo.planar_servo_init(*(given_ | {name: np.ones(size + 1)}).values())


@pytest.mark.parametrize("language", LANGUAGES)
@settings(deadline=None, max_examples=20)
@given(rows=st.lists(st.integers(1, 4), max_size=2), more=st.lists(st.sampled_from([1, 4, 16]), max_size=1))
def test_a_pose_is_a_matrix_or_flat_and_broadcasts(language: str, rows: list[int], more: list[int]) -> None:
    """Batches of 4 and of 16 too, where a matrix and its rows could be taken for one another."""
    T = np.arange(float(np.prod([*more, *rows, 16]))).reshape(*more, *rows, 4, 4)
    q = np.arange(3.0 * np.prod(rows, dtype=int)).reshape(*rows, 3)
    wanted = T + q[..., :1, None]
    for shown in (T, T.reshape(*T.shape[:-2], 16)):
        got = imported(language, carried).carried(shown, q)
        assert np.array_equal(got.A, wanted)
        assert np.array_equal(got.b, np.broadcast_to(q, (*T.shape[:-2], 3)))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("shape", [(3, 4), (4, 3), (12,), (4,), (), (4, 4, 1), (1, 16, 4), (15,)])
def test_what_is_no_pose_is_refused(language: str, shape: tuple[int, ...]) -> None:
    found = re.escape(str(shape))
    with pytest.raises(ValueError, match=rf"carried: T needs shape \(\.\.\., 4, 4\), found {found}"):
        imported(language, carried).carried(np.ones(shape), np.ones(3))


@pytest.mark.skipif(shutil.which("node") is None, reason="no node: emitted JavaScript is not run")
def test_javascript_refuses_a_wrong_length(tmp_path: Path) -> None:
    written(emit(planar.torque(), "javascript", "1"), tmp_path)
    calls = {f"planar_torque({', '.join(json.dumps([1] * (n + (name == wrong))) for name, n in SIZES.items())})": wrong
             for wrong in SIZES}  # fmt: skip
    calls["planar_torque_prepared([1, 1], [1, 1], [1, 1], [1, 1], [1])"] = "k"
    lines = [f"try {{ {call}; console.log('answered'); }} catch (e) {{ console.log(e.message); }}" for call in calls]
    source = 'import { planar_torque, planar_torque_prepared } from "./planar_torque.mjs";\n' + "\n".join(lines)
    (tmp_path / "wrong.mjs").write_text(source)
    said = sh(tmp_path, "node", "wrong.mjs").stdout.splitlines()
    assert [
        bool(re.match(rf"planar_torque: {name} needs \d+ numbers", line)) for name, line in zip(calls.values(), said)
    ] == [True] * 6


def test_matlab_asks_for_the_size_of_every_argument() -> None:
    """Octave is seldom at hand: its checks are read."""
    files = emit(planar.torque(), "matlab", "1")
    whole = files["planar_torque_prepare.m"] + files["planar_torque_prepared.m"]
    for name, size in SIZES.items():
        assert f"if ~ismatrix({name}) || size({name}, 2) ~= {size}\n" in whole
    kept = re.search(r"k = zeros\(size\(p, 1\), (\d+)\);", whole)
    assert kept is not None
    assert f"if size(k, 2) ~= {kept[1]}\n" in whole


@pytest.mark.skipif(shutil.which("octave-cli") is None, reason="no octave-cli: emitted MATLAB is not run")
def test_octave_refuses_a_wrong_number_of_columns(tmp_path: Path) -> None:
    """A third axis, too, of which only the first page would be read."""
    written(emit(planar.torque(), "matlab", "1"), tmp_path)
    wrong = {name: ["1,3", "2,4", "1,2,3"] if name != "p" else ["1,4", "1,5,2"] for name in SIZES}
    calls = [
        (name, ", ".join(f"ones({shape if name == other else f'1,{n}'})" for other, n in SIZES.items()))
        for name, shapes in wrong.items()
        for shape in shapes
    ]
    tries = [f"try; planar_torque({given}); disp('answered'); catch e; disp(e.message); end;" for _, given in calls]
    said = sh(tmp_path, "octave-cli", "--no-init-file", "--quiet", "--eval", " ".join(tries)).stdout.splitlines()
    assert [line.partition(" needs ")[0] for line in said] == [f"planar_torque: {name}" for name, _ in calls]
