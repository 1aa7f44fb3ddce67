"""`NumericArm`: a robot with numbers whose models are compiled on first use.

Every model of the catalogue is a method here: `_model_method` makes it, `ArmModels` declares it to type checkers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manipula.algebra.run.compiled_function import Compiled
from manipula.algebra.run.texts import CompiledMethod, MethodOwner, doc_with_signature
from manipula.errors import InputError, UnknownNameError, UnsetError, near_name, some_of
from manipula.generation.arm_structure import numeric_chain, plan_of
from manipula.generation.prepare import Request
from manipula.ik.arm.arm_models import ArmModels, Out
from manipula.ik.arm.base_motion import FrameModels, MovingCall, base_inputs
from manipula.ik.arm.closed_calls import PIVOT, ClosedCalls
from manipula.ik.arm.inverse_model import generate_model
from manipula.ik.numeric.arrays import Kinematics
from manipula.mechanics.models.catalogue import MODELS
from manipula.mechanics.models.entry import ALSO_CALLED, TOOL
from manipula.mechanics.models.ports import FLOATING, PORTS
from manipula.mechanics.robot.topology import has_own_frame, refuse_loops, refuse_moving, road_coordinates, with_frame
from manipula.messages import Message
from manipula.robot import Robot, RobotLike, as_robot
from manipula.support.progress import told_when_slow

if TYPE_CHECKING:
    from manipula.ik.answers import InverseBatch, InverseResult
    from manipula.ik.inverse import InverseSolver
    from manipula.ik.position_tasks import PartialSolver
    from manipula.mechanics.models.entry import ModelEntry as Entry
    from manipula.mechanics.models.inverse.plan import Plan

Method = TypeVar("Method", bound=Callable[..., object])
Array = NDArray[np.float64]
WRENCH = "wrench_tool"
ELSEWHERE = {  # what an arm of another library does, and who does it here
    "n": "dof", "links": "robot.joints", "q": "robot.poses", "qlim": "robot.joints", "base": "robot.with_base",
    "tool": "robot.with_tool", "payload": "robot.with_payload", "teach": "view", "workspace": "plot_workspace",
    "vellipse": "plot_ellipsoid", "reach": "mp.reach", "fdyn": "mp.simulate", "simulate": "mp.simulate",
    "loads": "mp.loads", "singularities": "mp.singularities",
}  # fmt: skip


def _model_call(arm: NumericArm, method: Callable[..., object]) -> Any:
    """The thin call of a model, where there is one; its help knows the shapes on this arm. A robot that branches is
    asked about a frame in the call itself, one whose base moves has a call of its own, and of one with loops the
    general way looks at the pivot."""
    entry = MODELS[method.__name__]
    if arm.robot.loops or (arm.robot.moving and not entry.floating):
        return None
    if entry.needs & TOOL and not has_own_frame(arm.robot):
        return None
    code = arm.model(method.__name__)
    if arm.robot.moving:
        return MovingCall(MethodOwner(arm, method, code), method)
    shapes = ", ".join(f"{port.name} (…{''.join(f', {size}' for size in port.shape)})" for port in code.outputs)
    doc = f"{method.__doc__ or ''}\n\nOn this arm: {shapes}."
    return code.thin_call(MethodOwner(arm, method, code), method.__name__, doc_with_signature(method, doc))


def _inverse_call(arm: NumericArm, method: Callable[..., object]) -> Any:
    """The thin call of inverse kinematics, where there is one and it gives the general way's answers."""
    with told_when_slow(f"preparing inverse kinematics of {arm.robot.name}, once"):
        return _inverse_code(arm, method)


def _inverse_code(arm: NumericArm, method: Callable[..., object]) -> Any:
    solver = arm.inverse_solver
    if solver.closed is None or arm._road is not arm:
        return None
    from manipula.ik.answers import InverseResult
    from manipula.ik.branch_selection import thin_code

    code = thin_code(solver, arm.model("inverse_kinematics"), arm.model("pose"))
    if code is None:
        return None
    owner = MethodOwner(arm, method, code)
    doc = doc_with_signature(method, method.__doc__ or "")
    made = code.thin(owner, method.__name__, doc, InverseResult, solver)
    # the thin call reads CPython's memory: it is believed only after it has agreed
    trials = [solver.pose(q) for q in np.linspace(-1.0, 1.5, 4 * arm.dof).reshape(4, arm.dof)]
    agrees = all(np.array_equal(made(pose).q, owner.general(pose).q) for pose in trials)
    return made if agrees else None


