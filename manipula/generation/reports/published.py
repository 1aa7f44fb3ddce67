"""Operation counts of others, for robots of the library: data, each with its source."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

LOPES = "J. V. Lopes da Silva, dissertation, UNICAMP 1990; operations of the parameters alone are included"
SYMORO = "OpenSYMORO with base parameters, measured with the same counter"
SYMPYBOTICS = "SymPyBotics, measured with the same counter"


@dataclass(frozen=True)
class Published:
    """A figure for a robot's model; without a method it stands for the model, however derived."""

    robot: str
    model: str
    total: int
    source: str
    method: str = ""

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


PUBLISHED = (
    Published("puma560_symbolic", "pose", 106, LOPES, "forward"),
    Published("puma560_symbolic", "pose", 107, LOPES, "forward-cross"),
    Published("puma560_symbolic", "pose", 104, LOPES, "backward"),
    Published("puma560_symbolic", "pose", 93, LOPES, "backward-cross"),
    Published("puma560_symbolic", "pose", 81, LOPES, "merged"),
    Published("puma560_symbolic", "pose", 69 + 36, SYMPYBOTICS),
    Published("puma560_symbolic", "lagrange_terms", 961 + 543 + 189, LOPES, "lagrange-megahed"),
    Published("stanford3", "lagrange_terms", 304, LOPES, "lagrange-megahed"),
    Published("rx90", "inverse_dynamics", 287 + 226, SYMORO),
    Published("rx90", "inertia_matrix", 195 + 133, SYMORO),
    Published("rx90", "gravity", 50 + 28, SYMORO),
    Published("rx90", "pose", 56 + 25, SYMORO),
    Published("rx90", "base_regressor", 548 + 339, SYMPYBOTICS),
)


def published(robot: str, model: str, method: str = "") -> list[Published]:
    """The figures for a method, or those for the model however derived."""
    return [x for x in PUBLISHED if (x.robot, x.model, x.method) == (robot, model, method)]
