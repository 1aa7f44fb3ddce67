"""Estimators that learn while an arm moves: texts with states, a step a sample."""
