"""The peers on one arm: C that CasADi generates (see `forms`), and Pinocchio, MuJoCo and CasADi called from Python."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from joints import Joint, joints_of, mjcf, numeric_chain
from libraries import COMPILER, Missing, built

import manipula as mp

try:
    import casadi
    from forms import FORMS, symbols_of
except ImportError:
    casadi = None
try:
    import mujoco
except ImportError:
    mujoco = None
try:
    import pinocchio
except ImportError:
    pinocchio = None

MODELS = [
    "inverse_dynamics", "frames", "jacobian", "gravity", "inertia_matrix", "forward_dynamics", "regressor",
    "inverse_dynamics_derivatives", "forward_dynamics_derivatives",
]  # fmt: skip


class CasadiCode:
    """Functions of an arm as C of CasADi's: common subexpressions eliminated, the arm's numbers folded in."""

    def __init__(self, robot: mp.Robot, joints: list[Joint], models: Sequence[str]) -> None:
        if casadi is None:
            raise Missing("no Python package casadi")
        self.robot, symbols = robot, symbols_of(robot, joints)
        inputs = [symbols.q, symbols.v, symbols.a]
        self.functions = {
            f"{model}_{way}": casadi.Function(f"casadi_{model}_{way}", inputs, casadi.cse([*form(symbols)]))
            for model in models
            for way, form in FORMS[model].items()
        }

    def names(self, model: str) -> list[str]:
        return [f"{model}_{way}" for way in FORMS[model] if f"{model}_{way}" in self.functions]

    def library(self, flags: Sequence[str]) -> Path:
        """Compiled, with functions in the drivers' convention beside CasADi's own."""
        with tempfile.TemporaryDirectory() as folder:
            code = casadi.CodeGenerator("casadi.c")
            for function in self.functions.values():
                code.add(function)
            code.generate(f"{folder}/")
            source = Path(folder, "casadi.c")
            source.write_text("\n".join([source.read_text(), *(_shim(n, f) for n, f in self.functions.items())]))
            return built(COMPILER, [source], [*flags, "-lm"])


def _shim(name: str, function: Any) -> str:
    """void name(void *arm, q, v, a, out): the results one after the other."""
    sizes = [function.nnz_out(i) for i in range(function.n_out())]
    results = ", ".join(f"out + {sum(sizes[:i])}" for i in range(len(sizes)))
    words, whole = max(1, function.sz_w()), max(1, function.sz_iw())
    return f"""
void {name}(void *arm, const double *q, const double *v, const double *a, double *out) {{
  static double w[{words}];
  static casadi_int iw[{whole}];
  const double *arg[{max(3, function.sz_arg())}] = {{q, v, a}};
  double *res[{max(len(sizes), function.sz_res())}] = {{{results}}};
  casadi_{name}(arg, res, iw, w, 0);
}}"""


class PinocchioCalls:
    """The arm in Pinocchio, called from Python as its users do."""

    def __init__(self, robot: mp.Robot) -> None:
        if pinocchio is None:
            raise Missing("no Python package pin")
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


class MujocoCalls:
    """The arm in MuJoCo, called from Python."""

    def __init__(self, robot: mp.Robot) -> None:
        if mujoco is None:
            raise Missing("no Python package mujoco")
        self.model = mujoco.MjModel.from_xml_string(mjcf(joints_of(robot)))
        off = mujoco.mjtDisableBit
        self.model.opt.disableflags |= off.mjDSBL_CONTACT | off.mjDSBL_CONSTRAINT
        self.data = mujoco.MjData(self.model)

    def calls(self, q: Any, v: Any, a: Any) -> dict[str, Callable[[], Any]]:
        j, m, d = mujoco, self.model, self.data
        linear, angular, tau = np.zeros((3, m.nv)), np.zeros((3, m.nv)), np.zeros(m.nv)

        def frames() -> None:
            d.qpos[:] = q
            j.mj_kinematics(m, d)

        def jacobian() -> None:
            frames()
            j.mj_comPos(m, d)
            j.mj_jacBody(m, d, linear, angular, m.nbody - 1)

        def inverse_dynamics() -> None:
            d.qvel[:], d.qacc[:] = v, a
            frames()
            j.mj_comPos(m, d)
            j.mj_comVel(m, d)
            j.mj_rne(m, d, 1, tau)

        def inertia_matrix() -> None:
            frames()
            j.mj_comPos(m, d)
            j.mj_crb(m, d)

        def forward_dynamics() -> None:
            d.qpos[:], d.qvel[:], d.qfrc_applied[:] = q, v, a
            j.mj_forward(m, d)

        return {f.__name__: f for f in (frames, jacobian, inverse_dynamics, inertia_matrix, forward_dynamics)}


class CasadiCalls:
    """Inverse dynamics through CasADi's buffers: the arrays are fixed beforehand, a call takes no arguments."""

    def __init__(self, robot: mp.Robot) -> None:
        if casadi is None:
            raise Missing("no Python package casadi")
        self._code = CasadiCode(robot, joints_of(robot), ["inverse_dynamics"])
        self._external = casadi.external(
            "casadi_inverse_dynamics_on_joints", str(self._code.library(["-O3", "-march=native"]))
        )

    def calls(self, q: Any, v: Any, a: Any) -> dict[str, Callable[[], Any]]:
        self._buffer, run = self._external.buffer()
        self._given, self._out = [q, v, a], np.zeros(len(q))
        for k, x in enumerate(self._given):
            self._buffer.set_arg(k, memoryview(x))
        self._buffer.set_res(0, memoryview(self._out))
        return {"inverse_dynamics": run}
