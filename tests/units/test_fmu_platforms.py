"""Co-simulation units of both versions of FMI, on every platform: importers simulate what Python computes."""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.emit.fmu import VERSIONS
from manipula.algebra.run import units
from tests.golden.sentences import Sentences
from tests.random_robots import random_robot

STEP, STEPS = 1e-3, 12
KINDS = ("R", "P", "FRF", "RPF", "PRRP", "RRPFRRRR")
DRIVER = Path(__file__).parents[1] / "unit_driver.c"
needs_compiler = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")


def drawn_law(draw: int, name: str, kinds: str) -> mp.Law:
    robot = mp.Robot.of(random_robot(draw, joints=kinds)).without("friction", "motor_inertia")
    n, draws = robot.dof, np.random.default_rng(draw)
    robot = robot.with_parameters(**{x: float(draws.uniform(0.1, 1)) for x, value in robot.parameters.items()
                                     if value is None})  # fmt: skip
    gains = {"kp": draws.uniform(50, 400, n), "kd": draws.uniform(5, 40, n)}
    if name == "pid":
        gains |= {"ki": draws.uniform(10, 200, n), "limit": np.full(n, 30.0), "tracking": 20.0, "filter": 2e-3}
    return mp.controller(robot, name, sample=STEP, optimise="none", **gains)


class Trial(NamedTuple):
    """What goes into a law at the beginning and at every step, flat, and what Python says it gives."""

    inputs: dict[str, int]
    given: Any
    tau: Any


def trial(law: mp.Law, draw: int) -> Trial:
    draws = np.random.default_rng(draw)
    sizes = {port.name: len(port.symbols) for port in law.function.inputs if port.role == "variable"}
    given = draws.uniform(-1, 1, (STEPS + 1, sum(sizes.values())))
    given[1] = given[0]  # what is set before the first step is the step's, too
    cuts = np.cumsum(list(sizes.values()))[:-1]
    state, taus = law.start(), []
    for row in given[1:]:
        state, tau = law.step(state, *np.split(row, cuts))
        taus.append(getattr(tau, "tau", tau))
    return Trial(sizes, given, np.array(taus))


def places(path: Path) -> dict[str, ElementTree.Element]:
    with zipfile.ZipFile(path) as packed:
        tree = ElementTree.fromstring(packed.read("modelDescription.xml"))
    variables = tree.find("ModelVariables")
    assert variables is not None
    return {x.attrib["name"]: x for x in variables}


def token(path: Path) -> str:
    with zipfile.ZipFile(path) as packed:
        found = ElementTree.fromstring(packed.read("modelDescription.xml")).attrib
    return found.get("instantiationToken") or found["guid"]


@needs_compiler
@pytest.mark.parametrize("law", ["pid", "computed_torque"])
@pytest.mark.parametrize("draw", range(2 * len(KINDS)))
def test_importers_simulate_what_python_computes(draw: int, law: str, tmp_path: Path) -> None:
    """In both versions: fixed, sliding, one joint, seven; with memory and without; inputs that change at every step."""
    fmpy = pytest.importorskip("fmpy", reason="FMPy is not installed")
    validation = pytest.importorskip("fmpy.validation")
    made = drawn_law(draw, law, KINDS[draw % len(KINDS)])
    tried = trial(made, draw)
    times = np.arange(STEPS + 1) * STEP
    for version in VERSIONS:
        (path,) = made.emit("fmu", tmp_path / version, version=version, platforms="here")
        assert validation.validate_fmu(str(path)) == []
        columns = (
            entries(tried.inputs) if version == "2.0" else [(x, np.float64, (n,)) for x, n in tried.inputs.items()]
        )
        signals = np.zeros(STEPS + 1, dtype=[("time", np.float64), *columns])
        signals["time"] = times
        flat = np.vstack([tried.given[1:], tried.given[-1:]])  # row i is what step i sees
        for i, column in enumerate(columns if version == "2.0" else ()):
            signals[column[0]] = flat[:, i]
        at = 0
        for name, size in tried.inputs.items() if version == "3.0" else ():
            signals[name], at = flat[:, at : at + size], at + size
        found = fmpy.simulate_fmu(
            str(path), stop_time=STEPS * STEP, step_size=STEP, output_interval=STEP, input=signals
        )
        n = tried.tau.shape[1]
        tau = found["tau"] if version == "3.0" else np.stack([found[f"tau[{i + 1}]"] for i in range(n)], -1)
        scale = np.abs(tried.tau).max()
        np.testing.assert_allclose(tau.reshape(-1, n)[1:], tried.tau, rtol=1e-12, atol=1e-12 * scale)


