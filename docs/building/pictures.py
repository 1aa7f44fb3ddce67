"""`make pictures`: run the blocks of docs/gallery.md in docs/; they write docs/pictures anew, byte by byte the same."""

from __future__ import annotations

import contextlib
import io
import os
import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def main() -> None:
    """Pictures of matplotlib hold no date and no random names."""
    import matplotlib

    os.environ["SOURCE_DATE_EPOCH"] = "0"
    matplotlib.use("agg")
    matplotlib.rcParams["svg.hashsalt"] = "manipula"
    matplotlib.rcParams["svg.fonttype"] = "none"  # letters as letters: a third of the size
    matplotlib.rcParams["path.simplify_threshold"] = 0.8  # of a point
    (DOCS / "pictures").mkdir(exist_ok=True)
    names: dict[str, object] = {"__name__": "page"}
    with contextlib.chdir(DOCS), contextlib.redirect_stdout(io.StringIO()):
        for block in BLOCK.findall((DOCS / "gallery.md").read_text(encoding="utf-8")):
            exec(compile(block.replace('"generated"', '"../out/gallery"'), "gallery.md", "exec"), names)


if __name__ == "__main__":
    main()
