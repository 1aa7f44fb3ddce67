"""Formulas as students type them: `l1 c1 + l2 cos(θ1 + θ2)`, `l_1 \\cos\\theta_1`, `c1c2 − s1s2`, `0,5*l1²`.

`REWRITES` turn every way of writing into one; the page, which reads answers in JavaScript, has the same list. What is
read becomes a tree: nothing is run.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property

from manipula.algebra.simplify import tree as formula
from manipula.algebra.simplify.tree import FormulaTree, Symbol, Trig
from manipula.errors import InputError

LONGEST = 2000  # letters of an answer
DEEPEST = 60  # brackets inside one another
HIGHEST = 20  # power
WORD = 60  # letters of names that are written together
FUNCTIONS = {"sin": 1, "cos": 1, "tan": 1, "sqrt": 1, "atan2": 2}
SHORT = {"c": "cos", "s": "sin"}  # cθ1, where no parameter is called c
HALF_TURN = formula.Degrees(Fraction(180))

# letters of books and keyboards → what the reader knows
SIGNS = {
    "·": "*", "×": "*", "⋅": "*", "∗": "*", "•": "*", "−": "-", "–": "-", "÷": "/", "½": "(1/2)", "¼": "(1/4)",
    "²": "^2", "³": "^3", "⁴": "^4", "ℓ": "l", "√": " sqrt ", "θ": "theta", "ϑ": "theta", "φ": "phi",
    "ϕ": "phi", "ψ": "psi", "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "τ": "tau", "π": "pi",
    "μ": "mu", "ρ": "rho",
    **{digit: str(n) for n, digit in enumerate("₀₁₂₃₄₅₆₇₈₉")},
}  # fmt: skip
# patterns in what Python and JavaScript have in common, in this order, on decomposed letters
REWRITES = (
    (r"\\(?:left|right|,|;|!|:| )", " "),
    (r"\\(?:cdot|times)(?![A-Za-z])", "*"),
    (r"\\ell(?![A-Za-z])", "l"),
    (r"_\{([^{}]*)\}", "_$1"),  # c_{12}
    (r"\\ddot\s*\{?\s*\\?(theta|[A-Za-z])\s*\}?", "$1dd"),
    (r"\\dot\s*\{?\s*\\?(theta|[A-Za-z])\s*\}?", "$1d"),
    (r"(theta|[A-Za-z])(?:\u0308|\u0307\u0307)", "$1dd"),  # θ̈
    (r"(theta|[A-Za-z])\u0307", "$1d"),
    (r"\\d?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", "(($1)/($2))"),
    (r"\\([A-Za-z]+)", " $1"),
    (r"\{", "("),
    (r"\}", ")"),
    (r"\*\*", "^"),
    (r"\barc?tan2", "atan2"),
)
COMMA = (r"(\d),(\d)", "$1.$2")  # a decimal comma, where no function has two arguments

_TOKEN = re.compile(r"\d+\.?\d*(?:[eE][-+]\d+)?|\.\d+|[A-Za-z_]\w*|\S", re.ASCII)
_SHORT = re.compile(r"(c|s|cos|sin)_?(m?\d(?:_?m?\d)*)", re.IGNORECASE)  # c12, s1m2, c1_10, C12, c_12, cos12
_JOINT = re.compile(r"(?:theta|th|q|d)_?(\d+)")
_RATE = re.compile(r"(?:(?:theta|th|q|d)(d{1,2})_?(\d+)|(d{1,2})(?:theta|th|q)_?(\d+))")


def plain_text(text: str) -> str:
    """The right side, in one way of writing."""
    right = text.rpartition("=")[2]
    plain = "".join(SIGNS.get(letter, letter) for letter in unicodedata.normalize("NFD", right))
    for pattern, replacement in (*REWRITES, *(() if "tan2" in plain else (COMMA,))):
        plain = re.sub(pattern, replacement.replace("$1", r"\g<1>").replace("$2", r"\g<2>"), plain)
    return plain.strip()


def answer_tree(text: str, names: Sequence[str], dof: int) -> FormulaTree:
    """The formula that was typed; `InputError` says what cannot be read. `x = …` is the right side."""
    if len(text) > LONGEST:
        raise InputError("the answer is longer than {count} signs", LONGEST)
    plain = plain_text(text)
    if not plain:
        raise InputError("the answer is empty")
    return _Reader(AnswerNames(names, dof), plain, text.strip()).whole()


class AnswerNames:
    """What a word may mean: a parameter first, for what an arm calls c1 is no cosine."""

    def __init__(self, names: Sequence[str], dof: int) -> None:
        self.names, self.dof = frozenset(names), dof

    @cached_property
    def loose(self) -> dict[str, str]:
        """L1 and l_1 of l1, where only one name is like that."""
        found: dict[str, list[str]] = {}
        for name in sorted(self.names):
            found.setdefault(name.replace("_", "").casefold(), []).append(name)
        return {key: alike[0] for key, alike in found.items() if len(alike) == 1}

    def split(self, word: str) -> list[str] | None:
        """l1c1 is l1 and c1, cosq1 is cos and q1; nothing where a part has no meaning."""
        if self.has(word):
            return [word]
        for size in range(min(len(word), WORD) - 1, 0, -1):
            head, rest = word[:size], word[size:]
            # a digit or an index belongs to the name before it: m12 is not m1 and 2
            if not rest[0].isalpha() or not self.has(head):
                continue
            if (more := self.split(rest)) is not None:
                return [head, *more]
        return None

    def has(self, word: str) -> bool:
        return self.tree(word) is not None or self.function(word) in FUNCTIONS

    def function(self, word: str) -> str:
        """Its name here: sin of Sin, cos of c."""
        plain = word.casefold()
        return SHORT.get(plain, plain)

    def tree(self, name: str) -> FormulaTree | None:
        if name in self.names:
            return Symbol(name, False)
        if short := _SHORT.fullmatch(name):
            joints = _joints(short[2], self.dof)
            if all(1 <= number <= self.dof for number, _ in joints):
                angle = tuple((Symbol(f"q{number}", True), sign) for number, sign in joints)
                return Trig("cos" if short[1][0] in "cC" else "sin", angle)
        for pattern in (_RATE, _JOINT):
            if found := pattern.fullmatch(name):
                *dots, number = (x for x in found.groups() if x is not None)
                if 1 <= int(number) <= self.dof:
                    return Symbol(f"q{''.join(dots)}{int(number)}", True)
        if name == "pi":
            return HALF_TURN
        if (alike := self.loose.get(name.replace("_", "").casefold())) is not None:
            return Symbol(alike, False)
        return None

    def refuse(self, word: str) -> InputError:
        for pattern in (_SHORT, _RATE, _JOINT):
            if found := pattern.fullmatch(word):
                numbers = [n for n, _ in _joints(found[2], self.dof)] if pattern is _SHORT else [
                    int(x) for x in found.groups() if x and x.isdigit()]  # fmt: skip
                missing = next((n for n in numbers if not 1 <= n <= self.dof), 0)
                return InputError("there is no joint {number}: the arm has {dof}", missing, self.dof)
        known = ", ".join([*sorted(self.names), f"q1 … q{self.dof}", "c1, s1, c12 …"])
        return InputError("{name} is not a name of this arm; it has {known}", word, known)


def _joints(text: str, dof: int) -> list[tuple[int, int]]:
    """12 → joints 1 and 2, 1m2 → 1 − 2, 1_10 → 1 and 10"""
    parts = re.findall(r"(m?)(\d+)", text) if "_" in text else re.findall(r"(m?)(\d)", text)
    return sorted((int(number), -1 if minus else 1) for minus, number in parts)


class _Reader:
    """Sums of products of powers; factors side by side are multiplied."""

    def __init__(self, names: AnswerNames, plain: str, typed: str) -> None:
        self.names, self.typed, self.depth = names, typed, 0
        self.tokens = [piece for token in _TOKEN.findall(plain) for piece in self._pieces(token)]
        self.at = 0

    def _pieces(self, token: str) -> list[str]:
        if not (token[0].isalpha() or token[0] == "_"):
            return [token]
        found = self.names.split(token)
        if found is None:
            raise self.names.refuse(token)
        return found

    def unread(self) -> InputError:
        if self.here == ")" or self.tokens.count("(") > self.tokens.count(")"):
            return InputError("{text} cannot be read: a bracket has no partner", self.typed)
        return InputError("{text} cannot be read: use names, numbers, + - * / ^, sin, cos, sqrt, atan2", self.typed)

    @property
    def here(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, *wanted: str) -> str:
        """The next token, if it is one of these; else nothing."""
        token = self.here
        if token not in wanted or not token:
            return ""
        self.at += 1
        return token

    def whole(self) -> FormulaTree:
        tree = self.sum()
        if self.here:
            raise self.unread()
        return tree

    def sum(self) -> FormulaTree:
        total = self.product()
        while sign := self.take("+", "-"):
            term = self.product()
            total = formula.Sum((total, term if sign == "+" else formula.product_of([formula.MINUS, term])))
        return total

    def product(self) -> FormulaTree:
        total = self.factor_with_sign()
        while True:
            if self.take("*"):
                total = formula.product_of([total, self.factor_with_sign()])
            elif self.take("/"):
                total = formula.product_of([total, _inverse(self.factor_with_sign())])
            elif self.here == "(" or self.here[:1].isalpha() or self.here[:1] == "_":
                total = formula.product_of([total, self.power()])
            else:
                return total

    def factor_with_sign(self) -> FormulaTree:
        if self.take("-"):
            return formula.product_of([formula.MINUS, self.deeper(self.factor_with_sign)])
        return self.deeper(self.factor_with_sign) if self.take("+") else self.power()

    def deeper(self, rule: Callable[[], FormulaTree]) -> FormulaTree:
        self.depth += 1
        if self.depth > DEEPEST:
            raise InputError("the answer has too many brackets inside one another")
        tree = rule()
        self.depth -= 1
        return tree

    def power(self) -> FormulaTree:
        base = self.atom()
        if self.take("°"):
            base = formula.Degrees(base.value) if isinstance(base, formula.FormulaNumber) else base
        return _power(base, self.deeper(self.factor_with_sign)) if self.take("^") else base

    def atom(self) -> FormulaTree:
        token = self.here
        if self.take("("):
            tree = self.deeper(self.sum)
            if not self.take(")"):
                raise self.unread()
            return tree
        if not token or not (token[0].isalnum() or token[0] in "._"):
            raise self.unread()
        self.at += 1
        if token[0].isdigit() or token[0] == ".":
            return formula.FormulaNumber(Fraction(token))
        named = self.names.tree(token)
        return self.call(self.names.function(token)) if named is None else named

    def call(self, name: str) -> FormulaTree:
        """cos(q1), cos q1, cos²(q1)"""
        exponent = self.atom() if self.take("^") else None
        values = self.arguments(name)
        if len(values) != FUNCTIONS[name]:
            raise InputError("{name} has {count} arguments", name, len(values))
        if name in ("sin", "cos"):
            value: FormulaTree = Trig(name, angle_leaves(values[0]))
        elif name == "tan":
            angle = angle_leaves(values[0])
            value = formula.product_of([Trig("sin", angle), formula.Inverse(Trig("cos", angle))])
        else:
            value = formula.FormulaCall(name, tuple(values))
        return value if exponent is None else _power(value, exponent)

    def arguments(self, name: str) -> list[FormulaTree]:
        """In brackets; else one thing, √3, and of an angle its factor, too: cos 2θ1."""
        if not self.take("("):
            first = self.deeper(self.atom)
            angle = isinstance(first, formula.FormulaNumber) and name != "sqrt" and self.here[:1].isalpha()
            return [formula.product_of([first, self.deeper(self.atom)]) if angle else first]
        values = [self.deeper(self.sum)]
        while self.take(","):
            values.append(self.deeper(self.sum))
        if not self.take(")"):
            raise self.unread()
        return values


def _inverse(tree: FormulaTree) -> FormulaTree:
    if tree == formula.ZERO:
        raise InputError("the answer divides by zero")
    return formula.FormulaNumber(1 / tree.value) if isinstance(tree, formula.FormulaNumber) else formula.Inverse(tree)


def _power(base: FormulaTree, exponent: FormulaTree) -> FormulaTree:
    whole = isinstance(exponent, formula.FormulaNumber) and exponent.value.denominator == 1
    if not whole or not 0 < exponent.value <= HIGHEST:  # type: ignore[attr-defined]
        raise InputError("powers are whole numbers from 1 to {highest}", HIGHEST)
    return formula.power_of(base, int(exponent.value))  # type: ignore[attr-defined]


def angle_leaves(tree: FormulaTree) -> formula.Angle:
    """Whole multiples of joints, and numbers of degrees: q1 + q2 − 2*q3 + π/2."""
    found: dict[FormulaTree, int] = {}
    turned = Fraction(0)
    stack = [(part, Fraction(1)) for part in formula.terms_of(tree)]
    while stack:
        part, times = stack.pop()
        inner = formula.terms_of(part)
        if len(inner) > 1:
            stack += [(x, times) for x in inner]
            continue
        factors = part.factors if isinstance(part, formula.FormulaProduct) else (part,)
        rest = [x for x in factors if not isinstance(x, formula.FormulaNumber)]
        for x in factors:
            times *= x.value if isinstance(x, formula.FormulaNumber) else 1
        match rest:
            case [formula.Degrees(value)]:
                turned += times * value
            case [formula.Sum(terms)]:
                stack += [(x, times) for x in terms]
            case [Symbol() as leaf]:
                if times.denominator != 1:
                    raise InputError("an angle has whole multiples of the joints")
                found[leaf] = found.get(leaf, 0) + int(times)
            case [] if times == 0:
                continue
            case _:
                raise InputError("the angle of a sine or cosine is a sum of joints, as in cos(q1 + q2)")
    if turned:
        found[formula.Degrees(abs(turned))] = 1 if turned > 0 else -1
    return tuple(sorted(((leaf, n) for leaf, n in found.items() if n), key=lambda item: formula.sort_key(item[0])))
