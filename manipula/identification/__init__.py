"""From recordings of an arm to its parameters."""
