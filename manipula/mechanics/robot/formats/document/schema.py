"""The document: what an editor of robots shows and sends, every cell as text. Nothing in it need be right yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from manipula.errors import RobotFileError
from manipula.mechanics.robot.formats.source import joint_label
from manipula.mechanics.robot.formats.units import describe

LONGEST = 100_000  # characters of one cell: what is longer is no cell
Text = Annotated[str, Field(max_length=LONGEST)]
Triple = tuple[Text, Text, Text]
NOTHING: Triple = ("", "", "")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)


class Row(_Part):
    """One joint: a table's row, or placements where `xyz`, `rpy`, `axis` are given."""

    name: Text = ""
    type: Text = "revolute"
    theta: Text = ""
    d: Text = ""
    a: Text = ""
    alpha: Text = ""
    pitch: Text = ""
    xyz: Triple | None = Field(None, strict=False)
    rpy: Triple | None = Field(None, strict=False)
    axis: Triple | None = Field(None, strict=False)
    direction: Text = ""
    limits: tuple[Text, Text] = Field(("", ""), strict=False)
    velocity_limit: Text = ""
    effort_limit: Text = ""
    extra_toml: Text = ""


class TensorCells(_Part):
    """Entries of an inertia tensor."""

    xx: Text = ""
    yy: Text = ""
    zz: Text = ""
    xy: Text = ""
    xz: Text = ""
    yz: Text = ""


class FrictionCells(_Part):
    """The laws every joint may have."""

    viscous: Text = ""
    coulomb: Text = ""
    offset: Text = ""


class Dynamics(_Part):
    """What a row moves, and how it rubs."""

    mass: Text = ""
    com: Triple = Field(NOTHING, strict=False)
    inertia: TensorCells = TensorCells()
    motor_inertia: Text = ""
    friction: FrictionCells = FrictionCells()


class Named(_Part):
    """A name and its value, SI."""

    name: Text
    value: Text = ""


class RobotDocument(_Part):
    """A robot as an editor holds it. `extra_toml`, here and in rows, is what of the robot file has no cell."""

    format: Literal[1] = 1
    kind: Literal["table", "frames"] = "table"
    name: Text = ""
    convention: Text = "standard"
    angle: Text = "deg"
    length: Text = "m"
    gravity: Triple = Field(NOTHING, strict=False)
    inertia_about: Text = "com"
    description: Text = ""
    source: Text = ""
    values: tuple[Named, ...] = Field((), strict=False)
    rows: tuple[Row, ...] = Field((), strict=False)
    dynamics: tuple[Dynamics, ...] = Field((), strict=False)
    extra_toml: Text = ""


def document_from_data(data: object) -> RobotDocument:
    """The document of plain data, as it comes over a wire; what has not its shape is refused in a sentence."""
    if not isinstance(data, Mapping):
        raise RobotFileError("found {text}", describe(data), hint="expected a document: a table of cells")
    try:
        return RobotDocument.model_validate(dict(data))
    except ValidationError as error:
        raise _sentence(error.errors(include_url=False)[0]) from None


def _sentence(problem: Any) -> RobotFileError:
    path = [part for part in problem["loc"] if part != "function-after"]
    where = ""
    if len(path) > 1 and path[0] in ("rows", "dynamics") and isinstance(path[1], int):
        where, path = joint_label(path[1] + 1, None), path[2:]
    field = "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")
    return RobotFileError("found {text}", describe(problem.get("input")), where=where, field=field, hint=problem["msg"])
