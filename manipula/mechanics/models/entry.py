"""What an entry of the catalogue is: a model's inputs, outputs, methods, and what they need of a reduction.

A method is a function (chain, given) → {output: nested sequences of scalars}; `given` maps the input names to
sequences. The first method of a model is its plain text, against which every other is proved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from graphlib import CycleError, TopologicalSorter
from typing import Any, Literal, Protocol

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.models.ports import PORTS, PortKind
from manipula.mechanics.robot.coordinates import Coordinates
from manipula.mechanics.robot.tree import Tree
from manipula.messages import Message
from manipula.scalar import Entries, Maths, Next, Rate, Scalar

Given = Mapping[str, Sequence[Any]]
Outputs = Mapping[str, Entries]  # name → nested sequences of scalars
Method = Callable[[Tree, Given], Outputs]
FieldMethod = Callable[..., Outputs]  # (chain, given, what `acceleration_field` may choose of each link)
FIELD = "acceleration-field"  # the one method whose recursion has choices of its own
AUTOMATIC = "automatic"  # differentiates what another model's function has become by that method and all passes
RUNS, APART = "composite-runs", "merged-apart"
MOVING, ANALYTIC = "moving-bodies", "analytic"
BODIES = (MOVING, ANALYTIC)  # methods of `moving_bodies`
ON_JOINTS = (FIELD, RUNS, AUTOMATIC, APART, *BODIES)  # methods that want every link frame on its joint

TORQUES = frozenset({"torques"})
ENERGY = frozenset({"energy"})
FRAMES = frozenset({"frames"})
TOOL = frozenset({"tool"})


@dataclass(frozen=True)
class ModelEntry:
    """One entry. `outputs`: name → (unit, meaning). `needs`: what a reduction must preserve.

    `candidates` are the methods that "best" tries; none named means the first. A search for the fewest operations tries
    the `further` ones too, which pay for them with sines. `field`, where there is one, is the
    method "acceleration-field"; it wants its frames on the joints. `differentiates` names the model, with such a
    method, whose derivative this one is. `planned` completes an entry that depends on the arm, from the arm in numbers;
    `inverts` does so from the class of its inverse kinematics. `columns` names the columns of a regressor; of the
    ports named in `ranked` only those that are independent stay, and an input of size "base" is of these. `trees` are
    the methods that are right on robots that branch; the others want a serial arm. The plain method is
    always named. `wants` says what an arm must have for the model to exist, where that is more than inertia. `floating`
    is the file of `models/floating` with the model's form on a base that moves; without one it wants a fixed base.
    A `framed` model is about several frames, which a request names. `relation` says how the outputs belong together,
    where their names are not those of books.
    """

    name: str
    doc: str
    inputs: tuple[str, ...]
    outputs: Mapping[str, tuple[str, str]]
    methods: Mapping[str, Method]
    needs: frozenset[str]
    takes_wrench: bool = False
    field: FieldMethod | None = None
    candidates: tuple[str, ...] = ()
    further: tuple[str, ...] = ()
    differentiates: str = ""
    planned: Callable[[ModelEntry, Tree], ModelEntry] | None = None
    inverts: Callable[..., ModelEntry] | None = None  # (entry, plan)
    columns: Callable[[Tree], list[str]] | None = None
    ranked: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()
    wants: str = ""
    floating: str = ""
    framed: bool = False
    relation: str = ""

    @property
    def method_names(self) -> list[str]:
        """All of them, the plain one first."""
        field, automatic = [FIELD] if self.field else [], [AUTOMATIC] if self.differentiates else []
        return [*self.methods, *field, *automatic]

    def structure(self, method: str) -> Literal["tree", "chain"]:
        """What a method can be asked of; a pose's bracketing runs on the road to the tool, like all its ways."""
        return "tree" if method in self.trees or method not in self.method_names else "chain"


# What other books and libraries call the models and the laws: words that newcomers try.
#
# They are shown as guesses; they are no names.

