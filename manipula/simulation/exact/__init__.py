"""Numbers of one arm for the event-driven integrator: friction of every coordinate, which joints rest, a course."""
