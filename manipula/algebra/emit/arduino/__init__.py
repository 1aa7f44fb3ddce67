"""Arduino: a library folder: the emitted C over float, without stdio, and a sketch that tests it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from manipula.algebra.emit.about import Readme, fill_template, readme
from manipula.algebra.emit.backend import EmitOptions, Samples
from manipula.algebra.emit.c import C99
from manipula.algebra.emit.c.spelling import language
from manipula.algebra.emit.ports import Memory, Split
from manipula.algebra.emit.reference import states, with_square_poses
from manipula.algebra.emit.ros2 import without_build_words
from manipula.algebra.emit.section import self_test_tables
from manipula.algebra.tape import Tape

_C = C99(EmitOptions(dtype="float32", batch=False))


class Arduino:
    """The back end."""

    def emit(self, tape: Tape, version: str, samples: Samples) -> dict[str, str]:
        tape = with_square_poses(tape)
        shown = _C.template_values(tape, version)
        name: str = shown["name"]
        arguments: Split = shown["split"]
        shown |= {
            **self_test_tables(arguments, states(tape, samples), language("")),
            "library_version": version if re.fullmatch(r"\d+\.\d+\.\d+", version) else "0.0.0",
            "sizes": lambda x: "".join(f"[{size}]" for size in x.port.shape),
        }
        source = _C.emit(tape, version, samples)
        files = {
            "library.properties": fill_template(__name__, "library.properties.jinja", shown),
            f"src/{name}.h": without_build_words(source[f"{name}.h"]),
            f"src/{name}.c": source[f"{name}.c"],
            f"examples/{name}/{name}.ino": fill_template(__name__, "example.ino.jinja", shown),
        }
        own = Readme(
            "Arduino",
            "c",
            {
                "library.properties": "the library",
                f"src/{name}.h, src/{name}.c": "the function over float; needs nothing but `math.h`",
                f"examples/{name}/{name}.ino": "a sketch that compares with true values",
            },
            "\n".join(f"{text};" for key, text in shown["declared"].items() if _has(shown, arguments, key)),
            "\n".join(_example(name, arguments, shown["memory"])),
            f"arduino-cli compile --fqbn arduino:avr:mega --library . examples/{name}",
            ["Copy the folder into `libraries/` of the sketchbook. The sketch prints `passed` at 115200 baud."],
            verdict="It compares with true values computed with 40 digits, to 1e-3 of 1 + |true|.",
        )
        files["README.md"] = readme(tape, name, version, arguments, own)
        return {f"arduino/{name}/{file}": text for file, text in files.items()}


def _has(shown: dict[str, object], arguments: Split, key: str) -> bool:
    return {"prepare": bool(arguments.kept), "many": False}.get(key, True)


def _example(name: str, arguments: Split, memory: Memory | None) -> Iterable[str]:
    yield f"#include <{name}.h>"
    if arguments.kept:
        yield f"float k[{name}_nk];"
        yield f"{name}_prepare({', '.join(x.name for x in arguments.parameters)}, k);  /* once, in setup() */"
    outputs = [f"{'' if x.port.shape else '&'}{x.name}" for x in arguments.outputs]
    words = [*(x.name for x in arguments.variables), *(["k"] if arguments.kept else []), *outputs]
    yield f"{name}({', '.join(words)});  /* in loop() */"
    if memory:
        yield f"{name}_state {memory.pointer};  /* {name}_init in setup(), {name}_step in loop() */"
