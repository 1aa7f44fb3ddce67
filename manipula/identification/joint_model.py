"""`JointModel`: which families of columns an identification has beside the links' inertia."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from typing import Any

from manipula.errors import InputError, UnknownNameError
from manipula.identification.columns import (
    number_of,
)
from manipula.mechanics.models.linear.joint_families import FAMILIES, FILE
from manipula.mechanics.robot.actuator import MOTOR
from manipula.mechanics.robot.description import Joint, RobotDescription
from manipula.mechanics.robot.friction import LAWS, Coulomb, FrictionLaw, Offset, Viscous, linear_letters
from manipula.mechanics.robot.values.parameter import Parameter
from manipula.support.text import plain

Values = dict[str, Parameter]
_FRICTION = [key for key, family in FAMILIES.items() if family.friction]
GROUPS: dict[str, list[str]] = {}
for _family in (x for x in FAMILIES.values() if not x.key.endswith(f":{FILE}")):
    GROUPS.setdefault(_family.group, []).append(_family.key)
HARMONICS = len(GROUPS["harmonics"])
TILT = "tilt"
ALONE = (MOTOR.key, Offset.key, "stiffness", TILT)  # words that are no friction


@dataclass(frozen=True)
class JointModel:
    """What every joint has. Words of `friction`: those of a robot file's laws (viscous, coulomb, asymmetric, load,
    stribeck) and load_viscous, speed, root, tanh, hysteresis; stribeck, root, tanh and hysteresis with all their widths
    or with one ("stribeck:0.05"); "stribeck:file" has the velocities of the robot's file.

    `coupling` names pairs of joints whose motors turn together, as in wrists: {("q5", "q6"): 1.0} is a motor of q6 that
    turns with q̇6 + 1.0·q̇5. `stiffness` is a spring k·q in every joint, `harmonics` how many multiples of q have a
    sine and a cosine, `tilt` a base that is not level. `gains` are factors of recorded torques by joint, where they are
    known; True asks for them (only a strong prior separates them from masses). `search=True` starts from what
    is declared and adds the families that cross-validation asks for, as model="auto" does.

    >>> print(*JointModel(friction="viscous stribeck:0.05".split()).families)
    motor_inertia viscous stribeck:0.05 offset
    """

    motor_inertia: bool = True
    friction: tuple[str, ...] = (Viscous.key, Coulomb.key)
    offset: bool = True
    coupling: Mapping[tuple[str, str], float] = field(default_factory=dict)
    stiffness: bool = False
    harmonics: int = 0
    hysteresis: bool = False
    tilt: bool = False
    gains: Mapping[str, float] | bool | None = None
    search: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "friction", _words(self.friction))
        if self.harmonics not in range(HARMONICS + 1):  # True is 1
            raise InputError(
                "JointModel: harmonics: expected 0 … {harmonics}, found {harmonics2!r}", HARMONICS, self.harmonics
            )
        _check_pairs(self.coupling)

    @classmethod
    def from_words(cls, text: str) -> JointModel:
        """The families named, with commas, and no other: "viscous, coulomb, offset, harmonics:2"."""
        words = [word.strip() for word in text.split(",") if word.strip()]
        harmonics = [word for word in words if word.partition(":")[0] == "harmonics"]
        friction = tuple(word for word in words if word not in (*ALONE, *harmonics))
        given: dict[str, Any] = {word: word in words for word in ALONE}
        return cls(friction=friction, harmonics=max(map(_count, harmonics), default=0), **given)

    def as_dict(self) -> dict[str, object]:
        """What was declared; a pair of `coupling` by both names."""
        told = {item.name: getattr(self, item.name) for item in fields(self)}
        pairs = {" ".join(pair): factor for pair, factor in self.coupling.items()}
        found: dict[str, object] = plain(told | {"coupling": pairs})
        return found

    @property
    def families(self) -> tuple[str, ...]:
        """The keys of the families that every joint has a column of, in the columns' order."""
        given = [
            *([MOTOR.key] if self.motor_inertia else []),
            *self.friction,
            *([Offset.key] if self.offset else []),
            *(["stiffness"] if self.stiffness else []),
            *GROUPS["harmonics"][: int(self.harmonics)],
            *(GROUPS["hysteresis"] if self.hysteresis else []),
            *(["gain"] if self.gains is True else []),
        ]
        return tuple(dict.fromkeys(given))

    @classmethod
    def full(cls, **more: Any) -> JointModel:
        """The families that a search among them may choose from. Asymmetric friction is among them as |q̇| and offset;
        drive gains, couplings and what has widths of the robot's file must be requested."""
        chosen = (*(key for key in _FRICTION if FAMILIES[key].tried), *more.pop("friction", ()))
        return cls(friction=chosen, stiffness=True, harmonics=HARMONICS, tilt=True, **more)

    def with_families(self, families: Collection[str]) -> JointModel:
        """The model with these of its families, and those of the robot's own file. Of harmonics the lower ones come
        along; the others alone are picked by their columns."""
        harmonics = [int(name.partition(":")[2]) for name in families if name in GROUPS["harmonics"]]
        return replace(
            self,
            motor_inertia=MOTOR.key in families,
            friction=tuple(word for word in self.friction if word in families),
            offset=Offset.key in families,
            stiffness="stiffness" in families,
            harmonics=max(harmonics, default=0),
            hysteresis=False,
            tilt=TILT in families,
            search=False,
        )


