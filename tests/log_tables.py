"""Tables of recordings as loggers write them: a motion that can be told, as text."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import manipula as mp

N = 60  # rows


def arm(names: list[str]) -> mp.Robot:
    rows = [{"name": x, "type": "prismatic" if x == "d2" else "revolute", "theta": 0, "d": 0, "a": 1, "alpha": 0}
            for x in names]  # fmt: skip
    return mp.Robot.from_dh(rows, convention="standard")


def motion(n: int, t: np.ndarray | None = None) -> dict[str, np.ndarray]:
    t = np.round(0.01 * np.arange(N), 6) if t is None else t
    phase = np.arange(n) + 1.0
    w = 3.0 + np.arange(n)
    q = 0.6 * np.sin(w * t[:, None] + phase)
    qd = 0.6 * w * np.cos(w * t[:, None] + phase)
    return {"t": t, "q": q, "qd": qd, "qdd": -(w**2) * q, "tau": 5 * q + 2 * np.cos(7 * t[:, None] + phase)}


def table(columns: dict[str, np.ndarray], separator: str = ",", decimal: str = ".") -> str:
    rows = [separator.join(columns)]
    for row in np.stack(list(columns.values()), axis=1).tolist():
        rows.append(separator.join(repr(x).replace(".", decimal) for x in row))
    return "\n".join(rows) + "\n"


def plain_columns(data: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    found = {"t": data["t"]}
    for name in ("q", "qd", "tau"):
        if name in data:
            found |= {f"{name}{j + 1}": data[name][:, j] for j in range(data[name].shape[1])}
    return found


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path
