"""Ports: roles, sizes that come from the robot, states and what becomes of them."""

from __future__ import annotations

import pickle
from typing import Any, get_args

import numpy as np
import pytest

import manipula as mp
from manipula.algebra.expr.function import Function, Input, Output, is_online, moved_to
from manipula.algebra.expr.node import Graph
from manipula.algebra.optimise.search.ways import function_from_text, text_from_function
from manipula.algebra.run.compiled_function import compile_tape
from manipula.algebra.tape import tape_from_function
from manipula.mechanics.models.ports import PORTS, PortKind, PortSizes
from manipula.scalar import Next, Rate, Role

STEPS = Next("x")


def filtered(gives: Rate | Next = STEPS) -> Function:
    """x′ = x + (u − x)·h/(h + T), with two settings and a parameter, each a port of its own."""
    graph = Graph()
    u, x = (graph.symbol(name, online=True) for name in ("u1", "x1"))
    h, time, gain = (graph.symbol(name) for name in ("h", "T", "g"))
    further = x + (u - x) * (h / (h + time))
    inputs = (
        Input("u", (u,)),
        Input("x", (x,), "m", "what it knows", "state"),
        Input("timing", (h, time), "s", "sample time, time constant", "setting"),
        Input("p", (gain,), "SI", "parameters", "parameter"),
    )
    outputs = (Output("y", (1,), (gain * x,)), Output("xn", (1,), (further,), gives=gives))
    return Function("low_pass", graph, inputs, outputs)


@pytest.mark.parametrize("gives", [Rate("x"), Next("x")])
def test_roles_and_what_outputs_give_survive_every_copy(gives: Rate | Next) -> None:
    function = filtered(gives)
    stored = function_from_text(text_from_function(function))
    for again in (pickle.loads(pickle.dumps(function)), moved_to(function, Graph()), stored):
        assert again == function
        assert [port.role for port in again.inputs] == ["variable", "state", "setting", "parameter"]
        assert [port.gives for port in again.outputs] == [None, gives]
    assert filtered(Rate("x")) != filtered(Next("x"))


def test_a_text_with_a_role_that_is_none_is_not_read() -> None:
    text = text_from_function(filtered()).replace('"setting"', '"whim"')
    with pytest.raises(ValueError, match="whim"):
        function_from_text(text)


@pytest.mark.parametrize("gives", [Next("v"), Next("u")])
def test_an_output_gives_only_a_state_there_is(gives: Next) -> None:
    with pytest.raises(AssertionError):
        filtered(gives)


def test_states_are_on_line_and_settings_are_not() -> None:
    assert {role: is_online(role) for role in get_args(Role)} == {
        "variable": True, "parameter": False, "setting": False, "state": True, "noise": True,
    }  # fmt: skip
    tape = tape_from_function(filtered())
    assert [port.role for port in tape.inputs] == ["variable", "state", "setting", "parameter"]
    assert tape.outputs[1].gives == Next("x")
    assert len(tape.offline) == 2  # h + T and the quotient


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_settings_and_parameters_are_given_together(backend: str) -> None:
    f = compile_tape(tape_from_function(filtered()), backend)
    assert f.parameters == ("h", "T", "g")
    rng = np.random.default_rng(4)
    u, x = rng.normal(size=(2, 7, 1))
    h, time, gain = rng.uniform(0.1, 1, size=3)
    for given in ([h, time, gain], {"g": gain, "h": h, "T": time}):
        y, further = f(u, x, p=given)
        np.testing.assert_allclose(y, gain * x, rtol=1e-15)
        np.testing.assert_allclose(further, x + (u - x) * (h / (h + time)), rtol=1e-15)
    np.testing.assert_array_equal(f(u[3], x[3], np.array([h, time, gain])).xn, f(u, x, p=[h, time, gain]).xn[3])


def test_sizes_come_from_the_robot_or_are_fixed() -> None:
    sizes = PortSizes(3, lambda: 7)
    assert PORTS["q"].entries(sizes) == ["q1", "q2", "q3"]
    assert PORTS["weights"].entries(sizes) == ["weight1", "weight2", "weight3"]
    assert PORTS["wrench"].entries(sizes) == ["fx", "fy", "fz", "nx", "ny", "nz"]
    assert len(PORTS["T"].entries(sizes)) == 16
    assert len(PortKind("theta", "", "", "base", "state").entries(sizes)) == 7
    matrix = PortKind("X", "", "", "regressor").entries(PortSizes(2, columns=lambda: 3))
    assert matrix == ["X1_1", "X1_2", "X1_3", "X2_1", "X2_2", "X2_3"]


def test_base_parameters_are_counted_only_when_a_port_asks() -> None:
    def counted() -> Any:
        raise RuntimeError("nobody asked")

    sizes = PortSizes(2, counted, frames=1, held=3)
    assert all(kind.entries(sizes) for kind in PORTS.values() if kind.size not in ("base", "regressor"))
    with pytest.raises(RuntimeError):
        PortKind("theta", "", "", "base").entries(sizes)


def test_every_model_names_ports_of_the_table() -> None:
    model = mp.generate(mp.load("planar2r"), "inverse_dynamics", wrench=True)
    assert [port.role for port in model.function.inputs] == ["variable"] * 4 + ["parameter"]
    assert [port.unit for port in model.function.inputs[:4]] == ["rad", "rad/s", "rad/s²", PORTS["wrench"].unit]
