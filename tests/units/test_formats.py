"""The registry of formats: every entry works, nothing is registered twice, and code is loaded when asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

import manipula as mp
from manipula.mechanics.robot.formats import registry
from manipula.mechanics.robot.formats.registry import FORMATS, Format, format_endings
from tests.units.test_surface import loaded_by

FOLDER = Path(registry.__file__).parent
SHARED = [ending for ending in format_endings() if sum(ending in item.endings for item in FORMATS.values()) > 1]


def test_every_folder_with_a_reader_is_registered() -> None:
    assert {path.parent.name for path in FOLDER.glob("*/read.py")} == set(FORMATS)


@pytest.mark.filterwarnings("ignore:.* cannot hold the :manipula.errors.ManipulaWarning")
@pytest.mark.parametrize("item", FORMATS.values(), ids=lambda item: item.name)
def test_an_entry_reads_and_writes_the_same_arm(item: Format, tmp_path: Path) -> None:
    robot = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=2, m2=1, g=9.81)
    for ending in item.endings if item.writer else ():
        again = mp.load(mp.save(robot, tmp_path / f"arm{ending.upper()}"))
        q = [0.3, -0.7]
        assert abs(mp.Arm(again).pose(q) - mp.Arm(robot).pose(q)).max() < 1e-15
    assert item.takes("file") and not item.takes("colour")


@pytest.mark.parametrize("ending", SHARED)
def test_formats_with_one_ending_have_signs(ending: str) -> None:
    later = [item for item in FORMATS.values() if ending in item.endings and item is not format_endings()[ending]]
    assert all(item.sign for item in later)


@pytest.mark.turn
@pytest.mark.drawn("name", few=2)
@pytest.mark.parametrize("name", FORMATS)
def test_reading_one_format_loads_no_other(name: str) -> None:
    code = f"from manipula.mechanics.robot.formats import registry; registry.format_named({name!r}).takes('file')"
    here = "manipula.mechanics.robot.formats"
    readers = {item.reader.split(":")[0] for item in FORMATS.values() if item.name != name}
    assert not loaded_by(code) & {f"{here}.{module}" for module in readers - {"toml.read", "urdf.read"}}
    assert not loaded_by(f"from {here} import registry") & {"numpy", "pydantic", "mpmath"}


def test_an_ending_nobody_knows_is_refused_by_what_can_be_done(tmp_path: Path) -> None:
    robot = mp.load("planar2r")
    with pytest.raises(mp.InputError, match=r"arm\.stl: cannot tell the format from the ending '\.stl'; use \.toml, "):
        mp.save(robot, tmp_path / "arm.stl")
    with pytest.raises(mp.RobotFileError, match=r"cannot tell the format from the ending '\.stl' \(use \.toml, \.urdf"):
        mp.load(tmp_path / "arm.stl")
    with pytest.raises(mp.UnknownNameError, match="format"):
        mp.Robot.from_text("", "stl")
