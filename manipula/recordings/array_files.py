"""Files of arrays: those of MATLAB, HDF5, Parquet, and archives of numpy."""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from manipula.errors import InputError
from manipula.messages import Message
from manipula.recordings.sources import (
    NAMES,
    Archive,
    Array,
    Ask,
    Column,
    Source,
    column_from,
    from_clock,
    numeric,
    source_of_table,
    sources_from_arrays,
)
from manipula.recordings.words import OWN, own_heads
from manipula.support.files import open_archive

# HDF5: groups are paths. In files of MATLAB 7.3 arrays have their axes in the other order, and text is numbers.


def read_hdf5(path: Path, ask: Ask) -> Source:
    try:
        import h5py
    except ImportError:
        raise InputError("{path}: reading HDF5 needs h5py: pip install 'manipula[identify]'", path) from None
    found = Archive({})

    def visit(name: str, item: Any) -> None:
        kind, name = item.attrs.get("MATLAB_class", b""), name.replace("/", ".")
        found.texts.update((key, list(map(_text, np.ravel(item.attrs[key])))) for key in NAMES if key in item.attrs)
        if name.startswith("#") or not isinstance(item, h5py.Dataset) or "MATLAB_empty" in item.attrs:
            return
        if kind == b"cell":
            parts = [item.file[part] for part in np.ravel(item[()])]
            if all(part.attrs.get("MATLAB_class") == b"char" for part in parts):
                found.texts[name] = ["".join(map(chr, np.ravel(part[()]))) for part in parts]
        elif item.dtype.kind in "fiub" and kind != b"char":
            value = np.asarray(item[()])
            found.arrays[name] = value.T if kind else value
            unit = next((_text(item.attrs[key]) for key in ("unit", "units", "Unit", "Units") if key in item.attrs), "")
            found.units.update({name: unit} if unit.strip() not in ("", "-", "1", "none") else {})
        elif h5py.check_string_dtype(item.dtype) is not None:
            found.texts[name] = [_text(x) for x in np.ravel(item[()])]

    try:
        with h5py.File(path, "r") as file:
            visit("", file)
            file.visititems(visit)
    except (OSError, RuntimeError, KeyError) as error:
        raise InputError("{path}: is no HDF5 file: {error}", path, error) from None
    return sources_from_arrays(str(path), found, ask)


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


# Files of MATLAB: 7.3 as the HDF5 they are, 4 by scipy, 5 to 7.2 here. Structs are paths: `rec.act_pos_deg`.
#
# scipy.io.loadmat trusts the tags of version 5: one changed byte can end the process. Here every tag is checked before
# what it announces is touched. Source: MathWorks, MAT-File Format, chapter 1 (elements, arrays, their subelements).

