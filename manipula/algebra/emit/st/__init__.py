"""Structured Text (IEC 61131-3): functions for models, a function block for what remembers, and a self-testing program.

The number type is `LREAL`, or `REAL` by `dtype="float32"`. Arrays begin at 1, as the joints of the books do.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np

from manipula.algebra.emit import section, text
from manipula.algebra.emit.about import Context, Readme, Shown, fill_template, readme
from manipula.algebra.emit.backend import PLAIN, EmitOptions, Samples
from manipula.algebra.emit.ports import Argument, FoldedNamer, Memory, Namer, Split, split
from manipula.algebra.emit.reference import SINGLE_TOLERANCE, TOLERANCE, State, states, with_square_poses
from manipula.algebra.tape import Tape

# How each operation is written, and the words a name may not be. Capitals do not count, and no name holds two
# underscores in a row or ends in one.

LONGEST_NAME, LONGEST_LINE = 60, 112
_KEYWORDS = """
abstract action and any any_bit any_date any_derived any_elementary any_int any_magnitude any_num any_real any_string
array at bool by byte case char class configuration constant continue date date_and_time derived dint do dt dword else
elsif en end_action end_case end_class end_configuration end_for end_function end_function_block end_if end_interface
end_method end_namespace end_program end_property end_repeat end_resource end_step end_struct end_transition end_type
end_union end_var end_while eno exit extends f_edge false final for from function function_block goto if implements
initial_step int interface internal interval ldate ldt lint lreal ltime ltod lword method mod namespace non_retain not
null of on or overlap override pointer priority private program property protected public r_edge read_only read_write
real ref ref_to reference repeat resource retain return sint single step string struct super task then this time
time_of_day to tod transition true type udint uint ulint union until using usint var var_access var_config var_external
var_global var_in_out var_input var_inst var_output var_stat var_temp wchar while with word wstring xor and_then or_else
persistent bit jmp cal calc calcn ld ldn st stn ret retc retcn andn orn xorn s r
"""
_STANDARD = """
abs acos add adr and asin atan atan2 bitadr concat cos ctd ctu ctud delete div eq exp expt f_trig find floor ge gt
indexof insert le left len limit ln log lower_bound lt max mid min move mul mux ne r_trig replace right rol ror round
rs rtc sel sema shl shr sin sizeof sqrt sr sub tan tanh tof ton tp trunc upper_bound ini cmp lreal_to_lint lint_to_lreal
real_to_dint dint_to_real sincos sign pow
"""
_OWN = "k p_state state i1 i2 i3 got want failures passed worst status reset started done law x y yes no condition a t"
LIBRARY = {"sin": "SIN", "cos": "COS", "sqrt": "SQRT", "abs": "ABS", "exp": "EXP", "log": "LN"}
# the standard has no arctangent of two numbers, hyperbolic tangent or floor; the others differ at NaN from tool to tool
HELPERS = tuple(op for op in (*text.LIBRARY, *text.DECIDING, *text.GUARDED) if op not in LIBRARY)
RESERVED = frozenset([*_KEYWORDS.split(), *_STANDARD.split(), *_OWN.split()]) | {
    f"manipula_{op}{end}" for op in HELPERS for end in ("", "_real")
}


class StructuredText(text.Language):
    """Numbers have a point and digits on both sides of it, whatever their exponent."""

    single = False

    def number(self, value: float) -> text.Text:
        if self.single and isfinite(value):
            # the digits that REAL holds: tools refuse a literal out of its range
            with np.errstate(over="ignore"):
                value = float(str(np.float32(value)))
        literal = super().number(value)
        return text.Text(_with_point(literal.text), literal.strength)

    def constants(self, tape: Tape) -> dict[int, text.Text]:
        known = dict(tape.single) if self.single else {}
        return {slot: self.number(known.get(slot, value)) for slot, value in tape.constants}


class SingleText(StructuredText):
    single = True


def _with_point(literal: str) -> str:
    """1e-06 is 1.0E-6."""
    match = re.fullmatch(r"(-?\d+)(\.\d+)?e([-+]?)0*(\d+)", literal)
    if match is None:
        return literal
    whole, part, sign, power = match.groups()
    return f"{whole}{part or '.0'}E{'' if sign == '+' else sign}{power}"


def _language(kind: type[StructuredText], ending: str) -> StructuredText:
    named = {**LIBRARY, **{op: f"manipula_{op}{ending}" for op in HELPERS}}
    return kind(
        {**text.SIGNS_APART, **text.calls(named)},
        RESERVED,
        # no literal of the standard is infinite or no number, in either precision
        "EXP(1000.0)",
        "SQRT(-1.0)",
    )


LANGUAGE = _language(StructuredText, "")
SINGLE = _language(SingleText, "_real")


class PlcNamer(FoldedNamer):
    longest = LONGEST_NAME

    def cut(self, name: str, count: int) -> str:
        return re.sub("_+", "_", name)[:count].strip("_")


ROOM = 12  # letters: what is put behind a name, given_ and _prepare among them
PARTS = ("prepare", "fb", "test")


@dataclass(frozen=True)
class Iec61131:
    """The back end."""

    options: EmitOptions = PLAIN

    @property
    def single(self) -> bool:
        return self.options.dtype == "float32"

    def emit(self, tape: Tape, version: str, samples: Samples) -> dict[str, str]:
        tape = with_square_poses(tape)
        name = PlcNamer(RESERVED, ROOM).name(tape.name)
        found = states(tape, samples)
        shown = self.context(tape, name, version)
        arguments: Split = shown["split"]
        tables = _tables(arguments, found, self.language)
        test = {**shown, **tables, "states": len(found)}
        ending = "_real" if self.single else ""
        shared = {"real": shown["real"], "ending": ending, "single": self.single}
        return {
            f"manipula_functions{ending}.st": fill_template(__name__, "functions.st.jinja", shared),
            f"{name}.st": fill_template(__name__, "model.st.jinja", shown),
            f"{name}_test.st": fill_template(__name__, "test.st.jinja", test),
            f"README_{name}_st.md": readme(tape, name, version, arguments, _readme(name, shown, found[0], ending)),
        }

    @property
    def language(self) -> StructuredText:
        return SINGLE if self.single else LANGUAGE

    def context(self, tape: Tape, name: str, version: str) -> Context:
        taken = {*RESERVED, name, *(f"{name}_{part}" for part in PARTS)}
        arguments = split(tape, PlcNamer(taken, ROOM))
        names = section.TapeNames(tape, {*taken, *arguments.names}, PlcNamer)
        places = section.Places(place, place, lambda i: f"k[{i + 1}]")
        written = section.sections_named(tape, arguments, self.language, names, places)
        shown = section.context(tape, name, version, written)
        real = "REAL" if self.single else "LREAL"
        kept = len(arguments.kept)
        return shown | {
            "real": real,
            "tolerance": _with_point(repr(SINGLE_TOLERANCE if self.single else TOLERANCE)),
            "about": comment_lines(shown["about"]),
            "ports": comment_lines(shown["ports"]),
            "declared": lambda x: f"{x.name} : {kind(x.port.shape, real)};",
            "kind": lambda x: kind(x.port.shape, real),
            "k": f"k : {kind((kept,), real)};" if kept else "",
            "locals": {key: _locals(getattr(written, key), real) for key in ("prepare", "main")},
            "assigned": assignment,
            "call_statement": call_statement,
            "words": comment_text,
            "indices": _indices(arguments),
            **_block_names(arguments, shown["memory"], taken),
        }


def _block_names(arguments: Split, memory: Memory | None, taken: Collection[str]) -> Context:
    """What a function block calls the states it keeps."""
    namer = PlcNamer({*taken, *arguments.names})
    return {"now": {x.name: namer.name(f"{x.name}_now") for x, _ in memory.states} if memory else {}}


def place(argument: Argument, position: int) -> str:
    """tau[3], A[2, 1], energy"""
    entry = ", ".join(str(i + 1) for i in argument.entry(position))
    return f"{argument.name}[{entry}]" if entry else argument.name


def kind(shape: Sequence[int], real: str) -> str:
    """ARRAY[1..4, 1..4] OF LREAL"""
    return f"ARRAY[{', '.join(f'1..{n}' for n in shape)}] OF {real}" if shape else real


_PIECE = re.compile(r"[^ ,(*]*[ ,(*]+|[^ ,(*]+")


def broken_lines(statement: str, indent: int = 4) -> str:
    """A statement on as many lines as it needs, broken between words."""
    space, lines, line = " " * indent, [""], ""
    for part in _PIECE.findall(statement):
        if len(line) + len(part.rstrip()) > LONGEST_LINE - indent and line:
            lines.append("")
            line = ""
        line += part
        lines[-1] = line
    return space + f"\n{space}    ".join(piece.rstrip() for piece in lines)


def assignment(target: str, value: str, indent: int = 4) -> str:
    return broken_lines(f"{target} := {value};", indent)


def call_statement(
    target: str, name: str, given: Iterable[tuple[str, str]], taken: Iterable[tuple[str, str]], at: int
) -> str:
    """status := name(q := q, tau => tau); a line an argument"""
    arguments = [*(f"{x} := {y}" for x, y in given), *(f"{x} => {y}" for x, y in taken)]
    space = " " * at
    inner = f",\n{space}    ".join(arguments)
    return f"{space}{f'{target} := ' if target else ''}{name}(\n{space}    {inner});"


def _locals(section: section.Section, real: str) -> list[str]:
    """Declarations, several names a line."""
    lines: list[str] = []
    for name in (x.name for x in (*section.loads, *section.body)):
        if lines and len(lines[-1]) + len(name) + len(real) + 10 <= LONGEST_LINE:
            lines[-1] += f", {name}"
        else:
            lines.append(name)
    return [f"{line} : {real};" for line in lines]


def comment_text(words: str) -> str:
    """Nothing inside may end the comment, or start another."""
    return words.replace("(*", "( *").replace("*)", "* )").replace("/*", "/ *").replace("*/", "* /")


def comment_lines(lines: Iterable[str]) -> list[str]:
    return [comment_text(line) for line in lines]


def _indices(arguments: Split) -> list[str]:
    """What every parameter is: p[3] = d4"""
    return [
        f"{x.name}[{i}] = {comment_text(entry)}"
        for x in arguments.parameters
        for i, entry in enumerate(Namer(()).names(x.port.names), 1)
    ]


def _tables(arguments: Split, found: Sequence[State], language: StructuredText) -> Context:
    inputs = [*arguments.variables, *(arguments.parameters if arguments.kept else ())]
    return {
        "given": [_table("given", x, [state.inputs[x.port.name] for state in found], language) for x in inputs],
        "wanted": [_table("true", x, [s.outputs[x.port.name] for s in found], language) for x in arguments.outputs],
        "loops": loops,
    }


def _table(word: str, x: Argument, rows: Sequence[Sequence[float]], language: StructuredText) -> Context:
    """A table a state: its initial values, and apart from them what no literal can say."""
    name = f"{word}_{x.name}"
    digits = ", ".join(language.number(v).text if isfinite(v) else "0.0" for row in rows for v in row)
    odd = [
        assignment(f"{name}[{i}, {j}]", language.number(v).text)
        for i, row in enumerate(rows, 1)
        for j, v in enumerate(row, 1)
        if not isfinite(v)
    ]
    width = len(x.port.slots)
    shape = "" if not found_shape(x) else f"[{', '.join(f'i{n}' for n in range(1, len(x.port.shape) + 1))}]"
    return {
        "name": name,
        "argument": x,
        "entry": f"{x.name}{shape}",
        "cell": f"{name}[state, {flat_index(x.port.shape)}]",
        "text": broken_lines(f"{name} : ARRAY[1..{len(rows)}, 1..{width}] OF {{}} := [{digits}];", 4),
        "odd": odd,
    }


def found_shape(x: Argument) -> bool:
    return bool(x.port.shape)


def flat_index(shape: Sequence[int]) -> str:
    """The column of an entry in a table, row by row: (i1 - 1)*4 + i2"""
    index = ""
    for n, size in enumerate(shape, 1):
        index = f"({index} - 1)*{size} + i{n}" if index else f"i{n}"
    return index or "1"


def loops(x: Argument, lines: Sequence[str], indent: int = 8) -> str:
    """Lines for every entry of an argument."""
    shape, made = x.port.shape, []
    for n, size in enumerate(shape, 1):
        made.append(" " * (indent + 4 * (n - 1)) + f"FOR i{n} := 1 TO {size} DO")
    space = " " * (indent + 4 * len(shape))
    made += [f"{space}{line}" for line in lines]
    made += [" " * (indent + 4 * (n - 1)) + "END_FOR;" for n in range(len(shape), 0, -1)]
    return "\n".join(made)


_REMARKS = (
    "Arrays begin at 1: `q[1]` is the first joint. A function returns 0; with parameters, `{name}_prepare` returns the "
    "number of the condition that is broken.",
    "No pointers, no recursion, no memory outside the variables of the caller. Put the functions of "
    "`manipula_functions{ending}.st` into the project once, whatever the number of models.",
    "A negative square root, a logarithm of a negative number and NaN behave as the controller decides: switch its "
    "floating-point exceptions off, or keep inputs inside the domain of the model. Negative zero counts as zero.",
)
_BLOCK = (
    "`{name}_fb` remembers: the first call, and every call with `reset`, takes the starting states and the parameters; "
    "each call is one step. Where `status` is not 0, a condition is broken and the outputs stay as they were."
)


def _readme(name: str, shown: Shown, first: State, ending: str) -> Readme:
    arguments: Split = shown["split"]
    memory: Memory | None = shown["memory"]
    files = {
        f"{name}.st": "the functions" + (", and the function block" if memory else ""),
        f"{name}_test.st": "a program that compares with true values",
        f"manipula_functions{ending}.st": "small functions that the standard lacks; the same for every model",
    }
    given, taken = [x.name for x in arguments.variables], [x.name for x in arguments.outputs]
    kept = ["k"] if arguments.kept else []
    lines = [call_statement("status", name, _same([*given, *kept]), _same(taken), 0)]
    if arguments.kept:
        parameters = _same(x.name for x in arguments.parameters)
        lines.insert(0, call_statement("status", f"{name}_prepare", parameters, _same(kept), 0))
    if memory:
        start = [x.name for x in (*(x for x, _ in memory.states), *shown["parameters"])]
        inputs = [("reset", "reset"), *_same([*(x.name for x in memory.variables), *start])]
        results = [*_same(x.name for x in memory.outputs), ("status", "status")]
        lines.append(call_statement("", "law", inputs, results, 0))
    return Readme(
        "Structured Text (IEC 61131-3)",
        "iecst",
        files,
        "\n".join(lines),
        "\n".join([*_example(name, shown, first), "", *lines]),
        f"# put {name}.st, {name}_test.st and manipula_functions{ending}.st into a project,\n"
        f"# run {name}_test in a task and watch its variable passed",
        [x.format(name=name, ending=ending) for x in (*_REMARKS, *([_BLOCK] if memory else []))],
        verdict="It compares with true values computed with 40 digits; `passed` is TRUE when all agree.",
    )


def _same(names: Iterable[str]) -> list[tuple[str, str]]:
    return [(name, name) for name in names]


def _example(name: str, shown: Shown, first: State) -> Iterable[str]:
    arguments: Split = shown["split"]
    language = SINGLE if shown["real"] == "REAL" else LANGUAGE
    yield "VAR"
    for x in (*arguments.variables, *shown["parameters"]):
        values = ", ".join(language.number(v).text for v in first.inputs[x.port.name])
        begin = f"{x.name} : {shown['kind'](x)} := "
        yield broken_lines(f"{begin}[{values}];" if x.port.shape else f"{begin}{values};")
    yield from (f"    {shown['declared'](x)}" for x in arguments.outputs)
    if arguments.kept:
        yield f"    {shown['k']}"
    yield "    status : DINT;"
    if shown["memory"]:
        yield "    reset : BOOL;"
        yield f"    law : {name}_fb;"
    yield "END_VAR"
