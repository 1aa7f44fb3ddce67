"""Loads of joints along a motion, of the motors and gears that drive them, and the choice of both from tables."""
