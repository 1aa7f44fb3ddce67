"""Programs as static C99 functions over a number type, mostly double; complex numbers are a struct of two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

from manipula.algebra.emit.about import WIDTH, Context, fill_template, with_licence
from manipula.algebra.emit.c import comment_lines
from manipula.algebra.emit.c.spelling import BOTH, DOUBLE, KEYWORDS, RESERVED, Precision
from manipula.algebra.emit.choice import Case
from manipula.algebra.emit.ports import Namer, Split, ascii_text
from manipula.algebra.emit.program import ProgramWriter
from manipula.algebra.emit.reference import SINGLE_TOLERANCE, TOLERANCE
from manipula.algebra.emit.section import unused_arguments
from manipula.algebra.emit.text import Language, Pair, number
from manipula.algebra.program import tree
from manipula.algebra.tape import Tape
from manipula.errors import InputError

BYTES: dict[tree.Kind, int] = {"ints": 4, "words": 8, "reals": 8, "complexes": 16}
MATHS = ("sqrt", "exp", "log", "sin", "cos", "floor", "ceil", "rint")
FORMS = {
    "from": "({0} + {1})", "neg": "(-{0})", "not": "(!{0})",
    "choose": "({0} ? {1} : {2})", "select": "({0} ? {1} : {2})", "real": "{0}.re", "imag": "{0}.im",
    "abs int": "(({0} < 0) ? -{0} : {0})", "min": "(({0} < {1}) ? {0} : {1})",
    "max": "(({0} > {1}) ? {0} : {1})", "to_real": "({real}){0}", "to_int from flag": "{0}", "to_int": "({int}){0}",
    "to_word": "(uint64_t){0}", "high": "high_product({bare[0]}, {bare[1]})",
    "idiv": "floor_quotient({bare[0]}, {bare[1]})", "mod": "floor_remainder({bare[0]}, {bare[1]})",
}  # fmt: skip
FLOOR = (
    "/* Rounded down, also where a number is negative. */",
    "static {int} floor_quotient({int} a, {int} b)",
    "{{",
    "    return (a / b) - ((((a % b) != 0) && (((a % b) < 0) != (b < 0))) ? 1 : 0);",
    "}}",
)
REST = (
    "/* With the sign of b. */",
    "static {int} floor_remainder({int} a, {int} b)",
    "{{",
    "    return (a % b) + ((((a % b) != 0) && (((a % b) < 0) != (b < 0))) ? b : 0);",
    "}}",
)
HIGH = (
    "/* The upper half of the 128 bits of a product. */",
    "static uint64_t high_product(uint64_t a, uint64_t b)",
    "{{",
    "    const uint64_t half = UINT64_C(0xffffffff);",
    "    const uint64_t low = (a & half) * (b & half);",
    "    const uint64_t one = ((a >> 32) * (b & half)) + (low >> 32);",
    "    const uint64_t two = ((a & half) * (b >> 32)) + (one & half);",
    "",
    "    return ((a >> 32) * (b >> 32)) + (one >> 32) + (two >> 32);",
    "}}",
)


class CProgram(ProgramWriter):
    """C99. Whole numbers are `int`, or `int64_t` where the text needs more than 32 bits (`wide`)."""

    reserved = frozenset({*KEYWORDS.split(), "pair"})  # the type of complex numbers
    decides = False
    storage = "static "
    restrict = "restrict "

    def __init__(
        self,
        routines: Sequence[tree.Routine],
        public: Sequence[str] = (),
        wide: bool = False,
        precision: Precision = DOUBLE,
        inline: str = "",
    ) -> None:
        """`inline`: what names begin with where the text stands in a header."""
        super().__init__(routines, public)
        if inline:
            self.storage = "static inline "
            self.restrict = ""
            self.called = {name: f"{inline}_{word}" for name, word in self.called.items()}
            self.straight = {name: f"{inline}_{word}" for name, word in self.straight.items()}
        self.precision = precision
        self.numbers = precision.language("")
        self.whole = "int64_t" if wide else "int"
        self.wide = wide
        self.types = {"none": "void", "flag": "int", "int": self.whole, "word": "uint64_t", "real": precision.real}
        self.types["complex"] = "pair"
        forms = {**self.maths_forms(), **FORMS}
        self.forms = {key: x.replace("{int}", self.whole).replace("{real}", precision.real) for key, x in forms.items()}
        # C rounds quotients towards zero and has no product of 128 bits
        made = {"idiv": FLOOR, "mod": REST, "high": HIGH}
        self.helpers = {
            key: [self.with_storage(x.format(int=self.whole)) for x in lines] for key, lines in made.items()
        }

    def maths_forms(self) -> dict[str, str]:
        """Functions of math.h for the number type."""
        called = self.precision.function
        forms = {f"{name} real": f"{called(name)}({{bare[0]}})" for name in MATHS}
        return {
            **forms,
            "atan2": f"{called('atan2')}({{bare[0]}}, {{bare[1]}})",
            "abs real": f"{called('fabs')}({{0}})",
        }

    def with_storage(self, line: str) -> str:
        """With the storage class of this language."""
        return line.replace("static ", self.storage, 1) if line.startswith("static ") else line

    def before(self) -> list[str]:
        kinds = {getattr(x, "kind", "") for routine in self.routines for x in tree.parts(routine.body)}
        return ["#include <stdint.h>"] if self.wide or kinds & {"word", "words"} else []

    def constant(self, kind: tree.Kind, value: float) -> str:
        if kind == "real":
            return number(value, "INFINITY", "NAN") if self.precision is DOUBLE else self.numbers.number(value).text
        if kind == "word":
            return f"UINT64_C({int(value)})"
        # an int of C99 may have 32 bits, and its overflow is undefined
        if not self.wide and abs(value) > 2**31 - 1:
            raise InputError("{value} has more than 32 bits: write this program with wide whole numbers", int(value))
        return str(int(value))

    def brace_lines(self, head: str, lines: Sequence[str]) -> Iterator[str]:
        first, *rest = super().brace_lines(head, lines)
        # a function's brace stands on its own line, as C programmers expect it
        yield from (first.removesuffix(" {"), "{", *rest)

    def head(self, routine: tree.Routine) -> str:
        parameters = [self.parameter(name, kind, name in routine.written) for name, kind in routine.parameters.items()]
        returns, storage = self.types[routine.returns], "" if routine.name in self.public else self.storage
        return self.wrap_line(f"{storage}{returns} {self.called[routine.name]}({', '.join(parameters) or 'void'})")

    def parameter(self, name: str, kind: tree.Kind, written: bool) -> str:
        const, name = "" if written else "const ", self.local[name]
        if kind.startswith(tree.STRUCT):
            return f"{const}{self.called[kind.removeprefix(tree.STRUCT)]} *{self.restrict}{name}"
        return (
            f"{const}{self.types[tree.ARRAYS[kind]]} *{self.restrict}{name}"
            if kind in tree.ARRAYS
            else f"{self.types[kind]} {name}"
        )

    def locals(self, routine: tree.Routine) -> Iterator[str]:
        for name, (kind, size) in routine.arrays.items():
            yield f"{self.types[tree.ARRAYS[kind]]} {self.local[name]}[{size}];"
        plain = self.variables(routine)
        nothing = {"real": self.precision.zero, "complex": "{0.0, 0.0}"}
        yield from (f"{self.types[kind]} {name} = {nothing.get(kind, '0')};" for name, kind in plain)
        if plain or routine.arrays:
            yield ""
        # compilers warn of parameters that nobody reads, and -Werror is how we test
        read = {x.name for x in tree.parts(routine.body) if isinstance(x, tree.Var)}
        yield from (f"(void){self.local[name]};" for name in routine.parameters if name not in read)

    def loop(self, line: tree.For, name: str) -> str:
        more = f"{name}++" if line.step == 1 else f"{name}--" if line.step == -1 else f"{name} += {line.step}"
        sign = "<" if line.step > 0 else ">"
        start, stop = self.bare(line.start), self.write(line.stop)
        return f"for ({self.whole} {name} = {start}; {name} {sign} {stop}; {more})"

    def void_cast(self, call: tree.Expr) -> str:
        return "" if call.kind == "none" else "(void)"

    def member(self, x: tree.Field) -> str:
        return f"{self.local[x.struct.name]}->{self.member_name(x.name)}"

    def struct(self, struct: tree.Struct) -> list[str]:
        def member(name: str, kind: tree.Kind, size: int) -> str:
            if kind not in tree.ARRAYS:
                return f"    {self.types[kind]} {name};"
            return f"    {self.types[tree.ARRAYS[kind]]} {f'{name}[{size}]' if size else f'*{name}'};"

        lines = [member(self.member_name(x.name), x.kind, x.size) for x in struct.members]
        return ["typedef struct {", *lines, f"}} {self.called[struct.name]};"]

    def table(self, name: str, kind: tree.Kind, values: Sequence[float]) -> str:
        entry = tree.ARRAYS[kind]
        return table_text(name, [self.constant(entry, x) for x in values], self.types[entry], self.storage)

    # complex numbers

    def pair_type(self) -> list[str]:
        return ["typedef struct {", "    double re;", "    double im;", "} pair;"]

    def pair_head(self, name: str, pair: Pair) -> str:
        parameters = [f"{'double' if x in ('x', 're', 'im') else 'pair'} {x}" for x in pair.parameters.split()]
        result = "double" if len(pair.result) == 1 else "pair"
        return f"{self.storage}{result} pair_{name}({', '.join(parameters)})"

    def pair_made(self) -> list[str]:
        return ["pair z;", "", "z.re = re;", "z.im = im;", "return z;"]

    def let(self, name: str, text: str) -> str:
        return f"const {self.precision.real} {name} = {text};"

    def prototypes(self) -> list[str]:
        """Of routines that call each other."""
        known: set[str] = set()
        early: dict[str, None] = {}
        for routine in self.routines:
            known.add(routine.name)
            calls = (x.routine for x in tree.parts(routine.body) if isinstance(x, tree.RoutineCall))
            # C reads once, from the top: what is called before its text needs a prototype
            early |= dict.fromkeys(name for name in calls if name not in known)
        made = []
        for routine in self.routines:
            if routine.name in early:
                self.names(routine)
                made.append(f"{self.head(routine)};")
        return made

    # tapes

    def straight_language(self, prefix: str) -> Language:
        return self.precision.language(prefix)

    def straight_helpers(self, prefix: str, used: set[str]) -> list[str]:
        return [
            f"{self.storage}{self.precision.real} {prefix}_{op}({x.signature})\n{{\n    return {x.body};\n}}"
            for op, x in self.precision.helpers(used)
        ]

    def straight_head(self, name: str, given: Sequence[str], taken: Sequence[str], status: bool) -> str:
        real = self.precision.real
        read = [f"const {real} *{self.restrict}{x}" for x in given]
        written = [f"{real} *{self.restrict}{x}" for x in taken]
        return self.wrap_line(f"{self.storage}{'int' if status else 'void'} {name}({', '.join([*read, *written])})")

    def unread(self, tape: Tape, split: Split) -> list[str]:
        return [f"(void){name};" for name in unused_arguments(tape, split.variables)]


def program_text(
    routines: Sequence[tree.Routine],
    public: Sequence[str] = (),
    wide: bool = False,
    precision: Precision = DOUBLE,
    inline: str = "",
) -> str:
    """Every routine, after what it calls; `wide`: whole numbers of 64 bits."""
    return CProgram(routines, public, wide, precision, inline).text()


def table_text(name: str, values: Iterable[object], kind: str = "double", storage: str = "static ") -> str:
    """static const double name[3] = {…};"""
    words = [x if isinstance(x, str) else repr(x) for x in values]
    # repr of a double reads back as the same bits in every C library
    lines = wrap(", ".join(words), WIDTH, initial_indent="    ", subsequent_indent="    ")
    return "\n".join([f"{storage}const {kind} {name}[{len(words)}] = {{", *lines, "};"])


def stack_bytes(routines: Sequence[tree.Routine], name: str = "") -> int:
    """What the arrays take at most, or those below one routine; callees stand before their callers."""
    deep: dict[str, int] = {}
    for routine in routines:
        own = sum(size * BYTES[kind] for kind, size in routine.arrays.values())
        called = {x.routine for x in tree.parts(routine.body) if isinstance(x, tree.RoutineCall)}
        # a bound on the stack is promised in the README, for microcontrollers
        if routine.name in called:
            raise InputError(
                "{file}: {name} calls itself: what it takes of the stack has no bound", routine.file, routine.name
            )
        deep[routine.name] = own + max((deep[name] for name in called), default=0)
    return deep[name] if name else max(deep.values(), default=0)


# A solver with loops as a C99 package: tables of numbers, routines that work on them, a self-test, a README.
#
# The entry routine takes the tables, then 16 numbers, and fills rows of answers: see `solver.c.jinja`.

PACKAGE = "manipula.algebra.emit.c"


@dataclass(frozen=True)
class SolverChoice:
    """A choice among the answers beside the solver: the entry is the last routine, the solver one before it."""

    routines: Sequence[tree.Routine]
    table: Sequence[float]
    states: Mapping[str, tuple[int, str]]
    cases: Sequence[Case]
    limits: Sequence[str]


@dataclass(frozen=True)
class SolverSource:
    """What is emitted. `tables` are the entry's first arguments, in order; `cases` poses with all their answers."""

    name: str
    about: Sequence[str]
    meaning: str
    joints: Sequence[str]
    entry: str
    choice: SolverChoice
    tables: Mapping[str, Sequence[float] | Sequence[int]]
    cases: Sequence[tuple[Sequence[float], Sequence[Sequence[float]]]]
    most: int
    bound: int
    readings: int
    exact: float


