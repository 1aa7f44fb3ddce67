r"""Entries as people write them, with the signs of books, Unicode or LaTeX, as plain text of the table's arithmetic.

`−90°`, `2π/3`, `\frac{\pi}{2}`, `-90^\circ`, `$L_{1}$`, `β`: the meaning of each is one, whoever wrote it. A degree
sign stays, since only who knows the column can say whether it may stand there.
"""

from __future__ import annotations

import re

from manipula.support.letters import GREEK, spelled

_SIGNS = str.maketrans(
    {
        **dict(zip("−–—⁻·×⋅∙˚º₀₁₂₃₄₅₆₇₈₉\u00a0\u2009\u202f", "----****°°0123456789   ")),
        "²": "**2",
        "³": "**3",
        "√": "sqrt",
        "ℓ": "l",
        "$": "",
    }
)
_UNITS = ((r"\\(?:SI|qty)\s*\{([^{}]*)\}\s*\{\s*\\degree\s*\}", r"\1°"), (r"\\ang\s*\{([^{}]*)\}", r"\1°"))
_COMMANDS = (
    (r"\^\s*\{?\s*\\circ\b\s*\}?|\\(?:text)?degrees?\b|\\(?:unit|si)\s*\{\s*\\degree\s*\}", "°"),
    (r"\\[,;:! ]|\\q?quad\b|~", " "),
    (r"\\(?:left|right|[Bb]igg?[lr]?|displaystyle)(?![A-Za-z])", ""),
    (r"\\(?:mathrm|mathit|mathbf|text|operatorname)\s*\{([^{}]*)\}", r"\1"),
    (r"\\(?:cdot|times)\b", "*"),
    (r"\\ell(?![A-Za-z])", "l"),
    (r"\\var(?=(?:theta|phi|epsilon|rho|sigma|pi|kappa)(?![A-Za-z]))", r"\\"),
    (r"\\(pi|sin|cos|sqrt)(?![A-Za-z])", r" \1 "),
    (rf"\\({'|'.join(sorted(set(GREEK.values()), key=len, reverse=True))})(?![A-Za-z])", r" \1"),
    (r"_\s*\{\s*(\w+)\s*\}", r"_\1"),
    (r"\^\s*\{?\s*\*\s*\}?", "*"),
)
_FRACTION = re.compile(r"\\[tdc]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}")
_GROUP = re.compile(r"\{([^{}]*)\}")
_SHORT_FRACTION = re.compile(r"\\[tdc]?frac\s*([0-9]|pi\b|[A-Za-z])\s*([0-9]|pi\b|[A-Za-z])")
_PRODUCT = re.compile(r"(?<=[0-9])\s*(?=pi\b)|(?<=\))\s*(?=[A-Za-z0-9(])|(?<=\bpi)\s*(?=\()")
_PLAIN = re.compile(r"[\x00-\x23\x25-\x5b\x5d-\x7a\x7c\x7f]*")  # ASCII without $ \ { } ~


def plain_text(text: str) -> str:
    """The same entry in letters, digits and signs of arithmetic; what is not understood stays for the reader to
    refuse."""
    if _PLAIN.fullmatch(text):
        return _PRODUCT.sub("*", text)
    text = spelled(text.translate(_SIGNS))
    for pattern, plain in (*_UNITS, *_COMMANDS):
        text = re.sub(pattern, plain, text)
    text = _SHORT_FRACTION.sub(r"((\1)/(\2))", text)
    while (further := _GROUP.sub(_bracketed, _FRACTION.sub(r"((\1)/(\2))", text))) != text:
        text = further
    return _PRODUCT.sub("*", text).strip()


def _bracketed(group: re.Match[str]) -> str:
    """Braces around anything are brackets, but for the two halves of a fraction."""
    before = group.string[: group.start()].rstrip()
    return group[0] if before.endswith(("frac", "}")) else f"({group[1]})"
