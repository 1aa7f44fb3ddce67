"""Co-simulation units: what an importer reads, sets and steps is what the law computes in Python."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.run import units
from manipula.algebra.run.units import PLATFORMS
from tests.golden.sentences import Sentences

PID = {"kp": 400.0, "ki": 150.0, "kd": 40.0, "limit": 60.0, "tracking": 20.0, "filter": 2e-3}
COMPUTED = {"kp": 100.0, "kd": 20.0}
STEP = 1e-3


def arm(joints: str = "RR") -> mp.Robot:
    inertia = dict.fromkeys(("xx", "yy", "zz"), 0.02) | dict.fromkeys(("xy", "xz", "yz"), 0)
    link = {"theta": 0, "d": 0.1, "a": 0.3, "mass": 1.5, "com": [0.1, 0, 0], "inertia": inertia}
    kinds = {"R": {"alpha": 0}, "P": {"alpha": 90, "type": "prismatic"}}
    rows = [{**link, **kinds[kind]} for kind in joints]
    return mp.Robot.from_dh(rows, convention="standard", angle="deg", name=f"arm {joints}")


class Unit:
    """An importer by hand: the archive's binary through ctypes."""

    def __init__(self, path: Path, token: str | None = None) -> None:
        folder = Path(tempfile.mkdtemp(dir=path.parent))  # a library that is loaded must not be written over
        with zipfile.ZipFile(path) as packed:
            packed.extractall(folder)
        tree = ElementTree.parse(folder / "modelDescription.xml").getroot()
        variables = tree.find("ModelVariables")
        assert variables is not None
        self.about = {x.attrib["name"]: x for x in variables}
        self.token = tree.attrib["instantiationToken"]
        # with a cross compiler a unit has binaries for other machines, too
        (here,) = (x.folder for x in PLATFORMS if x.is_here)
        self.library = ctypes.CDLL(str(next((folder / "binaries" / here).glob(f"{path.stem}.*"))))
        self.said: list[str] = []
        kind = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)
        self._log = kind(lambda _environment, _status, _category, text: self.said.append(text.decode()))
        make = self.library.fmi3InstantiateCoSimulation
        make.restype = ctypes.c_void_p
        null, no = ctypes.c_void_p(), ctypes.c_bool(False)
        told = (token or self.token).encode()
        made = make(b"x", told, b"", no, no, no, no, null, ctypes.c_size_t(0), null, self._log, null)
        self.instance = ctypes.c_void_p(made)

    def _access(self, function: Any, names: Sequence[str], values: Any) -> int:
        refs = (ctypes.c_uint32 * len(names))(*(int(self.about[name].attrib["valueReference"]) for name in names))
        sizes = ctypes.c_size_t(len(names)), ctypes.c_size_t(len(values))
        return int(function(self.instance, refs, sizes[0], values, sizes[1]))

    def set(self, **given: Sequence[float]) -> int:
        flat = [float(x) for values in given.values() for x in values]
        return self._access(self.library.fmi3SetFloat64, list(given), (ctypes.c_double * len(flat))(*flat))

    def get(self, name: str) -> list[float]:
        found = (ctypes.c_double * self.size(name))()
        assert self._access(self.library.fmi3GetFloat64, [name], found) == 0
        return list(found)

    def size(self, name: str) -> int:
        dimension = self.about[name].find("Dimension")
        return 1 if dimension is None else int(dimension.attrib["start"])

    def begin(self) -> int:
        zero, no = ctypes.c_double(0), ctypes.c_bool(False)
        self.library.fmi3EnterInitializationMode(self.instance, no, zero, zero, no, zero)
        return int(self.library.fmi3ExitInitializationMode(self.instance))

    def step(self, now: float, length: float = STEP) -> int:
        flags, last = [ctypes.c_bool() for _ in range(3)], ctypes.c_double()
        told = [ctypes.byref(x) for x in (*flags, last)]
        times = ctypes.c_double(now), ctypes.c_double(length)
        return int(self.library.fmi3DoStep(self.instance, *times, ctypes.c_bool(True), *told))


pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
SHIPPED = units.FLAGS


@pytest.fixture(autouse=True, scope="module")
def plainly_compiled() -> Iterator[None]:
    """What a unit computes is the subject: the compiler is asked for no speed, which takes a quarter of the time."""
    units.FLAGS = tuple("-O0" if word == "-O2" else word for word in SHIPPED)
    yield
    units.FLAGS = SHIPPED