def entries(sizes: dict[str, int]) -> list[tuple[Any, ...]]:
    return [(f"{name}[{i + 1}]", np.float64) for name, size in sizes.items() for i in range(size)]


@needs_compiler
def test_variables_of_fmi_2_are_numbers_under_their_own_names(tmp_path: Path) -> None:
    robot = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81).with_payload("mL", ("cx", 0, 0))
    law = mp.controller(robot.with_parameters(mL=0, cx=0), "pid", sample=STEP, kp=[400, 250], ki=150, kd=[40, 25],
                        limit=[60, 30], tracking=20, filter=2e-3)  # fmt: skip
    loop = mp.closed_loop(mp.Plant(robot, effort=None), law)
    start = {"mL": 1.5, "cx": 0.1, "q": [0.1, 0.2]}
    (path,) = loop.emit("fmu", tmp_path, version="2.0", start=start, platforms="here")
    about = places(path)
    kinds = {name: (x.attrib["causality"], x.attrib["variability"]) for name, x in about.items()}
    assert kinds["kp[2]"] == kinds["mL"] == kinds["cx"] == ("parameter", "tunable")
    assert kinds["step"] == ("local", "constant")
    assert kinds["q_ref[2]"] == ("input", "continuous")
    starts = {name: real.attrib.get("start") for name, x in about.items() if (real := x.find("Real")) is not None}
    assert [starts[x] for x in ("kp[1]", "kp[2]", "mL", "q[1]", "q[2]")] == ["400.0", "250.0", "1.5", "0.1", "0.2"]
    mass = about["mL"].find("Real")
    assert mass is not None
    assert mass.attrib["unit"] == "kg"
    assert sorted(int(x.attrib["valueReference"]) for x in about.values()) == list(range(1, len(about) + 1))
    fmpy = pytest.importorskip("fmpy", reason="FMPy is not installed")
    times = {"stop_time": 8 * STEP, "step_size": STEP, "output_interval": STEP}
    found = fmpy.simulate_fmu(str(path), start_values={"mL": 0.7, "kp[2]": 90.0}, **times)
    state, zero = loop.start(q=[0.1, 0.2]), [0.0, 0.0]
    for _ in range(8):
        state, _ = loop.step(state, zero, zero, p={"mL": 0.7, "cx": 0.1, "kp2": 90.0})
    np.testing.assert_allclose([found["q[1]"][-1], found["q[2]"][-1]], state.q, rtol=1e-12)
    said: list[str] = []
    with pytest.raises(Exception, match="step"):
        fmpy.simulate_fmu(
            str(path), start_values={"step": 2e-3}, logger=lambda *words: said.append(str(words)), **times
        )


@needs_compiler
@pytest.mark.parametrize("version", VERSIONS)
def test_outputs_follow_what_is_set_before_the_first_step(version: str, tmp_path: Path) -> None:
    """Importers that join units read outputs in initialisation; a start that breaks a condition ends it, not a read."""
    law = drawn_law(1, "computed_torque", "RPF")
    (path,) = law.emit("fmu", tmp_path, version=version, platforms="here")
    with loaded(path) as unit:
        unit.enter()
        for value in (0.3, -0.4):
            given = np.full(unit.inputs, value)
            unit.set(given)
            np.testing.assert_allclose(unit.tau(), law.step((), *np.split(given, 5)).outputs, rtol=1e-12)


