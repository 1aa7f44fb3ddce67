"""Integrators: one step each, over any scalar."""
