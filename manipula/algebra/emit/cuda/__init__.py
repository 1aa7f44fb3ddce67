"""CUDA: a kernel over many states, in float or double, any layout, that also compiles at run time (NVRTC, CuPy)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from manipula.algebra.emit import section
from manipula.algebra.emit.about import Context, Readme, Shown, fill_template, readme
from manipula.algebra.emit.c import comment_lines
from manipula.algebra.emit.c.spelling import language as c_language
from manipula.algebra.emit.cuda import program as cuda_program
from manipula.algebra.emit.ports import Argument, Memory, Namer, Split, split
from manipula.algebra.emit.reference import states
from manipula.algebra.program.primitives import EACH, normals
from manipula.algebra.program.reader import program
from manipula.algebra.tape import Tape

BLOCK = 64  # threads: small blocks leave the fewest registers idle
BLOCKS = 4  # of a multiprocessor: its 65,536 registers are 256 for each of their threads, as many as a thread may have
ROOM = 12288  # bytes of shared memory a warp may use


@dataclass(frozen=True)
class Array:
    """An argument in the kernel: its name, its steps, and the entries of one state."""

    name: str
    size: int
    read: bool
    row: str
    column: str
    own: str


class Cuda:
    """The back end."""

    def emit(self, tape: Tape, version: str, samples: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, str]:
        shown = _context(tape, version)
        name: str = shown["name"]
        arguments: Split = shown["split"]
        test = {**shown, **section.self_test_tables(arguments, states(tape, samples), c_language(""))}
        rollouts = {f"{name}_rollouts.cuh": _rollouts(shown, standalone=True)} if _rolls(shown) else {}
        return {
            f"{name}.cuh": fill_template(__name__, "function.cuh.jinja", shown),
            **rollouts,
            f"{name}_test.cu": fill_template(__name__, "test.cu.jinja", test),
            f"README_{name}_cuda.md": readme(tape, name, version, arguments, _readme(name, shown)),
        }


def _rolls(shown: Shown) -> bool:
    """Does it go step by step?"""
    return shown["memory"] is not None


@dataclass(frozen=True)
class CudaSource:
    """The header of a tape, and what its kernels are called there."""

    text: str
    name: str
    rollouts: str = ""  # of a tape with states: many steps, after the text
    noisy: bool = False  # do the rollouts draw noise?

    def run_kernel(self, real: str, own: bool) -> str:
        """f_rollouts<double, false>"""
        return f"{self.name}_rollouts<{real}, {'true' if own else 'false'}>"

    def kernel(self, real: str, layout: str) -> str:
        """f_kernel<double, f_by_rows>"""
        return f"{self.name}_kernel<{real}, {self.name}_by_{layout}>"


def source(tape: Tape, version: str) -> CudaSource:
    """The header alone, to be compiled at run time."""
    shown = _context(tape, version)
    rollouts = _rollouts(shown, standalone=False) if _rolls(shown) else ""
    # decides the kernel's parameters: without noise there is no seed to hand over
    noisy = any(port.role == "noise" for port in tape.inputs)
    return CudaSource(fill_template(__name__, "function.cuh.jinja", shown), shown["name"], rollouts, noisy)


def _rollouts(shown: Shown, standalone: bool) -> str:
    memory: Memory = shown["memory"]
    recorded = [*(x for x, _ in memory.states), *memory.outputs]
    width = sum(len(x.port.slots) for x in recorded)
    more = {"recorded": recorded, "width": width, "standalone": standalone}
    noises = [x for x in memory.variables if x.port.role == "noise"]
    more |= {"noises": noises, "drives": [x for x in memory.variables if x.port.role != "noise"]}
    if noises:
        # a counter gives four deviates at a time: room for the ones that nobody reads
        more["drawn"] = -(-sum(len(x.port.slots) for x in noises) // EACH) * EACH
        more["philox"] = cuda_program.CudaProgram(program(normals), (), wide=True).text().strip()
    return fill_template(__name__, "rollouts.cuh.jinja", {**shown, **more})


def _context(tape: Tape, version: str) -> Context:
    name = Namer(cuda_program.RESERVED).name(tape.name)
    # the sines of all joints stand side by side then, and share one reduction of the argument
    tape = cuda_program.move_angles_first(tape)
    written = _sections(tape, name)
    arguments = written.split
    shown = section.context(tape, name, version, written)
    body = list(cuda_program.group_angles(written.main.body, name))
    # wrappers are written only for functions that are called outside the groups
    text = _outside_groups(written, body)
    used = [(op, helper) for op, helper in cuda_program.helpers(name).items() if op in shown["used"]]
    called = " ".join(helper.body for _, helper in used)
    arrays = _arrays(arguments)
    return (
        shown
        | _signatures(arguments, arrays, name)
        | {
            "guard": f"MANIPULA_{name.upper()}_CUH",
            "about": comment_lines(shown["about"]),
            "ports": comment_lines(shown["ports"]),
            "functions": [
                (op, *cuda_program.PLAIN[op]) for op in cuda_program.PLAIN if f"{name}_{op}(" in text + called
            ],
            "helpers": used,
            "sines": any(isinstance(x, cuda_program.Group) for x in body),
            "body": body,
            "arrays": arrays,
            "block": BLOCK,
            "blocks": BLOCKS,
            "room": ROOM,
        }
    )


def _sections(tape: Tape, name: str) -> section.Sections:
    """Sines and cosines have a line of their own, to be found again."""
    sines = [line.slot for line in tape.online if cuda_program.is_sine(line)]
    spoken = cuda_program.language(name)
    taken = {*spoken.reserved, *(f"{word}{i + 1}" for word in cuda_program.WORDS for i in range(len(sines)))}
    arguments = split(tape, Namer(taken))
    names = section.TapeNames(tape, {*taken, *arguments.names})
    for slot in sines:
        # a name of its own: otherwise it would be written into another line
        names.free[slot] = False
    return section.sections_named(tape, arguments, spoken, names, section.Places(_entry, _entry))


def _entry(argument: Argument, position: int) -> str:
    return f"{argument.name}[{position}]"


def _outside_groups(written: section.Sections, body: Sequence[section.Statement | cuda_program.Group]) -> str:
    """All that is computed, without the sines and cosines that come together."""
    statements = [*written.prepare.body, *written.prepare.stores, *written.main.stores]
    statements += [x for x in body if isinstance(x, section.Statement)]
    angles = [angle for x in body if isinstance(x, cuda_program.Group) for angle in x.angles]
    return "\n".join([*(x.text for x in statements), *(x.text for x in written.prepare.checks), *angles])


def _arrays(arguments: Split) -> list[Array]:
    namer = Namer({*cuda_program.RESERVED, *arguments.names})

    def arrays(of: Sequence[Argument], read: bool) -> Iterable[Array]:
        for x in of:
            # a port may be called q_row already
            row, column, own = (namer.name(f"{x.name}_{word}") for word in ("row", "column", "own"))
            yield Array(x.name, len(x.port.slots), read, row, column, own)

    return [*arrays(arguments.variables, True), *arrays(arguments.outputs, False)]


def _signatures(arguments: Split, arrays: Sequence[Array], name: str) -> dict[str, list[str]]:
    """The parameters of the function of one state, of the kernel and of the launchers, and what is handed on."""
    kept = len(arguments.kept)
    inputs, outputs = [x for x in arrays if x.read], [x for x in arrays if not x.read]

    def format_arrays(of: Sequence[Array], form: str) -> list[str]:
        return [form.format(x=x, const="const " if x.read else "") for x in of]

    def around(form: str, work: str) -> list[str]:
        return [*format_arrays(inputs, form), *([work] if kept else []), *format_arrays(outputs, form)]

    work = f"const {name}_work<Real> work"
    steps = "const long long {x.row}, const long long {x.column}"
    return {
        "state_signature": around("{const}Real (&{x.name})[{x.size}]", f"const Real (&k)[{kept}]"),
        "state_arguments": around("{x.own}", "work.k"),
        "kernel_signature": ["const long long n", *around(f"{{const}}Real* __restrict__ {{x.name}}, {steps}", work)],
        "launch_signature": [
            "const long long n",
            *around("{const}Real* {x.name}", f"const {name}_work<Real>& work"),
            "cudaStream_t stream = 0",
        ],
        "by_columns": around("{x.name}, 1, n", "work"),
        "by_rows": around("{x.name}, {x.size}, 1", "work"),
    }


def _readme(name: str, shown: Shown) -> Readme:
    arguments: Split = shown["split"]
    arrays: Sequence[Array] = shown["arrays"]
    handed = [x.name for x in arrays if x.read] + (["work"] if arguments.kept else [])
    arguments_text = ", ".join([*handed, *(x.name for x in arrays if not x.read)])
    signature = [
        f"template <typename Real> cudaError_t {name}_launch(n, {arguments_text}, cudaStream_t stream = 0);",
        f"template <typename Real> cudaError_t {name}_launch_rows(n, {arguments_text}, cudaStream_t stream = 0);",
        f"template <typename Real, {name}_layout layout> __global__ void {name}_kernel(",
        "    " + ",\n    ".join(shown["kernel_signature"]) + ");",
    ]
    lines, rows = [f'#include "{name}.cuh"', ""], ", ".join(shown["by_rows"])
    if arguments.kept:
        parameters = ", ".join(x.name for x in arguments.parameters)
        signature.insert(0, f"template <typename Real> int {name}_prepare({parameters}, k);  // host or device")
        lines += [f"{name}_work<double> work;"]
        lines += [f"if ({name}_prepare<double>({parameters}, work.k) != 0) {{ /* a condition is broken */ }}"]
    lines += [f"{name}_launch<double>(n, {arguments_text});  // pointers to device memory"]
    lines += ["", "/* the same from Python, with CuPy, arrays of one row a state:"]
    if arguments.kept:
        lines += [f'work = numpy.array([(k,)], dtype=[("k", "f8", ({len(arguments.kept)},))])']
    lines += [f'wanted = "{name}_kernel<double, {name}_by_rows>"']
    lines += [f'code = cupy.RawModule(code=open("{name}.cuh").read(), name_expressions=[wanted])']
    lines += [f"code.get_function(wanted)(((n + {BLOCK - 1})//{BLOCK},), ({BLOCK},), (n, {rows}))  */"]
    return Readme(
        "CUDA",
        "cuda",
        {
            f"{name}.cuh": "the kernel, its launchers and what prepares it",
            **({f"{name}_rollouts.cuh": "many steps of many rollouts, states in registers"} if _rolls(shown) else {}),
            f"{name}_test.cu": "the self-test",
        },
        "\n".join(signature),
        "\n".join(lines),
        f"nvcc -O3 {name}_test.cu -o {name}_test && ./{name}_test   # 77: no device",
        [
            f"`{name}_launch` takes structures of arrays, entry `j` of state `i` at `[j*n + i]`, which is fastest; "
            f"`{name}_launch_rows` takes states one after the other, `[i*size + j]`. The kernel takes any steps."
        ],
    )
