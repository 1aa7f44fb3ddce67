"""The words of a derivation: why an equation holds, how many roots it has, what degenerates. No formulas."""

from __future__ import annotations

from dataclasses import dataclass

from manipula.mechanics.models.inverse import recording
from manipula.mechanics.models.inverse.loop import Loop
from manipula.mechanics.models.inverse.plan import Plan
from manipula.messages import Message

# of the axes 3, 4, 5 that place a point: those that are parallel, that cross, that slide
_PARALLEL = {"2∥3": (4, 5), "1∥2": (3, 4)}
_CROSSING = {"1×2": (3, 4), "2×3": (4, 5), "R×RP": (3, 4), "PR×R": (4, 5)}
_SLIDES = {"RPP": (4, 5), "PPR": (3, 4)}
_SLIDES_OF_RUNS = ("split, two slides outside", "split, two slides inside")
_MEETING = {"elbow": ", the arm stretched or folded", "slide": ", both slides the same"}


@dataclass(frozen=True)
class Words:
    """Sentences about one arm of `dof` joints; axes added to its loop are counted on from there."""

    plan: Plan
    loop: Loop
    dof: int

    # axes by their numbers

    def number(self, axis: int) -> int:
        joints = [x.joint for x in self.loop.axes[: axis % self.loop.size + 1]]
        return self.dof + joints.count(None) if joints[-1] is None else joints[-1] + 1

    def places(self, x: recording.LoopCoordinate) -> str:
        """The index of a sum of angles: 234, and 12m4 where one is subtracted."""
        signed = sorted((self.number(axis), sign) for axis, sign in zip(x.axes, x.signs, strict=True))
        return "".join(("m" if sign < 0 else "") + str(number) for number, sign in signed)

    def axes(self, *axes: int) -> str:
        names = list(map(str, sorted(map(self.number, axes))))
        if len(names) > 1:
            return Message("axes {list} and {last}", ", ".join(names[:-1]), names[-1])
        return Message("axis {number}", names[0])

    def _capital(self, *axes: int) -> tuple[str, int]:
        """The first of them with commas, and the last: a title begins with them."""
        *most, last = sorted(map(self.number, axes))
        return ", ".join(map(str, most)), last

    # what the pose says: the origin on one side of the closing gap, seen from the other

    def point(self, behind: bool, letter: str) -> str:
        """`behind`: the origin is that of the axis before the gap."""
        gap = self.loop.pose_gap
        here, there = (gap - 1, gap) if behind else (gap, gap - 1)
        at, axes = self._meeting_text(here) or ("The origin of the frame on {axes}", self.axes(here))
        template = at + ", seen from {axes2}: the point {letter}"
        return Message(template, axes, self.axes(there), letter)

    def _meeting_text(self, axis: int) -> tuple[str, str] | None:
        axis %= self.loop.size
        for group in {"spherical": ((0, 1, 2),), "arm angle": ((0, 1, 2), (4, 5, 6))}.get(self.plan.structure, ()):
            if axis in group:
                return "Where {axes} meet", self.axes(*group)
        for slide in self.plan.slides:
            if (slide.before and axis == slide.gap - 1) or (slide.after and axis == slide.gap):
                return "Where {axes} cross", self.axes(slide.gap - 1, slide.gap)
        return None

    # why; {0} is the coordinate looked for

    def linear(self, entry: recording.CosineSineEquation) -> str:
        match entry.reason:
            case "height":
                return self._height()
            case "distance":
                return self._distance()
        if entry.matrix:
            template = "{letter} is the turn left for {axes}; the last entry of its third column depends on {{0}} alone"
            return Message(template, entry.matrix.upper(), self._wrist(entry.x))
        template = "Turning about {axes} keeps the component along it, which depends on {{0}} alone"
        return Message(template, self.axes(*entry.others))

    def _wrist(self, second: recording.LoopCoordinate) -> str:
        at = second.axes[0]
        if self.plan.structure == "runs":
            return self.axes(*(axis for run in self.plan.runs for axis in run))
        return self.axes(*range(5)) if self.plan.structure == "three parallel" else self.axes(at - 1, at, at + 1)

    def _height(self) -> str:
        case = self.plan.case
        if case in _SLIDES or case in _SLIDES_OF_RUNS:
            slides = _SLIDES[case] if case in _SLIDES else self._slide_axes()
            template = "Across the plane in which {axes} slide, the position depends on {{0}} alone"
            return Message(template, self.axes(*slides))
        if self.plan.structure == "meeting":
            return Message("Turning about {axes} keeps the height along it, which depends on {{0}} alone", self.axes(3))
        parallel = self._height_run() if self.plan.structure == "runs" else _PARALLEL[case] if case else (0, 1, 2)
        return Message(
            "Axes {list} and {last} move nothing along their common direction: the height there depends on {{0}} alone",
            *self._capital(*parallel),
        )

    def _slide_axes(self) -> list[int]:
        return [k for k, axis in enumerate(self.loop.axes) if axis.kind != "revolute"]

    def _height_run(self) -> tuple[int, ...]:
        """Of the parallel runs the one over which a height is taken: three, or the first two."""
        runs = [run for run in self.plan.runs if len(run) > 1]
        return next((run for run in runs if len(run) == 3), runs[0])

    def _distance(self) -> str:
        case = self.plan.case
        if case in _CROSSING:
            template = "Turning about {axes} keeps the distance from their crossing, which depends on {{0}} alone"
            return Message(template, self.axes(*_CROSSING[case]))
        if self.plan.structure == "arm angle":
            return "The distance from shoulder to wrist depends on {0} alone"
        return "Across the parallel axes two links remain. The sum of their squared equations depends on {0} alone"

    def turn_sentence(self, entry: recording.Turned) -> str:
        if entry.matrix:
            return "The other entries of that column"
        return "What is left is linear in the cosine and sine of {0}"

    def known_sentence(self, entry: recording.Known) -> str:
        if entry.matrix:
            return Message("The first column of {letter}, the other axes turned back", entry.matrix.upper())
        if len(entry.values) == 1:
            return "What is left is linear in {0}"
        return "The orientation gives {0}" if len(entry.x.axes) > 1 else "What is left of the orientation"

    def quadratic(self, entry: recording.Quadratic) -> str:
        if self.plan.case in _CROSSING:
            return self._distance()
        return "Turning keeps the distance from the axis, which depends on {0} alone"

    def remainder(self, entry: recording.Remainder) -> str:
        return Message("Axes {list} and {last} are parallel: their angles add up", *self._capital(*entry.whole.axes))

    def frame(self, entry: recording.NamedMatrix) -> str:
        """Place: the length that must not be zero."""
        match entry.letter:
            case "f":
                return "F: first axis from shoulder to wrist, second square to that and to axis 1 (y where {0} = 0)"
            case "e":
                return "E: the same frame as axis 3 sees it, the elbow bent (y where {0} = 0)"
        return "R: first E undone, then a turn by the arm angle about the first axis, then F"

    # where

    def reach(self, role: str) -> str:
        return "two where {0} ≤ {1}, one where they are equal" + _MEETING.get(role, "")

    def free(self, x: recording.LoopCoordinate, count: int) -> Message:
        """Places: so many entries, the coordinate."""
        zeros = " = ".join(f"{{{number}}}" for number in range(count))
        turns = self.plan.structure in ("two axes", "with slides", "runs")
        if turns:
            return Message("{zeros} = 0: the equations vanish, so {q} is arbitrary", zeros, f"{{{count}}}")
        return Message("{zeros} = 0: p lies on {axes}, so {q} is arbitrary", zeros, self.axes(*x.axes), f"{{{count}}}")

    def lock(self, entry: recording.Lock) -> str:
        """Places: the two entries across, the sum, the difference, the first coordinate."""
        several = len(entry.first.axes) > 1
        return Message(
            "{zeros} = 0: {axes} are {line}; only {{2}} is determined where they point alike, {{3}} where they do not; "
            "{taken}",
            "{0} = {1}",
            self.axes(*entry.first.axes, *entry.third.axes),
            Message("parallel" if several else "in line"),
            Message("the reach of the others then chooses {4}" if several else "{4} = 0 is taken"),
        )
