"""The page of an identification in its words: verdict, advice, tables and pictures."""

from __future__ import annotations

import hashlib
from html import unescape
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import manipula as mp
from manipula.identification import report
from manipula.identification.data import Grams
from manipula.identification.fit.errors import Errors, Judged
from manipula.identification.fit.result import Row, Table

ROBOT = mp.load("planar2r")


def row(name: str, value: float, sigma: float, family: str = "inertial", prior: float | None = None) -> Row:
    return Row(name, value, sigma, prior, "kg", family)


def result(**changed: Any) -> Any:
    errors = Errors(3.0, 2.0, (3.0, 3.0))
    base = Table([row("m1", 2.0, 0.1), row("m2", 1.0, 0.1)])
    plain = {
        "method": "entropic", "prior": "robot", "filter": (), "correlation": 4.256, "train": errors, "validation": (),
        "choices": (), "blocks": (), "warnings": (), "theta": np.zeros(7), "base_parameters": base, "parameters": base,
        "consistent": True, "extra": {}, "validation_data": (), "data": SimpleNamespace(robot=ROBOT, notes=()),
    }  # fmt: skip
    return SimpleNamespace(**plain | changed)


@pytest.mark.parametrize(
    "error, use", [(0.0, "control"), (4.99, "control"), (5.0, "simulation"), (14.99, "simulation"), (15.0, "poor")]
)
def test_the_verdict_says_what_a_model_is_good_for(error: float, use: str) -> None:
    """By the worst recording that was kept apart, where there is one."""
    alone = report.verdict(result(train=Errors(error, 0.0, ())))[1]
    assert alone.startswith(f"The model predicts {100 - error:.1f} % of the torque on the recordings of the fit (error")
    several = [Errors(x, 0.0, ()) for x in (error, 0.5 * error)]
    judged = report.verdict(result(train=Errors(99.0, 0.0, ()), validation=several))[1]
    assert judged.startswith(f"The model predicts {100 - error:.1f} % of the torque on recordings kept apart (error")
    for said in (alone, judged):
        assert f"(error {error:.2f} %)" in said
        assert said.partition("): ")[2].rstrip(".").split()[-1] == use


def test_a_prediction_worse_than_nothing_predicts_nothing() -> None:
    assert "predicts 0.0 % of the torque" in report.verdict(result(train=Errors(250.0, 0.0, ())))[1]


@pytest.mark.parametrize("count", [0, 1, 6, 7])
def test_the_verdict_counts_what_is_known_and_names_the_rest(count: int) -> None:
    """Known: to a tenth of itself; not identifiable: no better than to its own size, the worst first."""
    weak = [row(f"x{k}", -1.0, 1.0 + k) for k in range(count)]
    rows = [row("a", 2.0, 0.19), row("b", -2.0, 0.19), row("c", 2.0, 0.2), *weak]
    said = report.verdict(result(base_parameters=Table(rows), consistent=count > 1))
    assert said[0].startswith(f"2 of {3 + count} base parameters are known to 10 % or better; every body is ")
    assert said[0].endswith("is physically consistent." if count > 1 else "is NOT physically consistent.")
    names = ", ".join(f"x{k}" for k in range(count - 1, -1, -1)[:6]) + (f" and {count - 6} more" if count > 6 else "")
    assert said[2:-1] == ([f"Not identifiable from these motions ({count}): {names}."] if count else [])


def test_advice_follows_from_the_errors() -> None:
    weak = Table([row("a", 1.0, 2.0)])

    def advice(**changed: Any) -> str:
        return report.verdict(result(**changed))[-1]

    near, far = (Errors(6.0, 0.0, ()),), (Errors(1.0, 0.0, ()), Errors(6.1, 0.0, ()))
    assert advice(doubtful=True).startswith("Next: settle the first warning")
    assert advice().startswith("Next: record another motion and judge on it")
    assert advice(validation=near) == "Next: use found.robot (--out)."
    assert advice(validation=near, base_parameters=weak).startswith("Next: mp.excite(robot, after=found)")
    assert "does not show what the other one needs" in advice(validation=far)
    assert advice(validation=far, blocks=(1.0, 3.1)) == "Next: use found.robot (--out)."


def test_the_summary_names_method_prior_and_what_no_file_holds() -> None:
    said = report._summary(result())
    assert said.startswith("7 parameters by the method entropic, under the prior “robot”; the result is physically")
    assert "correlated over 4.26 samples" in said and not said.endswith("}")
    said = report._summary(result(prior=None, consistent=False, extra={"ks1": 1.0, "gain2": 2.0}))
    assert "without a prior; the result is NOT physically consistent" in said
    assert said.endswith(" A robot file has no word for ks1, gain2.")


