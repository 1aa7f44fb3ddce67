"""A good file of every kind that is read, and what reads it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


class Kind(NamedTuple):
    """A kind of file: its name, whether it is text, what writes a good one and what reads it."""

    name: str
    is_text: bool
    write: Callable[[Path], None]
    read: Callable[[Path], Any]


def _motion(n: int = 2) -> dict[str, Any]:
    t = np.round(0.01 * np.arange(20), 6)
    q = 0.6 * np.sin((3.0 + np.arange(n)) * t[:, None])
    return {"t": t, "q": q, "qd": q + 1, "tau": 5 * q}


def _log(path: Path) -> Any:
    import manipula as mp

    return mp.read_log(path, "planar2r")


def _table(path: Path) -> None:
    data = _motion()
    rows = np.column_stack([data["t"], data["q"], data["tau"]])
    heads = "time [s],q1 [rad],q2 [rad],tau1 [Nm],tau2 [Nm]"
    path.write_text("\n".join([heads, *(",".join(f"{x:.6g}" for x in row) for row in rows), ""]))


def _mat(compressed: bool, version: str = "5") -> Callable[[Path], None]:
    def write(path: Path) -> None:
        from scipy.io import savemat

        nested = {"rec": _motion(), "cells": np.array([1.0, "text"], object), "flag": True}
        data = _motion() if version == "4" else nested
        savemat(path, data, do_compression=compressed, format=version)

    return write


def _hdf5(path: Path) -> None:
    import h5py

    with h5py.File(path, "w") as file:
        for name, value in _motion().items():
            file.create_dataset(f"rec/{name}", data=value, compression="gzip", chunks=True)
        file["rec"].attrs["unit"] = "rad"


def _parquet(path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    data = _motion()
    rows = {"time": data["t"], "position": list(data["q"]), **{f"tau_{j}": data["tau"][:, j] for j in range(2)}}
    parquet.write_table(pyarrow.table(rows), path)


def _states() -> list[dict[str, Any]]:
    data = _motion()
    return [{
        "header": {"stamp": {"sec": 17, "nanosec": round(t * 1e9)}, "frame_id": ""}, "name": ["theta1", "theta2"],
        "position": data["q"][k].tolist(), "velocity": data["qd"][k].tolist(), "effort": data["tau"][k].tolist(),
    } for k, t in enumerate(data["t"])]  # fmt: skip


def _mcap(encoding: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        from tests.units.test_log_formats import write_mcap

        write_mcap(path, {"/joint_states": _states()}, encoding)

    return write


def _bag(path: Path) -> None:
    from rosbags.rosbag1 import Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS1_NOETIC)
    made = {name.rpartition("/")[2]: kind for name, kind in store.types.items()}
    path.unlink(missing_ok=True)
    with Writer(path) as writer:
        link = writer.add_connection("/joint_states", "sensor_msgs/msg/JointState", typestore=store)
        for k, row in enumerate(_states()):
            stamp = store.types["builtin_interfaces/msg/Time"](**row["header"]["stamp"])
            numbers = {name: np.array(row[name]) for name in ("position", "velocity", "effort")}
            header = made["Header"](seq=k, stamp=stamp, frame_id="")
            message = made["JointState"](header=header, name=row["name"], **numbers)
            writer.write(link, 17 * 10**9 + k, bytes(store.serialize_ros1(message, link.msgtype)))


def _npz(path: Path) -> None:
    np.savez_compressed(path, **_motion(), joints=np.array(["theta1", "theta2"]))


def _own_npz(path: Path) -> None:
    import manipula as mp

    mp.Log(**_motion(), turns=(True, True)).save(path)


ARM = """format = 1
name = "two"
convention = "standard"
angle = "deg"
length = "mm"
gravity = [0, 0, -9.81]
inertia_default = 0
[values]
l1 = 0.4
[tool]
xyz = [0, 0, 10]
rpy = [0, 90, 0]
[[joint]]
name = "shoulder"
type = "revolute"
theta = 0
d = 100
a = "l1"
alpha = -90
limits = [-160, 160]
effort_limit = 50
mass = 2.5
com = [100, 0, 0]
inertia = { xx = 0.1, yy = 0.2, zz = 0.2, xy = 0, xz = 0, yz = 0 }
friction = { viscous = 0.1, coulomb = 0.2 }
motor_inertia = 0.1
[[joint]]
name = "elbow"
type = "prismatic"
theta = "pi/2"
d = 0
a = 300
alpha = 0
limits = [0, 500]
effort_limit = 50
mass = 1
"""
SCENARIO = """format = 1
robot = "arm.toml"
angle = "deg"
wrench = [1, 0, 0, 0, 0, 0]
[plant]
payload = { mass = 0.5, com = [0, 0.1, 0.05] }
friction = "stick"
[law]
name = "pd_gravity"
sample = 1e-3
kp = [400, 250]
kd = 40
[reference]
kind = "quintic"
start = [0, 0.1]
goal = [4, 0.2]
duration = 0.02
[run]
until = 0.02
step = 1e-3
method = "rk4"
[sensors]
noise = { q = 1e-5, qd = 1e-3 }
resolution = 1e-5
[[event]]
t = 0.01
payload = "none"
[output]
log = "run.csv"
"""
STUDY = """format = 1
function = "tests.mutated.samples:cheap"
seed = 3
[cases]
a = [1, 3]
b = [0.5, 1.5]
[shared]
scale = 2.0
[sample]
kind = "sobol"
count = 4
[output]
results = "out.csv"
"""


def cheap(case: dict[str, Any], rng: Any) -> dict[str, Any]:
    return {"sum": float(case["a"]) + float(rng.normal())}


def _text(text: str) -> Callable[[Path], None]:
    return lambda path: (path.write_text(text), None)[1]


def _arm() -> Any:
    import manipula as mp

    return mp.Robot.from_text(ARM)


def _saved(ending: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        import manipula as mp

        mp.save(mp.load("puma560") if ending == ".par" else _arm(), path)

    return write


def _robot(path: Path) -> Any:
    """Read, and used: a model of what is odd must be refused as well, or be one."""
    import manipula as mp

    robot = mp.load(path)
    missing = {name: 0.3 for name, value in robot.parameters.items() if value is None}
    try:
        given = robot.with_parameters(**missing) if missing else robot
    except mp.RobotFileError:  # of values that no file has: a symbol made of a digit is an inertia no body has
        return str(robot)
    if robot.dof <= 7:
        mp.generate(given, "pose", optimise="none")
    return str(robot)


def _scenario(path: Path) -> Any:
    from manipula import api

    (path.parent / "arm.toml").write_text(ARM)
    return api.simulate_file(path, force=True)


def _study(path: Path) -> Any:
    from manipula.studies.study_file import study_of_file

    return study_of_file(path, force=True)


def _results(path: Path) -> None:
    """Of the study below, beside its `study.json`."""
    import manipula as mp

    mp.study(cheap, {"a": [1, 2, 3]}, resume=path.parent)


def _resumed(path: Path) -> Any:
    import manipula as mp

    found = mp.study(cheap, {"a": [1, 2, 3]}, resume=path.parent)
    return [found.table[name] for name in found.table], found.why


def _cases(path: Path) -> Any:
    import manipula as mp

    return mp.study(cheap, path).count


def _columns(ending: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        columns = {"a": np.arange(6), "x": np.linspace(0, 1, 6), "word": np.array(list("uvwxyz"))}
        if ending == ".npz":
            np.savez(path, **columns)
        elif ending == ".csv":
            path.write_text(
                "\n".join([",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values()))])
            )
        else:
            import pyarrow
            from pyarrow import parquet

            parquet.write_table(pyarrow.table(columns), path)

    return write


def _trajectory(path: Path) -> None:
    import manipula as mp

    mp.trajectory.quintic([0, 0], [1, 1], 0.02).save(path)


def _reference(path: Path) -> Any:
    import manipula as mp

    return mp.trajectory.table(path)(0.01)


URDF = """<robot name="r"><link name="a"><inertial><mass value="1"/><origin xyz="0 0 .1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><link name="b"><inertial>
<mass value="2.5"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link><link name="c"/>
<joint name="j1" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 0.5" rpy="0 1.57 0"/>
<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="10" velocity="2"/><dynamics damping="0.1" friction="0.2"/>
</joint>
<joint name="j2" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/><mimic joint="j1" multiplier="2"
 offset="0.1"/><limit lower="0" upper="1" effort="10" velocity="2"/></joint></robot>
