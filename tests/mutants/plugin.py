"""A plugin of pytest for drawn mutants.

With `MUTANTS_CHOSEN` set, of the tests that are collected only those named in that file run, in its order. Under
coverage, what a test runs in other processes counts as run by this test.
"""

from __future__ import annotations

import base64
import json
import os
from pathlib import Path

import pytest

_SETTINGS = "COVERAGE_PROCESS_CONFIG"  # coverage hands its settings to other processes in this variable


@pytest.hookimpl(trylast=True)  # after the suite's own order
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "MUTANTS_CHOSEN" not in os.environ:
        return
    rank = {
        name: k for k, name in enumerate(Path(os.environ["MUTANTS_CHOSEN"]).read_text(encoding="utf-8").splitlines())
    }
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in rank])
    items[:] = sorted((item for item in items if item.nodeid in rank), key=lambda item: rank[item.nodeid])


def pytest_runtest_logstart(nodeid: str) -> None:
    if _SETTINGS in os.environ:
        settings = json.loads(base64.b64decode(os.environ[_SETTINGS])) | {"context": f"{nodeid}|run"}
        os.environ[_SETTINGS] = base64.b64encode(json.dumps(settings).encode()).decode()
