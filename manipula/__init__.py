"""Robot manipulators: from a table to proven, counted, printed and running models."""
