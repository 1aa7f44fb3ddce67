"""What is planted wrong in the binder or the merger, and so on both sides of the proof, ends in an error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import manipula as mp
from manipula.algebra.expr.field import FieldMaths
from manipula.errors import ProofError
from manipula.generation import arm_structure, build
from manipula.mechanics.robot import bind as binding
from manipula.mechanics.robot.tree import Tree, in_series
from manipula.mechanics.spatial.inertia import InertiaTensor, RigidBody
from manipula.mechanics.spatial.placement import HERE, Placement, shift_along
from tests.random_robots import random_robot


def wrong_links(change: Callable[[Any], Any]) -> Callable[[Tree], Tree]:
    return lambda chain: replace(chain, links=tuple(map(change, chain.links)))


def wrong_parts(change: Callable[[Any], Any]) -> Callable[[Tree], Tree]:
    return wrong_links(lambda link: replace(link, parts=tuple(map(change, link.parts))))


def heavier(link: Any) -> Any:
    return replace(link, inertia=link.inertia + RigidBody(m=1))


def driven(link: Any, **entries: Any) -> Any:
    return replace(link, actuator=link.actuator.with_entries(entries))


MISREAD: dict[str, Callable[[Tree], Tree]] = {
    "gravity": lambda c: replace(c, gravity=(c.gravity[0], c.gravity[1], -c.gravity[2])),
    "tool": lambda c: replace(c, tool=c.tool @ shift_along("x", 1)),
    "no tool": lambda c: replace(c, tool=HERE),
    "base": lambda c: replace(c, base=c.base.inverse()),
    "direction": wrong_links(lambda x: replace(x, direction=-x.direction)),
    "offset": wrong_links(lambda x: replace(x, offset=x.offset + 1)),
    "before": wrong_links(lambda x: replace(x, before=Placement(x.before.R, x.before.p[::-1]))),
    "after": wrong_links(lambda x: replace(x, after=x.after @ shift_along("z", 1))),
    "mass": wrong_links(heavier),
    "first moment": wrong_links(lambda x: replace(x, inertia=replace(x.inertia, s=x.inertia.s[::-1]))),
    "tensor": wrong_links(lambda x: replace(x, inertia=replace(x.inertia, second=InertiaTensor(x.inertia.I[::-1])))),
    "motor": wrong_links(lambda x: driven(x, Ia=x.motor_inertia + 1)),
    "viscous": wrong_links(lambda x: driven(x, fv=x.actuator["fc"], fc=x.actuator["fv"])),
    "constant": wrong_links(lambda x: driven(x, fo=-x.actuator["fo"])),
    "a part elsewhere": wrong_parts(lambda part: replace(part, at=part.at @ shift_along("y", 1))),
    "a part heavier": wrong_parts(lambda part: replace(part, inertia=part.inertia + RigidBody(m=1))),
    "a part less": wrong_links(lambda x: replace(x, parts=x.parts[1:])),
    "ground": lambda c: replace(c, ground=c.ground + RigidBody(m=1)),
    "last link": lambda c: replace(c, links=(*c.links[:-1], heavier(c.links[-1]))),
    "order": lambda c: replace(c, links=in_series((c.links[1], c.links[0], *c.links[2:]))),
    "parent": lambda c: replace(c, links=(*c.links[:-1], replace(c.links[-1], parent=-1))),
    "tip": lambda c: replace(c, tip=0),
}


def arm_with_everything() -> mp.Robot:
    """Fixed rows at the start, in the middle, two at the end; base, tool, payload, a branch, tilted gravity."""
    for seed in range(1000):
        robot = mp.Robot.of(random_robot(seed, joints="FRFPRFF", convention="urdf"))
        if robot.base and robot.tool and robot.payload and any(joint.carries for joint in robot.joints):
            x = robot.joints[1]
            if len({cell.value for cell in x.actuator.parameters_by_letter().values()}) > 1:
                return robot
    raise AssertionError("no such arm")


EVERYTHING = arm_with_everything()


@pytest.mark.drawn("place", "where")
@pytest.mark.parametrize("name", MISREAD)
@pytest.mark.parametrize(("place", "where"), [(binding.Binding, "over"), (arm_structure, "merge_fixed")])
def test_an_error_on_both_sides_does_not_leave(
    monkeypatch: pytest.MonkeyPatch, name: str, place: Any, where: str
) -> None:
    """The model and its reference see the same wrong arm: only the second text of the description can tell."""
    right = getattr(place, where)
    spoil: Callable[..., Tree] = lambda *given: MISREAD[name](right(*given))  # noqa: E731
    monkeypatch.setattr(place, where, spoil)
    with pytest.raises(ProofError, match="is not as the robot's description has it"):
        mp.generate(EVERYTHING, "pose", optimise="none")


def test_check_sees_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    assert mp.check(EVERYTHING).passed
    right = arm_structure.merge_fixed
    monkeypatch.setattr(arm_structure, "merge_fixed", lambda chain: MISREAD["mass"](right(chain)))
    report = mp.check(EVERYTHING)
    assert not report.passed
    assert "description" in [verdict.name for verdict in report.verdicts if not verdict.passed]


def test_a_joint_less_and_another_name_are_seen() -> None:
    maths = FieldMaths("joints")
    chain = arm_structure.merge_fixed(binding.bind(EVERYTHING, maths, {}))
    renamed = wrong_links(lambda x: replace(x, name=f"{x.name}'"))
    for wrong in (replace(chain, links=chain.links[:-1]), renamed(chain)):
        assert list(build.misread(EVERYTHING, wrong, {}, "auto", maths)) == ["the list of moving joints"]


BINDER: dict[str, tuple[str, Callable[..., Any]]] = {
    "a step left out": ("placement", lambda self, steps, *more, right: right(self, steps[:-1])),
    "a turn the other way": ("cos_sin", lambda self, cell, *more, right: (right(self, cell)[0], -right(self, cell)[1])),
    "a body without its centre": (
        "body", lambda self, body, *more, right: replace(right(self, body), s=(0, 0, 0)) if body else RigidBody(),
    ),
    "branches forgotten": (
        "link", lambda self, joint, *more, right: right(self, replace(joint, carries=()), more[0], (), more[2]),
    ),
    "another number": ("scalar", lambda self, cell, *more, right: right(self, cell) * 2),
}  # fmt: skip


@pytest.mark.parametrize("name", BINDER)
def test_an_error_inside_the_binder_does_not_leave(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    method, wrong = BINDER[name]
    right = getattr(binding._Binder, method)
    monkeypatch.setattr(binding._Binder, method, lambda self, *given: wrong(self, *given, right=right))
    with pytest.raises(ProofError, match="is not as the robot's description has it"):
        mp.generate(EVERYTHING, "pose", optimise="none")


def test_an_error_in_the_merging_alone_does_not_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    """The mass of a fixed link put where the link before it has its origin; two fixed links in a row."""
    right = RigidBody.seen_from
    monkeypatch.setattr(RigidBody, "seen_from", lambda self, at: right(self, Placement(at.R)))
    with pytest.raises(ProofError, match="is not as the robot's description has it"):
        mp.generate(EVERYTHING, "gravity", optimise="none")


@pytest.mark.parametrize("symbolic", ["auto", "all"])
@pytest.mark.parametrize("block", range(3))
def test_true_arms_are_as_described(symbolic: Any, block: int) -> None:
    for seed in range(20 * block, 20 * block + 20):
        robot = mp.Robot.of(random_robot(seed))
        maths = FieldMaths(f"true {seed}")
        symbols = {name: maths.symbol(name) for name in binding.free_parameters(robot, symbolic)}
        chain = arm_structure.merge_fixed(binding.bind(robot, maths, symbols, symbolic))
        assert list(build.misread(robot, chain, symbols, symbolic, maths)) == []


NAMED = """
format = 1
name = "named"
convention = "standard"
angle = "deg"
[values]
a = 2
b = "2*a - 1"
turn = "pi/3"
half = "turn/2"
[[joint]]
type = "revolute"
theta = "half"
d = "a*L + b"
a = "b**2/7"
alpha = "-turn + x"
mass = "M"
com = ["sqrt(a)", "cos(turn)*r", 0.5]
inertia = { xx = "I0", yy = 0.35, zz = "2*I0", xy = 0, xz = 0, yz = "b/10" }
[[joint]]
type = "prismatic"
theta = 30
d = "L"
a = 0
alpha = 90
direction = -1
mass = 3
first_moment = [0.1, "M*r", 0]
friction = { viscous = "fv", coulomb = 0.1, offset = "-fv/2" }
"""


@pytest.mark.parametrize("symbolic", ["auto", "all", ["L", "a", "turn"], ["fv", "Iyy1"], ["alpha2"]])
def test_names_and_values_are_read_alike(symbolic: Any) -> None:
    robot = mp.Robot.from_text(NAMED)
    if isinstance(symbolic, list):
        known = {*robot.names(), *(cell.name for cell in robot.cells()), *dict(robot.values)}
        symbolic = [name for name in symbolic if name in known]
    assert mp.generate(robot, "gravity", symbolic=symbolic, optimise="none").provenance.proof


def test_a_long_chain_is_read_alike() -> None:
    """128 rows: most of them fixed, or all of them moving."""
    for kinds in (("R" + "F" * 20) * 6 + "FF", "RP" * 64):
        robot, maths = random_robot(3, joints=kinds), FieldMaths("long")
        chain = arm_structure.merge_fixed(binding.bind(robot, maths, {}))
        assert list(build.misread(robot, chain, {}, "auto", maths)) == []
