"""Every model of the catalogue is a method of `Arm`, declared for type checkers.

`python -m tests.units.test_arm` writes the catalogue's index of files from their entries, and from the catalogue the
declarations in `manipula/ik/arm/arm_models.py`.
"""

from __future__ import annotations

import ast
import inspect
import os
import pickle
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import manipula as mp
from manipula.ik.arm import arm_models
from manipula.mechanics.models import catalogue
from manipula.mechanics.models.catalogue import HOMES, MODELS
from manipula.mechanics.models.entry import TOOL
from manipula.mechanics.models.entry import ModelEntry as Entry
from manipula.mechanics.models.floating.forms import ROOM

pytestmark = pytest.mark.usefixtures("kept_functions")

SOURCE = Path(arm_models.__file__)
BY_HAND = ("jacobian", "inverse_kinematics")
MADE = [model for name, model in MODELS.items() if name not in BY_HAND]
QUICK = [x for x in MADE if not x.wants and not x.name.endswith(("derivatives", "jvp", "vjp"))]  # of any arm


def declaration(model: Entry) -> str:
    """One method as type checkers see it."""
    inputs = "".join(f"{name}: Given, " for name in model.inputs)
    wrench = "wrench_tool: Wrench = None, " if model.takes_wrench else ""
    gives = outputs_type(model)
    options = "ToolOptions" if model.needs & TOOL else "Options"
    call = f"def {model.name}(self, {inputs}{wrench}**how: Unpack[{options}]) -> {gives}: ..."
    if not model.floating:
        return call
    moving = f"def {model.name}(self, {inputs}*, base: Base, **how: Unpack[{options}]) -> {on_base(model)}: ..."
    text = f"def {model.name}(self, *given: object, **how: object) -> object: ..."
    return f"@overload\n        {call}\n        @overload\n        {moving}\n        {text}"


def on_base(model: Entry) -> str:
    """What the form on a base that moves gives; where a free base and a given one have different outputs, either."""
    kinds = {*map(outputs_type, base_forms(model))}
    return kinds.pop() if len(kinds) == 1 else "Any"


def base_forms(model: Entry) -> list[Entry]:
    forms = import_module(f"{ROOM}.{model.floating}").FORMS if model.floating else {}
    return [form for name, form in forms.items() if name.partition(" ")[0] == model.name]


def outputs_type(entry: Entry) -> str:
    """An array, or the class with these fields."""
    return "Array" if len(entry.outputs) == 1 else named_tuples()[tuple(entry.outputs)]


@cache
def named_tuples() -> dict[tuple[str, ...], str]:
    """Outputs of several arrays → the name of their class: of the first model that has them."""
    found: dict[tuple[str, ...], str] = {}
    for model in made_by_catalogue():
        name = "".join(word.capitalize() for word in model.name.split("_"))
        for ending, entry in [("Arrays", model), *(("ArraysOnBase", form) for form in base_forms(model))]:
            if len(entry.outputs) > 1 and tuple(entry.outputs) not in found:
                assert name + ending not in found.values(), f"{model.name}: two forms with outputs of their own"
                found[tuple(entry.outputs)] = name + ending
    return found


def made_by_catalogue() -> list[Entry]:
    return [model for name, model in catalogue.ModelCatalogue(homes()).items() if name not in BY_HAND]


def declarations() -> str:
    head = "    if TYPE_CHECKING:\n"
    return head + "".join(f"        {declaration(model)}\n" for model in made_by_catalogue())


def result_classes() -> str:
    fields = {name: "".join(f"        {x}: Array\n" for x in outputs) for outputs, name in named_tuples().items()}
    return "if TYPE_CHECKING:\n" + "\n".join(f"    class {name}(NamedTuple):\n{text}" for name, text in fields.items())


def written() -> ast.If:
    [arm] = [
        node
        for node in ast.parse(SOURCE.read_text()).body
        if isinstance(node, ast.ClassDef) and node.name == "ArmModels"
    ]
    [block] = [node for node in arm.body if isinstance(node, ast.If)]
    return block


def written_classes() -> ast.If:
    [block] = [node for node in ast.parse(SOURCE.read_text()).body if isinstance(node, ast.If)]
    return block


def test_the_declarations_are_those_of_the_catalogue() -> None:
    wanted = ast.unparse(ast.parse(inspect.cleandoc("\n" + declarations())).body[0])
    assert ast.unparse(written()) == wanted, "run python -m tests.units.test_arm"
    assert ast.unparse(written_classes()) == ast.unparse(ast.parse(result_classes())), (
        "run python -m tests.units.test_arm"
    )


@pytest.mark.parametrize("name", MODELS)
def test_every_model_is_a_method_that_tells_its_arguments(name: str) -> None:
    method = getattr(mp.Arm, name)
    assert name in dir(mp.Arm("planar2r"))
    assert method.__doc__ and method.__qualname__ == f"Arm.{name}"
    assert pickle.loads(pickle.dumps(method)) is method
    if name not in BY_HAND:
        options = ("self", "wrench_tool", "wrenches", "frame", "base", "out", "threads")
        taken = [x for x in inspect.signature(method).parameters if x not in options]
        assert taken == list(MODELS[name].inputs)
        assert all(re.search(rf"^{x}: ", method.__doc__, re.M) for x in (*taken, *MODELS[name].outputs))


