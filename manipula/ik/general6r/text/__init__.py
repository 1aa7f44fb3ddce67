"""The solver of a 6R arm without a closed form as texts with loops: machine code in Python, C on a controller.

`solve.solve_pose` is the whole; `tables` lists the numbers of an arm it works on. The mathematics is that of
`elimination`, `closing` and `roots`.
"""
