"""Tapes as functions that a program calls: the same text as that of a compiled tape, under names of their own.

void @NAME.main(ptr variable, …, ptr k, ptr output, …)          k only where something is prepared
i64 @NAME.prepare(ptr p, ptr k)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from manipula.algebra.machine.code import host
from manipula.algebra.machine.ir import lanes_function, straight_functions
from manipula.algebra.machine.sincos import MEND
from manipula.algebra.machine.writer import Writer, declarations
from manipula.algebra.tape import Port, Tape, kept_slots, variables_of

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
        text = _OWN.sub(partial(_renamed, name), text)
        lines += re.sub("^define (void|i32)", r"define internal \1", text, flags=re.M).splitlines()
    once = dict.fromkeys(line for line in [*lines, *MEND.splitlines()] if line.startswith(("declare", "!")))
    return "\n".join(
        [*(x for x in once if x not in known), *(x for x in [*lines, *MEND.splitlines()] if x not in once)]
    )


def _renamed(name: str, found: re.Match[str]) -> str:
    return f"@{name}.{_NAMES[found[1]]}"


def _main(tape: Tape) -> Iterator[str]:
    """With the arguments of `program.tapes`: ports without entries are left out."""
    kept = bool(kept_slots(tape))
    ins = [f"%in{i}" if port.slots else "null" for i, port in enumerate(variables_of(tape))]
    outs = [f"%out{i}" if port.slots else "null" for i, port in enumerate(tape.outputs)]
    taken = [x for x in [*ins, *(["%k"] if kept else []), *outs] if x != "null"]
    given = ", ".join(f"ptr {x}" for x in [*ins, "%k" if kept else "null", *outs])
    yield f"define void @main({', '.join(f'ptr {x}' for x in taken)}) nounwind {{"
    yield f"  call void @one({given})\n  ret void\n}}"


def _status(tape: Tape) -> Iterator[str]:
    """`prepare`, and the number of the condition that the parameters break."""
    ports = [port for port in tape.inputs if not port.online and port.slots]
    arrays = [f"ptr %p{i}" for i in range(len(ports))] if len(ports) > 1 else ["ptr %p"]
    yield f"define internal i64 @status({', '.join([*arrays, 'ptr %k'])}) nounwind {{"
    yield from _gathered(ports)
    yield "  call void @prepare(ptr %p, ptr %k)"
    yield "  %found = call i32 @broken(ptr %p)" if tape.checks else "  %found = add i32 0, 0"
    yield "  %wide = sext i32 %found to i64\n  ret i64 %wide\n}"


def _gathered(ports: Sequence[Port]) -> Iterator[str]:
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
