"""What a person does with arms in time: control them, close the loop, simulate, see what they must carry."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manipula.api.robot_verbs import load, robot_from
from manipula.errors import InputError, UnsetError
from manipula.support.progress import Tell, silent

if TYPE_CHECKING:
    from manipula.algebra.expr.function import Function
    from manipula.generation.prepare import Request
    from manipula.generation.results.model import Model
    from manipula.generation.results.system import Law, System
    from manipula.mechanics.models.control.user_law import RobotLaw, UserLaw
    from manipula.mechanics.models.entry import Block
    from manipula.mechanics.robot.bind import Symbolic
    from manipula.recordings.log import Log
    from manipula.robot import Robot, RobotLike
    from manipula.simulation.loop import Sensors
    from manipula.simulation.plant import Plant
    from manipula.simulation.run import Run
    from manipula.simulation.scenario import Scenario
    from manipula.simulation.task import Event
    from manipula.trajectories.trajectory import Trajectory


def law(
    text: Callable[..., object] | None = None, *, states: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None, units: Mapping[str, str] | None = None,
    inputs: Mapping[str, Any] | None = None,
) -> Any:  # fmt: skip
    """A control law of one's own, written as a function of NumPy's kind: a decorator.

    The function asks for what it needs by name: the arm and its models, `q`, `qd`, `q_ref`, `qd_ref`, `qdd_ref`, its
    states, its settings, `sample`. It returns the torques, and with states a second value, state → next value (or
    "state_rate" → its rate). `states` have sizes: "n" is one a joint, "n×n" a matrix, 1 a number, "base" one a base
    parameter. `settings` have sizes, values they have unless given, or both: ("n", 100.0). `inputs` are more of what
    is measured or wanted, by their sizes. `units` are for the names in emitted code.

    >>> @law(settings={"kp": "n", "kd": ("n", 20.0)})
    ... def spring(arm, q, qd, q_ref, kp, kd):
    ...     return kp * (q_ref - q) - kd * qd + arm.gravity(q)
    >>> print(controller("planar2r", spring, kp=100, sample=1e-3).cost)
    6× + 8+ = 14, 2 sin/cos
    """
    from manipula.mechanics.models.control.user_law import user_law

    def make(text: Callable[..., object]) -> UserLaw:
        return user_law(text, states or {}, settings or {}, units or {}, inputs or {})

    return make if text is None else make(text)


def where(condition: object, yes: object, no: object) -> Any:
    """`yes` where the condition holds, else `no`, entry by entry: how a law of one's own decides."""
    from manipula.mechanics.models.control.law_arrays import where

    return where(condition, yes, no)


