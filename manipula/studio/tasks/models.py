"""Models of the robot: as equations, counted, checked, derived, as a module for the page."""

from __future__ import annotations

import json
import tempfile
import zipfile
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, cast

from manipula import Model, api
from manipula.arm import Arm
from manipula.errors import InputError, ManipulaError, SizeError
from manipula.messages import Message
from manipula.robot import Robot
from manipula.studio.tasks import replies, requests
from manipula.studio.tasks.descriptions import digest_of, file_name

FORMS = ("factored", "expanded", "auxiliary")
LEVELS = ("none", "fast", "max")
SYMBOLIC = ("auto", "all", "none")
COUNTED = ("pose", "jacobian", "inertia_matrix", "gravity", "inverse_dynamics", "forward_dynamics", "lagrange_terms")


def _generate(robot: Robot, model: str, given: requests.Given, tell: requests.Tell) -> Model:
    """With the options of the request."""
    method, level = requests.text_in(given, "method", "best"), requests.text_in(given, "optimise", "fast", LEVELS)
    return api.generate(robot, model, method=method, symbolic=_symbolic(given), optimise=level, tell=tell)


def _symbolic(given: requests.Given, usual: str = "auto") -> Any:
    return requests.text_in(given, "symbolic", usual, SYMBOLIC)


def module(given: requests.Given, tell: requests.Tell) -> replies.ModuleAnswer:
    """The robot as a JavaScript module, named by what is in it."""
    models = requests.names_in(given, "models") or None
    level = requests.text_in(given, "optimise", "fast", LEVELS[:2])
    text = api.robot_module(requests.seen_in(given), None, models, optimise=level, tell=tell)
    name = f"{digest_of(text)}.mjs"
    folder = requests.path_in(given, "outbox") / "models"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return {"url": f"/models/{name}", "missing": api.robot_data(text)["missing"]}


AT_ONCE = 60  # operations of a model whose book form is there in a moment


def equations(given: requests.Given, tell: requests.Tell) -> replies.EquationsAnswer:
    """A model in print. The book form of a long one takes seconds: until then, and where it is too long, what runs."""
    form = requests.text_in(given, "form", "factored", FORMS)
    names = requests.text_in(given, "names", "file", ("file", "book"))
    made = _generate(requests.seen_in(given), requests.text_in(given, "model"), given, tell)
    entries = requests.names_in(given, "entries")
    made = made.only(*entries) if entries else made
    if form == "auxiliary" or made.cost.total <= AT_ONCE:
        return _printed(made, form, names, tell)
    first = _printed(made, "auxiliary", names, tell)
    tell("", None, first)
    try:
        return _printed(made, form, names, tell)
    except SizeError:
        remark = Message("The {form} form is too long to print; this is the form that runs.", form)
        return {**first, "remark": remark}


def _printed(made: Model, form: str, names: str, tell: requests.Tell) -> replies.EquationsAnswer:
    """Lines in LaTeX, in plain text and as trees, what its short names mean, what it costs."""
    found = made.equations(form, "latex", names=names, units=True, tell=tell)
    lines = zip(found.summands("text"), found.summands("latex"), found.terms())
    outputs = set(made.outputs)
    legend = [] if form == "auxiliary" else zip(found.legend("text"), found.legend("latex"))
    proof = Message(made.provenance.proof)
    return {
        "model": made.provenance.model,
        "method": made.provenance.method,
        "lines": [
            {"name": name, "left": _on_screen(left),
             "terms": [{"tex": _on_screen(x), "text": y, "tree": z} for x, y, z in zip(styled, texts, trees)]}
            for (name, texts), (left, styled), trees in lines
        ],
        "text": str(replace(found, style="text", relation="")),
        "legend": [{"name": short, "tex": _equal(*tex)} for (short, _), tex in legend],
        "units": dict(found.units),
        "count": cast("replies.OperationCounts", made.cost.as_dict()),
        "conditions": [str(condition) for condition in made.conditions],
        "intermediates": sum(name not in outputs for (name, _), _ in found.lines),
        "proof": proof,
        "error_exponent": int(proof.fields["exponent"]),
        "form": form,
        "remark": Message(found.relation),
    }  # fmt: skip


def _on_screen(tex: str) -> str:
    r"""A browser breaks no line between \left( and \right)."""
    return tex.replace(r"\left(", "(").replace(r"\right)", ")")


