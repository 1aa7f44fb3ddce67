"""The studio as people use it: by visible labels and roles, in the program they start."""

from __future__ import annotations

import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import manipula as mp
from manipula import api
from manipula.errors import RobotFileError
from manipula.studio.requests import redirect_page
from tests.browser.pages import PATIENCE, changed
from tests.browser.robots import NARROW, SCREWS, URDF, recorded
from tests.browser.studio import Program, begin, library, page_of, paste, position, ready
from tests.units.test_collada import TRIANGLE, geometry
from tests.units.test_meshes import FILES

ELBOW = "θ\td\ta\tα\n0\t0,4\t0\t90\n0\t0\t0,45\t0\n0\t0\t0,35\t0"
# what Chromium itself writes when a test takes the network away, saves over a changed file, is refused an answer
EXPECTED = ("net::ERR_INTERNET_DISCONNECTED", "409 (Conflict)", "422 (Unprocessable", "401 (Unauthorized)")
HOSTILE = '<img src=x onerror="document.title=1">'


@pytest.fixture(scope="module")
def page(browser: Any, program: Program) -> Iterator[Any]:
    """One page for the tests of the file, as it stands open all day; none of them may leave a complaint."""
    with page_of(browser, program, viewport={"width": 960, "height": 560}) as (page, complaints):
        yield page
        assert not [text for text in complaints if not any(word in text for word in EXPECTED)]


def cell(page: Any, joint: int, column: str) -> Any:
    return page.get_by_role("textbox", name=f"joint {joint}, {column}", exact=True)


def test_the_page_that_opens_the_studio_leads_to_it_without_the_token(
    browser: Any, program: Program, tmp_path: Path
) -> None:
    """A file on the disk, which a browser takes for another site."""
    file = tmp_path / "open.html"
    file.write_text(redirect_page(program.url), encoding="utf-8")
    with browser.new_context() as made:
        made.set_default_timeout(PATIENCE)
        page = made.new_page()
        page.goto(file.as_uri())
        page.wait_for_url(f"{program.address}/")
        ready(page)
        page.go_back()
        assert page.url in ("about:blank", file.as_uri(), f"{program.address}/")  # no page before it names the token


def test_a_newcomers_path(page: Any, tmp_path: Path) -> None:
    """Open, new, paste three rows, see the arm, drag a slider, read the torques, take home C that passes its test."""
    assert page.get_by_role("navigation", name="Begin").is_visible()
    page.get_by_role("button", name="New", exact=True).click()
    page.get_by_role("dialog", name="New arm").get_by_role("button", name="Begin").click()
    assert cell(page, 1, "a (m)").input_value() == "l1"
    paste(page, ELBOW, Angles_in="deg")
    assert [cell(page, i, "a (m)").input_value() for i in (1, 2, 3)] == ["0", "0.45", "0.35"]
    page.get_by_role("button", name="Home", exact=True).click()
    assert position(page) == [0.8, 0.0, 0.4]
    stage = page.locator(".stage")
    before = stage.screenshot()
    slider = page.get_by_role("slider", name="q2 (deg)")
    box = slider.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    assert position(page)[2] > 1.0
    assert changed(before, stage.screenshot()) > 0.01
    page.get_by_role("tab", name="Equations").click()
    page.get_by_label("Model", exact=True).select_option("inverse_dynamics")
    tau = page.locator(".equations li").first
    tau.locator(".katex").nth(2).wait_for()
    assert "τ" in tau.inner_text()
    page.get_by_role("tab", name="Code").click()
    with page.expect_download() as coming:
        page.get_by_role("button", name="Download all (zip)").click()
    coming.value.save_as(tmp_path / "arm.zip")
    page.get_by_role("tab", name="Identify").click()  # asks for nothing while the other tests type
    self_test(tmp_path)


