"""Which tests run a line of the package: one run of the suite under coverage, kept in a folder.

A line that has moved since then is found again by comparing the file with the text that was measured. Tests written
since then are measured alone, into a folder within that folder.
"""

from __future__ import annotations

import ast
import difflib
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache
from itertools import chain, zip_longest
from pathlib import Path
from xml.etree import ElementTree

from coverage import CoverageData

from tests.units.test_layers import ALL, edges

ROOT = Path(__file__).parents[2]
# tests that look at every module, whatever they run of it: what a statement gives on import, they have seen
OF_ALL = ("tests/golden/test_numbers.py::test_a_number_moves_on_purpose",)
# tests that read the text of every module: of a sentence they see what it is made of, without running its line
OF_SENTENCES = tuple(
    f"tests/units/test_sentences.py::test_{name}"
    for name in ("every_entry_is_said", "every_place_is_given_its_value", "errors_are_given_templates")
)
_SENTENCE = re.compile(r"(?:Error|Message|caution)\(")
# tests that read the texts with loops: what runs is their machine code, of which coverage knows nothing
OF_LOOPS = tuple(
    f"tests/golden/test_machine_texts.py::test_a_text_has_its_digest[{kind}]" for kind in ("loops", "programs")
)
_LOOPS = "from manipula.algebra.program.primitives import"

_SETTINGS = """[run]
source = manipula
parallel = true
patch = subprocess
sigterm = true
data_file = {folder}/.coverage
[paths]
source =
    manipula
    {root}/manipula
"""


def measure(folder: Path, tests: Iterable[str] = ()) -> None:
    """Run the suite, or these files of it, every line with the tests that reach it, every test with its seconds."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = folder / "coverage.ini"
    settings.write_text(_SETTINGS.format(folder=folder, root=ROOT), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "tests.mutants.plugin", "-p", "no:cacheprovider"]
    command += ["--cov=manipula", "--cov-context=test", f"--cov-config={settings}", "--cov-report="]
    command += [f"--junitxml={folder / 'seconds.xml'}", "-o", "timeout=1500"]  # coverage takes its time
    subprocess.run([*command, *tests], cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, check=False)
    for file in sorted((ROOT / "manipula").rglob("*.py")):
        copy = folder / "text" / file.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())


class Measured:
    """One run: which tests ran the lines of a file, by where these lines stand today."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = CoverageData(str(folder / ".coverage"))
        self.data.read()
        cases = [case.attrib for case in ElementTree.parse(folder / "seconds.xml").iter("testcase")]
        self.seconds = {_node(case["classname"], case["name"]): float(case.get("time", 0)) for case in cases}
        self.names = {name.rpartition("/manipula/")[2]: name for name in self.data.measured_files()}

    def lines(self, file: str) -> dict[int, set[str]]:
        if file.partition("/")[2] not in self.names or not (self.folder / "text" / file).exists():
            return {}
        contexts = self.data.contexts_by_lineno(self.names[file.partition("/")[2]])
        tests = {line: {name.rpartition("|")[0] for name in names if "|" in name} for line, names in contexts.items()}
        today = self._today(file)
        return {today[line]: names for line, names in tests.items() if line in today}

    def _today(self, file: str) -> dict[int, int]:
        """Where the lines of the measured text stand today, counted from 1."""
        old = (self.folder / "text" / file).read_text(encoding="utf-8").splitlines()
        new = (ROOT / file).read_text(encoding="utf-8").splitlines()
        blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
        return {b.a + k + 1: b.b + k + 1 for b in blocks for k in range(b.size)}


