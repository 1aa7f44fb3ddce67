"""Every word that a format has is read, or is known to change no model; a word that is not known is named."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import manipula as mp
from manipula.mechanics.robot.formats.mjcf.settings import REFUSED
from manipula.mechanics.robot.formats.mjcf.settings import WORDS as MJCF
from manipula.mechanics.robot.formats.par.entries import AT_REST, DYNAMICS, GEOMETRY, SETTINGS, UNREAD
from manipula.mechanics.robot.formats.source import Vocabulary, entry_of
from manipula.mechanics.robot.formats.toml import schema
from manipula.mechanics.robot.formats.toml.write import toml_from_robot
from manipula.mechanics.robot.formats.urdf.xml import WORDS as URDF
from tests.linkages import five_bar

Words = Iterator[tuple[list[str], list[str]]]  # the way to an element, and its attributes


def missing(listed: Words, words: Vocabulary, refused: tuple[str, ...] = ()) -> list[str]:
    """What is neither read nor known; what stands inside something that is no part of the models is known."""
    found: list[str] = []
    for way, attributes in listed:
        steps = list(zip(["", *way], way))
        if any(tag in refused or words.get(entry_of(words, *step), 0) is None for step in steps for tag in step):
            continue
        entry = words.get(entry_of(words, *steps[-1]))
        known = {} if entry is None else entry.attributes
        found += [f"{'/'.join(way)}: {name}" for name in attributes if name not in known]
        found += ["/".join(way)] if entry is None else []
    return found


def mujoco_schema() -> Words:
    mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed (pip install manipula[bench])")
    way: list[str] = []
    attributes: list[str] = []
    for line in mujoco.mj_printSchema(False, False).splitlines():
        head = re.match(r"( *)(\(world\)body|\w+) \((?:[!*?R])\) *(.*)", line)
        if head is None:
            attributes += line.split()
            continue
        yield from [(list(way), attributes)] if way else []
        depth = len(head[1]) // 3
        way = [*way[:depth], head[2].removeprefix("(world)")]
        attributes = head[3].split()
    yield way, attributes


def test_mujocos_schema_is_accounted_for() -> None:
    listed = list(mujoco_schema())
    assert len(listed) > 150 and sum(len(names) for _, names in listed) > 1000
    assert missing(iter(listed), MJCF, REFUSED) == []
    assert missing(iter([(["mujoco", "body", "jiont"], [])]), MJCF) == ["mujoco/body/jiont"]
    assert missing(iter([(["mujoco", "body", "joint"], ["dampign"])]), MJCF) == ["mujoco/body/joint: dampign"]


URDF_WORDS = """
robot: name version
robot/link: name type
robot/link/inertial:
robot/link/inertial/origin: xyz rpy quat_xyzw
robot/link/inertial/mass: value
robot/link/inertial/inertia: ixx ixy ixz iyy iyz izz
robot/link/visual: name
robot/link/visual/geometry/mesh: filename scale
robot/link/visual/material/color: rgba
robot/link/collision: name
robot/link/collision/verbose: value
robot/joint: name type
robot/joint/origin: xyz rpy quat_xyzw
robot/joint/parent: link
robot/joint/child: link
robot/joint/axis: xyz
robot/joint/calibration: reference_position rising falling
robot/joint/dynamics: damping friction
robot/joint/limit: lower upper effort velocity acceleration deceleration jerk
robot/joint/safety_controller: soft_lower_limit soft_upper_limit k_position k_velocity
robot/joint/mimic: joint multiplier offset
robot/material: name
robot/material/texture: filename
robot/transmission: name type
robot/transmission/joint/hardwareInterface:
robot/transmission/actuator/mechanicalReduction:
robot/gazebo: reference
robot/gazebo/plugin: name filename
robot/sensor: name type id group
robot/sensor/camera/image: width height format hfov near far
robot/ros2_control: name type
robot/constraint: name type
"""


def test_the_schema_of_urdf_is_accounted_for() -> None:
    lines = (line.partition(":") for line in URDF_WORDS.split("\n") if line)
    assert missing(((way.split("/"), names.split()) for way, _, names in lines), URDF) == []


@pytest.mark.parametrize("words", [MJCF, URDF])
def test_no_word_is_in_two_lists(words: Vocabulary) -> None:
    for key, entry in words.items():
        both = [] if entry is None else [*entry.read.split(), *entry.passed.split()]
        assert len(both) == len(set(both)), key


def test_the_words_of_symoro_are_accounted_for() -> None:
    """As OpenSYMORO writes a .par file."""
    every = """ant sigma b d r gamma alpha mu theta XX XY XZ YY YZ ZZ MX MY MZ M IA FV FS FX FY FZ CX CY CZ QP QDP GAM
        W0 WP0 V0 VP0 Z G eta K"""
    lists = [*GEOMETRY, *DYNAMICS, *AT_REST, *UNREAD, "eta", "Z", "G"]
    assert sorted(lists) == sorted(set(lists)) and {word.lower() for word in every.split()} == {
        x.lower() for x in lists
    }
    assert {"NL", "NJ", "NF", "Type", "is_mobile"} <= set(SETTINGS)


def told(text: str, form: str) -> tuple[list[str], tuple[str, ...]]:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", mp.ManipulaWarning)
        robot = mp.Robot.from_text(text, form)
    return [str(x.message) for x in said], robot.origin.notes


INERTIA = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
ARM = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>{inertia}</inertial>{link}</link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/>{joint}</joint>{robot}</robot>"""


