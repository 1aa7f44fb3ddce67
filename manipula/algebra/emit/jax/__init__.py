"""JAX: one module of pure functions, ready for jit, vmap and grad, that tests itself when it is run."""

from __future__ import annotations

import keyword
from collections.abc import Mapping, Sequence
from dataclasses import replace

from manipula.algebra.emit.about import fill_template, readme
from manipula.algebra.emit.ports import Namer
from manipula.algebra.emit.python import module_context, module_readme
from manipula.algebra.emit.reference import states, with_square_poses
from manipula.algebra.emit.text import ARITHMETIC, GUARDED, LIBRARY, Language, calls
from manipula.algebra.tape import Tape
from manipula.scalar import OPS

# JAX: how each operation is written, and the words a local name may not be.

_WORDS = """
jnp jax k x got batch NamedTuple ValueError float print broken text precise
"""
_NAMED = {
    **{op: f"jnp.{OPS[op].word('jax')}" for op in (*LIBRARY, "sign", "min", "max")},
    **{op: f"_{op}" for op in ("less", "select", *GUARDED)},
}

LANGUAGE = Language(
    {**ARITHMETIC, **calls(_NAMED)},
    frozenset({*keyword.kwlist, *keyword.softkwlist, *_WORDS.split()}),
    "jnp.inf",
    "jnp.nan",
    tolerance="({} if precise else {})",
)


_REMARK = (
    "The functions are pure: `jax.jit`, `jax.vmap` and `jax.grad` take them as they are. Numbers are single precision "
    'unless `jax.config.update("jax_enable_x64", True)` comes first. Conditions are checked where parameters are known '
    "numbers, not inside a traced function."
)


class Jax:
    """The back end."""

    def emit(self, tape: Tape, version: str, samples: Sequence[Mapping[str, Sequence[float]]]) -> dict[str, str]:
        tape, name = with_square_poses(tape), Namer(LANGUAGE.reserved).name(tape.name)
        found = states(tape, samples)
        shown = module_context(tape, name, version, found, LANGUAGE)
        entries = {
            x.name: [s.text for s in shown["main"].stores if s.name.startswith(f"{x.name}[")] for x in shown["outputs"]
        }
        shown |= {"entries": entries}
        own = module_readme("Python with JAX", name, f"{name}_jax", shown, found[0])
        own = replace(own, remarks=[*own.remarks, _REMARK])
        return {
            f"{name}_jax.py": fill_template(__name__, "module.py.jinja", shown),
            f"README_{name}_jax.md": readme(tape, name, version, shown["split"], own),
        }
