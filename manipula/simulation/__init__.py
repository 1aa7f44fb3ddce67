"""Arms in time: references, plants, loops around proved functions, runs and what is read from them.

Formulas live in `mechanics.models` (`motion`, `control`, `integrate`); what is here repeats them over time.
"""
