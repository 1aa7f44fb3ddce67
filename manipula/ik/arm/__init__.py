"""A robot with numbers: its models, compiled on first use, and its inverse kinematics."""
