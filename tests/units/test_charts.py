"""Charts of pages: numbers at the axes tell one tick from the next, whatever the range, and leave room for labels."""

from __future__ import annotations

import re
import struct
import zlib
from base64 import b64decode
from xml.etree import ElementTree

import numpy as np
import pytest

from manipula.pages.charts import BOTTOM, HEIGHT, LEFT, Chart, ChartLine, HeatMap, _Scale

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
    chart = Chart("t", "x", "y", [0, 1e-5, 2e-5], [ChartLine("", [1e7, 2e7, 3e7])])
    texts = [
        (x.text, float(x.get("x") or 0)) for x in ElementTree.fromstring(chart.svg()).iter() if x.tag.endswith("text")
    ]
    assert ("×10⁻⁵", 448.0) in texts and ("×10⁷", LEFT - 5.0) in texts and ("2.5", LEFT - 5.0) in texts


@pytest.mark.parametrize(("count", "wide"), [(1, 5.0), (400, 3.0), (10_000, 2.4)])
def test_few_dots_are_large(count: int, wide: float) -> None:
    text = Chart("", "", "", range(count), [ChartLine("", range(count), dots=True)]).svg()
    assert re.findall(r'stroke-width="([\d.]+)" stroke-linecap', text) == [f"{wide:g}"]


def _elements(svg: str, tag: str) -> list[ElementTree.Element]:
    return [x for x in ElementTree.fromstring(svg).iter() if x.tag.rpartition("}")[2] == tag]


def _straight(pixels: list[float], numbers: list[float]) -> np.ndarray:
    """The line through (pixel, number); that all lie on it is part of the claim."""
    slope = np.polyfit(pixels, numbers, 1)
    np.testing.assert_allclose(np.polyval(slope, pixels), numbers, atol=2e-3 * np.ptp(numbers))
    return slope


@pytest.mark.parametrize("seed", range(12))
def test_a_line_is_read_at_the_ticks_as_it_was_given(seed: int) -> None:
    """A reader takes numbers from the ticks: along both axes they lead from the pixels of the line to its numbers."""
    rng = np.random.default_rng(seed)
    x, y = np.sort(rng.uniform(-3, 5, 20)), rng.normal(size=20) * 10.0 ** rng.integers(-2, 5)
    svg = Chart("t", "x", "y", x.tolist(), [ChartLine("", y.tolist())]).svg()
    ticks = [(float(t.get("x") or 0), float(t.get("y") or 0), t) for t in _elements(svg, "text") if t.get("y")]
    beside = [(v - 4, float(t.text or "")) for u, v, t in ticks if u == LEFT - 5]
    below = [(u, float(t.text or "")) for u, v, t in ticks if v == HEIGHT - BOTTOM + 14]
    (drawn,) = _elements(svg, "polyline")
    pixels = np.array([pair.split(",") for pair in (drawn.get("points") or "").split()], dtype=float)
    for pairs, column, numbers, way in ((below, 0, x, 1), (beside, 1, y, -1)):  # to the right, upwards
        slope = _straight(*map(list, zip(*pairs)))
        assert slope[0] * way > 0
        np.testing.assert_allclose(np.polyval(slope, pixels[:, column]), numbers, atol=3e-3 * np.ptp(numbers))


@pytest.mark.parametrize("seed", range(12))
def test_a_cell_of_a_heat_map_has_the_colour_of_its_number_at_its_place(seed: int) -> None:
    """Its picture, decoded, is looked up at the ticks and in the bar; both axes ascend, upwards and to the right."""
    rng = np.random.default_rng(seed)
    rows, columns = rng.integers(2, 7, 2)
    steps = [np.arange(n) * 0.25 - 0.5 if seed % 3 else np.cumsum(rng.uniform(0.1, 1, n)) for n in (columns, rows)]
    values: list[list[float | None]] = rng.normal(size=(rows, columns)).tolist()
    values[0][0] = None
    svg = HeatMap("t", "x", "y", steps[0].tolist(), steps[1].tolist(), values, "m").svg()
    picture, bar = ((e, _decoded(e)) for e in _elements(svg, "image"))
    known = [v for row in values for v in row if v is not None]
    scale = [tuple(p[:3]) for p in bar[1][::-1, 0]]  # low to high
    for i, row in enumerate(values):
        for k, value in enumerate(row):
            pixel = picture[1][rows - 1 - i, k]
            assert (pixel[3] == 0) == (value is None)
            if value is not None:
                share = (value - min(known)) / (max(known) - min(known))
                near = scale[round(63 * share)]
                assert np.abs(np.array(near, dtype=int) - pixel[:3].astype(int)).max() <= 6  # half a step of the bar
    left, top, wide, tall = (float(picture[0].get(key) or 0) for key in ("x", "y", "width", "height"))
    for text in _elements(svg, "text"):
        u, v = float(text.get("x") or 0), float(text.get("y") or 0)
        if text.get("text-anchor") == "end":
            cell = (top + tall - (v - 4)) / tall * rows - 0.5
            assert float(text.text or "") == pytest.approx(np.interp(cell, range(rows), steps[1]), abs=2e-3)
        elif v == pytest.approx(top + tall + 15, abs=0.2):
            cell = (u - left) / wide * columns - 0.5
            assert float(text.text or "") == pytest.approx(np.interp(cell, range(columns), steps[0]), abs=2e-3)


def _decoded(image: ElementTree.Element) -> np.ndarray:
    data = b64decode((image.get("href") or "").partition(",")[2])
    wide, tall = struct.unpack(">II", data[16:24])
    at = data.index(b"IDAT")
    (length,) = struct.unpack(">I", data[at - 4 : at])
    lines = np.frombuffer(zlib.decompress(data[at + 4 : at + 4 + length]), dtype=np.uint8).reshape(tall, 1 + 4 * wide)
    return lines[:, 1:].reshape(tall, wide, 4)
