"""The arm in a notebook: the widget moves with its numbers and tells them; exported pages show a picture offline."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import manipula as mp
from manipula.errors import InputError, UnknownNameError
from manipula.pages.page import STATIC, built_file
from tests.browser.pages import changed, opened

pytest.importorskip("anywidget", reason="anywidget is not installed: no view is made")
pytestmark = pytest.mark.skipif(not (STATIC / "widget.js").exists(), reason="the page is not built (`make web`)")

ROOT = Path(__file__).parents[2]
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>notebook</title><style>@CSS</style>
<div class="manipula-still-@NAME">the picture</div><div id="out" style="width:700px"></div>
<script type="text/plain" id="code">@CODE</script><script type="application/json" id="traits">@TRAITS</script>
<script>
  const traits = JSON.parse(document.getElementById("traits").textContent), calls = {}; window.saved = [];
  window.model = {
    get: name => traits[name], on: (name, call) => (calls[name] = call), off: name => delete calls[name],
    set: (name, value) => (traits[name] = value), save_changes: () => saved.push([...traits.q]),
    fromPython: (name, value) => { traits[name] = value; calls["change:" + name](); },
  };
  const url = URL.createObjectURL(new Blob([document.getElementById("code").textContent], {type: "text/javascript"}));
  import(url).then(async m => { window.end = await m.default.render({model, el: document.getElementById("out")}); });
</script></html>"""


def notebook_page(view: Any, folder: Path) -> Path:
    """What a notebook does with a widget, without the notebook."""
    names = ("name", "drawing", "q", "module", "times", "rows", "height", "shown")
    traits = json.dumps({name: getattr(view.widget, name) for name in names}).replace("<", "\\u003c")
    code = built_file("widget.js").read_text(encoding="utf-8").replace("</script", "<\\/script")
    parts = {"@CSS": built_file("widget.css").read_text(encoding="utf-8"), "@NAME": view.widget.name, "@TRAITS": traits}
    text = PAGE
    for place, part in {**parts, "@CODE": code}.items():
        text = text.replace(place, part)
    path = folder / "widget.html"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    view = mp.Arm("scara").view([[0, 0, 0, 0], [0.5, 0.9, 0.1, 0]], times=[0, 0.4], names=True)
    with opened(browser, notebook_page(view, tmp_path_factory.mktemp("widget"))) as (page, complaints):
        page.wait_for_selector("[data-ready]")
        yield page
        page.evaluate("end()")
        assert not complaints


def test_python_moves_the_arm_and_the_picture_goes(page: Any) -> None:
    assert not page.get_by_text("the picture").is_visible()
    before = page.locator(".manipula-arm").screenshot()
    page.evaluate("model.fromPython('q', [0.5, 0.9, 0.1, 0.3])")
    page.wait_for_timeout(300)  # the picture at rest
    assert changed(before, page.locator(".manipula-arm").screenshot()) > 0.01


def test_a_slider_tells_python(page: Any) -> None:
    page.get_by_text("joints", exact=True).click()
    page.get_by_label("theta2 (degrees)", exact=True).focus()
    page.keyboard.press("Home")
    assert page.evaluate("saved.at(-1)[1]") == pytest.approx(-3.14159, abs=1e-3)


def test_a_run_is_played_to_its_end(page: Any) -> None:
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("document.querySelector('.manipula-play output').textContent === '0.40 s'")
    box = '[aria-label="theta2 (degrees), as a number"]'  # 0.40 is told from 0.395 on: the end is a moment later
    page.wait_for_function("box => Math.abs(document.querySelector(box).value - 51.6) < 0.1", arg=box)


CELLS = """
import manipula as mp
view = mp.Arm("planar2r").view([0.3, 0.9])
view
"""


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The notebook as a kernel left it, in two pages: with the state of its widgets and without."""
    for needed in ("nbclient", "nbconvert", "ipykernel"):
        pytest.importorskip(needed)
    folder = tmp_path_factory.mktemp("notebook")
    code = (
        "import sys, nbformat\nfrom nbclient import NotebookClient\nfrom nbconvert import HTMLExporter\n"
        "notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(sys.argv[1])])\n"
        "NotebookClient(notebook, timeout=200, kernel_name='python3').execute()\n"
        "for name in ('with', 'without'):\n"
        "    open(name + '.html', 'w').write(HTMLExporter().from_notebook_node(notebook)[0])\n"
        "    print(len(notebook.metadata.pop('widgets', {})))\n"
    )
    where = {**os.environ, "PYTHONPATH": str(ROOT), "IPYTHONDIR": str(folder), "JUPYTER_RUNTIME_DIR": str(folder)}
    command = [sys.executable, "-c", code, CELLS]
    done = subprocess.run(command, cwd=folder, env=where, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == ["1", "0"]  # there was state, and then there was none
    return folder


@pytest.mark.parametrize("name", ["with", "without"])
def test_an_exported_page_shows_the_picture_offline(browser: Any, executed: Path, name: str) -> None:
    with opened(browser, executed / f"{name}.html") as (page, _):  # the page asks for its own libraries, in vain
        picture = page.get_by_alt_text("planar2r")
        assert picture.is_visible() and picture.evaluate("img => img.naturalWidth > 100")
        assert "ArmView" not in page.inner_text("body")


def test_a_view_is_given_and_refused_in_sentences() -> None:
    arm = mp.Arm("planar2r")
    view = arm.view([0.1, 0.2])
    view.q = (1, 2)
    view.show(frames=True)
    assert view.q == [1.0, 2.0] and view.widget.shown == {"frames": True} and "2 joints" in repr(view)
    with pytest.raises(InputError, match="2 coordinates, found 1"):
        view.q = [1]
    with pytest.raises(InputError, match="times: expected 3"):
        arm.view([[0, 0]] * 3, times=[0, 2, 1])
    for wrong in (lambda: arm.view(frame=True), lambda: view.show(frame=True)):
        with pytest.raises(UnknownNameError, match="frames"):
            wrong()


def test_a_run_is_shown_at_its_times() -> None:
    class Moved:
        t = [k / 1000 for k in range(5001)]
        q = [[t, -t] for t in t]

    widget = mp.Arm("planar2r").view(Moved()).widget
    assert len(widget.times) == len(widget.rows) == 2000 and widget.times[-1] == 5.0
    assert all(row == [t, -t] for t, row in zip(widget.times, widget.rows, strict=True))
