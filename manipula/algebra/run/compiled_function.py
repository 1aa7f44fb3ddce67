"""`Compiled`: a tape as a callable on numpy arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Sized
from functools import cached_property
from typing import Any, NamedTuple, NoReturn, Protocol, Unpack

import numpy as np
from numpy.typing import ArrayLike

from manipula.algebra.expr.condition import NEAR
from manipula.algebra.run import batch
from manipula.algebra.run.numpy_run import NumpyKernel
from manipula.algebra.run.repeated import (
    Reader,
    Repeated,
    Repeater,
    Rolling,
    RunRequest,
    Task,
    complete_options,
    repeat,
    request_from,
    task_from,
)  # fmt: skip
from manipula.algebra.run.stepping import Memory, Places, State, Stepped, result_type, to_lanes
from manipula.algebra.tape import Port, Tape, parameters_of, variables_of
from manipula.errors import ConditionError, InputError, UnknownNameError
from manipula.messages import Message


class Kernel(Protocol):
    """What a back end provides: the off-line and the on-line half of a tape, and perhaps a thin call of it."""

    backend: str
    dtype: batch.DType

    @property
    def lanes(self) -> int: ...
    @property
    def source_ir(self) -> str: ...
    @property
    def address(self) -> int | None: ...
    @property
    def address_of_one(self) -> int | None: ...
    def prepare(self, parameters: batch.Floats) -> batch.Floats: ...
    def broken_condition(self, parameters: batch.Floats) -> int: ...
    def run(
        self, views: Sequence[batch.RowsView], kept: batch.Floats, results: Sequence[batch.Floats], rows: range
    ) -> None: ...
    def vectorcall(self, owner: object, name: str, doc: str, result_type: type) -> Any: ...
    def prepare_rows(self, parameters: batch.Floats) -> batch.Floats: ...
    def repeater(self, lanes: int) -> Repeater: ...


def compile_tape(tape: Tape, backend: str = "auto", dtype: str = "float64") -> Compiled:
    """`backend`: "llvm" for machine code, "numpy" without a compiler, "auto" for the first that works here."""
    if backend not in _BACKENDS:
        raise UnknownNameError("backend", backend, _BACKENDS)
    if dtype not in _DTYPES:
        raise UnknownNameError("dtype", dtype, _DTYPES)
    return with_thin_call(Compiled(tape, _BACKENDS[backend](tape, np.dtype(dtype))))


def _llvm(tape: Tape, dtype: batch.DType) -> Kernel:
    from manipula.algebra.run.llvm import LlvmKernel  # not everywhere there is an LLVM

    return LlvmKernel(tape, dtype)


def _first_that_works(tape: Tape, dtype: batch.DType) -> Kernel:
    try:
        return _llvm(tape, dtype)
    except (ImportError, OSError):
        return NumpyKernel(tape, dtype)


_DTYPES = ("float64", "float32")
DEVICES = ("cpu", "cuda")
_BACKENDS: dict[str, Callable[[Tape, batch.DType], Kernel]]
_BACKENDS = {"auto": _first_that_works, "llvm": _llvm, "numpy": NumpyKernel}


class Compiled:
    """f(q, qd, …, p=None, out=None, threads=1): the variables in the order of `inputs`, each of shape (..., size);
    those behind the first ones may be given by name.

    Leading axes broadcast as in numpy. One output is an array of shape (..., *shape), several are a named tuple.
    `p` are the parameters, where there are any: an array in the order of `parameters`, or a mapping from their names,
    by name or after the variables; what depends on them alone is computed when they change. `out` receives the results:
    C-contiguous, of the function's dtype. Many configurations are computed side by side; `threads` shares them out (0:
    all processors). Calls are pure: threads may share one function, and the interpreter's lock is released while it
    runs.

    `thin` is the same function without this class around it, where the machine allows: the least time per call.
    """

    def __init__(self, tape: Tape, kernel: Kernel) -> None:
        self.tape, self._kernel = tape, kernel
        self.name = tape.name
        self._variables = variables_of(tape)
        self._prepared = _Preparation(tape, kernel)
        self._result = result_type(tape.name, tuple(port.name for port in tape.outputs))
        self.thin: Callable[..., Any] = self.general

    def general(
        self, *variables: ArrayLike, p: batch.Parameters = None, out: batch.Out = None, threads: int = 1,
        **named: ArrayLike,
    ) -> Any:  # fmt: skip
        """The call that takes everything."""
        dtype = self._kernel.dtype
        if named:
            names = [port.name for port in self._variables]
            variables = batch.join_named(self.name, names, variables, named, ("p", "out", "threads"))
        # one more than there are variables can only be the parameters
        if p is None and self.parameters and len(variables) == len(self._variables) + 1:
            variables, p = variables[:-1], variables[-1]
        lead, count, views = batch.arrange_inputs(self.name, self._variables, variables, dtype)
        kept = self._prepared.for_parameters(p)
        results = batch.results_for(self.name, self.tape.outputs, lead, out, dtype)
        if out is not None:
            # fresh results overlap nothing; only the caller's own may
            views = tuple(batch.apart(view, count, results) for view in views)
        batch.shared_out(lambda rows: self._kernel.run(views, kept, results, rows), count, threads, self._kernel.lanes)
        return self.pack_results(results)

    def pack_results(self, results: Sequence[object]) -> Any:
        """Results as a call returns them: one is itself, several are a named tuple."""
        return results[0] if len(results) == 1 else self._result(*results)

    # functions with states

    @cached_property
    def memory(self) -> Memory:
        """What is remembered from step to step; an error where nothing is."""
        return Memory(self.tape, self.dtype)

    def start(self, **states: ArrayLike) -> Any:
        """The states to begin with, a named tuple of arrays: `f.start(q=q0)`; what is not given is zero."""
        return self.memory.start(states)

    def step(
        self, state: State, *variables: ArrayLike,
        p: batch.Parameters = None, out: Places | None = None, threads: int = 1,
    ) -> Stepped:  # fmt: skip
        """One step from a state, on the other variables in their order: the new state, and what goes out.

        `out` receives the new state; it may be the old one. Leading axes broadcast; a row of many has the same bits.
        """
        memory = self.memory
        results = self.general(*memory.arguments(state, variables), p=p, threads=threads)
        names = [port.name for port in self.tape.outputs]
        stepped = memory.split_results(dict(zip(names, results if len(names) > 1 else [results])))
        return stepped if out is None else stepped._replace(state=memory.store_state(stepped.state, out))

    def run(self, state: State, steps: int, *variables: ArrayLike, **how: Unpack[Rolling]) -> Repeated:
        """Many steps in one call, in machine code: the last state, and the records of every `every`-th step (0: none).

        Options are those of `Rolling`: p, every, threads, along, seed, rollout, first. The other variables are held,
        those named in `along` are given for every step, of shape (…, steps, size).
        Parameters may have leading axes, too. Rows go side by side and in `threads`; each has the bits it would have
        alone. Ctrl-C stops it and returns the rows so far.

        Noise is drawn from the `seed`, the number of the row (or `rollout`) and that of the step, counted from `first`.
        """
        options = complete_options(how)
        task = self.task(state, steps, variables, self._kernel.lanes, options)
        return repeat(task, self.memory, self._kernel.repeater(task.lanes), options["threads"], self.dtype)

    def task(self, state: State, steps: int, variables: Sequence[ArrayLike], lanes: int, how: Rolling) -> Task:
        """The arguments of `run`, checked and broadcast."""
        request = self.request(state, steps, variables, how)
        return task_from(request, self.dtype, lanes, lambda blocks: self.kept_blocks(request.parameters, blocks))

    def request(
        self,
        state: State,
        steps: int,
        variables: Sequence[ArrayLike],
        how: Rolling,
        floats: Reader = batch.floats_from_value,
    ) -> RunRequest:
        """The arguments of `run`, checked."""
        return request_from(self.memory, state, steps, variables, self._prepared.table(how["p"]), how, floats)

    def kept_blocks(self, table: batch.Floats, blocks: batch.Floats) -> batch.Floats:
        """What depends on parameters alone, in the blocks of lanes that these parameters are given in, too."""
        if table.ndim > 1:
            return self._kernel.prepare_rows(self._prepared.checked_blocks(blocks))
        kept = self._prepared.for_parameters(table if len(table) else None)
        return to_lanes(kept[None], blocks.shape[-1], self.dtype)

    def to(self, device: str) -> Any:
        """The same function on a device: "cuda" takes and returns CuPy arrays, "cpu" is this one."""
        if device not in DEVICES:
            raise UnknownNameError("device", device, DEVICES)
        if device == "cpu":
            return self
        from manipula.algebra.run.cuda import CudaFunction

        return CudaFunction(self)

    def __call__(
        self, *variables: ArrayLike, p: batch.Parameters = None, out: batch.Out = None, threads: int = 1
    ) -> Any:
        return self.general(*variables, p=p, out=out, threads=threads)

    def thin_call(self, owner: object, name: str, doc: str) -> Any:
        """A built-in function that is this one, or None; what its fast way does not take goes to `owner.general`."""
        made = self._kernel.vectorcall(owner, name, doc, self._result)
        return made if made is not None and self._agrees(made) else None

    def _agrees(self, call: Callable[..., Any]) -> bool:
        """Do the fast and the general way give the same bits?"""
        # waves, not NumPy's dice, which take longer to load than code from the cache
        waves = (np.sin(k + 7.1 * np.arange(np.prod(x.shape))).reshape(x.shape) for k, x in enumerate(self._variables))
        arguments = [x.astype(self.dtype) for x in waves]
        # positive and of like size: most parameters then keep the function's conditions
        arguments += [(1.5 + np.sin(np.arange(len(self.parameters))) / 2).astype(self.dtype)] * bool(self.parameters)
        try:
            slow, fast = self.general(*arguments), call(*arguments)
        except ConditionError:  # no thin call then
            return False
        if len(self.tape.outputs) == 1:
            fast, slow = (fast,), (slow,)
        return type(fast) is type(slow) and all(_same(a, b) for a, b in zip(fast, slow, strict=True))

    @property
    def inputs(self) -> tuple[Port, ...]:
        """The variables, in the order of the call."""
        return self._variables

    @property
    def outputs(self) -> tuple[Port, ...]:
        return self.tape.outputs

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters, in the order of `p`."""
        return self._prepared.names

    @property
    def columns(self) -> tuple[str, ...]:
        """A regressor's columns: the parameter each belongs to."""
        return self.tape.provenance.columns

    @property
    def backend(self) -> str:
        """ "llvm" or "numpy" """
        return self._kernel.backend

    @property
    def dtype(self) -> batch.DType:
        return self._kernel.dtype

    @property
    def address(self) -> int | None:
        """Where the machine code of `run` is (its C signature: `algebra.run.ir`); None without a compiler."""
        return self._kernel.address

    @property
    def address_of_one(self) -> int | None:
        """The same for `one`."""
        return self._kernel.address_of_one

    def kept(self, p: batch.Parameters = None) -> batch.Floats:
        """What depends on the parameters alone: the `k` that the machine code wants."""
        return self._prepared.for_parameters(p).copy()

    @property
    def source_ir(self) -> str:
        """The LLVM assembly it was made from; empty without a compiler."""
        return self._kernel.source_ir

    def __reduce__(self) -> tuple[object, ...]:
        return compile_tape, (self.tape, self.backend, str(self.dtype))

    def __repr__(self) -> str:
        inputs = [f"{port.name}({', '.join(map(str, port.shape))})" for port in self._variables]
        inputs += [f"p({len(self.parameters)})"] if self.parameters else []
        outputs = [f"{port.name}({', '.join(map(str, port.shape))})" for port in self.tape.outputs]
        return f"<{self.name}: {', '.join(inputs)} → {', '.join(outputs)}, {self.backend}>"