def test_the_compiler_s_flags() -> None:
    assert {"-O2", "-ffp-contract=off", "-fvisibility=hidden"} < set(SHIPPED)


@pytest.mark.parametrize("joints", ["R", "RR", "RPR", "PRRR"])
def test_a_law_steps_as_in_python(joints: str, tmp_path: Path) -> None:
    law, n = mp.controller(arm(joints), "pid", sample=STEP, **PID), len(joints)
    (path,) = law.emit("fmu", tmp_path, platforms="here")
    unit, draw = Unit(path), np.random.default_rng(n)
    q, q_ref, qd_ref = draw.uniform(-1, 1, (3, n))
    assert unit.set(q=q, q_ref=q_ref, qd_ref=qd_ref, filtered=q) == 0
    assert unit.begin() == 0
    state, kp = law.start(filtered=q), np.full(n, PID["kp"])
    for i in range(6):
        assert unit.step(i * STEP) == 0
        if i == 3:  # another gain from the next step on
            kp = np.full(n, 250.0)
            unit.set(kp=kp)
        state, tau = law.step(state, q, q_ref, qd_ref, p={f"kp{j + 1}": x for j, x in enumerate(_before(kp, i))})
        np.testing.assert_allclose(unit.get("tau"), tau, rtol=1e-13)
        np.testing.assert_allclose(unit.get("integral"), state.integral, rtol=1e-13)


def _before(kp: Any, i: int) -> Any:
    return np.full(len(kp), PID["kp"]) if i <= 3 else kp


@pytest.mark.turn
def test_a_law_without_memory_and_a_loop(tmp_path: Path) -> None:
    robot = arm("RPR")
    law = mp.controller(robot, "computed_torque", sample=STEP, kp=100, kd=20)
    (path,) = law.emit("fmu", tmp_path, platforms="here")
    unit, zero = Unit(path), [0.0] * 3
    unit.set(q=[0.1, 0.2, 0.3], qd=[1, 2, 3], qdd_ref=[1, 0, 1])
    assert unit.begin() == 0
    tau = law.step((), [0.1, 0.2, 0.3], [1, 2, 3], zero, zero, [1, 0, 1]).outputs
    np.testing.assert_allclose(unit.get("tau"), tau, rtol=1e-13)

    loop = mp.closed_loop(robot, law)
    (path,) = loop.emit("fmu", tmp_path, platforms="here")
    unit = Unit(path)
    unit.set(q=[0.1, 0.2, 0.3])
    assert unit.begin() == 0
    np.testing.assert_array_equal(unit.get("q"), [0.1, 0.2, 0.3])  # nothing has moved yet
    state = loop.start(q=[0.1, 0.2, 0.3])
    assert unit.step(0.0, 5 * STEP) == 0  # five steps in one
    for _ in range(5):
        state, _ = loop.step(state, zero, zero, zero)
    np.testing.assert_allclose(unit.get("q"), state.q, rtol=1e-12)
    assert unit.get("time") == [5 * STEP]


def test_parameters_and_states_to_start_from(tmp_path: Path, whole: Sentences) -> None:
    robot = arm().with_payload("mL", ("rL", 0, 0))
    law = mp.controller(arm(), "pid", sample=STEP, **PID)
    loop = mp.closed_loop(robot, law)
    with whole.raises(mp.ManipulaError, match="'mL'"):
        loop.emit("fmu", tmp_path, start={"rL": 0.1})
    with whole.raises(mp.ManipulaError, match="mL: expected a finite number, found 'heavy'"):
        loop.emit("fmu", tmp_path, start={"mL": "heavy", "rL": 0.1})
    with whole.raises(mp.ManipulaError, match="speed"):
        loop.emit("fmu", tmp_path, start={"mL": 1, "rL": 0.1, "speed": [0, 0]})
    with whole.raises(mp.ManipulaError, match="q"):
        loop.emit("fmu", tmp_path, start={"mL": 1, "rL": 0.1, "q": [0, 0, 0]})
    with whole.raises(mp.ManipulaError, match="NAME_init"):
        loop.emit("c", tmp_path, start={"q": [0, 0]})
    (path,) = loop.emit("fmu", tmp_path, start={"mL": 2, "rL": 0.1, "q": [0.3, 0.4]})
    unit, state, zero = Unit(path), loop.start(q=[0.3, 0.4]), [0.0, 0.0]
    assert unit.begin() == 0
    for i in range(3):
        unit.step(i * STEP)
        state, _ = loop.step(state, zero, zero, p={"mL": 2, "rL": 0.1})
    np.testing.assert_allclose(unit.get("q"), state.q, rtol=1e-12)
    unit.set(mL=[4.0])
    unit.step(3 * STEP)
    state, _ = loop.step(state, zero, zero, p={"mL": 4, "rL": 0.1})
    np.testing.assert_allclose(unit.get("qd"), state.qd, rtol=1e-12)


