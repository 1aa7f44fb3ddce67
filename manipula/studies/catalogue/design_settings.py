"""What the study of designs is given: tasks and motors, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from manipula.errors import InputError, UnknownNameError
from manipula.messages import Message
from manipula.robot import Robot
from manipula.studies.catalogue.entry import floats_from, joints, not_negative, positive
from manipula.studies.catalogue.workspace import rotation_to
from manipula.studies.designs.drives import Drive
from manipula.studies.designs.table_drives import pairs_from_tables
from manipula.studies.designs.tasks import Place, Task

Array = NDArray[np.float64]
Row = Mapping[str, Any]
TASK = ("name", "places", "joints", "duration", "payload", "com")
PLACE = ("xyz", "rpy", "axis")
MOTOR = ("name", "torque", "speed", "rated", "inertia", "ratio", "efficiency", "mass", "price", "joints")
SQUARE = 1e-6  # of RᵀR − 1


# tasks


def tasks_from(robot: Robot, given: object) -> tuple[Task, ...]:
    """At least one."""
    rows = _tables("tasks", given, "{places = [[0.4, 0, 0.2]]}")
    if not rows:
        raise InputError("tasks: expected what the arm is to do, such as {places = [[0.4, 0, 0.2]], payload = 1}")
    return tuple(_task(robot, Message("tasks: task {k}", k), row) for k, row in enumerate(rows, 1))


def _tables(word: str, given: object, such: str) -> list[Row]:
    rows = [given] if isinstance(given, Mapping) else given
    if not isinstance(rows, Sequence) or isinstance(rows, str) or not all(isinstance(x, Mapping) for x in rows):
        raise InputError("{word}: expected tables, such as {such}, found {given!r:.60}", word, such, given)
    return list(rows)


def _refuse_keys(where: str, row: Row, known: Sequence[str]) -> None:
    for key in row:
        if key not in known:
            raise UnknownNameError(Message("entry of {where}", where), str(key), known)


def _task(robot: Robot, where: str, row: Row) -> Task:
    _refuse_keys(where, row, TASK)
    if ("places" in row) == ("joints" in row):
        raise InputError("{where}: expected places of the tool, or joints, one of them", where)
    places = tuple(
        _place(Message("{where}: place {k}", where, k), x) for k, x in enumerate(_several(where, row, "places"), 1)
    )
    stops = tuple(
        _stop(robot, Message("{where}: joints {k}", where, k), x)
        for k, x in enumerate(_several(where, row, "joints", robot), 1)
    )
    name, count = row.get("name", ""), len(places) + len(stops)
    if not isinstance(name, str) or len(name) > 60:
        raise InputError("{where}: name: expected a word, found {name!r:.40}", where, name)
    if count > 1 and "duration" not in row:
        raise InputError(
            "{where}: duration: expected how many seconds its {count} legs take together", where, count - 1
        )
    seconds = positive(Message("{where}: duration", where), row.get("duration", 1.0))
    mass = not_negative(Message("{where}: payload", where), row.get("payload", 0.0))
    x, y, z = _three(Message("{where}: com", where), row.get("com", (0.0, 0.0, 0.0)))
    return Task(name, places, stops, seconds, mass, (x, y, z))


def _several(where: str, row: Row, key: str, robot: Robot | None = None) -> list[object]:
    """One after the other; a single one need not stand in a list."""
    if key not in row:
        return []
    given = row[key]
    if isinstance(given, str | Mapping) or (isinstance(given, list | tuple | np.ndarray) and _is_single(given, robot)):
        return [given]
    if not isinstance(given, list | tuple | np.ndarray) or not len(given):
        raise InputError("{where}: {key}: expected one or several, found {given!r:.60}", where, key, given)
    return list(given)


def _is_single(given: Any, robot: Robot | None) -> bool:
    numbers = len(given) > 0 and all(isinstance(x, int | float | np.number) for x in given)
    return numbers or (robot is None and np.shape(given) == (4, 4))


def _stop(robot: Robot, where: str, given: object) -> tuple[float, ...]:
    if isinstance(given, str):
        if given not in robot.poses:
            raise UnknownNameError(Message("pose of {name}", robot.name), given, robot.poses)
        return robot.poses[given]
    return tuple(joints(robot, where, given))


def _place(where: str, given: Any) -> Place:
    """[x, y, z] alone; with rpy, or with the direction of the tool's z axis; or a whole 4×4 pose."""
    if isinstance(given, Mapping):
        _refuse_keys(where, given, PLACE)
        if "xyz" not in given or ("rpy" in given and "axis" in given):
            raise InputError(
                "{where}: expected xyz, and rpy or axis or neither, found {dict!r:.60}", where, dict(given)
            )
        p = _three(Message("{where}: xyz", where), given["xyz"])
        if "rpy" in given:
            return _place_from_matrix(
                "pose", _rotation_from_rpy(_three(Message("{where}: rpy", where), given["rpy"])), p
            )
        if "axis" in given:
            return _place_from_matrix("axis", _rotation_from_axis(where, given["axis"]), p)
        return _place_from_matrix("position", np.eye(3), p)
    if np.shape(given) == (4, 4):
        return _pose(where, given)
    return _place_from_matrix("position", np.eye(3), _three(where, given))


