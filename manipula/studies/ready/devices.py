"""Rollouts of a study on the device that it names: the processor, or a GPU of whoever computes.

A GPU fuses multiplications and additions where the processor does not, so its results may differ in their last digits.
The device is therefore part of what a study is: all of it runs on one kind, and a folder goes on with that kind alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from manipula.errors import InputError, UnknownNameError
from manipula.studies.work.blocks import WrongWorker

DEVICES = ("cpu", "cuda")


def refuse_device(device: Any) -> str:
    if device not in DEVICES:
        raise UnknownNameError("device", str(device), DEVICES)
    return str(device)


def on_device(device: str, run: Callable[..., Any], *given: Any, **options: Any) -> Any:
    """The run there. Who has no such device can compute no case of the study, so it ends and none of them fails."""
    if device == "cpu":
        return run(*given, **options)
    try:
        return run(*given, device=device, **options)
    except InputError as error:
        raise WrongWorker(f"{error}; device='cpu' runs on processors") from error


def here(values: Any) -> Any:
    """In this process's memory."""
    return values.get() if hasattr(values, "get") else np.asarray(values)


def in_pairs(values: Any) -> Any:
    """(rows, steps, …) → (rows, …), summed along the steps in pairs, and pairs of those: an order, and so rounding,
    that depends neither on the device nor on how many rows there are."""
    while (steps := values.shape[1]) > 1:
        whole = values[:, : steps - steps % 2]
        left = values[:, steps - steps % 2 :]
        values = whole[:, ::2] + whole[:, 1::2]
        if left.shape[1]:
            values[:, -1:] += left
    return values[:, 0]
