"""Motions out of recordings: filters, where they cut, rates."""
