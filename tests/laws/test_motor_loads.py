"""Motors behind gears: energy at the shaft in both directions, figures against a plain computation, choice by force."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import cumulative_trapezoid, trapezoid

import manipula as mp
from manipula.simulation.drives.motor_loads import JointDemand, motor_load, motor_torque
from tests.random_robots import random_robot

pytestmark = pytest.mark.usefixtures("without_search")

Array = NDArray[np.float64]
PENDULUM = """
format = 1
name = "lift"
convention = "standard"
angle = "rad"
gravity = [0, -10, 0]

[[joint]]
name = "lift"
type = "revolute"
theta = 0
d = 0
a = 0.5
alpha = 0
mass = 4
com = [0, 0, 0]
inertia = { xx = 0, yy = 0, zz = 0.1, xy = 0, xz = 0, yz = 0 }
motor_inertia = 0.5
gear = -50
efficiency = 0.6
effort_limit = 40
"""


def lift() -> mp.Robot:
    return mp.Robot.from_text(PENDULUM)


@pytest.mark.parametrize("way", [1, -1])
@pytest.mark.parametrize("gear", [50.0, -50.0, 0.5])
@pytest.mark.parametrize("efficiency", [0.6, 1.0])
def test_energy_at_the_shaft_is_what_arrives_and_what_is_lost(way: int, gear: float, efficiency: float) -> None:
    """A weight lifted and let down: at every moment what has gone in is the work done, the rotor's energy and heat."""
    t = np.linspace(0, 1, 20_001)
    ref = mp.trajectory.quintic([0.2], [0.2 + way], 1.0)
    q, qd, qdd = (x[:, 0] for x in ref(t))
    T, J = 1.1 * qdd + 20 * np.cos(q), 0.5 / gear**2
    tau = motor_torque(T, qd, qdd, gear, J, efficiency)
    heat = np.abs(T * qd) * np.where(T * qd > 0, 1 / efficiency - 1, 1 - efficiency)
    into, out, lost = (cumulative_trapezoid(x, t, initial=0) for x in (tau * gear * qd, T * qd, heat))
    np.testing.assert_allclose(into, out + lost + 0.5 * J * (gear * qd) ** 2, atol=1e-6)
    found = motor_load(JointDemand(t, T[None], qd[None], qdd[None], 1.1), gear, J, efficiency)
    assert found.loss == pytest.approx(lost[-1], rel=1e-6, abs=1e-12)
    assert found.energy - found.braking_energy == pytest.approx(into[-1], rel=1e-6)
    # a real gear takes more than ideal on the way up, and gives back less on the way down
    ideal = motor_torque(T, qd, qdd, gear, J, 1.0) * gear * qd
    assert (tau * gear * qd >= ideal - 1e-12).all()


def test_a_gear_that_loses_moves_both_quadrants_by_hand() -> None:
    """10 N·m at 2 rad/s, up and down, through 1:10 at 80 %: 1.25 N·m drives, 0.8 N·m brakes; 1 N·m holds."""
    T, qd, none = np.array([10.0, 10.0, 10.0, -10.0]), np.array([2.0, -2.0, 0.0, 2.0]), np.zeros(4)
    assert motor_torque(T, qd, none, 10.0, 1.0, 0.8) == pytest.approx([1.25, 0.8, 1.0, -0.8])
    assert motor_torque(T, qd, none, -10.0, 1.0, 0.8) == pytest.approx([-1.25, -0.8, -1.0, 0.8])


def test_rotors_are_in_front_of_the_gear() -> None:
    none = np.zeros(1)
    assert motor_torque(none, np.ones(1), np.full(1, 3.0), 10.0, 0.02, 0.1) == pytest.approx([0.6])


