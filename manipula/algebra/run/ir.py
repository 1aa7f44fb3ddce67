"""Tape → LLVM assembly: two functions, written as text.

    void prepare(const double *p, double *k)
    void run(const double *q, int64 q_step, …, const double *k, double *out, …, int64 n)

`prepare` computes once what depends on parameters alone; `run` loops over n configurations, an input's next row
lying `step` doubles further (0: the same row again). The outputs may not overlap the inputs. No flag permits the
compiler to change a result: no contraction, no re-association. A NaN that goes in comes out (see `scalar.Maths`).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence

from manipula.algebra.tape import Line, Port, Tape, offline_needed

NAN = "0x7FF8000000000000"
_EXTERNALS = """
declare double @llvm.sin.f64(double)
declare double @llvm.cos.f64(double)
declare double @llvm.sqrt.f64(double)
declare double @llvm.fabs.f64(double)
declare double @atan2(double, double) #1

attributes #0 = { nounwind }
attributes #1 = { nounwind willreturn readnone }
"""


def ir_from_tape(tape: Tape) -> str:
    """The whole module."""
    return "\n".join([f"; {tape.name}", *_prepare(tape), "", *_run(tape), _EXTERNALS])


def parameters_of(tape: Tape) -> Port | None:
    """The port of parameters, if there is one."""
    return next((port for port in tape.inputs if not port.online), None)


def variables_of(tape: Tape) -> tuple[Port, ...]:
    return tuple(port for port in tape.inputs if port.online)


def kept_slots(tape: Tape) -> list[int]:
    """What `prepare` hands to `run`: parameters and off-line results that are read on line."""
    parameters = parameters_of(tape)
    reads = {arg for line in tape.online for arg in line.args} | {s for port in tape.outputs for s in port.slots}
    return [slot for slot in (parameters.slots if parameters else ()) if slot in reads] + offline_needed(tape)


class _Writer:
    """Instructions over slots; every helper value gets a fresh dotted name, which no slot has."""

    def __init__(self, tape: Tape) -> None:
        self.names = tape.names
        self.literals = {slot: literal(value) for slot, value in tape.constants}
        self.fresh = 0

    def at(self, slot: int) -> str:
        return self.literals.get(slot) or f'%"{self.names[slot]}"'

    def helper(self) -> str:
        self.fresh += 1
        return f"%.{self.fresh}"

    def load(self, slot: int, base: str, position: int) -> Iterator[str]:
        address = self.helper()
        yield f"  {address} = getelementptr inbounds double, ptr {base}, i64 {position}"
        yield f"  {self.at(slot)} = load double, ptr {address}, align 8"

    def store(self, slot: int, base: str, position: int) -> Iterator[str]:
        address = self.helper()
        yield f"  {address} = getelementptr inbounds double, ptr {base}, i64 {position}"
        yield f"  store double {self.at(slot)}, ptr {address}, align 8"

    def line(self, line: Line) -> Iterator[str]:
        to, args = self.at(line.slot), [self.at(arg) for arg in line.args]
        if line.op in _PLAIN:
            yield f"  {to} = {_PLAIN[line.op].format(*args)}"
        else:
            yield from _COMPOUND[line.op](self, to, *args)


# one instruction

_PLAIN = {
    "add": "fadd double {0}, {1}",
    "sub": "fsub double {0}, {1}",
    "mul": "fmul double {0}, {1}",
    "div": "fdiv double {0}, {1}",
    "neg": "fneg double {0}",
    "sin": "call double @llvm.sin.f64(double {0})",
    "cos": "call double @llvm.cos.f64(double {0})",
    "sqrt": "call double @llvm.sqrt.f64(double {0})",
    "abs": "call double @llvm.fabs.f64(double {0})",
    "atan2": "call double @atan2(double {0}, double {1})",
}


# several instructions


def _sign(w: _Writer, to: str, x: str) -> Iterator[str]:
    """x > 0 ? 1 : x < 0 ? −1 : x is NaN ? NaN : 0"""
    up, down, nan, low, rest = (w.helper() for _ in range(5))
    yield f"  {up} = fcmp ogt double {x}, 0.0"
    yield f"  {down} = fcmp olt double {x}, 0.0"
    yield f"  {nan} = fcmp uno double {x}, 0.0"
    yield f"  {rest} = select i1 {nan}, double {NAN}, double 0.0"
    yield f"  {low} = select i1 {down}, double -1.0, double {rest}"
    yield f"  {to} = select i1 {up}, double 1.0, double {low}"


def _extreme(comparison: str) -> Callable[..., Iterator[str]]:
    def code(w: _Writer, to: str, x: str, y: str) -> Iterator[str]:
        """x is NaN ? NaN : x beyond y ? x : y"""
        first, nan, best = (w.helper() for _ in range(3))
        yield f"  {first} = fcmp {comparison} double {x}, {y}"
        yield f"  {best} = select i1 {first}, double {x}, double {y}"
        yield f"  {nan} = fcmp uno double {x}, 0.0"
        yield f"  {to} = select i1 {nan}, double {NAN}, double {best}"

    return code


def _less(w: _Writer, to: str, x: str, y: str) -> Iterator[str]:
    """either is NaN ? NaN : x < y"""
    holds, bit, nan = (w.helper() for _ in range(3))
    yield f"  {holds} = fcmp olt double {x}, {y}"
    yield f"  {bit} = uitofp i1 {holds} to double"
    yield f"  {nan} = fcmp uno double {x}, {y}"
    yield f"  {to} = select i1 {nan}, double {NAN}, double {bit}"


def _select(w: _Writer, to: str, condition: str, yes: str, no: str) -> Iterator[str]:
    """condition is NaN ? NaN : condition ≠ 0 ? yes : no"""
    holds, chosen, nan = (w.helper() for _ in range(3))
    yield f"  {holds} = fcmp one double {condition}, 0.0"
    yield f"  {chosen} = select i1 {holds}, double {yes}, double {no}"
    yield f"  {nan} = fcmp uno double {condition}, 0.0"
    yield f"  {to} = select i1 {nan}, double {NAN}, double {chosen}"


_COMPOUND: dict[str, Callable[..., Iterator[str]]] = {
    "sign": _sign,
    "min": _extreme("olt"),
    "max": _extreme("ogt"),
    "less": _less,
    "select": _select,
}


# the two functions


def _prepare(tape: Tape) -> Iterator[str]:
    w, parameters = _Writer(tape), parameters_of(tape)
    yield "define void @prepare(ptr noalias readonly %.p, ptr noalias %.k) #0 {"
    for position, slot in enumerate(parameters.slots if parameters else ()):
        yield from w.load(slot, "%.p", position)
    for line in tape.offline:
        yield from w.line(line)
    for position, slot in enumerate(kept_slots(tape)):
        yield from w.store(slot, "%.k", position)
    yield "  ret void\n}"


def _run(tape: Tape) -> Iterator[str]:
    w, variables, kept = _Writer(tape), variables_of(tape), kept_slots(tape)
    yield f"define void @run({', '.join(_signature(len(variables), len(tape.outputs)))}) #0 {{\nentry:"
    for position, slot in enumerate(kept):
        yield from w.load(slot, "%.k", position)
    yield "  %.some = icmp sgt i64 %.n, 0\n  br i1 %.some, label %loop, label %done\nloop:"
    yield "  %.i = phi i64 [ 0, %entry ], [ %.next, %loop ]"
    for number, port in enumerate(variables):
        yield from _row(f"%.in{number}", f"%.step{number}")
        for position, slot in enumerate(port.slots):
            yield from w.load(slot, f"%.in{number}.row", position)
    for line in tape.online:
        yield from w.line(line)
    for number, port in enumerate(tape.outputs):
        yield from _row(f"%.out{number}", str(len(port.slots)))
        for position, slot in enumerate(port.slots):
            yield from w.store(slot, f"%.out{number}.row", position)
    yield "  %.next = add nsw i64 %.i, 1\n  %.more = icmp slt i64 %.next, %.n"
    yield "  br i1 %.more, label %loop, label %done\ndone:\n  ret void\n}"


def _signature(inputs: int, outputs: int) -> Sequence[str]:
    first = [f"ptr readonly %.in{i}, i64 %.step{i}" for i in range(inputs)]
    return [*first, "ptr noalias readonly %.k", *(f"ptr noalias %.out{i}" for i in range(outputs)), "i64 %.n"]


def _row(base: str, step: str) -> Iterator[str]:
    """The address of row i."""
    yield f"  {base}.offset = mul nsw i64 %.i, {step}"
    yield f"  {base}.row = getelementptr inbounds double, ptr {base}, i64 {base}.offset"


def literal(value: float) -> str:
    """A double, bit for bit."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"
