"""Nothing unproved leaves: exact identity testing in GF(2⁶¹−1), or GF(2¹²⁷−1), with fresh draws.

The function under test was built with the help of the value table; here it is evaluated, node by node, at random
points the table never saw, and compared with an independent evaluation of the plain model. The same comparison, run
over degrees first, says how many points it takes: both sides count, and a chance of error above 1e-15 is no proof.
Where no sensible number of points is enough, as after many quotients of quotients (a step of a long arm), they are
drawn in the larger field. The first run also says into how many parts angles are divided: four where joints follow
another by −1/4 and −5/4.

Roots are opaque there at first: what holds for any value of a root holds for the true one. A function that differs then
and has roots of parameters may still be right, by (√x)² = x. It is compared again at points where these roots r₁ … r_k
exist, about one in 2ᵏ; whether they do is seen before anything is compared. Such points decide only if no root is a
rational function of what it stands on: √(y²) = y, wrong for a negative y, holds at half of them. A point where
r₁ … r_{i−1} exist and r_i does not excludes that for r_i, so one such point is found for every i. Then the roots span a
field of degree 2ᵏ over the rational functions. If two formulas differ in it, their difference has a norm that is not
zero, a rational function of 2ᵏ times the degree, and it must vanish wherever they agree. Roots of variables stay opaque
throughout: they may be many.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log10
from typing import Any, Protocol

from manipula.algebra.expr.degree import MOST_PARTS, DegreeMaths
from manipula.algebra.expr.evaluate import evaluate
from manipula.algebra.expr.field import WIDE, FieldMaths, NoRootError, P, RootedMaths, RootingMaths
from manipula.algebra.expr.function import Function, Output, flatten_nested, nest_flat
from manipula.algebra.expr.maths import free_symbols, topological
from manipula.algebra.expr.node import Expr
from manipula.errors import ProofError, UnprovableError
from manipula.messages import Message
from manipula.scalar import Maths


class ProofSample(Maths[Any], Protocol):
    """Where two texts are compared: at a point of the field, or over degrees."""

    def symbol(self, name: str) -> Any: ...

    def differs(self, x: Any, y: Any) -> bool: ...


# the plain model over any sample: (maths, symbol name → scalar) → output name → values in their shape
Reference = Callable[[Any, Callable[[str], Any]], Mapping[str, Any]]
DRAWS = 2  # at least
MOST_DRAWS = 12
LIMIT = -15  # log10 of the chance of error above which nothing is proved
LOOKS = 40  # a radicand that is no square shows it at every second point
TRIES = 2_000  # points looked at for roots; of k roots, one point in 2^k has them all


@dataclass(frozen=True)
class Proof:
    """A passed proof: how many draws, and the chance that a wrong function passes them."""

    draws: int
    degree: int
    entries: int
    roots: int = 0  # roots of parameters that were true
    calls: int = 0  # cuts at which a joined function was held against plain models
    p: int = P  # how many elements the field has

    @property
    def error_exponent(self) -> float:
        """log10 of the bound (entries·degree·4ᵏ / p) ^ draws: 2ᵏ for the norm and 2ᵏ for the points left out."""
        return self.draws * exponent_of(self.degree, self.entries, self.roots, self.p)

    def __str__(self) -> str:
        """A message: the exponent is one of its fields."""
        what = Message("to the plain model")
        if self.calls:
            what = Message("to the text and, in {calls} calls, to the plain models", self.calls)
        return Message(
            "identical {what} at {draws} random points of GF(2^{bits}-1){where}; chance of error below 1e{exponent}",
            what, self.draws, self.p.bit_length(),
            Message(" where its roots of parameters exist") if self.roots else "", int(self.error_exponent),
        )  # fmt: skip


def exponent_of(degree: int, entries: int, roots: int = 0, p: int = P) -> float:
    """log10 of the bound of one draw."""
    return log10(max(degree, 1)) + log10(max(entries, 1)) + roots * log10(4) - log10(p)


def prove(
    function: Function,
    reference: Reference,
    field: type[FieldMaths] = FieldMaths,
    degrees: type[DegreeMaths] = DegreeMaths,
) -> Proof:
    """Raise `ProofError` unless both agree at fresh random points, as many as their degrees ask for.

    `field` and `degrees` say what a point is: by default, choices are uninterpreted.
    """
    compare(function, reference, first := degrees())
    measure, entries = _in_sensible_parts(function, reference, first), len(function.roots)
    draws, p = _draws_for(function.name, measure.degree, entries)
    try:
        for _ in range(draws):
            compare(function, reference, field(_seed(), p, measure.parts))
    except ProofError:
        # a rewrite by (√x)² = x is right and differs all the same while roots are opaque
        radicals = _radicals(function)
        if not radicals:
            raise
        return _proved_with_roots(function, radicals, reference, measure)
    return Proof(draws, measure.degree, entries, p=p)


def measure_degrees(function: Function, reference: Reference) -> DegreeMaths:
    """Both run over degrees; where fractions of angles have no sensible common part, each is an angle of its own."""
    compare(function, reference, measure := DegreeMaths())
    return _in_sensible_parts(function, reference, measure)


def _in_sensible_parts(function: Function, reference: Reference, measure: DegreeMaths) -> DegreeMaths:
    if measure.parts > MOST_PARTS:
        # each fraction is then a symbol of its own: sound, but identities between them are lost
        compare(function, reference, measure := type(measure)(divides=False))
    return measure


def compare_once(function: Function, reference: Reference, seed: str) -> None:
    """One draw, angles divided as both need it: no proof, but a mistake is found before more is done."""
    compare(function, reference, FieldMaths(seed, parts=measure_degrees(function, reference).parts))


def degree_between(function: Function, reference: Reference) -> int:
    """A bound on the degree of what vanishes where a wrong function is not told from the reference."""
    return measure_degrees(function, reference).degree


def _draws_for(name: str, degree: int, entries: int, roots: int = 0) -> tuple[int, int]:
    """Enough for the limit, and the field they are drawn in; where no sensible number is, nothing can be proved."""
    for p in (P, WIDE):
        each = exponent_of(degree, entries, roots, p)
        # a bound of 1 or more says nothing, however often it is drawn
        draws = max(DRAWS, ceil(LIMIT / each)) if each < 0 else MOST_DRAWS + 1
        if draws <= MOST_DRAWS:
            return draws, p
    raise UnprovableError(
        "{name}: cannot be proved: of degree up to {degree:.1g}, a wrong function could pass {draws} random points of "
        "GF(2^{bits}-1) with a chance above 1e{limit}; whole multiples of an angle that large, or so many quotients of "
        "quotients, are out of reach",
        name,
        float(degree),
        MOST_DRAWS,
        WIDE.bit_length(),
        LIMIT,
    )


def _seed() -> str:
    return f"proof {secrets.token_hex(16)}"


def _radicals(function: Function) -> list[Expr]:
    """The roots of parameters, inner ones first, and multiples of their angles. A number's root has no second draw."""
    known = [x for x in topological(function.roots) if not x.online]
    varied = {x for x in known if x.op == "symbol"}
    for node in known:
        if not varied.isdisjoint(node.args):
            varied.add(node)
    roots = {x for x in varied if x.op in ("sqrt", "atan2")}
    return [x for x in known if x in roots or (x.op == "mul" and not roots.isdisjoint(x.args))]


