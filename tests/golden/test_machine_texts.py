"""Source and assembly of functions with every operation, port and choice, as digests: the texts themselves would fill a
shelf, and `test_emitted` has some of them whole. One line a text: what it is, its size, its digest.

`pytest -n 0 tests/golden/test_machine_texts.py --update` accepts them; what changed is told by a diff of what
`python -m tests.golden.test_machine_texts FOLDER` writes before and after."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import blake2b
from itertools import product
from pathlib import Path

import pytest

import manipula as mp
from manipula.algebra.emit.backend import (
    PROGRAMS,
    EmitOptions,
    emit,
    emit_in_one_file,
    emit_program,
    fold_choices,
    languages,
)
from manipula.algebra.expr.condition import Condition, ConditionWords
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.expr.provenance import Provenance
from manipula.algebra.llvm.ir import batch_module, lanes_function, module_of, single_module
from manipula.algebra.llvm.program_lanes import laned_assembly, routine_abreast
from manipula.algebra.llvm.program_writer import assembly, rounded_assembly
from manipula.algebra.llvm.repeat import repeat_module
from manipula.algebra.llvm.writer import Host
from manipula.algebra.optimise.search import kernel
from manipula.algebra.program.linear_algebra import eigenvalues
from manipula.algebra.program.primitives import normals
from manipula.algebra.program.reader import program
from manipula.algebra.program.tapes import Straight
from manipula.algebra.run.python_call import has_vectorcall, vectorcall_text
from manipula.algebra.run.python_call_inverse import inverse_call_text
from manipula.algebra.run.texts import Text
from manipula.algebra.tape import Tape, tape_from_function
from manipula.errors import ManipulaError
from manipula.ik.controller.general import nearest_of_all
from manipula.ik.controller.nearest import nearest_text
from manipula.ik.descent import descend
from manipula.ik.general6r.solutions import solve_pose
from manipula.ik.general6r.solver import TEXTS
from manipula.ik.module.part import judge, nearest_of
from manipula.ik.module.step import stepped_towards
from manipula.ik.numeric.branches import choose_each, prefer, rank, wind_each
from manipula.ik.numeric.turns import raise_rows, top_turns
from manipula.ik.path_graph import cheapest
from manipula.ik.redundant import elbow_angle
from manipula.scalar import APART, OPS, Next
from manipula.trajectories.time_scaling import fastest
from tests.golden import planar
from tests.random_texts import everything, neighbours, waves
from tests.units.test_lanes import counted, stepped

PACKAGE = Path(mp.__file__).parent
GOLDEN = Path(__file__).with_name("machine_texts.txt")
HOSTS = {"16": Host(16, False), "16 fma": Host(16, True), "32 fma": Host(32, True), "64 fma": Host(64, True)}
KEYWORDS = ("if", "do", "end", "lambda", "real", "fn", "end_if", "Q")


@cache
def everywhere(parameters: bool = True, states: bool = True) -> Tape:
    """Every operation of the table, some far below others; words of languages for names; sums longer than a line."""
    graph = Graph()
    maths = ExprMaths(graph)
    x = [graph.symbol(name, online=True) for name in KEYWORDS]
    p = [graph.symbol(name, online=not parameters) for name in ("a", "b", "the_length_of_the_last_link_of_all")]
    low = [graph.symbol(f"low{i}", online=True) for i in range(2)]
    spoken = [name for name in OPS if name != APART and OPS[name].arity > 0]
    made: list[Expr] = [*x, *p]
    for turn in range(2):
        for k, name in enumerate(spoken):
            args = [made[(3 * k + 5 * i + 7 * turn) % len(made)] for i in range(OPS[name].arity)]
            made.append(graph.expr(OPS[name].value(maths, *args)))
    long = sum((a * b for a, b in zip(made[4:], made)), start=made[0] / 3)
    offline = maths.sqrt(p[0] * p[0] + 1) / p[1]
    ports: list[Input] = [Input("x", tuple(x), "rad", "words of languages")]
    outputs = [
        Output("y", (2, 2), (long, made[-1], x[0], -x[1]), "N·m", "a matrix"),
        Output("z", (), (offline * x[2],)),
    ]
    if states:
        ports.append(Input("low", tuple(low), "rad", "what is kept", "state"))
        after = tuple(s + p[2] * (x[3] - s) for s in low)
        outputs.append(Output("low_next", (2,), after, "rad", "after the step", Next("low")))
    role = "parameter" if parameters else "variable"
    ports.append(Input("p", tuple(p), "SI", "of the robot", role))  # type: ignore[arg-type]
    origin = Provenance("planar", joints=("shoulder", "elbow"), proof="by hand", parameters=("a", "b"))
    words = ConditionWords("b", "size")
    conditions = (Condition(p[1], maths.abs(p[0]) / 1_000_000, words),) if parameters else ()
    return tape_from_function(
        Function("everywhere", graph, tuple(ports), tuple(outputs), provenance=origin, conditions=conditions)
    )


TAPES: dict[str, Callable[[], Tape]] = {
    "all": everywhere, "no parameters": lambda: everywhere(False), "no states": lambda: everywhere(True, False),
    "plain": lambda: everywhere(False, False), "torque": planar.torque, "servo": planar.servo,
    "lagrange": planar.lagrange,
}  # fmt: skip
EMITTED = ("all", "no states", "plain", "servo")
OPTIONS = {
    "usual": EmitOptions(), "single": EmitOptions(dtype="float32", batch=False),
    "one file": EmitOptions(single_file=True), "sincos": EmitOptions(dtype="float64", sincos=True),
}  # fmt: skip


def emitted() -> Iterator[tuple[str, str]]:
    for case, language, (how, options) in product(EMITTED, languages(), OPTIONS.items()):
        try:
            files = emit(TAPES[case](), language, planar.VERSION, options=options)
        except ManipulaError as error:
            files = {"refused": str(error)}
        for name, text in files.items():
            yield f"{language}, {how}, {case}: {name}", text
    both = [everywhere(), planar.torque()]
    for language in ("c", "python"):
        try:
            together = emit_in_one_file(both, "both", language, planar.VERSION, EmitOptions(single_file=True))
        except ManipulaError as error:
            together = {"refused": str(error)}
        for name, text in together.items():
            yield f"{language}, together: {name}", text


def programs() -> Iterator[tuple[str, str]]:
    texts = {
        "texts": (everything, waves, neighbours), "search": (kernel.anneal,), "eigen": (eigenvalues,),
        "noise": (normals,),
    }  # fmt: skip
    for name, some in texts.items():
        routines = program(*some)
        public = [text.__name__ for text in some]
        for language in PROGRAMS:
            for wide in (False, True) if language in ("c", "cpp", "cuda") else (None,):
                try:
                    said = emit_program(routines, language, public, **({} if wide is None else {"wide": wide}))
                except ManipulaError as error:
                    said = str(error)
                yield f"{language}, {name}, wide {wide}", said
        yield f"assembly, {name}", assembly(routines, *public)
        yield f"rounded, {name}", rounded_assembly(routines, *public)
    for lanes in (1, 2, 8):
        for text in (stepped, counted):
            yield f"{lanes} lanes, {text.__name__}", laned_assembly(program(text), lanes)
    yield "abreast", "\n".join(routine_abreast(x, 2) for x in program(normals)[-1:])


def nearest_parts() -> tuple[Straight, Straight, Straight]:
    """The tapes that the choice among branches calls: of an arm with a slide and two branches."""
    models = ("inverse_kinematics", "pose", "jacobian")
    robot = mp.load("scara").with_parameters(a1=0.4, a2=0.3, d4=0.1)
    made = (mp.generate(robot, model, optimise="none") for model in models)
    closed, pose, jacobian = (Straight(fold_choices(tape_from_function(model.function))) for model in made)
    return closed, pose, jacobian


# every text of the package with loops: what becomes machine code, C and the module of a page
LOOPS: dict[str, Callable[[], tuple[Text, ...]]] = {
    "six turning joints": lambda: (*TEXTS, solve_pose, nearest_of_all),
    "nearest": lambda: (nearest_text(*nearest_parts(), 1.0),),
    "branches": lambda: (choose_each, prefer, rank, wind_each),
    "branches of a page": lambda: (judge, nearest_of, elbow_angle, stepped_towards),
    "descent": lambda: (descend,),
    "seams": lambda: (cheapest, raise_rows, top_turns),
    "fastest motion": lambda: (fastest,),
}


def loops() -> Iterator[tuple[str, str]]:
    for name, texts in LOOPS.items():
        some = texts()
        yield name, assembly(program(*some), *(text.__name__ for text in some))


def assemblies() -> Iterator[tuple[str, str]]:
    for (case, make), (wide, host), scalar in product(TAPES.items(), HOSTS.items(), ("double", "float")):
        tape = make()
        yield f"one, {case}, {wide}, {scalar}", single_module(tape, scalar, host)
        yield f"many, {case}, {wide}, {scalar}", batch_module(tape, scalar, host)
        if any(port.role == "state" for port in tape.inputs):
            for lanes in (1, 4):
                yield f"{lanes} repeated, {case}, {wide}, {scalar}", repeat_module(tape, scalar, host, lanes)
        if has_vectorcall(tape):
            yield f"call, {case}, {wide}, {scalar}", vectorcall_text(tape, 16, scalar)
        if scalar == "double":
            yield f"lanes, {case}, {wide}", module_of(tape, [lanes_function(tape, 4, host)])
    for branches, size in ((1, 2), (8, 6)):
        yield f"call of an inverse, {branches}", inverse_call_text(branches, size, 16)


KINDS: dict[str, Callable[[], Iterator[tuple[str, str]]]] = {
    "emitted": emitted, "programs": programs, "loops": loops, "assemblies": assemblies,
}  # fmt: skip


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_text_has_its_digest(kind: str, update: bool) -> None:
    found = {f"{kind}, {name}": f"{len(text)} {digest(text)}" for name, text in KINDS[kind]()}
    lines = GOLDEN.read_text(encoding="utf-8").splitlines() if GOLDEN.exists() else []
    kept = dict(line.rsplit(" = ", 1) for line in lines)
    if update:
        kept = {name: said for name, said in kept.items() if not name.startswith(f"{kind}, ")} | found
        GOLDEN.write_text("".join(f"{name} = {said}\n" for name, said in sorted(kept.items())), "utf-8", newline="\n")
    golden = {name: said for name, said in kept.items() if name.startswith(f"{kind}, ")}
    changed = [name for name in golden.keys() | found.keys() if golden.get(name) != found.get(name)]
    assert not changed, f"{len(changed)} texts changed; if it is meant: --update; {sorted(changed)[:5]}"


def test_every_text_with_loops_has_a_digest() -> None:
    """A text is a function of arrays as `algebra.program` names them."""
    arrays = re.compile(r"Reals|Complexes|Ints|Words")
    some = [text for texts in LOOPS.values() for text in texts()]
    known = {routine.name for routine in program(*some, everything, kernel.anneal, kernel.begin, eigenvalues, normals)}
    missing = [
        f"{file.name}: {node.name}"
        for file in sorted(PACKAGE.rglob("*.py"))
        if "algebra.program.primitives import" in (source := file.read_text(encoding="utf-8"))
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and node.name not in known
        and any(arrays.search(ast.unparse(x.annotation)) for x in node.args.args if x.annotation)
    ]  # fmt: skip
    assert not missing


def digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=8).hexdigest()


if __name__ == "__main__":
    for kind, make in KINDS.items():
        for name, text in make():
            place = Path(sys.argv[1]) / kind / name.replace("/", "_")
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
