"""Files with a few wrong bytes, read by everything that reads files: no crash, no raw error, no hang.

`python -m tests.mutated --seed 1 --count 10000` draws that many, over every format; `--kinds mat,urdf` some formats,
`--at 17` one file again, with its traceback. Files are read in a child process that tells which one it begins: a child
that dies or falls silent is a finding, and another goes on behind it. A file is drawn from the seed and its number
alone.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import select
import struct
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

PATIENCE = 120.0  # seconds for one file, on a machine with other work
MEMORY = 4 * 2**30
ROOT = Path(__file__).parents[1]


# what is changed: a good file of every kind


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
function = "tests.mutated:cheap"
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
    given = robot.with_parameters(**missing) if missing else robot
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


# how it is changed

NUMBERS = (
    "0.5", "2", "10", "1e6",
    "0", "-0", "-1", "1e300", "-1e300", "1e-300", "1e308", "1e999", "-1e999", "nan", "inf", "-inf", "7" * 5000,
    "1e99999999", "0x" + "f" * 2000, "1_000", "1,5", "1.5.2", "true", "''", "99999999999999999999", "٣", "1e5", "1e-20",
    "pi", "2**9999",
)  # fmt: skip
SNIPPETS = (
    b"\0", b"\xff\xfe", b"\xc3", "é".encode(), "\u202e".encode(), b"]", b"[", b"{", b'"', b"'", b"=", b"\r", b"\n\n",
    b"<", b"/>", b"&a;", b"[[joint]]\n", b"#", b",", b";", b"\t", b" " * 500, b"(" * 400, b"a." * 300, b"../../x", b"%",
)  # fmt: skip
WHOLE = (0, 1, 2, 3, 7, 8, 127, 128, 255, 256, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


def mutate(data: bytes, rng: random.Random, is_text: bool) -> bytes:
    """A few changes; most files have one, as a disk or a hand makes them. Half of the texts stay well formed."""
    if is_text and rng.random() < 0.5:
        return _number(data, rng)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        data = rng.choice(_TEXT_CHANGES if is_text else _CHANGES)(data, rng) if data else data
    return data


def _flip(data: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << rng.randrange(8))]) + data[place + 1 :]


def _byte(data: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(data))
    return data[:place] + bytes([rng.choice((0, 1, 2, 10, 127, 128, 255, rng.randrange(256)))]) + data[place + 1 :]


def _integer(data: bytes, rng: random.Random) -> bytes:
    """A length or an offset, of either order."""
    form = rng.choice(("<I", ">I", "<Q", "<H"))
    size = struct.calcsize(form)
    place = rng.randrange(max(len(data) - size, 1))
    value = rng.choice((*WHOLE, len(data), len(data) + 1)) % 2 ** (8 * size)
    return data[:place] + struct.pack(form, value) + data[place + size :]


def _cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


def _part(data: bytes, rng: random.Random) -> tuple[int, int]:
    begin = rng.randrange(len(data))
    return begin, min(begin + rng.choice((1, 4, 8, 30, 200)), len(data))


def _drop(data: bytes, rng: random.Random) -> bytes:
    begin, end = _part(data, rng)
    return data[:begin] + data[end:]


def _repeat(data: bytes, rng: random.Random) -> bytes:
    begin, end = _part(data, rng)
    return data[:end] + data[begin:end] * rng.choice((1, 1, 5)) + data[end:]


def _blank(data: bytes, rng: random.Random) -> bytes:
    begin, end = _part(data, rng)
    return data[:begin] + bytes([rng.choice((0, 255))]) * (end - begin) + data[end:]


def _snippet(data: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(data))
    return data[:place] + rng.choice(SNIPPETS) + data[place:]


def _number(data: bytes, rng: random.Random) -> bytes:
    found = list(re.finditer(rb"-?\d+(\.\d+)?(e-?\d+)?", data))
    return _swapped(data, rng.choice(found).span(), rng.choice(NUMBERS).encode()) if found else data


def _word(data: bytes, rng: random.Random) -> bytes:
    """Another word of the file in the place of one, or none."""
    found = [x.span() for x in re.finditer(rb"[A-Za-z_]\w*", data)]
    if len(found) < 2:
        return data
    span, other = rng.sample(found, 2)
    return _swapped(data, span, rng.choice((data[slice(*other)], b"", b"x" * 300, data[slice(*span)].upper())))


def _line(data: bytes, rng: random.Random) -> bytes:
    """A line gone, twice, or in another place."""
    lines = data.split(b"\n")
    line = lines.pop(rng.randrange(len(lines)))
    for _ in range(rng.choice((0, 1, 2))):
        lines.insert(rng.randint(0, len(lines)), line)
    return b"\n".join(lines)


def _swapped(data: bytes, span: tuple[int, int], new: bytes) -> bytes:
    return data[: span[0]] + new + data[span[1] :]


_CHANGES = (_flip, _flip, _byte, _byte, _integer, _integer, _cut, _drop, _repeat, _blank)
_TEXT_CHANGES = (_number, _number, _number, _word, _word, _line, _snippet, _byte, _cut, _drop, _repeat)


# one file, in the child


class Read(NamedTuple):
    """What became of a file: `good`, `refused`, or what is wrong: `raw`, `unnamed`, `loud`, `crash`, `hang`."""

    number: int
    kind: str
    state: str
    text: str = ""


def samples(folder: Path, kinds: list[str]) -> dict[str, bytes]:
    """A good file of each kind, as bytes."""
    found = {}
    for name in kinds:
        place = folder / "good" / name
        place.mkdir(parents=True, exist_ok=True)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            KINDS[name].write(place / name)
            found[name] = (place / name).read_bytes()
            KINDS[name].read(place / name)  # a mutant of what is refused anyway would show nothing
    return found


Good = dict[str, bytes]


def read_one(number: int, seed: int, kinds: list[str], good: Good, folder: Path, trace: bool = False) -> Read:
    """The file of this number, drawn, written, read."""
    from manipula.errors import ManipulaError, ManipulaWarning

    rng = random.Random(f"{seed}:{number}")
    kind = KINDS[kinds[number % len(kinds)]]
    place = folder / "good" / kind.name  # beside what belongs to it
    path = place / kind.name
    path.write_bytes(mutate(good[kind.name], rng, kind.is_text))
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            kind.read(path)
        except ManipulaError as error:
            named = path.name in str(error) or str(place) in str(error)
            return Read(number, kind.name, "refused" if named else "unnamed", str(error))
        except Exception as error:
            if trace:
                traceback.print_exc()
            at = traceback.extract_tb(error.__traceback__)
            ours = next((f"{x.filename.rpartition('manipula/')[2]}:{x.lineno}" for x in reversed(at)
                         if "manipula/" in x.filename and "site-packages" not in x.filename), "")  # fmt: skip
            return Read(number, kind.name, "raw", f"{type(error).__name__} {ours} {error}"[:300])
        finally:
            path.write_bytes(good[kind.name])
    loud = [x for x in heard if not issubclass(x.category, ManipulaWarning | DeprecationWarning)]
    if loud:
        where = f"{loud[0].filename.rpartition('site-packages/')[2]}:{loud[0].lineno}"
        return Read(number, kind.name, "loud", f"{loud[0].category.__name__} {where} {loud[0].message}"[:300])
    return Read(number, kind.name, "good")


def child(seed: int, kinds: list[str], first: int, step: int, count: int) -> None:
    """Tells the number of every file before it is read, and what became of it."""
    _bound_memory()
    with tempfile.TemporaryDirectory() as folder:
        good = samples(Path(folder), kinds)
        for number in range(first, count, step):
            print(number, flush=True)
            print(json.dumps(read_one(number, seed, kinds, good, Path(folder))), flush=True)


def _bound_memory() -> None:
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


# all files, in the parent


def read_all(seed: int, count: int, kinds: list[str] | None = None) -> Iterator[Read]:
    """Every file, by children that may die."""
    names = list(kinds or KINDS)
    number = 0
    with tempfile.TemporaryDirectory() as cache:
        while number < count:
            for found in _batch(seed, names, number, count, cache):
                number = found.number + 1
                yield found


def _batch(seed: int, kinds: list[str], first: int, count: int, cache: str) -> Iterator[Read]:
    """Until the child ends, which it may do in the middle of a file; that is then the last one here."""
    command = [sys.executable, "-m", "tests.mutated", "--child", str(seed), ",".join(kinds), str(first), str(count)]
    environment = {**os.environ, "MANIPULA_CACHE": cache, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdout is not None
        number, state = -1, "crash"
        while line := _line_of(process.stdout):
            if line.startswith(b"["):
                yield Read(*json.loads(line))
                number = -1
            else:
                number = int(line)
        if process.poll() is None and line is None:
            process.kill()
            state = "hang"
        code = process.wait()
    if number >= 0:
        yield Read(number, kinds[number % len(kinds)], state, f"exit code {code}")
    elif code:
        raise RuntimeError(f"the child did not start: exit code {code}")


def _line_of(stream: Any) -> bytes | None:
    """The next line, empty at the end; None where none comes in time. No buffer hides one from `select`."""
    ready, _, _ = select.select([stream], [], [], PATIENCE)
    return bytes(stream.readline()) if ready else None


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        seed, kinds, first, count = sys.argv[2:]
        child(int(seed), kinds.split(","), int(first), 1, int(count))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--at", type=int)
    given = parser.parse_args()
    kinds = [name for name in KINDS if any(word in name for word in given.kinds.split(","))]
    if given.at is not None:
        with tempfile.TemporaryDirectory() as folder:
            print(read_one(given.at, given.seed, kinds, samples(Path(folder), kinds), Path(folder), trace=True))
        return
    states: Counter[tuple[str, str]] = Counter()
    wrong = 0
    for found in read_all(given.seed, given.count, kinds):
        states[found.kind, found.state] += 1
        if found.state not in ("good", "refused"):
            wrong += 1
            print(f"{found.number}: {found.kind}: {found.state}: {found.text}", flush=True)
    for name in kinds:
        print(f"{name:16}", ", ".join(f"{state} {n}" for (kind, state), n in states.items() if kind == name))
    print(f"{given.count} files, {wrong} wrong")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
