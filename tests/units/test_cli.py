"""The commands in one process: what they print, their JSON, their exit codes."""

from __future__ import annotations

import contextlib
import json
import re
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from manipula import api
from manipula.cli.app import COMMANDS as TABLE
from manipula.cli.app import app, in_tongue, load_command
from manipula.cli.demonstration import selftest
from manipula.cli.terminal import options, screen
from manipula.errors import ProofError
from manipula.mechanics.models.dynamics.torque import inverse_dynamics
from manipula.mechanics.models.kinematics.pose import pose
from manipula.mechanics.robot.bind import bind
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.spatial.floats import FLOATS
from manipula.pages.page import STATIC
from manipula.version import __version__

pytestmark = pytest.mark.usefixtures("kept_functions")

COMMANDS = [
    "robots", "new", "show", "edit", "delete", "convert", "generate", "count", "equations", "check", "ik", "demo",
]  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each test in an empty folder, with an empty catalogue."""
    monkeypatch.setenv("MANIPULA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


def run(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(app, list(arguments), input=text)


def done(*arguments: str, text: str | None = None) -> str:
    """The output of a command that must succeed."""
    result = run(*arguments, text=text)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*arguments: str, text: str | None = None, code: int = 2) -> str:
    """The message of a command that must fail in words: one line, nothing on stdout."""
    result = run(*arguments, text=text)
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    lines = [line for line in result.stderr.splitlines() if not line.startswith("warning: ")]
    assert len(lines) == 1, lines
    assert lines[0].startswith("manipula: ")
    return lines[0]


def as_json(*arguments: str) -> Any:
    return json.loads(done(*arguments, "--json"))


def test_version() -> None:
    assert done("--version") == f"manipula {__version__}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_help_teaches_by_example(command: str) -> None:
    text = done(command, "--help")
    assert "Examples:" in text
    assert f"manipula {command}" in text
    assert "--json" in text


@pytest.mark.parametrize("command", TABLE)
def test_no_word_of_a_help_is_taken_for_a_style(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Units stand in brackets, as the markup of a terminal does."""
    known = in_tongue(load_command(command))
    words = " ".join([known.help, *(getattr(x, "help", None) or "" for x in known.params)])
    monkeypatch.setenv("COLUMNS", "400")
    shown = done(command, "--help")
    assert [word for word in re.findall(r"\[[^\]]+\]", words) if word not in shown] == []


def test_help_lists_every_command() -> None:
    text = done("--help")
    assert all(command in text for command in COMMANDS)


def test_robots_lists_library_and_own() -> None:
    done("new", "mine", "--joints", "RRP")
    text = done("robots")
    assert all(name in text for name in ("puma560", "planar2r", "mine", "this folder"))
    listed = as_json("robots")
    assert {entry["name"] for entry in listed["library"]} == set(api.robots())
    (own,) = listed["own"]
    assert (own["name"], own["kind"], own["dof"]) == ("mine", "RRP", 3)
    assert "a1" in own["symbolic"]


def test_robots_of_a_kind() -> None:
    found = as_json("robots", "--kind", "rrp")["library"]
    assert "stanford3" in {entry["name"] for entry in found}
    assert all(entry["kind"].startswith("RRP") for entry in found)


