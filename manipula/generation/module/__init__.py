"""A robot as one module of a language that pages read: its data and its models."""
