"""What a person may choose of emitted C: number type, batch, one file, prefix, sincos; and what its header says."""

from __future__ import annotations

import ctypes
import random
import re
import shutil
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.emit.backend import EmitOptions, emit, fold_choices
from manipula.algebra.emit.c.spelling import FLOAT
from manipula.errors import InputError, ManipulaError
from tests.emitted import CC, needs_cc
from tests.random_robots import random_robot

pytestmark = pytest.mark.usefixtures("kept_functions")

STRICT = ("-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion", "-Wdouble-promotion", "-Wshadow")
CXX = shutil.which("c++") or shutil.which("g++")
MODELS = ("pose", "gravity", "jacobian", "inverse_dynamics")
WITHIN = {"float32": 2e-4, "float64": 1e-12, "": 1e-12}


def compiled(folder: Path, *words: str | Path, compiler: str | None = CC, standard: str = "-std=c99") -> None:
    assert compiler is not None
    done = subprocess.run(
        [compiler, standard, "-O1", "-ffp-contract=off", *map(str, words)], cwd=folder, check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert not done.stderr, done.stderr


@cache
def arm(seed: int, joints: int) -> Any:
    return random_robot(seed, joints=joints)


def called(folder: Path, header: str, name: str, real: Any, arrays: list[Any]) -> None:
    """Call a function of a header, wherever it stands: a small file hands out its address."""
    text = f'#include "{header}"\nvoid *address(void);\nvoid *address(void) {{ return (void *){name}; }}\n'
    (folder / "address.c").write_text(text)
    others = [path.name for path in folder.glob(f"{name}.c")]
    compiled(folder, "-shared", "-fPIC", "address.c", *others, "-o", "it.so", "-lm")
    library = ctypes.CDLL(str(folder / "it.so"))
    library.address.restype = ctypes.c_void_p
    kinds = [ctypes.c_void_p] * len(arrays)
    ctypes.CFUNCTYPE(None, *kinds)(library.address())(*(x.ctypes.data for x in arrays))


@needs_cc
@pytest.mark.parametrize("seed", [0, 1, 2, *(pytest.param(s, marks=pytest.mark.slow) for s in range(3, 40))])
def test_any_arm_with_any_options_compiles_and_agrees(seed: int, tmp_path: Path) -> None:
    dice = random.Random(seed)
    dtype, name = dice.choice(("", "float32", "float64")), dice.choice(MODELS)
    chosen = {"batch": dice.random() < 0.5, "single_file": dice.random() < 0.5, "sincos": dice.random() < 0.5}
    prefix = dice.choice(("", "left", "Arm_2_"))
    model = mp.generate(arm(seed, dice.randint(2, 7)), name, optimise="none")
    model.emit("c", tmp_path, dtype=dtype, prefix=prefix, **chosen)  # type: ignore[arg-type]
    header = next(tmp_path.glob("*.h"))
    sources = [path.name for path in tmp_path.glob("*.c")]
    compiled(tmp_path, *STRICT, *sources, "-o", "self_test", "-lm")
    assert subprocess.run([tmp_path / "self_test"], check=False, capture_output=True).returncode == 0
    text = header.read_text()
    assert ("_batch(" in text) == chosen["batch"]
    assert ("manipula_real" in text) == (not dtype and not chosen["single_file"])
    if CXX:
        (tmp_path / "twice.cpp").write_text(f'#include "{header.name}"\n#include "{header.name}"\nint main() {{}}\n')
        compiled(tmp_path, *STRICT, "twice.cpp", "-o", "twice", compiler=CXX, standard="-std=c++17")
    real = np.float32 if dtype == "float32" else np.float64
    rng = np.random.default_rng(seed)
    given = [rng.uniform(-1, 1, len(names)) for names in model.inputs.values()]
    (shape,) = model.outputs.values()
    out = np.zeros(shape, dtype=real)
    if prefix:
        assert header.stem.startswith(prefix.rstrip("_") + "_")
    called(tmp_path, header.name, header.stem, real, [*(x.astype(real) for x in given), out])
    true = model.compile()(*given)
    np.testing.assert_allclose(out, true, atol=WITHIN[dtype] * (1 + np.abs(true).max()))


@needs_cc
def test_one_file_holds_several_models_and_takes_no_more_than_is_called(tmp_path: Path) -> None:
    one, two = (mp.generate("scara", name) for name in ("gravity", "pose"))
    files = one.emit("c", tmp_path, single_file=True, beside=[two], prefix="arm", dtype="float32")
    assert [path.name for path in files] == ["arm.h", "arm_gravity_test.c", "arm_pose_test.c"]
    for test in files[1:]:
        compiled(tmp_path, *STRICT, test.name, "-o", "self_test", "-lm")
        assert subprocess.run([tmp_path / "self_test"], check=False, capture_output=True).returncode == 0
    (tmp_path / "user.c").write_text('#include "arm.h"\nfloat f(const float q[4]);\nfloat f(const float q[4])\n{\n'
                                     "    float T[4][4];\n    const float k[5] = {0};\n"
                                     "    arm_pose(q, k, T);\n    return T[0][3];\n}\n".replace(
                                         "k[5]", f"k[{kept(files[0].read_text(), 'arm_pose')}]"))  # fmt: skip
    compiled(tmp_path, *STRICT, "-c", "user.c")
    symbols = subprocess.run(["nm", "user.o"], cwd=tmp_path, check=False, capture_output=True, text=True).stdout
    assert "gravity" not in symbols
    assert "batch" not in symbols


def kept(header: str, name: str) -> int:
    found = re.search(rf"{name}_nk = (\d+)", header)
    assert found is not None
    return int(found[1])


@needs_cc
def test_a_pose_goes_from_one_function_to_the_other(tmp_path: Path) -> None:
    for model in ("pose", "inverse_kinematics"):
        mp.generate("puma560", model).emit("c", tmp_path, batch=False)
    (tmp_path / "user.c").write_text(
        '#include "puma560_pose.h"\n#include "puma560_inverse_kinematics.h"\n'
        "int main(void)\n{\n    const double q[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};\n"
        "    double T[4][4], found[8][6], valid[8], fit[8], calm, defect;\n    puma560_pose(q, T);\n"
        "    puma560_inverse_kinematics(T, found, valid, fit, &calm, &defect);\n"
        "    return (valid[0] + valid[1] > 0.5) ? 0 : 1;\n}\n"
    )
    compiled(tmp_path, "-O2", *STRICT, "-c", "user.c")


@pytest.mark.parametrize(
    ("language", "chosen", "words"),
    [
        ("rust", {"dtype": "float32"}, "dtype= is no option of rust"),
        ("python", {"batch": False}, "batch= is no option of python"),
        ("cpp", {"single_file": True}, "single_file= is no option of cpp"),
        ("javascript", {"sincos": True}, "sincos= is no option of javascript"),
        ("c", {"dtype": "float16"}, "no dtype is called 'float16'"),
        ("c", {"dtype": "double"}, "no dtype is called 'double'"),
        ("c", {"prefix": "1arm"}, "prefix: expected letters"),
        ("c", {"prefix": "a-b"}, "prefix: expected letters"),
        ("c", {"prefix": "_"}, "prefix: expected letters"),
        ("c", {"prefix": "braço"}, "prefix: expected letters"),
        ("c", {"prefix": "MY_ARM"}, "prefix: 'MY_ARM' makes names like macros of C's headers"),
        ("c", {"beside": ["self"]}, "single_file=True"),
        ("python", {"beside": ["self"], "single_file": True}, "single_file= is no option of python"),
    ],
)
def test_what_a_language_does_not_have_is_refused(
    language: str, chosen: dict[str, Any], words: str, tmp_path: Path
) -> None:
    model = mp.generate("planar2r", "gravity")
    given = {name: [model] if name == "beside" else value for name, value in chosen.items()}
    with pytest.raises(ManipulaError, match=re.escape(words)):
        model.emit(language, tmp_path, **given)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("language", ["c", "cpp", "python", "rust", "javascript", "fortran"])
def test_every_language_has_a_prefix(language: str, tmp_path: Path) -> None:
    files = mp.generate("planar2r", "gravity").emit(language, tmp_path, prefix="left_arm")
    assert all("planar2r" not in path.name for path in files)
    assert any("left_arm_gravity" in path.read_text() for path in files)


ODD = ["JACO3_URDF_V10", "3axis", "KR-10 (left)", "braço 1", "EARM", "_x_", "1", "double", "Ω", "M_PI"]


@pytest.mark.parametrize("robot", ODD)
@pytest.mark.parametrize("prefix", ["arm", "left_arm_", "ARM", "x1"])
def test_a_prefix_takes_the_place_of_any_name(robot: str, prefix: str, tmp_path: Path) -> None:
    """In every file's name and every symbol: of what is the robot's alone, one word stands in one comment."""
    named = replace(mp.load("planar2r"), name=robot)
    for language in ("c", "javascript"):
        files = mp.generate(named, "gravity", optimise="none").emit(language, tmp_path, prefix=prefix)
        word = f"{prefix.rstrip('_')}_gravity"
        assert {path.name.removeprefix("README_").removesuffix("_c.md").removesuffix("_javascript.md").split(".")[0]
                .removesuffix("_test") for path in files} - {"CMakeLists"} == {word}  # fmt: skip
    symbols = re.findall(r"^void (\w+)\(", (tmp_path / f"{word}.h").read_text(), re.MULTILINE)
    assert {*symbols} >= {word, f"{word}_batch"}
    assert all(symbol.startswith(word) for symbol in symbols)


def test_a_solver_with_loops_has_no_other_precision(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="dtype= is no option"):
        bent().emit("c", tmp_path, dtype="float32")
    with pytest.raises(InputError, match="is a solver with loops"):
        mp.generate("planar2r", "gravity").emit("c", tmp_path, single_file=True, beside=[bent()])
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_solver_with_loops_has_a_prefix(tmp_path: Path) -> None:
    files = bent().emit("c", tmp_path, prefix="left", batch=False)
    assert "left_inverse_kinematics.h" in [path.name for path in files]
    assert "(double T[4][4], " in (tmp_path / "left_inverse_kinematics.h").read_text()


def bent() -> Any:
    lengths = [(0.3, 0.1, 70), (0.1, 0.4, 40), (0.2, 0.3, 80), (0.4, 0.2, 50), (0.1, 0.1, 60), (0.2, 0.1, 30)]
    dh = [(0, *row) for row in lengths]
    return mp.generate(mp.Robot.from_dh(dh, convention="standard", angle="deg", name="odd"), "inverse_kinematics")


@pytest.mark.parametrize(
    "name", ["puma560", *(pytest.param(x, marks=pytest.mark.slow) for x in ("scara", "ur5", "stanford"))]
)
def test_no_choice_is_left_that_numbers_decide(name: str) -> None:
    tape = mp.generate(name, "inverse_kinematics").tape
    known, single = dict(tape.constants), dict(tape.single)
    settled = [x for x in tape.lines if x.op == "select" and x.args[0] in known and x.args[0] not in single]
    left = fold_choices(tape)
    assert not [x for x in left.lines if x.op == "select" and x.args[0] in known and x.args[0] not in single]
    assert left.cost.other <= tape.cost.other - len(settled)
    text = emit(tape, "c", "1", options=EmitOptions("float64", False))
    assert not any("select(0.0," in file or "select(1.0," in file for file in text.values())


def test_what_is_decided_has_the_same_bits() -> None:
    from manipula.algebra.expr.evaluate import ARRAYS

    tape = mp.generate("puma560", "inverse_kinematics").tape
    T = mp.Arm("puma560").pose(np.random.default_rng(3).uniform(-3, 3, (50, 6))).reshape(50, 16)
    with np.errstate(all="ignore"):
        given = {"T": [T[:, i] for i in range(16)]}
        one, two = tape.evaluate(given, ARRAYS), fold_choices(tape).evaluate(given, ARRAYS)
    for name, values in one.items():
        for x, y in zip(values, two[name], strict=True):
            np.testing.assert_array_equal(x, y)
    assert len(fold_choices(tape).lines) < len(tape.lines)


def test_sine_and_cosine_of_an_angle_are_one_call() -> None:
    tape = mp.generate("puma560", "pose").tape
    plain, paired = (emit(tape, "c", "1", options=EmitOptions("float32", False, sincos=x)) for x in (False, True))
    one, two = plain["puma560_pose.c"], paired["puma560_pose.c"]
    body = two.partition("void puma560_pose(")[2]
    assert one.count("sinf(") == body.count("puma560_pose_sincos(") > 0
    assert "sinf(" not in body
    assert "MANIPULA_SINCOS(x, s, c)" in two


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.1, "0.1f"), (-3.0, "-3.0f"), (1e-60, "0.0f"), (1e60, "INFINITY"), (float("nan"), "NAN"), (-0.0, "-0.0f"),
     (1 / 3, "0.33333334f"), (1e-5, "1e-05f"), (16777217.0, "16777216.0f")],
)  # fmt: skip
def test_numbers_of_single_precision_are_written_with_the_digits_they_have(value: float, text: str) -> None:
    assert FLOAT.language("x").number(value).text == text


