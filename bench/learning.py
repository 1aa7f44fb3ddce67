"""Panda inside PyTorch and JAX: states a second, forward and with gradients, beside frax where it is installed;
and all branches of a UR5e's inverse geometry in PyTorch.

python bench/learning.py [FOLDER]      FOLDER: where frax lies, if it is not installed
"""

# every function of a loop is called before its variables change
# ruff: noqa: B023

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
if len(sys.argv) > 1:
    sys.path.insert(0, sys.argv[1])

import numpy as np

import manipula as mp

MANY, FEW = 1 << 20, 4096


def best_time(call: Callable[[], Any], wait: Callable[[Any], Any], repeats: int = 20) -> float:
    for _ in range(3):
        wait(call())
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        wait(call())
        times.append(time.perf_counter() - start)
    return min(times)


def show(what: str, rows: int, seconds: float) -> None:
    print(f"{what:58s} {rows:8d} states  {seconds * 1e6:9.1f} µs  {rows / seconds / 1e6:10.1f} M/s", flush=True)


def attempt(part: Callable[[], None]) -> None:
    print(f"-- {part.__name__}", flush=True)
    try:
        part()
    except Exception:
        traceback.print_exc(file=sys.stdout)


def pytorch() -> None:
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    print("torch", torch.__version__, device)

    def wait(_: Any) -> None:
        if device == "cuda":
            torch.cuda.synchronize()

    arm = mp.Arm("panda")
    f, g = arm.torch("inverse_dynamics"), arm.torch("inverse_dynamics", parameters=["m7", "rx7", "ry7", "rz7"])
    for dtype in (torch.float64, torch.float32):
        for rows in (MANY if device == "cuda" else 1 << 16, FEW):
            q, v, a = (torch.rand(rows, 7, device=device, dtype=dtype) * 2 - 1 for _ in range(3))
            weights = torch.rand_like(q)
            show(f"torch {dtype} forward, eager", rows, best_time(lambda: f(q, v, a), wait))
            true = arm.inverse_dynamics(*(x[:64].double().cpu().numpy() for x in (q, v, a)))
            print("   largest difference from Arm", float(np.abs(f(q, v, a)[:64].double().cpu().numpy() - true).max()))
            x = [y.clone().requires_grad_() for y in (q, v, a)]
            show(
                f"torch {dtype} forward + backward, eager",
                rows,
                best_time(lambda: torch.autograd.grad(f(*x), x, weights), wait),
            )
            p = torch.rand(rows, 4, device=device, dtype=dtype).requires_grad_()
            show(
                f"torch {dtype} forward + backward, parameters per row",
                rows,
                best_time(lambda: torch.autograd.grad(g(*x, p), [*x, p], weights), wait),
            )
            if device == "cuda":
                attempt(lambda: graphed(torch, f, (q, v, a), rows, dtype, wait))


def inverse_geometry() -> None:
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    rows = MANY if device == "cuda" else 1 << 14

    def wait(_: Any) -> None:
        if device == "cuda":
            torch.cuda.synchronize()

    arm = mp.Arm("ur5e")
    pose, inverse = arm.torch("pose"), arm.torch("inverse_kinematics")
    for dtype in (torch.float64, torch.float32):
        q = torch.rand(rows, 6, device=device, dtype=dtype) * 2 - 1
        poses = pose(q)
        show(f"torch {dtype} all branches of a UR5e", rows, best_time(lambda: inverse(poses), wait))
        again = pose(inverse(poses).q)
        valid = inverse(poses).valid > 0
        print("   largest error of a pose", float((again - poses[:, None]).abs().amax((-1, -2))[valid].max()))
        x, weights = poses.clone().requires_grad_(), torch.rand(rows, 8, 6, device=device, dtype=dtype)
        both = best_time(lambda: torch.autograd.grad(inverse(x).q, x, weights), wait)
        show(f"torch {dtype} all branches, forward + backward", rows, both)


