"""A checker for emitted code: one file that proves it identical to a plain recursion, and needs nothing of ours.

It lies beside the emitted C++ or Python and runs that very text over the integers modulo 2⁶¹ − 1. The other side, the
robot's table and the recursion by the book, is written out in it for a person to read: the table comes from the
description as its file has it, never from what the optimiser made of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import wrap
from typing import Any

from manipula.algebra.emit.about import WIDTH
from manipula.algebra.emit.cpp.spelling import RESERVED as CPP_RESERVED
from manipula.algebra.emit.names import Namer, identifier
from manipula.algebra.emit.python.spelling import LANGUAGE as PYTHON
from manipula.algebra.emit.split import Split, split
from manipula.algebra.emit.templates import filled
from manipula.algebra.expr.function import Function
from manipula.algebra.tape import tape_from_function
from manipula.errors import InputError
from manipula.generation.checker.numbers import number_lines
from manipula.generation.checker.table import robot_lines, words_of
from manipula.generation.request import Request

DYNAMIC = ("inverse_dynamics", "forward_dynamics")
MODELS = (*DYNAMIC, "pose", "jacobian")
FILES = {"cpp": ("check.cpp.jinja", "{}_check.cpp"), "python": ("check.py.jinja", "{}_check.py")}
COMMANDS = {"cpp": "c++ -std=c++17 {0} -o check && ./check", "python": "python {0}"}
_RESERVED = {"cpp": CPP_RESERVED, "python": PYTHON.reserved}


def checker_files(request: Request | None, function: Function, language: str, version: str) -> dict[str, str]:
    """File name → text of the checker that belongs to the emitted files of a model."""
    if language not in FILES:
        raise InputError(
            "proof=True: there is no checker in {language!r} yet, only in {files}", language, " and ".join(FILES)
        )
    if request is None or request.model not in MODELS:
        model = function.name if request is None else request.model
        raise InputError(
            "proof=True: there is no checker for {name} yet, only for {models} as generated", model, ", ".join(MODELS)
        )
    if odd := request.robot.coordinates.followers:
        raise InputError(
            "proof=True: there is no checker for a robot in which joints follow others yet, as {odd!r} of {name} does",
            odd[0],
            request.robot.name,
        )
    template, file = FILES[language]
    context = _context(request, function, language, version)
    return {file.format(context["name"]): filled(__name__, template, context)}


def with_checker(files: Mapping[str, str], checker: Mapping[str, str], language: str) -> dict[str, str]:
    """Emitted files and their checker, of which their README then speaks."""
    (file,) = checker
    proof = filled(__name__, "proof.md.jinja", {"file": file, "command": COMMANDS[language].format(file)})
    told = {name: text + proof for name, text in files.items() if name.startswith("README")}
    return {**files, **told, **checker}


def _context(request: Request, function: Function, language: str, version: str) -> dict[str, Any]:
    tape = tape_from_function(function)
    name = Namer(_RESERVED[language]).name(tape.name)
    arguments: Split = split(tape, Namer(()))
    (output,) = arguments.outputs
    words = words_of(request.robot, request.symbolic)
    parameters = [words[name] for argument in arguments.parameters for name in argument.port.names]
    return {
        "name": name,
        "robot": identifier(request.robot.name),
        "model": request.model,
        "version": version,
        "part": "dynamics" if request.model in DYNAMIC else request.model,
        "dynamic": request.model in DYNAMIC,
        "wrench": request.wrench,
        "used": {line.op for line in tape.lines},
        "variables": arguments.variables,
        "kept": bool(arguments.kept),
        "given": [x.port.name for x in arguments.variables],
        "parameters": parameters,
        "parameter_lines": wrap(", ".join(f'symbol("{word}")' for word in parameters), WIDTH),
        "output": output.port.name,
        "columns": output.port.shape[1] if len(output.port.shape) > 1 else 0,
        "numbers": number_lines(function),
        "table": robot_lines(request.robot, request.symbolic, words),
    }
