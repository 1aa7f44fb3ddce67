"""The verbs: one function per thing a user does.

A verb imports what it needs when it is called: most programs use two or three of them, and `import manipula` loads none
of the machinery behind them.
"""

# ruff: noqa: I001 (the verbs in blocks, as `__all__` has them)
from __future__ import annotations

from manipula.api.data_verbs import calibrate, excite, identify, read_measured
from manipula.api.load_verbs import choose_drives, loads
from manipula.api.model_verbs import (
    base_parameters, best_known, check, check_base_parameters, count, count_orders, count_steps, dossier,
    generate, inverse_derivation, language, language_options, languages, methods, model_groups, models, optimise,
    price_of, published_counts, reach, refuse_search, remember, search, significance, singularities,
)  # fmt: skip
from manipula.api.page_verbs import report
from manipula.api.picture_verbs import drawing, looks, picture
from manipula.api.robot_verbs import (
    closed_forms, convert, document, document_from_file, file_text, formats, from_document, from_text, joint_kinds,
    load, module_file, parameter_facts, robot_data, robot_module, robots, save, tables, text_format, to_text,
    types_beside, unit_fix, with_stand_ins,
)  # fmt: skip
from manipula.api.seam_verbs import poses_from_table, poses_from_text, straight_poses
from manipula.api.teaching_verbs import (
    check_answer, check_worksheet, derive, read_answers, robot_from_screw_file, rotation_forms, rotation_from_text,
    rotation_picture, screws, worksheet, write_derivation,
)  # fmt: skip
from manipula.api.time_verbs import (
    closed_loop, controller, law, law_gains, law_model, law_options, law_settings, laws, read_log, simulate,
    simulate_file, where,
)  # fmt: skip

__all__ = [
    "base_parameters", "best_known", "calibrate", "check", "check_answer", "check_base_parameters",
    "check_worksheet", "choose_drives", "closed_forms", "closed_loop", "controller", "convert", "count",
    "count_orders", "count_steps", "derive", "document", "document_from_file", "dossier", "drawing", "excite",
    "file_text", "formats", "from_document", "from_text", "generate", "identify", "inverse_derivation",
    "joint_kinds", "language", "language_options", "languages", "law", "law_gains", "law_model", "law_options",
    "law_settings", "laws", "load", "loads", "looks", "methods", "model_groups", "models", "module_file",
    "optimise", "parameter_facts", "picture", "poses_from_table", "poses_from_text", "price_of", "published_counts",
    "reach", "read_answers", "read_log", "read_measured", "refuse_search", "remember", "report", "robot_data",
    "robot_from_screw_file", "robot_module", "robots", "rotation_forms", "rotation_from_text", "rotation_picture",
    "save", "screws", "search", "significance", "simulate", "simulate_file", "singularities", "straight_poses",
    "tables", "text_format", "to_text", "types_beside", "unit_fix", "where", "with_stand_ins", "worksheet",
    "write_derivation",
]  # fmt: skip
