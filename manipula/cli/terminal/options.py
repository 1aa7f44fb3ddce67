"""What commands share about robots: which one is meant, options about it, and the words that a shell completes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from glob import escape, glob
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manipula import api
from manipula.api.assignments import assignments, places_of
from manipula.errors import InputError, ManipulaWarning, UnknownNameError
from manipula.support.files import expand_user, user_folder

if TYPE_CHECKING:
    from manipula.robot import Robot


@dataclass(frozen=True)
class Wishes:
    """What a command takes about its robot, as it was typed: values, which chain of the file, how it is read.

    Args:
        values (--set NAME=VALUE): A value for a parameter, such as a2=0.43; may be repeated.
        locks (--lock JOINT=VALUE): A joint held still, such as elbow=30deg; may be repeated.
        base (LINK): URDF, MJCF: where the chain starts.
        tip (LINK): URDF, MJCF: where the chain ends.
        exact: Keep 1.5708 as it is, do not make it 90 degrees.
        strict: Treat warnings about the robot as errors.
    """

    values: list[str] | None = None
    locks: list[str] | None = None
    base: str = ""
    tip: str = ""
    exact: bool = False
    strict: bool = False

    @property
    def chain(self) -> dict[str, str]:
        """What is for files of several chains."""
        return {name: value for name, value in (("base", self.base), ("tip", self.tip)) if value}

    @property
    def command_words(self) -> list[str]:
        """The words that say the same again, for a command that goes on with this robot."""
        named = {"--set": self.values or [], "--lock": self.locks or [], "--base": [self.base], "--tip": [self.tip]}
        words = [word for option, values in named.items() for value in values if value for word in (option, value)]
        return [*words, *(["--exact"] if self.exact else [])]


NOTHING = Wishes()


@dataclass(frozen=True)
class CodeOptions:
    """The options of emitted code.

    Args:
        dtype (float32|float64): The number type of C; left out, the macro MANIPULA_FLOAT decides.
        no_batch: C without the function over many states.
        single_file: C in one header that needs nothing else, all models in it.
        sincos: C with one call for sine and cosine, where there is one.
        prefix (NAME): What symbols and files begin with, in place of the robot.
    """

    dtype: str = ""
    no_batch: bool = False
    single_file: bool = False
    sincos: bool = False
    prefix: str = ""

    @property
    def arguments(self) -> dict[str, Any]:
        """As `Model.emit` takes them."""
        own = {name: value for name, value in vars(self).items() if name != "no_batch"}
        return own | {"batch": not self.no_batch}


# Where robots live: the library, the current folder, and the user's catalogue; names for completion.
#
# A library name always means the library's robot, so that a name means the same here and in Python.

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
    options: dict[str, Any] = {"exact": True} if wishes.exact else {}
    options |= _chain(source, wishes)
    with warnings.catch_warnings():
        if wishes.strict:
            warnings.simplefilter("error", ManipulaWarning)
        found = api.load(source, strict=wishes.strict, **options)
        changes = assignments(wishes.values or (), found)
        found = found.with_parameters(**{change.name: change.value for change in changes}) if changes else found
        return found.locked(places_of(wishes.locks or (), found))


def _chain(source: str | Path, wishes: Wishes) -> dict[str, str]:
    """--base and --tip, of a file that may hold several chains."""
    file = api.formats().get(Path(source).suffix.lower())
    for option in wishes.chain:
        if file is None or not file.takes(option):
            raise InputError("--{option} is for URDF and MJCF files, which name their links; {source} is neither",
                             option, source)  # fmt: skip
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


def _complete(names: list[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def complete_robot(incomplete: str) -> list[str]:
    return _complete(names(), incomplete) + _files(incomplete)


def complete_own(incomplete: str) -> list[str]:
    return _complete([path.stem for path in own_files()], incomplete) + _files(incomplete)


def _files(incomplete: str) -> list[str]:
    """Robot files, once the name has begun."""
    found = glob(f"{escape(incomplete)}*") if incomplete else []
    endings = api.formats() if found else {}
    return sorted(path for path in found if Path(path).suffix.lower() in endings)


def complete_model(incomplete: str) -> list[str]:
    """Completes the last of several names with commas or plus signs."""
    end = max(incomplete.rfind(","), incomplete.rfind("+")) + 1
    before, last = incomplete[:end], incomplete[end:]
    return [f"{before}{name}" for name in _complete(list(api.models()), last)]


def complete_method(incomplete: str) -> list[str]:
    """The methods of all models: which one is meant is not known yet."""
    every = dict.fromkeys(method for model in api.models() for method in api.methods(model))
    return _complete(["best", *every], incomplete)


def complete_language(incomplete: str) -> list[str]:
    return _complete(list(api.languages()), incomplete)


def complete_law(incomplete: str) -> list[str]:
    return _complete(list(api.laws()), incomplete)


def among(choices: list[str]) -> Callable[[str], list[str]]:
    """Completes one of few words."""
    return lambda incomplete: _complete(choices, incomplete)


def read_symbolic(chosen: dict[str, Any]) -> dict[str, Any]:
    """The options of a verb with `symbolic` as it takes it: a word, or names."""
    text = chosen["symbolic"]
    return chosen | {"symbolic": text if text in ("auto", "none", "all") else split_names(text)}


def model_named(text: str) -> str | list[str]:
    """What `api.generate` makes: one model, or with A+B several in one function."""
    names = list(dict.fromkeys(name.strip() for name in text.split("+")))
    if not all(names):
        raise InputError("{text!r}: expected the names of models, or several in one function as in gravity+jacobian",
                         text)  # fmt: skip
    return names[0] if len(names) == 1 else names


def one_model(first: str, second: str) -> str:
    """The model named after the robot, or by -m as everywhere else."""
    if first and second:
        raise InputError("expected one model after the robot, found {first} and -m {second}", first, second)
    if not (first or second):
        raise InputError("expected one model after the robot, as in: manipula equations planar2r gravity")
    return first or second


def single_models(text: str, command: str) -> list[str]:
    """Names with commas, where every model stands for itself."""
    for name in (names := split_names(text)):
        if "+" in name:
            each = name.replace("+", ",")
            raise InputError("{name}: one function for several models is made by generate; {command} takes {replace}",
                             name, command, each)  # fmt: skip
    return names


def split_names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
