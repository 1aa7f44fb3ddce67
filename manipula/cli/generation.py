"""`generate` and `equations`: models as source code and as formulas."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from manipula import api
from manipula.cli.terminal import options, screen
from manipula.cli.terminal.command import Chosen, Options, command
from manipula.cli.terminal.language import told_error
from manipula.cli.terminal.options import CodeOptions, Wishes
from manipula.errors import InputError, ManipulaError, ProofError
from manipula.messages import Message, in_front

if TYPE_CHECKING:
    from manipula import Model
    from manipula.robot import Robot


# `generate --whole`: the robot and its models as one module of JavaScript.

DEFAULT = "c"  # of --language: nothing was said


def refuse_others(language: str, others: Mapping[str, object]) -> None:
    """`others` are options that a module has no use for, with what was given."""
    odd = next((f"--{name.replace('_', '-')}" for name, given in others.items() if given), None)
    if odd:
        raise InputError("{odd} is no option of --whole, which takes -m, -o, --optimise, --symbolic and --frame", odd)
    if language != DEFAULT and api.language(language) != "javascript":
        raise InputError("--whole writes a module of JavaScript, found -l {language}", language)


def say_whole(robot: Robot, models: Sequence[str], folder: Path, chosen: Chosen, as_json: bool) -> None:
    """Write the module into the folder and say where it is, and what is not in it."""
    path = folder / api.module_file(robot)
    with screen.progress(f"generating {robot.name}") as tell:
        missing = api.robot_data(api.robot_module(robot, path, list(models) or None, **chosen, tell=tell))["missing"]
    files = [str(path), str(api.types_beside(path))]
    if as_json:
        screen.say_json({"robot": robot.name, "files": files, "missing": missing})
        return
    for file in files:
        screen.say(file)
    for left in missing:
        screen.say(Message("without {left}: {left2}", left["model"], left["why"]))


COST_COLUMNS = ("model", "method", "×", "+", "total", "sin/cos", "once (parameters only)")


@command(chosen=Options(api.generate, "method symbolic optimise parameters price wrench frame positions near"))
def generate(
    robot: str, *, models: str = "", language: str = DEFAULT, output: Path = Path("out"), chosen: Chosen,
    proof: bool = False, code: CodeOptions, keep_going: bool = False, whole: bool = False, dossier: Path | None = None,
    wishes: Wishes, as_json: bool = False,
) -> None:  # fmt: skip
    """Generate models as source code: optimised, proved equal to the plain model, with a self-test.

    \b
    Examples:
      manipula generate puma560 -m inverse_dynamics,pose -l c -o out/
      manipula generate my_arm -m forward_dynamics -l c,python --wrench
      manipula generate my_arm -m inverse_dynamics -l cpp --proof
      manipula generate my_arm -m gravity+jacobian -l c
      manipula generate my_arm -m gravity,pose --dtype float32 --no-batch --single-file --prefix arm
      manipula generate my_arm.urdf -m pose,forward_dynamics,inverse_kinematics --keep-going
      manipula generate puma560 -l javascript --whole -o out/
      manipula generate stanford3 --dossier stanford3_dossier/

    Args:
        models (-m A,B+C): Models, with commas; with + several in one function.
        output (-o): The folder to write to.
        proof: With a checker beside it: cpp and python, four models.
        keep_going: Write the other models when one cannot be made; the exit code says so.
        whole: One JavaScript module: the robot as data, and its models.
        dossier (DIR): Write the whole documentation set of the robot.
    """
    subject, asked = options.find(robot, wishes), options.read_symbolic(chosen)
    if whole:
        used = ("optimise", "symbolic", "frame")
        others = {"proof": proof, "dossier": dossier, "keep_going": keep_going, **vars(code)}
        usual = Options(api.generate, " ".join(name for name in chosen if name not in used)).defaults()
        refuse_others(language, others | {name: chosen[name] != value for name, value in usual.items()})
        say_whole(subject, options.split_names(models), output, {name: asked[name] for name in used}, as_json)
        return
    names = options.split_names(models) or ([] if dossier else ["inverse_dynamics"])
    languages = language_names(language)
    refusals = Refusals(keep_going)
    with screen.progress(f"generating {subject.name}") as tell:
        made: dict[str, Model] = {}
        for name in names:
            with refusals.of(name):
                made[name] = api.generate(subject, options.model_named(name), **asked, tell=tell)
        _refuse_same_files(made)
        files = write_models(made, languages, output, {"proof": proof, **code.arguments}, refusals)
        papers = api.dossier(subject, dossier, tell=tell) if dossier else []
    if as_json:
        told = [model.as_dict() | {"files": list(map(str, files[name]))} for name, model in made.items()]
        data: screen.Data = {"robot": subject.name, "models": told, "dossier": list(map(str, papers))}
        missing = {what: str(error) for what, error in refusals.errors.items()}
        screen.say_json(data | ({"not_made": missing} if keep_going else {}))
    else:
        if made:
            say_models(made)
        for path in dict.fromkeys([*(path for group in files.values() for path in group), *papers]):
            screen.say(str(path))
    refusals.end()


class Refusals:
    """What could not be made, and why; without `keep_going` the first of them ends the command."""

    def __init__(self, keep_going: bool) -> None:
        self.keep_going = keep_going
        self.errors: dict[str, ManipulaError] = {}

    @contextmanager
    def of(self, what: str) -> Iterator[None]:
        try:
            yield
        except ManipulaError as error:
            if not self.keep_going:
                raise
            self.errors[what] = error

    def end(self) -> None:
        """The reasons, each in a line, and the exit code of the worst."""
        for what, error in self.errors.items():
            screen.note(in_front(what, told_error(error)))
        if self.errors:
            disproved = any(isinstance(error, ProofError) for error in self.errors.values())
            code = screen.CHECK_FAILED if disproved else screen.BAD_INPUT
            raise screen.fail(Message("not made: {errors}", ", ".join(self.errors)), code)


def _refuse_same_files(made: dict[str, Model]) -> None:
    """Long lists of models in one function have no name of their own."""
    first: dict[str, str] = {}
    for name, model in made.items():
        other = first.setdefault(model.name, name)
        if other != name:
            raise InputError("{setdefault} and {name} would be written to the same files, {name2}; make them apart",
                             other, name, model.name)  # fmt: skip


def write_models(
    made: Mapping[str, Model], languages: Sequence[str], folder: Path, chosen: Chosen, refusals: Refusals
) -> dict[str, list[Path]]:
    """The files of every model; in a single file all of them are together."""
    if chosen["single_file"] and len(made) > 1:
        first, *rest = made.values()
        paths = [path for each in languages for path in first.emit(each, folder, beside=rest, **chosen)]
        return dict.fromkeys(made, paths)
    files = {name: list[Path]() for name in made}
    for name, model in made.items():
        for each in languages:
            with refusals.of(f"{name} in {each}"):
                files[name] += model.emit(each, folder, **chosen)
    return files


def language_names(text: str) -> list[str]:
    """The languages that are meant, each once."""
    return list(dict.fromkeys(map(api.language, options.split_names(text))))


def say_models(made: dict[str, Model]) -> None:
    """What each model costs, how it was made and proved."""
    counted = {name: model for name, model in made.items() if _has_formulas(model)}
    if counted:
        rows = [_cost_cells(*item) for item in counted.items()]
        screen.say_table("Operations", COST_COLUMNS, rows, right=range(2, 7))
    for name in made.keys() - counted.keys():
        method = made[name].provenance.method
        screen.say_prose(Message("{name}: by {method}; loops, so no fixed number of operations", name, method))
    for name, model in made.items():
        origin = model.provenance
        if origin.answers:
            screen.say_prose(Message("Choices in {model}: {choices}", name, "; ".join(map(str, origin.answers))), "dim")
        screen.say_prose(Message("Proof of {name}: {proof}", name, origin.proof or Message("none")), "green")
        if model.conditions:
            screen.say_prose(Message("{name} holds where {conditions}", name, ", ".join(map(str, model.conditions))))
    screen.say()


def _has_formulas(model: Model) -> bool:
    """Is it made of formulas? A solver with loops has no fixed number of operations."""
    return bool(model.function.outputs)


def _cost_cells(name: str, model: Model) -> tuple[str, ...]:
    cost, once = model.cost, model.cost.offline.total if model.cost.offline else 0
    return (name, model.provenance.method or "together", *map(str, (cost.mul, cost.add, cost.total, cost.trig, once)))


@command(chosen=Options(api.generate, "method symbolic optimise parameters"))
def equations(
    robot: str, model: str = "", *, also: str = "", form: str = "auxiliary", style: str = "", names: str = "file",
    units: bool = False, entry: list[str] | None = None, chosen: Chosen, wishes: Wishes, as_json: bool = False,
) -> None:  # fmt: skip
    """Print a model as equations: with auxiliary variables, factored, or expanded.

    \b
    Examples:
      manipula equations planar2r inverse_dynamics --form factored
      manipula equations stanford3 lagrange_terms --entry "A[1,1]" --form factored
      manipula equations puma560 pose --style latex
      manipula equations scara jacobian --form factored --names book --units

    Args:
        model (MODEL): Such as pose or gravity.
        also (--models -m MODEL): The model, as generate takes it.
        form: How formulas are written: auxiliary, factored or expanded.
        style (text|unicode|latex|typst): Default: unicode on a terminal, else text.
        names (file|book): Variables q1, q2, … or θ1, d2, … by the joint.
        units: Add a line of units.
        entry (A[1,1]): Only this output or entry; repeatable.
    """
    model = options.one_model(model, also)
    subject = options.find(robot, wishes)
    with screen.progress(f"deriving {model} of {subject.name}") as tell:
        made = api.generate(subject, options.model_named(model), **options.read_symbolic(chosen), tell=tell)
        made = made.only(*entry) if entry else made
        style = style or ("unicode" if sys.stdout.isatty() else "text")
        found = made.equations(form, style, names=names, units=units, tell=tell)
        text = str(replace(found, relation=""))
    if as_json:
        told = found.as_dict()
        screen.say_json({"robot": subject.name, **told, "equations": _entries(told), **made.as_dict()})
        return
    if style not in ("text", "unicode"):
        typer.echo(text)
        return
    screen.say_formulas(text)
    if found.relation:
        screen.say_prose(found.relation)


def _entries(told: screen.Data) -> list[str]:
    """Every entry in a line of its own, and what the short names stand for in the last."""
    legend = ", ".join(f"{short} = {long}" for short, long in told["where"].items())
    return [*(f"{x['left']} = {x['right']}" for x in told["equations"]), *([f"with {legend}"] if legend else [])]
