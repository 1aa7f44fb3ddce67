"""Models as PyTorch operators: values, gradients, transforms, layouts, errors."""

from __future__ import annotations

import copy
import ctypes
import os
import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.errors import InputError

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install manipula[torch]")

SMOOTH = {
    "pose": 1, "jacobian": 1, "inertia_matrix": 1, "gravity": 1, "coriolis": 2, "energy": 2, "inverse_dynamics": 3,
    "forward_dynamics": 3, "regressor": 3, "joint_wrenches": 3, "tool_acceleration": 3,
}  # fmt: skip


def states(count: int, *lead: int, size: int = 2, dtype: Any = None) -> list[Any]:
    dice = torch.Generator().manual_seed(5)
    kind = dtype or torch.float64
    return [torch.rand(*lead, size, generator=dice, dtype=kind).requires_grad_() for _ in range(count)]


@pytest.fixture(scope="module")
def arm() -> mp.Arm:
    first, second = (
        {"xx": x, "yy": y, "zz": z, "xy": 0.01, "xz": 0.0, "yz": -0.01}
        for x, y, z in ((0.1, 0.2, 0.25), (0.05, 0.06, 0.07))
    )
    rows = [
        {"theta": "q1", "a": 0.4, "d": 0.0, "alpha": 0.3, "mass": 2.0, "com": [0.1, 0.02, 0.0], "inertia": first},
        {"theta": "q2", "a": 0.3, "d": 0.1, "alpha": -0.5, "mass": 1.0, "com": [0.2, 0.0, 0.05], "inertia": second},
    ]
    return mp.Arm(mp.Robot.from_dh(rows, convention="standard", angle="rad"))


@pytest.mark.parametrize("model", SMOOTH)
def test_gradients_of_smooth_models(arm: mp.Arm, model: str) -> None:
    f, given = arm.torch(model), states(SMOOTH[model], 2)
    assert torch.autograd.gradcheck(f, given)


def test_values_are_those_of_the_arm(arm: mp.Arm) -> None:
    x = states(3, 4)
    expected = arm.inverse_dynamics(*(y.detach().numpy() for y in x))
    assert np.array_equal(arm.torch("inverse_dynamics")(*x).detach().numpy(), expected)


def test_second_derivatives(arm: mp.Arm) -> None:
    assert torch.autograd.gradgradcheck(arm.torch("inverse_dynamics"), states(3, 2))


def test_parameters_of_each_row_have_gradients(arm: mp.Arm) -> None:
    f = arm.torch("inverse_dynamics", parameters=["m2", "rx2"])
    p = torch.tensor([[1.0, 0.2], [3.0, 0.1]], dtype=torch.float64, requires_grad=True)
    x = states(3, 2)
    assert torch.autograd.gradcheck(f, (*x, p))
    assert torch.autograd.gradcheck(f, (*x, p[0].detach().requires_grad_()))
    plain = arm.torch("inverse_dynamics")(*x)
    assert torch.allclose(f(*x, p)[0], plain[0]) and not torch.allclose(f(*x, p)[1], plain[1])


def test_one_parameter_may_stand_alone(arm: mp.Arm) -> None:
    q, p = torch.rand(4, 2, dtype=torch.float64), torch.rand(4, 1, dtype=torch.float64)
    assert torch.equal(arm.torch("gravity", parameters="m2")(q, p), arm.torch("gravity", parameters=["m2"])(q, p))


def test_several_models_are_one_function(arm: mp.Arm) -> None:
    f, x = arm.torch(["pose", "inverse_dynamics", "gravity"], parameters="m2"), states(3, 4)
    p = torch.full((1,), 1.5, dtype=torch.float64, requires_grad=True)
    found = f(*x, p)
    apart = (
        arm.torch("pose")(x[0]), arm.torch("inverse_dynamics", parameters="m2")(*x, p),
        arm.torch("gravity", parameters="m2")(x[0], p),
    )  # fmt: skip
    assert f.inputs == ("q", "qd", "qdd", "p") and len(set(found._fields)) == 3
    assert all(torch.allclose(a, b, atol=1e-12) for a, b in zip(found, apart, strict=True))
    ours, theirs = (torch.autograd.grad(sum(y.sum() for y in of), (*x, p)) for of in (found, apart))
    assert all(torch.allclose(a, b, atol=1e-12) for a, b in zip(ours, theirs, strict=True))
    with pytest.raises(InputError, match="the name of a model"):
        arm.torch([])