def controller(
    robot: RobotLike, law: str | UserLaw, *, sample: float | None = None, symbolic: Symbolic = "auto",
    optimise: str = "fast", tell: Tell = silent, **settings: object,
) -> Law:  # fmt: skip
    """A control law for the robot, proved: "pid", "computed_torque", "sliding" … or one of your own (`law`), its gains.

    `sample` is the time between its steps; without it the law is in continuous time, and gives the rates of its states.
    A setting is one number for all joints or one for each. Any law takes `limit`, the largest torques, and any sampled
    one `delay`, whole samples between measuring and acting. Laws that learn take `lower` and `upper`, bounds of what is
    learnt. Gains that cannot hold an arm so sampled are refused.

    >>> law = controller("planar2r", "pd_gravity", kp=100, kd=20, sample=1e-3)
    >>> law.inputs["kp"]
    ('kp1', 'kp2')
    """
    from manipula.generation.compose import bind_user_law, generate_block
    from manipula.generation.prepare import Request, prepare
    from manipula.generation.results.system import Law
    from manipula.generation.settings import defaults, refuse_time, settings_for
    from manipula.mechanics.models.control.laws import options_from
    from manipula.mechanics.models.control.user_law import RobotLaw, UserLaw
    from manipula.mechanics.robot.topology import LAWS_FOR_LOOPS, refuse_loops, refuse_moving
    from manipula.simulation.loop import first_states, refuse_bounds, refuse_unstable

    refuse_time("sample", sample)
    chosen = robot_from(robot)
    request = Request(chosen, "inverse_dynamics", symbolic=symbolic, optimise=optimise)
    asked = prepare(request)
    if isinstance(law, UserLaw):
        refuse_loops(chosen, law.name, LAWS_FOR_LOOPS)
    bound = bind_user_law(law, asked, tell) if isinstance(law, UserLaw) else law
    options = options_from(bound, settings, sampled=sample is not None)
    block = _law_of(chosen, bound, sample is not None, options)
    if block.calls:
        refuse_moving(chosen, str(bound))
    given = {name: value for name, value in settings.items() if name not in options}
    given = law.values(bound.counts, given) if isinstance(law, UserLaw) and isinstance(bound, RobotLaw) else given
    given |= {"sample": sample} if any(port.name == "sample" for port in block.inputs) else {}
    found = settings_for(asked.function_name(block.name), block.inputs, asked.sizes, defaults(block.inputs) | given)
    joints = chosen.motors if block.closed else chosen.joint_names
    refuse_unstable(asked.function_name(block.name), bound, joints, found, sample, options)
    initial = first_states(block.inputs, chosen)
    refuse_bounds(asked.function_name(block.name), found, initial)
    function = request.describe(generate_block(block, asked, tell))
    plain = partial(_plain_law, bound, sample is not None, options, request)
    return Law(function, request, plain, settings=found, sample=sample, initial=initial, law=bound, options=options)


def _law_of(robot: Robot, law: str | RobotLaw, sampled: bool, options: Mapping[str, object]) -> Block:
    """The law's text; of a robot with loops it acts at the motors."""
    from manipula.mechanics.models.control.laws import at_motors, law_block

    block = law_block(law, sampled=sampled, options=options)
    return at_motors(block, robot.name, robot.motor_coordinates) if robot.loops else block


def _plain_law(law: str | RobotLaw, sampled: bool, options: Mapping[str, object], request: Request) -> Function:
    """The law around plain models."""
    from manipula.generation.reports import plain_block

    return plain_block(_law_of(robot_from(request.robot), law, sampled, options), request)


def law_model(
    robot: RobotLike, law: str, *, sampled: bool = True, symbolic: Symbolic = "auto", optimise: str = "fast",
    tell: Tell = silent, **words: object,
) -> Model:  # fmt: skip
    """A control law as a function, its gains still open: what emitted code takes when it starts.

    `words` are those of `controller` that decide the formula: `limit` (any value), `delay`, `task` …
    """
    from manipula.generation.compose import generate_block
    from manipula.generation.prepare import Request, prepare
    from manipula.generation.results.model import Model
    from manipula.mechanics.models.control.laws import options_from

    options = options_from(law, words, sampled=sampled)
    block = _law_of(robot_from(robot), law, sampled, options)
    request = Request(robot_from(robot), "inverse_dynamics", symbolic=symbolic, optimise=optimise)
    plain = partial(_plain_law, law, sampled, options, request)
    return Model(request.describe(generate_block(block, prepare(request), tell)), request, plain)


def laws() -> dict[str, str]:
    """What `controller` can make: name → one line."""
    from manipula.mechanics.models.control.laws import LAWS

    return {name: entry.sampled.doc.removesuffix(", sampled") for name, entry in LAWS.items()}


def law_settings(law: str) -> dict[str, str]:
    """The settings of a law: name → meaning, unit, and the value it has unless given."""
    from manipula.mechanics.models.control.laws import law_block

    ports = [x for x in law_block(law, sampled=True).inputs if x.role == "setting" and x.name != "sample"]
    preset = {x.name: f"; {x.default:g} unless given" for x in ports if x.default is not None}
    return {x.name: f"{x.doc}, {x.unit}{preset.get(x.name, '')}" for x in ports}


