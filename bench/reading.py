"""How easy the pages of the documentation are to read: Flesch's reading ease, page by page, the hardest first.

python bench/reading.py [COMMIT]. With a commit, each page and the mean are shown beside those of that commit. Read are
README.md and the English pages under docs, sentences only: no code, tables, headings, formulas. A name in code is a
word of one syllable, and the entries of a list are sentences of their own.

Source: R. Flesch, A new readability yardstick, J. Applied Psychology 32 (1948): 206.835 − 1.015 w/s − 84.6 y/w.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from statistics import mean

ROOT = Path(__file__).parents[1]
FENCE = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)
APART = re.compile(r"^\s*(#.*|\|.*|!\[.*|<.*|\$\$.*|---+|alt=.*)$", re.MULTILINE)  # no sentences
# formulas and trees, shown by themselves
SHOWN = re.compile(r"\\\[.*?\\\]|^\$\$.*?\$\$$|(?<=\n\n)(?: {4,}\S[^\n]*\n)+(?=\n|$)", re.MULTILINE | re.DOTALL)
SIGNS = ((r"\\\(.*?\\\)|\$[^$\n]+\$|`[^`]*`", "x"), (r"\[([^\]]*)\]\([^)]*\)", r"\1"), (r"[*_>]", ""))
BULLET = re.compile(r"^\s*(?:[-*]|\d+\.) ", re.MULTILINE)
END = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!\d)[.!?](?=\s|$)|(?<=\d)\.(?=\s+[A-Z]|\s*$)")
WORD = re.compile(r"[A-Za-zÀ-ÿ]+(?:['’][a-z]+)?")


def syllables(word: str) -> int:
    """Groups of vowels, without a silent e.

    >>> [syllables(x) for x in ("table", "proved", "inertia", "the", "closed", "joints")]
    [2, 1, 3, 1, 1, 1]
    """
    plain = re.sub(r"(?:(?<=[^tdaeiouy])ed|(?<=[^lszcgxaeiouy])es|(?<=[^laeiouy])e)$", "", word.lower())
    return max(1, len(re.findall(r"[aeiouyà-ÿ]+", plain)))


def sentences_of(text: str) -> list[list[str]]:
    """The sentences of a page as words; a paragraph or an entry of a list ends one."""
    text = APART.sub("\n", SHOWN.sub("\n\n", FENCE.sub("\n\n", text)))
    for pattern, by in SIGNS:
        text = re.sub(pattern, by, text)
    parts = re.split(r"\n\s*\n", BULLET.sub("\n\n", text))
    found = [WORD.findall(piece) for part in parts for piece in END.split(" ".join(part.split()))]
    return [words for words in found if len(words) > 1]


def ease(text: str) -> float | None:
    """Flesch's reading ease; None for a page of fewer than 50 words."""
    sentences = sentences_of(text)
    words = [word for sentence in sentences for word in sentence]
    if len(words) < 50:
        return None
    return 206.835 - 1.015 * len(words) / len(sentences) - 84.6 * sum(map(syllables, words)) / len(words)


def pages_now() -> dict[str, str]:
    files = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return {str(x.relative_to(ROOT)): x.read_text(encoding="utf-8") for x in files if not x.name.endswith(".pt.md")}


def pages_of(commit: str) -> dict[str, str]:
    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout

    listed = git("ls-tree", "-r", "--name-only", commit, "README.md", "docs").split("\n")
    wanted = [x for x in listed if x.endswith(".md") and not x.endswith(".pt.md")]
    return {name: git("show", f"{commit}:{name}") for name in wanted}


def eases(pages: dict[str, str]) -> dict[str, float]:
    found = {name: ease(text) for name, text in pages.items()}
    return {name: value for name, value in found.items() if value is not None}


def main() -> None:
    now = eases(pages_now())
    before = eases(pages_of(sys.argv[1])) if len(sys.argv) > 1 else {}
    for name, value in sorted(now.items(), key=lambda pair: pair[1]):
        was = f"{before[name]:6.1f} →" if name in before else " " * 8 if before else ""
        print(f"{was}{value:6.1f}  {name}")
    if before:
        both = [name for name in now if name in before]
        print(f"mean of {len(before)} pages at {sys.argv[1]}: {mean(before.values()):.1f}")
        print(f"the same pages now ({len(both)}): {mean(now[x] for x in both):.1f}")
    print(f"mean of {len(now)} pages: {mean(now.values()):.1f}")


if __name__ == "__main__":
    main()
