"""A robot as an editor holds it: a table of cells with the text that was typed, right or wrong."""
