"""Programs as Rust functions over f64. Arrays are raw pointers: parts of one array may be written side by side."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from manipula.algebra.emit import choice
from manipula.algebra.emit.about import fill_template
from manipula.algebra.emit.backend import EmitOptions
from manipula.algebra.emit.ports import Argument, ascii_text
from manipula.algebra.emit.program import ProgramWriter
from manipula.algebra.emit.rust import RUST_KEYWORDS
from manipula.algebra.emit.text import ARITHMETIC, DECIDING, GUARDED, LIBRARY, Language, Pair, calls, number
from manipula.algebra.program import tree
from manipula.scalar import OPS

TYPES: dict[tree.Kind, str] = {"flag": "bool", "int": "i64", "word": "u64", "real": "f64", "complex": "Pair"}
NOTHING: dict[tree.Kind, str] = {
    "flag": "false",
    "int": "0",
    "word": "0",
    "real": "0.0",
    "complex": "Pair { re: 0.0, im: 0.0 }",
}
MATHS = {"sqrt": "sqrt", "exp": "exp", "log": "ln", "sin": "sin", "cos": "cos", "floor": "floor", "ceil": "ceil"}
FORMS = {
    **{f"{name} real": f"f64::{word}({{bare[0]}})" for name, word in MATHS.items()},
    "rint": "f64::round_ties_even({bare[0]})", "atan2": "f64::atan2({bare[0]}, {bare[1]})", "neg": "(-{0})",
    "not": "(!{0})", "real": "{0}.re", "imag": "{0}.im",
    "choose": "(if {bare[0]} {{ {bare[1]} }} else {{ {bare[2]} }})",
    "select": "(if {bare[0]} {{ {bare[1]} }} else {{ {bare[2]} }})", "abs real": "f64::abs({bare[0]})",
    "abs int": "i64::abs({bare[0]})", "min": "(if {0} < {1} {{ {bare[0]} }} else {{ {bare[1]} }})",
    "max": "(if {0} > {1} {{ {bare[0]} }} else {{ {bare[1]} }})", "to_real from flag": "f64::from(u8::from({bare[0]}))",
    "to_real": "({0} as f64)", "to_int": "({0} as i64)", "to_word": "({0} as u64)",
    "high": "(((({0} as u128) * ({1} as u128)) >> 64) as u64)", "idiv": "floor_quotient({bare[0]}, {bare[1]})",
    "mod": "floor_remainder({bare[0]}, {bare[1]})", "add word": "u64::wrapping_add({bare[0]}, {bare[1]})",
    "sub word": "u64::wrapping_sub({bare[0]}, {bare[1]})", "mul word": "u64::wrapping_mul({bare[0]}, {bare[1]})",
}  # fmt: skip
HELPERS = {
    "idiv": (
        "/// Rounded down, also where a number is negative.",
        "fn floor_quotient(a: i64, b: i64) -> i64 {",
        "    a / b - i64::from(a % b != 0 && (a % b < 0) != (b < 0))",
        "}",
    ),
    "mod": (
        "/// With the sign of b.",
        "fn floor_remainder(a: i64, b: i64) -> i64 {",
        "    if a % b != 0 && (a % b < 0) != (b < 0) { a % b + b } else { a % b }",
        "}",
    ),
}
POWER = "fn pow_of(x: f64, y: f64) -> f64 {\n    if x >= 0.0 && y == y { f64::powf(x + 0.0, y) } else { f64::NAN }\n}"
ALLOWED = "non_snake_case, non_camel_case_types, non_upper_case_globals, unused, unreachable_code"


class RustProgram(ProgramWriter):
    """Rust. A function that takes arrays is unsafe: their lengths are the caller's word."""

    reserved = frozenset(RUST_KEYWORDS.split()) | {"_", "f64", "i64", "u64", "Pair"}
    forms = FORMS
    helpers = HELPERS
    power = POWER

    def before(self) -> list[str]:
        return [f"#![allow({ALLOWED}, clippy::all)]"]

    def constant(self, kind: tree.Kind, value: float) -> str:
        if kind == "real":
            text = number(value, "f64::INFINITY", "f64::NAN")
            # a bare literal has no type of its own, and methods on it are ambiguous
            return f"({text}_f64)" if text[-1].isdigit() else text
        return (
            str(bool(value)).lower() if kind == "flag" else f"{int(value)}u64" if kind == "word" else f"({int(value)})"
        )

    def comment(self, text: str) -> list[str]:
        inner = [line.strip(" */") for line in super().comment(text)]
        return [f"/// {line}".rstrip() for line in inner if line]

    def head(self, routine: tree.Routine) -> str:
        parameters = [
            f"mut {self.local[name]}: {self.parameter_type(kind)}" for name, kind in routine.parameters.items()
        ]
        public = 'pub unsafe extern "C" fn' if routine.name in self.public else "unsafe fn"
        mangled = "#[no_mangle]\n" if routine.name in self.public else ""
        result = "" if routine.returns == "none" else f" -> {TYPES[routine.returns]}"
        return f"{mangled}{public} {self.called[routine.name]}({', '.join(parameters)}){result}"

    def parameter_type(self, kind: tree.Kind) -> str:
        if kind.startswith(tree.STRUCT):
            return f"*mut {self.called[kind.removeprefix(tree.STRUCT)]}"
        return f"*mut {TYPES[tree.ARRAYS[kind]]}" if kind in tree.ARRAYS else TYPES[kind]

    def locals(self, routine: tree.Routine) -> Iterator[str]:
        for name, (kind, size) in routine.arrays.items():
            word, entry = self.local[name], tree.ARRAYS[kind]
            yield f"let mut {word}_room = [{NOTHING[entry]}; {size}];"
            yield f"let {word}: *mut {TYPES[entry]} = {word}_room.as_mut_ptr();"
        yield from (f"let mut {name}: {TYPES[kind]} = {NOTHING[kind]};" for name, kind in self.variables(routine))

    def routine(self, routine: tree.Routine) -> Iterator[str]:
        *lines, end = super().routine(routine)
        yield from lines
        if routine.returns != "none":  # a text whose every way returns does not come here
            yield f"{self.indent}return {NOTHING[routine.returns]};"
        yield end

    def loop(self, line: tree.For, name: str) -> str:
        start, stop = self.bare(line.start), self.bare(line.stop)
        if line.step > 0:
            steps = f".step_by({line.step})" if line.step > 1 else ""
            return f"for {name} in (({start})..({stop})){steps}"
        steps = f".step_by({-line.step})" if line.step < -1 else ""
        # ranges of Rust only count up: the same numbers, reversed
        return f"for {name} in (({stop}) + 1..({start}) + 1).rev(){steps}"

    def branch(self, test: str, yes: Sequence[str], no: Sequence[str] = ()) -> Iterator[str]:
        yield from (line.replace(f"if ({test})", f"if {test}") for line in super().branch(test, yes, no))

    def struct(self, struct: tree.Struct) -> list[str]:
        def member(kind: tree.Kind, size: int) -> str:
            if kind not in tree.ARRAYS:
                return TYPES[kind]
            return f"[{TYPES[tree.ARRAYS[kind]]}; {size}]" if size else f"*mut {TYPES[tree.ARRAYS[kind]]}"

        lines = [f"    pub {self.member_name(x.name)}: {member(x.kind, x.size)}," for x in struct.members]
        return ["#[repr(C)]", f"pub struct {self.called[struct.name]} {{", *lines, "}"]

    def table(self, name: str, kind: tree.Kind, values: Sequence[float]) -> str:
        entry = tree.ARRAYS[kind]
        listed = ", ".join(self.constant(entry, x) for x in values)
        return f"static {name}: [{TYPES[entry]}; {len(values)}] = [{listed}];"

    # places

    def write(self, x: tree.Expr) -> str:
        if isinstance(x, tree.ConstantTable):
            return f"({self.called[x.name]}.as_ptr() as *mut {TYPES[tree.ARRAYS[x.kind]]})"
        if isinstance(x, tree.ProgramOp) and x.name == "from":
            return f"{self.write(x.args[0])}.offset(({self.bare(x.args[1])}) as isize)"
        return super().write(x)

    def item(self, x: tree.ArrayItem) -> str:
        return f"(*{self.write(x.array)}.offset(({self.bare(x.index)}) as isize))"

    def member(self, x: tree.Field) -> str:
        struct = self.structs[x.struct.kind.removeprefix(tree.STRUCT)]
        found = struct.member(x.name)
        place = f"(*{self.local[x.struct.name]}).{self.member_name(x.name)}"
        # a reference to a member of a struct behind a raw pointer would promise that nobody else holds one
        inside = x.kind in tree.ARRAYS and found is not None and found.size
        return f"(core::ptr::addr_of_mut!({place}) as *mut {TYPES[tree.ARRAYS[x.kind]]})" if inside else place

    def is_compound_assignment(self, target: tree.Place, value: tree.ProgramOp) -> bool:
        return isinstance(target, tree.Var) and super().is_compound_assignment(target, value)

    # complex numbers

    def pair_type(self) -> list[str]:
        return [
            "#[derive(Clone, Copy)]",
            "#[repr(C)]",
            "pub struct Pair {",
            "    pub re: f64,",
            "    pub im: f64,",
            "}",
        ]

    def pair_head(self, name: str, pair: Pair) -> str:
        parameters = [f"{x}: {'f64' if x in ('x', 're', 'im') else 'Pair'}" for x in pair.parameters.split()]
        return f"fn pair_{name}({', '.join(parameters)}) -> {'f64' if len(pair.result) == 1 else 'Pair'}"

    def pair_made(self) -> list[str]:
        return ["Pair { re, im }"]

    def maths(self, text: str) -> str:
        for name in ("sin", "cos", "exp", "sqrt"):
            text = text.replace(f"{name}(", f"f64::{name}(")
        return text

    def let(self, name: str, text: str) -> str:
        return f"let {name}: f64 = {text};"

    # tapes

    def straight_language(self, prefix: str) -> Language:
        named = {op: f"f64::{OPS[op].word('rust')}" for op in LIBRARY}
        named |= {op: f"{op}_of" for op in (*DECIDING, *GUARDED)}
        return Language({**ARITHMETIC, **calls(named)}, self.reserved, "f64::INFINITY", "f64::NAN", "{}_f64")

    def straight_head(self, name: str, given: Sequence[str], taken: Sequence[str], status: bool) -> str:
        arrays = ", ".join(f"{x}: *mut f64" for x in (*given, *taken))
        return f"unsafe fn {name}({arrays}){' -> i64' if status else ''}"

    def flat(self, argument: Argument, position: int) -> str:
        return f"*{argument.name}.offset({position})"

    def offline_value(self, position: int) -> str:
        return f"*k.offset({position})"


