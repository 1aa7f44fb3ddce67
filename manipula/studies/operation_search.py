"""The fewest operations, searched from many seeds: many robots and models, wherever there are processors.

A case is one search, of one line from one seed. What it finds comes back as a text, so that no disk need be shared; the
best of every line is proved where it is wanted and remembered there, as `optimise` remembers it.
"""

from __future__ import annotations

from base64 import b85decode, b85encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import TYPE_CHECKING, Any
from zlib import compress, decompress

from manipula import api
from manipula.errors import InputError
from manipula.pages.page import section, table
from manipula.robot import Robot, RobotLike, as_robot
from manipula.studies.cases.values import LETTERS, Case
from manipula.studies.catalogue.entry import count_of, positive
from manipula.studies.results.study_result import Study
from manipula.studies.study_run import Progress, study

if TYPE_CHECKING:
    from manipula.generation.results.model import Model

HEADS = ("line", "best", "median", "worst", "seeds", "seed of the best", "s each")
KEYS = ("line", "best", "median", "worst", "seeds", "seed", "seconds")


@dataclass(frozen=True)
class SearchLine:
    """What is searched: a model of a robot, and the options of the request."""

    title: str
    robot: Robot
    model: str
    method: str = "best"
    symbolic: str | Sequence[str] = "auto"
    parameters: str = "base"
    price: str = "classical"

    @property
    def options(self) -> Case:
        return {"method": self.method, "symbolic": self.symbolic, "parameters": self.parameters, "price": self.price}


def search_case(case: Case, rng: object) -> Case:
    """One search. Its random numbers are those of its seed, so that it can be repeated alone."""
    line = case["lines"][case["line"]]
    limits = {"seconds": case["seconds"], "moves": case["moves"], "seed": case["seed"]}
    found = api.search(case[line["robot"]], line["model"], **line["asked"], **limits)
    cost = found.model.cost
    return {
        "price": api.price_of(found.model, line["asked"]["price"]), "total": cost.total, "mul": cost.mul,
        "add": cost.add, "div": cost.div, "trig": cost.trig, "once": cost.offline.total if cost.offline else 0,
        "function": pack_function(found.text),
    }  # fmt: skip


def pack_function(text: str) -> str:
    """A function as a word of a table; nothing where it is longer than words are."""
    found = b85encode(compress(text.encode(), 9)).decode()
    return found if len(found) <= LETTERS else ""


def unpack_function(word: str) -> str:
    return decompress(b85decode(word)).decode()


@dataclass(frozen=True)
class SearchOutcome:
    """What one search found. `seconds` of the search; None where an earlier run made it."""

    price: float
    seed: int
    function: str
    seconds: float | None = None


class Board:
    """The searches so far, line by line: heard as they come, or read from a study that is whole."""

    def __init__(self, lines: Sequence[SearchLine], first: int) -> None:
        self.lines = {line.title: line for line in lines}
        self._first, self._found = first, {line.title: dict[int, SearchOutcome]() for line in lines}

    def hear(self, progress: Progress) -> None:
        """Case k is seed k // lines of line k % lines: the last name varies fastest."""
        block, titles = progress.came, list(self.lines)
        if block is None or not block.columns:
            return
        spent = block.seconds / block.count if block.seconds else None
        for row, case in enumerate(block.cases.tolist()):
            word, price = str(block.columns["function"][row]), block.columns["price"][row].item()
            seed = self._first + case // len(titles)
            self.add(titles[case % len(titles)], SearchOutcome(price, seed, word, spent))

    def add(self, title: str, found: SearchOutcome) -> None:
        """One search; a seed that came before stays as it was."""
        self._found[title].setdefault(found.seed, found)

    def read(self, found: Study) -> None:
        """What was not heard of."""
        for row in found.rows:
            if "failure" not in row:
                self.add(row["line"], SearchOutcome(row["price"], row["seed"], row["function"]))

    @property
    def best(self) -> dict[str, SearchOutcome]:
        """By line; of equals the first seed."""
        return {
            title: min(found.values(), key=lambda x: (x.price, x.seed)) for title, found in self._found.items() if found
        }

    def figures(self) -> list[Case]:
        """Of every line: the cheapest, the median and the dearest of its searches, how many, the seed of the best, and
        the median of their seconds where this run made them."""
        return [_figures(title, list(found.values())) for title, found in self._found.items()]

    def rows(self) -> list[tuple[str, ...]]:
        """Cells under `HEADS`."""
        return [tuple(map(_cell, line.values())) for line in self.figures()]

    def keep_best(self, limits: Case) -> dict[str, Model]:
        """The best of every line, proved and remembered here. One that is too long for a word is searched again."""
        made = {}
        for title, found in self.best.items():
            line = self.lines[title]
            if found.function:
                text = unpack_function(found.function)
            else:
                text = api.search(line.robot, line.model, **line.options, **limits, seed=found.seed).text
            made[title] = api.remember(line.robot, line.model, text, **line.options)
        return made


