"""Studies: one function over many cases, from one core to a cluster, the same bytes.

`mp.study` runs one; here are samples of cases, helpers for functions of studies (`arm`: compiled once a worker;
`batched`: many cases at once), and studies that people run, ready.
"""

from __future__ import annotations

from manipula.studies.cases.cases import latin, sobol
from manipula.studies.operation_search import operations
from manipula.studies.study_file import bootstrap, design, gains, payload, study_of_file, tolerances, tune, workspace
from manipula.studies.study_run import Progress, study
from manipula.studies.work.job import arm, batched

__all__ = [
    "Progress",
    "arm",
    "batched",
    "bootstrap",
    "design",
    "gains",
    "latin",
    "operations",
    "payload",
    "sobol",
    "study",
    "study_of_file",
    "tolerances",
    "tune",
    "workspace",
]
