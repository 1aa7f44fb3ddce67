"""Emitted inverse kinematics that picks the solution nearest to the present joints, against Python and known ones."""

from __future__ import annotations

import ctypes
import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import mpmath
import numpy as np
import pytest

import manipula as mp
from manipula.ik.controller.emission import number_tables
from manipula.ik.controller.nearest import FAR, LIMITS, NO_POSE, OK, SINGULAR, UNREACHABLE
from manipula.ik.controller.newton import Number, nearest_rotation, newton_step, residual, twist
from manipula.ik.numeric import newton
from manipula.ik.numeric.tolerances import BranchTolerance
from tests.emitted import cc, needs_cc, self_test, shared
from tests.languages import in_every_language, self_tested
from tests.nearest import Subject, draws, languages

Floats = Any
QUICK = ("puma560",)
ARMS = (
    *QUICK,
    "cobra600",
    "ur5",
    "stanford",
    "pucrio",
    "irb140",
    "kr5",
    "ur10e",
    "lrmate200id",
    "irb120",
    "panda",
    "iiwa14",
)
SIMPLE = {
    "planar": [("R", 0.5, 0, 0), ("R", 0.4, 0, 0)],
    "cylindrical": [("R", 0.1, 0.3, 0), ("P", 0, 0, -90), ("P", 0, 0, 0)],
    "gantry": [("P", 0, 0, 90), ("P", 0, 0, 90), ("P", 0, 0, 0)],
    "slide": [("P", 0, 0, 90)],
    "hinge": [("R", 0.3, 0.1, 90)],
    "elbow": [("R", 0, 0.4, 90), ("R", 0.5, 0, 0), ("R", 0.3, 0, 0)],
}

FEW = ("cylindrical",)


def simple(name: str) -> mp.Robot:
    rows = [(0, d, a, alpha, *(["P"] if kind == "P" else [])) for kind, a, d, alpha in SIMPLE[name]]
    return mp.Robot.from_dh(rows, convention="standard", angle="deg", name=name)


@cache
def arm_of(name: str) -> mp.Arm:
    return mp.Arm(simple(name) if name in SIMPLE else name)


@cache
def library_of(name: str, dtype: str = "float64") -> dict[str, Any]:
    """The emitted functions, compiled once."""
    arm = arm_of(name)
    model = mp.generate(arm.robot, "inverse_kinematics")
    with TemporaryDirectory() as folder:
        model.emit("c", folder, dtype=dtype, batch=False)
        library = shared(Path(folder) / f"{model.name}_nearest.c")
        return {word: library[f"{model.name}_{word}"] for word in ("nearest", "follow")}


def nearest(
    name: str, T: Floats, now: Floats, dtype: str = "float64", max_step: float = 0.0, q: Floats | None = None
) -> tuple[int, Floats]:
    """`q`: whose parameter a redundant arm is given, else that of now."""
    arm, real = arm_of(name), np.dtype(dtype)
    solver = arm.inverse_solver
    values = [np.array([solver.parameter_of(now if q is None else q)])] if solver.parameter.exists else []
    out = np.full(arm.dof, np.nan, dtype=real)
    arrays = [np.ascontiguousarray(x, dtype=real) for x in (T, *values, now)]
    step = (ctypes.c_float if dtype == "float32" else ctypes.c_double)(max_step)
    places = [ctypes.c_void_p(x.ctypes.data) for x in arrays]
    status = library_of(name, dtype)["nearest"](*places, step, ctypes.c_void_p(out.ctypes.data))
    return int(status), out


def followed(name: str, T: Floats, start: Floats, max_step: float, dtype: str = "float64") -> tuple[int, int, Floats]:
    """Status, how many poses were followed, and the joints, NaN where they were left alone."""
    arm, real = arm_of(name), np.dtype(dtype)
    solver = arm.inverse_solver
    values = [np.full(len(T), solver.parameter_of(start))] if solver.parameter.exists else []
    out, count = np.full((len(T), arm.dof), np.nan, dtype=real), ctypes.c_int(-1)
    arrays = [np.ascontiguousarray(x, dtype=real) for x in (T, *values, start)]
    step = (ctypes.c_float if dtype == "float32" else ctypes.c_double)(max_step)
    places = [ctypes.c_void_p(x.ctypes.data) for x in arrays]
    own = (step, ctypes.c_void_p(out.ctypes.data), ctypes.byref(count))
    status = library_of(name, dtype)["follow"](len(T), *places, *own)
    return int(status), count.value, out


