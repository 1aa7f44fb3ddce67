"""Programs as LLVM assembly: `writer` walks the tree, `operations` compute, `lanes` does so side by side."""
