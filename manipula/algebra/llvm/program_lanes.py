"""Laned programs (see `program.lanes`) as LLVM assembly, any number of lanes wide, with the same bits in each.

A real number is a vector with one entry a lane, and an array of n reals stands in memory as n such vectors; whole
numbers are common to all lanes. No product is fused with a sum unless a tape says so, and what has no vector
instruction is computed lane by lane, so one lane alone and many side by side agree bit by bit.

The entry takes places in memory for everything that differs from lane to lane, its result last.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from manipula.algebra.llvm.program_operations import ROUNDED, TYPES, WHOLES, laned_text, literal
from manipula.algebra.llvm.program_writer import Writer, module
from manipula.algebra.program.tapes import Varying, check_laned
from manipula.algebra.program.tree import Expr, Kind, ProgramOp, Routine
from manipula.algebra.tape import Tape
from manipula.errors import InputError

COMMON: dict[Kind, str] = {kind: TYPES[kind] for kind in ("flag", "int", "word")}  # the same in all lanes


def laned_assembly(routines: Sequence[Routine], lanes: int) -> str:
    """The last routine can be called from outside, as NAME.laned."""
    check_laned(routines)
    # LLVM splits vectors of other lengths into pieces
    if lanes < 1 or lanes & (lanes - 1):
        raise InputError("lanes: found {lanes}; a power of two is needed", lanes)
    writer = writer_of(lanes)
    return "\n".join([module(routines, writer, ()), *writer(routines[-1], False).entry()])


def routine_abreast(routine: Routine, lanes: int) -> str:
    """One routine that calls no others, as part of a module whose other functions have one lane."""
    check_laned([routine])
    writer = writer_of(lanes)
    return "\n".join([*writer(routine, False).lines(), *writer.declarations()])


def writer_of(lanes: int) -> type[LanedWriter]:
    real, flag = f"<{lanes} x double>", f"<{lanes} x i1>"
    types = {**TYPES, "real": real, "flag": flag}
    cells = {**TYPES, "real": f"[{lanes} x double]", "complex": f"[{2 * lanes} x double]"}
    return type("Lanes", (LanedWriter,), {"lanes": lanes, "types": types, "cells": cells, "steps": ROUNDED})


class LanedWriter(Writer):
    """One function. A condition is a vector, too; what jumps is the same in all lanes, so lane 0 decides."""

    lanes = 1

    def __init__(self, routine: Routine, public: bool) -> None:
        super().__init__(routine, public)
        self.varying = Varying(routine)

    @classmethod
    def more(cls, tapes: Mapping[str, Tape], known: Sequence[str]) -> list[str]:
        """What the functions call."""
        own = cls.declarations()
        return [*own, laned_text(tapes, cls.lanes, [*known, *own])]

    @classmethod
    def declarations(cls) -> list[str]:
        real = cls.types["real"]
        return [f"declare {real} @llvm.{name}.v{cls.lanes}f64({real})" for name in ("sqrt", "fabs", *WHOLES)]

    def entry(self) -> Iterator[str]:
        """NAME.laned: numbers that differ from lane to lane come and go through memory."""
        routine = self.routine
        wide = routine.returns == "real"
        if routine.returns in ("flag", "complex") or "complex" in routine.parameters.values():
            raise InputError(
                "{file}: {routine}: a lane's conditions and complex numbers stand in arrays", routine.file, routine.name
            )
        parameters = [f"{COMMON.get(kind, 'ptr')} %{name}" for name, kind in routine.parameters.items()]
        parameters += ["ptr %result"] if wide else []
        returns = TYPES["none" if wide else routine.returns]
        yield f"define {returns} @{routine.name}.laned({', '.join(parameters)}) nounwind {{"
        words = [
            f"{self.types.get(kind, 'ptr')} {self.load_argument(name, kind)}"
            for name, kind in routine.parameters.items()
        ]
        call = f"call {self.types[routine.returns]} @{routine.name}({', '.join(words)})"
        if routine.returns == "none":
            self.emit(f"{call}\n  ret void")
        elif wide:
            self.keep("real", self.new(call), "%result")
            self.emit("ret void")
        else:
            self.emit(f"ret {returns} {self.new(call)}")
        yield from self.out
        yield "}"

    def load_argument(self, name: str, kind: Kind) -> str:
        if kind == "real":
            return self.load(kind, f"%{name}")
        return self.spread(f"%{name}", "i1") if kind == "flag" else f"%{name}"

    # memory

    def load(self, kind: Kind, place: str) -> str:
        if kind == "real":
            # aligned to one double only: an array that is handed in may begin anywhere
            return self.new(f"load {self.real_type}, ptr {place}, align 8")
        if kind == "complex":
            return self.pair(*(self.load("real", x) for x in self.halves(place)))
        return super().load(kind, place)

    def keep(self, kind: Kind, value: str, place: str) -> None:
        if kind == "real":
            self.emit(f"store {self.real_type} {value}, ptr {place}, align 8")
        elif kind == "complex":
            for part, at in zip(self.parts(value), self.halves(place), strict=True):
                self.keep("real", part, at)
        else:
            super().keep(kind, value, place)

    def halves(self, place: str) -> tuple[str, str]:
        return place, self.new(f"getelementptr inbounds double, ptr {place}, i64 {self.lanes}")

    # values

    def literal(self, kind: Kind, value: float) -> str:
        if kind not in ("real", "flag"):
            return literal(kind, value)
        return f"<{', '.join([f'{TYPES[kind]} {literal(kind, value)}'] * self.lanes)}>"

    def spread(self, x: str, scalar: str) -> str:
        """The same in every lane."""
        vector = f"<{self.lanes} x {scalar}>"
        first = self.new(f"insertelement {vector} poison, {scalar} {x}, i64 0")
        return self.new(f"shufflevector {vector} {first}, {vector} poison, <{self.lanes} x i32> zeroinitializer")

    def first(self, x: str) -> str:
        """Lane 0 of a condition that is the same in all."""
        return self.new(f"extractelement {self.types['flag']} {x}, i64 0")

    def condition(self, x: Expr) -> str:
        return self.first(self.value(x))

    def compare(self, name: str, kind: Kind, a: str, b: str) -> str:
        if kind in ("real", "flag"):
            return super().compare(name, kind, a, b)
        return self.spread(super().compare(name, kind, a, b), "i1")

    def select(self, kind: Kind, test: str, yes: str, no: str) -> str:
        if kind in ("real", "flag"):
            return super().select(kind, test, yes, no)
        return self.new(f"select i1 {self.first(test)}, {self.types[kind]} {yes}, {self.types[kind]} {no}")

    def short_circuit(self, x: ProgramOp) -> str:
        """Both are computed, unless the first is the same in all lanes: it may guard the second."""
        flag = self.types["flag"]
        first = self.value(x.args[0])
        # lanes may disagree: both sides are computed, as nothing jumps by data
        if self.varying(x.args[0]):
            return self.new(f"{x.name} {flag} {first}, {self.value(x.args[1])}")
        more, after = self.labels("more", "after")
        place = self.place_for("flag")
        self.emit(f"store {flag} {first}, ptr {place}")
        ways = (more, after) if x.name == "and" else (after, more)
        self.emit(f"br i1 {self.first(first)}, label %{ways[0]}, label %{ways[1]}")
        self.out.append(f"{more}:")
        self.emit(f"store {flag} {self.value(x.args[1])}, ptr {place}")
        self.mark(after)
        return self.new(f"load {flag}, ptr {place}")

    def size(self, kind: Kind, x: str) -> str:
        if kind != "real":
            return super().size(kind, x)
        return self.new(f"call {self.real_type} @llvm.fabs.v{self.lanes}f64({self.real_type} {x})")

    def function(self, name: str, *args: str) -> str:
        if name in ("sqrt", *WHOLES):
            return self.new(f"call {self.real_type} @llvm.{name}.v{self.lanes}f64({self.real_type} {args[0]})")
        vector = "poison"
        for lane in range(self.lanes):
            one = [self.new(f"extractelement {self.real_type} {x}, i64 {lane}") for x in args]
            # vector libraries round otherwise than the system's function, and differ from host to host
            value = super().function(name, *one)
            vector = self.new(f"insertelement {self.real_type} {vector}, double {value}, i64 {lane}")
        return vector

    def convert(self, held: Kind, kind: Kind, x: str) -> str:
        if kind == "real" and held == "flag":
            return self.new(f"uitofp {self.types['flag']} {x} to {self.real_type}")
        if kind == "real":
            return self.spread(self.new(f"{'sitofp' if held == 'int' else 'uitofp'} i64 {x} to double"), "double")
        return super().convert(held, kind, self.first(x) if held == "flag" else x)