def test_states_are_taken_and_put_back(tmp_path: Path) -> None:
    (path,) = mp.controller(arm(), "pid", sample=STEP, **PID).emit("fmu", tmp_path)
    unit, kept = Unit(path), ctypes.c_void_p()
    unit.set(q_ref=[1, 1])
    unit.begin()
    unit.step(0)
    unit.library.fmi3GetFMUState(unit.instance, ctypes.byref(kept))
    before = unit.get("integral")
    unit.step(STEP)
    assert unit.get("integral") != before
    unit.library.fmi3SetFMUState(unit.instance, kept)
    assert unit.get("integral") == before
    unit.library.fmi3FreeFMUState(unit.instance, ctypes.byref(kept))
    unit.library.fmi3Reset(unit.instance)
    assert unit.get("integral") == [0, 0]


def test_what_cannot_be_is_said(tmp_path: Path) -> None:
    law = mp.controller(arm(), "pid", sample=STEP, **PID)
    (path,) = law.emit("fmu", tmp_path, platforms="here")
    unit = Unit(path)
    unit.begin()
    for length in (0.0, -STEP, 1.5 * STEP, float("nan")):
        assert unit.step(0, length) != 0
        assert "whole number of steps" in unit.said[-1]
    other = Unit(path, token="another")
    assert not other.instance
    assert "token" in other.said[-1]
    with pytest.raises(mp.ManipulaError, match="sample="):
        mp.controller(arm(), "pid", **PID).emit("fmu", tmp_path)


@pytest.mark.turn
def test_the_sources_are_clean_c(tmp_path: Path) -> None:
    for law, gains in {"pid": PID, "computed_torque": {"kp": 1.0, "kd": 1.0}}.items():
        (path,) = mp.controller(arm(), law, sample=STEP, **gains).emit("fmu", tmp_path)
        with zipfile.ZipFile(path) as packed:
            packed.extractall(tmp_path / law)
        strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-c"]
        for source in (tmp_path / law / "sources").glob("*.c"):
            subprocess.run(["cc", *strict, source.name, "-o", "x.o"], cwd=source.parent, check=True)


@pytest.mark.turn
def test_the_same_texts_every_time(tmp_path: Path) -> None:
    texts = []
    for place in ("a", "b"):
        (path,) = mp.controller(arm(), "pid", sample=STEP, **PID).emit("fmu", tmp_path / place)
        with zipfile.ZipFile(path) as packed:
            texts.append({x: packed.read(x) for x in packed.namelist() if not x.startswith("binaries")})
    assert texts[0] == texts[1]


@pytest.mark.turn
def test_as_an_importer_sees_it(tmp_path: Path) -> None:
    fmpy = pytest.importorskip("fmpy", reason="FMPy is not installed")
    validation = pytest.importorskip("fmpy.validation")
    law = mp.controller(arm("RP"), "pid", sample=STEP, **PID | {"limit": float("inf")})
    (path,) = law.emit("fmu", tmp_path, platforms="here")
    assert validation.validate_fmu(str(path)) == []
    signals = np.array(
        [(0.0, [1.0, 2.0]), (1.0, [1.0, 2.0])], dtype=[("time", np.float64), ("q_ref", np.float64, (2,))]
    )
    found = fmpy.simulate_fmu(str(path), stop_time=0.01, step_size=STEP, output_interval=STEP, input=signals)
    state, zero = law.start(), [0.0, 0.0]
    for _ in range(10):
        state, tau = law.step(state, zero, [1, 2], zero)
    np.testing.assert_allclose(found["tau"][-1], tau, rtol=1e-12)


