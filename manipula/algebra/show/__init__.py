"""Printed forms: text, Unicode, LaTeX, SymPy."""

from manipula.algebra.show.equations import Equations, Form, Style, equations
from manipula.algebra.show.sympy_bridge import to_sympy

__all__ = ["Equations", "Form", "Style", "equations", "to_sympy"]
