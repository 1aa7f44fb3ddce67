"""From a robot and its recordings to what was found: columns, weights, choice, fit, doubts; validation after all that.

The recipe: rows of a joint that may stick are left out of the fit and stay in the judgement; every joint is weighted by
its noise; the prior weighs as much as the residuals remember themselves, τ_int samples, for then N rows count as the
N/τ_int independent ones that they are; families of columns are chosen by cross-validation under the prior.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.identification.data import Data, Grams, gather
from manipula.identification.estimators.entropic import entropic_from
from manipula.identification.estimators.iv import instruments_of
from manipula.identification.estimators.normal import (
    Normal,
    correlation_time,
    even_weights,
    normal_from,
    solve_normal,
    weights_from,
)
from manipula.identification.estimators.prior import INERTIAL, KINDS, Prior, prior_from
from manipula.identification.estimators.registry import WITHOUT_PRIOR, estimator_named
from manipula.identification.filters import BELOW, Below, Cutoff, Filter, torque_end
from manipula.identification.fit.diagnostics import beyond, late, refuse_noise, refuse_silent, suspicions, weak, worse
from manipula.identification.fit.result import Found
from manipula.identification.fit.selection import Selection, one_width, select
from manipula.identification.fit.to_robot import (
    errors_of,
    forgotten_laws,
    left_out,
    spread_of,
    spread_of_instruments,
    spread_of_outputs,
)
from manipula.identification.joint_model import JointModel, laws_in_file
from manipula.mechanics.models.linear.joint_families import FILE
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.formats.snap_to_exact import size_of
from manipula.messages import Message
from manipula.recordings.log import Log

# Drive gains against the masses of the robot's file: is a joint's torque recorded too large or too small?
#
# Of every joint alone,  τ_j = c Y_j θ_file + F_j f,  the joint's friction and offset f being free. A factor c is
# believed
# only where it explains: where, in every joint, the file's bodies times one number leave hardly more than the joint's
# own
# least squares with all its columns. A file whose masses are wrong mostly has another shape; and where the joints of an
# arm, fitted together, agree better as recorded than with the factor taken out of one, it is the masses that are off.

Array = NDArray[np.float64]
OFF = 0.05  # drives are known to a few per cent
SURE = 5.0  # standard deviations
ALIKE = (1.3, 0.01)  # times what least squares leaves, and parts of the torque beside it
NOISY = 0.3  # of a joint's torque left by least squares: nothing can be told of its shape
MOTOR = "motor_inertia"


@dataclass(frozen=True)
class Gain:
    """The factor of a joint with its standard deviation; is the file's shape right?"""

    factor: float
    sigma: float
    alike: bool

    @property
    def off(self) -> bool:
        return bool(self.factor > 0 and abs(self.factor - 1) > max(OFF, SURE * self.sigma))


def gain_doubts(data: Data, time: float) -> Iterator[str]:
    """Sentences; `time` is τ_int."""
    found = gains_of(data, time)
    if not all(gain.alike for gain in found.values()):
        return
    for j, gain in found.items():
        if gain.off and not _agree(data, j, gain.factor, time):
            name = data.robot.joint_names[j]
            yield (
                f"joint {name}: its torque is {gain.factor:.3g} times what the file's masses ask for: its drive gain "
                "(torque constant, gear ratio) may be off, or those masses; "
                f'JointModel(gains={{"{name}": {1 / gain.factor:.3g}}}) takes it for the gain'
            )


def gains_of(data: Data, time: float) -> dict[int, Gain]:
    """Of the joints that move and feel bodies whose numbers the file has; none where gains are fitted themselves."""
    if any(column.family == "gain" for column in data.columns):
        return {}
    found = {j: _gain(data, j, time) for j in range(data.fit.gram.shape[1])}
    return {j: gain for j, gain in found.items() if gain is not None}


def _gain(data: Data, j: int, time: float) -> Gain | None:
    """With the motor's inertia of the file if that explains, too; it is free else."""
    gram, rows = data.fit.gram[:, j].sum(0), int(data.fit.rows[:, j].sum())
    felt = np.diag(gram)[:-1] > 0
    free = solve_normal(_normal(gram, rows))
    left = max(_normal(gram, rows).cost(free.theta), 0.0)
    if rows <= 2 * free.rank or left > NOISY**2 * gram[-1, -1]:
        return None
    enough = (ALIKE[0] * np.sqrt(left) + ALIKE[1] * np.sqrt(gram[-1, -1])) ** 2
    tried = [_against(data, gram, rows, felt, families, time, enough) for families in ((INERTIAL, MOTOR), (INERTIAL,))]
    return next((gain for gain in tried if gain is not None and gain.alike), tried[-1])


