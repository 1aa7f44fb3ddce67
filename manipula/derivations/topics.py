"""What can be derived of an arm: topics, methods, and the one function that makes a derivation."""

from __future__ import annotations

from collections.abc import Callable

from manipula.derivations.board import DerivationBoard, refuse_unfit
from manipula.derivations.inverse import inverse_derivation
from manipula.derivations.kinematics import COLUMNS, jacobian_derivation, pose_derivation, singular_derivation
from manipula.derivations.lagrange import lagrange_derivation
from manipula.derivations.newton_euler import newton_euler_derivation
from manipula.derivations.screws import screw_derivation
from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.robot.bind import Symbolic
from manipula.mechanics.robot.description import RobotDescription
from manipula.pages.derivation import Derivation

TOPICS = ("pose", "jacobian", "dynamics", "ik", "singularities")
METHODS: dict[str, dict[str, Callable[[DerivationBoard, str], Derivation]]] = {  # the first is the default
    "pose": {"transforms": pose_derivation, "screws": screw_derivation},
    "dynamics": {
        "lagrange": lambda board, axes: lagrange_derivation(board),
        "newton-euler": lambda board, axes: newton_euler_derivation(board),
    },
}
SECONDS = 30.0


def derivation_by_topic(
    robot: RobotDescription, topic: str, method: str = "", symbolic: Symbolic | None = None, axes: str = "noa",
    task: str | None = None, seconds: float = SECONDS,
) -> Derivation:  # fmt: skip
    """The steps, proved. `symbolic` None: letters for lengths; in dynamics only what has no value stays a letter."""
    if topic not in TOPICS:
        raise UnknownNameError("topic of a derivation", topic, TOPICS)
    methods = METHODS.get(topic, {})
    if method and method not in methods:
        every = {name: chosen for chosen, names in METHODS.items() for name in names}
        if method not in every:
            raise UnknownNameError("method of a derivation", method, methods or every)
        raise InputError("method {method} derives the {chosen}, not {topic}", method, every[method], topic)
    if axes not in COLUMNS:
        raise UnknownNameError("way to name the tool's axes", axes, COLUMNS)
    if not seconds > 0:
        raise InputError("seconds: expected a positive number, found {seconds}", seconds)
    letters: Symbolic = symbolic if symbolic is not None else "auto" if topic == "dynamics" else "all"
    board = DerivationBoard(refuse_unfit(robot, topic), letters, seconds)
    match topic:
        case "jacobian":
            return jacobian_derivation(board)
        case "ik":
            return inverse_derivation(board, task, COLUMNS[axes])
        case "singularities":
            return singular_derivation(board)
    return methods[method or next(iter(methods))](board, axes)
