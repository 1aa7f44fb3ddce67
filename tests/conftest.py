"""The order of the suite, which of the drawn cases it runs, what its tests share, and its options: `--update` accepts
emitted text and whole sentences as the new golden ones, `--draws` repeats the draws of another commit."""

from __future__ import annotations

import gc
import os
import platform
import re
import signal
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from hashlib import blake2b
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import settings

# before NumPy is loaded, and for the processes that tests start: two workers on two cores have no core to spare, and
# threads of OpenBLAS that wait for each other spend more time than the matrices of a test take
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
if platform.machine() in ("x86_64", "AMD64"):  # one order of sums on every machine: a search's small steps depend on it
    os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")

from manipula.algebra.expr.function import Function
from manipula.algebra.llvm import code
from manipula.generation import pipeline
from manipula.generation.cache import key_from
from manipula.generation.levels import LEVELS
from manipula.generation.prepare import Prepared
from manipula.support import cache as kept_files
from manipula.support.progress import DEFAULT_EFFORT, Effort, silent
from tests.golden.sentences import Sentences

settings.register_profile("unclocked", deadline=None)  # a busy machine is no failure
settings.load_profile("unclocked")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # jobs in the background begin so, and their children, too
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ["MANIPULA_CACHE"] = "off"  # every test makes what it tests; those of the cache turn it on


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write the golden files instead of comparing with them")
    parser.addoption("--draws", metavar="WORD", help="which drawn cases are run; the commit's hash, if not given")


# files that take longest: begun first, lest a process be left alone with one at the end
LONG = (
    "test_docs", "test_slips", "test_checker", "test_languages", "test_fmu", "test_robot_door", "test_derivatives",
    "test_simulation", "test_cli_ik", "test_adaptive", "test_helical", "test_inverse", "test_optimise_cli",
    "test_coupled", "test_calibration", "test_control", "test_world_frame", "test_studies", "test_emitted_inverse",
    "test_emitted_nearest", "test_stick", "test_reference", "test_contract", "test_emit", "test_ready_studies",
    "test_stateful", "test_cli", "test_cached", "test_proof_binder", "test_identify",
)  # fmt: skip


# what `.ci/run` runs beside the rest: a browser, compilers of other languages, Node; and what `make docs` runs
APART = (
    "test_cuda", "test_cuda_device", "test_cuda_rollouts", "test_emit_options", "test_emitted_conditions",
    "test_emitted_general6r", "test_emitted_inverse", "test_emitted_nearest", "test_emitted_sizes", "test_every_op",
    "test_fmu", "test_fmu_platforms", "test_fortran", "test_languages", "test_module_inverse", "test_notebooks",
    "test_robot_module",
    "test_stateful",
)  # fmt: skip
EXAMPLES = ("test_docs", "test_site")

# Cases of one property that are drawn by a number, or marked with `drawn("parameter")`: `make test` runs a share of
# them, another one at each commit, and `make test-all` runs all. What a test takes from the remainder of its number
# changes from one case of the share to the next: 7 has no factor in common with 2 to 6.
DRAWN = {"seed", "draw"}
SHARE, FEW = 7, 1  # one case in so many; of one property at least so many, or what the mark says: drawn("name", few=2)
FEW_PLANTED = 2  # in files that have to notice errors of `mutants/planted.toml`, whatever is drawn
TURN = 4  # a long test marked `turn`, whose subject quicker ones hold, too, is run at one commit in so many


def pytest_configure(config: pytest.Config) -> None:
    if config.option.draws is None:
        config.option.draws = _commit()
    _Running.all_careful = not config.option.markexpr


def _commit() -> str:
    """The hash of the commit; a fixed word where git does not know one."""
    command = ["git", "rev-parse", "--short=12", "HEAD"]
    try:
        done = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
    except OSError:
        return "none"
    return done.stdout.strip() or "none"


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    terminalreporter.write_line(
        f"of drawn cases one in {SHARE}, of long tests one in {TURN}: --draws={config.option.draws}"
    )


@pytest.hookimpl(tryfirst=True)  # before the slow ones are left out
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not any("[" in name for name in config.args):  # a case that is named is run
        named = any("::" in name for name in config.args)
        for item in left_out(items, config.option.draws, turns=not named):
            item.add_marker(pytest.mark.slow)
    for item in items:
        if half := _half(item.path):
            item.add_marker(getattr(pytest.mark, half))
    items.sort(key=lambda item: LONG.index(item.path.stem) if item.path.stem in LONG else len(LONG))