def _against(
    data: Data, gram: Array, rows: int, felt: NDArray[np.bool_], families: tuple[str, ...], time: float, enough: float
) -> Gain | None:
    """The factor of the file's columns of these families; None where it lacks a number, or they make no torque."""
    of_file = felt & np.array([column.family in families for column in data.columns])
    if not np.isfinite(data.file_values[of_file]).all():
        return None
    whole = np.zeros(len(felt))
    whole[of_file] = data.file_values[of_file]
    T = np.zeros((len(felt) + 1, 2 + int((felt & ~of_file).sum())))
    T[:-1, 0], T[-1, -1] = whole, 1.0
    T[np.flatnonzero(felt & ~of_file), np.arange(1, T.shape[1] - 1)] = 1.0
    normal = _normal(T.T @ gram @ T, rows)
    found = solve_normal(normal)
    if not found.seen[0, 0] > 1 - 1e-9:
        return None
    left = max(normal.cost(found.theta), 0.0)
    sigma = np.sqrt(time * left / rows * found.inverse[0, 0])
    return Gain(float(found.theta[0]), float(sigma), left <= enough)


def _agree(data: Data, j: int, factor: float, time: float) -> bool:
    """Do the masses that the joints ask for agree as recorded, and no longer when a joint's torque is divided by the
    factor? Where no other joint feels the same bodies neither is better."""
    grams = data.fit
    weights = weights_from(
        grams, solve_normal(normal_from(grams, weights_from(grams, np.zeros(len(data.columns))))).theta
    )
    other, theirs = grams.gram.copy(), weights.copy()
    other[:, j, -1, :] /= factor
    other[:, j, :, -1] /= factor
    theirs[j] *= factor**2  # noise is divided, too
    as_recorded, changed = (
        _left(x) for x in (normal_from(grams, weights), normal_from(Grams(other, grams.rows), theirs))
    )
    return changed - as_recorded > SURE**2 * time


def _left(normal: Normal) -> float:
    return max(normal.cost(solve_normal(normal).theta), 0.0)


def _normal(gram: Array, rows: int) -> Normal:
    return Normal(gram[:-1, :-1], gram[:-1, -1], float(gram[-1, -1]), rows)


Tell = Callable[[str], None]
OUTPUTS = "output_error"


@dataclass(frozen=True)
class Asked:
    """What the caller wants."""

    robot: RobotDescription
    logs: tuple[Log, ...]
    model: JointModel | None  # None: to be chosen
    prior: str | None
    method: str
    filter: Filter
    tell: Tell

    def gather(self, model: JointModel, load: Array | None = None) -> Data:
        return gather(self.robot, self.logs, model, self.filter, load=load, tell=self.tell)

    def gather_changed(self, data: Data, model: JointModel, change: Callable[[Log], Log]) -> Data:
        """The columns of the data, of logs changed by a function."""
        again = gather(self.robot, map(change, self.logs), model, self.filter, load=data.load)
        return again.subset([column.name for column in data.columns])


@dataclass(frozen=True)
class Fit:
    """Data with what a fit to them needs."""

    data: Data
    prior: Prior
    weights: Array
    time: float  # τ_int

    def entropic(self) -> Array:
        return entropic_from(normal_from(self.data.fit, self.weights), self.prior)


def identify_robot(
    robot: RobotDescription,
    logs: Log | Iterable[Log],
    validate: Log | Iterable[Log] = (),
    model: JointModel | str = "auto",
    prior: str | None = "robot",
    method: str = "entropic",
    filter: float | str | None = "auto",
    tell: Tell = lambda text: None,
) -> Found:
    """See the verb `identify`. `validate` is not touched before the fit has ended."""
    estimate = estimator_named(method)
    asked = Asked(robot, _checked_logs(robot, logs, "logs"), _model(model), _prior(prior, method), method, filter, tell)
    asked, first = _first(asked)
    tell(f"{len(first.data.columns)} columns; residuals remember {first.time:.3g} samples")
    fit, chosen, kept = _select_families(asked, first, tell)
    theta = estimate(fit.data, fit.prior, fit.weights)
    if not np.isfinite(theta).all():
        raise InputError(
            "identify: method {method!r} found no finite parameters; is the recording long enough?", method
        )
    return _make_result(asked, fit, theta, chosen, kept, validate)


