"""What was recorded of arms, as files."""
