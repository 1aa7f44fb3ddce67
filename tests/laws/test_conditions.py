"""Conditions protect digits: a symbolic model given any length is right, or says that it is not meant for it."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

import manipula
from manipula.algebra.expr.condition import Lengths
from manipula.algebra.expr.evaluate import MPMATH, evaluate
from manipula.algebra.expr.function import Function
from manipula.algebra.expr.maths import ExprMaths, free_symbols, topological
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.optimise.passes import run_passes
from manipula.algebra.optimise.search.ways import function_from_text, text_from_function
from manipula.errors import ConditionError
from manipula.generation.build import add_conditions, build_function, flatten_nested, used_parameters
from manipula.generation.prepare import Formulation, Prepared, Request, prepare
from manipula.mechanics.models.dynamics.choices import FRAMES, GAUGE, MASSES, UNIT, Answer, Component, Topic
from manipula.mechanics.robot.bind import bind, free_parameters
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.spatial.floats import FLOATS
from tests.random_robots import random_robot

LIMIT = {"float64": 1e-10, "float32": 1e-3}
ORDINARY = {"float64": 1e-5, "float32": 0.3}  # beside lengths of 0.2 to 1: never refused
LENGTHS = [10.0**-k for k in range(21)] + [0.0, 1e-310, 1e-200, -0.3, -1e-4, -1e-7, -1e-30]
DIGITS = 50
Values = Mapping[str, float]


def plain(request: Prepared, values: Values, given: Mapping[str, list[float]]) -> dict[str, np.ndarray[Any, Any]]:
    """The model's plain text with many digits."""
    with mpmath.workdps(DIGITS):
        exact = {name: mpmath.mpf(x) for name, x in values.items()}
        chain = merge_fixed(bind(request.robot, MPMATH, exact, request.request.symbolic))
        text = next(iter(request.model.methods.values()))
        found = text(chain, {port: [mpmath.mpf(x) for x in row] for port, row in given.items()})
        return {name: np.array([float(x) for x in flatten_nested(value)[1]]) for name, value in found.items()}


class Trial:
    """A function of a symbolic robot, asked with parameters of many sizes."""

    def __init__(self, request: Prepared, function: Function) -> None:
        self.request, self.model = request, manipula.Model(function)
        self.names = list(free_parameters(request.robot, request.request.symbolic))
        self.used = self.model.inputs.get("p", ())
        self.compiled = {dtype: self.model.compile(dtype=dtype) for dtype in LIMIT}
        self.rng = np.random.default_rng(0)

    def error(self, dtype: str, sizes: Values) -> float:
        """The largest error beside the largest result; parameters not given are 0.2 to 1."""
        rounded = np.dtype(dtype).type
        values = {x: float(rounded(sizes.get(x, self.rng.uniform(0.2, 1)))) for x in self.names}
        ports = self.request.inputs
        given = {
            port: [float(rounded(x)) for x in self.rng.uniform(-2, 2, len(names))] for port, names in ports.items()
        }
        p = {"p": [values[x] for x in self.used]} if self.used else {}
        got = self.compiled[dtype](*given.values(), **p)
        want = plain(self.request, values, given)
        outputs = (got,) if len(want) == 1 else got
        scale = max(np.abs(x).max() for x in want.values() if x.size)
        return float(max(np.abs(np.ravel(x) - y).max() for x, y in zip(outputs, want.values(), strict=True)) / scale)

    def verdict(self, dtype: str, sizes: Values) -> bool:
        """Answered, and right; a refusal is no answer."""
        try:
            error = self.error(dtype, sizes)
        except ConditionError:
            return False
        assert error <= LIMIT[dtype], (self.model.name, dtype, sizes, error, self.model.conditions)
        return True

    def every_size(self, names: list[str], lengths: list[float]) -> None:
        for name in names:
            for length in lengths:
                for dtype, ordinary in ORDINARY.items():
                    answered = self.verdict(dtype, {name: length})
                    assert answered or abs(length) < ordinary, (self.model.name, name, length, dtype)


def asked(robot: str | manipula.Robot, model: str, symbolic: str = "auto") -> Trial:
    loaded = manipula.load(robot) if isinstance(robot, str) else robot
    request = prepare(Request(loaded, model, symbolic=symbolic))
    return Trial(request, manipula.generate(loaded, model, symbolic=symbolic).function)


def lengths_in(trial: Trial) -> list[str]:
    return [name for name in trial.used if re.fullmatch(r"[adlD]\d|RL\d|(before|after)\d+_t[xyz]", name)]


CASES = [
    ("planar2r", "inverse_dynamics"), ("planar2r", "forward_dynamics"), ("planar2r", "energy"),
    ("stanford3", "inverse_dynamics"), ("scara", "inertia_matrix"), ("puma560_symbolic", "jacobian"),
]  # fmt: skip