def cells(html: str) -> list[list[str]]:
    rows = html.split("<tr")[1:]
    return [
        [unescape(cell.partition(">")[2].partition("</t")[0]) for cell in line.replace("<th", "<td").split("<td")[1:]]
        for line in rows
    ]


def motion(source: str, count: int, cutoff: float | None) -> Any:
    smoother = SimpleNamespace(rate=500.0, cutoff=cutoff, step=2)
    t = np.arange(count) / 500.0
    kept = slice(None, None, 2)
    return SimpleNamespace(source=source, t=t, smoother=smoother, kept=kept, qd=np.zeros((count, 2)), __len__=None)


class Recorded(SimpleNamespace):
    def __len__(self) -> int:
        return len(self.t)


def recording(*sources: str) -> Any:
    motions = [
        Recorded(**vars(motion(source, 11 + k, None if k else 12.3456)))
        for k, source in enumerate(sources)
    ]  # fmt: skip
    return SimpleNamespace(
        robot=ROBOT, rows=ROBOT.joint_names, notes=("repaired", "as before"), source=SimpleNamespace(motions=motions)
    )


def test_recordings_are_listed_with_their_files(tmp_path: Path) -> None:
    file = tmp_path / "one.csv"
    file.write_bytes(b"t,q1\n")
    digest = hashlib.sha256(b"t,q1\n").hexdigest()[:12]
    found = result(data=recording(str(file), "gone.csv"), validation_data=(recording(""), recording("b.npz", "b.npz")))
    heads, *lines = cells(report._stretches(found))
    assert heads == ["recordings", "file", "SHA-256", "stretch", "seconds", "samples", "Hz", "rows kept", "cut-off Hz"]
    assert lines == [
        ["training", "one.csv", digest, "1", "0.02", "11", "500", "6", "12.3"],
        ["training", "gone.csv", "", "2", "0.022", "12", "500", "6", "none"],
        ["validation 1", "", "", "1", "0.02", "11", "500", "6", "12.3"],
        ["validation 2", "b.npz", "", "1", "0.02", "11", "500", "6", "12.3"],
        ["validation 2", "b.npz", "", "2", "0.022", "12", "500", "6", "none"],
    ]
    assert [report._files(data) for _, data in report._uses(found)] == ["one.csv, gone.csv", "", "b.npz"]
    assert [use for use, _ in report._uses(result(validation_data=(1,)))] == ["training", "validation"]


def test_errors_have_a_column_for_every_judge() -> None:
    def errors(first: float) -> Errors:
        return Errors(first, first + 1, (first + 2, float("nan")), first + 3)

    rows = [Judged(0, "filter of the fit", errors(10), errors(20)), Judged(1, "raw torque", errors(30), errors(40))]
    found = result(data=recording("a.csv"), validation_data=(recording("b.csv"),), comparison=lambda: rows)
    heads, *lines = cells(report._errors(found))
    assert heads == ["error %", "training, filtered", "least squares", "validation, raw", "least squares"]
    assert lines == [
        ["recordings", "a.csv", "", "", ""],
        ["whole", "10.00", "20.00", "30.00", "40.00"],
        ["moving", "11.00", "21.00", "31.00", "41.00"],
        ["at rest", "13.00", "23.00", "33.00", "43.00"],
        [ROBOT.joint_names[0], "12.00", "22.00", "32.00", "42.00"],
        [ROBOT.joint_names[1], "", "", "", ""],
    ]


def test_notes_families_blocks_and_parameters() -> None:
    found = result(filter=("low", "low", "high"), data=recording("a"), validation_data=(recording("b"),))
    (notes,) = report._notes(found)
    assert notes == "<ul>" + "".join(
        f"<li>{x}</li>" for x in ("filter: low", "filter: high", "repaired", "as before")
    ) + "</ul>"  # fmt: skip
    assert report._notes(result()) == []
    choices = [
        SimpleNamespace(family="stribeck", before=3.14159, error=2.5, blocks=0.875, taken=True),
        SimpleNamespace(family="cogging", before=2.5, error=2.6, blocks=0.25, taken=False),
    ]
    assert cells(report._choices(result(choices=choices)))[1:] == [
        ["stribeck", "3.142", "2.500", "88 %", "taken"], ["cogging", "2.500", "2.600", "25 %", ""]
    ]  # fmt: skip
    assert report._choices(result()) == "" and report._blocks(result()) == []
    (blocks,) = report._blocks(result(blocks=(1.234, 5.678)))
    assert cells(blocks) == [["block of time", "1", "2"], ["error when left out %", "1.23", "5.68"]]
    rows = [row("m1", 1.23456789, 0.12345, prior=1.98765), row("m2", -2.0, np.inf)]
    assert cells(report._parameters("", rows))[1:] == [
        ["m1", "1.2346", "0.12", "1.988", "kg", "inertial"], ["m2", "-2", "unknown", "", "kg", "inertial"]
    ]  # fmt: skip


