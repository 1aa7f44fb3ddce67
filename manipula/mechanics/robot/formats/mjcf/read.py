"""MJCF, the XML of MuJoCo → Robot: the chain from base to tip, what hangs beside it locked and carried along.

The bodies are read as links and joints of a tree, and from there on it is the road of a URDF.
"""

from __future__ import annotations

from collections.abc import Mapping

from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.formats.checks.robot import warn_of_odd
from manipula.mechanics.robot.formats.mjcf.bodies import links_from_mjcf
from manipula.mechanics.robot.formats.mjcf.tendons import with_tendons
from manipula.mechanics.robot.formats.source import errors_of
from manipula.mechanics.robot.formats.urdf.read import robot_from_links


def robot_from_mjcf(
    text: str,
    *,
    base: str | None = None,
    tip: str | None = None,
    exact: bool = False,
    file: str = "",
    locked: Mapping[str, float] | None = None,
) -> RobotDescription:
    """The serial arm between two bodies, or a body and a site. Joints beside it stand still where `locked` says, else
    where the file's zero pose has them."""
    said: list[str] = []
    with errors_of(file):
        read = links_from_mjcf(text, file, said)
    given = {"base": base, "tip": tip, "exact": exact, "file": file, "locked": locked}
    robot = robot_from_links(read.links, said, "mjcf", read.gravity, **given)  # type: ignore[arg-type]
    with errors_of(file):
        robot = with_tendons(robot, read.tendons, read.links.joints)
    warn_of_odd(robot)
    return robot
