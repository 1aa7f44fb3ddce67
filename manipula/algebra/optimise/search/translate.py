"""A small part of Python to LLVM assembly: integer functions over flat arrays.

The kernel of the search is written once, in Python, and means the same interpreted or compiled. The part understood
here: functions of one state `s` and 64-bit integers; assignments to names and to `s.array[i]`; `if`, `while`, `for … in
range`, `break`, `continue`, `return`; integer arithmetic, comparisons, `and`, `or`, `not`, the conditional expression;
calls of one another; names of integer constants. `//`, `%` and `>>` are only used on numbers that are not negative,
where Python and the machine agree. One function is not translated but written by hand: the product modulo 2⁶¹−1.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import Any

PRODUCT = """
define internal i64 @product(i64 %a, i64 %b) alwaysinline {
  %wide.a = zext i64 %a to i128
  %wide.b = zext i64 %b to i128
  %whole = mul i128 %wide.a, %wide.b
  %low.wide = and i128 %whole, 2305843009213693951
  %high.wide = lshr i128 %whole, 61
  %low = trunc i128 %low.wide to i64
  %high = trunc i128 %high.wide to i64
  %sum = add i64 %low, %high
  %less = sub i64 %sum, 2305843009213693951
  %over = icmp uge i64 %sum, 2305843009213693951
  %rest = select i1 %over, i64 %less, i64 %sum
  ret i64 %rest
}
"""
_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.FloorDiv: "udiv",
    ast.Mod: "urem",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "lshr",
}
_COMPARISONS: dict[type[ast.AST], str] = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "slt",
    ast.LtE: "sle",
    ast.Gt: "sgt",
    ast.GtE: "sge",
}


def module_ir(functions: Sequence[Callable[..., Any]], fields: Sequence[str], public: Sequence[str]) -> str:
    """The assembly of all functions. `fields`: the arrays of the state, in the order of their pointers."""
    places = {name: place for place, name in enumerate(fields)}
    parts = [_FunctionIr(function, places, function.__name__ in public).text() for function in functions]
    return "\n".join([PRODUCT, *parts, "!0 = !{}", ""])  # !0 marks the pointers of the state, which never move


class _FunctionIr:
    """One function. Every local variable is a stack slot; LLVM turns them into registers."""

    def __init__(self, function: Callable[..., Any], places: Mapping[str, int], public: bool) -> None:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
        assert isinstance(tree, ast.FunctionDef)
        self.tree, self.places, self.public = tree, places, public
        self.constants: Mapping[str, Any] = inspect.unwrap(function).__globals__
        self.lines: list[str] = []
        self.slots: list[str] = []  # all in the first block: elsewhere a loop would grow the stack
        self.count = 0
        self.loops: list[tuple[str, str]] = []  # where `continue` and `break` go

    def text(self) -> str:
        state, *numbers = [arg.arg for arg in self.tree.args.args]
        assert state == "s", self.tree.name
        names = sorted({x.id for x in ast.walk(self.tree) if isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store)})
        head = ", ".join(["ptr %s", *(f"i64 %arg.{name}" for name in numbers)])
        for statement in self.tree.body:
            self.statement(statement)
        self.slots += [f"  %{name} = alloca i64" for name in dict.fromkeys([*numbers, *names])]
        given = [f"  store i64 %arg.{name}, ptr %{name}" for name in numbers]
        linkage = "" if self.public else "internal "
        opening = f"define {linkage}i64 @{self.tree.name}({head}) nounwind {{"
        return "\n".join([opening, *self.slots, *given, *self.lines, "  ret i64 0", "}", ""])

    # pieces

    def fresh(self, stem: str = "t") -> str:
        self.count += 1
        return f"{stem}.{self.count}"

    def emit(self, code: str) -> str:
        name = f"%{self.fresh()}"
        self.lines.append(f"  {name} = {code}")
        return name

    def label(self, name: str) -> None:
        """Begin a block; the one before falls through."""
        self.lines += [f"  br label %{name}", f"{name}:"]

    def leave(self, code: str) -> None:
        """End a block by a jump; whatever follows in the text cannot be reached."""
        self.lines += [f"  {code}", f"{self.fresh('dead')}:"]

    def branch(self, test: ast.expr, yes: str, no: str) -> None:
        self.leave(f"br i1 {self.truth(test)}, label %{yes}, label %{no}")

    # statements

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value=ast.Constant()):
                pass  # a docstring
            case ast.Expr(value=value):
                self.value(value)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                found = [self.value(value) for value in values]
                for target, result in zip(targets, found, strict=True):
                    self.store(target, result)
            case ast.Assign(targets=[target], value=value):
                self.store(target, self.value(value))
            case ast.AugAssign(target=target, op=op, value=value):
                old, new = self.value(target), self.value(value)
                self.store(target, self.emit(f"{_OPERATORS[type(op)]} i64 {old}, {new}"))
            case ast.Return(value=value):
                self.leave(f"ret i64 {self.value(value) if value else 0}")
            case ast.If():
                self.if_else(node)
            case ast.While(test=test, body=body):
                self.loop(test, body, ())
            case ast.For():
                self.counted(node)
            case ast.Continue():
                self.leave(f"br label %{self.loops[-1][0]}")
            case ast.Break():
                self.leave(f"br label %{self.loops[-1][1]}")
            case _:
                raise TypeError(f"{self.tree.name}: cannot translate {ast.unparse(node)}")

    def if_else(self, node: ast.If) -> None:
        yes, no, end = self.fresh("then"), self.fresh("else"), self.fresh("end")
        self.branch(node.test, yes, no)
        self.label(yes)
        for inner in node.body:
            self.statement(inner)
        self.leave(f"br label %{end}")
        self.label(no)
        for inner in node.orelse:
            self.statement(inner)
        self.label(end)

    def loop(self, test: ast.expr, body: Sequence[ast.stmt], step: Sequence[ast.stmt]) -> None:
        top, inside, after, end = (self.fresh(stem) for stem in ("loop", "body", "next", "done"))
        self.label(top)
        self.branch(test, inside, end)
        self.label(inside)
        self.loops.append((after, end))
        for inner in body:
            self.statement(inner)
        self.loops.pop()
        self.label(after)
        for inner in step:
            self.statement(inner)
        self.leave(f"br label %{top}")
        self.label(end)

    def counted(self, node: ast.For) -> None:
        """for i in range(start, stop), the stop taken anew at every turn (so it must not change)"""
        assert isinstance(node.target, ast.Name) and isinstance(node.iter, ast.Call)
        bounds = node.iter.args
        start, stop = (ast.Constant(0), bounds[0]) if len(bounds) == 1 else (bounds[0], bounds[1])
        self.store(node.target, self.value(start))
        test = ast.Compare(ast.Name(node.target.id, ast.Load()), [ast.Lt()], [stop])
        self.loop(test, node.body, [ast.AugAssign(node.target, ast.Add(), ast.Constant(1))])

    def store(self, target: ast.expr, value: str) -> None:
        place = f"%{target.id}" if isinstance(target, ast.Name) else self.address(target)
        self.lines.append(f"  store i64 {value}, ptr {place}")

    def address(self, node: ast.expr) -> str:
        """Of s.array[i]"""
        assert isinstance(node, ast.Subscript) and isinstance(node.value, ast.Attribute), ast.unparse(node)
        entry = self.emit(f"getelementptr inbounds ptr, ptr %s, i64 {self.places[node.value.attr]}")
        array = self.emit(f"load ptr, ptr {entry}, !invariant.load !0")
        return self.emit(f"getelementptr inbounds i64, ptr {array}, i64 {self.value(node.slice)}")

    # expressions

    def value(self, node: ast.expr) -> str:
        match node:
            case ast.Constant(value=int(number)):
                return str(number)
            case ast.Name(id=name):
                return self.name(name)
            case ast.Subscript():
                return self.emit(f"load i64, ptr {self.address(node)}")
            case ast.BinOp(left=left, op=op, right=right):
                first, second = self.value(left), self.value(right)
                return self.emit(f"{_OPERATORS[type(op)]} i64 {first}, {second}")
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self.emit(f"sub i64 0, {self.value(operand)}")
            case ast.Call(func=ast.Name(id=name), args=args):
                found = [self.value(arg) for arg in args if not (isinstance(arg, ast.Name) and arg.id == "s")]
                first_arg = [] if name == "product" else ["ptr %s"]
                return self.emit(f"call i64 @{name}({', '.join([*first_arg, *(f'i64 {x}' for x in found)])})")
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self.either(test, body, orelse)
        return self.emit(f"zext i1 {self.truth(node)} to i64")

    def name(self, name: str) -> str:
        if isinstance(self.constants.get(name), int):
            return str(self.constants[name])
        return self.emit(f"load i64, ptr %{name}")

    def either(self, test: ast.expr, body: ast.expr, orelse: ast.expr) -> str:
        slot = f"%{self.fresh('either')}"
        self.slots.append(f"  {slot} = alloca i64")
        yes, no, end = self.fresh("then"), self.fresh("else"), self.fresh("end")
        self.branch(test, yes, no)
        self.label(yes)
        self.lines.append(f"  store i64 {self.value(body)}, ptr {slot}")
        self.leave(f"br label %{end}")
        self.label(no)
        self.lines.append(f"  store i64 {self.value(orelse)}, ptr {slot}")
        self.label(end)
        return self.emit(f"load i64, ptr {slot}")

    def truth(self, node: ast.expr) -> str:
        match node:
            case ast.Compare(left=left, ops=[ast.In()], comparators=[ast.Tuple(elts=choices)]):
                return self.truth(ast.BoolOp(ast.Or(), [ast.Compare(left, [ast.Eq()], [x]) for x in choices]))
            case ast.Compare(left=left, ops=[ast.NotIn()], comparators=[ast.Tuple(elts=choices)]):
                return self.truth(ast.BoolOp(ast.And(), [ast.Compare(left, [ast.NotEq()], [x]) for x in choices]))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                first, second = self.value(left), self.value(right)
                return self.emit(f"icmp {_COMPARISONS[type(op)]} i64 {first}, {second}")
            case ast.BoolOp(op=op, values=[first, *rest]):
                both = isinstance(op, ast.And)
                later = rest[0] if len(rest) == 1 else ast.BoolOp(op, rest)
                one, nought = ast.Constant(1), ast.Constant(0)
                found = self.either(first, later, nought) if both else self.either(first, one, later)
                return self.emit(f"icmp ne i64 {found}, 0")
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.emit(f"xor i1 {self.truth(operand)}, true")
        return self.emit(f"icmp ne i64 {self.value(node)}, 0")
