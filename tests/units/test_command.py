"""Commands from signatures and docstrings: what is drawn as a signature is what a shell can type, and what arrives."""

from __future__ import annotations

import inspect
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from dataclasses import make_dataclass
from inspect import Parameter
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer
from typer.testing import CliRunner

from manipula import api
from manipula.cli.app import COMMANDS, load_command
from manipula.cli.terminal.command import Options, Word, command, split_doc

WORDS = ["path", "arm", "gain", "seed", "form", "table", "rate", "link", "units", "kind"]  # none of the shared options
VALUES: dict[type, list[Any]] = {
    str: ["", "a b", "x,y", "é|ü"],
    int: [0, 3, -7],
    float: [0.5, -2.0, 1e-3],
    bool: [False, True],
    Path: [Path("a"), Path("b/c.csv")],
}
HELP = [
    "Of the law.",
    "One: two (three), four; five.",
    "A very long help " + "that goes on and on " * 6 + "to its end.",
]


class Drawn(NamedTuple):
    """A parameter, its line under `Args:`, and how a shell spells it."""

    parameter: Parameter
    line: str
    spelled: list[str]
    metavar: str | None
    help: str


def draw(rng: random.Random, name: str) -> Drawn:
    kind = rng.choice(list(VALUES))
    long, short = rng.choice([None, f"--{name}-of-it"]), rng.choice([None, f"-{name[0].upper()}"])
    metavar = None if kind is bool else rng.choice([None, "NAME=VALUE", "A|B", '"Q1 Q2 …"', "A[1,1]", "tcp://…"])
    form = " ".join(filter(None, (long, short, metavar)))
    text = rng.choice(HELP)
    line = f"{name}{f' ({form})' if form else ''}: {text}"
    cut = line.rfind(" ", 0, 100)
    shown = line if len(line) < 110 else f"{line[:cut]}\n            {line[cut + 1 :]}"
    spelled = [word for word in (long or f"--{name.replace('_', '-')}", short) if word]
    parameter = Parameter(name, Parameter.KEYWORD_ONLY, default=rng.choice(VALUES[kind]), annotation=kind)
    return Drawn(parameter, shown, spelled, metavar, text)


def function_of(parameters: list[Parameter], doc: str, heard: dict[str, Any]) -> Any:
    def made(**given: Any) -> None:
        heard.update(given)

    made.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    made.__doc__, made.__name__ = doc, "made"
    return made


def documented(drawn: list[Drawn]) -> str:
    lines = "".join(f"        {x.line}\n" for x in drawn)
    return f"Do it.\n\n    In two sentences: so, and so.\n\n    Args:\n{lines}    "


def typed(found: Drawn, value: Any, rng: random.Random) -> list[str]:
    """One of the option's words, and the value as it is written in a shell."""
    word = rng.choice(found.spelled)
    if found.parameter.annotation is bool:
        return [word] if value else []
    return [f"{word}={value}"] if word.startswith("--") else [word, str(value)]


def shell(function: Callable[..., None]) -> tuple[Any, Any]:
    app = typer.Typer(add_completion=False)
    app.command()(function)
    return app, typer.main.get_command(app)


