"""The closed-form inverse kinematics of an arm as a derivation to read: recorded from the solver, printed in steps."""

from manipula.ik.derivation.derivation import derivation_of
from manipula.ik.derivation.printer import InverseDerivation

__all__ = ["InverseDerivation", "derivation_of"]
