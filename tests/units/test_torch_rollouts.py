"""Rollouts in PyTorch: values, gradients through time, noise, transforms, errors."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.emit.backend import emit
from manipula.algebra.run.compiled_function import compile_tape
from manipula.algebra.run.repeated import complete_options
from manipula.algebra.tape import tape_from_function
from manipula.errors import InputError
from manipula.generation.reverse_product import GradientRequest, step_back
from tests.languages import CXX, SHIM, host_text, sh
from tests.units.test_cuda_rollouts import main

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install manipula[torch]")
GAINS = {"kp": 100.0, "kd": 20.0}


def arm_with_a_load() -> Any:
    return mp.load("planar2r").with_parameters(l1=1, l2=0.8, m1=3, m2=2, g=9.81).with_payload("mL", ("rL", 0, 0))


@pytest.fixture(scope="module")
def loop() -> Any:
    law = mp.controller(arm_with_a_load(), "computed_torque", sample=1e-2, **GAINS)
    return mp.closed_loop(arm_with_a_load(), law, method="euler")


@pytest.fixture(scope="module")
def remembering() -> Any:
    law = mp.controller(arm_with_a_load(), "pid", sample=1e-2, kp=100, ki=50, kd=20, limit=400, tracking=5, filter=2e-2)
    return mp.closed_loop(arm_with_a_load(), law, method="euler", sensors=mp.Sensors(noise={"q": 1e-3}, delay=1))


def draw(*shape: int, seed: int = 1, **how: Any) -> Any:
    return torch.rand(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64, **how)


def flat(went: Any) -> tuple[Any, ...]:
    out = went.outputs if isinstance(went.outputs, tuple) else (went.outputs,)
    return (*went.state, *went.states, *out)


LOAD = {"mL": 1.5, "rL": 0.1}


@pytest.mark.parametrize("every", [0, 1, 3])
@pytest.mark.parametrize(("chunk", "slopes"), [(None, True), (None, False), (1, True), (4, False)])
def test_values_are_those_of_run(remembering: Any, every: int, chunk: int | None, slopes: bool) -> None:
    f, q = remembering.torch(), draw(5, 2)
    ref, still = draw(7, 2, seed=2), torch.zeros(2, dtype=torch.float64)
    how: dict[str, Any] = {"p": LOAD, "every": every, "along": ["q_ref"], "seed": 3, "first": 11}
    names = [port.name for port in remembering.function.inputs if port.role == "variable"]
    given = [ref if name == "q_ref" else still for name in names]
    with torch.set_grad_enabled(slopes):
        went = f(f.start(q=q), 7, *given, chunk=chunk, **how)
    true = remembering.run(remembering.start(q=q.numpy()), 7, *(x.numpy() for x in given), **how)
    assert went.steps == true.steps and went.state._fields == true.state._fields
    for a, b in zip(flat(went), flat(true), strict=True):
        assert np.array_equal(a.numpy(), b)


def test_gradients_through_time(loop: Any) -> None:
    f = loop.torch()
    q, qd = draw(2, 2).requires_grad_(), draw(2, seed=2).requires_grad_()
    ref, mass = draw(5, 2, seed=3).requires_grad_(), draw(2, seed=4).requires_grad_()
    kp, kd = torch.full((2,), 90.0).double().requires_grad_(), torch.tensor(20.0).double().requires_grad_()
    still = torch.zeros(2, dtype=torch.float64, requires_grad=True)

    def course(q: Any, qd: Any, ref: Any, still: Any, kp: Any, kd: Any, mass: Any) -> tuple[Any, ...]:
        p = {"kp": kp, "kd": kd, "mL": mass, "rL": 0.1}
        return flat(f(f.start(q=q, qd=qd), 5, ref, still, still, p=p, along="q_ref", every=2, chunk=2))

    assert torch.autograd.gradcheck(course, (q, qd, ref, still, kp, kd, mass), fast_mode=True)


def test_gradients_with_memory_noise_and_delay(remembering: Any) -> None:
    """The same noise is drawn again; every state has its adjoint."""
    f, names = remembering.torch(), [x.name for x in remembering.function.inputs if x.role == "state"]
    start = f.start(q=draw(2, 2))
    states = [(x + draw(*x.shape, seed=i) / 10).requires_grad_() for i, x in enumerate(start)]
    ki = torch.tensor([50.0, 40.0], dtype=torch.float64, requires_grad=True)
    zero = torch.zeros(2, dtype=torch.float64)
    inputs = [zero for port in remembering.function.inputs if port.role == "variable"]

    def course(ki: Any, *states: Any) -> tuple[Any, ...]:
        went = f(dict(zip(names, states, strict=True)), 4, *inputs, p={"ki": ki, **LOAD}, seed=5, chunk=3)
        return tuple(x.sum() for x in went.state)

    assert torch.autograd.gradcheck(course, (ki, *states), fast_mode=True)


def test_the_chunk_changes_nothing_but_memory(loop: Any) -> None:
    f, still, slopes = loop.torch(), torch.zeros(2, dtype=torch.float64), []
    for chunk in (1, 2, 5, 20, None):
        kp = torch.full((2,), 80.0, dtype=torch.float64, requires_grad=True)
        went = f(f.start(q=draw(3, 2)), 20, still, still, still, p={"kp": kp, **LOAD}, every=5, chunk=chunk)
        (went.outputs.square().sum() + went.state.q.sum()).backward()
        slopes.append(kp.grad)
    assert all(torch.allclose(x, slopes[0], rtol=1e-12) for x in slopes)


def test_a_gain_found_through_time_is_the_true_one(loop: Any) -> None:
    """The error at the end is least where the gradient by finite differences changes its sign, too."""
    f, still, q = loop.torch(), torch.zeros(2, dtype=torch.float64), draw(4, 2)

    def loss(kd: Any) -> Any:
        return f(f.start(q=q), 60, still, still, still, p={"kd": kd, **LOAD}, every=0).state.q.square().sum()

    kd = torch.tensor(20.0, dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(loss(kd), kd)
    with torch.no_grad():
        step = (loss(kd + 1e-3) - loss(kd - 1e-3)) / 2e-3
    assert torch.allclose(slope, step, rtol=1e-6)


def test_transforms_of_torch_func(loop: Any) -> None:
    f, still, q = loop.torch(), torch.zeros(2, dtype=torch.float64), draw(4, 2)

    def final(q: Any, kp: Any) -> Any:
        return f(f.start(q=q), 6, still, still, still, p={"kp": kp, **LOAD}, every=0).state.q

    kp = draw(4, 2, seed=2) * 50
    rows = torch.stack([final(x, y) for x, y in zip(q, kp, strict=True)])
    assert torch.equal(torch.func.vmap(final)(q, kp), rows)
    whole = torch.func.vmap(torch.func.jacrev(final, 1))(q, kp)
    one = torch.stack([torch.autograd.functional.jacobian(lambda k, x=x: final(x, k), y) for x, y in zip(q, kp)])
    assert torch.allclose(whole, one, rtol=1e-12)


def test_single_precision_no_rows_and_no_steps(loop: Any) -> None:
    f, still = loop.torch(), torch.zeros(2)
    q = torch.rand(3, 2, requires_grad=True)
    went = f(f.start(q=q), 4, still, still, still, p=LOAD)
    assert went.state.q.dtype == torch.float32
    assert torch.autograd.grad(went.outputs.sum(), q)[0].dtype == torch.float32
    none = f(f.start(q=torch.zeros(0, 2, requires_grad=True)), 4, still, still, still, p=LOAD)
    assert none.states.q.shape == (0, 4, 2)
    ended = f(f.start(q=q), 0, still, still, still, p=LOAD)
    assert torch.equal(ended.state.q, q)
    assert torch.equal(torch.autograd.grad(ended.state.q.sum(), q)[0], torch.ones(3, 2))


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"p": {"kq": torch.zeros(2).double()}}, "kq"),
        ({"p": {"kp": torch.zeros(3).double()}}, "kp: expected a number or shape"),
        ({"p": {"kp": torch.zeros(2)}}, "kp1: expected dtype float64, found float32"),
        ({"every": -1}, "every: expected a whole number"),
        ({"chunk": 0}, "chunk: expected a whole number"),
        ({"along": "q_wanted"}, "q_wanted"),
        ({"along": "q_ref"}, "q_ref: expected shape"),
        ({"p": {"kp": torch.zeros(7, 2).double()}}, "do not broadcast"),
    ],
)
def test_wrong_requests_are_named(loop: Any, how: dict[str, Any], sentence: str) -> None:
    f, still = loop.torch(), torch.zeros(2, dtype=torch.float64)
    with pytest.raises(InputError, match=sentence):
        f(f.start(q=draw(3, 2)), 4, still, still, still, **{"p": LOAD, **how})


@pytest.mark.parametrize("count", [0, 2, 4])
def test_a_wrong_number_of_inputs_is_told_with_their_names(loop: Any, count: int) -> None:
    f, still = loop.torch(), torch.zeros(2, dtype=torch.float64)
    told = rf"a step takes 3 inputs \(q_ref, qd_ref, qdd_ref\), found {count}"
    with pytest.raises(InputError, match=told):
        f(f.start(q=draw(3, 2)), 4, *[still] * count, p=LOAD)


def test_wrong_starts_are_named(loop: Any) -> None:
    f = loop.torch()
    for states, sentence in (({"q": draw(3)}, "q: expected shape"), ({"x": draw(2)}, "x"), ({"q": [0, 0]}, "list")):
        with pytest.raises(InputError, match=sentence):
            f.start(**states)


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")  # PyTorch's own, on first use
@pytest.mark.parametrize("transform", [torch.func.jvp, torch.func.linearize])
def test_what_would_go_forward_is_refused(loop: Any, transform: Any) -> None:
    f, still, gains = loop.torch(), torch.zeros(2, dtype=torch.float64), torch.tensor([100.0, 90.0]).double()
    start = f.start(q=draw(2))

    def cost(gains: Any) -> Any:
        return f(start, 3, still, still, still, p={**LOAD, "kp": gains}).state.q.sum()

    given = (cost, gains) if transform is torch.func.linearize else (cost, (gains,), (gains,))
    with pytest.raises(InputError, match="carried backward only"):
        transform(*given)


def test_copies_and_what_is_unpickled_make_the_same_steps(loop: Any) -> None:
    f, still = loop.torch(), torch.zeros(2, dtype=torch.float64)
    start = f.start(q=draw(3, 2))
    for g in (copy.deepcopy(f), pickle.loads(pickle.dumps(f))):
        assert torch.equal(
            g(start, 4, still, still, still, p=LOAD).state.q, f(start, 4, still, still, still, p=LOAD).state.q
        )


def test_a_setting_that_is_unknown_is_answered_with_each_name_once(loop: Any) -> None:
    f, still = loop.torch(), torch.zeros(2, dtype=torch.float64)
    with pytest.raises(InputError, match="is called 'kq'") as refusal:
        f(f.start(q=draw(2)), 3, still, still, still, p={**LOAD, "kq": 1.0})
    names = str(refusal.value).partition("Known: ")[2].rstrip(".").split(", ")
    assert "sample" in names and len(names) == len(set(names))


def test_second_derivatives_are_refused(loop: Any) -> None:
    f, still, q = loop.torch(), torch.zeros(2, dtype=torch.float64), draw(2).requires_grad_()
    went = f(f.start(q=q), 3, still, still, still, p=LOAD)
    (slope,) = torch.autograd.grad(went.state.q.sum(), q, create_graph=True)
    with pytest.raises(InputError, match="higher order than 1"):
        slope.sum().backward()


def test_a_step_back_is_proved(remembering: Any) -> None:
    made = step_back(remembering.function, GradientRequest(("kp1", "mL"), ("q_ref",), ("tau",), True))
    assert "identical" in made.function.provenance.proof


@pytest.mark.slow
@pytest.mark.skipif(CXX is None, reason="no C++ compiler")
def test_a_step_back_as_cuda_text_goes_the_way_of_the_processor(remembering: Any, tmp_path: Path) -> None:
    """The text of the device, compiled for the host, thread after thread."""
    made = step_back(remembering.function, GradientRequest(("kp1", "mL"), ("q_ref",), ("tau",), True))
    tape, dice = tape_from_function(made.function), np.random.default_rng(0)
    code, rows, steps = compile_tape(tape), 67, 7
    state = code.start(**{port.name: dice.uniform(-1, 1, (rows, port.shape[0])) for port in code.memory.states})
    given = [dice.uniform(-1, 1, (rows, steps, port.shape[0])) for port in code.memory.driven]
    p = dict.fromkeys(code.parameters, 1.0) | remembering._set
    how = complete_options({"p": p, "every": 3, "along": [port.name for port in code.memory.driven]})
    want = code.run(state, steps, *given, **how)
    for name, text in emit(tape, "cuda", "1").items():
        (tmp_path / name).write_text(host_text(text))
    width = sum(x.shape[-1] for x in (*want.states, want.outputs))
    (tmp_path / "shim.hpp").write_text(SHIM)
    (tmp_path / "main.cu").write_text(main(tape.name, code.task(state, steps, given, 1, how), width, False))
    words = ("-std=c++17", "-pthread", "-ffp-contract=off", "-include", "shim.hpp", "-x", "c++", "main.cu")
    compiled = sh(tmp_path, str(CXX), *words, "-o", "main")
    assert compiled.returncode == 0, compiled.stderr
    printed = [float.fromhex(x) for x in sh(tmp_path, tmp_path / "main").stdout.split()]
    true = np.concatenate(want.state, axis=-1)
    found = np.array(printed[: true.size]).reshape(-1, rows).T
    np.testing.assert_allclose(found, true, rtol=1e-12, atol=1e-12 * np.abs(true).max())
