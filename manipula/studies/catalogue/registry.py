"""The ready studies by name."""

from __future__ import annotations

from manipula.errors import UnknownNameError
from manipula.studies.catalogue import bootstrap, design, gains, payload, tolerance, tune, workspace
from manipula.studies.catalogue.entry import Ready

MODULES = (workspace, tolerance, gains, tune, payload, bootstrap, design)
READY: dict[str, Ready] = {module.READY.name: module.READY for module in MODULES}


def ready(name: str) -> Ready:
    if name not in READY:
        raise UnknownNameError("ready study", name, READY)
    return READY[name]
