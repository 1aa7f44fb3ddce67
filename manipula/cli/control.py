"""`control`: control laws as source code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manipula import api
from manipula.cli.generation import language_names, say_models
from manipula.cli.terminal import options
from manipula.cli.terminal.options import NOTHING, Wishes, about_a_robot
from manipula.cli.terminal.screen import guard_command, progress, say, say_json, say_list, say_prose
from manipula.errors import InputError
from manipula.messages import Message

if TYPE_CHECKING:
    from manipula import Model


def complete_law(incomplete: str) -> list[str]:
    return [name for name in api.laws() if name.startswith(incomplete)]


@guard_command
@about_a_robot
def control(
    robot: Annotated[
        str,
        typer.Argument(
            metavar="ROBOT",
            help="A library name, one of your robots, or a file; none lists the laws.",
            autocompletion=options.complete_robot,
        ),
    ] = "",
    law: Annotated[
        str, typer.Argument(metavar="LAW", help="Such as computed_torque.", autocompletion=complete_law)
    ] = "",
    sample: Annotated[
        float | None, typer.Option("--sample", metavar="SECONDS", help="Time between steps, of a law with its gains.")
    ] = None,
    continuous: Annotated[
        bool, typer.Option("--continuous", help="In continuous time: the law gives the rates of its states.")
    ] = False,
    language: options.Languages = "c",
    output: Annotated[Path, typer.Option("--output", "-o", "--out", help="The folder to write to.")] = Path("out"),
    symbolic: options.Symbolic = "auto",
    optimise: options.Optimise = "fast",
    dtype: options.DType = "",
    no_batch: options.NoBatch = False,
    single_file: options.SingleFile = False,
    sincos: options.SinCos = False,
    prefix: options.Prefix = "",
    wishes: Wishes = NOTHING,
    as_json: options.Json = False,
) -> None:
    """Make a control law of a robot as source code, proved, its memory in a struct; without a robot, list the laws.

    Gains are arguments of the emitted NAME_init. Those given here are checked: their names and sizes, and with --sample
    whether they can hold the arm. --set gives a setting of the law, one number or one a joint (kp=400,250), or a
    parameter of the robot.

    \b
    Examples:
      manipula control
      manipula control puma560 computed_torque --language c -o out/
      manipula control puma560 computed_torque --set kp=400 --set kd=40 --set delay=2 --sample 1e-3
      manipula control panda impedance --set task=position -l cpp
      manipula control my_arm pid --dtype float32 --single-file --prefix axis
    """
    if not law:
        _say_laws(robot, as_json)
        return
    given, rest = _split_settings(wishes.values or [], law)
    subject, languages = options.find(robot, replace(wishes, values=rest)), language_names(language)
    chosen: dict[str, Any] = {"symbolic": options.symbolic_from_text(symbolic), "optimise": optimise}
    with progress(f"{law} of {subject.name}") as tell:
        if _open(given, law, sample):
            made: Model = api.law_model(subject, law, sampled=not continuous, **chosen, tell=tell, **given)
        else:
            made = api.controller(subject, law, sample=_time(sample, continuous), **chosen, tell=tell, **given)
        code: dict[str, Any] = options.emit_options(dtype, no_batch, single_file, sincos, prefix)
        files = [path for each in languages for path in made.emit(each, output, **code)]
    if as_json:
        say_json({"robot": subject.name, "law": law, **made.as_dict(), "files": list(map(str, files))})
        return
    say_models({law: made})
    settings = [port.name for port in made.function.inputs if port.role == "setting"]
    name = f"{prefix.rstrip('_')}_{law}" if prefix else made.name
    say_prose(
        Message(
            ("{name}_init takes {settings}" if made.function.states else "{name}_prepare takes {settings}"),
            name,
            ", ".join(settings),
        ),
        "dim",
    )
    for path in dict.fromkeys(files):
        say(str(path))


def _say_laws(robot: str, as_json: bool) -> None:
    if robot:
        raise InputError("{robot}: which control law? There are {laws}", robot, ", ".join(api.laws()))
    told = {name: {"says": line, "settings": api.law_settings(name)} for name, line in api.laws().items()}
    if as_json:
        say_json(told)
        return
    say_list(
        "Control laws, and their settings",
        {name: (str(x["says"]), " ".join(x["settings"])) for name, x in told.items()},
    )


def _split_settings(values: Sequence[str], law: str) -> tuple[dict[str, Any], list[str]]:
    """What is the law's, by name; the rest is the robot's."""
    own = {*api.law_settings(law), *api.law_options(law)}
    given: dict[str, Any] = {}
    rest = []
    for text in values:
        name, equals, value = (part.strip() for part in text.partition("="))
        if equals and name in own:
            given[name] = _value(name, value)
        else:
            rest.append(text)
    return given, rest


def _value(name: str, text: str) -> Any:
    """A number, several with commas, or a word."""
    parts = text.strip("[] ").split(",")
    numbers = [_number(part) for part in parts]
    if all(isinstance(x, (int, float)) for x in numbers):
        return numbers[0] if len(numbers) == 1 else numbers
    if len(parts) > 1:
        raise InputError("--set {name}: expected a number or several with commas, found {text!r:.60}", name, text)
    return text


def _number(text: str) -> Any:
    try:
        return int(text) if text.strip().lstrip("+-").isdecimal() else float(text)
    except ValueError:
        return text


def _open(given: dict[str, Any], law: str, sample: float | None) -> bool:
    """Are the gains left to whoever starts the emitted code?"""
    return sample is None and not any(name in given for name in api.law_settings(law))


def _time(sample: float | None, continuous: bool) -> float | None:
    if continuous and sample is not None:
        raise InputError("--continuous and --sample exclude each other")
    if sample is None and not continuous:
        raise InputError("gains without a time: give --sample, or --continuous for a law without steps")
    return sample
