"""Robot manipulators: from a table to proven, counted, printed and running models.

>>> import manipula as mp
>>> robot = mp.load("planar2r")
>>> print(mp.generate(robot, "gravity").equations("factored"))
g1 = g*(l1*c1*(m1 + m2) + l2*m2*c12)
g2 = g*l2*m2*c12
with c1 = cos(q1), c12 = cos(q1 + q2)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from manipula.api import (
    base_parameters,
    calibrate,
    check,
    check_base_parameters,
    closed_loop,
    controller,
    convert,
    count,
    count_orders,
    dossier,
    drawing,
    excite,
    generate,
    identify,
    inverse_derivation,
    languages,
    load,
    loads,
    methods,
    models,
    picture,
    reach,
    read_log,
    report,
    robot_module,
    robots,
    save,
    significance,
    simulate,
    singularities,
    tables,
)
from manipula.errors import (
    ConditionError,
    InputError,
    ManipulaError,
    ManipulaWarning,
    ProofError,
    RobotFileError,
    SizeError,
    UnknownNameError,
)
from manipula.version import __version__

if TYPE_CHECKING:
    from manipula import studies
    from manipula.arm import Arm
    from manipula.generation.results.model import Model
    from manipula.generation.results.system import Law, System
    from manipula.identification.joint_model import JointModel
    from manipula.identification.online.estimator import OnlineEstimator
    from manipula.identification.online.payload import PayloadEstimator
    from manipula.parameters.significance import Motions
    from manipula.recordings.log import Log
    from manipula.robot import Robot
    from manipula.simulation import trajectory
    from manipula.simulation.loop import Sensors
    from manipula.simulation.plant import Plant
    from manipula.simulation.run import Run
    from manipula.simulation.task import Event
    from manipula.studies.study_run import study

__all__ = [
    "Arm",
    "ConditionError",
    "Event",
    "InputError",
    "JointModel",
    "Law",
    "Log",
    "ManipulaError",
    "ManipulaWarning",
    "Model",
    "Motions",
    "OnlineEstimator",
    "PayloadEstimator",
    "Plant",
    "ProofError",
    "Robot",
    "RobotFileError",
    "Run",
    "Sensors",
    "SizeError",
    "System",
    "UnknownNameError",
    "__version__",
    "base_parameters",
    "calibrate",
    "check",
    "check_base_parameters",
    "closed_loop",
    "controller",
    "convert",
    "count",
    "count_orders",
    "dossier",
    "drawing",
    "excite",
    "generate",
    "identify",
    "inverse_derivation",
    "languages",
    "load",
    "loads",
    "methods",
    "models",
    "picture",
    "reach",
    "read_log",
    "report",
    "robot_module",
    "robots",
    "save",
    "significance",
    "simulate",
    "singularities",
    "studies",
    "study",
    "tables",
    "trajectory",
]

# The verbs above are light, each loads its machinery when called; these classes are the machinery.
_CLASSES = {
    "Arm": "manipula.arm",
    "Event": "manipula.simulation.task",
    "JointModel": "manipula.identification.joint_model",
    "Law": "manipula.generation.results.system",
    "Log": "manipula.recordings.log",
    "Model": "manipula.generation.results.model",
    "Motions": "manipula.parameters.significance",
    "OnlineEstimator": "manipula.identification.online.estimator",
    "PayloadEstimator": "manipula.identification.online.payload",
    "Plant": "manipula.simulation.plant",
    "Robot": "manipula.robot",
    "Run": "manipula.simulation.run",
    "Sensors": "manipula.simulation.loop",
    "System": "manipula.generation.results.system",
}
_NAMESPACES = {"studies": "manipula.studies", "trajectory": "manipula.simulation.trajectory"}
_VERBS = {"study": "manipula.studies.study_run"}  # that stand above the classes


def __getattr__(name: str) -> Any:
    """A class or a namespace on first use; Python asks here only for what is not in the module yet."""
    if name in _NAMESPACES:
        found: Any = import_module(_NAMESPACES[name])
    elif name in _CLASSES or name in _VERBS:
        found = getattr(import_module(_CLASSES.get(name) or _VERBS[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
