"""Heads of columns: `shoulder_pan_joint_position`, `q_1`, `joint1.pos [deg]`, `tau[3]`, read as words.

A head is split into words and numbers; one of its words names the quantity, others say that it was measured or wanted,
or that it is not a joint's (a force at the tool). What is left names the joint, or separates columns that are alike.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from math import pi
from typing import NamedTuple

from manipula.errors import InputError

# Names of what is recorded, and their units, as they stand in files that are written here.

MEASURED_NAMES = ("q", "qd", "qdd", "tau")
WANTED_NAMES = ("q_ref", "qd_ref", "qdd_ref")
OWN = "manipula"  # the entry of an archive that says: these names, SI units


def si_unit(name: str, turns: bool) -> str:
    """The SI unit of a joint's quantity."""
    length, effort = ("rad", "N·m") if turns else ("m", "N")
    rates = {"q": length, "qd": f"{length}/s", "qdd": f"{length}/s²", "tau": effort}
    return rates[name.removesuffix("_ref")]


def own_heads(heads: Sequence[str]) -> bool:
    """Are these the heads of a table that was written here?"""
    return bool(heads) and heads[0] == "t [s]" and any(head in ("q1 [rad]", "q1 [m]") for head in heads)


def _without_accents(text: str) -> str:
    return "".join(x for x in unicodedata.normalize("NFKD", text) if not unicodedata.combining(x))


# Units of recordings: what people call them, and how many SI units one is.

TIME = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "min": 60.0}
SINCE_1970 = {"ms": 1e12, "us": 1e15, "ns": 1e18}  # of the year 2001 on; as seconds they would be ages
CENTURY = 4.1  # times so many: 2099
ANGLE = {"rad": 1.0, "mrad": 1e-3, "deg": pi / 180, "rev": 2 * pi}
LENGTH = {"m": 1.0, "cm": 1e-2, "mm": 1e-3, "um": 1e-6}
POUND, GRAVITY, FOOT, INCH = 0.45359237, 9.80665, 0.3048, 0.0254  # kg, m/s², m, m: exact by definition
TORQUE = {
    "nm": 1.0, "mnm": 1e-3, "knm": 1e3, "ncm": 1e-2, "nmm": 1e-3, "kgfm": GRAVITY, "kgfcm": GRAVITY / 100,
    "kgcm": GRAVITY / 100, "newtonmeter": 1.0, "newtonmeters": 1.0, "newtonmetre": 1.0, "newtonmetres": 1.0,
    "lbfft": POUND * GRAVITY * FOOT, "ftlbf": POUND * GRAVITY * FOOT,
    "lbft": POUND * GRAVITY * FOOT, "ftlb": POUND * GRAVITY * FOOT, "ftlbs": POUND * GRAVITY * FOOT,
    "lbfin": POUND * GRAVITY * INCH, "inlbf": POUND * GRAVITY * INCH, "lbin": POUND * GRAVITY * INCH,
    "inlb": POUND * GRAVITY * INCH, "inlbs": POUND * GRAVITY * INCH,
    "ozin": POUND / 16 * GRAVITY * INCH, "inoz": POUND / 16 * GRAVITY * INCH,
}  # fmt: skip
FORCE = {"n": 1.0, "kn": 1e3, "mn": 1e-3, "lbf": POUND * GRAVITY, "kgf": GRAVITY}
# what a torque may be recorded as: how many of what a factor must be said for
ELECTRIC = {
    "A": (1.0, "ampere"), "mA": (1e-3, "ampere"), "V": (1.0, "volt"), "mV": (1e-3, "volt"),
    "%": (1.0, "%"), "‰": (0.1, "%"), "0.1%": (0.1, "%"), "0.1 %": (0.1, "%"),
}  # fmt: skip
IN_CAPITALS = {"ma": "mA", "mv": "mV"}  # words of a head lose their capitals, `i1_mA`
COUNTED = ("counts", "count", "ticks", "tick", "increments", "increment", "incs", "inc", "incr", "pulses", "pulse",
           "cts", "quadcounts", "qc", "inkremente", "inkr", "impulse")  # fmt: skip
