"""Handlers that XLA calls: the C header they are laid out by, and the launch on a device, with a driver of our own."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.emit.cuda import BLOCK
from manipula.algebra.run.xla_call import XlaHandler
from manipula.algebra.run.xla_layout import XlaLayout, layout_from_header
from manipula.algebra.tape import tape_from_function

jaxlib = pytest.importorskip("jaxlib", reason="JAX is not installed: pip install manipula[jax]")
HEADER = Path(*jaxlib.__path__, "include/xla/ffi/api/c_api.h").read_text(encoding="utf-8")


def layout_of(text: str) -> XlaLayout:
    found = layout_from_header(text)
    assert found is not None
    return found


# the header


def test_offsets_are_those_of_the_c_compiler() -> None:
    # by the rules of C on 64-bit machines: a frame is size, extension, api, ctx, stage (padded), then three structures
    found = layout_of(HEADER)
    names = ("extension_start", "api", "ctx", "args", "rets")
    assert [found.offsets[f"XLA_FFI_CallFrame.{name}"] for name in names] == [8, 16, 24, 40, 80]
    assert [found.offsets[f"XLA_FFI_Buffer.{name}"] for name in ("data", "rank", "dims")] == [24, 32, 40]
    assert found.sizes["XLA_FFI_Stream_Get_Args"] == 32 and found.offsets["extension.type"] == 8


def test_a_field_more_moves_those_behind_it() -> None:
    old = layout_of(HEADER)
    new = layout_of(HEADER.replace("XLA_FFI_ExecutionStage stage;", "XLA_FFI_ExecutionStage stage; int64_t more;"))
    moved = {name for name, at in old.offsets.items() if at != new.offsets[name]}
    assert {"XLA_FFI_CallFrame.args", "XLA_FFI_CallFrame.rets"} <= moved
    assert not any(name.startswith("XLA_FFI_Buffer") for name in moved)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("#define XLA_FFI_API_MAJOR 0", "#define XLA_FFI_API_MAJOR 1"),
        ("#define XLA_FFI_API_MINOR", "#define OTHER"),
        ("void* data;\n  int64_t rank;", "void* memory;\n  int64_t rank;"),
        ("int64_t* dims;", "alien dims;"),
        ("XLA_FFI_Metadata* metadata;", "XLA_FFI_Metadata* metadata[2];"),
        ("XLA_FFI_Extension_Metadata = 1", "XLA_FFI_Extension_Metadata"),
        ("_XLA_FFI_API_STRUCT_FIELD(XLA_FFI_Stream_Get);", ""),
    ],
)
def test_an_unknown_header_is_refused(old: str, new: str) -> None:
    assert old in HEADER
    assert layout_from_header(HEADER.replace(old, new)) is None


def test_without_threads_the_header_still_serves() -> None:
    assert layout_of(HEADER).has_pool
    assert not layout_of(HEADER.replace("XLA_FFI_ThreadPool_Schedule_Args {", "Other {")).has_pool


# a device, by a driver that writes down what it is asked for

LAUNCH = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, *[ctypes.c_uint] * 7, *[ctypes.c_void_p] * 3)
PLACE = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int))
NAME = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_char_p))
XLA = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
STREAM, ERROR = 0x5000, 0x7000
KERNELS = np.array([[0x10, 0x11], [0x20, 0x21]], dtype=np.uint64)  # (devices, layouts)


class Driver:
    """One call of a handler: the frame, XLA's functions, the driver's."""

    def __init__(self, model: str, dtype: str = "float64", status: int = 0, device: int = 1) -> None:
        self.layout = layout_of(HEADER)
        self.tape = tape_from_function(mp.generate("puma560", model).function)
        self.dtype, self.launches, self.errors = np.dtype(dtype), list[dict[str, Any]](), list[str]()
        self.handler = XlaHandler(self.layout, self.tape, self.dtype.itemsize, "cuda")
        self.held: list[Any] = []

        def launch(function: int, *rest: Any) -> int:
            count = 1 + 3 * len(self.sizes)
            places = ctypes.cast(rest[8], ctypes.POINTER(ctypes.POINTER(ctypes.c_int64)))
            self.launches.append(
                {
                    "function": function,
                    "grid": rest[0],
                    "block": rest[3],
                    "stream": rest[7],
                    "values": [places[i][0] for i in range(count)],
                }
            )
            return status

        def where(ordinal: Any) -> int:
            ordinal[0] = device
            return 0

        def name(code: int, text: Any) -> int:
            self.held.append(b"ERROR_%d" % code)
            text[0] = self.held[-1]
            return 0

        driver = [LAUNCH(launch), PLACE(where), NAME(name)]
        self.held += driver
        words = [ctypes.cast(x, ctypes.c_void_p).value or 0 for x in driver]
        table = dict(zip(("launch", "device", "error"), words))
        self.handler.fill(table | {"kept": 0, "functions": KERNELS.ctypes.data, "devices": len(KERNELS)}, driver)

    @property
    def sizes(self) -> list[int]:
        return [len(x.slots) for x in (*self.tape.inputs, *self.tape.outputs) if x.slots]

    def structure(self, name: str, room: int = 512, **fields: Any) -> int:
        """Its address, the fields written where the header has them."""
        memory = (ctypes.c_ubyte * room)()
        self.held.append(memory)
        for field, value in fields.items():
            width = 4 if isinstance(value, np.int32) else 8
            at = self.layout.offsets[f"{name}.{field}"]
            memory[at : at + width] = list(int(value).to_bytes(width, "little"))
        return ctypes.addressof(memory)

    def buffers(self, side: str, arrays: list[Any]) -> bytes:
        found = []
        for x in arrays:
            shape = np.array(x.shape, dtype=np.int64)
            self.held += [shape, x]
            found.append(self.structure("XLA_FFI_Buffer", data=x.ctypes.data, rank=x.ndim, dims=shape.ctypes.data))
        table = np.array(found, dtype=np.uint64)
        self.held.append(table)
        at = self.structure(f"XLA_FFI_{side}", size=len(arrays), **{side.lower(): table.ctypes.data})
        return ctypes.string_at(at, 40)

    def call(self, inputs: list[Any], outputs: list[Any]) -> int | None:
        offsets = self.layout.offsets

        def create(at: int) -> int:
            message = ctypes.c_char_p.from_address(at + offsets["XLA_FFI_Error_Create_Args.message"]).value or b""
            self.errors.append(message.decode())
            return ERROR

        def stream(at: int) -> None:
            ctypes.c_void_p.from_address(at + offsets["XLA_FFI_Stream_Get_Args.stream"]).value = STREAM

        functions = {"XLA_FFI_Error_Create": XLA(create), "XLA_FFI_Stream_Get": XLA(stream)}
        self.held.append(functions)
        words = {name: ctypes.cast(x, ctypes.c_void_p).value or 0 for name, x in functions.items()}
        frame = self.structure("XLA_FFI_CallFrame", api=self.structure("XLA_FFI_Api", **words))
        for side, arrays in (("Args", inputs), ("Rets", outputs)):
            ctypes.memmove(frame + offsets[f"XLA_FFI_CallFrame.{side.lower()}"], self.buffers(side, arrays), 40)
        found: int | None = XLA(self.handler.address)(frame)
        return found


def arrays_of(driver: Driver, rows: int, lone: int = -1) -> tuple[list[Any], list[Any]]:
    inputs = [
        np.zeros((1 if i == lone else rows, len(x.slots)), driver.dtype) for i, x in enumerate(driver.tape.inputs)
    ]
    return inputs, [np.zeros((rows, *x.shape), driver.dtype) for x in driver.tape.outputs]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_table_is_one_launch(dtype: str) -> None:
    driver = Driver("inverse_dynamics", dtype)
    inputs, outputs = arrays_of(driver, 1000)
    assert driver.call(inputs, outputs) is None
    (launch,) = driver.launches
    assert launch["function"] == 0x20 and launch["stream"] == STREAM  # of the device in use, by rows
    assert launch["block"] == BLOCK and launch["grid"] == -(-1000 // BLOCK)
    assert launch["values"] == [1000, *(y for x in (*inputs, *outputs) for y in (x.ctypes.data, 6, 1))]


def test_a_row_for_all_has_no_step() -> None:
    driver = Driver("inverse_dynamics")
    inputs, outputs = arrays_of(driver, 10, lone=1)
    assert driver.call(inputs, outputs) is None
    (launch,) = driver.launches
    assert launch["function"] == 0x21 and [launch["values"][i] for i in (2, 5, 8, 11)] == [6, 0, 6, 6]


def test_memory_off_the_grid_has_another_kernel() -> None:
    driver = Driver("gravity", "float32", device=0)
    wide = np.zeros(65 * 6 + 4, np.float32)
    start = next(i for i in range(4) if (wide[i:].ctypes.data) % 16)
    outputs = arrays_of(driver, 65)[1]
    assert driver.call([wide[start : start + 65 * 6].reshape(65, 6)], outputs) is None
    assert [x["function"] for x in driver.launches] == [0x11]


def test_nothing_is_launched_for_nothing() -> None:
    driver = Driver("gravity")
    assert driver.call(*arrays_of(driver, 0)) is None and not driver.launches


def test_failures_have_names() -> None:
    driver = Driver("gravity", status=700)
    assert driver.call(*arrays_of(driver, 3)) == ERROR and driver.errors == ["ERROR_700"]
    driver = Driver("gravity", device=2)  # there are two
    assert driver.call(*arrays_of(driver, 3)) == ERROR and "do not fit" in driver.errors[0]
    driver = Driver("inverse_dynamics")
    inputs, outputs = arrays_of(driver, 4)
    assert driver.call([inputs[0][:3], *inputs[1:]], outputs) == ERROR and "do not fit" in driver.errors[0]
    assert driver.call(inputs[:2], outputs) == ERROR and not driver.launches


def test_the_answer_to_registration() -> None:
    driver = Driver("gravity")
    layout, offsets = driver.layout, driver.layout.offsets
    metadata = driver.structure("XLA_FFI_Metadata")
    extension = driver.structure("XLA_FFI_Metadata_Extension", metadata=metadata)
    ctypes.c_int32.from_address(extension + offsets["extension.type"]).value = layout.numbers[
        "XLA_FFI_Extension_Metadata"
    ]
    frame = driver.structure("XLA_FFI_CallFrame", extension_start=extension)
    assert XLA(driver.handler.address)(frame) is None
    version = metadata + offsets["XLA_FFI_Metadata.api_version"]
    assert ctypes.c_int32.from_address(version + offsets["XLA_FFI_Api_Version.major_version"]).value == 0
    assert ctypes.c_int32.from_address(version + offsets["XLA_FFI_Api_Version.minor_version"]).value == layout.minor
    traits = ctypes.c_int32.from_address(metadata + offsets["XLA_FFI_Metadata.traits"]).value
    assert traits == layout.numbers["XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE"]  # may be part of a graph
