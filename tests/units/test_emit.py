"""Emitted C and Python compile, run, test themselves, and say what they are."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import manipula
from manipula.algebra.emit.backend import emit, languages
from manipula.algebra.emit.c.spelling import language as c_language
from manipula.algebra.emit.dossier import dossier_files
from manipula.algebra.emit.ports import Namer, ascii_text, identifier
from manipula.algebra.emit.python import LANGUAGE as PYTHON
from manipula.algebra.emit.reference import states
from manipula.algebra.expr.condition import Lengths
from manipula.algebra.expr.evaluate import ARRAYS
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.node import Graph
from manipula.algebra.expr.provenance import Provenance
from manipula.algebra.tape import Line, Port, Tape, tape_from_function
from manipula.errors import UnknownNameError
from tests.emitted import array, c_function, called, module_from, needs_cc, python, self_test, shared, written
from tests.golden import planar


@pytest.fixture(scope="module")
def puma() -> Tape:
    return manipula.generate(manipula.load("puma560_symbolic"), "inverse_dynamics").tape


# what comes out runs


@needs_cc
def test_puma_inverse_dynamics_compiles_strictly_and_passes_its_self_test(puma: Tape, tmp_path: Path) -> None:
    done = self_test(emit(puma, "c", "1"), tmp_path)
    assert done.returncode == 0, done.stdout
    assert "passed, 3 states" in done.stdout


def test_puma_inverse_dynamics_in_python_passes_its_self_test(puma: Tape, tmp_path: Path) -> None:
    path, _ = written(emit(puma, "python", "1"), tmp_path)
    assert "passed, 3 states" in python(str(path))


@needs_cc
@pytest.mark.parametrize("make", [planar.torque, planar.tip, planar.lagrange])
def test_every_shape_of_function_passes_its_self_test_in_c(make: type, tmp_path: Path) -> None:
    done = self_test(emit(make(), "c", "1"), tmp_path)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("make", [planar.torque, planar.tip, planar.lagrange])
def test_every_shape_of_function_passes_its_self_test_in_python(make: type, tmp_path: Path) -> None:
    path, _ = written(emit(make(), "python", "1"), tmp_path)
    python(str(path))


@needs_cc
@pytest.mark.parametrize(("right", "wrong"), [("D30 = D22 - ", "D30 = D22 + "), ("k[4] = l1*D3", "k[4] = l2*D3")])
def test_the_self_test_catches_a_wrong_source(right: str, wrong: str, tmp_path: Path) -> None:
    files = emit(planar.torque(), "c", "1")
    assert right in files["planar_torque.c"]
    files["planar_torque.c"] = files["planar_torque.c"].replace(right, wrong)
    done = self_test(files, tmp_path)
    assert done.returncode == 1
    assert "FAILED" in done.stdout
    assert "tau entry 0" in done.stdout


@needs_cc
def test_inputs_may_be_the_memory_of_outputs(tmp_path: Path) -> None:
    tape = planar.torque()
    state = states(tape)[0]
    files = emit(tape, "c", "1")
    written(files, tmp_path)
    loaded = shared(tmp_path / "planar_torque.c")
    k, q = array([0.0] * 5), array(state.inputs["q"])
    loaded["planar_torque_prepare"](array(state.inputs["p"]), k)
    loaded["planar_torque"](q, *(array(state.inputs[name]) for name in ("qd", "qdd", "P")), k, q)
    np.testing.assert_allclose(list(q), state.outputs["tau"], rtol=1e-14)


def test_python_broadcasts_over_leading_axes(tmp_path: Path) -> None:
    tape = planar.torque()
    module = module_from(emit(tape, "python", "1")["planar_torque.py"], "planar_torque", tmp_path)
    draw = np.random.default_rng(1).uniform
    q, qd, qdd, P, p = draw(size=(4, 1, 2)), draw(size=(3, 2)), draw(size=2), draw(size=2), draw(0.5, 1, size=(3, 5))
    got = module.planar_torque(q, qd, qdd, P, p)
    assert got.shape == (4, 3, 2)
    for i, j in np.ndindex(4, 3):
        given_ = {"q": q[i, 0], "qd": qd[j], "qdd": qdd, "P": P, "p": p[j]}
        np.testing.assert_allclose(got[i, j], tape.evaluate(given_, ARRAYS)["tau"], rtol=1e-14)
    with pytest.raises(ValueError, match="needs its parameters"):
        module.planar_torque(q, qd, qdd, P)


# identical bytes


SCRIPT = """
import hashlib
from manipula.algebra.emit.backend import emit, languages
from manipula.algebra.emit.dossier import dossier_files
import manipula
from tests.golden import planar
tape = manipula.generate(manipula.load("puma560_symbolic"), "gravity").tape
texts = [emit(t, language, "1") for language in languages() for t in (tape, planar.torque(), planar.tip())]
print(hashlib.sha256(repr([*texts, dossier_files(planar.dossier())]).encode()).hexdigest())
"""


@pytest.mark.turn
def test_two_processes_write_the_same_bytes() -> None:
    root = str(Path(__file__).parents[2])
    first, second = (
        python("-c", SCRIPT, **{**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": root}) for seed in ("1", "2")
    )
    assert len(first.strip()) == 64
    assert first == second


# what the files say


@pytest.mark.parametrize("file", ["planar_torque.h", "planar_torque.c", "planar_torque.py"])
def test_the_header_says_version_cost_condition_proof_and_order(file: str) -> None:
    text = {**emit(planar.torque(), "c", "9.8.7"), **emit(planar.torque(), "python", "9.8.7")}[file]
    cost = planar.torque().cost
    wanted = ["manipula 9.8.7", f"{cost.mul} multiplications + {cost.add} additions", "4 sines and cosines", "off line"]
    wanted += ["l1*l2 != 0", "by hand", "shoulder, elbow"]
    if not file.endswith(".c"):
        wanted += ["q[2] in rad - joint positions (q1, q2)", "(l1, l2, m1, m2, g)"]
    assert [piece for piece in wanted if piece not in text] == []
    assert text.isascii()


def test_without_parameters_there_is_nothing_to_prepare() -> None:
    for text in emit(planar.tip(), "c", "1").values():
        assert "prepare" not in text
        assert "k[" not in text


def test_a_note_cannot_break_out_of_its_comment(tmp_path: Path) -> None:
    nasty = replace(planar.tip(), provenance=Provenance('x */ int y; /* ??/ """ \\ end\nline'))
    path, _ = written(emit(nasty, "python", "1"), tmp_path)
    python(str(path))
    head = emit(nasty, "c", "1")["planar_tip.h"].split("#ifndef")[0]
    assert head.count("*/") == 1
    assert head.count("/*") == 1


