"""Functions for the tests of studies, in a module that other processes can import."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np

import manipula as mp
from manipula.studies import batched


def mixed(case: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Numbers, words and arrays; some cases fail."""
    if case["a"] % 7 == 3:
        raise ValueError(f"{case['a']} is not liked by {object()!r}")
    words = {"word": "w" * (case["a"] % 5), "whole": case["a"], "bit": case["a"] > 4}
    return {"sum": case["a"] + rng.normal(), "draws": rng.normal(size=(2, 3)), **words}


@batched
def many(cases: dict[str, Any], rngs: Any) -> dict[str, Any]:
    """All at once; one case takes the others with it."""
    if (cases["a"] == 11).any():
        raise ValueError("eleven")
    return {"square": cases["a"] ** 2.0, "draw": np.array([rng.normal() for rng in rngs])}


def gravity(case: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Of a robot that travelled as a text."""
    arm = mp.studies.arm(case["robot"])
    return {"torque": arm.gravity([case["q"], 0.2])}


def deadly(case: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """One case kills its process, whoever tries."""
    if case["a"] == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return {"a2": 2 * case["a"]}


def killed_once(case: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """The first to come to a case loses its worker."""
    mark = Path(case["folder"]) / "killed"
    if case["a"] == 5 and not mark.exists():
        mark.write_text("")
        os.kill(os.getpid(), signal.SIGKILL)
    return {"a2": 2 * case["a"], "draw": rng.normal()}


def marked(case: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Leaves a mark for every time that it is called; interrupted as by Ctrl-C where a file says so."""
    mark = Path(case["folder"]) / f"{case['a']}"
    mark.write_text(mark.read_text() + "x" if mark.exists() else "x")
    stop = Path(case["folder"]) / "stop"
    if stop.exists() and case["a"] == int(stop.read_text()):
        stop.unlink()
        raise KeyboardInterrupt
    return {"draw": rng.normal(), "a2": case["a"] ** 2}


def slow(case: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    time.sleep(0.02)
    return {"draw": rng.normal()}


def wide(case: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """A hundred numbers a case: what fills a disk."""
    return {"draws": rng.normal(size=100)}


def careless(case: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Writes into what it is given, into what all share, and into the process."""
    found = {"list": len(case["list"]), "inner": len(case["inner"]["of"][0]), "sum": case["v"].sum()}
    found["here"] = str(Path("beside").exists())
    case["list"].append(1)
    case["inner"]["of"][0].append(1)
    case["inner"]["more"] = 1
    case["v"][:] = -1
    case["a"] = 99
    os.chdir("/")
    np.seterr(all="raise")
    return {**found, "more": len(case["inner"])}


@batched
def careless_many(cases: dict[str, Any], rngs: Any) -> dict[str, Any]:
    """Doubles its columns where they are; one case takes the others with it."""
    cases["a"] *= 2
    if (cases["a"] == 10).any():
        raise ValueError("five")
    return {"double": cases["a"]}


def drawing(case: dict[str, Any], rng: np.random.Generator) -> dict[str, Any]:
    """Not from its own generator."""
    return {"x": random.random() if case["a"] % 2 else np.random.random()}
