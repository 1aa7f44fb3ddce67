"""Models as JAX functions: values, gradients, transforms, errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import InputError

jax = pytest.importorskip("jax", reason="JAX is not installed: pip install manipula[jax]")


@pytest.fixture(autouse=True)
def double() -> Iterator[None]:
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


def states(count: int) -> list[Any]:
    return list(np.random.default_rng(3).uniform(-1, 1, (count, 4, 6)))


@pytest.mark.parametrize(
    ("model", "count"), [("pose", 1), ("gravity", 1), ("inverse_dynamics", 3), ("forward_dynamics", 3)]
)
def test_gradients(model: str, count: int) -> None:
    from jax.test_util import check_grads

    f = mp.Arm(mp.load("puma560").without("friction")).jax(model)
    check_grads(f, [x[0] for x in states(count)], order=1, modes=["rev"], rtol=1e-4)


def test_values_under_jit_and_vmap() -> None:
    arm, x = mp.Arm("puma560"), states(3)
    f, expected = arm.jax("inverse_dynamics"), arm.inverse_dynamics(*x)
    for found in (f(*x), jax.jit(f)(*x), jax.vmap(f)(*x), jax.jit(jax.vmap(f, (0, None, 0)))(x[0], x[1], x[2])[:, 0]):
        assert found.dtype == np.float64
    assert np.allclose(f(*x), expected, atol=1e-12) and np.allclose(jax.jit(jax.vmap(f))(*x), expected, atol=1e-12)
    mapped = jax.vmap(f, (0, None, 0))(x[0], x[1][0], x[2])
    assert np.allclose(mapped, arm.inverse_dynamics(x[0], x[1][0], x[2]), atol=1e-12)


def test_broadcast_inputs_gather_gradients() -> None:
    f, (q, qd, qdd) = mp.Arm("puma560").jax("inverse_dynamics"), states(3)
    few = jax.grad(lambda v: f(q, v, qdd).sum())(qd[0])
    rows = jax.grad(lambda v: f(q, v, qdd).sum())(np.broadcast_to(qd[0], (4, 6)))
    assert np.allclose(few, rows.sum(0))


def test_parameters_of_each_row() -> None:
    f, x = mp.Arm("puma560").jax("inverse_dynamics", parameters=["m3"]), states(3)
    masses = np.array([[1.0], [2.0], [3.0], [4.0]])
    dm = jax.grad(lambda p: f(*x, p).sum())(masses)
    slope = (f(*x, masses + 1) - f(*x, masses)).sum(-1)
    assert np.allclose(dm[:, 0], slope)  # torques are linear in a mass


def test_the_emitted_text_of_other_devices_agrees() -> None:
    from manipula.learning.kernels import differentiable
    from manipula.learning.xla import _text

    own, x = differentiable(mp.generate("puma560", "inverse_dynamics")), states(3)
    weights = states(4)[3]
    assert np.allclose(_text(own)(*x)[0], own.compiled("float64")(*x), atol=1e-12)
    for a, b in zip(_text(own.product)(*x, weights), own.product.compiled("float64")(*x, weights), strict=True):
        assert np.allclose(a, b, atol=1e-11)


def test_wrong_shapes_are_named() -> None:
    f = mp.Arm("puma560").jax("gravity")
    with pytest.raises(InputError, match="q: expected shape"):
        f(np.zeros(5))
    with pytest.raises(InputError, match="expected 1 inputs"):
        f()
