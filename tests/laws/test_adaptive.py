"""Adaptive laws and what they are made of: dynamics in two velocities, its regressor, its products."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import simpson, solve_ivp

import manipula as mp
from tests.random_robots import random_robot, random_tree, with_laws

pytestmark = pytest.mark.usefixtures("without_search")

# one joint, slides, screws, a fixed first joint
ARMS = [(1, "R"), (2, "P"), (3, "FRP"), (4, "HR"), (5, "PRR")]
LARGER = [(6, "RRPR"), (7, "RRRRR"), (8, "RPHRR")]


def arm_of(seed: int, kinds: str, *, actuators: bool = True) -> mp.Robot:
    return mp.Robot.of(random_robot(seed, joints=kinds, actuators=actuators))


def valued(robot: mp.Robot, rng: np.random.Generator) -> mp.Robot:
    """All its letters drawn."""
    free = [name for name, value in robot.parameters.items() if value is None]
    return robot.with_parameters(**{name: float(rng.uniform(0.3, 0.9)) for name in free})


def theta_of(robot: mp.Robot) -> Any:
    return np.array([float(x) for x in robot.base_parameters.values() if x is not None])


def motion(rng: np.random.Generator, n: int) -> tuple[Any, ...]:
    """q, q̇, q̇_r, q̈_r, slip"""
    return tuple(rng.uniform(-1.5, 1.5, n) for _ in range(5))


def expected(robot: mp.Robot, q: Any, qd: Any, qd_r: Any, qdd_r: Any, slip: Any) -> Any:
    """M q̈_r + C(q, q̇) q̇_r + g, and the friction of q̇_r with sat(slip) for its sign, read from the description."""
    arm = mp.Arm(robot)
    tau = arm.inertia_matrix(q) @ qdd_r + arm.coriolis_matrix(q, qd) @ qd_r + arm.gravity(q)
    values = robot.standard_parameters
    letters = [{x: values.get(f"{x}{i + 1}", 0.0) or 0.0 for x in ("fv", "fc", "fo")} for i in range(robot.dof)]
    return tau + [f["fv"] * v + f["fc"] * np.clip(x, -1, 1) + f["fo"] for f, v, x in zip(letters, qd_r, slip)]


@pytest.mark.parametrize("seed, kinds", [*ARMS, *(pytest.param(*arm, marks=pytest.mark.slow) for arm in LARGER)])
def test_the_regressor_in_two_velocities_is_the_arm(seed: int, kinds: str) -> None:
    rng = np.random.default_rng(seed)
    robot = valued(arm_of(seed, kinds), rng)
    x = motion(rng, robot.dof)
    true, theta = expected(robot, *x), theta_of(robot)
    scale = np.abs(true).max() + 1
    Y = mp.generate(robot, "two_velocity_regressor")
    np.testing.assert_allclose(Y.compile()(*x) @ theta, true, atol=1e-11 * scale, rtol=0)
    assert Y.columns == tuple(robot.base_parameters)
    np.testing.assert_allclose(
        mp.generate(robot, "two_velocity_dynamics").compile()(*x), true, atol=1e-11 * scale, rtol=0
    )
    weights = rng.normal(size=robot.dof)
    found = mp.generate(robot, "two_velocity_products", method="recursion").compile()(*x, theta, weights)
    np.testing.assert_allclose(found.tau, true, atol=1e-11 * scale, rtol=0)
    np.testing.assert_allclose(found.slope, Y.compile()(*x).T @ weights, atol=1e-11 * scale, rtol=0)


def test_both_velocities_alike_it_is_the_regressor_of_one() -> None:
    robot = arm_of(11, "RPR", actuators=False)
    rng = np.random.default_rng(11)
    q, qd, _, qdd, slip = motion(rng, 3)
    free = {name: float(rng.uniform(0.3, 0.9)) for name, value in robot.parameters.items() if value is None} or None
    two, one = (mp.generate(robot, model).compile() for model in ("two_velocity_regressor", "base_regressor"))
    np.testing.assert_allclose(two(q, qd, qd, qdd, slip, p=free), one(q, qd, qdd, p=free), atol=1e-12)


@pytest.mark.turn
def test_further_friction_is_that_of_the_velocity_asked_for() -> None:
    """Stribeck and asymmetric friction: with slip far from 0 the smooth sign is the sign of q̇_r."""
    rng = np.random.default_rng(12)
    robot = valued(mp.Robot.of(with_laws(random_robot(12, joints="RRP"), 12)), rng)
    q, _, qd_r, qdd_r, _ = motion(rng, robot.dof)
    x = (q, qd_r, qd_r, qdd_r, 40 * np.sign(qd_r))
    true = mp.Arm(robot).inverse_dynamics(q, qd_r, qdd_r)
    for model in ("two_velocity_dynamics", "two_velocity_products"):
        given = (*x, theta_of(robot), np.zeros(robot.dof)) if model.endswith("products") else x
        found = mp.generate(robot, model).compile()(*given)
        tau = found.tau if model.endswith("products") else found
        np.testing.assert_allclose(tau, true, atol=1e-11 * np.abs(true).max())


def test_load_dependent_friction_has_no_columns() -> None:
    robot = mp.Robot.of(with_laws(random_robot(13, joints="RR"), 13, ["load"]))
    with pytest.raises(mp.InputError, match="depends on its load"):
        mp.generate(robot, "two_velocity_regressor")
    assert mp.generate(robot, "two_velocity_dynamics").cost.total > 0


@pytest.mark.filterwarnings("ignore:.*gravity does no work")  # one of the trees stands on end
@pytest.mark.parametrize("seed", [3, pytest.param(4, marks=pytest.mark.slow)])
def test_a_tree_has_it_too(seed: int) -> None:
    """Each link is reached by the joints before it alone."""
    rng = np.random.default_rng(seed)
    robot = valued(mp.Robot.of(random_tree(seed, "RPR", actuators=False, surroundings=False)), rng)
    x, weights = motion(rng, robot.dof), rng.normal(size=robot.dof)
    true = expected(robot, *x)
    found = mp.generate(robot, "two_velocity_products").compile()(*x, theta_of(robot), weights)
    np.testing.assert_allclose(found.tau, true, atol=1e-11 * np.abs(true).max())
    np.testing.assert_allclose(found.slope @ theta_of(robot), true @ weights, atol=1e-11 * np.abs(true).max())


def test_cheaper_than_three_regressors() -> None:
    """The matrix costs about one of them; its products, by whichever way is shorter, less than three."""
    models = ("base_regressor", "two_velocity_regressor", "two_velocity_products")
    one, two, products = (mp.generate("stanford3", model).cost.total for model in models)
    assert two < 1.3 * one
    assert products < 2.5 * one


# Slotine and Li

PLANAR = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
GAINS = {"lam": 8.0, "kd": 6.0}


def swing(n: int) -> Any:
    """Two waves a joint, their phases apart."""
    a, b = 0.5 * np.cos(np.arange(2 * n)).reshape(2, n), 0.6 * np.sin(1 + np.arange(2 * n)).reshape(2, n)
    return mp.trajectory.fourier(a, b, 1.7)


class Followed:
    """A loop that has followed its reference from a tenth off: times, states, s = ė + Λe."""

    def __init__(self, loop: mp.System, ref: Any, seconds: float, state: Any = None, **given: Any) -> None:
        h, steps = loop.sample or 0.0, round(seconds / (loop.sample or 1.0))
        first = ref(0.0)
        begun = loop.start(q=first.q + 0.1, qd=first.qd) if state is None else state
        made = loop.run(begun, steps, **given)
        self.t, self.x, self.last = made.states.clock[:, 0] * h, made.states, made.state
        wanted = ref(self.t)
        self.e = self.x.q - wanted.q
        self.s = self.x.qd - wanted.qd + np.array(loop.settings.get("lam", (0.0,))) * self.e


@pytest.mark.parametrize("seed, kinds, viscous", [(21, "RP", 0.0), (22, "R", 0.0), (23, "RR", 1.5)])
def test_the_energy_of_the_errors_is_spent_on_damping_alone(seed: int, kinds: str, viscous: float) -> None:
    """V + ∫ sᵀ(K_D + F_v) s dt is a constant, V = ½ sᵀM s + ½ ãᵀΓ⁻¹ã, whatever the arm carries."""
    n = len(kinds)
    robot = mp.Robot.of(random_robot(seed, joints=kinds, actuators=False, surroundings=False))
    rubbing = {name: {"viscous": viscous} for name in robot.joint_names} if viscous else {}
    robot = robot.with_friction(rubbing)
    plant = robot.with_payload(1.3, (0.1, -0.05, 0.2))
    gamma = 0.5 + 0.3 * np.arange(len(robot.base_parameters))
    law = mp.controller(robot, "slotine_li", **GAINS, gamma=gamma)
    loop = mp.closed_loop(plant, law, swing(n), step=1e-3)
    run = Followed(loop, swing(n), 2.0)
    assert list(plant.base_parameters) and len(plant.base_parameters) == len(gamma)
    lost = theta_of(plant) - run.x.theta
    M = mp.Arm(plant).inertia_matrix(run.x.q)
    V = 0.5 * np.einsum("ti,tij,tj->t", run.s, M, run.s) + 0.5 * (lost * lost / gamma).sum(axis=1)
    spent = (GAINS["kd"] + viscous) * (run.s * run.s).sum(axis=1)
    total = [V[k] + simpson(spent[: k + 1], dx=1e-3) for k in range(0, len(V), 100)]
    assert np.abs(np.diff(V)).max() > 1e-4 * V[0]
    np.testing.assert_allclose(total, V[0], rtol=1e-7)


@pytest.mark.turn
def test_a_payload_is_learnt_and_learnt_again_when_it_is_dropped() -> None:
    """The error of computed torque, which knows nothing of it, stays; that of the adaptive law dies out twice."""
    plant, ref = PLANAR.with_payload("mL", (0.0, 0.05, 0.0)), swing(2)
    adaptive = mp.controller(PLANAR, "slotine_li", lam=10, kd=20, gamma=[0.3, 0.3, 0.03, 1, 1, 0.03], sample=1e-3)
    fixed = mp.controller(PLANAR, "computed_torque", kp=100, kd=20, sample=1e-3)
    loop = mp.closed_loop(plant, adaptive, ref)
    lasting = Followed(mp.closed_loop(plant, fixed, ref), ref, 12.0, p={"mL": 1.5}).e[-3000:]
    run = Followed(loop, ref, 12.0, p={"mL": 1.5})
    assert rms(run.e[-3000:]) < 0.02 * rms(lasting)
    after = Followed(loop, ref, 12.0, run.last, p={"mL": 0.0})
    assert rms(after.e[:500]) > 10 * rms(run.e[-3000:])
    assert rms(after.e[-3000:]) < 0.15 * rms(after.e[:500])


def rms(x: Any) -> float:
    return float(np.sqrt((x * x).mean()))


def test_nothing_is_learnt_without_gain_or_error() -> None:
    law = mp.controller(PLANAR, "slotine_li", **GAINS, gamma=0, sample=1e-3)
    state = law.start()
    np.testing.assert_array_equal(state.theta, theta_of(PLANAR))
    new, tau = law.step(state, [0.3, 0.2], [1, 2], [0, 0], [0, 0], [0, 0])
    assert new.theta.tobytes() == state.theta.tobytes()
    assert np.abs(tau).max() > 1
    eager = mp.controller(PLANAR, "slotine_li", **GAINS, gamma=5, sample=1e-3)
    new, tau = eager.step(state, [0.3, 0.2], [1, 2], [0.3, 0.2], [1, 2], [0.5, -0.5])
    assert new.theta.tobytes() == state.theta.tobytes()
    np.testing.assert_allclose(tau, mp.Arm(PLANAR).inverse_dynamics([0.3, 0.2], [1, 2], [0.5, -0.5]), rtol=1e-13)


def test_what_an_adaptive_law_needs_is_said() -> None:
    gains = {**GAINS, "gamma": 1.0}
    for name, wrong in (("lam", -1), ("gamma", -0.1), ("gamma", float("inf"))):
        with pytest.raises(mp.InputError, match=rf"planar2r_slotine_li: {name} \(.*\): expected at least 0, found"):
            mp.controller(PLANAR, "slotine_li", **{**gains, name: wrong})
    for wrong in ([1, 2], float("nan")):
        with pytest.raises(mp.InputError, match="planar2r_slotine_li: gamma: expected a number or 6 numbers"):
            mp.controller(PLANAR, "slotine_li", **{**gains, "gamma": wrong})
    with pytest.raises(mp.InputError, match=r"smoothing .*: expected more than 0, found 0"):
        mp.controller(PLANAR, "slotine_li", **gains, smoothing=0)
    with pytest.raises(mp.UnknownNameError, match="no setting of planar2r_slotine_li is called 'lambda_'"):
        mp.controller(PLANAR, "slotine_li", **gains, lambda_=3)
    law = mp.controller(PLANAR, "slotine_li", **gains, sample=1e-3)
    with pytest.raises(mp.InputError, match=r"theta: expected shape \(..., 6\), found \(5,\)"):
        law.start(theta=[1, 2, 3, 4, 5])
    with pytest.raises(mp.UnknownNameError, match="no state of planar2r_slotine_li is called 'thetas'"):
        law.start(thetas=0)


def test_a_law_of_an_unknown_arm_begins_at_nothing() -> None:
    law = mp.controller("planar2r", "slotine_li", **GAINS, gamma=1, sample=1e-3)
    assert not law.initial and not law.start().theta.any()


# part of the arm known


@pytest.mark.turn
def test_a_body_in_the_tool_by_its_ten_parameters() -> None:
    """What the arm with the payload asks more than the arm alone; with a tool that is turned, and on a tree."""
    rng = np.random.default_rng(31)
    for robot in (arm_of(31, "RPR"), mp.Robot.of(random_tree(5, "RRP", surroundings=False))):
        arm = valued(robot, rng)
        m, c = 1.7, np.array([0.1, -0.2, 0.05])
        x, weights = motion(rng, arm.dof), rng.normal(size=arm.dof)
        alone, laden = expected(arm, *x), expected(arm.with_payload(m, c), *x)
        K = m * np.outer(c, c)
        load = np.array([K[0, 0], K[0, 1], K[0, 2], K[1, 1], K[1, 2], K[2, 2], *(m * c), m])
        tau, slope = mp.generate(arm, "loaded_dynamics").compile()(*x, load, weights)
        np.testing.assert_allclose(tau, laden, atol=1e-11)
        assert slope @ load == pytest.approx(weights @ (laden - alone), abs=1e-11)


@pytest.mark.parametrize(
    "kinds, adapt", [("RP", "payload"), ("RR", "friction"), ("RR", "simplified"), ("PR", ("payload", "friction"))]
)
def test_what_is_not_known_is_learnt_and_spent_on_damping_alone(kinds: str, adapt: Any) -> None:
    """V + ∫ sᵀK_D s is a constant where all that is not known is adapted; friction is that of q̇_r, its sign smooth."""
    seed, n = 40 + len(kinds), len(kinds)
    robot = mp.Robot.of(random_robot(seed, joints=kinds, actuators=False, surroundings=False))
    dropped = tuple(robot.base_parameters)[-2:] if adapt == "simplified" else ()
    settings = {"gamma_load": 0.7, "gamma_viscous": 0.5, "gamma_coulomb": 0.4, "gamma_offset": 0.3, "gamma_theta": 0.6}
    more = {"dropped": dropped} if dropped else {}
    law = controller_of(robot, adapt, settings, **GAINS, **more)
    assert law.provenance.proof
    told, ref, arm = law.compile(), swing(n), mp.Arm(robot)
    gains = {name: x for port in law.settings for name, x in zip(law.inputs[port], law.settings[port])}
    states = [port for port in law.function.inputs if port.role == "state"]
    sizes = np.cumsum([len(port.symbols) for port in states])
    rng = np.random.default_rng(seed)
    lacking = 0.3 * rng.uniform(0.2, 1, sizes[-1])  # the true values of what is learnt
    gamma = np.concatenate([law.settings[f"gamma_{port.name}"] for port in states])

    def rates(t: float, x: Any) -> Any:
        """The plant is the arm as known under its own law's Y of the true lack, taken from the torque."""
        q, qd, a = x[:n], x[n : 2 * n], x[2 * n : -1]
        wanted = ref(t)
        s = qd - wanted.qd + GAINS["lam"] * (q - wanted.q)
        tau, *slopes = told(q, qd, *wanted, *np.split(a, sizes[:-1]), p=gains)
        felt, *_ = told(q, qd, *wanted, *np.split(a - lacking, sizes[:-1]), p=gains)
        bare, *_ = told(q, qd, *wanted, *np.split(0 * a, sizes[:-1]), p=gains)
        # M ṡ + C s = Y_u ã − K_D s, with τ of the law at â and the plant's lack at the same Y_u
        acceleration = arm.forward_dynamics(q, qd, bare - 0 * tau + (felt - bare))
        return np.concatenate([qd, acceleration, *slopes, [GAINS["kd"] * s @ s]])

    first = ref(0.0)
    start = np.concatenate([first.q + 0.1, first.qd, np.zeros(sizes[-1] + 1)])
    run = solve_ivp(rates, (0, 1.0), start, "DOP853", [0, 0.3, 1.0], rtol=1e-10, atol=1e-12).y.T

    def V(x: Any, t: float) -> float:
        wanted = ref(t)
        s = x[n : 2 * n] - wanted.qd + GAINS["lam"] * (x[:n] - wanted.q)
        lost = x[2 * n : -1] - lacking
        return float(0.5 * s @ arm.inertia_matrix(x[:n]) @ s + 0.5 * (lost * lost / gamma).sum() + x[-1])

    assert np.abs(run[-1, 2 * n : -1]).max() > 1e-3  # something was learnt
    np.testing.assert_allclose([V(run[1], 0.3), V(run[2], 1.0)], V(run[0], 0.0), rtol=1e-8)


