"""Structured Text: what our interpreter of the standard refuses, and emitted models and laws against emitted C."""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.emit.backend import EmitOptions, emit, fold_choices
from manipula.algebra.emit.fortran import FortranNamer
from manipula.algebra.emit.ports import FoldedNamer, memory_of, split
from manipula.algebra.emit.reference import with_square_poses
from manipula.algebra.emit.st import LANGUAGE, LONGEST_NAME, RESERVED, ROOM, SINGLE, PlcNamer, broken_lines
from manipula.algebra.tape import Tape, tape_from_function
from manipula.errors import InputError
from manipula.generation.compose import generate_block
from manipula.generation.prepare import Request, prepare
from manipula.mechanics.models.control.laws import LAWS
from tests.emitted import c_function, needs_cc
from tests.golden import planar
from tests.structured_text import Project, RefusedText, project_from
from tests.units.test_emit import awkward_tape

pytestmark = pytest.mark.usefixtures("kept_functions", "without_search")

# the interpreter


def function(body: str, declared: str = "x : LREAL;") -> str:
    own = "a : ARRAY[1..3] OF LREAL; i : DINT; r : REAL;"
    return f"FUNCTION f : LREAL VAR_INPUT {declared} END_VAR VAR {own} END_VAR {body} END_FUNCTION"


@pytest.mark.parametrize(
    "body, value",
    [
        ("F := X*2.0 - 1.0;", 5.0),  # capitals do not count
        ("f := 10.0 - x - 2.0;", 5.0),  # from left to right
        ("f := -x*2.0;", -6.0),
        ("f := SEL(x > 2.0 AND NOT (x > 4.0), 1.0, 7.0);", 7.0),
        ("FOR i := 1 TO 3 DO a[i] := x; END_FOR; f := a[1] + a[2] + a[3];", 9.0),
        ("IF x < 1.0 THEN f := 1.0; ELSIF x = 3.0 THEN f := 2.0; ELSE f := 3.0; END_IF;", 2.0),
        ("f := LINT_TO_LREAL(LREAL_TO_LINT(x + 0.5)); (* halves to the even *)", 4.0),
        ("r := 0.1; f := REAL_TO_LREAL(r);", float(np.float32(0.1))),
        ("a[2] := 1.5E-3; f := a[2];", 1.5e-3),
    ],
)
def test_a_text_means_what_the_standard_says(body: str, value: float) -> None:
    assert Project(function(body)).call("F", x=3.0)["result"] == value


@pytest.mark.parametrize(
    "body, words",
    [
        ("f := y;", "Y is not declared"),
        ("f := a[4];", r"A\[4\], with bounds 1..3"),
        ("f := a[1, 2];", "has 1 indices"),
        ("f := r;", "REAL"),
        ("f := x + r;", "LREAL"),
        ("f := 1;", "any int"),
        ("f := x*-x;", "brackets"),
        ("f := 1.;", "expected"),
        ("f := 1e-3;", "is not a number"),
        ("f := f(x);", "calls itself"),
        ("f := SIN(x, x);", "SIN of 2"),
        ("f := ATAN2(x, x);", "ATAN2 is not a function"),
        ("x := 1.0;", "only read"),
        ("f := x > 1.0;", "BOOL"),
        ("IF x THEN f := 1.0; END_IF;", "BOOL"),
        ("f := x (* a (* b *) *);", "inside another"),
        ("f := x", "expected ;"),
    ],
)
def test_what_is_no_structured_text_is_refused(body: str, words: str) -> None:
    with pytest.raises(RefusedText, match=words):
        Project(function(body)).call("f", x=3.0)


@pytest.mark.parametrize(
    "declared", ["x : LREAL; X : LREAL;", "sin : LREAL;", "x__1 : LREAL;", "x_ : LREAL;", "of : LREAL;"]
)
def test_names_that_clash_are_refused(declared: str) -> None:
    with pytest.raises(RefusedText):
        Project(function("f := 1.0;", declared))


def test_a_block_remembers_and_two_do_not_share() -> None:
    declared = "VAR_INPUT step_size : DINT; END_VAR VAR_OUTPUT n : DINT; END_VAR"
    project = Project(f"FUNCTION_BLOCK counter {declared} n := n + step_size; END_FUNCTION_BLOCK")
    one, other = project.instance("counter"), project.instance("Counter")
    assert [one.step(step_size=2)["n"], one.step()["n"], other.step(step_size=5)["n"]] == [2, 4, 5]


# what is emitted


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("make", [planar.torque, planar.tip, planar.servo, awkward_tape])
def test_the_self_test_passes_in_either_precision(dtype: str, make: Any) -> None:
    files = emit(make(), "st", "1", options=EmitOptions(dtype=dtype))
    text = "".join(text for name, text in files.items() if name.endswith(".st"))
    assert bool(re.search(r"\bLREAL\b", text)) == (dtype == "float64")
    name = next(name for name in files if name.endswith("_test.st")).removesuffix(".st")
    program = project_from(files).instance(name)
    program.step()
    assert program["passed"]
    assert (program["worst"] > 1e-9) == (dtype == "float32" and make is not awkward_tape) or program["worst"] == 0


