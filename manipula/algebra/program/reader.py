"""Python functions → routines: every text that is called, for the kinds it is called with, callees first."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import FunctionType
from typing import Any, cast

from manipula.algebra.program import tree
from manipula.algebra.program.expressions import BINARY, Expressions, base_of, join_kinds
from manipula.algebra.program.scope import KNOWN, PLAIN, Order, Scope, struct_of
from manipula.errors import InputError

OPEN = {"Number", "Numbers"}
LIBRARY = ("sin", "cos", "tan", "sqrt", "exp", "log", "atan2", "fabs", "floor", "main", "pair", "mend")  # linked with
OWN = {"reals": "reals", "complexes": "complexes", "integers": "ints", "words": "words", "like": ""}


def program(*entries: Callable[..., object]) -> list[tree.Routine]:
    """All routines of some texts (whose own kinds are plain), each after those it calls."""
    whole = _Program()
    for entry in entries:
        whole.routine(cast(FunctionType, entry), ())
    return list(whole.routines.values())


class _Program:
    def __init__(self) -> None:
        self.routines: dict[str, tree.Routine] = {}
        self._reading: dict[str, tree.Routine] = {}
        self._asked: dict[tuple[FunctionType, tuple[tree.Kind, ...]], tree.Routine] = {}
        self._things: dict[str, object] = dict.fromkeys(LIBRARY)

    def unique(self, wish: str, thing: object) -> str:
        """A name of its own for every text, table and tape: two may be called alike where they come from."""
        wish = re.sub(r"\W", "_", wish, flags=re.ASCII)
        name, count = wish, 1
        while name in self._things and self._things[name] is not thing:
            count += 1
            name = f"{wish}_{count}"
        self._things[name] = thing
        return name

    def changed_arguments(self, call: tree.RoutineCall) -> list[tree.Expr]:
        """The arguments that a call changes."""
        callee = self._reading.get(call.routine) or self.routines[call.routine]
        return [arg for arg, name in zip(call.args, callee.parameters, strict=True) if name in callee.written]

    def routine(self, function: FunctionType, given: Sequence[tree.Kind]) -> tree.Routine:
        """`given`: the kinds of the arguments; needed where the text leaves them open."""
        # by kinds too: one text of open kinds is two routines, a real and a complex one
        key = function, tuple(given)
        if key not in self._asked:
            self._asked[key] = self._read(function, given)
        return self._asked[key]

    def _read(self, function: FunctionType, given: Sequence[tree.Kind]) -> tree.Routine:
        scope = Scope(function)
        made = self._declare_routine(scope, given)
        if made.name in self._reading:  # it calls itself: what it will have written is not known yet
            made = self._asked[function, tuple(given)] = self._reading[made.name]
            made.written |= {
                name for name, kind in made.parameters.items() if kind in tree.ARRAYS or tree.STRUCT in kind
            }
        elif made.name in self.routines:
            made = self.routines[made.name]
        else:
            # kept apart until it is read, for a text that calls itself must find it
            self._reading[made.name] = made
            _Reader(self, scope, made).read(scope.tree.body[1:] if made.doc else scope.tree.body)
            self.routines[made.name] = self._reading.pop(made.name)
        return made

    def _declare_routine(self, scope: Scope, given: Sequence[tree.Kind]) -> tree.Routine:
        definition = scope.tree
        notes = [_annotation(arg.annotation) for arg in definition.args.args]
        structs: dict[str, Any] = {}
        kinds: list[tree.Kind] = []
        for i, (arg, note) in enumerate(zip(definition.args.args, notes, strict=True)):
            # `Numbers` takes the kind of the call: one text serves real and complex arrays
            kinds.append(given[i] if note in OPEN and i < len(given) else _kind(scope, arg, note, structs))
        wide = any(note in OPEN and kind in ("complex", "complexes") for note, kind in zip(notes, kinds, strict=True))
        returns = _annotation(definition.returns)
        if returns not in OPEN and (returns not in PLAIN or PLAIN[returns] in tree.ARRAYS):
            raise scope.refusal(definition.returns or definition, "a text returns a number or nothing")
        result: tree.Kind = ("complex" if wide else "real") if returns in OPEN else PLAIN[returns]
        parameters = dict(zip((arg.arg for arg in definition.args.args), kinds, strict=True))
        name = self.unique(definition.name + ("_complex" if wide else ""), scope.function)
        doc = ast.get_docstring(definition) or ""
        return tree.Routine(name, doc, parameters, result, structs=structs, file=scope.file)


def _kind(scope: Scope, arg: ast.arg, note: str, structs: dict[str, Any]) -> tree.Kind:
    """The kind of a parameter by its annotation; a class with annotated members is a struct."""
    if note in PLAIN and note != "None":
        return PLAIN[note]
    layout = scope.function.__annotations__.get(arg.arg)
    layout = layout if isinstance(layout, type) else scope.outside(note)
    if not isinstance(layout, type):
        raise scope.refusal(arg, "a parameter is a number, an array or a struct, and says so")
    structs[layout.__name__] = struct_of(layout)
    return tree.STRUCT + layout.__name__


def _annotation(node: ast.expr | None) -> str:
    return ast.unparse(node) if node is not None else "None"


class _Reader(Expressions):
    """One text. It is read until the kinds of its variables no longer widen."""

    def read(self, body: Sequence[ast.stmt]) -> None:
        self.widened = True
        # an int that becomes a real further down makes every earlier use of it a real: read again
        while self.widened:
            self.widened, self.fresh = False, 0
            self.routine.body = self.block(body)

    def block(self, body: Sequence[ast.stmt]) -> tuple[tree.Stmt, ...]:
        return tuple(made for line in body for made in self.statement(line))

    def statement(self, line: ast.stmt) -> list[tree.Stmt]:
        """With the order of computation fixed (see `order`)."""
        return [part for made in self.written_out(line) for part in self.in_order(made, line)]

    def in_order(self, made: tree.Stmt, line: ast.stmt) -> list[tree.Stmt]:
        def refusal() -> InputError:
            return self.refusal(line, "give what is called a name first: it changes arrays that stand beside it")

        order = Order(self.program.changed_arguments, self.temporary, refusal)
        match made:
            case tree.Set(tree.ArrayItem(_, array, index) as target, value):
                value, array, index = order(value), order(array), order(index)
                # Python computes the value first: an index that acts would have to wait for it
                if order.acts(index):
                    raise refusal()
                made = replace(made, target=replace(target, array=array, index=index), value=value)
            case tree.Set(_, value):
                made = replace(made, value=order(value))
            case tree.Return(value) if value is not None:
                made = replace(made, value=order(value))
            case tree.Do(call):
                made = replace(made, call=order(call))
            case tree.If(condition, _, _):
                made = replace(made, condition=order(condition))
            case tree.While(condition, _):
                # asked again in every turn: what would be taken out before it would be computed once
                made = replace(made, condition=order(condition, skipped=True))
            case tree.For(_, start, stop, _, _):
                made = replace(made, start=order(start), stop=order(stop))
        return [*(replace(x, line=made.line) for x in order.before), made]

    def written_out(self, line: ast.stmt) -> list[tree.Stmt]:
        at = self.scope.line(line)
        match line:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id=word)) as call) if (
                self.allocates(word)
            ):
                return self.own_array(name, self.allocates(word), call)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(
                values
            ):
                return self.together_assigned(targets, [self.value(x) for x in values], line)
            case ast.Assign(targets=[target], value=value):
                return [self.assign(target, self.value(value), line)]
            case ast.AnnAssign(target=ast.Name(id=name) as target, value=ast.expr() as value):
                found, kind = self.value(value), PLAIN.get(_annotation(line.annotation), "none")
                return [self.assign(target, self.fit(found, join_kinds(found.kind, kind), line), line)]
            case ast.AugAssign(target=target, op=op, value=value) if type(op) in BINARY:
                return [self.augment(target, BINARY[type(op)], value, line)]
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range")), orelse=[]):
                return self.for_loop(name, line)
            case ast.While(test=test, body=body, orelse=[]):
                return [tree.While(self.truth(test), self.block(body), at)]
            case ast.If(test=test, body=yes, orelse=no):
                return [tree.If(self.truth(test), self.block(yes), self.block(no), at)]
            case ast.Return(value=value):
                return [self.return_value(value, line)]
            case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
                return []
            case ast.Expr(value=ast.Call() as call):
                return [tree.Do(self.value(call), at)]
            case ast.Break():
                return [tree.Leave("break", at)]
            case ast.Continue():
                return [tree.Leave("continue", at)]
        raise self.refusal(line)

    def allocates(self, word: str) -> str:
        known = self.scope.outside(word)
        name = KNOWN.get(known, "") if callable(known) and not isinstance(known, type) else ""
        return name if name in OWN else ""

    def own_array(self, name: str, word: str, call: ast.Call) -> list[tree.Stmt]:
        kind = OWN[word] or self.array(call.args[0]).kind
        size = self.value(call.args[-1])
        if not isinstance(size, tree.Const) or size.kind != "int" or size.value < 1:
            # emitted code allocates nothing, so its stack must be known
            raise self.refusal(call, "an array has a fixed number of entries")
        if name in self.routine.parameters or self.routine.arrays.get(name, (kind, size.value)) != (kind, size.value):
            raise self.refusal(call, f"{name} is another array already")
        self.routine.arrays[name] = (kind, int(size.value))
        return []

    # assignments

    def assign(self, target: ast.expr, value: tree.Expr, line: ast.stmt) -> tree.Stmt:
        place = self.place(target, value.kind)
        return tree.Set(place, self.fit(value, place.kind, line), self.scope.line(line))

    def augment(self, target: ast.expr, op: str, value: ast.expr, line: ast.stmt) -> tree.Stmt:
        before = self.value(target)
        # x[f()] += 1 reads and writes x[f()], and f may not run twice
        if any(isinstance(x, tree.RoutineCall) for x in tree.parts(before)):
            raise self.refusal(line, "the index would be computed twice")
        return self.assign(target, self.arithmetic(op, before, self.value(value), line), line)

    def together_assigned(
        self, targets: Sequence[ast.expr], values: list[tree.Expr], line: ast.stmt
    ) -> list[tree.Stmt]:
        """a, b = b, a: where a value reads what an earlier target changes, all are held first."""
        # values first, as Python does: places are looked up after all values are known
        places = [self.place(target, value.kind) for target, value in zip(targets, values, strict=True)]
        if not any(_reads(value, place) for i, place in enumerate(places) for value in values[i + 1 :]):
            return [self.assign(target, value, line) for target, value in zip(targets, values, strict=True)]
        held = [tree.Var(x.kind, self.temporary("held", x.kind)) for x in values]
        first: list[tree.Stmt] = [
            tree.Set(var, value, self.scope.line(line)) for var, value in zip(held, values, strict=True)
        ]
        return first + [self.assign(target, var, line) for target, var in zip(targets, held, strict=True)]

    def temporary(self, stem: str, kind: tree.Kind) -> str:
        """A variable that the text does not have."""
        self.fresh += 1
        name = f"{stem}_{self.fresh}"
        while name in self.scope.names:
            name = f"{name}_"
        self.widen(name, kind)
        return name

    def widen(self, name: str, kind: tree.Kind) -> None:
        before = self.routine.scalars.get(name, kind)
        self.routine.scalars[name] = join_kinds(before, kind)
        self.widened = self.widened or self.routine.scalars[name] != before

    def place(self, target: ast.expr, kind: tree.Kind) -> tree.Place:
        if isinstance(target, ast.Name):
            return self.variable(target, kind)
        place = self.value(target)
        if not isinstance(place, tree.ArrayItem | tree.Field) or place.kind in tree.ARRAYS:
            raise self.refusal(target, "numbers are assigned, not arrays")
        self.writes(place.array if isinstance(place, tree.ArrayItem) else place, target)
        return place

    def variable(self, target: ast.Name, kind: tree.Kind) -> tree.Var:
        name, routine = target.id, self.routine
        if name in self.scope.loops:
            raise self.refusal(target, f"{name} is the variable of a loop, which alone changes it")
        if kind in tree.ARRAYS or tree.STRUCT in kind or kind == "none" or name in routine.arrays:
            raise self.refusal(target, "numbers are assigned, not arrays")
        if name in routine.parameters:
            return tree.Var(routine.parameters[name], name)
        self.widen(name, kind)
        return tree.Var(routine.scalars[name], name)

    def return_value(self, value: ast.expr | None, line: ast.stmt) -> tree.Stmt:
        if value is None:
            return tree.Return(None, self.scope.line(line))
        return tree.Return(self.fit(self.value(value), self.routine.returns, line), self.scope.line(line))

    # loops

    def for_loop(self, name: str, line: ast.For) -> list[tree.Stmt]:
        """The end is computed once: where the body might change it, before the loop."""
        assert isinstance(line.iter, ast.Call)
        values = [self.fit(self.value(arg), "int", line) for arg in line.iter.args]
        start, stop = (tree.Const("int", 0), values[0]) if len(values) == 1 else (values[0], values[1])
        step = values[2] if len(values) == 3 else tree.Const("int", 1)
        if not isinstance(step, tree.Const) or step.value == 0:
            raise self.refusal(line.iter, "the step is a number, not zero")
        if name in self.looping or name in self.routine.parameters:
            raise self.refusal(line.iter, f"{name} is taken by what is around the loop")
        # before the body is read: it may count with the variable
        self.routine.scalars[name] = "int"
        self.looping.append(name)
        body = self.block(line.body)
        self.looping.pop()
        at, before = self.scope.line(line), list[tree.Stmt]()
        # Python computes range(…) once; a C loop looks at its end in every turn
        if self.disturbs(body, stop):
            end = tree.Var("int", self.temporary(f"{name}_end", "int"))
            before, stop = [tree.Set(end, stop, at)], end
        return [*before, tree.For(name, start, stop, int(step.value), body, at)]

    def disturbs(self, body: tuple[tree.Stmt, ...], x: tree.Expr) -> bool:
        """Might a loop's body change the value of x? Arrays do not overlap where one is written."""
        names = {part.name for part in tree.parts(x) if isinstance(part, tree.Var)}
        # what a routine returns may depend on anything it is handed: taken for changed
        if any(isinstance(part, tree.RoutineCall | tree.CallTape) for part in tree.parts(x)):
            return True
        for part in tree.parts(body):
            match part:
                case tree.Set(target, _):
                    changed: Sequence[tree.Expr] = [target.array if isinstance(target, tree.ArrayItem) else target]
                case tree.RoutineCall():
                    changed = self.program.changed_arguments(part)
                case tree.CallTape(_, _, _, args):
                    changed = args
                case _:
                    continue
            if any(_array_name(array) in names for array in changed):
                return True
        return not names.isdisjoint(tree.loop_names(body))


def _reads(value: tree.Expr, place: tree.Place) -> bool:
    """Might the value depend on the contents of a place?"""
    if isinstance(place, tree.Var):
        return place in tuple(tree.parts(value))
    return any(isinstance(x, tree.ArrayItem | tree.Field | tree.RoutineCall) for x in tree.parts(value))


def _array_name(array: tree.Expr) -> str:
    base = base_of(array)
    return base.name if isinstance(base, tree.Var) else ""
