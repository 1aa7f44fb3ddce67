"""Following a printed derivation with numbers: its formulas, evaluated line by line, for one choice of every sign."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import atan2, pi
from typing import Any

import numpy as np

from manipula.algebra.simplify.tree import Angle, FormulaProduct, Sum, Symbol, Trig, evaluate_tree
from manipula.algebra.simplify.tree import FormulaTree as Term
from manipula.ik.derivation import InverseDerivation
from manipula.mechanics.models.inverse.classify import classify
from manipula.mechanics.models.inverse.plan import branches
from manipula.mechanics.models.inverse.position_task import placings, position_plan
from manipula.mechanics.models.kinematics.pose import pose
from manipula.mechanics.robot.bind import bind, free_parameters
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.tree import Tree
from manipula.mechanics.spatial.floats import FLOATS

FORWARD = "uvwq"


class Followed:
    """`values` holds every name of the derivation; `checks`, how far each of its lines is from true in the end."""

    def __init__(
        self, derivation: InverseDerivation, T: Any, numbers: Mapping[str, float], signs: Sequence[int]
    ) -> None:
        self.values: dict[str, float] = dict(numbers)
        self.values |= {f"{letter}{axis}": T[i][j] for j, letter in enumerate(FORWARD) for i, axis in enumerate("xyz")}
        self.parts: dict[tuple[str, Angle], float] = {}
        self.sums: list[tuple[Angle, float]] = []
        self.known: list[str] = []
        self.sum_names: dict[str, Angle] = {}
        flow = iter(signs)
        for step in derivation.steps:
            self.values["±"] = next(flow) if step.role else 0
            for line in step.equations:
                self.take(line.kind, line.left, line.right)
        self.checks = [
            abs(self.value(line.left) - self.value(line.right))
            for step in derivation.steps
            for line in step.equations
            if line.kind == "equation"
        ]

    def value(self, tree: Term) -> float:
        return float(evaluate_tree(tree, self.values, FLOATS))

    def take(self, kind: str, left: Term, right: Term) -> None:
        if kind == "definition":
            assert isinstance(left, Symbol)
            if left.name.startswith("theta"):
                self.sum_names[left.name] = angle_of(right)
            else:
                self.values[left.name] = self.value(right)
        elif kind == "solution":
            self.solve(left, right)

    def solve(self, left: Term, right: Term) -> None:
        """A sine or cosine waits for the other one; then, or at once, the angle is known."""
        if isinstance(left, Trig):
            self.parts[left.op, left.angle] = self.value(right)
            if ("sin", left.angle) in self.parts and ("cos", left.angle) in self.parts:
                found = atan2(self.parts["sin", left.angle], self.parts["cos", left.angle])
                self.settle(left.angle, found)
            return
        if isinstance(left, Symbol) and left.name in self.sum_names:
            self.values[left.name] = self.value(right)
            left_angle = self.sum_names[left.name]
        else:
            left_angle = angle_of(left)
        self.settle(left_angle, self.value(right))

    def settle(self, angle: Angle, value: float) -> None:
        names = [(leaf.name, times) for leaf, times in angle if isinstance(leaf, Symbol)]
        if len(names) > 1:
            self.sums.append((angle, value))
            self.values |= {name: 0.0 for name, _ in names if name not in self.known}
        else:
            name, times = names[0]
            self.values[name] = times * value
            self.known.append(name)
        for whole, total in self.sums:  # an angle not yet known makes up for what is missing
            free = [(leaf.name, n) for leaf, n in whole if isinstance(leaf, Symbol) and leaf.name not in self.known]
            if free:
                rest = total - sum(n * self.values[leaf.name] for leaf, n in whole if isinstance(leaf, Symbol))
                self.values[free[-1][0]] += free[-1][1] * rest

    def joints(self, dof: int) -> list[float]:
        return [self.values[f"q{i + 1}"] for i in range(dof)]


def angle_of(tree: Term) -> Angle:
    """A coordinate, or a sum of them."""
    terms = tree.terms if isinstance(tree, Sum) else (tree,)
    found = []
    for term in terms:
        factors = term.factors if isinstance(term, FormulaProduct) else (term,)
        sign = -1 if len(factors) > 1 else 1
        found.append((factors[-1], sign))
    return tuple(found)


class Example:
    """A robot with numbers for its letters, its plan, and poses it reaches."""

    def __init__(self, robot: Any, seed: int = 0) -> None:
        self.robot, self.chain = robot, numbered(robot)
        self.plan = classify(self.chain)
        self.rng = np.random.default_rng(seed)

    def numbers(self) -> dict[str, float]:
        return numbers_of(self.robot)

    def configuration(self) -> list[float]:
        kinds = [link.kind.name for link in self.chain.links]
        spans = [(-pi, pi) if kind == "revolute" else (0.2, 0.9) for kind in kinds]
        return [float(self.rng.uniform(*span)) for span in spans]

    def pose(self, q: Sequence[float]) -> Any:
        return np.array(pose(self.chain, list(q)).rows(), dtype=float)


def numbers_of(robot: Any) -> dict[str, float]:
    """A value for every parameter: the file's, or one of no meaning (the same that the classification uses)."""
    given = robot.parameters
    free = iter(np.linspace(0.21, 0.43, 1 + sum(value is None for value in given.values())).tolist())
    return {name: next(free) if value is None else value for name, value in given.items()}


def numbered(robot: Any) -> Tree:
    numbers = numbers_of(robot)
    return merge_fixed(bind(robot, FLOATS, {name: numbers[name] for name in free_parameters(robot, "all")}, "all"))


def all_signs(derivation: InverseDerivation) -> list[tuple[int, ...]]:
    """In the order of the branches."""
    return list(product((1, -1), repeat=len(derivation.roles)))


def solver_branches(example: Example, T: Any, parameter: float | None = None) -> tuple[Any, Any]:
    found = branches(example.plan, example.chain, T.ravel().tolist(), parameter)
    return np.array(found.q, dtype=float), np.array(found.valid, dtype=bool)


def placed_branches(example: Example, T: Any) -> tuple[Any, Any]:
    """Of the position alone."""
    plan = position_plan(example.chain)
    assert plan is not None
    found = placings(plan, tuple(T[:3, 3].tolist()))
    return np.array(found.q, dtype=float), np.array(found.valid, dtype=bool)


def turned_apart(a: Any, b: Any, chain: Tree) -> float:
    """The largest difference of coordinates; whole turns do not count."""
    d = np.asarray(a) - np.asarray(b)
    turning = [link.kind.name == "revolute" for link in chain.links]
    return float(np.abs(np.where(turning, (d + pi) % (2 * pi) - pi, d)).max())
