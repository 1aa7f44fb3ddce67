"""Results as plain data: what JSON can hold, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from math import isfinite
from os import PathLike, fspath
from typing import Any


def plain(value: Any) -> Any:
    """Numbers, texts, lists and dicts. An array is a list of lists; what is infinite, or no number, is None.

    An object is what its own `as_dict` says; a named tuple without one is a dict of its fields.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Enum):
        return plain(value.value)
    if hasattr(value, "as_dict"):
        return plain(value.as_dict())
    if hasattr(value, "tolist"):  # arrays, and the scalars in them
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    raise TypeError(f"{type(value).__name__} has no plain form")
