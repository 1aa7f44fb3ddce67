"""What a URDF says its links look like: every shape where the file puts it, meshes of three kinds, nothing trusted."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import manipula as mp
from manipula import api
from manipula.api.robot_story import _attach_visuals
from manipula.mechanics.drawing.collada import MOST, Mesh, plain_mesh, simplify_mesh
from manipula.mechanics.drawing.meshes import mesh_from
from manipula.mechanics.drawing.skeleton import poses_of
from manipula.mechanics.drawing.visuals import attach_visuals, lighter

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], dtype=float)
FACES = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]


def binary_stl(corners: Any, faces: Any, head: bytes = b"") -> bytes:
    data = head.ljust(80, b"\0") + struct.pack("<I", len(faces))
    for face in faces:
        data += struct.pack("<12fH", 0, 0, 1, *np.asarray(corners)[list(face)].ravel(), 0)
    return data


def text_stl(corners: Any, faces: Any) -> bytes:
    facets = "".join(
        "facet normal 0 0 1\nouter loop\n"
        + "".join(f"vertex {x:e} {y:e} {z:e}\n" for x, y, z in np.asarray(corners)[list(face)])
        + "endloop\nendfacet\n"
        for face in faces
    )
    return f"solid a\n{facets}endsolid a\n".encode()


def obj(corners: Any, faces: Any) -> bytes:
    lines = [f"v {x} {y} {z}" for x, y, z in corners] + [
        f"f {a + 1}/1 {b + 1}//2 {c - len(corners)}" for a, b, c in faces
    ]
    return "\n".join(["# a comment", *lines]).encode()


def volume(mesh: Mesh) -> float:
    """Of a closed surface, by the determinants of its faces."""
    a, b, c = np.moveaxis(mesh.vertices[mesh.faces], 1, 0)
    return float((np.cross(a, b) * c).sum() / 6)


FILES = {
    "a.stl": binary_stl(CORNERS, FACES),
    "b.STL": text_stl(CORNERS, FACES),
    "c.stl": binary_stl(CORNERS, FACES, b"solid, though binary"),
    "d.obj": obj(CORNERS, FACES),
}


@pytest.mark.parametrize("name", FILES)
def test_meshes_are_read_whatever_wrote_them(name: str) -> None:
    mesh = mesh_from(name, FILES[name])
    assert mesh.vertices.shape == (4, 3) and len(mesh.faces) == 4
    assert volume(mesh) == pytest.approx(1.0)


BROKEN = {
    "a.dae": b"<COLLADA/>", "b.stl": b"", "c.stl": b"solid a\nendsolid", "d.stl": b"\0" * 80 + b"\xff\xff\xff\xff",
    "e.stl": binary_stl(CORNERS * np.nan, FACES), "f.obj": b"v 1 2\nf 1 2 3", "g.obj": b"v 0 0 0\nf 1 2 900",
    "h.obj": b"v a b c\n", "i": b"", "j.obj": b"f 1 2 3", "k.stl": b"solid\nvertex 1 2 x vertex 1 2 3 vertex 1 2 3",
    "l.stl": FILES["a.stl"][:-60], "m.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf -9 1 2",
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_broken_meshes_are_a_sentence(name: str) -> None:
    with pytest.raises(mp.InputError, match=name):
        mesh_from(name, BROKEN[name])


def test_large_meshes_become_few_faces_of_the_same_body() -> None:
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 200, endpoint=False), np.linspace(0.001, np.pi - 0.001, 120))
    ball = np.stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(119), np.arange(200), indexing="ij")
    a, b, c, d = (((i + di) * 200 + (j + dj) % 200).ravel() for di, dj in ((0, 0), (1, 0), (1, 1), (0, 1)))
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    found = simplify_mesh(plain_mesh(ball, faces))
    assert len(found.faces) <= MOST < len(faces)
    assert volume(found) == pytest.approx(volume(plain_mesh(ball, faces)), rel=0.03)


def random_urdf(seed: int) -> tuple[str, Any]:
    """A tree of links with a box each, and where the boxes are at q, by matrices of SciPy."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 7))
    limit = '<limit lower="-9" upper="9" effort="1" velocity="1"/>'
    body = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    numbers = lambda size: rng.uniform(-1, 1, size).round(3)  # noqa: E731
    text, kinds, joints, boxes = "", ["revolute", "prismatic", "fixed"], [], [(numbers(3), numbers(3))]
    for k in range(1, count + 1):
        kind = "revolute" if k == 1 else str(rng.choice(kinds))
        axis = numbers(3)
        joints.append((kind, int(rng.integers(0, k)), numbers(3), numbers(3), axis / np.linalg.norm(axis)))
        boxes.append((numbers(3), numbers(3)))
    for k, (xyz, rpy) in enumerate(boxes):
        origin = f'<origin xyz="{" ".join(map(str, xyz))}" rpy="{" ".join(map(str, rpy))}"/>'
        shape = f'<geometry><box size="0.1 {k + 1} 0.3"/></geometry>'
        text += f'<link name="l{k}">{body}<visual>{origin}{shape}</visual></link>'
    for k, (kind, parent, xyz, rpy, axis) in enumerate(joints, 1):
        origin = f'<origin xyz="{" ".join(map(str, xyz))}" rpy="{" ".join(map(str, rpy))}"/>'
        ends = f'<parent link="l{parent}"/><child link="l{k}"/><axis xyz="{" ".join(map(repr, axis.tolist()))}"/>'
        text += f'<joint name="j{k}" type="{kind}">{ends}{origin}{limit}</joint>'

    def placed(q: dict[str, float]) -> list[Any]:
        poses = [np.eye(4)]
        for k, (kind, parent, xyz, rpy, axis) in enumerate(joints, 1):
            x, moved = q.get(f"j{k}", 0.0), np.eye(4)
            if kind == "revolute":
                moved[:3, :3] = Rotation.from_rotvec(x * axis).as_matrix()
            elif kind == "prismatic":
                moved[:3, 3] = x * axis
            poses.append(poses[parent] @ rigid(xyz, rpy) @ moved)
        return [pose @ rigid(*origin) for pose, origin in zip(poses, boxes)]

    return f'<robot name="r">{text}</robot>', placed


