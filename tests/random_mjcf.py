"""Random arms as MuJoCo XML: every way to write an orientation, several joints a body, classes, frames, sites."""

from __future__ import annotations

from typing import Any

import numpy as np

SEQUENCES = ("xyz", "zyx", "XYZ", "zXz", "YZx")


class RandomMjcf:
    """One file. `joints` are those from the world to the site "tip"; fingers hang beside them."""

    def __init__(self, seed: int, fingers: int = 1) -> None:
        self.rng = np.random.default_rng(seed)
        self.degrees = bool(seed % 2)
        self.joints: list[str] = []
        bodies = int(self.rng.integers(1, 5))
        inner = "".join(map(self.finger, range(1, fingers + 1))) + f'<site name="tip" {self.place()}/>'
        for number in range(bodies, 0, -1):
            inner = self.body(number, inner, moves=number == bodies or self.rng.random() < 0.8)
        self.joints.reverse()
        self.text = f"""<mujoco model="random{seed}">
  <compiler angle="{"degree" if self.degrees else "radian"}" eulerseq="{self.one_of(SEQUENCES)}"/>
  <option gravity="{self.numbers(3, 5)}"/>
  <default><joint damping="0.3" armature="0.02"/>
    <default class="light"><joint armature="0.01"/><site pos="0.1 0.2 0.3"/>
      <default class="lighter"><joint damping="0.05"/></default></default></default>
  <worldbody><body name="pedestal" {self.place()}>{inner}</body></worldbody>
</mujoco>"""

    def one_of(self, choices: Any) -> Any:
        return choices[int(self.rng.integers(len(choices)))]

    def numbers(self, count: int, size: float = 1.0) -> str:
        return " ".join(f"{x:.6f}" for x in self.rng.normal(size=count) * size)

    def angle(self) -> float:
        return float(self.rng.uniform(-180, 180) if self.degrees else self.rng.uniform(-np.pi, np.pi))

    def place(self) -> str:
        turns = {
            "quat": self.numbers(4),
            "axisangle": f"{self.numbers(3)} {self.angle():.6f}",
            "euler": " ".join(f"{self.angle():.6f}" for _ in range(3)),
            "xyaxes": self.numbers(6),
            "zaxis": self.one_of([self.numbers(3), "0 0 -2", "0 0 3"]),
            "": "",
        }
        way = self.one_of(list(turns))
        return f'pos="{self.numbers(3, 0.4)}"' + (f' {way}="{turns[way]}"' if way else "")

    def inertial(self) -> str:
        spread = self.rng.normal(size=(3, 3))
        tensor = np.eye(3) * 0.6 + 0.02 * (spread @ spread.T)
        if self.rng.random() < 0.5:
            entries = " ".join(f"{tensor[i, j]:.9f}" for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
            return (
                f'<inertial pos="{self.numbers(3, 0.1)}" mass="{self.rng.uniform(1, 3):.5f}" fullinertia="{entries}"/>'
            )
        diagonal = " ".join(f"{x:.9f}" for x in np.linalg.eigvalsh(tensor))
        return f'<inertial {self.place()} mass="{self.rng.uniform(1, 3):.5f}" diaginertia="{diagonal}"/>'

    def joint(self, name: str) -> str:
        said = [f'name="{name}"', f'type="{self.one_of(["hinge", "slide"])}"']
        said += [f'axis="{self.one_of([self.numbers(3), "0 0 1", "0 -1 0", "1 0 0"])}"']
        for share, text in ((0.5, f'pos="{self.numbers(3, 0.3)}"'), (0.4, f'ref="{self.angle() / 9:.6f}"')):
            said += [text] if self.rng.random() < share else []
        said += [self.one_of(["", 'class="light"', 'class="lighter"', 'armature="0.3"', 'damping="1.5"'])]
        return f"<joint {' '.join(said)}/>"

    def body(self, number: int, inner: str, moves: bool) -> str:
        names = [f"j{number}{letter}" for letter in "abc"[: int(self.rng.integers(1, 4)) if moves else 0]]
        self.joints += reversed(names)
        joints = "".join(self.joint(name) for name in names)
        childclass = self.one_of(["", 'childclass="light"'])
        held = f'<body name="b{number}" {self.place()} {childclass}>{joints}{self.inertial()}{inner}</body>'
        return f"<frame {self.place()}>{held}</frame>" if self.rng.random() < 0.3 else held

    def finger(self, number: int) -> str:
        return (
            f'<body name="finger{number}" {self.place()}>'
            f'<joint name="grip{number}" type="slide" axis="0 1 0" range="-1 1"/>'
            f'{self.inertial()}<body name="nail{number}" {self.place()}>{self.inertial()}</body></body>'
        )
