"""Linkages by their points: every joint frame is parallel to the base where the linkage is drawn, so that all loops
close at q = 0, exactly. Sizes, masses, the plane, senses of axes and offsets along them are drawn."""

from __future__ import annotations

import random
from collections.abc import Sequence
from math import cos, pi, sin

import manipula as mp

Point = tuple[float, float, float]


class Linkage:
    """The text of a robot file, joint by joint."""

    def __init__(self, name: str, seed: int = 0, tilted: bool = True) -> None:
        self.rng, self.name = random.Random(seed), name
        self.at: dict[str, Point] = {"base": (0.0, 0.0, 0.0)}
        self.parts: list[str] = []
        self.driven: list[str] = []
        turn = [round(self.rng.uniform(-1, 1), 3) if tilted else 0 for _ in range(3)]
        self.head = f'format=1\nname="{name}"\nconvention="urdf"\nangle="rad"\n[base]\nrpy={turn}\n'

    def point(self, x: float, y: float, spread: float = 0.04, z: float = 0.1) -> Point:
        """Near there, at some height."""
        draw = self.rng.uniform
        return round(x + draw(-spread, spread), 4), round(y + draw(-spread, spread), 4), round(draw(-z, z), 4)

    def joint(
        self, name: str, parent: str, at: Point, kind: str = "revolute", axis: Sequence[float] = (0, 0, 1),
        motor: bool = False, mass: bool = True, coordinate: str = "",
    ) -> str:  # fmt: skip
        draw, old = self.rng.uniform, self.at[parent]
        self.at[name] = at
        xyz = [round(x - y, 12) for x, y in zip(at, old)]
        sense = self.rng.choice((1, -1)) if not coordinate else 1
        com = [round(draw(-0.1, 0.2), 3) for _ in range(3)]
        d = [round(draw(0.01, 0.02), 4) for _ in range(3)]
        off = [round(draw(-0.002, 0.002), 5) for _ in range(3)]
        body = (
            f"mass={round(draw(0.5, 2), 3)}\ncom={com}\n"
            f"inertia={{xx={d[0]},yy={d[1]},zz={d[2]},xy={off[0]},xz={off[1]},yz={off[2]}}}\n"
            if mass else "mass=0\ncom=[0,0,0]\ninertia={xx=0,yy=0,zz=0,xy=0,xz=0,yz=0}\n"
        )  # fmt: skip
        self.parts.append(
            f'[[joint]]\nname="{name}"\ntype="{kind}"\nparent="{parent}"\nxyz={xyz}\naxis={list(axis)}\n{body}'
            + (f'coordinate="{coordinate}"\n' if coordinate else "direction=-1\n" if sense < 0 else "")
            + (f"friction={{viscous={round(draw(0, 0.3), 3)}}}\n" if not coordinate else "")
        )
        self.driven += [name] if motor else []
        return name

    def loop(self, name: str, first: str, second: str, at: Point, free: str = "z") -> None:
        ends = []
        for side, on in (("a", first), ("b", second)):
            xyz = [round(x - y, 12) for x, y in zip(at, self.at[on])]
            self.parts.append(f'[[frame]]\nname="{name}_{side}"\non="{on}"\nxyz={xyz}\n')
            ends.append(f"{name}_{side}")
        self.parts.append(f'[[loop]]\nname="{name}"\njoins=["{ends[0]}","{ends[1]}"]\nfree="{free}"\n')

    def text(self) -> str:
        names = ", ".join(f'"{name}"' for name in self.driven)
        return f"{self.head}[motors]\ndrive=[{names}]\n{''.join(self.parts)}"

    def robot(self, exact: bool = False) -> mp.Robot:
        """`exact`: a parallelogram stays a loop."""
        return mp.Robot.from_text(self.text(), exact=exact)


def four_bar(seed: int = 0, free: str = "z") -> mp.Robot:
    x = Linkage("fourbar", seed)
    O, A, B, C = x.point(0, 0), x.point(0.05, 0.2), x.point(0.45, 0.35), x.point(0.4, 0)
    x.joint("crank", "base", O, motor=True)
    x.joint("coupler", "crank", A)
    x.joint("rocker", "base", C)
    x.loop("pin", "coupler", "rocker", B, free)
    return x.robot()


def five_bar(seed: int = 0, free: str = "z") -> mp.Robot:
    x = Linkage("fivebar", seed)
    O, A, B, C, D = (x.point(*p) for p in ((0, 0), (-0.15, 0.2), (0.15, 0.5), (0.5, 0.25), (0.3, 0)))
    x.joint("left", "base", O, motor=True)
    x.joint("left_rod", "left", A)
    x.joint("right", "base", D, motor=True)
    x.joint("right_rod", "right", C)
    x.loop("tip", "left_rod", "right_rod", B, free)
    return x.robot()


