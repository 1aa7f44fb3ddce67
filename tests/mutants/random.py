"""`make mutants-random SEED=1 N=100`: change lines of the package drawn by a seed; do the tests notice?

A line is drawn among all that run, then one of the operators that fit it, then the place. The tests that reach the
line are known from one run of the suite under coverage (`--measure`; kept in `out/reach`), so a mutant takes seconds. A
mutant that no test notices is printed with the tests that run its line: one of them should have noticed. Those of
`equivalent.toml` change no result; each has its reason there, and is not counted. At the end the tests that noticed
something run on the package as it is: one that fails there too has noticed nothing. Tests written since the suite was
measured are measured by `--also`, and known from then on.

    python -m tests.mutants.random --seed 1 --count 100 [--room algebra] [--jobs 2] [--seconds 120] [--measure]
                                   [--also tests/units/test_new.py ...]
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import cache_from_source
from pathlib import Path
from queue import SimpleQueue

from tests.mutants.operators import Site, sites
from tests.mutants.reach import ROOT, Reach, measure

FIRST = 4.0  # seconds of tests that are tried before all the others
HANGS = 240.0  # seconds of the clock for one call of pytest
CAUGHT, SURVIVED, EQUIVALENT, UNREACHED = "caught", "SURVIVED", "equivalent", "UNREACHED"


@dataclass(frozen=True)
class Verdict:
    site: Site
    said: str
    tests: tuple[str, ...]  # that run the line, the quickest first
    left: int  # tests that were not run: their seconds go beyond the limit
    witness: str = ""  # the test that noticed; empty where the tests could not even be collected


def drawn(seed: int, count: int, room: str = "") -> list[Site]:
    """The same for the same seed and the same package, or room of it."""
    folder = ROOT / "manipula" / room
    dice = random.Random(seed)
    lines: dict[tuple[str, int], list[Site]] = {}
    for file in sorted(folder.rglob("*.py")) if folder.is_dir() else [folder]:
        for site in sites(file.relative_to(ROOT).as_posix(), file.read_bytes()):
            lines.setdefault((site.file, site.line), []).append(site)
    chosen = []
    for place in dice.sample(sorted(lines), count):
        operator = dice.choice(sorted({site.operator for site in lines[place]}))
        chosen.append(dice.choice([site for site in lines[place] if site.operator == operator]))
    return chosen


@cache
def equivalents() -> dict[tuple[str, str, str, str, str], str]:
    """The reason, by file, text of the first line, old and new, and what stands just before the old text, where that
    line has it several times: the same change elsewhere in a file may matter."""
    text = Path(__file__).with_name("equivalent.toml").read_text(encoding="utf-8")
    listed = tomllib.loads(text).get("equivalent", [])
    return {(e["file"], e["line"], e["old"], e["new"], e.get("after", "")): e["reason"] for e in listed}


def is_equivalent(site: Site, source: bytes) -> bool:
    place = (site.file, source.decode().splitlines()[site.line - 1].strip(), site.old, site.new)
    return any(key[:4] == place and source[: site.start].endswith(key[4].encode()) for key in equivalents())


def verdict(site: Site, reach: Reach, tree: Path, seconds: float) -> Verdict:
    source = (ROOT / site.file).read_bytes()
    if is_equivalent(site, source):
        return Verdict(site, EQUIVALENT, (), 0)
    tests = reach.tests(site.file, site.line, site.line + site.old.count("\n"))
    # most mutants fall to the first few: collecting the files of all the others takes longer than those tests
    rounds: tuple[list[str], list[str]] = [], []
    spent = 0.0
    for name in tests:
        spent += reach.seconds.get(name, 1.0)
        if spent < seconds or not rounds[0]:
            rounds[spent > FIRST and bool(rounds[0])].append(name)
    try:
        _write(tree / site.file, site.planted(source))
        failed, witness = next((found for some in rounds if some and (found := outcome(tree, some))[0]), (False, ""))
    finally:
        _write(tree / site.file, source)
    said = UNREACHED if not tests else CAUGHT if failed else SURVIVED
    return Verdict(site, said, tuple(tests), len(tests) - sum(map(len, rounds)), witness)


def _write(file: Path, source: bytes) -> None:
    """Bytecode is known by size and second of its source, so that of a mutant could pass for the right one's."""
    file.write_bytes(source)
    Path(cache_from_source(str(file))).unlink(missing_ok=True)


