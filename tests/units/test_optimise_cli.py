"""`manipula optimise`, `--parameters`, what `count` tells of the steps, and the choices in words."""

from __future__ import annotations

import json
import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

import manipula as mp
from manipula import api
from manipula.algebra.expr.provenance import Answered
from manipula.cli import optimisation
from manipula.cli.app import app
from manipula.generation import formulations, levels
from manipula.generation.cache import entries
from manipula.generation.counts import PUBLISHED
from manipula.generation.prepare import Formulation, Request, prepare
from manipula.mechanics.models.entry import FIELD
from manipula.pages.formulation_text import choices_in_words
from tests.golden.sentences import Sentences

QUICK = ("--moves", "2000")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MANIPULA_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MANIPULA_CACHE", str(tmp_path / "cache"))


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def done(*arguments: str) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def as_json(*arguments: str) -> Any:
    return json.loads(done(*arguments, "--json"))


# optimise


@pytest.mark.turn
def test_counts_before_and_after_choices_and_proof() -> None:
    text = done("optimise", "planar2r", "-m", "gravity", *QUICK)
    lines = [line.split() for line in text.splitlines() if line.startswith(("none", "fast", "found"))]
    levels = {line[0]: int(line[4]) for line in lines}
    assert levels["none"] == api.generate("planar2r", "gravity", optimise="none").cost.total
    assert levels["fast"] == api.generate("planar2r", "gravity").cost.total
    assert levels["found"] <= levels["fast"] < levels["none"]
    assert "every link frame lies on its joint" in text
    assert "proof: identical to the plain model" in text
    assert "Not remembered" in text  # the cache is off


@pytest.fixture
def dear(monkeypatch: pytest.MonkeyPatch) -> None:
    """A quick level that finds next to nothing, so that a short search gains something; a whole one takes a second."""

    def plain(request: Any, effort: Any, start: Any = None) -> Any:
        return levels.build_function(request, request.plain("newton-euler"))

    monkeypatch.setattr(levels, "level_fast", plain)
    monkeypatch.setitem(levels.LEVELS, "fast", plain)
    monkeypatch.setattr(levels, "MOVES_EACH", 2_000)
    monkeypatch.setattr(formulations, "TRIALS", 20)


@pytest.mark.turn
@pytest.mark.usefixtures("cache", "dear")
def test_a_short_search_is_remembered_as_such_and_gone_on_with() -> None:
    text = " ".join(done("optimise", "planar2r", "-m", "gravity", *QUICK).split())
    assert "search: limited" in text
    assert (
        "Remembered, but cut short by its limit: manipula generate planar2r -m gravity --optimise max goes on" in text
    )
    found = as_json("optimise", "planar2r", "-m", "gravity", *QUICK)["models"][0]
    assert not found["finished"]
    made = as_json("generate", "planar2r", "-m", "gravity", "--optimise", "max")["models"][0]
    assert made["cost"]["total"] <= found["best_known"] < api.generate("planar2r", "gravity").cost.total
    again = as_json("optimise", "planar2r", "-m", "gravity", *QUICK)["models"][0]
    assert again["finished"] and again["remembered"] and again["best_known"] == made["cost"]["total"]
    assert "Remembered: manipula generate planar2r -m gravity" in done("optimise", "planar2r", "-m", "gravity", *QUICK)


@pytest.mark.turn
@pytest.mark.usefixtures("cache")
def test_a_short_search_that_gains_nothing_is_told() -> None:
    text = " ".join(done("optimise", "planar2r", "-m", "gravity", *QUICK).split())
    assert "Not remembered: the search was cut short by its limit before it found less than the default level" in text
    assert api.best_known("planar2r", "gravity") is None


