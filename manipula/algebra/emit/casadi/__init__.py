"""CasADi: C with the interface of `casadi.external`: the function, its Jacobian, a directional derivative, an adjoint
product. The C functions stand in a header, as in the C back end; the interface hands CasADi's arrays to them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from manipula.algebra.emit.about import Context, Readme, fill_template, provenance, readme
from manipula.algebra.emit.backend import EmitOptions, Samples
from manipula.algebra.emit.c import C99, comment_lines, spelling
from manipula.algebra.emit.casadi.derivatives import External, SparseMatrix, externals
from manipula.algebra.emit.ports import Namer, Split, ascii_text, split
from manipula.algebra.emit.reference import TOLERANCE, State, Values, states, with_square_poses
from manipula.algebra.emit.section import table
from manipula.algebra.tape import Tape

_OPTIONS = EmitOptions("float64", batch=False, single_file=True)
_KINDS = ("value", "jacobian", "tangent", "adjoint")
_REMARK = (
    "`jac_`, `fwd1_` and `adj1_` stand beside the function: `casadi.external` finds them, so that solvers use these "
    "derivatives. Entries of a Jacobian that are always zero are left out of its pattern. Parameters that break a "
    "condition make the evaluation fail."
)


@dataclass(frozen=True)
class _Shown:
    """One function of the interface as the template writes it."""

    external: External
    called: str  # the C function in the header
    arguments: Split
    offsets: dict[str, int]  # of a result in the work array, where CasADi does not ask for it

    @property
    def name(self) -> str:
        return self.external.name

    @property
    def inputs(self) -> tuple[SparseMatrix, ...]:
        return self.external.inputs

    @property
    def outputs(self) -> tuple[SparseMatrix, ...]:
        return self.external.outputs

    @property
    def work(self) -> int:
        return sum(len(x.entries) for x in self.outputs)

    def place(self, port: str) -> int:
        """The number of the input of that name."""
        return [x.name for x in self.inputs].index(port)

    @property
    def call(self) -> list[str]:
        kept = ["k"] if self.arguments.kept else []
        results = [x.port.name for x in self.arguments.outputs]
        order = [x.name for x in self.outputs]
        return [
            *(f"x{self.place(x.port.name)}" for x in self.arguments.variables),
            *kept,
            *(f"y{order.index(x)}" for x in results),
        ]

    @property
    def prepare_call(self) -> list[str]:
        return [*(f"x{self.place(x.port.name)}" for x in self.arguments.parameters), "k"]

    @property
    def read(self) -> list[int]:
        """The inputs that the C functions take."""
        given = [*self.arguments.variables, *(self.arguments.parameters if self.arguments.kept else ())]
        return sorted(self.place(x.port.name) for x in given)

    @property
    def written_outputs(self) -> list[int]:
        return [i for i, x in enumerate(self.outputs) if x.entries]


def _show(external: External, called: str) -> _Shown:
    sizes = accumulate((len(x.entries) for x in external.outputs), initial=0)
    return _Shown(
        external, called, split(external.tape, Namer(())), {x.name: at for x, at in zip(external.outputs, sizes)}
    )


class Casadi:
    """The back end."""

    def emit(self, tape: Tape, version: str, samples: Samples) -> dict[str, str]:
        name = Namer(spelling.RESERVED).name(tape.name)
        found = externals(tape, name)
        names = [f"{name}_{kind}" for kind in _KINDS]
        tapes = [replace(x.tape, name=called) for x, called in zip(found, names, strict=True)]
        header = C99(_OPTIONS).in_one_file(tapes, f"{name}_casadi", version)[f"{name}_casadi.h"]
        shown = [_show(x, called) for x, called in zip(found, names, strict=True)]
        cases = _cases(tape, found, samples)
        context: Context = {
            "name": name,
            "about": comment_lines(provenance(tape, version)),
            "functions": shown,
            "zeros": max([1, *(len(x.entries) for one in shown for x in one.inputs)]),
            "tables": [list(_tables(x, rows)) for x, rows in zip(found, cases, strict=True)],
            "states": len(cases[0]),
            "tolerance": repr(TOLERANCE),
            "conditions": [ascii_text(str(x.words)).replace("\\", "/").replace('"', "'") for x in tape.checks],
        }
        own = Readme(
            "C for CasADi",
            "python",
            {
                f"{name}_casadi.c": "the interface of `casadi.external`",
                f"{name}_casadi.h": "the functions; need nothing but `math.h`",
                f"{name}_casadi_test.c": "a `main` that compares with true values, through the interface",
            },
            "\n".join(_signature(x) for x in found),
            f'import casadi\n\nF = casadi.external("{name}", "./{name}_casadi.so")\nJ = F.jacobian()',
            f"cc -std=c99 -O2 {name}_casadi_test.c {name}_casadi.c -lm -o {name}_casadi_test && ./{name}_casadi_test\n"
            f"cc -std=c99 -O2 -shared -fPIC {name}_casadi.c -lm -o {name}_casadi.so",
            [_REMARK],
            "Matrices are stored column by column; of more than two axes the last are the columns, the rest the rows.",
        )
        arguments = split(with_square_poses(tape), Namer(()))
        return {
            f"{name}_casadi.h": header,
            f"{name}_casadi.c": fill_template(__name__, "interface.c.jinja", context),
            f"{name}_casadi_test.c": fill_template(__name__, "test.c.jinja", context),
            f"README_{name}_casadi.md": readme(tape, name, version, arguments, own),
        }


def _signature(x: External) -> str:
    """As CasADi prints a function: F(q[7], qd[7]) -> (tau[7])"""

    def text(matrix: SparseMatrix) -> str:
        size = f"{matrix.rows}" if matrix.columns == 1 else f"{matrix.rows}x{matrix.columns}"
        return f"{matrix.name}[{size}{'' if matrix.is_dense else f', {len(matrix.entries)} nonzero'}]"

    return f"{x.name}({', '.join(map(text, x.inputs))}) -> ({', '.join(map(text, x.outputs))})"


def _cases(tape: Tape, found: Sequence[External], samples: Samples) -> list[list[State]]:
    """States of the self-test for every function: those of the tape, column by column, with drawn rates or weights."""
    dice = random.Random("manipula derivatives")
    rows = states(with_square_poses(tape), samples)
    ports = [port for port in with_square_poses(tape).inputs if port.slots]
    given: list[Values] = []
    for state in rows:
        pairs = zip(found[0].inputs, ports, strict=True)
        given.append({x.name: _by_columns(x, state.inputs[port.name]) for x, port in pairs})
    cases = []
    for x in found:
        known = set(given[0])
        seeds = [port for port in x.tape.inputs if port.name not in known]
        drawn = [{p.name: [round(dice.uniform(-1.5, 1.5), 3) for _ in p.slots] for p in seeds} for _ in given]
        cases.append(states(x.tape, [{**a, **b} for a, b in zip(given, drawn, strict=True)]))
    return cases


def _by_columns(matrix: SparseMatrix, values: Sequence[float]) -> list[float]:
    return [values[row * matrix.columns + column] for row, column in matrix.entries]


def _tables(x: External, rows: Sequence[State]) -> Iterator[Context]:
    """What is given and what is true, in the order of the arguments; nothing where an argument has no entries."""
    arguments, language = split(x.tape, Namer(())), spelling.language("")
    inputs = {a.port.name: a for a in (*arguments.variables, *arguments.parameters)}
    outputs = {a.port.name: a for a in arguments.outputs}
    for i, matrix in enumerate(x.inputs):
        if matrix.entries:
            argument = inputs[matrix.name]
            yield {"what": f"x{i}", **table(argument, [s.inputs[matrix.name] for s in rows], language)}
    for i, matrix in enumerate(x.outputs):
        if matrix.entries:
            argument = outputs[matrix.name]
            yield {"what": f"y{i}", **table(argument, [s.outputs[matrix.name] for s in rows], language)}
