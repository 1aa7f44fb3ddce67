"""The arguments and options that several commands share, with their completion."""

from __future__ import annotations

from glob import escape, glob
from pathlib import Path
from typing import Annotated

import typer

from manipula import api
from manipula.cli.terminal import places
from manipula.errors import InputError
from manipula.messages import Message


def _starting(names: list[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def complete_robot(incomplete: str) -> list[str]:
    return _starting(places.names(), incomplete) + _files(incomplete)


def complete_own(incomplete: str) -> list[str]:
    return _starting([path.stem for path in places.own_files()], incomplete) + _files(incomplete)


def _files(incomplete: str) -> list[str]:
    """Robot files, once the name has begun."""
    found = glob(f"{escape(incomplete)}*") if incomplete else []
    endings = api.formats() if found else {}
    return sorted(path for path in found if Path(path).suffix.lower() in endings)


def complete_model(incomplete: str) -> list[str]:
    """Completes the last of several names with commas or plus signs."""
    end = max(incomplete.rfind(","), incomplete.rfind("+")) + 1
    before, last = incomplete[:end], incomplete[end:]
    return [f"{before}{name}" for name in _starting(list(api.models()), last)]


def complete_method(incomplete: str) -> list[str]:
    """The methods of all models: which one is meant is not known yet."""
    every = dict.fromkeys(method for model in api.models() for method in api.methods(model))
    return _starting(["best", *every], incomplete)


def complete_language(incomplete: str) -> list[str]:
    return _starting(list(api.languages()), incomplete)


def _among(*choices: str) -> object:
    return lambda incomplete: _starting(list(choices), incomplete)


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
