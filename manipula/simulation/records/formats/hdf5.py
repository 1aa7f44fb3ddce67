"""HDF5: groups are paths. In files of MATLAB 7.3 arrays have their axes in the other order, and text is numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from manipula.errors import InputError
from manipula.simulation.records.formats.sources import Array, Ask, Source, sources_from_arrays


def read(path: Path, ask: Ask) -> Source:
    try:
        import h5py
    except ImportError:
        raise InputError("{path}: reading HDF5 needs h5py: pip install 'manipula[identify]'", path) from None
    arrays: dict[str, Array] = {}

    def visit(name: str, item: Any) -> None:
        kind = item.attrs.get("MATLAB_class", b"")
        hidden = name.startswith("#") or kind in (b"char", b"cell") or "MATLAB_empty" in item.attrs
        if isinstance(item, h5py.Dataset) and not hidden and item.dtype.kind in "fiub":
            value = np.asarray(item[()])
            arrays[name.replace("/", ".")] = value.T if kind else value

    try:
        with h5py.File(path, "r") as file:
            file.visititems(visit)
    except (OSError, RuntimeError, KeyError) as error:
        raise InputError("{path}: is no HDF5 file: {error}", path, error) from None
    return sources_from_arrays(str(path), arrays)
