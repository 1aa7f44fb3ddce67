"""The application: every command by its name, and `run`.

A command is imported when it is called. `manipula --help` has its line of each from the table here, which a test holds
to the commands' own words.
"""

from __future__ import annotations

import sys
from copy import copy
from functools import cache
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from manipula.cli.terminal.language import speak, told_in_parts, translate
from manipula.cli.terminal.screen import BAD_INPUT, fail
from manipula.errors import UnknownNameError
from manipula.version import __version__


class Entry(NamedTuple):
    """Where a command is, in `manipula.cli`, and the first sentence of its help."""

    place: str
    line: str


COMMANDS = {
    "robots": Entry("robot_files:robots", "List the library's robots and your own."),
    "new": Entry("new_robot:new", "Make a robot file: a commented template, or a table you have."),
    "show": Entry(
        "robot_files:show",
        "Show a robot: geometric table, inertial table, motors, surroundings, names, every column with its unit.",
    ),
    "edit": Entry(
        "editor:edit",
        "Change a robot: by assignments, or in your editor ($VISUAL or $EDITOR) when there are none.",
    ),
    "delete": Entry("robot_files:delete", "Delete one of your robots: its file moves to a trash folder beside it."),
    "convert": Entry(
        "robot_files:convert",
        "Convert a robot between formats and conventions. The target stays as it was unless all goes well.",
    ),
    "generate": Entry(
        "generation:generate",
        "Generate models as source code: optimised, proved equal to the plain model, with a self-test.",
    ),
    "control": Entry(
        "control:control",
        "Make a control law of a robot as source code, proved, its memory in a struct; without a robot, list the laws.",
    ),
    "optimise": Entry(
        "optimisation:optimise",
        "Search for the cheapest way to compute a model, exactly: no term is dropped, and the result is proved.",
    ),
    "count": Entry("checks:count", "Count operations, model by model and method by method."),
    "equations": Entry(
        "generation:equations",
        "Print a model as equations: with auxiliary variables, factored, or expanded.",
    ),
    "check": Entry(
        "checks:check",
        "Check a robot: physical laws, and every way to the same torques against the others.",
    ),
    "base-parameters": Entry(
        "checks:base_parameters",
        "List the base parameters: the combinations of inertial parameters that torques can tell.",
    ),
    "report": Entry(
        "pages:report",
        "Write a robot as one HTML file: table, moving arm, equations, derivation, counts, laws, torques, code.",
    ),
    "ik": Entry(
        "kinematics:ik",
        "Solve inverse kinematics: every branch, with its name, and why it is kept or rejected.",
    ),
    "singularities": Entry(
        "kinematics:singularities",
        "Tell where an arm loses a freedom: the determinant of its Jacobian in factors, each solved where it can be.",
    ),
    "reach": Entry(
        "kinematics:reach",
        "Tell how far the tool gets: the largest and smallest distance, and the box it keeps to, within the limits.",
    ),
    "simulate": Entry(
        "simulation:simulate", "Simulate an arm: a scenario file, or a law that takes it from here to there."
    ),
    "loads": Entry("simulation:loads", "Tell what every joint must carry and every motor give along a motion."),
    "identify": Entry(
        "identification:identify",
        "Find a robot's inertia, motor inertia and friction from recordings of it: positions and torques along time.",
    ),
    "excite": Entry(
        "experiment:excite",
        "Design a motion that makes the arm's parameters visible, to be recorded and identified from.",
    ),
    "logs": Entry(
        "recordings:logs",
        "Tell what a recording was understood as: columns, units, rate, and what had to be repaired.",
    ),
    "calibrate": Entry(
        "experiment:calibrate",
        "Correct an arm's geometry from measured poses, points or distances of its tool.",
    ),
    "payload": Entry(
        "identification:payload",
        "Weigh what an arm held while it was recorded: mass and centre of mass, as known by the end.",
    ),
    "studio": Entry(
        "pages:studio",
        "Open the studio: a page on which a table becomes an arm, its equations, its code, its motion.",
    ),
    "study": Entry(
        "studies:study",
        "Run a study: a file that describes one, or a ready one of a robot; without either, list those.",
    ),
    "demo": Entry("demonstration:demo", "Show what manipula does, on built-in robots, in a few seconds."),
}


class Commands(TyperGroup):
    """Lists the table; whoever is called is imported."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        for name, entry in COMMANDS.items():
            self.add_command(TyperCommand(name, help=entry.line))

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """--lang may stand anywhere in the line, since people add it at its end."""
        try:
            speak(take_option(args, "--lang"))
        except UnknownNameError as error:
            raise fail(str(error), BAD_INPUT) from None
        for name, command in self.commands.items():
            command.help = translate(COMMANDS[name].line)
        return super().parse_args(ctx, args)

    def get_help(self, ctx: Any) -> str:
        return str(TyperGroup.get_help(in_tongue(self), ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return name, command if name is None else in_tongue(load_command(name)), rest


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
    """A copy whose help is in the language that was asked for."""
    found = copy(command)
    found.help, found.epilog = (text and told_in_parts(text) for text in (command.help, command.epilog))
    found.params = [copy(parameter) for parameter in command.params]
    for parameter in found.params:
        if getattr(parameter, "help", None):
            parameter.help = translate(parameter.help)
    return found


@cache
def load_command(name: str) -> Any:
    """The command itself."""
    module, _, function = COMMANDS[name].place.partition(":")
    alone = typer.Typer(add_completion=False, rich_markup_mode="rich", pretty_exceptions_enable=False)
    alone.command(name)(getattr(import_module(f"{__package__}.{module}"), function))
    return typer.main.get_command(alone)


app = typer.Typer(
    name="manipula",
    cls=Commands,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Start with: manipula demo",
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"manipula {__version__}")
        raise typer.Exit


@app.callback()
def manipula(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
    lang: Annotated[
        str, typer.Option("--lang", metavar="en|pt", help="Language of messages: en or pt; anywhere in the line.")
    ] = "",
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