def _proved_with_roots(
    function: Function, radicals: Sequence[Expr], reference: Reference, measure: DegreeMaths
) -> Proof:
    degree, parts, entries = measure.degree, measure.parts, len(function.roots)
    agreed, missing, needed = 0, set[int](), {0}
    draws, p = _draws_for(function.name, degree, entries)
    for _ in range(TRIES):
        maths = RootingMaths(_seed(), p, parts)
        try:
            evaluate(radicals, _sample_inputs(function, maths), maths)
        except NoRootError:
            missing.add(len(maths.roots))  # the number of the first root that is not there
            continue
        if agreed < draws:
            compare(function, reference, RootedMaths(maths.seed, maths.roots, p, parts))
            agreed, needed = agreed + 1, set(range(len(maths.roots)))
            draws, wanted = _draws_for(function.name, degree, entries, len(needed))
            if wanted != p:  # so many roots ask for the larger field: from the beginning, there
                agreed, missing, p = 0, set(), wanted
        if agreed == draws and needed <= missing:
            return Proof(draws, degree, entries, len(needed), p=p)
    raise ProofError(
        "{function}: differs from the plain model, unless by a rule for its {count} roots of parameters "
        "that random points cannot decide",
        function.name,
        len(radicals),
    )


def is_decidable_root(radicand: Expr) -> bool:
    """Has this expression of parameters a root at some points and none at others? Else √x and −√x look alike."""
    names = [str(x.data) for x in free_symbols([radicand])]
    seen: set[bool] = set()
    for number in range(LOOKS if names else 0):
        maths = FieldMaths(f"look {number}")
        value = evaluate([radicand], {name: maths.symbol(name) for name in names}, maths)[0]
        seen.add(maths.draw.is_square(maths.value(value)))
        if len(seen) == 2:
            return True
    return False


def _sample_inputs(function: Function, maths: ProofSample) -> dict[str, Any]:
    return {name: maths.symbol(name) for port in function.inputs for name in port.names}


def compare(function: Function, reference: Reference, maths: ProofSample) -> None:
    """One draw."""
    symbols = _sample_inputs(function, maths)
    got = function(symbols, maths)
    # the plain model may read symbols that are no inputs of the function any more
    want = reference(maths, lambda name: symbols[name] if name in symbols else maths.symbol(name))
    if got.keys() != want.keys() or len(got) != len(function.outputs):
        raise ProofError(
            "{function}: has the outputs {listed}; the plain model has {want}",
            function.name,
            _output_names(function),
            ", ".join(want),
        )
    for output in function.outputs:
        true = _flat(want[output.name], output, function.name)
        for position, (x, y) in enumerate(zip(got[output.name], true)):
            if maths.differs(x, y):
                entry = _entry(output.shape, position)
                raise ProofError(
                    "{function}: {output}{entry} differs from the plain model", function.name, output.name, entry
                )


def _output_names(function: Function) -> str:
    return ", ".join(port.name for port in function.outputs)


def _flat(value: object, output: Output, name: str) -> list[Any]:
    """The values of a reference, if their shape is that of the output."""
    shape, flat = flatten_nested(value)
    if shape != output.shape:
        raise ProofError(
            "{name}: {output} has the shape {shape}; that of the plain model has {shape2}",
            name,
            output.name,
            output.shape,
            shape,
        )
    return flat


def _entry(shape: tuple[int, ...], position: int) -> str:
    """The index of a flat position, counted from 1: [2][3]"""
    parts: list[int] = []
    for size in reversed(shape):
        position, rest = divmod(position, size)
        parts.insert(0, rest + 1)
    return "".join(f"[{part}]" for part in parts)


def degree_of(function: Function) -> int:
    """A bound on the degree of the rational function the draws sample, circle points cleared of denominators."""
    nothing = {port.name: nest_flat([0] * len(port.exprs), port.shape) for port in function.outputs}
    return degree_between(function, lambda maths, symbol: nothing)
