"""Names people recognise: how the symbols of a model are read and set."""

from __future__ import annotations

import re
from collections.abc import Sequence

from manipula.algebra.expr.function import Function
from manipula.algebra.simplify.tree import Symbol, Trig

GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "theta": "θ", "kappa": "κ",
    "lambda": "λ", "mu": "μ", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "psi": "ψ", "omega": "ω", "pi": "π",
}  # fmt: skip
NameParts = tuple[str, str, int]  # a letter, its index, the dots above it
_SPLIT = re.compile(r"([A-Za-z]+)(\d*)(?:_([A-Za-z0-9]{1,2}))?")
_INSIDE = re.compile(r"([A-Za-z])(\d+[a-z]{1,2})")  # I2y
_OF_ANGLES = re.compile(r"[cs]_?m?\d+(_?m\d+|_\d+)+")  # c12m4, s1_12: sums and differences of angles
_WORDS = re.compile(r"((?!q)[A-Za-z]{2,}_[A-Za-z]+)(\d*)")  # gravity_g1: words joined, not a letter and its axis
_WANTED = re.compile(r"(q)(d{0,2})_ref(\d+)")  # what a law is to follow
_RATES = re.compile(r"(q)(d{1,2})")
# a letter and its index: I, L, K with their axes, centres r, first moments m, gravity g, motor inertia Ia, friction f
_INDEXED = re.compile(r"([IKL])([xyza]{1,2})|([rmg])([xyz])|(f)([a-z][pm]?)")


def split_name(name: str) -> NameParts:
    """(letter, index, dots): Ixx2 → (I, xx2, 0), qdd1 → (q, 1, 2), w3_x → (w, 3x, 0)"""
    if _OF_ANGLES.fullmatch(name):
        return name[0], re.sub(r"_?m", "-", name[1:]).replace("_", ","), 0
    words = _WORDS.fullmatch(name)
    if words:
        return words[1], words[2], 0
    wanted = _WANTED.fullmatch(name)
    if wanted:
        return wanted[1], f"ref{wanted[3]}", len(wanted[2])
    inside = _INSIDE.fullmatch(name)
    if inside:
        return inside[1], inside[2], 0
    match = _SPLIT.fullmatch(name)
    if match is None:
        return name, "", 0
    word, digits, suffix = match[1], match[2], match[3] or ""
    rate = _RATES.fullmatch(word)
    if rate:
        return rate[1], digits + suffix, len(rate[2])
    indexed = _INDEXED.fullmatch(word)
    if indexed:
        letter, axes = (part for part in indexed.groups() if part)
        return letter, axes + digits + suffix, 0
    return word, digits + suffix, 0


def trig_name(tree: Trig) -> str:
    """c2 for cos(q2), s23 for sin(q2 + q3), c2m3 for cos(q2 − q3); c1_12 past nine joints; else nothing."""
    parts: list[tuple[int, int]] = []
    for leaf, times in tree.angle:
        match = re.fullmatch(r"q(\d+)", leaf.name) if isinstance(leaf, Symbol) and abs(times) == 1 else None
        if match is None:
            return ""
        parts.append((int(match[1]), times))
    parts.sort()
    joiner = "_" if len(parts) > 1 and parts[-1][0] > 9 else ""
    return tree.op[0] + joiner.join(("m" if times < 0 else "") + str(joint) for joint, times in parts)


def entry_names(function: Function) -> frozenset[str]:
    """As outputs without and with one index are written: v, or tau1, tau2, …; entries of a matrix have brackets."""
    names = {port.name for port in function.outputs if not port.shape}
    vectors = (port for port in function.outputs if len(port.shape) == 1)
    return frozenset(names.union(f"{port.name}{i}" for port in vectors for i in range(1, port.shape[0] + 1)))


def book_names(letters: Sequence[str], taken: frozenset[str]) -> dict[str, NameParts]:
    """θ1 for q1, ḋ3 for qd3, by the letter of each; one whose name a parameter has already stays as it is. θ̇ for
    thetad, all of them together."""
    rates = {letter + "d" * dots: (letter, "", dots) for letter in letters for dots in (1, 2)}
    found: dict[str, NameParts] = {name: parts for name, parts in rates.items() if name not in taken}
    for number, letter in enumerate(letters, 1):
        if taken.isdisjoint(letter + "d" * dots + str(number) for dots in range(3)):
            found |= {f"q{'d' * dots}{number}": (letter, str(number), dots) for dots in range(3)}
    return found
