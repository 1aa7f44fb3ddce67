"""Programs (see `algebra.program`) as LLVM assembly.

Every variable is a place in memory; LLVM's own passes put them into registers and unroll the loops.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from manipula.algebra.llvm.program_operations import DIVIDE, HEAD, ROUNDED, TYPES, Operations, literal, straight_text
from manipula.algebra.program import tree
from manipula.algebra.tape import Tape

SMALL = 48  # statements and expressions
FIXED = "!99 = !{}"  # marks what is read of a struct and never changes: where its arrays are


def assembly(routines: Sequence[tree.Routine], *public: str) -> str:
    """A module in which some functions can be called from outside."""
    return module(routines, Writer, public)


def rounded_assembly(routines: Sequence[tree.Routine], *public: str) -> str:
    """The same, every step rounded as in Python: no product is joined with a sum, wherever the compiler puts them."""
    return module(routines, RoundedWriter, public)


def module(routines: Sequence[tree.Routine], writer: type[Writer], public: Sequence[str]) -> str:
    structs = {name: x for routine in routines for name, x in routine.structs.items()}
    tables = {name: x for routine in routines for name, x in routine.tables.items()}
    tapes = {name: x for routine in routines for name, x in routine.tapes.items()}
    pair = f"%pair = type {{ {writer.types['real']}, {writer.types['real']} }}"
    heads = [HEAD, pair, *(_struct_text(x, writer.cells) for x in structs.values())]
    heads += [_table_text(name, *x, writer.cells) for name, x in tables.items()]
    texts = ["\n".join(writer(routine, routine.name in public).lines()) for routine in routines]
    known = [line for text in (*heads, *texts) for line in text.splitlines() if line.startswith("declare")]
    return "\n\n".join([*heads, *texts, *map(str, writer.more(tapes, known)), FIXED, ""])


def _struct_text(struct: tree.Struct, cells: Mapping[tree.Kind, str]) -> str:
    def member(kind: tree.Kind, size: int) -> str:
        if kind not in tree.ARRAYS:
            return cells[kind]
        return f"[{size} x {cells[tree.ARRAYS[kind]]}]" if size else "ptr"

    return f"%{struct.name} = type {{ {', '.join(member(x.kind, x.size) for x in struct.members)} }}"


def _table_text(name: str, kind: tree.Kind, values: Sequence[float], cells: Mapping[tree.Kind, str]) -> str:
    """In lanes every entry stands once a lane, as in any array of reals."""
    entry = tree.ARRAYS[kind]
    # "[4 x double]" has four lanes
    times = int(cells[entry].split()[0][1:]) if cells[entry] != TYPES[entry] else 1
    listed = ", ".join(f"{TYPES[entry]} {literal(entry, x)}" for x in values for _ in range(times))
    return f"@{name} = private unnamed_addr constant [{times * len(values)} x {TYPES[entry]}] [{listed}], align 64"


class Writer(Operations):
    """One function."""

    cells = TYPES  # their types in memory

    def __init__(self, routine: tree.Routine, public: bool) -> None:
        super().__init__(routine)
        self.public = public
        self.early: list[str] = []
        self.exits: list[dict[str, str]] = []

    @classmethod
    def more(cls, tapes: Mapping[str, Tape], known: Sequence[str]) -> list[str]:
        """What the functions call."""
        return [straight_text(tapes, known)]

    def lines(self) -> Iterator[str]:
        parameters = [f"{self.argument_type(kind)} %{name}.in" for name, kind in self.routine.parameters.items()]
        link = "" if self.public else "internal "
        small = "" if self.public or not _small(self.routine) else " alwaysinline"
        returns = self.types[self.routine.returns]
        returns = f"zeroext {returns}" if self.public and returns == "i1" else returns  # as C has its truth values
        name = f"{returns} @{self.routine.name}({', '.join(parameters)})"
        yield f"define {link}{name} nounwind{small} {{"
        yield "entry.0:"
        self.places()
        self.block(self.routine.body)
        self.emit(self.empty_return())
        yield from self.early
        yield from self.out
        yield "}"

    def argument_type(self, kind: tree.Kind) -> str:
        return self.types.get(kind, "ptr noalias")

    def empty_return(self) -> str:
        """The end of a text that returns nothing, or forgot to."""
        kind = self.routine.returns
        return "ret void" if kind == "none" else f"ret {self.types[kind]} zeroinitializer"

    def places(self) -> None:
        # scalars live in memory: LLVM makes registers and their φ of them better than a writer of text could
        for name, kind in self.routine.parameters.items():
            if kind in self.types:
                self.emit(f"%{name} = alloca {self.types[kind]}")
                self.emit(f"store {self.types[kind]} %{name}.in, ptr %{name}")
        for name, kind in self.routine.scalars.items():
            self.emit(f"%{name} = alloca {self.types[kind]}")
        for name, (kind, size) in self.routine.arrays.items():
            self.emit(f"%{name} = alloca [{size} x {self.cells[tree.ARRAYS[kind]]}], align 64")

    def load(self, kind: tree.Kind, place: str) -> str:
        """From an array or a struct."""
        return self.new(f"load {self.types[kind]}, ptr {place}")

    def keep(self, kind: tree.Kind, value: str, place: str) -> None:
        self.emit(f"store {self.types[kind]} {value}, ptr {place}")

    def condition(self, x: tree.Expr) -> str:
        """What a jump is decided by."""
        return self.value(x)

    # statements

    def block(self, body: Sequence[tree.Stmt]) -> None:
        for line in body:
            self.statement(line)

    def statement(self, line: tree.Stmt) -> None:
        match line:
            case tree.Set(target, value):
                self.store(target, self.value(value))
            case tree.For():
                self.write_for(line)
            case tree.While(condition, body):
                self.write_while(condition, body)
            case tree.If():
                self.write_if(line)
            case tree.Leave(how):
                self.leave(f"br label %{self.exits[-1][how]}")
            case tree.Return(value):
                self.leave("ret void" if value is None else f"ret {self.types[value.kind]} {self.value(value)}")
            case tree.Do(call):
                self.value(call)

    def leave(self, line: str) -> None:
        self.emit(line)
        # LLVM wants a block after a jump; what follows a `return` is unreachable and dropped
        self.out.append(f"{self.labels('dead')[0]}:")

    def store(self, target: tree.Place, value: str) -> None:
        place = self.place(target)
        if isinstance(target, tree.Var):
            self.emit(f"store {self.types[target.kind]} {value}, ptr {place}")
        else:
            self.keep(target.kind, value, place)

    def write_for(self, line: tree.For) -> None:
        test, inside, more, after = self.labels("for", "do", "more", "done")
        self.emit(f"store i64 {self.value(line.start)}, ptr %{line.name}")
        self.mark(test)
        # the reader has moved an end that the body changes before the loop
        at, stop = self.new(f"load i64, ptr %{line.name}"), self.value(line.stop)
        going = self.new(f"icmp {'slt' if line.step > 0 else 'sgt'} i64 {at}, {stop}")
        self.emit(f"br i1 {going}, label %{inside}, label %{after}")
        self.out.append(f"{inside}:")
        # `continue` still counts: it leads to the step, and in a `while` to the test
        self.exits.append({"break": after, "continue": more})
        self.block(line.body)
        self.exits.pop()
        self.mark(more)
        step = self.new(f"add nsw i64 {self.new(f'load i64, ptr %{line.name}')}, {line.step}")
        self.emit(f"store i64 {step}, ptr %{line.name}")
        self.emit(f"br label %{test}")
        self.out.append(f"{after}:")

    def write_while(self, condition: tree.Expr, body: Sequence[tree.Stmt]) -> None:
        test, inside, after = self.labels("while", "do", "done")
        self.mark(test)
        self.emit(f"br i1 {self.condition(condition)}, label %{inside}, label %{after}")
        self.out.append(f"{inside}:")
        self.exits.append({"break": after, "continue": test})
        self.block(body)
        self.exits.pop()
        self.emit(f"br label %{test}")
        self.out.append(f"{after}:")

    def write_if(self, line: tree.If) -> None:
        yes, no, after = self.labels("yes", "no", "after")
        self.emit(f"br i1 {self.condition(line.condition)}, label %{yes}, label %{no}")
        self.out.append(f"{yes}:")
        self.block(line.yes)
        self.emit(f"br label %{after}")
        self.out.append(f"{no}:")
        self.block(line.no)
        self.mark(after)

    # places and values

    def value(self, x: tree.Expr) -> str:
        match x:
            case tree.Const(kind, value):
                return self.literal(kind, value)
            case tree.ConstantTable(_, name):
                return f"@{name}"
            case tree.Var(kind, name):
                if kind in self.types:
                    return self.new(f"load {self.types[kind]}, ptr %{name}")
                return f"%{name}.in" if name in self.routine.parameters else f"%{name}"
            case tree.Field():
                return self.member(x)
            case tree.ArrayItem(kind, _, _):
                return self.load(kind, self.place(x))
            case tree.RoutineCall(kind, routine, args):
                return self.call(kind, routine, args)
            case tree.CallTape():
                return self.straight(x)
            case tree.ProgramOp():
                return self.operation(x)

    def place(self, x: tree.Place) -> str:
        match x:
            case tree.Var(_, name):
                return f"%{name}"
            case tree.ArrayItem(_, array, index):
                return self.element_pointer(array, index)
            case tree.Field(_, struct, name):
                layout = self.routine.structs[struct.kind.removeprefix(tree.STRUCT)]
                at = next(i for i, member in enumerate(layout.members) if member.name == name)
                return self.new(f"getelementptr inbounds %{layout.name}, ptr %{struct.name}.in, i32 0, i32 {at}")

    def member(self, x: tree.Field) -> str:
        layout = self.routine.structs[x.struct.kind.removeprefix(tree.STRUCT)]
        found, place = layout.member(x.name), self.place(x)
        assert found is not None
        if x.kind in tree.ARRAYS:
            # the pointers of a struct never change: marked so, they are read once and not in every loop
            return place if found.size else self.new(f"load ptr, ptr {place}, !invariant.load !99")
        return self.load(x.kind, place)

    def element_pointer(self, array: tree.Expr, index: tree.Expr) -> str:
        base, at = self.value(array), self.value(index)
        return self.new(f"getelementptr inbounds {self.cells[tree.ARRAYS[array.kind]]}, ptr {base}, i64 {at}")

    def call(self, kind: tree.Kind, routine: str, args: Sequence[tree.Expr]) -> str:
        words = ", ".join(f"{self.types.get(x.kind, 'ptr')} {self.value(x)}" for x in args)
        return self.emit_call(kind, f"call {self.types[kind]} @{routine}({words})")

    def emit_call(self, kind: tree.Kind, text: str) -> str:
        if kind != "none":
            return self.new(text)
        self.emit(text)
        return ""

    def straight(self, x: tree.CallTape) -> str:
        words = ", ".join(f"ptr {self.value(arg)}" for arg in x.args)
        return self.emit_call(x.kind, f"call {self.types[x.kind]} @{x.tape}.{x.half}({words})")

    # operations

    def operation(self, x: tree.ProgramOp) -> str:
        if x.name in ("and", "or"):
            return self.short_circuit(x)
        if x.name == "from":
            return self.element_pointer(*x.args)
        # what does no harm is computed on both ways: choosing is cheaper than a jump
        if x.name == "choose" and not all(map(harmless, x.args[1:])):
            return self.lazily(x)
        args = [self.value(arg) for arg in x.args]
        if any(arg.kind == "complex" for arg in x.args):
            return self.complex_operation(x, args)
        return self.plain(x, args)

    def place_for(self, kind: tree.Kind) -> str:
        """A place for a value that comes on two ways."""
        place = f"%{self.labels('either')[0]}"
        # in the entry block: an alloca inside a loop would take new memory in every turn
        self.early.append(f"  {place} = alloca {self.types[kind]}")
        return place

    def short_circuit(self, x: tree.ProgramOp) -> str:
        """The second value is requested only where it matters."""
        more, after = self.labels("more", "after")
        place = self.place_for("flag")
        first = self.value(x.args[0])
        self.emit(f"store i1 {first}, ptr {place}")
        ways = (more, after) if x.name == "and" else (after, more)
        self.emit(f"br i1 {first}, label %{ways[0]}, label %{ways[1]}")
        self.out.append(f"{more}:")
        self.emit(f"store i1 {self.value(x.args[1])}, ptr {place}")
        self.mark(after)
        return self.new(f"load i1, ptr {place}")

    def lazily(self, x: tree.ProgramOp) -> str:
        """Only the value that is chosen is computed."""
        yes, no, after = self.labels("yes", "no", "after")
        place, kind = self.place_for(x.kind), self.types[x.kind]
        self.emit(f"br i1 {self.condition(x.args[0])}, label %{yes}, label %{no}")
        self.out.append(f"{yes}:")
        self.emit(f"store {kind} {self.value(x.args[1])}, ptr {place}")
        self.emit(f"br label %{after}")
        self.out.append(f"{no}:")
        self.emit(f"store {kind} {self.value(x.args[2])}, ptr {place}")
        self.mark(after)
        return self.new(f"load {kind}, ptr {place}")


def _small(routine: tree.Routine) -> bool:
    """Is it sooner done than called? Code compiled in a hurry inlines only what it must."""
    nodes = list(tree.parts(routine.body))
    return len(nodes) <= SMALL and not any(
        isinstance(x, tree.For | tree.While | tree.RoutineCall | tree.CallTape) for x in nodes
    )


def harmless(x: tree.Expr) -> bool:
    """May it be computed though it is not wanted? Neither memory nor a division by zero is touched, nothing happens."""
    for part in tree.parts(x):
        if isinstance(part, tree.ArrayItem | tree.Field | tree.RoutineCall | tree.CallTape) or (
            isinstance(part, tree.ProgramOp) and part.name in DIVIDE
        ):
            return False
    return True


class RoundedWriter(Writer):
    """One function of which every step is rounded alone."""

    steps = ROUNDED
