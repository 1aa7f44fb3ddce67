"""Scenario files: a run written down as TOML. `schema_text` is the JSON Schema published as `scenario.schema.json`.

Every table refuses keys it does not know; a mistake is reported with the file, the table and the key.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from manipula.errors import InputError
from manipula.messages import Message
from manipula.simulation import trajectory
from manipula.simulation.task import Event
from manipula.support.checked_toml import checked_toml

# strict: a number is no text and no truth value
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False, strict=True)]
AtLeastZero = Annotated[float, Field(ge=0, allow_inf_nan=False, strict=True)]
Finite = Annotated[float, Field(allow_inf_nan=False, strict=True)]
Vector = list[Finite]
Whole = Annotated[int, Field(ge=0, strict=True)]
Choice = Annotated[bool, Field(strict=True)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Load(_Table):
    """A body in the hand: kg, m, kg·m² about its centre of mass."""

    mass: AtLeastZero
    com: Annotated[Vector, Field(min_length=3, max_length=3)] = [0.0, 0.0, 0.0]
    inertia: dict[Literal["xx", "xy", "xz", "yy", "yz", "zz"], Finite] | None = None

    def arguments(self) -> dict[str, Any]:
        return {name: value for name, value in self if value is not None}


class PlantTable(_Table):
    """The arm as it is."""

    payload: Load | None = None
    parameters: dict[str, Finite] = {}
    friction: Literal["stick", "smooth", "lugre", "none"] = "stick"
    effort: Literal["limits", "none"] | Positive | list[Positive] = "limits"
    stops: Choice = True
    elastic: Choice | Positive | list[Positive] = False
    backlash: AtLeastZero | list[AtLeastZero] | None = None
    sigma0: Positive | list[Positive] | None = None
    sigma1: AtLeastZero | list[AtLeastZero] | None = None

    def drives(self) -> dict[str, Any]:
        """What is between motors and joints, as a plant takes it."""
        return {name: getattr(self, name) for name in ("elastic", "backlash", "sigma0", "sigma1")}


class LawTable(BaseModel):
    """The law by its name; every further key is one of its settings, a number or one for each joint."""

    model_config = ConfigDict(extra="allow")
    name: str
    sample: Positive | None = None

    def settings(self) -> dict[str, Any]:
        return dict(self.__pydantic_extra__ or {})


class ReferenceTable(_Table):
    """A motion to follow, by its kind."""

    kind: Literal["quintic", "trapezoid", "jerk_limited", "spline", "table"] = "quintic"
    start: Vector | None = None
    goal: Vector | None = None
    duration: Positive | None = None
    velocity: Positive | list[Positive] | None = None
    acceleration: Positive | list[Positive] | None = None
    jerk: Positive | list[Positive] | None = None
    points: list[Vector] | None = None
    times: Vector | None = None
    file: str | None = None


class StartTable(_Table):
    """Where the arm starts; left out, where the reference begins."""

    q: Vector
    qd: Vector | None = None


class RunTable(_Table):
    """How the run is made."""

    until: Positive | None = None
    step: Positive = 1e-3
    method: str = "rk4"
    seed: Whole = 0
    every: Annotated[int, Field(ge=1, strict=True)] = 1


class SensorsTable(_Table):
    """What the law sees."""

    noise: dict[Literal["q", "qd"], AtLeastZero | list[AtLeastZero]] = {}
    resolution: Positive | None = None
    delay: Whole = 0


class EventTable(_Table):
    """From `t` on, another payload (`"none"`: the hand is empty) or another wrench on the tool."""

    t: AtLeastZero
    payload: Load | Literal["none"] | None = None
    wrench: Annotated[Vector, Field(min_length=6, max_length=6)] | None = None

    def event(self) -> Event:
        changes: dict[str, Any] = {} if self.wrench is None else {"wrench": self.wrench}
        if self.payload is not None:
            changes["payload"] = None if isinstance(self.payload, str) else self.payload.arguments()
        return Event(self.t, **changes)


class OutputTable(_Table):
    """What is written, beside the scenario."""

    log: Annotated[str, Field(pattern=r"\.(csv|npz)$")] | None = None
    plot: Annotated[str, Field(pattern=r"\.(png|svg|pdf)$")] | None = None
    report: Annotated[str, Field(pattern=r"\.html$")] | None = None


class Scenario(_Table):
    """A run written down."""

    format: Literal[1]
    robot: str
    angle: Literal["rad", "deg"] = "rad"
    wrench: Annotated[Vector, Field(min_length=6, max_length=6)] | None = None
    plant: PlantTable = PlantTable()
    law: LawTable | None = None
    reference: ReferenceTable | None = None
    start: StartTable | None = None
    run: RunTable = RunTable()
    sensors: SensorsTable | None = None
    event: list[EventTable] = []
    output: OutputTable = OutputTable()


def read_scenario(path: str | Path) -> Scenario:
    """The file, checked."""
    return checked_toml(Path(path), Scenario, "scenario")


# from tables to what a run takes


def motion_from(table: ReferenceTable | None, turns: Sequence[bool], degrees: bool, folder: Path) -> object:
    """The trajectory; a key that its kind does not have, or lacks, is refused."""
    if table is None:
        return None
    needs, may = _KEYS[table.kind]
    given = {name: value for name, value in table if value is not None and name != "kind"}
    missing = [name for name in needs if name not in given]
    odd = [name for name in given if name not in (*needs, *may)]
    if missing or odd:
        raise InputError(
            Message("reference: {kind} needs {missing}", table.kind, ", ".join(missing))
            if missing
            else Message("reference: {kind} has no {odd}", table.kind, ", ".join(odd))
        )
    for name in ("start", "goal", "points"):
        if name in given:
            given[name] = joints_from(given[name], turns, degrees, f"reference: {name}")
    for name in ("velocity", "acceleration", "jerk"):
        if name in given:
            all_alike = isinstance(given[name], float | int)
            every = [given[name]] * len(turns) if all_alike else given[name]
            given[name] = joints_from(every, turns, degrees, f"reference: {name}")
    if table.kind == "table":
        return trajectory.table(folder / given["file"])
    ends = [given.pop(name) for name in ("start", "goal") if name in given]
    if table.kind == "spline":
        return trajectory.spline(given["points"], given.get("times"))
    return getattr(trajectory, table.kind)(*ends, **given)


_MOVE = ("start", "goal")
_KEYS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "quintic": ((*_MOVE, "duration"), ()),
    "trapezoid": (_MOVE, ("duration", "velocity", "acceleration")),
    "jerk_limited": ((*_MOVE, "velocity", "acceleration", "jerk"), ()),
    "spline": (("points",), ("times",)),
    "table": (("file",), ()),
}


def joints_from(values: Any, turns: Sequence[bool], degrees: bool, what: str) -> Any:
    """Positions of joints and their rates, one row or several, in SI: angles may be given in degrees."""
    rows = values if values and isinstance(values[0], list) else [values]
    for row, numbers in enumerate(rows, 1):
        if len(numbers) != len(turns):
            where = what if rows[0] is values else Message("{what}: row {row}", what, row)
            raise InputError(
                "{option}: expected {dof} numbers, one a joint, found {count}", where, len(turns), len(numbers)
            )
    found = np.asarray(values, dtype=float)
    return np.where(turns, np.radians(found), found) if degrees else found


def schema_text() -> str:
    """The JSON Schema of the scenario file."""
    schema = Scenario.model_json_schema(mode="validation")
    return json.dumps({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}, indent=2) + "\n"
