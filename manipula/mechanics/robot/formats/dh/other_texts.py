"""Tables as LaTeX sets them and as Python writes them for the Robotics Toolbox, turned into lines of cells.

A LaTeX table becomes its rows, apart by `&`. Of Python, `RevoluteDH(d=0.4, alpha=pi/2)` and its kin are read as they
stand: the text is parsed, never run. Every number gets its unit, since there angles are radians and lengths metres.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from manipula.errors import RobotFileError
from manipula.mechanics.robot.formats.source import joint_label, refuse_too_many
from manipula.messages import Message

_GRIDS = r"tabular\*?|tabularx|tabu|longtable|array|[bpBvV]?matrix"
_BEGIN = re.compile(rf"\\begin\s*\{{(?:{_GRIDS})\}}(?:\s*\[[^\]]*\])?")
_END = re.compile(rf"\\end\s*\{{(?:{_GRIDS})\}}")
_LINES = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|c(?:mid)?(?:line|rule)(?:\([^)]*\))?\{[^}]*\}|endhead|endfirsthead)"
)
_WRAPPED = re.compile(
    r"\\(?:text(?:bf|it|rm)?|math(?:rm|bf|it)|boldsymbol|multicolumn\{[^}]*\}\{[^}]*\})\s*\{((?:[^{}]|\{[^{}]*\})*)\}"
)
_LINKS = {
    "RevoluteDH": ("R", "standard"), "PrismaticDH": ("P", "standard"),
    "RevoluteMDH": ("R", "modified"), "PrismaticMDH": ("P", "modified"),
}  # fmt: skip
_PYTHON = re.compile(r"\b(?:Revolute|Prismatic)M?DH\s*\(|\bDHLink\s*\(")
_DEPTH = 60  # of an expression in parentheses


@dataclass(frozen=True)
class OtherText:
    """The same table in lines; `convention` where the text states it, and what of it a table has no place for."""

    text: str
    convention: str = ""
    left_out: tuple[str, ...] = field(default=())


def plain_lines(text: str) -> OtherText:
    """A text of another kind as lines of cells; any other as it is."""
    if _PYTHON.search(text):
        return _from_python(text)
    return OtherText(_from_latex(text)) if _BEGIN.search(text) else OtherText(text)


# LaTeX


def _from_latex(text: str) -> str:
    """The rows of the first table; headings and cells keep their own signs."""
    begin = _BEGIN.search(text)
    assert begin
    rest = _after_group(text[begin.end() :])
    end = _END.search(rest)
    body = re.sub(r"(?<!\\)%.*", "", rest[: end.start()] if end else rest)
    body = _WRAPPED.sub(r"\1", _LINES.sub("", body))
    rows = [" ".join(row.split()) for row in re.split(r"\\\\(?:\s*\[[^\]]*\])?|\\tabularnewline", body)]
    return "\n".join(row for row in rows if row.strip("& "))


def _after_group(text: str) -> str:
    """Behind the columns {c|cccc}, and the width before them; a matrix does not state them."""
    for _ in range(2):
        start = text.lstrip()
        if not start.startswith("{"):
            return text
        depth = 0
        for place, sign in enumerate(start):
            depth += (sign == "{") - (sign == "}")
            if not depth:
                text = start[place + 1 :]
                break
    return text


# Python


def _from_python(text: str) -> OtherText:
    tree = _parsed(text)
    values = {
        node.targets[0].id: node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
    }
    links = list(_links(tree))
    refuse_too_many(len(links))
    rows, left_out = [], dict[str, None]()
    conventions = set[str]()
    for number, call in enumerate(links, 1):
        row, convention, others = _row(call, number, values)
        rows.append(row)
        conventions.add(convention)
        left_out |= dict.fromkeys(others)
    if len(conventions) != 1:
        raise RobotFileError(
            "the links are of both conventions, RevoluteDH and RevoluteMDH", field="joint",
            hint="write all of them in one convention",
        )  # fmt: skip
    robots = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _called(node) == "DHRobot"]
    said = {key.arg: key.value for call in robots[:1] for key in call.keywords if key.arg}
    left_out |= dict.fromkeys(sorted(said.keys() & {"base", "tool", "gravity"}))
    name = said.get("name")
    head = [f"# name = {name.value}"] if isinstance(name, ast.Constant) and isinstance(name.value, str) else []
    lines = [*head, "\t".join(("theta", "d", "a", "alpha", "type", "direction")), *rows]
    return OtherText("\n".join(lines), conventions.pop(), tuple(left_out))


def _parsed(text: str) -> ast.Module:
    """Lines as they were copied: shifted to the right, with the prompt of a terminal, or cut out of a list."""
    bare = "\n".join(re.sub(r"^\s*(?:>>>|\.\.\.|In \[\d+\]:) ?", "", line) for line in text.splitlines())
    for attempt in (bare, _unindented(bare), f"[{bare.strip().rstrip(',')}]", bare.strip().rstrip(",])") + ")"):
        try:
            return ast.parse(attempt)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
    raise RobotFileError(
        "the text has links of the Robotics Toolbox, but is not whole Python", field="joint",
        hint="copy from DHRobot([ to the bracket that closes it",
    )  # fmt: skip


def _unindented(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    shift = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    return "\n".join(line[shift:] for line in lines)


def _called(call: ast.Call) -> str:
    return (
        call.func.id
        if isinstance(call.func, ast.Name)
        else call.func.attr
        if isinstance(call.func, ast.Attribute)
        else ""
    )


def _links(tree: ast.Module) -> Iterator[ast.Call]:
    """In the order of the text."""
    calls = [x for x in ast.walk(tree) if isinstance(x, ast.Call) and (_called(x) in _LINKS or _called(x) == "DHLink")]
    yield from sorted(calls, key=lambda call: (call.lineno, call.col_offset))


Values = Mapping[str, ast.expr]


def _row(call: ast.Call, number: int, values: Values) -> tuple[str, str, list[str]]:
    """The line of one link, its convention, and what of it is left out."""
    where = joint_label(number, None)
    if call.args or any(key.arg is None for key in call.keywords):
        raise RobotFileError(
            "{called} has a value without its name", _called(call), where=where, field="row",
            hint="name every value, as in RevoluteDH(d=0.4, a=0, alpha=pi/2)",
        )  # fmt: skip
    said = {str(key.arg): key.value for key in call.keywords}
    kind, convention = _LINKS.get(_called(call), ("", ""))
    if not kind:
        kind = "P" if _is_true(said.pop("sigma", None)) else "R"
        convention = "modified" if _is_true(said.pop("mdh", None)) else "standard"
    moving, still = ("theta", "d") if kind == "R" else ("d", "theta")
    cells = dict.fromkeys(("theta", "d", "a", "alpha"), "0")
    for key, column in ((still, still), ("offset", moving), ("a", "a"), ("alpha", "alpha")):
        if key in said:
            cells[column] = _cell(said.pop(key), column in ("theta", "alpha"), values, where, column)
    said.pop(moving, None)  # the joint's own variable: its value is that of the moment
    direction = "-1" if _is_true(said.pop("flip", None)) else "1"
    return "\t".join((*cells.values(), kind, direction)), convention, sorted(said)


def _is_true(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and bool(node.value)


@dataclass(frozen=True)
class _Amount:
    """plain + turns·π, exactly."""

    plain: Fraction = Fraction(0)
    turns: Fraction = Fraction(0)

    def __add__(self, other: _Amount) -> _Amount:
        return _Amount(self.plain + other.plain, self.turns + other.turns)

    def times(self, factor: Fraction) -> _Amount:
        return _Amount(self.plain * factor, self.turns * factor)


def _cell(node: ast.expr, angle: bool, values: Values, where: str, column: str) -> str:
    amount = _amount(node, values)
    if amount is None:
        return _symbols(node, where, column)
    if angle and amount.turns and not amount.plain:
        return f"{_decimal(amount.turns * 180)}°"
    if amount.turns:
        amount = _Amount(amount.plain + amount.turns * Fraction("3.14159265358979323846"))
    return f"{_decimal(amount.plain)} {'rad' if angle else 'm'}" if amount.plain else "0"


def _symbols(node: ast.expr, where: str, column: str) -> str:
    """Names, their products and sums: names have SI values. A number beside them would take the column's unit."""
    text = ast.unparse(node)
    sums = [x for x in ast.walk(node) if isinstance(x, ast.BinOp) and isinstance(x.op, ast.Add | ast.Sub)]
    mixed = any(isinstance(side, ast.Constant) for x in sums for side in (x.left, x.right))
    if mixed or not re.fullmatch(r"[\w\s+\-*/().]+", text):
        raise RobotFileError(
            "{text} is neither a number nor a product of names", text[:60], where=where, field=column,
            hint="write a number, or a name such as a2",
        )  # fmt: skip
    return text


