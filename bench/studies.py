"""Studies: the same bytes on four engines, overhead, memory, a map of a million voxels. Each figure beside its claim.

python bench/studies.py             small versions of everything, some minutes
python bench/studies.py --whole     20,000 rollouts, 10⁶ × 20 results, 10⁶ voxels: on a quiet machine
python bench/studies.py --pictures  the pictures of the guides, into docs/how-to/pictures
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

import manipula as mp
from manipula.studies.results.front import side_by_side
from manipula.studies.results.study_result import distribution

ROOT = Path(__file__).parents[1]
BUSY = 0.05  # seconds of a case


# the functions of the studies


def busy(case: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """50 ms of the processor, not of the clock."""
    end, x = time.process_time() + BUSY, 0.0
    while time.process_time() < end:
        x += 1e-9
    return {"x": rng.normal()}


def twenty(case: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    drawn = rng.normal(size=20)
    return {f"r{k}": x for k, x in enumerate(drawn)}


@lru_cache(maxsize=1)
def adaptive() -> tuple[Any, Any]:
    robot = mp.load("puma560")
    law = mp.controller(robot, "slotine_li", sample=2e-3, lam=8, kd=[60, 60, 30, 3, 3, 3], gamma=0.05)
    plant = mp.Plant(robot.with_payload(2.0, com=(0, 0, 0.1)), friction="smooth", effort=None, stops=False)
    ref = mp.trajectory.quintic([0.0] * 6, [0.6, -0.4, 0.5, 0.3, 0.4, -0.2], 0.2)
    return mp.closed_loop(plant, law, ref), ref


@mp.studies.batched
def rollouts(cases: dict[str, Any], rngs: Any) -> dict[str, Any]:
    """Adaptive PUMAs from starts that are a little off, each its own: 100 steps; the error, and what was learnt."""
    loop, ref = adaptive()
    q = np.stack([rng.normal(0, 0.02, 6) for rng in rngs])
    run = loop.run(loop.start(q=q, qd=np.zeros_like(q)), 100, every=0)
    return {"error": np.abs(run.state.q - ref(ref.duration).q).max(-1), "theta": run.state.theta}


# measuring


def spent() -> float:
    """Processor time of this process and its children that have ended."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def told(what: str, found: str, claim: str) -> None:
    print(f"{what:<62} {found:>22}   {claim}", flush=True)


@contextmanager
def scheduler() -> Iterator[str]:
    """A scheduler and two workers as processes of their own."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{Path(__file__).parent}"}
    start = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", address, "--dashboard-address", ":0"]
    work = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard"]
    quiet: dict[str, Any] = {"env": environment, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    began = [subprocess.Popen(line, **quiet) for line in (start, work, work)]
    try:
        from distributed import Client

        with Client(address, timeout=60, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=120)
        yield address
    finally:
        for process in began:
            process.terminate()
        for process in began:
            process.wait()


def same_bytes(count: int) -> None:
    found = {}
    with scheduler() as address:
        for name, engine in (("serial", "serial"), ("local", "local"), ("dask", "dask"), ("scheduler + 2", address)):
            began = time.monotonic()
            done = mp.study("studies:rollouts", {"k": range(count)}, engine=engine, workers=2, seed=1)
            found[name] = blake2b(done.path.read_bytes(), digest_size=6).hexdigest()
            failed = f", {len(done.why)} failed" if done.why else ""
            told(f"  {count} rollouts, {name}", found[name], f"{time.monotonic() - began:.0f} s{failed}")
    told("the same bytes on four engines", str(len(set(found.values())) == 1), "must be True")


def overhead(count: int) -> None:
    """What is spent beyond the functions themselves, their 50 ms being of the processor: to start, and a case."""
    for engine, most in (("local", 5), ("dask", 10)):
        more = []
        for several in (4, count):
            before = spent()
            mp.study("studies:busy", {"k": range(several)}, engine=engine, workers=2)
            more.append(spent() - before - several * BUSY)
        each = (more[1] - more[0]) / (count - 4)
        whole = f"{100 * more[1] / (count * BUSY):.1f} %"
        told(f"overhead, {count} cases of 50 ms, {engine}", whole, f"≤ {most} %; to start {more[0]:.1f} s, then "
             f"{100 * each / BUSY:.1f} %")  # fmt: skip


def memory(count: int) -> None:
    """In a process of its own, so that nothing else is counted."""
    code = (
        f"import resource, manipula as mp\nif __name__ == '__main__':\n"
        f"    mp.study('studies:twenty', {{'k': range({count})}}, engine='local', workers=2)\n"
        "    print(*(resource.getrusage(w).ru_maxrss // 1024 for w in (0, -1)))"  # self, children
    )
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{Path(__file__).parent}"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    client, worker = done.stdout.split()
    told(f"memory, {count} cases × 20 results, client and worker", f"{client} + {worker} MB", "≤ 500 MB")


def tasks(count: int) -> None:
    """What a task costs the client and, on Dask, the scheduler beside it: chunks of one case that does nothing."""
    from manipula.studies.work.engine import engine_from
    from manipula.studies.work.job import pack_job
    from manipula.studies.work.worker import Chunk, run_chunk

    job = pack_job("studies:nothing", {}, ("k",), 0, True)
    chunks = [Chunk(k, 1, {"k": np.array([k])}) for k in range(count)]
    began = time.process_time()
    for chunk in chunks:
        run_chunk(job.pickle_bytes, chunk)
    told("a case that does nothing, in this process", f"{(time.process_time() - began) / count * 1e6:.0f} µs", "")
    for name in ("local", "dask"):
        engine = engine_from(name, job, 2)
        own, clock = time.process_time(), time.monotonic()
        try:
            for start in range(0, count, 50):
                for chunk in chunks[start : start + 50]:
                    engine.submit(chunk)
                for _ in chunks[start : start + 50]:
                    engine.next()
            own, clock = time.process_time() - own, time.monotonic() - clock
        finally:
            engine.close()
        what = "client" if name == "local" else "client and scheduler"  # both in this process
        rate = f"{count / clock:.0f} a second"
        told(f"a task, {name}: processor time of the {what}", f"{own / count * 1e3:.2f} ms", rate)


def scale(cost: float = 3.4e-3, seconds: float = 60.0) -> None:
    """A cluster in a thought: every task passes one scheduler, which takes `cost` for it; tasks vary by a quarter. The
    share of the workers' time that is work, with tasks of a quarter of a second and with those that a study chooses."""
    from heapq import heappop, heappush

    rng = np.random.default_rng(0)
    for workers in (10, 100, 1000):
        line = []
        for aim in (0.25, max(0.25, 0.01 * workers)):
            free, busy, queue = 0.0, 0.0, [0.0] * workers  # when each worker asks for its next task
            while queue[0] < max(seconds, 20 * aim):
                free = max(free, heappop(queue)) + cost
                work = aim * rng.lognormal(-0.03, 0.25)
                busy += work
                heappush(queue, free + work)
            line.append(f"{100 * busy / (workers * max(queue)):.0f} %")
        what = f"{workers} workers: time that is work, tasks of 0.25 s, and ours"
        told(what, ", ".join(line), f"{cost * 1e3:g} ms a task")


