"""Answers outside a sheet: an entry of a model by its name, `T14 = …`, and those to a worksheet that was written."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

from manipula.algebra.simplify.tree import FormulaTree
from manipula.derivations.board import LONGEST, DerivationBoard, refuse_unfit
from manipula.errors import InputError
from manipula.ik.singularities import singularities_of
from manipula.mechanics.models.kinematics.jacobian import jacobian
from manipula.mechanics.models.kinematics.pose import pose
from manipula.mechanics.models.lagrange.christoffel import christoffel_symbols, efficient_terms
from manipula.mechanics.models.lagrange.terms import inverse_dynamics_lagrange
from manipula.mechanics.robot.formats.registry import format_named
from manipula.mechanics.spatial.vector import dot
from manipula.robot import Robot
from manipula.scalar import Scalar
from manipula.worksheets.answers import AnswerVerdict, check_formula
from manipula.worksheets.questions import ask
from manipula.worksheets.reader import SIGNS
from manipula.worksheets.sheet import Sheet

_ENTRY = re.compile(r"([A-Za-z]+?)(\d{0,2}|[xyz]?|\d+,\d+)")
_MARKS = re.compile(r"[\s_{}()\[\]\\]")  # T_{14}, T[1,4], T(1,4)
KNOWN = "T11 … T34, px, py, pz, nx … az, J11 …, M11 …, C11 …, g1 …, tau1 …, detJ"


def check_entry(robot: Robot, answer: str) -> AnswerVerdict:
    left, equals, right = answer.partition("=")
    if not equals:
        raise InputError("{answer}: expected a name and a formula, as in T14 = l1*c1 + l2*c12", answer)
    name = _MARKS.sub("", "".join(SIGNS.get(letter, letter) for letter in left))
    name = f"p{name}" if name in ("x", "y", "z") else name
    arm = refuse_unfit(robot, "dynamics" if name[:1] in "MmCcGgt" else "pose")
    board = DerivationBoard(arm, "all", 30.0)
    solution = _solution(board, name)
    return check_formula(solution, right, board.structure.free, board.dof, board.aliases)


def _solution(board: DerivationBoard, name: str) -> FormulaTree:
    if name.lower() in ("detj", "|j|"):
        return singularities_of(board.robot, "all").determinants[0]
    found = _ENTRY.fullmatch(name)
    value = _entry(board, found[1].lower(), found[2].replace(",", "")) if found else None
    if value is None:
        raise InputError("{name} is not an entry that can be checked; known: {known}", name, KNOWN)
    tree = board.write(value, 10 * LONGEST)
    if tree is None:
        raise InputError("{name} is too long to be written out", name)
    return tree


def _entry(board: DerivationBoard, letter: str, index: str) -> Scalar | None:
    """The expression of an entry; nothing where it is missing."""
    chain, q, places = board.chain, board.q, [int(x) - 1 for x in index if x.isdigit()]
    rows: Any = []
    match letter:
        case "t" if len(places) == 2:
            rows = pose(chain, q).rows()
        case "p" | "n" | "o" | "a" if index in ("x", "y", "z"):
            at: Scalar = pose(chain, q).rows()["xyz".index(index)]["noap".index(letter)]
            return at
        case "j" if len(places) == 2:
            rows = jacobian(chain, q)
        case "m" if len(places) == 2:
            rows = efficient_terms(chain, q).A
        case "c" if len(places) == 2:
            symbols = christoffel_symbols(efficient_terms(chain, q))
            rows = [[dot(column, board.qd) for column in zip(*of_k)] for of_k in symbols]
        case "g" if len(places) == 1:
            rows = [[-x for x in efficient_terms(chain, q).GRA]]
        case "tau" if len(places) == 1:
            rows = [inverse_dynamics_lagrange(chain, q, board.qd, board.qdd)]
    i, j = places if len(places) == 2 else (0, places[0] if places else -1)
    return rows[i][j] if rows and 0 <= i < len(rows) and 0 <= j < len(rows[i]) else None


def check_file(path: Path, student: int, answers: Mapping[str, str]) -> dict[str, AnswerVerdict]:
    """The sheet is made again from what the file holds, and every answer proved."""
    file = path / "worksheet.json" if path.is_dir() else path
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        sheets, topics, seed = data["students"], data["topics"], data["seed"]
        numeric = any(x["kind"] == "number" for one in sheets for x in one["questions"])
    except OSError as error:
        raise InputError("{path}: cannot be read: {reason}", file, error.strerror or error) from None
    except (ValueError, KeyError, TypeError):
        raise InputError("{path}: not a worksheet that manipula wrote", file) from None
    if not 1 <= student <= len(sheets):
        raise InputError("student: expected 1 to {count}, found {student}", len(sheets), student)
    robot = Robot.of(format_named("toml").read(sheets[student - 1]["robot"]))
    sheet = Sheet(student, ask(robot, topics, Random(f"questions {seed} {student}"), numeric), seed)
    return {key: sheet.check(key, text) for key, text in answers.items()}


def answers_from_text(text: str) -> dict[str, str]:
    """Lines `1a: l1*c1 + l2*c12`; empty lines and those that begin with # are left out."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        key, colon, answer = line.partition(":")
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not colon:
            raise InputError("{line}: expected a question and an answer, as in 1a: l1*c1", line.strip())
        found[key.strip()] = answer.strip()
    return found
