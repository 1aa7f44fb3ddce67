"""Inverse kinematics in a robot's JavaScript module: every branch with its reason, the nearest, steps to a pose."""
