"""A warning points at the line of the person who can do something about it: through every door that warns."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import manipula as mp
from manipula.support import cache

MAKES_ITS_OWN = True  # functions: a warning points at the first line outside the package, and a shared one has another


def planar() -> mp.Robot:
    return mp.load("planar2r").with_parameters(l1=1, l2=0.7, m1=3, m2=2, g=9.81)


def log_with_a_hole(place: Path) -> None:
    rows = [f"{0.01 * i},{0.005 * i},1.0" for i in range(200) if i != 90]
    (place / "log.csv").write_text("\n".join(["t,q1,tau1", *rows, rows[-1]]))
    mp.read_log(place / "log.csv")


def shared_cache(place: Path) -> None:
    place.chmod(0o777)
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MANIPULA_CACHE", str(place))
        cache._warn_once.cache_clear()
        mp.generate(planar(), "gravity")


DOORS: dict[str, Callable[[Path], object]] = {
    "angle near a quarter turn": lambda place: mp.Robot.from_dh([(0, 0, 1, 1.5708)]),
    "table without convention": lambda place: mp.Robot.from_text("theta d a alpha\nq1 0 1 0\nq2 0 1 0\n", "dh"),
    "inertia that cannot be": lambda place: planar().with_payload(1, inertia=[1, 0, 0, 1, 0, 9]),
    "file that loses something": lambda place: mp.save(mp.load("puma560"), place / "arm.urdf"),
    "no effort limit": lambda place: mp.Plant(planar(), effort="limits"),
    "no effort limit, by a copy": lambda place: replace(mp.Plant(planar(), effort=None), effort="limits"),
    "run cut short": lambda place: mp.simulate(
        mp.Plant(planar(), effort=None), None, mp.trajectory.quintic([0, 0], [1, 1], 1.0), until=0.01
    ),
    "recording with a hole": log_with_a_hole,
    "cache that others write to": shared_cache,
}


@pytest.mark.parametrize("door", DOORS)
def test_at_a_line_of_this_file(door: str, tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        DOORS[door](tmp_path)
    told = [warning for warning in caught if warning.category is mp.ManipulaWarning]
    assert told and {warning.filename for warning in told} == {__file__}, [str(x.message) for x in caught]


def test_at_the_very_line() -> None:
    """Through methods that no file holds, such as those a dataclass has."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mp.Plant(mp.load("planar2r"), effort="limits")
        line = inspect.currentframe().f_lineno - 1  # type: ignore[union-attr]
    assert [(warning.filename, warning.lineno) for warning in caught] == [(__file__, line)]


def test_there_is_one_way_to_warn() -> None:
    """`warnings.warn` counts frames; only `caution` knows which are ours."""
    root = Path(mp.__file__).parent
    users = [path for path in root.rglob("*.py") if "warnings.warn(" in path.read_text(encoding="utf-8")]
    assert [path.relative_to(root).as_posix() for path in users] == ["errors.py"]