def test_either_precision_fits_into_one_project() -> None:
    double = emit(planar.torque(), "st", "1")
    single = emit(planar.tip(), "st", "1", options=EmitOptions(dtype="float32"))
    assert not double.keys() & single.keys()
    project_from(double | single)


def test_lines_are_short_and_names_differ_in_more_than_capitals() -> None:
    files = emit(_law("computed_torque", "puma560"), "st", "1")
    assert max(len(line) for name, text in files.items() if name.endswith(".st") for line in text.splitlines()) <= 120
    namer = PlcNamer(["if"])
    assert namer.names(["Q", "q", "IF", "a__b", "c_"]) == ["Q", "q_2", "IF_2", "a_b", "c"]
    assert broken_lines("x", 2) == "  x"


@pytest.mark.parametrize("namer", [PlcNamer, FortranNamer])
def test_long_names_keep_the_limit_and_differ(namer: type[FoldedNamer]) -> None:
    """Of names that differ at their ends alone, or in capitals, however many and however long."""
    dice = random.Random(4)
    for room in (0, ROOM):
        given, longest = namer(["if"], room), namer.longest - room
        stems = ["_".join(dice.choices(["axis", "L", "a__b", "é", "x" * 20], k=8)) * 2 for _ in range(3)]
        wishes = [
            stem[: dice.randint(longest - 9, 90)] + dice.choice(["", "_", "A", "a", "__7"]) for stem in stems * 40
        ]
        names = given.names(wishes)
        assert all(re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) and len(name) <= longest for name in names)
        assert len({name.lower() for name in names}) == len(wishes)
        if namer is PlcNamer:  # no identifier of the standard has two underscores side by side, or one at its end
            assert not [name for name in names if "__" in name or name.endswith("_")]


def test_a_model_with_long_names_is_a_project() -> None:
    long = [f"the_length_of_the_link_that_follows_the_joint_of_the_shoulder_in_metres{i}" for i in (1, 2)]
    robot = mp.Robot.from_dh(
        [(0, 0, name, 0) for name in long], name="an_arm_of_which_nobody_wants_to_say_the_name" * 2
    )
    files = emit(mp.generate(robot, "pose").tape, "st", "1")
    text = "\n".join(text for name, text in files.items() if name.endswith(".st"))
    words = set(re.findall(r"[A-Za-z_]\w*", re.sub(r"\(\*.*?\*\)|//.*", "", text, flags=re.S)))
    assert max(map(len, words)) <= LONGEST_NAME and not [word for word in words if "__" in word]
    project_from(files)


@pytest.mark.parametrize("value, double, single", [
    (1e-6, "1.0E-6", "1.0E-6"), (0.1, "0.1", "0.1"), (-2.5e22, "-2.5E22", "-2.5E22"), (1e-300, "1.0E-300", "0.0"),
    (1 / 3, "0.3333333333333333", "0.33333334"), (float("inf"), "EXP(1000.0)", "EXP(1000.0)"), (-0.0, "-0.0", "-0.0"),
])  # fmt: skip
def test_numbers_are_literals_of_the_standard(value: float, double: str, single: str) -> None:
    assert LANGUAGE.number(value).text == double
    assert SINGLE.number(value).text == single


@pytest.mark.parametrize("op, by", [("atan2", np.arctan2), ("tanh", np.tanh), ("floor", np.floor), ("pow", np.power)])
def test_what_the_standard_lacks_is_exact(op: str, by: Any) -> None:
    project = project_from(emit(planar.tip(), "st", "1"))
    names = [x.name.lower() for x in project.units[f"MANIPULA_{op.upper()}"].section("VAR_INPUT")]
    draws = np.random.default_rng(3)
    values = [*draws.uniform(-5, 5, (300, 2)), *10 ** draws.uniform(-9, 9, (100, 2)), (1.0, -1.0), (-3.0, 0.0),
              (0.0, -2.0), (0.0, 0.0), (np.inf, 1.0), (1.0, -np.inf), (np.inf, np.inf), (-7.0, 1e15), (5e15, 2.0),
              (-0.5, -0.5), (2.0, 0.0), (1e-3, 3.0)]  # fmt: skip
    for pair in values:
        given = np.abs(pair) if op == "pow" else np.array(pair)
        given = given[: len(names)]
        with np.errstate(all="ignore"):
            wanted = by(*given)
        got = project.call(f"manipula_{op}", **dict(zip(names, given.tolist(), strict=True)))["result"]
        np.testing.assert_allclose(got, wanted, rtol=2e-14, atol=0, err_msg=f"{op} {given}")


# models and laws of the library against C

MODELS = ("pose", "jacobian", "inverse_dynamics", "inverse_kinematics")
ROBOTS = ("puma560", "ur5e", "scara", "stanford", "irb140", "kr5", "ur10", "cobra600", "rx90", "lrmate200id")
LAW_NAMES = ("pid", "computed_torque", "slotine_li")


