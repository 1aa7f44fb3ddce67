"""Gains that cannot hold an arm: sampled and late, a law that is stable in continuous time may throw it about.

A law that makes the error of each joint linear leaves a double integrator, whose acceleration is held over the sample:

    e⁺ = e + h ė + h²/2 a,    ė⁺ = ė + h a,    I⁺ = I + h ki e,    a_k = −(kp e + kd ė + I)_{k−d}

Its largest eigenvalue says whether errors die out. Source: Åström, Wittenmark, "Computer-Controlled Systems", 3rd ed.
(1997), chapter 2 (sampling a system with a delay; the double integrator).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import floor, log10
from typing import Any

import numpy as np

from manipula.errors import InputError
from manipula.generation.settings import Settings
from manipula.mechanics.models.control.laws import law_named
from manipula.messages import Message

BISECTIONS = 60
SHORTEST = 1e-6  # of the sample asked for: what is not stable then is not for want of samples


def refuse_unstable(
    name: str, law: str, joints: Sequence[str], settings: Settings, sample: float | None, options: Mapping[str, Any]
) -> None:
    """Raises where the errors of a joint would grow from step to step; of laws alone whose errors are linear."""
    gains, delay = law_named(law).error, int(options.get("delay", 0))
    if gains is None or sample is None:
        return
    for i, joint in enumerate(joints):
        own = {port: values[i] for port, values in settings.items() if len(values) == len(joints)}
        found = gains(own)
        if spectral_radius(*found, sample, delay) >= 1:
            told = ", ".join(f"{port} = {own[port]:g}" for port in ("kp", "ki", "kd", "lam", "gain") if port in own)
            late = Message(" and a delay of {delay}", delay) if delay else ""
            raise InputError(
                "{name}: joint {joint!r}: {told} is unstable at a sample of {sample:g} s{late}; {remedy}",
                name,
                joint,
                told,
                sample,
                late,
                _remedy(found, sample, delay),
            )


def spectral_radius(ki: float, kp: float, kd: float, sample: float, delay: int = 0) -> float:
    """The factor by which the error of a joint grows in a step, in the long run; 0 where nothing is fed back.

    What no gain looks at is no state: a law without kp may leave the position where it is.
    """
    if not any((ki, kp, kd)):
        return 0.0
    h, weights = sample, {"v": kd, **({"e": kp} if kp or ki else {}), **({"i": 1.0} if ki else {})}
    row = {name: k for k, name in enumerate([*weights, *range(delay)])}
    unit = np.eye(len(row))
    A = np.diag([float(name in weights) for name in row])
    # a = −(kp e + kd ė + I), or the one that has waited longest
    asked = -sum(weight * unit[row[name]] for name, weight in weights.items())
    line = [unit[row[k]] for k in range(delay)] + [asked]
    for k in range(delay):
        A[row[k]] = line[k + 1]
    # e⁺ = e + h ė + h²/2 a,  ė⁺ = ė + h a,  I⁺ = I + h ki e
    A[row["v"]] += h * line[0]
    if "e" in row:
        A[row["e"]] += h * unit[row["v"]] + h * h / 2 * line[0]
    if "i" in row:
        A[row["i"]] += h * ki * unit[row["e"]]
    return float(np.abs(np.linalg.eigvals(A)).max())


def _remedy(gains: tuple[float, float, float], sample: float, delay: int) -> str:
    short, long = sample * SHORTEST, sample
    if spectral_radius(*gains, short, delay) >= 1:
        return Message("no sample is short enough for these gains: more kd is needed")
    for _ in range(BISECTIONS):
        middle = (short * long) ** 0.5
        short, long = (middle, long) if spectral_radius(*gains, middle, delay) < 1 else (short, middle)
    digit = 10 ** (floor(log10(short)) - 1)
    return Message("samples of at most {floor:.2g} s hold it, or smaller gains", floor(short / digit) * digit)
