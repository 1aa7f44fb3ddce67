"""Programs as Python functions over numpy arrays, free of this package."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from manipula.algebra.emit.expressions import SIGNS, Pair, number
from manipula.algebra.emit.names import ascii_text
from manipula.algebra.emit.program import ProgramWriter
from manipula.algebra.emit.python.spelling import LANGUAGE
from manipula.algebra.emit.text import DECIDING, GUARDED, Language, calls
from manipula.algebra.program.tree import ARRAYS, ArrayItem, Expr, For, Kind, Place, Routine, Stmt, Struct

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

    def braced(self, head: str, lines: Sequence[str]) -> Iterator[str]:
        yield f"{head}:"
        yield from (f"{self.indent}{line}" if line else "" for line in lines or ["pass"])
        yield ""

    def branch(self, test: str, yes: Sequence[str], no: Sequence[str] = ()) -> Iterator[str]:
        yield from (x for x in self.braced(f"if {test}", yes) if x)
        if no:
            yield from (x for x in self.braced("else", no) if x)

    def opened(self, head: str, body: Sequence[Stmt]) -> Iterator[str]:
        yield from (x for x in self.braced(head, self.block(body)) if x)

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
