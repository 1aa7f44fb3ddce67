"""The whole study of random arms: `python bench/random_arms.py --log arms.jsonl [--seeds 0:2000] [--workers 2]`.

2,000 arms, every model at the default level, base parameters and their regressor included, against the world-frame text
of the tests that shares nothing with the package. It is what `make test-all` asks of one arm a test, as a run that can
be stopped and gone on with: every arm is a line of the log (seed, failures, seconds); seeds in it are not run again.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


def arm(seed: int) -> dict[str, Any]:
    """Every model of one arm; what failed, by its name."""
    from tests.laws.test_world_frame import EVERY, case, check

    began, failures = time.process_time(), {}
    for name in EVERY:
        try:
            check(case(seed), name, "all" if seed % 3 == 0 else "auto")
        except Exception as error:
            failures[name] = f"{type(error).__name__}: {error}"[:500]
    return {"seed": seed, "models": len(EVERY), "failures": failures, "seconds": round(time.process_time() - began, 1)}


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log", type=Path, required=True, help="where every arm leaves a line; read first")
    parser.add_argument("--seeds", default="0:2000", help="first:last, the last not included")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    told = parser.parse_args(arguments)
    first, last = map(int, told.seeds.split(":"))
    lines = told.log.read_text().splitlines() if told.log.exists() else []
    done = {line["seed"]: line for line in map(json.loads, lines)}
    left = [seed for seed in range(first, last) if seed not in done]
    random.Random(0).shuffle(left)  # what is done so far is a fair sample of all
    with told.log.open("a") as log, ProcessPoolExecutor(told.workers) as pool:
        for count, future in enumerate(as_completed([pool.submit(arm, seed) for seed in left]), 1):
            line = future.result()
            done[line["seed"]] = line
            log.write(json.dumps(line) + "\n")
            log.flush()
            if line["failures"] or count % 20 == 0:
                print(f"{count} of {len(left)}", line["failures"] or "", line["seed"], flush=True)
    wrong = [line for line in done.values() if line["failures"]]
    print(f"{len(done)} arms, {sum(line['models'] for line in done.values())} models, {len(wrong)} arms with a failure")
    for line in wrong:
        print(line["seed"], line["failures"])
    return bool(wrong)


if __name__ == "__main__":
    os.environ.setdefault("MANIPULA_CACHE", "off")
    raise SystemExit(main(sys.argv[1:]))
