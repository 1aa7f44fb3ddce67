"""What a report says of a robot, gathered by the verbs, part by part; a part that cannot be had says why."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from manipula.api import model_verbs
from manipula.api.picture_verbs import drawing, picture
from manipula.api.robot_verbs import robot_module, robot_with_shown_tool, shown_frame, tables
from manipula.api.teaching_verbs import derive
from manipula.errors import ManipulaError
from manipula.generation.counts import published_counts
from manipula.mechanics.drawing.record import slopes_of
from manipula.mechanics.drawing.visuals import attach_visuals, lighter, looks_of
from manipula.messages import Message
from manipula.pages.derivation import Derivation
from manipula.pages.report import Count, ReportFormula, ReportVerdict, Story, Table
from manipula.pages.steps import Told
from manipula.robot import Robot
from manipula.support.progress import Tell
from manipula.version import __version__

T = TypeVar("T")
SHOWN = ("pose", "jacobian", "inverse_dynamics", "inertia_matrix", "gravity", "coriolis")  # as equations
COUNTED = ("pose", "jacobian", "inverse_dynamics", "inertia_matrix", "gravity", "forward_dynamics")
CODED = ("pose", "jacobian", "inverse_dynamics", "gravity", "inverse_kinematics")
GEOMETRY = ("pose", "jacobian")  # whose letters stay letters: they are short
HEADERS = (".h", ".c")
FEW = 3  # joints whose dynamics are derived by Lagrange, of which every term can be read
SECONDS = 10.0  # for the steps of one derivation
LOOKS = 1_000_000  # characters of meshes: a third of what a report may be
MOST_NOTES = 5  # notes on what they could not show


def story_of(
    robot: Robot, hidden: Sequence[str], optimise: str, looks: Mapping[str, object] | None, tell: Tell, told: Told
) -> Story:
    """Everything but what is hidden, with what the page computes by and what goes into a controller."""
    paper, robot = paper_story(robot, hidden, tell, told), robot_with_shown_tool(robot)
    code = [] if {"code", "equations", "inverse"} & set(hidden) else _code(robot, optimise, tell)
    before = picture(robot, size=(760, 540), whole=True) if paper.picture else ""  # as large as the arm that moves
    drawn = _attach_visuals(paper.drawing, robot, looks) | {"slopes": slopes_of(robot, paper.drawing)}
    notes = (Message("On the picture: {note}.", note) for note in drawn.get("notes", ())[:MOST_NOTES])
    remarks = [*paper.remarks, *notes]
    module = robot_module(robot, optimise=optimise, tell=tell, told=told)
    return replace(paper, drawing=drawn, picture=before, code=code, module=module, remarks=remarks)


def _attach_visuals(record: dict[str, Any], robot: Robot, looks: Mapping[str, object] | None) -> dict[str, Any]:
    """As its file says, as far as it fits into a page."""
    try:
        found = dict(looks) if looks is not None else looks_of(record, robot)
    except (ManipulaError, OSError):  # of no file, or of one that is gone
        return record
    return attach_visuals(record, lighter(found, LOOKS))


def paper_story(robot: Robot, hidden: Sequence[str], tell: Tell, told: Told) -> Story:
    """What can be read, but for what is hidden. Derivations end in equations, so they hide with them."""

    def gather_part(part: str, gathered: Callable[[], T], otherwise: T) -> T:
        if part in hidden:
            return otherwise
        tell(part)
        return gathered()

    ours = robot_with_shown_tool(robot)
    unsolved: tuple[Derivation | None, str] = (None, "")
    inverse, no_inverse = gather_part("inverse", lambda: _inverse(ours), unsolved)
    nothing: tuple[Table | None, str] = (None, "")
    base, no_base = gather_part("base", lambda: _base(robot), nothing)
    drawn, frames = drawing(ours), _frames(robot)
    return Story(
        name=robot.name, about=robot.freedoms, drawing=drawn, picture="" if "arm" in hidden else picture(ours),
        given=_tables(robot) if "table" in hidden else (), tables=gather_part("table", lambda: _tables(robot), ()),
        formulas=gather_part("equations", lambda: [_formula(ours, model, tell, told) for model in SHOWN], ()),
        inverse=inverse, no_inverse=no_inverse,
        steps=() if {"equations", "inverse"} & set(hidden) else gather_part("steps", lambda: _steps(ours), ()),
        counts=gather_part("counts", lambda: [row for model in COUNTED for row in _counts(ours, model, tell)], ()),
        verdicts=gather_part("check", lambda: _verdicts(robot, tell), ()), base=base, no_base=no_base,
        hidden=tuple(hidden), version=__version__, remarks=[*frames, *_remarks(drawn["stand_ins"])],
    )  # fmt: skip


def _frames(robot: Robot) -> list[str]:
    """Which of several frames the report is about."""
    frame = shown_frame(robot)
    if not frame:
        return []
    others = ", ".join(name for name in robot.frame_names if name != frame)
    return [
        Message(
            "The robot has several ends: its pose, Jacobian and inverse kinematics are those of {frame}; "
            'mp.report(robot.at("…"), …) reports those of {others}.',
            frame,
            others,
        )
    ]


def _tables(robot: Robot) -> list[Table]:
    return [(Message(t.title), tuple(map(Message, t.columns)), t.rows) for t in tables(robot)]


def _remarks(stand_ins: dict[str, float]) -> list[str]:
    if not stand_ins:
        return []
    given = ", ".join(f"{name} = {value:g}" for name, value in stand_ins.items())
    return [Message("Letters without a value are drawn and computed with stand-ins: {given}.", given)]


def _title(model: str) -> str:
    return Message(model.replace("_", " ").capitalize())


def _formula(robot: Robot, model: str, tell: Tell, told: Told) -> ReportFormula:
    title, about = _title(model), Message(model_verbs.models().get(model, ""))
    auxiliary: list[str] = []
    try:
        made = model_verbs.generate(
            robot, model, optimise="none", symbolic="all" if model in GEOMETRY else "auto", tell=tell
        )
        auxiliary = [f"{left} = {right}" for left, right in made.equations("auxiliary").texts("typst")]
        shown = replace(made.equations("factored", "latex"), told=told)
        return ReportFormula(
            title, about, latex=shown.latex(), typst=shown.typst(), running=shown.inline_rows, auxiliary=auxiliary
        )
    except ManipulaError as error:
        return ReportFormula(title, about, why_not=str(error), auxiliary=auxiliary)


def _inverse(robot: Robot) -> tuple[Derivation | None, str]:
    """How it is solved, or why not."""
    try:
        return derive(robot, "ik", seconds=SECONDS), ""
    except ManipulaError as error:
        return None, str(error)


def _steps(robot: Robot) -> list[Derivation]:
    """All but inverse kinematics, which has a part of its own, as far as they can be derived."""
    method = {"dynamics": "lagrange" if robot.dof <= FEW else "newton-euler"}
    found = []
    for topic in ("pose", "jacobian", "singularities", "dynamics"):
        try:
            found.append(derive(robot, topic, method=method.get(topic, ""), seconds=SECONDS))
        except ManipulaError:
            continue
    return found


def _counts(robot: Robot, model: str, tell: Tell) -> list[Count]:
    """Ours by method, then what others published."""
    try:
        rows = model_verbs.count(robot, [model], tell=tell)
    except ManipulaError:
        return []
    title = _title(model)
    ours = [Count(title, row.method, row.total, row.mul, row.add, row.trig) for row in rows]
    methods = ["", *(row.method for row in rows)]
    theirs = [found for method in methods for found in published_counts(robot.name, model, method)]
    return ours + [Count(title, found.method or "any", found.total, source=found.source) for found in theirs]


def _verdicts(robot: Robot, tell: Tell) -> list[ReportVerdict]:
    found = model_verbs.check(robot, tell=tell).verdicts
    return [
        ReportVerdict(Message(one.name), Message(one.sentence), one.how, one.passed, Message(one.detail))
        for one in found
    ]


def _base(robot: Robot) -> tuple[Table | None, str]:
    """The combinations, and auxiliary lines where an arm's angles would make them long."""
    try:
        found = model_verbs.base_parameters(robot)
    except ManipulaError as error:
        return None, str(error)
    symbolic = {name for name, value in found.by_name.items() if value is None}
    unset = Message("symbolic")
    rows = [(name, formula, unset if name in symbolic else value) for name, value, formula in found.rows()]
    title = Message("1 combination, identifiable from torques")
    if len(found) != 1:
        title = Message("{count} combinations, identifiable from torques", len(found))
    return (title, tuple(map(Message, ("name", "combination", "value"))), rows), ""


def _code(robot: Robot, optimise: str, tell: Tell) -> list[tuple[str, str]]:
    files: dict[str, str] = {}
    for model in CODED:
        try:
            made = model_verbs.generate(robot, model, optimise=optimise, tell=tell)
            with TemporaryDirectory() as folder:
                paths = made.emit("c", folder)
                files |= {p.name: p.read_text(encoding="utf-8") for p in map(Path, paths) if p.suffix in HEADERS}
        except ManipulaError:
            continue
    return list(files.items())
