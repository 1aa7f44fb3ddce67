"""From data to what was found: weights, choice of columns, the fit, its doubts, and the result as a robot."""
