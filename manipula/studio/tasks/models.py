"""Models of the robot: as equations, counted, checked, derived, as a module for the page."""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

from manipula import api
from manipula.arm import Arm
from manipula.errors import InputError, ManipulaError
from manipula.messages import Message
from manipula.studio.tasks.descriptions import digest_of, file_name
from manipula.studio.tasks.requests import (
    Given,
    collect_warnings,
    flag_in,
    names_in,
    part_in,
    robot_in,
    seen_in,
    text_in,
)

Tell = Callable[[str], None]
FORMS = ("factored", "expanded", "auxiliary")
LEVELS = ("none", "fast", "max")
SYMBOLIC = ("auto", "all", "none")
COUNTED = ("pose", "jacobian", "inertia_matrix", "gravity", "inverse_dynamics", "forward_dynamics", "lagrange_terms")


def chosen_in(given: Given) -> dict[str, Any]:
    """The options of a model."""
    return {
        "method": text_in(given, "method", "best"),
        "symbolic": text_in(given, "symbolic", "auto", SYMBOLIC),
        "optimise": text_in(given, "optimise", "fast", LEVELS),
    }


def module(given: Given, tell: Tell) -> dict[str, Any]:
    """The robot as a JavaScript module, named by what is in it."""
    models = names_in(given, "models") or None
    text = api.robot_module(
        seen_in(given), None, models, optimise=text_in(given, "optimise", "fast", LEVELS[:2]), tell=tell
    )
    name = f"{digest_of(text)}.mjs"
    folder = Path(given["outbox"]) / "models"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return {"url": f"/models/{name}", "missing": api.robot_data(text)["missing"]}


def equations(given: Given, tell: Tell) -> dict[str, Any]:
    """A model in print: lines in LaTeX and in plain text, what its short names mean, what it costs."""
    form, names = text_in(given, "form", "factored", FORMS), text_in(given, "names", "file", ("file", "book"))
    made = api.generate(seen_in(given), text_in(given, "model"), **chosen_in(given), tell=tell)
    entries = names_in(given, "entries")
    made = made.only(*entries) if entries else made
    found = made.equations(form, "latex", names=names, units=True, tell=tell)
    plain, tex = found.texts("text"), found.texts("latex")
    outputs = set(made.outputs)
    legend = [] if form == "auxiliary" else list(zip(found.legend("text"), found.legend("latex")))
    return {
        "model": made.provenance.model,
        "method": made.provenance.method,
        "form": form,
        "latex": [{"name": text[0], "tex": f"{_on_screen(left)} = {_on_screen(right)}"}
                  for text, (left, right) in zip(plain, tex)],
        "equations": [{"left": left, "right": right} for left, right in plain],
        "text": str(replace(found, style="text")),
        "legend": [{"name": short, "text": long, "tex": f"{_on_screen(t)} = {_on_screen(u)}"}
                   for (short, long), (t, u) in legend],
        "units": dict(found.units),
        "count": made.cost.as_dict(),
        "written": found.operations,
        "conditions": [str(condition) for condition in made.conditions],
        "intermediates": sum(name not in outputs for (name, _), _ in found.lines),
        "proof": Message(made.provenance.proof),
        "chance": _chance(made.provenance.proof),
        "explain": made.explain(),
    }  # fmt: skip


def _chance(proof: str) -> str:
    """1e-32 of a proof's last words: the chance that something wrong passed it."""
    return proof.rpartition(" ")[2]


def _on_screen(tex: str) -> str:
    r"""A browser breaks no line between \left( and \right)."""
    return tex.replace(r"\left(", "(").replace(r"\right)", ")")


def counts(given: Given, tell: Tell) -> dict[str, Any]:
    """Operations, method by method, beside what others have printed."""
    robot = seen_in(given)
    options = {"symbolic": text_in(given, "symbolic", "auto", SYMBOLIC)}
    rows, left_out = [], []
    for model in names_in(given, "models", COUNTED):
        try:
            level = text_in(given, "optimise", "none", LEVELS[:2])
            rows += [row.as_dict() for row in api.count(robot, [model], **options, optimise=level, tell=tell)]
        except ManipulaError as error:  # a model that this robot does not have
            left_out.append({"model": model, "why": str(error)})
    return {"rows": rows, "published": api.published_counts(robot.name), "missing": left_out}


