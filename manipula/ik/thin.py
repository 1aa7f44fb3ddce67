"""Closed form, choice among its branches and thin call as one piece of machine code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from manipula.algebra.run.compiled import Compiled
from manipula.ik.choice.text import choose, gather, rank, seat
from manipula.ik.inverse import InverseSolver

if TYPE_CHECKING:
    from manipula.algebra.run.inverse_call import InverseCall


def thin_code(solver: InverseSolver, closed: Compiled, pose: Compiled) -> InverseCall | None:
    """None where there is no LLVM. The values of a redundant arm's parameter are the general call's business."""
    if solver.plan.parameter:
        return None
    try:
        from manipula.algebra.run.inverse_call import inverse_call
    except (ImportError, OSError):
        return None
    return inverse_call(closed, pose, (choose, seat, rank, gather), solver.table)
