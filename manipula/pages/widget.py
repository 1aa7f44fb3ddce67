"""The arm in a notebook: a picture that every viewer of notebooks can show, and beside it the arm that moves.

The two are outputs of their own. Where the widget runs it hides the picture; where nothing runs (an exported page
without a network, a notebook opened without a kernel) the picture is what is seen, with or without widget state.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from typing import Any
from uuid import uuid4

from manipula.errors import InputError, UnknownNameError
from manipula.messages import Message
from manipula.pages.page import built_file

SHOWN = (
    "frames", "axes", "names", "ranges", "com", "inertia", "trail", "cloud", "branches", "forces", "payload",
)  # fmt: skip
WAY = Message("a view needs anywidget, in a notebook: pip install 'manipula[notebook]'")


@dataclass(frozen=True)
class Scene:
    """What is shown, as plain data."""

    name: str
    drawing: dict[str, object]
    q: Sequence[float]
    picture: str  # SVG
    module: str = ""
    times: Sequence[float] = ()
    rows: Sequence[Sequence[float]] = ()
    height: int = 420
    shown: dict[str, bool] = field(default_factory=dict)


class View:
    """An arm in a notebook. Set `view.q` and it moves; move it there and `view.q` follows."""

    def __init__(self, scene: Scene) -> None:
        self._scene, self._mark = scene, uuid4().hex
        self.widget = _kind()(**_state(scene, self._mark))

    @property
    def q(self) -> list[float]:
        """Where the joints are, rad and m."""
        return list(self.widget.q)

    @q.setter
    def q(self, q: Sequence[float]) -> None:
        given = [float(x) for x in q]
        if len(given) != len(self._scene.q):
            raise InputError(
                "q: {name} has {count} coordinates, found {count2}", self._scene.name, len(self._scene.q), len(given)
            )
        self.widget.q = given

    def show(self, **shown: bool) -> None:
        """Switch marks on and off: frames, axes, names, ranges, com, inertia, trail, cloud, forces, payload."""
        odd = next((name for name in shown if name not in SHOWN), None)
        if odd is not None:
            raise UnknownNameError("mark of a view", odd, SHOWN)
        self.widget.shown = {**self.widget.shown, **shown}

    def still(self) -> str:
        """The picture, as HTML."""
        data = b64encode(self._scene.picture.encode()).decode()
        style = f"max-width:100%;height:{self._scene.height}px"
        return (
            f'<div class="manipula-still-{self._mark}">'
            f'<img alt="{escape(self._scene.name)}" style="{style}" src="data:image/svg+xml;base64,{data}"></div>'
        )

    def _ipython_display_(self) -> None:
        from IPython import display as shown

        display: Any = shown.display
        display({"text/html": self.still(), "text/plain": repr(self)}, raw=True)
        bundle = self.widget._repr_mimebundle_()
        data = bundle[0] if isinstance(bundle, tuple) else bundle
        display({**data, "text/html": "", "text/plain": ""}, raw=True)

    def __repr__(self) -> str:
        length = f", {self._scene.times[-1]:.3g} s to play" if self._scene.times else ""
        return f"<view of {self._scene.name}: {len(self._scene.q)} joints{length}>"


def _state(scene: Scene, mark: str) -> dict[str, object]:
    """What Python and the page share of a scene: a trait each."""
    lists = {"q": list(scene.q), "times": list(scene.times), "rows": [list(row) for row in scene.rows]}
    own = {"drawing": scene.drawing, "module": scene.module, "height": scene.height, "shown": dict(scene.shown)}
    return {"name": mark, **lists, **own}


@cache
def _kind() -> Any:
    """The class of widgets, made when the first is needed: the package does not need anywidget."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise InputError(WAY) from None

    kinds = {str: traitlets.Unicode, dict: traitlets.Dict, list: traitlets.List, int: traitlets.Int}
    traits = {name: kinds[type(value)]() for name, value in _state(Scene("", {}, (), ""), "").items()}
    code = {"_esm": built_file("widget.js").read_text("utf-8"), "_css": built_file("widget.css").read_text("utf-8")}
    return type(
        "ArmView", (anywidget.AnyWidget,), code | {name: trait.tag(sync=True) for name, trait in traits.items()}
    )
