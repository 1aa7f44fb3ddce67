"""Functions with states: one step after the other."""
