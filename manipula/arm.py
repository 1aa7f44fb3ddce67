"""`Arm`: a numeric robot whose models are compiled on first use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manipula.algebra.run.compiled import Compiled
from manipula.api import generate, load
from manipula.errors import InputError
from manipula.generation.structure import numeric_chain, plan_of
from manipula.robot import Robot

if TYPE_CHECKING:
    from manipula.ik.answers import InverseBatch, InverseResult
    from manipula.ik.inverse import InverseSolver
    from manipula.mechanics.models.inverse.plan import Plan

Method = TypeVar("Method", bound=Callable[..., Any])
Array = NDArray[np.float64]


class Options(TypedDict, total=False):
    """What every model of an arm takes besides: where the results go, how many threads share many configurations."""

    out: Any
    threads: int


class _Compiled:
    """A method that becomes the compiled function itself.

    On first use the function is put into the instance, where Python finds it before the class. Its fast way takes one
    configuration of plain arrays; for all else it calls the method's own text.
    """

    def __init__(self, method: Callable[..., Any], thin: Callable[[Arm, Callable[..., Any]], Any]) -> None:
        self.method, self.thin, self.__doc__ = method, thin, method.__doc__

    def __get__(self, arm: Arm | None, owner: type) -> Any:
        if arm is None:
            return self.method
        thin = self.thin(arm, self.method)
        found = thin if thin is not None else self.method.__get__(arm)
        arm.__dict__[self.method.__name__] = found
        return found


def _model_call(arm: Arm, method: Callable[..., Any]) -> Any:
    """The thin call of a model, where there is one."""
    code = arm.model(method.__name__)
    return code.thin_call(_Owner(arm, method, code), method.__name__, method.__doc__ or "")


def _inverse_call(arm: Arm, method: Callable[..., Any]) -> Any:
    """The thin call of inverse kinematics, where there is one and it gives the general way's answers."""
    solver = arm.inverse_solver
    if solver.native is None or solver.plan.parameter:
        return None
    from manipula.ik.answers import InverseResult

    owner = _Owner(arm, method, solver.native)
    made = solver.native.door(owner, method.__name__, method.__doc__ or "", InverseResult, solver)
    trials = [solver.pose(q) for q in np.linspace(-1.0, 1.5, 4 * arm.dof).reshape(4, arm.dof)]
    agrees = all(np.array_equal(made(pose).q, owner.general(pose).q) for pose in trials)
    return made if agrees else None


class _Owner:
    """What the built-in function belongs to: it keeps the code loaded and knows the way for unusual arguments."""

    def __init__(self, arm: Arm, method: Callable[..., Any], code: object) -> None:
        self.arm, self.general, self.code = arm, method.__get__(arm), code

    def __getattr__(self, name: str) -> Any:
        """Unpickling asks the owner for the function by name."""
        if name.startswith("_") or name in ("arm", "general", "code"):
            raise AttributeError(name)
        return getattr(self.arm, name)

    def __reduce__(self) -> tuple[Any, ...]:
        return _arm_itself, (self.arm,)


def _arm_itself(arm: Arm) -> Arm:
    return arm


def _compiled(method: Method) -> Method:
    """To readers and type checkers the method stays what it is."""
    return cast(Method, _Compiled(method, _model_call))


def _solved(method: Method) -> Method:
    """The same for inverse kinematics."""
    return cast(Method, _Compiled(method, _inverse_call))