def self_test(folder: Path) -> None:
    """The files a person gets compile and pass the test that comes with them."""
    with zipfile.ZipFile(folder / "arm.zip") as archive:
        archive.extractall(folder / "c")
    sources = sorted(map(str, (folder / "c").rglob("*.c")))
    assert any(source.endswith("_test.c") for source in sources), sources
    if not (compiler := shutil.which("cc") or shutil.which("gcc")):
        pytest.skip("no C compiler: the files came, they were not compiled")
    subprocess.run([compiler, "-std=c99", "-O1", *sources, "-o", str(folder / "run"), "-lm"], check=True)
    assert subprocess.run([folder / "run"], capture_output=True, check=False).returncode == 0


def test_every_mistake_is_told_at_its_cell_in_the_readers_words(page: Any) -> None:
    paste(page, ELBOW)
    good = position(page)
    wrong = cell(page, 2, "a (m)")
    wrong.fill("0,4 apples")
    sentence = page.get_by_role("alert").locator(".sentence")
    sentence.wait_for()
    assert wrong.get_attribute("aria-invalid") == "true"
    assert page.locator("[aria-invalid=true]").count() == 1
    document = api.document("planar2r")
    document["rows"][1]["a"] = "0,4 apples"
    with pytest.raises(RobotFileError) as found:
        api.from_document(document)
    assert sentence.inner_text() == f"{found.value.problem} ({found.value.hint})"  # the place stands before it, once
    lead = page.get_by_role("alert").get_by_role("button", name="row 2, a", exact=True)
    page.evaluate("document.activeElement.blur()")
    lead.press("Enter")
    page.locator('[data-row="1"][data-column="2"]:focus').wait_for()
    assert page.get_by_text("the last table without errors").is_visible()
    wrong.fill("0,45")
    page.locator(".stage:not(.stale)[aria-busy=false]").wait_for()
    assert position(page) == good


def test_a_block_pasted_into_a_cell_spreads_and_adds_rows(page: Any) -> None:
    begin(page)
    put(page, cell(page, 2, "d (m)"), "0,1\t0,2\t90\n0,3\t0,4\t-90\n0\tL\t0")
    assert [cell(page, i, "a (m)").input_value() for i in (1, 2, 3, 4)] == ["l1", "0,2", "0,4", "L"]
    page.get_by_role("slider", name="q4 (deg)").wait_for()
    page.keyboard.press("Control+z")
    page.get_by_role("slider", name="q3 (deg)").wait_for(state="detached")
    put(page, cell(page, 1, "θ (deg)"), "alpha_{i-1}\ta_{i-1}\td\ttheta\n0\t0\t0\tq1\n-90\t0,2\t0\tq2")
    page.get_by_role("columnheader", name="αᵢ₋₁").wait_for()
    assert cell(page, 2, "aᵢ₋₁ (m)").input_value() == "0.2"


@pytest.mark.drawn("text")
@pytest.mark.parametrize(
    "text",
    ["θ1 0 l1 0\nθ2 0 l2 0", "θ1\t0\tl1\t0\nθ2\t0\tl2\t0", "0 0,4 0 90\n0 0 0,45 0", "0\t0.4\t0\t90\n0\t0\t0.45\t0"],
)
def test_a_table_without_headings_is_pasted(page: Any, text: str) -> None:
    begin(page)
    page.get_by_role("button", name="Paste", exact=True).click()
    dialog = page.get_by_role("dialog", name="Paste a table")
    dialog.get_by_role("textbox", name="Table").fill(text)
    dialog.get_by_role("button", name="Use this table").click()
    dialog.wait_for(state="detached")
    page.locator('.stage[aria-busy=false][data-robot="my_arm"][data-joints="2"]').wait_for()
    wanted = ["l1", "l2"] if "l1" in text else ["0", "0.45"]
    assert [cell(page, i, "a (m)").input_value() for i in (1, 2)] == wanted


def test_a_table_that_cannot_be_read_is_told_in_the_dialog(browser: Any, program: Program) -> None:
    """Where it can be read: behind a dialog nothing can be; and in words of the page, not of Python."""
    with page_of(browser, program, viewport={"width": 960, "height": 560}) as (page, complaints):
        begin(page)
        page.get_by_role("button", name="Paste", exact=True).click()
        dialog = page.get_by_role("dialog", name="Paste a table")
        dialog.get_by_role("textbox", name="Table").fill("three words only\n0 0 1 0")
        dialog.get_by_role("button", name="Use this table").click()
        sentence = dialog.get_by_role("alert").inner_text()
        assert "the first line is not a header" in sentence and "columns=" not in sentence
        assert page.locator(".notice").count() == 0
    assert len(complaints) == 1 and "400 (Bad Request)" in complaints[0]


