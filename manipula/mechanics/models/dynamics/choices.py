"""Formulations as data: the free choices that leave a model's values alone and change what it costs.

`Answers` answer questions; an unanswered one has its first answer. Every question is one small step,
applied to the chain before the model sees it (`apply_choices`) or handed to the recursion (`field_choices`); none is a
branch in the physics, and whatever comes out is proved against the plain model.

| question    | answers           | keeps                      | what it does                                    |
|-------------|-------------------|----------------------------|-------------------------------------------------|
| `frames`    | given, joints     | torques, energy, tool      | puts every link frame on its joint              |
| `slide i`   | stay, back, forth | torques, energy, tool      | slides frame i along its axis: a lever is 0     |
| `masses`    | given, regrouped  | torques                    | base parameters: axis masses go to the parent   |
| `axis i`    | bare, first …     | torques                    | fictitious moments on axis i: a parent's is 0   |
| `tip`       | given, first …    | torques, energy, tool      | turns the last frame: a moment of its link is 0 |
| `gauge`     | none, 4y, 4m …    | torques                    | a fictitious mass: a first moment or mass is 0  |
| `unit`      | metre, 4y …       | torques                    | lengths measured in that lever: a factor is 1   |
| `share i` … | see the model     | torques                    | how `acceleration_field` works out link i       |

Source: the regrouping of masses is Khalil, Kleinfinger, "Minimum operations and minimum parameters of the dynamic
models of tree structure robots", IEEE Journal of Robotics and Automation 3 (1987). The other questions are derived
here, each at the place that applies its answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from manipula.mechanics.models.dynamics import acceleration_field
from manipula.mechanics.robot import reduce
from manipula.mechanics.robot.joints import JointKind
from manipula.mechanics.robot.tree import BASE, Link, Tree
from manipula.mechanics.spatial.placement import HERE, Placement
from manipula.mechanics.spatial.vector import Vector, add, is_structural_zero, rotate
from manipula.scalar import Scalar

Kind = Literal[
    "frames", "slide", "masses", "axis", "tip", "gauge", "unit", "share", "lever", "spin", "run", "moment"
]  # fmt: skip


class Topic(NamedTuple):
    """What is asked: the kind of question, and the link it is requested, counted from 1; 0 is the arm as a whole."""

    kind: Kind
    link: int = 0

    def __str__(self) -> str:
        return f"{self.kind} {self.link}" if self.link else self.kind


class Component(NamedTuple):
    """One entry of the lever to a joint, which is counted from 1: 4y."""

    joint: int
    axis: int

    def __str__(self) -> str:
        return f"{self.joint}{'xyz'[self.axis]}"


class Mass(NamedTuple):
    """The mass of the link before a joint, which is counted from 1: 4m."""

    joint: int

    def __str__(self) -> str:
        return f"{self.joint}m"


Answer = str | Component | Mass
Answers = Mapping[Topic, Answer]
FRAMES, MASSES, TIP, GAUGE, UNIT = (
    Topic("frames"), Topic("masses"), Topic("tip"), Topic("gauge"), Topic("unit")
)  # fmt: skip
SLIDES = ("stay", "back", "forth")
# A finding, not a theorem: on the Stanford arm descents prefer whichever share of link 2 is cheaper at once, the other
# ends lower (bench/notes/basins-and-squares.md). So both are searched.
WIDE = Topic("share", 2)  # behind the first joint, whose motion is simple, both ways to work a link out lead far apart
UNITS = 3  # levers tried as a unit without a search
# what axis i carries of its parent's moments along it: (first, second)
LOADS = {"bare": (False, False), "first": (True, False), "second": (False, True), "both": (True, True)}


@dataclass(frozen=True)
class Question:
    """A free choice; the first answer leaves things as they are."""

    topic: Topic
    answers: tuple[Answer, ...]
    disruptive: bool = False  # leads far away: a descent first goes as far as it can without it
    basin: bool = False  # each answer begins a descent of its own


def questions(chain: Tree, needs: frozenset[str], base: bool) -> list[Question]:
    """What may be asked about this arm, frames on its joints, for a model that needs these things kept."""
    if "frames" in needs:
        return []
    asked = [Question(FRAMES, ("given", "joints"))]
    if "energy" in needs or "tool" in needs:
        return asked
    asked += [Question(Topic("slide", i), SLIDES) for i in range(1, chain.dof + 1)]
    if base:
        asked.append(Question(MASSES, ("given", "regrouped")))
        asked += [Question(Topic("axis", i + 1), tuple(LOADS), disruptive=True) for i in _bearing_axes(chain)]
        asked.append(Question(TIP, ("given", *_tips(chain))))
        asked.append(
            Question(
                GAUGE, ("none", *_revolute_components(chain, _levers(chain)), *_masses_behind_slides(chain)), basin=True
            )
        )
    if all(link.kind.pivots for link in chain.links):
        asked.append(_unit(chain))
    return asked


def _unit(chain: Tree) -> Question:
    return Question(UNIT, ("metre", *_levers(chain)), basin=True)


FIELD_KINDS: dict[Kind, tuple[str, ...]] = {
    "share": tuple(acceleration_field.SHARES),
    "lever": tuple(acceleration_field.LEVERS),
    "spin": tuple(acceleration_field.SPINS),
    "run": acceleration_field.RUNS,
    "moment": tuple(acceleration_field.MOMENTS),
}


def field_questions(chain: Tree) -> list[Question]:
    """How the acceleration field is to be worked out, link by link; frames on the joints."""
    asked = [_unit(chain)]
    for i, link in enumerate(chain.links, 1):
        kinds = [
            kind
            for kind in FIELD_KINDS
            if kind != "run" or (link.parent != BASE and acceleration_field.continues(link))
        ]
        topics = [Topic(kind, i) for kind in kinds]
        asked += [Question(topic, FIELD_KINDS[topic.kind], basin=topic == WIDE) for topic in topics]
    return asked


def _bearing_axes(chain: Tree) -> dict[int, int]:
    """Revolute joint (from 0) → the axis of its parent along which it lies, where that is x or y of a revolute link."""
    links = chain.links
    below = [_below(links, link) for link in links]
    turning = [i for i, link in enumerate(links) if link.kind.pivots and (under := below[i]) and under.pivots]
    return {i: axis for i in turning for axis in (0, 1) if links[i].before.R[axis][2] in (1, -1)}


def _below(links: Sequence[Link], link: Link) -> JointKind | None:
    """The kind of the joint whose link it stands on; of the base none."""
    return None if link.parent == BASE else links[link.parent].kind


def _tips(chain: Tree) -> list[str]:
    """The pairs of moments of the last link of which a turn about its axis leaves one: neither is zero by structure."""
    last = chain.links[chain.leaves[-1]]
    pairs = reduce.PAIRS if last.kind.pivots else {}
    return [name for name, pair in pairs.items() if not any(map(is_structural_zero, pair(last.inertia)))]


def _levers(chain: Tree) -> list[Component]:
    """The entries of the levers between joints that are not zero by structure: 3x, 4y …"""
    return [
        Component(i + 1, k)
        for i, link in enumerate(chain.links)
        for k in range(3)
        if link.parent != BASE and not is_structural_zero(link.before.p[k])
    ]


def _revolute_components(chain: Tree, entries: Sequence[Component]) -> list[Component]:
    """Those of revolute joints: a mass on a sliding joint's origin does not belong to both links alike."""
    return [entry for entry in entries if chain.links[entry.joint - 1].kind.pivots]


