"""The command line: it parses, calls the verbs of `manipula.api` and shows what they return."""

from __future__ import annotations

import sys


def main() -> None:
    """What the installed program runs. Loading takes a moment, and Ctrl-C must be quiet then too."""
    try:
        from manipula.cli.app import run

        run()
    except KeyboardInterrupt:
        sys.exit(130)
