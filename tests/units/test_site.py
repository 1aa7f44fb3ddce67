"""The documentation as a site: every page in its navigation, every link right; what a public repository has."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import manipula as mp

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted(DOCS.rglob("*.md"))]
FENCED = re.compile(r"^(`{3,}).*?^\1\s*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)")
OTHER = re.compile(r"^https?://", re.IGNORECASE)


def building(name: str) -> ModuleType:
    """A file of docs/building, as mkdocs loads it."""
    spec = importlib.util.spec_from_file_location(f"building_{name}", DOCS / "building" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def prose(path: Path) -> str:
    return FENCED.sub("", path.read_text(encoding="utf-8"))


def slug(heading: str) -> str:
    """The anchor of a heading, as GitHub and the site make it."""
    words = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", words).replace(" ", "-")


def anchors(path: Path) -> set[str]:
    return {slug(heading) for heading in re.findall(r"^#{1,6} (.*)$", prose(path), re.MULTILINE)}


def names(node: Any) -> list[str]:
    """The pages of a navigation, in order."""
    if isinstance(node, str):
        return [node]
    return [name for each in (node.values() if isinstance(node, dict) else node) for name in names(each)]


def test_every_page_is_in_the_navigation_once() -> None:
    tabs = building("navigation").navigation((DOCS / "index.md").read_text(encoding="utf-8"))
    found = names(tabs)
    written = [path.relative_to(DOCS).as_posix() for path in (*DOCS.rglob("*.md"), *DOCS.rglob("*.ipynb"))]
    assert sorted(found) == sorted(name.replace(".ipynb", ".md") for name in written)
    assert [next(iter(tab)) for tab in tabs][:3] == ["Home", "Tutorials", "How-to guides"]


def test_the_navigation_has_groups_and_no_page_twice() -> None:
    text = "[a](a.md)\n\n## Learn: by doing\n\n- [b](b.md), again [a](a.md)\n\nMore of it:\n\n- [c](n/c.ipynb)\n\n"
    tabs = building("navigation").navigation(text + "## None\n- [out](../x.md) [far](https://a.b/c.md)\n")
    assert tabs == [{"Home": ["index.md", "a.md"]}, {"Learn": ["b.md", {"More of it": ["n/c.md"]}]}]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_and_anchor_is_there(page: Path) -> None:
    for target, anchor in LINK.findall(prose(page)):
        path = (page.parent / target) if target else page
        assert path.exists(), target
        assert not anchor or anchor in anchors(path), f"{target}#{anchor}"


def test_every_picture_of_the_gallery_is_made_by_it() -> None:
    """`make pictures` runs the page; what no block writes, nobody could make again."""
    text = (DOCS / "gallery.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^]]+\]\((pictures/[^)]+)\)", text)
    written = re.findall(r'"(pictures/[^"]+\.\w+)"', "".join(re.findall(r"^```python\n(.*?)^```$", text, re.M | re.S)))
    shapes = [re.compile(re.sub(r"\\\{.*?\\\}", ".+", re.escape(name))) for name in written]
    for name in shown:
        assert (DOCS / name).is_file(), name
        assert name.startswith("pictures/studio/") or any(shape.fullmatch(name) for shape in shapes), name
    kept = [path.relative_to(DOCS).as_posix() for path in (DOCS / "pictures").iterdir() if path.is_file()]
    assert {name for name in kept if any(shape.fullmatch(name) for shape in shapes)} <= set(shown)
    assert all((DOCS / name).stat().st_size < 150_000 for name in shown)


def test_the_gallery_shows_the_equation_that_is_printed() -> None:
    text = (DOCS / "gallery.md").read_text(encoding="utf-8")
    assert f"$$\n{mp.generate('planar2r', 'inertia_matrix').latex()}\n$$" in text


def test_examples_of_docstrings_are_fenced() -> None:
    pytest.importorskip("griffe")
    text = "One.\n\n>>> f(1)\n2\n>>> g(\n...     3)\n\nMore, 1 >>> 2.\n"
    assert building("doctests").shown(text) == text.replace(">>> f", "```pycon\n>>> f").replace("3)\n", "3)\n```\n")


def test_links_out_of_docs_are_pages_of_the_site() -> None:
    pytest.importorskip("mkdocs")
    room = building("repository")
    text = "[a](../../manipula/scalar.py#x) [b](proof.md) [c](../../bench/notes/README.md)\n"
    text += "```text\n[d](../../README.md)\n```\n"
    anew = room.linked_anew(text, "docs/explanation/values.md")
    assert "(../repository/manipula/scalar.py.md#x)" in anew and "(proof.md)" in anew
    assert "(../repository/bench/notes/README.md)" in anew and "[d](../../README.md)" in anew
    assert room.linked_anew("[h](docs/how-to/emit.md)", "CONTRIBUTING.md") == "[h](../how-to/emit.md)"
    assert room.linked_anew("[h](bench/notes)", "docs/x.md") == "[h](bench/notes)"  # no such folder: left, and told
    assert "| `scalar.py` | " in room.folder_text("manipula")


def test_a_source_with_fences_stays_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mkdocs")
    room = building("repository")
    monkeypatch.setattr(room, "ROOT", tmp_path)
    (tmp_path / "a.py").write_text('"""\n```python\n```\n"""\n', encoding="utf-8")
    assert room.source_text("a.py").count("````") == 2


def test_what_a_cell_printed_is_fenced_and_tables_are_not() -> None:
    pytest.importorskip("mkdocs")
    fenced = building("notebooks").fenced
    assert fenced("a\n\n    one\n\n      two\n\nb\n").split() == ["a", "```text", "one", "two", "```", "b"]
    table = "<table>\n    <tr></tr>\n</table>\n\n```python\nif x:\n    y\n```\n"
    assert fenced(table) == table


def yaml_of(name: str) -> Any:
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def test_the_citation_names_this_version() -> None:
    cited = yaml_of("CITATION.cff")
    assert cited["cff-version"] == "1.2.0" and cited["version"] == mp.__version__
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert cited["license"] == project["license"] and cited["authors"] == project["authors"]
    assert {"message", "title"} <= set(cited)


@pytest.mark.parametrize("name", [p.name for p in sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))])
def test_the_forms_for_issues_are_whole(name: str) -> None:
    form = yaml_of(f".github/ISSUE_TEMPLATE/{name}")
    if name == "config.yml":
        assert set(form) <= {"blank_issues_enabled", "contact_links"}
        return
    assert form["name"] and form["description"]
    asked = [part for part in form["body"] if part["type"] != "markdown"]
    assert len({part["id"] for part in asked}) == len(asked) and all(part["attributes"]["label"] for part in asked)
    assert any(part.get("validations", {}).get("required") for part in asked)


def test_the_workflow_calls_the_two_commands_everywhere() -> None:
    jobs = yaml_of(".github/workflows/ci.yml")["jobs"]
    run = {name: [step["run"] for step in job["steps"] if "run" in step] for name, job in jobs.items()}
    assert {"make demo", "make test"} <= set(run["commands"])
    assert set(jobs["commands"]["strategy"]["matrix"]["os"]) == {"ubuntu-latest", "macos-latest"}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for line in ("-m manipula.cli demo", "-m pytest"):  # without make: the Makefile's own lines
        assert f"python {line}" in run["windows"] and f"$(RUN) {line}\n" in makefile
    assert "make docs" in run["documentation"] and jobs["windows"]["runs-on"] == "windows-latest"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built strictly: a broken link is an error."""
    pytest.importorskip("material")
    pytest.importorskip("mkdocstrings_handlers.python")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    where = {**os.environ, "PYTHONPATH": str(ROOT), "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=where, capture_output=True, text=True, check=False)
    if "cannot be fetched from npm" in done.stderr:
        pytest.skip("no way to npm's packages")
    assert done.returncode == 0, done.stderr[-3000:]
    return folder


SEEN = (
    "index",
    "index.pt",
    "tutorial/first-robot",
    "tutorial/first-robot.pt",
    "tutorial/notebook",
    "reference/docstrings",
)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("width", [1280, 390])
def test_the_site_from_a_disk(site: Path, width: int) -> None:
    """No request elsewhere, no error, formulas typeset, nothing wider than the screen."""
    api = pytest.importorskip("playwright.sync_api")
    browser_path = next((p for p in ("/usr/bin/chromium", "/usr/bin/google-chrome") if Path(p).exists()), None)
    with api.sync_playwright() as play:
        try:
            browser = play.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        except api.Error:
            pytest.skip("no browser")
        page = browser.new_page(viewport={"width": width, "height": 900})
        wrong: list[str] = []
        page.on("console", lambda said: wrong.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda asked: wrong.append(asked.url) if OTHER.match(asked.url) else None)
        for name in (*SEEN, *(f"notebooks/{p.stem}" for p in sorted((DOCS / "notebooks").glob("*.ipynb")))):
            page.goto((site / f"{name}.html").as_uri())
            wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            raw = "[...document.querySelectorAll('.arithmatex')].filter(e => !e.querySelector('.katex-html')).length"
            # what is waited for is the page itself: a quiet network is not always reported for files of a disk
            page.wait_for_function(f"document.readyState === 'complete' && {raw} === 0", timeout=120_000)
            page.evaluate("document.fonts.ready.then(() => null)")
            assert page.evaluate(wide) <= 0, name
            assert page.locator("article h1").first.inner_text(), name
        page.goto((site / "index.html").as_uri())
        page.keyboard.press("/")
        page.keyboard.type("payload")
        page.locator(".md-search-result__item").first.wait_for(state="attached", timeout=20_000)
        browser.close()
    assert wrong == []
