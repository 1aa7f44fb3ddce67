"""A worksheet in Chromium, the network off: answers are checked in the page; no text is clipped; derivations too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import manipula as mp
from manipula import api
from manipula.worksheets.sheet import Sheet

WIDTHS = (360, 768, 1280)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Sheet]:
    folder = tmp_path_factory.mktemp("class")
    sheets = mp.worksheet("planar2r", ["pose", "jacobian", "ik", "dynamics"], seed=7, students=1)
    sheets.write(folder, formats=["html"])
    return folder, sheets.sheet(1)


def opened(browser: Any, path: Path, width: int = 1280) -> Any:
    page = browser.new_page(viewport={"width": width, "height": 900}, offline=True)
    page.on("request", lambda asked: pytest.fail(asked.url) if not asked.url.startswith(("file:", "data:")) else None)
    page.goto(path.as_uri())
    return page


def answer(page: Any, place: int, text: str) -> str:
    box = page.locator(".question").nth(place)
    box.locator("input").fill(text)
    box.locator("input").press("Enter")
    return str(box.locator("output").inner_text())


def test_right_answers_are_right_in_the_page(browser: Any, made: tuple[Path, Sheet]) -> None:
    folder, sheet = made
    page = opened(browser, folder / "student_01.html")
    for place, one in enumerate(sheet.questions):
        assert answer(page, place, sheet.plain(one)) == "Right.", one.key
    page.close()


def test_wrong_answers_are_wrong_in_the_page(browser: Any, made: tuple[Path, Sheet]) -> None:
    folder, sheet = made
    page = opened(browser, folder / "student_01.html")
    for place, one in enumerate(sheet.questions):
        if one.kind == "formula":
            text = sheet.plain(one)
            assert answer(page, place, f"-({text})") == "Not equal: the sign is opposite."
            assert answer(page, place, f"2*({text})") == "Not equal: off by a constant factor."
            assert answer(page, place, f"{text} + 0.5") == "Not equal: off by a constant."
            assert answer(page, place, f"{text} + s1*q2") == "Not equal."
            assert answer(page, place, "nosuch*c1").endswith("nosuch")
            assert "cannot be read" in answer(page, place, "l1 ++* c1")
            assert "first" in answer(page, place, "  ")
            assert "cannot be read" in answer(page, place, "alert(1)") or "alert" in answer(page, place, "alert(1)")
        else:
            assert answer(page, place, "1, 2") == "Not equal."
    page.close()


@pytest.mark.drawn("width")
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_page(browser: Any, made: tuple[Path, Sheet], width: int, tmp_path: Path) -> None:
    folder, _ = made
    api.write_derivation(mp.derive("planar2r", "dynamics"), tmp_path / "steps.html")
    for path in (folder / "student_01.html", folder / "teacher_01.html", tmp_path / "steps.html"):
        page = opened(browser, path, width)
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
        outside = page.evaluate("""[...document.querySelectorAll("p, summary, h1, h2, input, button")].filter(one => {
            const box = one.getBoundingClientRect();
            return box.width && (box.left < 0 || box.right > innerWidth + 1);
        }).length""")
        assert outside == 0
        page.close()