ALSO_CALLED = {
    "forward_kinematics": "pose", "direct_kinematics": "pose", "fk": "pose", "fkine": "pose", "t06": "pose",
    "fkine_all": "frames", "a": "transforms", "t": "pose", "position": "pose", "pos": "pose",
    "ik": "inverse_kinematics", "ikine": "inverse_kinematics", "ikine_lm": "inverse_kinematics",
    "ikine_gn": "inverse_kinematics", "ikine_nr": "inverse_kinematics", "ikine_a": "inverse_kinematics",
    "ikine6s": "inverse_kinematics", "ik_lm": "inverse_kinematics",
    "j": "jacobian", "jacob0": "jacobian", "geometric_jacobian": "jacobian", "jacobe": "jacobian_tool",
    "jacobian_matrix": "jacobian",
    "body_jacobian": "jacobian_tool",
    "id": "inverse_dynamics", "rnea": "inverse_dynamics", "rne": "inverse_dynamics", "torque": "inverse_dynamics",
    "torques": "inverse_dynamics", "tau": "inverse_dynamics", "dynamics": "inverse_dynamics",
    "fd": "forward_dynamics", "aba": "forward_dynamics", "direct_dynamics": "forward_dynamics",
    "accel": "forward_dynamics", "cinertia": "operational_inertia", "maniplty": "manipulability",
    "jacob_dot": "jacobian_dot", "jacob0_dot": "jacobian_dot",
    "m": "inertia_matrix", "mass_matrix": "inertia_matrix", "crba": "inertia_matrix", "mass": "inertia_matrix",
    "inertia": "inertia_matrix", "d": "inertia_matrix", "h": "inertia_matrix",
    "c": "coriolis_matrix", "centrifugal": "coriolis",
    "g": "gravity", "gravload": "gravity", "gravity_vector": "gravity", "gravity_torque": "gravity",
    "kinetic_energy": "energy", "potential_energy": "energy", "lagrangian": "energy",
    "lagrange": "lagrange_terms", "euler_lagrange": "lagrange_terms",
    "y": "regressor", "base_parameters": "base_regressor",
    "rotation": "orientation", "euler_angles": "orientation", "rpy": "orientation", "quaternion": "orientation",
}  # fmt: skip

LAWS_ALSO_CALLED = {
    "pd": "pd_gravity", "pd+": "pd_gravity", "pd_plus_gravity": "pd_gravity",
    "ctc": "computed_torque", "inverse_dynamics_control": "computed_torque",
    "feedback_linearization": "computed_torque",
    "feedback_linearisation": "computed_torque", "inverse_dynamics": "computed_torque",
    "smc": "sliding", "sliding_mode": "sliding", "osc": "operational_space", "khatib": "operational_space",
    "rac": "resolved_acceleration", "stiffness": "impedance", "cartesian_impedance": "impedance",
    "adaptive": "slotine_li", "observer": "momentum_observer",
}  # fmt: skip


# Blocks: formulas with ports of their own around the models of a robot: a control law, the arm in motion, a loop.
#
# The text of a block is a function (maths, call, given) → {output: nested sequences of scalars}, written over any
# scalar like every model. `call("inverse_dynamics", q=…, qd=…, qdd=…)` asks for a model of the robot and gives its
# outputs by name: numbers where the text runs on numbers, expressions where a function is built, and in a proof the
# place where the function is held against the plain model. States and what becomes of them are ports: a text remembers
# nothing.


class ModelCall(Protocol):
    """A model of the robot by its name, on these inputs; of a regressor the names of its columns come with the outputs,
    as "columns", and base parameters may be given by these names, those not named being nothing."""

    def __call__(self, model: str, /, **inputs: Any) -> Mapping[str, Any]: ...


Text = Callable[[Maths[Any], ModelCall, Given], dict[str, Any]]


@dataclass(frozen=True)
class Result:
    """An output: its unit, its meaning, and the state whose rate or next value it is."""

    unit: str
    doc: str
    gives: Rate | Next | None = None


@dataclass(frozen=True)
class Block:
    """One formula. `calls`: the models of the robot that its text asks for. `coordinates`: those of the robot whose
    positions are its state q."""

    name: str
    doc: str
    inputs: tuple[PortKind, ...]
    outputs: Mapping[str, Result]
    text: Text
    calls: tuple[str, ...] = ()
    coordinates: Coordinates | None = None
    closed: bool = False  # it takes positions of all joints of a robot with loops, and all else of its motors

    @property
    def states(self) -> tuple[str, ...]:
        return tuple(port.name for port in self.inputs if port.role == "state")

    @property
    def rates(self) -> dict[str, str]:
        """State → the output that is its rate."""
        return {x.gives.state: name for name, x in self.outputs.items() if isinstance(x.gives, Rate)}


