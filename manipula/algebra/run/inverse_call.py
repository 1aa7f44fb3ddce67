"""`InverseCall`: an inverse function of several branches, its choice among them and its thin call in one module."""

from __future__ import annotations

import ctypes
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.machine.code import loaded, paired_object
from manipula.algebra.run.compiled import Compiled
from manipula.algebra.run.inverse_text import choice_text
from manipula.algebra.run.texts import Text
from manipula.algebra.run.vectorcall.inverse import CONTEXT, TEXTS, inverse_call_text
from manipula.algebra.run.vectorcall.layout import GENERAL, Layout, address_of, builtin, fill_context, layout

Floats = NDArray[np.float64]
SEED = sys.intern("seed")  # as a call spells the name
OUTPUTS = ("q", "valid", "fit", "calm", "defect")
LEVEL = 3


def inverse_call(inverse: Compiled, forward: Compiled, choice: tuple[Text, ...], table: Floats) -> InverseCall | None:
    """None where there is no machine code for these functions.

    `choice` are the texts named in `vectorcall.inverse`, `table` the numbers they go by.
    """
    found = layout()
    outputs = tuple(port.name for port in inverse.outputs)
    plain = not (inverse.parameters or forward.parameters) and outputs == OUTPUTS and len(inverse.inputs) == 1
    if found is None or not plain or {inverse.backend, forward.backend} != {"llvm"}:
        return None
    return InverseCall(inverse, forward, choice, table, found)


class InverseCall:
    """The code stays loaded as long as this lives."""

    def __init__(
        self, inverse: Compiled, forward: Compiled, choice: tuple[Text, ...], table: Floats, at: Layout
    ) -> None:
        self.inverse, self.forward, self.table, self._layout = inverse, forward, np.ascontiguousarray(table), at
        branches, size = inverse.outputs[0].shape
        assert {text.__name__ for text in choice} == set(TEXTS)
        text = f"{choice_text(choice, size)}\n{inverse_call_text(branches, size, at.header)}"
        self._code = loaded(("inverse call", text), lambda: text, LEVEL, paired_object)

    def thin(self, owner: Any, name: str, doc: str, result: type, solver: object) -> Any:
        """A built-in function; `owner.general` does what it does not. The owner keeps solver, result type and this."""
        dtype = np.dtype(np.float64)
        known: dict[str, int] = self._layout._asdict()
        known |= {"dtype": id(dtype), "dtype_type": id(type(dtype)), "general.text": id(GENERAL), "seed.text": id(SEED)}
        known |= {"result": id(result), "owner": id(solver), "table": address_of(self.table)}
        known |= {"inverse": self.inverse.address_of_one or 0, "forward": self.forward.address or 0}
        context = ctypes.CFUNCTYPE(ctypes.c_void_p)(self._code.address("call_context"))()
        fill_context(context, [known[row] for row in CONTEXT])
        return builtin(self._code.address("call"), owner, name, doc)
