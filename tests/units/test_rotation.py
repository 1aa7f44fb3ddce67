"""`mp.rotation`: each form of a rotation from each other, in numbers and in letters, against other texts."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import manipula as mp
from manipula.algebra.simplify.tree import FormulaNumber
from manipula.derivations.rigid_motion import MotionFormula
from manipula.errors import InputError, ManipulaWarning, ProofError, UnknownNameError

turn = mp.rotation
AXES = ("intrinsic", "extrinsic")


def scipy_matrix(angles: Any, sequence: str, axes: str) -> Any:
    flat = np.reshape(angles, (-1, 3))
    name = sequence.upper() if axes == "intrinsic" else sequence
    return Rotation.from_euler(name, flat).as_matrix().reshape(*np.shape(angles)[:-1], 3, 3)


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("sequence", turn.SEQUENCES)
def test_every_sequence_there_and_back(sequence: str, axes: Any) -> None:
    """Both sets give the matrix again; the matrix is SciPy's."""
    angles = np.random.default_rng(3).uniform(-3.1, 3.1, (4, 5, 3))
    R = turn.matrix_from_euler(angles, sequence, axes=axes)
    assert np.abs(R - scipy_matrix(angles, sequence, axes)).max() < 1e-14
    found = turn.euler_from_matrix(R, sequence, axes=axes)
    assert found.singular.shape == (4, 5) and not found.singular.any()
    apart = np.abs(found.angles - found.other).max(axis=-1)
    assert apart.min() > 1e-3 and np.abs(found.other).max() <= np.pi
    for one in (found.angles, found.other):
        assert np.abs(turn.matrix_from_euler(one, sequence, axes=axes) - R).max() < 1e-14
    given = np.minimum(*(np.abs(np.exp(1j * x) - np.exp(1j * angles)).max(axis=-1) for x in found[:2]))
    assert given.max() < 1e-12  # one of the two is what was given
    degrees = turn.euler_from_matrix(R, sequence, axes=axes, angle="deg").angles
    assert np.allclose(np.deg2rad(degrees), found.angles, atol=1e-14)


@pytest.mark.parametrize("axes", AXES)
@pytest.mark.parametrize("sequence", turn.SEQUENCES)
@pytest.mark.parametrize("side", [1, -1])
def test_gimbal_lock_is_said_and_the_angles_still_give_the_matrix(sequence: str, axes: Any, side: int) -> None:
    middle = (0 if side == 1 else np.pi) if sequence[0] == sequence[2] else side * np.pi / 2
    R = turn.matrix_from_euler([0.4, middle, -0.9], sequence, axes=axes)
    with pytest.warns(ManipulaWarning, match="gimbal lock"):
        found = turn.euler_from_matrix(R, sequence, axes=axes)
    assert found.singular is True and found.angles[0 if axes == "intrinsic" else 2] == 0
    for one in found[:2]:
        assert np.abs(turn.matrix_from_euler(one, sequence, axes=axes) - R).max() < 1e-14


@pytest.mark.parametrize("size", [0.0, 1e-200, 1e-12, 1e-3, 1.0, np.pi - 1e-9, np.pi])
def test_vector_axis_and_quaternion(size: float) -> None:
    axes = np.random.default_rng(5).normal(size=(30, 3))
    axes[:3] = np.diag([-1, 1, -1])
    axes /= np.linalg.norm(axes, axis=-1, keepdims=True)
    v = size * axes
    R = turn.matrix_from_vector(v)
    assert np.abs(R - Rotation.from_rotvec(v).as_matrix()).max() < 1e-14
    assert np.abs(turn.matrix_from_axis_angle(2.5 * axes, size) - R).max() < 1e-14
    back = turn.vector_from_matrix(R)
    assert np.abs(turn.matrix_from_vector(back) - R).max() < 1e-14
    if size < 3.1:
        assert np.abs(back - v).max() <= 1e-14 * max(size, 1e-3) + (0 if size > 1e-100 else 1e-150)
    u, angle = turn.axis_angle_from_matrix(R)
    assert np.allclose(np.linalg.norm(u, axis=-1), 1) and (angle >= 0).all() and (angle <= np.pi).all()
    assert np.abs(turn.matrix_from_axis_angle(u, angle) - R).max() < 1e-14
    e = turn.quaternion_from_matrix(R)
    assert (e[..., 0] >= 0).all()
    for sign in (1, -1):
        assert np.abs(turn.matrix_from_quaternion(sign * e) - R).max() < 1e-14
    w_last = Rotation.from_matrix(R).as_quat()
    assert np.abs(np.abs((np.roll(w_last, 1, axis=-1) * e).sum(-1)) - 1).max() < 1e-14