def python_nearest(name: str, T: Floats, now: Floats) -> Any:
    solver = arm_of(name).inverse_solver
    given = {"parameter": solver.parameter_of(now)} if solver.parameter.exists else {}
    return arm_of(name).inverse_kinematics(T, seed=now, **given)


def drawn(name: str, count: int, seed: int) -> tuple[Floats, Floats]:
    """Configurations inside the limits, and others, some of them turns away."""
    solver, rng = arm_of(name).inverse_solver, np.random.default_rng(seed)
    low, high = np.maximum(solver.low, -3.0), np.minimum(solver.high, 3.0)
    q, now = rng.uniform(low, high, (2, count, len(low)))
    return q, now + rng.integers(-1, 2, now.shape) * 2 * np.pi * solver.turning


@needs_cc
@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(x, marks=pytest.mark.slow) for x in ARMS[len(QUICK) :])])
def test_the_same_answer_as_python(name: str) -> None:
    q, nows = drawn(name, 60, 4)
    agreed = 0
    for x, now in zip(q, nows, strict=True):
        T = arm_of(name).pose(x)
        status, found = nearest(name, T, now)
        true = python_nearest(name, T, now).q
        assert (status in (OK, SINGULAR)) == bool(len(true)), (status, x, now)
        if status == OK:
            np.testing.assert_allclose(found, true[0], rtol=0, atol=1e-9)
            agreed += 1
    assert agreed > (12 if arm_of(name).inverse_solver.parameter.exists else 57)


@needs_cc
@pytest.mark.parametrize("name", [x if x in FEW else pytest.param(x, marks=pytest.mark.slow) for x in SIMPLE])
def test_few_joints_and_slides(name: str) -> None:
    q, nows = drawn(name, 40, 7)
    for x, now in zip(q, nows, strict=True):
        T = arm_of(name).pose(x)
        status, found = nearest(name, T, now)
        assert status == OK
        np.testing.assert_allclose(found, python_nearest(name, T, now).q[0], rtol=0, atol=1e-9)
        np.testing.assert_allclose(arm_of(name).pose(found), T, atol=1e-9)


@needs_cc
def test_why_there_is_no_answer() -> None:
    q, nows = drawn("puma560", 1, 3)
    T = arm_of("puma560").pose(q[0])
    far, sheared, unknown = T.copy(), T.copy(), T.copy()
    far[0, 3] += 10
    sheared[0, 0] += 0.01
    unknown[1, 2] = np.nan
    for pose, why in ((far, UNREACHABLE), (sheared, NO_POSE), (unknown, NO_POSE)):
        status, found = nearest("puma560", pose, nows[0])
        assert status == why
        assert np.isnan(found).all()  # untouched
    for odd in (np.nan, np.inf):
        assert nearest("puma560", T, np.where(np.arange(6) == 3, odd, nows[0]))[0] == NO_POSE


@needs_cc
def test_limits_are_told_from_reach() -> None:
    solver, rng = arm_of("puma560").inverse_solver, np.random.default_rng(2)
    seen = set()
    for _ in range(200):
        T, now = arm_of("puma560").pose(rng.uniform(-np.pi, np.pi, 6)), rng.uniform(-1, 1, 6)
        status, found = nearest("puma560", T, now)
        true = python_nearest("puma560", T, now)
        assert status == (OK if len(true.q) else LIMITS)
        if status == OK:
            assert (found >= solver.low - 1e-8).all()
            assert (found <= solver.high + 1e-8).all()
        seen.add(status)
    assert seen == {OK, LIMITS}


@needs_cc
def test_where_the_arm_stands_it_stays() -> None:
    q, _ = drawn("puma560", 30, 9)
    q[10:20, 4] = 0.0  # a locked wrist
    q[20:, 2] = np.arctan2(0.0203, 0.4318) - np.pi / 2  # stretched
    for x in q:
        status, found = nearest("puma560", arm_of("puma560").pose(x), x)
        assert status == OK
        np.testing.assert_allclose(found, x, rtol=0, atol=1e-6)


