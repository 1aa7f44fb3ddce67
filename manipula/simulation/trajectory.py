"""References to follow, as `mp.trajectory`: each function makes a `Trajectory`, which is called with times.

>>> import manipula as mp
>>> ref = mp.trajectory.quintic([0, 0], [1, -0.5], duration=2.0)
>>> ref(1.0).q
array([ 0.5 , -0.25])
"""

from manipula.mechanics.models.motion.ports import Motion
from manipula.trajectories.joints import jerk_limited, quintic, ruckig, trapezoid
from manipula.trajectories.points import fourier, spline, table
from manipula.trajectories.time_optimal import TimeOptimal, time_optimal
from manipula.trajectories.tool import Singular, ToolTrajectory, circle, line
from manipula.trajectories.trajectory import Trajectory

__all__ = [
    "Motion",
    "Singular",
    "TimeOptimal",
    "ToolTrajectory",
    "Trajectory",
    "circle",
    "fourier",
    "jerk_limited",
    "line",
    "quintic",
    "ruckig",
    "spline",
    "table",
    "time_optimal",
    "trapezoid",
]
