"""Texts with loops (see `manipula.loops`) → a typed tree → C99, or LLVM assembly."""