def _first(asked: Asked) -> tuple[Asked, Fit]:
    """The fit of the columns that every arm has, or of those asked for; it finds where the recorded torque ends."""
    model = asked.model or JointModel()
    data = asked.gather(model)
    refuse_silent(data)
    fit = fit_of(data, asked.prior)
    refuse_noise(data, fit.prior, fit.weights, partial(asked.gather_changed, data, model))
    if asked.filter == "auto" and (most := _torque_cutoff(fit)) is not None:
        asked = replace(asked, filter=Below(most))
        data = asked.gather(model)
        fit = fit_of(data, asked.prior)
    if any(column.loaded for column in data.columns):
        fit = fit_of(_with_fitted_loads(fit).data, asked.prior)
    kept = one_width(data.columns, normal_from(fit.data.fit, fit.weights), fit.prior)
    return asked, fit if len(kept) == len(data.columns) else fit_of(fit.data.subset(kept), asked.prior)


def _torque_cutoff(fit: Fit) -> Cutoff | None:
    """Where the recorded torque ends below the cut-off of a stretch."""
    data, motions = fit.data, fit.data.source.motions
    kept = [motion.smoother.rate / motion.smoother.step for motion in motions]
    end = torque_end(data.predict(fit.entropic()), data.torques, kept, fit.weights)
    if not any(motion.smoother.cutoff is not None and end / BELOW < motion.smoother.cutoff for motion in motions):
        return None
    told = Message("beyond {end:.2g} Hz the recorded torque has less than half of what the motion asks for", end)
    return Cutoff(end / BELOW, told)


def fit_of(data: Data, kind: str | None) -> Fit:
    """Weights by the residuals of least squares, and the prior with the weight τ_int."""
    weights = even_weights(data.fit)
    for _ in range(2):
        least = solve_normal(normal_from(data.fit, weights))
        weights = weights_from(data.fit, least.theta, least.rank)
    time = _memory(data, least.theta)
    known = {c.name: float(x) for c, x in zip(data.columns, data.file_values) if np.isfinite(x)}
    prior = prior_from(data.columns, data.fit, kind or "spheres", known, size_of(data.robot))
    return Fit(data, prior.with_weight(time), weights, time)


def _memory(data: Data, theta: Array) -> float:
    """τ_int of the residuals. They are the noise less what the fit took of it, and that is slow: they seem to remember
    less than the noise does, which remembers at least what the filter does to white noise."""
    rows = [flags.sum() for flags in _used(data)]
    independent = sum(count / motion.smoother.correlation for count, motion in zip(rows, data.source.motions))
    return max(correlation_time(data.residuals(theta), _used(data)), float(sum(rows) / max(independent, 1.0)))


def _used(data: Data) -> list[NDArray[np.bool_]]:
    """The rows of the fit, stretch by stretch."""
    return [data.source.rows_for_fit(motion)[motion.kept] for motion in data.source.motions]


def _select_families(asked: Asked, first: Fit, tell: Tell) -> tuple[Fit, Selection | None, JointModel]:
    """The families that the recording asks for, under the prior; without one, those that every arm has."""
    if asked.model is not None or asked.prior is None:
        return first, None, asked.model or JointModel()
    given = laws_in_file(first.data.source.columns.joints, dict(first.data.robot.values))
    everything = JointModel.everything(friction=[f"{law.key}:{FILE}" for law in given if law.widths])
    inertial = [c.family == INERTIAL for c in first.data.columns]
    data = asked.gather(everything, first.entropic()[inertial])
    always = tuple(dict.fromkeys(c.family for c in first.data.columns))
    known = {c.name: float(x) for c, x in zip(data.columns, data.file_values) if np.isfinite(x)}
    prior = prior_from(data.columns, data.fit, asked.prior, known, size_of(data.robot)).with_weight(first.time)
    chosen = select(data.columns, data.fit, prior, first.weights, always, tell)
    narrow = data.subset([data.columns[k].name for k in chosen.kept])
    families = tuple(dict.fromkeys(c.family for c in narrow.columns))
    fit = _with_prior_weight(
        _with_fitted_loads(Fit(narrow, prior.subset(chosen.kept), first.weights, first.time)), first
    )
    return fit, chosen, everything.with_families(families)


