"""`optimise`: search for the fewest operations, for as long as you like."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manipula import api
from manipula.cli.terminal import options, screen
from manipula.cli.terminal.command import Chosen, Options, command
from manipula.cli.terminal.options import Wishes
from manipula.cli.terminal.screen import Data, Rows
from manipula.errors import InputError
from manipula.messages import Message
from manipula.support.progress import Tell
from manipula.support.text import plain

if TYPE_CHECKING:
    from manipula import Model
    from manipula.robot import Robot
    from manipula.studies.operation_search import Board
    from manipula.studies.results.study_result import Study
    from manipula.studies.study_run import Progress


# `optimise --seeds`: many searches as a study, with a live table of what has been found.

_SEEDS_CAPTION = "best, median, worst: what the searches of a line count; s each: seconds of a search made now."


def search_seeds(
    robots: Sequence[Robot], models: Sequence[str], asked: Chosen, how: Chosen, where: Chosen, report: Path | None,
    as_json: bool,
) -> None:  # fmt: skip
    """The study, its table, and the best of every line remembered; after Ctrl-C, too."""
    from manipula.studies.operation_search import HEADS, Board, limits_from, lines_of, searches
    from manipula.studies.results.study_result import refuse_page

    refuse_page(report)
    lines = lines_of(robots, models, **asked)
    board, limits = Board(lines, how["first"]), limits_from(how["seconds"], how["moves"])

    def rows(progress: Progress) -> Rows:
        return [*board.rows(), (str(progress), *[""] * (len(HEADS) - 1))]

    try:
        with screen.watch_study("searches", HEADS, rows) as follow:

            def tell(progress: Progress) -> None:
                board.hear(progress)
                follow(progress)

            found = searches(lines, **how, **where, tell=tell)
    except KeyboardInterrupt:
        for title in board.keep_best(limits):  # what has been found is not lost
            screen.note(Message("{title}: {price:g} so far, remembered", title, board.best[title].price))
        raise screen.fail_interrupted(where["resume"]) from None
    board.read(found)
    kept = board.keep_best(limits)
    files = [found.report(report)] if report is not None else []
    _say(found, board, kept, files, as_json)
    if len(found.why) == found.count:
        raise screen.fail(Message("every search failed; the first says: {why}", found.failures[0].why))


def _say(found: Study, board: Board, kept: dict[str, Model], files: list[Path], as_json: bool) -> None:
    from manipula.studies.operation_search import HEADS

    if as_json:
        lines = [{**line, **_board_summary(board, kept, line["line"])} for line in board.figures()]
        whole = {**found.as_dict(), "answer": {"lines": lines}, "file": None, "files": files}
        screen.say_json(plain(whole))
        return
    screen.say_table("Fewest operations", HEADS, board.rows(), right=range(1, len(HEADS)), caption=_SEEDS_CAPTION)
    for failure in found.failures[:3]:
        screen.say(Message("{line}, seed {seed}: {why}", failure.given["line"], failure.given["seed"], failure.why))
    for title in kept:
        screen.say(Message("{place}: {text}", title, _seeds_future(board, title, _board_summary(board, kept, title))))
    for path in files:
        screen.say(str(path))


def _board_summary(board: Board, kept: dict[str, Model], title: str) -> Data:
    """Whether it is what level "max" gives from now on."""
    if title not in kept:
        return {"remembered": False, "best_known": None}
    line = board.lines[title]
    asked = {name: value for name, value in line.options.items() if name != "method"}
    known = api.best_known(line.robot, line.model, **asked)
    return {"remembered": known == kept[title], "best_known": known and api.price_of(known, line.price)}


def _seeds_future(board: Board, title: str, told: Data) -> str:
    if told["remembered"]:
        return "remembered; generate --optimise max has it"
    if told["best_known"] is not None:
        return Message("{told} is known already, which stays", told["best_known"])
    return "not remembered: no better than the default level, or the cache is off (MANIPULA_CACHE)"


_COLUMNS = ("level", "×", "+", "÷", "total", "sin/cos", "once")
_CAPTION = "total: for each new q; once: of the parameters alone."
BEFORE = ("none", "fast")
_CUT = {"interrupted": "interrupted", "limited": "cut short by its limit"}


@command(
    effort=Options(api.optimise, "search seconds moves seed"), asked=Options(api.optimise, "price symbolic parameters")
)
def optimise(
    robots: list[str], *, models: str = "inverse_dynamics", effort: Chosen, seeds: int | None = None,
    engine: str | None = None, workers: int | None = None, resume: Path | None = None, report: Path | None = None,
    asked: Chosen, wishes: Wishes, as_json: bool = False,
) -> None:  # fmt: skip
    """Search for the cheapest way to compute a model, exactly: no term is dropped, and the result is proved.

    Ctrl-C ends the search and keeps the best found so far. What was found is remembered:
    manipula generate ROBOT --optimise max uses it at once. After a search that Ctrl-C or a limit
    cut short it goes on from there instead.

    With --seeds it is a study: every model of every robot from so many seeds, on the cores at hand or
    a cluster; best, median and worst are printed, and the best is remembered.

    \b
    Examples:
      manipula optimise puma560
      manipula optimise puma560_symbolic -m pose --search
      manipula optimise my_arm -m inverse_dynamics --seconds 300 --seed 7
      manipula optimise my_arm --symbolic all --price multiplications
      manipula optimise puma560 stanford -m pose,inverse_dynamics --seeds 8 --engine local --resume found

    Args:
        robots (ROBOT…): A library name, one of your robots, or a file; with --seeds several.
        seconds (S):
        moves (N):
        seed (N):
        seeds (N): A study: so many searches of every model.
    """
    for name in ("seconds", "moves"):
        if effort[name] is not None and effort[name] <= 0:
            raise InputError("{name} {limit:g}: the search needs more than nothing", f"--{name}", effort[name])
    names, chosen = options.single_models(models, "optimise"), options.read_symbolic(asked)
    subjects = [options.find(robot, wishes) for robot in robots]
    if seeds is not None:
        where = {"engine": engine or "serial", "workers": workers, "resume": resume}
        how = {"seeds": seeds, "first": effort["seed"], "seconds": effort["seconds"], "moves": effort["moves"]}
        search_seeds(subjects, names, chosen, how, where, report, as_json)
        return
    _refuse_study({"--engine": engine, "--workers": workers, "--resume": resume, "--report": report}, robots)
    (subject,) = subjects
    told = [_optimise_model(subject, name, chosen, effort, as_json) for name in names]
    if as_json:
        said = {name: asked[name] for name in ("symbolic", "parameters", "price")}
        screen.say_json({"robot": subject.name, **said, "models": told})


def _refuse_study(given: Chosen, robots: list[str]) -> None:
    """What belongs to a study alone."""
    for option, value in given.items():
        if value is not None:
            raise InputError("{option} is for searches from many seeds: add --seeds, such as --seeds 8", option)
    if len(robots) > 1:
        raise InputError("found {count} robots; several are searched together with --seeds, such as --seeds 1",
                         len(robots))  # fmt: skip


def _optimise_model(robot: Robot, name: str, asked: Chosen, limits: Chosen, quiet: bool) -> Data:
    """One model, shown or handed back for JSON."""
    with screen.progress(f"{name} of {robot.name}") as tell, _interruptible() as stop:
        before = {level: api.generate(robot, name, optimise=level, **asked) for level in BEFORE}
        found = api.optimise(robot, name, **asked, **limits, tell=_progress_on_spinner(tell), stop=stop)
        known = api.best_known(robot, name, **asked)
    costs = {level: model.cost for level, model in {**before, "found": found}.items()}
    if not quiet:
        _say_result(robot.name, name, costs, found)
        screen.say_prose(_future(f"{robot.name} -m {name}", found, known, before["fast"], asked["price"]), "dim")
        screen.say()
    origin = found.provenance
    return {
        **found.as_dict(),
        "counts": {level: cost.as_dict() for level, cost in costs.items()},
        "remembered": known == found, "best_known": known.cost.total if known else None,
        "finished": not origin.search,
    }  # fmt: skip


def _say_result(robot: str, name: str, costs: Data, found: Model) -> None:
    rows = [(level, *_cells(cost)) for level, cost in costs.items()]
    title = Message("Operations of {name}, {robot}", name, robot)
    screen.say_table(title, _COLUMNS, rows, right=range(1, 7), caption=_CAPTION)
    screen.say_prose(found.explain())


def _cells(cost: Any) -> tuple[str, ...]:
    once = cost.offline.total if cost.offline else 0
    return tuple(map(str, (cost.mul, cost.add, cost.div, cost.total, cost.trig, once)))


def _future(what: str, found: Model, known: Model | None, fast: Model, price: str) -> str:
    """What `--optimise max` will give from now on."""
    cut = _CUT.get(found.provenance.search, "")
    if known == found:
        command = f"manipula generate {what} --optimise max"
        if cut:
            return Message("Remembered, but {cut}: {command} goes on from here.", cut, command)
        return Message("Remembered: {command} uses it at once.", command)
    total, fast_total = api.price_of(found, price), api.price_of(fast, price)
    if known is not None and api.price_of(known, price) <= total:
        count = known.cost.total
        if known.provenance.search:
            return Message(
                "A way with {total} operations is known already; --optimise max goes on from that one.", count
            )
        return Message("A way with {total} operations is known already; --optimise max goes on giving that one.", count)
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

    def press(number: int, frame: object) -> None:
        if pressed.is_set():
            raise KeyboardInterrupt
        pressed.set()
        screen.note("ending the search; the best so far is kept")

    usual = signal.signal(signal.SIGINT, press)
    try:
        yield pressed.is_set
    finally:
        signal.signal(signal.SIGINT, usual)
