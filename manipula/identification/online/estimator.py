"""`OnlineEstimator`: recursive least squares or the gradient around a robot's regressor, sample by sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from manipula.algebra.emit import backend
from manipula.algebra.expr.function import Function
from manipula.algebra.run.compiled_function import compile_tape
from manipula.algebra.tape import tape_from_function
from manipula.errors import InputError, UnknownNameError, UnsetError, some_of
from manipula.generation.compose import generate_block
from manipula.generation.prepare import Request, prepare
from manipula.generation.settings import defaults, refuse_impossible, settings_from
from manipula.mechanics.models.entry import Block
from manipula.mechanics.models.estimation.least_squares import gradient, least_squares
from manipula.mechanics.models.estimation.spread import BLOCKS, FEW, SHARPER
from manipula.mechanics.models.estimation.unknowns import Unknowns, base_unknowns
from manipula.mechanics.robot.description import RobotDescription
from manipula.messages import Message
from manipula.robot import RobotLike, as_robot
from manipula.simulation.loop import first_states
from manipula.support.files import write_files
from manipula.support.text import plain
from manipula.version import __version__

# What a covariance says: the matrix of its factors, and the combinations that a motion has shown.

Array = NDArray[np.float64]
NOTHING = 0.02  # of a combination, in units of the first sigmas: left out when it is printed


def covariance(factors: object, sigma: Sequence[float]) -> Array:
    """P = U diag(sigma²/(1 + known)) Uᵀ, the factors column by column."""
    count = len(sigma)
    U, known, entries = np.eye(count), np.zeros(count), iter(np.asarray(factors, dtype=float))
    for k in range(count):
        U[:k, k] = [next(entries) for _ in range(k)]
        known[k] = next(entries)
    found: Array = (U * (np.square(sigma) / (1 + known))) @ U.T
    return found


def format_combinations(P: Array, sigma: Sequence[float], names: Sequence[str]) -> tuple[str, ...]:
    """Combinations of the unknowns, each as short as elimination makes it; the last unknowns come first."""
    scale = np.asarray(sigma, dtype=float)
    values, vectors = np.linalg.eigh(P / np.outer(scale, scale))
    rows = vectors[:, values < SHARPER**-2].T
    reduced = _row_echelon(rows[:, ::-1])[:, ::-1]
    return tuple(_combination_text(row, scale, names) for row in reduced)


def _row_echelon(rows: Array) -> Array:
    """Gauss and Jordan, largest pivots of every column."""
    A, at = rows.copy(), 0
    for column in range(A.shape[1]):
        if at == len(A):
            break
        # the largest pivot: entries are rounded, and a small one would make that large
        best = at + int(np.argmax(np.abs(A[at:, column])))
        # rounding in place of a zero: the column depends on those before
        if abs(A[best, column]) < NOTHING:
            continue
        A[[at, best]] = A[[best, at]]
        A[at] /= A[at, column]
        for other in range(len(A)):
            if other != at:
                A[other] -= A[other, column] * A[at]
        at += 1
    return A


def _combination_text(row: Array, scale: Array, names: Sequence[str]) -> str:
    """w₁ θ₁ + w₂ θ₂ …, the leading unknown (the last) with weight 1."""
    weights = np.where(np.abs(row) < NOTHING * np.abs(row).max(), 0.0, row) / scale
    lead = max(k for k in range(len(row)) if weights[k])
    text = names[lead]
    for k in reversed(range(lead)):
        if weights[k]:
            share = weights[k] / weights[lead]
            text += f" {'−' if share < 0 else '+'} {abs(share):.3g}·{names[k]}"
    return text


# How long residuals remember: sums over blocks of 1, 2, 4 … samples. Of white noise the squares of the sums grow as
# the blocks do; what they grow by beyond that is τ_int, the method of batch means.


class BatchMeans:
    """Residuals in units of what was expected, (samples, n) at a time; memory grows as the logarithm of their count."""

    def __init__(self) -> None:
        self._pending: list[Array] = []  # of every length the sum that waits for its neighbour
        self._squares: list[float] = []
        self._blocks: list[int] = []

    def add(self, rows: Array) -> None:
        level = 0
        while len(rows):
            if level == len(self._pending):
                self._pending.append(rows[:0])
                self._squares.append(0.0)
                self._blocks.append(0)
            self._squares[level] += float((rows**2).sum())
            self._blocks[level] += len(rows)
            # a block that waits for its neighbour is carried into the next call: any split gives the same sums
            waiting = np.concatenate([self._pending[level], rows])
            pairs = len(waiting) // 2
            self._pending[level] = waiting[2 * pairs :]
            rows = waiting[: 2 * pairs : 2] + waiting[1 : 2 * pairs : 2]
            level += 1

    @property
    def correlation(self) -> float:
        """τ_int in samples, at least 1."""
        whole = self._squares[0] / max(self._blocks[0], 1) if self._blocks else 0.0
        # no residual yet, or torques that fit exactly: nothing to be remembered
        if not whole > 0:
            return 1.0
        # few blocks make a ratio of chance: levels with less than BLOCKS are not asked
        usable = zip(range(len(self._blocks)), self._squares, self._blocks)
        return float(max([1.0, *(s / b / (2**k * whole) for k, s, b in usable if b >= BLOCKS)]))


METHODS: dict[str, Callable[[Unknowns], Block]] = {"least_squares": least_squares, "gradient": gradient}
SIGMA = 10.0  # SI: first estimates that say next to nothing


class Seen(NamedTuple):
    """How many equations were learnt from, and the sum of the squares of their residuals over those expected."""

    rows: int = 0
    squares: float = 0.0


class OnlineEstimator:
    """Base parameters of a robot, learnt sample by sample: `update(q, qd, qdd, tau)`.

    `method` is "least_squares", whose `forgetting` λ is the weight that a sample keeps of those before it, or
    "gradient", whose `gain` lies between 0 and 2. First estimates are the robot's own parameters, where it has them,
    and `sigma` how far off they may be; `noise` is the standard deviation of a joint's torque. Of both one number, or
    one for each. Nothing is forgotten while the covariance is `guard` times what it began with. `emit` writes the step.

    >>> import manipula as mp
    >>> arm = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    >>> estimator = mp.OnlineEstimator(arm)
    >>> estimator.update([0.1, 0.2], [1, 2], [0, 3], [30.0, 12.0])
    >>> len(estimator.theta), estimator.samples
    (6, 1)
    """

    def __init__(
        self,
        robot: RobotLike,
        *,
        method: str = "least_squares",
        sigma: float | Sequence[float] = SIGMA,
        noise: float | Sequence[float] = 1.0,
        forgetting: float = 1.0,
        guard: float = 1.0,
        gain: float = 0.5,
    ) -> None:
        own = {"forgetting": forgetting, "guard": guard} if method == "least_squares" else {"gain": gain}
        self._make(as_robot(robot), base_unknowns(), method, {"sigma": sigma, "noise": noise, **own})

    def _make(
        self,
        robot: RobotDescription,
        unknowns: Unknowns,
        method: str,
        given: Mapping[str, object],
        links: RobotDescription | None = None,
    ) -> None:
        """`links` is the robot without motors and friction, where the equations ask for it."""
        if not isinstance(method, str) or method not in METHODS:
            raise UnknownNameError("on-line estimator", str(method), METHODS)
        block = METHODS[method](unknowns)
        self.robot, self.method = robot, method
        _refuse_settings(given)
        self._unknowns, self._links = unknowns, links
        self.function: Function = self._generate(block)
        _refuse_symbols(self.function, robot)
        self._memory = unknowns.estimates.name
        self.settings = settings_from(self.function, defaults(block.inputs) | dict(given))
        refuse_impossible(self.function.name, block.inputs, self.settings)
        self._code = compile_tape(tape_from_function(self.function))
        ports = {x.name: x for x in self.function.inputs}
        self._variables = [x.name for x in self.function.inputs if x.role == "variable"]
        self._set = {
            name: x for port, row in self.settings.items() for name, x in zip(ports[port].names, row, strict=True)
        }
        self.names = _names(self.function, self._memory)
        self._first = dict(first_states(block.inputs, robot))
        self.reset()

    def _generate(self, block: Block) -> Function:
        others = {} if self._links is None else {"links": prepare(Request(self._links, "inverse_dynamics"))}
        return generate_block(block, prepare(Request(self.robot, "inverse_dynamics")), others=others)

    def reset(self) -> None:
        """Forget everything that was learnt."""
        self._state = self._code.start(**self._first)
        self._variance: Array = np.square(self.settings["sigma"])
        self._seen, self.samples, self._means = Seen(), 0, BatchMeans()

    def update(self, q: object, qd: object, qdd: object, tau: object) -> None:
        """Learn from one sample."""
        self._learn({"q": q, "qd": qd, "qdd": qdd, "tau": tau})

    def _learn(self, given: Mapping[str, object]) -> None:
        values = [self._row(name, given[name]) for name in self._variables]
        stepped = self._code.step(self._state, *values, p=self._set)
        self._take(stepped.state, stepped.outputs, 1)

    def _take(self, state: object, outputs: Any, samples: int) -> None:
        """Go on from what a step or many of them gave."""
        self._state, self.samples = state, self.samples + samples
        if self.method != "least_squares":
            return
        self._variance = np.array(np.atleast_2d(outputs.variance)[-1])
        residual, expected = np.atleast_2d(outputs.residual), np.atleast_2d(outputs.expected)
        # in units of what was expected: joints of any size then have one correlation
        self._means.add(residual / np.sqrt(expected))
        felt = float(np.sum(residual**2 / expected))
        self._seen = Seen(self._seen.rows + residual.size, self._seen.squares + felt)

    def _row(self, name: str, value: object) -> Array:
        try:
            found = np.asarray(value, dtype=float)
        except (TypeError, ValueError):
            found = np.empty(0)
        dof = self.robot.dof
        if found.shape != (dof,) or not np.isfinite(found).all():
            told = " ".join(repr(value).split())
            raise InputError(
                "{name}: {name2}: expected {dof} finite numbers, one a joint, found {told:.60}",
                self.robot.name,
                name,
                dof,
                told,
            )
        return found

    @property
    def theta(self) -> dict[str, float]:
        """The estimates by name."""
        return dict(zip(self.names, map(float, getattr(self._state, self._memory)), strict=True))

    @property
    def sigma(self) -> dict[str, float]:
        """Their standard deviations; torques are as noisy as the residuals say, and these remember each other as long
        as they show, once there are some."""
        return dict(zip(self.names, map(float, np.sqrt(self._variance) * self._scale), strict=True))

    @property
    def _scale(self) -> float:
        if self.method != "least_squares":
            raise InputError("gradient: keeps no covariance, so it has no sigma; method='least_squares' has")
        rows, squares = self._seen
        return float(np.sqrt(squares / rows * self._means.correlation)) if rows > FEW * len(self.names) else 1.0

    @property
    def covariance(self) -> Array:
        """Of the estimates, as `sigma` is."""
        return covariance(self._state.factors, self.settings["sigma"]) * self._scale**2

    @property
    def identifiable(self) -> tuple[str, ...]:
        """The combinations of unknowns that the motion so far has shown: known ten times as well as at the start."""
        self._scale  # noqa: B018  (the gradient has no covariance)
        return format_combinations(
            covariance(self._state.factors, self.settings["sigma"]), self.settings["sigma"], self.names
        )

    def as_dict(self) -> dict[str, object]:
        """What is known by now: plain data."""
        sure = {"sigma": self.sigma, "identifiable": self.identifiable} if self.method == "least_squares" else {}
        told = {"robot": self.robot.name, "method": self.method, "samples": self.samples, "theta": self.theta, **sure}
        found: dict[str, object] = plain(told)
        return found

    def emit(self, language: str = "c", folder: str | Path = ".") -> list[Path]:
        """Write the step as source code, with `NAME_init` and `NAME_step`; returns the paths written."""
        return write_files(Path(folder), backend.emit(tape_from_function(self.emitted_step), language, __version__))

    @property
    def emitted_step(self) -> Function:
        """The step that `emit` writes."""
        return self.function

    def __repr__(self) -> str:
        told = ", ".join(f"{name} {value:.4g}" for name, value in list(self.theta.items())[:4])
        return (
            f"<{self.method} of {self.robot.name} after {self.samples} samples: {told}{' …' * (len(self.names) > 4)}>"
        )


def _refuse_symbols(function: Function, robot: RobotDescription) -> None:
    missing = [name for port in function.inputs if port.role == "parameter" for name in port.names]
    if missing:
        raise UnsetError(Message("{name}: has no value for {some_of}", robot.name, some_of(missing)), missing)


def _refuse_settings(given: Mapping[str, Any]) -> None:
    """λ lies in (0, 1], γ in (0, 2)."""
    for name, top, within in (("forgetting", 1.0, "0 < λ ≤ 1"), ("gain", 2.0, "0 < gain < 2")):
        value = given.get(name, 1.0)
        number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        if not number or not 0 < value <= top or (name == "gain" and value == top):
            raise InputError("{name}: expected a number with {within}, found {value!r:.60}", name, within, value)


def _names(function: Function, memory: str) -> tuple[str, ...]:
    """Of base parameters those of the columns; of a load its own."""
    columns = [name for part in function.provenance.parts for name in part.columns]
    port = next(x for x in function.inputs if x.name == memory)
    return tuple(columns) if memory == "theta" else tuple(x.removesuffix("_load") for x in port.names)
