"""The arguments and options that several commands share, with their completion."""

from __future__ import annotations

import functools
import inspect
import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields
from glob import escape, glob
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manipula import api
from manipula.api.assignments import assignments, places_of
from manipula.errors import InputError, ManipulaWarning, UnknownNameError
from manipula.messages import Message
from manipula.support.files import expand_user, user_folder

if TYPE_CHECKING:
    from manipula.robot import Robot


# What a command may be told of its robot: values, which chain of the file, how it is read. The same for every command.
#
# A command has one argument `wishes: Wishes`; `about_a_robot` puts the options in its place and hands over what came.


@dataclass(frozen=True)
class Wishes:
    """The options of one call, as they were typed."""

    values: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A value for a parameter, such as a2=0.43; may be repeated."),
    ] = None
    locks: Annotated[
        list[str] | None,
        typer.Option("--lock", metavar="JOINT=VALUE", help="A joint held still, such as elbow=30deg; may be repeated."),
    ] = None
    base: Annotated[str, typer.Option("--base", metavar="LINK", help="URDF, MJCF: where the chain starts.")] = ""
    tip: Annotated[str, typer.Option("--tip", metavar="LINK", help="URDF, MJCF: where the chain ends.")] = ""
    exact: Annotated[bool, typer.Option("--exact", help="Keep 1.5708 as it is, do not make it 90 degrees.")] = False
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings about the robot as errors.")] = False

    @property
    def chain(self) -> dict[str, Any]:
        """What is for files of several chains."""
        return {name: value for name in ("base", "tip") if (value := getattr(self, name))}

    @property
    def command_words(self) -> list[str]:
        """The words that say the same again, for a command that goes on with this robot."""
        given = [
            ("--set", self.values or []),
            ("--lock", self.locks or []),
            ("--base", [self.base]),
            ("--tip", [self.tip]),
        ]
        words = [word for option, values in given for value in values if value for word in (option, value)]
        return [*words, *(["--exact"] if self.exact else [])]


NOTHING = Wishes()