def test_the_step_of_a_cell_ends_with_its_focus(page: Any) -> None:
    begin(page)
    cell(page, 2, "a (m)").focus()
    page.locator(".viewer-labels span", has_text="a2 = ").wait_for()
    page.get_by_role("slider", name="q1 (deg)").focus()
    page.locator(".viewer-labels span", has_text="a2 = ").wait_for(state="detached")


def test_cells_mean_what_the_column_says(page: Any) -> None:
    """The texts of a person who takes the heading at its word, and the mistakes that are refused."""
    begin(page)
    cell(page, 1, "α (deg)").fill("90")
    page.locator(".stage:not(.stale)[aria-busy=false]").wait_for()
    right = position(page)
    for text in ("180/2", "2*45", "90+0", "−90 + 180", "90°", "pi/2"):
        cell(page, 1, "α (deg)").fill(text)
        page.locator(".stage:not(.stale)[aria-busy=false]").wait_for()
        page.wait_for_function("() => !document.querySelector('[aria-invalid=true]')")
        assert position(page) == right, text
    for column, text in (("θ (deg)", "θ1+90"), ("α (deg)", "θ2"), ("a (m)", "θ")):
        old = cell(page, 2, column).input_value()
        cell(page, 2, column).fill(text)
        page.locator("[aria-invalid=true]").wait_for()
        cell(page, 2, column).fill(old)
        page.locator("[aria-invalid=true]").wait_for(state="detached")


def put(page: Any, field: Any, text: str) -> None:
    """What the browser does when a person pastes."""
    field.focus()
    field.evaluate(
        "(field, text) => { const data = new DataTransfer(); data.setData('text/plain', text);"
        " field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })) }",
        text,
    )


def test_every_edit_can_be_undone_and_done_again(page: Any) -> None:
    paste(page, ELBOW)
    field = cell(page, 2, "a (m)")
    field.click()
    field.fill("")
    field.type("0.9")
    page.get_by_role("button", name="Add joint").click()
    page.get_by_label("type of joint 4").select_option("prismatic")
    assert page.get_by_label("type of joint 4").input_value() == "prismatic"
    for _ in range(3):
        page.locator("body").press("Control+z")
    assert field.input_value() == "0.45"  # typing into one cell is one step
    assert page.get_by_label("type of joint 4").count() == 0
    for _ in range(3):
        page.locator("body").press("Control+Shift+z")
    assert page.get_by_label("type of joint 4").input_value() == "prismatic"
    assert field.input_value() == "0.9"


def test_the_keyboard_alone_is_enough(page: Any) -> None:
    """A new arm, a cell, a joint, a tab: no pointer."""
    begin(page)  # whatever the tests before have left
    page.get_by_role("tab", name="Identify", exact=True).click()
    reach(page, "my_arm")
    page.keyboard.press("Enter")
    page.locator("[role=menuitem]:focus").wait_for()
    page.keyboard.press("Enter")
    page.get_by_role("dialog", name="New arm").wait_for()
    page.keyboard.press("Enter")
    page.locator('.stage[aria-busy=false][data-robot="my_arm"][data-joints="2"]').wait_for()
    page.locator('[data-row="0"][data-column="0"]:focus').wait_for()  # a table is what one types next
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    assert focused(page) == "joint 2, a (m)"
    page.keyboard.type("0.5")
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("0")
    page.keyboard.press("2")
    for _ in range(5):
        page.keyboard.press("+")
    assert page.get_by_role("slider", name="q2 (deg)").input_value() == "10"
    page.keyboard.press("0")
    assert page.get_by_role("slider", name="q2 (deg)").input_value() == "0"
    chosen = page.locator("[role=tab][aria-selected=true]")
    reach(page, chosen.inner_text())
    for _ in range(page.get_by_role("tab").count()):
        if chosen.inner_text() != "Identify":
            page.keyboard.press("ArrowRight")
    assert chosen.inner_text() == "Identify"
    page.keyboard.press("ArrowLeft")
    assert chosen.inner_text() == "Base"
    page.keyboard.press("End")
    assert chosen.inner_text() == "Study"
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Help").wait_for()
    page.keyboard.press("Escape")
    page.get_by_role("dialog", name="Help").wait_for(state="detached")


