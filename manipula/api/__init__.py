"""The verbs: one function per thing a user does.

A verb imports what it needs when it is called: most programs use two or three of them, and `import manipula` loads none
of the machinery behind them.
"""

from __future__ import annotations

from manipula.api.data_verbs import calibrate, excite, identify, read_measured
from manipula.api.model_verbs import (
    base_parameters,
    best_known,
    check,
    check_base_parameters,
    count,
    count_orders,
    count_steps,
    dossier,
    generate,
    inverse_derivation,
    language,
    languages,
    methods,
    models,
    optimise,
    price_of,
    reach,
    significance,
    singularities,
)
from manipula.api.picture_verbs import drawing
from manipula.api.robot_verbs import convert, formats, from_text, load, robots, save, tables
from manipula.api.time_verbs import (
    closed_loop,
    controller,
    law_model,
    law_options,
    law_settings,
    laws,
    loads,
    read_log,
    simulate,
    simulate_file,
)

__all__ = [
    "base_parameters",
    "best_known",
    "calibrate",
    "check",
    "check_base_parameters",
    "closed_loop",
    "controller",
    "convert",
    "count",
    "count_orders",
    "count_steps",
    "dossier",
    "drawing",
    "excite",
    "formats",
    "from_text",
    "generate",
    "identify",
    "inverse_derivation",
    "language",
    "languages",
    "law_model",
    "law_options",
    "law_settings",
    "laws",
    "load",
    "loads",
    "methods",
    "models",
    "optimise",
    "price_of",
    "reach",
    "read_log",
    "read_measured",
    "robots",
    "save",
    "significance",
    "simulate",
    "simulate_file",
    "singularities",
    "tables",
]
