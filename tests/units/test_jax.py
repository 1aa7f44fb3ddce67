"""Models as JAX functions: values, gradients, transforms, errors."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.run.xla_call import SHARE
from manipula.errors import InputError
from manipula.learning import xla
from tests.random_robots import random_robot

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
    check_grads(f, [x[0] for x in states(count)], order=1, modes=["fwd", "rev"], rtol=1e-4)


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


# the way of the call: machine code, or the emitted text where XLA cannot call it


def targets(f: Any, *x: Any) -> set[str]:
    """What XLA calls."""
    text = jax.jit(f).lower(*x).as_text()
    return {part.partition("(")[0] for part in text.split("custom_call @")[1:]}


@pytest.fixture
def no_interface(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xla, "_layout", lambda: None)


def drawn_arm(seed: int, kinds: str) -> mp.Robot:
    robot = mp.Robot.of(random_robot(seed, joints=kinds))
    rng = np.random.default_rng(seed)
    return robot.with_parameters(
        **{name: float(rng.uniform(0.3, 0.9)) for name, value in robot.parameters.items() if value is None}
    )


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("seed", "kinds"), [(1, "R"), (2, "P"), (3, "FRP"), (4, "HR"), (5, "PRFR")])
def test_bits_are_those_of_the_compiled_function(seed: int, kinds: str, dtype: str) -> None:
    arm = mp.Arm(drawn_arm(seed, kinds))
    rng = np.random.default_rng(seed)
    # matrices, several results, one vector
    for model, count in (("pose", 1), ("inverse_dynamics_derivatives" if kinds == "R" else "inverse_dynamics", 3)):
        f, code = arm.jax(model), mp.generate(arm.robot, model).compile(dtype=dtype)
        for lead in ((), (1,), (0,), (3,), (2, 5)):
            x = list(rng.uniform(-1, 1, (count, *lead, arm.dof)).astype(dtype))
            found, expected = f(*x), code(*x)
            pairs = [(found, expected)] if len(f.outputs) == 1 else list(zip(found, expected, strict=True))
            for a, b in pairs:
                assert a.dtype == dtype and a.shape == b.shape and np.array_equal(a, b, equal_nan=True)
        assert all(name.startswith("manipula_") for name in targets(f, *x)) and targets(f, *x)


def test_long_tables_are_shared_out_with_equal_bits() -> None:
    arm = mp.Arm("puma560")
    f = arm.jax("inverse_dynamics")
    for rows in (2 * SHARE - 1, 2 * SHARE, 7 * SHARE + 3):
        x = np.random.default_rng(rows).uniform(-1, 1, (3, rows, 6))
        assert np.array_equal(f(*x), arm.inverse_dynamics(*x))
        assert np.array_equal(f(x[0], x[1][0], x[2]), arm.inverse_dynamics(x[0], x[1][0], x[2]))
    # from several threads at once: each call waits for its own shares only
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: np.asarray(f(*x)), range(12)))
    assert all(np.array_equal(y, arm.inverse_dynamics(*x)) for y in found)


def test_axes_broadcast_as_in_numpy_under_nested_maps() -> None:
    arm = mp.Arm("puma560")
    f, rng = arm.jax("inverse_dynamics"), np.random.default_rng(4)
    q, qd, qdd = rng.uniform(-1, 1, (4, 1, 6)), rng.uniform(-1, 1, (5, 6)), rng.uniform(-1, 1, 6)
    assert np.array_equal(f(q, qd, qdd), arm.inverse_dynamics(q, qd, qdd))
    pairs = jax.vmap(jax.vmap(f, (None, 0, None)), (0, None, None))(q[:, 0], qd, qdd)
    assert np.array_equal(pairs, arm.inverse_dynamics(q, qd, qdd))
    last = jax.jit(jax.vmap(f, in_axes=(2, None, None), out_axes=1))(rng.uniform(-1, 1, (5, 6, 3)), qd, qdd)
    assert last.shape == (5, 3, 6)
    rows = rng.uniform(-1, 1, (7, 6))
    jacobians = jax.vmap(jax.jacrev(f))(rows, rows, rows)
    assert np.allclose(jacobians, arm.inverse_dynamics_derivatives(rows, rows, rows).dq, atol=1e-10)


def test_inside_loops_and_rematerialised() -> None:
    arm = mp.Arm("puma560")
    f, x = arm.jax("forward_dynamics"), [y[0] for y in states(3)]
    q, qd, tau = x

    def roll(q: Any, qd: Any) -> Any:
        def step(state: Any, _: Any) -> Any:
            q, qd = state
            qd = qd + 1e-3 * f(q, qd, tau)
            return (q + 1e-3 * qd, qd), None

        return jax.lax.scan(jax.checkpoint(step), (q, qd), None, length=5)[0][0].sum()

    for _ in range(5):
        qd = qd + 1e-3 * arm.forward_dynamics(q, qd, tau)
        q = q + 1e-3 * qd
    assert np.allclose(jax.jit(roll)(*x[:2]), q.sum(), atol=1e-12)
    step = np.eye(6)[2] * 1e-6
    difference = (roll(x[0] + step, x[1]) - roll(x[0] - step, x[1])) / 2e-6
    assert np.allclose(jax.grad(roll)(*x[:2])[2], difference, rtol=1e-5)


@pytest.mark.parametrize(("seed", "kinds"), [(1, "RP"), (2, "PR"), (3, "RH"), (4, "FRP")])
def test_derivatives_of_higher_order(seed: int, kinds: str) -> None:
    """Of the two modes any over any, with rows of their own and one row for all."""
    f, dice = mp.Arm(drawn_arm(seed, kinds)).jax("inverse_dynamics"), np.random.default_rng(seed)
    q, qd, qdd = dice.uniform(-1, 1, (3, 3, 2))

    def height(q: Any, qd: Any) -> Any:
        return (f(q, qd, qdd) ** 2).sum()

    modes = (jax.jacrev, jax.jacfwd)
    first, *others = (outer(inner(height, (0, 1)), (0, 1))(q, qd[0]) for outer in modes for inner in modes)
    for found in others:
        assert all(np.allclose(found[i][j], first[i][j], rtol=1e-9, atol=1e-9) for i in (0, 1) for j in (0, 1))
    step = 1e-5 * np.eye(2)[0]
    ends = [jax.grad(height, 1)(q, qd[0] + way) for way in (step, -step)]
    assert np.allclose(first[1][1][0], (ends[0] - ends[1]) / 2e-5, rtol=1e-5, atol=1e-5)
    mapped = jax.jit(jax.vmap(jax.hessian(height), (0, None)))(q[:, None], qd[0])
    assert mapped.shape == (3, 1, 2, 1, 2)
    with pytest.raises(InputError, match="higher order than 2"):
        jax.jacfwd(jax.hessian(height))(q, qd[0])
    with pytest.raises(InputError, match="higher order than 2"):
        jax.grad(lambda q: jax.hessian(height)(q, qd[0]).sum())(q)


@pytest.mark.parametrize("model", ["pose", "energy", "inertia_matrix", "inverse_dynamics_smooth"])
def test_what_is_carried_forward_is_what_is_walked_back(model: str) -> None:
    """w·(J ẋ) = (Jᵀ w)·ẋ, under `linearize` and its transposed, with rates of some inputs only."""
    arm, dice = mp.Arm(drawn_arm(6, "RP")), np.random.default_rng(6)
    f = arm.jax(model)
    x = [dice.uniform(-1, 1, (4, 2)) for _ in f.inputs]
    some = lambda q: f(q, *x[1:])  # noqa: E731
    found, forward = jax.linearize(some, x[0])
    rates = dice.uniform(-1, 1, (4, 2))
    weights = jax.tree.map(lambda y: dice.uniform(-1, 1, y.shape), found)
    (back,) = jax.linear_transpose(forward, x[0])(weights)
    _, carried = jax.jvp(some, (x[0],), (rates,))
    pairs = zip(jax.tree.leaves(carried), jax.tree.leaves(weights), strict=True)
    assert np.isclose(sum((y * w).sum() for y, w in pairs), (back * rates).sum(), rtol=1e-12)
    assert np.allclose(back, jax.vjp(some, x[0])[1](weights)[0], atol=1e-12)


def test_inputs_by_name() -> None:
    arm = mp.Arm("puma560")
    f, (q, qd, qdd) = arm.jax("inverse_dynamics"), states(3)
    wanted = f(q, qd, qdd)
    assert np.array_equal(f(q, qdd=qdd, qd=qd), wanted)
    assert np.array_equal(jax.jit(f)(q=q, qd=qd, qdd=qdd), wanted)
    with pytest.raises(InputError, match="each of q, qd, qdd once"):
        f(q, qd=qd)
    nearest = arm.jax("inverse_kinematics", seed=True)
    T = arm.pose(q)
    assert np.array_equal(nearest(seed=q, T=T).q, nearest(T, q).q)


@pytest.mark.turn
@pytest.mark.usefixtures("no_interface")
def test_without_the_interface_the_emitted_text_serves() -> None:
    arm = mp.Arm(drawn_arm(5, "PRFR"))
    f, x = arm.jax("inverse_dynamics"), list(np.random.default_rng(5).uniform(-1, 1, (3, 4, arm.dof)))
    assert not targets(f, *x)
    assert np.allclose(f(*x), arm.inverse_dynamics(*x), rtol=0, atol=1e-11)
    mapped = jax.vmap(jax.grad(lambda *x: f(*x).sum()))(*x)
    assert np.allclose(mapped, arm.inverse_dynamics_derivatives(*x).dq.sum(-2), atol=1e-10)
    forward = jax.vmap(jax.jacfwd(f))(*x)
    assert np.allclose(forward, arm.inverse_dynamics_derivatives(*x).dq, atol=1e-10)


def test_a_gpu_without_cupy_is_a_warning_and_the_text(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(host: Any) -> None:
        raise InputError("CuPy is not here")

    monkeypatch.setattr(xla, "_platforms", lambda jax: ("cpu", "cuda"))
    monkeypatch.setattr(xla, "CudaFunction", missing)
    arm = mp.Arm(drawn_arm(6, "RP"))
    f, x = arm.jax("gravity"), np.random.default_rng(6).uniform(-1, 1, (4, 2))
    with pytest.warns(mp.ManipulaWarning, match="gravity: JAX runs it on the GPU as compiled by XLA.*CuPy is not here"):
        found = jax.jit(f)(x)
    # on the processor the machine code runs all the same
    assert np.array_equal(found, arm.gravity(x)) and len(targets(f, x)) == 1


def test_processor_and_gpu_share_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    filled: list[str] = []
    monkeypatch.setattr(xla, "_platforms", lambda jax: ("cpu", "cuda"))
    monkeypatch.setattr(xla, "_fill_device", lambda handler, own, dtype: not filled.append(dtype))
    arm = mp.Arm(drawn_arm(7, "PR"))
    f, x = arm.jax("gravity"), np.random.default_rng(7).uniform(-1, 1, (4, 2))
    assert np.array_equal(jax.jit(f)(x), arm.gravity(x)) and filled == ["float64"]
    (name,) = targets(f, x)
    assert {platform for target, platform in xla._handlers if target == name} == {"cpu", "cuda"}


def test_robots_of_one_name_are_told_apart() -> None:
    robot = mp.load("puma560")
    heavy = robot.with_parameters(m3=9.0)
    x = states(3)
    light, other = mp.Arm(robot).jax("inverse_dynamics"), mp.Arm(heavy).jax("inverse_dynamics")
    assert targets(light, *x) != targets(other, *x)
    assert targets(light, *x) == targets(mp.Arm("puma560").jax("inverse_dynamics"), *x)  # the same in any process
    assert np.array_equal(other(*x), mp.Arm(heavy).inverse_dynamics(*x))


SPREAD = """
import jax, numpy as np, manipula as mp
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
jax.config.update("jax_enable_x64", True)
arm = mp.Arm("puma560")
f, x = arm.jax("inverse_dynamics"), np.random.default_rng(0).uniform(-1, 1, (3, 8, 2, 6))
mesh = Mesh(np.array(jax.devices()), ("i",))
assert len(jax.devices()) == 8
spread = [jax.device_put(y, NamedSharding(mesh, P("i"))) for y in x]
expected, slope = arm.inverse_dynamics(*x), arm.inverse_dynamics_derivatives(*x)
both = jax.jit(jax.vmap(jax.grad(lambda *x: f(*x).sum(), (0, 1))))
for call, want in ((jax.jit(f), expected), (lambda *x: both(*x)[0], slope.dq.sum(-2))):
    found = call(*spread)
    assert np.allclose(found, want, atol=1e-10) and found.sharding.spec[0] == "i", found.sharding
