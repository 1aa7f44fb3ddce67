"""Where robots live: the library, the current folder, and the user's catalogue; names for completion.

A library name always means the library's robot, so that a name means the same here and in Python.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manipula import api
from manipula.api.assignments import assignments, places_of
from manipula.cli.terminal.wishes import NOTHING, Wishes
from manipula.errors import InputError, ManipulaWarning, UnknownNameError
from manipula.support.files import expand_user, user_folder

if TYPE_CHECKING:
    from manipula.robot import Robot

TRASH = ".manipula-trash"


def catalogue() -> Path | None:
    """The user's robots folder: `MANIPULA_HOME/robots`, or the system's place for such data, if it has one."""
    given = os.environ.get("MANIPULA_HOME")
    place = expand_user(Path(given)) if given else user_folder("data")
    return None if place is None else place / "robots"


def needed_catalogue() -> Path:
    """The same, for a file to be put there."""
    place = catalogue()
    if place is None:
        raise InputError("your user has no home folder, so no catalogue; MANIPULA_HOME names a folder for it")
    return place


def own_files() -> list[Path]:
    """The robot files of the current folder and of the catalogue."""
    here = [Path(path.name) for path in sorted(Path.cwd().glob("*.toml")) if _describes_a_robot(path)]
    kept = catalogue()
    if kept is None or kept.resolve() == Path.cwd().resolve():
        return here
    return here + sorted(kept.glob("*.toml"))


def _describes_a_robot(path: Path) -> bool:
    """A folder has other TOML files too, `pyproject.toml` above all."""
    try:
        return "[[joint]]" in path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False


def names() -> list[str]:
    """Every name a command accepts."""
    return [*api.robots(), *dict.fromkeys(path.stem for path in own_files())]


def in_library(name: str) -> bool:
    return name in api.robots()


def file_of(name: str) -> Path:
    """The file of one of the user's robots: a path, or a name found here or in the catalogue."""
    path = expand_user(Path(name))
    if path.suffix.lower() in api.formats() or path.is_file():
        return path
    for folder in filter(None, (Path(), catalogue())):
        candidate = folder / f"{name}.toml"
        if candidate.is_file():
            return candidate
    raise UnknownNameError("robot", name, names())


def find(name: str, wishes: Wishes = NOTHING) -> Robot:
    """The robot of a name or a path, as it is wished: with values, a chain; strictly, every warning is an error."""
    source = name if in_library(name) else file_of(name)
    options = {"exact": True} if wishes.exact else {}
    with warnings.catch_warnings():
        if wishes.strict:
            warnings.simplefilter("error", ManipulaWarning)
        found = api.load(source, strict=wishes.strict, **options, **_chain(source, wishes))
        changes = assignments(wishes.values or (), found)
        found = found.with_parameters(**{change.name: change.value for change in changes}) if changes else found
        return found.locked(places_of(wishes.locks or (), found))


def _chain(source: str | Path, wishes: Wishes) -> dict[str, Any]:
    """--base and --tip, of a file that may hold several chains."""
    file = api.formats().get(Path(source).suffix.lower())
    for option in wishes.chain:
        if file is None or not file.takes(option):
            raise InputError(
                "--{option} is for URDF and MJCF files, which name their links; {source} is none", option, source
            )
    return wishes.chain


def free_name(folder: Path, name: str) -> Path:
    """A path in the folder that no file has: `arm.toml`, `arm.2.toml`, …"""
    first, path, number = Path(name), folder / name, 2
    while path.exists():
        path, number = folder / f"{first.stem}.{number}{first.suffix}", number + 1
    return path


def refuse_existing(path: Path, force: bool) -> None:
    if path.exists() and not force:
        raise InputError("{path} exists; give another name, or --force to replace it", path)


def symbols_of(robot: Robot) -> list[str]:
    """The parameters without a value."""
    return [name for name, value in robot.parameters.items() if value is None]


def is_scenario(path: Path) -> bool:
    """Does the file describe a run, not a robot?"""
    return path.is_file() and "[[joint]]" not in path.read_text(encoding="utf-8", errors="replace")
