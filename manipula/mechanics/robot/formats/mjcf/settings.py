"""MJCF text → its XML tree, the compiler's settings, and the attributes an element has after its default classes.

Source: the MuJoCo documentation, XML Reference (`compiler`, `option`, `default`). What would change numbers that are
read, and is not carried out here, is refused: an arm that is a little wrong is worse than none.
"""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from manipula.errors import RobotFileError
from manipula.mechanics.robot.formats.source import Element, checked_text, text_from_bytes
from manipula.mechanics.robot.formats.urdf.xml import Triple, number_from_text
from manipula.mechanics.robot.precise import PRECISE, decimal
from manipula.messages import Message

# `<include file="…"/>`: the children of another file's root in its place, as if they were written there.
#
# A file is looked for in the folder of the main file, and nowhere above it: a robot file comes from anybody.

MOST = 100  # files in one model


def xml_from_text(text: str) -> ET.Element:
    """The root of a file, whatever it is called."""
    text = checked_text(text)
    if re.search(r"<!\s*(DOCTYPE|ENTITY)", text, re.IGNORECASE):
        raise RobotFileError("found a DOCTYPE or ENTITY declaration", hint="remove it: MJCF needs none")
    try:
        return ET.fromstring(re.sub(r"^\s*<\?xml[^>]*\?>", "", text))  # the text is decoded already
    except ET.ParseError as error:
        raise RobotFileError(
            "this is not well-formed XML: {error}", error, hint=Message("MJCF is an XML file that starts with <mujoco>")
        ) from error


def paste_includes(root: ET.Element, file: str) -> None:
    """Puts every file named by an `<include>` in its place; each may stand in a model once."""
    main, waiting = Path(file or ".").resolve(), [root]
    seen, folders = [main], dict[ET.Element, Path]()  # of every `<include>` that was pasted: where its file lies
    while waiting:
        element = waiting.pop()
        while (child := element.find("include")) is not None:
            pasted = _read(child, main, folders.get(child, main.parent), seen)
            folders |= dict.fromkeys(pasted.iter("include"), seen[-1].parent)
            index = list(element).index(child)
            element[index : index + 1] = list(pasted)
        waiting.extend(element)


def _read(element: ET.Element, main: Path, beside: Path, seen: list[Path]) -> ET.Element:
    """The root of the file that an `<include>` names, which is added to `seen`."""
    name = element.get("file", "")
    try:
        seen.append(_locate_file(name, main, beside, seen))
        return xml_from_text(text_from_bytes(seen[-1].read_bytes()))
    except OSError as error:
        raise _refusal(
            Message("found {name!r}, which cannot be read: {strerror}", name[:60], error.strerror)
        ) from error
    except RobotFileError as error:
        raise error if error.where == "<include>" else error.in_file(str(seen[-1])) from error


def _locate_file(name: str, main: Path, beside: Path, seen: list[Path]) -> Path:
    """The file, seen from the main file's folder or from that of the file which names it."""
    if not main.is_file():
        raise _refusal(
            Message("found {name!r}, and a text has no folder to look in", name),
            Message("load the model from its file"),
        )
    tried = [(folder / name.replace("\\", "/")).resolve() for folder in (main.parent, beside)]
    path = next((path for path in tried if path.is_file()), tried[0])
    if not path.is_relative_to(main.parent):
        raise _refusal(
            Message("found {name!r}, which is outside the folder of the model", name),
            Message("put the file below that folder"),
        )
    if not path.is_file():
        raise _refusal(Message("found {name!r}, which is not there", name), Message("in {parent}", main.parent))
    if path in seen:
        raise _refusal(Message("found {name!r} a second time", name), Message("each file stands in a model once"))
    if len(seen) > MOST:
        raise _refusal(Message("found more than {most} files", MOST), Message("join some of them"))
    return path


def _refusal(told: str, hint: str = "") -> RobotFileError:
    return RobotFileError(told, where="<include>", field="file", hint=hint)


