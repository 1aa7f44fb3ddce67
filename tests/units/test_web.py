"""The front end's sources as data: a lock every platform accepts, exact versions, a plain word when not built."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from manipula.errors import ManipulaError
from manipula.pages import page as place
from manipula.pages.page import built_file

WEB = Path(__file__).parents[2] / "web"
LOCK: dict[str, dict[str, Any]] = json.loads((WEB / "package-lock.json").read_text(encoding="utf-8"))["packages"]


def missing(packages: dict[str, dict[str, Any]]) -> list[str]:
    """Optional packages, those of other platforms among them, that the lock asks for and does not name."""
    asked = [name for package in packages.values() for name in package.get("optionalDependencies", {})]
    return [name for name in asked if f"node_modules/{name}" not in packages]


def test_the_lock_names_the_packages_of_every_platform() -> None:
    assert not missing(LOCK)
    systems = {system for package in LOCK.values() for system in package.get("os", ())}
    assert {"linux", "darwin", "win32"} <= systems


def test_a_lock_without_a_platform_is_noticed() -> None:
    short = {name: package for name, package in LOCK.items() if "darwin-arm64" not in name}
    assert any("darwin-arm64" in name for name in missing(short))


def test_what_every_platform_installs_is_known_by_its_digest() -> None:
    for name, package in LOCK.items():
        assert not name or package.get("optional") or package["integrity"].startswith("sha512-"), name


def test_versions_are_exact_and_those_of_the_lock() -> None:
    package = json.loads((WEB / "package.json").read_text(encoding="utf-8"))
    for name, version in {**package["dependencies"], **package["devDependencies"]}.items():
        assert re.fullmatch(r"\d+\.\d+\.\d+", version), f"{name} {version}"
        assert LOCK[f"node_modules/{name}"]["version"] == version


def test_a_page_that_is_not_built_says_which_command_builds_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(place, "STATIC", tmp_path)
    with pytest.raises(ManipulaError, match="make web"):
        built_file("report.js")
    (tmp_path / "report.js").write_text("")
    assert built_file("report.js") == tmp_path / "report.js"
