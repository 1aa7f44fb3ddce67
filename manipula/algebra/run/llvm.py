"""Native kernels: the assembly of `ir` and `vectorcall`, compiled and loaded by LLVM.

The code for one configuration is made at once, that for many when it is first needed.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import cached_property
from threading import Lock
from typing import Any, cast

import numpy as np

from manipula.algebra.llvm.code import LoadedCode, host, load_code
from manipula.algebra.llvm.writer import Host
from manipula.algebra.run.batch import Floats, RowsView
from manipula.algebra.run.python_call import context_rows, has_vectorcall, vectorcall_text
from manipula.algebra.run.python_call_layout import GENERAL, OUT, PARAMETER, address_of, builtin, fill_context, layout
from manipula.algebra.run.repeated import Frames
from manipula.algebra.run.stepping import aligned_array
from manipula.algebra.tape import Tape, kept_slots, parameters_of, variables_of

LONG = 20_000  # lines; past this the careful code generator takes seconds, and the plain one serves
_SCALARS = {np.dtype(np.float64): "double", np.dtype(np.float32): "float"}


class LlvmKernel:
    """The functions of a tape as machine code. Pure: any number of threads may call it at once."""

    backend = "llvm"

    def __init__(self, tape: Tape, dtype: np.dtype[Any], machine: Host | None = None) -> None:
        self.tape, self.dtype, self._host = tape, dtype, machine or host()
        self._scalar = _SCALARS[dtype]
        self._layout = layout() if has_vectorcall(tape) else None
        self._result_type: type | None = None
        self._kept = len(kept_slots(tape))
        self._lock, self._batch = Lock(), cast(LoadedCode | None, None)
        self._repeats: dict[int, LoadedCode] = {}
        self._single = self._load("single")
        pointer = ctypes.c_void_p
        self._prepare = ctypes.CFUNCTYPE(None, pointer, pointer)(self._single.address("prepare"))
        ports = [pointer] * (len(variables_of(tape)) + 1 + len(tape.outputs))
        self._one = ctypes.CFUNCTYPE(None, *ports)(self._single.address("one"))

    def _load(self, which: str, lanes: int = 1) -> LoadedCode:
        # the thin call has offsets of this interpreter in its text
        abi = (self._layout.header,) if self._layout else ()
        # LLVM’s time grows faster than a straight text, and such a text was optimised before
        level = 2 if len(self.tape.lines) <= LONG else 0
        parts = (which, self.tape.digest(), self._scalar, self._host, abi, *([lanes] if which == "repeat" else []))
        return load_code(parts, lambda: self._text(which, lanes), level)

    def _text(self, which: str, lanes: int = 1) -> str:
        from manipula.algebra.llvm.ir import batch_module, single_module  # code from the cache needs no text
        from manipula.algebra.llvm.repeat import repeat_module

        if which == "repeat":
            return repeat_module(self.tape, self._scalar, self._host, lanes)
        if which == "many":
            return batch_module(self.tape, self._scalar, self._host)
        call = vectorcall_text(self.tape, self._layout.header, self._scalar) if self._layout else ""
        return single_module(self.tape, self._scalar, self._host, call)

    @property
    def lanes(self) -> int:
        """Configurations computed side by side."""
        return self._host.lanes(self._scalar)

    @property
    def source_ir(self) -> str:
        return self._text("single") + "\n" + self._text("many")

    @property
    def _many(self) -> LoadedCode:
        with self._lock:
            if self._batch is None:
                # compiled when first requested: many programs never have more than one configuration
                self._batch = self._load("many")
                self._ready_call()
            return self._batch

    @property
    def address(self) -> int:
        """Of `run`; see `ir`."""
        return self._many.address("run")

    @property
    def address_of_one(self) -> int:
        """Of `one`; see `ir`."""
        return self._single.address("one")

    @cached_property
    def _run(self) -> Callable[..., None]:
        inputs = [kind for _ in variables_of(self.tape) for kind in (ctypes.c_void_p, ctypes.c_int64)]
        outputs = [ctypes.c_void_p for _ in self.tape.outputs]
        return ctypes.CFUNCTYPE(None, *inputs, ctypes.c_void_p, *outputs, ctypes.c_int64)(self.address)

    def prepare(self, parameters: Floats) -> Floats:
        """The off-line part; the thin call takes these parameters from now on."""
        kept = np.empty(self._kept, dtype=self.dtype)
        self._prepare(address_of(parameters), address_of(kept))
        if self._layout is not None and parameters_of(self.tape) is not None:
            self._learn(address_of(parameters))
        return kept

    def broken_condition(self, parameters: Floats) -> int:
        """The number of the first condition that is broken, counted from 1; 0 where all hold."""
        return int(self._condition_function(address_of(parameters))) if self.tape.checks else 0

    @cached_property
    def _condition_function(self) -> Callable[..., int]:
        return ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(self._single.address("broken"))

    @cached_property
    def _learn(self) -> Callable[..., None]:
        """Under the interpreter's lock; see `parameters`."""
        return ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(self._single.address("learn"))

    def run(self, views: Sequence[RowsView], kept: Floats, results: Sequence[Floats], rows: range) -> None:
        """The on-line part, for these configurations. The interpreter's lock is free meanwhile."""
        count = len(rows)
        # one configuration: the scalar code needs no block of lanes around it
        if rows.stop == 1:
            self._one(*[address_of(view.array) for view in views], address_of(kept), *map(address_of, results))
        elif count:
            width, first = self.dtype.itemsize, rows.start
            starts = [(address_of(view.array) + width * first * view.step, view.step) for view in views]
            outs = [address_of(x) + width * first * len(p.slots) for x, p in zip(results, self.tape.outputs)]
            self._run(*[part for start in starts for part in start], address_of(kept), *outs, count)

    def prepare_rows(self, parameters: Floats) -> Floats:
        """The off-line part of many rows, (blocks, n, lanes) → (blocks, K, lanes)."""
        blocks, _, lanes = parameters.shape
        kept = aligned_array((blocks, self._kept, lanes), self.dtype)
        code = self._repeat_code(lanes)
        call = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(code.address("prepare_rows"))
        call(address_of(parameters), address_of(kept), blocks)
        return kept

    def repeater(self, lanes: int) -> Repeat:
        """Many steps, so many rows side by side."""
        return Repeat(self._repeat_code(lanes))

    def _repeat_code(self, lanes: int) -> LoadedCode:
        with self._lock:
            if lanes not in self._repeats:
                self._repeats[lanes] = self._load("repeat", lanes)
            return self._repeats[lanes]

    def vectorcall(self, owner: object, name: str, doc: str, result_type: type) -> Any:
        """The thin call, or None. What does not fit it goes to `owner.general`; the owner keeps this kernel alive."""
        if self._layout is None:
            return None
        self._result_type = result_type
        self._ready_call()
        return builtin(self._single.address("call"), owner, name, doc)

    def _ready_call(self) -> None:
        """Hand the thin call its addresses; again when the code for many configurations is there."""
        if self._layout is None or self._result_type is None:
            return
        known: dict[str, int] = self._layout._asdict()
        known |= {
            "dtype": id(self.dtype),
            "dtype_type": id(type(self.dtype)),
            "general": id(GENERAL),
            "result_type": id(self._result_type),
            "parameter_name": id(PARAMETER),
            "out_name": id(OUT),
            "tuple_type": id(tuple),
        }
        known["run"] = self._batch.address("run") if self._batch else 0
        context = ctypes.CFUNCTYPE(ctypes.c_void_p)(self._single.address("call_context"))()
        fill_context(context, [known[name] for name in context_rows(self.tape)])