def controller_of(robot: mp.Robot, adapt: Any, settings: dict[str, float], **given: Any) -> mp.Law:
    """With those of the gains that the variant has."""
    parts = (adapt,) if isinstance(adapt, str) else adapt
    names = {"payload": ("load",), "friction": ("viscous", "coulomb", "offset"), "simplified": ("theta",)}
    gains = {f"gamma_{name}": settings[f"gamma_{name}"] for part in parts for name in names[part]}
    return mp.controller(robot, "dynamic_adaptive", adapt=adapt, **gains, **given)


@pytest.mark.turn
def test_learning_a_payload_alone_is_cheaper_than_learning_all() -> None:
    whole = mp.controller("stanford", "slotine_li", **GAINS, gamma=1)
    part = mp.controller("stanford", "dynamic_adaptive", **GAINS, gamma_load=1)
    assert part.cost.total < whole.cost.total


def test_what_to_adapt_is_said() -> None:
    with pytest.raises(mp.UnknownNameError, match="did you mean 'payload'"):
        mp.controller(PLANAR, "dynamic_adaptive", adapt="paylod", **GAINS, gamma_load=1)
    for wrong in ({"adapt": "simplified"}, {"adapt": ()}, {"adapt": "payload", "dropped": ["mx2"]}):
        with pytest.raises(mp.InputError, match="one or several of payload, friction, simplified"):
            mp.controller(PLANAR, "dynamic_adaptive", **wrong, **GAINS)
    with pytest.raises(mp.UnknownNameError, match="parameter of dynamic_adaptive"):
        mp.controller(PLANAR, "dynamic_adaptive", adapt="simplified", dropped=["no"], **GAINS, gamma_theta=1)


