"""Noise by counting: published words of Philox, the same numbers in any form, and what a law sees through sensors."""

from __future__ import annotations

import ctypes
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.emit.backend import emit_program
from manipula.algebra.program.primitives import normals, philox
from manipula.algebra.program.reader import program
from manipula.algebra.run import numpy_run
from manipula.algebra.run.routines import compiled_together
from tests.emitted import needs_cc, shared
from tests.golden.sentences import Sentences

pytestmark = pytest.mark.usefixtures("without_search")

PLANAR = mp.load("planar2r").with_parameters(l1=1, l2=0.7, m1=2, m2=1, g=9.81)
# counter, key, result: the known answers that come with the authors' own code (Random123, philox4x32 10)
KNOWN = [
    ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]


def four(seed: int, rollout: int, step: int, channel: int) -> Any:
    """By the text itself, in plain Python."""
    out = np.zeros(4)
    normals(seed, rollout, step, channel, out)
    return out


@pytest.mark.parametrize("counter, key, known", KNOWN)
def test_the_published_words(counter: list[int], key: list[int], known: list[int]) -> None:
    plain = np.array(counter, dtype=object)
    philox(plain, *key)
    assert plain.tolist() == known
    native = np.array(counter, dtype=np.uint64)
    compiled_together(philox, normals)[0](native, *key)
    assert native.tolist() == known
    rows = numpy_run._rounds([np.full(3, x, np.uint64) for x in counter], key[0], np.full(3, key[1], np.uint64))
    assert [x.tolist() for x in rows] == [[x] * 3 for x in known]


@needs_cc
def test_the_same_numbers_in_c(tmp_path: Path) -> None:
    source = tmp_path / "noise.c"
    text = emit_program(program(normals), "c", ["normals"], wide=True)
    source.write_text(f"#include <math.h>\n{text}\n")
    call, out = shared(source).normals, (ctypes.c_double * 4)()
    rng = np.random.default_rng(0)
    for seed, rollout, step, channel in rng.integers(0, 2**32, (50, 4)).tolist():
        call(*(ctypes.c_int64(x) for x in (seed, rollout, step * 97, channel)), out)
        np.testing.assert_array_max_ulp(np.array(out), four(seed, rollout, step * 97, channel), maxulp=2)


@cache
def watched(q: float | None = None, qd: Any = None, resolution: float | None = None, delay: int = 0) -> mp.System:
    given = {name: x for name, x in (("q", q), ("qd", qd)) if x is not None}
    seen = mp.Sensors(given, resolution, delay)
    law = mp.controller(PLANAR, "pd_gravity", kp=60, kd=9, sample=1e-3)
    return mp.closed_loop(PLANAR, law, sensors=seen, method="euler")


REF = ([0.3, 0.1], [0.0, 0.0])


def run(loop: mp.System, state: Any, steps: int, **more: Any) -> Any:
    return loop.run(state, steps, *REF, **more)


