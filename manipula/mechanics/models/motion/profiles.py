"""Motions as texts of time: from rest to rest, through points by a spline, and a sum of waves.

Source: Siciliano et al. (2009); de Boor (1978); Swevers et al. (1997): in full above each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from manipula.mechanics.models.entry import Block, Given
from manipula.mechanics.models.motion.ports import DURATION, GOAL, START, Motion, outside, reference, setting, within
from manipula.mechanics.models.ports import POSITION, VELOCITY, PortKind
from manipula.scalar import Maths, Scalar

# A straight line in joint space: every joint goes the same share of its way at any moment.
#
#     q = q₀ + s (q₁ − q₀)        q̇ = ṡ (q₁ − q₀)        q̈ = s̈ (q₁ − q₀)
#
# The time law s(t) goes from 0 at t = 0 to 1 at the duration; before and after, the reference rests.
#
# Source: Siciliano et al., "Robotics" (2009), section 4.2.1 (point-to-point motion).


@dataclass(frozen=True)
class TimeLaw:
    """How far along: s, ṡ, s̈ of a time within 0 and the duration. `settings` are those beside the duration."""

    name: str
    doc: str
    settings: tuple[PortKind, ...]
    text: Callable[[Maths[Scalar], Scalar, Given], Motion]

    @property
    def block(self) -> Block:
        return reference(self.name, self.doc, (START, GOAL, DURATION, *self.settings), self._motion)

    def along(self, maths: Maths[Scalar], t: Scalar, x: Given) -> Motion:
        """s, ṡ, s̈ at any time."""
        end = x["ref_duration"][0]
        s, sd, sdd = self.text(maths, within(maths, t, end), x)
        rests = outside(maths, t, end)
        return Motion(s, maths.select(rests, 0, sd), maths.select(rests, 0, sdd))

    def _motion(self, maths: Maths[Scalar], t: Scalar, x: Given) -> Motion:
        s, sd, sdd = self.along(maths, t, x)
        ways = [b - a for a, b in zip(x["ref_start"], x["ref_goal"], strict=True)]
        going = maths.less(t, x["ref_duration"][0])
        # q₀ + (q₁ − q₀) may miss q₁ by a rounding: at the end it is q₁ itself
        q = [maths.select(going, a + s * way, b) for a, b, way in zip(x["ref_start"], x["ref_goal"], ways, strict=True)]
        return Motion(q, [sd * way for way in ways], [sdd * way for way in ways])


# From rest to rest by a polynomial of degree five: velocity and acceleration vanish at both ends.
#
#     x = t/T        s = x³ (10 − 15 x + 6 x²)        ṡ = 30 x² (1 − x)²/T        s̈ = 60 x (1 − x)(1 − 2x)/T²
#
# Source: Craig, "Introduction to Robotics", 3rd ed., section 7.3, higher-order polynomials (eq. 7.17, 7.18), with no
# velocity and no acceleration at the ends.


def _text(maths: Maths[Scalar], t: Scalar, given: Given) -> Motion:
    pace = 1 / given["ref_duration"][0]
    x = t * pace
    rest = 1 - x
    # s = x³ (10 − 15 x + 6 x²)
    s = x * x * x * (10 + x * (6 * x - 15))
    # ṡ = 30 x² (1 − x)²/T,  s̈ = 60 x (1 − x)(1 − 2x)/T²
    return Motion(s, 30 * pace * (x * rest) * (x * rest), 60 * pace * pace * (x * rest) * (rest - x))


QUINTIC = TimeLaw("quintic", "from rest to rest by a polynomial of degree five", (), _text)


# From rest to rest at constant acceleration, constant velocity, constant deceleration.
#
# With v = a r the velocity after the ramp of length r, and h the same way read from either end, τ = min(t, T − t):
#
#     h = a τ²/2  on the ramp,  v (τ − r/2)  after it        s = h in the first half, 1 − h in the second
#
# The quickest under limits V, A of ṡ and s̈: r = V/A if V²/A ≤ 1, else r = 1/√A and no time at constant velocity.
#
# Source: Siciliano et al., "Robotics" (2009), section 4.2.1, eq. (4.5)–(4.8) (trapezoidal velocity profile).

RAMP = setting("ramp", "s", "time to come to full velocity, and from it to rest")
SPEED = setting("speed", "1/s", "share of the way in a second, at full velocity")
PULL = setting("pull", "1/s²", "acceleration of the share")


def _trapezoid_text(maths: Maths[Scalar], t: Scalar, given: Given) -> Motion:
    (end,), (ramp,), (v,), (a,) = (given[name] for name in ("ref_duration", "ref_ramp", "ref_speed", "ref_pull"))
    left = end - t
    first, near = maths.less(t, left), maths.minimum(t, left)
    speeding = maths.less(near, ramp)
    # h = a τ²/2  or  v (τ − r/2)
    h = maths.select(speeding, a * near * near / 2, v * (near - ramp / 2))
    pull = maths.select(speeding, a, 0)
    # s = h  or  1 − h
    return Motion(
        maths.select(first, h, 1 - h),
        maths.select(speeding, a * near, v),
        maths.select(first, pull, -pull),
    )


TRAPEZOID = TimeLaw("trapezoid", "from rest to rest by a trapezoid of velocity", (RAMP, SPEED, PULL), _trapezoid_text)


# From rest to rest in seven pieces of constant jerk: j, 0, −j, then constant velocity, then −j, 0, j.
#
# A ramp takes the velocity from 0 to v in r seconds, its jerk ±j over the first and last u seconds of it:
#
#     a = j u        v = a (r − u)        and its way is v r/2
#
# All is symmetric. With τ the time from the nearer end of the motion and σ that from the nearer end of the ramp,
#
#     p(σ) = j σ³/6,  σ ≤ u        a (σ²/2 − u σ/2 + u²/6),  u ≤ σ ≤ r/2
#     h = p(τ)  in the first half of the ramp,  v (r/2 − σ) + p(σ)  in its second,  v (τ − r/2)  after it
#
# and s = h in the first half of the motion, 1 − h in the second. The quickest of this kind under limits of velocity,
# acceleration and jerk is in `simulation`.
#
# Derived here from the symmetry; the profile is the double S of Biagiotti, Melchiorri, "Trajectory Planning for
# Automatic
# Machines and Robots" (2008), section 3.4.

JERK = setting("jerk", "1/s³", "jerk of the share")
JERK_TIME = setting("jerk_time", "s", "time at full jerk, at either end of a ramp")


def _jerk_limited_text(maths: Maths[Scalar], t: Scalar, given: Given) -> Motion:
    (end,), (r,), (j,), (u,) = (given[name] for name in ("ref_duration", "ref_ramp", "ref_jerk", "ref_jerk_time"))
    a = j * u
    v = a * (r - u)
    left = end - t
    first, near = maths.less(t, left), maths.minimum(t, left)
    # on the ramp: its first half, or its second read from the other end
    early = maths.less(near, r / 2)
    side = maths.maximum(maths.select(early, near, r - near), 0)
    bending = maths.less(side, u)
    way = maths.select(bending, j * side * side * side / 6, a * (side * (side - u) / 2 + u * u / 6))
    speed = maths.select(bending, j * side * side / 2, a * (side - u / 2))
    pull = maths.minimum(j * side, a)
    h = maths.select(early, way, v * (r / 2 - side) + way)
    hd = maths.select(early, speed, v - speed)
    # after the ramp
    ramped = maths.less(near, r)
    h = maths.select(ramped, h, v * (near - r / 2))
    hd = maths.select(ramped, hd, v)
    hdd = maths.select(ramped, pull, 0)
    return Motion(maths.select(first, h, 1 - h), hd, maths.select(first, hdd, -hdd))


JERK_LIMITED = TimeLaw(
    "jerk_limited", "from rest to rest in seven pieces of constant jerk", (RAMP, JERK, JERK_TIME), _jerk_limited_text
)


# Piecewise polynomials of time: the segment is chosen by comparisons, its polynomial evaluated by Horner's rule.
#
#     u = t − t_k        q = c₀ + u (c₁ + u (c₂ + …))        q̇, q̈ its derivatives,        t_k ≤ t < t_{k+1}
#
# Before the first knot and after the last the reference rests where the curve begins and ends. What makes the
# coefficients, a spline through points or a table, is in `simulation`.
#
# Source: de Boor, "A Practical Guide to Splines" (1978), the chapter on the piecewise polynomial representation.


def coefficient(segment: int, power: int) -> str:
    """The port of the coefficients of u^power in a segment, one a joint."""
    return f"ref_c{segment + 1}_{power}"


def spline(segments: int, degree: int) -> Block:
    """The block for so many pieces of that degree; knots are counted from 0 at the start, the last is the end."""
    knots = PortKind(
        "ref_knot", "s", "ends of the segments", tuple(f"ref_knot{k + 1}" for k in range(segments)), "setting"
    )
    kinds = [
        PortKind(name, "SI", f"of u^{power} in segment {k + 1}", "dof", "setting", f"{name}_", signed=True)
        for k in range(segments)
        for power in range(degree + 1)
        for name in [coefficient(k, power)]
    ]

    def motion(maths: Maths[Scalar], t: Scalar, x: Given) -> Motion:
        ends = x["ref_knot"]
        time, rests = within(maths, t, ends[-1]), outside(maths, t, ends[-1])
        later = [maths.less(time, end) for end in ends[:-1]]  # before the end of the segment
        u = time - _select_segment(maths, later, [0, *ends[:-1]])
        found, going = Motion([], [], []), maths.less(t, ends[-1])
        for i, goal in enumerate(x["ref_goal"]):
            c = [
                _select_segment(maths, later, [x[coefficient(k, p)][i] for k in range(segments)])
                for p in range(degree + 1)
            ]
            found.q.append(maths.select(going, _horner(c, u), goal))
            found.qd.append(maths.select(rests, 0, _horner(_slope(c), u)))
            found.qdd.append(maths.select(rests, 0, _horner(_slope(_slope(c)), u)))
        return found

    doc = f"{segments} piece{'s' if segments > 1 else ''} of degree {degree}"
    return reference("spline", doc, (GOAL, knots, *kinds), motion)


def _select_segment(maths: Maths[Scalar], before: Sequence[Scalar], values: Sequence[Scalar]) -> Scalar:
    """The value of the first segment whose end is still ahead, else the last."""
    found = values[-1]
    for earlier, value in zip(reversed(before), reversed(values[:-1]), strict=True):
        found = maths.select(earlier, value, found)
    return found


def _horner(c: Sequence[Scalar], u: Scalar) -> Scalar:
    found = c[-1]
    for x in reversed(c[:-1]):
        found = x + u * found
    return found


def _slope(c: Sequence[Scalar]) -> list[Scalar]:
    """Coefficients of the derivative."""
    return [power * x for power, x in enumerate(c)][1:]


# A periodic motion: a finite Fourier series in every joint, of one base frequency.
#
#     q = q₀ + Σ_k  a_k/(ω k) sin(ω k t) − b_k/(ω k) cos(ω k t)
#     q̇ =      Σ_k  a_k cos(ω k t) + b_k sin(ω k t)
#     q̈ =      Σ_k  ω k (b_k cos(ω k t) − a_k sin(ω k t))
#
# So a and b are velocities. Higher harmonics are multiples of the angle ω t, from one sine and one cosine.
#
# Source: Swevers, Ganseman, Tükel, De Schutter, Van Brussel, "Optimal robot excitation and identification", IEEE
# Transactions on Robotics and Automation 13 (1997), section II.


CENTRE = PortKind("ref_centre", POSITION, "positions q₀ that the motion goes around", role="setting", signed=True)
BASE = setting("base", "rad/s", "base frequency", divides=True)


def _waves(maths: Maths[Scalar], angle: Scalar, count: int) -> list[tuple[Scalar, Scalar]]:
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

    def motion(maths: Maths[Scalar], t: Scalar, x: Given) -> Motion:
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
