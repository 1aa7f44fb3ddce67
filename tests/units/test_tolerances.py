"""Tolerances of inverse kinematics stand in one file, each used and each with its reason."""

from __future__ import annotations

import ast
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import manipula
import manipula as mp
from manipula.ik.numeric import arrays, poses, tolerances
from manipula.ik.numeric.poses import Tolerances, tolerances_of

ROOM = Path(manipula.__file__).parent / "ik"
HOME = ROOM / "numeric" / "tolerances.py"

# numbers this small or large that are none
OTHERS = {
    "branch_selection.py": {1e3},  # a rank behind all others
    "descent.py": {1e-2},  # the first damping
    "families.py": {5e-3},  # the length of a trial step
    "general6r/solver.py": {1e-4, 1e-2, 1e-16},  # how far a too regular arm is bent; what a logarithm may take
    "path_graph.py": {1e300},  # a travel beyond every other
    "module/step.py": {1e-12, 1e-6},  # the least damping of a step, which keeps squares from being singular
}


def test_no_other_file_has_one() -> None:
    found = {}
    for path in ROOM.rglob("*.py"):
        name = path.relative_to(ROOM).as_posix()
        if path == HOME or name.startswith("derivation"):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        motions = [x for x in ast.walk(tree) if isinstance(x, ast.Tuple) and len(x.elts) == 12]
        skipped = {id(y) for x in motions for y in ast.walk(x)}
        numbers = (x for x in ast.walk(tree) if isinstance(x, ast.Constant) and id(x) not in skipped)
        odd = {x.value for x in numbers if isinstance(x.value, float) and x.value and not 1e-2 < abs(x.value) < 1e3}
        if odd - OTHERS.get(name, set()):
            found[name] = odd
    assert not found


def constants() -> dict[str, str]:
    """Class.NAME → the line it stands on."""
    text = HOME.read_text(encoding="utf-8")
    lines, made = text.splitlines(), {}
    for block in ast.parse(text).body:
        if isinstance(block, ast.ClassDef):
            for line in block.body:
                if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
                    made[f"{block.name}.{line.targets[0].id}"] = lines[line.lineno - 1]
    return made


def test_each_has_a_reason_and_is_used() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in ROOM.rglob("*.py") if path != HOME)
    for name, line in constants().items():
        assert len(line.partition("#")[2].split()) >= 3, f"{name} does not say why"
        assert name in code, f"{name} is not used"


def test_the_file_holds_numbers_alone() -> None:
    owners = [x for x in vars(tolerances).values() if isinstance(x, type)]
    values = [y for x in owners for name, y in vars(x).items() if name.isupper()]
    assert len(values) == len(constants()) > 80 and all(isinstance(y, float) for y in values)


# a tolerance is an order of magnitude, for nobody knows it better; these have reasons for another digit
FINER = {
    "BranchTolerance.FEW": 4e-6, "BranchTolerance.BESIDE": 0.05, "BranchTolerance.ONE": 2e-15,
    "SingleTolerance.CLEAN": 5e-7, "SingleTolerance.EXACT": 7e-7, "SingleTolerance.MET": 2e-6,
    "SingleTolerance.GOOD": 2e-7, "SingleTolerance.STILL": 3e-4, "NearestTolerance.SLACK": 5e-3,
    "StructureTolerance.MARGIN": 8.0, "StructureTolerance.APART": 5.0, "FamilyTolerance.BESIDE": 2e-6,
    "FamilyTolerance.BROKEN": 50.0, "FamilyTolerance.LARGEST": 0.999, "WalkTolerance.SHORTEST": 0.02,
    "SearchTolerance.LOOSE": 30.0, "DescentTolerance.SLOW": 0.995, "ReadingTolerance.HORIZON": 3.0,
    "ReadingTolerance.STEADY": 0.3, "RootTolerance.REACH": 0.5, "RootTolerance.INFINITY": 20.0,
    "RootTolerance.PAIR": 0.2, "RootTolerance.STIFF": 30.0,
}  # fmt: skip
POWERS = {f"{sign}1e{k:+03d}" for sign in ("", "-") for k in range(-320, 320)}


def test_a_tolerance_is_a_power_of_ten() -> None:
    values = {
        f"{owner.__name__}.{name}": value
        for owner in vars(tolerances).values()
        if isinstance(owner, type)
        for name, value in vars(owner).items()
        if name.isupper()
    }
    assert {name: x for name, x in values.items() if f"{x:.9e}".replace(".000000000", "") not in POWERS} == FINER
    arm = tolerances_of(2.0, 0.0, 6)  # what an arm is measured by follows from them
    assert (arm.exact, arm.good, arm.same, arm.few) == (2e-12, 2e-13, 1e-6, False)


# what an arm is measured by


