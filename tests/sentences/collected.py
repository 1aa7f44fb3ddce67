"""From the calls that make errors and warnings to the sentences they say."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from tests.sentences.forms import Form, Key, Place, Reader, has_words, merged
from tests.sentences.sources import NOTES, ROOT, Function, Package, Source, package, parameters

TEXT = {0: "text"}
# which arguments are for people
SPEAKERS: dict[str, Mapping[int | str, str]] = {
    **dict.fromkeys(
        ("ManipulaError", "InputError", "SingularError", "SizeError", "DivergenceError", "ProofError", "ConditionError",
         "WrongResult", "TaskError", "caution", "failed", "__init__"),
        TEXT,
    ),
    "RobotFileError": {0: "problem", "problem": "problem", "hint": "hint", "where": "where"},
    "UnsetError": {0: "problem", 2: "also", "also": "also"},
    "UnknownNameError": {0: "kind"},
    "Refused": {1: "text"},
}  # fmt: skip
WORDS = ("problem", "hint", "kind")  # one word is said to people, elsewhere it is a name
EDGES = ("in_shell", "in_page")  # an error's sentence for another edge
# texts that no error says: rules for whoever writes the package, code, headings, what models give
INWARD = (
    "algebra/program", "algebra/machine", "algebra/optimise", "algebra/expr", "algebra/emit/c/spelling",
    "algebra/emit/javascript", "algebra/emit/rust", "algebra/show/typst", "generation/reports/published",
    "generation/reports/checking", "mechanics/models/catalogue", "mechanics/models/control_entries",
    "mechanics/models/derivative_entries", "mechanics/models/kinematic_entries",
    "mechanics/models/two_velocity_entries", "mechanics/robot/formats/conversion/tables",
)  # fmt: skip

# comments and code of files that are written
WRITTEN = ("(*", "const ", 'row("', "body(", 'friction("', "(quarter(", "{CELL}, {centres}")


class Collector:
    """Calls in, sentences out."""

    def __init__(self, every: Package) -> None:
        self.every, self.said, self.heard = every, dict[tuple[Form, Path, int], None](), dict[Key, list[Form]]()
        self.reader = Reader(every, self._tell)
        self.calls: dict[Function, list[tuple[ast.Call, Function | None, Source]]] = {}
        self.waiting: list[Key] = []

    def _tell(self, form: Form, source: Source, node: ast.AST) -> None:
        self.said[form, source.path, getattr(node, "lineno", 0)] = None
        self._listen(form)

    def _listen(self, form: Form) -> None:
        """The callers of a function that puts its argument into a sentence say a part of it."""
        for key in (key for x in form if isinstance(x, Place) for key in x.of):
            if key not in self.heard:
                self.heard[key] = []
                self.waiting.append(key)

    def run(self) -> None:
        for function in (x for name in EDGES for x in self.every.named.get(name, ())):
            self.reader.text(function)
        for name in NOTES:
            self._listen((Place(of=tuple((one, name) for one in self.every.fields.get(name, ()))),))
        for source in self.every.files.values():
            for call, inside in source.calls:
                for function in self.every.called(call.func, source):
                    self.calls.setdefault(function, []).append((call, inside, source))
                for argument, what in _spoken(call, SPEAKERS.get(_name(call), TEXT if _notes(call) else {})):
                    for form in map(merged, self.reader.entries(argument, inside, source)):
                        if has_words(form) or (len(form) == 1 and isinstance(form[0], str) and what in WORDS):
                            self._tell(form, source, argument)
                        else:
                            self._listen(form)
            for line, inside in source.added:
                for form in map(merged, self.reader.entries(line, inside, source)):
                    self._tell(form, source, line) if has_words(form) else self._listen(form)
        while self.waiting:
            self._hear(self.waiting.pop())

    def _hear(self, key: Key) -> None:
        function, name = key
        texts: dict[int | str, str] = {name: name}
        if name in parameters(function):
            texts[parameters(function).index(name)] = name
        for call, inside, source in self.calls.get(function, ()):
            for argument, _ in _spoken(call, texts):
                for form in map(merged, self.reader.entries(argument, inside, source)):
                    self.heard[key].append(form)
                    if has_words(form):
                        self._tell(form, source, argument)
                    else:
                        self._listen(form)

    def worded(self) -> set[Key]:
        """Arguments that are words in some call."""
        found: set[Key] = set()
        while more := {key for key, forms in self.heard.items() if key not in found and self._words(forms, found)}:
            found |= more
        return found

    @staticmethod
    def _words(forms: list[Form], known: set[Key]) -> bool:
        places = [x for form in forms for x in form if isinstance(x, Place)]
        return any(map(has_words, forms)) or any(x.words or not known.isdisjoint(x.of) for x in places)


def _notes(call: ast.Call) -> bool:
    """notes.append(…), self.said.extend(…)"""
    match call.func:
        case ast.Attribute(value=ast.Name(id=name) | ast.Attribute(attr=name), attr="append" | "extend"):
            return name in NOTES
    return False


def _name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def _spoken(call: ast.Call, texts: Mapping[int | str, str]) -> Iterator[tuple[ast.expr, str]]:
    for at, argument in enumerate(call.args):
        if at in texts:
            yield argument, texts[at]
        elif isinstance(argument, ast.Starred) and any(isinstance(x, int) and x > at for x in texts):
            yield argument, "text"
    for word in call.keywords:
        if word.arg in texts:
            yield word.value, texts[str(word.arg)]


@cache
def sentences(root: Path = ROOT) -> dict[str, list[str]]:
    """Sentence → where it is said: file and line. A sentence with words in a place is the same without them."""
    collector = Collector(package(root))
    collector.run()
    worded, found = collector.worded(), dict[str, list[str]]()
    for form, path, line in collector.said:
        place = path.relative_to(root).as_posix()
        text = _written(form, worded)
        inward = place.startswith(INWARD) or text.lstrip().startswith(WRITTEN)
        if not inward and any(isinstance(x, str) and any(map(str.isalpha, x)) for x in form):
            found.setdefault(text, []).append(f"{place}:{line}")
    return found


def _written(form: Form, worded: set[Key]) -> str:
    """As a catalogue writes it: a place by its name, in capitals where words stand there."""
    text, used = "", dict[str, int]()
    for part in form:
        if isinstance(part, str):
            text += part
            continue
        name = part.name.strip("_").lower() or "it"
        used[name] = used.get(name, 0) + 1
        name += str(used[name]) if used[name] > 1 else ""
        words = part.words or not worded.isdisjoint(part.of)
        text += "{" + (name.upper() if words else name) + "}"
    return text
