"""Files with a few wrong bytes, of every format: an answer, or a sentence that names the file; a crash is noticed."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.mutated import reading
from tests.mutated.samples import KINDS


@pytest.mark.turn
@pytest.mark.parametrize(("seed", "count"), [(11, 100), pytest.param(12, 4000, marks=pytest.mark.slow)])
@pytest.mark.skipif(not hasattr(reading.select, "poll"), reason="pipes cannot be waited for here")
@pytest.mark.timeout(3000)
def test_a_mutated_file_is_read_or_refused_by_name(seed: int, count: int) -> None:
    """`python -m tests.mutated --seed S --count N` draws more of them."""
    for name in ("h5py", "pyarrow", "mcap_ros2", "rosbags"):
        pytest.importorskip(name, reason=f"{name} writes the recordings that are mutated")
    found = list(reading.read_all(seed, count))
    assert [one for one in found if one.state not in ("good", "refused")] == []
    assert [one.number for one in found] == list(range(count))
    states = Counter((one.kind, one.state) for one in found)
    assert {kind for kind, _ in states} == set(KINDS)
    assert (
        min(sum(n for (_, state), n in states.items() if state == wanted) for wanted in ("good", "refused"))
        > count / 10
    )


@pytest.mark.turn
@pytest.mark.skipif(not hasattr(reading.select, "poll"), reason="pipes cannot be waited for here")
def test_a_reader_that_dies_hangs_or_raises_is_noticed_and_the_others_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "PATIENCE", 8.0)
    found = list(reading.read_all(1, 6, ["crash", "raw", "motion.csv"]))
    assert [one.kind for one in found] == ["crash", "raw", "motion.csv"] * 2
    assert [one.state for one in found if one.kind != "motion.csv"] == ["crash", "raw"] * 2
    (hung,) = reading.read_all(1, 1, ["hang"])
    assert hung.state == "hang"