def test_text_has_its_own_unit_and_numbers_have_that_of_the_call() -> None:
    quarter = turn.about("y", np.pi / 2)
    for given in ("90 deg", "90°", "pi/2"):
        assert np.allclose(turn.about("y", given), quarter) and np.allclose(turn.about("y", given), quarter)
    for given in (90, "90", np.float32(90), "pi/2", "90 deg", np.int8(90)):
        assert np.allclose(turn.about("y", given, angle="deg"), quarter)
    mixed = turn.matrix_from_euler(np.array([90, "pi/4", "30 deg"], dtype=object), angle="deg")
    assert np.allclose(mixed, turn.matrix_from_euler([90, 45, 30], angle="deg"))
    assert turn.matrix_from_euler(np.zeros((0, 3))).shape == (0, 3, 3)
    single = turn.matrix_from_euler(np.float32([[0.1, 0.2, 0.3]]))
    assert single.dtype == np.float64 and single.shape == (1, 3, 3)


def test_transforms() -> None:
    rng = np.random.default_rng(7)
    R, p = turn.matrix_from_vector(rng.normal(size=(6, 3))), rng.normal(size=(6, 3))
    T = turn.transform_from_parts(R, p)
    assert np.abs(turn.inverse(T) @ T - np.eye(4)).max() < 1e-14 and np.array_equal(turn.inverse(R), R.swapaxes(1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(turn.parts_from_transform(T), (R, p)))
    assert np.allclose(turn.compose(T, R[0], T[1]), T @ turn.transform_from_parts(R[0]) @ T[1])
    assert turn.transform_from_parts(None, p).shape == turn.transform_from_parts(R[0], p).shape == (6, 4, 4)


@pytest.mark.parametrize("kind", ["turn", "slide", "screw"])
def test_a_screw_is_the_exponential_of_its_matrix(kind: str) -> None:
    from scipy.linalg import expm

    rng = np.random.default_rng(11)
    w, v = rng.normal(size=(2, 3))
    w = w / np.linalg.norm(w) if kind != "slide" else 0 * w
    v = {"turn": -np.cross(w, v), "slide": v / np.linalg.norm(v), "screw": v}[kind]
    q = rng.uniform(-3, 3, 5)
    matrix = np.zeros((4, 4))
    matrix[:3, :3], matrix[:3, 3] = np.cross(np.eye(3), -w).T, v
    found = turn.transform_from_screw([*w, *v], q)
    assert np.abs(found - [expm(matrix * x) for x in q]).max() < 1e-13


FORMULAS: dict[str, tuple[Any, Any]] = {
    **{
        f"{sequence} {axes}": (
            lambda x, s=sequence, a=axes: turn.matrix_from_euler(x[:3], s, axes=a),
            ["alpha", "beta", "gamma", "a", "b", "c"],
        )
        for sequence in turn.SEQUENCES
        for axes in AXES
    },
    "axis given": (lambda x: turn.matrix_from_axis_angle([1, 2, -2], x[0]), ["phi", "b", "c", "d", "e", "f"]),
    "axis of letters": (lambda x: turn.matrix_from_axis_angle(x[:3], x[3]), ["ux", "uy", "uz", "phi", "e", "f"]),
    "quaternion": (lambda x: turn.matrix_from_quaternion(x[:4]), ["w", "x", "y", "z", "e", "f"]),
    "turn": (lambda x: turn.about("y", x[0]), ["psi", "b", "c", "d", "e", "f"]),
    "transform": (
        lambda x: turn.transform_from_parts(turn.matrix_from_euler(x[:3], "xyz", axes="extrinsic"), x[3:]),
        ["roll", "pitch", "yaw", "px", "py", "pz"],
    ),
}


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", FORMULAS)
def test_letters_say_what_numbers_say(name: str) -> None:
    """With values for the letters, the formula, its product and its inverse are the arrays; its entries as text too."""
    make, letters = FORMULAS[name]
    values = np.random.default_rng(13).uniform(-1, 1, 6)
    if "letters" in name or name == "quaternion":
        size = 3 if "letters" in name else 4
        values[:size] /= np.linalg.norm(values[:size])
    formula, known = make(letters), dict(zip(letters, map(float, values)))
    matrix = make(values)
    assert isinstance(formula, MotionFormula) and formula.shape == matrix.shape
    used = {letter: known[letter] for letter in formula.letters}
    assert np.abs(formula.at(used) - matrix).max() < 1e-14
    assert np.abs(formula.inverse().at(used) - turn.inverse(matrix)).max() < 1e-14
    assert (
        np.abs(turn.compose(formula, turn.about("x", 0.5)).at(used) - turn.compose(matrix, turn.about("x", 0.5))).max()
        < 1e-14
    )
    space = {"sin": np.sin, "cos": np.cos, "__builtins__": {}, **used}
    text = [[eval(entry.replace("^", "**"), space) for entry in row] for row in formula.rows]
    assert np.abs(np.array(text, dtype=float) - matrix).max() < 1e-14
    assert "independent computation" in formula.derivation.proof


def test_a_wrong_entry_of_a_derivation_is_refused() -> None:
    steps = turn.matrix_from_euler(["alpha", "beta", "gamma"], "zyz").derivation
    for place, step in enumerate(steps.steps):
        for line in range(len(step.equations)):
            equation = step.equations[line]
            rows = [list(row) for row in equation.result]  # type: ignore[union-attr]
            rows[0][0] = FormulaNumber(rows[0][0].value + 1 if isinstance(rows[0][0], FormulaNumber) else 0)
            wrong = replace(equation, result=tuple(map(tuple, rows)))
            lines = (*step.equations[:line], wrong, *step.equations[line + 1 :])
            changed = (*steps.steps[:place], replace(step, equations=lines), *steps.steps[place + 1 :])
            with pytest.raises(ProofError, match=f"step {place + 1}"):
                replace(steps, steps=changed).prove()


def test_a_formula_shows_itself() -> None:
    formula = turn.about("z", "theta")
    assert str(formula).splitlines()[1] == "R = ⎢sin(θ)  cos(θ)   0⎥"
    assert formula.rows[0] == ("cos(theta)", "-sin(theta)", "0")
    assert "bmatrix" in formula.latex() and formula._repr_latex_().startswith("$") and "mat(" in formula.typst()
    assert repr(formula) == "<3×3 matrix of theta; print(…) shows it, .derivation its steps>"
    assert "multiply from the left" in str(
        turn.matrix_from_euler(["a", "b", "c"], "xyz", axes="extrinsic").derivation
    ).replace("\n   ", " ")


REFUSED: dict[str, tuple[Any, str]] = {
    "axis w": (lambda: turn.about("w", 1), "no axis is called 'w'"),
    "empty axis": (lambda: turn.about("", 1), "no axis is called ''"),
    "two angles": (lambda: turn.matrix_from_euler([1, 2]), r"angles: found shape \(2,\), expected \(…, 3\)"),
    "two names": (lambda: turn.matrix_from_euler(["a", "b"]), "angles: found 2 entries, expected 3"),
    "no angles": (lambda: turn.matrix_from_euler([]), "expected"),
    "nothing": (lambda: turn.about("x", None), "turn: found nothing, expected numbers"),
    "truth": (lambda: turn.about("x", True), "turn: found true, expected numbers"),
    "complex": (lambda: turn.matrix_from_euler([1j, 0, 0]), "angles: found a list of 3, expected numbers"),
    "ragged": (lambda: turn.matrix_from_euler([[1, 2, 3], [1]]), "angles: found"),
    "sequence": (lambda: turn.matrix_from_euler([1, 2, 3], "zzx"), "no sequence of Euler angles is called 'zzx'"),
    "kind of axes": (lambda: turn.matrix_from_euler([1, 2, 3], axes="fixed"), "no kind of axes is called 'fixed'"),
    "unit": (lambda: turn.about("x", 1, angle="grad"), "no unit of angles is called 'grad'"),
    "a length": (lambda: turn.about("x", "3 m"), "turn: found '3 m'"),
    "no name": (lambda: turn.matrix_from_euler(["a b", 0, 0]), r"angles\[0\]"),
    "not unit": (lambda: turn.matrix_from_quaternion([1, 1, 0, 0]), "one of length 1.41421, expected w x y z"),
    "NaN": (lambda: turn.matrix_from_quaternion([np.nan] * 4), "one of length nan"),
    "no direction": (lambda: turn.matrix_from_axis_angle([0, 0, 0], 1), "has no direction"),
    "no rotation": (lambda: turn.quaternion_from_matrix(np.ones((3, 3))), "not unit vectors at right angles"),
    "a mirror": (lambda: turn.vector_from_matrix(-np.eye(3)), "it mirrors"),
    "of NaN": (lambda: turn.vector_from_matrix(np.full((3, 3), np.nan)), "not a rotation"),
    "shape": (lambda: turn.forms(np.eye(2)), r"found shape \(2, 2\)"),
    "last row": (lambda: turn.inverse(np.ones((4, 4))), "last row of a transform"),
    "letters": (lambda: turn.forms(turn.about("x", "a")), r"give them by \.at\(name=…\)"),
    "vector of letters": (lambda: turn.matrix_from_vector(["a", 0, 0]), "matrix_from_axis_angle"),
    "a value short": (lambda: turn.about("x", "a").at(), "these letters have no value: a"),
    "no motion": (turn.compose, "at least one"),
    "screw": (lambda: turn.transform_from_screw([0, 0, 2, 0, 0, 0], 1), "divide it by that length"),
    "names": (lambda: turn.picture(np.eye(3), names=["a"]), "found 1, expected 2"),
    "many at once": (lambda: turn.forms(np.stack([np.eye(3)] * 2)), "one at a time"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_fits_nothing_is_refused_in_a_sentence(name: str) -> None:
    call, said = REFUSED[name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises((InputError, UnknownNameError), match=said):
            call()


def test_the_picture_has_a_label_at_every_arrow(tmp_path: Any) -> None:
    T = turn.transform_from_parts(turn.about("z", 0.5), [0.3, 0.2, 0.5])
    drawn = turn.picture(T, turn.about("x", "40°"), path=tmp_path / "frames.svg")
    assert (tmp_path / "frames.svg").read_text(encoding="utf-8") == drawn
    assert drawn.count("<text") == 9 and drawn.count('opacity="0.45"') == 1
    own = turn.picture(T, names=["A", "<B>"])
    assert own.count(">A</tspan>") == 3 and own.count(">&lt;B&gt;</tspan>") == 3


def test_forms_are_those_of_the_functions() -> None:
    R = turn.matrix_from_euler([10, 20, 30], "zxz", axes="extrinsic", angle="deg")
    found = turn.forms(turn.transform_from_parts(R, [1, 2, 3]), "zxz", axes="extrinsic", angle="deg")
    assert np.allclose(found.euler.angles, [10, 20, 30]) and found.as_dict()["position"] == [1, 2, 3]
    assert "zxz angles, extrinsic, deg  10  20  30" in str(found)
    with pytest.warns(ManipulaWarning, match="gimbal lock"):
        assert "only a combination is determined" in str(turn.forms(np.eye(3), "zyz"))