def plain_figures(t: Array, tau: Array, M: Array, motion: Any, Ia: float, N: float, eta: float) -> dict[str, float]:
    """One joint, sample by sample, in the order of the words."""
    qd, qdd = motion
    span = t[-1] - t[0]
    T = [float(x - Ia * a) for x, a in zip(tau, qdd)]
    shaft = []
    for load, v, a in zip(T, qd, qdd):
        passed = load / N if abs(v) <= 1e-9 else load / (N * eta) if load * v > 0 else load * eta / N
        shaft.append(Ia / N**2 * N * a + passed)
    power = np.array(shaft) * N * qd
    pace = np.abs(qd)
    turned = trapezoid(pace, t)
    return {
        "speed": float(np.abs(N * qd).max()), "speed_rms": float(np.sqrt(trapezoid((N * qd) ** 2, t) / span)),
        "speed_mean": float(trapezoid(np.abs(N * qd), t) / span), "torque": float(np.abs(shaft).max()),
        "torque_rms": float(np.sqrt(trapezoid(np.array(shaft) ** 2, t) / span)), "power": float(np.abs(power).max()),
        "braking_energy": float(trapezoid(np.maximum(-power, 0), t)),
        "torque_gear": np.cbrt(trapezoid(pace * np.abs(T) ** 3, t) / turned) if turned else float(np.abs(T).max()),
        "load_inertia": float(M.max() - Ia),
    }  # fmt: skip


@pytest.mark.parametrize("seed, kinds", [(3, "RR"), (4, "PRP"), (5, "RFP"), (6, "RP")])
def test_figures_are_those_of_a_plain_computation(seed: int, kinds: str) -> None:
    """Joints that turn and slide, some of them still, behind gears of either sign."""
    rng = np.random.default_rng(seed)
    robot = mp.Robot.of(random_robot(seed, joints=kinds, actuators=False))
    n = robot.dof
    Ia, N, eta = rng.uniform(0.1, 1, n), rng.uniform(5, 60, n) * rng.choice([-1, 1], n), rng.uniform(0.4, 1, n)
    robot = geared(robot, Ia, N, eta)
    goal = rng.uniform(-1, 1, n)
    goal[-1] = 0.0 if seed % 2 else goal[-1]
    ref = mp.trajectory.quintic(np.zeros(n), goal, 0.8)
    arm, found = mp.Arm(robot), mp.loads(robot, ref)
    t = np.linspace(0, 0.8, 8001)
    q, qd, qdd = ref(t)
    tau, M = arm.inverse_dynamics(q, qd, qdd), arm.inertia_matrix(q)
    for j, x in enumerate(found):
        want = plain_figures(t, tau[:, j], M[:, j, j], (qd[:, j], qdd[:, j]), Ia[j], N[j], eta[j])
        assert x.motor is not None
        for name, value in want.items():
            ours = getattr(x if hasattr(x, name) and name in ("torque_gear", "load_inertia") else x.motor, name)
            assert ours == pytest.approx(value, rel=2e-3, abs=1e-9), (x.joint, name)
        assert x.inertia_ratio == pytest.approx(want["load_inertia"] / Ia[j])
        assert x.motor.inertia_ratio == pytest.approx(x.inertia_ratio)


def geared(robot: mp.Robot, Ia: Any, N: Any, eta: Any) -> mp.Robot:
    """The same with drives, by way of its file."""
    lines, own = [], iter(zip(Ia, N, eta))
    text = mp.api.to_text(robot, "toml")
    parts = text.split("[[joint]]")
    for part in parts[1:]:
        if 'type = "fixed"' in part:
            lines.append(part)
            continue
        inertia, gear, share = next(own)
        head, sep, rest = part.partition("\n[")
        kept = [x for x in head.splitlines() if not x.startswith("motor_inertia")]
        drive = [f"motor_inertia = {inertia:.17g}", f"gear = {gear:.17g}", f"efficiency = {share:.17g}"]
        lines.append("\n".join([*kept, *drive, ""]) + sep + rest)
    return mp.Robot.from_text("[[joint]]".join([parts[0], *lines]))


