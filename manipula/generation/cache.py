"""Functions made on this machine, in the cache: the same text as the records that ship, and trusted no more.

What is read back is data. It must have the ports that were requested, and `generation` proves it before it leaves.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from hashlib import blake2b
from pathlib import Path

from manipula.algebra.expr.function import Function, moved_to
from manipula.algebra.expr.node import Graph
from manipula.algebra.expr.provenance import Cut
from manipula.algebra.optimise.search.ways import function_from_text, text_from_function
from manipula.errors import ManipulaWarning
from manipula.generation.prepare import Prepared, Request
from manipula.mechanics.models.ports import PORTS
from manipula.mechanics.robot import library
from manipula.mechanics.robot.bind import free_parameters
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.formats.toml.read import robot_from_toml
from manipula.mechanics.robot.formats.toml.write import toml_from_robot
from manipula.support.cache import discard, fetch, key_of
from manipula.support.cache import keep as keep_bytes

# Results of long searches for robots of the library and arms of the literature: the best model appears at once.
#
# `index.json` lists them; each is a file in the text of `optimise.search.stored`, and an arm that is not in the
# library has its robot file beside it. Letters count by their place, not by their name: who writes the table of such
# an arm in other letters is served. Nothing here is trusted: a result is proved against the robot that was requested
# whenever it is loaded, and one that is damaged, or belongs to another arm, is as good as none. `manipula optimise
# NAME --search` finds such a result again without looking here.

FOLDER = Path(__file__).parent / "records"
INDEX = "index.json"


@dataclass(frozen=True)
class Entry:
    """A line of the index: what was requested, what was found, and where it is written."""

    robot: str
    model: str
    symbolic: str
    parameters: str
    joints: str  # R, P …: their kinds
    letters: int  # how many parameters are symbols
    total: int
    file: str
    digest: str

    def answers(self, question: Prepared) -> bool:
        """Can it be what was requested? Only the plain question has records: best method, classical price, no wrench.

        The proof decides; an arm of numbers alone is hardly that of another name, so none is tried.
        """
        request, robot = question.request, question.robot
        plain = (request.method, request.price, request.wrench) == ("best", "classical", False)
        asked = (request.model, request.parameters, kinds_of(robot), len(question.parameters))
        same = asked == (self.model, self.parameters, self.joints, self.letters)
        return plain and same and (self.letters > 0 or robot.name == self.robot)


def kinds_of(robot: RobotDescription) -> str:
    """A letter a joint: R, P, H, F …"""
    return "".join(joint.kind[0].upper() for joint in robot.joints)


def entries(folder: Path = FOLDER) -> list[Entry]:
    """The index; empty where it cannot be read."""
    try:
        return [Entry(**line) for line in json.loads((folder / INDEX).read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError):
        return []


def arm_of(entry: Entry, folder: Path = FOLDER) -> RobotDescription:
    """The robot of an entry: its own file's, or the library's; what is odd about them was published so."""
    path = folder / f"{entry.robot}.toml"
    text = path.read_text(encoding="utf-8") if path.exists() else library.text_of(entry.robot)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ManipulaWarning)
        return robot_from_toml(text)


def stored_records(asked: Prepared, folder: Path = FOLDER) -> list[Function]:
    """The records that may be of exactly this robot and model, the cheapest first; none of them is proved."""
    matching = [entry for entry in entries(folder) if entry.answers(asked)]
    read = [called_as(function, asked) for entry in matching for function in _read(folder, entry)]
    fitting = [function for function in read if has_ports_of(function, asked)]
    return sorted(fitting, key=lambda function: function.cost.total)


def called_as(function: Function, asked: Prepared) -> Function:
    """Under the names that are requested: the parameters' by their place, the robot's and its joints'."""
    port, origin = function.inputs[-1], function.provenance
    names = dict(zip(port.names, asked.parameters)) if port.role == "parameter" else {}
    if any(old != new for old, new in names.items()):
        function = moved_to(function, Graph(), names)
    named = replace(origin, robot=asked.robot.name, joints=tuple(asked.robot.joint_names))
    return replace(function, name=asked.name, provenance=named)


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


def has_ports_of(function: Function, asked: Prepared) -> bool:
    """The inputs requested, in order, each a variable or a parameter as it should be; and it says what it is."""
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
    robot = request.robot
    key = (robot.name, request.model, symbolic, request.parameters)
    name, text = "-".join(key) + ".json", text_from_function(function)
    about = (kinds_of(robot), len(free_parameters(robot, symbolic)), function.cost.total)
    entry = Entry(*key, *about, name, _digest(text))
    (folder / name).write_text(text, encoding="utf-8", newline="\n")
    if robot.name not in library.names():
        (folder / f"{robot.name}.toml").write_text(toml_from_robot(robot), encoding="utf-8", newline="\n")
    others = [line for line in entries(folder) if line.file != name]
    lines = [asdict(line) for line in sorted([*others, entry], key=lambda line: line.file)]
    (folder / INDEX).write_text(json.dumps(lines, indent=1) + "\n", encoding="utf-8", newline="\n")
    return entry


def key_from(request: Request) -> str:
    """All that a function depends on; not where the robot's file lies."""
    return key_of("function", _content(request))


def _content(request: Request) -> list[tuple[str, object]]:
    asked = {item.name: getattr(request, item.name) for item in fields(request)}
    asked["robot"] = [(x.name, getattr(request.robot, x.name)) for x in fields(request.robot) if x.name != "origin"]
    if not isinstance(request.symbolic, str):
        asked["symbolic"] = sorted(request.symbolic)
    return list(asked.items())


def recall_function(asked: Prepared) -> Function | None:
    """The function kept for a request, not proved; None without one that can be read."""
    content = fetch(key_from(asked.request))
    if content is None:
        return None
    try:
        found = function_from_text(content.decode())
    except (ValueError, RecursionError):
        found = None
    if found is None or not has_ports_of(found, asked):
        forget(asked.request)
        return None
    return found


def keep(request: Request, function: Function) -> None:
    keep_bytes(key_from(request), text_from_function(function).encode())


def forget(request: Request) -> None:
    discard(key_from(request))


def mark_cut(function: Function, cut: Cut) -> Function:
    """With a note where its search was cut short: a later one goes on from there. Without one, it came to its end."""
    return replace(function, provenance=replace(function.provenance, search=cut))


def is_finished(function: Function) -> bool:
    return not function.provenance.search