@cache
def _model(robot: str, model: str) -> Tape:
    return mp.generate(mp.load(robot), model, optimise="none").tape


@cache
def _law(law: str, robot: str) -> Tape:
    return tape_from_function(generate_block(LAWS[law].sampled, prepare(Request(mp.load(robot), "pose"))))


def _inputs(tape: Tape, seed: int) -> dict[str, list[float]]:
    dice = np.random.default_rng(seed)
    inputs = {x.name: dice.uniform(*((-1.5, 1.5) if x.online else (0.1, 1.0)), len(x.slots)) for x in tape.inputs}
    if "T" in inputs:
        robot = mp.load(tape.name.split("_inverse")[0])
        lengths = {name: inputs[x.name][i] for x in tape.inputs if not x.online for i, name in enumerate(x.names)}
        arm = mp.Arm(robot.with_parameters(**lengths))
        inputs["T"] = np.ravel(arm.pose(dice.uniform(-1.2, 1.2, _dof(tape))))
    return {name: values.tolist() for name, values in inputs.items()}


def _dof(tape: Tape) -> int:
    return next(x.shape[-1] for x in tape.outputs if x.name == "q")


def _agree(tape: Tape, folder: Path, seeds: int) -> None:
    """Function by function, and step by step where it remembers, with states that go on."""
    tape = with_square_poses(fold_choices(tape))
    arguments = split(tape, PlcNamer(RESERVED))
    project, run = project_from(emit(tape, "st", "1")), c_function(tape, emit(tape, "c", "1"), folder)
    memory, name = memory_of(arguments), tape.name
    called = {x.port.name: x.name for x in (*arguments.variables, *arguments.parameters)}
    shapes = {x.port.name: x.port.shape for x in (*arguments.variables, *arguments.parameters)}
    for seed in range(seeds):
        given = _inputs(tape, seed)
        arrays = {key: np.reshape(value, shapes[key]) for key, value in given.items() if key in shapes}
        k = {}
        if arguments.kept:
            prepared = project.call(f"{name}_prepare", **{x.name: arrays[x.port.name] for x in arguments.parameters})
            assert prepared["result"] == 0
            k = {"k": prepared["k"]}
        got = project.call(name, **{x.name: arrays[x.port.name] for x in arguments.variables}, **k)
        wanted = run(given)
        for x in arguments.outputs:
            _near(got[x.name.lower()], wanted[x.port.name])
    if memory:
        block = project.instance(f"{name}_fb")
        states = {x.port.name: y.port.name for x, y in memory.states}
        for step in range(20):
            given |= {x.port.name: _inputs(tape, 100 + step)[x.port.name] for x in memory.variables}
            # behind the first step the starting states are no longer read
            out = block.step(
                reset=False, **{called[x]: np.reshape(y, shapes[x]) for x, y in given.items() if x in shapes}
            )
            wanted = run(given)
            assert out["status"] == 0
            for x in memory.outputs:
                _near(out[x.name.lower()], wanted[x.port.name])
            given |= {now: wanted[following] for now, following in states.items()}


def _near(got: Any, wanted: Any) -> None:
    got, wanted = np.ravel(got), np.ravel(wanted)
    scale = max(1.0, float(np.nanmax(np.abs(wanted)))) if wanted.size else 1.0
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-12 * scale)


@needs_cc
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("robot", ROBOTS[:2])
def test_a_model_is_that_of_c(robot: str, model: str, tmp_path: Path) -> None:
    _agree(_model(robot, model), tmp_path, 5)


@needs_cc
@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("robot", ROBOTS[2:])
def test_a_model_of_further_robots_is_that_of_c(robot: str, model: str, tmp_path: Path) -> None:
    try:
        tape = _model(robot, model)
    except mp.ManipulaError as error:
        pytest.skip(str(error))
    _agree(tape, tmp_path, 5)


@needs_cc
@pytest.mark.parametrize("law", LAW_NAMES)
@pytest.mark.parametrize(
    "robot", ["planar2r", "puma560", *(pytest.param(x, marks=pytest.mark.slow) for x in ROBOTS[1:])]
)
def test_a_law_is_that_of_c_step_by_step(robot: str, law: str, tmp_path: Path) -> None:
    _agree(_law(law, robot), tmp_path, 3)


def test_a_condition_that_is_broken_is_a_status() -> None:
    project = project_from(emit(planar.servo(), "st", "1"))
    block = project.instance("planar_servo_fb")
    out = block.step(q=[1.0, 2.0], gains=[3.0, 0.25], p=[0.0])
    assert out["status"] == 1
    assert out["tau"].tolist() == [0.0, 0.0]
    assert block.step(reset=True, p=[0.5])["status"] == 0
    assert block["tau"].tolist() != [0.0, 0.0]


def test_other_options_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="single_file= is no option of st; it has dtype and prefix"):
        mp.generate("planar2r", "gravity").emit("st", tmp_path, single_file=True)