def _compile_method(method: Method) -> Method:
    """To readers and type checkers the method stays what it is."""
    return cast(Method, CompiledMethod(_named_for_people(method), _model_call))


def _solve_method(method: Method) -> Method:
    """The same for inverse kinematics."""
    return cast(Method, CompiledMethod(_named_for_people(method), _inverse_call))


def _named_for_people(method: Callable[..., object]) -> Callable[..., object]:
    """Under the name by which people have it: `help`, Python's own errors and pickles of the function say Arm."""
    method.__module__, method.__qualname__ = "manipula.arm", f"Arm.{method.__name__}"
    return method


class NumericArm(ArmModels, FrameModels):
    """Every model of a robot as a fast function of arrays, and its inverse kinematics."""

    def __init__(self, robot: RobotLike, *, optimise: str = "fast", frame: str = "") -> None:
        """`frame` names the frame that poses, Jacobians, wrenches and inverse kinematics are about; a robot that has
        one alone, as every serial arm, needs none named."""
        described = as_robot(robot)
        self.robot = described.at(frame) if frame else described
        self.optimise = optimise
        self._models: dict[tuple[str, bool], Compiled] = {}
        self._partial: dict[str, PartialSolver] = {}
        self._at: dict[str, Self] = {}
        self._framed: dict[tuple[Any, ...], Compiled] = {}
        self._base_ports: dict[str, list[str]] = {}

    def __repr__(self) -> str:
        """The robot, and which models are compiled by now."""
        made = ", ".join(dict.fromkeys(name for name, _ in self._models)) or "none"
        return f"<arm {self.robot.name}: {self.robot.freedoms}; compiled: {made[:200]}>"

    def __reduce__(self) -> tuple[object, ...]:
        return _arm_of, (type(self), self.robot, self.optimise)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """A model that was registered since: its method is made, and found from then on."""
            if name not in MODELS:
                known = [*MODELS, "plot", "plot_workspace", "plot_ellipsoid", "view"]
                meant = None if name.startswith("_") else near_name(name, known, ALSO_CALLED | ELSEWHERE)
                hint = f"; did you mean {meant}?" if meant else ""
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{hint}")
            # on the class: every arm has it, and it is found without this function from then on
            setattr(NumericArm, name, _model_method(MODELS[name]))
            return getattr(self, name)

    @property
    def dof(self) -> int:
        return self.robot.dof

    def at(self, frame: str) -> Self:
        """The same robot, asked about another of its frames."""
        if frame not in self._at:
            self._at[frame] = type(self)(self.robot, optimise=self.optimise, frame=frame)
        return self._at[frame]

    @cached_property
    def _closed(self) -> ClosedCalls:
        return ClosedCalls(self.robot)

    @cached_property
    def _road(self) -> Self:
        """The serial arm to the tool, whose inverse kinematics is requested; mostly the arm itself."""
        road = self.robot.road()
        # an arm of its own: it keeps its compiled models as any other does
        return self if road is self.robot else type(self)(road, optimise=self.optimise)

    @cached_property
    def _following(self) -> list[str]:
        """The joints on the road to the tool that move by others' coordinates."""
        coupled = self.robot.coordinates.followers
        return road_coordinates(with_frame(self.robot)).followers if coupled else []

    def model(self, name: str, wrench: bool = False) -> Compiled:
        """The compiled model, made on first use."""
        key = (name, wrench)
        if key not in self._models:
            with told_when_slow(f"making {name} of {self.robot.name}, once"):
                made = generate_model(Request(self.robot, name, optimise=self.optimise, wrench=wrench))
                self._refuse_unknown(name, made.inputs.get("p", ()))
                self._models[key] = made.compile()
        return self._models[key]

    def _refuse_unknown(self, name: str, missing: Sequence[str]) -> None:
        """Only what a model needs must be known: a robot without masses still has its poses."""
        if missing:
            raise UnsetError(
                Message("{name}: {why} needs a value for {some_of}", self.robot.name, name, some_of(missing)), missing
            )

    def _call(
        self, name: str, given: Sequence[ArrayLike], wrench: ArrayLike | None, base: object = None,
        wrenches: Mapping[str, ArrayLike] | None = None, **options: Any,
    ) -> Any:  # fmt: skip
        """The general way: any kind of array, many configurations; the wrench is an input only where one is given. Of
        a base that moves, `base` is its motion."""
        # another function, and not a wrench of zeros: without one a model costs less
        extra = () if wrench is None else (wrench,)
        numbers = [self._named(x) if isinstance(x, str) else x for x in given]
        if wrenches is not None:
            return self._pushed(name, numbers, base, wrenches, wrench, options)
        code = self.model(name, wrench is not None)
        if self.robot.moving or base is not None:
            if name not in self._base_ports:
                self._base_ports[name] = [x.name for x in code.inputs if x.name in FLOATING]
            numbers += base_inputs(self.robot, name, self._base_ports[name], base)
        if any(port.name == PIVOT for port in code.outputs):
            found = code.general(*numbers, *extra, threads=options["threads"])
            return self._closed.outputs(code, found, numbers[0], options["out"])
        return code.general(*numbers, *extra, **options)

    def _named(self, pose: str) -> Sequence[float]:
        """One of the robot's poses, by its name."""
        poses = self.robot.poses
        if not poses:
            raise InputError(
                "{name} has no poses by name, found {pose!r}; robot.with_poses(…) gives it some", self.robot.name, pose
            )
        if pose not in poses:
            raise UnknownNameError(Message("pose of {name}", self.robot.name), pose, poses)
        return poses[pose]

    @_compile_method
    def jacobian(
        self, q: ArrayLike, frame: str = "world", *, base: ArrayLike | None = None, out: Out = None, threads: int = 1
    ) -> Array:
        """(…, 6, n): linear rows, then angular; in "world" or "tool" axes, or of another frame, by its name, in world
        axes. Of a base that moves `base` is its orientation R0, (…, 3, 3), and its six columns come first."""
        if frame not in ("world", "tool"):
            return self.at(frame).jacobian(q, base=base, out=out, threads=threads)
        name = "jacobian" if frame == "world" else "jacobian_tool"
        return cast(Array, self._call(name, [q], None, base, out=out, threads=threads))

    @_solve_method
    def inverse_kinematics(
        self,
        pose: ArrayLike,
        seed: ArrayLike | None = None,
        parameter: ArrayLike | None = None,
        *,
        task: str = "pose",
        tolerance: float | None = None,
    ) -> InverseResult:
        """Every joint configuration that puts the tool at `pose` (4, 4); `.q` is (solutions, n), of a robot that
        branches the joints on the road to the tool.

        (…, 4, 4) gives a batch with a mask; `inverse_kinematics_batch` is the same for type checkers, which do not
        count axes. `seed` orders the answers and chooses the turns; `parameter` fixes the free
        joint or arm angle of a redundant arm. `task`: "position" asks for the tool's origin alone (`pose` may then be
        x, y, z), "axis" for its origin and the direction of its z axis (a pose, or x, y, z and the direction).
        `tolerance`: the largest entry of |FK − pose| of an answer, m and rad. Left out it is 1e-12 for an arm of 1 m,
        and 4e-6 with fewer than six freedoms, where a pose is met exactly only if its last digit is right. A rotation
        written with three digits or more is made exact; one that is further off than `tolerance`, or 1e-3, is refused.
        """
        answers: InverseResult = self.solver_for(task)(pose, seed, parameter, tolerance)
        return answers

    def inverse_kinematics_batch(
        self,
        poses: ArrayLike,
        seed: ArrayLike | None = None,
        parameter: ArrayLike | None = None,
        *,
        task: str = "pose",
        tolerance: float | None = None,
    ) -> InverseBatch:
        """`inverse_kinematics` of many poses, (…, 4, 4): every branch of each, and a mask of those that are answers."""
        from manipula.ik.answers import InverseBatch

        answers: object = self.inverse_kinematics(poses, seed, parameter, task=task, tolerance=tolerance)
        if not isinstance(answers, InverseBatch):
            raise InputError("inverse_kinematics_batch: expected many targets, found one; inverse_kinematics takes it")
        return answers

    def solver_for(self, task: str = "pose") -> InverseSolver | PartialSolver:
        """The solver behind `inverse_kinematics(…, task=…)`, made on first use."""
        from manipula.ik.position_tasks import PartialSolver, checked_task

        if checked_task(task) == "pose":
            return self.inverse_solver
        refuse_moving(self.robot, "inverse_kinematics")
        refuse_loops(self.robot, "inverse_kinematics")
        if odd := self._following:
            raise InputError(
                "task={task!r}: joint {odd!r} follows others, and parts of a pose are solved for free joints; "
                'task="pose" is solved, numerically',
                task,
                odd[0],
            )
        if self._road is not self:
            return self._road.solver_for(task)
        if task not in self._partial:
            self.model("pose")  # refuses a robot whose geometry is not known
            functions: dict[str, Kinematics] = {"pose": self.pose, "jacobian": self.jacobian}
            self._partial[task] = PartialSolver(task, numeric_chain(self.robot), self.limits, **functions)
        return self._partial[task]

    @cached_property
    def inverse_plan(self) -> Plan:
        """Which class of inverse kinematics the arm belongs to, and why. Needs no values: letters will do."""
        from manipula.ik.couplings import coupled_plan

        return coupled_plan(with_frame(self.robot)) if self._following else plan_of(self._road.robot)

    @cached_property
    def inverse_solver(self) -> InverseSolver:
        """The solver behind `inverse_kinematics`; its `explanation` says which kind of arm this is, and why."""
        refuse_moving(self.robot, "inverse_kinematics")
        refuse_loops(self.robot, "inverse_kinematics")
        from manipula.ik.couplings import CoupledSolver
        from manipula.ik.inverse import InverseSolver

        if not self._following and self._road is not self:
            return self._road.inverse_solver
        kinematics: dict[str, Any] = {"pose": self.model("pose"), "jacobian": self.jacobian}
        if self._following:
            robot = with_frame(self.robot)
            return CoupledSolver(robot, numeric_chain(robot), self.limits, **kinematics)
        chain = numeric_chain(self.robot)  # whose geometry is known, or its pose would have been refused
        closed = self.model("inverse_kinematics") if self.inverse_plan.has_closed_form else None
        return InverseSolver(chain, self.limits, closed=closed, **kinematics)

    @cached_property
    def limits(self) -> Sequence[tuple[float, float]]:
        """Joint limits, rad or m; infinite where the file gives none."""
        from manipula.ik.numeric.arrays import limits_of

        return limits_of(self.robot)


