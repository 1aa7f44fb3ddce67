"""Tables in the order their book prints them: said, or refused with a sentence; and what was assumed is told."""

from __future__ import annotations

import random
from itertools import permutations

import numpy as np
import pytest

import manipula as mp
from manipula.errors import ManipulaWarning, RobotFileError
from manipula.mechanics.robot.formats.rows import FIELDS
from tests.golden.sentences import Sentences

CRAIG = [(0, 0, 0, 0), (-90, 0, 0, 0), (0, "a2", "d3", 0), (-90, "a3", "d4", 0), (90, 0, 0, 0), (-90, 0, 0, 0)]
ORDERS = list(permutations(FIELDS))


def test_craigs_puma_as_printed() -> None:
    """J. J. Craig, Introduction to Robotics, 3rd ed., eq. 3.14: px = c1 (a2 c2 + a3 c23 − d4 s23) − d3 s1."""
    robot = mp.Robot.from_dh(CRAIG, convention="modified", angle="deg", columns="alpha a d theta")
    robot = robot.with_parameters(a2=0.43, a3=0.02, d3=0.12, d4=0.43)
    q = np.array([0.3, -0.4, 0.5, 0.6, 0.7, 0.8])
    c1, c2, c23, s1, s23 = np.cos(q[0]), np.cos(q[1]), np.cos(q[1] + q[2]), np.sin(q[0]), np.sin(q[1] + q[2])
    assert np.isclose(mp.Arm(robot).pose(q)[0, 3], c1 * (0.43 * c2 + 0.02 * c23 - 0.43 * s23) - 0.12 * s1)


@pytest.mark.parametrize(
    "rows", [CRAIG, np.zeros((3, 4)), [[0, 0, 0, 0]], [{"a": 0, "alpha": 0, "d": 0}, (0, 0, 1, 0)]]
)
def test_bare_rows_of_the_modified_convention_need_an_order(rows: object) -> None:
    with pytest.raises(RobotFileError, match=r'^joint [12]: row: the row is bare.*columns="alpha a d theta".*dicts'):
        mp.Robot.from_dh(rows, convention="modified", angle="deg")  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(30))
def test_any_order_that_is_said_gives_the_same_robot(seed: int) -> None:
    rng = random.Random(seed)
    order, convention = rng.choice(ORDERS), rng.choice(("standard", "modified"))
    values = {
        "theta": [0, 90, "phi"],
        "d": [0, 0.3, "L1", "d9"],
        "a": [0, 0.2, "L2", "a9"],
        "alpha": [0, -90, "alpha9"],
    }
    rows = [{field: rng.choice(values[field]) for field in FIELDS} for _ in range(rng.randint(1, 5))]
    kinds = [rng.choice("RRP") for _ in rows]
    wanted = mp.Robot.from_dh([{**row, "type": kind} for row, kind in zip(rows, kinds)], convention, "deg")
    said = rng.choice((" ".join(order), list(order), ", ".join(order), " ".join(order).replace("theta", "θ")))
    bare = [(*(row[field] for field in order), kind) for row, kind in zip(rows, kinds)]
    assert mp.Robot.from_dh(bare, convention, "deg", columns=said) == wanted
    named = ["P" if kind == "P" else "R" for kind in kinds]
    typed = [(kind, *row[:4]) for kind, row in zip(named, bare)]
    assert mp.Robot.from_dh(typed, convention, "deg", columns=["type", *order]) == wanted


MISPLACED = {
    "alpha": ["theta1", "q1", "θ1*", "theta_1", "a2", "d3", "\\theta_{1}"],
    "a": ["theta2", "d3", "q2", "-θ2", "alpha1"],
    "d": ["a2", "theta1", "alpha1", "alfa2"],
    "theta": ["a2", "d3", "alpha2"],
}


@pytest.mark.parametrize(("column", "text"), [(column, text) for column, texts in MISPLACED.items() for text in texts])
def test_a_name_of_another_column_is_refused(column: str, text: str, whole: Sentences) -> None:
    row = {field: text if field == column else 0 for field in FIELDS}
    with whole.raises(RobotFileError, match=f"joint 1: {column}: found .* which reads like"):
        mp.Robot.from_dh([tuple(row.values())])
    variable = not text.lstrip("-").startswith(("a", "d"))
    if variable:
        with whole.raises(RobotFileError, match="a joint variable"):
            mp.Robot.from_dh([tuple(row.values())], columns="theta d a alpha")
    else:  # whoever says the order, or the column, means it
        said = mp.Robot.from_dh([tuple(row.values())], columns="theta d a alpha")
        assert said == mp.Robot.from_dh([row])


@pytest.mark.parametrize("column", ["a", "d", "alpha"])
def test_a_pasted_table_with_a_variable_below_another_heading_is_refused(column: str) -> None:
    cells = {field: "theta2" if field == column else "0" for field in FIELDS}
    text = f"theta d a alpha\n0 0 1 0\n{' '.join(cells.values())}\n"
    with pytest.raises(RobotFileError, match=f"joint 2: {column}: found 'theta2', which reads like a joint variable"):
        mp.Robot.from_text(text, "dh", convention="standard", angle="deg")


def test_a_pasted_name_below_another_heading_is_refused_unless_it_is_meant() -> None:
    table = "theta,d,a,alpha\nq1,a2,0,0\n{}\n"
    with pytest.raises(RobotFileError, match="joint 1: d: found 'a2', which reads like an entry of the column a"):
        mp.Robot.from_text(table.format("q2,0,1,0"), "dh", convention="standard")
    valued = mp.Robot.from_text("# a2 = 0.4\n" + table.format("q2,0,1,0"), "dh", convention="standard")
    assert valued.parameters["a2"] == 0.4


@pytest.mark.parametrize("seed", range(12))
def test_an_assumed_convention_is_told(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    rng = random.Random(seed)
    order = rng.choice(ORDERS)
    rows = [[f"q{k}" if field == "theta" else rng.choice(("0", "0.5")) for field in order] for k in (1, 2)]
    text = "\n".join(",".join(row) for row in [list(order), *rows]) + "\n"
    books = order.index("alpha") < order.index("theta") and order.index("a") < order.index("d")
    path = tmp_path_factory.mktemp("tables") / "t.csv"
    path.write_text(text)
    for read in (lambda: mp.Robot.from_text(text, "dh", angle="rad"), lambda: mp.load(path, angle="rad")):
        with pytest.warns(ManipulaWarning, match="does not say its convention, standard is assumed") as told:
            assert read().origin.convention == "standard"
        assert ["books print the modified one in this order" in str(w.message) for w in told] == [books]
        assert told[0].filename == __file__
    assert mp.load(path, angle="rad", convention="modified").origin.convention == "modified"
    assert mp.Robot.from_text("# convention = modified\n" + text, "dh", angle="rad").origin.convention == "modified"


@pytest.mark.parametrize(
    "columns", ["alpha a d", "theta d a alpha alpha", "theta r a alpha", "", "theta d a alfax", []]
)
def test_columns_that_are_none(columns: object) -> None:
    with pytest.raises(RobotFileError, match="header"):
        mp.Robot.from_dh([(0, 0, 0, 0)], columns=columns)  # type: ignore[arg-type]
