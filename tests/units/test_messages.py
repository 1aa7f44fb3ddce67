"""Messages as data: the English text at once, every language from the template and its fields."""

from __future__ import annotations

import copy
import json
import pickle
import warnings
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manipula import errors
from manipula.errors import (
    InputError,
    ManipulaError,
    ManipulaWarning,
    RobotFileError,
    RowLabel,
    UnknownNameError,
    UnsetError,
    UnwritableError,
    caution,
)
from manipula.messages import Catalogue, Message, as_data, in_a_row, in_front, in_language, join_messages, with_messages

INNER = Message("{count} links of {robot}", 3, "arm")
OUTER = Message("{file}: found {what}, not {value:.3g} ({file})", Path("a.toml"), INNER, 3.14159)
WORDS = Catalogue(
    {
        "{count} links of {robot}": "{count} elos de {robot}",
        "{file}: found {what}, not {value} ({file})": "{file} ({file}): não {value}, há {what}",
        "the {kind} is {state}": "{KIND}: {state}",
        "slide": "deslizante",
        "a {b} c": "um {b} c",
        "{a} {{b}}": "{{b}} {a}",
    },
    {"Expected {what} (at {PLACE})": "esperava-se {what} ({PLACE})", "end of file": "fim do arquivo"},
)


def test_the_text_is_english_and_its_parts_are_kept() -> None:
    assert OUTER == "a.toml: found 3 links of arm, not 3.14 (a.toml)"
    assert OUTER.template == "{file}: found {what}, not {value} ({file})"
    assert OUTER.fields == {"file": "a.toml", "what": INNER, "value": "3.14"}


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (OUTER, "a.toml (a.toml): não 3.14, há 3 elos de arm"),
        (Message("the {kind} is {state}", "slide", "slide"), "deslizante: slide"),  # words in capitals, a name not
        (Message("the {kind} is {state}", "Expected '=' (at end of file)", 1), "esperava-se '=' (fim do arquivo): 1"),
        (Message("a {b} c"), "um {b} c"),  # without values braces are braces
        (Message("{a} {{b}}", INNER), "{b} 3 elos de arm"),
        (Message("{a} is unknown here", INNER), "3 elos de arm is unknown here"),
        (join_messages(", ", [INNER, "slide", "x"]), "3 elos de arm, slide, x"),
        (in_front("slide", INNER), "slide: 3 elos de arm"),
        (in_front("", INNER), "3 elos de arm"),
        (join_messages(", ", []), ""),
    ],
)
def test_a_language_is_looked_up(message: Message, told: str) -> None:
    assert WORDS.translate(message) == told
    assert Catalogue({}).translate(message) == message


def test_the_fullest_form_of_a_finished_sentence_counts() -> None:
    every = Catalogue(
        {}, {"Expected {what}": "?", "{WHAT} (at line {n})": "{WHAT} (linha {n})", "Expected a key": "chave"}
    )
    assert every.translate("Expected a key (at line 3)") == "chave (linha 3)"
    assert (
        every.translate(Message("Expected x")) == "?" and every.translate("unknown (at line 1)") == "unknown (linha 1)"
    )


@pytest.mark.parametrize(
    "message", [OUTER, Message("a {b} c"), Message("{a} {{b}}", INNER), join_messages(";", [OUTER, "x"])]
)
def test_copies_pickles_and_data_say_the_same(message: Message) -> None:
    answer = {"errors": [{"message": message, "row": 1}], "name": "plain"}
    sent = with_messages(json.loads(json.dumps(as_data(answer))))
    for other in (copy.deepcopy(message), pickle.loads(pickle.dumps(message)), sent["errors"][0]["message"]):
        assert (other, other.template, other.fields) == (message, message.template, message.fields)
        assert WORDS.translate(other) == WORDS.translate(message)
    assert json.loads(json.dumps(answer)) == in_language(answer, str) == answer  # English where nobody asks
    assert in_language(answer, WORDS.translate)["errors"][0] == {"message": WORDS.translate(message), "row": 1}


@pytest.mark.parametrize("values", [(), (1, 2, 3)])
def test_every_place_has_its_value(values: tuple[int, ...]) -> None:
    if values:
        with pytest.raises(ValueError, match="zip"):
            Message("{a} and {b}", *values)
    else:
        assert Message("{a} and {b}", *values) == "{a} and {b}"


def test_errors_say_messages() -> None:
    error = InputError("{path}: {why}", Path("x"), InputError(INNER))
    assert str(error) == "x: 3 links of arm" and WORDS.translate(str(error)) == "x: 3 elos de arm"
    assert pickle.loads(pickle.dumps(error)).message.fields == error.message.fields
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        caution("so {much} for {it!r}", INNER, "x", field="a")
    said = caught[0].message
    assert isinstance(said, ManipulaWarning) and (str(said), said.column) == ("so 3 links of arm for 'x'", "a")
    assert WORDS.translate(str(said)) == "so 3 elos de arm for 'x'"


