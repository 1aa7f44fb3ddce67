"""Studies that are ended from outside: processes killed by their number, schedulers stopped, Ctrl-C; the same bytes."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import manipula as mp
from tests import study_functions as functions

ROOT = Path(mp.__file__).parents[1]
CASES = {"a": range(300)}
PROGRAM = """
import sys
import manipula as mp
from tests.study_functions import slow
if __name__ == "__main__":
    def tell(progress):
        print(progress.done, flush=True)
    mp.study(slow, {"a": range(300)}, engine=sys.argv[1], workers=2, resume=sys.argv[2], tell=tell)
"""


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}


@pytest.fixture(scope="module")
def plain() -> bytes:
    found = mp.study(functions.slow, CASES)  # its file goes with it
    return Path(found.path).read_bytes()


def children(pid: int) -> list[int]:
    """Those of a process that work: its workers."""
    found = []
    for line in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        with_name = Path(f"/proc/{line}/cmdline").read_text()
        found += [int(line)] if "spawn_main" in with_name else []
    return found


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")
def test_a_program_that_was_ended_goes_on(how: signal.Signals, tmp_path: Path, plain: bytes) -> None:
    """By Ctrl-C, or without a word: the workers go with it, and the next run has the same bytes."""
    (tmp_path / "program.py").write_text(PROGRAM)
    line = [sys.executable, str(tmp_path / "program.py"), "local", str(tmp_path / "s")]
    with subprocess.Popen(line, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as run:
        assert run.stdout is not None
        while int(run.stdout.readline()) < 60:
            pass
        workers = children(run.pid)
        assert len(workers) == 2
        run.send_signal(how)
        run.wait(20)
    deadline = time.monotonic() + 20
    while any(Path(f"/proc/{pid}").exists() for pid in workers):
        assert time.monotonic() < deadline, "a worker outlives its program"
        time.sleep(0.1)
    found = mp.study(functions.slow, CASES, resume=tmp_path / "s")
    assert Path(found.path).read_bytes() == plain
    assert found.computed < 300 if how == signal.SIGINT else found.computed <= 300


@contextmanager
def cluster(address: str, workers: int = 2) -> Iterator[list[subprocess.Popen[bytes]]]:
    """A scheduler and its workers, processes of their own."""
    quiet: dict[str, Any] = {"env": environment(), "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    port = address.rpartition(":")[2]
    lines = [["dask_scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard"]]
    lines += [["dask_worker", address, "--nthreads", "1", "--no-dashboard", "--no-nanny"]] * workers
    began = [subprocess.Popen([sys.executable, "-m", f"distributed.cli.{x[0]}", *x[1:]], **quiet) for x in lines]
    try:
        from distributed import Client

        with Client(address, timeout=60, set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=60)
        yield began
    finally:
        for process in began:
            process.kill()
            process.wait()


def address() -> str:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"tcp://127.0.0.1:{free.getsockname()[1]}"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_worker_killed_and_a_scheduler_stopped(tmp_path: Path, plain: bytes) -> None:
    """A worker killed by its number, then the scheduler: told in a sentence; another scheduler goes on."""
    pytest.importorskip("distributed")
    with cluster(at := address()) as (scheduler, worker, _):

        def tell(progress: Any) -> None:
            if progress.done > 80 and worker.poll() is None:
                worker.kill()
            if progress.done > 180 and scheduler.poll() is None:
                scheduler.kill()

        with pytest.raises(mp.InputError, match=r"the scheduler is lost.* cases are done"):
            mp.study(functions.slow, CASES, engine=at, resume=tmp_path / "s", tell=tell)
    with cluster(at := address()):
        found = mp.study(functions.slow, CASES, engine=at, resume=tmp_path / "s")
    assert Path(found.path).read_bytes() == plain and 0 < found.computed < 200