def _doc_of(entry: Entry) -> str:
    """What `help` says, from the catalogue."""
    ports = {name: PORTS[name] for name in entry.inputs} | ({WRENCH: PORTS["wrench"]} if entry.takes_wrench else {})
    takes = [f"{name}: {port.doc}, {port.unit}" for name, port in ports.items()]
    gives = [f"{name}: {meaning}, {unit}" for name, (unit, meaning) in entry.outputs.items()]
    takes += ["frame: another frame by its name, in place of the tool"] if entry.needs & TOOL else []
    takes += ["base: of a base that moves, its motion"] if entry.floating else []
    takes += ["wrenches: on several frames, by their names"] if entry.name == "inverse_dynamics" else []
    returned = "Returns" if len(gives) == 1 else "Returns, by name,"
    return "\n".join([f"{entry.doc[0].upper()}{entry.doc[1:]}.", "", *takes, "", returned, *gives])


def _model_method(entry: Entry) -> CompiledMethod:
    """The method of a model: the compiled function, and this text for what its fast way does not take.

    It is made as the standard library makes `namedtuple`: from a text, so that it is a function like one written by
    hand, as fast, with its arguments by name and Python's own words for a wrong call. All of the text is ours.
    """
    inputs, wrench = ", ".join(entry.inputs), f", {WRENCH}=None" if entry.takes_wrench else ""
    frame, about = (" frame='',", "(self.at(frame) if frame else self)") if entry.needs & TOOL else ("", "self")
    given = WRENCH if wrench else None
    base, moved = (" base=None,", "base, ") if entry.floating else ("", "")
    if entry.name == "inverse_dynamics":
        base, moved = f"{base} wrenches=None,", f"{moved}wrenches=wrenches, "
    text = f"""def {entry.name}(self, {inputs}{wrench}, *,{frame}{base} out=None, threads=1):
        return {about}._call({entry.name!r}, ({inputs},), {given}, {moved}out=out, threads=threads)"""
    made: dict[str, Any] = {"__name__": __name__}
    # names come from the catalogue, never from a user or a file
    exec(text, made)
    method = _named_for_people(made[entry.name])
    method.__doc__ = _doc_of(entry)
    return CompiledMethod(method, _model_call)


class _LazyMethod:
    """In the place of a model's method until somebody looks at it: an algorithm is loaded with the first look."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: NumericArm | None, owner: type[NumericArm]) -> Any:
        setattr(NumericArm, self.name, _model_method(MODELS[self.name]))
        return getattr(owner if instance is None else instance, self.name)


for _name in MODELS:
    if _name not in vars(NumericArm):  # some are written by hand, for the sake of what else they take
        setattr(NumericArm, _name, _LazyMethod(_name))


def _arm_of(kind: type[NumericArm], robot: Robot, optimise: str) -> NumericArm:
    return kind(robot, optimise=optimise)