def test_families_and_verdict_are_parts_of_the_page() -> None:
    """Sections in their order; that of families where there is something to say of it."""
    found = result(data=recording("a"), comparison=list, warnings=("mind & this",), blocks=(1.0,))
    found.data.fit = Grams(np.ones((1, 2, 3, 3)), np.ones((1, 2), np.int64))
    found.data.torques = found.data.predict = None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report, "_courses", lambda use, data, theta: [f"<i>{use}</i>"])
        whole = report.report_of(found)
        plain = report.report_of(result(data=found.data, comparison=list))
    parts = ["Verdict", "mind &amp; this", "Errors", "Recordings", "training", "Families of columns", "Conditioning",
             "Base parameters", "Parameters"]  # fmt: skip
    assert [part for part in parts if f">{part}<" in whole] == parts
    assert f"{ROBOT.name}: identified from recordings" in whole and "<svg" in whole
    assert "Families of columns" not in plain


# pictures


def course(paces: tuple[float, ...], lengths: tuple[int, ...]) -> report.Course:
    rng = np.random.default_rng(1)
    rows = sum(lengths)
    data: Any = SimpleNamespace(
        torques=[rng.normal(size=(n, 2)) for n in lengths],
        predict=lambda theta: [np.full((n, 2), float(theta[0])) for n in lengths],
        times=[5.0 + np.arange(n) / pace for n, pace in zip(lengths, paces)],
        source=SimpleNamespace(
            motions=[
                SimpleNamespace(
                    smoother=SimpleNamespace(rate=4 * pace, step=4), qd=np.arange(8.0 * n).reshape(-1, 2),
                    kept=slice(None, None, 4),
                )
                for n, pace in zip(lengths, paces)
            ]
        ),
    )  # fmt: skip
    found = report.course_of(data, np.array([0.25]))
    assert len(found.clock) == rows
    np.testing.assert_array_equal(found.measured, np.concatenate(data.torques))
    np.testing.assert_array_equal(found.residual, found.measured - 0.25)
    np.testing.assert_array_equal(found.velocity[: lengths[0]], np.arange(8.0 * lengths[0]).reshape(-1, 2)[::4])
    return found


def test_the_clock_runs_on_from_stretch_to_stretch() -> None:
    found = course((100.0, 50.0, 50.0), (4, 3, 2))
    np.testing.assert_allclose(found.clock, [0, 0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.10, 0.12], atol=1e-12)
    assert [pace for pace, _ in found.stretches] == [100.0, 50.0, 50.0]
    np.testing.assert_array_equal(np.concatenate([x for _, x in found.stretches]), found.residual)


def test_a_sine_has_its_amplitude_at_its_frequency() -> None:
    """In the longest stretch, whatever its mean."""
    t = np.arange(1000) / 200.0
    sine = 3.0 + 0.7 * np.sin(2 * np.pi * 25.0 * t)[:, None] * [0.0, 1.0]
    made = report.Course(t, sine, 0 * sine, sine, [(50.0, sine[:100] * 9), (200.0, sine)])
    hertz, size = report.spectrum(made, 1, bins=10_000)
    assert len(hertz) == 500 and hertz[0] == pytest.approx(0.2) and hertz[-1] == pytest.approx(100.0)
    assert hertz[np.argmax(size)] == pytest.approx(25.0)
    assert size.max() == pytest.approx(0.7, rel=0.01)
    few, means = report.spectrum(made, 1, bins=20)
    assert len(few) == 20 and few[0] == pytest.approx(np.mean(hertz[:25]))
    np.testing.assert_allclose(means, [np.sqrt((part**2).mean()) for part in np.array_split(size, 20)], rtol=1e-12)
    assert report.spectrum(made, 0)[1].max() < 1e-12


@pytest.mark.parametrize("turns", [True, False])
def test_pictures_have_units_of_turning_or_sliding(turns: bool) -> None:
    found = course((100.0,), (40,))
    force, length = ("torque [N·m]", "rad") if turns else ("force [N]", "m")
    chart = report._torque(found, 1, "elbow", turns)
    assert (chart.title, chart.x_label, chart.y_label) == ("elbow", "time [s]", force)
    assert [(line.name, line.dashed, line.colour) for line in chart.lines] == [
        ("measured", False, 0), ("predicted", True, 1), ("residual", False, 2)
    ]  # fmt: skip
    for line, values in zip(chart.lines, (found.measured, found.predicted, found.residual)):
        np.testing.assert_array_equal(line.y, values[:, 1])
    chart = report._against(found, 1, "elbow", turns)
    assert (chart.title, chart.x_label, chart.y_label) == ("elbow", f"velocity [{length}/s]", force)
    assert chart.lines[0].dots and chart.lines[0].y == found.residual[:, 1].tolist()
    assert list(chart.x) == found.velocity[:, 1].tolist()
    chart = report._spectrum(found, 1, "elbow", turns)
    assert (chart.x_label, chart.y_label) == ("frequency [Hz]", f"log₁₀ amplitude [{'N·m' if turns else 'N'}]")
    np.testing.assert_allclose(10 ** np.array(chart.lines[0].y), report.spectrum(found, 1)[1], rtol=1e-9)


