"""A release, made and tried on this machine: `make release-check`, which installs the tools named below.

Builds sdist and wheel, checks both, installs the wheel alone in a fresh environment, runs the demo, `smoke.py` and the
studio from it, and writes the SBOM of that environment. It publishes nothing, and reaches the package registries alone.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import urllib.request
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
PAGES = ("studio/index.html", "report.js", "report.css", "widget.js", "widget.css")
WAIT = 60  # seconds for a studio to say its address


def release_version() -> str:
    """The version, if every file that names it agrees."""
    patterns = {
        "manipula/version.py": r'__version__ = "(.+)"',
        "CITATION.cff": r"(?m)^version: (.+)$",
        "CHANGELOG.md": r"(?m)^## \[(.+?)\]",
        "packaging/conda/meta.yaml": r'set version = "(.+?)"',
    }
    found = {file: re.search(pattern, (ROOT / file).read_text(encoding="utf-8")) for file, pattern in patterns.items()}
    versions = {file: match[1] if match else None for file, match in found.items()}
    if len(set(versions.values())) != 1:
        sys.exit(f"the version differs: {versions}")
    return str(versions["manipula/version.py"])


def check_recipe() -> None:
    """The conda recipe asks for what pyproject.toml asks for."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)["project"]
    recipe = (ROOT / "packaging/conda/meta.yaml").read_text(encoding="utf-8")
    wanted = {f"python {project['requires-python']}", *(re.sub(r"(>=)", r" \1", x) for x in project["dependencies"])}
    missing = sorted(x for x in wanted if f"- {x}\n" not in recipe)
    if missing:
        sys.exit(f"packaging/conda/meta.yaml lacks {missing}")


def build_packages(version: str) -> tuple[Path, Path]:
    """The wheel and the sdist, from the sdist's own sources; both hold the built pages."""
    shutil.rmtree(DIST, ignore_errors=True)
    run(sys.executable, "-m", "build", "--outdir", str(DIST), str(ROOT))
    wheel, sdist = DIST / f"manipula-{version}-py3-none-any.whl", DIST / f"manipula-{version}.tar.gz"
    with zipfile.ZipFile(wheel) as packed, tarfile.open(sdist) as source:
        names = {wheel.name: (packed.namelist(), ""), sdist.name: (source.getnames(), f"manipula-{version}/")}
    for file, (held, before) in names.items():
        missing = [page for page in PAGES if f"{before}manipula/pages/static/{page}" not in held]
        if missing:
            sys.exit(f"{file} lacks the built pages {missing}")
    return wheel, sdist


def try_wheel(wheel: Path, folder: Path) -> Path:
    """The wheel alone in a fresh environment: demo, smoke tests, studio. Returns the environment's Python."""
    home = folder / "environment"
    venv.create(home, with_pip=True)
    place = home / ("Scripts" if os.name == "nt" else "bin")
    python, program = str(place / "python"), str(place / "manipula")
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", f"{wheel}[studio]")
    empty = folder / "empty"
    empty.mkdir()
    run(program, "demo", cwd=empty)
    run(python, "-I", str(ROOT / "packaging/smoke.py"), cwd=empty)
    open_studio(program, empty)
    return Path(python)


def open_studio(program: str, folder: Path) -> None:
    """Start the studio, fetch its page, and end it."""
    order = [program, "studio", "--no-browser", "--port", "0"]
    # the token of the address is exchanged for a cookie
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    quiet = os.environ | {"PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        order, cwd=folder, env=quiet, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as studio:
        try:
            said = ""
            for line in studio.stdout or ():
                said += line
                address = re.search(r"http://\S+", said)
                if address:
                    with browser.open(address[0], timeout=WAIT) as page:
                        text = page.read().decode()
                    break
            else:
                sys.exit(f"the studio names no address: {said}")
        finally:
            studio.terminate()
    if "<script" not in text:
        sys.exit("the studio answers without its page")
    print("studio: its page is served from the wheel")


def write_sbom(python: Path, version: str) -> Path:
    """What the wheel brings with it, as CycloneDX, from the environment it was resolved in."""
    path = DIST / f"manipula-{version}.cdx.json"
    order = ["environment", "--pyproject", str(ROOT / "pyproject.toml"), "--output-reproducible", "--of", "JSON"]
    run(sys.executable, "-m", "cyclonedx_py", *order, "-o", str(path), str(python))
    told = json.loads(path.read_text(encoding="utf-8"))
    parts = {part["name"].lower(): part for part in told["components"]}
    for name in ("numpy", "scipy", "llvmlite", "pydantic"):
        if name not in parts:
            sys.exit(f"{path.name} lacks {name}")
    print(f"{path.name}: {len(parts)} components, CycloneDX {told['specVersion']}")
    return path


def run(*order: str, cwd: Path | None = None) -> None:
    print("$", *(Path(order[0]).name, *order[1:]), flush=True)
    # another checkout on the path would hide what the wheel lacks
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run(order, cwd=cwd, env=environment, check=True)


def main() -> None:
    version = release_version()
    check_recipe()
    wheel, sdist = build_packages(version)
    run(sys.executable, "-m", "twine", "check", "--strict", str(wheel), str(sdist))
    run(sys.executable, "-m", "check_wheel_contents", str(wheel))
    with tempfile.TemporaryDirectory() as place:
        write_sbom(try_wheel(wheel, Path(place)), version)
    print(f"manipula {version} is ready: {DIST}")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"release-check: {Path(error.cmd[0]).name} ended with {error.returncode}")
