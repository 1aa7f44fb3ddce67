"""Code: the files that `generate` would write, to be read on the page or taken as one archive."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Callable
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

from manipula import api
from manipula.errors import InputError
from manipula.studio.tasks.deriving import chosen_in
from manipula.studio.tasks.describing import file_name
from manipula.studio.tasks.given import Given, flag_in, names_in, part_in, robot_in, seen_in, text_in

Tell = Callable[[str], None]
_KINDS = {".c": "c", ".h": "c", ".hpp": "cpp", ".cpp": "cpp", ".py": "python", ".m": "matlab", ".rs": "rust",
          ".mjs": "javascript", ".mts": "typescript", ".f90": "fortran", ".tex": "latex", ".md": "markdown",
          ".cu": "cpp", ".cuh": "cpp", ".toml": "ini", ".txt": "cmake"}  # fmt: skip


def code(given: Given, tell: Tell) -> dict[str, Any]:
    """The files with their text."""
    files, costs = _made(given, tell)
    listed = [{"name": name, "text": data.decode("utf-8", "replace"), "language": _KINDS.get(Path(name).suffix, "")}
              for name, data in files.items()]  # fmt: skip
    return {"files": listed, "cost": costs}


def archive(given: Given, tell: Tell) -> dict[str, Any]:
    """The same files as a .zip in the outbox; the same files give the same bytes."""
    files, _ = _made(given, tell)
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)  # of 1980: no clock in it
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    name = f"{file_name(robot_in(given).name)}_{text_in(given, 'language', 'c')}.zip"
    return {"url": put(Path(given["outbox"]), name, packed.getvalue())}


def put(outbox: Path, name: str, data: bytes) -> str:
    """Into the outbox, under a digest of what it is; its address on the server."""
    digest = sha256(data).hexdigest()[:32]
    place = outbox / digest
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_bytes(data)
    return f"/files/{digest}/{name}"


def _made(given: Given, tell: Tell) -> tuple[dict[str, bytes], dict[str, Any]]:
    robot, language = seen_in(given), api.language(text_in(given, "language", "c"))
    names = names_in(given, "models", ("inverse_dynamics",))
    if not names:
        raise InputError("models: choose at least one")
    chosen, emitted = chosen_in(given), _options(part_in(given, "options"))
    made = {}
    for name in names:
        tell(f"deriving {name}")
        made[name] = api.generate(robot, name, **chosen, tell=tell)
    with tempfile.TemporaryDirectory(prefix="manipula-") as place:
        folder = Path(place)
        tell(f"writing {language}")
        if emitted.get("single_file") and len(made) > 1:
            first, *rest = made.values()
            first.emit(language, folder, beside=rest, **emitted)
        else:
            for model in made.values():
                model.emit(language, folder, **emitted)
        found = sorted(path for path in folder.rglob("*") if path.is_file())
        files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}
    return files, {name: model.as_dict()["cost"] for name, model in made.items()}


def _options(options: Given) -> dict[str, Any]:
    flags = {key: flag_in(options, key, False) for key in ("single_file", "sincos", "proof") if options.get(key)}
    texts = {key: text for key in ("dtype", "prefix") if (text := text_in(options, key))}
    return flags | texts | ({} if flag_in(options, "batch", True) else {"batch": False})
