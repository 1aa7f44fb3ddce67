"""Formats of recordings, by the ending of the file; what reads one is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from manipula.errors import InputError, ManipulaError, UnknownNameError
from manipula.simulation.records.formats.sources import Ask, Source

READERS = {
    ".csv": "text:read", ".tsv": "text:read", ".txt": "text:read", ".dat": "text:read", ".log": "text:read",
    ".npz": "npz:read", ".mat": "mat:read", ".h5": "hdf5:read", ".hdf5": "hdf5:read", ".parquet": "parquet:read",
    ".mcap": "mcap:read", ".bag": "bags:read", ".db3": "bags:read",
}  # fmt: skip
FOLDER = __name__.rpartition(".")[0]


def source_of(path: Path, ask: Ask) -> Source:
    """The columns of a file; a folder is a bag of ROS 2."""
    ending = ".db3" if path.is_dir() else path.suffix.lower()
    if ending not in READERS:
        raise UnknownNameError("ending of a log", path.suffix or str(path), READERS)
    if not path.exists():
        raise InputError("{path}: cannot be read: no such file", path)
    module, _, name = READERS[ending].partition(":")
    read: Callable[[Path, Ask], Source] = getattr(import_module(f"{FOLDER}.{module}"), name)
    try:
        return read(path, ask)
    except ManipulaError:
        raise
    except OSError as error:
        raise InputError("{name}: cannot be read: {strerror}", path, error.strerror or error) from error
    except Exception as error:  # the formats' libraries raise whatever broken bytes lead to
        kind = "" if isinstance(error, ValueError) and str(error) else f"{type(error).__name__} "
        what = f"{kind}{error}".splitlines()[0]
        raise InputError("{path}: is no whole {ending} file: {what:.200}", path, ending, what) from error
