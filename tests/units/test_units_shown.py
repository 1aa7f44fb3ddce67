"""Units that are shown: every model, law, reference and study says its units in a form that can be read, and what a
state becomes in time has the unit that time gives it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

import pytest

from manipula.mechanics.models.catalogue import MODELS
from manipula.mechanics.models.control.laws import LAWS, delay_torques
from manipula.mechanics.models.entry import Block
from manipula.mechanics.models.estimation.least_squares import least_squares
from manipula.mechanics.models.estimation.spread import least_squares_with_spread
from manipula.mechanics.models.estimation.unknowns import base_unknowns, load_unknowns
from manipula.mechanics.models.integrate.driven_arm import periodic, sensor_block
from manipula.mechanics.models.motion.profiles import fourier, spline
from manipula.mechanics.models.ports import PORTS, PortKind
from manipula.scalar import Next, Rate
from manipula.studies.catalogue.registry import READY

SEVERAL = ("", "SI", "various", "mixed", "number")  # a number counts something out: it has no unit
POWERS = {"²": 2, "³": 3, "⁴": 4, "⁻": -1, "": 1}
BASE = {
    "N": {"kg": 1, "m": 1, "s": -2}, "J": {"kg": 1, "m": 2, "s": -2}, "W": {"kg": 1, "m": 2, "s": -3},
    "Hz": {"s": -1}, "mm": {"m": 1}, "rad": {}, "1": {}, "%": {}, "°": {},
}  # fmt: skip


def dimension(text: str) -> dict[str, int]:
    """kg, m and s with their powers; an angle has none. N·m/s² → {kg: 1, m: 2, s: −4}"""
    total = Counter[str]()
    for sign, part in zip((1, -1), text.split("/"), strict=False):
        for factor in part.strip("()").split("·"):
            found = re.fullmatch(r"(kg|rad|mm|Hz|[mskNJW1%°])([²³⁴]?)", factor.strip())
            assert found, f"{text!r}: {factor!r} is not a unit"
            for base, power in BASE.get(found[1], {found[1]: 1}).items():
                total[base] += sign * power * POWERS[found[2]]
    assert text.count("/") <= 1, text
    return {base: power for base, power in total.items() if power}


def dimensions(text: str) -> list[dict[str, int]]:
    """Of a joint that turns, then of one that slides, as far as they differ; none where entries have units of their
    own. An ending … stands for the units of the entries that follow."""
    return [dimension(part) for part in re.split(r" or |, ", text.removesuffix(" …")) if text not in SEVERAL]


def blocks() -> Iterator[Block]:
    for entry in LAWS.values():
        yield entry.continuous
        yield entry.sampled
    yield periodic(delay_torques(LAWS["computed_torque"].sampled, 2), 3)
    yield sensor_block(("q", "qd"), True, 2)
    yield least_squares(base_unknowns())
    for accelerations in (True, False):
        yield least_squares_with_spread(load_unknowns(accelerations=accelerations), 3)
    yield spline(2, 3)
    yield fourier(2)


def per_second(unit: dict[str, int]) -> dict[str, int]:
    return {base: power for base, power in {**unit, "s": unit.get("s", 0) - 1}.items() if power}


def test_a_unit_is_read() -> None:
    assert dimension("N·m/s²") == {"kg": 1, "m": 2, "s": -4}
    assert dimensions("rad/s or m/s") == [{"s": -1}, {"m": 1, "s": -1}]
    with pytest.raises(AssertionError):
        dimension("joint torques")


@pytest.mark.parametrize("name", MODELS)
def test_a_model_has_a_unit_and_a_meaning_for_each_output(name: str) -> None:
    for unit, meaning in MODELS[name].outputs.values():
        assert (dimensions(unit) or unit in SEVERAL) and meaning
        with pytest.raises(AssertionError):
            dimensions(meaning)


@pytest.mark.parametrize("port", PORTS.values(), ids=lambda port: port.name)
def test_an_input_has_a_unit(port: PortKind) -> None:
    assert dimensions(port.unit) or port.unit in SEVERAL


@pytest.mark.parametrize("block", list(blocks()), ids=lambda block: block.name)
def test_the_rate_of_a_state_is_its_unit_per_second_and_the_next_has_its_unit(block: Block) -> None:
    states = {port.name: dimensions(port.unit) for port in block.inputs if port.role == "state"}
    for result in block.outputs.values():
        unit = dimensions(result.unit)
        if isinstance(result.gives, Next):
            assert unit == states[result.gives.state]
        if isinstance(result.gives, Rate):
            assert unit == [per_second(u) for u in states[result.gives.state]]
    for unit, meaning in [*((x.unit, x.doc) for x in block.inputs), *((x.unit, x.doc) for x in block.outputs.values())]:
        assert (dimensions(unit) or unit in SEVERAL) and meaning
        with pytest.raises(AssertionError):
            dimensions(meaning)


@pytest.mark.parametrize("name", READY)
def test_the_columns_of_a_study_have_units_and_meanings(name: str) -> None:
    for column in READY[name].columns.values():
        assert (dimensions(column.unit) or column.unit in SEVERAL) and column.about
        with pytest.raises(AssertionError):
            dimensions(column.about)
