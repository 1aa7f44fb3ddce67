"""What `ik` shows: the class of an arm, the table of its branches, and the units in which joints are read and shown."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from manipula.cli.terminal import language
from manipula.cli.terminal.screen import Data, say, say_prose, say_table
from manipula.errors import InputError
from manipula.messages import Message, capitalise, in_radians, join_messages

if TYPE_CHECKING:
    from manipula.arm import Arm
    from manipula.robot import Robot


_CAPTION = Message(
    "residual: the largest entry of |FK − pose|; margin: to the nearest limit, negative outside; a "
    "branch out of reach shows where it comes nearest."
)


@dataclass(frozen=True)
class ScreenUnits:
    """The units of an arm's joints on the screen; inside all is rad and m.

    `fixed_joint`: of a redundant arm, the one that the caller fixes.
    """

    turning: Sequence[bool]
    degrees: bool
    fixed_joint: int | None

    @property
    def free_turns(self) -> bool:
        """Whether a redundant arm's parameter is an angle."""
        return self.fixed_joint is None or self.turning[self.fixed_joint]

    @property
    def angle(self) -> str:
        return "deg" if self.degrees else "rad"

    def name(self, joint: int) -> str:
        return self.angle if self.turning[joint] else "m"

    def in_shown_unit(self, joint: int, value: float) -> float:
        return math.degrees(value) if self.degrees and self.turning[joint] else value

    def say(self, text: str) -> str:
        """A sentence about joints, translated, in the units of the table."""
        return language.translate(text if self.degrees else in_radians(text))

    def read(self, option: str, text: str) -> list[float]:
        """Joint positions as a user writes them."""
        given = numbers(option, text)
        if len(given) != len(self.turning):
            raise InputError("{option}: expected {count} joint positions, found {count2} numbers",
                             option, len(self.turning), len(given))  # fmt: skip
        both = zip(given, self.turning, strict=True)
        return [math.radians(x) if self.degrees and turns else x for x, turns in both]


def numbers(option: str, text: str) -> list[float]:
    words = text.replace(",", " ").split()
    found = [_number(option, word) for word in words]
    for word, value in zip(words, found):
        if not math.isfinite(value):
            raise InputError("{option}: {words} is not a finite number", option, word)
    return found