def _figures(title: str, found: Sequence[SearchOutcome]) -> Case:
    prices, times = [x.price for x in found], [x.seconds for x in found if x.seconds is not None]
    best = min(found, key=lambda x: (x.price, x.seed), default=None)
    spread = (min(prices), median(prices), max(prices)) if prices else (None, None, None)
    numbers = (*spread, len(found), best and best.seed, median(times) if times else None)
    return dict(zip(KEYS, (title, *numbers), strict=True))


def _cell(value: str | float | None) -> str:
    if value is None or isinstance(value, str):
        return value or "–"
    return f"{value:.3g}" if isinstance(value, float) and value < 100 else f"{value:.6g}"


def lines_of(robots: Sequence[Robot], models: Sequence[str], **asked: Any) -> list[SearchLine]:
    """Every model of every robot; robots of one name get a number."""
    if not robots or not models:
        raise InputError("operations: expected robots and models, found {count} and {count2}", len(robots), len(models))
    titles, found = list[str](), list[SearchLine]()
    for robot in robots:
        for model in models:
            title = f"{robot.name} {model}"
            again = sum(x == title or x.startswith(f"{title} #") for x in titles)
            titles.append(f"{title} #{again + 1}" if again else title)
            found.append(SearchLine(titles[-1], robot, model, **asked))
    return found


def limits_from(seconds: float | None, moves: int | None) -> Case:
    return {
        "seconds": None if seconds is None else positive("seconds", seconds),
        "moves": None if moves is None else count_of("moves", moves, 10**15),
    }


def searches(
    lines: Sequence[SearchLine],
    seeds: int = 8,
    first: int = 0,
    seconds: float | None = None,
    moves: int | None = None,
    **options: Any,
) -> Study:
    """The study: every line from `seeds` seeds, the first of them `first`. `options`: those of `study`."""
    several = count_of("seeds", seeds, 10**6)
    if isinstance(first, bool) or not isinstance(first, int) or first < 0:
        raise InputError("seed: expected a whole number of zero or more, found {seed!r:.40}", first)
    for line in lines:
        api.refuse_search(line.robot, line.model, **line.options)
    places = {id(line.robot): f"robot {k}" for k, line in enumerate(lines)}
    shared: Case = {places[id(line.robot)]: line.robot for line in lines}
    shared["lines"] = {x.title: {"robot": places[id(x.robot)], "model": x.model, "asked": x.options} for x in lines}
    cases = {"seed": range(first, first + several), "line": [line.title for line in lines]}
    found = study(search_case, cases, shared={**shared, **limits_from(seconds, moves)}, **options)
    return replace(found, title="fewest operations", show=show, told=search_summary, shared=shared)


def board_of(found: Study) -> Board:
    """Of a study that is whole."""
    lines = [
        SearchLine(title, found.shared[x["robot"]], x["model"], **x["asked"])
        for title, x in found.shared["lines"].items()
    ]
    board = Board(lines, 0)
    board.read(found)
    return board


def search_summary(found: Study) -> Case:
    return {"lines": [{name: line[name] for name in KEYS[:-1]} for line in board_of(found).figures()]}


def show(found: Study) -> list[str]:
    caption = "operations on line of the cheapest, the median and the dearest of the seeds' results"
    rows = [row[:-1] for row in board_of(found).rows()]
    return [section("Fewest operations", table(caption, HEADS[:-1], rows))]


def operations(
    robots: RobotLike | Sequence[RobotLike],
    models: str | Sequence[str] = "inverse_dynamics",
    *,
    seeds: int = 8,
    seconds: float | None = None,
    moves: int | None = None,
    **words: Any,
) -> Study:
    """Searches for the fewest operations from many seeds, of many robots and models: `price`, `total`, `mul`, `add`,
    `div`, `trig`, `once` (of the parameters alone) and the function found, of every line and seed.

    The best of every line is proved and remembered: `generate(…, optimise="max")` gives it from then on. `seconds` or
    `moves` limit a search; `method`, `symbolic`, `parameters`, `price`: as `generate` takes them. Besides: what
    `mp.study` takes. Without a limit in seconds the result is the same on every engine, to the byte.
    """
    given = list(robots) if isinstance(robots, Sequence) and not isinstance(robots, str) else [robots]
    asked = {word: words.pop(word) for word in ("method", "symbolic", "parameters", "price") if word in words}
    names = [models] if isinstance(models, str) else list(models)
    lines = lines_of([as_robot(x) for x in given], names, **asked)
    first = words.pop("seed", 0)
    found = searches(lines, seeds, first, seconds, moves, **words)
    board_of(found).keep_best(limits_from(seconds, moves))
    return found