def test_what_a_robot_does_not_say_is_left_out() -> None:
    """Without a gear there is no motor's side; without motor inertia no ratio; the gear's torque is always there."""
    ref = mp.trajectory.quintic([0.0], [1.0], 1.0)
    bare = mp.loads(mp.Robot.from_text(PENDULUM.replace("gear = -50\n", "")), ref)[0]
    assert bare.motor is None and bare.inertia_ratio == pytest.approx(1.1 / 0.5) and bare.torque_gear > 0
    light = mp.loads(mp.Robot.from_text(PENDULUM.replace("motor_inertia = 0.5\n", "")), ref)[0]
    assert light.motor is not None and light.inertia_ratio is None and light.motor.inertia_ratio is None
    assert light.motor.inertia == 0 and light.load_inertia == pytest.approx(1.1)
    whole = mp.loads(lift(), ref)
    assert "rms [N·m]" in whole.table()[0] and "back [J]" in whole.motor_table()[0]
    assert set(whole.as_dict()["joints"][0]["motor"]) >= {"torque_rms", "braking_energy", "inertia_ratio"}
    assert mp.loads(ARM, REST).motor_table()[1] == []


ARM = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=10)
REST = mp.trajectory.quintic([0, 0], [0, 0], 1.0)


def test_a_letter_without_a_value_leaves_the_gear_out() -> None:
    robot = mp.Robot.from_text(PENDULUM.replace("gear = -50", 'gear = "N"'))
    ref = mp.trajectory.quintic([0.0], [1.0], 1.0)
    assert mp.loads(robot, ref)[0].motor is None
    given = mp.loads(robot, ref, parameters={"N": -50})[0].motor
    assert given == mp.loads(lift(), ref)[0].motor


def test_a_run_brakes_as_its_reference_does() -> None:
    robot = lift()
    ref = mp.trajectory.quintic([1.2], [-0.2], 0.6)
    law = mp.controller(robot, "computed_torque", kp=400, kd=40)
    asked = mp.loads(robot, ref)[0].motor
    for plant in (mp.Plant(robot, effort=None), mp.Plant(robot, effort=None, elastic=1e6)):
        had = mp.loads(robot, mp.simulate(plant, law, ref, step=5e-4))[0].motor
        assert asked is not None and had is not None
        for name in ("speed", "torque_rms", "braking_energy", "speed_mean", "energy"):
            assert getattr(had, name) == pytest.approx(getattr(asked, name), rel=0.02), name


# The choice from tables.

MOTORS = """name, rated torque [N·m], peak torque [N·m], rated speed [rpm], max speed [rpm], inertia [kg·cm2], mass [g]
S, 0.1, 0.3, 3000, 6000, 0.05, 300
M, 0.3, 0.9, 3000, 6000, 0.12, 800
# a remark
L, 0.6, 2.0, 2000, 4000, 0.5, 700
XL, 2.4, 7.0, 1500, 3000, 3, 2500
"""
GEARS = """ratio,name,efficiency [%],rated torque [N m],peak torque [Nm],inertia [kgcm^2],max input speed[rad/s],mass[g]
30,G30,85,20,60,0.02,700,400
80,G80,70,60,150,0.03,700,600
120,G120,60,60,110,0.03,300,500
"""


@pytest.fixture
def tables(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "motors.csv").write_text(MOTORS, encoding="utf-8")
    (tmp_path / "gears.csv").write_text(GEARS, encoding="utf-8")
    return tmp_path / "motors.csv", tmp_path / "gears.csv"


