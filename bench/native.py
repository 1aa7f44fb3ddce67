"""Speed of the compiled models beside other libraries, all in one run: `python bench/native.py [robot …]`.

Times are the best of interleaved short samples: on a busy machine compare the ratios. "one call" is native code called
through a pointer; "Python" is one plain call on numpy arrays; "batch" is 100,000 configurations from Python. The worst
error is relative to the largest result, over 10,000 random states, against extended precision (and mpmath on some).
Instructions are counted by callgrind for the emitted C, where there are a compiler and valgrind.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from shutil import which
from typing import Any

import mpmath
import numpy as np
from clock import Loop, best_seconds, repeated
from generation import chain
from peers import COMPILER, DERIVED, PLAIN, CasadiCode, Pinocchio, casadi, pinocchio

import manipula as mp
from manipula.algebra.expr.evaluate import ARRAYS, MPMATH
from manipula.algebra.run.compiled import Compiled

MODELS = [*PLAIN, *DERIVED]
ROWS, STATES, CHECKED = 100_000, 10_000, 20


def state_of(model: Compiled, rows: int | None = None) -> list[Any]:
    random = np.random.default_rng(1)
    lead = () if rows is None else (rows,)
    return [random.uniform(-3, 3, size=(*lead, *port.shape)) for port in model.inputs]


def worst_error(made: mp.Model, model: Compiled) -> float:
    """Largest error over the largest result, all states."""
    given = state_of(model, STATES)
    results = model(*given) if len(model.outputs) > 1 else (model(*given),)
    names = [port.name for port in model.inputs]
    wide = {name: list(np.moveaxis(x, -1, 0).astype(np.longdouble)) for name, x in zip(names, given)}
    worst = 0.0
    with np.errstate(all="ignore"):
        truth = made.tape.evaluate(wide, ARRAYS)
    for port, got in zip(model.outputs, results):
        columns = np.stack([np.broadcast_to(x, STATES) for x in truth[port.name]], -1)
        scale = np.abs(columns).max(axis=1, keepdims=True)
        scale[scale == 0] = 1
        worst = max(worst, float((np.abs(got.reshape(STATES, -1) - columns) / scale).max()))
    return max(worst, _worst_by_mpmath(made, model, given, results))


def _worst_by_mpmath(made: mp.Model, model: Compiled, given: list[Any], results: Any) -> float:
    """The function itself, its constants unrounded, on a few states."""
    symbols = [name for port in made.function.inputs for name in port.names]
    worst = 0.0
    with mpmath.workdps(40):
        for i in range(CHECKED):
            values = dict(zip(symbols, (mpmath.mpf(x) for row in given for x in row[i].tolist())))
            truth = made.function(values, MPMATH)
            for port, got in zip(model.outputs, results):
                exact, mine = truth[port.name], got[i].ravel().tolist()
                scale = max(map(abs, exact)) or 1
                worst = max(worst, float(max(abs(a - b) for a, b in zip(mine, exact)) / scale))
    return worst


def native(model: Compiled) -> Any:
    """One configuration through a pointer, as a C program would call it."""
    state = state_of(model)
    outputs = [np.empty(port.shape) for port in model.outputs]
    places = [x.ctypes.data for x in state] + [0] + [x.ctypes.data for x in outputs]
    run = Loop(len(places)).of(model._kernel.address_of_one, *places)  # type: ignore[attr-defined]

    def kept(count: int, alive: Any = (state, outputs, model)) -> None:
        run(count)

    return kept


def instructions(made: mp.Model) -> int | None:
    """Per call of the emitted C, counted by callgrind."""
    if not COMPILER or not which("valgrind"):
        return None
    name, calls = made.function.name, 100
    with tempfile.TemporaryDirectory() as folder:
        made.emit("c", folder)
        sizes = [len(port.names) for port in made.function.inputs]
        outs = [max(1, int(np.prod(shape))) for shape in made.outputs.values()]
        arrays = [f"static double x{i}[{n}];" for i, n in enumerate(sizes)]
        arrays += [f"static double y{i}[{n}];" for i, n in enumerate(outs)]
        fill = [f"for (int k = 0; k < {n}; ++k) x{i}[k] = 0.1 * (k + {i} + 1);" for i, n in enumerate(sizes)]
        given = ", ".join([*(f"x{i}" for i in range(len(sizes))), *(f"y{i}" for i in range(len(outs)))])
        body = f"{' '.join(fill)} for (int i = 0; i < {calls}; ++i) {name}({given}); return 0;"
        main = f'#include "{name}.h"\n{" ".join(arrays)}\nint main(void) {{ {body} }}\n'
        Path(folder, "main.c").write_text(main)
        build = [str(COMPILER), "-std=c99", "-O3", "-mavx2", "-mfma", "main.c", f"{name}.c", "-lm", "-o", "main"]
        count = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--toggle-collect={name}", "./main"]
        try:
            subprocess.run(build, cwd=folder, check=True, capture_output=True)
            told = subprocess.run(count, cwd=folder, check=True, capture_output=True, text=True).stderr
        except (subprocess.CalledProcessError, OSError):
            return None
    found = re.search(r"Collected : (\d+)", told)
    return int(found[1]) // calls if found else None


def table(title: str, head: list[str], rows: list[list[str]]) -> None:
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    print(f"\n{title}")
    for row in [head, *rows]:
        print("  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths))))


def ns(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1e9:.0f}" if seconds > 1e-7 else f"{seconds * 1e9:.1f}"


def ratio(mine: float, theirs: float | None) -> str:
    return "-" if theirs is None else f"{mine / theirs:.2g}"


def measure(name: str) -> None:
    robot = mp.load(name).without("friction", "motor_inertia")
    arm = mp.Arm(robot)
    made = {model: mp.generate(robot, model) for model in MODELS}
    code = CasadiCode(robot, MODELS) if casadi and COMPILER else None
    peer = Pinocchio(robot) if pinocchio else None
    _one_call(name, arm, made, code)
    _from_python(name, arm, peer)
    _batch(name, arm, peer)


def _one_call(name: str, arm: mp.Arm, made: dict[str, mp.Model], code: CasadiCode | None) -> None:
    rows, loop = [], Loop(5)
    for model in MODELS:
        f = arm.model(model)
        contenders = {"ours": native(f)}
        if code:
            contenders["casadi"] = code.runner(model, loop, _three(arm.dof))
        spent = best_seconds(contenders)
        mine, theirs, count = spent["ours"], spent.get("casadi"), instructions(made[model])
        if theirs is not None:
            RATIOS.setdefault(name, {})[model] = mine / theirs
        cost = made[model].cost
        error = f"{worst_error(made[model], f):.1e}"
        rows.append([model, str(cost.total), ns(mine), ns(theirs), ratio(mine, theirs), str(count or "-"), error])
    head = ["model", "ops", "LLVM ns", "CasADi C ns", "ratio", "C instructions", "worst error"]
    table(f"{name}: one call, native", head, rows)


def _three(dof: int) -> list[Any]:
    return list(np.random.default_rng(1).uniform(-3, 3, size=(3, dof)))


def _from_python(name: str, arm: mp.Arm, peer: Pinocchio | None) -> None:
    rows = []
    state = _three(arm.dof)
    theirs = peer.calls(*state) if peer else {}
    for model in MODELS:
        call, given = getattr(arm, model), state[: len(arm.model(model).inputs)]
        contenders = {"ours": _plain_loop(call, given)}
        if model in theirs:
            contenders["pinocchio"] = repeated(theirs[model])
        spent = best_seconds(contenders)
        mine, other = spent["ours"], spent.get("pinocchio")
        rows.append([model, ns(mine), ns(other), ratio(mine, other)])
    table(f"{name}: one plain call from Python", ["model", "ours ns", "Pinocchio ns", "ratio"], rows)


def _plain_loop(call: Any, given: list[Any]) -> Any:
    """The call as a user writes it, with its names looked up; one or two or three arguments."""
    names = ", ".join(f"x{i}" for i in range(len(given)))
    scope = {"call": call, **{f"x{i}": x for i, x in enumerate(given)}}
    exec(f"def run(count, call=call):\n    for _ in range(count):\n        call({names})", scope)
    return scope["run"]


def _batch(name: str, arm: mp.Arm, peer: Pinocchio | None) -> None:
    given = list(np.random.default_rng(2).uniform(-3, 3, size=(3, ROWS, arm.dof)))
    out = np.empty((ROWS, arm.dof))
    short = mp.generate(arm.robot, "inverse_dynamics").compile(dtype="float32")
    small, small_out = [x.astype(np.float32) for x in given], np.empty((ROWS, arm.dof), dtype=np.float32)
    contenders = {
        "one thread": lambda: arm.inverse_dynamics(*given),
        "one thread, out=": lambda: arm.inverse_dynamics(*given, out=out),
        "two threads, out=": lambda: arm.inverse_dynamics(*given, out=out, threads=2),
        "float32, out=": lambda: short(*small, out=small_out),
    }
    if peer:
        contenders |= {f"Pinocchio, {k} threads": peer.batch(k, *given) for k in (1, 2)}
    spent = {key: value / ROWS for key, value in best_seconds({k: repeated(f) for k, f in contenders.items()}).items()}
    reference = spent.get("Pinocchio, 2 threads")
    rows = [[key, ns(value), ratio(value, reference)] for key, value in spent.items()]
    table(f"{name}: inverse dynamics of {ROWS} configurations, each", ["", "ns", "of Pinocchio's two threads"], rows)


def scaling() -> None:
    """General chains: the cost of a joint should not depend on how many there are."""
    rows, first = [], 0.0
    for joints in (6, 12, 24, 48):
        robot = chain(joints)
        made = mp.generate(robot, "inverse_dynamics")
        contenders = {"ours": native(made.compile())}
        if pinocchio:
            contenders["pinocchio"] = repeated(Pinocchio(robot).calls(*_three(joints))["inverse_dynamics"])
        spent = best_seconds(contenders)
        each = spent["ours"] / joints
        first = first or each
        theirs = spent.get("pinocchio")
        rows.append([str(joints), ns(spent["ours"]), ns(each), f"{each / first:.2f}", str(made.cost.total), ns(theirs)])
    head = ["joints", "ns", "ns a joint", "of 6 joints'", "ops", "Pinocchio from Python ns"]
    table("general chains: inverse dynamics, one call, native", head, rows)


RATIOS: dict[str, dict[str, float]] = {}  # robot → model → our time over CasADi's


def plot(path: Path) -> None:
    """Bars of the ratios, where matplotlib is at hand."""
    try:
        from matplotlib import pyplot
    except ImportError:
        return
    figure, axes = pyplot.subplots(figsize=(8, 4), layout="constrained")
    for k, (robot, ratios) in enumerate(RATIOS.items()):
        places = [i + 0.4 * k for i in range(len(ratios))]
        axes.barh(places, list(ratios.values()), height=0.38, label=robot)
        axes.set_yticks(places, list(ratios))
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlabel("time of one call, of C generated by CasADi")
    axes.legend()
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path)
    print(f"\nplot: {path}")


if __name__ == "__main__":
    for robot_name in sys.argv[1:] or ["puma560", "panda"]:
        measure(robot_name)
    if any(RATIOS.values()):
        plot(Path("out", "bench.svg"))
    if not sys.argv[1:]:
        scaling()
