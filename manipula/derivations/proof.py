"""The proof of a derivation: every result is evaluated on its own, in a graph of its own, and compared with what
`Reference` computes from the robot's description by another algorithm, at random points of GF(2⁶¹−1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any

from manipula.algebra.expr.function import Function, Input, Output, flatten_nested
from manipula.algebra.expr.maths import ExprMaths, rebuilt
from manipula.algebra.expr.node import Expr, Graph
from manipula.algebra.optimise.prove import prove
from manipula.algebra.show.notation import SIGN
from manipula.algebra.simplify.tree import (
    FormulaCall,
    FormulaNumber,
    FormulaProduct,
    FormulaTree,
    Inverse,
    Power,
    Sum,
    Symbol,
    evaluate_tree,
    power_of,
    product_of,
)
from manipula.generation.arm_structure import ArmStructure
from manipula.mechanics.models.dynamics.energy import advance, kinetic_energy, potential_energy
from manipula.mechanics.models.dynamics.newton_euler import NewtonEuler, newton_euler
from manipula.mechanics.models.kinematics.pose import pose
from manipula.mechanics.models.lagrange.christoffel import LagrangeTerms, christoffel_symbols, efficient_terms
from manipula.mechanics.robot.independent_reading import neighbour_frames
from manipula.mechanics.robot.reduce import frames_on_joints
from manipula.mechanics.robot.tree import Tree, over_duals
from manipula.mechanics.spatial.dual import partial, variables
from manipula.mechanics.spatial.inertia import Twist, half, momentum, power
from manipula.mechanics.spatial.vector import NULL, add, dot, rotate, scale
from manipula.messages import Message
from manipula.pages.derivation import Derivation
from manipula.pages.steps import Equation
from manipula.scalar import Scalar


class Reference:
    """The same quantities by other algorithms, over the scalar of a proof."""

    def __init__(self, structure: ArmStructure, maths: Any, symbol: Callable[[str], Scalar]) -> None:
        self.structure, self.maths, self.symbol = structure, maths, symbol
        self.symbols = {name: symbol(name) for name in structure.free}
        self.chain = structure.bound_tree(maths, self.symbols)
        numbers = range(1, self.chain.dof + 1)
        self.q, self.qd, self.qdd = ([symbol(f"{rate}{i}") for i in numbers] for rate in ("q", "qd", "qdd"))

    @cached_property
    def neighbours(self) -> list[list[list[Scalar]]]:
        """The base, link after link, the tool, read from the description a second time."""
        robot, symbolic = self.structure.robot, self.structure.symbolic
        return neighbour_frames(robot, self.maths, self.symbols, symbolic, self.q)

    @cached_property
    def frames(self) -> list[list[list[Scalar]]]:
        """From the world: base, links, tool."""
        found: list[list[list[Scalar]]] = [self.neighbours[0]]
        for frame in self.neighbours[1:]:
            found.append(matrix_product(found[-1], frame))
        return found

    @cached_property
    def slopes(self) -> list[list[list[Scalar]]]:
        """∂T/∂q_i of the tool's pose, joint by joint, by dual numbers."""
        at = pose(over_duals(self.chain), variables(self.q)).rows()
        return [[[partial(x, i) for x in row] for row in at] for i in range(self.chain.dof)]

    # at the home pose, q = 0

    def tool_at(self, q: Sequence[Scalar]) -> list[list[Scalar]]:
        """The tool's pose in the world, by the second reading."""
        structure = self.structure
        total, *rest = neighbour_frames(structure.robot, self.maths, self.symbols, structure.symbolic, q)
        for frame in rest:
            total = matrix_product(total, frame)
        return total

    @cached_property
    def zero(self) -> list[Scalar]:
        return [self.maths.number(Fraction(0))] * self.chain.dof

    @cached_property
    def home(self) -> list[list[Scalar]]:
        """M"""
        return self.tool_at(self.zero)

    def moved_from_home(self, joints: Sequence[int]) -> list[list[Scalar]]:
        """T M⁻¹, of an arm that moves these joints alone."""
        q = [x if i in joints else self.zero[i] for i, x in enumerate(self.q)]
        return matrix_product(self.tool_at(q), inverse_motion(self.home))

    @cached_property
    def home_slopes(self) -> list[list[Scalar]]:
        """(ω, v) of every joint, from ∂T/∂q_i M⁻¹ at q = 0."""
        at = pose(over_duals(self.chain), variables(self.zero)).rows()
        back, found = inverse_motion(self.home), []
        for i in range(self.chain.dof):
            S = matrix_product([[partial(x, i) for x in row] for row in at], back)
            found.append([S[2][1], S[0][2], S[1][0], S[0][3], S[1][3], S[2][3]])
        return found

    @cached_property
    def recursion(self) -> NewtonEuler:
        return newton_euler(self.chain, self.q, self.qd, self.qdd)

    @cached_property
    def on_joints(self) -> Tree:
        return frames_on_joints(self.chain)

    @cached_property
    def recursion_on_joints(self) -> NewtonEuler:
        return newton_euler(self.on_joints, self.q, self.qd, self.qdd)

    @cached_property
    def torques(self) -> list[Scalar]:
        """Of the mechanism and its motors, without friction."""
        motors = (link.motor_inertia * rate for link, rate in zip(self.chain.links, self.qdd, strict=True))
        return [tau + motor for tau, motor in zip(self.recursion.tau, motors, strict=True)]

    @cached_property
    def lagrange(self) -> LagrangeTerms:
        return efficient_terms(self.chain, self.q)

    @cached_property
    def inertia(self) -> list[list[Scalar]]:
        """M, rotors included."""
        M = [list(row) for row in self.lagrange.A]
        for i, link in enumerate(self.chain.links):
            M[i][i] = M[i][i] + link.motor_inertia
        return M

    @cached_property
    def christoffel(self) -> list[list[list[Scalar]]]:
        """c[k][i][j] of the row k."""
        return christoffel_symbols(self.lagrange)

    def of_function(self, function: Function) -> Any:
        """The values of a function of q and parameters, made elsewhere."""
        values = {**self.symbols, **{f"q{i}": x for i, x in enumerate(self.q, 1)}}
        return function(values, self.maths)[function.outputs[0].name]

    # energies, by twists and momenta

    def twist(self, i: int) -> Twist:
        """Of link i's frame, in its axes."""
        state = Twist(NULL, NULL)
        rows = zip(self.chain.links[: i + 1], self.chain.motions(self.q), self.qd)
        for link, motion, rate in rows:
            state = advance(state, (link, motion, rate)).in_frame(link.after)
        return state

    def kinetic(self, i: int) -> Scalar:
        twist = self.twist(i)
        return half(power(twist, momentum(self.chain.links[i].inertia, twist)))

    def _moments(self, i: int) -> Any:
        """m p_c = R s + m p, in the world."""
        body = self.chain.links[i].inertia
        return add(rotate(self._turn(i), body.s), scale(body.m, self._origin(i)))

    def _turn(self, i: int) -> Any:
        return [row[:3] for row in self.frames[i + 1][:3]]

    def _origin(self, i: int) -> Any:
        return [row[3] for row in self.frames[i + 1][:3]]

    def centre(self, i: int) -> Any:
        """p_c; of a body without mass the frame's origin."""
        m = self.chain.links[i].inertia.m
        return self._origin(i) if self._is_weightless(i) else [x / m for x in self._moments(i)]

    def _is_weightless(self, i: int) -> bool:
        m = self.structure.tree.links[i].inertia.m
        return bool((m.value if isinstance(m, Expr) else m) == 0)

    def centre_velocity(self, i: int) -> Any:
        """R (v + ω × c)"""
        twist, body = self.twist(i), self.chain.links[i].inertia
        if self._is_weightless(i):
            return rotate(self._turn(i), twist.v)
        return [x / body.m for x in rotate(self._turn(i), momentum(body, twist).f)]

    def potential(self, i: int) -> Scalar:
        return -dot(self.chain.gravity, self._moments(i))

    @cached_property
    def lagrangian(self) -> Scalar:
        """T − V of what moves."""
        ground = self.chain.ground
        rest = dot(self.chain.gravity, add(rotate(self.chain.base.R, ground.s), scale(ground.m, self.chain.base.p)))
        return kinetic_energy(self.chain, self.q, self.qd) - (potential_energy(self.chain, self.q) + rest)

    @cached_property
    def energy_slopes(self) -> list[Scalar]:
        """∂L/∂q_1 … ∂L/∂q_n, ∂L/∂q̇_1 … by dual numbers."""
        chain, n = over_duals(self.chain), self.chain.dof
        every = variables([*self.q, *self.qd])
        L = kinetic_energy(chain, every[:n], every[n:]) - potential_energy(chain, every[:n])
        return [partial(L, k) for k in range(2 * n)]


