"""What PyTorch and JAX share: a model, its gradient as one more function, and both compiled for a number type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from manipula.algebra.expr.function import Function, moved_to
from manipula.algebra.expr.node import Graph
from manipula.algebra.run.batch import join_named
from manipula.algebra.run.compiled_function import Compiled, compile_tape
from manipula.algebra.tape import Tape, tape_from_function
from manipula.errors import InputError
from manipula.generation.results.model import Model
from manipula.generation.reverse_product import (
    jacobian_vector_product,
    vector_jacobian_product,
    with_row_parameters,
)

POSE = 16  # entries of a pose
ORDERS = 2  # derivatives: of the model, and of its gradient


class Differentiable:
    """A function of variables alone, its compiled forms, and its two derivatives, each made on first use."""

    def __init__(self, function: Function, orders: int = ORDERS, most: int | None = None) -> None:
        """`orders`: of derivatives that are left; `most`: of those there were at first."""
        self.function, self.orders, self._most = function, orders, orders if most is None else most
        self.name = function.name
        self._compiled: dict[str, Compiled] = {}

    @cached_property
    def tape(self) -> Tape:
        return tape_from_function(self.function)

    @cached_property
    def product(self) -> Differentiable:
        """The gradient: inputs and weights of the outputs → one vector an input."""
        return self._derived(vector_jacobian_product)

    @cached_property
    def tangent(self) -> Differentiable:
        """The derivative carried forward: inputs and their rates → one vector an output."""
        return self._derived(jacobian_vector_product)

    def _derived(self, derive: Callable[[Function], Function]) -> Differentiable:
        self.check_order()
        return Differentiable(derive(self.function), self.orders - 1, self._most)

    def check_order(self) -> None:
        if not self.orders:
            raise InputError("{name}: derivatives of higher order than {orders} are not offered", self.name, self._most)

    def __repr__(self) -> str:
        return self.name

    def compile_for(self, dtype: str) -> Compiled:
        if dtype not in self._compiled:
            self._compiled[dtype] = compile_tape(self.tape, "auto", dtype)
        return self._compiled[dtype]

    @property
    def sizes(self) -> dict[str, int]:
        """Input → its number of entries, in the order of the call."""
        return {port.name: len(port.symbols) for port in self.function.inputs}

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        return {port.name: port.shape for port in self.function.outputs}


def differentiable(models: Sequence[Model], parameters: Sequence[str] = ()) -> Differentiable:
    """The models as one function of variables; the parameters named are the last of them."""
    for model in models:
        missing = [name for name in model.inputs.get("p", ()) if name not in parameters]
        if missing:
            raise InputError(
                "{name}: {missing} have no value: give them to robot.with_parameters(…), or name them in parameters=",
                model.name, ", ".join(missing),
            )  # fmt: skip
    return Differentiable(with_row_parameters(join_functions([model.function for model in models]), parameters))


def join_functions(functions: Sequence[Function]) -> Function:
    """Several functions as one: inputs of one name are one, outputs of one name get that of their model before it."""
    if len(functions) == 1:
        return functions[0]
    graph = Graph()  # equal expressions are one node of it
    moved = [moved_to(function, graph) for function in functions]
    inputs = {port.name: port for function in moved for port in function.inputs}
    counts = Counter(port.name for function in moved for port in function.outputs)
    outputs = tuple(
        replace(port, name=f"{function.provenance.model}_{port.name}" if counts[port.name] > 1 else port.name)
        for function in moved
        for port in function.outputs
    )
    name = "_and_".join([moved[0].name, *(function.provenance.model for function in moved[1:])])
    origin = replace(moved[0].provenance, model=name, columns=(), proof="")
    return Function(name, graph, tuple(inputs.values()), outputs, provenance=origin)


def as_row(x: Any) -> Any:
    """A pose may be given as the matrix it is, (…, 4, 4)."""
    is_matrix = tuple(getattr(x, "shape", ())[-2:]) == (4, 4)
    return x.reshape((*x.shape[:-2], POSE)) if is_matrix else x


class Ports(Protocol):
    """What inputs are called, and their numbers of entries."""

    @property
    def name(self) -> str: ...
    @property
    def sizes(self) -> dict[str, int]: ...


class Inputs(NamedTuple):
    """The inputs of a function that is no single kernel."""

    name: str
    sizes: dict[str, int]


def inputs_in_order(own: Ports, given: Sequence[Any], named: Mapping[str, Any]) -> tuple[Any, ...]:
    """Those given by name behind the others: f(q, qdd=…, qd=…)."""
    return join_named(own.name, list(own.sizes), given, named)


def check_shapes(own: Ports, given: Sequence[Any]) -> tuple[int, ...]:
    """The common leading axes of arrays or tensors; one sentence where shapes do not fit."""
    if len(given) != len(own.sizes):
        raise InputError(
            "{function}: expected {count} inputs ({names}), found {count2}",
            own.name, len(own.sizes), ", ".join(own.sizes), len(given),
        )  # fmt: skip
    lead: tuple[int, ...] = ()
    for (name, size), x in zip(own.sizes.items(), given, strict=True):
        shape = tuple(x.shape)
        if shape[-1:] != (size,):
            raise InputError(
                "{function}: {name}: expected shape {pattern}, found {found}", own.name, name, f"(…, {size})", shape
            )
        joined = _broadcast(lead, shape[:-1])
        if joined is None:
            raise InputError(
                "{function}: {name}: leading axes {axes} do not broadcast with {lead} of the inputs before",
                own.name, name, shape[:-1], lead,
            )  # fmt: skip
        lead = joined
    return lead


def _broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | None:
    rank = max(len(a), len(b))
    pairs = list(zip((1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b))
    # sizes stay as they are, not made ints: a tracer's sizes may be symbols
    if any(x not in (y, 1) and y != 1 for x, y in pairs):
        return None
    return tuple(y if x == 1 else x for x, y in pairs)
