"""Prints what the catalogue lacks, as it is written there."""

from __future__ import annotations

import json

from tests.sentences.told import missing

for english, places in sorted(missing().items(), key=lambda item: item[1]):
    print(f"# {places[0]}\n{json.dumps(english, ensure_ascii=False)} = ")
