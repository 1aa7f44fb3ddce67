"""A worksheet: for every student an arm and questions, as files to hand out, with and without solutions.

The page checks formulas by comparing numbers at random points, which it holds in place of the solution; `check` proves
them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from manipula.algebra.show.notation import Script
from manipula.algebra.show.paper import typst_string
from manipula.algebra.show.printer import Printer
from manipula.algebra.simplify.tree import FormulaTree
from manipula.errors import InputError, UnknownNameError
from manipula.generation.arm_structure import ArmStructure
from manipula.mechanics.robot.formats.conversion.tables import SYMBOLIC, tables_of
from manipula.mechanics.robot.formats.registry import format_named
from manipula.mechanics.spatial.floats import FLOATS
from manipula.mechanics.spatial.placement import Placement
from manipula.messages import Message, in_language
from manipula.pages.derivation import STYLE, same
from manipula.pages.documents import html_document, latex_document, typst_document
from manipula.pages.page import table as page_table
from manipula.pages.paper import compiler, pdf_of
from manipula.pages.steps import Told
from manipula.robot import Robot
from manipula.support.files import write_bytes, write_text
from manipula.worksheets.answers import AnswerVerdict
from manipula.worksheets.arms import student_arms
from manipula.worksheets.page import SCRIPT, SHEET_STYLE, question_html
from manipula.worksheets.questions import ArmQuestions, Solved, WorksheetQuestion, ask, samples_of, solve

TextRows = tuple[str, Sequence[str], Sequence[Sequence[str]]]  # title, heads, rows
FORMATS = ("html", "tex", "typ", "pdf")
PARTS = {
    "pose": Message("The pose"),
    "jacobian": Message("The Jacobian"),
    "dynamics": Message("The dynamics"),
    "ik": Message("Inverse kinematics"),
    "singularities": Message("Singular configurations"),
}
HOW = Message(
    "Type formulas with the names of the table: l1*c1 + l2*c12. c1 is cos(q1), s12 is sin(q1 + q2); q1, q2, … are the "
    "joint variables, * is a product, ^ a power."
)
HOW_NUMBERS = Message(
    "Lengths are in m, masses in kg; angles are in degrees where numbers are asked. Three digits are enough."
)


@dataclass(frozen=True)
class Sheet:
    """One student's questions."""

    number: int
    asked: ArmQuestions
    seed: int

    @property
    def robot(self) -> Robot:
        return self.asked.robot

    @property
    def questions(self) -> tuple[WorksheetQuestion, ...]:
        return self.asked.questions

    def check(self, key: str, text: str) -> AnswerVerdict:
        """An answer to question `key`: right, or what differs."""
        return self.asked.check(key, text)

    def script(self, style: str) -> Script:
        return self.asked.derivations[0].script(style)

    def title(self, teacher: bool, told: Told) -> str:
        title = Message("Worksheet {number}: {robot}", self.number, self.robot.name)
        if teacher:
            title = Message("Worksheet {number}: {robot}, with solutions", self.number, self.robot.name)
        return told(title)

    def tables(self, told: Told) -> list[TextRows]:
        """What every question needs: the arm's geometry, its masses, gravity, values."""
        moving = any(one.topic == "dynamics" for one in self.questions)
        found = [t for t in tables_of(self.robot) if moving or not t.title.startswith(("Inertial", "Surroundings"))]
        known = [t for t in found if any(cell != SYMBOLIC for row in t.rows for cell in row[1:])]
        found_tables: list[TextRows] = in_language(
            [(Message(t.title), tuple(map(Message, t.columns)), t.rows) for t in known], told
        )
        return found_tables

    def answer_text(self, one: WorksheetQuestion, style: str) -> str:
        script = self.script(style)
        if isinstance(one.solution, FormulaTree):
            return script.text(one.solution)
        if one.kind == "joints":
            return ", ".join(f"{x:g}" for x in one.solution)
        return f"{one.solution:.4g}"

    def givens(self, one: WorksheetQuestion) -> str:
        """The numbers that a question needs: masses and inertias only where they matter."""
        moving = one.topic == "dynamics"
        return ", ".join(f"{name} = {x:g}" for name, x in one.given if moving or name not in self.asked.weights)

    # set

    def html(self, teacher: bool, told: Told = same) -> str:
        script = self.script("html")
        parts = [f"<h1>{script.words(self.title(teacher, told))}</h1>"]
        parts += [page_table(*one) for one in self.tables(told)]
        parts += [f"<p>{script.words(told(text))}</p>" for text in (HOW, HOW_NUMBERS)]
        rng, topic = Random(f"samples {self.seed} {self.number}"), ""
        for one in self.questions:
            if one.topic != topic:
                topic = one.topic
                parts.append(f"<h2>{script.words(told(PARTS[topic]))}</h2>")
            samples = samples_of(one, self.robot.dof, rng) if one.kind == "formula" else []
            answer = self.answer_text(one, "html") if teacher else ""
            parts.append(question_html(one, script, told, self.givens(one), samples, answer, self.arm_in_numbers(one)))
        if teacher:
            parts += [x.html(told) for x in self.asked.derivations]
        return html_document(self.title(teacher, told), parts, STYLE + SHEET_STYLE, SCRIPT, told)

    def arm_in_numbers(self, one: WorksheetQuestion) -> dict[str, Any] | None:
        """Of a question for joints: the arm's table as the page computes with it."""
        if one.kind != "joints":
            return None
        chain = ArmStructure(self.robot, "all").bound_tree(FLOATS, dict(one.given))

        def rows(at: Placement) -> list[list[float]]:
            return [[float(x) for x in row] for row in at.rows()]

        links = [
            {"before": rows(x.before), "after": rows(x.after), "offset": float(x.offset), "sense": x.direction,
             "turn": float(x.kind.turn(1)), "slide": float(x.kind.slide(1))} for x in chain.links
        ]  # fmt: skip
        return {"base": rows(chain.base), "links": links, "tool": rows(chain.tool), "target": list(one.target)}

    def latex(self, teacher: bool, told: Told = same) -> str:
        script = self.script("latex")
        parts = [rf"\section*{{{script.words(self.title(teacher, told))}}}"]
        parts += [_latex_table(*one, script) for one in self.tables(told)]
        parts += [script.words(told(text)).replace("^", r"\^{}") for text in (HOW, HOW_NUMBERS)]
        topic = ""
        for one in self.questions:
            if one.topic != topic:
                topic = one.topic
                parts.append(rf"\subsection*{{{told(PARTS[topic])}}}")
            given = f" ({script.words(self.givens(one))})" if one.given else ""
            parts.append(rf"\textbf{{{one.key}}} {one.asks.sentence(script, told)}{given}")
            left = script.notation(one.left)
            answer = self.answer_text(one, "latex") if teacher else r"\hspace{8cm}"
            parts.append(f"\\[ {left} = {answer} \\]" + ("" if teacher else "\n\\vspace{1.5cm}"))
        if teacher:
            parts += [x.latex(told) for x in self.asked.derivations]
        return latex_document("\n\n".join(parts))

    def typst(self, teacher: bool, told: Told = same) -> str:
        script = self.script("typst")
        parts = [f"= {script.words(self.title(teacher, told))}"]
        parts += [_typst_table(*one) for one in self.tables(told)]
        parts += [script.words(told(text)) for text in (HOW, HOW_NUMBERS)]
        topic = ""
        for one in self.questions:
            if one.topic != topic:
                topic = one.topic
                parts.append(f"== {told(PARTS[topic])}")
            given = f" ({script.words(self.givens(one))})" if one.given else ""
            parts.append(f"*{one.key}* {one.asks.sentence(script, told)}{given}")
            left = script.notation(one.left)
            parts.append(
                f"$ {left} = {self.answer_text(one, 'typst')} $" if teacher else f"$ {left} = #h(8cm) $\n#v(1.5cm)"
            )
        if teacher:
            parts += [x.typst(told, 2) for x in self.asked.derivations]
        return typst_document("\n\n".join(parts), told)

    def as_dict(self) -> dict[str, object]:
        """With solutions: what `worksheet check` reads."""
        text = self.script("text")
        return {
            "number": self.number, "robot": format_named("toml").write(self.robot),
            "questions": [
                {"key": one.key, "asks": one.asks.sentence(text, same), "kind": one.kind, "given": dict(one.given),
                 "solution": self.plain(one)} for one in self.questions
            ],
        }  # fmt: skip

    def plain(self, one: WorksheetQuestion) -> str:
        """The solution as it would be typed."""
        if isinstance(one.solution, FormulaTree):
            return Printer(one.names).text(one.solution)
        return self.answer_text(one, "text")


