"""The estimators by name; each is loaded when it is requested."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from manipula.errors import UnknownNameError
from manipula.identification.data import Data
from manipula.identification.estimators.prior import Prior

Array = NDArray[np.float64]
Estimator = Callable[[Data, Prior, Array], Array]

ESTIMATORS = {
    "irls": "least_squares",
    "iv": "iv",
    "lmi": "lmi",
    "log_cholesky": "log_cholesky",
    "ridge": "ridge",
    "tls": "tls",
    "entropic": "entropic",
    "ols": "least_squares",
    "wls": "least_squares",
    "output_error": "output_error",
}
WITHOUT_PRIOR = ("ols", "wls", "irls", "tls", "iv")  # a prior changes nothing of their result


def estimator_named(name: str) -> Estimator:
    """The function of a method."""
    if name not in ESTIMATORS:
        raise UnknownNameError("method", str(name), ESTIMATORS)
    module = import_module(f"manipula.identification.estimators.{ESTIMATORS[name]}")
    found: Estimator = getattr(module, name)
    return found
