"""`optimise`: search for the fewest operations, for as long as you like."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manipula import api
from manipula.cli.terminal import options
from manipula.cli.terminal.options import NOTHING, Wishes, about_a_robot
from manipula.cli.terminal.screen import (
    CHECK_FAILED,
    INTERRUPTED,
    Tell,
    fail,
    guard_command,
    live_table,
    note,
    progress,
    say,
    say_json,
    say_prose,
    say_table,
)
from manipula.errors import InputError
from manipula.messages import Message
from manipula.support.text import plain

if TYPE_CHECKING:
    from manipula import Model
    from manipula.robot import Robot
    from manipula.studies.operation_search import Board
    from manipula.studies.results.study_result import Study
    from manipula.studies.study_run import Progress


# `optimise --seeds`: many searches as a study, with a live table of what has been found.

OFTEN = 0.2  # seconds between two looks
_SEEDS_CAPTION = "best, median, worst: what the searches of a line count; s each: seconds of a search made now."


def search_seeds(
    robots: Sequence[Robot],
    models: Sequence[str],
    asked: dict[str, Any],
    how: dict[str, Any],
    where: dict[str, Any],
    report: Path | None,
    as_json: bool,
) -> None:
    """The study, its table, and the best of every line remembered; after Ctrl-C, too."""
    from manipula.studies.operation_search import Board, limits_from, lines_of, searches
    from manipula.studies.results.study_result import refuse_page

    refuse_page(report)
    lines = lines_of(robots, models, **asked)
    board, limits = Board(lines, how["first"]), limits_from(how["seconds"], how["moves"])
    try:
        with _watch_board(board) as tell:
            found = searches(lines, **how, **where, tell=tell)
    except KeyboardInterrupt:
        raise _end_study(board, limits, where["resume"]) from None
    board.read(found)
    kept = board.keep_best(limits)
    files = [found.report(report)] if report is not None else []
    _say(found, board, kept, files, as_json)
    if len(found.why) == found.count:
        raise fail(Message("every search failed; the first says: {why}", found.failures[0].why), CHECK_FAILED)


def _end_study(board: Board, limits: dict[str, Any], resume: Path | None) -> Any:
    """What has been found is not lost."""
    kept = board.keep_best(limits)
    for title in kept:
        note(Message("{title}: {price:g} so far, remembered", title, board.best[title].price))
    return fail(
        (
            Message("interrupted; go on with --resume {resume}", resume)
            if resume
            else Message("interrupted; with --resume FOLDER it could go on from here")
        ),
        INTERRUPTED,
    )


@contextmanager
def _watch_board(board: Board) -> Iterator[Callable[[Progress], None]]:
    """The board on stderr, at most some times a second."""
    from manipula.studies.operation_search import HEADS

    with live_table("searches", HEADS) as update:
        seen = [0.0]

        def tell(progress: Progress) -> None:
            board.hear(progress)
            if monotonic() - seen[0] > OFTEN:
                seen[0] = monotonic()
                update([*board.rows(), (str(progress), *[""] * (len(HEADS) - 1))])

        yield tell


def _say(found: Study, board: Board, kept: dict[str, Model], files: list[Path], as_json: bool) -> None:
    from manipula.studies.operation_search import HEADS

    if as_json:
        lines = [{**line, **_board_summary(board, kept, line["line"])} for line in board.figures()]
        whole = {**found.as_dict(), "answer": {"lines": lines}, "file": None, "files": files}
        say_json(plain(whole))
        return
    say_table("Fewest operations", HEADS, board.rows(), right=range(1, len(HEADS)), caption=_SEEDS_CAPTION)
    for failure in found.failures[:3]:
        say(Message("{line}, seed {seed}: {why}", failure.given["line"], failure.given["seed"], failure.why))
    for title in kept:
        say(Message("{place}: {text}", title, _seeds_future(board, title, _board_summary(board, kept, title))))
    for path in files:
        say(str(path))


def _board_summary(board: Board, kept: dict[str, Model], title: str) -> dict[str, Any]:
    """Whether it is what level "max" gives from now on."""
    if title not in kept:
        return {"remembered": False, "best_known": None}
    line = board.lines[title]
    asked = {name: value for name, value in line.asked.items() if name != "method"}
    known = api.best_known(line.robot, line.model, **asked)
    return {"remembered": known == kept[title], "best_known": known and api.price_of(known, line.price)}


def _seeds_future(board: Board, title: str, told: dict[str, Any]) -> str:
    if told["remembered"]:
        return "remembered; generate --optimise max has it"
    if told["best_known"] is not None:
        return Message("{told} is known already, which stays", told["best_known"])
    return "not remembered: no better than the default level, or the cache is off (MANIPULA_CACHE)"


_COLUMNS = ("level", "×", "+", "÷", "total", "sin/cos", "once")
_CAPTION = "total: for each new q; once: of the parameters alone."
BEFORE = ("none", "fast")
_CUT = {"interrupted": "interrupted", "limited": "cut short by its limit"}


@guard_command
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
    subjects = [options.find(robot, wishes) for robot in robots]
    if seeds is not None:
        where = {"engine": engine or "serial", "workers": workers, "resume": resume}
        search_seeds(subjects, names, asked, {"seeds": seeds, "first": seed, "seconds": seconds, "moves": moves}, where,
               report, as_json)  # fmt: skip
        return
    _refuse_study({"--engine": engine, "--workers": workers, "--resume": resume, "--report": report}, robots)
    (subject,) = subjects
    limits = {"search": search, "seconds": seconds, "moves": moves, "seed": seed}
    told = [_optimise_model(subject, name, asked, limits, as_json) for name in names]
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


def _optimise_model(
    robot: Robot, name: str, asked: dict[str, Any], limits: dict[str, Any], quiet: bool
) -> dict[str, Any]:
    """One model, shown or handed back for JSON."""
    with progress(f"{name} of {robot.name}") as tell, _interruptible() as stop:
        before = {level: api.generate(robot, name, optimise=level, **asked) for level in BEFORE}
        found = api.optimise(robot, name, **asked, **limits, tell=_progress_on_spinner(tell), stop=stop)
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


def _progress_on_spinner(tell: Tell) -> Tell:
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
