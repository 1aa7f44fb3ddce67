"""What a study goes through."""
