"""Expressions of a text → the typed tree."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, Protocol

from manipula.algebra.program.primitives import ALL
from manipula.algebra.program.scope import KNOWN, Scope
from manipula.algebra.program.tapes import Straight
from manipula.algebra.program.tree import (
    ARRAYS,
    STRUCT,
    WIDTH,
    ArrayItem,
    CallTape,
    Const,
    ConstantTable,
    Expr,
    Field,
    Kind,
    ProgramOp,
    Routine,
    RoutineCall,
    Var,
    parts,
)  # fmt: skip
from manipula.errors import InputError

BINARY: dict[type[ast.AST], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "idiv", ast.Mod: "mod",
    ast.BitAnd: "bit_and", ast.BitOr: "bit_or", ast.BitXor: "bit_xor", ast.LShift: "shl", ast.RShift: "shr",
}  # fmt: skip
COMPARE = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne"}
WHOLE = ("idiv", "mod", "bit_and", "bit_or", "bit_xor", "shl", "shr", "quotient", "remainder")
ARITY = {
    **dict.fromkeys(
        ("sin", "cos", "sqrt", "exp", "log", "floor", "ceil", "rint", "real", "imag", "abs", "word", "int", "float"), 1
    ),
    **dict.fromkeys(("atan2", "min", "max", "number", "high", "quotient", "remainder"), 2),
    "select": 3,
}
FOLD: dict[str, Callable[[int, int], int]] = {
    "add": int.__add__, "sub": int.__sub__, "mul": int.__mul__, "idiv": int.__floordiv__, "mod": int.__mod__,
    "bit_and": int.__and__, "bit_or": int.__or__, "bit_xor": int.__xor__, "shl": int.__lshift__,
    "shr": int.__rshift__, "quotient": int.__floordiv__, "remainder": int.__mod__,
}  # fmt: skip
MEANT = "word(x), int(x) or float(x) says which is meant"


class Program(Protocol):
    """What expressions need of the whole."""

    def routine(self, function: FunctionType, given: Sequence[Kind]) -> Routine: ...

    def unique(self, wish: str, thing: object) -> str: ...

    def changed_arguments(self, call: RoutineCall) -> list[Expr]: ...


def join_kinds(a: Kind, b: Kind) -> Kind:
    """The kind that holds both."""
    return max(a, b, key=WIDTH.index)


def constant(value: Any) -> Const:
    if isinstance(value, bool):
        return Const("flag", value)
    if isinstance(value, int):
        # what does not fit 63 bits and a sign is a word
        return Const("word" if value > ALL // 2 else "int", value)
    return Const("real", float(value))


class Expressions:
    """Of one text."""

    def __init__(self, program: Program, scope: Scope, routine: Routine) -> None:
        self.program, self.scope, self.routine = program, scope, routine
        self.looping: list[str] = []  # variables of the loops around

    def refusal(self, node: ast.AST, why: str = "") -> InputError:
        return self.scope.refusal(node, why)

    def value(self, node: ast.expr) -> Expr:
        match node:
            case ast.Constant(value=bool() | int() | float() as value):
                return constant(value)
            case ast.Name(id=name):
                return self.name(name, node)
            case ast.Attribute(value=ast.Name(id=name), attr=member):
                return self.member(name, member, node)
            case ast.Subscript(value=array, slice=ast.Slice(lower=ast.expr() as lower, upper=None, step=None)):
                base = self.array(array)
                return ProgramOp(base.kind, "from", (base, self.index(lower)))
            case ast.Subscript(value=array, slice=index):
                base = self.array(array)
                return ArrayItem(ARRAYS[base.kind], base, self.index(index))
            case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
                return self.arithmetic(BINARY[type(op)], self.value(left), self.value(right), node)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self.negative(self.value(operand), node)
            case ast.UnaryOp(op=ast.Invert(), operand=operand):
                return self.arithmetic("bit_xor", self.value(operand), Const("int", -1), node)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return ProgramOp("flag", "not", (self.truth(operand),))
            case ast.BoolOp(op=op, values=values):
                return self.together("and" if isinstance(op, ast.And) else "or", values, node)
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn() as op], comparators=[ast.Tuple(elts=choices)]):
                return self.among(left, choices, isinstance(op, ast.In), node)
            case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in COMPARE:
                return self.compare(COMPARE[type(op)], self.value(left), self.value(right), node)
            case ast.IfExp(test=test, body=yes, orelse=no):
                return self.either("choose", self.truth(test), self.value(yes), self.value(no), node)
            case ast.Call(keywords=[]):
                return self.call(node)
        raise self.refusal(node)

    # names, arrays, members

    def name(self, name: str, node: ast.expr) -> Expr:
        routine = self.routine
        if name in routine.parameters:
            return Var(routine.parameters[name], name)
        if name in routine.arrays:
            return Var(routine.arrays[name][0], name)
        if name in self.scope.loops and name not in self.looping:
            raise self.refusal(node, f"{name} is the variable of a loop, which has ended here")
        if name in routine.scalars:
            return Var(routine.scalars[name], name)
        value = self.scope.outside(name)
        if isinstance(value, tuple) and value and all(isinstance(x, int | float) for x in value):
            return self.table(name, value)
        if not isinstance(value, int | float):
            raise self.refusal(node, "a name is a variable, a number or a tuple of numbers around the text")
        return constant(value)

    def table(self, name: str, values: tuple[Any, ...]) -> ConstantTable:
        # one kind for a table, the narrowest that holds every entry
        whole = all(isinstance(x, int) for x in values)
        kind = "reals" if not whole else "words" if max(values) > ALL // 2 else "ints"
        own = self.program.unique(name, values)
        self.routine.tables[own] = kind, values
        return ConstantTable(kind, own)

    def member(self, name: str, member: str, node: ast.expr) -> Expr:
        kind = self.routine.parameters.get(name, "")
        struct = self.routine.structs.get(kind.removeprefix(STRUCT)) if kind.startswith(STRUCT) else None
        if struct is None:
            return self.named_place(name, member, node)
        found = struct.member(member)
        if found is None:
            raise self.refusal(node, f"{struct.name} has {', '.join(x.name for x in struct.members)}")
        return Field(found.kind, Var(kind, name), member)

    def named_place(self, layout: str, name: str, node: ast.expr) -> Expr:
        """A number that a class around the text gives a name to, as a layout does to places in an array."""
        thing = self.scope.outside(layout)
        value = vars(thing).get(name) if isinstance(thing, type) else None
        if not isinstance(value, int | float):
            raise self.refusal(node, f"{layout} is no struct, and no class with a number of this name")
        return constant(value)

    def array(self, node: ast.expr) -> Expr:
        value = self.value(node)
        if value.kind not in ARRAYS:
            raise self.refusal(node, "only arrays have entries")
        return value

    def index(self, node: ast.expr) -> Expr:
        value = self.value(node)
        # Python counts −1 from the end; no other language would
        if isinstance(value, Const) and value.value < 0:
            raise self.refusal(node, "entries are counted from the front")
        if value.kind not in ("int", "flag"):
            raise self.refusal(node, "an index is a whole number")
        return self.fit(value, "int", node)

    # kinds

    def fit(self, x: Expr, kind: Kind, node: ast.AST) -> Expr:
        """The same value as a wider kind."""
        if x.kind == kind or (kind in ARRAYS and x.kind == kind):
            return x
        if kind not in WIDTH or x.kind not in WIDTH or "none" in (kind, x.kind):
            raise self.refusal(node, f"{_kind_text(x.kind)} where {_kind_text(kind)} is needed")
        if isinstance(x, Const) and x.kind == "int" and kind == "word" and x.value >= 0:
            return Const("word", x.value)
        if "word" in (x.kind, kind) or WIDTH.index(kind) < WIDTH.index(x.kind):
            raise self.refusal(node, f"{_kind_text(x.kind)} where {_kind_text(kind)} is needed: {MEANT}")
        if kind == "complex":
            return ProgramOp("complex", "number", (self.fit(x, "real", node), Const("real", 0.0)))
        if isinstance(x, Const):
            return Const(kind, float(x.value) if kind == "real" else int(x.value))
        return ProgramOp(kind, f"to_{kind}", (x,))

    def alike(self, a: Expr, b: Expr, node: ast.AST, least: Kind = "flag") -> tuple[Expr, Expr]:
        for x in (a, b):
            if x.kind not in WIDTH or x.kind == "none":
                raise self.refusal(node, f"{_kind_text(x.kind)} is no number")
        kind = join_kinds(join_kinds(a.kind, b.kind), least)
        return self.fit(a, kind, node), self.fit(b, kind, node)

    def truth(self, node: ast.expr) -> Expr:
        """A condition: numbers are true where they are not zero."""
        if isinstance(node, ast.BoolOp):
            return self.fold_flags(
                "and" if isinstance(node.op, ast.And) else "or", [self.truth(x) for x in node.values]
            )
        value = self.value(node)
        if value.kind == "flag":
            return value
        return self.compare("ne", value, Const("int", 0), node)

    # operations

    def arithmetic(self, name: str, a: Expr, b: Expr, node: ast.AST) -> Expr:
        if name == "mul" and (a.kind == "complex") != (b.kind == "complex"):
            # two products instead of the four of a complex one, and no NaN from 0·∞
            factor, z = (b, a) if a.kind == "complex" else (a, b)
            return ProgramOp("complex", "scale", (self.fit(factor, "real", node), z))
        if name == "div" and a.kind == "complex" and b.kind != "complex":
            # one division instead of two, in every language alike
            return self.arithmetic("mul", self.arithmetic("div", Const("real", 1.0), b, node), a, node)
        if name in ("shl", "shr"):
            return self.shift(name, a, b, node)
        a, b = self.alike(a, b, node, "real" if name == "div" else "int")
        if name in WHOLE and a.kind not in ("int", "word"):
            raise self.refusal(node, "of whole numbers only")
        return self.fold_constant(name, a, b, node)

    def shift(self, name: str, a: Expr, b: Expr, node: ast.AST) -> Expr:
        a, b = self.fit(a, join_kinds(a.kind, "int"), node), self.fit(b, "int", node)
        if a.kind not in ("int", "word") or (isinstance(b, Const) and not 0 <= b.value < 64):
            raise self.refusal(node, "a whole number is shifted by 0 to 63 bits")
        return self.fold_constant(name, a, b, node)

    def fold_constant(self, name: str, a: Expr, b: Expr, node: ast.AST) -> Expr:
        """Computed here where both are known whole numbers."""
        if not (isinstance(a, Const) and isinstance(b, Const) and a.kind in ("int", "word") and name in FOLD):
            return ProgramOp(a.kind, name, (a, b))
        if name in ("idiv", "mod", "quotient", "remainder") and b.value == 0:
            raise self.refusal(node, "a division by zero")
        result = constant(FOLD[name](int(a.value), int(b.value)))
        if a.kind == "word":
            return Const("word", int(result.value) & ALL)
        if not -(ALL // 2) <= result.value <= ALL:
            raise self.refusal(node, "the number has more than 64 bits")
        return result

    def negative(self, a: Expr, node: ast.AST) -> Expr:
        if a.kind == "word":
            raise self.refusal(node, f"a word has no sign; {MEANT}")
        a = self.fit(a, join_kinds(a.kind, "int"), node)
        return constant(-a.value) if isinstance(a, Const) else ProgramOp(a.kind, "neg", (a,))

    def compare(self, name: str, a: Expr, b: Expr, node: ast.AST) -> Expr:
        a, b = self.alike(a, b, node)
        if a.kind == "complex":
            raise self.refusal(node, "complex numbers are not compared")
        return ProgramOp("flag", name, (a, b))

    def together(self, name: str, values: Sequence[ast.expr], node: ast.AST) -> Expr:
        flags = [self.value(x) for x in values]
        if any(x.kind != "flag" for x in flags):
            raise self.refusal(node, "as a value, `and` and `or` join comparisons")
        return self.fold_flags(name, flags)

    def fold_flags(self, name: str, values: Sequence[Expr]) -> Expr:
        made = values[0]
        for value in values[1:]:
            made = ProgramOp("flag", name, (made, value))
        return made

    def among(self, left: ast.expr, choices: Sequence[ast.expr], inside: bool, node: ast.AST) -> Expr:
        """x in (a, b): x == a or x == b"""
        x = self.value(left)
        # each comparison would call it again
        if any(isinstance(part, RoutineCall | CallTape) for part in parts(x)):
            raise self.refusal(node, "give what is called a name first")
        tests = [self.compare("eq" if inside else "ne", x, self.value(choice), node) for choice in choices]
        return self.fold_flags("or" if inside else "and", tests)

    def either(self, name: str, test: Expr, yes: Expr, no: Expr, node: ast.AST) -> Expr:
        a, b = self.alike(yes, no, node)
        return ProgramOp(a.kind, name, (test, a, b))

    # calls

    def call(self, node: ast.Call) -> Expr:
        match node.func:
            case ast.Attribute(value=ast.Name(id=name), attr="prepare"):
                callee = self.scope.outside(name)
                if isinstance(callee, Straight):
                    return self.straight(name, callee, "prepare", [self.value(x) for x in node.args], node)
            case ast.Name(id=name):
                callee = self.scope.outside(name)
                if isinstance(callee, Straight):
                    return self.straight(name, callee, "main", [self.value(x) for x in node.args], node)
                if callee in KNOWN:
                    return self.word(KNOWN[callee], node)
                if isinstance(callee, FunctionType):
                    return self.text(callee, [self.value(x) for x in node.args], node)
        raise self.refusal(node, "only texts, proved straight lines and the words of `primitives` are called")

    def word(self, word: str, node: ast.Call) -> Expr:
        if len(node.args) != ARITY.get(word):
            raise self.refusal(node, f"{word} takes {ARITY[word]}" if word in ARITY else "an array has a name")
        if word == "select":
            return self.either(word, self.truth(node.args[0]), self.value(node.args[1]), self.value(node.args[2]), node)
        args = [self.value(x) for x in node.args]
        # one text serves real and complex numbers: of a real one the parts are known now
        if word in ("real", "imag") and args[0].kind != "complex":
            return self.fit(args[0], "real", node) if word == "real" else Const("real", 0.0)
        if word in ("real", "imag"):
            return ProgramOp("real", word, tuple(args))
        if word in ("sqrt", "exp", "log", "atan2", "floor", "ceil", "rint"):
            return ProgramOp("real", word, tuple(self.fit(x, "real", node) for x in args))
        if word in ("sin", "cos"):
            kind = join_kinds(args[0].kind, "real")
            return ProgramOp(kind, word, (self.fit(args[0], kind, node),))
        if word == "number":
            return ProgramOp("complex", "number", tuple(self.fit(x, "real", node) for x in args))
        if word in ("min", "max", "quotient", "remainder"):
            return self.extreme(word, args[0], args[1], node)
        return self.convert(word, args, node)

    def extreme(self, word: str, x: Expr, y: Expr, node: ast.AST) -> Expr:
        if word in WHOLE:
            return self.arithmetic(word, x, y, node)
        a, b = self.alike(x, y, node, "int")
        if a.kind == "complex":
            raise self.refusal(node, "complex numbers are not compared")
        return ProgramOp(a.kind, word, (a, b))

    def convert(self, word: str, args: Sequence[Expr], node: ast.AST) -> Expr:
        """abs, and what makes one kind of number another: int, float, word, high."""
        (x, *_), kinds = args, [arg.kind for arg in args]
        if word == "high":
            return ProgramOp("word", "high", tuple(self.fit(arg, "word", node) for arg in args))
        if kinds[0] not in WIDTH or (kinds[0] == "complex" and word != "abs"):
            raise self.refusal(node, f"{word} of {_kind_text(kinds[0])}")
        if word == "abs":
            x = self.fit(x, join_kinds(x.kind, "int"), node)
            if isinstance(x, Const):
                return constant(abs(x.value))
            return x if x.kind == "word" else ProgramOp("real" if x.kind == "complex" else x.kind, "abs", (x,))
        kind = {"int": "int", "float": "real", "word": "word"}[word]
        if x.kind == kind:
            return x
        if kind == "word" and x.kind == "real":
            raise self.refusal(node, "a word is made of a whole number")
        if isinstance(x, Const) and kind != "int":
            return Const(kind, float(x.value) if kind == "real" else int(x.value) & ALL)
        return ProgramOp(kind, f"to_{kind}", (x if kind == "real" else self.fit(x, join_kinds(x.kind, "int"), node),))

    def text(self, function: FunctionType, args: list[Expr], node: ast.AST) -> Expr:
        callee = self.program.routine(function, [x.kind for x in args])
        if len(args) != len(callee.parameters):
            raise self.refusal(node, f"{callee.name} takes {', '.join(callee.parameters)}")
        for arg, name in zip(args, callee.parameters, strict=True):
            # what a callee writes the caller writes, too: its own callers must know
            if name in callee.written:
                self.writes(arg, node)
        fitted = (self.fit(x, kind, node) for x, kind in zip(args, callee.parameters.values(), strict=True))
        return RoutineCall(callee.returns, callee.name, tuple(fitted))

    def straight(self, name: str, callee: Straight, half: Any, args: list[Expr], node: ast.AST) -> Expr:
        wanted = callee.arity if half == "main" else len(callee.parameters) + 1 if callee.offline_count else 0
        if len(args) != wanted or any(x.kind != "reals" for x in args):
            raise self.refusal(node, f"{half} of {name} takes {wanted} arrays of reals")
        own = self.program.unique(callee.tape.name, callee.tape)
        self.routine.tapes[own] = callee.tape
        for arg in args[-len(callee.outputs) :] if half == "main" else args[-1:]:
            self.writes(arg, node)
        return CallTape("none" if half == "main" else "int", own, half, tuple(args))

    def writes(self, array: Expr, node: ast.AST) -> None:
        """The array or struct behind an expression is changed."""
        base = base_of(array)
        if isinstance(base, ConstantTable):
            raise self.refusal(node, f"{base.name} is a table of constants")
        if isinstance(base, Var):
            self.routine.written.add(base.name)


def base_of(x: Expr) -> Expr:
    """What an array is a part of."""
    while isinstance(x, ProgramOp) and x.name == "from":
        x = x.args[0]
    return x.struct if isinstance(x, Field) else x


def _kind_text(kind: Kind) -> str:
    return {"real": "a real number", "int": "a whole number", "flag": "a condition", "none": "nothing"}.get(
        kind, f"an array of {kind}" if kind in ARRAYS else f"a {kind}"
    )
