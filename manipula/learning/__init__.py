"""The same functions in PyTorch, JAX and CasADi; imports none of them until asked."""