def brute_force(demand: JointDemand, limit: float, by: str) -> tuple[bool, str, str, float]:
    """Every pair by plain loops, units by hand: (holds, motor, gear, worst share of the pair)."""
    rpm, best, nearest = 2 * np.pi / 60, None, None
    motors = [("S", 0.1, 0.3, 3000, 6000, 0.05, 0.3), ("M", 0.3, 0.9, 3000, 6000, 0.12, 0.8),
              ("L", 0.6, 2.0, 2000, 4000, 0.5, 0.7), ("XL", 2.4, 7.0, 1500, 3000, 3, 2.5)]  # fmt: skip
    gears = [("G30", 30, 0.85, 20, 60, 0.02, 700, 0.4), ("G80", 80, 0.7, 60, 150, 0.03, 700, 0.6),
             ("G120", 120, 0.6, 60, 110, 0.03, 300, 0.5)]  # fmt: skip
    t, T, qd, qdd = demand.t, demand.torque[0], demand.speed[0], demand.acceleration[0]
    span = t[-1] - t[0]
    for (motor, rated, peak, slow, fast, J, kg), (gear, N, eta, g_rated, g_peak, Jg, g_fast, g_kg) in product(
        motors, gears
    ):
        inertia = (J + Jg) * 1e-4
        share = np.where(np.abs(qd) < 1e-9, 1, np.where(T * qd > 0, 1 / eta, eta))
        tau, n = inertia * N * qdd + T * share / N, N * np.abs(qd)
        cubic = np.cbrt(trapezoid(np.abs(qd * T**3), t) / trapezoid(np.abs(qd), t))
        worst = max(
            np.sqrt(trapezoid(tau**2, t) / span) / rated, trapezoid(n, t) / span / (slow * rpm),
            np.abs(tau).max() / peak, n.max() / (fast * rpm), demand.inertia / N**2 / inertia / limit,
            cubic / g_rated, np.abs(T).max() / g_peak, n.max() / g_fast,
        )  # fmt: skip
        size = (rated * slow, g_rated) if by == "power" else (kg + g_kg, rated * slow, g_rated)
        if worst <= 1 and (best is None or size < best[0]):
            best = (size, motor, gear, worst)
        if nearest is None or worst < nearest[0]:
            nearest = (worst, motor, gear, worst)
    chosen = best or nearest
    assert chosen is not None
    return best is not None, *chosen[1:]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("by", ["power", "mass"])
def test_the_choice_is_that_of_brute_force(seed: int, by: str, tables: tuple[Path, Path]) -> None:
    rng = np.random.default_rng(100 + seed)
    arm = ARM.with_parameters(m1=rng.uniform(1, 8), m2=rng.uniform(0.5, 15))
    goals = rng.uniform(-2, 2, 2)
    found = mp.loads(arm, mp.trajectory.quintic([0, 0], goals, rng.uniform(0.4, 2)))
    limit = [np.inf, 40.0][seed % 2]
    chosen = mp.choose_drives(found, *tables, by=by, inertia_ratio=None if np.isinf(limit) else limit)
    for x, demand in zip(chosen, found.demands, strict=True):
        assert x.gear is not None
        holds, motor, gear, worst = brute_force(demand, limit, by)
        assert (x.holds, x.motor.name, x.gear.name) == (holds, motor, gear)
        assert max(x.shares.values()) == pytest.approx(worst, rel=1e-3)
        assert x.load.torque_rms / x.motor.rated_torque == pytest.approx(x.shares["rms torque"])


def test_what_nothing_holds_is_said_with_by_how_much(tables: tuple[Path, Path]) -> None:
    heavy = ARM.with_parameters(m2=60)
    chosen = mp.choose_drives(mp.loads(heavy, mp.trajectory.quintic([0, 0], [1, 0.3], 1.0)), *tables)
    assert not chosen.holds and [x.holds for x in chosen] == [False, False]
    told = str(chosen.refusals[0])
    share = max(chosen["theta1"].shares.values())
    assert share > 1 and f"{share:.3g} times its" in told and "joint 'theta1': none of 12 pairs holds" in told
    assert told in str(chosen) and chosen.as_dict()["refusals"][0] == told
    with pytest.raises(mp.UnknownNameError, match="theta1"):
        chosen["theta9"]


def test_a_limit_of_the_inertia_ratio_asks_for_more(tables: tuple[Path, Path]) -> None:
    found = mp.loads(ARM, mp.trajectory.quintic([0, 0], [1, 0.3], 1.0))
    free = mp.choose_drives(found, *tables)
    ratio = free["theta1"].load.inertia_ratio
    assert ratio is not None
    strict = mp.choose_drives(found, *tables, inertia_ratio=0.6 * ratio)["theta1"]
    assert strict.holds and strict.load.inertia_ratio is not None and strict.load.inertia_ratio <= 0.6 * ratio
    for wrong in (0, -3, "10", True, float("nan")):
        with pytest.raises(mp.InputError, match="inertia_ratio: expected a number above 0"):
            mp.choose_drives(found, *tables, inertia_ratio=wrong)  # type: ignore[arg-type]