def about(who: str, block: Block) -> Block:
    """The same text around the models of somebody else's robot: what it calls is named "who:model"."""

    def text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
        return block.text(maths, lambda model, /, **given: call(f"{who}:{model}", **given), x)

    return replace(block, text=text, calls=tuple(f"{who}:{model}" for model in block.calls))


def variables(*names: str) -> tuple[PortKind, ...]:
    """Kinds of the table of ports."""
    return tuple(PORTS[name] for name in names)


def states(*names: str) -> tuple[PortKind, ...]:
    """The same, remembered."""
    return tuple(replace(PORTS[name], role="state") for name in names)


# Blocks joined into one: outputs wired to inputs, the rest of the inputs shared by name.

Place = tuple[str, str]  # block, port


def wire_blocks(name: str, doc: str, blocks: Mapping[str, Block], wires: Mapping[str, str]) -> Block:
    """One block of several. `wires`: {"plant.tau": "law.tau"}, an input to the output it takes its values from.

    Inputs that no wire reaches are inputs of the whole, one for all blocks that have one of that name; a state of one
    block may so be a variable of another. Every output is an output of the whole.
    """
    sources = {_input(blocks, to): _output(blocks, source) for to, source in wires.items()}
    order = _order(blocks, sources)

    def text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
        found: dict[Place, Any] = {}
        for label in order:
            given = {
                port.name: found[sources[label, port.name]] if (label, port.name) in sources else x[port.name]
                for port in blocks[label].inputs
            }
            found.update({(label, key): value for key, value in blocks[label].text(maths, call, given).items()})
        return {key: value for label in blocks for (owner, key), value in found.items() if owner == label}

    calls = tuple(dict.fromkeys(model for block in blocks.values() for model in block.calls))
    coordinates = next((x.coordinates for x in blocks.values() if x.coordinates is not None), None)
    return Block(name, doc, _inputs(blocks, sources), _outputs(blocks), text, calls, coordinates)


def _inputs(blocks: Mapping[str, Block], sources: Mapping[Place, Place]) -> tuple[PortKind, ...]:
    found: dict[str, PortKind] = {}
    for label, block in blocks.items():
        for port in block.inputs:
            if (label, port.name) not in sources:
                found[port.name] = _merge_ports(found.get(port.name, port), port)
    return tuple(found.values())


def _merge_ports(first: PortKind, second: PortKind) -> PortKind:
    """One port for both: a state, if either is one; settings and parameters are nothing else as well."""
    roles = {first.role, second.role}
    if (first.size, first.letter) != (second.size, second.letter) or not (len(roles) == 1 or roles <= _LIVE):
        raise InputError(
            "{name}: {size} {role} and {size2} {role2} cannot be one input",
            first.name,
            first.size,
            first.role,
            second.size,
            second.role,
        )
    return replace(first, role="state") if roles == _LIVE else first


_LIVE = {"variable", "state"}


def _outputs(blocks: Mapping[str, Block]) -> dict[str, Result]:
    found: dict[str, Result] = {}
    for label, block in blocks.items():
        for name, result in block.outputs.items():
            if name in found:
                raise InputError("{label}.{name}: another block has an output of that name; rename one", label, name)
            found[name] = result
    return found


def _input(blocks: Mapping[str, Block], place: str) -> Place:
    return _end(blocks, place, "input", {label: [x.name for x in block.inputs] for label, block in blocks.items()})


def _output(blocks: Mapping[str, Block], place: str) -> Place:
    return _end(blocks, place, "output", {label: list(block.outputs) for label, block in blocks.items()})


def _end(blocks: Mapping[str, Block], place: str, kind: str, known: Mapping[str, list[str]]) -> Place:
    """An end of a wire: "law.tau" """
    label, _, port = place.partition(".")
    if port not in known.get(label, ()):
        raise UnknownNameError(
            Message("{kind} to wire", kind), place, [f"{x}.{y}" for x, names in known.items() for y in names]
        )
    return label, port


def _order(blocks: Mapping[str, Block], sources: Mapping[Place, Place]) -> list[str]:
    """Blocks after those they take values from, else as given."""
    before: dict[str, set[str]] = {label: set() for label in blocks}
    for (label, _), (source, _) in sources.items():
        before[label].add(source)
    try:
        return list(TopologicalSorter(before).static_order())
    except CycleError as error:
        raise InputError(
            "the wires go in a circle: {args}; a state must stand between", " ← ".join(error.args[1])
        ) from None