def _number(option: str, word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise InputError("{option}: expected numbers separated by blanks, found {word!r}", option, word) from None


# what is printed


def told_class(arm: Arm, part: str, solved: bool, words: Sequence[str]) -> Data:
    """`solved`: a target is given, so that the arm must have its numbers. The class of a whole pose needs none.
    `words` are the robot and the options that were typed of it."""
    if part == "pose":
        return _class(arm.robot, arm.solver_for(part).plan if solved else arm.inverse_plan, words)
    solver = arm.solver_for(part)
    told = _class(arm.robot, solver.plan, words)
    count = 2 ** len(solver.plan.roles) if solver.closed else None
    closed = {"task": part, "closed_form": bool(solver.closed), "branch_count": count}
    return told | closed | dict.fromkeys(("emit", "formulas", "derivation"))  # no code is written for it


def _class(subject: Robot, plan: Any, words: Sequence[str]) -> Data:
    name, *options = map(shlex.quote, words)
    more = "".join(f" {option}" for option in options)
    emit = f"manipula generate {name}{more} -m inverse_kinematics -l c -o out/" if plan.has_code else None
    formulas = f"manipula equations {name} inverse_kinematics{more}" if plan.has_closed_form else None
    derivation = f"manipula ik {name}{more} --derive" if plan.has_closed_form else None
    commands = {"emit": emit, "formulas": formulas, "derivation": derivation}
    return {"robot": subject.name, **plan.as_dict(), **commands}


# the screen


def say_class(told: Data) -> None:
    say(Message("{robot}, {title}", told["robot"], told["class"]), "bold cyan")
    say_prose(Message("Why: {reason}.", told["why"]))
    if not told["closed_form"]:
        say_prose("There is no closed form; --q and --pose are solved all the same.")
        if told["free"] and "task" in told:
            say_prose(Message("Free for this task: {told}.", told["free"]))
        if told["emit"]:
            say(Message("As C: {command}", told["emit"]))
        return
    each = Message(" for each value of the free parameter ({told})", told["free"]) if told["free"] else ""
    many = Message("1 branch") if told["branch_count"] == 1 else Message("{told} branches", told["branch_count"])
    closed = Message("Closed form, {many}{each}.", many, each)
    if told["roles"]:
        closed = Message("Closed form, {many}{each}: {told} ±.", many, each, join_messages(" ±, ", told["roles"]))
    say_prose(closed)
    if not told["emit"]:
        return
    say(Message("As C: {command}", told["emit"]))
    say(Message("As formulas: {command}", told["formulas"]))
    say(Message("Step by step: {command}", told["derivation"]))


def say_answer(answer: Data, units: ScreenUnits) -> None:
    rows, found = answer["branches"], len(answer["answers"])
    say_prose(Message("{robot}, {title}: {why}.", answer["robot"], answer["class"], answer["why"]))
    if answer["note"]:
        say_prose(f"{capitalise(units.say(answer['note']))}.")
    elif answer["parameter"] is not None:
        say(Message("With {answer} = {free}.", answer["free"], _free(answer["parameter"], units)))
    joints = [f"q{i + 1} ({units.name(i)})" for i in range(len(units.turning))]
    columns = ("#", "branch", "answer", *joints, "residual", "margin")
    title = Message("{count} answers of {total} branches", found, len(rows))
    if found == 1:
        title = Message("{found} answer of {count} branches", found, len(rows))
    cells = [_cells(number, row, units) for number, row in enumerate(rows, 1)]
    say_table(title, columns, cells, right=(0, *range(2, len(columns))), caption=_CAPTION)
    _say_reasons(rows, units)
    if answer["nearest"] is not None:
        _say_nearest(answer["nearest"], units, answer.get("task", "pose"))


def _free(value: float, units: ScreenUnits) -> str:
    if not units.free_turns:
        return f"{value:.9g} m"
    return f"{math.degrees(value) if units.degrees else value:.9g} {units.angle}"


def _cells(number: int, row: Data, units: ScreenUnits) -> tuple[str, ...]:
    q = (_rounded_text(units.in_shown_unit(i, x)) for i, x in enumerate(row["q"]))
    kept = str(row["answer"]) if row["kept"] else language.translate("rejected")
    return (str(number), row["name"], kept, *q, f"{row['residual']:.1e}", _margin(row["margin"], units))


def _rounded_text(x: float) -> str:
    return f"{round(x, 6) + 0.0:.6f}"  # −0.000000 is 0.000000


def _margin(margins: Sequence[float | None], units: ScreenUnits) -> str:
    limited = [(x, joint) for joint, x in enumerate(margins) if x is not None]
    if not limited:
        return "no limits"
    least, joint = min(limited)
    return f"{units.in_shown_unit(joint, least):.4g} {units.name(joint)} (q{joint + 1})"


def _say_reasons(rows: Sequence[Data], units: ScreenUnits) -> None:
    """Under the table, where words have room; branches with the same reason together."""
    reasons: dict[str, list[int]] = {}
    for number, row in enumerate(rows, 1):
        if row["why"]:
            reasons.setdefault(Message("rejected: {why}", row["why"]), []).append(number)
        if row["family"]:
            reasons.setdefault(Message("one of infinitely many: {family}", row["family"]), []).append(number)
    for words, numbers in reasons.items():
        say_prose(Message("# {numbers} {words}", ", ".join(map(str, numbers)), units.say(words)))


def _say_nearest(nearest: Data, units: ScreenUnits, part: str) -> None:
    q = ", ".join(f"{_rounded_text(units.in_shown_unit(i, x))} {units.name(i)}" for i, x in enumerate(nearest["q"]))
    say_prose(f"{capitalise(units.say(nearest['reason']))}.", "bold")
    distance = nearest["distance"]
    if part != "pose":  # the reason has the distance
        say_prose(Message("Nearest configuration: {q}", q))
        return
    say_prose(Message("Nearest configuration, at distance {nearest:.6g} (norm of FK − pose): {q}", distance, q))