@pytest.mark.drawn("robot", "model")
@pytest.mark.parametrize(("robot", "model"), CASES)
def test_any_length_is_answered_rightly_or_refused(robot: str, model: str) -> None:
    trial = asked(robot, model)
    assert trial.model.conditions
    trial.every_size(lengths_in(trial), LENGTHS)


def test_the_record_of_puma_keeps_its_digits() -> None:
    """It hides a mass in a lever, the most dangerous of all formulations."""
    trial = asked("puma560_symbolic", "inverse_dynamics")
    assert [str(condition) for condition in trial.model.conditions] == ["|a2| > 1e-6·size"]
    trial.every_size(["a2"], LENGTHS)
    trial.every_size(["a3", "d3", "d4"] if "d3" in trial.used else ["a3", "d4"], [1e-3, 1e-6, 1e-9, 1e-20, 0.0, 1e-310])
    with pytest.raises(ConditionError, match=r"\|a2\| > 1e-6·size, found a2 = 1e-09"):
        trial.error("float64", {"a2": 1e-9})
    with pytest.raises(ConditionError, match=r"\|a2\| > 1e-2·size, found a2 = 0.001"):
        trial.error("float32", {"a2": 1e-3})


@pytest.mark.parametrize(
    ("topic", "answer"),
    [(GAUGE, Component(3, 0)), *((UNIT, Component(*entry)) for entry in ((3, 0), (3, 2), (4, 0), (5, 2)))],
    ids=str,
)
def test_every_formulation_that_divides_keeps_its_digits(topic: Topic, answer: Component) -> None:
    request = prepare(Request(manipula.load("puma560_symbolic"), "inverse_dynamics"))
    answers: dict[Topic, Answer] = {FRAMES: "joints", MASSES: "regrouped", topic: answer}
    choice = Formulation("acceleration-field", tuple(answers.items()))
    function = add_conditions(used_parameters(run_passes(build_function(request, choice))), request.structure)
    trial = Trial(request, function)
    assert len(function.conditions) == 1
    assert_guarded(function)
    trial.every_size(list(function.conditions[0].names), [0.5, 1e-2, 1e-5, 2e-6, 1e-9, 0.0, -1e-4])


def arms(count: int) -> list[Any]:
    """Seeds of random arms; most are slow studies."""
    return [seed if seed < 4 else pytest.param(seed, marks=pytest.mark.slow) for seed in range(count)]


@pytest.mark.turn
@pytest.mark.parametrize("seed", arms(30))
def test_random_symbolic_arms_keep_their_digits(seed: int) -> None:
    """Every length symbolic, several of them short at once, the whole arm small now and then."""
    robot = random_robot(seed, joints=2 + seed % 3 if seed < 4 else None, surroundings=seed % 3 == 0)
    for model in ("inverse_dynamics", "inertia_matrix", "jacobian"):
        trial = asked(robot, model, "all")
        assert_guarded(trial.model.function)
        rng, lengths = np.random.default_rng(seed), lengths_in(trial)
        for _ in range(6):
            for dtype, most in (("float64", 9), ("float32", 4)):
                whole = 10.0 ** -rng.integers(0, 12) if rng.random() < 0.2 else 1.0
                powers = rng.integers(0, most, len(lengths)) * rng.integers(0, 2, len(lengths))
                signs = rng.choice([1, -1], len(lengths))
                sizes = rng.uniform(0.2, 1, len(lengths)) * signs * 10.0**-powers * whole
                trial.verdict(dtype, dict(zip(lengths, sizes)))


# every divisor is guarded


def factors(x: Expr) -> set[Expr]:
    if x.op in ("mul", "div", "neg"):
        return set().union(*map(factors, x.args))
    return {x} if free_symbols([x]) else set()


def assert_guarded(function: Function) -> None:
    divisors = [x.args[1] for x in topological(function.roots) if x.op == "div"]
    wanted = set().union(*(factors(x) for x in divisors if not x.online))
    assert wanted == {condition.divisor for condition in function.conditions}


LONG = """
format = 1
name = "long"
convention = "standard"
angle = "rad"
inertia_default = 0
[[joint]]
type = "revolute"
theta = 0
d = 0
a = "x1*x2 + x3*(x1 - x2*(x3 + x1*(x2 - x3*(x1 + x2*(x3 - x1*(x2 + x3))))))"
alpha = 0
mass = "u + v*(u - v*(u + v*(u - v*(u + v*(u - v*w)))))"
[[joint]]
type = "revolute"
theta = 0
d = 0
a = "x1 + x2"
alpha = 0
mass = "w - u"
"""


