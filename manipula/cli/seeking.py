"""`optimise --seeds`: many searches as a study, with a live table of what has been found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from manipula import api
from manipula.cli.terminal.screen import CHECK_FAILED, INTERRUPTED, failed, live_table, note, say, say_json, say_table
from manipula.messages import Message
from manipula.support.plain import plain

if TYPE_CHECKING:
    from manipula import Model
    from manipula.robot import Robot
    from manipula.studies.results.study_result import Study
    from manipula.studies.searching import Board
    from manipula.studies.studying import Progress

OFTEN = 0.2  # seconds between two looks
_CAPTION = "best, median, worst: what the searches of a line count; s each: seconds of a search made now."


def sought(
    robots: Sequence[Robot],
    models: Sequence[str],
    asked: dict[str, Any],
    how: dict[str, Any],
    where: dict[str, Any],
    report: Path | None,
    as_json: bool,
) -> None:
    """The study, its table, and the best of every line remembered; after Ctrl-C, too."""
    from manipula.studies.results.study_result import refuse_page
    from manipula.studies.searching import Board, limits_from, lines_of, searches

    refuse_page(report)
    lines = lines_of(robots, models, **asked)
    board, limits = Board(lines, how["first"]), limits_from(how["seconds"], how["moves"])
    try:
        with _watched(board) as tell:
            found = searches(lines, **how, **where, tell=tell)
    except KeyboardInterrupt:
        raise _ended(board, limits, where["resume"]) from None
    board.read(found)
    kept = board.kept(limits)
    files = [found.report(report)] if report is not None else []
    _say(found, board, kept, files, as_json)
    if len(found.why) == found.count:
        raise failed(Message("every search failed; the first says: {why}", found.failures[0].why), CHECK_FAILED)


def _ended(board: Board, limits: dict[str, Any], resume: Path | None) -> Any:
    """What has been found is not lost."""
    kept = board.kept(limits)
    for title in kept:
        note(Message("{title}: {price:g} so far, remembered", title, board.best[title].price))
    return failed(
        (
            Message("interrupted; go on with --resume {resume}", resume)
            if resume
            else Message("interrupted; with --resume FOLDER it could go on from here")
        ),
        INTERRUPTED,
    )


@contextmanager
def _watched(board: Board) -> Iterator[Callable[[Progress], None]]:
    """The board on stderr, at most some times a second."""
    from manipula.studies.searching import HEADS

    with live_table("searches", HEADS) as update:
        seen = [0.0]

        def tell(progress: Progress) -> None:
            board.hear(progress)
            if monotonic() - seen[0] > OFTEN:
                seen[0] = monotonic()
                update([*board.rows(), (str(progress), *[""] * (len(HEADS) - 1))])

        yield tell


def _say(found: Study, board: Board, kept: dict[str, Model], files: list[Path], as_json: bool) -> None:
    from manipula.studies.searching import HEADS

    if as_json:
        lines = [{**line, **_told(board, kept, line["line"])} for line in board.figures()]
        whole = {**found.as_dict(), "answer": {"lines": lines}, "file": None, "files": files}
        say_json(plain(whole))
        return
    say_table("Fewest operations", HEADS, board.rows(), right=range(1, len(HEADS)), caption=_CAPTION)
    for failure in found.failures[:3]:
        say(Message("{line}, seed {seed}: {why}", failure.given["line"], failure.given["seed"], failure.why))
    for title in kept:
        say(Message("{place}: {text}", title, _future(board, title, _told(board, kept, title))))
    for path in files:
        say(str(path))


def _told(board: Board, kept: dict[str, Model], title: str) -> dict[str, Any]:
    """Whether it is what level "max" gives from now on."""
    if title not in kept:
        return {"remembered": False, "best_known": None}
    line = board.lines[title]
    asked = {name: value for name, value in line.asked.items() if name != "method"}
    known = api.best_known(line.robot, line.model, **asked)
    return {"remembered": known == kept[title], "best_known": known and api.price_of(known, line.price)}


def _future(board: Board, title: str, told: dict[str, Any]) -> str:
    if told["remembered"]:
        return "remembered; generate --optimise max has it"
    if told["best_known"] is not None:
        return Message("{told} is known already, which stays", told["best_known"])
    return "not remembered: no better than the default level, or the cache is off (MANIPULA_CACHE)"