def with_thin_call(function: Compiled) -> Compiled:
    """The same object, its call replaced by a thin one where there is one.

    Python looks a call up in the class, so the object gets a class of its own, in which a built-in function, being no
    descriptor, stands as it is.
    """
    name = function.name if not hasattr(Compiled, function.name) else "__call__"  # the name it is unpickled by
    made = function.thin_call(function, name, Compiled.__doc__ or "")
    if made is not None:
        function.thin = made
        function.__class__ = type("Compiled", (Compiled,), {"__call__": made, name: made, "__module__": __name__})
    return function


def _same(a: batch.Floats, b: batch.Floats) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


class _Prepared(NamedTuple):
    """The off-line results of one set of parameters."""

    key: bytes
    kept: batch.Floats


class _Preparation:
    """Parameters → off-line results, the last set remembered (as one value, so that threads never see half of it)."""

    def __init__(self, tape: Tape, kernel: Kernel) -> None:
        self._function, self._kernel, self._dtype = tape.name, kernel, kernel.dtype
        port = parameters_of(tape)
        self.names = port.names if port else ()
        self._known = {*self.names, *(tape.provenance.parameters or ())}  # some may not matter here
        self._checks = tape.checks
        self._last: _Prepared | None = None

    def for_parameters(self, given: batch.Parameters) -> batch.Floats:
        # without parameters there is one set for ever: no bytes to compare
        if not self.names and given is None and self._last is not None:
            return self._last.kept
        values = self._vector(given)
        key = values.tobytes()
        last = self._last
        if last is None or last.key != key:
            self._check(values)
            last = self._last = _Prepared(key, self._kernel.prepare(values))
        return last.kept

    def _check(self, values: batch.Floats) -> None:
        """Raise `ConditionError` where the function does not hold."""
        number = self._kernel.broken_condition(values)
        if number:
            check, given = self._checks[number - 1], dict(zip(self.names, values.tolist()))
            found = ", ".join(f"{name} = {given[name]:g}" for name in check.names)
            claim = check.words.within(NEAR if self._dtype.itemsize == 8 else NEAR.single)
            raise ConditionError("{function}: holds only for {within}, found {found}", self._function, claim, found)

    def _vector(self, given: batch.Parameters) -> batch.Floats:
        values = self.table(given)
        if values.ndim != 1:
            self._refuse(values)
        return np.ascontiguousarray(values)

    def table(self, given: batch.Parameters) -> batch.Floats:
        """(…, n): parameters of one row, or of many."""
        if not self.names:
            if given is not None and (not isinstance(given, Sized) or len(given)):
                name = self._function
                raise InputError("{function}: p: the function has no parameters, found {given!r}", name, given)
            return np.empty(0, dtype=self._dtype)
        if given is None:
            count, names = len(self.names), ", ".join(self.names)
            raise InputError("{function}: p: {count} parameters need values: {names}", self._function, count, names)
        rows = self._in_order(given) if isinstance(given, Mapping) else given
        values = batch.floats_from_value(self._function, "p", rows, self._dtype)
        if values.shape[-1:] != (len(self.names),):
            self._refuse(values)
        return values

    def checked_blocks(self, blocks: batch.Floats) -> batch.Floats:
        """The same blocks, (blocks, n, lanes), if every row keeps the conditions; else `ConditionError`, as for one."""
        if self._checks:
            # lanes past the end repeat a row, and rows often agree: each is checked once
            for row in np.unique(np.moveaxis(blocks, -1, 1).reshape(-1, len(self.names)), axis=0):
                self._check(row)
        return blocks

    def _refuse(self, values: batch.Floats) -> NoReturn:
        raise InputError(
            "{function}: p: expected {count} values ({names}), found shape {shape}",
            self._function, len(self.names), ", ".join(self.names), values.shape,
        )  # fmt: skip

    def _in_order(self, given: Mapping[str, ArrayLike]) -> Any:
        for name in given:
            if name not in self._known:
                raise UnknownNameError(Message("parameter of {function}", self._function), str(name), self.names)
        missing = [name for name in self.names if name not in given]
        if missing:
            raise InputError("{function}: p: no value for {missing}", self._function, ", ".join(missing))
        values = [given[name] for name in self.names]
        if any(np.ndim(x) for x in values):  # of many rows
            return np.stack(np.broadcast_arrays(*values), axis=-1)
        return values
