"""Studies: one function over many cases, from one core to a cluster, the same bytes.

`mp.study` runs one; here are samples of cases, and `batched` for functions that take many cases at once.
"""

from __future__ import annotations

from manipula.studies.cases.samples import latin, sobol
from manipula.studies.studying import Progress, study
from manipula.studies.work.job import arm, batched

__all__ = ["Progress", "arm", "batched", "latin", "sobol", "study"]
