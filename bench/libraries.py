"""Compiled peers in one calling convention (`drivers/arm.h`): C that CasADi or this package writes, and libraries.

What is built is kept under out/bench, under a name that holds its sources and flags. A library that is not there is
left out, with the reason.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from shutil import which
from typing import Any

import numpy as np
from clock import Loop
from joints import Joint, mjcf, packed

HERE = Path(__file__).parent
BUILT = HERE.parent / "out" / "bench"
COMPILER, CXX = which("cc") or which("gcc"), which("c++") or which("g++")
FAST = ("-O3", "-march=native")
COUNTED = ("-O3", "-mavx2", "-mfma")  # valgrind knows no wider vectors


class Missing(Exception):
    """A peer that cannot be had, and why."""


def built(compiler: str | None, sources: Sequence[Path], flags: Sequence[str], shared: bool = True) -> Path:
    """A shared library (or a program), from what was built before or now."""
    if compiler is None:
        raise Missing("no compiler")
    text = [path.read_bytes() for path in (*sources, HERE / "drivers" / "arm.h")]
    name = blake2b(repr((text, tuple(flags))).encode(), digest_size=8).hexdigest()
    place = BUILT / f"{sources[0].stem}-{name}{'.so' if shared else ''}"
    if not place.exists():
        BUILT.mkdir(parents=True, exist_ok=True)
        draft = place.with_suffix(".part")
        kind = ["-shared", "-fPIC"] if shared else []
        # libraries after the sources that need them
        command = [compiler, "-w", *kind, f"-I{HERE / 'drivers'}", "-o", str(draft), *map(str, sources), *flags]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Missing(f"{sources[0].name} does not compile: {done.stderr.strip().splitlines()[0][:160]}")
        draft.rename(place)
    return place


def driver(name: str) -> Path:
    """The shared library of a peer. No flags for this machine: the libraries' own layouts depend on them."""
    source = HERE / "drivers" / name
    if source.suffix == ".c":
        return built(COMPILER, [source], ["-O2", *_FLAGS[name]()])
    return built(CXX, [source], ["-std=c++17", "-DNDEBUG", "-O3", *_FLAGS[name]()])


def _mujoco() -> list[str]:
    folder = _package("mujoco")
    library = next(folder.glob("libmujoco*.so*"), None) or next(folder.glob("libmujoco*.dylib"))
    return [f"-I{folder / 'include'}", str(library), f"-Wl,-rpath,{folder}"]


def _pinocchio() -> list[str]:
    if not os.environ.get("BENCH_PINOCCHIO"):
        raise Missing(
            "its headers take minutes to compile; BENCH_PINOCCHIO=1 does it (from Python it is compared anyway)"
        )
    prefix = next((p for p in _package("pinocchio").parents if p.name == "cmeel.prefix"), None)
    if prefix is None:
        raise Missing("Pinocchio is not the wheel, whose headers are wanted")
    eigen = next((p for p in (prefix / "include/eigen3", Path("/usr/include/eigen3")) if p.exists()), None)
    if eigen is None:
        raise Missing("no Eigen headers (pip install cmeel-eigen)")
    limits = ["BOOST_MPL_LIMIT_LIST_SIZE=30", "BOOST_MPL_LIMIT_VECTOR_SIZE=30", "BOOST_FUSION_INVOKE_MAX_ARITY=12"]
    defined = [*limits, "BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "PINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION"]
    headers = ["-isystem", str(prefix / "include"), "-isystem", str(eigen)]
    library = [f"-L{prefix / 'lib'}", "-lpinocchio_default", f"-Wl,-rpath,{prefix / 'lib'}"]
    return [*(f"-D{word}" for word in defined), *headers, *library]


def _kdl() -> list[str]:
    return _by_pkg_config("orocos-kdl", "liborocos-kdl-dev")


def _rbdl() -> list[str]:
    prefix = os.environ.get("RBDL_PREFIX")
    if prefix:
        eigen = next((str(p) for p in (Path(prefix, "include/eigen3"), Path("/usr/include/eigen3")) if p.exists()), "")
        lib = next(Path(prefix).rglob("librbdl.so")).parent
        return [f"-I{prefix}/include", f"-I{eigen}", f"-L{lib}", "-lrbdl", f"-Wl,-rpath,{lib}"]
    return _by_pkg_config("rbdl", "built from source; then RBDL_PREFIX says where it is")


def _package(name: str) -> Path:
    found = find_spec(name)
    if found is None or found.origin is None:
        raise Missing(f"no Python package {name}")
    return Path(found.origin).parent


def _by_pkg_config(name: str, advice: str) -> list[str]:
    if which("pkg-config") is None or subprocess.run(["pkg-config", "--exists", name], check=False).returncode:
        raise Missing(f"not installed ({advice})")
    told = subprocess.run(["pkg-config", "--cflags", "--libs", name], capture_output=True, text=True, check=True)
    return told.stdout.split()


_FLAGS = {"mujoco.c": _mujoco, "pinocchio.cpp": _pinocchio, "kdl.cpp": _kdl, "rbdl.cpp": _rbdl}
NAMES = {"Pinocchio": "pinocchio.cpp", "MuJoCo": "mujoco.c", "KDL": "kdl.cpp", "RBDL": "rbdl.cpp"}


@lru_cache
def available() -> Mapping[str, Path]:
    """The libraries of this machine, compiled; says what is missing."""
    found = {}
    for name, source in NAMES.items():
        try:
            found[name] = driver(source)
        except (Missing, OSError) as reason:
            print(f"left out: {name} in C++: {reason}", flush=True)
    return found


class Library:
    """The functions of a shared library on one arm, by address."""

    def __init__(self, path: Path, joints: Sequence[Joint], folder: Path) -> None:
        self._code = ctypes.CDLL(str(path))
        self._numbers, self._model = packed(list(joints)), folder / "arm.xml"
        self._model.write_text(mjcf(list(joints)))
        self.arm = self._made(len(joints))

    def _made(self, count: int) -> int:
        make = getattr(self._code, "make", None)
        if make is None:
            return 0
        make.restype = ctypes.c_void_p
        arm = make(ctypes.c_void_p(self._numbers.ctypes.data), count, str(self._model).encode())
        if not arm:
            raise Missing("the library refused the arm")
        return int(arm)

    def address(self, name: str) -> int | None:
        function = getattr(self._code, name, None)
        return None if function is None else ctypes.cast(function, ctypes.c_void_p).value

    def runner(self, name: str, state: Any) -> Any:
        """Repeated calls, or None; the last result is in `out`."""
        address = self.address(name)
        if address is None:
            return None
        out = np.zeros(1 << 14)
        rows = [[self.arm, *(x[k].ctypes.data for x in state), out.ctypes.data] for k in range(state.shape[1])]
        return FIVE.of(address, rows, state, out, self)

    def value(self, name: str, state: Any, count: int) -> Any:
        """The first entries of the result at one state (3, dof)."""
        out = np.zeros(1 << 14)
        call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 5)(self.address(name))
        call(self.arm, *(x.ctypes.data for x in state), out.ctypes.data)
        return out[:count].copy()


FIVE = Loop(5)
