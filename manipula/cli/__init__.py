"""The command line: it parses, calls the verbs of `manipula.api` and shows what they return."""

from manipula.cli.app import main

__all__ = ["main"]
