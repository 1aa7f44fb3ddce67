"""A file saved by the studio keeps its comments and its own way of writing, and is the robot that was on the page."""

from __future__ import annotations

import copy
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula import api
from manipula.studio.tasks import descriptions
from tests.units.studio.conftest import Live

BY_HAND = """# The arm of the third bench, measured by hand
format = 1
name = "arm"   # its name
convention = "standard"
angle = "deg"
length = "mm"

[values]
L = 0.3   # forearm, m

# the shoulder
[[joint]]
type = "revolute"    # turns
name = "s"
d = 400.0            # from the floor
a = 0
alpha = 90
limits = [
  -170,  # cable
  170,
]
note = "# no comment"

# the elbow
[[joint]]
name = "e"
type = "revolute"
d = 0
a = "L"   # a letter
alpha = 0
friction.viscous = 0.1
friction.coulomb = 0.5 # greasy

[tool]  # a flange
xyz = [0, 0, 50]
"""


def saved(file: str, document: dict[str, Any]) -> tuple[str | None, str]:
    """What is written over the file, None where its words cannot be kept; and the robot in our own words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of edits that make odd bodies
        after = api.to_text(api.from_document(document))
    return descriptions._edit_in_place(file, after), after


def comments(text: str) -> list[str]:
    return re.findall(r"# [a-z ]+\d*", text)


def test_only_the_cells_that_changed_change() -> None:
    document = api.document_from_file(BY_HAND)
    assert saved(BY_HAND, document)[0] == BY_HAND
    document["rows"][0]["d"], document["rows"][1]["name"] = "420", "elbow"
    found, _ = saved(BY_HAND, document)
    assert found == BY_HAND.replace("d = 400.0 ", "d = 420 ").replace('name = "e"', 'name = "elbow"')
    document["rows"][0]["limits"] = ["-160", "170"]
    found, after = saved(BY_HAND, document)
    assert (
        found is not None
        and "# greasy" in found
        and api.to_text(api.from_document(api.document_from_file(found))) == after
    )


@pytest.mark.parametrize("ending", ["\r\n", "\n"])
def test_files_of_any_editor(ending: str, tmp_path: Path) -> None:
    text = BY_HAND.replace("\n", ending).rstrip()
    document = api.document_from_file(text)
    document["name"] = "odd \"name\" # with <script> and 'quotes'"
    found, _ = saved(text, document)
    assert found is not None and found.count(ending) == text.count(ending) and comments(BY_HAND)[1] in found
    assert api.document_from_file(found)["name"] == document["name"]
    (tmp_path / "arm.toml").write_bytes(found.encode())
    assert mp.load(tmp_path / "arm.toml").name == document["name"]


def with_comments(text: str, rng: np.random.Generator) -> str:
    lines = []
    for k, line in enumerate(text.splitlines()):
        if rng.random() < 0.3:
            lines.append(f"# above {k}")
        lines.append(f"{line}  # beside {k}" if line and rng.random() < 0.3 else line)
    return "\n".join(lines) + "\n"


def edit(document: dict[str, Any], rng: np.random.Generator) -> str:
    """A change as a person makes it; which kind it is."""
    rows, bodies = document["rows"], document["dynamics"]
    kind = str(rng.choice(["cell", "mass", "name", "add", "remove", "swap"]))
    k = int(rng.integers(len(rows)))
    if kind == "cell":
        rows[k]["a" if rows[k]["xyz"] is None else "theta"] = str(round(float(rng.uniform(0.1, 1)), 3))
    elif kind == "mass":
        bodies[k]["mass"] = str(round(float(rng.uniform(0.1, 9)), 3))
    elif kind == "name":
        document["name"] = f"arm {int(rng.integers(99))}"
    elif kind == "add":
        rows.insert(k, {**copy.deepcopy(rows[k]), "name": f"new{len(rows)}", "extra_toml": ""})
        bodies.insert(k, copy.deepcopy(bodies[k]))
    elif kind == "remove" and len(rows) > 1:
        rows.pop(k), bodies.pop(k)
    elif kind == "swap" and k:
        rows[k - 1], rows[k], bodies[k - 1], bodies[k] = rows[k], rows[k - 1], bodies[k], bodies[k - 1]
    return kind


@pytest.mark.turn
def test_it_is_the_robot_of_the_page_and_keeps_its_comments() -> None:
    tried = 0
    for seed in range(16):
        rng = np.random.default_rng(seed)
        file = with_comments(api.to_text(mp.load(str(rng.choice(["rp", "planar2r", "scara", "stanford"])))), rng)
        document = api.document_from_file(file)
        kinds = {edit(document, rng) for _ in range(int(rng.integers(1, 4)))}
        try:
            found, after = saved(file, document)
        except mp.ManipulaError:  # two joints of one name
            continue
        assert found is not None, (seed, kinds)
        assert saved(found, api.document_from_file(found)) == (found, after)
        lost = set(comments(file)) - set(comments(found))
        assert not lost or "remove" in kinds, (seed, kinds, lost)
        tried += 1
    assert tried > 10


@pytest.mark.parametrize("text", [
    "", "# nothing", "joint = 3", "[[joint]]\n", "a = [", "\0", "[joint]\nname = 'x' # y",
    BY_HAND.replace("[[joint]]", "[joint]"), BY_HAND + "[joint.x]\n",
])  # fmt: skip
def test_files_that_are_no_robots_do_no_harm(text: str) -> None:
    """What cannot be kept is written as we write files."""
    after = api.to_text(mp.load("rp"))
    found = descriptions._edit_in_place(text, after)
    assert found is None or api.to_text(api.from_document(api.document_from_file(found))) == after


def test_joints_in_one_line_are_written_anew_and_the_rest_is_kept() -> None:
    one = '{ name = "s", type = "revolute", d = 0, a = 1, alpha = 0 }'
    text = f'# mine\nformat = 1\nname = "arm"\nconvention = "standard"\nangle = "deg"\nlength = "m"\njoint = [{one}]\n'
    document = api.document_from_file(text)
    document["rows"][0]["a"] = "0.5"
    found, _ = saved(text, document)
    assert found is not None and found.startswith("# mine\n") and "0.5" in found


def test_a_file_is_saved_with_its_comments(live: Live) -> None:
    (live.folder / "hand.toml").write_text(BY_HAND)
    read = live.post("/api/read", file="hand.toml")
    assert not any("comments" in one["message"] for one in read["warnings"])
    read["document"]["rows"][0]["d"] = "410"
    live.post("/api/save", name="hand.toml", document=read["document"], base=read["base"])
    assert (live.folder / "hand.toml").read_text() == BY_HAND.replace("d = 400.0 ", "d = 410 ")
    live.post(
        "/api/save", name="another.toml", document=read["document"], base=None, path=str(live.folder / "hand.toml")
    )
    assert "#" not in (live.folder / "another.toml").read_text().replace("# no comment", "")
