"""A robot as something to look at: plain data, from which pages, notebooks and pictures draw the same arm."""
