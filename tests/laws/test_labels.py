"""Every name of an intermediate value is the quantity it says: of that link, in the frame of the file."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.expr.condition import SIZE
from manipula.algebra.expr.evaluate import evaluate
from manipula.algebra.expr.function import Function
from manipula.algebra.optimise.passes import run_passes
from manipula.generation.build import build_function
from manipula.generation.labels import RATES, label_function, without_doubles
from manipula.generation.prepare import Formulation, Prepared, Request, model_named, prepare
from manipula.mechanics.models.catalogue import MODELS
from manipula.mechanics.robot.bind import free_parameters
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.values.parameter import float_of
from manipula.mechanics.spatial.floats import FLOATS
from tests.random_robots import random_robot, random_state
from tests.world_frame import World

RECURSIVE = [name for name, model in MODELS.items() if set(RATES) <= set(model.inputs)]
NAME = re.compile(r"\b(?:wd?|vd|[FNfn])\d+_[xyz]\b")
LINE = re.compile(r"^    const real (\w+) = (.*);$")


def states(request: Prepared, seed: int) -> tuple[dict[str, float], dict[str, float]]:
    """A random point: the value of every symbol, and of every name there could be."""
    rng = random.Random(seed)
    open_ones = free_parameters(request.robot, request.request.symbolic).items()
    free = {name: round(rng.uniform(0.2, 1.2), 3) if x is None else float_of(x, {}) for name, x in open_ones}
    q, qd, qdd, wrench = random_state(request.robot, seed)
    true = named(World(request.robot, free), q, qd, qdd, wrench if request.request.wrench else None)
    given = {"q": q, "qd": qd, "qdd": qdd, "wrench": wrench}
    symbols = dict(free)
    for port, names in request.inputs.items():
        symbols |= dict(zip(names, given.get(port) or [rng.uniform(-1, 1) for _ in names]))
    return symbols, true


def named(world: World, *state: Sequence[float] | None) -> dict[str, float]:
    """w1_x, wd1_x, vd1_x, F1_x, N1_x, f1_x, n1_x …: link by link, in the axes of the link's frame."""
    q, qd, qdd, wrench = state
    found = world.recursion(*map(np.array, (q, qd, qdd)), wrench)
    entries = [(f"{letter}{i}", row) for letter, rows in found.items() for i, row in enumerate(rows, 1)]
    return {f"{name}_{axis}": float(x) for name, row in entries for axis, x in zip("xyz", row)}


def misnamed(function: Function, request: Prepared, seed: int = 1) -> list[str]:
    """The names whose values are not what they say."""
    symbols, true = states(request, seed)
    labels = {node: text for node, text in function.labels.items() if text != SIZE}  # of the conditions, not the motion
    values = evaluate(list(labels), symbols, FLOATS)
    named = zip(map(float, values), labels.values())
    return [text for x, text in named if text not in true or not _close(x, true[text])]


def _close(x: float, y: float) -> bool:
    return math.isclose(x, y, rel_tol=1e-7, abs_tol=1e-8)


def every_formulation(request: Prepared) -> list[Function]:
    """By every method, as the file has the robot and reformulated."""
    names = MODELS[request.request.model].method_names
    choices = [Formulation(name) for name in names if name in MODELS[request.request.model].methods]
    choices += [request.with_request(method=name).default(name) for name in names]
    return [label_function(build_function(request, choice), request) for choice in choices]


