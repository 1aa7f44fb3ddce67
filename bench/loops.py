"""Robots with loops: operations, agreement with Pinocchio, closing from many starts, a long run.

    python bench/loops.py [STATES] [SECONDS]

Prints one table a question. Linkages are those of the tests, drawn by a seed; the five-bar has numbers of its own.
Pinocchio's tree gives M, h and the rows of all loops, put together as constrained motion; its own
`constraintDynamics` is asked where points meet.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import manipula as mp
from manipula.mechanics.models.closure.position import mechanism_of
from tests.laws.test_loops import drawn_five_bar
from tests.linkages import ALL, PLANAR, biped_leg, delta, delta_of_rods, four_bar, palletiser, stewart
from tests.peers.test_loops_pinocchio import LoopOracle, constrained, spread, states, tree_of

MODELS = ("inverse_dynamics", "forward_dynamics", "inertia_matrix", "gravity", "coriolis", "energy", "base_regressor")


def operations() -> None:
    print("operations: total, sines and cosines, divisions")
    for name, robot in {
        "five-bar": drawn_five_bar(),
        "four-bar": four_bar(0),
        "delta": delta(0),
        "palletiser": palletiser(0),
    }.items():
        robot = robot.without("friction")
        for model in MODELS:
            cost = mp.generate(robot, model).cost
            print(f"  {name:10} {model:18} {cost.total:6} {cost.trig:4} {cost.div:4}")
        print(f"  {name:10} base parameters    {len(robot.base_parameters):6}")


def from_motors() -> None:
    print("from the motors alone: operations, sines and cosines, divisions, roots, arctangents and the rest; formulas")
    legs = ("a0", "b0", "leg0", "p0", "p1", "p2")  # a platform, from one leg and the orientation
    for name, robot in {
        "own five-bar": drawn_five_bar(), **{name: make(0) for name, make in PLANAR.items()},
        "palletiser": palletiser(0), "stewart": stewart(0),
    }.items():  # fmt: skip
        robot, given = robot.without("friction"), legs if name == "stewart" else "motors"
        words = ", ".join(f"{x.word}{'' if x.proved else ' (measured)'}" for x in mp.closed_forms(robot, given))
        for model in ("inverse_dynamics", "forward_dynamics"):
            cost, whole = (mp.generate(robot, model, positions=x).cost for x in (given, "all"))
            print(
                f"  {name:13} {model:16} {cost.total:5} {cost.trig:3} {cost.div:3} {cost.sqrt:3} {cost.other:3}"
                f"   all positions given {whole.total:5} {whole.trig:3} {whole.div:3}   {words}"
            )


def agreement(count: int) -> None:
    print(
        f"largest difference of accelerations under our torques, of those it has or would have falling, {count} states"
    )
    others = {"delta of rods": delta_of_rods, "stewart": stewart, "biped leg": biped_leg}
    for name, make in {**ALL, **others}.items():
        robot = make(1).without("friction")
        arm, oracle = mp.Arm(robot, optimise="none"), LoopOracle(tree_of(robot))
        own = [list(robot.coordinates.joints).index(x) for x in robot.joint_names]
        worst = np.zeros(3)
        # `constraintDynamics` knows points that meet: enough where axes of a loop are parallel anyway
        points = name in ("four-bar", "five-bar", "slider-crank", "six-bar", "three cranks", *others)
        conditions = np.zeros(2)
        for q, qd, qdd in states(robot, count, 3):
            motion, tau = arm.joint_motion(q, qd, qdd), arm.inverse_dynamics(q, qd, qdd)
            rates, wanted = np.asarray(motion.rates)[own], np.asarray(motion.accelerations)[own]
            whole = spread(robot, tau, q)
            found = [
                oracle.accelerations(q, rates, whole) - wanted,
                constrained(oracle, q, rates, whole) - wanted if points else np.zeros(1),
                arm.forward_dynamics(q, qd, tau) - qdd,
            ]
            # a motor that happens to stand almost still under large forces shows only how these cancel
            falling = oracle.accelerations(q, rates, 0 * whole)
            size = max(np.abs(wanted).max(), np.abs(falling).max())
            worst = np.maximum(worst, [np.abs(x).max() / size for x in found])
            conditions = np.maximum(conditions, oracle.conditions(q))
        own_text = f"{worst[1]:.1e}" if points else "      -"
        print(f"  {name:22} equations of motion {worst[0]:.1e}   constraintDynamics {own_text}   FD(ID) {worst[2]:.1e}"
              f"   condition: closure {conditions[0]:8.1f}, inertia {conditions[1]:8.1f}")  # fmt: skip


def closing(count: int) -> None:
    print(
        f"close, {count} starts within ±20 % of a radian (or of the size) of a closed pose: closed, status, largest gap"
    )
    for name, make in ALL.items():
        robot = make(1)
        mechanism, plan = mechanism_of(robot)
        rng, found = np.random.default_rng(0), []
        signs, wrong, begun = np.sign(mechanism.divisors(np.zeros(robot.dof), plan)), 0, time.perf_counter()
        for _ in range(count):
            near = 0.2 * rng.uniform(-1, 1, robot.dof) * mechanism.units[1]
            found.append(robot.close(near[list(robot.motor_coordinates)], near=near))
            start = np.sign(mechanism.divisors(near, plan))
            wrong += found[-1].ok and (np.sign(mechanism.divisors(found[-1].q, plan)) != start).any()
        closed = [x for x in found if x.ok]
        gap, each = max((x.error for x in closed), default=0.0), (time.perf_counter() - begun) / count
        print(f"  {name:22} {len(closed):5} {count - len(closed):5}  {gap:.1e}  other assembly in silence: {wrong}  "
              f"({1e3 * each:.1f} ms each, {len(signs)} signs)")  # fmt: skip


def run(seconds: float) -> None:
    print(f"a run of {seconds:g} s: largest gap of the loops, balance of energy")
    robot = drawn_five_bar().with_gravity(0, 0, 9.81)  # it hangs
    three = delta(0).without("friction")
    held = mp.Arm(three).gravity(three.close([0, 0, 0]))
    motors = list(three.motor_coordinates)
    for name, made in {
        "five-bar 1 ms": lambda: mp.simulate(robot, start=([1.8, 1.2], [0.2, -0.1]), until=seconds, every=10),
        "five-bar 0.5 ms": lambda: mp.simulate(
            robot, start=([1.8, 1.2], [0.2, -0.1]), until=seconds, step=5e-4, every=20
        ),
        "five-bar rk8 1 ms": lambda: mp.simulate(
            robot, start=([1.8, 1.2], [0.2, -0.1]), until=seconds, every=10, method="rk8"
        ),
        "delta 1 ms": lambda: mp.simulate(
            three, lambda t, q, qd: held - 8 * q[motors], start=[0.1, -0.1, 0.05], until=seconds, every=10
        ),
    }.items():
        begun = time.perf_counter()
        found = made()
        print(f"  {name:17} {found.gap.max():.1e}  {found.balance:.1e}  {found.about['status']}, "
              f"{time.perf_counter() - begun:.1f} s of computing")  # fmt: skip


if __name__ == "__main__":
    given = [float(x) for x in sys.argv[1:]]
    operations()
    from_motors()
    agreement(int(given[0]) if given else 200)
    closing(int(given[0]) if given else 200)
    run(given[1] if len(given) > 1 else 10.0)
