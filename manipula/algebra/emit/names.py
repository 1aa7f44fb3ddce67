"""Names and words that every language accepts: plain ASCII identifiers, unique, never a reserved word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable

from manipula.support.letters import GREEK, without_accents

# what a reader would type for a sign the keyboard lacks; the rest falls to its plain letter or to a code
_SPELLED = {
    **GREEK,
    "·": "*", "×": "x", "−": "-", "–": "-", "—": "-", "≠": "!=", "≤": "<=", "≥": ">=", "≡": "==", "→": "->", "…": "...",
    "°": " deg", "²": "^2", "³": "^3", "⁻": "-", "√": "sqrt", "∂": "d", "Σ": "sum", "∈": "in", "’": "'", "“": '"',
    "”": '"', "\u0307": "d", "\u0308": "dd",
}  # fmt: skip


def ascii_text(text: str) -> str:
    """The same words in ASCII, on one line."""
    whole = _spelled(" ".join(text.split()))
    parts = _spelled(unicodedata.normalize("NFKD", whole))  # again: the dot of a rate may stand alone only now
    return without_accents(parts).encode("ascii", "backslashreplace").decode("ascii")


def _spelled(text: str) -> str:
    return "".join(_SPELLED.get(letter, letter) for letter in text)


# how the macros of C's headers are called, on any system: M_PI, INT_MAX, FP_NAN; EINVAL; WNOHANG
_MACRO = re.compile(r"[A-Z][A-Z0-9]*_\w*[A-Z]\w*|[EW][A-Z0-9]{3,}")


def identifier(wish: str) -> str:
    """The wish as letters, digits and underscores, not starting with a digit or an underscore, and no macro of C's."""
    word = re.sub(r"\W+", "_", ascii_text(wish), flags=re.ASCII).strip("_")
    if not word:
        return "x"
    return f"x{word}" if not word[0].isalpha() or _MACRO.fullmatch(word) else word


class Namer:
    """Hands out identifiers, each once; the first to ask gets the plain one."""

    def __init__(self, reserved: Collection[str]) -> None:
        self.taken = set(reserved)

    def name(self, wish: str) -> str:
        base = identifier(wish)
        found, count = base, 1
        while found in self.taken:
            count += 1
            found = f"{base}_{count}"
        self.taken.add(found)
        return found

    def names(self, wishes: Iterable[str]) -> list[str]:
        return [self.name(wish) for wish in wishes]
