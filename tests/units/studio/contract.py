"""`python -m tests.units.studio.contract` writes web/src/shared/api.ts: the types of the studio's replies for its page.

The types are those of `manipula.studio.tasks.replies` and, of what a person edits, those of the robot's document.
`conform` holds a real reply to its type: a key too many or too few, a number for a text, a null that no type has.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from pydantic import BaseModel

from manipula.mechanics.robot.formats.conversion.document import RobotDocument, document_from_data
from manipula.studio.tasks import JOBS, replies, task_named

FILE = Path(__file__).parents[3] / "web" / "src" / "shared" / "api.ts"
HEAD = """// What the studio's server answers, written by `python -m tests.units.studio.contract`. Where its types are,
// studio/tasks/replies.py, they are explained. In the document of a robot every cell is text as it was typed.
import type { Drawing, Formula } from "./types";
"""
WIDTH = 140
PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", NoneType: "null", object: "unknown"}
JSON = {str: str, int: int, float: (int, float), bool: bool, NoneType: NoneType, object: object, Any: object}


def name_of(hint: Any) -> str:
    """What a type is called in TypeScript."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return args[1] if isinstance(args[1], str) else name_of(args[0])
    if origin in (Union, UnionType):
        return " | ".join(map(name_of, args))
    if origin is Literal:
        return " | ".join(map(json.dumps, args))
    if origin is dict:
        return f"Record<string, {name_of(args[1])}>"
    if origin is list or (origin is tuple and args[-1] is ...):
        inner = name_of(args[0])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if origin is tuple:
        return f"[{', '.join(map(name_of, args))}]"
    return str(PLAIN.get(hint) or hint.__name__)


def fields_of(kind: Any) -> Iterator[tuple[str, Any, bool]]:
    """(name, type, whether it is always there)"""
    if is_typeddict(kind):
        for name, hint in get_type_hints(kind, include_extras=True).items():
            always = get_origin(hint) is not NotRequired
            yield name, hint if always else get_args(hint)[0], always
    else:
        yield from ((name, field.annotation, True) for name, field in kind.model_fields.items())


def models_in(hint: Any) -> dict[str, Any]:
    """A model and those inside it, the inner ones first."""
    if not (isinstance(hint, type) and issubclass(hint, BaseModel)):
        return {name: kind for arg in get_args(hint) for name, kind in models_in(arg).items()}
    inner = {name: kind for _, field, _ in fields_of(hint) for name, kind in models_in(field).items()}
    return inner | {hint.__name__: hint}


def interface(name: str, kind: Any) -> str:
    fields = [f"{field}{'' if always else '?'}: {name_of(hint)};" for field, hint, always in fields_of(kind)]
    line = f"export interface {name} {{ {' '.join(fields).removesuffix(';')} }}"
    if len(line) <= WIDTH:
        return line.replace("{  }", "{}")
    whole = " ".join(field.replace(" ", "\0") for field in fields)  # a line ends between two fields
    inner = textwrap.fill(whole, WIDTH, initial_indent="  ", subsequent_indent="  ").replace("\0", " ")
    return f"export interface {name} {{\n{inner}\n}}"


def text_of_types() -> str:
    own = {name: kind for name, kind in vars(replies).items() if name not in ("Reply", "TypedDict")}
    lines = [interface(name, kind) for name, kind in models_in(RobotDocument).items()]
    for name, kind in own.items():
        if is_typeddict(kind):
            lines.append(interface(name, kind))
        elif get_origin(kind) in (Literal, UnionType, Union):
            lines.append(f"export type {name} = {name_of(kind)};")
    return HEAD + "\n" + "\n".join(lines) + "\n"


def reply_of(task: str) -> Any:
    """The type of a task's reply, as its own signature says."""
    return get_type_hints(task_named(task), include_extras=True)["return"]


def reply_at(address: str) -> Any:
    """The type of what the server answers to a POST."""
    task = address.removeprefix("/api/")
    own = {"read": replies.ReadAnswer, "save": replies.SaveAnswer, "draft": replies.DraftAnswer}
    if address.endswith("/cancel"):
        return replies.Nothing
    return own.get(task) or (replies.JobAnswer if task in JOBS else reply_of(task))


def conform(value: Any, hint: Any, place: str = "reply") -> None:
    """Raises where a value is not of its type."""
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        conform(value, args[0], place)
        if args[1] == RobotDocument.__name__:
            document_from_data(value)
    elif origin in (Union, UnionType):
        _conform_to_one(value, args, place)
    elif origin is Literal:
        assert value in args, f"{place}: {value!r} is none of {args}"
    elif origin is list:
        assert isinstance(value, list), f"{place}: {value!r:.80} is no list"
        for number, one in enumerate(value):
            conform(one, args[0], f"{place}[{number}]")
    elif origin is dict:
        assert isinstance(value, dict), f"{place}: {value!r:.80} is no table"
        for key, one in value.items():
            conform(one, args[1], f"{place}.{key}")
    elif is_typeddict(hint):
        _conform_to_table(value, hint, place)
    else:
        wrong = isinstance(value, bool) and hint in (int, float)
        assert isinstance(value, JSON[hint]) and not wrong, f"{place}: {value!r:.80} is no {name_of(hint)}"


def _conform_to_one(value: Any, hints: Any, place: str) -> None:
    said = []
    for hint in hints:
        try:
            return conform(value, hint, place)
        except AssertionError as error:
            said.append(str(error))
    raise AssertionError("; ".join(said))


def _conform_to_table(value: Any, hint: Any, place: str) -> None:
    assert isinstance(value, dict), f"{place}: {value!r:.80} is no {hint.__name__}"
    known = {name: (kind, always) for name, kind, always in fields_of(hint)}
    missing = [name for name, (_, always) in known.items() if always and name not in value]
    odd = [name for name in value if name not in known]
    assert not missing and not odd, f"{place}: {hint.__name__} without {missing}, with {odd}"
    for name, one in value.items():
        conform(one, known[name][0], f"{place}.{name}")


if __name__ == "__main__":
    FILE.write_text(text_of_types(), encoding="utf-8")
