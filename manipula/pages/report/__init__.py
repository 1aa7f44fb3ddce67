"""A robot as one page that stands alone: words and tables by Python, the moving arm by the built script."""