"""
MJCF = """<mujoco model="m"><compiler angle="degree"/><option gravity="0 0 -9.81"/>
<default><joint damping="0.1"/></default><worldbody><body name="a" pos="0 0 0.5">
<joint name="j1" type="hinge" axis="0 0 1" range="-90 90" ref="10"/>
<inertial pos="0 0 0.1" mass="2" diaginertia="1 1 1"/><body name="b" pos="0.3 0 0" euler="0 90 0">
<joint name="j2" type="slide" axis="1 0 0" range="0 0.5"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<geom type="box" size="0.1 0.2 0.3"/></body></body></worldbody>
<actuator><motor joint="j1" gear="10"/></actuator></mujoco>
"""


def _ends(path: Path) -> None:
    if path.read_bytes() != b"good":
        os.abort()


def _sleeps(path: Path) -> None:
    if path.read_bytes() != b"good":
        time.sleep(10_000)


def _raises(path: Path) -> None:
    if path.read_bytes() != b"good":
        raise KeyError(path.name)


# not among those that are drawn: what a run must notice
TRAPS = {
    "crash": Kind("crash", False, _text("good"), _ends),
    "hang": Kind("hang", False, _text("good"), _sleeps),
    "raw": Kind("raw", False, _text("good"), _raises),
}
KINDS = {
    "log.csv": Kind("log.csv", True, _table, _log),
    "log.npz": Kind("log.npz", False, _npz, _log),
    "own.npz": Kind("own.npz", False, _own_npz, _log),
    "plain.mat": Kind("plain.mat", False, _mat(False), _log),
    "packed.mat": Kind("packed.mat", False, _mat(True), _log),
    "four.mat": Kind("four.mat", False, _mat(False, "4"), _log),
    "log.h5": Kind("log.h5", False, _hdf5, _log),
    "seven.mat": Kind("seven.mat", False, _hdf5, _log),
    "log.parquet": Kind("log.parquet", False, _parquet, _log),
    "log.mcap": Kind("log.mcap", False, _mcap("cdr"), _log),
    "json.mcap": Kind("json.mcap", False, _mcap("json"), _log),
    "log.bag": Kind("log.bag", False, _bag, _log),
    "robot.toml": Kind("robot.toml", True, _text(ARM), _robot),
    "robot.urdf": Kind("robot.urdf", True, _text(URDF), _robot),
    "robot.xml": Kind("robot.xml", True, _text(MJCF), _robot),
    "robot.par": Kind("robot.par", True, _saved(".par"), _robot),
    "robot.csv": Kind("robot.csv", True, _text("type,theta,d,a,alpha\nR,q1,100,0,-90\nP,90,q2,l2,0\n"), _robot),
    "scenario.toml": Kind("scenario.toml", True, _text(SCENARIO.replace("arm.toml", "arm.toml")), _scenario),
    "study.toml": Kind("study.toml", True, _text(STUDY), _study),
    "results.npz": Kind("results.npz", False, _results, _resumed),
    "study.json": Kind("study.json", True, _results, _resumed),
    "cases.npz": Kind("cases.npz", False, _columns(".npz"), _cases),
    "cases.csv": Kind("cases.csv", True, _columns(".csv"), _cases),
    "cases.parquet": Kind("cases.parquet", False, _columns(".parquet"), _cases),
    "motion.csv": Kind("motion.csv", True, _trajectory, _reference),
}
