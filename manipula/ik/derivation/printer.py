"""A derivation in print: for the terminal, as plain text for machines, in LaTeX and in Typst."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from manipula.algebra.show.notation import Signed
from manipula.algebra.show.paper import Latex, Typst, typst_string
from manipula.algebra.show.printer import GREEK, SUBSCRIPTS, Unicode
from manipula.algebra.simplify.tree import FormulaTree
from manipula.messages import Message, join_messages, places_of

# How a derivation's formulas are set: the styles of `algebra.show` with its own letters, and ±.


@dataclass(frozen=True)
class Label:
    """How a symbol is set: θ and 1, u and x."""

    letter: str
    place: str


class Text(Signed):
    """Plain text, and the base of the others."""

    def __init__(self, labels: Mapping[str, Label]) -> None:
        super().__init__()
        self.labels = labels

    def label(self, label: Label) -> str:
        return label.letter + label.place

    def words(self, text: str) -> str:
        """What is outside formulas."""
        return text

    def formula(self, text: str) -> str:
        """A formula among words."""
        return text

    def inline(self, tree: FormulaTree) -> str:
        return self.formula(self.text(tree))

    def name(self, text: str) -> str:
        return self.label(self.labels[text]) if text in self.labels else super().name(text)


class Terminal(Text, Unicode):
    def label(self, label: Label) -> str:
        return GREEK.get(label.letter, label.letter) + label.place.replace("m", "₋").translate(SUBSCRIPTS)

    def call(self, op: str, args: Sequence[str]) -> str:
        return f"√({args[0]})" if op == "sqrt" else super().call(op, args)


class Paper(Text, Latex):
    plus_minus, minus_plus = r"\pm ", r"\mp "
    signs = str.maketrans({"±": r"$\pm$", "≤": r"$\le$", "≠": r"$\ne$", "_": r"\_", "&": r"\&", "%": r"\%", "#": r"\#"})

    def label(self, label: Label) -> str:
        letter = "\\" + label.letter if label.letter in GREEK else label.letter
        return letter + (f"_{{{label.place.replace('m', '-')}}}" if label.place else "")

    def words(self, text: str) -> str:
        return re.sub(r"\b[pMREF]\b", r"$\g<0>$", text.translate(self.signs))

    def formula(self, text: str) -> str:
        return f"${text}$"

    def display(self, rows: Sequence[str]) -> str:
        """Formulas by themselves, aligned."""
        return f"\\[\n{self.align_rows(rows)}\n\\]"


class Sheet(Text, Typst):
    """Typst, where everything that is no formula is a string."""

    plus_minus, minus_plus = "plus.minus ", "minus.plus "

    def label(self, label: Label) -> str:
        letter = label.letter if label.letter in GREEK or len(label.letter) == 1 else typst_string(label.letter)
        return letter + self.index(label.place.replace("m", "-"))

    def words(self, text: str) -> str:
        """Marks of Typst's as letters; {0} stays a place."""
        return re.sub(r"\b[pMREF]\b", r"$\g<0>$", re.sub(r"[\\#$*_`<>@\[\]~\"/=+-]", r"\\\g<0>", text))

    def formula(self, text: str) -> str:
        return f"${text}$"

    def display(self, rows: Sequence[str]) -> str:
        return self.align_rows(rows)


class InverseSentence(NamedTuple):
    """Words with places {0} {1} … for formulas."""

    words: str
    parts: tuple[FormulaTree, ...] = ()


class InverseLine(NamedTuple):
    """left = right: a definition, an equation that holds, or the solution of one."""

    left: FormulaTree
    right: FormulaTree
    kind: str


@dataclass(frozen=True)
class DerivationStep:
    """Finds one coordinate (the first step none). `lines` are equations, and words between them."""

    title: InverseSentence
    finds: FormulaTree | None
    role: str
    lines: tuple[InverseLine | InverseSentence, ...]
    roots: InverseSentence | None = None
    singular: InverseSentence | None = None

    @property
    def equations(self) -> tuple[InverseLine, ...]:
        """The lines without the words."""
        return tuple(line for line in self.lines if isinstance(line, InverseLine))


