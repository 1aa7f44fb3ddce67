"""Joints that turn about several axes, as hinges one after the other: models have a coordinate a joint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from manipula.errors import some_of
from manipula.mechanics.robot.formats.urdf.xml import ALONG_X, Triple, UrdfJoint, UrdfLink, UrdfOrigin
from manipula.messages import Message

BALL: dict[str, Triple] = {  # a ball joint as three hinges, the name's ending → the axis
    "x": ALONG_X,
    "y": (Fraction(0), Fraction(1), Fraction(0)),
    "z": (Fraction(0), Fraction(0), Fraction(1)),
}


def joints_about(joint: UrdfJoint, axes: Mapping[str, Triple], links: dict[str, UrdfLink]) -> Iterator[UrdfJoint]:
    """A joint that turns about several axes, as one after the other, each called by an ending; between them stand links
    without mass."""
    parent, at = joint.parent, joint.at
    for number, (ending, axis) in enumerate(axes.items(), 1):
        name = f"{joint.name}_{ending}"
        child = joint.child if number == len(axes) else f"{name}_link"
        links.setdefault(child, UrdfLink(child, None))
        yield UrdfJoint(
            name, "revolute", parent, child, at, axis, None, None, None, None, Fraction(0), Fraction(0), None,
            anchor=joint.anchor, named=joint.named,
        )  # fmt: skip
        parent, at = child, UrdfOrigin()


def balls_note(names: Sequence[str]) -> list[str]:
    """How ball joints are read."""
    told = Message("ball joints are read as three hinges each, about x, y and z: {names}", some_of(names))
    return [told] if names else []
