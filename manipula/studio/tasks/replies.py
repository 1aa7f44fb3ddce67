"""What the studio's page gets: the type of every reply, a table to be read side by side with what makes them.

`web/src/shared/api.ts` is written from this file by `python -m tests.units.studio.contract`; comments stay here.
Sentences are in the language of the header `X-Language`, of `?lang=` in the address of a stream, or in the one the
studio was started in.
"""
# ruff: noqa: UP013 (one class a type would be three times as long, and nobody would read it as a table)
# fmt: off

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

# types with a definition elsewhere, under the name the page has for them
Document = Annotated[dict[str, object], "RobotDocument"]
Drawing = Annotated[dict[str, object], "Drawing"]
Formula = Annotated[float | str | list[Any], "Formula"]
Rows = list[list[float]]

# errors and warnings

# A sentence and its cell: `row` counts from 0; `column` is "theta", "limits[2]", "inertia.xx" …, else of the whole row.
# `fix`: a number that looks as if it were in another unit is read right when the table's unit becomes this one.
UnitFix = TypedDict("UnitFix", {"angle": NotRequired[Literal["deg", "rad"]], "length": NotRequired[Literal["m", "mm"]]})
# `problem`: the sentence without its place and what a button does.
Notice = TypedDict("Notice", {
    "message": str, "problem": str, "row": int | None, "column": str, "fix": NotRequired[UnitFix],
})
# The file reader's own sentence, and its parts: what was found, what would be right.
Fault = TypedDict("Fault", {"message": str, "problem": str, "hint": str, "row": int | None, "column": str})
# `internal`: a mistake of ours.
Failure = TypedDict("Failure", {
    "message": str, "problem": NotRequired[str], "hint": NotRequired[str], "row": NotRequired[int | None],
    "column": NotRequired[str], "internal": NotRequired[bool],
})
# Every answer that is not 2xx: 400 bad input, 401 no token, 403, 404, 408, 409 (save), 413, 421, 500.
ErrorAnswer = TypedDict("ErrorAnswer", {"error": Failure})

# GET /api/start, /api/files

LibraryEntry = TypedDict("LibraryEntry", {"name": str, "dof": int, "about": str})
# `group`: its chapter, kinematics, statics, dynamics, identification or control.
ModelTitle = TypedDict("ModelTitle", {"name": str, "about": str, "group": str})
# `value`: to begin with, null: none.
Gain = TypedDict("Gain", {"name": str, "about": str, "unit": str, "value": float | None})
LawEntry = TypedDict("LawEntry", {"name": str, "about": str, "settings": list[Gain]})
# Of robot files. `written`: robots can be saved in it; `visuals`: it draws the links, or names the file that does.
FormatEntry = TypedDict("FormatEntry", {
    "name": str, "label": str, "endings": list[str], "written": bool, "visuals": Literal["", "held", "named"],
})
# What never changes: `methods` by model, the plain one first; `options` of emitted code by language.
Known = TypedDict("Known", {
    "library": list[LibraryEntry], "models": list[ModelTitle], "methods": dict[str, list[str]], "languages": list[str],
    "options": dict[str, list[str]], "laws": list[LawEntry], "joint_types": list[str], "formats": list[FormatEntry],
})
# `name` within the folder, "arms/elbow.toml"; `changed` in s since 1970; `digest` of what can be saved, else "".
FileEntry = TypedDict("FileEntry", {"name": str, "size": int, "changed": float, "digest": str})
FilesAnswer = TypedDict("FilesAnswer", {"files": list[FileEntry]})
DraftContent = TypedDict("DraftContent", {"document": Document, "base": str | None, "file": str | None})


class Draft(DraftContent):
    """One for each page, kept at every edit."""

    name: str
    saved: float


class Start(Known, FilesAnswer):
    """`folder`: where files are read and saved, shown and never sent back; `open`: the file of the command line."""

    version: str
    language: str
    folder: str
    open: str | None
    drafts: list[Draft]


# POST /api/read, draw, convert, export

# `warnings`: what had to be assumed.
ConvertAnswer = TypedDict("ConvertAnswer", {"document": Document, "warnings": list[Notice]})
# `format`: the name of the one it was read in, "" of a robot of the library.
ReadResult = TypedDict("ReadResult", {"document": Document, "warnings": list[Notice], "format": str})