class loaded:
    """A unit in FMPy, step by step."""

    def __init__(self, path: Path) -> None:
        fmpy = pytest.importorskip("fmpy", reason="FMPy is not installed")
        self.about = fmpy.read_model_description(str(path))
        self.fmi2 = self.about.fmiVersion == "2.0"
        self.folder = fmpy.extract(str(path), unzipdir=str(path.with_suffix("")))
        self.variables = [x for x in self.about.modelVariables if x.causality == "input"]
        self.inputs = sum(1 if self.fmi2 else x.shape[0] for x in self.variables)
        self.out = [x.valueReference for x in self.about.modelVariables if x.name.startswith("tau")]
        self.size = len(self.out) if self.fmi2 else self.inputs // 5

    def __enter__(self) -> loaded:
        from fmpy.fmi2 import FMU2Slave
        from fmpy.fmi3 import FMU3Slave

        kind = FMU2Slave if self.fmi2 else FMU3Slave
        name = self.about.coSimulation.modelIdentifier
        self.unit = kind(guid=self.about.guid, unzipDirectory=self.folder, modelIdentifier=name, instanceName="one")
        self.unit.instantiate()
        return self

    def __exit__(self, *_: object) -> None:
        self.unit.freeInstance()

    def enter(self) -> None:
        if self.fmi2:
            self.unit.setupExperiment()
        self.unit.enterInitializationMode()

    def set(self, values: Any) -> None:
        refs = [x.valueReference for x in self.variables]
        (self.unit.setReal if self.fmi2 else self.unit.setFloat64)(refs, list(values))

    def tau(self) -> Any:
        return self.unit.getReal(self.out) if self.fmi2 else self.unit.getFloat64(self.out, self.size)


@needs_compiler
def test_a_unit_of_fmi_2_is_taken_and_put_back(tmp_path: Path) -> None:
    law = drawn_law(3, "pid", "RP")
    (path,) = law.emit("fmu", tmp_path, version="2.0", platforms="here")
    with loaded(path) as own:
        own.enter()
        own.set(np.linspace(-1, 1, own.inputs))
        own.unit.exitInitializationMode()
        kept = own.unit.getFMUState()
        told = own.unit.serializeFMUState(kept)
        taus = []
        for state in (None, kept, own.unit.deserializeFMUState(told)):
            if state is not None:
                own.unit.setFMUState(state)
            for i in range(3):
                own.unit.doStep(currentCommunicationPoint=i * STEP, communicationStepSize=STEP)
            taus.append(own.tau())
        assert taus[0] == taus[1] == taus[2]
        own.unit.freeFMUState(kept)


@needs_compiler
def test_ports_may_be_called_like_the_unit_s_own(tmp_path: Path) -> None:
    @mp.law(states={"memory": "n"}, settings={"time": "n", "step": 1.0, "log": 1.0, "changed": 2.0, "environment": 0.5})
    def odd(arm, q, qd, memory, time, step, log, changed, environment, sample):  # type: ignore[no-untyped-def]
        return log * step * time * q + changed * qd + environment * memory, {"memory": memory + sample * q}

    robot = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    law = mp.controller(robot, odd, sample=STEP, time=[3.0, 4.0])
    state = law.start()
    q, qd = [0.1, 0.2], [0.3, -0.4]
    for _ in range(3):
        state, tau = law.step(state, q, qd)
    for version in VERSIONS:
        (path,) = law.emit("fmu", tmp_path / version, version=version, platforms="here")
        names = [x.split("[")[0] for x in places(path)]
        assert {"memory", "log", "changed", "environment", "setting.time", "setting.step", "step"} <= set(names)
        fmpy = pytest.importorskip("fmpy", reason="FMPy is not installed")
        given = {"q": q, "qd": qd} if version == "3.0" else {"q[1]": 0.1, "q[2]": 0.2, "qd[1]": 0.3, "qd[2]": -0.4}
        start = {name: " ".join(map(str, x)) if isinstance(x, list) else x for name, x in given.items()}
        found = fmpy.simulate_fmu(
            str(path), stop_time=3 * STEP, step_size=STEP, output_interval=STEP, start_values=start
        )
        last = found["tau"][-1] if version == "3.0" else [found["tau[1]"][-1], found["tau[2]"][-1]]
        np.testing.assert_allclose(last, tau, rtol=1e-12)


# which platforms have a binary


