"""Models of a robot whose base moves: which have a form for it, and that form on joints that follow others.

The base has six coordinates before those of the joints. Its motion is written in its own axes: the velocity v₀ of its
origin, the angular velocity ω₀. So nothing depends on where it is, nor on how its orientation is written: no model has
a quaternion. What a model needs of the world it takes as an input, R₀ or T₀.

    inertia_matrix·(v̇₀, ω̇₀, q̈) + coriolis + gravity = (base_wrench, tau)

An entry of the catalogue names the file that has its form (`floating`); the others want a base that stands still.

Source: Featherstone, "Rigid Body Dynamics Algorithms" (2008), section 9.4, for a base of six freedoms without a joint.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

from manipula.errors import InputError
from manipula.mechanics.models.entry import Given, ModelEntry, Outputs
from manipula.mechanics.robot.coordinates import Coordinates
from manipula.mechanics.robot.description import RobotDescription
from manipula.mechanics.robot.topology import refuse_massless_base
from manipula.mechanics.robot.tree import Tree
from manipula.scalar import Entries, Scalar

ROOM = "manipula.mechanics.models.floating"
SIX = 6  # coordinates of the base: linear, then angular
RATES = ("q", "qd", "qdd")  # inputs of one entry a coordinate
Contraction = Callable[[Coordinates, Any], Any]  # an output of joints → of coordinates


def floating_form(model: ModelEntry, robot: RobotDescription) -> ModelEntry:
    """The model on a base that moves; one that has no form for it is refused."""
    form = raw_form(model, robot)
    return _in_coordinates(form, robot.name) if robot.coordinates.followers else form


def raw_form(model: ModelEntry, robot: RobotDescription) -> ModelEntry:
    """The same of joints that are all free."""
    refuse_massless_base(robot)
    forms: Mapping[str, ModelEntry] = import_module(f"{ROOM}.{model.floating}").FORMS if model.floating else {}
    form = forms.get(f"{model.name} {robot.moving}") or forms.get(model.name)
    if form is None:
        raise InputError(
            "{name}: its base moves, and {what} is made for a base that stands still; read it with a fixed base",
            robot.name,
            model.name,
        )
    return form


def _in_coordinates(form: ModelEntry, robot: str) -> ModelEntry:
    """The form of a robot in which joints follow others."""
    if any(name not in AXES for name in form.outputs):
        raise InputError("{robot}: {name} is not made for robots in which joints follow others", robot, form.name)

    def on_joints(method: Callable[..., Outputs]) -> Callable[..., Outputs]:
        def made(tree: Tree, x: Given, *choices: object) -> dict[str, Entries]:
            of = tree.coordinates
            spread = {name: of.spread(values) if name in RATES else values for name, values in x.items()}
            return {name: AXES[name](of, value) for name, value in method(tree, spread, *choices).items()}

        return made

    methods = {name: on_joints(method) for name, method in form.methods.items()}
    return replace(form, methods=methods, field=None if form.field is None else on_joints(form.field))


def _gather(of: Coordinates, x: Sequence[Scalar]) -> list[Scalar]:
    return of.gather(x)


def _vector(of: Coordinates, x: Sequence[Scalar]) -> list[Scalar]:
    return [*x[:SIX], *of.gather(x[SIX:])]


def _columns(of: Coordinates, rows: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    return [[*row[:SIX], *gathered] for row, gathered in zip(rows, of.gather_columns([row[SIX:] for row in rows]))]


def _rows(of: Coordinates, matrix: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    return [*map(list, matrix[:SIX]), *of.gather_rows([list(row) for row in matrix[SIX:]])]


def _both(of: Coordinates, rows: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    return _rows(of, _columns(of, rows))


def _same(of: Coordinates, x: object) -> Any:
    return x


# by output: how it changes where joints follow others; what is solved for is not among them
AXES: dict[str, Contraction] = {
    "tau": _gather,
    "base_wrench": _same,
    "M": _both,
    "c": _vector,
    "g": _vector,
    "momentum": _vector,
    "h": _same,
    "A": _columns,
    "bias": _same,
    "kinetic": _same,
    "potential": _same,
    "com": _same,
    "T": _same,
    "J": _columns,
    "v": _same,
    "a": _same,
    "Y": _rows,
}
