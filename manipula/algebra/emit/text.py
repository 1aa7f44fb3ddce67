"""Expressions as text: one table of spellings per language, and the fewest parentheses that keep the tape's order.

Floating-point sums and products do not associate, so a + (b + c) keeps its parentheses; −(a·b) and (−a)·b round alike,
so the sign stands in front bare.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isinf, isnan

from manipula.algebra.program import tree
from manipula.algebra.tape import Tape
from manipula.errors import InputError
from manipula.scalar import APART, OPS
from manipula.scalar import ARITHMETIC as OPERATORS

LOOSE, SUM, PRODUCT, SIGN, ATOM = range(5)


@dataclass(frozen=True)
class Text:
    """A piece of an expression and how strongly it holds together."""

    text: str
    strength: int = ATOM

    def within(self, needed: int) -> str:
        return self.text if self.strength >= needed else f"({self.text})"


@dataclass(frozen=True)
class Spelling:
    """How an operation is written: the form, the strength of the result, the strength each argument needs."""

    form: str
    strength: int
    needs: tuple[int, ...]

    def __call__(self, args: Sequence[Text]) -> Text:
        parts = (x.within(need) for x, need in zip(args, self.needs, strict=True))
        return Text(self.form.format(*parts), self.strength)


@dataclass(frozen=True)
class Infix(Spelling):
    """a + b, where a sign right behind another operator is bracketed: `a*-b` is no Fortran, and `a -b` a difference."""

    def __call__(self, args: Sequence[Text]) -> Text:
        left, right = (x.within(need) for x, need in zip(args, self.needs, strict=True))
        return Text(self.form.format(left, f"({right})" if right.startswith("-") else right), self.strength)


class Negation:
    """−x. A product keeps its strength behind the sign; two signs never touch (`--x` means something else in C)."""

    def __call__(self, args: Sequence[Text]) -> Text:
        (inner,) = args
        if inner.strength < PRODUCT or inner.text.startswith("-"):
            return Text(f"-({inner.text})", SIGN)
        return Text(f"-{inner.text}", min(inner.strength, SIGN))


def call(name: str, arity: int) -> Spelling:
    """name(x, y)"""
    return Spelling(f"{name}({', '.join(['{}'] * arity)})", ATOM, (LOOSE,) * arity)


Table = Mapping[str, Callable[[Sequence[Text]], Text]]

DECIDING = ("sign", "min", "max", "less", "select")  # what few libraries decide as we do, NaN and zeros included
GUARDED = tuple(op.name for op in OPS.values() if op.guarded)
LIBRARY = tuple(op for op in OPS if op not in (*OPERATORS, *DECIDING, *GUARDED, APART))  # a call of the language's own


def calls(names: Mapping[str, str]) -> Table:
    """Operation → call of the function of that name."""
    return {op: call(name, OPS[op].arity) for op, name in names.items()}


ARITHMETIC: Table = {
    "add": Spelling("{} + {}", SUM, (SUM, PRODUCT)),
    "sub": Spelling("{} - {}", SUM, (SUM, PRODUCT)),
    "mul": Spelling("{}*{}", PRODUCT, (PRODUCT, SIGN)),
    "div": Spelling("{}/{}", PRODUCT, (PRODUCT, SIGN)),
    "neg": Negation(),
}
# where a sign stands behind no other operator
SIGNS_APART: Table = {
    "add": Infix("{} + {}", SUM, (SUM, PRODUCT)),
    "sub": Infix("{} - {}", SUM, (SUM, PRODUCT)),
    "mul": Infix("{}*{}", PRODUCT, (PRODUCT, SIGN)),
    "div": Infix("{}/{}", PRODUCT, (PRODUCT, SIGN)),
    "neg": Negation(),
}


@dataclass(frozen=True)
class Language:
    """What the writers need to know of a language."""

    table: Table
    reserved: frozenset[str]
    infinity: str
    not_a_number: str
    literal: str = "{}"  # how a number is given the type of the variables
    tolerance: str = "{}"  # how a number is written that is another one (the second) in single precision

    def number(self, value: float) -> Text:
        """The shortest decimal that reads back as the same double."""
        word = self.not_a_number if isnan(value) else self.infinity if isinf(value) else repr(abs(value))
        # −0.0 is not below zero, but has a sign to keep
        negative = not isnan(value) and (value < 0 or repr(value).startswith("-"))
        text = self.literal.format(word)
        return Text(f"-{text}", SIGN) if negative else Text(text)

    def constants(self, tape: Tape) -> dict[int, Text]:
        """The numbers of a tape, by slot."""
        single = dict(tape.single)
        return {slot: self._tolerance_text(value, single.get(slot)) for slot, value in tape.constants}

    def _tolerance_text(self, double: float, single: float | None) -> Text:
        if single is None or self.tolerance == "{}":
            return self.number(double)
        return Text(self.tolerance.format(repr(double), repr(single)))


# Expressions of a program as source text: signs, brackets, forms of operations, names.
#
# Languages without complex numbers have functions of pairs, in an arithmetic that all languages share.

SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "quotient": "/", "remainder": "%", "lt": "<", "le": "<=", "gt": ">",
    "ge": ">=", "eq": "==", "ne": "!=", "and": "&&", "or": "||", "bit_and": "&", "bit_or": "|", "bit_xor": "^",
    "shl": "<<", "shr": ">>",
}  # fmt: skip
FLOORED = {"idiv": "quotient", "mod": "remainder"}  # rounded down → what it is where nothing is negative


@dataclass(frozen=True)
class Pair:
    """A function of complex numbers: its parameters (x is real), a number computed first, the result's parts."""

    parameters: str
    first: tuple[str, str] | None
    result: tuple[str, ...]