@pytest.mark.parametrize("first", [5, 2**32 - 4, 97 * 2**32 + 5])
def test_a_run_draws_what_the_text_says(first: int) -> None:
    """Step by step with the deviates of the text, and in one call that draws them itself; of any step's number."""
    loop = watched(q=1e-3, qd=(1e-2, 0.0), resolution=5e-4, delay=1)
    state = loop.start(q=[0.1, 0.2], q_seen1=[0.1, 0.2])
    ran = run(loop, state, 9, seed=3, rollout=11, first=first)
    for k in range(9):
        q_noise, qd_noise = np.split(four(3, 11, first + k, 0), 2)
        given = {"q_ref": REF[0], "qd_ref": REF[1], "q_noise": q_noise, "qd_noise": qd_noise}
        was = state
        free = [x.name for x in loop.function.inputs if x.role in ("variable", "noise")]
        state, out = loop.step(state, *(given[name] for name in free))
        coarse = np.floor((was.q + 1e-3 * q_noise) / 5e-4 + 0.5) * 5e-4
        np.testing.assert_allclose(state.q_seen1, coarse, rtol=0, atol=1e-12)
        np.testing.assert_allclose(state.qd_seen1, was.qd + [1e-2, 0] * qd_noise, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(out.q_measured, was.q_seen1)
        torque = mp.Arm(PLANAR).gravity(was.q_seen1) + 60 * (REF[0] - was.q_seen1) - 9 * was.qd_seen1
        np.testing.assert_allclose(out.tau, torque, rtol=1e-10)
        np.testing.assert_allclose(ran.outputs.tau[k], out.tau, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_rollout_has_its_own_noise_wherever_it_runs(dtype: str) -> None:
    loop = watched(q=1e-3, qd=1e-2)
    f = loop.compile(dtype=dtype)
    state, p, rows = f.start(q=np.tile([0.1, 0.2], (29, 1))), {**loop._set}, [0, 7, 28]
    many = f.run(state, 12, *REF, p=p, seed=9)
    for threads in (2, 5):
        assert f.run(state, 12, *REF, p=p, seed=9, threads=threads).state.q.tobytes() == many.state.q.tobytes()
    for i in rows:
        one = f.run([x[i] for x in state], 12, *REF, p=p, seed=9, rollout=i)
        assert one.states.q.tobytes() == many.states.q[i].tobytes()
    assert len({many.state.q[i].tobytes() for i in range(29)}) == 29
    assert f.run(state, 12, *REF, p=p, seed=10).state.q.tobytes() != many.state.q.tobytes()
    part = f.run(state, 5, *REF, p=p, seed=9)
    assert f.run(part.state, 7, *REF, p=p, seed=9, first=5).state.q.tobytes() == many.state.q.tobytes()


def test_without_a_compiler_the_words_are_the_same() -> None:
    loop = watched(q=1e-3, qd=1e-2)
    state, p = loop.start(q=np.tile([0.1, 0.2], (5, 1))), {**loop._set}
    one, other = (loop.compile(x).run(state, 6, *REF, p=p, seed=1).states.qd for x in ("llvm", "numpy"))
    np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


def test_the_noise_is_normal_and_white() -> None:
    """Mean, variance, fourth moment, and no correlation between channels, steps and rollouts."""
    loop = watched(q=1.0, qd=1.0)
    ran = loop.run(loop.start(q=np.zeros((300, 2))), 200, *REF, seed=2, p={"kp": 0, "kd": 0})
    z = np.concatenate([ran.outputs.q_measured - ran.states.q, ran.outputs.qd_measured - ran.states.qd], axis=-1)
    n = z.size
    assert abs(z.mean()) < 4 / n**0.5 and abs(z.var() - 1) < 4 * (2 / n) ** 0.5 and abs((z**4).mean() - 3) < 0.1
    flat = z.reshape(-1, 4)
    assert np.abs(np.corrcoef(flat.T) - np.eye(4)).max() < 4 / len(flat) ** 0.5
    assert abs((z[:, 1:] * z[:, :-1]).mean()) < 4 / n**0.5 and abs((z[1:] * z[:-1]).mean()) < 4 / n**0.5


def test_sensors_without_anything_change_nothing() -> None:
    law = mp.controller(PLANAR, "pd_gravity", kp=60, kd=9, sample=1e-3)
    bare, seen = mp.closed_loop(PLANAR, law, method="euler"), watched()
    a, b = (loop.run(loop.start(q=[0.1, 0.2]), 20, *REF).state for loop in (bare, seen))
    assert a.q.tobytes() == b.q.tobytes()


def test_a_law_in_continuous_time_may_have_noise_but_no_delay() -> None:
    law = mp.controller(PLANAR, "pd_gravity", kp=60, kd=9)
    loop = mp.closed_loop(PLANAR, law, step=1e-3, sensors=mp.Sensors(noise={"q": 1e-4}))
    assert np.isfinite(loop.run(loop.start(), 5, *REF, seed=1).state.q).all()
    with pytest.raises(mp.InputError, match="delay counts samples"):
        mp.closed_loop(PLANAR, law, step=1e-3, sensors=mp.Sensors(delay=1))


def test_what_sensors_cannot_be(whole: Sentences) -> None:
    for wrong in ({"q": -1e-3}, {"qd": float("nan")}, {"q": "much"}, {"q": []}, {"q": [1e-3, float("inf")]}):
        with whole.raises(mp.InputError, match="noise of"):
            mp.Sensors(noise=wrong)
    with whole.raises(mp.UnknownNameError, match="did you mean 'qd'"):
        mp.Sensors(noise={"qdd": 1})
    for step in (0, -1e-3, float("nan"), "fine", [1e-3, 0]):
        with whole.raises(mp.InputError, match="resolution: expected numbers, more than 0"):
            mp.Sensors(resolution=step)
    for delay in (-1, 1.0, True, 65, None):
        with whole.raises(mp.InputError, match="delay: expected whole samples"):
            mp.Sensors(delay=delay)  # type: ignore[arg-type]
    with whole.raises(mp.InputError, match="q_sigma: expected a number or 2 numbers"):
        law = mp.controller(PLANAR, "pd_gravity", kp=60, kd=9, sample=1e-3)
        mp.closed_loop(PLANAR, law, sensors=mp.Sensors(noise={"q": [1, 2, 3]}))
    loop = watched(q=1e-3, qd=1e-2)
    for name, wrong_number in (("seed", -1), ("seed", 1.5), ("rollout", -1), ("rollout", [1, 2]), ("first", "now")):
        with whole.raises(mp.InputError, match=name):
            run(loop, loop.start(), 3, **{name: wrong_number})
