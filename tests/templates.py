"""Every template that the source gives to people: the text of errors, warnings, messages and lines of the screen.

`python -m tests.templates` prints those that the Portuguese catalogue lacks, as it is written there.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import manipula
from manipula.cli.terminal import language
from manipula.messages import bare

ROOT = Path(manipula.__file__).parent
FIRST = ("",)
ERRORS = (
    "ManipulaError", "InputError", "SingularError", "SizeError", "DivergenceError", "ProofError", "UnprovableError",
    "ConditionError", "WrongResult", "RobotFileError", "caution",
)  # fmt: skip
# what takes a text for people, and under which names besides its first argument
SPEAKERS = {
    **dict.fromkeys((*ERRORS, "Message", "fail"), FIRST),
    **dict.fromkeys(("UnknownNameError", "say", "say_prose", "say_list", "note", "sentence"), FIRST),
    "say_table": ("", "caption"),
    "RobotFileError": ("", "hint", "where"),
    "UnsetError": ("", "also"),
}
PLAIN = (
    "UnknownNameError",
    "say",
    "say_prose",
    "say_list",
    "say_table",
    "note",
)  # one word is enough, or a line that is no sentence
LETTERS = re.compile(r"[A-Za-z]{2}")
# names, options, units and code are the same in every language
SAME = re.compile(
    r"<.*|--?\w+ \{\w+\}|(\{\w+\} ){1,2}(rpy|xyz|ns|rad)|rad, .*|s, ms|\w+/s.*|0 < gain < 2|  arm.*"
    r"|\{(name|places) = .*",
    re.DOTALL,
)


class Said(NamedTuple):
    """A template, how many values it is given (none where they are starred), who says it, and where."""

    template: str
    values: int | None
    speaker: str
    place: str

    @property
    def key(self) -> str:
        """Of the catalogue."""
        return bare(self.template) if self.values != 0 else self.template


def texts_of(node: ast.expr) -> Iterator[str]:
    """A literal, or the two of a choice."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.IfExp(body=body, orelse=otherwise):
            yield from (*texts_of(body), *texts_of(otherwise))


def spoken(call: ast.Call) -> Iterator[tuple[ast.expr, int | None]]:
    """Arguments for people, and how many values follow."""
    name = speaker_of(call)
    starred = any(isinstance(x, ast.Starred) for x in call.args)
    values = None if starred else len(call.args) - 1 if name in (*ERRORS, "Message") else 0
    if call.args and name in SPEAKERS:
        yield call.args[0], values
    if name == "Refused" and len(call.args) > 1:
        yield call.args[1], 0
    yield from ((word.value, 0) for word in call.keywords if word.arg in SPEAKERS.get(name, ())[1:])


def speaker_of(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


@cache
def calls() -> list[tuple[ast.Call, str]]:
    """Every call of the package, and where it stands."""
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        tree, name = ast.parse(path.read_text(encoding="utf-8")), path.relative_to(ROOT).as_posix()
        found += [(node, f"{name}:{node.lineno}") for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return found


@cache
def templates() -> list[Said]:
    return [
        Said(text, values, speaker_of(call), place)
        for call, place in calls()
        for argument, values in spoken(call)
        for text in texts_of(argument)
    ]


def has_words(text: str) -> bool:
    """A sentence or a part of one: letters, and a blank between them. `circle: centre` is the name of an argument."""
    return bool(LETTERS.search(re.sub(r"\{\w+\}", "", text))) and " " in text.replace(": ", ":").strip()


def missing() -> dict[str, str]:
    """Templates that Portuguese lacks, with where they are said."""
    known = language.catalogue("pt").written
    every = {one.key: one for one in templates() if one.key not in known and has_words(one.key)}
    own = [(key, one) for key, one in every.items() if one.speaker not in PLAIN and not SAME.fullmatch(key)]
    return {key: one.place for key, one in own if "{{" not in key}  # of derivations: formulas stand there


if __name__ == "__main__":
    for english, place in sorted(missing().items(), key=lambda item: item[1]):
        print(f"# {place}\n{json.dumps(english, ensure_ascii=False)} = ")