def _place_from_matrix(part: str, R: Array, p: Sequence[float]) -> Place:
    rows = [(*map(float, row), float(x)) for row, x in zip(R, p)]
    return Place(part, (*rows, (0.0, 0.0, 0.0, 1.0)))


def _rotation_from_axis(where: str, axis: object) -> Array:
    z = np.array(_three(Message("{where}: axis", where), axis))
    if not np.linalg.norm(z) > 0:
        raise InputError("{where}: axis: expected a direction, found {axis!r:.60}", where, axis)
    return rotation_to(z / np.linalg.norm(z))


def _rotation_from_rpy(rpy: Sequence[float]) -> Array:
    """Roll, pitch, yaw about fixed axes: Rz·Ry·Rx."""
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_euler("xyz", rpy).as_matrix())


def _pose(where: str, given: object) -> Place:
    try:
        T = np.asarray(given, dtype=float)
        R, last = T[:3, :3], T[3]
        right = np.abs(R.T @ R - np.eye(3)).max() < SQUARE and np.linalg.det(R) > 0 and (last == (0, 0, 0, 1)).all()
    except (TypeError, ValueError):
        right = False
    if not right or not np.isfinite(T).all():
        raise InputError("{where}: expected a pose: a rotation, a place, and a last row of 0 0 0 1", where)
    return _place_from_matrix("pose", R, T[:3, 3].tolist())


def _three(where: str, given: object) -> list[float]:
    if (found := floats_from(given, 3)) is None:
        raise InputError("{what}: expected three numbers, found {count!r:.60}", where, given)
    return found


# motors


def drives_from(robot: Robot, given: object, gears: object, by: str) -> tuple[Drive, ...]:
    """Every motor with every one of its gears; of tables (CSV) every motor with every gear that fits a joint."""
    if isinstance(given, Path) or (isinstance(given, str) and Path(given).suffix):
        if gears is not None and not isinstance(gears, str | Path):
            raise InputError("gears: expected a table, FILE.csv, found {gears!r:.60}", gears)
        return tuple(
            Drive(x.label, x.torque, x.rated_torque, x.speed, x.inertia, x.mass, x.price, joints, x)
            for x, joints in pairs_from_tables(robot, given, gears, by)
        )
    if gears is not None:
        raise InputError('gears: a table of gears stands beside a table of motors: motors = "FILE.csv"')
    if by == "power":
        raise InputError('choose: power is that of motors in a table: motors = "FILE.csv"')
    rows = _tables("motors", given if given is not None else [], '{name = "A", torque = 1.5, speed = 300}')
    found = [drive for k, row in enumerate(rows, 1) for drive in _drives(robot, Message("motors: motor {k}", k), row)]
    labels = [drive.label for drive in found]
    if twice := next((x for x in labels if labels.count(x) > 1), None):
        raise InputError("motors: {twice!r} is there twice; expected names, or gears, that differ", twice)
    for joint, name in enumerate(robot.joint_names if found else (), 1):
        if not any(not drive.joints or joint in drive.joints for drive in found):
            raise InputError("motors: none is for joint {joint} ({name})", joint, name)
    return tuple(found)


def _drives(robot: Robot, where: str, row: Row) -> list[Drive]:
    _refuse_keys(where, row, MOTOR)
    if missing := [key for key in ("name", "torque", "speed") if key not in row]:
        raise InputError("{where}: {missing}: is missing", where, missing[0])
    name = row["name"]
    if not isinstance(name, str) or not name.strip() or len(name) > 60:
        raise InputError("{where}: name: expected a word, found {name!r:.40}", where, name)
    torque, speed = (positive(Message("{place}: {text}", where, key), row[key]) for key in ("torque", "speed"))
    rated = positive(Message("{where}: rated", where), row["rated"]) if "rated" in row else np.inf
    inertia, mass, price = (
        not_negative(Message("{place}: {text}", where, key), row.get(key, 0.0)) for key in ("inertia", "mass", "price")
    )
    share = positive(Message("{where}: efficiency", where), row.get("efficiency", 1.0))
    if share > 1:
        raise InputError("{where}: efficiency: expected a share of at most 1, found {share:g}", where, share)
    ratios = row.get("ratio", 1.0)
    several = list(ratios) if isinstance(ratios, list | tuple | np.ndarray) else [ratios]
    own = _own_joints(robot, where, row.get("joints", ()))
    if not several:
        raise InputError("{where}: ratio: expected one or several, found none", where)
    return [
        Drive(_label(name, N), N * share * torque, N * share * rated, speed / N, N**2 * inertia, mass, price, own)
        for N in (positive(Message("{where}: ratio", where), x) for x in several)
    ]


def _label(name: str, ratio: float) -> str:
    return name if ratio == 1 else f"{name} ×{ratio:g}"


def _own_joints(robot: Robot, where: str, given: object) -> tuple[int, ...]:
    """By name, or by number from 1."""
    names, found = list(robot.joint_names), list[int]()
    for x in given if isinstance(given, list | tuple) else [given]:
        if isinstance(x, str) and x in names:
            found.append(names.index(x) + 1)
        elif isinstance(x, int) and not isinstance(x, bool) and 1 <= x <= len(names):
            found.append(x)
        else:
            raise InputError("{where}: joints: expected some of {names}, found {x!r:.40}", where, ", ".join(names), x)
    return tuple(found)
