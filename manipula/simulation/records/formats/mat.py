"""Files of MATLAB: 7.3 as the HDF5 they are, 4 by scipy, 5 to 7.2 here. Structs are paths: `rec.act_pos_deg`.

scipy.io.loadmat trusts the tags of version 5: one changed byte can end the process. Here every tag is checked before
what it announces is touched. Source: MathWorks, MAT-File Format, chapter 1 (elements, arrays, their subelements).
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from manipula.simulation.records.formats import hdf5
from manipula.simulation.records.formats.sources import Array, Ask, Source, sources_from_arrays

# types of data elements (table 1-1) and classes of arrays (table 1-3)
STORED = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
CLASSES = {6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8"}
MATRIX, COMPRESSED = 14, 15
CELL, STRUCT, OBJECT = 1, 2, 3
COMPLEX, LOGICAL = 0x08, 0x02  # flags
AXES = 32
DEEPEST = 50  # arrays inside one another
LARGEST = 2**31  # bytes of an element: what the format itself can announce


def read(path: Path, ask: Ask) -> Source:
    with path.open("rb") as file:
        start = file.read(520)
    if b"MATLAB 7.3" in start[:128] or start[:4] == b"\x89HDF" or start[512:516] == b"\x89HDF":
        return hdf5.read(path, ask)
    if start[126:128] in (b"IM", b"MI"):
        return sources_from_arrays(str(path), arrays_from_bytes(path.read_bytes()))
    if 0 not in start[:4]:  # version 4 begins with a number below 5000; whatever else scipy would take for version 5
        raise ValueError("it does not begin as files of MATLAB do")
    from scipy.io import loadmat

    found = loadmat(path, squeeze_me=True)
    arrays = {name: np.asarray(value) for name, value in found.items() if not name.startswith("__")}
    return sources_from_arrays(str(path), arrays)


class Element(NamedTuple):
    """A piece of data: its type, its bytes, and where the next one begins."""

    kind: int
    data: memoryview
    end: int


def arrays_from_bytes(content: bytes) -> dict[str, Array]:
    """The numeric arrays of a file of version 5, structs and cells by their parts; what is no number is left out."""
    return _Reader("<" if content[126:128] == b"IM" else ">").arrays(memoryview(content)[128:])


class _Reader:
    """Whatever is not as the format has it raises a `ValueError` that says so."""

    def __init__(self, order: str) -> None:
        self.order, self.found = order, dict[str, Array]()

    def arrays(self, data: memoryview) -> dict[str, Array]:
        for element in self._elements(data):
            if element.kind == COMPRESSED:
                for inner in self._elements(self._inflated(element.data)):
                    self._array(inner, "", 0)
            else:
                self._array(element, "", 0)
        return self.found

    def _elements(self, data: memoryview) -> Iterator[Element]:
        place = 0
        while place < len(data):
            found = self._element(data, place)
            yield found
            place = found.end

    def _element(self, data: memoryview, place: int) -> Element:
        """One of at most four bytes has them in its tag; any other begins and ends at multiples of eight."""
        if place + 8 > len(data):
            raise ValueError("it ends in the middle of a tag")
        first, size = (int(x) for x in np.frombuffer(data[place : place + 8], f"{self.order}u4"))
        if first >> 16:
            kind, size, begin, end = first & 0xFFFF, first >> 16, place + 4, place + 8
            if size > 4:
                raise ValueError(f"a small element has {size} bytes")
        else:
            kind, begin = first, place + 8
            end = begin + (size if kind == COMPRESSED else -(-size // 8) * 8)
        if begin + size > len(data):
            raise ValueError(
                f"an element of {size} bytes does not fit into the {max(len(data) - begin, 0)} that are left"
            )
        return Element(kind, data[begin : begin + size], min(end, len(data)))

    def _inflated(self, data: memoryview) -> memoryview:
        try:
            return memoryview(zlib.decompressobj().decompress(data, LARGEST))
        except zlib.error as error:
            raise ValueError(str(error)) from error

    def _array(self, element: Element, path: str, depth: int) -> None:
        """An array: flags, dimensions, name, then what its class has; `path` is of the struct that it is in."""
        if element.kind != MATRIX:
            raise ValueError(f"found an element of type {element.kind}, expected an array")
        if not len(element.data):  # an empty array, as structs and cells hold it
            return
        if depth > DEEPEST:
            raise ValueError(f"arrays are nested deeper than {DEEPEST}")
        flags, place = self._numbers(element.data, 0)
        if len(flags) != 2:
            raise ValueError("an array has no flags")
        kind, marks = int(flags[0]) & 0xFF, int(flags[0]) >> 8
        if kind not in (CELL, STRUCT, OBJECT, *CLASSES):
            return  # text, a sparse matrix, a handle: no recording, and its length is known
        shape, place = self._numbers(element.data, place)
        if not 1 < len(shape) <= AXES or any(x < 0 for x in shape):
            raise ValueError(f"an array has the dimensions {shape[:4].tolist()}")
        name = self._element(element.data, place)
        own = bytes(name.data).decode("utf-8", "replace")
        if not path and (not own or own.startswith("__")):
            return  # what MATLAB keeps for itself
        rest, path = element.data[name.end :], path or own
        if kind in CLASSES:
            if not marks & COMPLEX:
                self.found[path] = self._values(rest, shape.tolist(), "?" if marks & LOGICAL else CLASSES[kind])
        elif kind == CELL:
            self._parts(list(self._elements(rest)), path, [""], shape, depth)
        else:
            self._struct(rest, path, shape, kind, depth)

    def _numbers(self, data: memoryview, place: int) -> tuple[Array, int]:
        """Whole numbers, as flags and dimensions are written."""
        found = self._element(data, place)
        if found.kind not in (5, 6) or len(found.data) % 4:
            raise ValueError(
                f"found an element of type {found.kind} and {len(found.data)} bytes, expected whole numbers"
            )
        return np.frombuffer(found.data, f"{self.order}{STORED[found.kind]}").astype(np.int64), found.end

    def _values(self, data: memoryview, shape: list[int], kind: str) -> Array:
        """Numbers may be stored in a smaller type than their class."""
        element = self._element(data, 0)
        stored = STORED.get(element.kind)
        if stored is None:
            raise ValueError(f"numbers are stored as elements of type {element.kind}")
        count = math.prod(shape)
        if count * np.dtype(stored).itemsize != len(element.data):
            raise ValueError(
                f"{' by '.join(map(str, shape))} numbers of {stored} do not have {len(element.data)} bytes"
            )
        with np.errstate(invalid="ignore"):
            values = np.frombuffer(element.data, f"{self.order}{stored}").astype(kind)
        return np.squeeze(values.reshape(shape, order="F"))

    def _struct(self, data: memoryview, path: str, shape: Array, kind: int, depth: int) -> None:
        begin = self._element(data, 0).end if kind == OBJECT else 0  # the name of its class
        length, begin = self._numbers(data, begin)
        names = self._element(data, begin)
        if len(length) != 1 or length[0] < 1 or len(names.data) % int(length[0]):
            raise ValueError(f"{path} has no names of fields")
        fields = [
            bytes(names.data[k : k + int(length[0])]).split(b"\0")[0].decode("utf-8", "replace")
            for k in range(0, len(names.data), int(length[0]))
        ]
        self._parts(list(self._elements(data[names.end :])), path, [f".{field}" for field in fields], shape, depth)

    def _parts(self, parts: list[Element], path: str, fields: list[str], shape: Array, depth: int) -> None:
        """Of a struct or a cell; those of several are numbered, in the order of MATLAB's own numbers."""
        count = math.prod(shape.tolist())
        if len(parts) != count * len(fields):
            raise ValueError(f"{path} has {len(parts)} parts, expected {count} of {len(fields)}")
        for k, part in enumerate(parts):
            number = f"({k // len(fields) + 1})" if count > 1 else ""
            self._array(part, f"{path}{number}{fields[k % len(fields)]}", depth + 1)
