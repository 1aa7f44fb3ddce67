"""A derivation in its places: 80 columns of a terminal, LaTeX that closes what it opens, Typst that compiles,
well-formed HTML, a notebook, plain data, files, the command."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from html import unescape
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

import manipula as mp
from manipula import api
from manipula.algebra.show.layout import width
from manipula.algebra.show.notation import Letter, script_of
from manipula.api.robot_story import _steps
from manipula.cli.app import app
from manipula.pages import paper, report
from manipula.pages.derivation import Derivation
from manipula.pages.documents import html_document, latex_document, typst_document
from manipula.pages.report import Story

CASES = [
    ("planar2r", "pose", "transforms"), ("planar2r", "jacobian", ""), ("planar2r", "dynamics", "lagrange"),
    ("stanford3", "dynamics", "newton-euler"), ("planar2r", "ik", ""), ("scara", "ik", ""),
    ("stanford3", "singularities", ""), ("stanford3", "pose", "screws"),
]  # fmt: skip


@pytest.fixture(scope="module", params=CASES, ids=" ".join)
def found(request: pytest.FixtureRequest) -> Derivation:
    robot, topic, method = request.param
    return mp.derive(robot, topic, method=method)


def test_the_terminal_has_eighty_columns(found: Derivation) -> None:
    wide = [line for line in str(found).splitlines() if width(line) > 80]
    assert not wide


def test_latex_closes_what_it_opens(found: Derivation) -> None:
    text = found.latex()
    assert text.count("{") == text.count("}")
    assert text.count(r"\begin") == text.count(r"\end") > 0
    assert text.count(r"\[") == text.count(r"\]")
    assert not [sign for sign in "θωτ·−₁²∂Σ×½ᵀ" if sign in text]  # signs that need a font


def test_html_is_well_formed_and_asks_for_nothing(found: Derivation) -> None:
    html = found.html()
    root = ElementTree.fromstring(html.replace("<details open>", "<details>"))
    steps = list(root.iter("details"))
    assert len(steps) == sum(1 for _ in found.all_steps())
    assert "http" not in html and "<script" not in html
    assert found._repr_html_().endswith(html)
    assert found._repr_latex_() == found.latex()


def test_typst_compiles(found: Derivation, tmp_path: Path) -> None:
    pytest.importorskip("typst", reason="typst is not installed")
    path = api.write_derivation(found, tmp_path / "steps.pdf")
    assert path.read_bytes().startswith(b"%PDF")


def test_plain_data_has_every_step(found: Derivation) -> None:
    data = json.loads(json.dumps(found.as_dict()))
    assert [step["number"] for step in data["steps"]] == [str(n + 1) for n in range(len(found.steps))]
    assert data["proof"].startswith("Proved")


def test_main_steps_alone(found: Derivation) -> None:
    short = found.without_substeps()
    assert len(str(short)) <= len(str(found))
    assert [one.title for one in short.steps] == [one.title for one in found.steps]


@pytest.mark.parametrize("ending", ["html", "tex", "typ", "txt"])
def test_files_by_their_endings(ending: str, tmp_path: Path) -> None:
    path = api.write_derivation(mp.derive("planar2r", "pose"), tmp_path / f"pose.{ending}")
    assert "planar2r" in path.read_text(encoding="utf-8")


def headings(text: str, ending: str) -> list[tuple[int, str]]:
    """Level and text of every heading, in their order."""
    if ending == "html":
        return [(int(level), unescape(words)) for level, words in re.findall(r"<h([1-6])[^>]*>(.*?)</h\1>", text)]
    return [(len(signs), words) for signs, words in re.findall(r"^(=+) (.*)$", text, re.M)]


@pytest.mark.parametrize("ending", ["html", "typ"])
@pytest.mark.parametrize("topic", ["pose", "ik"])
def test_a_file_has_one_title_and_no_heading_skips_a_level(ending: str, topic: str, tmp_path: Path) -> None:
    text = api.write_derivation(mp.derive("planar2r", topic), tmp_path / f"a.{ending}").read_text(encoding="utf-8")
    found = headings(text, ending)
    assert [level for level, _ in found].count(1) == 1 and found[0][0] == 1 and "planar2r" in found[0][1]
    assert all(after <= before + 1 for (before, _), (after, _) in pairwise(found))
    assert f"<title>{found[0][1]}</title>" in text or ending != "html"


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(mp.InputError, match="expected a name that ends in"):
        api.write_derivation(mp.derive("planar2r", "pose"), tmp_path / "pose.doc")


@pytest.mark.parametrize("axes", ["noa", "nsa", "xyz"])
def test_the_axes_are_called_as_asked(axes: str) -> None:
    text = str(mp.derive("planar2r", "pose", axes=axes))
    assert f"the axes {axes[0]}, {axes[1]}, {axes[2]} of the tool" in " ".join(text.split())


@pytest.mark.parametrize(("arm", "axes"), [("scara", "noa"), ("stanford", "xyz")])
def test_no_joint_variable_is_called_like_the_position(arm: str, axes: str) -> None:
    """In inverse kinematics too: the tool's axes by the letters asked for, its position t, never q."""
    text = str(mp.derive(arm, "ik", axes=axes))
    assert f"{axes[0]}, {axes[1]}, {axes[2]} are the tool's axes and t its position" in text
    assert "qx" not in text and "qy" not in text


