"""Fortran 2018: a module of pure subroutines over one real kind, and a self-testing program.

The kind is that of the module `manipula_real`, of which there are two: double precision and single.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap

from manipula.algebra.emit import section, text
from manipula.algebra.emit.about import WIDTH, Context, Readme, Shown, fill_template, readme
from manipula.algebra.emit.ports import Argument, FoldedNamer, Memory, Split, split
from manipula.algebra.emit.reference import State, states
from manipula.algebra.tape import Tape
from manipula.scalar import OPS

# Fortran 2018: how each operation is written, how names and long lines are made fit, and what a name may not be.
#
# Capitals do not count, names have at most 63 letters, lines at most 132, and two operators may not touch.

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
HELPERS = (*text.DECIDING, *text.GUARDED, "floor", "log")  # Fortran's floor is an integer, and its log knows no zero
_NAMED = {
    **{op: OPS[op].word("fortran") for op in text.LIBRARY if op not in HELPERS},
    **{op: f"{op}_of" for op in HELPERS},
}
RESERVED = frozenset([*_STATEMENTS.split(), *_INTRINSIC.split(), *_OWN.split(), *_NAMED.values()])


class Fortran(text.Language):
    """Numbers carry their kind; one that single precision does not hold is made at run time."""

    def number(self, value: float) -> text.Text:
        literal = super().number(value)
        # a literal out of range is an error of the compiler in the single-precision build
        if value and not _SINGLE[0] < abs(value) < _SINGLE[1] and abs(value) < float("inf"):
            sign = "-" if value < 0 else ""
            return text.Text(f"{sign}number({abs(value)!r}_dp)", literal.strength)
        return literal if abs(value) < float("inf") else text.Text(literal.text.replace("_wp", ""), literal.strength)


LANGUAGE = Fortran(
    {**text.SIGNS_APART, **text.calls(_NAMED)},
    RESERVED,
    "infinite()",
    "not_a_number()",
    "{}_wp",
    "tolerance({}_dp, {}_dp)",
)
TABLE = text.Language(
    {}, RESERVED, "inf", "nan", "{}_dp"
)  # numbers of the self-test, where inf_dp and nan_dp are names


class FortranNamer(FoldedNamer):
    longest = LONGEST_NAME


# what may not be broken: a text between quotation marks, or all up to a space, a comma, a bracket, a product's sign
_PIECE = re.compile(r'"[^"]*"|[^ ,(*"]*[ ,(*]|[^ ,(*"]+')


def break_statement(statement: str, indent: int = 8) -> str:
    """A statement on as many lines as it needs, broken between words."""
    space, room = " " * indent, LONGEST_LINE - indent - 2
    if len(statement) <= LONGEST_LINE - indent:
        return space + statement
    lines: list[str] = []
    line = ""
    for part in _PIECE.findall(statement):
        # continued lines are indented by four more
        if len(line) + len(part) > room - (4 if lines else 0):
            lines.append(line)
            line = ""
        line += part
    rest = f" &\n{space}    ".join(piece.rstrip() for piece in (*lines, line))
    return space + rest


def quote_text(words: str) -> str:
    """A text in pieces that fit a line, put together by `//`."""
    pieces = [words[at : at + _TEXT] for at in range(0, len(words), _TEXT)]
    return " // ".join(f'"{piece}"' for piece in pieces)


def declare_names(kind: str, names: Sequence[str], indent: int = 8) -> list[str]:
    """Declarations of many names, one statement a line."""
    lines: list[str] = []
    for name in names:
        if lines and len(lines[-1]) + len(name) + 2 <= LONGEST_LINE:
            lines[-1] += f", {name}"
        else:
            lines.append(f"{' ' * indent}{kind} :: {name}")
    return lines


ROOM = 16  # letters: what is put behind the function's name, _condition among them
PARTS = ("model", "test", "prepare", "condition", "np", "nk", "state", "init", "step")
_REMEMBERS = (
    "`type({name}_state)` is the memory, and it is yours: `{name}_init` fills it from the states to start from and the "
    "parameters, `{name}_step` goes one step. Set a state between steps by writing into it."
)


class Fortran2018:
    """The back end."""

    def emit(self, tape: Tape, version: str, samples: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, str]:
        name = FortranNamer(RESERVED, ROOM).name(tape.name)
        found = states(tape, samples)
        shown = _context(tape, name, version)
        arguments: Split = shown["split"]
        test = {**shown, **section.self_test_tables(arguments, found, TABLE), "chunks": chunks}
        return {
            "manipula_real.f90": fill_template(__name__, "real.f90.jinja", {"single": False}),
            "manipula_real_single.f90": fill_template(__name__, "real.f90.jinja", {"single": True}),
            f"{name}.f90": fill_template(__name__, "module.f90.jinja", shown),
            f"{name}_test.f90": fill_template(__name__, "test.f90.jinja", test),
            f"README_{name}_fortran.md": readme(tape, name, version, arguments, _readme(name, shown, found[0])),
        }


def _context(tape: Tape, name: str, version: str) -> Context:
    written = _sections(tape, name)
    arguments = written.split
    kept = ["k"] if arguments.kept else []
    shown = section.context(tape, name, version, written)
    return shown | {
        **_step_arguments(arguments, shown),
        "continued": break_statement,
        "quoted": quote_text,
        "locals": {key: _locals(getattr(written, key)) for key in ("prepare", "main")},
        "prepared": ", ".join([*(x.name for x in arguments.parameters), "k", "status"]),
        "handed": ", ".join([*(x.name for x in arguments.variables), *kept, *(x.name for x in arguments.outputs)]),
        "indices": _indices(arguments, name),
        "size": size,
        "flat": flat,
    }


def _sections(tape: Tape, name: str) -> section.Sections:
    """Names by Fortran's rules."""
    taken = {*RESERVED, name, *(f"{name}_{part}" for part in PARTS)}
    arguments = split(tape, FortranNamer(taken, ROOM))
    names = section.TapeNames(tape, {*taken, *arguments.names}, FortranNamer)
    return section.sections_named(
        tape, arguments, LANGUAGE, names, section.Places(place, place, lambda i: f"k({i + 1})")
    )