def _half(path: Path) -> str:
    """The mark of a file's tests that `.ci/run` tells its halves by."""
    if path.stem in EXAMPLES:
        return "examples"
    return "apart" if path.stem in APART or path.parent.name == "browser" else ""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A half of `.ci/run` does not import the files of the other, whose tests it leaves out."""
    if not (collection_path.name.startswith("test_") and collection_path.suffix == ".py"):
        return None
    half, wanted = _half(collection_path), str(config.option.markexpr)
    others = half and f"not {half}" in wanted
    return True if others or (half != "apart" and wanted.endswith("and apart")) else None


def pytest_collection_finish() -> None:
    gc.freeze()  # modules and tests stay to the end: no round of the collector looks through them


def left_out(items: list[pytest.Item], word: str, turns: bool = True) -> list[pytest.Item]:
    """The drawn cases beyond the share, and the tests whose turn it is not. Of every choice of the other parameters
    some cases are kept."""
    functions: dict[str, dict[str, list[pytest.Item]]] = defaultdict(lambda: defaultdict(list))
    left = []
    for item in items:
        drawn = _drawn_parameters(item)
        if item.get_closest_marker("slow") is not None:
            continue
        test = item.nodeid.partition("[")[0]
        if turns and item.get_closest_marker("turn") is not None and _number(f"{word} {test}") % TURN:
            left.append(item)
        elif drawn:
            rest = [x for x in item.callspec.params.items() if x[0] not in drawn]  # type: ignore[attr-defined]
            functions[test][repr(rest)].append(item)
    for name, groups in functions.items():
        for place, cases in enumerate(groups.values()):
            mark, n = cases[0].get_closest_marker("drawn"), len(cases)
            least = FEW_PLANTED if name.partition("::")[0] in planted_files() else FEW
            few = least if mark is None else mark.kwargs.get("few", least)
            count = max(-(-n // SHARE), -(-few // len(groups)))
            first = _number(f"{word} {name} {place}")
            step = next(prime for prime in (SHARE, 11, 13, 17) if n % prime)  # or it would come back too soon
            taken = {(first + k * step) % n for k in range(count)}
            left += [case for k, case in enumerate(cases) if k not in taken]
    return left


@cache
def planted_files() -> frozenset[str]:
    """Those that the list of planted errors names."""
    text = (Path(__file__).parent / "mutants" / "planted.toml").read_text(encoding="utf-8")
    return frozenset(re.findall(r"\btests/[\w/]+\.py", text))


def _number(word: str) -> int:
    return int.from_bytes(blake2b(word.encode(), digest_size=8).digest(), "big")


def _drawn_parameters(item: pytest.Item) -> set[str]:
    """Those that are marked; the numbers of draws, and what comes with a number."""
    drawn = {name for mark in item.iter_markers("drawn") for name in mark.args}
    marks = (mark.args[0] for mark in item.iter_markers("parametrize"))
    names = [names.replace(" ", "").split(",") if isinstance(names, str) else names for names in marks]
    return drawn | {name for together in names if DRAWN & set(together) for name in together}


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update"))


KEPT = "kept"  # the name of its folder


@pytest.fixture
def whole(update: bool, tmp_path: Path) -> Sentences:
    return Sentences(tmp_path, update)


@pytest.fixture(scope="session")
def kept_folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A cache of this run's own, and of all its processes."""
    base = tmp_path_factory.getbasetemp()
    return str((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / KEPT)


@pytest.fixture
def kept_functions(kept_folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of what is shown, not of how it is made: what another process has generated is taken from the cache,
    proved again."""
    monkeypatch.setenv("MANIPULA_CACHE", kept_folder)


@pytest.fixture
def without_search(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """For tests of what laws, loops and estimates do: the default level takes the model as it is written. It is proved
    like any; how few operations a search leaves is tested where that is the subject, and on every law, in C."""
    monkeypatch.setenv("MANIPULA_CACHE", "off")  # no other test shall take it for what was searched
    usual, LEVELS["fast"] = LEVELS["fast"], LEVELS["none"]
    yield
    LEVELS["fast"] = usual


# most objects of a test live as long as it does: looking through them all every few hundred allocations finds nothing
# (as seldom as a generation has it, which else would be followed by a round of its own)
gc.set_threshold(100_000, 10, 20)


class _Running:
    """The test that runs."""

    shares = False
    careful = True
    all_careful = True


# Machine code depends on nothing but its text: what one test has compiled, the next in the same process takes. LLVM's
# plain code generator, which long functions have anyway, takes a fifth of the time, and its code gives the same bits:
# every product that is fused is fused in the text. The careful one makes the code for files of tests that look into
# machine code, and for all in `make test-all`.
_COMPILED: dict[tuple[str, bool], bytes] = {}
_MACHINE = ("manipula.algebra.llvm", "manipula.algebra.run")
_NO_MACHINE = ("manipula.algebra.run.units",)  # at home there, but makes no code
_object_from_text = code.object_from_text


def _fetched(key: str) -> bytes | None:
    return kept_files.fetch(key) if kept_files.directory() else _COMPILED.get((key, _Running.careful))


def _kept(key: str, content: bytes) -> None:
    if kept_files.directory():
        kept_files.keep(key, content)
    else:
        _COMPILED[key, _Running.careful] = content


def _object_for_test(text: str, level: int) -> bytes:
    if _Running.careful:
        return _object_from_text(text, level)
    module, machine = code._parse_module(text, 0)
    return bytes(machine.emit_object(module))


code.fetch, code.keep, code.object_from_text = _fetched, _kept, _object_for_test


# A function depends on nothing but its request: what one test has made and proved, the next in the same process takes.
# A file of tests that looks into generation makes its own, and so does a test as soon as it patches anything.
_FUNCTIONS: dict[tuple[object, ...], Function] = {}
_PARTS = ("cache", "compose", "formulations", "levels", "pipeline", "prepare")
_MAKING = ("manipula.algebra.optimise", *(f"manipula.generation.{part}" for part in _PARTS))
_answered = pipeline._answer


def _answered_once(asked: Prepared, effort: Effort, take_known: bool = True) -> Function:
    usual = take_known and replace(effort, tell=silent) == DEFAULT_EFFORT
    place = kept_files.directory()
    if not (_Running.shares and usual) or (place and place.name != KEPT):
        return _answered(asked, effort, take_known)
    pipeline.check_request(asked)  # which may warn
    names = repr(asked.robot.origin), *(joint.link for joint in asked.robot.joints)  # no part of a key of the cache
    key = key_from(asked.request), names, LEVELS[asked.request.optimise]
    if key not in _FUNCTIONS:
        _FUNCTIONS[key] = _answered(asked, effort, take_known)
    return _FUNCTIONS[key]


def _on_its_own(patch: Callable[..., None]) -> Callable[..., None]:
    def patched(self: pytest.MonkeyPatch, target: Any, *given: Any, **more: Any) -> None:
        _Running.shares = _Running.shares and target is os.environ
        patch(self, target, *given, **more)

    return patched


pipeline._answer = _answered_once
for _name in ("setattr", "setitem", "delattr", "delitem"):
    setattr(pytest.MonkeyPatch, _name, _on_its_own(getattr(pytest.MonkeyPatch, _name)))


@pytest.hookimpl(tryfirst=True)  # before the fixtures of the test are made
def pytest_runtest_setup(item: pytest.Item) -> None:
    own = not isinstance(item, pytest.Function)
    _Running.shares = not (own or hasattr(item.module, "MAKES_ITS_OWN") or _looks_into(item.module, _MAKING))
    _Running.careful = own or _Running.all_careful or _looks_into(item.module, _MACHINE)
    pipeline._answer = _answered_once if _Running.shares else _answered  # no frame between package and test


@cache
def _looks_into(module: ModuleType, rooms: tuple[str, ...]) -> bool:
    """Does a file of tests import one of the rooms, or something that is at home there?"""
    homes = (x.__name__ if isinstance(x, ModuleType) else getattr(x, "__module__", None) for x in vars(module).values())
    return any(isinstance(x, str) and x.startswith(rooms) and not x.startswith(_NO_MACHINE) for x in homes)