def focused(page: Any) -> str:
    script = "(document.activeElement.getAttribute('aria-label') || document.activeElement.textContent || '').trim()"
    return str(page.evaluate(script))


def reach(page: Any, name: str) -> None:
    """By the Tab key."""
    for _ in range(120):
        if focused(page).startswith(name):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the Tab key does not come to {name!r}")


def test_a_reload_keeps_the_work(page: Any) -> None:
    paste(page, ELBOW)
    cell(page, 3, "a (m)").fill("0.31 +")  # not even right
    page.get_by_role("alert").locator(".sentence").wait_for()
    page.reload()
    ready(page)
    assert cell(page, 3, "a (m)").input_value() == "0.31 +"
    assert page.get_by_role("navigation", name="Begin").count() == 0


def test_a_duplicated_tab_keeps_work_of_its_own(page: Any) -> None:
    """It has the storage of its twin, names too: both go on, and neither writes over the other."""
    paste(page, ELBOW)
    name = page.evaluate("sessionStorage.getItem('manipula.studio')")
    twin = page.context.new_page()
    twin.goto(page.url)
    twin.evaluate("name => sessionStorage.setItem('manipula.studio', name)", name)
    twin.reload()
    ready(twin)
    assert cell(twin, 2, "a (m)").input_value() == "0.45"
    cell(twin, 2, "a (m)").fill("0.99")
    twin.wait_for_function("Object.values(localStorage).join().includes('0.99')")
    assert "0.99" not in page.evaluate("name => localStorage.getItem(`manipula.studio.${name}`)", name)
    twin.close()


def test_units_are_changed_without_changing_the_arm(page: Any) -> None:
    paste(page, ELBOW)
    before = position(page)
    page.get_by_label("Lengths in").select_option("mm")
    page.get_by_role("columnheader", name="a (mm)").wait_for()
    assert cell(page, 2, "a (mm)").input_value() == "450"
    shown = page.get_by_label("Position of the tool (mm)")
    shown.filter(has_text=re.compile(r"\d{3}\.\d")).wait_for()
    page.get_by_role("button", name="Undo").click()
    assert position(page) == before


def test_names_are_shown_never_run(page: Any) -> None:
    paste(page, ELBOW)
    page.get_by_role("button", name=re.compile("^my_arm")).click()
    page.get_by_role("menuitem", name="Name, gravity, values…").click()
    page.get_by_label("Name", exact=True).fill(HOSTILE)
    page.get_by_label("Description").fill(HOSTILE)
    page.keyboard.press("Escape")
    assert page.get_by_role("button", name=re.compile("^" + re.escape(HOSTILE[:4]))).is_visible()
    cell(page, 1, "a (m)").fill(HOSTILE)
    page.get_by_role("alert").locator(".sentence").first.wait_for()
    assert page.locator("img").count() == 0
    assert page.title() == "manipula studio"


@pytest.mark.turn
def test_a_file_that_changed_meanwhile_is_not_written_over(page: Any, program: Program) -> None:
    """By another page or an editor: both are shown, and the person says which is to stay."""
    paste(page, ELBOW)
    page.keyboard.press("Control+s")
    page.get_by_role("dialog", name="Save").get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Saved as my_arm.toml.").wait_for()
    path = program.folder / "my_arm.toml"
    path.write_text(path.read_text().replace("0.45", "0.5"))
    for length, act in (("0.6", "Take the file's"), ("0.7", "Save mine over it")):
        cell(page, 2, "a (m)").fill(length)
        page.keyboard.press("Control+s")
        found = page.get_by_role("dialog", name="The file has changed")
        found.get_by_label("The file as it is now").filter(has_text="a = 0.5").wait_for()
        assert "a = 0.5" in path.read_text()
        found.get_by_role("button", name=act).click()
        found.wait_for(state="detached")
        if act == "Take the file's":
            assert cell(page, 2, "a (m)").input_value() == "0.5"
            path.write_text(path.read_text() + "\n# again\n")
    page.get_by_text("Saved as my_arm.toml.").wait_for()
    assert "a = 0.7" in path.read_text()