def law_gains(law: str) -> list[dict[str, Any]]:
    """The settings of a law as data: name, meaning, unit, and the value it has unless given, or None."""
    from manipula.mechanics.models.control.laws import law_block

    ports = [x for x in law_block(law, sampled=True).inputs if x.role == "setting" and x.name != "sample"]
    return [{"name": x.name, "about": x.doc, "unit": x.unit, "value": x.default} for x in ports]


def law_options(law: str) -> list[str]:
    """The words that choose among the variants of a law, beside `limit` and `delay` of any that drives an arm."""
    from manipula.mechanics.models.control.laws import option_names

    return option_names(law)


def closed_loop(
    plant: Plant | RobotLike, law: Law | None, ref: Trajectory | None = None, *, method: str = "rk4",
    step: float | None = None, symbolic: Symbolic = "auto", optimise: str = "fast", wrench: bool = False,
    sensors: Sensors | None = None, hold: Mapping[str, object] | None = None, tell: Tell = silent,
) -> System:  # fmt: skip
    """A law and the arm it drives as one function of one step, proved: states in, states after the step out.

    The plant may be another robot than the law believes in, with a payload that it does not know; as a `Plant` its
    joints stick, its torques are clipped, its joints stop; where they are elastic, `motor` and `motor_rate` are states
    beside q and qd, and what the law sees. The torque of a sampled law is held over its sample time; a law in
    continuous time acts in every stage of the integrator ("rk4", "rk8", "gauss4", "semi-implicit", "euler"), and `step`
    is the time of a step; the sample time of a sampled law is a whole multiple of it, and the step itself unless `step`
    says otherwise. With a reference the loop counts its steps and follows it, the state `clock` being the number of
    steps so far; without one, what is wanted is an input. `wrench` makes the force and moment on the plant's tool an
    input, held over a step. `sensors` stand between the arm and the law; their noise is an input of a step, and drawn
    by `run`.

    With None in place of a law it is one step of the arm alone, of 1 ms unless `step` says otherwise: the torques `tau`
    are an input, held over the step. Of a robot on a base that moves freely the base's pose and twist are states, too,
    and `hold` names frames that are held, `{"foot": "point"}`: the loop then gives their `forces`, its state `drift` is
    how far they have moved, and its setting `baumgarte` pulls them back.

    >>> arm = load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    >>> list(closed_loop(arm, None).inputs)
    ['q', 'qd', 'tau', 'sample']
    """
    from manipula.simulation.loop import loop_system
    from manipula.simulation.plant import Plant

    return loop_system(
        plant if isinstance(plant, Plant) else robot_from(plant), law, ref, method=method, step=step, symbolic=symbolic,
        optimise=optimise, wrench=wrench, sensors=sensors, hold=hold, tell=tell,
    )  # fmt: skip


