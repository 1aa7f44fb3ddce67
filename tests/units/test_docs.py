"""Every example of the documentation runs: README and docs, a page at a time, in order, in an empty folder.

What a reader sees is what is run:

    ```python              executed; the blocks of a page share their names
    ```sh                  lines that begin with `manipula`, `cc` or `./` are run, in order; `# exit code 2` may follow
    ```toml my_arm.toml    a block of any language with a file name is written to that file
    ```text                directly behind a python or sh block: what it printed; `...` stands for anything

A page in Portuguese (`x.pt.md`) shows the blocks of the English one, comments apart: they are run there.

`python -m tests.units.test_docs` writes what the examples print today into the pages.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.testing import CliRunner

import manipula as mp
from manipula import errors
from manipula.cli.app import app
from manipula.mechanics.models.control.laws import LAWS

ROOT = Path(__file__).parents[2]
OWN = ("index.pt.md", "studio.pt.md")  # show commands of their own
TRANSLATED = sorted(page for page in (ROOT / "docs").rglob("*.pt.md") if page.name not in OWN)
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").rglob("*.md"))]
RUN = [page for page in PAGES if page not in TRANSLATED]
COMMENT = re.compile(r"\s+# .*$", re.MULTILINE)
BLOCK = re.compile(r"^```(?P<language>\w+)[ ]?(?P<file>\S*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]+)")
COMMAND = re.compile(r"^(?P<words>(?:manipula|cc|\./\S+)(?: .*?)?)(?:\s+# exit code (?P<code>\d+))?$")
VERBS = ("manipula.api.robot_verbs", "manipula.api.model_verbs", "manipula.api.time_verbs", "manipula.api.data_verbs")
DOCTESTED = (
    "manipula",
    *VERBS,
    "manipula.api.rotation",
    "manipula.api.transform",
    "manipula.arm",
    "manipula.robot",
    "manipula.studies.study_run",
    "manipula.studies.study_file",
)


@dataclass(frozen=True)
class Block:
    """A fenced block; `printed` tells that it shows the output of the block before it."""

    language: str
    file: str
    body: str
    line: int
    span: tuple[int, int]
    printed: bool


def blocks_of(text: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    end, runs = 0, False
    for found in BLOCK.finditer(text):
        language, file = found["language"], found["file"]
        printed = language == "text" and runs and not text[end : found.start()].strip()
        yield Block(language, file, found["body"], text[: found.start()].count("\n") + 1, found.span("body"), printed)
        end, runs = found.end(), language in ("python", "sh") and not file


def outputs_of(text: str) -> Iterator[tuple[Block, str]]:
    """Run the page in the current folder: (block of shown output, what was printed)."""
    names: dict[str, Any] = {"__name__": "page"}
    printed = ""
    for block in blocks_of(text):
        if block.printed:
            yield block, printed
        elif block.file:
            Path(block.file).parent.mkdir(parents=True, exist_ok=True)
            Path(block.file).write_text(block.body, encoding="utf-8")
        elif block.language == "python":
            printed = run_python(block, names)
        elif block.language == "sh":
            printed = "".join(run_line(line) for line in block.body.splitlines())


def run_python(block: Block, names: dict[str, Any]) -> str:
    out = io.StringIO()
    sys.path.insert(0, os.getcwd())  # as for a program there: a page may import a file that it has written
    try:
        with contextlib.redirect_stdout(out):
            exec(compile("\n" * block.line + block.body, "page", "exec"), names)
    finally:
        sys.path.pop(0)
    return out.getvalue()


def run_line(line: str) -> str:
    """One line of a shell block; what is not ours to run (make, pip, git) is passed over."""
    command = COMMAND.match(line)
    if not command:
        return ""
    words, code = shlex.split(command["words"]), int(command["code"] or 0)
    found, text = run_manipula(words[1:]) if words[0] == "manipula" else run_program(words)
    assert found == code, f"{line}\nexit code {found}\n{text}"
    return text


def run_manipula(words: list[str]) -> tuple[int, str]:
    ran = CliRunner().invoke(app, words)
    if ran.exception and not isinstance(ran.exception, SystemExit):
        raise ran.exception
    return ran.exit_code, ran.output


def run_program(words: list[str]) -> tuple[int, str]:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler: the rest of the page was not run")
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout + ran.stderr


def plain(text: str) -> str:
    """Without the blanks that end lines of tables."""
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n"


def page_id(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


# what a newcomer runs first, and the pages of reference; `make docs` and `make test-all` run every page
FIRST = [page for page in RUN if page.parent.name not in ("how-to", "explanation", "decisions") and page.stem != "cli"]
LONG = ("gallery", "size-an-arm")


@pytest.mark.drawn("page", few=5)
@pytest.mark.usefixtures("kept_functions")
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.slow] * (page not in FIRST or page.stem in LONG)) for page in RUN],
    ids=map(page_id, RUN),
)
def test_examples_print_what_the_page_shows(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MANIPULA_HOME", str(tmp_path / "home"))
    for shown, printed in outputs_of(page.read_text(encoding="utf-8")):
        want, got = plain(shown.body), plain(printed)
        same = doctest.OutputChecker().check_output(want, got, doctest.ELLIPSIS)
        assert same, f"{page_id(page)}, line {shown.line} shows\n{want}\nbut it prints\n{got}"


def original(page: Path) -> Path:
    """The English page of a translated one."""
    return page.with_name(page.name.replace(".pt.md", ".md"))


@pytest.mark.parametrize("page", TRANSLATED, ids=page_id)
def test_a_translation_has_the_examples_of_its_page(page: Path) -> None:
    def shown(path: Path) -> list[tuple[str, str, str]]:
        blocks = blocks_of(path.read_text(encoding="utf-8"))
        return [(block.language, block.file, COMMENT.sub("", block.body)) for block in blocks]

    assert shown(page) == shown(original(page)) and shown(page)


def test_every_tutorial_is_there_in_portuguese() -> None:
    english = {page for page in (ROOT / "docs" / "tutorial").glob("*.md") if page not in TRANSLATED}
    assert english <= {original(page) for page in TRANSLATED}


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_links_lead_somewhere(page: Path) -> None:
    links = LINK.findall(page.read_text(encoding="utf-8"))
    broken = [link for link in links if not (page.parent / link).exists()]
    assert not broken, f"{page_id(page)}: {broken}"


def test_the_index_lists_every_page() -> None:
    index = ROOT / "docs" / "index.md"
    linked = {(index.parent / link).resolve() for link in LINK.findall(index.read_text(encoding="utf-8"))}
    missing = [page_id(page) for page in (ROOT / "docs").rglob("*.md") if page != index and page not in linked]
    assert not missing


@pytest.mark.drawn("name", few=3)
@pytest.mark.parametrize("name", DOCTESTED)
def test_docstring_examples(name: str) -> None:
    module: ModuleType = importlib.import_module(name)
    result = doctest.testmod(module)
    assert result.attempted and not result.failed


def test_the_reference_names_every_model_method_and_language() -> None:
    page = (ROOT / "docs/reference/models.md").read_text(encoding="utf-8")
    names = {name for model in mp.models() for name in (model, *mp.methods(model))} | set(mp.languages())
    assert not [name for name in sorted(names) if f"`{name}`" not in page]


def test_the_reference_names_every_public_name_and_error() -> None:
    api_page = (ROOT / "docs/reference/python-api.md").read_text(encoding="utf-8")
    errors_page = (ROOT / "docs/reference/errors.md").read_text(encoding="utf-8")
    public = [name for name in mp.__all__ if not name.startswith("__")]
    raised = [name for name, value in vars(errors).items() if isinstance(value, type) and issubclass(value, Exception)]
    assert not [name for name in public if name not in api_page + errors_page]
    assert not [name for name in raised if f"`{name}`" not in errors_page]


@pytest.mark.parametrize("law", LAWS)
def test_the_page_of_laws_has_every_setting_with_its_unit(law: str) -> None:
    page = (ROOT / "docs/how-to/laws-one-by-one.md").read_text(encoding="utf-8")
    section = page.partition(f"## `{law}`\n")[2].partition("\n## ")[0]
    assert "*When*" in section and "mp.controller(" in section and f'"{law}", ' in section
    for port in LAWS[law].sampled.inputs:
        unit = re.split(" or |, ", port.unit)[0]
        named = re.search(rf"`{port.name}` (and `\w+` )?{re.escape(unit)}(?![\w·/])", section)
        assert named or port.role != "setting" or port.name == "sample", (port.name, unit)


@pytest.mark.turn
def test_the_readme_counts_are_those_of_the_code() -> None:
    row = re.compile(r"\(`([\w-]+)`\) \| (?:\d+|–) \| (\d+) \|")
    shown = {method: int(total) for method, total in row.findall((ROOT / "README.md").read_text(encoding="utf-8"))}
    models = {name: "pose" if name in mp.methods("pose") else "lagrange_terms" for name in shown}
    models["newton-euler"] = "inverse_dynamics"
    costs = {x: mp.generate("puma560_symbolic", models[x], method=x, optimise="none").cost.grand_total for x in shown}
    assert len(shown) == 9 and shown == costs


def refresh(page: Path) -> None:
    """Write what the examples print into the page; a shown output with `...` is left to its author."""
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        os.environ["MANIPULA_HOME"] = folder
        shown = list(outputs_of(text))
    for block, printed in reversed(shown):
        if "..." not in block.body:
            text = text[: block.span[0]] + plain(printed) + text[block.span[1] :]
    page.write_text(text, encoding="utf-8")


def copy_outputs(page: Path) -> None:
    """What a translated page shows as printed is what the English one does."""
    text = page.read_text(encoding="utf-8")
    pairs = list(zip(blocks_of(text), blocks_of(original(page).read_text(encoding="utf-8")), strict=True))
    for mine, theirs in reversed(pairs):
        if mine.printed:
            text = text[: mine.span[0]] + theirs.body + text[mine.span[1] :]
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    for each in RUN:
        refresh(each)
    for each in TRANSLATED:
        copy_outputs(each)
