"""The ready studies by name."""

from __future__ import annotations

from manipula.errors import UnknownNameError
from manipula.studies.catalogue import bootstrap, design, gains, payload, tolerance, tune, workspace
from manipula.studies.catalogue.entry import Ready

READY = {
    entry.name: entry
    for entry in (
        Ready(
            "workspace",
            "where the tool gets to, in how many ways, how nimble and how loaded: by voxel",
            workspace.voxel,
            workspace.plan,
            workspace.show,
            form=workspace.FORM,
            columns=workspace.COLUMNS,
        ),
        Ready(
            "tolerances",
            "how far off the tool is, and the torques, when lengths, angles, masses are not exact",
            tolerance.sample_case,
            tolerance.plan,
            tolerance.show,
            form=tolerance.FORM,
            columns=tolerance.COLUMNS,
        ),
        Ready(
            "gains",
            "a law's gains by simulated runs: errors, torques, where it is stable",
            gains.rollout_cases,
            gains.plan,
            gains.show,
            gains.best_row,
            form=gains.FORM,
            columns=gains.COLUMNS,
        ),
        Ready(
            "tune",
            "a search for a law's gains: the smallest error whose torque stays below a limit",
            tune.search_case,
            tune.plan,
            tune.show,
            tune.best_summary,
            form=tune.FORM,
            columns=tune.COLUMNS,
        ),
        Ready(
            "payload",
            "how much an arm carries how fast: torques against what the motors give",
            payload.payload_case,
            payload.plan,
            payload.show,
            form=payload.FORM,
            columns=payload.COLUMNS,
        ),
        Ready(
            "bootstrap",
            "how sure an identification is: recordings drawn again, window by window",
            bootstrap.resample_case,
            bootstrap.plan,
            bootstrap.show,
            files=("logs",),
            form=bootstrap.FORM,
            columns=bootstrap.COLUMNS,
        ),
        Ready(
            "design",
            "which lengths and motors do what is asked, and the front that no other design beats",
            design.design_case,
            design.plan,
            design.show,
            form=design.FORM,
            columns=design.COLUMNS,
            build=design.robot_of_case,
        ),
    )
}


def ready(name: str) -> Ready:
    if name not in READY:
        raise UnknownNameError("ready study", name, READY)
    return READY[name]
