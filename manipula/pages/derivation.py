"""A derivation as steps, built once and set in every place: terminal, page, notebook, LaTeX, Typst, plain data.

What a result is compared with travels beside it, and the room that made the steps proves them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any

from manipula.algebra.show.layout import legend_lines
from manipula.algebra.show.notation import Script, script_of
from manipula.algebra.show.printer import NameParts, trig_name
from manipula.algebra.simplify.tree import Trig, leaves
from manipula.pages.steps import (
    COLUMNS,
    Equation,
    LessonStep,
    Sentence,
    Told,
    html_equation,
    paper_rows,
    text_equation,
    wrap_columns,
)

INDENT = "   "


def same(text: str) -> str:
    return text


@dataclass(frozen=True, repr=False)
class Derivation:
    """The steps. Prints itself; `latex()`, `typst()`, `html()`; a notebook shows it set.

    `proof` says how every result was compared with an independent computation.
    """

    robot: str
    topic: str
    title: Sentence
    says: tuple[Sentence, ...]
    steps: tuple[LessonStep, ...]
    aliases: Mapping[str, NameParts]
    taken: tuple[str, ...] = ()
    proof: str = ""
    prover: Callable[[Derivation], str] | None = field(default=None, compare=False, repr=False)

    def all_steps(self) -> Iterator[tuple[str, LessonStep]]:
        """Every step with its number: 1, 2, 2.1, …"""
        yield from _numbered(self.steps, "")

    def equations(self) -> Iterator[tuple[str, Equation]]:
        """Every equation with the number of its step."""
        for number, step in self.all_steps():
            for equation in step.equations:
                yield number, equation

    def prove(self) -> str:
        """Compare every result with its independent computation again; `ProofError` names the step that differs."""
        return self.prover(self) if self.prover else ""

    def with_proof(self) -> Derivation:
        return replace(self, proof=self.prove())

    def without_substeps(self) -> Derivation:
        """The main steps alone."""
        return replace(self, steps=tuple(replace(step, substeps=()) for step in self.steps))

    def script(self, style: str) -> Script:
        return script_of(style, self.taken, self.aliases)

    def legend(self, script: Script) -> list[str]:
        """c₁₂ = cos(θ₁ + θ₂), …"""
        trees = [tree for _, equation in self.equations() for tree in equation.entries]
        short = [x for x in leaves(trees) if isinstance(x, Trig) and trig_name(x) and trig_name(x) not in self.taken]
        pairs = {script.trig(x): script.long_trig(x.op, script.angle(x.angle)) for x in short}
        equals = script.notation(" = ")
        return [f"{name}{equals}{long}" for name, long in pairs.items()]

    # set

    def __repr__(self) -> str:
        return f"<derivation of the {self.topic} of {self.robot}: {len(self.steps)} steps; print(…) shows them>"

    def __str__(self) -> str:
        return self.text()

    def text(self, told: Told = same) -> str:
        return "\n".join(_text_lines(self, told))

    def latex(self, told: Told = same) -> str:
        """Sections and displays; needs the package amsmath."""
        script = self.script("latex")
        parts = [rf"\section*{{{self.title.sentence(script, told)}}}", *(x.sentence(script, told) for x in self.says)]
        for number, step in self.all_steps():
            depth = "sub" * min(2, 1 + number.count("."))
            parts.append(rf"\{depth}section*{{{number}. {step.title.sentence(script, told)}}}")
            parts += [x.sentence(script, told) for x in step.says]
            parts += [
                f"\\[\n\\begin{{aligned}}\n{rows}\n\\end{{aligned}}\n\\]" for rows in _displays(step, script, " \\\\\n")
            ]
            parts += [x.sentence(script, told) for x in step.remarks]
        legend = self.legend(script)
        parts += ["$" + "$, $".join(legend) + "$."] if legend else []
        return "\n\n".join([*parts, *([script.words(told(self.proof))] if self.proof else [])])

    def typst(self, told: Told = same, level: int = 1) -> str:
        """Headings, from this level on, and displays of Typst."""
        script = self.script("typst")
        parts = [f"{'=' * level} {self.title.sentence(script, told)}", *(x.sentence(script, told) for x in self.says)]
        for number, step in self.all_steps():
            parts.append(f"{'=' * (level + 1 + number.count('.'))} {number} {step.title.sentence(script, told)}")
            parts += [x.sentence(script, told) for x in step.says]
            parts += [f"$ {rows} $" for rows in _displays(step, script, " \\\n  ")]
            parts += [x.sentence(script, told) for x in step.remarks]
        legend = self.legend(script)
        parts += ["$" + "$, $".join(legend) + "$."] if legend else []
        return "\n\n".join([*parts, *([script.words(told(self.proof))] if self.proof else [])])

    def html(self, told: Told = same, level: int = 2) -> str:
        """A part of a page: MathML, steps that fold; no script."""
        script = self.script("html")
        head = f"<h{level}>{self.title.sentence(script, told)}</h{level}>"
        words = "".join(f"<p>{x.sentence(script, told)}</p>" for x in self.says)
        steps = "".join(
            _html_step(number, step, script, told) for number, step in _numbered(self.steps, "", deep=False)
        )
        legend = "".join(f"<span><math>{one}</math></span> " for one in self.legend(script))
        below = f'<p class="legend">{legend}</p>' if legend else ""
        proof = f'<p class="proof">{escape(told(self.proof))}</p>' if self.proof else ""
        return f'<div class="derivation">{head}{words}{steps}{below}{proof}</div>'

    def page_parts(self) -> dict[str, object]:
        """For a page that lays out the steps itself: sentences as messages, formulas in MathML."""
        script = self.script("html")

        def parts(steps: Sequence[LessonStep], lead: str) -> list[dict[str, Any]]:
            return [
                {"number": number, "title": step.title.sentence(script, same),
                 "says": [x.sentence(script, same) for x in step.says],
                 "equations": [html_equation(x, script) for x in step.equations], "folded": step.folded,
                 "remarks": [x.sentence(script, same) for x in step.remarks],
                 "steps": parts(step.substeps, f"{number}.")}
                for number, step in _numbered(steps, lead, deep=False)
            ]  # fmt: skip

        return {
            "title": self.title.sentence(script, same), "says": [x.sentence(script, same) for x in self.says],
            "steps": parts(self.steps, ""), "legend": [script.inline(one) for one in self.legend(script)],
        }  # fmt: skip

    def _repr_html_(self) -> str:
        return f"<style>{STYLE}</style>{self.html()}"

    def _repr_latex_(self) -> str:
        return self.latex()

    def as_dict(self) -> dict[str, object]:
        """Plain data: every formula as text and as LaTeX."""
        plain, paper = self.script("text"), self.script("latex")

        def one(step: LessonStep, number: str) -> dict[str, Any]:
            below = _numbered(step.substeps, f"{number}.", deep=False)
            return {
                "number": number,
                "title": step.title.sentence(plain, same),
                "says": [x.sentence(plain, same) for x in step.says],
                "equations": [
                    {"text": "\n".join(text_equation(x, plain)), "latex": " \\\\ ".join(paper_rows(x, paper))}
                    for x in step.equations
                ],
                "remarks": [x.sentence(plain, same) for x in step.remarks],
                "folded": step.folded,
                "steps": [one(x, n) for n, x in below],
            }

        return {
            "robot": self.robot,
            "topic": self.topic,
            "title": self.title.sentence(plain, same),
            "says": [x.sentence(plain, same) for x in self.says],
            "where": self.legend(plain),
            "proof": str(self.proof),
            "steps": [one(step, number) for number, step in _numbered(self.steps, "", deep=False)],
        }


def _numbered(steps: Sequence[LessonStep], lead: str, deep: bool = True) -> Iterator[tuple[str, LessonStep]]:
    for place, step in enumerate(steps, 1):
        yield f"{lead}{place}", step
        if deep:
            yield from _numbered(step.substeps, f"{lead}{place}.")


# in a terminal


def _text_lines(derivation: Derivation, told: Told) -> list[str]:
    script = derivation.script("text")
    lines = [derivation.title.sentence(script, told)]
    lines += [row for x in derivation.says for row in wrap_columns(x.sentence(script, told), "")]
    for number, step in derivation.all_steps():
        inner = INDENT * (1 + number.count("."))
        head = wrap_columns(f"{number}. {step.title.sentence(script, told)}", inner[len(INDENT) :])
        lines += ["", *head, *(row for x in step.says for row in wrap_columns(x.sentence(script, told), inner))]
        above = False
        for equation in step.equations:
            rows = text_equation(equation, script, COLUMNS - len(inner))
            lines += [""] if above and len(rows) > 1 else []  # two matrices need air between them
            lines += [inner + row for row in rows]
            above = len(rows) > 1
        lines += [row for x in step.remarks for row in wrap_columns(x.sentence(script, told), inner)]
    legend = legend_lines(derivation.legend(script), told("with"))
    proof = wrap_columns(told(derivation.proof), "") if derivation.proof else []
    return [*lines, *([""] if legend or proof else []), *legend, *proof]


ROWS = 24  # of one display: LaTeX breaks no page inside one


def _displays(step: LessonStep, script: Script, between: str) -> list[str]:
    rows = [row for equation in step.equations for row in paper_rows(equation, script)]
    return [between.join(rows[k : k + ROWS]) for k in range(0, len(rows), ROWS)]


# on a page

STYLE = """
.derivation { line-height: 1.5; }
.derivation details { border-left: 3px solid #8884; padding: .1rem 0 .1rem .8rem; margin: .5rem 0; }
.derivation summary { cursor: pointer; font-weight: 600; }
.derivation p { margin: .3rem 0; }
.derivation .eq { margin: .45rem 0 .45rem .6rem; overflow-x: auto; overflow-y: hidden; padding: .15rem 0; }
.derivation math { font-size: 1.06em; }
.derivation mtd { padding: .15em .45em; }
math mtable { padding: 0 .25em; margin: 0 .15em; --ink: linear-gradient(currentColor, currentColor); background:
  var(--ink) left / 1.5px 100%, var(--ink) right / 1.5px 100%, var(--ink) left top / 5px 1.5px,
  var(--ink) left bottom / 5px 1.5px, var(--ink) right top / 5px 1.5px, var(--ink) right bottom / 5px 1.5px;
  background-repeat: no-repeat; }
.derivation .legend span { margin-right: 1em; display: inline-block; }
.derivation .proof { color: #2a6f3a; }
@media (prefers-color-scheme: dark) { .derivation .proof { color: #8fd19e; } }
@media print { .derivation .eq { overflow: visible; } }
"""


def _html_step(number: str, step: LessonStep, script: Script, told: Told) -> str:
    inside = "".join(f"<p>{x.sentence(script, told)}</p>" for x in step.says)
    inside += "".join(html_equation(x, script) for x in step.equations)
    inside += "".join(f"<p>{x.sentence(script, told)}</p>" for x in step.remarks)
    inside += "".join(
        _html_step(place, below, script, told) for place, below in _numbered(step.substeps, f"{number}.", deep=False)
    )
    opened = "" if step.folded else " open"
    return f"<details{opened}><summary>{number}. {step.title.sentence(script, told)}</summary>{inside}</details>"