def test_words_that_change_no_model_are_one_note() -> None:
    looks = "<visual><geometry/></visual>" * 3 + "<collision/>"
    text = ARM.format(inertia=INERTIA, link=looks, joint='<limit effort="1" velocity="1" jerk="2"/>', robot="<gazebo/>")
    assert told(text, "urdf") == (
        [], ("not read, for no model needs it: 1 × <collision>, 1 × <gazebo>, 3 × <visual>, attributes jerk",),
    )  # fmt: skip


def test_words_that_are_not_known_are_one_warning() -> None:
    text = ARM.format(inertia=INERTIA, link="<inertal/>", joint='<axis xyz="0 0 1" way="x"/><dynamic/>', robot="<x:y/>")
    said, notes = told(text.replace("<robot ", '<robot xmlns:x="x" '), "urdf")
    assert notes == () and len(said) == 1
    for part in ("<inertal>", "way of <axis>", "<dynamic>", "<y>", "; did you mean 'inertial', 'dynamics'?"):
        assert part in said[0]


def test_a_loop_that_a_urdf_closes_is_named() -> None:
    text = ARM.format(inertia=INERTIA, link="", joint="", robot="<constraint/>")
    assert told(text, "urdf")[0] == ["<constraint> is not read: the chain is open there"]


def test_words_of_mjcf_in_one_note_and_one_warning() -> None:
    inside = '<joint name="j" solref="1 1"/><geom size="1" rgba="1 1 1 1"/><camera/><camera/>'
    body = f'<body name="b" slepp="1">{inside}</body>'
    rest = '<actuator><position joint="j" kp="10" kv="4"/><motor joint="j" gear="100"/></actuator><sensors/>'
    said, [note] = told(f"<mujoco><worldbody>{body}</worldbody>{rest}</mujoco>", "mjcf")
    assert said == ["unknown and not read: slepp of <body>, <sensors>; did you mean 'sleep', 'sensor'?"]
    elements = "2 × <camera>, 1 × <motor>, 1 × <position>, attributes kp, kv, rgba, solref"
    assert note == f"not read, for no model needs it: {elements}"


def test_a_setting_of_symoro_that_is_not_known_is_named() -> None:
    text = "NJ = 1\nTpye = 0\nSigma = {0}\nAlpha = {0}\nd = {0}\nTheta = {t1}\nr = {0}\n"
    said, _ = told(text, "par")
    assert said == ["unknown and not read: tpye; did you mean 'Type'?"]