def slider_crank(seed: int = 0, cut: str = "pin") -> mp.Robot:
    """Cut at the pin between rod and slider, or at the slide itself."""
    x = Linkage("slidercrank", seed)
    O, A, B = x.point(0, 0), x.point(0.1, 0.15), x.point(0.55, 0.05)
    x.joint("crank", "base", O, motor=True)
    x.joint("rod", "crank", A)
    if cut == "pin":
        x.joint("slider", "base", B, "prismatic", axis=(1, 0, 0))
        x.loop("pin", "rod", "slider", B)
    else:
        x.joint("block", "rod", B)
        x.at["rail"] = (0.2, B[1], B[2])
        x.parts.append(f'[[frame]]\nname="rail"\non="base"\nxyz=[0.2,{B[1]},{B[2]}]\n')
        x.parts.append('[[loop]]\nname="rail"\njoins=["rail","block"]\nfree="slide x"\n')
    return x.robot()


def six_bar(seed: int = 0) -> mp.Robot:
    x = Linkage("sixbar", seed)
    O, A, B, C, D = (x.point(*p) for p in ((0, 0), (0, 0.2), (0.4, 0.35), (0.4, 0), (0.25, 0.6)))
    E, F = x.point(0.75, 0.55), x.point(0.8, 0.05)
    x.joint("crank", "base", O, motor=True)
    x.joint("plate", "crank", A)
    x.joint("rod", "plate", D)
    x.joint("rocker", "base", C)
    x.joint("lever", "base", F)
    x.loop("b", "plate", "rocker", B)
    x.loop("e", "rod", "lever", E)
    return x.robot()


def straight_line(seed: int = 0, places: int = 12) -> mp.Robot:
    """Peaucellier's: seven bars and one motor. With few places the line is only nearly straight."""
    x, draw = Linkage("peaucellier", seed), random.Random(seed).uniform
    foot, angle, long = draw(0.15, 0.25), draw(0.2, 0.6), draw(0.65, 0.75)
    end = complex(foot * (1 + cos(angle)), foot * sin(angle))
    side = long - abs(end) * draw(0.6, 0.85)
    along = (abs(end) ** 2 + long**2 - side**2) / (2 * abs(end))
    rise = end / abs(end) * complex(0, (long**2 - along**2) ** 0.5)
    upper, lower = end / abs(end) * along + rise, end / abs(end) * along - rise
    P, B, D, C = ((round(z.real, places), round(z.imag, places), 0.0) for z in (end, upper, lower, upper + lower - end))
    x.joint("crank", "base", (foot, 0.0, 0.0), motor=True)
    for name, on, at in (("pb", "crank", P), ("pd", "crank", P), ("ob", "base", (0.0, 0.0, 0.0)),
                         ("od", "base", (0.0, 0.0, 0.0)), ("bc", "ob", B), ("dc", "od", D)):  # fmt: skip
        x.joint(name, on, at)
    x.loop("b", "pb", "ob", B)
    x.loop("d", "pd", "od", D)
    x.loop("c", "bc", "dc", C)
    return x.robot()


def three_cranks(seed: int = 0, exact: bool = True) -> mp.Robot:
    """Three parallel cranks on one coupler: the third is redundant, and only where the loops close."""
    x = Linkage("locomotive", seed)
    feet = [(0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.7, 0.1, 0.0)]
    up = (0.06, 0.2, 0.0)
    pins = [tuple(round(a + b, 6) for a, b in zip(foot, up)) for foot in feet]
    for i, foot in enumerate(feet, 1):
        x.joint(f"crank{i}", "base", foot, motor=i == 1)
        if i == 1:
            x.joint("coupler", "crank1", pins[0])  # type: ignore[arg-type]
    for i in (2, 3):
        x.loop(f"pin{i}", "coupler", f"crank{i}", pins[i - 1])  # type: ignore[arg-type]
    return x.robot(exact)


