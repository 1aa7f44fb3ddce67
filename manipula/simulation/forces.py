"""Forces of the surroundings on an arm, a spring or a fluid: the text of a law of one's own, driven by q and q̇."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from manipula.errors import InputError
from manipula.generation.compose import bind_user_law
from manipula.generation.prepare import Request, prepare
from manipula.generation.results.system import Law
from manipula.generation.settings import settings_for
from manipula.mechanics.models.control.user_law import RobotLaw, UserLaw
from manipula.mechanics.models.entry import Block
from manipula.mechanics.models.ports import PortSizes
from manipula.messages import Message
from manipula.robot import Robot


class Pushing(NamedTuple):
    """Forces on an arm, and the values of their settings."""

    block: Block
    settings: Mapping[str, tuple[float, ...]]


def pushing_of(robot: Robot, forces: object) -> Pushing:
    """Of a function of `mp.law`, or of the law that it became with its settings."""
    law = forces.law if isinstance(forces, Law) else forces
    if isinstance(law, UserLaw):
        law = bind_user_law(law, prepare(Request(robot, "inverse_dynamics")))
    if not isinstance(law, RobotLaw):
        raise InputError(
            "forces: expected a function of mp.law, or what mp.controller makes of one, found {law!r:.60}", law
        )
    own = law.law
    odd = [x.name for x in own.kinds(law.counts) if x.name not in ("q", "qd", *own.settings)]
    if odd or "tau" not in law.outputs or len(law.joints) != robot.dof:
        raise own.refuse(
            Message("forces on {robot} are torques of its joints that follow from q, qd and settings", robot.name)
        )
    block = law.block(sampled=False)
    if isinstance(forces, Law):
        return Pushing(block, forces.settings)
    sizes, given = PortSizes(robot.dof, lambda: law.counts.base), own.values(law.counts, {})
    missing = [name for name in own.settings if name not in given]
    if missing:
        raise own.refuse(Message("no value for {missing}: give what mp.controller makes of it", ", ".join(missing)))
    return Pushing(block, settings_for(own.name, block.inputs, sizes, given))