@pytest.mark.parametrize(
    ("asked", "says"),
    [({"topic": "poses"}, "pose"), ({"topic": "pose", "axes": "uvw"}, "uvw"),
     ({"topic": "dynamics", "method": "kane"}, "kane"),
     ({"topic": "pose", "seconds": 0}, "positive"), ({"topic": "pose", "seconds": float("nan")}, "positive")],
)  # fmt: skip
def test_what_cannot_be_is_refused(asked: dict[str, object], says: str) -> None:
    with pytest.raises(mp.InputError, match=says):
        mp.derive("planar2r", **asked)  # type: ignore[arg-type]


def test_joints_that_follow_others_are_refused() -> None:
    rows = [{"theta": 0, "d": 0, "a": "l1", "alpha": 0, "name": "one"},
            {"theta": 0, "d": 0, "a": "l2", "alpha": 0, "name": "two", "coordinate": "-one"}]  # fmt: skip
    with pytest.raises(mp.InputError, match="independent joints"):
        mp.derive(mp.Robot.from_dh(rows), "pose")


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke
    assert "A₁A₂" in run(app, ["derive", "planar2r", "pose"]).stdout
    assert r"\begin{bmatrix}" in run(app, ["derive", "planar2r", "pose", "--latex"]).stdout
    assert run(app, ["derive", "planar2r", "pose", "--latex", "--typst"]).exit_code == 2
    assert run(app, ["derive", "planar2r", "nothing"]).exit_code == 2
    assert json.loads(run(app, ["derive", "planar2r", "ik", "--json"]).stdout)["topic"] == "ik"
    assert "A posição da ferramenta" in run(app, ["derive", "planar2r", "ik", "--lang", "pt"]).stdout
    assert run(app, ["worksheet", "planar2r", "--topics", "pose", "--formats", "html", "--solutions"]).exit_code == 0
    (tmp_path / "answers.txt").write_text("1a: 7*q1\n", encoding="utf-8")
    checked = run(app, ["worksheet", "check", "worksheet", "answers.txt"])
    assert checked.exit_code == 1 and "1a: Not equal" in checked.stdout
    (tmp_path / "bad.txt").write_text("1a l1\n", encoding="utf-8")
    assert run(app, ["worksheet", "check", "worksheet", "bad.txt"]).exit_code == 2


@pytest.mark.drawn("robot")
@pytest.mark.parametrize("robot", ["planar2r", "rp", "craig_3r", "spong_cylindrical", "siciliano_elbow", "stanford"])
def test_a_report_has_every_derivation_of_its_robot(robot: str) -> None:
    """On the page and on paper; of six joints the dynamics by Newton–Euler."""
    arm = mp.load(robot)
    story = Story(name=arm.name, about="", drawing={}, steps=_steps(arm))
    page, typst = report.steps(story, str), paper.steps(story, str)
    topics = ("pose", "jacobian", "singularities", "dynamics")
    assert len(story.steps) == len(topics)
    for topic in topics:
        title = mp.derive(arm, topic, method="newton-euler" if topic == "dynamics" and arm.dof > 3 else "").title
        assert title.sentence(script_of("html", (), {}), str) in page
        assert title.sentence(script_of("typst", (), {}), str) in typst
        # a part of a report is a heading of the second level: what it holds begins one level lower
        assert re.findall(r"<h(\d)", page)[0] == "3" and re.findall(r"^(=+) ", typst, re.MULTILINE)[0] == "==="


