"""The one option of the suite: `--update` accepts the emitted text as the new golden files."""

from __future__ import annotations

import os

import pytest

os.environ["MANIPULA_CACHE"] = "off"  # every test makes what it tests; those of the cache turn it on


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update", action="store_true", help="write the golden files instead of comparing with them")


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update"))
