"""A number by colour over two axes, as SVG: a picture of one pixel a cell inside, so that a page stays small.

The colours are light where there is much and are told apart in grey and by the colour-blind; where there is no number
nothing is drawn.
"""

from __future__ import annotations

import struct
import zlib
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, isfinite, log10

SIDE, LEFT, TOP, BOTTOM, BAR = 360, 62, 28, 40, 84
# dark to light, evenly spaced; between them in a straight line
COLOURS = ((68, 1, 84), (65, 68, 135), (42, 120, 142), (34, 168, 132), (122, 209, 81), (253, 231, 37))


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
            f'<svg viewBox="0 0 {LEFT + wide + BAR:.0f} {TOP + tall + BOTTOM:.0f}" role="img" '
            f'aria-label="{escape(self.title)}" xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" '
            'font-size="11" fill="currentColor">',
            f'<text x="{LEFT}" y="16" font-size="13">{escape(self.title)}</text>',
            f'<rect x="{LEFT}" y="{TOP}" width="{wide:.1f}" height="{tall:.1f}" fill="none" stroke="#999"/>',
            _image(LEFT, TOP, wide, tall, _pixels(self.values, low, high)),
            *(_below(x, _at(x, self.x, LEFT, wide), TOP + tall) for x in _ticks(self.x)),
            *(_beside(y, TOP + tall - _at(y, self.y, 0, tall)) for y in _ticks(self.y)),
            f'<text x="{LEFT + wide / 2:.1f}" y="{TOP + tall + 32:.1f}" text-anchor="middle">'
            f"{escape(self.x_label)}</text>",
            f'<text transform="translate(12 {TOP + tall / 2:.1f}) rotate(-90)" text-anchor="middle">'
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
        left = LEFT + wide + 14
        words = [(TOP + 4, high), (TOP + tall / 2 + 4, (low + high) / 2), (TOP + tall + 4, low)]
        return [
            _image(left, TOP, 12, tall, _pixels(steps, low, high)),
            *(f'<text x="{left + 17:.1f}" y="{at:.1f}">{value:.3g}</text>' for at, value in words),
            f'<text x="{left:.1f}" y="{TOP - 8}">{escape(self.unit)}</text>',
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
    rough = (high - low) / 4
    power = 10.0 ** floor(log10(rough))
    step = next(k * power for k in (1, 2, 2.5, 5, 10) if k * power >= rough)
    return [k * step for k in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def _below(value: float, at: float, end: float) -> str:
    return f'<text x="{at:.1f}" y="{end + 15:.1f}" text-anchor="middle">{value:.4g}</text>'


def _beside(value: float, at: float) -> str:
    return f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{value:.4g}</text>'


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
    at = (value - low) / (high - low) * (len(COLOURS) - 1) if high > low else (len(COLOURS) - 1) / 2
    k = min(int(at), len(COLOURS) - 2)
    mixed = (round(a + (b - a) * (at - k)) for a, b in zip(COLOURS[k], COLOURS[k + 1]))
    return bytes((*mixed, 255))


def _png(rows: Sequence[bytes]) -> bytes:
    """Four bytes a pixel. PNG specification (ISO/IEC 15948), clauses 5, 11 and 13: no filter, one chunk of data."""
    head = struct.pack(">IIBBBBB", len(rows[0]) // 4, len(rows), 8, 6, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
