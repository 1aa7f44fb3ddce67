"""Pictures of arms: SVG that is well formed whatever a robot is called, and the same in any process."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import manipula as mp
from manipula.mechanics.drawing.record import drawing_of
from manipula.mechanics.drawing.skeleton import axes_of, poses_of
from manipula.pages.picture import BACKGROUNDS, Style, _names, svg_of
from manipula.pages.projection import Solid, back_to_front, camera_at
from tests.golden.sentences import Sentences
from tests.random_robots import random_robot, random_tree
from tests.units.test_drawing import with_followers

HOSTILE = "<script>alert('x')</script>&\"]]>{{x}}é☃"
SVG = "{http://www.w3.org/2000/svg}"


def parsed(text: str) -> Any:
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg"
    assert not re.search(r"nan|inf\b|NaN|None", text)
    return root


def places(root: Any) -> np.ndarray[Any, Any]:
    """Every point of every path."""
    pairs = [
        pair
        for path in root.iter(f"{SVG}path")
        for pair in re.findall(r"[ML ](-?[\d.]+) (-?[\d.]+)", re.sub(r"A\S+ \S+ \S+ \d \d ", "L", path.get("d")))
    ]
    return np.array(pairs, dtype=float)


@pytest.mark.drawn("name", few=8)
@pytest.mark.parametrize("name", mp.robots())
def test_every_arm_of_the_library_has_a_picture(name: str) -> None:
    text = mp.picture(name)
    assert 4_000 < len(text) < 20_000
    at = places(parsed(text))
    assert (at >= 0).all() and (at <= (480, 420)).all()
    assert np.ptp(at, axis=0).max() > 0.8 * 420 - 30  # the arm fills it


def test_any_robot_anywhere_has_a_picture() -> None:
    rng = random.Random(4)
    for seed in range(6):
        for robot in (random_robot(seed, screws=seed % 3 == 0), with_followers(random_tree(seed), seed)):
            record = drawing_of(robot)
            poses = poses_of(record, [rng.uniform(-3, 3) for _ in range(robot.dof)])
            style = Style(frames=rng.choice(("tool", "all", "none")), names=True, whole=rng.random() < 0.5)
            parsed(svg_of(record, poses, axes_of(record, poses), style))


def test_hostile_names_are_text() -> None:
    robot = mp.Robot.from_dh([{"name": HOSTILE, "theta": 0, "d": 0, "a": 0.3, "alpha": 0}], name=HOSTILE)
    root = parsed(mp.picture(robot, [0.2], names=True))
    assert root.get("aria-label") == HOSTILE
    assert [text.text for text in root.iter(f"{SVG}text")] == [HOSTILE]
    assert not list(root.iter(f"{SVG}script"))


@pytest.mark.turn
def test_the_same_bytes_in_any_process() -> None:
    code = "import manipula as mp; import sys; sys.stdout.write(mp.picture('scara', [0.3, 0.5, 0.1, 0], names=True))"
    env = {"PYTHONHASHSEED": "1", **ENV}
    other = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=env)
    assert other.stdout.decode() == mp.picture("scara", [0.3, 0.5, 0.1, 0], names=True)


ENV = {"PYTHONPATH": str(Path(mp.__file__).parent.parent), "PYTHONIOENCODING": "utf-8"}


def test_gradients_of_two_pictures_have_different_names() -> None:
    one, two = (set(re.findall(r'id="([^"]+)"', mp.picture("puma560", q))) for q in ([0.1] * 6, [0.2] * 6))
    assert one and two and not one & two
    used = set(re.findall(r"url\(#([^)]+)\)", mp.picture("puma560", [0.1] * 6)))
    assert used == one


def test_a_picture_is_written_where_it_is_wished(tmp_path: Path) -> None:
    text = mp.picture("planar2r", path=tmp_path / "new" / "arm.svg", background="dark")
    assert (tmp_path / "new" / "arm.svg").read_text(encoding="utf-8") == text
    assert 'fill="#1b1e21"' in text


@pytest.mark.parametrize("background", BACKGROUNDS)
def test_names_are_read_on_every_background(background: str) -> None:
    """Ink on a halo of the ground's colour, of another brightness: also where the page behind shows through."""

    def brightness(colour: str) -> int:
        assert re.fullmatch("#[0-9a-f]{6}", colour), colour
        return sum(int(colour[k : k + 2], 16) for k in (1, 3, 5))

    root = parsed(mp.picture("planar2r", [0.2, 0.4], names=True, background=background))
    (ground,) = [x.get("fill") for x in root.findall(f"{SVG}rect")] or [""]
    assert bool(ground) == (background != "none")
    texts = list(root.iter(f"{SVG}text"))
    assert [x.text for x in texts] == ["theta1", "theta2"]
    for text in texts:
        ink, halo = text.get("fill"), text.get("stroke")
        assert halo == (ground or "#ffffff") and abs(brightness(ink) - brightness(halo)) > 300