def rollouts() -> None:
    """A closed loop of a PUMA, 1000 steps: forward, and the gradient by twelve gains; the same on the processor."""
    import torch

    device = "cuda" if torch.cuda.is_available() else "cpu"
    robot, steps = mp.load("puma560").without("friction"), 1000
    law = mp.controller(robot, "computed_torque", kp=400, kd=40, sample=1e-3)
    ref = mp.trajectory.fourier(np.full((2, 6), 0.2), np.full((2, 6), 0.1), 2.0)
    loop = mp.closed_loop(robot.with_payload("mL", (0, 0, "rL")), law, ref, method="semi-implicit")
    f = loop.torch()

    def wait(_: Any) -> None:
        if device == "cuda":
            torch.cuda.synchronize()

    def ended(start: Any, kp: Any, kd: Any, count: int) -> Any:
        load = {"mL": 2.3, "rL": 0.1}
        return f(start, count, p={"kp": kp, "kd": kd, **load}, every=0).state.q.square().mean()

    def gradient(start: Any, count: int) -> Any:
        gains = [torch.full((6,), x, dtype=start[0].dtype, device=start[0].device).requires_grad_() for x in (400, 40)]
        return torch.autograd.grad(ended(start, *gains, count), gains)

    for dtype in (torch.float64, torch.float32):
        few = torch.rand(64, 6, dtype=dtype) - 0.5
        there = [x.cpu() for x in gradient(f.start(q=few.to(device)), 200)]
        error = max(float((x - y).abs().max() / y.abs().max()) for x, y in zip(there, gradient(f.start(q=few), 200)))
        print(f"   {dtype}: gradient beside the processor's, 200 steps: {error:.1e} of the largest", flush=True)
        for rows in (MANY, FEW) if device == "cuda" else (64,):
            start = f.start(q=torch.rand(rows, 6, dtype=dtype, device=device) - 0.5)
            gains = [torch.full((6,), x, dtype=dtype, device=device) for x in (400, 40)]
            forward = best_time(lambda: ended(start, *gains, steps), wait, 5)
            show(f"torch {dtype} closed loop, steps", rows * steps, forward)
            show(f"torch {dtype} closed loop, gradient", rows * steps, best_time(lambda: gradient(start, steps), wait, 3))


def graphed(torch: Any, f: Any, inputs: Any, rows: int, dtype: Any, wait: Any) -> None:
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            f(*inputs)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = f(*inputs)
    show(f"torch {dtype} forward, CUDA graph", rows, best_time(graph.replay, wait))
    print("   graph minus eager", float((result - f(*inputs)).abs().max()))


def time_in_a_row(call: Callable[[], Any], wait: Callable[[Any], Any], calls: int = 50, repeats: int = 5) -> float:
    """Seconds a call when many are under way: the device's own time, where that is longer than Python's."""
    return best_time(lambda: [call() for _ in range(calls)], wait, repeats) / calls


def jax_functions() -> None:
    import jax
    import jax.numpy as jnp

    print("jax", jax.__version__, jax.default_backend())
    attempt(jax_values)
    arm, many = mp.Arm("panda"), MANY if jax.default_backend() == "gpu" else 1 << 16
    wait = jax.block_until_ready
    for double in (True, False):
        jax.config.update("jax_enable_x64", double)
        f, name = arm.jax("inverse_dynamics"), "float64" if double else "float32"
        forward = jax.jit(f)
        # weights, as for torch: the sum of squares would be kernels of XLA's beside ours
        both = jax.jit(lambda w, *x: jax.vjp(f, *x)[1](w))
        for rows in (many, FEW, 1):
            keys = jax.random.split(jax.random.key(0), 4)
            *x, weights = (jax.random.uniform(k, (rows, 7), jnp.zeros(0).dtype, -1, 1) for k in keys)
            show(f"jax {name} forward, jit", rows, best_time(lambda: forward(*x), wait))
            show(f"jax {name} forward, jit, calls in a row", rows, time_in_a_row(lambda: forward(*x), wait))
            show(f"jax {name} backward, jit", rows, best_time(lambda: both(weights, *x), wait))
            show(f"jax {name} backward, jit, calls in a row", rows, time_in_a_row(lambda: both(weights, *x), wait))


