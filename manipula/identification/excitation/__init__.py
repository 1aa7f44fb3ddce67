"""Motions that make an arm's parameters visible."""
