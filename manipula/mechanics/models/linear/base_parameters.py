"""Base parameters: the part of the links' inertia that is identifiable from joint torques.

A link has ten inertial parameters, but the arm does not feel all of them. Inertia on a revolute axis moves alike with
the link before; a prismatic joint keeps the orientation, so second moments belong to the link before as well. Handing
these down, from the tips to the base, is one congruence of the 4×4 pseudo-inertia per joint (`reduce.regroup`), and it
leaves the *candidates*: seven numbers on a revolute link, four on a prismatic one. Which of them still depend on each
other (first joints, parallel axes, gravity along an axis) is a question of rank, settled where one can be computed.

Everything here is linear in the inertias. `grouping_matrix` is the matrix B of  candidates = B · standard parameters;
its entries are polynomials in the geometry alone. `reduced_regressor` is the matrix Y of  torques = Y · candidates.

Source: Gautier, Khalil, "Direct calculation of minimum set of inertial parameters of serial robots", IEEE Transactions
on Robotics and Automation 6 (1990); Mayeda, Yoshida, Osuka, "Base parameters of manipulator dynamic models", in the
same volume. As a congruence of pseudo-inertias it is derived here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from manipula.mechanics.models.dynamics.bodies import BASE_TWISTS, link_twists
from manipula.mechanics.models.dynamics.friction import NO_COLUMNS, refuse_loaded
from manipula.mechanics.models.dynamics.newton_euler import Moving, newton_euler
from manipula.mechanics.models.linear.regressor import (
    BODY_NAMES,
    UNIT_BODIES,
    actuator_columns,
    body_numbers,
    parameter_vector,
    parts_of,
    unit_force,
    unit_in_link,
)
from manipula.mechanics.models.linear.regressor import columns as regressor_columns
from manipula.mechanics.robot.reduce import frames_on_joints, massless, split
from manipula.mechanics.robot.tree import BASE, Link, Tree
from manipula.mechanics.spatial.inertia import RigidBody, power, tensor_from_second_moments
from manipula.mechanics.spatial.placement import HERE, Placement
from manipula.mechanics.spatial.vector import X, Y, Z, is_structural_zero, symmetric
from manipula.scalar import Scalar

MOMENTS = ("Kxx", "Kxy", "Kxz", "Kyy", "Kyz", "Kzz")
PLACES = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))


def _unit_moment(which: int) -> RigidBody:
    """The body whose only second moment is the one named, 1 kg·m²."""
    xx, xy, xz, yy, yz, zz = (int(which == k) for k in range(6))
    return RigidBody(second=tensor_from_second_moments(symmetric(xx, xy, xz, yy, yz, zz)))


UNITS: dict[str, RigidBody] = {
    **{name: _unit_moment(k) for k, name in enumerate(MOMENTS)},
    "mx": RigidBody(0, X),
    "my": RigidBody(0, Y),
    "mz": RigidBody(0, Z),
    "m": RigidBody(1),
}

Left = dict["Slot", Scalar]  # how much of a unit ends in each candidate


@dataclass(frozen=True)
class Slot:
    """One parameter of a link (counted from 0), or of a rider by its suffix: a moment, or Ia fv fc fo of the joint."""

    kind: str
    link: int
    rider: str = ""
    suffix: str = field(default="", compare=False)  # what names of the link end in, where that is not its number

    @property
    def of_actuator(self) -> bool:
        return self.kind not in BODY_NAMES and self.kind not in MOMENTS

    @property
    def name(self) -> str:
        return f"{self.kind}{self.rider or self.suffix or self.link + 1}"


@dataclass(frozen=True)
class BaseFrames:
    """A chain without its bodies on its base frames, and where in these the frames of the file stand."""

    chain: Tree
    files: tuple[Placement, ...]


def base_frames(chain: Tree) -> BaseFrames:
    """The base frames: on the joints, and along parallel axes all at one height, which makes every lever short."""
    moved = frames_on_joints(massless(chain))
    links: list[Link] = []
    shifts: list[Scalar] = []
    for link in moved.links:
        x, y, z = link.before.p
        z = z if link.parent == BASE else z - shifts[link.parent]
        level = link.parent != BASE and parallel(link)
        # p + R z·shift has no height left, R z being ±z
        shifts.append(-z * link.before.R[2][2] if level else 0)
        links.append(replace(link, before=Placement(link.before.R, (x, y, 0 if level else z))))
    lowered = [HERE if is_structural_zero(shift) else Placement(p=(0, 0, -shift)) for shift in shifts]
    files = tuple(low @ link.after for low, link in zip(lowered, chain.links))
    tool = moved.tool if chain.holder == BASE else lowered[chain.holder] @ moved.tool
    return BaseFrames(replace(moved, links=tuple(links), tool=tool), files)


def parallel(link: Link) -> bool:
    """Is the axis parallel, by structure, to the one before?"""
    return all(is_structural_zero(entry) for entry in (link.before.R[0][2], link.before.R[1][2]))


def candidate_slots(chain: Tree) -> list[Slot]:
    """What is left on every link after regrouping, then the actuator parameters its file gives. A base that moves feels
    all ten of its own."""
    owners = enumerate(zip(chain.links, parts_of(chain), strict=True))
    base = Slot("m", BASE, suffix=chain.ground_parts[0].suffix if chain.ground_parts else "")
    return [replace(base, kind=kind) for kind in (UNITS if chain.moving else ())] + [
        Slot(kind, i, suffix=parts[0].suffix)
        for i, (link, parts) in owners
        for kind in (*link.kind.kept, *actuator_kinds(link))
    ]


def columns(chain: Tree) -> list[str]:
    """The candidates by name."""
    return [slot.name for slot in candidate_slots(chain)]


def standard_slots(chain: Tree) -> list[Slot]:
    """The columns of `regressor` as places, without the entries of actuators that the file does not give."""
    own = chain.ground_parts[0].suffix if chain.ground_parts else ""
    riders = ["" if part.suffix == own else part.suffix for part in chain.ground_parts]
    slots = [Slot(kind, BASE, rider, own) for rider in riders for kind in BODY_NAMES]
    for i, (link, parts) in enumerate(zip(chain.links, parts_of(chain), strict=True)):
        bodies = ("", *(part.suffix for part in parts[1:]))
        slots += [Slot(kind, i, rider, parts[0].suffix) for rider in bodies for kind in BODY_NAMES]
        slots += [Slot(kind, i, suffix=parts[0].suffix) for kind in actuator_kinds(link)]
    return slots


def actuator_kinds(link: Link) -> list[str]:
    """Those of Ia fv fc fo and of further friction laws that the joint has."""
    return link.actuator.present()


def standard_values(chain: Tree) -> list[Scalar]:
    """The chain's own values in the order of `standard_slots`."""
    values = dict(zip(regressor_columns(chain), parameter_vector(chain), strict=True))
    for part in chain.ground_parts:
        values |= zip((f"{name}{part.suffix}" for name in BODY_NAMES), body_numbers(part.inertia), strict=True)
    return [values[slot.name] for slot in standard_slots(chain)]