def about_a_robot(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command with the options of `Wishes` in place of its argument `wishes`."""
    hints = inspect.get_annotations(Wishes, eval_str=True)
    options = [
        inspect.Parameter(item.name, inspect.Parameter.KEYWORD_ONLY, default=item.default, annotation=hints[item.name])
        for item in fields(Wishes)
    ]

    @functools.wraps(command)
    def run(*args: Any, **given: Any) -> Any:
        wishes = Wishes(**{option.name: given.pop(option.name) for option in options if option.name in given})
        return command(*args, wishes=wishes, **given)

    before = inspect.signature(command, eval_str=True)
    kept = [entry.replace(kind=inspect.Parameter.KEYWORD_ONLY) for entry in before.parameters.values()]
    place = [entry.name for entry in kept].index("wishes")
    shown = before.replace(parameters=[*kept[:place], *options, *kept[place + 1 :]])
    run.__signature__ = shown  # type: ignore[attr-defined]
    run.__annotations__ = {name: entry.annotation for name, entry in shown.parameters.items()}
    return run


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


def _among(*choices: str) -> object:
    return lambda incomplete: _complete(list(choices), incomplete)


RobotName = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT", help="A library name, one of your robots, or a file.", autocompletion=complete_robot
    ),
]
OwnName = Annotated[
    str, typer.Argument(metavar="ROBOT", help="One of your robots, or a file.", autocompletion=complete_own)
]
ModelName = Annotated[
    str, typer.Argument(metavar="MODEL", help="Such as pose or gravity.", autocompletion=complete_model)
]
ModelToo = Annotated[
    str,
    typer.Option(
        "--models", "-m", metavar="MODEL", help="The model, as generate takes it.", autocompletion=complete_model
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable output on stdout.")]
Force = Annotated[bool, typer.Option("--force", help="Replace a file that exists.")]
OverwriteOutput = Annotated[
    bool, typer.Option("--force", help="Replace files that exist and that the table [output] of the file names.")
]
Models = Annotated[
    str,
    typer.Option("--models", "-m", metavar="A,B", help="Models, with commas.", autocompletion=complete_model),
]
Functions = Annotated[
    str,
    typer.Option(
        "--models",
        "-m",
        metavar="A,B+C",
        help="Models, with commas; with + several in one function.",
        autocompletion=complete_model,
    ),
]
Method = Annotated[
    str,
    typer.Option(
        "--method", help="How the model is derived, such as lagrange-efficient.", autocompletion=complete_method
    ),
]
Symbolic = Annotated[
    str,
    typer.Option(
        "--symbolic",
        metavar="auto|none|all|A,B",
        help="Which parameters stay symbols: auto (those without a value), none, all, or names with commas.",
        autocompletion=_among("auto", "none", "all"),
    ),
]
Optimise = Annotated[
    str,
    typer.Option(
        "--optimise", metavar="none|fast|max", help="How hard to search.", autocompletion=_among("none", "fast", "max")
    ),
]
Parameters = Annotated[
    str,
    typer.Option(
        "--parameters",
        metavar="base|full",
        help="base: inertial parameters may be regrouped before the first cycle; full: each is used as it is.",
        autocompletion=_among("base", "full"),
    ),
]
Workers = Annotated[int | None, typer.Option("--workers", help="Processes of local and dask; default: one a core.")]
Resume = Annotated[
    Path | None,
    typer.Option("--resume", metavar="FOLDER", help="Keeps results as they come, and goes on from there."),
]
Price = Annotated[
    str,
    typer.Option(
        "--price",
        metavar="PRICE",
        help="What to minimise: classical (× and + alike), multiplications, fused (a·b + c is one) or latency.",
        autocompletion=_among("classical", "multiplications", "fused", "latency"),
    ),
]
Languages = Annotated[
    str,
    typer.Option(
        "--language", "-l", metavar="c,rust,…", help="Languages, with commas.", autocompletion=complete_language
    ),
]
DType = Annotated[
    str,
    typer.Option(
        "--dtype",
        metavar="float32|float64",
        help="The number type of C; left out, the macro MANIPULA_FLOAT decides.",
        autocompletion=_among("float32", "float64"),
    ),
]
NoBatch = Annotated[bool, typer.Option("--no-batch", help="C without the function over many states.")]
SingleFile = Annotated[
    bool, typer.Option("--single-file", help="C in one header that needs nothing else, all models in it.")
]
SinCos = Annotated[bool, typer.Option("--sincos", help="C with one call for sine and cosine, where there is one.")]
Prefix = Annotated[
    str, typer.Option("--prefix", metavar="NAME", help="What symbols and files begin with, in place of the robot.")
]
OutputFile = Annotated[Path | None, typer.Option("--output", "-o", help="The file to write.")]


def emit_options(dtype: str, no_batch: bool, single_file: bool, sincos: bool, prefix: str) -> dict[str, str | bool]:
    """The five options of emitted code as `Model.emit` takes them."""
    return {"dtype": dtype, "batch": not no_batch, "single_file": single_file, "sincos": sincos, "prefix": prefix}


def symbolic_from_text(text: str) -> str | list[str]:
    """The option as `api.generate` takes it."""
    return text if text in ("auto", "none", "all") else split_names(text)


def model_named(text: str) -> str | list[str]:
    """What `api.generate` makes: one model, or with A+B several in one function."""
    names = list(dict.fromkeys(name.strip() for name in text.split("+")))
    if not all(names):
        raise InputError(
            "{text!r}: expected the names of models, or several in one function as in gravity+jacobian", text
        )
    return names[0] if len(names) == 1 else names


def one_model(first: str, second: str) -> str:
    """The model named after the robot, or by -m as everywhere else."""
    if bool(first) == bool(second):
        raise InputError(
            Message("expected one model after the robot, found {first} and -m {second}", first, second)
            if first
            else Message("expected one model after the robot, as in: manipula equations planar2r gravity")
        )
    return first or second


def single_models(text: str, command: str) -> list[str]:
    """Names with commas, where every model stands for itself."""
    for name in (names := split_names(text)):
        if "+" in name:
            each = name.replace("+", ",")
            raise InputError(
                "{name}: one function for several models is made by generate; {command} takes {replace}",
                name,
                command,
                each,
            )
    return names


def split_names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