def rigid(xyz: Any, rpy: Any) -> Any:
    found = np.eye(4)
    found[:3, :3], found[:3, 3] = Rotation.from_euler("xyz", rpy).as_matrix(), xyz
    return found


def test_every_shape_is_where_the_file_puts_it(tmp_path: Path) -> None:
    for seed in range(12):
        text, placed = random_urdf(seed)
        (tmp_path / "r.urdf").write_text(text)
        robot = mp.load(tmp_path / "r.urdf", exact=True)
        record = mp.drawing(robot, meshes=True)
        q = np.random.default_rng(seed).uniform(-2, 2, robot.dof)
        expected = placed(dict(zip(robot.joint_names, q)))
        poses = poses_of(record, q)
        found = {
            round(shape["size"][1]): pose @ np.array(shape["frame"])
            for link, pose in zip(record["links"], poses)
            for shape in link["shapes"]
            if shape["kind"] == "box" and shape["paint"] == "link" and shape["size"][0] == 0.1
        }
        for k, at in found.items():
            np.testing.assert_allclose(at, expected[k - 1], atol=1e-9, err_msg=f"seed {seed}, link {k - 1}")
        assert len(found) == len(expected)


def seen_boxes(robot: Any, q: Any) -> dict[float, Any]:
    """Where the boxes of the file are drawn, by the length that is each one's own."""
    record = mp.drawing(robot, meshes=True)
    return {
        shape["size"][1]: pose @ np.array(shape["frame"])
        for link, pose in zip(record["links"], poses_of(record, q))
        for shape in link["shapes"]
        if shape["kind"] == "box" and shape["size"][0] == 0.1
    }


