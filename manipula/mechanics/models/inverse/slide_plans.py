"""Plans for two or three joints with slides among them: which of the ways of `slides` an arm has."""

from __future__ import annotations

from collections.abc import Iterator

from manipula.mechanics.models.inverse.plan import Plan
from manipula.mechanics.models.inverse.view import LoopView
from manipula.messages import Message


def slide_plans(view: LoopView) -> Iterator[Plan]:
    """None without a slide, and none where slides are parallel: such an arm can move with its tool at rest."""
    kinds = view.kinds
    if "P" not in kinds:
        return
    title, turning = Message("{n} joints with slides", len(kinds)), [k for k, kind in enumerate(kinds) if kind == "R"]
    if len(turning) == 2 and view.along(view.from_to(*turning)):
        if len(kinds) > 2:
            leans = view.leans(view.from_to(*sorted((kinds.index("P"), turning[0])))[2])
            case, words = (
                (f"{kinds} leaning", Message("leans on them"))
                if leans
                else (f"{kinds} flat", Message("is square to them"))
            )
            said = Message(
                "axes {turning} and {turning2} are parallel; {sliding} and {words}",
                turning[0] + 1,
                turning[1] + 1,
                _sliding(kinds),
                words,
            )
            yield Plan("with slides", case, title, said, () if leans else ("slide",))
    elif _independent(view, kinds):
        slide = _sliding(kinds)
        sentence = Message("the orientation gives what turns; {sliding}", slide) if turning else slide
        yield Plan("with slides", "", title, sentence)


def _sliding(kinds: str) -> str:
    *most, last = (str(k + 1) for k, kind in enumerate(kinds) if kind == "P")
    return Message("{most} and {last} slide", ", ".join(most), last) if most else Message("{last} slides", last)


def _independent(view: LoopView, kinds: str) -> bool:
    """Whether no slide repeats what others do, but for single configurations of what turns between them."""
    sliding = [k for k, kind in enumerate(kinds) if kind == "P"]
    if len(sliding) < 2:
        return True
    if len(sliding) == 3:
        b, c = view.from_to(0, 1), view.from_to(0, 2)
        return view.leans(b[0] * c[1] - b[1] * c[0])
    if sliding == [0, 2]:  # an axis turns between them: they are one only if both slide along it
        return not all(view.along(view.from_to(k, k + 1)) for k in (0, 1))
    return any(map(view.leans, view.from_to(*sliding)[:2]))