# types of data elements (table 1-1) and classes of arrays (table 1-3)
STORED = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
CLASSES = {6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8"}
MATRIX, COMPRESSED = 14, 15
CELL, STRUCT, OBJECT, CHARACTERS = 1, 2, 3, 4
LETTERS = {2: "u1", 4: "u2", 16: "u1", 17: "u2"}  # of one number each: all names that need no other
COMPLEX, LOGICAL = 0x08, 0x02  # flags
AXES = 32
DEEPEST = 50  # arrays inside one another
LARGEST = 2**31  # bytes of an element: what the format itself can announce


def read_mat(path: Path, ask: Ask) -> Source:
    with path.open("rb") as file:
        start = file.read(520)
    if b"MATLAB 7.3" in start[:128] or start[:4] == b"\x89HDF" or start[512:516] == b"\x89HDF":
        return read_hdf5(path, ask)
    if start[126:128] in (b"IM", b"MI"):
        return sources_from_arrays(str(path), archive_from_bytes(path.read_bytes()), ask)
    if 0 not in start[:4]:  # version 4 begins with a number below 5000; whatever else scipy would take for version 5
        raise ValueError("it does not begin as files of MATLAB do")
    from scipy.io import loadmat

    found = loadmat(path, squeeze_me=True)
    arrays = {name: np.asarray(value) for name, value in found.items() if not name.startswith("__")}
    return sources_from_arrays(str(path), Archive(arrays), ask)


class Element(NamedTuple):
    """A piece of data: its type, its bytes, and where the next one begins."""

    kind: int
    data: memoryview
    end: int


def archive_from_bytes(content: bytes) -> Archive:
    """The numeric arrays of a file of version 5, structs and cells by their parts, and the texts; signals of Simulink,
    `scope.signals(1).values`, have their labels for names."""
    reader = _Reader("<" if content[126:128] == b"IM" else ">")
    reader.read(memoryview(content)[128:])
    texts = {name: rows for name, rows in reader.texts.items() if rows}
    labels = {name.removesuffix(".label"): rows[0] for name, rows in texts.items() if name.endswith(".label")}
    told = {f"{name}.values": f"{name.rpartition('.signals')[0]}.{label}" for name, label in labels.items()}
    names = {name: told.get(name, name) for name in reader.found}
    names = names if len({*names.values()}) == len(names) else {name: name for name in names}
    cells: dict[str, list[str]] = {}
    for name, rows in texts.items():  # of a cell, its parts in order
        cells.setdefault(re.sub(r"\(\d+\)$", "", name), []).extend(rows)
    return Archive({names[name]: x for name, x in reader.found.items()}, cells, odd=reader.odd)


class _Reader:
    """Whatever is not as the format has it raises a `ValueError` that says so."""

    def __init__(self, order: str) -> None:
        self.order, self.found = order, dict[str, Array]()
        self.texts, self.odd = dict[str, list[str]](), dict[str, str]()

    def read(self, data: memoryview) -> None:
        for element in self._elements(data):
            if element.kind == COMPRESSED:
                for inner in self._elements(self._inflate(element.data)):
                    self._array(inner, "", 0)
            else:
                self._array(element, "", 0)

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

    def _inflate(self, data: memoryview) -> memoryview:
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
        if kind not in (CELL, STRUCT, OBJECT, CHARACTERS, *CLASSES):
            return  # a sparse matrix, a handle: no recording, and its length is known
        shape, place = self._numbers(element.data, place)
        if not 1 < len(shape) <= AXES or any(x < 0 for x in shape):
            raise ValueError(f"an array has the dimensions {shape[:4].tolist()}")
        name = self._element(element.data, place)
        own = bytes(name.data).decode("utf-8", "replace")
        if not path and (not own or own.startswith("__")):
            return  # what MATLAB keeps for itself
        rest, path = element.data[name.end :], path or own
        if kind in CLASSES:
            if marks & COMPLEX:
                self.odd[path] = Message("holds complex numbers; expected real ones")
            else:
                self.found[path] = self._values(rest, shape.tolist(), "?" if marks & LOGICAL else CLASSES[kind])
        elif kind == CHARACTERS:
            if len(shape) == 2:
                self.texts[path] = self._rows_of_text(rest, *map(int, shape))
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

    def _rows_of_text(self, data: memoryview, count: int, width: int) -> list[str]:
        """A text for every row; none where they are stored in another way than one number a letter."""
        element = self._element(data, 0)
        kind = LETTERS.get(element.kind)
        if kind is None or len(element.data) != count * width * np.dtype(kind).itemsize:
            return []
        letters = np.frombuffer(element.data, f"{self.order}{kind}").reshape(width, count).T
        return ["".join(map(chr, row)).strip() for row in letters.tolist()]

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


# Parquet: columns of numbers, of times, or of lists with an entry for every joint.


def read_parquet(path: Path, ask: Ask) -> Source:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise InputError("{path}: reading Parquet needs pyarrow: pip install 'manipula[identify]'", path) from None
    try:
        table = parquet.read_table(path)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowNotImplementedError) as error:
        raise InputError("{path}: is no Parquet file: {splitlines}", path, str(error).splitlines()[0]) from None
    for _ in range(8):  # structs within structs
        table = table.flatten()
    joints = next((_names_in_rows(path, table.column(name)) for name in table.column_names if name in NAMES), ())
    columns = [_column(path, name, table.column(place)) for place, name in enumerate(table.column_names)]
    named = [replace(x, joints=joints) if len(joints) == x.width > 1 else x for x in columns]
    return Source(str(path), tuple(named), own=own_heads(table.column_names))


