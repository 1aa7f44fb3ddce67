"""What a command may be told of its robot: values, which chain of the file, how it is read. The same for every command.

A command has one argument `wishes: Wishes`; `about_a_robot` puts the options in its place and hands over what came.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Annotated, Any

import typer


@dataclass(frozen=True)
class Wishes:
    """The options of one call, as they were typed."""

    values: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A value for a parameter, such as a2=0.43; may be repeated."),
    ] = None
    locks: Annotated[
        list[str] | None,
        typer.Option("--lock", metavar="JOINT=VALUE", help="A joint held still, such as elbow=30deg; may be repeated."),
    ] = None
    base: Annotated[str, typer.Option("--base", metavar="LINK", help="URDF, MJCF: where the chain starts.")] = ""
    tip: Annotated[str, typer.Option("--tip", metavar="LINK", help="URDF, MJCF: where the chain ends.")] = ""
    exact: Annotated[bool, typer.Option("--exact", help="Keep 1.5708 as it is, do not make it 90 degrees.")] = False
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings about the robot as errors.")] = False

    @property
    def chain(self) -> dict[str, Any]:
        """What is for files of several chains."""
        return {name: value for name in ("base", "tip") if (value := getattr(self, name))}

    @property
    def typed(self) -> list[str]:
        """The words that say the same again, for a command that goes on with this robot."""
        given = [
            ("--set", self.values or []),
            ("--lock", self.locks or []),
            ("--base", [self.base]),
            ("--tip", [self.tip]),
        ]
        words = [word for option, values in given for value in values if value for word in (option, value)]
        return [*words, *(["--exact"] if self.exact else [])]


NOTHING = Wishes()


def about_a_robot(command: Callable[..., Any]) -> Callable[..., Any]:
    """The command with the options of `Wishes` in place of its argument `wishes`."""
    hints = inspect.get_annotations(Wishes, eval_str=True)
    options = [
        inspect.Parameter(item.name, inspect.Parameter.KEYWORD_ONLY, default=item.default, annotation=hints[item.name])
        for item in fields(Wishes)
    ]

    @functools.wraps(command)
    def run(*args: Any, **given: Any) -> Any:
        wishes = Wishes(**{option.name: given.pop(option.name) for option in options if option.name in given})
        return command(*args, wishes=wishes, **given)

    before = inspect.signature(command, eval_str=True)
    kept = [entry.replace(kind=inspect.Parameter.KEYWORD_ONLY) for entry in before.parameters.values()]
    place = [entry.name for entry in kept].index("wishes")
    shown = before.replace(parameters=[*kept[:place], *options, *kept[place + 1 :]])
    run.__signature__ = shown  # type: ignore[attr-defined]
    run.__annotations__ = {name: entry.annotation for name, entry in shown.parameters.items()}
    return run