def test_an_unknown_language_is_named_with_what_there_is() -> None:
    known = "arduino c casadi cpp cuda fortran javascript jax latex matlab python ros2 rust simulink st"
    assert languages() == known.split()
    with pytest.raises(UnknownNameError, match="python"):
        emit(planar.tip(), "pyton", "1")


# names


AWKWARD = ("class", "double", "sin", "lambda", "θ1", "q", "k", "p", "y", "x 1", "x_1", "np", "2b", "_c", "y0", "batch")


def awkward_tape() -> Tape:
    """A sum of parameters with names no language likes; the output is called like an input."""
    count = len(AWKWARD)
    slots = tuple(range(1, 1 + count))
    lines = [Line(1 + count, "mul", (0, 1))]
    lines += [Line(count + 1 + i, "add", (count + i, 1 + i)) for i in range(1, count)]
    names = ("q1", *AWKWARD, *(f"D{i}" for i in range(count)))
    inputs = (Port("q", (1,), (0,), names=("q1",)), Port("p", (count,), slots, role="parameter", names=AWKWARD))
    outputs = (Port("q", (1,), (lines[-1].slot,)), Port("int", (), (0,)), Port("none", (2, 0), ()))
    return Tape("while", inputs, (), (), tuple(lines), outputs, names)


@needs_cc
def test_awkward_names_compile_in_c(tmp_path: Path) -> None:
    tape = awkward_tape()
    assert self_test(emit(tape, "c", "1"), tmp_path).returncode == 0
    values = {"q": [2.0], "p": [float(i) for i in range(len(AWKWARD))]}
    got = c_function(tape, emit(tape, "c", "1"), tmp_path)(values)
    assert got == {"q": [sum(values["p"])], "int": [2.0]}


def test_awkward_names_run_in_python(tmp_path: Path) -> None:
    path, _ = written(emit(awkward_tape(), "python", "1"), tmp_path)
    assert "passed" in python(str(path))


@pytest.mark.turn
@given(st.lists(st.text(), max_size=8))
def test_identifiers_are_identifiers_and_differ(wishes: list[str]) -> None:
    names = Namer({"while", "x"}).names(wishes)
    assert len(set(names)) == len(wishes)
    assert all(re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) and name not in ("while", "x") for name in names)


def test_signs_the_keyboard_lacks_are_spelled() -> None:
    assert ascii_text("d4 ≠ 0, N·m, q̇ in rad/s², João") == "d4 != 0, N*m, qd in rad/s^2, Joao"
    assert identifier("θ̈ 3") == "thetadd_3"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back_as_they_were(value: float) -> None:
    for language in (c_language("f"), PYTHON):
        text = language.number(value).text
        assert float(text) == value
        assert text.startswith("-") == (np.copysign(1, value) < 0)
        assert re.search(r"[.e]", text), "an integer literal would not be a double in C"


# conditions


def quotient() -> Tape:
    """q1 / (a − b)"""
    graph = Graph()
    q, a, b = graph.symbol("q1", online=True), graph.symbol("a"), graph.symbol("b")
    inputs = (Input("q", (q,)), Input("p", (a, b), role="parameter"))
    return tape_from_function(Function("ratio", graph, inputs, (Output("y", (), (q / (a - b),)),)))


ZERO = [{"q": [1.0], "p": [2.0, 2.0]}]