def test_the_parts_of_a_robot_file_error_stay_parts() -> None:
    label = RowLabel(Message("joint {row} {name!r}", 2, "x"), 2)
    error = RobotFileError("found {n}", INNER, file="f", where=label, field="a", hint=Message("a {b} c", 1)).in_file(
        "g"
    )
    assert str(error) == "g: joint 2 'x': a: found 3 links of arm (a 1 c)" and error.row == 2
    assert WORDS.translate(error.message) == "g: joint 2 'x': a: found 3 elos de arm (um 1 c)"
    inside = RowLabel.inside(label, "carries")
    for one in (inside, copy.deepcopy(inside), pickle.loads(pickle.dumps(inside))):
        assert isinstance(one, RowLabel) and (one, one.row) == ("joint 2 'x': carries", 2)


def test_errors_with_places_of_their_own() -> None:
    unset = UnsetError(Message("{robot} needs {names}", "arm", "l1"), ["l1"], also="load it anew, or ")
    assert str(unset) == "arm needs l1; load it anew, or robot.with_parameters(l1=…) gives one"
    assert (unset.in_shell, unset.in_page) == (
        "arm needs l1; --set l1=VALUE gives one",
        "arm needs l1; give l1 a value",
    )
    assert (
        str(UnknownNameError("model", "pos", ["pose"])) == "no model is called 'pos'; did you mean 'pose'? Known: pose."
    )
    assert str(UnknownNameError("model", "x", ["pose"])) == "no model is called 'x'. Known: pose."


def test_parts_in_a_row_are_none_one_or_several() -> None:
    parts = [Message("axis {k}", k) for k in (1, 2, 3)]
    assert [in_a_row(parts[:n]) for n in range(4)] == [
        "",
        "axis 1",
        "axis 1 and axis 2",
        "axis 1 and axis 2 and axis 3",
    ]


TEXTS = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12)
SENTENCES = st.builds(lambda one, other: Message("{one}: found {other!r}", one, other), TEXTS, TEXTS)
SPECIAL = {
    RobotFileError: st.builds(
        lambda problem, where, file, hint, others: RobotFileError(
            problem, file=file, where=RowLabel(where, 3), field="d", hint=hint, others=others
        ).at_cell(2, "theta"),
        SENTENCES,
        TEXTS,
        TEXTS,
        TEXTS | st.just(""),
        st.lists(st.builds(RobotFileError, SENTENCES), max_size=2),
    ),
    UnwritableError: st.builds(
        lambda path, number, why: UnwritableError(path, OSError(number, why)), TEXTS, st.integers(1, 100), TEXTS
    ),
    UnsetError: st.builds(UnsetError, SENTENCES, st.lists(TEXTS, min_size=1, max_size=3), TEXTS),
    UnknownNameError: st.builds(UnknownNameError, TEXTS, TEXTS, st.lists(TEXTS, max_size=5)),
}
CLASSES = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, Exception)]


@pytest.mark.parametrize("kind", CLASSES)
@settings(deadline=None, max_examples=40)
@given(data=st.data())
def test_every_error_is_the_same_in_another_process(kind: type[ManipulaError], data: st.DataObject) -> None:
    """And in a copy: its sentence with all its parts, and what it knows besides."""
    error = data.draw(SPECIAL[kind] if kind in SPECIAL else st.builds(kind, SENTENCES | TEXTS))
    error.add_note("seen on the way")
    protocol = data.draw(st.integers(2, pickle.HIGHEST_PROTOCOL))
    for again in (pickle.loads(pickle.dumps(error, protocol)), copy.copy(error)):
        assert type(again) is kind and str(again) == str(error) and again.args == error.args
        assert isinstance(again.args[0], Message) == isinstance(error.args[0], Message)
        assert parts_of(again) == parts_of(error)


def parts_of(error: Exception) -> dict[str, object]:
    """All that it holds; errors among it by their words."""
    own = {name: getattr(error, name, None) for name in (*vars(error), "errno", "filename", "in_shell", "in_page")}
    message = error.args[0]
    said = (message.template, dict(message.fields)) if isinstance(message, Message) else message
    return {"said": said} | {name: str(value) if name == "others" else value for name, value in own.items()}


def test_the_classes_of_errors_are_all_there() -> None:
    assert {InputError, RobotFileError, UnwritableError, UnsetError, UnknownNameError, ManipulaWarning} <= set(CLASSES)
    assert len(CLASSES) >= 13
