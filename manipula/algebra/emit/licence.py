"""The licence of what is emitted: it belongs to its user.

Every file says so in one line that programs can read (https://spdx.dev), written as a comment of its language.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

IDENTIFIER = "MIT-0"  # no condition, not even to keep a notice
SPDX = f"SPDX-License-Identifier: {IDENTIFIER}"
YOURS = "yours, without any condition; manipula claims no right in its output"

# the comment of a file, by how its name ends
_COMMENTS = {
    **dict.fromkeys((".c", ".h", ".cpp", ".hpp", ".cu", ".cuh", ".mjs", ".mts"), "/* {} */"),
    **dict.fromkeys((".py", ".toml", ".txt", ".in"), "# {}"),
    ".f90": "! {}", ".m": "% {}", ".md": "<!-- {} -->", ".rs": "// {}", ".tex": "% {}", ".xml": "<!-- {} -->",
}  # fmt: skip
_LAST = (".m", ".md")  # MATLAB shows the first comment as help, a page begins with its title


def with_licence(files: Mapping[str, str]) -> dict[str, str]:
    """The same files, each with the line that names the licence."""
    return {name: text if SPDX in text else _marked(text, PurePath(name).suffix) for name, text in files.items()}


def _marked(text: str, suffix: str) -> str:
    line = _COMMENTS[suffix].format(SPDX)
    if suffix in _LAST:
        return f"{text.rstrip()}\n\n{line}\n"
    head, _, rest = text.partition("\n") if text.startswith("<?xml") else ("", "", text)
    return "\n".join(filter(None, [head, line, rest]))
