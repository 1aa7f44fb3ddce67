"""Heads of columns: `shoulder_pan_joint_position`, `q_1`, `joint1.pos [deg]`, `tau[3]`, read as words.

A head is split into words and numbers; one of its words names the quantity, others say that it was measured or wanted,
or that it is none of a joint's (a force at the tool). What is left names the joint, or tells like columns apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from manipula.simulation.records.words.units import known_unit, unit_of

QUANTITIES: dict[str, tuple[str, ...]] = {
    "t": ("t", "time", "times", "timestamp", "timestamps", "stamp", "clock", "elapsed", "seconds", "secs", "sec",
          "nanosec", "nanosecs", "nsec", "nsecs"),
    "q": ("q", "pos", "position", "positions", "angle", "angles", "theta", "θ", "phi", "jpos", "jointpos"),
    "qd": ("qd", "dq", "qdot", "vel", "velocity", "velocities", "speed", "speeds", "dtheta", "thetadot", "omega", "qp"),
    "qdd": ("qdd", "ddq", "qddot", "acc", "accel", "acceleration", "accelerations", "ddtheta", "qpp"),
    "tau": ("tau", "torque", "torques", "trq", "effort", "efforts", "moment", "moments", "force", "forces", "τ",
            "current", "currents", "amps", "amp"),
}  # fmt: skip
QUANTITY_OF = {word: name for name, words in QUANTITIES.items() for word in words}
CURRENTS = frozenset({"current", "currents", "amps", "amp"})
AMPERES = ("A", "mA")
WANTED = frozenset(
    ("ref", "reference", "target", "targets", "des", "desired", "cmd", "command", "commanded", "commands", "goal",
     "setpoint", "wanted", "demand")
)  # fmt: skip
MEASURED = frozenset(("act", "actual", "meas", "measured", "fb", "feedback", "real"))
STRANGE = frozenset(  # words of columns that are no joint's measurement
    ("tcp", "tool", "ee", "eef", "cartesian", "cart", "wrench", "ft", "tip", "flange", "error", "err", "std", "noise",
     "sigma", "temp", "temperature", "voltage", "ext", "external", "limit", "limits", "min", "max", "init", "initial",
     "gain", "gains", "friction", "gravity", "model", "pred", "predicted", "residual", "hat", "imu")
)  # fmt: skip
COMMON = frozenset(("joint", "joints", "state", "states", "field", "data", "msg", "axis", "axes", "j"))  # tell nothing
DOTS = {("q", "dot"): "qd", ("q", "ddot"): "qdd", ("theta", "dot"): "qd", ("theta", "ddot"): "qdd", ("q", "dd"): "qdd"}
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+|%")
UNIT = re.compile(r"(?:\s*[\[({<]\s*([^\])}>]*?)\s*[\])}>]|\s+(?:in|/)\s+(\S+))\s*$")


class Head(NamedTuple):
    """A head as written, its words, and the unit it gives ("" where it gives none)."""

    text: str
    words: tuple[str, ...]
    unit: str


class Meaning(NamedTuple):
    """What a head says, apart from the joint: the quantity (`q_ref` what was wanted), its unit, the word for it, and
    the `rest` of the words, which still holds what names the joint.
    """

    quantity: str
    unit: str
    word: str
    rest: tuple[str, ...]


def head_of(text: str) -> Head:
    """A unit in brackets, or behind a slash, is taken off; the rest is words in lower case."""
    bare = text.strip().strip("\"'").strip()
    found = UNIT.search(bare)
    unit = (found[1] or found[2] or "") if found else ""
    words = words_of(bare[: found.start()]) if found else ()
    if unit and any(unit_of(QUANTITY_OF[word], unit) for word in words if word in QUANTITY_OF):
        return Head(text, words, unit)
    if unit and known_unit(unit) and not any(word in QUANTITY_OF for word in words):
        return Head(text, words, unit)
    return Head(text, words_of(bare), "")


def unknown_unit(text: str, joints: Iterable[str]) -> str:
    """What stands in brackets behind a head as a unit does, and is none: no number, joint or word of a quantity."""
    bare = text.strip().strip("\"'").strip()
    found = UNIT.search(bare)
    inner = (found[1] or found[2] or "") if found else ""
    told = {*QUANTITY_OF, *COMMON, *MEASURED, *WANTED, *(word for joint in joints for word in words_of(joint))}
    words = words_of(inner)
    explained = any(word.isdigit() for word in words) or set(words) <= told
    return "" if explained or known_unit(inner) else inner


def words_of(text: str) -> tuple[str, ...]:
    """`jointPos1` → joint, pos, 1; `q_dot_1` → qd, 1."""
    words = [word.lower() for word in WORD.findall(text)]
    found: list[str] = []
    for word in words:
        if found and (found[-1], word) in DOTS:
            found[-1] = DOTS[found[-1], word]
        elif word == "dot" and found and found[-1] == "qd":
            found[-1] = "qdd"
        else:
            found.append(word)
    return tuple(found)


def meaning_of(words: Sequence[str], unit: str) -> Meaning | None:
    """What words say besides the joint's own: None without a quantity, with two, or with a word of something else."""
    named = [k for k, word in enumerate(words) if word in QUANTITY_OF]
    if len({QUANTITY_OF[words[k]] for k in named}) > 1:  # the current position is no current
        named = [k for k in named if words[k] not in CURRENTS]
    kinds = {QUANTITY_OF[words[k]] for k in named}
    if not named and unit in AMPERES and any(word.isdigit() for word in words):  # i1 [A]
        kinds = {"tau"}
    if len(kinds) != 1 or STRANGE & set(words):
        return None
    quantity = kinds.pop()
    rest = [word for k, word in enumerate(words) if k not in named]
    if not unit:
        rest, unit = _unit_behind(rest, quantity)
    if WANTED & set(rest):
        quantity += "_ref"
    return Meaning(quantity, unit, " ".join(words[k] for k in named) or "current", tuple(rest))


def _unit_behind(rest: list[str], quantity: str) -> tuple[list[str], str]:
    """`pos_deg`, `vel_deg_per_s`, `time_ms`: the last words, if they are a unit; one letter alone is none, but s."""
    letters = [k for k, word in enumerate(rest) if not word.isdigit()]
    for count in (3, 2, 1):
        tail = letters[-count:]
        words = [rest[k] for k in tail]
        if len(tail) < count or (count == 1 and len(words[0]) == 1 and words[0] != "s"):
            continue
        squared = quantity == "qdd" and rest[tail[-1] + 1 : tail[-1] + 2] == ["2"]
        text = (" per ".join(words) if count == 2 else " ".join(words)) + ("2" if squared else "")
        if unit_of(quantity, text) is not None:
            gone = {*tail, tail[-1] + 1} if squared else set(tail)
            return [word for k, word in enumerate(rest) if k not in gone], text
    return list(rest), ""


def label(rest: Iterable[str]) -> str:
    """What is left when no robot is at hand: the joint's name."""
    return "_".join(word for word in rest if word not in MEASURED | WANTED)
