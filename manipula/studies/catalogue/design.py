"""Which design: lengths, or other entries of the table, within ranges, and motors of a catalogue, for a set of tasks;
and of those that do what is asked, the front that no other design beats.

Every model is compiled once, with what varies as its inputs, so that a design costs a call and no derivation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

import numpy as np

from manipula import api
from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.robot.default_values import Limits
from manipula.mechanics.robot.topology import serial_fault
from manipula.mechanics.robot.values.parameter import Name, Num, floats_of
from manipula.messages import Message
from manipula.pages.page import charts, paragraph, section, table
from manipula.robot import Robot
from manipula.simulation.drives.drive_choice import ratio_limit
from manipula.studies.cases.cases import Cases, LatinHypercube, Product, Sample, Sobol
from manipula.studies.cases.values import Case
from manipula.studies.catalogue.design_settings import drives_from, tasks_from
from manipula.studies.catalogue.entry import Ready, StudyColumn, StudyPlan, StudySetting, count_of, motion_of, positive
from manipula.studies.designs.drives import Drive
from manipula.studies.designs.subject import Subject
from manipula.studies.designs.tasks import Task
from manipula.studies.designs.verdict import Wishes, blank, evaluate_design, robot_of_design
from manipula.studies.results.study_result import Study
from manipula.studies.results.table import StudyTable
from manipula.studies.work.job import arm, robot_from, text_from
from manipula.support.text import key_text, spell_greek

# What the study of designs looks at where nothing is said: every length of the table somewhat shorter and longer, and
# a motion between two places that the arm as it is stands at.

SHORTER, LONGER = 0.8, 1.2
BENT = (0.6, 1.2)  # rad, of every joint at both places: an arm that is stretched has no shorter one beside it
SLID = (0.1, 0.2)  # m
SECONDS = 1.0


def usual_ranges(robot: Robot) -> dict[str, list[float]]:
    """Of every length that has a value and stands alone in its cell."""
    found = _ranges(robot)
    if not found:
        raise InputError(
            "vary: no length of {name} has a value; expected ranges by name, such as l1 = [0.3, 0.6]", robot.name
        )
    return found


def usual_lines(robot: Robot) -> str | None:
    """The ranges as a study file would say them; None where there are none."""
    rows = [f"{key_text(name)} = [{low:.4g}, {high:.4g}]" for name, (low, high) in _ranges(robot).items()]
    return "\n".join(["[vary]", *rows]) if rows else None


def _ranges(robot: Robot) -> dict[str, list[float]]:
    return {name: sorted([SHORTER * value, LONGER * value]) for name, value in _lengths(robot).items() if value}


def _lengths(robot: Robot) -> dict[str, float]:
    values, found = floats_of(dict(robot.values)), dict[str, float]()
    for step in (step for joint in robot.joints for step in (*joint.before, *joint.after) if step.kind[0] == "t"):
        match step.amount.value:
            case Num(value):
                found[step.amount.name] = float(value)
            case Name(name) if name in values:
                found[name] = values[name]
    return found


def usual_tasks(robot: Robot) -> Case:
    """Places, of the whole pose where six joints or more give one; on arms that are not searched, joints."""
    limits, turning = Limits(robot), robot.coordinates.turns
    stops = [np.clip(np.where(turning, bent, slid), limits.lower, limits.upper) for bent, slid in zip(BENT, SLID)]
    screws = any(joint.kind == "helical" for joint in robot.joints)
    if serial_fault(robot) or robot.coordinates.followers or screws:
        return {"joints": [stop.tolist() for stop in stops], "duration": SECONDS}
    poses = arm(robot).pose(np.array(stops))
    places = poses.tolist() if robot.dof >= 6 else poses[:, :3, 3].tolist()
    return {"places": places, "duration": SECONDS}


OBJECTIVES = {
    "mass": "least",
    "length": "least",
    "energy": "least",
    "use": "least",
    "price": "least",
    "cycle_time": "least",
    "manipulability": "most",
}
SAMPLES = {"sobol": Sobol, "latin": LatinHypercube}
SHOWN = 40
CHOICES = ("mass", "price", "power")
FORM = (
    StudySetting("vary", "ranges of lengths, angles, masses by name", "lines", "SI", usual_lines),
    StudySetting("tasks", "places of the tool or configurations, durations, loads", "lines", "SI", motion_of),
    StudySetting("motors", "a catalogue to choose from", "lines", "SI", tables=True),
    StudySetting("gears", "a table of gears beside one of motors", "written"),
    StudySetting("inertia_ratio", "the largest of load and motor", "written"),
    StudySetting("objectives", "what a design is judged by", "lines"),
    StudySetting("sample", "how designs are drawn", "choice", begin="sobol", choices=lambda: tuple(SAMPLES)),
    StudySetting("count", "designs", "count", "", 256),
    StudySetting("beam", "kg/m of links by length", "lines", "kg/m"),
    StudySetting("choose", "the motor: the lightest or the cheapest", "choice", "", "mass", lambda: CHOICES),
)
COLUMNS = {
    "feasible": StudyColumn("", "1 where a design does all that is asked"),
    "reason": StudyColumn("", "what fails first"),
    "by": StudyColumn("", "by how much: m of a place, times the limit of a joint"),
    "length": StudyColumn("m", "every shift between the joints"),
    "manipulability": StudyColumn("", "the least at any stop"),
    "mass": StudyColumn("kg", "links, beams and motors"),
    "energy": StudyColumn("J", "work of the motors, nothing won back"),
    "use": StudyColumn("", "largest share of what a motor gives"),
    "torque": StudyColumn("N·m or N", "largest of every joint"),
    "price": StudyColumn("", "of the motors"),
    "motor_speed": StudyColumn("rad/s", "largest of every motor; with tables of motors"),
    "motor_torque": StudyColumn("N·m", "largest of every motor, at its shaft"),
    "motor_rms": StudyColumn("N·m", "of every motor, of the worst task"),
    "inertia_ratio": StudyColumn("", "load inertia at every motor over its own"),
    "gear_torque": StudyColumn("N·m or N", "cubic mean at every gear's output"),
    "braking_energy": StudyColumn("J", "that flows back into the motors, of all tasks"),
    "cycle_time": StudyColumn("s", "of the tasks that move, as fast as the motors allow"),
}


@lru_cache(maxsize=8)
def _subject(text: str, names: tuple[str, ...], beams: tuple[tuple[str, float], ...], motors: bool) -> Subject:
    return Subject(robot_from(text), names, dict(beams), motors)


def design_case(case: Case, rng: object) -> Case:
    """One design."""
    names, wishes = tuple(case["vary"]), Wishes(*case["wishes"])
    subject = _subject(text_from(case["robot"]), names, tuple(case["beams"].items()), bool(wishes.drives))
    return evaluate_design(subject, wishes, {name: float(case[name]) for name in names})


def plan(
    robot: Robot,
    vary: object = None,
    tasks: object = None,
    motors: object = None,
    objectives: object = None,
    sample: str = "sobol",
    count: int = 256,
    beam: object = None,
    choose: str = "mass",
    gears: object = None,
    inertia_ratio: float | None = None,
) -> StudyPlan:
    """`vary`: {name: [low, high]}, SI, of which `count` designs are drawn by `sample`, "sobol" or "latin"; with
    "product" every combination of {name: [levels]}. `tasks`, `motors`: tables. `beam`: {length: kg/m}, a beam as long
    as that. `choose`: the lightest motor that holds ("mass"), or the cheapest ("price"). `motors` and `gears` may be
    tables (CSV) as `mp.choose_drives` reads them; `choose` is then also "power", and `inertia_ratio` a limit. Where
    nothing is said every length is a fifth shorter to a fifth longer, and the arm moves between two places that it
    stands at now."""
    cases = _cases(usual_ranges(robot) if vary is None else vary, sample, count)
    asked = tasks_from(robot, usual_tasks(robot) if tasks is None else tasks)
    if choose not in CHOICES:
        raise InputError("choose: expected mass, price or power, found {choose!r:.40}", choose)
    drives = drives_from(robot, motors, gears, choose)
    ratio = _ratio(inertia_ratio, drives)
    beams = _beams(beam, cases)
    _refuse_ends(robot, cases)
    subject = _subject(text_from(robot), cases.names, tuple(beams.items()), bool(drives))
    _refuse_subject(subject, asked)
    if drives:
        _ = subject.torque  # motors are chosen by torques: a mass without a value is refused now
    wanted = _objectives(subject, objectives, Wishes(asked, drives, choose, False, ratio), _ends(cases))
    wishes = Wishes(asked, drives, choose, "cycle_time" in wanted, ratio)
    _refuse_names(subject, wishes, cases)
    units = {name: fact.unit for name, fact in api.parameter_facts(robot).items() if name in cases.names}
    shared = {"vary": list(cases.names), "beams": beams, "wishes": wishes, "objectives": wanted}
    return StudyPlan(cases, {"robot": robot, **shared}, units)


def _ratio(given: object, drives: Sequence[Drive]) -> float:
    if given is not None and not any(drive.pair is not None for drive in drives):
        raise InputError('inertia_ratio: needs the rotors of a table of motors: motors = "FILE.csv"')
    return ratio_limit(given)


def _cases(vary: object, sample: object, count: object) -> Product | Sample:
    if not isinstance(vary, Mapping) or not vary or not all(isinstance(name, str) for name in vary):
        raise InputError("vary: expected ranges by name, such as l1 = [0.3, 0.6], found {vary!r:.60}", vary)
    vary = {spell_greek(name): x.tolist() if isinstance(x, np.ndarray) else x for name, x in vary.items()}
    if sample == "product":
        found = Product(vary)
        odd = next((name for name, x in found.levels.items() if x.ndim > 1 or x.dtype.kind not in "if"), None)
        if odd is not None:
            raise InputError("vary: {odd}: expected numbers, found {vary!r:.60}", odd, vary[odd])
        return found
    if sample not in SAMPLES:
        raise UnknownNameError("sample", str(sample), [*SAMPLES, "product"])
    return SAMPLES[sample](count_of("count", count), vary)


def _ends(cases: Product | Sample) -> list[dict[str, float]]:
    """The least and the most of everything that varies."""
    if isinstance(cases, Product):
        pairs = {name: (float(x.min()), float(x.max())) for name, x in cases.levels.items()}
    else:
        pairs = {name: cases.ends(name) for name in cases.names}
    return [{name: pair[k] for name, pair in pairs.items()} for k in (0, 1)]


def _beams(beam: object, cases: Product | Sample) -> dict[str, float]:
    if beam is None:
        return {}
    if not isinstance(beam, Mapping):
        raise InputError("beam: expected kg/m by length, such as l1 = 4.5, found {beam!r:.60}", beam)
    low, _ = _ends(cases)
    beam = {spell_greek(str(name)): density for name, density in beam.items()}
    for name in beam:
        if name not in cases.names:
            raise UnknownNameError("length that varies", str(name), cases.names)
        if low[name] <= 0:
            raise InputError(
                "beam: {name}: a beam is longer than zero, and {name} varies from {low:g}", name, low[name]
            )
    return {name: positive(f"beam: {name}", density) for name, density in beam.items()}


def _refuse_ends(robot: Robot, cases: Product | Sample) -> None:
    """Refuses now what the robot cannot be at the ends of the ranges; warns of angles that look like degrees."""
    for values in _ends(cases):
        try:
            robot.with_parameters(**values)
        except UnknownNameError as error:
            raise InputError("vary: {error}", error) from error


def _refuse_subject(subject: Subject, tasks: Sequence[Task]) -> None:
    if idle := subject.idle():
        raise InputError("vary: {idle}: nothing in {name} depends on it", idle[0], subject.robot.name)
    _ = subject.manipulability_model  # a length without a value is refused now
    if any(task.places for task in tasks):
        subject.refuse_places()


def _objectives(subject: Subject, given: object, wishes: Wishes, ends: list[dict[str, float]]) -> dict[str, str]:
    moves = any(task.stops > 1 for task in wishes.tasks)
    if given is None:
        heavier = subject.weighs and (wishes.drives or len({subject.mass(values) for values in ends}) > 1)
        given = ["mass" if heavier else "length", "energy" if subject.weighs and moves else "manipulability"]
    names = [given] if isinstance(given, str) else list(given) if isinstance(given, Sequence | Mapping) else []
    if not names:
        raise InputError("objectives: expected some of {objectives}, found {given!r:.60}", ", ".join(OBJECTIVES), given)
    for name in names:
        if name not in OBJECTIVES:
            raise UnknownNameError("objective", str(name), OBJECTIVES)
        if name not in ("length", "manipulability"):
            _ = subject.torque  # a mass without a value is refused now
        if told := _missing_objective(subject, str(name), wishes, moves):
            raise InputError("objectives: {name}: {told}", name, told)
    return {name: OBJECTIVES[name] for name in names}


def _missing_objective(subject: Subject, name: str, wishes: Wishes, moves: bool) -> str:
    if name in ("energy", "cycle_time") and not moves:
        return Message("no task moves; one with two places or more, and a duration, does")
    if name == "price" and not any(drive.price for drive in wishes.drives):
        return Message("no motor has a price")
    limited = [x for joint in subject.robot.joints for x in (joint.effort_limit, joint.velocity_limit) if x is not None]
    if name in ("use", "cycle_time") and not wishes.drives and not limited:
        return Message("{name} has no limits; motors, or effort_limit in its file, give them", subject.robot.name)
    return ""


def _refuse_names(subject: Subject, wishes: Wishes, cases: Cases) -> None:
    for name in cases.names:
        if name in blank(subject, wishes):
            raise InputError("vary: {name}: a result of the study has this name; rename it in the robot's file", name)


def robot_of_case(study: StudyTable, case: int) -> Robot:
    """The robot of a case: its lengths, beams, and motors as bodies, inertias and limits."""
    given = study.shared
    values = {name: float(study.table[name][case]) for name in given["vary"]}
    wishes, dof = Wishes(*given["wishes"]), given["robot"].dof
    labels = [str(study.table[f"motor{k}"][case]) for k in range(1, dof + 1)] if "motor1" in study.table else []
    by_label = {drive.label: drive for drive in wishes.drives}
    drives = [by_label[label] for label in labels if label]
    return robot_of_design(given["robot"], values, given["beams"], drives, f"{given['robot'].name}_{case}")


def show(study: Study) -> list[str]:
    """The front first, then why others did not do."""
    if not study.has_front:
        return []
    found = study.front()
    parts = [paragraph(found.headline)]
    parts += [charts(found.charts())] if len(found.objectives) > 1 and len(found) else []
    parts += [table("the front", *found.cells(SHOWN))] if len(found) else []
    rows = [(reason, str(count)) for reason, count in found.reasons[:SHOWN]]
    parts += [table("why others do not do", ("reason", "designs"), rows)] if rows else []
    return [section("Front", *parts)]


LINE = "which lengths and motors do what is asked, and the front that no other design beats"
READY = Ready(
    "design", LINE, design_case, plan, show, files=("motors", "gears"), form=FORM, columns=COLUMNS, build=robot_of_case
)
