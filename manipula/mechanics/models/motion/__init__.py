"""References: positions, velocities and accelerations wanted, as formulas of time."""