def test_the_robots_own_gear_is_kept(tables: tuple[Path, Path]) -> None:
    ref = mp.trajectory.quintic([0.0], [1.0], 1.0)
    chosen = mp.choose_drives(mp.loads(lift(), ref), tables[0])["lift"]
    assert chosen.gear is None and chosen.load.gear == -50 and chosen.load.efficiency == 0.6
    assert "gear mean torque" not in chosen.shares
    with pytest.raises(mp.InputError, match="joint 'theta1' has no gear in the robot's file"):
        mp.choose_drives(mp.loads(ARM, REST), tables[0])


def test_a_slide_needs_a_lead(tables: tuple[Path, Path], tmp_path: Path) -> None:
    """A spindle of 5 mm a turn holds 30 kg against gravity: 2π/0.005 rad/m."""
    text = (
        PENDULUM.replace("revolute", "prismatic").replace("theta = 0\nd = 0\na = 0.5", "theta = 0\nd = 0\na = 0")
        .replace("gravity = [0, -10, 0]", "gravity = [0, 0, -10]").replace("gear = -50\nefficiency = 0.6\n", "")
        .replace("d = 0\n", "").replace("mass = 4", "mass = 30")
    )  # fmt: skip
    found = mp.loads(mp.Robot.from_text(text), mp.trajectory.quintic([0.0], [0.2], 1.0))
    assert found.motor_table()[0][-1] == "gear mean [N]"
    with pytest.raises(mp.InputError, match="joint 'lift' slides, and no gear has a lead"):
        mp.choose_drives(found, *tables)
    screws = tmp_path / "screws.csv"
    screws.write_text(
        "name;lead [mm];rated force [N];peak force [kN];efficiency;inertia [kg·cm²];max input speed [rpm]\n"
        "B5;5;1000;2,5;0,9;0,1;5000\n", encoding="utf-8",
    )  # fmt: skip
    chosen = mp.choose_drives(found, tables[0], screws)["lift"]
    assert chosen.gear is not None and chosen.gear.peak_torque == 2500 and chosen.gear.efficiency == 0.9
    assert chosen.load.gear == pytest.approx(2 * np.pi / 0.005)
    a = found.demands[0].acceleration[0]
    want = np.abs((30 * (10 + a)) / chosen.load.gear / 0.9 + chosen.load.inertia * chosen.load.gear * a)[1:-1].max()
    assert chosen.load.torque == pytest.approx(want, rel=1e-2)


def test_the_picture_has_units(tables: tuple[Path, Path], tmp_path: Path) -> None:
    found = mp.choose_drives(mp.loads(ARM, mp.trajectory.quintic([0, 0], [1, 0.3], 1.0)), *tables)
    axes = [x for x in found.plot().axes if x.get_visible()]
    assert [(x.get_xlabel(), x.get_ylabel()) for x in axes] == [("motor speed [rpm]", "motor torque [N·m]")] * 2
    for place, x in zip(axes, found):
        assert place.get_xlim()[1] > x.motor.max_speed * 60 / (2 * np.pi) and place.get_ylim()[1] > x.motor.peak_torque
        (mark,) = [line for line in place.get_lines() if line.get_marker() == "D"]
        assert mark.get_xdata()[0] == pytest.approx(x.load.speed_mean * 60 / (2 * np.pi))
        assert mark.get_ydata()[0] == pytest.approx(x.load.torque_rms)
    assert found.save_plot(tmp_path / "drives.svg").read_text().count("<svg") == 1


