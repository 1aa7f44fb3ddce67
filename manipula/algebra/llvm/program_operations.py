"""Operations of a program as LLVM assembly: numbers, words, conditions, complex numbers.

A real number is a `double`, or several side by side (see `lanes`): `types` says what each kind is.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from manipula.algebra.llvm.code import host
from manipula.algebra.llvm.ir import lanes_function, straight_functions
from manipula.algebra.llvm.sincos import MEND
from manipula.algebra.llvm.writer import Writer, declarations
from manipula.algebra.program.tree import Kind, ProgramOp, Routine, Signs
from manipula.algebra.tape import Port, Tape, kept_slots, variables_of

TYPES: dict[Kind, str] = {
    "none": "void", "flag": "i1", "int": "i64", "word": "i64", "real": "double", "complex": "%pair",
}  # fmt: skip
FUSED = {"add": "fadd contract", "sub": "fsub contract", "mul": "fmul contract", "div": "fdiv"}
ROUNDED = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv"}
BITS = {"bit_and": "and", "bit_or": "or", "bit_xor": "xor"}
WHOLE = {"add": "add nsw", "sub": "sub nsw", "mul": "mul nsw", "shl": "shl", "shr": "ashr", **BITS}
WORDS = {"add": "add", "sub": "sub", "mul": "mul", "shl": "shl", "shr": "lshr", **BITS}
DIVIDE = {"idiv": "udiv", "quotient": "udiv", "mod": "urem", "remainder": "urem"}  # of what is not negative
ORDER = {"lt": ("olt", "slt"), "le": ("ole", "sle"), "gt": ("ogt", "sgt"), "ge": ("oge", "sge"), "eq": ("oeq", "eq")}
ORDER |= {"ne": ("une", "ne")}
WHOLES = ("floor", "ceil", "rint")
MATHS = ("sqrt", "exp", "log", "atan2", "sin", "cos", *WHOLES)
HEAD = """\
declare double @llvm.sqrt.f64(double)
declare double @llvm.fabs.f64(double)
declare double @llvm.floor.f64(double)
declare double @llvm.ceil.f64(double)
declare double @llvm.rint.f64(double)
declare double @sin(double) nounwind willreturn readnone
declare double @cos(double) nounwind willreturn readnone
declare double @exp(double) nounwind willreturn readnone
declare double @log(double) nounwind willreturn readnone
declare double @atan2(double, double) nounwind willreturn readnone
"""


class Operations:
    """A function body under construction."""

    types = TYPES
    steps = FUSED

    def __init__(self, routine: Routine) -> None:
        self.routine, self.signs = routine, Signs(routine)
        self.out: list[str] = []
        self.count = 0

    @property
    def real_type(self) -> str:
        return self.types["real"]

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

    def literal(self, kind: Kind, value: float) -> str:
        return literal(kind, value)

    # numbers

    def plain(self, x: ProgramOp, args: Sequence[str]) -> str:
        held = x.args[0].kind
        if x.name in ORDER:
            return self.compare(x.name, held, *args)
        if x.name in MATHS:
            return self.function(x.name, *args)
        if x.name in DIVIDE:
            return self.floor_divide(x, *args)
        match x.name:
            case "number":
                return self.pair(*args)
            case "not":
                return self.new(f"xor {self.types['flag']} {args[0]}, {self.literal('flag', True)}")
            case "choose" | "select":
                return self.select(x.kind, *args)
            case "neg":
                return self.new(f"fneg {self.real_type} {args[0]}" if held == "real" else f"sub nsw i64 0, {args[0]}")
            case "abs":
                return self.size(held, args[0])
            case "min" | "max":
                test = self.compare("lt" if x.name == "min" else "gt", held, *args)  # x < y ? x : y, as C has it
                return self.select(x.kind, test, *args)
            case "high":
                return self.high(*args)
            case "to_real" | "to_int" | "to_word":
                return self.convert(held, x.kind, args[0])
        table = {"real": self.steps, "int": WHOLE, "word": WORDS}[x.kind]
        return self.new(f"{table[x.name]} {self.types[x.kind]} {args[0]}, {args[1]}")

    def select(self, kind: Kind, test: str, yes: str, no: str) -> str:
        return self.new(f"select {self.types['flag']} {test}, {self.types[kind]} {yes}, {self.types[kind]} {no}")

    def function(self, name: str, *args: str) -> str:
        full = f"llvm.{name}.f64" if name in ("sqrt", *WHOLES) else name
        return self.new(f"call double @{full}({', '.join(f'double {x}' for x in args)})")

    def compare(self, name: str, kind: Kind, a: str, b: str) -> str:
        real, whole = ORDER[name]
        if kind == "real":
            return self.new(f"fcmp {real} {self.real_type} {a}, {b}")
        # slt is signed, ult is not
        whole = whole.replace("s", "u") if kind in ("word", "flag") else whole
        return self.new(f"icmp {whole} {self.types[kind]} {a}, {b}")

    def size(self, kind: Kind, x: str) -> str:
        if kind == "real":
            return self.new(f"call double @llvm.fabs.f64(double {x})")
        below, other = self.new(f"icmp slt i64 {x}, 0"), self.new(f"sub nsw i64 0, {x}")
        return self.new(f"select i1 {below}, i64 {other}, i64 {x}")

    def floor_divide(self, x: ProgramOp, a: str, b: str) -> str:
        """Rounded down, as Python does: the machine rounds towards zero."""
        if x.name in ("quotient", "remainder") or self.signs.plain(x):
            return self.new(f"{DIVIDE[x.name]} i64 {a}, {b}")
        # down where the remainder and the divisor have different signs
        rest = self.new(f"srem i64 {a}, {b}")
        some, apart = self.new(f"icmp ne i64 {rest}, 0"), self.new(f"xor i64 {rest}, {b}")
        off = self.new(f"and i1 {some}, {self.new(f'icmp slt i64 {apart}, 0')}")
        if x.name == "mod":
            return self.new(f"select i1 {off}, i64 {self.new(f'add i64 {rest}, {b}')}, i64 {rest}")
        return self.new(f"sub i64 {self.new(f'sdiv i64 {a}, {b}')}, {self.new(f'zext i1 {off} to i64')}")

    def high(self, a: str, b: str) -> str:
        # processors have this product; LLVM finds it behind the wide types
        wide = [self.new(f"zext i64 {x} to i128") for x in (a, b)]
        product = self.new(f"mul nuw i128 {wide[0]}, {wide[1]}")
        return self.new(f"trunc i128 {self.new(f'lshr i128 {product}, 64')} to i64")

    def convert(self, held: Kind, kind: Kind, x: str) -> str:
        if kind == "real":
            return self.new(f"{'sitofp' if held == 'int' else 'uitofp'} {TYPES[held]} {x} to double")
        if held == "flag":
            return self.new(f"zext i1 {x} to i64")
        return self.new(f"fptosi double {x} to i64") if held == "real" else x

    # complex numbers

    def pair(self, re: str, im: str) -> str:
        half = self.new(f"insertvalue %pair undef, {self.real_type} {re}, 0")
        return self.new(f"insertvalue %pair {half}, {self.real_type} {im}, 1")

    def parts(self, z: str) -> tuple[str, str]:
        return self.new(f"extractvalue %pair {z}, 0"), self.new(f"extractvalue %pair {z}, 1")

    def real(self, op: str, a: str, b: str) -> str:
        return self.new(f"{self.steps[op]} {self.real_type} {a}, {b}")

    def complex_operation(self, x: ProgramOp, args: Sequence[str]) -> str:
        if x.name in ("choose", "select"):
            halves = zip(self.parts(args[1]), self.parts(args[2]), strict=True)
            return self.pair(*(self.select("real", args[0], yes, no) for yes, no in halves))
        if x.name == "scale":
            return self.pair(*(self.real("mul", args[0], part) for part in self.parts(args[1])))
        a = self.parts(args[0])
        match x.name:
            case "real" | "imag":
                return a[x.name == "imag"]
            case "neg":
                return self.pair(*(self.new(f"fneg {self.real_type} {part}") for part in a))
            case "abs":
                # no scaling against overflow: texts keep their numbers near 1
                square = self.real("add", self.real("mul", a[0], a[0]), self.real("mul", a[1], a[1]))
                return self.function("sqrt", square)
            case "sin" | "cos":
                return self.wave(x.name, *a)
        b = self.parts(args[1])
        if x.name in ("add", "sub"):
            return self.pair(self.real(x.name, a[0], b[0]), self.real(x.name, a[1], b[1]))
        return self.product(x.name, a, b)

    def product(self, name: str, a: tuple[str, str], b: tuple[str, str]) -> str:
        # (a + ib)(c + id) and (a + ib)/(c + id) share these four products up to signs
        same, cross = self.real("mul", a[0], b[0]), self.real("mul", a[1], b[1])
        ahead, back = self.real("mul", a[0], b[1]), self.real("mul", a[1], b[0])
        if name == "mul":
            return self.pair(self.real("sub", same, cross), self.real("add", ahead, back))
        size = self.real("add", self.real("mul", b[0], b[0]), self.real("mul", b[1], b[1]))
        re, im = self.real("add", same, cross), self.real("sub", back, ahead)
        return self.pair(self.real("div", re, size), self.real("div", im, size))

    def wave(self, name: str, re: str, im: str) -> str:
        """sin(a + ib) = sin a cosh b + i cos a sinh b; cos(a + ib) = cos a cosh b − i sin a sinh b"""
        e = self.function("exp", im)
        back = self.real("div", self.literal("real", 1.0), e)
        half = self.literal("real", 0.5)
        up, down = (self.real("mul", half, self.real(op, e, back)) for op in ("add", "sub"))
        s, c = (self.function(word, re) for word in ("sin", "cos"))
        if name == "sin":
            return self.pair(self.real("mul", s, up), self.real("mul", c, down))
        return self.pair(self.real("mul", c, up), self.new(f"fneg {self.real_type} {self.real('mul', s, down)}"))


def literal(kind: Kind, value: float) -> str:
    if kind == "real":
        return f"0x{int.from_bytes(ctypes.c_double(value), 'little'):016X}"
    return str(bool(value)).lower() if kind == "flag" else str(int(value))


# Tapes as functions that a program calls: the same text as that of a compiled tape, under names of their own.
#
# void @NAME.main(ptr variable, …, ptr k, ptr output, …)          k only where something is prepared
# i64 @NAME.prepare(ptr p, ptr k)

# the names of a compiled tape's functions and tables → those they have here
_NAMES = {
    "one": "one", "prepare": "kept", "broken": "broken", "numbers": "numbers", "parts": "parts", "parts.at": "parts.at",
    "main": "main", "status": "prepare",
}  # fmt: skip
_OWN = re.compile(r"@(one|prepare|broken|numbers|parts\.at|parts|main|status)(?![\w.])")


def straight_text(tapes: Mapping[str, Tape], known: Sequence[str]) -> str:
    """All tapes, and what they call beyond what is known; nothing for no tape."""
    return _text({name: (tape, straight_functions(tape, host())) for name, tape in tapes.items()}, known)


def laned_text(tapes: Mapping[str, Tape], lanes: int, known: Sequence[str]) -> str:
    """The same for laned programs; every entry of an array is a vector there. Nothing is prepared in lanes."""
    return _text({name: (tape, [lanes_function(tape, lanes, host())]) for name, tape in tapes.items()}, known)


def _text(tapes: Mapping[str, tuple[Tape, Sequence[Writer]]], known: Sequence[str]) -> str:
    if not tapes:
        return ""
    lines: list[str] = []
    for name, (tape, writers) in tapes.items():
        own = [*(line for w in writers for line in w.lines), *declarations(*writers)]
        text = "\n".join([*own, *_main(tape), *(_status(tape) if len(writers) > 1 and kept_slots(tape) else ())])
        text = _OWN.sub(partial(_rename_symbol, name), text)
        # internal: LLVM may inline or drop them, and two modules may have the same names
        lines += re.sub("^define (void|i32)", r"define internal \1", text, flags=re.M).splitlines()
    # a module may declare a function only once, whichever tapes need it
    once = dict.fromkeys(line for line in [*lines, *MEND.splitlines()] if line.startswith(("declare", "!")))
    return "\n".join(
        [*(x for x in once if x not in known), *(x for x in [*lines, *MEND.splitlines()] if x not in once)]
    )


def _rename_symbol(name: str, found: re.Match[str]) -> str:
    return f"@{name}.{_NAMES[found[1]]}"


def _main(tape: Tape) -> Iterator[str]:
    """With the arguments of `program.tapes`: ports without entries are left out."""
    kept = bool(kept_slots(tape))
    ins = [f"%in{i}" if port.slots else "null" for i, port in enumerate(variables_of(tape))]
    outs = [f"%out{i}" if port.slots else "null" for i, port in enumerate(tape.outputs)]
    taken = [x for x in [*ins, *(["%k"] if kept else []), *outs] if x != "null"]
    arguments = ", ".join(f"ptr {x}" for x in [*ins, "%k" if kept else "null", *outs])
    yield f"define void @main({', '.join(f'ptr {x}' for x in taken)}) nounwind {{"
    yield f"  call void @one({arguments})\n  ret void\n}}"


def _status(tape: Tape) -> Iterator[str]:
    """`prepare`, and the number of the condition that the parameters break."""
    ports = [port for port in tape.inputs if not port.online and port.slots]
    arrays = [f"ptr %p{i}" for i in range(len(ports))] if len(ports) > 1 else ["ptr %p"]
    yield f"define internal i64 @status({', '.join([*arrays, 'ptr %k'])}) nounwind {{"
    yield from _gather_parameters(ports)
    yield "  call void @prepare(ptr %p, ptr %k)"
    yield "  %found = call i32 @broken(ptr %p)" if tape.checks else "  %found = add i32 0, 0"
    yield "  %wide = sext i32 %found to i64\n  ret i64 %wide\n}"


def _gather_parameters(ports: Sequence[Port]) -> Iterator[str]:
    """Parameters and settings side by side, as a compiled tape takes them."""
    if len(ports) < 2:
        return
    yield f"  %p = alloca [{sum(len(port.slots) for port in ports)} x double], align 8"
    at = 0
    for i, port in enumerate(ports):
        for j in range(len(port.slots)):
            yield f"  %from.{at} = getelementptr inbounds double, ptr %p{i}, i64 {j}"
            yield f"  %value.{at} = load double, ptr %from.{at}"
            yield f"  %to.{at} = getelementptr inbounds double, ptr %p, i64 {at}"
            yield f"  store double %value.{at}, ptr %to.{at}"
            at += 1
