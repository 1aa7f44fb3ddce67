"""`<include file="…"/>`: the children of another file's root in its place, as if they were written there.

A file is looked for in the folder of the main file, and nowhere above it: a robot file comes from anybody.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

from manipula.errors import RobotFileError
from manipula.mechanics.robot.formats.source import checked_text, text_from_bytes

MOST = 100  # files in one model


def xml_from_text(text: str) -> ET.Element:
    """The root of a file, whatever it is called."""
    text = checked_text(text)
    if re.search(r"<!\s*(DOCTYPE|ENTITY)", text, re.IGNORECASE):
        raise RobotFileError("found a DOCTYPE or ENTITY declaration", hint="remove it: MJCF needs none")
    try:
        return ET.fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", text))  # the text is decoded already
    except ET.ParseError as error:
        hint = "MJCF is an XML file that starts with <mujoco>"
        raise RobotFileError(f"this is not well-formed XML: {error}", hint=hint) from error


def paste_includes(root: ET.Element, file: str) -> None:
    """Puts every file named by an `<include>` in its place; each may stand in a model once."""
    main, waiting = Path(file).resolve(), [root]
    seen, folders = [main], dict[ET.Element, Path]()  # of every `<include>` that was pasted: where its file lies
    while waiting:
        element = waiting.pop()
        while (child := element.find("include")) is not None:
            seen.append(_located(child, file, (main.parent, folders.get(child, main.parent)), seen))
            try:
                pasted = xml_from_text(text_from_bytes(seen[-1].read_bytes()))
            except RobotFileError as error:
                raise error.in_file(str(seen[-1])) from error
            folders |= dict.fromkeys(pasted.iter("include"), seen[-1].parent)
            index = list(element).index(child)
            element[index : index + 1] = list(pasted)
        waiting.extend(element)


def _located(element: ET.Element, file: str, folders: tuple[Path, Path], seen: list[Path]) -> Path:
    """The file, seen from the main file's folder or from that of the file which names it."""
    name, where = element.get("file", ""), "<include>"
    if not file:
        told = f"found {name!r}, and a text has no folder to look in"
        raise RobotFileError(told, where=where, field="file", hint="load the model from its file")
    tried = [(folder / name.replace("\\", "/")).resolve() for folder in folders]
    path = next((path for path in tried if path.is_file()), tried[0])
    if not path.is_relative_to(folders[0]):
        told = f"found {name!r}, which is outside the folder of the model"
        raise RobotFileError(told, where=where, field="file", hint="put the file below that folder")
    if not name or not path.is_file():
        raise RobotFileError(f"found {name!r}, which is not there", where=where, field="file", hint=f"in {folders[0]}")
    if path in seen:
        hint = "each file stands in a model once"
        raise RobotFileError(f"found {name!r} a second time", where=where, field="file", hint=hint)
    if len(seen) > MOST:
        raise RobotFileError(f"found more than {MOST} files", where=where, hint="join some of them")
    return path