def unit_of(chain: Tree, slot: Slot) -> RigidBody:
    """The body whose only parameter is the slot's, 1, in the frame of the link that carries it."""
    parts = chain.ground_parts if slot.link == BASE else parts_of(chain)[slot.link]
    part = next(part for part in parts if slot.rider in ("", part.suffix))
    return unit_in_link(UNIT_BODIES[BODY_NAMES.index(slot.kind)], part)


def link_slots(chain: Tree) -> list[Slot]:
    """The standard parameters without those of riders, whose columns are combinations of their link's."""
    return [slot for slot in standard_slots(chain) if not slot.rider]


def grouping_matrix(chain: Tree, standard: Sequence[Slot]) -> list[list[Scalar]]:
    """B, a row for every candidate, a column for each of these standard parameters, by superposition of unit bodies."""
    frames, left = base_frames(chain), dict[int, dict[str, Left]]()
    if chain.moving:
        left[BASE] = {kind: {Slot(kind, BASE): 1} for kind in UNITS}
    for i, link in enumerate(frames.chain.links):
        left[i] = {kind: _left_of_unit(kind, i, link, left.get(link.parent)) for kind in UNITS}
    columns = [_left_of_standard(chain, frames, slot, left) for slot in standard]
    return [[column.get(slot, 0) for column in columns] for slot in candidate_slots(chain)]


