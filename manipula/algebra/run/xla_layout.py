"""Where XLA's foreign function interface keeps things: offsets read from the C header that comes with `jaxlib`.

The header is plain C, and names, fields and versions change from release to release. Read at run time, it is always
the one of the library that calls; a header that does not have what a handler needs is refused as a whole.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator, Mapping
from typing import NamedTuple

MAJOR = 0  # of the interface; another one may mean anything by the same names

_POINTER = (8, 8)
_SIZES = {  # type → bytes, alignment
    "size_t": (8, 8), "int64_t": (8, 8), "uint64_t": (8, 8),
    "int": (4, 4), "int32_t": (4, 4), "uint32_t": (4, 4), "bool": (1, 1),
}  # fmt: skip

# what handlers read and write; of the functions, those of the thread pool may be missing
_FIELDS = (
    "XLA_FFI_CallFrame.extension_start", "XLA_FFI_CallFrame.api", "XLA_FFI_CallFrame.ctx", "XLA_FFI_CallFrame.args",
    "XLA_FFI_CallFrame.rets", "XLA_FFI_Args.size", "XLA_FFI_Args.args", "XLA_FFI_Rets.size", "XLA_FFI_Rets.rets",
    "XLA_FFI_Buffer.data", "XLA_FFI_Buffer.rank", "XLA_FFI_Buffer.dims",
    "XLA_FFI_Metadata_Extension.metadata", "XLA_FFI_Metadata.api_version", "XLA_FFI_Metadata.traits",
    "XLA_FFI_Api_Version.major_version", "XLA_FFI_Api_Version.minor_version",
    "XLA_FFI_Error_Create_Args.message", "XLA_FFI_Error_Create_Args.errc", "XLA_FFI_Api.XLA_FFI_Error_Create",
    "XLA_FFI_Stream_Get_Args.ctx", "XLA_FFI_Stream_Get_Args.stream", "XLA_FFI_Api.XLA_FFI_Stream_Get",
    "XLA_FFI_Error_Destroy_Args.error", "XLA_FFI_Api.XLA_FFI_Error_Destroy",
)  # fmt: skip
_POOL = (
    "XLA_FFI_Api.XLA_FFI_ThreadPool_Schedule", "XLA_FFI_ThreadPool_Schedule_Args.ctx",
    "XLA_FFI_ThreadPool_Schedule_Args.task", "XLA_FFI_ThreadPool_Schedule_Args.data",
    "XLA_FFI_Api.XLA_FFI_ThreadPool_NumThreads", "XLA_FFI_ThreadPool_NumThreads_Args.ctx",
    "XLA_FFI_ThreadPool_NumThreads_Args.num_threads",
)  # fmt: skip
_NUMBERS = (
    "XLA_FFI_Extension_Metadata", "XLA_FFI_Error_Code_INTERNAL", "XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE",
)  # fmt: skip


class XlaLayout(NamedTuple):
    """Offsets of fields ("XLA_FFI_Buffer.data"), sizes of structures as callers state them, values of enumerators."""

    major: int
    minor: int
    offsets: Mapping[str, int]
    sizes: Mapping[str, int]
    numbers: Mapping[str, int]

    @property
    def has_pool(self) -> bool:
        """Does it hand out the threads of the processor?"""
        return all(name in self.offsets for name in _POOL)


def layout_from_header(text: str) -> XlaLayout | None:
    """The layout, or None where the header lacks something, or where the machine is not one of 64 bits."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text.replace("\\\n", " "), flags=re.DOTALL)
    versions = dict(re.findall(r"#define\s+XLA_FFI_API_(MAJOR|MINOR)\s+(\d+)", text))
    if versions.keys() != {"MAJOR", "MINOR"} or int(versions["MAJOR"]) != MAJOR or struct.calcsize("P") != 8:
        return None
    types, offsets = dict(_SIZES), dict[str, int]()
    types |= dict.fromkeys(re.findall(r"typedef\s+enum\s*\{[^}]*\}\s*(\w+)", text), types["int"])
    types |= {new: types[old] for old, new in re.findall(r"typedef\s+(\w+)\s+(\w+)\s*;", text) if old in types}
    for name, body in re.findall(r"\bstruct\s+(\w+)\s*\{([^}]*)\}", text):
        _add_structure(name, body, types, offsets)
    sizes = {
        name: offsets[f"{name}.{last}"] + offsets[f"{name}.{last}.size"]
        for name, last in re.findall(r"XLA_FFI_DEFINE_STRUCT_TRAITS\((\w+),\s*(\w+)\)", text)
        if f"{name}.{last}" in offsets
    }
    numbers = {name: int(value) for name, value in re.findall(r"\b(XLA_FFI_\w+)\s*=\s*(\d+)\b(?!u)", text)}
    numbers |= {name: 1 << int(bit) for name, bit in re.findall(r"\b(XLA_FFI_\w+)\s*=\s*1u\s*<<\s*(\d+)", text)}
    # the first field of what extends a frame is its size, the second says what it is, under whatever name
    extension = re.search(r"XLA_FFI_Metadata_Extension\s*\{\s*(\w+)\s+extension_base", text)
    offsets["extension.type"] = offsets.get(f"{extension[1]}.type", -1) if extension else -1
    whole = all(name in offsets for name in _FIELDS) and all(name in numbers for name in _NUMBERS)
    named = all(name.split(".")[0] in sizes for name in (*_FIELDS, *_POOL) if "_Args." in name and name in offsets)
    found = XlaLayout(MAJOR, int(versions["MINOR"]), offsets, sizes, numbers)
    return found if whole and named and offsets["extension.type"] >= 0 else None


def _add_structure(name: str, body: str, types: dict[str, tuple[int, int]], offsets: dict[str, int]) -> None:
    """Offsets of the fields as C lays them out; nothing of a structure with a field of unknown size."""
    at, widest, found = 0, 1, dict[str, int]()
    for field, kind in _fields(body):
        if kind not in types and kind != "*":
            return
        size, alignment = types[kind] if kind != "*" else _POINTER
        at += -at % alignment
        found |= {f"{name}.{field}": at, f"{name}.{field}.size": size}
        at, widest = at + size, max(widest, alignment)
    types[name] = (at + -at % widest, widest)
    offsets.update(found)


def _fields(body: str) -> Iterator[tuple[str, str]]:
    """Field and type; "*" for every pointer, those to functions among them."""
    for declaration in filter(None, (" ".join(x.split()) for x in body.split(";"))):
        entry = re.fullmatch(r"_XLA_FFI_API_STRUCT_FIELD\((\w+)\)", declaration)
        function = re.search(r"\(\s*\*\s*(\w+)\s*\)", declaration)
        plain = re.fullmatch(r"(?:const )?(?:struct )?(\w+) (\w+)", declaration)
        if entry or function:
            yield (entry or function)[1], "*"  # type: ignore[index]
        elif "*" in declaration:
            yield declaration.replace("*", " ").split()[-1], "*"
        elif plain:
            yield plain[2], plain[1]
        else:  # an array, a bit field: not known
            yield declaration, declaration
