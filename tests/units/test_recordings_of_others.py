"""Recordings as people elsewhere save them: heads in any language, titles over columns, counts, archives with names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import savemat

import manipula as mp
from tests.log_tables import arm, motion, table, written

# time, position, torque, the unit of an angle
LANGUAGES = {
    "German": ("Zeit [s]", "Achse {} Winkel [Grad]", "Drehmoment {} [Nm]"),
    "Portuguese": ("tempo (s)", "posição da junta {} (graus)", "torque da junta {} (N.m)"),
    "Spanish": ("Tiempo [s]", "Posición articulación {} [grados]", "Par articulación {} [Nm]"),
    "French": ("Temps [s]", "Angle axe {} [°]", "Couple axe {} [N·m]"),
    "Italian": ("Tempo [s]", "Posizione giunto {} [gradi]", "Coppia giunto {} [Nm]"),
    "Dutch": ("Tijd [s]", "Hoek as {} [graden]", "Koppel as {} [Nm]"),
    "Polish": ("Czas [s]", "Kąt osi {} [stopnie]", "Moment osi {} [Nm]"),
    "Swedish": ("Tid [s]", "Vinkel axel {} [grader]", "Moment axel {} [Nm]"),
    "Czech": ("Čas [s]", "Poloha osy {} [°]", "Moment osy {} [Nm]"),
    "Turkish": ("Zaman [s]", "Eklem {} konumu [derece]", "Eklem {} torku [Nm]"),
    "Russian": ("Время [с]", "Угол оси {} [град]", "Момент оси {} [Нм]"),
    "Japanese": ("時間 [秒]", "関節角度{} [度]", "トルク{} [Nm]"),
    "Chinese": ("时间[s]", "关节角度{}[deg]", "关节力矩{}[Nm]"),
    "Korean": ("시간 [초]", "관절각도{} [도]", "토크{} [Nm]"),
    "Hungarian": ("Idő [s]", "Csukló {} szöge [deg]", "Nyomaték {} [Nm]"),  # by units alone
    "Finnish": ("Aika [ms]", "Kulma {} [deg]", "Vääntö {} [mNm]"),
}


def same(log: mp.Log, data: dict[str, np.ndarray], order: Any = slice(None)) -> None:
    np.testing.assert_allclose(log.t - log.t[0], data["t"] - data["t"][0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(log.q, data["q"][:, order], atol=1e-9)
    assert log.tau is not None
    np.testing.assert_allclose(log.tau, data["tau"][:, order], atol=1e-9)


@pytest.mark.drawn("seed")
@pytest.mark.parametrize("seed", range(28))
@pytest.mark.filterwarnings("ignore::manipula.ManipulaWarning")
@pytest.mark.parametrize("language", LANGUAGES)
def test_heads_in_any_language(language: str, seed: int, tmp_path: Path) -> None:
    """Any number of joints, from 0 or 1, columns of a joint together or of a quantity, any mark and decimals."""
    rng = np.random.default_rng(seed)
    n, first, apart = int(rng.integers(2, 7)), int(rng.integers(0, 2)), bool(rng.integers(0, 2))
    robot, data = arm([f"joint{j + 1}" for j in range(n)]), motion(n)
    time, angle, torque = LANGUAGES[language]
    columns = {time: data["t"] * (1000.0 if "[ms]" in time else 1.0)}
    pairs = [(angle, np.degrees(data["q"])), (torque, data["tau"] * (1000.0 if "[mNm]" in torque else 1.0))]
    places = [(j, k) for j in range(n) for k in (0, 1)] if apart else [(j, k) for k in (0, 1) for j in range(n)]
    columns |= {pairs[k][0].format(j + first): pairs[k][1][:, j] for j, k in places}
    separator, decimal = [(",", "."), (";", ","), ("\t", "."), ("\t", ","), ("|", ".")][int(rng.integers(0, 5))]
    path = written(tmp_path / "log.csv", table(columns, separator, decimal))
    same(mp.read_log(path, robot), data)


@pytest.mark.parametrize("seed", range(8))
def test_a_unit_alone_is_said_and_never_one_of_other_things(seed: int, tmp_path: Path) -> None:
    rng, data = np.random.default_rng(seed), motion(2)
    word = str(rng.choice(["Szög", "Kulma", "Nurk", "Kot"]))
    columns = {"t": data["t"], **{f"{word} {j} [rad]": data["q"][:, j] for j in range(2)},
               **{f"tau{j}": data["tau"][:, j] for j in range(2)}}  # fmt: skip
    path = written(tmp_path / "log.csv", table(columns))
    with pytest.warns(mp.ManipulaWarning, match=f"{word} 1 .rad.' are taken as positions, by their unit"):
        same(mp.read_log(path, "planar2r"), data)
    strange = str(rng.choice(["error", "tcp", "limit", "model"]))  # of something else
    path.write_text(path.read_text().replace(word, f"{word} {strange}"))
    with pytest.raises(mp.InputError, match="no column of positions"):
        mp.read_log(path, "planar2r")


@pytest.mark.parametrize("seed", range(12))
def test_a_title_over_the_columns_of_all_joints(seed: int, tmp_path: Path) -> None:
    """`Time,Position,,,Torque,,`, with the empty cells behind the last title or without, units below or in it."""
    rng = np.random.default_rng(seed)
    n, below, cut, mark = (
        int(rng.integers(2, 7)),
        bool(seed % 2),
        bool(seed // 2 % 2),
        str(rng.choice([",", ";", "\t"])),
    )
    data, empty = motion(n), [""] * (n - 1)
    titles = ["Time", "Position", *empty, "Torque", *([] if cut else empty)]
    if not below:
        titles = [{"Position": "Position [deg]", "Torque": "Torque [Nm]"}.get(title, title) for title in titles]
    lines = [titles, *([["s", *["deg"] * n, *["Nm"] * n]] if below else [])]
    rows = np.column_stack([data["t"], np.degrees(data["q"]), data["tau"]])
    lines += [[repr(float(x)) for x in row] for row in rows]
    path = written(tmp_path / "log.csv", "\n".join(mark.join(line) for line in lines) + "\n")
    same(mp.read_log(path, arm([f"joint{j + 1}" for j in range(n)])), data)


@pytest.mark.parametrize("seed", range(8))
def test_whole_numbers_that_nobody_named_are_asked_about_as_counts(seed: int, tmp_path: Path) -> None:
    rng, data = np.random.default_rng(seed), motion(2)
    turn = int(rng.choice([4096, 8192, 20000, 2**17]))
    counts = np.round(data["q"] / (2 * np.pi) * turn * int(rng.choice([1, 50, 100])))
    counts[0] = 0, np.ceil(counts[:, 1].min() + 800)
    columns = {"t": data["t"], **{f"q{j}": counts[:, j] for j in range(2)}, "tau0": data["t"], "tau1": data["t"]}
    path = written(tmp_path / "log.csv", table(columns))
    with pytest.raises(mp.InputError, match="are these counts of an encoder"):
        mp.read_log(path, "planar2r")


def test_decimal_commas_between_commas(tmp_path: Path) -> None:
    data = motion(2)
    columns = {"t": data["t"], **{f"q{j}": data["q"][:, j] + 2 for j in range(2)}}
    text = "\n".join(line.replace(".", ",") for line in table(columns).splitlines())
    with pytest.raises(mp.InputError, match=r"3 names, line 2 6 numbers, parted by ',': are its commas decimal\?"):
        mp.read_log(written(tmp_path / "log.csv", text), "planar2r")


def test_columns_without_torques_are_named(tmp_path: Path) -> None:
    data = motion(2)
    columns = {"t": data["t"], **{f"q{j}": data["q"][:, j] for j in (0, 1)}, "M1": data["t"], "M2": data["t"]}
    path = written(tmp_path / "log.csv", table(columns))
    log = mp.read_log(path, "planar2r")
    assert "no column of torques was recognised; left out 'M1' … 'M2'" in log.notes and log.tau is None
    assert mp.read_log(path, "planar2r", columns={"tau": ["M1", "M2"]}).tau is not None


@pytest.mark.parametrize("seed", range(8))
def test_the_unit_of_angles_says_nothing_of_slides(seed: int, tmp_path: Path) -> None:
    """Millimetres that nobody named are asked about where the unit of angles was said, or none."""
    rng, data = np.random.default_rng(seed), motion(3)
    robot = arm(["q1", "d2", "q3"])  # the second slides
    shown = np.where([True, False, True], np.degrees(data["q"]), 1000 * data["q"] * float(rng.uniform(0.1, 1)))
    columns = {"t": data["t"], **{f"q{j + 1}": shown[:, j] for j in range(3)},
               **{f"tau{j + 1}": data["tau"][:, j] for j in range(3)}}  # fmt: skip
    path = written(tmp_path / "log.csv", table(columns))
    asked = (
        r"d2 goes from .* m: are these millimetres\? Say the unit of every joint, units=\{'q': \['rad', 'mm', 'rad'\]\}"
    )
    with pytest.raises(mp.InputError, match=asked):
        mp.read_log(path, robot, units={"q": "deg"})
    log = mp.read_log(path, robot, units={"q": ["deg", "mm", "deg"]})
    np.testing.assert_allclose(log.q[:, [0, 2]], data["q"][:, [0, 2]], atol=1e-12)
    assert np.abs(log.q[:, 1]).max() < 1
    assert mp.read_log(path, robot, units={"q": ["deg", "m", "deg"]}).q[:, 1].max() > 1


@pytest.mark.parametrize(("size", "word"), [(100.0, "far beyond its limits"), (3.0, "beyond its limits")])
def test_positions_of_motors_are_far_beyond_the_limits(size: float, word: str) -> None:
    t = np.arange(0, 200, 0.05)
    q = size * np.sin(np.array([3.0, 4, 5, 6, 7, 8]) / size * 3 * t[:, None])
    log = mp.Log(t, q, np.cos(q), stated=("q",)).checked(mp.load("puma560"))
    notes = [str(note) for note in log.notes if str(note).startswith("waist goes")]
    assert len(notes) == 1 and f", {word} -2.793" in notes[0] and ("motor" in notes[0]) == ("far" in word)


# archives


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("ending", [".mat", ".h5", ".npz", ".parquet"])
def test_names_beside_arrays_say_whose_their_columns_are(ending: str, seed: int, tmp_path: Path) -> None:
    rng, names = np.random.default_rng(seed), ["waist", "shoulder", "elbow", "wrist"]
    data, order, path = motion(4), rng.permutation(4), tmp_path / f"log{ending}"
    listed, arrays = [names[k] for k in order], {"t": data["t"], "q": data["q"][:, order], "tau": data["tau"][:, order]}
    if ending == ".mat":  # a matrix of letters, or a cell of texts
        cell = np.empty(4, object)
        cell[:] = listed
        savemat(path, {**arrays, "joint_names": cell if seed % 2 else listed})
    elif ending == ".npz":
        np.savez(path, **arrays, joint_names=listed)  # type: ignore[arg-type]
    elif ending == ".h5":
        h5py = pytest.importorskip("h5py", reason="h5py reads HDF5")
        with h5py.File(path, "w") as file:
            for name, value in arrays.items():
                file[name] = value
            if seed % 2:
                file.attrs["joint_names"] = listed
            else:
                file["joint_names"] = listed
    else:
        pyarrow = pytest.importorskip("pyarrow", reason="pyarrow writes Parquet")
        from pyarrow import parquet

        columns = {"t": data["t"], "name": [listed] * len(data["t"]), **{x: list(arrays[x]) for x in ("q", "tau")}}
        parquet.write_table(pyarrow.table(columns), path)
    same(mp.read_log(path, arm(names)), data)


def test_names_in_another_order_in_a_later_row(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow writes Parquet")
    from pyarrow import parquet

    data = motion(2)
    rows = {
        "t": data["t"],
        "name": [["a", "b"]] * 20 + [["b", "a"]] * 40,
        "q": list(data["q"]),
        "tau": list(data["tau"]),
    }
    parquet.write_table(pyarrow.table(rows), tmp_path / "log.parquet")
    with pytest.raises(mp.InputError, match="row 21: joints are b, a, and a, b before; record them in one order"):
        mp.read_log(tmp_path / "log.parquet", arm(["a", "b"]))


@pytest.mark.parametrize("matlab", [True, False])
def test_names_in_a_cell_of_matlab_7_3(matlab: bool, tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py", reason="h5py reads MATLAB 7.3")
    data, path = motion(2), tmp_path / "log.h5"
    with h5py.File(path, "w") as file:
        for name in ("t", "q", "tau"):
            value = data[name][:, None] if name == "t" else data[name][:, ::-1]
            file[name] = value.T
            file[name].attrs["MATLAB_class"] = np.bytes_("double")
        parts = [file.create_dataset(f"#refs#/{k}", data=np.array([[ord(x)] for x in name], np.uint16)) for k, name in
                 enumerate(("wrist", "elbow"))]  # fmt: skip
        for part in parts:
            part.attrs["MATLAB_class"] = np.bytes_("char" if matlab else "cell")
        file["joint_names"] = np.array([[part.ref for part in parts]], h5py.ref_dtype)
        file["joint_names"].attrs["MATLAB_class"] = np.bytes_("cell")
    same(mp.read_log(path, arm(["elbow", "wrist"])), data, slice(None) if matlab else [1, 0])


def test_units_of_hdf5_are_attributes(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py", reason="h5py reads HDF5")
    data = motion(2)
    with h5py.File(tmp_path / "log.h5", "w") as file:
        values = {"t": data["t"] * 1000, "q": np.degrees(data["q"]), "tau": data["tau"] * 1000}
        for (name, value), unit in zip(values.items(), ("ms", b"deg", "mNm")):
            file[name] = value
            file[name].attrs["units"] = unit
    same(mp.read_log(tmp_path / "log.h5", "planar2r"), data)
    with h5py.File(tmp_path / "log.h5", "a") as file:
        file["q"].attrs["units"] = "furlongs"
    with pytest.raises(mp.InputError, match="'furlongs' is no unit of q"):
        mp.read_log(tmp_path / "log.h5", "planar2r")


def test_signals_of_simulink_have_their_labels_for_names(tmp_path: Path) -> None:
    data = motion(3)
    signals = [{"values": data[name], "label": name} for name in ("q", "tau")]
    savemat(tmp_path / "log.mat", {"scope": {"time": data["t"], "signals": signals}})
    same(mp.read_log(tmp_path / "log.mat", arm(["a", "b", "c"])), data)


@pytest.mark.parametrize("ending", [".mat", ".npz", ".npy"])
def test_one_array_without_names_is_a_table(ending: str, tmp_path: Path) -> None:
    data = motion(2)
    whole = np.column_stack([data["t"], data["q"], data["tau"]])
    path = tmp_path / f"log{ending}"
    if ending == ".mat":
        savemat(path, {"data": whole})
    elif ending == ".npz":
        np.savez(path, data=whole.T)
    else:
        np.save(path, whole)
    with pytest.raises(mp.InputError, match="no column of positions; found 'column 0'"):
        mp.read_log(path, "planar2r")
    same(mp.read_log(path, "planar2r", columns={"t": 0, "q": [1, 2], "tau": [3, 4]}), data)


def test_arrays_whose_names_say_nothing_can_be_named(tmp_path: Path) -> None:
    data = motion(2)
    np.savez(tmp_path / "log.npz", data["t"], data["q"], data["tau"])
    with pytest.raises(mp.InputError, match="no column of positions; found 'arr_0', 'arr_1', 'arr_2'"):
        mp.read_log(tmp_path / "log.npz", "planar2r")
    columns = {"t": "arr_0", "q": "arr_1", "tau": "arr_2"}
    same(mp.read_log(tmp_path / "log.npz", "planar2r", columns=columns), data)


def test_times_of_a_calendar_in_an_archive(tmp_path: Path) -> None:
    data = motion(2)
    for unit, size in (("ns", 1e9), ("us", 1e6), ("ms", 1e3)):
        begin, steps = np.datetime64("2026-05-01", unit), np.round(data["t"] * size).astype(f"timedelta64[{unit}]")
        for times in (begin + steps, steps):
            np.savez(tmp_path / "log.npz", time=times, q=data["q"], tau=data["tau"])
            same(mp.read_log(tmp_path / "log.npz", "planar2r"), data)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda x: x + 0j, "q holds complex numbers; expected real ones"),
        (lambda x: np.stack([x, x]), r"q has shape \(2, 60, 2\); expected a row for every time and a column"),
        (lambda x: x[:-3], r"q has shape \(57, 2\) and there are 60 times; bring both to one rate first"),
        (lambda x: x.astype(object), "q is an array of objects; save it as one of numbers"),
    ],
)
def test_positions_that_are_no_table_of_numbers_say_why(change: Any, told: str, tmp_path: Path) -> None:
    data = motion(2)
    arrays = {"t": data["t"], "q": change(data["q"]), "tau": data["tau"]}
    if "objects" in told:
        np.savez(tmp_path / "log.npz", **arrays)
    else:
        savemat(tmp_path / "log.mat", arrays)
    with pytest.raises(mp.InputError, match=told):
        mp.read_log(next(tmp_path.glob("log.*")), "planar2r")
