"""What was found, as a page to read."""
