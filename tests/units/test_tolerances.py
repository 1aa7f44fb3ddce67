"""Tolerances of inverse kinematics stand in one file, each used and each with its reason."""

from __future__ import annotations

import ast
from pathlib import Path

import manipula
from manipula.ik.numeric import tolerances

ROOM = Path(manipula.__file__).parent / "ik"
HOME = ROOM / "numeric" / "tolerances.py"

# numbers this small or large that are none
OTHERS = {
    "branch_selection.py": {1e3},  # a rank behind all others
    "descent.py": {1e-2},  # the first damping
    "families.py": {5e-3},  # the length of a trial step
    "general6r/solver.py": {1e-4, 1e-2, 1e-16},  # how far a too regular arm is bent; what a logarithm may take
    "module/step.py": {1e-12, 1e-6},  # the least damping of a step, which keeps squares from being singular
}


def test_no_other_file_has_one() -> None:
    found = {}
    for path in ROOM.rglob("*.py"):
        name = path.relative_to(ROOM).as_posix()
        if path == HOME or name.startswith("derivation"):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        motions = [x for x in ast.walk(tree) if isinstance(x, ast.Tuple) and len(x.elts) == 12]
        skipped = {id(y) for x in motions for y in ast.walk(x)}
        numbers = (x for x in ast.walk(tree) if isinstance(x, ast.Constant) and id(x) not in skipped)
        odd = {x.value for x in numbers if isinstance(x.value, float) and x.value and not 1e-2 < abs(x.value) < 1e3}
        if odd - OTHERS.get(name, set()):
            found[name] = odd
    assert not found


def constants() -> dict[str, str]:
    """Class.NAME → the line it stands on."""
    text = HOME.read_text(encoding="utf-8")
    lines, made = text.splitlines(), {}
    for block in ast.parse(text).body:
        if isinstance(block, ast.ClassDef):
            for line in block.body:
                if isinstance(line, ast.Assign) and isinstance(line.targets[0], ast.Name):
                    made[f"{block.name}.{line.targets[0].id}"] = lines[line.lineno - 1]
    return made


def test_each_has_a_reason_and_is_used() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in ROOM.rglob("*.py") if path != HOME)
    for name, line in constants().items():
        assert len(line.partition("#")[2].split()) >= 3, f"{name} does not say why"
        assert name in code, f"{name} is not used"


def test_the_file_holds_numbers_alone() -> None:
    owners = [x for x in vars(tolerances).values() if isinstance(x, type)]
    values = [y for x in owners for name, y in vars(x).items() if name.isupper()]
    assert len(values) == len(constants()) > 80 and all(isinstance(y, float) for y in values)
