"""Arguments of functions on a GPU, with numpy's arrays in place of a device's: layouts, steps, results, refusals."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.run.cuda import Arguments
from manipula.algebra.run.cuda_rollouts import Drive, _lying_together, _packed
from manipula.algebra.tape import Port


class Stand(np.ndarray[Any, Any]):
    """An array that says where it lies, as CuPy's do."""

    where = 0

    @property
    def data(self) -> Any:  # type: ignore[override]
        return SimpleNamespace(ptr=self.ctypes.data, device_id=self.where)


STAND: Any = SimpleNamespace(
    ndarray=Stand,
    empty=lambda shape, dtype: np.empty(shape, dtype).view(Stand),
    broadcast_to=lambda x, shape: np.broadcast_to(x, shape, subok=True),
    ascontiguousarray=lambda x: np.ascontiguousarray(x).view(Stand),
    cuda=SimpleNamespace(runtime=SimpleNamespace(getDevice=lambda: 0)),
)


def port(name: str, *shape: int) -> Port:
    return Port(name, shape, tuple(range(int(np.prod(shape)))))


def driven(drive: Drive, shape: tuple[int, int, int]) -> Any:
    """(steps, entries, rows) as a kernel reads them: from the first entry on, by the strides."""
    strides = [8 * stride for stride in drive.strides]
    return np.lib.stride_tricks.as_strided(np.asarray(drive.array), shape, strides)


@pytest.mark.parametrize("draw", range(12))
def test_what_drives_a_run_is_read_step_by_step_entry_by_entry_row_by_row(draw: int) -> None:
    """Parts held over the steps or moving, of one row for all or of each: copied side by side; read in place where one
    array holds them."""
    rng = np.random.default_rng(draw)
    steps, rows = (int(x) for x in rng.integers(1, 6, 2))
    sizes = [(int(rng.choice([1, steps])), int(rng.integers(1, 4)), int(rng.choice([1, rows]))) for _ in range(3)]
    parts: Any = [rng.normal(size=size).view(Stand) for size in sizes]
    shape = max(x[0] for x in sizes), sum(x[1] for x in sizes), max(x[2] for x in sizes)
    # what is held is read again at every step, one row by every thread
    read = shape[0] if shape[0] > 1 else 4, shape[1], shape[2] if shape[2] > 1 else 3
    wide = np.concatenate([np.broadcast_to(x, (read[0], x.shape[1], read[2])) for x in parts], axis=1)
    np.testing.assert_array_equal(driven(_packed(STAND, parts, np.dtype(float)), read), wide)
    assert _lying_together(parts) is None
    whole: Any = rng.normal(size=shape).view(Stand)
    places = np.cumsum([x[1] for x in sizes])[:-1]
    lying = _lying_together(np.split(whole, places, axis=1))
    assert lying is not None
    np.testing.assert_array_equal(driven(lying, read), np.broadcast_to(whole, read))
    assert _lying_together(np.split(whole, places, axis=1)[::-1]) is None
    assert _packed(STAND, [], np.dtype(float)).array.size == 0


CALL = Arguments(STAND, "f", np.dtype(np.float64), ([port("q", 6), port("qd", 6)], [port("A", 6, 6), port("b", 6)]))


def array(*shape: int, columns: bool = False) -> Any:
    made = np.zeros(shape[::-1] if columns else shape)
    return (made.T if columns else made).view(Stand)


def test_layouts_are_told_apart() -> None:
    rows, columns = array(50, 6), array(50, 6, columns=True)
    assert CALL.arrange([rows, rows], None).layout == "rows"
    assert CALL.arrange([columns, columns], None).layout == "columns"
    assert CALL.arrange([rows, columns], None).layout == "strides"
    assert CALL.arrange([rows, array(6)], None).layout == "strides"
    assert CALL.arrange([array(50, 12)[:, :6], rows], None).layout == "strides"
    assert CALL.arrange([array(6), array(6)], None).layout == "columns"  # of one configuration


