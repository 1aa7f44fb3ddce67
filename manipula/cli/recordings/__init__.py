"""The commands about recordings and measurements of a real arm."""
