"""The same arm, the same integrator, the same step: MuJoCo's motion to the ninth digit."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import manipula as mp

mujoco = pytest.importorskip("mujoco")


@pytest.mark.slow
def test_panda_falls_as_mujocos_panda(tmp_path: Path) -> None:
    """Runge–Kutta at 1 ms on both sides, 0.1 s of free motion."""
    robot = mp.load("panda").without("friction", "motor_inertia")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mp.ManipulaWarning)  # what a URDF cannot hold matters to no rigid body
        file = mp.save(mp.convert(robot, "urdf"), tmp_path / "panda.urdf")
    model = mujoco.MjModel.from_xml_path(str(file))
    model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, 1e-3
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    data = mujoco.MjData(model)
    q, qd = np.array([0.1, -0.4, 0.2, -1.7, 0.3, 1.5, 0.4]), np.array([0.3, -0.2, 0.5, 0.1, -0.4, 0.6, 0.2])
    data.qpos[:], data.qvel[:] = q, qd
    for _ in range(100):
        mujoco.mj_step(model, data)
    run = mp.simulate(mp.Plant(robot, stops=False, effort=None), start=(q, qd), until=0.1)
    assert np.abs(run.q[-1] - q).max() > 1e-2
    np.testing.assert_allclose(run.q[-1], data.qpos, atol=1e-9)
