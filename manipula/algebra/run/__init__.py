"""Tape → callable: machine code by LLVM, or numpy without a compiler."""
