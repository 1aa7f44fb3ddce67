"""What is made: a model, a system that goes step by step, a control law."""
