"""The self-tests of emitted C by compilers for several systems, run there or in their emulators.

python bench/targets.py [--models A,B] [--targets A,B] [robot …]

Every robot's models, in double and in single precision (`-DMANIPULA_FLOAT`), are one program that calls their
self-tests one by one. A cell says how many passed; the rest is printed below the table.

  gcc, clang   this machine
  mingw        Windows x86_64, run by Wine
  arm          Cortex-M4F without a system, run by qemu-system-arm (mps2-an386)
  aarch64      Linux, run by qemu-aarch64

A target whose compiler or emulator is not installed is left out, by name.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from shutil import which
from typing import NamedTuple

from tables import table

import manipula as mp
from manipula.errors import ManipulaError

DRIVERS = Path(__file__).parent / "drivers"
ROBOTS = ("puma560", "ur5e", "irb120", "lrmate200id", "kr10", "rx90", "stanford", "iiwa14", "panda", "scara")
MODELS = ("pose", "jacobian", "gravity", "inverse_dynamics", "forward_dynamics", "inverse_kinematics")
STRICT = ("-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic")
M4 = ("-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard")
WAIT = 300  # seconds for one program


class Target(NamedTuple):
    """How a program is made and run; `{}` is the program."""

    compiler: tuple[str, ...]
    run: tuple[str, ...]
    further: tuple[str, ...] = ()  # sources and words for the linker

    @property
    def missing(self) -> list[str]:
        return [word for word in (self.compiler[0], self.run[0]) if word != "{}" and not which(word)]


TARGETS = {
    "gcc": Target(("gcc",), ("{}",)),
    "clang": Target(("clang",), ("{}",)),
    "mingw": Target(("x86_64-w64-mingw32-gcc", "-static"), ("wine", "{}")),
    "arm": Target(
        ("arm-none-eabi-gcc", *M4),
        ("qemu-system-arm", "-M", "mps2-an386", "-nographic", "-monitor", "none", "-serial", "none",
         "-semihosting-config", "enable=on,target=native", "-kernel", "{}"),
        ("--specs=rdimon.specs", "-nostartfiles", f"-T{DRIVERS / 'cortex_m4.ld'}", str(DRIVERS / "cortex_m4.c")),
    ),
    "aarch64": Target(("aarch64-linux-gnu-gcc", "-static"), ("qemu-aarch64", "{}")),
}  # fmt: skip


def emitted(robot: str, models: Sequence[str], folder: Path) -> tuple[list[Path], list[str]]:
    """The sources of a robot's models, and what could not be made."""
    files: list[Path] = []
    told: list[str] = []
    for model in models:
        try:
            files += mp.generate(robot, model).emit("c", folder)
        except ManipulaError as error:
            told.append(f"{robot} {model}: {error}")
    return [path for path in dict.fromkeys(files) if path.suffix == ".c"], told


def main_source(tests: Sequence[str]) -> str:
    """A program that calls the self-tests."""
    lines = [
        "#include <stdio.h>",
        *(f"int run_{x}(void);" for x in tests),
        "int main(void)",
        "{",
        "    int failed = 0;",
    ]
    lines += [f"    failed += run_{x}();" for x in tests]
    return "\n".join([*lines, "    return failed ? 1 : 0;", "}"]) + "\n"


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    quiet = os.environ | {"WINEDEBUG": "-all"}
    return subprocess.run(
        words, cwd=folder, capture_output=True, text=True, check=False, env=quiet, timeout=WAIT, errors="replace"
    )


def tried(target: Target, sources: Sequence[Path], folder: Path, single: bool) -> tuple[str, list[str]]:
    """Passed of all, and the lines of the rest."""
    tests = [path.stem for path in sources if path.stem.endswith("_test")]
    (folder / "main.c").write_text(main_source(tests), encoding="utf-8")
    words = [*target.compiler, *STRICT, *(["-DMANIPULA_FLOAT"] if single else [])]
    objects = []
    for source in [*sources, folder / "main.c"]:
        objects.append(f"{source.stem}.o")
        named = [f"-Dmain=run_{source.stem}"] if source.stem in tests else []
        done = run(folder, *words, *named, "-c", str(source), "-o", objects[-1])
        if done.returncode:
            return f"0/{len(tests)}", [done.stderr[:400]]
    done = run(folder, *target.compiler, *objects, *target.further, "-lm", "-o", "program")
    if done.returncode:
        return f"0/{len(tests)}", [done.stderr[:400]]
    try:
        done = run(folder, *(word.replace("{}", "./program") for word in target.run))
    except subprocess.TimeoutExpired:
        return f"0/{len(tests)}", [f"no end within {WAIT} s"]
    passed = re.findall(r"^(\w+): passed", done.stdout, re.M)
    rest = [line for line in (done.stdout + done.stderr).splitlines() if "passed" not in line]
    return f"{len(passed)}/{len(tests)}", rest[:10] if len(passed) < len(tests) or done.returncode else []


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="*", default=ROBOTS)
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--targets", default=",".join(TARGETS))
    wanted = parser.parse_args()
    targets = {name: TARGETS[name] for name in wanted.targets.split(",")}
    for name, target in list(targets.items()):
        if target.missing:
            print(f"{name} is left out: no {' and no '.join(target.missing)}")
            del targets[name]
    rows, told = [], []
    for robot in wanted.robots:
        with tempfile.TemporaryDirectory() as place:
            sources, lacking = emitted(robot, wanted.models.split(","), Path(place))
            told += lacking
            cells = [robot]
            for name, target in targets.items():
                for single in (False, True):
                    cell, rest = tried(target, sources, Path(place), single)
                    cells.append(cell)
                    told += [f"{robot}, {name}, {'float' if single else 'double'}: {line}" for line in rest]
            rows.append(cells)
            print(*cells, file=sys.stderr, flush=True)
    table("Self-tests that pass, of all", ("robot", *(f"{x} {y}" for x in targets for y in ("double", "float"))), rows)
    print("\n".join(told))
    return 0 if all(a == b for row in rows for a, b in (x.split("/") for x in row[1:])) else 1


if __name__ == "__main__":
    raise SystemExit(main())