class Reach:
    """The tests that run a line, those that tell most about it first."""

    def __init__(self, folder: Path) -> None:
        self.runs = [Measured(place.parent) for place in sorted(folder.rglob("seconds.xml"))]
        self.seconds = {name: seconds for run in self.runs for name, seconds in run.seconds.items()}

    @cache  # noqa: B019  (one object for a run)
    def _lines(self, file: str) -> dict[int, set[str]]:
        tests = defaultdict[int, set[str]](set)
        for line, names in chain.from_iterable(run.lines(file).items() for run in self.runs):
            tests[line] |= names
        return tests

    def tests(self, file: str, line: int, end: int) -> list[str]:
        """Of a statement that runs on import, whichever test was the first to load it, or of a new one: the tests that
        run anything in a function of its file, then those of the files that import it."""
        text = "\n".join((ROOT / file).read_text(encoding="utf-8").splitlines()[line - 1 : end])
        found = self._tests(file, line, end)
        readers = OF_SENTENCES if _SENTENCE.search(text) else ()
        readers += OF_LOOPS if _LOOPS in (ROOT / file).read_text(encoding="utf-8") else ()
        return [*readers, *(x for x in found if x not in readers)]

    def _tests(self, file: str, line: int, end: int) -> list[str]:
        direct = self._of_lines(file, range(line, end + 1))
        if direct and not _on_import(ROOT / file, line):
            rest = self._around(file, direct) if _helps_import(ROOT / file, line) else []
            return [*(found := turns(direct, self.seconds)), *(name for name in rest if name not in found)]
        return self._around(file, direct)

    def _around(self, file: str, direct: set[str]) -> list[str]:
        own, around = self._of_functions(file) or Counter(direct), Counter[str]()
        for importer in _importers()[file]:
            around += self._of_functions(importer)
        rest = Counter({name: k for name, k in around.items() if name not in own})
        likely = self._likely(own) + self._likely(rest)
        return [*OF_ALL, *(name for name in likely if name not in OF_ALL)] if likely else []

    def _likely(self, lines: Counter[str]) -> list[str]:
        """Those first that run many of these lines in little time: they use what the file defines."""
        return turns(set(lines), {name: (self.seconds.get(name, 1.0) + 0.05) / k for name, k in lines.items()})

    def _of_functions(self, file: str) -> Counter[str]:
        """How many lines of the functions of a file a test runs."""
        lines = [names for line, names in self._lines(file).items() if not _on_import(ROOT / file, line)]
        return Counter(chain.from_iterable(lines))

    def _of_lines(self, file: str, lines: Iterable[int]) -> set[str]:
        return set(chain.from_iterable(self._lines(file).get(line, ()) for line in lines))


@cache
def _bodies(path: Path) -> list[tuple[int, int]]:
    """The lines of a file that run when one of its functions is called; defaults and decorators run on import."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    found = [node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, functions)]
    return [(node.body[0].lineno, node.end_lineno or 0) for node in found]


def _helps_import(path: Path, line: int) -> bool:
    """Is it in a function that some module calls while it is loaded? Coverage has only the test that loaded it."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    found = [node for node in ast.walk(ast.parse(path.read_bytes())) if isinstance(node, functions)]
    return any(node.name in _called_on_import() for node in found if node.lineno <= line <= (node.end_lineno or 0))


@cache
def _called_on_import() -> frozenset[str]:
    """Names of functions in what runs when a module is loaded."""
    found = set[str]()
    names: list[ast.AST] = [ast.parse(path.read_bytes()) for path in ALL.values()]
    while names:
        node = names.pop()
        if isinstance(node, ast.Call):
            found.add(getattr(node.func, "id", "") or getattr(node.func, "attr", ""))
        inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        names += [] if inside else ast.iter_child_nodes(node)
    return frozenset(found)


def _on_import(path: Path, line: int) -> bool:
    return not any(first <= line <= last for first, last in _bodies(path))


@cache
def _importers() -> dict[str, set[str]]:
    """Which files import a file."""
    found = defaultdict[str, set[str]](set)
    files = {name: path.relative_to(ROOT).as_posix() for name, path in ALL.items()}
    for name, targets in edges().items():
        for target in targets:
            found[files[target]].add(files[name])
    return found


def _node(place: str, name: str) -> str:
    """The test as pytest calls it: `tests.units.test_library.TestFile` is a class in a file."""
    parts = place.split(".")
    modules = [part for part in parts if not part.startswith("Test")]
    return "::".join(["/".join(modules) + ".py", *parts[len(modules) :], name])


def turns(tests: set[str], seconds: dict[str, float]) -> list[str]:
    """One test of each function, then the next of each: draws of one property tell the same again. Quick ones first."""
    families = defaultdict(list)
    for name in sorted(tests, key=lambda name: (seconds.get(name, 1.0), name)):
        families[name.partition("[")[0]].append(name)
    ordered = sorted(families.values(), key=lambda names: (seconds.get(names[0], 1.0), names[0]))
    return [name for names in zip_longest(*ordered) for name in names if name is not None]