def keeping(count: int) -> None:
    """What the client does with results of 20 numbers: parts, then the whole file."""
    import tempfile

    from manipula.studies.cases.cases import Product
    from manipula.studies.results.store import Store, merge_parts
    from manipula.studies.work.worker import CaseBlock

    with tempfile.TemporaryDirectory() as folder:
        store, began = Store(Path(folder) / "s", {"function": "", "count": count}), time.process_time()
        for start in range(0, count, 8192):
            cases = np.arange(start, min(start + 8192, count))
            store.take(CaseBlock(cases, {f"r{k}": np.random.default_rng(0).normal(size=len(cases)) for k in range(20)}))
        store.flush()
        kept, began = time.process_time() - began, time.process_time()
        merge_parts(store, Product({"k": range(count)}))
        each = [x / count * 1e6 for x in (kept, time.process_time() - began)]
        told(f"keeping {count} × 20 results, then making one file", f"{each[0]:.2f}, {each[1]:.2f} µs a case", "")


def nothing(case: dict[str, Any], rng: Any) -> dict[str, Any]:
    return {"x": 0.0}


def voxels(edge: int) -> None:
    mp.studies.workspace("puma560", voxels=3)  # compiled, and in the cache
    began, before = time.monotonic(), spent()
    found = mp.studies.workspace("puma560", voxels=[edge] * 3, engine="local", workers=2)
    what = f"{found.count} voxels of a PUMA, two processes"
    told(what, f"{time.monotonic() - began:.1f} s", f"≤ 20 s of the clock; {spent() - before:.1f} s of processors")


