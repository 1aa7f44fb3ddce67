"""What an arm reaches, and how well: by voxel the share of directions in which the tool gets there, the answers inside
the limits, the best manipulability (Yoshikawa's √det JJᵀ) and, where masses are known, the worst torque that gravity
asks for.

Of an arm with six joints or more poses are solved: the tool's z axis along each of some directions. Of one with fewer,
positions alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.api import reach
from manipula.errors import InputError, UnsetError, caution
from manipula.mechanics.robot.topology import serial_fault
from manipula.messages import Message
from manipula.pages.page import section
from manipula.robot import Robot
from manipula.studies.cases.cases import Product
from manipula.studies.cases.values import Case, Column, is_whole
from manipula.studies.catalogue.entry import Ready, StudyColumn, StudyPlan, StudySetting, box_of, floats_from, voxels_of
from manipula.studies.results.study_result import Study
from manipula.studies.work.job import arm, batched

AXES = ("x", "y", "z")
SIDE = 10**6  # voxels along one: more would not be laid out, only to be refused
GOLDEN = np.pi * (3 - np.sqrt(5))
Array = NDArray[np.float64]


def directions_of(count: int) -> Array:
    """(count, 3): straight down first, the others spread over the sphere by the golden angle."""
    k = np.arange(count)
    z = -1 + 2 * k / max(count - 1, 1)
    r = np.sqrt(np.maximum(0.0, 1 - z**2))
    return np.stack([r * np.cos(GOLDEN * k), r * np.sin(GOLDEN * k), z], axis=-1)


def rotation_to(z: Array) -> Array:
    """A frame whose third axis is z; the first lies as near to the world's x as it can."""
    aside = np.array([1.0, 0.0, 0.0]) if abs(z[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    x = aside - z * (aside @ z)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=-1)


@batched
def voxel(cases: Case, rngs: object) -> Case:
    """Many voxels at once."""
    subject, places = arm(cases["robot"]), np.stack([cases[axis] for axis in AXES], axis=-1)
    found = _Found(len(places))
    for direction in cases["directions"]:
        if cases["task"] == "position":
            answers = subject.inverse_kinematics(places, task="position")
        else:
            answers = subject.inverse_kinematics(_poses(places, rotation_to(np.asarray(direction))))
        found.add(subject, answers.q, answers.valid, cases["task"], cases["weighs"])
    return found.results(len(cases["directions"]), cases["weighs"])


def _poses(places: Array, rotation: Array) -> Array:
    T = np.zeros((len(places), 4, 4))
    T[:, :3, :3], T[:, :3, 3], T[:, 3, 3] = rotation, places, 1.0
    return T


class _Found:
    """The best and the worst of every voxel, over directions and answers."""

    def __init__(self, count: int) -> None:
        self.reached, self.answers = np.zeros(count, np.int64), np.zeros(count, np.int64)
        self.best, self.worst = np.full(count, np.nan), np.full(count, np.nan)
        self.joint = np.zeros(count, np.int64)

    def add(self, subject: Any, q: Array, valid: NDArray[np.bool_], task: str, weighs: bool) -> None:
        count = valid.sum(-1)
        self.reached += count > 0
        self.answers = np.maximum(self.answers, count)
        rows, _ = np.nonzero(valid)
        if not len(rows):
            return
        held = q[valid]
        measure = subject.manipulability(held)
        np.fmax.at(self.best, rows, measure.translation if task == "position" else measure.w)
        if weighs:
            self._weigh(rows, np.abs(subject.gravity(held)))

    def _weigh(self, rows: NDArray[np.intp], torque: Array) -> None:
        most = torque.max(-1)
        before = np.where(np.isnan(self.worst), -1.0, self.worst)
        np.fmax.at(self.worst, rows, most)
        mine = (most == self.worst[rows]) & (most > before[rows])
        self.joint[rows[mine]] = torque[mine].argmax(-1) + 1

    def results(self, directions: int, weighs: bool) -> dict[str, Column]:
        found = {"reach": self.reached / directions, "answers": self.answers, "manipulability": self.best}
        return {**found, "torque": self.worst, "joint": self.joint} if weighs else found


FORM = (
    StudySetting("voxels", "cubes along the longest side of the box", "count", begin=voxels_of),
    StudySetting(
        "directions",
        "directions of the tool, spread over the sphere; only for arms of six joints or more",
        "count",
        begin=lambda robot: 1 if robot.dof >= 6 else None,
    ),
    StudySetting("box", "region to search; empty: the box that contains the reach", "box", "m", box_of),
)
COLUMNS = {
    **{axis: StudyColumn("m", "middle of the voxel") for axis in AXES},
    "reach": StudyColumn("", "share of the directions in which the tool gets there"),
    "answers": StudyColumn("", "answers of inverse kinematics inside the limits, the most of any direction"),
    "manipulability": StudyColumn("SI", "best √det(J Jᵀ)"),
    "torque": StudyColumn("N·m or N", "worst that gravity asks of a joint"),
    "joint": StudyColumn("number", "number of the joint that bears it"),
}


def plan(robot: Robot, voxels: int | Sequence[int] = 40, directions: int = 1, box: object = None) -> StudyPlan:
    """`voxels`: along the longest side of the box, or along x, y and z; `directions`: of the tool; `box`:
    [[x, x], [y, y], [z, z]], by default the box that contains the reach."""
    if not is_whole(directions) or not 1 <= directions <= 1000:
        raise InputError("directions: expected how many, 1 to 1000, found {directions!r:.40}", directions)
    if robot.dof < 6 and directions > 1:
        raise InputError(
            "directions: {name} has {dof} joints, and only positions are searched; leave directions out",
            robot.name,
            robot.dof,
        )
    if fault := serial_fault(robot):
        raise InputError(
            "{name}: a map is that of a serial arm, and {serial_fault}; robot.road(frame) is the arm to one "
            "of its frames, the other joints held",
            robot.name,
            fault,
        )
    spans = _box(robot, box)
    levels = {axis: _levels(span, n) for axis, span, n in zip(AXES, spans, _counts(voxels, spans))}
    _doubt_thin(robot, sum(len(x) > 1 for x in levels.values()))
    task = "pose" if robot.dof >= 6 else "position"
    asked = directions_of(int(directions)).tolist()
    return StudyPlan(Product(levels), {"robot": robot, "task": task, "directions": asked, "weighs": _weighs(robot)})


def _doubt_thin(robot: Robot, sides: int) -> None:
    """One joint draws a curve, two a surface: the middles of voxels in more dimensions are hardly ever on it."""
    if robot.dof == 1 < sides:
        few = Message("{robot} has {dof} joint, so its tool stays on a ", robot.name, 1)
        caution(
            "{few}curve, which the middles of voxels in {sides} dimensions miss; arm.plot_workspace draws it",
            few,
            sides,
        )
    elif robot.dof < sides:
        few = Message("{robot} has {dof} joints, so its tool stays on a ", robot.name, robot.dof)
        caution(
            "{few}surface, which the middles of voxels in {sides} dimensions miss; arm.plot_workspace draws it",
            few,
            sides,
        )


def _weighs(robot: Robot) -> bool:
    """Whether all masses are known; if not there is a map all the same, without torques."""
    try:
        arm(robot).model("gravity")
    except UnsetError:
        return False
    return True


def _box(robot: Robot, box: object) -> Array:
    if box is None:
        try:
            return np.array(reach(robot).box)
        except UnsetError:
            raise
        except InputError as error:
            raise InputError("{error}; box= says where to look", error) from None
    found = floats_from(box, 3, 2)
    if found is None or any(low > high for low, high in found):
        raise InputError("box: expected [[x, x], [y, y], [z, z]], each from low to high, found {box!r:.80}", box)
    return np.array(found)


def _counts(voxels: Any, spans: Array) -> list[int]:
    """Voxels as cubes; a side without extent has one layer."""
    sides = spans[:, 1] - spans[:, 0]
    several = isinstance(voxels, list | tuple | np.ndarray)
    counts = list(voxels) if several else [voxels]
    if len(counts) != (3 if several else 1) or not all(is_whole(n) and n >= 1 for n in counts):
        raise InputError("voxels: expected a whole number, or three of them, found {voxels!r:.60}", voxels)
    if max(counts) > SIDE:
        raise InputError("voxels: expected {side} or fewer along a side, found {voxels!r:.60}", SIDE, voxels)
    if several:
        return [int(n) if side > 0 else 1 for n, side in zip(counts, sides)]
    edge = sides.max() / counts[0]
    return [max(1, round(side / edge)) if edge > 0 else 1 for side in sides]


def _levels(span: Array, count: int) -> Array:
    """The middles of the voxels; flat where there is nothing but a layer of no thickness (to rounding)."""
    low, high = span
    if high - low < 1e-9:
        return np.array([0.0 if abs(low) < 1e-9 else low])
    return np.asarray(low + (high - low) * (np.arange(count) + 0.5) / count)


SHOWN = ("reach", "answers", "manipulability", "torque")


def show(study: Study) -> list[str]:
    """Slices through the middle, upright and lying."""
    several = {axis for axis in AXES if len(np.unique(study.table[axis])) > 1}
    pairs = [(x, y) for x, y in (("x", "z"), ("y", "z"), ("x", "y")) if {x, y} <= several][:2]
    pictures = [study.map(name, x, y).svg() for x, y in pairs for name in SHOWN if name in study.table]
    return [section("Maps", '<div class="charts">' + "\n".join(pictures) + "</div>")] if pictures else []


LINE = "reachable workspace by voxel: number of IK solutions, manipulability, largest joint torque"
READY = Ready("workspace", LINE, voxel, plan, show, form=FORM, columns=COLUMNS)
