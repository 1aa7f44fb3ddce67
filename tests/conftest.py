"""The order of the suite, what its tests share, and its one option: `--update` accepts emitted text, and whole
sentences, as the new golden ones."""

from __future__ import annotations

import gc
import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

from manipula.algebra.machine import code
from manipula.generation.levels import LEVELS
from manipula.support import cache
from tests.golden.sentences import Sentences

settings.register_profile("unclocked", deadline=None)  # a busy machine is no failure
settings.load_profile("unclocked")
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # jobs in the background begin so, and their children, too
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ["MANIPULA_CACHE"] = "off"  # every test makes what it tests; those of the cache turn it on


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write the golden files instead of comparing with them")


# files that take longest for their number of tests: begun first, lest a process be left alone with one at the end
LONG = (
    "test_docs", "test_world_frame", "test_checker", "test_simulation", "test_derivatives", "test_control",
    "test_library_proofs", "test_cli_ik", "test_optimise_cli", "test_adaptive", "test_compiled_pinocchio",
    "test_trees_pinocchio", "test_emitted_general6r", "test_emitted_inverse", "test_closed_loop", "test_notebooks",
    "test_output_error", "test_stiff", "test_fmu",
)  # fmt: skip


FEW, MANY = 4, 60  # draws of one property: fewer are all taken, and those of more are cheap
SHARE = 2  # of the draws every second in `make test`, all in `make test-all`


@pytest.hookimpl(tryfirst=True)  # before the slow ones are left out
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for drawn in _families(items):
        for item in [one for k, one in enumerate(drawn) if k % SHARE]:
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: LONG.index(item.path.stem) if item.path.stem in LONG else len(LONG))


def _families(items: list[pytest.Item]) -> list[list[pytest.Item]]:
    """Tests of one property from several seeds."""
    found: dict[str, list[pytest.Item]] = {}
    for item in items:
        given = getattr(item, "callspec", None)
        if given is not None and "seed" in given.params:
            found.setdefault(item.nodeid.partition("[")[0], []).append(item)
    return [drawn for drawn in found.values() if FEW <= len(drawn) <= MANY]


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update"))


@pytest.fixture
def whole(update: bool, tmp_path: Path) -> Sentences:
    return Sentences(tmp_path, update)


@pytest.fixture
def kept_functions(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of what is shown, not of how it is made: what one test has generated the others take from the cache,
    proved again. The folder is this run's own, and of all its processes."""
    base = tmp_path_factory.getbasetemp()
    monkeypatch.setenv("MANIPULA_CACHE", str((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "kept"))


@pytest.fixture
def without_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of what laws, loops and estimates do: the default level takes the model as it is written. It is proved
    like any; how few operations a search leaves is tested where that is the subject, and on every law, in C."""
    monkeypatch.setenv("MANIPULA_CACHE", "off")  # no other test shall take it for what was searched
    monkeypatch.setitem(LEVELS, "fast", LEVELS["none"])


# most objects of a test live as long as it does: looking through them all every few hundred allocations finds nothing
# (as seldom as a generation has it, which else would be followed by a round of its own)
gc.set_threshold(100_000, 10, 20)

# machine code depends on nothing but its text: what one test has compiled, the next in the same process takes
_COMPILED: dict[str, bytes] = {}


def _fetched(key: str) -> bytes | None:
    return cache.fetch(key) if cache.directory() else _COMPILED.get(key)


def _kept(key: str, content: bytes) -> None:
    if cache.directory():
        cache.keep(key, content)
    else:
        _COMPILED[key] = content


code.fetch, code.keep = _fetched, _kept
