"""Checkers of emitted code: every library robot passes, and random slips in the emitted text are caught.

    python bench/checker.py                            29 robots, 4 models, Python and C++; then 30 slips
    python bench/checker.py --symbolic all             every number of the table a symbol
    python bench/checker.py --robots ur5e,puma560 --languages python --slips 100 --seed 7

A row: passed or not, the bound on the chance of error, seconds to build and run the checker. A slip is one sign, one
index or one digit changed in a line that a result depends on. A slip of a sign or an index that the text's self-test
does not feel either left the function as it was (the term cancels further on); it is not counted, and another is drawn.
Exit code 1 if a right text fails or a wrong one passes.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from mutants import Mutant, mutant_of

import manipula as mp
from manipula.generation.checker import MODELS

FLAGS = ("-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "-pedantic")
SOURCES = {"python": "{}.py", "cpp": "{}.hpp"}
TESTS = {"python": "{}.py", "cpp": "{}_test.cpp"}
CHECKS = {"python": "{}_check.py", "cpp": "{}_check.cpp"}


@dataclass(frozen=True)
class Case:
    """One emitted text and its checker."""

    robot: str
    model: str
    language: str
    symbolic: str

    def emitted(self, folder: Path) -> str:
        """The name of the function, written to the folder."""
        model = mp.generate(self.robot, self.model, symbolic=self.symbolic)  # type: ignore[arg-type]
        model.emit(self.language, folder, proof=True)
        return model.name


def run(file: str, folder: Path, compiler: str) -> subprocess.CompletedProcess[str]:
    """A Python or C++ file as a program; what the compiler refuses counts as failed."""
    command = [sys.executable, file]
    if file.endswith(".cpp"):
        built = [compiler, *FLAGS, file, "-o", "program"]
        done = subprocess.run(built, cwd=folder, check=False, capture_output=True, text=True)
        if done.returncode:
            return done
        command = ["./program"]
    return subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)


def checked(case: Case, compiler: str) -> tuple[bool, str, float]:
    """(passed, bound, seconds)"""
    with TemporaryDirectory() as name:
        folder = Path(name)
        file = CHECKS[case.language].format(case.emitted(folder))
        start = perf_counter()
        done = run(file, folder, compiler)
        seconds = perf_counter() - start
    bound = re.search(r"below (\S+)", done.stdout)
    if done.returncode:
        print(case, done.stdout, done.stderr, sep="\n")
    return done.returncode == 0, bound[1] if bound else "-", seconds


def table(robots: list[str], languages: list[str], symbolic: str, compiler: str) -> bool:
    """Print robots × models; True if all passed."""
    print(f"{'robot':<18}{'language':<10}" + "".join(f"{model:>28}" for model in MODELS))
    good = True
    for robot in robots:
        for language in languages:
            cells = [checked(Case(robot, model, language, symbolic), compiler) for model in MODELS]
            good = good and all(passed for passed, _, _ in cells)
            texts = [f"{'passed' if ok else 'FAILED'} {bound:>7} {seconds:6.1f} s" for ok, bound, seconds in cells]
            print(f"{robot:<18}{language:<10}" + "".join(f"{text:>28}" for text in texts), flush=True)
    return good


def caught(case: Case, dice: random.Random, compiler: str) -> tuple[bool | None, Mutant]:
    """Was a slip found? None: it changed nothing that the self-test feels."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        function = case.emitted(folder)
        source = folder / SOURCES[case.language].format(function)
        slip = mutant_of(source.read_text(encoding="utf-8"), case.language, dice)
        source.write_text(slip.text, encoding="utf-8")
        done = run(CHECKS[case.language].format(function), folder, compiler)
        if done.returncode == 1 and "differs from the plain recursion" in done.stdout:
            return True, slip
        felt = slip.kind == "constant" or run(TESTS[case.language].format(function), folder, compiler).returncode != 0
        return False if felt else None, slip


def slips(count: int, cases: list[Case], seed: int, compiler: str) -> bool:
    """Print what was planted; True if all were caught."""
    dice, found, idle = random.Random(seed), 0, 0
    planted = 0
    while planted < count:
        case = dice.choice(cases)
        result, slip = caught(case, dice, compiler)
        if result is None:
            idle += 1
            continue
        planted, found = planted + 1, found + result
        word = "caught" if result else "MISSED"
        print(f"{word}  {slip.kind:<9}{case.robot} {case.model} {case.language}: {slip.line[:80]}", flush=True)
    print(f"slips caught: {found} of {planted}; {idle} more changed nothing")
    return found == planted


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--robots", default=",".join(mp.robots()))
    parser.add_argument("--languages", default="python,cpp")
    parser.add_argument("--symbolic", default="auto", choices=("auto", "all"))
    parser.add_argument("--slips", type=int, default=30)
    parser.add_argument("--only-slips", action="store_true", help="no table")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--compiler", default=shutil.which("c++") or shutil.which("g++") or shutil.which("clang++"))
    asked = parser.parse_args()
    robots, languages = asked.robots.split(","), asked.languages.split(",")
    if "cpp" in languages and not asked.compiler:
        print("no C++ compiler on this machine: checkers in C++ are not run")
        languages.remove("cpp")
    good = asked.only_slips or table(robots, languages, asked.symbolic, asked.compiler)
    cases = [Case(r, m, each, asked.symbolic) for r in robots for m in MODELS for each in languages]
    return 0 if slips(asked.slips, cases, asked.seed, asked.compiler) and good else 1


if __name__ == "__main__":
    sys.exit(main())
