"""Results of long searches for robots of the library, so that the best model appears at once.

`index.json` lists them; each is a file in the text of `optimise.search.stored`. Nothing here is trusted: a result is
proved against the robot that was asked for whenever it is loaded, and one that is damaged, or belongs to other numbers,
is as good as none. `manipula optimise NAME --search` finds such a result again without looking here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path

from manipula.algebra.expr.function import Function
from manipula.algebra.optimise.prove import prove
from manipula.algebra.optimise.search.stored import function_from_text, text_from_function
from manipula.errors import ManipulaError
from manipula.generation.build import reference
from manipula.generation.prepare import Prepared
from manipula.generation.request import Request
from manipula.mechanics.models.ports import PORTS
from manipula.mechanics.robot.bind import free_parameters

FOLDER = Path(__file__).parent / "records"
INDEX = "index.json"


@dataclass(frozen=True)
class Entry:
    """A line of the index: what was asked for, what was found, and where it is written."""

    robot: str
    model: str
    symbolic: str
    parameters: str
    total: int
    file: str
    digest: str

    def answers(self, question: Prepared) -> bool:
        """Was this asked for? Only the plain question has records: best method, classical price, no wrench."""
        request = question.request
        asked = (request.robot.name, request.model, request.parameters)
        plain = (request.method, request.price, request.wrench) == ("best", "classical", False)
        return plain and asked == (self.robot, self.model, self.parameters) and self.same_symbols(question)

    def same_symbols(self, question: Prepared) -> bool:
        """ "auto" and "none" are the same for a robot that has all its numbers."""
        return tuple(free_parameters(question.robot, self.symbolic)) == question.parameters


def entries(folder: Path = FOLDER) -> list[Entry]:
    """The index; empty where it cannot be read."""
    try:
        return [Entry(**line) for line in json.loads((folder / INDEX).read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError):
        return []


def stored(asked: Prepared, folder: Path = FOLDER) -> Function | None:
    """The cheapest record of exactly this robot and model that passes the proof."""
    matching = [entry for entry in entries(folder) if entry.answers(asked)]
    found = [function for entry in matching for function in _read(folder, entry) if _same(function, asked)]
    return min(found, key=lambda function: function.cost.total, default=None)


def _read(folder: Path, entry: Entry) -> Iterator[Function]:
    """The function of a file, or nothing."""
    try:
        text = (folder / entry.file).read_text(encoding="utf-8")
        if _digest(text) == entry.digest:
            yield function_from_text(text)
    except (OSError, ValueError):
        return


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=16).hexdigest()


def _same(function: Function, asked: Prepared) -> bool:
    """The ports that are asked for, and proved equal to the plain model of this robot."""
    try:
        return has_ports_of(function, asked) and bool(prove(function, reference(asked)))
    except (ManipulaError, ValueError, KeyError, ZeroDivisionError):
        return False


def has_ports_of(function: Function, asked: Prepared) -> bool:
    """The inputs asked for, in order, each a variable or a parameter as it should be; and it says what it is."""
    wanted = [(port, tuple(names), PORTS[port].role) for port, names in asked.inputs.items()]
    wanted += [("p", asked.parameters, "parameter")] if asked.parameters else []
    found = [(port.name, port.names, port.role) for port in function.inputs]
    online = all(symbol.online == port.online for port in function.inputs for symbol in port.symbols)
    origin = function.provenance
    said = (origin.robot, origin.model, origin.joints)
    meant = (asked.robot.name, asked.request.model, tuple(asked.robot.joint_names))
    return found == wanted and online and said == meant and function.name == asked.name


def record(request: Request, symbolic: str, function: Function, folder: Path = FOLDER) -> Entry:
    """Write a result and its line in the index, in place of an older one for the same question."""
    key = (request.robot.name, request.model, symbolic, request.parameters)
    name, text = "-".join(key) + ".json", text_from_function(function)
    entry = Entry(*key, function.cost.total, name, _digest(text))
    (folder / name).write_text(text, encoding="utf-8", newline="\n")
    others = [line for line in entries(folder) if line.file != name]
    lines = [asdict(line) for line in sorted([*others, entry], key=lambda line: line.file)]
    (folder / INDEX).write_text(json.dumps(lines, indent=1) + "\n", encoding="utf-8", newline="\n")
    return entry
