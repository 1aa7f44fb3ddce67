"""A choice among solutions as C (see `emit.choice`): a header, a source, a self-test; or a part of one file."""

from __future__ import annotations

from textwrap import wrap

from manipula.algebra.emit.about import WIDTH, Context, fill_template
from manipula.algebra.emit.backend import EmitOptions, Part
from manipula.algebra.emit.c import C99, comment_lines
from manipula.algebra.emit.c.program import program_text
from manipula.algebra.emit.c.spelling import ALWAYS, NAMES, Precision
from manipula.algebra.emit.choice import ChoiceSource, Example, context, row
from manipula.algebra.emit.ports import ascii_text, identifier
from manipula.algebra.emit.text import Language

PACKAGE = "manipula.algebra.emit.c"


def choice_files(source: ChoiceSource, options: EmitOptions, version: str) -> dict[str, str]:
    """File name → text."""
    shown, name = _context(source, options, version), source.name
    return {
        f"{name}.h": fill_template(PACKAGE, "nearest.h.jinja", shown),
        f"{name}.c": fill_template(PACKAGE, "nearest.c.jinja", shown),
        f"{name}_test.c": fill_template(PACKAGE, "nearest_test.c.jinja", shown | {"header": f"{name}.h"}),
        f"{name}.pc.in": fill_template(PACKAGE, "package.pc.in.jinja", shown),
    }


def choice_part(source: ChoiceSource, options: EmitOptions, version: str, title: str) -> Part:
    """The same for a file, `title`, that holds everything."""
    shown = _context(source, options, version)
    test = fill_template(PACKAGE, "nearest_test.c.jinja", shown | {"header": f"{identifier(title)}.h"})
    return Part(source.name, fill_template(PACKAGE, "nearest_part.jinja", shown), test)


def choice_example(source: ChoiceSource, options: EmitOptions) -> Example:
    """For the README."""
    name, real, dof = source.name, C99(options).precision.public, len(source.joints)
    flags = "-std=c99 -O2 -Wall -Wextra -Werror -pedantic"
    lines = f"""#include "{name}.h"

{real} q_now[{dof}] = {{{row(source.cases[0].now)}}};  /* the present joints, {ascii_text(source.unit)} */
{real} q[{dof}];
if ({name}(T, {"parameter, " if source.parameter else ""}q_now, 0.1, q) == 0) {{
    /* q: no joint further than 0.1 from q_now */
}}"""
    files = {
        f"{name}.h`, `{name}.c": "picks one of the branches; needs none of the files above",
        f"{name}_test.c": "its self-test",
        f"{name}.pc.in": "for pkg-config",
    }
    return Example("c", lines, files, f"cc {flags} {name}.c {name}_test.c -lm -o {name}_test && ./{name}_test")


def _context(source: ChoiceSource, options: EmitOptions, version: str) -> Context:
    precision, shown = C99(options).precision, context(source, version)
    inline = source.name if options.single_file else ""
    # macros only for the functions in use
    used = {line.op for routine in source.routines for tape in routine.tapes.values() for line in tape.lines}
    return shown | {
        "guard": f"{source.name.upper()}_H",
        "description": ascii_text(f"the nearest inverse kinematics of {source.robot}"),
        "about": comment_lines(shown["about"]), "precision": precision, "options": options,
        "symbols": [source.name, shown["follow"]], "storage": "static inline " if inline else "",
        "helper_storage": "static inline " if inline else "static ",
        "functions": sorted({*(name for op, name in NAMES.items() if op in ALWAYS or op in used), "rint", "sqrt"}),
        "tolerances": True, "table": _table(source, precision),
        "routines": program_text(source.routines, precision=precision, inline=inline),
        "entry": f"{inline}_{shown['entry']}" if inline else shown["entry"],
    }  # fmt: skip


def _table(source: ChoiceSource, precision: Precision) -> list[str]:
    """The numbers, each in the digits of its type."""
    c = precision.language("")
    pairs = zip(source.table, source.single, strict=True)
    words = [_word(double, single, precision, c) for double, single in pairs]
    return wrap(", ".join(words), WIDTH, break_long_words=False, break_on_hyphens=False)


def _word(double: float, single: float, precision: Precision, c: Language) -> str:
    if precision.both and double != single:
        return f"TOLERANCE({c.number(double).text}, {c.number(single).text})"
    return c.number(single if precision.single else double).text