def jax_values() -> None:
    """Values and gradients beside those of `Arm`, in the ways a program may call them; an error stops the part."""
    import jax

    rng, arm = np.random.default_rng(5), mp.Arm("panda")

    def compare(what: str, found: Any, expected: Any, tolerance: float) -> None:
        error = float(np.abs(np.asarray(found) - expected).max() / np.abs(expected).max())
        print(f"   {what:58s} {error:.1e} of the largest", flush=True)
        if not error <= tolerance:
            raise AssertionError(f"{what}: {error:.1e}, allowed {tolerance:.1e}")

    for double in (True, False):
        jax.config.update("jax_enable_x64", double)
        f, near, dtype = arm.jax("inverse_dynamics"), 1e-12 if double else 2e-5, "float64" if double else "float32"
        derivatives = arm.inverse_dynamics_derivatives
        for rows in (1, 3, 64, 65, 4097):
            x = [y.astype(dtype) for y in rng.uniform(-1, 1, (3, rows, 7))]
            true = arm.inverse_dynamics(*x)
            compiled = jax.jit(f).lower(*x).compile()
            if rows == 3:
                calls = {
                    line.split('"')[1] for line in compiled.as_text().splitlines() if "custom_call_target=" in line
                }
                print(f"   {dtype}: XLA calls {', '.join(sorted(calls)) or 'nothing: the emitted text'}")
            compare(f"{dtype}, {rows} rows", compiled(*x), true, near)
            compare("called outside of jit", f(*x), true, near)
            compare("one row for all", f(x[0], x[1][0], x[2]), arm.inverse_dynamics(x[0], x[1][0], x[2]), near)
            compare("under vmap", jax.vmap(f, (0, None, 0))(x[0], x[1][0], x[2]), f(x[0], x[1][0], x[2]), near)
            gradients = jax.jit(jax.grad(lambda *x: f(*x).sum(), (0, 1, 2)))(*x)
            for letter, g, d in zip(("q", "qd", "qdd"), gradients, derivatives(*x), strict=True):
                compare(f"gradient by {letter}", g, d.sum(-2), 20 * near)
        pose = arm.jax("pose")
        compare("pose, matrices", pose(x[0]), arm.pose(x[0]), near)
        # enough calls of one program that XLA makes a graph of them, run again on other memory
        chain = jax.jit(lambda q, v, a: [a := np.float32(0.01) * f(q, v, a) for _ in range(12)][-1])
        for _ in range(3):
            q, v, a = (y.astype(dtype) for y in rng.uniform(-1, 1, (3, 500, 7)))
            found, b = chain(q, v, a), a
            for _ in range(12):
                b = np.float32(0.01) * arm.inverse_dynamics(q, v, b)
            compare("twelve calls, each on the last one's result", found, b, 10 * near)


def frax() -> None:
    import jax
    import jax.numpy as jnp
    from frax.robots.franka_panda import load_panda

    many = MANY if jax.default_backend() == "gpu" else FEW
    for double in (True, False):
        jax.config.update("jax_enable_x64", double)
        robot, gravity = load_panda(), jnp.array([0.0, 0.0, 9.81, 0.0, 0.0, 0.0])
        rnea = lambda q, v, a: robot.rnea(q, v, a, gravity, None)  # noqa: E731
        forward = jax.jit(jax.vmap(rnea))
        both = jax.jit(jax.vmap(jax.grad(lambda q, v, a: (rnea(q, v, a) ** 2).sum(), argnums=(0, 1, 2))))
        keys = jax.random.split(jax.random.key(0), 3)
        x = [jax.random.uniform(k, (many, 7), minval=-1, maxval=1) for k in keys]
        name = "float64" if double else "float32"
        show(f"frax {name} forward", many, best_time(lambda: forward(*x), jax.block_until_ready, 5))
        show(f"frax {name} forward + backward", many, best_time(lambda: both(*x), jax.block_until_ready, 5))


if __name__ == "__main__":
    names = [word.removeprefix("--only=") for word in sys.argv[1:] if word.startswith("--only=")]
    for part in (pytorch, inverse_geometry, rollouts, jax_functions, frax):
        if not names or part.__name__ in names:
            attempt(part)
