"""Answers with their sentences in the page's language: what is for people is told, the rest stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Told = Callable[[str, str], str]
_LISTS = ("errors", "warnings", "notes")  # of sentences, or of what has one


def in_tongue(answer: Any, language: str, told: Told) -> Any:
    """A copy of the answer in this language."""
    if not isinstance(answer, dict):
        return answer
    found = dict(answer)
    for name in _LISTS:
        if isinstance(found.get(name), list):
            found[name] = [_told(one, language, told) for one in found[name]]
    if isinstance(found.get("error"), dict):  # of a simulation it is an array
        found["error"] = _told(found["error"], language, told)
    if "result" in found:  # of a job
        found["result"] = in_tongue(found["result"], language, told)
    return found


def _told(one: Any, language: str, told: Told) -> Any:
    if isinstance(one, str):
        return told(one, language)
    if isinstance(one, dict) and isinstance(one.get("message"), str):
        return one | {"message": told(one["message"], language)}
    return one
