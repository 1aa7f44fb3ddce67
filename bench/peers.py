"""The other libraries, on the same arm: Pinocchio through Python, and C that CasADi generates from a plain recursion.

CasADi's columns are not a shipped robot library: the models' own plain texts (Newton–Euler, composite and articulated
bodies), run on its expressions with the arm's numbers folded in, common subexpressions eliminated, its C compiled by
`cc -O3 -march=native`. That is what a careful user of CasADi gets, and the best generated code that existed.
"""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np

import manipula as mp
from manipula.mechanics.models import articulated, composite, jacobian, pose, regressor, torque
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.chain import Chain
from manipula.mechanics.robot.lift import mapped
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.spatial.floats import FLOATS

try:
    import casadi
except ImportError:
    casadi = None
try:
    import pinocchio
except ImportError:
    pinocchio = None

COMPILER = which("cc") or which("gcc")


class CasadiMaths:
    """`Maths` over CasADi's SX."""

    def number(self, value: Fraction) -> Any:
        return casadi.SX(float(value))

    def degrees(self, value: Fraction) -> Any:
        return casadi.SX(np.deg2rad(float(value)))

    def sin(self, x: Any) -> Any:
        return casadi.sin(x)

    def cos(self, x: Any) -> Any:
        return casadi.cos(x)

    def sqrt(self, x: Any) -> Any:
        return casadi.sqrt(x)

    def sign(self, x: Any) -> Any:
        return casadi.sign(x)


Plain = Callable[[Chain, Any, Any, Any], Any]
PLAIN: dict[str, Plain] = {
    "inverse_dynamics": torque.inverse_dynamics,
    "frames": lambda c, q, v, a: [at.rows() for at in pose.frames(c, q)],
    "jacobian": lambda c, q, v, a: jacobian.jacobian(c, q),
    "gravity": lambda c, q, v, a: torque.gravity(c, q),
    "inertia_matrix": lambda c, q, v, a: composite.inertia_matrix(c, q),
    "forward_dynamics": articulated.forward_dynamics,
    "regressor": regressor.regressor,
}
DERIVED = {"inverse_dynamics_derivatives": "inverse_dynamics", "forward_dynamics_derivatives": "forward_dynamics"}


def numeric_chain(robot: mp.Robot) -> Chain:
    return merge_fixed(bind(robot, FLOATS, {}))


class CasadiCode:
    """All functions of an arm as C of CasADi's, compiled into one library."""

    def __init__(self, robot: mp.Robot, models: Sequence[str]) -> None:
        chain = mapped(numeric_chain(robot), lambda x: x if x else 0, CasadiMaths())
        n = robot.dof
        inputs = [casadi.SX.sym(name, n) for name in ("q", "v", "a")]
        symbols = [casadi.vertsplit(x) for x in inputs]
        self.functions = {name: self._function(name, chain, inputs, symbols) for name in models}
        self._folder = tempfile.TemporaryDirectory()
        self.library = _compiled(self.functions, Path(self._folder.name))

    def _function(self, name: str, chain: Chain, inputs: list[Any], symbols: list[Any]) -> Any:
        found = _column(PLAIN[DERIVED.get(name, name)](chain, *symbols))
        outputs = [casadi.jacobian(found, x) for x in inputs] if name in DERIVED else [found]
        return casadi.Function(name, inputs, casadi.cse(outputs))

    def runner(self, name: str, loop: Any, state: Sequence[Any]) -> Callable[[int], None]:
        """Repeated calls on one state, in CasADi's calling convention."""
        function = self.functions[name]
        outputs = [np.empty(function.nnz_out(i)) for i in range(function.n_out())]
        given = np.array([x.ctypes.data for x in state], dtype=np.uint64)
        taken = np.array([x.ctypes.data for x in outputs], dtype=np.uint64)
        work, whole = np.empty(max(1, function.sz_w())), np.empty(max(1, function.sz_iw()), dtype=np.int64)
        address = ctypes.cast(getattr(self.library, name), ctypes.c_void_p).value
        places = [given.ctypes.data, taken.ctypes.data, whole.ctypes.data, work.ctypes.data, 0]
        run = loop.of(address, *places)

        def kept(count: int, alive: Any = (given, taken, work, whole, outputs, state)) -> None:
            run(count)

        return kept


def _column(value: Any) -> Any:
    flat: list[Any] = []

    def walk(x: Any) -> None:
        if isinstance(x, list | tuple):
            for item in x:
                walk(item)
        else:
            flat.append(casadi.SX(x))

    walk(value)
    return casadi.vertcat(*flat)


def _compiled(functions: dict[str, Any], folder: Path) -> Any:
    code = casadi.CodeGenerator("peer.c")
    for function in functions.values():
        code.add(function)
    code.generate(f"{folder}/")
    flags = ["-O3", "-march=native", "-shared", "-fPIC"]
    subprocess.run([str(COMPILER), *flags, "peer.c", "-o", "peer.so", "-lm"], cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "peer.so"))


class Pinocchio:
    """The arm in Pinocchio, called from Python as its users do."""

    def __init__(self, robot: mp.Robot) -> None:
        from tests.pinocchio_oracle import Oracle

        self.oracle = Oracle(numeric_chain(robot))
        self.model, self.data = self.oracle.model, self.oracle.data

    def calls(self, q: Any, v: Any, a: Any) -> dict[str, Callable[[], Any]]:
        p, m, d, tool = pinocchio, self.model, self.data, self.oracle.tool
        axes = p.ReferenceFrame.LOCAL_WORLD_ALIGNED
        return {
            "inverse_dynamics": lambda: p.rnea(m, d, q, v, a),
            "frames": lambda: p.framesForwardKinematics(m, d, q),
            "jacobian": lambda: p.computeFrameJacobian(m, d, q, tool, axes),
            "gravity": lambda: p.computeGeneralizedGravity(m, d, q),
            "inertia_matrix": lambda: p.crba(m, d, q),
            "forward_dynamics": lambda: p.aba(m, d, q, v, a),
            "regressor": lambda: p.computeJointTorqueRegressor(m, d, q, v, a),
            "inverse_dynamics_derivatives": lambda: p.computeRNEADerivatives(m, d, q, v, a),
            "forward_dynamics_derivatives": lambda: p.computeABADerivatives(m, d, q, v, a),
        }

    def batch(self, threads: int, *rows: Any) -> Callable[[], Any]:
        """Torques of many states; it wants a state a column."""
        pool = pinocchio.ModelPool(self.model, threads)
        columns = [np.asfortranarray(x.T) for x in rows]
        result = np.empty_like(columns[0], order="F")
        return lambda: pinocchio.rneaInParallel(threads, pool, *columns, result)