@pytest.mark.turn
@pytest.mark.parametrize("joints", ["P", "RPR"])
def test_an_arm_alone_takes_torques(joints: str, tmp_path: Path) -> None:
    """Its joints stick, its torques are clipped, its payload is a parameter."""
    n, robot = len(joints), arm(joints)
    rubs = robot.with_friction({name: {"coulomb": 2.0, "viscous": 0.1} for name in robot.joint_names})
    plant = mp.closed_loop(mp.Plant(rubs.with_payload("mL", (0, 0.1, 0)), effort=20.0), None, step=STEP, wrench=True)
    assert plant.name == f"arm_{joints}_arm"
    (path,) = plant.emit("fmu", tmp_path, start={"mL": 0.5, "q": np.full(n, 0.2)})
    unit, state, draw = Unit(path), plant.start(q=np.full(n, 0.2)), np.random.default_rng(n)
    assert unit.begin() == 0
    for i in range(8):
        tau, wrench = draw.uniform(-30, 30, n), draw.uniform(-1, 1, 6)
        assert unit.set(tau=tau, wrench=wrench) == 0
        assert unit.step(i * STEP) == 0
        state, out = plant.step(state, tau, wrench, p={"mL": 0.5})
        for name, value in {**state._asdict(), "friction": out.friction}.items():
            np.testing.assert_allclose(unit.get(name), value, rtol=1e-12, atol=1e-14)


