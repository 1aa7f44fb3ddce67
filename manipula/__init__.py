"""Robot manipulators: from a table to proven, counted, printed and running models."""

__version__ = "0.1.0"
