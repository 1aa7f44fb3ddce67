"""The meshes that a robot file names: looked for, bounded, read."""

from __future__ import annotations

from pathlib import Path

from manipula.errors import InputError
from manipula.mechanics.drawing.visuals.mesh_files import ENDINGS, mesh_from
from manipula.mechanics.drawing.visuals.places import located
from manipula.mechanics.drawing.visuals.triangles import Mesh

LARGEST = 64_000_000  # bytes of a mesh
LARGEST_OF_ALL = 512_000_000


class Meshes:
    """The meshes that a file names, each read once, as far as there is room for them."""

    def __init__(self, folder: Path, within: Path | None) -> None:
        self.folder, self.within = folder, within
        self.known: dict[str, Mesh | InputError] = {}
        self.left = LARGEST_OF_ALL

    def named(self, name: str) -> Mesh:
        if name not in self.known:
            try:
                self.known[name] = self._read(name)
            except OSError as error:
                self.known[name] = InputError("{name:.200}: cannot be read: {strerror}", name, error.strerror)
            except InputError as error:
                self.known[name] = error
        found = self.known[name]
        if isinstance(found, InputError):
            raise found
        return found

    def _read(self, name: str) -> Mesh:
        if not name.lower().endswith(tuple(ENDINGS)):
            raise InputError("{name:.200}: a mesh in {endings} can be drawn, not this one", name, ", ".join(ENDINGS))
        path = located(name, self.folder, self.within)
        if path is None:
            raise InputError("{name:.200}: this mesh is not in the folder of the robot", name)
        size = path.stat().st_size
        self.left -= size
        if size > LARGEST or self.left < 0:
            raise InputError(
                "{name:.200}: the file is too large: a mesh has at most {most} MB, all of them {most2} MB",
                name,
                LARGEST // 10**6,
                LARGEST_OF_ALL // 10**6,
            )
        return mesh_from(name, path.read_bytes())