def simulate(
    plant: Plant | RobotLike, law: object = None, ref: object = None, *, start: object = None,
    until: float | None = None, step: float = 1e-3, method: str = "rk4", sensors: Sensors | None = None,
    wrench: object = None, events: Sequence[Event] = (), parameters: Mapping[str, object] | None = None,
    threads: int = 1, seed: int = 0, every: int = 1, stages: bool = False,
    hold: Mapping[str, object] | None = None, tell: Tell = silent,
) -> Run:  # fmt: skip
    """An arm in time: driven by a law along a reference, by torques, or by nothing.

    `law` is what `controller` makes, an array of torques ((n,) held, or one row a step), a function (t, q, qd) →
    torques that is asked at every step, and with `stages` in every stage of it, or None. `ref` is a trajectory, or what
    the law's other inputs are, by name; without it the law holds the start. `start` is q or (q, qd), by default where
    the reference begins, or states by name (`q`, `qd`, of elastic joints `motor`, `motor_rate`, else relaxed); with
    rows it is a batch. So are
    `parameters` with rows: the values of the plant's symbols, and gains of the law, by name. `until` is by default the
    end of the reference. `wrench` is the force and moment on the tool, world axes; `events` change it, the payload or
    the law on the way. `method` is "rk4", "rk8", "gauss4", "semi-implicit" or "euler", by steps, or "dop853": one arm,
    of order 8, from event to event, a function being asked at any time. The sample time of a law is a whole multiple of
    `step`; one step in `every` is kept. `threads` share the rows of a batch, 0 is one for each processor. Ctrl-C stops
    the run and returns the samples computed so far. A robot with loops is driven by torques of its motors, and its
    loops are closed after every step; the run has `gap`, `energy` and `work` besides. Of a robot on a base that moves
    freely `start` may name `p0`, `quaternion`, `v0` and `w0` too, or be a state of `mp.states`, a function may take (t,
    state), `hold` names frames that are held, and the run has `energy`, `momentum` and `forces` besides.

    Args:
        until: The end of the run, seconds.
        step: Of the integrator, seconds.
        method: rk4, rk8, gauss4, semi-implicit, euler or dop853.

    >>> arm = load("planar2r").with_parameters(l1=0.5, l2=0.4, m1=3, m2=2, g=9.81)
    >>> simulate(arm, start=[0.3, 0.2], until=0.1).q.shape
    (101, 2)
    """
    from manipula.mechanics.models.control.user_law import refuse_unbound
    from manipula.mechanics.robot.topology import refuse_moving_loops
    from manipula.simulation.plant_run import run_of

    refuse_unbound(law)
    if (closed := _with_loops(plant)) is not None:
        refuse_moving_loops(closed, "simulate")
        others = (sensors, wrench, parameters, *events)
        if any(x is not None for x in others) or method not in ("rk4", "rk8") or stages:
            raise InputError(
                "{robot}: of a robot with loops simulate takes a law, ref, start, until, step and every, by rk4 or rk8",
                closed.name,
            )
        from manipula.simulation.closed_run import run_closed

        return run_closed(closed, law, ref, start, until, step, every, method)
    if (flying := _moving(plant)) is not None:
        values: dict[str, Any] = dict(parameters or {})
        numbers = all(isinstance(x, Real) for x in values.values())
        if any(x is not None for x in (wrench, *events)) or stages or not numbers:
            raise InputError(
                "{robot}: of a robot whose base moves simulate takes a law, ref, start, until, step, method, sensors, "
                "hold, parameters (a number each), every, threads and seed", flying.name,
            )  # fmt: skip
        from manipula.simulation.base_run import run_base

        known = flying.with_parameters(**values) if values else flying
        return run_base(
            known, law, ref, start=start, until=until, step=step, method=method, hold=hold, sensors=sensors,
            every=every, threads=threads, seed=seed, tell=tell,
        )  # fmt: skip
    if hold is not None:
        raise InputError("{name}: hold= is for a base that moves freely", _plant(plant, driven=False).robot.name)
    return run_of(
        _plant(plant, driven=law is not None), law, ref, start=start, until=until, step=step, method=method,
        sensors=sensors, wrench=wrench, events=events, parameters=parameters, threads=threads, seed=seed, every=every,
        stages=stages, tell=tell,
    )  # fmt: skip


def _with_loops(plant: Plant | RobotLike) -> Robot | None:
    """The robot, if its chains close; a plant lacks one."""
    from manipula.simulation.plant import Plant

    robot = None if isinstance(plant, Plant) else robot_from(plant)
    return robot if robot is not None and robot.loops else None


def _moving(plant: Plant | RobotLike) -> Robot | None:
    """The robot, if its base moves; a plant stands still."""
    from manipula.simulation.plant import Plant

    robot = None if isinstance(plant, Plant) else robot_from(plant)
    return robot if robot is not None and robot.moving else None


