"""Reads mutated files and prints those that end in anything but an answer or a sentence."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from pathlib import Path

import tests.mutated as about
from tests.mutated.reading import child, read_all, read_one, samples
from tests.mutated.samples import KINDS


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        seed, kinds, first, count = sys.argv[2:]
        child(int(seed), kinds.split(","), int(first), int(count))
        return
    parser = argparse.ArgumentParser(description=about.__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--at", type=int)
    given = parser.parse_args()
    kinds = [name for name in KINDS if any(word in name for word in given.kinds.split(","))]
    if given.at is not None:
        with tempfile.TemporaryDirectory() as folder:
            print(read_one(given.at, given.seed, kinds, samples(Path(folder), kinds), Path(folder), trace=True))
        return
    states: Counter[tuple[str, str]] = Counter()
    wrong = 0
    for found in read_all(given.seed, given.count, kinds):
        states[found.kind, found.state] += 1
        if found.state not in ("good", "refused"):
            wrong += 1
            print(f"{found.number}: {found.kind}: {found.state}: {found.text}", flush=True)
    for name in kinds:
        print(f"{name:16}", ", ".join(f"{state} {n}" for (kind, state), n in states.items() if kind == name))
    print(f"{given.count} files, {wrong} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