class ReadAnswer(ReadResult):
    """`base`: digest of the file, to be given back on save."""

    base: str | None


# `value` null: symbolic, and drawn and computed with `stand_in`.
RobotParameter = TypedDict("RobotParameter", {
    "name": str, "value": float | None, "unit": str, "about": str, "stand_in": float | None,
})
Faults = TypedDict("Faults", {"errors": list[Fault]})
# `document`: normalised; `frame`: what the tool is where a robot has several ends; `digest` names modules and results.
Drawn = TypedDict("Drawn", {
    "document": Document, "drawing": Drawing, "parameters": list[RobotParameter], "dof": int, "joint_names": list[str],
    "frame": str, "warnings": list[Notice], "toml": str, "digest": str, "errors": list[Fault],
})
DrawAnswer = Drawn | Faults
ExportAnswer = TypedDict("ExportAnswer", {"name": str, "text": str, "warnings": list[Notice]})
FileText = TypedDict("FileText", {"text": str})

# jobs

# What a POST that starts long work answers; the same question asked again gives the same job.
JobAnswer = TypedDict("JobAnswer", {"job": str})
# Of a study: `rate` in cases a second, `left` in s.
Figures = TypedDict("Figures", {"done": int, "count": int, "failed": int, "rate": float, "left": float | None})
ProgressLine = TypedDict("ProgressLine", {"text": str, "seconds": float, "figures": NotRequired[Figures]})
State = Literal["waiting", "running", "done", "failed", "cancelled"]
# GET /api/jobs/ID; /events: a stream of `progress` (ProgressLine), perhaps a `first` reply that comes before the
# result, then `result`, `failed` (ErrorAnswer), `cancelled`.
JobState = TypedDict("JobState", {
    "job": str, "kind": str, "state": State, "lines": list[ProgressLine], "result": NotRequired[object],
    "error": NotRequired[Failure],
})
JobsAnswer = TypedDict("JobsAnswer", {"jobs": list[JobState]})
# A file of the server's, to be fetched.
FileLink = TypedDict("FileLink", {"url": str})
# A model that this robot does not have.
MissingModel = TypedDict("MissingModel", {"model": str, "why": str})
# `url`: import(url).
ModuleAnswer = TypedDict("ModuleAnswer", {"url": str, "missing": list[MissingModel]})

# A summand with its sign: LaTeX, plain text, and a tree to compute with.
EquationTerm = TypedDict("EquationTerm", {"tex": str, "text": str, "tree": Formula})
# `name`: "tau1", "A[1,1]" or an intermediate, `left` is its LaTeX; the terms joined are the right side.
EquationLine = TypedDict("EquationLine", {"name": str, "left": str, "terms": list[EquationTerm]})
# c12 = cos(q1 + q2)
Abbreviation = TypedDict("Abbreviation", {"name": str, "tex": str})
OperationCounts = TypedDict("OperationCounts", {
    "mul": int, "add": int, "neg": int, "div": int, "sqrt": int, "trig": int, "other": int, "total": int,
    "offline": NotRequired["OperationCounts"],
})
# `text`: all of it, for copying; `units` of inputs and outputs; the first `intermediates` of the lines are no outputs.
# Proved: the probability of an undetected error is below 1e`error_exponent`. `form` is the one shown; `remark`:
# why it is not the one requested, or how the outputs belong together.
EquationsAnswer = TypedDict("EquationsAnswer", {
    "model": str, "method": str, "lines": list[EquationLine], "text": str, "legend": list[Abbreviation],
    "units": dict[str, str], "count": OperationCounts, "conditions": list[str], "intermediates": int, "proof": str,
    "error_exponent": int, "form": str, "remark": str,
})
CountedMethod = TypedDict("CountedMethod", {
    "model": str, "method": str, "mul": int, "add": int, "total": int, "trig": int, "offline": int, "substituted": int,
})
PublishedCount = TypedDict("PublishedCount", {"robot": str, "model": str, "total": int, "source": str, "method": str})
CountsAnswer = TypedDict("CountsAnswer", {
    "rows": list[CountedMethod], "published": list[PublishedCount], "missing": list[MissingModel],
})
EmittedFile = TypedDict("EmittedFile", {"name": str, "text": str})
CodeAnswer = TypedDict("CodeAnswer", {"files": list[EmittedFile]})

