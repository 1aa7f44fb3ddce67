"""`run_notebook.py IN.ipynb OUT.ipynb`: run from top to bottom, without the state of widgets, which needs a kernel."""

from __future__ import annotations

import sys
import tempfile

import nbformat
from nbclient import NotebookClient


def main(source: str, target: str) -> None:
    notebook = nbformat.read(source, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        options = {"kernel_name": "python3", "timeout": 600, "store_widget_state": False}
        NotebookClient(notebook, resources={"metadata": {"path": folder}}, **options).execute()
    nbformat.write(notebook, target)


if __name__ == "__main__":
    main(*sys.argv[1:])
