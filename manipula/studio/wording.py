"""Answers with their sentences in the page's language: what is for people is told, the rest stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Told = Callable[[str, str], str]
_LISTS = ("errors", "warnings", "notes")  # of sentences, or of what has one
# what has words in it, and which: laws, derivations, classes of arms, proofs, why something is missing
_INSIDE = ("result", "verdicts", "derivation", "lines", "missing", "failures", "singularities", "pieces")
_WORDS = (
    "proof", "why", "class", "free", "sentence", "detail", "title", "roots", "singular", "choice", "letters", "says",
)  # fmt: skip


def in_tongue(answer: Any, language: str, told: Told) -> Any:
    """A copy of the answer in this language."""
    if isinstance(answer, list):
        return [in_tongue(one, language, told) for one in answer]
    if not isinstance(answer, dict):
        return answer
    found = dict(answer)
    for name in _LISTS:
        if isinstance(found.get(name), list):
            found[name] = [_told(one, language, told) for one in found[name]]
    if isinstance(found.get("error"), dict):  # of a simulation it is an array
        found["error"] = _told(found["error"], language, told)
    words = (*_WORDS, "text") if found.get("kind") == "text" else _WORDS  # a line of words, not of a formula
    found |= {name: told(found[name], language) for name in words if isinstance(found.get(name), str) and found[name]}
    return found | {name: in_tongue(found[name], language, told) for name in _INSIDE if name in found}


def _told(one: Any, language: str, told: Told) -> Any:
    if isinstance(one, str):
        return told(one, language)
    if isinstance(one, dict) and isinstance(one.get("message"), str):
        return one | {"message": told(one["message"], language)}
    return one