def test_answers_are_as_exact_as_the_arm_is_long() -> None:
    exact = tolerances_of(3.0, 0.0, 6)
    assert exact == Tolerances(3e-12, 3e-12, pytest.approx(3e-13), 1e-8, pytest.approx(1e-16), 1e-3, 1e-6, 1e-3, False)
    few = tolerances_of(3.0, 0.0, 5)
    assert few == Tolerances(
        pytest.approx(12e-6),
        pytest.approx(3e-9),
        pytest.approx(3e-13),
        np.inf,
        pytest.approx(1e-16),
        0.05,
        1e-6,
        1e-3,
        True,
    )
    off = tolerances_of(2.0, 2e-9, 6)
    root = 5 * np.sqrt(1e-9)
    assert off.exact == pytest.approx(2e-9 + 2e-12) and off.good == pytest.approx(2e-9 + 2e-13)
    assert off.same == off.maybe == pytest.approx(root) and off.blurred == np.inf
    assert off.margin == pytest.approx((2e-9 / 2e-7) ** 2, rel=1e-5)
    assert tolerances_of(2.0, 1e-6, 6).same == 1e-3 and tolerances_of(2.0, 1e-15, 6).same == 1e-6


def test_branches_are_accepted_by_the_best_of_them() -> None:
    measure = tolerances_of(1.0, 0.0, 5)
    worst = np.array([[1e-10, 1e-7, 5e-6], [1e-8, 1e-7, 5e-6], [1e-9, 1.1e-9, 4e-6], [4e-6, 5e-6, 1.0]])
    assert poses.accept_branches(worst, measure).tolist() == [
        [True, False, False], [True, True, False], [True, False, False], [True, False, False]
    ]  # fmt: skip


@pytest.mark.parametrize("off, refused, told", [(1e-9, False, False), (4e-7, False, False), (3e-6, False, True),
(9e-4, False, True),
                                                (1.2e-3, True, False)])  # fmt: skip
def test_a_rotation_to_some_digits(off: float, refused: bool, told: bool) -> None:
    """The nearest rotation is taken; what three digits cannot explain is refused."""
    rng = np.random.default_rng(0)
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    R *= np.sign(np.linalg.det(R))
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R @ np.diag([1 + off, 1 - off, 1 + off]), [1.0, 2.0, 3.0]
    away = off * np.sqrt(3) / 3
    if refused:
        T[:3, :3] = R @ np.diag([1 + off * np.sqrt(3)] * 3)
        with pytest.raises(
            mp.InputError, match=r"pose is not a rotation: .* the nearest rotation is 0\.0012 away in ea"
        ):
            poses.checked_poses(T)
        assert np.abs(poses.checked_poses(T, 1e-2)[:3, :3] - R).max() < 1e-12
        return
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = poses.checked_poses(T)
    np.testing.assert_allclose(found[:3, :3], R, atol=1e-12)
    assert found[:3, 3].tolist() == [1, 2, 3] and found[3].tolist() == [0, 0, 0, 1] and away < 1e-3
    assert bool(said) is told


def test_what_is_no_pose_is_named() -> None:
    T = np.stack([np.eye(4)] * 3)
    for change, told in (((1, 3, 0, 0.5), r"pose 2 of 3 has the last row \[0.5, 0.0, 0.0, 1.0\]"),
    ((2, 1, 2, np.nan), "pose 3 of 3 holds "
                         "a number that is not finite: row 2, column 3 is nan"),
                         ((0, 2, 2, -1.0), "pose 1 of 3 is a reflection")):  # fmt: skip
        bad = T.copy()
        bad[change[:3]] = change[3]
        with pytest.raises(mp.InputError, match=told):
            poses.checked_poses(bad)
    with pytest.raises(mp.InputError, match=r"found \(3,\); three numbers are a place: task='position'"):
        poses.poses_from_value([1, 2, 3])
    with pytest.raises(mp.InputError, match="seed: joint 2 is not a finite number"):
        poses.joints_from_value([0, np.inf, 1], 3)
    with pytest.raises(mp.InputError, match=r"seed: expected 3 joint positions, found an array of shape \(2,\)"):
        poses.joints_from_value([0, 1], 3)
    for bad_value in (0, -1, np.inf, True, "1"):
        with pytest.raises(mp.InputError, match="tolerance: expected a"):
            poses.checked_tolerance(bad_value)  # type: ignore[arg-type]
    assert poses.checked_tolerance(None) is None and poses.checked_tolerance(1) == 1.0


