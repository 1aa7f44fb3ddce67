"""The commands about where an arm can be: inverse kinematics, singular configurations, reach."""
