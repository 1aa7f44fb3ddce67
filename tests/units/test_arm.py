"""Every model of the catalogue is a method of `Arm`, declared for type checkers.

`python -m tests.units.test_arm` writes the declarations in `manipula/ik/arm/arm_models.py` anew from the catalogue.
"""

from __future__ import annotations

import ast
import inspect
import pickle
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import manipula as mp
from manipula.ik.arm import arm_models
from manipula.mechanics.models.catalogue import MODELS
from manipula.mechanics.models.entry import TOOL
from manipula.mechanics.models.entry import ModelEntry as Entry

pytestmark = pytest.mark.usefixtures("kept_functions")

SOURCE = Path(arm_models.__file__)
BY_HAND = ("jacobian", "inverse_kinematics")
MADE = [model for name, model in MODELS.items() if name not in BY_HAND]
QUICK = [x for x in MADE if not x.wants and not x.name.endswith(("derivatives", "jvp", "vjp"))]  # of any arm


def declaration(model: Entry) -> str:
    """One method as type checkers see it."""
    inputs = "".join(f"{name}: Given, " for name in model.inputs)
    wrench = "wrench_tool: Wrench = None, " if model.takes_wrench else ""
    gives = "Array" if len(model.outputs) == 1 else "Any"
    options = "ToolOptions" if model.needs & TOOL else "Options"
    return f"def {model.name}(self, {inputs}{wrench}**how: Unpack[{options}]) -> {gives}: ..."


def declarations() -> str:
    head = "    if TYPE_CHECKING:\n"
    return head + "".join(f"        {declaration(model)}\n" for model in MADE)


def written() -> ast.If:
    [arm] = [
        node
        for node in ast.parse(SOURCE.read_text()).body
        if isinstance(node, ast.ClassDef) and node.name == "ArmModels"
    ]
    [block] = [node for node in arm.body if isinstance(node, ast.If)]
    return block


def test_the_declarations_are_those_of_the_catalogue() -> None:
    wanted = ast.unparse(ast.parse(inspect.cleandoc("\n" + declarations())).body[0])
    assert ast.unparse(written()) == wanted, "run python -m tests.units.test_arm"


@pytest.mark.parametrize("name", MODELS)
def test_every_model_is_a_method_that_tells_its_arguments(name: str) -> None:
    method = getattr(mp.Arm, name)
    assert name in dir(mp.Arm("planar2r"))
    assert method.__doc__ and method.__qualname__ == f"Arm.{name}"
    assert pickle.loads(pickle.dumps(method)) is method
    if name not in BY_HAND:
        options = ("self", "wrench_tool", "frame", "out", "threads")
        taken = [x for x in inspect.signature(method).parameters if x not in options]
        assert taken == list(MODELS[name].inputs)
        assert all(re.search(rf"^{x}: ", method.__doc__, re.M) for x in (*taken, *MODELS[name].outputs))


@pytest.fixture(scope="module")
def arm() -> mp.Arm:
    robot = mp.Robot.from_dh([(0, 0.1, 0.3, 0.4), (0, 0, 0.2, 1.1, "P")])
    unknown = [name for name, value in robot.parameters.items() if value is None]
    diagonal = {name: 0.5 for name in unknown if name[:3] in ("Ixx", "Iyy", "Izz")}
    return mp.Arm(robot.with_parameters(**dict.fromkeys(unknown, 0.1) | diagonal))


@pytest.mark.parametrize("model", QUICK, ids=lambda model: model.name)
def test_a_method_is_the_model_however_it_is_called(arm: mp.Arm, model: Entry) -> None:
    draw, sizes = np.random.default_rng(3), {port.name: port.shape for port in arm.model(model.name).inputs}
    given = {name: draw.normal(size=sizes[name]) for name in model.inputs}
    method, wanted = getattr(arm, model.name), arm.model(model.name)(*given.values())
    plain, options = [x.tolist() for x in given.values()], {"threads": 1}
    for found in (method(*given.values()), method(**given), method(*plain), method(*plain, **options)):
        pairs = zip(found, wanted, strict=True) if len(model.outputs) > 1 else [(found, wanted)]
        for one, other in pairs:
            np.testing.assert_array_equal(one, other)
    told = inspect.signature(method).parameters
    assert list(told) == [name for name in inspect.signature(getattr(mp.Arm, model.name)).parameters if name != "self"]
    if type(method).__name__ == "builtin_function_or_method":
        assert "On this arm:" in method.__doc__


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda arm: arm.gravity(), r"Arm\.gravity\(\) missing 1 required positional argument: 'q'"),
        (lambda arm: arm.coriolis([0, 0]), r"Arm\.coriolis\(\) missing 1 required positional argument: 'qd'"),
        (lambda arm: arm.gravity([0, 0], [0, 0]), r"Arm\.gravity\(\) takes 2 positional arguments but 3 were given"),
        (lambda arm: arm.gravity([0, 0], thread=2), r"Arm\.gravity\(\) got an unexpected keyword argument 'thread'"),
        (lambda arm: arm.gravity([0, 0], wrench_tool=[0] * 6), r"unexpected keyword argument 'wrench_tool'"),
    ],
)
def test_a_wrong_call_is_refused_by_the_name_of_the_method(arm: mp.Arm, call: object, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        call(arm)  # type: ignore[operator]


def test_a_new_model_is_a_method_by_itself() -> None:
    code = """
from dataclasses import replace
from manipula.mechanics.models.catalogue import MODELS
MODELS["weight"] = replace(MODELS["gravity"], name="weight", doc="what hangs on the joints")
import manipula
arm = manipula.Arm(manipula.load("planar2r").with_parameters(l1=1, l2=1, m1=1, m2=1, g=10))
q = [0.1, 0.2]
assert (arm.weight(q) == arm.gravity(q)).all()
assert (arm.weight([q, q])[1] == arm.gravity(q)).all()
assert manipula.Arm.weight.__doc__.startswith("What hangs on the joints.")
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_declaration_that_is_out_of_date_is_noticed() -> None:
    first = replace(MADE[0], inputs=("q", "qd"))
    assert ast.unparse(ast.parse(declaration(first))) not in ast.unparse(written())


def write() -> None:
    """Put the declarations into `arm_models.py`; `ruff format` then sets the lines."""
    lines = SOURCE.read_text().splitlines(keepends=True)
    block = written()
    lines[block.lineno - 1 : block.end_lineno] = [declarations()]
    SOURCE.write_text("".join(lines))


if __name__ == "__main__":
    write()
