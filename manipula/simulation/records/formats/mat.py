"""Files of MATLAB: version 5 by scipy, 7.3 as the HDF5 they are. Structs are paths: `rec.act_pos_deg`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from manipula.simulation.records.formats import hdf5
from manipula.simulation.records.formats.sources import Array, Ask, Source, sources_from_arrays


def read(path: Path, ask: Ask) -> Source:
    from scipy.io import loadmat

    with path.open("rb") as file:
        start = file.read(520)
    if b"MATLAB 7.3" in start[:128] or start[:4] == b"\x89HDF" or start[512:516] == b"\x89HDF":
        return hdf5.read(path, ask)
    found = loadmat(path, squeeze_me=True, struct_as_record=False)
    arrays: dict[str, Array] = {}
    for name, value in found.items():
        if name and not name.startswith("__"):
            _flatten(name, value, arrays)
    return sources_from_arrays(str(path), arrays)


def _flatten(name: str, value: Any, arrays: dict[str, Array]) -> None:
    """Structs by their fields, arrays of structs by their numbers."""
    if hasattr(value, "_fieldnames"):
        for inner in value._fieldnames:
            _flatten(f"{name}.{inner}", getattr(value, inner), arrays)
    elif isinstance(value, np.ndarray) and value.dtype.kind == "O":
        for k, item in enumerate(value.flat):
            _flatten(f"{name}({k + 1})", item, arrays)
    elif isinstance(value, np.ndarray | np.number):
        arrays[name] = np.asarray(value)
