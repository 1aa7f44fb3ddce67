"""Models of an arm that take more than one array a port: the motion of a base that moves, as one array or a tuple of
those that a model takes; wrenches on several frames by name; frames that are held."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import update_wrapper
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from manipula.algebra.run.compiled_function import Compiled
from manipula.algebra.run.texts import MethodOwner
from manipula.errors import InputError
from manipula.generation.prepare import Request
from manipula.ik.arm.inverse_model import generate_model
from manipula.ik.numeric.tolerances import BaseTolerance
from manipula.mechanics.models.floating.frames import ROWS, Hold, frames_asked
from manipula.mechanics.models.ports import FLOATING
from manipula.mechanics.robot.description import RobotDescription
from manipula.messages import Message
from manipula.support.progress import told_when_slow

if TYPE_CHECKING:
    from manipula.ik.arm.arm_models import Array, Out
    from manipula.robot import Robot

MATRICES = {"R0": 3, "T0": 4}  # ports that are matrices, row by row


def base_inputs(robot: RobotDescription, model: str, ports: Sequence[str], base: object) -> list[Any]:
    """The base's inputs of a model, from what was given as base=."""
    if not robot.moving:
        raise InputError("{name}: its base stands still, so {model} takes no base=", robot.name, model)
    if not ports:
        if base is not None:
            raise InputError("{name}: {model} does not depend on the base's motion; drop base=", robot.name, model)
        return []
    if base is None:
        raise InputError("{name}: its base moves, so {model} needs base={wanted}", robot.name, model, _wanted(ports))
    given = [base] if len(ports) == 1 else base
    if not isinstance(given, list | tuple) or len(given) != len(ports):
        found = len(given) if isinstance(given, list | tuple) else Message("one array")
        raise InputError("{model}: expected base={wanted}, found {found}", model, _wanted(ports), found)
    return [_matrix(model, port, x) if port in MATRICES else x for port, x in zip(ports, given)]


def _wanted(ports: Sequence[str]) -> str:
    return ports[0] if len(ports) == 1 else f"({', '.join(ports)})"


def _matrix(model: str, port: str, value: ArrayLike) -> Array:
    """Row by row, its rotation checked."""
    size = MATRICES[port]
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("{model}: {port}: expected numbers, found {value!r:.60}", model, port, value) from None
    if array.shape[-2:] != (size, size):
        raise InputError(
            "{model}: {port}: expected a matrix (…, {size}, {size2}), found shape {shape}; "
            "mp.states.rotation makes one of a quaternion",
            model,
            port,
            size,
            size,
            str(array.shape),
        )
    R = array[..., :3, :3]
    error = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max(initial=0.0)
    if not (error <= BaseTolerance.ROTATION and np.all(np.linalg.det(R) > 0)):
        raise InputError(
            "{model}: {port}: its rotation is not one: RᵀR is off by {error:.1e}", model, port, float(error)
        )
    return array.reshape(*array.shape[:-2], size * size)


class MovingCall:
    """The call of a model on a base that moves: one configuration of arrays goes straight to the compiled function, all
    else the general way. Pickles as the method of its arm."""

    def __init__(self, owner: MethodOwner, method: Callable[..., object]) -> None:
        code: Any = owner.code
        ports = [port.name for port in code.inputs if port.name in FLOATING]
        self.owner, self.code, self.general = owner, code, owner.general
        self.given, self.moved = len(code.inputs) - len(ports), len(ports)
        self.matrix = MATRICES.get(ports[0], 0) if ports else 0  # R0 and T0 come first
        update_wrapper(self, method.__get__(owner.instance))

    def __call__(self, *given: Any, base: Any = None, **options: Any) -> Any:
        if not options and len(given) == self.given and given[0].__class__ is np.ndarray:
            if base.__class__ is tuple and len(base) == self.moved > 1:
                if not self.matrix:
                    return self.code(*given, *base)
                if _is_plain_rotation(base[0], self.matrix):
                    return self.code(*given, base[0].ravel(), *base[1:])
            elif self.moved == 0 and base is None:
                return self.code(*given)
            elif self.moved == 1 and self.matrix and _is_plain_rotation(base, self.matrix):
                return self.code(*given, base.ravel())
        return self.general(*given, base=base, **options)

    def __reduce__(self) -> tuple[object, ...]:
        return getattr, (self.owner.instance, self.general.__name__)


def _is_plain_rotation(value: object, size: int) -> bool:
    """A quick yes for one matrix of floats; where it is no, the general way looks again and says why."""
    if value.__class__ is not np.ndarray or value.shape != (size, size) or value.dtype.char != "d":
        return False
    near = BaseTolerance.ROTATION / 4
    if size == 3:
        (a, b, c), (d, e, f), (g, h, i) = value.tolist()
    else:
        (a, b, c, _), (d, e, f, _), (g, h, i, _), _ = value.tolist()
    return bool(
        abs(a * a + b * b + c * c - 1) < near
        and abs(d * d + e * e + f * f - 1) < near
        and abs(a * d + b * e + c * f) < near
        and abs(b * f - c * e - g) < near
        and abs(c * d - a * f - h) < near
        and abs(a * e - b * d - i) < near
    )


