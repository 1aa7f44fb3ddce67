"""The closed-form inverse kinematics of an arm as a derivation to read: recorded from the solver, printed in steps."""

from manipula.derivation.making import derivation_of
from manipula.derivation.printed import Derivation

__all__ = ["Derivation", "derivation_of"]
