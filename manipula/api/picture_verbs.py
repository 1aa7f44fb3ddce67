"""What a person does to see a robot: its drawing as data, pictures of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from manipula.api.robot_verbs import loaded

if TYPE_CHECKING:
    from manipula.robot import Robot


def drawing(robot: Robot | str, values: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """All that a picture of the robot needs, as plain data: joints with the steps before and after them, links as
    solids in their own frames, the tool, centres of mass, what can be reached. `values` are parameters by name; a
    length without a value gets a stand-in, told in `stand_ins`.

    >>> record = drawing("planar2r", {"l1": 0.5})
    >>> record["joints"][0]["after"], record["stand_ins"]
    ([['tz', 0.0, 'd'], ['tx', 0.5, 'a'], ['rx', 0.0, 'alpha']], {'l2': 0.3})
    """
    from manipula.mechanics.drawing.record import drawing_of

    described = loaded(robot)
    return drawing_of(described.with_parameters(**values) if values else described)