def test_a_server_that_does_not_answer_is_told_and_nothing_is_lost(page: Any) -> None:
    paste(page, ELBOW)
    page.get_by_role("button", name="Home", exact=True).click()
    page.context.set_offline(True)
    cell(page, 2, "a (m)").fill("0.77")
    sentence = page.get_by_text("not connected; your table is kept here")
    sentence.first.wait_for()
    page.evaluate("document.activeElement.blur()")
    for key in ("1", "+"):  # the page computes on
        page.keyboard.press(key)
    assert page.get_by_role("slider", name="q1 (deg)").input_value() == "2"
    assert "0.77" in page.evaluate("Object.values(localStorage).join()")
    page.context.set_offline(False)
    sentence.last.wait_for(state="detached")
    page.locator(".stage:not(.stale)[aria-busy=false]").wait_for()
    assert position(page)[0] > 1.0


def test_a_studio_started_anew_is_told_until_its_address_is_opened(page: Any) -> None:
    """The page of the studio before has no right any more; once the browser has, it goes on with what was typed."""
    paste(page, ELBOW)
    page.route("**/api/**", lambda route: route.fulfill(status=401, body="{}"))
    cell(page, 2, "a (m)").fill("0.66")
    sentence = page.get_by_text("open the address it prints")
    sentence.wait_for()
    page.unroute("**/api/**")
    sentence.wait_for(state="detached")
    page.locator(".stage:not(.stale)[aria-busy=false]").wait_for()
    assert cell(page, 2, "a (m)").input_value() == "0.66"
    page.evaluate("document.activeElement.blur()")


def test_the_library_is_searched_by_keys(page: Any) -> None:
    """A slash, a word, Enter: the first; or the arrows. A name that begins with the word comes first."""

    def search(word: str) -> Any:
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("/")
        dialog = page.get_by_role("dialog", name="Library")
        dialog.wait_for()
        page.keyboard.type(word)
        return dialog

    dialog = search("puma")
    names = dialog.get_by_role("listitem").locator("strong").all_inner_texts()
    assert names[:2] == ["puma560", "puma560_symbolic"] and "craig_puma560" in names
    page.keyboard.press("Escape")  # once, whatever is typed
    dialog.wait_for(state="detached")
    search("nothing like that")
    page.keyboard.press("Enter")
    assert dialog.get_by_role("status").is_visible() and dialog.get_by_role("listitem").count() == 0
    page.keyboard.press("Escape")
    search("scara")
    page.keyboard.press("Enter")
    page.locator('.stage[aria-busy=false][data-robot="scara"]').wait_for()
    dialog.wait_for(state="detached")
    names = [entry.inner_text() for entry in search("stanford").get_by_role("listitem").locator("strong").all()]
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    page.locator(f'.stage[aria-busy=false][data-robot="{names[1]}"]').wait_for()


@pytest.mark.turn
def test_a_library_arm_reaches_its_own_pose_by_every_branch(page: Any) -> None:
    library(page, "scara")
    page.get_by_role("tab", name="Inverse").click()
    page.get_by_role("row").nth(1).wait_for()
    before = position(page)
    goes = page.locator("button:has-text('Go'):enabled")
    goes.last.click()
    assert position(page) == before
    assert page.locator(".why").count() == 1
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("b")  # branches of one arm are on the screen when another comes
    library(page, "planar2r")
    page.get_by_role("slider", name="q3 (deg)").wait_for(state="detached")
    page.get_by_role("row", name=re.compile("elbow")).nth(1).wait_for()


