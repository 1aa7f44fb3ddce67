"""CUDA: a batch kernel over structures of arrays, in float or double, that also compiles at run time (NVRTC, CuPy)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from manipula.algebra.emit.about import WIDTH
from manipula.algebra.emit.c import comment_lines
from manipula.algebra.emit.c.batch import column
from manipula.algebra.emit.c.spelling import language as c_language
from manipula.algebra.emit.cuda.pairs import Pair, paired
from manipula.algebra.emit.cuda.spelling import HELPERS, PLAIN, RESERVED, language
from manipula.algebra.emit.halves import Halves, Places, context, element, halves, self_test_tables
from manipula.algebra.emit.names import Namer
from manipula.algebra.emit.readme import Readme, readme
from manipula.algebra.emit.reference import states
from manipula.algebra.emit.section import Statement
from manipula.algebra.emit.split import Argument, Split
from manipula.algebra.emit.templates import filled
from manipula.algebra.tape import Tape


class Cuda:
    """The back end."""

    def emit(self, tape: Tape, version: str, samples: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, str]:
        name = Namer(RESERVED).name(tape.name)
        shown = _context(tape, name, version)
        arguments: Split = shown["split"]
        test = {**shown, **self_test_tables(arguments, states(tape, samples), c_language(""))}
        return {
            f"{name}.cuh": filled(__name__, "function.cuh.jinja", shown),
            f"{name}_test.cu": filled(__name__, "test.cu.jinja", test),
            f"README_{name}_cuda.md": readme(tape, name, version, arguments, _readme(name, shown)),
        }


def _context(tape: Tape, name: str, version: str) -> dict[str, Any]:
    written = halves(tape, language(name), (), Places(_read, column))
    arguments = written.split
    shown = context(tape, name, version, written)
    body = paired(written.main.body, name)
    text = _outside_pairs(written, body)
    return shown | {
        "guard": f"MANIPULA_{name.upper()}_CUH",
        "about": comment_lines(shown["about"]),
        "ports": comment_lines(shown["ports"]),
        "functions": [(op, *PLAIN[op]) for op in PLAIN if f"{name}_{op}(" in text],
        "pairs": any(isinstance(x, Pair) for x in body),
        "helpers": [(op, helper) for op, helper in HELPERS.items() if op in shown["used"]],
        "kept_loads": [x for x in written.main.loads if x.text.startswith("k[")],
        "state_loads": [x for x in written.main.loads if not x.text.startswith("k[")],
        "body": body,
        "inputs": [x.name for x in arguments.variables] + (["k"] if arguments.kept else []),
        "results": [x.name for x in arguments.outputs],
        "signature": lambda real: _parts(arguments, real),
    }


def _read(argument: Argument, position: int) -> str:
    """Variables lie as columns, parameters as they are."""
    return (column if argument.port.online else element)(argument, position)


def _outside_pairs(written: Halves, body: Sequence[Statement | Pair]) -> str:
    """All that is computed, without the sines and cosines that come together."""
    statements = [*written.prepare.body, *written.prepare.stores, *written.main.stores]
    statements += [x for x in body if isinstance(x, Statement)]
    return "\n".join([*(x.text for x in statements), *(x.angle for x in body if isinstance(x, Pair))])


def _parts(arguments: Split, real: str) -> str:
    """long long n, const double* __restrict__ q, …"""
    inputs = [x.name for x in arguments.variables] + (["k"] if arguments.kept else [])
    parts = ["const long long n", *(f"const {real}* __restrict__ {x}" for x in inputs)]
    parts += [f"{real}* __restrict__ {x.name}" for x in arguments.outputs]
    line = ", ".join(parts)
    return line if len(line) <= WIDTH else "\n    " + ",\n    ".join(parts)


def _readme(name: str, shown: Mapping[str, Any]) -> Readme:
    arguments: Split = shown["split"]
    inputs = ", ".join([*shown["inputs"], *shown["results"]])
    signature = [
        f"template <typename Real> __global__ void {name}_kernel({shown['signature']('Real')});",
        f"template <typename Real> cudaError_t {name}_launch(n, {inputs}, cudaStream_t stream = 0);",
        f'extern "C" __global__ void {name}_double(...), {name}_float(...);  // when compiled by NVRTC',
    ]
    lines = [f'#include "{name}.cuh"', ""]
    if arguments.kept:
        parameters = ", ".join(x.name for x in arguments.parameters)
        signature.insert(0, f"template <typename Real> int {name}_prepare({parameters}, k);  // host or device")
        lines += [f"double host_k[{len(arguments.kept)}];"]
        lines += [f"if ({name}_prepare<double>({parameters}, host_k) != 0) {{ /* a condition is broken */ }}"]
        lines += ["cudaMemcpy(k, host_k, sizeof host_k, cudaMemcpyHostToDevice);"]
    lines += [f"{name}_launch<double>(n, {inputs});  // pointers to device memory"]
    lines += ["", "/* the same from Python, with CuPy:"]
    lines += [f'kernel = cupy.RawKernel(open("{name}.cuh").read(), "{name}_double")']
    lines += [f"kernel((blocks,), (128,), (numpy.int64(n), {inputs}))  */"]
    return Readme(
        "CUDA",
        "cuda",
        {f"{name}.cuh": "the kernel, its launcher and what prepares it", f"{name}_test.cu": "the self-test"},
        "\n".join(signature),
        "\n".join(lines),
        f"nvcc -O3 {name}_test.cu -o {name}_test && ./{name}_test   # 77: no device",
        [
            "Structures of arrays: entry `j` of state `i` stands at `[j*n + i]`. Any number of blocks covers all "
            "states. `k` is the same for all states.",
        ],
    )
