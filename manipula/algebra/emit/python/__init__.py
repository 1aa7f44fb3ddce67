"""Python: one module that needs only NumPy, broadcasts over leading axes and tests itself when it is run."""

from __future__ import annotations

import keyword
from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from manipula.algebra.emit.about import WIDTH, Context, Readme, Shown, fill_template, numbers, readme
from manipula.algebra.emit.ports import Argument, Memory, Namer, Split, ascii_text
from manipula.algebra.emit.program import ProgramWriter
from manipula.algebra.emit.reference import State, states, with_square_poses
from manipula.algebra.emit.section import Places, context, sections_of, self_test_tables
from manipula.algebra.emit.text import ARITHMETIC, DECIDING, GUARDED, LIBRARY, SIGNS, Language, Pair, calls, number
from manipula.algebra.program.tree import ARRAYS, ArrayItem, Expr, For, Kind, Place, Routine, Stmt, Struct
from manipula.algebra.tape import Tape
from manipula.scalar import OPS

# NumPy: how each operation is written, and the words a local name may not be.

_OWN = {"np", "k", "x", "got", "batch", "NamedTuple", "ValueError", "float", "print", "self"}

_NAMED = {
    **{op: f"np.{OPS[op].word('numpy')}" for op in (*LIBRARY, "sign", "min", "max")},
    **{op: f"_{op}" for op in ("less", "select", *GUARDED)},
}

LANGUAGE = Language(
    {**ARITHMETIC, **calls(_NAMED)}, frozenset({*keyword.kwlist, *keyword.softkwlist, *_OWN}), "np.inf", "np.nan"
)


class NumPy:
    """The back end."""

    def emit(self, tape: Tape, version: str, samples: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, str]:
        tape, name = with_square_poses(tape), Namer(LANGUAGE.reserved).name(tape.name)
        found = states(tape, samples)
        shown = module_context(tape, name, version, found, LANGUAGE)
        own = module_readme("Python with NumPy", name, name, shown, found[0])
        return {
            f"{name}.py": fill_template(__name__, "module.py.jinja", shown),
            f"README_{name}_python.md": readme(tape, name, version, shown["split"], own),
        }


def module_context(tape: Tape, name: str, version: str, found: Sequence[State], language: Language) -> Context:
    """Everything the template of a Python module shows."""
    own = {name, *(f"{name}_{word}" for word in ("prepare", "prepared", "results", "state", "init", "step"))}
    written = sections_of(tape, language, own, Places(entry, entry))
    arguments = written.split
    shown = context(tape, name, version, written) | self_test_tables(arguments, found, language)
    return shown | {
        "guarded": [(op, OPS[op].word("numpy"), OPS[op].doc) for op in GUARDED if op in shown["used"]],
        "about": _doc(shown["about"]),
        "ports": _doc(shown["ports"]),
        "variables": [x.name for x in arguments.variables],
        "taken": {x.name: _checked_argument(x) for x in (*arguments.variables, *arguments.parameters)},
        "axes": {min(len(x.port.shape), 2) for x in (*arguments.variables, *arguments.parameters)},
        "parameters": [x.name for x in shown["parameters"]],
        "parameter_names": {
            x.name: wrap(", ".join(_quote_words(x.port.names)) + ",", WIDTH) for x in arguments.parameters
        },
        "shapes": {x.name: _shape("*batch", x) for x in arguments.outputs},
        "state_shapes": {x.name: _shape(str(len(found)), x) for x in arguments.outputs},
    }


