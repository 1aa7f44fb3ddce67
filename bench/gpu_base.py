"""A humanoid with a free base on a GPU beside frax: `python bench/gpu_base.py [--rows N]`.

The robot is the Unitree G1 of frax's own URDF, 29 joints and a free base. Both libraries get the same states, one
configuration after the other; frax runs under `jax.jit(jax.vmap(…))` in double and single precision, manipula by its
emitted CUDA on CuPy arrays. Rates are states a second of the fastest of ten calls, each waited for; the ratio is
manipula's rate over frax's. The torques of both are compared first, at states where their conventions of a base's
acceleration agree (a base at rest). Needs CuPy, JAX with CUDA and frax (`pip install frax`); says what is missing.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable
from importlib import resources
from typing import Any

import numpy as np

import manipula as mp

REPEATED, COMPARED, GRAVITY = 10, 1000, 9.81
HEAD = ["function", "dtype", "manipula", "frax", "ratio"]


def fastest(call: Callable[[], Any], wait: Callable[[Any], Any]) -> float:
    """Seconds of one call after two that compile."""
    for _ in range(2):
        wait(call())
    spent = []
    for _ in range(REPEATED):
        start = time.perf_counter()
        wait(call())
        spent.append(time.perf_counter() - start)
    return min(spent)


def states(n: int, rows: int) -> dict[str, Any]:
    """Joints drawn, the base level and at rest but for its acceleration."""
    draw = np.random.default_rng(3)
    drawn = {name: draw.uniform(-1, 1, size=(rows, n)) for name in ("q", "qd", "qdd", "tau")}
    still = np.zeros((rows, 3))
    turns = np.broadcast_to(np.eye(3), (rows, 3, 3)).copy()
    return drawn | {"wd0": draw.uniform(-1, 1, size=(rows, 3)), "a0": draw.uniform(-1, 1, size=(rows, 3))} | {
        "w0": still, "v0": still.copy(), "R0": turns,
    }  # fmt: skip


def peer(frax: Any, jax: Any, given: dict[str, Any], order: list[int], dtype: str) -> dict[str, Callable[[], Any]]:
    """frax's functions, its order of joints and of a base: position, quaternion w x y z, joints."""
    jnp, rows = jax.numpy, len(given["q"])
    quaternion = np.tile([0, 0, 0, 1.0, 0, 0, 0], (rows, 1))
    q = jnp.asarray(np.concatenate([quaternion, given["q"][:, order]], axis=1), dtype=dtype)
    v = jnp.asarray(np.concatenate([np.zeros((rows, 6)), given["qd"][:, order]], axis=1), dtype=dtype)
    base = np.concatenate([given["a0"] - [0, 0, GRAVITY], given["wd0"]], axis=1)
    a = jnp.asarray(np.concatenate([base, given["qdd"][:, order]], axis=1), dtype=dtype)
    tau = jnp.asarray(np.concatenate([np.zeros((rows, 6)), given["tau"][:, order]], axis=1), dtype=dtype)
    gravity = jnp.asarray([0, 0, GRAVITY, 0, 0, 0], dtype=dtype)
    inverse = jax.jit(jax.vmap(lambda q, v, a: frax.rnea(q, v, a, gravity, None)))
    forward = jax.jit(jax.vmap(lambda q, v, tau: frax.forward_dynamics(q, v, tau, None)))
    return {"inverse_dynamics": lambda: inverse(q, v, a), "forward_dynamics": lambda: forward(q, v, tau)}


def own(cupy: Any, robot: mp.Robot, given: dict[str, Any], dtype: str) -> dict[str, Callable[[], Any]]:
    """The emitted CUDA on CuPy arrays, results written into the same arrays at every call."""
    calls: dict[str, Callable[[], Any]] = {}
    for name in ("inverse_dynamics", "forward_dynamics"):
        function = mp.generate(robot, name).compile(dtype=dtype).to("cuda")
        arrays = [
            cupy.asarray(given[port.name].reshape(len(given["q"]), *port.shape), dtype=dtype)
            for port in function.inputs
        ]
        out = function(*arrays)
        calls[name] = lambda function=function, arrays=arrays, out=out: function(*arrays, out=out)  # type: ignore[misc]
    return calls


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1 << 20, help="states")
    options = parser.parse_args()
    try:
        import cupy
        import frax
        import jax
        from frax.robots.unitree_g1 import load_g1
    except ImportError as problem:
        print(f"nothing is measured: {problem}")
        return 0
    jax.config.update("jax_enable_x64", True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = resources.files(frax) / "assets/unitree_g1/g1_29dof_rev_1_0.urdf"
        robot = mp.load(str(path), base="free", exact=True)
    other = load_g1()
    names = list(robot.joint_names)
    order = [names.index(name) for name in other.joint_names if name in names]
    print(f"{cupy.cuda.runtime.getDeviceProperties(0)['name'].decode()}, frax beside CuPy {cupy.__version__}")

    few = states(len(names), COMPARED)
    ours, theirs = own(cupy, robot, few, "float64"), peer(other, jax, few, order, "float64")
    for name in ours:
        a = cupy.asnumpy(ours[name]()[0])[:, order]
        b = np.asarray(theirs[name]())[:, -len(names) :]
        print(f"{name}: largest difference over largest value {np.abs(a - b).max() / np.abs(b).max():.1e}")

    given, lines = states(len(names), options.rows), [HEAD]
    for dtype in ("float64", "float32"):
        jax.config.update("jax_enable_x64", dtype == "float64")  # else frax's own constants are double
        ours, theirs = own(cupy, robot, given, dtype), peer(load_g1(), jax, given, order, dtype)
        for name in ours:
            mine = options.rows / fastest(ours[name], lambda _: cupy.cuda.get_current_stream().synchronize())
            frax_rate = options.rows / fastest(theirs[name], jax.block_until_ready)
            rates = f"{mine / 1e6:.0f} M/s", f"{frax_rate / 1e6:.2f} M/s", f"{mine / frax_rate:.0f}"
            lines.append([name, dtype, *rates])
    widths = [max(map(len, column)) for column in zip(*lines)]
    for line in lines:
        print("  ".join(cell.rjust(width) for cell, width in zip(line, widths)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
