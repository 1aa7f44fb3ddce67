"""Ways to multiply the elementary transforms into pose_world_tool; they differ only in what they cost.

The five ways of Lopes da Silva (dissertation, UNICAMP 1990), three more, and any bracketing of the product:

    forward                ((T1 T2) T3) …                  base → tool
    forward-cross          the same, third column = first × second at every step
    backward               … (Tn−2 (Tn−1 Tn))              tool → base
    backward-cross         the same without third columns; regenerated once, at the end
    merged                 forward, after runs of parallel axes were merged: cos(θ2+θ3) …
    merged-backward        tool → base over such runs; a run turns what is beyond it by the sum of its angles
    merged-backward-cross  the same without second columns: the last joint's own axis is the cheapest to carry
    merged-apart           the same, the position worked out apart; constant levers turned in polar form

Base and tool, where there are any, are constant factors more at either end.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import pairwise

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.models.entry import APART, TOOL, Method, ModelEntry
from manipula.mechanics.models.kinematics.pose_apart import (
    Passed,
    Run,
    merged_apart,
    parallel_runs,
    regenerate_column,
    without,
)
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.placement import HERE, Placement
from manipula.scalar import Maths, Scalar

# The orders in which a product of n matrices can be bracketed: Catalan(n−1) binary trees, as trees and as text.
#
# A tree is the number of a factor (1…n) or a pair of trees. `"((1 2)(3 4))(5 6)"` is (((1, 2), (3, 4)), (5, 6)).

Brackets = int | tuple["Brackets", "Brackets"]
_TOKEN = re.compile(r"[()]|\d+|\s+|,|(?P<odd>.)", re.DOTALL)


def bracketings(n: int) -> Iterator[Brackets]:
    """Every bracketing of factors 1…n (42 for n = 6), from right-nested to left-nested."""
    return _between(1, n)


def _between(first: int, last: int) -> Iterator[Brackets]:
    if first == last:
        yield first
    for cut in range(first, last):
        for left in _between(first, cut):
            for right in _between(cut + 1, last):
                yield (left, right)


def text_from_bracketing(tree: Brackets) -> str:
    """`"((1 2)(3 4))(5 6)"`; `parse_bracketing` reads it back."""
    if isinstance(tree, int):
        return str(tree)
    left, right = (text_from_bracketing(part) for part in tree)
    left, right = (text if isinstance(part, int) else f"({text})" for part, text in zip(tree, (left, right)))
    return f"{left} {right}" if isinstance(tree[0], int) and isinstance(tree[1], int) else f"{left}{right}"


def parse_bracketing(text: str, n: int) -> Brackets:
    """The tree of a text over factors 1…n, each once and in order. Raises `InputError` that says what is wrong."""
    tree = _group(text, _tokens(text), nested=False)
    found = list(_leaves(tree))
    if found != list(range(1, n + 1)):
        wanted = " ".join(map(str, range(1, n + 1)))
        have = " ".join(map(str, found))
        raise InputError(
            "the bracketing {text!r} multiplies {have}; this arm needs {wanted}, in this order", text, have, wanted
        )
    return tree


def _tokens(text: str) -> list[str]:
    """Numbers and parentheses, last first, so that `pop` reads them."""
    tokens = []
    for match in _TOKEN.finditer(text):
        if match["odd"]:
            raise InputError(
                "the bracketing {text!r} holds {match!r}; only numbers and parentheses are allowed", text, match["odd"]
            )
        if match[0].strip(", \t\r\n"):
            tokens.append(match[0])
    return tokens[::-1]


def _group(text: str, tokens: list[str], *, nested: bool) -> Brackets:
    """What is between two parentheses, or in the whole text: one factor, or two to multiply."""
    items: list[Brackets] = []
    while tokens and tokens[-1] != ")":
        token = tokens.pop()
        items.append(_group(text, tokens, nested=True) if token == "(" else int(token))
    if bool(tokens) != nested:
        raise InputError(
            (
                "the bracketing {text!r} has a parenthesis that is never closed"
                if nested
                else "the bracketing {text!r} has a parenthesis that was never opened"
            ),
            text,
        )
    if nested:
        tokens.pop()
    return _one_or_two(text, items)


def _one_or_two(text: str, items: list[Brackets]) -> Brackets:
    match items:
        case [only]:
            return only
        case [left, right]:
            return left, right
    raise InputError(
        "the bracketing {text!r} multiplies {count} factors at once; a parenthesis holds exactly two, "
        "as in '((1 2)(3 4))(5 6)'",
        text,
        len(items),
    )


def _leaves(tree: Brackets) -> Iterator[int]:
    if isinstance(tree, int):
        yield tree
    else:
        for part in tree:
            yield from _leaves(part)


Way = Callable[[Tree, Sequence[Scalar]], Placement]


def forward(chain: Tree, q: Sequence[Scalar]) -> Placement:
    """Base → tool."""
    return _from_left(_factors(chain, chain.elementary(q)))


def backward(chain: Tree, q: Sequence[Scalar]) -> Placement:
    """Tool → base."""
    return _from_right(_factors(chain, chain.elementary(q)))


def forward_cross(chain: Tree, q: Sequence[Scalar]) -> Placement:
    """Base → tool; an orthonormal frame's third column is first × second."""
    return reduce(lambda a, b: regenerate_column(a @ without(b, 2), 2), _factors(chain, chain.elementary(q)))