def delta(seed: int = 0) -> mp.Robot:
    """Its parallelograms as couplings: the platform keeps its orientation. Branches follow each other whole, as
    Pinocchio wants them."""
    x = Linkage("delta", seed, tilted=False)
    tips: list[Point] = []
    for i in range(3):
        phi = 2 * pi * i / 3 + x.rng.uniform(-0.1, 0.1)
        u, across = _leg(phi)
        elbow = round(0.42 * u[0], 12), round(0.42 * u[1], 12), -0.1
        x.joint(f"m{i}", "base", (round(0.2 * u[0], 12), round(0.2 * u[1], 12), 0.0), axis=across, motor=True)
        x.joint(f"e{i}", f"m{i}", elbow, axis=across)
        x.joint(f"s{i}", f"e{i}", elbow, axis=u)
        tips.append((round(0.06 * u[0], 12), round(0.06 * u[1], 12), -0.55))
        if i == 0:
            # a coordinate counts along its joint's sense
            m, e, s = (-1 if "direction=-1" in row else 1 for row in x.parts)
            x.joint("u", "s0", tips[0], axis=u, coordinate=f"{-s}*s0")
            x.joint("platform", "u", tips[0], axis=across, coordinate=f"{-m}*m0 + {-e}*e0")
    for i in (1, 2):
        x.loop(f"rod{i}", "platform", f"s{i}", tips[i], "ball")
    return x.robot()


def delta_of_rods(seed: int = 0) -> mp.Robot:
    """Six rods with universal joints above and balls below: nothing but the rods keeps the platform level."""
    x = Linkage("rods", seed, tilted=False)
    ends: list[tuple[str, Point]] = []
    for i, side in ((i, side) for i in range(3) for side in (-1, 1)):
        u, across = _leg(2 * pi * i / 3)
        if side < 0:
            x.joint(f"m{i}", "base", (round(0.2 * u[0], 12), round(0.2 * u[1], 12), 0.0), axis=across, motor=True)
        (ex, ey), (tx, ty) = ([round(r * a + 0.05 * side * b, 12) for a, b in zip(u[:2], across)] for r in (0.42, 0.06))
        name = f"{i}{'ab'[side > 0]}"
        x.joint(f"e{name}", f"m{i}", (ex, ey, -0.1), axis=across, mass=False)
        x.joint(f"s{name}", f"e{name}", (ex, ey, -0.1), axis=u)
        ends.append((f"s{name}", (tx, ty, -0.55)))
        for k, axis in enumerate(((1, 0, 0), (0, 1, 0), (0, 0, 1))) if len(ends) == 1 else ():
            x.joint(f"b{k}", f"b{k - 1}" if k else ends[0][0], ends[0][1], axis=axis, mass=k == 2)
    for on, there in ends[1:]:
        x.loop(f"ball_{on}", "b2", on, there, "ball")
    return x.robot()


def stewart(seed: int = 0) -> mp.Robot:
    """Six legs that slide, universal joints below and balls above; the first leg carries the platform."""
    x = Linkage("stewart", seed, tilted=False)
    feet: list[tuple[str, Point]] = []
    for i in range(6):
        low, high = (
            (2 * pi * i / 6 + 0.2 * (-1) ** i),
            (2 * pi * (i + (-1) ** i * 0.7) / 6 + x.rng.uniform(-0.05, 0.05)),
        )
        foot = (round(0.5 * cos(low), 12), round(0.5 * sin(low), 12), 0.0)
        head = (round(0.3 * cos(high), 12), round(0.3 * sin(high), 12), 0.6)
        along = [round(b - a, 12) for a, b in zip(foot, head)]
        x.joint(f"a{i}", "base", foot, axis=(1, 0, 0), mass=False)
        x.joint(f"b{i}", f"a{i}", foot, axis=(0, 1, 0))
        x.joint(f"leg{i}", f"b{i}", foot, "prismatic", axis=along, motor=True)
        feet.append((f"leg{i}", head))
        for k, axis in enumerate(((1, 0, 0), (0, 1, 0), (0, 0, 1))) if i == 0 else ():
            x.joint(f"p{k}", f"p{k - 1}" if k else "leg0", head, axis=axis, mass=k == 2)
    for on, head in feet[1:]:
        x.loop(f"ball_{on}", "p2", on, head, "ball")
    return x.robot()