@needs_cc
def test_c_says_that_a_parameter_denominator_is_zero(tmp_path: Path) -> None:
    assert self_test(emit(quotient(), "c", "1"), tmp_path).returncode == 0
    done = self_test(emit(quotient(), "c", "1", ZERO), tmp_path)
    assert done.returncode == 1
    assert "the parameters break a condition" in done.stdout


def test_python_refuses_parameters_that_break_a_condition(tmp_path: Path) -> None:
    module = module_from(emit(quotient(), "python", "1")["ratio.py"], "ratio", tmp_path)
    assert module.ratio([1.0], [3.0, 1.0]) == 0.5
    with pytest.raises(ValueError, match=re.escape("|a - b| > 1e-6*(|a| + |b|)")):
        module.ratio([1.0], [2.0, 2.0])


def many_lengths(count: int) -> Tape:
    """q1/l1 with a condition beside the sum of many lengths."""
    graph = Graph()
    q, lengths = graph.symbol("q1", online=True), [graph.symbol(f"l{i}") for i in range(1, count + 1)]
    total = sum(lengths[1:], start=q / lengths[0])
    conditions = (Lengths(lengths).condition(lengths[0]),)
    inputs = (Input("q", (q,)), Input("p", tuple(lengths), role="parameter"))
    return tape_from_function(Function("long", graph, inputs, (Output("y", (), (total,)),), conditions=conditions))


def test_states_of_the_self_test_keep_the_conditions_of_single_precision() -> None:
    tape = many_lengths(60)
    found = states(tape)
    assert len(found) == 3
    assert all(tape.broken_condition(state.inputs, single=True) is None for state in found)
    assert tape.broken_condition({"p": [0.2] + [1.0] * 59}) is None
    assert tape.broken_condition({"p": [0.2] + [1.0] * 59}, single=True) is not None


# reference values


def test_the_samples_given_are_the_states_tested() -> None:
    sample = {"q": [0.25], "p": [3.0, 1.0]}
    (state,) = states(quotient(), [sample])
    assert (state.inputs, state.outputs) == (sample, {"y": [0.125]})


def test_a_state_without_a_finite_value_keeps_its_nan() -> None:
    root = Tape(
        "root", (Port("q", (1,), (0,), names=("q1",)),), ((1, -9.0),), (),
        (Line(2, "add", (0, 1)), Line(3, "sqrt", (2,))), (Port("y", (), (3,)),), ("q1", "D1", "D2", "D3"),
    )  # fmt: skip
    found = states(root)
    assert len(found) == 3
    assert all(np.isnan(state.outputs["y"][0]) for state in found)


# the dossier


NAMES = {"A", "COR", "CEN", "GRA", "FIN", "TIN", "FCOR", "FCEN", "FGRA", "FPER", "FGEN"}


def test_the_dossier_has_its_ten_files_and_each_says_what_it_is() -> None:
    files = dossier_files(planar.dossier())
    assert [name.split(".")[1] for name in files] == ["dh", "ine", "mgd", "ea", "mel", "mt", "mex", "sim", "din", "eac"]
    for name, text in files.items():
        assert f"{name}: " in text[:80]
        assert f"manipula {planar.VERSION}" in text
        assert text.isascii()


def test_the_dossier_uses_the_standard_names() -> None:
    files = dossier_files(planar.dossier())
    for file in ("planar.sim", "planar.din"):
        assert {name for name in NAMES if re.search(rf"^\s*{name}\[\d\](\[\d\])? = ", files[file], re.M)} == NAMES
    assert re.search(r"^D\[1\] = ", files["planar.eac"], re.M)


def test_the_auxiliary_equations_are_those_of_the_programs() -> None:
    files = dossier_files(planar.dossier())
    for alone, program in (("planar.ea", "planar.mgd"), ("planar.eac", "planar.sim")):
        equations = files[alone].split(" */\n")[1].splitlines()
        assert len(equations) > 3
        assert "\n".join(f"    {line}" for line in equations) in files[program]


@needs_cc
@pytest.mark.parametrize("extension", ["mgd", "mex", "sim"])
def test_the_programs_of_the_dossier_compute_their_tapes(extension: str, tmp_path: Path) -> None:
    dossier = planar.dossier()
    tape = {"mgd": dossier.pose, "mex": dossier.intermediate, "sim": dossier.dynamics}[extension]
    assert tape is not None
    written(dossier_files(dossier), tmp_path)
    state = states(tape)[0]
    outputs = list(tape.outputs)
    if extension == "sim":
        outputs.insert(5, Port("TIN", (2, 2), (0,)))
    arguments = [array(state.inputs[port.name]) for port in tape.inputs]
    got = called(shared(tmp_path / f"planar.{extension}"), f"planar_{extension}", arguments, outputs)
    for name, values in state.outputs.items():
        np.testing.assert_allclose(got[name], values, rtol=1e-13, atol=1e-15)
    if extension == "sim":
        couplings = np.reshape(got["A"], (2, 2)) * state.inputs["qdd"]
        np.testing.assert_allclose(np.reshape(got["TIN"], (2, 2)), couplings, rtol=1e-13)
        np.testing.assert_allclose(got["FIN"], couplings.sum(axis=1), rtol=1e-13)
