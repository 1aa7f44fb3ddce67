"""MATLAB and Octave: functions over rows of states, without MEX, and a self-test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from manipula.algebra.emit.about import Context, Readme, Shown, fill_template, numbers, readme
from manipula.algebra.emit.ports import Argument, Namer, Split
from manipula.algebra.emit.reference import State, states
from manipula.algebra.emit.section import Places, context, sections_of, self_test_tables
from manipula.algebra.emit.text import ARITHMETIC, DECIDING, LIBRARY, PRODUCT, SIGN, Language, Spelling, calls
from manipula.algebra.tape import Tape
from manipula.scalar import OPS

# MATLAB and Octave: how each operation is written over columns, and the words a local name may not be.

_KEYWORDS = """
break case catch classdef continue else elseif end endfor endfunction endif endwhile for function global if otherwise
parfor persistent return spmd switch try while do until unwind_protect unwind_protect_cleanup end_try_catch endswitch
end_unwind_protect methods properties events enumeration arguments import endparfor endclassdef endenumeration
endevents endmethods endproperties endspmd endarguments end_function
"""
_USED = """
sin cos sqrt atan2 abs sign min max less select sign_of min_of max_of less_of select_of root_of size zeros ones
reshape permute class error all any isnan isinf NaN Inf nan inf eps pi i j e I J ans k n p_rows varargin varargout
nargin nargout rows numel max iscolumn deal single double printf fprintf exit given wanted got x y condition yes no
result unequal true false isargout chosen_of column first unknown z NA pkg clear who whos help doc
"""
PARTIAL = tuple(op.name for op in OPS.values() if op.partial and op.name != "sqrt")  # elsewhere complex in MATLAB
HELPERS = (*DECIDING, "sqrt", *PARTIAL)
_CALLED = [name for op in (*LIBRARY, *PARTIAL) for name in (f"{op}_of", OPS[op].word("matlab"))]
RESERVED = frozenset([*(_KEYWORDS + _USED).split(), *_CALLED])
_NAMED = {**{op: OPS[op].word("matlab") for op in LIBRARY}, **{op: f"{op}_of" for op in HELPERS}, "sqrt": "root_of"}

LANGUAGE = Language(
    {
        **ARITHMETIC,
        "mul": Spelling("{}.*{}", PRODUCT, (PRODUCT, SIGN)),
        "div": Spelling("{}./{}", PRODUCT, (PRODUCT, SIGN)),
        **calls(_NAMED),
    },
    RESERVED,
    "Inf",
    "NaN",
)


class Matlab:
    """The back end."""

    def emit(self, tape: Tape, version: str, samples: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, str]:
        name = Namer(RESERVED).name(tape.name)
        found = states(tape, samples)
        shown = _context(tape, name, version)
        arguments: Split = shown["split"]
        test = {**shown, **self_test_tables(arguments, found, LANGUAGE)}
        files = {f"{name}.m": fill_template(__name__, "function.m.jinja", shown)}
        if arguments.kept:
            files[f"{name}_prepare.m"] = fill_template(__name__, "prepare.m.jinja", shown)
            files[f"{name}_prepared.m"] = fill_template(__name__, "prepared.m.jinja", shown)
        files[f"{name}_test.m"] = fill_template(__name__, "test.m.jinja", test)
        files[f"README_{name}_matlab.md"] = readme(tape, name, version, arguments, _readme(name, shown, found[0]))
        return files


def _context(tape: Tape, name: str, version: str) -> Context:
    own = {name, f"{name}_prepare", f"{name}_prepared"}
    written = sections_of(tape, LANGUAGE, own, Places(column, column, lambda i: f"k(:, {i + 1})"))
    arguments = written.split
    shown = context(tape, name, version, written)
    return shown | {
        "results": _bracket_names([x.name for x in arguments.outputs]),
        "whole": ", ".join(x.name for x in (*arguments.variables, *shown["parameters"])),
        "online": ", ".join([*(x.name for x in arguments.variables), *(["k"] if arguments.kept else [])]),
        "offline": ", ".join(x.name for x in shown["parameters"]),
        "helpers": {
            "prepare": [op for op in HELPERS if any(line.op == op for line in (*tape.offline, *tape.guard))],
            # MATLAB wants one function a file, so each file carries its own helpers
            "main": [op for op in HELPERS if any(line.op == op for line in tape.online)],
        },
        "pages": pages,
        "partial": [OPS[op] for op in PARTIAL],
    }


def column(argument: Argument, position: int) -> str:
    """q(:, 3); an output is flat until its pages are made"""
    return f"{argument.name}(:, {position + 1})"


def pages(argument: Argument) -> str:
    """4×4 matrices as pages 4×4×n; vectors and numbers stay rows"""
    shape = argument.port.shape
    if len(shape) < 2:
        return ""
    sizes = ", ".join(map(str, reversed(shape)))
    # row-major entries in column-major arrays: all axes reversed, the states last
    order = ", ".join(map(str, range(len(shape) + 1, 0, -1)))
    return f"permute(reshape({argument.name}, [n, {sizes}]), [{order}])"


def _bracket_names(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"[{', '.join(names)}]"


def _readme(name: str, shown: Shown, first: State) -> Readme:
    arguments: Split = shown["split"]
    results, continued = shown["results"], " ...\n    "
    files = {f"{name}.m": "the function, over one state or many"}
    signature = [f"{results} = {name}({shown['whole']})"]
    values = [f"{x.name} = [{numbers(x, first, continued)}];" for x in (*arguments.variables, *shown["parameters"])]
    calls = [f"{results} = {name}({shown['whole']})"]
    if arguments.kept:
        files |= {f"{name}_prepare.m": "what the parameters alone decide", f"{name}_prepared.m": "the rest"}
        signature += [f"k = {name}_prepare({shown['offline']})", f"{results} = {name}_prepared({shown['online']})"]
        calls += [f"k = {name}_prepare({shown['offline']});  % once per parameter set"]
        calls += [f"{results} = {name}_prepared({shown['online']})"]
    return Readme(
        "MATLAB and Octave",
        "matlab",
        files | {f"{name}_test.m": "the self-test"},
        "\n".join(signature),
        "\n".join([*values, *calls]),
        f"octave --no-gui --eval {name}_test\nmatlab -batch {name}_test",
        [
            "An input is a row per state (n x 6 for six joints; one row serves all states, and one column is taken as "
            "one row). A vector comes out as a row per state, a matrix as a page per state (4 x 4 x n)."
        ],
    )
