"""The robot file as pydantic sees it: every key, its type, what is required; unknown keys are refused.

`write.schema_text` is the JSON Schema published beside this file as `robot.schema.json`, for editors that complete and
check.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, create_model, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import core_schema

from manipula.errors import RobotFileError
from manipula.mechanics.robot.actuator import DRIVE, MOTOR
from manipula.mechanics.robot.formats.units import Entry, describe, entry_from_raw, parameter_from_raw, refuse_bad_name
from manipula.mechanics.robot.friction import LAWS, FrictionLaw
from manipula.mechanics.robot.joints import KINDS
from manipula.mechanics.robot.values.parameter import Parameter
from manipula.mechanics.robot.values.terms import Quantity, Units
from manipula.messages import Message
from manipula.support.text import spell_greek

_WORDS: dict[Quantity, str] = {
    "angle": "a number, or text such as 'pi/2', '90 deg' or 'phi + 90'; numbers alone are in the file's angle",
    "length": "a number, or text such as 'L1 + 20', '40 cm' or '2*L1'; numbers alone are in the file's length",
    "mass": "a number, kg, or text such as '2 kg' or 'm1'",
    "si": "a number, SI, or text such as '2*k1'",
    "any": "a number, SI, or text such as '40 cm', '90 deg' or '2*L1'",
}


def _direction(value: object) -> int:
    if isinstance(value, bool) or value not in (1, -1):
        raise RobotFileError("found {text}", describe(value), hint="expected 1 or -1")
    return 1 if value == 1 else -1


@dataclass(frozen=True, eq=False)
class _Read:
    """A value that a function reads, in the file's units. Pydantic's own marks look into the type, which takes long."""

    reader: Callable[[Any, Units], Any]
    shown: Mapping[str, Any]

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> core_schema.CoreSchema:
        def read(value: object, info: core_schema.ValidationInfo) -> Any:
            return self.reader(value, info.context or Units())

        return core_schema.with_info_plain_validator_function(read)

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> JsonSchemaValue:
        return dict(self.shown)


def _read(quantity: Quantity) -> _Read:
    """Of a column, in SI; what can be an angle as well as a length waits for its joint."""
    shown = {"type": ["number", "string"], "description": _WORDS[quantity]}
    return _Read(lambda value, units: parameter_from_raw(value, quantity, units), shown)


_MOTION = "a number in the file's angle, or length for a joint that slides, or text such as '2.5 rad'"
Amount = Annotated[Parameter, _read("si")]
Angle = Annotated[Parameter, _read("angle")]
Length = Annotated[Parameter, _read("length")]
Mass = Annotated[Parameter, _read("mass")]
Value = Annotated[Parameter, _read("any")]
Motion = Annotated[Entry, _Read(lambda x, _: entry_from_raw(x), {"type": ["number", "string"], "description": _MOTION})]
Direction = Annotated[Literal[1, -1], _Read(lambda value, _: _direction(value), {"enum": [1, -1]})]
Three = tuple[Amount, Amount, Amount]
Angles = tuple[Angle, Angle, Angle]
Lengths = tuple[Length, Length, Length]
Label = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f]*$")]


_ROW = {
    "a": Message("the link length along x; write 0 if none"),
    "alpha": Message("the link twist about x; write 0 if none"),
}


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Tensor(_Table):
    """Six entries of a symmetric matrix; absent ones are unknown."""

    xx: Amount | None = None
    yy: Amount | None = None
    zz: Amount | None = None
    xy: Amount | None = None
    xz: Amount | None = None
    yz: Amount | None = None


def _field(told: str, needed: bool = False, amount: Any = Amount) -> tuple[Any, Any]:
    return (amount, Field(description=told)) if needed else (amount | None, Field(None, description=told))


def _law_table(law: type[FrictionLaw[Any]]) -> type[_Table]:
    entries: dict[str, Any] = {x.key: _field(x.unit, x.bound == "positive") for x in law.entries}
    return create_model(law.__name__, __base__=_Table, __doc__=f"{law.says}, SI.", **entries)


def _law_field(law: type[FrictionLaw[Any]]) -> tuple[Any, Any]:
    """One number, or a table of them where a law has several."""
    table = FRICTION_TABLES.get(law.key)
    if table is None:
        return _field(f"{law.says}, {law.entries[0].unit}")
    return (table | None, Field(None, description=law.says))


FRICTION_TABLES = {law.key: _law_table(law) for law in LAWS if law.entries[0].key}
_FRICTION: dict[str, Any] = {law.key: _law_field(law) for law in LAWS}
Friction = create_model("Friction", __base__=_Table, __doc__="The laws of a joint's friction, SI.", **_FRICTION)


class Massive(_Table):
    """The inertial entries that links, the base, payloads and carried bodies share."""

    mass: Mass | None = Field(None, description="kg")
    com: Lengths | None = Field(None, description="centre of mass in the link frame, in the file's length")
    first_moment: Three | None = Field(None, description="mass times centre of mass, kg·m; instead of com")
    inertia: Tensor | None = Field(None, description="entries of the inertia tensor, kg·m²")
    second_moment: Tensor | None = Field(None, description="∫x², ∫xy, … about the frame's origin; instead of inertia")
    inertia_about: Literal["com", "origin"] | None = Field(None, description="overrides the file's inertia_about")

    @model_validator(mode="after")
    def _one_of_each(self) -> Massive:
        for one, other in (("com", "first_moment"), ("inertia", "second_moment")):
            if getattr(self, one) is not None and getattr(self, other) is not None:
                raise RobotFileError(
                    "both {one} and {other} are given", one, other, field=other, hint="keep one of the two"
                )
        return self

    @property
    def has_inertia(self) -> bool:
        """Whether the file says anything about this body."""
        return any(
            entry is not None for entry in (self.mass, self.com, self.first_moment, self.inertia, self.second_moment)
        )


class PlacementTable(_Table):
    """A shift, then roll, pitch and yaw about fixed axes."""

    xyz: Lengths | None = None
    rpy: Angles | None = None


class ToolTable(PlacementTable):
    """The frame that poses, Jacobians and wrenches are about."""

    on: Label | None = Field(None, description='the joint whose link holds it, or "base"; default: the last joint')


class FrameTable(PlacementTable):
    """Another frame, by name."""

    name: Label
    on: Label = Field(description='the joint whose link holds it, or "base"')


class LoopTable(_Table):
    """A loop: two frames that a joint holds together."""

    name: Label
    joins: tuple[Label, Label] = Field(description="two frames by name, or links by their joints")
    free: str = Field("z", description='of that joint: "z", "slide z", "ball", "universal xz", "" (welded)')


class ElementTable(_Table):
    """A spring, gas spring or damper between two frames."""

    name: Label
    joins: tuple[Label, Label] = Field(description="two frames by name, or links by their joints")
    stiffness: Amount | None = Field(None, description="N/m")
    length: Length | None = Field(None, description="free length of the spring, in the file's length")
    force: Amount | None = Field(None, description="constant force of a gas spring, N; positive pushes apart")
    damping: Amount | None = Field(None, description="N·s/m")

    @model_validator(mode="after")
    def _acts(self) -> ElementTable:
        if self.stiffness is None and self.force is None and self.damping is None:
            hint = Message("write stiffness, force or damping")
            raise RobotFileError("the element has no force", field="stiffness", hint=hint)
        if self.length is not None and self.stiffness is None:
            hint = Message("write stiffness too")
            raise RobotFileError("a free length needs a stiffness", field="length", hint=hint)
        return self


class MotorsTable(_Table):
    """Which joints of a robot with loops are driven."""

    drive: tuple[Label, ...] = Field(description="the joints that have a motor, by name")


class CarriedTable(Massive):
    """A body fixed to a link at a placement from the link's frame."""

    name: Label | None = Field(None, description="what its automatic names end in: m_hand, rx_hand")
    xyz: Lengths | None = None
    rpy: Angles | None = None


