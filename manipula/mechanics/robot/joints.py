"""The kinds of joint: all that depends on the kind stands in its class. A new kind is a class here and its place in
`KINDS`: files, tables, names, models, reductions and checks go by that list.

A joint moves by x about its own z axis, along it, or both. `turn` and `slide` are the angular and the linear share of a
coordinate, a rate or an acceleration; what the motor feels of the wrench (f, n) the joint transmits follows by power:
n_z·turn(1) + f_z·slide(1). In 4×4 form the unit motion is L = (turn(1)·[z]×, slide(1)·z).

A body moves alike with the link before the joint if the joint does not move it at all, L J = 0 for its pseudo-inertia
J: such bodies belong to both links, and `split` takes them out of a link's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeVar

from manipula.mechanics.robot.values.parameter import ParameterEntry
from manipula.mechanics.spatial.inertia import InertiaTensor, RigidBody, rod
from manipula.mechanics.spatial.placement import Placement, shift_along, turn_about
from manipula.mechanics.spatial.vector import Vector, matsub
from manipula.messages import Message
from manipula.scalar import Maths, Scalar

OwnKind = TypeVar("OwnKind", bound="JointKind")


@dataclass(frozen=True)
class JointKind:
    """`parameters` are the kind's own (a pitch), scalars of the tree, in the order of `entries`."""

    parameters: tuple[Scalar, ...] = ()

    name: ClassVar[str]
    turns: ClassVar[bool] = False
    slides: ClassVar[bool] = False
    field: ClassVar[Literal["theta", "d", ""]] = ""  # of a Denavit–Hartenberg row: where the coordinate stands
    entries: ClassVar[tuple[ParameterEntry, ...]] = ()
    kept: ClassVar[tuple[str, ...]] = ()  # the moments `split` leaves on a link
    formats: ClassVar[Mapping[str, str]] = {}  # what other formats call it; one that is not here cannot say it
    words: ClassVar[tuple[str, ...]] = ()  # in a pasted table, without accents

    @property
    def pivots(self) -> bool:
        """It turns and does nothing else: the points of its axis stand still."""
        return self.turns and not self.slides

    def motion(self, x: Scalar, maths: Maths[Scalar]) -> Placement:
        """The displacement at x."""
        raise NotImplementedError

    def turn(self, rate: Scalar) -> Any:
        """The angular share."""
        return rate if self.turns else 0

    def slide(self, rate: Scalar) -> Any:
        """The linear share."""
        return rate if self.slides else 0

    def effort(self, f: Vector, n: Vector) -> Scalar:
        """What the motor feels."""
        raise NotImplementedError

    def split(self, body: RigidBody) -> tuple[RigidBody, RigidBody]:
        """(what is left on the link, what belongs to the link before as well), both in the joint's frame."""
        raise NotImplementedError

    def map_entries(self: OwnKind, change: Callable[[Scalar], Scalar]) -> OwnKind:
        """The same kind over another scalar."""
        return type(self)(tuple(map(change, self.parameters)))

    def rescale(self: OwnKind, length: Scalar) -> OwnKind:
        """The same with lengths measured in `length`."""
        changed = (x / length if entry.quantity == "length" else x for entry, x in zip(self.entries, self.parameters))
        return type(self)(tuple(changed))


class Revolute(JointKind):
    name, turns, field = "revolute", True, "theta"
    kept = ("Kxx", "Kxy", "Kxz", "Kyy", "Kyz", "mx", "my")
    formats: ClassVar[Mapping[str, str]] = {"urdf": "revolute", "par": "0", "checker": "R"}
    words = ("r", "rot", "revolute", "revoluta", "revoluto", "rotacional", "rotativa", "rotacao", "rotary",
             "rotational", "rotatoria", "rotation", "0")  # fmt: skip

    def motion(self, x: Scalar, maths: Maths[Scalar]) -> Placement:
        return turn_about("z", maths.cos(x), maths.sin(x))

    def effort(self, f: Vector, n: Vector) -> Scalar:
        return n[2]

    def split(self, body: RigidBody) -> tuple[RigidBody, RigidBody]:
        """Inertia on the axis (M, S_z, K_zz) does not feel the joint turn."""
        axis = rod(body.K[2][2])
        kept = RigidBody(0, (body.s[0], body.s[1], 0), InertiaTensor(matsub(body.I, axis.I)))
        return kept, RigidBody(body.m, (0, 0, body.s[2]), axis)


class Prismatic(JointKind):
    name, slides, field = "prismatic", True, "d"
    kept = ("mx", "my", "mz", "m")
    formats: ClassVar[Mapping[str, str]] = {"urdf": "prismatic", "par": "1", "checker": "P"}
    words = ("p", "t", "prism", "prismatic", "prismatica", "prismatico", "translacional", "translacao", "linear",
             "translational", "translation", "1")  # fmt: skip

    def motion(self, x: Scalar, maths: Maths[Scalar]) -> Placement:
        return shift_along("z", x)

    def effort(self, f: Vector, n: Vector) -> Scalar:
        return f[2]

    def split(self, body: RigidBody) -> tuple[RigidBody, RigidBody]:
        """The orientation stays, so all second moments belong to the link before as well."""
        return RigidBody(body.m, body.s), RigidBody(second=body.second)


class Helical(JointKind):
    """A screw: it turns by q and advances by pitch·q, along its axis for a positive pitch."""

    name, turns, slides, field = "helical", True, True, "theta"
    entries = (ParameterEntry("pitch", "screw", ("advance per radian",) * 2, bound="any", quantity="length"),)
    kept = ("Kxx", "Kxy", "Kxz", "Kyy", "Kyz", "mx", "my", "mz", "m")
    words = ("h", "helical", "screw", "helicoidal", "parafuso")

    def motion(self, x: Scalar, maths: Maths[Scalar]) -> Placement:
        return turn_about("z", maths.cos(x), maths.sin(x)) @ shift_along("z", self.slide(x))

    def slide(self, rate: Scalar) -> Scalar:
        return rate * self.parameters[0]

    def effort(self, f: Vector, n: Vector) -> Scalar:
        return n[2] + self.parameters[0] * f[2]

    def split(self, body: RigidBody) -> tuple[RigidBody, RigidBody]:
        """L J = (z×K + h z Sᵀ, z×S + h M z) is nothing for K_zz alone: a rod on the axis, without mass."""
        axis = rod(body.K[2][2])
        return RigidBody(body.m, body.s, InertiaTensor(matsub(body.I, axis.I))), RigidBody(second=axis)


class Fixed(JointKind):
    """Never moves; `reduce.merge_fixed` removes such links before any model sees them."""

    name = "fixed"
    formats: ClassVar[Mapping[str, str]] = {"urdf": "fixed", "par": "2", "checker": "F"}
    words = ("f", "fix", "fixed", "fixa", "fixo", "2")

    def motion(self, x: Scalar, maths: Maths[Scalar]) -> Placement:
        return Placement()

    def effort(self, f: Vector, n: Vector) -> Scalar:
        return 0


KINDS: dict[str, JointKind] = {kind.name: kind for kind in (Revolute(), Prismatic(), Helical(), Fixed())}


def one_of_kinds(*, quoted: bool = False) -> str:
    """`revolute, prismatic or fixed`"""
    *first, last = (f'"{name}"' if quoted else name for name in KINDS)
    return Message("{first} or {last}", ", ".join(first), last)
