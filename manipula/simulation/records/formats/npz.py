"""Archives of numpy: arrays under their names."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from manipula.errors import InputError
from manipula.messages import Message
from manipula.simulation.records.formats.sources import Array, Ask, Source, column_from, sources_from_arrays
from manipula.simulation.records.words.names import OWN
from manipula.support.archives import open_archive

NAMES = ("joints", "joint_names", "names")


def read(path: Path, ask: Ask) -> Source:
    try:
        arrays, odd = _loaded(path)
    except ValueError as error:
        raise InputError("{path}: is no archive of arrays: {error}", path, error) from None
    joints = next((tuple(map(str, arrays[name])) for name in NAMES if name in arrays and arrays[name].ndim == 1), ())
    notes = (Message("left out, being no numbers: {odd}", ", ".join(odd)),) if odd else ()
    if OWN in arrays:
        return _own(path, arrays, joints)
    source = sources_from_arrays(str(path), arrays, notes=notes)
    named = [column_from(x.head, x.values(), joints=joints) if x.width == len(joints) else x for x in source.columns]
    return Source(source.path, tuple(named), notes) if len(joints) > 1 else source


def _loaded(path: Path) -> tuple[dict[str, Array], list[str]]:
    arrays, odd = {}, []
    with open_archive(path) as found:
        for name in found:
            try:
                arrays[name] = np.asarray(found[name])
            except ValueError:  # objects, which would have to be run to be read
                odd.append(name)
    return arrays, odd


def _own(path: Path, arrays: dict[str, Array], joints: tuple[str, ...]) -> Source:
    turns = arrays.pop("turns", np.zeros(0, bool))
    kept = {name: x for name, x in arrays.items() if name not in (OWN, *NAMES)}
    batch = {**kept, "joints": np.array(joints), "turns": turns}
    if kept["q"].ndim > 2:
        return Source(str(path), (), own=True, batch=batch)
    columns = [column_from(name, x, joints=joints if x.ndim == 2 and x.shape[1] == len(joints) else ())
               for name, x in kept.items()]  # fmt: skip
    return Source(str(path), tuple(columns), own=True, batch=batch)
