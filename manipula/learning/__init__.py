"""The models inside other people's frameworks: PyTorch, JAX, CasADi."""