def _step_arguments(arguments: Split, shown: Shown) -> dict[str, str]:
    """What the memory is called, and what is handed to the subroutines around it."""
    memory: Memory | None = shown["memory"]
    if memory is None:
        return {}
    own = FortranNamer({*arguments.names, "k", "status"}).name("memory")
    start = [*(x.name for x, _ in memory.states), *(x.name for x in shown["parameters"])]
    kept = [f"{own}%k"] if arguments.kept else []
    # members of a derived type stand behind a percent sign
    inputs = [f"{own}%{x.name}" if memory.is_state(x) else x.name for x in arguments.variables]
    return {
        "own": own,
        "started": ", ".join([own, *start, "status"]),
        "stepped": ", ".join([own, *(x.name for x in (*memory.variables, *memory.outputs))]),
        "inner_prepared": ", ".join([*(x.name for x in shown["parameters"]), *kept, "status"]),
        "inner": ", ".join([*inputs, *kept, *(x.name for x in arguments.outputs)]),
    }


def place(argument: Argument, position: int) -> str:
    """tau(3), A(2, 1), energy"""
    entry = ", ".join(str(i + 1) for i in argument.entry(position))
    return f"{argument.name}({entry})" if entry else argument.name


def size(argument: Argument) -> str:
    """(4, 4); nothing for a number"""
    return f"({', '.join(map(str, argument.port.shape))})" if argument.port.shape else ""


