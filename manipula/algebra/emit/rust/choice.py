"""A choice among solutions as Rust (see `emit.choice`): a crate of its own, over f64 and over f32.

The text is one file that two modules include, each with its `Real`. Its arrays are raw pointers, as parts of one array
are read and written side by side (see `program`); what is public is safe.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from manipula.algebra.emit.about import fill_template
from manipula.algebra.emit.backend import EmitOptions
from manipula.algebra.emit.choice import ChoiceSource, Example, context, row
from manipula.algebra.emit.ports import ascii_text
from manipula.algebra.emit.rust.program import ALLOWED, RustProgram
from manipula.algebra.emit.text import Language, number
from manipula.algebra.program.tree import Kind

PACKAGE = "manipula.algebra.emit.rust"


class RustOverReal(RustProgram):
    """Over a type `Real`, which the module around it names."""

    def before(self) -> list[str]:
        return []

    def constant(self, kind: Kind, value: float) -> str:
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


def choice_files(source: ChoiceSource, options: EmitOptions, version: str) -> dict[str, str]:
    """File name → text."""
    shown = context(source, version) | {
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


def choice_example(source: ChoiceSource, options: EmitOptions) -> Example:
    """For the README."""
    name, dof = source.name, len(source.joints)
    lines = f"""use {name.lower()}::double::nearest; // or single::nearest, over f32

let q_now = [{row(source.cases[0].now)}]; // the present joints, {ascii_text(source.unit)}
let mut q = [0.0; {dof}];
if nearest(&T, {"&parameter, " if source.parameter else ""}&q_now, 0.1, &mut q) == 0 {{
    // q: no joint further than 0.1 from q_now
}}"""
    files = {f"../{name}/": "a crate of its own, which uses the standard library"}
    return Example("rust", lines, files, f"cd ../{name} && cargo test")
