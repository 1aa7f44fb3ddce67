"""Calibration of an arm's geometry from measured poses, points or distances."""