def _latex_table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]], script: Script) -> str:
    lines = [" & ".join(script.words(cell) for cell in row) + r" \\" for row in (heads, *rows)]
    return (
        rf"\medskip\noindent\emph{{{script.words(title)}}}\\[2pt]" + "\n"
        rf"{{\small\begin{{tabular}}{{{'l' * len(heads)}}}\hline" + "\n" + lines[0] + r"\hline" + "\n"
        + "\n".join(lines[1:]) + "\n" + r"\hline\end{tabular}}"
    )  # fmt: skip


def _typst_table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    cells = ", ".join(typst_string(cell) for row in (heads, *rows) for cell in row)
    size = "#set text(size: 8.5pt); " if len(heads) > 6 else ""
    return f"#[{size}#emph({typst_string(title)}) \\\n#table(columns: {len(heads)}, stroke: 0.4pt, {cells})]"


@dataclass(frozen=True)
class Worksheet:
    """The sheets of all students. `write` makes the files."""

    robot: Robot
    topics: tuple[str, ...]
    seed: int
    sheets: tuple[Sheet, ...]

    def __len__(self) -> int:
        return len(self.sheets)

    def __repr__(self) -> str:
        return f"<worksheet of {self.robot.name}: {len(self)} students, {', '.join(self.topics)}; write(…) makes files>"

    def sheet(self, student: int) -> Sheet:
        if not 1 <= student <= len(self.sheets):
            raise InputError("student: expected 1 to {count}, found {student}", len(self.sheets), student)
        return self.sheets[student - 1]

    def check(self, student: int, answers: dict[str, str]) -> dict[str, AnswerVerdict]:
        """Question → verdict."""
        sheet = self.sheet(student)
        return {key: sheet.check(key, text) for key, text in answers.items()}

    def write(
        self, folder: str | Path, solutions: bool = True, formats: Sequence[str] | None = None, told: Told = same
    ) -> list[Path]:
        """student_01.html, teacher_01.html, … and worksheet.json, by which answers are checked."""
        kinds = list(formats) if formats is not None else [*FORMATS[:3], *(["pdf"] if _has_typst() else [])]
        for kind in kinds:
            if kind not in FORMATS:
                raise UnknownNameError("format of a worksheet", kind, FORMATS)
        place, written = Path(folder), []
        for sheet in self.sheets:
            for teacher in (False, True) if solutions else (False,):
                name = f"{'teacher' if teacher else 'student'}_{sheet.number:02d}"
                written += [_write(sheet, teacher, place / f"{name}.{kind}", told) for kind in kinds]
        if solutions:
            target = place / "worksheet.json"
            write_text(target, json.dumps(self.as_dict(), indent=1, ensure_ascii=False) + "\n")
            written.append(target)
        return written

    def as_dict(self) -> dict[str, object]:
        sheets = [x.as_dict() for x in self.sheets]
        base = format_named("toml").write(self.robot)
        return {"robot": base, "topics": list(self.topics), "seed": self.seed, "students": sheets}


