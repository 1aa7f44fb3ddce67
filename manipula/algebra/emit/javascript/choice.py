"""A choice among solutions as JavaScript (see `emit.choice`): a module with its types, and a self-test for node."""

from __future__ import annotations

from manipula.algebra.emit.about import fill_template
from manipula.algebra.emit.backend import EmitOptions
from manipula.algebra.emit.choice import ChoiceSource, Example, context, row
from manipula.algebra.emit.javascript.program import JavaScriptProgram
from manipula.algebra.emit.ports import ascii_text
from manipula.algebra.emit.text import number

PACKAGE = "manipula.algebra.emit.javascript"


def choice_files(source: ChoiceSource, options: EmitOptions, version: str) -> dict[str, str]:
    """File name → text."""
    name, shown = source.name, context(source, version)
    shown |= {
        "about": [line.replace("*/", "* /") for line in shown["about"]],
        "table": ", ".join(number(x, "Infinity", "NaN") for x in source.table),
        "routines": JavaScriptProgram(source.routines).text(),
    }
    return {
        f"{name}.mjs": fill_template(PACKAGE, "nearest.mjs.jinja", shown),
        f"{name}.d.mts": fill_template(PACKAGE, "nearest.d.mts.jinja", shown),
        f"{name}_test.mjs": fill_template(PACKAGE, "nearest_test.mjs.jinja", shown),
    }


def choice_example(source: ChoiceSource, options: EmitOptions) -> Example:
    """For the README."""
    name = source.name
    lines = f"""import {{ {name} }} from "./{name}.mjs";

const q_now = [{row(source.cases[0].now)}]; // the present joints, {ascii_text(source.unit)}
const q = Array.from(q_now);
if ({name}(T, {"parameter, " if source.parameter else ""}q_now, 0.1, q) === 0) {{
  // q: no joint further than 0.1 from q_now
}}"""
    files = {
        f"{name}.mjs": "picks one of the branches; needs none of the files above",
        f"{name}.d.mts": "its TypeScript types",
        f"{name}_test.mjs": "its self-test",
    }
    return Example("js", lines, files, f"node {name}_test.mjs")