def _names_in_rows(path: Path, found: Any) -> tuple[str, ...]:
    """Names of joints that stand beside their numbers in every row, in one order; none where these are no names."""
    rows = [tuple(row) for row in found.to_pylist() if isinstance(row, list)]
    first = rows[0] if rows and all(isinstance(name, str) for name in rows[0]) else ()
    odd = next((k for k, row in enumerate(rows) if first and row != first), None)
    if odd is not None:
        raise InputError(
            "{path}: row {row}: joints are {names}, and {others} before; record them in one order",
            path, odd + 1, ", ".join(map(str, rows[odd])), ", ".join(first),
        )  # fmt: skip
    return first


def _column(path: Path, name: str, found: Any) -> Column:
    from pyarrow import types

    kind = found.type
    if types.is_timestamp(kind) or types.is_duration(kind):
        return column_from(name, from_clock(found.to_numpy()), unit="ns")
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        rows = found.to_pylist()
        width = max((len(row) for row in rows if row is not None), default=0)
        return Column(name, lambda: _matrix(path, name, rows, width), width)
    return Column(name, lambda: _vector(path, name, found))


def _vector(path: Path, name: str, found: Any) -> Array:
    from pyarrow import types

    if not (types.is_floating(found.type) or types.is_integer(found.type) or types.is_decimal(found.type)):
        raise InputError("{path}: column {name!r}: found {type}, expected numbers", path, name, found.type)
    whole = types.is_integer(found.type) and found.null_count == 0
    return np.asarray(found.to_numpy() if whole else found.cast("double").to_numpy())


def _matrix(path: Path, name: str, rows: list[Any], width: int) -> Array:
    """Rows of equal length; a row that is missing has no numbers."""
    whole = [[np.nan] * width if row is None else [np.nan if x is None else x for x in row] for row in rows]
    odd = next((k for k, row in enumerate(whole) if len(row) != width), None)
    if odd is not None:
        raise InputError(
            "{path}: column {name!r}, row {odd}: expected {width} numbers, found {count}",
            path,
            name,
            odd + 1,
            width,
            len(whole[odd]),
        )
    try:
        return np.array(whole, float)
    except (TypeError, ValueError):
        raise InputError("{path}: column {name!r}: found text, expected numbers", path, name) from None


# Archives of numpy: arrays under their names.


def read_npz(path: Path, ask: Ask) -> Source:
    try:
        arrays, odd = _load_arrays(path)
    except ValueError as error:
        raise InputError("{path}: is no archive of arrays: {error}", path, error) from None
    texts = {name: list(map(str, x)) for name, x in arrays.items() if x.ndim == 1 and x.dtype.kind in "US"}
    notes = (Message("left out, being no numbers: {odd}", ", ".join(odd)),) if odd else ()
    if OWN in arrays:
        return _own(path, arrays, tuple(texts.get("joints", ())))
    clocks = {name: from_clock(x) for name, x in arrays.items() if x.dtype.kind in "mM"}
    reason = Message("is an array of objects; save it as one of numbers")
    found = Archive({**arrays, **clocks}, texts, dict.fromkeys(clocks, "ns"), dict.fromkeys(odd, reason))
    return sources_from_arrays(str(path), found, ask, notes=notes)


def read_npy(path: Path, ask: Ask) -> Source:
    """One array: of records, whose fields have names, or a table without names."""
    array = np.load(path, allow_pickle=False)
    if array.dtype.names:
        return sources_from_arrays(
            str(path), Archive({name: np.asarray(array[name]) for name in array.dtype.names}), ask
        )
    if array.ndim != 2 or not numeric(array):
        raise InputError(
            "{path}: has an array of shape {shape}; expected a row for every time and columns of numbers",
            path,
            array.shape,
        )
    return source_of_table(str(path), array)


def _load_arrays(path: Path) -> tuple[dict[str, Array], list[str]]:
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
