"""The call from XLA: a handler of its foreign function interface, written in LLVM assembly.

    XLA_FFI_Error *handler(XLA_FFI_CallFrame *frame)

The leading axes of the first result are the rows; an input has as many rows, or one that serves all. On the processor
the handler calls `one` or `run` where the buffers are, long tables by shares in XLA's own threads; on a device it
launches the kernel in the stream XLA gives, so that a launch may be part of a CUDA graph. No Python runs. Addresses are
in a table (`TABLE`), filled after loading, so that the code can be kept from one process to the next.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator, Mapping
from math import prod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.emit.cuda import BLOCK
from manipula.algebra.llvm.code import LoadedCode, load_code, optimised_object
from manipula.algebra.run.batch import Floats
from manipula.algebra.run.python_call_layout import address_of, fill_context
from manipula.algebra.run.xla_frame import HandlerText
from manipula.algebra.run.xla_layout import XlaLayout
from manipula.algebra.tape import Tape, kept_slots

SHARE = 1024  # rows a thread takes at a time; XLA's threads are awake, so less is worth one than where it is started
_ALIGNED = 16  # bytes: the widest access of the kernel that reads rows
TABLE = {
    "cpu": ("kept", "one", "run", "allocate", "free", "rest"),
    "cuda": ("kept", "launch", "device", "error", "functions", "devices"),
}


class XlaHandler:
    """The handler of a function on "cpu" or "cuda", in memory as long as this lives."""

    def __init__(self, layout: XlaLayout, tape: Tape, width: int, platform: str) -> None:
        text = "\n".join((HostText if platform == "cpu" else DeviceText)(layout, tape, width).lines())
        # called by other libraries: without a frame their stack could not be read
        self._code: LoadedCode = load_code(("xla", text), lambda: text, 2, optimised_object)
        self._rows, self._held = TABLE[platform], list[object]()
        self.address, self.complete = self._code.address("handler"), False

    def fill(self, table: Mapping[str, int], held: object, complete: bool = True) -> None:
        """Hand it its addresses; what is `held` lives as long as it does. Running calls find the old ones or these."""
        self._held.append(held)
        self.complete = complete
        context = ctypes.CFUNCTYPE(ctypes.c_void_p)(self._code.address("table_address"))()
        fill_context(context, [table[name] for name in self._rows])


def host_table(kept: Floats, one: int, run: int) -> dict[str, int]:
    """The table of a handler on the processor; `run` may be 0 as long as no call has several rows."""
    python, system = ctypes.pythonapi, ctypes.CDLL("kernel32" if sys.platform == "win32" else None)
    rest = system.SwitchToThread if sys.platform == "win32" else system.sched_yield
    functions = {"allocate": python.PyMem_RawMalloc, "free": python.PyMem_RawFree, "rest": rest}
    found = {name: ctypes.cast(x, ctypes.c_void_p).value or 0 for name, x in functions.items()}
    return {"kept": address_of(kept), "one": one, "run": run, **found}


def device_table(function: DeviceFunction) -> tuple[dict[str, int], object]:
    """The table of a handler on devices, and what must live as long as it."""
    driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    names = {"launch": "cuLaunchKernel", "device": "cuCtxGetDevice", "error": "cuGetErrorName"}
    found = {name: ctypes.cast(getattr(driver, text), ctypes.c_void_p).value or 0 for name, text in names.items()}
    kernels, kept = function.kernel_addresses("rows", "strides"), function.kept()
    found |= {"kept": address_of(kept), "functions": address_of(kernels), "devices": len(kernels)}
    return found, (driver, function, kernels, kept)


class DeviceFunction(Protocol):
    """A function on the GPU, as far as its kernels go."""

    def kernel_addresses(self, *layouts: str) -> NDArray[np.uint64]: ...
    def kept(self) -> Floats: ...


class HostText(HandlerText):
    """On the processor."""

    table = TABLE["cpu"]

    def work(self) -> Iterator[str]:
        xs, ys = range(len(self.inputs)), range(len(self.outputs))
        outs = [f"ptr %y{i}" for i in ys]
        yield "fits:"
        for name in ("kept", "one", "run"):
            yield self.row(name)
        for i, port in enumerate(self.inputs):
            yield f"  %x{i}.step = select i1 %x{i}.same, i64 {len(port.slots)}, i64 0"
        yield "  %single = icmp eq i64 %y0.rows, 1\n  br i1 %single, label %alone, label %many\nalone:"
        yield f"  call void %one({', '.join([*(f'ptr %x{i}' for i in xs), 'ptr %kept', *outs])})\n  ret ptr null\nmany:"
        yield "  %made = icmp ne ptr %run, null\n  br i1 %made, label %table.long, label %unfit\ntable.long:"
        rows = [*(f"ptr %x{i}, i64 %x{i}.step" for i in xs), "ptr %kept", *outs, "i64 %y0.rows"]
        if self.layout.has_pool:
            yield f"  %long = icmp sge i64 %y0.rows, {2 * SHARE}\n  br i1 %long, label %threads, label %serial"
            yield from self.share()
        else:
            yield "  br label %serial"
        yield f"serial:\n  call void %run({', '.join(rows)})\n  ret ptr null"

    # Shares of a long table are taken by the first free thread, the caller among them, so that a pool whose threads are
    # all busy, perhaps waiting like this one, cannot stop it. The job is freed by the last who has seen it.

    def words(self) -> dict[str, str]:
        """Word of the job → its type."""
        arrays = {f"{x}{part}": kind for x in self.xs for part, kind in (("", "ptr"), (".step", "i64"))}
        arrays |= dict.fromkeys(self.ys, "ptr")
        return {"next": "i64", "ended": "i64", "users": "i64", "shares": "i64", "y0.rows": "i64", **arrays}

    def word(self, name: str, label: str = "") -> str:
        at = f"getelementptr inbounds i64, ptr %job, i64 {list(self.words()).index(name)}"
        return f"  %{label or name}.job = {at}"

    def room(self) -> Iterator[str]:
        if self.layout.has_pool:
            yield "  %threads.count = alloca i64, align 8"
            for name, struct in (
                ("number", "ThreadPool_NumThreads"), ("order", "ThreadPool_Schedule"), ("discard", "Error_Destroy")
            ):  # fmt: skip
                yield f"  %{name} = alloca [{self.layout.sizes[f'XLA_FFI_{struct}_Args']} x i8], align 8"

    def share(self) -> Iterator[str]:
        number, order, destroy = "XLA_FFI_ThreadPool_NumThreads", "XLA_FFI_ThreadPool_Schedule", "XLA_FFI_Error_Destroy"
        yield "threads:\n  store i64 1, ptr %threads.count, align 8"
        yield self.load("ctx", "frame", "XLA_FFI_CallFrame.ctx")
        for name, struct in (("number", number), ("order", order), ("discard", destroy)):
            yield from self.arguments(name, f"{struct}_Args")
        yield self.store("number", f"{number}_Args.ctx", "ptr %ctx")
        yield self.store("number", f"{number}_Args.num_threads", "ptr %threads.count")
        yield self.place("discarded", "discard", f"{destroy}_Args.error")
        yield self.load("ask", "api", f"XLA_FFI_Api.{number}")
        yield self.load("schedule", "api", f"XLA_FFI_Api.{order}")
        yield self.load("destroy", "api", f"XLA_FFI_Api.{destroy}")
        yield "  %no.pool = call ptr %ask(ptr %number)\n  %pooled = icmp eq ptr %no.pool, null"
        yield "  br i1 %pooled, label %pool, label %forget\nforget:"
        yield "  store ptr %no.pool, ptr %discarded, align 8"
        yield "  call void %destroy(ptr %discard)\n  br label %serial\npool:"
        yield "  %width = load i64, ptr %threads.count, align 8"
        yield f"  %upper = add i64 %y0.rows, {SHARE - 1}\n  %shares = sdiv i64 %upper, {SHARE}"
        yield "  %wide = icmp slt i64 %width, %shares\n  %users = select i1 %wide, i64 %width, i64 %shares"
        yield "  %helped = icmp sgt i64 %users, 1\n  br i1 %helped, label %ready, label %serial\nready:"
        for name in ("allocate", "rest"):
            yield self.row(name)
        yield f"  %job = call ptr %allocate(i64 {8 * len(self.words())})"
        yield "  %room = icmp ne ptr %job, null\n  br i1 %room, label %job.write, label %serial\njob.write:"
        for name, kind in self.words().items():
            value = "0" if name in ("next", "ended") else f"%{name}"
            yield f"{self.word(name)}\n  store {kind} {value}, ptr %{name}.job, align 8"
        yield self.store("order", f"{order}_Args.ctx", "ptr %ctx")
        yield self.store("order", f"{order}_Args.task", "ptr @task")
        yield self.store("order", f"{order}_Args.data", "ptr %job")
        yield "  br label %call.help\ncall.help:\n  %helper = phi i64 [ 1, %job.write ], [ %helper.next, %more.help ]"
        yield "  %refused = call ptr %schedule(ptr %order)\n  %taken = icmp eq ptr %refused, null"
        yield "  br i1 %taken, label %more.help, label %no.help\nno.help:"
        yield "  store ptr %refused, ptr %discarded, align 8"
        yield "  call void %destroy(ptr %discard)\n  %fewer = atomicrmw sub ptr %users.job, i64 1 acq_rel"
        yield "  br label %more.help\nmore.help:\n  %helper.next = add i64 %helper, 1"
        yield "  %calling = icmp slt i64 %helper.next, %users\n  br i1 %calling, label %call.help, label %own.part"
        yield "own.part:\n  call void @take_shares(ptr %job)\n  br label %wait\nwait:"
        yield "  %ended.now = load atomic i64, ptr %ended.job acquire, align 8"
        yield "  %complete = icmp eq i64 %ended.now, %shares\n  br i1 %complete, label %leave, label %pause\npause:"
        yield "  %rested = call i32 %rest()\n  br label %wait\nleave:"
        yield "  call void @leave(ptr %job)\n  ret ptr null"

    def functions(self) -> Iterator[str]:
        if not self.layout.has_pool:
            return
        # of another thread: the job may outlive the call, the buffers are read only while the caller waits
        yield 'define internal void @task(ptr %job) nounwind "frame-pointer"="all" {'
        yield "  call void @take_shares(ptr %job)\n  call void @leave(ptr %job)\n  ret void\n}"
        yield "define internal void @leave(ptr %job) nounwind {"
        yield self.word("users")
        yield "  %before = atomicrmw sub ptr %users.job, i64 1 acq_rel\n  %last = icmp eq i64 %before, 1"
        yield "  br i1 %last, label %release, label %end\nrelease:"
        yield self.row("free")
        yield "  call void %free(ptr %job)\n  br label %end\nend:\n  ret void\n}"
        yield "define internal void @take_shares(ptr %job) nounwind {\nentry:"
        for name in ("next", "ended", "shares"):
            yield self.word(name)
        yield "  %shares = load i64, ptr %shares.job, align 8\n  br label %take\ntake:"
        yield "  %i = atomicrmw add ptr %next.job, i64 1 acq_rel\n  %left = icmp slt i64 %i, %shares"
        yield "  br i1 %left, label %compute, label %end\nend:\n  ret void\ncompute:"
        for name, kind in self.words().items():
            if name.startswith(("x", "y")):
                yield f"{self.word(name)}\n  %{name} = load {kind}, ptr %{name}.job, align 8"
        for name in ("kept", "run"):
            yield self.row(name)
        yield f"  %first = mul i64 %i, {SHARE}\n  %rest = sub i64 %y0.rows, %first"
        yield f"  %short = icmp slt i64 %rest, {SHARE}\n  %count = select i1 %short, i64 %rest, i64 {SHARE}"
        call = []
        for i in range(len(self.inputs)):
            yield f"  %x{i}.far = mul i64 %first, %x{i}.step"
            yield f"  %x{i}.own = getelementptr inbounds {self.scalar}, ptr %x{i}, i64 %x{i}.far"
            call.append(f"ptr %x{i}.own, i64 %x{i}.step")
        call.append("ptr %kept")
        for i, port in enumerate(self.outputs):
            yield f"  %y{i}.far = mul i64 %first, {prod(port.shape)}"
            yield f"  %y{i}.own = getelementptr inbounds {self.scalar}, ptr %y{i}, i64 %y{i}.far"
            call.append(f"ptr %y{i}.own")
        yield f"  call void %run({', '.join([*call, 'i64 %count'])})"
        yield "  %ended.before = atomicrmw add ptr %ended.job, i64 1 acq_rel\n  br label %take\n}"


class DeviceText(HandlerText):
    """On a CUDA device: one launch."""

    table = TABLE["cuda"]

    def __init__(self, layout: XlaLayout, tape: Tape, width: int) -> None:
        super().__init__(layout, tape, width)
        self.traits = layout.numbers["XLA_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE"]
        self.kept = len(kept_slots(tape))
        # the kernel knows nothing of arrays without entries
        self.full = [(f"x{i}", len(port.slots), True) for i, port in enumerate(self.inputs) if port.slots]
        self.full += [(f"y{i}", len(port.slots), False) for i, port in enumerate(self.outputs) if port.slots]

    def room(self) -> Iterator[str]:
        count = 1 + 3 * len(self.full)
        yield f"  %values = alloca [{count} x i64], align 8\n  %places = alloca [{count + 1} x ptr], align 8"
        yield "  %ordinal = alloca i32, align 4\n  %text = alloca ptr, align 8"
        yield f"  %stream.args = alloca [{self.layout.sizes['XLA_FFI_Stream_Get_Args']} x i8], align 8"

    def work(self) -> Iterator[str]:
        yield "fits:"
        for name in self.table:
            yield self.row(name)
        yield "  %dense0 = icmp sge i64 %y0.rows, 0\n  %together0 = add i64 0, 0"
        for i, (x, _, read) in enumerate(self.full):
            yield f"  %dense{i + 1} = and i1 %dense{i}, {f'%{x}.same' if read else 'true'}"
            yield f"  %{x}.word = ptrtoint ptr %{x} to i64\n  %together{i + 1} = or i64 %together{i}, %{x}.word"
        n = len(self.full)
        yield f"  %odd = and i64 %together{n}, {_ALIGNED - 1}\n  %even = icmp eq i64 %odd, 0"
        yield f"  %by.rows = and i1 %dense{n}, %even"
        yield from self.function()
        yield from self.parameters()
        yield from self.arguments("stream.args", "XLA_FFI_Stream_Get_Args")
        yield self.load("ctx", "frame", "XLA_FFI_CallFrame.ctx")
        yield self.store("stream.args", "XLA_FFI_Stream_Get_Args.ctx", "ptr %ctx")
        yield self.load("get.stream", "api", "XLA_FFI_Api.XLA_FFI_Stream_Get")
        yield "  %streamless = call ptr %get.stream(ptr %stream.args)\n  %streams = icmp eq ptr %streamless, null"
        yield "  br i1 %streams, label %start, label %no.stream\nno.stream:\n  ret ptr %streamless\nstart:"
        yield self.load("stream", "stream.args", "XLA_FFI_Stream_Get_Args.stream")
        yield f"  %upper = add i64 %y0.rows, {BLOCK - 1}\n  %blocks = sdiv i64 %upper, {BLOCK}"
        yield "  %grid = trunc i64 %blocks to i32"
        sizes = f"i32 %grid, i32 1, i32 1, i32 {BLOCK}, i32 1, i32 1, i32 0"
        yield f"  %status = call i32 %launch(ptr %function, {sizes}, ptr %stream, ptr %places, ptr null)"
        yield "  %started = icmp eq i32 %status, 0\n  br i1 %started, label %done, label %failed\nfailed:"
        yield "  %code = phi i32 [ %status, %start ], [ %found, %fits ]"
        yield "  store ptr @wrong, ptr %text, align 8\n  %ignored = call i32 %error(i32 %code, ptr %text)"
        yield "  %message = load ptr, ptr %text, align 8\n  %failure = call ptr @refuse(ptr %api, ptr %message)"
        yield "  ret ptr %failure"

    def function(self) -> Iterator[str]:
        """Each device has a kernel for rows and one for any steps."""
        yield "  %found = call i32 %device(ptr %ordinal)\n  %current = icmp eq i32 %found, 0"
        yield "  br i1 %current, label %on.device, label %failed\non.device:"
        yield "  %ordinal.32 = load i32, ptr %ordinal, align 4\n  %ordinal.64 = sext i32 %ordinal.32 to i64"
        # the number of devices stands in the table as an address does
        yield "  %devices.64 = ptrtoint ptr %devices to i64\n  %known = icmp slt i64 %ordinal.64, %devices.64"
        yield "  br i1 %known, label %with.kernel, label %unfit\nwith.kernel:"
        yield "  %twice = mul i64 %ordinal.64, 2\n  %other = select i1 %by.rows, i64 0, i64 1"
        yield "  %which = add i64 %twice, %other"
        yield "  %function.at = getelementptr inbounds ptr, ptr %functions, i64 %which"
        yield "  %function = load ptr, ptr %function.at, align 8"

    def parameters(self) -> Iterator[str]:
        """Where the kernel's arguments are: the number of rows; address, row step, column step of each array."""
        values = ["%y0.rows"]
        for x, size, read in self.full:
            if read:
                yield f"  %{x}.step = select i1 %{x}.same, i64 {size}, i64 0"
            values += [f"%{x}.word", f"%{x}.step" if read else str(size), "1"]
        order = list(range(len(values)))
        if self.kept:
            # by value, between inputs and results
            order.insert(1 + 3 * sum(read for _, _, read in self.full), -1)
        for i, value in enumerate(values):
            yield f"  %value{i} = getelementptr inbounds i64, ptr %values, i64 {i}"
            yield f"  store i64 {value}, ptr %value{i}, align 8"
        for place, i in enumerate(order):
            yield f"  %place{place} = getelementptr inbounds ptr, ptr %places, i64 {place}"
            yield f"  store ptr {'%kept' if i < 0 else f'%value{i}'}, ptr %place{place}, align 8"
