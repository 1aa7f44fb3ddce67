"""What a person does to teach a robot: derivations step by step, worksheets, answers checked."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from manipula.api.robot_verbs import robot_from
from manipula.errors import InputError

if TYPE_CHECKING:
    from manipula.api.motion_arguments import Axes
    from manipula.api.rotation import RotationForms
    from manipula.derivations.screws import ScrewAxes
    from manipula.mechanics.robot.bind import Symbolic
    from manipula.mechanics.robot.values.terms import Angle
    from manipula.pages.derivation import Derivation
    from manipula.robot import Robot, RobotLike
    from manipula.worksheets.answers import AnswerVerdict
    from manipula.worksheets.sheet import Worksheet


def derive(
    robot: RobotLike, topic: str, *, method: str = "", symbolic: Symbolic | None = None, axes: str = "noa",
    task: str | None = None, seconds: float = 30.0,
) -> Derivation:  # fmt: skip
    """How an arm's equations are found, step by step, every result proved: topic "pose", "jacobian", "dynamics", "ik"
    or "singularities".

    Prints itself; `latex()`, `typst()` and `html()` set it elsewhere, and a notebook shows it. `method` of the pose is
    "transforms" or "screws", of the dynamics "lagrange" or "newton-euler", the first by default; `task` ("pose" or
    "position") that of inverse kinematics. By default lengths and angles are letters; in dynamics only what has no
    value is one.

    Args:
        method: Of the pose: transforms or screws; of the dynamics: lagrange or newton-euler.
        axes: Names of the tool's axes: noa, nsa or xyz.
        seconds: Time for writing; a result that would take longer is left out, its formula stays.

    >>> derive("planar2r", "pose")
    <derivation of the pose of planar2r: 3 steps; print(…) shows them>
    """
    from manipula.derivations.topics import derivation_by_topic

    return derivation_by_topic(robot_from(robot), topic, method, symbolic, axes, task, seconds)


def screws(robot: RobotLike, *, symbolic: Symbolic = "auto") -> ScrewAxes:
    """The screw axes of a serial arm at q = 0 and the home pose of its tool: the product of exponentials.

    `space` and `body` have a row (ω, v) for each joint, `home` is M. Arrays of numbers, or of text where parameters
    are letters; `derive(robot, "pose", method="screws")` shows the way from them to the pose.

    >>> print(screws("planar2r", symbolic="all").space[1])
    ['0' '0' '1' '0' '-l1' '0']
    """
    from manipula.derivations.screws import screws_of_robot

    return screws_of_robot(robot_from(robot), symbolic)


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


def robot_from_screw_file(path: str | Path, name: str = "robot") -> Robot:
    """The robot of a JSON file with the keys space (or body) and home, and joints if their names are known."""
    from manipula.robot import Robot

    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise InputError("{path}: cannot be read: {reason}", path, getattr(error, "strerror", "") or error) from None
    seen_from: tuple[Literal["space"], Literal["body"]] = ("space", "body")
    frame = next((key for key in seen_from if isinstance(data, dict) and key in data), None)
    if frame is None or "home" not in data:
        raise InputError("{path}: expected the keys space (or body) and home", path)
    return Robot.from_screws(data[frame], data["home"], data.get("joints", ()), frame=frame, name=name)


def rotation_from_text(
    given: Mapping[str, str], position: str = "", sequence: str = "zyx", axes: Axes = "intrinsic", angle: Angle = "rad"
) -> Any:
    """The rotation, or with a position the transform, of one form as text: numbers, or names, with blanks or commas.

    Forms: euler, quaternion, axis_angle, vector, matrix.
    """
    from manipula.api import rotation

    if len(given) != 1:
        raise InputError("give the rotation in one form: euler, quaternion, axis_angle, vector or matrix")
    ((form, text),) = given.items()
    words: list[Any] = text.replace(",", " ").split()
    match form:
        case "euler":
            found = rotation.matrix_from_euler(words, sequence, axes=axes, angle=angle)
        case "quaternion":
            found = rotation.matrix_from_quaternion(words)
        case "vector":
            found = rotation.matrix_from_vector(words)
        case "axis_angle":
            if len(words) != 4:
                raise InputError("axis_angle: found {count} entries, expected four: a vector and an angle", len(words))
            found = rotation.matrix_from_axis_angle(words[:3], words[3], angle=angle)
        case _:
            found = rotation.matrix_from_entries(words)
    return found if not position else rotation.transform_from_parts(found, position.replace(",", " ").split())


def rotation_forms(motion: Any, sequence: str = "zyx", axes: Axes = "intrinsic", angle: Angle = "rad") -> RotationForms:
    """See `mp.rotation.forms`."""
    from manipula.api import rotation

    return rotation.forms(motion, sequence, axes=axes, angle=angle)


def rotation_picture(motion: object, path: str | Path) -> None:
    """See `mp.rotation.picture`."""
    from manipula.api import rotation

    rotation.picture(motion, path=path)