@needs_cc
@pytest.mark.parametrize("name", ["puma560", *(pytest.param(x, marks=pytest.mark.slow) for x in ("ur5", "stanford"))])
def test_of_a_family_the_member_nearest_to_the_present_joints(name: str) -> None:
    q, nows = drawn(name, 24, 11)
    q[:, 4] = 0.0
    nows[::2] = q[::2] + 1e-3 * np.random.default_rng(3).normal(size=q[::2].shape)
    for x, now in zip(q, nows, strict=True):
        T = arm_of(name).pose(x)
        status, found = nearest(name, T, now)
        true = python_nearest(name, T, now).q[0]
        assert status == OK or (status == SINGULAR and np.abs(x - now).max() > 0.1)
        assert np.linalg.norm(found - now) <= min(np.linalg.norm(true - now), np.linalg.norm(x - now)) + 1e-6
        np.testing.assert_allclose(arm_of(name).pose(found), T, rtol=0, atol=2e-12)


@needs_cc
@pytest.mark.filterwarnings("ignore:pose is a rotation only to a few digits")
@pytest.mark.parametrize("decimals", [3, 4, 5, 6, 9])
def test_a_rounded_pose_has_the_solutions_that_python_finds(decimals: int) -> None:
    q, nows = drawn("puma560", 20, 13)
    for x, now in zip(q, nows, strict=True):
        T = arm_of("puma560").pose(x).round(decimals)
        status, found = nearest("puma560", T, now)
        true = python_nearest("puma560", T, now).q
        assert (status == OK) == bool(len(true))
        if status == OK:
            np.testing.assert_allclose(found, true[0], rtol=0, atol=1e-9)


@needs_cc
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_no_joint_moves_further_than_it_may(dtype: str) -> None:
    q, nows = drawn("puma560", 30, 17)
    for x, now in zip(q, nows, strict=True):
        T = arm_of("puma560").pose(x)
        status, found = nearest("puma560", T, now, dtype)
        assert status == OK
        step = float(np.abs(found - now).max())
        for allowed in (0.0, -1.0, np.inf, step + 1e-3):
            assert nearest("puma560", T, now, dtype, allowed)[0] == OK
        status, left = nearest("puma560", T, now, dtype, step - 1e-3)
        assert status == FAR
        assert np.isnan(left).all()  # untouched
    assert nearest("puma560", T, now, dtype, np.nan)[0] == NO_POSE


@needs_cc
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_where_a_limit_cuts_a_family_the_nearest_member_is_on_the_limit(dtype: str) -> None:
    q, _ = drawn("puma560", 12, 19)
    low = arm_of("puma560").inverse_solver.low[3]
    q[:, 3], q[:, 4], q[:, 5] = low + 0.3, 0.0, 0.1  # θ4 + θ6 = c
    now = q + np.array([0, 0, 0, -0.6, 0.01, 0.6])
    for x, at in zip(q, now, strict=True):
        status, found = nearest("puma560", arm_of("puma560").pose(x), at, dtype)
        assert status == OK
        np.testing.assert_allclose(found[3:], [low, 0.0, 0.4], rtol=0, atol=2e-3)


@needs_cc
@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", ["puma560", *(pytest.param(x, marks=pytest.mark.slow) for x in ("ur5e", "iiwa14"))])
def test_a_table_of_poses_is_followed_as_in_python(name: str, dtype: str) -> None:
    arm, agreed = arm_of(name), 0
    for x, end in zip(*drawn(name, 6, 29), strict=True):
        way = x + np.linspace(0, 0.5, 40)[:, None] * np.clip(end - x, -1, 1)
        T, step = arm.pose(way), 0.3
        seam = arm.follow(T, start=x, max_step=step) if arm.dof == 6 else None
        status, count, q = followed(name, T, x, step, dtype)
        assert status in ((SINGULAR, OK) if count == len(T) else (FAR, LIMITS))
        assert np.isfinite(q[:count]).all() and np.isnan(q[count:]).all()
        steps = np.abs(np.diff(q[:count], axis=0, prepend=x[None]))
        assert not steps.size or steps.max() <= step + 1e-6
        np.testing.assert_allclose(arm.pose(q[:count]), T[:count], rtol=0, atol=1e-11 if dtype == "float64" else 1e-5)
        # where branches come close, the nearest solution may lead to a jump that the seam as a whole avoids
        if seam is not None and not seam.jumps and seam.reached.all() and count == len(T):
            np.testing.assert_allclose(q, seam.q, rtol=0, atol=1e-9 if dtype == "float64" else 1e-2)
            agreed += 1
    assert agreed >= (3 if arm.dof == 6 else 0)


