"""COLLADA meshes: every triangle where nodes, units and primitives put it; hostile files are a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import manipula as mp
from manipula.mechanics.drawing import collada as reader
from manipula.mechanics.drawing.collada import collada
from manipula.mechanics.drawing.meshes import mesh_from
from tests.golden.sentences import Sentences

SPACE = 'xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"'


def words(numbers: Any) -> str:
    return " ".join(repr(x) for x in np.asarray(numbers).ravel().tolist())


def source(corners: Any, stride: int) -> str:
    """Places with numbers of no interest between them."""
    padded = np.concatenate([corners, np.full((len(corners), stride - 3), 7.0)], axis=1)
    return (
        f'<source id="p"><float_array id="a" count="{padded.size}">{words(padded)}</float_array><technique_common>'
        f'<accessor source="#a" count="{len(corners)}" stride="{stride}"/></technique_common></source>'
        '<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>'
    )


def primitive(kind: str, polygons: list[list[int]], rng: np.random.Generator, material: str = "") -> str:
    """Corners among the numbers of normals and textures, at an offset of their own."""
    width = int(rng.integers(1, 4))
    offset = int(rng.integers(0, width))
    mixed = [[k if c == offset else int(rng.integers(0, 99)) for k in own for c in range(width)] for own in polygons]
    others = "".join(f'<input semantic="NORMAL" source="#n" offset="{c}"/>' for c in range(width) if c != offset)
    inputs = f'{others}<input semantic="VERTEX" source="#v" offset="{offset}"/>'
    if kind in ("triangles", "polylist"):
        counts = f"<vcount>{words([len(own) for own in polygons])}</vcount>" if kind == "polylist" else ""
        body = counts + f"<p>{words([x for own in mixed for x in own])}</p>"
    else:
        body = "".join(f"<p>{words(own)}</p>" for own in mixed)
    return f'<{kind} material="{material}" count="{len(polygons)}">{inputs}{body}</{kind}>'


def cut(kind: str, polygons: list[list[int]]) -> list[tuple[int, int, int]]:
    """Triangles, the way the specification has them."""
    found = []
    for own in polygons:
        for k in range(len(own) - 2):
            if kind == "tristrips":
                found.append((own[k + 1], own[k], own[k + 2]) if k % 2 else (own[k], own[k + 1], own[k + 2]))
            else:
                found.append((own[0], own[k + 1], own[k + 2]))
    return found


def step(rng: np.random.Generator) -> tuple[str, Any]:
    """One step of a node as text and as a matrix."""
    found = np.eye(4)
    kind, three = str(rng.choice(["matrix", "translate", "rotate", "scale"])), rng.uniform(-2, 2, 3).round(3)
    if kind == "matrix":
        found[:3] = rng.uniform(-2, 2, (3, 4)).round(3)
        return f"<matrix>{words(found)}</matrix>", found
    if kind == "translate":
        found[:3, 3] = three
    elif kind == "rotate":
        angle = round(float(rng.uniform(-300, 300)), 2)
        found[:3, :3] = Rotation.from_rotvec(np.radians(angle) * three / np.linalg.norm(three)).as_matrix()
        return f'<rotate sid="r">{words([*three, angle])}</rotate>', found
    else:
        found[:3, :3] = np.diag(three)
    return f"<{kind}>{words(three)}</{kind}>", found


def random_file(seed: int) -> tuple[str, Any, Any]:
    """A file, the triangles (count, 3 corners, 3) in it, and those of the second colour alone."""
    rng = np.random.default_rng(seed)
    corners = rng.uniform(-1, 1, (12, 3)).round(3)
    kinds = ["triangles", "polylist", "polygons", "tristrips", "trifans"]
    mesh, wanted = "", []
    for number in range(2):
        kind = str(rng.choice(kinds))
        sizes = [3 if kind == "triangles" else int(rng.integers(3, 7)) for _ in range(int(rng.integers(1, 4)))]
        polygons = [rng.permutation(12)[:size].tolist() for size in sizes]
        mesh += primitive(kind, polygons, rng, f"m{number}")
        wanted.append(corners[cut(kind, polygons)])
    at, nodes, ends = np.eye(4), "", ""
    for k in range(int(rng.integers(1, 4))):  # inside one another
        steps = [step(rng) for _ in range(int(rng.integers(0, 3)))]
        nodes += f'<node id="n{k}">' + "".join(text for text, _ in steps)
        ends += "</node>"
        for _, own in steps:
            at = at @ own
    unit, up = float(rng.choice([1.0, 0.001, 0.0254])), str(rng.choice(["X_UP", "Y_UP", "Z_UP"]))
    colours = "".join(
        f'<effect id="e{k}"><profile_COMMON><technique><{shader}><diffuse><color>{k} 0.5 0 1</color></diffuse>'
        f"</{shader}></technique></profile_COMMON></effect>"
        for k, shader in enumerate(("phong", "lambert"))
    )
    bound = "".join(f'<instance_material symbol="m{k}" target="#k{k}"/>' for k in range(2))
    text = (
        f'<?xml version="1.0" encoding="utf-8"?>\n<COLLADA {SPACE}><asset><unit name="x" meter="{unit}"/>'
        f"<up_axis>{up}</up_axis></asset><library_effects>{colours}</library_effects><library_materials>"
        + "".join(f'<material id="k{k}"><instance_effect url="#e{k}"/></material>' for k in range(2))
        + f'</library_materials><library_geometries><geometry id="g"><mesh>{source(corners, int(rng.integers(3, 6)))}'
        f'{mesh}</mesh></geometry></library_geometries><library_nodes><node id="far">{nodes}'
        f'<instance_geometry url="#g"><bind_material><technique_common>{bound}</technique_common></bind_material>'
        f'</instance_geometry>{ends}</node></library_nodes><library_visual_scenes><visual_scene id="s">'
        '<node><instance_node url="#far"/></node></visual_scene></library_visual_scenes>'
        '<scene><instance_visual_scene url="#s"/></scene></COLLADA>'
    )
    placed = [unit * (own @ at[:3, :3].T + at[:3, 3]) for own in wanted]
    turned = [own[:, ::-1] if np.linalg.det(at[:3, :3]) < 0 else own for own in placed]
    return text, np.concatenate(turned), turned[1]


def test_every_triangle_is_where_the_file_puts_it() -> None:
    for seed in range(60):
        text, wanted, second = random_file(seed)
        found = collada(text.encode("utf-16" if seed % 7 == 0 else "utf-8"))
        np.testing.assert_allclose(found.vertices[found.faces], wanted, atol=1e-12, err_msg=f"seed {seed}")
        assert found.colours == ("#008000", "#ff8000")
        np.testing.assert_allclose(found.vertices[found.faces[found.tints == 1]], second, atol=1e-12)


def test_a_file_without_a_scene_shows_its_geometry() -> None:
    text, *_ = random_file(1)
    bare = text[: text.index("<library_nodes>")] + "</COLLADA>"
    assert len(collada(bare.encode()).faces) > 0


def geometry(mesh: str, nodes: str = '<node><instance_geometry url="#g"/></node>') -> bytes:
    body = f'<library_geometries><geometry id="g"><mesh>{mesh}</mesh></geometry></library_geometries>'
    scene = f"<library_visual_scenes><visual_scene>{nodes}</visual_scene></library_visual_scenes>"
    return f"<COLLADA>{body}{scene}</COLLADA>".encode()


def faces(kind: str, rest: str) -> str:
    return f'{ONE}<{kind}><input semantic="VERTEX" source="#v" offset="0"/>{rest}</{kind}>'


ONE = source(np.eye(3), 3)
TRIANGLE = faces("triangles", "<p>0 1 2</p>")
LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><COLLADA>&b;</COLLADA>'
DOUBLING = "".join(
    f'<node id="d{k}"><instance_node url="#d{k + 1}"/><instance_node url="#d{k + 1}"/></node>' for k in range(40)
)
HOSTILE = {
    "laughs": LAUGHS.encode(), "wide laughs": LAUGHS.encode("utf-16"),
    "another file": b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><COLLADA>&a;</COLLADA>',
    "no xml": b"<COLLADA", "other bytes": b"\xff\x00\xff\x00", "nothing": b"",
    "a node in itself": geometry(TRIANGLE, '<node id="d"><instance_node url="#d"/></node>'),
    "doubled nodes": geometry(TRIANGLE, DOUBLING),
    "deep nodes": geometry(TRIANGLE, "<node>" * 3000 + "</node>" * 3000),
    "a corner that is not there": geometry(TRIANGLE.replace("0 1 2", "0 1 9")),
    "a corner before the first": geometry(TRIANGLE.replace("0 1 2", "0 1 -1")),
    "no number": geometry(TRIANGLE.replace("1.0", "nan")), "a word": geometry(TRIANGLE.replace("1.0", "one")),
    "huge numbers": geometry(TRIANGLE.replace("0 1 2", "0 1 99999999999999999999999")),
    "no vertices": geometry(TRIANGLE.replace("#v", "#w")), "no source": geometry(TRIANGLE.replace("#p", "#q")),
    "odd corners": geometry(TRIANGLE.replace('stride="3"', 'stride="4"')),
    "no stride": geometry(TRIANGLE.replace('stride="3"', 'stride="0"')),
    "negative counts": geometry(faces("polylist", "<vcount>-3 9</vcount><p>0 1 2</p>")),
    "a negative count that adds up": geometry(faces("polylist", "<vcount>-3 6</vcount><p>0 1 2</p>")),
    "many counts": geometry(faces("polylist", "<vcount>3 3</vcount><p>0 1 2</p>")),
    "a short matrix": geometry(TRIANGLE, '<node><matrix>1 2 3</matrix><instance_geometry url="#g"/></node>'),
    "no triangles": geometry(ONE), "lines": geometry(faces("lines", "<p>0 1</p>")),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_a_sentence(name: str, whole: Sentences) -> None:
    with whole.raises(mp.InputError, match=r"^part\.dae: ") as refused:
        mesh_from("part.dae", HOSTILE[name])
    assert ("DOCTYPE" in str(refused.value)) == (name in ("laughs", "wide laughs", "another file"))


def test_as_many_triangles_as_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "CORNERS", 5)
    assert len(mesh_from("a.dae", geometry(TRIANGLE)).faces) == 1
    twice = '<node><instance_geometry url="#g"/><instance_geometry url="#g"/></node>'
    with pytest.raises(mp.InputError, match="more than 1 triangles"):
        mesh_from("a.dae", geometry(TRIANGLE, twice))