class BaseTable(PlacementTable, Massive):
    """Where the robot stands, and what of it stands still, or moves as the base does: its own body, and others."""

    link_name: Label | None = Field(None, description="what the base is called")
    moving: Literal["free", "given", "planar"] | None = Field(
        None,
        description="free: its acceleration is computed; given: its motion is an input; planar: x, y, yaw are joints",
    )
    carries: tuple[CarriedTable, ...] = ()


class PayloadTable(Massive):
    """A body held in the tool frame."""


class SpringTable(_Table):
    """A counterbalance of a joint that turns: a spring between two points beside its axis."""

    radii: tuple[Length, Length] = Field(description="of its ends from the axis: of the one that stands, that turns")
    angle: Angle = Field(description="from the first to the second about the axis, at q = 0")
    length: Length = Field(description="of the spring without force, or of the gas spring whose size is given")
    stroke: Length | None = Field(None, description="of a gas spring: what is left to press it together")


if TYPE_CHECKING:
    Kind = str
    _OfKind = Massive
else:
    Kind = Literal[tuple(KINDS)]
    _ENTRIES = {entry.key: entry for kind in KINDS.values() for entry in kind.entries}
    _OfKind = create_model(
        "OfKind",
        __base__=Massive,
        **{key: _field(x.unit, amount=Length if x.quantity == "length" else Amount) for key, x in _ENTRIES.items()},
    )


