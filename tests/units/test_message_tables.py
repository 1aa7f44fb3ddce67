"""Tables that programs write from messages, controllers and spreadsheets: lists in cells, two lines of names, torques
that were only commanded. Neighbours of each give the same arrays, or a sentence with a remedy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import savemat

import manipula as mp
from tests.golden.sentences import Sentences
from tests.log_tables import arm, motion, table, written

NAMES = ["yaw", "elbow", "roll"]
LISTS: list[Callable[[list[str]], str]] = [
    lambda x: f"[{', '.join(x)}]",
    lambda x: f"({', '.join(x)})",
    lambda x: f"({', '.join(x)},)",
    lambda x: f"array('d', [{', '.join(x)}])",
    lambda x: f"array([{', '.join(x)}])",
    lambda x: f"[{' '.join(x)}]",
    lambda x: f"[ {'  '.join(x)} ]",
]


def _compare(log: mp.Log, data: dict[str, Any]) -> None:
    np.testing.assert_array_equal(log.q, data["q"])
    np.testing.assert_array_equal(log.tau, data["tau"])


@pytest.mark.parametrize("seed", range(40))
def test_lists_in_cells_are_columns(seed: int, tmp_path: Path) -> None:
    """In any bracket and separator, any order of joints where they are named, one joint or three."""
    rng = np.random.default_rng(seed)
    names = NAMES[: 1 + seed % 3]
    data, write, mark = motion(len(names)), LISTS[rng.integers(len(LISTS))], [",", ";", "\t", "|"][rng.integers(4)]
    named = len(names) > 1 and rng.random() < 0.5
    order = rng.permutation(len(names)) if named else np.arange(len(names))
    quote = '"' if mark == "," or rng.random() < 0.5 else ""
    heads, cells = ["time", "position", "effort"], []
    for t, q, tau in zip(data["t"], data["q"][:, order], data["tau"][:, order]):
        lists = [quote + write([repr(float(v)) for v in x]) + quote for x in (q, tau)]
        cells.append([repr(float(t)), *lists])
    if named:
        heads.insert(1, "name")
        listed = quote + "[" + ", ".join(f"'{names[k]}'" for k in order) + "]" + quote
        cells = [[row[0], listed, *row[1:]] for row in cells]
    if rng.random() < 0.3:
        heads.append("frame_id")
        cells = [[*row, "base"] for row in cells]
    text = "\n".join(mark.join(row) for row in [heads, *cells]) + "\n"
    _compare(mp.read_log(written(tmp_path / "a.csv", text), arm(names)), data)


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
@pytest.mark.parametrize("place", [0, 1, 3])
def test_remarks_in_brackets_part_no_cells(mark: str, place: int, tmp_path: Path) -> None:
    """Words in brackets behind another mark are no list, wherever they stand: cells are parted as the lists say."""
    data, other = motion(2), next(x for x in ",;|" if x != mark)
    heads, cells = ["time", "position", "effort"], []
    for t, q, tau in zip(data["t"], data["q"], data["tau"]):
        cells.append([repr(float(t)), *("[" + " ".join(repr(float(v)) for v in x) + "]" for x in (q, tau))])
    heads.insert(place, "remark")
    for row in cells:
        row.insert(place, f"warm{other} (slow)")
    text = "\n".join(mark.join(row) for row in [heads, *cells]) + "\n"
    _compare(mp.read_log(written(tmp_path / "a.csv", text), arm(NAMES[:2])), data)


def test_brackets_of_heads_are_no_lists(tmp_path: Path) -> None:
    data = motion(2)
    columns = {"t [s]": data["t"]} | {f"q[{j}] (rad)": data["q"][:, j] for j in range(2)}
    columns |= {f"tau[{j}]": data["tau"][:, j] for j in range(2)}
    _compare(mp.read_log(written(tmp_path / "a.csv", table(columns)), "planar2r"), data)


@pytest.mark.parametrize(
    "rows, sentence",
    [
        (["'a', 'b'; 1, 2", "'b', 'a'; 1, 2"], "line 3: joints are b, a, and a, b before"),
        (["'a', 'b'; 1, 2", "'a', 'b'; 1", "'a', 'b'; 1, 2"], "line 3: expected 3 numbers, found 2"),
    ],
)
def test_lists_that_are_not_alike_are_refused(rows: list[str], sentence: str, tmp_path: Path, whole: Sentences) -> None:
    lines = [f'{k / 100},"[{row.partition(";")[0]}]","[{row.partition(";")[2]}]"' for k, row in enumerate(rows)]
    with whole.raises(mp.InputError, match=sentence):
        mp.read_log(written(tmp_path / "a.csv", "\n".join(["time,name,position", *lines]) + "\n"))


@pytest.mark.parametrize("seed", range(24))
def test_two_lines_of_names_are_one(seed: int, tmp_path: Path) -> None:
    """Quantities over joints, or joints over quantities; names of joints or numbers; a row of units below or none."""
    rng, data = np.random.default_rng(seed), motion(3)
    joints = NAMES if seed % 2 else [f"J{k + 1}" for k in range(3)]
    mark = [",", ";", "\t"][rng.integers(3)]
    quantities = {"Position": data["q"], "Torque": data["tau"]}
    if rng.random() < 0.5:
        upper = ["Time", *(name if j == 0 else "" for name in quantities for j in range(3))]
        lower = ["", *(joint for _ in quantities for joint in joints)]
        arrays = [data["t"], *(x[:, j] for x in quantities.values() for j in range(3))]
    else:
        upper = ["", *(name if k == 0 else "" for name in joints for k in range(2))]
        lower = ["Time", *(quantity for _ in joints for quantity in quantities)]
        arrays = [data["t"], *(x[:, j] for j in range(3) for x in quantities.values())]
    units = [["s", *("rad" if "Pos" in a + b else "Nm" for a, b in zip(_filled(upper)[1:], lower[1:]))]]
    rows = [[repr(float(x)) for x in row] for row in zip(*arrays)]
    before = [["recorded by", "a person"]] if rng.random() < 0.3 else []
    lines = [*before, upper, lower, *(units if rng.random() < 0.5 else []), *rows]
    text = "\n".join(mark.join(line) for line in lines) + "\n"
    _compare(mp.read_log(written(tmp_path / "a.csv", text), arm(NAMES)), data)


def _filled(names: list[str]) -> list[str]:
    found: list[str] = []
    for name in names:
        found.append(name or (found[-1] if found else ""))
    return found


def test_commanded_torques_are_taken_where_none_is_measured(tmp_path: Path, whole: Sentences) -> None:
    data = motion(2)
    columns = {"t": data["t"]} | {f"actual_q_{j}": data["q"][:, j] for j in range(2)}
    wanted = {f"target_moment_{j}": data["tau"][:, j] for j in range(2)}
    log = mp.read_log(written(tmp_path / "a.csv", table(columns | wanted)), "planar2r")
    _compare(log, data)
    assert "torques are those commanded, 'target_moment_0' … 'target_moment_1': none is measured" in log.notes
    currents = {f"actual_current_{j}": data["tau"][:, j] / 9 for j in range(2)}
    both = written(tmp_path / "b.csv", table(columns | currents | wanted))
    with whole.raises(mp.InputError, match="or take those commanded; say which: .*target_moment_0"):
        mp.read_log(both, "planar2r")
    said = {"tau": ["target_moment_0", "target_moment_1"]}
    _compare(mp.read_log(both, "planar2r", columns=said), data)


@pytest.mark.parametrize(
    "heads, sentence",
    [
        ("time,theta1,theta2,theta1,theta2", "'theta1' stands above 2 columns; say by number"),
        ("time,tau1,tau2,qd1,qd2", r'the files of one recording are read together: mp.read_log\(\[…\]\), or "A \+ B"'),
        ("time,q1,tau1,x,y", "has 1 joint; planar2r has 2; lock those that were held still"),
        ("time,enc1 [counts],enc2 [counts],tau1,tau2", "q is recorded in 'counts'; say rad per count: scale="),
        ("time,encoder_1,encoder_2,tau1,tau2", r"no column of positions; .* columns=\{'q': \['encoder_1', …\]\}"),
    ],
)
def test_what_heads_do_not_say_is_asked_for(heads: str, sentence: str, tmp_path: Path, whole: Sentences) -> None:
    data = motion(2)
    rows = np.column_stack([data["t"], data["q"], data["tau"]]).tolist()
    text = "\n".join([heads, *(",".join(map(repr, row)) for row in rows)]) + "\n"
    with whole.raises(mp.InputError, match=sentence):
        mp.read_log(written(tmp_path / "a.csv", text), "planar2r")


def test_joints_that_stand_twice_are_read_by_number(tmp_path: Path) -> None:
    """As the sentence says."""
    data = motion(2)
    rows = np.column_stack([data["t"], data["q"], data["tau"]]).tolist()
    text = "\n".join(["time,theta1,theta2,theta1,theta2", *(",".join(map(repr, row)) for row in rows)]) + "\n"
    file = written(tmp_path / "a.csv", text)
    _compare(mp.read_log(file, "planar2r", columns={"q": [1, 2], "tau": [3, 4]}), data)


@pytest.mark.parametrize("outer", ["out", "logsout.arm"])
def test_signals_with_times_of_their_own(outer: str, tmp_path: Path) -> None:
    data = motion(2)
    signals: dict[str, Any] = {name: {"Time": data["t"], "Data": data[name]} for name in ("q", "tau")}
    for part in reversed(outer.split(".")):
        signals = {part: signals}
    savemat(tmp_path / "a.mat", signals)
    _compare(mp.read_log(tmp_path / "a.mat", "planar2r"), data)


def test_a_list_of_nothing_is_no_list_of_joints(tmp_path: Path) -> None:
    """A topic that stops sending efforts: the line has too few numbers; the names of joints have not changed."""
    rows = ['0.0,"[\'a\', \'b\']","[1, 2]","[3, 4]"', '0.01,"[\'a\', \'b\']","[1, 2]","[]"']
    text = "\n".join(["time,name,position,effort", *rows, *rows]) + "\n"
    with pytest.raises(mp.InputError, match="line 3: expected 5 numbers, found 3"):
        mp.read_log(written(tmp_path / "a.csv", text))