RPM = ("rpm", "u/min", "1/min", "r/min", "rev/min", "tr/min", "giri/min", "min1", "upm")
OTHER_WORDS = {
    "sec": "s", "secs": "s", "second": "s", "seconds": "s", "msec": "ms", "msecs": "ms", "millisecond": "ms",
    "milliseconds": "ms", "sek": "s", "sekunden": "s", "segundos": "s", "secondes": "s", "secondi": "s",
    "millisekunden": "ms", "usec": "us", "microsecond": "us", "microseconds": "us", "nsec": "ns", "nsecs": "ns",
    "nanosec": "ns", "nanosecond": "ns", "nanoseconds": "ns", "minutes": "min", "radian": "rad", "radians": "rad",
    "degree": "deg", "degrees": "deg", "degs": "deg", "°": "deg", "graus": "deg", "grados": "deg",
    "gradi": "deg", "degres": "deg", "rads": "rad", "turn": "rev", "turns": "rev", "umdr": "rev",
    "meter": "m", "meters": "m", "metre": "m", "metres": "m", "newton": "n", "нм": "nm", "рад": "rad", "с": "s",
    "сек": "s", "мс": "ms", "秒": "s", "毫秒": "ms", "ミリ秒": "ms", "초": "s", "graden": "deg", "grader": "deg",
    "stopnie": "deg", "stopni": "deg", "stupne": "deg", "derece": "deg", "град": "deg", "градусы": "deg", "度": "deg",
    "도": "deg",
}  # fmt: skip
OTHER_WORDS = {_without_accents(word): unit for word, unit in OTHER_WORDS.items()}  # where letters are made of parts
SIGNS = str.maketrans({"µ": "u", "μ": "u", "²": "2", "·": "", "⋅": "", "*": "", "^": "", " ": "", "-": "", ".": ""})
EXAMPLES = {"t": "s, ms", "q": "rad, deg, m, mm", "qd": "rad/s, deg/s", "qdd": "rad/s², deg/s²", "tau": "N·m, N"}


class Unit(NamedTuple):
    """`factor` makes it SI, or `asked`: what only the person knows the SI units of (an ampere, a count of an encoder).
    `turns`: of angles, of lengths, of both."""

    factor: float
    turns: bool | None = None
    asked: str = ""


def unit_since_1970(first: float, last: float) -> str:
    """The unit of times that count from 1970, as computers stamp; "" of others."""
    for unit, begin in SINCE_1970.items():
        if begin <= first <= last < CENTURY * begin:
            return unit
    return ""


def unit_of(quantity: str, word: str) -> Unit | None:
    """The unit of this name for the quantity (`t q qd qdd tau`), or None."""
    name = _plain(word)
    if quantity == "t":
        return Unit(TIME[name]) if name in TIME else None
    if quantity == "tau":
        electric = ELECTRIC.get(word.strip())
        return Unit(electric[0], None, electric[1]) if electric else _effort(name)
    order = {"q": 0, "qd": 1, "qdd": 2}[quantity]
    if order == 1 and name in RPM:
        return Unit(2 * pi / 60, True)
    length, per, time = name.partition("/")
    if not order:
        return None if per else _way(length, 1.0)
    squared = order == 2
    found = {"s2" if squared else "s": 1.0, "ms2" if squared else "ms": 1e-3**order}
    if squared:
        found["s/s"] = 1.0
    return _way(length, 1 / found[time]) if time in found else None


def _way(name: str, factor: float) -> Unit | None:
    if name in COUNTED:
        return Unit(factor, None, "count")
    if name in ANGLE:
        return Unit(ANGLE[name] * factor, True)
    return Unit(LENGTH[name] * factor, False) if name in LENGTH else None


def _effort(name: str) -> Unit | None:
    if name in TORQUE:
        return Unit(TORQUE[name], True)
    return Unit(FORCE[name], False) if name in FORCE else None


def _plain(word: str) -> str:
    """`Deg_per_Sec` → `deg/s`, `rad·s^-2` → `rad/s2`, `N·m` → `nm`, `dps` → `deg/s`."""
    german = re.sub(r"\bGrad\b", "deg", word)  # without the capital it is a 400th of a turn, in other languages
    text = _without_accents(german.strip().lower().replace("²", "^2"))
    text = "deg/s" if text == "dps" else text
    text = re.sub(r"[ ·⋅*._]*(?:s|sec)\s*\^?[-−⁻]\^?(1|2|¹|²)$", lambda m: "/s" + ("2" if m[1] in "2²" else ""), text)
    text = re.sub(r"(?:^|[ _])per(?=[ _]|$)", "/", text).replace("_", "").translate(SIGNS)
    whole, slash, below = text.partition("/")
    below = re.sub(r"^(sec|second|sek|с|сек|秒|초)(?=2|/|$)", "s", below)
    return OTHER_WORDS.get(whole, whole) + slash + below


