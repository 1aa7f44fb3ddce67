"""Files of the repository that the pages link to are pages of the site, too: nothing leads out of it.

`docs/x.md` is the page `x`; any other file is the page `repository/…`: texts as they are, sources as code, a folder
as the list of its files with their first lines. A notebook is the page that `notebooks.py` makes of it.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[2]
PLACE = "repository"
LINK = re.compile(r"(\]\()(?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]*)?(\))")
FENCED = re.compile(r"^(?P<fence>`{3,}|~{3,}).*?^(?P=fence)\s*$", re.MULTILINE | re.DOTALL)
LANGUAGES = {".py": "python", ".json": "json", ".toml": "toml", ".js": "javascript", ".ts": "typescript"}


def target_of(page: str, link: str) -> str:
    """The file of the repository that a link of `page` (also of the repository) means."""
    return os.path.normpath(PurePosixPath(page).parent / unquote(link)).replace(os.sep, "/")


def address_of(path: str) -> str:
    """Where the site has a file or folder of the repository, as the source of a page."""
    if path.startswith("docs/") and (ROOT / path).is_file():
        return path.removeprefix("docs/").replace(".ipynb", ".md")
    if (ROOT / path).is_dir():
        return f"{PLACE}/{path}/index.md"
    return f"{PLACE}/{path}" if path.endswith(".md") else f"{PLACE}/{path}.md"


def outside_fences(text: str, change: re.Pattern[str], by: object) -> str:
    """Replace in what is no fenced block: examples stay as they are typed."""
    parts, end = [], 0
    for block in FENCED.finditer(text):
        parts += [change.sub(by, text[end : block.start()]), block.group()]  # type: ignore[call-overload]
        end = block.end()
    return "".join([*parts, change.sub(by, text[end:])])  # type: ignore[call-overload]


def linked_anew(text: str, page: str) -> str:
    """The links of a file of the repository, as links of its page in the site."""
    here = PurePosixPath(address_of(page)).parent

    def anew(found: re.Match[str]) -> str:
        target = target_of(page, found[2])
        if not (ROOT / target).exists():
            return found[0]
        address = os.path.relpath(address_of(target), here).replace(os.sep, "/")
        return f"{found[1]}{quote(address)}{found[3] or ''}{found[4]}"

    return outside_fences(text, LINK, anew)


def links_of(page: str) -> list[str]:
    """The files of the repository that a text links to."""
    text = FENCED.sub("", (ROOT / page).read_text(encoding="utf-8"))
    targets = (target_of(page, found[2]) for found in LINK.finditer(text))
    return [target for target in targets if (ROOT / target).exists()]


def linked_from(pages: Iterable[str]) -> list[str]:
    """What the pages link to outside docs/, and what those texts link to, and so on."""
    waiting, found = list(pages), dict.fromkeys(pages)
    while waiting:
        page = waiting.pop()
        fresh = [target for target in links_of(page) if not target.startswith("docs/") and target not in found]
        found |= dict.fromkeys(fresh)
        waiting += [target for target in fresh if target.endswith(".md")]
    return [path for path in found if not path.startswith("docs/")]


def first_line(path: Path) -> str:
    """What a Python file says of itself."""
    if path.suffix != ".py":
        return ""
    doc = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return doc.partition("\n")[0]


def folder_text(path: str) -> str:
    """A folder as the list of its files."""
    files = sorted(each for each in (ROOT / path).iterdir() if each.is_file() and not each.name.startswith("."))
    rows = "".join(f"| `{file.name}` | {first_line(file).replace('|', chr(92) + '|')} |\n" for file in files)
    return f"# `{path}`\n\n| file | |\n|---|---|\n{rows}"


def source_text(path: str) -> str:
    """A source as a page: its name and its lines."""
    body = (ROOT / path).read_text(encoding="utf-8")
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"^`{3,}", body, re.MULTILINE)), default=0))
    return f"# `{path}`\n\n{fence}{LANGUAGES.get(Path(path).suffix, 'text')}\n{body.rstrip()}\n{fence}\n"


def page_text(path: str) -> str:
    """The page of a file or folder outside docs/."""
    if (ROOT / path).is_dir():
        return folder_text(path)
    if path.endswith(".md"):
        return linked_anew((ROOT / path).read_text(encoding="utf-8"), path)
    return source_text(path)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The event of mkdocs: add the pages."""
    pages = [f"docs/{file.src_uri}" for file in files.documentation_pages() if (ROOT / "docs" / file.src_uri).exists()]
    for path in linked_from(pages):
        files.append(File.generated(config, address_of(path), content=page_text(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """The event of mkdocs: links of a page of docs/ lead to the pages."""
    written = ROOT / "docs" / page.file.src_uri
    return linked_anew(markdown, f"docs/{page.file.src_uri}") if written.exists() else markdown
