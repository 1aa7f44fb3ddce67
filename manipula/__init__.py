"""Robot manipulators: from a table to proven, counted, printed and running models.

>>> import manipula as mp
>>> robot = mp.load("planar2r")
>>> print(mp.generate(robot, "gravity").equations("factored"))
g1 = g*(l1*c1*(m1 + m2) + l2*m2*c12)
g2 = g*l2*m2*c12
with c1 = cos(q1), c12 = cos(q1 + q2)
"""

from manipula.api import (
    base_parameters,
    check,
    check_base_parameters,
    convert,
    count,
    count_orders,
    dossier,
    generate,
    inverse_derivation,
    languages,
    load,
    methods,
    models,
    robots,
    save,
    significance,
    tables,
)
from manipula.arm import Arm
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
from manipula.model import Model
from manipula.parameters.motions import Motions
from manipula.robot import Robot
from manipula.version import __version__

__all__ = [
    "Arm",
    "ConditionError",
    "InputError",
    "ManipulaError",
    "ManipulaWarning",
    "Model",
    "Motions",
    "ProofError",
    "Robot",
    "RobotFileError",
    "SizeError",
    "UnknownNameError",
    "__version__",
    "base_parameters",
    "check",
    "check_base_parameters",
    "convert",
    "count",
    "count_orders",
    "dossier",
    "generate",
    "inverse_derivation",
    "languages",
    "load",
    "methods",
    "models",
    "robots",
    "save",
    "significance",
    "tables",
]