Attributes = Mapping[str, str]
MAIN = "main"
ONE_FILE = Message("let MuJoCo write the model as one file with mj_saveLastXML, and load that")
# what makes bodies elsewhere than they are written
REFUSED = ("attach", "replicate", "composite", "flexcomp")
# compiler settings that change masses or poses, with the values that leave them alone
_CHANGING = {"coordinate": ("local",), "boundinertia": ("0",)}
ACTUATORS = (
    "general", "motor", "position", "velocity", "intvelocity", "orientation", "pid", "damper", "cylinder", "muscle",
    "adhesion", "dcmotor", "plugin",
)  # fmt: skip
_TURNS = {"quat", "axisangle", "euler", "xyaxes", "zaxis"}  # each is the whole orientation
_SEQUENCE = re.compile(r"[xyzXYZ]{3}")
GRAVITY = (Fraction(0), Fraction(0), Fraction("-9.81"))


@dataclass(frozen=True)
class Settings:
    """How the numbers of the file are meant. `classes`: class → tag → attributes, those of outer classes included."""

    degrees: bool
    sequence: str  # of Euler angles: small letters turn with the body, capitals about fixed axes
    auto_limits: bool
    gravity: Triple
    classes: Mapping[str, Mapping[str, Attributes]]
    from_shapes: str = "auto"  # "true": shapes weigh even where there is an <inertial>; "false": they never do
    mass_groups: tuple[Fraction, Fraction] = (Fraction(0), Fraction(5))  # of the shapes that weigh
    least_mass: Fraction = Fraction(0)
    balanced: bool = False  # a tensor that no body has becomes that of a sphere with the same trace
    total_mass: Fraction | None = None  # None: as it comes

    def attributes(self, element: ET.Element, childclass: str, kind: str = "") -> dict[str, str]:
        """Those of the element over those of its class; `kind`: what they are called there, if not as the element."""
        named = element.get("class", childclass)
        if named not in self.classes:
            known = ", ".join(self.classes)
            raise RobotFileError(
                "found {text!r}",
                named,
                where=Message("<{tag}>", element.tag),
                field="class",
                hint=Message("one of {kinds}", known),
            )
        return add_over(self.classes[named].get(kind or _class_key(element), {}), element.attrib)

    def radians(self, value: Fraction) -> Fraction:
        """An angle of the file, to twenty decimals where it is in degrees."""
        return decimal(PRECISE.degrees(value)).value if self.degrees else value


def root_from_mjcf(text: str, file: str) -> ET.Element:
    root = xml_from_text(text)
    if root.tag != "mujoco":
        raise RobotFileError("found <{tag}> at the top", root.tag, hint="an MJCF file starts with <mujoco>")
    paste_includes(root, file)
    for tag in REFUSED:
        if root.find(f".//{tag}") is not None:
            raise RobotFileError("found <{tag}>, which is not read", tag, field=tag, hint=ONE_FILE)
    return root


def settings_of(root: ET.Element) -> Settings:
    """Of several `<compiler>` and `<option>` elements the last word counts."""
    compiler = {key: value for element in root.iterfind("compiler") for key, value in element.attrib.items()}
    for key, harmless in _CHANGING.items():
        if compiler.get(key, harmless[0]) not in harmless:
            told = Message("found {compiler!r}, which changes the numbers of the file", compiler[key])
            raise RobotFileError(told, where="<compiler>", field=key, hint=ONE_FILE)
    angle, sequence = compiler.get("angle", "degree"), compiler.get("eulerseq", "xyz")
    if angle not in ("degree", "radian"):
        raise RobotFileError("found {text!r}", angle, where="<compiler>", field="angle", hint="degree or radian")
    if not _SEQUENCE.fullmatch(sequence):
        raise RobotFileError(
            "found {text!r}", sequence, where="<compiler>", field="eulerseq", hint='three axes, as in "xyz"'
        )
    automatic = compiler.get("autolimits", "true") != "false"
    weighed = {"from_shapes": compiler.get("inertiafromgeom", "auto"), **_masses(compiler)}
    if weighed["from_shapes"] not in ("auto", "true", "false"):
        told, key = Message("found {text!r}", weighed["from_shapes"]), "inertiafromgeom"
        raise RobotFileError(told, where="<compiler>", field=key, hint="auto, true or false")
    return Settings(angle == "degree", sequence, automatic, _gravity(root), _classes(root), **weighed)


def _masses(compiler: Attributes) -> dict[str, Any]:
    """What the compiler makes of masses: which shapes count, the least mass of a body, that of the whole model."""
    found: dict[str, Any] = {"least_mass": single(compiler, "boundmass", "<compiler>")}
    found["balanced"] = compiler.get("balanceinertia", "false") == "true"
    if "inertiagrouprange" in compiler:
        low, high = some(compiler, "inertiagrouprange", 2, "<compiler>")
        found["mass_groups"] = (low, high)
    total = single(compiler, "settotalmass", "<compiler>")
    return found | {"total_mass": total} if total > 0 else found


