"""Pages for the tests of the viewer: the built script in a file, one arm, and what the browser complains of."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from manipula.pages.page import built_file

PATIENCE = 90_000  # ms: what a wait may take on a machine that does other things too; nothing is timed here
HARMLESS = ("GPU stall due to ReadPixels",)  # said by screenshots of software WebGL


def inlined(text: str) -> str:
    return text.replace("</script", "<\\/script")


def viewer_page(folder: Path) -> Path:
    """A page with nothing but the script and a place for the arm."""
    style = "body{margin:0} #arm{width:640px;height:480px}"
    script = inlined(built_file("report.js").read_text(encoding="utf-8"))
    page = folder / "viewer.html"
    page.write_text(
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>arm</title><style>{style}</style>'
        f'<div id="arm"></div><script>{script}</script></html>',
        encoding="utf-8",
    )
    return page


@contextmanager
def opened(browser: Any, path: Path, **context: Any) -> Iterator[tuple[Any, list[str]]]:
    """The page of a file with the network off, and its complaints: errors, and requests to anywhere."""
    options = {"viewport": {"width": 1280, "height": 800}, "device_scale_factor": 1, "reduced_motion": "reduce"}
    made = browser.new_context(offline=True, **{**options, **context})
    made.set_default_timeout(PATIENCE)
    page, complaints = made.new_page(), []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda said: complaints.append(said.text) if loud(said) else None)
    page.on("request", lambda asked: complaints.append(asked.url) if foreign(asked.url) else None)
    page.goto(path.as_uri())
    try:
        yield page, complaints
    finally:
        made.close()


def loud(said: Any) -> bool:
    return said.type in ("error", "warning") and not any(word in said.text for word in HARMLESS)


def foreign(url: str) -> bool:
    return not url.startswith(("file:", "data:", "blob:"))


def new_viewer(page: Any, drawing: dict[str, Any]) -> None:
    page.evaluate(
        "d => { window.V = new manipula.Viewer(document.getElementById('arm')); V.setDrawing(JSON.parse(d)); }",
        json.dumps(drawing),
    )


def changed(a: bytes, b: bytes) -> float:
    """The share of pixels that differ by more than a shade."""
    import io

    import numpy as np
    from PIL import Image

    first, second = (np.asarray(Image.open(io.BytesIO(x)).convert("RGB"), dtype=int) for x in (a, b))
    return float((np.abs(first - second).max(axis=2) > 8).mean())
