"""The built-in control laws as a person writes them, with nothing but `mp.law` and NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import manipula as mp
from tests.control_laws import H, arm_of

GAINS: dict[str, Any] = {"kp": "n", "kd": "n"}
OWN: dict[str, Any] = {}


def own(**declared: Any) -> Callable[[Any], Any]:
    def enter(text: Any) -> Any:
        OWN[text.__name__] = mp.law(text, **declared)
        return OWN[text.__name__]

    return enter


@own(settings=GAINS)
def pd_gravity(arm, q, qd, q_ref, qd_ref, kp, kd):
    return kp * (q_ref - q) + kd * (qd_ref - qd) + arm.gravity(q)


@own(settings={**GAINS, "share": ("n", 1.0), "smoothing": ("n", 0.01)})
def friction_compensation(arm, q, qd, q_ref, qd_ref, kp, kd, share, smoothing):
    rub = arm.friction(q, qd, slip=qd_ref * (1 / smoothing))
    return kp * (q_ref - q) + kd * (qd_ref - qd) + arm.gravity(q) + share * rub


@own(settings={**GAINS, "smoothing": ("n", 0.01)})
def feedforward(arm, q, qd, q_ref, qd_ref, qdd_ref, kp, kd, smoothing):
    ahead = arm.inverse_dynamics_smooth(q_ref, qd_ref, qdd_ref, slip=qd_ref * (1 / smoothing))
    return ahead + kp * (q_ref - q) + kd * (qd_ref - qd)


@own(settings={**GAINS, "smoothing": ("n", 0.01)})
def computed_torque(arm, q, qd, q_ref, qd_ref, qdd_ref, kp, kd, smoothing):
    a = qdd_ref + kd * (qd_ref - qd) + kp * (q_ref - q)
    return arm.inverse_dynamics_smooth(q, qd, a, slip=qd_ref * (1 / smoothing))


@own(states={"integral": "n"}, settings={**GAINS, "ki": "n", "limit": ("n", 1e9), "smoothing": ("n", 0.01)})
def computed_torque_pid(arm, q, qd, q_ref, qd_ref, qdd_ref, integral, kp, kd, ki, limit, smoothing):
    e = q_ref - q
    a = qdd_ref + kd * (qd_ref - qd) + kp * e + integral
    v = arm.inverse_dynamics_smooth(q, qd, a, slip=qd_ref * (1 / smoothing))
    free = mp.where(limit < np.abs(v), e * v < 0, 1)
    return np.clip(v, -limit, limit), {"integral_rate": mp.where(free, ki * e, 0)}


@own(
    states={"integral": "n", "filtered": "n"},
    settings={**GAINS, "ki": "n", "tracking": "n", "limit": "n", "filter": "1"},
)
def pid(arm, q, q_ref, qd_ref, integral, filtered, kp, ki, kd, tracking, limit, filter, sample):
    e, d = q_ref - q, (1 / (filter + sample)) * (q - filtered)
    v = kp * e + integral + kd * (qd_ref - d)
    tau = np.minimum(np.maximum(v, -limit), limit)
    return tau, {
        "integral": integral + sample * (ki * e + tracking * (tau - v)),
        "filtered": filtered + sample * d,
    }


@own(settings={"lam": "n", "gain": "n", "layer": "n", "smoothing": ("n", 0.01)})
def sliding(arm, q, qd, q_ref, qd_ref, qdd_ref, lam, gain, layer, smoothing):
    slope = qd_ref - qd
    s = slope + lam * (q_ref - q)
    a = qdd_ref + lam * slope + gain * np.clip(s * (1 / layer), -1, 1)
    return arm.inverse_dynamics_smooth(q, qd, a, slip=qd_ref * (1 / smoothing))


# laws that learn


ADAPTED: dict[str, Any] = {"lam": "n", "kd": "n", "smoothing": ("n", 0.01)}


def reference_rates(q, qd, q_ref, qd_ref, qdd_ref, lam, smoothing):
    e, ed = q - q_ref, qd - qd_ref
    qd_r = qd_ref - lam * e
    return qd_r, qdd_ref - lam * ed, ed + lam * e, qd_r * (1 / smoothing)


@own(states={"theta": "base"}, settings={**ADAPTED, "gamma": "base"})
def slotine_li(arm, q, qd, q_ref, qd_ref, qdd_ref, theta, lam, kd, gamma, smoothing):
    qd_r, qdd_r, s, slip = reference_rates(q, qd, q_ref, qd_ref, qdd_ref, lam, smoothing)
    found = arm.two_velocity_products(q=q, qd=qd, qd_r=qd_r, qdd_r=qdd_r, slip=slip, theta=theta, weights=s)
    return found.tau - kd * s, {"theta_rate": -(gamma * found.slope)}


@own(states={"load": 10}, settings={**ADAPTED, "gamma_load": "10"})
def dynamic_adaptive(arm, q, qd, q_ref, qd_ref, qdd_ref, load, lam, kd, gamma_load, smoothing):
    qd_r, qdd_r, s, slip = reference_rates(q, qd, q_ref, qd_ref, qdd_ref, lam, smoothing)
    found = arm.loaded_dynamics(q=q, qd=qd, qd_r=qd_r, qdd_r=qdd_r, slip=slip, load=load, weights=s)
    return found.tau - kd * s, {"load_rate": -(gamma_load * found.slope)}


def factored(M):
    """L without its ones and D of M = Lᵀ D L, from the last row up."""
    n, L = len(M), [list(row[: i + 1]) for i, row in enumerate(M)]
    for k in range(n - 1, 0, -1):
        last, inverse = L[k], 1 / L[k][k]
        L[k] = [*(x * inverse for x in last[:k]), last[k]]
        for i, share in enumerate(L[k][:k]):
            L[i] = [x - share * other for x, other in zip(L[i], last)]
    return [row[:-1] for row in L], [1 / row[-1] for row in L]


def halfway(L, right):
    y = list(right)
    for k in range(len(y) - 1, -1, -1):
        for i, entry in enumerate(L[k]):
            y[i] = y[i] - entry * y[k]
    return y


def onward(L, inverse, y):
    x = []
    for row, rest, share in zip(L, y, inverse):
        x.append(rest * share - sum(a * b for a, b in zip(row, x)))
    return np.array(x)


def solved(L, inverse, right):
    return onward(L, inverse, halfway(L, right))


LEARNT: dict[str, Any] = {**GAINS, "filter": "1", "smoothing": ("n", 0.01)}


@own(
    states={"theta": "base", "slow": "n"},
    settings={**LEARNT, "psi": "n", "gamma": "base", "lower": ("base", -1e9), "upper": ("base", 1e9)},
)
def craig(arm, q, qd, q_ref, qd_ref, qdd_ref, theta, slow, kp, kd, psi, gamma, lower, upper, filter, smoothing, sample):
    qdd = (1 / (filter + sample)) * (qd - slow)
    e, ed = q_ref - q, qd_ref - qd
    motion = {"q": q, "qd": qd, "qd_r": qd, "slip": qd_ref * (1 / smoothing), "theta": theta}
    tau = arm.two_velocity_products(**motion, qdd_r=qdd_ref + kd * ed + kp * e, weights=np.zeros(arm.n)).tau
    pushed = solved(*factored(arm.base_inertia_matrix(q=q, theta=theta)), ed + psi * e)
    slope = arm.two_velocity_products(**motion, qdd_r=qdd, weights=pushed).slope
    return tau, {
        "theta": np.minimum(np.maximum(theta + sample * (gamma * slope), lower), upper),
        "slow": slow + sample * qdd,
    }


@own(
    states={"theta": "base", "lost": "pairs", "slow": "n", "held": "n"},
    settings={**LEARNT, "covariance": "base", "forgetting": "1", "excitation": "1", "trace": "1"},
)
def self_tuning(
    arm, q, qd, q_ref, qd_ref, qdd_ref, theta, lost, slow, held,
    kp, kd, covariance, forgetting, excitation, trace, filter, smoothing, sample,
):  # fmt: skip
    lag = filter + sample
    qdd = (1 / lag) * (qd - slow)
    motion = {"q": q, "qd": qd, "qd_r": qd, "slip": qd_ref * (1 / smoothing), "theta": theta}
    u = qdd_ref + kd * (qd_ref - qd) + kp * (q_ref - q)
    tau = arm.two_velocity_products(**motion, qdd_r=u, weights=np.zeros(arm.n)).tau
    phi = arm.two_velocity_products(**motion, qdd_r=qdd, weights=qd).slope
    count, rest = len(theta), iter(lost)
    P = [[(covariance[i] if i == j else 0) - next(rest) for j in range(i + 1)] for i in range(count)]
    g = [sum(P[max(i, j)][min(i, j)] * phi[j] for j in range(count)) for i in range(count)]
    wrong = qd @ held - phi @ theta
    excited, bounded = excitation < phi @ phi, sum(P[i][i] for i in range(count)) < trace
    grown = 1 + sample * forgetting
    inverse = 1 / (1 / grown + phi @ np.array(g))
    swollen = mp.where(bounded, grown, 1)
    step = np.array([inverse * a for a in g])
    places = [(i, j) for i in range(count) for j in range(i + 1)]
    after = [swollen * (P[i][j] - step[i] * g[j]) for i, j in places]
    now = np.array([(covariance[i] if i == j else 0) - p for (i, j), p in zip(places, after)])
    return tau, {
        "theta": mp.where(excited, theta + step * wrong, theta),
        "lost": mp.where(excited, now, lost),
        "slow": slow + sample * qdd,
        "held": held + sample * (1 / lag) * (tau - held),
    }


EIGHT = dict.fromkeys(("model", "model_speed", "u", "u_speed", "w", "w_speed", "alpha", "beta"), "n")


@own(
    states=EIGHT,
    settings={"frequency": "n", "zeta": "n", "inertia": "n", "k0": "n", "k1": "n", "gamma": "n"},
)
def mrac(
    arm, q, qd, q_ref, model, model_speed, u, u_speed, w, w_speed, alpha, beta,
    frequency, zeta, inertia, k0, k1, gamma, sample,
):  # fmt: skip
    stiff, damped = frequency * frequency, 2 * zeta * frequency

    def second(drive, place, rate):
        return drive - damped * rate - stiff * place

    ahead = second(stiff * q_ref, model, model_speed)
    wrong = gamma * (k1 * (model_speed - qd) + k0 * (model - q))
    share = np.maximum(1 + alpha, 0.1)
    b = 2 * zeta * (1 / frequency)
    tau = inertia * stiff * (1 / share) * (q_ref - q - b * (1 + beta) * qd)
    speeds = {
        "model_speed": model_speed + sample * ahead,
        "u_speed": u_speed + sample * second(-ahead, u, u_speed),
        "w_speed": w_speed + sample * second(-(damped * model_speed), w, w_speed),
    }
    return tau, {
        **speeds,
        "model": model + sample * speeds["model_speed"],
        "u": u + sample * speeds["u_speed"],
        "w": w + sample * speeds["w_speed"],
        "alpha": np.maximum(alpha + sample * (wrong * (k1 * u_speed + k0 * u)), -0.9),
        "beta": beta + sample * (wrong * (k1 * w_speed + k0 * w)),
    }


# an observer


@own(inputs={"tau": "n"}, states={"integral": "n"}, settings={"gain": "n", "smoothing": ("n", 0.01)})
def momentum_observer(arm, q, qd, tau, integral, gain, smoothing, sample):
    seen = arm.momentum(q, qd)
    residual = gain / (1 + gain * sample) * (seen.momentum - integral)
    slope = tau + seen.change - arm.friction(q, qd, slip=qd * (1 / smoothing)) + residual
    return {"residual": residual}, {"integral": integral + sample * slope}


# laws of the tool


def quaternion(R):
    """Of a rotation matrix: by the largest of 4 e_k², so that nothing small is divided by."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = R
    rows = np.array([
        [1 + xx + yy + zz, zy - yz, xz - zx, yx - xy],
        [zy - yz, 1 + xx - yy - zz, yx + xy, xz + zx],
        [xz - zx, yx + xy, 1 - xx + yy - zz, zy + yz],
        [yx - xy, xz + zx, zy + yz, 1 - xx - yy + zz],
    ])  # fmt: skip
    largest, e = rows[0, 0], rows[0]
    for k in (1, 2, 3):
        e = mp.where(largest < rows[k, k], rows[k], e)
        largest = np.maximum(largest, rows[k, k])
    return 1 / (2 * np.sqrt(largest)) * mp.where(e[0] < 0, -e, e)