def _gravity(root: ET.Element) -> Triple:
    gravity = GRAVITY
    for option in root.iterfind("option"):
        gravity = triple(option.attrib, "gravity", "<option>", gravity)
    flags = [flag.attrib["gravity"] for flag in root.iterfind("option/flag") if "gravity" in flag.attrib]
    return (Fraction(0),) * 3 if flags[-1:] == ["disable"] else gravity


def _classes(root: ET.Element) -> dict[str, dict[str, Attributes]]:
    """Every default class, begun with what the one around it has at that place of the file. Sections may be several,
    as where files were joined: what is outermost is one class in all of them."""
    found: dict[str, dict[str, Attributes]] = {MAIN: {}}
    waiting = [(outer, MAIN, MAIN) for outer in root.iterfind("default")][::-1]
    while waiting:
        element, around, otherwise = waiting.pop()
        name = element.get("class", otherwise)
        if not name:
            raise RobotFileError("'class' is missing", where="<default>", hint="an inner <default> needs a class")
        made = dict(found.get(name, found[around]))
        for child in (child for child in element if child.tag != "default"):
            made[_class_key(child)] = add_over(made.get(_class_key(child), {}), child.attrib)
        found[name] = made
        waiting.extend((child, name, "") for child in reversed(element.findall("default")))
    return found


def add_over(outer: Attributes, inner: Attributes) -> dict[str, str]:
    """What is said inside counts over what is said around it; an orientation, however it is written, is one thing."""
    turned = _TURNS.isdisjoint(inner)
    return {**{key: value for key, value in outer.items() if turned or key not in _TURNS}, **inner}


def _class_key(element: ET.Element) -> str:
    """Under what a class keeps an element's attributes: those of all actuators are one."""
    tag = str(element.tag)
    return {"fixed": "tendon", "spatial": "tendon"}.get(tag, "actuator" if tag in ACTUATORS else tag)


def unread_options(root: ET.Element) -> list[str]:
    """What `<option>` says of forces and is passed over: a medium, friction switched off."""
    options = root.findall("option")
    medium = [
        key for key in ("density", "viscosity", "wind") for x in options if any(numbers(x.attrib, key, "<option>"))
    ]
    off = [key for flag in root.iterfind("option/flag") for key, word in flag.attrib.items() if word == "disable"]
    rubbing = [key for key in ("frictionloss", "damper", "passive") if key in off]
    told = [Message("<flag {key}> is not read: the friction of joints counts", key) for key in rubbing]
    if not medium:
        return [*told]
    listed = ", ".join(dict.fromkeys(medium))
    return [Message("the {medium} of <option> is not read: the arm moves in nothing", listed), *told]


def numbers(attributes: Attributes, key: str, where: str) -> list[Fraction]:
    """The exact decimals of an attribute."""
    return [number_from_text(part, where, key) for part in attributes.get(key, "").split()]


def some(attributes: Attributes, key: str, count: int, where: str) -> list[Fraction]:
    """As many numbers as there must be."""
    found = numbers(attributes, key, where)
    if len(found) != count:
        raise RobotFileError(
            "found {text!r}",
            attributes.get(key, ""),
            where=where,
            field=key,
            hint=(Message("one number") if count == 1 else Message("{count} numbers", count)),
        )
    return found


def triple(attributes: Attributes, key: str, where: str, otherwise: Triple) -> Triple:
    if key not in attributes:
        return otherwise
    x, y, z = some(attributes, key, 3, where)
    return (x, y, z)


def single(attributes: Attributes, key: str, where: str) -> Fraction:
    """One number, zero where it is missing."""
    return some(attributes, key, 1, where)[0] if key in attributes else Fraction(0)


# The vocabulary of MJCF: what is read, and what changes no model. `mj_printSchema` of MuJoCo 4.0 has all of it.