CHUNK = 8  # blocks that go through time together: their states stay in the nearest cache


class Repeat:
    """The code of `machine.repeat`; it stays loaded as long as this lives. The interpreter's lock is free meanwhile."""

    def __init__(self, code: LoadedCode) -> None:
        self._code = code
        word, place = ctypes.c_int64, ctypes.c_void_p
        form = [place, word, place, word, word, place, word, place, place, *[word] * 7, place, word]
        self._call = ctypes.CFUNCTYPE(None, *form)(code.address("repeat"))

    def __call__(self, frames: Frames, blocks: range, steps: int, every: int, left: int, first: int) -> None:
        if not blocks:
            return
        width, lanes = frames.record.shape[2:]
        size = frames.states.itemsize

        def part(array: Floats) -> tuple[int, int]:
            """Address of the first block, and the distance of the next: none where all share one."""
            step = array.strides[0] // size if len(array) > 1 else 0
            return address_of(array) + size * step * blocks.start, step

        states = address_of(frames.states) + frames.states.strides[1] * blocks.start
        half = frames.states.strides[0] // size
        drive, drive_block = part(frames.drive)
        drive_step = frames.drive.strides[1] // size if frames.drive.shape[1] > 1 else 0
        kept, kept_block = part(frames.kept)
        record, record_block = part(frames.record)
        scratch = aligned_array((width, lanes), frames.states.dtype)
        self._call(
            states, half, drive, drive_block, drive_step, kept, kept_block, address_of(scratch),
            record, record_block, every, left, len(blocks), CHUNK, steps,
            frames.noise.seed, address_of(frames.noise.rollouts) + 8 * lanes * blocks.start, first,
        )  # fmt: skip
