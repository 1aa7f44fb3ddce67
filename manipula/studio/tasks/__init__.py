"""What the workers do for the page: each task takes plain data and gives plain data."""
