"""Loops: a reference, sensors, a law and an arm as one function of one step."""