class FrameModels:
    """Models about several frames, which the call names."""

    if TYPE_CHECKING:
        robot: Robot
        optimise: str
        _framed: dict[tuple[Any, ...], Compiled]

    def frame_jacobians(
        self, q: ArrayLike, frames: Sequence[str], *, base: ArrayLike | None = None, out: Out = None, threads: int = 1
    ) -> Array:
        """(…, frames, 6, n): of every frame linear rows, then angular, world axes. Of a base that moves `base` is its
        orientation R0, (…, 3, 3), and its six columns come first."""
        named, _ = frames_asked(self.robot, frames, None)
        found: Array = self._about("frame_jacobians", named, (), [q], base, out=out, threads=threads)
        return found

    def frame_biases(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        frames: Sequence[str],
        *,
        base: object = None,
        out: Out = None,
        threads: int = 1,
    ) -> Array:
        """(…, frames, 6): J̇·v of every frame, world axes. Of a base that moves `base` is (R0, v0, w0)."""
        named, _ = frames_asked(self.robot, frames, None)
        found: Array = self._about("frame_biases", named, (), [q, qd], base, out=out, threads=threads)
        return found

    def constrained_dynamics(
        self,
        q: ArrayLike,
        qd: ArrayLike,
        tau: ArrayLike,
        hold: Mapping[str, object],
        *,
        base: object = None,
        kp: float = 0.0,
        kd: float = 0.0,
        drift: ArrayLike | None = None,
        out: Out = None,
        threads: int = 1,
    ) -> Any:
        """Accelerations under torques while frames are held, `hold={"FL_FOOT": "point"}`, and the forces that hold.

        A frame is held as a "point", a "pose", or as ("rolling", radius), a ball or an upright wheel on level ground.
        `forces` has three rows for a point and what rolls, six for a pose, in world axes, as they act on the robot.
        `kp` and `kd` pull held rows back that have drifted: by `drift`, world axes, and by their velocities. Of a base
        that moves `base` is (R0, v0, w0), and `base_acceleration` has the rates of v0 and w0.
        """
        named, held = frames_asked(self.robot, (), hold)
        rows = np.zeros(sum(ROWS[kind] for kind, _ in held)) if drift is None else drift
        given = [q, qd, tau, rows, [kp, kd]]
        return self._about("constrained_dynamics", named, held, given, base, out=out, threads=threads)

    def _about(
        self,
        name: str,
        frames: tuple[str, ...],
        hold: tuple[Hold, ...],
        given: Sequence[Any],
        base: object,
        **options: Any,
    ) -> Any:
        """The model of these frames, made on first use."""
        key = (name, frames, hold)
        if key not in self._framed:
            with told_when_slow(f"making {name} of {self.robot.name}, once"):
                request = Request(self.robot, name, optimise=self.optimise, frames=frames, hold=hold)
                self._framed[key] = generate_model(request).compile()
        code, numbers = self._framed[key], list(given)
        if self.robot.moving or base is not None:
            ports = [port.name for port in code.inputs if port.name in FLOATING]
            at = next((k for k, port in enumerate(code.inputs) if port.name in FLOATING), len(numbers))
            numbers[at:at] = base_inputs(self.robot, name, ports, base)
        return code.general(*numbers, **options)

    def _pushed(
        self,
        name: str,
        given: Sequence[Any],
        base: object,
        wrenches: Mapping[str, ArrayLike],
        wrench: Any,
        options: Any,
    ) -> Any:
        """Inverse dynamics with wrenches on frames by name."""
        if wrench is not None:
            raise InputError("{name}: give wrench_tool or wrenches, not both", name)
        if not isinstance(wrenches, Mapping) or not wrenches:
            raise InputError("wrenches: expected forces and moments by frame, found {wrenches!r}", wrenches)
        arrays = [_six(frame, value) for frame, value in wrenches.items()]
        lead = np.broadcast_shapes(*(x.shape[:-1] for x in arrays))
        flat = np.concatenate([np.broadcast_to(x, (*lead, 6)) for x in arrays], -1)
        named, _ = frames_asked(self.robot, tuple(wrenches), None)
        return self._about(name, named, (), [*given, flat], base, **options)


def _six(frame: str, value: ArrayLike) -> Array:
    array = np.asarray(value, dtype=np.float64)
    if array.shape[-1:] != (6,):
        raise InputError("wrenches: {frame}: expected shape (…, 6), found {shape}", frame, str(array.shape))
    return array