def test_how_well_parameters_are_known_by_family() -> None:
    shown: list[Any] = []
    rows = [row("m1", -2.0, 0.02), row("m2", 4.0, 40.0), row("fv1", 1.0, 1.0, "viscous"), row("x", 0.0, 1.0),
            row("y", 1.0, np.inf), row("z", 1.0, 0.0, "coulomb")]  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report, "charts", lambda charts: shown.extend(charts) or "")
        assert "Above 0" in report._bars(result(parameters=Table(rows)))
        assert report._bars(result(parameters=Table(rows[3:5]))) == ""
    assert [chart.title for chart in shown] == ["inertial: m1 … m2", "viscous: fv1", "coulomb: z"]
    assert [list(chart.x) for chart in shown] == [[1.0, 2.0], [1.0], [1.0]]
    assert [chart.lines[0].y for chart in shown] == [pytest.approx([-2.0, 1.0]), [0.0], [-12.0]]
    assert all(chart.lines[0].dots for chart in shown)


@pytest.mark.parametrize("small", [1.0, 1e-4, 1e-14])
def test_directions_that_recordings_see(small: float) -> None:
    """Columns of any length, at angles whose singular values are known: cos ± between two of them."""
    cosine = 1 - small
    Y = np.array([[1.0, cosine, 0.0], [0.0, np.sqrt(1 - cosine**2), 0.0]]) * [3.0, 0.1, 5.0]
    whole = np.zeros((2, 1, 4, 4))
    whole[:, 0, :3, :3] = 0.5 * Y.T @ Y
    data: Any = SimpleNamespace(fit=Grams(whole, np.ones((2, 1), np.int64)), robot=ROBOT)
    values = report.singular_values(data)
    np.testing.assert_allclose(values, np.sqrt([1 + cosine, max(small, 0.0)]), atol=1e-7)
    text = report._condition_paragraphs(result(data=data, theta=np.zeros(3)))[0]
    count = 1 if small < 1e-12 else 2
    assert f"{count} of 3 directions are seen" in text
    condition = values[0] / values[count - 1]
    assert f"the condition number of these is {condition:.3g}." in text
    none = Grams(np.zeros((1, 1, 4, 4)), np.ones((1, 1), np.int64))
    assert "No column is felt." in report._condition_paragraphs(result(data=SimpleNamespace(fit=none)))[0]


# tables of parameters


def test_a_table_of_parameters_is_found_by_name_and_printed() -> None:
    rows = [row("m1", 1.23456789, 0.123, prior=1.5), row("a_long_name", -2.0, np.inf)]
    table = Table(rows)
    assert str(table).splitlines() == [
        "parameter          value    ± sigma        prior  unit",
        "m1                1.2346       0.12          1.5  kg",
        "a_long_name           -2    unknown               kg",
    ]
    assert table["m1"] is rows[0] and table[1] is rows[1] and table[-1] is rows[1] and len(table) == 2
    assert "m1" in table and rows[1] in table and "m2" not in table
    assert table.names == ("m1", "a_long_name") and table.values.tolist() == [1.23456789, -2.0]
    assert table.sigmas.tolist() == [0.123, np.inf]
    assert repr(table) == "<table of 2 parameters: m1, a_long_name>"
    assert repr(Table([row(f"x{k}", 1, 1) for k in range(7)])).endswith("7 parameters: x0, x1, x2, x3, x4, x5, …>")
    assert repr(Table([row(f"x{k}", 1, 1) for k in range(6)])).endswith(": x0, x1, x2, x3, x4, x5>")
    assert cells(table._repr_html_())[-1] == ["a_long_name", "-2", "unknown", "", "kg"]
    with pytest.raises(mp.UnknownNameError, match="m9"):
        table["m9"]
    assert table.as_dict()[0] | {"sigma": 0} == {
        "name": "m1", "value": 1.23456789, "sigma": 0, "prior": 1.5, "unit": "kg", "family": "inertial"
    }  # fmt: skip
    assert row("a", -1.0, 0.99).is_identified and not row("a", -1.0, 1.0).is_identified
