"""`study`: many cases, here, in processes or on a cluster, with a live table."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import TYPE_CHECKING

from manipula.cli.terminal import options, screen
from manipula.cli.terminal.command import Chosen, command
from manipula.cli.terminal.options import NOTHING, Wishes
from manipula.errors import InputError
from manipula.messages import Message
from manipula.support.text import plain

if TYPE_CHECKING:
    from manipula.robot import Robot
    from manipula.studies.results.study_result import Study
    from manipula.studies.study_run import Progress


@command()
def study(
    name: str = "", robot: str = "", *, engine: str = "serial", workers: int | None = None, resume: Path | None = None,
    seed: int | None = None, settings: list[str] | None = None, results: Path | None = None, report: Path | None = None,
    designs: Path | None = None, force: bool = False, wishes: Wishes, as_json: bool = False,
) -> None:  # fmt: skip
    """Run a study: a file that describes one, or a ready one of a robot; without either, list those.

    Exit code 1: every case failed.

    \b
    Examples:
      manipula study
      manipula study workspace puma560 --with voxels=50 --engine local --report map.html
      manipula study sweep.toml --engine tcp://10.0.0.1:8786 --resume sweep --results sweep.parquet

    Args:
        name (FILE.toml|STUDY): A study file, or a ready study.
        robot (ROBOT): Of a ready study; see manipula robots.
        seed: Of the random numbers; default: the file's, or 0.
        settings (--with NAME=VALUE): A setting of a ready study: voxels=50; may be repeated.
        results: The table: .npz .csv .parquet
        designs (FOLDER): Of the study design: the front's robots as files.
        force: Replace files that exist and that the table [output] of the file names.
    """
    from manipula.studies.results.study_result import refuse_page

    if not name:
        _say_ready(as_json)
        return
    if designs is not None:
        _refuse_designs(name)
    refuse_page(report)
    try:
        with screen.watch_study(f"study {Path(name).stem}", COLUMNS, lambda progress: [_cells(progress)]) as tell:
            chosen: Chosen = {"engine": engine, "workers": workers, "resume": resume, "tell": tell}
            found, files = _run(name, robot, seed, settings or [], wishes, {**chosen, "results": results}, force)
            files += [found.report(report)] if report is not None else []
            files += found.front().save(designs) if designs is not None else []
    except KeyboardInterrupt:
        raise screen.fail_interrupted(resume) from None
    _say_study(found, [*([results] if results else []), *files], as_json)
    if len(found.why) == found.count:
        raise screen.fail(Message("every case failed; the first says: {why}", found.failures[0].why))


def _run(
    name: str, robot: str, seed: int | None, settings: list[str], wishes: Wishes, chosen: Chosen, force: bool
) -> tuple[Study, list[Path]]:
    from manipula.studies.study_file import ready_study, study_of_file

    if Path(name).suffix == ".toml":
        if robot or settings:
            raise InputError("{name} says all itself; drop {robot}", name, robot or Message("--with"))
        return study_of_file(name, robot=_robot_with_options(name, wishes), seed=seed, force=force, **chosen)
    if not robot:
        from manipula.studies.catalogue.registry import ready

        raise InputError("the study {name} needs a robot: manipula study {name2} ROBOT", ready(name).name, name)
    return ready_study(name, options.find(robot, wishes), dict(map(_setting, settings)), seed=seed or 0, **chosen), []


def _refuse_designs(name: str) -> None:
    from manipula.studies.study_file import DESIGN, read_study

    if (read_study(name).study if Path(name).suffix == ".toml" else name) != DESIGN:
        raise InputError("--designs: robots are written by the study {design} alone, not by {name}", DESIGN, name)


def _robot_with_options(name: str, wishes: Wishes) -> Robot | None:
    """The robot of a study file as it is wished; None where nothing is."""
    if wishes == NOTHING:
        return None
    from manipula.studies.study_file import read_study

    asked, folder = read_study(name), Path(name).parent
    if asked.robot is None:
        raise InputError("{name} names no robot for --set and the like", name)
    if "\n" in asked.robot:
        raise InputError("{name} holds its robot itself; --set and the like are for one that it names", name)
    near = folder / asked.robot
    return options.find(str(near) if near.is_file() else asked.robot, wishes)


def _setting(text: str) -> tuple[str, object]:
    """NAME=VALUE; a value is a number, a list of them, or a word."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise InputError("--with: expected NAME=VALUE, found {text!r}", text)
    return name.strip(), _value(value.strip())


def _value(text: str) -> object:
    """As Python or JSON writes it; what neither does is a word. A backslash is part of a path."""
    for read in (ast.literal_eval, json.loads):
        try:
            return read(text.replace("\\", "\\\\"))
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
    return text


COLUMNS = ("done", "of", "a second", "left", "failed", "workers")


def _cells(x: Progress) -> tuple[str, ...]:
    left = "" if (s := x.seconds_left) is None else f"{s:.0f} s" if s < 120 else f"{s / 60:.0f} min"
    return (str(x.done), str(x.count), f"{x.rate:.3g}", left, str(x.failed), str(x.workers))


def _say_ready(as_json: bool) -> None:
    from manipula.studies.catalogue.registry import READY

    if as_json:
        screen.say_json([{"name": x.name, "about": x.line, "settings": _plain(x.settings)} for x in READY.values()])
        return
    rows = [(x.name, ", ".join(_case_text(*pair) for pair in x.settings.items()), x.line) for x in READY.values()]
    screen.say_table("Ready studies", ("study", "settings", "about"), rows, prose="wrap")
    screen.say_prose("manipula study STUDY ROBOT --with NAME=VALUE; or a study file: manipula study FILE.toml", "dim")


def _plain(settings: screen.Data) -> screen.Data:
    return {name: plain(value) for name, value in settings.items()}


def _case_text(name: str, value: object) -> str:
    return name if value is None else f"{name}={value}"


def _say_study(found: Study, files: list[Path], as_json: bool) -> None:
    if as_json:
        screen.say_json(plain({**found.as_dict(), "file": found.kept_file, "files": files}))
        return
    heads, rows = found.summary()
    title = Message("{title}: {count} cases", found.title, found.count)
    if found.why:
        title = Message("{title}: {count} cases, {count2} failed", found.title, found.count, len(found.why))
    screen.say_table(title, heads, rows, right=range(1, len(heads))) if rows else screen.say(title)
    for name, value in found.answer.items():
        screen.say(Message("{place}: {text}", name, _short(value)))
    if found.has_front:
        front = found.front()
        screen.say_table(front.headline, *front.cells()) if len(front) else screen.say(front.headline)
    for failure in found.failures[:3]:
        screen.say(Message("case {case}: {why}", failure.case, failure.why))
    for path in files:
        screen.say(str(path))


def _short(value: object) -> str:
    """An answer on a line: numbers of five digits."""
    if isinstance(value, dict):
        return ", ".join(f"{name} = {_short(x)}" for name, x in value.items())
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_short, value))}]"
    return f"{value:.5g}" if isinstance(value, float) else "none" if value is None else str(value)
