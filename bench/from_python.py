"""Calls from Python beside the peers: python bench/from_python.py [robot …]

One plain call on numpy arrays, as a user writes it; and 100,000 configurations at once.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from clock import best_seconds, repeated
from libraries import Missing
from native import ROBOTS, bare
from peers import MODELS, CasadiCalls, MujocoCalls, PinocchioCalls
from tables import claim, ns, ratio, save, table

import manipula as mp

ROWS = 100_000
PEERS = {"Pinocchio": PinocchioCalls, "MuJoCo": MujocoCalls, "CasADi buffers": CasadiCalls}


def peers_of(robot: mp.Robot) -> dict[str, Any]:
    found = {}
    for name, kind in PEERS.items():
        try:
            found[name] = kind(robot)
        except (Missing, RuntimeError, ValueError) as reason:
            print(f"left out: {name}: {reason}")
    return found


def single(name: str, arm: mp.Arm, peers: dict[str, Any]) -> None:
    state = list(np.random.default_rng(1).uniform(-3, 3, size=(3, arm.dof)))
    calls = {peer: made.calls(*state) for peer, made in peers.items()}
    rows, found = [], {}
    for model in MODELS:
        given = state[: len(arm.model(model).inputs)]
        contenders = {"ours": plain_loop(getattr(arm, model), given)}
        contenders |= {peer: repeated(those[model]) for peer, those in calls.items() if model in those}
        spent = found[model] = best_seconds(contenders)
        mine, theirs = spent["ours"], spent.get("Pinocchio")
        rows.append([model, ns(mine), *(ns(spent.get(peer)) for peer in peers), ratio(mine, theirs)])
    table(f"{name}: one plain call from Python, ns", ["model", "ours", *peers, "of Pinocchio"], rows)
    claim(f"{name}: inverse_dynamics, one plain call from Python", found["inverse_dynamics"]["ours"] * 1e9, 500, " ns")
    save(f"python-{name}", found)


def plain_loop(call: Any, given: Sequence[Any]) -> Any:
    """The call as a user writes it; one or two or three arguments."""
    names = ", ".join(f"x{i}" for i in range(len(given)))
    scope = {"call": call, **{f"x{i}": x for i, x in enumerate(given)}}
    exec(f"def run(count, call=call):\n    for _ in range(count):\n        call({names})", scope)
    return scope["run"]


def batch(name: str, arm: mp.Arm, peer: PinocchioCalls | None) -> None:
    given = list(np.random.default_rng(2).uniform(-3, 3, size=(3, ROWS, arm.dof)))
    out = np.empty((ROWS, arm.dof))
    short = mp.generate(arm.robot, "inverse_dynamics").compile(dtype="float32")
    small, small_out = [x.astype(np.float32) for x in given], np.empty((ROWS, arm.dof), dtype=np.float32)
    alone = {
        "one thread": lambda: arm.inverse_dynamics(*given),
        "one thread, out=": lambda: arm.inverse_dynamics(*given, out=out),
        "float32, one thread, out=": lambda: short(*small, out=small_out),
    }
    shared = {"two threads, out=": lambda: arm.inverse_dynamics(*given, out=out, threads=2)}
    if peer:
        alone["Pinocchio, one thread"] = peer.batch(1, *given)
        shared["Pinocchio, two threads"] = peer.batch(2, *given)
    spent = best_seconds({key: repeated(call) for key, call in alone.items()})
    spent |= best_seconds({key: repeated(call) for key, call in shared.items()}, time.perf_counter)
    spent = {key: value / ROWS for key, value in spent.items()}
    if peer:  # two threads are at best twice as fast, and on a busy machine less
        spent["Pinocchio, two threads"] = min(spent["Pinocchio, two threads"], spent["Pinocchio, one thread"] / 2)
    reference = spent.get("Pinocchio, two threads")
    rows = [[key, ns(value), ratio(value, reference)] for key, value in spent.items()]
    title = f"{name}: inverse dynamics of {ROWS} configurations from Python, each"
    table(title, ["", "ns", "of Pinocchio's two threads"], rows)
    if reference:
        mine = min(spent["one thread"], spent["one thread, out="])
        claim(f"{name}: batch, one thread, of Pinocchio's two", mine / reference, 1 / 24)
    save(f"batch-{name}", spent)


def main() -> None:
    for name in sys.argv[1:] or ROBOTS:
        arm = mp.Arm(bare(name))
        peers = peers_of(arm.robot)
        single(name, arm, peers)
        batch(name, arm, peers.get("Pinocchio"))


if __name__ == "__main__":
    main()
