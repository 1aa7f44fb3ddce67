"""Robots with some joints held still."""
