"""What a ready study is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from inspect import Parameter, signature
from typing import Any

from manipula.errors import InputError, UnknownNameError
from manipula.messages import Message
from manipula.robot import Robot
from manipula.studies.ready.forms import StudyColumn, StudySetting
from manipula.studies.results.study_result import Study, no_robot


@dataclass(frozen=True)
class StudyPlan:
    """The cases of a study and what they share; `units` of columns that are named only now."""

    cases: Any
    shared: Mapping[str, Any]
    units: Mapping[str, str] = field(default_factory=dict)


def nothing(study: Study) -> Sequence[str]:
    return ()


def no_answer(study: Study) -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True)
class Ready:
    """`function` computes a case, `plan(robot, **settings)` makes the cases, `show` draws what came of them, `told` is
    the answer in short, by name; `files` are the settings that may name some. `form` tells of the settings and
    `columns` of the table, for whoever fills in a form and reads a result."""

    name: str
    line: str
    function: Callable[..., Any]
    plan: Callable[..., StudyPlan]
    show: Callable[[Study], Sequence[str]] = nothing
    told: Callable[[Study], Mapping[str, Any]] = no_answer
    files: tuple[str, ...] = ()
    form: tuple[StudySetting, ...] = ()
    columns: Mapping[str, StudyColumn] = field(default_factory=dict)
    build: Callable[[Study, int], Robot] = no_robot  # the robot of a case, where each has its own

    @property
    def settings(self) -> dict[str, Any]:
        """Name → value unless given; `...` where one must be."""
        known = list(signature(self.plan).parameters.values())[1:]
        return {x.name: ... if x.default is Parameter.empty else x.default for x in known}

    def planned(self, robot: Robot, settings: Mapping[str, Any]) -> StudyPlan:
        for name in settings:
            if name not in self.settings:
                raise UnknownNameError(Message("setting of the study {name}", self.name), name, self.settings)
        missing = [name for name, value in self.settings.items() if value is ... and name not in settings]
        if missing:
            raise InputError("the study {name} needs {missing}", self.name, ", ".join(missing))
        return self.plan(robot, **settings)
