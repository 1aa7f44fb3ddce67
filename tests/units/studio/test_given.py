"""What a request holds: every reader gives the value that was sent, its usual one where none was, and of anything else
a sentence that begins with the key, says what was expected and shows what was found."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from manipula.errors import InputError
from manipula.studio.tasks.requests import flag_in, names_in, number_in, numbers_in, part_in, text_in


class Reader(NamedTuple):
    read: Callable[[dict[str, Any], str], Any]
    usual: Any  # where the key is missing, or nothing stands there
    right: list[Any]
    wrong: dict[str, list[Any]]  # what was expected, in words: what was sent


READERS = {
    "text": Reader(lambda given, key: text_in(given, key, "c"), "c", ["", "x"], {"text": [1, True, ["x"], {}]}),
    "one of": Reader(
        lambda given, key: text_in(given, key, "b", ("a", "b")), "b", ["a", "b"], {"one of a, b": ["c", "A", ""]}
    ),
    "names": Reader(
        lambda given, key: names_in(given, key, ("n",)),
        ["n"],
        [[], ["a", "b"], ["x"] * 1, [f"n{k}" for k in range(200)]],
        {"a list of names": ["a", {"a": 1}, ["a", 1], [f"n{k}" for k in range(201)]]},
    ),
    "number": Reader(
        lambda given, key: number_in(given, key, 0.5),
        0.5,
        [0, -2.5, 1e300],
        {"a number": ["1", True, math.nan, math.inf, [1]]},
    ),
    "bounded": Reader(
        lambda given, key: number_in(given, key, 0.5, -1, 2.5), 0.5, [-1, 2.5, 0], {"-1 to 2.5": [-1.001, 2.6, 1e9]}
    ),
    "numbers": Reader(
        lambda given, key: numbers_in(given, key, 3, 0.25),
        [0.25] * 3,
        [[1.0, 2.0, -3.0]],
        {"3 numbers": [[], [1, 2], [1, 2, 3, 4], "123", 3], "a number": [[1, 2, "3"], [math.nan, 0, 0]]},
    ),
    "flag": Reader(
        lambda given, key: flag_in(given, key, True), True, [False, True], {"true or false": [0, 1, "yes", []]}
    ),
    "part": Reader(part_in, {}, [{}, {"a": 1}], {"a table": [[], "x", 3]}),
}


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("key", ["speed", "pose.x"])
def test_a_value_or_the_usual_one(name: str, key: str) -> None:
    reader = READERS[name]
    assert reader.read({}, key) == reader.usual == reader.read({key: None, "other": 7}, key)
    for value in reader.right:
        assert reader.read({key: value, "other": 7}, key) == value


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("key", ["speed", "pose.x"])
def test_anything_else_is_named_with_what_was_expected_and_found(name: str, key: str) -> None:
    for expected, values in READERS[name].wrong.items():
        for value in values:
            with pytest.raises(InputError) as error:
                READERS[name].read({key: value, "other": 7}, key)
            sentence = str(error.value)
            assert sentence.startswith(f"{key}: expected {expected}, found ")
            shown = sentence.rpartition(", found ")[2]
            if expected == "a number" and isinstance(value, list) and name == "numbers":
                assert shown in map(repr, value)
            elif isinstance(value, list):
                assert shown == f"a list of {len(value)}"
            else:
                assert shown in (repr(value), f"{value:g}" if isinstance(value, float) else repr(value))


def test_a_name_that_stands_twice_is_one_and_a_long_text_is_cut() -> None:
    assert names_in({"a": ["x", "y", "x"]}, "a") == ["x", "y"]
    with pytest.raises(InputError) as error:
        number_in({"a": "w" * 1000}, "a", 0.0)
    assert len(str(error.value)) < 100