def _has_typst() -> bool:
    try:
        compiler()
    except InputError:
        return False
    return True


def _write(sheet: Sheet, teacher: bool, path: Path, told: Told) -> Path:
    match path.suffix:
        case ".html":
            write_text(path, sheet.html(teacher, told))
        case ".tex":
            write_text(path, sheet.latex(teacher, told))
        case ".typ":
            write_text(path, sheet.typst(teacher, told))
        case _:
            write_bytes(path, pdf_of(sheet.typst(teacher, told)))
    return path


def make_worksheet(
    robot: Robot, topics: Sequence[str], seed: int, students: int, vary: str = "", numeric: bool = False
) -> Worksheet:
    """Sheets for so many students; the same seed makes the same sheets."""
    if not topics:
        raise InputError("topics: expected at least one")
    for topic in topics:
        if topic not in PARTS:
            raise UnknownNameError("topic of a worksheet", topic, PARTS)
    if not 1 <= students <= MOST:
        raise InputError("students: expected 1 to {most}, found {students}", MOST, students)
    solved: dict[str, Solved | None] = {}

    def is_solvable(arm: Robot) -> bool:
        solved[arm.name] = solve(arm, topics)
        return solved[arm.name] is not None

    chosen = vary or ("lengths" if numeric or robot.dof > FEW else "axes")
    own = students == 1 and not vary
    arms = [robot] if own else student_arms(robot, seed, students, chosen, is_solvable)
    sheets = [
        Sheet(n, ask(arm, topics, Random(f"questions {seed} {n}"), numeric, solved.get(arm.name)), seed)
        for n, arm in enumerate(arms, 1)
    ]
    return Worksheet(robot, tuple(topics), seed, tuple(sheets))


MOST, FEW = 200, 4