def tool(arm, q, qd, x_ref, xd_ref):
    """J, the error of the pose, and of its rate."""
    J, T = arm.jacobian(q), arm.pose(q)
    w, x, y, z = 1 / np.linalg.norm(x_ref[3:]) * x_ref[3:]
    wanted = np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])  # fmt: skip
    turn = 2 * quaternion(wanted @ T[:3, :3].T)[1:]
    return J, np.concatenate([x_ref[:3] - T[:3, 3], turn]), xd_ref - J @ qd


def pulled(kp, kd, error, lag):
    """One gain for each axis, one for all turns."""
    axes = [0, 1, 2, 3, 3, 3]
    return kp[axes] * error + kd[axes] * lag


def damped_solver(A, threshold, most):
    """A where it is large enough, more on its diagonal where it is not."""
    hair = 1e-9 * threshold
    L, inverse = factored([[x + hair if i == j else x for j, x in enumerate(row)] for i, row in enumerate(A)])
    rows = []
    for k, row in enumerate(L):
        rows.append([-(row[i] + sum(row[m] * rows[m][i] for m in range(i + 1, k))) for i in range(k)])
    trace = sum(sum(a * a * d for a, d in zip(row, inverse)) + inverse[i] for i, row in enumerate(rows))
    share = np.maximum(1 - 1 / trace * (1 / threshold), 0)
    more = share * most
    return factored([[x + more if i == j else x for j, x in enumerate(row)] for i, row in enumerate(A)]), share


