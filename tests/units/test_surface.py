"""The public surface: the names a user may rely on, written here by hand so that none appears or goes by accident."""

from __future__ import annotations

import importlib.util
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import manipula as mp
from manipula.mechanics.models.catalogue import MODELS

NAMES_TEXT = """
    Arm Event JointModel Law Log Model Motions OnlineEstimator PayloadEstimator Plant Robot Run Sensors System
    base_parameters calibrate check check_answer check_base_parameters choose_drives closed_forms closed_loop
    controller convert count count_orders derive dossier drawing excite generate identify inverse_derivation languages
    law load loads methods models picture read_log report robots rotation save screws significance reach robot_module
    simulate singularities states studies study tables trajectory where worksheet ConditionError InputError
    ManipulaError ManipulaWarning ProofError RobotFileError SizeError UnknownNameError __version__
"""
NAMES = NAMES_TEXT.split()

MEMBERS = {
    "Arm": f"""at constrained_dynamics follow frame_biases frame_jacobians jax
        inverse_kinematics_batch inverse_plan inverse_solver solver_for dof limits model plot plot_ellipsoid
        plot_workspace torch view {" ".join(MODELS)}""",
    "Model": """as_dict casadi columns compile conditions cost emit equations explain function inputs latex name only
        outputs provenance split tape to_sympy tree_cost typst""",
    "System": """as_dict casadi columns compile conditions cost emit equations explain function initial inputs
        latex name only outputs provenance run sample settings split start step tape to_sympy torch tree_cost typst""",
    "Robot": """as_dict at base base_link base_parameters cells close coordinates digest dof elements frame_names
        frames freedoms from_description from_dh from_screws from_text gravity ground
        joint_names joints kind link_names locked loops motor_coordinates motors moving name named_poses names of
        origin poses parameters
        parents
        payload road standard_parameters tip_link tool tool_on tool_row values with_base with_frame with_friction
        with_gravity with_motor_inertia with_parameters with_payload with_poses with_standard_parameters
        with_tool without""",
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


HEAVY = ("numpy", "scipy", "llvmlite", "pydantic", "mpmath", "flint", "jinja2", "sympy")
ROOMS = ("algebra", "generation", "ik", "mechanics", "pages", "parameters", "simulation", "arm", "robot")


def loaded_by(code: str) -> set[str]:
    """The modules of a fresh interpreter after the code."""
    tail = "import sys; print('loaded', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", f"{code}\n{tail}"], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split()[1:])


def test_importing_loads_no_machinery() -> None:
    """A verb loads what it needs when it is called, a class when it is named."""
    loaded = loaded_by("import manipula; dir(manipula)")
    assert loaded & {*HEAVY, "typer", "rich", *(f"manipula.{room}" for room in ROOMS)} == set()
    assert "manipula.api" in loaded


@pytest.mark.parametrize("arguments", [["--help"], ["generate", "--help"], ["ik", "-h"]])
def test_help_loads_no_machinery(arguments: list[str]) -> None:
    code = f"from manipula.cli.app import app\ntry: app({arguments!r})\nexcept SystemExit: pass"
    allowed = {"pydantic"} if len(arguments) > 1 else set()  # typer itself may read a command's arguments with it
    found = loaded_by(code) & {*HEAVY, *(f"manipula.{room}" for room in ROOMS)}
    assert found <= allowed


def test_one_verb_loads_what_it_needs_and_no_more() -> None:
    loaded = loaded_by("import manipula; manipula.load('planar2r')")
    assert "manipula.robot" in loaded
    assert loaded & {"scipy", "flint", "jinja2", "sympy", "llvmlite", "manipula.generation", "manipula.ik"} == set()


def test_classes_are_those_of_their_modules_and_stay() -> None:
    code = """
import manipula, pickle, typing
names = [name for name in manipula.__all__ if name[0].isupper() and name not in vars(manipula)]
known = "Arm Event JointModel Law Log Model Motions OnlineEstimator PayloadEstimator Plant Robot Run Sensors System"
assert names == known.split(), names
assert set(manipula.__all__) <= set(dir(manipula))
first = [getattr(manipula, name) for name in names]
assert all(vars(manipula)[name] is kind and kind.__name__ == name for name, kind in zip(names, first))
assert pickle.loads(pickle.dumps(manipula.Robot)) is manipula.Robot
star = {}
exec("from manipula import *", star)
assert set(manipula.__all__) <= set(star)
"""
    assert "manipula.arm" in loaded_by(code)


def test_a_name_that_is_not_there_is_said_as_python_says_it() -> None:
    with pytest.raises(AttributeError, match="module 'manipula' has no attribute 'arms'"):
        mp.arms  # noqa: B018


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