def _masses_behind_slides(chain: Tree) -> list[Mass]:
    """The revolute joints behind a sliding one, whose link keeps a mass that may ride on the next: 4m …"""
    under = [(link, _below(chain.links, link)) for link in chain.links]
    return [Mass(i) for i, (x, y) in enumerate(under, 1) if x.kind.pivots and y and y.slides]


def default_answers(chain: Tree, asked: Sequence[Question]) -> Answers:
    """Answers that are rarely bad: frames on joints, base parameters, runs of parallel axes and the tip in run axes."""
    topics = {question.topic for question in asked}
    answers = {FRAMES: "joints", MASSES: "regrouped"}
    for i, run in enumerate(_runs(chain.links), 1):
        if len(run) > 1:
            answers |= {Topic("share", i): "run", Topic("lever", i): "run"}
    answers |= {Topic("share", i + 1): "run" for i in chain.leaves}
    return {topic: answer for topic, answer in answers.items() if topic in topics}


def changes_to_try(chain: Tree, asked: Sequence[Question]) -> list[Answers]:
    """Changes worth a trial each, in this order."""
    answers = {question.topic: question.answers for question in asked}
    runs = _runs(chain.links)
    ends = [i for i, run in enumerate(runs) if len(run) > 1 and not run & set(chain.children(i))]
    shares = [Topic("share", i + 1) for i in ends if chain.children(i)]
    tails: Answers = {topic: "own" for topic in shares if topic in answers}
    squares: Answers = {topic: "squares" for topic, known in answers.items() if "squares" in known}
    units: list[Answers] = [{UNIT: unit} for unit in answers.get(UNIT, ())[1 : UNITS + 1]]
    return [change for change in (squares, tails, *units) if change]