def gram(A, B):
    lower = [[A[i] @ B[j] for j in range(i + 1)] for i in range(len(A))]
    return [[lower[max(i, j)][min(i, j)] for j in range(len(A))] for i in range(len(A))]


WANTED: dict[str, Any] = {"x_ref": 7, "xd_ref": 6, "xdd_ref": 6}
TOOL: dict[str, Any] = {"kp": "4", "kd": "4", "null": ("n", 1.0), "smoothing": ("n", 0.01)}


@own(inputs=WANTED, settings={**TOOL, "singular": 0.04, "damping": 0.04})
def resolved_acceleration(
    arm, q, qd, x_ref, xd_ref, xdd_ref, kp, kd, null, singular, damping, smoothing
):  # fmt: skip
    J, error, lag = tool(arm, q, qd, x_ref, xd_ref)
    still = -(null * qd)
    left = xdd_ref + pulled(kp, kd, error, lag) - arm.tool_bias(q, qd) - J @ still
    solver, share = damped_solver(gram(J, J), singular * singular, damping * damping)
    qdd = still + J.T @ solved(*solver, left)
    rates = J.T @ solved(*solver, xd_ref)
    return {"tau": arm.inverse_dynamics_smooth(q, qd, qdd, slip=rates * (1 / smoothing)), "damped": share}


