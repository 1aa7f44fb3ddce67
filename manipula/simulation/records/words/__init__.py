"""Words of recordings: names of quantities, units, heads of columns."""
