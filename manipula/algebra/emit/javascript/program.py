"""Programs as JavaScript functions over typed arrays.

Whole numbers are numbers, exact to 2^53, and arrays of them `Float64Array`; words are big integers in `BigUint64Array`;
complex numbers stand in `Float64Array` as pairs; a struct is an object.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from manipula.algebra.emit import choice
from manipula.algebra.emit.about import fill_template
from manipula.algebra.emit.backend import EmitOptions
from manipula.algebra.emit.javascript import LANGUAGE, RESERVED
from manipula.algebra.emit.ports import ascii_text
from manipula.algebra.emit.program import ProgramWriter
from manipula.algebra.emit.text import DECIDING, GUARDED, SIGNS, Language, Pair, calls, number
from manipula.algebra.program.tree import ARRAYS, ArrayItem, Expr, For, Kind, Place, ProgramOp, Routine, Struct

NOTHING: dict[Kind, str] = {"flag": "false", "int": "0", "word": "0n", "real": "0.0"}
NOTHING["complex"] = "pair_number(0.0, 0.0)"
MATHS = ("sqrt", "exp", "log", "sin", "cos", "floor", "ceil")
BITS = {"bit_and": "&", "bit_or": "|", "bit_xor": "^", "shl": "<<", "shr": ">>"}
CUT = "BigInt.asUintN(64, {0} %s {1})"
FORMS = {
    **{f"{name} real": f"Math.{name}({{bare[0]}})" for name in MATHS},
    **{f"{name} int": f"Number(BigInt({{bare[0]}}) {sign} BigInt({{bare[1]}}))" for name, sign in BITS.items()},
    "add word": CUT % "+", "sub word": CUT % "-", "mul word": CUT % "*",
    "shl word": "BigInt.asUintN(64, {0} << BigInt({bare[1]}))", "shr word": "({0} >> BigInt({bare[1]}))",
    "idiv word": "({0} / {1})", "mod word": "({0} % {1})", "quotient word": "({0} / {1})",
    "rint": "nearest({bare[0]})", "atan2": "Math.atan2({bare[0]}, {bare[1]})", "neg": "(-{0})", "not": "(!{0})",
    "choose": "({0} ? {1} : {2})", "select": "({0} ? {1} : {2})", "real": "{0}.re", "imag": "{0}.im",
    "abs": "Math.abs({bare[0]})", "min": "({0} < {1} ? {0} : {1})", "max": "({0} > {1} ? {0} : {1})",
    "to_real from flag": "({0} ? 1.0 : 0.0)", "to_real from int": "{0}", "to_real": "Number({bare[0]})",
    "to_int from flag": "({0} ? 1 : 0)", "to_int from real": "Math.trunc({bare[0]})", "to_int": "Number({bare[0]})",
    "to_word": "BigInt.asUintN(64, BigInt({bare[0]}))", "high": "(({0} * {1}) >> 64n)",
    "idiv": "Math.floor({0} / {1})", "quotient": "Math.trunc({0} / {1})", "mod": "floorRemainder({bare[0]}, {bare[1]})",
}  # fmt: skip
HELPERS = {
    "mod": (
        "/* With the sign of b. */",
        "function floorRemainder(a, b) {",
        "  const rest = a % b;",
        "  return rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest + 0;",
        "}",
    ),
    "rint": (
        "/* The whole number nearest to x, of two the even one. */",
        "function nearest(x) {",
        "  const below = Math.floor(x);",
        "  return x - below < 0.5 || (x - below === 0.5 && below % 2 === 0) ? below : Math.ceil(x);",
        "}",
    ),
}
POWER = (
    "function pow_of(x, y) {\n"
    "  return x === 1 && !Number.isNaN(y) ? 1 : x >= 0 ? Math.pow(x + 0, y) + 0 * Math.sign(y) : NaN;\n"
    "}"
)
ROOM = {"words": "BigUint64Array"}


class JavaScriptProgram(ProgramWriter):
    """A module; public routines are exported."""

    reserved = (RESERVED - frozenset(["k", "x", "y", "yes", "no", "condition", "given", "wanted", "got"])) | {
        "pair",
        "_",
    }
    signs = {**SIGNS, "eq": "===", "ne": "!=="}
    forms = FORMS
    strict = False
    helpers = HELPERS
    power = POWER
    indent = "  "

    def constant(self, kind: Kind, value: float) -> str:
        if kind == "real":
            return number(value, "Infinity", "NaN")
        return str(bool(value)).lower() if kind == "flag" else f"{int(value)}n" if kind == "word" else f"{int(value)}"

    def head(self, routine: Routine) -> str:
        export = "export " if routine.name in self.public else ""
        parameters = ", ".join(self.local[name] for name in routine.parameters)
        return f"{export}function {self.called[routine.name]}({parameters})"

    def locals(self, routine: Routine) -> Iterator[str]:
        for name, (kind, size) in routine.arrays.items():
            count = 2 * size if kind == "complexes" else size
            yield f"const {self.local[name]} = new {ROOM.get(kind, 'Float64Array')}({count});"
        yield from (f"let {name} = {NOTHING[kind]};" for name, kind in self.variables(routine))

    def loop(self, line: For, name: str) -> str:
        sign = "<" if line.step > 0 else ">"
        start, stop = self.bare(line.start), self.write(line.stop)
        return f"for (let {name} = {start}; {name} {sign} {stop}; {name} += {line.step})"

    def struct(self, struct: Struct) -> list[str]:
        return [f"/* {struct.name}: {', '.join(x.name for x in struct.members)} */"]

    def table(self, name: str, kind: Kind, values: Sequence[float]) -> str:
        listed = ", ".join(self.constant(ARRAYS[kind], x) for x in values)
        return f"const {name} = {ROOM.get(kind, 'Float64Array')}.of({listed});"

    # places

    def write(self, x: Expr) -> str:
        if isinstance(x, ProgramOp) and x.name == "from":
            # a complex number takes two entries of the array
            index = self.write(x.args[1])
            return f"{self.write(x.args[0])}.subarray({f'2 * {index}' if x.kind == 'complexes' else index})"
        return super().write(x)

    def item(self, x: ArrayItem) -> str:
        if x.kind == "complex":
            return f"pair_at({self.write(x.array)}, {self.bare(x.index)})"
        return super().item(x)

    def assignment(self, target: Place, value: Expr) -> str:
        if isinstance(target, ArrayItem) and target.kind == "complex":
            # JavaScript has no references to entries: both parts are stored by a function
            return f"pair_put({self.write(target.array)}, {self.bare(target.index)}, {self.bare(value)});"
        return super().assignment(target, value)

    # complex numbers

    def pair_type(self) -> list[str]:
        return [
            "const pair_at = (z, i) => ({ re: z[2 * i], im: z[2 * i + 1] });",
            "const pair_put = (z, i, value) => { z[2 * i] = value.re; z[2 * i + 1] = value.im; };",
        ]

    def pair_head(self, name: str, pair: Pair) -> str:
        return f"function pair_{name}({', '.join(pair.parameters.split())})"

    def pair_made(self) -> list[str]:
        return ["return { re, im };"]

    def maths(self, text: str) -> str:
        return re.sub(r"\b(sin|cos|exp|sqrt)\(", r"Math.\1(", text)

    def let(self, name: str, text: str) -> str:
        return f"const {name} = {text};"

    # tapes

    def straight_language(self, prefix: str) -> Language:
        named = calls({op: f"{op}_of" for op in (*DECIDING, *GUARDED)})
        return Language({**LANGUAGE.table, **named}, self.reserved, LANGUAGE.infinity, LANGUAGE.not_a_number)

    def straight_head(self, name: str, given: Sequence[str], taken: Sequence[str], status: bool) -> str:
        return f"function {name}({', '.join([*given, *taken])})"


# A choice among solutions (see `emit.choice`): a module with its types, and a self-test for node.

PACKAGE = "manipula.algebra.emit.javascript"


def choice_files(source: choice.ChoiceSource, options: EmitOptions, version: str) -> dict[str, str]:
    """File name → text."""
    name, shown = source.name, choice.context(source, version)
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


def choice_example(source: choice.ChoiceSource, options: EmitOptions) -> choice.Example:
    """For the README."""
    name = source.name
    lines = f"""import {{ {name} }} from "./{name}.mjs";

const q_now = [{choice.row(source.cases[0].now)}]; // the present joints, {ascii_text(source.unit)}
const q = Array.from(q_now);
if ({name}(T, {"parameter, " if source.parameter else ""}q_now, 0.1, q) === 0) {{
  // q: no joint further than 0.1 from q_now
}}"""
    files = {
        f"{name}.mjs": "picks one of the branches; needs none of the files above",
        f"{name}.d.mts": "its TypeScript types",
        f"{name}_test.mjs": "its self-test",
    }
    return choice.Example("js", lines, files, f"node {name}_test.mjs")
