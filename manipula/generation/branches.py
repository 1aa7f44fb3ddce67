"""Branches on a base that stands still: each is a function of its own, searched alone, and all are put together.

No torque of one leg depends on another leg where their base does not move. A search that sees all legs at once shares
its moves and its choices (which length is the unit, which inertia goes where) among them; alone each leg gets what it
would get as an arm. The joined function is proved against the plain model of the whole robot like any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from manipula.algebra.expr.function import Function, Output, is_online, moved_to
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.expr.provenance import Provenance
from manipula.generation.build import input_of
from manipula.generation.prepare import Prepared
from manipula.mechanics.models.ports import PORTS
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.locks import with_locks
from manipula.mechanics.robot.topology import moving_parents
from manipula.mechanics.robot.values.parameter import Num

# models whose outputs have an entry a joint, which its own branch alone decides
APART = ("inverse_dynamics", "inverse_dynamics_smooth", "gravity", "coriolis")
Branch = tuple[int, ...]  # its joints, counted among those that move


def branches_of(asked: Prepared) -> list[Branch]:
    """The joints of every branch; none where the robot is one, or where its branches are not independent in numbers.

    With letters, names of parameters count the joints: a branch would call them otherwise.
    """
    robot, request = asked.robot, asked.request
    held = robot.moving or robot.loops or robot.elements or robot.coordinates.followers or asked.parameters
    if held or request.model not in APART or request.wrench or request.frames:
        return []
    roots: list[int] = []
    for joint, parent in enumerate(moving_parents(robot)):
        roots.append(joint if parent < 0 else roots[parent])
    found = [tuple(joint for joint, own in enumerate(roots) if own == root) for root in dict.fromkeys(roots)]
    return found if len(found) > 1 else []


def join_branches(asked: Prepared, branches: Sequence[Branch], make: Callable[[Prepared], Function]) -> Function:
    """What `make` finds for every branch, the others at rest, as one function of the robot."""
    graph, ports = Graph(), asked.inputs
    inputs = tuple(
        input_of(port, [graph.symbol(name, online=is_online(PORTS[port].role)) for name in names])
        for port, names in ports.items()
    )
    parts: list[Function] = []
    for branch in branches:
        alone = asked.with_request(robot=branch_robot(asked.robot, branch))
        called = {own: ports[port][j] for port, names in alone.inputs.items() for own, j in zip(names, branch)}
        parts.append(moved_to(make(alone), graph, called))
    outputs = [_output(output, parts, branches) for output in parts[0].outputs]
    return Function(asked.name, graph, inputs, tuple(outputs), provenance=_provenance(asked, branches, parts))


def branch_robot(robot: RobotDescription, branch: Branch) -> RobotDescription:
    """The robot with all joints at rest but those of the branch; where they rest no torque of it knows."""
    names = robot.joint_names
    still = {names[k]: Num(Fraction(0)) for k in range(len(names)) if k not in branch}
    free = tuple(replace(joint, limits=None) if joint.name in still else joint for joint in robot.joints)
    return with_locks(replace(robot, joints=free), still)


def _output(output: Output, parts: Sequence[Function], branches: Sequence[Branch]) -> Output:
    entries: dict[int, Expr] = {}
    for part, branch in zip(parts, branches):
        own = next(x for x in part.outputs if x.name == output.name)
        entries |= dict(zip(branch, own.exprs, strict=True))
    return replace(output, shape=(len(entries),), exprs=tuple(entries[j] for j in sorted(entries)))


def _provenance(asked: Prepared, branches: Sequence[Branch], parts: Sequence[Function]) -> Provenance:
    """The answers of all branches, links counted as in the robot."""
    origins = [part.provenance for part in parts]
    answers = dict.fromkeys(
        answer._replace(link=branch[answer.link - 1] + 1) if answer.link else answer
        for origin, branch in zip(origins, branches)
        for answer in origin.answers
    )
    first = origins[0]
    methods = " / ".join(dict.fromkeys(origin.method for origin in origins))
    cut = next((origin.search for origin in origins if origin.search), first.search)
    joints = tuple(asked.robot.joint_names)
    return replace(first, robot=asked.robot.name, method=methods, answers=tuple(answers), joints=joints, search=cut)