def guide() -> tuple[mp.Robot, dict[str, Any]]:
    """The robot and the settings of the guide to designs."""
    text = (ROOT / "docs" / "how-to" / "design.md").read_text(encoding="utf-8")
    files = dict(re.findall(r"^```toml (\S+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL))
    return mp.Robot.from_text(files["arm.toml"]), tomllib.loads(files["design.toml"])["settings"]


def designs(count: int) -> None:
    """The guide's arm, and a PUMA whose upper and fore arm vary, with the guide's motors, ten times as strong."""
    robot, words = guide()
    strong = [{**motor, "torque": 10 * motor["torque"], "rated": 10 * motor["rated"]} for motor in words["motors"]]
    places = [{"xyz": [0.5, 0.2, 0.5], "axis": [0, 0, -1]}, {"xyz": [0.4, -0.3, 0.7], "axis": [0, 0, -1]}]
    puma = {"vary": {"a2": [0.35, 0.5], "d4": [0.35, 0.5]}, "tasks": {"places": places, "duration": 1.5, "payload": 2}}
    for arm, asked in ((robot, words), (mp.load("puma560"), {**puma, "motors": strong})):
        mp.studies.design(arm, **{**asked, "count": 2})  # compiled, and in the cache
        before = spent()
        mp.studies.design(arm, **{**asked, "count": count})
        told(
            f"{count} designs of {arm.name}, with motors",
            f"{count / (spent() - before):.0f} a second",
            "of processor time",
        )


def pictures(folder: Path) -> None:
    """Of the arms and settings that the guides have."""
    found = mp.studies.workspace("puma560", voxels=64, engine="local")
    names = ("reach", "answers", "manipulability", "torque")
    write(folder / "workspace-puma560.svg", [found.map(name, "x", "z").svg() for name in names])
    flat = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    words: dict[str, Any] = {"gains": {"kp": [50, 1e6], "kd": [5, 5e3]}, "goal": [1, -0.5], "duration": 0.4}
    rolled = mp.studies.gains(flat, levels=40, payload=1, **words)
    write(folder / "gains-planar2r.svg", [rolled.map(name, "kp", "kd").svg() for name in ("error", "stable")])
    steps: dict[str, Any] = {"payloads": np.linspace(0, 4, 41), "speeds": np.linspace(0.4, 1.4, 41)}
    carried = mp.studies.payload(flat, goal=[1, -0.5], duration=0.5, limits=[80, 30], **steps)
    write(folder / "payload-planar2r.svg", [carried.map(name, "mass", "speed").svg() for name in ("use", "fits")])
    built = mp.studies.tolerances("puma560", count=2000, engine="local")
    write(folder / "tolerances-puma560.svg", [distribution(built, name).svg() for name in ("position", "angle")])
    robot, words = guide()
    drawn = mp.studies.design(robot, **{**words, "count": 1024}, engine="local")
    fronts = [drawn.front(mass="least", energy="least"), drawn.front(mass="least", manipulability="most")]
    path = folder / "design-picker.svg"
    path.write_text(side_by_side([front.charts()[0].svg() for front in fronts]) + "\n", encoding="utf-8")
    print(path)
    again = mp.studies.bootstrap(flat, logs=recording(flat), count=60, windows=8, engine="local")
    write(folder / "bootstrap-planar2r.svg", [distribution(again, name).svg() for name in ("mx1_R", "mx2_R")])


def recording(robot: Any) -> mp.Log:
    """Of the guide: sines, and torques with noise."""
    t, rng = np.linspace(0, 8, 1601), np.random.default_rng(0)
    q = np.stack([np.sin(1.3 * t) + 0.3 * np.sin(3.1 * t), 0.8 * np.cos(2.1 * t) + 0.3 * np.sin(4.3 * t)], -1)
    qd = np.gradient(q, t, axis=0)
    tau = mp.Arm(robot).inverse_dynamics(q, qd, np.gradient(qd, t, axis=0)) + rng.normal(0, 0.5, q.shape)
    return mp.Log(t, q, tau)


def write(path: Path, parts: list[str]) -> None:
    """Pictures two by two in one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    wide, tall = 510, 430
    placed = [
        part.replace("<svg ", f'<svg x="{k % 2 * wide}" y="{k // 2 * tall}" width="{wide}" height="{tall}" ', 1)
        for k, part in enumerate(parts)
    ]
    rows = (len(parts) + 1) // 2
    head = f'<svg viewBox="0 0 {2 * wide} {rows * tall}" xmlns="http://www.w3.org/2000/svg" color="#222">'
    path.write_text("\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *placed, "</svg>"]) + "\n")
    print(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--pictures", action="store_true")
    parser.add_argument("--count", type=int, default=0, help="of rollouts")
    parser.add_argument(
        "--only", choices=("bytes", "overhead", "tasks", "keeping", "scale", "memory", "voxels", "designs")
    )
    asked = parser.parse_args()
    if asked.pictures:
        pictures(ROOT / "docs" / "how-to" / "pictures")
        return
    parts = {
        "designs": lambda: designs(4096 if asked.whole else 512),
        "voxels": lambda: voxels(100 if asked.whole else 40),
        "overhead": lambda: overhead(2000 if asked.whole else 200),
        "tasks": lambda: tasks(5000 if asked.whole else 1000),
        "keeping": lambda: keeping(10**6 if asked.whole else 3 * 10**5),
        "scale": scale,
        "memory": lambda: memory(10**6 if asked.whole else 10**5),
        "bytes": lambda: same_bytes(asked.count or (20_000 if asked.whole else 400)),
    }
    for name, part in parts.items():
        if asked.only in (None, name):
            part()


if __name__ == "__main__":
    main()
