"""Numerical loops as plain Python text that is also translated: to machine code for Python, to C for controllers.

A text is a function over numbers and flat arrays. It may use what `primitives` lists, `for … in range(…)`, `while`,
`if`, assignments, other texts; `A[k:]` is the array from its entry k on. It allocates nothing but arrays of fixed size,
and two arrays handed to it may not overlap where one is written. `reader` reads these texts into the typed `tree`.
"""
