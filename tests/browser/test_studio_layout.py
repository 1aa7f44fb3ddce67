"""The studio as a person arranges it: divider, folds, the arm alone; a new arm; hints that help; derivations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula import api
from tests.browser.studio import Program, library, page_of, ready
from tests.browser.test_studio import EXPECTED, begin, cell, put
from tests.browser.test_studio_looks import violations


@pytest.fixture(scope="module")
def page(browser: Any, program: Program) -> Iterator[Any]:
    with page_of(browser, program) as (page, complaints):
        yield page
        assert not [text for text in complaints if not any(word in text for word in EXPECTED)]


def test_first_answers_that_were_given_up_are_asked_again(browser: Any, program: Program) -> None:
    """By a machine that is busy: without them the page has neither library nor arm."""
    with browser.new_context() as made:
        page, refused = made.new_page(), []

        def refuse_once(route: Any) -> None:
            path = route.request.url.partition("/api/")[2]
            if path in refused:
                return route.continue_()
            refused.append(path)
            return route.fulfill(
                status=400, body='{"error": {"message": "this took longer than 20 s and was given up"}}'
            )

        for path in ("start", "read"):
            page.route(f"**/api/{path}", refuse_once)
        page.goto(program.url)
        ready(page)
        assert sorted(refused) == ["read", "start"]
        assert page.locator('.stage[data-robot="planar2r"]').count() == 1
        page.keyboard.press("/")
        page.get_by_role("dialog", name="Library").get_by_role("listitem").first.wait_for()


def test_the_window_is_arranged_by_keys_and_stays_so(page: Any) -> None:
    begin(page)
    divider = page.get_by_role("separator", name="Width of the arm")
    before = page.locator(".stage").bounding_box()["width"]
    divider.focus()
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    assert divider.get_attribute("aria-valuenow") == "43"
    assert page.locator(".stage").bounding_box()["width"] < before - 80
    fold = page.get_by_role("button", name="Table", exact=True)
    fold.focus()
    page.keyboard.press("Enter")
    assert fold.get_attribute("aria-expanded") == "false" and page.locator("table.cells").count() == 0
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("a")
    assert page.get_by_role("tablist").count() == 0
    assert page.locator(".stage").bounding_box()["width"] > 1200
    page.reload()
    ready(page)
    assert page.get_by_role("tablist").count() == 0
    page.get_by_role("button", name="Arm alone").click()
    fold.click()
    divider.dblclick()
    assert page.locator("table.cells").is_visible() and divider.get_attribute("aria-valuenow") == "51"


def test_the_table_is_as_high_as_one_makes_it(page: Any) -> None:
    begin(page)
    table, divider = page.locator(".table-panel"), page.get_by_role("separator", name="Height of the table")
    own = table.bounding_box()["height"]
    divider.focus()
    page.keyboard.press("End")
    assert table.bounding_box()["height"] > own + 100
    box = divider.bounding_box()
    page.mouse.move(box["x"] + 40, box["y"] + 3)
    page.mouse.down()
    page.mouse.move(box["x"] + 40, 250, steps=3)
    page.mouse.up()
    moved = table.bounding_box()
    assert abs(moved["y"] + moved["height"] - 250) < 8
    page.reload()
    ready(page)
    assert table.bounding_box() == moved
    divider.focus()
    page.keyboard.press("Enter")
    assert table.bounding_box()["height"] == own


def test_what_is_shown_is_chosen_over_the_picture(page: Any) -> None:
    """The arm keeps its size while the list is open."""
    before = page.locator(".stage").bounding_box()
    page.locator(".toggles summary").click()
    page.get_by_label("Centres of mass").check()
    assert page.locator(".stage").bounding_box() == before
    page.get_by_label("Centres of mass").uncheck()
    page.locator(".toggles summary").click()


def test_two_methods_are_compared_by_numbers(page: Any) -> None:
    """Operations on each bar, and how long it is; the torques stand first, what they are made of is folded."""
    library(page, "planar2r")
    page.get_by_role("tab", name="Equations", exact=True).click()
    page.get_by_label("Model", exact=True).select_option("inverse_dynamics")
    page.get_by_label("Compare with").select_option("jacobian")
    page.locator(".side .bar").nth(1).wait_for()
    page.locator(".tab-body .working").wait_for(state="detached")
    totals, lengths = [], []
    for side in page.locator(".side").all():
        totals.append(int(re.search(r": (\d+) operations", side.get_by_role("heading").inner_text())[1]))
        many = re.search(r"(\d+) multiplications, (\d+) additions", side.inner_text())
        assert int(many[1]) + int(many[2]) <= totals[-1]
        lengths.append(sum(float(part.get_attribute("width")) for part in side.locator(".bar rect").all()))
        assert side.locator(".equations li").count() == 2 and "τ" in side.locator(".equations li").first.inner_text()
        assert side.get_by_text("auxiliary lines").is_visible()
    assert totals[0] < totals[1] and np.isclose(lengths[0] / lengths[1], totals[0] / totals[1])
    page.get_by_label("Compare with").select_option("")
    page.get_by_label("Form").select_option("factored")


def test_what_was_wanted_has_a_sign_of_its_own(page: Any) -> None:
    library(page, "planar2r")
    page.get_by_role("tab", name="Simulate", exact=True).click()
    page.get_by_role("button", name="Simulate", exact=True).click()
    legend = page.locator(".plot").first.locator(".u-series")
    legend.nth(4).wait_for()
    sign = "row => [row.querySelector('.u-label').innerText, row.querySelector('.u-marker')?.style.cssText]"
    signs = dict(legend.evaluate_all(f"rows => rows.map({sign})"))
    assert {"q1", "q2", "q1 wanted", "q2 wanted"} < set(signs)
    assert len({signs[name] for name in ("q1", "q2", "q1 wanted", "q2 wanted")}) == 4


@pytest.mark.filterwarnings("ignore::manipula.ManipulaWarning")  # without masses, or with upright axes: said
@pytest.mark.parametrize("masses", ["geometry", "points", "rods", "bodies"])
def test_a_new_arm_has_the_masses_one_says(page: Any, masses: str) -> None:
    page.locator("header").get_by_role("button").first.click()
    page.get_by_role("menuitem", name="New", exact=True).click()
    dialog = page.get_by_role("dialog", name="New arm")
    dialog.get_by_role("textbox").fill("RXP")
    assert dialog.get_by_role("button", name="Begin").is_disabled()
    dialog.get_by_role("textbox").fill("RRP")
    dialog.get_by_label("Links").select_option(masses)
    with page.expect_response("**/api/draw") as drawn:
        dialog.get_by_role("button", name="Begin").click()
    answer = drawn.value.json()
    assert answer["errors"] == []
    robot = api.from_document(answer["document"])
    assert (
        robot.joint_types == ("revolute", "revolute", "prismatic") if hasattr(robot, "joint_types") else robot.dof == 3
    )
    letters = {"geometry": set(), "points": {"m1", "m2", "m3"}, "rods": {"m1", "m2", "m3"}}
    names = set(robot.parameters) - {"l1", "l2", "gx", "gy", "gz"}
    if masses == "bodies":
        assert len(names) >= 30
        return
    assert names == letters[masses]
    arm = mp.Arm(
        robot.with_parameters(
            **{
                x: v
                for x, v in (("l1", 0.5), ("l2", 0.4), ("m1", 3.0), ("m2", 2.0), ("m3", 1.0))
                if x in robot.parameters
            }
        )
    )
    of = {"geometry": (0, 0), "points": (2.0 + 1.0, 0), "rods": (2.0 / 3 + 1.0, 0)}[masses]  # M22 / l2² of a rod: m/3
    assert np.isclose(arm.inertia_matrix([0.3, 0.2, 0.1])[1, 1], of[0] * 0.4**2)


def test_a_unit_that_looks_wrong_is_changed_by_a_button(page: Any) -> None:
    begin(page)
    cell(page, 1, "α (deg)").fill("1.5707963")
    page.get_by_role("button", name="Read the numbers in rad").click()
    page.get_by_role("columnheader", name="α (rad)").wait_for()
    assert cell(page, 1, "α (rad)").input_value() == "1.5707963"
    page.get_by_role("button", name="Read the numbers in rad").wait_for(state="detached")
    cell(page, 2, "a (m)").fill("400")
    hint = page.locator(".warnings li").filter(has_text="millimetres")
    hint.wait_for()
    assert hint.inner_text().splitlines() == ["row 2, a: 400 m looks like millimetres", "Read the numbers in mm"]


@pytest.mark.parametrize(
    "text",
    [r"\begin{tabular}{cccc} $\theta_1$ & 0.2 & 0 & $90^\circ$ \\ $\theta_2$ & 0 & 0.45 & 0 \\ \end{tabular}",
     "DHRobot([RevoluteDH(d=0.2, alpha=pi/2), RevoluteDH(a=0.45)])"],
)  # fmt: skip
def test_tables_of_papers_and_programs_are_pasted_into_a_cell(page: Any, text: str) -> None:
    begin(page)
    put(page, cell(page, 1, "θ (deg)"), text)
    page.wait_for_function("() => document.querySelector('[data-row=\"1\"][data-column=\"2\"]').value === '0.45'")
    assert cell(page, 1, "d (m)").input_value() == "0.2"


@pytest.mark.filterwarnings("ignore::manipula.ManipulaWarning")  # on a published inertia
def test_branches_have_words_that_the_arm_shows(page: Any) -> None:
    """Those reached first; a branch with its elbow up has it above that of its twin."""
    library(page, "puma560")
    page.get_by_role("tab", name="Inverse", exact=True).click()
    rows = page.locator(".figures tbody tr").filter(has_text="elbow")
    rows.nth(7).wait_for()
    states = [row.get_attribute("class") != "refused" for row in rows.all()]
    assert states == sorted(states, reverse=True)
    arm, heights = mp.Arm("puma560"), {}
    for row in rows.all():
        name, angles = row.get_by_role("rowheader").inner_text(), row.locator("td").first.inner_text()
        if re.search(r"\d", angles):
            frames = arm.frames(np.radians([float(x) for x in angles.split(",")]))
            heights[name] = float(np.asarray(frames)[1][2, 3])
    twins = [(name, name.replace("elbow up", "elbow down")) for name in heights if "elbow up" in name]
    assert len(heights) == 8 and len(twins) == 4
    assert all(heights[up] > heights[down] for up, down in twins)
    drawn = rows.locator(".stick").evaluate_all("all => all.map((one) => one.innerHTML)")
    assert len(set(drawn)) == 8
    assert {re.search(r"shoulder (\w+)", name)[1] for name in heights} == {"left", "right"}
    assert {re.search(r"wrist (no flip|flip)", name)[1] for name in heights} == {"flip", "no flip"}


def test_branches_behind_three_parallel_axes_have_words(page: Any) -> None:
    """A wrist that flips has joint 5 on the other side of zero."""
    library(page, "ur5e")
    page.get_by_role("tab", name="Inverse", exact=True).click()
    rows = page.locator(".figures tbody tr:not(.refused)").filter(has_text="elbow")
    rows.nth(3).wait_for()
    words = re.compile(r"shoulder (left|right), wrist (no flip|flip), elbow (up|down)")
    for row in rows.all():
        found = words.fullmatch(row.get_by_role("rowheader").inner_text())
        angles = [float(x) for x in row.locator("td").first.inner_text().split(",")]
        assert found and (np.sin(np.radians(angles[4])) > 0) == (found[2] == "no flip")


def test_the_elbow_of_an_arm_that_lies_is_left_or_right(page: Any) -> None:
    """Behind its second axis; of four joints as of six."""
    library(page, "scara")
    page.get_by_role("tab", name="Inverse", exact=True).click()
    rows = page.locator(".figures tbody tr:not(.refused)").filter(has_text="elbow")
    rows.nth(1).wait_for()
    assert {row.get_by_role("rowheader").inner_text() for row in rows.all()} == {"elbow left", "elbow right"}


def test_a_derivation_is_folded_and_read(page: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    library(page, "planar2r")
    page.get_by_role("tab", name="Steps", exact=True).click()
    page.locator(".steps mtable").first.wait_for()
    page.get_by_label("Derive").select_option("dynamics")
    page.get_by_text("Christoffel symbols").first.wait_for()
    assert not violations(axe, page)


def test_matrices_are_matrices_and_no_entry_is_repeated(page: Any) -> None:
    library(page, "planar2r")
    page.get_by_role("tab", name="Equations", exact=True).click()
    model = page.get_by_label("Model", exact=True)
    assert model.locator("optgroup").evaluate_all("all => all.map((one) => one.label)")[:2] == ["Kinematics", "Statics"]
    model.select_option("transforms")
    page.locator(".matrix .katex").nth(1).wait_for()
    assert page.locator(".equations li").count() == 0
    page.get_by_text("Entry by entry").click()
    page.locator(".equations li").nth(5).wait_for()
    model.select_option("inverse_dynamics")
    page.get_by_label("Form").select_option("auxiliary")
    page.get_by_text(re.compile(r"\d+ auxiliary lines")).wait_for()
    assert page.locator(".equations li").count() == 2