def _amount(node: ast.expr, values: Values, depth: int = 0) -> _Amount | None:
    """None where a name has no value in the text."""
    if depth > _DEPTH:
        return None
    match node:
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return _Amount(Fraction(repr(value)))
        case ast.Name(id="pi") | ast.Attribute(attr="pi"):
            return _Amount(turns=Fraction(1))
        case ast.Name(id=name) if name in values:
            return _amount(values[name], {key: x for key, x in values.items() if key != name}, depth + 1)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            found = _amount(inner, values, depth + 1)
            return found and found.times(Fraction(-1))
        case ast.Call(
            func=ast.Name(id="radians" | "deg2rad") | ast.Attribute(attr="radians" | "deg2rad"), args=[inner]
        ):
            found = _amount(inner, values, depth + 1)
            return _Amount(turns=found.plain / 180) if found and not found.turns else None
        case ast.BinOp(left=left, op=operation, right=right):
            a, b = _amount(left, values, depth + 1), _amount(right, values, depth + 1)
            return _combined(a, b, operation) if a and b else None
    return None


def _combined(a: _Amount, b: _Amount, operation: ast.operator) -> _Amount | None:
    match operation:
        case ast.Add():
            return a + b
        case ast.Sub():
            return a + b.times(Fraction(-1))
        case ast.Mult() if not b.turns:
            return a.times(b.plain)
        case ast.Mult() if not a.turns:
            return b.times(a.plain)
        case ast.Div() if b.plain and not b.turns:
            return a.times(1 / b.plain)
    return None


def _decimal(value: Fraction) -> str:
    """All its digits, or seventeen of a number that has no end."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest == 1 and value.denominator < 10**30:
        return format(Decimal(value.numerator) / Decimal(value.denominator), "f")
    return repr(float(value))


def left_out_note(left_out: tuple[str, ...]) -> Message:
    return Message("a table holds no {names}: these were left out", ", ".join(left_out))
