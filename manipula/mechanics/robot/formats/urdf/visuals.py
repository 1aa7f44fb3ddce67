"""How links look, from one URDF to another: no model reads it, so it is copied as it is written."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable

from manipula.errors import some_of
from manipula.mechanics.robot.formats.urdf.text import root_from_text
from manipula.messages import Message

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
