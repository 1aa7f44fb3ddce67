"""Frameworks that may be installed, and what their arrays must be to be read by machine code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from itertools import count
from types import FunctionType, ModuleType
from typing import Any

from manipula.errors import InputError

DTYPES = ("float64", "float32")
_number = count()


def import_framework(module: str, title: str, pip: str) -> ModuleType:
    """A framework that is installed; else a sentence with the line that installs it."""
    try:
        return import_module(module)
    except ImportError as problem:
        raise InputError("{title} is not installed here: pip install {pip}", title, pip) from problem


def check_types(torch: Any, function: str, tensors: Iterable[tuple[str, Any]]) -> None:
    """Are all of them PyTorch's?"""
    for name, x in tensors:
        if not isinstance(x, torch.Tensor):
            kind = type(x).__name__
            raise InputError("{function}: {name}: expected a torch tensor, found {kind}", function, name, kind)


def check_kinds(torch: Any, function: str, tensors: Iterable[tuple[str, Any]]) -> None:
    """One device and one of two number types: each wrong one is named."""
    head, first = "", None
    for name, x in tensors:
        head, first = (name, x) if first is None else (head, first)
        if word_of(x.dtype) not in DTYPES or x.dtype != first.dtype:
            wanted = word_of(first.dtype) if word_of(first.dtype) in DTYPES else " or ".join(DTYPES)
            raise InputError(
                "{function}: {name}: expected dtype {wanted}, found {found}", function, name, wanted, word_of(x.dtype)
            )
        if x.layout is not torch.strided:
            raise InputError("{function}: {name}: expected a dense tensor, found {found}", function, name, x.layout)
        if x.device != first.device:
            raise InputError(
                "{function}: {name}: expected a tensor on {device}, where {head} is, found one on {found}",
                function, name, first.device, head, x.device,
            )  # fmt: skip
        if x.device.type not in ("cpu", "cuda", "meta"):
            raise InputError(
                "{function}: {name}: expected a tensor on cpu or cuda, found one on {found}", function, name, x.device
            )


def compile_alone(caller: Any) -> None:
    """`torch.compile` of a callable object compiles a function with code of its own.

    PyTorch keeps what it compiled with the code, eight times at most, and calls all objects by one code: the ninth
    object of a process would find no place. It takes what these two attributes name in the place of the object.
    """

    def call(*tensors: Any, **named: Any) -> Any:
        return caller(*tensors, **named)

    code = call.__code__.replace(co_name=f"{caller.name}_{next(_number)}")
    caller._torchdynamo_orig_callable = FunctionType(code, globals(), code.co_name, None, call.__closure__)
    caller._torchdynamo_wrapper_id = id(caller)


def word_of(dtype: Any) -> str:
    """float64 of torch.float64"""
    return str(dtype).removeprefix("torch.")


def mapped_first(in_dims: Sequence[Any], tensors: Sequence[Any], ranks: Sequence[int]) -> list[Any]:
    """The mapped axis becomes the first of the leading axes; `ranks` counts the axes behind those."""
    most = max(x.ndim - (axis is not None) - own for x, axis, own in zip(tensors, in_dims, ranks, strict=True))
    moved = []
    for x, axis, own in zip(tensors, in_dims, ranks, strict=True):
        if axis is not None:
            x = x.movedim(axis, 0)
            x = x.reshape((x.shape[0], *(1,) * (most + 1 + own - x.ndim), *x.shape[1:]))
        moved.append(x)
    return moved
