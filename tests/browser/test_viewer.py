"""The viewer in a browser: every robot where Python says its links are, moved by numbers, by hand and by keys."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.drawing.skeleton import poses_of
from tests.browser.pages import changed, new_viewer, opened, viewer_page
from tests.random_robots import random_robot, random_tree


@pytest.fixture(scope="module")
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One page for all tests of the file; none of them may leave a complaint."""
    with opened(browser, viewer_page(tmp_path_factory.mktemp("viewer"))) as (page, complaints):
        yield page
        assert not complaints


@pytest.fixture
def arm(page: Any) -> Iterator[Any]:
    """puma560 in a viewer of its own."""
    new_viewer(page, mp.drawing("puma560"))
    page.evaluate("V.setQ([0.4, -0.6, -0.6, 0.2, 0.7, 0]); V.stage.full()")
    yield page
    page.evaluate("V.dispose()")


def neighbours() -> list[Any]:
    """Arms and trees of every kind, and each of the library's shapes."""
    screws = [random_robot(seed, screws=True) for seed in range(4)]
    plain = [random_robot(seed, joints=joints) for seed, joints in enumerate(("R", "P", "FR", "RPF", 8, "PPP"))]
    return [*screws, *plain, *(random_tree(seed) for seed in range(4)), *map(mp.load, ("panda", "scara", "planar2r"))]


def test_links_stand_where_python_says(page: Any) -> None:
    draw = random.Random(16)
    page.evaluate("window.V = new manipula.Viewer(document.getElementById('arm'))")
    for robot in neighbours():
        drawing = mp.drawing(robot)
        q = [draw.uniform(-2, 2) for _ in range(drawing["dof"])]
        found = np.array(page.evaluate("([d, q]) => { V.setDrawing(d); V.setQ(q); return V.poses() }", [drawing, q]))
        wanted = np.array(poses_of(drawing, q))
        assert np.abs(found - wanted).max() < 1e-12 * max(1.0, np.abs(wanted).max()), robot.name
    page.evaluate("V.dispose()")


def test_a_moved_joint_changes_the_picture(arm: Any) -> None:
    before = arm.locator("#arm").screenshot()
    assert changed(before, arm.locator("#arm").screenshot()) == 0
    arm.evaluate("V.setQ([0.4, -1.0, -0.6, 0.2, 0.7, 0]); V.stage.full()")
    assert changed(before, arm.locator("#arm").screenshot()) > 0.01


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["planar2r", pytest.param("scara", marks=pytest.mark.slow), "puma560"])
def test_no_position_leaves_the_picture(page: Any, name: str) -> None:
    """The first frame holds the arm stretched out in every direction, rods included, also after another of its size."""
    other = mp.Robot.from_dh([(0, 0, 0.3, 0), (0, 0, 0.3, 0)], name="flat", convention="standard", angle="deg")
    drawing = mp.drawing(name)
    new_viewer(page, mp.drawing(other))
    look = """([drawing, poses]) => { V.setDrawing(drawing); V.stage.full(); return poses.flatMap(q => { V.setQ(q);
        return V.places().map(p => V.stage.project(p)).map(p => p.x > 0 && p.x < 640 && p.y > 0 && p.y < 480) }) }"""
    poses = [[turn, *[0.0] * (drawing["dof"] - 1)] for turn in np.linspace(-3.1, 3.1, 13).tolist()]
    assert all(page.evaluate(look, [drawing, poses]))
    page.evaluate("V.dispose()")


def tip(page: Any) -> list[float]:
    found: list[float] = page.evaluate("V.poses().at(-1).slice(0, 3).map(row => row[3])")
    return found


def test_the_tool_is_dragged_by_the_pointer(arm: Any) -> None:
    arm.evaluate("window.heard = []; V.onMove((q, why) => heard.push(why))")
    start = np.array(tip(arm))
    at = arm.evaluate(
        "V.stage.project(V.stage.controls.target.clone().set(...V.poses().at(-1).slice(0,3).map(r=>r[3])))"
    )
    arm.mouse.move(at["x"], at["y"])
    arm.mouse.down()
    arm.mouse.move(at["x"] - 40, at["y"] - 30, steps=8)
    arm.mouse.up()
    moved = np.array(tip(arm)) - start
    assert np.linalg.norm(moved) > 0.05 and set(arm.evaluate("heard")) == {"drag"}
    seen = arm.evaluate(
        "V.stage.project(V.stage.controls.target.clone().set(...V.poses().at(-1).slice(0,3).map(r=>r[3])))"
    )
    assert abs(seen["x"] - at["x"] + 40) < 2 and abs(seen["y"] - at["y"] + 30) < 2  # it lies under the pointer


