"""Tables of the benchmarks: aligned columns, ratios, and what was requested beside what was measured."""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

OUT = Path(__file__).parent.parent / "out" / "bench"


class Claim(NamedTuple):
    """Something measured, and the most it may be."""

    what: str
    found: float
    most: float
    unit: str = ""

    @property
    def holds(self) -> bool:
        return self.found <= self.most


CLAIMS: list[Claim] = []
RATIOS: dict[str, dict[str, float]] = {}  # robot → model → our time over that of the best generated C


def claim(what: str, found: float, most: float, unit: str = "") -> None:
    CLAIMS.append(Claim(what, found, most, unit))


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    print(f"\n{title}")
    for row in [head, *rows]:
        print("  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths))))
    print(end="", flush=True)


def ns(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1e9:.0f}" if seconds > 1e-7 else f"{seconds * 1e9:.1f}"


def ratio(mine: float, theirs: float | None) -> str:
    return "-" if theirs is None else f"{mine / theirs:.2f}" if mine > 0.1 * theirs else f"1/{theirs / mine:.0f}"


def verdict() -> int:
    """All claims; the number of those that do not hold."""
    rows = [[c.what, f"{c.found:.3g}{c.unit}", f"{c.most:.3g}{c.unit}", "" if c.holds else "NO"] for c in CLAIMS]
    table("what was requested", ["", "measured", "at most", ""], rows)
    failed = sum(not c.holds for c in CLAIMS)
    print(f"\n{len(CLAIMS) - failed} of {len(CLAIMS)} hold", flush=True)
    return failed


def machine() -> str:
    """The processor, how busy it is, the day."""
    model = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        model = next(
            (x.split(":")[1].strip() for x in info.read_text().splitlines() if x.startswith("model name")), model
        )
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"{model}, {os.cpu_count()} processors{load}, Python {platform.python_version()}, {time.strftime('%Y-%m-%d')}"
    )


def save(name: str, content: Any) -> None:
    """For the plot, and for comparing runs."""
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / f"{name}.json").write_text(json.dumps(content, indent=1))
