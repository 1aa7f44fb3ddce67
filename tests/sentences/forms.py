"""The forms that a text can have: its letters, and places for what differs."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import product
from math import prod

from tests.sentences.sources import FEW, Function, Package, Source, parameters

MANY = 16  # forms of one sentence; beyond it the part that varies is a place
LETTERS = re.compile(r"[A-Za-z]{2}")
SILENT = ("doc", "unit", "name", "title")  # fields that name and describe; they stay as they are
STRIPPED = ("strip", "lstrip", "rstrip", "removesuffix", "removeprefix", "capitalize")
Key = tuple[Function, str]


@dataclass(frozen=True)
class Place:
    """What differs. `words`: the source puts words there; `of`: callers of these functions may, as that argument."""

    words: bool = False
    of: tuple[Key, ...] = ()
    name: str = field(default="it", compare=False)


Form = tuple["str | Place", ...]
TABLE = ast.Tuple | ast.List | ast.Set | ast.Dict | ast.ListComp | ast.GeneratorExp | ast.SetComp | ast.DictComp
ANYTHING: list[Form] = [(Place(),)]


def has_words(form: Form) -> bool:
    """A sentence or a part of one: letters with a blank between them. `circle: centre` is the name of an argument."""
    text = "".join(x if isinstance(x, str) else "x" for x in form)
    letters = any(isinstance(x, str) and LETTERS.search(x) for x in form)
    return letters and " " in text.replace(": ", ":").strip(" " if len(form) == 1 else "")


class Reader:
    """Forms of expressions; sentences of their own, which stand in places, go to `tell`."""

    def __init__(self, package: Package, tell: Callable[[Form, Source, ast.AST], None]) -> None:
        self.package, self.tell = package, tell
        self._known: dict[tuple[ast.AST, Function | None], list[Form]] = {}
        self._texts: dict[Function, Place] = {}

    def forms(self, node: ast.AST, inside: Function | None, source: Source) -> list[Form]:
        if (node, inside) not in self._known:
            self._known[node, inside] = ANYTHING  # what leads back to itself is a place
            found = list(dict.fromkeys(_called_so(form, node) for form in self._forms(node, inside, source)))
            self._known[node, inside] = found if len(found) <= MANY else [(self._apart(found, node, source),)]
        return self._known[node, inside]

    def entries(self, node: ast.AST, inside: Function | None, source: Source) -> list[Form]:
        """The forms of a text, or of each in a list of them."""
        return [form for x in _entries(node) for form in self.forms(x, inside, source)]

    def _apart(self, forms: Iterable[Form], node: ast.AST, source: Source) -> Place:
        """A place for these forms, which become sentences of their own."""
        words, keys = False, dict[Key, None]()
        for form in map(merged, forms):
            if has_words(form):
                self.tell(form, source, node)
                words = True
            else:
                words |= any(isinstance(x, Place) and x.words for x in form)
                keys |= {key: None for x in form if isinstance(x, Place) for key in x.of}
        return Place(words, tuple(keys))

    def _forms(self, node: ast.AST, inside: Function | None, source: Source) -> Iterable[Form]:
        match node:
            case ast.Constant(value=str(text)):
                return [(text,)]
            case ast.JoinedStr(values=values):
                return self._joined(values, node, inside, source)
            case ast.FormattedValue(conversion=114) | ast.FormattedValue(format_spec=ast.JoinedStr()):
                return ANYTHING
            case ast.FormattedValue(value=value) | ast.NamedExpr(value=value):
                return self.forms(value, inside, source)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._joined([left, right], node, inside, source)
            case ast.BinOp(left=ast.Constant(value=str(text)), op=ast.Mult()):
                return [(), (text,)]
            case ast.IfExp(body=body, orelse=orelse):
                return [*self.forms(body, inside, source), *self.forms(orelse, inside, source)]
            case ast.BoolOp(values=values):
                return [form for x in values for form in self.forms(x, inside, source)]
            case ast.Name(id=name):
                return self._named(name, inside, source)
            case _ if isinstance(node, TABLE):
                return [(self._table(node, inside, source),)]
            case ast.Call():
                return self._called(node, inside, source)
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if name in source.functions:
                return [(self._returned(source.functions[name]),)]
            case ast.Attribute(value=ast.Name(id="self"), attr=name) if name in source.kept:
                return [form for value, within in source.kept[name] for form in self.forms(value, within, source)]
            case ast.Attribute(attr="strerror"):
                return [(Place(words=True),)]
            case ast.Attribute(attr=name) if name not in SILENT and 0 < len(self.package.fields.get(name, ())) <= FEW:
                return [(Place(of=tuple((one, name) for one in self.package.fields[name])),)]
            case ast.Subscript(value=ast.Name() | ast.Dict() as table):
                return [(self._table(table, inside, source),)]
        return ANYTHING

    def _joined(self, parts: list[ast.expr], node: ast.AST, inside: Function | None, source: Source) -> list[Form]:
        every = [self.forms(x, inside, source) for x in parts]
        while prod(map(len, every)) > MANY:
            widest = max(range(len(every)), key=lambda i: len(every[i]))
            every[widest] = [(self._apart(every[widest], node, source),)]
        return [tuple(x for form in forms for x in form) for forms in product(*every)]

    def _named(self, name: str, inside: Function | None, source: Source) -> list[Form]:
        found = (
            [form for line in source.given.get(inside, ()) for form in self._given(line, name, inside, source)]
            if inside
            else []
        )
        if found:
            return found
        if inside is not None and name in parameters(inside):
            return [(Place(of=((inside, name),)),)]
        value, its = self.package.constant(name, source)
        if isinstance(value, TABLE):
            return [(self._table(value, None, its),)]
        return ANYTHING if value is None else self.forms(value, None, its)

    def _given(self, line: ast.AST, name: str, inside: Function | None, source: Source) -> Iterator[Form]:
        match line:
            case ast.Assign(targets=[target], value=value):
                yield from self._taken(target, value, name, inside, source)
            case ast.NamedExpr(target=target, value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
                yield from self._taken(target, value, name, inside, source)
            case ast.AugAssign(target=ast.Name(id=its), value=value) if its == name:
                yield (self._apart(self.forms(value, inside, source), value, source),)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=its)), args=[value]) if its == name:
                yield (self._table(value, inside, source),)
            case ast.ExceptHandler(name=its) if its == name:
                yield (Place(words=True),)
            case ast.For(target=target, iter=rows) | ast.comprehension(target=target, iter=rows):
                if any(isinstance(x, ast.Name) and x.id == name for x in ast.walk(target)):
                    yield (self._table(rows, inside, source),)

    def _taken(
        self, target: ast.expr, value: ast.expr, name: str, inside: Function | None, source: Source
    ) -> Iterator[Form]:
        match target, value:
            case ast.Name(id=its), _:
                yield from self.forms(value, inside, source) if its == name else ()
            case ast.Tuple(elts=names), ast.Tuple(elts=values) if len(names) == len(values):
                for one, its in zip(names, values):
                    yield from self._taken(one, its, name, inside, source)
            case ast.Tuple(), ast.IfExp(body=body, orelse=orelse):
                for side in (body, orelse):
                    yield from self._taken(target, side, name, inside, source)
            case ast.Tuple(elts=names), _ if any(isinstance(x, ast.Name) and x.id == name for x in names):
                yield (self._table(value, inside, source),)

    def _table(self, table: ast.AST, inside: Function | None, source: Source) -> Place:
        """Words out of a table: whatever in it has a blank."""
        if isinstance(table, ast.Name):
            value, its = self.package.constant(table.id, source)
            if value is not None and isinstance(value, TABLE):
                return self._table(value, None, its)
        forms = [f for x in _entries(table) for f in self.forms(x, inside, source)]
        return self._apart([f for f in forms if has_words(f) or any(isinstance(x, Place) for x in f)], table, source)

    def _called(self, call: ast.Call, inside: Function | None, source: Source) -> list[Form]:
        match call:
            case ast.Call(func=ast.Name(id="str" | "RowLabel"), args=[text, *_]):
                return self.forms(text, inside, source)
            case ast.Call(func=ast.Name(id="next" | "list" | "tuple" | "sorted"), args=[rows, *otherwise]):
                every = ast.copy_location(ast.Tuple([rows, *otherwise]), call)
                return [(self._table(every, inside, source),)]
            case ast.Call(func=ast.Attribute(attr="join"), args=[rows]):
                return [(self._table(rows, inside, source),)]
            case ast.Call(func=ast.Attribute(attr="get", value=ast.Name() as table), args=[_, *otherwise]):
                every = ast.copy_location(ast.Tuple([table, *otherwise]), call)
                return [(self._table(every, inside, source),)]
            case ast.Call(func=ast.Attribute(attr=how, value=text)) if how in STRIPPED:
                return [(self._apart(self.forms(text, inside, source), call, source),)]
        return [(self._returned(self.package.called(call.func, source)),)]

    def _returned(self, functions: list[Function]) -> Place:
        """The texts that functions give."""
        texts = [x for x in functions if not isinstance(x, ast.ClassDef)]
        found = [self.text(x) for x in texts if x.returns is not None and "str" in ast.unparse(x.returns).lower()]
        return Place(any(x.words for x in found), ())

    def text(self, function: Function) -> Place:
        """The text that a function gives, as a place for it."""
        if function not in self._texts:
            self._texts[function] = Place()
            source = self.package.home[function]
            lines = [x for x in ast.walk(function) if isinstance(x, ast.Return | ast.Yield) and x.value is not None]
            forms = [f for x in lines if x.value for f in self._parts(x.value, function, source)]
            self._texts[function] = self._apart(forms, function, source)
        return self._texts[function]

    def _parts(self, value: ast.expr, function: Function, source: Source) -> list[Form]:
        """A text, or the texts of a list or a tuple."""
        if isinstance(value, TABLE):
            return [(self._table(value, function, source),)]
        return self.forms(value, function, source)


def _called_so(form: Form, node: ast.AST) -> Form:
    """A place by the name of what stands there."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return tuple(replace(x, name=name) if isinstance(x, Place) and x.name == "it" else x for x in form)
        case ast.FormattedValue(value=value) | ast.Subscript(value=value):
            return _called_so(form, value)
    return form


def merged(form: Form) -> Form:
    """Letters beside letters as one."""
    found: list[str | Place] = []
    for part in form:
        if isinstance(part, str) and found and isinstance(found[-1], str):
            found[-1] += part
        elif part != "":
            found.append(part)
    return tuple(found)


def _entries(table: ast.AST) -> Iterator[ast.expr]:
    """What may be a text in a table; the keys of a dict are no words."""
    match table:
        case ast.Dict(values=values):
            rows = values
        case ast.Tuple(elts=rows) | ast.List(elts=rows) | ast.Set(elts=rows):
            pass
        case ast.ListComp(elt=row) | ast.GeneratorExp(elt=row) | ast.SetComp(elt=row) | ast.DictComp(value=row):
            rows = [row]
        case ast.Starred(value=row):
            yield from _entries(row)
            return
        case ast.expr():
            yield table
            return
        case _:
            return
    for row in rows:
        yield from _entries(row)