@pytest.mark.usefixtures("cache", "dear")
def test_an_interrupted_search_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C at the first number that the screen shows; the number is kept."""
    shown: list[str] = []
    right = optimisation._progress_on_spinner

    def pressing(tell: Any) -> Any:
        def press(step: str) -> None:
            if not shown and step[0].isdigit():
                shown.append(step.split(maxsplit=1)[0])
                signal.raise_signal(signal.SIGINT)
            right(tell)(step)

        return press

    monkeypatch.setattr(optimisation, "_progress_on_spinner", pressing)
    monkeypatch.setattr(formulations, "TRIALS", 1_000)
    text = " ".join(done("optimise", "stanford3", "-m", "inverse_dynamics").split())
    command = "manipula generate stanford3 -m inverse_dynamics --optimise max"
    assert f"Remembered, but interrupted: {command} goes on from here" in text
    known = api.best_known("stanford3", "inverse_dynamics")
    assert known is not None and known.cost.total == int(shown[0])


@pytest.mark.turn
def test_a_record_is_taken_unless_a_search_is_asked_for() -> None:
    total = next(entry.total for entry in entries() if (entry.robot, entry.model) == ("puma560_symbolic", "pose"))
    taken = as_json("optimise", "puma560_symbolic", "-m", "pose", *QUICK)["models"][0]
    assert taken["counts"]["found"]["total"] == taken["best_known"] == total
    sought = as_json("optimise", "puma560_symbolic", "-m", "pose", "--search", *QUICK)["models"][0]
    assert sought["best_known"] == min(total, sought["counts"]["found"]["total"])


@pytest.mark.usefixtures("cache")
def test_a_dearer_result_is_told_from_the_known_one(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = api.generate("planar2r", "gravity", optimise="none", method="newton-euler")
    known = api.generate("planar2r", "gravity")
    monkeypatch.setattr(api, "optimise", lambda *given, **options: plain)
    monkeypatch.setattr(api, "best_known", lambda *given, **options: known)
    assert "is known already" in done("optimise", "planar2r", "-m", "gravity", "--search", *QUICK)


@pytest.mark.turn
def test_a_cheaper_result_that_cannot_be_kept_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = api.generate("planar2r", "gravity", optimise="none", method="newton-euler")
    monkeypatch.setattr(api, "best_known", lambda *given, **options: plain)
    assert "Not remembered" in done("optimise", "planar2r", "-m", "gravity", "--search", *QUICK)


@pytest.mark.turn
def test_a_price_has_an_answer_of_its_own() -> None:
    classical = api.optimise("rp", "inverse_dynamics", moves=1_000_000)
    few = api.optimise("rp", "inverse_dynamics", moves=1_000_000, price="multiplications")
    assert few.cost.mul <= classical.cost.mul
    assert classical.cost.total <= few.cost.total


def test_several_models_and_their_json() -> None:
    told = as_json("optimise", "rp", "-m", "gravity,inertia_matrix", "--parameters", "full", *QUICK)
    assert [model["model"] for model in told["models"]] == ["gravity", "inertia_matrix"]
    assert told["parameters"] == "full"
    assert all(model["proof"] for model in told["models"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--moves", "0"), "--moves 0"),
        (("--seconds", "-1"), "--seconds -1"),
        (("--price", "gold"), "Known: classical, multiplications, fused, latency"),
        (("--parameters", "some"), "Known: full, base"),
        (("-m", "poses"), "no model is called 'poses'"),
    ],
)
def test_mistakes_are_told_in_one_line(arguments: tuple[str, ...], words: str, whole: Sentences) -> None:
    result = run("optimise", "planar2r", *arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1
    whole.compare(result.stderr)


@pytest.mark.skipif(os.name == "nt", reason="signals of another kind")
def test_the_first_ctrl_c_ends_the_search_and_the_second_the_command() -> None:
    before = signal.getsignal(signal.SIGINT)
    with optimisation._interruptible() as stop:
        assert not stop()
        signal.raise_signal(signal.SIGINT)
        assert stop()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.turn
def test_a_stopped_search_keeps_a_proved_function() -> None:
    pressed = threading.Event()

    def tell(step: str) -> None:
        pressed.set()  # at the first word of the search

    found = api.optimise("rx90", "gravity", tell=tell, stop=pressed.is_set)
    assert pressed.is_set()
    assert found.provenance.proof
    assert found.cost.total <= api.generate("rx90", "gravity").cost.total


# --parameters


@pytest.mark.turn
def test_full_and_base_parameters() -> None:
    full, base = (as_json("generate", "rx90", "--parameters", kind)["models"][0] for kind in ("full", "base"))
    assert base["cost"]["total"] < full["cost"]["total"]
    assert "masses: regrouped" in base["method"]
    assert "masses" not in full["method"]


@pytest.mark.turn
def test_equations_take_the_parameter_set() -> None:
    full, base = (as_json("equations", "rx90", "gravity", "--parameters", kind) for kind in ("full", "base"))
    assert base["cost"]["total"] < full["cost"]["total"]
    assert "Known: full, base" in run("equations", "planar2r", "gravity", "--parameters", "some").stderr


@pytest.mark.turn
def test_count_takes_the_parameter_set() -> None:
    full, base = (as_json("count", "rx90", "-m", "gravity", "--parameters", kind) for kind in ("full", "base"))
    assert sum(step["usual"] for step in base["steps"]) < sum(step["usual"] for step in full["steps"])


# count


@pytest.mark.turn
def test_count_tells_what_each_step_saves() -> None:
    told = as_json("count", "puma560_symbolic", "-m", "pose")
    steps = {step["method"]: step for step in told["steps"]}
    rows = {row["method"]: row for row in told["rows"]}
    assert steps.keys() == rows.keys()
    for method, step in steps.items():
        assert step["plain"] == rows[method]["total"]
        assert step["passes"] <= min(step["plain"], step["usual"])
    assert steps["merged"]["published"][0]["total"] == 81
    known = [step["known"] for step in steps.values() if step["known"] is not None]
    assert known == [api.generate("puma560_symbolic", "pose", optimise="max").cost.total]


@pytest.mark.turn
def test_count_prints_published_figures_with_their_sources() -> None:
    text = done("count", "puma560_symbolic", "--ways")
    assert "What each step saves" in text
    assert "81 [1]" in text
    assert "[1] J. V. Lopes da Silva, dissertation, UNICAMP 1990" in text
    assert "published" not in done("count", "planar2r", "-m", "gravity")


def test_published_figures_are_of_robots_models_and_methods_that_exist() -> None:
    for figure in PUBLISHED:
        assert figure.robot in mp.robots()
        assert figure.model in mp.models()
        assert figure.method in ("", *mp.methods(figure.model))
        assert figure.total > 0


# explain


def test_every_choice_has_words() -> None:
    for robot in ("puma560_symbolic", "stanford3"):
        request = prepare(Request(mp.load(robot), "inverse_dynamics"))
        for question in request.questions(FIELD):
            for answer in question.answers[1:]:
                words = Formulation(FIELD, ((question.topic, answer),)).words
                assert choices_in_words(words) != [f"{question.topic}: {answer}"]


def test_links_with_the_same_choice_stand_together() -> None:
    answers = [Answered("share", 2, "run"), Answered("share", 3, "run"), Answered("frames", 0, "joints")]
    lines = choices_in_words([*answers, Answered("taste", 2, "sweet")])
    assert len(lines) == 3
    assert lines[0].startswith("links 2, 3: ")
    assert lines[2] == "taste 2: sweet"


def test_explain_lists_the_choices() -> None:
    lines = mp.generate("puma560_symbolic", "inverse_dynamics").explain().splitlines()
    assert "method: acceleration-field" in lines
    assert "  - every link frame lies on its joint" in lines
    plain = mp.generate("planar2r", "gravity", optimise="none", method="newton-euler").explain()
    assert "  - " not in plain
