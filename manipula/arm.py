"""`Arm`: a robot with numbers, its models, its inverse kinematics and its figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from manipula.api.picture_verbs import ArmViews
from manipula.api.seam_verbs import ArmSeams
from manipula.errors import InputError
from manipula.generation.prepare import Request
from manipula.ik.arm.inverse_model import INVERSE, InverseModel, generate_model
from manipula.ik.arm.numeric_arm import NumericArm

if TYPE_CHECKING:
    from manipula.generation.results.model import Model
    from manipula.ik.arm.nearest_family import NearestFunctions


class Arm(NumericArm, ArmViews, ArmSeams):
    """Every model of a robot as a fast function of arrays; joint order is the file's, units SI and radians.

    Leading axes broadcast: one call computes as many configurations as the arrays hold. Every model takes `out=` and
    `threads=` (0: all processors).

    >>> Arm("pucrio").gravity([0, 0, 0, 0, 0, 0]).shape
    (6,)
    """

    def torch(
        self, model: str | Sequence[str], *, parameters: Sequence[str] = (), wrench: bool = False, seed: bool = False
    ) -> Callable[..., Any]:
        """A model, or several at once, as a function of PyTorch tensors, float32 or float64, with gradients.

        Leading axes broadcast; inputs of one name are one, and several outputs are a named tuple.

        `parameters` names parameters of the robot that become one more input, (…, k), so that each row may have its
        own, with gradients; `wrench` adds the wrench at the tool before it. With `seed`, inverse_kinematics takes a
        pose and joints, and gives the answer nearest to them. Needs PyTorch; on CUDA tensors CuPy, too.
        """
        if seed:
            from manipula.learning.nearest import torch_nearest

            return torch_nearest(*self._nearest(model, parameters, wrench))
        from manipula.learning.pytorch import torch_function

        return torch_function(self._models_of(model, parameters, wrench), _names("parameters", parameters))

    def jax(
        self, model: str | Sequence[str], *, parameters: Sequence[str] = (), wrench: bool = False, seed: bool = False
    ) -> Callable[..., Any]:
        """The same as a function of JAX arrays: `jit`, `vmap` and reverse-mode gradients."""
        if seed:
            from manipula.learning.nearest import jax_nearest

            return jax_nearest(*self._nearest(model, parameters, wrench))
        from manipula.learning.xla import jax_function

        return jax_function(self._models_of(model, parameters, wrench), _names("parameters", parameters))

    def _models_of(self, model: str | Sequence[str], parameters: Sequence[str], wrench: bool) -> list[Model]:
        names = _names("model", model)
        if not names:
            raise InputError("expected the name of a model, or of several")
        return [self._model_with(name, parameters, wrench) for name in names]

    def _model_with(self, model: str, parameters: Sequence[str], wrench: bool) -> Model:
        symbolic = _names("parameters", parameters) or "auto"
        request = Request(self.robot, model, optimise=self.optimise, wrench=wrench, symbolic=symbolic)
        return generate_model(request)

    def _nearest(self, model: str | Sequence[str], parameters: Sequence[str], wrench: bool) -> NearestFunctions:
        """The answer nearest to a seed, and how it is searched."""
        made = self._models_of(model, parameters, wrench)[0] if _names("model", model) == [INVERSE] else None
        if not isinstance(made, InverseModel) or parameters:
            raise InputError("seed=True: expected {model}, without parameters", INVERSE)
        from manipula.ik.arm.nearest_family import nearest_functions

        return nearest_functions(
            made.function, lambda name: self._model_with(name, (), False).function, self.inverse_solver
        )


def _names(what: str, given: Sequence[str]) -> list[str]:
    """One name may stand alone."""
    names = [given] if isinstance(given, str) else list(given)
    for name in names:
        if names.count(name) > 1:
            raise InputError("{what}: {name} is named twice", what, name)
    return names
