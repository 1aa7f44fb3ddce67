"""Closed forms that textbooks and theses print, found by the simplifier from the raw models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Graph
from manipula.algebra.show import equations
from manipula.algebra.simplify import same
from manipula.algebra.simplify.tree import operations
from manipula.mechanics.models.dynamics.newton_euler import newton_euler
from manipula.mechanics.models.kinematics.pose import pose
from manipula.mechanics.models.lagrange.terms import METHODS
from manipula.mechanics.robot import library
from manipula.mechanics.robot.bind import bind, free_parameters
from manipula.mechanics.robot.formats.toml.read import robot_from_toml
from manipula.mechanics.robot.reduce import merge_fixed
from manipula.mechanics.robot.tree import Tree


class Bench:
    """A library robot over expressions, in the file's own symbols."""

    def __init__(self, name: str, symbolic: Any = "auto", extra: str = "") -> None:
        robot = robot_from_toml(library.text_of(name), name)
        self.graph = Graph()
        free = {n: self.graph.symbol(n) for n in [*free_parameters(robot, symbolic), *extra.split()]}
        self.chain: Tree = merge_fixed(bind(robot, ExprMaths(self.graph), free, symbolic))
        self.parameters = free
        self.n = self.chain.dof

    def port(self, letter: str) -> Input:
        return Input(letter, tuple(self.graph.symbol(f"{letter}{i + 1}", online=True) for i in range(self.n)))

    def function(self, name: str, shape: tuple[int, ...], values: list[Any]) -> Function:
        inputs = (*map(self.port, ("q", "qd", "qdd")), Input("p", tuple(self.parameters.values()), role="parameter"))
        return Function("book", self.graph, inputs, (Output(name, shape, tuple(map(self.graph.expr, values))),))

    def torques(self, wrench: list[Any] | None = None) -> Function:
        q, qd, qdd = (self.port(x).symbols for x in ("q", "qd", "qdd"))
        return self.function("tau", (self.n,), newton_euler(self.chain, q, qd, qdd, wrench).tau)


def parsed(bench: Bench, text: str) -> Any:
    """A printed formula as an expression of the bench's graph: names c23, s1 are cosines and sines."""
    maths = ExprMaths(bench.graph)

    class Names(dict[str, Any]):
        def __missing__(self, name: str) -> Any:
            if name[0] in "cs" and name[1:].isdigit():
                angle = sum((bench.port("q").symbols[int(joint) - 1] for joint in name[1:]), start=bench.graph.zero)
                return maths.cos(angle) if name[0] == "c" else maths.sin(angle)
            return bench.parameters.get(name) or bench.graph.symbol(name, online=True)

    return eval(text.replace("^", "**"), {"__builtins__": {}}, Names())  # the texts stand in this file


def monomials(text: str) -> set[tuple[str, ...]]:
    """A sum of products as a set: sign and number, then the factors in alphabetical order."""
    found = set()
    for term in text.replace("- ", "+ -").split("+"):
        negative, factors = term.strip().startswith("-"), term.strip().lstrip("-").split("*")
        found.add(("-" if negative else "+", *sorted(factors)))
    return found


# the Stanford arm's first three joints, Lopes da Silva, UNICAMP 1990; d3 is the third joint's variable

STANFORD3 = {
    "A[1,1]": "I1+K1+J2+J3 + 2*Y2*d2 + (M2+M3)*d2^2 + (K2+K3)*s2^2 + (I2+I3)*c2^2 + s2^2*q3*(2*Z3+M3*q3)",
    "A[2,2]": "I2+K2+I3+K3 + 2*Z3*q3 + M3*q3^2",
    "A[3,3]": "M3",
    "A[1,2]": "-c2*d2*(Z3+M3*q3)",
    "A[1,3]": "-s2*d2*M3",
    "A[2,3]": "0",
}
BY_HAND = {"A[1,1]": 25, "A[2,2]": 8, "A[3,3]": 0, "A[1,2]": 4, "A[1,3]": 2, "A[2,3]": 0}


@pytest.mark.parametrize("method", METHODS)
def test_stanford3_inertia_coefficients(method: str) -> None:
    bench = Bench("stanford3")
    matrix = METHODS[method](bench.chain, bench.port("q").symbols).A
    function = bench.function("A", (3, 3), [x for row in matrix for x in row])
    found = equations(function, "factored")
    for (left, right), (_, tree) in zip(found, found.lines, strict=True):
        if left in STANFORD3:
            printed, ours = parsed(bench, STANFORD3[left]), parsed(bench, right)
            assert same(bench.function("x", (), [ours]), bench.function("x", (), [printed]))
            assert operations(tree) <= BY_HAND[left]


# the planar two-link arm of Craig, section 6.7, and the revolute–prismatic arm: the printed terms and no more