WRONG = [
    ({"q": [1, 2, 3]}, "planar2r has 2 coordinates"),
    ({"q": [[0, 0]]}, "planar2r has 2 coordinates"),
    ({"q": [0, float("nan")]}, "finite"),
    ({"q": "home"}, "no poses by name"),
    ({"q": {"theta1": 1}}, "2 coordinates"),
    ({"view": "inside"}, "view"),
    ({"view": (1, float("inf"))}, "view"),
    ({"size": (0, 10)}, "size"),
    ({"size": 7}, "size"),
    ({"frames": "some"}, "frames"),
    ({"background": "pink"}, "background"),
    ({"values": {"l9": 1}}, "l9"),
    ({"values": [1]}, "by name"),
    ({"q": [0, 1e200]}, "finite"),
    ({"path": "arm.jpg"}, r"ends in \.svg"),
    ({"path": "/"}, r"ends in \.svg"),
]


@pytest.mark.parametrize(("given", "word"), WRONG)
def test_what_is_wrong_is_told(given: dict[str, Any], word: str, whole: Sentences) -> None:
    with whole.raises(mp.ManipulaError, match=word):
        mp.picture("planar2r", **given)


def test_the_command_line_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.units.test_cli import done, refused

    monkeypatch.chdir(tmp_path)
    assert "Picture: arm.svg" in done("show", "planar2r", "--picture", "arm.svg", "--set", "l1=0.5")
    assert Path("arm.svg").read_text(encoding="utf-8") == mp.picture("planar2r", values={"l1": 0.5})
    assert "ends in .svg" in refused("show", "planar2r", "--picture", "arm.bmp")


@pytest.mark.parametrize("seed", range(7))
def test_a_picture_for_paper_has_its_size_and_the_arm(seed: int, tmp_path: Path) -> None:
    """A PNG of four dots a point, clear where nothing is drawn; a PDF page as large as the picture."""
    pytest.importorskip("typst", reason="Typst is not installed: no PDF and no PNG")
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed: the PNG is not opened")
    rng = random.Random(seed)
    size, background = (rng.randrange(120, 400), rng.randrange(120, 400)), rng.choice(["none", "light", "dark"])
    robot = rng.choice(["planar2r", "scara", "puma560", "stanford"])
    for ending in ("png", "pdf"):
        text = mp.picture(robot, path=tmp_path / f"arm.{ending}", size=size, background=background)
        assert text == mp.picture(robot, size=size, background=background)  # the same drawing
    drawn = image.open(tmp_path / "arm.png").convert("RGBA")
    assert drawn.size == (4 * size[0], 4 * size[1])
    clear, whole = drawn.getchannel("A").getextrema()
    assert whole == 255 and clear == (0 if background == "none" else 255)
    assert len(drawn.convert("RGB").getcolors(1 << 24)) > 20  # shaded solids
    page = (tmp_path / "arm.pdf").read_bytes()
    assert page.startswith(b"%PDF") and re.search(rb"/MediaBox ?\[0 0 %d(?:\.0)? %d(?:\.0)?\]" % size, page)


PICTURES = Path(__file__).parents[2] / "docs" / "pictures"


@pytest.mark.parametrize("path", sorted(PICTURES.glob("arm-*.svg")), ids=lambda path: path.stem)
def test_the_documentation_shows_what_is_drawn_now(path: Path) -> None:
    """`make pictures` writes them anew; the last digit may differ between processors."""

    def numbers(text: str) -> list[float]:
        return [float(x) for x in re.findall(r"-?\d+\.?\d*", re.sub(r"a[0-9a-f]{6}-\d+|#[0-9a-f]{6}", "", text))]

    kept, drawn = numbers(path.read_text(encoding="utf-8")), numbers(mp.picture(path.stem[4:], size=(320, 280)))
    assert len(kept) == len(drawn)
    assert np.abs(np.subtract(kept, drawn)).max() < 0.21


def test_all_frames_are_within_the_picture() -> None:
    for name in ("puma560", "rp", "panda"):
        at = places(parsed(mp.picture(name, frames="all")))
        assert (at >= 0).all() and (at <= (480, 420)).all()


