"""Where the text of a page is, box by box: what is cut off, leaves its button, or lies on other text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

SIZES = {360: 740, 768: 1024, 1280: 800, 1920: 1080}  # of windows, px
TEXT_FAULTS = Path(__file__).with_name("boxes.js").read_text(encoding="utf-8")


def text_faults(page: Any, least: int = 10) -> list[str]:
    """Of the page as it is now; one without text was not looked at."""
    page.evaluate("() => document.fonts.ready.then(() => null)")
    found = page.evaluate(TEXT_FAULTS)
    assert found["texts"] >= least, found
    return list(found["faults"])
