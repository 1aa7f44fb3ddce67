"""The number types of C: double, float, or either of them by a macro; how numbers and functions of each are written."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from manipula.algebra.emit.c.spelling import FUNCTIONS, NAMES, RESERVED, Helper, helpers, own_words, table_of
from manipula.algebra.emit.text import SIGN, Language, Text

LITERAL = "R({})"
_LOOP_WORDS = {"broken", "n", "i", "at", "end", "size_t", "k"}
_REAL_WORDS = {"real", "R", "TOLERANCE", "SIMD", *(name.upper() for name in NAMES.values())}


@dataclass(frozen=True)
class Precision:
    """A number type: its name in the text and in prototypes, its literals.

    `both`: double or float, as a macro of the compiler says; then every number and function goes through macros.
    """

    real: str
    public: str
    literal: str = "{}"
    nan: str = "NAN"
    both: bool = False
    single: bool = False
    tolerance: str = "{}"  # how a number is written that is another one in single precision

    def function(self, name: str) -> str:
        """A function of math.h for this type."""
        return name.upper() if self.both else f"{name}f" if self.single else name

    @property
    def zero(self) -> str:
        return self.literal.format("0.0")

    def helpers(self, used: set[str]) -> list[tuple[str, Helper]]:
        """The functions beside the main one that a text calls, by operation."""
        made = helpers(self.real, self.literal, self.nan, self.function)
        return [(op, helper) for op, helper in made.items() if op in used]

    def language(self, prefix: str) -> Language:
        """C over this type, with helper functions that carry the prefix, so that two files can live in one program."""
        table = table_of(prefix, {op: self.function(name) for op, name in FUNCTIONS.items()})
        reserved = RESERVED | own_words(prefix) | _LOOP_WORDS | (_REAL_WORDS if self.both else set())
        kind = SingleLanguage if self.single else Language
        return kind(table, reserved, "INFINITY", "NAN", self.literal, self.tolerance)


class SingleLanguage(Language):
    """Numbers are those of single precision, in the fewest digits that read back as the same."""

    def number(self, value: float) -> Text:
        with np.errstate(all="ignore"):
            rounded = np.float32(value)
        if np.isnan(rounded):
            return Text(self.not_a_number)
        digits = self.infinity if np.isinf(rounded) else self.literal.format(float(str(abs(rounded))))
        return Text(f"-{digits}", SIGN) if np.signbit(rounded) else Text(digits)

    def _chosen(self, double: float, single: float | None) -> Text:
        return self.number(double if single is None else single)


BOTH = Precision("real", "manipula_real", LITERAL, "R(NAN)", both=True, tolerance="TOLERANCE({}, {})")
DOUBLE = Precision("double", "double")
FLOAT = Precision("float", "float", "{}f", single=True)
PRECISIONS = {"": BOTH, "float64": DOUBLE, "float32": FLOAT}