_PLACE = "pos quat axisangle euler xyaxes zaxis"
_SOLVER = "solref solimp solreflimit solimplimit solreffriction solimpfriction margin gap"
_TENDON = Element(
    "class name armature damping frictionloss stiffness",
    f"{_SOLVER} group limited range springlength springyield actuatorfrcrange actuatorfrclimited user material rgba "
    "width",
)
_EQUALITY = Element(
    "active class",
    f"{_SOLVER} name anchor body1 body2 site1 site2 relpose torquescale tendon1 tendon2 polycoef flex cell",
    named=True,
)
# armature and damping are read; how an actuator is commanded and what it gives is control, torques are the joints'
_ACTUATOR = Element(
    "class name joint jointinparent tendon gear armature damping",
    "actdim actearly actlimited actrange area bias biasprm biastype body cogging controller cranklength cranksite "
    "ctrllimited ctrlrange dampratio delay diameter dynprm dyntype ffrange force forcelimited forcerange fpmax fvmax "
    "gain gainprm gaintype group imax inductance inheritrange input instance interp ki kp kv lengthrange lmax lmin "
    "lugre motorconst nominal nsample plugin posrange range refsite resistance saturation scale site slewmax "
    "slidersite tausmooth thermal timeconst user velrange vmax",
    named=True,
)
WORDS: dict[str, Element | None] = {
    "mujoco": Element("model"),
    "compiler": Element(
        "angle eulerseq autolimits coordinate inertiafromgeom inertiagrouprange settotalmass boundmass boundinertia "
        "balanceinertia",
        "alignfree assetdir conflict discardvisual fitaabb fusestatic meshdir passthrough savecanonical savecompiled "
        "saveinertial strippath texturedir usethread exactmeshinertia convexhull",
    ),
    "lengthrange": None,
    "option": Element(
        "gravity density viscosity wind",
        "actuatorgroupdisable apirate ccd_iterations ccd_tolerance collision cone impratio integrator iterations "
        "jacobian ls_iterations ls_tolerance magnetic mpr_iterations mpr_tolerance noslip_iterations noslip_tolerance "
        "o_friction o_margin o_solimp o_solref sdf_initpoints sdf_iterations sleep_tolerance solver timestep tolerance",
    ),
    "flag": Element(
        "gravity frictionloss damper passive",
        "actuation autoreset clampctrl constraint contact diagexact energy equality eulerdamp filterparent fwdinv "
        "invdiscrete ipc island limit midphase multiccd nativeccd override refsafe sensor sleep speculative spring "
        "sensornoise warmstart",
    ),
    **dict.fromkeys(("size", "statistic", "visual", "asset", "extension", "contact", "sensor", "keyframe", "custom")),
    **dict.fromkeys(("camera", "light", "mesh", "texture", "material", "pair", "skin")),
    "default": Element("class"),
    "worldbody": Element(f"{_PLACE} childclass", "name"),
    "body": Element(f"{_PLACE} name childclass gravcomp", "mocap user sleep fuse simple"),
    "frame": Element(f"{_PLACE} childclass", "name"),
    "inertial": Element(f"{_PLACE} mass diaginertia fullinertia"),
    "joint": Element(
        "name class type pos axis range ref limited damping frictionloss armature stiffness springdamper "
        "actuatorfrcrange actuatorfrclimited",
        f"{_SOLVER} group user springref springyield actuatorgravcomp",
    ),
    "freejoint": Element("name", "align group"),
    "geom": Element(
        f"{_PLACE} class type size fromto mass density shellinertia group mesh",
        f"{_SOLVER} name adhesion castshadow conaffinity condim contype fitscale fluidcoef fluidshape friction hfield "
        "material priority rgba solmix surfacevel user",
    ),
    "site": Element(f"{_PLACE} name class fromto", "group material mesh rgba size type user"),
    "plugin": None,
    "config": Element("", "key value"),
    "deformable": Element(),
    "flex": None,
    "mujoco/tendon": Element(),
    "default/tendon": _TENDON,
    "tendon/fixed": _TENDON,
    "fixed/joint": Element("joint coef"),
    "tendon/spatial": Element(_TENDON.read, _TENDON.passed, named=True),
    **dict.fromkeys(("spatial/site", "spatial/geom", "spatial/pulley")),
    "mujoco/equality": Element(),
    "default/equality": Element("active", _SOLVER),
    "equality/joint": Element("active class joint1 joint2 polycoef", f"{_SOLVER} name"),
    **{f"equality/{tag}": _EQUALITY for tag in ("connect", "weld", "tendon", "flex", "flexstrain", "flexvert")},
    "mujoco/actuator": Element(),
    **{f"{outer}/{tag}": _ACTUATOR for outer in ("actuator", "default") for tag in ACTUATORS},
}
