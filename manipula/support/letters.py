"""Letters that a keyboard or a compiler lacks: Greek ones by their names, accents left out."""

from __future__ import annotations

import unicodedata

# letter → its name; a final sigma and the letters of formulas are those of the alphabet
GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "ο": "omicron", "π": "pi", "ρ": "rho",
    "σ": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
    "ς": "sigma", "ϑ": "theta", "ϕ": "phi", "ϵ": "epsilon", "⍺": "alpha", "µ": "mu",
    "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Φ": "Phi",
    "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip


def without_accents(text: str) -> str:
    """`braço` is `braco`; what is no letter with a mark stays."""
    return "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))


def spelled(text: str) -> str:
    """With Greek letters by their names: `β1` is `beta1`."""
    return "".join(GREEK.get(letter, letter) for letter in text)
