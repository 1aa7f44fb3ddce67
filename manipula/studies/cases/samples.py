"""Cases drawn from ranges: Latin hypercubes and Sobol's sequence, by scipy.

Sobol's points come in their order, some at a time; a Latin hypercube is a permutation for every name and must be held
as a whole.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.studies.cases.cases import Cases, Columns, digest_of, refuse_many
from manipula.studies.cases.values import ends_from, is_whole, refuse_names

HELD = 10**7  # of a Latin hypercube


class Sample(Cases):
    """`count` points of the unit cube, stretched to the ranges."""

    kind = ""

    def __init__(self, count: int, ranges: Mapping[str, Any], seed: int = 0) -> None:
        refuse_names(ranges)
        if not is_whole(count) or count < 1:
            raise InputError(
                "cases: {kind}: expected how many, a whole number above zero, found {count!r:.40}", self.kind, count
            )
        if not is_whole(seed) or seed < 0:
            raise InputError("cases: {kind}: expected a seed of zero or more, found {seed!r:.40}", self.kind, seed)
        if not ranges:
            raise InputError("cases: {kind}: expected ranges by name, such as mass=(0, 5)", self.kind)
        refuse_many(count)
        self.names, self.count, self.seed = tuple(ranges), int(count), int(seed)
        ends = [_ends(name, values) for name, values in ranges.items()]
        self._low, self._high = np.array(ends).T
        self._log = np.array([_is_log(name, values, ends[k][0]) for k, (name, values) in enumerate(ranges.items())])

    def points(self, start: int, stop: int) -> NDArray[np.float64]:
        raise NotImplementedError

    def columns(self, start: int, stop: int) -> Columns:
        unit = self.points(start, stop)
        points = self._low + (self._high - self._low) * unit
        k = self._log
        points[:, k] = self._low[k] * (self._high[k] / self._low[k]) ** unit[:, k]
        return {name: points[:, k] for k, name in enumerate(self.names)}

    def ends(self, name: str) -> tuple[float, float]:
        """Of a name's range."""
        k = self.names.index(name)
        return float(self._low[k]), float(self._high[k])

    @property
    def digest(self) -> str:
        ends = [self._low.tolist(), self._high.tolist(), self._log.tolist()]
        return digest_of([self.kind, self.count, self.seed, self.names, ends])


def _ends(name: str, values: Any) -> tuple[float, float]:
    if isinstance(values, Mapping):
        return ends_from(name, values, ("scale",))
    if not isinstance(values, list | tuple) or len(values) != 2:
        raise InputError("cases: {name}: expected the two ends of a range, found {values!r:.60}", name, values)
    return ends_from(name, {"from": values[0], "to": values[1]})


def _is_log(name: str, values: Any, low: float) -> bool:
    """{from, to, scale = "log"}: even in the logarithm."""
    scale = values.get("scale", "linear") if isinstance(values, Mapping) else "linear"
    if scale not in ("linear", "log"):
        raise InputError("cases: {name}: scale: expected linear or log, found {scale!r:.40}", name, scale)
    if scale == "log" and low <= 0:
        raise InputError("cases: {name}: a logarithmic range is above zero, found from {low:g}", name, low)
    return bool(scale == "log")


class LatinHypercube(Sample):
    """Every name's range in as many slices as there are cases, each slice met once."""

    kind = "latin"

    def __init__(self, count: int, ranges: Mapping[str, Any], seed: int = 0) -> None:
        super().__init__(count, ranges, seed)
        if count > HELD:
            raise InputError(
                "cases: latin: {count} are more than are held at once ({held:.0e}); take mp.studies.sobol", count, HELD
            )
        self._points: NDArray[np.float64] | None = None

    def points(self, start: int, stop: int) -> NDArray[np.float64]:
        if self._points is None:
            from scipy.stats.qmc import LatinHypercube as Engine

            self._points = np.asarray(Engine(len(self.names), **_seeded(Engine, self.seed)).random(self.count))
        return self._points[start:stop]


class Sobol(Sample):
    """Owen's scrambling of Sobol's sequence: a power of two of them covers the ranges most evenly."""

    kind = "sobol"

    def __init__(self, count: int, ranges: Mapping[str, Any], seed: int = 0) -> None:
        super().__init__(count, ranges, seed)
        self._engine: Any = None

    def points(self, start: int, stop: int) -> NDArray[np.float64]:
        if self._engine is None or self._engine.num_generated > start:
            from scipy.stats.qmc import Sobol as Engine

            bits = 30 if self.count <= 2**30 else 62
            self._engine = Engine(len(self.names), bits=bits, **_seeded(Engine, self.seed))
        if self._engine.num_generated < start:
            self._engine.fast_forward(start - self._engine.num_generated)
        with warnings.catch_warnings():  # that the count is no power of two is the caller's choice
            warnings.simplefilter("ignore", UserWarning)
            return np.asarray(self._engine.random(stop - start))


def _seeded(engine: Any, seed: int) -> dict[str, Any]:
    """scipy has called it `rng` since 1.15."""
    word = "rng" if "rng" in signature(engine.__init__).parameters else "seed"
    return {word: np.random.default_rng(seed)}


def latin(count: int, seed: int = 0, **ranges: Any) -> LatinHypercube:
    """A Latin hypercube of so many cases: `latin(200, mass=(0, 5), kp=(100, 900))`."""
    return LatinHypercube(count, ranges, seed)


def sobol(count: int, seed: int = 0, **ranges: Any) -> Sobol:
    """So many points of Sobol's sequence, scrambled: `sobol(1024, mass=(0, 5), kp=(100, 900))`."""
    return Sobol(count, ranges, seed)
