"""One call of native code beside the peers, all in one run: python bench/native.py [--quick] [robot …]

Times are the best of interleaved short samples over 64 states: on a busy machine compare the ratios. "LLVM" is what
Python runs, "C" the emitted C compiled like the peers' by `cc -O3 -march=native`; "best CasADi C" is the fastest of the
known forms (`forms.py`). Errors are relative to the largest result of a state, over 10,000 states (`precision.py`).
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from clock import Loop, best_seconds, states
from joints import joints_of
from libraries import COMPILER, FAST, Library, Missing, available, built
from peers import MODELS, CasadiCode
from precision import worst_errors
from tables import RATIOS, claim, machine, ns, ratio, save, table

import manipula as mp

ROBOTS = ("puma560", "panda")
MOST = {  # of the best generated C
    "inverse_dynamics": 0.70, "frames": 0.75, "jacobian": 0.75, "gravity": 0.75, "inertia_matrix": 0.75,
    "forward_dynamics": 0.75, "regressor": 0.75,
    "inverse_dynamics_derivatives": 0.70, "forward_dynamics_derivatives": 0.70,
}  # fmt: skip
Runs = dict[str, Any]


def bare(name: str) -> mp.Robot:
    """As the other libraries have it."""
    return mp.load(name).without("friction", "motor_inertia")


def llvm(f: Any, state: Any) -> Any:
    """The function of one configuration, by its address."""
    outputs = [np.empty(port.shape) for port in f.outputs]
    results = [x.ctypes.data for x in outputs]
    rows = [[*(x[k].ctypes.data for x in state[: len(f.inputs)]), 0, *results] for k in range(state.shape[1])]
    return Loop(len(rows[0])).of(f.address_of_one, rows, state, outputs, f)


def emitted(models: Mapping[str, mp.Model], flags: tuple[str, ...]) -> Path:
    """Our C, compiled, in the drivers' convention."""
    with tempfile.TemporaryDirectory() as folder:
        main, sources = Path(folder, "emitted.c"), []
        for model, made in models.items():
            made.emit("c", Path(folder, model))
            sources.append(next(p for p in Path(folder, model).glob("*.c") if not p.stem.endswith("_test")))
        headers = [f'#include "{model}/{source.stem}.h"' for model, source in zip(models, sources)]
        shims = [_shim(model, made, source.stem) for (model, made), source in zip(models.items(), sources)]
        main.write_text("\n".join([*headers, *shims]))
        return built(COMPILER, [main, *sources], [*flags, "-lm"])


def _shim(model: str, made: mp.Model, name: str) -> str:
    sizes = [max(1, int(np.prod(shape))) for shape in made.outputs.values()]
    given = ", ".join([*("q", "v", "a")[: len(made.inputs)], *(f"out + {sum(sizes[:i])}" for i in range(len(sizes)))])
    return (
        f"void {model}(void *arm, const double *q, const double *v, const double *a, double *out)"
        f" {{ (void)arm; (void)v; (void)a; {name}({given}); }}"
    )


def libraries(robot: mp.Robot, folder: Path) -> dict[str, Library]:
    """The installed C++ libraries, on this arm."""
    found = {}
    for name, path in available().items():
        own = folder / name
        own.mkdir()
        try:
            found[name] = Library(path, joints_of(robot), own)
        except Missing as reason:
            print(f"left out: {name} on {robot.name}: {reason}")
    return found


class Contest:
    """All that is compared on one arm."""

    def __init__(self, name: str, folder: Path) -> None:
        print(f"generating the models of {name}, and C of them …", flush=True)
        self.name, self.robot = name, bare(name)
        self.arm, joints = mp.Arm(self.robot), joints_of(self.robot)
        self.made = {model: mp.generate(self.robot, model) for model in MODELS}
        self.state = states(self.robot.dof)
        self.libraries = libraries(self.robot, folder)
        self.casadi: CasadiCode | None = None
        self.generated: dict[str, Library] = {}
        try:
            self.generated["C"] = Library(emitted(self.made, FAST), joints, folder)
            self.casadi = CasadiCode(self.robot, joints, MODELS)
            self.generated["CasADi"] = Library(self.casadi.library(FAST), joints, folder)
        except Missing as reason:
            print(f"generated C left out: {reason}")

    def runs(self, model: str) -> Runs:
        runs: Runs = {"LLVM": llvm(self.arm.model(model), self.state)}
        if "C" in self.generated:
            runs["C"] = self.generated["C"].runner(model, self.state)
        for way in self.casadi.names(model) if self.casadi and "CasADi" in self.generated else ():
            runs[way] = self.generated["CasADi"].runner(way, self.state)
        runs |= {name: library.runner(model, self.state) for name, library in self.libraries.items()}
        return {name: run for name, run in runs.items() if run is not None}

    def agree(self) -> list[str]:
        """Which peers compute other torques than we do."""
        state = self.state[:, 0]
        mine = np.asarray(self.arm.inverse_dynamics(*state))
        found = {name: library.value("inverse_dynamics", state, len(mine)) for name, library in self.libraries.items()}
        if self.casadi and "CasADi" in self.generated:
            for way in self.casadi.names("inverse_dynamics"):
                found[way] = self.generated["CasADi"].value(way, state, len(mine))
        return [
            name for name, tau in found.items() if not np.allclose(tau, mine, rtol=1e-9, atol=1e-9 * abs(mine).max())
        ]


def one_call(contest: Contest, count: int) -> None:
    peers = list(contest.libraries)
    head = ["model", "ops", "LLVM ns", "C ns", "best CasADi C ns", "form", "ratio", *peers, "best of these"]
    rows, found = [], {}
    for model in MODELS:
        spent = best_seconds(contest.runs(model))
        forms = {way.removeprefix(f"{model}_"): t for way, t in spent.items() if way.startswith(model)}
        way = min(forms, key=lambda way: forms[way]) if forms else "-"
        mine, best = spent["LLVM"], forms.get(way)
        theirs = [spent[name] for name in peers if name in spent]
        if best is not None:
            RATIOS.setdefault(contest.name, {})[model] = mine / best
            claim(f"{contest.name}: {model}, one call, of the best generated C", mine / best, MOST[model])
        cells = [model, str(contest.made[model].cost.total), ns(mine), ns(spent.get("C")), ns(best), way]
        cells += [ratio(mine, best), *(ns(spent.get(name)) for name in peers)]
        rows.append([*cells, ratio(mine, min(theirs)) if theirs else "-"])
        found[model] = {"operations": contest.made[model].cost.total, **spent}
    table(f"{contest.name}: one call, native", head, rows)
    odd = contest.agree()
    print(f"torques agree with ours to 9 digits{f', but for {chr(44).join(odd)}' if odd else ''}")
    save(f"native-{contest.name}", found)
    _errors(contest, count)


def _errors(contest: Contest, count: int) -> None:
    rows = []
    for model in MODELS:
        mine, casadi = worst_errors(contest.robot, model, count)
        rows.append([model, f"{mine:.1e}", f"{casadi:.1e}"])
    table(f"{contest.name}: worst relative error of {count} states", ["model", "ours", "plain, double precision"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="*", default=ROBOTS)
    parser.add_argument("--quick", action="store_true", help="errors over 500 states")
    options = parser.parse_args()
    print(machine())
    for name in options.robots:
        with tempfile.TemporaryDirectory() as folder:
            one_call(Contest(name, Path(folder)), 500 if options.quick else 10_000)


if __name__ == "__main__":
    main()
