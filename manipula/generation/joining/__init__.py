"""Blocks as functions: models joined by the text of a block, and proved call by call."""
