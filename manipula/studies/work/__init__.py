"""What a worker is given, and what it does with it."""