def test_a_header_says_the_units_of_the_joints_and_not_how_the_search_went(tmp_path: Path) -> None:
    mp.generate("scara", "inverse_dynamics").emit("c", tmp_path)
    text = " ".join((tmp_path / "scara_inverse_dynamics.h").read_text().replace("\n *", " ").split())
    assert "q[4] in rad, joint 3: m - joint positions" in text
    assert "tau[4] in N*m, joint 3: N - joint torques" in text
    assert " or m" not in text
    assert not re.search(r"(run|forth|unit|share|lever|slide) ?\d*: ", text)


@pytest.mark.parametrize(
    ("kinds", "position", "effort"),
    [("RR", "rad", "N·m"), ("PP", "m", "N"), ("RP", "rad, joint 2: m", "N·m, joint 2: N"),
     ("PPR", "m, joint 3: rad", "N, joint 3: N·m"), ("FRPP", "m, joint 1: rad", "N, joint 1: N·m"),
     ("RPRPR", "rad, joints 2 and 4: m", "N·m, joints 2 and 4: N")],
)  # fmt: skip
def test_units_go_by_the_kinds_of_the_moving_joints(kinds: str, position: str, effort: str) -> None:
    robot: Any = random_robot(3, joints=kinds, surroundings=False)
    function = mp.generate(robot, "inverse_dynamics", optimise="none").function
    assert function.inputs[0].unit == position
    assert function.outputs[0].unit == effort


def test_a_parameter_keeps_its_name_where_a_result_has_it(tmp_path: Path) -> None:
    mp.generate("planar2r", "gravity").emit("c", tmp_path)
    text = (tmp_path / "planar2r_gravity.c").read_text()
    assert "const real g = p[4];" in text
    assert "g_2" not in text
    assert "real g_out[2]" in text
