"""The ready studies by name."""

from __future__ import annotations

from manipula.errors import UnknownNameError
from manipula.studies.ready import workspace
from manipula.studies.ready.entry import Ready

READY = {
    entry.name: entry
    for entry in (
        Ready(
            "workspace",
            "where the tool gets to, in how many ways, how nimble and how loaded: by voxel",
            workspace.voxel,
            workspace.plan,
            workspace.show,
        ),
    )
}


def ready(name: str) -> Ready:
    if name not in READY:
        raise UnknownNameError("ready study", name, READY)
    return READY[name]
