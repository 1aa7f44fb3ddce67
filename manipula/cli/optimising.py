"""`optimise`: search for the fewest operations, for as long as you like."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manipula import api
from manipula.cli.seeking import sought
from manipula.cli.terminal import options, places
from manipula.cli.terminal.screen import Tell, guarded, note, progress, say, say_json, say_prose, say_table
from manipula.cli.terminal.wishes import NOTHING, Wishes, about_a_robot
from manipula.errors import InputError
from manipula.messages import Message

if TYPE_CHECKING:
    from manipula import Model
    from manipula.robot import Robot

_COLUMNS = ("level", "×", "+", "÷", "total", "sin/cos", "once")
_CAPTION = "total: for each new q; once: of the parameters alone."
BEFORE = ("none", "fast")
_CUT = {"interrupted": "interrupted", "limited": "cut short by its limit"}


@guarded
@about_a_robot
def optimise(
    robots: Annotated[
        list[str],
        typer.Argument(
            metavar="ROBOT…",
            help="A library name, one of your robots, or a file; with --seeds several.",
            autocompletion=options.complete_robot,
        ),
    ],
    models: options.Models = "inverse_dynamics",
    search: Annotated[
        bool, typer.Option("--search", help="Search even where a result ships with the library or is remembered.")
    ] = False,
    seconds: Annotated[
        float | None, typer.Option("--seconds", metavar="S", help="End the search of a model after this time.")
    ] = None,
    moves: Annotated[
        int | None, typer.Option("--moves", metavar="N", help="Moves of the annealing; more may find less.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Another seed takes another road.")] = 0,
    seeds: Annotated[
        int | None, typer.Option("--seeds", metavar="N", help="A study: so many searches of every model.")
    ] = None,
    engine: Annotated[
        str | None, typer.Option("--engine", metavar="serial|local|dask|tcp://…", help="Where it runs.")
    ] = None,
    workers: options.Workers = None,
    resume: options.Resume = None,
    report: Annotated[Path | None, typer.Option("--report", help="A page that stands alone: .html")] = None,
    price: options.Price = "classical",
    symbolic: options.Symbolic = "auto",
    parameters: options.Parameters = "base",
    wishes: Wishes = NOTHING,
    as_json: options.Json = False,
) -> None:
    """Search for the cheapest way to compute a model, exactly: no term is dropped, and the result is proved.

    Ctrl-C ends the search and keeps the best found so far. What was found is remembered:
    manipula generate ROBOT --optimise max has it at once. After a search that Ctrl-C or a limit
    cut short it goes on from there instead.

    With --seeds it is a study: every model of every robot from so many seeds, on the cores at hand or
    a cluster; best, median and worst are told, and the best is remembered.

    \b
    Examples:
      manipula optimise puma560
      manipula optimise puma560_symbolic -m pose --search
      manipula optimise my_arm -m inverse_dynamics --seconds 300 --seed 7
      manipula optimise my_arm --symbolic all --price multiplications
      manipula optimise puma560 stanford -m pose,inverse_dynamics --seeds 8 --engine local --resume found
    """
    for name, limit in (("--seconds", seconds), ("--moves", moves)):
        if limit is not None and limit <= 0:
            raise InputError("{name} {limit:g}: the search needs more than nothing", name, limit)
    asked: dict[str, Any] = {
        "symbolic": options.symbolic_from_text(symbolic), "parameters": parameters, "price": price,
    }  # fmt: skip
    names = options.single_models(models, "optimise")
    subjects = [places.find(robot, wishes) for robot in robots]
    if seeds is not None:
        where = {"engine": engine or "serial", "workers": workers, "resume": resume}
        sought(subjects, names, asked, {"seeds": seeds, "first": seed, "seconds": seconds, "moves": moves}, where,
               report, as_json)  # fmt: skip
        return
    _refuse_study({"--engine": engine, "--workers": workers, "--resume": resume, "--report": report}, robots)
    (subject,) = subjects
    limits = {"search": search, "seconds": seconds, "moves": moves, "seed": seed}
    told = [_optimised(subject, name, asked, limits, as_json) for name in names]
    if as_json:
        said = {"robot": subject.name, "symbolic": symbolic, "parameters": parameters, "price": price}
        say_json(said | {"models": told})


def _refuse_study(given: dict[str, Any], robots: list[str]) -> None:
    """What belongs to a study alone."""
    for option, value in given.items():
        if value is not None:
            raise InputError("{option} is for searches from many seeds: add --seeds, such as --seeds 8", option)
    if len(robots) > 1:
        raise InputError(
            "found {count} robots; several are searched together with --seeds, such as --seeds 1", len(robots)
        )


def _optimised(robot: Robot, name: str, asked: dict[str, Any], limits: dict[str, Any], quiet: bool) -> dict[str, Any]:
    """One model, shown or handed back for JSON."""
    with progress(f"{name} of {robot.name}") as tell, _interruptible() as stop:
        before = {level: api.generate(robot, name, optimise=level, **asked) for level in BEFORE}
        found = api.optimise(robot, name, **asked, **limits, tell=_shown(tell), stop=stop)
        known = api.best_known(robot, name, **asked)
    costs = {level: model.cost for level, model in {**before, "found": found}.items()}
    if not quiet:
        _say_result(robot.name, name, costs, found)
        say_prose(_future(f"{robot.name} -m {name}", found, known, before["fast"], asked["price"]), "dim")
        say()
    origin = found.provenance
    return {
        **found.as_dict(),
        "counts": {level: cost.as_dict() for level, cost in costs.items()},
        "remembered": known == found, "best_known": known.cost.total if known else None,
        "finished": not origin.search,
    }  # fmt: skip


def _say_result(robot: str, name: str, costs: dict[str, Any], found: Model) -> None:
    rows = [(level, *_cells(cost)) for level, cost in costs.items()]
    say_table(
        Message("Operations of {name}, {robot}", name, robot), _COLUMNS, rows, right=range(1, 7), caption=_CAPTION
    )
    say_prose(found.explain())


def _cells(cost: Any) -> tuple[str, ...]:
    once = cost.offline.total if cost.offline else 0
    return tuple(map(str, (cost.mul, cost.add, cost.div, cost.total, cost.trig, once)))


def _future(what: str, found: Model, known: Model | None, fast: Model, price: str) -> str:
    """What `--optimise max` will give from now on."""
    cut = _CUT.get(found.provenance.search, "")
    if known == found:
        command = f"manipula generate {what} --optimise max"
        return (
            Message("Remembered, but {cut}: {command} goes on from here.", cut, command)
            if cut
            else Message("Remembered: {command} has it at once.", command)
        )
    total, fast_total = api.price_of(found, price), api.price_of(fast, price)
    if known is not None and api.price_of(known, price) <= total:
        return Message(
            (
                ("A way with {total} operations is known already; --optimise max goes on from that one.")
                if known.provenance.search
                else ("A way with {total} operations is known already; --optimise max goes on giving that one.")
            ),
            known.cost.total,
        )
    if cut and total >= fast_total:
        return Message("Not remembered: the search was {cut} before it found less than the default level has.", cut)
    return "Not remembered: the cache is off or cannot be written (MANIPULA_CACHE)."


def _shown(tell: Tell) -> Tell:
    """The steps of the search on the spinner's line."""
    return lambda step: tell(f"{step}   (Ctrl-C keeps the best)")


@contextmanager
def _interruptible() -> Iterator[Callable[[], bool]]:
    """Whether Ctrl-C was pressed; a second one ends the command."""
    pressed = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield pressed.is_set
        return

    def press(number: int, frame: Any) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()
        note("ending the search; the best so far is kept")

    usual = signal.signal(signal.SIGINT, press)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, usual)
