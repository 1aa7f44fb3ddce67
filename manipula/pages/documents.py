"""Whole files around parts that are set already: a page, a LaTeX document, a Typst document, a PDF."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from manipula.pages.derivation import STYLE, Derivation, same
from manipula.pages.page import LANGUAGE, POLICY
from manipula.pages.page import STYLE as PAGE_STYLE
from manipula.pages.paper import pdf_of
from manipula.pages.steps import Told

# wide rows shrink to the page; amsmath sets the displays
LATEX_HEAD = r"""\documentclass[11pt,a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{amsmath,amssymb}
\usepackage[margin=2.2cm]{geometry}
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt}
\allowdisplaybreaks
\setcounter{MaxMatrixCols}{20}
"""
TYPST_HEAD = """#set page(paper: "a4", margin: 2.2cm, numbering: "1")
#set text(size: 10.5pt)
#show math.equation.where(block: true): it => layout(size => {
  let wide = measure(it).width
  let share = size.width / wide * 100%
  if wide > size.width { scale(x: share, y: share, origin: left, reflow: true, it) } else { it }
})
"""


def latex_document(body: str, title: str = "") -> str:
    head = rf"\title{{{title}}}\date{{}}" + "\n" if title else ""
    begin = "\\begin{document}\n" + ("\\maketitle\n" if title else "")
    return f"{LATEX_HEAD}{head}{begin}{body}\n\\end{{document}}\n"


def typst_document(body: str, told: Told = same) -> str:
    return f'{TYPST_HEAD}#set text(lang: "{told(LANGUAGE)}")\n\n{body}\n'


def html_document(title: str, parts: Sequence[str], style: str = STYLE, script: str = "", told: Told = same) -> str:
    """One file that asks nobody for anything; a script runs only where one is given, by its digest."""
    policy, run = POLICY, ""
    if script:
        from base64 import b64encode
        from hashlib import sha256

        digest = b64encode(sha256(script.encode()).digest()).decode()
        policy = POLICY.replace("style-src", f"script-src 'sha256-{digest}'; style-src", 1)
        run = f"<script>{script}</script>\n"
    body = "\n".join(parts)
    return (
        f'<!doctype html>\n<html lang="{escape(told(LANGUAGE))}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<link rel="icon" href="data:,">\n'
        f"<title>{escape(title)}</title>\n<style>{PAGE_STYLE}{style}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n"
        f"{run}</body>\n</html>\n"
    )


def document_of(derivation: Derivation, ending: str, told: Told = same) -> str | bytes:
    """The derivation as a whole file."""
    match ending:
        case ".html":
            title = derivation.title.sentence(derivation.script("text"), told)
            return html_document(title, [derivation.html(told, 1)], told=told)
        case ".tex":
            return latex_document(derivation.latex(told))
        case ".typ":
            return typst_document(derivation.typst(told), told)
        case ".pdf":
            return pdf_of(typst_document(derivation.typst(told), told))
    return derivation.text(told) + "\n"
