"""References and how they are made: in joint space, through points, in space, in the least time."""