@needs_cc
def test_a_table_ends_at_the_pose_that_is_not_reached() -> None:
    q, _ = drawn("puma560", 1, 31)
    T = arm_of("puma560").pose(q[0] + np.linspace(0, 0.2, 9)[:, None])
    T[5, 2, 3] += 10
    status, count, found = followed("puma560", T, q[0], 0.1)
    assert (status, count) == (UNREACHABLE, 5)
    assert np.isnan(found[5:]).all()
    assert followed("puma560", T[:0], q[0], 0.1)[:2] == (OK, 0)
    # each row is what the function of one pose gives from the row before
    for k in range(5):
        assert (found[k] == nearest("puma560", T[k], found[k - 1] if k else q[0])[1]).all()


@needs_cc
def test_in_single_precision_a_wrist_is_straight_only_where_rounding_makes_it_so() -> None:
    q, _ = drawn("puma560", 20, 23)
    q[:, 4] = 2e-5
    for x, by in zip(q, np.random.default_rng(5).uniform(-0.5, 0.5, q.shape), strict=True):
        status, found = nearest("puma560", arm_of("puma560").pose(x), x + by, "float32")
        assert status in (OK, SINGULAR)
        assert np.linalg.norm(found - (x + by)) <= np.linalg.norm(by) + 0.1


QUICKEST = (("c", "float64"), ("c", "float32"), ("cpp", "float32"), ("javascript", "float64"))
SUBJECTS = ("puma560", "ur5e", "irb140", "stanford", "kr5", "cobra600", "panda", "j2s6s200")


@needs_cc
@pytest.mark.filterwarnings("ignore:pose")
@pytest.mark.parametrize("name", [*SUBJECTS[:1], *(pytest.param(x, marks=pytest.mark.slow) for x in SUBJECTS[1:])])
def test_no_false_success_and_no_jump_at_singular_and_rounded_poses(name: str, tmp_path: Path) -> None:
    """In every language, in single precision, too; of these the slow tests run all."""
    subject = Subject(mp.Arm(name), tmp_path)
    chosen = [x for x in languages() if x in QUICKEST or name != SUBJECTS[0]]
    for draw in draws(subject, 40, 2):
        for language, dtype in chosen:
            found = subject.run(language, dtype, draw)
            assert not found.false_success.any(), (draw.kind, dtype, found.pose_error.max())
            assert (found.status <= 0).all() or draw.start is not None or draw.decimals is not None
            if draw.start is not None:
                assert (np.abs(found.q - found.now).max(-1) <= draw.max_step + 1e-6).all()
            elif draw.decimals is None:
                assert not ((found.status == OK) & (found.further(draw.q) > 0.1)).any(), (draw.kind, language, dtype)


LANGUAGES = list(in_every_language(("c", "cpp", "javascript", "rust")))


@pytest.mark.skipif(shutil.which("node") is None, reason="no node: not run")
def test_javascript_tests_itself(tmp_path: Path) -> None:
    test_every_language_tests_itself("puma560", "javascript", tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["pucrio", "panda", "cobra600"])
