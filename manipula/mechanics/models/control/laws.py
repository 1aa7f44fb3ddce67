"""The control laws by name: each in continuous time and sampled; one without memory is the same in both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from operator import index
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

from manipula.errors import InputError, UnknownNameError
from manipula.mechanics.models.control import adaptive, computed_torque, joint_feedback
from manipula.mechanics.models.control.dynamic_adaptive import dynamic_adaptive
from manipula.mechanics.models.control.momentum_observer import MOMENTUM_OBSERVER, SAMPLED_MOMENTUM_OBSERVER
from manipula.mechanics.models.control.operational_space import impedance, operational_space, resolved_acceleration
from manipula.mechanics.models.control.self_tuning import SAMPLED_SELF_TUNING, SELF_TUNING
from manipula.mechanics.models.control.task import Task, task_named
from manipula.mechanics.models.control.user_law import RobotLaw
from manipula.mechanics.models.entry import LAWS_ALSO_CALLED, Block, Given, ModelCall, Result
from manipula.mechanics.models.ports import EFFORT, LIMIT, PortKind
from manipula.mechanics.robot.topology import LAWS_FOR_LOOPS
from manipula.scalar import Entries, Maths, Next, Scalar

# A law of a robot with loops acts at its motors.

ALSO_CLOSED = {"gravity": "gravity", "inverse_dynamics_smooth": "inverse_dynamics"}  # by the name a text calls


def _refuse(robot: str, block: Block) -> NoReturn:
    raise InputError("{robot}: {name} is not made for robots with loops; {instead}", robot, block.name, LAWS_FOR_LOOPS)


def at_motors(block: Block, robot: str, driven: Sequence[int]) -> Block:
    """The same law for a robot with loops: positions of all joints come in, the text sees those of the motors, and the
    models it asks for take all of them. Friction takes the sign of the rates themselves."""
    if not set(block.calls) <= set(ALSO_CLOSED) or any(x.size != "dof" for x in block.inputs if not _fixed(x)):
        _refuse(robot, block)

    def text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
        own = [x["q"][c] for c in driven]

        def ask(model: str, /, **given: object) -> Mapping[str, Any]:
            if given.get("q") is not own:  # where the motors are wanted says nothing of the other joints
                _refuse(robot, block)
            plain = {name: value for name, value in given.items() if name != "slip"}
            return call(ALSO_CLOSED[model], **{**plain, "q": x["q"]})

        return block.text(maths, ask, {**x, "q": own})

    inputs = tuple(x if x.name == "q" or _fixed(x) else replace(x, driven=True) for x in block.inputs)
    calls = tuple(ALSO_CLOSED[name] for name in block.calls)
    return replace(block, inputs=inputs, text=text, calls=calls, closed=True)


def _fixed(port: PortKind) -> bool:
    return isinstance(port.size, tuple)


# The adaptive laws by name: each in continuous time, and sampled.

ADAPTIVE: dict[str, tuple[Block, Block]] = {
    "slotine_li": (adaptive.SLOTINE_LI, adaptive.SAMPLED_SLOTINE_LI),
    "craig": (adaptive.CRAIG, adaptive.SAMPLED_CRAIG),
    "mrac": (adaptive.MRAC, adaptive.SAMPLED_MRAC),
    "self_tuning": (SELF_TUNING, SAMPLED_SELF_TUNING),
}


# What any law can be given: limits of its torques, and a delay between measuring and acting.
#
#     τ = min(max(v, −limit), limit)                  v: the torque the law asks for
#     τ_k = v_{k−d}                                   d whole samples later; the torques on their way are states
#
# Laws with an integral have a limit of their own, for the integral must know of it.
#
# Derived here: both are their definitions.


def limit_torques(law: Block) -> Block:
    """The law with its torques held within ± limit."""

    def text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
        found = law.text(maths, call, x)
        # τ = min(max(v, −limit), limit)
        rows = zip(found["tau"], x["limit"], strict=True)
        return {**found, "tau": [maths.minimum(maths.maximum(v, -limit), limit) for v, limit in rows]}

    return replace(law, inputs=(*law.inputs, LIMIT), text=text)


def delay_torques(law: Block, samples: int) -> Block:
    """The law with its torques so many samples late; the one that is next is `delayed1`."""
    names = [f"delayed{i + 1}" for i in range(samples)]

    def text(maths: Maths[Scalar], call: ModelCall, x: Given) -> dict[str, Entries]:
        found = law.text(maths, call, x)
        # τ_k = v_{k−d}: every torque moves one place on, the new one is the last
        moved = [x[name] for name in names[1:]] + [found["tau"]]
        return {**found, "tau": list(x[names[0]]), **{f"{name}_next": list(v) for name, v in zip(names, moved)}}

    waiting = [PortKind(name, EFFORT, "torques on their way", role="state", letter=f"{name}_") for name in names]
    following = {f"{name}_next": Result(EFFORT, f"{name} after the step", Next(name)) for name in names}
    return replace(law, inputs=(*law.inputs, *waiting), outputs={**law.outputs, **following}, text=text)


Gains = Callable[[Mapping[str, float]], tuple[float, float, float]]


class LawEntry(NamedTuple):
    """A law: what gives rates, and what gives the next states.

    `error`, of a law that makes the error of every joint linear, gives (ki, kp, kd) of e⃛ + kd ë + kp ė + ki e = 0 from
    the settings of the joint.
    """

    continuous: Block
    sampled: Block
    error: Gains | None = None


def _of_tasks(law: Callable[[Task], Block]) -> Callable[..., LawEntry]:
    """A law of the tool, of its pose or of its position alone."""

    def make_entry(task: str = "pose") -> LawEntry:
        block = law(task_named(task))
        return LawEntry(block, block)

    return make_entry


def _dynamic_adaptive(adapt: Any = "payload", dropped: Any = ()) -> LawEntry:
    return LawEntry(*dynamic_adaptive(adapt, (dropped,) if isinstance(dropped, str) else dropped))


# laws that come in variants: what makes the entry from options by their names; `LAWS` has the one without any
VARIANTS: dict[str, Callable[..., LawEntry]] = {
    "resolved_acceleration": _of_tasks(resolved_acceleration),
    "operational_space": _of_tasks(operational_space),
    "impedance": _of_tasks(impedance),
    "dynamic_adaptive": _dynamic_adaptive,
}
LAWS: dict[str, LawEntry] = {
    "pid": LawEntry(joint_feedback.PID, joint_feedback.SAMPLED_PID),
    "pd_gravity": LawEntry(joint_feedback.PD_GRAVITY, joint_feedback.PD_GRAVITY),
    "friction_compensation": LawEntry(joint_feedback.FRICTION_COMPENSATION, joint_feedback.FRICTION_COMPENSATION),
    "feedforward": LawEntry(joint_feedback.FEEDFORWARD, joint_feedback.FEEDFORWARD),
    "computed_torque": LawEntry(
        computed_torque.COMPUTED_TORQUE, computed_torque.COMPUTED_TORQUE, lambda x: (0.0, x["kp"], x["kd"])
    ),
    "computed_torque_pid": LawEntry(
        computed_torque.COMPUTED_TORQUE_PID,
        computed_torque.SAMPLED_COMPUTED_TORQUE_PID,
        lambda x: (x["ki"], x["kp"], x["kd"]),
    ),
    "sliding": LawEntry(computed_torque.SLIDING, computed_torque.SLIDING, computed_torque.linear_gains),
    "momentum_observer": LawEntry(MOMENTUM_OBSERVER, SAMPLED_MOMENTUM_OBSERVER),
    **{name: made() for name, made in VARIANTS.items()},
    **{name: LawEntry(*blocks) for name, blocks in ADAPTIVE.items()},
}
LONGEST_DELAY = 64  # samples: a torque on its way is a state of its own
NONE: Mapping[str, Any] = MappingProxyType({})


def law_named(name: str) -> LawEntry:
    if not isinstance(name, str) or name not in LAWS:
        raise UnknownNameError("control law", name, LAWS, LAWS_ALSO_CALLED)
    return LAWS[name]


def option_names(name: str) -> list[str]:
    """The words that choose a variant of the law, and those that add a part to it."""
    variant = signature(VARIANTS[name]).parameters if name in VARIANTS else ()
    block = law_named(name).sampled
    return [*variant, *adaptive.bound_names(block), *(("limit", "delay") if "tau" in block.outputs else ())]


def options_from(name: str | RobotLaw, given: Mapping[str, object], *, sampled: bool) -> dict[str, object]:
    """What of the words given with a law decides its formula: `delay`, limits and bounds that it lacks, its
    variant."""
    known: Mapping[str, object] = {}
    if not isinstance(name, RobotLaw):
        law_named(name)
        known = signature(VARIANTS[name]).parameters if name in VARIANTS else {}
    options = {option: given[option] for option in known if option in given}
    block = law_block(name, sampled=sampled, options=options)
    if any(bound in given for bound in adaptive.bound_names(block)):
        options["bounded"] = True
    if "tau" not in block.outputs:  # nothing to limit, nothing to delay
        return options
    if "limit" in given and LIMIT.name not in {port.name for port in block.inputs}:
        options["limited"] = True
    if "delay" in given:
        options["delay"] = _samples(str(name), given["delay"], sampled=sampled)
    return options


def _samples(name: str, delay: Any, *, sampled: bool) -> int:
    try:
        whole = -1 if isinstance(delay, bool) else index(delay)
    except TypeError:
        whole = -1
    if not 0 <= whole <= LONGEST_DELAY:
        raise InputError(
            "{name}: delay: expected whole samples, 0 to {longest_delay}, found {delay!r:.60}",
            name,
            LONGEST_DELAY,
            delay,
        )
    if whole and not sampled:
        raise InputError("{name}: delay= counts samples; a law in continuous time (sample=None) has no samples", name)
    return whole


def law_block(name: str | RobotLaw, *, sampled: bool, options: Mapping[str, Any] = NONE) -> Block:
    """A law as it is requested: a variant, and its parts: "bounded", "limited", and "delay" in samples."""
    if isinstance(name, RobotLaw):
        block = name.block(sampled=sampled)
    else:
        variant = {option: value for option, value in options.items() if option not in ("bounded", "limited", "delay")}
        entry = VARIANTS[name](**variant) if variant else law_named(name)
        block = entry.sampled if sampled else entry.continuous
    block = adaptive.bound_estimates(block) if options.get("bounded") else block
    block = limit_torques(block) if options.get("limited") else block
    return delay_torques(block, options["delay"]) if options.get("delay") else block