@pytest.mark.parametrize("seed", range(4))
def test_saved_robots_look_as_before(seed: int, tmp_path: Path) -> None:
    """As TOML, which names the URDF; as URDF, which has the visuals; and again of these."""
    (tmp_path / "r.urdf").write_text(random_urdf(seed)[0])
    robot = mp.load(tmp_path / "r.urdf", exact=True)
    q = np.random.default_rng(seed).uniform(-2, 2, robot.dof)
    (tmp_path / "below").mkdir()
    toml = mp.load(mp.save(robot, tmp_path / "r.toml"))
    urdf = mp.load(mp.save(toml, tmp_path / "below/b.urdf"), exact=True)
    again = mp.load(mp.save(urdf, tmp_path / "below/b.toml"))
    expected = seen_boxes(robot, q)
    assert len(expected) == len(re.findall("<visual", (tmp_path / "r.urdf").read_text()))
    assert (robot.origin.visuals, again.origin.visuals) == ("r.urdf", "b.urdf")
    for saved in (toml, urdf, again):
        found = seen_boxes(saved, q)
        assert found.keys() == expected.keys()
        for size, at in expected.items():
            np.testing.assert_allclose(found[size], at, atol=1e-9)


MESHED = """<robot name="m"><material name="red"><color rgba="1 0 0 1"/></material>
<link name="base"><visual><geometry><mesh filename="meshes/a.stl"/></geometry><material name="red"/></visual></link>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="plate"><visual><geometry><mesh filename="package://far/b.stl"/></geometry></visual></link>
<link name="lens"/>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
<joint name="k" type="fixed"><parent link="arm"/><child link="plate"/></joint>
<joint name="l" type="fixed"><parent link="plate"/><child link="lens"/></joint></robot>"""


