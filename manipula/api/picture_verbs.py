"""What a person does to see a robot: its drawing as data, pictures of it, an arm in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manipula.api.robot_verbs import robot_from, robot_module
from manipula.errors import InputError, ManipulaError, UnknownNameError
from manipula.messages import Message

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from manipula.pages.picture import Picture
    from manipula.pages.plots import DrawnMotion
    from manipula.pages.widget import View
    from manipula.robot import Robot, RobotLike

VIEWS = {"front": (0, 0), "back": (180, 0), "left": (90, 0), "right": (-90, 0), "top": (-90, 90), "corner": (-58, 20)}
LARGEST = 10_000  # points of a side
PICTURES = (".svg", ".pdf", ".png")


def drawing(
    robot: RobotLike, values: Mapping[str, float | str] | None = None, *, meshes: bool | None = False
) -> dict[str, Any]:
    """All that a picture of the robot needs, as plain data: joints with the steps before and after them, links as
    solids in their own frames, the tool, centres of mass, what can be reached. `values` are parameters by name; a
    length without a value gets a stand-in, told in `stand_ins`. `meshes`: links look as the URDF file says that the
    robot came from (boxes, cylinders, spheres; .stl, .obj, .dae in its folder or package); what could not be drawn is
    listed in `notes`. None: if there is such a file.

    >>> record = drawing("planar2r", {"l1": 0.5})
    >>> record["joints"][0]["after"], record["stand_ins"]
    ([['tz', 0.0, 'd'], ['tx', 0.5, 'a'], ['rx', 0.0, 'alpha']], {'l2': 0.3})
    """
    from manipula.mechanics.drawing.record import drawing_of
    from manipula.mechanics.drawing.visuals import attach_visuals, dressed_where_known, looks_of

    described = robot_from(robot)
    if values is not None and not isinstance(values, Mapping):
        raise InputError("values: expected parameters by name, such as {{'l1': 0.4}}, found {values!r:.60}", values)
    record = drawing_of(described.with_parameters(**values) if values else described)
    if meshes is None:
        return dressed_where_known(record, described)
    return attach_visuals(record, looks_of(record, described)) if meshes else record


def looks(robot: RobotLike, within: Path | None = None) -> dict[str, Any]:
    """How the URDF file that the robot came from draws its links, as plain data: `shapes` by the joint that moves them
    ("" the base), `paints`, and `notes` on what could not be drawn. `within`: no file outside this folder is read."""
    from manipula.mechanics.drawing.record import drawing_of
    from manipula.mechanics.drawing.visuals import looks_of

    described = robot_from(robot)
    return looks_of(drawing_of(described), described, within)


def picture(
    robot: RobotLike, q: ArrayLike | str | None = None, path: str | Path | None = None, *,
    values: Mapping[str, float | str] | None = None, view: str | Sequence[float] | None = None, frames: str = "tool",
    names: bool = False, background: str = "none", size: Sequence[float] = (480, 420), whole: bool = False,
) -> Picture:  # fmt: skip
    """The robot as an SVG: its text, which a notebook shows as a picture. Written to `path`, if one is given: as it is
    where the name ends in .svg, which needs no other library; as .pdf or .png it is set by Typst (`manipula[pdf]`).

    `q`: coordinates, rad and m, or the name of a pose; left out, a pose that shows the arm well. `view`: "corner",
    "front", "back", "left", "right", "top", or two angles in degrees, around the vertical and above the floor.
    `frames`: arrows x, y, z (vermilion, green, blue) of the "tool", of "all" links, or "none". `names` of the joints;
    `background`: "none", "light", "dark"; `size` in points; `whole`: room for all that the arm can reach.

    >>> picture("puma560", [0, -0.5, 0.3, 0, 0.8, 0]).startswith("<svg")
    True
    """
    from manipula.mechanics.drawing.skeleton import axes_of, poses_of, position_of
    from manipula.pages.paper import compiler, picture_bytes
    from manipula.pages.picture import Style, svg_of
    from manipula.support.files import write_bytes

    kind = ".svg" if path is None else Path(path).suffix.lower()
    if kind not in PICTURES:
        raise InputError("{path}: expected a name that ends in .svg, .pdf or .png", path)
    if kind != ".svg":
        compiler()  # said before the work, not after it
    record = drawing(robot, values)
    width, height = _size(size)
    choices = {"frames": ("tool", "all", "none"), "background": ("none", "light", "dark")}
    for (name, known), said in zip(choices.items(), (frames, background)):
        if said not in known:
            raise UnknownNameError(Message("choice of {name}", name), str(said), known)
    style = Style(width, height, _eye(view, record), frames, bool(names), background, bool(whole))
    poses = poses_of(record, position_of(record, q))
    text = svg_of(record, poses, axes_of(record, poses), style)
    if path is not None:
        write_bytes(Path(path), text.encode() if kind == ".svg" else picture_bytes(text, kind[1:], (width, height)))
    return text


def _eye(view: str | Sequence[float] | None, record: Mapping[str, object]) -> tuple[float, ...] | None:
    import numpy as np

    from manipula.mechanics.drawing.view import towards

    if view is None:
        return None
    if isinstance(view, str) and view not in VIEWS:
        raise UnknownNameError("view", view, VIEWS)
    angles = VIEWS[view] if isinstance(view, str) else _numbers(view, 2)
    if angles is None:
        raise InputError(
            "view: expected one of {views}, or two angles in degrees, found {view!r:.60}", ", ".join(VIEWS), view
        )
    return tuple(towards(angles[0], angles[1], np.array(record["up"])).tolist())


def _size(size: Sequence[float]) -> tuple[float, float]:
    found = _numbers(size, 2)
    if found is None or not all(1 <= x <= LARGEST for x in found):
        raise InputError(
            "size: expected a width and a height in points, of 1 to {largest}, found {size!r:.60}", LARGEST, size
        )
    return found[0], found[1]


def _numbers(given: Iterable[float], count: int) -> tuple[float, ...] | None:
    """So many finite numbers, else None."""
    from math import isfinite

    try:
        found = tuple(float(x) for x in given)
    except (TypeError, ValueError):
        return None
    return found if len(found) == count and all(map(isfinite, found)) else None


# The figures of an arm: what `Arm` has besides its models.

MOST_ROWS = 2000  # of a run that is played: more than a screen shows
MOST = 1_000_000  # positions of a workspace


class ArmViews:
    """Of a robot; lengths without a value get stand-ins, which the title names."""

    robot: Robot

    def plot(
        self, q: ArrayLike | str | None = None, *, frames: bool = False, names: bool = False, trail: bool = True
    ) -> Any:
        """The arm as a figure of matplotlib, which is not shown; in the plane, if it moves in one.

        `q`: coordinates, the name of a pose, or rows of coordinates, of which the last is drawn whole, some before it
        faintly, and the way of the tool through all (`trail`). Left out, a pose that shows the arm well. `frames`: of
        every link, not of the tool alone; `names` of the joints.
        """
        from manipula.pages.plots import arm_figure

        return arm_figure(self._motion(q), frames=bool(frames), names=bool(names), trail=bool(trail))

    def view(self, moved: object = None, *, times: ArrayLike | None = None, height: int = 420, **shown: bool) -> View:
        """The arm in a notebook, moved by the hand, by sliders or by `view.q = …`; needs `manipula[notebook]`.

        `moved` is a position, the name of a pose, rows of positions (with `times`, else 25 a second), or a run, which
        is played. Marks are switched on by name: `frames=True`, `ranges=True`, `trail=True` … An exported page without
        a network shows the picture.
        """
        return view_of(self.robot, moved, times, height, shown)

    def plot_workspace(self, samples: int = 20_000, *, seed: int = 0) -> Any:
        """Where the tool can be, as a figure of matplotlib: random positions within the limits, from the side and from
        above, coloured by manipulability. Joints without limits turn once around."""
        import numpy as np

        from manipula.mechanics.drawing.skeleton import axes_of, freedom_of, jacobian_of, poses_of
        from manipula.mechanics.drawing.view import ranges
        from manipula.pages.plots import workspace_figure

        if isinstance(samples, bool) or not isinstance(samples, int) or not 1 <= samples <= MOST:
            raise InputError("samples: expected a whole number of 1 to {most}, found {samples!r:.60}", MOST, samples)
        motion = self._motion(None)
        low, high = ranges(motion.record).T
        poses = poses_of(motion.record, np.random.default_rng(seed).uniform(low, high, (samples, len(low))))
        freedom = freedom_of(jacobian_of(motion.record, poses, axes_of(motion.record, poses)))
        return workspace_figure(motion, poses[-1][:, :3, 3], freedom)

    def plot_ellipsoid(self, q: ArrayLike | str | None = None) -> Any:
        """How freely the tool moves and how hard it can push at q, as ellipsoids in a figure of matplotlib: its
        velocities for joint rates of length 1, the forces it holds for joint efforts of length 1."""
        from manipula.mechanics.drawing.skeleton import jacobian_of
        from manipula.pages.plots import ellipsoid_figure

        motion = self._motion(q, most=1)
        J = jacobian_of(motion.record, motion.poses, motion.axes)[-1]
        turns = {joint["turn"] > 0 for joint in motion.record["joints"]}
        rate, effort = {(True,): ("rad/s", "N·m"), (False,): ("m/s", "N")}.get(tuple(turns), ("SI unit", "SI unit"))
        return ellipsoid_figure(motion, J, (f"m/s per {rate}", f"N per {effort}"))

    def _motion(self, q: ArrayLike | str | None, most: int = 2) -> DrawnMotion:
        import numpy as np

        from manipula.mechanics.drawing.skeleton import axes_of, poses_of, rows_of
        from manipula.pages.plots import DrawnMotion

        record = drawing(self.robot)
        poses = poses_of(record, np.atleast_2d(rows_of(record, q, most)))
        return DrawnMotion(record, poses, axes_of(record, poses))

    def _repr_html_(self) -> str:
        """A picture, and the line that is printed elsewhere."""
        from html import escape

        try:
            shown = str(picture(self.robot, size=(320, 280)))
        except ManipulaError:
            shown = ""
        return f"{shown}<p>{escape(repr(self))}</p>"


def view_of(robot: Robot, moved: object, times: ArrayLike | None, height: int, shown: dict[str, bool]) -> View:
    """`Arm.view`: of a position, of rows of positions at times, or of what has both, as a run has."""
    from manipula.pages.widget import SHOWN, Scene, View

    odd = next((name for name in shown if name not in SHOWN), None)
    if odd is not None:
        raise UnknownNameError("mark of a view", odd, SHOWN)
    record = drawing(robot, meshes=None)
    q, times, rows = _playback(record, moved, times)
    still = picture(robot, q, background="light", size=(640, height), whole=True)
    return View(Scene(robot.name, record, q, still, _models(robot), times, rows, height, shown))


def _playback(
    record: dict[str, object], moved: Any, times: ArrayLike | None
) -> tuple[list[float], list[float], list[list[float]]]:
    """The first position, and the times and rows to play; of a position alone there are none."""
    import numpy as np

    from manipula.mechanics.drawing.skeleton import rows_of

    if hasattr(moved, "q") and hasattr(moved, "t"):
        moved, times = moved.q, moved.t
    found = rows_of(record, moved)
    if found.ndim == 1:
        return found.tolist(), [], []
    clock = np.arange(len(found)) / 25 if times is None else np.asarray(times, dtype=float)
    if clock.shape != found.shape[:1] or not np.isfinite(clock).all() or (np.diff(clock) < 0).any():
        raise InputError("times: expected {count} finite numbers that do not fall, one for each row of q", len(found))
    few = np.unique(np.linspace(0, len(found) - 1, min(len(found), MOST_ROWS)).astype(int))
    return found[0].tolist(), clock[few].tolist(), found[few].tolist()


def _models(robot: Robot) -> str:
    """What dragging and forces need, quickly made; without it the arm moves by its drawing."""
    try:
        return robot_module(robot, models=["pose", "gravity", "inverse_kinematics"], optimise="none", seconds=10)
    except ManipulaError:
        return ""
