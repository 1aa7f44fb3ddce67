"""An arm that carries a humanoid, made light: what never moves against its link becomes one body of that link.

A few fixed or locked links keep their rows, their frames and their cells. Of more than `GATHERED` nobody edits the mass
of one finger's bolt, but every model of the arm would carry them limb by limb, in exact arithmetic, each time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from manipula.errors import some_of
from manipula.mechanics.robot.bodies import body_from_inertia, together
from manipula.mechanics.robot.description import Cell, Joint, Mounted, StepKind, Steps
from manipula.mechanics.robot.description import Frame as NamedFrame
from manipula.mechanics.robot.formats.rows import PLACEMENT
from manipula.mechanics.robot.formats.urdf.tree import UrdfTree
from manipula.mechanics.robot.precise import placement, round_to_decimal, steps_from_placement
from manipula.mechanics.robot.suffixes import CARRIED, Suffixes
from manipula.messages import Message

GATHERED = 16  # links beside the arm, and fixed rows of it, that stay as they are
LONG_WAY = 40  # steps


class Light(NamedTuple):
    """The rows, the way from the last one to the tool, and what is fixed to the base."""

    rows: tuple[Joint, ...]
    tool: Steps
    ground: tuple[Mounted, ...]


def lump_fixed_bodies(
    rows: list[Joint], ground: list[Mounted], beside: int, endings: Suffixes, notes: list[str], serial: bool
) -> Light:
    """Where very many links of a serial arm are fixed or locked, those of each moving link are one body; so are very
    many that stand still, of any robot."""
    tool: Steps = ()
    if serial and sum(joint.kind == "fixed" for joint in rows) > GATHERED:
        beside = GATHERED + 1
        rows, tool, held = _join_fixed_rows(rows)
        ground = ground + held
    if serial and beside > GATHERED:
        for joint in rows:
            if joint.carries:
                notes.append(
                    Message("{count} links that move with joint {name!r} are one body", len(joint.carries), joint.name)
                )
        rows = [replace(joint, carries=_lump_bodies(joint.carries, joint.name, endings)) for joint in rows]
    if len(ground) > GATHERED:
        notes.append(Message("{count} links that stand still are one body", len(ground)))
        ground = list(_lump_bodies(ground, "base", endings))
    return Light(tuple(rows), tool, tuple(ground))


def short_way(steps: Steps, end: str) -> Steps:
    """A way across many joints in at most six steps, to twenty decimals; a short one stays exact."""
    return steps if len(steps) <= LONG_WAY else few_steps(steps, end)


def few_steps(steps: Steps, end: str) -> Steps:
    """A shift, then a turn, to twenty decimals."""
    names: dict[StepKind, str] = {kind: f"{name}{end}" for name, kind in PLACEMENT}
    return steps_from_placement(placement(steps, {}), names)


def _join_fixed_rows(rows: list[Joint]) -> tuple[list[Joint], Steps, list[Mounted]]:
    """Without fixed rows: what they hold is carried by the moving row before, or stands still; and the tool."""
    kept, ground = list[Joint](), list[Mounted]()
    way: Steps = ()
    for joint in rows:
        end = joint.offset.name.removeprefix("offset")
        if joint.kind != "fixed":
            kept.append(replace(joint, before=short_way(way + joint.before, end)))
            way = ()
            continue
        way = short_way(way + joint.before + joint.after, end)
        own = () if joint.body is None else (Mounted(way, joint.body, joint.name),)
        held = own + tuple(replace(mounted, at=way + mounted.at) for mounted in joint.carries)
        if kept:
            kept[-1] = replace(kept[-1], carries=kept[-1].carries + held)
        else:
            ground += held
    return kept, way, ground


def _lump_bodies(held: Sequence[Mounted], on: str, endings: Suffixes) -> tuple[Mounted, ...]:
    """Bodies as one, about the origin of the frame that they are held in, to twenty decimals."""
    if not held:
        return ()
    name = f"{on}_branches"
    body = body_from_inertia(together(None, held), endings.word(name, CARRIED))
    x, y, z = map(_evaluate_cell, body.centre)
    xx, xy, xz, yy, yz, zz = map(_evaluate_cell, body.inertia)
    whole = replace(body, mass=_evaluate_cell(body.mass), centre=(x, y, z), inertia=(xx, xy, xz, yy, yz, zz))
    return (Mounted((), whole, name),)


def _evaluate_cell(cell: Cell) -> Cell:
    return Cell(cell.name, round_to_decimal(cell.parameter))


def named_tool(tip: str, joints: Sequence[Joint], tool: Steps) -> tuple[NamedFrame, ...]:
    """The tip as a frame by name, where it is no row's own."""
    return (NamedFrame(tip, joints[-1].name, tool),) if tool else ()


def frames_beside(
    frames: Sequence[NamedFrame], tip: str, joints: Sequence[Joint], tree: UrdfTree
) -> Iterator[NamedFrame]:
    """Of the frames beside a serial arm those that fixed joints hold at its links: a locked finger is not a frame."""
    rows = {joint.name for joint in joints}
    for frame in (frame for frame in frames if frame.name != tip and frame.on in rows):
        link = frame.name
        while link in tree.above and tree.above[link].type == "fixed" and tree.above[link].name not in rows:
            link = tree.above[link].parent
        if link == tree.root or tree.above[link].name in rows:
            yield frame


# a base that moves


def check_base(tree: UrdfTree, base: str, rigid: Iterable[str]) -> list[str]:
    """Of a base that moves every body must be known; what does not move with it is left out, and noted."""
    for link in (base, *rigid):
        for fault in tree.file.links[link].faults:
            if fault.part in ("mass", "inertial"):
                raise fault.error
    below, heavy = set(tree.links(base)), [x.name for x in tree.file.links.values() if x.inertial is not None]
    left = [link for link in heavy if link not in below]
    return [Message("left out, for they do not move with the base: {some_of}", some_of(left))] if left else []


def called_base(steps: Steps) -> Steps:
    """Where a base that moves stands in the file, under the names that a base's place has."""
    return tuple(replace(step, amount=replace(step.amount, name=f"base_{step.amount.name}")) for step in steps)
