"""How a file is changed: a few bytes, as a disk or a hand does it."""

from __future__ import annotations

import random
import re
import struct

NUMBERS = (
    "0.5", "2", "10", "1e6",
    "0", "-0", "-1", "1e300", "-1e300", "1e-300", "1e308", "1e999", "-1e999", "nan", "inf", "-inf", "7" * 5000,
    "1e99999999", "0x" + "f" * 2000, "1_000", "1,5", "1.5.2", "true", "''", "99999999999999999999", "٣", "1e5", "1e-20",
    "pi", "2**9999",
)  # fmt: skip
SNIPPETS = (
    b"\0", b"\xff\xfe", b"\xc3", "é".encode(), "\u202e".encode(), b"]", b"[", b"{", b'"', b"'", b"=", b"\r", b"\n\n",
    b"<", b"/>", b"&a;", b"[[joint]]\n", b"#", b",", b";", b"\t", b" " * 500, b"(" * 400, b"a." * 300, b"../../x", b"%",
)  # fmt: skip
WHOLE = (0, 1, 2, 3, 7, 8, 127, 128, 255, 256, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


def mutate(data: bytes, rng: random.Random, is_text: bool) -> bytes:
    """A few changes; most files have one, as a disk or a hand makes them. Half of the texts stay well formed."""
    if is_text and rng.random() < 0.5:
        return _number(data, rng)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        data = rng.choice(_TEXT_CHANGES if is_text else _CHANGES)(data, rng) if data else data
    return data


def _flip(data: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << rng.randrange(8))]) + data[place + 1 :]


def _byte(data: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(data))
    return data[:place] + bytes([rng.choice((0, 1, 2, 10, 127, 128, 255, rng.randrange(256)))]) + data[place + 1 :]


def _integer(data: bytes, rng: random.Random) -> bytes:
    """A length or an offset, of either order."""
    form = rng.choice(("<I", ">I", "<Q", "<H"))
    size = struct.calcsize(form)
    place = rng.randrange(max(len(data) - size, 1))
    value = rng.choice((*WHOLE, len(data), len(data) + 1)) % 2 ** (8 * size)
    return data[:place] + struct.pack(form, value) + data[place + size :]


def _cut(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


def _part(data: bytes, rng: random.Random) -> tuple[int, int]:
    begin = rng.randrange(len(data))
    return begin, min(begin + rng.choice((1, 4, 8, 30, 200)), len(data))


def _drop(data: bytes, rng: random.Random) -> bytes:
    begin, end = _part(data, rng)
    return data[:begin] + data[end:]


def _repeat(data: bytes, rng: random.Random) -> bytes:
    begin, end = _part(data, rng)
    return data[:end] + data[begin:end] * rng.choice((1, 1, 5)) + data[end:]


def _blank(data: bytes, rng: random.Random) -> bytes:
    begin, end = _part(data, rng)
    return data[:begin] + bytes([rng.choice((0, 255))]) * (end - begin) + data[end:]


def _snippet(data: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(data))
    return data[:place] + rng.choice(SNIPPETS) + data[place:]


def _number(data: bytes, rng: random.Random) -> bytes:
    found = list(re.finditer(rb"-?\d+(\.\d+)?(e-?\d+)?", data))
    return _swapped(data, rng.choice(found).span(), rng.choice(NUMBERS).encode()) if found else data


def _word(data: bytes, rng: random.Random) -> bytes:
    """Another word of the file in the place of one, or none."""
    found = [x.span() for x in re.finditer(rb"[A-Za-z_]\w*", data)]
    if len(found) < 2:
        return data
    span, other = rng.sample(found, 2)
    return _swapped(data, span, rng.choice((data[slice(*other)], b"", b"x" * 300, data[slice(*span)].upper())))


def _line(data: bytes, rng: random.Random) -> bytes:
    """A line gone, twice, or in another place."""
    lines = data.split(b"\n")
    line = lines.pop(rng.randrange(len(lines)))
    for _ in range(rng.choice((0, 1, 2))):
        lines.insert(rng.randint(0, len(lines)), line)
    return b"\n".join(lines)


def _swapped(data: bytes, span: tuple[int, int], new: bytes) -> bytes:
    return data[: span[0]] + new + data[span[1] :]


_CHANGES = (_flip, _flip, _byte, _byte, _integer, _integer, _cut, _drop, _repeat, _blank)
_TEXT_CHANGES = (_number, _number, _number, _word, _word, _line, _snippet, _byte, _cut, _drop, _repeat)