def module_readme(language: str, name: str, module: str, shown: Shown, first: State) -> Readme:
    """The README of a Python module."""
    arguments: Split = shown["split"]
    variables, parameters = ", ".join(shown["variables"]), ", ".join(shown["parameters"])
    values = [
        f"{x.name} = [{numbers(x, first)}]"
        for x in (*arguments.variables, *(arguments.parameters if arguments.kept else ()))
    ]
    result = ", ".join(shown["shapes"])
    several = f"{name}_results({result})" if len(shown["shapes"]) > 1 else result
    whole = ", ".join(filter(None, [variables, parameters]))
    signature = [f"{name}({whole}) -> {several}"]
    imported, calls = [name], [f"{result} = {name}({whole})"]
    if parameters:
        signature += [f"{name}_prepare({parameters}) -> k", f"{name}_prepared({variables}, k) -> {several}"]
        imported += [f"{name}_prepare", f"{name}_prepared"]
        calls += [
            f"k = {name}_prepare({parameters})  # once per parameter set",
            f"{result} = {name}_prepared({variables}, k)",
        ]
    memory: Memory | None = shown["memory"]
    if memory is not None:
        start = ", ".join([*(x.name for x, _ in memory.states), *shown["parameters"]])
        taken = ", ".join([memory.pointer, *(x.name for x in memory.variables)])
        signature += [f"{name}_init({start}) -> {name}_state", f"{name}_step({taken}) -> {several}"]
    return Readme(
        language,
        "python",
        {f"{module}.py": "the functions; run it to test it"},
        "\n".join(signature),
        "\n".join([f"from {module} import {', '.join(imported)}", "", *values, *calls]),
        f"python {module}.py",
        ["Arrays may have leading axes, which broadcast against each other."],
    )


def entry(argument: Argument, position: int) -> str:
    """q[..., 2]: outputs are flat until they are returned"""
    return f"{argument.name}[..., {position}]"


def _checked_argument(argument: Argument) -> str:
    """_array("q", q, 6): the argument checked, so that a wrong size is an error and not another result"""
    square, size = argument.port.shape, len(argument.port.slots)
    helper, sizes = ("_matrix", square) if len(square) > 1 else ("_array", (size,))
    return f"{helper}({', '.join([ascii(argument.name), argument.name, *map(str, sizes)])})"


def _doc(lines: list[str]) -> list[str]:
    """Nothing inside may end the docstring."""
    return [line.replace("\\", "/").replace('"', "'") for line in lines]


def _quote_words(words: Sequence[str]) -> list[str]:
    return [ascii(word) for word in words]


def _shape(first: str, argument: Argument) -> str:
    """(*batch, 6, 6)"""
    return f"({', '.join([first, *map(str, argument.port.shape)])}{'' if argument.port.shape else ','})"


# Programs as Python functions over numpy arrays, free of this package.

NOTHING: dict[Kind, str] = {"flag": "False", "int": "0", "word": "0", "real": "0.0", "complex": "0j"}
ROOM: dict[Kind, str] = {"ints": "np.int64", "words": "object", "reals": "np.float64", "complexes": "np.complex128"}
CUT = "(({0} %s {1}) & ALL)"
FORMS = {
    **{f"{name} real": f"math.{name}({{bare[0]}})" for name in ("sqrt", "exp", "log", "sin", "cos")},
    **{f"{name} complex": f"cmath.{name}({{bare[0]}})" for name in ("sin", "cos")},
    **{f"{name} real": f"float(np.{name}({{bare[0]}}))" for name in ("floor", "ceil", "rint")},
    "add word": CUT % "+", "sub word": CUT % "-", "mul word": CUT % "*", "shl word": CUT % "<<",
    "atan2": "math.atan2({bare[0]}, {bare[1]})", "neg": "(-{0})", "not": "(not {0})", "choose": "({1} if {0} else {2})",
    "select": "({1} if {0} else {2})", "real": "{0}.real", "imag": "{0}.imag", "abs": "abs({bare[0]})",
    "min": "min({bare[0]}, {bare[1]})", "max": "max({bare[0]}, {bare[1]})", "to_real": "float({bare[0]})",
    "to_int": "int({bare[0]})", "to_word": "({0} & ALL)", "high": "({0} * {1} >> 64)", "from": "{0}[{bare[1]}:]",
    "number": "complex({bare[0]}, {bare[1]})", "scale": "({0} * {1})", "idiv": "({0} // {1})", "mod": "({0} % {1})",
}  # fmt: skip
POWER = 'def pow_of(x, y):\n    return float(np.power(x + 0.0, y)) if x >= 0 and y == y else float("nan")'