def outcome(tree: Path, tests: list[str]) -> tuple[bool, str]:
    """Whether one of these tests fails on this tree, and which."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as names:
        names.write("\n".join(tests))
        names.flush()
        files = list(dict.fromkeys(name.partition("::")[0] for name in tests))
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-rfE", "-n", "0", "-m", "", "-p", "no:cacheprovider"]
        command += ["-p", "tests.mutants.plugin", "-o", "timeout=120", *files]
        environment = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        run = partial(subprocess.run, capture_output=True, encoding="utf-8", errors="replace", check=False)
        try:
            done = run(
                command,
                cwd=tree,
                env=environment | {"PYTHONPATH": str(tree), "MUTANTS_CHOSEN": names.name},
                timeout=HANGS,
            )
        except subprocess.TimeoutExpired:  # while tests are collected pytest has no limit of its own
            return True, ""
    named = re.search(r"^(?:FAILED|ERROR) (tests/\S+?::.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
    return done.returncode not in (0, 5), named[1] if named else ""  # 5: none of them is there any more


def false_witnesses(verdicts: list[Verdict], tree: Path) -> set[str]:
    """Tests that fail without a mutant as well."""
    left, false = {found.witness for found in verdicts if found.witness}, set[str]()
    while left:
        failed, name = outcome(tree, sorted(left))
        if not failed:
            break
        false.add(name)
        left = left - {name} if name in left else set()
    return false


def _tree(place: Path) -> Path:
    """What the tests need of the repository, without what git does not know."""
    for part in ("manipula", "tests", "docs", "bench", "web"):
        skipped = shutil.ignore_patterns("__pycache__", "node_modules")
        shutil.copytree(ROOT / part, place / part, ignore=skipped, symlinks=True)
    for file in ROOT.iterdir():
        if file.is_file():
            shutil.copy(file, place / file.name)
    return place


def _described(found: Verdict) -> str:
    site = found.site
    lines = [f"{found.said:10}  {site.file}:{site.line}  {site.operator}: {_short(site.old)}  →  {_short(site.new)}"]
    if found.said == SURVIVED:
        functions = list(dict.fromkeys(name.partition("[")[0] for name in found.tests))
        lines += [f"            run by {name}" for name in functions[:3]]
        lines += [f"            and {len(functions) - 3} other functions of tests"] if len(functions) > 3 else []
        lines += [f"            {found.left} tests beyond the limit of time were not run"] if found.left else []
    return "\n".join(lines)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) < 90 else line[:87] + "..."


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--count", type=int, default=100)
    options.add_argument("--room", default="", help="a folder or file of the package, such as algebra or ik/path.py")
    options.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options.add_argument("--seconds", type=float, default=120, help="of tests for one mutant, as measured")
    options.add_argument("--reach", type=Path, default=ROOT / "out" / "reach")
    options.add_argument("--measure", action="store_true", help="run the suite under coverage first, even if it was")
    options.add_argument("--also", nargs="+", default=[], help="files of tests that are new: run under coverage first")
    request = options.parse_args()
    if request.measure or not (request.reach / "seconds.xml").exists():
        measure(request.reach)
    if request.also:
        measure(request.reach / f"also-{len(list(request.reach.glob('also-*')))}", request.also)
    reach, count = Reach(request.reach), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="mutants-") as place, ThreadPoolExecutor(request.jobs) as pool:
        trees: SimpleQueue[Path] = SimpleQueue()
        for k in range(request.jobs):
            trees.put(_tree(Path(place) / str(k)))

        def judge(site: Site) -> Verdict:
            tree = trees.get()
            try:
                return verdict(site, reach, tree, request.seconds)
            finally:
                trees.put(tree)

        verdicts = []
        for found in pool.map(judge, drawn(request.seed, request.count, request.room)):
            verdicts.append(found)
            print(_described(found), flush=True)
        false = false_witnesses(verdicts, trees.get())
    for found in verdicts:
        count[SURVIVED if found.witness in false else found.said] += 1
        if found.witness in false:
            print(f"not caught: {found.site.file}:{found.site.line}  {found.witness} fails without a mutant too")
    judged = request.count - count[EQUIVALENT]
    share = 100 * count[CAUGHT] / max(judged, 1)
    print(f"seed {request.seed}: {count[CAUGHT]} of {judged} mutants caught ({share:.0f} %), ", end="")
    print(f"{count[SURVIVED]} survived, {count[UNREACHED]} reached by no test, {count[EQUIVALENT]} equivalent")
    return bool(count[SURVIVED] + count[UNREACHED])


if __name__ == "__main__":
    sys.exit(main())
