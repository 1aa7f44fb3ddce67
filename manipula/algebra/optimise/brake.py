"""Whether a search is to end: because someone asks for it, or because of an interrupt; and whether that happened."""

from __future__ import annotations

from threading import Event

from manipula.support.progress import Stop, never


class Brake:
    """Once pressed it stays so. Who is called with a `stop` may get one."""

    def __init__(self, asked: Stop = never) -> None:
        self._asked, self._pressed = asked, Event()

    def __call__(self) -> bool:
        if not self._pressed.is_set() and self._asked():
            self._pressed.set()
        return self._pressed.is_set()

    def press(self) -> None:
        self._pressed.set()

    @property
    def pressed(self) -> bool:
        """Did a search see it? What is asked for after the end was not in time."""
        return self._pressed.is_set()


def brake_from(stop: Stop) -> Brake:
    return stop if isinstance(stop, Brake) else Brake(stop)