# A choice among solutions (see `emit.choice`): a crate of its own, over f64 and over f32.
#
# The text is one file that two modules include, each with its `Real`. Its arrays are raw pointers, as parts of one
# array are read and written side by side; what is public is safe.

PACKAGE = "manipula.algebra.emit.rust"


class RustOverReal(RustProgram):
    """Over a type `Real`, which the module around it names."""

    def before(self) -> list[str]:
        return []

    def constant(self, kind: tree.Kind, value: float) -> str:
        if kind != "real":
            return super().constant(kind, value)
        return f"({number(value, 'Real::INFINITY', 'Real::NAN')} as Real)"

    def straight_language(self, prefix: str) -> Language:
        plain = super().straight_language(prefix)
        return Language(
            plain.table, plain.reserved, plain.infinity, plain.not_a_number, "({} as Real)", "tolerance({}, {})"
        )

    def text(self) -> str:
        return re.sub(r"\bf64\b", "Real", super().text())


def choice_files(source: choice.ChoiceSource, options: EmitOptions, version: str) -> dict[str, str]:
    """File name → text."""
    shown = choice.context(source, version) | {
        "crate": source.name.lower(), "allowed": ALLOWED,
        "crate_version": version if re.fullmatch(r"\d+\.\d+\.\d+", version) else "0.0.0",
        "description": ascii_text(f"the nearest inverse kinematics of {source.robot}").replace('"', "'"),
        "tables": {"double": ("f64", _table(source.table)), "single": ("f32", _table(source.single))},
        "routines": RustOverReal(source.routines).text(),
    }  # fmt: skip
    files = {
        "Cargo.toml": "nearest.toml.jinja", "src/lib.rs": "nearest.rs.jinja", "src/text.rs": "nearest_text.rs.jinja",
        "tests/self_test.rs": "nearest_test.rs.jinja",
    }  # fmt: skip
    return {f"{source.name}/{file}": fill_template(PACKAGE, template, shown) for file, template in files.items()}


def _table(values: Sequence[float]) -> str:
    return ", ".join(number(x, "Real::INFINITY", "Real::NAN") for x in values)


def choice_example(source: choice.ChoiceSource, options: EmitOptions) -> choice.Example:
    """For the README."""
    name, dof = source.name, len(source.joints)
    lines = f"""use {name.lower()}::double::nearest; // or single::nearest, over f32

let q_now = [{choice.row(source.cases[0].now)}]; // the present joints, {ascii_text(source.unit)}
let mut q = [0.0; {dof}];
if nearest(&T, {"&parameter, " if source.parameter else ""}&q_now, 0.1, &mut q) == 0 {{
    // q: no joint further than 0.1 from q_now
}}"""
    files = {f"../{name}/": "a crate of its own, which uses the standard library"}
    return choice.Example("rust", lines, files, f"cd ../{name} && cargo test")
