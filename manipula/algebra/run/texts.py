"""Texts (see `algebra.program`) as they run best here: as machine code where there is LLVM, else as they stand."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from inspect import Parameter, Signature, signature
from typing import Any

Text = Callable[..., Any]


@cache
def machine_code(text: Text, rounded: bool = False, **known: int) -> Text:
    """Made once a process. `rounded`, `known`: see `compiled`."""
    try:
        # where LLVM is missing this import fails, and the text runs as it stands
        from manipula.algebra.run.routines import compile_text
    except (ImportError, OSError):
        return text
    return compile_text(text, rounded, **known)


@cache
def machine_codes(*texts: Text) -> tuple[Text, ...]:
    """Several at once: what they share is made once."""
    try:
        from manipula.algebra.run.routines import compiled_together
    except (ImportError, OSError):
        return texts
    return tuple(compiled_together(*texts))


# Methods that become compiled functions: the first look at one on an object puts the machine code in its place.

Thin = Callable[[Any, Callable[..., object]], object]  # (object, method) → the function that takes its place, or None


class CompiledMethod:
    """A method that becomes the compiled function itself.

    On first use the function is put into the instance, where Python finds it before the class: this descriptor has no
    `__set__`, and so nothing stands between a caller and the built-in function from then on. Its fast way takes one
    configuration of plain arrays; for all else it calls the method's own text.
    """

    def __init__(self, method: Callable[..., object], thin: Thin) -> None:
        self.method, self.thin, self.__doc__ = method, thin, method.__doc__

    def __get__(self, instance: object, owner: type) -> Any:
        if instance is None:
            return self.method
        thin = self.thin(instance, self.method)
        function = thin if thin is not None else self.method.__get__(instance)
        # found before the class from now on, since this descriptor has no `__set__`
        instance.__dict__[self.method.__name__] = function
        return function


class MethodOwner:
    """What the built-in function belongs to: it keeps the code loaded and knows the way for unusual arguments."""

    def __init__(self, instance: object, method: Callable[..., object], code: object) -> None:
        self.instance, self.general, self.code = instance, method.__get__(instance), code

    def __getattr__(self, name: str) -> Any:
        """Unpickling asks the owner for the function by name."""
        # pickle asks for these before __init__ has run: without this line it would ask for ever
        if name.startswith("_") or name in ("instance", "general", "code"):
            raise AttributeError(name)
        return getattr(self.instance, name)

    def __reduce__(self) -> tuple[object, ...]:
        return _itself, (self.instance,)


def _itself(instance: object) -> object:
    return instance


def doc_with_signature(method: Callable[..., object], doc: str) -> str:
    """The text of a built-in function from which `help`, `inspect.signature` and completion know its arguments.

    CPython cuts the first line off and keeps it as `__text_signature__`; annotations cannot be said there.
    """
    first, *others = signature(method).parameters.values()
    arguments = Signature([other.replace(annotation=Parameter.empty) for other in others])
    return f"{method.__name__}(${first.name}, {str(arguments)[1:]}\n--\n\n{doc}"
