"""`demo`: the main job, on robots of the library, in one or two screens."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manipula import api
from manipula.cli.terminal.command import command
from manipula.cli.terminal.screen import Data, progress, say, say_json, say_prose, say_table
from manipula.messages import Message
from manipula.support.progress import Tell

if TYPE_CHECKING:
    from manipula import Model, Run

# Lopes da Silva, dissertation, UNICAMP 1990: operations of the PUMA 560, with and without auxiliary equations
PUBLISHED_WAYS = {
    "forward": (106, 282),
    "forward-cross": (107, 1780),
    "backward": (104, 208),
    "backward-cross": (93, 398),
    "merged": (81, 148),
}
PUBLISHED_LAGRANGE = {"lagrange-megahed": 1693}
CALL = {"q": (0.1, 0.5, -0.3, 0.2, 0.4, 0.0), "qd": (0.5, -0.2, 0.4, 0.0, 0.1, 0.3), "qdd": (1.0,) * 6}


@dataclass(frozen=True)
class _Show:
    """Everything the demonstration found."""

    closed: Model
    ways: Sequence[Any]
    dynamics: Sequence[Any]
    torques: Sequence[Model]
    code: Model
    files: list[Path]
    selftest: str
    tau: list[float]
    position: list[float]
    run: Run


@command()
def demo(*, output: Path = Path("out") / "demo", as_json: bool = False) -> None:
    """Show what manipula does, on built-in robots, in a few seconds.

    \b
    Examples:
      manipula demo
      manipula demo -o /tmp/puma

    Args:
        output (-o): Where the C files go.
    """
    with progress("working") as tell:
        found = _find_models(output, tell)
    if as_json:
        say_json(_as_json(found))
        return
    _say_closed_form(found)
    _say_counts(found)
    _say_code(found)
    _say_call(found)
    _say_run(found)


def _find_models(output: Path, tell: Tell) -> _Show:
    from manipula.arm import Arm

    puma = api.load("puma560_symbolic")
    closed = api.generate("planar2r", "inverse_dynamics", tell=tell)
    ways = api.count(puma, ["pose"], tell=tell)
    dynamics = api.count(puma, ["lagrange_terms"], tell=tell)
    plain = api.generate(puma, "inverse_dynamics", method="newton-euler", optimise="none", tell=tell)
    best = api.generate(puma, "inverse_dynamics", tell=tell)
    code = api.generate("puma560", "inverse_dynamics", tell=tell)
    files = code.emit("c", output)
    tell("compiling the C files")
    arm = Arm("puma560")
    tau = arm.inverse_dynamics(CALL["q"], CALL["qd"], CALL["qdd"])
    position = arm.pose(CALL["q"])[:3, 3]
    tested, moved = selftest(files), _simulate_payload(tell)
    return _Show(closed, ways, dynamics, (plain, best), code, files, tested, tau.tolist(), position.tolist(), moved)


def _simulate_payload(tell: Tell) -> Run:
    """A small arm with a payload that its law does not know."""
    from manipula import Plant, trajectory

    arm = api.load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    law = api.controller(arm, "computed_torque", kp=400, kd=40, sample=1e-3, tell=tell)
    plant = Plant(arm.with_payload(0.5), effort=None)
    return api.simulate(plant, law, trajectory.quintic([0, 0], [1.0, -0.8], 1.0), tell=tell)


def selftest(files: Sequence[Path]) -> str:
    """Compiles the C files and runs their test, where there is a compiler; one sentence."""
    compiler = next((name for name in ("cc", "gcc", "clang") if shutil.which(name)), None)
    if compiler is None:
        return "no C compiler here, so the self-test was not run"
    sources = [path for path in files if path.suffix == ".c"]
    program = sources[0].parent / ("selftest.exe" if sys.platform == "win32" else "selftest")
    flags = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-pedantic"]
    words = [compiler, *flags, "-o", str(program), *map(str, sources), "-lm"]
    built = subprocess.run(words, capture_output=True, text=True, check=False)
    if built.returncode:
        return Message("{compiler} FAILED: {stderr}", compiler, built.stderr.strip())
    ran = subprocess.run([str(program.resolve())], capture_output=True, text=True, check=False)
    if ran.returncode:
        return Message("compiled by {compiler} without a warning; its self-test FAILED", compiler)
    return Message("compiled by {compiler} without a warning; its self-test passed", compiler)


def _head(text: str) -> None:
    say_prose(text, "bold cyan")
    say()


def _say_closed_form(found: _Show) -> None:
    _head("1. A planar two-link arm: from a table of two rows to its torques (library robot planar2r)")
    style = "unicode" if sys.stdout.isatty() else "text"
    say(str(found.closed.equations("factored", style)))
    say()


def _say_counts(found: _Show) -> None:
    table = api.tables(api.load("puma560_symbolic"))[0]
    _head("2. The PUMA 560, every parameter a symbol (library robot puma560_symbolic)")
    say_table("", table.columns, table.rows)
    say()
    _head("3. What its models cost: multiplications and additions, beside the published ones")
    columns = ("model", "method", "here", "1990", "written out", "1990", "sin/cos")
    say_table("", columns, list(_count_cells(found)), right=range(2, len(columns)), caption=(
        "here: with auxiliary equations, operations of the parameters alone included, as the source counts; "
        "written out: without auxiliary equations. 1990: Lopes da Silva, dissertation, UNICAMP 1990, whose 208 and 398 "
        "leave out every product before a parenthesis: counted so, ours are the same."
    ))  # fmt: skip
    say_prose("Each row was proved equal to the plain model before it was counted.", "green")
    say()


def _count_cells(found: _Show) -> Iterator[tuple[str, ...]]:
    for row in found.ways:
        shared, written = map(str, PUBLISHED_WAYS.get(row.method, ("", "")))
        total = str(row.total + row.offline)
        yield ("pose", row.method, total, shared, str(row.substituted), written, str(row.trig))
    for row in found.dynamics:
        published = str(PUBLISHED_LAGRANGE.get(row.method, ""))
        yield ("Lagrange terms", row.method, str(row.total + row.offline), published, "", "", str(row.trig))
    for model in found.torques:
        yield ("torques", model.provenance.method, str(model.cost.grand_total), "", "", "", str(model.cost.trig))


def _say_code(found: _Show) -> None:
    _head(Message("4. The numeric PUMA 560 with motors and friction, as C: {cost}", found.code.cost))
    for path in found.files:
        say(Message("  {path}", path))
    say_prose(Message("  proof: {proof}", found.code.provenance.proof), "green")
    say_prose(Message("  {path}", found.selftest), "bold red" if "FAILED" in found.selftest else "green")
    say()


def _say_call(found: _Show) -> None:
    _head("5. The same from Python, at native speed")
    say('  arm = manipula.Arm("puma560")')
    for name, unit in (("q", "rad"), ("qd", "rad/s"), ("qdd", "rad/s²")):
        say(Message("  {name:<3} = {call}  {unit}", name, list(CALL[name]), unit))
    say(Message("  arm.pose(q)[:3, 3]                = [{numbers}]  m", _numbers(found.position)))
    say(Message("  arm.inverse_dynamics(q, qd, qdd)  =\n    [{numbers}]  N·m", _numbers(found.tau)))
    say()


def _say_run(found: _Show) -> None:
    from manipula.pages.page import STATIC

    _head("6. The two-link arm in time: computed torque, and half a kilogram in the hand that it does not know of")
    error, torque = (max(row[key] for row in found.run.peaks()) for key in ("error", "torque"))
    say_prose(Message("  largest error {error:.2g} rad, largest torque {torque:.3g} N·m, energy balance {balance:.1e}",
                      error, torque, found.run.balance))  # fmt: skip
    say()
    say_prose(
        "Next: manipula robots, manipula show puma560, manipula check puma560, manipula new my_arm --joints RRR", "dim"
    )
    # a wheel has the page, a fresh checkout has still to build it
    built = (STATIC / "studio").exists()
    say_prose("To see it move: manipula studio" if built else "To see it move: make studio", "dim")


def _numbers(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.4g}" for value in values)


def _as_json(found: _Show) -> Data:
    return {
        "planar2r": str(found.closed.equations("factored", "text")).splitlines(),
        "ways": [row.as_dict() for row in found.ways],
        "dynamics": [row.as_dict() for row in found.dynamics],
        "torques": [{"method": model.provenance.method, "cost": model.cost.as_dict()} for model in found.torques],
        "published": {"ways": PUBLISHED_WAYS, "lagrange": PUBLISHED_LAGRANGE},
        "proof": found.code.provenance.proof,
        "files": list(map(str, found.files)),
        "selftest": found.selftest,
        "call": {**CALL, "tau_Nm": found.tau, "position_m": found.position},
        "run": {"peaks": found.run.peaks(), "balance": found.run.balance},
    }
