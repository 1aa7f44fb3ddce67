"""A picture of the last run, from what the other files kept in out/bench: python bench/plot.py [file]"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from native import MOST, ROBOTS
from tables import OUT

COLOURS = {"puma560": "#3b6ea8", "panda": "#d08c3c"}


def kept(name: str) -> Any:
    path = OUT / f"{name}.json"
    return json.loads(path.read_text()) if path.exists() else None


def ratios(robot: str) -> dict[str, float]:
    """model → our time over that of the fastest CasADi form."""
    found = {}
    for model, spent in (kept(f"native-{robot}") or {}).items():
        forms = [time for name, time in spent.items() if name.startswith(f"{model}_")]
        if forms:
            found[model] = spent["LLVM"] / min(forms)
    return found


def bars(axes: Any) -> None:
    models = list(MOST)
    for k, robot in enumerate(ROBOTS):
        found = ratios(robot)
        places = [i + 0.38 * k for i, model in enumerate(models) if model in found]
        values = [found[model] for model in models if model in found]
        drawn = axes.barh(places, values, height=0.36, label=robot, color=COLOURS[robot])
        axes.bar_label(drawn, fmt="%.2f", padding=3, fontsize=8)
    for i, model in enumerate(models):
        axes.plot([MOST[model]] * 2, [i - 0.25, i + 0.63], color="black", linewidth=1.2)
    axes.set_yticks([i + 0.19 for i in range(len(models))], [model.replace("_", " ") for model in models])
    axes.invert_yaxis()
    axes.set_xlim(0, 1)
    axes.set_xlabel("time of one call / best C generated with CasADi (black: the limit)")
    axes.legend(loc="lower right")


def chains(axes: Any) -> None:
    spent = kept("chains")
    if not spent:
        axes.set_axis_off()
        return
    joints = sorted(map(int, spent))
    names = dict.fromkeys(name for count in joints for name in spent[str(count)])
    for name in names:
        values = [spent[str(count)][name] / count * 1e9 for count in joints]
        heavy = 2.5 if name == "ours" else 1.2
        axes.plot(joints, values, marker="o", linewidth=heavy, label="manipula" if name == "ours" else name)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(joints, [str(count) for count in joints])
    axes.set_xlabel("joints of a random chain")
    axes.set_ylabel("ns a joint, inverse dynamics, one call")
    axes.grid(alpha=0.3, which="both")
    axes.legend()


def draw(path: Path) -> None:
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        print("no plot: no Python package matplotlib")
        return
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(12, 5), layout="constrained", width_ratios=[1.5, 1])
    bars(left)
    chains(right)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    print(f"plot: {path}")


if __name__ == "__main__":
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else OUT / "bench.png")
