"""Names of what is recorded, and their units, as they stand in files that are written here."""

from __future__ import annotations

from collections.abc import Sequence

MEASURED = ("q", "qd", "qdd", "tau")
WANTED = ("q_ref", "qd_ref", "qdd_ref")
OWN = "manipula"  # the entry of an archive that says: these names, SI units


def si_unit(name: str, turns: bool) -> str:
    """The SI unit of a joint's quantity."""
    length, effort = ("rad", "N·m") if turns else ("m", "N")
    rates = {"q": length, "qd": f"{length}/s", "qdd": f"{length}/s²", "tau": effort}
    return rates[name.removesuffix("_ref")]


def own_heads(heads: Sequence[str]) -> bool:
    """Are these the heads of a table that was written here?"""
    return bool(heads) and heads[0] == "t [s]" and any(head in ("q1 [rad]", "q1 [m]") for head in heads)