class AxisTable(_Table):
    """The axis as the turns that bring z onto it: lean about z and tilt about y, or roll about x."""

    lean: Angle | None = None
    tilt: Angle | None = None
    roll: Angle | None = None


class JointTable(_OfKind):
    """One row: the four Denavit-Hartenberg entries, the motor, the link behind the joint."""

    name: Label | None = None
    parent: Label | None = Field(None, description='the joint it stands on, or "base"; default: the row before')
    type: Kind
    theta: Angle | None = Field(None, description="revolute: the offset in angle = theta + direction·q, default 0")
    d: Length | None = Field(None, description="prismatic: the offset in shift = d + direction·q, default 0")
    a: Length | None = Field(None, description="the link length along x")
    alpha: Angle | None = Field(None, description="the link twist about x")
    xyz: Lengths | None = Field(
        None, description="instead of a table's row: the frame at rest, seen from the link before"
    )
    rpy: Angles | None = None
    axis: Three | AxisTable | None = Field(None, description="of motion, in that frame; default z")
    anchor: Lengths | None = Field(None, description="a point of the axis, default the frame's origin")
    link_name: Label | None = Field(None, description="what the link is called, and its frame")
    link: PlacementTable | None = Field(None, description="the link's frame, seen from that frame; default the same")
    direction: Direction | None = None
    passive: bool = Field(False, description="true: it has no motor; the loops of the robot move it")
    coordinate: str | None = Field(None, description='moves by others: "2*elbow + pi/2", linear in their q')
    limits: tuple[Motion, Motion] | None = Field(None, description="lowest and highest q, in the file's units")
    velocity_limit: Motion | None = Field(None, description="in the file's units per second")
    effort_limit: Amount | None = Field(None, description="N·m, or N for a prismatic joint")
    motor_inertia: Amount | None = Field(None, description="seen at the joint, kg·m² or kg")
    friction: Friction | None = None  # type: ignore[valid-type]
    gear: Amount | None = Field(None, description="motor turns per joint turn, rad/m where the joint slides")
    efficiency: Amount | None = Field(None, description="of the gear, above 0 and at most 1")
    stiffness: Amount | None = Field(None, description="of the drive, N·m/rad or N/m at the joint")
    backlash: Amount | None = Field(None, description="rad or m at the joint")
    carries: tuple[CarriedTable, ...] = ()
    springs: tuple[SpringTable, ...] = Field((), description="counterbalances, whose size is identified")
    note: str | None = None

    @model_validator(mode="after")
    def _geometry_is_whole(self) -> JointTable:
        for field in ("theta", "d", "a", "alpha"):
            given, moves = getattr(self, field) is not None, KINDS[self.type].field == field
            if self.is_placement and given and not moves:
                raise RobotFileError("is given beside xyz, rpy or axis", field=field, hint="write one or the other")
            if not self.is_placement and not given and not moves:
                hint = _ROW.get(field, Message("a {type} joint needs it; write 0 if none", self.type))
                raise RobotFileError("is missing", field=field, hint=hint)
        return self

    @property
    def is_placement(self) -> bool:
        """Is it a placement, as a URDF has it?"""
        return any(x is not None for x in (self.xyz, self.rpy, self.axis, self.anchor, self.link))

    @model_validator(mode="after")
    def _kind_is_whole(self) -> JointTable:
        for name, entry in ((kind.name, entry) for kind in KINDS.values() for entry in kind.entries):
            given = getattr(self, entry.key) is not None
            if given and name != self.type:
                raise RobotFileError(
                    "does not belong to a {type} joint",
                    self.type,
                    field=entry.key,
                    hint=Message('or is its type "{name}"?', name),
                )
            if name == self.type and not given:
                raise RobotFileError(
                    "is missing", field=entry.key, hint=Message("a {name} joint needs it, {unit}", name, entry.unit)
                )
        return self

    @model_validator(mode="after")
    def _fixed_does_not_move(self) -> JointTable:
        drive = (entry.key for entry in (MOTOR, *DRIVE))
        for field in ("direction", "limits", "velocity_limit", "effort_limit", "friction", *drive):
            if self.type == "fixed" and getattr(self, field) is not None:
                raise RobotFileError(
                    "does not belong to a fixed joint", field=field, hint="remove it or change the joint's type"
                )
        if self.springs and not (self.type != "fixed" and KINDS[self.type].turns):
            raise RobotFileError(
                "does not belong to a {type} joint", self.type, field="springs", hint="they pull beside an axis"
            )
        return self


