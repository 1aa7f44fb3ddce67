"""The value of a formula that travels as data, by other means than the package's: [operation, its inputs …]."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

_MORE = {"add": lambda *x: math.fsum(x), "mul": lambda *x: math.prod(x), "div": lambda x, y: x / y}


def worth(tree: Any, values: Mapping[str, float]) -> float:
    if not isinstance(tree, list):
        return values[tree] if isinstance(tree, str) else float(tree)
    inputs = [worth(one, values) for one in tree[1:]]
    return float((_MORE.get(tree[0]) or getattr(math, tree[0]))(*inputs))
