"""Run a notebook from top to bottom and write what it shows: `python -m tests.notebook_page IN.ipynb FOLDER`.

In a process of its own: kernels and their sockets warn of things that are none of ours.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbconvert import HTMLExporter


def main(source: Path, folder: Path) -> None:
    notebook = nbformat.read(source, as_version=4)
    NotebookClient(notebook, timeout=280, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
    nbformat.write(notebook, folder / source.name)
    page, _ = HTMLExporter(embed_images=True).from_notebook_node(notebook)
    (folder / f"{source.stem}.html").write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
