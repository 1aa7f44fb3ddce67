"""Rollouts with gradients: the adjoint of many steps, as a function of PyTorch tensors and of JAX arrays."""
