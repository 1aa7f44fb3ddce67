"""The vocabulary of MJCF: what is read, and what changes no model. `mj_printSchema` of MuJoCo 4.0 has all of it."""

from __future__ import annotations

from manipula.mechanics.robot.formats.mjcf.settings import ACTUATORS
from manipula.mechanics.robot.formats.vocabulary import Element

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