HEAD, FIRST = MOTORS.splitlines()[:2]
WRONG = {
    "no unit": (MOTORS.replace("rated torque [N·m]", "rated torque"), "column 'rated torque' has no unit"),
    "odd unit": (MOTORS.replace("speed [rpm]", "speed [km/h]"), "'rated speed [km/h]': unknown unit; expected rpm"),
    "no column": (MOTORS.replace("max speed", "top speed"), "there is no column 'max speed [rpm]'"),
    "twice": (MOTORS.replace("max speed", "rated speed"), "column 'rated speed [rpm]' is there twice"),
    "text": (MOTORS.replace("0.9, 3000", "strong, 3000"),
             "line 3, column 'peak torque [N·m]': expected a number above 0, found 'strong'"),
    "zero": (MOTORS.replace("0.12", "-1"), "line 3, column 'inertia [kg·cm2]': expected a number, 0 or above"),
    "infinite": (MOTORS.replace("0.12", "inf"), "line 3, column 'inertia [kg·cm2]'"),
    "empty": (MOTORS.replace("0.6, 2.0", ", 2.0"), "line 5, column 'rated torque [N·m]': the cell is empty"),
    "short row": (MOTORS.replace("L, 0.6, 2.0, 2000, 4000, 0.5, 700", "L, 0.6"), "line 5, column 'peak torque [N·m]'"),
    "long row": (MOTORS.replace("0.05, 300", "0.05, 300, 7"), "line 2: 8 cells, the head has 7"),
    "two alike": (MOTORS.replace("\nM,", "\nS,"), "line 3, column 'name': 'S' is there twice"),
    "no name": (MOTORS.replace("\nM,", "\n,"), "line 3, column 'name': the cell is empty"),
    "order": (MOTORS.replace("0.3, 0.9", "0.9, 0.3"), "line 3, column 'peak torque': is below 'rated torque'"),
    "head alone": (HEAD + "\n", "no motor in it, its head alone"),
    "nothing": ("\n# remark\n", "is empty; expected a head and a row for each"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_table_is_refused_by_its_place(case: str, tables: tuple[Path, Path]) -> None:
    text, told = WRONG[case]
    assert text != MOTORS
    tables[0].write_text(text, encoding="utf-8")
    with pytest.raises(mp.InputError) as caught:
        mp.choose_drives(mp.loads(ARM, REST), *tables)
    assert told in str(caught.value) and str(tables[0]) in str(caught.value)


@pytest.mark.parametrize(
    "old, new, told",
    [
        ("ratio,", "lead [mm],", "rated force': the cell is empty"),
        ("30,G30", ",G30", "line 2: expected a ratio (a joint that turns) or a lead"),
        ("85,20", "185,20", "line 2, column 'efficiency [%]': expected a share above 0 and at most 1"),
        ("[%]", "", "line 2, column 'efficiency': expected a share above 0 and at most 1, or per cent"),
        ("30,G30", "-30,G30", "line 2, column 'ratio': expected a number above 0, found '-30'"),
        ("max input speed", "speed", "there is no column 'max input speed [rpm]'"),
    ],
)
def test_a_wrong_table_of_gears_is_refused_by_its_place(
    old: str, new: str, told: str, tables: tuple[Path, Path]
) -> None:
    tables[1].write_text(GEARS.replace(old, new), encoding="utf-8")
    with pytest.raises(mp.InputError) as caught:
        mp.choose_drives(mp.loads(ARM, REST), *tables)
    assert told in str(caught.value) and str(tables[1]) in str(caught.value)


def test_what_is_not_read_is_named(tables: tuple[Path, Path]) -> None:
    tables[0].write_text(MOTORS.replace("mass [g]", "order number"), encoding="utf-8")
    loads = mp.loads(ARM, REST)
    with pytest.warns(mp.ManipulaWarning, match="columns that are not read: order number"):
        mp.choose_drives(loads, *tables)
    with pytest.warns(mp.ManipulaWarning), pytest.raises(mp.InputError, match="'S' has no mass, by which to choose"):
        mp.choose_drives(loads, *tables, by="mass")
    with pytest.raises(mp.UnknownNameError, match="size to choose by"):
        mp.choose_drives(loads, *tables, by="colour")
    with pytest.raises(mp.InputError, match=r"expected the loads of mp\.loads"):
        mp.choose_drives(ARM, *tables)  # type: ignore[arg-type]
    with pytest.raises(mp.InputError, match=r"absent\.csv: cannot be read"):
        mp.choose_drives(loads, tables[0].parent / "absent.csv")
