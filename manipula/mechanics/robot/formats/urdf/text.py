"""URDF text → its XML tree, as forgiving as the tools that read such files every day.

Nothing outside `<link>` and `<joint>` describes the arm, and of a link only `<inertial>` does. So a prefix that nobody
declared is declared here, and xacro that was left over in meshes, sensors and plugins is passed over with a warning.
Where it stands inside what the arm is made of, `urdf_xml` meets it.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterator

from manipula.errors import RobotFileError, some_of
from manipula.mechanics.robot.formats.source import checked_text
from manipula.messages import Message

EXPAND = Message("run `xacro robot.xacro > robot.urdf` first and load its result")
XACRO = "xacro:"  # how a left-over tag is called once the tree is read
_READ = {"link": ("inertial",), "joint": ("origin", "axis", "parent", "child", "limit", "dynamics", "mimic")}
_COUNTED = {**_READ, "inertial": ("origin", "mass", "inertia")}  # of these the first is read
_START = re.compile(r"<\s*([A-Za-z_][\w.-]*)")
_PREFIX = re.compile(r"(?:</?\s*|\s)([A-Za-z_][\w.-]*):[A-Za-z_][\w.-]*(?=[\s=/>])")


def root_from_text(text: str, said: list[str]) -> ET.Element:
    """The `<robot>` with plain tags; what was passed over is named in `said`."""
    text = checked_text(text)
    if re.search(r"<!\s*(DOCTYPE|ENTITY)", text, re.IGNORECASE):
        raise RobotFileError("found a DOCTYPE or ENTITY declaration", hint="remove it: URDF needs none")
    root = _parse_xml(re.sub(r"^\s*<\?xml[^>]*\?>", "", text), said)  # the text is decoded already
    for element in root.iter():
        space, _, tag = str(element.tag).rpartition("}")  # some tools put the whole file into a namespace
        element.tag = XACRO + tag if "xacro" in space else tag
    if root.tag != "robot":
        raise RobotFileError("found <{tag}> at the top", root.tag, hint="a URDF file starts with <robot name=…>")
    _tell_leftovers(root, said)
    _tell_repeated(root, said)
    return root


def _parse_xml(text: str, said: list[str]) -> ET.Element:
    """The tree; where the parser is stricter than those of the tools that read such files, of a repaired text."""
    try:
        return ET.fromstring(text)
    except ET.ParseError as error:
        first = error
    repaired = _without_comments(text)
    try:
        return ET.fromstring(repaired)
    except ET.ParseError as error:
        if "unbound prefix" not in str(error):
            raise _not_xml(first, text) from first
    try:
        return ET.fromstring(_declare_prefixes(repaired, said))
    except ET.ParseError as error:
        raise _not_xml(error, text) from error


def _without_comments(text: str) -> str:
    """Blanks for comments, in which XML forbids `--`, and for a declaration behind one; all else stays in its place."""
    parts, at = list[str](), 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start + 4)) >= 0:
        parts += [text[at:start], _blank(text[start : end + 3])]
        at = end + 3
    bare = "".join((*parts, text[at:]))
    return re.sub(r"^\s*<\?xml[^>]*\?>", lambda found: _blank(found[0]), bare)


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _not_xml(error: ET.ParseError, text: str) -> RobotFileError:
    return RobotFileError(
        "this is not well-formed XML: {error}",
        error,
        hint=Message("expand it with xacro first" if XACRO in text else "URDF is an XML file that starts with <robot>"),
    )


def _declare_prefixes(text: str, said: list[str]) -> str:
    """The text with every prefix in use declared at its first element."""
    start = _START.search(text)
    if start is None:
        return text
    known = set(re.findall(r"xmlns:([\w.-]+)\s*=", text)) | {"xml", "xmlns"}
    missing = [prefix for prefix in dict.fromkeys(_PREFIX.findall(text)) if prefix not in known]
    said.extend(
        Message("the prefix {prefix!r} is not declared; what it marks is not read", prefix) for prefix in missing
    )
    spaces = "".join(f' xmlns:{prefix}="undeclared/{prefix}"' for prefix in missing)
    return text[: start.end()] + spaces + text[start.end() :]


def is_unexpanded(text: str) -> bool:
    """`${…}` and `$(…)` are for xacro to replace."""
    return "${" in text or "$(" in text


def leftovers(element: ET.Element) -> Iterator[ET.Element]:
    """Elements in and below this one that xacro should have replaced."""
    for inner in element.iter():
        if str(inner.tag).startswith(XACRO) or any(map(is_unexpanded, inner.attrib.values())):
            yield inner


def _tell_leftovers(root: ET.Element, said: list[str]) -> None:
    """One sentence for everything that stands where the arm is not described."""
    found = [inner.tag for part in _unread(root) for inner in leftovers(part)]
    if found:
        tags = ", ".join(f"<{tag}>" for tag in dict.fromkeys(found))
        said.append(Message("xacro that has not been expanded is passed over, at {tags}", tags))


def _tell_repeated(root: ET.Element, said: list[str]) -> None:
    """Of two elements where one is expected the reference parser reads the first, and so does this one."""
    for outer in (element for kind in _READ for element in root.findall(kind)):
        for part in (outer, *outer.findall("inertial")):
            counted = Counter(str(inner.tag) for inner in part)
            for tag in _COUNTED[str(part.tag)]:
                if counted[tag] > 1:
                    said.append(
                        Message(
                            "{tag} {name!r} has {counted} <{tag2}>; the first is read",
                            outer.tag,
                            outer.get("name"),
                            counted[tag],
                            tag,
                        )
                    )


def _unread(root: ET.Element) -> Iterator[ET.Element]:
    """What is beside links and joints, and the looks of a link."""
    for outer in root:
        read = _READ.get(str(outer.tag))
        if read is None:
            yield outer
        else:
            yield from (part for part in outer if part.tag not in read and not str(part.tag).startswith(XACRO))


# How links look, from one URDF to another: no model reads it, so it is copied as it is written.

COPIED = ("visual", "collision")


def with_visuals(text: str, source: str, seen: Callable[[str], str]) -> tuple[str, list[str]]:
    """A URDF that we wrote, with visuals, collision shapes and materials of the one its robot was read from, and what
    has no link there. `seen` gives the name of a mesh for the new file."""
    old = root_from_text(source, [])
    new = ET.fromstring(text, ET.XMLParser(target=ET.TreeBuilder(insert_comments=True)))
    links = {link.get("name"): link for link in new.iterfind("link")}
    left = list[str]()
    for link in old.iterfind("link"):
        shapes = [shape for kind in COPIED for shape in link.iterfind(kind)]
        for mesh in (mesh for shape in shapes for mesh in shape.iterfind("geometry/mesh")):
            mesh.set("filename", seen(mesh.get("filename", "")))
        if (here := links.get(link.get("name"))) is not None:
            here.extend(shapes)
        elif shapes:
            left.append(link.get("name", ""))
    new.extend(old.iterfind("material"))
    ET.indent(new)
    told = list[str]()
    if left:
        told.append(Message("visuals of links {some_of}, which no row or frame keeps", some_of(left)))
    return text[: text.index("<robot")] + ET.tostring(new, encoding="unicode") + "\n", told
