"""Simulink: a C MEX S-function of level 2 around the emitted C, and a `.m` that compiles it and adds its block.

Functions and fields are those of MathWorks, "Developing S-Functions" (R2023b), chapter "S-Function Callback Methods";
the level-2 interface has had them since release 2.2. A signal of Simulink that is a matrix stands by columns, one of C
by rows: matrices are turned at the ports.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, prod

from manipula.algebra.emit.about import Context, Readme, fill_template, readme
from manipula.algebra.emit.backend import PLAIN, EmitOptions, Samples
from manipula.algebra.emit.c import C99
from manipula.algebra.emit.matlab import RESERVED
from manipula.algebra.emit.ports import Argument, Memory, Namer, Split, ascii_text
from manipula.algebra.emit.reference import states, with_square_poses
from manipula.algebra.emit.ros2 import without_build_words
from manipula.algebra.tape import Tape

_C = C99(EmitOptions(dtype="float64", batch=False))
SAMPLE = "sample"  # the port that holds the time of a step
STEP = 1e-3  # s, the sample time that the mask of a new block shows


@dataclass(frozen=True)
class Simulink:
    """The back end. The values that a block shows are those of a law, else those of the self-test's first state."""

    options: EmitOptions = PLAIN

    def emit(self, tape: Tape, version: str, samples: Samples) -> dict[str, str]:
        tape = with_square_poses(tape)
        shown = _C.template_values(tape, version)
        name: str = shown["name"]
        arguments: Split = shown["split"]
        values = states(tape, samples)[0].inputs | dict(self.options.settings)
        shown |= _ports(shown) | _dialog(shown, values, self.options.settings)
        source = _C.emit(tape, version, samples)
        files = {
            f"{name}.h": without_build_words(source[f"{name}.h"]),
            f"{name}.c": source[f"{name}.c"],
            f"{name}_sfun.c": fill_template(__name__, "sfun.c.jinja", shown),
            f"{name}_build.m": fill_template(__name__, "build.m.jinja", shown),
            f"{name}_test.c": source[f"{name}_test.c"],
        }
        own = Readme(
            "Simulink",
            "matlab",
            {
                f"{name}_build.m": "compiles the S-function; with the name of a model it adds the block there",
                f"{name}_sfun.c": "the S-function, level 2",
                f"{name}.h, {name}.c": "the function in C99",
                f"{name}_test.c": "a `main` that compares the C with true values",
            },
            f"block = {name}_build(model)",
            "\n".join(_example(name, shown)),
            f"cc -std=c99 -O2 {name}.c {name}_test.c -lm -o {name}_test && ./{name}_test",
            _remarks(name, shown),
        )
        files["README.md"] = readme(tape, name, version, arguments, own)
        return {f"simulink/{name}/{file}": text for file, text in files.items()}


def _ports(shown: Context) -> Context:
    """What goes in and out of the block: of what remembers, without its states."""
    memory: Memory | None = shown["memory"]
    arguments: Split = shown["split"]
    inputs, outputs = (memory.variables, memory.outputs) if memory else (arguments.variables, arguments.outputs)
    kept = ["ssGetRWork(S)"] if shown["kept"] and not memory else []
    first = ["memory"] if memory else []
    given = [f"m{i}" if len(x.port.shape) > 1 else f"u{i}" for i, x in enumerate(inputs)]
    taken = [f"{'' if x.port.shape else '&'}out->{x.name}" for x in outputs]
    parameters = [f"{_rows_of(x)}mxGetPr(ssGetSFcnParam(S, {i}))" for i, x in enumerate(shown["parameters"])]
    return {
        "inputs": inputs,
        "results": outputs,
        "states": [x for x, _ in memory.states] if memory else [],
        "state_size": sum(len(x.port.slots) for x, _ in memory.states) if memory else 0,
        "sizes": lambda x: "".join(f"[{n}]" for n in x.port.shape),
        "port_size": _port_size,
        "turned_in": [(i, x) for i, x in enumerate(inputs) if len(x.port.shape) == 2],
        "flat_in": [(i, x) for i, x in enumerate(inputs) if len(x.port.shape) > 2],
        "turned_out": any(len(x.port.shape) == 2 for x in outputs),
        "call": f"{name_of_call(shown)}({', '.join([*first, *given, *kept, *taken])})",
        "prepared": ", ".join([*parameters, "ssGetRWork(S)"]),
    }