for call in (jax.jit(f), both):
    assert "all-gather" not in call.lower(*spread).compile().as_text()
row = x[2][0, 0]
assert np.array_equal(jax.jit(f)(spread[0], spread[1], row), arm.inverse_dynamics(x[0], x[1], row))
wrap = getattr(jax, "shard_map", None)
if wrap is not None:
    own = jax.jit(wrap(f, mesh=mesh, in_specs=(P("i"), P("i"), P()), out_specs=P("i")))
    assert np.array_equal(own(spread[0], spread[1], row), arm.inverse_dynamics(x[0], x[1], row))
    slopes = wrap(jax.grad(lambda *x: f(*x).sum(), (0, 2)), mesh=mesh, in_specs=(P("i"), P("i"), P()),
                  out_specs=(P("i"), P()))
    dq, drow = jax.jit(slopes)(spread[0], spread[1], row)
    exact = arm.inverse_dynamics_derivatives(x[0], x[1], row)
    assert np.allclose(dq, exact.dq.sum(-2), atol=1e-10)
    assert np.allclose(drow, exact.dqdd.sum((0, 1, 2)), atol=1e-10)
    rates = wrap(lambda q, qd, row: jax.jvp(f, (q, qd, row), (qd, q, row))[1], mesh=mesh,
                 in_specs=(P("i"), P("i"), P()), out_specs=P("i"))
    plain = jax.jvp(f, (x[0], x[1], row), (x[1], x[0], row))[1]
    assert np.allclose(jax.jit(rates)(spread[0], spread[1], row), plain, atol=1e-10)