def matrix_product(A: Sequence[Sequence[Scalar]], B: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    """Row by column; structural zeros and ones cost nothing."""
    return [[_dot(row, column) for column in zip(*B, strict=True)] for row in A]


def inverse_motion(T: Sequence[Sequence[Scalar]]) -> list[list[Scalar]]:
    """[Rᵀ, −Rᵀp]"""
    back = [[T[j][i] for j in range(3)] for i in range(3)]
    return [*([*row, -_dot(row, [T[j][3] for j in range(3)])] for row in back), [0, 0, 0, 1]]


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0
    for x, y in zip(a, b, strict=True):
        if (isinstance(x, int) and x == 0) or (isinstance(y, int) and y == 0):
            continue
        total = total + x * y
    return total


def prover_of(structure: ArmStructure, given: Mapping[str, Expr]) -> Callable[[Derivation], str]:
    return prover_against(lambda *at: Reference(structure, *at), structure.free, structure.tree.dof, given)


def prover_against(
    reference_of: Callable[[Any, Callable[[str], Scalar]], Any],
    letters: Sequence[str],
    joints: int = 0,
    given: Mapping[str, Expr] = MappingProxyType({}),
) -> Callable[[Derivation], str]:
    """`reference_of(maths, symbol)` is what the checks of the equations compute with, over the scalar of a proof."""

    def run(derivation: Derivation) -> str:
        function, checks = _claims(derivation, letters, joints, given)
        if not checks:
            return Message("Every result is left out, so nothing is proved; with numbers for letters they are shorter.")

        def reference(maths: Any, symbol: Callable[[str], Scalar]) -> dict[str, Any]:
            at = reference_of(maths, symbol)
            return {name: _scalars(check(at), maths) for name, check in checks.items()}

        proof = prove(function, reference)
        return Message(
            "Proved: {count} formula of {steps} steps equals an independent computation at {draws} random points "
            "of GF(2^{bits}-1); error probability below 1e{exponent}."
            if len(function.roots) == 1
            else "Proved: {count} formulas of {steps} steps equal an independent computation at {draws} random points "
            "of GF(2^{bits}-1); error probability below 1e{exponent}.",
            len(function.roots),
            sum(1 for _ in derivation.all_steps()),
            proof.draws,
            proof.p.bit_length(),
            int(proof.error_exponent),
        )

    return run


def _scalars(value: object, maths: Any) -> list[Scalar]:
    """Flat; what is structurally zero or one becomes a number of the field."""
    _, flat = flatten_nested(value)
    return [maths.number(Fraction(x)) if isinstance(x, int | Fraction) else x for x in flat]


def _claims(
    derivation: Derivation, letters: Sequence[str], joints: int, given: Mapping[str, Expr]
) -> tuple[Function, dict[str, Callable[..., object]]]:
    graph = Graph()
    maths, numbers = ExprMaths(graph), range(1, joints + 1)
    ports = {rate: [graph.symbol(f"{rate}{i}", online=True) for i in numbers] for rate in ("q", "qd", "qdd")}
    own = [graph.symbol(name) for name in letters]
    inputs = [Input(rate, tuple(symbols)) for rate, symbols in ports.items()]
    inputs.append(Input("p", tuple(own), role="parameter"))
    env: dict[str, Any] = {str(x.data): x for port in inputs for x in port.symbols} | {SIGN: graph.one}
    env |= dict(zip(given, rebuilt(given.values(), graph)))
    outputs: list[Output] = []
    checks: dict[str, Callable[..., object]] = {}
    for place, (number, equation) in enumerate(derivation.equations(), 1):
        values = [graph.expr(evaluate_tree(_claimed(tree, equation.kind), env, maths)) for tree in equation.entries]
        if equation.kind == "angle":
            values = [_off_direction(equation, env, maths)]
        env |= dict(zip(equation.names, values))
        if equation.check is not None:
            name = f"step {number}, equation {place}"
            outputs.append(Output(name, (len(values),), tuple(values)))
            checks[name] = equation.check
    return Function(derivation.robot, graph, tuple(inputs), tuple(outputs)), checks


def _claimed(tree: FormulaTree, kind: str) -> FormulaTree:
    """What is compared: itself, its square, or nothing yet of an angle."""
    if kind == "angle":
        return FormulaNumber(Fraction(0))
    return square_of(tree) if kind == "square" else tree


def square_of(tree: FormulaTree) -> FormulaTree:
    """(±√x·y)² = x·y²: a root of either sign is known by its square."""
    match tree:
        case FormulaCall("sqrt", (inner,)):
            return inner
        case Symbol(name, _) if name == SIGN:
            return FormulaNumber(Fraction(1))
        case FormulaProduct(factors):
            return product_of(map(square_of, factors))
        case Inverse(bottom):
            return Inverse(square_of(bottom))
        case Power(base, exponent):
            return power_of(base, 2 * exponent)
    return power_of(tree, 2)


def _off_direction(equation: Equation, env: Mapping[str, Scalar], maths: Any) -> Any:
    """C sin θ − S cos θ, zero where (C, S) points along the angle on the left; C + iS turns with sums of angles."""
    assert isinstance(equation.left, FormulaTree) and isinstance(equation.result, FormulaTree)
    C, S = _direction(equation.result, env, maths)
    c, s = _direction(equation.left, env, maths)
    return C * s - S * c


def _direction(tree: FormulaTree, env: Mapping[str, Scalar], maths: Any) -> tuple[Scalar, Scalar]:
    match tree:
        case FormulaCall("atan2", (y, x)):
            return evaluate_tree(x, env, maths), evaluate_tree(y, env, maths)
        case Sum(terms):
            C, S = _direction(terms[0], env, maths)
            for term in terms[1:]:
                c, s = _direction(term, env, maths)
                C, S = C * c - S * s, C * s + S * c
            return C, S
        case FormulaProduct((FormulaNumber(value), inner)) if value == -1:
            C, S = _direction(inner, env, maths)
            return C, -S
    angle = evaluate_tree(tree, env, maths)
    return maths.cos(angle), maths.sin(angle)