@pytest.mark.parametrize("draw_of", range(12))
@pytest.mark.drawn("draw_of", few=4)
@pytest.mark.parametrize("way", ["its own", "of a verb", "of a class"])
def test_an_option_is_its_parameter_and_its_line(way: str, draw_of: int) -> None:
    rng, heard = random.Random(f"{way} {draw_of}"), dict[str, Any]()
    drawn = [draw(rng, name) for name in rng.sample(WORDS, 4)]
    parameters, doc = [x.parameter for x in drawn], documented(drawn)
    group = Parameter("group", Parameter.KEYWORD_ONLY)
    if way == "its own":
        made = command()(function_of(parameters, doc, heard))
    elif way == "of a verb":
        verb = function_of(parameters, doc, {})
        made = command(group=Options(verb, " ".join(x.name for x in parameters)))(
            function_of([group.replace(annotation=dict)], "Do it.\n\n    In two sentences: so, and so.", heard)
        )
    else:
        fields = [(x.name, x.annotation, x.default) for x in parameters]
        kind = make_dataclass("Kind", fields)
        kind.__doc__ = doc
        made = command()(
            function_of([group.replace(annotation=kind)], "Do it.\n\n    In two sentences: so, and so.", heard)
        )
    app, shown = shell(made)
    assert shown.help == "Do it.\n\nIn two sentences: so, and so."
    for one, option in zip(drawn, shown.params, strict=True):
        assert (option.opts, option.metavar, option.help) == (one.spelled, one.metavar, one.help)
        assert option.default == one.parameter.default
    given = {x.parameter.name: rng.choice(VALUES[x.parameter.annotation]) for x in drawn if rng.random() < 0.6}
    expected = {x.parameter.name: x.parameter.default for x in drawn} | {
        name: value for name, value in given.items() if value is not False
    }  # a flag that stands is set, one that does not is as it was
    words = [word for x in drawn if x.parameter.name in given for word in typed(x, given[x.parameter.name], rng)]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    received = heard if way == "its own" else heard["group"] if way == "of a verb" else vars(heard["group"])
    assert received == expected


def test_a_parameter_before_the_star_is_an_argument() -> None:
    heard = dict[str, Any]()
    parameters = [
        Parameter("file", Parameter.POSITIONAL_OR_KEYWORD, annotation=Path),
        Parameter("more", Parameter.POSITIONAL_OR_KEYWORD, default="", annotation=str),
        Parameter("loud", Parameter.KEYWORD_ONLY, default=False, annotation=bool),
    ]
    app, _ = shell(
        command()(function_of(parameters, "Do it.\n\n    Args:\n        file (FILE): To read.\n    ", heard))
    )
    assert CliRunner().invoke(app, ["a.csv", "b", "--loud"]).exit_code == 0
    assert heard == {"file": Path("a.csv"), "more": "b", "loud": True}
    assert CliRunner().invoke(app, []).exit_code == 2


VERBS = {
    "generate": api.generate, "equations": api.generate, "count": api.count, "control": api.controller,
    "optimise": api.optimise, "base-parameters": api.base_parameters, "singularities": api.singularities,
    "reach": api.reach, "report": api.report,
}  # fmt: skip


@pytest.mark.parametrize("name", VERBS)
def test_a_command_has_the_defaults_of_its_verb(name: str) -> None:
    own = {option.name: option.default for option in load_command(name).params}
    verb = {x.name: x.default for x in inspect.signature(VERBS[name]).parameters.values() if x.kind is x.KEYWORD_ONLY}
    shared = (own.keys() & verb.keys()) - {"hidden", "sample"}
    assert len(shared) >= 1
    assert {key: own[key] for key in shared} == {key: verb[key] for key in shared}


def test_a_verb_describes_the_options_it_has() -> None:
    """A line under `Args:` is about a parameter."""
    for verb in {*VERBS.values(), api.simulate}:
        words, names = split_doc(verb.__doc__).words, inspect.signature(verb).parameters
        assert set(words) <= set(names)
        assert all(word.help for word in words.values())


def test_options_are_there_where_python_drops_docstrings() -> None:
    words = (["show", "planar2r", "--set", "l1=0.25", "--json"], ["generate", "--help"])
    run = f"from manipula.cli.app import app\nfor words in {words!r}: app(words, standalone_mode=False); print(chr(0))"
    wide = os.environ | {"COLUMNS": "200", "PYTHONUTF8": "1"}
    call = [sys.executable, "-OO", "-c", run]
    done = subprocess.run(call, capture_output=True, encoding="utf-8", check=True, env=wide)
    printed, shown, _ = done.stdout.split(chr(0))
    assert json.loads(printed)["parameters"]["l1"] == 0.25
    assert "How hard to search." in shown and "Treat warnings about the robot as errors." in shown


def test_what_is_not_said_is_empty() -> None:
    assert split_doc(None) == ("", {})
    assert split_doc("Do it.") == ("Do it.", {})
    assert split_doc("Do it.\n\nArgs:\n    a: b\n\n>>> 1").words == {"a": Word("", "b")}
    assert len(COMMANDS) == 32
