"""The words of SDF, and the values of its elements: poses, directions, numbers, limits."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from manipula.errors import RobotFileError
from manipula.mechanics.robot.description import Cell, Step, StepKind, Steps
from manipula.mechanics.robot.formats.source import Element
from manipula.mechanics.robot.formats.urdf.xml import Triple, number_from_text
from manipula.mechanics.robot.precise import PRECISE, decimal
from manipula.mechanics.robot.values.parameter import Num
from manipula.messages import Message

ORDER: tuple[StepKind, ...] = ("tx", "ty", "tz", "rx", "ry", "rz")
_UNBOUNDED = 10**9
_TEXTS = (  # elements whose text is read, or that hold such
    "gravity static mass inertia ixx ixy ixz iyy iyz izz parent child axis axis2 limit lower upper velocity effort "
    "dynamics damping friction spring_stiffness spring_reference use_parent_model_frame mimic/multiplier mimic/offset "
    "mimic/reference"
)
_BESIDE = (  # what no model needs, or what is warned of
    "physics scene light plugin gui audio state population road magnetic_field atmosphere spherical_coordinates wind "
    "actor self_collide allow_auto_disable gripper enable_wind visual collision sensor projector audio_sink "
    "audio_source battery particle_emitter must_be_base_link velocity_decay kinematic material density "
    "auto_inertia_params stiffness dissipation initial_position fluid_added_mass "
    "gearbox_ratio gearbox_reference_body"
)
WORDS: dict[str, Element | None] = {
    "sdf": Element("version"),
    "world": Element("name"),
    "model": Element("name placement_frame", "canonical_link"),
    "pose": Element("relative_to frame degrees rotation_format"),
    "frame": Element("name attached_to"),
    "link": Element("name"),
    "inertial": Element("auto"),
    "joint": Element("name type"),
    "xyz": Element("expressed_in"),
    "mimic": Element("joint axis"),
    **dict.fromkeys(_TEXTS.split(), Element()),
    **dict.fromkeys(_BESIDE.split()),
}


def steps_of_pose(element: ET.Element | None, where: str) -> Steps:
    """A shift, then roll, pitch and yaw about fixed axes."""
    steps = {kind: Step(kind, Cell(kind, Num(value))) for kind, value in entries_of_pose(element, where) if value}
    return tuple(steps[kind] for kind in ("tx", "ty", "tz", "rz", "ry", "rx") if kind in steps)


def entries_of_pose(element: ET.Element | None, where: str) -> Iterator[tuple[StepKind, Fraction]]:
    if element is None or not (element.text or "").strip():
        return
    parts = (element.text or "").split()
    if len(parts) != 6 or element.get("rotation_format", "euler_rpy") != "euler_rpy":
        raise RobotFileError("found {text!r}", element.text or "", where=where, field="pose", hint="six numbers")
    degrees = element.get("degrees", "false") in ("true", "1")
    for kind, part in zip(ORDER, parts):
        value = number_from_text(part, where, "pose")
        yield kind, decimal(PRECISE.degrees(value)).value if degrees and kind[0] == "r" else value


def triple(text: str, field: str, where: str) -> Triple:
    parts = [number_from_text(part, where, field) for part in text.split()]
    if len(parts) != 3:
        raise RobotFileError("found {text!r}", text, where=where, field=field, hint='three numbers, as in "0 0 1"')
    return parts[0], parts[1], parts[2]


def name_in(element: ET.Element, tag: str, where: str) -> str:
    found = element.find(tag)
    text = "" if found is None else (found.text or "").strip()
    if not text:
        raise RobotFileError("is missing", where=where, field=tag, hint=Message("the name of a link"))
    return text


def number_in(element: ET.Element | None, tag: str, where: str, otherwise: Fraction) -> Fraction:
    found = None if element is None else element.find(tag)
    return otherwise if found is None or not found.text else number_from_text(found.text.strip(), where, tag)


def limit_in(element: ET.Element | None, tag: str, where: str) -> Any:
    """None where it is so large that it means no limit."""
    found = None if element is None else element.find(tag)
    text = "" if found is None else (found.text or "").strip()
    if not text or "inf" in text.lower():
        return None
    value = number_from_text(text, where, tag)
    return None if abs(value) >= _UNBOUNDED or (tag in ("velocity", "effort") and value < 0) else value
