"""`derive` and `worksheet`: an arm's equations as a blackboard has them, and questions about them."""

from __future__ import annotations

from pathlib import Path

import typer

from manipula import api
from manipula.cli.terminal import options
from manipula.cli.terminal.command import Chosen, Options, command
from manipula.cli.terminal.language import translate
from manipula.cli.terminal.options import Wishes
from manipula.cli.terminal.screen import CHECK_FAILED, progress, say, say_json
from manipula.errors import InputError
from manipula.messages import Message


@command(asked=Options(api.derive, "method axes seconds"))
def derive(
    robot: str, topic: str = "pose", *, task: str = "", symbolic: str = "", latex: bool = False, typst: bool = False,
    short: bool = False, output: Path | None = None, asked: Chosen, wishes: Wishes, as_json: bool = False,
) -> None:  # fmt: skip
    """Derive an arm's equations step by step, every result proved.

    Topics: pose, jacobian, dynamics, ik, singularities.
    A file is written by its ending: .html, .tex, .typ, .pdf or .txt.

    \b
    Examples:
      manipula derive planar2r pose
      manipula derive planar2r pose --method screws
      manipula derive planar2r dynamics --method newton-euler
      manipula derive my_arm jacobian -o jacobian.html
      manipula derive planar2r ik --latex

    Args:
        topic (TOPIC): pose, jacobian, dynamics, ik or singularities.
        task (pose|position): Of ik: the whole pose, or the position alone.
        symbolic (auto|none|all|A,B): Default: letters for lengths and angles; in dynamics, for what has no value.
        latex: Print LaTeX.
        typst: Print Typst.
        short: The main steps alone.
        method (transforms|screws|lagrange|newton-euler):
        axes (noa|nsa|xyz):
    """
    if latex and typst:
        raise InputError("choose one of --latex and --typst")
    subject = options.find(robot, wishes)
    letters = options.read_symbolic({"symbolic": symbolic})["symbolic"] if symbolic else None
    with progress(f"deriving the {topic} of {subject.name}"):
        found = api.derive(subject, topic, symbolic=letters, task=task or None, **asked)
    found = found.without_substeps() if short else found
    if output is not None:
        say(str(api.write_derivation(found, output, told=translate)))
    elif as_json:
        say_json(found.as_dict())
    else:
        typer.echo(found.latex(translate) if latex else found.typst(translate) if typst else found.text(translate))


@command(asked=Options(api.worksheet, "seed students vary numbers"))
def worksheet(
    robot: str, folder: str = "", answers: Path | None = None, *, topics: str = "pose,jacobian", student: int = 1,
    solutions: bool = False, formats: str = "", out: Path = Path("worksheet"), asked: Chosen, wishes: Wishes,
    as_json: bool = False,
) -> None:  # fmt: skip
    """Write worksheets about an arm, another arm for every student; or check answers.

    With --solutions the folder has the teacher's files and worksheet.json, by which answers are checked:
    worksheet check FOLDER ANSWERS --student N. Answers are lines such as 1a: l1*c1 + l2*c12.

    \b
    Examples:
      manipula worksheet planar2r --topics pose,jacobian,ik,dynamics --seed 7 --solutions --out class
      manipula worksheet planar2r --students 10 --vary joints --solutions --out class
      manipula worksheet check class answers.txt --student 3

    Args:
        robot (ROBOT|check): A robot, or the word check.
        folder (FOLDER): Of check: the folder with worksheet.json.
        answers (ANSWERS): Of check: a text file.
        topics (A,B): pose, jacobian, dynamics, ik, singularities, with commas.
        student (N): Of check: whose answers they are.
        solutions: Write the teacher's files, too.
        formats (html,tex,typ,pdf): Default: all that can be made.
        out (FOLDER): Where files are written.
        vary (lengths|axes|joints):
    """
    if robot == "check":
        _check_answers(folder, answers, student, as_json)
        return
    if folder or answers is not None:
        raise InputError("a folder and answers are for worksheet check; --out says where files are written")
    subject = options.find(robot, wishes)
    with progress(f"worksheets of {subject.name}"):
        made = api.worksheet(subject, options.split_names(topics), **asked)
        kinds = options.split_names(formats) or None
        files = made.write(out, solutions=solutions, formats=kinds, told=translate)
    if as_json:
        say_json({"robot": subject.name, "students": len(made), "files": [str(path) for path in files]})
        return
    for path in files:
        say(str(path))


def _check_answers(folder: str, answers: Path | None, student: int, as_json: bool) -> None:
    if not folder or answers is None:
        raise InputError("worksheet check: expected a folder and a file of answers")
    found = api.check_worksheet(folder, student, api.read_answers(answers))
    if as_json:
        say_json({key: {"right": one.right, "says": one.says} for key, one in found.items()})
    else:
        for key, one in found.items():
            say(Message("{key}: {says}", key, one.says), "green" if one else "red")
    if not all(found.values()):
        raise typer.Exit(CHECK_FAILED)


