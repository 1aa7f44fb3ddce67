"""The motor's side of a joint: what a motor behind a gear gives along a motion, and what the gear bears.

A joint needs the torque τ at its axis: that of the links, gravity, loads and friction, and of the motor's own inertia
as the joint feels it, Ia. At the output of the gear there is

    T = τ − Ia q̈                                                                                   (1)

The motor turns N times as fast, and all that turns at its speed has the inertia J (Ia = N² J). The gear loses a share
of the power that passes it, whichever way it goes: driving (T q̇ > 0) the motor puts in 1/η of what comes out; braking
(T q̇ < 0) the load puts in T q̇ and η of it arrives. Rotors are in front of the gear: their torque has no part in the
loss.

    τm = J N q̈ + (T/N) η^(−sign(T q̇))            n = N q̇                                          (2)
    power in = τm n = d(½ J n²)/dt + T q̇ + loss    loss = |T q̇| (1/η − 1)  or  |T q̇| (1 − η)      (3)

At rest no power passes, and the motor gives T/N: what the gear's own friction holds is not known.

The torque that wears a gear is the mean of makers' catalogues, by output torque and speed,

    Tm = (∫ |q̇| |T|³ dt / ∫ |q̇| dt)^(1/3)                                                          (4)

Sources: (2), (3) are derived here from the power that passes; (4) is the average output torque of load limit 1 in
Harmonic Drive AG, "Engineering Data HFUS-2A Component Sets", 1019658 (2014), section 4.1.1, as an integral.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
STANDSTILL = 1e-9  # rad/s or m/s: slower than this is the rounding of a joint at rest
RPM = 60 / (2 * np.pi)  # turns a minute of 1 rad/s


class JointDemand(NamedTuple):
    """Of one joint along a motion, in samples: times (k,), the rest (rows, k); `torque` is T of equation (1). `inertia`
    is the largest that the joint has to accelerate, the others at rest: the diagonal of M without motor inertia."""

    t: Array
    torque: Array
    speed: Array
    acceleration: Array
    inertia: float


@dataclass(frozen=True)
class MotorLoad:
    """Of the motor of one joint along a motion, at its shaft, SI; of a batch the worst row.

    `inertia` is all that turns at the motor's speed; `speed_mean` the mean of |n|; `power` the largest at the shaft,
    either way; `energy` what the motor puts in, `braking_energy` what flows back into it, `loss` what the gear turns
    into heat, in J over the motion. `inertia_ratio` is the load inertia at the motor over `inertia`.
    """

    gear: float
    efficiency: float
    inertia: float
    speed: float
    speed_rms: float
    speed_mean: float
    torque: float
    torque_rms: float
    power: float
    energy: float
    braking_energy: float
    loss: float
    inertia_ratio: float | None


def gear_share(torque: Array, speed: Array, efficiency: float) -> Array:
    """η^(−sign(T q̇)): what the motor puts in for a unit at the output, without rotors."""
    power = np.where(np.abs(speed) > STANDSTILL, torque * speed, 0.0)
    return np.where(power > 0, 1 / efficiency, np.where(power < 0, efficiency, 1.0))


def motor_torque(
    torque: Array, speed: Array, acceleration: Array, gear: Any, inertia: object, efficiency: Any
) -> Array:
    """Equation (2)."""
    return np.asarray(inertia * gear * acceleration + gear_share(torque, speed, efficiency) * torque / gear)


def time_mean(t: Array, values: Array) -> Array:
    """Over the last axis; where the samples are two or fewer it is that of a line."""
    from scipy.integrate import simpson

    return np.asarray(simpson(values, x=t, axis=-1) / (t[-1] - t[0]))


def cubic_mean(t: Array, torque: Array, speed: Array) -> float:
    """Equation (4), of the worst row; a joint that rests has the torque that it holds."""
    pace = np.abs(speed)
    if not (pace > STANDSTILL).any():
        return float(np.abs(torque).max())
    turned = time_mean(t, pace)
    cubes = time_mean(t, pace * np.abs(torque) ** 3)
    return float(np.cbrt(np.divide(cubes, turned, out=np.zeros_like(cubes), where=turned > 0)).max())


def motor_load(demand: JointDemand, gear: float, inertia: float, efficiency: float) -> MotorLoad:
    """What a motor does behind this gear, from the samples of the motion."""
    t, T, qd, qdd = demand[:4]
    tau = motor_torque(T, qd, qdd, gear, inertia, efficiency)
    n = gear * qd
    power = tau * n
    span = float(t[-1] - t[0])
    passed = T * qd * (gear_share(T, qd, efficiency) - 1)  # driving and braking alike it is what is lost
    return MotorLoad(
        gear=gear, efficiency=efficiency, inertia=inertia, speed=_largest(n),
        speed_rms=float(np.sqrt(time_mean(t, n**2)).max()), speed_mean=float(time_mean(t, np.abs(n)).max()),
        torque=_largest(tau), torque_rms=float(np.sqrt(time_mean(t, tau**2)).max()), power=_largest(power),
        energy=float(time_mean(t, np.maximum(power, 0)).max()) * span,
        braking_energy=float(time_mean(t, np.maximum(-power, 0)).max()) * span,
        loss=float(time_mean(t, passed).max()) * span, inertia_ratio=inertia_ratio(demand, gear, inertia),
    )  # fmt: skip


def inertia_ratio(demand: JointDemand, gear: float, inertia: float) -> float | None:
    """The largest load inertia at the motor's shaft over the motor's; None where the motor's is not known."""
    return demand.inertia / gear**2 / inertia if inertia > 0 else None


def _largest(values: Array) -> float:
    return float(np.abs(values).max())
