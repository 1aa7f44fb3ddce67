"""Pictures over two axes as SVG, from plain numbers: lines, and a number by colour; no script, nothing fetched."""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, isfinite, log10, sqrt

# Lines over a horizontal axis as SVG, from plain numbers: what a page shows without a script or another file.

WIDTH, HEIGHT = 460, 220
LEFT, RIGHT, TOP, BOTTOM = 62, 12, 26, 34
POINTS = 600  # of a line: more than pixels show nothing
DOTS = 1500
COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#7f7f7f")
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
DASHED = ' stroke-dasharray="6 7"'  # as much gap as dash: over another line both are seen


@dataclass(frozen=True)
class ChartLine:
    """One line: its name in the legend, its heights, and how it is drawn: joined, or a dot each."""

    name: str
    y: Sequence[float]
    dashed: bool = False
    colour: int = 0
    dots: bool = False
    dot: float | None = None  # pixels across; None: few are large, many small


@dataclass(frozen=True)
class Chart:
    """Lines over the same `x`. `levels` are drawn across: limits."""

    title: str
    x_label: str
    y_label: str
    x: Sequence[float]
    lines: Sequence[ChartLine]
    levels: Sequence[float] = ()

    def svg(self) -> str:
        """A picture that needs nothing else."""
        heights = [y for line in self.lines for y in line.y if isfinite(y)]
        across, up = _Scale(self.x, LEFT, WIDTH - RIGHT), _Scale(_near(heights, self.levels), HEIGHT - BOTTOM, TOP)
        middle, half = (LEFT + WIDTH - RIGHT) / 2, (TOP + HEIGHT - BOTTOM) / 2
        parts = [
            f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(self.title)}" '
            'xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" font-size="11" fill="currentColor">',
            f'<text x="{LEFT}" y="16" font-size="13">{escape(self.title)}</text>',
            *(_tick_across(across, x, text) for x, text in across.texts()),
            *(_tick_up(up, y, text) for y, text in up.texts()),
            *([_unit(WIDTH - RIGHT, HEIGHT - 4, across.unit)] if across.unit else []),
            *([_unit(LEFT - 5, 16, up.unit)] if up.unit else []),
            *(_level(up, y) for y in self.levels if up.low <= y <= up.high),
            *(_polyline(across, up, self.x, line) for line in self.lines),
            *_legend([line for line in self.lines if line.name]),
            f'<text x="{middle:g}" y="{HEIGHT - 4}" text-anchor="middle">{escape(self.x_label)}</text>',
            f'<text transform="translate(12 {half:g}) rotate(-90)" text-anchor="middle">{escape(self.y_label)}</text>',
            "</svg>",
        ]
        return "\n".join(parts)


class _Scale:
    """Numbers to pixels."""

    def __init__(self, values: Sequence[float], first: float, last: float) -> None:
        low, high = min(values, default=0.0), max(values, default=1.0)
        margin = 0.5 * abs(high) or 1.0 if high - low <= 1e-12 * max(abs(high), abs(low)) else 0.0
        self.low, self.high, self.first, self.last = low - margin, high + margin, first, last
        most = max(abs(self.low), abs(self.high))
        self.power = 0 if 1e-3 <= most < 1e6 else floor(log10(most))

    def __call__(self, value: float) -> float:
        return self.first + (value - self.low) / (self.high - self.low) * (self.last - self.first)

    @property
    def unit(self) -> str:
        """What the numbers at the axis are times of: ×10⁻⁵; nothing for those of usual size."""
        return f"×10{str(self.power).translate(RAISED)}" if self.power else ""

    def texts(self) -> list[tuple[float, str]]:
        """The ticks, each with its number, of as many digits as tell it from the next."""
        ticks = _round_numbers(self.low, self.high, 5)
        most, step = max(abs(self.low), abs(self.high)), ticks[1] - ticks[0] if len(ticks) > 1 else self.high - self.low
        digits = max(3 if self.power else 6, min(15, ceil(log10(most / step)) + 2))
        return [(x, f"{x / 10.0**self.power:.{digits}g}") for x in ticks]


