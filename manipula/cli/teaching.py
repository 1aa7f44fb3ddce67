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
        method (lagrange|newton-euler):
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