def known_unit(word: str) -> bool:
    """Is it the unit of anything recorded?"""
    return any(unit_of(quantity, word) is not None for quantity in EXAMPLES)


def said_unit(quantity: str, word: object, place: str) -> Unit:
    """A unit that somebody wrote: what is no unit of the quantity is refused."""
    found = unit_of(quantity.removesuffix("_ref"), word) if isinstance(word, str) else None
    if found is None:
        raise InputError(
            "{place}: {word!r} is no unit of {quantity}; such are {examples}",
            place,
            word,
            quantity,
            EXAMPLES[quantity.removesuffix("_ref")],
        )
    return found


# English, and what recorders of other countries write, without accents
QUANTITIES: dict[str, tuple[str, ...]] = {
    "t": ("t", "time", "times", "timestamp", "timestamps", "stamp", "stamps", "clock", "elapsed", "seconds", "secs",
          "sec", "nanosec", "nanosecs", "nsec", "nsecs", "duration", "zeit", "zeitstempel", "dauer", "tempo", "tiempo",
          "temps", "tijd", "czas", "zaman", "время", "时间", "時間", "시간"),
    "q": ("q", "pos", "position", "positions", "angle", "angles", "theta", "θ", "phi", "jpos", "jointpos", "qpos",
          "winkel", "lage", "posicao", "posicoes", "posicion", "posiciones", "angulo", "angulos", "posizione",
          "hoek", "vinkel", "kat", "poloha", "uhel", "acı", "konum", "konumu", "угол", "положение", "角度", "位置",
          "각도", "위치"),
    "qd": ("qd", "dq", "qdot", "vel", "velocity", "velocities", "speed", "speeds", "dtheta", "thetadot", "omega", "qp",
           "qvel", "geschwindigkeit", "drehzahl", "velocidade", "velocidad", "vitesse", "velocita", "snelheid",
           "hastighet", "predkosc", "rychlost", "hız", "скорость", "速度", "속도"),
    "qdd": ("qdd", "ddq", "qddot", "acc", "accel", "acceleration", "accelerations", "ddtheta", "qpp", "qacc",
            "beschleunigung", "aceleracao", "aceleracion", "加速度"),
    "tau": ("tau", "torque", "torques", "trq", "effort", "efforts", "eff", "moment", "moments", "force", "forces", "τ",
            "current", "currents", "amps", "amp", "drehmoment", "momente", "momento", "couple", "coppia", "kraft",
            "forca", "fuerza", "strom", "stroeme", "corrente", "correntes", "corriente", "courant", "par",
            "koppel", "tork", "torku", "момент", "力矩", "扭矩", "转矩", "トルク", "토크", "prad", "stroom", "ток",
            "电流", "電流", "전류"),
}  # fmt: skip
QUANTITY_OF = {_without_accents(word): name for name, words in QUANTITIES.items() for word in words}
FINE_TIMES = frozenset(("nsec", "nsecs", "nanosec", "nanosecs"))  # of a stamp in two columns
ROUGH_TIMES = frozenset(("sec", "secs", "seconds"))
CURRENTS = frozenset(
    {"current", "currents", "amps", "amp", "strom", "stroeme", "corrente", "correntes", "corriente", "courant", "prad",
     "stroom", "ток", "电流", "電流", _without_accents("전류")}
)  # fmt: skip
AMPERES = ("A", "mA")
AXES = ("a", "m")  # letters in front of a number, of axes and moments
WANTED = frozenset(
    ("ref", "reference", "target", "targets", "des", "desired", "cmd", "command", "commanded", "commands", "goal",
     "setpoint", "wanted", "demand", "soll", "sollwert", "referencia", "consigne")
)  # fmt: skip
MEASURED = frozenset(("act", "actual", "meas", "measured", "fb", "feedback", "real", "ist", "istwert", "medido"))
STRANGE = frozenset(  # words of columns that are no joint's measurement
    ("tcp", "tool", "ee", "eef", "cartesian", "cart", "wrench", "ft", "tip", "flange", "error", "err", "std", "noise",
     "sigma", "temp", "temperature", "voltage", "ext", "external", "limit", "limits", "min", "max", "init", "initial",
     "gain", "gains", "friction", "gravity", "model", "pred", "predicted", "residual", "hat", "imu")
)  # fmt: skip
COMMON = frozenset(  # say nothing
    ("joint", "joints", "state", "states", "field", "data", "msg", "axis", "axes", "j", "achse", "achsen", "gelenk",
     "eixo", "junta", "eje", "axe", "enc", "encoder", "encoders", "articulacion", "articulation", "giunto", "asse",
     "as", "osi", "osy", "axel", "eklem", "оси", "关节", "関節", "轴", "軸", _without_accents("관절"))
)  # fmt: skip
DOTS = {("q", "dot"): "qd", ("q", "ddot"): "qdd", ("theta", "dot"): "qd", ("theta", "ddot"): "qdd", ("q", "dd"): "qdd"}
PARTS = frozenset(  # that stand in one word with others, as in Istposition, Gelenkwinkel, qmeas
    {word for word, name in QUANTITY_OF.items() if name != "t" and (len(word) > 2 or name != "tau" or word > "z")}
    | {*WANTED, *MEASURED, *STRANGE, *COMMON, "achs", "antriebs", "motor"}
) - {"msg", "ee", "ft", "qp", "phi", "as", "par", "kat"}  # fmt: skip
PREFIXED_UNIT = r"(?<![^\W\d_])(?:[mk]Nm|m[AV])(?![^\W\d_])"  # one word, in which capitals say what it is
WORD = re.compile(PREFIXED_UNIT + r"|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+|%")
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
    """In brackets behind a head, where a unit would be, but not one: no number, joint or word of a quantity."""
    bare = text.strip().strip("\"'").strip()
    found = UNIT.search(bare)
    inner = (found[1] or found[2] or "") if found else ""
    told = {*QUANTITY_OF, *COMMON, *MEASURED, *WANTED, *(word for joint in joints for word in words_of(joint))}
    words = words_of(inner)
    explained = any(word.isdigit() for word in words) or set(words) <= told
    return "" if (explained and words) or known_unit(inner) else inner


