"""Python functions → routines: every text that is called, for the kinds it is called with, callees first."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Sequence
from functools import cache
from types import FunctionType
from typing import Any, cast

from manipula.algebra.program.tree import (
    ARRAY_OF,
    ARRAYS,
    WIDTH,
    Call,
    Const,
    Do,
    Expr,
    For,
    If,
    Item,
    Kind,
    Leave,
    Op,
    Return,
    Routine,
    Set,
    Stmt,
    Var,
    While,
)  # fmt: skip
from manipula.errors import InputError

PLAIN: dict[str, Kind] = {
    "int": "int", "float": "real", "bool": "flag", "complex": "complex", "Reals": "reals", "Complexes": "complexes",
    "Ints": "ints", "None": "none",
}  # fmt: skip
OPEN = {"Number", "Numbers"}
BINARY = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "idiv", ast.Mod: "mod"}
COMPARE = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge", ast.Eq: "eq", ast.NotEq: "ne"}
REAL_WORDS = ("sqrt", "exp", "log", "atan2", "real", "imag")
OWN = {"reals": "reals", "complexes": "complexes", "integers": "ints"}


def program(*entries: Callable[..., Any]) -> list[Routine]:
    """All routines of some texts (whose own kinds are plain), each after those it calls."""
    found = _Program()
    for entry in entries:
        found.routine(cast(FunctionType, entry), ())
    return list(found.routines.values())


class _Program:
    def __init__(self) -> None:
        self.routines: dict[str, Routine] = {}

    def routine(self, function: FunctionType, given: Sequence[Kind]) -> Routine:
        """`given`: the kinds of the arguments; needed where the text leaves them open."""
        tree = _tree(function)
        notes = [_annotation(arg.annotation) for arg in tree.args.args]
        kinds = [given[i] if note in OPEN else PLAIN[note] for i, note in enumerate(notes)]
        wide = any(note in OPEN and kind in ("complex", "complexes") for note, kind in zip(notes, kinds, strict=True))
        name = tree.name + ("_complex" if wide else "")
        if name not in self.routines:
            returns = _annotation(tree.returns)
            result: Kind = ("complex" if wide else "real") if returns in OPEN else PLAIN[returns]
            parameters = dict(zip((arg.arg for arg in tree.args.args), kinds, strict=True))
            made = Routine(name, ast.get_docstring(tree) or "", parameters, result)
            _Reader(self, function, made).read(tree.body[1:] if made.doc else tree.body)
            self.routines[name] = made
        return self.routines[name]


@cache
def _tree(function: FunctionType) -> ast.FunctionDef:
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    return tree


def _annotation(node: ast.expr | None) -> str:
    return ast.unparse(node) if node is not None else "None"


def joined(a: Kind, b: Kind) -> Kind:
    """The kind that holds both."""
    return max(a, b, key=WIDTH.index)


class _Reader:
    """One text. It is read until the kinds of its variables no longer widen."""

    def __init__(self, program: _Program, function: FunctionType, routine: Routine) -> None:
        self.program, self.function, self.routine = program, function, routine

    def read(self, body: Sequence[ast.stmt]) -> None:
        before: dict[str, Kind] | None = None
        while before != self.routine.scalars:
            before = dict(self.routine.scalars)
            self.routine.body = self.block(body)

    def refusal(self, node: ast.AST) -> InputError:
        return InputError(f"{self.function.__name__}: no translation for {ast.unparse(node)!r}")

    # statements

    def block(self, body: Sequence[ast.stmt]) -> tuple[Stmt, ...]:
        return tuple(made for line in body for made in self.statement(line))

    def statement(self, line: ast.stmt) -> list[Stmt]:
        match line:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id=word)) as call) if (
                word in OWN or word == "like"
            ):
                return self.own_array(name, word, call)
            case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
                return [self.assigned(target, self.value(value))]
            case ast.AugAssign(target=target, op=op, value=value):
                return [self.assigned(target, self.arithmetic(BINARY[type(op)], self.value(target), self.value(value)))]
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=args), body=body):
                return [self.counted(name, args, body)]
            case ast.While(test=test, body=body):
                return [While(self.value(test), self.block(body))]
            case ast.If(test=test, body=yes, orelse=no):
                return [If(self.value(test), self.block(yes), self.block(no))]
            case ast.Return(value=value):
                return [Return(None if value is None else converted(self.value(value), self.routine.returns))]
            case ast.Expr(value=ast.Call() as call):
                return [Do(self.value(call))]
            case ast.Break():
                return [Leave("break")]
            case ast.Continue():
                return [Leave("continue")]
        raise self.refusal(line)

    def own_array(self, name: str, word: str, call: ast.Call) -> list[Stmt]:
        kind: Kind = cast(Kind, OWN[word]) if word in OWN else self.value(call.args[0]).kind
        size = self.value(call.args[-1])
        if not isinstance(size, Const):
            raise self.refusal(call)
        self.routine.arrays[name] = (kind, int(size.value))
        return []

    def assigned(self, target: ast.expr, value: Expr) -> Stmt:
        place = self.place(target, value.kind)
        return Set(place, converted(value, place.kind))

    def place(self, target: ast.expr, kind: Kind) -> Var | Item:
        if isinstance(target, ast.Name):
            held = self.routine.parameters.get(target.id) or joined(self.routine.scalars.get(target.id, "none"), kind)
            if target.id not in self.routine.parameters:
                self.routine.scalars[target.id] = held
            return Var(held, target.id)
        item = self.value(target)
        if not isinstance(item, Item):
            raise self.refusal(target)
        self.writes(item.array)
        return item

    def writes(self, array: Expr) -> None:
        """The array behind an expression is changed."""
        while isinstance(array, Op):
            array = array.args[0]
        if isinstance(array, Var):
            self.routine.written.add(array.name)

    def counted(self, name: str, args: Sequence[ast.expr], body: Sequence[ast.stmt]) -> Stmt:
        values = [self.value(arg) for arg in args]
        start, stop = (Const("int", 0), values[0]) if len(values) == 1 else (values[0], values[1])
        step = values[2] if len(values) == 3 else Const("int", 1)
        if not isinstance(step, Const):
            raise self.refusal(args[2])
        self.routine.scalars[name] = "int"
        return For(name, start, stop, int(step.value), self.block(body))

    # expressions

    def value(self, node: ast.expr) -> Expr:
        match node:
            case ast.Constant(value=value):
                return _constant(value)
            case ast.Name(id=name):
                return self.name(name, node)
            case ast.Subscript(value=array, slice=ast.Slice(lower=ast.expr() as lower, upper=None, step=None)):
                base = self.value(array)
                return Op(base.kind, "from", (base, self.value(lower)))
            case ast.Subscript(value=array, slice=index):
                base = self.value(array)
                return Item(ARRAYS[base.kind], base, self.value(index))
            case ast.BinOp(left=left, op=op, right=right):
                return self.arithmetic(BINARY[type(op)], self.value(left), self.value(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self.negative(self.value(operand))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return Op("flag", "not", (self.value(operand),))
            case ast.BoolOp(op=op, values=values):
                return self.together("and" if isinstance(op, ast.And) else "or", [self.value(x) for x in values])
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                a, b = self.alike(self.value(left), self.value(right))
                return Op("flag", COMPARE[type(op)], (a, b))
            case ast.IfExp(test=test, body=yes, orelse=no):
                a, b = self.alike(self.value(yes), self.value(no))
                return Op(a.kind, "choose", (self.value(test), a, b))
            case ast.Call(func=ast.Name(id=word), args=args):
                return self.called(word, [self.value(arg) for arg in args], node)
        raise self.refusal(node)

    def name(self, name: str, node: ast.expr) -> Expr:
        routine = self.routine
        if name in routine.parameters:
            return Var(routine.parameters[name], name)
        if name in routine.arrays:
            return Var(routine.arrays[name][0], name)
        if name in routine.scalars:
            return Var(routine.scalars[name], name)
        if isinstance(self.function.__globals__.get(name), int | float):
            return _constant(self.function.__globals__[name])
        raise self.refusal(node)

    def arithmetic(self, name: str, a: Expr, b: Expr) -> Expr:
        if name == "mul" and (a.kind == "complex") != (b.kind == "complex"):
            factor, z = (b, a) if a.kind == "complex" else (a, b)
            return Op("complex", "scale", (converted(factor, "real"), z))
        if name == "div" and a.kind == "complex" and b.kind != "complex":
            return self.arithmetic("mul", self.arithmetic("div", Const("real", 1.0), b), a)
        a, b = self.alike(a, b, "real" if name == "div" else "int")
        if isinstance(a, Const) and isinstance(b, Const) and a.kind == "int":
            return _constant(_FOLD[name](int(a.value), int(b.value)))
        return Op(a.kind, name, (a, b))

    def negative(self, a: Expr) -> Expr:
        return _constant(-a.value) if isinstance(a, Const) else Op(a.kind, "neg", (a,))

    def together(self, name: str, values: Sequence[Expr]) -> Expr:
        made = values[0]
        for value in values[1:]:
            made = Op("flag", name, (made, value))
        return made

    def alike(self, a: Expr, b: Expr, least: Kind = "flag") -> tuple[Expr, Expr]:
        kind = joined(joined(a.kind, b.kind), least)
        return converted(a, kind), converted(b, kind)

    def called(self, word: str, args: list[Expr], node: ast.expr) -> Expr:
        if word in ("real", "imag") and args[0].kind != "complex":
            return converted(args[0], "real") if word == "real" else Const("real", 0.0)
        if word in REAL_WORDS:
            return Op("real", word, tuple(converted(x, "real") if x.kind != "complex" else x for x in args))
        if word in ("sin", "cos"):
            return Op(joined(args[0].kind, "real"), word, (converted(args[0], joined(args[0].kind, "real")),))
        if word == "abs":
            return Op("real" if args[0].kind == "complex" else args[0].kind, "abs", tuple(args))
        if word in ("min", "max"):
            a, b = self.alike(args[0], args[1])
            return Op(a.kind, word, (a, b))
        if word == "number":
            return Op("complex", "number", tuple(converted(x, "real") for x in args))
        return self.routine_call(word, args, node)

    def routine_call(self, word: str, args: list[Expr], node: ast.expr) -> Expr:
        function = self.function.__globals__.get(word)
        if not isinstance(function, FunctionType):
            raise self.refusal(node)
        callee = self.program.routine(function, [x.kind for x in args])
        for arg, (name, kind) in zip(args, callee.parameters.items(), strict=True):
            if kind in ARRAYS and arg.kind != kind:
                raise self.refusal(node)
            if name in callee.written:
                self.writes(arg)
        kinds = callee.parameters.values()
        return Call(callee.returns, callee.name, tuple(map(converted, args, kinds)))


_FOLD: dict[str, Callable[[int, int], int]] = {
    "add": int.__add__, "sub": int.__sub__, "mul": int.__mul__, "idiv": int.__floordiv__, "mod": int.__mod__,
}  # fmt: skip


def _constant(value: Any) -> Const:
    kind: Kind = "flag" if isinstance(value, bool) else "int" if isinstance(value, int) else "real"
    return Const(kind, value)


def converted(x: Expr, kind: Kind) -> Expr:
    """The same value as a wider kind."""
    if x.kind == kind or kind in ARRAY_OF.values() or kind == "none":
        return x
    if isinstance(x, Const) and kind == "real":
        return Const("real", float(x.value))
    if kind == "complex":
        return Op("complex", "number", (converted(x, "real"), Const("real", 0.0)))
    return Op(kind, f"to_{kind}", (x,))
