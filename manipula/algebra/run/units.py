"""A co-simulation unit as one archive, with a binary for every platform that a compiler here can make.

The compiler of the package `ziglang` (extra `cross`) makes all of them on any machine; without it, this machine's own
compiler, and cross compilers under their usual names.
"""

from __future__ import annotations

import io
import os
import platform
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from manipula.errors import InputError, ManipulaError, UnknownNameError

# Hidden: several units may be loaded at once, and must share no names but the standard's. No contraction: where a
# product and a sum are one rounding, results would differ from Python's
FLAGS = ("-std=c99", "-O2", "-ffp-contract=off", "-shared", "-fvisibility=hidden")


@dataclass(frozen=True)
class Platform:
    """Where a binary runs. `folder`: the name in FMI 3.0; `older`: that in FMI 2.0, if it is another.

    `target` is what Zig calls it, `others` are compilers that make nothing else.
    """

    name: str
    system: str
    machines: tuple[str, ...]
    folder: str
    older: str
    ending: str
    target: str
    others: tuple[str, ...] = ()

    @property
    def is_here(self) -> bool:
        return platform.system() == self.system and platform.machine().lower() in self.machines


# Names of the folders: FMI 3.0, section 2.5.1.4.1 (platform tuples); FMI 2.0.5, section 2.3, which has names of its own
# for x86 and those of FMI 3.0 for the rest. glibc 2.17 (2012): MATLAB and Modelica tools run on old systems.
PLATFORMS = (
    Platform(
        "linux-x86_64", "Linux", ("x86_64", "amd64"), "x86_64-linux", "linux64", ".so", "x86_64-linux-gnu.2.17",
        ("x86_64-linux-gnu-gcc",),
    ),
    Platform(
        "linux-aarch64", "Linux", ("aarch64", "arm64"), "aarch64-linux", "aarch64-linux", ".so",
        "aarch64-linux-gnu.2.17", ("aarch64-linux-gnu-gcc",),
    ),
    Platform(
        "windows-x86_64", "Windows", ("x86_64", "amd64"), "x86_64-windows", "win64", ".dll", "x86_64-windows-gnu",
        ("x86_64-w64-mingw32-gcc",),
    ),
    Platform("macos-x86_64", "Darwin", ("x86_64",), "x86_64-darwin", "darwin64", ".dylib", "x86_64-macos"),
    Platform(
        "macos-aarch64", "Darwin", ("arm64", "aarch64"), "aarch64-darwin", "aarch64-darwin", ".dylib", "aarch64-macos"
    ),
)  # fmt: skip
NAMES = tuple(x.name for x in PLATFORMS)
HERE, NONE = "here", "none"  # words for `platforms=`
INSTALL = "pip install 'manipula[cross]'"
_DATE = (1980, 1, 1, 0, 0, 0)  # the same bytes whenever it is packed


class UnitFiles(list[Path]):
    """The paths written; `platforms`: what the unit has a binary for."""

    def __init__(self, paths: Iterable[Path], platforms: Sequence[str]) -> None:
        super().__init__(paths)
        self.platforms = tuple(platforms)