def _left_of_unit(kind: str, i: int, link: Link, before: dict[str, Left] | None) -> Left:
    """What a unit moment on joint i's frame leaves on the links from i to the base: itself, or what it is handed as."""
    if kind in link.kind.kept:
        return {Slot(kind, i): 1}
    handed = split(replace(link, inertia=UNITS[kind]))[1]
    return {} if before is None else _left_of(handed, before)


def _left_of_standard(chain: Tree, frames: BaseFrames, slot: Slot, left: Mapping[int, dict[str, Left]]) -> Left:
    if slot.of_actuator:
        return {slot: 1}
    unit = unit_of(chain, slot)
    body = unit if slot.link == BASE else unit.seen_from(frames.files[slot.link])
    return _left_of(body, left[slot.link])


def _left_of(body: RigidBody, left: dict[str, Left]) -> Left:
    """A body is the sum of its ten moments."""
    total: Left = {}
    for kind, parts in left.items():
        weight = moment(body, kind)
        if not (isinstance(weight, int | Fraction) and weight == 0):
            total |= {slot: total.get(slot, 0) + weight * part for slot, part in parts.items()}
    return total


def own_moment(slot: Slot) -> dict[Slot, Any]:
    """A candidate of a link alone, nothing handed down to it: the weights of the link's standard parameters."""
    if slot.kind not in UNITS:
        return {slot: 1}
    weights = {Slot(name, slot.link): moment(unit, slot.kind) for name, unit in zip(BODY_NAMES, UNIT_BODIES)}
    return {own: weight for own, weight in weights.items() if weight}


def moment(body: RigidBody, kind: str) -> Scalar:
    """One of the ten: Kxx … Kzz, mx my mz, m."""
    if kind == "m":
        return body.m
    if kind in MOMENTS:
        i, j = PLACES[MOMENTS.index(kind)]
        return body.K[i][j]
    return body.s[("mx", "my", "mz").index(kind)]


def actuator_column(chain: Tree, slot: Slot, qd: Sequence[Scalar], qdd: Sequence[Scalar]) -> Any:
    """What a unit of a parameter of an actuator asks of its own joint; nobody else feels it."""
    return actuator_columns(chain, qd, qdd)[slot.link][slot.kind]


def reduced_regressor(
    chain: Tree, q: Sequence[Scalar], qd: Sequence[Scalar], qdd: Sequence[Scalar], base: Moving | None = None
) -> list[list[Scalar]]:
    """Y (dof, candidates): each column the torque of a unit body on the base frames; the plain text.

    Where the base moves, six rows of the wrench that moves it come first.
    """
    refuse_loaded(chain, NO_COLUMNS)
    moved = base_frames(chain).chain
    motion = dict(enumerate(newton_euler(moved, q, qd, qdd, base=base).motion))
    twists, slots = dict(enumerate(link_twists(moved, q, BASE_TWISTS if base else None))), candidate_slots(chain)
    if base is not None:
        motion[BASE], twists[BASE] = base, BASE_TWISTS
    forces = {x: unit_force(UNITS[x.kind], motion[x.link]) for x in slots if not x.of_actuator}

    def entry(i: int, slot: Slot) -> Scalar:
        if slot.of_actuator:
            return actuator_column(chain, slot, qd, qdd) if slot.link == i else 0
        if i not in twists[slot.link]:
            return 0
        felt = power(twists[slot.link][i], forces[slot])
        return felt if i < 0 else chain.links[i].along_z(felt)

    return [[entry(i, slot) for slot in slots] for i in range(-6 if base else 0, chain.dof)]


def chain_from_candidates(chain: Tree, values: Sequence[Scalar]) -> Tree:
    """The arm on its base frames whose candidates have these values and nothing else is there."""
    given = dict(zip(candidate_slots(chain), values, strict=True))
    moved = base_frames(chain).chain
    return replace(moved, links=tuple(_unit_link(link, i, given) for i, link in enumerate(moved.links)))


def _unit_link(link: Link, i: int, given: dict[Slot, Scalar]) -> Link:
    def at(kind: str) -> Scalar:
        return given.get(Slot(kind, i), 0)

    xx, xy, xz, yy, yz, zz = map(at, MOMENTS)
    tensor = tensor_from_second_moments(symmetric(xx, xy, xz, yy, yz, zz))
    body = RigidBody(at("m"), (at("mx"), at("my"), at("mz")), tensor)
    return replace(link, inertia=body, actuator=link.actuator.only({x: at(x) for x in link.actuator.linear()}))