@pytest.mark.turn
def test_an_arm_alone_as_an_importer_sees_it(tmp_path: Path) -> None:
    fmpy = pytest.importorskip("fmpy", reason="FMPy is not installed")
    validation = pytest.importorskip("fmpy.validation")
    plant = mp.closed_loop(mp.Plant(arm("RP"), effort=None), None)
    (path,) = plant.emit("fmu", tmp_path, start={"q": [0.3, 0.2]})
    assert validation.validate_fmu(str(path)) == []
    signals = np.array([(0.0, [1.0, 2.0]), (1.0, [1.0, 2.0])], dtype=[("time", np.float64), ("tau", np.float64, (2,))])
    found = fmpy.simulate_fmu(str(path), stop_time=0.02, step_size=STEP, output_interval=STEP, input=signals)
    run = mp.simulate(mp.Plant(arm("RP"), effort=None), [1, 2], start=[0.3, 0.2], until=0.02)
    np.testing.assert_allclose(found["q"], run.q, rtol=1e-12)
    np.testing.assert_allclose(found["qd"], run.qd, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    "given, sentence",
    [
        ({"law": "pid"}, "expected what mp.controller makes, or None"),
        ({"ref": mp.trajectory.quintic([0, 0], [1, 1], 1.0)}, "ref: an arm alone"),
        ({"sensors": mp.Sensors()}, "sensors: an arm alone"),
        ({"step": 0}, "step: expected the time of a step"),
        ({"method": "dop853"}, "no integrator is called 'dop853'"),
        ({"plant": 3}, "found 3, expected the name of a library robot"),
    ],
)
def test_what_an_arm_alone_cannot_have(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(mp.ManipulaError, match=sentence):
        mp.closed_loop(**{"plant": arm(), "law": None, **given})


# what an importer may set


def described(path: Path) -> dict[str, dict[str, str]]:
    with zipfile.ZipFile(path) as packed:
        tree = ElementTree.fromstring(packed.read("modelDescription.xml"))
    return {x.attrib["name"]: dict(x.attrib) for x in tree.iter("Float64")}


def loaded_loop(step: float, ratio: int, law: str = "pid", **gains: float) -> tuple[mp.System, mp.Plant]:
    rubs = arm().with_friction({name: {"viscous": f"fv_{name}", "coulomb": 0.1} for name in arm().joint_names})
    plant = mp.Plant(rubs.with_payload("mL", ("rL", 0, 0.05)), effort=None)
    made = mp.controller(arm(), law, sample=ratio * step, **(gains or PID))
    return mp.closed_loop(plant, made, mp.trajectory.quintic([0.1, 0.2], [0.5, -0.2], 0.04), step=step), plant


@pytest.mark.drawn("ratio", few=1)
@pytest.mark.parametrize("ratio", [1, 3])
def test_the_step_is_no_parameter(ratio: int, tmp_path: Path) -> None:
    """Another step would be another motion in the same time; whatever the law's own sample time is."""
    loop, plant = loaded_loop(STEP / 2, ratio, "computed_torque", **COMPUTED)
    start = {"mL": 1.5, "rL": 0.02, **{name: 0.3 for name in loop.inputs["p"] if name.startswith("fv_")}}
    (path,) = loop.emit("fmu", tmp_path, start={**start, "q": [0.1, 0.2]})
    about = described(path)
    assert "sample" not in about
    kinds = ("causality", "variability", "start", "unit")
    assert [about["step"][key] for key in kinds] == ["local", "constant", "0.0005", "s"]
    unit = Unit(path)
    for name in ("step", "time"):
        assert unit.set(**{name: [2e-3]}) != 0
        assert "a step is always 0.0005 s" in unit.said[-1]
    assert unit.get("step") == [STEP / 2]
    assert unit.begin() == 0
    assert unit.set(step=[2e-3]) != 0
    for i in range(40):
        assert unit.step(i * STEP) == 0
    law = mp.controller(arm(), "computed_torque", sample=ratio * STEP / 2, **COMPUTED)
    ref = mp.trajectory.quintic([0.1, 0.2], [0.5, -0.2], 0.04)
    run = mp.simulate(plant, law, ref, start=[0.1, 0.2], until=0.04, step=STEP / 2, parameters=start)
    np.testing.assert_allclose(unit.get("q"), run.q[-1], rtol=1e-12)


def test_parameters_of_the_arm_have_their_names_units_and_meanings(tmp_path: Path) -> None:
    loop, _ = loaded_loop(STEP, 1)
    names = loop.inputs["p"]
    assert {"mL", "rL", *(f"fv_{name}" for name in arm().joint_names)} == set(names)
    values = {name: 0.1 + 0.3 * i for i, name in enumerate(names)}
    (path,) = loop.emit("fmu", tmp_path, start={**values, "q": [0.1, 0.2]})
    about, unit = described(path), Unit(path)
    assert "p" not in about
    for name, value in values.items():
        assert (about[name]["causality"], about[name]["variability"]) == ("parameter", "tunable")
        assert unit.size(name) == 1
        assert unit.get(name) == [value]
    assert [about["mL"]["unit"], about["rL"]["unit"]] == ["kg", "m"]
    assert about[f"fv_{arm().joint_names[0]}"]["unit"] == "N.m.s/rad"
    assert "payload" in about["mL"]["description"]
    assert f"joint {arm().joint_names[1]}" in about[f"fv_{arm().joint_names[1]}"]["description"]

    # each is its own number: a change of one is the change of that one
    for changed in names:
        unit, now = Unit(path), {**values, changed: values[changed] + 0.5}
        assert unit.set(**{changed: [now[changed]]}) == 0
        assert unit.begin() == 0
        state = loop.start(q=[0.1, 0.2])
        for i in range(3):
            unit.step(i * STEP)
            state, _ = loop.step(state, p=now)
        np.testing.assert_allclose(unit.get("qd"), state.qd, rtol=1e-12)


@pytest.mark.turn
def test_a_parameter_called_like_a_port_is_still_found(tmp_path: Path) -> None:
    plant = mp.closed_loop(mp.Plant(arm().with_payload("step", ("time", 0, 0)), effort=None), None, step=STEP)
    (path,) = plant.emit("fmu", tmp_path, start={"step": 1.0, "time": 0.1})
    about = described(path)
    assert {"step", "time", "p.step", "p.time"} <= about.keys()
    assert about["step"]["variability"] == "constant"
    unit = Unit(path)
    assert unit.get("p.step") + unit.get("p.time") == [1.0, 0.1]


def test_named_parameters_as_an_importer_sees_them(tmp_path: Path) -> None:
    fmpy = pytest.importorskip("fmpy", reason="FMPy is not installed")
    validation = pytest.importorskip("fmpy.validation")
    loop, plant = loaded_loop(STEP, 2, "computed_torque", **COMPUTED)
    start = {"mL": 1.5, "rL": 0.02, **{name: 0.3 for name in loop.inputs["p"] if name.startswith("fv_")}}
    (path,) = loop.emit("fmu", tmp_path, start={**start, "q": [0.1, 0.2]})
    assert validation.validate_fmu(str(path)) == []
    times = {"stop_time": 0.04, "step_size": 2 * STEP, "output_interval": 2 * STEP, "output": ["q"]}
    found = fmpy.simulate_fmu(str(path), start_values={"mL": 0.7}, **times)
    law = mp.controller(arm(), "computed_torque", sample=2 * STEP, **COMPUTED)
    ref, other = mp.trajectory.quintic([0.1, 0.2], [0.5, -0.2], 0.04), {**start, "mL": 0.7}
    run = mp.simulate(plant, law, ref, start=[0.1, 0.2], until=0.04, step=STEP, parameters=other)
    np.testing.assert_allclose(found["q"], run.q[::2], rtol=1e-11)
    for name in ("step", "sample"):
        with pytest.raises(Exception, match=name):  # of fmpy: a call that failed, or a variable that is not there
            fmpy.simulate_fmu(str(path), start_values={name: 2e-3}, logger=lambda *_: None, **times)