def words_of(text: str) -> tuple[str, ...]:
    """`jointPos1` → joint, pos, 1; `q_dot_1` → qd, 1; `Istposition_A1` → ist, position, a, 1."""
    words = [part for word in WORD.findall(_without_accents(text)) for part in _parts_of(word.lower())]
    found: list[str] = []
    for word in words:
        if found and (found[-1], word) in DOTS:
            found[-1] = DOTS[found[-1], word]
        elif word == "dot" and found and found[-1] == "qd":
            found[-1] = "qdd"
        else:
            found.append(word)
    return tuple(found)


@lru_cache(maxsize=4096)
def _parts_of(word: str) -> tuple[str, ...]:
    """A word made of words of recordings in these, the longest first; any other word as it is."""
    known = word in QUANTITY_OF or word in PARTS or unit_of("tau", word) is not None
    return (word,) if known or not word.isalpha() else _split_word(word) or (word,)


def _split_word(word: str) -> tuple[str, ...]:
    """All of the word in parts, or nothing."""
    for count in range(len(word), 0, -1):
        if word[:count] in PARTS:
            rest = _split_word(word[count:]) if count < len(word) else ()
            if rest or count == len(word):
                return (word[:count], *rest)
    return ()


def meaning_of(words: Sequence[str], unit: str) -> Meaning | None:
    """What words say besides the joint's own: None without a quantity, with two, or with a word of something else."""
    named = [k for k, word in enumerate(words) if word in QUANTITY_OF]
    if not named and not unit:
        words, unit = _unit_alone(words)
    if len({QUANTITY_OF[words[k]] for k in named}) > 1:  # the current position is no current
        named = [k for k in named if words[k] not in CURRENTS]
    kinds = {QUANTITY_OF[words[k]] for k in named}
    if not named and unit in AMPERES and any(word.isdigit() for word in words):  # i1 [A]
        kinds = {"tau"}
    elif not named:
        kinds = _by_unit(words, unit)
    if len(kinds) != 1 or STRANGE & set(words):
        return None
    quantity = kinds.pop()
    rest = [word for k, word in enumerate(words) if k not in named]
    if not unit:
        rest, unit = _unit_behind(rest, quantity)
    if WANTED & set(rest):
        quantity += "_ref"
    word = " ".join(words[k] for k in named) or ("current" if unit in AMPERES else quantity)
    return Meaning(quantity, unit, word, tuple(rest))


