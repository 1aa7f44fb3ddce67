"""The public surface: the names a user may rely on, written here by hand so that none appears or goes by accident."""

from __future__ import annotations

import importlib.util
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import manipula as mp

NAMES_TEXT = """
    Arm Model Motions Robot
    base_parameters check check_base_parameters convert count count_orders dossier generate inverse_derivation languages
    load methods models robots save significance tables
    ConditionError InputError ManipulaError ManipulaWarning ProofError RobotFileError SizeError UnknownNameError
    __version__
"""
NAMES = NAMES_TEXT.split()

MEMBERS = {
    "Arm": """inverse_kinematics inverse_plan inverse_solver solver_for coriolis coriolis_matrix dof energy
        forward_dynamics
        forward_dynamics_derivatives forward_dynamics_jvp forward_dynamics_vjp frames gravity
        inertia_matrix inertia_matrix_inverse inverse_dynamics inverse_dynamics_derivatives inverse_dynamics_jvp
        inverse_dynamics_vjp jacobian jacobian_dot
        joint_wrenches limits model pose regressor""",
    "Model": """columns compile conditions cost emit equations explain function inputs latex name only outputs split
        tape to_sympy tree_cost""",
    "Robot": """base base_parameters cells dof from_dh from_text gravity joint_names joints name names of origin
        parameters payload standard_parameters
        tool values with_base with_gravity with_parameters with_payload with_standard_parameters with_tool without""",
}


def test_the_names_are_those_listed() -> None:
    assert sorted(mp.__all__) == sorted(NAMES)


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith("__")])
def test_every_name_says_what_it_is(name: str) -> None:
    own = vars(getattr(mp, name)).get("__doc__") if inspect.isclass(getattr(mp, name)) else getattr(mp, name).__doc__
    assert own and own.strip()


@pytest.mark.parametrize("name", MEMBERS)
def test_the_members_are_those_listed(name: str) -> None:
    kind = getattr(mp, name)
    fields = getattr(kind, "__dataclass_fields__", {})
    assert sorted({x for x in (*dir(kind), *fields) if not x.startswith("_")} - {"optimise", "robot"}) == sorted(
        MEMBERS[name].split()
    )


def test_the_version_is_one_line_of_numbers() -> None:
    assert all(part.isdigit() for part in mp.__version__.split("."))


def test_importing_loads_no_more_than_most_programs_need() -> None:
    """What serves one verb, printing or emitting waits until it is asked for."""
    heavy = ("scipy", "flint", "jinja2", "sympy", "manipula.ik", "manipula.ik.derivation", "manipula.algebra.show")
    code = f"import sys, manipula; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_module_has_the_name_of_a_verb() -> None:
    """The import of such a module would put it in the place of the verb."""
    verbs = [name for name in mp.__all__ if inspect.isfunction(getattr(mp, name))]
    assert verbs
    assert [name for name in verbs if importlib.util.find_spec(f"manipula.{name}")] == []


def test_a_dossier_can_be_written_twice(tmp_path: Path) -> None:
    first, second = (mp.dossier("planar2r", tmp_path / name) for name in ("one", "two"))
    assert [path.read_text() for path in first] == [path.read_text() for path in second]


@pytest.mark.parametrize("nothing", [[], ()])
def test_no_models_are_no_function(nothing: list[str]) -> None:
    with pytest.raises(mp.InputError, match="empty list of models"):
        mp.generate("planar2r", nothing)