def test_meshes_are_seen_from_the_new_file_or_the_loss_is_named(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes/a.stl").write_bytes(FILES["a.stl"])
    (tmp_path / "m.urdf").write_text(MESHED)
    robot = mp.load(tmp_path / "m.urdf")
    (tmp_path / "urdf").mkdir()  # beside which meshes lie
    read = mp.load(mp.save(robot, tmp_path / "urdf/m.urdf"))
    text = (tmp_path / "urdf/m.urdf").read_text()
    assert 'filename="../meshes/a.stl"' in text and 'filename="package://far/b.stl"' in text
    [shape] = api.looks(read)["shapes"][""]
    assert shape["kind"] == "mesh" and shape["paint"] == "#ff0000"
    (tmp_path / "other").mkdir()
    with pytest.warns(mp.ManipulaWarning, match=r"a\.toml: its links are drawn by m\.urdf, which is not in the folder"):
        mp.save(robot, tmp_path / "other/a.toml")
    with pytest.warns(mp.ManipulaWarning, match=r"cannot hold the visuals"):
        mp.save(mp.convert(robot, "standard"), tmp_path / "s.urdf")
    with pytest.warns(mp.ManipulaWarning, match=r"cannot hold the .*visuals"):
        mp.save(robot, tmp_path / "s.par")


def test_shapes_are_right_from_another_base(tmp_path: Path) -> None:
    """A base in the middle of the file: what stands before it is drawn where it is at zero."""
    text, placed = random_urdf(3)
    (tmp_path / "r.urdf").write_text(text)
    robot = mp.load(tmp_path / "r.urdf", exact=True)
    start = next(x.link for x in robot.joints if any(y.parent == x.name for y in robot.joints))
    part = mp.load(tmp_path / "r.urdf", base=start, exact=True)
    q = np.linspace(0.3, 0.8, part.dof)
    expected = placed(dict(zip(part.joint_names, q)))
    record = mp.drawing(part, meshes=True)
    here = int(start[1:])
    seen = 0
    for link, pose in zip(record["links"], poses_of(record, q)):
        for shape in link["shapes"]:
            if shape["kind"] == "box" and shape["paint"] == "link" and shape["size"][0] == 0.1:
                k = round(shape["size"][1]) - 1
                base = expected[here] @ np.linalg.inv(placed_origin(text, here))
                np.testing.assert_allclose(base @ pose @ np.array(shape["frame"]), expected[k], atol=1e-9)
                seen += 1
    assert seen == len(expected)


def placed_origin(text: str, k: int) -> Any:
    """Of the box of link k, in the link's own frame."""
    found = re.search(rf'<link name="l{k}">.*?<visual><origin xyz="([^"]+)" rpy="([^"]+)"', text)
    assert found
    return rigid(*([float(x) for x in part.split()] for part in found.groups()))


BODY = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
LOOKS = """<robot name="r"><material name="blue"><color rgba="0 0 1 1"/></material>
<link name="base"><visual><geometry><cylinder radius="0.1" length="0.4"/></geometry><material name="blue"/></visual>
</link>
<link name="arm">BODY<visual><geometry><mesh filename="package://bot/meshes/a.stl" scale="0.1 0.1 0.1"/></geometry>
<material name=""><color rgba="1 0.5 0 1"/></material></visual>
<visual><geometry><sphere radius="-1"/></geometry></visual>
<visual><geometry><mesh filename="gone.stl"/></geometry></visual></link>
<link name="hand">BODY</link>
<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
<joint name="bend" type="continuous"><parent link="arm"/><child link="hand"/><origin xyz="0 0 1"/><axis xyz="1 0 0"/>
</joint>
</robot>""".replace("BODY", BODY)


def test_meshes_colours_and_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "bot" / "urdf").mkdir(parents=True)
    (tmp_path / "bot" / "meshes").mkdir()
    (tmp_path / "bot" / "meshes" / "a.stl").write_bytes(FILES["a.stl"])
    (tmp_path / "bot" / "urdf" / "r.urdf").write_text(LOOKS)
    robot = mp.load(tmp_path / "bot" / "urdf" / "r.urdf")
    record = mp.drawing(robot, meshes=True)
    plain = mp.drawing(robot)
    base, arm, hand = record["links"]
    assert [(x["kind"], x["paint"]) for x in base["shapes"]] == [("tube", "#0000ff")]
    (mesh,) = arm["shapes"]
    assert mesh["paint"] == "#ff8000" and record["paints"]["#ff8000"] == "#ff8000"
    assert volume(plain_mesh(np.array(mesh["vertices"]), np.array(mesh["faces"]))) == pytest.approx(1e-3)
    assert hand == plain["links"][2] and "notes" not in plain
    assert len(record["notes"]) == 2 and "gone.stl" in record["notes"][1] and "radius" in record["notes"][0]


def test_a_robot_of_no_file_has_no_meshes(tmp_path: Path) -> None:
    for robot in (mp.load("puma560"), mp.Robot.from_text(LOOKS, "urdf", file=str(tmp_path / "gone.urdf"))):
        with pytest.raises(mp.InputError, match="came from none that is there"):
            mp.drawing(robot, meshes=True)
        assert mp.drawing(robot, meshes=None) == mp.drawing(robot)