def test_results_lie_as_the_first_input_does() -> None:
    A, b = CALL.arrange([array(50, 6, columns=True), array(6)], None).results
    assert A.shape == (50, 6, 6) and A.strides == (8, 50 * 48, 50 * 8)
    A, b = CALL.arrange([array(5, 10, 6), array(6)], None).results
    assert A.shape == (5, 10, 6, 6) and b.shape == (5, 10, 6) and A.flags.c_contiguous


def test_steps_say_where_the_entries_are() -> None:
    wide = array(50, 12)
    call = CALL.arrange([wide[::2, 1:7], array(6)], None)
    assert [steps for _, steps in call.inputs] == [(24, 1), (0, 1)]
    assert [steps for _, steps in call.outputs] == [(36, 1), (6, 1)]
    assert call.inputs[0][0].ctypes.data == wide[0, 1:].ctypes.data
    assert CALL.arrange([wide[::-1, 5::-1], array(6)], None).inputs[0][1] == (-12, -1)


def test_uneven_leading_axes_are_copied() -> None:
    uneven = np.zeros((4, 5, 6)).view(Stand)[:, :3]
    call = CALL.arrange([uneven, uneven], None)
    assert call.rows == 12 and call.layout == "rows"


def test_rows_that_are_not_aligned_are_read_by_steps() -> None:
    memory = np.zeros(50 * 6 + 2).view(Stand)
    shift = 1 if memory.ctypes.data % 16 == 0 else 2
    odd = memory[shift : shift + 300].reshape(50, 6)
    assert CALL.arrange([odd, array(50, 6)], None).layout == "strides"


def test_out_is_used_and_an_input_it_would_overwrite_is_copied() -> None:
    q, A = array(50, 6), array(50, 6, 6)
    call = CALL.arrange([q, array(6)], (A, q))
    assert call.results[0] is A and call.results[1] is q
    assert not np.may_share_memory(call.inputs[0][0], q)
    wide = array(50, 12)
    call = CALL.arrange([array(50, 6), array(6)], (A, wide[:, 6:]))
    assert call.outputs[1][1] == (12, 1)


def test_a_hundred_million_rows_and_none() -> None:
    many = np.broadcast_to(array(6), (100_000_000, 6), subok=True)
    out = (np.broadcast_to(array(6, 6), (100_000_000, 6, 6), subok=True), array(6))
    with pytest.raises(mp.InputError, match="out for A: expected evenly spaced rows"):
        CALL.arrange([many, many], out)
    assert CALL.arrange([array(0, 6), array(6)], None).results[0].shape == (0, 6, 6)


REFUSED = {
    "expected 2 inputs (q, qd), found 1": ([array(6)], None),
    "q: expected a CuPy array, found [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]; cupy.asarray(q)": ([[0.0] * 6, array(6)], None),
    "found a numpy ndarray of shape (6,); cupy.asarray(qd) copies it to the device": ([array(6), np.zeros(6)], None),
    'q: expected dtype float64, found float32; compile(dtype="float32")': (
        [array(6).astype(np.float32), array(6)],
        None,
    ),
    "q: expected dtype float64, found int64": ([array(6).astype(np.int64), array(6)], None),
    "qd: expected shape (..., 6), found (5,)": ([array(6), array(5)], None),
    "do not broadcast: q (3, 6), qd (4, 6)": ([array(3, 6), array(4, 6)], None),
    "out: expected 2 arrays (A, b), found 1": ([array(6), array(6)], array(6)),
    "out for b: expected shape (3, 6), found (6,)": ([array(3, 6), array(6)], (array(3, 6, 6), array(6))),
    "out for A: expected a CuPy array": ([array(6), array(6)], (np.zeros((6, 6)), array(6))),
    "out for b: expected evenly spaced": ([array(2, 3, 6), array(6)], (array(2, 3, 6, 6), array(2, 5, 6)[:, :3])),
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_cannot_be_used_is_told(message: str) -> None:
    with pytest.raises(mp.InputError) as problem:
        CALL.arrange(*REFUSED[message])
    assert message in str(problem.value)


def test_an_array_of_another_device_is_refused() -> None:
    far = array(6)
    far.where = 1
    with pytest.raises(mp.InputError, match="expected an array on device 0, the one in use, found one on 1"):
        CALL.arrange([far, array(6)], None)
