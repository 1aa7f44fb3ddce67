"""The robots that come with manipula, one TOML file each, every number with its source; nothing is downloaded."""

from __future__ import annotations

from importlib.resources import files

from manipula.errors import UnknownNameError

_ENDING = ".toml"


def names() -> list[str]:
    """The library's robots, in alphabetical order."""
    found = (entry.name for entry in files(__name__).iterdir())
    return sorted(name.removesuffix(_ENDING) for name in found if name.endswith(_ENDING))


def text_of(name: str) -> str:
    """The robot file as it was written, comments included."""
    known = names()
    if name not in known:
        raise UnknownNameError("library robot", name, known)
    return files(__name__).joinpath(name + _ENDING).read_text(encoding="utf-8")