@dataclass(frozen=True, repr=False)
class InverseDerivation:
    """The steps of a closed form. Prints itself; `latex()` for paper; typeset in a notebook."""

    robot: str
    title: str
    why: str
    roles: tuple[str, ...]
    given: str  # what a redundant arm must be given
    dof: int
    added: int  # axes that an arm of few joints is solved with
    steps: tuple[DerivationStep, ...]
    labels: Mapping[str, Label] = field(repr=False)
    task: str = "pose"  # or "position"

    def __repr__(self) -> str:
        return f"<derivation for {self.robot}: {self.title}, {len(self.steps)} steps; print(…) shows them>"

    def __str__(self) -> str:
        style = Terminal(self.labels)
        return "\n\n".join(["\n".join(self._head(style)), *("\n".join(_lines(x, style)) for x in self._steps(style))])

    def latex(self) -> str:
        """Paragraphs and displays; needs the package amsmath."""
        style = Paper(self.labels)
        return "\n\n".join([" ".join(self._head(style)), *(_paragraph(x, style) for x in self._steps(style))])

    def typst(self) -> str:
        """Paragraphs and displays of Typst."""
        style = Sheet(self.labels)
        steps = (re.sub(r"^(\d+\.) ", r"*\1* ", _paragraph(x, style)) for x in self._steps(style))
        return "\n\n".join([" ".join(self._head(style)), *steps])

    def _repr_latex_(self) -> str:
        return self.latex()

    def _repr_markdown_(self) -> str:
        """For a notebook: there LaTeX has no paragraphs."""
        parted = re.sub(r"^(\d+\.) (.*)$", r"**\1** \2", self.latex(), flags=re.MULTILINE)
        return parted.replace("\\[\n", "\n$$\n").replace("\n\\]", "\n$$\n")

    def as_dict(self, latex: bool = False) -> dict[str, Any]:
        """Everything, formulas as plain text, or as LaTeX, which stands between $ in the words."""
        style = Paper(self.labels) if latex else Text(self.labels)
        return {
            "robot": self.robot,
            "task": self.task,
            "class": Message(self.title),
            "why": Message(self.why),
            "roles": list(map(Message, self.roles)),
            "free": Message(self.given) if self.given else None,
            "letters": self._letters(style),
            "steps": [_as_dict(step, style) for step in self.steps],
        }

    # the head

    def _head(self, style: Text) -> list[str]:
        lines = [
            f"{self.robot}: {self.title}.",
            f"{self.why[:1].upper()}{self.why[1:]}.",
            self._branches(),
            *self.few(),
        ]
        return [style.words(line) for line in lines] + [self._letters(style), *self._offsets(style)]

    def _offsets(self, style: Text) -> Iterator[str]:
        """θ₀₂ is the offset of θ₂."""
        for label in self.labels.values():
            if label.place.startswith("0"):
                pair = (label, Label(label.letter, label.place[1:]))
                yield Message(
                    "{offset} is the offset of {own} in the table.", *(style.formula(style.label(x)) for x in pair)
                )

    def _branches(self) -> Message:
        each = Message(" for each value of the free parameter ({given})", self.given) if self.given else ""
        if not self.roles:
            return Message("One branch{each}.", each)
        choices = join_messages(", ", (Message("{role} ±", Message(role)) for role in self.roles))
        return Message(
            "{count} branches{each}: {choices}; the upper sign is that of +.", 2 ** len(self.roles), each, choices
        )

    def few(self) -> list[Message]:
        """What an arm of few joints reaches: few poses, or points."""
        names = [str(self.dof + i + 1) for i in range(self.added)]
        if self.dof >= (3 if self.task == "position" else 6):
            return []
        if self.task == "position":
            template = "With {dof} joints the arm reaches the points of a surface; the answers hold for these."
            return [Message(template, self.dof)]
        if not names:
            found = [Message("With {dof} joints the arm reaches few poses; the answers hold for these.", self.dof)]
            return found + ([Message("Its position alone may leave more.")] if self.dof < 4 else [])
        if len(names) == 1:
            template = "Axis {axis} is not in the arm: the arm reaches the poses where its coordinate comes out as 0."
            return [Message(template, names[0])]
        template = (
            "Axes {axes} and {last} are not in the arm: it reaches the poses where their coordinates come out as 0."
        )
        return [Message(template, ", ".join(names[:-1]), names[-1])]

    def _letters(self, style: Text) -> str:
        """The letters of the pose and of the joints."""
        letter = self.labels[f"q{self.dof + 1}"].letter
        first, second = (style.label(Label(letter, place)) for place in "12")
        place = self.task == "position"
        template = (
            "{place} is the tool's position" if place else "{letters} are the tool's axes and {place} its position"
        )
        words = template + ", in the world; {c1} is {cos1}, {c12} is {cos12}."
        cos, of = style.short_trig("c1"), style.long_trig("cos", first)
        both, of_both = style.short_trig("c12"), style.long_trig("cos", f"{first} + {second}")
        pieces = [style.formula(x) for x in ("n, o, a", "t", cos, of, both, of_both)]
        return Message(words, *pieces[place:])

    def _steps(self, style: Text) -> Iterator[tuple[str, DerivationStep]]:
        """Every step with its heading."""
        for number, step in enumerate(self.steps, 1):
            role = style.words(f" ({step.role} ±)") if step.role else ""
            head = f"{style.inline(step.finds)}{role}. " if step.finds is not None else ""
            yield f"{number}. {head}{_fill_sentence(step.title, style)}.", step