def _port_size(way: str, i: int, x: Argument) -> str:
    """The call that gives a port its size."""
    if len(x.port.shape) == 2:
        return f"ssSet{way}PortMatrixDimensions(S, {i}, {x.port.shape[0]}, {x.port.shape[1]})"
    return f"ssSet{way}PortWidth(S, {i}, {prod(x.port.shape)})"


def name_of_call(shown: Context) -> str:
    """The function that a step of the block calls."""
    return f"{shown['name']}{'_step' if shown['memory'] else ''}"


def _rows_of(x: Argument) -> str:
    rest = "".join(f"[{n}]" for n in x.port.shape[1:])
    return f"(double (*){rest})" if rest else ""


def _dialog(shown: Context, values: Mapping[str, Sequence[float]], own: Mapping[str, Sequence[float]]) -> Context:
    """The parameters of the block, in the order of the S-function, and which of them is the time of a step."""
    namer = Namer(RESERVED)
    rows: list[dict[str, str | int]] = []
    for x in shown["parameters"]:
        step = x.port.name == SAMPLE
        shows = [STEP] if step and x.port.name not in own else values[x.port.name]
        rows.append(_row(namer.name(x.name), x, shows, "NOT_TUNABLE" if step else "TUNABLE"))
    memory: Memory | None = shown["memory"]
    for x, _ in memory.states if memory else ():
        start = own.get(x.port.name, [0.0] * len(x.port.slots))
        rows.append(_row(namer.name(f"{x.name}_start"), x, start, "NOT_TUNABLE"))
    if not any(x.port.name == SAMPLE for x in shown["parameters"]):
        value = repr(STEP) if memory else "-1"
        prompt = "time of a step, s" if memory else "sample time, s; -1: that of the block before"
        rows.append({"name": namer.name("sample_time"), "size": 1, "prompt": prompt, "value": value,
                     "tunable": "NOT_TUNABLE", "names": ""})  # fmt: skip
    at = [i for i, x in enumerate(shown["parameters"]) if x.port.name == SAMPLE]
    return {"dialog": rows, "step_index": at[0] if at else len(rows) - 1, "steps": bool(memory or at)}


def _row(name: str, x: Argument, values: Iterable[float], tunable: str) -> dict[str, str | int]:
    doc = ", ".join(filter(None, [x.port.doc, x.port.unit if x.port.unit != "1" else ""]))
    prompt = ascii_text(f"{name}: {doc}").replace("'", "''")
    value = f"[{' '.join(map(_number, values))}]"
    return {"name": name, "size": len(x.port.slots), "prompt": prompt, "value": value, "tunable": tunable,
            "names": ascii_text(", ".join(x.port.names))}  # fmt: skip


def _number(value: float) -> str:
    """MATLAB's word for it."""
    return repr(float(value)) if isfinite(value) else str(value).replace("inf", "Inf").replace("nan", "NaN")


def _example(name: str, shown: Context) -> Iterable[str]:
    yield f"{name}_build                 % compiles {name}_sfun"
    yield "new_system('cell'); open_system('cell')"
    yield f"block = {name}_build('cell')  % and adds the block, with the names of its ports"
    if shown["dialog"]:
        row = shown["dialog"][0]
        yield f"set_param(block, '{row['name']}', '{row['value']}')"


def _remarks(name: str, shown: Context) -> list[str]:
    told = [
        "A matrix is a matrix of Simulink. What has more than two dimensions is a vector, row by row. "
        "The parameters of the block are, in this order: "
        + "; ".join(f"`{row['name']}` ({row['size']})" for row in shown["dialog"])
        + ". A new block shows the settings of the law; what has no value is that of the self-test's first state.",
        "mex needs a C compiler that MATLAB supports (`mex -setup C`). The block generates code, too: "
        f"`SFunctionModules` names `{name}`.",
    ]
    if shown["states"]:
        told.append("The memory of the law is the block's discrete states, so that models can be saved and resumed.")
    return told