def backward_cross(chain: Tree, q: Sequence[Scalar]) -> Placement:
    """Tool → base; a left factor never asks for the third column of the right one."""
    *left, last = _factors(chain, chain.elementary(q))
    return regenerate_column(_from_right([*left, without(last, 2)]), 2)


def pose_by_runs(chain: Tree, q: Sequence[Scalar]) -> Placement:
    """Base → tool over runs of parallel axes."""
    return _from_left(_factors(chain, [_run_times(run, HERE, chain.maths) for run in parallel_runs(chain, q)]))


def merged_backward(chain: Tree, q: Sequence[Scalar]) -> Placement:
    """Tool → base over runs of parallel axes."""
    return _runs_times(chain, q, chain.tool)


def merged_backward_cross(chain: Tree, q: Sequence[Scalar]) -> Placement:
    """Tool → base over runs of parallel axes; the second column is third × first."""
    return regenerate_column(_runs_times(chain, q, without(chain.tool, 1)), 1)


def pose_by_brackets(tree: Brackets) -> Way:
    """The way that multiplies the elementary transforms as the tree says, then base and tool."""

    def product(part: Brackets, T: Sequence[Placement]) -> Placement:
        return T[part - 1] if isinstance(part, int) else product(part[0], T) @ product(part[1], T)

    return lambda chain, q: _from_left(_factors(chain, [product(tree, chain.elementary(q))]))


WAYS: dict[str, Way] = {
    "forward": forward,
    "forward-cross": forward_cross,
    "backward": backward,
    "backward-cross": backward_cross,
    "merged": pose_by_runs,
}
FURTHER_WAYS: dict[str, Way] = {
    "merged-backward": merged_backward,
    "merged-backward-cross": merged_backward_cross,
    "merged-apart": merged_apart,
}


def way_from_name(name: str, dof: int) -> Way:
    """A way by its name, or by a bracketing such as `"((1 2)(3 4))(5 6)"` of the links' transforms."""
    known = WAYS | FURTHER_WAYS
    if name in known:
        return known[name]
    if any(character in "()0123456789" for character in name):
        return pose_by_brackets(parse_bracketing(name, dof))
    raise UnknownNameError("way to compute the pose", name, [*known, "or a bracketing such as '(1 2)3'"])


def _factors(chain: Tree, links: Sequence[Placement]) -> list[Placement]:
    """What is to be multiplied: base, links, tool; an absent base or tool is no factor."""
    return [T for T in (chain.base, *links, chain.tool) if T is not HERE] or [HERE]


def _from_left(T: Sequence[Placement]) -> Placement:
    return reduce(Placement.__matmul__, T)


def _from_right(T: Sequence[Placement]) -> Placement:
    return reduce(lambda product, left: left @ product, reversed(T))


def _run_times(run: Run, beyond: Placement, maths: Maths[Scalar]) -> Placement:
    """The run's transform, from before its first joint to after its last, times what is beyond it."""
    state = Passed().past_joint(*run[0], maths)
    for (previous, _), (link, q) in pairwise(run):
        state = state.past_placement(previous.after @ link.before, maths).past_joint(link, q, maths)
    return run[0][0].before @ state.past_placement(run[-1][0].after @ beyond, maths).placement(maths)


def _runs_times(chain: Tree, q: Sequence[Scalar], beyond: Placement) -> Placement:
    """All runs, from the last to the first, and the base, times what is beyond."""
    for run in reversed(parallel_runs(chain, q)):
        beyond = _run_times(run, beyond, chain.maths)
    return chain.base @ beyond


_ALL_WAYS = WAYS | FURTHER_WAYS


def _pose(way: Way) -> Method:
    return lambda chain, x: {"T": way(chain.road(), chain.along_road(x["q"])).rows()}


ENTRIES = (
    ModelEntry(
        "pose", "pose of the tool in the world", ("q",), {"T": ("1, m", "4×4 homogeneous matrix, world → tool")},
        {name: _pose(way) for name, way in _ALL_WAYS.items()}, TOOL,
        candidates=tuple(name for name in _ALL_WAYS if name != APART), further=(APART,), trees=tuple(_ALL_WAYS),
        floating="kinematics",
    ),
)  # fmt: skip
