"""From a robot and its recordings to what was found: columns, weights, choice, fit, doubts; validation after all that.

The recipe: rows of a joint that may stick are left out of the fit and stay in the judgement; every joint is weighted by
its noise; the prior weighs as much as the residuals remember themselves, τ_int samples, for then N rows count as the
N/τ_int independent ones that they are; families of columns are chosen by cross-validation under the prior.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError
from manipula.identification.closed_motion import with_passive_joints
from manipula.identification.conversion import Conversion, read_motors
from manipula.identification.data import Data, gather
from manipula.identification.estimators.entropic import entropic_from
from manipula.identification.estimators.iv import instruments_of
from manipula.identification.estimators.normal import (
    correlation_time,
    even_weights,
    normal_from,
    solve_normal,
    weights_from,
)
from manipula.identification.estimators.prior import INERTIAL, KINDS, Prior, prior_from
from manipula.identification.estimators.registry import WITHOUT_PRIOR, Estimator, estimator_named
from manipula.identification.filters import Below, Cutoff, Filter, Same, cutoff_for
from manipula.identification.fit import diagnostics, to_robot
from manipula.identification.fit.cutoff import BELOW, choose_cutoff, torque_end
from manipula.identification.fit.delays import Delay, find_delay
from manipula.identification.fit.errors import errors_of
from manipula.identification.fit.gains import gain_doubts
from manipula.identification.fit.hypotheses import Explanation, explain_by_coupling
from manipula.identification.fit.other_robots import OtherRobot, find_cause
from manipula.identification.fit.result import Found
from manipula.identification.fit.selection import Selection, one_width, select
from manipula.identification.joint_model import JointModel, is_mechanism, laws_in_file, without_undetermined
from manipula.identification.outliers import without_outliers
from manipula.identification.torque_columns import Columns
from manipula.mechanics.models.linear.joint_families import FILE
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.formats.snap_to_exact import size_of
from manipula.mechanics.robot.topology import refuse_elements, refuse_moving_loops
from manipula.messages import Message
from manipula.recordings.log import Log

Array = NDArray[np.float64]
Tell = Callable[[str], None]
OUTPUTS = "output_error"
REPAIRS = 3  # one after the other: each may show the next


@dataclass(frozen=True)
class Asked:
    """What the caller wants."""

    robot: RobotDescription
    logs: tuple[Log, ...]
    model: JointModel
    prior: str | None
    method: str
    filter: Filter
    conversion: Conversion
    tell: Tell
    repair: bool = False
    repairs: tuple[Message, ...] = ()

    def gather(self, model: JointModel, load: Array | None = None) -> Data:
        return gather(self.robot, self.logs, model, self.filter, load=load, tell=self.tell)

    def apply_repair(self, found: Explanation | Delay) -> Asked:
        """What was found asks for: other numbers of the recordings, another gravity, coupled motors, torques of
        another time."""
        changed = replace(
            self,
            logs=tuple(found.conversion.apply_within(log) for log in self.logs),
            conversion=self.conversion.then(found.conversion),
            repair=len(self.repairs) + 1 < REPAIRS,
            repairs=(*self.repairs, found.note()),
        )
        if isinstance(found, Delay):
            return changed
        model = replace(self.model, coupling={**self.model.coupling, **found.coupling})
        return replace(changed, robot=found.apply_to(self.robot), model=model)

    def gather_changed(self, data: Data, model: JointModel, change: Callable[[Log], Log]) -> Data:
        """The columns of the data, of logs changed by a function."""
        again = gather(self.robot, list(map(change, self.logs)), model, self.filter, load=data.load)
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
    *,
    repair: bool = False,
    coupling: Mapping[tuple[str, str], float] | None = None,
    motors: str | Path | None = None,
) -> Found:
    """See the verb `identify`. `validate` is not touched before the fit has ended."""
    refuse_elements(robot, "identify")
    refuse_moving_loops(robot, "identify")
    _refuse_mechanism(robot, method, motors)
    estimate = estimator_named(method)
    conversion = Conversion.identity(robot.dof) if motors is None else read_motors(motors, robot.dof)
    declared, believed = _model(model, coupling or {}), _prior(prior, method)
    Columns(robot, declared)  # refuses what does not fit the robot before a recording is read
    if filter != "auto":
        cutoff_for((), filter)
    given = _checked_logs(robot, logs, "logs", conversion)
    asked = Asked(robot, given, declared, believed, method, filter, conversion, tell, repair)
    return _identify(asked, estimate, validate)


def _identify(asked: Asked, estimate: Estimator, validate: object) -> Found:
    asked, first, cause = _first(asked, asked.tell)
    asked.tell(f"{len(first.data.columns)} columns; residuals remember {first.time:.3g} samples")
    # a recording that contradicts the robot asks for families that mend the contradiction: none is chosen
    search = asked.model.search and asked.prior is not None and cause is None
    fit, chosen, kept = _select_families(asked, first, asked.tell) if search else (first, None, asked.model)
    changed = partial(asked.gather_changed, fit.data, kept)
    delay = find_delay(fit.data, fit.weights, changed) if cause is None else None
    if delay is not None and asked.repair:
        return _identify(asked.apply_repair(delay), estimate, validate)
    theta = estimate(fit.data, fit.prior, fit.weights)
    if not np.isfinite(theta).all():
        raise InputError(
            "identify: method {method!r} found no finite parameters; is the recording long enough?", asked.method
        )
    return _make_result(asked, fit, theta, chosen, kept, cause or delay, validate)


def _first(asked: Asked, tell: Tell) -> tuple[Asked, Fit, Explanation | OtherRobot | None]:
    """The fit of the columns that every arm has, or of those declared; it finds where the recorded torque ends, and
    slips of the recording, which are undone where that is wanted."""
    model, data = asked.model, asked.gather(asked.model)
    diagnostics.refuse_silent(data)
    # a wrong sign or zero of a motor leaves loops open, which is met before; recordings of a base are not searched
    cause = None if is_mechanism(asked.robot) else find_cause(data, model, asked.prior, tell)
    if isinstance(cause, Explanation) and _families_explain(asked, data, cause, tell):
        cause = None
    if asked.repair and isinstance(cause, Explanation):
        return _first(asked.apply_repair(cause), tell)
    fit = fit_of(data, asked.prior)
    if cause is None:  # else the warning of the slip says what is the matter, and what would be left
        diagnostics.refuse_noise(data, fit.prior, fit.weights)
    if asked.filter == "auto" and cause is None:
        asked, data, fit = _filtered(asked, model, data, fit)
    if any(column.loaded for column in data.columns):
        fit = fit_of(_with_fitted_loads(fit).data, asked.prior)
    kept = one_width(data.columns, normal_from(fit.data.fit, fit.weights), fit.prior)
    return asked, fit if len(kept) == len(data.columns) else fit_of(fit.data.subset(kept), asked.prior), cause


def _families_explain(asked: Asked, data: Data, slips: Explanation, tell: Tell) -> bool:
    """A term that the model lacks leaves much, too, and a wrong zero then leaves less, by bodies that are less like the
    file's. Families that leave less than such slips are believed."""
    odd = slips.after.surprise > slips.before.surprise and not slips.coupling
    if not (odd and asked.model.search and asked.prior is not None):
        return False
    chosen = _select_families(asked, fit_of(data, asked.prior), tell)[1]
    return min((x.error for x in chosen.choices if x.taken), default=np.inf) < 100 * slips.after.whole


