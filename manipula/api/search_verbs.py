"""Searches that are made in one place and remembered in another: what `optimise` does, in two halves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from manipula.api.robot_verbs import robot_from

if TYPE_CHECKING:
    from manipula.generation.prepare import Prepared
    from manipula.generation.results.model import Model
    from manipula.mechanics.robot.bind import Symbolic
    from manipula.robot import Robot, RobotLike


class Searched(NamedTuple):
    """What a search found: the model, proved, and the text by which another process has it."""

    model: Model
    text: str


def search(
    robot: RobotLike, model: str, *, method: str = "best", symbolic: Symbolic = "auto", parameters: str = "base",
    price: str = "classical", seconds: float | None = None, moves: int | None = None, seed: int = 0,
) -> Searched:  # fmt: skip
    """What a search finds from nothing, whatever ships or is remembered; nothing is remembered of it. Without a limit
    in seconds the same seed finds the same function, to the byte."""
    from manipula.algebra.optimise.search.ways import text_from_function
    from manipula.generation.pipeline import searched_function
    from manipula.ik.arm.inverse_model import model_of
    from manipula.support.progress import Effort

    asked = _prepare_request(robot_from(robot), model, method, symbolic, parameters, price)
    found = searched_function(asked, Effort(moves, seconds, seed))
    return Searched(model_of(found.proved, asked.request), text_from_function(found.found))


def refuse_search(robot: RobotLike, model: str, **asked: Any) -> None:
    """What cannot be searched is told, before anything is."""
    from manipula.generation.build import check_request

    check_request(_prepare_request(robot_from(robot), model, **asked))


def remember(
    robot: RobotLike, model: str, text: str, *, method: str = "best", symbolic: Symbolic = "auto",
    parameters: str = "base", price: str = "classical",
) -> Model:  # fmt: skip
    """What a search found elsewhere: proved here, and from then on what `generate(…, optimise="max")` gives, unless
    something cheaper is known."""
    from manipula.algebra.optimise.search.ways import function_from_text
    from manipula.errors import InputError
    from manipula.generation.pipeline import remember_function
    from manipula.ik.arm.inverse_model import model_of

    asked = _prepare_request(robot_from(robot), model, method, symbolic, parameters, price)
    try:
        found = function_from_text(text)
    except (ValueError, RecursionError):
        raise InputError("{model} of {name}: found a text that is no function's", model, asked.robot.name) from None
    return model_of(remember_function(asked, found), asked.request)


def _prepare_request(
    robot: Robot, model: str, method: str, symbolic: Symbolic, parameters: str, price: str
) -> Prepared:
    from manipula.generation.prepare import prepare
    from manipula.generation.request import Request

    return prepare(Request(robot, model, method, symbolic, "max", False, parameters, price))
