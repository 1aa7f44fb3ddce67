"""Programs (see `algebra.program`) as source text: one walk for every language, and a small table of each one's words.

A language is a `ProgramWriter` with its types, forms and heads; statements, brackets, names that are keywords, structs,
tables, helpers in use and the tapes that are called are settled here.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence

from manipula.algebra.emit.about import WIDTH
from manipula.algebra.emit.ports import Argument, Namer, Split, ascii_text
from manipula.algebra.emit.section import Places, Section, sections_of
from manipula.algebra.emit.text import PAIRS, ExpressionWriter, Language, Pair, real_only
from manipula.algebra.program import tree
from manipula.algebra.program.primitives import DECIDING
from manipula.algebra.program.reader import program
from manipula.algebra.tape import Tape

STEPS = ("add", "sub", "mul", "div")  # written x += y


class ProgramWriter(ExpressionWriter):
    """A program in one language. Braces, and what C calls things, unless the language says otherwise."""

    helpers: Mapping[str, Sequence[str]] = {}  # by the keys of `forms`: lines of a function that the form calls
    decides = True  # the language has nothing of its own for what tapes decide
    indent = "    "
    power = ""  # the text of x to the y, where lines of a tape call it

    def __init__(self, routines: Sequence[tree.Routine], public: Sequence[str] = ()) -> None:
        """`public`: the routines that can be called from outside."""
        routines = [*self.decision_routines(routines), *routines]
        self.routines, self.public = routines, public
        self.tables = {name: x for routine in routines for name, x in routine.tables.items()}
        self.tapes = {name: x for routine in routines for name, x in routine.tapes.items()}
        self.structs = {name: x for routine in routines for name, x in routine.structs.items()}
        # one name space for routines, tables, structs and tapes, as C has it
        namer = Namer({*self.reserved, "pair", *(f"pair_{name}" for name in PAIRS)})
        self.called = {name: namer.name(name) for name in (x.name for x in routines)}
        self.called |= {name: namer.name(name) for name in (*self.tables, *self.structs)}
        self.straight = {name: namer.name(name) for name in self.tapes}
        self.used: dict[str, None] = {}
        self.local: dict[str, str] = {}
        self.sign = tree.Signs(routines[0]) if routines else None
        self.declared: set[str] = set()

    def decision_routines(self, routines: Sequence[tree.Routine]) -> list[tree.Routine]:
        """What tapes decide, as routines of the program, under the names `sign_of` and the like."""
        tapes = [tape for routine in routines for tape in routine.tapes.values()]
        used = {line.op for tape in tapes for line in (*tape.lines, *tape.guard)}
        return program(*(text for op, text in DECIDING.items() if op in used)) if self.decides else []

    # what a language says

    @abstractmethod
    def head(self, routine: tree.Routine) -> str: ...

    @abstractmethod
    def locals(self, routine: tree.Routine) -> Iterator[str]: ...

    @abstractmethod
    def loop(self, line: tree.For, name: str) -> str: ...

    @abstractmethod
    def struct(self, struct: tree.Struct) -> list[str]: ...

    @abstractmethod
    def table(self, name: str, kind: tree.Kind, values: Sequence[float]) -> str: ...

    @abstractmethod
    def pair_type(self) -> list[str]: ...

    @abstractmethod
    def pair_head(self, name: str, pair: Pair) -> str: ...

    @abstractmethod
    def let(self, name: str, text: str) -> str:
        """A real number that keeps its value."""

    @abstractmethod
    def straight_head(self, name: str, given: Sequence[str], taken: Sequence[str], status: bool) -> str:
        """Of half a tape: arrays it reads, arrays it writes, whether it returns a number."""

    @abstractmethod
    def straight_language(self, prefix: str) -> Language: ...

    def straight_helpers(self, prefix: str, used: set[str]) -> list[str]:
        """Further functions that the lines of a tape call."""
        return [self.power] if "pow" in used and self.power else []

    def prototypes(self) -> list[str]:
        """Routines that are called before their text, where that has to be said."""
        return []

    def before(self) -> list[str]:
        """What is at the top: inclusions, imports."""
        return []

    # the whole

    def text(self) -> str:
        """All of it."""
        # the bodies first: they show which helpers are in use
        texts = {routine.name: "\n".join(self.routine(routine)) for routine in self.routines}
        # before the tapes, whose lines call them
        decided = [texts.pop(text.__name__) for text in DECIDING.values() if self.decides and text.__name__ in texts]
        bodies = list(texts.values())
        tapes = [part for name, tape in self.tapes.items() for part in self.tape(self.straight[name], tape)]
        complexes = [] if self.no_pairs else self.complexes()
        structs = ["\n".join(self.struct(x)) for x in self.structs.values()]
        tables = [self.table(self.called[name], *x) for name, x in self.tables.items()]
        helpers = ["\n".join(self.helpers[key]) for key in self.used if key in self.helpers]
        return "\n\n".join(
            [*self.before(), *complexes, *structs, *tables, *helpers, *self.prototypes(), *decided, *tapes, *bodies]
        )

    def complexes(self) -> list[str]:
        """The type of complex numbers with the functions in use."""
        used = {x.name for x in self._operations() if x.name in PAIRS and not real_only(x)}
        kinds = {kind for routine in self.routines for kind in _kinds(routine)}
        if not used and not kinds & {"complex", "complexes"}:
            return []
        made = ["\n".join(self.pair_type())]
        return made + ["\n".join(self.pair(name)) for name in PAIRS if name in used | {"number"}]

    def pair(self, name: str) -> list[str]:
        form = PAIRS[name]
        lines = [self.let(form.first[0], self.maths(form.first[1])), ""] if form.first else []
        parts = [self.maths(x) for x in form.result]
        result = f"{self.pair_call('number')}({', '.join(parts)})" if len(parts) == 2 else parts[0]
        lines = self.pair_made() if name == "number" else [*lines, f"return {result}{self.end}"]
        return list(self.brace_lines(self.pair_head(name, form), lines))

    end = ";"

    def maths(self, text: str) -> str:
        """Functions of real numbers by the names they have here."""
        return text

    @abstractmethod
    def pair_made(self) -> list[str]:
        """The body of `number`."""

    def _operations(self) -> Iterator[tree.ProgramOp]:
        yield from (x for routine in self.routines for x in tree.parts(routine.body) if isinstance(x, tree.ProgramOp))

    # tapes

    def tape(self, name: str, tape: Tape) -> list[str]:
        """Both sections as functions over flat arrays."""
        language = self.straight_language(name)
        written = sections_of(
            tape, language, ("k", *self.called.values()), Places(self.flat, self.flat, self.offline_value)
        )
        used = {line.op for line in (*tape.lines, *tape.guard)}
        split, made = written.split, self.straight_helpers(name, used)
        if split.kept:
            head = self.straight_head(f"{name}_prepare", [x.name for x in split.parameters], ["k"], True)
            made.append(
                "\n".join(self.brace_lines(head, [*self.section(written.prepare), *self.status(written.prepare)]))
            )
        inputs = [x.name for x in split.variables] + (["k"] if split.kept else [])
        head = self.straight_head(name, inputs, [x.name for x in split.outputs], False)
        made.append("\n".join(self.brace_lines(head, [*self.unread(tape, split), *self.section(written.main)])))
        return made

    def flat(self, argument: Argument, position: int) -> str:
        return f"{argument.name}[{position}]"

    def offline_value(self, position: int) -> str:
        return f"k[{position}]"

    def unread(self, tape: Tape, split: Split) -> list[str]:
        """Arguments nobody reads, where that has to be said."""
        return []

    def section(self, section: Section) -> Iterator[str]:
        yield from (self.let(x.name, x.text) for x in (*section.loads, *section.body))
        yield from (f"{x.name} = {x.text}{self.end}" for x in section.stores)

    def status(self, section: Section) -> Iterator[str]:
        for number, check in enumerate(section.checks, 1):
            yield from self.branch(check.text, [f"return {number}{self.end}"])
        yield f"return 0{self.end}"

    # routines

    def routine(self, routine: tree.Routine) -> Iterator[str]:
        self.names(routine)
        self.sign = tree.Signs(routine)
        if routine.doc:
            yield from self.comment(routine.doc)
        yield from self.brace_lines(self.head(routine), [*self.locals(routine), *self.block(routine.body)])

    def names(self, routine: tree.Routine) -> None:
        """Variables keep their names but for keywords."""
        taken = {*routine.parameters, *routine.scalars, *routine.arrays}
        self.local = {name: name for name in taken}
        for name in sorted(taken & self.reserved):
            fit = f"{name}_"
            while fit in taken or fit in self.reserved:
                fit += "_"
            # names that begin with an underscore belong to the implementation in C
            self.local[name] = fit.lstrip("_") or f"x{fit}"

    def comment(self, text: str) -> list[str]:
        lines = [ascii_text(line).strip() for line in text.strip().splitlines()]
        lines = [line.replace("*/", "* /").replace("/*", "/ *") for line in lines]
        if not lines[1:]:
            return [f"/* {lines[0]} */"]
        return [f"/* {lines[0]}", *(f" * {line}".rstrip() for line in lines[1:]), " */"]

    def brace_lines(self, head: str, lines: Sequence[str]) -> Iterator[str]:
        yield f"{head} {{"
        yield from (f"{self.indent}{line}" if line else "" for line in lines)
        yield "}"

    def branch(self, test: str, yes: Sequence[str], no: Sequence[str] = ()) -> Iterator[str]:
        yield f"if ({test}) {{"
        yield from (f"{self.indent}{line}" for line in yes)
        if no:
            yield "} else {"
            yield from (f"{self.indent}{line}" for line in no)
        yield "}"

    def wrap_line(self, line: str) -> str:
        return line if len(line) <= WIDTH else line.replace("(", "(\n    ", 1).replace(", ", ",\n    ")

    def variables(self, routine: tree.Routine) -> list[tuple[str, tree.Kind]]:
        """Numbers to be declared ahead: those no loop declares."""
        loops = tree.loop_names(routine.body)
        return [(self.local[name], kind) for name, kind in routine.scalars.items() if name not in loops]

    # statements

    def block(self, body: Sequence[tree.Stmt]) -> list[str]:
        return [text for line in body for text in self.statement(line)]

    def statement(self, line: tree.Stmt) -> Iterator[str]:
        match line:
            case tree.Set(target, value):
                yield self.assignment(target, value)
            case tree.For(name, _, _, _, body):
                yield from self.open_block(self.loop(line, self.local[name]), body)
            case tree.While(condition, body):
                yield from self.open_block(f"while ({self.bare(condition)})", body)
            case tree.If(condition, yes, no):
                yield from self.branch(self.bare(condition), self.block(yes), self.block(no))
            case tree.Leave(how):
                yield f"{how}{self.end}"
            case tree.Return(value):
                yield f"return {self.bare(value)}{self.end}" if value is not None else f"return{self.end}"
            case tree.Do(call):
                yield f"{self.void_cast(call)}{self.write(call)}{self.end}"

    def open_block(self, head: str, body: Sequence[tree.Stmt]) -> Iterator[str]:
        yield f"{head} {{"
        yield from (f"{self.indent}{line}" for line in self.block(body))
        yield "}"

    def void_cast(self, call: tree.Expr) -> str:
        """Said before a call whose value nobody wants."""
        return ""

    def assignment(self, target: tree.Place, value: tree.Expr) -> str:
        if isinstance(value, tree.ProgramOp) and len(value.args) == 2 and self.is_compound_assignment(target, value):
            return f"{self.write(target)} {self.signs[value.name]}= {self.bare(value.args[1])}{self.end}"
        return f"{self.write(target)} = {self.bare(value)}{self.end}"

    def is_compound_assignment(self, target: tree.Place, value: tree.ProgramOp) -> bool:
        # only where the first operand is the target: x = y - x is no x -= y
        return value.args[0] == target and value.name in STEPS and target.kind in ("real", "int")


def _kinds(routine: tree.Routine) -> Iterator[tree.Kind]:
    yield from (*routine.parameters.values(), *routine.scalars.values(), *(kind for kind, _ in routine.arrays.values()))
    yield from (member.kind for struct in routine.structs.values() for member in struct.members)
