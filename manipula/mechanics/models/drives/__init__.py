"""What lies between a motor and its joint, in motion: springs with play, and friction whose bristles bend."""