@pytest.mark.parametrize("script", ["", "document.title = 'α < β'"])
def test_a_page_allows_its_own_script_alone(script: str) -> None:
    text = html_document("a < b", ["<p>body</p>"], script=script)
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    rules = dict(rule.strip().split(" ", 1) for rule in unescape(policy).split(";"))
    digest = b64encode(sha256(script.encode()).digest()).decode()
    assert rules.pop("script-src", "") == (f"'sha256-{digest}'" if script else "")
    assert rules == {
        "default-src": "'none'", "style-src": "'unsafe-inline'", "img-src": "data:", "base-uri": "'none'",
        "form-action": "'none'",
    }  # fmt: skip
    assert re.findall(r"<script>(.*?)</script>", text) == ([script] if script else [])
    assert "<title>a &lt; b</title>" in text and "<p>body</p>" in text


@pytest.mark.parametrize("away", [False, True])
def test_where_the_base_stands_is_said_where_it_stands_elsewhere(away: bool) -> None:
    robot = mp.load("planar2r").with_base(xyz=[0, 0, 0.5]) if away else mp.load("planar2r")
    text = " ".join(str(mp.derive(robot, "pose", method="transforms")).split())
    assert ("The base stands at A₀ in the world." in text) == away
    assert ("⁰T₁ = ⁰T₀A₁ " in text, "⁰T₁ = A₁ " in text) == (away, not away)


@pytest.mark.parametrize("joints", [1, 2, 3])
@pytest.mark.parametrize("tool", [False, True])
def test_the_product_goes_from_link_to_link_up_to_the_tool(joints: int, tool: bool) -> None:
    """Every frame has its line, in order, and the last of them is the pose that the last step reads."""
    row = {"theta": 0, "d": 0, "a": 0.3, "alpha": 0}
    robot = mp.Robot.from_dh([row] * joints)
    robot = robot.with_tool(xyz=[0, 0, 0.1]) if tool else robot
    step, last = mp.derive(robot, "pose", method="transforms").steps[-2:]
    names = [script_of("text", {}, {}).letter(x.left) for x in step.equations]
    assert names == ["⁰T₁", "⁰T₂", "⁰T₃"][:joints] + (["At", "⁰Tt"] if tool else [])
    head, *columns = last.equations
    assert head.left == step.equations[-1].left
    whole = step.equations[-1].entries
    assert [x.entries for x in columns] == [tuple(whole[4 * i + j] for i in range(3)) for j in range(4)]


@pytest.mark.parametrize("place", ["text", "latex", "typst", "html"])
def test_a_letter_has_all_its_indices_in_every_place(place: str) -> None:
    """One in front, one below, one above: each where its own letter says, none where it has none."""
    script, signs = script_of(place, {}, {}), {"below": "7", "above": "5", "before": "2"}
    for names in [(), *((name,) for name in signs), ("below", "above"), ("below", "before")]:
        text = script.letter(Letter("T", **{name: signs[name] for name in names}))
        plain = text.translate(str.maketrans("₇⁵²", "752"))
        assert {name for name, sign in signs.items() if plain.count(sign) == 1} == set(names), text
        assert plain.count("T") == 1


@pytest.mark.parametrize(("convention", "below"), [("standard", "ᵢ₋₁"), ("modified", "ᵢ")])
def test_the_axis_of_a_joint_has_the_letter_of_its_convention(convention: str, below: str) -> None:
    rows = [{"theta": 0, "d": 0, "a": 0.3, "alpha": 0}] * 2
    text = " ".join(str(mp.derive(mp.Robot.from_dh(rows, convention=convention), "jacobian")).split())
    assert f"z{below} is the axis of joint i and p{below} a point of it; p is the tool's position" in text


@pytest.mark.parametrize("document", [latex_document, typst_document])
def test_a_document_holds_its_body_once_after_its_head(document: Callable[[str], str]) -> None:
    text = document("the only body")
    head, _, rest = text.partition("the only body")
    assert text.count("the only body") == 1 and len(head) > 100 > len(rest)
