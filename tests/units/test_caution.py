"""A warning points at the line of the person who can do something about it."""

from __future__ import annotations

import inspect
import warnings

import pytest

import manipula as mp


def test_at_the_line_outside_the_package() -> None:
    with pytest.warns(mp.ManipulaWarning) as caught:
        mp.Robot.from_dh([(0, 0, 1, 90.0001)], angle="deg")  # no convention is named
    assert {warning.filename for warning in caught} == {__file__}


def test_through_methods_that_no_file_holds() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mp.Plant(mp.load("planar2r"), effort="limits")
        line = inspect.currentframe().f_lineno - 1  # type: ignore[union-attr]
    assert [(warning.filename, warning.lineno) for warning in caught] == [(__file__, line)]
