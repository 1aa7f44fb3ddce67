"""The application: every command by its name, and `run`.

A command is imported when it is called. `manipula --help` has its line of each from the table here, which a test holds
to the commands' own words.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from copy import copy
from functools import cache
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from manipula.cli.terminal.language import speak, told_in_parts, translate
from manipula.cli.terminal.screen import BAD_INPUT, fail
from manipula.errors import UnknownNameError
from manipula.messages import Message
from manipula.version import __version__

COMMANDS = {  # name → the first sentence of its help
    "robots": "List the library's robots and your own.",
    "new": "Make a robot file: a commented template, or a table you have.",
    "show": "Show a robot: geometric table, inertial table, motors, surroundings, names, every column with its unit.",
    "edit": "Change a robot: by assignments, or in your editor ($VISUAL or $EDITOR) when there are none.",
    "delete": "Delete one of your robots: its file moves to a trash folder beside it.",
    "convert": "Convert a robot between formats and conventions. The target stays as it was unless all goes well.",
    "screws": "Print the screw axes of an arm and its home pose; or make a robot of them.",
    "rotation": "Convert a rotation into every form; with names in place of numbers, derive its matrix.",
    "generate": "Generate models as source code: optimised, proved equal to the plain model, with a self-test.",
    "control": "Make a control law of a robot as source code, proved, its memory in a struct; without a robot, list "
    "the laws.",
    "optimise": "Search for the cheapest way to compute a model, exactly: no term is dropped, and the result is "
    "proved.",
    "count": "Count operations, model by model and method by method.",
    "equations": "Print a model as equations: with auxiliary variables, factored, or expanded.",
    "check": "Check a robot: physical laws, and every way to the same torques against the others.",
    "base-parameters": "List the base parameters: the combinations of inertial parameters identifiable from torques.",
    "ik": "Solve inverse kinematics: every branch, with its name, and why it is kept or rejected.",
    "follow": "Follow poses of a table as a whole: joint positions with the fewest jumps, and why there are any.",
    "singularities": "Find singular configurations: the determinant of the Jacobian in factors, each solved where "
    "it can be.",
    "reach": "Compute the reach: the largest and smallest distance of the tool, and its bounding box, within the "
    "limits.",
    "simulate": "Simulate an arm: a scenario file, or a law that takes it from here to there.",
    "loads": "Compute joint loads and motor torques along a motion, and choose motors and gears from tables.",
    "study": "Run a study: a file that describes one, or a ready one of a robot; without either, list those.",
    "identify": "Find a robot's inertia, motor inertia and friction from recordings of it: positions and torques "
    "along time.",
    "excite": "Design a motion that makes the arm's parameters visible, to be recorded and identified from.",
    "logs": "Show how a recording was read: columns, units, rate, and what had to be repaired.",
    "calibrate": "Correct an arm's geometry from measured poses, points or distances of its tool.",
    "payload": "Estimate the payload of a recorded motion: mass and centre of mass.",
    "derive": "Derive an arm's equations step by step, every result proved.",
    "worksheet": "Write worksheets about an arm, another arm for every student; or check answers.",
    "report": "Write a robot as one HTML file: table, moving arm, equations, derivation, counts, laws, torques, code.",
    "studio": "Open the studio: a page on which a table becomes an arm, its equations, its code, its motion.",
    "demo": "Show what manipula does, on built-in robots, in a few seconds.",
}
GROUPS = {  # of `manipula --help`
    "Robots": "robots new show edit delete convert screws rotation",
    "Models and code": "generate control optimise count equations check base-parameters",
    "Kinematics": "ik follow singularities reach",
    "Motion and torques": "simulate loads study",
    "Measurements": "identify excite logs calibrate payload",
    "Teaching and pages": "derive worksheet report studio demo",
}
MODULES = {  # of `manipula.cli`, with their commands
    "robot_files": "robots show delete convert",
    "new_robot": "new",
    "editor": "edit",
    "generation": "generate equations",
    "optimisation": "optimise",
    "checks": "count check base-parameters",
    "pages": "report studio",
    "kinematics": "ik follow singularities reach",
    "teaching": "derive worksheet screws rotation",
    "simulation": "simulate loads",
    "control": "control",
    "identification": "identify payload",
    "recordings": "excite calibrate logs",
    "studies": "study",
    "demonstration": "demo",
}
OTHER_NAMES = {  # what people type for it, apart by blanks
    "robots": "list ls library models",
    "new": "create init add",
    "show": "load open import read print info",
    "delete": "remove rm",
    "equations ROBOT pose": "fk forward forward-kinematics fkine pose",
    "equations ROBOT jacobian": "jacobian",
    "equations ROBOT inverse_dynamics": "dynamics inverse-dynamics rnea torques",
    "generate": "codegen code emit compile export",
    "check": "verify validate prove test",
    "ik": "inverse inverse-kinematics ikine",
    "follow": "path seam",
    "reach": "workspace",
    "simulate": "sim run trajectory",
    "identify": "id identification fit",
    "studio": "view visualize visualise plot gui web serve",
    "derive": "derivation lagrange newton-euler",
    "--help": "help",
    "--version": "version",
}


class Commands(TyperGroup):
    """Lists the table, and imports the command that is called."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for group, names in GROUPS.items():
            for name in names.split():
                self.add_command(TyperCommand(name, help=COMMANDS[name], rich_help_panel=group))

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """--lang may stand anywhere in the line, since people add it at its end."""
        try:
            speak(take_option(args, "--lang"))
        except UnknownNameError as error:
            raise fail(str(error), BAD_INPUT) from None
        for name, command in self.commands.items():
            command.help = translate(COMMANDS[name])
        for group, names in GROUPS.items():
            for name in names.split():
                listed: Any = self.commands[name]
                listed.rich_help_panel = translate(group)
        return super().parse_args(ctx, args)

    def get_help(self, ctx: Any) -> str:
        return str(TyperGroup.get_help(with_brackets_kept(in_tongue(self)), ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        ours = next((line for line, names in OTHER_NAMES.items() if args[0] in names.split()), None)
        if ours is not None:
            raise fail(Message("there is no command {name!r}; did you mean: manipula {line}", args[0], ours), BAD_INPUT)
        name, command, rest = super().resolve_command(ctx, args)
        return name, command if name is None else with_brackets_kept(in_tongue(load_command(name))), rest


def take_option(args: list[str], option: str) -> str:
    """The value of an option, wherever it stands; both are taken out of the line. Behind -- all is as it is."""
    end = args.index("--") if "--" in args else len(args)
    for place, word in enumerate(args[:end]):
        name, equals, value = word.partition("=")
        if name == option:
            found = value if equals else "".join(args[place + 1 : place + 2 if place + 1 < end else 0])
            del args[place : min(place + (1 if equals else 2), end)]
            return found or " "
    return ""


def in_tongue(command: Any) -> Any:
    """A copy whose help is in the language that was requested."""
    found = copy(command)
    found.help, found.epilog = (text and told_in_parts(text) for text in (command.help, command.epilog))
    found.params = [copy(parameter) for parameter in command.params]
    for parameter in found.params:
        if getattr(parameter, "help", None):
            parameter.help = translate(parameter.help)
    return found


_STYLE = re.compile(r"\[(?=[a-zA-Z/#@])")  # what Rich may read as one


def with_brackets_kept(command: Any) -> Any:
    """The same for Rich, which would take `[mm]` in a help for a style, and leave it out."""
    command.help, command.epilog = (text and _STYLE.sub(r"\\[", text) for text in (command.help, command.epilog))
    for parameter in command.params:
        if getattr(parameter, "help", None):
            parameter.help = _STYLE.sub(r"\\[", parameter.help)
    return command


def function_of(name: str) -> Callable[..., None]:
    module = next(module for module, names in MODULES.items() if name in names.split())
    function: Callable[..., None] = getattr(import_module(f"{__package__}.{module}"), name.replace("-", "_"))
    return function


@cache
def load_command(name: str) -> object:
    """The command itself."""
    alone = typer.Typer(add_completion=False, rich_markup_mode="rich")
    alone.command(name)(function_of(name))
    return typer.main.get_command(alone)


app = typer.Typer(
    name="manipula", cls=Commands, no_args_is_help=True, rich_markup_mode="rich", pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]}, epilog="Start with: manipula demo",
)  # fmt: skip


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"manipula {__version__}")
        raise typer.Exit


_LEAVES, _SPEAKS = "Print the version and leave.", "Language of messages: en or pt; anywhere in the line."


@app.callback()
def manipula(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help=_LEAVES),
    lang: str = typer.Option("", "--lang", metavar="en|pt", help=_SPEAKS),
) -> None:
    """Robot manipulators: from a table to proven, counted, printed and running models.

    A robot is a library name (see manipula robots), one of your own, or a file: .toml .urdf .xml .par .csv.

    Exit codes: 0 done, 1 a check failed, 2 bad input.
    """


def run() -> None:
    """The command of this process's arguments; ends the process."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without Unicode shows ? and goes on
    app(prog_name="manipula")
