"""C++17: one header over any scalar (float, double, dual numbers), arrays in and out, and a self-testing `main`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from textwrap import wrap

from manipula.algebra.emit import choice
from manipula.algebra.emit.about import WIDTH, Context, Readme, Shown, fill_template, numbers, readme
from manipula.algebra.emit.backend import EmitOptions
from manipula.algebra.emit.c import comment_lines
from manipula.algebra.emit.c.program import CProgram
from manipula.algebra.emit.c.spelling import ALWAYS, Precision, helpers
from manipula.algebra.emit.c.spelling import RESERVED as C_RESERVED
from manipula.algebra.emit.c.spelling import language as c_language
from manipula.algebra.emit.ports import Argument, Memory, Namer, Split, ascii_text
from manipula.algebra.emit.reference import State, states
from manipula.algebra.emit.section import Place, Places, context, element, sections_of, self_test_tables
from manipula.algebra.emit.text import ARITHMETIC, LIBRARY, Language, calls
from manipula.algebra.tape import Tape
from manipula.scalar import OPS

# C++17: how each operation is written over any scalar, and the words a local name may not be.
#
# Functions are called without `std::`, so that argument-dependent look-up finds those of a dual number.

LITERAL = "Real({})"
NAN = "std::numeric_limits<double>::quiet_NaN()"
HELPERS = helpers("Real&", LITERAL, NAN)
FUNCTIONS = {op: OPS[op].word("cpp") for op in LIBRARY}  # as <cmath> has them
_OWN = """
Real result std array numeric_limits domain_error manipula detail tolerance k i n x y yes no condition once twice digits
"""
RESERVED = C_RESERVED | frozenset(_OWN.split())


def language(prefix: str) -> Language:
    """Helper functions live in a namespace with the function's name in front."""
    named = {**FUNCTIONS, **{op: f"{prefix}_detail::{op}_of" for op in HELPERS}}
    return Language(
        {**ARITHMETIC, **calls(named)},
        RESERVED | {prefix, f"{prefix}_prepare", f"{prefix}_results", f"{prefix}_detail"},
        "std::numeric_limits<double>::infinity()",
        NAN,
        LITERAL,
        f"{prefix}_detail::tolerance<Real>({{}}, {{}})",
    )


class Cpp17:
    """The back end."""

    def emit(self, tape: Tape, version: str, samples: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, str]:
        name = Namer(RESERVED).name(tape.name)
        found = states(tape, samples)
        shown = _context(tape, name, version)
        arguments: Split = shown["split"]
        test = {**shown, **self_test_tables(arguments, found, c_language(""))}
        return {
            f"{name}.hpp": fill_template(__name__, "function.hpp.jinja", shown),
            f"{name}_test.cpp": fill_template(__name__, "test.cpp.jinja", test),
            f"README_{name}_cpp.md": readme(tape, name, version, arguments, _readme(name, shown, found[0])),
        }


def _context(tape: Tape, name: str, version: str) -> Context:
    written = sections_of(tape, language(name), (), Places(element, _result_name(tape)))
    arguments = written.split
    shown = context(tape, name, version, written)
    result = f"{name}_results<Real>" if len(arguments.outputs) > 1 else array("Real", arguments.outputs[0].port.shape)
    return shown | {
        "guard": f"MANIPULA_{name.upper()}_HPP",
        "about": comment_lines(shown["about"]),
        "ports": comment_lines(shown["ports"]),
        "helpers": [(op, helper) for op, helper in HELPERS.items() if op in shown["used"]],
        "functions": _functions(tape),
        "result": result,
        "array": array,
        "indices": arguments.indices(name),
        "one": _signature(result, name, _inputs(arguments)),
        **_step_signatures(name, shown, result),
        "first": _signature(
            array("Real", (len(arguments.kept),)), f"{name}_prepare", _parameter_declarations(arguments.parameters)
        ),
    }


def array(real: str, shape: Sequence[int]) -> str:
    """std::array<std::array<Real, 6>, 4> for 4×6; a scalar is itself"""
    return f"std::array<{array(real, shape[1:])}, {shape[0]}>" if shape else real


def _result_name(tape: Tape) -> Place:
    """One output is `result` itself, several are its members."""
    # one array is returned as it is: a struct of one member would only be in the way
    single = sum(1 for port in tape.outputs if port.slots) == 1

    def place(argument: Argument, position: int) -> str:
        text = element(argument, position)
        return "result" + text.removeprefix(argument.name) if single else f"result.{text}"

    return place


def _functions(tape: Tape) -> dict[str, list[str]]:
    """The functions each half calls, for its using-declarations."""
    sections = {"prepare": (*tape.offline, *tape.guard), "main": tape.online}
    return {
        # using-declarations of functions that are not called are warnings
        key: [name for op, name in FUNCTIONS.items() if any(line.op == op for line in lines)]
        for key, lines in sections.items()
    }


def _parameter_declarations(arguments: Iterable[Argument]) -> list[str]:
    return [f"const {array('Real', x.port.shape)}& {x.name}" for x in arguments]


def _inputs(arguments: Split) -> list[str]:
    kept = [f"const {array('Real', (len(arguments.kept),))}& k"] if arguments.kept else []
    return _parameter_declarations(arguments.variables) + kept


