"""`Arm`: a numeric robot whose models are compiled on first use."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manipula.algebra.run.compiled import Compiled
from manipula.api import generate, load
from manipula.errors import InputError
from manipula.robot import Robot


class Arm:
    """Every model of a robot as a fast function of arrays; joint order is the file's, units SI and radians.

    >>> Arm("pucrio").gravity([0, 0, 0, 0, 0, 0]).shape
    (6,)
    """

    def __init__(self, robot: Robot | str, *, optimise: str = "fast") -> None:
        self.robot = load(robot) if isinstance(robot, str) else robot
        self.optimise = optimise
        self._compiled: dict[tuple[str, bool], Compiled] = {}

    @property
    def dof(self) -> int:
        return self.robot.dof

    def model(self, name: str, wrench: bool = False) -> Compiled:
        """The compiled model, made on first use."""
        key = (name, wrench)
        if key not in self._compiled:
            made = generate(self.robot, name, optimise=self.optimise, wrench=wrench)
            self._refuse_unknown(name, made.inputs.get("p", ()))
            self._compiled[key] = made.compile()
        return self._compiled[key]

    def _refuse_unknown(self, name: str, missing: Sequence[str]) -> None:
        """Only what a model needs must be known: a robot without masses still has its poses."""
        if missing:
            listed = ", ".join(missing[:8]) + (", …" if len(missing) > 8 else "")
            raise InputError(f"{self.robot.name}: {name} needs a value for {listed}; see robot.with_parameters(…)")

    def _call(self, name: str, *args: ArrayLike, wrench: ArrayLike | None = None) -> Any:
        extra = () if wrench is None else (wrench,)
        return self.model(name, wrench is not None)(*args, *extra)

    def pose(self, q: ArrayLike) -> NDArray[np.float64]:
        """The tool's pose in the world, (…, 4, 4)."""
        return self._call("pose", q)  # type: ignore[no-any-return]

    def frames(self, q: ArrayLike) -> NDArray[np.float64]:
        """Poses of links 1…n, then of the tool, (…, n+1, 4, 4)."""
        return self._call("frames", q)  # type: ignore[no-any-return]

    def jacobian(self, q: ArrayLike, frame: str = "world") -> NDArray[np.float64]:
        """(…, 6, n): linear rows, then angular; frame "world" or "tool"."""
        if frame not in ("world", "tool"):
            raise InputError(f"frame must be 'world' or 'tool', not {frame!r}")
        return self._call("jacobian" if frame == "world" else "jacobian_tool", q)  # type: ignore[no-any-return]

    def jacobian_dot(self, q: ArrayLike, qd: ArrayLike) -> NDArray[np.float64]:
        return self._call("jacobian_dot", q, qd)  # type: ignore[no-any-return]

    def inertia_matrix(self, q: ArrayLike) -> NDArray[np.float64]:
        return self._call("inertia_matrix", q)  # type: ignore[no-any-return]

    def coriolis(self, q: ArrayLike, qd: ArrayLike) -> NDArray[np.float64]:
        """C(q, q̇)·q̇"""
        return self._call("coriolis", q, qd)  # type: ignore[no-any-return]

    def coriolis_matrix(self, q: ArrayLike, qd: ArrayLike) -> NDArray[np.float64]:
        return self._call("coriolis_matrix", q, qd)  # type: ignore[no-any-return]

    def gravity(self, q: ArrayLike) -> NDArray[np.float64]:
        """The torques that hold the arm still."""
        return self._call("gravity", q)  # type: ignore[no-any-return]

    def inverse_dynamics(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, wrench_tool: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Joint torques; `wrench_tool` is the force, then moment, of the environment on the tool, world axes."""
        return self._call("inverse_dynamics", q, qd, qdd, wrench=wrench_tool)  # type: ignore[no-any-return]

    def forward_dynamics(
        self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike, wrench_tool: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Joint accelerations."""
        return self._call("forward_dynamics", q, qd, tau, wrench=wrench_tool)  # type: ignore[no-any-return]

    def energy(self, q: ArrayLike, qd: ArrayLike) -> Any:
        """(kinetic, potential), J."""
        return self._call("energy", q, qd)

    def joint_wrenches(
        self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, wrench_tool: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """What each joint carries, (…, n, 6): force, then moment."""
        return self._call("joint_wrenches", q, qd, qdd, wrench=wrench_tool)  # type: ignore[no-any-return]

    def regressor(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> NDArray[np.float64]:
        return self._call("regressor", q, qd, qdd)  # type: ignore[no-any-return]

    @cached_property
    def limits(self) -> Sequence[tuple[float, float]]:
        """Joint limits, rad or m; infinite where the file gives none."""
        from manipula.mechanics.robot.parameter import float_of

        moving = [joint for joint in self.robot.joints if joint.kind != "fixed"]
        values = self.robot._floats()
        free = (float("-inf"), float("inf"))
        return [free if j.limits is None else (float_of(j.limits[0], values), float_of(j.limits[1], values)) for j in moving]