PLANAR2R = {
    "tau1": "m2*l2^2*qdd1 + m2*l2^2*qdd2 + 2*m2*l1*l2*c2*qdd1 + m2*l1*l2*c2*qdd2 + m1*l1^2*qdd1 + m2*l1^2*qdd1"
    " - m2*l1*l2*s2*qd2^2 - 2*m2*l1*l2*s2*qd1*qd2 + m2*l2*g*c12 + m1*l1*g*c1 + m2*l1*g*c1",
    "tau2": "m2*l1*l2*c2*qdd1 + m2*l1*l2*s2*qd1^2 + m2*l2*g*c12 + m2*l2^2*qdd1 + m2*l2^2*qdd2",
}
# (q2 − l) multiplied out
RP = {
    "tau1": "F*s1*q2 + m2*q2^2*qdd1 - 2*m2*q2*l*qdd1 + m2*l^2*qdd1 + 2*m2*q2*qd1*qd2 - 2*m2*l*qd1*qd2"
    " + m2*g*c1*q2 - m2*g*c1*l + I2y*qdd1 + I1z*qdd1",
    "tau2": "-F*c1 - m2*q2*qd1^2 + m2*l*qd1^2 + m2*qdd2 + m2*g*s1",
}


def planar2r() -> Function:
    return Bench("planar2r").torques()


def rp() -> Function:
    bench = Bench("rp", extra="F")
    return bench.torques([bench.parameters["F"], 0, 0, 0, 0, 0])


@pytest.mark.parametrize(("build", "printed"), [(planar2r, PLANAR2R), (rp, RP)])
def test_closed_forms_have_the_printed_terms(build: Callable[[], Function], printed: dict[str, str]) -> None:
    for left, right in equations(build(), "expanded"):
        assert monomials(right) == monomials(printed[left])


def test_rp_factored_keeps_the_distance_to_the_centre_of_mass() -> None:
    """d2 − l stands as one bracket, as in the printed form."""
    right = dict(equations(rp(), "factored"))["tau1"]
    assert "(q2 - l)^2" in right or "(l - q2)^2" in right


# direct kinematics of the PUC-Rio arm, dissertation, chapter 6, equations 6.9–6.20, scanning errors corrected

PUCRIO = {
    "T[1,1]": "c1*(c23*(c4*c5*c6 - s4*s6) - s23*s5*c6) + s1*(s4*c5*c6 + c4*s6)",
    "T[2,1]": "s1*(c23*(c4*c5*c6 - s4*s6) - s23*s5*c6) - c1*(s4*c5*c6 + c4*s6)",
    "T[3,1]": "s23*(c4*c5*c6 - s4*s6) + c23*s5*c6",
    "T[1,2]": "c1*(-c23*(c4*c5*s6 + s4*c6) + s23*s5*s6) + s1*(c4*c6 - s4*c5*s6)",
    "T[2,2]": "s1*(-c23*(c4*c5*s6 + s4*c6) + s23*s5*s6) - c1*(c4*c6 - s4*c5*s6)",
    "T[3,2]": "-s23*(c4*c5*s6 + s4*c6) - c23*s5*s6",
    "T[1,3]": "c1*(c23*c4*s5 + s23*c5) + s1*s4*s5",
    "T[2,3]": "s1*(c23*c4*s5 + s23*c5) - c1*s4*s5",
    "T[3,3]": "s23*c4*s5 - c23*c5",
    "T[1,4]": "d6*(c1*(c23*c4*s5 + s23*c5) + s1*s4*s5) + c1*(a1 + a2*c2 + d4*s23)",
    "T[2,4]": "d6*(s1*(c23*c4*s5 + s23*c5) - c1*s4*s5) + s1*(a1 + a2*c2 + d4*s23)",
    "T[3,4]": "d6*(s23*c4*s5 - c23*c5) + a2*s2 - d4*c23",
}


def test_pucrio_direct_kinematics() -> None:
    bench = Bench("pucrio", "all")
    placed = pose(bench.chain, bench.port("q").symbols)
    values = [x for row in placed.rows()[:3] for x in row]
    found = equations(bench.function("T", (3, 4), values), "factored")
    written = [right for _, right in found]
    assert all("c2*c3" not in right and "s2*s3" not in right for right in written)
    operators = {left: operations(tree) for (left, _), (_, tree) in zip(found, found.lines, strict=True)}
    for left, right in found:
        printed = parsed(bench, PUCRIO[left])
        assert same(bench.function("x", (), [parsed(bench, right)]), bench.function("x", (), [printed]))
        assert operators[left] <= sum(PUCRIO[left].count(sign) for sign in ("*", " + ", " - "))


def test_numbers_stay_as_the_file_has_them() -> None:
    bench = Bench("pucrio")
    values = [x for row in pose(bench.chain, bench.port("q").symbols).rows()[:3] for x in row]
    right = dict(equations(bench.function("T", (3, 4), values), "expanded"))["T[3,4]"]
    assert monomials(right) == monomials("0.25*s2 - 0.16*c23 + 0.05*s23*c4*s5 - 0.05*c23*c5")
