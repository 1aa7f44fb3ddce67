"""Closed form and choice among its branches as one piece of machine code: with a thin call, and for many poses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from manipula.algebra.run.compiled import Compiled
from manipula.ik.choice.text import choose, choose_each, gather, rank, seat
from manipula.ik.solver import Solver

if TYPE_CHECKING:
    from manipula.algebra.run.inverse_batch import ManyTargets
    from manipula.algebra.run.inverse_call import InverseCall


def thin_code(solver: Solver, closed: Compiled, pose: Compiled) -> InverseCall | None:
    """None where there is no LLVM. The values of a redundant arm's parameter are the general call's business."""
    if solver.plan.parameter:
        return None
    try:
        from manipula.algebra.run.inverse_call import inverse_call
    except (ImportError, OSError):
        return None
    return inverse_call(closed, pose, (choose, seat, rank, gather), solver.table)


def code_for_many(solver: Solver) -> ManyTargets | None:
    """None where the solver's functions are not compiled by LLVM; `choosing` then does the same on arrays."""
    closed, pose = solver.closed, solver.pose
    if not isinstance(closed, Compiled) or not isinstance(pose, Compiled) or {closed.backend, pose.backend} != {"llvm"}:
        return None
    from manipula.algebra.run.inverse_batch import ManyTargets

    return ManyTargets(closed, pose, choose_each, solver.table)