def test_every_language_tests_itself(name: str, language: str, tmp_path: Path) -> None:
    files = mp.generate(name, "inverse_kinematics").emit(language, tmp_path / "all")
    texts = {str(path.relative_to(tmp_path / "all")): path.read_text() for path in files if "_nearest" in str(path)}
    done = self_tested(language, texts, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_nearest_rotation_is_that_of_the_singular_values() -> None:
    rng, table = np.random.default_rng(8), np.zeros(Number.ROWS)
    table[Number.CLEAN], table[Number.ROTATION] = 1e-15, 1e-3
    for off in (0.0, 1e-12, 1e-6, 1e-4, 9e-4, 5e-3, 0.5):
        R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        R *= np.linalg.det(R)
        T = np.eye(4)
        T[:3, :3], T[:3, 3] = R + rng.uniform(-off, off, (3, 3)), rng.normal(size=3)
        # with 30 digits: singular vectors in doubles are no more exact than the text, and differ by processor
        with mpmath.workdps(30):
            U, S, V = (np.array(x.tolist()) for x in mpmath.svd_r(mpmath.matrix(T[:3, :3].tolist())))
        S = S.ravel().astype(float)
        exact = np.zeros(16)
        assert nearest_rotation(T.ravel(), exact, table) == (np.sqrt(((S - 1) ** 2).sum()) / 3 <= 1e-3)
        if off < 1e-3:
            want = T.copy()
            want[:3, :3] = (U @ V).astype(float)
            np.testing.assert_allclose(exact.reshape(4, 4), want, rtol=0, atol=1e-15)
        for wrong in (-T, np.diag([1.0, 1, -1, 1]) @ T, 0 * T, T + 0.01 * np.eye(4)[3][:, None] * np.eye(4)[1]):
            assert not nearest_rotation(np.ravel(wrong), exact, table)


def test_a_newton_step_is_that_of_the_normal_equations() -> None:
    rng, arm = np.random.default_rng(9), arm_of("puma560")
    for dof in range(1, 8):
        J, e, pull = rng.normal(size=(6, dof)), rng.normal(size=6), rng.normal(size=dof)
        weight, scale = 10.0 ** rng.uniform(-9, 2, dof), 0.7
        A, step = J * np.array([scale] * 3 + [1.0] * 3)[:, None], pull.copy()
        newton_step(dof, J.ravel(), e, scale, weight, np.zeros(dof * dof), step)
        want = np.linalg.solve(A.T @ A + np.diag(weight), A.T @ e + weight * pull)
        np.testing.assert_allclose(step, want, rtol=1e-6, atol=1e-9)
    T, at, e = *arm.pose(rng.normal(size=(2, 6))), np.zeros(6)
    twist(T.ravel(), at.ravel(), 0.5, e)
    np.testing.assert_allclose(e, newton.twist(at, T) * [0.5, 0.5, 0.5, 1, 1, 1], atol=1e-15)
    assert residual(T.ravel(), at.ravel()) == newton.residual(at, T)
    at[1, 1] = np.nan
    assert np.isnan(residual(T.ravel(), at.ravel()))


def test_the_tables_of_both_precisions_are_those_the_header_states() -> None:
    solver = arm_of("puma560").inverse_solver
    double, single = number_tables(solver)
    assert double[Number.EXACT] == 1e-12 * solver.size
    assert single[Number.EXACT] < 1e-6 * solver.size
    header = _header("puma560")
    assert f"to 1e-12 of the arm's size ({solver.size:.4g}" in header
    assert "1e-6 in single" in header
    few = arm_of("cobra600").inverse_solver
    assert number_tables(few)[0][Number.EXACT] == BranchTolerance.FEW * few.size
    assert "to 4e-6 of the arm's size" in _header("cobra600")


@cache
def _header(name: str) -> str:
    with TemporaryDirectory() as folder:
        files = mp.generate(arm_of(name).robot, "inverse_kinematics").emit("c", folder, batch=False)
        text = next(path for path in files if path.name.endswith("_nearest.h")).read_text()
    return " ".join(text.replace("\n *", " ").split())


OPTIONS = [{"dtype": "float32", "single_file": True}, {}, {"dtype": "float32"}, {"single_file": True, "prefix": "left"}]


@needs_cc
@pytest.mark.parametrize("chosen", [OPTIONS[0], *(pytest.param(x, marks=pytest.mark.slow) for x in OPTIONS[1:])])
def test_it_tests_itself(chosen: dict[str, Any], tmp_path: Path) -> None:
    files = mp.generate("pucrio", "inverse_kinematics").emit("c", tmp_path / "all", batch=False, **chosen)
    texts = {path.name: path.read_text() for path in files}
    own = {name: text for name, text in texts.items() if name.endswith(".h") or "_nearest" in name}
    done = self_test(own, tmp_path)
    assert done.returncode == 0, done.stdout
    if not chosen:
        sources = [tmp_path / name for name in own if name.endswith(".c")]
        cc("-DMANIPULA_FLOAT", *sources, "-o", tmp_path / "single")


def test_an_arm_with_letters_has_none(tmp_path: Path) -> None:
    files = mp.generate("scara", "inverse_kinematics").emit("c", tmp_path)
    assert not [path for path in files if "nearest" in path.name]
