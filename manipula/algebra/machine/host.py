"""The vectors of this machine."""

from __future__ import annotations

from functools import lru_cache

from manipula.algebra.machine.code import features, triple
from manipula.algebra.machine.writer import Host


@lru_cache(maxsize=1)
def host() -> Host:
    """The widest vectors of this machine, and whether it multiplies and adds in one."""
    if triple().startswith(("aarch64", "arm64")):
        return Host(16, True)
    has = features()
    if has.get("avx512f") and has.get("avx512dq") and has.get("avx512vl"):
        return Host(64, True)
    return Host(32 if has.get("avx") else 16, bool(has.get("fma")))