def _equal(left: str, right: str) -> str:
    return f"{_on_screen(left)} = {_on_screen(right)}"


def counts(given: requests.Given, tell: requests.Tell) -> replies.CountsAnswer:
    """Operations, method by method, beside what others have printed."""
    robot, symbolic = requests.seen_in(given), _symbolic(given)
    level = requests.text_in(given, "optimise", "none", LEVELS[:2])
    rows: list[Any] = []
    left_out: list[replies.MissingModel] = []
    for model in requests.names_in(given, "models", COUNTED):
        try:
            rows += [row.as_dict() for row in api.count(robot, [model], symbolic=symbolic, optimise=level, tell=tell)]
        except ManipulaError as error:  # a model that this robot does not have
            left_out.append({"model": model, "why": str(error)})
    return {"rows": rows, "published": cast("Any", api.published_counts(robot.name)), "missing": left_out}


def inverse(given: requests.Given, tell: requests.Tell) -> replies.InverseAnswer:
    """The class of the arm and the derivation of its closed form, step by step."""
    robot = requests.seen_in(given)
    tell("which class of arm this is")
    plan = Arm(robot).inverse_plan.as_dict()
    found: replies.InverseAnswer = {
        "arm_class": plan["class"], "why": plan["why"], "free": plan["free"], "derivation": [], "letters": "",
        "latex": "", "singularities": None,
    }  # fmt: skip
    if not plan["closed_form"]:
        return found
    symbolic = _symbolic(given, "all")
    tell("the derivation of its closed form")
    derived = api.inverse_derivation(robot, symbolic=symbolic)
    told = derived.as_dict(latex=True)
    if derived.task == "position":  # of few joints: the class is that of what is derived
        found |= {"arm_class": told["class"], "why": told["why"]}
    found |= {"derivation": _steps(told["steps"]), "letters": told["letters"], "latex": derived.latex()}
    tell("where it is singular")
    with suppress(ManipulaError):  # not of every arm
        singular = api.singularities(robot, symbolic=symbolic)
        found["singularities"] = {
            "pieces": [{"name": piece.name, "says": Message(piece.says)} for piece in singular.pieces],
            "lines": [_on_screen(row).replace("&", "") for row in singular.latex_rows],
            "never": not len(singular),
        }
    return found


def _steps(steps: list[dict[str, Any]]) -> list[replies.DerivedStep]:
    """Words have formulas between $; lines of formulas stand alone."""
    return [
        {"title": step["why"], "finds": step["finds"] or "", "choice": step["choice"] or "",
         "lines": [_line(line) for line in step["lines"]], "roots": step["roots"] or "",
         "singular": step["singular"] or ""}
        for step in steps
    ]  # fmt: skip


def _line(line: dict[str, str]) -> replies.DerivedLine:
    if "words" in line:
        return {"kind": "text", "text": line["words"]}
    return {"kind": "tex", "text": _equal(line["left"], line["right"])}


SECONDS = 30.0  # for writing; a result that takes longer is left out, its formula stays


def derivation(given: requests.Given, tell: requests.Tell) -> replies.DerivationAnswer:
    """How a model is found, step by step, every result proved."""
    topic, method = requests.text_in(given, "topic", "pose"), requests.text_in(given, "method")
    tell(Message("deriving {topic}", topic))
    found = api.derive(requests.seen_in(given), topic, method=method, seconds=SECONDS)
    parts = cast("replies.DerivationParts", found.page_parts())
    return {"topic": topic, **parts, "proof": found.proof, "latex": found.latex(), "text": found.text()}


def check(given: requests.Given, tell: requests.Tell) -> replies.CheckAnswer:
    """The laws of mechanics on this very robot."""
    return cast("replies.CheckAnswer", api.check(requests.seen_in(given), tell=tell).as_dict())


def base(given: requests.Given, tell: requests.Tell) -> replies.BaseAnswer:
    """Which combinations of the links' inertia are identifiable from torques."""
    tell("independent columns of the regressor")
    found = api.base_parameters(requests.seen_in(given), symbolic=_symbolic(given))
    lines = found.equations("latex")
    rows: list[replies.BaseRow] = [
        {"name": name, "value": found.by_name.get(name), "text": text, "tex": f"{left} = {_on_screen(right)}"}
        for (name, text), (left, right) in zip(lines.texts("text"), lines.texts("latex"))
    ]
    classes: dict[str, list[str]] = {"not identifiable": [], "alone": [], "in combinations": []}
    for name, kind in found.classes.items():
        classes[kind].append(name)
    return {"count": len(found), "standard": found.standard, "rows": rows, "classes": classes,
            "proof": Message(found.proof), "error_exponent": found.error_exponent}  # fmt: skip


