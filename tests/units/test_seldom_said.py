"""Sentences that few people ever read, word for word; and the rooms of a compiled function's memory."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import BaseModel, ConfigDict

import manipula as mp
from manipula import api
from manipula.algebra.expr.function import output_named
from manipula.algebra.run.repeated import complete_options
from manipula.algebra.run.stepping import Memory, from_lanes, result_type, to_lanes
from manipula.errors import InputError, ManipulaError, UnknownNameError
from manipula.generation.settings import settings_from
from manipula.messages import Message, capitalise, join_messages
from manipula.support.checked_toml import output_paths
from manipula.support.text import key_text, value_text
from tests.golden import planar


def said(call: Any, *args: Any, **options: Any) -> str:
    with pytest.raises(ManipulaError) as caught:
        call(*args, **options)
    return str(caught.value)


# memory


MEMORY = Memory(planar.servo(), np.dtype("float64"))


def test_states_start_where_they_may() -> None:
    start = MEMORY.start({"low": [[1.0, 2.0], [3.0, 4.0]]})
    assert start._fields == ("low",) and start.low.tolist() == [[1.0, 2.0], [3.0, 4.0]]
    assert MEMORY.start({}).low.tolist() == [0.0, 0.0]
    assert pickle.loads(pickle.dumps(start)).low.tolist() == start.low.tolist()
    assert said(MEMORY.start, {"low": [1.0, np.nan]}) == "planar_servo: low2 cannot start at nan"
    assert said(MEMORY.start, {"low": [[1.0, 2.0], [np.inf, 4.0]]}) == "planar_servo: low1 cannot start at inf"
    assert said(MEMORY.start, {"high": [1.0]}).startswith("no state of planar_servo is called 'high'. ")


def test_a_step_takes_what_it_says() -> None:
    state = MEMORY.start({})
    assert MEMORY.arguments(state, [[5.0, 6.0]])[0] == [5.0, 6.0]
    assert said(MEMORY.arguments, state, []) == "planar_servo: a step takes 1 inputs (q), found 0"
    assert said(MEMORY.arguments, {"low": 1, "high": 2}, [0]) == "planar_servo: state: expected low, found low, high"
    assert said(MEMORY.arguments, (1, 2), [0]) == "planar_servo: state: expected low, as `start` gives them"
    assert said(MEMORY.arguments, 3.0, [0]) == "planar_servo: state: expected low, as `start` gives them"
    assert said(Memory, planar.tip(), np.dtype("float64")).endswith(": has no states; it does not go step by step")


def test_new_states_are_put_where_they_fit() -> None:
    new = [np.array([1.0, 2.0])]
    place = np.zeros(2)
    assert MEMORY.store_state(new, [place]).low is place and place.tolist() == [1.0, 2.0]
    for odd, kind in (
        (np.zeros(3), "float64 (3,)"), (np.zeros(2, np.float32), "float32 (2,)"), ([0.0, 0.0], "list"),
    ):  # fmt: skip
        told = said(MEMORY.store_state, new, [odd])
        assert told == f"planar_servo: out: low: expected float64 (2,), found {kind}"


@pytest.mark.parametrize("rows", [1, 3, 4, 5, 8])
@pytest.mark.parametrize("lanes", [1, 2, 4])
def test_rows_become_lanes_and_back(rows: int, lanes: int) -> None:
    table = np.arange(rows * 3.0).reshape(rows, 3)
    laned = to_lanes(table, lanes, table.dtype)
    assert laned.shape == (-(-rows // lanes), 3, lanes) and laned.ctypes.data % 64 == 0
    flat = np.moveaxis(laned, -1, 1).reshape(-1, 3)
    assert flat[:rows].tolist() == table.tolist() and all(row.tolist() == table[-1].tolist() for row in flat[rows:])
    back = np.zeros_like(table)
    from_lanes(laned, rows, back)
    assert back.tolist() == table.tolist()


def test_a_result_knows_its_names() -> None:
    made = result_type("f", ("a", "b"))(1, 2)
    again = pickle.loads(pickle.dumps(made))
    assert (again.a, again.b, type(again).__name__) == (1, 2, "f_result") and type(again) is type(made)


def test_an_option_of_a_run_has_a_name() -> None:
    assert complete_options({"every": 3})["every"] == 3 and complete_options({})["threads"] == 1
    told = "no option of run is called 'evry'; did you mean 'every'? Known: "
    assert said(complete_options, {"evry": 3}) == f"{told}p, every, threads, along, seed, rollout, first."


# generation


def test_what_a_model_has_no_use_for_is_refused() -> None:
    assert said(mp.generate, "planar2r", "pose", wrench=True) == "pose has no use for a tool wrench; drop wrench=True"
    with pytest.raises(UnknownNameError) as caught:
        mp.generate("planar2r", "pose", parameters="some")
    assert str(caught.value).startswith("no parameter set is called 'some'. ")


def test_an_output_has_a_name_and_entries_count_from_one() -> None:
    graph = planar.Planar()
    function = graph.function("f", ("q",), {"A": [[graph.q[0], graph.q[1]], [1, 2]]})
    assert output_named(function, "A[1,2]").exprs == (graph.q[1],) == output_named(function, "A[1][2]").exprs
    assert output_named(function, "A[2, 1]").exprs == (graph.graph.one,)
    assert said(output_named, function, "B[1,1]").startswith("no output is called 'B'. ")
    for odd in ("A[0,1]", "A[3,1]", "A[1]", "A[a,1]", "A[1,1,1]"):
        assert odd in said(output_named, function, odd) or "A" in said(output_named, function, odd)


def test_settings_without_a_value_are_listed() -> None:
    law = api.law_model("planar2r", "pd_gravity", symbolic="auto")
    told = said(settings_from, law.function, {"kp": 3.0})
    assert told.startswith(f"{law.name}: no value for kd (")


# robots and their words


def test_what_is_not_written_is_named() -> None:
    assert "planar2r" in api.to_text("planar2r")
    assert said(api.to_text, "planar2r", "frob").startswith("no ")


@pytest.mark.parametrize(
    ("joints", "said"),
    [("R", "1 joint, R"), ("RPR", "3 joints, RPR"), ("RF", "1 joint, R")],
)
def test_freedoms_are_counted_in_words(joints: str, said: str) -> None:
    kinds = {"R": "revolute", "P": "prismatic", "F": "fixed"}
    rows = "".join(f"[[joint]]\ntype = '{kinds[x]}'\ntheta = 0\nd = 0\na = 0.1\nalpha = 0\n" for x in joints)
    head = "format = 1\nname = 'x'\nconvention = 'standard'\nangle = 'deg'\nlength = 'm'\ninertia_default = 0\n"
    assert str(mp.Robot.from_text(head + rows, "toml").freedoms) == said


FOLLOWING = """format = 1
name = "x"
convention = "standard"
angle = "deg"
length = "m"
inertia_default = 0
[[joint]]
name = "one"
type = "revolute"
theta = 0
d = 0
a = 0.1
alpha = 0
"""


@pytest.mark.parametrize(
    ("more", "told"), [(1, "1 joint and 1 that follows, RR"), (2, "1 joint and 2 that follow, RRR")]
)
def test_joints_that_follow_are_counted_apart(more: int, told: str) -> None:
    rows = "".join(
        f"[[joint]]\ntype = 'revolute'\ntheta = 0\nd = 0\na = 0.1\nalpha = 0\ncoordinate = '-{k + 2}*one'\n"
        for k in range(more)
    )
    assert str(mp.Robot.from_text(FOLLOWING + rows, "toml").freedoms) == told


# text


def test_values_are_written_as_toml_has_them() -> None:
    table = {"a b": [1, 2.5, True, "x"], "c": {"d": False}}
    assert value_text(table) == '{ "a b" = [1, 2.5, true, "x"], c = { d = false } }'
    assert said(value_text, {"a": None}) == "TOML cannot hold None here"
    assert (key_text("plain-1"), key_text("with blank"), key_text("")) == ("plain-1", '"with blank"', '""')


def test_sentences_are_joined_and_begun_in_capitals() -> None:
    told = join_messages(", ", (Message("{n} arms", 2), "b"))
    assert str(told) == "2 arms, b" and capitalise("élan vital") == "Élan vital" and capitalise("") == ""


class Outputs(BaseModel):
    model_config = ConfigDict(extra="forbid")
    results: str | None = None
    folder: str | None = None


def test_outputs_go_beside_their_file_and_replace_nothing_unasked(tmp_path: Path) -> None:
    file = tmp_path / "study.toml"
    assert output_paths(file, Outputs(), False) == {}
    assert output_paths(file, Outputs(results="a.csv"), False) == {"results": tmp_path / "a.csv"}
    (tmp_path / "a.csv").write_text("x")
    (tmp_path / "empty").mkdir()
    assert output_paths(file, Outputs(folder="empty"), False) == {"folder": tmp_path / "empty"}
    told = said(output_paths, file, Outputs(results="a.csv"), False)
    place = f"{file}: output: results"
    assert (
        told == f"{place}: {tmp_path / 'a.csv'} exists; name another file, or replace it: --force, in Python force=True"
    )
    assert output_paths(file, Outputs(results="a.csv"), True) == {"results": tmp_path / "a.csv"}
    (tmp_path / "empty" / "b").write_text("x")
    assert "exists" in said(output_paths, file, Outputs(folder="empty"), False)
    for odd in ("../a.csv", "/etc/a.csv", "a\0b"):
        assert said(output_paths, file, Outputs(results=odd), True) == (
            f"{place}: {odd!r} leads out of the folder of this file"
        )


def test_a_mistake_of_input_is_one() -> None:
    assert issubclass(InputError, ManipulaError) and str(InputError("{a} and {b}", 1, "x")) == "1 and x"