def flat(argument: Argument, array: str) -> str:
    """An array's entries row by row, though Fortran keeps columns together."""
    shape = argument.port.shape
    if len(shape) < 2:
        return array if shape else f"[{array}]"
    # Fortran keeps columns together, our tables rows: reversed axes turn one into the other
    sizes, order = (", ".join(map(str, x)) for x in (reversed(shape), range(len(shape), 0, -1)))
    return f"reshape(reshape({array}, [{sizes}], order=[{order}]), [{len(argument.port.slots)}])"


def chunks(rows: Sequence[str]) -> Iterable[tuple[int, int, str]]:
    """First index, last index and the numbers of every line of a row: a statement each, none too long."""
    at = 1
    for line in rows:
        words = line.rstrip(",")
        count = words.count(",") + 1
        yield at, at + count - 1, words
        at += count


def _locals(section: section.Section) -> list[str]:
    return declare_names("real(wp)", [x.name for x in (*section.loads, *section.body)])


def _indices(arguments: Split, name: str) -> list[tuple[str, int]]:
    """An index for every parameter: name_p_d4 = 4"""
    namer = FortranNamer({f"{name}_{part}" for part in PARTS})
    return [
        (namer.name(f"{name}_{x.name}_{entry}"), i + 1)
        for x in arguments.parameters
        for i, entry in enumerate(x.port.names)
    ]


def _readme(name: str, shown: Shown, first: State) -> Readme:
    arguments: Split = shown["split"]
    sources = f"{name}.f90 {name}_test.f90 -o {name}_test"
    signature = [f"call {name}({shown['handed']})"]
    if arguments.kept:
        signature.insert(0, f"call {name}_prepare({shown['prepared']})")
    if shown["memory"]:
        signature += [f"call {name}_init({shown['started']})", f"call {name}_step({shown['stepped']})"]
    return Readme(
        "Fortran 2018",
        "fortran",
        {
            f"{name}.f90": f"the module `{name}_model`: pure subroutines, explicit kinds, no allocation",
            f"{name}_test.f90": "a program that compares with true values",
            "manipula_real.f90": "the number type, double precision, and small functions; the same for every model",
            "manipula_real_single.f90": "the same in single precision: compile one of the two",
        },
        "\n".join(signature),
        "\n".join(_example(name, shown, first)),
        f"gfortran -std=f2018 -O2 -Wall manipula_real.f90 {sources} && ./{name}_test",
        [
            "Arrays have their own shape, indices from 1: `A(2, 1)` is row 2, column 1. The subroutines are `pure`, so "
            "`do concurrent` may call them for many states. No output may be the memory of an input.",
            *([_REMEMBERS.format(name=name)] if shown["memory"] else []),
        ],
        arrays="Columns lie together, as in all Fortran.",
    )


def _example(name: str, shown: Shown, first: State) -> Iterable[str]:
    arguments: Split = shown["split"]
    yield "use manipula_real, only: wp"
    yield f"use {name}_model"
    for x in arguments.outputs:
        yield f"real(wp) :: {x.name}{size(x)}"
    if arguments.kept:
        yield f"real(wp) :: k({name}_nk)"
    if arguments.kept or shown["memory"]:
        yield "integer :: status"
    if shown["memory"]:
        yield f"type({name}_state) :: {shown['own']}"
    for x in (*arguments.variables, *(arguments.parameters if arguments.kept else ())):
        yield f"real(wp) :: {x.name}({len(x.port.slots)}) = {_values(x, first)}"
    if arguments.kept:
        yield f"call {name}_prepare({shown['prepared']})  ! once per parameter set"
        yield f"if (status /= 0) error stop {name}_condition(status)"
    yield f"call {name}({shown['handed']})"
    if shown["memory"]:
        yield f"call {name}_init({shown['started']})"
        yield f"call {name}_step({shown['stepped']})  ! again and again"


def _values(argument: Argument, state: State) -> str:
    """[0.1_wp, 0.2_wp], on as many lines as it needs"""
    values = ", ".join(f"{x!r}_wp" for x in state.inputs[argument.port.name])
    return "[" + " &\n    ".join(wrap(values, WIDTH)) + "]"
