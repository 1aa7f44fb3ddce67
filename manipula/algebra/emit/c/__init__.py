"""C99: a header, a source without allocation, recursion or state, a self-testing `main`, and what builds them.

The number type is `double`, `float`, or either by a macro. The batch function takes structures of arrays, one state a
lane. In one file everything is `static inline`, in a header that C and C++ may include.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from manipula.algebra.emit.backend import PLAIN, EmitOptions, Part, Samples
from manipula.algebra.emit.c.batch import BLOCK, batch
from manipula.algebra.emit.c.instructions import instructions
from manipula.algebra.emit.c.precision import DOUBLE, PRECISIONS, Precision
from manipula.algebra.emit.c.prototypes import place, prototypes, stepping
from manipula.algebra.emit.c.sincos import HeldNames, angle_pairs, written_body
from manipula.algebra.emit.c.spelling import ALWAYS, NAMES, RESERVED, language
from manipula.algebra.emit.names import Namer, ascii_text, identifier
from manipula.algebra.emit.readme import readme
from manipula.algebra.emit.reference import states, with_square_poses
from manipula.algebra.emit.sections import Places, Sections, context, sections_named, self_test_tables
from manipula.algebra.emit.split import split
from manipula.algebra.emit.templates import filled
from manipula.algebra.tape import Tape


@dataclass(frozen=True)
class C99:
    """The back end."""

    options: EmitOptions = PLAIN

    @property
    def precision(self) -> Precision:
        """In one file the type is settled: macros of ours would reach into the file that includes it."""
        found = PRECISIONS[self.options.dtype]
        return DOUBLE if found.both and self.options.single_file else found

    def emit(self, tape: Tape, version: str, samples: Samples) -> dict[str, str]:
        if self.options.single_file:
            return self.in_one_file([tape], tape.name, version)
        tape = with_square_poses(tape)
        name = Namer(RESERVED).name(tape.name)
        shown = _context(self, tape, name, version)
        found = states(tape, samples)
        test = {**shown, **self_test_tables(shown["split"], found, language("")), "header": f"{name}.h"}
        return {
            f"{name}.h": filled(__name__, "function.h.jinja", shown),
            f"{name}.c": filled(__name__, "function.c.jinja", shown),
            f"{name}_test.c": filled(__name__, "test.c.jinja", test),
            "CMakeLists.txt": filled(__name__, "CMakeLists.txt.jinja", shown),
            f"{name}.pc.in": filled(__name__, "package.pc.in.jinja", shown),
            f"README_{name}_c.md": readme(
                tape, name, version, shown["split"], instructions(name, shown, self.precision, found[0])
            ),
        }

    def in_one_file(
        self, tapes: Sequence[Tape], title: str, version: str, parts: Sequence[Part] = ()
    ) -> dict[str, str]:
        """Several functions in one header that needs nothing else; a self-test of each beside it."""
        namer, file = Namer(RESERVED), identifier(title)
        shown = [(tape, _context(self, tape, namer.name(tape.name), version)) for tape in map(with_square_poses, tapes)]
        texts = [filled(__name__, "part.jinja", own) for _, own in shown] + [part.text for part in parts]
        names = [own["name"] for _, own in shown] + [part.name for part in parts]
        whole = {"name": file, "guard": f"{file.upper()}_H", "names": names, "texts": texts, "options": self.options}
        files = {f"{file}.h": filled(__name__, "single.h.jinja", whole)}
        for tape, own in shown:
            test = {**own, **self_test_tables(own["split"], states(tape), language("")), "header": f"{file}.h"}
            files[f"{own['name']}_test.c"] = filled(__name__, "test.c.jinja", test)
        return files | {f"{part.name}_test.c": part.test for part in parts}


def _context(back: C99, tape: Tape, name: str, version: str) -> dict[str, Any]:
    """Everything the templates show."""
    precision, options = back.precision, back.options
    written, pairs = _written(back, tape, name)
    texts = tape.provenance.texts()
    shown = context(tape, name, version, written)
    storage, restrict = ("static inline ", "") if options.single_file else ("", "restrict ")
    many = options.batch
    symbols = [name, *([f"{name}_batch"] if many else []), *_further(name, written, shown)]
    return shown | {
        "options": options,
        "precision": precision,
        "storage": storage,
        "helper_storage": "static inline " if options.single_file else "static ",
        "guard": f"{name.upper()}_H",
        "version": version,
        "description": ascii_text(f"{texts.get('model', name)} of {texts.get('robot', name)}"),
        "about": comment_lines(shown["about"]),
        "ports": comment_lines(shown["ports"]),
        "indices": written.split.indices(name),
        "functions": [name for op, name in NAMES.items() if op in ALWAYS or op in shown["used"]],
        "helpers": precision.helpers(shown["used"]),
        "symbols": symbols,
        "pairs": pairs,
        "body": written_body(written.main, precision.real, f"{name}_sincos", pairs),
        "batch": batch(tape, written.split, precision.language(name)) if many else None,
        "block": BLOCK,
        "declared": prototypes(name, written.split, precision.public, "", storage)
        | stepping(name, shown, precision.public, storage),
        "defined": prototypes(name, written.split, precision.real, restrict, storage)
        | stepping(name, shown, precision.real, storage),
    }


def _written(back: C99, tape: Tape, name: str) -> tuple[Sections, dict[str, str]]:
    """Both halves, and the sines that are computed together with a cosine, by name."""
    c = back.precision.language(name)
    arguments = split(tape, Namer(c.reserved), _parameters(tape))
    slots = angle_pairs(tape) if back.options.sincos else {}
    names = HeldNames(tape, {*c.reserved, *arguments.names}, {*slots, *slots.values()})
    pairs = {names.words[sine]: names.words[cosine] for sine, cosine in slots.items()}
    return sections_named(tape, arguments, c, names, Places(place, place)), pairs


def _parameters(tape: Tape) -> set[str]:
    """The names of parameters, which they keep: a result that is called like one gets another."""
    return {name for port in tape.inputs if not port.online for name in port.names}


def _further(name: str, written: Sections, shown: Mapping[str, Any]) -> list[str]:
    """Functions that some tapes have."""
    found = [f"{name}_init", f"{name}_step"] if shown["memory"] else []
    if written.split.kept:
        found = [f"{name}_prepare", *([f"{name}_condition"] if written.prepare.checks else []), *found]
    return found


def comment_lines(lines: Iterable[str]) -> list[str]:
    """Nothing inside may end the comment, or start another."""
    return [line.replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?") for line in lines]