# every key of the robot file with something to say, in a robot that can say it
ROW = {
    "name": '"x"', "type": '"prismatic"', "theta": "9", "d": "0.2", "a": "0.2", "alpha": "9", "direction": "-1",
    "limits": "[-9, 9]", "velocity_limit": "3", "effort_limit": "3", "motor_inertia": "2", "gear": "2",
    "efficiency": "0.8", "stiffness": "2", "backlash": "0.1", "mass": "2", "com": "[1, 0, 0]", "inertia": "{ xx = 2 }",
    "inertia_about": '"origin"', "friction": "{ viscous = 2 }", "carries": "[{ mass = 1 }]", "note": '"x"',
    "link_name": '"x"', "parent": '"base"', "springs": "[{ radii = [0.1, 0.2], angle = 0, length = 0.1 }]",
}  # fmt: skip
OTHERWISE = {  # those that want other rows around them
    "xyz": "rows of placements", "rpy": "", "axis": "", "anchor": "", "link": "", "coordinate": "a joint to follow",
    "pitch": "a screw", "passive": "a loop", "first_moment": "instead of com", "second_moment": "instead of inertia",
}  # fmt: skip
HEAD = 'format = 1\nname = "r"\nconvention = "modified"\nangle = "deg"\ninertia_default = 0\n'
PLAIN = {"type": '"revolute"', "d": "0", "a": "0", "alpha": "0", "mass": "1", "com": "[0, 0, 0]"}


def two_rows(**more: str) -> str:
    one, other = {**PLAIN, "name": '"w"'}, {**PLAIN, "name": '"v"', **more}
    if more.get("type"):
        other |= {"theta": "0"}
    return HEAD + "".join("[[joint]]\n" + "".join(f"{key} = {x}\n" for key, x in row.items()) for row in (one, other))


@pytest.mark.parametrize("key", ROW)
def test_every_key_of_a_joint_is_read(key: str) -> None:
    robots = [mp.Robot.from_text(two_rows(**more)) for more in ({}, {key: ROW[key]})]
    said = [(robot, robot.origin, [joint.link for joint in robot.joints]) for robot in robots]
    assert said[0] != said[1]


def test_every_key_of_a_joint_is_tried() -> None:
    assert set(schema.JointTable.model_fields) == set(ROW) | set(OTHERWISE)


# the other tables: where a table stands, what it needs, and every key with something to say
BODY = {"mass": "2", "com": "[1, 0, 0]", "inertia": "{ xx = 2 }", "inertia_about": '"origin"'}
INSTEAD = {"first_moment": "[1, 0, 0]", "second_moment": "{ xx = 2 }"}
PLACE = {"xyz": "[1, 0, 0]", "rpy": "[9, 0, 0]"}
TABLES = {
    "BaseTable": (
        "[base]",
        "",
        {**BODY, **INSTEAD, **PLACE, "link_name": '"x"', "moving": '"given"', "carries": "[{ mass = 1 }]"},
    ),
    "ToolTable": ("[tool]", "", {**PLACE, "on": '"w"'}),
    "FrameTable": ("[[frame]]", 'name = "f"\non = "v"', {**PLACE, "name": '"x"', "on": '"w"'}),
    "PayloadTable": ("[[payload]]", "", {**BODY, **INSTEAD}),
    "CarriedTable": ("[[base.carries]]", "", {**BODY, **INSTEAD, **PLACE, "name": '"x"'}),
}
FILE = {
    "name": '"x"', "convention": '"standard"', "angle": '"rad"', "length": '"mm"', "gravity": "[0, 0, -1]",
    "inertia_about": '"origin"', "source": '"x"', "description": '"x"', "notes": '["x"]', "values": "{ x = 1 }",
    "poses": "{ x = [1, 2] }", "exact": "true", "visuals": '"x.urdf"',
}  # fmt: skip