def test_a_branch_is_refused_in_the_units_of_the_table(page: Any, program: Program) -> None:
    (program.folder / "narrow.toml").write_text(NARROW)
    opened(page, "narrow.toml", "narrow")
    page.get_by_role("tab", name="Inverse").click()
    page.get_by_label("Angles in").select_option("deg")
    page.get_by_role("slider", name="q2 (deg)").fill("30")
    refused = page.get_by_role("row", name=re.compile("outside its limits"))
    refused.filter(has_text="[0°, 114.592°] by 30°").wait_for()
    page.get_by_label("Angles in").select_option("rad")
    refused.filter(has_text="at -0.5236 rad is outside its limits [0 rad, 2 rad] by 0.5236 rad").wait_for()


def opened(page: Any, file: str, name: str) -> None:
    """A file of the folder, by the menu."""
    page.locator("header").get_by_role("button").first.click()
    page.get_by_role("menuitem", name=re.compile("^Open")).click()
    page.get_by_role("button", name=re.compile("^" + re.escape(file))).click()
    page.locator(f'.stage[aria-busy=false][data-robot="{name}"]').wait_for()


def test_a_recording_dropped_on_the_page_is_identified(page: Any, program: Program, tmp_path: Path) -> None:
    """Of a simulated arm that rubs: what the page shows of it is what it was made with, and how sure that is."""
    robot = replace(mp.load("planar2r"), name="two_links").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    rubbing = robot.with_friction(theta1={"viscous": 0.8, "coulomb": 1.5}, theta2={"viscous": 0.4, "coulomb": 0.6})
    mp.save(robot, program.folder / "two links.toml")
    for name, pace in (("run 1 (of 2).csv", 1.0), ("other.csv", 0.7)):
        recorded(rubbing, pace).save(tmp_path / name)
    page.locator("header").get_by_role("button").first.click()
    page.get_by_role("menuitem", name=re.compile("^Open")).click()
    page.get_by_role("button", name=re.compile("^two links.toml")).click()
    page.locator('.stage[aria-busy=false][data-robot="two_links"]').wait_for()
    page.get_by_role("tab", name="Identify").click()
    drop(page.get_by_text("Logs to learn from"), tmp_path / "run 1 (of 2).csv")
    page.get_by_label("Logs to test with").set_input_files(tmp_path / "other.csv")
    page.get_by_role("button", name="Identify", exact=True).click()
    page.get_by_text("What was found is a body that can exist.").wait_for(timeout=120_000)
    # at one moment: legends of plots that come later have rows of their own
    texts = "rows => rows.map(row => [...row.children].map(cell => cell.innerText))"
    figures = {head: cells for head, *cells in page.locator(".tab-body tbody tr").evaluate_all(texts)}
    assert all(float(x) < 2 for log in ("learnt from", "other.csv") for x in figures[log])
    for name, value, unit in (("m2", 2, "kg"), ("fv1", 0.8, "N·m·s/rad"), ("fc2", 0.6, "N·m")):
        found, spread = map(float, figures[name][:2])
        assert abs(found - value) < 0.05 * value and 0 < spread < 0.1 * value and figures[name][2] == unit, figures[
            name
        ]
    page.get_by_label("Torques of").select_option("other.csv")
    for joint in ("theta1", "theta2"):
        for plot in (f"{joint}: measured and predicted torque", f"{joint}: residual"):
            page.get_by_role("img", name=plot).locator("canvas").wait_for()
    page.get_by_role("button", name="Use what was found").click()
    page.get_by_label("Columns").select_option("mass")
    assert float(cell(page, 1, "fv (N·m·s)").input_value()) == pytest.approx(0.8, rel=0.05)


def drop(place: Any, path: Path) -> None:
    """The file let go of there."""
    script = "([text, name]) => { const d = new DataTransfer(); d.items.add(new File([text], name)); return d; }"
    held = place.page.evaluate_handle(script, [path.read_text(), path.name])
    place.dispatch_event("drop", {"dataTransfer": held})


