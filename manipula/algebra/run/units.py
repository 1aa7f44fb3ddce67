"""A co-simulation unit as one archive, with a binary for this machine where there is a C compiler."""

from __future__ import annotations

import io
import os
import platform
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from manipula.errors import ManipulaError, caution
from manipula.messages import Message

# (system, machine) → the folder and the ending that the standard names
_PLACES = {
    ("Linux", "x86_64"): ("x86_64-linux", ".so"),
    ("Linux", "aarch64"): ("aarch64-linux", ".so"),
    ("Darwin", "x86_64"): ("x86_64-darwin", ".dylib"),
    ("Darwin", "arm64"): ("aarch64-darwin", ".dylib"),
}
_DATE = (1980, 1, 1, 0, 0, 0)  # the same bytes whenever it is packed


def archive(files: Mapping[str, str], name: str) -> bytes:
    """The unit: its texts, and what the compiler makes of its sources."""
    contents = {place: text.encode() for place, text in files.items()} | _binary(files, name)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for place, content in contents.items():
            # a fixed date, or the archive would differ from run to run
            packed.writestr(zipfile.ZipInfo(place, _DATE), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _binary(files: Mapping[str, str], name: str) -> dict[str, bytes]:
    """Nothing, and a warning, where it cannot be made: importers that compile sources can still use the unit."""
    where = _PLACES.get((platform.system(), platform.machine()))
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if where is None or compiler is None:
        caution(
            "{name}.fmu has no binary for {system} {machine} ({why}); only importers that compile its sources can use "
            "it",
            name,
            platform.system(),
            platform.machine(),
            Message(
                "no C compiler was found: cc, gcc, clang or CC" if where else "units are not compiled on this system"
            ),
        )
        return {}
    folder, ending = where
    with tempfile.TemporaryDirectory() as place:
        for file, text in files.items():
            if file.endswith((".c", ".h")):
                (Path(place) / Path(file).name).write_text(text, encoding="utf-8")
        made = f"{name}{ending}"
        sources = [f"{name}.c", f"{name}_unit.c"]
        # hidden: several units may be loaded at once, and must share no names but the standard's
        order = [compiler, "-std=c99", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", *sources, "-lm", "-o", made]
        ran = subprocess.run(order, cwd=place, capture_output=True, text=True, check=False)
        if ran.returncode:
            raise ManipulaError(
                "{name}.fmu: {compiler} does not compile its sources: {stderr}",
                name,
                compiler,
                ran.stderr.strip()[:500],
            )
        return {f"binaries/{folder}/{made}": (Path(place) / made).read_bytes()}