class PythonProgram(ProgramWriter):
    """A module that needs numpy alone."""

    reserved = (LANGUAGE.reserved - {"k", "x", "got", "batch"}) | {
        "math", "cmath", "ALL", "min", "max", "abs", "int", "complex",
    }  # fmt: skip
    signs = {**SIGNS, "and": "and", "or": "or", "quotient": "//"}
    forms = FORMS
    power = POWER
    no_pairs = True
    strict = False  # what comes from Python is no keyword there
    end = ""

    def before(self) -> list[str]:
        return ["import cmath\nimport math\n\nimport numpy as np\n\nALL = (1 << 64) - 1\n"]

    def constant(self, kind: Kind, value: float) -> str:
        if kind == "real":
            return number(value, "math.inf", "math.nan")
        return str(bool(value)) if kind == "flag" else str(int(value))

    def brace_lines(self, head: str, lines: Sequence[str]) -> Iterator[str]:
        yield f"{head}:"
        # an empty block is no Python
        yield from (f"{self.indent}{line}" if line else "" for line in lines or ["pass"])
        yield ""

    def branch(self, test: str, yes: Sequence[str], no: Sequence[str] = ()) -> Iterator[str]:
        yield from (x for x in self.brace_lines(f"if {test}", yes) if x)
        if no:
            yield from (x for x in self.brace_lines("else", no) if x)

    def open_block(self, head: str, body: Sequence[Stmt]) -> Iterator[str]:
        yield from (x for x in self.brace_lines(head, self.block(body)) if x)

    def comment(self, text: str) -> list[str]:
        return [f"# {ascii_text(line).strip()}".rstrip() for line in text.strip().splitlines()]

    def head(self, routine: Routine) -> str:
        return f"def {self.called[routine.name]}({', '.join(self.local[name] for name in routine.parameters)})"

    def locals(self, routine: Routine) -> Iterator[str]:
        for name, (kind, size) in routine.arrays.items():
            yield f"{self.local[name]} = np.zeros({size}, dtype={ROOM[kind]})"
        yield from (f"{name} = {NOTHING[kind]}" for name, kind in self.variables(routine))

    def loop(self, line: For, name: str) -> str:
        start, stop = self.bare(line.start), self.bare(line.stop)
        return f"for {name} in range({start}, {stop}, {line.step})"

    def struct(self, struct: Struct) -> list[str]:
        return [f"# {struct.name}: any object with {', '.join(x.name for x in struct.members)}"]

    def table(self, name: str, kind: Kind, values: Sequence[float]) -> str:
        return f"{name} = ({''.join(f'{self.constant(ARRAYS[kind], x)}, ' for x in values).strip()})"

    def item(self, x: ArrayItem) -> str:
        """Whole numbers as Python's own: numpy's would overflow."""
        return f"int({super().item(x)})" if x.kind in ("int", "word") else super().item(x)

    def assignment(self, target: Place, value: Expr) -> str:
        place = (
            f"{self.write(target.array)}[{self.bare(target.index)}]"
            if isinstance(target, ArrayItem)
            else self.write(target)
        )
        return f"{place} = {self.bare(value)}"

    def pair_type(self) -> list[str]:
        return []

    def pair_head(self, name: str, pair: Pair) -> str:
        return ""

    def pair_made(self) -> list[str]:
        return []

    def let(self, name: str, text: str) -> str:
        return f"{name} = {text}"

    # tapes

    def straight_language(self, prefix: str) -> Language:
        named = calls({op: f"{op}_of" for op in (*DECIDING, *GUARDED)})
        return Language({**LANGUAGE.table, **named}, LANGUAGE.reserved, LANGUAGE.infinity, LANGUAGE.not_a_number)

    def straight_head(self, name: str, given: Sequence[str], taken: Sequence[str], status: bool) -> str:
        return f"def {name}({', '.join([*given, *taken])})"