def _runs(links: Sequence[Link]) -> list[set[int]]:
    """For every link, the joints of its run of parallel axes."""
    runs: list[set[int]] = []
    for i, link in enumerate(links):
        runs.append(runs[link.parent] if link.parent != BASE and link.before.R == HERE.R else set())
        runs[i].add(i)
    return runs


def apply_choices(chain: Tree, answers: Answers) -> Tree:
    """The chain after the choices that concern it."""
    if answers.get(FRAMES, "given") == "given":
        return chain
    on_joints = chain = reduce.frames_on_joints(chain)
    for i in range(chain.dof):
        way = str(answers.get(Topic("slide", i + 1), "stay"))
        chain = chain if way == "stay" else slide_frame(chain, i, way)
    if answers.get(MASSES, "given") == "regrouped":
        chain = reduce.regroup(chain)
        for i, axis in _bearing_axes(chain).items():
            chain = reduce.moments_on_axis(chain, i, axis, *LOADS[str(answers.get(Topic("axis", i + 1), "bare"))])
        if answers.get(TIP, "given") != "given":
            chain = reduce.tip_turned(chain, str(answers[TIP]))
        chain = _apply_gauge(chain, answers.get(GAUGE, "none"))
    unit = answers.get(UNIT, "metre")
    if isinstance(unit, Component):  # a length, wherever the slides have put it
        chain = reduce.rescale_lengths(chain, on_joints.links[unit.joint - 1].before.p[unit.axis])
    return chain


def _apply_gauge(chain: Tree, answer: Answer) -> Tree:
    if isinstance(answer, Mass):
        return reduce.mass_moved_outward(chain, answer.joint - 1)
    return reduce.apply_gauge_mass(chain, answer.joint - 1, answer.axis) if isinstance(answer, Component) else chain


def slide_frame(chain: Tree, i: int, way: str) -> Tree:
    """Frame i slid along its own axis, so that the lever before ("back") or behind it ("forth") loses its z part."""
    link = chain.links[i]
    axis = rotate(link.before.R, (0, 0, 1))
    children = chain.children(i)
    after = chain.links[children[0]].before if children else chain.tool
    shift = after.p[2] if way == "forth" else -_along(axis, link.before.p)
    links = list(chain.links)
    links[i] = replace(
        link,
        before=Placement(link.before.R, add(link.before.p, rotate(link.before.R, (0, 0, shift)))),
        inertia=link.inertia.seen_from(Placement(p=(0, 0, -shift))),
    )

    def behind(at: Placement) -> Placement:
        return Placement(at.R, (at.p[0], at.p[1], at.p[2] - shift))

    for k in children:
        links[k] = replace(links[k], before=behind(links[k].before))
    marks = tuple(replace(x, at=behind(x.at)) if x.on == i else x for x in chain.marks)
    tool = behind(chain.tool) if chain.holder == i else chain.tool
    cuts = chain.move_cuts(lambda k, at: (k, behind(at) if k == i else at))
    return replace(chain, links=tuple(links), tool=tool, cuts=cuts, marks=marks)


def _along(axis: Vector, p: Vector) -> Scalar:
    return axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2]


def field_choices(answers: Answers, dof: int) -> list[acceleration_field.LinkOptions]:
    """The acceleration field's choices, link by link."""
    return [
        acceleration_field.LinkOptions(
            *(str(answers.get(Topic(kind, i), known[0])) for kind, known in FIELD_KINDS.items())
        )
        for i in range(1, dof + 1)
    ]
