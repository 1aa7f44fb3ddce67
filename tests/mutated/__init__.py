"""Files with a few wrong bytes, read by everything that reads files: no crash, no raw error, no hang.

`python -m tests.mutated --seed 1 --count 10000` draws that many, over every format; `--kinds mat,urdf` some formats,
`--at 17` one file again, with its traceback. Files are read in a child process that tells which one it begins: a child
that dies or falls silent is a finding, and another goes on behind it. A file is drawn from the seed and its number
alone.
"""
