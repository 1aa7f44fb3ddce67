"""The models of an arm as methods, declared for editors and type checkers: at run time `Arm` makes each from its entry.

`python -m tests.units.test_arm` writes the declarations anew from the catalogue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Given = ArrayLike  # (…, n): leading axes broadcast
Wrench = ArrayLike | None  # (…, 6)
Base = ArrayLike | tuple[ArrayLike, ...]  # the motion of a base that moves: (w0, wd0, a0), (R0, v0, w0) …
Out = Array | tuple[Array, ...] | None  # the arrays that receive the results

if TYPE_CHECKING:

    class OrientationArrays(NamedTuple):
        quaternion: Array
        bryant: Array
        rpy: Array
        cylindrical: Array
        spherical: Array

    class ManipulabilityArrays(NamedTuple):
        w: Array
        translation: Array
        rotation: Array

    class InverseDynamicsArraysOnBase(NamedTuple):
        tau: Array
        base_wrench: Array

    class NewtonEulerArrays(NamedTuple):
        w: Array
        wd: Array
        vd: Array
        F: Array
        N: Array
        f: Array
        n: Array
        tau: Array

    class LagrangeTermsArrays(NamedTuple):
        A: Array
        COR: Array
        CEN: Array
        GRA: Array
        FIN: Array
        FCOR: Array
        FCEN: Array
        FGRA: Array
        FPER: Array
        FGEN: Array

    class ForwardDynamicsArraysOnBase(NamedTuple):
        qdd: Array
        base_acceleration: Array

    class MomentumArrays(NamedTuple):
        momentum: Array
        change: Array

    class FrictionPartsArrays(NamedTuple):
        smooth: Array
        dry: Array

    class InverseDynamicsDerivativesArrays(NamedTuple):
        dq: Array
        dqd: Array
        dqdd: Array

    class ForwardDynamicsDerivativesArrays(NamedTuple):
        dq: Array
        dqd: Array
        dtau: Array

    class ForwardDynamicsDerivativesArraysOnBase(NamedTuple):
        dq: Array
        dqd: Array
        dtau: Array
        dbase: Array

    class EnergyArrays(NamedTuple):
        kinetic: Array
        potential: Array

    class TwoVelocityProductsArrays(NamedTuple):
        tau: Array
        slope: Array

    class JointMotionArrays(NamedTuple):
        rates: Array
        accelerations: Array

    class CentroidalMomentumArrays(NamedTuple):
        h: Array
        A: Array
        bias: Array

    class ClosureArrays(NamedTuple):
        correction: Array
        gap: Array


class Options(TypedDict, total=False):
    """What every call takes by name."""

    out: Out
    threads: int


class ToolOptions(Options, total=False):
    frame: str  # another frame by its name, in place of the tool


class ArmModels:
    """Every model of the catalogue; leading axes broadcast."""

    if TYPE_CHECKING:

        @overload
        def pose(self, q: Given, **how: Unpack[ToolOptions]) -> Array: ...
        @overload
        def pose(self, q: Given, *, base: Base, **how: Unpack[ToolOptions]) -> Array: ...
        def pose(self, *given: object, **how: object) -> object: ...
        @overload
        def frames(self, q: Given, **how: Unpack[Options]) -> Array: ...
        @overload
        def frames(self, q: Given, *, base: Base, **how: Unpack[Options]) -> Array: ...
        def frames(self, *given: object, **how: object) -> object: ...
        @overload
        def transforms(self, q: Given, **how: Unpack[Options]) -> Array: ...
        @overload
        def transforms(self, q: Given, *, base: Base, **how: Unpack[Options]) -> Array: ...
        def transforms(self, *given: object, **how: object) -> object: ...
        def orientation(self, q: Given, **how: Unpack[ToolOptions]) -> OrientationArrays: ...
        @overload
        def jacobian_tool(self, q: Given, **how: Unpack[ToolOptions]) -> Array: ...
        @overload
        def jacobian_tool(self, q: Given, *, base: Base, **how: Unpack[ToolOptions]) -> Array: ...
        def jacobian_tool(self, *given: object, **how: object) -> object: ...
        def jacobian_dot(self, q: Given, qd: Given, **how: Unpack[ToolOptions]) -> Array: ...
        @overload
        def axes(self, q: Given, **how: Unpack[Options]) -> Array: ...
        @overload
        def axes(self, q: Given, *, base: Base, **how: Unpack[Options]) -> Array: ...
        def axes(self, *given: object, **how: object) -> object: ...
        @overload
        def tool_velocity(self, q: Given, qd: Given, **how: Unpack[ToolOptions]) -> Array: ...
        @overload
        def tool_velocity(self, q: Given, qd: Given, *, base: Base, **how: Unpack[ToolOptions]) -> Array: ...
        def tool_velocity(self, *given: object, **how: object) -> object: ...
        def tool_acceleration(self, q: Given, qd: Given, qdd: Given, **how: Unpack[ToolOptions]) -> Array: ...
        def manipulability(self, q: Given, **how: Unpack[ToolOptions]) -> ManipulabilityArrays: ...
        @overload
        def centre_of_mass(self, q: Given, **how: Unpack[Options]) -> Array: ...
        @overload
        def centre_of_mass(self, q: Given, *, base: Base, **how: Unpack[Options]) -> Array: ...
        def centre_of_mass(self, *given: object, **how: object) -> object: ...
        @overload
        def centre_of_mass_jacobian(self, q: Given, **how: Unpack[Options]) -> Array: ...
        @overload
        def centre_of_mass_jacobian(self, q: Given, *, base: Base, **how: Unpack[Options]) -> Array: ...
        def centre_of_mass_jacobian(self, *given: object, **how: object) -> object: ...
        @overload
        def inverse_dynamics(
            self, q: Given, qd: Given, qdd: Given, wrench_tool: Wrench = None, **how: Unpack[Options]
        ) -> Array: ...
        @overload
        def inverse_dynamics(
            self, q: Given, qd: Given, qdd: Given, *, base: Base, **how: Unpack[Options]
        ) -> InverseDynamicsArraysOnBase: ...
        def inverse_dynamics(self, *given: object, **how: object) -> object: ...
        def newton_euler(
            self, q: Given, qd: Given, qdd: Given, wrench_tool: Wrench = None, **how: Unpack[Options]
        ) -> NewtonEulerArrays: ...
        def lagrange_terms(
            self, q: Given, qd: Given, qdd: Given, P: Given, **how: Unpack[Options]
        ) -> LagrangeTermsArrays: ...
        @overload
        def inertia_matrix(self, q: Given, **how: Unpack[Options]) -> Array: ...
        @overload
        def inertia_matrix(self, q: Given, *, base: Base, **how: Unpack[Options]) -> Array: ...
        def inertia_matrix(self, *given: object, **how: object) -> object: ...
        def inertia_matrix_inverse(self, q: Given, **how: Unpack[Options]) -> Array: ...
        @overload
        def coriolis(self, q: Given, qd: Given, **how: Unpack[Options]) -> Array: ...
        @overload
        def coriolis(self, q: Given, qd: Given, *, base: Base, **how: Unpack[Options]) -> Array: ...
        def coriolis(self, *given: object, **how: object) -> object: ...
        def coriolis_matrix(self, q: Given, qd: Given, **how: Unpack[Options]) -> Array: ...
        @overload
        def gravity(self, q: Given, **how: Unpack[Options]) -> Array: ...
        @overload
        def gravity(self, q: Given, *, base: Base, **how: Unpack[Options]) -> Array: ...
        def gravity(self, *given: object, **how: object) -> object: ...
        @overload
        def forward_dynamics(
            self, q: Given, qd: Given, tau: Given, wrench_tool: Wrench = None, **how: Unpack[Options]
        ) -> Array: ...
        @overload
        def forward_dynamics(self, q: Given, qd: Given, tau: Given, *, base: Base, **how: Unpack[Options]) -> Any: ...
        def forward_dynamics(self, *given: object, **how: object) -> object: ...
        def inverse_dynamics_smooth(
            self, q: Given, qd: Given, qdd: Given, slip: Given, **how: Unpack[Options]
        ) -> Array: ...
        def friction(self, q: Given, qd: Given, slip: Given, **how: Unpack[Options]) -> Array: ...
        @overload
        def tool_bias(self, q: Given, qd: Given, **how: Unpack[ToolOptions]) -> Array: ...
        @overload
        def tool_bias(self, q: Given, qd: Given, *, base: Base, **how: Unpack[ToolOptions]) -> Array: ...
        def tool_bias(self, *given: object, **how: object) -> object: ...
        @overload
        def momentum(self, q: Given, qd: Given, **how: Unpack[Options]) -> MomentumArrays: ...
        @overload
        def momentum(self, q: Given, qd: Given, *, base: Base, **how: Unpack[Options]) -> Array: ...
        def momentum(self, *given: object, **how: object) -> object: ...
        def friction_parts(
            self, q: Given, qd: Given, qdd: Given, way: Given, **how: Unpack[Options]
        ) -> FrictionPartsArrays: ...
        @overload
        def inverse_dynamics_derivatives(
            self, q: Given, qd: Given, qdd: Given, wrench_tool: Wrench = None, **how: Unpack[Options]
        ) -> InverseDynamicsDerivativesArrays: ...
        @overload
        def inverse_dynamics_derivatives(
            self, q: Given, qd: Given, qdd: Given, *, base: Base, **how: Unpack[Options]
        ) -> InverseDynamicsDerivativesArrays: ...
        def inverse_dynamics_derivatives(self, *given: object, **how: object) -> object: ...
        @overload
        def forward_dynamics_derivatives(
            self, q: Given, qd: Given, tau: Given, wrench_tool: Wrench = None, **how: Unpack[Options]
        ) -> ForwardDynamicsDerivativesArrays: ...
        @overload
        def forward_dynamics_derivatives(
            self, q: Given, qd: Given, tau: Given, *, base: Base, **how: Unpack[Options]
        ) -> Any: ...
        def forward_dynamics_derivatives(self, *given: object, **how: object) -> object: ...
        def inverse_dynamics_jvp(
            self,
            q: Given,
            qd: Given,
            qdd: Given,
            dq: Given,
            dqd: Given,
            dqdd: Given,
            wrench_tool: Wrench = None,
            **how: Unpack[Options],
        ) -> Array: ...
        def inverse_dynamics_vjp(
            self, q: Given, qd: Given, qdd: Given, weights: Given, wrench_tool: Wrench = None, **how: Unpack[Options]
        ) -> InverseDynamicsDerivativesArrays: ...
        def forward_dynamics_jvp(
            self,
            q: Given,
            qd: Given,
            tau: Given,
            dq: Given,
            dqd: Given,
            dtau: Given,
            wrench_tool: Wrench = None,
            **how: Unpack[Options],
        ) -> Array: ...
        def forward_dynamics_vjp(
            self, q: Given, qd: Given, tau: Given, weights: Given, wrench_tool: Wrench = None, **how: Unpack[Options]
        ) -> ForwardDynamicsDerivativesArrays: ...
        def operational_mobility(self, q: Given, **how: Unpack[ToolOptions]) -> Array: ...
        def operational_inertia(self, q: Given, **how: Unpack[ToolOptions]) -> Array: ...
        @overload
        def energy(self, q: Given, qd: Given, **how: Unpack[Options]) -> EnergyArrays: ...
        @overload
        def energy(self, q: Given, qd: Given, *, base: Base, **how: Unpack[Options]) -> EnergyArrays: ...
        def energy(self, *given: object, **how: object) -> object: ...
        def energy_regressor(self, q: Given, qd: Given, **how: Unpack[Options]) -> EnergyArrays: ...
        @overload
        def joint_wrenches(
            self, q: Given, qd: Given, qdd: Given, wrench_tool: Wrench = None, **how: Unpack[Options]
        ) -> Array: ...
        @overload
        def joint_wrenches(self, q: Given, qd: Given, qdd: Given, *, base: Base, **how: Unpack[Options]) -> Array: ...
        def joint_wrenches(self, *given: object, **how: object) -> object: ...
        @overload
        def regressor(self, q: Given, qd: Given, qdd: Given, **how: Unpack[Options]) -> Array: ...
        @overload
        def regressor(self, q: Given, qd: Given, qdd: Given, *, base: Base, **how: Unpack[Options]) -> Array: ...
        def regressor(self, *given: object, **how: object) -> object: ...
        @overload
        def base_regressor(self, q: Given, qd: Given, qdd: Given, **how: Unpack[Options]) -> Array: ...
        @overload
        def base_regressor(self, q: Given, qd: Given, qdd: Given, *, base: Base, **how: Unpack[Options]) -> Array: ...
        def base_regressor(self, *given: object, **how: object) -> object: ...
        def regressor_vjp(
            self, q: Given, qd: Given, qdd: Given, cotangent: Given, **how: Unpack[Options]
        ) -> InverseDynamicsDerivativesArrays: ...
        def base_regressor_vjp(
            self, q: Given, qd: Given, qdd: Given, cotangent: Given, **how: Unpack[Options]
        ) -> InverseDynamicsDerivativesArrays: ...
        def two_velocity_dynamics(
            self, q: Given, qd: Given, qd_r: Given, qdd_r: Given, slip: Given, **how: Unpack[Options]
        ) -> Array: ...
        def two_velocity_regressor(
            self, q: Given, qd: Given, qd_r: Given, qdd_r: Given, slip: Given, **how: Unpack[Options]
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
            **how: Unpack[Options],
        ) -> TwoVelocityProductsArrays: ...
        def base_inertia_matrix(self, q: Given, theta: Given, **how: Unpack[Options]) -> Array: ...
        def loaded_dynamics(
            self,
            q: Given,
            qd: Given,
            qd_r: Given,
            qdd_r: Given,
            slip: Given,
            load: Given,
            weights: Given,
            **how: Unpack[ToolOptions],
        ) -> TwoVelocityProductsArrays: ...
        def joint_motion(self, q: Given, qd: Given, qdd: Given, **how: Unpack[Options]) -> JointMotionArrays: ...
        @overload
        def centroidal_momentum(self, q: Given, qd: Given, **how: Unpack[Options]) -> CentroidalMomentumArrays: ...
        @overload
        def centroidal_momentum(
            self, q: Given, qd: Given, *, base: Base, **how: Unpack[Options]
        ) -> CentroidalMomentumArrays: ...
        def centroidal_momentum(self, *given: object, **how: object) -> object: ...
        def closure(self, q: Given, **how: Unpack[Options]) -> ClosureArrays: ...