def simulate_file(path: str | Path, *, force: bool = False, tell: Tell = silent) -> tuple[Run, list[Path]]:
    """The run that a scenario file describes, and the files that it asks for, written beside it.

    A file that exists is replaced only with `force`.
    """
    from manipula.simulation.scenario import read_scenario
    from manipula.support.checked_toml import errors_about, output_paths

    asked, folder = read_scenario(path), Path(path).parent
    files = output_paths(Path(path), asked.output, force)
    with errors_about(Path(path)):
        try:
            run = _run_scenario(asked, folder, tell)
        except UnsetError as error:
            raise InputError(
                "{problem}; [plant] parameters = {{ {missing} = … }} gives one", error.problem, error.missing[0]
            ) from error
        write: dict[str, Callable[[Path], Path]] = {"log": run.save, "plot": run.save_plot, "report": run.report}
        return run, [write[name](place) for name, place in files.items()]


def _run_scenario(asked: Scenario, folder: Path, tell: Tell) -> Run:
    from manipula.simulation.loop import Sensors
    from manipula.simulation.plant import Plant
    from manipula.simulation.scenario import joints_from, motion_from

    near = folder / asked.robot
    robot = load(near if os.path.isfile(near) else asked.robot)  # pathlib raises where a name is too long
    robot = robot.with_parameters(**asked.plant.parameters) if asked.plant.parameters else robot
    held = robot if asked.plant.payload is None else robot.with_payload(**asked.plant.payload.arguments())
    effort: Any = None if asked.plant.effort == "none" else asked.plant.effort
    plant = Plant(held, asked.plant.friction, effort, asked.plant.stops, **asked.plant.drives())
    sensors = None if asked.sensors is None else Sensors(**dict(asked.sensors))
    law = None
    if asked.law is not None:
        law = controller(robot, asked.law.name, sample=asked.law.sample, tell=tell, **asked.law.settings())
    turns, degrees = robot.coordinates.turns, asked.angle == "deg"
    start: object = None
    if asked.start is not None:
        start = joints_from(asked.start.q, turns, degrees, "start: q")
        start = start if asked.start.qd is None else (start, joints_from(asked.start.qd, turns, degrees, "start: qd"))
    return simulate(
        plant, law, motion_from(asked.reference, turns, degrees, folder), start=start, until=asked.run.until,
        step=asked.run.step, method=asked.run.method, wrench=asked.wrench, seed=asked.run.seed, every=asked.run.every,
        events=[x.event() for x in asked.event], sensors=sensors, tell=tell,
    )  # fmt: skip


def read_log(
    path: str | Path | Sequence[str | Path], robot: RobotLike | None = None, *,
    columns: Mapping[str, object] | None = None, units: Mapping[str, object] | None = None,
    scale: Mapping[str, object] | None = None, rate: float | None = None, topic: str | None = None,
) -> Log:  # fmt: skip
    """A recording: a table of any form, `.npz`, MATLAB, HDF5, Parquet, MCAP, bags of ROS; what `run.save` wrote.

    Columns are matched to the robot's joints by name, else by number. What cannot be is said by the heads, or numbers
    from 0: `columns={"q": ["a1", …]}`; None leaves a quantity out. `units={"q": "deg", "t": "ms"}` where heads do not
    tell; else SI is assumed, and refused where the numbers contradict it. `scale={"tau": [...]}` multiplies (currents,
    gear ratios, signs), `rate` (Hz) counts times anew, `topic` chooses among joint states. What was repaired is warned
    of and stands in `log.notes`.

    A list of paths is one recording in several files (positions, velocities, currents), joined by their times, or row
    by row where a file has no times. A file without heads says what it holds by its name: `positions.txt`.
    """
    from manipula.recordings import reader

    subject = None if robot is None else robot_from(robot)
    return reader.read_log(path, subject, columns, units, scale, rate, topic)


def _plant(given: Plant | RobotLike, driven: bool) -> Plant:
    """A robot alone sticks and stops; its effort limits matter where somebody drives it."""
    from manipula.simulation.plant import Plant

    return given if isinstance(given, Plant) else Plant(robot_from(given), effort="limits" if driven else None)
