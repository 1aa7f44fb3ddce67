"""The notebooks, run while the site is made, as pages: what they show is what the package shows today.

What was run is kept in `build/site/` until the notebook or the package changes.
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "build" / "site" / "notebooks"
DOWNLOAD = "\n\n[Download the notebook]({name}){{ .md-button }}\n"


@cache
def package_digest() -> bytes:
    """Of every source of the package."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "manipula").rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


def executed(path: Path) -> Path:
    """The notebook with its outputs."""
    key = hashlib.sha256(package_digest() + path.read_bytes()).hexdigest()[:16]
    done = KEPT / key / path.name
    if not done.exists():
        done.parent.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, str(Path(__file__).with_name("run_notebook.py")), str(path), str(done)]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if ran.returncode:
            raise PluginError(f"{path.name} does not run:\n{ran.stderr[-3000:]}")
    return done


def as_markdown(path: Path) -> tuple[str, dict[str, bytes]]:
    """The page of a notebook and its pictures by name."""
    from nbconvert import MarkdownExporter

    body, resources = MarkdownExporter().from_filename(str(executed(path)))
    pictures = {f"{path.stem}-{name}": data for name, data in resources.get("outputs", {}).items()}
    for name in resources.get("outputs", {}):
        body = body.replace(f"({name})", f"({path.stem}-{name})")
    heading, _, rest = body.strip().partition("\n")
    # a printed output is an indented block, which a list before it would swallow
    return heading + DOWNLOAD.format(name=path.name) + fenced(rest), pictures


def fenced(text: str) -> str:
    """Indented blocks (what a cell printed) as fenced ones."""
    block = re.compile(r"(?:^(?:    .*)?\n)*^    .*\n?", re.MULTILINE)

    def fence(found: re.Match[str]) -> str:
        lines = [line[4:] for line in found[0].strip("\n").splitlines()]
        return "\n```text\n" + "\n".join(lines) + "\n```\n"

    parts = re.split(r"(^```.*?^```$|<table.*?</table>|\$\$.*?\$\$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if odd % 2 else block.sub(fence, part) for odd, part in enumerate(parts))


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The event of mkdocs: a page for each, and its pictures."""
    for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        page, pictures = as_markdown(path)
        files.append(File.generated(config, f"notebooks/{path.stem}.md", content=page))
        for name, data in pictures.items():
            files.append(File.generated(config, f"notebooks/{name}", content=data))
    return files