@pytest.mark.parametrize(("table", "key"), [(name, key) for name, (_, _, keys) in TABLES.items() for key in keys])
def test_every_key_of_every_table_is_read(table: str, key: str) -> None:
    head, needed, keys = TABLES[table]
    assert set(getattr(schema, table).model_fields) == set(keys)
    rest = "\n".join(line for line in needed.split("\n") if not line.startswith(f"{key} ="))
    weighs = "mass = 1\n" if key in ("inertia_about", "first_moment") else ""  # which want a body
    texts = [f"{two_rows()}{head}\n{part}\n" for part in (weighs + needed, f"{weighs}{rest}\n{key} = {keys[key]}")]
    robots = [mp.Robot.from_text(text) for text in texts]
    assert (robots[0], robots[0].origin) != (robots[1], robots[1].origin)


LOOPS = {  # a change of the five-bar's file for every key of its loops and motors
    "LoopTable": {"name": ('name = "tip"', 'name = "x"'), "joins": ('"tip_a", "tip_b"', '"tip_b", "tip_a"'),
                  "free": ('free = "z"', 'free = "ball"')},
    "MotorsTable": {"drive": ('["left", "right"]', '["left", "right_rod"]')},
}  # fmt: skip


@pytest.mark.parametrize(("table", "key"), [(table, key) for table, keys in LOOPS.items() for key in keys])
def test_every_key_of_loops_and_motors_is_read(table: str, key: str) -> None:
    assert set(getattr(schema, table).model_fields) == set(LOOPS[table])
    text, (old, new) = toml_from_robot(five_bar()), LOOPS[table][key]
    assert text.count(old) == 1 and mp.Robot.from_text(text) != mp.Robot.from_text(text.replace(old, new))


ELEMENT = {
    "name": "gas", "joins": '["left", "right"]', "stiffness": 250, "length": 0.07, "force": 31, "damping": 4.5,
}  # fmt: skip


@pytest.mark.parametrize("key", ELEMENT)
def test_every_key_of_an_element_is_read(key: str) -> None:
    assert set(schema.ElementTable.model_fields) == set(ELEMENT)
    plain = {
        "name": "rod", "joins": '["left_rod", "right"]', "stiffness": 200, "length": 0.1, "force": 30, "damping": 4,
    }  # fmt: skip
    texts = [
        toml_from_robot(five_bar()) + "\n[[element]]\n" + "".join(f"{x} = {quoted(y)}\n" for x, y in entries.items())
        for entries in (plain, plain | {key: ELEMENT[key]})
    ]
    assert mp.Robot.from_text(texts[0]) != mp.Robot.from_text(texts[1])


def quoted(value: object) -> object:
    return f'"{value}"' if isinstance(value, str) and not value.startswith("[") else value


@pytest.mark.filterwarnings("ignore::manipula.errors.ManipulaWarning")
@pytest.mark.parametrize("key", FILE)
def test_every_key_of_the_file_is_read(key: str) -> None:
    assert set(schema.RobotTable.model_fields) == {
        *FILE, "format", "inertia_default", "base", "tool", "frame", "payload", "joint", "loop", "motors",
        "element",
    }  # fmt: skip
    plain = two_rows(d="1.5707", theta="89.999", com="[1, 0, 0]", mass="1")
    given = "\n".join(line for line in plain.split("\n[[joint]]", 1)[0].split("\n") if not line.startswith(f"{key} ="))
    rest = "[[joint]]" + plain.split("[[joint]]", 1)[1]
    robots = [mp.Robot.from_text(x) for x in (plain, f"{given}\n{key} = {FILE[key]}\n{rest}")]
    assert (robots[0], robots[0].origin) != (robots[1], robots[1].origin)


def test_a_key_that_is_not_known_is_refused_in_every_table() -> None:
    tables = json.loads(Path(schema.__file__).with_name("robot.schema.json").read_text())
    objects = [tables, *tables["$defs"].values()]
    assert len(objects) > 12 and all(table["additionalProperties"] is False for table in objects)


# Words for people: docs/explanation/style.md has the rules; these phrases always hid a better word.

