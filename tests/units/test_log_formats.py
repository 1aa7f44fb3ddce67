"""`mp.read_log` on files that are no text: a motion, written by the formats' own libraries, comes back exactly."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from scipy.io import loadmat, savemat

import manipula as mp
from manipula.recordings.array_files import archive_from_bytes

N = 40
JOINTS = ("shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint")
ROBOT = "ur5e"


def motion(n: int) -> dict[str, np.ndarray]:
    t = np.round(0.01 * np.arange(N), 6)
    phase, w = np.arange(n) + 1.0, 3.0 + np.arange(n)
    q = 0.6 * np.sin(w * t[:, None] + phase)
    return {"t": t, "q": q, "qd": 0.6 * w * np.cos(w * t[:, None] + phase), "tau": 5 * q + 1}


def same(log: mp.Log, data: dict[str, np.ndarray], order: Any = slice(None)) -> None:
    np.testing.assert_allclose(log.t - log.t[0], data["t"] - data["t"][0], rtol=0, atol=1e-12)
    for name in ("q", "qd", "tau"):
        if name in data and (name != "qd" or log.qd is not None):
            np.testing.assert_array_equal(getattr(log, name), data[name][:, order])


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("n", [1, 2, 6])
def test_archives_with_any_names(seed: int, n: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(seed)
    pick = lambda *things: things[rng.integers(len(things))]  # noqa: E731
    data = motion(n)
    arrays: dict[str, Any] = {pick("t", "time", "times", "timestamps"): data["t"], "note": np.array("a text")}
    words = {
        "q": ("q", "pos", "positions", "angles"),
        "qd": ("qd", "dq", "velocities"),
        "tau": ("tau", "torques", "effort"),
    }
    prefix = pick("", "", "actual_", "rec.")
    for name, known in words.items():
        word = prefix + pick(*known)
        if rng.random() < 0.3:
            arrays |= {f"{word}{pick('', '_')}{j + 1}": data[name][:, j] for j in range(n)}
        else:
            arrays[word] = data[name].T if rng.random() < 0.3 else data[name]
    arrays["target_positions"] = data["q"] + 1
    arrays["contacts"] = np.zeros((N // 2, 3))
    arrays["dt"] = np.array(0.01)
    items = list(arrays.items())
    rng.shuffle(items)
    np.savez(tmp_path / "log.npz", **dict(items))
    log = mp.read_log(tmp_path / "log.npz")
    same(log, data)
    assert log.qd is not None
    np.testing.assert_array_equal(log.q_ref, data["q"] + 1)
    assert log.dof == n


def test_names_in_an_archive_are_the_joints(tmp_path: Path) -> None:
    data = motion(6)
    order = [5, 3, 1, 0, 2, 4]
    names = [JOINTS[k] for k in order]
    np.savez(tmp_path / "a.npz", t=data["t"], q=data["q"], tau=data["tau"], joint_names=names)
    same(mp.read_log(tmp_path / "a.npz", ROBOT), data, np.argsort(order))
    np.savez(tmp_path / "b.npz", t=data["t"], q=data["q"], tau=data["tau"], joint_names=list("abcdef"))
    with pytest.raises(mp.InputError, match="positions are of joints a, b, c, d, e, f; ur5e has shoulder_pan"):
        mp.read_log(tmp_path / "b.npz", ROBOT)


def test_archives_that_hold_no_log(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", a=np.zeros(3), b=np.array("x"))
    with pytest.raises(mp.InputError, match=r"no array of times and none of positions; found a \(3,\), b \(\)"):
        mp.read_log(tmp_path / "a.npz")
    np.savez(tmp_path / "b.npz", t=np.arange(3) * 0.1, q=np.zeros((3, 1)), odd=np.array([{}, []], dtype=object))
    assert "left out, being no numbers: odd" in mp.read_log(tmp_path / "b.npz").notes
    rows = {"t": np.arange(40) * 0.1, "q": np.sin(np.arange(80.0)).reshape(40, 2), "tau": np.zeros((10, 2))}
    np.savez(tmp_path / "rates.npz", **rows)
    with pytest.raises(mp.InputError, match=r"tau has shape \(10, 2\) and there are 40 times; bring both to one rate"):
        mp.read_log(tmp_path / "rates.npz", "planar2r")
    assert mp.read_log(tmp_path / "rates.npz", "planar2r", columns={"tau": None}).tau is None
    np.savez(tmp_path / "c.npz")
    with pytest.raises(mp.InputError, match="found nothing"):
        mp.read_log(tmp_path / "c.npz")
    whole = (tmp_path / "b.npz").read_bytes()
    (tmp_path / "d.npz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(mp.InputError, match="is no archive of arrays"):
        mp.read_log(tmp_path / "d.npz")


def test_structs_of_matlab(tmp_path: Path) -> None:
    """Nested structs, arrays the other way round, units in names, two candidates."""
    data = motion(6)
    rec = {
        "time_s": data["t"],
        "act_pos_mot_deg": np.degrees(data["q"]).T,
        "act_pos_se_deg": np.degrees(data["q"]).T + 1,
        "act_torque_nm": data["tau"].T,
        "ref_pos_deg": np.degrees(data["q"]).T,
        "name": "a robot",
    }
    para = {"u": np.arange(6.0), "inner": {"k": 3}}
    savemat(tmp_path / "a.mat", {"rec": rec, "para": para, "n_axis": 6})
    with pytest.raises(
        mp.InputError, match=r"positions may be 'rec.act_pos_mot_deg' or 'rec.act_pos_se_deg'; say which"
    ):
        mp.read_log(tmp_path / "a.mat", ROBOT)
    log = mp.read_log(
        tmp_path / "a.mat", ROBOT, columns={"q": "rec.act_pos_mot_deg"}, scale={"tau": [2, 1, 1, 1, 1, -1]}
    )
    np.testing.assert_allclose(log.q, data["q"], rtol=1e-14)
    np.testing.assert_array_equal(log.tau, data["tau"] * [2, 1, 1, 1, 1, -1])
    np.testing.assert_allclose(log.q_ref, data["q"], rtol=1e-14)


def drawn(rng: np.random.Generator, depth: int) -> Any:
    """What MATLAB can hold: numbers of every class, structs, cells, text, complex, sparse, empty."""
    kind = rng.integers(0, 9 if depth else 6)
    shape = tuple(int(n) for n in rng.integers(0 if rng.random() < 0.1 else 1, 5, rng.integers(1, 4)))
    if kind < 4:
        numbers = 100 * rng.normal(size=shape)
        return numbers.astype(rng.choice(["f8", "f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "?"]))
    if kind < 6:
        return rng.choice(np.array(["text", 1 + 2j, sparse.csc_matrix(np.eye(3))], object))
    if kind == 6:
        cells = np.empty(int(rng.integers(1, 4)), object)
        cells[:] = [drawn(rng, depth - 1) for _ in cells]
        return cells
    names = [f"f{k}" for k in range(rng.integers(1, 4))]
    if kind == 7:
        return {name: drawn(rng, depth - 1) for name in names}
    rows = np.empty(int(rng.integers(2, 4)), [(name, object) for name in names])
    for k in range(len(rows)):
        rows[k] = tuple(drawn(rng, depth - 1) for _ in names)
    return rows


def parts_by_scipy(name: str, value: Any) -> dict[str, np.ndarray]:
    """The arrays of numbers that scipy finds, under the paths of the structs and cells that they are in."""
    if hasattr(value, "_fieldnames"):
        fields = [(f"{name}.{field}", getattr(value, field)) for field in value._fieldnames]
    elif isinstance(value, np.ndarray) and value.dtype.kind == "O":
        fields = [(name if value.size == 1 else f"{name}({k + 1})", x) for k, x in enumerate(value.flatten("F"))]
    else:
        numeric = isinstance(value, np.ndarray) and value.dtype.kind in "fiub"
        return {name: np.squeeze(value)} if numeric else {}
    return {key: x for inner, part in fields for key, x in parts_by_scipy(inner, part).items()}


@pytest.mark.parametrize("seed", range(40))
def test_files_of_matlab_5_hold_what_scipy_finds_in_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    file = io.BytesIO()
    savemat(file, {f"v{k}": drawn(rng, 3) for k in range(4)}, do_compression=bool(seed % 2))
    expected: dict[str, np.ndarray] = {}
    for name, value in loadmat(file, struct_as_record=False).items():
        expected |= {} if name.startswith("__") else parts_by_scipy(name, value)
    found = archive_from_bytes(file.getvalue()).arrays
    assert {name for name, x in found.items() if x.size} == {name for name, x in expected.items() if x.size}
    for name, value in found.items():
        if value.size:
            np.testing.assert_array_equal(value, expected[name])
            assert value.dtype == expected[name].dtype or expected[name].dtype.kind in "ub"


def test_a_changed_byte_of_matlab_5_is_refused_or_changes_a_number(tmp_path: Path) -> None:
    """Byte 177 of such a file, a 2, once ended the process. No other array is touched, and no shape is another."""
    data, path = motion(2), tmp_path / "x.mat"
    savemat(path, {name: data[name] for name in ("t", "q", "qd", "tau")})
    right, refused = path.read_bytes(), 0
    for place in range(128, 700):
        for value in (0, 1, 2, 5, 9, 14, 15, 127, 255):
            try:
                found = archive_from_bytes(right[:place] + bytes([value]) + right[place + 1 :]).arrays
            except ValueError:
                refused += 1
            else:
                others = [name for name, x in found.items() if name in data and not np.array_equal(x, data[name])]
                assert len(others) <= 1 and sum(x.size for x in found.values()) <= 7 * N
    assert refused > 500
    path.write_bytes(right[:177] + b"\2" + right[178:])
    with pytest.raises(
        mp.InputError, match=r"x\.mat: is no whole \.mat file: numbers are stored as elements of type 521"
    ):
        mp.read_log(path)


def test_a_file_that_is_no_matlab(tmp_path: Path) -> None:
    for content in (b"", b"x" * 200, b"MATLAB 5.0 MAT-file" + bytes(200)):
        (tmp_path / "a.mat").write_bytes(content)
        with pytest.raises(mp.InputError):
            mp.read_log(tmp_path / "a.mat")


@pytest.mark.parametrize("matlab", [True, False])
def test_hdf5_and_matlab_7_3(matlab: bool, tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py", reason="h5py reads MATLAB 7.3")
    data = motion(6)
    path = tmp_path / ("a.mat" if matlab else "a.h5")
    with h5py.File(path, "w", userblock_size=512 if matlab else 0) as file:
        for name, value in {"rec/t": data["t"][:, None], "rec/q": data["q"], "rec/tau": data["tau"]}.items():
            file[name] = value.T if matlab else value
            if matlab:
                file[name].attrs["MATLAB_class"] = np.bytes_("double")
        file["rec/title"] = np.arange(N, dtype=np.uint16)
        if matlab:
            file["rec/title"].attrs["MATLAB_class"] = np.bytes_("char")
    if matlab:
        with path.open("r+b") as raw:
            raw.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(116) + b" " * 8 + b"\x00\x02IM")
    same(mp.read_log(path, ROBOT), data)
    (tmp_path / "b.h5").write_bytes(b"nothing")
    with pytest.raises(mp.InputError, match="is no HDF5 file"):
        mp.read_log(tmp_path / "b.h5")


def test_parquet(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow reads Parquet")
    from pyarrow import parquet

    data = motion(2)
    rows = {"time": data["t"], "position": list(data["q"]), "effort": list(data["tau"]), "who": ["me"] * N}
    parquet.write_table(pyarrow.table(rows), tmp_path / "lists.parquet")
    same(mp.read_log(tmp_path / "lists.parquet", "planar2r"), {"t": data["t"], "q": data["q"], "tau": data["tau"]})
    stamps = np.datetime64("2026-01-01T00:00:00", "ns") + (data["t"] * 1e9).round().astype("timedelta64[ns]")
    flat = {"timestamp": stamps, "who": ["me"] * N}
    flat |= {f"{name}_{j}": data[name][:, j] for name in ("q", "qd", "tau") for j in range(2)}
    parquet.write_table(pyarrow.table(flat), tmp_path / "flat.parquet")
    same(mp.read_log(tmp_path / "flat.parquet", "planar2r"), data)
    parquet.write_table(pyarrow.table({**flat, "q_1": ["x"] * N}), tmp_path / "text.parquet")
    with pytest.raises(mp.InputError, match="column 'q_1': found string, expected numbers"):
        mp.read_log(tmp_path / "text.parquet", "planar2r")
    (tmp_path / "a.parquet").write_bytes(b"nothing")
    with pytest.raises(mp.InputError, match="is no Parquet file"):
        mp.read_log(tmp_path / "a.parquet")


@pytest.mark.parametrize("ending", [".csv", ".npz", ".parquet"])
def test_what_is_saved_is_read_back(ending: str, tmp_path: Path) -> None:
    """Random logs, joints that slide and whatever is absent: exactly."""
    if ending == ".parquet":
        pytest.importorskip("pyarrow", reason="pyarrow writes Parquet")
    for seed in range(8):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(1, 5))
        t = np.cumsum(rng.uniform(0.01, 0.02, 30)) + 10.0 ** rng.integers(-3, 9)
        some = {name: rng.normal(size=(30, n)) for name in ("tau", "qdd", "q_ref") if rng.random() < 0.6}
        state = {"theta": rng.normal(size=(30, 3)), "x2y": rng.normal(size=(30, 1))} if seed % 2 else {}
        turns = tuple(bool(x) for x in rng.random(n) < 0.6)
        log = mp.Log(t, rng.normal(size=(30, n)), **some, state=state, turns=turns)
        again = mp.read_log(log.save(tmp_path / f"log{ending}"))
        for name in ("t", "q", "qd", "qdd", "tau", "q_ref", "qd_ref"):
            mine, theirs = getattr(log, name), getattr(again, name)
            assert (mine is None and theirs is None) or mine.tobytes() == theirs.tobytes(), name
        assert again.turns == turns and set(again.state) == set(state)
        assert all(again.state[name].tobytes() == value.tobytes() for name, value in state.items())


# messages of ROS

DEFINITION = """std_msgs/Header header
string[] name
float64[] position
float64[] velocity
float64[] effort
================================================================================
MSG: std_msgs/Header
builtin_interfaces/Time stamp
string frame_id
================================================================================
MSG: builtin_interfaces/Time
int32 sec
uint32 nanosec
"""
START = 1_700_000_000


def messages(data: dict[str, np.ndarray], seed: int = 0, stamped: bool = True) -> list[dict[str, Any]]:
    """Joints in another order in every message, a finger among them."""
    rng, found = np.random.default_rng(seed), []
    names = [*JOINTS, "finger_joint"]
    for k, t in enumerate(data["t"]):
        order = rng.permutation(len(names))
        stamp = {"sec": START + int(t), "nanosec": round((t % 1) * 1e9)} if stamped else {"sec": 0, "nanosec": 0}
        columns = {name: np.append(data[mine][k], 0.5) for name, mine in
                   (("position", "q"), ("velocity", "qd"), ("effort", "tau"))}  # fmt: skip
        found.append(
            {
                "header": {"stamp": stamp, "frame_id": ""},
                "name": [names[i] for i in order],
                **{name: [float(values[i]) for i in order] for name, values in columns.items()},
            }
        )
    return found


def write_mcap(path: Path, topics: dict[str, list[dict[str, Any]]], encoding: str = "cdr") -> Path:
    if encoding == "cdr":
        writing = pytest.importorskip("mcap_ros2.writer", reason="mcap-ros2-support reads MCAP")
        with path.open("wb") as file:
            writer = writing.Writer(file)
            schema = writer.register_msgdef("sensor_msgs/msg/JointState", DEFINITION)
            for topic, rows in topics.items():
                for k, row in enumerate(rows):
                    at = (START * 100 + k) * 10_000_000
                    writer.write_message(topic=topic, schema=schema, message=row, log_time=at, publish_time=at)
            writer.finish()
        return path
    writing = pytest.importorskip("mcap.writer", reason="mcap reads MCAP")
    with path.open("wb") as file:
        writer = writing.Writer(file)
        writer.start()
        schema = writer.register_schema("sensor_msgs/msg/JointState", "jsonschema", b"{}")
        for topic, rows in topics.items():
            channel = writer.register_channel(topic, encoding, schema)
            for k, row in enumerate(rows):
                at = (START * 100 + k) * 10_000_000
                writer.add_message(channel, at, json.dumps(row).encode(), at)
        writer.finish()
    return path


@pytest.mark.parametrize("encoding", ["cdr", "json"])
def test_mcap(encoding: str, tmp_path: Path) -> None:
    pytest.importorskip("mcap_ros2", reason="mcap-ros2-support reads MCAP")
    data = motion(6)
    for stamped in (True, False):
        file = write_mcap(tmp_path / "a.mcap", {"/joint_states": messages(data, 3, stamped)}, encoding)
        log = mp.read_log(file, ROBOT)
        same(log, data)
        assert log.joints == mp.load(ROBOT).joint_names
        assert any("no times of their own" in note for note in log.notes) == (not stamped)


def test_mcap_with_several_topics_or_none(tmp_path: Path) -> None:
    pytest.importorskip("mcap_ros2", reason="mcap-ros2-support reads MCAP")
    data = motion(6)
    other = {**data, "q": data["q"] + 1}
    file = write_mcap(tmp_path / "a.mcap", {"/a": messages(data), "/b": messages(other)})
    with pytest.raises(mp.InputError, match="joint states are on topics /a, /b: say which, topic='/a'"):
        mp.read_log(file, ROBOT)
    same(mp.read_log(file, ROBOT, topic="/b"), other)
    with pytest.raises(mp.InputError, match="no joint states on topic '/c'; they are on /a, /b"):
        mp.read_log(file, ROBOT, topic="/c")
    with pytest.raises(mp.InputError, match="no topic has messages sensor_msgs/JointState; found nothing"):
        mp.read_log(write_mcap(tmp_path / "b.mcap", {}), ROBOT)
    whole = file.read_bytes()
    for cut in (whole[: len(whole) // 2], b"", b"nothing at all"):
        (tmp_path / "c.mcap").write_bytes(cut)
        with pytest.raises(mp.InputError):
            mp.read_log(tmp_path / "c.mcap", ROBOT, topic="/a")


def test_messages_of_other_joints_are_left_out(tmp_path: Path) -> None:
    """A gripper that tells its own state on the same topic, more often than the arm."""
    pytest.importorskip("mcap_ros2", reason="mcap-ros2-support reads MCAP")
    data = motion(6)
    rows: list[dict[str, Any]] = []
    for row in messages(data):
        finger = {**row, "name": ["gripper"], "position": [0.1], "velocity": [], "effort": []}
        rows += [finger, row, finger]
    file = write_mcap(tmp_path / "a.mcap", {"/joint_states": rows})
    log = mp.read_log(file, ROBOT)
    same(log, data)
    assert any(f"{2 * N} messages of other joints" in note for note in log.notes)
    row = messages(data)[0]
    file = write_mcap(tmp_path / "b.mcap", {"/joint_states": [{**row, "position": [1.0]}]})
    with pytest.raises(mp.InputError, match="a message names 7 joints and has 1 numbers of position"):
        mp.read_log(file, ROBOT)


def test_messages_without_efforts(tmp_path: Path) -> None:
    pytest.importorskip("mcap_ros2", reason="mcap-ros2-support reads MCAP")
    data = motion(6)
    rows = [{**row, "effort": [], "velocity": [float("nan")] * 7} for row in messages(data)]
    log = mp.read_log(write_mcap(tmp_path / "a.mcap", {"/joint_states": rows}), ROBOT)
    same(log, {"t": data["t"], "q": data["q"]})
    assert log.tau is None and log.qd is None


@pytest.mark.parametrize("version", [1, 2])
def test_bags(version: int, tmp_path: Path) -> None:
    pytest.importorskip("rosbags", reason="rosbags reads bags")
    from rosbags.rosbag1 import Writer as Writer1
    from rosbags.rosbag2 import Writer as Writer2
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS1_NOETIC if version == 1 else Stores.ROS2_HUMBLE)
    types = SimpleNamespace(**{name.rpartition("/")[2]: kind for name, kind in store.types.items()})
    data = motion(6)
    path = tmp_path / ("a.bag" if version == 1 else "a")
    with Writer1(path) if version == 1 else Writer2(path, version=8) as writer:
        link = writer.add_connection("/joint_states", "sensor_msgs/msg/JointState", typestore=store)
        for k, row in enumerate(messages(data, 5)):
            stamp = store.types["builtin_interfaces/msg/Time"](**row["header"]["stamp"])
            first = {"seq": k} if version == 1 else {}
            header = types.Header(**first, stamp=stamp, frame_id="")
            numbers = {name: np.array(row[name]) for name in ("position", "velocity", "effort")}
            message = types.JointState(header=header, name=row["name"], **numbers)
            raw = (store.serialize_ros1 if version == 1 else store.serialize_cdr)(message, link.msgtype)
            writer.write(link, (START * 100 + k) * 10_000_000, bytes(raw))
    same(mp.read_log(path, ROBOT), data)
    if version == 2:
        same(mp.read_log(next(path.glob("*.db3")), ROBOT), data)
        (tmp_path / "empty").mkdir()
        with pytest.raises(mp.InputError, match="empty: "):
            mp.read_log(tmp_path / "empty")
    (tmp_path / "b.bag").write_bytes(b"#ROSBAG V2.0\nnothing")
    with pytest.raises(mp.InputError):
        mp.read_log(tmp_path / "b.bag")


@pytest.mark.parametrize("seed", range(12))
def test_broken_bytes_give_a_sentence(seed: int, tmp_path: Path) -> None:
    """Files with bytes changed, lost or cut off: a log or an InputError, nothing else."""
    rng = np.random.default_rng(seed)
    data = motion(2)
    np.savez(tmp_path / "a.npz", t=data["t"], q=data["q"])
    savemat(tmp_path / "a.mat", {"rec": {"t": data["t"], "q": data["q"]}})
    mp.Log(data["t"], data["q"]).save(tmp_path / "a.csv")
    if importlib.util.find_spec("pyarrow"):
        mp.Log(data["t"], data["q"]).save(tmp_path / "a.parquet")
    if importlib.util.find_spec("mcap_ros2"):
        write_mcap(tmp_path / "a.mcap", {"/j": messages(motion(6))})
    for file in sorted(tmp_path.glob("a.*")):
        raw = bytearray(file.read_bytes())
        for _ in range(rng.integers(1, 4)):
            at = int(rng.integers(len(raw)))
            raw[at : at + int(rng.integers(0, 20))] = rng.bytes(int(rng.integers(0, 5)))
        file.write_bytes(raw[: None if seed % 3 else int(rng.integers(1, len(raw)))])
        with contextlib.suppress(mp.InputError), warnings.catch_warnings():
            warnings.simplefilter("ignore", mp.ManipulaWarning)
            assert np.isfinite(mp.read_log(file).q).all()


def test_other_endings_are_listed(tmp_path: Path) -> None:
    with pytest.raises(mp.UnknownNameError, match=r"no ending of a log is called '\.ods'.*Known: \.csv, \.tsv"):
        mp.read_log(tmp_path / "a.ods")
    with pytest.raises(mp.InputError, match="cannot be read: no such file"):
        mp.read_log(tmp_path / "a.csv")


@pytest.mark.parametrize(
    "ending, package", [("h5", "h5py"), ("parquet", "pyarrow"), ("mcap", "mcap"), ("bag", "rosbags")]
)
def test_a_package_that_is_absent_is_named(ending: str, package: str, tmp_path: Path, monkeypatch: Any) -> None:
    import sys

    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    (tmp_path / f"a.{ending}").write_bytes(b"x")
    with pytest.raises(mp.InputError, match=rf"needs {package}.*pip install 'manipula\[identify\]'"):
        mp.read_log(tmp_path / f"a.{ending}")
