"""Runs written down as files."""
