"""Every function of every library robot is proved; what `generate` returns has passed, so this asks for them all."""

from __future__ import annotations

import pytest

import manipula as mp
from manipula.generation.arm_structure import numeric_chain
from manipula.mechanics.models.catalogue import MODELS
from manipula.mechanics.models.inverse.classify import classify

pytestmark = pytest.mark.usefixtures("kept_functions")  # what another test has made is proved again here

BESIDE = ("pose", "jacobian", "inertia_matrix")  # of a robot one in `make test`, all in `make test-all`
SHARE = 3  # of the robots every third in `make test`, all in `make test-all`; torques of all: test_labels


def is_proved(name: str, model: str) -> bool:
    return "identical to the plain model" in mp.generate(name, model).provenance.proof


@pytest.mark.drawn("name", few=3)
@pytest.mark.parametrize("name", mp.robots()[::SHARE])
def test_main_models_are_proved(name: str) -> None:
    turn = mp.robots().index(name) // SHARE % len(BESIDE)
    assert is_proved(name, "inverse_dynamics") and is_proved(name, BESIDE[turn])


@pytest.mark.slow
@pytest.mark.parametrize("name", mp.robots())
def test_all_main_models_are_proved(name: str) -> None:
    assert all(is_proved(name, model) for model in ("inverse_dynamics", *BESIDE))


@pytest.mark.slow
@pytest.mark.parametrize("name", mp.robots())
def test_every_model_by_every_method_is_proved(name: str) -> None:
    robot = mp.load(name)
    solvable = classify(numeric_chain(robot)).has_closed_form
    for model in MODELS if solvable else [name for name in MODELS if name != "inverse_kinematics"]:
        for method in mp.methods(model):
            proved = mp.generate(robot, model, method=method, optimise="none")
            assert "identical to the plain model" in proved.provenance.proof


@pytest.mark.turn
@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["planar2r", "stanford3", "puma560"])
@pytest.mark.parametrize("symbolic", ["auto", "all"])
def test_symbolic_choices_are_proved(name: str, symbolic: str) -> None:
    for model in ("inverse_dynamics", "lagrange_terms", "regressor"):
        assert mp.generate(name, model, symbolic=symbolic).cost.total > 0


@pytest.mark.turn
@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["planar2r", "rp", "puma560", "panda"])
def test_the_laws_hold_on_library_robots(name: str) -> None:
    report = mp.check(name)
    assert report.passed, str(report)
    assert sum(verdict.how == "proved" for verdict in report.verdicts) >= 14
