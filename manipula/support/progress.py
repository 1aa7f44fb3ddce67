"""How long a search may go on, from which random numbers, and who hears of it: one value from the caller inward."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

Tell = Callable[[str], None]
Stop = Callable[[], bool]


def silent(text: str) -> None:
    """Nobody listens."""


def never() -> bool:
    """Nobody asks a search to end."""
    return False


@dataclass(frozen=True)
class Effort:
    """Limits of a search: `moves` of one worker, `seconds` by the clock; without either the searcher's own apply.

    The same seed and number of moves give the same result. `tell` hears of progress; `stop` is asked whether to end.
    """

    moves: int | None = None
    seconds: float | None = None
    seed: int = 0
    tell: Tell = silent
    stop: Stop = never

    def part(self, share: float, seed: int) -> Effort:
        """That share of the limits, from another seed; nobody hears of it."""
        moves = self.moves and max(int(self.moves * share), 1)
        return replace(self, moves=moves, seconds=self.seconds and self.seconds * share, seed=seed, tell=silent)


DEFAULT_EFFORT = Effort()  # the searcher's own limits, and silence