def test_the_meshes_of_a_urdf_are_drawn(page: Any, program: Program) -> None:
    """Those that lie with it in the folder; what is missing is told and has its solid; a switch brings the solids."""
    place = program.folder / "bot" / "meshes"
    place.mkdir(parents=True)
    (place / "a.stl").write_bytes(FILES["a.stl"])
    (place / "b.dae").write_bytes(geometry(TRIANGLE))
    (program.folder / "bot" / "bot.urdf").write_text(URDF)
    page.locator("header").get_by_role("button").first.click()
    page.get_by_role("menuitem", name=re.compile("^Open")).click()
    page.get_by_role("button", name=re.compile("bot.urdf")).click()
    page.locator('.stage[aria-busy=false][data-robot="bot"]').wait_for()
    told = page.locator(".notice").filter(has_text="../../secret.stl: this mesh is not in the folder")
    told.wait_for()
    told.get_by_role("button").click()
    page.locator(".toggles summary").click()
    page.get_by_label("Meshes").wait_for()
    pictures = []
    for on in (True, False, True):
        page.get_by_label("Meshes").set_checked(on)
        with page.expect_download() as coming:
            page.get_by_role("button", name="SVG", exact=True).click()
        pictures.append(coming.value.path().read_text())
    page.locator(".toggles summary").click()
    assert pictures[0] == pictures[2] != pictures[1]
    assert "<polygon" in pictures[0]
    assert page.evaluate("document.documentElement.scrollLeft") == 0


def test_the_answer_of_another_arm_is_never_shown(page: Any) -> None:
    """Where an arm's own equations cannot be had, there are none, and a sentence; not those of the arm before."""
    library(page, "planar2r")
    page.get_by_role("tab", name="Equations").click()
    page.get_by_label("Model", exact=True).select_option("inverse_dynamics")
    page.locator(".equations li").first.wait_for()
    refusal = '{"error": {"message": "too long for the factored form"}}'
    page.route("**/api/equations", lambda route: route.fulfill(status=422, body=refusal))
    library(page, "rp")
    page.get_by_role("alert").get_by_text("too long").wait_for()
    assert page.locator(".equations li").count() == 0
    page.unroute("**/api/equations")
    page.get_by_role("button", name="Show it as it runs (auxiliary)").click()
    page.locator(".equations li").first.wait_for()
    assert page.get_by_role("alert").get_by_text("too long").count() == 0


def test_what_moves_the_arm_ends_the_welcome(browser: Any, program: Program) -> None:
    with page_of(browser, program, reduced_motion="no-preference") as (page, _):
        page.get_by_role("button", name="Home", exact=True).click()
        page.get_by_role("navigation", name="Begin").wait_for(state="detached")
        assert position(page) == [0.6, 0.0, 0.0]


def test_an_arm_without_a_closed_form_has_answers_that_were_searched(page: Any, program: Program) -> None:
    (program.folder / "screws.toml").write_text(SCREWS)
    page.locator("header").get_by_role("button").first.click()
    page.get_by_role("menuitem", name=re.compile("^Open")).click()
    page.get_by_role("button", name=re.compile("screws.toml")).click()
    page.locator('.stage[aria-busy=false][data-robot="screws"]').wait_for()
    page.get_by_role("tab", name="Inverse").click()
    page.get_by_text("turns and slides at once").first.wait_for()
    page.get_by_text(re.compile(r"Searched from 64 starts: \d found, perhaps not all.")).wait_for()
    assert page.get_by_role("row", name=re.compile("found 1.*here")).count() == 1
    page.get_by_role("tab", name="Identify").click()


def test_a_table_is_typed_by_tab_and_enter(browser: Any, program: Program) -> None:
    with page_of(browser, program) as (page, _):
        begin(page)
        cell(page, 1, "α (deg)").focus()
        page.keyboard.press("Tab")  # past the buttons of the row
        focused = page.evaluate("[document.activeElement.dataset.row, document.activeElement.dataset.column]")
        assert focused == ["1", "0"]
        rows = page.locator("table.cells tbody tr")
        before = rows.count()
        page.locator(f'[data-row="{before - 1}"][data-column="2"]').press("Enter")
        page.wait_for_function("n => document.activeElement.dataset.row === String(n)", arg=before)
        assert rows.count() == before + 1
        assert page.evaluate("document.activeElement.dataset.column") == "2"
        page.keyboard.press("Control+z")
        page.wait_for_function("n => document.querySelectorAll('table.cells tbody tr').length === n", arg=before)
