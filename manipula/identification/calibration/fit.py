"""From measurements to a corrected arm: lay the base under them, choose what can be found, least squares.

    min Σ ρ(r(e, x)/σ)   over the errors e of the entries and what is found besides, x

by Levenberg–Marquardt steps in a trust region (SciPy) with exact derivatives. σ of lengths and of angles is found from
the residuals unless it is given; the covariance is (JᵀJ)⁻¹ of the weighted residuals.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from manipula.errors import InputError, UnknownNameError
from manipula.identification.calibration.alignment import laid_under, refuse_other_units
from manipula.identification.calibration.geometry import Geometry
from manipula.identification.calibration.measurements import Measured, configurations, measured_from
from manipula.identification.calibration.result import (
    FAINT,
    ZERO,
    CalibratedEntry,
    Calibration,
    Dropped,
    independent,
    misfit,
    why,
)
from manipula.mechanics.robot.topology import refuse_loops
from manipula.messages import Message
from manipula.robot import Robot

Array = NDArray[np.float64]
LOSSES = ("linear", "huber", "soft_l1", "cauchy")
GROUPS = ("all", "offsets", "lengths", "angles", "base", "tool")
DRAWN = 40  # configurations at random, where an arm shows all it has
POOR = 1e3  # a condition above it: noise of a tenth of a millimetre becomes a tenth of a metre
FAR = 5.0  # robust deviations: a row beyond it is named
ROUNDS = 4  # of finding σ and fitting


@dataclass(frozen=True)
class Problem:
    """`kept` are the columns that are found, among the entries and, behind them, what is found besides."""

    geometry: Geometry
    q: Array
    measured: Measured
    kept: Array
    start: Array  # all columns

    @property
    def names(self) -> list[str]:
        return [*(entry.name for entry in self.geometry.entries), *self.measured.besides]

    def order(self, k: int) -> int:
        """What is rather kept comes first; what is found besides before all."""
        return self.geometry.entries[k].order if k < len(self.geometry.entries) else -1

    def spread(self, unknowns: Array) -> tuple[Array, Array]:
        whole = self.start.copy()
        whole[self.kept] = unknowns
        return whole[: len(self.geometry.entries)], whole[len(self.geometry.entries) :]

    def residual(self, unknowns: Array) -> Array:
        return self.measured.residual(self.geometry, self.q, *self.spread(unknowns))

    def slopes(self, unknowns: Array) -> Array:
        return self.measured.slopes(self.geometry, self.q, *self.spread(unknowns))[..., self.kept]


def calibrate_robot(
    robot: Robot, q: object, measured: object, kind: str, parameters: str | Iterable[str], loss: str, sigma: object,
    validate: tuple[Any, Any] | None,
) -> Calibration:  # fmt: skip
    """See `manipula.calibrate`."""
    refuse_loops(robot, "calibrate")
    if loss not in LOSSES:
        raise UnknownNameError("loss", loss, LOSSES)
    geometry = Geometry.of(robot)
    rows = configurations(q, robot.dof, robot.name)
    taken = measured_from(measured, kind, len(rows))
    given = _sigma(sigma, taken)
    chosen = _choose_entries(geometry, parameters)
    refuse_other_units(geometry, rows, taken)
    if any(geometry.entries[k].part == "base" for k in chosen):
        geometry = laid_under(geometry, rows, taken)
    start = np.concatenate([np.zeros(len(geometry.entries)), taken.start(geometry, rows)])
    kept, dropped = _keep_identifiable(geometry, rows, taken, chosen, start)
    problem = Problem(geometry, rows, taken, np.array(kept), start)
    if rows.shape[0] * len(taken.units) <= len(kept):
        raise InputError(
            "measured: {count} rows give {told} equations for {count2} unknowns; measure more "
            "configurations, or name fewer parameters",
            len(rows),
            len(rows) * len(taken.units),
            len(kept),
        )
    return _solve_calibration(problem, dropped, loss, given, validate)


def _sigma(sigma: object, measured: Measured) -> Array | None:
    """Of every entry of a row: one number, or (lengths, angles)."""
    if sigma is None:
        return None
    values = np.atleast_1d(np.asarray(sigma, dtype=float))
    if values.shape not in ((1,), (2,)) or not (np.isfinite(values) & (values > 0)).all():
        raise InputError(
            "sigma: expected a positive number of metres, or (metres, radians), found {sigma!r:.60}", sigma
        )
    if len(values) == 1 and measured.kind == "pose":
        raise InputError("sigma: poses have two: (metres, radians)")
    return np.array([values[0] if unit == "m" else values[-1] for unit in measured.units])


def _choose_entries(geometry: Geometry, parameters: str | Iterable[str]) -> list[int]:
    asked = [parameters] if isinstance(parameters, str) else list(parameters)
    names = [entry.name for entry in geometry.entries]
    for name in asked:
        if name not in (*GROUPS, *names):
            raise UnknownNameError("geometric parameter", str(name), (*GROUPS, *names))
    if not asked:
        raise InputError("parameters: name at least one")
    return [k for k, entry in enumerate(geometry.entries) if any(_is_of(geometry, k, name) for name in asked)]


def _is_of(geometry: Geometry, k: int, group: str) -> bool:
    entry = geometry.entries[k]
    of_row = entry.part not in ("base", "tool")
    match group:
        case "all":
            return True
        case "offsets":
            return entry.place == "motion"
        case "lengths":
            return of_row and not entry.turns
        case "angles":
            return of_row and entry.turns
        case "base" | "tool":
            return entry.part == group and entry.place == "before" and not of_row
    return entry.name == group


def _keep_identifiable(
    geometry: Geometry, q: Array, measured: Measured, chosen: list[int], start: Array
) -> tuple[list[int], list[Dropped]]:
    entries = geometry.entries
    names = [*(entry.name for entry in entries), *measured.besides]
    order = [*range(len(entries), len(names)), *sorted(chosen, key=lambda k: entries[k].order)]
    e, x = start[: len(entries)], start[len(entries) :]
    # an angle moves a point at the end of the arm by its size: rank is judged in metres alone
    weights = np.array([1.0 if unit == "m" else geometry.size for unit in measured.units])

    def columns(where: Array) -> Array:
        of = measured.rows(np.arange(len(where)) % len(q))
        J = of.slopes(geometry, where, e, x) * weights[None, :, None]
        return np.asarray(J.reshape(-1, J.shape[-1]))

    # first what no measurement could show, then what these did not: a user can mend the second alone
    structural, lost = independent(columns(_sample_configurations(geometry)), order, ZERO)
    dropped = {k: why(structural, shares, names, Message("in every motion")) for k, shares in lost.items()}
    shown, unseen = independent(columns(q), structural, FAINT)
    dropped |= {k: why(shown, shares, names, Message("in the configurations measured")) for k, shares in unseen.items()}
    return sorted(shown), [Dropped(names[k], dropped[k]) for k in sorted(dropped)]


def _sample_configurations(geometry: Geometry) -> Array:
    rng = np.random.default_rng(20)
    width = np.where(geometry.robot.coordinates.turns, np.pi, geometry.size)
    drawn: Array = rng.uniform(-1, 1, (DRAWN, len(width))) * width
    return drawn


def _solve_calibration(
    problem: Problem, dropped: list[Dropped], loss: str, sigma: Array | None, validate: tuple[Any, Any] | None
) -> Calibration:
    unknowns, scale = _fit_unknowns(problem, loss, sigma)
    condition, faint = _condition(problem, unknowns, scale)
    while condition > 1 / FAINT and len(problem.kept) > 1:  # what the first guess did not show yet
        dropped = [
            *dropped,
            Dropped(problem.names[faint], Message("is not identifiable from the configurations measured")),
        ]
        problem = replace(problem, kept=problem.kept[problem.kept != faint])
        unknowns, scale = _fit_unknowns(problem, loss, sigma)
        condition, faint = _condition(problem, unknowns, scale)
    residual = problem.residual(unknowns)
    e, x = problem.spread(unknowns)
    start = problem.measured.residual(problem.geometry, problem.q, e * 0, problem.start[len(e) :])
    result = Calibration(
        Robot.of(problem.geometry.robot_with_errors(e)), _estimates_with_sigma(problem, unknowns, scale, loss, sigma),
        tuple(dropped),
        misfit(problem.measured, start), misfit(problem.measured, residual), None, condition, problem.measured.kind,
        tuple(_warnings(problem, residual / scale, condition, loss)),
        dict(zip(problem.measured.besides, map(float, x))),
    )  # fmt: skip
    return result if validate is None else _with_validation_errors(result, problem, validate)


def _weighted_jacobian(problem: Problem, unknowns: Array, scale: Array) -> Array:
    return (problem.slopes(unknowns) / scale[None, :, None]).reshape(-1, len(unknowns))


def _condition(problem: Problem, unknowns: Array, scale: Array) -> tuple[float, int]:
    """Of the columns scaled to length 1, and the column that is worst identified."""
    J = _weighted_jacobian(problem, unknowns, scale)
    lengths = np.linalg.norm(J, axis=0)
    if (lengths == 0).any():
        return np.inf, int(problem.kept[lengths == 0][0])
    _, singular, directions = np.linalg.svd(J / lengths, full_matrices=False)
    # of entries that the worst direction mixes nearly alike the one rather dropped goes
    shares = np.abs(directions[-1]) * (1 + 0.1 * np.array([problem.order(k) for k in problem.kept]))
    return float(singular[0] / max(singular[-1], 1e-300)), int(problem.kept[shares.argmax()])


def _estimates_with_sigma(
    problem: Problem, unknowns: Array, scale: Array, loss: str, sigma: Array | None
) -> tuple[CalibratedEntry, ...]:
    J, residual = _weighted_jacobian(problem, unknowns, scale), problem.residual(unknowns) / scale
    spread = float(np.sum(residual**2) / max(1, residual.size - J.shape[1]))
    if sigma is not None or loss != "linear":
        spread = 1.0  # σ is given, or that of the rows that are no outliers
    # invertible: columns beyond 1/FAINT were dropped before
    sigmas = np.sqrt(np.diag(np.linalg.inv(J.T @ J)) * spread)
    whole = np.concatenate(problem.spread(unknowns))
    nominal = np.concatenate([problem.geometry.nominal, np.zeros(len(problem.measured.besides))])
    units = [*(entry.unit for entry in problem.geometry.entries), *("m" for _ in problem.measured.besides)]
    return tuple(
        CalibratedEntry(problem.names[k], float(nominal[k]), float(nominal[k] + whole[k]), float(s), units[k])
        for k, s in zip(problem.kept, sigmas)
    )


def _fit_unknowns(problem: Problem, loss: str, sigma: Array | None) -> tuple[Array, Array]:
    """The unknowns, and σ of every entry of a row."""
    units = np.array(problem.measured.units)
    unknowns = problem.start[problem.kept]
    # a first weight: a millimetre, and the angle that is one at the end of the arm
    scale = np.where(units == "m", 1e-3, 1e-3 / problem.geometry.size) if sigma is None else sigma
    for _ in range(ROUNDS if sigma is None and (loss != "linear" or len(set(units)) > 1) else 1):
        unknowns = _least(problem, unknowns, scale, loss)
        scale = _spread(problem.residual(unknowns), units, scale, len(unknowns)) if sigma is None else scale
    return unknowns, scale


def _least(problem: Problem, start: Array, scale: Array, loss: str) -> Array:
    found = least_squares(
        lambda u: (problem.residual(u) / scale).ravel(), start, lambda u: _weighted_jacobian(problem, u, scale),
        loss=loss, x_scale="jac", xtol=1e-9, ftol=1e-9, gtol=1e-9, max_nfev=100,
    )  # fmt: skip
    return np.asarray(found.x)


def _spread(residual: Array, units: NDArray[np.str_], scale: Array, unknowns: int) -> Array:
    """σ of lengths and of angles; of the middle of the rows, so that outliers do not count."""
    # residuals of a fit are smaller than the errors, by the unknowns that followed them
    share = np.sqrt(residual.size / max(1, residual.size - unknowns))
    found = scale.copy()
    for unit in set(units.tolist()):
        found[units == unit] = max(_deviation(residual[:, units == unit]) * share, 1e-12)
    return found


def _deviation(values: Array) -> float:
    """Of the coordinates that differ at all: a table of a planar arm may have nothing but zeros in half of them."""
    sizes = np.abs(values)
    differ = sizes[:, sizes.max(axis=0) > 1e-12]
    # the median of |x| of a normal distribution is σ/1.4826
    return 1.4826 * float(np.median(differ)) if differ.size else 0.0


def _warnings(problem: Problem, standard: Array, condition: float, loss: str) -> list[str]:
    told = list[str]()
    count, unknowns = standard.size, len(problem.kept)
    if count < 2 * unknowns:
        told.append(Message("{size} equations for {unknowns} unknowns: measure more configurations", count, unknowns))
    if condition > POOR:
        told.append(
            Message("the condition number is {condition:.2g}: the configurations measured look alike", condition)
        )
    odd = np.flatnonzero(np.abs(standard).max(axis=1) > FAR * max(_deviation(standard), 1e-3))  # no mere rounding
    if len(odd):
        listed = ", ".join(str(row + 1) for row in odd[:6]) + (" …" if len(odd) > 6 else "")
        told.append(
            Message(
                (
                    "row {listed} lies far from all others (more than {far:g} deviations)"
                    if loss != "linear"
                    else (
                        "row {listed} lies far from all others (more than {far:g} deviations); "
                        "loss='huber' lets them count less"
                    )
                ),
                listed,
                FAR,
            )
        )
    return told


def _with_validation_errors(result: Calibration, problem: Problem, validate: tuple[Any, Any]) -> Calibration:
    """Errors on measurements that the fit did not see, by the nominal arm (its base laid, its points found) and now."""
    rows = configurations(validate[0], result.robot.dof, result.robot.name)
    kept = measured_from(validate[1], result.kind, len(rows))
    geometry = problem.geometry
    before = kept.residual(geometry, rows, np.zeros(len(geometry.entries)), problem.start[len(geometry.entries) :])
    return replace(result, validation=(misfit(kept, before), result.error(*validate)))
