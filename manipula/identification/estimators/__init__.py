"""One way to find parameters a file; each is a function of data, prior and weights."""
