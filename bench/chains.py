"""Random chains of 6 to 48 joints: the cost of a joint should not depend on how many there are. python bench/chains.py

Inverse dynamics, one call, native. Instructions are counted by callgrind where there are a compiler and valgrind, in
code without AVX-512, which valgrind does not know.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from callgrind import llvm_instructions
from clock import best_seconds, states
from joints import random_chain
from native import libraries, llvm
from tables import claim, ns, ratio, save, table

import manipula as mp

JOINTS = (6, 12, 24, 48)
FLAT = 1.5


def measured(folder: Path) -> tuple[dict[int, dict[str, float]], dict[int, Any]]:
    """All sizes in turn within one round, so that a busy moment does not favour one."""
    runs, made = {}, {}
    for count in JOINTS:
        print(f"generating the chain of {count} joints …", flush=True)
        robot = random_chain(count)
        made[count] = mp.generate(robot, "inverse_dynamics")
        state, own = states(count), folder / str(count)
        own.mkdir()
        f = made[count].compile()
        runs[f"{count} ours"] = llvm(f, state)
        for name, library in libraries(robot, own).items():
            _check(name, library.value("inverse_dynamics", state[:, 0], count), f(*state[:, 0]))
            runs[f"{count} {name}"] = library.runner("inverse_dynamics", state)
    spent: dict[int, dict[str, float]] = {count: {} for count in JOINTS}
    for key, value in best_seconds(runs).items():
        count, name = key.split(" ", 1)
        spent[int(count)][name] = value
    return spent, made


def _check(name: str, theirs: Any, mine: Any) -> None:
    if not np.allclose(theirs, mine, rtol=1e-8, atol=1e-8 * abs(mine).max()):
        print(f"{name} computes other torques: {theirs[:3]} and not {mine[:3]}")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        spent, made = measured(Path(folder))
    counted = {count: llvm_instructions(made[count]) for count in JOINTS}
    peers = [name for name in spent[JOINTS[0]] if name != "ours"]
    rows = []
    for count in JOINTS:
        mine = spent[count]["ours"]
        growth = mine / count / (spent[JOINTS[0]]["ours"] / JOINTS[0])
        cells = [str(count), str(made[count].cost.total), ns(mine), ns(mine / count), f"{growth:.2f}"]
        number, first = counted[count], counted[JOINTS[0]]
        cells += (
            [f"{number / count:.0f}", f"{number / count / first * JOINTS[0]:.2f}"] if number and first else ["-", "-"]
        )
        rows.append([*cells, *(f"{ns(spent[count][p])} ({ratio(mine, spent[count][p])})" for p in peers)])
    head = [
        "joints",
        "ops",
        "ns",
        "ns a joint",
        "of 6's",
        "instructions a joint",
        "of 6's",
        *(f"{p} ns (ratio)" for p in peers),
    ]
    table("random chains: inverse dynamics, one call, native", head, rows)
    _claims(spent, counted, peers)
    save("chains", {str(k): v for k, v in spent.items()})


def _claims(spent: dict[int, dict[str, float]], counted: dict[int, int | None], peers: list[str]) -> None:
    first = JOINTS[0]
    for count in JOINTS[1:]:
        growth = spent[count]["ours"] / count / (spent[first]["ours"] / first)
        claim(f"random chain of {count}: time a joint, of 6's", growth, FLAT)
        now, then = counted[count], counted[first]
        if now and then:
            claim(f"random chain of {count}: instructions a joint, of 6's", now / count / (then / first), FLAT)
    last = JOINTS[-1]
    for name in peers:
        if name in ("RBDL", "MuJoCo"):
            claim(f"random chain of {last}: time of {name}", spent[last]["ours"] / spent[last][name], 1.0)


if __name__ == "__main__":
    main()
