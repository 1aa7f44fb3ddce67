"""The example notebooks run from top to bottom; formulas come as LaTeX that MathJax can hold, nothing as a dump."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
QUICK = ("first-robot",)
FORMULAS = re.compile(r"(\.equations\(.*\)|mp\.generate\(planar, .*\)|^law)$", re.MULTILINE)
BUFFER = 5 * 1024  # signs: MathJax shows the source of a longer formula


def source_of(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def test_there_are_four_and_they_are_clean() -> None:
    """Without outputs: what they show is what the package shows today."""
    assert len(NOTEBOOKS) == 4
    for path in NOTEBOOKS:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        assert source_of(cells[0]).startswith("# ") and len({cell["id"] for cell in cells}) == len(cells)
        assert all(not cell["outputs"] and cell["execution_count"] is None for cell in cells if "outputs" in cell)


@pytest.mark.turn
@pytest.mark.parametrize(
    "path", [pytest.param(p, id=p.stem, marks=() if p.stem in QUICK else pytest.mark.slow) for p in NOTEBOOKS]
)
def test_a_notebook_runs_and_is_read(path: Path, tmp_path: Path) -> None:
    for needed in ("nbclient", "nbconvert", "ipykernel"):
        pytest.importorskip(needed)
    command = [sys.executable, "-m", "tests.notebook_page", str(path), str(tmp_path)]
    where = {**os.environ, "PYTHONPATH": str(ROOT), "IPYTHONDIR": str(tmp_path), "JUPYTER_RUNTIME_DIR": str(tmp_path)}
    done = subprocess.run(command, cwd=ROOT, env=where, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    cells = json.loads((tmp_path / path.name).read_text(encoding="utf-8"))["cells"]
    page = (tmp_path / f"{path.stem}.html").read_text(encoding="utf-8")
    for cell in cells:
        for output in cell.get("outputs", ()):
            assert_readable(output, source_of(cell), page)


def assert_readable(output: dict[str, Any], source: str, page: str) -> None:
    assert output["output_type"] in ("execute_result", "stream"), source
    data = {kind: "".join(text) for kind, text in output.get("data", {}).items()}
    plain = data.get("text/plain", "")
    if FORMULAS.search(source):
        assert "text/latex" in data and "text/html" not in data, source  # HTML would be taken before it
        for display in re.findall(r"\$\$(.*?)\$\$", data["text/latex"], re.S):
            assert len(display) < BUFFER and display.replace("&", "&amp;") in page
    elif set(data) == {"text/plain"}:
        assert len(plain) < 400 and "object at 0x" not in plain, plain[:500]