def _filtered(asked: Asked, model: JointModel, data: Data, fit: Fit) -> tuple[Asked, Data, Fit]:
    """Through one filter for every recording: where the torque ends, or lower where that predicts better."""
    if (most := _torque_cutoff(fit)) is not None:
        asked = replace(asked, filter=Below(most))
        data = asked.gather(model)
        fit = fit_of(data, asked.prior)
    again = partial(gather, asked.robot)
    chosen = choose_cutoff(
        data, fit.prior, fit.entropic(), fit.weights, lambda logs, same: again(logs, model, same, load=data.load)
    )
    asked = replace(asked, filter=Same(chosen))
    if {motion.smoother.cutoff for motion in data.source.motions} == {chosen.frequency}:
        return asked, data, fit
    data = asked.gather(model)
    return asked, data, fit_of(data, asked.prior)


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
    # weights by residuals, residuals by weights: twice, for the first round weighed all joints alike
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
    used = [data.source.rows_for_fit(motion)[motion.kept] for motion in data.source.motions]  # stretch by stretch
    # rows that the filter alone makes alike count as one
    independent = sum(flags.sum() / motion.smoother.correlation for flags, motion in zip(used, data.source.motions))
    return max(correlation_time(data.residuals(theta), used), float(sum(x.sum() for x in used) / max(independent, 1.0)))


