"""Arms without a closed form whose solutions can be counted: six turning joints, or what can be made of six."""

from __future__ import annotations

from collections.abc import Sequence

from manipula.errors import InputError
from manipula.ik.general6r.fixed_joint import first_six, fixed_joint_solutions
from manipula.ik.general6r.solver import General6R
from manipula.ik.numeric.arrays import Floats
from manipula.ik.padded import padded_solutions, with_six
from manipula.ik.solver import Solver
from manipula.mechanics.models.inverse.plan import ArmKind, Plan
from manipula.mechanics.robot.tree import Tree


def general_solver(plan: Plan, chain: Tree) -> General6R | None:
    """Elimination and eigenvalues: for six turning joints, for those before a fixed one, or for fewer made six.

    None for other arms, and for those that are singular everywhere.
    """
    made = {ArmKind.SIX: lambda chain: chain, ArmKind.HELD: first_six, ArmKind.FEWER: with_six}
    if plan.kind not in made:
        return None
    six = made[plan.kind](chain)
    try:
        return General6R(six)
    except InputError:  # an arm that is singular everywhere
        return None


def counted_solutions(
    general: General6R | None, solver: Solver, T: Floats, values: Floats | None
) -> Sequence[Floats | None]:
    """All solutions of poses (n, 4, 4); None where elimination does not apply or the count is not full."""
    if general is None:
        return [None] * len(T)
    if values is not None:
        return fixed_joint_solutions(general, solver.chain, T, values)
    if solver.plan.pad is not None:
        return padded_solutions(general, solver, T)
    return [answer.q if answer.info.complete else None for answer in general.solve_many(T)]