@pytest.mark.parametrize("model", ["forward_dynamics", "inertia_matrix_inverse"])
def test_a_divisor_too_long_for_a_line_is_guarded_too(model: str) -> None:
    function = manipula.generate(manipula.Robot.from_text(LONG), model).function
    assert function.conditions
    assert_guarded(function)
    assert all(len(str(condition)) < 160 for condition in function.conditions)


def test_parts_of_a_model_keep_the_conditions_they_need() -> None:
    model = manipula.generate("planar2r", "forward_dynamics")
    assert sorted(map(str, model.conditions)) == ["m2 ≠ 0", "|l1| > 1e-6·size", "|l2| > 1e-6·size"]
    assert model.only("qdd").conditions == model.conditions
    offline, online = model.split()
    assert offline.conditions == model.conditions
    with pytest.raises(ConditionError):
        offline.compile()(p={name: 1e-9 if name == "l1" else 1.0 for name in offline.inputs["p"]})
    assert online.compile()


def test_several_models_in_one_function_are_guarded() -> None:
    model = manipula.generate("planar2r", ["inverse_dynamics", "forward_dynamics"])
    assert_guarded(model.function)
    assert "|l1| > 1e-6·size" in map(str, model.conditions)


@pytest.mark.parametrize(("robot", "model"), [("planar2r", "forward_dynamics"), ("cobra600", "inverse_kinematics")])
def test_conditions_and_tolerances_survive_as_text(robot: str, model: str) -> None:
    function = manipula.generate(robot, model).function
    again = function_from_text(text_from_function(function))
    assert again == function
    assert list(map(str, again.conditions)) == list(map(str, function.conditions))
    first, second = (manipula.Model(f).tape for f in (function, again))
    assert (first.checks, first.guard, first.single) == (second.checks, second.guard, second.single)
    assert first.checks or first.single


def _drawn_side(rng: random.Random, letters: dict[str, Expr], maths: ExprMaths, depth: int) -> Expr:
    if depth == 0 or rng.random() < 0.2:
        return letters[rng.choice("abc")] if rng.random() < 0.8 else maths.number(Fraction(rng.randint(2, 9)))
    x, y = (_drawn_side(rng, letters, maths, depth - 1) for _ in range(2))
    ways = (x + y, x - y, x * y, x / (y * y + 1), x / letters["c"], -x, maths.sin(x), maths.sqrt(y * y + 1))
    return maths.graph.expr(rng.choice(ways))


@pytest.mark.parametrize("seed", range(60))
def test_a_condition_in_words_is_read_as_it_is_computed(seed: int) -> None:
    """The divisor read back has its value; its scale has the size of all terms, none with a sign, sines being 1."""
    rng = random.Random(f"sides {seed}")
    graph = Graph()
    side = _drawn_side(rng, {name: graph.symbol(name) for name in "abc"}, ExprMaths(graph), 3)
    if not free_symbols([side]):
        return
    found = Lengths().condition(side).words
    values = {name: rng.choice([-1, 1]) * rng.uniform(0.5, 2) for name in "abc"}
    if "…" not in found.side:
        assert read(found.side, values) == pytest.approx(float(evaluate([side], values, FLOATS)[0]), rel=1e-12)
    if found.scale and "…" not in found.scale:
        assert read(found.scale, values) == pytest.approx(_scale_of(side, values), rel=1e-12)


def read(words: str, values: Mapping[str, float]) -> float:
    plain = re.sub(r"\|([^|]+)\|", r"abs(\1)", words.replace("·", "*"))
    return float(eval(plain, {"sin": math.sin, "cos": math.cos, "sqrt": math.sqrt}, dict(values)))


def _scale_of(x: Expr, values: Mapping[str, float]) -> float:
    args = [_scale_of(arg, values) for arg in x.args]
    match x.op:
        case "symbol":
            return abs(values[str(x.data)])
        case "const":
            return abs(float(x.data))
        case "sin" | "cos":
            return 1.0
        case "neg":
            return args[0]
        case "sqrt":
            return math.sqrt(args[0])
        case "add" | "sub":
            return args[0] + args[1]
    return args[0] * args[1] if x.op == "mul" else args[0] / args[1]


def test_a_length_called_size_is_told_from_the_size_of_the_arm() -> None:
    robot = manipula.Robot.from_dh([(0, 0, "size", 0), (0, 0, "l2", 0)], angle="deg").with_gravity(0, "-g", 0)
    model = manipula.generate(robot, "inverse_dynamics")
    assert list(map(str, model.conditions)) == ["|size| > 1e-6·arm_size"]
    assert "arm_size" in model.tape.names