def test_what_is_nearer_is_painted_later() -> None:
    """Random balls, rods and boxes that do not touch: wherever two overlap, the nearer one comes later."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        solids = []
        for depth in rng.permutation(12):
            at = np.array([*rng.uniform(-1, 1, 2), 1.2 * depth])
            if rng.random() < 0.3:
                turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
                solids.append(Solid("link", np.stack([at, at]), (0.0, 0.0), edges=0.3 * turn))
            else:
                way = rng.uniform(-0.4, 0.4, 3)
                flags = (True, True) if rng.random() < 0.5 else (False, False)
                solids.append(Solid("link", np.stack([at - way, at + way]), (0.1, 0.12), flags))
        order = back_to_front(solids)
        rank = {i: k for k, i in enumerate(order)}
        overlaps = [
            (i, j)
            for i in order
            for j in order
            if solids[i].middle[2] < solids[j].middle[2]
            and np.abs(solids[i].middle - solids[j].middle)[:2].max() < 0.08
        ]
        assert all(rank[i] < rank[j] for i, j in overlaps)


def test_cameras_see_up_above() -> None:
    rng = np.random.default_rng(6)
    for up in np.concatenate([np.eye(3), -np.eye(3)]):
        for eye in (rng.normal(size=3), up, -up):
            camera = camera_at(eye, up)
            np.testing.assert_allclose(camera.axes @ camera.axes.T, np.eye(3), atol=1e-12)
            assert np.linalg.det(camera.axes) == pytest.approx(1)
            assert camera.points(up)[1] >= -1e-12
            assert camera.points(np.asarray(eye))[2] > 0


def test_a_picture_shows_itself_and_is_still_a_text() -> None:
    robot = mp.Robot.from_dh([("q1", 0, 0.3, 0)], name="a <b> & c")
    shown = mp.picture(robot, [0.2])
    assert repr(shown).startswith("<picture of a <b> & c: SVG of ") and len(repr(shown)) < 100
    assert shown._repr_svg_() == str(shown) == "" + shown and json.loads(json.dumps(shown)) == shown
    assert type(shown._repr_svg_()) is str


def test_notebooks_show_an_arm_before_its_tables() -> None:
    html = mp.load("puma560")._repr_html_()
    assert html.index("<svg") < html.index("<table")
    odd = mp.Robot.from_dh([("q1", 0, "l1/(l2-l3)", 0), ("q2", 0, "l2+l3", 0)])
    assert "<svg" not in odd._repr_html_() and "<table" in odd._repr_html_()


def arrows(robot: mp.Robot, frames: str) -> list[str]:
    text = mp.picture(robot, [0.3, 0.5], frames=frames)
    return re.findall(r'<path d="([^"]+)" stroke="[^"]+" stroke-width="[^"]+" stroke-linecap="round"/>', text)


def test_arrows_are_those_of_the_frames_that_were_asked_for() -> None:
    arm = mp.load("planar2r").with_parameters(l1=0.5, l2=0.4)
    count = {frames: len(arrows(arm, frames)) for frames in ("none", "tool", "all")}
    assert count["none"] == 0 and count["tool"] == 3 and count["all"] == 3 * 4  # base, two links, tool
    turned = arm.with_tool(rpy=[0.4, 0.3, 0.2])  # the tool alone is another frame now
    changed = [a != b for a, b in zip(arrows(arm, "tool"), arrows(turned, "tool"), strict=True)]
    assert all(changed)


class FlatSheet:
    """x to the right and y down, 100 pixels a metre; a camera that looks from above."""

    scale = 100.0

    def points(self, x: Any) -> Any:
        return np.asarray(x)

    def __call__(self, x: Any) -> Any:
        return np.array([100 * x[0], -100 * x[1]])


def test_names_stand_to_the_right_of_their_joints_and_not_on_each_other() -> None:
    """By a twentieth of the arm and 8 pixels; those of one place are a line apart."""
    names, spots = ["a<", "b", "c"], [[0.1, 0.2, 0], [0.1, 0.2, 0], [1.5, -0.3, 0]]
    record: Any = {"joints": [{"name": name} for name in names], "size": 2.0}
    frames = [np.vstack([np.column_stack([np.eye(3), spot]), [0, 0, 0, 1]]) for spot in spots]
    sheet: Any = FlatSheet()
    texts = [ElementTree.fromstring(x) for x in _names(record, frames, sheet, sheet, "none")]
    assert [text.text for text in texts] == names
    found = np.array([[float(text.get("x", "")), float(text.get("y", ""))] for text in texts])
    np.testing.assert_allclose(found, [[28, -16], [28, -3], [168, 34]], atol=0.051)
