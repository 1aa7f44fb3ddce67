"""Robot manipulators: from a table to proven, counted, printed and running models.

>>> import manipula as mp
>>> robot = mp.load("planar2r")
>>> print(mp.generate(robot, "gravity").equations("factored"))
g1 = g*(l1*c1*(m1 + m2) + l2*m2*c12)
g2 = g*l2*m2*c12
with c1 = cos(q1), c12 = cos(q1 + q2)
"""

# ruff: noqa: I001 (public names in blocks: one a line would take three screens)
from importlib import import_module
from typing import TYPE_CHECKING

from manipula.api import (
    base_parameters, calibrate, check, check_answer, check_base_parameters, choose_drives, closed_forms, closed_loop,
    controller, convert, count, count_orders, derive, dossier, drawing, excite, generate, identify,
    inverse_derivation, languages, law, load, loads, methods, models, picture, reach, read_log, report, robot_module,
    robots, save, screws, significance, simulate, singularities, tables, where, worksheet,
)  # fmt: skip
from manipula.errors import (
    ConditionError, InputError, ManipulaError, ManipulaWarning, ProofError, RobotFileError, SizeError, UnknownNameError,
)  # fmt: skip
from manipula.version import __version__

if TYPE_CHECKING:
    from manipula import studies
    from manipula.api import rotation
    from manipula.arm import Arm
    from manipula.generation.results.model import Model
    from manipula.generation.results.system import Law, System
    from manipula.identification.joint_model import JointModel
    from manipula.identification.online.estimator import OnlineEstimator
    from manipula.identification.online.payload import PayloadEstimator
    from manipula.parameters.significance import Motions
    from manipula.recordings.log import Log
    from manipula.robot import Robot
    from manipula.simulation import states, trajectory
    from manipula.simulation.loop import Sensors
    from manipula.simulation.plant import Plant
    from manipula.simulation.run import Run
    from manipula.simulation.task import Event
    from manipula.studies.study_run import study

__all__ = [
    "Arm", "ConditionError", "Event", "InputError", "JointModel", "Law", "Log", "ManipulaError", "ManipulaWarning",
    "Model", "Motions", "OnlineEstimator", "PayloadEstimator", "Plant", "ProofError", "Robot", "RobotFileError",
    "Run", "Sensors", "SizeError", "System", "UnknownNameError", "__version__", "base_parameters", "calibrate",
    "check", "check_answer", "check_base_parameters", "choose_drives", "closed_forms", "closed_loop", "controller",
    "convert", "count",
    "count_orders", "derive", "dossier", "drawing", "excite", "generate", "identify", "inverse_derivation",
    "languages", "law", "load", "loads", "methods", "models", "picture", "reach", "read_log", "report",
    "robot_module", "robots", "rotation", "save", "screws", "significance", "simulate", "singularities", "states",
    "studies", "study", "tables", "trajectory", "where", "worksheet",
]  # fmt: skip

# The verbs above are light, each loads its machinery when called; these are the machinery, and a verb above it.
_LATE = {
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
    "study": "manipula.studies.study_run",
}
_NAMESPACES = {
    "rotation": "manipula.api.rotation",
    "states": "manipula.simulation.states",
    "studies": "manipula.studies",
    "trajectory": "manipula.simulation.trajectory",
}

_OTHER_NAMES = {
    "dhrobot": "mp.Robot.from_dh", "serial_link": "mp.Robot.from_dh", "from_dh": "mp.Robot.from_dh",
    "from_text": "mp.Robot.from_text", "from_urdf": "mp.load", "load_urdf": "mp.load", "erobot": "mp.load",
    "equations": "mp.generate(robot, model).equations()", "emit": "mp.generate(robot, model).emit",
    "identification": "mp.identify", "simulation": "mp.simulate", "codegen": "mp.generate(robot, model).emit",
}  # fmt: skip


def __getattr__(name: str) -> object:
    """A class or a namespace on first use; Python asks here only for what is not in the module yet."""
    if name not in _LATE and name not in _NAMESPACES:
        hint = "" if name.startswith("_") else _hint(name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
    found = getattr(import_module(_LATE[name]), name) if name in _LATE else import_module(_NAMESPACES[name])
    globals()[name] = found
    return found


def _hint(name: str) -> str:
    """A model is a method of an arm; names of other libraries are met with ours."""
    from manipula.errors import near_name
    from manipula.robot import arm_methods

    own = {ours.casefold(): ours for ours in __all__}
    meant = own.get(name.casefold()) or near_name(name, __all__, arm_methods() | _OTHER_NAMES)
    return f"; did you mean {meant}?" if meant else ""


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
