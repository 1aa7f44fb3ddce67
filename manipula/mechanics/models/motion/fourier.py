"""A periodic motion: a finite Fourier series in every joint, of one base frequency.

    q = q₀ + Σ_k  a_k/(ω k) sin(ω k t) − b_k/(ω k) cos(ω k t)
    q̇ =      Σ_k  a_k cos(ω k t) + b_k sin(ω k t)
    q̈ =      Σ_k  ω k (b_k cos(ω k t) − a_k sin(ω k t))

So a and b are velocities. Higher harmonics are multiples of the angle ω t, from one sine and one cosine.

Source: Swevers, Ganseman, Tükel, De Schutter, Van Brussel, "Optimal robot excitation and identification", IEEE
Transactions on Robotics and Automation 13 (1997), section II.
"""

from __future__ import annotations

from typing import Any

from manipula.mechanics.models.block import Block
from manipula.mechanics.models.entry import Given
from manipula.mechanics.models.motion.ports import Motion, reference, setting
from manipula.mechanics.models.ports import POSITION, VELOCITY, PortKind
from manipula.scalar import Maths, Scalar

CENTRE = PortKind("ref_centre", POSITION, "positions q₀ that the motion goes around", role="setting", signed=True)
BASE = setting("base", "rad/s", "base frequency", divides=True)


def _waves(maths: Maths[Any], angle: Scalar, count: int) -> list[tuple[Any, Any]]:
    """cos(kα), sin(kα) for k = 1 … count."""
    c, s = maths.cos(angle), maths.sin(angle)
    found = [(c, s)]
    for _ in range(1, count):
        x, y = found[-1]
        # cos((k + 1)α) = c cos(kα) − s sin(kα),  sin((k + 1)α) = s cos(kα) + c sin(kα)
        found.append((c * x - s * y, s * x + c * y))
    return found


def fourier(harmonics: int) -> Block:
    """The block for so many harmonics."""
    orders = range(1, harmonics + 1)
    a, b = (
        [PortKind(f"ref_{way}{k}", VELOCITY, f"{way} of the velocity, harmonic {k}", "dof", "setting",
                  f"ref_{way}{k}_", signed=True) for k in orders]
        for way in ("cosine", "sine")
    )  # fmt: skip

    def motion(maths: Maths[Any], t: Scalar, x: Given) -> Motion:
        base = x["ref_base"][0]
        waves = _waves(maths, base * t, harmonics)
        found = Motion([], [], [])
        for i, rest in enumerate(x["ref_centre"]):
            terms = [
                (base * k, x[f"ref_cosine{k}"][i], x[f"ref_sine{k}"][i], c, s)
                for k, (c, s) in zip(orders, waves, strict=True)
            ]
            # q = q₀ + Σ a/(ωk) sin − b/(ωk) cos,  q̇ = Σ a cos + b sin,  q̈ = Σ ωk (b cos − a sin)
            found.q.append(rest + sum(p / w * s - r / w * c for w, p, r, c, s in terms))
            found.qd.append(sum(p * c + r * s for _, p, r, c, s in terms))
            found.qdd.append(sum(w * r * c - w * p * s for w, p, r, c, s in terms))
        return found

    return reference("fourier", f"a Fourier series of {harmonics} harmonics", (CENTRE, BASE, *a, *b), motion)
