"""LaTeX: the auxiliary equations of a function as a document, with units, orders, conditions and a state to check."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from manipula.algebra.emit import text
from manipula.algebra.emit.about import Context, Readme, cost_text, fill_template, readme
from manipula.algebra.emit.ports import Argument, Namer, Split, ascii_text, identifier, split
from manipula.algebra.emit.reference import State, states
from manipula.algebra.emit.section import Section, SectionPlan, Statement, section
from manipula.algebra.expr.function import Cost
from manipula.algebra.show.paper import Latex
from manipula.algebra.tape import Tape, offline_needed
from manipula.scalar import APART, OPS
from manipula.scalar import ARITHMETIC as OPERATORS

# LaTeX: how each operation is set, and the names of the equations as mathematics.


def _function(form: str, arity: int) -> text.Spelling:
    return text.Spelling(form, text.ATOM, (text.LOOSE,) * arity)


def _function_spelling(op: str) -> text.Spelling:
    """\\sin(x), \\operatorname{atan2}(y, x)"""
    word = OPS[op].words.get("latex", rf"\operatorname{{{op}}}").replace("{", "{{").replace("}", "}}")
    return text.call(word, OPS[op].arity)


class Mathematics(text.Language):
    """Numbers as they are printed: 2, 0.5, 1.5 times a power of ten."""

    def number(self, value: float) -> text.Text:
        plain = super().number(value)
        digits = re.sub(r"\.0$", "", plain.text)
        power = re.fullmatch(r"(-?)([\d.]+)e([+-]?)0*(\d+)", digits)
        if power is None:
            return text.Text(digits, plain.strength)
        # 1e-07 is 10^{-7} on paper
        exponent = power[3].replace("+", "") + power[4]
        return text.Text(rf"{power[1]}{power[2]} \cdot 10^{{{exponent}}}", text.PRODUCT)


LANGUAGE = Mathematics(
    {
        **text.SIGNS_APART,
        "mul": text.Infix(r"{} \, {}", text.PRODUCT, (text.PRODUCT, text.ATOM)),
        "div": _function(r"\frac{{{}}}{{{}}}", 2),
        **{op: _function_spelling(op) for op in OPS if op not in (*OPERATORS, APART)},
        "sqrt": _function(r"\sqrt{{{}}}", 1),
    },
    frozenset(),
    r"\infty",
    r"\mathrm{NaN}",
)


class Symbols:
    """The tape's names, set: c_{23}, \\ddot{q}_{1}; two that would look alike get a prime."""

    def __init__(self, tape: Tape) -> None:
        printer, taken = Latex(), set[str]()
        self.words: list[str] = []
        for name in tape.names:
            word = printer.name(identifier(name))
            # q_d1 and qd1 may be set alike
            while word in taken:
                word += "'"
            taken.add(word)
            self.words.append(word)
        self.free = [re.fullmatch(r"D\d+", name) is not None for name in tape.names]

    def name(self, slot: int) -> str:
        return self.words[slot]

    def anonymous(self, slot: int) -> bool:
        return self.free[slot]


_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
}  # fmt: skip


class LatexDocument:
    """The back end."""

    def emit(self, tape: Tape, version: str, samples: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, str]:
        name = Namer(()).name(tape.name)
        arguments = split(tape, Namer(()))
        document = _context(tape, name, version, arguments, states(tape, samples)[0])
        return {
            f"{name}.tex": fill_template(__name__, "document.tex.jinja", document),
            f"README_{name}_latex.md": readme(tape, name, version, arguments, _readme(name)),
        }


def _context(tape: Tape, name: str, version: str, arguments: Split, state: State) -> Context:
    symbols = Symbols(tape)
    before, after = _sections(tape, arguments, symbols)
    inputs = [*arguments.variables, *(arguments.parameters if arguments.kept else ())]
    offline = tape.cost.offline
    return {
        "name": escape_latex(name),
        "version": escape_latex(version),
        "notes": {escape_latex(key): escape_latex(text) for key, text in sorted(tape.provenance.texts().items())},
        "cost": escape_latex(cost_text(tape.cost)),
        "offline_cost": escape_latex(cost_text(offline)) if offline is not None and offline != Cost() else "",
        "inputs": [(_describe_argument(x), [symbols.name(slot) for slot in x.port.slots]) for x in inputs],
        "outputs": [_describe_argument(x) for x in arguments.outputs],
        "once": [*before.body, *(x for x in before.stores if x.name != x.text)],
        "conditions": [escape_latex(str(check.words)) for check in arguments.checks],
        "always": after.body,
        "results": after.stores,
        "given": [_values(x, state.inputs) for x in inputs],
        "wanted": [_values(x, state.outputs) for x in arguments.outputs],
    }


def _sections(tape: Tape, arguments: Split, symbols: Symbols) -> tuple[Section, Section]:
    """What parameters alone decide, and the rest."""
    # in print inputs are not loaded: their symbols stand in the equations
    own = {slot: symbols.name(slot) for port in tape.inputs for slot in port.slots}
    needed = offline_needed(tape)
    first = SectionPlan(own, tape.offline, [(symbols.name(slot), slot) for slot in needed])
    kept = {slot: symbols.name(slot) for slot in needed}
    printer = Latex()
    results = [
        (printer.entry(x.port.name, [index + 1 for index in x.entry(i)]), slot)
        for x in arguments.outputs
        for i, slot in enumerate(x.port.slots)
    ]
    before = section(first, LANGUAGE.constants(tape), LANGUAGE, symbols)
    after = section(SectionPlan(own | kept, tape.online, results), LANGUAGE.constants(tape), LANGUAGE, symbols)
    return before, after


def escape_latex(text: str) -> str:
    """Plain words that LaTeX does not read as commands."""
    return "".join(_SPECIAL.get(letter, letter) for letter in ascii_text(text))


def _describe_argument(argument: Argument) -> str:
    """q (6), in rad: joint positions"""
    port = argument.port
    shape = r" $\times$ ".join(map(str, port.shape))
    size = f" ({shape})" if shape else ""
    unit = f", in {escape_latex(port.unit)}" if port.unit else ""
    return f"{escape_latex(port.name)}{size}{unit}{': ' + escape_latex(port.doc) if port.doc else ''}"


def _values(argument: Argument, values: Mapping[str, Sequence[float]]) -> Statement:
    numbers = ", ".join(f"${LANGUAGE.number(x).text}$" for x in values[argument.port.name])
    return Statement(re.sub(r"\s+", " ", escape_latex(argument.port.name)), numbers)


def _readme(name: str) -> Readme:
    return Readme(
        "LaTeX document",
        "latex",
        {f"{name}.tex": "the auxiliary equations, in the order they are computed"},
        rf"\documentclass{{article}} % {name}.tex needs amsmath and geometry",
        rf"\input{{{name}}} % or compile it alone",
        f"pdflatex {name}.tex",
        verdict="The document ends with a state and its true values: what is programmed from it must agree.",
    )
