"""A plugin of pytest: of the tests that are collected only those named in the file `MUTANTS_CHOSEN`, in its order."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.hookimpl(trylast=True)  # after the suite's own order
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    rank = {
        name: k for k, name in enumerate(Path(os.environ["MUTANTS_CHOSEN"]).read_text(encoding="utf-8").splitlines())
    }
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in rank])
    items[:] = sorted((item for item in items if item.nodeid in rank), key=lambda item: rank[item.nodeid])
