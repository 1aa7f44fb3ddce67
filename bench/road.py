"""The road of one request in figures: `python bench/road.py [rounds]`.

How many calls of the package lie between `generate` and the text of Newton and Euler (the longest way there, nothing
cached), how often fixed joints are merged on it, and how long a person waits for the first torque of a 7-joint arm
that was generated before: from the loaded package and robot, in a fresh process, in processor time, proof included.
"""

from __future__ import annotations

import builtins
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median
from types import FrameType
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))
import manipula as mp  # noqa: E402

ARM = "iiwa14"
FIRST = "--first"

# six joints that turn and a flange that does not, as URDF files have them; every number has a value
_BODY = (
    '<inertial><origin xyz="0.01 0.02 -0.03"/><mass value="{m}"/>'
    '<inertia ixx="0.2" ixy="0.01" ixz="-0.02" iyy="0.3" iyz="0.015" izz="0.25"/></inertial>'
)
_JOINT = (
    '<joint name="j{i}" type="{kind}"><parent link="l{before}"/><child link="l{i}"/>'
    '<origin xyz="0.0{i} 0 0.{i}" rpy="{roll} 0 0"/><axis xyz="0 0 1"/></joint>'
)


def urdf_arm() -> mp.Robot:
    links = "".join(f'<link name="l{i}">{_BODY.format(m=1 + i / 10)}</link>' for i in range(1, 8))
    turns = ("1.5707963267948966", "0", "1.5707963267948966", "-0.7", "1.5707963267948966", "0.4", "0")
    joints = "".join(
        _JOINT.format(i=i, before=i - 1, roll=turns[i - 1], kind="continuous" if i < 7 else "fixed")
        for i in range(1, 8)
    )
    return mp.Robot.from_text(f'<robot name="six"><link name="l0"/>{links}{joints}</robot>', "urdf")


class Road(NamedTuple):
    """Calls of the package from `generate` to `newton_euler`, both counted, and what is called how often on the way."""

    calls: list[str]
    counts: Counter[str]


WATCHED = ("newton_euler", "merge_fixed", "prove")


def road_of(make: Callable[[], object]) -> Road:
    """The longest way to `newton_euler`; what is made must not be cached."""
    longest: list[str] = []
    counts: Counter[str] = Counter()

    def watch(frame: FrameType, event: str, arg: object) -> None:
        if event != "call" or frame.f_code.co_name not in WATCHED:
            return
        counts[frame.f_code.co_name] += 1
        calls = _calls(frame)
        if frame.f_code.co_name == "newton_euler" and len(calls) > len(longest):
            longest[:] = calls

    sys.setprofile(watch)
    try:
        make()
    finally:
        sys.setprofile(None)
    return Road(longest, counts)


def _calls(frame: FrameType | None) -> list[str]:
    calls: list[str] = []
    while frame is not None:
        path = Path(frame.f_code.co_filename)
        if "manipula" in path.parts and "bench" not in path.parts:
            calls.append(f"{path.stem}.{frame.f_code.co_name}")
        frame = frame.f_back
    return calls[::-1]


def cold_road() -> Road:
    os.environ["MANIPULA_CACHE"] = "off"
    robot = urdf_arm()
    return road_of(lambda: mp.generate(robot, "inverse_dynamics"))


class Clock:
    """Processor time inside a function, however it is called; what it calls of itself is not counted twice."""

    def __init__(self) -> None:
        self.seconds, self.depth = 0.0, 0

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*given: Any, **named: Any) -> Any:
            start, self.depth = time.process_time(), self.depth + 1
            try:
                return function(*given, **named)
            finally:
                self.depth -= 1
                if not self.depth:
                    self.seconds += time.process_time() - start

        return timed


def first_answer() -> None:
    """In a fresh process: seconds in all, of them imports; then, everything imported, reading, proof, compilation."""
    robot = mp.load(ARM)
    state = [[0.1] * 7, [0.2] * 7, [0.3] * 7]
    imports, usual = Clock(), builtins.__import__
    builtins.__import__ = imports.around(usual)
    whole = _seconds(lambda: mp.Arm(robot).inverse_dynamics(*state))
    builtins.__import__ = usual
    from manipula.generation import cache, pipeline
    from manipula.generation.results.model import Model

    read, prove, code = Clock(), Clock(), Clock()
    cache.recall_function = read.around(cache.recall_function)
    pipeline.prove = prove.around(pipeline.prove)
    Model.compile = code.around(Model.compile)  # type: ignore[method-assign]
    again = _seconds(lambda: mp.Arm(robot).inverse_dynamics(*state))
    print(whole, imports.seconds, again, read.seconds, prove.seconds, code.seconds)


def _seconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


PARTS = ("first answer", "of it imports", "again, all imported", "of it reading", "of it proof", "of it machine code")


def first_answers(rounds: int = 5) -> dict[str, list[float]]:
    """Of fresh processes, after one that filled the cache."""
    with tempfile.TemporaryDirectory() as place:
        # bytecode is at hand, as in an installed package, whatever the environment says
        setting = os.environ | {"MANIPULA_CACHE": place, "PYTHONPYCACHEPREFIX": f"{place}/bytecode"}
        setting.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, __file__, FIRST]
        lines = [subprocess.check_output(command, env=setting, text=True) for _ in range(rounds + 1)][1:]
    return dict(zip(PARTS, ([float(x) for x in column] for column in zip(*map(str.split, lines)))))


def main(rounds: int) -> None:
    road = cold_road()
    print(f"from generate to newton_euler: {len(road.calls)} calls:", " > ".join(road.calls))
    print("of one function, nothing cached:", ", ".join(f"{name} {road.counts[name]} times" for name in WATCHED))
    print(f"\nfirst torque of {ARM} from the cache, seconds of {rounds} processes{'best':>12}{'median':>9}")
    for part, seconds in first_answers(rounds).items():
        print(f"{part:56}{min(seconds):9.3f}{median(seconds):9.3f}")


if __name__ == "__main__":
    if FIRST in sys.argv:
        first_answer()
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else 5)