@pytest.fixture(scope="module")
def arm() -> mp.Arm:
    robot = mp.Robot.from_dh([(0, 0.1, 0.3, 0.4), (0, 0, 0.2, 1.1, "P")])
    unknown = [name for name, value in robot.parameters.items() if value is None]
    diagonal = {name: 0.5 for name in unknown if name[:3] in ("Ixx", "Iyy", "Izz")}
    return mp.Arm(robot.with_parameters(**dict.fromkeys(unknown, 0.1) | diagonal))


@pytest.mark.drawn("model", few=10)
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


# a model of its own, in one file: two texts of the power that the motors give, and an entry
TOY = """
from manipula.mechanics.models.catalogue import MODELS
from manipula.mechanics.models.dynamics.torque import inverse_dynamics
from manipula.mechanics.models.entry import TORQUES, ModelEntry
from manipula.mechanics.spatial.vector import dot

def plain(chain, x):
    return {"P": dot(inverse_dynamics(chain, x["q"], x["qd"], x["qdd"]), x["qd"])}

def part_by_part(chain, x):
    still = [0] * chain.dof
    parts = [inverse_dynamics(chain, x["q"], x["qd"], qdd) for qdd in (x["qdd"], still)]
    return {"P": dot(parts[1], x["qd"]) + dot([a - b for a, b in zip(*parts)], x["qd"])}

MODELS.register(ModelEntry(
    "motor_power", "what the motors give", ("q", "qd", "qdd"), {"P": ("W", "of all joints")},
    {"plain": plain, "parts": part_by_part}, TORQUES, candidates=("plain", "parts"), trees=("plain", "parts"),
))
"""

USED = """
import sys
import numpy as np
import manipula as mp
from manipula.errors import InputError, ProofError
from manipula.mechanics.models.catalogue import MODELS
from tests.random_robots import random_robot
mp.Arm  # made before the model is known
import toy

for seed in map(int, sys.argv[1:]):
    robot = mp.Robot.of(random_robot(seed, joints="RPF"[seed % 3] + "RR"[: 1 + seed % 2]))
    made = mp.generate(robot, "motor_power", optimise="none")
    assert "identical to the plain model" in made.provenance.proof, made.provenance
    arm = mp.Arm(robot, optimise="none")
    state = np.random.default_rng(seed).normal(size=(3, 4, robot.dof))
    power = (arm.inverse_dynamics(*state) * state[1]).sum(axis=-1)
    np.testing.assert_allclose(arm.motor_power(*state), power, rtol=1e-9)
    np.testing.assert_allclose(arm.motor_power(*state[:, 0]), power[0], rtol=1e-9)
assert mp.Arm.motor_power.__doc__.startswith("What the motors give.")
assert "motor_power" in mp.models()

wrong = lambda chain, x: {"P": 2 * toy.plain(chain, x)["P"]}
MODELS["motor_power"].methods["parts"] = wrong
try:
    mp.generate(robot, "motor_power", method="parts", optimise="none")
except ProofError:
    pass
else:
    raise AssertionError("a wrong method was taken")
try:
    MODELS.register(MODELS["motor_power"])
except InputError as refusal:
    assert "motor_power" in str(refusal)
else:
    raise AssertionError("two models of one name")
"""


def test_a_model_in_one_file_is_proved_compiled_and_a_method(tmp_path: Path) -> None:
    """On neighbours of a 3-joint arm; a method of it that is wrong does not leave."""
    (tmp_path / "toy.py").write_text(TOY, encoding="utf-8")
    path = os.pathsep.join([str(tmp_path), str(Path(mp.__file__).parents[1])])
    subprocess.run([sys.executable, "-c", USED, "1", "3", "4"], check=True, env=os.environ | {"PYTHONPATH": path})


def homes() -> dict[str, str]:
    """Model → file, of every file that has entries; in the order of the index, new ones behind."""
    room = Path(catalogue.__file__).parent
    names = [".".join(path.relative_to(room).with_suffix("").parts) for path in sorted(room.rglob("*.py"))]
    files = [name for name in names if hasattr(import_module(f"{catalogue.ROOM}.{name}"), "ENTRIES")]
    places = [(entry.name, name) for name in files for entry in catalogue.entries_of(name)]
    assert len(places) == len(dict(places)), "a name that two entries have"
    known = {name: place for name in HOMES for model, place in places if model == name}
    return known | dict(places)


def test_the_index_is_that_of_the_entries() -> None:
    assert list(homes().items()) == list(HOMES.items()), "run python -m tests.units.test_arm"


def test_a_declaration_that_is_out_of_date_is_noticed() -> None:
    first = replace(MADE[0], inputs=("q", "qd"))
    text = inspect.cleandoc(f"        {declaration(first)}")
    assert ast.unparse(ast.parse(text)) not in ast.unparse(written())


def write_index() -> None:
    path = Path(catalogue.__file__)
    lines = "".join(f'    "{name}": "{home}",\n' for name, home in homes().items())
    path.write_text(re.sub(r"(?ms)^HOMES = \{.*?^\}", f"HOMES = {{\n{lines}}}", path.read_text()))


def write() -> None:
    """Put the declarations into `arm_models.py`; `ruff format` then sets the lines."""
    lines = SOURCE.read_text().splitlines(keepends=True)
    for block, text in ((written(), declarations()), (written_classes(), result_classes())):  # the lower one first
        lines[block.lineno - 1 : block.end_lineno] = [text]
    SOURCE.write_text("".join(lines))


if __name__ == "__main__":
    write_index()
    write()
