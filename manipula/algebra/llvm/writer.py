"""Lines of a tape → LLVM assembly, for one configuration or for several side by side (one a lane).

Every value is a scalar (`double`) or a vector (`<8 x double>`); the operations are the same text. A product that only
one sum reads is fused with it where the machine can: one rounding less, one instruction less. A sum of which only the
negative is read is computed with the other sign. What is fused is decided from the tape alone, so one configuration and
many give the same bits. No flag lets the compiler change a result.
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from manipula.algebra.tape import Line, Tape
from manipula.scalar import OPS

NAN = float("nan")
_BYTES = {"double": 8, "float": 4}


@dataclass(frozen=True)
class Host:
    """What the code may assume of the machine: the width of its vectors, and whether it fuses products and sums."""

    vector_bytes: int = 16
    fused: bool = False

    def lanes(self, kind: str) -> int:
        return self.vector_bytes // _BYTES[kind]


@dataclass(frozen=True)
class Kind:
    """A scalar type and a number of lanes."""

    scalar: str  # "double" or "float"
    lanes: int = 1

    @property
    def text(self) -> str:
        return self.scalar if self.lanes == 1 else f"<{self.lanes} x {self.scalar}>"

    @property
    def test(self) -> str:
        """The type of a comparison."""
        return "i1" if self.lanes == 1 else f"<{self.lanes} x i1>"

    @property
    def bits(self) -> str:
        """The integers of the same size."""
        return "i64" if self.lanes == 1 else f"<{self.lanes} x i64>"

    @property
    def suffix(self) -> str:
        """As intrinsics are named: f64, v8f32."""
        return f"{'' if self.lanes == 1 else f'v{self.lanes}'}f{8 * _BYTES[self.scalar]}"

    @property
    def size(self) -> int:
        """Bytes of one scalar."""
        return _BYTES[self.scalar]

    def literal(self, value: float) -> str:
        """A number in every lane, bit for bit."""
        # LLVM writes floats by the bits of the double of the same value
        exact = float(np.float32(value)) if self.scalar == "float" else value
        return self.splat(f"0x{struct.unpack('<Q', struct.pack('<d', exact))[0]:016X}", self.scalar)

    def whole(self, value: int) -> str:
        return self.splat(str(value), "i64")

    def splat(self, text: str, scalar: str) -> str:
        return text if self.lanes == 1 else f"<{', '.join([f'{scalar} {text}'] * self.lanes)}>"

    def wide(self, scalar: str = "double") -> Kind:
        return Kind(scalar, self.lanes)


class Writer:
    """A function body under construction. Helper values have dotted names, which no slot has."""

    def __init__(self, tape: Tape, kind: Kind, host: Host) -> None:
        self.kind, self.host = kind, host
        self.names = tape.names
        single = dict(tape.single) if kind.scalar == "float" else {}
        self.literals = {slot: kind.literal(single.get(slot, value)) for slot, value in tape.constants}
        self.products = fused_products(tape) if host.fused else {}
        self.turned = turned_sums(tape, self.products)
        self.inner = {**self.products, **{slot: line.args for slot, line in self.turned.items()}}
        self.aliases: dict[int, str] = {}
        self.stored: dict[int, Callable[[int], str]] = {}  # how a slot is read that stays in memory
        self.tests: dict[int, tuple[str, str]] = {}  # of `less`: true, and either is NaN
        self.lines: list[str] = []
        self.block = "entry"
        self.declared: dict[str, str] = {}
        self.number: Callable[[int], str] = self.literals.__getitem__  # how lines read a constant's slot
        self._fresh = 0

    # text

    def emit(self, text: str) -> None:
        self.lines.append(f"  {text}")

    def let(self, text: str) -> str:
        """A fresh value."""
        self._fresh += 1
        name = f"%.{self._fresh}"
        self.lines.append(f"  {name} = {text}")
        return name

    def start_block(self, name: str) -> None:
        self.block = name
        self.lines.append(f"{name}:")

    def label(self, stem: str) -> str:
        self._fresh += 1
        return f"{stem}.{self._fresh}"

    # values

    def at(self, slot: int) -> str:
        known = self.literals.get(slot) or self.aliases.get(slot)
        if known is None and slot in self.stored:
            return self.stored[slot](slot)
        # quoted: a name may be a word of LLVM's or have letters that it does not take
        return known or f'%"{self.names[slot]}"'

    def read(self, slot: int) -> str:
        """As an argument of a line."""
        return self.number(slot) if slot in self.literals else self.at(slot)

    def intrinsic(self, name: str, kind: Kind, *args: str) -> str:
        """The text of a call of llvm.<name> on values of one kind."""
        full = f"@llvm.{name}.{kind.suffix}"
        self.declared[full] = f"declare {kind.text} {full}({', '.join([kind.text] * len(args))})"
        return f"call {kind.text} {full}({', '.join(f'{kind.text} {arg}' for arg in args)})"

    def fma(self, kind: Kind, a: str, b: str, c: str) -> str:
        """a b + c, rounded once"""
        return self.let(self.intrinsic("fma", kind, a, b, c))

    def float_operation(self, kind: Kind, name: str, a: str, b: str) -> str:
        """add, sub, mul, div"""
        return self.let(f"f{name} {kind.text} {a}, {b}")

    def gep(self, base: str, index: str | int, scalar: str | None = None) -> str:
        return self.let(f"getelementptr inbounds {scalar or self.kind.scalar}, ptr {base}, i64 {index}")

    # lines of the tape

    def line(self, line: Line) -> None:
        if line.slot in self.inner:
            return  # written where it is read
        to, T = self.at(line.slot), self.kind.text
        # −(a − b) costs nothing as b − a
        line, turned = self._with_its_sign(line)
        factors = next((arg for arg in self._order(line) if arg in self.products), None)
        if line.op in ("add", "sub") and factors is not None:
            self.emit(f"{to} = {self._fused_multiply_add(line, factors, turned)}")
            return
        args = [self.read(arg) for arg in line.args]
        if line.op in _PLAIN:
            self.emit(f"{to} = {_PLAIN[line.op]} {T} {', '.join(args)}")
        elif line.op in _INTRINSIC:
            self.emit(f"{to} = {self.intrinsic(_INTRINSIC[line.op], self.kind, *args)}")
        elif line.op == "less":
            self.tests[line.slot] = _compare(self, "olt", *args), _compare(self, "uno", *args)
            self.aliases[line.slot] = _compare_with_nan(self, *self.tests[line.slot])
        elif line.op == "select" and line.args[0] in self.tests:
            less, unknown = self.tests[line.args[0]]  # no number need be made of the comparison
            self.aliases[line.slot] = _choose(self, unknown, self.kind.literal(NAN), _choose(self, less, *args[1:]))
        elif line.op in _COMPOUND:
            self.aliases[line.slot] = _COMPOUND[line.op](self, *args)
        else:
            self.aliases[line.slot] = library(self, line.op, *args)

    def _with_its_sign(self, line: Line) -> tuple[Line, bool]:
        """The sum that a negative stands for, and whether all of it still has to take the other sign."""
        total = self.turned.get(line.args[0]) if line.op == "neg" else None
        if total is None:
            return line, False
        return (Line(line.slot, "sub", total.args[::-1]), False) if total.op == "sub" else (total, True)

    def _order(self, line: Line) -> list[int]:
        """The later product is the one to fuse: the earlier is ready then."""
        return sorted(line.args, reverse=True)

    def _fused_multiply_add(self, line: Line, product: int, turned: bool) -> str:
        """x·y + z, x·y − z or z − x·y, or (turned) −x·y − z"""
        x, y = (self.read(arg) for arg in self.products[product])
        first, second = line.args
        if turned:
            other = self._operand(second if product == first else first)
            return self.intrinsic("fma", self.kind, self._minus(x), y, self._minus(other))
        if line.op == "sub" and product == second:
            return self.intrinsic("fma", self.kind, self._minus(x), y, self._operand(first))
        other = self._operand(second if product == first else first)
        return self.intrinsic("fma", self.kind, x, y, self._minus(other) if line.op == "sub" else other)

    def _minus(self, x: str) -> str:
        return self.let(f"fneg {self.kind.text} {x}")

    def _operand(self, slot: int) -> str:
        """A summand; the other product of a sum of two products is written here."""
        if slot not in self.products:
            return self.read(slot)
        x, y = (self.read(arg) for arg in self.products[slot])
        return self.let(f"fmul {self.kind.text} {x}, {y}")


def _reads(tape: Tape) -> Counter[int]:
    """slot → how often a line or an output reads it"""
    outputs = (slot for port in tape.outputs for slot in port.slots)
    return Counter([*(arg for line in tape.lines for arg in line.args), *outputs])


def fused_products(tape: Tape) -> dict[int, tuple[int, int]]:
    """slot → factors, of the on-line products that one sum, and nothing else, reads."""
    reads = _reads(tape)
    summed = {arg for line in tape.online if line.op in ("add", "sub") for arg in line.args}
    return {
        line.slot: (line.args[0], line.args[1])
        for line in tape.online
        # read twice, a product would be computed twice, and rounded two ways
        if line.op == "mul" and line.slot in summed and reads[line.slot] == 1
    }


def turned_sums(tape: Tape, products: Mapping[int, tuple[int, int]]) -> dict[int, Line]:
    """slot → line, of the on-line sums of which only the negative is read, and that are as short with the other sign:
    a − b is b − a then, and −x·y − z one instruction as well."""
    reads = _reads(tape)
    negated = {line.args[0] for line in tape.online if line.op == "neg" and reads[line.args[0]] == 1}
    sums = [line for line in tape.online if line.op in ("add", "sub") and line.slot in negated]
    return {line.slot: line for line in sums if line.op == "sub" or not products.keys().isdisjoint(line.args)}


_PLAIN = {"add": "fadd", "sub": "fsub", "mul": "fmul", "div": "fdiv", "neg": "fneg"}
_INTRINSIC = {op.name: op.words["llvm"] for op in OPS.values() if "llvm" in op.words}


# several instructions; the value is returned


def _choose(w: Writer, condition: str, yes: str, no: str) -> str:
    k = w.kind
    return w.let(f"select {k.test} {condition}, {k.text} {yes}, {k.text} {no}")


def _compare(w: Writer, how: str, x: str, y: str) -> str:
    return w.let(f"fcmp {how} {w.kind.text} {x}, {y}")


def _sign(w: Writer, x: str) -> str:
    """x > 0 ? 1 : x < 0 ? −1 : x is NaN ? NaN : 0"""
    zero, one, minus, nan = (w.kind.literal(value) for value in (0.0, 1.0, -1.0, NAN))
    rest = _choose(w, _compare(w, "uno", x, zero), nan, zero)
    low = _choose(w, _compare(w, "olt", x, zero), minus, rest)
    return _choose(w, _compare(w, "ogt", x, zero), one, low)


def _extreme(comparison: str) -> Callable[..., str]:
    def code(w: Writer, x: str, y: str) -> str:
        """x is NaN ? NaN : x beyond y ? x : y"""
        best = _choose(w, _compare(w, comparison, x, y), x, y)
        return _choose(w, _compare(w, "uno", x, w.kind.literal(0.0)), w.kind.literal(NAN), best)

    return code


def _compare_with_nan(w: Writer, less: str, unknown: str) -> str:
    """either is NaN ? NaN : x < y, as a number"""
    bit = w.let(f"uitofp {w.kind.test} {less} to {w.kind.text}")
    return _choose(w, unknown, w.kind.literal(NAN), bit)


def _select(w: Writer, condition: str, yes: str, no: str) -> str:
    """condition is NaN ? NaN : condition ≠ 0 ? yes : no"""
    zero = w.kind.literal(0.0)
    chosen = _choose(w, _compare(w, "one", condition, zero), yes, no)
    return _choose(w, _compare(w, "uno", condition, zero), w.kind.literal(NAN), chosen)


def by_lane(w: Writer, function: str, *args: str) -> str:
    """A function of doubles applied to every lane."""
    k, vector = w.kind, "poison"
    for lane in range(k.lanes):
        scalars = ", ".join(f"double {_extend_to_double(w, _lane(w, arg, lane))}" for arg in args)
        value = w.let(f"call double {function}({scalars})")
        value = w.let(f"fptrunc double {value} to float") if k.scalar == "float" else value
        vector = value if k.lanes == 1 else w.let(f"insertelement {k.text} {vector}, {k.scalar} {value}, i64 {lane}")
    return vector


def library(w: Writer, name: str, *args: str) -> str:
    """An operation by the system's function, lane by lane: the same bits in any of them."""
    op, k = OPS[name], w.kind
    function = f"@{op.word('c')}"
    taken = ", ".join(["double"] * op.arity)
    # nobuiltin: LLVM would fold calls of constants by its own library, to other bits
    w.declared[function] = f"declare double {function}({taken}) nounwind willreturn readnone nobuiltin"
    zero, nan = k.literal(0.0), k.literal(NAN)
    if not op.guarded:
        return by_lane(w, function, *args)
    value = by_lane(w, function, w.let(f"fadd {k.text} {args[0]}, {zero}"), *args[1:])  # −0 is no negative base
    value = _choose(w, _compare(w, "oge", args[0], zero), value, nan)
    return _choose(w, _compare(w, "ord", args[1], zero), value, nan)


def _lane(w: Writer, value: str, lane: int) -> str:
    return value if w.kind.lanes == 1 else w.let(f"extractelement {w.kind.text} {value}, i64 {lane}")


def _extend_to_double(w: Writer, value: str) -> str:
    return w.let(f"fpext float {value} to double") if w.kind.scalar == "float" else value


_COMPOUND: Mapping[str, Callable[..., str]] = {
    "sign": _sign,
    "min": _extreme("olt"),
    "max": _extreme("ogt"),
    "select": _select,
}


def declarations(*writers: Writer) -> Iterator[str]:
    """What the functions call, each once."""
    yield from dict.fromkeys(text for writer in writers for text in writer.declared.values())
