"""Rust: a `no_std` crate without dependencies. The functions `core` lacks come through a small trait, `Math`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from manipula.algebra.emit.about import WIDTH, Context, Readme, Shown, fill_template, numbers, readme
from manipula.algebra.emit.ports import Argument, Memory, Namer, Split, ascii_text
from manipula.algebra.emit.reference import State, states
from manipula.algebra.emit.section import Places, context, literals, sections_of, self_test_tables
from manipula.algebra.emit.text import ARITHMETIC, DECIDING, GUARDED, LIBRARY, Language, calls
from manipula.algebra.tape import Tape
from manipula.scalar import OPS

# Rust: how each operation is written over the numbers of a `Math`, and the words a local name may not be.

RUST_KEYWORDS = """
as async await become box break const continue crate do dyn else enum extern false final fn for gen if impl in let loop
macro match mod move mut override priv pub ref return self Self static struct super trait true try type typeof union
unsafe unsized use virtual where while yield abstract macro_rules raw safe auto default
"""
_OWN = """
f32 f64 bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize core std alloc test M Math Real Double Single
Results Result Ok Err Some None Option Box String Vec Add Sub Mul Div Neg Copy Clone Debug PartialEq PartialOrd
k prepare evaluate add sub mul div neg x y yes no condition sign_of min_of max_of less_of select_of zero one PARAMETERS
tolerance number
"""
RESERVED = frozenset((RUST_KEYWORDS + _OWN).split()) | {f"{op}_of" for op in GUARDED}
FUNCTIONS = (*LIBRARY, *GUARDED)  # of the trait; the first five always, the others where they are called
HELPERS = (*DECIDING, *GUARDED)
_NAMED = {**{op: f"M::{op}" for op in LIBRARY}, **{op: f"{op}_of::<M>" for op in HELPERS}}

LANGUAGE = Language(
    {**ARITHMETIC, **calls(_NAMED)}, RESERVED, "f64::INFINITY", "f64::NAN", "M::number({})", "M::tolerance({}, {})"
)
PLAIN = Language({}, RESERVED, "f64::INFINITY", "f64::NAN")  # numbers of the self-test


ALWAYS = ("sin", "cos", "sqrt", "atan2", "abs")  # in the trait of every crate


class Rust:
    """The back end: a crate in a folder of its name."""

    def emit(self, tape: Tape, version: str, samples: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, str]:
        name = Namer(RESERVED).name(tape.name)
        found = states(tape, samples)
        shown = _context(tape, name, version)
        arguments: Split = shown["split"]
        test = {**shown, **self_test_tables(arguments, found, PLAIN)}
        files = {
            "Cargo.toml": fill_template(__name__, "Cargo.toml.jinja", shown),
            "src/lib.rs": fill_template(__name__, "lib.rs.jinja", shown),
            "tests/self_test.rs": fill_template(__name__, "self_test.rs.jinja", test),
            "README.md": readme(tape, name, version, arguments, _readme(shown, found[0])),
        }
        return {f"{name}/{file}": text for file, text in files.items()}


def _context(tape: Tape, name: str, version: str) -> Context:
    written = sections_of(tape, LANGUAGE, (), Places())
    arguments = written.split
    # rustc warns of capitals in a crate's name
    crate = name.lower()
    texts = tape.provenance.texts()
    shown = context(tape, name, version, written)
    inputs = [*(f"{x.name}: &{array('M::Real', x.port.shape)}" for x in arguments.variables)]
    inputs += [f"k: &[M::Real; {len(arguments.kept)}]"] if arguments.kept else []
    single = len(arguments.outputs) == 1
    return shown | {
        "crate": crate,
        "edition": "2021",
        # cargo refuses versions such as 1.2.dev0
        "crate_version": version if re.fullmatch(r"\d+\.\d+\.\d+", version) else "0.0.0",
        "description": _quote_text(f"{texts.get('model', name)} of {texts.get('robot', name)}"),
        "functions": [OPS[op] for op in FUNCTIONS if op in ALWAYS or op in shown["used"]],
        "guarded": [OPS[op] for op in GUARDED if op in shown["used"]],
        "helpers": [op for op in HELPERS if op in shown["used"]],
        "array": array,
        "literals": literals(arguments, written.main),
        "result": array("M::Real", arguments.outputs[0].port.shape) if single else "Results<M::Real>",
        "one": _signature("evaluate<M: Math>", inputs),
        **_step_signatures(shown),
        "first": _signature(
            "prepare<M: Math>", [f"{x.name}: &{array('M::Real', x.port.shape)}" for x in arguments.parameters]
        ),
        "parameter_names": [word for x in arguments.parameters for word in x.port.names],
        "quoted": _quote_text,
    }


def _step_signatures(shown: Shown) -> dict[str, str]:
    """Signatures of what remembers."""
    memory: Memory | None = shown["memory"]
    if memory is None:
        return {}

    def declare_arguments(arguments: Iterable[Argument]) -> list[str]:
        return [f"{x.name}: &{array('M::Real', x.port.shape)}" for x in arguments]

    start = declare_arguments([*(x for x, _ in memory.states), *shown["parameters"]])
    taken = [f"{memory.pointer}: &mut State<M::Real>", *declare_arguments(memory.variables)]
    return {"init": _signature("init<M: Math>", start), "step": _signature("step<M: Math>", taken)}


def array(real: str, shape: Sequence[int]) -> str:
    """[[Real; 6]; 4] for 4×6; a scalar is itself"""
    return f"[{array(real, shape[1:])}; {shape[0]}]" if shape else real


def _quote_text(text: str) -> str:
    return '"' + ascii_text(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _signature(name: str, parts: Sequence[str]) -> str:
    line = f"pub fn {name}({', '.join(parts)})"
    return line if len(line) <= WIDTH else f"pub fn {name}(\n    " + ",\n    ".join(parts) + ",\n)"


def _readme(shown: Shown, first: State) -> Readme:
    arguments: Split = shown["split"]
    crate = shown["crate"]
    lines = [f"use {crate}::{{evaluate, {'prepare, ' if arguments.kept else ''}Double}};", ""]
    for x in (*arguments.variables, *(arguments.parameters if arguments.kept else ())):
        lines.append(f"let {x.name} = [{numbers(x, first)}];")
    called = [f"&{x.name}" for x in arguments.variables]
    signature = [f"{shown['one']} -> {shown['result']};"]
    if arguments.kept:
        parameters = ", ".join(f"&{x.name}" for x in arguments.parameters)
        lines.append(f"let k = prepare::<Double>({parameters})?; // once per parameter set")
        signature.insert(0, f"{shown['first']} -> Result<[M::Real; {len(arguments.kept)}], &'static str>;")
        called.append("&k")
    lines.append(f"let result = evaluate::<Double>({', '.join(called)});")
    if shown["memory"]:
        signature.append(f"{shown['init']} -> Result<State<M::Real>, &'static str>;")
        signature.append(f"{shown['step']} -> {shown['result']};")
    return Readme(
        "Rust, no_std",
        "rust",
        {"src/lib.rs": "the functions", "tests/self_test.rs": "the self-test", "Cargo.toml": "the crate"},
        "\n".join(signature),
        "\n".join(lines),
        "cargo test --features std",
        [
            "Without the feature `std` the crate is `no_std` and has no dependency: implement its trait `Math` on a "
            "type of yours, with the functions of the crate `libm` or of your target. With `std`, `Double` and "
            "`Single` are ready (f64 and f32). Any other number can be the `Real` of a `Math`, a dual number too."
        ],
    )