# Words have formulas between $.
DerivedLine = TypedDict("DerivedLine", {"kind": Literal["text", "tex"], "text": str})
# `choice` is the branch a step opens, `singular` where it fails.
DerivedStep = TypedDict("DerivedStep", {
    "title": str, "finds": str, "choice": str, "lines": list[DerivedLine], "roots": str, "singular": str,
})
SingularPiece = TypedDict("SingularPiece", {"name": str, "says": str})
# `lines`: LaTeX.
SingularCases = TypedDict("SingularCases", {"pieces": list[SingularPiece], "lines": list[str], "never": bool})
# `free`: what a redundant arm leaves free; `letters`: what those of the pose mean, formulas between $.
InverseAnswer = TypedDict("InverseAnswer", {
    "arm_class": str, "why": str, "free": str | None, "derivation": list[DerivedStep], "letters": str, "latex": str,
    "singularities": SingularCases | None,
})
# Sentences and equations with formulas in MathML, made by the server; what a user wrote is escaped in them.
ChainStep = TypedDict("ChainStep", {
    "number": str, "title": str, "says": list[str], "equations": list[str], "remarks": list[str], "folded": bool,
    "steps": list["ChainStep"],
})
# `legend`: what short names mean.
DerivationParts = TypedDict("DerivationParts", {
    "title": str, "says": list[str], "steps": list[ChainStep], "legend": list[str],
})


class DerivationAnswer(DerivationParts):
    """`latex` and `text`: the whole of it, for copying."""

    topic: str
    proof: str
    latex: str
    text: str


CheckedLaw = TypedDict("CheckedLaw", {
    "name": str, "sentence": str, "how": Literal["proved", "measured", "noted"], "passed": bool, "detail": str,
    "checked": bool,
})
CheckAnswer = TypedDict("CheckAnswer", {"robot": str, "passed": bool, "verdicts": list[CheckedLaw]})
BaseRow = TypedDict("BaseRow", {"name": str, "value": float | None, "text": str, "tex": str})
# `classes`: "not identifiable" | "alone" | "in combinations" → names.
BaseAnswer = TypedDict("BaseAnswer", {
    "count": int, "standard": int, "rows": list[BaseRow], "classes": dict[str, list[str]], "proof": str,
    "error_exponent": int,
})

JointUnits = TypedDict("JointUnits", {"q": list[str], "tau": list[str]})
Energy = TypedDict("Energy", {"kinetic": list[float], "potential": list[float]})
# Arrays are [time][joint], `tool` is x, y, z; `stand_ins`: values that the document does not give and that were taken.
MotionAnswer = TypedDict("MotionAnswer", {
    "t": list[float], "q": Rows, "qd": Rows, "qdd": Rows, "tau": Rows, "power": Rows, "tool": Rows, "energy": Energy,
    "manipulability": list[float] | None, "units": JointUnits, "joints": list[str], "stand_ins": dict[str, float],
})
# From pose `first` to pose `last`.
SeamReason = TypedDict("SeamReason", {"kind": str, "first": int, "last": int, "text": str})
# `q` of the poses that are reached, whose numbers are in `poses`; `csv`: all of them.
SeamAnswer = TypedDict("SeamAnswer", {
    "text": str, "poses": list[int], "q": Rows, "jumps": list[int], "reasons": list[SeamReason], "csv": str,
    "joints": list[str], "units": JointUnits, "stand_ins": dict[str, float],
})
# When a joint stuck, s.
Rest = TypedDict("Rest", {"joint": str, "since": float, "until": float})
SimulateAnswer = TypedDict("SimulateAnswer", {
    "t": list[float], "q": Rows, "qd": Rows, "tau": Rows, "ref": Rows | None, "error": Rows | None, "balance": float,
    "modes": list[Rest], "whole": bool, "units": JointUnits, "joints": list[str], "warnings": list[Notice],
    "stand_ins": dict[str, float],
})
FoundParameter = TypedDict("FoundParameter", {
    "name": str, "value": float | None, "sigma": float | None, "prior": float | None, "unit": str, "family": str,
})
JointError = TypedDict("JointError", {"joint": str, "percent": float})
LogErrors = TypedDict("LogErrors", {"log": str, "percent": float, "joints": list[JointError]})
JointCourse = TypedDict("JointCourse", {
    "joint": str, "unit": str, "t": list[float], "measured": list[float], "predicted": list[float],
})
# Torques over time: a few hundred points, peaks of the residual among them.
LogCourse = TypedDict("LogCourse", {"log": str, "joints": list[JointCourse]})
# `text`: the summary; `courses` in the order of `errors`; `document` has what was found; `report`: url of a page.
IdentifyAnswer = TypedDict("IdentifyAnswer", {
    "text": str, "parameters": list[FoundParameter], "errors": list[LogErrors], "courses": list[LogCourse],
    "consistent": bool, "warnings": list[str], "document": Document, "report": str,
})
# How links look. `url`: GET it, Looks of types.ts; null: as the solids do. `notes`: what could not be drawn.
LooksAnswer = TypedDict("LooksAnswer", {"url": str | None, "notes": list[str]})

