"""Archives of numpy's arrays, read so that no bytes do harm: nothing is unpickled, and what is broken is one error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import ManipulaError


@contextmanager
def open_archive(path: Path) -> Iterator[Mapping[str, NDArray[Any]]]:
    """Its arrays by name, each read when it is taken. A `ValueError` says in which way the file is broken.

    Damaged bytes lead zip, zlib and numpy to a dozen kinds of error, which are not worth a list.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as found:
            yield found
    except (OSError, ManipulaError):
        raise
    except Exception as error:
        what = f"{type(error).__name__} {error}".splitlines()[0]
        raise ValueError(f"{what:.160}") from error
