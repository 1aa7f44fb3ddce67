"""What a person does with models of a robot: make, optimise, count, check, look into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from manipula.api.robot_verbs import robot_from
from manipula.errors import InputError, UnsetError, some_of
from manipula.messages import Message
from manipula.support.progress import Effort, Stop, Tell, never, silent, told_when_slow

if TYPE_CHECKING:
    from manipula.generation.counts import CountTable, StepRow
    from manipula.generation.prepare import Prepared
    from manipula.generation.reports import Report
    from manipula.generation.results.model import Model
    from manipula.ik.derivation import InverseDerivation
    from manipula.ik.numeric.reach import Reach
    from manipula.ik.singularities import Singularities
    from manipula.mechanics.robot.bind import Symbolic
    from manipula.parameters.base import BaseParameters
    from manipula.parameters.base_numeric import Agreement
    from manipula.parameters.significance import Motions, SignificanceReport
    from manipula.robot import Robot, RobotLike


def generate(
    robot: RobotLike, model: str | Sequence[str], *, method: str = "best", symbolic: Symbolic = "auto",
    optimise: str = "fast", wrench: bool = False, parameters: str = "base", price: str = "classical", frame: str = "",
    frames: Sequence[str] = (), hold: Mapping[str, object] | None = None, positions: str | Sequence[str] = "all",
    near: str = "", tell: Tell = silent,
) -> Model:  # fmt: skip
    """A model of the robot, optimised and proved. `tell` hears of progress.

    `frame` names the frame that pose, Jacobian, wrench and inverse kinematics are about; a robot that has only one,
    as every serial arm, needs none named. Inverse kinematics answers for the joints on the road to the frame.

    `frames` names several frames: of "frame_jacobians" and "frame_biases", or those on which "inverse_dynamics" takes
    wrenches. `hold` says of "constrained_dynamics" which frames are held and how, {"foot": "point"}: "point", "pose" or
    ("rolling", radius).

    `positions` says which positions the model of a robot with loops takes: "all" joints', those of the "motors", or of
    some joints by name. Formulas give the others, on the branch of the pose `near`, as in `Robot.close`.

    Several models at once, `["pose", "jacobian", "inverse_dynamics"]`, make one function that shares their work; its
    outputs are named after both, `pose_T`, `jacobian_J`. Each is derived the cheapest way, without a wrench.

    Args:
        method: How the model is derived, such as lagrange-efficient.
        optimise: How hard to search.
        wrench: With a force and moment on the tool as input.
        parameters: base: inertial parameters may be regrouped before the first cycle; full: each is used as it is.
        price: What to minimise: classical (× and + alike), multiplications, fused (a·b + c is one) or latency.
        frame: The frame that pose, Jacobian and wrench are about.
        positions: Of a robot with loops: all, motors, or joints with commas; formulas give the other positions.
        near: The pose whose assembly these formulas follow.

    >>> generate("planar2r", "gravity").outputs
    {'g': (2,)}
    """
    from manipula.generation.compose import generate_together
    from manipula.generation.prepare import Request, prepare
    from manipula.generation.reports import plain_together
    from manipula.generation.results.model import Model
    from manipula.ik.arm.inverse_model import generate_model
    from manipula.mechanics.models.floating.frames import frames_asked

    subject = robot_from(robot)
    subject = subject.at(frame) if frame else subject
    given: tuple[int, ...] | None = None
    if positions != "all":
        from manipula.generation.closed_positions import generate_from_positions, given_coordinates

        given = given_coordinates(subject, positions)
    if given is None and near:
        raise InputError("near= says which assembly formulas follow: it goes with positions=")
    if not isinstance(model, str):
        if given is not None:
            raise InputError("positions= is for one model; found {models}", some_of(list(model)))
        if not model:
            raise InputError("generate: found an empty list of models (expected at least one name)")
        if method != "best" or wrench:
            if wrench:
                raise InputError("a wrench is for one model; several in one function are each derived the cheapest way")
            raise InputError(
                "the method {method!r} is for one model; several in one function are each derived the cheapest way",
                method,
            )
        names = list(dict.fromkeys(model))
        with told_when_slow(f"deriving {', '.join(names)} of {subject.name}"):
            first = prepare(Request(subject, names[0], "best", symbolic, optimise, False, parameters, price))
            requests = [first.with_request(model=name) for name in names]
            plain = partial(plain_together, [asked.request for asked in requests])
            made = first.request.describe(generate_together(requests, tell))
            return Model(made, _plain=plain, _own_letters=first.request.letters)
    named, holds = frames_asked(subject, frames, hold)
    asked = Request(subject, model, method, symbolic, optimise, wrench, parameters, price, named, holds)
    if given is None:
        return generate_model(asked, tell)
    found, textbook = generate_from_positions(asked, given, near or None, tell)
    return Model(found, _plain=textbook, _own_letters=asked.letters)


def optimise(
    robot: RobotLike, model: str, *, symbolic: Symbolic = "auto", parameters: str = "base", price: str = "classical",
    search: bool = False, seconds: float | None = None, moves: int | None = None, seed: int = 0, tell: Tell = silent,
    stop: Stop = never,
) -> Model:  # fmt: skip
    """The model by as long a search as you allow; from then on `generate(…, optimise="max")` gives what was found.

    A result that is known already, shipped or remembered, is taken unless `search` is set; `stop` ends a search early.
    What a limit or a stop cut short is remembered as such: `optimise` and `generate` go on from there.

    Args:
        search: Search even where a result ships with the library or is remembered.
        seconds: End the search of a model after this time.
        moves: Moves of the annealing; more may find less.
        seed: Another seed takes another road.
    """
    from manipula.generation.pipeline import optimise_function
    from manipula.ik.arm.inverse_model import model_of

    asked = _prepare_request(robot_from(robot), model, "best", symbolic, parameters, price)
    effort = Effort(moves, seconds, seed, tell, stop)
    return model_of(optimise_function(asked, effort, known=not search), asked.request)


def best_known(
    robot: RobotLike, model: str, *, symbolic: Symbolic = "auto", parameters: str = "base", price: str = "classical"
) -> Model | None:
    """The best known for `generate(…, optimise="max")` before any search, if there is such: shipped or remembered."""
    from manipula.generation.pipeline import known_function
    from manipula.generation.prepare import Request, prepare
    from manipula.ik.arm.inverse_model import model_of

    subject = robot_from(robot)
    request = Request(subject, model, symbolic=symbolic, parameters=parameters, price=price)
    found = known_function(prepare(request))
    return None if found is None else model_of(found, request)


def price_of(model: Model, price: str = "classical") -> int:
    """What a search for this price counts: for the classical one, the operations on line."""
    from manipula.algebra.optimise.price import price_named

    return price_named(price).total(model.function)


def models() -> dict[str, str]:
    """What `generate` can make: name → one line."""
    from manipula.mechanics.models.catalogue import MODELS

    return {name: model.doc for name, model in MODELS.items()}


def model_groups() -> dict[str, list[str]]:
    """The models by chapter: kinematics, statics, dynamics, identification, control; those of your own are last."""
    from manipula.mechanics.models.catalogue import GROUPS, MODELS

    found = {group: [name for name in names if name in MODELS] for group, names in GROUPS.items()}
    own = [name for name in MODELS if not any(name in names for names in GROUPS.values())]
    return found | ({"registered": own} if own else {})


def methods(model: str) -> list[str]:
    """The ways to make a model; the first is the plain one."""
    from manipula.generation.prepare import model_named

    return model_named(model).method_names


def languages() -> list[str]:
    """What `Model.emit` can write."""
    from manipula.algebra.emit import backend

    return backend.languages()


def language(name: str) -> str:
    """The language that is meant, as `languages` calls it: "cpp" for "c++", "matlab" for "octave".

    >>> language("JS")
    'javascript'
    """
    from manipula.algebra.emit import backend

    return backend.language_named(name)


def language_options(name: str) -> list[str]:
    """The options of `Model.emit` that this language has."""
    from manipula.algebra.emit.backend import OPTIONS

    return [*OPTIONS.get(name, ()), "prefix"]


def count(
    robot: RobotLike, models: Sequence[str] | None = None, *, symbolic: Symbolic = "auto", optimise: str = "none",
    parameters: str = "base", tell: Tell = silent,
) -> CountTable:  # fmt: skip
    """The table of operations, method by method, each one proved."""
    from manipula.generation.counts import DEFAULT_MODELS, CountTable, count_rows

    subject = robot_from(robot)
    return CountTable(count_rows(subject, models or DEFAULT_MODELS, symbolic, optimise, parameters, tell))


def count_steps(
    robot: RobotLike, models: Sequence[str] | None = None, *, symbolic: Symbolic = "auto", parameters: str = "base",
    tell: Tell = silent,
) -> list[StepRow]:  # fmt: skip
    """What formulation, passes and search save, method by method, beside published figures."""
    from manipula.generation.counts import DEFAULT_MODELS, step_rows

    subject = robot_from(robot)
    return list(step_rows(subject, models or DEFAULT_MODELS, symbolic, parameters, tell))


def published_counts(name: str) -> list[dict[str, object]]:
    """Operation counts that others have printed for a robot of this name, with their sources."""
    from manipula.generation.counts import PUBLISHED

    return [figure.as_dict() for figure in PUBLISHED if figure.robot == name]


def count_orders(robot: RobotLike, *, symbolic: Symbolic = "auto", tell: Tell = silent) -> CountTable:
    """Every order of the matrix product of the pose, cheapest first."""
    from manipula.generation.counts import bracketing_rows

    return bracketing_rows(robot_from(robot), symbolic, tell)


def check(robot: RobotLike, *, tell: Tell = silent) -> Report:
    """The laws of mechanics, proved on this very robot.

    >>> check("planar2r").passed
    True
    """
    from manipula.generation.reports import check_report

    return check_report(robot_from(robot), tell)


def base_parameters(robot: RobotLike, *, symbolic: Symbolic = "auto") -> BaseParameters:
    """The identifiable parameters, as combinations of the links' inertial parameters, exact and proved.

    >>> len(base_parameters("planar2r"))
    6
    """
    from manipula.parameters.base import base_parameters_of

    return base_parameters_of(robot_from(robot), symbolic)


def check_base_parameters(robot: RobotLike) -> Agreement:
    """The same count by numerical rank and by superposition of virtual robots, beside the exact one."""
    from manipula.parameters.base import base_parameters_of
    from manipula.parameters.base_numeric import base_agreement

    subject = robot_from(robot)
    return base_agreement(subject, base_parameters_of(subject))


def significance(robot: RobotLike, motions: Motions, tolerance: float = 0.01) -> SignificanceReport:
    """APPROXIMATE: which base parameters a class of motions does not feel, the error without them, what it saves."""
    from manipula.parameters.significance import significance_of

    return significance_of(robot_from(robot), motions, tolerance)


def inverse_derivation(robot: RobotLike, *, symbolic: Symbolic = "all", task: str | None = None) -> InverseDerivation:
    """The closed form of the arm's inverse kinematics as a derivation: class, steps, both roots, singular poses.

    `task` is "pose", or "position" of the tool's origin alone; by default the position of an arm of two or three joints
    for which that has a closed form, and else the pose.

    >>> print(inverse_derivation("planar2r").title, "|", inverse_derivation("planar2r", task="pose").title)
    position of the tool | two axes
    """
    from manipula.ik.derivation import derivation_of
    from manipula.mechanics.robot.topology import refuse_moving

    refuse_moving(robot_from(robot), "inverse_derivation")
    return derivation_of(robot_from(robot), symbolic, task)


def singularities(robot: RobotLike, *, symbolic: Symbolic = "all") -> Singularities:
    """Singular configurations, as equations: of arms with up to three joints the factors of det J of the tool's
    position (of a planar arm, its x, y and angle; of a SCARA, x, y, z and angle), of six joints whose last three meet
    the elbow's, shoulder's and wrist's. Each is proved equal to the determinant, solved where that is one formula, and
    tried in numbers.

    >>> print(singularities("planar2r"))
    planar2r: singular where det J = 0
    J: the tool's x, y
    det J = l1*l2*s2
    s2 = 0: q2 = 0 or pi
    with s2 = sin(q2)
    """
    from manipula.ik.singularities import singularities_of
    from manipula.mechanics.robot.topology import refuse_loops, refuse_moving

    refuse_moving(robot_from(robot), "singularities")
    refuse_loops(robot_from(robot), "singularities")
    return singularities_of(robot_from(robot), symbolic)


def reach(robot: RobotLike, *, seed: int = 0) -> Reach:
    """How far the tool's origin gets from where the first joint stands, and the box in the world that holds it, within
    the limits of the joints; the best found by searches from many starts.

    Args:
        seed: Of the configurations drawn to start from.

    >>> print(reach(robot_from("planar2r").with_parameters(l1=0.5, l2=0.3)))
    planar2r: the tool was found 0.2 to 0.8 m from the first joint (0, 0, 0)
    in the world x -0.8 … 0.8, y -0.8 … 0.8, z 0 … 0 m
    """
    from manipula.ik.numeric.reach import reach_of
    from manipula.mechanics.robot.topology import refuse_loops, refuse_moving

    subject = robot_from(robot)
    refuse_moving(subject, "reach")
    refuse_loops(subject, "reach")
    pose, jacobian = (generate(subject, name, optimise="none") for name in ("pose", "jacobian"))
    for model in (pose, jacobian):
        if missing := model.inputs.get("p", ()):
            need = Message("{name}: reach needs a value for {some_of}", subject.name, some_of(missing))
            raise UnsetError(need, missing)
    return reach_of(subject, pose.compile(), jacobian.compile(), seed)


def dossier(robot: RobotLike, folder: str | Path, *, tell: Tell = silent) -> list[Path]:
    """Write the robot's dossier: .dh .ine .mgd .mel .ea .mt .mex .sim .din .eac, with the standard names."""
    from manipula.generation.reports import files_of_dossier
    from manipula.support.files import write_files

    subject = robot_from(robot)
    return write_files(Path(folder), files_of_dossier(subject, tell))


# Searches that are made in one place and remembered in another: what `optimise` does, in two halves.


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

    asked = _prepare_request(robot_from(robot), model, method, symbolic, parameters, price)
    found = searched_function(asked, Effort(moves, seconds, seed))
    return Searched(model_of(found.proved, asked.request), text_from_function(found.found))


def refuse_search(robot: RobotLike, model: str, **asked: Any) -> None:
    """Refuse what cannot be searched, before anything is."""
    from manipula.generation.build import check_request

    check_request(_prepare_request(robot_from(robot), model, **asked))


def remember(
    robot: RobotLike, model: str, text: str, *, method: str = "best", symbolic: Symbolic = "auto",
    parameters: str = "base", price: str = "classical",
) -> Model:  # fmt: skip
    """What a search found elsewhere: proved here, and from then on what `generate(…, optimise="max")` gives, unless
    something cheaper is known."""
    from manipula.algebra.optimise.search.ways import function_from_text
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
    from manipula.generation.prepare import Request, prepare

    return prepare(Request(robot, model, method, symbolic, "max", False, parameters, price))
