"""`Model`: what `generate` returns. A proved function with everything a person wants of it.

Printing and emitting are imported when they are requested: most models are only run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from manipula.algebra.emit.ports import identifier
from manipula.algebra.expr.condition import Condition, still_asked
from manipula.algebra.expr.function import Cost, Function, output_named, split
from manipula.algebra.expr.provenance import Provenance
from manipula.algebra.run.compiled_function import Compiled, compile_tape
from manipula.algebra.tape import Tape, tape_from_function
from manipula.errors import InputError, ManipulaError, UnknownNameError
from manipula.mechanics.models.catalogue import MODELS
from manipula.pages.formulation_text import choices_in_words
from manipula.support.files import write_files
from manipula.support.text import html_table
from manipula.version import __version__

if TYPE_CHECKING:
    from manipula.algebra.emit.backend import EmitOptions
    from manipula.algebra.emit.choice import ChoiceSource
    from manipula.algebra.show.equations import Equations
    from manipula.generation.prepare import Request

NAMES = ("file", "book")  # of variables: q1, q2, …, or θ1, d2, …
SHORT = 600  # operations after full substitution: a notebook sets the whole


@dataclass(frozen=True, eq=True, repr=False)
class Model:
    """A model of one robot: symbolic, counted, proved. Immutable; equal when its content is."""

    function: Function
    _request: Request | None = field(default=None, compare=False, repr=False)  # what was requested, robot and all
    _plain: Callable[[], Function] | None = field(default=None, compare=False, repr=False)  # the same as in a book
    _own_letters: tuple[str, ...] = field(default=(), compare=False, repr=False)  # of q1, q2, … where no request is
    _has_loops: ClassVar[bool] = False  # a solver in place of formulas

    @property
    def name(self) -> str:
        return self.function.name

    @property
    def cost(self) -> Cost:
        """Operations with sharing (auxiliary equations)."""
        return self.function.cost

    @property
    def tree_cost(self) -> Cost:
        """Operations after full substitution, without auxiliary equations."""
        return self.function.tree_cost

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Where the formulas hold and keep their digits: `|d4| > 1e-6·size`; empty means everywhere."""
        return self.function.conditions

    @property
    def tape(self) -> Tape:
        return tape_from_function(self.function)

    @property
    def inputs(self) -> dict[str, tuple[str, ...]]:
        """Port → the names of its entries, in order."""
        return {port.name: port.names for port in self.function.inputs}

    @property
    def outputs(self) -> dict[str, tuple[int, ...]]:
        """Output → shape."""
        return {port.name: port.shape for port in self.function.outputs}

    @property
    def columns(self) -> tuple[str, ...]:
        """The regressor's columns: the parameter each belongs to."""
        return self.function.provenance.columns

    @property
    def provenance(self) -> Provenance:
        """Robot, method, answers to the questions of formulation, proof: as data."""
        return self.function.provenance

    def equations(
        self,
        form: str = "auxiliary",
        style: str = "text",
        *,
        names: str = "file",
        units: bool = False,
        tell: Callable[[str], None] = lambda text: None,
    ) -> Equations:
        """The model as equations: form "auxiliary", "factored" or "expanded"; style "text", "unicode", "latex"
        or "typst".

        "auxiliary" is what runs. The others are for people: written from the plain model, proved equal to what runs.
        With `names="book"` the variables are θ where a joint turns and d where it slides; `units` adds a line of them.
        What would be too long is refused before it is written; `tell` hears of what takes a while.
        """
        from manipula.algebra.show.equations import equations

        plain = None if form == "auxiliary" else self._for_people()
        letters = self._letters_by(names)
        found = equations(self.function, form, style, plain, letters=letters, units=units, tell=tell)
        entry = MODELS.get(self.provenance.model)
        whole = entry is not None and not entry.outputs.keys().isdisjoint(self.outputs)  # more than single entries
        return replace(found, relation=entry.relation) if entry and whole else found

    def _letters_by(self, names: str) -> tuple[str, ...]:
        if names not in NAMES:
            raise UnknownNameError("way to name variables", names, NAMES)
        if names == "book" and not self._letters:
            raise InputError('{name}: names="book" is for models of a robot, whose joints turn or slide', self.name)
        return self._letters if names == "book" else ()

    @property
    def _letters(self) -> tuple[str, ...]:
        return self._own_letters or (self._request.letters if self._request else ())

    def _for_people(self) -> Function:
        """The plain model; what was made in another way is taken as it is."""
        return self._plain() if self._plain else self.function

    def latex(self, form: str = "factored", *, names: str = "file", units: bool = False) -> str:
        """The equations as an `aligned` block of LaTeX, matrices as `bmatrix`."""
        return str(self.equations(form, "latex", names=names, units=units))

    def typst(self, form: str = "factored", *, names: str = "file", units: bool = False) -> str:
        """The equations as a display of Typst."""
        return str(self.equations(form, "typst", names=names, units=units))

    def to_sympy(self) -> dict[str, Any]:
        """Output name → SymPy matrix."""
        from manipula.algebra.show.sympy_bridge import to_sympy

        return to_sympy(self.function, self._for_people())

    def only(self, *outputs: str) -> Model:
        """The same model with some of its outputs, or single entries such as "A[1,2]"."""
        picked = _only(lambda: self.function, outputs)
        plain = partial(_only, self._plain, outputs) if self._plain else None
        kept = replace(picked, conditions=still_asked(picked.conditions, picked.roots))
        return Model(kept, _plain=plain, _own_letters=self._letters)

    def emit(
        self,
        language: str = "c",
        folder: str | Path = ".",
        *,
        proof: bool = False,
        prefix: str = "",
        beside: Sequence[Model] = (),
        dtype: str = "",
        batch: bool = True,
        single_file: bool = False,
        sincos: bool = False,
    ) -> list[Path]:
        """Write the model as source code; returns the paths written.

        With `proof`, for "cpp" and "python", a checker lies beside it: a program of its own that proves the emitted
        text identical to a plain recursion. `prefix` takes the place of the robot's name in every symbol and file.

        Of C: `dtype` "float32" or "float64" settles the number type, which else a macro decides; `batch=False` leaves
        the function over many states out; `single_file` writes one header that needs nothing else, with the models
        `beside` in it, too; `sincos` computes sine and cosine of an angle by one call, where the target has one.
        """
        from manipula.algebra.emit import backend
        from manipula.algebra.emit.backend import EmitOptions

        language = backend.language_named(language)
        options = EmitOptions(dtype, batch, single_file, sincos, self._settings)
        named = [model._rename(prefix) for model in (self, *beside)]
        if single_file and not proof:
            title = named[0].name if not beside else prefix.rstrip("_") or identifier(self.provenance.robot)
            return write_files(Path(folder), _in_one_file(named, title, language, options))
        if beside:
            raise InputError("emit: beside= puts further models into one file: it wants single_file=True and no proof=")
        files = backend.emit(named[0].tape, language, __version__, options=options)
        source = named[0]._nearest(language)
        if source is not None:
            from manipula.algebra.emit.choice import with_choice

            files = with_choice(files, source, language, options, __version__)
        return write_files(Path(folder), named[0]._with_checker(files, language) if proof else files)

    @property
    def _settings(self) -> Mapping[str, tuple[float, ...]]:
        """Values of inputs that a system has."""
        return {}

    def _nearest(self, language: str) -> ChoiceSource | None:
        """What picks one of several answers, emitted beside them: inverse kinematics has it."""
        return None

    def _rename(self, prefix: str) -> Model:
        """The same with another word in place of the robot's name."""
        if not prefix:
            return self
        from manipula.generation.prepare import robot_word

        word = prefix.rstrip("_")
        if not (word.isascii() and word.isidentifier() and word[0].isalpha()):
            raise InputError("prefix: expected letters, digits and _ with a letter first, found {prefix!r}", prefix)
        name = f"{word}_{self.name.removeprefix(f'{robot_word(self.provenance.robot)}_')}"
        if identifier(name) != name:
            raise InputError(
                "prefix: {prefix!r} makes names like macros of C's headers; small letters are safe", prefix
            )
        return replace(self, function=replace(self.function, name=name))

    def _with_checker(self, files: Mapping[str, str], language: str) -> dict[str, str]:
        from manipula.generation.checker import checker_files, with_checker

        return with_checker(files, checker_files(self._request, self.function, language, __version__), language)

    def compile(self, backend: str = "auto", dtype: str = "float64") -> Compiled:
        """A callable on numpy arrays that broadcasts over leading axes."""
        return compile_tape(self.tape, backend, dtype)

    def casadi(self) -> Any:
        """A `casadi.Function` over SX with the same inputs, parameters included, and outputs; needs CasADi.

        CasADi differentiates it, expands it, generates code of it and hands it to solvers.
        """
        from manipula.algebra.run.casadi_function import casadi_function

        if self._has_loops:
            raise InputError("{name} is a solver with loops: CasADi takes formulas alone", self.name)
        return casadi_function(self.tape)

    def split(self) -> tuple[Model, Model]:
        """(off-line, on-line): what depends on parameters alone, and the rest taking it as its parameters."""
        offline, online = split(self.function)
        return Model(offline), Model(online)

    def explain(self) -> str:
        """How the model was made, what it costs, how it was proved."""
        made, offline = self.function.provenance, self.cost.offline
        texts = made.texts()
        lines = [f"{key}: {texts[key]}" for key in ("robot", "model") if key in texts]
        lines += [line for part in made.parts for line in _method_lines(f"{part.model} by {part.method}", part)]
        lines += [] if made.parts else _method_lines(made.method, made)
        lines += [f"proof: {made.proof}"] if made.proof else []
        lines += [f"search: {made.search}; optimise='max' goes on from here"] if made.search else []
        lines.append(f"cost: {self.cost}; parameters alone: {offline.total if offline else 0} operations, once")
        lines.append(f"conditions: {', '.join(map(str, self.conditions)) or 'none'}")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, object]:
        """What it is, takes, gives and costs, and where it comes from: plain data."""
        made = self.provenance
        return {
            "name": self.name,
            "model": made.model,
            "method": made.formulation,
            "cost": self.cost.as_dict(),
            "conditions": [str(x) for x in self.conditions],
            "proof": made.proof,
            "inputs": {port: list(names) for port, names in self.inputs.items()},
            "outputs": {port: list(shape) for port, shape in self.outputs.items()},
            "provenance": made.as_dict(),
        }

    def __repr__(self) -> str:
        inputs = ", ".join(f"{port}({len(names)})" for port, names in self.inputs.items())
        outputs = ", ".join(f"{port}({', '.join(map(str, shape))})" for port, shape in self.outputs.items())
        return f"<{self.name}: {inputs} → {outputs}; {self._summary_text()}>"

    def _summary_text(self) -> str:
        """What it costs and whether it is proved."""
        return f"{self.cost}; {'proved' if self.provenance.proof else 'not proved'}"

    # in a notebook: as in a book where that is short, else a table about it

    @cached_property
    def _as_in_a_book(self) -> Equations | None:
        if self.tree_cost.grand_total > SHORT:
            return None
        try:
            return self.equations("factored", "latex")
        except ManipulaError:  # too long after all, or loops that no formula can say
            return None

    def _repr_latex_(self) -> str | None:
        return self._as_in_a_book._repr_latex_() if self._as_in_a_book else None

    def _repr_html_(self) -> str | None:
        if self._repr_latex_() is not None:
            return None
        rows = [line.partition(":")[::2] for line in self.explain().splitlines()]
        rows.append(("to see it", "print(model.equations()), or an entry: model.only(…)"))
        return html_table(("", ""), rows, repr(self))


def _in_one_file(models: Sequence[Model], title: str, language: str, options: EmitOptions) -> dict[str, str]:
    """One file and the self-tests of what is in it: name → text."""
    from manipula.algebra.emit import backend

    loops = [model.name for model in models if model._has_loops]
    if loops:
        raise InputError("emit: {loops} is a solver with loops, which has files of its own; emit it apart", loops[0])
    backend.backend_named(language, options)  # refuses before anything is made
    from manipula.algebra.emit.c.choice import choice_part

    sources = [source for model in models if (source := model._nearest(language)) is not None]
    parts = [choice_part(source, options, __version__, title) for source in sources]
    return backend.emit_in_one_file([model.tape for model in models], title, language, __version__, options, parts)


def _method_lines(method: str, origin: Provenance) -> list[str]:
    return [f"method: {method}", *(f"  - {choice}" for choice in choices_in_words(origin.answers))]


def _only(made: Callable[[], Function], outputs: Sequence[str]) -> Function:
    function = made()
    return replace(function, outputs=tuple(output_named(function, name) for name in outputs))
