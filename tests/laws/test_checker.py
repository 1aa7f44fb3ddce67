"""The checker beside emitted code: it passes what is right, names what is wrong, and reads the text that ships."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import manipula as mp
from bench.mutants import mutant_of
from manipula.errors import ManipulaError
from manipula.generation.checker import MODELS, checker_files
from manipula.generation.prepare import Request
from tests.languages import CXX, WARNINGS
from tests.laws.test_tip import request_for, with_tip
from tests.laws.test_trees import heavy as heavy_tree
from tests.random_robots import random_robot, random_tree, with_laws

needs_cxx = pytest.mark.skipif(CXX is None, reason="no C++ compiler on this machine: checkers in C++ are not run")
# twists that are no quarter turns: 45° and 30° have equal or rational sines, 0.7 rad has neither
ODD_ROWS = [(0, 0.3, 0, 45), (30, 0, 0.2, -60), ("0.7 rad", 0.1, 0, 0), (15, 0.2, 0.1, 37.5)]
ODD = mp.Robot.from_dh(ODD_ROWS, angle="deg", name="odd")
SLIDE_ROWS = [("q1", 0, "l", "alpha"), (0, "q2", 0.1, "pi/3", "P"), (0, 0, "l/2", "2*alpha", "R")]
SLIDE = mp.Robot.from_dh(SLIDE_ROWS, name="slide")

THIRTY = mp.Robot.from_dh([(0, 0, "l1", 90), (0, 0, "l2", 30)], angle="deg", name="thirty")


def run(files: Mapping[str, str], folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Build and run the checker among emitted files."""
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    (check,) = (name for name in files if "_check." in name)
    command = [sys.executable, "-W", "error", check]
    if check.endswith(".cpp"):
        built = [str(CXX), *WARNINGS, "-O0", check, "-o", "check"]
        done = subprocess.run(built, check=False, capture_output=True, text=True, cwd=folder)
        assert done.returncode == 0, done.stderr
        command = [str(folder / "check")]
    away = {"PATH": os.environ.get("PATH", "")}  # no way to this package: the checker stands alone
    return subprocess.run([*command, *arguments], check=False, capture_output=True, text=True, cwd=folder, env=away)


def emitted(model: mp.Model, language: str, folder: Path) -> dict[str, str]:
    paths = model.emit(language, folder, proof=True)
    return {path.name: path.read_text(encoding="utf-8") for path in paths if path.suffix != ".md"}


def source_of(files: Mapping[str, str]) -> str:
    return next(name for name in files if "_check" not in name and "_test" not in name)