FieldCell = TypedDict("FieldCell", {"label": str, "unit": str})
FieldRange = TypedDict("FieldRange", {"name": str, "unit": str, "low": float, "high": float | None})
FieldKind = Literal[
    "count", "number", "flag", "choice", "joints", "efforts", "vector", "box", "levels", "ranges", "lines", "logs",
]
# How a setting is typed: into cells, each with its label and SI unit; a word of `choices`; or, for each word of the
# setting `by`, two ends of some names (without a second end the first is held); or as lines of a study file. `value`:
# to begin with, one for each cell, the word, yes or no.
StudyField = TypedDict("StudyField", {
    "name": str, "about": str, "kind": FieldKind, "unit": str, "cells": list[FieldCell],
    "value": list[float | None] | str | bool | None, "choices": list[str], "by": str,
    "ranges": dict[str, list[FieldRange]],
})
# `written`: settings that a study file alone can say.
StudyForm = TypedDict("StudyForm", {"name": str, "about": str, "fields": list[StudyField], "written": list[str]})
StudiesAnswer = TypedDict("StudiesAnswer", {"studies": list[StudyForm]})
ResultColumn = TypedDict("ResultColumn", {"name": str, "unit": str, "about": str})
# The share of cases at or below x.
Curve = TypedDict("Curve", {"name": str, "x": list[float], "share": list[float]})
CaseFailure = TypedDict("CaseFailure", {"why": str, "cases": int, "first": int})
# Addresses.
StudyFiles = TypedDict("StudyFiles", {"toml": str, "npz": str, "csv": NotRequired[str], "html": str})
# `computed`: the other cases were kept from before. `rows`: a result each, its name, then lowest, 5 %, median ….
# `parts`: HTML without scripts and styles, the pictures and tables of the study's own page.
StudyAnswer = TypedDict("StudyAnswer", {
    "study": str, "title": str, "count": int, "failed": int, "computed": int, "heads": list[str],
    "rows": list[list[str]], "columns": list[ResultColumn], "parts": list[str], "curves": list[Curve],
    "failures": list[CaseFailure], "files": StudyFiles, "warnings": list[Notice], "stand_ins": dict[str, float],
})

# POST /api/save, draft

# `base`: the new digest.
SaveAnswer = TypedDict("SaveAnswer", {"name": str, "base": str, "saved": float})
Theirs = TypedDict("Theirs", {"text": str, "digest": str, "document": Document | None})
# 409: the file changed since it was read (another tab, an editor); `theirs` is null where it is gone.
ConflictAnswer = TypedDict("ConflictAnswer", {"error": Failure, "theirs": Theirs | None})
DraftAnswer = TypedDict("DraftAnswer", {"saved": float})
# Of a job that was cancelled.
Nothing = TypedDict("Nothing", {})

# what tasks give
Reply = (
    Known | ReadResult | DrawAnswer | ConvertAnswer | ExportAnswer | FileText | ModuleAnswer | EquationsAnswer
    | CountsAnswer | InverseAnswer | DerivationAnswer | CheckAnswer | BaseAnswer | CodeAnswer | FileLink
    | MotionAnswer | SeamAnswer | SimulateAnswer | IdentifyAnswer | LooksAnswer | StudiesAnswer | StudyAnswer
)
