"""Whether a mass, a centre and a tensor can be those of a body.

A negative mass and a tensor with a negative principal moment are errors. A tensor that breaks the triangle
inequality, or leaves nothing positive about the centre of mass, is only doubtful: published sets have such.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from manipula.mechanics.robot.description import Body
from manipula.mechanics.robot.formats.checks.numbers import Doubt, Numbers, Place
from manipula.mechanics.robot.formats.checks.suspicion import length_suspicion
from manipula.messages import Message

Matrix = NDArray[np.float64]
_SLACK = 1e-9  # relative to the largest moment: a rod or a plate sits exactly on the limit
_NOISE = 1e-18  # kg·m²: what twenty decimals leave of a body of nothing that was turned


def body_doubts(body: Body, where: str, numbers: Numbers) -> Iterator[Doubt]:
    """Doubts about one body; raises when it is impossible."""
    mass = numbers.not_negative(body.mass.parameter, Place(where, "mass"))
    at = Place(where, body.centre_is)
    centre = [numbers.value(cell.parameter, at) for cell in body.centre]
    yield from _far_centre(body, at, numbers)
    if mass == 0 and (body.centre_is, body.inertia_is) == ("first_moment", "com") and any(centre):
        raise at.error(Message("is not zero, but the mass is"), Message("expected a mass, or a first moment of zero"))
    place = Place(where, "second_moment" if body.inertia_is == "second_moment" else "inertia")
    six = [value for cell in body.inertia if (value := numbers.value(cell.parameter, place)) is not None]
    if len(six) < len(body.inertia):
        return
    tensor = _tensor(six, body.inertia_is == "second_moment")
    yield from _tensor_doubts(tensor, place)
    known = [value for value in centre if value is not None]
    if body.inertia_is != "com" and mass and len(known) == len(centre):
        yield from _about_centre(tensor, mass, known, body, place)


def _far_centre(body: Body, place: Place, numbers: Numbers) -> Iterator[Doubt]:
    for cell in body.centre if body.centre_is == "com" else ():
        number = numbers.plain(cell.parameter)
        told = length_suspicion(number, numbers.units[1]) if number else None
        if told:
            yield Doubt(place, *told)


def _tensor(six: Sequence[float], second_moments: bool) -> Matrix:
    xx, xy, xz, yy, yz, zz = six
    matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return np.trace(matrix) * np.eye(3) - matrix if second_moments else matrix


def _moments(tensor: Matrix, place: Place) -> tuple[float, float, float, str]:
    if not np.isfinite(tensor).all():
        raise place.error(
            Message("mass, centre and inertia are too large to be computed with"), Message("check signs and units")
        )
    size = float(np.abs(tensor).max()) or 1.0  # entries near the largest float would overflow on the way
    low, middle, high = (size * float(moment) for moment in np.linalg.eigvalsh(tensor / size))
    return low, middle, high, Message("principal moments {low:.6g}, {middle:.6g}, {high:.6g} kg·m²", low, middle, high)


def _tensor_doubts(tensor: Matrix, place: Place) -> Iterator[Doubt]:
    low, middle, high, shown = _moments(tensor, place)
    slack = max(_SLACK * max(abs(low), high), _NOISE)
    if low < -slack:
        raise place.error(
            Message("no body has this inertia: it is not positive, {shown}", shown),
            Message("check signs and units; the entries are those of the tensor itself"),
        )
    only_one = middle <= slack  # a planar arm whose table gives Izz alone
    if low + middle < high - slack and not only_one:
        yield Doubt(
            place,
            Message("breaks the triangle inequality: {shown}", shown),
            Message("each may not pass the sum of the other two"),
        )


def _about_centre(tensor: Matrix, mass: float, centre: list[float], body: Body, place: Place) -> Iterator[Doubt]:
    """I_com = I_origin − m (c·c 1 − c cᵀ)"""
    c = np.array(centre) / (mass if body.centre_is == "first_moment" else 1)
    with np.errstate(all="ignore"):
        central = tensor - mass * (c @ c * np.eye(3) - np.outer(c, c))
    low, _, _, shown = _moments(central, place)
    if low < -_SLACK * float(np.abs(tensor).max()):
        yield Doubt(
            place,
            Message("leaves no positive inertia about the centre of mass: {shown}", shown),
            Message('is it about the centre of mass? then write inertia_about = "com"'),
        )