def passes(files: Mapping[str, str], folder: Path) -> str:
    done = run(files, folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "identical to the plain recursion" in done.stdout
    return done.stdout


def fails(files: Mapping[str, str], folder: Path) -> str:
    done = run(files, folder)
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


@cache
def generated(case: str) -> mp.Model:
    """`robot model [all] [wrench]`; a number is the seed of a random arm with fixed joints among its rows."""
    robot, model, *options = case.split()
    if robot.isdecimal():
        subject = mp.Robot.of(random_robot(int(robot), joints="RFRPF" if int(robot) % 2 else "FPRRF"))
    else:
        subject = {"odd": ODD, "slide": SLIDE, "thirty": THIRTY}.get(robot) or mp.load(robot)
    return mp.generate(subject, model, symbolic="all" if "all" in options else "auto", wrench="wrench" in options)


CASES = [
    "planar2r forward_dynamics", "stanford3 inverse_dynamics", "scara inverse_dynamics",
    "puma560 forward_dynamics wrench", "odd pose", "odd inverse_dynamics", "slide jacobian", "slide forward_dynamics",
    "slide pose",
    "1 inverse_dynamics wrench", "2 forward_dynamics", "3 pose all", "4 jacobian", "5 inverse_dynamics all",
]  # fmt: skip


@pytest.mark.turn
@pytest.mark.drawn("case", few=5)
@pytest.mark.parametrize("case", CASES)
def test_emitted_python_passes(case: str, tmp_path: Path) -> None:
    passes(emitted(generated(case), "python", tmp_path), tmp_path)


@pytest.mark.turn
@pytest.mark.drawn("case")
@needs_cxx
@pytest.mark.parametrize("case", ["odd forward_dynamics", "1 inverse_dynamics wrench", "thirty forward_dynamics"])
def test_emitted_cpp_passes(case: str, tmp_path: Path) -> None:
    passes(emitted(generated(case), "cpp", tmp_path), tmp_path)


TREES = [
    "0 inverse_dynamics", "3 inverse_dynamics wrench", "5 jacobian", "6 pose all", "7 forward_dynamics", "8 jacobian",
]  # fmt: skip


@cache
def branching(case: str) -> mp.Model:
    """`seed model [all] [wrench]` of a robot that branches, its tool on any row."""
    seed, model, *options = case.split()
    robot = mp.Robot.of(heavy_tree(random_tree(int(seed), joints=4)))
    return mp.generate(robot, model, symbolic="all" if "all" in options else "auto", wrench="wrench" in options)


@pytest.mark.turn
@pytest.mark.drawn("case")
@pytest.mark.parametrize("case", TREES)
def test_robots_that_branch(case: str, tmp_path: Path) -> None:
    """Passed as emitted; with a slip in the text, or standing on another row, named."""
    files = emitted(branching(case), "python", tmp_path)
    passes(files, tmp_path)
    name, check = source_of(files), next(name for name in files if "_check" in name)
    slip = mutant_of(files[name], "python", random.Random(case))
    fails({**files, name: slip.text}, tmp_path)
    if "stands_on(1)" in files[check]:
        fails({**files, check: files[check].replace("stands_on(1)", "stands_on(0)", 1)}, tmp_path)


@pytest.mark.turn
@needs_cxx
@pytest.mark.parametrize("case", [TREES[1], *(pytest.param(case, marks=pytest.mark.slow) for case in TREES[2:])])
def test_robots_that_branch_in_cpp(case: str, tmp_path: Path) -> None:
    passes(emitted(branching(case), "cpp", tmp_path), tmp_path)


@cache
def rubbed(seed: int) -> mp.Model:
    """An arm with every friction law there is."""
    robot = random_robot(seed, joints="RP" if seed % 2 else "R", surroundings=False)
    return mp.generate(mp.Robot.of(with_laws(robot, seed, ["asymmetric", "load", "stribeck"])), "inverse_dynamics")


@pytest.mark.turn
@pytest.mark.parametrize("seed", range(3))
def test_every_friction_law(seed: int, tmp_path: Path) -> None:
    """Passed as emitted; of a robot whose laws have other numbers, or another law, named."""
    files = emitted(rubbed(seed), "python", tmp_path)
    passes(files, tmp_path)
    check = next(name for name in files if "_check" in name)
    laws = re.findall(r'    friction\("\w+", .*\n', files[check])
    assert laws
    for law in laws:
        fails({**files, check: files[check].replace(law, "", 1)}, tmp_path)


@pytest.mark.turn
@needs_cxx
def test_every_friction_law_in_cpp(tmp_path: Path) -> None:
    passes(emitted(rubbed(1), "cpp", tmp_path), tmp_path)


def planted(case: str, language: str, seed: int, folder: Path) -> tuple[dict[str, str], Any]:
    """Emitted files with one slip in the source."""
    files = emitted(generated(case), language, folder)
    slip = mutant_of(files[source_of(files)], language, random.Random(seed))
    return {**files, source_of(files): slip.text}, slip


@pytest.mark.turn
@pytest.mark.parametrize("seed", range(6))
def test_a_slip_in_emitted_python_is_named(seed: int, tmp_path: Path) -> None:
    files, slip = planted(CASES[seed], "python", seed, tmp_path)
    assert "differs from the plain recursion" in fails(files, tmp_path), slip.line


@pytest.mark.turn
@needs_cxx
def test_a_slip_in_emitted_cpp_is_named(tmp_path: Path) -> None:
    files, slip = planted("stanford3 inverse_dynamics", "cpp", 0, tmp_path)
    assert "differs from the plain recursion" in fails(files, tmp_path), slip.line


def test_a_strange_number_is_named(tmp_path: Path) -> None:
    files = emitted(generated("stanford3 inverse_dynamics"), "python", tmp_path)
    source = files[source_of(files)]
    wrong = source.replace("*c1", "*2.5*c1").replace("*c2", "*2.5*c2")
    assert wrong != source
    assert "number 2.5 is not one of the robot's" in fails({**files, source_of(files): wrong}, tmp_path)


def test_the_text_is_the_one_that_ships(tmp_path: Path) -> None:
    model = mp.generate("planar2r", "inverse_dynamics")
    for language in ("cpp", "python"):
        alone = {path.name: path.read_text() for path in model.emit(language, tmp_path / "alone")}
        beside = {path.name: path.read_text() for path in model.emit(language, tmp_path / "beside", proof=True)}
        (check,) = beside.keys() - alone.keys()
        (readme,) = (name for name in alone if beside[name] != alone[name])
        assert readme.startswith("README")
        assert beside[readme].startswith(alone[readme])
        assert check in beside[readme].removeprefix(alone[readme])


def test_the_checker_needs_nothing_of_ours(tmp_path: Path) -> None:
    for language in ("cpp", "python"):
        files = emitted(generated("planar2r pose"), language, tmp_path)
        text = next(text for name, text in files.items() if "_check" in name)
        imported = [line for line in text.splitlines() if line.startswith(("#include", "import ", "from "))]
        assert not any("manipula" in line for line in imported)


def test_a_wrong_rounding_is_found(tmp_path: Path) -> None:
    """Emitted text and the checker's list agree on a number that is one unit off in its last place."""
    files = emitted(generated("odd pose"), "python", tmp_path)
    right = "0.7071067811865476"
    assert all(right in text for text in files.values())
    wrong = {name: text.replace(right, "0.7071067811865475") for name, text in files.items()}
    assert "is not the rounded number it should be" in fails(wrong, tmp_path)


def test_two_numbers_in_one_rounding_decide_nothing(tmp_path: Path) -> None:
    files = emitted(generated("odd pose"), "python", tmp_path)
    name = next(name for name in files if "_check" in name)
    twin = '    stands_for(0.3, num("0.3"))\n    stands_for(0.3, num("0.30000000000000000001"))\n'
    twin = files[name].replace("def numbers():\n", f"def numbers():\n{twin}")
    done = run({**files, name: twin}, tmp_path)
    assert done.returncode == 2
    assert "both rounded to 0.3" in done.stdout


@pytest.mark.turn
@pytest.mark.drawn("tip", "roots")
@pytest.mark.parametrize(("tip", "roots"), [("first", 1), ("second", 2), ("third", 1)])
def test_roots_of_parameters_are_true_where_they_must_be(tip: str, roots: int, tmp_path: Path) -> None:
    request = request_for("stanford")
    files = emitted(mp.Model(with_tip(request, tip), request.request), "python", tmp_path)
    assert f"{roots} roots" in passes(files, tmp_path)
    source = files[source_of(files)]
    turned = re.sub(r"np.arctan2\((-?)", lambda x: x[0][:-1] if x[1] else f"{x[0]}-", source)
    assert turned != source
    fails({**files, source_of(files): turned}, tmp_path)


BODY = "mass=2.5\ncom=[0.01, -0.2, 0.33]\ninertia={xx=0.1, yy=0.2, zz=0.25, xy=0.01, xz=-0.02, yz=0.003}\n"


def heavy(rows: list[tuple[str, str]]) -> mp.Robot:
    """An arm of revolute joints (a, alpha), every link with a body of numbers."""
    head = 'format=1\nname="r"\nconvention="standard"\nangle="rad"\n'
    row = '[[joint]]\ntype="revolute"\nd=0\na="{}"\nalpha="{}"\n'
    return mp.Robot.from_text(head + "".join(row.format(a, alpha) + BODY for a, alpha in rows))


@pytest.mark.turn
@pytest.mark.drawn("twists")
@pytest.mark.parametrize("twists", [(18, 36, 54), (20, 40, 60), (7, 14, 21), (9, 27, 18)])
def test_twists_of_whole_degrees_are_multiples_of_one(twists: tuple[int, ...], tmp_path: Path) -> None:
    """Products of the sines of 18° and 36° are sums of sines again, and round to doubles of the text."""
    robot = heavy([("0.2", f"pi*{twist}/180") for twist in twists]).with_base(rpy=("pi/15", 0, "pi/4"))
    passes(emitted(mp.generate(robot, "forward_dynamics"), "python", tmp_path), tmp_path)


@pytest.mark.turn
def test_a_comparison_may_only_refuse(tmp_path: Path) -> None:
    """Right where q1 < 1, wrong elsewhere; and a condition that no longer stops."""
    files = emitted(generated("planar2r inverse_dynamics"), "python", tmp_path)
    name, source = source_of(files), files[source_of(files)]
    passes(files, tmp_path)
    branch = re.sub(r"(    tau\[\.\.\., 0\] = )(.*)", r"\1 0.0 if q[..., 0] > 1.0 else \2", source)
    silent = re.sub(r"raise ValueError\(\".* holds only .*\)", "l1 = p[..., 1]", source, count=1)
    for wrong in (branch, silent):
        assert wrong != source
        assert "a comparison decides" in fails({**files, name: wrong}, tmp_path)


@pytest.mark.turn
def test_a_text_without_its_end_fails_in_a_sentence(tmp_path: Path) -> None:
    files = emitted(generated("planar2r pose"), "python", tmp_path)
    source = files[source_of(files)]
    stores = re.findall(r"    T\[\.\.\., \d+\] = .*\n", source)
    for lost in (stores[0], stores[-1], *re.findall(r"    return T.*\n", source)[-1:]):
        assert "does not run to its end" in fails({**files, source_of(files): source.replace(lost, "")}, tmp_path)


@pytest.mark.turn
def test_a_root_with_cos_of_30_degrees_below_it_is_true(tmp_path: Path) -> None:
    files = emitted(generated("thirty forward_dynamics"), "python", tmp_path)
    assert "1 roots" in passes(files, tmp_path)
    wrong = re.sub(r"np.arctan2\((?=\w)", "np.arctan2(-", files[source_of(files)])
    assert wrong != files[source_of(files)]
    fails({**files, source_of(files): wrong}, tmp_path)


def test_a_number_may_be_the_argument_of_a_function(tmp_path: Path) -> None:
    """`arctan2(-0.889, x)`: the text's number has met no other before the function takes it."""
    robot = heavy([("l1*cos(0.3)", "0"), ("l2*sin(pi/5)", "pi/5")])
    files = emitted(mp.generate(robot, "inverse_dynamics"), "python", tmp_path)
    assert re.search(r"arctan2\(-?\d", files[source_of(files)])
    passes(files, tmp_path)


def test_a_robot_of_another_table_is_another(tmp_path: Path) -> None:
    """The checker reads the description: code for one arm does not pass with the table of another."""
    files = emitted(generated("odd inverse_dynamics"), "python", tmp_path)
    other = ODD.with_gravity(0, 0, "-9.82")
    function = generated("odd inverse_dynamics").function
    wrong = checker_files(Request(other, "inverse_dynamics"), function, "python", "1")
    assert "tau" in fails({**files, **wrong}, tmp_path)


def test_the_seed_may_be_given(tmp_path: Path) -> None:
    files = emitted(generated("planar2r pose"), "python", tmp_path)
    assert run(files, tmp_path, "7").stdout == run(files, tmp_path, "7").stdout


def test_what_has_no_checker_says_so(tmp_path: Path) -> None:
    for model in ("gravity", "inertia_matrix", "regressor"):
        with pytest.raises(ManipulaError, match=f"no proof checker for {model}"):
            mp.generate("planar2r", model).emit("cpp", tmp_path, proof=True)
    with pytest.raises(ManipulaError, match="no proof checker in 'c'"):
        mp.generate("planar2r", "pose").emit("c", tmp_path, proof=True)
    with pytest.raises(ManipulaError, match="no proof checker"):
        mp.generate("planar2r", ["pose", "jacobian"]).emit("cpp", tmp_path, proof=True)
    with pytest.raises(ManipulaError, match="no proof checker"):
        mp.generate("planar2r", "inverse_dynamics").only("tau[1]").emit("cpp", tmp_path, proof=True)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("name", mp.robots())
def test_every_library_robot(name: str, tmp_path: Path) -> None:
    for model in MODELS:
        for language in ("python", "cpp") if CXX else ("python",):
            passes(emitted(mp.generate(name, model), language, tmp_path / language), tmp_path / language)
