"""Fortran 2018: how each operation is written, how names and long lines are made fit, and what a name may not be.

Capitals do not count, names have at most 63 letters, lines at most 132, and two operators may not touch.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from manipula.algebra.emit.names import Namer, identifier
from manipula.algebra.emit.section import TapeNames
from manipula.algebra.emit.text import (
    DECIDING,
    GUARDED,
    LIBRARY,
    PRODUCT,
    SUM,
    Language,
    Negation,
    Text,
    calls,
)
from manipula.algebra.tape import Tape
from manipula.scalar import OPS

LONGEST_NAME, LONGEST_LINE = 63, 132
_TEXT = 80  # letters between two quotation marks
_SINGLE = 1.2e-38, 3.4e38  # what a number of single precision holds

_STATEMENTS = """
allocatable allocate associate asynchronous backspace bind block call case character class close codimension common
complex concurrent contains contiguous continue critical cycle data deallocate deferred dimension do double elemental
else elseif elsewhere end endif enddo entry enum enumerator equivalence error exit extends external file final flush
forall format function generic goto go to if implicit import impure in include inout inquire integer intent interface
intrinsic is kind len lock logical module namelist nopass non_overridable non_recursive null nullify only open operator
optional out parameter pass pause pointer precision print private procedure program protected public pure rank read
real recursive result return rewind save select sequence stop submodule subroutine sync target then type unlock use
value volatile wait where while write
"""  # legal as names, and unreadable
_INTRINSIC = """
abs achar acos acosh adjustl adjustr aimag aint all anint any asin asinh atan atan2 atanh bessel_j0 bessel_j1 bessel_jn
bessel_y0 bessel_y1 bessel_yn btest ceiling char cmplx conjg cos cosh count cpu_time cshift dble digits dim dot_product
dprod eoshift epsilon erf erfc erfc_scaled exp exponent floor fraction gamma huge hypot iachar iand ibclr ibits ibset
ichar ieor index int ior ishft ishftc kind lbound len len_trim lge lgt lle llt log log10 log_gamma logical matmul max
maxexponent maxloc maxval merge min minexponent minloc minval mod modulo nearest nint norm2 not pack precision present
product radix random_number range real repeat reshape rrspacing scale scan selected_real_kind set_exponent shape sign
sin sinh size spacing spread sqrt sum system_clock tan tanh tiny trailz transfer transpose trim ubound unpack verify
ieee_value ieee_is_nan ieee_quiet_nan ieee_positive_inf iso_c_binding ieee_arithmetic c_double c_float
"""
_OWN = """
wp dp manipula_real tolerance number infinite not_a_number broken status words k program memory passed failures worst
state given_ true_ got_ nan_dp inf_dp entry x y yes no condition
"""
HELPERS = (*DECIDING, *GUARDED, "floor", "log")  # Fortran's floor is an integer, and its log knows no zero
_NAMED = {
    **{op: OPS[op].word("fortran") for op in LIBRARY if op not in HELPERS},
    **{op: f"{op}_of" for op in HELPERS},
}
RESERVED = frozenset([*_STATEMENTS.split(), *_INTRINSIC.split(), *_OWN.split(), *_NAMED.values()])


@dataclass(frozen=True)
class Infix:
    """a + b. A sign right behind another operator is bracketed: `a*-b` is no Fortran."""

    sign: str
    strength: int
    needs: tuple[int, int]

    def __call__(self, args: Sequence[Text]) -> Text:
        left, right = (x.within(need) for x, need in zip(args, self.needs, strict=True))
        right = f"({right})" if right.startswith("-") else right
        return Text(f"{left}{self.sign}{right}", self.strength)


class Fortran(Language):
    """Numbers carry their kind; one that single precision does not hold is made at run time."""

    def number(self, value: float) -> Text:
        found = super().number(value)
        if value and not _SINGLE[0] < abs(value) < _SINGLE[1] and abs(value) < float("inf"):
            sign = "-" if value < 0 else ""
            return Text(f"{sign}number({abs(value)!r}_dp)", found.strength)
        return found if abs(value) < float("inf") else Text(found.text.replace("_wp", ""), found.strength)


LANGUAGE = Fortran(
    {
        "add": Infix(" + ", SUM, (SUM, PRODUCT)),
        "sub": Infix(" - ", SUM, (SUM, PRODUCT)),
        "mul": Infix("*", PRODUCT, (PRODUCT, PRODUCT + 1)),
        "div": Infix("/", PRODUCT, (PRODUCT, PRODUCT + 1)),
        "neg": Negation(),
        **calls(_NAMED),
    },
    RESERVED,
    "infinite()",
    "not_a_number()",
    "{}_wp",
    "tolerance({}_dp, {}_dp)",
)
TABLE = Language({}, RESERVED, "inf", "nan", "{}_dp")  # numbers of the self-test, where inf_dp and nan_dp are names


class FoldedNamer(Namer):
    """Hands out names that differ in more than capitals and leave room for what is put behind them."""

    def __init__(self, reserved: Collection[str], room: int = 0) -> None:
        super().__init__({word.lower() for word in reserved})
        self.longest = LONGEST_NAME - room

    def name(self, wish: str) -> str:
        base = identifier(wish)[: self.longest]
        found, count = base, 1
        while found.lower() in self.taken:
            count += 1
            found = f"{base[: self.longest - len(str(count)) - 1]}_{count}"
        self.taken.add(found.lower())
        return found


class FoldedNames(TapeNames):
    """The tape's own names, by Fortran's rules."""

    def __init__(self, tape: Tape, reserved: Collection[str]) -> None:
        super().__init__(tape, ())
        self.words = FoldedNamer(reserved).names(tape.names)


# what may not be broken: a text between quotation marks, or all up to a space, a comma, a bracket, a product's sign
_PIECE = re.compile(r'"[^"]*"|[^ ,(*"]*[ ,(*]|[^ ,(*"]+')


def continued(statement: str, indent: int = 8) -> str:
    """A statement on as many lines as it needs, broken between words."""
    space, room = " " * indent, LONGEST_LINE - indent - 2
    if len(statement) <= LONGEST_LINE - indent:
        return space + statement
    lines: list[str] = []
    line = ""
    for part in _PIECE.findall(statement):
        if len(line) + len(part) > room - (4 if lines else 0):
            lines.append(line)
            line = ""
        line += part
    rest = f" &\n{space}    ".join(piece.rstrip() for piece in (*lines, line))
    return space + rest


def quoted(words: str) -> str:
    """A text in pieces that fit a line, put together by `//`."""
    pieces = [words[at : at + _TEXT] for at in range(0, len(words), _TEXT)]
    return " // ".join(f'"{piece}"' for piece in pieces)


def declared(kind: str, names: Sequence[str], indent: int = 8) -> list[str]:
    """Declarations of many names, one statement a line."""
    lines: list[str] = []
    for name in names:
        if lines and len(lines[-1]) + len(name) + 2 <= LONGEST_LINE:
            lines[-1] += f", {name}"
        else:
            lines.append(f"{' ' * indent}{kind} :: {name}")
    return lines
