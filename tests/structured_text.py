"""A subset of Structured Text, interpreted by IEC 61131-3: declared types, checked bounds, no recursion.

What it does not know it refuses: a name that is not declared, a type that does not fit, an index out of bounds, a name
that differs from another in capitals alone, LREAL mixed with REAL, a comment inside a comment.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, NamedTuple

import numpy as np

REALS, WHOLES = ("REAL", "LREAL"), ("INT", "DINT", "LINT")
WIDTHS = {"INT": 16, "DINT": 32, "LINT": 64}
ELEMENTARY = (*REALS, *WHOLES, "BOOL")
_WORDS = """
FUNCTION END_FUNCTION FUNCTION_BLOCK END_FUNCTION_BLOCK PROGRAM END_PROGRAM VAR VAR_INPUT VAR_OUTPUT VAR_IN_OUT VAR_TEMP
END_VAR CONSTANT ARRAY OF IF THEN ELSIF ELSE END_IF FOR TO BY DO END_FOR WHILE END_WHILE REPEAT UNTIL END_REPEAT CASE
END_CASE RETURN EXIT AND OR XOR NOT MOD TRUE FALSE TYPE STRUCT END_STRUCT END_TYPE EN ENO AT TASK STEP TRANSITION ACTION
RETAIN VAR_GLOBAL VAR_EXTERNAL STRING TIME DATE BYTE WORD DWORD POINTER REF_TO
"""
KEYWORDS = frozenset([*_WORDS.split(), *ELEMENTARY])


class RefusedText(Exception):
    """What a compiler would refuse, or a controller stop at."""


class Kind(NamedTuple):
    """A type: elementary, the name of a function block, or an array of an elementary one."""

    base: str
    bounds: tuple[tuple[int, int], ...] = ()

    @property
    def size(self) -> int:
        return prod(high - low + 1 for low, high in self.bounds)


BOOL, DINT, LITERAL_REAL, LITERAL_INT = Kind("BOOL"), Kind("DINT"), Kind("any real"), Kind("any int")

# tokens

_TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<real>\d[\d_]*\.\d[\d_]*(?:[eE][-+]?\d+)?)|(?P<int>\d[\d_]*)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign>:=|=>|<=|>=|<>|\*\*|\.\.|[-+*/=<>()\[\],;:.])",
    re.ASCII,
)


class Token(NamedTuple):
    kind: str
    text: str
    line: int


def tokens(text: str) -> list[Token]:
    """Names and keywords in capitals, as capitals do not count."""
    found: list[Token] = []
    at, line = 0, 1
    while at < len(text):
        if text.startswith("(*", at):
            end = text.find("*)", at + 2)
            if end < 0 or "(*" in text[at + 2 : end]:
                raise RefusedText(f"line {line}: a comment that does not end, or one inside another")
            line += text.count("\n", at, end)
            at = end + 2
            continue
        match = _TOKEN.match(text, at)
        if match is None:
            raise RefusedText(f"line {line}: {text[at : at + 20]!r}")
        kind, word = str(match.lastgroup), match[0]
        if kind == "name" and ("__" in word or word.endswith("_")):
            raise RefusedText(f"line {line}: {word} is not an identifier")
        if kind in ("real", "int") and re.match(r"\w", text[match.end() : match.end() + 1]):
            raise RefusedText(f"line {line}: {word}{text[match.end()]} is not a number")
        if kind != "space":
            found.append(Token(kind, word.upper() if kind == "name" else word, line))
        line += word.count("\n")
        at = match.end()
    return [*found, Token("end", "", line)]


# units of organisation: declarations, and a body still in tokens' order as trees


@dataclass(frozen=True)
class Variable:
    name: str
    kind: Kind
    section: str
    start: Any = None  # initial values, literals


@dataclass
class Unit:
    """A function, function block or program."""

    what: str
    name: str
    returns: Kind | None
    variables: dict[str, Variable] = field(default_factory=dict)
    body: list[Any] = field(default_factory=list)
    run: Callable[[list[Any]], None] | None = None

    def slots(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.variables)}

    def section(self, *sections: str) -> list[Variable]:
        return [x for x in self.variables.values() if x.section in sections]


class Parser:
    """Trees are tuples whose first entry says what they are."""

    def __init__(self, text: str) -> None:
        self.tokens, self.at = tokens(text), 0

    @property
    def now(self) -> Token:
        return self.tokens[self.at]

    def refuse(self, words: str) -> RefusedText:
        return RefusedText(f"line {self.now.line}: {words}, not {self.now.text!r}")

    def take(self, *texts: str) -> str:
        if self.now.text not in texts:
            raise self.refuse(f"expected {' or '.join(texts)}")
        self.at += 1
        return self.tokens[self.at - 1].text

    def has(self, *texts: str) -> bool:
        return self.now.text in texts

    def name(self) -> str:
        if self.now.kind != "name" or self.now.text in KEYWORDS:
            raise self.refuse("expected a name")
        self.at += 1
        return self.tokens[self.at - 1].text

    def units(self) -> Iterator[Unit]:
        while self.now.kind != "end":
            yield self.unit()

    def unit(self) -> Unit:
        what = self.take("FUNCTION", "FUNCTION_BLOCK", "PROGRAM")
        unit = Unit(what, self.name(), None)
        if what == "FUNCTION":
            self.take(":")
            unit.returns = self.kind()
            unit.variables[unit.name] = Variable(unit.name, unit.returns, "RESULT")
        while self.has("VAR", "VAR_INPUT", "VAR_OUTPUT"):
            section = self.take("VAR", "VAR_INPUT", "VAR_OUTPUT")
            if self.has("END_VAR"):
                raise self.refuse("expected a declaration")
            while not self.has("END_VAR"):
                self.declaration(unit, section)
            self.take("END_VAR")
        unit.body = self.statements(f"END_{what}")
        self.take(f"END_{what}")
        return unit

    def declaration(self, unit: Unit, section: str) -> None:
        names = [self.name()]
        while self.has(","):
            self.take(",")
            names.append(self.name())
        self.take(":")
        kind, start = self.kind(), None
        if self.has(":="):
            self.take(":=")
            start = self.initial()
        self.take(";")
        for name in names:
            if name in unit.variables:
                raise RefusedText(f"{unit.name}: {name} is declared twice")
            unit.variables[name] = Variable(name, kind, section, start)

    def kind(self) -> Kind:
        if not self.has("ARRAY"):
            self.at += 1
            word = self.tokens[self.at - 1]
            if word.kind != "name" or (word.text in KEYWORDS and word.text not in ELEMENTARY):
                raise RefusedText(f"line {word.line}: {word.text} is not a type")
            return Kind(word.text)
        self.take("ARRAY")
        self.take("[")
        bounds = [self.bound()]
        while self.has(","):
            self.take(",")
            bounds.append(self.bound())
        self.take("]")
        self.take("OF")
        return Kind(self.take(*ELEMENTARY), tuple(bounds))

    def bound(self) -> tuple[int, int]:
        low = self.whole()
        self.take("..")
        high = self.whole()
        if high < low:
            raise self.refuse("bounds that go up")
        return low, high

    def whole(self) -> int:
        if self.now.kind != "int":
            raise self.refuse("expected a whole number")
        self.at += 1
        return int(self.tokens[self.at - 1].text.replace("_", ""))

    def initial(self) -> Any:
        if not self.has("["):
            return self.literal()
        self.take("[")
        values = [self.literal()]
        while self.has(","):
            self.take(",")
            values.append(self.literal())
        self.take("]")
        return values

    def literal(self) -> Any:
        minus = self.has("-")
        if minus:
            self.take("-")
        token = self.now
        self.at += 1
        if token.text in ("TRUE", "FALSE") and not minus:
            return token.text == "TRUE"
        if token.kind not in ("real", "int"):
            raise RefusedText(f"line {token.line}: {token.text} is not a literal")
        value = (float if token.kind == "real" else int)(token.text.replace("_", ""))
        return -value if minus else value

    # statements

    def statements(self, *ends: str) -> list[Any]:
        found: list[Any] = []
        while not self.has(*ends):
            found.append(self.statement())
            self.take(";")
        return found

    def statement(self) -> Any:
        line = self.now.line
        if self.has("IF"):
            return self.choice()
        if self.has("FOR"):
            self.take("FOR")
            name = self.name()
            self.take(":=")
            first = self.expression()
            self.take("TO")
            last = self.expression()
            self.take("DO")
            body = self.statements("END_FOR")
            self.take("END_FOR")
            return ("for", line, name, first, last, body)
        place = self.place(self.name())
        if self.has(":="):
            self.take(":=")
            return ("set", line, place, self.expression())
        if place[0] != "name":
            raise self.refuse("expected :=")
        return ("do", line, place[1], self.arguments())

    def choice(self) -> Any:
        line, cases, other = self.now.line, [], []
        self.take("IF")
        while True:
            condition = self.expression()
            self.take("THEN")
            cases.append((condition, self.statements("ELSIF", "ELSE", "END_IF")))
            if self.take("ELSIF", "ELSE", "END_IF") != "ELSIF":
                break
        if self.tokens[self.at - 1].text == "ELSE":
            other = self.statements("END_IF")
            self.take("END_IF")
        return ("if", line, cases, other)

    def place(self, name: str) -> Any:
        member = ""
        if self.has("."):
            self.take(".")
            member = self.name()
        tree: Any = ("member", name, member) if member else ("name", name)
        if not self.has("["):
            return tree
        self.take("[")
        indices = [self.expression()]
        while self.has(","):
            self.take(",")
            indices.append(self.expression())
        self.take("]")
        return ("item", tree, indices)

    def arguments(self) -> list[tuple[str, str, Any]]:
        """Formal (name, sign, value), or with an empty name by their order."""
        found: list[tuple[str, str, Any]] = []
        self.take("(")
        while not self.has(")"):
            if found:
                self.take(",")
            if self.now.kind == "name" and self.tokens[self.at + 1].text in (":=", "=>"):
                name, sign = self.name(), self.take(":=", "=>")
                found.append((name, sign, self.place(self.name()) if sign == "=>" else self.expression()))
            else:
                found.append(("", ":=", self.expression()))
        self.take(")")
        if len({bool(name) for name, _, _ in found}) > 1:
            raise self.refuse("arguments all with names or all without")
        return found

    # expressions, weakest first

    LEVELS = (("OR",), ("XOR",), ("AND",), ("=", "<>"), ("<", ">", "<=", ">="), ("+", "-"), ("*", "/", "MOD"), ("**",))

    def expression(self, level: int = 0) -> Any:
        if level == len(self.LEVELS):
            return self.unary()
        left = self.expression(level + 1)
        while self.has(*self.LEVELS[level]):
            sign = self.take(*self.LEVELS[level])
            left = ("op", sign, left, self.expression(level + 1))
        return left

    def unary(self) -> Any:
        # one sign alone: a second, or one behind another operator, needs brackets
        if self.has("-", "NOT"):
            before = self.tokens[self.at - 1].text
            if before in ("-", "+", "*", "/", "**"):
                raise self.refuse("expected brackets around a sign")
            return ("sign", self.take("-", "NOT"), self.primary())
        return self.primary()

    def primary(self) -> Any:
        token = self.now
        if self.has("("):
            self.take("(")
            inner = self.expression()
            self.take(")")
            return inner
        if token.kind in ("real", "int") or self.has("TRUE", "FALSE"):
            return ("literal", self.literal())
        name = self.name()
        return ("call", name, self.arguments()) if self.has("(") else self.place(name)


# meaning

Frame = list[Any]
Value = Callable[[Frame], Any]


def _guarded(function: Callable[..., float], *, at_zero: float = math.nan) -> Callable[..., float]:
    """What IEC 60559 has where Python raises."""

    def value(*args: float) -> float:
        try:
            return function(*args)
        except OverflowError:
            return math.inf
        except ValueError:
            return at_zero if args[0] == 0 else math.nan

    return value


FUNCTIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "SIN": (1, _guarded(math.sin)), "COS": (1, _guarded(math.cos)), "TAN": (1, _guarded(math.tan)),
    "ASIN": (1, _guarded(math.asin)), "ACOS": (1, _guarded(math.acos)), "ATAN": (1, math.atan),
    "SQRT": (1, _guarded(math.sqrt)), "EXP": (1, _guarded(math.exp)), "LN": (1, _guarded(math.log, at_zero=-math.inf)),
    "ABS": (1, abs), "EXPT": (2, _guarded(math.pow)),
}  # fmt: skip
CONVERSIONS = {
    f"{x}_TO_{y}": (x, y) for x in (*REALS, *WHOLES) for y in (*REALS, *WHOLES) if x != y
}  # a real number is rounded, a half to the even one
STANDARD = {*FUNCTIONS, *CONVERSIONS, "SEL", "MIN", "MAX", "LIMIT", "TRUNC", "LOG", "MOVE", "MUX", "ADD", "SUB", "MUL",
            "DIV", "GT", "GE", "EQ", "LE", "LT", "NE", "TON", "TOF", "TP", "R_TRIG", "F_TRIG", "SR", "RS", "CTU", "CTD",
            "CTUD", "ROL", "ROR", "SHL", "SHR", "LEN", "LEFT", "RIGHT", "MID", "CONCAT", "INSERT", "DELETE", "REPLACE",
            "FIND"}  # fmt: skip


def rounded(kind: Kind, value: Any) -> Any:
    """A value as its type holds it."""
    if kind.base == "REAL":
        with np.errstate(all="ignore"):
            return float(np.float32(value))
    if kind.base in WIDTHS and not -(2 ** (WIDTHS[kind.base] - 1)) <= value < 2 ** (WIDTHS[kind.base] - 1):
        raise RefusedText(f"{value} is no {kind.base}")
    return value


def divided(x: float, y: float) -> float:
    if y:
        return x / y
    return math.nan if x == 0 or math.isnan(x) else math.copysign(math.inf, x) * math.copysign(1.0, y)


ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda x, y: x + y, "-": lambda x, y: x - y, "*": lambda x, y: x * y, "/": divided,
}  # fmt: skip
COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda x, y: x == y, "<>": lambda x, y: x != y, "<": lambda x, y: x < y, ">": lambda x, y: x > y,
    "<=": lambda x, y: x <= y, ">=": lambda x, y: x >= y,
}  # fmt: skip


def common(left: Kind, right: Kind) -> Kind:
    """The type of both: a literal takes that of the other."""
    if left == right:
        return left
    for literal, among in ((LITERAL_REAL, REALS), (LITERAL_INT, WHOLES)):
        for one, other in ((left, right), (right, left)):
            if one == literal and other.base in among and not other.bounds:
                return other
    raise RefusedText(f"{left} beside {right}")


class Project:
    """Units of several files, as a controller has them: `call` runs a function, `instance` makes a block or program."""

    def __init__(self, *texts: str) -> None:
        self.units: dict[str, Unit] = {}
        for unit in (x for text in texts for x in Parser(text).units()):
            if unit.name in self.units or unit.name in STANDARD:
                raise RefusedText(f"{unit.name} is there twice")
            self.units[unit.name] = unit
        self.underway: list[str] = []
        for unit in self.units.values():
            self.compile(unit)

    def compile(self, unit: Unit) -> None:
        if unit.run is not None:
            return
        if unit.name in self.underway:
            raise RefusedText(f"{unit.name} calls itself")
        self.underway.append(unit.name)
        for variable in unit.variables.values():
            taken = variable.name in self.units and variable.section != "RESULT"
            if taken or variable.name in STANDARD:
                raise RefusedText(f"{unit.name}: {variable.name} is the name of something else")
            self.start(variable)
        unit.run = Meaning(self, unit).block(unit.body)
        self.underway.remove(unit.name)

    def start(self, variable: Variable) -> Any:
        """The initial value."""
        kind, value = variable.kind, variable.start
        if kind.base not in ELEMENTARY:
            unit = self.units.get(kind.base)
            if unit is None or unit.what != "FUNCTION_BLOCK":
                raise RefusedText(f"{kind.base} is not declared")
            self.compile(unit)
            return self.frame(unit)
        zero: Any = False if kind.base == "BOOL" else 0.0 if kind.base in REALS else 0
        values = [zero] * max(kind.size, 1) if value is None else value if isinstance(value, list) else [value]
        if len(values) != kind.size or any(type(x) is not type(zero) for x in values):
            raise RefusedText(f"{variable.name}: initial values do not fit {kind}")
        values = [rounded(kind, x) for x in values]
        return values if kind.bounds else values[0]

    def frame(self, unit: Unit) -> Frame:
        return [self.start(variable) for variable in unit.variables.values()]

    def call(self, name: str, **inputs: Any) -> dict[str, Any]:
        """A function: its outputs, and its value under `result`."""
        unit = self.units[name.upper()]
        assert unit.what == "FUNCTION"
        instance = Instance(self, unit)
        instance.step(**inputs)
        return {**instance.outputs(), "result": instance.frame[unit.slots()[unit.name]]}

    def instance(self, name: str) -> Instance:
        return Instance(self, self.units[name.upper()])


class Instance:
    """A block with its memory; arrays go in and out as NumPy has them."""

    def __init__(self, project: Project, unit: Unit) -> None:
        self.unit, self.frame = unit, project.frame(unit)

    def step(self, **inputs: Any) -> dict[str, Any]:
        slots = {x.name: self.unit.slots()[x.name] for x in self.unit.section("VAR_INPUT")}
        for name, value in inputs.items():
            kind = self.unit.variables[name.upper()].kind
            shape = tuple(high - low + 1 for low, high in kind.bounds)
            entries = np.asarray(value)
            assert entries.shape == shape, f"{name}: {entries.shape}, not {shape}"
            flat = [rounded(kind, x) for x in entries.ravel().tolist()]
            self.frame[slots[name.upper()]] = flat if kind.bounds else flat[0]
        assert self.unit.run is not None
        self.unit.run(self.frame)
        return self.outputs()

    def outputs(self) -> dict[str, Any]:
        return {x.name.lower(): self[x.name] for x in self.unit.section("VAR_OUTPUT")}

    def __getitem__(self, name: str) -> Any:
        kind, value = self.unit.variables[name.upper()].kind, self.frame[self.unit.slots()[name.upper()]]
        return np.array(value).reshape([high - low + 1 for low, high in kind.bounds]) if kind.bounds else value


def _copied(array: Value) -> Value:
    return lambda frame: list(array(frame))


class Meaning:
    """The body of a unit as functions of its frame."""

    def __init__(self, project: Project, unit: Unit) -> None:
        self.project, self.unit, self.slots = project, unit, unit.slots()
        self.counting: list[str] = []

    def block(self, body: Sequence[Any]) -> Callable[[Frame], None]:
        steps = [self.statement(x) for x in body]

        def run(frame: Frame) -> None:
            for step in steps:
                step(frame)

        return run

    def statement(self, tree: Any) -> Callable[[Frame], None]:
        try:
            match tree:
                case ("set", _, place, value):
                    return self.assign(place, *self.value(value))
                case ("do", _, name, arguments):
                    return self.step(name, arguments)
                case ("if", _, cases, other):
                    return self.choose(cases, other)
                case ("for", _, name, first, last, body):
                    return self.count(name, first, last, body)
        except RefusedText as error:
            raise RefusedText(f"{self.unit.name}, line {tree[1]}: {error}") from None
        raise AssertionError(tree)

    def choose(self, cases: Sequence[Any], other: Sequence[Any]) -> Callable[[Frame], None]:
        made = [(self.typed(condition, BOOL), self.block(body)) for condition, body in cases]
        otherwise = self.block(other)

        def run(frame: Frame) -> None:
            for test, body in made:
                if test(frame):
                    body(frame)
                    return
            otherwise(frame)

        return run

    def count(self, name: str, first: Any, last: Any, body: Sequence[Any]) -> Callable[[Frame], None]:
        kind = self.declared(name).kind
        if kind.base not in WHOLES:
            raise RefusedText(f"{name} does not count")
        start, stop, slot = self.typed(first, kind), self.typed(last, kind), self.slots[name]
        self.counting.append(name)
        inner = self.block(body)
        self.counting.pop()

        def run(frame: Frame) -> None:
            end = stop(frame)
            frame[slot] = start(frame)
            while frame[slot] <= end:
                inner(frame)
                frame[slot] += 1

        return run

    def declared(self, name: str) -> Variable:
        if name not in self.unit.variables:
            raise RefusedText(f"{name} is not declared")
        return self.unit.variables[name]

    def typed(self, tree: Any, wanted: Kind) -> Value:
        kind, value = self.value(tree)
        if kind != wanted and common(kind, wanted) != wanted:
            raise RefusedText(f"{kind} where {wanted} is wanted")
        return (lambda frame: rounded(wanted, value(frame))) if kind != wanted else value

    # places

    def place(self, tree: Any, *, write: bool) -> tuple[Kind, Value, Callable[[Frame, Any], None]]:
        if tree[0] == "item":
            return self.item(tree, write=write)
        if tree[0] == "member":
            return self.member(tree[1], tree[2], write=write)
        variable, slot = self.declared(tree[1]), self.slots[tree[1]]
        if write and (variable.section == "VAR_INPUT" or variable.name in self.counting):
            raise RefusedText(f"{variable.name} is only read")

        def put(frame: Frame, value: Any) -> None:
            frame[slot] = value

        return variable.kind, lambda frame: frame[slot], put

    def member(self, name: str, member: str, *, write: bool) -> tuple[Kind, Value, Callable[[Frame, Any], None]]:
        unit = self.project.units.get(self.declared(name).kind.base)
        if unit is None or write or member not in {x.name for x in unit.section("VAR_OUTPUT")}:
            raise RefusedText(f"{name}.{member} is no output of a block")
        outer, inner = self.slots[name], unit.slots()[member]

        def put(frame: Frame, value: Any) -> None:
            raise AssertionError

        return unit.variables[member].kind, lambda frame: frame[outer][inner], put

    def item(self, tree: Any, *, write: bool) -> tuple[Kind, Value, Callable[[Frame, Any], None]]:
        _, array, trees = tree
        kind, get, _ = self.place(array, write=write)
        if len(trees) != len(kind.bounds):
            raise RefusedText(f"{array[1]} has {len(kind.bounds)} indices")
        indices = [self.typed(x, DINT) for x in trees]

        def at(frame: Frame) -> int:
            flat = 0
            for index, (low, high) in zip(indices, kind.bounds, strict=True):
                i = index(frame)
                if not low <= i <= high:
                    raise RefusedText(f"{self.unit.name}: {array[1]}[{i}], with bounds {low}..{high}")
                flat = flat * (high - low + 1) + i - low
            return flat

        def put(frame: Frame, value: Any) -> None:
            get(frame)[at(frame)] = value

        return Kind(kind.base), lambda frame: get(frame)[at(frame)], put

    def assign(self, place: Any, kind: Kind, value: Value) -> Callable[[Frame], None]:
        wanted, _, put = self.place(place, write=True)
        if common(kind, wanted) != wanted or wanted.base not in ELEMENTARY:
            raise RefusedText(f"{kind} into {wanted}")
        if wanted.bounds:  # an array is copied, not shared
            return lambda frame: put(frame, list(value(frame)))
        return lambda frame: put(frame, rounded(wanted, value(frame)))

    # calls

    def step(self, name: str, arguments: Sequence[Any]) -> Callable[[Frame], None]:
        unit = self.project.units.get(self.declared(name).kind.base)
        if unit is None:
            raise RefusedText(f"{name} is not a function block")
        slot, inputs, outputs = self.slots[name], *self.handed(unit, arguments)

        def run(frame: Frame) -> None:
            inner = frame[slot]
            for at, value in inputs:
                inner[at] = value(frame)
            assert unit.run is not None
            unit.run(inner)
            for take in outputs:
                take(frame, inner)

        return run

    def handed(self, unit: Unit, arguments: Sequence[Any]) -> tuple[list[tuple[int, Value]], list[Any]]:
        """What goes in, by slot, and what takes the outputs."""
        slots, inputs, outputs = unit.slots(), list[tuple[int, Value]](), list[Any]()
        known = {":=": unit.section("VAR_INPUT"), "=>": unit.section("VAR_OUTPUT")}
        if any(not name for name, _, _ in arguments):
            if len(arguments) != len(known[":="]):
                raise RefusedText(f"{unit.name} wants {len(known[':='])} inputs")
            arguments = [(x.name, ":=", tree) for x, (_, _, tree) in zip(known[":="], arguments, strict=True)]
        if len({name for name, _, _ in arguments}) < len(arguments):
            raise RefusedText(f"{unit.name}: an argument twice")
        for name, sign, tree in arguments:
            if name not in {x.name for x in known[sign]}:
                raise RefusedText(f"{unit.name} has no argument {name} {sign}")
            kind, slot = unit.variables[name].kind, slots[name]
            if sign == ":=":
                value = self.typed(tree, kind)
                inputs.append((slot, _copied(value) if kind.bounds else value))
            else:
                outputs.append(self.taken(kind, slot, tree))
        return inputs, outputs

    def taken(self, kind: Kind, slot: int, tree: Any) -> Callable[[Frame, Frame], None]:
        wanted, _, put = self.place(tree, write=True)
        if wanted != kind:
            raise RefusedText(f"{kind} into {wanted}")
        return lambda frame, inner: put(frame, list(inner[slot]) if kind.bounds else inner[slot])

    def call(self, name: str, arguments: Sequence[Any]) -> tuple[Kind, Value]:
        if name in STANDARD:
            return self.standard(name, arguments)
        unit = self.project.units.get(name)
        if unit is None or unit.what != "FUNCTION":
            raise RefusedText(f"{name} is not a function")
        self.project.compile(unit)
        inputs, outputs = self.handed(unit, arguments)
        if unit.returns is None:
            raise AssertionError
        own, project = unit.slots()[unit.name], self.project

        def value(frame: Frame) -> Any:
            inner = project.frame(unit)
            for at, given in inputs:
                inner[at] = given(frame)
            assert unit.run is not None
            unit.run(inner)
            for take in outputs:
                take(frame, inner)
            return inner[own]

        return unit.returns, value

    def standard(self, name: str, arguments: Sequence[Any]) -> tuple[Kind, Value]:
        if any(word for word, _, _ in arguments):
            raise RefusedText(f"{name}: standard functions are called by order here")
        trees = [tree for _, _, tree in arguments]
        if name == "SEL" and len(trees) == 3:
            test = self.typed(trees[0], BOOL)
            kind, (no, yes) = self.alike(trees[1:])
            return kind, lambda frame: (yes(frame), no(frame))[0 if test(frame) else 1]
        if name in CONVERSIONS and len(trees) == 1:
            source, target = (Kind(x) for x in CONVERSIONS[name])
            given = self.typed(trees[0], source)
            if target.base in REALS:
                return target, lambda frame: rounded(target, float(given(frame)))
            return target, lambda frame: rounded(target, round(given(frame)))
        if name not in FUNCTIONS or FUNCTIONS[name][0] != len(trees):
            raise RefusedText(f"{name} of {len(trees)} arguments is not known here")
        kind, values = self.alike(trees)
        if kind.base not in (*REALS, LITERAL_REAL.base) or kind.bounds:
            raise RefusedText(f"{name} of {kind}")
        function = FUNCTIONS[name][1]
        return kind, lambda frame: rounded(kind, function(*[x(frame) for x in values]))

    def alike(self, trees: Sequence[Any]) -> tuple[Kind, list[Value]]:
        """Arguments of one type."""
        kinds = [self.value(tree)[0] for tree in trees]
        kind = kinds[0]
        for other in kinds[1:]:
            kind = common(kind, other)
        return kind, [self.typed(tree, kind) for tree in trees]

    # expressions

    def value(self, tree: Any) -> tuple[Kind, Value]:
        match tree:
            case ("literal", value):
                kind = BOOL if isinstance(value, bool) else LITERAL_INT if isinstance(value, int) else LITERAL_REAL
                return kind, lambda frame: value
            case ("call", name, arguments):
                return self.call(name, arguments)
            case ("sign", sign, inner):
                return self.signed(sign, inner)
            case ("op", sign, left, right):
                return self.operation(sign, left, right)
        kind, get, _ = self.place(tree, write=False)
        return kind, get

    def signed(self, sign: str, tree: Any) -> tuple[Kind, Value]:
        kind, inner = self.value(tree)
        if kind.bounds or (kind == BOOL) != (sign == "NOT"):
            raise RefusedText(f"{sign} of {kind}")
        if sign == "NOT":
            return kind, lambda frame: not inner(frame)
        return kind, lambda frame: -inner(frame)

    def operation(self, sign: str, left: Any, right: Any) -> tuple[Kind, Value]:
        kind, (x, y) = self.alike([left, right])
        if kind.bounds or kind.base not in (*ELEMENTARY, LITERAL_REAL.base, LITERAL_INT.base):
            raise RefusedText(f"{sign} of {kind}")
        if sign in COMPARED:
            compare = COMPARED[sign]
            return BOOL, lambda frame: compare(x(frame), y(frame))
        if sign in ("AND", "OR", "XOR"):
            if kind != BOOL:
                raise RefusedText(f"{sign} of {kind}")
            # both sides are computed: the standard leaves it open
            if sign == "AND":
                return BOOL, lambda frame: x(frame) & y(frame)
            return BOOL, (lambda frame: x(frame) | y(frame)) if sign == "OR" else (lambda frame: x(frame) ^ y(frame))
        whole = kind.base not in REALS and kind != LITERAL_REAL
        if kind == BOOL or sign not in ARITHMETIC or (whole and sign == "/"):
            raise RefusedText(f"{sign} of {kind}")
        compute = ARITHMETIC[sign]
        return kind, lambda frame: rounded(kind, compute(x(frame), y(frame)))


def project_from(files: Mapping[str, str]) -> Project:
    """The Structured Text among emitted files."""
    return Project(*(text for name, text in files.items() if name.endswith(".st")))