def _by_unit(words: Sequence[str], unit: str) -> set[str]:
    """`J1 [deg]`, `A1 [°]`, `X act [mm]`: a joint's number, or its name and a word of measuring, and a
    unit that one quantity alone has."""
    numbered = [x for x, behind in pairwise(words) if x in AXES and behind.isdigit()]
    names = [x for x in words if not x.isdigit() and x not in COMMON and x not in numbered]
    measured = [x for x in names if x in MEASURED | WANTED]
    if not unit or unit == "%" or len(names) > (2 if measured else 0):
        return set()
    if not any(x.isdigit() for x in words) and len(measured) != 1:
        return set()
    return {quantity for quantity in ("q", "qd", "qdd", "tau") if unit_of(quantity, unit) is not None}


def _unit_alone(words: Sequence[str]) -> tuple[Sequence[str], str]:
    """`J1_deg`, `i1_mA`: a unit behind a number that has a letter or a word of its own; else nothing."""
    for quantity in ("q", "qd", "qdd", "tau"):
        rest, unit = _unit_behind(list(words), quantity)
        if unit and any(word.isdigit() for word in rest) and not all(word.isdigit() for word in rest):
            return rest, unit
    return words, ""


def _unit_behind(rest: list[str], quantity: str) -> tuple[list[str], str]:
    """`pos_deg`, `vel_deg_per_s`, `time_ms`: the last words, if they are a unit; of single letters only s and % are."""
    letters = [k for k, word in enumerate(rest) if not word.isdigit()]
    for count in (3, 2, 1):
        tail = letters[-count:]
        words = [rest[k] for k in tail]
        if len(tail) < count or (count == 1 and len(words[0]) == 1 and words[0] not in "s%"):
            continue
        squared = quantity == "qdd" and rest[tail[-1] + 1 : tail[-1] + 2] == ["2"]
        text = (" per ".join(words) if count == 2 else " ".join(words)) + ("2" if squared else "")
        text = IN_CAPITALS.get(text, text)
        if unit_of(quantity, text) is not None:
            gone = {*tail, tail[-1] + 1} if squared else set(tail)
            return [word for k, word in enumerate(rest) if k not in gone], text
    return list(rest), ""


def label(rest: Iterable[str]) -> str:
    """What is left when no robot is at hand: the joint's name."""
    return "_".join(word for word in rest if word not in MEASURED | WANTED)


# Names of joints within the words of a head, and as other files write them.


def joints_in(words: Sequence[str], names: Sequence[str]) -> list[tuple[str, tuple[str, ...]]]:
    """The robot's joints that words name, with the words left over: those that take most words."""
    found = [(joint, rest) for joint in names for form in _forms(joint) if (rest := without(words, form)) is not None]
    fewest = min((len(rest) for _, rest in found), default=0)
    return [(joint, rest) for joint, rest in found if len(rest) == fewest]


def _forms(joint: str) -> list[tuple[str, ...]]:
    """A joint's name in words, with and without those that every joint has: `shoulder_pan_joint`, `shoulder_pan`."""
    words = words_of(joint)
    short = tuple(word for word in words if word not in COMMON)
    return [words, short] if short != words and any(not word.isdigit() for word in short) else [words]


def robots_name(name: str, names: Sequence[str]) -> str:
    """A joint's name in the file as the robot has it; as it is where the robot has no joint, or several, like it."""
    if name in names:
        return name
    found = {joint for joint, _ in joints_in(words_of(name), names)}
    return found.pop() if len(found) == 1 else name


def without(words: Sequence[str], part: Sequence[str]) -> tuple[str, ...] | None:
    """The words without these, which must follow each other there; None where they do not."""
    for k in range(len(words) - len(part) + 1 if part else 0):
        if tuple(words[k : k + len(part)]) == tuple(part):
            return (*words[:k], *words[k + len(part) :])
    return None