@own(inputs=WANTED, settings={**TOOL, "heaviest": 1000.0})
def operational_space(arm, q, qd, x_ref, xd_ref, xdd_ref, kp, kd, null, heaviest, smoothing):
    J, error, lag = tool(arm, q, qd, x_ref, xd_ref)
    still = -(null * qd)
    left = xdd_ref + pulled(kp, kd, error, lag) - arm.tool_bias(q, qd) - J @ still
    L, inverse = factored(arm.inertia_matrix(q))
    Y = np.array([halfway(L, row) for row in J])
    solver, share = damped_solver(gram(Y * np.array(inverse), Y), 1 / heaviest, 1 / heaviest)
    rates = solved(L, inverse, J.T @ solved(*solver, xd_ref))
    held = arm.inverse_dynamics_smooth(q, qd, still, slip=rates * (1 / smoothing))
    return {"tau": J.T @ solved(*solver, left) + held, "damped": share}


@own(inputs={"x_ref": 7, "xd_ref": 6}, settings={"kp": "4", "kd": "4", "null": ("n", 0.0)})
def impedance(arm, q, qd, x_ref, xd_ref, kp, kd, null):
    J, error, lag = tool(arm, q, qd, x_ref, xd_ref)
    return J.T @ pulled(kp, kd, error, lag) - null * qd + arm.gravity(q)


TOOLS = ("resolved_acceleration", "operational_space", "impedance")


def pair_of(name: str) -> tuple[mp.Law, mp.Law]:
    """The built-in law and the one written here, on a drawn arm with drawn gains."""
    robot = arm_of(sum(map(ord, name)), "RRPRRR" if name in TOOLS else "RPR")
    rng = np.random.default_rng(1)
    given: dict[str, Any] = {
        x: float(rng.uniform(0.4, 1.2)) for x, entry in OWN[name].settings.items() if entry.default is None
    }
    given |= {"ki": 0.1} if "ki" in given else {}
    return mp.controller(robot, name, sample=H, **given), mp.controller(robot, OWN[name], sample=H, **given)
