"""The figures of an arm: what `Arm` has besides its models."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from manipula.api.picture_verbs import drawing, picture
from manipula.errors import InputError, ManipulaError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from manipula.pages.plots import DrawnMotion
    from manipula.pages.widget import View
    from manipula.robot import Robot

MOST = 1_000_000  # positions of a workspace


class ArmViews:
    """Of a robot; lengths without a value get stand-ins, which the title tells."""

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
        from manipula.api.page_verbs import view_of

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
        try:
            shown = str(picture(self.robot, size=(320, 280)))
        except ManipulaError:
            shown = ""
        return f"{shown}<p>{escape(repr(self))}</p>"
