"""Instructions per call, counted by callgrind: python bench/callgrind.py [robot …]

The mean of 64 random states. Generated C is compiled for AVX2 with fused products, ours and CasADi's alike (valgrind
knows no wider vectors); the functions of the C library, sines and cosines, are counted too. "LLVM" is the code that
Python runs, compiled for the same vectors: its sines and cosines are its own.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from shutil import which

import numpy as np
from joints import Joint, joints_of, mjcf, packed
from libraries import COMPILER, COUNTED, CXX, HERE, NAMES, Missing, built, driver
from llvmlite import binding
from native import ROBOTS, bare, emitted
from peers import MODELS, CasadiCode
from tables import save, table

import manipula as mp
from manipula.algebra.llvm.code import initialise
from manipula.algebra.llvm.ir import single_module
from manipula.algebra.llvm.writer import Host

STATES = 64
PLAIN = Host(vector_bytes=32, fused=True)
FEATURES = "+avx2,+fma,+bmi,+bmi2,+lzcnt,+popcnt,+f16c"


def missing() -> str | None:
    """Why nothing can be counted here."""
    if which("valgrind") is None:
        return "no valgrind"
    if COMPILER is None or CXX is None:
        return "no C compiler"
    if not Path("/usr/include/valgrind/callgrind.h").exists():
        return "no header valgrind/callgrind.h"
    return None


def counted(library: Path, functions: Sequence[str], joints: Sequence[Joint]) -> dict[str, int]:
    """Of those functions of a library that it has."""
    counter = built(COMPILER, [HERE / "drivers" / "count.c"], ["-O1", "-ldl"], shared=False)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "arm.xml").write_text(mjcf(list(joints)))
        packed(list(joints)).tofile(Path(folder, "numbers"))
        words = [str(counter), str(library), "arm.xml", str(len(joints)), "numbers", *functions]
        command = ["valgrind", "--tool=callgrind", "--callgrind-out-file=out", *words]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Missing(f"valgrind stopped at {library.name}: {done.stderr.strip().splitlines()[-1][:120]}")
        found = (_dump(path.read_text(errors="replace")) for path in Path(folder).glob("out.*"))
        return {name: total // STATES for name, total in filter(None, found)}


def _dump(text: str) -> tuple[str, int] | None:
    name = re.search(r"^desc: Trigger: Client Request: (\w+)$", text, re.MULTILINE)
    total = re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)
    return (name[1], int(total[1])) if name and total else None


def llvm_library(models: dict[str, mp.Model]) -> Path:
    """The code of Python's calls, for AVX2, linked with a function in the drivers' convention for each."""
    with tempfile.TemporaryDirectory() as folder:
        shims, objects = [], []
        for model, made in models.items():
            text = single_module(made.tape, "double", PLAIN).replace("@one(", f"@one_{model}(")
            text = text.replace("@prepare(", f"@prepare_{model}(")
            place = Path(folder, f"{model}.o")
            place.write_bytes(_object(text))
            objects.append(place)
            shims.append(_shim(model, made))
        main = Path(folder, "llvm.c")
        main.write_text("\n".join(shims))
        return built(COMPILER, [main, *objects], [*COUNTED, "-lm", "-Wl,--allow-multiple-definition"])


def _object(text: str) -> bytes:
    """As `machine.object_from_text` does it, but for another machine, and to be linked into a shared library."""
    initialise()
    module = binding.parse_assembly(text)
    module.triple = binding.get_process_triple()
    target = binding.Target.from_triple(module.triple)
    machine = target.create_target_machine(cpu="haswell", features=FEATURES, opt=2, reloc="pic", codemodel="small")
    passes = binding.create_new_module_pass_manager()
    passes.add_instruction_combine_pass()
    passes.run(module, binding.create_pass_builder(machine, binding.create_pipeline_tuning_options(speed_level=1)))
    return bytes(machine.emit_object(module))


def _shim(model: str, made: mp.Model) -> str:
    sizes = [max(1, int(np.prod(shape))) for shape in made.outputs.values()]
    inputs = ["q", "v", "a"][: len(made.inputs)]
    given = ", ".join([*inputs, "0", *(f"out + {sum(sizes[:i])}" for i in range(len(sizes)))])
    return (
        f"void one_{model}();\nvoid {model}(void *arm, const double *q, const double *v, const double *a, double *out)"
        f" {{ one_{model}({given}); }}"
    )


def llvm_instructions(made: mp.Model) -> int | None:
    """Of one function; None where they cannot be counted."""
    if missing():
        return None
    try:
        return counted(llvm_library({"inverse_dynamics": made}), ["inverse_dynamics"], [_point()] * 48)[
            "inverse_dynamics"
        ]
    except Missing as reason:
        print(f"not counted: {reason}")
        return None


def _point() -> Joint:
    """Generated code has its arm built in; the counter wants one all the same."""
    return Joint(np.eye(3), np.zeros(3), 1.0, np.zeros(3), np.eye(3))


def instructions(name: str) -> None:
    robot = bare(name)
    joints = joints_of(robot)
    made = {model: mp.generate(robot, model) for model in MODELS}
    columns = {"LLVM": counted(llvm_library(made), MODELS, joints)}
    columns["C"] = counted(emitted(made, COUNTED), MODELS, joints)
    try:
        code = CasadiCode(robot, joints, MODELS)
        each = counted(code.library(COUNTED), list(code.functions), joints)
        columns["CasADi C"] = {m: min(each[way] for way in code.names(m) if way in each) for m in MODELS}
    except Missing as reason:
        print(f"left out: CasADi: {reason}")
    for peer, source in NAMES.items():
        try:
            columns[peer] = counted(driver(source), MODELS, joints)
        except Missing as reason:
            print(f"left out: {peer}: {reason}")
    rows = []
    for model in MODELS:
        cells = [str(column.get(model, "-")) for column in columns.values()]
        best = columns.get("CasADi C", {}).get(model)
        mine = [f"{columns[kind][model] / best:.2f}" if best else "-" for kind in ("LLVM", "C")]
        rows.append([model, *cells, *mine])
    head = ["model", *columns, "LLVM of CasADi", "C of CasADi"]
    table(f"{name}: instructions of one call", head, rows)
    save(f"instructions-{name}", columns)


def main() -> None:
    reason = missing()
    if reason:
        print(f"\ninstructions are not counted: {reason}")
        return
    for name in [word for word in sys.argv[1:] if not word.startswith("-")] or ROBOTS:
        instructions(name)


if __name__ == "__main__":
    main()
