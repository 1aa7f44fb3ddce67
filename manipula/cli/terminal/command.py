"""Commands, from signatures and docstrings: an option is written once, where its value is used.

A parameter before the star is an argument of the command, one behind it an option, of the type and default that the
signature says. Its help, and its spelling where that is not its name, is a line under `Args:` of the docstring,
`name (-n METAVAR): help`; a verb's line leaves the spelling to the command. A parameter of a class of options, such as
`Wishes`, stands for its fields; one that `command(name=Options(verb, "…"))` names stands for these options of the verb,
with the verb's own defaults and words.
What several commands take is said here:

Args:
    robot (ROBOT): A library name, one of your robots, or a file.
    models (-m A,B): Models, with commas.
    language (-l c,rust,…): Languages, with commas.
    output (-o): The file to write.
    plot: A picture: .png .svg .pdf (needs matplotlib).
    report: A page that stands alone: .html
    symbolic (auto|none|all|A,B): Which parameters stay symbols: auto (those without a value), none, all, or names with
        commas.
    optimise (none|fast|max):
    parameters (base|full):
    price (PRICE):
    frame (NAME):
    engine (serial|local|dask|tcp://…): Where it runs.
    workers: Processes of local and dask; default: one a core.
    resume (FOLDER): Keeps results as they come, and goes on from there.
    force: Replace a file that exists.
    as_json (--json): Machine-readable output on stdout.
"""

from __future__ import annotations

import ast
import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from inspect import Parameter
from textwrap import dedent
from types import ModuleType
from typing import Annotated, Any, NamedTuple, get_origin

import typer

from manipula import api
from manipula.cli.terminal import options
from manipula.cli.terminal.screen import guard_command

Chosen = dict[str, Any]  # options of a verb, by name
_LINE = re.compile(r"(?P<name>\w+)(?: \((?P<form>.*?)\))?:(?: (?P<help>.*))?")
_UNSET = {"float | None": float | None, "int | None": int | None}  # what a default of None stands for
COMPLETIONS: dict[str, Callable[[str], list[str]]] = {  # by the command's or verb's parameter, else by the metavar
    "delete.robot": options.complete_own,
    "generate.method": options.complete_method,
    "ROBOT": options.complete_robot,
    "ROBOT…": options.complete_robot,
    "MODEL": options.complete_model,
    "A,B": options.complete_model,
    "A,B+C": options.complete_model,
    "LAW": options.complete_law,
    "PRICE": options.among(["classical", "multiplications", "fused", "latency"]),
    "c,rust,…": options.complete_language,
}


class Word(NamedTuple):
    """What `Args:` says of a parameter."""

    form: str = ""
    help: str | None = None

    def option_words(self, name: str) -> list[str]:
        """The option's words: its name with dashes before those given, unless one of these is long."""
        given = [word for word in self.form.split() if word.startswith("-")]
        return given if any(word.startswith("--") for word in given) else [f"--{name.replace('_', '-')}", *given]

    @property
    def metavar(self) -> str | None:
        return re.sub(r"(?:^|(?<= ))-\S+ ?", "", self.form).strip() or None


class Options(NamedTuple):
    """Of a verb, those named."""

    verb: Callable[..., object]
    names: str

    def parameters(self) -> Iterator[Parameter]:
        every = inspect.signature(self.verb).parameters
        for entry in map(every.__getitem__, self.names.split()):
            kind = _UNSET[entry.annotation] if entry.default is None else type(entry.default)
            yield entry.replace(annotation=kind)

    def defaults(self) -> Chosen:
        return {entry.name: entry.default for entry in self.parameters()}


def command(**groups: Options) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """The function as a command: its groups taken apart, its mistakes told in one line."""

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        text, own = split_doc(doc_of(function))
        shown: list[Parameter] = []
        packed: dict[str, tuple[Callable[..., object], list[str]]] = {}
        for entry in inspect.signature(function, eval_str=True).parameters.values():
            owner: Callable[..., object] = entry.annotation
            kind: Callable[..., object] = entry.annotation
            if group := groups.get(entry.name):
                owner, kind, fields = group.verb, dict, list(group.parameters())
            elif is_dataclass(entry.annotation):
                fields = list(inspect.signature(owner, eval_str=True).parameters.values())
            else:
                shown.append(_typed(entry, merge_words(SHARED, own), f"{function.__name__}.{entry.name}", entry.kind))
                continue
            words = merge_words(SHARED, split_doc(doc_of(owner)).words, own)
            shown += [_typed(field, words, f"{owner.__name__}.{field.name}", entry.kind) for field in fields]
            packed[entry.name] = kind, [field.name for field in fields]

        @functools.wraps(function)
        def run(**given: object) -> None:
            taken = {name: kind(**{each: given.pop(each) for each in names}) for name, (kind, names) in packed.items()}
            function(**given, **taken)

        run.__doc__, run.__annotations__ = text, {entry.name: entry.annotation for entry in shown}
        run.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
        return guard_command(run)

    return decorate


class Doc(NamedTuple):
    """A docstring: its text without `Args:`, and the words under it."""

    text: str
    words: dict[str, Word]


def doc_of(thing: Callable[..., object] | ModuleType) -> str | None:
    """Its docstring; from the source where Python has dropped it (-OO)."""
    if sys.flags.optimize < 2:
        return thing.__doc__
    tree = ast.parse(dedent(inspect.getsource(thing)))
    return ast.get_docstring(tree if isinstance(thing, ModuleType) else tree.body[0])  # type: ignore[arg-type]


def split_doc(doc: str | None) -> Doc:
    before, _, behind = inspect.cleandoc(doc or "").partition("\nArgs:\n")
    section, _, after = behind.partition("\n\n")
    lines = re.sub(r"\n {5,}", " ", section).splitlines()  # a long help goes on below, further in
    found = filter(None, (_LINE.fullmatch(line.strip()) for line in lines))
    return Doc(f"{before}{after}".rstrip(), {x["name"]: Word(x["form"] or "", x["help"]) for x in found})


def merge_words(*levels: Mapping[str, Word]) -> dict[str, Word]:
    """The last that says how an option is spelled, and the last that says what it is."""
    found: dict[str, Word] = {}
    for name, word in (item for words in levels for item in words.items()):
        before = found.get(name, Word())
        found[name] = Word(word.form or before.form, word.help or before.help)
    return found


SHARED = merge_words(split_doc(doc_of(api.generate)).words, split_doc(doc_of(sys.modules[__name__])).words)


def _typed(entry: Parameter, words: Mapping[str, Word], place: str, kind: object) -> Parameter:
    """The parameter as Typer reads it; one that says it all itself stays."""
    if get_origin(entry.annotation) is Annotated:
        return entry.replace(kind=Parameter.KEYWORD_ONLY)
    word = words.get(entry.name, Word())
    metavar, shown = word.metavar, word.metavar or ""
    choices = [choice for choice in shown.split("|") if "|" in shown and re.fullmatch(r"[a-z0-9]+", choice)]
    complete = COMPLETIONS.get(place) or COMPLETIONS.get(shown) or (options.among(choices) if choices else None)
    if kind is Parameter.KEYWORD_ONLY:
        info = typer.Option(*word.option_words(entry.name), metavar=metavar, help=word.help, autocompletion=complete)
    else:
        info = typer.Argument(metavar=metavar, help=word.help, autocompletion=complete)
    return entry.replace(kind=Parameter.KEYWORD_ONLY, annotation=Annotated[entry.annotation, info])
