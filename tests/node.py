"""JavaScript at work: node, from the machine or from the wheel beside this Python."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BESIDE = Path(sys.executable).parent
NODE = shutil.which("node") or shutil.which("node", path=str(BESIDE))
needs_node = pytest.mark.skipif(NODE is None, reason="no node on this machine: JavaScript is not run")


def run_node(script: str, folder: Path) -> str:
    """What a module prints that stands in a folder; it must end well."""
    assert NODE is not None
    (folder / "main.mjs").write_text(script, encoding="utf-8")
    done = subprocess.run([NODE, "main.mjs"], cwd=folder, capture_output=True, text=True, check=False, encoding="utf-8")
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout
