"""Printed forms: how symbols, numbers, brackets and whole functions look in each style."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest

import manipula as mp
from manipula.algebra.expr.function import Function, Input, Output
from manipula.algebra.expr.maths import ExprMaths
from manipula.algebra.expr.node import Graph
from manipula.algebra.show import equations, to_sympy
from manipula.algebra.show.notation import MathML
from manipula.algebra.show.paper import Latex, Setting, Typst
from manipula.algebra.show.printer import Printer, Unicode, split_name, trig_name
from manipula.algebra.simplify.tree import (
    MINUS,
    Degrees,
    FormulaCall,
    FormulaNumber,
    Inverse,
    Symbol,
    Trig,
    power_of,
    product_of,
    sum_of,
)
from manipula.errors import InputError, UnknownNameError
from manipula.support.text import decimal


def symbol(name: str) -> Symbol:
    return Symbol(name, name[0] == "q")


Q2, Q3, A, B = symbol("q2"), symbol("q3"), symbol("a2"), symbol("d4")
C23 = Trig("cos", ((Q2, 1), (Q3, 1)))


@pytest.mark.parametrize(
    ("name", "terminal", "latex"),
    [
        ("q1", "q₁", "q_{1}"),
        ("qd12", "q̇₁₂", r"\dot{q}_{12}"),
        ("qdd1", "q̈₁", r"\ddot{q}_{1}"),
        ("alpha3", "α₃", r"\alpha_{3}"),
        ("tau1", "τ₁", r"\tau_{1}"),
        ("Ixx2", "Ixx₂", "I_{xx2}"),
        ("Ia3", "Ia₃", "I_{a3}"),
        ("I2y", "I₂y", "I_{2y}"),
        ("rz4", "rz₄", "r_{z4}"),
        ("gz", "gz", "g_{z}"),
        ("m2", "m₂", "m_{2}"),
        ("w3_x", "w₃x", "w_{3x}"),
        ("payload", "payload", r"\mathrm{payload}"),
        ("tool_mass", "tool_mass", r"\mathrm{tool\_mass}"),
        ("pose_T", "pose_T", r"\mathrm{pose\_T}"),
        ("gravity_g1", "gravity_g₁", r"\mathrm{gravity\_g}_{1}"),
        ("qdd_ref2", "q̈ref₂", r"\ddot{q}_{ref2}"),
        ("Lzz1_R", "Lzz₁R", "L_{zz1R}"),
    ],
)
def test_names(name: str, terminal: str, latex: str) -> None:
    assert (Unicode().name(name), Latex().name(name), Printer().name(name)) == (terminal, latex, name)


@pytest.mark.parametrize(
    ("angle", "name"),
    [
        (((Q2, 1),), "c2"),
        (((Q2, 1), (Q3, 1)), "c23"),
        (((Q2, 1), (Q3, -1)), "c2m3"),
        (((Q2, 1), (symbol("q11"), 1)), "c2_11"),
        (((Q2, 2),), ""),
        (((symbol("alpha1"), 1),), ""),
    ],
)
def test_short_cosines(angle: Any, name: str) -> None:
    assert trig_name(Trig("cos", angle)) == name


def test_a_cosine_gives_way_to_a_symbol_of_its_name() -> None:
    tree = Trig("cos", ((Q2, 1),))
    assert Printer().text(tree) == "c2"
    assert Printer(taken={"c2"}).text(tree) == "cos(q2)"


@pytest.mark.parametrize(
    ("value", "text"), [("1/4", "0.25"), ("-3/2", "-1.5"), ("7", "7"), ("1/3", ""), ("120", "120"), ("1/1000", "0.001")]
)
def test_decimals(value: str, text: str) -> None:
    assert decimal(Fraction(value)) == text


@pytest.mark.parametrize(
    ("tree", "text", "terminal", "latex"),
    [
        (
            sum_of([product_of([A, C23]), product_of([MINUS, B, power_of(Q2, 2)])]),
            "a2*c23 - d4*q2^2",
            "a₂·c₂₃ − d₄·q₂²",
            r"a_{2}\,c_{23} - d_{4}\,q_{2}^{2}",
        ),
        (
            product_of([A, Inverse(sum_of([A, B]))]),
            "a2/(a2 + d4)",
            "a₂/(a₂ + d₄)",
            r"\frac{a_{2}}{a_{2} + d_{4}}",
        ),
        (product_of([MINUS, A, sum_of([A, B])]), "-a2*(a2 + d4)", "−a₂·(a₂ + d₄)", None),
        (power_of(sum_of([A, B]), 2), "(a2 + d4)^2", "(a₂ + d₄)²", r"\left(a_{2} + d_{4}\right)^{2}"),
        (power_of(Inverse(A), 2), "1/a2^2", None, r"\frac{1}{a_{2}^{2}}"),
        (product_of([FormulaNumber(Fraction(1, 3)), A]), "1/3*a2", None, r"\frac{1}{3}\,a_{2}"),
        (FormulaCall("sqrt", (sum_of([A, B]),)), "sqrt(a2 + d4)", None, r"\sqrt{a_{2} + d_{4}}"),
        (FormulaCall("sign", (Q2,)), "sign(q2)", None, r"\operatorname{sign}\left(q_{2}\right)"),
        (Trig("sin", ((Q2, 1), (Degrees(Fraction(30)), 1))), "sin(q2 + 1/6*pi)", "sin(q₂ + 30°)", None),
        (Trig("cos", ((symbol("alpha1"), 1),)), "cos(alpha1)", "cos(α₁)", r"\cos\left(\alpha_{1}\right)"),
    ],
)
def test_trees(tree: Any, text: str, terminal: str | None, latex: str | None) -> None:
    assert Printer().text(tree) == text
    assert terminal is None or Unicode().text(tree) == terminal
    assert latex is None or Latex().text(tree) == latex


@pytest.mark.parametrize("value", [Fraction(-3), Fraction(-1, 2), Fraction(-1, 3), Fraction(3, 10**12), Fraction(7)])
def test_a_sign_is_one_of_the_terminals_wherever_the_number_stands(value: Fraction) -> None:
    """The minus sign of books, not the hyphen: alone, as a factor, a term, an angle, an argument."""
    number = FormulaNumber(value)
    trees = [number, product_of([number, A]), sum_of([A, product_of([number, B])]), sum_of([A, number])]
    trees += [
        Degrees(value),
        Trig("sin", ((Q2, 1), (Degrees(value), 1))),
        FormulaCall("sign", (number,)),
        Inverse(number),
    ]
    assert "-" not in "".join(map(Unicode().text, trees))
    assert Unicode().number(value) == Printer().number(value).replace("-", "−")


@pytest.fixture
def arm() -> Function:
    """A small function with every kind of part."""
    graph = Graph()
    maths = ExprMaths(graph)
    q = tuple(graph.symbol(f"q{i}", online=True) for i in (1, 2))
    a, d = graph.symbol("a"), graph.symbol("d")
    reach = a * maths.cos(q[0]) + d * maths.cos(q[0] + q[1])
    height = -(a * maths.sin(q[0]) * Fraction(1, 2) + d * maths.sin(q[0]))
    inputs = (Input("q", q), Input("p", (a, d), role="parameter"))
    return Function("arm", graph, inputs, (Output("x", (2,), (reach, height)), Output("n", (), (a / d,))))


def test_auxiliary(arm: Function) -> None:
    """Every name is defined before it is read; sines keep their names; outputs come last, sign and sum inline."""
    found = list(equations(arm))
    known = {name for port in arm.inputs for name in port.names}
    for left, right in found:
        assert set(re.findall(r"(?<![\w.])[A-Za-z]\w*", right)) <= known | {"sin", "cos"}
        known.add(left)
    assert ("c1", "cos(q1)") in found
    assert [left for left, _ in found[-3:]] == ["x1", "x2", "n"]
    assert re.fullmatch(r"D\d+ \+ D\d+", dict(found)["x1"])
    assert re.fullmatch(r"-D\d+", dict(found)["x2"])
    assert dict(found)["n"] == "a/d"


def test_auxiliary_names_start_at_one_and_do_not_jump(arm: Function) -> None:
    """Lines that stand inline in an output use up no number; a parameter called D2 keeps its name."""
    graph, maths = arm.graph, ExprMaths(arm.graph)
    own, q = graph.symbol("D2"), arm.inputs[0].symbols
    roots = [-(own * maths.cos(q[0])), maths.cos(q[1]) * own + (own + 3) * q[0] * q[1], (own + 3) * q[1]]
    inputs = (*arm.inputs[:1], Input("p", (own,), role="parameter"))
    named = [left for left, _ in equations(Function("f", graph, inputs, (Output("x", (3,), tuple(roots)),)))]
    fresh = [name for name in named if name[0] == "D"]
    assert fresh == ["D1", *(f"D{i}" for i in range(3, len(fresh) + 2))]


def test_auxiliary_counts_what_the_function_costs(arm: Function) -> None:
    assert equations(arm).operations == arm.cost.grand_total


def test_expanded_and_factored(arm: Function) -> None:
    assert str(equations(arm, "expanded")) == (
        "x1 = a*c1 + d*c12\nx2 = -0.5*a*s1 - d*s1\nn = a/d\nwith c1 = cos(q1), s1 = sin(q1), c12 = cos(q1 + q2)"
    )
    assert dict(equations(arm, "factored"))["x2"] == "-s1*(0.5*a + d)"


def test_styles_of_a_whole_function(arm: Function) -> None:
    terminal, latex = equations(arm, "expanded", "unicode"), equations(arm, "expanded", "latex")
    assert str(terminal).startswith("x₁ = a·c₁ + d·c₁₂")
    assert str(latex) == latex.latex()
    assert latex.latex().startswith("\\begin{aligned}\nx_{1} &= a\\,c_{1} + d\\,c_{12} \\\\\n")
    assert latex.latex().endswith(
        "&\\text{with } c_{1} = \\cos\\left(q_{1}\\right),\\quad s_{1} = \\sin\\left(q_{1}\\right),"
        "\\quad c_{12} = \\cos\\left(q_{1} + q_{2}\\right)\n\\end{aligned}"
    )
    assert latex._repr_latex_() == f"$$\n{latex.latex()}\n$$"
    assert latex._repr_html_() is None  # a notebook would take it before LaTeX
    assert len(latex) == 3


def test_matrix_entries_are_named_from_one(arm: Function) -> None:
    roots = arm.outputs[0].exprs
    matrix = Function("m", arm.graph, arm.inputs, (Output("T", (1, 2), roots),))
    assert [left for left, _ in equations(matrix, "expanded")] == ["T[1,1]", "T[1,2]"]
    assert [left for left, _ in equations(matrix, "expanded", "unicode")] == ["T₁₁", "T₁₂"]
    assert [left for left, _ in equations(matrix, "expanded", "latex")] == ["T_{1,1}", "T_{1,2}"]


@pytest.mark.parametrize("name", ["A2", "tau3", "qdd12", "Ixx2", "R", "w3_x", "J_e", "payload", "tool_mass", "Lzz1_R"])
@pytest.mark.parametrize("setting", [Latex(), Typst(), MathML()], ids=["latex", "typst", "html"])
def test_the_index_of_a_name_and_of_an_entry_stand_below_together(setting: Setting, name: str) -> None:
    """A₂ entry 1,3 is A with 2,1,3 below: two indices one behind the other are no formula."""
    alone, own = setting.name(name), split_name(name)[1]
    before, below = f"{own}," if own else "", setting.index("0,0")
    assert setting.entry(name, ()) == alone and (below in setting.entry(name, (0, 0))) == (not own)
    for text, places in [
        (setting.entry(name, (1, 3)), "1,3"),
        (setting.elsewhere(name, ()), "i,j"),
        (setting.elsewhere(name, (4,)), "4,i,j"),
    ]:
        index = setting.index(before + places)
        assert text.count(index) == 1
        assert not own or text.replace(index, setting.index(own)) == alone


def test_unknown_form_and_style_list_what_there_is(arm: Function) -> None:
    with pytest.raises(UnknownNameError, match="expanded"):
        equations(arm, "expand")
    with pytest.raises(UnknownNameError, match="latex"):
        equations(arm, "expanded", "tex")


def test_sympy_objects(arm: Function) -> None:
    sympy = pytest.importorskip("sympy")
    found = to_sympy(arm)
    a, d, q1, q2 = sympy.symbols("a d q1 q2", real=True)
    assert found["n"] == a / d
    assert found["x"].shape == (2, 1)
    assert sympy.simplify(found["x"][0] - a * sympy.cos(q1) - d * sympy.cos(q1 + q2)) == 0
    assert sympy.simplify(found["x"][1] + (a / 2 + d) * sympy.sin(q1)) == 0


def test_sympy_missing_says_how_to_get_it(arm: Function, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str, package: str | None = None) -> Any:
        raise ImportError(name)

    monkeypatch.setattr("manipula.algebra.show.sympy_bridge.import_module", refuse)
    with pytest.raises(InputError, match=r"pip install 'manipula\[sympy\]'"):
        to_sympy(arm)


def test_sympy_of_branches() -> None:
    sympy = pytest.importorskip("sympy")
    graph = Graph()
    maths = ExprMaths(graph)
    x, y = graph.symbol("x", online=True), graph.symbol("y", online=True)
    chosen = maths.select(maths.less(x, y), maths.sqrt(maths.abs(x)), maths.atan2(y, x))
    function = Function("f", graph, (Input("x", (x, y)),), (Output("z", (), (chosen,)),))
    z = to_sympy(function)["z"]
    values = {sympy.Symbol("x", real=True): 4, sympy.Symbol("y", real=True): 9}
    assert z.subs(values) == 2


def test_an_index_of_friction_takes_no_word_apart() -> None:
    """`fit` is a word; f with its way of moving, or an axis, is a letter and its index."""
    assert split_name("fit1") == ("fit", "1", 0)
    assert [split_name(x)[1] for x in ("fv1", "fcp2", "fvm3", "fx")] == ["v1", "cp2", "vm3", "x"]


@pytest.mark.drawn("robot")
@pytest.mark.parametrize("robot", ["planar2r", "stanford3", "rp", "scara"])
@pytest.mark.parametrize("form", ["auxiliary", "factored"])
def test_no_name_stands_for_two_things(robot: str, form: str) -> None:
    """The Coriolis torques are c1, c2, …: beside them no cosine is called so."""
    for model in ("coriolis", "gravity", "inverse_dynamics", "energy", "jacobian"):
        shown = mp.generate(robot, model).equations(form)
        lefts = [(name, index) for (name, index), _ in shown.lines]
        written = [name + "".join(map(str, index)) for name, index in lefts if len(index) < 2]
        short = [name for name, _ in shown.legend("text")]
        assert len({*written, *short}) == len(written) + len(short), (model, sorted({*written} & {*short}))


@pytest.mark.parametrize("form", ["auxiliary", "factored"])
def test_an_output_is_told_from_a_length_of_its_name(form: str) -> None:
    rows = [("q1", 0, "c2", 0), ("q2", 0, "s1", 0)]
    robot = mp.Robot.from_dh(rows, convention="standard", angle="deg", name="odd").with_gravity(0, "-g", 0)
    shown = mp.generate(robot, "coriolis").equations(form)
    assert {name for (name, index), _ in shown.lines if index} == {"out_c"}
    assert "out_c2 = " in str(shown) and "\nc2 = " not in str(shown)
