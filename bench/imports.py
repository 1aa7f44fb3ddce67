"""How long a person waits before anything happens: `import manipula` and `manipula --help` beside `import numpy`.

python bench/imports.py [rounds]. Each contender is a fresh interpreter, in turn; what is counted is processor
time, user and system, which does not count the turns of others. The ratio in the last column is that of the best times,
the start of the interpreter included: that is what a person waits for.
"""

from __future__ import annotations

import os
import sys
from statistics import median

CONTENDERS = {
    "the interpreter alone": ("-c", "pass"),
    "import numpy": ("-c", "import numpy"),
    "import manipula": ("-c", "import manipula"),
    "manipula --help": ("-m", "manipula.cli", "--help"),
    "manipula robots --help": ("-m", "manipula.cli", "robots", "--help"),
    "import manipula; manipula.Robot": ("-c", "import manipula; manipula.Robot"),
    "import manipula; manipula.Arm": ("-c", "import manipula; manipula.Arm"),
}
YARDSTICK = "import numpy"


def seconds(arguments: tuple[str, ...]) -> float:
    """Processor time of one fresh interpreter."""
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    child = os.posix_spawn(sys.executable, [sys.executable, *arguments], os.environ, file_actions=quiet)
    _, status, used = os.wait4(child, 0)
    if status:
        raise SystemExit(f"{' '.join(arguments)} failed")
    return used.ru_utime + used.ru_stime


def main(rounds: int) -> None:
    taken: dict[str, list[float]] = {name: [] for name in CONTENDERS}
    for arguments in CONTENDERS.values():
        seconds(arguments)  # writes the bytecode and warms the file cache
    for _ in range(rounds):
        for name, arguments in CONTENDERS.items():
            taken[name].append(seconds(arguments))
    yardstick = min(taken[YARDSTICK])
    print(f"{'':34}{'best':>9}{'median':>9}{'of numpy':>10}   ({rounds} rounds)")
    for name, found in taken.items():
        print(f"{name:34}{min(found) * 1e3:6.0f} ms{median(found) * 1e3:6.0f} ms{min(found) / yardstick:9.2f}×")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