def biped_leg(seed: int = 0) -> mp.Robot:
    """A leg like Cassie's, with sizes rounded from it and masses drawn: a rod from the hip to the heel couples knee and
    tarsus, a second one the foot and its crank; springs in shin and heel count as motors."""
    x, y = Linkage("bipedleg", seed, tilted=False), (0, 1, 0)
    pitch, knee, shin, tarsus = (0, 0.1, -0.09), (0.1, 0.1, -0.16), (0.15, 0.1, -0.21), (-0.17, 0.1, -0.494)
    heel, foot, crank, pin = (-0.18, 0.1, -0.52), (0.035, 0.1, -0.849), (-0.135, 0.12, -0.53), (-0.091, 0.12, -0.563)
    rod = (0, 0.145, -0.09)
    x.joint("roll", "base", (0, 0.1, 0), axis=(1, 0, 0), motor=True)
    x.joint("yaw", "roll", (-0.05, 0.1, 0), axis=(0, 0, 1), motor=True)
    x.joint("pitch", "yaw", pitch, axis=y, motor=True)
    x.joint("rod_y", "pitch", rod, axis=y, mass=False)
    x.joint("rod", "rod_y", rod, axis=(0.83, 0, -0.55))
    for name, on, at in (
        ("knee", "pitch", knee),
        ("shin", "knee", shin),
        ("tarsus", "shin", tarsus),
        ("heel", "tarsus", heel),
    ):
        x.joint(name, on, at, axis=y, motor=name != "tarsus")
    for name, on, at in (("crank", "tarsus", crank), ("plantar", "crank", pin), ("foot", "tarsus", foot)):
        x.joint(name, on, at, axis=y, motor=name == "foot")
    x.loop("achilles", "rod", "heel", (-0.27, 0.105, -0.49), "ball")
    x.loop("plantar", "plantar", "foot", (0.08, 0.12, -0.879), "ball")
    return x.robot()


def _leg(phi: float) -> tuple[Point, Point]:
    """Outward, and across."""
    return (round(cos(phi), 14), round(sin(phi), 14), 0), (round(-sin(phi), 14), round(cos(phi), 14), 0)


def palletiser(seed: int = 0, exact: bool = False) -> mp.Robot:
    """Ten joints, four motors: a four-bar drives the elbow, two parallelograms keep the wrist level."""
    x, y = Linkage("palletiser", seed, tilted=False), (0, 1, 0)
    S, E, W, P, U = (0.2, 0, 0.8), (0.3, 0, 1.9), (1.5, 0, 1.75), (0, 0, 1), (0.45, 0, 2.1)
    x.joint("waist", "base", (0, 0, 0.3), motor=True)
    x.joint("shoulder", "waist", S, axis=y, motor=True)
    x.joint("elbow", "shoulder", E, axis=y)
    x.joint("wrist", "elbow", W, axis=y)
    x.joint("yaw", "wrist", (1.6, 0, 1.6), motor=True)
    x.joint("triangle", "shoulder", E, axis=y)
    x.joint("rod_b", "triangle", U, axis=y)
    x.joint("crank", "waist", S, axis=y, motor=True)
    x.joint("rod", "crank", (-0.15, 0, 0.75), axis=y)
    x.joint("rod_a", "waist", P, axis=y)
    x.loop("four", "rod", "elbow", (-0.1, 0, 1.95), "y")
    x.loop("one", "rod_a", "triangle", (P[0] + E[0] - S[0], 0, P[2] + E[2] - S[2]), "y")
    x.loop("two", "rod_b", "wrist", (U[0] + W[0] - E[0], 0, U[2] + W[2] - E[2]), "y")
    return x.robot(exact)


def spatial(seed: int = 0, free: str = "z") -> mp.Robot:
    """One loop in space of joints that lie anyhow: as many as leave it one freedom."""
    x = Linkage("spatial", seed)
    count = {"z": 6, "slide y": 6, "ball": 4, "universal xz": 5, "": 7}[free]
    draw, first = x.rng.uniform, count // 2

    def there(k: int) -> Point:
        return round(0.25 * k + draw(-0.1, 0.1), 3), round(draw(-0.3, 0.3), 3), round(draw(-0.3, 0.3), 3)

    for k in range(count):
        on = "base" if k in (0, first) else f"j{k - 1}"
        axis = [round(draw(-1, 1), 3) for _ in range(3)]
        x.joint(f"j{k}", on, there(k if k < first else count - k + first), axis=axis, motor=k == 0)
    x.loop("cut", f"j{first - 1}", f"j{count - 1}", there(first), free)
    return x.robot()


PLANAR = {
    "four-bar": four_bar, "five-bar": five_bar, "slider-crank": slider_crank,
    "slide": lambda seed: slider_crank(seed, "slide"), "six-bar": six_bar, "three cranks": three_cranks,
    "four-bar ball": lambda seed: four_bar(seed, "ball"),
}  # fmt: skip
SPATIAL = {
    f"spatial {free or 'weld'}": lambda seed, free=free: spatial(seed, free)
    for free in ("z", "slide y", "ball", "universal xz", "")
}
ALL = {**PLANAR, **SPATIAL, "delta": delta, "palletiser": palletiser}
