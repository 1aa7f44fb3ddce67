"""The kinds of inputs a model may declare: what each is for, its unit, and how many entries it has for a robot.

An entry of the catalogue names its inputs; what a name means is said here once. A size comes from the robot, as one
entry a joint (`dof`), a base parameter (`base`) or an entry of the model's regressor (`regressor`), or is fixed: then
the entries have names of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

from manipula.scalar import Role

POSITION, VELOCITY, ACCELERATION, EFFORT = "rad or m", "rad/s or m/s", "rad/s² or m/s²", "N·m or N"
MOMENTUM = "N·m·s or N·s"


@dataclass(frozen=True)
class PortSizes:
    """What of a robot decides sizes; the base parameters are counted only when somebody asks."""

    dof: int
    base: Callable[[], int] = lambda: 0
    columns: Callable[[], int] = lambda: 0  # of the model's regressor
    driven: Sequence[int] | None = None  # of a robot with loops: the coordinates that have a motor, by their places
    frames: int = 0  # that the model is about
    held: int = 0  # rows of them that are held


@dataclass(frozen=True)
class PortKind:
    """One kind of input. `size`: "dof", "base", "pairs" (of base parameters), "regressor" (its entries, row by row), or
    the names of a fixed number."""

    name: str
    unit: str
    doc: str
    size: Literal["dof", "base", "pairs", "regressor", "frames", "held"] | tuple[str, ...] = "dof"
    role: Role = "variable"
    letter: str = ""  # of the entries, where it is not the port's own name
    unbounded: bool = False  # a setting that may be infinite: no limit at all
    divides: bool = False  # a setting that must not be zero, such as a time constant
    signed: bool = False  # a setting that may be negative: a position
    default: float | None = None  # of a setting that need not be given
    driven: bool = False  # of a robot with loops: one a motor

    def entries(self, sizes: PortSizes) -> list[str]:
        """The names of the entries: q1 … qn, or the fixed ones."""
        if isinstance(self.size, tuple):
            return list(self.size)
        if self.size == "regressor":
            places = product(range(sizes.dof), range(sizes.columns()))
            return [f"{self.letter or self.name}{i + 1}_{k + 1}" for i, k in places]
        if self.driven and sizes.driven is not None:
            return [f"{self.letter or self.name}{i + 1}" for i in sizes.driven]
        if self.size == "frames":
            return [f"{name}_{k + 1}" for k in range(sizes.frames) for name in _WRENCH]
        if self.size == "held":
            return [f"{self.letter or self.name}{i + 1}" for i in range(sizes.held)]
        base = 0 if self.size == "dof" else sizes.base()
        count = {"dof": sizes.dof, "base": base, "pairs": base * (base + 1) // 2}[self.size]
        return [f"{self.letter or self.name}{i + 1}" for i in range(count)]


_POSE = tuple(f"T{i}{j}" for i in range(1, 5) for j in range(1, 5))
_LOAD = tuple(f"{x}_load" for x in ("Kxx", "Kxy", "Kxz", "Kyy", "Kyz", "Kzz", "mx", "my", "mz", "m"))
_WRENCH = ("fx", "fy", "fz", "nx", "ny", "nz")

_POSE0 = tuple(f"T0_{i}{j}" for i in range(1, 5) for j in range(1, 5))
_TURN0 = tuple(f"R0_{i}{j}" for i in range(1, 4) for j in range(1, 4))


def _axes(name: str) -> tuple[str, ...]:
    return tuple(f"{name}_{axis}" for axis in "xyz")


_LIST = (
    PortKind("q", POSITION, "joint positions"),
    PortKind("qd", VELOCITY, "joint velocities", driven=True),
    PortKind("qdd", ACCELERATION, "joint accelerations", driven=True),
    PortKind("tau", EFFORT, "joint torques or forces", driven=True),
    PortKind("dq", POSITION, "a change of the positions"),
    PortKind("dqd", VELOCITY, "a change of the velocities"),
    PortKind("dqdd", ACCELERATION, "a change of the accelerations"),
    PortKind("dtau", EFFORT, "a change of the torques"),
    PortKind(
        "weights", "1/(N·m), 1/N …", "of the results, each of the unit that makes their sum a number", letter="weight"
    ),
    PortKind(
        "cotangent",
        "various",
        "weights of the regressor's entries, row by row, each of the unit that makes their sum a number",
        "regressor",
        letter="weight",
    ),
    PortKind("way", "1", "which way every joint moves or is about to: 1, −1; 0 at rest"),
    PortKind("slip", "1", "velocity over the width within which its sign is drawn out: sat(slip)"),
    PortKind("P", EFFORT, "perturbations: friction, actuator inertia"),
    PortKind("T", "1, m", "pose of the tool in the world, 4×4, row by row", _POSE),
    PortKind(
        "parameter", POSITION, "what a redundant arm leaves open: a joint's position, the arm angle", ("parameter",)
    ),
    PortKind("qd_r", VELOCITY, "velocities that a law asks for in place of the measured ones"),
    PortKind("qdd_r", ACCELERATION, "accelerations that a law asks for"),
    PortKind("theta", "SI", "base parameters", "base", letter="theta_"),  # theta1 is an angle of a table
    PortKind("load", "SI", "of a body in the tool, in its frame: second moments ∫x²dm …, first moments, mass", _LOAD),
    PortKind(
        "wrench", "N, N·m", "force, then moment, of the environment on the tool at its origin, world axes", _WRENCH
    ),
    PortKind(
        "wrenches",
        "N, N·m",
        "force, then moment, of the environment on each frame at its origin, world axes; on a moving base, base axes",
        "frames",
    ),
    PortKind("drift", "m, rad", "how far every row that is held has drifted, world axes", "held"),
    PortKind("baumgarte", "1/s², 1/s", "kp and kd: what pulls held frames back", ("kp", "kd")),
    # of a base that moves
    PortKind("T0", "1, m", "pose of the base in the world, 4×4, row by row", _POSE0),
    PortKind("R0", "1", "orientation of the base in the world, 3×3, row by row", _TURN0),
    PortKind("v0", "m/s", "velocity of the base's origin, base axes", _axes("v0")),
    PortKind("w0", "rad/s", "angular velocity of the base, base axes", _axes("w0")),
    PortKind("wd0", "rad/s²", "angular acceleration of the base, base axes", _axes("wd0")),
    PortKind(
        "a0", "m/s²", "acceleration of the base's origin less gravity, as an IMU reads it, base axes", _axes("a0")
    ),
)

FLOATING = ("T0", "R0", "v0", "w0", "wd0", "a0")  # those of a base that moves, in the order in which base= has them

PORTS: dict[str, PortKind] = {kind.name: kind for kind in _LIST}


# Inputs that laws of every kind have beside the measured q and q̇: what is wanted, damping, friction's smooth sign.

Q_REF = PortKind("q_ref", POSITION, "positions wanted")
QD_REF = PortKind("qd_ref", VELOCITY, "velocities wanted")
QDD_REF = PortKind("qdd_ref", ACCELERATION, "accelerations wanted")
DAMPING = PortKind("kd", "N·m·s/rad or N·s/m", "derivative gains", role="setting")
SMOOTHING = PortKind(
    "smoothing", VELOCITY, "velocity wanted within which the sign in friction is smooth", role="setting",
    divides=True, default=0.01,
)  # fmt: skip


# Inputs that control laws have beside the measured q and q̇: references, gains, limits.

STIFFNESS = PortKind("kp", "N·m/rad or N/m", "proportional gains", role="setting")
# of laws that ask for accelerations, which the model turns into torques
PULL = replace(STIFFNESS, unit="1/s²")
BRAKE = replace(DAMPING, unit="1/s")
LIMIT = PortKind("limit", EFFORT, "largest torques or forces, either way", role="setting", unbounded=True)