# Code: the files that `generate` would write, to be read on the page or taken as one archive.


def code(given: requests.Given, tell: requests.Tell) -> replies.CodeAnswer:
    """The files with their text."""
    files = _emit_files(given, tell)
    return {"files": [{"name": name, "text": data.decode("utf-8", "replace")} for name, data in files.items()]}


def archive(given: requests.Given, tell: requests.Tell) -> replies.FileLink:
    """The same files as a .zip in the outbox; the same files give the same bytes."""
    files = _emit_files(given, tell)
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)  # of 1980: no clock in it
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    name = f"{file_name(requests.robot_in(given).name)}_{requests.text_in(given, 'language', 'c')}.zip"
    return {"url": store_file(requests.path_in(given, "outbox"), name, packed.getvalue())}


def store_file(outbox: Path, name: str, data: bytes) -> str:
    """Into the outbox, under a digest of what it is; its address on the server."""
    digest = sha256(data).hexdigest()[:32]
    place = outbox / digest
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_bytes(data)
    return f"/files/{digest}/{name}"


def _emit_files(given: requests.Given, tell: requests.Tell) -> dict[str, bytes]:
    robot, language = requests.seen_in(given), api.language(requests.text_in(given, "language", "c"))
    names = requests.names_in(given, "models", ("inverse_dynamics",))
    if not names:
        raise InputError("models: choose at least one")
    emitted, made = _options(requests.part_in(given, "options")), []
    for name in names:
        tell(f"deriving {name}")
        made.append(_generate(robot, name, given, tell))
    with tempfile.TemporaryDirectory(prefix="manipula-") as place:
        folder = Path(place)
        tell(f"writing {language}")
        if emitted.get("single_file") and len(made) > 1:
            first, *rest = made
            first.emit(language, folder, beside=rest, **emitted)
        else:
            for model in made:
                model.emit(language, folder, **emitted)
        found = sorted(path for path in folder.rglob("*") if path.is_file())
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def _options(options: requests.Given) -> dict[str, Any]:
    asked = [key for key in ("single_file", "sincos", "proof") if options.get(key)]
    flags = {key: requests.flag_in(options, key, False) for key in asked}
    texts = {key: text for key in ("dtype", "prefix") if (text := requests.text_in(options, key))}
    return flags | texts | ({} if requests.flag_in(options, "batch", True) else {"batch": False})


# How the links of a robot in the user's folder look, by its URDF: read once, when the file is opened.


def looks(given: requests.Given, tell: requests.Tell) -> replies.LooksAnswer:
    """Shapes by joint, as a file that the page fetches; `notes` are sentences."""
    tell("reading the meshes")
    found = _looks_in(given)
    text = json.dumps({key: found[key] for key in ("shapes", "paints")}, allow_nan=False)
    url = store_file(requests.path_in(given, "outbox"), "looks.json", text.encode()) if found["shapes"] else None
    return {"url": url, "notes": found["notes"]}


def _looks_in(given: requests.Given) -> dict[str, Any]:
    """Of the file that the server has looked up; nothing outside the user's folder is read."""
    with requests.collect_warnings():
        robot = api.load(requests.path_in(given, "path"))
    holding = {form.name for form in api.formats().values() if form.visuals == "held"}
    if robot.origin.format not in holding and not robot.origin.visuals:
        return {"shapes": {}, "paints": {}, "notes": []}
    return api.looks(robot, requests.path_in(given, "root"))


# The report: one page that stands alone.


def report(given: requests.Given, tell: requests.Tell) -> replies.FileLink:
    """Panels named in `hidden` are left out, for those who are to find them."""
    robot, outbox, looks = requests.robot_in(given), requests.path_in(given, "outbox"), None
    if given.get("path"):
        with suppress(ManipulaError):  # a file that is spoilt since the page opened it leaves the solids
            looks = _looks_in(given)
    api.report(robot, outbox / "report.html", hidden=requests.names_in(given, "hidden"), looks=looks, tell=tell)
    return {"url": store_file(outbox, f"{file_name(robot.name)}.html", (outbox / "report.html").read_bytes())}
