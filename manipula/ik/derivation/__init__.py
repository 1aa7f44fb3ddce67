"""The closed-form inverse kinematics of an arm as a derivation to read: recorded from the solver, printed in steps."""

from manipula.ik.derivation.making import derivation_of
from manipula.ik.derivation.printed import Derivation

__all__ = ["Derivation", "derivation_of"]
