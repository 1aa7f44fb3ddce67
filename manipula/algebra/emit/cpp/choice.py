"""A choice among solutions as C++17 (see `emit.choice`): one header over `float` or `double`, and a self-test."""

from __future__ import annotations

from textwrap import wrap

from manipula.algebra.emit.about import WIDTH, fill_template
from manipula.algebra.emit.backend import EmitOptions
from manipula.algebra.emit.c import comment_lines
from manipula.algebra.emit.c.spelling import Precision
from manipula.algebra.emit.choice import ChoiceSource, Example, context, row
from manipula.algebra.emit.cpp import CppProgram
from manipula.algebra.emit.ports import ascii_text

PACKAGE = "manipula.algebra.emit.cpp"
REAL = Precision(
    "Real", "Real", "Real({})", "std::numeric_limits<Real>::quiet_NaN()", tolerance="tolerance<Real>({}, {})"
)


class CppTemplates(CppProgram):
    """Every routine a template over its numbers, in a namespace that has the functions of <cmath>."""

    storage = "template <class Real>\ninline "

    def before(self) -> list[str]:
        return []


def choice_files(source: ChoiceSource, options: EmitOptions, version: str) -> dict[str, str]:
    """File name → text."""
    name, shown = source.name, context(source, version)
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
        f"{name}.hpp": fill_template(PACKAGE, "nearest.hpp.jinja", shown),
        f"{name}_test.cpp": fill_template(PACKAGE, "nearest_test.cpp.jinja", shown),
    }


def choice_example(source: ChoiceSource, options: EmitOptions) -> Example:
    """For the README."""
    name, dof = source.name, len(source.joints)
    lines = f"""#include "{name}.hpp"

const std::array<double, {dof}> q_now{{{row(source.cases[0].now)}}};  // the present joints, {ascii_text(source.unit)}
std::array<double, {dof}> q;
if (manipula::{name}(T, {"parameter, " if source.parameter else ""}q_now, 0.1, q) == 0) {{
    // q: no joint further than 0.1 from q_now; T is std::array<std::array<double, 4>, 4>
}}"""
    files = {
        f"{name}.hpp": "picks one of the branches; needs none of the files above",
        f"{name}_test.cpp": "its self-test",
    }
    flags = "-std=c++17 -O2 -Wall -Wextra -Werror -pedantic"
    return Example("cpp", lines, files, f"c++ {flags} {name}_test.cpp -o {name}_test && ./{name}_test")
