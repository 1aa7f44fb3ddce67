"""Derivations of an arm's equations as a blackboard has them: step by step, every result proved."""
