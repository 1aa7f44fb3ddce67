"""An angle may be written as a detour: what it comes to is what is proved, and what the written text says."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.expr.maths import topological
from manipula.algebra.simplify import factor_function, prove_trees
from manipula.mechanics.robot.values.angles import Angles
from manipula.mechanics.robot.values.parameter import (
    Deg,
    Num,
    Parameter,
    ParameterOp,
    float_of,
    number,
    parameter_from_text,
    text_of,
)
from tests.world_frame import World

VALUES = {"x": 0.7, "y": -1.3, "z": 0.45}
DETOURS = [
    "x*4/2", "x*y/y", "2*x - x", "x/3*3", "4*(x/2)", "x/2 + x/2", "(x + pi/3)/2", "pi*x/pi", "x*(y + 1)/(y + 1)",
    "x**2/x", "x*z/(y*z)*y", "x - x + pi/2", "sqrt(x)*4/2", "x*sin(3*y/3)", "(x + y)**2/(x + y)", "x**0*y",
]  # fmt: skip


def random_text(rng: random.Random, depth: int) -> str:
    """Sums, differences, products and quotients; nothing is divided by what may be zero."""
    if not depth:
        return rng.choice(["x", "y", "z", "2", "3", "0.5", "pi/2", "pi/3"])
    a, b = (random_text(rng, depth - 1) for _ in range(2))
    over = rng.choice(["2", "3", "x", "y", "(x*z)", "sqrt(x)"])
    forms = [f"({a} + {b})", f"({a} - {b})", f"({a}*{b})", f"({a}/{over})", f"({a}*{over})", f"(-{a})", f"sin({a})"]
    return rng.choice(forms)


def arm(twist: str, offset: str = "0", length: str = "1") -> mp.Robot:
    rows = [(f"q1 + {offset}", 0, length, twist), (f"q2 + {twist}", "z", 1, offset), ("q3", 0, 1, 0)]
    return mp.Robot.from_dh(rows)


def check(robot: mp.Robot) -> None:
    # the links have no mass; what came to a number has its own
    numbers = {name: VALUES.get(name, 0.0) for name, value in robot.parameters.items() if value is None}
    q = [0.3, -0.8, 1.1]
    model = mp.generate(robot, "pose", optimise="none")
    p = [numbers[name] for name in model.inputs.get("p", ())]
    found = model.compile(backend="numpy")(q, p) if p else model.compile(backend="numpy")(q)
    true = World(robot.with_parameters(**numbers)).at(np.array(q)).tool
    np.testing.assert_allclose(found, true, rtol=0, atol=1e-12)


@pytest.mark.parametrize("twist", DETOURS)
def test_detours(twist: str) -> None:
    check(arm(twist, "z/2 + z/2", f"1 + cos({twist})"))


@pytest.mark.parametrize("seed", range(12))
def test_random_detours(seed: int) -> None:
    rng = random.Random(seed)
    check(arm(random_text(rng, 3), random_text(rng, 2), f"2 + sin({random_text(rng, 2)})"))


def test_what_is_collected_is_what_is_written() -> None:
    rng = random.Random(5)
    for _ in range(400):
        written = parameter_from_text(random_text(rng, rng.randint(1, 5)))
        collected = Angles({}).collect(written)
        assert math.isclose(float_of(collected, VALUES), float_of(written, VALUES), rel_tol=1e-9, abs_tol=1e-9), (
            f"{text_of(written)} became {text_of(collected)}"
        )


def test_names_that_stand_for_others() -> None:
    values = {"v": parameter_from_text("x/2"), "w": parameter_from_text("v*y"), "k": parameter_from_text("4")}
    for text, short in (("k*v", "2*x"), ("w/y + v", "x"), ("w/v", "y"), ("x + pi/2 - k*v/2", "pi/2")):
        assert Angles(values).collect(parameter_from_text(text)) == Angles({}).collect(parameter_from_text(short))


def test_towers_of_names_are_not_written_out() -> None:
    values: dict[str, Parameter] = {"v0": parameter_from_text("x + y")}
    for i in range(60):
        values[f"v{i + 1}"] = parameter_from_text(f"v{i}*v{i}/(v{i} + 1)" if i % 2 else f"v{i}*v{i}")
    values["w0"] = parameter_from_text("x")
    for i in range(60):
        values[f"w{i + 1}"] = parameter_from_text(f"w{i}*w{i}")
    for name in ("v60", "w60"):
        assert len(text_of(Angles(values).collect(parameter_from_text(f"2*{name}/2")))) < 2000


def test_a_wrong_collection_is_no_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    def tripled(self: Angles, angle: Parameter) -> Parameter:
        return angle if isinstance(angle, Num | Deg) else ParameterOp("*", (number(3), angle))

    monkeypatch.setattr(Angles, "collect", tripled)
    with pytest.raises(mp.ProofError, match="an angle is not as the robot's description has it"):
        mp.generate(arm("x + y"), "pose", optimise="none")


@pytest.mark.parametrize("twist", ["beta", "zz", "gamma"])
def test_equations_of_a_link_that_is_turned_to_its_mass(twist: str) -> None:
    """The factored form uses s² + c² = 1 of an angle atan2(y, x), which holds where its root is true."""
    rows = "".join(
        f'[[joint]]\ntype = "revolute"\ntheta = 0\nd = 0\na = "l{i}"\nalpha = {alpha}\n'
        for i, alpha in ((1, f'"{twist}"'), (2, 0))
    )
    robot = mp.Robot.from_text(f'format = 1\nname = "b"\nconvention = "standard"\nangle = "rad"\n{rows}')
    model = mp.generate(robot, "coriolis")
    assert any("atan2" in repr(node) for node in topological(model.function.roots))
    for form in ("factored", "expanded"):
        assert twist in str(model.equations(form))
    tree = factor_function(model.function)["c"]
    with pytest.raises(mp.ProofError, match="entry 1 of c as written differs"):
        prove_trees(model.function, {"c": (tree[1], tree[1])})