@pytest.mark.turn
@pytest.mark.parametrize("seed", range(50))
def test_random_arms(seed: int) -> None:
    """One model an arm, by every method; over the arms every model, wrench on and off, both sets of parameters."""
    robot = random_robot(seed, joints=(3, "RFPR", "FRRFR", "RRF")[seed % 4])
    model = RECURSIVE[seed % len(RECURSIVE)]
    wrench = model_named(model).takes_wrench and seed % 2 == 0
    request = prepare(Request(robot, model, wrench=wrench, parameters=("base", "full")[seed // 2 % 2]))
    for function in every_formulation(request):
        assert misnamed(function, request, seed) == []


@pytest.mark.drawn("name")
@pytest.mark.parametrize(("wrench", "name"), [(i % 2 == 0, name) for i, name in enumerate(mp.robots())])
def test_library_robots(name: str, wrench: bool) -> None:
    request = prepare(Request(mp.load(name), "inverse_dynamics", wrench=wrench))
    method = request.methods[-1]
    function = label_function(run_passes(build_function(request, request.default(method))), request)
    assert misnamed(function, request) == []


def test_names_stay_true_when_every_number_is_a_symbol() -> None:
    for robot in (mp.load("ur5e"), random_robot(21, joints="RFRP")):
        request = prepare(Request(robot, "inverse_dynamics", symbolic="all", wrench=True))
        function = label_function(run_passes(build_function(request, request.default("acceleration-field"))), request)
        assert function.labels and misnamed(function, request) == []


@pytest.mark.turn
@pytest.mark.drawn("model", few=4)
@pytest.mark.parametrize("model", RECURSIVE)
def test_every_recursive_model_of_the_shipped_arms(model: str) -> None:
    for name in ("planar2r", "rp"):
        wrench = model_named(model).takes_wrench
        request = prepare(Request(mp.load(name), model, wrench=wrench))
        found = mp.generate(request.robot, model, wrench=wrench)
        assert misnamed(found.function, request) == []


@pytest.mark.turn
def test_there_are_names_to_read() -> None:
    """Reformulated, an arm still has some; as the file has it, nearly all that are not a symbol or nothing."""
    for name in ("puma560", "ur5e"):
        assert len(mp.generate(name, "inverse_dynamics", wrench=True).function.labels) >= 5
    plain = mp.generate("ur5e", "inverse_dynamics", method="newton-euler", optimise="none").function
    assert len(plain.labels) >= 80


def test_the_recursion_gives_what_it_names() -> None:
    """The model with every intermediate: its outputs, by letter, link and axis."""
    for seed in range(6):
        request = prepare(Request(random_robot(seed, joints="FRFPRF"), "newton_euler", wrench=True))
        symbols, true = states(request, seed)
        found = build_function(request, Formulation("newton-euler"))(symbols, FLOATS)
        for text, value in true.items():
            letter, number, axis = re.fullmatch(r"([A-Za-z]+)(\d+)_([xyz])", text).groups()  # type: ignore[union-attr]
            assert _close(found[letter][3 * int(number) - 3 + "xyz".index(axis)], value), text


@pytest.mark.turn
@pytest.mark.drawn("robot")
@pytest.mark.parametrize(
    "robot", [random_robot(3, joints="RFRPR", actuators=False), mp.load("puma560"), mp.load("ur5e")]
)
def test_names_in_emitted_c(robot: RobotDescription, tmp_path: Path) -> None:
    """Every name in the text is a label, and the line that fills it gives the true value."""
    request = prepare(
        Request(robot.without("friction") if isinstance(robot, mp.Robot) else robot, "inverse_dynamics", wrench=True)
    )
    model = mp.generate(request.robot, "inverse_dynamics", wrench=True)
    source = next(path for path in model.emit("c", tmp_path) if path.suffix == ".c" and "test" not in path.name)
    text = source.read_text()
    assert set(NAME.findall(text)) <= set(model.function.labels.values())
    symbols, true = states(request, 5)
    known = {**symbols, "SIN": math.sin, "COS": math.cos, "SQRT": math.sqrt, "R": float}
    named = set()
    for line in text.split("_batch(")[0].splitlines():
        found = LINE.match(line)
        if found and found[1] not in symbols and not found[2].startswith("k["):
            known[found[1]] = eval(found[2].replace("/*", "#"), {}, known)  # arithmetic of names, in C as in Python
            if NAME.fullmatch(found[1]):
                named.add(found[1])
                assert _close(known[found[1]], true[found[1]]), line
    assert named


@pytest.mark.parametrize("change", ["link", "axis", "sign", "letter"])
def test_a_planted_wrong_name_is_noticed(change: str) -> None:
    request = prepare(Request(random_robot(8, joints="RRRP", convention="urdf"), "inverse_dynamics"))
    function = label_function(build_function(request, Formulation("newton-euler")), request)
    node, text = next((x, t) for x, t in function.labels.items() if t.startswith("wd") and "3_" in t)
    wrong = {
        "link": (node, text.replace("3_", "2_")),
        "axis": (node, text[:-1] + "yzx"["xyz".index(text[-1])]),
        "sign": (-node, text),
        "letter": (node, text.replace("wd", "w")),
    }[change]
    planted = replace(
        function, labels={**{x: t for x, t in function.labels.items() if x is not node}, wrong[0]: wrong[1]}
    )
    assert misnamed(planted, request) == [wrong[1]]


def test_a_joined_function_drops_what_two_models_call_alike() -> None:
    robot = mp.load("planar2r")
    joined = mp.generate(robot, ["inverse_dynamics", "joint_wrenches"])
    assert joined.function.labels and misnamed(joined.function, prepare(Request(robot, "inverse_dynamics"))) == []
    assert without_doubles({1: "f1_x", 2: "f1_x", 3: "w1_x"}) == {3: "w1_x"}
