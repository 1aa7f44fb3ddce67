r"""Entries as people write them, with the signs of books, Unicode or LaTeX, as plain text of the table's arithmetic.

`−90°`, `2π/3`, `\frac{\pi}{2}`, `-90^\circ`, `$L_{1}$`, `β`, `0,5`, `40 cm`: the meaning of each is one. A unit behind
a number is marked; whether it may stand there is for the reader of the column to say.
"""

from __future__ import annotations

import re

from manipula.mechanics.robot.values.parameter import UNIT_MARK
from manipula.support.letters import GREEK, spelled

_SIGNS = str.maketrans(
    {
        **dict(zip("−–—⁻×⋅∙˚º₀₁₂₃₄₅₆₇₈₉\u00a0\u2009\u202f", "----*··°°0123456789   ")),
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
_RAISED = re.compile(r"(?P<whole>(?<![\w.])\d+)?(?P<before>\s*)·(?P<after>\s*)(?P<digits>(?=\d+(?![\d.])))?")
_COMMA = re.compile(r"(?<=\d),(?=\d)|(?<![^-+*/( ]),(?=\d)")
_TIMES_PI = re.compile(r"(?<=[0-9])\s*(?=pi\b)")
_PRODUCT = re.compile(r"(?<=\))\s*(?=[A-Za-z0-9(])|(?<=\bpi)\s*(?=\()")
_NUMBER = r"(?<![\w.])(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\bpi\b|\)"
_UNIT_WORDS = {
    "deg": r"°|deg(?:rees?)?|graus?", "rad": r"rad(?:ians?|ianos?)?", "mm": "mm", "cm": "cm",
    "m": r"m(?:et(?:re|er|ro)s?)?", "kg": "kg",
}  # fmt: skip
_WITH_UNIT = re.compile(
    rf"(?P<number>{_NUMBER})\s*(?:{'|'.join(f'(?P<{unit}>{words})' for unit, words in _UNIT_WORDS.items())})"
    r"(?P<rate>\s*/\s*s\b)?(?![A-Za-z0-9_(])",
    re.I,
)
_OF_NUMBERS = re.compile(r"(?:pi\b|(?:sqrt|sin|cos)\b|[\d.]+(?:[eE][-+]?\d+)?|[-+*/()\s])*")
_PLAIN = re.compile(r"[\x00-\x23\x25-\x5b\x5d-\x7a\x7c\x7f]*")  # ASCII without $ \ { } ~


def plain_text(text: str) -> str:
    """The same entry in letters, digits and signs of arithmetic; what is not understood stays for the reader to
    refuse."""
    if not _PLAIN.fullmatch(text):
        text = _ascii(text)
    text = _WITH_UNIT.sub(_unit_marked, _TIMES_PI.sub("*", _COMMA.sub(".", text)))
    return _PRODUCT.sub("*", text).strip()


def _ascii(text: str) -> str:
    text = spelled(text.translate(_SIGNS))
    for pattern, plain in (*_UNITS, *_COMMANDS):
        text = re.sub(pattern, plain, text)
    text = _SHORT_FRACTION.sub(r"((\1)/(\2))", text)
    while (further := _GROUP.sub(_bracketed, _FRACTION.sub(r"((\1)/(\2))", text))) != text:
        text = further
    return _RAISED.sub(_raised, text)


def _raised(point: re.Match[str]) -> str:
    """`0·3` is a decimal of a British book, `2 · 45` a product; of `2·45` and `0 · 3` nobody can tell: they stay."""
    whole, before, after = point["whole"] or "", point["before"], point["after"]
    if not whole or point["digits"] is None or (whole.strip("0") and (before or after)):
        return f"{whole}*"
    return point[0] if whole.strip("0") or before or after else f"{whole}."


def _unit_marked(found: re.Match[str]) -> str:
    """`(2 + 3) m` is five metres, `(a + b) m` a product with a name."""
    number = found["number"]
    if number == ")" and not _OF_NUMBERS.fullmatch(_bracket_before(found.string, found.start())):
        return found[0]
    unit = next(unit for unit in _UNIT_WORDS if found[unit])
    return f"{number}{UNIT_MARK}{unit}{'_per_s' if found['rate'] else ''}"


def _bracket_before(text: str, end: int) -> str:
    """What stands between this closing bracket and its opening one."""
    depth = 0
    for at in range(end, -1, -1):
        depth += {")": 1, "(": -1}.get(text[at], 0)
        if not depth:
            return text[at + 1 : end]
    return text


def _bracketed(group: re.Match[str]) -> str:
    """Braces around anything are brackets, but for the two halves of a fraction."""
    before = group.string[: group.start()].rstrip()
    return group[0] if before.endswith(("frac", "}")) else f"({group[1]})"