@command()
def screws(
    robot: str, *, symbolic: str = "", name: str = "robot", output: Path | None = None, wishes: Wishes,
    as_json: bool = False,
) -> None:  # fmt: skip
    """Print the screw axes of an arm and its home pose; or make a robot of them.

    A file that ends in .json has the keys space (or body) and home, as --json prints them: it becomes a robot file.

    \b
    Examples:
      manipula screws ur5
      manipula screws planar2r --symbolic all
      manipula screws ur5 --json > axes.json
      manipula screws axes.json -o arm.toml

    Args:
        robot (ROBOT|FILE.json): A robot, or a file of screw axes.
        symbolic (auto|none|all|A,B): Which parameters stay letters; default auto: those without a value.
        name (NAME): Of the robot that is made.
        output (-o): The robot file to write, of a file of screw axes.
    """
    if robot.endswith(".json"):
        _write_robot(robot, name, output)
        return
    if output is not None:
        raise InputError("-o writes the robot of a file of screw axes; --json prints the screw axes of a robot")
    letters = options.read_symbolic({"symbolic": symbolic or "auto"})["symbolic"]
    found = api.screws(options.find(robot, wishes), symbolic=letters)
    if as_json:
        say_json(found.as_dict())
        return
    for k, (title, rows) in enumerate(found.tables()):
        wide = [max(map(len, column)) for column in zip(*rows)]
        typer.echo(("\n" if k else "") + translate(title))
        for row in rows:
            typer.echo("  ".join(f"{x:<{w}}" for x, w in zip(row, wide)).rstrip())


def _write_robot(path: str, name: str, output: Path | None) -> None:
    if output is None:
        raise InputError("{path}: a file of screw axes becomes a robot file; -o says which", path)
    say(str(api.save(api.robot_from_screw_file(path, name), output)))


@command(asked=Options(api.rotation_forms, "sequence axes angle"))
def rotation(
    *, euler: str = "", quaternion: str = "", axis_angle: str = "", vector: str = "", matrix: str = "",
    position: str = "", latex: bool = False, typst: bool = False, picture: Path | None = None,
    output: Path | None = None, asked: Chosen, as_json: bool = False,
) -> None:  # fmt: skip
    """Convert a rotation into every form; with names in place of numbers, derive its matrix.

    \b
    Examples:
      manipula rotation --euler "10 20 30" --sequence zyz --angle deg
      manipula rotation --quaternion "1 0 0 0"
      manipula rotation --axis-angle "0 0 1 90deg" --position "1 0 0" --picture frames.svg
      manipula rotation --euler "alpha beta gamma" --sequence zyz
      manipula rotation --euler "roll pitch yaw" --sequence xyz --axes extrinsic -o matrix.html

    Args:
        euler (A B C): Three angles, in the order of the sequence.
        quaternion (W X Y Z): The scalar first, of length 1.
        axis_angle (X Y Z ANGLE): A vector and the turn about it.
        vector (X Y Z): The axis times the angle in radians.
        matrix (R11 R12 …): Nine numbers, row by row; or sixteen of a transform.
        position (X Y Z): Makes it a rigid motion, 4×4.
        sequence (SEQUENCE): Of the Euler angles given and printed: zyx, zyz, xyz, …
        axes (intrinsic|extrinsic): About axes that move along, or fixed axes.
        angle (rad|deg): Of bare numbers, given and printed.
        latex: Print LaTeX.
        typst: Print Typst.
        picture (FILE.svg): Draw the fixed frame and the turned one.
        output (-o): Write the derivation by its ending: .html .tex .typ .pdf .txt
    """
    given = {
        "euler": euler, "quaternion": quaternion, "axis_angle": axis_angle, "vector": vector, "matrix": matrix,
    }  # fmt: skip
    if latex and typst:
        raise InputError("choose one of --latex and --typst")
    motion = api.rotation_from_text({form: text for form, text in given.items() if text}, position, **asked)
    if not hasattr(motion, "derivation"):
        if latex or typst or output is not None:
            raise InputError('a derivation needs names in place of numbers, such as --euler "alpha beta gamma"')
        forms = api.rotation_forms(motion, **asked)
        if picture is not None:
            api.rotation_picture(motion, picture)
        if as_json:
            say_json(forms.as_dict())
            return
        lines = [(translate(name), numbers) for name, numbers in forms.lines()]
        wide = max(len(name) for name, _ in lines)
        for name, numbers in lines:
            typer.echo(f"{name:<{wide}}  {numbers}".rstrip())
        return
    if picture is not None:
        raise InputError("a picture needs numbers")
    steps = motion.derivation
    if output is not None:
        say(str(api.write_derivation(steps, output, told=translate)))
    elif as_json:
        say_json(steps.as_dict())
    else:
        typer.echo(steps.latex(translate) if latex else steps.typst(translate) if typst else steps.text(translate))
