"""The lists of a SYMORO file as a table: the number of rows, the contents of a place, which row is on which."""

from __future__ import annotations

import re

from manipula.errors import InputError, RobotFileError
from manipula.mechanics.robot.description import BaseMotion, Cell, JointKind
from manipula.mechanics.robot.exact import is_zero
from manipula.mechanics.robot.formats.par.entries import (
    ACTUATOR,
    AT_REST,
    DYNAMICS,
    FLAGS,
    GEOMETRY,
    KINDS,
    Follower,
    lists_in,
    without_comments,
)
from manipula.mechanics.robot.values.parameter import ZERO, Parameter, parameter_from_text
from manipula.messages import Message

TYPES = ("0", "1", "2")  # serial, tree, closed


class ParTable:
    """Rows are counted from 1, as the file's names do."""

    def __init__(self, text: str) -> None:
        named = re.search(r"\(\*\s*+Robotname\s*+=\s*+'([^'\n]*+)'", text)
        self.name = named[1].strip() if named and named[1].strip() else "robot"
        plain = without_comments(text)
        self.lists = dict(lists_in(plain))
        found = (re.fullmatch(r"(\w++)\s*+=\s*+(\w++)", line.strip()) for line in plain.splitlines())
        self.settings = {match[1].lower(): match[2] for match in found if match}
        self.notes: list[str] = []
        self.variables: dict[str, int] = {}  # name → the joint it moves
        self.followers: dict[int, Follower] = {}
        self.type = self.settings.get("type", "0")
        mobile, floating = (self.settings.get(key, "0").lower() in ("1", "true") for key in FLAGS)
        self.moving: BaseMotion = "free" if floating else "given" if mobile else ""
        self.every = len(self.entries("sigma"))
        self.links = self.joints = self.every

    @property
    def cuts(self) -> range:
        """The rows at which loops are cut."""
        return range(self.links + 1, self.joints + 1)

    def is_driven(self, row: int) -> bool:
        return self.entries("mu")[row - 1 : row] not in ((), ("0",))

    def refuse_structure(self) -> None:
        if "sigma" not in self.lists:
            raise RobotFileError("the list Sigma is missing", field="Sigma", hint="a SYMORO file has Sigma = {0,0,…}")
        if self.type not in TYPES:
            raise RobotFileError(
                "found Type = {kind}", self.type, field="Type", hint="0 (serial), 1 (a tree) or 2 (closed loops)"
            )
        for row, before in enumerate(self.entries("ant") if self.type == "0" else (), 1):
            if before != str(row - 1):
                raise RobotFileError(
                    "found antecedent {before}: the joints form a tree",
                    before,
                    where=Message("joint {name}", row),
                    field="Ant",
                    hint=Message("a serial arm has {row} here", row - 1),
                )
        for key in ("eta", *(() if self.moving else AT_REST)):
            for place, entry in enumerate(self.entries(key), 1):
                if not is_zero(self.parameter(entry, key, place)):
                    raise RobotFileError(
                        ("found {entry}: an elastic joint" if key == "eta" else "found {entry}: a moving base"),
                        entry,
                        field=key,
                        hint="only zeros can be read here",
                    )

    def count_rows(self) -> None:
        """NL links, NJ joints, NF frames."""
        counts = {key: self.settings.get(key.lower()) for key in ("NL", "NJ", "NF")}
        odd = next((key for key, text in counts.items() if text is not None and not text.isdigit()), None)
        if odd is not None:
            raise RobotFileError("found {text}", counts[odd], field=odd, hint="a whole number")
        frames, joints = int(counts["NF"] or self.every), int(counts["NJ"] or self.every)
        links = int(counts["NL"] or joints)
        if self.type == "2" and not (links < joints and frames == 2 * joints - links == self.every):
            raise RobotFileError(
                "found NL = {links}, NJ = {joints} and NF = {frames}, and Sigma has {count} entries",
                links, joints, frames, self.every, field="Type",
                hint="in a closed robot every loop adds one joint and one frame: NF = 2 NJ - NL",
            )  # fmt: skip
        if self.type != "2":
            for key, count in (("NJ", joints), ("NL", links), ("NF", frames)):
                if count != self.every:
                    raise RobotFileError(
                        "found {settings}, but Sigma has {count} entries",
                        count,
                        self.every,
                        field=key,
                        hint="in a serial arm NL, NJ and NF are all the number of joints"
                        if self.type == "0"
                        else "in a tree NL, NJ and NF are all the number of joints",
                    )
        self.links, self.joints = links, joints

    def on(self, row: int) -> int:
        """The row that a row stands on, 0 the base; in a serial arm the one before."""
        entries = self.entries("ant")
        text = entries[row - 1] if entries else str(row - 1)
        most = self.links if row <= self.joints else self.every
        if not text.isdigit() or int(text) > most or int(text) == row:
            raise RobotFileError(
                "found antecedent {text}", text, where=Message("joint {name}", row), field="Ant",
                hint=Message("the number of the link it stands on, 0 to {most}", most),
            )  # fmt: skip
        return int(text)

    def parents_first(self, rows: list[int]) -> list[int]:
        """In the file's order, but none before the row that it stands on."""
        done: list[int] = []
        while left := [row for row in rows if row not in done]:
            ready = [row for row in left if self.on(row) in (0, *done)]
            if not ready:
                raise RobotFileError(
                    "its antecedents lead round in a circle", where=Message("joint {name}", left[0]), field="Ant",
                    hint="every joint stands on the base, through others",
                )  # fmt: skip
            done.append(ready[0])
        return done

    def refuse_lengths(self) -> None:
        if self.every == 0:
            raise RobotFileError("the robot has no joint", field="Sigma", hint="one entry for each joint")
        if all(entry == "2" for entry in self.entries("sigma")[: self.joints]):
            raise RobotFileError("no joint moves", field="Sigma", hint="a robot needs a revolute or prismatic joint")
        if self.type == "2" and "mu" not in self.lists:
            raise RobotFileError("the list Mu is missing", field="Mu", hint="1 for every joint that has a motor")
        lengths: dict[str, tuple[int, ...]] = dict.fromkeys(GEOMETRY, (self.every,))
        lengths |= dict.fromkeys(DYNAMICS, (self.links, self.links + 1) if self.moving else (self.links,))
        for key in ACTUATOR.values():
            lengths[key] += (self.joints,)
        for key, allowed in lengths.items():
            found = len(self.entries(key))
            if key.lower() in self.lists and found not in allowed:
                hint = Message("Sigma has {count}, so {count} here", allowed[0])
                if allowed[0] != self.every:
                    hint = Message("one for each link, {count} here", allowed[0])
                raise RobotFileError("found {found} entries", found, field=key, hint=hint)

    def entries(self, key: str) -> tuple[str, ...]:
        return self.lists.get(key.lower(), ())

    def parameter(self, text: str, key: str, row: int) -> Parameter:
        try:
            return parameter_from_text(re.sub(r"\b(Pi|PI)\b", "pi", text))
        except InputError as error:
            raise RobotFileError(error.message, where=Message("joint {name}", row), field=key) from error

    def cell(self, key: str, row: int, name: str, otherwise: Parameter | None = ZERO) -> Cell:
        entries = self.entries(key)
        # where the base moves, lists of links begin with it
        place = row if key in DYNAMICS and self.moving and len(entries) == self.links + 1 else row - 1
        if not entries or place < 0:
            return Cell(name, otherwise)
        return Cell(name, self.parameter(entries[place], key, row) if place < len(entries) else ZERO)

    def kind(self, row: int) -> JointKind:
        sigma = self.entries("sigma")[row - 1]
        if sigma not in KINDS:
            raise RobotFileError(
                "found {text}",
                sigma,
                where=Message("joint {name}", row),
                field="Sigma",
                hint="0 revolute, 1 prismatic, 2 fixed",
            )
        return KINDS[sigma]
