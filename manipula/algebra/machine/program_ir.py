"""Routines (see `algebra.loops`) as LLVM assembly.

Every variable is a place in memory; LLVM's own passes put them into registers and unroll the loops.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence

from manipula.algebra.program.tree import (
    ARRAYS,
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

TYPES: dict[Kind, str] = {"none": "void", "flag": "i1", "int": "i64", "real": "double", "complex": "%pair"}
FLOAT = {"add": "fadd contract", "sub": "fsub contract", "mul": "fmul contract", "div": "fdiv"}
WHOLE = {"add": "add nsw", "sub": "sub nsw", "mul": "mul nsw", "idiv": "sdiv", "mod": "srem"}
ORDER = {"lt": ("olt", "slt"), "le": ("ole", "sle"), "gt": ("ogt", "sgt"), "ge": ("oge", "sge"), "eq": ("oeq", "eq")}
ORDER |= {"ne": ("une", "ne")}
MATHS = {"sqrt": "llvm.sqrt.f64", "exp": "exp", "log": "log", "atan2": "atan2", "sin": "sin", "cos": "cos"}
HEAD = """\
%pair = type { double, double }
declare double @llvm.sqrt.f64(double)
declare double @llvm.fabs.f64(double)
declare double @sin(double) nounwind willreturn readnone
declare double @cos(double) nounwind willreturn readnone
declare double @exp(double) nounwind willreturn readnone
declare double @log(double) nounwind willreturn readnone
declare double @atan2(double, double) nounwind willreturn readnone
"""


def assembly(routines: Sequence[Routine], public: str) -> str:
    """A module in which one function can be called from outside."""
    return HEAD + "\n\n".join("\n".join(_Writer(routine, routine.name == public).lines()) for routine in routines)


class _Writer:
    """One function."""

    def __init__(self, routine: Routine, public: bool) -> None:
        self.routine, self.public = routine, public
        self.out: list[str] = []
        self.early: list[str] = []
        self.count = 0
        self.exits: list[dict[str, str]] = []

    def lines(self) -> Iterator[str]:
        parts = [f"{_passed(kind)} %{name}.in" for name, kind in self.routine.parameters.items()]
        link = "" if self.public else "internal "
        yield f"define {link}{TYPES[self.routine.returns]} @{self.routine.name}({', '.join(parts)}) nounwind {{"
        yield "entry.0:"
        self.places()
        self.block(self.routine.body)
        self.emit(f"ret {_zero(self.routine.returns)}")
        yield from self.early
        yield from self.out
        yield "}"

    def places(self) -> None:
        for name, kind in self.routine.parameters.items():
            if kind not in ARRAYS:
                self.emit(f"%{name} = alloca {TYPES[kind]}")
                self.emit(f"store {TYPES[kind]} %{name}.in, ptr %{name}")
        for name, kind in self.routine.scalars.items():
            self.emit(f"%{name} = alloca {TYPES[kind]}")
        for name, (kind, size) in self.routine.arrays.items():
            self.emit(f"%{name} = alloca [{size} x {TYPES[ARRAYS[kind]]}], align 64")

    def emit(self, line: str) -> None:
        self.out.append(f"  {line}")

    def new(self, text: str) -> str:
        self.count += 1
        self.emit(f"%v.{self.count} = {text}")
        return f"%v.{self.count}"

    def labels(self, *names: str) -> list[str]:
        self.count += 1
        return [f"{name}.{self.count}" for name in names]

    def mark(self, label: str) -> None:
        self.emit(f"br label %{label}")
        self.out.append(f"{label}:")

    # statements

    def block(self, body: Sequence[Stmt]) -> None:
        for line in body:
            self.statement(line)

    def statement(self, line: Stmt) -> None:
        match line:
            case Set(target, value):
                result = self.value(value)
                place = f"%{target.name}" if isinstance(target, Var) else self.place(target)
                self.emit(f"store {TYPES[target.kind]} {result}, ptr {place}")
            case For():
                self.counted(line)
            case While(condition, body):
                self.repeated(condition, body)
            case If():
                self.branched(line)
            case Leave(how):
                self.emit(f"br label %{self.exits[-1][how]}")
                self.out.append(f"{self.labels('dead')[0]}:")
            case Return(value):
                self.emit("ret void" if value is None else f"ret {TYPES[value.kind]} {self.value(value)}")
                self.out.append(f"{self.labels('dead')[0]}:")
            case Do(call):
                self.value(call)

    def counted(self, line: For) -> None:
        test, inside, more, after = self.labels("for", "do", "more", "done")
        self.emit(f"store i64 {self.value(line.start)}, ptr %{line.name}")
        self.mark(test)
        at, stop = self.new(f"load i64, ptr %{line.name}"), self.value(line.stop)
        going = self.new(f"icmp {'slt' if line.step > 0 else 'sgt'} i64 {at}, {stop}")
        self.emit(f"br i1 {going}, label %{inside}, label %{after}")
        self.out.append(f"{inside}:")
        self.exits.append({"break": after, "continue": more})
        self.block(line.body)
        self.exits.pop()
        self.mark(more)
        step = self.new(f"add nsw i64 {self.new(f'load i64, ptr %{line.name}')}, {line.step}")
        self.emit(f"store i64 {step}, ptr %{line.name}")
        self.emit(f"br label %{test}")
        self.out.append(f"{after}:")

    def repeated(self, condition: Expr, body: Sequence[Stmt]) -> None:
        test, inside, after = self.labels("while", "do", "done")
        self.mark(test)
        self.emit(f"br i1 {self.value(condition)}, label %{inside}, label %{after}")
        self.out.append(f"{inside}:")
        self.exits.append({"break": after, "continue": test})
        self.block(body)
        self.exits.pop()
        self.emit(f"br label %{test}")
        self.out.append(f"{after}:")

    def branched(self, line: If) -> None:
        yes, no, after = self.labels("yes", "no", "after")
        self.emit(f"br i1 {self.value(line.condition)}, label %{yes}, label %{no}")
        self.out.append(f"{yes}:")
        self.block(line.yes)
        self.emit(f"br label %{after}")
        self.out.append(f"{no}:")
        self.block(line.no)
        self.mark(after)

    # expressions

    def value(self, x: Expr) -> str:
        match x:
            case Const(kind, value):
                return _literal(kind, value)
            case Var(kind, name):
                if kind in ARRAYS:
                    return f"%{name}.in" if name in self.routine.parameters else f"%{name}"
                return self.new(f"load {TYPES[kind]}, ptr %{name}")
            case Item(kind, _, _):
                return self.new(f"load {TYPES[kind]}, ptr {self.place(x)}")
            case Call(kind, routine, args):
                return self.call(kind, routine, args)
            case Op():
                return self.operation(x)

    def place(self, x: Item) -> str:
        return self.shifted(x.array, x.index)

    def shifted(self, array: Expr, index: Expr) -> str:
        base, at = self.value(array), self.value(index)
        return self.new(f"getelementptr inbounds {TYPES[ARRAYS[array.kind]]}, ptr {base}, i64 {at}")

    def call(self, kind: Kind, routine: str, args: Sequence[Expr]) -> str:
        words = ", ".join(f"{TYPES.get(x.kind, 'ptr')} {self.value(x)}" for x in args)
        text = f"call {TYPES[kind]} @{routine}({words})"
        if kind == "none":
            self.emit(text)
            return ""
        return self.new(text)

    def operation(self, x: Op) -> str:
        if x.name in ("and", "or"):
            return self.shortened(x)
        if x.name == "from":
            return self.shifted(*x.args)
        args = [self.value(arg) for arg in x.args]
        if any(arg.kind == "complex" for arg in x.args):
            return self.paired(x, args)
        return self.plain(x, args)

    def shortened(self, x: Op) -> str:
        """The second value is asked for only where it matters."""
        more, after = self.labels("more", "after")
        place = f"%{more}.flag"
        self.early.append(f"  {place} = alloca i1")
        first = self.value(x.args[0])
        self.emit(f"store i1 {first}, ptr {place}")
        ways = (more, after) if x.name == "and" else (after, more)
        self.emit(f"br i1 {first}, label %{ways[0]}, label %{ways[1]}")
        self.out.append(f"{more}:")
        self.emit(f"store i1 {self.value(x.args[1])}, ptr {place}")
        self.mark(after)
        return self.new(f"load i1, ptr {place}")

    def plain(self, x: Op, args: Sequence[str]) -> str:
        held = x.args[0].kind
        if x.name in ORDER:
            real, whole = ORDER[x.name]
            return self.new(
                f"fcmp {real} double {args[0]}, {args[1]}"
                if held == "real"
                else f"icmp {whole} i64 {args[0]}, {args[1]}"
            )
        if x.name in MATHS:
            return self.new(f"call double @{MATHS[x.name]}({', '.join(f'double {a}' for a in args)})")
        match x.name:
            case "number":
                return self.pair(*args)
            case "not":
                return self.new(f"xor i1 {args[0]}, true")
            case "choose":
                kind = TYPES[x.kind]
                return self.new(f"select i1 {args[0]}, {kind} {args[1]}, {kind} {args[2]}")
            case "neg":
                return self.new(f"fneg double {args[0]}" if held == "real" else f"sub nsw i64 0, {args[0]}")
            case "abs":
                return self.new(f"call double @llvm.fabs.f64(double {args[0]})")
            case "min" | "max":
                return self.extreme(x, args)
            case "real":
                return args[0]
            case "to_real":
                return self.new(f"sitofp i64 {args[0]} to double")
        table = FLOAT if x.kind == "real" else WHOLE
        return self.new(f"{table[x.name]} {TYPES[x.kind]} {args[0]}, {args[1]}")

    def extreme(self, x: Op, args: Sequence[str]) -> str:
        """x < y ? x : y, as C has it."""
        kind, way = TYPES[x.kind], "lt" if x.name == "min" else "gt"
        real, whole = ORDER[way]
        test = self.new(
            f"fcmp {real} double {args[0]}, {args[1]}" if x.kind == "real" else f"icmp {whole} i64 {args[0]}, {args[1]}"
        )
        return self.new(f"select i1 {test}, {kind} {args[0]}, {kind} {args[1]}")

    # complex numbers

    def pair(self, re: str, im: str) -> str:
        half = self.new(f"insertvalue %pair undef, double {re}, 0")
        return self.new(f"insertvalue %pair {half}, double {im}, 1")

    def parts(self, z: str) -> tuple[str, str]:
        return self.new(f"extractvalue %pair {z}, 0"), self.new(f"extractvalue %pair {z}, 1")

    def real(self, op: str, a: str, b: str) -> str:
        return self.new(f"{FLOAT[op]} double {a}, {b}")

    def paired(self, x: Op, args: Sequence[str]) -> str:
        if x.name == "choose":
            return self.new(f"select i1 {args[0]}, %pair {args[1]}, %pair {args[2]}")
        if x.name == "scale":
            return self.pair(*(self.real("mul", args[0], part) for part in self.parts(args[1])))
        a = self.parts(args[0])
        match x.name:
            case "real" | "imag":
                return a[x.name == "imag"]
            case "neg":
                return self.pair(*(self.new(f"fneg double {part}") for part in a))
            case "abs":
                square = self.real("add", self.real("mul", a[0], a[0]), self.real("mul", a[1], a[1]))
                return self.new(f"call double @llvm.sqrt.f64(double {square})")
            case "sin" | "cos":
                return self.wave(x.name, *a)
        b = self.parts(args[1])
        if x.name in ("add", "sub"):
            return self.pair(self.real(x.name, a[0], b[0]), self.real(x.name, a[1], b[1]))
        return self.product(x.name, a, b)

    def product(self, name: str, a: tuple[str, str], b: tuple[str, str]) -> str:
        same, cross = self.real("mul", a[0], b[0]), self.real("mul", a[1], b[1])
        ahead, back = self.real("mul", a[0], b[1]), self.real("mul", a[1], b[0])
        if name == "mul":
            return self.pair(self.real("sub", same, cross), self.real("add", ahead, back))
        size = self.real("add", self.real("mul", b[0], b[0]), self.real("mul", b[1], b[1]))
        re, im = self.real("add", same, cross), self.real("sub", back, ahead)
        return self.pair(self.real("div", re, size), self.real("div", im, size))

    def wave(self, name: str, re: str, im: str) -> str:
        """sin(a + ib) = sin a cosh b + i cos a sinh b; cos(a + ib) = cos a cosh b − i sin a sinh b"""
        e = self.new(f"call double @exp(double {im})")
        back = self.real("div", _literal("real", 1.0), e)
        half = _literal("real", 0.5)
        up, down = (self.real("mul", half, self.real(op, e, back)) for op in ("add", "sub"))
        s, c = (self.new(f"call double @{word}(double {re})") for word in ("sin", "cos"))
        if name == "sin":
            return self.pair(self.real("mul", s, up), self.real("mul", c, down))
        return self.pair(self.real("mul", c, up), self.new(f"fneg double {self.real('mul', s, down)}"))


def _passed(kind: Kind) -> str:
    return "ptr noalias" if kind in ARRAYS else TYPES[kind]


def _literal(kind: Kind, value: float) -> str:
    if kind == "real":
        return f"0x{int.from_bytes(ctypes.c_double(value), 'little'):016X}"
    return str(bool(value)).lower() if kind == "flag" else str(int(value))


def _zero(kind: Kind) -> str:
    return {"none": "void", "flag": "i1 false", "int": "i64 0", "real": "double 0.0"}.get(kind, "%pair zeroinitializer")
