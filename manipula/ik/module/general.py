"""Six turning joints without a closed form, in a robot's module: the solver by elimination, as emitted C has it."""

from __future__ import annotations

from typing import Any

import numpy as np

from manipula.algebra.expr.function import Function
from manipula.errors import InputError
from manipula.generation.prepare import Prepared
from manipula.generation.structure import numeric_chain
from manipula.ik.choice.text import wind
from manipula.ik.general6r.emitted import METHOD, is_general
from manipula.ik.general6r.solver import General6R
from manipula.ik.general6r.text.collect import MOST
from manipula.ik.general6r.text.solve import solve_pose
from manipula.ik.module.enclosing import enclosed
from manipula.ik.module.tasks import numbers, pairs_of_limits
from manipula.ik.numeric.limits import bounds, limit_rows

QUICK = "none"  # the level at which nobody waits for eliminations to be compared, which takes seconds


def general_texts(asked: Prepared, pose: Function) -> tuple[str, dict[str, Any]] | None:
    """The solver's text, and what its template asks for; None where an arm is of another kind."""
    if not is_general(asked):
        return None
    if any(not port.online for port in pose.inputs):
        raise InputError("by {method}, which needs a value for every length", METHOD)
    if asked.request.optimise == QUICK:
        raise InputError("by {method}, which takes a while to prepare: it comes with optimise='fast'", METHOD)
    chain = numeric_chain(asked.robot)
    low, high = bounds(pairs_of_limits(asked.robot), chain.dof)
    turning, still = np.ones(chain.dof, dtype=bool), np.full(chain.dof, np.inf)
    tables = {name: numbers(table.tolist()) for name, table in General6R(chain).tables._asdict().items()}
    rows = {"inside": limit_rows(turning, low, high), "anywhere": limit_rows(turning, -still, still)}
    facts = {"tables": tables, "most": MOST, **{name: numbers(x.tolist()) for name, x in rows.items()}}
    return enclosed(solve_pose, wind), facts
