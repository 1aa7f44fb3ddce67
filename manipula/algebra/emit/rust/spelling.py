"""Rust: how each operation is written over the numbers of a `Math`, and the words a local name may not be."""

from __future__ import annotations

from manipula.algebra.emit.text import ARITHMETIC, DECIDING, GUARDED, LIBRARY, Language, calls

RUST_KEYWORDS = """
as async await become box break const continue crate do dyn else enum extern false final fn for gen if impl in let loop
macro match mod move mut override priv pub ref return self Self static struct super trait true try type typeof union
unsafe unsized use virtual where while yield abstract macro_rules raw safe auto default
"""
_OWN = """
f32 f64 bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize core std alloc test M Math Real Double Single
Results Result Ok Err Some None Option Box String Vec Add Sub Mul Div Neg Copy Clone Debug PartialEq PartialOrd
k prepare evaluate add sub mul div neg x y yes no condition sign_of min_of max_of less_of select_of zero one PARAMETERS
tolerance number
"""
RESERVED = frozenset((RUST_KEYWORDS + _OWN).split()) | {f"{op}_of" for op in GUARDED}
FUNCTIONS = (*LIBRARY, *GUARDED)  # of the trait; the first five always, the others where they are called
HELPERS = (*DECIDING, *GUARDED)
_NAMED = {**{op: f"M::{op}" for op in LIBRARY}, **{op: f"{op}_of::<M>" for op in HELPERS}}

LANGUAGE = Language(
    {**ARITHMETIC, **calls(_NAMED)},
    RESERVED,
    "f64::INFINITY",
    "f64::NAN",
    "M::number({})",
    "M::tolerance({}, {})",
)
PLAIN = Language({}, RESERVED, "f64::INFINITY", "f64::NAN")  # numbers of the self-test