class Arm:
    """Every model of a robot as a fast function of arrays; joint order is the file's, units SI and radians.

    Leading axes broadcast: one call computes as many configurations as the arrays hold. Every model takes `out=` and
    `threads=` (0: all processors).

    >>> Arm("pucrio").gravity([0, 0, 0, 0, 0, 0]).shape
    (6,)
    """

    def __init__(self, robot: Robot | str, *, optimise: str = "fast") -> None:
        self.robot = load(robot) if isinstance(robot, str) else robot
        self.optimise = optimise
        self._models: dict[tuple[str, bool], Compiled] = {}
        self._partial: dict[str, Any] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return _arm_of, (self.robot, self.optimise)

    @property
    def dof(self) -> int:
        return self.robot.dof

    def model(self, name: str, wrench: bool = False) -> Compiled:
        """The compiled model, made on first use."""
        key = (name, wrench)
        if key not in self._models:
            made = generate(self.robot, name, optimise=self.optimise, wrench=wrench)
            self._refuse_unknown(name, made.inputs.get("p", ()))
            self._models[key] = made.compile()
        return self._models[key]

    def _refuse_unknown(self, name: str, missing: Sequence[str]) -> None:
        """Only what a model needs must be known: a robot without masses still has its poses."""
        if missing:
            listed = ", ".join(missing[:8]) + (", …" if len(missing) > 8 else "")
            how = "see robot.with_parameters(…), or --set in a shell"
            raise InputError(f"{self.robot.name}: {name} needs a value for {listed}; {how}")

    def _call(self, name: str, *args: ArrayLike, wrench: ArrayLike | None = None, options: Options) -> Array:
        extra = () if wrench is None else (wrench,)
        return self.model(name, wrench is not None).general(*args, *extra, **options)  # type: ignore[no-any-return]

    @_compiled
    def pose(self, q: ArrayLike, **options: Unpack[Options]) -> Array:
        """The tool's pose in the world, (…, 4, 4)."""
        return self._call("pose", q, options=options)

    @_compiled
    def frames(self, q: ArrayLike, **options: Unpack[Options]) -> Array:
        """Poses of links 1…n, then of the tool, (…, n+1, 4, 4)."""
        return self._call("frames", q, options=options)

    @_compiled
    def jacobian(self, q: ArrayLike, frame: str = "world", **options: Unpack[Options]) -> Array:
        """(…, 6, n): linear rows, then angular; frame "world" or "tool"."""
        if frame not in ("world", "tool"):
            raise InputError(f"frame must be 'world' or 'tool', not {frame!r}")
        name = "jacobian" if frame == "world" else "jacobian_tool"
        return self._call(name, q, options=options)

    @_compiled
    def jacobian_dot(self, q: ArrayLike, qd: ArrayLike, **options: Unpack[Options]) -> Array:
        """The Jacobian's rate of change, (…, 6, n)."""
        return self._call("jacobian_dot", q, qd, options=options)

    @_compiled
    def inertia_matrix(self, q: ArrayLike, **options: Unpack[Options]) -> Array:
        """M(q), (…, n, n), motor inertia on the diagonal."""
        return self._call("inertia_matrix", q, options=options)

    @_compiled
    def inertia_matrix_inverse(self, q: ArrayLike, **options: Unpack[Options]) -> Array:
        """M(q)⁻¹, (…, n, n)."""
        return self._call("inertia_matrix_inverse", q, options=options)

    @_compiled
    def coriolis(self, q: ArrayLike, qd: ArrayLike, **options: Unpack[Options]) -> Array:
        """C(q, q̇)·q̇"""
        return self._call("coriolis", q, qd, options=options)

    @_compiled
    def coriolis_matrix(self, q: ArrayLike, qd: ArrayLike, **options: Unpack[Options]) -> Array:
        """C(q, q̇), (…, n, n), with Ṁ − 2C skew."""
        return self._call("coriolis_matrix", q, qd, options=options)

    @_compiled
    def gravity(self, q: ArrayLike, **options: Unpack[Options]) -> Array:
        """The torques that hold the arm still."""
        return self._call("gravity", q, options=options)

    @_compiled
    def inverse_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        wrench_tool: ArrayLike | None = None,
        **options: Unpack[Options],
    ) -> Array:
        """Joint torques; `wrench_tool` is the force, then moment, of the environment on the tool, world axes."""
        return self._call("inverse_dynamics", q, qd, qdd, wrench=wrench_tool, options=options)

    @_compiled
    def forward_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        wrench_tool: ArrayLike | None = None,
        **options: Unpack[Options],
    ) -> Array:
        """Joint accelerations."""
        return self._call("forward_dynamics", q, qd, tau, wrench=wrench_tool, options=options)

    @_compiled
    def inverse_dynamics_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        wrench_tool: ArrayLike | None = None,
        **options: Unpack[Options],
    ) -> Any:
        """(dq, dqd, dqdd), each (…, n, n): a row a torque, a column a joint."""
        return self._call("inverse_dynamics_derivatives", q, qd, qdd, wrench=wrench_tool, options=options)

    @_compiled
    def forward_dynamics_derivatives(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        wrench_tool: ArrayLike | None = None,
        **options: Unpack[Options],
    ) -> Any:
        """(dq, dqd, dtau), each (…, n, n): a row an acceleration, a column a joint."""
        return self._call("forward_dynamics_derivatives", q, qd, tau, wrench=wrench_tool, options=options)

    @_compiled
    def inverse_dynamics_jvp(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        dq: ArrayLike,
        dqd: ArrayLike,
        dqdd: ArrayLike,
        wrench_tool: ArrayLike | None = None,
        **options: Unpack[Options],
    ) -> Array:
        """The change of the torques along (dq, dqd, dqdd): the derivatives times a column, without the matrices."""
        return self._call("inverse_dynamics_jvp", q, qd, qdd, dq, dqd, dqdd, wrench=wrench_tool, options=options)

    @_compiled
    def inverse_dynamics_vjp(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        weights: ArrayLike,
        wrench_tool: ArrayLike | None = None,
        **options: Unpack[Options],
    ) -> Any:
        """(dq, dqd, dqdd), each (…, n): the gradient of weights·torques, a row times the derivatives."""
        return self._call("inverse_dynamics_vjp", q, qd, qdd, weights, wrench=wrench_tool, options=options)

    @_compiled
    def forward_dynamics_jvp(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        dq: ArrayLike,
        dqd: ArrayLike,
        dtau: ArrayLike,
        wrench_tool: ArrayLike | None = None,
        **options: Unpack[Options],
    ) -> Array:
        """The change of the accelerations along (dq, dqd, dtau)."""
        return self._call("forward_dynamics_jvp", q, qd, tau, dq, dqd, dtau, wrench=wrench_tool, options=options)

    @_compiled
    def forward_dynamics_vjp(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        weights: ArrayLike,
        wrench_tool: ArrayLike | None = None,
        **options: Unpack[Options],
    ) -> Any:
        """(dq, dqd, dtau), each (…, n): the gradient of weights·accelerations."""
        return self._call("forward_dynamics_vjp", q, qd, tau, weights, wrench=wrench_tool, options=options)

    @_compiled
    def energy(self, q: ArrayLike, qd: ArrayLike, **options: Unpack[Options]) -> Any:
        """(kinetic, potential), J."""
        return self._call("energy", q, qd, options=options)

    @_compiled
    def joint_wrenches(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        qdd: ArrayLike,
        wrench_tool: ArrayLike | None = None,
        **options: Unpack[Options],
    ) -> Array:
        """What each joint carries, (…, n, 6): force, then moment."""
        return self._call("joint_wrenches", q, qd, qdd, wrench=wrench_tool, options=options)

    @_compiled
    def regressor(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, **options: Unpack[Options]) -> Array:
        """Y with τ = Y·parameters, (…, n, p)."""
        return self._call("regressor", q, qd, qdd, options=options)

    @_solved
    def inverse_kinematics(
        self,
        pose: ArrayLike,
        seed: ArrayLike | None = None,
        parameter: ArrayLike | None = None,
        *,
        task: str = "pose",
        tolerance: float | None = None,
    ) -> InverseResult | InverseBatch:
        """Every joint configuration that puts the tool at `pose` (4, 4); `.q` is (solutions, n).

        (…, 4, 4) gives a batch with a mask. `seed` orders the answers and chooses the turns; `parameter` fixes the free
        joint or arm angle of a redundant arm. `task`: "position" asks for the tool's origin alone (`pose` may then be
        x, y, z), "axis" for its origin and the direction of its z axis (a pose, or x, y, z and the direction).
        `tolerance`: the largest entry of |FK − pose| of an answer, m and rad. Left out it is 1e-12 for an arm of 1 m,
        and 4e-6 with fewer than six joints, where a pose is met exactly only if its last digit is right. A rotation
        written with three digits or more is made exact; one that is further off than `tolerance`, or 1e-3, is refused.
        """
        return self.solver_for(task)(pose, seed, parameter, tolerance)  # type: ignore[no-any-return]

    def solver_for(self, task: str = "pose") -> Any:
        """The solver behind `inverse_kinematics(…, task=…)`, made on first use."""
        from manipula.ik.partial.solver import PartialSolver, checked_task

        if checked_task(task) == "pose":
            return self.inverse_solver
        if task not in self._partial:
            self.model("pose")  # refuses a robot whose geometry is not known
            functions: dict[str, Any] = {"pose": self.pose, "jacobian": self.jacobian, "translate": _translate()}
            self._partial[task] = PartialSolver(task, numeric_chain(self.robot), self.limits, **functions)
        return self._partial[task]

    @cached_property
    def inverse_plan(self) -> Plan:
        """Which class of inverse kinematics the arm belongs to, and why. Needs no values: letters will do."""
        return plan_of(self.robot)

    @cached_property
    def inverse_solver(self) -> InverseSolver:
        """The solver behind `inverse_kinematics`; its `explanation` says which kind of arm this is, and why."""
        from manipula.ik.inverse import InverseSolver

        self.model("pose")  # refuses a robot whose geometry is not known
        chain = numeric_chain(self.robot)
        kinematics: dict[str, Any] = {"pose": self.pose, "jacobian": self.jacobian}
        if not self.inverse_plan.closed:
            return InverseSolver(chain, self.limits, translate=_translate(), **kinematics)
        closed = self.model("inverse_kinematics")
        native = _native(closed, self.model("pose"))
        return InverseSolver(chain, self.limits, closed=closed, native=native, translate=_translate(), **kinematics)

    @cached_property
    def limits(self) -> Sequence[tuple[float, float]]:
        """Joint limits, rad or m; infinite where the file gives none."""
        from manipula.mechanics.robot.values.parameter import float_of

        moving = [joint for joint in self.robot.joints if joint.kind != "fixed"]
        values = self.robot._floats()
        free = (float("-inf"), float("inf"))
        ends = [j.limits and (float_of(j.limits[0], values), float_of(j.limits[1], values)) for j in moving]
        return [free if pair is None else pair for pair in ends]


def _native(closed: Compiled, pose: Compiled) -> Callable[..., Any] | None:
    """What makes machine code that chooses the answers; None where there is no LLVM."""
    try:
        from manipula.algebra.run.chosen import chosen_branches
    except (ImportError, OSError):
        return None
    return partial(chosen_branches, closed, pose)


def _translate() -> Callable[[Callable[..., Any]], Callable[..., Any]] | None:
    """What makes machine code of a text with loops; None where there is no LLVM."""
    try:
        from manipula.algebra.run.routines import compiled
    except (ImportError, OSError):
        return None
    return compiled


def _arm_of(robot: Robot, optimise: str) -> Arm:
    return Arm(robot, optimise=optimise)
