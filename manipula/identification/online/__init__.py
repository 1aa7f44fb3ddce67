"""Estimators that learn while an arm moves, as programs with states."""