def test_a_file_that_is_spoilt_since_leaves_the_solids(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(LOOKS)
    robot = mp.load(tmp_path / "r.urdf")
    assert mp.drawing(robot, meshes=None) != mp.drawing(robot)
    (tmp_path / "r.urdf").write_text("<robot")
    assert mp.drawing(robot, meshes=None) == mp.drawing(robot)


def test_looks_become_coarser_until_they_fit(tmp_path: Path) -> None:
    """As a report needs them; the size is that of the text. What cannot fit is left to the solids, and told."""
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, 60, endpoint=False), np.linspace(0.01, np.pi - 0.01, 40))
    ball = np.stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)], axis=-1).reshape(-1, 3)
    i, j = np.meshgrid(np.arange(39), np.arange(60), indexing="ij")
    a, b, c = (((i + di) * 60 + (j + dj) % 60).ravel() for di, dj in ((0, 0), (1, 0), (1, 1)))
    (tmp_path / "a.stl").write_bytes(binary_stl(ball, np.stack([a, b, c], axis=1)))
    (tmp_path / "r.urdf").write_text(LOOKS.replace("package://bot/meshes/", ""))
    robot = mp.load(tmp_path / "r.urdf")
    whole = api.looks(robot)
    size = len(json.dumps(whole["shapes"]))
    assert lighter(whole, size) == whole and set(whole["shapes"]) == {"", "turn"}
    for share in (0.9, 0.5, 0.2):
        found = lighter(whole, int(share * size))
        assert len(json.dumps(found["shapes"])) <= share * size and "coarser" in found["notes"][-1]
        assert len(found["shapes"]["turn"][0]["faces"]) < len(whole["shapes"]["turn"][0]["faces"])
    none = lighter(whole, 10)
    assert none["shapes"] == {} and "too many" in none["notes"][-1]
    record = mp.drawing(robot)
    assert attach_visuals(record, none)["links"] == record["links"]
    assert attach_visuals(record, whole) == mp.drawing(robot, meshes=True)


def test_a_report_shows_what_fits_and_says_the_rest(tmp_path: Path) -> None:
    (tmp_path / "a.stl").write_bytes(FILES["a.stl"])
    (tmp_path / "r.urdf").write_text(LOOKS.replace("package://bot/meshes/", ""))
    robot = mp.load(tmp_path / "r.urdf")
    record = mp.drawing(robot)
    assert _attach_visuals(record, robot, None) == mp.drawing(robot, meshes=True)
    assert _attach_visuals(record, mp.load("rp"), None) == record
    looks = {
        "shapes": {"bend": [{"kind": "ball", "at": [0, 0, 0], "radius": 1, "paint": "link"}]},
        "paints": {},
        "notes": [],
    }
    assert _attach_visuals(record, robot, looks)["links"][2]["shapes"] == looks["shapes"]["bend"]


def test_links_that_are_not_those_of_the_file_keep_their_solids(tmp_path: Path) -> None:
    """A conversion moves the frames of links: meshes would be elsewhere."""
    turned = LOOKS.replace('<origin xyz="0 0 1"/>', '<origin xyz="0.2 0.3 1" rpy="0.4 0 0.1"/>')
    (tmp_path / "r.urdf").write_text(turned)
    robot = mp.load(tmp_path / "r.urdf")
    assert mp.drawing(robot, meshes=None) != mp.drawing(robot)
    for other in (mp.convert(robot, "modified"), mp.convert(mp.convert(robot, "modified"), "urdf")):
        assert mp.drawing(other, meshes=None) == mp.drawing(other)
        with pytest.raises(mp.InputError, match="not those of the file"):
            mp.drawing(other, meshes=True)
    moved = robot.with_base(xyz=[1, 2, 3])
    assert mp.drawing(moved, meshes=None) != mp.drawing(moved)


def test_shapes_behind_a_locked_joint_are_where_it_is_held(tmp_path: Path) -> None:
    tried = 0
    for seed in range(12):
        text, placed = random_urdf(seed)
        (tmp_path / "r.urdf").write_text(text)
        robot = mp.load(tmp_path / "r.urdf", exact=True)
        if robot.dof < 2:
            continue
        name = str(np.random.default_rng(seed).choice(robot.joint_names))
        locked = robot.locked({name: 0.7})
        q = np.linspace(-0.5, 0.9, locked.dof)
        expected = placed({**dict(zip(locked.joint_names, q)), name: 0.7})
        record = mp.drawing(locked, meshes=True)
        for link, pose in zip(record["links"], poses_of(record, q)):
            for shape in link["shapes"]:
                if shape["kind"] == "box" and shape["paint"] == "link" and shape["size"][0] == 0.1:
                    k = round(shape["size"][1]) - 1
                    np.testing.assert_allclose(
                        pose @ np.array(shape["frame"]), expected[k], atol=1e-9, err_msg=str(seed)
                    )
                    tried += 1
    assert tried > 20
