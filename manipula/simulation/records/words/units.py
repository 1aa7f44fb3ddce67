"""Units of recordings: what people call them, and how many SI units one is."""

from __future__ import annotations

import re
from math import pi
from typing import NamedTuple

from manipula.errors import InputError

TIME = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0}
ANGLE = {"rad": 1.0, "mrad": 1e-3, "deg": pi / 180, "rev": 2 * pi}
LENGTH = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6}
POUND, GRAVITY, FOOT, INCH = 0.45359237, 9.80665, 0.3048, 0.0254  # kg, m/s², m, m: exact by definition
TORQUE = {
    "nm": 1.0, "mnm": 1e-3, "knm": 1e3, "ncm": 1e-2, "nmm": 1e-3, "kgfm": GRAVITY, "kgfcm": GRAVITY / 100,
    "kgcm": GRAVITY / 100, "lbfft": POUND * GRAVITY * FOOT, "ftlbf": POUND * GRAVITY * FOOT,
    "lbft": POUND * GRAVITY * FOOT, "ftlb": POUND * GRAVITY * FOOT, "lbfin": POUND * GRAVITY * INCH,
    "inlbf": POUND * GRAVITY * INCH, "lbin": POUND * GRAVITY * INCH, "inlb": POUND * GRAVITY * INCH,
    "ozin": POUND / 16 * GRAVITY * INCH, "inoz": POUND / 16 * GRAVITY * INCH,
}  # fmt: skip
FORCE = {"n": 1.0, "kn": 1e3, "mn": 1e-3, "lbf": POUND * GRAVITY, "kgf": GRAVITY}
# what a torque may be recorded as: how many of what a factor must be said for
ELECTRIC = {"A": (1.0, "ampere"), "mA": (1e-3, "ampere"), "V": (1.0, "volt"), "mV": (1e-3, "volt"), "%": (1.0, "%")}
COUNTED = ("counts", "count", "ticks", "tick", "increments", "increment", "incs", "inc", "pulses", "pulse", "cts")
OTHER_WORDS = {
    "sec": "s", "secs": "s", "second": "s", "seconds": "s", "msec": "ms", "msecs": "ms", "millisecond": "ms",
    "milliseconds": "ms", "usec": "us", "microsecond": "us", "microseconds": "us", "nsec": "ns", "nsecs": "ns",
    "nanosec": "ns", "nanosecond": "ns", "nanoseconds": "ns", "minutes": "min", "radian": "rad", "radians": "rad",
    "degree": "deg", "degrees": "deg", "degs": "deg", "°": "deg", "rads": "rad", "turn": "rev", "turns": "rev",
    "meter": "m", "meters": "m", "metre": "m", "metres": "m", "newton": "n",
}  # fmt: skip
SIGNS = str.maketrans({"µ": "u", "μ": "u", "²": "2", "·": "", "⋅": "", "*": "", "^": "", " ": "", "-": "", ".": ""})
EXAMPLES = {"t": "s, ms", "q": "rad, deg, m, mm", "qd": "rad/s, deg/s", "qdd": "rad/s², deg/s²", "tau": "N·m, N"}


class Unit(NamedTuple):
    """`factor` makes it SI, or `asked`: what only the person knows the SI units of (an ampere, a count of an encoder).
    `turns`: of angles, of lengths, of both."""

    factor: float
    turns: bool | None = None
    asked: str = ""


def unit_of(quantity: str, word: str) -> Unit | None:
    """The unit of this name for the quantity (`t q qd qdd tau`), or None."""
    name = _plain(word)
    if quantity == "t":
        return Unit(TIME[name]) if name in TIME else None
    if quantity == "tau":
        electric = ELECTRIC.get(word.strip())
        return Unit(electric[0], None, electric[1]) if electric else _effort(name)
    order = {"q": 0, "qd": 1, "qdd": 2}[quantity]
    if order == 1 and name == "rpm":
        return Unit(2 * pi / 60, True)
    length, per, time = name.partition("/")
    if not order:
        return None if per else _way(length, 1.0)
    squared = order == 2
    found = {"s2" if squared else "s": 1.0, "ms2" if squared else "ms": 1e-3**order}
    if squared:
        found["s/s"] = 1.0
    return _way(length, 1 / found[time]) if time in found else None


def _way(name: str, factor: float) -> Unit | None:
    if name in COUNTED:
        return Unit(factor, None, "count")
    if name in ANGLE:
        return Unit(ANGLE[name] * factor, True)
    return Unit(LENGTH[name] * factor, False) if name in LENGTH else None


def _effort(name: str) -> Unit | None:
    if name in TORQUE:
        return Unit(TORQUE[name], True)
    return Unit(FORCE[name], False) if name in FORCE else None


def _plain(word: str) -> str:
    """`Deg_per_Sec` → `deg/s`, `rad·s^-2` → `rad/s2`, `N·m` → `nm`."""
    text = word.strip().lower()
    text = re.sub(r"[ ·⋅*._]*(?:s|sec)\s*\^?[-−⁻](1|2|¹|²)$", lambda m: "/s" + ("2" if m[1] in "2²" else ""), text)
    text = re.sub(r"(?:^|[ _])per(?=[ _]|$)", "/", text).replace("_", "").translate(SIGNS)
    whole, slash, below = text.partition("/")
    below = re.sub(r"^(sec|second)(?=2|/|$)", "s", below)
    return OTHER_WORDS.get(whole, whole) + slash + below


def known_unit(word: str) -> bool:
    """Is it the unit of anything recorded?"""
    return any(unit_of(quantity, word) is not None for quantity in EXAMPLES)


def said_unit(quantity: str, word: object, place: str) -> Unit:
    """A unit that somebody wrote: what is no unit of the quantity is refused."""
    found = unit_of(quantity.removesuffix("_ref"), word) if isinstance(word, str) else None
    if found is None:
        raise InputError(
            "{place}: {word!r} is no unit of {quantity}; such are {examples}",
            place,
            word,
            quantity,
            EXAMPLES[quantity.removesuffix("_ref")],
        )
    return found
