"""What a person does to teach a robot: derivations step by step, worksheets, answers checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from manipula.api.robot_verbs import robot_from
from manipula.errors import InputError

if TYPE_CHECKING:
    from manipula.mechanics.robot.bind import Symbolic
    from manipula.pages.derivation import Derivation
    from manipula.robot import RobotLike
    from manipula.worksheets.answers import AnswerVerdict
    from manipula.worksheets.sheet import Worksheet


def derive(
    robot: RobotLike, topic: str, *, method: str = "lagrange", symbolic: Symbolic | None = None, axes: str = "noa",
    task: str | None = None, seconds: float = 30.0,
) -> Derivation:  # fmt: skip
    """How an arm's equations are found, step by step, every result proved: topic "pose", "jacobian", "dynamics", "ik"
    or "singularities".

    Prints itself; `latex()`, `typst()` and `html()` set it elsewhere, and a notebook shows it. `method` is that of the
    dynamics, `task` ("pose" or "position") that of inverse kinematics. By default lengths and angles are letters; in
    dynamics only what has no value is one.

    Args:
        method: Of the dynamics: lagrange or newton-euler.
        axes: Names of the tool's axes: noa, nsa or xyz.
        seconds: Time for writing; a result that would take longer is left out, its formula stays.

    >>> derive("planar2r", "pose")
    <derivation of the pose of planar2r: 3 steps; print(…) shows them>
    """
    from manipula.derivations.topics import derivation_by_topic

    return derivation_by_topic(robot_from(robot), topic, method, symbolic, axes, task, seconds)


def write_derivation(derivation: Derivation, path: str | Path, *, told: Callable[[str], str] = str) -> Path:
    """The derivation as a file by its ending: .html, .tex, .typ, .pdf (set by Typst), .txt. `told` translates its
    sentences."""
    from manipula.pages.documents import document_of
    from manipula.support.files import write_bytes, write_text

    target = Path(path)
    if target.suffix.lower() not in (".html", ".tex", ".typ", ".pdf", ".txt"):
        raise InputError("{path}: expected a name that ends in .html, .tex, .typ, .pdf or .txt", path)
    text = document_of(derivation, target.suffix.lower(), told)
    write_bytes(target, text) if isinstance(text, bytes) else write_text(target, text)
    return target


def worksheet(
    robot: RobotLike, topics: Sequence[str] = ("pose", "jacobian"), *, seed: int = 1, students: int = 1, vary: str = "",
    numbers: bool = False,
) -> Worksheet:  # fmt: skip
    """Questions about an arm, with solutions that are proved: another arm for every student, the same for a seed.

    Topics are those of `derive`. `write(folder)` makes the files of students and teacher; `sheet(3).check("1a", text)`
    checks an answer.

    Args:
        seed: Other arms and questions for another seed.
        students: How many sheets, each of another arm.
        vary: What differs from student to student: lengths, axes or joints; default: axes, and lengths for numbers.
        numbers: Ask for numbers at a configuration, not for formulas.

    >>> worksheet("planar2r", ["pose"], students=2, vary="lengths")
    <worksheet of planar2r: 2 students, pose; write(…) makes files>
    """
    from manipula.worksheets.sheet import make_worksheet

    return make_worksheet(robot_from(robot), tuple(topics), seed, students, vary, numbers)


def check_answer(robot: RobotLike, answer: str) -> AnswerVerdict:
    """An answer such as "T14 = l1*c1 + l2*c12": proved equal to the model's entry, or what differs.

    Left sides: T11 … T34 of the pose, px py pz, J11 … J6n, M11 …, g1 …, and tau1 … with qd1, qdd1 for rates; detJ.

    >>> print(check_answer("planar2r", "px = l1*c1 - l2*c12"))
    Not equal: the term with l2*c12 has the factor -1; it should be 1.
    """
    from manipula.worksheets.entries import check_entry

    return check_entry(robot_from(robot), answer)


def check_worksheet(path: str | Path, student: int, answers: Mapping[str, str]) -> dict[str, AnswerVerdict]:
    """Answers of one student to a worksheet that was written: question → verdict. `path` is its folder or its
    worksheet.json."""
    from manipula.worksheets.entries import check_file

    return check_file(Path(path), student, answers)


def read_answers(path: str | Path) -> dict[str, str]:
    """Question → answer, of a text file with lines such as `1a: l1*c1 + l2*c12`."""
    from manipula.worksheets.entries import answers_from_text

    try:
        return answers_from_text(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("{path}: cannot be read: {reason}", path, getattr(error, "strerror", "") or error) from None