PAIRS = {
    "number": Pair("re im", None, ("re", "im")),
    "add": Pair("a b", None, ("a.re + b.re", "a.im + b.im")),
    "sub": Pair("a b", None, ("a.re - b.re", "a.im - b.im")),
    "mul": Pair("a b", None, ("(a.re * b.re) - (a.im * b.im)", "(a.re * b.im) + (a.im * b.re)")),
    "div": Pair(
        "a b", ("d", "(b.re * b.re) + (b.im * b.im)"),
        ("((a.re * b.re) + (a.im * b.im)) / d", "((a.im * b.re) - (a.re * b.im)) / d"),
    ),
    "scale": Pair("x a", None, ("x * a.re", "x * a.im")),
    "neg": Pair("a", None, ("-a.re", "-a.im")),
    "abs": Pair("a", None, ("sqrt((a.re * a.re) + (a.im * a.im))",)),
    "sin": Pair(
        "a", ("e", "exp(a.im)"), ("sin(a.re) * 0.5 * (e + (1.0 / e))", "cos(a.re) * 0.5 * (e - (1.0 / e))")
    ),
    "cos": Pair(
        "a", ("e", "exp(a.im)"), ("cos(a.re) * 0.5 * (e + (1.0 / e))", "-sin(a.re) * 0.5 * (e - (1.0 / e))")
    ),
}  # fmt: skip


class ExpressionWriter(ABC):
    """How a language writes a value. Names are the program's, which its writer gives."""

    reserved: frozenset[str] = frozenset()
    signs: Mapping[str, str] = SIGNS
    forms: Mapping[str, str] = {}  # by "operation kind", or by the operation alone
    strict = True  # keywords are no members of structs
    no_pairs = False  # complex numbers are the language's own

    called: Mapping[str, str]  # routines, tables and structs by the names they have here
    straight: Mapping[str, str]  # tapes likewise
    local: Mapping[str, str]  # variables of the routine in hand
    used: dict[str, None]  # forms in use, in order
    sign: tree.Signs | None  # what is known to be never negative

    def bare(self, x: tree.Expr) -> str:
        """Without the outermost brackets."""
        text = self.write(x)
        if not isinstance(x, tree.ProgramOp) or x.kind == "complex" or not plain(x):
            return text
        outermost = self.sign_text(x) or x.name in ("choose", "select")
        # an argument or an assigned value needs no brackets around all of it
        return text[1:-1] if outermost and text.startswith("(") and text.endswith(")") else text

    def sign_text(self, x: tree.Expr) -> str:
        """The sign an operation is written with, if it is."""
        if not isinstance(x, tree.ProgramOp) or self.form(x) is not None:
            return ""
        return self.signs.get(self.plain_name(x), "")

    def plain_name(self, x: tree.ProgramOp) -> str:
        """The machine's own division where nothing is negative."""
        assert self.sign is not None
        return FLOORED[x.name] if x.name in FLOORED and self.sign.plain(x) else x.name

    def form(self, x: tree.ProgramOp) -> str | None:
        name = self.plain_name(x)
        # the most special form first
        for key in (f"{name} {x.kind}", f"{name} from {x.args[0].kind}", name):
            if key in self.forms:
                self.used[key] = None
                return self.forms[key]
        return None

    def write(self, x: tree.Expr) -> str:
        match x:
            case tree.Const(kind, value):
                return self.constant(kind, value)
            case tree.ConstantTable(_, name):
                return self.called[name]
            case tree.Var(_, name):
                return self.local[name]
            case tree.Field():
                return self.member(x)
            case tree.ArrayItem():
                return self.item(x)
            case tree.RoutineCall(_, routine, args):
                return f"{self.called[routine]}({', '.join(map(self.bare, args))})"
            case tree.CallTape(_, name, half, args):
                full = self.straight[name] + ("_prepare" if half == "prepare" else "")
                return f"{full}({', '.join(map(self.bare, args))})"
            case tree.ProgramOp():
                return self.operation(x)

    @abstractmethod
    def constant(self, kind: tree.Kind, value: float) -> str: ...

    def member(self, x: tree.Field) -> str:
        return f"{self.local[x.struct.name]}.{self.member_name(x.name)}"

    def member_name(self, member: str) -> str:
        """A member's name, unless that is a keyword where keywords may not follow a dot."""
        return f"{member}_" if member in self.reserved and self.strict else member

    def item(self, x: tree.ArrayItem) -> str:
        return f"{self.write(x.array)}[{self.bare(x.index)}]"

    def operation(self, x: tree.ProgramOp) -> str:
        if x.name in PAIRS and not real_only(x) and not self.no_pairs:
            return f"{self.pair_call(x.name)}({', '.join(map(self.bare, x.args))})"
        form, words = self.form(x), [self.write(arg) for arg in x.args]
        if form is not None:
            return form.format(*words, *(["?"] * 3), bare=[self.bare(arg) for arg in x.args])
        sign = self.sign_text(x)
        if not sign:
            raise InputError("{name}: no form for the operation {name2} of {kind}", type(self).__name__, x.name, x.kind)
        return f"({words[0]} {sign} {words[1]})"

    def pair_call(self, name: str) -> str:
        return f"pair_{name}"


def number(value: float, infinity: str, nothing: str) -> str:
    """The shortest decimal that reads back as the same number."""
    if isnan(value):
        return nothing
    if isinf(value):
        return infinity if value > 0 else f"(-{infinity})"
    return repr(float(value))


def plain(x: tree.ProgramOp) -> bool:
    return not any(arg.kind == "complex" for arg in x.args)


def real_only(x: tree.ProgramOp) -> bool:
    return x.kind != "complex" and plain(x)
