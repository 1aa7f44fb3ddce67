"""`make mutants`: plant each error of `planted.toml`, run the tests that should notice, say whether they did.

An error is one replaced line of the package. The tree is copied, so nothing here changes; the tests named beside an
error must pass without it and fail with it. Exit code 1 if one survives, or if its line is no longer there.

    python -m tests.mutants [WORD …] [--jobs N]      only those whose name contains a word
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIMIT = 600  # seconds; a test that hangs has noticed


@dataclass(frozen=True)
class Mutant:
    """`old` stands once in `file`; `tests` are node ids, or files."""

    name: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


def planted() -> list[Mutant]:
    text = Path(__file__).with_name("planted.toml").read_text(encoding="utf-8")
    return [Mutant(**{**entry, "tests": tuple(entry["tests"])}) for entry in tomllib.loads(text)["mutant"]]


def stale(mutant: Mutant) -> str:
    """Why it cannot be planted; nothing if it can."""
    count = (ROOT / mutant.file).read_text(encoding="utf-8").count(mutant.old)
    return "" if count == 1 else f"its line stands {count} times in {mutant.file}"


def verdict(mutant: Mutant) -> str:
    """ "caught", or what is wrong."""
    problem = stale(mutant)
    if problem:
        return problem
    if not sound(mutant.tests):
        return "its tests fail without it"
    with tempfile.TemporaryDirectory(prefix="mutant-") as place:
        tree = Path(place)
        for part in ("manipula", "tests", "docs"):
            shutil.copytree(ROOT / part, tree / part, ignore=shutil.ignore_patterns("__pycache__"))
        for part in ("pyproject.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md"):
            shutil.copy(ROOT / part, tree / part)
        target = tree / mutant.file
        target.write_text(target.read_text(encoding="utf-8").replace(mutant.old, mutant.new), encoding="utf-8")
        return "SURVIVED" if passes(tree, mutant.tests) else "caught"


@cache
def sound(tests: tuple[str, ...]) -> bool:
    """Do the tests pass without any error planted?"""
    return passes(ROOT, tests)


def passes(tree: Path, tests: Sequence[str]) -> bool:
    every = ("-m", "not slow and not turn")  # what runs at every commit has to notice
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", *every, *tests]
    try:
        done = subprocess.run(
            command,
            cwd=tree,
            env=os.environ | {"PYTHONPATH": str(tree)},
            capture_output=True,
            timeout=LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("words", nargs="*")
    options.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    asked = options.parse_args()
    chosen = [m for m in planted() if not asked.words or any(word in m.name for word in asked.words)]
    bad = 0
    with ThreadPoolExecutor(asked.jobs) as pool:
        for mutant, said in zip(chosen, pool.map(verdict, chosen)):
            bad += said != "caught"
            print(f"{said:10}  {mutant.name}  ({mutant.file})", flush=True)
    print(f"{len(chosen) - bad} of {len(chosen)} planted errors were noticed")
    return bool(bad)


if __name__ == "__main__":
    sys.exit(main())
