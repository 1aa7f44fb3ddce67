"""Routines (see `algebra.loops`) as static C99 functions over double; complex numbers are a struct of two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from textwrap import wrap

from manipula.algebra.emit.about import WIDTH
from manipula.algebra.emit.names import ascii_text
from manipula.algebra.program.tree import (
    ARRAYS,
    Call,
    Const,
    Do,
    Expr,
    For,
    If,
    Item,
    Kind,
    Leave,
    Op,
    Return,
    Routine,
    Set,
    Stmt,
    Var,
    While,
)  # fmt: skip

TYPES: dict[Kind, str] = {"none": "void", "flag": "int", "int": "int", "real": "double", "complex": "pair"}
BYTES: dict[Kind, int] = {"ints": 4, "reals": 8, "complexes": 16}
NOTHING: dict[Kind, str] = {"flag": "0", "int": "0", "real": "0.0", "complex": "{0.0, 0.0}"}
SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "idiv": "/", "mod": "%", "lt": "<", "le": "<=", "gt": ">",
    "ge": ">=", "eq": "==", "ne": "!=", "and": "&&", "or": "||",
}  # fmt: skip
STEPS = ("add", "sub", "mul", "div")
FORMS = {
    "from": "({0} + {1})", "neg": "(-{0})", "not": "(!{0})", "choose": "({0} ? {1} : {2})", "real": "{0}.re",
    "imag": "{0}.im", "abs": "fabs({0})", "min": "(({0} < {1}) ? {0} : {1})", "max": "(({0} > {1}) ? {0} : {1})",
    "to_real": "(double){0}",
}  # fmt: skip
MATHS = {"sqrt": "sqrt", "exp": "exp", "log": "log", "atan2": "atan2", "sin": "sin", "cos": "cos"}
PAIRS: dict[str, tuple[str, ...]] = {
    "number": (
        "static pair pair_number(double re, double im)",
        "pair z;", "", "z.re = re;", "z.im = im;", "return z;",
    ),
    "add": ("static pair pair_add(pair a, pair b)", "return pair_number(a.re + b.re, a.im + b.im);"),
    "sub": ("static pair pair_sub(pair a, pair b)", "return pair_number(a.re - b.re, a.im - b.im);"),
    "mul": (
        "static pair pair_mul(pair a, pair b)",
        "return pair_number((a.re * b.re) - (a.im * b.im), (a.re * b.im) + (a.im * b.re));",
    ),
    "div": (
        "static pair pair_div(pair a, pair b)",
        "const double d = (b.re * b.re) + (b.im * b.im);", "",
        "return pair_number(((a.re * b.re) + (a.im * b.im)) / d, ((a.im * b.re) - (a.re * b.im)) / d);",
    ),
    "scale": ("static pair pair_scale(double x, pair a)", "return pair_number(x * a.re, x * a.im);"),
    "neg": ("static pair pair_neg(pair a)", "return pair_number(-a.re, -a.im);"),
    "abs": ("static double pair_abs(pair a)", "return sqrt((a.re * a.re) + (a.im * a.im));"),
    "sin": (
        "static pair pair_sin(pair a)",
        "const double e = exp(a.im);", "",
        "return pair_number(sin(a.re) * 0.5 * (e + (1.0 / e)), cos(a.re) * 0.5 * (e - (1.0 / e)));",
    ),
    "cos": (
        "static pair pair_cos(pair a)",
        "const double e = exp(a.im);", "",
        "return pair_number(cos(a.re) * 0.5 * (e + (1.0 / e)), -sin(a.re) * 0.5 * (e - (1.0 / e)));",
    ),
}  # fmt: skip


def routines_text(routines: Sequence[Routine]) -> str:
    """The type of complex numbers with the helpers in use, and every routine."""
    used = _helpers(routines)
    parts = ["typedef struct {\n    double re;\n    double im;\n} pair;"] if used else []
    parts += ["\n".join(_braced(*PAIRS[name])) for name in PAIRS if name in used]
    return "\n\n".join([*parts, *("\n".join(_routine(routine)) for routine in routines)])


def table_text(name: str, values: Iterable[float] | Iterable[int], kind: str = "double") -> str:
    """static const double name[3] = {…};"""
    words = [repr(x) for x in values]
    lines = wrap(", ".join(words), WIDTH, initial_indent="    ", subsequent_indent="    ")
    return "\n".join([f"static const {kind} {name}[{len(words)}] = {{", *lines, "};"])


def stack_bytes(routines: Sequence[Routine]) -> int:
    """What the arrays take at most; callees stand before their callers."""
    deep: dict[str, int] = {}
    for routine in routines:
        own = sum(size * BYTES[kind] for kind, size in routine.arrays.values())
        deep[routine.name] = own + max((deep[name] for name in _called(routine.body)), default=0)
    return max(deep.values(), default=0)


def _helpers(routines: Sequence[Routine]) -> set[str]:
    ops = (x for routine in routines for x in _parts(routine.body))
    used = {
        op.name
        for op in ops
        if isinstance(op, Op) and op.name in PAIRS and any(x.kind == "complex" for x in (op, *op.args))
    }
    kinds = {
        k for r in routines for k in (*r.parameters.values(), *r.scalars.values(), *(a for a, _ in r.arrays.values()))
    }
    if not used and not kinds & {"complex", "complexes"}:
        return set()
    return used | {"number"}


def _called(body: Sequence[Stmt]) -> set[str]:
    return {x.routine for x in _parts(tuple(body)) if isinstance(x, Call)}


def _parts(node: object) -> Iterator[Op | Call]:
    """Every operation and every call below a node."""
    if isinstance(node, tuple):
        for part in node:
            yield from _parts(part)
    elif hasattr(node, "__dataclass_fields__"):
        if isinstance(node, Op | Call):
            yield node
        for name in node.__dataclass_fields__:
            yield from _parts(getattr(node, name))


def _braced(head: str, *lines: str) -> Iterator[str]:
    yield head
    yield "{"
    yield from (f"    {line}" if line else "" for line in lines)
    yield "}"


def _routine(routine: Routine) -> Iterator[str]:
    if routine.doc:
        yield from _comment(routine.doc)
    yield from _braced(_head(routine), *_locals(routine), *_block(routine.body, 0))


def _comment(text: str) -> list[str]:
    lines = [ascii_text(line).strip() for line in text.strip().splitlines()]
    return (
        [f"/* {lines[0]}", *(f" * {line}".rstrip() for line in lines[1:]), " */"]
        if lines[1:]
        else [f"/* {lines[0]} */"]
    )


def _head(routine: Routine) -> str:
    parts = [_parameter(name, kind, name in routine.written) for name, kind in routine.parameters.items()]
    line = f"static {TYPES[routine.returns]} {routine.name}({', '.join(parts) or 'void'})"
    return line if len(line) <= WIDTH else line.replace("(", "(\n    ", 1).replace(", ", ",\n    ")


def _parameter(name: str, kind: Kind, written: bool) -> str:
    if kind in ARRAYS:
        return f"{'' if written else 'const '}{TYPES[ARRAYS[kind]]} *restrict {name}"
    return f"{TYPES[kind]} {name}"


def _locals(routine: Routine) -> Iterator[str]:
    loops = _loop_names(routine.body)
    for name, (kind, size) in routine.arrays.items():
        yield f"{TYPES[ARRAYS[kind]]} {name}[{size}];"
    plain = [(name, kind) for name, kind in routine.scalars.items() if name not in loops]
    for name, kind in plain:
        yield f"{TYPES[kind]} {name} = {NOTHING[kind]};"
    if plain or routine.arrays:
        yield ""


def _loop_names(body: Sequence[Stmt]) -> set[str]:
    found: set[str] = set()
    for line in body:
        if isinstance(line, For):
            found |= {line.name}
        for part in ("body", "yes", "no"):
            found |= _loop_names(getattr(line, part, ()))
    return found


def _block(body: Sequence[Stmt], depth: int) -> Iterator[str]:
    for line in body:
        yield from (f"{'    ' * depth}{text}" for text in _statement(line))


def _statement(line: Stmt) -> Iterator[str]:
    match line:
        case Set(target, Op(_, name, (first, second))) if (
            first == target and name in STEPS and target.kind != "complex"
        ):
            yield f"{_text(target)} {SIGNS[name]}= {_bare(second)};"
        case Set(target, value):
            yield f"{_text(target)} = {_bare(value)};"
        case For(name, start, stop, step, body):
            more = f"{name}++" if step == 1 else f"{name}--" if step == -1 else f"{name} += {step}"
            sign = "<" if step > 0 else ">"
            yield f"for (int {name} = {_bare(start)}; {name} {sign} {_text(stop)}; {more}) {{"
            yield from _block(body, 1)
            yield "}"
        case While(condition, body):
            yield f"while ({_bare(condition)}) {{"
            yield from _block(body, 1)
            yield "}"
        case If(condition, yes, no):
            yield f"if ({_bare(condition)}) {{"
            yield from _block(yes, 1)
            if no:
                yield "} else {"
                yield from _block(no, 1)
            yield "}"
        case Leave(how):
            yield f"{how};"
        case Return(value):
            yield f"return {_bare(value)};" if value is not None else "return;"
        case Do(call):
            yield f"{'' if call.kind == 'none' else '(void)'}{_text(call)};"


def _bare(x: Expr) -> str:
    """Without the outermost brackets."""
    text = _text(x)
    return (
        text[1:-1] if isinstance(x, Op) and x.kind != "complex" and x.name in (*SIGNS, "choose") and _plain(x) else text
    )


def _plain(x: Op) -> bool:
    return not any(arg.kind == "complex" for arg in x.args)


def _text(x: Expr) -> str:
    match x:
        case Const(kind, value):
            return repr(float(value)) if kind == "real" else str(int(value))
        case Var(_, name):
            return name
        case Item(_, array, index):
            return f"{_text(array)}[{_bare(index)}]"
        case Call(_, routine, args):
            return f"{routine}({', '.join(map(_bare, args))})"
        case Op():
            return _operation(x)


def _operation(x: Op) -> str:
    words = [_text(arg) for arg in x.args]
    if x.name in PAIRS and not _real_only(x):
        return f"pair_{x.name}({', '.join(map(_bare, x.args))})"
    if x.name in SIGNS:
        return f"({words[0]} {SIGNS[x.name]} {words[1]})"
    if x.name in MATHS:
        return f"{MATHS[x.name]}({', '.join(map(_bare, x.args))})"
    return FORMS[x.name].format(*words)


def _real_only(x: Op) -> bool:
    return x.kind != "complex" and _plain(x)
