"""Room in flash and cycles on a Cortex-M4F, beside CasADi's C: python bench/flash.py [--models A,B] [robot …]

Ours is `emit("c", dtype="float32", batch=False, sincos=True)`. CasADi's is the smallest of the known forms
(`forms.py`), common subexpressions eliminated, in single precision: its number type is float, constants are read as
float, and sin and cos are sinf and cosf, which its text would not request alone. Both are compiled by
arm-none-eabi-gcc -Os for a Cortex-M4 with its floating-point unit, a product and a sum fused as the compiler likes by
default. Room is the size of the function's code with its numbers, without the library's functions.

Cycles are an estimate: the code has no loops and no jumps, so every instruction runs once, at what the Cortex-M4
Technical Reference Manual gives for it (r0p1, tables 3-1 and 7-1), loads and stores without waiting for the flash; a
sinf or cosf is taken as 150, and sincosf as two of them, since newlib's calls both. Read them as a ratio.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from shutil import which
from typing import NamedTuple

import casadi
from forms import FORMS, Form, symbols_of, text
from joints import joints_of
from native import bare
from tables import table

import manipula as mp
from manipula.mechanics.models.kinematics import pose

TOOLS = "arm-none-eabi-"
FLAGS = ["-std=c99", "-Os", "-mcpu=cortex-m4", "-mthumb", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]
SINGLE = ("-fsingle-precision-constant",)
ROBOTS = ("puma560", "panda", "iiwa14", "ur3", "ur5", "ur10e", "irb120", "gen3", "xarm7", "pucrio")
MODELS = ("inverse_dynamics", "gravity", "jacobian", "pose")
MOST = 0.8  # of CasADi's room
POSE: dict[str, Form] = {"text": text(lambda c, q, v, a: pose.pose(c, q).rows())}
LIBRARY = 150  # cycles of sinf or cosf, about
CYCLES = (  # the first that fits
    (r"v(div|sqrt)", 14), (r"v(ml|fma|fms|nml|fnm)", 3), (r"v(ldr|str)", 2), (r"v(push|pop|ldm|stm)", -1),
    (r"(push|pop|ldm|stm)", -1), (r"(ldr|str)", 2), (r"b", 2),
)  # fmt: skip


class Code(NamedTuple):
    """What a function takes."""

    room: int  # bytes
    cycles: int


def compiled(source: Path, name: str, flags: Sequence[str]) -> Code:
    """A function of a source file, alone in a section of its own."""
    made = source.with_suffix(".o")
    told = [f"{TOOLS}gcc", *FLAGS, *flags, "-ffunction-sections", "-c", str(source), "-o", str(made)]
    done = subprocess.run(told, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[:400])
    listing = _tool("objdump", "-d", "--no-show-raw-insn", str(made))
    sizes = {line.split()[3]: int(line.split()[1], 16) for line in _tool("nm", "-S", str(made)).splitlines()
             if len(line.split()) == 4 and line.split()[2] in "tT"}  # fmt: skip
    called = [name, *(other for other in sizes if other != name and _calls(listing, name, other))]
    return Code(sum(sizes[x] for x in called), sum(_cycles(listing, x) for x in called))


def _tool(name: str, *words: str) -> str:
    return subprocess.run([TOOLS + name, *words], capture_output=True, text=True, check=True).stdout


def _body(listing: str, name: str) -> list[str]:
    """The instructions of a function."""
    found = re.search(rf"<{re.escape(name)}>:\n(.*?)(?:\n\n|\Z)", listing, re.S)
    return [] if found is None else [line.split("\t", 1)[1] for line in found[1].splitlines() if "\t" in line]


def _calls(listing: str, name: str, other: str) -> bool:
    return any(f"<{other}>" in line for line in _body(listing, name))


def _cycles(listing: str, name: str) -> int:
    return sum(map(_of_instruction, _body(listing, name)))


def _of_instruction(line: str) -> int:
    word = line.split(maxsplit=1)[0]
    if word.startswith(".") or "word" in word:
        return 0  # a number in the text
    if word in ("bl", "blx"):
        return 2 * LIBRARY if "sincos" in line else LIBRARY
    for pattern, count in CYCLES:
        if re.match(pattern, word):
            return 1 + _listed(line) if count < 0 else count
    return 1


def _listed(line: str) -> int:
    """How many registers stand between braces: {r4, r5}, {d8-d15}, of which one is two words."""
    inside = line.partition("{")[2].partition("}")[0]
    count = 0
    for part in filter(None, (x.strip() for x in inside.split(","))):
        ends = [int(x) for x in re.findall(r"\d+", part)] or [0]
        count += (ends[-1] - ends[0] + 1) * (2 if part.startswith("d") else 1)
    return count


def ours(robot: mp.Robot, model: str, folder: Path) -> Code:
    made = mp.generate(robot, model)
    files = made.emit("c", folder / model, dtype="float32", batch=False, sincos=True)
    source = next(path for path in files if path.suffix == ".c" and not path.stem.endswith("_test"))
    return compiled(source, source.stem, [])


def casadis(robot: mp.Robot, model: str, folder: Path) -> Code:
    """The smallest of its forms."""
    symbols = symbols_of(robot, joints_of(robot))
    inputs, found = [symbols.q, symbols.v, symbols.a], []
    for way, form in (POSE if model == "pose" else FORMS[model]).items():
        name = f"casadi_{model}_{way}"
        function = casadi.Function(name, inputs, casadi.cse([*form(symbols)]))
        code = casadi.CodeGenerator(f"{name}.c", {"casadi_real": "float"})
        code.add(function)
        code.generate(f"{folder}/")
        source = folder / f"{name}.c"
        source.write_text(re.sub(r"\b(sin|cos|sqrt|fabs)\(", r"\1f(", source.read_text()))
        found.append(compiled(source, name, SINGLE))
    return min(found)


def missing() -> str:
    return (
        "" if which(f"{TOOLS}gcc") else f"no {TOOLS}gcc (Debian: apt install gcc-arm-none-eabi libnewlib-arm-none-eabi)"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="*", default=ROBOTS)
    parser.add_argument("--models", default=",".join(MODELS))
    wanted = parser.parse_args()
    if why := missing():
        print(f"left out: {why}")
        return 0
    rows, ratios = [], []
    for name in wanted.robots:
        robot = bare(name)
        for model in wanted.models.split(","):
            with tempfile.TemporaryDirectory() as folder:
                mine, theirs = ours(robot, model, Path(folder)), casadis(robot, model, Path(folder))
            ratios.append(mine.room / theirs.room)
            rows.append([f"{name} {model}", str(mine.room), str(theirs.room), f"{ratios[-1]:.2f}", str(mine.cycles),
                         str(theirs.cycles), f"{mine.cycles / theirs.cycles:.2f}"])  # fmt: skip
            print(f"{rows[-1][0]}: {mine.room} of {theirs.room} bytes", file=sys.stderr, flush=True)
    head = ("Cortex-M4F, -Os", "bytes", "CasADi", "ratio", "cycles", "CasADi", "ratio")
    table("Room in flash and cycles", head, rows)
    worst = max(ratios)
    print(f"\nworst ratio of room {worst:.2f}; requested: {MOST}")
    return 0 if worst <= MOST else 1


if __name__ == "__main__":
    raise SystemExit(main())
