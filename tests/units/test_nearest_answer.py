"""The answer of inverse kinematics nearest to a seed, as a function of PyTorch tensors and of JAX arrays."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import InputError
from manipula.ik.arm.nearest_family import solve_positive

Floats = Any


VALUES = {"a1": 0.4, "a2": 0.3, "d4": 0.1}  # of the scara, whose two branches are made in little time


@cache
def arm_of(name: str) -> mp.Arm:
    return mp.Arm(mp.load(name).with_parameters(**VALUES) if name == "scara" else name)


def drawn(name: str, count: int, seed: int = 0) -> tuple[Floats, Floats]:
    """Poses, and seeds that are not far from a configuration with this pose."""
    arm, dice = arm_of(name), np.random.default_rng(seed)
    low, high = np.clip(np.array(arm.limits).T, -3, 3)
    q = dice.uniform(low, high, (count, arm.dof))
    return arm.pose(q), np.clip(q + dice.normal(0, 0.3, q.shape), low, high)


def function(framework: str, name: str) -> Any:
    if framework == "jax":
        jax = pytest.importorskip("jax", reason="JAX is not installed: pip install manipula[jax]")
        jax.config.update("jax_enable_x64", True)
        return arm_of(name).jax("inverse_kinematics", seed=True)
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install manipula[torch]")
    made = arm_of(name).torch("inverse_kinematics", seed=True)
    return lambda *x: made(*map(torch.as_tensor, x))


@pytest.mark.parametrize("framework", ["torch", "jax"])
@pytest.mark.parametrize("name", ["scara", *(pytest.param(x, marks=pytest.mark.slow) for x in ("ur5e", "puma560"))])
def test_of_a_closed_form_it_is_the_first_answer_of_the_arm(framework: str, name: str) -> None:
    T, seed = drawn(name, 12)
    found = function(framework, name)(T, seed)
    for i, (pose, near) in enumerate(zip(T, seed, strict=True)):
        assert np.allclose(np.asarray(found.q[i]), arm_of(name).inverse_kinematics(pose, seed=near).q[0], atol=1e-9)
    assert np.asarray(found.valid).tolist() == [1] * 12


@pytest.mark.turn
def test_turns_are_those_beside_the_seed_and_limits_are_kept() -> None:
    f, (T, seed) = function("torch", "ur5e"), drawn("ur5e", 6)
    limits = np.array(arm_of("ur5e").limits)
    for turns in (-1, 1):
        q = f(T, seed + 2 * np.pi * turns).q.numpy()
        assert (q >= limits[:, 0] - 1e-9).all() and (q <= limits[:, 1] + 1e-9).all()
        assert np.allclose(arm_of("ur5e").pose(q), T, atol=1e-12)


@pytest.mark.parametrize("framework", ["torch", "jax"])
@pytest.mark.parametrize("name", ["scara", pytest.param("panda", marks=pytest.mark.slow)])
def test_a_pose_out_of_reach_has_no_answer_and_no_gradient(framework: str, name: str) -> None:
    T, seed = drawn(name, 3)
    T[1, :3, 3] += 5
    found = function(framework, name)(T, seed)
    assert np.asarray(found.valid).tolist() == [1, 0, 1] and np.isfinite(np.asarray(found.q)).all()


@pytest.mark.parametrize(
    ("framework", "name"),
    [
        pytest.param("torch", "panda", marks=pytest.mark.turn),
        *(pytest.param(*x, marks=pytest.mark.slow) for x in (("torch", "iiwa14"), ("jax", "panda"), ("jax", "iiwa14"))),
    ],
)
def test_of_a_redundant_arm_no_other_value_is_much_nearer(framework: str, name: str) -> None:
    arm, (T, seed) = arm_of(name), drawn(name, 10)
    found = function(framework, name)(T, seed)
    q = np.asarray(found.q)
    assert np.allclose(arm.pose(q), T, atol=1e-12) and np.asarray(found.valid).all()
    gaps, values = ((q - seed) ** 2).sum(-1), np.linspace(*arm.inverse_solver.parameter.ends, 500)
    finer = [
        ((arm.inverse_kinematics(pose, seed=near, parameter=values).q - near) ** 2).sum(-1).min()
        for pose, near in zip(T, seed, strict=True)
    ]
    # the search is no proof: of ten one may be a little further
    assert np.sort(gaps - finer)[-2] < 1e-6 and (gaps - finer).max() < 2


def test_the_solver_of_symmetric_equations() -> None:
    dice = np.random.default_rng(2)
    half = dice.normal(size=(6, 6))
    square, right = half @ half.T + 0.1 * np.eye(6), dice.normal(size=6)
    assert np.allclose(solve_positive(square.tolist(), right.tolist()), np.linalg.solve(square, right))


@pytest.mark.parametrize(
    "name", ["scara", pytest.param("ur5e", marks=pytest.mark.slow), pytest.param("panda", marks=pytest.mark.turn)]
)
def test_gradients_are_those_of_the_implicit_function(name: str) -> None:
    torch = pytest.importorskip("torch")
    arm, (T, seed) = arm_of(name), drawn(name, 4, seed=3)
    f, pose = arm.torch("inverse_kinematics", seed=True), arm.torch("pose")
    q = f(torch.as_tensor(T), torch.as_tensor(seed)).q.requires_grad_()
    near = torch.as_tensor(seed).requires_grad_()
    weights = torch.as_tensor(np.random.default_rng(4).normal(size=q.shape))
    slopes = torch.autograd.grad(f(pose(q), near).q, (q, near), weights)
    step = 1e-4
    for k, slope in enumerate(slopes):
        for j in range(arm.dof):
            way = torch.zeros(arm.dof, dtype=torch.float64)
            way[j] = step
            ends = [f(pose(q + s * way * (k == 0)), near + s * way * (k == 1)).q for s in (1, -1)]
            true = ((ends[0] - ends[1]) * weights).sum(-1) / (2 * step)
            assert torch.allclose(slope[:, j], true, atol=3e-3), (k, j)


@pytest.mark.slow
def test_gradients_in_jax_are_those_in_pytorch() -> None:
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    f, (T, seed) = function("jax", "panda"), drawn("panda", 3, seed=3)
    ours = jax.grad(lambda *x: (f(*x).q ** 2).sum(), (0, 1))(T.reshape(3, 16), seed)
    given = [torch.as_tensor(x).requires_grad_() for x in (T.reshape(3, 16), seed)]
    (arm_of("panda").torch("inverse_kinematics", seed=True)(*given).q ** 2).sum().backward()
    for a, b in zip(ours, given, strict=True):
        assert np.allclose(a, b.grad, atol=1e-5)


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")  # PyTorch's own, on first use
@pytest.mark.parametrize(
    "name", ["scara", pytest.param("ur5e", marks=pytest.mark.slow), pytest.param("panda", marks=pytest.mark.turn)]
)
def test_what_is_carried_forward_is_what_is_walked_back(name: str) -> None:
    """w·(J ẋ) = (Jᵀ w)·ẋ in both frameworks; a search that found nothing carries nothing."""
    torch, jax = pytest.importorskip("torch"), pytest.importorskip("jax")
    (T, seed), dice = drawn(name, 3, seed=3), np.random.default_rng(5)
    T = T.reshape(3, 16)
    T[2, [3, 7, 11]] += 50
    rates = [dice.normal(size=x.shape) for x in (T, seed)]
    f, g = arm_of(name).torch("inverse_kinematics", seed=True), function("jax", name)
    given, ways = (tuple(map(torch.as_tensor, x)) for x in ((T, seed), rates))
    _, carried = torch.func.jvp(lambda *x: f(*x).q, given, ways)
    weights = dice.normal(size=seed.shape)
    slopes = torch.func.vjp(lambda *x: f(*x).q, *given)[1](torch.as_tensor(weights))
    back = sum((a * b).sum(1) for a, b in zip(slopes, ways, strict=True))
    forward = (carried * torch.as_tensor(weights)).sum(1)
    assert torch.allclose(forward[:2], back[:2], rtol=1e-9, atol=1e-9)
    assert carried[:2].any(1).all() and not (name == "panda" and carried[2].any())
    _, theirs = jax.jvp(lambda *x: g(*x).q, (T, seed), tuple(rates))
    assert np.allclose(theirs[:2], carried[:2], atol=1e-5)


@pytest.mark.turn
def test_one_seed_for_all_poses_and_one_pose_for_all_seeds() -> None:
    torch = pytest.importorskip("torch")
    f = arm_of("panda").torch("inverse_kinematics", seed=True)
    T, seed = map(torch.as_tensor, drawn("panda", 3))
    assert torch.equal(f(T, seed[0]).q[0], f(T[0], seed).q[0])
    shared = seed[0].clone().requires_grad_()
    f(T, shared).q.sum().backward()
    assert shared.grad.shape == (7,)
    assert torch.allclose(torch.func.vmap(f)(T, seed).q, f(T, seed).q)


@pytest.mark.turn
@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")  # PyTorch's own, on first use
def test_what_it_cannot_be_asked_is_named() -> None:
    with pytest.raises(InputError, match="seed=True: expected inverse_kinematics"):
        arm_of("ur5e").torch("pose", seed=True)
    with pytest.raises(InputError, match="seed: expected shape"):
        function("torch", "panda")(*drawn("ur5e", 2))
    for framework in ("torch", "jax"):
        with pytest.raises(InputError, match="expected 2 inputs"):
            function(framework, "panda")(drawn("panda", 2)[0])
    torch = pytest.importorskip("torch")
    T, seed = map(torch.as_tensor, drawn("panda", 2))
    f = arm_of("panda").torch("inverse_kinematics", seed=True)
    slope = torch.autograd.grad(f(T, seed.requires_grad_()).q.sum(), seed, create_graph=True)[0]
    with pytest.raises(InputError, match="higher order than 1"):
        slope.sum().backward()


@pytest.mark.turn
def test_compiled_in_one_graph() -> None:
    torch = pytest.importorskip("torch")
    f, (T, seed) = arm_of("panda").torch("inverse_kinematics", seed=True), map(torch.as_tensor, drawn("panda", 2))
    compiled = torch.compile(f, fullgraph=True, backend="aot_eager")
    x = seed.requires_grad_()
    assert torch.equal(compiled(T, x).q, f(T, x).q)
    slopes = [torch.autograd.grad(g(T, x).q.sum(), x)[0] for g in (f, compiled)]
    assert torch.equal(*slopes)