def _count(word: str) -> int:
    number = word.partition(":")[2] or "1"
    if not number.isdigit():
        raise InputError("model: expected harmonics:1 or harmonics:2, found {word!r}", word)
    return int(number)


def _words(given: Iterable[str] | str) -> tuple[str, ...]:
    known = [*dict.fromkeys(FAMILIES[key].group for key in _FRICTION)]
    found: list[str] = []
    for word in [given] if isinstance(given, str) else given:
        if word in _FRICTION:
            found.append(word)
        elif word in known:
            found += GROUPS[word]
        elif word == "cubic":
            raise InputError(
                "JointModel: cubic friction is left out by rule: what grows faster than the velocity fits slow motions "
                "and fails at fast ones"
            )
        else:
            raise UnknownNameError("family of friction", word, [*known, *(x for x in _FRICTION if ":" in x)])
    return tuple(dict.fromkeys(found))


def _check_pairs(coupling: Mapping[tuple[str, str], float]) -> None:
    for pair, factor in coupling.items():
        if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(factor, int | float):
            raise InputError(
                "JointModel: coupling: expected pairs of joints and a factor, {{('q5', 'q6'): 1.0}}, found "
                "{pair!r}: {factor!r}",
                pair,
                factor,
            )


def own_widths(joints: Sequence[Joint], pace: Sequence[Fraction], values: Values) -> dict[str, list[Fraction]]:
    """Of every parameter that a law is not linear in what the file says, joint by joint; the law's middle width where
    it says nothing."""
    found: dict[str, list[Fraction]] = {}
    for law in (x for x in LAWS if x.widths):
        usual = law.widths[len(law.widths) // 2]
        for letters in (x.letters for x in law.entries if not x.linear):
            cells = (joint.actuator.parameters_by_letter().get(letters) for joint in joints)
            given = [number_of(None if cell is None else cell.parameter, values) for cell in cells]
            found[letters] = [Fraction(repr(x)) if x > 0 else usual * p for x, p in zip(given, pace)]
    return found


def laws_in_file(joints: Sequence[Joint], values: Values) -> list[type[FrictionLaw[Any]]]:
    """The friction laws that the file gives some joint, beside those that every joint has."""
    given = (
        type(law)
        for joint in joints
        for law in joint.actuator.laws
        if not law.always and any(number_of(law[x].parameter, values) != 0 for x in linear_letters(type(law)))
    )
    return list(dict.fromkeys(given))


def is_mechanism(robot: RobotDescription) -> bool:
    """Do its loops close, or does its base move?"""
    return bool(robot.loops or robot.moving)


def without_undetermined(robot: RobotDescription, model: JointModel) -> JointModel:
    """Families that a mechanism can have: no friction by the load inside a loop, no tilt of a base that moves."""
    friction = tuple(x for x in model.friction if not (robot.loops and FAMILIES[x].loaded))
    return replace(model, friction=friction, tilt=model.tilt and not robot.moving)
