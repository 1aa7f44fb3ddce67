"""`payload`: what an arm held while it was recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manipula import PayloadEstimator, api
from manipula.cli.recordings import said
from manipula.cli.terminal import options, places
from manipula.cli.terminal.screen import guarded, say_json, say_prose, say_table
from manipula.cli.terminal.wishes import NOTHING, Wishes, about_a_robot
from manipula.messages import Message


@guarded
@about_a_robot
def payload(
    robot: options.RobotName,
    file: Annotated[Path, typer.Argument(metavar="LOG", help="A recording of the arm with its load; see logs.")],
    frame: Annotated[str, typer.Option("--frame", help="The frame it is told in, the tool's unless named.")] = "",
    learnt: Annotated[str, typer.Option("--learn", help="Parameters of the load, with commas.")] = "mx,my,mz,m",
    forgetting: Annotated[float, typer.Option("--forgetting", help="What a sample keeps of those before it.")] = 1.0,
    columns: said.Columns = None,
    units: said.Units = None,
    scale: said.Scale = None,
    rate: said.Rate = None,
    topic: said.Topic = "",
    wishes: Wishes = NOTHING,
    as_json: options.Json = False,
) -> None:
    """Weigh what an arm held while it was recorded: mass and centre of mass, as known by the end.

    The arm's own parameters are the robot's, so the robot should be one that was identified empty.

    \b
    Examples:
      manipula payload puma560 run.csv
      manipula payload arm.toml run.npz --learn m --json
    """
    subject = places.find(robot, wishes)
    log = api.read_log(file, subject, **said.understanding(columns, units, scale, rate, topic))
    weigh = PayloadEstimator(subject, frame, [x.strip() for x in learnt.split(",")], forgetting, 1 / log.rate)
    weigh.run(log)
    if as_json:
        say_json(weigh.as_dict())
        return
    _say(weigh, log.source)


def _say(weigh: PayloadEstimator, source: str) -> None:
    sigma = weigh.sigma
    rows = [[name, f"{value:.6g}", f"{sigma[name]:.2g}"] for name, value in weigh.theta.items()]
    say_table(Message("{source}: what {name} held", source, weigh.robot.name), ("parameter", "estimate", "sigma"), rows)
    told = ", ".join(f"{x:.4g}" for x in weigh.com) if "m" in weigh.columns else ""
    say_prose(
        Message("- centre of mass at {told} m in the frame", told) if told else Message("- the mass was not asked for")
    )
    shown = weigh.identifiable
    say_prose(
        Message("- the motion showed: {shown}", ", ".join(shown))
        if shown
        else Message("- the motion showed nothing of it")
    )