def test_copies_and_what_is_unpickled_are_the_same_function(arm: mp.Arm) -> None:
    f, q = arm.torch("gravity"), torch.rand(4, 2, dtype=torch.float64)
    for g in (copy.deepcopy(f), pickle.loads(pickle.dumps(f))):
        assert torch.equal(g(q), f(q))


def test_compiled_in_one_graph(arm: mp.Arm) -> None:
    f, x = arm.torch("inverse_dynamics"), states(3, 4)
    g = torch.compile(f, fullgraph=True, backend="aot_eager")
    assert torch.equal(g(*x), f(*x))
    ours, theirs = (torch.autograd.grad(h(*x).square().sum(), x) for h in (f, g))
    assert all(torch.equal(a, b) for a, b in zip(ours, theirs, strict=True))


def test_more_functions_are_compiled_than_pytorch_keeps_of_one(arm: mp.Arm) -> None:
    """Each has code of its own: what one needs again for another kind of call takes nothing from the others."""
    robots = [arm.robot.with_parameters(m2=0.5 + k) for k in range(torch._dynamo.config.recompile_limit + 1)]
    q, functions = torch.rand(4, 2, dtype=torch.float64), [mp.Arm(robot).torch("gravity") for robot in robots]
    for f in (*functions, copy.deepcopy(functions[0]), pickle.loads(pickle.dumps(functions[1]))):
        g = torch.compile(f, fullgraph=True, backend="aot_eager")
        assert torch.equal(g(q), f(q)) and torch.equal(g(q.float()), f(q.float()))


def test_transforms_of_torch_func(arm: mp.Arm) -> None:
    f, (q, qd, qdd) = arm.torch("inverse_dynamics"), [x.detach() for x in states(3, 4)]
    assert torch.equal(torch.func.vmap(f)(q, qd, qdd), f(q, qd, qdd))
    assert torch.equal(torch.func.vmap(f, (1, None, 0))(q.T, qd[0], qdd), f(q, qd[0], qdd))
    dq = torch.func.vmap(torch.func.jacrev(f))(q, qd, qdd)
    assert np.allclose(dq, arm.inverse_dynamics_derivatives(q.numpy(), qd.numpy(), qdd.numpy()).dq, atol=1e-12)


def test_broadcast_inputs_gather_gradients(arm: mp.Arm) -> None:
    f, (q, qd, qdd) = arm.torch("inverse_dynamics"), states(3, 3, 4)
    few = qd[0, 0].detach().requires_grad_()
    (gathered,) = torch.autograd.grad(f(q, few, qdd).sum(), few)
    wide = few.detach().expand(3, 4, 2).clone().requires_grad_()
    (rows,) = torch.autograd.grad(f(q, wide, qdd).sum(), wide)
    assert torch.allclose(gathered, rows.sum((0, 1)))


def test_any_layout_and_no_rows(arm: mp.Arm) -> None:
    f, wide = arm.torch("gravity"), torch.rand(6, 4, dtype=torch.float64)
    for q in (wide[:, ::2], wide[::2, 1:3], wide[:2].T, wide[:1, :2].expand(5, 2)):
        assert torch.equal(f(q), f(q.contiguous()))
    assert f(torch.zeros(0, 2)).shape == (0, 2)
    assert f(torch.zeros(2)).shape == (2,)