def inverse(given: Given, tell: Tell) -> dict[str, Any]:
    """The class of the arm, its branches, and the derivation of its closed form, step by step."""
    robot = seen_in(given)
    tell("which class of arm this is")
    plan = Arm(robot).inverse_plan.as_dict()
    found = {
        "class": plan["class"], "why": plan["why"], "closed": plan["closed_form"], "free": plan["free"],
        "branch_count": plan["branch_count"], "roles": plan["roles"], "branches": _branches(plan["roles"]),
        "derivation": [], "letters": "", "latex": "", "singularities": None,
    }  # fmt: skip
    if not plan["closed_form"]:
        return found
    symbolic = text_in(given, "symbolic", "all", SYMBOLIC)
    tell("the derivation of its closed form")
    derived = api.inverse_derivation(robot, symbolic=symbolic)
    told = derived.as_dict(latex=True)
    if derived.task == "position":  # of few joints: the class and the branches are those that are derived
        found |= {key: told[key] for key in ("class", "why", "roles")}
        found |= {"branch_count": 2 ** len(derived.roles), "branches": _branches(list(derived.roles))}
    found |= {
        "derivation": _steps(told["steps"]),
        "letters": told["letters"],
        "latex": derived.latex(),
        "text": str(derived),
    }
    tell("where it is singular")
    with suppress(ManipulaError):  # not of every arm
        found["singularities"] = _singular(api.singularities(robot, symbolic=symbolic))
    return found


def _singular(found: Any) -> dict[str, Any]:
    """What the determinants are of, and every line set."""
    pieces = [{"name": piece.name, "says": Message(piece.says)} for piece in found.pieces]
    lines = [_on_screen(row).replace("&", "") for row in found.latex_rows]
    return {"pieces": pieces, "lines": lines, "never": not len(found)}


def _branches(roles: list[str]) -> list[str]:
    """elbow +, wrist − …, in the order of the solver."""
    names = [""]
    for role in roles:
        names = [f"{name}, {role} {sign}".removeprefix(", ") for name in names for sign in "+−"]
    return names if roles else ["the only one"]


