"""What an estimator is to find, and the equations that a sample gives for it: Y θ = ρ, a row a joint.

    base          Y(q, q̇, q̈) θ = τ                                   θ all base parameters
    load          Y_L(q, q̇, q̈) θ = τ − τ_arm                         θ of a body in the tool, in its frame
    load, no q̈    F[Y_L] θ = F[τ − τ_arm],   F = 1/(T s + 1)          the same through a low-pass

An arm may have torques e beside its robot's own (`Extra`), which are taken off τ. Where they depend on what the joints
bear, L = τ_links + Y_L θ, they are linearised about the estimate so far:  (1 + e′) Y_L θ = τ − τ_arm − e + e′ Y_L θ̂.

F needs no acceleration. With p = M q̇, so that τ = ṗ − (Cᵀq̇ − g) + friction, and F[ṗ] = (p − F[p])/T,

    F[τ − friction] = p/T − F[p/T + Cᵀq̇ − g]

which is linear in the parameters of every body, so that it holds for the columns of the load, and for the arm as known.
What F remembers is a state; sampled every h seconds it goes by backward differences, stable for any T. That of p/T
begins with the first sample's p/T, so that an arm may be moving when the estimator starts.

The columns of the load are those of `loaded_dynamics`, row j by weights e_j. In two velocities, with C(q, q̇) of
Christoffel symbols:  M q̇ is its torque at q̈_r = q̇ and q̇_r = 0 less the weight, and (Cᵀq̇)_j = q̇ᵀ C e_j its power along q̇
at q̇_r = e_j. The sign in the arm's friction is drawn out over `smoothing`.

Source: the filtered form is that of Slotine, Li, "Composite adaptive control of robot manipulators", Automatica 25
(1989), and of Middleton, Goodwin, "Adaptive computed torque control for rigid link manipulators", Systems & Control
Letters 10 (1988).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.models.entry import Given, ModelCall, Result, variables
from manipula.mechanics.models.integrate.discretisation import SAMPLE
from manipula.mechanics.models.linear.base_parameters import UNITS
from manipula.mechanics.models.ports import EFFORT, SMOOTHING, PortKind
from manipula.mechanics.spatial.dual import Dual, DualMaths, partial, value_of
from manipula.mechanics.spatial.vector import dot
from manipula.messages import Message
from manipula.scalar import Maths, Next, Scalar

LOAD = tuple(UNITS)  # Kxx … m
LINKS = "links:inverse_dynamics"  # without friction and motors
CENTRE = ("mx", "my", "mz", "m")
FILTER = PortKind("filter", "s", "time constant of the low-pass", ("filter",), "setting", divides=True)
BEGUN = PortKind("begun", "1", "0 before the first sample, then 1", ("begun",), "state")


class LinearEquations(NamedTuple):
    """Y (joints, unknowns), ρ (joints), and what the states of a low-pass become."""

    Y: list[list[Scalar]]
    rho: list[Scalar]
    kept: dict[str, list[Scalar]]


class Extra(Protocol):
    """Torques of an arm beside those of its robot, with states of their own. `loaded`: they need what joints bear."""

    @property
    def depends_on_load(self) -> bool: ...
    @property
    def ports(self) -> tuple[PortKind, ...]: ...
    def torque(self, maths: Maths[Scalar], x: Given, load: Sequence[Scalar] | None) -> list[Scalar]: ...
    def after(self, maths: Maths[Scalar], x: Given) -> dict[str, list[Scalar]]: ...


@dataclass(frozen=True)
class Unknowns:
    """What is requested: the port of its estimates, the inputs of its equations and the equations themselves."""

    estimates: PortKind
    inputs: tuple[PortKind, ...]
    equations: Callable[[Maths[Scalar], ModelCall, Given], LinearEquations]
    calls: tuple[str, ...]
    kept: tuple[PortKind, ...] = ()

    @property
    def outputs(self) -> dict[str, Result]:
        return {f"{x.name}_next": Result(x.unit, f"{x.doc}, after the step", Next(x.name)) for x in self.kept}


def base_unknowns() -> Unknowns:
    """All base parameters; accelerations are measured."""
    estimates = PortKind("theta", "SI", "estimates of the base parameters", "base", "state", letter="theta_")
    return Unknowns(estimates, variables("q", "qd", "qdd", "tau"), _base, ("base_regressor",))


def _base(maths: Maths[Scalar], call: ModelCall, x: Given) -> LinearEquations:
    Y = call("base_regressor", q=x["q"], qd=x["qd"], qdd=x["qdd"])["Y"]
    return LinearEquations([list(row) for row in Y], list(x["tau"]), {})


def load_unknowns(
    columns: Sequence[str] = CENTRE, *, accelerations: bool = True, extra: Extra | None = None
) -> Unknowns:
    """These parameters of a body in the tool; without accelerations the equations go through a low-pass."""
    names = checked_columns(columns)
    estimates = PortKind(
        "load", "SI", "estimates of a body in the tool, in its frame", tuple(f"{x}_load" for x in names), "state"
    )
    places = [LOAD.index(name) for name in names]
    kept = () if extra is None else extra.ports
    if accelerations:
        ports = (*variables("q", "qd", "qdd", "tau"), SMOOTHING)
        calls = ("loaded_dynamics", *((LINKS,) if extra is not None and extra.depends_on_load else ()))
        return Unknowns(
            estimates, ports, lambda maths, call, x: _measured_equations(maths, call, x, places, extra), calls, kept
        )
    ports = (*variables("q", "qd", "tau"), FILTER, SAMPLE, SMOOTHING)
    calls = ("loaded_dynamics", "momentum", "friction")
    kept = (*_low_passed(names), *kept)
    return Unknowns(
        estimates, ports, lambda maths, call, x: _filtered_equations(maths, call, x, places, extra), calls, kept
    )


def checked_columns(columns: Sequence[str]) -> tuple[str, ...]:
    """In the order of the ten, each once."""
    given = (columns,) if isinstance(columns, str) else tuple(columns)
    for name in given:
        if name not in LOAD:
            raise UnknownNameError("parameter of a payload", str(name), LOAD)
    if not given or len(set(given)) < len(given):
        raise InputError(
            "columns: expected parameters of a payload, each once, found {given}", ", ".join(given) or Message("none")
        )
    return tuple(name for name in LOAD if name in given)


def _low_passed(names: Sequence[str]) -> tuple[PortKind, ...]:
    """What F remembers: a row of the joints for every column, and one for the torques."""
    columns = (PortKind(f"low_{x}", "SI", f"the column of {x} in the low-pass", role="state") for x in names)
    return (*columns, PortKind("low", EFFORT, "the torques in the low-pass", role="state"), BEGUN)


def _slip(x: Given) -> list[Scalar]:
    return [rate * (1 / width) for rate, width in zip(x["qd"], x["smoothing"], strict=True)]


def _unit(j: int, n: int) -> list[Scalar]:
    return [int(i == j) for i in range(n)]


def _measured_equations(
    maths: Maths[Scalar], call: ModelCall, x: Given, places: Sequence[int], extra: Extra | None
) -> LinearEquations:
    n = len(x["q"])
    motion = {"q": x["q"], "qd": x["qd"], "qd_r": x["qd"], "qdd_r": x["qdd"], "slip": _slip(x), "load": [0] * len(LOAD)}
    found = [call("loaded_dynamics", **motion, weights=_unit(j, n)) for j in range(n)]
    # ρ = τ − τ_arm
    rho = [tau - arm for tau, arm in zip(x["tau"], found[0]["tau"], strict=True)]
    Y = [[row["slope"][k] for k in places] for row in found]
    if extra is None:
        return LinearEquations(Y, rho, {})
    if not extra.depends_on_load:
        return LinearEquations(Y, _less(rho, extra.torque(maths, x, None)), extra.after(maths, x))
    links = call(LINKS, q=x["q"], qd=x["qd"], qdd=x["qdd"])["tau"]
    held = [dot(row, x["load"]) for row in Y]
    lifted = {name: [Dual(value) for value in row] for name, row in x.items()}
    borne = [Dual(a + b, (1,)) for a, b in zip(links, held, strict=True)]
    beside = extra.torque(DualMaths(maths), lifted, borne)
    slopes = [partial(e, 0) for e in beside]
    rho = [r - value_of(e) + s * y for r, e, s, y in zip(rho, beside, slopes, held, strict=True)]
    return LinearEquations(
        [[(1 + s) * y for y in row] for s, row in zip(slopes, Y, strict=True)], rho, extra.after(maths, x)
    )


def _less(rho: Sequence[Scalar], beside: Sequence[Scalar]) -> list[Scalar]:
    return [r - e for r, e in zip(rho, beside, strict=True)]


def _filtered_equations(
    maths: Maths[Scalar], call: ModelCall, x: Given, places: Sequence[int], extra: Extra | None
) -> LinearEquations:
    """Y = P/T − F[P/T + D],  ρ = F[p/T + d + τ − friction] − p/T,  P and D the columns of p and of Cᵀq̇ − g."""
    n, pace, lag = len(x["q"]), 1 / x["filter"][0], x["filter"][0] + x["sample"][0]
    share = x["sample"][0] * (1 / lag)
    arm = call("momentum", q=x["q"], qd=x["qd"])
    rub = call("friction", q=x["q"], qd=x["qd"], slip=_slip(x))["f"]
    P, D = _momentum_columns(call, x, places)
    if extra is not None:
        rub = [f + e for f, e in zip(rub, extra.torque(maths, x, None), strict=True)]
    names = [port for port in x if port.startswith("low_")]
    Y: list[list[Scalar]] = [[] for _ in range(n)]
    kept: dict[str, list[Scalar]] = {}

    def lowpass_step(low: Sequence[Scalar], momenta: Sequence[Scalar], others: Sequence[Scalar]) -> list[Scalar]:
        """y⁺ = y + h/(T + h) (p/T + d − y),  y = p/T before the first sample"""
        before = [maths.select(x["begun"][0], y, pace * p) for y, p in zip(low, momenta, strict=True)]
        return [y + share * (pace * p + d - y) for y, p, d in zip(before, momenta, others, strict=True)]

    for k, name in enumerate(names):
        momenta = [row[k] for row in P]
        kept[f"{name}_next"] = low = lowpass_step(x[name], momenta, [row[k] for row in D])
        for row, p, y in zip(Y, momenta, low, strict=True):
            row.append(pace * p - y)
    pushes = [d + tau - f for d, tau, f in zip(arm["change"], x["tau"], rub, strict=True)]
    kept["low_next"] = low = lowpass_step(x["low"], arm["momentum"], pushes)
    kept["begun_next"] = [1]
    kept |= {} if extra is None else extra.after(maths, x)
    return LinearEquations(Y, [y - pace * p for y, p in zip(low, arm["momentum"], strict=True)], kept)


def _momentum_columns(
    call: ModelCall, x: Given, places: Sequence[int]
) -> tuple[list[list[Scalar]], list[list[Scalar]]]:
    """A unit of each parameter of the load: its share of M q̇, and of Cᵀq̇ − g."""
    n = len(x["q"])
    still = [0] * n
    here = {"q": x["q"], "qd": x["qd"], "slip": still, "load": [0] * len(LOAD)}

    def slope(weights: Sequence[Scalar], qd_r: Sequence[Scalar], qdd_r: Sequence[Scalar]) -> list[Scalar]:
        found = call("loaded_dynamics", **here, qd_r=qd_r, qdd_r=qdd_r, weights=weights)["slope"]
        return [found[k] for k in places]

    along = slope(x["qd"], still, still)  # the power of the weight
    P, D = [], []
    for j in range(n):
        unit = _unit(j, n)
        weight = slope(unit, still, still)
        P.append([a - b for a, b in zip(slope(unit, still, x["qd"]), weight, strict=True)])
        turned = slope(x["qd"], unit, still)
        D.append([a - b - g for a, b, g in zip(turned, along, weight, strict=True)])
    return P, D


# Settings that estimators share: how far off their first estimates may be, and how noisy torques are.
#
# Source: Ljung, Söderström, "Theory and Practice of Recursive Identification" (1983), chapter 2: recursive least
# squares
# begins with the covariance of what is believed of its parameters.

NOISE = PortKind("noise", EFFORT, "standard deviation of a joint's torque about its model", role="setting",
                 divides=True, default=1.0)  # fmt: skip


def sigma_of(theta: PortKind) -> PortKind:
    """One an estimate; entries of a fixed number have names."""
    size = tuple(f"sigma_{x}" for x in theta.size) if isinstance(theta.size, tuple) else theta.size
    return PortKind("sigma", "SI", "standard deviations of the first estimates", size, "setting", divides=True)


def estimate_outputs(theta: PortKind) -> dict[str, Result]:
    return {f"{theta.name}_next": Result(theta.unit, "estimates after the step", Next(theta.name))}