def entries_of(table: JointTable) -> dict[str, Parameter]:
    """What a joint's table gives of its actuator, by the letters of each parameter."""
    given: dict[str, Any] = {entry.letters: getattr(table, entry.key) for entry in (MOTOR, *DRIVE)}
    for law in LAWS:
        found = getattr(table.friction, law.key, None)
        given |= {x.letters: getattr(found, x.key, None) if x.key else found for x in law.entries}
    return {letters: value for letters, value in given.items() if value is not None}


def _values(raw: object) -> object:
    if not isinstance(raw, Mapping):
        return raw
    named = {spell_greek(str(name)): value for name, value in raw.items()}
    for name in named:
        refuse_bad_name(name, describe(name))
    if twice := next((name for name in raw if spell_greek(str(name)) != name and spell_greek(str(name)) in raw), ""):
        raise RobotFileError(
            "{twice!r} and {spelled!r} are one name", twice, spell_greek(twice), hint="keep one of the two values"
        )
    return named


def _as_list(raw: object) -> object:
    return [raw] if isinstance(raw, Mapping) else raw


class RobotTable(_Table):
    """A robot file."""

    format: Literal[1]
    name: Label
    convention: Literal["standard", "modified", "urdf"] = Field(
        description="modified: row i holds alpha(i-1) and a(i-1); urdf: every row has xyz, rpy, axis"
    )
    angle: Literal["deg", "rad"]
    length: Literal["m", "cm", "mm"] = "m"
    gravity: Three | None = Field(None, description="m/s² in the world frame; default [0, 0, -9.81]")
    inertia_about: Literal["com", "origin"] = "com"
    inertia_default: Annotated[Literal[0] | None, Field(description="0: absent inertial entries are zero")] = None
    exact: bool = Field(False, description="true: angles near a quarter turn and lengths of nothing stay as written")
    source: str = ""
    description: str = ""
    notes: tuple[str, ...] = ()
    visuals: str = Field("", description="a URDF in the folder of this file, whose <visual> elements draw the links")
    values: Annotated[dict[str, Value], BeforeValidator(_values)] = Field(
        default_factory=dict, description="names and their values, SI"
    )
    poses: dict[Label, tuple[Motion, ...] | dict[str, Motion]] = Field(
        default_factory=dict,
        description="by name, a coordinate for every joint that moves on its own; or a table of them, those absent 0",
    )
    base: BaseTable | None = None
    tool: ToolTable | None = None
    frame: tuple[FrameTable, ...] = ()
    loop: tuple[LoopTable, ...] = ()
    motors: MotorsTable | None = None
    element: tuple[ElementTable, ...] = ()
    payload: Annotated[tuple[PayloadTable, ...], BeforeValidator(_as_list)] = ()
    joint: tuple[JointTable, ...] = Field(min_length=1)
