"""`<include file="…"/>`: the children of another file's root in its place, as if they were written there.

A file is looked for in the folder of the main file, and nowhere above it: a robot file comes from anybody.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

from manipula.errors import RobotFileError
from manipula.mechanics.robot.formats.source import checked_text, text_from_bytes
from manipula.messages import Message

MOST = 100  # files in one model


def xml_from_text(text: str) -> ET.Element:
    """The root of a file, whatever it is called."""
    text = checked_text(text)
    if re.search(r"<!\s*(DOCTYPE|ENTITY)", text, re.IGNORECASE):
        raise RobotFileError("found a DOCTYPE or ENTITY declaration", hint="remove it: MJCF needs none")
    try:
        return ET.fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", text))  # the text is decoded already
    except ET.ParseError as error:
        raise RobotFileError(
            "this is not well-formed XML: {error}", error, hint=Message("MJCF is an XML file that starts with <mujoco>")
        ) from error


def paste_includes(root: ET.Element, file: str) -> None:
    """Puts every file named by an `<include>` in its place; each may stand in a model once."""
    main, waiting = Path(file or ".").resolve(), [root]
    seen, folders = [main], dict[ET.Element, Path]()  # of every `<include>` that was pasted: where its file lies
    while waiting:
        element = waiting.pop()
        while (child := element.find("include")) is not None:
            pasted = _read(child, main, folders.get(child, main.parent), seen)
            folders |= dict.fromkeys(pasted.iter("include"), seen[-1].parent)
            index = list(element).index(child)
            element[index : index + 1] = list(pasted)
        waiting.extend(element)


def _read(element: ET.Element, main: Path, beside: Path, seen: list[Path]) -> ET.Element:
    """The root of the file that an `<include>` names, which is added to `seen`."""
    name = element.get("file", "")
    try:
        seen.append(_located(name, main, beside, seen))
        return xml_from_text(text_from_bytes(seen[-1].read_bytes()))
    except OSError as error:
        raise _refusal(
            Message("found {name!r}, which cannot be read: {strerror}", name[:60], error.strerror)
        ) from error
    except RobotFileError as error:
        raise error if error.where == "<include>" else error.in_file(str(seen[-1])) from error


def _located(name: str, main: Path, beside: Path, seen: list[Path]) -> Path:
    """The file, seen from the main file's folder or from that of the file which names it."""
    if not main.is_file():
        raise _refusal(
            Message("found {name!r}, and a text has no folder to look in", name),
            Message("load the model from its file"),
        )
    tried = [(folder / name.replace("\\", "/")).resolve() for folder in (main.parent, beside)]
    path = next((path for path in tried if path.is_file()), tried[0])
    if not path.is_relative_to(main.parent):
        raise _refusal(
            Message("found {name!r}, which is outside the folder of the model", name),
            Message("put the file below that folder"),
        )
    if not path.is_file():
        raise _refusal(Message("found {name!r}, which is not there", name), Message("in {parent}", main.parent))
    if path in seen:
        raise _refusal(Message("found {name!r} a second time", name), Message("each file stands in a model once"))
    if len(seen) > MOST:
        raise _refusal(Message("found more than {most} files", MOST), Message("join some of them"))
    return path


def _refusal(told: str, hint: str = "") -> RobotFileError:
    return RobotFileError(told, where="<include>", field="file", hint=hint)
