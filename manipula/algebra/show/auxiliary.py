"""The tape as equations: every line that computes, then the outputs; signs and constants stand inline."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import product as indices

from manipula.algebra.expr.function import Function
from manipula.algebra.show.layout import Line as Written
from manipula.algebra.show.names import entry_names
from manipula.algebra.simplify.tree import (
    MINUS,
    FormulaCall,
    FormulaNumber,
    FormulaTree,
    Inverse,
    Symbol,
    product_of,
    sum_of,
)
from manipula.algebra.tape import Line, Tape, tape_from_function

_FRESH = re.compile(r"D\d+")


def auxiliary_lines(function: Function) -> list[Written]:
    """D1 = a2*c2, … then tau1 = D1 + D7"""
    tape = tape_from_function(function)
    parts = _leaves(tape)
    direct = _outputs_at_their_line(tape)
    own = entry_names(function)  # entries c1, c2 of an output c: no sine or cosine may be called so beside them
    taken, count = {name for name in tape.names if not _FRESH.fullmatch(name)} | _given(tape) | own, 0
    lines: list[Written] = []
    for line in tape.lines:
        right = _right(line, [parts[slot] for slot in line.args])
        if line.op == "neg" or line.slot in direct:
            parts[line.slot] = right
        else:
            name = tape.names[line.slot]
            if (
                _FRESH.fullmatch(name) or name in own
            ):  # numbered anew: the tape has numbers for lines that stand inline here
                count = next(number for number in range(count + 1, len(tape.names) + 2) if f"D{number}" not in taken)
                name = f"D{count}"
            parts[line.slot] = Symbol(name, line.slot >= _first_online(tape))
            lines.append(((name, ()), right))
    for port in tape.outputs:
        places = indices(*(range(1, size + 1) for size in port.shape))
        lines += [((port.name, place), parts[slot]) for place, slot in zip(places, port.slots, strict=True)]
    return lines


def _given(tape: Tape) -> set[str]:
    return {name for port in tape.inputs for name in port.names}


def _leaves(tape: Tape) -> dict[int, FormulaTree]:
    parts: dict[int, FormulaTree] = {slot: FormulaNumber(Fraction(repr(value))) for slot, value in tape.constants}
    for port in tape.inputs:
        parts.update({slot: Symbol(name, port.online) for slot, name in zip(port.slots, port.names, strict=True)})
    return parts


def _first_online(tape: Tape) -> int:
    return tape.online[0].slot if tape.online else len(tape.names)


def _outputs_at_their_line(tape: Tape) -> set[int]:
    """Slots that nothing but one output reads: the operation stands in the output's own line."""
    reads = [slot for line in tape.lines for slot in line.args] + [s for port in tape.outputs for s in port.slots]
    own = {slot for port in tape.outputs for slot in port.slots}
    return {slot for slot in own if reads.count(slot) == 1}


def _right(line: Line, args: list[FormulaTree]) -> FormulaTree:
    match line.op:
        case "add":
            return sum_of(args)
        case "sub":
            return sum_of([args[0], product_of([MINUS, args[1]])])
        case "mul":
            return product_of(args)
        case "div":
            return product_of([args[0], Inverse(args[1])])
        case "neg":
            return product_of([MINUS, args[0]])
    return FormulaCall(line.op, tuple(args))