# Craig, Hsu and Sastry; Dubowsky and DesForges


def test_craig_is_his_equations() -> None:
    rng = np.random.default_rng(51)
    robot = valued(arm_of(51, "RP"), rng)
    law = mp.controller(robot, "craig", kp=30, kd=11, psi=3, gamma=0.2, filter=0.01, smoothing=0.5)
    gains = {name: x for port in law.settings for name, x in zip(law.inputs[port], law.settings[port])}
    q, qd, q_ref, qd_ref, qdd_ref, qdd = rng.uniform(-1, 1, (6, 2))
    theta = theta_of(robot) * rng.uniform(0.9, 1.1, len(robot.base_parameters))
    tau, rate, slow = law.compile()(q, qd, q_ref, qd_ref, qdd_ref, theta, qd - 0.01 * qdd, p=gains)
    Y = mp.generate(robot, "two_velocity_regressor").compile()
    e, ed, still = q_ref - q, qd_ref - qd, np.zeros(2)
    np.testing.assert_allclose(tau, Y(q, qd, qd, qdd_ref + 11 * ed + 30 * e, qd_ref / 0.5) @ theta, rtol=1e-11)
    M = np.column_stack([(Y(q, still, still, x, still) - Y(q, still, still, still, still)) @ theta for x in np.eye(2)])
    slope = Y(q, qd, qd, qdd, qd_ref / 0.5).T @ np.linalg.solve(M, ed + 3 * e)
    np.testing.assert_allclose(rate, 0.2 * slope, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(slow, qdd, rtol=1e-11)


@pytest.mark.turn
def test_craig_learns_a_payload_and_stays_in_bounds() -> None:
    plant, ref = PLANAR.with_payload(1.5, (0.0, 0.05, 0.0)), swing(2)
    gains = {"kp": 100, "kd": 20, "psi": 5, "filter": 2e-3, "sample": 1e-3}
    top = theta_of(PLANAR) + 0.4
    law = mp.controller(PLANAR, "craig", gamma=[0.1, 0.1, 0.01, 0.3, 0.3, 0.01], upper=top, **gains)
    fixed = mp.controller(PLANAR, "computed_torque", kp=100, kd=20, sample=1e-3)
    run = Followed(mp.closed_loop(plant, law, ref), ref, 12.0)
    lasting = Followed(mp.closed_loop(plant, fixed, ref), ref, 12.0)
    assert (run.x.theta <= top).all()
    assert rms(run.e[-3000:]) < 0.5 * rms(lasting.e[-3000:])


@pytest.mark.turn
def test_a_joint_is_made_to_move_like_its_model() -> None:
    """One joint without weight, its inertia guessed at a third: gains come to where the joint follows the model."""
    rows = [{"theta": 0, "d": 0, "a": 0.5, "alpha": 0}]
    robot = mp.Robot.from_dh(rows, convention="standard").with_gravity((0, 0, 0))
    free = {name: 0.0 for name, value in robot.parameters.items() if value is None}
    robot = robot.with_parameters(**{**free, "m1": 2.0, "Izz1": 0.1})
    J = float(mp.Arm(robot).inertia_matrix([0.0])[0, 0])
    settings = {"frequency": 6, "zeta": 0.8, "inertia": J / 3, "k0": 1, "k1": 0.1}
    ref = mp.trajectory.fourier([[0.9], [0.0], [1.5]], [[0.0], [0.8], [0.0]], 1.3)
    errors = {}
    for gamma in (0.0, 40.0):
        law = mp.controller(robot, "mrac", **settings, gamma=gamma, sample=1e-3)
        run = Followed(mp.closed_loop(robot, law, ref), ref, 30.0)
        errors[gamma] = rms((run.x.model - run.x.q)[-10000:])
    assert errors[40.0] < 0.1 * errors[0.0]


# least squares

TUNED = {"kp": 100, "kd": 20, "covariance": 10, "forgetting": 0.2, "excitation": 1e-3, "trace": 200, "filter": 5e-3}


def test_least_squares_find_the_payload_and_stop_where_nothing_moves() -> None:
    """The estimates come to the true values, the covariance stays bounded, and rest changes neither by a bit."""
    plant, ref = PLANAR.with_payload(1.5, (0.0, 0.05, 0.0)), swing(2)
    law = mp.controller(PLANAR, "self_tuning", **TUNED, sample=1e-3)
    run = Followed(mp.closed_loop(plant, law, ref), ref, 12.0)
    fixed = mp.controller(PLANAR, "computed_torque", kp=100, kd=20, sample=1e-3)
    lasting = Followed(mp.closed_loop(plant, fixed, ref), ref, 12.0)
    assert rms(run.e[-3000:]) < 0.2 * rms(lasting.e[-3000:])
    true = theta_of(plant)
    assert np.abs(run.last.theta - true).max() < 0.1 * np.abs(theta_of(PLANAR) - true).max()
    diagonal = np.cumsum(np.arange(1, len(true) + 1)) - 1
    trace = 10.0 * len(true) - run.x.lost[:, diagonal].sum(axis=1)
    assert trace.min() > 0 and trace.max() < 1.01 * TUNED["trace"]
    state = run.last._asdict()
    rest = law.start(**{name: state[name] for name in ("theta", "lost")})
    for _ in range(50):
        rest = law.step(rest, [0.3, 0.2], [0, 0], [0.3, 0.2], [0, 0], [0, 0]).state
    assert rest.theta.tobytes() == state["theta"].tobytes() and rest.lost.tobytes() == state["lost"].tobytes()


def test_least_squares_are_the_formula() -> None:
    rng = np.random.default_rng(61)
    robot = valued(arm_of(61, "R"), rng)
    law = mp.controller(robot, "self_tuning", **{**TUNED, "trace": 1e9, "excitation": 0}, sample=1e-2)
    b = len(robot.base_parameters)
    q, qd, q_ref, qd_ref, qdd_ref, slow, held = rng.uniform(-1, 1, (7, 1))
    theta, root = rng.normal(size=b), rng.normal(size=(b, b))
    P = root @ root.T + np.eye(b)
    lost = (10 * np.eye(b) - P)[np.tril_indices(b)]
    new, _ = law.step(law.start(theta=theta, lost=lost, slow=slow, held=held), q, qd, q_ref, qd_ref, qdd_ref)
    Y = mp.generate(robot, "two_velocity_regressor").compile()(q, qd, qd, (qd - slow) / 0.015, qd_ref / 0.01)
    phi, lam = Y.T @ qd, 1 / (1 + 1e-2 * 0.2)
    gain = P @ phi / (lam + phi @ P @ phi)
    np.testing.assert_allclose(new.theta, theta + gain * (qd @ held - phi @ theta), rtol=1e-10)
    after = (P - np.outer(gain, phi @ P)) / lam
    np.testing.assert_allclose(new.lost, (10 * np.eye(b) - after)[np.tril_indices(b)], rtol=1e-9, atol=1e-9)
