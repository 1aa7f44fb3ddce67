"""An arm that carries a humanoid, made light: what never moves against its link becomes one body of that link.

A few fixed or locked links keep their rows, their frames and their cells. Of more than `GATHERED` nobody edits the mass
of one finger's bolt, but every model of the arm would carry them limb by limb, in exact arithmetic, each time.
"""

from __future__ import annotations

from dataclasses import replace

from manipula.mechanics.robot.bodies import body_from_inertia, together
from manipula.mechanics.robot.description import Cell, Joint, Mounted, StepKind, Steps
from manipula.mechanics.robot.formats.rows import PLACEMENT
from manipula.mechanics.robot.precise import placement, settled, steps_from_placement
from manipula.mechanics.robot.suffixes import CARRIED, Suffixes

GATHERED = 16  # links beside the arm, and fixed rows of it, that stay as they are
LONG_WAY = 40  # steps


def lightened(rows: list[Joint], beside: int, endings: Suffixes, notes: list[str]) -> tuple[tuple[Joint, ...], Steps]:
    """The rows and the tool; where very many links are fixed or locked, those of each moving link are one body."""
    tool: Steps = ()
    if sum(joint.kind == "fixed" for joint in rows) > GATHERED:
        beside = GATHERED + 1
        rows, tool = _joined(rows)
    if beside > GATHERED:
        rows = [_gathered(joint, endings, notes) for joint in rows]
    return tuple(rows), tool


def short_way(steps: Steps, end: str) -> Steps:
    """A way across many joints in at most six steps, to twenty decimals; a short one stays exact."""
    return steps if len(steps) <= LONG_WAY else few_steps(steps, end)


def few_steps(steps: Steps, end: str) -> Steps:
    """A shift, then a turn, to twenty decimals."""
    names: dict[StepKind, str] = {kind: f"{name}{end}" for name, kind in PLACEMENT}
    return steps_from_placement(placement(steps, {}), names)


def _joined(rows: list[Joint]) -> tuple[list[Joint], Steps]:
    """Without fixed rows: what they hold is carried by the moving row before, or by one row that stands still at the
    base; and the tool."""
    anchor = replace(rows[0], before=(), after=(), body=None, carries=())
    kept = [anchor] if anchor.kind == "fixed" else []
    way: Steps = ()
    for joint in rows:
        end = joint.offset.name.removeprefix("offset")
        if joint.kind != "fixed":
            kept.append(replace(joint, before=short_way(way + joint.before, end)))
            way = ()
            continue
        way = short_way(way + joint.before + joint.after, end)
        own = () if joint.body is None else (Mounted(way, joint.body, joint.name),)
        held = tuple(replace(mounted, at=way + mounted.at) for mounted in joint.carries)
        kept[-1] = replace(kept[-1], carries=kept[-1].carries + own + held)
    return kept, way


def _gathered(joint: Joint, endings: Suffixes, notes: list[str]) -> Joint:
    """All that the link carries as one body, about the link's origin, to twenty decimals."""
    if not joint.carries:
        return joint
    how = "stand still" if joint.kind == "fixed" else f"move with joint {joint.name!r}"
    notes.append(f"{len(joint.carries)} links that {how} are one body")
    name = f"{joint.name}_branches"
    body = body_from_inertia(together(None, joint.carries), endings.word(name, CARRIED))
    x, y, z = map(_settled, body.centre)
    xx, xy, xz, yy, yz, zz = map(_settled, body.inertia)
    whole = replace(body, mass=_settled(body.mass), centre=(x, y, z), inertia=(xx, xy, xz, yy, yz, zz))
    return replace(joint, carries=(Mounted((), whole, name),))


def _settled(cell: Cell) -> Cell:
    return Cell(cell.name, settled(cell.parameter))