def test_single_precision(arm: mp.Arm) -> None:
    x = states(3, 4, dtype=torch.float32)
    found = arm.torch("inverse_dynamics")(*x)
    assert found.dtype == torch.float32
    assert np.allclose(found.detach(), arm.inverse_dynamics(*(y.detach().numpy() for y in x)), atol=1e-4)
    assert all(g.dtype == torch.float32 for g in torch.autograd.grad(found.sum(), x))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda q: (q, q), "expected 3 inputs"),
        (lambda q: (q, q, q[:, :1]), "qdd: expected shape"),
        (lambda q: (q, q, q.float()), "qdd: expected dtype float64, found float32"),
        (lambda q: (q.int(), q, q), "q: expected dtype float64 or float32"),
        (lambda q: (q.numpy(), q, q), "q: expected a torch tensor, found ndarray"),
        (lambda q: (q, q, q[:2]), "do not broadcast"),
        (lambda q: (q, q, q.to("meta")), "qdd: expected a tensor on cpu"),
    ],
)
def test_wrong_tensors_are_named(arm: mp.Arm, change: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        arm.torch("inverse_dynamics")(*change(torch.zeros(3, 2, dtype=torch.float64)))


# the way around PyTorch's dispatcher: a plan is made at the first call and used from the second on


def by_the_dispatcher(f: Any, *tensors: Any) -> Any:
    return f._operator._registered(*tensors)


@pytest.mark.parametrize("model", ["inverse_dynamics", "energy", "pose"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
@pytest.mark.parametrize("lead", [(), (1,), (5,), (2, 3), (0,)])
def test_a_plan_gives_the_bits_of_the_dispatcher(arm: mp.Arm, model: str, dtype: Any, lead: tuple[int, ...]) -> None:
    f = arm.torch(model)
    for seed in range(3):
        torch.manual_seed(seed)
        x = [torch.rand(*lead, 2, dtype=dtype) for _ in range(SMOOTH[model])]
        for a, b in zip(as_tuple(f(*x)), as_tuple(by_the_dispatcher(f, *x)), strict=True):
            assert torch.equal(a, b) and a.dtype == dtype and a.shape == b.shape


@pytest.mark.parametrize("lead", [(), (4,), (2, 3)])
@pytest.mark.parametrize("wanting", [False, True])
def test_plain_tensors_go_around_the_dispatcher(
    arm: mp.Arm, lead: tuple[int, ...], wanting: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the first call on, with gradients and without; transforms, modes and odd tensors do not."""
    f, x = arm.torch("inverse_dynamics"), [y.detach().requires_grad_(wanting) for y in states(3, *lead)]
    through: list[int] = []
    way = f._operator._registered
    monkeypatch.setattr(f._operator, "_registered", lambda *given: (through.append(1), way(*given))[1])
    for _ in range(3):
        found = f(*x)
        if wanting:
            torch.autograd.grad(found.sum(), x)
    assert not through
    f(torch.complex(x[0].detach(), -x[0].detach()).conj().imag, *x[1:])
    assert through


def drawn_tensor(dice: np.random.Generator, dtype: Any) -> Any:
    """(…, 2): one row, some, none; entries and rows as far apart as views have them."""
    rows = int(dice.choice([0, 1, 3, 5]))
    whole = torch.tensor(dice.uniform(-1, 1, (rows, 2)), dtype=dtype)
    ways = (
        lambda x: x,
        lambda x: torch.stack([x, -x], -1)[..., 0],
        lambda x: x.T.contiguous().T,
        lambda x: torch.cat([x, x], 0)[: len(x)],
        lambda x: x[:1].expand(5, 2) if len(x) else x,
        lambda x: torch.complex(x, -x).conj().imag,
        lambda x: x[0] if len(x) else torch.zeros(2, dtype=dtype),
        lambda x: x[:, None],
        torch.nn.Parameter,
        lambda x: x.clone().requires_grad_(),
    )
    return ways[dice.integers(len(ways))](whole)


@pytest.mark.parametrize("seed", range(40))
def test_tensors_of_any_layout_give_the_bits_of_the_dispatcher(arm: mp.Arm, seed: int) -> None:
    """Also where another call came before, and where shapes or types do not fit: then both say the same."""
    dice = np.random.default_rng(seed)
    f, kinds = arm.torch("inverse_dynamics"), [torch.float64, torch.float32]
    for kind in kinds:
        f(*torch.zeros(3, 2, dtype=kind))
    for _ in range(20):
        kind = kinds[dice.integers(2)]
        x = [drawn_tensor(dice, kind) if dice.random() < 0.97 else torch.zeros(2).half() for _ in range(3)]
        try:
            wanted = f(*(y.detach().resolve_neg().clone().contiguous()[None] for y in x))[0]
        except InputError as refused:
            with pytest.raises(InputError, match=str(refused).split(":")[0]):
                f(*x)
            continue
        found = f(*x)
        assert torch.equal(found, wanted) and found.requires_grad == any(y.requires_grad for y in x)


def test_the_first_batches_of_pytorch_are_mapped(arm: mp.Arm) -> None:
    """`is_grads_batched` and `vectorize=True`, which are no transforms of torch.func."""
    f, (q, qd, qdd) = arm.torch("inverse_dynamics"), [x.detach() for x in states(3)]

    def torque(x: Any) -> Any:
        return f(x, qd, qdd)

    slopes = torch.autograd.functional.jacobian(torque, q)
    assert torch.equal(torch.autograd.functional.jacobian(torque, q, vectorize=True), slopes)
    x = q.clone().requires_grad_()
    (rows,) = torch.autograd.grad(torque(x), x, torch.eye(2, dtype=torch.float64), is_grads_batched=True)
    assert torch.equal(rows, slopes)


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")
def test_transforms_inside_of_what_is_compiled(arm: mp.Arm) -> None:
    f, (q, qd, qdd) = arm.torch("inverse_dynamics"), [x.detach() for x in states(3, 3)]

    def slope(x: Any) -> Any:
        return torch.func.vmap(torch.func.grad(lambda x: f(x, qd[0], qdd[0]).square().sum()))(x)

    assert torch.allclose(torch.compile(slope, backend="aot_eager")(q), slope(q))


def as_tuple(results: Any) -> tuple[Any, ...]:
    return tuple(results) if isinstance(results, tuple) else (results,)


def test_parameters_of_modules_and_negated_views(arm: mp.Arm) -> None:
    f, q = arm.torch("gravity"), torch.rand(4, 2, dtype=torch.float64)
    weight = torch.nn.Parameter(q.clone())
    assert torch.equal(f(weight), f(q)) and torch.autograd.grad(f(weight).sum(), weight)[0].shape == (4, 2)
    negated = torch.complex(q, -q).conj().imag
    assert negated.is_neg()
    for _ in range(2):
        assert torch.equal(f(negated), f(q))


def test_what_looks_at_every_operator_sees_it(arm: mp.Arm) -> None:
    from torch.utils._python_dispatch import TorchDispatchMode

    class Watch(TorchDispatchMode):
        seen: list[str] = []

        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            self.seen.append(str(func))
            return func(*args, **(kwargs or {}))

    f, q = arm.torch("gravity"), torch.rand(4, 2, dtype=torch.float64)
    f(q)
    with Watch():
        f(q)
    assert any("manipula" in name for name in Watch.seen)


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")  # PyTorch's own, on first use
@pytest.mark.filterwarnings("ignore:Attempted to insert a get_attr Node:UserWarning")  # its own of torch.func.linearize
@pytest.mark.parametrize("model", ["gravity", "energy", "inverse_dynamics", "pose"])
def test_derivatives_carried_forward(arm: mp.Arm, model: str) -> None:
    from torch.autograd import forward_ad

    f, x = arm.torch(model), [y.detach() for y in states(SMOOTH[model], 3)]
    rates, still = [torch.rand_like(y) for y in x], f(*x)
    step = 1e-6
    moved = zip(*(as_tuple(f(*(y + s * r for y, r in zip(x, rates)))) for s in (step, -step)), strict=True)
    true = [(a - b) / (2 * step) for a, b in moved]
    with forward_ad.dual_level():
        found = as_tuple(f(*(forward_ad.make_dual(y, r) for y, r in zip(x, rates, strict=True))))
        carried = [forward_ad.unpack_dual(y) for y in found]
        partly = forward_ad.unpack_dual(as_tuple(f(forward_ad.make_dual(x[0], rates[0]), *x[1:]))[0])
    for (value, rate), plain, slope in zip(carried, as_tuple(still), true, strict=True):
        assert torch.equal(value, plain) and torch.allclose(rate, slope, atol=1e-6)
    assert torch.equal(partly.primal, as_tuple(still)[0]) and partly.tangent.shape == partly.primal.shape
    _, slopes = torch.func.jvp(f, tuple(x), tuple(rates))
    assert all(torch.allclose(a, b, atol=1e-6) for a, b in zip(as_tuple(slopes), true, strict=True))
    # a tracer looks on, and what it traced is used outside
    _, linear = torch.func.linearize(f, *x)
    assert all(torch.allclose(a, b) for a, b in zip(as_tuple(linear(*rates)), as_tuple(slopes), strict=True))


@pytest.mark.parametrize("model", ["gravity", "energy", "inverse_dynamics", "pose"])
def test_a_pullback_is_used_outside_of_its_transform(arm: mp.Arm, model: str) -> None:
    f, x = arm.torch(model), states(SMOOTH[model], 3)
    found, pull = torch.func.vjp(f, *(y.detach() for y in x))
    weights = [torch.rand_like(y) for y in as_tuple(found)]
    slopes = pull(*weights) if len(weights) == 1 else pull(type(found)(*weights))
    wanted = torch.autograd.grad(as_tuple(f(*x)), x, weights)
    assert all(torch.equal(a, b) for a, b in zip(slopes, wanted, strict=True))


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")
@pytest.mark.parametrize("model", ["gravity", "energy", "inverse_dynamics", "pose"])
def test_hessians_by_either_mode(arm: mp.Arm, model: str) -> None:
    """Of the two modes any over any, as forward over reverse in `torch.func.hessian`."""
    f, x = arm.torch(model), [y.detach() for y in states(SMOOTH[model], 3)]
    count = len(x)

    def height(*x: torch.Tensor) -> torch.Tensor:
        return sum(((1 + i) * y.sin()).sum() for i, y in enumerate(as_tuple(f(*x))))  # type: ignore[return-value]

    places, wrt = [y[0] for y in x], tuple(range(count))
    true = torch.func.jacrev(torch.func.jacrev(height, wrt), wrt)(*places)
    reverse, forward = torch.func.jacrev, torch.func.jacfwd
    for outer, inner in ((forward, reverse), (reverse, forward), (forward, forward)):
        found = outer(inner(height, wrt), wrt)(*places)
        for i in wrt:
            for j in wrt:
                assert torch.allclose(found[i][j], true[i][j], atol=1e-9)
    rows = torch.func.vmap(torch.func.hessian(height))(*x)
    assert torch.allclose(rows[0], true[0][0], atol=1e-9)
    # one configuration for all rows gathers what they change
    one, ways = [x[0][0], *x[1:]], [torch.rand_like(y) for y in (x[0][0], *x[1:])]
    _, slope = torch.func.jvp(torch.func.grad(height), tuple(one), tuple(ways))
    moved = [torch.func.grad(height)(*(y + s * w for y, w in zip(one, ways))) for s in (1e-6, -1e-6)]
    assert slope.shape == one[0].shape and torch.allclose(slope, (moved[0] - moved[1]) / 2e-6, atol=1e-5, rtol=1e-5)
    with pytest.raises(mp.InputError, match="higher order than 2"):
        forward(forward(forward(height)))(*places)


@pytest.mark.parametrize("model", ["inverse_dynamics", "energy"])
def test_inputs_by_name(arm: mp.Arm, model: str) -> None:
    f, x = arm.torch(model), [y.detach() for y in states(SMOOTH[model], 2)]
    wanted = as_tuple(f(*x))
    for cut in range(len(x)):
        named = dict(reversed(list(zip(f.inputs, x))[cut:]))
        assert all(map(torch.equal, as_tuple(f(*x[:cut], **named)), wanted))
    compiled = torch.compile(lambda **named: as_tuple(f(**named))[0].sum(), fullgraph=True, backend="aot_eager")
    assert torch.allclose(compiled(**dict(zip(f.inputs, x))), wanted[0].sum())
    with pytest.raises(mp.InputError, match="each of q, qd"):
        f(*x, q=x[0])
    with pytest.raises(mp.InputError, match="is called 'acceleration'"):
        f(*x[:-1], acceleration=x[-1])


@pytest.mark.parametrize("ask", ["torch", "jax"])
def test_a_name_stands_once(arm: mp.Arm, ask: str) -> None:
    if ask == "jax":
        pytest.importorskip("jax")
    with pytest.raises(mp.InputError, match="parameters: m1 is named twice"):
        getattr(arm, ask)("gravity", parameters=["m1", "m2", "m1"])
    with pytest.raises(mp.InputError, match="model: pose is named twice"):
        getattr(arm, ask)(["pose", "pose"])


def test_a_sparse_tensor_is_named(arm: mp.Arm) -> None:
    f, q = arm.torch("gravity"), torch.rand(4, 2, dtype=torch.float64)
    for _ in range(2):
        f(q)
        with pytest.raises(InputError, match="q: expected a dense tensor"):
            f(q.to_sparse())


def test_results_are_fresh_at_every_call(arm: mp.Arm) -> None:
    f, q = arm.torch("gravity"), torch.rand(4, 2, dtype=torch.float64)
    first = f(q)
    kept, second = first.clone(), f(q + 1)
    assert torch.equal(first, kept) and first.data_ptr() != second.data_ptr()


@pytest.mark.parametrize("name", ["ur5e", "puma560"])
def test_branches_of_the_inverse_geometry_have_gradients(name: str) -> None:
    """A branch after the pose is the identity, so its gradient is the weights."""
    arm = mp.Arm(name)
    pose, inverse = arm.torch("pose"), arm.torch("inverse_kinematics")
    dice = torch.Generator().manual_seed(3)
    q = (torch.rand(20, arm.dof, generator=dice, dtype=torch.float64) * 2 - 1).requires_grad_()
    found = inverse(pose(q))
    assert torch.equal(found.q, inverse(pose(q).reshape(20, 16)).q)
    turns = (found.q - q[:, None]).remainder(2 * torch.pi)
    apart = torch.minimum(turns, 2 * torch.pi - turns).amax(-1) + 10 * (1 - found.valid)
    least, branch = apart.min(1)
    assert least.max() < 1e-9
    own = found.q[torch.arange(20), branch]
    weights = torch.rand(own.shape, generator=dice, dtype=torch.float64)
    (slope,) = torch.autograd.grad(own, q, weights)
    assert torch.allclose(slope, weights, atol=1e-7)


def test_a_launch_hands_the_driver_addresses_steps_and_rows() -> None:
    from types import SimpleNamespace

    from manipula.algebra.run.cuda import LaunchNeeds, Steps
    from manipula.learning.pytorch import Launch

    seen: list[list[int]] = []

    def read(address: int) -> int:
        return ctypes.c_int64.from_address(address).value

    def launch_kernel(*given: int) -> None:
        seen.append([*given[:-2], *(read(read(given[-2] + 8 * i)) for i in range(8))])

    kept = np.array([7], dtype=np.int64)
    needs = LaunchNeeds(
        SimpleNamespace(launchKernel=launch_kernel), SimpleNamespace(kernel=SimpleNamespace(ptr=11)), (kept,)
    )
    first, last = Steps(np.int64(6), np.int64(1)), Steps(np.int64(3), np.int64(2))
    launch = Launch(needs, 130, [first, None], [last])  # the second input has no entries
    for shift in (0, 5):
        launch([100 + shift, 200, 300 + shift], 42)
        blocks = [11, 3, 1, 1, 64, 1, 1, 0, 42]
        assert seen.pop() == [*blocks, 130, 100 + shift, 6, 1, 7, 300 + shift, 3, 2]


def test_the_programs_of_the_guide_run(tmp_path: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "how-to" / "learning.md"
    programs = dict(re.findall(r"^```python (\S+)\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S))
    assert set(programs) == {"learn_friction.py", "branches.py", "nearest_answer.py", "tune_gains.py"}
    places = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    # in one process: loading PyTorch takes longer than they do
    words = [sys.executable, "-c", f"for text in {list(programs.values())!r}: exec(text, {{}}); print(chr(0))"]
    ran = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, env=places, check=False)
    assert ran.returncode == 0, ran.stderr
    printed = dict(zip(programs, ran.stdout.split("\0"), strict=False))
    costs = re.search(r"motions: (\S+) before, (\S+) after", printed["tune_gains.py"])
    assert costs and float(costs[2]) < 0.8 * float(costs[1])
    residual = re.search(r"before, (\S+) after", printed["learn_friction.py"])
    assert residual and float(residual[1]) < 1e-6
    assert "[0.4 0.4 0.4 0.4 0.4 0.4 0.4]" in printed["learn_friction.py"]
    assert "[0.9 0.9 0.9 0.9 0.9 0.9 0.9]" in printed["learn_friction.py"]
    assert "100 True True" in printed["nearest_answer.py"]
    assert "torch.Size([1000, 8, 6]) True" in printed["branches.py"]