def _with_fitted_loads(fit: Fit) -> Fit:
    """What the joints bear by the fit itself, as a prediction has it, and no longer by the first one."""
    if not any(column.loaded for column in fit.data.columns):
        return fit
    return replace(fit, data=fit.data.with_load(fit.entropic()))


def _with_prior_weight(fit: Fit, first: Fit) -> Fit:
    """The prior with the weight that the residuals of the columns chosen ask for: they remember less than those of the
    first ones, of which something is explained now."""
    if len(fit.data.columns) == len(first.data.columns):
        return fit
    time = _memory(fit.data, fit.entropic())
    return replace(fit, prior=fit.prior.with_weight(time), time=time)


def _make_result(
    asked: Asked, fit: Fit, theta: Array, chosen: Selection | None, model: JointModel, validate: Any
) -> Found:
    data, last = fit.data, weights_from(fit.data.fit, theta, len(theta))
    time = _memory(data, theta)
    prior = None if asked.prior is None or asked.method in WITHOUT_PRIOR else fit.prior

    changed = partial(asked.gather_changed, data, model)
    doubts = suspicions(data, fit.prior, fit.weights, changed)
    known = len(doubts)
    doubts += late(data, fit.weights, changed)
    if asked.prior == "robot" and len(doubts) == known:  # torques that are late look like other masses
        doubts += gain_doubts(data, time)
    if asked.method == "iv":
        doubts += [*instruments_of(data)[1], *weak(data, theta, fit.weights)]
        spread = spread_of_instruments(data, last, time)
    elif asked.method == OUTPUTS:
        spread = spread_of_outputs(data, fit.prior, theta)
    else:
        doubts += worse(data, theta, fit.weights)
        spread = spread_of(normal_from(data.fit, last), prior, theta, time)
    train = errors_of(data, theta)
    doubts += [*filter(None, [left_out(data, theta, train)]), *forgotten_laws(data)]
    found = Found(
        method=asked.method,
        prior=None if prior is None else asked.prior,
        model=model,
        filter=data.filter,
        correlation=fit.time,
        train=train,
        validation=(),
        choices=() if chosen is None else chosen.choices,
        blocks=() if chosen is None else tuple(map(float, chosen.errors)),
        warnings=tuple(dict.fromkeys(doubts)),
        columns=data.columns,
        theta=theta,
        believed=None if prior is None else prior.mean,
        spread=spread,
        data=data,
        asked_filter=asked.filter,
    )
    return _with_validation_errors(found, validate)


def _with_validation_errors(found: Found, validate: Any) -> Found:
    """The errors on recordings that the fit has not seen; here they are looked at for the first time."""
    judged, data, doubts = [], [], list(found.warnings)
    for place, log in enumerate(_checked_logs(found.data.robot, validate, "validate", empty=True), 1):
        seen = found.data_from_log(log)
        data.append(seen)
        judged.append(errors_of(seen, found.theta))
        doubts += beyond(found.data, seen, found.prior, f"validation {place}")
    return replace(found, validation=tuple(judged), judged=tuple(data), warnings=tuple(dict.fromkeys(doubts)))


# what was asked for


def _checked_logs(robot: RobotDescription, logs: Any, what: str, empty: bool = False) -> tuple[Log, ...]:
    """Each log of one arm, with its joints counted and its units doubted."""
    found = (logs,) if isinstance(logs, Log) else tuple(logs) if isinstance(logs, Iterable) else (logs,)
    for item in found:
        if not isinstance(item, Log):
            raise InputError(
                "identify: {what}: expected logs (mp.read_log, mp.Log), found {name}", what, type(item).__name__
            )
    if not found and not empty:
        raise InputError("identify: {what}: no log was given; expected one or more", what)
    return tuple(row for log in found for row in log.checked(robot).rows())


def _model(given: JointModel | str) -> JointModel | None:
    if isinstance(given, JointModel):
        return given
    if given == "auto":
        return None
    raise InputError('identify: model: expected "auto" or a JointModel, found {given!r:.60}', given)


def _prior(given: str | None, method: str) -> str | None:
    if given not in KINDS:
        raise InputError('identify: prior: expected "robot", "spheres" or None, found {given!r:.60}', given)
    if given is None and method in ("entropic", "ridge", OUTPUTS):
        raise InputError('identify: method {method!r} needs a prior; without one take "wls", or "lmi"', method)
    return given