def _step_signatures(name: str, shown: Shown, result: str) -> dict[str, str]:
    """Signatures of what remembers."""
    memory: Memory | None = shown["memory"]
    if memory is None:
        return {}
    own = f"{name}_state<Real>"
    start = _parameter_declarations([*(x for x, _ in memory.states), *shown["parameters"]])
    taken = [f"{own}& {memory.pointer}", *_parameter_declarations(memory.variables)]
    return {"init": _signature(own, f"{name}_init", start), "step": _signature(result, f"{name}_step", taken)}


def _signature(result: str, name: str, parts: Sequence[str]) -> str:
    line = f"{result} {name}({', '.join(parts)})"
    return line if len(line) <= WIDTH else f"{result} {name}(\n    " + ",\n    ".join(parts) + ")"


def _readme(name: str, shown: Shown, first: State) -> Readme:
    arguments: Split = shown["split"]
    signature = [f"template <class Real> {shown['one']};"]
    lines = [f'#include "{name}.hpp"', ""]
    inputs = [*arguments.variables, *(arguments.parameters if arguments.kept else ())]
    for x in inputs:
        lines.append(f"const {array('double', x.port.shape)} {x.name}{{{numbers(x, first)}}};")
    called = [x.name for x in arguments.variables]
    if arguments.kept:
        signature.insert(0, f"template <class Real> {shown['first']};")
        parameters = ", ".join(x.name for x in arguments.parameters)
        lines.append(f"const auto k = manipula::{name}_prepare({parameters});  // once per parameter set")
        called.append("k")
    lines.append(f"const auto result = manipula::{name}({', '.join(called)});")
    signature += [f"template <class Real> {shown[key]};" for key in ("init", "step") if key in shown]
    functions = ", ".join(f"`{name}`" for op, name in FUNCTIONS.items() if op in ALWAYS or op in shown["used"])
    return Readme(
        "C++17, header only",
        "cpp",
        {f"{name}.hpp": "the functions, in namespace `manipula`", f"{name}_test.cpp": "the self-test"},
        "\n".join(signature),
        "\n".join(lines),
        f"c++ -std=c++17 -O2 -Wall -Wextra -Werror -pedantic {name}_test.cpp -o {name}_test && ./{name}_test",
        [
            "`Real` may be `float`, `double`, or any type with arithmetic, comparisons, a constructor from `double` "
            f"and functions {functions} in its own namespace: a dual number gives derivatives."
        ],
    )


# Programs as C++17 functions over double: the C text, with C++'s words.

KEYWORDS = """
alignas alignof and and_eq asm bitand bitor bool catch char16_t char32_t class compl concept const_cast constexpr
decltype delete dynamic_cast explicit export false friend mutable namespace new noexcept not not_eq nullptr operator or
or_eq private protected public reinterpret_cast requires static_assert static_cast template this thread_local throw true
try typeid typename using virtual wchar_t xor xor_eq
"""


class CppProgram(CProgram):
    """C++17."""

    reserved = CProgram.reserved | frozenset(KEYWORDS.split())
    restrict = "__restrict "

    def before(self) -> list[str]:
        return ["#include <cmath>\n#include <cstdint>\n\nusing std::fabs;"]


# A choice among solutions (see `emit.choice`): one header over `float` or `double`, and a self-test.

REAL = Precision(
    "Real", "Real", "Real({})", "std::numeric_limits<Real>::quiet_NaN()", tolerance="tolerance<Real>({}, {})"
)


class CppTemplates(CppProgram):
    """Every routine a template over its numbers, in a namespace that has the functions of <cmath>."""

    storage = "template <class Real>\ninline "

    def before(self) -> list[str]:
        return []


def choice_files(source: choice.ChoiceSource, options: EmitOptions, version: str) -> dict[str, str]:
    """File name → text."""
    name, shown = source.name, choice.context(source, version)
    numbers = REAL.language("")
    words = [
        numbers.number(double).text if double == single else REAL.tolerance.format(repr(double), repr(single))
        for double, single in zip(source.table, source.single, strict=True)
    ]
    shown |= {
        "about": comment_lines(shown["about"]), "guard": f"MANIPULA_{name.upper()}_HPP",
        "table": wrap(", ".join(words), WIDTH, break_long_words=False, break_on_hyphens=False),
        "routines": CppTemplates(source.routines, precision=REAL).text(),
    }  # fmt: skip
    return {
        f"{name}.hpp": fill_template(__name__, "nearest.hpp.jinja", shown),
        f"{name}_test.cpp": fill_template(__name__, "nearest_test.cpp.jinja", shown),
    }


def choice_example(source: choice.ChoiceSource, options: EmitOptions) -> choice.Example:
    """For the README."""
    name, dof, unit = source.name, len(source.joints), ascii_text(source.unit)
    lines = f"""#include "{name}.hpp"

const std::array<double, {dof}> q_now{{{choice.row(source.cases[0].now)}}};  // the present joints, {unit}
std::array<double, {dof}> q;
if (manipula::{name}(T, {"parameter, " if source.parameter else ""}q_now, 0.1, q) == 0) {{
    // q: no joint further than 0.1 from q_now; T is std::array<std::array<double, 4>, 4>
}}"""
    files = {
        f"{name}.hpp": "picks one of the branches; needs none of the files above",
        f"{name}_test.cpp": "its self-test",
    }
    flags = "-std=c++17 -O2 -Wall -Wextra -Werror -pedantic"
    return choice.Example("cpp", lines, files, f"c++ {flags} {name}_test.cpp -o {name}_test && ./{name}_test")