def _select_families(asked: Asked, first: Fit, tell: Tell) -> tuple[Fit, Selection, JointModel]:
    """The families that the recording asks for, under the prior."""
    given = laws_in_file(first.data.source.columns.joints, dict(first.data.robot.values))
    widths = [f"{law.key}:{FILE}" for law in given if law.widths]
    everything = JointModel.full(friction=widths, coupling=asked.model.coupling, gains=asked.model.gains)
    everything = without_undetermined(asked.robot, everything)
    inertial = [c.family == INERTIAL for c in first.data.columns]
    data = asked.gather(everything, first.entropic()[inertial])
    # what was there at first is not up for choice: inertia, and the laws that every joint has
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
    asked: Asked,
    fit: Fit,
    theta: Array,
    chosen: Selection | None,
    model: JointModel,
    cause: Explanation | OtherRobot | Delay | None,
    validate: object,
) -> Found:
    data, last = fit.data, weights_from(fit.data.fit, theta, len(theta))
    time = _memory(data, theta)
    prior = None if asked.prior is None or asked.method in WITHOUT_PRIOR else fit.prior

    slip = None if isinstance(cause, Delay) else cause
    late = [cause.warning_message()] if isinstance(cause, Delay) else []
    doubts: list[str] = [*asked.repairs, *late, *diagnostics.suspicions(data, fit.prior, fit.weights, slip)]
    if slip is None:
        doubts += diagnostics.brake_warnings(data, theta)
    if cause is None and asked.prior == "robot":  # torques that are late look like other masses
        doubts += gain_doubts(data, time)
    if asked.method == "iv":
        doubts += [*instruments_of(data)[1], *diagnostics.weak(data, theta, fit.weights)]
        spread = to_robot.spread_of_instruments(data, last, time)
    elif asked.method == OUTPUTS:
        spread = to_robot.spread_of_outputs(data, fit.prior, theta)
    else:
        if slip is None:  # what a slip leaves is no missing column
            doubts += [*diagnostics.changed(data, theta), *diagnostics.worse(data, theta, fit.weights)]
        spread = to_robot.spread_of(normal_from(data.fit, last), prior, theta, time)
    train = errors_of(data, theta)
    doubts += [*filter(None, [to_robot.left_out(data, theta, train)]), *to_robot.forgotten_laws(data), *data.notes]
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
        conversion=asked.conversion,
        repairs=asked.repairs,
        doubtful=slip is not None,
    )
    return _with_validation_errors(found, asked.logs, validate)


def _with_validation_errors(found: Found, train: Sequence[Log], validate: object) -> Found:
    """The errors on recordings that the fit has not seen; here they are looked at for the first time."""
    judged, data, doubts = [], [], list(found.warnings)
    more: list[str] = []
    logs = _checked_logs(found.data.robot, validate, "validate", found.conversion, empty=True)
    for place, log in enumerate(logs, 1):
        # through the filter of the training: an error is of the model, not of another cut-off
        seen = found.data_from_joints(log)
        data.append(seen)
        judged.append(errors_of(seen, found.theta))
        where = Message("validation {place}", place)
        more += diagnostics.learnt_from(train, log, where)
        more += diagnostics.far_above(found, judged[-1], where)
        more += diagnostics.beyond(found.data, seen, found.prior, where)
    if any(max(errors.joints) > 100 for errors in judged) and not is_mechanism(found.data.robot):  # worse than by zero
        slip = explain_by_coupling(found.data, data, found.model, found.prior)
        more += [] if slip is None else [slip.warning_message()]
    # what a recording kept apart shows weighs more than what training suspects, and less than a slip that was found
    first = sum(text in doubts for text in found.repairs) + (1 if found.doubtful else 0)
    told = tuple(dict.fromkeys([*doubts[:first], *more, *doubts[first:]]))
    return replace(found, validation=tuple(judged), validation_data=tuple(data), warnings=told)


# what was requested


def _checked_logs(
    robot: RobotDescription, logs: object, what: str, conversion: Conversion | None, empty: bool = False
) -> tuple[Log, ...]:
    """Each log of one arm in the coordinates of its joints, with these counted and its units doubted."""
    found = (logs,) if isinstance(logs, Log) else tuple(logs) if isinstance(logs, Iterable) else (logs,)
    for item in found:
        if not isinstance(item, Log):
            name = type(item).__name__
            raise InputError("identify: {what}: expected logs (mp.read_log, mp.Log), found {name}", what, name)
    if not found and not empty:
        raise InputError("identify: {what}: no log was given; expected one or more", what)
    whole = [with_passive_joints(robot, row) for log in found for row in (log.rows() if robot.loops else [log])]
    converted = whole if conversion is None else [conversion.apply_within(log) for log in whole]
    return tuple(without_outliers(row) for log in converted for row in log.checked(robot).rows())


def _refuse_mechanism(robot: RobotDescription, method: str, motors: object) -> None:
    """What is made for arms alone."""
    what = "" if motors is None else "motors="
    if method in ("iv", OUTPUTS):
        what = Message("method {method!r}", method)
    if is_mechanism(robot) and what:
        raise InputError(
            "{robot}: {what} is made for arms on a fixed base whose joints all have a motor; take another method, or "
            "recordings of the joints", robot.name, what,
        )  # fmt: skip


def _model(given: JointModel | str, coupling: Mapping[tuple[str, str], float]) -> JointModel:
    """With coupled motors that are given beside it."""
    if isinstance(given, JointModel):
        return replace(given, coupling={**given.coupling, **coupling}) if coupling else given
    if given == "auto":
        return JointModel(search=True, coupling=coupling)
    raise InputError('identify: model: expected "auto" or a JointModel, found {given!r:.60}', given)


def _prior(given: str | None, method: str) -> str | None:
    if given not in KINDS:
        raise InputError('identify: prior: expected "robot", "spheres" or None, found {given!r:.60}', given)
    if given is None and method in ("entropic", "ridge", OUTPUTS):
        raise InputError('identify: method {method!r} needs a prior; without one take "wls", or "lmi"', method)
    return given
