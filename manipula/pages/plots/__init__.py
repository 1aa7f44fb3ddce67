"""Figures of matplotlib, from plain data. None is shown: a notebook does that by itself, `savefig` writes a file."""
