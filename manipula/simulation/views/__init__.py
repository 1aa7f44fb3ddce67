"""Pictures of an arm that moves."""
