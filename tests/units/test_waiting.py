"""What takes long says so to somebody who watches, once, and to nobody else."""

from __future__ import annotations

import io
import time
from types import SimpleNamespace

import pytest

import manipula as mp
from manipula.support import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal, and nobody's patience."""
    made = Terminal()
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=made))  # pytest puts its own in place of sys.stderr
    monkeypatch.setattr(progress, "SOON", 0.0)
    return made


def wait_for(terminal: Terminal) -> None:
    for _ in range(500):
        if terminal.getvalue():
            return
        time.sleep(0.01)


def test_it_is_said_once(terminal: Terminal) -> None:
    with progress.told_when_slow("thinking"):
        wait_for(terminal)
        with progress.told_when_slow("thinking about thinking"):
            time.sleep(0.02)
    assert terminal.getvalue() == "manipula: thinking …\n"


def test_what_is_soon_done_is_not_said(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "SOON", 60.0)
    with progress.told_when_slow("thinking"):
        pass
    assert terminal.getvalue() == ""


def test_whoever_tells_of_progress_is_enough(terminal: Terminal) -> None:
    with progress.told_by_others(), progress.told_when_slow("thinking"):
        time.sleep(0.02)
    assert terminal.getvalue() == ""


def test_nothing_in_a_pipe(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(progress, "SOON", 0.0)
    with progress.told_when_slow("thinking"):
        time.sleep(0.02)
    mp.Arm(mp.load("planar2r").with_parameters(l1=1, l2=1, m1=1, m2=1, g=9.81)).gravity([0, 0])
    monkeypatch.setattr(progress, "sys", SimpleNamespace(stderr=None))  # a program without a console
    with progress.told_when_slow("thinking"):
        pass
    assert capsys.readouterr().err == ""


def test_an_error_inside_is_the_caller_s(terminal: Terminal) -> None:
    with pytest.raises(ZeroDivisionError), progress.told_when_slow("dividing"):
        raise ZeroDivisionError
    with progress.told_when_slow("going on"):
        wait_for(terminal)
    assert terminal.getvalue().endswith("going on …\n")


@pytest.mark.turn
def test_models_and_inverse_kinematics_say_what_they_do(terminal: Terminal) -> None:
    arm = mp.Arm(mp.load("planar2r").with_parameters(l1=1, l2=1, m1=1, m2=1, g=9.81))
    arm.gravity([0.1, 0.2])
    wait_for(terminal)
    assert "making gravity of planar2r, once" in terminal.getvalue()
    terminal.truncate(0)
    arm.inverse_kinematics(arm.pose([0.1, 0.2]))
    assert "inverse kinematics of planar2r" in terminal.getvalue() or "making pose of planar2r" in terminal.getvalue()
    terminal.truncate(0)
    arm.gravity([0.1, 0.2])
    assert "gravity" not in terminal.getvalue()