@pytest.mark.turn
def test_robots_shows_a_broken_file_and_goes_on(folder: Path) -> None:
    (folder / "broken.toml").write_text("format = 1\n[[joint]]\n", encoding="utf-8")
    (folder / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    (own,) = as_json("robots")["own"]
    assert own["name"] == "broken"
    assert "name" in own["problem"]
    assert "cannot be read" in done("robots")


def test_show_has_units_and_every_table() -> None:
    text = done("show", "puma560")
    for part in ("theta (deg)", "d (m)", "mass (kg)", "0.4318", "17.4", "gravity (m/s²)", "[-160, 160]", "Source:"):
        assert part in text


def test_show_json_keeps_symbols_apart_from_numbers() -> None:
    shown = as_json("show", "planar2r")
    assert shown["dof"] == 2
    assert shown["parameters"]["l1"] is None
    assert set(shown["symbolic"]) == {"l1", "l2", "m1", "m2", "g"}
    assert shown["tables"][0]["columns"][0] == "joint"


def test_strict_makes_a_warning_an_error() -> None:
    done("show", "puma560")
    assert "triangle inequality" in refused("show", "puma560", "--strict")


def test_warnings_are_one_line_on_stderr(folder: Path) -> None:
    done("convert", "puma560", "p.toml")
    result = run("show", "p.toml")
    assert result.exit_code == 0
    assert [line[:9] for line in result.stderr.splitlines()] == ["warning: "]
    assert "warning" not in result.stdout


def test_unknown_names_are_answered_with_what_there_is() -> None:
    assert "did you mean 'puma560'" in refused("show", "puma561")
    assert "Known: pose" in refused("generate", "planar2r", "-m", "nonsense")
    assert "Known: best, newton-euler" in refused("equations", "planar2r", "gravity", "--method", "magic")
    assert "Known: none, fast, max" in refused("count", "planar2r", "-m", "pose", "--optimise", "more")
    assert "Known: arduino, c, casadi, cpp, cuda" in refused("generate", "planar2r", "-l", "cobol")
    assert "A[2,2]" in refused("equations", "planar2r", "lagrange_terms", "--entry", "A[3,1]")
    assert "'zz9'" in refused("generate", "planar2r", "--symbolic", "zz9")


def test_bad_usage_is_code_2() -> None:
    assert run("show").exit_code == 2
    assert run("nonsense").exit_code == 2


def test_generate_writes_what_it_says(folder: Path) -> None:
    told = as_json("generate", "planar2r", "-m", "gravity,pose", "-l", "c,python", "-o", "code")
    files = [Path(name) for model in told["models"] for name in model["files"]]
    assert {path.suffix for path in files} == {".c", ".h", ".in", ".md", ".py", ".txt"}
    assert all(path.is_file() and path.parent == Path("code") for path in files)
    gravity = told["models"][0]
    assert gravity["cost"]["total"] == gravity["cost"]["mul"] + gravity["cost"]["add"] + gravity["cost"]["div"]
    assert "identical to the plain model" in gravity["proof"]


SHAPE_ONLY = """<robot name="shape"><link name="base"/><link name="arm"/><joint name="j" type="continuous">
<parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>"""


def test_generate_keeps_going_past_what_cannot_be_made(folder: Path) -> None:
    Path("shape.urdf").write_text(SHAPE_ONLY)
    wanted = ("generate", "shape.urdf", "-m", "pose,forward_dynamics,jacobian", "-l", "c,python", "-o", "out")
    assert "feels no inertia" in refused(*wanted)
    assert not Path("out").exists()
    result = run(*wanted, "--keep-going")
    assert result.exit_code == 2
    lines = result.stderr.splitlines()
    assert [line for line in lines if line.startswith("forward_dynamics: shape: ") and "feels no inertia" in line]
    assert lines[-1] == "manipula: not made: forward_dynamics"
    names = {path.name for path in Path("out").iterdir()}
    assert {"shape_pose.c", "shape_pose.py", "shape_jacobian.c", "shape_jacobian.py"} <= names
    assert not [name for name in names if "forward" in name]
    assert str(Path("out") / "shape_jacobian.py") in result.stdout
    told = run(*wanted, "--keep-going", "--json")
    assert told.exit_code == 2
    assert list(json.loads(told.stdout)["not_made"]) == ["forward_dynamics"]
    assert [model["model"] for model in json.loads(told.stdout)["models"]] == ["pose", "jacobian"]


def test_generate_keeps_going_past_a_language_and_says_nothing_where_all_is_made(folder: Path) -> None:
    wanted = ("generate", "planar2r", "-m", "pose", "-l", "c,python", "--proof", "-o", "out", "--keep-going")
    result = run(*wanted)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == "manipula: not made: pose in c"
    assert Path("out/planar2r_pose_check.py").is_file()
    assert not Path("out/planar2r_pose.c").exists()
    assert as_json("generate", "planar2r", "-m", "pose", "-o", "out", "--keep-going")["not_made"] == {}
    assert run("generate", "planar2r", "-m", "nothing", "--keep-going").exit_code == 2


def test_a_failed_proof_among_others_is_code_1(monkeypatch: pytest.MonkeyPatch) -> None:
    made = api.generate

    def disproved(robot: Any, model: Any, **more: Any) -> Any:
        if model == "gravity":
            raise ProofError("gravity is not what it should be")
        return made(robot, model, **more)

    monkeypatch.setattr(api, "generate", disproved)
    assert run("generate", "planar2r", "-m", "gravity,pose,nothing", "--keep-going").exit_code == 1


def test_generate_with_a_checker(folder: Path) -> None:
    told = done("generate", "planar2r", "-m", "pose", "-l", "cpp,python", "--proof", "-o", "out")
    assert {"planar2r_pose_check.cpp", "planar2r_pose_check.py"} <= {path.name for path in (folder / "out").iterdir()}
    assert "planar2r_pose_check.cpp" in told
    assert "no proof checker in 'c'" in refused("generate", "planar2r", "-m", "pose", "-l", "c", "--proof", "-o", "out")


def test_generate_prints_cost_and_proof() -> None:
    text = done("generate", "planar2r", "-m", "gravity", "-o", "code")
    assert "Proof of gravity: identical to the plain model" in text
    assert str(Path("code") / "planar2r_gravity.c") in text


def test_generate_the_dossier() -> None:
    told = as_json("generate", "planar2r", "--dossier", "papers")
    assert told["models"] == []
    assert told["dossier"]
    assert all(Path(name).is_file() for name in told["dossier"])


@pytest.mark.turn
def test_count_agrees_with_the_api() -> None:
    rows = as_json("count", "planar2r", "-m", "pose,gravity")["rows"]
    assert rows == [row.as_dict() for row in api.count("planar2r", ["pose", "gravity"])]


@pytest.mark.turn
def test_count_the_ways_and_the_orders() -> None:
    ways = {row["method"]: row for row in as_json("count", "puma560_symbolic", "--ways")["rows"]}
    assert {"forward", "forward-cross", "backward", "backward-cross", "merged"} <= set(ways)
    assert ways["merged"]["total"] <= 81
    orders = as_json("count", "stanford3", "--orders")["rows"]
    assert len(orders) == 2
    assert orders[0]["total"] <= orders[1]["total"]
    assert "choose one" in refused("count", "planar2r", "--ways", "--orders")


def test_count_columns_are_aligned() -> None:
    lines = done("count", "planar2r", "--ways").partition("What each step saves")[0].splitlines()
    head = next(line for line in lines if line.startswith("model"))
    rows = [line for line in lines if line.startswith("pose")]
    end = head.index("total") + len("total")
    assert len(rows) >= 5
    assert all(line[end - 1].isdigit() and line[end] == " " for line in rows)


def test_equations_forms_and_styles() -> None:
    text = done("equations", "planar2r", "gravity", "--form", "factored")
    assert text == done("equations", "planar2r", "-m", "gravity", "--form", "factored")
    assert "found gravity and -m pose" in refused("equations", "planar2r", "gravity", "-m", "pose")
    assert "expected one model" in refused("equations", "planar2r")
    assert "c12 = cos(q1 + q2)" in text
    assert r"\begin{aligned}" in done("equations", "planar2r", "gravity", "--style", "latex")
    assert "c₁₂" in done("equations", "planar2r", "gravity", "--form", "factored", "--style", "unicode")
    assert "Known: auxiliary" in refused("equations", "planar2r", "gravity", "--form", "pretty")


def test_equations_of_one_entry() -> None:
    told = as_json("equations", "stanford3", "lagrange_terms", "--entry", "A[1,3]", "--form", "factored")
    assert told["equations"] == ["A13 = -M3*d2*s2", "with s2 = sin(q2)"]


def test_check_passes_in_words() -> None:
    text = done("check", "planar2r")
    assert "PROVED" in text
    assert "planar2r passes all" in text
    told = as_json("check", "planar2r")
    assert told["passed"] is True
    assert {"proved"} == {verdict["how"] for verdict in told["verdicts"]}


def test_a_failed_check_is_code_1(monkeypatch: pytest.MonkeyPatch) -> None:
    good = api.check("planar2r")
    wrong = SimpleNamespace(name="power", sentence="Energy is kept.", how="proved", passed=False, detail="2 broken")
    report = SimpleNamespace(robot="planar2r", passed=False, verdicts=(*good.verdicts, wrong))
    monkeypatch.setattr(api, "check", lambda robot, tell: report)
    result = run("check", "planar2r")
    assert result.exit_code == 1
    assert "FAILED" in result.stdout
    assert f"planar2r fails 1 of {len(report.verdicts)} checks: power." in result.stdout


def test_a_failed_proof_is_code_1(monkeypatch: pytest.MonkeyPatch) -> None:
    def disproved(*args: object, **more: object) -> None:
        raise ProofError("tau[1] differs")

    monkeypatch.setattr(api, "generate", disproved)
    assert refused("generate", "planar2r", code=1) == "manipula: tau[1] differs"


def test_ctrl_c_is_code_130(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: object, **more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(api, "check", interrupted)
    assert "interrupted" in refused("check", "planar2r", code=130)


def test_nothing_a_user_wrote_is_markup(capsys: pytest.CaptureFixture[str]) -> None:
    screen.say_table("[bold]t", ["a"], [["[red]x[/red]"], [":smile:"]])
    assert [line.strip() for line in capsys.readouterr().out.splitlines()][-2:] == ["[red]x[/red]", ":smile:"]


def test_a_wide_table_goes_on_below_and_breaks_no_number() -> None:
    columns, rows = ["joint", "name", "x", "y", "z"], [["1", "elbow", "-0.3638", "0.0060", "0.2275"]]
    assert screen._blocks(columns, rows, 100) == [[0, 1, 2, 3, 4]]
    assert screen._blocks(columns, rows, 32) == [[0, 1, 2, 3], [0, 1, 4]]
    assert screen._blocks(columns, rows, 5) == [[0, 1, 2], [0, 1, 3], [0, 1, 4]]


def test_completion_offers_names() -> None:
    done("new", "purple", "--joints", "RR")
    assert {"puma560", "puma560_symbolic", "purple", "purple.toml"} <= set(options.complete_robot("pu"))
    assert options.complete_own("pu") == ["purple", "purple.toml"]
    assert options.complete_model("pose,grav") == ["pose,gravity"]
    assert options.complete_language("p") == ["python"]
    assert options.complete_method("lagrange-e") == ["lagrange-efficient"]


def test_a_library_name_always_means_the_library(folder: Path) -> None:
    done("convert", "planar2r", "puma560.toml")
    assert options.find("puma560").dof == 6
    assert options.find("puma560.toml").dof == 2


@pytest.mark.turn
def test_demo_shows_the_main_job() -> None:
    text = done("demo")
    for part in ("tau1 = ", "81", "1693", "identical to the plain model", "N·m", "Lopes da Silva"):
        assert part in text
    assert list((Path("out") / "demo").glob("*.c"))
    assert "FAILED" not in text
    assert text.rstrip().endswith("manipula studio" if (STATIC / "studio").exists() else "make studio")
    assert re.findall(r"^(\d+)\. \S", text, re.MULTILINE) == list("123456")
    # what is printed of a call is what the arm of that name gives, by arrays, at what is printed of its inputs
    arm = merge_fixed(bind(api.load("puma560"), FLOATS, {}))
    q, qd, qdd = (
        [float(x) for x in re.search(rf"{name} += \[(.*?)\]", text)[1].split(",")]  # type: ignore[index]
        for name in ("  q", "  qd", "  qdd")
    )
    shown = [float(x) for x in re.findall(r"=\n    \[(.*?)\]  N·m", text)[0].split(",")]
    assert shown == pytest.approx([float(x) for x in inverse_dynamics(arm, q, qd, qdd)], rel=5e-4)
    place = [float(x) for x in re.findall(r"arm\.pose\(q\)\[:3, 3\] += \[(.*?)\]", text)[0].split(",")]
    assert place == pytest.approx([float(x) for x in pose(arm, q).p], rel=5e-4)
    said = re.search(r"largest error (\S+) rad, largest torque (\S+) N·m, energy balance (\S+)", text)
    assert said and 1e-4 < float(said[1]) < 0.1 and float(said[2]) > 10 and float(said[3]) < 1e-4


def test_the_selftest_of_the_demo_can_fail(folder: Path) -> None:
    file = folder / "wrong.c"
    file.write_text("int main(void) { return 1; }\n", encoding="utf-8")
    told = selftest([file])
    assert "FAILED" in told or "no C compiler" in told


@pytest.mark.turn
def test_a_value_for_one_call() -> None:
    given = ("--set", "g=10", "--set", "m2=2", "--set", "l1=1")
    told = done("equations", "planar2r", "gravity", "--form", "factored", *given)
    assert "g2 = 20*l2*c12" in told
    for command in (["show", "planar2r"], ["count", "planar2r", "-m", "gravity"], ["base-parameters", "planar2r"]):
        assert done(*command, *given)
    assert "no parameter is called 'z9'" in refused("show", "planar2r", "--set", "z9=1")
    assert "write it as a2=0.43" in refused("show", "planar2r", "--set", "l1")


@pytest.mark.parametrize("name", TABLE)
def test_the_list_of_commands_has_their_own_words(name: str) -> None:
    """Help lists commands without importing them; the line is that of the command."""
    assert load_command(name).name == name
    assert TABLE[name] == " ".join((load_command(name).help or "").split("\n\n")[0].split())


def test_a_command_that_is_nearly_right_is_suggested() -> None:
    done = CliRunner().invoke(app, ["generat"])
    assert done.exit_code == 2 and "Did you mean 'generate'" in done.output


def test_a_folder_and_a_broken_link_are_no_robots(folder: Path) -> None:
    """Of the files that end as robots do, those that can be read and describe one."""
    done("new", "purple", "--joints", "RR")
    (folder / "folder.toml").mkdir()
    (folder / "other.toml").write_text("[project]\n")
    with contextlib.suppress(OSError):  # where a user may not make links
        (folder / "gone.toml").symlink_to("nowhere.toml")
    assert [path.name for path in options.own_files() if path.parent == Path()] == ["purple.toml"]
