"""Every smooth model of the catalogue in PyTorch and JAX, on drawn arms: values, gradients, transforms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import InputError
from manipula.mechanics.models.catalogue import GROUPS
from tests.random_robots import random_robot

# without friction that jumps; inverse_kinematics has a test of its own, closure and joint_motion are of closed robots
NOT_SMOOTH = {"inverse_kinematics", "joint_motion", "closure", "friction_parts", "centroidal_momentum"}
SMOOTH = [name for names in GROUPS.values() for name in names if name not in NOT_SMOOTH]
# at every commit: one of each kind, on an arm of two joints
FEW = ("pose", "inertia_matrix", "inverse_dynamics", "energy")
KINDS = ("RP", "RRP", "RRRR", "PRRPR", "RRRRRR", "RRRPRRR", "PR", "RPR", "RRPR", "RRRRR")
WHOLE = {"operational_inertia": 6}  # and the joints without which there is none
TWICE = 3  # joints: second derivatives are compared on arms of no more


def arm_of(number: int) -> mp.Arm:
    robot = random_robot(number, joints=KINDS[number], actuators=False)
    return mp.Arm(robot, optimise="none" if len(KINDS[number]) > TWICE else "fast")


def is_refused(arm: mp.Arm, name: str, make: Callable[[str], object]) -> bool:
    """Arms that lack freedoms of the tool have no operational inertia, in whatever framework."""
    if name not in WHOLE or arm.dof >= WHOLE[name]:
        return False
    with pytest.raises(InputError, match="six independent freedoms of the tool"):
        make(name)
    return True


def inputs_of(f: Any, arm: mp.Arm, count: int = 2) -> list[Any]:
    dice, sizes = np.random.default_rng(7), f._own.sizes
    return [dice.uniform(-0.8, 0.8, (count, size)) for size in sizes.values()]


CASES = [(number, name) for number in range(len(KINDS)) for name in SMOOTH]
CHOSEN = [case if case[0] == 0 and case[1] in FEW else pytest.param(*case, marks=pytest.mark.slow) for case in CASES]


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")  # PyTorch's own, on first use
@pytest.mark.parametrize(("number", "name"), CHOSEN)
def test_in_pytorch(number: int, name: str) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install manipula[torch]")
    arm = arm_of(number)
    if is_refused(arm, name, arm.torch):
        return
    f = arm.torch(name)
    values = inputs_of(f, arm)
    x = [torch.tensor(y, requires_grad=True) for y in values]
    found, expected = as_tuple(f(*x)), as_tuple(getattr(arm, name)(*values))
    assert all(np.array_equal(a.detach().numpy(), b) for a, b in zip(found, expected, strict=True))
    assert torch.autograd.gradcheck(f, x, atol=1e-5)
    if len(KINDS[number]) <= TWICE and name in FEW:
        assert torch.autograd.gradgradcheck(f, x, atol=1e-4)
    compiled = torch.compile(f, fullgraph=True, backend="aot_eager")
    weights = [torch.rand_like(y) for y in found]
    ours, theirs = (torch.autograd.grad(as_tuple(h(*x)), x, weights, allow_unused=True) for h in (f, compiled))
    assert all(a is b is None or torch.equal(a, b) for a, b in zip(ours, theirs, strict=True))
    still = [y.detach() for y in x]
    mapped = as_tuple(torch.func.vmap(f)(*still))
    assert all(torch.equal(a, b) for a, b in zip(mapped, found, strict=True))
    rates = [torch.rand_like(y) for y in still]
    _, carried = torch.func.jvp(f, tuple(still), tuple(rates))
    # what is carried forward and what is walked back are one bilinear form
    forward = sum((a * w).sum() for a, w in zip(as_tuple(carried), weights, strict=True))
    backward = sum((g * r).sum() for g, r in zip(ours, rates, strict=True) if g is not None)
    assert torch.allclose(forward, backward, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("number", "name"), CHOSEN)
def test_in_jax(number: int, name: str) -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed: pip install manipula[jax]")
    from jax.test_util import check_grads

    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    try:
        arm = arm_of(number)
        if is_refused(arm, name, arm.jax):
            return
        f = arm.jax(name)
        x = inputs_of(f, arm)
        expected = as_tuple(getattr(arm, name)(*x))
        for way in (f, jax.jit(f), jax.vmap(f)):
            assert all(np.array_equal(a, b) for a, b in zip(as_tuple(way(*x)), expected, strict=True))
        check_grads(f, x, order=1, modes=["fwd", "rev"], rtol=1e-4, atol=1e-5)
    finally:
        jax.config.update("jax_enable_x64", before)


def as_tuple(results: Any) -> tuple[Any, ...]:
    return tuple(results) if isinstance(results, tuple) else (results,)