class Compilers:
    """Which compilers a machine has: `zig` the package, others by name."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.patch = monkeypatch

    def have(self, system: str, machine: str, *names: str, zig: bool = False) -> None:
        self.patch.delenv("CC", raising=False)
        self.patch.setattr(units.platform, "system", lambda: system)
        self.patch.setattr(units.platform, "machine", lambda: machine)
        self.patch.setattr(units.shutil, "which", lambda name: f"/usr/bin/{name}" if name in names else None)
        self.patch.setattr(units, "find_spec", lambda _: object() if zig else None)


@pytest.fixture
def compilers(monkeypatch: pytest.MonkeyPatch) -> Compilers:
    return Compilers(monkeypatch)


@pytest.mark.parametrize(
    "machine, found",
    [
        (("Linux", "x86_64", "cc"), ["linux-x86_64"]),
        (("Linux", "aarch64", "gcc"), ["linux-aarch64"]),
        (("Linux", "x86_64", "cc", "x86_64-w64-mingw32-gcc"), ["linux-x86_64", "windows-x86_64"]),
        (("Linux", "x86_64", "aarch64-linux-gnu-gcc"), ["linux-aarch64"]),
        (("Windows", "AMD64", "gcc"), ["windows-x86_64"]),
        (("Darwin", "arm64", "cc", "clang"), ["macos-x86_64", "macos-aarch64"]),
        (("FreeBSD", "amd64", "cc", "x86_64-w64-mingw32-gcc"), ["windows-x86_64"]),
        (("Linux", "riscv64", "zig"), list(units.NAMES)),
    ],
)
def test_platforms_are_those_with_a_compiler(machine: tuple[str, ...], found: list[str], compilers: Compilers) -> None:
    compilers.have(*machine)
    assert [x.name for x in units.chosen_compilers("unit", None)] == found
    compilers.have(*machine[:2], zig=True)
    orders = {x.name: order for x, order in units.chosen_compilers("unit", None).items()}
    assert list(orders) == list(units.NAMES)
    assert orders["windows-x86_64"] == [sys.executable, "-m", "ziglang", "cc", "-target", "x86_64-windows-gnu"]


def test_the_compiler_that_is_named_is_this_machine_s(compilers: Compilers, monkeypatch: pytest.MonkeyPatch) -> None:
    compilers.have("Linux", "x86_64", "cc", zig=True)
    monkeypatch.setenv("CC", "ccache my-cc")
    orders = {x.name: order for x, order in units.chosen_compilers("unit", None).items()}
    assert orders["linux-x86_64"] == ["ccache", "my-cc"]
    assert "ziglang" in orders["linux-aarch64"]


@pytest.mark.parametrize(
    "machine, asked, sentence",
    [
        (("Linux", "x86_64"), None, "no C compiler was found for linux-x86_64.*manipula.cross"),
        (("Windows", "AMD64"), "here", "no C compiler was found for windows-x86_64: "),
        (("Linux", "x86_64", "cc"), ["windows-x86_64", "linux-x86_64"], "no C compiler was found for windows-x86_64: "),
        (("Linux", "x86_64", "cc"), "windows", "did you mean 'windows-x86_64'"),
        (("Linux", "x86_64", "cc"), ["linux-x86_64", "none"], "'none' alone"),
        (("Linux", "x86_64", "cc"), [], "expected names"),
        (("Plan9", "sparc", "cc"), ["here", "linux-x86_64"], "Plan9 sparc"),
    ],
)
def test_a_unit_without_a_binary_is_not_written_unasked(
    machine: tuple[str, ...], asked: Any, sentence: str, compilers: Compilers, tmp_path: Path, whole: Sentences
) -> None:
    compilers.have(*machine)
    law = drawn_law(1, "computed_torque", "R")
    with whole.raises(mp.ManipulaError, match=sentence):
        law.emit("fmu", tmp_path, platforms=asked)
    assert not list(tmp_path.iterdir())


def test_a_unit_of_sources_alone_is_written_when_asked(compilers: Compilers, tmp_path: Path) -> None:
    compilers.have("Linux", "x86_64")
    written = drawn_law(1, "computed_torque", "R").emit("fmu", tmp_path, platforms="none")
    assert isinstance(written, units.UnitFiles)
    assert written.platforms == ()
    with zipfile.ZipFile(written[0]) as packed:
        assert not [name for name in packed.namelist() if name.startswith("binaries")]
        assert f"sources/{written[0].stem}.c" in packed.namelist()


@pytest.mark.parametrize("version", ["4.0", "1.0", "3.1", "two", "None", "20", "2,0"])
def test_versions_that_are_not(version: str, tmp_path: Path) -> None:
    with pytest.raises(mp.ManipulaError, match=r"version of FMI.*3\.0, 2\.0"):
        drawn_law(1, "computed_torque", "R").emit("fmu", tmp_path, version=version, platforms="none")


@pytest.mark.parametrize("version", ["2", 2, "2.0", 2.0, " 2.0 ", "2.0.5"])
def test_versions_as_people_write_them(version: Any, tmp_path: Path) -> None:
    (path,) = drawn_law(1, "computed_torque", "R").emit("fmu", tmp_path, version=version, platforms="none")
    with zipfile.ZipFile(path) as packed:
        assert b'fmiVersion="2.0"' in packed.read("modelDescription.xml")


def test_options_of_a_unit_are_no_options_of_c(tmp_path: Path) -> None:
    law = drawn_law(1, "computed_torque", "R")
    for given in ({"version": "2.0"}, {"platforms": "here"}):
        with pytest.raises(mp.ManipulaError, match="co-simulation unit"):
            law.emit("c", tmp_path, **given)
    with pytest.raises(mp.ManipulaError, match="control law or a closed loop"):
        mp.generate("planar2r", "gravity", optimise="none").emit("fmu", tmp_path)
    for given in ({"dtype": "float32"}, {"proof": True}, {"prefix": "a"}):
        with pytest.raises(mp.ManipulaError, match="no options of the emitted code"):
            law.emit("fmu", tmp_path, platforms="none", **given)


def test_a_binary_asks_for_no_library_that_its_platform_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    """What each compiler is called with: code for any address but on Windows, no libraries of GCC there, no debugging
    from Zig."""
    orders: list[list[str]] = []

    def run(order: list[str], cwd: str, **rest: Any) -> Any:
        orders.append(order)
        (Path(cwd) / order[-1]).write_bytes(b"made")
        return subprocess.CompletedProcess(order, 0, "", "")

    monkeypatch.setattr(units.subprocess, "run", run)
    for x in units.PLATFORMS:
        for compiler in (["cc"], ["x86_64-w64-mingw32-gcc"], ["zig", "cc", "-target", x.target]):
            assert units._binary({"u.c": "", "u_unit.c": ""}, "u", x, compiler) == b"made"
            flags, windows, zig = set(orders.pop()), x.system == "Windows", "zig" in compiler
            assert flags >= {"-std=c99", "-ffp-contract=off", "-shared", "u.c", "u_unit.c", f"u{x.ending}"}
            assert ("-fPIC" in flags, "-lm" in flags) == (not windows, not windows)
            assert ("-s" in flags, "-g0" in flags) == (zig, zig)
            assert ("-static-libgcc" in flags) == (windows and not zig and "gcc" in compiler[0])


def test_one_file_for_both_macs() -> None:
    """Each part is found where the table says, whole, at a page of its own."""
    intel = struct.pack("<III", 0xFEEDFACF, 0x01000007, 3) + bytes(range(256)) * 80
    apple = struct.pack("<III", 0xFEEDFACF, 0x0100000C, 0) + b"arm" * 7000
    macs = dict(zip(units.PLATFORMS[3:], (intel, apple), strict=True))
    placed = units._placed(macs, "unit", "2.0")
    both = placed["binaries/darwin64/unit.dylib"]
    magic, count = struct.unpack_from(">II", both)
    assert (magic, count) == (0xCAFEBABE, 2)
    for i, content in enumerate((intel, apple)):
        kind, subtype, at, size, align = struct.unpack_from(">IIIII", both, 8 + 20 * i)
        assert (kind, subtype) == struct.unpack_from("<4xII", content)
        assert at % (1 << align) == 0
        assert both[at : at + size] == content
    assert placed["binaries/aarch64-darwin/unit.dylib"] == apple
    alone = units._placed({units.PLATFORMS[4]: apple}, "unit", "2.0")
    assert alone["binaries/darwin64/unit.dylib"] == apple


# binaries of other machines, run under an emulator


def run_elsewhere(where: str, before: list[str], version: str, draw: int, folder: Path) -> None:
    """The binary of a unit in a small importer, both compiled for another machine, against Python."""
    (target,) = (x for x in units.PLATFORMS if x.name == where)
    compiler = units.compiler_for(target)
    assert compiler
    program = folder / "driver.exe"
    libraries = [] if target.system == "Windows" else ["-ldl"]
    order = [*compiler, "-O1", f"-DFMI={version[0]}", str(DRIVER), *libraries, "-o", str(program)]
    subprocess.run(order, check=True, cwd=folder)
    name = ("pid", "computed_torque")[draw % 2]
    law = drawn_law(draw, name, KINDS[draw % len(KINDS)])
    tried = trial(law, draw)
    written = law.emit("fmu", folder, version=version, platforms=[where])
    with zipfile.ZipFile(written[0]) as packed:
        (inside,) = [x for x in packed.namelist() if x.startswith("binaries")]
        (folder / Path(inside).name).write_bytes(packed.read(inside))
    about = {name: int(x.attrib["valueReference"]) for name, x in places(written[0]).items()}
    n = tried.tau.shape[1]
    ins, outs = list(tried.inputs), ["tau"]
    if version == "2.0":
        ins, outs = [x[0] for x in entries(tried.inputs)], [f"tau[{i + 1}]" for i in range(n)]
    head = [len(ins), *(about[x] for x in ins), tried.given.shape[1], len(outs), *(about[x] for x in outs), n, STEPS]
    rows = [" ".join(map(str, head)), *(" ".join(f"{x:.17g}" for x in row) for row in tried.given)]
    words = [*before, str(program), f"./{Path(inside).name}", token(written[0]), repr(STEP)]
    environment = os.environ | {"WINEDEBUG": "-all", "WINEPREFIX": str(folder / "wine")}
    ran = subprocess.run(
        words, input="\n".join(rows), capture_output=True, text=True, cwd=folder, check=False, env=environment
    )
    assert ran.returncode == 0, ran.stdout[-500:] + ran.stderr[-500:]
    found = np.array([[float(x) for x in line.split()] for line in ran.stdout.splitlines()])
    scale = np.abs(tried.tau).max()
    np.testing.assert_allclose(found[1:], tried.tau, rtol=1e-12, atol=1e-12 * scale)


def emulator(where: str) -> list[str]:
    """The words before a program of that machine; a skip with its reason where it cannot run here."""
    (target,) = (x for x in units.PLATFORMS if x.name == where)
    if not units.compiler_for(target):
        pytest.skip(f"no compiler for {where}: pip install ziglang")
    if target.is_here:
        return []
    if target.system == "Windows":
        found = shutil.which("wine") or shutil.which("wine64")
        return [found] if found else pytest.skip("no Wine: apt-get install wine wine64")
    found, libraries = shutil.which("qemu-aarch64"), Path("/usr/aarch64-linux-gnu")
    if not found or not libraries.is_dir():
        pytest.skip("no emulator of aarch64: apt-get install qemu-user libc6-arm64-cross")
    return [found, "-L", str(libraries)]


@pytest.mark.slow  # a compiler that is new to a platform makes its C library first, which takes minutes
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("where", ["linux-x86_64", "linux-aarch64", "windows-x86_64"])
@pytest.mark.parametrize("kind", range(3))
def test_the_binary_of_another_machine_computes_the_same(where: str, version: str, kind: int, tmp_path: Path) -> None:
    run_elsewhere(where, emulator(where), version, (1, 3, 5, 2, 4, 0)[2 * kind + (version == "2.0")], tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("version", VERSIONS)
def test_one_unit_for_all_platforms_the_same_every_time(version: str, tmp_path: Path) -> None:
    if not find_spec("ziglang"):
        pytest.skip("no compiler for all platforms: pip install ziglang")
    law = drawn_law(2, "pid", "RP")
    written = [law.emit("fmu", tmp_path / place, version=version) for place in ("a", "b")]
    assert isinstance(written[0], units.UnitFiles)
    assert written[0].platforms == units.NAMES
    assert written[0][0].read_bytes() == written[1][0].read_bytes()
    heads = {".so": b"\x7fELF", ".dll": b"MZ"}
    with zipfile.ZipFile(written[0][0]) as packed:
        binaries = {x: packed.read(x) for x in packed.namelist() if x.startswith("binaries")}
    assert len(binaries) == 5
    for name, content in binaries.items():
        ending = Path(name).suffix
        both = b"\xca\xfe\xba\xbe" if "darwin64" in name else b"\xcf\xfa\xed\xfe"
        assert content.startswith(heads.get(ending, both)), name


def test_what_a_compiler_complains_of_is_told() -> None:
    failing = [sys.executable, "-c", "import sys; print('ignored'); sys.exit('two.c:3: error: no such thing')"]
    with pytest.raises(mp.ManipulaError) as said:
        units._binary({"two.c": "int x;"}, "two", units.PLATFORMS[0], failing)
    assert str(said.value) == (
        f"two.fmu: {' '.join(failing)} does not compile its sources: two.c:3: error: no such thing"
    )