def test_a_redundant_arm_is_moved_by_its_own_model_without_a_jump(page: Any) -> None:
    """From a singular position: upright, where turns of joints 1 and 3 are the same."""
    new_viewer(page, mp.drawing("panda"))
    text = mp.robot_module("panda", models=["pose", "inverse_kinematics"], optimise="none")
    page.evaluate("t => manipula.moduleOf(t).then(m => V.setModule(m))", text)
    page.evaluate(
        "V.setQ([0, 0, 0, -1.57, 0, 1.87, 0]); window.steps = []; let last = [...V.q];"
        "V.onMove(q => { steps.push(Math.max(...q.map((x, c) => Math.abs(x - last[c])))); last = [...q] })"
    )
    start = np.array(tip(page))
    page.locator("#arm").focus()
    for key in ("ArrowUp", "ArrowDown", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
    assert len(page.evaluate("steps")) == 4 and max(page.evaluate("steps")) < 0.4
    assert np.abs(np.array(tip(page)) - start).max() < 1e-3
    page.evaluate("V.dispose()")


def test_keys_move_the_tool_and_the_joints(arm: Any) -> None:
    start = np.array(tip(arm))
    arm.locator("#arm").focus()
    for key, axis in (("ArrowRight", 0), ("ArrowUp", 1), ("PageUp", 2)):
        arm.keyboard.press(key)
        now = np.array(tip(arm))
        assert now[axis] - start[axis] > 0.01 and np.abs(np.delete(now - start, axis)).max() < 1e-3
        start = now
    before = arm.evaluate("V.q")
    arm.keyboard.press("2")
    arm.keyboard.press("+")
    after = arm.evaluate("V.q")
    assert after[1] == pytest.approx(before[1] + np.pi / 90) and after[2:] == before[2:]


def test_a_skeleton_is_chosen_by_a_click(arm: Any) -> None:
    arm.evaluate(
        "window.chosen = []; V.onGhost(k => chosen.push(k));"
        "V.setGhosts([{name: 'a', q: [2.2, -0.6, -0.6, 0, 0, 0], valid: true, reason: ''},"
        "{name: 'b <b>', q: [NaN, 0, 0, 0, 0, 0], valid: false, reason: 'out of reach'}]); V.stage.full()"
    )
    assert arm.locator(".viewer-labels span").all_inner_texts() == ["a"]  # what has no position has no skeleton
    at = arm.evaluate("V.stage.project(V['scenery'].ghosts.labels()[0].at)")
    arm.mouse.click(at["x"], at["y"])
    assert arm.evaluate("chosen") == [0]


EVERYTHING = ["frames", "axes", "names", "ranges", "com", "inertia", "trail", "cloud", "branches", "forces", "payload"]


@pytest.mark.drawn("name")
@pytest.mark.parametrize("name", ["panda", pytest.param("stanford", marks=pytest.mark.slow), "planar2r"])
def test_everything_can_be_shown_and_hidden(page: Any, name: str) -> None:
    new_viewer(page, mp.drawing(name))
    bare = page.evaluate("V.stage.full(), V.stage.scene.children.length")
    page.evaluate("s => { V.show(s); V.setQ(V.q.map(x => x + 0.2)); V.stage.full() }", dict.fromkeys(EVERYTHING, True))
    labels = page.locator(".viewer-labels span").all_inner_texts()
    assert labels == [*(joint["name"] for joint in mp.drawing(name)["joints"]), "tool"]
    page.evaluate("s => { V.show(s); V.stage.full() }", dict.fromkeys(EVERYTHING, False))
    assert page.locator(".viewer-labels span").count() == 0
    assert page.evaluate("V.stage.scene.children.length") == bare
    page.evaluate("V.dispose()")


def test_the_table_is_walked(arm: Any) -> None:
    arm.evaluate("V.walk(1, 'a')")
    assert arm.locator(".viewer-labels span").all_inner_texts() == ["a2 = 0.4318 m"]
    arm.evaluate("V.walk(3, 'alpha')")
    assert arm.locator(".viewer-labels span").all_inner_texts()[0].startswith("α4 = ")
    arm.evaluate("V.endWalk()")
    assert arm.locator(".viewer-labels span").count() == 0


def test_the_step_of_a_cell_does_not_outlive_the_pose_it_was_shown_in(arm: Any) -> None:
    arm.evaluate("V.walk(1, 'a')")
    arm.evaluate("V.setQ([...V.q])")  # the same pose: as after a change of what is shown
    assert arm.locator(".viewer-labels span").count() == 1
    arm.evaluate("V.setQ(V.q.map((x, i) => x + (i == 2) * 0.1))")
    assert arm.locator(".viewer-labels span").count() == 0


@pytest.mark.turn
def test_pictures_can_be_kept(arm: Any) -> None:
    root = ElementTree.fromstring(arm.evaluate("V.svg()"))
    assert len(list(root.iter())) > 50
    head = arm.evaluate("V.png().then(b => b.arrayBuffer()).then(a => [...new Uint8Array(a.slice(0, 8))])")
    assert bytes(head) == b"\x89PNG\r\n\x1a\n"


def test_names_are_not_markup(page: Any) -> None:
    drawing = mp.drawing("planar2r") | {"name": '"><script>document.title="broken"</script>'}
    drawing["joints"][0]["name"] = "<img src=x onerror=\"document.title='broken'\">"
    new_viewer(page, drawing)
    page.evaluate("V.show({names: true})")
    ElementTree.fromstring(page.evaluate("V.svg()"))
    assert page.title() == "arm" and page.locator("#arm img").count() == 0
    page.evaluate("V.dispose()")


def test_without_webgl_the_arm_is_drawn_flat(browser: Any, tmp_path: Path) -> None:
    with opened(browser, viewer_page(tmp_path)) as (page, complaints):
        page.evaluate("HTMLCanvasElement.prototype.getContext = () => null")
        new_viewer(page, mp.drawing("puma560"))
        assert "no WebGL" in page.locator(".viewer-note").inner_text()
        before = page.locator("#arm").screenshot()
        page.evaluate("V.setQ([0.4, -1.0, 0.6, 0.2, 0.7, 0])")
        assert changed(before, page.locator("#arm").screenshot()) > 0.01
        assert not complaints


def test_a_mesh_is_drawn_in_its_place(page: Any) -> None:
    drawing = mp.drawing("planar2r")
    new_viewer(page, drawing)
    page.evaluate("V.stage.full()")
    before = page.locator("#arm").screenshot()
    corners, faces = [[0, 0, 0], [0.3, 0, 0], [0, 0.3, 0], [0, 0, 0.3]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
    body = {"kind": "mesh", "frame": drawing["base"], "vertices": corners, "faces": faces, "paint": "#cc79a7"}
    drawing["links"][2]["shapes"] = [body]
    page.evaluate("d => { V.setDrawing(d); V.stage.full() }", drawing)
    assert changed(before, page.locator("#arm").screenshot()) > 0.01
    assert page.evaluate("V.svg()").count("<polygon") >= 2  # the faces that are seen
    page.evaluate("V.dispose()")


def test_numbers_of_equations_are_rounded_for_the_eye(page: Any) -> None:
    """Six digits; what is short, a fraction somebody wrote, an index and a power stay as they are."""
    given = {
        "0.707106781186547\\,m_{2}": "0.707107\\,m_{2}", "2.337553212267 q_1": "2.33755 q_1",
        "0.000000000000000222044604925031": "2.22045\\cdot 10^{-16}", "9.81 + 0.25 - 0.15005": "9.81 + 0.25 - 0.15005",
        "\\frac{16000}{609203} c_4": "0.0262638 c_4", "\\frac{7}{15}": "\\frac{7}{15}", "123456.789": "123457",
        "c_{12}^{2} x_{1}": "c_{12}^{2} x_{1}", "1000.00000001": "1000", "12345678.5": "1.23457\\cdot 10^{7}",
    }  # fmt: skip
    assert page.evaluate("all => all.map(manipula.rounded)", list(given)) == list(given.values())


SEARCH = """async ([text, q]) => {
  const module = await manipula.moduleOf(text), T = module.pose(q), flat = T.flat();
  const spans = module.robot.joints.map(() => ({ low: -Math.PI, high: Math.PI, turning: true }));
  const steps = manipula.searching(module, spans, T, q);
  let step = steps.next();
  while (!step.done) step = steps.next();
  const away = (one) => Math.max(...module.pose(one.q).flat().map((x, i) => Math.abs(x - flat[i])));
  const closed = module.inverse_kinematics(T, undefined, { limits: false }).branches.filter((one) => one.valid);
  return { ...step.value, closed: closed.map((one) => one.q), residual: Math.max(...step.value.branches.map(away)) };
}"""


def test_answers_that_are_searched_are_answers(page: Any) -> None:
    """Of an arm whose closed form is known: every one that is found is one of it, and none is told twice."""
    text = mp.robot_module("puma560", models=["pose", "jacobian", "inverse_kinematics"], optimise="none")
    for seed in range(3):
        q = np.random.default_rng(seed).uniform(-1.2, 1.2, 6)
        found = page.evaluate(SEARCH, [text, q.tolist()])
        searched, closed = (np.array(one) for one in ([b["q"] for b in found["branches"]], found["closed"]))
        assert found["residual"] < 1e-5 and not found["endless"] and len(searched) > 1
        away = np.abs(np.angle(np.exp(1j * (searched[:, None] - closed[None])))).max(axis=2)
        assert (away.min(axis=1) < 1e-3).all() and len(set(away.argmin(axis=1))) == len(searched)