def _fill_sentence(sentence: InverseSentence, style: Text) -> Message:
    return _said(sentence.words, list(map(style.inline, sentence.parts)), style)


def _said(words: str, formulas: Sequence[str], style: Text) -> Message:
    return fill_places(words, formulas, style.words)


def fill_places(words: str, formulas: Sequence[str], set_words: Callable[[str], str]) -> Message:
    """The words in a style; formulas are places like any other, by their numbers."""
    message = Message(words)
    # the words are set before the formulas go in: a formula's own marks must not be escaped
    template = set_words(message.template.replace("{{", "{").replace("}}", "}"))
    values = {str(number): formula for number, formula in enumerate(formulas)}
    for name, value in message.fields.items():
        plain = set_words(value).format(*formulas)
        values[name] = fill_places(value, formulas, set_words) if isinstance(value, Message) else plain
    return Message(template, *(values[place] for place in places_of(template)))


def _remarks(step: DerivationStep, style: Text) -> list[str]:
    remarks = (("Roots", step.roots), ("Singular", step.singular))
    return [f"{word}: {_fill_sentence(sentence, style)}." for word, sentence in remarks if sentence is not None]


# text


def _lines(numbered: tuple[str, DerivationStep], style: Text) -> list[str]:
    head, step = numbered
    own = [_line(line, style) if isinstance(line, InverseLine) else _fill_sentence(line, style) for line in step.lines]
    return [head, *(f"     {line}" for line in own), *(f"   {line}" for line in _remarks(step, style))]


def _line(line: InverseLine, style: Text, relation: str = " = ") -> str:
    return style.text(line.left) + relation + style.text(line.right)


def _as_dict(step: DerivationStep, style: Text) -> dict[str, Any]:
    def line_dict(line: InverseLine | InverseSentence) -> dict[str, str]:
        if isinstance(line, InverseSentence):
            return {"words": _fill_sentence(line, style)}
        return {"kind": line.kind, "left": style.text(line.left), "right": style.text(line.right)}

    return {
        "finds": None if step.finds is None else style.text(step.finds),
        "choice": Message(step.role) if step.role else None,
        "why": _fill_sentence(step.title, style),
        "lines": [line_dict(line) for line in step.lines],
        "roots": None if step.roots is None else _fill_sentence(step.roots, style),
        "singular": None if step.singular is None else _fill_sentence(step.singular, style),
    }


# on paper


def _paragraph(numbered: tuple[str, DerivationStep], style: Paper | Sheet) -> str:
    head, step = numbered
    parts = [head]
    for words, lines in groupby(step.lines, lambda line: isinstance(line, InverseSentence)):
        if words:
            parts += [_fill_sentence(line, style) for line in lines if isinstance(line, InverseSentence)]
        else:
            parts.append(style.display([_line(line, style, " &= ") for line in lines if isinstance(line, InverseLine)]))
    return "\n".join([*parts, *_remarks(step, style)])