print("spread")
"""


@pytest.mark.slow
def test_rows_spread_over_devices_stay_there() -> None:
    environment = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=8", "JAX_PLATFORMS": "cpu"}
    ran = subprocess.run([sys.executable, "-c", SPREAD], env=environment, capture_output=True, text=True, check=False)
    assert ran.stdout.strip() == "spread", ran.stderr


def test_the_emitted_text_of_other_devices_agrees() -> None:
    from manipula.learning.kernels import differentiable
    from manipula.learning.xla import _text

    own, x = differentiable([mp.generate("puma560", "inverse_dynamics")]), states(3)
    weights = states(4)[3]
    assert np.allclose(_text(own)(*x)[0], own.compile_for("float64")(*x), atol=1e-12)
    for a, b in zip(_text(own.product)(*x, weights), own.product.compile_for("float64")(*x, weights), strict=True):
        assert np.allclose(a, b, atol=1e-11)


@pytest.mark.parametrize("seed", range(6))
def test_kinds_of_numbers_join_in_the_widest(seed: int) -> None:
    """Whole numbers alone become JAX's own floats."""
    dice, arm = np.random.default_rng(seed), mp.Arm("puma560")
    kinds = list(dice.choice(["int32", "int64", "bool", "float16", "float32", "float64"], 3))
    x = [dice.integers(0, 2, 6).astype(kind) for kind in kinds]
    for double in (True, False):
        jax.config.update("jax_enable_x64", double)
        whole = not any(kind.startswith("float") for kind in kinds)
        wanted = "float64" if double and (whole or "float64" in kinds) else "float32"
        found = arm.jax("inverse_dynamics")(*x)
        assert found.dtype == wanted
        expected = arm.inverse_dynamics(*(y.astype(float) for y in x))
        np.testing.assert_allclose(found, expected, rtol=1e-4 if wanted == "float32" else 1e-13, atol=1e-4)


@pytest.mark.parametrize("value", ["rest", None, object(), {"q": 1}, [[1.0], [1.0, 2.0]]])
def test_what_is_no_array_is_named(value: Any) -> None:
    f = mp.Arm("puma560").jax("inverse_dynamics")
    with pytest.raises(InputError, match="qd: expected numbers, found"):
        f(np.zeros(6), value, np.zeros(6))


def test_wrong_shapes_are_named() -> None:
    f = mp.Arm("puma560").jax("gravity")
    with pytest.raises(InputError, match="q: expected shape"):
        f(np.zeros(5))
    with pytest.raises(InputError, match="expected 1 inputs"):
        f()