def archive(
    files: Mapping[str, str], name: str, fmi: str, platforms: str | Sequence[str] | None = None
) -> tuple[bytes, tuple[str, ...]]:
    """The unit: its texts, and what compilers make of its sources; and for which platforms they do.

    `platforms`: names of them, "here", "none", or all that a compiler is found for.
    """
    chosen = chosen_compilers(name, platforms)
    made = _compiled(files, name, chosen)
    contents = {place: text.encode() for place, text in files.items()} | _placed(made, name, fmi)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as packed:
        for place, content in contents.items():
            # a fixed date, or the archive would differ from run to run
            packed.writestr(zipfile.ZipInfo(place, _DATE), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue(), tuple(x.name for x in made)


def chosen_compilers(name: str, platforms: str | Sequence[str] | None) -> dict[Platform, list[str]]:
    """Platform → its compiler; an error that says what to install where one is missing."""
    wanted = _wanted(platforms)
    found = {x: order for x in wanted if (order := compiler_for(x))}
    missing = [x.name for x in wanted if x not in found]
    if missing and (platforms is not None or not found):
        raise InputError(
            "{name}.fmu: no C compiler was found for {missing}: {pip} brings one for all platforms, or "
            "CC names one for this machine; platforms='none' writes the sources alone, for importers that compile them",
            name,
            ", ".join(missing),
            INSTALL,
        )
    return found


def _wanted(platforms: str | Sequence[str] | None) -> list[Platform]:
    if platforms is None:
        return list(PLATFORMS)
    asked = [platforms] if isinstance(platforms, str) else list(platforms)
    if asked == [NONE]:
        return []
    if not asked or NONE in asked:
        raise InputError("platforms: expected names, or 'none' alone for the sources alone, found {asked}", asked)
    here = [x.name for x in PLATFORMS if x.is_here]
    if HERE in asked and not here:
        raise InputError(
            "platforms: no binary can be made for {system} {machine}; known: {names}",
            platform.system(),
            platform.machine(),
            ", ".join(NAMES),
        )
    for name in asked:
        if name not in (*NAMES, HERE):
            raise UnknownNameError("platform", name, [*NAMES, HERE, NONE])
    return [x for x in PLATFORMS if x.name in asked or (HERE in asked and x.is_here)]


def compiler_for(where: Platform) -> list[str]:
    """The words of its call; none without a call."""
    own = os.environ.get("CC") if where.is_here else None
    if own:
        return shlex.split(own)
    if zig := _zig():
        return [*zig, "cc", "-target", where.target]
    if where.is_here:
        found = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
    elif where.system == platform.system() == "Darwin":
        # Apple's compiler makes both of its own
        clang = shutil.which("clang")
        return [clang, "-arch", "arm64" if "arm64" in where.machines else "x86_64"] if clang else []
    else:
        found = next(filter(None, map(shutil.which, where.others)), None)
    return [found] if found else []


def _zig() -> list[str]:
    """The package from PyPI, or a Zig of the system."""
    if find_spec("ziglang"):
        return [sys.executable, "-m", "ziglang"]
    found = shutil.which("zig")
    return [found] if found else []


def _compiled(files: Mapping[str, str], name: str, chosen: Mapping[Platform, list[str]]) -> dict[Platform, bytes]:
    sources = {Path(file).name: text for file, text in files.items() if file.endswith((".c", ".h"))}
    # compilers are processes of their own: all at once
    with ThreadPoolExecutor() as pool:
        made = pool.map(lambda item: _binary(sources, name, *item), chosen.items())
        return dict(zip(chosen, made, strict=True))


def _binary(sources: Mapping[str, str], name: str, where: Platform, compiler: list[str]) -> bytes:
    with tempfile.TemporaryDirectory() as place:
        for file, text in sources.items():
            (Path(place) / file).write_text(text, encoding="utf-8")
        made = f"{name}{where.ending}"
        own = ["-fPIC", "-lm"] if where.system != "Windows" else []
        if "-target" in compiler:  # Zig, which adds what a debugger wants, and checks, unless told
            own += ["-s", "-g0", "-fno-sanitize=undefined"]
        elif where.system == "Windows" and "gcc" in compiler[0]:  # no library that Windows lacks; no date
            own += ["-static-libgcc", "-Wl,--no-insert-timestamp"]
        order = [*compiler, *FLAGS, f"{name}.c", f"{name}_unit.c", *own, "-o", made]
        environment = os.environ | {"ZIG_LOCAL_CACHE_DIR": str(Path(place) / "cache")}
        ran = subprocess.run(order, cwd=place, capture_output=True, text=True, check=False, env=environment)
        if ran.returncode:
            raise ManipulaError(
                "{name}.fmu: {compiler} does not compile its sources: {stderr}",
                name,
                " ".join(compiler),
                ran.stderr.strip()[:500],
            )
        return (Path(place) / made).read_bytes()


def _placed(made: Mapping[Platform, bytes], name: str, fmi: str) -> dict[str, bytes]:
    """Where the standard wants the binaries."""
    if fmi == "3.0":
        return {f"binaries/{x.folder}/{name}{x.ending}": content for x, content in made.items()}
    placed = {f"binaries/{x.older}/{name}{x.ending}": content for x, content in made.items()}
    # FMI 2.0 knows one Mac. Importers look into its folder on both, so it holds whatever runs on either
    macs = {x: content for x, content in made.items() if x.system == "Darwin"}
    if macs:
        placed[f"binaries/darwin64/{name}.dylib"] = _universal([content for _, content in macs.items()])
    return placed


def _universal(binaries: Sequence[bytes]) -> bytes:
    """Several Mach-O files as one, the format that `lipo` writes (mach-o/fat.h): a table, then each at a page of its
    own; all numbers with the high byte first.
    """
    if len(binaries) == 1:
        return binaries[0]
    page = 1 << _PAGE
    head, body, at = struct.pack(">II", 0xCAFEBABE, len(binaries)), b"", page
    for content in binaries:
        # the head of a file says for which processor: magic, type, subtype, low byte first
        kind, subtype = struct.unpack_from("<4xII", content)
        head += struct.pack(">IIIII", kind, subtype, at, len(content), _PAGE)
        body += content + bytes(-len(content) % page)
        at = page + len(body)
    return head + bytes(page - len(head)) + body


_PAGE = 14  # log2 of the largest page of these processors
