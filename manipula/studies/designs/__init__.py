"""Designs of an arm: one set of models for all of them, tasks, motors, and what comes of each."""
