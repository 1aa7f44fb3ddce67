"""Charts of pages: numbers at the axes tell one tick from the next, whatever the range, and leave room for labels."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from manipula.pages.charts import LEFT, Chart, Line, _Scale

RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


@pytest.mark.parametrize("seed", range(40))
def test_a_tick_says_where_it_is(seed: int) -> None:
    rng = np.random.default_rng(seed)
    low = float(rng.normal() * 10.0 ** rng.integers(-12, 12))
    high = low + abs(low) * float(10.0 ** rng.uniform(-6, 3)) if seed % 4 else low + float(rng.integers(0, 2))
    scale = _Scale([low, high], 0, 100)
    texts, times = scale.texts(), 10.0 ** int(scale.unit.removeprefix("×10").translate(RAISED) or 0)
    assert len({text for _, text in texts}) == len(texts) >= 2
    assert all("e" not in text for _, text in texts)
    assert all(len(text) <= 10 for _, text in texts) or scale.high - scale.low < 1e-5 * max(abs(low), abs(high))
    step = texts[1][0] - texts[0][0]
    assert all(abs(float(text) * times - x) <= 0.06 * step for x, text in texts)


@pytest.mark.parametrize("value", [0.0, 5.0, -3e-9, 1e300])
def test_one_value_stands_in_the_middle(value: float) -> None:
    scale = _Scale([value, value], 0, 100)
    assert scale(value) == pytest.approx(50) and scale.high - scale.low >= 0.9 * abs(value)
    assert value or scale.texts()[0][1] == "-1"


def test_numbers_of_unusual_size_have_their_power_at_the_end_of_the_axis() -> None:
    chart = Chart("t", "x", "y", [0, 1e-5, 2e-5], [Line("", [1e7, 2e7, 3e7])])
    texts = [
        (x.text, float(x.get("x") or 0)) for x in ElementTree.fromstring(chart.svg()).iter() if x.tag.endswith("text")
    ]
    assert ("×10⁻⁵", 448.0) in texts and ("×10⁷", LEFT - 5.0) in texts and ("2.5", LEFT - 5.0) in texts


@pytest.mark.parametrize(("count", "wide"), [(1, 5.0), (400, 3.0), (10_000, 2.4)])
def test_few_dots_are_large(count: int, wide: float) -> None:
    text = Chart("", "", "", range(count), [Line("", range(count), dots=True)]).svg()
    assert re.findall(r'stroke-width="([\d.]+)" stroke-linecap', text) == [f"{wide:g}"]
