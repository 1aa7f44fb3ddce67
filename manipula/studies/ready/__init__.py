"""Studies that people run: each a function of a case, and what plans its cases from a robot and a few settings."""