def solver_files(source: SolverSource, version: str) -> dict[str, str]:
    """File name → text."""
    shown = _context(source, version)
    name = shown["name"]
    files = {
        f"{name}.h": fill_template(PACKAGE, "solver.h.jinja", shown),
        f"{name}.c": fill_template(PACKAGE, "solver.c.jinja", shown),
        f"{name}_test.c": fill_template(PACKAGE, "solver_test.c.jinja", shown),
        "CMakeLists.txt": fill_template(PACKAGE, "CMakeLists.txt.jinja", shown),
        f"{name}.pc.in": fill_template(PACKAGE, "package.pc.in.jinja", shown),
        f"README_{name}_c.md": fill_template(PACKAGE, "solver_readme.md.jinja", shown),
    }
    return with_licence(files)


def _context(source: SolverSource, version: str) -> Context:
    name, choice = Namer(RESERVED).name(source.name), source.choice
    numbers = [number(x, "INFINITY", "NAN") for x in choice.table]
    about = comment_lines(map(ascii_text, source.about))
    return {
        "name": name, "guard": f"{name.upper()}_H", "version": version, "about": about, "description": about[0],
        "meaning": ascii_text(source.meaning), "joints": ascii_text(", ".join(source.joints)),
        "width": len(source.joints), "most": source.most, "bound": source.bound, "readings": source.readings,
        "exact": repr(source.exact), "entry": source.entry, "table_names": list(map(_table_name, source.tables)),
        "tables": [_table(*item) for item in source.tables.items()], "routines": program_text(choice.routines),
        "stack": -(-stack_bytes(choice.routines, source.entry) // 1024),
        "choice_stack": -(-stack_bytes(choice.routines) // 1024), "poses": [_rows(pose) for pose, _ in source.cases],
        "counts": [len(rows) for _, rows in source.cases],
        "solutions": [_row(row) for _, rows in source.cases for row in rows],
        "choice": f"{name}_nearest", "choice_entry": choice.routines[-1].name, "cases": choice.cases,
        "choice_table": table_text("numbers_table", numbers), "row": _row, "tolerance": repr(TOLERANCE),
        "single_tolerance": repr(SINGLE_TOLERANCE), "precision": BOTH, "symbols": [f"{name}_nearest"],
        "states": [(word, number, ascii_text(text)) for word, (number, text) in choice.states.items()],
        "limits": ascii_text("; ".join(choice.limits) or "none"),
    }  # fmt: skip


def _table_name(table: str) -> str:
    """Of a table in the file: the routines have arguments called as the table itself, which must not hide it."""
    return f"{table}_table"


def _table(name: str, values: Sequence[float] | Sequence[int]) -> str:
    return table_text(_table_name(name), values, "int" if all(isinstance(x, int) for x in values) else "double")


def _rows(pose: Sequence[float]) -> list[str]:
    """The rows of a pose, each in braces."""
    return [f"{{{_row(pose[i : i + 4])}}}" for i in range(0, 16, 4)]


def _row(values: Sequence[float]) -> str:
    return ", ".join(map(repr, values))
