"""`ChosenBranches`: the answers of an inverse function with several branches, found in machine code. See `branches`."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Mapping
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.machine.code import loaded
from manipula.algebra.machine.host import host
from manipula.algebra.run.compiled import Compiled
from manipula.algebra.run.vectorcall.branches import KERNELS, NUMBERS, ROWS, branches_text
from manipula.algebra.run.vectorcall.inverse import CONTEXT, branch_door_text
from manipula.algebra.run.vectorcall.layout import GENERAL, Layout, address_of, builtin, fill_context, layout

Floats = NDArray[np.float64]
Bits = NDArray[np.bool_]
SEED = sys.intern("seed")  # as a call spells the name
OUTPUTS = ("q", "valid", "fit", "calm", "defect")


class Chosen(NamedTuple):
    """`q` (n, branches, coordinates), which of them are answers, and which targets want a closer look."""

    q: Floats
    valid: Bits
    open: Bits


def chosen_branches(
    inverse: Compiled, forward: Compiled, rows: Mapping[str, Floats], numbers: Mapping[str, float]
) -> ChosenBranches | None:
    """None where there is no machine code for these functions."""
    found = layout()
    outputs = tuple(port.name for port in inverse.outputs)
    plain = not (inverse.parameters or forward.parameters) and outputs == OUTPUTS
    if found is None or not plain or {inverse.backend, forward.backend} != {"llvm"}:
        return None
    return ChosenBranches(inverse, forward, rows, numbers, found)


class ChosenBranches:
    """Answers of one target or of many. `rows` and `numbers` are named in `branches`."""

    def __init__(
        self, inverse: Compiled, forward: Compiled, rows: Mapping[str, Floats], numbers: Mapping[str, float], at: Layout
    ) -> None:
        self.inverse, self.forward, self._layout = inverse, forward, at
        self._table_rows, self._numbers = dict(rows), dict(numbers)
        self.branches, self.size = inverse.outputs[0].shape
        self.parameters = sum(prod(port.shape) for port in inverse.inputs[1:])
        self._code = self._loaded()
        self._fill("numbers", np.concatenate([*(rows[name] for name in ROWS), [numbers[name] for name in NUMBERS]]))
        self._link()
        pointer, whole = ctypes.c_void_p, ctypes.c_int64
        many = (pointer, whole, pointer, whole, pointer, pointer, pointer, pointer, whole)
        self._many = ctypes.CFUNCTYPE(None, *many)(self._code.address("many_targets"))

    def __reduce__(self) -> tuple[Any, ...]:
        return chosen_branches, (self.inverse, self.forward, self._table_rows, self._numbers)

    def _loaded(self) -> Any:
        machine, header = host(), self._layout.header
        shape = (self.branches, self.size, self.parameters)
        parts = ("branches", *shape, machine, header)
        return loaded(parts, lambda: self._text(machine.vector_bytes, header), 2)

    def _text(self, vector_bytes: int, header: int) -> str:
        text = branches_text(self.branches, self.size, self.parameters, vector_bytes)
        return f"{text}\n{branch_door_text(self.branches, self.size, header)}"

    def _table(self, name: str) -> int:
        return int(ctypes.CFUNCTYPE(ctypes.c_void_p)(self._code.address(name))() or 0)

    def _fill(self, name: str, values: Floats) -> None:
        fill_context(self._table(f"{name}_at"), values.astype(np.float64).view(np.uint64).tolist())

    def _link(self) -> None:
        known = {"one": self.inverse.address_of_one, "run": self.inverse.address, "forward": self.forward.address}
        fill_context(self._table("kernels_at"), [known[name] or 0 for name in KERNELS])

    def many(self, targets: Floats, parameter: Floats | None = None, seed: Floats | None = None) -> Chosen:
        """`targets` (n, 16) and, where the function has one, `parameter` (n,): dense, or of one row for all."""
        n = len(targets) if parameter is None else max(len(targets), len(parameter))
        q = np.empty((n, self.branches, self.size))
        valid, left = np.empty((n, self.branches), dtype=bool), np.empty(n, dtype=bool)
        given = (address_of(targets), 16 if len(targets) == n else 0)
        fixed = (0, 0) if parameter is None else (address_of(parameter), 1 if len(parameter) == n else 0)
        near = 0 if seed is None else address_of(seed)
        self._many(*given, *fixed, near, address_of(q), address_of(valid), address_of(left), n)
        return Chosen(q, valid, left)

    def door(self, owner: Any, name: str, doc: str, result: type, solver: object) -> Any:
        """The thin call: `owner.general` serves what it does not; the owner keeps solver, result type and this."""
        dtype = np.dtype(np.float64)
        known: dict[str, int] = self._layout._asdict()
        known |= {"dtype": id(dtype), "dtype_type": id(type(dtype)), "general.text": id(GENERAL), "seed.text": id(SEED)}
        known |= {"result": id(result), "owner": id(solver)}
        fill_context(self._table("door_context"), [known[row] for row in CONTEXT])
        return builtin(self._code.address("call"), owner, name, doc)