def _round_numbers(low: float, high: float, parts: int) -> list[float]:
    """Those between the two, about so many steps from one to the other."""
    rough = (high - low) / parts
    power = 10.0 ** floor(log10(rough))
    step = next(x * power for x in (1, 2, 2.5, 5, 10) if x * power >= rough)
    return [k * step for k in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def _near(heights: Sequence[float], levels: Sequence[float]) -> list[float]:
    """Heights, and those levels that lie near them: a limit far away would leave a flat line."""
    most = max(map(abs, heights), default=1.0)
    return [*heights, *(y for y in levels if abs(y) <= 2 * most)] or [0.0, 1.0]


def _unit(x: float, y: float, text: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" text-anchor="end">{text}</text>'


def _tick_across(scale: _Scale, x: float, text: str) -> str:
    at, end = scale(x), HEIGHT - BOTTOM
    line = f'<line x1="{at:.1f}" y1="{TOP}" x2="{at:.1f}" y2="{end}" stroke="#e4e4e4"/>'
    return f'{line}<text x="{at:.1f}" y="{end + 14}" text-anchor="middle">{text}</text>'


def _tick_up(scale: _Scale, y: float, text: str) -> str:
    at = scale(y)
    line = f'<line x1="{LEFT}" y1="{at:.1f}" x2="{WIDTH - RIGHT}" y2="{at:.1f}" stroke="#e4e4e4"/>'
    return f'{line}<text x="{LEFT - 5}" y="{at + 4:.1f}" text-anchor="end">{text}</text>'


def _level(scale: _Scale, y: float) -> str:
    at = scale(y)
    return f'<line x1="{LEFT}" y1="{at:.1f}" x2="{WIDTH - RIGHT}" y2="{at:.1f}" stroke="#888" stroke-dasharray="2 3"/>'


def _polyline(across: _Scale, up: _Scale, x: Sequence[float], line: ChartLine) -> str:
    pairs = [(across(a), up(b)) for a, b in zip(x, line.y) if isfinite(b)]
    if line.dots:
        wide = line.dot or min(5.0, max(2.4, 60 / sqrt(len(pairs) or 1)))
        return _dots(pairs, _paint(line)[0], wide)
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in _thin_points(pairs))
    colour, dash = _paint(line)
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="1.4"{dash}/>'


def _paint(line: ChartLine) -> tuple[str, str]:
    return COLOURS[line.colour % len(COLOURS)], DASHED if line.dashed else ""


def _dots(pairs: Sequence[tuple[float, float]], colour: str, wide: float) -> str:
    """Of many points as many as can be seen, evenly chosen."""
    chosen = pairs[:: max(1, len(pairs) // DOTS)]
    path = "".join(f"M{a:.1f} {b:.1f}h0" for a, b in chosen)
    return (
        f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="{wide:g}" stroke-linecap="round" opacity="0.6"/>'
    )


def _thin_points(pairs: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Of many points the first, the highest and the lowest of every stretch: a peak of one sample is still seen."""
    several = len(pairs) // POINTS
    if several < 4:
        return list(pairs)
    found = []
    for start in range(0, len(pairs), several):
        part = range(start, min(start + several, len(pairs)))
        ends = {start, min(part, key=lambda k: pairs[k][1]), max(part, key=lambda k: pairs[k][1])}
        found += [pairs[k] for k in sorted(ends)]
    return [*found, pairs[-1]]


def _legend(lines: Sequence[ChartLine]) -> list[str]:
    found, at = list[str](), WIDTH - RIGHT
    if sum(7 * len(line.name) + 26 for line in lines) > WIDTH - LEFT - RIGHT:  # no room
        return found
    for line in reversed(lines):
        at -= 7 * len(line.name) + 26
        colour, dash = _paint(line)
        found.append(f'<line x1="{at}" y1="12" x2="{at + 16}" y2="12" stroke="{colour}" stroke-width="2"{dash}/>')
        found.append(f'<text x="{at + 20}" y="16">{escape(line.name)}</text>')
    return found


# A number by colour over two axes, as SVG: a picture of one pixel a cell inside, so that a page stays small.
#
# The colours are light where there is much and differ in grey and for the colour-blind; where there is no number
# nothing is drawn.

SIDE, HEAT_LEFT, HEAT_TOP, HEAT_BOTTOM, BAR = 360, 62, 28, 40, 84
# dark to light, evenly spaced; between them in a straight line
HEAT_COLOURS = ((68, 1, 84), (65, 68, 135), (42, 120, 142), (34, 168, 132), (122, 209, 81), (253, 231, 37))


@dataclass(frozen=True)
class HeatMap:
    """`values[row][column]` at the heights `y` (ascending) and the places `x` (ascending); None or NaN: no number."""

    title: str
    x_label: str
    y_label: str
    x: Sequence[float]
    y: Sequence[float]
    values: Sequence[Sequence[float | None]]
    unit: str = ""

    def svg(self) -> str:
        """A picture that needs nothing else."""
        known = [v for row in self.values for v in row if v is not None and isfinite(v)]
        low, high = (min(known), max(known)) if known else (0.0, 1.0)
        wide, tall = self._size()
        parts = [
            f'<svg viewBox="0 0 {HEAT_LEFT + wide + BAR:.0f} {HEAT_TOP + tall + HEAT_BOTTOM:.0f}" role="img" '
            f'aria-label="{escape(self.title)}" xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" '
            'font-size="11" fill="currentColor">',
            f'<text x="{HEAT_LEFT}" y="16" font-size="13">{escape(self.title)}</text>',
            f'<rect x="{HEAT_LEFT}" y="{HEAT_TOP}" width="{wide:.1f}" height="{tall:.1f}" fill="none" stroke="#999"/>',
            _image(HEAT_LEFT, HEAT_TOP, wide, tall, _pixels(self.values, low, high)),
            *(_below(x, _at(x, self.x, HEAT_LEFT, wide), HEAT_TOP + tall) for x in _ticks(self.x)),
            *(_beside(y, HEAT_TOP + tall - _at(y, self.y, 0, tall)) for y in _ticks(self.y)),
            f'<text x="{HEAT_LEFT + wide / 2:.1f}" y="{HEAT_TOP + tall + 32:.1f}" text-anchor="middle">'
            f"{escape(self.x_label)}</text>",
            f'<text transform="translate(12 {HEAT_TOP + tall / 2:.1f}) rotate(-90)" text-anchor="middle">'
            f"{escape(self.y_label)}</text>",
            *self._bar(low, high, wide, tall),
            "</svg>",
        ]
        return "\n".join(parts)

    def _size(self) -> tuple[float, float]:
        """Cells are square where both axes are lengths of the same kind: as wide as the axis is long, within reason."""
        if not (_is_even(self.x) and _is_even(self.y)):
            return SIDE, 0.8 * SIDE
        wide, tall = (abs(axis[-1] - axis[0]) * (1 + 1 / max(len(axis) - 1, 1)) for axis in (self.x, self.y))
        ratio = min(max(tall / wide, 0.4), 1.6) if wide and tall else 0.6
        return (SIDE, SIDE * ratio) if ratio <= 1 else (SIDE / ratio, SIDE)

    def _bar(self, low: float, high: float, wide: float, tall: float) -> list[str]:
        steps = [[low + (high - low) * k / 63] for k in range(64)]
        left = HEAT_LEFT + wide + 14
        words = [(HEAT_TOP + 4, high), (HEAT_TOP + tall / 2 + 4, (low + high) / 2), (HEAT_TOP + tall + 4, low)]
        return [
            _image(left, HEAT_TOP, 12, tall, _pixels(steps, low, high)),
            *(f'<text x="{left + 17:.1f}" y="{at:.1f}">{value:.3g}</text>' for at, value in words),
            f'<text x="{left:.1f}" y="{HEAT_TOP - 8}">{escape(self.unit)}</text>',
        ]


def _at(value: float, axis: Sequence[float], first: float, length: float) -> float:
    """The middle of a cell stands where its number is; cells are equally wide, whatever the steps between them."""
    if _is_even(axis):
        half = (axis[-1] - axis[0]) / max(len(axis) - 1, 1) / 2 or 0.5
        return first + length * (value - axis[0] + half) / (axis[-1] - axis[0] + 2 * half)
    return first + length * (axis.index(value) + 0.5) / len(axis)


def _is_even(axis: Sequence[float]) -> bool:
    step = (axis[-1] - axis[0]) / max(len(axis) - 1, 1)
    return all(abs(x - axis[0] - k * step) <= 1e-6 * abs(step) for k, x in enumerate(axis))


def _ticks(axis: Sequence[float]) -> list[float]:
    """Round numbers on the axis; of one whose steps differ, some of its own."""
    low, high = axis[0], axis[-1]
    if not high > low:
        return [low]
    if not _is_even(axis):
        return [axis[k] for k in range(0, len(axis), max(1, (len(axis) + 3) // 5))]
    return _round_numbers(low, high, 4)


def _below(value: float, at: float, end: float) -> str:
    return f'<text x="{at:.1f}" y="{end + 15:.1f}" text-anchor="middle">{value:.4g}</text>'


def _beside(value: float, at: float) -> str:
    return f'<text x="{HEAT_LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{value:.4g}</text>'


def _image(x: float, y: float, wide: float, tall: float, pixels: Sequence[bytes]) -> str:
    data = b64encode(_png(pixels)).decode()
    return (
        f'<image x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{tall:.1f}" preserveAspectRatio="none" '
        f'image-rendering="pixelated" href="data:image/png;base64,{data}"/>'
    )


def _pixels(values: Sequence[Sequence[float | None]], low: float, high: float) -> list[bytes]:
    """Rows of red, green, blue, alpha, from the top."""
    return [b"".join(_colour(v, low, high) for v in row) for row in reversed(values)]


def _colour(value: float | None, low: float, high: float) -> bytes:
    if value is None or not isfinite(value):
        return b"\0\0\0\0"
    at = (value - low) / (high - low) * (len(HEAT_COLOURS) - 1) if high > low else (len(HEAT_COLOURS) - 1) / 2
    k = min(int(at), len(HEAT_COLOURS) - 2)
    mixed = (round(a + (b - a) * (at - k)) for a, b in zip(HEAT_COLOURS[k], HEAT_COLOURS[k + 1]))
    return bytes((*mixed, 255))


def _png(rows: Sequence[bytes]) -> bytes:
    """Four bytes a pixel. PNG specification (ISO/IEC 15948), clauses 5, 11 and 13: no filter, one chunk of data."""
    head = struct.pack(">IIBBBBB", len(rows[0]) // 4, len(rows), 8, 6, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