def _steps(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Words have formulas between $; lines of formulas stand by themselves."""
    return [
        {
            "title": step["why"],
            "finds": step["finds"] or "",
            "choice": step["choice"] or "",
            "lines": [_line(line) for line in step["lines"]],
            "roots": step["roots"] or "",
            "singular": step["singular"] or "",
        }
        for step in steps
    ]


def _line(line: dict[str, str]) -> dict[str, str]:
    if "words" in line:
        return {"kind": "text", "text": line["words"]}
    return {"kind": "tex", "text": f"{_on_screen(line['left'])} = {_on_screen(line['right'])}"}


def check(given: Given, tell: Tell) -> dict[str, Any]:
    """The laws of mechanics on this very robot."""
    return api.check(seen_in(given), tell=tell).as_dict()


def base(given: Given, tell: Tell) -> dict[str, Any]:
    """What torques can tell of the links, and in which combinations."""
    tell("independent columns of the regressor")
    found = api.base_parameters(seen_in(given), symbolic=text_in(given, "symbolic", "auto", SYMBOLIC))
    lines = found.equations("latex")
    both = [(*text, *tex) for text, tex in zip(lines.texts("text"), lines.texts("latex"))]
    rows = [{"name": name, "value": found.by_name.get(name), "text": text, "tex": f"{left} = {_on_screen(right)}"}
            for name, text, left, right in both]  # fmt: skip
    kinds: dict[str, list[str]] = {"not identifiable": [], "alone": [], "in combinations": []}
    for name, kind in found.classes.items():
        kinds[kind].append(name)
    return {"count": len(found), "standard": found.standard, "rows": rows, "classes": kinds,
            "proof": Message(found.proof), "chance": _chance(found.proof)}  # fmt: skip


# Code: the files that `generate` would write, to be read on the page or taken as one archive.

_KINDS = {".c": "c", ".h": "c", ".hpp": "cpp", ".cpp": "cpp", ".py": "python", ".m": "matlab", ".rs": "rust",
          ".mjs": "javascript", ".mts": "typescript", ".f90": "fortran", ".tex": "latex", ".md": "markdown",
          ".cu": "cpp", ".cuh": "cpp", ".toml": "ini", ".txt": "cmake"}  # fmt: skip


def code(given: Given, tell: Tell) -> dict[str, Any]:
    """The files with their text."""
    files, costs = _emit_files(given, tell)
    listed = [{"name": name, "text": data.decode("utf-8", "replace"), "language": _KINDS.get(Path(name).suffix, "")}
              for name, data in files.items()]  # fmt: skip
    return {"files": listed, "cost": costs}


def archive(given: Given, tell: Tell) -> dict[str, Any]:
    """The same files as a .zip in the outbox; the same files give the same bytes."""
    files, _ = _emit_files(given, tell)
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)  # of 1980: no clock in it
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    name = f"{file_name(robot_in(given).name)}_{text_in(given, 'language', 'c')}.zip"
    return {"url": put(Path(given["outbox"]), name, packed.getvalue())}


def put(outbox: Path, name: str, data: bytes) -> str:
    """Into the outbox, under a digest of what it is; its address on the server."""
    digest = sha256(data).hexdigest()[:32]
    place = outbox / digest
    place.mkdir(parents=True, exist_ok=True)
    (place / name).write_bytes(data)
    return f"/files/{digest}/{name}"


def _emit_files(given: Given, tell: Tell) -> tuple[dict[str, bytes], dict[str, Any]]:
    robot, language = seen_in(given), api.language(text_in(given, "language", "c"))
    names = names_in(given, "models", ("inverse_dynamics",))
    if not names:
        raise InputError("models: choose at least one")
    chosen, emitted = chosen_in(given), _options(part_in(given, "options"))
    made = {}
    for name in names:
        tell(f"deriving {name}")
        made[name] = api.generate(robot, name, **chosen, tell=tell)
    with tempfile.TemporaryDirectory(prefix="manipula-") as place:
        folder = Path(place)
        tell(f"writing {language}")
        if emitted.get("single_file") and len(made) > 1:
            first, *rest = made.values()
            first.emit(language, folder, beside=rest, **emitted)
        else:
            for model in made.values():
                model.emit(language, folder, **emitted)
        found = sorted(path for path in folder.rglob("*") if path.is_file())
        files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}
    return files, {name: model.as_dict()["cost"] for name, model in made.items()}


def _options(options: Given) -> dict[str, Any]:
    flags = {key: flag_in(options, key, False) for key in ("single_file", "sincos", "proof") if options.get(key)}
    texts = {key: text for key in ("dtype", "prefix") if (text := text_in(options, key))}
    return flags | texts | ({} if flag_in(options, "batch", True) else {"batch": False})


# How the links of a robot in the user's folder look, by its URDF: read once, when the file is opened.


def looks(given: Given, tell: Tell) -> dict[str, Any]:
    """Shapes by joint, as a file that the page fetches; `notes` are sentences."""
    tell("reading the meshes")
    found = looks_in(given)
    text = json.dumps({key: found[key] for key in ("shapes", "paints")}, allow_nan=False)
    url = put(Path(given["outbox"]), "looks.json", text.encode()) if found["shapes"] else None
    return {"url": url, "notes": found["notes"]}


def looks_in(given: Given) -> dict[str, Any]:
    """Of the URDF that the server has looked up; nothing outside the user's folder is read."""
    path = Path(given["path"])
    with collect_warnings():
        robot = api.load(path)
    if robot.origin.format != "urdf" and not robot.origin.visuals:
        return {"shapes": {}, "paints": {}, "notes": []}
    return api.looks(robot, Path(given["root"]))


# The report: one page that stands alone.


def report(given: Given, tell: Tell) -> dict[str, Any]:
    """Panels named in `hidden` are left out, for whoever is to find them."""
    robot = robot_in(given)
    place = Path(given["outbox"]) / "report.html"
    looks = _looks(given) if given.get("path") else None
    api.report(robot, place, hidden=names_in(given, "hidden"), looks=looks, tell=tell)
    return {"url": put(Path(given["outbox"]), f"{file_name(robot.name)}.html", place.read_bytes())}


def _looks(given: Given) -> dict[str, Any] | None:
    """Of the file the page has opened; one that is spoilt since leaves the solids."""
    try:
        return looks_in(given)
    except ManipulaError:
        return None
