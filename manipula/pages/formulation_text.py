"""The choices of a formulation in words, as a list to read."""

from __future__ import annotations

from collections.abc import Iterable

from manipula.algebra.expr.provenance import Answered

# question → answer ("*": any) → what it means; {links} are the links it was chosen for, {answer} the answer
WORDS: dict[str, dict[str, str]] = {
    "frames": {"joints": "every link frame lies on its joint"},
    "masses": {"regrouped": "base parameters: inertia along a joint axis is added to the previous link"},
    "axis": {
        "first": "{links}: carries on its axis the first moment of the link before along it, which becomes zero",
        "second": "{links}: carries on its axis the second moment of the link before along it, which becomes zero",
        "both": "{links}: carries on its axis both moments of the link before along it, which become zero",
    },
    "gauge": {
        "*": "a fictitious mass on a joint makes a moment (y …) or the mass (m) of the link before zero: {answer}"
    },
    "unit": {"*": "lengths are scaled by one link length ({answer}), which removes a multiplication"},
    "slide": {
        "back": "{links}: frame slid along its axis; the lever before it loses a component",
        "forth": "{links}: frame slid along its axis; the lever behind it loses a component",
    },
    "share": {
        "own": "{links}: inertial wrench in the link's own axes",
        "run": "{links}: the inertia is taken to the foot and the axes of the parallel joints, "
        "not the motion to the link's",
    },
    "lever": {
        "own": "{links}: lever to the next joint in the link's own axes",
        "run": "{links}: the lever to the next joint is turned, not the motion",
        "polar": "{links}: the lever to the next joint is turned in polar form, not the motion",
    },
    "spin": {
        "kept": "{links}: keeps all its inertia",
        "handed": "{links}: the part symmetric about the axis is handed to the link before",
        "handed x": "{links}: a disc as wide as the link's Kxx is handed to the link before, so that Kxx is zero",
        "handed y": "{links}: a disc as wide as the link's Kyy is handed to the link before, so that Kyy is zero",
    },
    "run": {
        "joined": "{links}: shares the axes of the parallel joint before",
        "apart": "{links}: has axes of its own though the joint before is parallel",
    },
    "moment": {
        "field": "{links}: moment about the axis from the acceleration field",
        "squares": "{links}: moment about the axis from products of the angular velocity",
    },
}


def choices_in_words(answers: Iterable[Answered]) -> list[str]:
    """One line a choice, links with the same choice together; a question without words is printed as it is."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for kind, link, answer in answers:
        grouped.setdefault((kind, answer), []).extend([str(link)] if link else [])
    return [_line(kind, answer, links) for (kind, answer), links in grouped.items()]


def _line(kind: str, answer: str, links: list[str]) -> str:
    known = WORDS.get(kind, {})
    text = known.get(answer, known.get("*"))
    where = f"link{'s' if len(links) > 1 else ''} {', '.join(links)}"
    if text is None:
        return f"{kind} {', '.join(links)}".rstrip() + f": {answer}"
    return text.format(links=where, answer=answer)