def test_the_defect_of_an_arm_is_the_largest_of_regular_poses() -> None:
    """Eight times the largest miss; what is rounding is none."""
    at = np.zeros((3, 2, 1))

    def defect(misses: list[list[float]], margin: list[float], size: float = 2.0) -> float:
        fk = np.tile(np.eye(4), (3, 2, 1, 1))
        fk[..., 0, 3] = misses
        return poses.defect_of(at, np.array(margin), np.tile(np.eye(4), (3, 1, 1)), lambda q: fk, size)

    misses = [[1e-9, 3e-9], [5e-9, 0], [0, 1.0]]
    assert defect(misses, [1.0, 1.0, 1.0]) == pytest.approx(4e-8) and defect(misses, [1.0, 1e-3, 1.0]) == pytest.approx(
        2.4e-8
    )
    assert defect([[2.4e-14, 0]] * 3, [1.0] * 3) == 0.0 and defect([[2.6e-14, 0]] * 3, [1.0] * 3) > 0.0
    assert defect([[1.9e-7, 0]] * 3, [1.0] * 3) > 0 and defect([[2.1e-7, 0]] * 3, [1.0] * 3) == 0.0


# joints


def test_turns_limits_and_distances_of_joints() -> None:
    turning = np.array([True, False])
    q = np.array([[np.pi, 9.0], [-np.pi, 9.0], [7.0, -9.0], [0.5, 0.0]])
    np.testing.assert_allclose(arrays.principal(q, turning), [[np.pi, 9], [np.pi, 9], [7 - 2 * np.pi, -9], [0.5, 0]])
    low, high = arrays.bounds([(-1.0, 2.0), (0.0, np.inf)], 2)
    np.testing.assert_array_equal(arrays.margins(np.array([[0.0, 1.0], [3.0, -1.0]]), low, high), [[1, 1], [-1, -1]])
    assert arrays.distances(np.array([0.1, 5.0]), np.array([0.1 + 2 * np.pi, 5.3]), turning) == pytest.approx(0.3)
    assert arrays.distances(np.array([3.1, 0.0]), np.array([-3.1, 0.0]), turning) == pytest.approx(2 * np.pi - 6.2)
    least, most = arrays.span_of(
        np.array([-1.0, -np.inf, 4.0]), np.array([9.0, np.inf, 5.0]), np.array([3.0, 2.0, 3.0])
    )
    assert least.tolist() == [-1, -2, 4] and most.tolist() == [3, 2, 4]
    free = arrays.bounds(None, 2)
    assert free[0].tolist() == [-np.inf] * 2 and free[1].tolist() == [np.inf] * 2
    wide = np.array([-7.0, -9.0]), np.array([7.0, 9.0])
    seed = np.array([6.0, 0.0])
    np.testing.assert_allclose(arrays.wound(np.array([[0.2, 1.0]]), turning, *wide, seed), [[0.2 + 2 * np.pi, 1.0]])
    np.testing.assert_allclose(arrays.wound(np.array([[0.2, 1.0]]), turning, *wide, -seed), [[0.2 - 2 * np.pi, 1.0]])
    np.testing.assert_allclose(arrays.wound(np.array([[1.0, 1.0]]), turning, *wide, seed), [[1.0, 1.0]])
    np.testing.assert_allclose(arrays.wound(np.array([[0.2, 1.0]]), turning, *wide, None), [[0.2, 1.0]])


def test_jacobians_without_units() -> None:
    J = np.ones((6, 2))
    np.testing.assert_allclose(
        poses.scale_jacobian(J, np.array([True, False]), 2.0), [[0.5, 1.0]] * 3 + [[1.0, 2.0]] * 3
    )
    J = np.zeros((2, 6, 3))
    J[0, [0, 1], [0, 1]], J[1, [0, 1, 2], [0, 1, 2]] = [1.0, 1e-6], [1.0, 1.0, 0.9e-7]
    assert poses.rank_of(J) == 2 and poses.rank_of(J[:, :, :1]) == 1 and poses.rank_of(0 * J) == 0


@pytest.mark.parametrize("seed", range(3))
def test_the_numbers_about_what_is_no_rotation_are_its_own(seed: int) -> None:
    """Both distances are computed anew: over all entries of RᵀR, and by the mean square to the nearest rotation."""
    rng = np.random.default_rng(seed)
    T = np.eye(4)
    T[:3, :3] = Rotation.from_rotvec(rng.uniform(-2, 2, 3)).as_matrix() + rng.uniform(-0.2, 0.2, (3, 3))
    R = T[:3, :3]
    values, ways = np.linalg.eigh(R.T @ R)
    nearest = R @ ways @ np.diag(values**-0.5) @ ways.T  # the polar factor
    with pytest.raises(mp.InputError) as caught:
        poses.checked_poses(T)
    told = re.search(r"differs from 1 by (\S+); the nearest rotation is (\S+) away in each entry", str(caught.value))
    assert told is not None
    found = [float(x) for x in told.groups()]
    assert found[0] == pytest.approx(np.abs(R.T @ R - np.eye(3)).max(), rel=6e-3)
    assert found[1] == pytest.approx(np.sqrt(((R - nearest) ** 2).mean()), rel=6e-2)
