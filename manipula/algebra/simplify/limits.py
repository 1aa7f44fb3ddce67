"""How long a form for people may get, and how much work may go into it.

All are counts, not seconds: the same request is answered or refused alike on any machine. A polynomial is expanded much
faster than it is shortened, factored and printed, so its length is known first: what is too long is refused within a
second or two, what is not is written within ten (`bench/equations.py` measures every model of every robot that ships).
"""

from __future__ import annotations

from dataclasses import dataclass

from manipula.errors import SizeError

EXPANDED_TERMS = 10_000  # of all outputs together, before sums of angles shorten them
FACTORED_TERMS = 8_000  # the same, where brackets are searched
SHORT_TERMS = 4_000  # after sums of angles have shortened them, where brackets are searched
WRITTEN_OPERATIONS = 20_000  # of all outputs together, where the graph's own brackets are kept
CALLS = 5_000  # roots, branches and the like as often as they are written, one in the other
LONG = 1_000  # terms past which the factor of every rate and acceleration is searched by itself
WORK = 12_000_000  # products of terms
MOVES = 30_000  # terms written anew in other angles
SHORT = 40  # terms up to which every pair of angles is tried, not the best alone
SHORTEST = 6  # terms up to which it is tried always


@dataclass
class Work:
    """What may be spent on expanding one function."""

    left: int = WORK

    def take(self, products: int) -> None:
        self.left -= products
        if self.left < 0:
            raise SizeError("to multiply it out takes more than {work:,} products of terms", WORK)


def rounded(size: int) -> str:
    """1,234,000: three digits tell enough; past a milliard the power of ten."""
    if size >= 10**9:
        return f"10^{len(str(size)) - 1}"
    return f"{round(size, 3 - len(str(size))):,}" if size > 999 else str(size)