ROOT = Path(__file__).parents[2]
BANNED = re.compile(
    r"\b(?:is|are|be|was|were|been) told\b|\btold (?:apart|of)\b|\bwhat lies\b|\bwhoever\b|\bforet(?:old|ells?)\b"
    r"|\bin whatever letters\b|\bin one lever\b|\bcounted to the link\b|\bthe same gives the same\b|\bnimble\b"
    r"|\btool gets to\b|\bcould exist\b|\bwhat there is\b|\btorques can tell\b|\bsomething wrong has passed\b"
    r"|\brobot that is described\b|\bwhat turns is on\b|\blinks are left; their\b|\bkeeps its solid\b"
    r"|\bhas it at once\b|\bis none is\b|\bnobody answered\b|\bgoes nowhere\b|\bis no column of\b"
    r"|\btell (?:how far|where an|what every)\b|\bloses a freedom\b|\bweigh what an arm held\b|\bstand before a law\b"
    r"|\bthere is no checker\b|\bis not warned\b|\bmodels follow\b|\btells\b|\bt\(.(?:Beside it|in all|asking…|kept )",
    re.IGNORECASE,
)
READ = {  # where a person reads, and what is passed over: the pairs themselves, lists of old names, other languages
    "manipula": (".py", ".toml", ".md", ".typ", ".jinja"), "bench": (".py",), "web/src": (".ts", ".tsx", ".json"),
    "docs": (".md", ".ipynb"),
}  # fmt: skip
PASSED_OVER = ("docs/explanation/style.md", "docs/decisions/029-words-of-the-field.md")


def phrases_in(text: str) -> list[str]:
    """Also where a line breaks inside a phrase."""
    return [found[0] for found in BANNED.finditer(re.sub(r"\s+[#*/]*\s*", " ", text))]


def read_by_people() -> list[Path]:
    files = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "tests/golden/sentences.txt"]
    for folder, endings in READ.items():
        files += [path for path in sorted((ROOT / folder).rglob("*")) if path.suffix in endings]
    return [path for path in files if path.relative_to(ROOT).as_posix() not in PASSED_OVER]


def test_old_phrases_stay_out() -> None:
    files = read_by_people()
    assert len(files) > 500
    found = {path.relative_to(ROOT).as_posix(): phrases_in(path.read_text(encoding="utf-8")) for path in files}
    assert {path: phrases for path, phrases in found.items() if phrases} == {}


def test_the_page_of_style_has_twenty_pairs_and_their_left_sides_are_phrases_kept_out() -> None:
    page = (ROOT / "docs/explanation/style.md").read_text(encoding="utf-8")
    pairs = re.findall(r"^\| (.+) \| (.+) \|$", page.partition("## Twenty pairs")[2].partition("## ")[0], re.MULTILINE)
    pairs = [pair for pair in pairs if set(pair[0]) != {"-"} and pair[0] != "before"]
    assert len(pairs) >= 20 and not any(phrases_in(after) for _, after in pairs)
    assert sum(bool(phrases_in(before)) for before, _ in pairs) >= 18
    assert phrases_in("a mistake is\n    # told at once") == ["is told"]


# Each of these hides the noun it stands for: no answer, without a value, requested, reaches, the contents, alone. Case
# counts, for `is None` is Python.
HIDDEN = re.compile(r"\b(?:[Ii]s none|[Hh]as none|[Hh]ave none|[Aa]sked for|[Gg]ets to|[Ww]hat stands|[Bb]y itself)\b")


def hidden_nouns(text: str) -> list[str]:
    """Also where a line breaks inside a phrase, of a comment too."""
    return [found[0] for found in HIDDEN.finditer(re.sub(r"\s+(?:[#*/]+\s+)?", " ", text))]


def test_pages_and_code_name_what_they_mean() -> None:
    files = [path for path in read_by_people() if "decisions" not in path.parts]
    assert len(files) > 600
    found = {path.relative_to(ROOT).as_posix(): hidden_nouns(path.read_text(encoding="utf-8")) for path in files}
    assert {path: phrases for path, phrases in found.items() if phrases} == {}
    planted = "The pose asked\n    # for is here. It has none, if x is None."
    assert hidden_nouns(planted) == ["asked for", "has none"]
