"""The models of an arm as methods, declared for editors and type checkers: at run time `Arm` makes each from its entry.

`python -m tests.units.test_arm` writes the declarations anew from the catalogue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Given = ArrayLike  # (…, n): leading axes broadcast
Wrench = ArrayLike | None  # (…, 6)


class ArmModels:
    """Every model of the catalogue; leading axes broadcast."""

    if TYPE_CHECKING:

        def pose(self, q: Given, *, frame: str = "", out: Any = None, threads: int = 1) -> Array: ...
        def frames(self, q: Given, *, out: Any = None, threads: int = 1) -> Array: ...
        def transforms(self, q: Given, *, out: Any = None, threads: int = 1) -> Array: ...
        def orientation(self, q: Given, *, frame: str = "", out: Any = None, threads: int = 1) -> Any: ...
        def jacobian_tool(self, q: Given, *, frame: str = "", out: Any = None, threads: int = 1) -> Array: ...
        def jacobian_dot(self, q: Given, qd: Given, *, frame: str = "", out: Any = None, threads: int = 1) -> Array: ...
        def axes(self, q: Given, *, out: Any = None, threads: int = 1) -> Array: ...
        def tool_velocity(
            self, q: Given, qd: Given, *, frame: str = "", out: Any = None, threads: int = 1
        ) -> Array: ...
        def tool_acceleration(
            self, q: Given, qd: Given, qdd: Given, *, frame: str = "", out: Any = None, threads: int = 1
        ) -> Array: ...
        def manipulability(self, q: Given, *, frame: str = "", out: Any = None, threads: int = 1) -> Any: ...
        def centre_of_mass(self, q: Given, *, out: Any = None, threads: int = 1) -> Array: ...
        def centre_of_mass_jacobian(self, q: Given, *, out: Any = None, threads: int = 1) -> Array: ...
        def inverse_dynamics(
            self, q: Given, qd: Given, qdd: Given, wrench_tool: Wrench = None, *, out: Any = None, threads: int = 1
        ) -> Array: ...
        def newton_euler(
            self, q: Given, qd: Given, qdd: Given, wrench_tool: Wrench = None, *, out: Any = None, threads: int = 1
        ) -> Any: ...
        def lagrange_terms(
            self, q: Given, qd: Given, qdd: Given, P: Given, *, out: Any = None, threads: int = 1
        ) -> Any: ...
        def inertia_matrix(self, q: Given, *, out: Any = None, threads: int = 1) -> Array: ...
        def inertia_matrix_inverse(self, q: Given, *, out: Any = None, threads: int = 1) -> Array: ...
        def coriolis(self, q: Given, qd: Given, *, out: Any = None, threads: int = 1) -> Array: ...
        def coriolis_matrix(self, q: Given, qd: Given, *, out: Any = None, threads: int = 1) -> Array: ...
        def gravity(self, q: Given, *, out: Any = None, threads: int = 1) -> Array: ...
        def forward_dynamics(
            self, q: Given, qd: Given, tau: Given, wrench_tool: Wrench = None, *, out: Any = None, threads: int = 1
        ) -> Array: ...
        def inverse_dynamics_smooth(
            self, q: Given, qd: Given, qdd: Given, slip: Given, *, out: Any = None, threads: int = 1
        ) -> Array: ...
        def friction(self, q: Given, qd: Given, slip: Given, *, out: Any = None, threads: int = 1) -> Array: ...
        def tool_bias(self, q: Given, qd: Given, *, frame: str = "", out: Any = None, threads: int = 1) -> Array: ...
        def momentum(self, q: Given, qd: Given, *, out: Any = None, threads: int = 1) -> Any: ...
        def friction_parts(
            self, q: Given, qd: Given, qdd: Given, way: Given, *, out: Any = None, threads: int = 1
        ) -> Any: ...
        def inverse_dynamics_derivatives(
            self, q: Given, qd: Given, qdd: Given, wrench_tool: Wrench = None, *, out: Any = None, threads: int = 1
        ) -> Any: ...
        def forward_dynamics_derivatives(
            self, q: Given, qd: Given, tau: Given, wrench_tool: Wrench = None, *, out: Any = None, threads: int = 1
        ) -> Any: ...
        def inverse_dynamics_jvp(
            self,
            q: Given,
            qd: Given,
            qdd: Given,
            dq: Given,
            dqd: Given,
            dqdd: Given,
            wrench_tool: Wrench = None,
            *,
            out: Any = None,
            threads: int = 1,
        ) -> Array: ...
        def inverse_dynamics_vjp(
            self,
            q: Given,
            qd: Given,
            qdd: Given,
            weights: Given,
            wrench_tool: Wrench = None,
            *,
            out: Any = None,
            threads: int = 1,
        ) -> Any: ...
        def forward_dynamics_jvp(
            self,
            q: Given,
            qd: Given,
            tau: Given,
            dq: Given,
            dqd: Given,
            dtau: Given,
            wrench_tool: Wrench = None,
            *,
            out: Any = None,
            threads: int = 1,
        ) -> Array: ...
        def forward_dynamics_vjp(
            self,
            q: Given,
            qd: Given,
            tau: Given,
            weights: Given,
            wrench_tool: Wrench = None,
            *,
            out: Any = None,
            threads: int = 1,
        ) -> Any: ...
        def operational_mobility(self, q: Given, *, frame: str = "", out: Any = None, threads: int = 1) -> Array: ...
        def operational_inertia(self, q: Given, *, frame: str = "", out: Any = None, threads: int = 1) -> Array: ...
        def energy(self, q: Given, qd: Given, *, out: Any = None, threads: int = 1) -> Any: ...
        def energy_regressor(self, q: Given, qd: Given, *, out: Any = None, threads: int = 1) -> Any: ...
        def joint_wrenches(
            self, q: Given, qd: Given, qdd: Given, wrench_tool: Wrench = None, *, out: Any = None, threads: int = 1
        ) -> Array: ...
        def regressor(self, q: Given, qd: Given, qdd: Given, *, out: Any = None, threads: int = 1) -> Array: ...
        def base_regressor(self, q: Given, qd: Given, qdd: Given, *, out: Any = None, threads: int = 1) -> Array: ...
        def regressor_vjp(
            self, q: Given, qd: Given, qdd: Given, cotangent: Given, *, out: Any = None, threads: int = 1
        ) -> Any: ...
        def base_regressor_vjp(
            self, q: Given, qd: Given, qdd: Given, cotangent: Given, *, out: Any = None, threads: int = 1
        ) -> Any: ...
        def two_velocity_dynamics(
            self, q: Given, qd: Given, qd_r: Given, qdd_r: Given, slip: Given, *, out: Any = None, threads: int = 1
        ) -> Array: ...
        def two_velocity_regressor(
            self, q: Given, qd: Given, qd_r: Given, qdd_r: Given, slip: Given, *, out: Any = None, threads: int = 1
        ) -> Array: ...
        def two_velocity_products(
            self,
            q: Given,
            qd: Given,
            qd_r: Given,
            qdd_r: Given,
            slip: Given,
            theta: Given,
            weights: Given,
            *,
            out: Any = None,
            threads: int = 1,
        ) -> Any: ...
        def base_inertia_matrix(self, q: Given, theta: Given, *, out: Any = None, threads: int = 1) -> Array: ...
        def loaded_dynamics(
            self,
            q: Given,
            qd: Given,
            qd_r: Given,
            qdd_r: Given,
            slip: Given,
            load: Given,
            weights: Given,
            *,
            frame: str = "",
            out: Any = None,
            threads: int = 1,
        ) -> Any: ...
