"""A robot file that says what a document says, written by other means than the package's: cells as they stand."""

from __future__ import annotations

import json
import re
from typing import Any

_NUMBER = re.compile(r"[-+]?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?|[-+]?(nan|inf)")
_ROW = ("name", "type", "theta", "d", "a", "alpha", "pitch", "direction", "velocity_limit", "effort_limit")
_HEAD = ("name", "convention", "angle", "length", "inertia_about", "description", "source")
_WORDS = ("name", "type", *_HEAD)


def file_from_document(document: dict[str, Any]) -> str:
    lines = ["format = 1", *(f"{key} = {_text(document[key])}" for key in _HEAD if document[key])]
    lines += [f"gravity = {_listed(document['gravity'])}"] if any(document["gravity"]) else []
    lines += [document["extra_toml"]]
    lines += ["[values]", *(f"{x['name']} = {_cell(x['value'])}" for x in document["values"] if x["value"])]
    for row, body in zip(document["rows"], document["dynamics"], strict=True):
        lines += ["[[joint]]", *_joint(row), *_body(body), row["extra_toml"]]
    return "\n".join(lines)


def _joint(row: dict[str, Any]) -> list[str]:
    found = [f"{key} = {_text(row[key]) if key in _WORDS else _cell(row[key])}" for key in _ROW if row[key]]
    found += [f"{key} = {_listed(row[key])}" for key in ("xyz", "rpy", "axis") if row[key]]
    return found + ([f"limits = {_listed(row['limits'])}"] if any(row["limits"]) else [])


def _body(body: dict[str, Any]) -> list[str]:
    found = [f"{key} = {_cell(body[key])}" for key in ("mass", "motor_inertia") if body[key]]
    found += [f"com = {_listed(body['com'])}"] if any(body["com"]) else []
    for key in ("inertia", "friction"):
        inner = ", ".join(f"{name} = {_cell(text)}" for name, text in body[key].items() if text)
        found += [f"{key} = {{ {inner} }}"] if inner else []
    return found


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _cell(text: str) -> str:
    return text if _NUMBER.fullmatch(text) else _text(text)


def _listed(texts: list[str]) -> str:
    return f"[{', '.join(map(_cell, texts))}]"
