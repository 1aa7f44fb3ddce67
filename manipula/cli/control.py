"""`control`: control laws as source code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from manipula import api
from manipula.cli.generation import language_names, say_models
from manipula.cli.terminal import options
from manipula.cli.terminal.command import Chosen, Options, command
from manipula.cli.terminal.options import CodeOptions, Wishes
from manipula.cli.terminal.screen import progress, say, say_json, say_list, say_prose
from manipula.errors import InputError
from manipula.messages import Message

if TYPE_CHECKING:
    from manipula import Model


@command(chosen=Options(api.controller, "symbolic optimise"))
def control(
    robot: str = "", law: str = "", *, sample: float | None = None, continuous: bool = False, language: str = "c",
    output: Path = Path("out"), fmi: str = "", platforms: str = "", chosen: Chosen, code: CodeOptions, wishes: Wishes,
    as_json: bool = False,
) -> None:  # fmt: skip
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
      manipula control puma560 computed_torque --set kp=400 --set kd=40 --sample 1e-3 -l fmu --fmi 2.0

    Args:
        robot (ROBOT): A library name, one of your robots, or a file; none lists the laws.
        law (LAW): Such as computed_torque.
        sample (SECONDS): Time between steps, of a law with its gains.
        continuous: In continuous time: the law gives the rates of its states.
        output (--output -o --out): The folder to write to.
        fmi (3.0|2.0): Of -l fmu, a co-simulation unit: the version of the standard.
        platforms (here|none|linux-x86_64|linux-aarch64|windows-x86_64|macos-x86_64|macos-aarch64): Of -l fmu: platforms
            with a binary, with commas, here, or none; default: all with a compiler.
    """
    if not law:
        _say_laws(robot, as_json)
        return
    given, rest = _split_settings(wishes.values or [], law)
    subject, languages = options.find(robot, replace(wishes, values=rest)), _languages(language)
    unit = _unit_options(languages, fmi, platforms)
    asked: Chosen = options.read_symbolic(chosen) | given
    with progress(f"{law} of {subject.name}") as tell:
        if _open(given, law, sample):
            _refuse_open_unit(law, languages)
            made: Model = api.law_model(subject, law, sampled=not continuous, **asked, tell=tell)
        else:
            made = api.controller(subject, law, sample=_time(sample, continuous), **asked, tell=tell)
        parts = {each: made.emit(each, output, **code.arguments, **unit.get(each, {})) for each in languages}
    files = [path for paths in parts.values() for path in paths]
    inside = {"platforms": list(getattr(parts[UNIT], "platforms", ()))} if UNIT in parts else {}
    if as_json:
        say_json({"robot": subject.name, "law": law, **made.as_dict(), "files": list(map(str, files)), **inside})
        return
    say_models({law: made})
    if languages != [UNIT]:
        settings = ", ".join(port.name for port in made.function.inputs if port.role == "setting")
        name = f"{code.prefix.rstrip('_')}_{law}" if code.prefix else made.name
        start = "init" if made.function.states else "prepare"
        say_prose(Message("{name}_{start} takes {settings}", name, start, settings), "dim")
    for path in dict.fromkeys(files):
        say(str(path))
    if inside:
        say_prose(Message("binaries for {platforms}", ", ".join(inside["platforms"]) or Message("no platform")))


UNIT = "fmu"  # beside the languages: a unit of FMI is an archive, with binaries


def _languages(text: str) -> list[str]:
    """The languages that are meant, a unit among them, each once."""
    words = options.split_names(text)
    units = [UNIT for word in words if word.strip().lower() == UNIT]
    others = [word for word in words if word.strip().lower() != UNIT]
    return [*(language_names(",".join(others)) if others or not units else []), *units[:1]]


def _unit_options(languages: Sequence[str], fmi: str, platforms: str) -> dict[str, Chosen]:
    """What `emit` takes for a unit; refused where none is written."""
    if UNIT not in languages:
        if fmi or platforms:
            raise InputError("--fmi and --platforms are for a co-simulation unit: -l fmu")
        return {}
    return {UNIT: {"version": fmi, "platforms": options.split_names(platforms) if platforms else None}}


def _refuse_open_unit(law: str, languages: Sequence[str]) -> None:
    if UNIT in languages:
        raise InputError("-l fmu: {law} needs its gains and --sample, the time of a step: a unit starts from them", law)


def _say_laws(robot: str, as_json: bool) -> None:
    if robot:
        raise InputError("{robot}: which control law? There are {laws}", robot, ", ".join(api.laws()))
    told = {name: {"says": line, "settings": api.law_settings(name)} for name, line in api.laws().items()}
    if as_json:
        say_json(told)
        return
    lines = {name: (str(x["says"]), " ".join(x["settings"])) for name, x in told.items()}
    say_list("Control laws, and their settings", lines)


def _split_settings(values: Sequence[str], law: str) -> tuple[Chosen, list[str]]:
    """What is the law's, by name; the rest is the robot's."""
    own = {*api.law_settings(law), *api.law_options(law)}
    given: Chosen = {}
    rest = []
    for text in values:
        name, equals, value = (part.strip() for part in text.partition("="))
        if equals and name in own:
            given[name] = _value(name, value)
        else:
            rest.append(text)
    return given, rest


def _value(name: str, text: str) -> float | str | list[float | str]:
    """A number, several with commas, or a word."""
    parts = text.strip("[] ").split(",")
    numbers = [_number(part) for part in parts]
    if all(isinstance(x, (int, float)) for x in numbers):
        return numbers[0] if len(numbers) == 1 else numbers
    if len(parts) > 1:
        raise InputError("--set {name}: expected a number or several with commas, found {text!r:.60}", name, text)
    return text


def _number(text: str) -> float | str:
    try:
        return int(text) if text.strip().lstrip("+-").isdecimal() else float(text)
    except ValueError:
        return text


def _open(given: Chosen, law: str, sample: float | None) -> bool:
    """Are the gains left to the caller of the emitted code?"""
    return sample is None and not any(name in given for name in api.law_settings(law))


def _time(sample: float | None, continuous: bool) -> float | None:
    if continuous and sample is not None:
        raise InputError("--continuous and --sample exclude each other")
    if sample is None and not continuous:
        raise InputError("gains without a time: give --sample, or --continuous for a law without steps")
    return sample
